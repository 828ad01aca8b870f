// SPDX-License-Identifier: MIT OR Apache-2.0
//! The only vector code: modal steps over eight fixed lanes.
//!
//! Every loop is plain Rust over chunks of eight; sums keep eight partial sums and join them in one fixed order, and no
//! multiply-add is fused, so scalar, baseline, AVX2, AVX-512 and WASM builds give the same bits. The AVX versions are
//! the same source compiled with that feature and chosen at run time; `scalar` is the twin they are tested equal to.
//!
//! Rows of coefficients begin on cache lines, and the distance between rows keeps away from multiples of 4 KiB: a store
//! that shares the low address bits of the next loads would make them wait.

#![allow(clippy::needless_range_loop, reason = "a lane is an index: the same one in every operand")]

use super::CONTROL_TICKS;
use crate::math::Real;

/// Lanes of a sum.
pub const LANES: usize = 8;
/// Chunks whose outputs the free kernel adds before they join the sum.
pub const PAIR: usize = 2;
/// Chunks that the free kernel keeps in registers where there are 32 of 512 bits.
#[cfg(target_arch = "x86_64")]
const WIDE: usize = 4;

/// Eight values, one per mode.
pub type Chunk = [Real; LANES];

/// Eight values on a cache line of their own; not on wasm32, where heap types of large alignment have trapped in the
/// allocator.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(target_arch = "wasm32"), repr(C, align(64)))]
#[cfg_attr(target_arch = "wasm32", repr(C))]
pub struct Line(pub Chunk);

impl Line {
    /// All zero.
    pub const ZERO: Self = Line([0.0; LANES]);
}

/// `K` values per mode: `K` rows of lines in one piece of memory.
#[derive(Clone, Debug)]
pub struct Rows<const K: usize> {
    lines: Vec<Line>,
    /// Lines in use per row, and from row to row.
    len: usize,
    stride: usize,
}

/// One value per mode.
pub type Row = Rows<1>;
/// Position (or, while free, the later velocity) and velocity of every mode.
pub type State = Rows<2>;
/// qq, qp, pq, pp, bq, bp of [modal.2].
pub type Table = Rows<6>;
/// T, D, T^2 - D, T D of [modal.4].
pub type TwoStep = Rows<4>;
/// a, b, c, e, g, k of [modal.5].
pub type Held = Rows<6>;

impl<const K: usize> Rows<K> {
    /// Zeros for `len` chunks of modes. `[control]`
    pub fn zeros(len: usize) -> Self {
        // 9 lines past a multiple of 4 KiB (64 lines): six rows and the state all differ in their low address bits.
        let stride = if K == 1 { len } else { len + (64 + 9 - len % 64) % 64 };
        Self { lines: vec![Line::ZERO; K * stride], len, stride }
    }

    /// From values per mode, whole chunks of them. `[control]`
    pub fn from_fn(len: usize, f: impl Fn(usize, usize) -> Real) -> Self {
        let mut rows = Self::zeros(len);
        for i in 0..len * LANES {
            for row in 0..K {
                rows.set(row, i, f(row, i));
            }
        }
        rows
    }

    /// Chunks per row.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Value `row` of mode `i`.
    #[inline(always)]
    pub fn get(&self, row: usize, i: usize) -> Real {
        self.lines[row * self.stride + i / LANES].0[i % LANES]
    }

    /// Sets value `row` of mode `i`.
    #[inline(always)]
    pub fn set(&mut self, row: usize, i: usize, value: Real) {
        self.lines[row * self.stride + i / LANES].0[i % LANES] = value;
    }

    /// Sets everything.
    pub fn fill(&mut self, value: Real) {
        self.lines.fill(Line([value; LANES]));
    }

    /// The chunks `from..to` of every row.
    #[inline(always)]
    pub fn part(&self, from: usize, to: usize) -> [&[Line]; K] {
        core::array::from_fn(
            #[inline(always)]
            |row| &self.lines[row * self.stride + from..row * self.stride + to],
        )
    }
}

impl State {
    /// The chunks `from..to` of both rows.
    #[inline(always)]
    pub fn part_mut(&mut self, from: usize, to: usize) -> StateMut<'_> {
        let (first, second) = self.lines.split_at_mut(self.stride);
        [&mut first[from..to], &mut second[from..to]]
    }
}

/// Part of a state.
pub type StateMut<'a> = [&'a mut [Line]; 2];

/// Which build of the kernels to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// One lane after the other.
    Scalar,
    /// Whatever the target's baseline vectors are.
    Baseline,
    /// 256-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512-bit vectors.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Path {
    /// All paths of this machine, the fastest last. `[control]`
    pub fn all() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut, reason = "only x86 has more to add"))]
        let mut all = vec![Path::Scalar, Path::Baseline];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(std::arch::is_x86_feature_detected!("avx2").then_some(Path::Avx2));
            all.extend(std::arch::is_x86_feature_detected!("avx512f").then_some(Path::Avx512));
        }
        all
    }
}

/// Lane sums of a block, one chunk per sample.
#[derive(Clone, Debug)]
pub struct Sums(pub [Line; CONTROL_TICKS]);

impl Sums {
    /// All zero.
    pub const ZERO: Self = Sums([Line::ZERO; CONTROL_TICKS]);

    /// The joined sum of one sample.
    pub fn join(&self, tick: usize) -> Real {
        join(&self.0[tick].0)
    }
}

/// Joins the lanes in the one fixed order.
#[inline(always)]
pub fn join(x: &Chunk) -> Real {
    ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]))
}

#[inline(always)]
fn step_body(
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

#[inline(always)]
fn held_body([d, p]: StateMut, [a, b, c, e, g, k]: [&[Line]; 6], force: Real) -> (Real, Real) {
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
fn stroke_body([q, p]: [&[Line]; 2], [qq, qp]: [&[Line]; 2], shape: &[Line]) -> Real {
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
fn dot_body(a: &[Line], b: &[Line]) -> Real {
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
fn flush_body(row: &mut [Line], below: Real) -> (bool, bool) {
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
        let table: [[Chunk; G]; 4] = table.map(|row| load(row, done));
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
fn ring_body(mut state: StateMut, table: [&[Line]; 4], late: bool, ticks: usize, sums: &mut Sums) {
    ring_groups::<PAIR>(&mut state, table, late, &mut sums.0[..ticks.min(CONTROL_TICKS)], 0);
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn ring_wide(mut state: StateMut, table: [&[Line]; 4], late: bool, ticks: usize, sums: &mut Sums) {
    let sums = &mut sums.0[..ticks.min(CONTROL_TICKS)];
    let done = ring_groups::<WIDE>(&mut state, table, late, sums, 0);
    ring_groups::<PAIR>(&mut state, table, late, sums, done);
}

/// Scaled velocities of one pair of chunks over a block, and one sample beyond.
pub type History = [[Chunk; PAIR]; CONTROL_TICKS + 1];

#[inline(always)]
fn history_body(state: StateMut, table: [&[Line]; 4], late: bool, ticks: usize, history: &mut History) {
    let ticks = ticks.min(CONTROL_TICKS);
    let (mut y1, mut y0): ([Chunk; PAIR], [Chunk; PAIR]) = (load(state[0], 0), load(state[1], 0));
    let table: [[Chunk; PAIR]; 4] = table.map(|row| load(row, 0));
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
fn gather_body(
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

/// The two kernels of sustained contact in explicit vectors: compilers pair the two columns of the state instead of the
/// lanes when left alone. Same operations in the same order as `step_body` and `held_body`.
#[cfg(target_arch = "x86_64")]
macro_rules! explicit {
    (
        $module:ident, $feature:literal, $vector:ident, $width:literal,
        $load:ident, $store:ident, $all:ident, $mul:ident, $add:ident
    ) => {
        mod $module {
            use super::{LANES, Line, Real, StateMut, join};
            use core::arch::x86_64::*;

            const PARTS: usize = LANES / $width;

            #[inline]
            #[target_feature(enable = $feature)]
            fn load(line: &Line, part: usize) -> $vector {
                // SAFETY: `part < PARTS`, so the read stays inside the line's eight numbers.
                unsafe { $load(line.0[part * $width..].as_ptr()) }
            }

            #[inline]
            #[target_feature(enable = $feature)]
            fn store(line: &mut Line, part: usize, value: $vector) {
                // SAFETY: `part < PARTS`, so the write stays inside the line's eight numbers.
                unsafe { $store(line.0[part * $width..].as_mut_ptr(), value) }
            }

            #[inline]
            #[target_feature(enable = $feature)]
            fn sum(parts: &[$vector; PARTS]) -> Real {
                let mut line = Line::ZERO;
                for part in 0..PARTS {
                    store(&mut line, part, parts[part]);
                }
                join(&line.0)
            }

            #[target_feature(enable = $feature)]
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
                let force = $all(force);
                let (mut stroke, mut speed) = ([$all(0.0); PARTS], [$all(0.0); PARTS]);
                for i in 0..n {
                    for part in 0..PARTS {
                        let f = $mul(load(&shape[i], part), force);
                        let (q0, p0) = (load(&q[i], part), load(&p[i], part));
                        let (a, b) = (load(&qq[i], part), load(&qp[i], part));
                        let dq = $add($add($mul(a, q0), $mul(b, p0)), $mul(load(&bq[i], part), f));
                        let dp = $add($mul(load(&pq[i], part), q0), $mul(load(&pp[i], part), p0));
                        let q1 = $add(q0, dq);
                        let p1 = $add(p0, $add(dp, $mul(load(&bp[i], part), f)));
                        store(&mut q[i], part, q1);
                        store(&mut p[i], part, p1);
                        let next = $add($mul(a, q1), $mul(b, p1));
                        stroke[part] = $add(stroke[part], $mul(load(&watch[i], part), next));
                        speed[part] = $add(speed[part], $mul(load(&tap[i], part), p1));
                    }
                }
                (sum(&stroke), sum(&speed))
            }

            #[target_feature(enable = $feature)]
            pub fn held([d, p]: StateMut, [a, b, c, e, g, k]: [&[Line]; 6], force: Real) -> (Real, Real) {
                let n = d.len();
                let p = &mut p[..n];
                let (a, b, c, e, g, k) = (&a[..n], &b[..n], &c[..n], &e[..n], &g[..n], &k[..n]);
                let force = $all(force);
                let (mut stroke, mut speed) = ([$all(0.0); PARTS], [$all(0.0); PARTS]);
                for i in 0..n {
                    for part in 0..PARTS {
                        let (d0, p0) = (load(&d[i], part), load(&p[i], part));
                        let d1 = $add($mul(load(&a[i], part), d0), $mul(load(&b[i], part), p0));
                        let p1 = $add($mul(load(&c[i], part), d0), $mul(load(&e[i], part), p0));
                        let d1 = $add(d1, $mul(load(&g[i], part), force));
                        let p1 = $add(p1, $mul(load(&k[i], part), force));
                        store(&mut d[i], part, d1);
                        store(&mut p[i], part, p1);
                        stroke[part] = $add(stroke[part], d1);
                        speed[part] = $add(speed[part], p1);
                    }
                }
                (sum(&stroke), sum(&speed))
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
explicit!(lanes4, "avx2", __m256d, 4, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_set1_pd, _mm256_mul_pd, _mm256_add_pd);
#[cfg(target_arch = "x86_64")]
explicit!(
    lanes8,
    "avx512f",
    __m512d,
    8,
    _mm512_loadu_pd,
    _mm512_storeu_pd,
    _mm512_set1_pd,
    _mm512_mul_pd,
    _mm512_add_pd
);

macro_rules! dispatch {
    (
        $(#[$meta:meta])* $name:ident, explicit, [$scalar:path, $body:path],
        ($($arg:ident : $type:ty),*) -> $out:ty
    ) => {
        $(#[$meta])*
        #[inline]
        pub fn $name(path: Path, $($arg: $type),*) -> $out {
            match path {
                Path::Scalar => $scalar($($arg),*),
                Path::Baseline => $body($($arg),*),
                // SAFETY: `Path::Avx2` is only made by `Path::all` after the CPU said it has AVX2.
                #[cfg(target_arch = "x86_64")]
                Path::Avx2 => unsafe { lanes4::$name($($arg),*) },
                // SAFETY: `Path::Avx512` is only made by `Path::all` after the CPU said it has AVX-512F.
                #[cfg(target_arch = "x86_64")]
                Path::Avx512 => unsafe { lanes8::$name($($arg),*) },
            }
        }
    };
    (
        $(#[$meta:meta])* $name:ident, $avx2:ident, $avx512:ident, [$scalar:path, $body:path, $wide:path],
        ($($arg:ident : $type:ty),*) -> $out:ty
    ) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn $avx2($($arg: $type),*) -> $out { $body($($arg),*) }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f")]
        fn $avx512($($arg: $type),*) -> $out { $wide($($arg),*) }

        $(#[$meta])*
        #[inline]
        pub fn $name(path: Path, $($arg: $type),*) -> $out {
            match path {
                Path::Scalar => $scalar($($arg),*),
                Path::Baseline => $body($($arg),*),
                // SAFETY: `Path::Avx2` is only made by `Path::all` after the CPU said it has AVX2.
                #[cfg(target_arch = "x86_64")]
                Path::Avx2 => unsafe { $avx2($($arg),*) },
                // SAFETY: `Path::Avx512` is only made by `Path::all` after the CPU said it has AVX-512F.
                #[cfg(target_arch = "x86_64")]
                Path::Avx512 => unsafe { $avx512($($arg),*) },
            }
        }
    };
}

dispatch! {
    /// One step of all modes under one force; returns the next free stroke of the watched shape (m) and the velocity
    /// of the tapped one (m/s). [modal.1]
    step, explicit, [scalar::step, step_body],
    (state: StateMut, table: [&[Line]; 6], shape: &[Line], force: Real, watch: &[Line], tap: &[Line]) -> (Real, Real)
}
dispatch! {
    /// One step in the held form; returns the next free stroke (m) and the velocity (m/s) of the held port. [modal.5]
    held, explicit, [scalar::held, held_body],
    (state: StateMut, table: [&[Line]; 6], force: Real) -> (Real, Real)
}
dispatch! {
    /// Free stroke of a shape in the coming step, m; the table's qq and qp. [modal.3]
    stroke, stroke_avx2, stroke_avx512, [scalar::stroke, stroke_body, stroke_body],
    (state: [&[Line]; 2], table: [&[Line]; 2], shape: &[Line]) -> Real
}
dispatch! {
    /// Sum of products.
    dot, dot_avx2, dot_avx512, [scalar::dot, dot_body, dot_body], (a: &[Line], b: &[Line]) -> Real
}
dispatch! {
    /// Sets what is smaller than `below` to zero; tells whether anything is left and whether all of it is finite.
    flush, flush_avx2, flush_avx512, [scalar::flush, flush_body, flush_body],
    (row: &mut [Line], below: Real) -> (bool, bool)
}
dispatch! {
    /// Free modes over a block: adds the scaled velocities of every sample to the lane sums. `late`: the block begins
    /// between an even and an odd sample. [modal.4]
    ring, ring_avx2, ring_avx512, [scalar::ring, ring_body, ring_wide],
    (state: StateMut, table: [&[Line]; 4], late: bool, ticks: usize, sums: &mut Sums) -> ()
}
dispatch! {
    /// One pair of chunks over a block, remembered for several readings. [modal.4]
    history, history_avx2, history_avx512, [scalar::history, history_body, history_body],
    (state: StateMut, table: [&[Line]; 4], late: bool, ticks: usize, history: &mut History) -> ()
}
dispatch! {
    /// Adds `now y[n] + ahead y[n+1]` (plain y[n] without weights) of a remembered pair to the lane sums, as [`ring`]
    /// would.
    gather, gather_avx2, gather_avx512, [scalar::gather, gather_body, gather_body],
    (history: &History, now: Option<&[Chunk; PAIR]>, ahead: Option<&[Chunk; PAIR]>, ticks: usize, sums: &mut Sums) -> ()
}

/// The twins: one mode after the other, in the order that the lanes define.
pub mod scalar {
    use super::{Chunk, History, LANES, Line, PAIR, StateMut, Sums, join};
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
            for tick in 0..=ticks {
                if at_odd {
                    (a, b) = (t * b - d * a, t2 * b - d2 * a);
                }
                history[tick][i / LANES][i % LANES] = if at_odd { a } else { b };
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn noise<const K: usize>(rng: &mut Rng, cells: usize) -> Rows<K> {
        let mut rows = Rows::zeros(cells);
        for i in 0..cells * LANES {
            (0..K).for_each(|row| rows.set(row, i, rng.normal()));
        }
        rows
    }

    fn bits(lines: &[Line]) -> impl Iterator<Item = u64> {
        lines.iter().flat_map(|line| line.0).map(|x| x.to_bits())
    }

    #[test]
    fn every_vector_kernel_gives_the_bits_of_its_scalar_twin() {
        let mut rng = Rng::new(3, "kernel");
        for n in [2, 6, 62, 64] {
            let (table, two, start): (Table, TwoStep, State) =
                (noise(&mut rng, n), noise(&mut rng, n), noise(&mut rng, n));
            let rows: [Row; 3] = core::array::from_fn(|_| noise(&mut rng, n));
            let [[a], [b], [c]] = rows.each_ref().map(|row| row.part(0, n));
            let (table, two) = (table.part(0, n), two.part(0, n));
            let mut seen: Option<Vec<u64>> = None;
            for path in Path::all() {
                let mut all = Vec::new();
                let mut state = start.clone();
                let (s, v) = step(path, state.part_mut(0, n), table, a, 0.7, b, c);
                all.extend([s.to_bits(), v.to_bits()]);
                let (s, v) = held(path, state.part_mut(0, n), table, 0.3);
                all.extend([s.to_bits(), v.to_bits()]);
                all.extend(state.part(0, n).into_iter().flat_map(bits));
                let [q, p] = start.part(0, n);
                all.push(stroke(path, [q, p], [table[0], table[1]], a).to_bits());
                all.push(dot(path, p, a).to_bits());
                let mut rest = q.to_vec();
                assert_eq!(flush(path, &mut rest, 0.5), (true, true));
                all.extend(bits(&rest));
                assert_eq!(flush(path, &mut rest, 100.0), (false, true));
                rest[1].0[3] = Real::NAN;
                assert_eq!(flush(path, &mut rest, 100.0), (true, false));
                for (late, ticks) in [(false, 7), (true, 7), (false, 8), (true, 1), (true, 32)] {
                    let (mut state, mut sums) = (start.clone(), Sums::ZERO);
                    ring(path, state.part_mut(0, n), two, late, ticks, &mut sums);
                    all.extend(bits(&sums.0).chain(state.part(0, n).into_iter().flat_map(bits)));

                    let (mut again, mut remembered) = (start.clone(), Sums::ZERO);
                    let mut past = [[[0.0; LANES]; PAIR]; CONTROL_TICKS + 1];
                    for at in (0..n).step_by(PAIR) {
                        let two = two.map(|row| &row[at..at + PAIR]);
                        history(path, again.part_mut(at, at + PAIR), two, late, ticks, &mut past);
                        gather(path, &past, None, None, ticks, &mut remembered);
                        let (now, ahead) = ([a[at].0, a[at + 1].0], [b[at].0, b[at + 1].0]);
                        let mut weighed = Sums::ZERO;
                        gather(path, &past, Some(&now), Some(&ahead), ticks, &mut weighed);
                        all.extend(bits(&weighed.0));
                    }
                    assert!(bits(&remembered.0).eq(bits(&sums.0)), "remembered and direct sums differ");
                    for (one, other) in again.part(0, n).into_iter().zip(state.part(0, n)) {
                        assert!(bits(one).eq(bits(other)), "remembered and direct states differ");
                    }
                }
                match &seen {
                    None => seen = Some(all),
                    Some(first) => assert!(*first == all, "{path:?} differs at {n} chunks"),
                }
            }
        }
    }
}
