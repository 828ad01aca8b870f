// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loudness after ITU-R BS.1770 and true peak, by the `ebur128` crate, for sounds that may be shorter than its blocks.
//!
//! The recommendation averages over gating blocks of 400 ms and drops a last block that is not full. A sound shorter than
//! one block is therefore measured with silence after it, up to 400 ms: its energy counts whole, spread over one block. The
//! silence is never written to the file.

use crate::error::{Error, Result};
use crate::measure::Level;
use ebur128::{EbuR128, Mode};
use tocco::math::{log10, pow};

/// Length of a gating block, s.
pub const BLOCK_S: f64 = 0.4;

/// Which of the recommendation's numbers is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Gated mean over the whole sound.
    Integrated,
    /// Loudest 400 ms.
    Momentary,
}

/// What was measured, for the sound as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Loudness {
    /// Which number is matched.
    pub measure: Measure,
    /// Loudness of every gating block, LUFS, before any gate; none for silence.
    pub blocks: Vec<f64>,
    /// Largest magnitude between samples, four times oversampled; at least the largest sample.
    pub true_peak: f64,
    /// Largest sample.
    pub peak: f64,
}

/// The gates of BS.1770: absolute, LUFS, and relative to what has passed it, LU.
const GATES: (f64, f64) = (-70.0, -10.0);

impl Loudness {
    /// What a meter reads of the sound after a gain, LUFS; negative infinity for silence. The absolute gate judges what is
    /// heard: a faint tail that it drops at one level it keeps at another.
    pub fn lufs(&self, gain_db: f64) -> f64 {
        let blocks = || self.blocks.iter().map(|block| block + gain_db);
        if self.measure == Measure::Momentary {
            return blocks().fold(f64::NEG_INFINITY, f64::max);
        }
        let mean = |least: f64| {
            let loud = || blocks().filter(|block| *block >= least);
            let energy: f64 = loud().map(|block| pow(10.0, 0.1 * block)).sum();
            10.0 * log10(energy / loud().count() as f64)
        };
        let all = mean(GATES.0);
        if all.is_finite() { mean((all + GATES.1).max(GATES.0)) } else { f64::NEG_INFINITY }
    }

    /// The gain that brings the sound to a loudness, dB; `None` for silence. Where a block passes a gate on the way the
    /// loudness jumps, and the gain is the one that comes nearest.
    pub fn gain_for(&self, lufs: f64) -> Option<f64> {
        let loudest = self.blocks.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut gain_db = Some(lufs - loudest).filter(|gain| gain.is_finite())?;
        let mut best = (f64::INFINITY, gain_db);
        for _ in 0..ROUNDS {
            let off = lufs - self.lufs(gain_db);
            if off.abs() < best.0 {
                best = (off.abs(), gain_db);
            }
            if off.abs() < 1e-9 || !off.is_finite() {
                break;
            }
            gain_db += off;
        }
        Some(best.1)
    }
}

/// Rounds of the search for a gain.
const ROUNDS: usize = 12;

/// Measures interleaved samples.
pub fn measure(samples: &[f32], channels: usize, rate_hz: f64, measure: Measure) -> Result<Loudness> {
    let mut level = Level::default();
    level.add(samples);
    Meters::default().read(samples, level.peak, (channels, rate_hz), measure)
}

/// Meters that measure one sound after another; making them anew costs a tenth of a short sound's measurement.
#[derive(Default)]
pub struct Meters {
    at_hand: Option<Pair>,
    scaled: Vec<f32>,
}

/// The two meters, and what they were made for.
struct Pair {
    made_for: (usize, f64),
    loudness: EbuR128,
    peak: EbuR128,
}

impl Meters {
    /// Measures interleaved samples whose largest is `peak`, of so many channels at so many Hz.
    pub fn read(&mut self, samples: &[f32], peak: f64, of: (usize, f64), measure: Measure) -> Result<Loudness> {
        if peak == 0.0 {
            return Ok(Loudness { measure, blocks: Vec::new(), true_peak: 0.0, peak: 0.0 });
        }
        // Brought to full scale first: the meter takes what is far below for silence, whatever the units of the tap.
        self.scaled.clear();
        let by = peak as f32;
        self.scaled.extend(samples.iter().map(|x| x / by));
        let broken = |e: ebur128::Error| Error::Machine(format!("loudness could not be measured: {e}"));
        let (mut blocks, between) = self.full_scale(of).map_err(broken)?;
        blocks.iter_mut().for_each(|block| *block += tocco::units::db(peak));
        Ok(Loudness { measure, blocks, true_peak: between * peak, peak })
    }

    /// Loudness of every gating block and true peak of the sound at full scale.
    fn full_scale(&mut self, wanted: (usize, f64)) -> std::result::Result<(Vec<f64>, f64), ebur128::Error> {
        let (channels, rate_hz) = wanted;
        let meters = match self.at_hand.take() {
            Some(mut meters) if meters.made_for == wanted => {
                meters.loudness.reset();
                meters.peak.reset();
                meters
            }
            _ => {
                let make = |mode| EbuR128::new(channels as u32, rate_hz.round() as u32, mode);
                Pair { made_for: wanted, loudness: make(Mode::M)?, peak: make(Mode::TRUE_PEAK)? }
            }
        };
        let Pair { loudness: meter, peak, .. } = self.at_hand.insert(meters);
        // A gating block is the momentary loudness at a step of 100 ms, as the meter counts them.
        let step = (rate_hz.round() as usize + 5) / 10 * channels;
        let least = 4 * step;
        let (mut blocks, mut fed) = (Vec::new(), 0);
        let mut feed = |block: &[f32]| {
            meter.add_frames_f32(block)?;
            fed += block.len();
            if fed >= least && fed % step == 0 {
                blocks.push(meter.loudness_momentary()?);
            }
            Ok(())
        };
        for block in self.scaled.chunks(step) {
            feed(block)?;
        }
        if self.scaled.len() < least {
            feed(&vec![0.0; least - self.scaled.len()])?;
        }
        Ok((blocks, true_peak(peak, &self.scaled, channels)?))
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
                assert!((got.lufs(0.0) + 3.01).abs() < 0.05, "{rate_hz} {kind:?} {}", got.lufs(0.0));
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
            assert!((got.lufs(0.0) - expected).abs() < 0.15, "{kind:?} {} {expected}", got.lufs(0.0));
        }
    }

    /// What the crate itself reads of samples after a gain.
    fn read_whole(samples: &[f32], rate_hz: f64, gain_db: f64) -> f64 {
        let factor = tocco::units::gain(gain_db);
        let scaled: Vec<f32> = samples.iter().map(|x| (f64::from(*x) * factor) as f32).collect();
        let mut meter = EbuR128::new(1, rate_hz as u32, Mode::I).unwrap();
        meter.add_frames_f32(&scaled).unwrap();
        meter.loudness_global().unwrap()
    }

    #[test]
    fn a_meter_reads_the_loudness_asked_for_at_any_level_though_gates_drop_other_parts() {
        for (decay_s, rate_hz) in [(0.05, 44_100.0), (0.2, 48_000.0), (0.6, 44_100.0), (3.0, 48_000.0)] {
            let ring = |i: usize| (-(i as f64) / (decay_s * rate_hz)).exp() * (TAU * 700.0 * i as f64 / rate_hz).sin();
            // The units of a tap may be anything.
            let sound: Vec<f32> = (0..(4.0 * rate_hz) as usize).map(|i| (1e-5 * ring(i)) as f32).collect();
            let got = measure(&sound, 1, rate_hz, Measure::Integrated).unwrap();
            for lufs in [-10.0, -23.0, -36.0, -50.0, -64.0] {
                let gain_db = got.gain_for(lufs).unwrap();
                let read = read_whole(&sound, rate_hz, gain_db);
                assert!((read - got.lufs(gain_db)).abs() < 0.01, "{decay_s} s, {lufs}: {read} {}", got.lufs(gain_db));
                // Where a block passes the gate the loudness jumps, by less than this.
                assert!((read - lufs).abs() < 0.3, "{decay_s} s: {read} for {lufs}");
            }
        }
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
        assert_eq!(silent.lufs(0.0), f64::NEG_INFINITY);
    }

    #[test]
    fn a_meter_forgets_the_sound_before() {
        let mut meters = Meters::default();
        for (seconds, rate_hz) in [(2.0, 44_100.0), (0.05, 44_100.0), (0.7, 96_000.0), (0.7, 96_000.0), (0.1, 44_100.0)]
        {
            for kind in [Measure::Integrated, Measure::Momentary, Measure::Momentary] {
                let sound = sine(440.0 / seconds, 0.3, seconds, rate_hz);
                let alone = measure(&sound, 1, rate_hz, kind).unwrap();
                let again = meters.read(&sound, alone.peak, (1, rate_hz), kind).unwrap();
                assert_eq!(again, alone, "{seconds} s, {rate_hz} Hz, {kind:?}");
            }
        }
    }
}
