// SPDX-License-Identifier: MIT OR Apache-2.0
//! Strength that varies along the slip: what holds two surfaces is not everywhere the same.
//!
//! **What.** Stiction comes from many junctions. When the surfaces have slid past each other by about the size of one, those that hold
//! are others, and hold more or less. So no two slips of a creak, a squeak or a brake are alike.
//!
//! **Law.** After every length l of plastic slip a factor s is drawn anew, and stiction is `[strength.1]  fs = max(s mu_s, mu_d) F_N`:
//! - `[strength.2]  P(s > x) = exp(-(x G(1 + 1/k))^k)`: Weibull, of mean 1, the strength of what breaks at its weakest place; or
//!   `ln s` Gaussian of standard deviation `pi/(k sqrt6)`, that of Weibull's, and mean 1
//! - `[strength.3]  d(slip) = |v dt - dz|`: what is not stretch of the bristles
//!
//! **Symbols.** l `every_m` m; k `k`; G the gamma function; z deflection of the bristles m; other letters as in friction.rs.
//!
//! **Step.** s is drawn between two steps, from the scene's seed and the contact's name, so bits do not depend on how blocks are cut. A
//! step knows one s, and is passive with it. Bristles that hold more than a weaker s allows break, and their energy is lost; none is
//! ever gained. k = 8 varies stiction by 15 %. Steady sliding, mu_d, stays: a weak draw ends after the next length and cannot slide for ever.
//!
//! **Sources.** Weibull (1951) for the law of the weakest place, as commonly stated; ours: the length.

use crate::math::{PI, Real, exp, gamma, ln, pow};
use crate::rng::Rng;

/// How strengths are distributed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distribution {
    /// By the weakest place.
    #[default]
    Weibull,
    /// By many factors.
    Lognormal,
}

crate::words!(Distribution { Weibull = "weibull", Lognormal = "lognormal" });

/// Strength along the slip.
#[derive(Clone, Debug)]
pub struct Strength {
    every_m: Real,
    distribution: Distribution,
    k: Real,
    /// 1/G(1 + 1/k).
    scale: Real,
    rng: Rng,
    /// Plastic slip until the next draw, m.
    left_m: Real,
    /// s at present.
    factor: Real,
}

impl Strength {
    /// Drawn anew after every so many metres, with shape k, from a random stream of its own. `[control]`
    pub fn new(every_m: Real, distribution: Distribution, k: Real, rng: Rng) -> Self {
        let scale = 1.0 / gamma(1.0 + 1.0 / k);
        let mut strength = Self { every_m, distribution, k, scale, rng, left_m: every_m, factor: 1.0 };
        strength.factor = strength.draw();
        strength
    }

    /// s at present.
    #[inline]
    pub(super) fn factor(&self) -> Real {
        self.factor
    }

    /// [strength.2]
    fn draw(&mut self) -> Real {
        match self.distribution {
            Distribution::Weibull => self.scale * pow(-ln(1.0 - self.rng.unit()), 1.0 / self.k),
            Distribution::Lognormal => {
                let sigma = PI / (self.k * 6.0_f64.sqrt());
                exp(sigma * self.rng.normal().clamp(-5.0, 5.0) - 0.5 * sigma * sigma)
            }
        }
    }

    /// The surfaces have slid so much further; true if that made a new draw due.
    #[inline]
    pub(super) fn slide(&mut self, by_m: Real) -> bool {
        self.left_m -= fault!(STRENGTH_LENGTH, by_m, times 0.1);
        if self.left_m > 0.0 {
            return false;
        }
        // A slip over several lengths in one step meets one of them.
        self.left_m = self.every_m - (-self.left_m % self.every_m);
        if self.left_m.is_nan() || self.left_m <= 0.0 {
            self.left_m = self.every_m;
        }
        self.factor = self.draw();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strengths_have_mean_one_and_the_stated_spread_of_their_logarithm() {
        for distribution in [Distribution::Weibull, Distribution::Lognormal] {
            for k in [2.0, 8.0] {
                let mut strength = Strength::new(1e-3, distribution, k, Rng::new(1, "strength"));
                let n = 100_000;
                let all: Vec<Real> = (0..n).map(|_| strength.draw()).collect();
                let mean = all.iter().sum::<Real>() / Real::from(n);
                let logs: Vec<Real> = all.iter().map(|s| s.ln()).collect();
                let middle = logs.iter().sum::<Real>() / Real::from(n);
                let wide = (logs.iter().map(|l| (l - middle) * (l - middle)).sum::<Real>() / Real::from(n)).sqrt();
                let stated = PI / (k * 6.0_f64.sqrt());
                println!("{distribution:?} k {k}: mean {mean:.4}, log spread {wide:.4} of {stated:.4}");
                assert!((mean - 1.0).abs() < 0.02 && (wide / stated - 1.0).abs() < 0.02);
            }
        }
    }

    #[test]
    fn a_draw_is_due_once_per_length_however_the_slip_is_cut() {
        for step in [1e-7, 3.3e-6, 4.9e-5] {
            let mut strength = Strength::new(5e-5, Distribution::Weibull, 8.0, Rng::new(1, "length"));
            let steps = (0.01 / step) as usize;
            let draws = (0..steps).filter(|_| strength.slide(step)).count();
            assert!((199..=200).contains(&draws), "{step}: {draws}");
        }
        let mut strength = Strength::new(5e-5, Distribution::Weibull, 8.0, Rng::new(1, "length"));
        assert!(strength.slide(1.0) && strength.slide(Real::INFINITY) && strength.left_m > 0.0);
    }
}
