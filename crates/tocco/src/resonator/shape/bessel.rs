// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bessel functions and their zeros, for whatever is round.
//!
//! **Law.**
//! - `[bessel.1]  I_{k-1} = I_{k+1} + (2k/x) I_k`, run downwards (Miller) and scaled by `I_0 + 2 sum I_k = e^x`
//! - `[bessel.2]  j_{k-1} = (2k+1)/x j_k - j_{k+1}`, run downwards and scaled by `sum (2k+1) j_k^2 = 1`
//!
//! J_n itself is [`bessel_j`]. Zeros are found by their change of sign on a grid finer than
//! their distance, which is near pi, and narrowed to rounding.
//!
//! **Sources.** Abramowitz, Stegun, *Handbook of mathematical functions* (1964), 9.1, 9.6, 10.1.

use crate::math::{Real, bessel_j};

/// J_n(x) and its derivative.
pub fn j_and_slope(n: i32, x: Real) -> (Real, Real) {
    let j = bessel_j(n, x);
    let slope = if n == 0 {
        -bessel_j(1, x)
    } else if x == 0.0 {
        if n == 1 { 0.5 } else { 0.0 }
    } else {
        bessel_j(n - 1, x) - Real::from(n) / x * j
    };
    (j, slope)
}

/// Highest order that a downward recurrence must start from to be right at order `n`.
fn start(n: i32, x: Real) -> i32 {
    let top = Real::from(n).max(x);
    top as i32 + 24 + (4.0 * top.sqrt()) as i32
}

/// e^{-x} I_n(x) and I_n'(x)/I_n(x), x > 0: [bessel.1].
pub fn i_and_slope(n: i32, x: Real) -> (Real, Real) {
    let (mut above, mut here) = (0.0, 1e-280);
    let (mut sum, mut wanted, mut slope) = (0.0, 0.0, 0.0);
    for k in (1..=start(n, x)).rev() {
        if k == n {
            // I_n' = I_{n+1} + (n/x) I_n
            (wanted, slope) = (here, above / here + Real::from(n) / x);
        }
        sum += 2.0 * here;
        (above, here) = (here, above + 2.0 * Real::from(k) / x * here);
        if here > 1e250 {
            let small = 1e-250;
            (above, here, sum, wanted) = (above * small, here * small, sum * small, wanted * small);
        }
    }
    if n == 0 {
        (wanted, slope) = (here, above / here);
    }
    (wanted / (sum + here), slope)
}

/// Spherical j_n(x) and its derivative, x >= 0: [bessel.2].
pub fn spherical_and_slope(n: i32, x: Real) -> (Real, Real) {
    if x < 1e-8 {
        return (if n == 0 { 1.0 } else { 0.0 }, if n == 1 { 1.0 / 3.0 } else { 0.0 });
    }
    let (mut above, mut here) = (0.0, 1e-140);
    let (mut sum, mut wanted, mut next) = (0.0, 0.0, 0.0);
    let top = start(n, x);
    for k in (0..=top).rev() {
        if k == n {
            (wanted, next) = (here, above);
        }
        sum += (2.0 * Real::from(k) + 1.0) * here * here;
        if k > 0 {
            (above, here) = (here, (2.0 * Real::from(k) + 1.0) / x * here - above);
            if here.abs() > 1e120 {
                let small = 1e-120;
                (above, here, sum) = (above * small, here * small, sum * small * small);
                (wanted, next) = (wanted * small, next * small);
            }
        }
    }
    // The recurrence fixes all signs but one: that of j_0, which is sin(x)/x.
    let sign = if here * crate::math::sin(x) < 0.0 { -1.0 } else { 1.0 };
    // Where j_0 is about to vanish its sign is j_1's, -j_0' = j_1.
    let sign = if here.abs() < 1e-3 * sum.sqrt() {
        let j_1 = crate::math::sin(x) / (x * x) - crate::math::cos(x) / x;
        if above * j_1 < 0.0 { -1.0 } else { 1.0 }
    } else {
        sign
    };
    let scale = sign / sum.sqrt();
    (wanted * scale, (Real::from(n) / x * wanted - next) * scale)
}

/// Roots of `f` between `from` and `to` that lie further apart than `step`.
pub fn roots(f: impl Fn(Real) -> Real, from: Real, to: Real, step: Real) -> Vec<Real> {
    let mut found = Vec::new();
    let (mut a, mut at_a) = (from, f(from));
    while a < to {
        let b = a + step;
        let at_b = f(b);
        if at_a * at_b < 0.0 || at_b == 0.0 {
            let root = narrow(&f, (a, at_a), (b, at_b));
            if root < to {
                found.push(root);
            }
        }
        (a, at_a) = (b, at_b);
        if at_a == 0.0 {
            // Step off a root that fell on the grid.
            a += 1e-9 * step;
            at_a = f(a);
        }
    }
    found
}

/// A bracketed root by secants, halved where they are slow (Illinois).
fn narrow(f: &impl Fn(Real) -> Real, a: (Real, Real), b: (Real, Real)) -> Real {
    let ((mut a, mut at_a), (mut b, mut at_b)) = (a, b);
    let mut side = 0;
    for _ in 0..100 {
        if at_b == 0.0 || (b - a).abs() <= 4e-16 * b.abs() {
            return b;
        }
        let mut x = b - at_b * (b - a) / (at_b - at_a);
        if !(x > a.min(b) && x < a.max(b)) {
            x = 0.5 * (a + b);
        }
        let at_x = f(x);
        if (x - b).abs() <= 2e-16 * x.abs() || at_x == 0.0 {
            return x;
        }
        if at_x * at_b < 0.0 {
            (a, at_a) = (b, at_b);
            side = 0;
        } else {
            side += 1;
            at_a *= if side > 0 { 0.5 } else { 1.0 };
        }
        (b, at_b) = (x, at_x);
    }
    b
}
