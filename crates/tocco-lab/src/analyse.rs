// SPDX-License-Identifier: MIT OR Apache-2.0
//! A struck recording becomes a modal body.
//!
//! Found in this order: the strikes, the modes that all of them share, the weight of every mode in every strike. A
//! mode is a decaying exponential; `search` finds candidates band by band in signal subspaces, `fit` moves them all
//! together to the least squares, `doubt` drops what is no mode, `diffuse` stands in for what is heard between them. What
//! a body keeps of a strike are frequencies, decays, amplitudes, and the phase with which each mode reaches the ear. Lost is
//! what does not decay exponentially: the knock of the hammer, standing noise, a pitch that glides.

pub mod band;
pub mod body;
pub mod diffuse;
pub mod doubt;
pub mod exponential;
pub mod fit;
pub mod footsteps;
pub mod mel;
pub mod near;
pub mod onset;
pub mod picture;
pub mod read;
pub mod search;
pub mod subspace;
pub mod task;

use crate::console::ProgressBar;
use crate::error::{Result, bad};
use nalgebra::Complex;
use onset::Span;
use read::Recording;
use tocco::math::{TAU, atan2, cos, sin};
use tocco::units::{db, gain};

/// Modes overlap that are nearer than so many times the sum of their decay rates.
const OVERLAP: f64 = 2.0;
/// Most by which neighbours that disagree between strikes are raised to their energy: 12 dB.
const MOST_RAISED: f64 = 4.0;
/// Energy that modes may leave of a sound that is modal, relative: what is more is filled in, if it is not noise.
const MODAL: f64 = 1e-4;
/// The same where a codec has left its own noise.
const LOSSY: f64 = 1e-2;
/// Frequencies, Hz, between which a sound is whole.
const WHOLE_HZ: (f64, f64) = (50.0, 16_000.0);
/// Share of the best agreement between two strikes that is as good.
const NEARLY: f64 = 0.97;
/// Residual above which modes explain nothing.
const LEAST_DB: f64 = -1.0;

/// Strikes in one recording at most.
pub const MOST_STRIKES: usize = 32;

/// What the analysis may be told.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Most modes.
    pub modes: usize,
    /// Lowest frequency, Hz.
    pub min_hz: f64,
    /// Highest frequency, Hz; cut to 0.49 of the rate.
    pub max_hz: f64,
    /// Modes weaker than this below the strongest are left out, dB.
    pub range_db: f64,
    /// Strikes in each recording.
    pub strikes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { modes: 140, min_hz: 25.0, max_hz: 20_000.0, range_db: 80.0, strikes: 1 }
    }
}

impl Options {
    /// One line if a value cannot be meant.
    pub fn check(&self) -> Result<()> {
        if !(1..=400).contains(&self.modes) {
            return bad(format!("--modes {}: give 1 to 400", self.modes));
        }
        if !(1..=MOST_STRIKES).contains(&self.strikes) {
            return bad(format!("--strikes {}: give 1 to {MOST_STRIKES}", self.strikes));
        }
        if !(self.min_hz >= 10.0 && self.max_hz <= 192_000.0 && self.min_hz + 50.0 <= self.max_hz) {
            return bad(format!(
                "--min-hz {} --max-hz {}: give 10 Hz or more, and 50 Hz between them",
                self.min_hz, self.max_hz
            ));
        }
        if !(self.range_db >= 6.0 && self.range_db <= 120.0) {
            return bad(format!("--range-db {}: give 6 to 120", self.range_db));
        }
        Ok(())
    }
}

/// A mode of the object.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// Undamped frequency, Hz.
    pub freq_hz: f64,
    /// Time to 1/e, s.
    pub decay_s: f64,
    /// Signed amplitude in each strike where it begins, full scale 1.
    pub weights: Vec<f64>,
    /// Phase with which it reaches the ear, in all strikes: `weight e^(-t/decay) cos(omega t + turn)`, rad.
    pub turn_rad: f64,
}

/// One strike, as it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Strike {
    /// Recording it is in.
    pub file: String,
    /// Where in the recording.
    pub span: Span,
    /// Energy that the modes do not explain, relative to the strike's, dB.
    pub residual_db: f64,
    /// Strikes in the same recording that were heard but not asked for.
    pub others: usize,
}

/// An object as its strikes show it.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// Rate of the recordings, Hz.
    pub rate_hz: f64,
    /// Modes, lowest first.
    pub modes: Vec<Mode>,
    /// Strikes in the order given.
    pub strikes: Vec<Strike>,
    /// So many of the modes fill in for what is not modal, and need not be the object's.
    pub filling: usize,
}

/// Analyses recordings of one object.
pub fn analyse(recordings: &[Recording], options: &Options) -> Result<Analysis> {
    options.check()?;
    let Some(first) = recordings.first() else { return bad("no recording given") };
    let rate_hz = first.rate_hz;
    let (mut strikes, mut heard) = (Vec::new(), Vec::new());
    for recording in recordings {
        if recording.rate_hz != rate_hz {
            return bad(format!(
                "{}: {} Hz, but {} has {rate_hz} Hz; strikes of one object need one rate",
                recording.name, recording.rate_hz, first.name
            ));
        }
        let mean = recording.samples.iter().sum::<f64>() / recording.samples.len().max(1) as f64;
        let samples: Vec<f64> = recording.samples.iter().map(|x| x - mean).collect();
        let found = onset::strikes(&samples, rate_hz, options.strikes, &recording.name)?;
        for span in found.spans {
            let room = (span.end - span.start) / 4;
            heard.push(search::Heard {
                samples: samples[span.onset..span.end].to_vec(),
                height: span.start - span.onset,
                late: span.start - span.onset + ((onset::ATTACK_S * rate_hz) as usize).min(room),
                noise: found.floor,
            });
            strikes.push(Strike { file: recording.name.clone(), span, residual_db: 0.0, others: found.others });
        }
    }
    let wanted = search::Wanted {
        rate_hz,
        low_hz: options.min_hz,
        high_hz: options.max_hz.min(0.49 * rate_hz),
        modes: options.modes,
        range: gain(-options.range_db),
        whole: options.min_hz <= WHOLE_HZ.0 && options.max_hz >= WHOLE_HZ.1.min(0.45 * rate_hz),
        modal: if recordings.iter().any(|r| r.lossy) { LOSSY } else { MODAL },
    };
    if wanted.high_hz <= wanted.low_hz {
        return bad(format!("--min-hz {}: a recording at {rate_hz} Hz has nothing there", options.min_hz));
    }
    let bar = ProgressBar::new(wanted.bands() as u64, "bands");
    let search::Found { model, starts, filling, left } = search::modes(&heard, &wanted, &bar);
    drop(bar);
    if model.poles.is_empty() {
        return bad(format!("{}: no mode stands out of the noise; is it a struck object that rings?", first.name));
    }
    for (j, strike) in strikes.iter_mut().enumerate() {
        strike.span.start = strike.span.onset + starts[j];
        strike.residual_db = 0.5 * db(left[j]);
        if wanted.whole && strike.residual_db > LEAST_DB {
            return bad(format!(
                "{}: decaying modes explain none of it (residual {:.1} dB); is it a struck object that rings?",
                strike.file, strike.residual_db
            ));
        }
    }
    let lengths: Vec<usize> = heard.iter().zip(&starts).map(|(h, start)| h.samples.len() - start).collect();
    let mut modes: Vec<Mode> = model
        .poles
        .iter()
        .zip(rays(&model, &lengths))
        .map(|(pole, (weights, turn_rad))| Mode {
            freq_hz: pole.s.norm() * rate_hz / TAU,
            decay_s: 1.0 / (-pole.s.re * rate_hz),
            weights,
            turn_rad,
        })
        .collect();
    modes.sort_by(|a, b| a.freq_hz.total_cmp(&b.freq_hz));
    Ok(Analysis { rate_hz, modes, strikes, filling })
}

/// Signed amplitudes of every mode in every strike, `[mode][strike]`, and the turn with which the mode reaches the ear.
///
/// A mode's way to the ear turns its phase by as much in every strike. Strikes differ by the moment from which they are
/// counted; they are moved in time until they agree. Then the turn is taken from the strike that shows the mode best. What
/// is left of the difference turns neighbours alike: they are turned together to agree, and what then is in phase is the
/// weight, brought to the energy that they have together.
fn rays(model: &fit::Model, lengths: &[usize]) -> Vec<(Vec<f64>, f64)> {
    let poles = &model.poles;
    let power = |weights: &[Complex<f64>]| weights.iter().map(|w| w.norm_sqr()).sum::<f64>();
    let loudest = model.weights.iter().max_by(|a, b| power(a).total_cmp(&power(b)));
    let aligned = |strike: &Vec<Complex<f64>>| -> Vec<Complex<f64>> {
        let later = loudest.map_or(0.0, |to| delay(poles, strike, to));
        strike.iter().zip(poles).map(|(w, pole)| w * turned(pole.s.im * later)).collect()
    };
    let weights: Vec<Vec<Complex<f64>>> = model.weights.iter().map(aligned).collect();
    let best = |k: usize| (0..weights.len()).max_by(|a, b| weights[*a][k].norm().total_cmp(&weights[*b][k].norm()));
    let turns: Vec<f64> =
        (0..poles.len()).map(|k| best(k).map_or(0.0, |j| atan2(weights[j][k].im, weights[j][k].re))).collect();
    let unit = |k: usize| Complex::new(cos(turns[k]), sin(turns[k]));
    let mut rays: Vec<(Vec<f64>, f64)> = turns.iter().map(|turn| (Vec::new(), *turn)).collect();
    for (strike, length) in weights.iter().zip(lengths) {
        for group in neighbours(poles) {
            let agreed = |k: usize| strike[k] * unit(k).conj();
            let squares = group
                .iter()
                .fold(Complex::default(), |sum: Complex<f64>, &k| sum + agreed(k) * agreed(k) / -poles[k].s.re);
            let turn = -0.5 * atan2(squares.im, squares.re);
            let row: Vec<f64> = group.iter().map(|&k| (agreed(k) * Complex::new(cos(turn), sin(turn))).re).collect();
            let energy = |c: &dyn Fn(usize) -> Complex<f64>| -> f64 {
                let one = |i: usize, j: usize| {
                    let (s, t) = (poles[group[i]].s, poles[group[j]].s);
                    let sum = |s| exponential::sums(s, *length)[0];
                    exponential::inner(c(i), c(j), sum(s + t), sum(s + t.conj()))
                };
                (0..group.len()).map(|i| (0..group.len()).map(|j| one(i, j)).sum::<f64>()).sum()
            };
            let wanted = energy(&|i| strike[group[i]]);
            let had = energy(&|i| unit(group[i]) * row[i]);
            let level = (wanted / had).sqrt();
            let level = if level.is_finite() { level.min(MOST_RAISED) } else { 1.0 };
            group.iter().zip(row).for_each(|(&k, w)| rays[k].0.push(w * level));
        }
    }
    rays
}

fn turned(angle: f64) -> Complex<f64> {
    Complex::new(cos(angle), sin(angle))
}

/// Samples by which a strike is counted from later than another: where their modes agree in phase, whatever their signs.
/// Of several such the least; what fills in has no phase to agree.
fn delay(poles: &[fit::Pole], strike: &[Complex<f64>], to: &[Complex<f64>]) -> f64 {
    const STEP: f64 = 0.125;
    // A start is found in windows of half a millisecond: two lie at most two of them apart. At 48 kHz.
    const MOST: i32 = (0.001 * 48_000.0 / STEP) as i32;
    let pairs: Vec<(f64, Complex<f64>)> = poles
        .iter()
        .zip(strike.iter().zip(to))
        .filter(|(pole, _)| !pole.fills)
        .map(|(pole, (a, b))| {
            let both = a * b.conj();
            (2.0 * pole.s.im, both * both / both.norm().max(1e-300))
        })
        .collect();
    let agree = |step: i32| pairs.iter().map(|(w, both)| (both * turned(w * STEP * f64::from(step))).re).sum::<f64>();
    let places: Vec<(i32, f64)> = (-MOST..=MOST).map(|step| (step, agree(step))).collect();
    let most = places.iter().map(|(_, s)| *s).fold(f64::NEG_INFINITY, f64::max);
    let near = places.iter().filter(|(_, s)| *s >= NEARLY * most).min_by_key(|(step, _)| step.abs());
    near.map_or(0.0, |(step, _)| STEP * f64::from(*step))
}

/// Indices of poles that overlap, in groups; `poles` may be in any order.
fn neighbours(poles: &[fit::Pole]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..poles.len()).collect();
    order.sort_by(|a, b| poles[*a].s.im.total_cmp(&poles[*b].s.im));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for k in order {
        let near = |&o: &usize| (poles[k].s.im - poles[o].s.im).abs() < -OVERLAP * (poles[k].s.re + poles[o].s.re);
        match groups.last_mut() {
            Some(group) if group.iter().any(near) => group.push(k),
            _ => groups.push(vec![k]),
        }
    }
    groups
}
