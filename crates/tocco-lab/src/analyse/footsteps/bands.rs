// SPDX-License-Identifier: MIT OR Apache-2.0
//! A spectrum in thirds of octaves as a sum of band-passes.
//!
//! The power of white noise through the band-pass of [particles.8] is `1/(1 + ((cos w - cos w0)/(t sin w))^2)` at the angle w,
//! `t = tan(pi B/fs)`; several with noises of their own add their powers. Middle, width and gain of each are moved to the least squares
//! of levels in dB (Levenberg and Marquardt, from two starts); how many is for Bayes' information criterion.

use nalgebra::{DMatrix, DVector};
use realfft::RealFftPlanner;
use tocco::process::particles::{BandPass, Resonance};

/// Most bands.
pub const MOST: usize = 6;
/// Thirds of octaves from 62.5 Hz to 16 kHz.
const THIRDS: std::ops::RangeInclusive<i32> = -12..=12;
/// A band is at least so wide, of its middle: thirds of octaves tell no less.
const NARROWEST: f64 = 0.15;
/// Rate at which a prototype's noise has variance 1, Hz.
const REFERENCE_HZ: f64 = 44_100.0;
/// Levels are not known better than this, dB: more bands for less are not wanted.
const KNOWN_DB: f64 = 0.2;

/// Middles of the thirds of octaves that a rate can hold, Hz.
pub fn centres(rate_hz: f64) -> Vec<f64> {
    let all = THIRDS.map(|n| 1000.0 * 2_f64.powf(f64::from(n) / 3.0));
    all.filter(|hz| *hz * 2_f64.powf(1.0 / 6.0) < 0.5 * rate_hz).collect()
}

/// Energy of a sound in each third of an octave, up to a factor; their sum is that of the sound between.
pub fn thirds(samples: &[f64], rate_hz: f64) -> Vec<f64> {
    let size = samples.len().next_power_of_two().max(8192);
    let fft = RealFftPlanner::<f64>::new().plan_fft_forward(size);
    let mut input = fft.make_input_vec();
    input[..samples.len()].copy_from_slice(samples);
    let mut output = fft.make_output_vec();
    if fft.process(&mut input, &mut output).is_err() {
        return vec![0.0; centres(rate_hz).len()];
    }
    let bin_hz = rate_hz / size as f64;
    let edge = 2_f64.powf(1.0 / 6.0);
    centres(rate_hz)
        .iter()
        .map(|centre| {
            let (low, high) = (centre / edge / bin_hz, centre * edge / bin_hz);
            let (from, to) = (low.floor() as usize, (high.ceil() as usize).min(output.len() - 1));
            let share = |k: usize| (high.min(k as f64 + 0.5) - low.max(k as f64 - 0.5)).clamp(0.0, 1.0);
            (from..=to).map(|k| share(k) * output[k].norm_sqr()).sum::<f64>() * 2.0 / (size as f64 * rate_hz)
        })
        .collect()
}

/// Variance of a band's noise at gain 1.
pub fn variance(band: &Resonance) -> f64 {
    let mut filter = BandPass::default();
    filter.tune(band.freq_hz, band.bandwidth_hz, REFERENCE_HZ);
    filter.variance_gain()
}

/// Power of white noise of density 1 through a band, in every third, relative to its width times the density.
fn power(freq_hz: f64, bandwidth_hz: f64, rate_hz: f64, centres: &[f64]) -> Vec<f64> {
    let pi = std::f64::consts::PI;
    let (middle, t) = ((2.0 * pi * freq_hz / rate_hz).cos(), (pi * (bandwidth_hz / rate_hz).min(0.49)).tan());
    let answer = |hz: f64| {
        let w = 2.0 * pi * hz / rate_hz;
        let off = (w.cos() - middle) / (t * w.sin());
        1.0 / (1.0 + off * off)
    };
    centres
        .iter()
        .map(|centre| {
            // A narrow band needs a fine grid.
            let points = (centre * 0.23 / (0.1 * bandwidth_hz)).clamp(8.0, 200.0) as usize;
            let at = |i: usize| centre * 2_f64.powf(((i as f64 + 0.5) / points as f64 - 0.5) / 3.0);
            (0..points).map(|i| answer(at(i)) * at(i)).sum::<f64>() / points as f64 * (2_f64.ln() / 3.0)
        })
        .collect()
}

/// Bands, and how far they are off.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// Lowest first, the loudest of gain 1.
    pub bands: Vec<Resonance>,
    /// Root mean square error, dB.
    pub fit_db: f64,
    /// What the bands make of every third, dB.
    pub fitted_db: Vec<f64>,
}

/// A problem: levels to reach.
struct Wanted<'a> {
    levels_db: &'a [f64],
    centres: Vec<f64>,
    rate_hz: f64,
}

impl Wanted<'_> {
    /// Parameters (ln f, ln B, ln g^2) to bands within their limits.
    fn bands(&self, p: &DVector<f64>) -> Vec<(f64, f64, f64)> {
        (0..p.len() / 3)
            .map(|k| {
                let freq_hz = p[3 * k].exp().clamp(40.0, 0.47 * self.rate_hz);
                let most = 0.45 * self.rate_hz;
                (freq_hz, p[3 * k + 1].exp().clamp((NARROWEST * freq_hz).min(most), most), p[3 * k + 2])
            })
            .collect()
    }

    fn levels(&self, p: &DVector<f64>) -> DVector<f64> {
        let mut sum = vec![1e-14; self.centres.len()];
        for (freq_hz, bandwidth_hz, ln_power) in self.bands(p) {
            let each = power(freq_hz, bandwidth_hz, self.rate_hz, &self.centres);
            sum.iter_mut().zip(each).for_each(|(sum, x)| *sum += ln_power.clamp(-60.0, 60.0).exp() * x);
        }
        // Where nothing was heard, less is as good.
        let least = self.levels_db.iter().copied().fold(f64::INFINITY, f64::min);
        DVector::from_iterator(sum.len(), sum.iter().map(|x| (10.0 * x.log10()).max(least - 3.0)))
    }

    fn error(&self, p: &DVector<f64>) -> DVector<f64> {
        self.levels(p) - DVector::from_column_slice(self.levels_db)
    }

    /// Least squares from a start.
    fn descend(&self, mut p: DVector<f64>) -> (DVector<f64>, f64) {
        let mut error = self.error(&p);
        let (mut best, mut damping) = (error.norm_squared(), 1.0);
        for _ in 0..120 {
            let mut jacobian = DMatrix::zeros(error.len(), p.len());
            for i in 0..p.len() {
                let mut moved = p.clone();
                moved[i] += 1e-4;
                jacobian.set_column(i, &((self.error(&moved) - &error) / 1e-4));
            }
            let (square, slope) = (jacobian.tr_mul(&jacobian), jacobian.tr_mul(&error));
            let mut gained = false;
            for _ in 0..8 {
                let mut damped = square.clone();
                (0..p.len()).for_each(|i| damped[(i, i)] += damping * (1e-3 + square[(i, i)]));
                let Some(solved) = damped.cholesky() else {
                    damping *= 10.0;
                    continue;
                };
                let step = solved.solve(&slope).map(|x| x.clamp(-0.7, 0.7));
                let tried = &p - step;
                let there = self.error(&tried);
                if there.norm_squared() < best {
                    gained = best - there.norm_squared() > 1e-7 * best;
                    (p, error, best) = (tried, there.clone(), there.norm_squared());
                    damping = (0.3 * damping).max(1e-9);
                    break;
                }
                damping *= 4.0;
            }
            if !gained {
                break;
            }
        }
        (p, best)
    }

    /// Parameters of bands at these places, each at the level of its third.
    fn start(&self, places: &[f64], width: f64) -> DVector<f64> {
        let mut p = DVector::zeros(3 * places.len());
        for (k, hz) in places.iter().enumerate() {
            let near = (0..self.centres.len())
                .min_by(|a, b| (self.centres[*a] / hz).ln().abs().total_cmp(&(self.centres[*b] / hz).ln().abs()))
                .unwrap_or(0);
            (p[3 * k], p[3 * k + 1]) = (hz.ln(), (width * hz).ln());
            // Its power in that third is about its density times the third's width.
            p[3 * k + 2] = self.levels_db[near] * 0.1 * 10_f64.ln() - (0.23 * hz).ln();
        }
        p
    }

    /// The `count` most prominent places, each half an octave or more from the others.
    fn peaks(&self, count: usize) -> Vec<f64> {
        let around = |j: usize| {
            let window = &self.levels_db[j.saturating_sub(4)..(j + 5).min(self.levels_db.len())];
            self.levels_db[j] - window.iter().sum::<f64>() / window.len() as f64
        };
        let mut order: Vec<usize> = (0..self.centres.len()).collect();
        order.sort_by(|a, b| around(*b).total_cmp(&around(*a)));
        let mut places: Vec<f64> = Vec::new();
        for j in order {
            if places.len() < count && places.iter().all(|hz| (hz / self.centres[j]).ln().abs() > 0.4) {
                places.push(self.centres[j]);
            }
        }
        places
    }

    /// One band more, where the levels lie furthest above what there is.
    fn grown(&self, p: &DVector<f64>) -> DVector<f64> {
        let error = self.error(p);
        let lacks = (0..error.len()).min_by(|a, b| error[*a].total_cmp(&error[*b])).unwrap_or(0);
        let new = self.start(&[self.centres[lacks]], 0.3);
        DVector::from_iterator(p.len() + 3, p.iter().chain(new.iter()).copied())
    }

    fn spaced(&self, count: usize) -> Vec<f64> {
        let (low, high) = (self.centres[0].ln(), self.centres[self.centres.len() - 1].ln());
        (0..count).map(|k| (low + (high - low) * (k as f64 + 0.5) / count as f64).exp()).collect()
    }
}

/// As many band-passes as the levels of thirds ask for, at most `most`.
pub fn fit(levels_db: &[f64], rate_hz: f64, most: usize) -> Fitted {
    let wanted = Wanted { levels_db, centres: centres(rate_hz), rate_hz };
    let n = levels_db.len() as f64;
    let mut chosen: Option<(f64, DVector<f64>, f64)> = None;
    let mut before = None;
    for count in 1..=most.min(MOST).min(levels_db.len() / 3) {
        // Besides peaks and even spacing: the best of one band less, and one where it lacks most.
        let grown = before.as_ref().map(|p: &DVector<f64>| wanted.grown(p));
        let starts = [wanted.start(&wanted.peaks(count), 0.5), wanted.start(&wanted.spaced(count), 1.0)];
        let solved =
            starts.into_iter().chain(grown).map(|start| wanted.descend(start)).min_by(|a, b| a.1.total_cmp(&b.1));
        let Some((p, error)) = solved else { continue };
        before = Some(p.clone());
        let criterion = n * (error / n + KNOWN_DB * KNOWN_DB).ln() + 3.0 * count as f64 * n.ln();
        if chosen.as_ref().is_none_or(|(best, _, _)| criterion < *best) {
            chosen = Some((criterion, p, error));
        }
    }
    let Some((_, p, error)) = chosen else {
        return Fitted { bands: Vec::new(), fit_db: f64::INFINITY, fitted_db: Vec::new() };
    };
    let fitted_db = wanted.levels(&p).iter().copied().collect();
    let mut bands: Vec<Resonance> = wanted
        .bands(&p)
        .into_iter()
        .map(|(freq_hz, bandwidth_hz, ln_power)| Resonance {
            freq_hz: (10.0 * freq_hz).round() / 10.0,
            bandwidth_hz: (10.0 * bandwidth_hz).round() / 10.0,
            gain: (0.5 * ln_power).exp(),
        })
        .collect();
    let loudest = bands.iter().map(|band| band.gain).fold(1e-300, f64::max);
    bands.iter_mut().for_each(|band| band.gain = (1e4 * band.gain / loudest).round() / 1e4);
    bands.retain(|band| band.gain > 0.0);
    bands.sort_by(|a, b| a.freq_hz.total_cmp(&b.freq_hz));
    Fitted { bands, fit_db: (error / n).sqrt(), fitted_db }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirds_hold_the_energy_of_the_sound_between_their_ends() {
        let rate_hz = 44_100.0;
        let tone: Vec<f64> =
            (0..22_050).map(|n| (std::f64::consts::TAU * 1000.0 * f64::from(n) / rate_hz).sin()).collect();
        let all = thirds(&tone, rate_hz);
        let energy = tone.iter().map(|x| x * x).sum::<f64>() / rate_hz;
        assert!((all.iter().sum::<f64>() / energy - 1.0).abs() < 0.01);
        assert!(all[12] / energy > 0.97, "{:?}", all[12] / energy);
    }

    #[test]
    fn known_bands_are_found_again_from_their_levels() {
        let rate_hz = 44_100.0;
        let truth = [(850.0, 500.0, 0.5_f64), (6000.0, 5000.0, 0.33)];
        let centres = centres(rate_hz);
        let mut sum = vec![0.0; centres.len()];
        for (f, b, g) in truth {
            let each = power(f, b, rate_hz, &centres);
            sum.iter_mut().zip(each).for_each(|(s, x)| *s += g * g * x);
        }
        let levels: Vec<f64> = sum.iter().map(|x| 10.0 * x.log10()).collect();
        let found = fit(&levels, rate_hz, 6);
        assert!(found.fit_db < 0.1, "{}", found.fit_db);
        for (f, b, _) in truth {
            let near = found
                .bands
                .iter()
                .any(|x| (x.freq_hz / f - 1.0).abs() < 0.03 && (x.bandwidth_hz / b - 1.0).abs() < 0.15);
            assert!(near, "{f}/{b}: {:?}", found.bands);
        }
    }

    #[test]
    fn bands_that_overlap_are_found_as_one_spectrum_within_half_a_decibel() {
        let rate_hz = 44_100.0;
        let truth = [(400.0, 100.0, 1.0_f64), (660.0, 700.0, 0.4)];
        let centres = centres(rate_hz);
        let mut sum = vec![0.0; centres.len()];
        for (f, b, g) in truth {
            sum.iter_mut().zip(power(f, b, rate_hz, &centres)).for_each(|(s, x)| *s += g * g * x);
        }
        let levels: Vec<f64> = sum.iter().map(|x| 10.0 * x.log10()).collect();
        let found = fit(&levels, rate_hz, 6);
        assert!(found.fit_db <= 0.5, "{} dB", found.fit_db);
        // One by one only the narrow one is held to its place: the wide one reaches over it.
        let narrow = found.bands.iter().any(|x| (x.freq_hz / 400.0 - 1.0).abs() < 0.03);
        assert!(narrow && found.bands.iter().any(|x| x.bandwidth_hz > 300.0), "{:?}", found.bands);
    }
}
