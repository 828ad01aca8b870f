// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernels as plain loops over chunks of eight lanes; the baseline build, and the source of most AVX builds.

#![allow(clippy::needless_range_loop, reason = "a lane is an index: the same one in every operand")]

use super::{Chunk, History, LANES, Line, PAIR, StateMut, Sums, join, turned};
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
    [q, p]: StateMut,
    [qq, qp, pq, pp, bq, bp]: [&[Line]; 6],
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
pub fn held([d, p]: StateMut, [a, b, c, e, g, k]: [&[Line]; 6], force: Real) -> (Real, Real) {
    let n = d.len();
    let p = &mut p[..n];
    let (a, b, c, e, g, k) = (&a[..n], &b[..n], &c[..n], &e[..n], &g[..n], &k[..n]);
    let (mut stroke, mut speed) = ([0.0; LANES], [0.0; LANES]);
    for i in 0..n {
        for l in 0..LANES {
            let (d0, p0) = (d[i].0[l], p[i].0[l]);
            let d1 = (a[i].0[l] * d0 + b[i].0[l] * p0) + g[i].0[l] * force;
            let p1 = (c[i].0[l] * d0 + e[i].0[l] * p0) + k[i].0[l] * force;
            d[i].0[l] = d1;
            p[i].0[l] = p1;
            stroke[l] += d1;
            speed[l] += p1;
        }
    }
    (join(&stroke), join(&speed))
}

#[inline(always)]
pub fn stroke([q, p]: [&[Line]; 2], [qq, qp]: [&[Line]; 2], shape: &[Line]) -> Real {
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
fn advance<const G: usize>(y0: &mut [Chunk; G], y1: &mut [Chunk; G], table: &[[Chunk; G]; 4]) {
    let [t, d, t2, d2] = table;
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
    table: [&[Line]; 4],
    late: bool,
    sums: &mut [Line],
    mut done: usize,
) -> usize {
    while done + G <= state[0].len() {
        let (mut y1, mut y0): ([Chunk; G], [Chunk; G]) = (load(state[0], done), load(state[1], done));
        let [a, b, c, d] = table;
        let table: [[Chunk; G]; 4] = [load(a, done), load(b, done), load(c, done), load(d, done)];
        let mut rest = &mut *sums;
        if late && !rest.is_empty() {
            advance(&mut y0, &mut y1, &table);
            let (first, after) = rest.split_at_mut(1);
            gain(&mut first[0], &y0);
            rest = after;
        }
        let (twos, last) = rest.as_chunks_mut::<2>();
        for [even, odd] in twos {
            gain(even, &y1);
            advance(&mut y0, &mut y1, &table);
            gain(odd, &y0);
        }
        if let Some(sum) = last.first_mut() {
            gain(sum, &y1);
        }
        store(state[0], done, &y1);
        store(state[1], done, &y0);
        done += G;
    }
    done
}

#[inline(always)]
pub fn ring(mut state: StateMut, table: [&[Line]; 4], late: bool, ticks: usize, sums: &mut Sums) {
    ring_groups::<PAIR>(&mut state, table, late, &mut sums.0[..ticks.min(CONTROL_TICKS)], 0);
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn ring_wide(mut state: StateMut, table: [&[Line]; 4], late: bool, ticks: usize, sums: &mut Sums) {
    let sums = &mut sums.0[..ticks.min(CONTROL_TICKS)];
    let done = ring_groups::<WIDE>(&mut state, table, late, sums, 0);
    ring_groups::<PAIR>(&mut state, table, late, sums, done);
}

#[inline(always)]
pub fn history(state: StateMut, table: [&[Line]; 4], late: bool, ticks: usize, history: &mut History) {
    let ticks = ticks.min(CONTROL_TICKS);
    let (mut y1, mut y0): ([Chunk; PAIR], [Chunk; PAIR]) = (load(state[0], 0), load(state[1], 0));
    let [a, b, c, d] = table;
    let table: [[Chunk; PAIR]; 4] = [load(a, 0), load(b, 0), load(c, 0), load(d, 0)];
    let mut at_odd = late;
    for row in &mut history[..ticks] {
        if at_odd {
            advance(&mut y0, &mut y1, &table);
        }
        *row = if at_odd { y0 } else { y1 };
        at_odd = !at_odd;
    }
    store(state[0], 0, &y1);
    store(state[1], 0, &y0);
    if at_odd {
        advance(&mut y0, &mut y1, &table);
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

#[inline(always)]
pub fn turn(
    [sin, cos, lost, omega]: [&mut [Line]; 4],
    [by_sin, by_versine, by_lost, w, w_way, sigma, sigma_way, over_mass, turns]: [&[Line]; 9],
    done: Real,
    q: &mut [Line],
    [qq, qp, pq, pp, bq, bp]: [&mut [Line]; 6],
) {
    let n = q.len();
    let (sin, cos, lost, omega) = (&mut sin[..n], &mut cos[..n], &mut lost[..n], &mut omega[..n]);
    let (by_sin, by_versine, by_lost, w, w_way) = (&by_sin[..n], &by_versine[..n], &by_lost[..n], &w[..n], &w_way[..n]);
    let (sigma, sigma_way, over_mass, turns) = (&sigma[..n], &sigma_way[..n], &over_mass[..n], &turns[..n]);
    let (qq, qp, pq) = (&mut qq[..n], &mut qp[..n], &mut pq[..n]);
    let (pp, bq, bp) = (&mut pp[..n], &mut bq[..n], &mut bp[..n]);
    for i in 0..n {
        // Copies: the compiler need not fear that a row it writes is one it has yet to read.
        let now = [sin[i].0, cos[i].0, lost[i].0, omega[i].0];
        let by = [by_sin[i].0, by_versine[i].0, by_lost[i].0];
        let on = [w[i].0, w_way[i].0, sigma[i].0, sigma_way[i].0, over_mass[i].0];
        let old = [qq[i].0, qp[i].0, pq[i].0, pp[i].0, bq[i].0, bp[i].0];
        let (turns, from) = (turns[i].0, q[i].0);
        let (mut next, mut row, mut kept) = (now, old, from);
        for l in 0..LANES {
            let now = [now[0][l], now[1][l], now[2][l], now[3][l]];
            let by = [by[0][l], by[1][l], by[2][l]];
            let on = [on[0][l], on[1][l], on[2][l], on[3][l], on[4][l]];
            let (there, part, made) = turned(now, by, on, done);
            let turns = turns[l] != 0.0;
            next[0][l] = if turns { there[0] } else { now[0] };
            next[1][l] = if turns { there[1] } else { now[1] };
            next[2][l] = if turns { there[2] } else { now[2] };
            next[3][l] = if turns { there[3] } else { now[3] };
            row[0][l] = if turns { made[0] } else { old[0][l] };
            row[1][l] = if turns { made[1] } else { old[1][l] };
            row[2][l] = if turns { made[2] } else { old[2][l] };
            row[3][l] = if turns { made[3] } else { old[3][l] };
            row[4][l] = if turns { made[4] } else { old[4][l] };
            row[5][l] = if turns { made[5] } else { old[5][l] };
            kept[l] = if turns { from[l] * part } else { from[l] };
        }
        [sin[i].0, cos[i].0, lost[i].0, omega[i].0] = next;
        [qq[i].0, qp[i].0, pq[i].0, pp[i].0, bq[i].0, bp[i].0] = row;
        q[i].0 = kept;
    }
}
