// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a waveform to what a phone can play: an envelope, a pitch, and transients.
//!
//! The envelope is the root mean square in 5 ms, largest 1. The pitch is the centre of gravity of the spectrum from 40 to 800 Hz in 30 ms,
//! from 0 at 60 Hz to 1 at 300 Hz by its logarithm (our convention). Transients are where a contact closes or a process lets something
//! happen: of those within 15 ms the strongest. Lists are thinned by a swinging door: straight lines between what is kept pass every value
//! that was left out within the tolerance.

use super::Recording;
use realfft::RealFftPlanner;

/// Length of a step of the envelope, s.
const STEP_S: f64 = 0.005;
/// Length of a window of the pitch, s.
const WINDOW_S: f64 = 0.03;
/// Transients nearer than this are one, s.
const APART_S: f64 = 0.015;
/// Transients weaker than this are none.
const WEAKEST: f64 = 0.05;
/// Below this share of the largest amplitude the pitch stays what it was.
const FAINT: f64 = 0.02;
/// Pitches 0 and 1, Hz.
const PITCHES_HZ: [f64; 2] = [60.0, 300.0];
/// Rate at which pitches are read, Hz.
const READ_HZ: f64 = 8000.0;

/// A point in time, s, and a value from 0 to 1.
pub type Point = (f64, f64);

/// A short blow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transient {
    /// s
    pub time_s: f64,
    /// From 0 to 1: how strong.
    pub amplitude: f64,
    /// From 0 to 1: how sharp.
    pub frequency: f64,
}

/// What a phone can play.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Felt {
    /// Length, s.
    pub seconds: f64,
    /// Amplitude every 5 ms, from 0 to the end.
    pub amplitude: Vec<Point>,
    /// Pitch every 30 ms, from 0 to the end.
    pub frequency: Vec<Point>,
    /// In order of time.
    pub transients: Vec<Transient>,
}

/// Where a frequency, Hz, lies between the two pitches.
pub fn pitch(freq_hz: f64) -> f64 {
    let [low, high] = PITCHES_HZ;
    ((freq_hz / low).ln() / (high / low).ln()).clamp(0.0, 1.0)
}

/// Value of a list of points at a time; before the first and after the last it stays.
pub fn at(points: &[Point], time: f64) -> f64 {
    let after = points.partition_point(|point| point.0 < time);
    match (after.checked_sub(1).map(|k| points[k]), points.get(after)) {
        (Some(a), Some(b)) => a.1 + (b.1 - a.1) * (time - a.0) / (b.0 - a.0),
        (Some(only), None) => only.1,
        (None, Some(only)) => only.1,
        (None, None) => 0.0,
    }
}

impl Felt {
    /// Reduces a recording.
    pub fn of(recording: &Recording) -> Self {
        let samples = recording.mixed();
        let seconds = samples.len() as f64 / recording.rate_hz;
        let step = (STEP_S * recording.rate_hz).round().max(1.0) as usize;
        let rms = |part: &[f64]| (part.iter().map(|x| x * x).sum::<f64>() / part.len() as f64).sqrt();
        let levels: Vec<f64> = samples.chunks(step).map(rms).collect();
        let most = levels.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let middle = |k: usize| (k as f64 + 0.5) * step as f64 / recording.rate_hz;
        let amplitude = spread(levels.iter().enumerate().map(|(k, level)| (middle(k), level / most)), seconds);
        let frequency = pitches(&samples, recording.rate_hz, &amplitude, seconds);
        let mut felt = Self { seconds, amplitude, frequency, transients: Vec::new() };
        felt.transients = felt.blows(&samples, recording);
        felt
    }

    /// Of the onsets within 15 ms the strongest; the strength is the largest value within 15 ms after it.
    fn blows(&self, samples: &[f64], recording: &Recording) -> Vec<Transient> {
        let most = samples.iter().fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
        let reach = (APART_S * recording.rate_hz) as usize;
        let blow = |time_s: f64| {
            let from = ((time_s * recording.rate_hz) as usize).min(samples.len());
            let part = &samples[from..(from + reach).min(samples.len())];
            let amplitude = part.iter().fold(0.0_f64, |most, x| most.max(x.abs())) / most;
            Transient { time_s, amplitude, frequency: at(&self.frequency, time_s) }
        };
        let mut onsets = recording.onsets.clone();
        onsets.sort_by(f64::total_cmp);
        let mut kept: Vec<Transient> = Vec::new();
        for next in onsets.into_iter().map(blow).filter(|blow| blow.amplitude >= WEAKEST) {
            match kept.last_mut() {
                Some(last) if next.time_s - last.time_s < APART_S => {
                    if next.amplitude > last.amplitude {
                        *last = next;
                    }
                }
                _ => kept.push(next),
            }
        }
        kept
    }
}

/// Points in the middle of their steps, with one more at either end.
fn spread(points: impl Iterator<Item = Point>, seconds: f64) -> Vec<Point> {
    let inner: Vec<Point> = points.filter(|point| point.0 < seconds).collect();
    let (Some(first), Some(last)) = (inner.first().copied(), inner.last().copied()) else {
        return vec![(0.0, 0.0), (seconds.max(STEP_S), 0.0)];
    };
    let mut all = vec![(0.0, first.1)];
    all.extend(inner);
    all.push((seconds, last.1));
    all
}

fn pitches(samples: &[f64], rate_hz: f64, amplitude: &[Point], seconds: f64) -> Vec<Point> {
    let samples = resample(samples, rate_hz, READ_HZ);
    let window = (WINDOW_S * READ_HZ) as usize;
    let size = window.next_power_of_two();
    let fft = RealFftPlanner::<f64>::new().plan_fft_forward(size);
    let (mut input, mut output) = (fft.make_input_vec(), fft.make_output_vec());
    let (mut last, mut points) = (0.5, Vec::new());
    for (k, part) in samples.chunks(window).enumerate() {
        let middle = (k as f64 + 0.5) * WINDOW_S;
        input.fill(0.0);
        for (i, (cell, x)) in input.iter_mut().zip(part).enumerate() {
            let hann = 0.5 - 0.5 * (std::f64::consts::TAU * (i as f64 + 0.5) / window as f64).cos();
            *cell = hann * x;
        }
        let (mut weight, mut sum) = (0.0, 0.0);
        if fft.process(&mut input, &mut output).is_ok() {
            for (bin, value) in output.iter().enumerate() {
                let hz = bin as f64 * READ_HZ / size as f64;
                if (super::BAND_HZ[0]..=super::BAND_HZ[1]).contains(&hz) {
                    weight += value.norm_sqr();
                    sum += hz * value.norm_sqr();
                }
            }
        }
        if weight > 0.0 && at(amplitude, middle) > FAINT {
            last = pitch(sum / weight);
        }
        points.push((middle, last));
    }
    spread(points.into_iter(), seconds)
}

/// Thins a list of points: between two that are kept a straight line passes all others within the tolerance.
pub fn thin(points: &[Point], tolerance: f64) -> Vec<Point> {
    let Some(first) = points.first() else { return Vec::new() };
    let (mut kept, mut pivot) = (vec![*first], *first);
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut last = *first;
    for point in &points[1..] {
        let slope = |value: f64, to: &Point, from: &Point| (value - from.1) / (to.0 - from.0);
        let straight = slope(point.1, point, &pivot);
        if straight < low || straight > high {
            // The door has swung shut: the one before is kept.
            kept.push(last);
            pivot = last;
            (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
        }
        low = low.max(slope(point.1 - tolerance, point, &pivot));
        high = high.min(slope(point.1 + tolerance, point, &pivot));
        last = *point;
    }
    if last.0 > pivot.0 {
        kept.push(last);
    }
    kept
}

/// Another rate, band-limited: a sinc of 32 zeros on either side under a Kaiser window of 80 dB.
pub fn resample(samples: &[f64], from_hz: f64, to_hz: f64) -> Vec<f64> {
    if from_hz == to_hz {
        return samples.to_vec();
    }
    const ZEROS: f64 = 32.0;
    const BETA: f64 = 7.857;
    let bessel = |x: f64| {
        let (mut sum, mut term, mut k) = (1.0, 1.0, 1.0);
        while term > 1e-12 * sum {
            term *= (x / (2.0 * k)) * (x / (2.0 * k));
            sum += term;
            k += 1.0;
        }
        sum
    };
    let cutoff = 0.92 * (to_hz / from_hz).min(1.0);
    let reach = ZEROS / cutoff;
    let whole = bessel(BETA);
    // The kernel as a table: 512 entries a zero are exact to 1e-6 by straight lines.
    let fine = 512.0 * cutoff;
    let table: Vec<f64> = (0..=(reach * fine) as usize + 1)
        .map(|k| {
            let t = k as f64 / fine;
            let x = std::f64::consts::PI * cutoff * t;
            let sinc = if x == 0.0 { 1.0 } else { x.sin() / x };
            let inside = 1.0 - (t / reach) * (t / reach);
            if inside > 0.0 { cutoff * sinc * bessel(BETA * inside.sqrt()) / whole } else { 0.0 }
        })
        .collect();
    let count = (samples.len() as f64 * to_hz / from_hz).round() as usize;
    (0..count)
        .map(|n| {
            let place = n as f64 * from_hz / to_hz;
            let first = (place - reach).ceil().max(0.0) as usize;
            let last = ((place + reach).floor() as usize + 1).min(samples.len());
            let mut sum = 0.0;
            for (k, x) in samples[first.min(last)..last].iter().enumerate() {
                let t = ((first + k) as f64 - place).abs() * fine;
                let cell = t as usize;
                sum += x * (table[cell] + (t - cell as f64) * (table[cell + 1] - table[cell]));
            }
            sum
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_the_points_that_are_kept_every_other_lies_within_the_tolerance() {
        let mut state = 1u64;
        let mut roll = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / (1u64 << 24) as f64
        };
        for tolerance in [0.0, 0.02, 0.3] {
            let mut value = 0.5;
            let points: Vec<Point> = (0..2000)
                .map(|k| {
                    value = (value + 0.2 * (roll() - 0.5)).clamp(0.0, 1.0);
                    (0.005 * f64::from(k), value)
                })
                .collect();
            let kept = thin(&points, tolerance);
            assert!(kept.first() == points.first() && kept.last() == points.last());
            assert!(kept.windows(2).all(|two| two[0].0 < two[1].0));
            assert!(points.iter().all(|(t, v)| (at(&kept, *t) - v).abs() <= tolerance + 1e-12));
            // It goes by up to 0.1 from point to point: only the coarse tolerance can leave out most.
            let most = if tolerance > 0.1 { points.len() / 2 } else { points.len() };
            assert!(tolerance == 0.0 || kept.len() < most, "{} at {tolerance}", kept.len());
        }
        let line: Vec<Point> = (0..100).map(|k| (f64::from(k), 0.01 * f64::from(k))).collect();
        assert_eq!(thin(&line, 0.001).len(), 2);
    }

    #[test]
    fn a_tone_keeps_its_level_and_phase_at_another_rate_and_what_no_rate_holds_is_gone() {
        for (from, to) in [(48_000.0, 8_000.0), (44_100.0, 8_000.0), (8_000.0, 48_000.0)] {
            let tone = |hz: f64, rate: f64| -> Vec<f64> {
                (0..(0.5 * rate) as usize).map(|n| (std::f64::consts::TAU * hz * n as f64 / rate).sin()).collect()
            };
            let (got, wanted) = (resample(&tone(700.0, from), from, to), tone(700.0, to));
            let inner = got.len() / 8..7 * got.len() / 8;
            let off = inner.clone().map(|k| (got[k] - wanted[k]).abs()).fold(0.0, f64::max);
            assert!(off < 1e-3, "{from} to {to}: {off}");
            if to < from {
                let ghost = resample(&tone(5000.0, from), from, to)[inner].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                assert!(ghost < 1e-3, "{ghost}");
            }
        }
    }
}
