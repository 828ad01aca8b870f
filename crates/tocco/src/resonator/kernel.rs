// SPDX-License-Identifier: MIT OR Apache-2.0
//! The only vector code: modal steps over eight fixed lanes.
//!
//! Every loop is plain Rust over chunks of eight; sums keep eight partial sums and join them in one fixed order, and no
//! multiply-add is fused, so scalar, baseline, AVX2, AVX-512 and WASM builds give the same bits. The AVX versions are
//! the same source compiled with that feature and chosen at run time; `scalar` is the twin they are tested equal to.
//!
//! Rows of coefficients begin on cache lines, and the distance between rows keeps away from multiples of 4 KiB: a store
//! that shares the low address bits of the next loads would make them wait.

#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
mod explicit;
mod lanes;
pub mod scalar;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::CONTROL_TICKS;
use crate::math::Real;

/// Lanes of a sum.
pub const LANES: usize = 8;
/// Chunks whose outputs the free kernel adds before they join the sum.
pub const PAIR: usize = 2;

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

impl<const K: usize> Rows<K> {
    /// Every row, to be written.
    #[inline(always)]
    pub fn rows_mut(&mut self) -> [&mut [Line]; K] {
        let mut rows = self.lines.chunks_mut(self.stride.max(1));
        core::array::from_fn(
            #[inline(always)]
            |_| &mut rows.next().unwrap_or_default()[..self.len],
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
}

/// Joins the lanes in the one fixed order.
#[inline(always)]
pub fn join(x: &Chunk) -> Real {
    ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]))
}

/// Scaled velocities of one pair of chunks over a block, and one sample beyond.
pub type History = [[Chunk; PAIR]; CONTROL_TICKS + 1];

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
                #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
                Path::Baseline => wasm::lanes2::$name($($arg),*),
                #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
                Path::Baseline => $body($($arg),*),
                // SAFETY: `Path::Avx2` is only made by `Path::all` after the CPU said it has AVX2.
                #[cfg(target_arch = "x86_64")]
                Path::Avx2 => unsafe { x86::lanes4::$name($($arg),*) },
                // SAFETY: `Path::Avx512` is only made by `Path::all` after the CPU said it has AVX-512F.
                #[cfg(target_arch = "x86_64")]
                Path::Avx512 => unsafe { x86::lanes8::$name($($arg),*) },
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
    step, explicit, [scalar::step, lanes::step],
    (state: StateMut, table: [&[Line]; 6], shape: &[Line], force: Real, watch: &[Line], tap: &[Line]) -> (Real, Real)
}
dispatch! {
    /// One step in the held form; returns the next free stroke (m) and the velocity (m/s) of the held port. [modal.5]
    held, explicit, [scalar::held, lanes::held],
    (state: StateMut, table: [&[Line]; 6], force: Real) -> (Real, Real)
}
dispatch! {
    /// Free stroke of a shape in the coming step, m; the table's qq and qp. [modal.3]
    stroke, stroke_avx2, stroke_avx512, [scalar::stroke, lanes::stroke, lanes::stroke],
    (state: [&[Line]; 2], table: [&[Line]; 2], shape: &[Line]) -> Real
}
dispatch! {
    /// Sum of products.
    dot, dot_avx2, dot_avx512, [scalar::dot, lanes::dot, lanes::dot], (a: &[Line], b: &[Line]) -> Real
}
dispatch! {
    /// Sets what is smaller than `below` to zero; tells whether anything is left and whether all of it is finite.
    flush, flush_avx2, flush_avx512, [scalar::flush, lanes::flush, lanes::flush],
    (row: &mut [Line], below: Real) -> (bool, bool)
}
dispatch! {
    /// Free modes over a block: adds the scaled velocities of every sample to the lane sums. `late`: the block begins
    /// between an even and an odd sample. [modal.4]
    ring, ring_avx2, ring_avx512, [scalar::ring, lanes::ring, lanes::ring_wide],
    (state: StateMut, table: [&[Line]; 4], late: bool, ticks: usize, sums: &mut Sums) -> ()
}
dispatch! {
    /// One pair of chunks over a block, remembered for several readings. [modal.4]
    history, history_avx2, history_avx512, [scalar::history, lanes::history, lanes::history],
    (state: StateMut, table: [&[Line]; 4], late: bool, ticks: usize, history: &mut History) -> ()
}
dispatch! {
    /// Adds `now y[n] + ahead y[n+1]` (plain y[n] without weights) of a remembered pair to the lane sums, as [`ring`]
    /// would.
    gather, gather_avx2, gather_avx512, [scalar::gather, lanes::gather, lanes::gather],
    (history: &History, now: Option<&[Chunk; PAIR]>, ahead: Option<&[Chunk; PAIR]>, ticks: usize, sums: &mut Sums) -> ()
}

dispatch! {
    /// Retunes the modes that turn, to a part `done` of their way: what is kept of their displacements, and their table.
    /// `now`: sine and cosine of half the angle, what is lost in a step, omega; `plan`: how the first three go on, w
    /// and sigma with their ways, 1/mass, and 1 for modes that turn. [course.1]
    turn, turn_avx2, turn_avx512, [scalar::turn, lanes::turn, lanes::turn],
    (now: [&mut [Line]; 4], plan: [&[Line]; 9], done: Real, q: &mut [Line], table: [&mut [Line]; 6]) -> ()
}

/// One mode of [`turn`]: sine, cosine, lost, omega; what is kept of its displacement; its row of the table. [course.1]
#[inline(always)]
fn turned(now: [Real; 4], by: [Real; 3], on: [Real; 5], done: Real) -> ([Real; 4], Real, [Real; 6]) {
    let ([sin, cos, lost, omega], [by_sin, by_versine, by_lost]) = (now, by);
    let [w, w_way, sigma, sigma_way, over_mass] = on;
    // As what is added, so that a small sine keeps its digits.
    let (sin, cos) = (sin + (cos * by_sin - sin * by_versine), cos - (sin * by_sin + cos * by_versine));
    let lost = lost + (1.0 - lost) * by_lost;
    let (w, sigma) = (w + w_way * done, sigma + sigma_way * done);
    let square = w * w + sigma * sigma;
    let over = 1.0 / (w * square); // one division for 1/w and 1/omega^2
    let gone = 2.0 * sin * sin;
    let s = (1.0 - lost) * 2.0 * sin * cos * (over * square);
    let integral = (gone + lost * (1.0 - gone) - sigma * s) * (over * w);
    let omega1 = square.sqrt();
    let kept = omega * omega1 * (over * w); // [morph.3]
    let qq = -square * integral;
    let row = [qq, s, -square * s, qq - 2.0 * sigma * s, integral * over_mass, s * over_mass];
    ([sin, cos, lost, omega1], kept, row)
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
            let (angles, mut plan): (Rows<4>, Rows<9>) = (noise(&mut rng, n), noise(&mut rng, n));
            (0..n * LANES).for_each(|i| plan.set(8, i, (i % 3) as Real));
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
                let (mut turning, mut made) = (angles.clone(), Table::zeros(n));
                turn(path, turning.rows_mut(), plan.part(0, n), 0.4, &mut rest, made.rows_mut());
                all.extend(turning.part(0, n).into_iter().chain(made.part(0, n)).flat_map(bits));
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
