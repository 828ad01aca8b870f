// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two functions that friction needs several times per sample, for the arguments it has.
//!
//! Plain arithmetic in a fixed order, so the bits are the same on every machine. `libm` serves every argument and costs
//! two to three times as much.

use crate::math::Real;

/// 2^(-j/32)
const ROOTS: [Real; 32] = [
    1.0,
    0.9785720620877001,
    0.9576032806985737,
    0.93708381705515,
    0.9170040432046712,
    0.8973545375015536,
    0.8781260801866497,
    0.859309649061239,
    0.8408964152537145,
    0.8228777390769825,
    0.8052451659746271,
    0.7879904225539432,
    0.7711054127039704,
    0.7545822137967114,
    0.7384130729697497,
    0.7225904034885233,
    core::f64::consts::FRAC_1_SQRT_2,
    0.691954940981916,
    0.6771277734684463,
    0.6626183215798707,
    0.6484197773255048,
    0.6345254785958666,
    0.620928906036742,
    0.6076236799902345,
    0.5946035575013605,
    0.5818624293887887,
    0.5693943173783458,
    0.5571933712979462,
    0.5452538663326288,
    0.5335702003384118,
    0.5221368912137069,
    0.5109485743270583,
];

/// 32/ln 2
const PER_LN: Real = 46.16624130844683;
/// (-ln 2/32)^k/k! for k = 1 to 6.
const SERIES: [Real; 6] = [
    -0.02166084939249829,
    0.00023459619820224677,
    -1.6938509724371819e-06,
    9.172562701824643e-09,
    -3.9737099845494154e-11,
    1.4345655584131932e-13,
];

/// 1.5 * 2^52: added, it leaves the nearest whole number in the lowest bits.
const ROUND: Real = 6_755_399_441_055_744.0;

/// e^(-x) for 0 <= x <= 700, within 2 units in the last place of 1, and within (2 + x) of its own.
#[inline(always)]
pub(super) fn exp_neg(x: Real) -> Real {
    let q = x * PER_LN;
    let shifted = q + ROUND;
    let k = shifted.to_bits() as u32;
    let f = q - (shifted - ROUND); // |f| <= 1/2: the seventh term is below 4e-18
    let power = Real::from_bits(u64::from(1023 - (k >> 5)) << 52);
    let root = power * ROOTS[(k & 31) as usize];
    let [a, b, c, d, e, g] = SERIES;
    let square = f * f;
    let tail = square * (c + d * f) + square * square * (e + g * f);
    root + (root * f) * ((a + b * f) + tail)
}

/// sin(pi u) within 8e-16 and cos(pi u) within 1e-12 for |u| <= 1/2 (Chebyshev fits in u^2).
#[inline(always)]
pub(super) fn sin_cos_pi(u: Real) -> (Real, Real) {
    const S: [Real; 8] = [
        core::f64::consts::PI,
        -5.1677127800497855,
        2.5501640398618677,
        -0.599264528825224,
        0.08214587881631043,
        -0.0073703643265304155,
        0.0004659870158043378,
        -2.113362735205297e-5,
    ];
    const C: [Real; 7] = [
        0.9999999999992479,
        -4.93480220024985,
        4.0587121075374375,
        -1.33526231526157,
        0.2353254365877112,
        -0.02577631642731586,
        0.0018399894372694043,
    ];
    let a = u * u;
    let b = a * a;
    let c = b * b;
    let sine = ((S[0] + S[1] * a) + (S[2] + S[3] * a) * b) + ((S[4] + S[5] * a) + (S[6] + S[7] * a) * b) * c;
    let cosine = ((C[0] + C[1] * a) + (C[2] + C[3] * a) * b) + ((C[4] + C[5] * a) + C[6] * b) * c;
    (u * sine, cosine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{PI, cos, exp, sin};

    #[test]
    fn the_exponential_is_the_portable_one_to_rounding() {
        for i in 0..700_000 {
            let x = f64::from(i) * 1.0e-3;
            let (got, want) = (exp_neg(x), exp(-x));
            assert!((got - want).abs() <= 2.0 * f64::EPSILON, "{x}");
            assert!((got / want - 1.0).abs() <= (2.0 + x) * f64::EPSILON, "{x}");
        }
        assert_eq!(exp_neg(0.0), 1.0);
    }

    #[test]
    fn sine_and_cosine_of_the_half_turn_are_the_portable_ones() {
        for i in -50_000..=50_000 {
            let u = f64::from(i) * 1e-5;
            let (s, c) = sin_cos_pi(u);
            assert!((s - sin(PI * u)).abs() < 8e-16 && (c - cos(PI * u)).abs() < 2e-12, "{u}");
        }
    }
}
