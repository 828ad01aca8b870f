// SPDX-License-Identifier: MIT OR Apache-2.0
//! Seeded randomness: every random number comes from the scene's seed and the label of the node that draws it, so that
//! adding a node changes no other node's numbers.
//!
//! The generator is xoshiro256++ (Blackman and Vigna, public domain description), seeded by SplitMix64.

use crate::hash;
use crate::math::{Real, TAU, cos, ln};

/// A small, fast, repeatable random source. Not for secrets.
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Rng {
    /// The stream of one node: the scene's seed and the node's label (FNV-1a).
    pub fn new(seed: u64, label: &str) -> Self {
        let mut state = hash::bytes(hash::START ^ seed, label.as_bytes());
        Self { state: core::array::from_fn(|_| split_mix(&mut state)) }
    }

    /// Next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.state;
        let out = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        out
    }

    /// Uniform in `[0, 1)`.
    pub fn unit(&mut self) -> Real {
        (self.bits() >> 11) as Real * (1.0 / (1u64 << 53) as Real)
    }

    /// Uniform in `[low, high)`.
    pub fn between(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * self.unit()
    }

    /// Logarithmically uniform in `[low, high)`, both positive.
    pub fn between_log(&mut self, low: Real, high: Real) -> Real {
        crate::math::exp(self.between(ln(low), ln(high)))
    }

    /// Standard normal (Box-Muller, one of the pair).
    pub fn normal(&mut self) -> Real {
        let radius = (-2.0 * ln(1.0 - self.unit())).sqrt();
        radius * cos(TAU * self.unit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_and_label_give_the_same_numbers_and_another_label_others() {
        let draw = |seed, label| {
            let mut rng = Rng::new(seed, label);
            [rng.bits(), rng.bits(), rng.bits()]
        };
        assert_eq!(draw(1, "bar"), draw(1, "bar"));
        assert_ne!(draw(1, "bar"), draw(1, "baz"));
        assert_ne!(draw(1, "bar"), draw(2, "bar"));
    }

    #[test]
    fn the_normal_draw_has_zero_mean_and_unit_variance() {
        let mut rng = Rng::new(7, "normal");
        let n = 200_000;
        let (mut mean, mut square) = (0.0, 0.0);
        for _ in 0..n {
            let x = rng.normal();
            mean += x / f64::from(n);
            square += x * x / f64::from(n);
        }
        // 5 standard errors of the mean (1/sqrt n) and of the variance (sqrt(2/n)).
        assert!(mean.abs() < 5.0 / f64::from(n).sqrt(), "{mean}");
        assert!((square - 1.0).abs() < 5.0 * (2.0 / f64::from(n)).sqrt(), "{square}");
    }
}
