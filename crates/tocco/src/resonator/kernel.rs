// SPDX-License-Identifier: MIT OR Apache-2.0
//! The only vector code: modal steps over eight fixed lanes.
//!
//! Every loop is plain Rust over chunks of eight; sums keep eight partial sums and join them in one fixed order, and no
//! multiply-add is fused, so scalar, baseline, AVX2 and WASM builds give the same bits. The AVX2 versions are the same
//! source compiled with that feature and chosen at run time; `scalar` is the twin they are tested equal to.

use super::CONTROL_TICKS;
use crate::math::Real;

/// Lanes of a sum.
pub const LANES: usize = 8;
/// Modes handled together by the free kernel: two chunks of lanes.
pub const PAIR: usize = 2 * LANES;

type Chunk = [Real; LANES];

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
}

impl Path {
    /// The fastest path of this machine. `[control]`
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Path::Avx2;
        }
        Path::Baseline
    }
}

/// Coefficients of one step length, one entry per mode (padded with zeros).
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Change of q per q, [modal.2].
    pub qq: Vec<Real>,
    /// Change of q per p, s.
    pub qp: Vec<Real>,
    /// Change of p per q, 1/s^2 times s.
    pub pq: Vec<Real>,
    /// Change of p per p.
    pub pp: Vec<Real>,
    /// q per newton, m/N.
    pub bq: Vec<Real>,
    /// p per newton, m/(s N).
    pub bp: Vec<Real>,
}

/// Joins the lanes in the one fixed order.
#[inline(always)]
pub fn join(x: &Chunk) -> Real {
    ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]))
}

#[inline(always)]
fn chunks(x: &[Real]) -> &[Chunk] {
    x.as_chunks::<LANES>().0
}

#[inline(always)]
fn chunks_mut(x: &mut [Real]) -> &mut [Chunk] {
    x.as_chunks_mut::<LANES>().0
}

/// Where a step's force on the modes comes from.
#[derive(Clone, Copy)]
pub enum Force<'a> {
    /// One port: its shape times this force, N.
    Port(&'a [Real], Real),
    /// Already gathered per mode, N.
    Gathered(&'a [Real]),
}

#[inline(always)]
fn step_body(q: &mut [Real], p: &mut [Real], t: &Table, force: Force, watch: &[Real], tap: &[Real]) -> (Real, Real) {
    let (shape, scale) = match force {
        Force::Port(shape, force) => (shape, force),
        Force::Gathered(gathered) => (gathered, 1.0),
    };
    let n = q.len() / LANES;
    let (q, p) = (&mut chunks_mut(q)[..n], &mut chunks_mut(p)[..n]);
    let (qq, qp) = (&chunks(&t.qq)[..n], &chunks(&t.qp)[..n]);
    let (pq, pp) = (&chunks(&t.pq)[..n], &chunks(&t.pp)[..n]);
    let (bq, bp) = (&chunks(&t.bq)[..n], &chunks(&t.bp)[..n]);
    let (shape, watch, tap) = (&chunks(shape)[..n], &chunks(watch)[..n], &chunks(tap)[..n]);
    let (mut stroke, mut speed) = ([0.0; LANES], [0.0; LANES]);
    for i in 0..n {
        for l in 0..LANES {
            let f = shape[i][l] * scale;
            let (q0, p0) = (q[i][l], p[i][l]);
            let q1 = q0 + ((qq[i][l] * q0 + qp[i][l] * p0) + bq[i][l] * f);
            let p1 = p0 + ((pq[i][l] * q0 + pp[i][l] * p0) + bp[i][l] * f);
            q[i][l] = q1;
            p[i][l] = p1;
            stroke[l] += watch[i][l] * (qq[i][l] * q1 + qp[i][l] * p1);
            speed[l] += tap[i][l] * p1;
        }
    }
    (join(&stroke), join(&speed))
}

#[inline(always)]
fn stroke_body(q: &[Real], p: &[Real], t: &Table, shape: &[Real]) -> Real {
    let n = q.len() / LANES;
    let (q, p) = (&chunks(q)[..n], &chunks(p)[..n]);
    let (qq, qp, shape) = (&chunks(&t.qq)[..n], &chunks(&t.qp)[..n], &chunks(shape)[..n]);
    let mut sum = [0.0; LANES];
    for i in 0..n {
        for l in 0..LANES {
            sum[l] += shape[i][l] * (qq[i][l] * q[i][l] + qp[i][l] * p[i][l]);
        }
    }
    join(&sum)
}

#[inline(always)]
fn dot_body(a: &[Real], b: &[Real]) -> Real {
    let n = a.len() / LANES;
    let (a, b) = (&chunks(a)[..n], &chunks(b)[..n]);
    let mut sum = [0.0; LANES];
    for i in 0..n {
        for l in 0..LANES {
            sum[l] += a[i][l] * b[i][l];
        }
    }
    join(&sum)
}

/// The two-pole form of a free mode: `y0`, `y1` are its velocity now and one sample on, [modal.4].
pub struct TwoPole<'a> {
    /// Velocity now, m/s.
    pub y0: &'a mut [Real],
    /// Velocity one sample on, m/s.
    pub y1: &'a mut [Real],
    /// Trace of the step matrix.
    pub trace: &'a [Real],
    /// Determinant of the step matrix.
    pub det: &'a [Real],
}

/// Lane sums of a block, one chunk per sample.
pub type Sums = [Chunk; CONTROL_TICKS];

#[inline(always)]
fn ring_body(m: &mut TwoPole, weight: &[Real], ticks: usize, sums: &mut Sums) {
    let sums = &mut sums[..ticks.min(CONTROL_TICKS)];
    let modes = m.y0.len() / PAIR;
    for i in 0..modes {
        let at = i * PAIR..(i + 1) * PAIR;
        let load = |x: &[Real]| -> [Real; PAIR] { core::array::from_fn(|l| x[l]) };
        let (mut y0, mut y1) = (load(&m.y0[at.clone()]), load(&m.y1[at.clone()]));
        let (trace, det) = (load(&m.trace[at.clone()]), load(&m.det[at.clone()]));
        let weight = load(&weight[at.clone()]);
        for sum in sums.iter_mut() {
            let mut next = [0.0; PAIR];
            for l in 0..PAIR {
                next[l] = trace[l] * y1[l] - det[l] * y0[l];
            }
            y0 = y1;
            y1 = next;
            for l in 0..LANES {
                sum[l] += weight[l] * y0[l] + weight[l + LANES] * y0[l + LANES];
            }
        }
        m.y0[at.clone()].copy_from_slice(&y0);
        m.y1[at].copy_from_slice(&y1);
    }
}

/// Velocities of one pair of chunks over a block and one sample beyond.
pub type History = [[Real; PAIR]; CONTROL_TICKS + 1];

#[inline(always)]
fn history_body(m: &mut TwoPole, pair: usize, ticks: usize, history: &mut History) {
    let ticks = ticks.min(CONTROL_TICKS);
    let at = pair * PAIR..(pair + 1) * PAIR;
    let load = |x: &[Real]| -> [Real; PAIR] { core::array::from_fn(|l| x[l]) };
    let (mut y0, mut y1) = (load(&m.y0[at.clone()]), load(&m.y1[at.clone()]));
    let (trace, det) = (load(&m.trace[at.clone()]), load(&m.det[at.clone()]));
    for row in &mut history[..ticks] {
        *row = y1;
        let mut next = [0.0; PAIR];
        for l in 0..PAIR {
            next[l] = trace[l] * y1[l] - det[l] * y0[l];
        }
        y0 = y1;
        y1 = next;
    }
    history[ticks] = y1;
    m.y0[at.clone()].copy_from_slice(&y0);
    m.y1[at].copy_from_slice(&y1);
}

#[inline(always)]
fn gather_body(history: &History, now: &[Real; PAIR], ahead: Option<&[Real; PAIR]>, ticks: usize, sums: &mut Sums) {
    for (tick, sum) in sums[..ticks.min(CONTROL_TICKS)].iter_mut().enumerate() {
        let (y0, y1) = (&history[tick], &history[tick + 1]);
        for l in 0..LANES {
            let j = l + LANES;
            sum[l] += match ahead {
                None => now[l] * y0[l] + now[j] * y0[j],
                Some(ahead) => (now[l] * y0[l] + ahead[l] * y1[l]) + (now[j] * y0[j] + ahead[j] * y1[j]),
            };
        }
    }
}

macro_rules! dispatch {
    ($(#[$meta:meta])* $name:ident, $avx2:ident, $scalar:path, $body:ident, ($($arg:ident : $type:ty),*) -> $out:ty) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn $avx2($($arg: $type),*) -> $out { $body($($arg),*) }

        $(#[$meta])*
        #[inline]
        pub fn $name(path: Path, $($arg: $type),*) -> $out {
            match path {
                Path::Scalar => $scalar($($arg),*),
                Path::Baseline => $body($($arg),*),
                // SAFETY: `Path::Avx2` is only made by `Path::detect` after the CPU said it has AVX2 (tests ask too).
                #[cfg(target_arch = "x86_64")]
                Path::Avx2 => unsafe { $avx2($($arg),*) },
            }
        }
    };
}

dispatch! {
    /// One step of all modes under one force; returns the next free stroke of the watched shape (m) and the velocity
    /// of the tapped one (m/s). [modal.1]
    step, step_avx2, scalar::step, step_body,
    (q: &mut [Real], p: &mut [Real], t: &Table, force: Force, watch: &[Real], tap: &[Real]) -> (Real, Real)
}
dispatch! {
    /// Free stroke of a shape in the coming step, m. [modal.3]
    stroke, stroke_avx2, scalar::stroke, stroke_body, (q: &[Real], p: &[Real], t: &Table, shape: &[Real]) -> Real
}
dispatch! {
    /// Sum of products.
    dot, dot_avx2, scalar::dot, dot_body, (a: &[Real], b: &[Real]) -> Real
}
dispatch! {
    /// Free modes over a block: adds `weight * y` of every sample to the lane sums. [modal.4]
    ring, ring_avx2, scalar::ring, ring_body, (m: &mut TwoPole, weight: &[Real], ticks: usize, sums: &mut Sums) -> ()
}

dispatch! {
    /// One pair of chunks over a block, remembered for several readings. [modal.4]
    history, history_avx2, history_body, history_body,
    (m: &mut TwoPole, pair: usize, ticks: usize, history: &mut History) -> ()
}
dispatch! {
    /// Adds `now y[n] + ahead y[n+1]` of a remembered pair to the lane sums, as [`ring`] would.
    gather, gather_avx2, gather_body, gather_body,
    (history: &History, now: &[Real; PAIR], ahead: Option<&[Real; PAIR]>, ticks: usize, sums: &mut Sums) -> ()
}

/// The twins: one mode after the other, in the order that the lanes define.
pub mod scalar {
    use super::{Force, LANES, PAIR, Sums, Table, TwoPole, join};
    use crate::math::Real;

    /// Twin of [`super::step`].
    pub fn step(q: &mut [Real], p: &mut [Real], t: &Table, force: Force, watch: &[Real], tap: &[Real]) -> (Real, Real) {
        let (mut stroke, mut speed) = ([0.0; LANES], [0.0; LANES]);
        for i in 0..q.len() {
            let f = match force {
                Force::Port(shape, force) => shape[i] * force,
                Force::Gathered(gathered) => gathered[i],
            };
            let (q0, p0) = (q[i], p[i]);
            q[i] = q0 + ((t.qq[i] * q0 + t.qp[i] * p0) + t.bq[i] * f);
            p[i] = p0 + ((t.pq[i] * q0 + t.pp[i] * p0) + t.bp[i] * f);
            stroke[i % LANES] += watch[i] * (t.qq[i] * q[i] + t.qp[i] * p[i]);
            speed[i % LANES] += tap[i] * p[i];
        }
        (join(&stroke), join(&speed))
    }

    /// Twin of [`super::stroke`].
    pub fn stroke(q: &[Real], p: &[Real], t: &Table, shape: &[Real]) -> Real {
        let mut sum = [0.0; LANES];
        for i in 0..q.len() {
            sum[i % LANES] += shape[i] * (t.qq[i] * q[i] + t.qp[i] * p[i]);
        }
        join(&sum)
    }

    /// Twin of [`super::dot`].
    pub fn dot(a: &[Real], b: &[Real]) -> Real {
        let mut sum = [0.0; LANES];
        for i in 0..a.len() {
            sum[i % LANES] += a[i] * b[i];
        }
        join(&sum)
    }

    /// Twin of [`super::ring`].
    pub fn ring(m: &mut TwoPole, weight: &[Real], ticks: usize, sums: &mut Sums) {
        for sum in sums.iter_mut().take(ticks) {
            for i in 0..m.y0.len() {
                let next = m.trace[i] * m.y1[i] - m.det[i] * m.y0[i];
                m.y0[i] = m.y1[i];
                m.y1[i] = next;
            }
            for first in (0..m.y0.len()).step_by(PAIR) {
                for (l, lane) in sum.iter_mut().enumerate() {
                    let (i, j) = (first + l, first + l + LANES);
                    *lane += weight[i] * m.y0[i] + weight[j] * m.y0[j];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn paths() -> Vec<Path> {
        let mut all = vec![Path::Scalar, Path::Baseline];
        if Path::detect() != Path::Baseline {
            all.push(Path::detect());
        }
        all
    }

    fn noise(rng: &mut Rng, n: usize) -> Vec<Real> {
        (0..n).map(|_| rng.normal()).collect()
    }

    #[test]
    fn every_vector_kernel_gives_the_bits_of_its_scalar_twin() {
        let mut rng = Rng::new(3, "kernel");
        for n in [16, 48, 512] {
            let t = Table {
                qq: noise(&mut rng, n),
                qp: noise(&mut rng, n),
                pq: noise(&mut rng, n),
                pp: noise(&mut rng, n),
                bq: noise(&mut rng, n),
                bp: noise(&mut rng, n),
            };
            let (q, p, a, b) = (noise(&mut rng, n), noise(&mut rng, n), noise(&mut rng, n), noise(&mut rng, n));
            let mut seen: Option<Vec<u64>> = None;
            for path in paths() {
                let mut bits = Vec::new();
                for gathered in [false, true] {
                    let (mut q1, mut p1) = (q.clone(), p.clone());
                    let force = if gathered { Force::Gathered(&a) } else { Force::Port(&a, 0.7) };
                    let (s, v) = step(path, &mut q1, &mut p1, &t, force, &b, &a);
                    bits.extend(q1.iter().chain(&p1).chain([&s, &v]).map(|x| x.to_bits()));
                }
                bits.push(stroke(path, &q, &p, &t, &a).to_bits());
                bits.push(dot(path, &a, &b).to_bits());
                let (mut y0, mut y1) = (q.clone(), p.clone());
                let mut sums = [[0.0; LANES]; CONTROL_TICKS];
                let mut m = TwoPole { y0: &mut y0, y1: &mut y1, trace: &a, det: &b };
                ring(path, &mut m, &t.bq, 7, &mut sums);
                bits.extend(sums.iter().flatten().chain(&y0).chain(&y1).map(|x| x.to_bits()));

                let (mut z0, mut z1) = (q.clone(), p.clone());
                let (mut remembered, mut past) = ([[0.0; LANES]; CONTROL_TICKS], [[0.0; PAIR]; CONTROL_TICKS + 1]);
                let mut m = TwoPole { y0: &mut z0, y1: &mut z1, trace: &a, det: &b };
                for pair in 0..n / PAIR {
                    history(path, &mut m, pair, 7, &mut past);
                    let weight: [Real; PAIR] = core::array::from_fn(|l| t.bq[pair * PAIR + l]);
                    gather(path, &past, &weight, None, 7, &mut remembered);
                }
                assert!(remembered == sums && z0 == y0 && z1 == y1, "remembered and direct sums differ");
                match &seen {
                    None => seen = Some(bits),
                    Some(first) => assert!(*first == bits, "{path:?} differs at {n} modes"),
                }
            }
        }
    }
}
