// SPDX-License-Identifier: MIT OR Apache-2.0
//! A struck recording becomes a modal body.
//!
//! Found in this order: the strikes, the modes that all of them share, the weight of every mode in every strike. A
//! mode is a decaying exponential; `search` finds candidates band by band in signal subspaces, `fit` moves them all
//! together to the least squares. What a body keeps of a strike are frequencies, decays, amplitudes and signs: an ideal
//! hit moves all modes in phase, so each mode's own phase is lost, and so is what does not decay exponentially (the
//! knock of the hammer, noise, a pitch that glides).

pub mod band;
pub mod body;
pub mod command;
pub mod exponential;
pub mod fit;
pub mod mel;
pub mod onset;
pub mod picture;
pub mod read;
pub mod search;
pub mod subspace;

use crate::error::{Result, bad};
use crate::say::Bar;
use nalgebra::Complex;
use onset::Span;
use read::Recording;
use tocco::math::{TAU, atan2, cos, sin};
use tocco::units::{db, gain};

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
        if !(1..=32).contains(&self.strikes) {
            return bad(format!("--strikes {}: give 1 to 32", self.strikes));
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
}

/// Analyses recordings of one object.
pub fn analyse(recordings: &[Recording], options: &Options) -> Result<Analysis> {
    options.check()?;
    let Some(first) = recordings.first() else { return bad("no recording given") };
    let rate_hz = first.rate_hz;
    let (mut strikes, mut signals) = (Vec::new(), Vec::new());
    for recording in recordings {
        if recording.rate_hz != rate_hz {
            return bad(format!(
                "{}: {} Hz, but {} has {rate_hz} Hz; strikes of one object need one rate",
                recording.name, recording.rate_hz, first.name
            ));
        }
        let mean = recording.samples.iter().sum::<f64>() / recording.samples.len().max(1) as f64;
        let samples: Vec<f64> = recording.samples.iter().map(|x| x - mean).collect();
        for span in onset::strikes(&samples, rate_hz, options.strikes, &recording.name)? {
            signals.push(samples[span.start..span.end].to_vec());
            strikes.push(Strike { file: recording.name.clone(), span, residual_db: 0.0 });
        }
    }
    let wanted = search::Wanted {
        rate_hz,
        low_hz: options.min_hz,
        high_hz: options.max_hz.min(0.49 * rate_hz),
        modes: options.modes,
        range: gain(-options.range_db),
    };
    if wanted.high_hz <= wanted.low_hz {
        return bad(format!("--min-hz {}: a recording at {rate_hz} Hz has nothing there", options.min_hz));
    }
    let bar = Bar::new(wanted.bands() as u64, "bands");
    let model = search::modes(&signals, &wanted, &bar);
    drop(bar);
    if model.poles.is_empty() {
        return bad(format!("{}: no mode stands out of the noise; is it a struck object that rings?", first.name));
    }
    let rest = fit::residual(&signals, &model);
    let energy = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().max(1e-300);
    for (j, strike) in strikes.iter_mut().enumerate() {
        strike.residual_db = db((energy(&rest[j]) / energy(&signals[j])).sqrt());
    }
    let weights = signed(&model.weights);
    let mut modes: Vec<Mode> = model
        .poles
        .iter()
        .enumerate()
        .map(|(k, pole)| Mode {
            freq_hz: pole.s.norm() * rate_hz / TAU,
            decay_s: 1.0 / (-pole.s.re * rate_hz),
            weights: weights.iter().map(|w| w[k]).collect(),
        })
        .collect();
    modes.sort_by(|a, b| a.freq_hz.total_cmp(&b.freq_hz));
    Ok(Analysis { rate_hz, modes, strikes })
}

/// Amplitudes with signs. A turn of all phases that a strike's modes share (velocity or pressure, the microphone's
/// distance) is taken out; the sign is that of what then is in phase. Later strikes are turned to agree with the first.
fn signed(weights: &[Vec<Complex<f64>>]) -> Vec<Vec<f64>> {
    let mut all: Vec<Vec<f64>> = Vec::new();
    for strike in weights {
        let squares = strike.iter().fold(Complex::default(), |sum: Complex<f64>, c| sum + c * c);
        let turn = -0.5 * atan2(squares.im, squares.re);
        let sign = |c: &Complex<f64>| (c * Complex::new(cos(turn), sin(turn))).re;
        let mut row: Vec<f64> = strike.iter().map(|c| c.norm().copysign(sign(c))).collect();
        let reference = all.first().unwrap_or(&row);
        let agreement: f64 = if all.is_empty() {
            row.iter().map(|w| w * w.abs()).sum()
        } else {
            row.iter().zip(reference).map(|(a, b)| a * b).sum()
        };
        if agreement < 0.0 {
            row.iter_mut().for_each(|w| *w = -*w);
        }
        all.push(row);
    }
    all
}
