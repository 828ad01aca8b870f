// SPDX-License-Identifier: MIT OR Apache-2.0
//! The twins: one mode after the other, in the order that the lanes define.

use super::{
    Angle, Chunk, Held, History, LANES, Line, PAIR, Past, State, StateMut, Step, Sums, Turn, TwoPole, join, turned,
};
use crate::math::Real;

fn at(row: &[Line], i: usize) -> Real {
    row[i / LANES].0[i % LANES]
}

fn put(row: &mut [Line], i: usize, value: Real) {
    row[i / LANES].0[i % LANES] = value;
}

/// T, D, T^2 - D, T D of mode `i`.
fn two_pole(TwoPole { trace, det, trace_2, det_2 }: TwoPole<&[Line]>, i: usize) -> [Real; 4] {
    [trace, det, trace_2, det_2].map(|row| at(row, i))
}

/// Twin of [`super::step`].
pub fn step(
    State { q, p }: StateMut,
    Step { qq, qp, pq, pp, bq, bp }: Step<&[Line]>,
    shape: &[Line],
    force: Real,
    watch: &[Line],
    tap: &[Line],
) -> (Real, Real) {
    let (mut stroke, mut speed) = ([0.0; LANES], [0.0; LANES]);
    for i in 0..q.len() * LANES {
        let [qq, qp, pq, pp, bq, bp] = [qq, qp, pq, pp, bq, bp].map(|row| at(row, i));
        let (q0, p0, f) = (at(q, i), at(p, i), at(shape, i) * force);
        let q1 = q0 + ((qq * q0 + qp * p0) + bq * f);
        let p1 = p0 + ((pq * q0 + pp * p0) + bp * f);
        put(q, i, q1);
        put(p, i, p1);
        stroke[i % LANES] += at(watch, i) * (qq * q1 + qp * p1);
        speed[i % LANES] += at(tap, i) * p1;
    }
    (join(&stroke), join(&speed))
}

/// Twin of [`super::held`].
pub fn held(modes: &mut [Held], last_force: Real) -> (Real, Real) {
    let (mut stroke, mut speed) = ([0.0; LANES], [0.0; LANES]);
    for i in 0..modes.len() * LANES {
        let (Held { t, u, a, b, c, e, g, k }, l) = (&mut modes[i / LANES], i % LANES);
        let (d1, p1) = (t.0[l] + g.0[l] * last_force, u.0[l] + k.0[l] * last_force);
        (t.0[l], u.0[l]) = (a.0[l] * d1 + b.0[l] * p1, c.0[l] * d1 + e.0[l] * p1);
        stroke[l] += t.0[l];
        speed[l] += u.0[l];
    }
    (join(&stroke), join(&speed))
}

/// Twin of [`super::held_sum`].
pub fn held_sum(modes: &[Held], last_force: Real, weights: &[Line], others: &[Line], their_weights: &[Line]) -> Real {
    let mut sum = [0.0; LANES];
    for i in 0..modes.len() * LANES {
        let (Held { u, k, .. }, l) = (&modes[i / LANES], i % LANES);
        sum[l] += (u.0[l] + k.0[l] * last_force) * at(weights, i);
    }
    for i in 0..others.len() * LANES {
        sum[i % LANES] += at(others, i) * at(their_weights, i);
    }
    join(&sum)
}

/// Twin of [`super::stroke`].
pub fn stroke(State { q, p }: State<&[Line]>, Step { qq, qp, .. }: Step<&[Line]>, shape: &[Line]) -> Real {
    let mut sum = [0.0; LANES];
    for i in 0..q.len() * LANES {
        sum[i % LANES] += at(shape, i) * (at(qq, i) * at(q, i) + at(qp, i) * at(p, i));
    }
    join(&sum)
}

/// Twin of [`super::dot`].
pub fn dot(a: &[Line], b: &[Line]) -> Real {
    let mut sum = [0.0; LANES];
    for i in 0..a.len() * LANES {
        sum[i % LANES] += at(a, i) * at(b, i);
    }
    join(&sum)
}

/// Twin of [`super::flush`].
pub fn flush(row: &mut [Line], below: Real) -> (bool, bool) {
    let (mut left, mut finite) = (false, true);
    for x in row.iter_mut().flat_map(|line| &mut line.0) {
        if x.abs() < below {
            *x = 0.0;
        }
        left |= *x != 0.0;
        finite &= x.is_finite();
    }
    (left, finite)
}

/// Twin of [`super::history`].
pub fn history(state: StateMut, recursion: TwoPole<&[Line]>, late: bool, ticks: usize, history: &mut History) {
    let State { q: y1, p: y0 } = state;
    for i in 0..PAIR * LANES {
        let [t, d, t2, d2] = two_pole(recursion, i);
        let (mut a, mut b, mut at_odd) = (at(y0, i), at(y1, i), late);
        for (tick, row) in history.iter_mut().enumerate().take(ticks + 1) {
            if at_odd {
                (a, b) = (t * b - d * a, t2 * b - d2 * a);
            }
            row[i / LANES][i % LANES] = if at_odd { a } else { b };
            at_odd = !at_odd;
            if tick + 1 == ticks {
                put(y0, i, a);
                put(y1, i, b);
            }
        }
    }
}

/// Twin of [`super::gather`].
pub fn gather(
    history: &History,
    now: Option<&[Chunk; PAIR]>,
    ahead: Option<&[Chunk; PAIR]>,
    ticks: usize,
    sums: &mut Sums,
) {
    for (tick, sum) in sums.0.iter_mut().enumerate().take(ticks) {
        for l in 0..LANES {
            let y = |g: usize| {
                let weighed = now.map_or(history[tick][g][l], |now| now[g][l] * history[tick][g][l]);
                ahead.map_or(weighed, |ahead| weighed + ahead[g][l] * history[tick + 1][g][l])
            };
            sum.0[l] += y(0) + y(1);
        }
    }
}

/// Twin of [`super::ring`].
pub fn ring(state: StateMut, recursion: TwoPole<&[Line]>, late: bool, ticks: usize, sums: &mut Sums) {
    let State { q: y1, p: y0 } = state;
    let mut at_odd = late;
    for sum in sums.0.iter_mut().take(ticks) {
        for i in (0..y0.len() * LANES).filter(|_| at_odd) {
            let [t, d, t2, d2] = two_pole(recursion, i);
            let (a, b) = (at(y0, i), at(y1, i));
            put(y0, i, t * b - d * a);
            put(y1, i, t2 * b - d2 * a);
        }
        let y = if at_odd { &*y0 } else { &*y1 };
        for pair in y.chunks(PAIR) {
            for (l, lane) in sum.0.iter_mut().enumerate() {
                *lane += pair[0].0[l] + pair[1].0[l];
            }
        }
        at_odd = !at_odd;
    }
}

/// Twin of [`super::turn`].
pub fn turn(now: Angle<&mut [Line]>, turn: Turn<&[Line]>, done: Real, q: &mut [Line], step: Step<&mut [Line]>) {
    let Angle { sin, cos, lost, omega } = now;
    let Step { qq, qp, pq, pp, bq, bp } = step;
    for i in (0..q.len() * LANES).filter(|&i| at(turn.turns, i) != 0.0) {
        let angle = Angle { sin: at(sin, i), cos: at(cos, i), lost: at(lost, i), omega: at(omega, i) };
        let by = Turn {
            by_sin: at(turn.by_sin, i),
            by_versine: at(turn.by_versine, i),
            by_lost: at(turn.by_lost, i),
            w: at(turn.w, i),
            w_way: at(turn.w_way, i),
            sigma: at(turn.sigma, i),
            sigma_way: at(turn.sigma_way, i),
            over_mass: at(turn.over_mass, i),
            turns: 1.0,
        };
        let (next, kept, made) = turned(angle, by, done);
        let rows = [&mut *sin, cos, lost, omega, qq, qp, pq, pp, bq, bp];
        let values = [next.sin, next.cos, next.lost, next.omega, made.qq, made.qp, made.pq, made.pp, made.bq, made.bp];
        rows.into_iter().zip(values).for_each(|(row, value)| put(row, i, value));
        q[i / LANES].0[i % LANES] *= kept;
    }
}

/// Twin of [`super::ring_turning`].
pub fn ring_turning(
    State { q, p }: StateMut,
    angle: Angle<&mut [Line]>,
    by: Turn<&[Line]>,
    of: Step<&mut [Line]>,
    done: &[Real],
    past: &mut Past,
) {
    let Angle { sin, cos, lost, omega } = angle;
    let Step { qq, qp, pq, pp, bq, bp } = of;
    for (tick, &done) in done.iter().enumerate() {
        for i in 0..LANES {
            let (q0, p0) = (at(q, i), at(p, i));
            put(q, i, q0 + (at(qq, i) * q0 + at(qp, i) * p0));
            put(p, i, p0 + (at(pq, i) * q0 + at(pp, i) * p0));
        }
        (past.q[tick], past.p[tick]) = (q[0], p[0]);
        if !done.is_nan() {
            let now = Angle { sin: &mut *sin, cos: &mut *cos, lost: &mut *lost, omega: &mut *omega };
            let made = Step { qq: &mut *qq, qp: &mut *qp, pq: &mut *pq, pp: &mut *pp, bq: &mut *bq, bp: &mut *bp };
            turn(now, by, done, &mut q[..1], made);
        }
    }
}

/// Twin of [`super::hear`].
pub fn hear(past: &[Line], now: &Line, before: Option<&Line>, left: &[Real], sums: &mut [Line]) {
    for l in 0..LANES {
        for (tick, sum) in sums.iter_mut().enumerate().take(past.len().min(left.len())) {
            let (to, from) = (now.0[l], before.unwrap_or(now).0[l]);
            let weight = if before.is_some() { to + (from - to) * left[tick] } else { to };
            sum.0[l] += weight * past[tick].0[l];
        }
    }
}
