// SPDX-License-Identifier: MIT OR Apache-2.0
//! How near a body is to the strike that it was made from.

use super::Analysis;
use super::mel::Distance;
use super::read::Recording;
use crate::error::Result;
use core::fmt;
use tocco::units::db;

/// Noise is read from so many seconds at least before the strike, and at most.
const LEAST_S: f64 = 0.1;
const MOST_S: f64 = 0.2;
/// Left out just before the onset, which is found to a millisecond, s.
const GUARD_S: f64 = 0.002;

/// Strikes whose modes share less of their sound than this are not of one object.
const STRANGERS: f64 = 0.03;

/// A body beside its strike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Energy of the body over the strike's.
    pub level_db: f64,
    /// Peak of the body over the strike's.
    pub peak_db: f64,
    /// How far they are apart to an ear.
    pub distance: Distance,
}

impl fmt::Display for Near {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "level {:+.1} dB, peak {:+.1} dB, log-mel distance {}", self.level_db, self.peak_db, self.distance)
    }
}

impl Analysis {
    /// Pairs of strikes that are hardly of one object, with the share of their sound that is of the same modes, 0 to 1: the sum over all modes of
    /// the geometric mean of the two parts of energy that each has (Bhattacharyya's coefficient). Of one object, every mode sounds
    /// wherever it is not struck at a node; of two, each mode sounds in one strike and is a residue in the other.
    pub fn strangers(&self) -> Vec<(usize, usize, f64)> {
        let parts = |strike: usize| -> Vec<f64> {
            let energies: Vec<f64> =
                self.modes.iter().map(|m| m.weights[strike] * m.weights[strike] * m.decay_s).collect();
            let sum: f64 = energies.iter().sum();
            energies.iter().map(|energy| energy / sum.max(1e-300)).collect()
        };
        let all: Vec<Vec<f64>> = (0..self.strikes.len()).map(parts).collect();
        let shared = |a: usize, b: usize| all[a].iter().zip(&all[b]).map(|(p, q)| (p * q).sqrt()).sum::<f64>();
        let pairs = (0..all.len()).flat_map(|a| (a + 1..all.len()).map(move |b| (a, b)));
        pairs.map(|(a, b)| (a, b, shared(a, b))).filter(|(.., share)| *share < STRANGERS).collect()
    }

    /// How near the body is to a strike of this recording, from the onset on. Where the hammer still touched the body is silent.
    pub fn near(&self, strike: usize, recording: &Recording) -> Result<Near> {
        let (span, samples) = (self.strikes[strike].span, &recording.samples);
        let (whole, attack) = (&samples[span.onset..span.end], span.start - span.onset);
        let free = self.resynthesis(strike, whole.len() - attack)?;
        let body = [vec![0.0; attack], free].concat();
        let energy = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().max(1e-300);
        let peak = |x: &[f64]| x.iter().fold(1e-150, |m: f64, x| m.max(x.abs()));
        // Other strikes may be in the same file; what went before the first of them is quiet.
        let first = self.strikes.iter().filter(|s| s.file == recording.name).map(|s| s.span.onset).min();
        let noise = noise(samples, first.unwrap_or(span.onset), self.rate_hz);
        Ok(Near {
            level_db: db(energy(&body[attack..]) / energy(&whole[attack..])) / 2.0,
            peak_db: db(peak(&body) / peak(whole)),
            distance: Distance::between(whole, &body, noise, self.rate_hz),
        })
    }
}

/// A part of the recording that shows its noise: the quietest before the strike, or the quietest after it if there is hardly
/// any time before.
fn noise(samples: &[f64], onset: usize, rate_hz: f64) -> &[f64] {
    let seconds = |s: f64| (s * rate_hz) as usize;
    let before = &samples[..onset.saturating_sub(seconds(GUARD_S))];
    let (part, long) = match before.len() >= seconds(LEAST_S) {
        true => (before, before.len().min(seconds(MOST_S))),
        false => (&samples[onset..], ((samples.len() - onset) / 4).min(seconds(MOST_S))),
    };
    let power = |from: usize| part[from..from + long].iter().map(|x| x * x).sum::<f64>();
    let places = (0..=part.len() - long).step_by((long / 4).max(1));
    let quietest = places.min_by(|a, b| power(*a).total_cmp(&power(*b))).unwrap_or(0);
    &part[quietest..quietest + long]
}
