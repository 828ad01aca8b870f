// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one door to elementary functions.
//!
//! Everything goes to `libm`, a portable implementation in Rust, so that the same scene gives the same bits on every
//! machine, native or WASM. The platform's own `sin` or `pow` differ between systems in the last digit; they must not
//! be called anywhere else in this crate (`tests/layers.rs` looks). Square root, absolute value and comparison are
//! exactly rounded by IEEE 754 and may be used directly.

/// The engine's one number type.
pub type Real = f64;

pub use core::f64::consts::{PI, TAU};

/// Natural exponential.
#[inline]
pub fn exp(x: Real) -> Real {
    libm::exp(x)
}
/// `exp(x) - 1` without cancellation.
#[inline]
pub fn expm1(x: Real) -> Real {
    libm::expm1(x)
}
/// Natural logarithm.
#[inline]
pub fn ln(x: Real) -> Real {
    libm::log(x)
}
/// `ln(1 + x)` without cancellation.
#[inline]
pub fn ln_1p(x: Real) -> Real {
    libm::log1p(x)
}
/// Base-10 logarithm.
#[inline]
pub fn log10(x: Real) -> Real {
    libm::log10(x)
}
/// Sine, argument in radians.
#[inline]
pub fn sin(x: Real) -> Real {
    libm::sin(x)
}
/// Cosine, argument in radians.
#[inline]
pub fn cos(x: Real) -> Real {
    libm::cos(x)
}
/// Tangent, argument in radians.
#[inline]
pub fn tan(x: Real) -> Real {
    libm::tan(x)
}
/// Arc tangent, rad.
#[inline]
pub fn atan(x: Real) -> Real {
    libm::atan(x)
}
/// Angle of the point `(x, y)`, rad.
#[inline]
pub fn atan2(y: Real, x: Real) -> Real {
    libm::atan2(y, x)
}
/// Hyperbolic sine.
#[inline]
pub fn sinh(x: Real) -> Real {
    libm::sinh(x)
}
/// Power with a real exponent; about 50 ns, see `interactor::impact` for the closed forms of common exponents.
#[inline]
pub fn pow(x: Real, y: Real) -> Real {
    libm::pow(x, y)
}
/// Gamma function (contact-time constants).
#[inline]
pub fn gamma(x: Real) -> Real {
    libm::tgamma(x)
}
/// Bessel function of the first kind J_n(x) of whole order; cost grows with n.
#[inline]
pub fn bessel_j(n: i32, x: Real) -> Real {
    libm::jn(n, x)
}

/// `sin(x)/x`, 1 at zero.
#[inline]
pub fn sinc(x: Real) -> Real {
    if x.abs() < 1e-4 { 1.0 - x * x / 6.0 } else { sin(x) / x }
}
/// `sinh(x)/x`, 1 at zero.
#[inline]
pub fn sinhc(x: Real) -> Real {
    if x.abs() < 1e-4 { 1.0 + x * x / 6.0 } else { sinh(x) / x }
}

/// Nodes (positive half) and weights of 8-point Gauss-Legendre quadrature on [-1, 1]; error of the engine's integrands
/// (smooth over one step) is below rounding.
const GAUSS_8: [(Real, Real); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];

/// Integral of a smooth function over `[from, to]` by 8-point Gauss-Legendre quadrature.
pub fn integrate_smooth(from: Real, to: Real, f: impl Fn(Real) -> Real) -> Real {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let mut sum = 0.0;
    for (x, w) in GAUSS_8 {
        sum += w * (f(middle - half * x) + f(middle + half * x));
    }
    half * sum
}

/// Nodes and weights of the same rule over `[from, to]` in so many panels.
pub fn gauss_panels(from: Real, to: Real, panels: usize) -> Vec<(Real, Real)> {
    let half = 0.5 * (to - from) / panels as Real;
    let middle = |panel: usize| from + (2 * panel + 1) as Real * half;
    let both = |(x, w): (Real, Real)| [(-x, w), (x, w)];
    let nodes = || GAUSS_8.into_iter().flat_map(both);
    (0..panels).flat_map(|panel| nodes().map(move |(x, w)| (middle(panel) + half * x, half * w))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gauss_quadrature_integrates_a_degree_fifteen_polynomial_exactly() {
        let got = integrate_smooth(0.0, 2.0, |x| x.powi(15));
        assert!((got / 4096.0 - 1.0).abs() < 1e-14, "{got}");
    }

    #[test]
    fn sinc_and_sinhc_are_continuous_where_the_series_takes_over() {
        for f in [sinc, sinhc] {
            assert!((f(0.999_999e-4) - f(1.000_001e-4)).abs() < 1e-14);
        }
    }
}
