// SPDX-License-Identifier: MIT OR Apache-2.0
//! All modes of all strikes fitted at once, in least squares.
//!
//! **What.** Strike j is `x_j[n] = sum over k of Re(c_jk e^(s_k n)) + noise`: the poles s are the object's, the weights c the
//! strike's. Given the poles the weights are a linear problem; eliminating them leaves a problem in the poles alone
//! (variable projection), solved by damped Gauss-Newton steps. All matrices have closed forms, see `exponential`.
//!
//! **What it gives.** For white noise the estimate of greatest likelihood, so that its scatter is the Cramer-Rao bound; the
//! same matrix that makes the step gives that bound for every mode, and a mode whose decay is uncertain by more than
//! [`WORST`] is no mode.
//!
//! **Sources.** Golub, Pereyra, *The differentiation of pseudo-inverses and nonlinear least squares problems whose variables
//! separate*, SIAM J. Numer. Anal. 10 (1973); Kaufman's simplification, BIT 15 (1975).

use super::exponential::{add, correlate, inner, sums};
use nalgebra::{Cholesky, Complex, DMatrix, DVector, Dyn};

/// Largest uncertainty of a decay rate, relative, that still is a mode.
pub const WORST: f64 = 0.25;
/// Added to the diagonal, relative: what two neighbours may spend on cancelling each other. Amplitudes are low by as much.
const RIDGE: f64 = 1e-5;
/// A fit has converged when a step lowers the residual by less than this share.
const SETTLED: f64 = 1e-6;

const ONE: Complex<f64> = Complex::new(1.0, 0.0);
const I: Complex<f64> = Complex::new(0.0, 1.0);
const BOTH: [Complex<f64>; 2] = [ONE, I];

/// A mode in the fit.
#[derive(Clone, Copy, Debug)]
pub struct Pole {
    /// `-sigma + i omega`, per sample.
    pub s: Complex<f64>,
    /// Power of the noise about its frequency, as if it were white.
    pub noise: f64,
    /// Where it was found, rad per sample, and half the width of the band: neither may it leave nor decay faster.
    pub home: (f64, f64),
}

/// Poles, and the weights of every strike.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The object's.
    pub poles: Vec<Pole>,
    /// `[strike][mode]`.
    pub weights: Vec<Vec<Complex<f64>>>,
}

/// Inner products of one strike's basis.
struct Frame {
    /// `T_p(s_i + s_j)` and `T_p(s_i + conj s_j)`.
    table: Vec<[[Complex<f64>; 3]; 2]>,
    gram: Cholesky<f64, Dyn>,
    /// Correlation of each pole with the strike.
    with: DVector<f64>,
    power: f64,
    weights: DVector<f64>,
}

impl Frame {
    fn new(strike: &[f64], poles: &[Pole]) -> Option<Self> {
        let count = poles.len();
        let mut table = vec![[[Complex::default(); 3]; 2]; count * count];
        for i in 0..count {
            for j in 0..=i {
                let together = sums(poles[i].s + poles[j].s, strike.len());
                let apart = sums(poles[i].s + poles[j].s.conj(), strike.len());
                table[i * count + j] = [together, apart];
                table[j * count + i] = [together, apart.map(|t| t.conj())];
            }
        }
        let mut with = DVector::zeros(2 * count);
        for (k, pole) in poles.iter().enumerate() {
            let c = correlate(strike, pole.s);
            (with[2 * k], with[2 * k + 1]) = (c.re, (I * c).re);
        }
        Self::finish(table, with, strike.iter().map(|x| x * x).sum(), count)
    }

    fn finish(table: Vec<[[Complex<f64>; 3]; 2]>, with: DVector<f64>, power: f64, count: usize) -> Option<Self> {
        let mut gram = DMatrix::from_fn(2 * count, 2 * count, |a, b| {
            let [together, apart] = &table[a / 2 * count + b / 2];
            inner(BOTH[a % 2], BOTH[b % 2], together[0], apart[0])
        });
        (0..2 * count).for_each(|a| gram[(a, a)] *= 1.0 + RIDGE);
        let gram = Cholesky::new(gram)?;
        let weights = gram.solve(&with);
        Some(Self { table, gram, with, power, weights })
    }

    /// The same strike without some poles.
    fn without(&self, keep: &[usize], count: usize) -> Option<Self> {
        let table = keep.iter().flat_map(|&i| keep.iter().map(move |&j| self.table[i * count + j])).collect();
        let with =
            DVector::from_iterator(2 * keep.len(), keep.iter().flat_map(|&k| [self.with[2 * k], self.with[2 * k + 1]]));
        Self::finish(table, with, self.power, keep.len())
    }

    /// Energy that the poles do not explain; not below rounding.
    fn cost(&self) -> f64 {
        (self.power - self.with.dot(&self.weights)).max(1e-15 * self.power)
    }

    fn weight(&self, k: usize) -> Complex<f64> {
        // x = a Re(e^sn) + b Re(i e^sn) = Re((a + i b) e^sn).
        Complex::new(self.weights[2 * k], self.weights[2 * k + 1])
    }

    /// Adds this strike's information about the poles, weights eliminated.
    fn inform(&self, into: &mut DMatrix<f64>, count: usize, scale: f64) {
        let size = 2 * count;
        let tilt = |k: usize, b: usize| self.weight(k) * BOTH[b];
        let mut cross = DMatrix::from_fn(size, size, |weight, pole| {
            let [together, apart] = &self.table[weight / 2 * count + pole / 2];
            inner(BOTH[weight % 2], tilt(pole / 2, pole % 2), together[1], apart[1])
        });
        // Cannot fail: the factor's diagonal is positive.
        let _ = self.gram.l_dirty().solve_lower_triangular_mut(&mut cross);
        for a in 0..size {
            for b in 0..=a {
                let [together, apart] = &self.table[a / 2 * count + b / 2];
                let own = inner(tilt(a / 2, a % 2), tilt(b / 2, b % 2), together[2], apart[2]);
                let value = scale * (own - cross.column(a).dot(&cross.column(b)));
                into[(a, b)] += value;
                if a != b {
                    into[(b, a)] += value;
                }
            }
        }
    }
}

fn frames(strikes: &[Vec<f64>], poles: &[Pole]) -> Option<Vec<Frame>> {
    strikes.iter().map(|strike| Frame::new(strike, poles)).collect()
}

/// What the model leaves of the strikes.
pub fn residual(strikes: &[Vec<f64>], model: &Model) -> Vec<Vec<f64>> {
    let leave = |(j, strike): (usize, &Vec<f64>)| {
        let mut rest = strike.clone();
        for (k, pole) in model.poles.iter().enumerate() {
            add(&mut rest, -model.weights[j][k], pole.s);
        }
        rest
    };
    strikes.iter().enumerate().map(leave).collect()
}

fn model_of(poles: Vec<Pole>, frames: &[Frame]) -> Model {
    let weights = frames.iter().map(|f| (0..poles.len()).map(|k| f.weight(k)).collect()).collect();
    Model { poles, weights }
}

/// Each strike counts by its noise, so that a soft strike is not drowned by a hard one's imperfections: here by its power.
fn scales(frames: &[Frame]) -> Vec<f64> {
    let most = frames.iter().map(|f| f.power).fold(0.0, f64::max);
    frames.iter().map(|f| most / f.power.max(1e-30 * most)).collect()
}

/// Moves the poles to where the strikes want them, in at most `steps` steps; `slowest` is the least decay rate.
pub fn refine(strikes: &[Vec<f64>], poles: Vec<Pole>, steps: usize, slowest: f64) -> Model {
    let mut poles = poles;
    if poles.is_empty() {
        return Model { poles, weights: vec![Vec::new(); strikes.len()] };
    }
    let Some(mut now) = frames(strikes, &poles) else {
        return Model { weights: vec![vec![Complex::default(); poles.len()]; strikes.len()], poles };
    };
    let scale = scales(&now);
    let total = |frames: &[Frame]| frames.iter().zip(&scale).map(|(f, s)| f.cost() * s).sum::<f64>();
    let (count, mut cost, mut damping) = (poles.len(), total(&now), 1e-3);
    for _ in 0..steps {
        let mut matrix = DMatrix::zeros(2 * count, 2 * count);
        let mut pull = DVector::zeros(2 * count);
        let rest = residual(strikes, &model_of(poles.clone(), &now));
        for (j, frame) in now.iter().enumerate() {
            frame.inform(&mut matrix, count, scale[j]);
            let ramp: Vec<f64> = rest[j].iter().enumerate().map(|(n, r)| n as f64 * r).collect();
            for k in 0..count {
                let c = frame.weight(k) * correlate(&ramp, poles[k].s) * scale[j];
                pull[2 * k] += c.re;
                pull[2 * k + 1] += (I * c).re;
            }
        }
        let mut settled = true;
        for _ in 0..4 {
            let mut damped = matrix.clone();
            for a in 0..2 * count {
                damped[(a, a)] = matrix[(a, a)].abs() * (1.0 + damping) + f64::MIN_POSITIVE;
            }
            let Some(step) = Cholesky::new(damped).map(|c| c.solve(&pull)) else {
                damping *= 10.0;
                continue;
            };
            let tried: Vec<Pole> = (0..count).map(|k| moved(poles[k], step[2 * k], step[2 * k + 1], slowest)).collect();
            let new = frames(strikes, &tried);
            let new_cost = new.as_deref().map_or(f64::INFINITY, total);
            if let Some(new) = new.filter(|_| new_cost < cost) {
                settled = cost - new_cost < SETTLED * cost;
                (now, poles, cost) = (new, tried, new_cost);
                damping = (damping * 0.2).max(1e-9);
                break;
            }
            damping *= 8.0;
        }
        if settled {
            break;
        }
    }
    model_of(poles, &now)
}

/// A pole after a step, which is cut to what the linear picture is good for.
fn moved(pole: Pole, by_re: f64, by_im: f64, slowest: f64) -> Pole {
    let sigma = -pole.s.re;
    let (place, half) = pole.home;
    let sigma_new = (sigma - by_re).clamp(0.5 * sigma, 2.0 * sigma).max(slowest).min(half);
    let omega = (pole.s.im + by_im.clamp(-2.0 * sigma, 2.0 * sigma)).clamp(place - half, place + half);
    Pole { s: Complex::new(-sigma_new, omega), ..pole }
}

/// Uncertainty of every decay rate, relative: the Cramer-Rao bound at the fitted values.
fn uncertainty(frames: &[Frame], poles: &[Pole]) -> Vec<f64> {
    let count = poles.len();
    let mut matrix = DMatrix::zeros(2 * count, 2 * count);
    frames.iter().for_each(|frame| frame.inform(&mut matrix, count, 1.0));
    let diagonal: Vec<f64> = (0..2 * count).map(|a| matrix[(a, a)].max(f64::MIN_POSITIVE).sqrt()).collect();
    let mut scaled = DMatrix::from_fn(2 * count, 2 * count, |a, b| matrix[(a, b)] / (diagonal[a] * diagonal[b]));
    (0..2 * count).for_each(|a| scaled[(a, a)] += 1e-9);
    let Some(inverse) = Cholesky::new(scaled).map(|c| c.inverse()) else { return vec![f64::INFINITY; count] };
    (0..count)
        .map(|k| {
            let variance = poles[k].noise * inverse[(2 * k, 2 * k)] / (diagonal[2 * k] * diagonal[2 * k]);
            variance.sqrt() / -poles[k].s.re
        })
        .collect()
}

/// Drops what is no mode: decays too uncertain, and weights more than `range` below the strongest (amplitude ratio).
/// Of neighbours that doubt each other the worst goes first and the others are judged again.
pub fn prune(strikes: &[Vec<f64>], model: Model, range: f64) -> Model {
    let mut poles = model.poles;
    let Some(mut now) = frames(strikes, &poles) else { return Model { poles, weights: model.weights } };
    let scale = scales(&now);
    while !poles.is_empty() {
        let doubt = uncertainty(&now, &poles);
        let loudness =
            |k: usize| now.iter().zip(&scale).map(|(f, s)| f.weight(k).norm_sqr() * s).fold(0.0, f64::max).sqrt();
        let loudest = (0..poles.len()).map(loudness).fold(0.0, f64::max);
        let mut offenders: Vec<usize> = (0..poles.len())
            .filter(|&k| doubt[k].is_nan() || doubt[k] > WORST || loudness(k) < range * loudest)
            .collect();
        if offenders.is_empty() {
            break;
        }
        offenders.sort_by(|a, b| doubt[*b].total_cmp(&doubt[*a]).then(a.cmp(b)));
        let mut gone: Vec<usize> = Vec::new();
        for k in offenders {
            let near = |&g: &usize| (poles[g].s.im - poles[k].s.im).abs() < 4.0 * -(poles[g].s.re + poles[k].s.re);
            if !gone.iter().any(near) {
                gone.push(k);
            }
        }
        let keep: Vec<usize> = (0..poles.len()).filter(|k| !gone.contains(k)).collect();
        let count = poles.len();
        poles = keep.iter().map(|&k| poles[k]).collect();
        let Some(rest) = now.iter().map(|f| f.without(&keep, count)).collect::<Option<Vec<_>>>() else { break };
        now = rest;
    }
    model_of(poles, &now)
}
