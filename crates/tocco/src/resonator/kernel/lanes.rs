// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernels as plain loops over chunks of eight lanes; the baseline build, and the source of most AVX builds.

#![allow(clippy::needless_range_loop, reason = "a lane is an index: the same one in every operand")]

use super::{
    Angle, Chunk, Held, History, LANES, Line, PAIR, Past, State, StateMut, Step, Sums, Turn, TwoPole, join, turned,
};
use crate::math::Real;
use crate::resonator::CONTROL_TICKS;

/// Chunks that the free kernel keeps in registers where there are 32 of 512 bits.
#[cfg(target_arch = "x86_64")]
const WIDE: usize = 4;

#[cfg_attr(
    all(target_arch = "wasm32", target_feature = "simd128"),
    expect(dead_code, reason = "written out in vectors there")
)]
#[inline(always)]
pub fn step(
    State { q, p }: StateMut,
    Step { qq, qp, pq, pp, bq, bp }: Step<&[Line]>,
    shape: &[Line],
    force: Real,
    watch: &[Line],
    tap: &[Line],
) -> (Real, Real) {
    let n = q.len();
    let p = &mut p[..n];
    let (qq, qp, pq, pp) = (&qq[..n], &qp[..n], &pq[..n], &pp[..n]);
    let (bq, bp) = (&bq[..n], &bp[..n]);
    let (shape, watch, tap) = (&shape[..n], &watch[..n], &tap[..n]);
    let (mut stroke, mut speed) = ([0.0; LANES], [0.0; LANES]);
    for i in 0..n {
        for l in 0..LANES {
            let f = shape[i].0[l] * force;
            let (q0, p0) = (q[i].0[l], p[i].0[l]);
            let q1 = q0 + ((qq[i].0[l] * q0 + qp[i].0[l] * p0) + bq[i].0[l] * f);
            let p1 = p0 + ((pq[i].0[l] * q0 + pp[i].0[l] * p0) + bp[i].0[l] * f);
            q[i].0[l] = q1;
            p[i].0[l] = p1;
            stroke[l] += watch[i].0[l] * (qq[i].0[l] * q1 + qp[i].0[l] * p1);
            speed[l] += tap[i].0[l] * p1;
        }
    }
    (join(&stroke), join(&speed))
}

#[cfg_attr(
    all(target_arch = "wasm32", target_feature = "simd128"),
    expect(dead_code, reason = "written out in vectors there")
)]
#[inline(always)]
pub fn held(modes: &mut [Held], last_force: Real) -> (Real, Real) {
    let (mut stroke, mut speed) = ([0.0; LANES], [0.0; LANES]);
    for Held { t, u, a, b, c, e, g, k } in modes {
        for l in 0..LANES {
            let (d1, p1) = (t.0[l] + g.0[l] * last_force, u.0[l] + k.0[l] * last_force);
            t.0[l] = a.0[l] * d1 + b.0[l] * p1;
            u.0[l] = c.0[l] * d1 + e.0[l] * p1;
            stroke[l] += t.0[l];
            speed[l] += u.0[l];
        }
    }
    (join(&stroke), join(&speed))
}

#[inline(always)]
pub fn held_sum(modes: &[Held], last_force: Real, weights: &[Line], others: &[Line], their_weights: &[Line]) -> Real {
    let mut sum = [0.0; LANES];
    for (Held { u, k, .. }, weight) in modes.iter().zip(weights) {
        for l in 0..LANES {
            sum[l] += (u.0[l] + k.0[l] * last_force) * weight.0[l];
        }
    }
    for (p, weight) in others.iter().zip(their_weights) {
        for l in 0..LANES {
            sum[l] += p.0[l] * weight.0[l];
        }
    }
    join(&sum)
}

#[inline(always)]
pub fn stroke(State { q, p }: State<&[Line]>, Step { qq, qp, .. }: Step<&[Line]>, shape: &[Line]) -> Real {
    let n = q.len();
    let (p, qq, qp, shape) = (&p[..n], &qq[..n], &qp[..n], &shape[..n]);
    let mut sum = [0.0; LANES];
    for i in 0..n {
        for l in 0..LANES {
            sum[l] += shape[i].0[l] * (qq[i].0[l] * q[i].0[l] + qp[i].0[l] * p[i].0[l]);
        }
    }
    join(&sum)
}

#[inline(always)]
pub fn dot(a: &[Line], b: &[Line]) -> Real {
    let n = a.len();
    let b = &b[..n];
    let mut sum = [0.0; LANES];
    for i in 0..n {
        for l in 0..LANES {
            sum[l] += a[i].0[l] * b[i].0[l];
        }
    }
    join(&sum)
}

/// Exponent bits of an infinity or of what is not a number.
const NO_NUMBER: u64 = 0x7ff << 52;

#[inline(always)]
pub fn flush(row: &mut [Line], below: Real) -> (bool, bool) {
    let (mut left, mut lost) = ([0; LANES], [0; LANES]);
    for Line(chunk) in row {
        for l in 0..LANES {
            let kept = if chunk[l].abs() < below { 0.0 } else { chunk[l] };
            chunk[l] = kept;
            left[l] |= kept.to_bits();
            lost[l] |= u64::from(kept.to_bits() & NO_NUMBER == NO_NUMBER);
        }
    }
    (left != [0; LANES], lost == [0; LANES])
}

/// Two samples on from one pair of velocities, for `G` chunks: `[modal.4]` once and twice.
#[inline(always)]
fn advance<const G: usize>(y0: &mut [Chunk; G], y1: &mut [Chunk; G], recursion: &TwoPole<[Chunk; G]>) {
    let TwoPole { trace: t, det: d, trace_2: t2, det_2: d2 } = recursion;
    for g in 0..G {
        for l in 0..LANES {
            let (a, b) = (y0[g][l], y1[g][l]);
            y0[g][l] = t[g][l] * b - d[g][l] * a;
            y1[g][l] = t2[g][l] * b - d2[g][l] * a;
        }
    }
}

#[inline(always)]
fn load<const G: usize>(lines: &[Line], at: usize) -> [Chunk; G] {
    let lines = &lines[at..][..G];
    core::array::from_fn(|g| lines[g].0)
}

#[inline(always)]
fn store<const G: usize>(lines: &mut [Line], at: usize, chunks: &[Chunk; G]) {
    lines[at..][..G].iter_mut().zip(chunks).for_each(|(line, chunk)| line.0 = *chunk);
}

/// The recursion of `G` chunks from chunk `at` on.
#[inline(always)]
fn load_recursion<const G: usize>(rows: TwoPole<&[Line]>, at: usize) -> TwoPole<[Chunk; G]> {
    let TwoPole { trace, det, trace_2, det_2 } = rows;
    TwoPole { trace: load(trace, at), det: load(det, at), trace_2: load(trace_2, at), det_2: load(det_2, at) }
}

/// Adds the chunks to a lane sum, pair by pair.
#[inline(always)]
fn gain<const G: usize>(sum: &mut Line, y: &[Chunk; G]) {
    for pair in 0..G / PAIR {
        for l in 0..LANES {
            sum.0[l] += y[PAIR * pair][l] + y[PAIR * pair + 1][l];
        }
    }
}

/// Rings whole groups of `G` chunks from chunk `done` on; returns the chunk where they end.
#[inline(always)]
fn ring_groups<const G: usize>(
    state: &mut StateMut,
    recursion: TwoPole<&[Line]>,
    late: bool,
    sums: &mut [Line],
    mut done: usize,
) -> usize {
    while done + G <= state.q.len() {
        let (mut y1, mut y0): ([Chunk; G], [Chunk; G]) = (load(state.q, done), load(state.p, done));
        let recursion = load_recursion(recursion, done);
        let mut rest = &mut *sums;
        if late && !rest.is_empty() {
            advance(&mut y0, &mut y1, &recursion);
            let (first, after) = rest.split_at_mut(1);
            gain(&mut first[0], &y0);
            rest = after;
        }
        let (twos, last) = rest.as_chunks_mut::<2>();
        for [even, odd] in twos {
            gain(even, &y1);
            advance(&mut y0, &mut y1, &recursion);
            gain(odd, &y0);
        }
        if let Some(sum) = last.first_mut() {
            gain(sum, &y1);
        }
        store(state.q, done, &y1);
        store(state.p, done, &y0);
        done += G;
    }
    done
}

#[inline(always)]
pub fn ring(mut state: StateMut, recursion: TwoPole<&[Line]>, late: bool, ticks: usize, sums: &mut Sums) {
    ring_groups::<PAIR>(&mut state, recursion, late, &mut sums.0[..ticks.min(CONTROL_TICKS)], 0);
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn ring_wide(mut state: StateMut, recursion: TwoPole<&[Line]>, late: bool, ticks: usize, sums: &mut Sums) {
    let sums = &mut sums.0[..ticks.min(CONTROL_TICKS)];
    let done = ring_groups::<WIDE>(&mut state, recursion, late, sums, 0);
    ring_groups::<PAIR>(&mut state, recursion, late, sums, done);
}

#[inline(always)]
pub fn history(state: StateMut, recursion: TwoPole<&[Line]>, late: bool, ticks: usize, history: &mut History) {
    let ticks = ticks.min(CONTROL_TICKS);
    let (mut y1, mut y0): ([Chunk; PAIR], [Chunk; PAIR]) = (load(state.q, 0), load(state.p, 0));
    let recursion = load_recursion(recursion, 0);
    let mut at_odd = late;
    for row in &mut history[..ticks] {
        if at_odd {
            advance(&mut y0, &mut y1, &recursion);
        }
        *row = if at_odd { y0 } else { y1 };
        at_odd = !at_odd;
    }
    store(state.q, 0, &y1);
    store(state.p, 0, &y0);
    if at_odd {
        advance(&mut y0, &mut y1, &recursion);
    }
    history[ticks] = if at_odd { y0 } else { y1 };
}

#[inline(always)]
pub fn gather(
    history: &History,
    now: Option<&[Chunk; PAIR]>,
    ahead: Option<&[Chunk; PAIR]>,
    ticks: usize,
    sums: &mut Sums,
) {
    for (tick, sum) in sums.0[..ticks.min(CONTROL_TICKS)].iter_mut().enumerate() {
        let (y0, y1) = (&history[tick], &history[tick + 1]);
        let Some(now) = now else {
            gain(sum, y0);
            continue;
        };
        let mut y = [[0.0; LANES]; PAIR];
        for g in 0..PAIR {
            for l in 0..LANES {
                y[g][l] = now[g][l] * y0[g][l];
                if let Some(ahead) = ahead {
                    y[g][l] += ahead[g][l] * y1[g][l];
                }
            }
        }
        gain(sum, &y);
    }
}

/// Chunk `i` of every row.
#[inline(always)]
fn load_turn(turn: &Turn<&[Line]>, i: usize) -> Turn<Chunk> {
    Turn {
        by_sin: turn.by_sin[i].0,
        by_versine: turn.by_versine[i].0,
        by_lost: turn.by_lost[i].0,
        w: turn.w[i].0,
        w_way: turn.w_way[i].0,
        sigma: turn.sigma[i].0,
        sigma_way: turn.sigma_way[i].0,
        over_mass: turn.over_mass[i].0,
        turns: turn.turns[i].0,
    }
}

/// Some lanes of [`turn`]; `ALL`: each of them turns.
#[inline(always)]
fn turn_lanes<const W: usize, const ALL: bool>(
    now: &mut Angle<[Real; W]>,
    by: &Turn<[Real; W]>,
    done: Real,
    q: &mut [Real; W],
    step: &mut Step<[Real; W]>,
) {
    // Copies: the compiler need not fear that a row it writes is one it has yet to read.
    let (was, old, from) = (*now, *step, *q);
    for l in 0..W {
        let angle = Angle { sin: was.sin[l], cos: was.cos[l], lost: was.lost[l], omega: was.omega[l] };
        let turn = Turn {
            by_sin: by.by_sin[l],
            by_versine: by.by_versine[l],
            by_lost: by.by_lost[l],
            w: by.w[l],
            w_way: by.w_way[l],
            sigma: by.sigma[l],
            sigma_way: by.sigma_way[l],
            over_mass: by.over_mass[l],
            turns: by.turns[l],
        };
        let (there, part, made) = turned(angle, turn, done);
        let pick = |new: Real, old: Real| if ALL || turn.turns != 0.0 { new } else { old };
        now.sin[l] = pick(there.sin, angle.sin);
        now.cos[l] = pick(there.cos, angle.cos);
        now.lost[l] = pick(there.lost, angle.lost);
        now.omega[l] = pick(there.omega, angle.omega);
        step.qq[l] = pick(made.qq, old.qq[l]);
        step.qp[l] = pick(made.qp, old.qp[l]);
        step.pq[l] = pick(made.pq, old.pq[l]);
        step.pp[l] = pick(made.pp, old.pp[l]);
        step.bq[l] = pick(made.bq, old.bq[l]);
        step.bp[l] = pick(made.bp, old.bp[l]);
        q[l] = pick(from[l] * part, from[l]);
    }
}

#[inline(always)]
pub fn turn(angle: Angle<&mut [Line]>, turn: Turn<&[Line]>, done: Real, q: &mut [Line], step: Step<&mut [Line]>) {
    let Angle { sin, cos, lost, omega } = angle;
    let Step { qq, qp, pq, pp, bq, bp } = step;
    for i in 0..q.len() {
        let mut now = Angle { sin: sin[i].0, cos: cos[i].0, lost: lost[i].0, omega: omega[i].0 };
        let mut made = Step { qq: qq[i].0, qp: qp[i].0, pq: pq[i].0, pp: pp[i].0, bq: bq[i].0, bp: bp[i].0 };
        let mut kept = q[i].0;
        turn_lanes::<LANES, false>(&mut now, &load_turn(&turn, i), done, &mut kept, &mut made);
        (sin[i].0, cos[i].0, lost[i].0, omega[i].0) = (now.sin, now.cos, now.lost, now.omega);
        (qq[i].0, qp[i].0, pq[i].0, pp[i].0, bq[i].0, bp[i].0) = (made.qq, made.qp, made.pq, made.pp, made.bq, made.bp);
        q[i].0 = kept;
    }
}

/// `W` lanes of a line from lane `at` on.
#[inline(always)]
fn lanes_of<const W: usize>(line: &Line, at: usize) -> [Real; W] {
    let mut lanes = [0.0; W];
    lanes.copy_from_slice(&line.0[at..at + W]);
    lanes
}

/// [`ring_turning`] of `W` lanes from lane `at` on; `ALL`: each of them turns.
#[inline(always)]
fn ring_lanes<const W: usize, const ALL: bool>(
    State { q, p }: &mut StateMut,
    angle: &mut Angle<&mut [Line]>,
    turn: &Turn<&[Line]>,
    step: &mut Step<&mut [Line]>,
    done: &[Real],
    past: &mut Past,
    at: usize,
) {
    let of = lanes_of::<W>;
    let (mut q1, mut p1) = (of(&q[0], at), of(&p[0], at));
    let Angle { sin, cos, lost, omega } = angle;
    let mut now =
        Angle { sin: of(&sin[0], at), cos: of(&cos[0], at), lost: of(&lost[0], at), omega: of(&omega[0], at) };
    let Step { qq, qp, pq, pp, bq, bp } = step;
    let mut made = Step {
        qq: of(&qq[0], at),
        qp: of(&qp[0], at),
        pq: of(&pq[0], at),
        pp: of(&pp[0], at),
        bq: of(&bq[0], at),
        bp: of(&bp[0], at),
    };
    let by = Turn {
        by_sin: of(&turn.by_sin[0], at),
        by_versine: of(&turn.by_versine[0], at),
        by_lost: of(&turn.by_lost[0], at),
        w: of(&turn.w[0], at),
        w_way: of(&turn.w_way[0], at),
        sigma: of(&turn.sigma[0], at),
        sigma_way: of(&turn.sigma_way[0], at),
        over_mass: of(&turn.over_mass[0], at),
        turns: of(&turn.turns[0], at),
    };
    for ((&done, heard_q), heard_p) in done.iter().zip(&mut past.q).zip(&mut past.p) {
        for l in 0..W {
            let (q0, p0) = (q1[l], p1[l]);
            q1[l] = q0 + (made.qq[l] * q0 + made.qp[l] * p0);
            p1[l] = p0 + (made.pq[l] * q0 + made.pp[l] * p0);
        }
        heard_q.0[at..at + W].copy_from_slice(&q1);
        heard_p.0[at..at + W].copy_from_slice(&p1);
        if !done.is_nan() {
            turn_lanes::<W, ALL>(&mut now, &by, done, &mut q1, &mut made);
        }
    }
    for (line, lanes) in [&mut q[0], &mut p[0], &mut sin[0], &mut cos[0], &mut lost[0], &mut omega[0]]
        .into_iter()
        .zip([&q1, &p1, &now.sin, &now.cos, &now.lost, &now.omega])
    {
        line.0[at..at + W].copy_from_slice(lanes);
    }
    for (line, lanes) in [&mut qq[0], &mut qp[0], &mut pq[0], &mut pp[0], &mut bq[0], &mut bp[0]]
        .into_iter()
        .zip([&made.qq, &made.qp, &made.pq, &made.pp, &made.bq, &made.bp])
    {
        line.0[at..at + W].copy_from_slice(lanes);
    }
}

/// [`ring_turning`] by `W` lanes: as many as a vector has, so that what moves stays in registers.
#[inline(always)]
fn ring_by<const W: usize>(
    mut state: StateMut,
    mut angle: Angle<&mut [Line]>,
    turn: Turn<&[Line]>,
    mut step: Step<&mut [Line]>,
    done: &[Real],
    past: &mut Past,
) {
    let all = turn.turns[0].0.iter().all(|turns| *turns != 0.0);
    for at in (0..LANES).step_by(W) {
        if all {
            ring_lanes::<W, true>(&mut state, &mut angle, &turn, &mut step, done, past, at);
        } else {
            ring_lanes::<W, false>(&mut state, &mut angle, &turn, &mut step, done, past, at);
        }
    }
}

#[inline(always)]
pub fn ring_turning(
    state: StateMut,
    angle: Angle<&mut [Line]>,
    turn: Turn<&[Line]>,
    step: Step<&mut [Line]>,
    done: &[Real],
    past: &mut Past,
) {
    ring_by::<4>(state, angle, turn, step, done, past);
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn ring_turning_wide(
    state: StateMut,
    angle: Angle<&mut [Line]>,
    turn: Turn<&[Line]>,
    step: Step<&mut [Line]>,
    done: &[Real],
    past: &mut Past,
) {
    ring_by::<LANES>(state, angle, turn, step, done, past);
}

#[inline(always)]
pub fn hear(past: &[Line], now: &Line, before: Option<&Line>, left: &[Real], sums: &mut [Line]) {
    for ((Line(past), &left), Line(sum)) in past.iter().zip(left).zip(sums) {
        for l in 0..LANES {
            let weight = before.map_or(now.0[l], |before| now.0[l] + (before.0[l] - now.0[l]) * left);
            sum[l] += weight * past[l];
        }
    }
}
