// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which delay, allpasses and loss make a loop ring like a given string.
//!
//! **What.** Every partial must find the loop in phase with itself and lose the right part of its amplitude per turn.
//!
//! **Law.** With t = tan(w/2), w in rad/sample:
//! - `[fit.1]  lag(w) = K w + 2 atan(t/r) + sum over pairs of 2 atan2(d t, c^2 - t^2) + lag of the loss = 2 pi n` at
//!   partial n. Every `r, c, d > 0` is a stable allpass, so the unknowns are their logarithms and nothing can go wrong.
//! - `[fit.2]  -ln |loss(w_n)| = sigma_n x group delay at w_n`
//! - `[fit.3]  |loss|^2 = (1 - m t^2/(t^2 + tc^2)) / (1 + u sin^2(w/2))`: linear in m and u for two given partials.
//!
//! **Step.** Damped Gauss-Newton (Levenberg, Marquardt) on the partials' errors in cents; the number of pairs grows until
//! the worst is below [`WANTED_CENTS`]; last, r is set in closed form so that partial 1 is exact. A live change starts
//! from the present answer and takes a bounded number of iterations.
//!
//! **Sources.** Own; allpasses for dispersion after Avanzini et al. 2002 section 4.2 and physics.md F.

use crate::math::{PI, Real, TAU, atan, atan2, cos, exp, expm1, sin, tan};

/// Most allpass pairs. B = 1e-2 over twenty partials needs ten to come within 5 cents.
pub const MAX_PAIRS: usize = 12;
/// Partials that are fitted.
pub const PARTIALS: usize = 20;
/// Highest fitted frequency as a part of the rate; beyond it a real allpass cannot follow a fraction of a sample.
pub const BAND: Real = 0.4;
/// Pairs are added until the worst partial is this close.
const WANTED_CENTS: Real = 2.0;
/// Shortest delay line: the two directions of travel at one place.
const SHORTEST: Real = 2.0;
/// Corner of the loss shelf below the fundamental: low enough to leave the partials alone, high enough that a static load
/// bends the string as if there were no loss (the excess is about 1.4/Q).
const SHELF_BELOW: Real = 3.0;
const CENTS: Real = 1_731.234_049_066_756; // 1200 / ln 2
const UNKNOWNS: usize = 1 + 2 * MAX_PAIRS;
const FIRST_ITERATIONS: usize = 60;
const LIVE_ITERATIONS: usize = 5;
const LIVE_SEARCH: usize = 25;
/// Relative change of period that a glide makes at most between control ticks.
const GLIDE: Real = 0.06;

/// The string that is asked for, in samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// Period of partial 1, samples.
    pub period: Real,
    /// Stiffness coefficient B.
    pub inharmonicity: Real,
    /// Quality factor of partial 1.
    pub q: Real,
    /// Quality factor of partial 10 over that of partial 1.
    pub q_tilt: Real,
}

impl Wanted {
    /// Frequency of partial n over that of partial 1: [string.3].
    pub fn ratio(&self, n: Real) -> Real {
        let b = self.inharmonicity;
        n * ((1.0 + b * n * n) / (1.0 + b)).sqrt()
    }

    /// Radians per sample of partial n.
    pub fn angle(&self, n: usize) -> Real {
        self.angle_at(self.ratio(n as Real))
    }

    /// Radians per sample at so many times the frequency of partial 1.
    pub fn angle_at(&self, ratio: Real) -> Real {
        TAU * ratio / self.period
    }

    /// How many partials are fitted.
    fn partials(&self) -> usize {
        (2..=PARTIALS).take_while(|&n| self.angle(n) <= TAU * BAND).count() + 1
    }

    /// Group delay of the stiff string at partial n over its phase delay.
    fn slowing(&self, n: usize) -> Real {
        let b = self.inharmonicity * (n * n) as Real;
        (1.0 + b) / (1.0 + 2.0 * b)
    }

    /// Turns of phase that a delay line alone would miss at the top of the band: about one pair for each.
    fn fewest_pairs(&self) -> usize {
        let n = self.partials();
        (0.8 * n as Real * (1.0 - self.slowing(n))) as usize
    }

    /// Amplitude decay rate of partial n per sample: [string.4].
    pub fn decay(&self, n: usize) -> Real {
        self.decays().at(self.ratio(n as Real))
    }

    /// Amplitude decay rates of all partials.
    pub fn decays(&self) -> Decays {
        let (first, tenth) = (PI / (self.q * self.period), self.ratio(10.0));
        let slope = first * (tenth / self.q_tilt - 1.0) / (tenth * tenth - 1.0);
        Decays { first, slope }
    }
}

/// Decay rates per sample by frequency: [string.4].
#[derive(Clone, Copy, Debug)]
pub struct Decays {
    first: Real,
    slope: Real,
}

impl Decays {
    /// At so many times the frequency of partial 1.
    pub fn at(&self, ratio: Real) -> Real {
        self.first + fault!(STRING_TILT, self.slope, 0.0) * (ratio * ratio - 1.0)
    }
}

/// Loss of one turn: a shelf that leaves rest alone, times a one-pole lowpass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Loss {
    /// tan of half the shelf's corner angle.
    pub corner: Real,
    /// Weight of the shelf's allpass, at most 1/2.
    pub shelf: Real,
    /// Pole of the lowpass.
    pub pole: Real,
}

impl Loss {
    fn lag(&self, w: Real) -> Real {
        let turn = 2.0 * atan(tan(0.5 * w) / self.corner);
        let shelf = atan2(self.shelf * sin(turn), 1.0 - self.shelf + self.shelf * cos(turn));
        shelf + atan2(self.pole * sin(w), 1.0 - self.pole * cos(w))
    }

    /// The loss whose gains at two angles are `exp(-a)`: [fit.3].
    fn through(corner: Real, low: (Real, Real), high: Option<(Real, Real)>) -> Self {
        let row = |(w, a): (Real, Real)| {
            let (t, s) = (tan(0.5 * w), sin(0.5 * w));
            (t * t / (t * t + corner * corner), exp(-2.0 * a) * s * s, -expm1(-2.0 * a))
        };
        let (a0, b0, y0) = row(low);
        let mut depth = y0 / a0;
        let mut slope = 0.0;
        if let Some((a1, b1, y1)) = high.map(row) {
            let det = a0 * b1 - a1 * b0;
            slope = ((a0 * y1 - a1 * y0) / det).max(0.0);
            depth = (y0 - b0 * slope) / a0;
            // One pole takes no more at a high partial than this if the first partial is to be right.
            if depth < 0.0 || det <= 0.0 {
                (depth, slope) = (0.0, y0 / b0);
            }
        }
        let depth = depth.min(0.99);
        Self {
            corner,
            shelf: 0.5 * depth / (1.0 + (1.0 - depth).sqrt()),
            pole: slope / (slope + 2.0 + 2.0 * (1.0 + slope).sqrt()),
        }
    }
}

/// A loop: delay, one real allpass section, pairs, loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Design {
    /// Samples in the delay line.
    pub delay: usize,
    /// r: tan of half the corner angle of the real section.
    pub real: Real,
    /// (c, d) of each pair.
    pub pairs: [(Real, Real); MAX_PAIRS],
    /// Pairs in use.
    pub count: usize,
    /// Loss of one turn.
    pub loss: Loss,
    /// Worst error of a fitted partial, cents.
    pub cents: Real,
    wanted: Wanted,
    /// Live searches that have failed so far.
    attempt: usize,
}

impl Design {
    /// A new design from scratch; milliseconds for a stiff string. `[control]`
    pub fn new(wanted: Wanted) -> Self {
        let mut loss = Loss::default();
        let stiff = |n: usize| wanted.period * n as Real / wanted.ratio(n as Real) * wanted.slowing(n);
        lose(&mut loss, &wanted, stiff);
        let mut design = Self::start(wanted, loss, 0, 1.0);
        for count in wanted.fewest_pairs()..=MAX_PAIRS {
            if design.search(count, FIRST_ITERATIONS) || 2 * count > wanted.partials() + 1 {
                break;
            }
        }
        design.refine();
        design.refine();
        design
    }

    /// Tries a number of pairs from several starts and keeps the best design seen; true if it is good enough.
    fn search(&mut self, count: usize, iterations: usize) -> bool {
        // How much of the pairs' turn is spent at the highest partial: less leaves a longer delay line.
        for spent in [0.5, 0.7, 0.85, 1.0, 0.6, 0.93] {
            let mut trial = Self::start(self.wanted, self.loss, count, spent);
            trial.solve(iterations);
            if trial.cents < self.cents {
                *self = trial;
            }
            if self.cents < WANTED_CENTS {
                return true;
            }
        }
        false
    }

    /// Follows a change of the string: bounded time, no allocation. `[audio]`
    pub fn follow(&mut self, wanted: Wanted) {
        let old = self.wanted;
        if old == wanted {
            return;
        }
        if old.period != wanted.period || old.inharmonicity != wanted.inharmonicity {
            // Sections that shape the dispersion move with the pitch, those that trim a fraction of a sample stay.
            let moved = self.carried(wanted, tan(0.5 * wanted.angle(1)) / tan(0.5 * old.angle(1)));
            let stayed = if moved.cents < WANTED_CENTS { moved } else { self.carried(wanted, 1.0) };
            *self = if moved.cents <= stayed.cents { moved } else { stayed };
            // Another number of pairs: one attempt per step of a glide, whose next step tries the next; all at a leap.
            let leap = (wanted.period / old.period - 1.0).abs() > GLIDE;
            for _ in 0..if leap { 3 } else { 1 } {
                if self.cents > 2.0 * WANTED_CENTS {
                    let count = wanted.fewest_pairs() + self.attempt % 3;
                    self.attempt = if self.search(count.min(MAX_PAIRS), LIVE_SEARCH) { 0 } else { self.attempt + 1 };
                }
            }
        }
        self.wanted = wanted;
        self.refine();
    }

    /// This design for another string, its sections scaled in frequency.
    fn carried(&self, wanted: Wanted, scale: Real) -> Self {
        let mut to = Self { wanted, ..*self };
        to.real = if to.count == 0 { 1.0 } else { to.real * scale };
        to.pairs.iter_mut().for_each(|(c, d)| (*c, *d) = (*c * scale, *d * scale));
        let w = wanted.angle(1);
        let lumped = to.lag(w) - to.delay as Real * w;
        to.delay = ((TAU - lumped) / w).round().max(SHORTEST) as usize;
        to.solve(LIVE_ITERATIONS);
        to
    }

    /// Period that the waves of a load at rest see: the loop's delay at zero frequency, samples.
    pub fn rest_period(&self) -> Real {
        let pairs: Real = self.pairs[..self.count].iter().map(|(c, d)| d / (c * c)).sum();
        let loss = self.loss.shelf / self.loss.corner + self.loss.pole / (1.0 - self.loss.pole);
        self.delay as Real + 1.0 / self.real + pairs + loss
    }

    fn start(wanted: Wanted, loss: Loss, count: usize, spent: Real) -> Self {
        let n = wanted.partials();
        let top = wanted.angle(n);
        let delay = (TAU * n as Real - spent * TAU * count as Real - 0.7 * top) / top;
        let reach = tan(0.5 * top).min(1.0);
        let mut pairs = [(1.0, 2.0); MAX_PAIRS];
        for (k, pair) in pairs[..count].iter_mut().enumerate() {
            let c = reach * (k as Real + 0.7) / count as Real;
            *pair = (c, 1.6 * c.max(reach / count as Real));
        }
        let delay = delay.min(wanted.period - 1.0).max(SHORTEST).floor() as usize;
        Self { delay, real: 1.0, pairs, count, loss, cents: Real::INFINITY, wanted, attempt: 0 }
    }

    /// Loss from the loop's own group delay, then the phases once more.
    fn refine(&mut self) {
        let (design, wanted) = (*self, self.wanted);
        lose(&mut self.loss, &wanted, |n| design.group_delay(wanted.angle(n)));
        self.solve(LIVE_ITERATIONS);
    }

    /// Phase lag of one turn: [fit.1].
    pub fn lag(&self, w: Real) -> Real {
        let t = tan(0.5 * w);
        let pairs: Real = self.pairs[..self.count].iter().map(|&p| pair_lag(p, t)).sum();
        self.delay as Real * w + 2.0 * atan(t / self.real) + pairs + self.loss.lag(w)
    }

    fn group_delay(&self, w: Real) -> Real {
        let by = 1e-4 * w;
        (self.lag(w + by) - self.lag(w - by)) / (2.0 * by)
    }

    /// Levenberg-Marquardt on [fit.1], then the real section in closed form. Most strings have few pairs or none: tables that are larger
    /// than what is looked for take longer to clear than to fill.
    fn solve(&mut self, iterations: usize) {
        match self.count {
            0 => self.solve_of::<1>(iterations),
            1..=4 => self.solve_of::<9>(iterations),
            _ => self.solve_of::<UNKNOWNS>(iterations),
        }
    }

    /// With room for so many unknowns.
    fn solve_of<const ROOM: usize>(&mut self, iterations: usize) {
        let wanted = self.wanted;
        let partials = wanted.partials();
        let unknowns = 1 + 2 * self.count;
        let mut angle = [0.0; PARTIALS];
        let mut half = [0.0; PARTIALS];
        let mut aim = [0.0; PARTIALS];
        let mut weight = [0.0; PARTIALS];
        for i in 0..partials {
            let n = (i + 1) as Real;
            angle[i] = wanted.angle(i + 1);
            half[i] = tan(0.5 * angle[i]);
            aim[i] = TAU * n - self.loss.lag(angle[i]);
            // Cents per radian of phase error, by the string's own group delay.
            weight[i] = CENTS / (TAU * n * wanted.slowing(i + 1));
        }
        let miss = |d: &Self, rows: &mut [[Real; ROOM]; PARTIALS], out: &mut [Real; PARTIALS]| -> Real {
            let mut sum = 0.0;
            for i in 0..partials {
                let (t, k) = (half[i], weight[i]);
                let x = t / d.real;
                let mut lag = d.delay as Real * angle[i] + 2.0 * atan(x);
                rows[i][0] = -2.0 * k * x / (1.0 + x * x);
                for (j, &(c, e)) in d.pairs[..d.count].iter().enumerate() {
                    let (x, y) = (c * c - t * t, e * t);
                    lag += 2.0 * atan2(y, x);
                    let size = x * x + y * y;
                    rows[i][1 + 2 * j] = -4.0 * k * y * c * c / size;
                    rows[i][2 + 2 * j] = 2.0 * k * x * y / size;
                }
                out[i] = k * (lag - aim[i]);
                sum += out[i] * out[i];
            }
            sum
        };
        let (mut rows, mut error) = ([[0.0; ROOM]; PARTIALS], [0.0; PARTIALS]);
        let mut cost = miss(self, &mut rows, &mut error);
        let mut damping = 1e-2;
        for round in 0..iterations {
            if error[..partials].iter().all(|e| e.abs() < 0.25 * WANTED_CENTS) {
                break;
            }
            let Some(step) = descend(&rows, &error, partials, unknowns, damping) else {
                damping *= 10.0;
                continue;
            };
            let mut trial = *self;
            let moved = |x: Real, by: Real| x * exp(by.clamp(-1.0, 1.0));
            trial.real = moved(trial.real, step[0]);
            for (j, pair) in trial.pairs[..self.count].iter_mut().enumerate() {
                *pair = (moved(pair.0, step[1 + 2 * j]), moved(pair.1, step[2 + 2 * j]));
            }
            let (mut trial_rows, mut trial_error) = ([[0.0; ROOM]; PARTIALS], [0.0; PARTIALS]);
            let trial_cost = miss(&trial, &mut trial_rows, &mut trial_error);
            if trial_cost < cost {
                let settled = cost - trial_cost < 1e-4 * cost && round > 5;
                (*self, rows, error, cost) = (trial, trial_rows, trial_error, trial_cost);
                damping = (0.2 * damping).max(1e-9);
                if settled {
                    break;
                }
            } else {
                damping = (6.0 * damping).min(1e6);
            }
        }
        // Partial 1 exactly: the real section takes what is left, the delay line gives way if that is not in (0, pi).
        let pairs: Real = self.pairs[..self.count].iter().map(|&p| pair_lag(p, half[0])).sum();
        let mut rest = aim[0] - pairs - self.delay as Real * angle[0];
        while rest < 0.2 * angle[0] && self.delay as Real > SHORTEST {
            self.delay -= 1;
            rest += angle[0];
        }
        while rest > 0.95 * PI {
            self.delay += 1;
            rest -= angle[0];
        }
        self.real = half[0] / tan(0.5 * rest.max(1e-3 * angle[0]));
        miss(self, &mut rows, &mut error);
        self.cents = error[..partials].iter().fold(0.0, |m, e| m.max(e.abs()));
    }
}

fn pair_lag((c, d): (Real, Real), t: Real) -> Real {
    2.0 * atan2(d * t, c * c - t * t)
}

/// Sets the loss so that partials 1 and 10 (or the highest below the band) decay as wanted: [fit.2].
fn lose(loss: &mut Loss, wanted: &Wanted, group_delay: impl Fn(usize) -> Real) {
    let turn = |n: usize| (wanted.angle(n), wanted.decay(n) * group_delay(n));
    let high = wanted.partials().min(10);
    let corner = tan(0.5 * wanted.angle(1)) / SHELF_BELOW;
    *loss = Loss::through(corner, turn(1), (high > 1).then(|| turn(high)));
}

/// Solves (J'J + damping diag) step = -J'e by Cholesky; `None` if rounding spoils it.
fn descend<const ROOM: usize>(
    rows: &[[Real; ROOM]; PARTIALS],
    error: &[Real; PARTIALS],
    partials: usize,
    unknowns: usize,
    damping: Real,
) -> Option<[Real; ROOM]> {
    let mut a = [[0.0; ROOM]; ROOM];
    let mut x = [0.0; ROOM];
    for i in 0..unknowns {
        for j in 0..=i {
            a[i][j] = (0..partials).map(|n| rows[n][i] * rows[n][j]).sum();
        }
        a[i][i] += damping * (a[i][i] + 1e-9);
        x[i] = -(0..partials).map(|n| rows[n][i] * error[n]).sum::<Real>();
    }
    for i in 0..unknowns {
        for j in 0..i {
            let sum: Real = (0..j).map(|k| a[i][k] * a[j][k]).sum();
            a[i][j] = (a[i][j] - sum) / a[j][j];
        }
        let sum: Real = (0..i).map(|k| a[i][k] * a[i][k]).sum();
        if a[i][i] <= sum {
            return None;
        }
        a[i][i] = (a[i][i] - sum).sqrt();
    }
    for i in 0..unknowns {
        let sum: Real = (0..i).map(|k| a[i][k] * x[k]).sum();
        x[i] = (x[i] - sum) / a[i][i];
    }
    for i in (0..unknowns).rev() {
        let sum: Real = (i + 1..unknowns).map(|k| a[k][i] * x[k]).sum();
        x[i] = (x[i] - sum) / a[i][i];
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn drawn(rng: &mut Rng) -> Wanted {
        let inharmonicity = if rng.unit() < 0.2 { 0.0 } else { rng.between_log(1e-6, 1e-2) };
        let (period, q) = (rng.between_log(2.5, 19_200.0), rng.between_log(10.0, 1e5));
        Wanted { period, inharmonicity, q, q_tilt: rng.between_log(0.2, 5.0) }
    }

    #[test]
    fn partial_one_is_exactly_in_phase_in_every_design_new_or_followed() {
        let mut rng = Rng::new(1, "fit");
        let mut design = Design::new(drawn(&mut rng));
        let mut late = 0;
        for round in 0..400 {
            let fresh = Design::new(drawn(&mut rng));
            let jump = drawn(&mut rng);
            let glide = Wanted {
                period: (design.wanted.period * rng.between(0.97, 1.03)).clamp(2.5, 19_200.0),
                ..design.wanted
            };
            design.follow(if round % 20 == 0 { jump } else { glide });
            for d in [&fresh, &design] {
                let off = d.lag(d.wanted.angle(1)) / TAU - 1.0;
                assert!(off.abs() < 1e-12, "{round} {:?}: {off}", d.wanted);
                assert!(
                    d.real > 0.0 && d.pairs.iter().all(|(c, d)| *c > 0.0 && *d > 0.0 && c.is_finite() && d.is_finite())
                );
                assert!(d.delay >= 2 && d.delay as Real <= d.wanted.period, "{} {:?}", d.delay, d.wanted);
            }
            if fresh.wanted.q > 30.0 {
                assert!(fresh.cents < 5.0, "{:?}: {} cents", fresh.wanted, fresh.cents);
            }
            late += usize::from(design.cents > 5.0 && design.wanted.q > 30.0);
        }
        assert!(late < 20, "{late} of 400 followed designs off by more than 5 cents");
    }
}
