// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of every function of `tocco::math`, so that a test can lay the bits of two machines side by side.

use tocco::math::{self, Real};

/// Values per function.
pub const COUNT: usize = 100_000;

/// A function of `tocco::math` at the point `(x, y)`; functions of one argument ignore `y`.
type Function = fn(Real, Real) -> Real;

/// Every function of `tocco::math` under its name there.
pub const FUNCTIONS: [(&str, Function); 18] = [
    ("exp", |x, _| math::exp(x)),
    ("expm1", |x, _| math::expm1(x)),
    ("ln", |x, _| math::ln(x)),
    ("ln_1p", |x, _| math::ln_1p(x)),
    ("log10", |x, _| math::log10(x)),
    ("sin", |x, _| math::sin(x)),
    ("cos", |x, _| math::cos(x)),
    ("tan", |x, _| math::tan(x)),
    ("atan", |x, _| math::atan(x)),
    ("atan2", math::atan2),
    ("sinh", |x, _| math::sinh(x)),
    ("pow", math::pow),
    ("gamma", |x, _| math::gamma(x)),
    ("bessel_j", |x, y| math::bessel_j((y.abs() % 50.0) as i32, x)),
    ("sinc", |x, _| math::sinc(x)),
    ("sinhc", |x, _| math::sinhc(x)),
    ("integrate_smooth", |x, y| math::integrate_smooth(x, y, |t| t * math::cos(t))),
    ("gauss_panels", |x, y| math::gauss_panels(x, y, 3).iter().map(|(at, weight)| at * weight).sum()),
];

/// `COUNT` values of function number `index`; empty beyond the table.
///
/// Arguments alternate between the range that sounds use and any finite number at all. IEEE 754 leaves the sign and
/// payload of a NaN open, so every NaN counts as one.
pub fn values(index: usize) -> Vec<Real> {
    let Some((_, f)) = FUNCTIONS.get(index) else { return Vec::new() };
    let mut draws = Draws(index as u64);
    (0..COUNT)
        .map(|i| {
            let (x, y) = if i % 2 == 0 { (draws.usual(), draws.usual()) } else { (draws.finite(), draws.finite()) };
            let value = f(x, y);
            if value.is_nan() { Real::NAN } else { value }
        })
        .collect()
}

/// SplitMix64 (Steele, Lea, Flood 2014); the engine's own generator is not used, so that a fault in it cannot hide here.
struct Draws(u64);

impl Draws {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// Uniform in [-20, 20).
    fn usual(&mut self) -> Real {
        (self.bits() >> 11) as Real * (40.0 / (1u64 << 53) as Real) - 20.0
    }
    /// Any finite double, subnormals included.
    fn finite(&mut self) -> Real {
        loop {
            let x = Real::from_bits(self.bits());
            if x.is_finite() {
                return x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_public_function_of_the_maths_door_is_in_the_table() {
        let door = include_str!("../../../crates/tocco/src/math.rs");
        let names = door.lines().filter_map(|line| line.strip_prefix("pub fn ")?.split('(').next());
        let missing: Vec<_> = names.filter(|name| FUNCTIONS.iter().all(|(known, _)| known != name)).collect();
        assert!(missing.is_empty(), "add to FUNCTIONS: {missing:?}");
    }

    #[test]
    fn the_arguments_reach_numbers_of_every_kind() {
        let mut draws = Draws(0);
        let drawn: Vec<Real> = (0..COUNT).map(|_| draws.finite()).collect();
        assert!(drawn.iter().any(|x| x.is_subnormal()) && drawn.iter().any(|x| *x > 1e300 || *x < -1e300));
        assert!((0..COUNT).map(|_| draws.usual()).all(|x| (-20.0..20.0).contains(&x)));
    }
}
