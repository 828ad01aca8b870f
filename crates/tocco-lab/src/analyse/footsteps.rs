// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings of steps become a floor: De Sena et al. 2009 chapter 5, with a formal procedure in place of looking at spectrograms.
//!
//! Steps are found as `tocco::signal::steps` does. Each is cut where it stands 30 dB below its height and brought to the same
//! energy; the mean power in thirds of octaves is fitted by 1 to 6 band-passes in dB, as many as Bayes' criterion wants; mean
//! and deviation of the envelopes make the prototype. Where most steps have two bursts, heel and toe are told apart.

pub mod bands;
pub mod task;

use super::read::Recording;
use crate::error::{Result, bad};
use bands::Fitted;
use tocco::process::footstep::Prototype;
use tocco::process::particles::Resonance;
use tocco::signal::follow::{FALL_S, Follower, Levels, RISE_S};
use tocco::signal::steps::{StepOptions, StepRule, step_levels, steps_of};
use tocco::units::gain;

/// Distance of two frames of a prototype, s.
pub const FRAME_S: f64 = 0.002;
/// Longest step, s.
const LONGEST_S: f64 = 1.0;
/// Shortest step, s.
const SHORTEST_S: f64 = 0.03;
/// A step begins so far below its height, dB.
const ONSET_DB: f64 = -30.0;
/// Its tail is over so far below, dB.
const TAIL_DB: f64 = -46.0;
/// The onset is sought so far before where the step was found, s.
const BEFORE_S: f64 = 0.06;
/// The second burst of a step comes so long after the first, s.
const TOE_S: (f64, f64) = (0.06, 0.4);
/// It stands so many times above the dip before it, and reaches so much of the first.
const TOE_RISES: f64 = 2.0;
const TOE_LEAST: f64 = 0.15;
/// Share of the steps that must have one.
const TOE_SHARE: f64 = 0.6;
/// Bands so far below the loudest do not count, dB.
pub const RANGE_DB: f64 = 40.0;
/// What a deviation adds to the mean square of an envelope: the variance of a normal number held to -1 ... 1.
const HELD: f64 = 0.516_1;

/// What the analysis may be told.
#[derive(Clone, Copy, Debug)]
pub struct StepsOptions {
    /// Most bands.
    pub bands: usize,
    /// The printed pair of thresholds instead of the slow follower.
    pub pair: bool,
}

impl Default for StepsOptions {
    fn default() -> Self {
        Self { bands: 6, pair: false }
    }
}

/// One step in a recording.
#[derive(Clone, Debug)]
pub struct Heard {
    /// Index of the recording.
    pub recording: usize,
    /// Where it begins in the recording, s.
    pub at_s: f64,
    /// Its samples from the onset on, energy 1.
    pub samples: Vec<f64>,
    /// Its energy before that, full scale squared times s.
    pub energy: f64,
    /// Where the toe comes down, in samples from the onset.
    pub toe: Option<usize>,
}

/// A part of a step: all of it, its heel or its toe.
#[derive(Clone, Debug)]
pub struct Part {
    /// `step`, `heel` or `toe`.
    pub name: &'static str,
    /// Bands and envelope.
    pub make: Prototype,
    /// Level at which it plays as recorded.
    pub gain: f64,
    /// Root mean square error of the bands, dB.
    pub fit_db: f64,
    /// How far recorded steps lie from their mean, dB.
    pub between_db: f64,
    /// Middle of every third of an octave, Hz, and the mean power in it, dB.
    pub spectrum: Vec<(f64, f64)>,
    /// What the bands make of it, dB.
    pub fitted: Vec<f64>,
    /// Steps that had this part.
    pub steps: usize,
}

/// A floor as recordings of steps show it.
#[derive(Clone, Debug)]
pub struct Floor {
    /// Rate of the recordings, Hz.
    pub rate_hz: f64,
    /// Every step, in the order of the recordings.
    pub steps: Vec<Heard>,
    /// One part, or heel and toe.
    pub parts: Vec<Part>,
}

/// Finds the steps of recordings and what they sound like.
pub fn floor(recordings: &[Recording], options: &StepsOptions) -> Result<Floor> {
    if !(1..=bands::MOST).contains(&options.bands) {
        return bad(format!("--bands {}: give 1 to {}", options.bands, bands::MOST));
    }
    let Some(first) = recordings.first() else { return bad("no recording given") };
    let mut steps = Vec::new();
    for (index, recording) in recordings.iter().enumerate() {
        if recording.rate_hz != first.rate_hz {
            return bad(format!(
                "{}: {} Hz, but {} has {} Hz; steps on one floor need one rate",
                recording.name, recording.rate_hz, first.name, first.rate_hz
            ));
        }
        let found = steps_in(recording, index, options);
        if found.is_empty() || recording.is_steady() {
            return bad(format!(
                "{}: no step found; nothing in it rises out of what went before. Is it the right file?",
                recording.name
            ));
        }
        steps.extend(found);
    }
    let rate_hz = first.rate_hz;
    let toes = steps.iter().filter(|step| step.toe.is_some()).count();
    let two = toes as f64 >= TOE_SHARE * steps.len() as f64;
    let mut parts = Vec::new();
    if two {
        let all = |toe: bool| -> Vec<Vec<f64>> {
            let cut = |step: &Heard| {
                let toe_at = step.toe?;
                Some(if toe { step.samples[toe_at..].to_vec() } else { step.samples[..toe_at].to_vec() })
            };
            steps.iter().filter_map(cut).collect()
        };
        let energies: Vec<f64> = steps.iter().filter(|step| step.toe.is_some()).map(|step| step.energy).collect();
        for (name, toe) in [("heel", false), ("toe", true)] {
            parts.push(part(name, &all(toe), &energies, rate_hz, options)?);
        }
    } else {
        let all: Vec<Vec<f64>> = steps.iter().map(|step| step.samples.clone()).collect();
        let energies: Vec<f64> = steps.iter().map(|step| step.energy).collect();
        parts.push(part("step", &all, &energies, rate_hz, options)?);
    }
    Ok(Floor { rate_hz, steps, parts })
}

/// Root mean square in windows of 2 ms about every sample of a grid of 1 ms.
fn loudness(samples: &[f64], rate_hz: f64) -> Vec<f64> {
    let (hop, half) = (1e-3 * rate_hz, (1e-3 * rate_hz) as usize);
    (0..(samples.len() as f64 / hop) as usize)
        .map(|k| {
            let at = (k as f64 * hop) as usize;
            let window = &samples[at.saturating_sub(half)..(at + half).min(samples.len())];
            (window.iter().map(|x| x * x).sum::<f64>() / window.len().max(1) as f64).sqrt()
        })
        .collect()
}

fn steps_in(recording: &Recording, index: usize, options: &StepsOptions) -> Vec<Heard> {
    let (rate_hz, data) = (recording.rate_hz, &recording.samples);
    let plain: Vec<f32> = data.iter().map(|x| *x as f32).collect();
    let rule = if options.pair { StepRule::Pair } else { StepOptions::default().rule };
    let rules = StepOptions { rule, ..StepOptions::default() };
    let found = steps_of(&plain, rate_hz, step_levels(&plain, rate_hz), rules);
    let level = loudness(data, rate_hz);
    let in_ms = |s: f64| (1e3 * s) as usize;
    let mut onsets: Vec<usize> = Vec::new();
    for (n, [start, _]) in found.iter().enumerate() {
        let from = in_ms(*start);
        let to = found.get(n + 1).map_or(level.len(), |next| in_ms(next[0])).min(level.len());
        let height = level[from.min(to)..to].iter().copied().fold(0.0, f64::max);
        let earliest = from.saturating_sub(in_ms(BEFORE_S)).max(onsets.last().copied().unwrap_or(0));
        let quiet = |k: &usize| level[*k] < gain(ONSET_DB) * height;
        onsets.push((earliest..from.min(level.len())).rev().find(quiet).map_or(earliest, |k| k + 1));
    }
    let mut steps = Vec::new();
    for (n, onset) in onsets.iter().enumerate() {
        let next = onsets.get(n + 1).copied().unwrap_or(level.len());
        let most = (*onset + in_ms(LONGEST_S)).min(next);
        let height = level[*onset..most].iter().copied().fold(0.0, f64::max);
        let end = (*onset..most).rev().find(|k| level[*k] > gain(TAIL_DB) * height).map_or(most, |k| k + 1);
        let sample = |k: usize| ((k as f64 * 1e-3 * rate_hz) as usize).min(data.len());
        let samples = &data[sample(*onset)..sample(end)];
        let energy = samples.iter().map(|x| x * x).sum::<f64>() / rate_hz;
        if (samples.len() as f64) < SHORTEST_S * rate_hz || energy <= 0.0 {
            continue;
        }
        let scale = 1.0 / energy.sqrt();
        let samples: Vec<f64> = samples.iter().map(|x| scale * x).collect();
        let toe = toe_of(&samples, rate_hz);
        steps.push(Heard { recording: index, at_s: *onset as f64 * 1e-3, samples, energy, toe });
    }
    steps
}

/// Where a second burst begins: the loudest after a dip that it stands well above.
fn toe_of(samples: &[f64], rate_hz: f64) -> Option<usize> {
    // 16 ms smooth: grains are no bursts.
    let fine = loudness(samples, rate_hz);
    let level: Vec<f64> = (0..fine.len())
        .map(|k| {
            let window = &fine[k.saturating_sub(8)..(k + 8).min(fine.len())];
            (window.iter().map(|x| x * x).sum::<f64>() / window.len() as f64).sqrt()
        })
        .collect();
    let ms = |s: f64| (1e3 * s) as usize;
    let first = level[..ms(TOE_S.0).min(level.len())].iter().copied().fold(0.0, f64::max);
    let range = ms(TOE_S.0)..ms(TOE_S.1).min(level.len());
    let (peak, height) = range.map(|k| (k, level[k])).max_by(|a, b| a.1.total_cmp(&b.1))?;
    let summit = (0..ms(TOE_S.0).min(level.len())).max_by(|a, b| level[*a].total_cmp(&level[*b]))?;
    let (dip, low) = (summit..peak).map(|k| (k, level[k])).min_by(|a, b| a.1.total_cmp(&b.1))?;
    let stands = height > TOE_RISES * low && height > TOE_LEAST * first && low < first / TOE_RISES;
    (stands && dip > 20).then(|| ((dip as f64 * 1e-3 * rate_hz) as usize).min(samples.len().saturating_sub(1)))
}

/// Bands and envelope of pieces that are alike.
fn part(
    name: &'static str,
    pieces: &[Vec<f64>],
    energies: &[f64],
    rate_hz: f64,
    options: &StepsOptions,
) -> Result<Part> {
    let spectra: Vec<Vec<f64>> = pieces.iter().map(|piece| bands::thirds(piece, rate_hz)).collect();
    let centres = bands::centres(rate_hz);
    let count = spectra.len() as f64;
    let mean: Vec<f64> = (0..centres.len()).map(|j| spectra.iter().map(|s| s[j]).sum::<f64>() / count).collect();
    let to_db = |p: f64| 10.0 * p.max(1e-14).log10();
    // What lies further down is the codec's or the noise floor's, and no sum of bands falls as steeply.
    let most_db = mean.iter().map(|p| to_db(*p)).fold(f64::NEG_INFINITY, f64::max);
    let to_db = |p: f64| to_db(p).max(most_db - RANGE_DB);
    let mean_db: Vec<f64> = mean.iter().map(|p| to_db(*p)).collect();
    let apart = spectra.iter().flat_map(|s| s.iter().zip(&mean_db).map(|(p, m)| (to_db(*p) - m).powi(2)));
    let between_db = (apart.sum::<f64>() / (count * centres.len() as f64)).sqrt();
    let Fitted { bands, fit_db, fitted_db } = bands::fit(&mean_db, rate_hz, options.bands);
    let (envelope, deviation) = envelopes(pieces, rate_hz);
    // Of unit energy, then at the level of the recordings: the mean of their amplitudes.
    let share = pieces.iter().map(|p| p.iter().map(|x| x * x).sum::<f64>() / rate_hz).sum::<f64>() / count;
    let level = energies.iter().map(|e| e.sqrt()).sum::<f64>() / energies.len().max(1) as f64;
    let make = Prototype { bands, envelope, deviation, frame_s: FRAME_S };
    let gain = level * (share / energy(&make)).sqrt();
    let spectrum = centres.into_iter().zip(mean_db).collect();
    Ok(Part { name, make, gain, fit_db, between_db, spectrum, fitted: fitted_db, steps: pieces.len() })
}

/// Mean and deviation of the envelopes (5.1), brought to a height of 1.
fn envelopes(pieces: &[Vec<f64>], rate_hz: f64) -> (Vec<f64>, Vec<f64>) {
    let frames = pieces.iter().map(|p| (p.len() as f64 / rate_hz / FRAME_S) as usize + 1).max().unwrap_or(1);
    let follow = |piece: &Vec<f64>| -> Vec<f64> {
        let mut follower = Follower::new(RISE_S, FALL_S, Levels { floor: 0.0, most: 1.0 }, rate_hz);
        let mut heard = 0;
        (0..frames)
            .map(|k| {
                // Half a frame ahead: an attack lies before its height, not after it.
                let due = (((k as f64 + 0.5) * FRAME_S) * rate_hz) as usize;
                while heard < due {
                    follower.hear(piece.get(heard).copied().unwrap_or(0.0));
                    heard += 1;
                }
                follower.envelope()
            })
            .collect()
    };
    let all: Vec<Vec<f64>> = pieces.iter().map(follow).collect();
    let count = all.len() as f64;
    let mean: Vec<f64> = (0..frames).map(|k| all.iter().map(|e| e[k]).sum::<f64>() / count).collect();
    let deviation: Vec<f64> = (0..frames)
        .map(|k| (all.iter().map(|e| (e[k] - mean[k]).powi(2)).sum::<f64>() / (count - 1.0).max(1.0)).sqrt())
        .collect();
    let height = mean.iter().copied().fold(1e-300, f64::max);
    let last = mean.iter().rposition(|m| *m > 0.004 * height).map_or(1, |k| k + 2).min(frames);
    let round = |x: f64| (1e4 * x / height).round() / 1e4;
    let mut mean: Vec<f64> = mean[..last].iter().map(|m| round(*m)).collect();
    let mut deviation: Vec<f64> = deviation[..last].iter().map(|d| round(*d)).collect();
    // A step that was cut ends in a fade, not in a click.
    mean.push(0.0);
    deviation.push(0.0);
    (mean, deviation)
}

/// Mean energy of a step of a prototype at gain 1: variance of its bands times the mean square of its envelope.
pub fn energy(make: &Prototype) -> f64 {
    let bands: f64 = make.bands.iter().map(|band| band.gain * band.gain * bands::variance(band)).sum();
    let square = |frames: &[f64]| -> f64 {
        // Linear between frames: (a^2 + a b + b^2)/3 each.
        frames.windows(2).map(|p| (p[0] * p[0] + p[0] * p[1] + p[1] * p[1]) / 3.0).sum::<f64>() * make.frame_s
    };
    bands * (square(&make.envelope) + HELD * square(&make.deviation))
}

/// A band in words.
pub(crate) fn band_words(band: &Resonance) -> String {
    format!("{:.0}/{:.0}/{:.3}", band.freq_hz, band.bandwidth_hz, band.gain)
}
