// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loudness after ITU-R BS.1770 and true peak, by the `ebur128` crate, for sounds that may be shorter than its blocks.
//!
//! The recommendation averages over gating blocks of 400 ms and drops a last block that is not full. A sound shorter than
//! one block is therefore measured with silence after it, up to 400 ms: its energy counts whole, spread over one block. The
//! silence is never written to the file.

use crate::error::{HostError, Result};
use crate::measure::Level;
use ebur128::{EbuR128, Mode};

/// Length of a gating block, s.
pub const BLOCK_S: f64 = 0.4;
/// Frames between two readings of the momentary loudness: a tenth of a block, s.
const STEP_S: f64 = 0.1;

/// Which of the recommendation's numbers is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Gated mean over the whole sound.
    Integrated,
    /// Loudest 400 ms.
    Momentary,
}

/// What was measured, for the sound as it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loudness {
    /// LUFS; negative infinity for silence.
    pub lufs: f64,
    /// Largest magnitude between samples, four times oversampled; at least the largest sample.
    pub true_peak: f64,
    /// Largest sample.
    pub peak: f64,
}

/// Measures interleaved samples.
pub fn measure(samples: &[f32], channels: usize, rate_hz: f64, measure: Measure) -> Result<Loudness> {
    Meters::default().read(samples, channels, rate_hz, measure)
}

/// Meters that measure one sound after another; making them anew costs a tenth of a short sound's measurement.
#[derive(Default)]
pub struct Meters {
    at_hand: Option<Pair>,
    scaled: Vec<f32>,
}

/// The two meters, and what they were made for.
struct Pair {
    made_for: (usize, f64, Measure),
    loudness: EbuR128,
    peak: EbuR128,
}

impl Meters {
    /// Measures interleaved samples.
    pub fn read(&mut self, samples: &[f32], channels: usize, rate_hz: f64, measure: Measure) -> Result<Loudness> {
        let mut level = Level::default();
        level.add(samples);
        let peak = level.peak as f32;
        if peak == 0.0 {
            return Ok(Loudness { lufs: f64::NEG_INFINITY, true_peak: 0.0, peak: 0.0 });
        }
        // Brought to full scale first: the absolute gate of -70 LUFS must judge the sound, not the units of its tap.
        self.scaled.clear();
        self.scaled.extend(samples.iter().map(|x| x / peak));
        let broken = |e: ebur128::Error| HostError::Machine(format!("loudness could not be measured: {e}"));
        let (lufs, between) = self.full_scale((channels, rate_hz, measure)).map_err(broken)?;
        let peak = f64::from(peak);
        Ok(Loudness { lufs: lufs + tocco::units::db(peak), true_peak: between * peak, peak })
    }

    /// Loudness and true peak of the sound at full scale.
    fn full_scale(&mut self, wanted: (usize, f64, Measure)) -> std::result::Result<(f64, f64), ebur128::Error> {
        let (channels, rate_hz, measure) = wanted;
        let meters = match self.at_hand.take() {
            Some(mut meters) if meters.made_for == wanted => {
                meters.loudness.reset();
                meters.peak.reset();
                meters
            }
            _ => {
                let mode = if measure == Measure::Integrated { Mode::I } else { Mode::M };
                let make = |mode| EbuR128::new(channels as u32, rate_hz as u32, mode);
                Pair { made_for: wanted, loudness: make(mode)?, peak: make(Mode::TRUE_PEAK)? }
            }
        };
        let Pair { loudness: meter, peak, .. } = self.at_hand.insert(meters);
        let step = (STEP_S * rate_hz).round() as usize * channels;
        let least = (BLOCK_S * rate_hz).ceil() as usize * channels;
        let mut loudest = f64::NEG_INFINITY;
        let mut fed = 0;
        let mut feed = |block: &[f32]| {
            meter.add_frames_f32(block)?;
            fed += block.len();
            if measure == Measure::Momentary && fed >= least {
                loudest = loudest.max(meter.loudness_momentary()?);
            }
            Ok(())
        };
        for block in self.scaled.chunks(step.max(channels)) {
            feed(block)?;
        }
        if self.scaled.len() < least {
            feed(&vec![0.0; least - self.scaled.len()])?;
        }
        let lufs = if measure == Measure::Integrated { meter.loudness_global()? } else { loudest };
        Ok((lufs, true_peak(peak, &self.scaled, channels)?))
    }
}

/// Most that a value between samples can exceed the largest sample near it: the sum of the magnitudes of the interpolator's
/// taps stays below 3.
const MOST_BETWEEN: f32 = 3.0;
/// Frames that the interpolator looks around a place, and more.
const REACH: usize = 64;

/// True peak of samples whose largest is 1. Only as far as a value between samples could still pass 1: most struck sounds
/// are over by then, and this is the costlier half of the measurement.
fn true_peak(meter: &mut EbuR128, scaled: &[f32], channels: usize) -> std::result::Result<f64, ebur128::Error> {
    let loud = scaled.iter().rposition(|x| x.abs() * MOST_BETWEEN > 1.0).unwrap_or(0);
    let end = (loud / channels + REACH) * channels;
    meter.add_frames_f32(&scaled[..end.min(scaled.len())])?;
    if end > scaled.len() {
        meter.add_frames_f32(&vec![0.0; end - scaled.len()])?;
    }
    (0..channels).try_fold(1.0, |most: f64, channel| Ok(most.max(meter.true_peak(channel as u32)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    fn sine(hz: f64, amplitude: f64, seconds: f64, rate_hz: f64) -> Vec<f32> {
        let frames = (seconds * rate_hz) as usize;
        (0..frames).map(|i| (amplitude * (TAU * hz * i as f64 / rate_hz).sin()) as f32).collect()
    }

    #[test]
    fn the_recommendations_own_sine_reads_minus_three() {
        // BS.1770-5, annex 1: 997 Hz at 0 dBFS in one front channel reads -3.01 LKFS.
        for rate_hz in [44_100.0, 48_000.0, 96_000.0] {
            for kind in [Measure::Integrated, Measure::Momentary] {
                let got = measure(&sine(997.0, 1.0, 2.0, rate_hz), 1, rate_hz, kind).unwrap();
                assert!((got.lufs + 3.01).abs() < 0.05, "{rate_hz} {kind:?} {}", got.lufs);
                assert!((got.true_peak - 1.0).abs() < 0.01);
            }
        }
    }

    #[test]
    fn a_burst_shorter_than_a_block_reads_its_energy_over_400_ms() {
        let (rate_hz, long) = (48_000.0, 0.04);
        for kind in [Measure::Integrated, Measure::Momentary] {
            let got = measure(&sine(997.0, 0.5, long, rate_hz), 1, rate_hz, kind).unwrap();
            let expected = -3.01 - 6.02 + 10.0 * (long / BLOCK_S).log10();
            // The K filter's own transient spreads a burst of 40 periods by a few hundredths of a dB.
            assert!((got.lufs - expected).abs() < 0.15, "{kind:?} {} {expected}", got.lufs);
        }
    }

    #[test]
    fn level_moves_by_exactly_the_gain_even_far_below_the_absolute_gate() {
        let loud = measure(&sine(1500.0, 0.9, 0.7, 44_100.0), 1, 44_100.0, Measure::Integrated).unwrap();
        let faint = measure(&sine(1500.0, 0.9e-6, 0.7, 44_100.0), 1, 44_100.0, Measure::Integrated).unwrap();
        assert!((loud.lufs - faint.lufs - 120.0).abs() < 1e-3, "{} {}", loud.lufs, faint.lufs);
    }

    #[test]
    fn a_peak_between_samples_is_found() {
        // A quarter of the rate, 45 degrees off: every sample is 0.707 of the crest.
        let off: Vec<f32> = (0..4800).map(|i| (TAU * (i as f64 / 4.0 + 0.125)).sin() as f32).collect();
        let got = measure(&off, 1, 48_000.0, Measure::Integrated).unwrap();
        assert!(got.peak < 0.708 && (got.true_peak - 1.0).abs() < 0.06, "{got:?}");
        // The quiet tail of a decaying sound is not searched, and changes nothing.
        let decay = |i: usize| (0.9995_f64.powi(i as i32) * (0.7 * i as f64 + 0.3).sin()) as f32;
        let long: Vec<f32> = (0..20_000).map(decay).collect();
        let mut meter = EbuR128::new(1, 48_000, Mode::TRUE_PEAK).unwrap();
        meter.add_frames_f32(&long).unwrap();
        let got = measure(&long, 1, 48_000.0, Measure::Integrated).unwrap();
        assert!((got.true_peak - meter.true_peak(0).unwrap()).abs() < 1e-6, "{got:?}");
        let silent = measure(&[0.0; 100], 1, 48_000.0, Measure::Integrated).unwrap();
        assert_eq!(silent.lufs, f64::NEG_INFINITY);
    }

    #[test]
    fn a_meter_forgets_the_sound_before() {
        let mut meters = Meters::default();
        for (seconds, rate_hz) in [(2.0, 44_100.0), (0.05, 44_100.0), (0.7, 96_000.0), (0.7, 96_000.0), (0.1, 44_100.0)]
        {
            for kind in [Measure::Integrated, Measure::Momentary, Measure::Momentary] {
                let sound = sine(440.0 / seconds, 0.3, seconds, rate_hz);
                let again = meters.read(&sound, 1, rate_hz, kind).unwrap();
                assert_eq!(again, measure(&sound, 1, rate_hz, kind).unwrap(), "{seconds} s, {rate_hz} Hz, {kind:?}");
            }
        }
    }
}
