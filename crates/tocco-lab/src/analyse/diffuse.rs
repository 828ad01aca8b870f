// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is heard between the modes and dies away with them: the answer of the room, of the table, of a hand.
//!
//! It has no lines to find: least squares explain little of it, and give it less energy than it has. But its level in
//! each band of the ear falls by some decay, and that a body can have: one exponential per mel band in which the modes leave
//! most of what is heard, where the rest is strongest, with the decay and at the level of the rest.

use super::exponential::{add, correlate};
use super::fit::{Model, Pole};
use super::mel::{self, BANDS, HOP_S, RANGE_DB};
use nalgebra::Complex;
use tocco::math::{TAU, exp, ln, pow};
use tocco::units::db;

/// Rows in a band from which on a decay can be told.
const LEAST_ROWS: usize = 4;
/// Power of the rest over that of its last tenth, above which it is no standing noise.
const CLEAR: f64 = 2.0;
/// The modes lack so much of what is heard in a band, dB, before it is filled.
const LACKS_DB: f64 = 1.5;
/// Decays of what is filled in, s.
const DECAY_S: (f64, f64) = (0.005, 2.0);
/// Logarithm of the energy by which the rest falls at least while it is heard: noise that stays falls by less.
const FALLS: f64 = 2.0;
/// Places within a band that are tried.
const PLACES: usize = 16;
/// Row in which an exponential is read: all of it lies after the onset.
const READ: usize = 2;
/// Rounds in which neighbours agree about their levels.
const ROUNDS: usize = 12;

/// One strike's levels, rows by bands.
struct Levels {
    rest: Vec<[f64; BANDS]>,
    modes: Vec<[f64; BANDS]>,
    floor: [f64; BANDS],
    heard: f64,
}

/// One band in one row.
struct Row {
    at: f64,
    /// Logarithm of the rest's energy.
    level: f64,
    /// By how much the modes alone are too quiet.
    lacks_db: f64,
}

impl Levels {
    fn new(cut: &[f64], rest: &[f64], rate_hz: f64) -> Self {
        let explained: Vec<f64> = cut.iter().zip(rest).map(|(x, r)| x - r).collect();
        let [all, rest, modes] = [cut, rest, &explained].map(|x| mel::rows(x, rate_hz));
        let top = all.iter().flatten().copied().fold(1e-300, f64::max);
        let tail = &rest[rest.len() - rest.len() / 10 - 1..];
        let floor = core::array::from_fn(|b| tail.iter().map(|row| row[b]).sum::<f64>() / tail.len() as f64);
        Self { rest, modes, floor, heard: top * pow(10.0, -0.1 * RANGE_DB) }
    }

    /// One band of the rest, as long as it is heard.
    fn of(&self, band: usize) -> Vec<Row> {
        let loud = |row: &[f64; BANDS]| row[band] > self.heard && row[band] > CLEAR * self.floor[band];
        let end = self.rest.iter().rposition(loud).map_or(0, |last| last + 1);
        let level = |(n, (rest, modes)): (usize, (&[f64; BANDS], &[f64; BANDS]))| {
            let left = rest[band] - self.floor[band];
            let lacks_db = 0.5 * db(1.0 + left / modes[band].max(1e-3 * self.heard));
            (left > 0.0).then(|| Row { at: n as f64, level: ln(left), lacks_db })
        };
        // The first row is half before the strike.
        self.rest.iter().zip(&self.modes).enumerate().take(end).skip(1).filter_map(level).collect()
    }
}

/// An exponential that fills a band.
struct Filler {
    band: usize,
    s: Complex<f64>,
    /// What the ear reads of it at amplitude 1 in row [`READ`], band by band.
    read: [f64; BANDS],
    /// Middle row and mean logarithm of the rest in it, of each strike that is heard here.
    means: Vec<Option<(f64, f64)>>,
    /// How much it is missed, dB over all rows.
    missed: f64,
}

/// Adds at most `most` exponentials, within `within_hz`, to a model that leaves `rest` of the strikes.
pub fn fill(cut: &[Vec<f64>], rest: &[Vec<f64>], model: &mut Model, rate_hz: f64, within_hz: (f64, f64), most: usize) {
    let levels: Vec<Levels> = cut.iter().zip(rest).map(|(x, r)| Levels::new(x, r, rate_hz)).collect();
    let mut fillers: Vec<Filler> = (0..BANDS).filter_map(|band| Filler::of(band, &levels, rest, rate_hz)).collect();
    fillers.retain(|f| (within_hz.0..=within_hz.1).contains(&(f.s.norm() * rate_hz / TAU)));
    fillers.sort_by(|a, b| b.missed.total_cmp(&a.missed));
    fillers.truncate(most);
    for (j, (weights, rest)) in model.weights.iter_mut().zip(rest).enumerate() {
        for (filler, energy) in fillers.iter().zip(energies(&fillers, j, rate_hz)) {
            // In phase with what is there, as far as there is a phase.
            let with = correlate(rest, filler.s).conj();
            weights.push(with * (energy.sqrt() / with.norm().max(1e-300)));
        }
    }
    model.poles.extend(fillers.iter().map(|f| Pole { s: f.s, noise: 0.0, home: (f.s.im, f.s.im), fills: true }));
}

/// Squared amplitudes in one strike with which every band has its level. Neighbours hear each other: each is moved by what
/// its band has too much or too little, until all agree.
fn energies(fillers: &[Filler], strike: usize, rate_hz: f64) -> Vec<f64> {
    let fall = |filler: &Filler, row: f64| exp(2.0 * filler.s.re * HOP_S * rate_hz * (row - READ as f64));
    let mut energies = vec![0.0; fillers.len()];
    for round in 0..ROUNDS {
        let now = energies.clone();
        for (own, energy) in fillers.iter().zip(&mut energies) {
            let Some((row, level)) = own.means[strike] else { continue };
            let total: f64 = fillers.iter().zip(&now).map(|(f, e)| e * f.read[own.band] * fall(f, row)).sum();
            let alone = exp(level) / (own.read[own.band] * fall(own, row)).max(1e-300);
            *energy = if round == 0 { alone } else { *energy * (exp(level) / total.max(1e-300)).min(4.0) };
        }
    }
    energies
}

impl Filler {
    fn of(band: usize, levels: &[Levels], rest: &[Vec<f64>], rate_hz: f64) -> Option<Self> {
        let mut heard: Vec<Vec<Row>> = levels.iter().map(|l| l.of(band)).collect();
        heard.iter_mut().filter(|rows| rows.len() < LEAST_ROWS).for_each(Vec::clear);
        let rows: usize = heard.iter().map(Vec::len).sum();
        let missed: f64 = heard.iter().flatten().map(|row| row.lacks_db).sum();
        if rows == 0 || missed < LACKS_DB * rows as f64 {
            return None;
        }
        // One slope for all strikes, a level for each.
        let (mut down, mut over, mut means) = (0.0, 0.0, Vec::new());
        for rows in &heard {
            if rows.is_empty() {
                means.push(None);
                continue;
            }
            let share = 1.0 / rows.len() as f64;
            let (at, level) =
                rows.iter().fold((0.0, 0.0), |(at, level), r| (at + share * r.at, level + share * r.level));
            for row in rows {
                down -= (row.at - at) * (row.level - level);
                over += (row.at - at) * (row.at - at);
            }
            means.push(Some((at, level)));
        }
        let fall = down / over;
        let longest = heard.iter().map(|rows| rows.len()).max().unwrap_or(0) as f64;
        if fall.is_nan() || fall * longest <= FALLS {
            return None;
        }
        // Energy falls by 2 sigma.
        let decay_s = (2.0 * HOP_S / fall).clamp(DECAY_S.0, DECAY_S.1);
        let [low, middle, high] = mel::corners(rate_hz)[band];
        let place = |i: usize| {
            let hz = 0.5 * (low + middle) + 0.5 * (high - low) * i as f64 / (PLACES - 1) as f64;
            Complex::new(-1.0 / (decay_s * rate_hz), TAU * hz / rate_hz)
        };
        let strength = |s: &Complex<f64>| rest.iter().map(|r| correlate(r, *s).norm_sqr()).sum::<f64>();
        let s = (0..PLACES).map(place).max_by(|a, b| strength(a).total_cmp(&strength(b)))?;
        let mut unit = vec![0.0; ((READ as f64 + 3.5) * HOP_S * rate_hz) as usize];
        add(&mut unit, Complex::new(1.0, 0.0), s);
        Some(Self { band, s, read: mel::rows(&unit, rate_hz)[READ], means, missed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tocco::rng::Rng;

    const RATE_HZ: f64 = 44_100.0;
    const ALL_HZ: (f64, f64) = (25.0, 20_000.0);

    /// Noise that dies away by `decay_s`, over noise that stays.
    fn hiss(decay_s: f64, level: f64, standing: f64, name: &str) -> Vec<f64> {
        let mut rng = Rng::new(7, name);
        let mut noise = || rng.between(-1.0, 1.0);
        let fall = |n: usize| exp(-(n as f64) / (decay_s * RATE_HZ));
        (0..44_100).map(|n| level * fall(n) * noise() + standing * noise()).collect()
    }

    #[test]
    fn a_room_is_filled_in_at_its_level_and_decay_in_every_band() {
        let strikes: Vec<Vec<f64>> = [(1.0, "a"), (0.3, "b")].map(|(level, name)| hiss(0.06, level, 0.0, name)).into();
        let mut model = Model { poles: Vec::new(), weights: vec![Vec::new(); 2] };
        fill(&strikes, &strikes, &mut model, RATE_HZ, ALL_HZ, 100);
        assert!(model.poles.len() >= BANDS - 2, "{} bands", model.poles.len());
        for (strike, weights) in strikes.iter().zip(&model.weights) {
            let mut body = vec![0.0; strike.len()];
            model.poles.iter().zip(weights).for_each(|(pole, w)| add(&mut body, *w, pole.s));
            let [real, made] = [strike, &body].map(|x| mel::rows(x, RATE_HZ));
            for rows in [2..8, 8..14, 14..20] {
                // The mean over bands and a few rows: one band of noise in one row is anywhere within 5 dB.
                let level =
                    |of: &[[f64; BANDS]]| of[rows.clone()].iter().flatten().map(|e| 4.343 * ln(*e)).sum::<f64>();
                let off_db = (level(&made) - level(&real)) / (rows.len() * BANDS) as f64;
                assert!(off_db.abs() < 1.0, "rows {rows:?}: {off_db} dB");
            }
        }
    }

    #[test]
    fn noise_that_stays_and_bands_that_modes_explain_are_not_filled() {
        let mut model = Model { poles: Vec::new(), weights: vec![Vec::new()] };
        let standing = vec![hiss(1.0, 0.0, 0.1, "standing")];
        fill(&standing, &standing, &mut model, RATE_HZ, ALL_HZ, 100);
        assert!(model.poles.len() <= 2, "{} in standing noise", model.poles.len());
        // A rest 20 dB below the modes is not heard beside them.
        let mut model = Model { poles: Vec::new(), weights: vec![Vec::new()] };
        let rest = vec![hiss(0.06, 0.1, 0.0, "rest")];
        let cut: Vec<f64> = hiss(0.06, 1.0, 0.0, "modes").iter().zip(&rest[0]).map(|(m, r)| m + r).collect();
        fill(&[cut], &rest, &mut model, RATE_HZ, ALL_HZ, 100);
        assert!(model.poles.is_empty(), "{}", model.poles.len());
    }

    #[test]
    fn a_strike_that_is_silent_in_a_band_stays_silent_there_and_no_band_outside_is_filled() {
        let strikes = [hiss(0.06, 1.0, 0.0, "loud"), vec![0.0; 44_100]];
        let mut model = Model { poles: Vec::new(), weights: vec![Vec::new(); 2] };
        fill(&strikes, &strikes, &mut model, RATE_HZ, (1000.0, 5000.0), 100);
        assert!(model.poles.len() > 10 && model.weights[0].iter().all(|w| w.norm() > 0.0));
        assert!(model.weights[1].iter().all(|w| w.norm() == 0.0), "{:?}", model.weights[1]);
        let hz = |pole: &Pole| pole.s.norm() * RATE_HZ / TAU;
        assert!(model.poles.iter().all(|pole| (1000.0..=5000.0).contains(&hz(pole))));
    }
}
