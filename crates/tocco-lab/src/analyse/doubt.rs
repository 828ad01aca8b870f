// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which of the fitted exponentials are modes.
//!
//! **Noise.** What a mode is measured against is what the fit leaves about its frequency during its own life, not what
//! the end of the recording says: a codec's noise follows the sound that hides it, and a wrong model leaves more than
//! noise. `v = |sum of r[n] e^(s' n)|^2 / sum of e^(-2 sigma n)` at places s' beside the pole has the mean of white noise of
//! power v; the median of several is not moved by a neighbour that is still to be found.
//!
//! **Doubt.** The Cramer-Rao bound of each decay rate at the fitted values. A decay uncertain by more than [`WORST`] is no
//! mode, nor is a pole that decays as fast as its band can tell: a wider band will see it, or nothing was there.
//!
//! **One or two.** `c1 e^(s1 n) + c2 e^(s2 n)` is `(c1 + c2) e^(s n)` with `s = (c1 s1 + c2 s2)/(c1 + c2)` to first order. Two
//! neighbours that one explains so well are one mode.

use super::exponential::{correlate, inner, sums};
use super::fit::{Frame, Model, Pole, frames, model_of, residual, scales};
use nalgebra::{Cholesky, Complex, DMatrix};

/// Largest uncertainty of a decay rate, relative, that still is a mode.
pub const WORST: f64 = 0.25;
/// Share of its band's fastest decay from which on a pole is at the edge.
const EDGE: f64 = 0.97;
/// Places beside a pole where the rest is read, in decay rates: near enough to be its noise, outside its own width.
const BESIDE: [f64; 4] = [3.0, 6.0, 9.0, 12.0];
/// Decay times over which it is read.
const LIFE: f64 = 3.0;
/// Median over mean of the power of noise in one place (exponentially distributed): ln 2.
const MEDIAN: f64 = core::f64::consts::LN_2;
/// Rounds of judging again those that only fill in.
const ROUNDS: usize = 3;
/// Energy that one pole in place of two may leave of them: 26 dB below.
const LEAVES: f64 = 2.5e-3;

/// What a mode is measured against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// What the fit leaves about it: who stands clear of that is a mode.
    Left,
    /// The noise of its band only: who stands clear of that is heard, be it a mode or not.
    Band,
}

/// Power of what is left about each pole while it rings, as if white; the mean over the strikes.
fn noise_near(rest: &[Vec<f64>], pole: &Pole) -> f64 {
    let mut all = 0.0;
    for rest in rest {
        let rest = &rest[..rest.len().min((LIFE / -pole.s.re) as usize + 16)];
        let width = (-pole.s.re).max(core::f64::consts::TAU / rest.len().max(1) as f64);
        let weight = sums(Complex::new(2.0 * pole.s.re, 0.0), rest.len())[0].re;
        let mut powers: Vec<f64> = BESIDE
            .iter()
            .flat_map(|far| [-far * width, far * width])
            .filter(|by| pole.s.im + by > 0.0 && pole.s.im + by < core::f64::consts::PI)
            .map(|by| correlate(rest, pole.s + Complex::new(0.0, by)).norm_sqr() / weight)
            .collect();
        powers.sort_by(f64::total_cmp);
        all += powers.get(powers.len() / 2).copied().unwrap_or(0.0) / MEDIAN;
    }
    all / rest.len().max(1) as f64
}

/// Uncertainty of every decay rate, relative: the Cramer-Rao bound at the fitted values.
fn uncertainty(frames: &[Frame], poles: &[Pole], noise: &[f64]) -> Vec<f64> {
    let count = poles.len();
    let mut matrix = DMatrix::zeros(2 * count, 2 * count);
    frames.iter().for_each(|frame| frame.inform(&mut matrix, count, 1.0));
    let diagonal: Vec<f64> = (0..2 * count).map(|a| matrix[(a, a)].max(f64::MIN_POSITIVE).sqrt()).collect();
    let mut scaled = DMatrix::from_fn(2 * count, 2 * count, |a, b| matrix[(a, b)] / (diagonal[a] * diagonal[b]));
    (0..2 * count).for_each(|a| scaled[(a, a)] += 1e-9);
    let Some(inverse) = Cholesky::new(scaled).map(|c| c.inverse()) else { return vec![f64::INFINITY; count] };
    (0..count)
        .map(|k| {
            let variance = noise[k] * inverse[(2 * k, 2 * k)] / (diagonal[2 * k] * diagonal[2 * k]);
            variance.sqrt() / -poles[k].s.re
        })
        .collect()
}

/// Drops what is no mode: at the edge of its band, decays too uncertain, and weights more than `range` below the strongest
/// (amplitude ratio). Of neighbours that doubt each other the worst goes first and the others are judged again.
pub fn prune(strikes: &[Vec<f64>], model: Model, range: f64, noise: Noise) -> Model {
    let honest = noise == Noise::Left;
    let mut noise: Vec<f64> = model.poles.iter().map(|pole| pole.noise).collect();
    if honest {
        let rest = residual(strikes, &model);
        noise.iter_mut().zip(&model.poles).for_each(|(noise, pole)| *noise = noise.max(noise_near(&rest, pole)));
    }
    let mut poles = model.poles;
    let Some(mut now) = frames(strikes, &poles) else { return Model { poles, weights: model.weights } };
    let scale = scales(&now);
    for round in 0.. {
        if poles.is_empty() {
            break;
        }
        let doubt = uncertainty(&now, &poles, &noise);
        let loudness =
            |k: usize| now.iter().zip(&scale).map(|(f, s)| f.weight(k).norm_sqr() * s).fold(0.0, f64::max).sqrt();
        let loudest = (0..poles.len()).map(loudness).fold(0.0, f64::max);
        let at_edge = |k: usize| honest && -poles[k].s.re >= EDGE * poles[k].home.1;
        let mut offenders: Vec<usize> = (0..poles.len())
            .filter(|&k| doubt[k].is_nan() || doubt[k] > WORST || at_edge(k) || loudness(k) < range * loudest)
            .collect();
        if offenders.is_empty() {
            break;
        }
        offenders.sort_by(|a, b| doubt[*b].total_cmp(&doubt[*a]).then(a.cmp(b)));
        let mut gone: Vec<usize> = Vec::new();
        for k in offenders {
            let near = |&g: &usize| (poles[g].s.im - poles[k].s.im).abs() < 4.0 * -(poles[g].s.re + poles[k].s.re);
            if !gone.iter().any(near) || (!honest && round >= ROUNDS) {
                gone.push(k);
            }
        }
        let keep: Vec<usize> = (0..poles.len()).filter(|k| !gone.contains(k)).collect();
        let count = poles.len();
        let Some(rest) = now.iter().map(|f| f.without(&keep, count)).collect::<Option<Vec<_>>>() else { break };
        poles = keep.iter().map(|&k| poles[k]).collect();
        noise = keep.iter().map(|&k| noise[k]).collect();
        now = rest;
    }
    model_of(poles, &now)
}

/// Puts one pole in place of two wherever it explains both; true if it did so anywhere.
pub fn merge(strikes: &[Vec<f64>], model: &mut Model) -> bool {
    let before = model.poles.len();
    let mut k = 0;
    model_sort(model);
    while k + 1 < model.poles.len() {
        match one_of(strikes, model, k) {
            Some(s) => {
                model.poles[k].s = s;
                model.poles[k].fills &= model.poles[k + 1].fills;
                model.poles.remove(k + 1);
                for weights in &mut model.weights {
                    let second = weights.remove(k + 1);
                    weights[k] += second;
                }
            }
            None => k += 1,
        }
    }
    model.poles.len() < before
}

fn model_sort(model: &mut Model) {
    let mut order: Vec<usize> = (0..model.poles.len()).collect();
    order.sort_by(|a, b| model.poles[*a].s.im.total_cmp(&model.poles[*b].s.im));
    model.poles = order.iter().map(|&k| model.poles[k]).collect();
    for weights in &mut model.weights {
        *weights = order.iter().map(|&k| weights[k]).collect();
    }
}

/// The one pole that explains this pair and its weights, if there is one.
fn one_of(strikes: &[Vec<f64>], model: &Model, k: usize) -> Option<Complex<f64>> {
    let (a, b) = (model.poles[k].s, model.poles[k + 1].s);
    if b.im - a.im > -0.5 * (a.re + b.re) {
        return None;
    }
    let energy = |w: &Vec<Complex<f64>>| (w[k] + w[k + 1]).norm_sqr();
    let loudest = model.weights.iter().max_by(|x, y| energy(x).total_cmp(&energy(y)))?;
    let both = loudest[k] + loudest[k + 1];
    let s = (loudest[k] * a + loudest[k + 1] * b) / both;
    if !(s.re.is_finite() && s.im.is_finite() && s.re < 0.5 * a.re.max(b.re) && s.re > 2.0 * a.re.min(b.re)) {
        return None;
    }
    for (strike, weights) in strikes.iter().zip(&model.weights) {
        let parts = [(weights[k], a), (weights[k + 1], b), (-(weights[k] + weights[k + 1]), s)];
        let product = |x: &(Complex<f64>, Complex<f64>), y: &(Complex<f64>, Complex<f64>)| {
            let sum = |s| sums(s, strike.len())[0];
            inner(x.0, y.0, sum(x.1 + y.1), sum(x.1 + y.1.conj()))
        };
        let energy = |parts: &[(Complex<f64>, Complex<f64>)]| -> f64 {
            parts.iter().map(|x| parts.iter().map(|y| product(x, y)).sum::<f64>()).sum()
        };
        if energy(&parts) > LEAVES * energy(&parts[..2]) {
            return None;
        }
    }
    Some(s)
}
