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

/// `K` rows of lines in one piece of memory.
#[derive(Clone, Debug)]
struct Rows<const K: usize> {
    lines: Vec<Line>,
    /// Lines in use per row, and from row to row.
    len: usize,
    stride: usize,
}

impl<const K: usize> Rows<K> {
    fn zeros(len: usize) -> Self {
        // 9 lines past a multiple of 4 KiB (64 lines): six rows and the state all differ in their low address bits. Rows
        // that fit into 4 KiB together do so anyway, and a thousand small bodies want few pages.
        let stride = if K * len <= 64 { len } else { len + (64 + 9 - len % 64) % 64 };
        Self { lines: vec![Line::ZERO; K * stride], len, stride }
    }

    #[inline(always)]
    fn get(&self, row: usize, i: usize) -> Real {
        self.lines[row * self.stride + i / LANES].0[i % LANES]
    }

    #[inline(always)]
    fn set(&mut self, row: usize, i: usize, value: Real) {
        self.lines[row * self.stride + i / LANES].0[i % LANES] = value;
    }

    #[inline(always)]
    fn part(&self, from: usize, to: usize) -> [&[Line]; K] {
        core::array::from_fn(
            #[inline(always)]
            |row| &self.lines[row * self.stride + from..row * self.stride + to],
        )
    }

    #[inline(always)]
    fn part_mut(&mut self, from: usize, to: usize) -> [&mut [Line]; K] {
        let mut rest = &mut self.lines[..];
        core::array::from_fn(
            #[inline(always)]
            |_| {
                let (row, after) = core::mem::take(&mut rest).split_at_mut(self.stride);
                rest = after;
                &mut row[from..to]
            },
        )
    }
}

/// One value per mode.
#[derive(Clone, Debug)]
pub struct Row(Rows<1>);

impl Row {
    /// Zeros for `chunks` chunks of modes. `[control]`
    pub fn zeros(chunks: usize) -> Self {
        Self(Rows::zeros(chunks))
    }

    /// From a value per mode, whole chunks of them. `[control]`
    pub fn from_fn(chunks: usize, f: impl Fn(usize) -> Real) -> Self {
        let mut row = Self::zeros(chunks);
        (0..chunks * LANES).for_each(|i| row.set(i, f(i)));
        row
    }

    /// Value of mode `i`.
    #[inline(always)]
    pub fn at(&self, i: usize) -> Real {
        self.0.get(0, i)
    }

    /// Sets the value of mode `i`.
    #[inline(always)]
    pub fn set(&mut self, i: usize, value: Real) {
        self.0.set(0, i, value);
    }

    /// The chunks `from..to`.
    #[inline(always)]
    pub fn part(&self, from: usize, to: usize) -> &[Line] {
        let [row] = self.0.part(from, to);
        row
    }

    /// The same, to be written.
    #[inline(always)]
    pub fn part_mut(&mut self, from: usize, to: usize) -> &mut [Line] {
        let [row] = self.0.part_mut(from, to);
        row
    }
}

/// 0, 1, 2, ...
const fn numbers<const K: usize>() -> [usize; K] {
    let (mut numbers, mut i) = ([0; K], 0);
    while i < K {
        numbers[i] = i;
        i += 1;
    }
    numbers
}

/// Named values per mode: `$one` holds them, of one mode (`T` a number) or of many (`T` a row of lines), and `$all` keeps
/// them of every mode of a bank, one row per name.
macro_rules! named_rows {
    ($(#[$meta:meta])* $one:ident, $all:ident { $($(#[$doc:meta])* $name:ident,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $one<T = Real> { $($(#[$doc])* pub $name: T,)* }

        #[doc = concat!("[`", stringify!($one), "`] of every mode of a bank.")]
        #[derive(Clone, Debug)]
        pub struct $all(Rows<{ [$(stringify!($name)),*].len() }>);

        #[allow(dead_code, reason = "every table can be read by every name, and not every one is")]
        impl $all {
            /// The row in which each name is kept.
            const ROW: $one<usize> = {
                let [$($name),*] = numbers();
                $one { $($name),* }
            };

            /// Zeros for `chunks` chunks of modes. `[control]`
            pub fn zeros(chunks: usize) -> Self {
                Self(Rows::zeros(chunks))
            }

            /// Chunks of modes.
            #[inline(always)]
            pub fn chunks(&self) -> usize {
                self.0.len
            }

            /// The values of mode `i`.
            #[inline(always)]
            pub fn at(&self, i: usize) -> $one {
                $one { $($name: self.$name(i),)* }
            }

            $(
                #[doc = concat!("`", stringify!($name), "` of mode `i`.")]
                #[inline(always)]
                pub fn $name(&self, i: usize) -> Real {
                    self.0.get(Self::ROW.$name, i)
                }
            )*

            /// Sets the values of mode `i`.
            #[inline(always)]
            pub fn set(&mut self, i: usize, values: $one) {
                $(self.0.set(Self::ROW.$name, i, values.$name);)*
            }

            /// The chunks `from..to` of every row.
            #[inline(always)]
            pub fn part(&self, from: usize, to: usize) -> $one<&[Line]> {
                let [$($name),*] = self.0.part(from, to);
                $one { $($name),* }
            }

            /// The chunks `from..to` of every row, to be written.
            #[inline(always)]
            pub fn part_mut(&mut self, from: usize, to: usize) -> $one<&mut [Line]> {
                let [$($name),*] = self.0.part_mut(from, to);
                $one { $($name),* }
            }
        }
    };
}

named_rows! {
    /// What moves of a mode: displacement, m, and velocity, m/s. In the free form the later and the earlier of two velocities,
    /// in the held form stroke and velocity, both scaled by a port's shape.
    State, States { q, p, }
}
named_rows! {
    /// Coefficients of one step: [modal.1], made by [modal.2].
    Step, Steps {
        /// Change of displacement by displacement, 1.
        qq,
        /// Change of displacement by velocity, s.
        qp,
        /// Change of velocity by displacement, 1/s.
        pq,
        /// Change of velocity by velocity, 1.
        pp,
        /// Change of displacement by modal force, m/N.
        bq,
        /// Change of velocity by modal force, m/(N s).
        bp,
    }
}
named_rows! {
    /// Coefficients of the two-pole recursion, one sample and two samples on: [modal.4].
    TwoPole, TwoPoles {
        /// T
        trace,
        /// D
        det,
        /// T^2 - D
        trace_2,
        /// T D
        det_2,
    }
}
named_rows! {
    /// Where a mode stands that is being retuned by rotation: [course.1].
    Angle, Angles {
        /// Sine and cosine of half the angle per step.
        sin, cos,
        /// Part of the amplitude lost in a step.
        lost,
        /// Undamped frequency, rad/s.
        omega,
    }
}
named_rows! {
    /// How such a mode goes on, from sample to sample: [course.1].
    Turn, Turns {
        /// Sine and 1 - cosine of the way of half the angle per sample.
        by_sin, by_versine,
        /// What is lost more in every next step.
        by_lost,
        /// Ringing frequency at the beginning of the course and its whole way, rad/s.
        w, w_way,
        /// Decay rate likewise, 1/s.
        sigma, sigma_way,
        /// 1/kg
        over_mass,
        /// 1 for a mode that turns, 0 for one that does not.
        turns,
    }
}

/// Eight modes in the coordinates of a held port, [modal.5], with all that a step of them needs side by side.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Part of the coming stroke, m, and velocity, m/s, as they would be without the last force.
    pub t: Line,
    pub u: Line,
    /// Coefficients of their step.
    pub a: Line,
    pub b: Line,
    pub c: Line,
    pub e: Line,
    pub g: Line,
    pub k: Line,
}

impl Held {
    /// All zero.
    pub const ZERO: Self = {
        let z = Line::ZERO;
        Held { t: z, u: z, a: z, b: z, c: z, e: z, g: z, k: z }
    };
}

/// Part of a state, to be stepped.
pub type StateMut<'a> = State<&'a mut [Line]>;

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

/// Displacements and velocities of one chunk after every sample of a block.
pub type Past = State<[Line; CONTROL_TICKS]>;

/// A kernel in all its builds. The last one of those that say so keeps to "avx2": given 512 bits, compilers turn the loop about and gather
/// and scatter the lanes of many samples, at a multiple of the cost.
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
        $(#[$meta:meta])* $name:ident, $avx2:ident, $avx512:ident $most:literal, [$scalar:path, $body:path, $wide:path],
        ($($arg:ident : $type:ty),*) -> $out:ty
    ) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn $avx2($($arg: $type),*) -> $out { $body($($arg),*) }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $most)]
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
                // SAFETY: `Path::Avx512` is only made by `Path::all` after the CPU said it has AVX-512F, with which AVX2 comes.
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
    (state: StateMut, step: Step<&[Line]>, shape: &[Line], force: Real, watch: &[Line], tap: &[Line]) -> (Real, Real)
}
dispatch! {
    /// One step in the held form under the last force; returns what the coming force adds to: the held port's stroke after
    /// the coming one (m) and its next velocity (m/s). [modal.6]
    held, explicit, [scalar::held, lanes::held], (modes: &mut [Held], last_force: Real) -> (Real, Real)
}
dispatch! {
    /// Sum of the velocities of held modes after the last force, and of others after them, by weights.
    held_sum, held_sum_avx2, held_sum_avx512 "avx512f", [scalar::held_sum, lanes::held_sum, lanes::held_sum],
    (modes: &[Held], last_force: Real, weights: &[Line], others: &[Line], their_weights: &[Line]) -> Real
}
dispatch! {
    /// Free stroke of a shape in the coming step, m. [modal.3]
    stroke, stroke_avx2, stroke_avx512 "avx512f", [scalar::stroke, lanes::stroke, lanes::stroke],
    (state: State<&[Line]>, step: Step<&[Line]>, shape: &[Line]) -> Real
}
dispatch! {
    /// Sum of products.
    dot, dot_avx2, dot_avx512 "avx512f", [scalar::dot, lanes::dot, lanes::dot], (a: &[Line], b: &[Line]) -> Real
}
dispatch! {
    /// Sets what is smaller than `below` to zero; tells whether anything is left and whether all of it is finite.
    flush, flush_avx2, flush_avx512 "avx2", [scalar::flush, lanes::flush, lanes::flush],
    (row: &mut [Line], below: Real) -> (bool, bool)
}
dispatch! {
    /// Free modes over a block: adds the scaled velocities of every sample to the lane sums. `late`: the block begins
    /// between an even and an odd sample. [modal.4]
    ring, ring_avx2, ring_avx512 "avx512f", [scalar::ring, lanes::ring, lanes::ring_wide],
    (state: StateMut, recursion: TwoPole<&[Line]>, late: bool, ticks: usize, sums: &mut Sums) -> ()
}
dispatch! {
    /// One pair of chunks over a block, remembered for several readings. [modal.4]
    history, history_avx2, history_avx512 "avx512f", [scalar::history, lanes::history, lanes::history],
    (state: StateMut, recursion: TwoPole<&[Line]>, late: bool, ticks: usize, history: &mut History) -> ()
}
dispatch! {
    /// Adds `now y[n] + ahead y[n+1]` (plain y[n] without weights) of a remembered pair to the lane sums, as [`ring`]
    /// would.
    gather, gather_avx2, gather_avx512 "avx2", [scalar::gather, lanes::gather, lanes::gather],
    (history: &History, now: Option<&[Chunk; PAIR]>, ahead: Option<&[Chunk; PAIR]>, ticks: usize, sums: &mut Sums) -> ()
}

dispatch! {
    /// Retunes the modes that turn, to a part `done` of their way: what is kept of their displacements `q`, and the
    /// coefficients of their step. [course.1]
    turn, turn_avx2, turn_avx512 "avx512f", [scalar::turn, lanes::turn, lanes::turn],
    (angle: Angle<&mut [Line]>, turn: Turn<&[Line]>, done: Real, q: &mut [Line], step: Step<&mut [Line]>) -> ()
}

dispatch! {
    /// One chunk of modes through free samples, each of which ends with a turn to the part of their way that `done` says, or with
    /// none where that is no number: what [`step`] and [`turn`] do one after the other, without a way to memory and back.
    /// Remembers how they moved. [modal.1], [course.1]
    ring_turning, ring_turning_avx2, ring_turning_avx512 "avx512f",
    [scalar::ring_turning, lanes::ring_turning, lanes::ring_turning_wide],
    (state: StateMut, angle: Angle<&mut [Line]>, turn: Turn<&[Line]>, step: Step<&mut [Line]>, done: &[Real], past: &mut Past) -> ()
}
dispatch! {
    /// Adds what is heard of a remembered chunk to the lane sums: by its shape `now`, or where `left` is left of the shape `before`,
    /// in between. [morph.4]
    hear, hear_avx2, hear_avx512 "avx2", [scalar::hear, lanes::hear, lanes::hear],
    (past: &[Line], now: &Line, before: Option<&Line>, left: &[Real], sums: &mut [Line]) -> ()
}

/// One mode of [`turn`]: where it stands now, what is kept of its displacement, its step. [course.1]
#[inline(always)]
fn turned(angle: Angle, turn: Turn, done: Real) -> (Angle, Real, Step) {
    let Angle { sin, cos, lost, omega } = angle;
    let Turn { by_sin, by_versine, by_lost, w, w_way, sigma, sigma_way, over_mass, .. } = turn;
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
    let (pq, pp) = (-square * s, qq - 2.0 * sigma * s);
    let step = Step { qq, qp: s, pq, pp, bq: integral * over_mass, bp: s * over_mass };
    (Angle { sin, cos, lost, omega: omega1 }, kept, step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Fills a table's rows with noise, mode by mode.
    fn noise<const K: usize>(rng: &mut Rng, chunks: usize) -> Rows<K> {
        let mut rows = Rows::zeros(chunks);
        for i in 0..chunks * LANES {
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
            let steps = Steps(noise(&mut rng, n));
            let chunks: Rows<8> = noise(&mut rng, n);
            let held_modes: Vec<Held> = (0..n)
                .map(|i| {
                    let [t, u, a, b, c, e, g, k] = chunks.part(i, i + 1).map(|row| row[0]);
                    Held { t, u, a, b, c, e, g, k }
                })
                .collect();
            let (two_poles, start) = (TwoPoles(noise(&mut rng, n)), States(noise(&mut rng, n)));
            let (angles, mut turns) = (Angles(noise(&mut rng, n)), Turns(noise(&mut rng, n)));
            // In one chunk all of them turn.
            (LANES..n * LANES).for_each(|i| turns.set(i, Turn { turns: (i % 3) as Real, ..turns.at(i) }));
            let rows: [Row; 3] = core::array::from_fn(|_| Row(noise(&mut rng, n)));
            let [a, b, c] = rows.each_ref().map(|row| row.part(0, n));
            let mut seen: Option<Vec<u64>> = None;
            for path in Path::all() {
                let mut all = Vec::new();
                let mut state = start.clone();
                let (s, v) = step(path, state.part_mut(0, n), steps.part(0, n), a, 0.7, b, c);
                all.extend([s.to_bits(), v.to_bits()]);
                let mut modes = held_modes.clone();
                let (s, v) = held(path, &mut modes, 0.3);
                all.extend([s.to_bits(), v.to_bits(), held_sum(path, &modes, 0.8, a, b, c).to_bits()]);
                all.extend(modes.iter().flat_map(|modes| bits(&[modes.t, modes.u]).collect::<Vec<_>>()));
                all.extend(state.0.part(0, n).into_iter().flat_map(bits));
                all.push(stroke(path, start.part(0, n), steps.part(0, n), a).to_bits());
                all.push(dot(path, start.part(0, n).p, a).to_bits());
                let mut rest = start.part(0, n).q.to_vec();
                assert_eq!(flush(path, &mut rest, 0.5), (true, true));
                all.extend(bits(&rest));
                assert_eq!(flush(path, &mut rest, 100.0), (false, true));
                rest[1].0[3] = Real::NAN;
                assert_eq!(flush(path, &mut rest, 100.0), (true, false));
                let (mut turning, mut made) = (angles.clone(), Steps::zeros(n));
                turn(path, turning.part_mut(0, n), turns.part(0, n), 0.4, &mut rest, made.part_mut(0, n));
                all.extend(turning.0.part(0, n).into_iter().chain(made.0.part(0, n)).flat_map(bits));
                let (mut turning, mut made, mut state) = (angles.clone(), steps.clone(), start.clone());
                let mut past = State { q: [Line::ZERO; CONTROL_TICKS], p: [Line::ZERO; CONTROL_TICKS] };
                for (i, done) in [0, 1].into_iter().zip([[0.1, Real::NAN, 0.2], [0.3, 0.4, Real::NAN]]) {
                    let (on, by) = (turning.part_mut(i, i + 1), turns.part(i, i + 1));
                    ring_turning(path, state.part_mut(i, i + 1), on, by, made.part_mut(i, i + 1), &done, &mut past);
                    let mut sums = Sums::ZERO;
                    hear(path, &past.q[..3], &a[i], Some(&b[i]), &[0.9, 0.5, 0.0], &mut sums.0[..3]);
                    hear(path, &past.p[..3], &c[i], None, &[0.0; 3], &mut sums.0[2..5]);
                    all.extend(bits(&past.q[..3]).chain(bits(&past.p[..3])).chain(bits(&sums.0)));
                }
                all.extend(turning.0.part(0, 2).into_iter().chain(made.0.part(0, 2)).flat_map(bits));
                all.extend(state.0.part(0, 2).into_iter().flat_map(bits));
                for (late, ticks) in [(false, 7), (true, 7), (false, 8), (true, 1), (true, 32)] {
                    let (mut state, mut sums) = (start.clone(), Sums::ZERO);
                    ring(path, state.part_mut(0, n), two_poles.part(0, n), late, ticks, &mut sums);
                    all.extend(bits(&sums.0).chain(state.0.part(0, n).into_iter().flat_map(bits)));

                    let (mut again, mut remembered) = (start.clone(), Sums::ZERO);
                    let mut past = [[[0.0; LANES]; PAIR]; CONTROL_TICKS + 1];
                    for at in (0..n).step_by(PAIR) {
                        let two_pole = two_poles.part(at, at + PAIR);
                        history(path, again.part_mut(at, at + PAIR), two_pole, late, ticks, &mut past);
                        gather(path, &past, None, None, ticks, &mut remembered);
                        let (now, ahead) = ([a[at].0, a[at + 1].0], [b[at].0, b[at + 1].0]);
                        let mut weighed = Sums::ZERO;
                        gather(path, &past, Some(&now), Some(&ahead), ticks, &mut weighed);
                        all.extend(bits(&weighed.0));
                    }
                    assert!(bits(&remembered.0).eq(bits(&sums.0)), "remembered and direct sums differ");
                    for (one, other) in again.0.part(0, n).into_iter().zip(state.0.part(0, n)) {
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
