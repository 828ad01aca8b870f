// SPDX-License-Identifier: MIT OR Apache-2.0
//! Seeded noise on the grid of signals.
//!
//! **What.** A hand that trembles, a wind, an uneven floor: Gaussian noise whose power falls as 1/f^beta between two
//! frequencies.
//!
//! **Law.** [fractal.1] to [fractal.5] at 1000 Hz: flat below `first_hz`, 1/f^beta above. Below 500 Hz it may end earlier:
//! - `[noise.1]  H(z) = b (1 + 1/z)^2/(1 + a1/z + a2/z^2)`: two poles by Butterworth through the bilinear map, 3 dB down at
//!   `last_hz` exactly and 12 dB per octave above.
//! - `[noise.2]  g^-2 = sum_j P(f_j) |H(f_j)|^2 df_j / sum_j P(f_j) df_j`: what is left of the variance, so that `rms` stays what it says.
//! - `[noise.3]` Where nobody has heard it for 4 s, because the `gain` of its signal is 0, it waits, and costs nothing: what comes later is as
//!   likely as what would have come.
//!
//! **Step.** The recursion runs in before the first value, so that noise begins in its own law.
//!
//! **Sources.** Avanzini et al. 2003 section 8.3.3, De Sena et al. 2009 section 2.2.2.

use super::GRID_S;
use crate::math::{Real, TAU, cos, pow, tan};
use crate::rng::Rng;
use crate::texture::fractal::{DEFAULT_POLES_PER_DECADE, Fractal};

/// Highest frequency of a signal, Hz: half of the grid's rate.
pub const HIGHEST_HZ: Real = 0.5 / GRID_S;
/// Places at which the variance is summed, in equal ratios from the lowest, cycles per step, to the highest.
const PLACES: usize = 4096;
const LOWEST: Real = 1e-7;

/// Noise with mean and standard deviation, from one time to another.
#[derive(Clone, Debug)]
pub struct Noise {
    rms: Real,
    mean: Real,
    from_s: Real,
    to_s: Real,
    colour: Colour,
    low_pass: Option<LowPass>,
}

#[derive(Clone, Debug)]
enum Colour {
    White(Rng),
    Fractal(Box<Fractal>),
}

#[derive(Clone, Copy, Debug)]
struct LowPass {
    b: Real,
    a: [Real; 2],
    state: [Real; 2],
}

impl LowPass {
    /// 3 dB down at this frequency, Hz. [noise.1]
    fn new(last_hz: Real) -> Self {
        let t = tan(0.5 * TAU * last_hz * GRID_S);
        let scale = 1.0 / (1.0 + core::f64::consts::SQRT_2 * t + t * t);
        let a = [2.0 * (t * t - 1.0) * scale, (1.0 - core::f64::consts::SQRT_2 * t + t * t) * scale];
        Self { b: t * t * scale, a, state: [0.0; 2] }
    }

    fn step(&mut self, x: Real) -> Real {
        let before = x - self.a[0] * self.state[0] - self.a[1] * self.state[1];
        let y = self.b * (before + 2.0 * self.state[0] + self.state[1]);
        self.state = [before, self.state[0]];
        y
    }

    /// |H|^2 at so many cycles per step.
    fn power(&self, cycles: Real) -> Real {
        let (c1, c2) = (cos(TAU * cycles), cos(2.0 * TAU * cycles));
        let [a1, a2] = self.a;
        let zeros = 4.0 * (1.0 + c1) * (1.0 + c1);
        self.b * self.b * zeros / (1.0 + a1 * a1 + a2 * a2 + 2.0 * a1 * (1.0 + a2) * c1 + 2.0 * a2 * c2)
    }
}

/// What noise is, in numbers; frequencies in Hz.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseSpec {
    /// Standard deviation.
    pub rms: Real,
    /// Mean.
    pub mean: Real,
    /// Begins, s; before and after it is its mean.
    pub from_s: Real,
    /// Ends, s.
    pub to_s: Real,
    /// Exponent of the spectrum, 0 to 2.
    pub beta: Real,
    /// Flat below.
    pub first_hz: Real,
    /// Falls by 12 dB per octave above; [`HIGHEST_HZ`]: not at all.
    pub last_hz: Real,
}

impl Noise {
    /// Noise with its own random stream. `[control]`
    pub fn new(spec: NoiseSpec, rng: Rng) -> Self {
        let NoiseSpec { rms, mean, from_s, to_s, beta, first_hz, last_hz } = spec;
        let colour = match beta == 0.0 {
            true => Colour::White(rng),
            false => {
                let fractal = Fractal::new(beta, DEFAULT_POLES_PER_DECADE, first_hz, 1.0 / GRID_S, rng);
                Colour::Fractal(Box::new(fractal))
            }
        };
        let low_pass = (last_hz < HIGHEST_HZ).then(|| LowPass::new(last_hz));
        let mut noise = Self { rms, mean, from_s, to_s, colour, low_pass };
        if let Some(low_pass) = noise.low_pass {
            let power = |cycles| match &noise.colour {
                Colour::White(_) => 1.0,
                Colour::Fractal(fractal) => fractal.power(cycles),
            };
            let place = |j: usize| LOWEST * pow(0.5 / LOWEST, j as Real / PLACES as Real);
            // What lies below the first place is flat, and passes whole.
            let (mut all, mut left) = (power(LOWEST) * LOWEST, power(LOWEST) * LOWEST);
            for j in 0..PLACES {
                let (middle, width) = (place(j).midpoint(place(j + 1)), place(j + 1) - place(j));
                all += power(middle) * width;
                left += power(middle) * low_pass.power(middle) * width;
            }
            noise.rms *= fault!(SIGNAL_NOISE, (all / left).sqrt(), 1.0); // [noise.2]
            for _ in 0..(4.0 / (GRID_S * last_hz)) as usize {
                noise.next();
            }
        }
        noise
    }

    fn next(&mut self) -> Real {
        let own = match &mut self.colour {
            Colour::White(rng) => rng.normal(),
            Colour::Fractal(fractal) => fractal.draw(),
        };
        self.low_pass.as_mut().map_or(own, |low_pass| low_pass.step(own))
    }

    /// The value at grid point `index`; asked once for each, in order. `[audio]`
    pub fn draw(&mut self, index: u64) -> Real {
        let t = index as Real * GRID_S;
        if t >= self.from_s && t < self.to_s { self.mean + self.rms * self.next() } else { self.mean }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::sin;

    fn noise(beta: Real, last_hz: Real) -> Noise {
        let spec = NoiseSpec { rms: 2.0, mean: 5.0, from_s: 0.0, to_s: Real::INFINITY, beta, first_hz: 1.0, last_hz };
        Noise::new(spec, Rng::new(3, "noise"))
    }

    #[test]
    fn noise_keeps_its_mean_and_its_standard_deviation_whatever_its_colour_and_its_end() {
        for (beta, last_hz) in [(0.0, 500.0), (0.0, 40.0), (1.0, 500.0), (1.0, 40.0), (2.0, 40.0)] {
            let mut noise = noise(beta, last_hz);
            let n = 2_000_000;
            let (mut mean, mut square) = (0.0, 0.0);
            for k in 0..n {
                let x = noise.draw(k);
                mean += x / n as Real;
                square += (x - 5.0) * (x - 5.0) / n as Real;
            }
            // 2000 s hold some 2000 independent values of the slowest part (1 Hz): 5 standard errors.
            assert!(
                (mean - 5.0).abs() < 0.25 && (square.sqrt() - 2.0).abs() < 0.16,
                "{beta} {last_hz}: {mean} {square}"
            );
        }
    }

    /// Mean power in a band of an octave about a frequency, by windowed transforms of 4 s.
    fn power(all: &[Real], freq_hz: Real) -> Real {
        let (length, mut sum, mut count) = (4000, 0.0, 0);
        for part in all.chunks_exact(length) {
            let mut at = (0.75 * freq_hz * 4.0).round() / 4.0;
            while at <= 1.25 * freq_hz {
                let (mut re, mut im) = (0.0, 0.0);
                for (n, x) in part.iter().enumerate() {
                    let t = n as Real / length as Real;
                    let window = 0.5 - 0.5 * cos(TAU * t);
                    re += window * (x - 5.0) * cos(TAU * at * n as Real * GRID_S);
                    im += window * (x - 5.0) * sin(TAU * at * n as Real * GRID_S);
                }
                (sum, count) = (sum + re * re + im * im, count + 1);
                at += 0.25 * (freq_hz / 4.0).max(1.0);
            }
        }
        sum / Real::from(count)
    }

    #[test]
    fn the_power_of_noise_falls_as_its_exponent_says_between_its_ends() {
        for beta in [0.0, 1.0, 2.0] {
            let mut noise = noise(beta, 500.0);
            let all: Vec<Real> = (0..160_000).map(|k| noise.draw(k)).collect();
            let slope = (power(&all, 64.0) / power(&all, 4.0)).log2() / 4.0;
            // Some 200 independent values at either end: half a decibel each, 0.06 in the slope; two such and what sums of poles ripple.
            assert!((slope + beta).abs() < 0.15, "beta {beta}: the slope is {slope}");
        }
    }

    #[test]
    fn white_noise_that_ends_early_is_three_decibels_down_at_its_end_and_falls_by_twelve_per_octave() {
        let filter = LowPass::new(40.0);
        assert!((filter.power(0.04) - 0.5).abs() < 1e-12 && (filter.power(0.0) - 1.0).abs() < 1e-12);
        let fall = 10.0 * (filter.power(0.08) / filter.power(0.04)).log10();
        assert!(
            (fall + 9.6).abs() < 0.6,
            "{fall} dB in the first octave: 1/(1 + 2^4) against 1/2, and the bilinear map"
        );
    }
}
