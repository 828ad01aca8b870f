// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the tuning of a sounding bank gets from one control tick to the next: by the sample.
//!
//! **What.** A frequency that stepped at control ticks would step the acceleration of its mode, which is heard. So the tuning
//! moves in a straight line, and before every sample each mode is retuned by a 32nd of the way, keeping energy and velocity
//! ([morph.3]); every step is then that of one fixed body, exact and passive like any other.
//!
//! **Law.** With s, c the sine and cosine of half the angle per step, d the way of that half angle per sample:
//! - `[course.1]  s' = s cos d + c sin d`, `c' = c cos d - s sin d`; `S = e 2 s c/w`, `I = (2 s^2 + (1 - e)(1 - 2 s^2) - sigma S)/omega^2`
//!   with `e = exp(-sigma h)` by factors likewise: S and I of [modal.2] without an elementary function
//! - `[course.2]  S = h sum t_n`, `I = h^2 sum t_n/(n+1)`, `n (n+1) t_(n+1) = -2 n sigma h t_n - (omega h)^2 t_(n-1)`, t_0 = 0,
//!   t_1 = 1: the power series, where the angle is small and [course.1] would lose digits
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
use crate::math::{Real, cos, exp, sin};
use crate::resonator::{Motion, Reading, Resonator, kernel};

/// Angle and decay per step below which the series is used, and above which the rotation is.
const SMALL: Real = 0.1;
/// Terms of the series: the first left out is below 1e-17.
const TERMS: usize = 13;

/// What a mode needs to be retuned by the sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Course {
    /// Its tuning stays.
    Still,
    /// [course.1]: sine and cosine of half the angle, what is kept in a step, and how all three go on.
    Turn { sin: Real, cos: Real, keep: Real, by: [Real; 3] },
    /// [course.2]
    Series,
    /// [modal.2]
    Exact,
}

/// Where the parameters want a mode: omega, sigma.
fn aimed(params: &ModalParams, mode: &Mode) -> (Real, Real) {
    (mode.omega * params.freq_scale, mode.sigma / params.decay_scale)
}

fn ringing((omega, sigma): (Real, Real)) -> Real {
    ((omega - sigma) * (omega + sigma)).max(0.0).sqrt()
}

impl Course {
    /// From the present tuning to `to` in `steps` samples, for a step of h.
    fn new(from: (Real, Real), to: (Real, Real), steps: Real, h: Real) -> Self {
        if from == to {
            return Course::Still;
        }
        let (w0, w1) = (ringing(from), ringing(to));
        if w0.min(w1) * h > SMALL {
            let half = 0.5 * h * w0;
            let (on, less) = (0.5 * h * (w1 - w0) / steps, h * (to.1 - from.1) / steps);
            Course::Turn { sin: sin(half), cos: cos(half), keep: exp(-from.1 * h), by: [sin(on), cos(on), exp(-less)] }
        } else if from.0.max(to.0) * h < SMALL && from.1.max(to.1) * h < SMALL {
            Course::Series
        } else {
            Course::Exact
        }
    }

    /// Goes on by a sample; S and I at the tuning reached.
    fn next(&mut self, (omega, sigma): (Real, Real), h: Real) -> (Real, Real) {
        match self {
            Course::Turn { sin, cos, keep, by } => {
                (*sin, *cos) = (*sin * by[1] + *cos * by[0], *cos * by[1] - *sin * by[0]); // [course.1]
                *keep *= by[2];
                let gone = 2.0 * *sin * *sin;
                let s = *keep * 2.0 * *sin * *cos / ringing((omega, sigma));
                (s, (gone + (1.0 - *keep) * (1.0 - gone) - sigma * s) / (omega * omega))
            }
            Course::Series => series(omega, sigma, h),
            Course::Still | Course::Exact => step_response(omega, sigma, h),
        }
    }
}

fn series(omega: Real, sigma: Real, h: Real) -> (Real, Real) {
    let (x, z) = (2.0 * sigma * h, omega * h * (omega * h));
    let (mut before, mut term, mut s, mut integral) = (0.0, 1.0, 1.0, 0.5);
    for n in 1..TERMS {
        let n = n as Real;
        let next = -(n * x * term + z * before) / (n * (n + 1.0)); // [course.2]
        (before, term) = (term, next);
        s += next;
        integral += next / (n + 2.0);
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
            for (course, mode) in self.courses.iter_mut().zip(&mut self.modes) {
                mode.was = mode.now;
                *course = Course::new(mode.now, aimed(&self.params, mode), Real::from(left), h);
            }
            (self.course_level, self.course_samples) = (Some(self.level), left);
        }
        let done = 1.0 - Real::from(left - 1) / Real::from(self.course_samples);
        for i in 0..self.modes.len() {
            let mode = self.modes[i];
            let (aim, was) = (self.aim(&mode), mode.was);
            if mode.now == aim {
                continue;
            }
            let line = |from: Real, to: Real| from + (to - from) * done;
            let now = match self.courses[i] {
                _ if last => aim,
                Course::Turn { .. } => {
                    let (w, sigma) = (line(ringing(was), ringing(aim)), line(was.1, aim.1));
                    ((w * w + sigma * sigma).sqrt(), sigma)
                }
                _ => (line(was.0, aim.0), line(was.1, aim.1)),
            };
            if now.0 > 0.0 && now.0 != mode.now.0 {
                let ratio = mode.now.0 / now.0; // [morph.3]
                let kept = if mode.now.0.min(now.0) < RIGID { ratio.min(1.0) } else { ratio };
                self.state.set(0, i, self.state.get(0, i) * kept);
            }
            self.modes[i].now = now;
            if !last {
                let (s, integral) = self.courses[i].next(now, h);
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
    use crate::rng::Rng;

    #[test]
    fn coefficients_on_the_way_are_those_of_a_body_so_tuned() {
        let (mut rng, h) = (Rng::new(1, "course"), 1.0 / 48_000.0);
        let (mut turned, mut summed) = (0, 0);
        for _ in 0..2_000 {
            let mut draw = || (rng.between_log(1.0, 150_000.0), rng.between_log(0.01, 20_000.0));
            let (from, to) = (draw(), draw());
            let mut course = Course::new(from, to, 32.0, h);
            turned += u32::from(matches!(course, Course::Turn { .. }));
            summed += u32::from(course == Course::Series);
            for step in 1..=31 {
                let line = |a: Real, b: Real| a + (b - a) * Real::from(step) / 32.0;
                let now = if let Course::Turn { .. } = course {
                    let (w, sigma) = (line(ringing(from), ringing(to)), line(from.1, to.1));
                    ((w * w + sigma * sigma).sqrt(), sigma)
                } else {
                    (line(from.0, to.0), line(from.1, to.1))
                };
                let (s, integral) = course.next(now, h);
                let (s1, integral1) = step_response(now.0, now.1, h);
                // S may pass through zero near half the rate; both are of the size of h then.
                assert!((s - s1).abs() < 1e-13 * h, "{from:?} {to:?} {step}: {s} {s1}");
                assert!((integral / integral1 - 1.0).abs() < 1e-12, "{from:?} {to:?} {step}: {integral} {integral1}");
            }
        }
        assert!(turned > 100 && summed > 50, "{turned} {summed}");
    }
}
