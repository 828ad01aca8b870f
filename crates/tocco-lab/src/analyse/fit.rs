// SPDX-License-Identifier: MIT OR Apache-2.0
//! All modes of all strikes fitted at once, in least squares.
//!
//! **What.** Strike j is `x_j[n] = sum over k of Re(c_jk e^(s_k n)) + noise`: the poles s are the object's, the weights c the
//! strike's. Given the poles the weights are a linear problem; eliminating them leaves a problem in the poles alone
//! (variable projection), solved by damped Gauss-Newton steps. All matrices have closed forms, see `exponential`.
//!
//! **What it gives.** For white noise the estimate of greatest likelihood, so that its scatter is the Cramer-Rao bound; the
//! same matrix that makes the step gives that bound for every mode (`doubt`).
//!
//! **Sources.** Golub, Pereyra, *The differentiation of pseudo-inverses and nonlinear least squares problems whose variables
//! separate*, SIAM J. Numer. Anal. 10 (1973); Kaufman's simplification, BIT 15 (1975).

use super::exponential::{add, correlate, inner, sums};
use nalgebra::{Cholesky, Complex, DMatrix, DVector, Dyn};

/// Added to the diagonal, relative: what two neighbours may spend on cancelling each other. Amplitudes are low by as much.
const RIDGE: f64 = 1e-5;
/// The same for the weights that are kept, largest first: the first is taken that leaves no more than [`SPARED`] of least.
const RIDGES: [f64; 4] = [1e-2, 1e-3, 1e-4, 1e-5];
/// 0.2 dB.
const SPARED: f64 = 1.047;

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
    /// It fills in for what is not modal, and need not be the object's.
    pub fills: bool,
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
pub(super) struct Frame {
    /// `T_p(s_i + s_j)` and `T_p(s_i + conj s_j)`.
    table: Vec<[[Complex<f64>; 3]; 2]>,
    gram: Cholesky<f64, Dyn>,
    /// Correlation of each pole with the strike.
    with: DVector<f64>,
    power: f64,
    weights: DVector<f64>,
}

impl Frame {
    fn new(strike: &[f64], poles: &[Pole], ridge: f64) -> Option<Self> {
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
        Self::finish(table, with, strike.iter().map(|x| x * x).sum(), count, ridge)
    }

    fn finish(
        table: Vec<[[Complex<f64>; 3]; 2]>,
        with: DVector<f64>,
        power: f64,
        count: usize,
        ridge: f64,
    ) -> Option<Self> {
        let mut gram = DMatrix::from_fn(2 * count, 2 * count, |a, b| {
            let [together, apart] = &table[a / 2 * count + b / 2];
            inner(BOTH[a % 2], BOTH[b % 2], together[0], apart[0])
        });
        (0..2 * count).for_each(|a| gram[(a, a)] *= 1.0 + ridge);
        let gram = Cholesky::new(gram)?;
        let weights = gram.solve(&with);
        Some(Self { table, gram, with, power, weights })
    }

    /// The same strike without some poles.
    pub(super) fn without(&self, keep: &[usize], count: usize) -> Option<Self> {
        let table = keep.iter().flat_map(|&i| keep.iter().map(move |&j| self.table[i * count + j])).collect();
        let with =
            DVector::from_iterator(2 * keep.len(), keep.iter().flat_map(|&k| [self.with[2 * k], self.with[2 * k + 1]]));
        Self::finish(table, with, self.power, keep.len(), RIDGE)
    }

    /// Energy that the poles do not explain; not below rounding.
    pub(super) fn cost(&self) -> f64 {
        (self.power - self.with.dot(&self.weights)).max(1e-15 * self.power)
    }

    pub(super) fn weight(&self, k: usize) -> Complex<f64> {
        // x = a Re(e^sn) + b Re(i e^sn) = Re((a + i b) e^sn).
        Complex::new(self.weights[2 * k], self.weights[2 * k + 1])
    }

    /// Adds this strike's information about the poles, weights eliminated.
    pub(super) fn inform(&self, into: &mut DMatrix<f64>, count: usize, scale: f64) {
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

pub(super) fn frames(strikes: &[Vec<f64>], poles: &[Pole]) -> Option<Vec<Frame>> {
    strikes.iter().map(|strike| Frame::new(strike, poles, RIDGE)).collect()
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

pub(super) fn model_of(poles: Vec<Pole>, frames: &[Frame]) -> Model {
    let weights = frames.iter().map(|f| (0..poles.len()).map(|k| f.weight(k)).collect()).collect();
    Model { poles, weights }
}

/// Each strike counts by its noise, so that a soft strike is not drowned by a hard one's imperfections: here by its power.
pub(super) fn scales(frames: &[Frame]) -> Vec<f64> {
    let most = frames.iter().map(|f| f.power).fold(0.0, f64::max);
    frames.iter().map(|f| most / f.power.max(1e-30 * most)).collect()
}

/// How long to go on.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    /// Steps at most.
    pub most: usize,
    /// The fit has converged when a step lowers the residual by less than this share.
    pub settled: f64,
}

impl Steps {
    /// Weights only.
    pub const NONE: Self = Self { most: 0, settled: 1.0 };
}

/// Moves the poles to where the strikes want them; `slowest` is the least decay rate.
pub fn refine(strikes: &[Vec<f64>], poles: Vec<Pole>, steps: Steps, slowest: f64) -> Model {
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
    for _ in 0..steps.most {
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
                settled = cost - new_cost < steps.settled * cost;
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
    // Never through zero: a mode of negative frequency would be another's mirror image.
    let omega =
        (pole.s.im + by_im.clamp(-2.0 * sigma, 2.0 * sigma)).clamp((place - half).max(0.1 * place), place + half);
    Pole { s: Complex::new(-sigma_new, omega), ..pole }
}

/// The weights to keep: neighbours that cancel each other are held as small as the strikes allow.
pub fn settle(strikes: &[Vec<f64>], poles: &[Pole]) -> Vec<Vec<Complex<f64>>> {
    let energy = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    let one = |strike: &Vec<f64>| {
        let with = |ridge: &f64| {
            let frame = Frame::new(strike, poles, *ridge)?;
            let weights: Vec<Complex<f64>> = (0..poles.len()).map(|k| frame.weight(k)).collect();
            let model = Model { poles: poles.to_vec(), weights: vec![weights.clone()] };
            Some((energy(&residual(core::slice::from_ref(strike), &model)[0]), weights))
        };
        let all: Vec<(f64, Vec<Complex<f64>>)> = RIDGES.iter().filter_map(with).collect();
        let least = all.iter().map(|(left, _)| *left).fold(f64::INFINITY, f64::min);
        all.into_iter()
            .find(|(left, _)| *left <= SPARED * least)
            .map_or(vec![Complex::default(); poles.len()], |(_, w)| w)
    };
    strikes.iter().map(one).collect()
}
