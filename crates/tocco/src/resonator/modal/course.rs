// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the tuning of a sounding bank gets from one control tick to the next: by the sample.
//!
//! **What.** A frequency that stepped at control ticks would step the acceleration of its mode, which is heard. So the tuning
//! moves in a straight line, and before every sample each mode is retuned by a 32nd of the way, keeping energy and velocity
//! ([morph.3]); every step is then that of one fixed body, exact and passive like any other.
//!
//! **Law.** With s, c the sine and cosine of half the angle per step, d the way of that half angle per sample:
//! - `[course.1]  s' = s cos d + c sin d`, `c' = c cos d - s sin d`; `S = (1 - l) 2 s c/w`, `I = (2 s^2 + l (1 - 2 s^2) - sigma S)/omega^2`
//!   with `l = 1 - exp(-sigma h)` by factors likewise: S and I of [modal.2] without an elementary function
//! - `[course.2]  S = h sum t_n`, `I = h^2 sum t_n/(n+1)`, `n (n+1) t_(n+1) = -2 n sigma h t_n - (omega h)^2 t_(n-1)`, t_0 = 0,
//!   t_1 = 1: the power series, where the angle is small or the loss is large and [course.1] would lose digits
//!
//! **Symbols.** omega rad/s, sigma 1/s, w = sqrt(omega^2 - sigma^2) rad/s, h s: the step; S s, I s^2: impulse answer and its
//! integral, per unit mass.
//!
//! **Step.** Thirty-two steps from exact values, the last on exact values again: errors of some 1e-15 do not add up. Modes
//! that suit neither law (faster than an e-fold in ten steps) take the closed forms of [modal.2] every sample.
//!
//! **Sources.** ours.

use super::coefficients::step_response;
use super::morph::{PARTS, RIGID};
use super::{Modal, ModalParams, Mode};
use crate::math::{Real, cos, expm1, sin};
use crate::resonator::kernel::{self, Rows};
use crate::resonator::{Motion, Reading, Resonator};

/// Angle and decay per step below which the series is used, and angle above which the rotation is.
const SMALL: Real = 0.1;
/// Angle per step above which the rotation is used where the loss is small against its square.
const TINY: Real = 0.005;
/// Terms of the series: the first left out is below 1e-17.
const TERMS: usize = 13;

/// What a mode needs to be retuned by the sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Course {
    /// Its tuning stays.
    Still,
    /// [course.1]
    Turn,
    /// [course.2]
    Series,
    /// [modal.2]
    Exact,
}

/// What the modes of [course.1] need, row by row, as [`kernel::turn`] takes it.
pub(super) struct Turns {
    now: Rows<4>,
    plan: Rows<9>,
}

impl Turns {
    /// None turns. `[control]`
    pub(super) fn new(cells: usize) -> Self {
        Self { now: Rows::zeros(cells), plan: Rows::zeros(cells) }
    }

    /// Mode `i` turns, or does not.
    fn set(&mut self, i: usize, turn: Option<([Real; 4], [Real; 8])>) {
        self.plan.set(8, i, if turn.is_some() { 1.0 } else { 0.0 });
        if let Some((now, plan)) = turn {
            now.into_iter().enumerate().for_each(|(row, value)| self.now.set(row, i, value));
            plan.into_iter().enumerate().for_each(|(row, value)| self.plan.set(row, i, value));
        }
    }
}

/// A mode's beginning of [course.1] in `steps` samples, for a step of h.
fn turning(from: Tuning, to: Tuning, steps: Real, h: Real, mass: Real) -> ([Real; 4], [Real; 8]) {
    let (w0, w1) = (ringing(from), ringing(to));
    let half = 0.5 * h * w0;
    let (on, less) = (0.5 * h * (w1 - w0) / steps, h * (to.1 - from.1) / steps);
    let versine = 2.0 * sin(0.5 * on) * sin(0.5 * on);
    (
        [sin(half), cos(half), -expm1(-from.1 * h), from.0],
        [sin(on), versine, -expm1(-less), w0, w1 - w0, from.1, to.1 - from.1, 1.0 / mass],
    )
}

/// omega, sigma
type Tuning = (Real, Real);

/// Where the parameters want a mode.
fn aimed(params: &ModalParams, mode: &Mode) -> Tuning {
    (mode.omega * params.freq_scale, mode.sigma / params.decay_scale)
}

fn ringing((omega, sigma): Tuning) -> Real {
    ((omega - sigma) * (omega + sigma)).max(0.0).sqrt()
}

impl Course {
    /// From the present tuning to `to`, for a step of h.
    fn new(from: Tuning, to: Tuning, h: Real) -> Self {
        let (angle, loss) = (ringing(from).min(ringing(to)) * h, from.1.max(to.1) * h);
        if from == to {
            Course::Still
        } else if angle > SMALL || (angle > TINY && loss < angle * angle) {
            Course::Turn
        } else if from.0.max(to.0) * h < SMALL && from.1.max(to.1) * h < SMALL {
            Course::Series
        } else {
            Course::Exact
        }
    }
}

/// 1/(n (n+1)) and 1/(n+2) of [course.2].
const OVER: [(Real, Real); TERMS] = {
    let (mut over, mut n) = ([(0.0, 0.0); TERMS], 1);
    while n < TERMS {
        over[n] = (1.0 / (n * (n + 1)) as Real, 1.0 / (n + 2) as Real);
        n += 1;
    }
    over
};

fn series_of((omega, sigma): Tuning, h: Real) -> (Real, Real) {
    let (x, z) = (2.0 * sigma * h, omega * h * (omega * h));
    let (mut before, mut term, mut s, mut integral) = (0.0, 1.0, 1.0, 0.5);
    for (n, over) in OVER.iter().enumerate().skip(1) {
        let next = -(n as Real * x * term + z * before) * over.0; // [course.2]
        (before, term) = (term, next);
        s += next;
        integral += next * over.1;
    }
    (h * s, h * h * integral)
}

impl Modal {
    /// Where the parameters want a mode: omega, sigma.
    pub(super) fn aim(&self, mode: &Mode) -> (Real, Real) {
        aimed(&self.params, mode)
    }

    /// Begins a course from the present tuning to that of the parameters, and goes its first sample. `[audio]`
    pub(super) fn depart(&mut self) {
        self.course_level = None;
        for i in 0..self.modes.len() {
            if self.modes[i].now == self.aim(&self.modes[i]) {
                self.fill(self.level, i); // fallen silent, come back, or as before
            }
        }
        self.advance();
    }

    /// The tuning is where the parameters say, at once. `[audio]`
    pub(super) fn arrive(&mut self) {
        for i in 0..self.modes.len() {
            self.modes[i].now = self.aim(&self.modes[i]);
        }
        self.fade.end();
        self.retuned();
    }

    /// Retunes every mode for the coming sample. `[audio]`
    pub(super) fn advance(&mut self) {
        let left = self.fade.left().div_ceil(PARTS);
        let last = left <= 1;
        let h = self.sample_s / (1u32 << self.level) as Real;
        if self.course_level != Some(self.level) {
            // Another step has other angles: a new course from here.
            for (i, mode) in self.modes.iter_mut().enumerate() {
                let to = aimed(&self.params, mode);
                (mode.was, self.courses[i]) = (mode.now, Course::new(mode.now, to, h));
                let turns = self.courses[i] == Course::Turn && mode.mass > 0.0;
                self.turns.set(i, turns.then(|| turning(mode.now, to, Real::from(left), h, mode.mass)));
            }
            (self.course_level, self.course_samples) = (Some(self.level), left);
        }
        let done = 1.0 - Real::from(left - 1) / Real::from(self.course_samples);
        if !last {
            let (cells, table) = (self.state.len(), &mut self.levels[self.level].table);
            let Turns { now, plan } = &mut self.turns;
            let [q, _] = self.state.rows_mut();
            kernel::turn(self.path, now.rows_mut(), plan.part(0, cells), done, q, table.rows_mut()); // [course.1]
        }
        for i in 0..self.modes.len() {
            match self.courses[i] {
                Course::Still => continue,
                Course::Turn if !last => {
                    let Turns { now, plan } = &self.turns;
                    self.modes[i].now = (now.get(3, i), plan.get(5, i) + plan.get(6, i) * done);
                    continue;
                }
                _ => {}
            }
            let mode = self.modes[i];
            let (aim, was) = (self.aim(&mode), mode.was);
            let line = |from: Real, to: Real| from + (to - from) * done;
            let now = if last { aim } else { (line(was.0, aim.0), line(was.1, aim.1)) };
            if now.0 > 0.0 && now.0 != mode.now.0 {
                let ratio = mode.now.0 / now.0; // [morph.3]
                let kept = if mode.now.0.min(now.0) < RIGID { ratio.min(1.0) } else { ratio };
                self.state.set(0, i, self.state.get(0, i) * kept);
            }
            self.modes[i].now = now;
            if !last {
                let series = self.courses[i] == Course::Series;
                let (s, integral) = if series { series_of(now, h) } else { step_response(now.0, now.1, h) };
                self.write_row(self.level, i, s, integral);
            }
        }
        self.levels.iter_mut().for_each(|level| level.fresh = false);
        if last {
            self.refresh(self.level);
        } else if !self.loose {
            self.label(self.level);
            self.levels[self.level].fresh = true;
        }
        self.stroke.iter_mut().for_each(|s| *s = None);
    }

    /// As `ring`, while the tuning or what is heard moves by the sample. `[audio]`
    pub(super) fn ring_moving(&mut self, ticks: usize, readings: &mut [Reading]) {
        let (cells, moving) = (self.state.len(), ticks.min(self.fade.left().div_ceil(PARTS) as usize));
        for tick in 0..moving {
            let [tap] = self.shape[self.listen].part(0, cells);
            let table = self.levels[0].table.part(0, cells);
            let (_, heard) = kernel::step(self.path, self.state.part_mut(0, cells), table, tap, 0.0, tap, tap);
            let retune = self.fade.pass(1, 0);
            for r in readings.iter_mut() {
                r.values[tick] = match r.motion {
                    Motion::Velocity if self.fade.loud() => self.heard_velocity(r.port),
                    Motion::Velocity if r.port == self.listen => heard,
                    Motion::Velocity => self.dot(1, r.port),
                    Motion::Position if self.fade.loud() => self.heard_position(r.port),
                    Motion::Position => self.dot(0, r.port),
                };
            }
            if retune {
                self.advance();
            }
        }
        if self.fade.on() {
            return;
        }
        self.let_go();
        for r in readings.iter_mut() {
            r.first = r.values[0];
        }
        for tick in moving..ticks {
            self.ring(1, readings);
            readings.iter_mut().for_each(|r| r.file(tick, ticks));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resonator::kernel::{Path, State};
    use crate::rng::Rng;

    #[test]
    fn coefficients_on_the_way_are_those_of_a_body_so_tuned() {
        let (mut rng, h) = (Rng::new(1, "course"), 1.0 / 48_000.0);
        let (mut turned, mut summed) = (0, 0);
        for _ in 0..2_000 {
            let mut draw = || (rng.between_log(1.0, 150_000.0), rng.between_log(0.01, 20_000.0));
            let (from, to) = (draw(), draw());
            let course = Course::new(from, to, h);
            turned += u32::from(course == Course::Turn);
            summed += u32::from(course == Course::Series);
            let (mut turns, mut table, mut state) = (Turns::new(1), Rows::<6>::zeros(1), State::zeros(1));
            turns.set(0, Some(turning(from, to, 32.0, h, 0.5)));
            for step in 1..=31 {
                let done = Real::from(step) / 32.0;
                let line = |a: Real, b: Real| a + (b - a) * done;
                let (now, (s, integral)) = match course {
                    Course::Turn => {
                        let [q, _] = state.rows_mut();
                        let Turns { now, plan } = &mut turns;
                        kernel::turn(Path::Baseline, now.rows_mut(), plan.part(0, 1), done, q, table.rows_mut());
                        ((now.get(3, 0), line(from.1, to.1)), (0.5 * table.get(5, 0), 0.5 * table.get(4, 0)))
                    }
                    Course::Series => {
                        let now = (line(from.0, to.0), line(from.1, to.1));
                        (now, series_of(now, h))
                    }
                    Course::Still | Course::Exact => break,
                };
                let (s1, integral1) = step_response(now.0, now.1, h);
                // S may pass through zero near half the rate; both are of the size of h then.
                assert!((s - s1).abs() < 1e-13 * h, "{from:?} {to:?} {step}: {s} {s1}");
                assert!((integral / integral1 - 1.0).abs() < 1e-12, "{from:?} {to:?} {step}: {integral} {integral1}");
            }
        }
        assert!(turned > 100 && summed > 50, "{turned} {summed}");
    }
}
