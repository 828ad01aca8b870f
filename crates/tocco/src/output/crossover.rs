// SPDX-License-Identifier: MIT OR Apache-2.0
//! The band of an output: what a woofer, a tweeter or a shaker is given.
//!
//! **What.** `lowpass_hz` of one output and `highpass_hz` of another at the same frequency are a crossover: what both are given, summed, is
//! what came in, but for phase. `band_hz` is both on one output.
//!
//! **Law.** Fourth order by Linkwitz and Riley: twice the same two-pole filter by Butterworth, through the bilinear map, fs the rate:
//! - `[crossover.1]  L = b (1 + 1/z)^2/(1 + a1/z + a2/z^2)`, `H = c (1 - 1/z)^2/(...)`: t = tan(pi f/fs), c = 1/(1 + sqrt(2) t + t^2),
//!   b = t^2 c, a1 = 2 (t^2 - 1) c, a2 = (1 - sqrt(2) t + t^2) c
//! - `[crossover.2]  |L^2 + H^2| = 1` at every frequency; each is at 1/2 (-6.02 dB) at f, and both are in phase everywhere
//!
//! **Step.** By the sample, after room and air: it is the loudspeaker's. A frequency above 0.49 of the rate is held there.
//!
//! **Sources.** Linkwitz (1976), Active crossover networks for noncoincident drivers; De Sena et al. 2009 section 7.2 (two ways under each shoe).

use super::room::Block;
use crate::math::{PI, Real, tan};

/// The frequencies between which an output sounds, Hz.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Band {
    /// 6 dB down here and 24 dB per octave below.
    pub highpass_hz: Option<Real>,
    /// 6 dB down here and 24 dB per octave above.
    pub lowpass_hz: Option<Real>,
}

impl Band {
    /// True if everything passes.
    pub fn is_open(&self) -> bool {
        self.highpass_hz.is_none() && self.lowpass_hz.is_none()
    }
}

/// One two-pole filter. [crossover.1]
#[derive(Clone, Copy, Debug)]
pub struct TwoPole {
    b: [Real; 3],
    a: [Real; 2],
}

impl TwoPole {
    /// With its edge at a frequency, passing what lies above (`high`) or below. `[control]`
    pub fn new(freq_hz: Real, high: bool, rate_hz: Real) -> Self {
        let t = tan(PI * (freq_hz / rate_hz).min(0.49));
        let c = 1.0 / (1.0 + core::f64::consts::SQRT_2 * t + t * t);
        let (b, middle) = if high { (c, -2.0) } else { (t * t * c, 2.0) };
        Self { b: [b, middle * b, b], a: [2.0 * (t * t - 1.0) * c, (1.0 - core::f64::consts::SQRT_2 * t + t * t) * c] }
    }
}

impl TwoPole {
    /// One sample. `[audio]`
    #[inline]
    pub fn step(&self, x: Real, state: &mut [Real; 2]) -> Real {
        let y = self.b[0] * x + state[0];
        state[0] = (self.b[1] * x + state[1]) - self.a[0] * y;
        state[1] = self.b[2] * x - self.a[1] * y;
        y
    }
}

/// The band of an output while it sounds: each filter twice, for each channel.
#[derive(Clone, Debug)]
pub struct Crossover {
    filters: Vec<TwoPole>,
    /// For each channel, two numbers for each filter.
    states: Vec<Vec<[Real; 2]>>,
}

impl Crossover {
    /// Silent filters. `[control]`
    pub fn new(band: Band, channels: usize, rate_hz: Real) -> Self {
        let ends = [(band.highpass_hz, true), (band.lowpass_hz, false)];
        let ends = ends.into_iter().filter_map(|(freq_hz, high)| freq_hz.map(|freq_hz| (freq_hz, high)));
        let filters: Vec<TwoPole> =
            ends.flat_map(|(freq_hz, high)| [TwoPole::new(freq_hz, high, rate_hz); 2]).collect();
        Self { states: vec![vec![[0.0; 2]; filters.len()]; channels], filters }
    }

    /// Passes `ticks` samples of a channel through. `[audio]`
    pub fn pass(&mut self, channel: usize, ticks: usize, lane: &mut Block) {
        for (filter, state) in self.filters.iter().zip(&mut self.states[channel]) {
            lane[..ticks].iter_mut().for_each(|x| *x = filter.step(*x, state));
            // What is too small to hear would cost as a denormal.
            state.iter_mut().filter(|s| s.abs() < 1e-200).for_each(|s| *s = 0.0);
        }
    }

    /// Silence. `[audio]`
    pub fn hush(&mut self) {
        self.states.iter_mut().for_each(|states| states.fill([0.0; 2]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{TAU, cos, sin};
    use crate::resonator::CONTROL_TICKS;

    /// The response of a band at a frequency, by the transform of what it makes of an impulse.
    fn response(band: Band, rate_hz: Real) -> Vec<Real> {
        let mut crossover = Crossover::new(band, 1, rate_hz);
        let mut all = Vec::new();
        for block in 0..4096 {
            let mut lane = [0.0; CONTROL_TICKS];
            lane[0] = if block == 0 { 1.0 } else { 0.0 };
            crossover.pass(0, CONTROL_TICKS, &mut lane);
            all.extend(lane);
        }
        all
    }

    fn level_db(impulse: &[Real], freq_hz: Real, rate_hz: Real) -> Real {
        let (mut re, mut im) = (0.0, 0.0);
        for (n, x) in impulse.iter().enumerate() {
            let angle = TAU * freq_hz * n as Real / rate_hz;
            re += x * cos(angle);
            im -= x * sin(angle);
        }
        10.0 * (re * re + im * im).log10()
    }

    #[test]
    fn a_low_and_a_high_band_at_one_frequency_sum_to_everything_and_each_is_six_decibels_down_there() {
        for rate_hz in [44_100.0, 48_000.0, 96_000.0] {
            for freq_hz in [80.0, 120.0, 200.0, 400.0] {
                let low = response(Band { lowpass_hz: Some(freq_hz), highpass_hz: None }, rate_hz);
                let high = response(Band { highpass_hz: Some(freq_hz), lowpass_hz: None }, rate_hz);
                let both: Vec<Real> = low.iter().zip(&high).map(|(a, b)| a + b).collect();
                for at_hz in [20.0, 0.5 * freq_hz, freq_hz, 2.0 * freq_hz, 1000.0, 15_000.0] {
                    let flat = level_db(&both, at_hz, rate_hz);
                    assert!(flat.abs() < 1e-9, "{rate_hz} {freq_hz} {at_hz}: {flat} dB"); // [crossover.2]
                }
                for branch in [&low, &high] {
                    let down = level_db(branch, freq_hz, rate_hz);
                    assert!((down + 20.0 * 2.0_f64.log10()).abs() < 1e-9, "{down} dB");
                }
                let octave = level_db(&high, 0.25 * freq_hz, rate_hz) - level_db(&high, 0.125 * freq_hz, rate_hz);
                assert!((octave - 24.0).abs() < 0.2, "{octave} dB per octave");
            }
        }
    }

    #[test]
    fn a_band_passes_its_middle_and_is_six_decibels_down_at_both_ends() {
        let band = response(Band { highpass_hz: Some(40.0), lowpass_hz: Some(800.0) }, 48_000.0);
        let level = |hz| level_db(&band, hz, 48_000.0);
        assert!(level(180.0).abs() < 0.1, "{}", level(180.0));
        assert!((level(40.0) + 6.02).abs() < 0.01 && (level(800.0) + 6.02).abs() < 0.01);
        assert!(level(10.0) < -45.0 && level(4000.0) < -50.0, "{} {}", level(10.0), level(4000.0));
    }
}
