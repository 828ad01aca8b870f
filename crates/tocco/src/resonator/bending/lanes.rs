// SPDX-License-Identifier: MIT OR Apache-2.0
//! The loops of a body that bends back, over eight fixed lanes.
//!
//! Each is one plain source, compiled for the baseline, for AVX2 and for AVX-512; sums keep eight partial sums and join
//! them in one order, so that all give the same bits.

#![allow(
    clippy::needless_range_loop,
    clippy::too_many_arguments,
    reason = "lanes by their number, all rows of one step"
)]

use super::Sizes;
use super::potential::Square;
use crate::math::Real;
use crate::resonator::kernel::{Chunk, LANES, Line, Path, join};

/// A loop in all its builds; why some keep to "avx2" is said in kernel.rs.
macro_rules! compiled {
    ($(#[$meta:meta])* $name:ident, $body:ident, $avx2:ident, $avx512:ident $most:literal, ($($arg:ident : $type:ty),*) -> $out:ty) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn $avx2($($arg: $type),*) -> $out { $body($($arg),*) }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $most)]
        fn $avx512($($arg: $type),*) -> $out { $body($($arg),*) }

        $(#[$meta])*
        #[inline]
        pub(super) fn $name(path: Path, $($arg: $type),*) -> $out {
            match path {
                Path::Scalar | Path::Baseline => $body($($arg),*),
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

compiled! {
    /// Sum of products.
    dot, dot_body, dot_avx2, dot_avx512 "avx512f", (a: &[Line], b: &[Line]) -> Real
}
compiled! {
    /// Sum of products of three.
    dot3, dot3_body, dot3_avx2, dot3_avx512 "avx512f", (a: &[Line], b: &[Line], c: &[Line]) -> Real
}
compiled! {
    /// `d`, how far every mode would go in a step without force; returns `g'd`.
    predict, predict_body, predict_avx2, predict_avx512 "avx512f", (q: &[Line], p: &[Line], size: &Sizes, g: &[Line], d: &mut [Line]) -> Real
}
compiled! {
    /// Free motion over a step: `q`, `p` to `to_q`, `to_p`.
    drift, drift_body, drift_avx2, drift_avx512 "avx2", (q: &[Line], p: &[Line], size: &Sizes, to_q: &mut [Line], to_p: &mut [Line]) -> ()
}
compiled! {
    /// One step: `d` is known, `force` acts by the shape `phi`, `pull` against `g`. [modal.1]
    advance, advance_body, advance_avx2, advance_avx512 "avx2",
    (q: &mut [Line], p: &mut [Line], size: &Sizes, d: &[Line], phi: &[Line], force: Real, g: &[Line], pull: Real) -> ()
}
compiled! {
    /// `y` of one tension and its gradient `w q`; returns y. [bending.1]
    tension, tension_body, tension_avx2, tension_avx512 "avx512f", (w: &[Line], q: &[Line], gradient: &mut [Line]) -> Real
}
compiled! {
    /// The sum of y^2 over all squares, and the gradient of half of it. [bending.1]
    sheet, sheet_body, sheet_avx2, sheet_avx512 "avx512f",
    (squares: &[Square], q: &[Line], moved: &mut [Line], gradient: &mut [Line]) -> Real
}

#[inline(always)]
fn add_product(sum: &mut Chunk, a: &Line, b: &Line) {
    for l in 0..LANES {
        sum[l] += a.0[l] * b.0[l];
    }
}

#[inline(always)]
fn dot_body(a: &[Line], b: &[Line]) -> Real {
    let mut sum = [0.0; LANES];
    a.iter().zip(b).for_each(|(a, b)| add_product(&mut sum, a, b));
    join(&sum)
}

#[inline(always)]
fn dot3_body(a: &[Line], b: &[Line], c: &[Line]) -> Real {
    let mut sum = [0.0; LANES];
    for ((a, b), c) in a.iter().zip(b).zip(c) {
        for l in 0..LANES {
            sum[l] += a.0[l] * b.0[l] * c.0[l];
        }
    }
    join(&sum)
}

#[inline(always)]
fn predict_body(q: &[Line], p: &[Line], size: &Sizes, g: &[Line], d: &mut [Line]) -> Real {
    let mut sum = [0.0; LANES];
    for (c, d) in d.iter_mut().enumerate() {
        let (q, p, qq, qp) = (&q[c].0, &p[c].0, &size.qq[c].0, &size.qp[c].0);
        for l in 0..LANES {
            d.0[l] = qq[l] * q[l] + qp[l] * p[l];
        }
        add_product(&mut sum, &g[c], d);
    }
    join(&sum)
}

#[inline(always)]
fn drift_body(q: &[Line], p: &[Line], size: &Sizes, to_q: &mut [Line], to_p: &mut [Line]) {
    for c in 0..q.len() {
        let (q, p) = (&q[c].0, &p[c].0);
        let (qq, qp, pq, pp) = (&size.qq[c].0, &size.qp[c].0, &size.pq[c].0, &size.pp[c].0);
        for l in 0..LANES {
            to_q[c].0[l] = q[l] + (qq[l] * q[l] + qp[l] * p[l]);
            to_p[c].0[l] = p[l] + (pq[l] * q[l] + pp[l] * p[l]);
        }
    }
}

#[inline(always)]
fn advance_body(
    q: &mut [Line],
    p: &mut [Line],
    size: &Sizes,
    d: &[Line],
    phi: &[Line],
    force: Real,
    g: &[Line],
    pull: Real,
) {
    for c in 0..q.len() {
        let (q, p, d, phi, g) = (&mut q[c].0, &mut p[c].0, &d[c].0, &phi[c].0, &g[c].0);
        let (pq, pp, bq, bp) = (&size.pq[c].0, &size.pp[c].0, &size.bq[c].0, &size.bp[c].0);
        for l in 0..LANES {
            let on_mode = phi[l] * force - g[l] * pull;
            let faster = pq[l] * q[l] + pp[l] * p[l] + bp[l] * on_mode;
            q[l] += d[l] + bq[l] * on_mode;
            p[l] += faster;
        }
    }
}

#[inline(always)]
fn tension_body(w: &[Line], q: &[Line], gradient: &mut [Line]) -> Real {
    let mut sum = [0.0; LANES];
    for ((w, q), gradient) in w.iter().zip(q).zip(gradient) {
        for l in 0..LANES {
            gradient.0[l] = w.0[l] * q.0[l];
        }
        add_product(&mut sum, gradient, q);
    }
    0.5 * join(&sum)
}

#[inline(always)]
fn sheet_body(squares: &[Square], q: &[Line], moved: &mut [Line], gradient: &mut [Line]) -> Real {
    gradient.fill(Line::ZERO);
    let mut total = 0.0;
    for square in squares {
        let mut sum = [0.0; LANES];
        for target in &square.targets {
            let mut to = Line::ZERO;
            for (source, weights) in square.sources[target.from..target.to].iter().zip(&square.weights[target.from..]) {
                let from = q[source / LANES].0[source % LANES];
                for l in 0..LANES {
                    to.0[l] += weights.0[l] * from;
                }
            }
            add_product(&mut sum, &to, &q[target.chunk]);
            moved[target.chunk] = to;
        }
        let y = 0.5 * join(&sum);
        total += y * y;
        for target in &square.targets {
            let (gradient, moved) = (&mut gradient[target.chunk], &moved[target.chunk]);
            for l in 0..LANES {
                gradient.0[l] += y * moved.0[l];
            }
        }
    }
    total
}
