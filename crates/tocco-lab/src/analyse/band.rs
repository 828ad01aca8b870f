// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bands of a signal, moved to zero frequency and decimated.
//!
//! Only outputs whose whole window lies inside the signal are kept. A sum of decaying exponentials then stays one,
//! exactly: each pole keeps its place and only its weight changes. So no mode is bent by the filter's own ringing.

use nalgebra::Complex;
use tocco::math::{PI, TAU, cos, sin, sinc};

/// Attenuation of the stop band: an alias of the strongest mode lies below anything we report.
const STOP_DB: f64 = 96.0;

/// A filter bank of one bandwidth.
#[derive(Clone, Debug)]
pub struct Bank {
    /// Samples per decimated sample.
    pub stride: usize,
    /// Width of a band's own part, rad per sample.
    pub width: f64,
    taps: Vec<f64>,
}

impl Bank {
    /// Bands `width_hz` wide. The decimated rate is twice that; what is nearer than 0.6 widths to the centre passes, what
    /// would alias onto it is stopped.
    pub fn new(width_hz: f64, rate_hz: f64) -> Self {
        let stride = ((rate_hz / (2.0 * width_hz)) as usize).max(1);
        let decimated_hz = rate_hz / stride as f64;
        let (pass_hz, stop_hz) = (0.6 * width_hz, (decimated_hz - 0.6 * width_hz).min(0.98 * 0.5 * rate_hz));
        // Kaiser's rule for the length and shape of the window (Kaiser 1974).
        let length = (STOP_DB - 7.95) / (14.36 * (stop_hz - pass_hz) / rate_hz);
        let half = (0.5 * length).ceil() as i64;
        let beta = 0.1102 * (STOP_DB - 8.7);
        let cut = PI * (pass_hz + stop_hz) / rate_hz;
        let tap = |k: i64| {
            let place = k as f64 / (half + 1) as f64;
            sinc(cut * k as f64) * bessel_i0(beta * (1.0 - place * place).sqrt())
        };
        let mut taps: Vec<f64> = (-half..=half).map(tap).collect();
        let sum: f64 = taps.iter().sum();
        taps.iter_mut().for_each(|h| *h /= sum);
        Self { stride, width: TAU * width_hz / rate_hz, taps }
    }

    /// Samples of the signal behind one output.
    pub fn reach(&self) -> usize {
        self.taps.len()
    }

    /// Power of white noise at the output over its power at the input.
    pub fn noise_gain(&self) -> f64 {
        self.taps.iter().map(|h| h * h).sum()
    }

    /// The band around `centre` (rad per sample), at most `most` decimated samples of it.
    pub fn band(&self, signal: &[f64], centre: f64, most: usize) -> Vec<Complex<f64>> {
        if signal.len() < self.reach() {
            return Vec::new();
        }
        let turned: Vec<Complex<f64>> = self
            .taps
            .iter()
            .enumerate()
            .map(|(k, h)| Complex::new(h * cos(centre * k as f64), -h * sin(centre * k as f64)))
            .collect();
        let count = ((signal.len() - self.reach()) / self.stride + 1).min(most);
        (0..count)
            .map(|m| {
                let at = m * self.stride;
                let (mut re, mut im) = ([0.0; 4], [0.0; 4]);
                let window = &signal[at..at + self.reach()];
                let (fours, rest) = window.as_chunks::<4>();
                let (tap_fours, tap_rest) = turned.as_chunks::<4>();
                for (x, h) in fours.iter().zip(tap_fours) {
                    for lane in 0..4 {
                        re[lane] += x[lane] * h[lane].re;
                        im[lane] += x[lane] * h[lane].im;
                    }
                }
                for (x, h) in rest.iter().zip(tap_rest) {
                    re[0] += x * h.re;
                    im[0] += x * h.im;
                }
                let sum = Complex::new((re[0] + re[1]) + (re[2] + re[3]), (im[0] + im[1]) + (im[2] + im[3]));
                sum * Complex::new(cos(centre * at as f64), -sin(centre * at as f64))
            })
            .collect()
    }
}

/// Modified Bessel function of order zero by its series.
pub(super) fn bessel_i0(x: f64) -> f64 {
    let (mut sum, mut term, mut k) = (1.0, 1.0, 1.0);
    while term > 1e-17 * sum {
        term *= (0.5 * x / k) * (0.5 * x / k);
        sum += term;
        k += 1.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use tocco::math::exp;

    #[test]
    fn a_decaying_tone_stays_one_in_its_band_and_is_96_db_down_two_bands_away() {
        let (rate_hz, sigma, hz) = (48_000.0, 30.0, 3_040.0);
        let bank = Bank::new(250.0, rate_hz);
        let signal: Vec<f64> =
            (0..24_000).map(|n| exp(-sigma * n as f64 / rate_hz) * cos(TAU * hz * n as f64 / rate_hz)).collect();
        let centre = |hz: f64| TAU * hz / rate_hz;
        let band = bank.band(&signal, centre(3_000.0), 1000);
        let (step_s, turn) = (bank.stride as f64 / rate_hz, TAU * 40.0 * bank.stride as f64 / rate_hz);
        let pole = Complex::new(cos(turn), sin(turn)) * exp(-sigma * step_s);
        for pair in band.windows(2).take(100) {
            assert!((pair[1] - pair[0] * pole).norm() < 2e-5 * pair[0].norm(), "{} {}", pair[1] / pair[0], pole);
        }
        let far = bank.band(&signal, centre(3_600.0), 1);
        assert!(far[0].norm() < 3e-5 * band[0].norm(), "{}", far[0].norm() / band[0].norm());
    }
}
