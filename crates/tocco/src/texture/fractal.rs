// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fractal noise: rough on every scale.
//!
//! **What.** Gaussian noise whose power falls as 1/f^beta, from white (beta 0) over pink (1) to Brownian (2), between a
//! first frequency and Nyquist, with variance 1. In time it is heard as it is; along a line it is the height of a
//! surface ([`super::Surface`]).
//!
//! **Law.** White noise through a cascade of real pole-zero pairs, h pairs per decade, f in cycles per sample:
//! - `[fractal.1]  f_i = f_1 10^(i/h)` poles, `g_i = f_i 10^(beta/(2h))` zeros (Avanzini et al. 2003 (8.23), De Sena et al. 2009 section 2.2.2), all
//!   poles up to Nyquist. beta <= 2, or a zero would pass the next pole (C34); at beta = 2 they cancel and one leaky
//!   integrator is left.
//! - `[fractal.2]  H = prod (z - b_i)/(z - a_i)`, `a_i = exp(-2 pi f_i)`, `b_i = exp(-2 pi g_i)`: the matched
//!   z-transform (C32), with the signs of (8.24), (8.25); those printed in (8.26), (8.29), (2.29) mirror the spectrum
//!   (C31).
//! - `[fractal.3]  (z + r)/(z + q)`: one more pair, on the negative axis, for the Nyquist end, which the matched map
//!   lifts by up to 3.4 dB (physics.md G, which has the zero only). With d = 1 - cos 2 pi f and the gain G(f) still
//!   missing, 1 - t d = G (1 - s d) at f = 1/4 and 0.43; t = rho/(1 + rho), rho = 2r/(1 + r^2), s from q likewise:
//!   linear in t, s.
//! - `[fractal.4]  H = 1 + sum c_i/(z - a_i)`, `variance = 1 + sum_ij c_i c_j/(1 - a_i a_j)`: the energy of the
//!   impulse response; every c_i of the interlaced poles is positive, so nothing cancels.
//! - `[fractal.5]  x_i = sum_k<=i L_ik n_k`, `L_ik = sqrt(1 - a_k^2)/(1 - a_k a_i) prod_j<k (a_i - a_j)/(1 - a_j a_i)`:
//!   the states of c_i/(z - a_i) in the stationary law (Cholesky factor of 1/(1 - a_i a_j), from the Takenaka-Malmquist
//!   basis), so that the first sample already belongs to the noise.
//!
//! **Symbols.** beta `beta`; h `poles_per_decade`; f_1 `first`, in the unit of `rate` (Hz, or cycles per metre).
//! The Hurst exponent is H = (beta - 1)/2 and the dimension 2 - H, for 1 < beta only (C33).
//!
//! **Step.** The cascade is run in its partial fractions `[fractal.4]`, the same transfer function: y = w + sum c_i
//! x_i, x_i <- a_i x_i + w. The states do not depend on beta, so it moves while the noise sounds and every sample is at
//! once in the law of the new one; in biquads ((8.29); [`Fractal::biquads`], one of first order if the pairs are odd,
//! C34) a Brownian state would ring on for 1/f_1 after a turn to white. From 20 Hz to 20 kHz with h = 2 and the first
//! pole at 2 Hz the slope is within 0.0014 of beta and the level within 0.023 dB rms, 0.16 dB at most, at 44.1, 48 and
//! 96 kHz.
//!
//! **Sources.** Avanzini et al. 2003 section 8.3.3 and (8.29), De Sena et al. 2009 section 2.2.2; physics.md G, C31 to C34. Ours: the pole at -q, the
//! closed variance, the stationary start, the parallel form.

use crate::math::{PI, Real, TAU, cos, exp, log10, pow, sin};
use crate::rng::Rng;

/// Most poles per decade: those of Avanzini et al. 2003's figure 8.7. More bring nothing (physics.md G).
pub const MAX_POLES_PER_DECADE: u32 = 6;
/// Poles per decade at which the figures above are reached.
pub const DEFAULT_POLES_PER_DECADE: u32 = 2;
/// Range of the first frequency in cycles per sample. Below there would be more poles than we keep; above,
/// there is no decade left to be fractal in.
pub const FIRST: core::ops::RangeInclusive<Real> = 1e-7..=1e-2;

/// 6 per decade over the 6.7 decades from 1e-7 to Nyquist, and the Nyquist pair.
const MAX_PAIRS: usize = 42;
/// Where the Nyquist pair makes the slope exact, and the place it is counted from; cycles per sample. Chosen so that
/// slope and rms stay below 0.0014 and 0.023 dB at once; 0.5 instead of 0.43 would cost 0.5 dB at 20 kHz of 44.1 kHz.
const MATCHED: [Real; 2] = [0.25, 0.43];
const REFERENCE: Real = 0.025;

/// A source of 1/f^beta noise with unit variance.
#[derive(Clone, Debug)]
pub struct Fractal {
    rng: Rng,
    beta: Real,
    poles_per_decade: Real,
    first: Real,
    pairs: usize,
    poles: [Real; MAX_PAIRS],
    zeros: [Real; MAX_PAIRS],
    /// c_i
    residues: [Real; MAX_PAIRS],
    /// x_i
    states: [Real; MAX_PAIRS],
    gain: Real,
}

/// (1 + b1/z + b2/z^2)/(1 + a1/z + a2/z^2)
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Biquad {
    /// b1, b2
    pub b: [Real; 2],
    /// a1, a2
    pub a: [Real; 2],
}

impl Fractal {
    /// A source with its own random stream. `first`, the first pole, and `rate` share a unit: Hz for a sound, 1/m for a
    /// surface. Everything is held to its range: beta to 0..2, poles per decade to 1..6, first/rate to [`FIRST`].
    /// `[control]`
    pub fn new(beta: Real, poles_per_decade: u32, first: Real, rate: Real, rng: Rng) -> Self {
        let first = (first / rate).clamp(*FIRST.start(), *FIRST.end());
        let h = Real::from(poles_per_decade.clamp(1, MAX_POLES_PER_DECADE));
        let pairs = (h * log10(0.5 / first) + 1e-9) as usize + 2;
        let mut fractal = Self {
            rng,
            beta: 0.0,
            poles_per_decade: h,
            first,
            pairs: pairs.min(MAX_PAIRS),
            poles: [0.0; MAX_PAIRS],
            zeros: [0.0; MAX_PAIRS],
            residues: [0.0; MAX_PAIRS],
            states: [0.0; MAX_PAIRS],
            gain: 1.0,
        };
        for i in 0..fractal.pairs - 1 {
            fractal.poles[i] = fractal.mapped(i as Real);
        }
        fractal.set_beta(beta);
        fractal.restart();
        fractal
    }

    /// The exponent of the spectrum.
    pub fn beta(&self) -> Real {
        self.beta
    }

    /// Poles of the cascade in the z plane, slowest first; the last one belongs to the Nyquist pair.
    pub fn poles(&self) -> &[Real] {
        &self.poles[..self.pairs]
    }

    /// Zeros of the cascade in the z plane, in the order of the poles.
    pub fn zeros(&self) -> &[Real] {
        &self.zeros[..self.pairs]
    }

    /// Moves the exponent, 0..2, while the noise goes on; no allocation, about N^2 additions for N poles. `[audio]`
    pub fn set_beta(&mut self, beta: Real) {
        self.beta = if beta > 0.0 { beta.min(2.0) } else { 0.0 };
        let last = self.pairs - 1;
        for i in 0..last {
            self.zeros[i] = self.mapped(i as Real + fault!(NOISE_EXPONENT, 0.5, 0.45) * self.beta); // [fractal.1]
        }
        (self.zeros[last], self.poles[last]) = (0.0, 0.0);
        let (r, q) = self.nyquist_pair();
        (self.zeros[last], self.poles[last]) = (-r, -q);

        for i in 0..self.pairs {
            self.residues[i] = self.residue(i);
        }
        self.gain = 1.0 / fault!(NOISE_SIZE, self.variance(), times 1.2).sqrt();
    }

    /// The next sample. `[audio]`
    #[inline]
    pub fn draw(&mut self) -> Real {
        let white = self.rng.normal();
        let value = white + self.expected();
        self.advance(white);
        self.gain * value
    }

    /// Goes on as if the last sample drawn had been this one, and returns the white sample it would have been made of:
    /// after enough of them the noise continues a given past. `[audio]`
    pub fn follow(&mut self, sample: Real) -> Real {
        let white = sample / self.gain - self.expected();
        self.advance(white);
        white
    }

    /// The same filter as a cascade of biquads, Avanzini et al. 2003 (8.29) with the signs of C31, before the gain; an odd last one is
    /// of first order, a2 = b2 = 0.
    pub fn biquads(&self) -> impl Iterator<Item = Biquad> {
        let joined = |roots: &[Real]| {
            let (one, other) = (roots[0], roots.get(1).copied().unwrap_or(0.0));
            [-(one + other), one * other]
        };
        self.zeros().chunks(2).zip(self.poles().chunks(2)).map(move |(b, a)| Biquad { b: joined(b), a: joined(a) })
    }

    /// Amplitude that makes the cascade's variance 1.
    pub fn gain(&self) -> Real {
        self.gain
    }

    /// Power spectral density at a frequency in cycles per sample, two-sided: its integral from -1/2 to 1/2 is 1.
    pub fn power(&self, cycles_per_sample: Real) -> Real {
        self.gain * self.gain * self.shape(cycles_per_sample)
    }

    /// Draws the state from its stationary law. [fractal.5]
    fn restart(&mut self) {
        let a = self.poles;
        let n = self.pairs;
        let normal: [Real; MAX_PAIRS] = core::array::from_fn(|k| if k < n { self.rng.normal() } else { 0.0 });
        for i in 0..n {
            let mut product = 1.0;
            self.states[i] = 0.0;
            for k in 0..=i {
                self.states[i] += product * (1.0 - a[k] * a[k]).sqrt() / (1.0 - a[k] * a[i]) * normal[k];
                product *= (a[i] - a[k]) / (1.0 - a[k] * a[i]);
            }
        }
    }

    /// What the past adds to the next white sample.
    #[inline]
    fn expected(&self) -> Real {
        let pairs = self.residues[..self.pairs].iter().zip(&self.states[..self.pairs]);
        pairs.fold(0.0, |sum, (c, x)| sum + c * x) // [fractal.4]
    }

    #[inline]
    fn advance(&mut self, white: Real) {
        for (x, a) in self.states[..self.pairs].iter_mut().zip(&self.poles[..self.pairs]) {
            *x = a * *x + white;
        }
    }

    /// c_i, as a product of ratios near 1.
    fn residue(&self, i: usize) -> Real {
        let (a, b) = (self.poles(), self.zeros());
        let others = (0..self.pairs).filter(|&j| j != i);
        others.fold(a[i] - b[i], |product, j| product * ((a[i] - b[j]) / (a[i] - a[j])))
    }

    /// [fractal.4]
    fn variance(&self) -> Real {
        let (n, c) = (self.pairs, &self.residues);
        let mut sum = 1.0;
        for i in 0..n {
            for j in 0..n {
                sum += c[i] * c[j] / (1.0 - self.poles[i] * self.poles[j]);
            }
        }
        sum
    }

    /// exp(-2 pi f) of the frequency `places` poles above the first. [fractal.2]
    fn mapped(&self, places: Real) -> Real {
        exp(-TAU * self.first * pow(10.0, places / self.poles_per_decade))
    }

    /// |H|^2
    fn shape(&self, cycles_per_sample: Real) -> Real {
        let half = sin(PI * cycles_per_sample);
        let distance = |root: Real| (1.0 - root) * (1.0 - root) + 4.0 * root * half * half;
        let pairs = self.zeros().iter().zip(self.poles());
        pairs.fold(1.0, |product, (&b, &a)| product * distance(b) / distance(a))
    }

    /// (r, q) for the cascade without them. [fractal.3]
    fn nyquist_pair(&self) -> (Real, Real) {
        let missing = |f: Real| pow(REFERENCE / f, self.beta) * self.shape(REFERENCE) / self.shape(f);
        let depth = |f: Real| 1.0 - cos(TAU * f);
        let [(d0, g0), (d1, g1)] = MATCHED.map(|f| (depth(f), missing(f)));
        let difference = g0 - g1;
        if difference.abs() < 1e-9 {
            return (0.0, 0.0); // White already.
        }
        let (e0, e1) = ((1.0 - g0) / d0, (1.0 - g1) / d1);
        let s = (e1 - e0) / difference;
        let t = e0 + g0 * s;
        let root = |share: Real| {
            let rho = share / (1.0 - share);
            rho / (1.0 + (1.0 - rho * rho).max(0.0).sqrt())
        };
        // Over all first poles, densities and exponents r is within 0..0.34 and q within -0.033..0.31; -q must not meet
        // the smallest pole, exp(-pi) = 0.043.
        (root(t).clamp(0.0, 0.9), root(s).clamp(-0.035, 0.9))
    }
}
