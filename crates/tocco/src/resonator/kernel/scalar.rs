// SPDX-License-Identifier: MIT OR Apache-2.0
//! The twins: one mode after the other, in the order that the lanes define.

use super::{Chunk, History, LANES, Line, PAIR, StateMut, Sums, join, turned};
use crate::math::Real;

fn at(row: &[Line], i: usize) -> Real {
    row[i / LANES].0[i % LANES]
}

/// Twin of [`super::step`].
pub fn step(
    [q, p]: StateMut,
    table: [&[Line]; 6],
    shape: &[Line],
    force: Real,
    watch: &[Line],
    tap: &[Line],
) -> (Real, Real) {
    let (mut stroke, mut speed) = ([0.0; LANES], [0.0; LANES]);
    for i in 0..q.len() * LANES {
        let [qq, qp, pq, pp, bq, bp] = table.map(|row| at(row, i));
        let (q0, p0, f) = (at(q, i), at(p, i), at(shape, i) * force);
        let q1 = q0 + ((qq * q0 + qp * p0) + bq * f);
        let p1 = p0 + ((pq * q0 + pp * p0) + bp * f);
        (q[i / LANES].0[i % LANES], p[i / LANES].0[i % LANES]) = (q1, p1);
        stroke[i % LANES] += at(watch, i) * (qq * q1 + qp * p1);
        speed[i % LANES] += at(tap, i) * p1;
    }
    (join(&stroke), join(&speed))
}

/// Twin of [`super::held`].
pub fn held([d, p]: StateMut, table: [&[Line]; 6], force: Real) -> (Real, Real) {
    let (mut stroke, mut speed) = ([0.0; LANES], [0.0; LANES]);
    for i in 0..d.len() * LANES {
        let [a, b, c, e, g, k] = table.map(|row| at(row, i));
        let (d0, p0) = (at(d, i), at(p, i));
        let (d1, p1) = ((a * d0 + b * p0) + g * force, (c * d0 + e * p0) + k * force);
        (d[i / LANES].0[i % LANES], p[i / LANES].0[i % LANES]) = (d1, p1);
        stroke[i % LANES] += d1;
        speed[i % LANES] += p1;
    }
    (join(&stroke), join(&speed))
}

/// Twin of [`super::stroke`].
pub fn stroke([q, p]: [&[Line]; 2], [qq, qp]: [&[Line]; 2], shape: &[Line]) -> Real {
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
pub fn history([y1, y0]: StateMut, table: [&[Line]; 4], late: bool, ticks: usize, history: &mut History) {
    for i in 0..PAIR * LANES {
        let [t, d, t2, d2] = table.map(|row| at(row, i));
        let (mut a, mut b, mut at_odd) = (at(y0, i), at(y1, i), late);
        for (tick, row) in history.iter_mut().enumerate().take(ticks + 1) {
            if at_odd {
                (a, b) = (t * b - d * a, t2 * b - d2 * a);
            }
            row[i / LANES][i % LANES] = if at_odd { a } else { b };
            at_odd = !at_odd;
            if tick + 1 == ticks {
                (y0[i / LANES].0[i % LANES], y1[i / LANES].0[i % LANES]) = (a, b);
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
pub fn ring([y1, y0]: StateMut, table: [&[Line]; 4], late: bool, ticks: usize, sums: &mut Sums) {
    let mut at_odd = late;
    for sum in sums.0.iter_mut().take(ticks) {
        for i in (0..y0.len() * LANES).filter(|_| at_odd) {
            let [t, d, t2, d2] = table.map(|row| at(row, i));
            let (a, b) = (at(y0, i), at(y1, i));
            (y0[i / LANES].0[i % LANES], y1[i / LANES].0[i % LANES]) = (t * b - d * a, t2 * b - d2 * a);
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
pub fn turn(mut now: [&mut [Line]; 4], plan: [&[Line]; 9], done: Real, q: &mut [Line], mut table: [&mut [Line]; 6]) {
    for i in (0..q.len() * LANES).filter(|&i| at(plan[8], i) != 0.0) {
        let [by_sin, by_versine, by_lost, w, w_way, sigma, sigma_way, over_mass, _] = plan.map(|row| at(row, i));
        let (by, on) = ([by_sin, by_versine, by_lost], [w, w_way, sigma, sigma_way, over_mass]);
        let (next, kept, row) = turned(now.each_ref().map(|row| at(row, i)), by, on, done);
        now.iter_mut().zip(next).for_each(|(cells, value)| cells[i / LANES].0[i % LANES] = value);
        table.iter_mut().zip(row).for_each(|(cells, value)| cells[i / LANES].0[i % LANES] = value);
        q[i / LANES].0[i % LANES] *= kept;
    }
}
