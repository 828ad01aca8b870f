// SPDX-License-Identifier: MIT OR Apache-2.0
//! Looks for modes band by band, first in narrow bands (modes that ring), then in what is left in wide ones (modes that
//! are over before a narrow filter has seen them), and fits all of them together after each look.

use super::band::Bank;
use super::diffuse;
use super::doubt::{self, Noise};
use super::exponential::{add, cexp, sums};
use super::fit::{self, Model, Pole, Steps};
use super::subspace;
use crate::console::ProgressBar;
use nalgebra::{Cholesky, Complex, DMatrix, DVector};
use tocco::math::{TAU, atan2, ln};

/// Widths of the bands of each look, Hz, and Gauss-Newton steps after it.
const LOOKS: [(f64, usize); 3] = [(250.0, 8), (1000.0, 6), (4000.0, 6)];
/// Decimated samples of a band at most: four seconds in a narrow band.
const MOST_SAMPLES: usize = 2048;
/// Energy of a mode over the noise in its own place, from which it is worth fitting (a decay uncertain by a third).
const PRESENT: f64 = 40.0;
/// Neighbouring bands share this part of their width, so that no mode falls between them.
const SHARED: f64 = 0.02;

/// Windows in which the motion is followed back to the hammer, s.
const WATCH_S: f64 = 0.0005;
/// Times that what is unexplained may grow on the way back: noise in so short a window varies by as much.
const WORSE: f64 = 4.0;

/// Share of the energy by which what modes would have made may differ from what is heard, where a body begins (-20 dB).
const AS_HEARD: f64 = 1e-2;
/// Times that modes are fitted anew and the motion followed back by them at most.
const MOST_BACK: usize = 8;

/// Of the exponentials that may be added to a sound that is not all modal one in so many is kept for `diffuse`.
const DIFFUSE: usize = 4;

/// Power of noise over that of its quietest milliseconds.
const QUIETEST: f64 = 1.5;

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Samples per second.
    pub rate_hz: f64,
    /// Lowest frequency, Hz.
    pub low_hz: f64,
    /// Highest frequency, Hz.
    pub high_hz: f64,
    /// Most modes.
    pub modes: usize,
    /// Weakest amplitude, relative to the strongest.
    pub range: f64,
    /// Share of the energy that modes may leave of a sound that is modal.
    pub modal: f64,
    /// These frequencies are the whole sound: what modes leave is not modal, rather than not asked for.
    pub whole: bool,
}

impl Wanted {
    fn looks(&self) -> impl Iterator<Item = (f64, usize)> {
        let most_hz = self.rate_hz / 6.0;
        LOOKS.into_iter().filter(move |(width_hz, _)| *width_hz <= most_hz)
    }

    fn centres(&self, width_hz: f64) -> Vec<f64> {
        let count = ((self.high_hz - self.low_hz) / width_hz).ceil().max(1.0) as usize;
        (0..count).map(|i| TAU * (self.low_hz + (i as f64 + 0.5) * width_hz) / self.rate_hz).collect()
    }

    /// Bands of all looks: the length of the work.
    pub fn bands(&self) -> usize {
        self.looks().map(|(width_hz, _)| self.centres(width_hz).len()).sum()
    }
}

/// A strike as it is searched: from its onset on.
#[derive(Clone, Debug)]
pub struct Heard {
    /// From the onset to where it has sunk into the noise.
    pub samples: Vec<f64>,
    /// Samples after which its energy is at its height.
    pub height: usize,
    /// Samples after which it certainly moves alone.
    pub late: usize,
    /// Power of the noise.
    pub noise: f64,
}

/// What [`modes`] found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Poles, and weights as of each strike's start.
    pub model: Model,
    /// Those starts, in samples after the onset.
    pub starts: Vec<usize>,
    /// Exponentials that fill in for what is not modal.
    pub filling: usize,
    /// Share of each strike's energy that no mode explains.
    pub left: Vec<f64>,
}

/// The modes that the strikes share.
///
/// Narrow bands see what rings: they are given the strike from well after its onset. With what they find the motion is
/// followed back to where the hammer left, and the wide bands, which see what is over quickly, begin there. If modes leave
/// more than `modal` of the energy, the sound is not all modal; then more exponentials are added until they explain it.
pub fn modes(strikes: &[Heard], wanted: &Wanted, bar: &ProgressBar) -> Found {
    let longest = strikes.iter().map(|s| s.samples.len()).max().unwrap_or(0);
    let mut search = Search {
        strikes,
        wanted,
        bar,
        // A slower decay cannot be told from none within the recording.
        slowest: 0.1 / longest.max(1) as f64,
        starts: strikes.iter().map(|s| s.late).collect(),
        cut: Vec::new(),
        model: Model { poles: Vec::new(), weights: vec![Vec::new(); strikes.len()] },
    };
    search.cut();
    search.go(Noise::Left, wanted.modes);
    let filled = wanted.whole && search.not_noise() > wanted.modal;
    if filled {
        bar.lengthen(wanted.bands() as u64);
        // What is filled in need not be the object alone: from the height of the strike on, hammer or not.
        strikes.iter().zip(&mut search.starts).for_each(|(s, start)| *start = s.height.min(*start));
        search.cut();
        search.model = fit::refine(&search.cut, search.model.poles.clone(), Steps::NONE, search.slowest);
        search.go(Noise::Band, wanted.modes - wanted.modes / DIFFUSE);
    }
    let (low, high) = (TAU * wanted.low_hz / wanted.rate_hz, TAU * wanted.high_hz / wanted.rate_hz);
    let Search { mut model, mut starts, cut, .. } = search;
    model.poles.retain(|pole| pole.s.norm() >= low && pole.s.norm() <= high && pole.s.norm() < 0.98 * 0.5 * TAU);
    model.weights = fit::settle(&cut, &model.poles);
    let rest = fit::residual(&cut, &model);
    if filled {
        let room = wanted.modes.saturating_sub(model.poles.len());
        diffuse::fill(&cut, &rest, &mut model, wanted.rate_hz, (wanted.low_hz, wanted.high_hz), room);
    }
    if wanted.whole {
        level(&mut model, &cut, &rest, strikes, filled);
    }
    for (j, strike) in strikes.iter().enumerate() {
        let from = begins(strike, &model.poles, &model.weights[j], starts[j], wanted.rate_hz);
        let earlier = (starts[j] - from) as f64;
        model.weights[j].iter_mut().zip(&model.poles).for_each(|(w, pole)| *w *= cexp(-pole.s * earlier));
        starts[j] = from;
    }
    let left = rest.iter().zip(&cut).map(|(rest, cut)| energy(rest) / energy(cut).max(1e-300)).collect();
    Found { filling: model.poles.iter().filter(|pole| pole.fills).count(), model, starts, left }
}

fn energy(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

/// Least squares give the modes only the energy that they explain. A body stands for the whole strike, without the noise of
/// the recording: it is brought to that energy, by 6 dB at most. `rest` is what least squares have left.
fn level(model: &mut Model, cut: &[Vec<f64>], rest: &[Vec<f64>], strikes: &[Heard], filled: bool) {
    let less = fit::residual(cut, model);
    for (j, weights) in model.weights.iter_mut().enumerate() {
        let body: f64 = cut[j].iter().zip(&less[j]).map(|(x, r)| (x - r) * (x - r)).sum();
        let wanted = energy(&cut[j]) - (QUIETEST * strikes[j].noise * cut[j].len() as f64).min(energy(&rest[j]));
        let least = if filled { 0.5 } else { 1.0 };
        let gain = (wanted / body.max(1e-300)).sqrt().clamp(least, 2.0);
        weights.iter_mut().for_each(|w| *w *= gain);
    }
}

struct Search<'a> {
    strikes: &'a [Heard],
    wanted: &'a Wanted,
    bar: &'a ProgressBar,
    slowest: f64,
    starts: Vec<usize>,
    /// The strikes from their starts on.
    cut: Vec<Vec<f64>>,
    model: Model,
}

impl Search<'_> {
    fn cut(&mut self) {
        self.cut = self.strikes.iter().zip(&self.starts).map(|(s, start)| s.samples[*start..].to_vec()).collect();
    }

    fn fitted(&self, poles: Vec<Pole>, most: usize, noise: Noise) -> Model {
        // What fills in has no true value to converge to.
        let steps = Steps { most, settled: if noise == Noise::Left { 1e-6 } else { 3e-3 } };
        doubt::prune(&self.cut, fit::refine(&self.cut, poles, steps, self.slowest), self.wanted.range, noise)
    }

    /// All looks, in what is left of the strikes.
    fn go(&mut self, noise: Noise, most: usize) {
        for (width_hz, steps) in self.wanted.looks() {
            let mut poles = self.model.poles.clone();
            let rest = fit::residual(&self.cut, &self.model);
            // More than are wanted would only share out the same sound among themselves.
            let room = (most + most / 4).saturating_sub(poles.len());
            let found = look(&rest, self.wanted, width_hz, self.slowest, self.bar);
            let fills = noise == Noise::Band;
            poles.extend(found.into_iter().take(room).map(|pole| Pole { fills, ..pole }));
            if poles.len() > self.model.poles.len() {
                let mut next = self.fitted(poles, 0, noise);
                next = self.fitted(next.poles, steps, noise);
                if doubt::merge(&self.cut, &mut next) {
                    next = self.fitted(next.poles, steps, noise);
                }
                next = strongest(next, most);
                // What explains less than before is not an improvement, however it came about.
                if unexplained(&self.cut, &next) < unexplained(&self.cut, &self.model) {
                    self.model = next;
                }
            }
            self.follow_back();
            self.model = fit::refine(&self.cut, self.model.poles.clone(), Steps::NONE, self.slowest);
        }
        // A mode that is over at once is known the better the earlier it is seen, and can be followed back the farther the
        // better it is known.
        for _ in 0..MOST_BACK {
            let last = self.fitted(self.model.poles.clone(), 8, noise);
            if unexplained(&self.cut, &last) < 1.05 * unexplained(&self.cut, &self.model) {
                self.model = last;
            }
            if !self.follow_back() {
                break;
            }
            self.model = fit::refine(&self.cut, self.model.poles.clone(), Steps::NONE, self.slowest);
        }
    }

    /// Moves the starts to where the hammer left, as far as the modes tell by now; true if any came earlier.
    fn follow_back(&mut self) -> bool {
        let was = self.starts.clone();
        for (j, strike) in self.strikes.iter().enumerate() {
            let (poles, weights) = (&self.model.poles, &self.model.weights[j]);
            self.starts[j] = hands_off(strike, poles, weights, self.starts[j], self.wanted.rate_hz);
        }
        self.cut();
        self.starts.iter().zip(was).any(|(now, was)| *now < was)
    }

    /// Share of the strikes' energy that is neither modes nor the noise of the recording.
    fn not_noise(&self) -> f64 {
        let rest = fit::residual(&self.cut, &self.model);
        let share = |(j, rest): (usize, &Vec<f64>)| {
            // A recording that ends before its object is quiet has less noise than its quietest part.
            let tail = &rest[rest.len() - rest.len() / 10 - 1..];
            let noise = (QUIETEST * self.strikes[j].noise).min(1.2 * energy(tail) / tail.len() as f64);
            (energy(rest) - noise * rest.len() as f64) / energy(&self.cut[j]).max(1e-300)
        };
        rest.iter().enumerate().map(share).sum::<f64>() / rest.len().max(1) as f64
    }
}

/// What the modes, with weights as of `start`, leave of a strike, from its onset to 5 ms after `start`.
fn left_about(strike: &Heard, poles: &[Pole], weights: &[Complex<f64>], start: usize, rate_hz: f64) -> Vec<f64> {
    let end = (start + 10 * watch(rate_hz)).min(strike.samples.len());
    // Forwards the modes decay, backwards they grow.
    let mut after: Vec<f64> = strike.samples[start..end].to_vec();
    let mut before: Vec<f64> = strike.samples[..=start].iter().rev().copied().collect();
    for (pole, c) in poles.iter().zip(weights) {
        add(&mut after, -c, pole.s);
        add(&mut before, -c, -pole.s);
    }
    before[1..].iter().rev().chain(&after).copied().collect()
}

/// Samples of a window in which the motion is followed back.
fn watch(rate_hz: f64) -> usize {
    ((WATCH_S * rate_hz) as usize).max(8)
}

fn mean_power(x: &[f64]) -> f64 {
    energy(x) / x.len().max(1) as f64
}

/// Where the strike began to move alone: followed back from `start` as long as the modes explain it as well as there.
fn hands_off(strike: &Heard, poles: &[Pole], weights: &[Complex<f64>], start: usize, rate_hz: f64) -> usize {
    let window = watch(rate_hz);
    let rest = left_about(strike, poles, weights, start, rate_hz);
    let about = |at: usize| mean_power(&strike.samples[at..(at + 10 * window).min(strike.samples.len())]).max(1e-300);
    let share = mean_power(&rest[start..]) / about(start);
    let mut at = start;
    while at > 0 {
        let back = at.saturating_sub(window / 4);
        if mean_power(&rest[back..back + window]) > WORSE * (share * about(back)).max(strike.noise) {
            // The hammer may have left anywhere in the window that it spoils.
            return if at == start { start } else { (at + window).min(start) };
        }
        at = back;
    }
    at
}

/// Where the body may begin: before `start`, from which it was fitted, for as long as its modes are what is heard.
fn begins(strike: &Heard, poles: &[Pole], weights: &[Complex<f64>], start: usize, rate_hz: f64) -> usize {
    let window = watch(rate_hz);
    let rest = left_about(strike, poles, weights, start, rate_hz);
    let power = |x: &[f64], at: usize, long: usize| mean_power(&x[at..(at + long).min(x.len())]);
    let as_heard =
        |at: &usize| power(&rest, *at, window / 4) <= AS_HEARD * power(&strike.samples, *at, window).max(1e-300);
    (0..start).rev().take_while(as_heard).last().unwrap_or(start)
}

/// Share of the strikes' energy that the model leaves, each strike counting alike.
fn unexplained(strikes: &[Vec<f64>], model: &Model) -> f64 {
    let rest = fit::residual(strikes, model);
    let share = |(rest, strike): (&Vec<f64>, &Vec<f64>)| energy(rest).max(1e-300) / energy(strike).max(1e-300);
    rest.iter().zip(strikes).map(share).sum::<f64>() / strikes.len() as f64
}

/// The `most` loudest modes.
fn strongest(model: Model, most: usize) -> Model {
    let loud = |k: usize| model.weights.iter().map(|w| w[k].norm_sqr()).fold(0.0, f64::max);
    let mut order: Vec<usize> = (0..model.poles.len()).collect();
    order.sort_by(|a, b| loud(*b).total_cmp(&loud(*a)).then(a.cmp(b)));
    order.truncate(most);
    order.sort_unstable();
    Model {
        poles: order.iter().map(|&k| model.poles[k]).collect(),
        weights: model.weights.iter().map(|w| order.iter().map(|&k| w[k]).collect()).collect(),
    }
}

/// One candidate and its energy over the noise.
struct Candidate {
    pole: Pole,
    clear: f64,
    band: usize,
}

fn look(strikes: &[Vec<f64>], wanted: &Wanted, width_hz: f64, slowest: f64, bar: &ProgressBar) -> Vec<Pole> {
    let bank = Bank::new(width_hz, wanted.rate_hz);
    let powers: Vec<f64> = strikes.iter().map(|x| x.iter().map(|x| x * x).sum::<f64>().max(1e-300)).collect();
    let most = powers.iter().copied().fold(0.0, f64::max);
    let shares: Vec<f64> = powers.iter().map(|p| most / p).collect();
    let mut all: Vec<Candidate> = Vec::new();
    for (band, centre) in wanted.centres(width_hz).into_iter().enumerate() {
        all.extend(in_band(strikes, &shares, &bank, centre, slowest).into_iter().map(|(pole, clear)| Candidate {
            pole,
            clear,
            band,
        }));
        bar.step(&format!("{:.0} Hz", centre * wanted.rate_hz / TAU));
    }
    // A mode on the border is seen from both sides: the clearer view is kept.
    all.sort_by(|a, b| a.pole.s.im.total_cmp(&b.pole.s.im));
    let mut kept: Vec<Candidate> = Vec::new();
    for new in all {
        let twin = kept.iter().position(|old| {
            old.band != new.band
                && (old.pole.s.im - new.pole.s.im).abs()
                    < (-0.3 * (old.pole.s.re + new.pole.s.re)).max(0.01 * SHARED * bank.width)
        });
        match twin {
            Some(twin) if kept[twin].clear < new.clear => kept[twin] = new,
            Some(_) => {}
            None => kept.push(new),
        }
    }
    kept.sort_by(|a, b| (b.clear * b.pole.noise).total_cmp(&(a.clear * a.pole.noise)));
    kept.into_iter().map(|c| c.pole).collect()
}

fn in_band(strikes: &[Vec<f64>], shares: &[f64], bank: &Bank, centre: f64, slowest: f64) -> Vec<(Pole, f64)> {
    let mut signals: Vec<Vec<Complex<f64>>> = Vec::new();
    let mut weights = Vec::new();
    for (strike, share) in strikes.iter().zip(shares) {
        let mut signal = bank.band(strike, centre, MOST_SAMPLES);
        signal.truncate(audible(&signal));
        if signal.len() >= 12 {
            signals.push(signal);
            weights.push(*share);
        }
    }
    // A strike that is over much earlier than the others would cut their windows short.
    let longest = signals.iter().map(Vec::len).max().unwrap_or(0);
    let long_enough: Vec<bool> = signals.iter().map(|s| 4 * s.len() >= longest).collect();
    let mut keep = long_enough.iter();
    signals.retain(|_| *keep.next().unwrap_or(&false));
    let mut keep = long_enough.iter();
    weights.retain(|_| *keep.next().unwrap_or(&false));
    if signals.is_empty() {
        return Vec::new();
    }
    let found = subspace::poles(&signals, &weights);
    let clear = clearness(&signals, &weights, &found);
    let stride = bank.stride as f64;
    let mut good = Vec::new();
    for (z, clear) in found.poles.iter().zip(clear) {
        let s = Complex::new(ln(z.norm()) / stride, atan2(z.im, z.re) / stride);
        let inside = s.im.abs() <= (0.5 + SHARED) * bank.width && centre + s.im > 0.0 && centre + s.im < 0.5 * TAU;
        // Decays between what the recording's length and what the filter's resolve.
        let physical = s.re < -slowest && -s.re < 0.5 * bank.width;
        if inside && physical && clear > PRESENT {
            let noise = found.noise / bank.noise_gain();
            let home = (centre + s.im, 0.5 * bank.width);
            good.push((Pole { s: s + Complex::new(0.0, centre), noise, home, fills: false }, clear));
        }
    }
    good
}

/// Energy of each pole's part over the noise, as far as it is its own and not its neighbours'.
fn clearness(signals: &[Vec<Complex<f64>>], weights: &[f64], found: &subspace::Found) -> Vec<f64> {
    let logs: Vec<Complex<f64>> =
        found.poles.iter().map(|z| Complex::new(ln(z.norm()).min(-1e-9), atan2(z.im, z.re))).collect();
    let count = logs.len();
    let mut best = vec![0.0_f64; count];
    for (signal, weight) in signals.iter().zip(weights) {
        let mut gram = DMatrix::from_fn(count, count, |a, b| sums(logs[a].conj() + logs[b], signal.len())[0]);
        (0..count).for_each(|a| gram[(a, a)] *= 1.0 + 1e-10);
        let with = DVector::from_iterator(
            count,
            logs.iter().map(|s| {
                let step = cexp(s.conj());
                let mut at = Complex::new(1.0, 0.0);
                signal.iter().fold(Complex::default(), |sum, y| {
                    let sum = sum + y * at;
                    at *= step;
                    sum
                })
            }),
        );
        let Some(factor) = Cholesky::new(gram) else { continue };
        let (c, inverse) = (factor.solve(&with), factor.inverse());
        for k in 0..count {
            best[k] = best[k].max(weight * c[k].norm_sqr() / (found.noise * inverse[(k, k)].re).max(1e-300));
        }
    }
    best
}

/// Samples until the band has sunk into the noise of its end.
fn audible(signal: &[Complex<f64>]) -> usize {
    const SMOOTH: usize = 12;
    let smooth: Vec<f64> =
        signal.chunks(SMOOTH).map(|part| part.iter().map(|y| y.norm_sqr()).sum::<f64>() / part.len() as f64).collect();
    let mut tail: Vec<f64> = smooth[smooth.len() * 4 / 5..].to_vec();
    tail.sort_by(f64::total_cmp);
    let floor = tail.get(tail.len() / 2).copied().unwrap_or(0.0);
    let last = smooth.iter().rposition(|p| *p > 3.0 * floor).map_or(signal.len(), |i| (i + 1) * SMOOTH);
    // Some noise must be seen to be told from signal.
    (last + last / 2 + 4 * SMOOTH).min(signal.len())
}
