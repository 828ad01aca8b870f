// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the tuning of a sounding bank gets from one control tick to the next: by the sample, by two or by four.
//!
//! **What.** A frequency that stepped at control ticks would step the acceleration of its mode, which is heard. So the tuning
//! moves in a straight line, and before every sample each mode is retuned by a 32nd of the way, keeping energy and velocity
//! ([morph.3]); every step is then that of one fixed body, exact and passive like any other. A body that nothing touches is retuned
//! before every other sample, and a course over several control intervals (the pitch of a string) is gone in steps of four.
//!
//! **Law.** With s, c the sine and cosine of half the angle per step, d the way of that half angle per turn:
//! - `[course.1]  s' = s cos d + c sin d`, `c' = c cos d - s sin d`; `S = (1 - l) 2 s c/w`, `I = (2 s^2 + l (1 - 2 s^2) - sigma S)/omega^2`
//!   with `l = 1 - exp(-sigma h)` by factors likewise: S and I of [modal.2] without an elementary function
//! - `[course.2]  S = h sum t_n`, `I = h^2 sum t_n/(n+1)`, `n (n+1) t_(n+1) = -2 n sigma h t_n - (omega h)^2 t_(n-1)`, t_0 = 0,
//!   t_1 = 1: the power series, where the angle is small or the loss is large and [course.1] would lose digits
//!
//! **Symbols.** omega rad/s, sigma 1/s, w = sqrt(omega^2 - sigma^2) rad/s, h s: the step; S s, I s^2: impulse answer and its
//! integral, per unit mass.
//!
//! **Step.** A course begins where the last one ended, every eighth one on exact values, and who rings on without another
//! has exact values again: errors of some 1e-15 do not add up. Modes that suit neither law (faster than an e-fold in ten steps)
//! take the closed forms of [modal.2] every sample. A body that nothing touches goes its course chunk by chunk of its modes, a block
//! of samples each: what moves stays in registers.
//!
//! **Sources.** ours.

use super::bank::{Mode, Pole};
use super::coefficients::step_response;
use super::morph::RIGID;
use super::{Modal, ModalParams};
use crate::math::{Real, cos, expm1, sin};
use crate::reserve::Reserve;
use crate::resonator::kernel::{self, Angle, Angles, LANES, Line, Past, State, Turn, Turns};
use crate::resonator::{CONTROL_TICKS, Motion, Reading, Resonator};

/// Angle and decay per step below which the series is used, and angle above which the rotation is.
const SMALL: Real = 0.1;
/// Angle per step above which the rotation is used where the loss is small against its square.
const TINY: Real = 0.005;
/// Courses in a row that go on from where the last one ended.
const IN_A_ROW: u32 = 8;
/// Terms of the series: the first left out is below 1e-17.
const TERMS: usize = 13;

/// How a mode's coefficients are found on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Method {
    /// Its tuning stays.
    Still,
    /// [course.1]
    Rotation,
    /// [course.2]
    Series,
    /// [modal.2]
    Exact,
}

impl Method {
    /// For the way from one tuning to another, which ring so fast, in steps of h.
    #[inline]
    fn of([from, to]: [Pole; 2], [w0, w1]: [Real; 2], h: Real) -> Self {
        let (angle, loss) = (w0.min(w1) * h, from.sigma.max(to.sigma) * h);
        if from == to {
            Method::Still
        } else if angle > SMALL || (angle > TINY && loss < angle * angle) {
            Method::Rotation
        } else if from.omega.max(to.omega) * h < SMALL && loss < SMALL {
            Method::Series
        } else {
            Method::Exact
        }
    }
}

/// The way of every mode from one tuning to the next.
#[derive(Clone)]
pub(super) struct Course {
    methods: Vec<Method>,
    /// What the modes of [course.1] need.
    angles: Angles,
    turns: Turns,
    /// The size of step for which it was planned; none: not planned yet.
    level: Option<usize>,
    /// The size of step for which the angles of modes by [course.1] stand where these are tuned, if they do, and how many courses ago
    /// they were exact.
    made: Option<usize>,
    age: u32,
    /// By the sample, every course from exact values to exact values, as takes of format 1 were played.
    pub as_at_first: bool,
    /// Its length, and how many of them there are to a turn.
    samples: u32,
    stride: u32,
    /// The part of it that the coming sample stands at.
    done: Real,
    /// How the modes are tuned there is yet to be noted: until then the course says it.
    unnoted: bool,
    /// It has ended on coefficients that are exact to some 1e-15 only.
    pub(super) rough: bool,
    /// Modes on their way whose coefficients are found one by one: [course.2] and [modal.2].
    others: Reserve<usize>,
}

impl Course {
    /// Nothing moves. `[control]`
    pub(super) fn new(chunks: usize) -> Self {
        let methods = vec![Method::Still; chunks * LANES];
        let (angles, turns, others) = (Angles::zeros(chunks), Turns::zeros(chunks), Reserve::of(chunks * LANES));
        Self {
            methods,
            angles,
            turns,
            level: None,
            made: None,
            age: 0,
            as_at_first: false,
            samples: 1,
            stride: 1,
            done: 0.0,
            unnoted: false,
            rough: false,
            others,
        }
    }
}

impl Course {
    /// How the modes are tuned is known without asking the course.
    pub(super) fn is_noted(&self) -> bool {
        !self.unnoted
    }

    /// How a mode is tuned at the part of the course that is done.
    #[inline]
    fn tuning(&self, i: usize, mode: &Mode, params: &ModalParams) -> Pole {
        if self.done == 1.0 && self.methods[i] != Method::Still {
            mode.aim(params)
        } else if self.methods[i] == Method::Rotation {
            Pole { omega: self.angles.omega(i), sigma: self.turns.sigma(i) + self.turns.sigma_way(i) * self.done }
        } else {
            mode.now
        }
    }
}

impl Course {
    /// The part of the way to which the coming sample is retuned, where so many are left with it; none if it is as the one before.
    fn due(&self, left: u32) -> Option<Real> {
        let Course { samples, stride, .. } = *self;
        let turns = (samples - left).is_multiple_of(stride);
        turns.then(|| 1.0 - Real::from((left - 1) / stride) / Real::from(samples.div_ceil(stride)))
    }
}

/// Below this the first terms of a power series are as good as rounding allows.
const FEW_TERMS: Real = 0.02;

/// Sine and 1 - cosine of an angle, rad, which is small as a rule.
#[inline]
fn small_turn(angle: Real) -> (Real, Real) {
    if angle.abs() > FEW_TERMS {
        return (sin(angle), 2.0 * sin(0.5 * angle) * sin(0.5 * angle));
    }
    let z = angle * angle;
    let less = z * (1.0 / 6.0) * (1.0 - z * (1.0 / 20.0) * (1.0 - z * (1.0 / 42.0)));
    (angle - angle * less, 0.5 * z * (1.0 - z * (1.0 / 12.0) * (1.0 - z * (1.0 / 30.0) * (1.0 - z * (1.0 / 56.0)))))
}

/// 1 - exp(-x), of an x that is small as a rule.
#[inline]
fn loss(x: Real) -> Real {
    if x.abs() > FEW_TERMS {
        return -expm1(-x);
    }
    let tail = 1.0 - x * (1.0 / 5.0) * (1.0 - x * (1.0 / 6.0) * (1.0 - x * (1.0 / 7.0) * (1.0 - x * (1.0 / 8.0))));
    x - x * (0.5 * x) * (1.0 - x * (1.0 / 3.0) * (1.0 - x * (1.0 / 4.0) * tail))
}

/// The beginning of [course.1] for a mode, in steps of h.
#[inline]
fn angle_of(from: Pole, w: Real, h: Real) -> Angle {
    let half = 0.5 * h * w;
    Angle { sin: sin(half), cos: cos(half), lost: loss(from.sigma * h), omega: from.omega }
}

/// How it goes on from one tuning to another, which ring so fast, in steps of h; `part`: of the way, in a turn.
#[inline]
fn turn_of([from, to]: [Pole; 2], [w0, w1]: [Real; 2], part: Real, h: Real, mass: Real) -> Turn {
    let (on, less) = (0.5 * h * (w1 - w0) * part, h * (to.sigma - from.sigma) * part);
    let (by_sin, by_versine) = small_turn(on);
    Turn {
        by_sin,
        by_versine,
        by_lost: loss(less),
        w: w0,
        w_way: w1 - w0,
        sigma: from.sigma,
        sigma_way: to.sigma - from.sigma,
        over_mass: 1.0 / mass,
        turns: 1.0,
    }
}

/// Writes how a mode goes on.
#[inline(always)]
fn put_turn(rows: &mut Turn<&mut [Line]>, chunk: usize, l: usize, turn: Turn) {
    rows.by_sin[chunk].0[l] = turn.by_sin;
    rows.by_versine[chunk].0[l] = turn.by_versine;
    rows.by_lost[chunk].0[l] = turn.by_lost;
    rows.w[chunk].0[l] = turn.w;
    rows.w_way[chunk].0[l] = turn.w_way;
    rows.sigma[chunk].0[l] = turn.sigma;
    rows.sigma_way[chunk].0[l] = turn.sigma_way;
    rows.over_mass[chunk].0[l] = turn.over_mass;
    rows.turns[chunk].0[l] = turn.turns;
}

/// A part `done` of the straight way from one tuning to another.
fn line(from: Pole, to: Pole, done: Real) -> Pole {
    let part = |from: Real, to: Real| from + (to - from) * done;
    Pole { omega: part(from.omega, to.omega), sigma: part(from.sigma, to.sigma) }
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

/// Impulse answer and its integral by [course.2].
fn series(Pole { omega, sigma }: Pole, h: Real) -> (Real, Real) {
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
    /// Begins a course from the present tuning to that of the parameters, and goes its first sample. `[audio]`
    pub(super) fn depart(&mut self) {
        self.retuning.course.level = None;
        for i in 0..self.bank.slots_in_use() {
            if self.bank.modes[i].now == self.aim(&self.bank.modes[i]) {
                self.refresh_mode(self.steps.level, i); // fallen silent, come back, or as before
            }
        }
        self.advance();
    }

    /// The tuning is where the parameters say, at once. `[audio]`
    pub(super) fn arrive(&mut self) {
        self.note_tuning();
        for i in 0..self.bank.slots_in_use() {
            self.bank.modes[i].now = self.aim(&self.bank.modes[i]);
        }
        self.retuning.course.made = None;
        self.retuning.fade.end();
        self.retuned();
    }

    /// How a mode is tuned now.
    pub(super) fn tuning(&self, i: usize) -> Pole {
        let (mode, course) = (&self.bank.modes[i], &self.retuning.course);
        if course.unnoted { course.tuning(i, mode, &self.params) } else { mode.now }
    }

    /// Notes how the modes on their way are tuned now, if that has not been done.
    pub(super) fn note_tuning(&mut self) {
        if core::mem::take(&mut self.retuning.course.unnoted) {
            for (i, mode) in self.bank.modes[..self.bank.in_use * LANES].iter_mut().enumerate() {
                mode.now = self.retuning.course.tuning(i, mode, &self.params);
            }
        }
    }

    /// Retunes every mode for the coming sample, or the coming two or four. `[audio]`
    pub(super) fn advance(&mut self) {
        let (left, level) = (self.retuning.fade.samples_left(), self.steps.level);
        if self.retuning.course.level != Some(level) {
            // Another step has other angles: a new course from here.
            self.note_tuning();
            self.plan(left);
        }
        let Course { as_at_first, stride, .. } = self.retuning.course;
        if as_at_first && left <= 1 && stride == 1 && !self.released {
            self.note_tuning();
            self.end_course();
            self.coming.forget_strokes();
            return;
        }
        let Some(done) = self.retuning.course.due(left) else { return };
        // What moves as a rule goes on to; exact values are made when it rings on without another course: see `polish`.
        self.retuning.course.rough = left <= self.retuning.course.stride && !self.released;
        self.follow(done);
        self.coming.forget_strokes();
    }

    /// Plans the course from here on, in so many samples.
    fn plan(&mut self, samples: u32) {
        let (h, course) = (self.steps.now().h, &mut self.retuning.course);
        let alone = self.released && !course.as_at_first;
        let (stride, level) = (self.retuning.fade.stride(alone), Some(self.steps.level));
        let part = 1.0 / Real::from(samples.div_ceil(stride));
        let goes_on = course.made == level && course.age < IN_A_ROW && !course.as_at_first;
        (course.made, course.age) = (level, if goes_on { course.age + 1 } else { 0 });
        course.others.clear();
        let all = self.bank.in_use;
        let (angles, mut on) = (course.angles.part_mut(0, all), course.turns.part_mut(0, all));
        for (i, mode) in self.bank.modes[..all * LANES].iter_mut().enumerate() {
            let way = [mode.now, mode.aim(&self.params)];
            let ringing = way.map(Pole::ringing);
            let method = Method::of(way, ringing, h);
            let stands = goes_on && course.methods[i] == Method::Rotation;
            (mode.departed, course.methods[i]) = (mode.now, method);
            let (chunk, l) = (i / LANES, i % LANES);
            if method == Method::Rotation && mode.mass > 0.0 {
                if !stands {
                    let angle = angle_of(mode.now, ringing[0], h);
                    angles.sin[chunk].0[l] = angle.sin;
                    angles.cos[chunk].0[l] = angle.cos;
                    angles.lost[chunk].0[l] = angle.lost;
                    angles.omega[chunk].0[l] = angle.omega;
                }
                put_turn(&mut on, chunk, l, turn_of(way, ringing, part, h, mode.mass));
            } else {
                put_turn(&mut on, chunk, l, Turn::default());
                if matches!(method, Method::Series | Method::Exact) {
                    course.others.push(i);
                }
            }
        }
        (course.level, course.samples, course.stride, course.done) = (level, samples, stride, 0.0);
    }

    /// Retunes every mode to a part `done` of its way.
    fn follow(&mut self, done: Real) {
        let (chunks, size) = (self.bank.in_use, self.steps.now_mut());
        let Course { angles, turns, .. } = &mut self.retuning.course;
        let (q, step) = (self.state.part_mut(0, chunks).q, size.steps.part_mut(0, chunks));
        kernel::turn(self.path, angles.part_mut(0, chunks), turns.part(0, chunks), done, q, step); // [course.1]
        (self.retuning.course.done, self.retuning.course.unnoted) = (done, true);
        for at in 0..self.retuning.course.others.len() {
            self.follow_alone(self.retuning.course.others[at], done);
        }
        self.steps.outdate();
        if !self.released {
            self.refresh_compliance(self.steps.level);
            self.steps.now_mut().fresh = true;
        }
    }

    /// The same of one mode whose coefficients are found by themselves.
    fn follow_alone(&mut self, i: usize, done: Real) {
        let mode = &self.bank.modes[i];
        let now = line(mode.departed, mode.aim(&self.params), done);
        self.keep_energy(i, now);
        let (size, mode) = (self.steps.now_mut(), &self.bank.modes[i]);
        let in_series = self.retuning.course.methods[i] == Method::Series;
        let (s, integral) = if in_series { series(now, size.h) } else { step_response(now.omega, now.sigma, size.h) };
        size.set(i, mode, s, integral);
    }

    /// Goes the last sample of a course by exact values.
    fn end_course(&mut self) {
        (self.retuning.course.done, self.retuning.course.unnoted) = (1.0, true);
        for i in 0..self.bank.slots_in_use() {
            if self.retuning.course.methods[i] != Method::Still {
                self.keep_energy(i, self.aim(&self.bank.modes[i]));
            }
        }
        self.steps.outdate();
        self.refresh(self.steps.level);
    }

    /// Exact coefficients where a course has ended and no other has begun; true if that was due. Asked at control ticks.
    pub(super) fn polish(&mut self) -> bool {
        let due = core::mem::take(&mut self.retuning.course.rough) && !self.retuning.fade.on();
        if due {
            self.steps.outdate();
            self.refresh(self.steps.level);
            self.coming.forget_strokes();
        }
        due
    }

    /// Retunes one mode between two steps; attended form.
    fn keep_energy(&mut self, i: usize, to: Pole) {
        let from = self.bank.modes[i].now;
        if to.omega > 0.0 && to.omega != from.omega {
            let ratio = fault!(RETUNE_ENERGY, from.omega / to.omega, 1.0); // [morph.3]
            let kept = if from.omega.min(to.omega) < RIGID { ratio.min(1.0) } else { ratio };
            let State { q, p } = self.state.at(i);
            self.state.set(i, State { q: q * kept, p });
        }
        self.bank.modes[i].now = to;
    }

    /// As `ring`, while the tuning or what is heard moves by the sample. `[audio]`
    pub(super) fn ring_retuning(&mut self, ticks: usize, readings: &mut [Reading]) {
        let moving = ticks.min(self.retuning.fade.samples_left() as usize);
        let mut tick = 0;
        while tick < moving {
            if self.released && self.steps.level == 0 && self.retuning.course.level == Some(0) {
                self.ring_on_course(tick, moving, readings);
                break;
            }
            self.ring_retuning_once(tick, readings);
            tick += 1;
        }
        self.note_tuning();
        // Where the interval ends with the block another course may begin: the free form waits for the next one.
        if self.retuning.fade.on() || moving == ticks {
            return;
        }
        self.enter_free();
        for r in readings.iter_mut() {
            r.first = r.values[0];
        }
        for tick in moving..ticks {
            self.ring(1, readings);
            readings.iter_mut().for_each(|r| r.file(tick, ticks));
        }
    }

    /// Samples `from..to` of a course that is planned: as one by one, but chunk by chunk of the modes.
    fn ring_on_course(&mut self, from: usize, to: usize, readings: &mut [Reading]) {
        // To which part of their way the modes are retuned after each sample, and b of [morph.4] at its end.
        let (mut done, mut left, mut retuned) = ([Real::NAN; CONTROL_TICKS], [0.0; CONTROL_TICKS], None);
        for tick in from..to {
            let goes_on = self.retuning.fade.pass(1, 0);
            if self.retuning.fade.audible() {
                left[tick] = self.retuning.fade.remaining();
            }
            if goes_on {
                self.retuning.course.rough = false;
                if let Some(part) = self.retuning.course.due(self.retuning.fade.samples_left()) {
                    (done[tick], retuned) = (part, Some(part));
                }
            }
        }
        for r in readings.iter_mut() {
            r.sums.0[from..to].fill(Line::ZERO);
            r.values[from..to].fill(0.0);
        }
        let mut past = State { q: [Line::ZERO; CONTROL_TICKS], p: [Line::ZERO; CONTROL_TICKS] };
        let mut others = 0;
        for chunk in 0..self.bank.in_use {
            let alone = others;
            others += self.retuning.course.others[alone..].iter().take_while(|&&i| i / LANES == chunk).count();
            if others == alone {
                self.ring_chunk(chunk, &done[from..to], &mut past);
                self.hear_chunk(chunk, &past, from, &left[from..to], readings);
                continue;
            }
            for tick in from..to {
                self.ring_chunk(chunk, &done[tick..=tick], &mut past);
                self.hear_chunk(chunk, &past, tick, &left[tick..=tick], readings);
                for at in (alone..others).filter(|_| !done[tick].is_nan()) {
                    self.follow_alone(self.retuning.course.others[at], done[tick]);
                }
            }
        }
        for r in readings.iter_mut() {
            let jump = self.retuning.fade.jump(r.port, r.motion);
            for ((value, sum), left) in r.values.iter_mut().zip(&r.sums.0).zip(left).take(to).skip(from) {
                *value = kernel::join(&sum.0) - jump * left - *value;
            }
        }
        if let Some(done) = retuned {
            (self.retuning.course.done, self.retuning.course.unnoted) = (done, true);
            self.steps.outdate();
            self.coming.forget_strokes();
        }
    }

    /// A chunk of modes through samples after which it is retuned so far.
    fn ring_chunk(&mut self, chunk: usize, done: &[Real], past: &mut Past) {
        let (from, to) = (chunk, chunk + 1);
        let Course { angles, turns, .. } = &mut self.retuning.course;
        let (state, step) = (self.state.part_mut(from, to), self.steps.now_mut().steps.part_mut(from, to));
        kernel::ring_turning(self.path, state, angles.part_mut(from, to), turns.part(from, to), step, done, past);
    }

    /// Adds what is heard of a chunk to the sums of the readings, from a sample on, and what of it is motion as a whole to their
    /// values, where that is to be left out.
    fn hear_chunk(&self, chunk: usize, past: &Past, from: usize, left: &[Real], readings: &mut [Reading]) {
        let fades = left[0] > 0.0;
        for r in readings {
            let past = if r.motion == Motion::Velocity { &past.p } else { &past.q };
            let now = &self.ports[r.port].heard.part(chunk, chunk + 1)[0];
            // Where no shape has moved there is nothing to go over to: the same bits in fewer operations.
            let before = self.retuning.fade.shape_before(r.port).filter(|_| fades);
            let before = before.map(|row| &row.part(chunk, chunk + 1)[0]).filter(|before| before.0 != now.0);
            let past = &past[..left.len()];
            kernel::hear(self.path, past, now, before, left, &mut r.sums.0[from..from + left.len()]);
            for &i in self.bank.rigid.iter().filter(|&&i| !r.whole && i / LANES == chunk) {
                for (tick, &left) in left.iter().enumerate() {
                    r.values[from + tick] += self.weight(r.port, i, left) * past[tick].0[i % LANES];
                }
            }
        }
    }

    /// Takes one free sample in attended form, reads it as sample `tick`, and retunes for the next.
    fn ring_retuning_once(&mut self, tick: usize, readings: &mut [Reading]) {
        let chunks = self.bank.in_use;
        let listened = self.ports[self.listener.port].heard.part(0, chunks);
        let (state, step) = (self.state.part_mut(0, chunks), self.steps.whole().part(0, chunks));
        let (_, velocity) = kernel::step(self.path, state, step, listened, 0.0, listened, listened);
        let retune = self.retuning.fade.pass(1, 0);
        let (State { q, p }, audible) = (self.state.part(0, chunks), self.retuning.fade.audible());
        for r in readings.iter_mut() {
            r.values[tick] = match r.motion {
                Motion::Velocity if audible => self.faded_velocity(r.port),
                Motion::Velocity if r.port == self.listener.port => velocity,
                Motion::Velocity => self.heard_sum(r.port, p),
                Motion::Position if audible => self.faded_position(r.port),
                Motion::Position => self.heard_sum(r.port, q),
            };
            if !r.whole {
                r.values[tick] -= self.as_a_whole(r.port, r.motion);
            }
        }
        if retune {
            self.advance();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::param::Tunable;
    use crate::resonator::kernel::{Path, States, Steps};
    use crate::resonator::modal::Tuning;
    use crate::rng::Rng;

    #[test]
    fn a_course_gone_chunk_by_chunk_is_the_one_gone_sample_by_sample() {
        // Slow modes, whose coefficients are found one by one, stand beside the others; what is heard fades.
        let modes =
            |scale: Real| (0..40).map(|i| (scale * (3.0 + 220.0 * Real::from(i)), 0.3, 0.01)).collect::<Vec<_>>();
        let ports = |at: Real| [at, 2.0 * at].map(|at| (0..40).map(|i| cos(at * Real::from(i))).collect()).to_vec();
        let [from, to] = [(1.0, 0.3), (0.8, 0.7)].map(|(scale, at)| Tuning {
            modes: modes(scale),
            ports: ports(at),
            ..Tuning::default()
        });
        let play = |at_once: bool| {
            let mut body = Modal::morphing(ModalParams::default(), &from, &to, 1.0 / 48_000.0, true);
            body.hit(0, 0.01);
            body.release();
            let mut readings = [Reading::new(0, Motion::Velocity), Reading::new(1, Motion::Position)];
            let mut bits = Vec::new();
            for (scale, morph) in [(1.2, 0.3), (0.9, 0.6)] {
                body.set(0, scale);
                body.set(3, morph);
                body.released = at_once;
                body.ring(31, &mut readings);
                assert_eq!(body.retuning.fade.samples_left(), 1);
                body.released = true;
                body.ring(1, &mut []);
                bits.extend(readings.iter().flat_map(|r| r.values[..31].iter().map(|x| x.to_bits())));
            }
            assert!(!body.retuning.course.others.is_empty());
            bits
        };
        let (together, alone) = (play(true), play(false));
        assert_eq!(together[..62], alone[..62]);
        // The end of a course differs in the last digits: exact where something may touch the body.
        let near = |(a, b): (&u64, &u64)| (Real::from_bits(*a) - Real::from_bits(*b)).abs() < 1e-10;
        assert!(together.iter().zip(&alone).all(near));
    }

    #[test]
    fn the_few_terms_are_the_functions_to_rounding() {
        for i in -3_000..=3_000 {
            let x = 1e-5 * f64::from(i);
            let near = |got: Real, want: Real| (got - want).abs() <= 4.0 * Real::EPSILON * want.abs();
            let (s, v) = small_turn(x);
            assert!(near(s, x.sin()) && near(v, 2.0 * (0.5 * x).sin().powi(2)), "{x}");
            assert!(near(loss(x), -(-x).exp_m1()), "{x}");
        }
    }

    #[test]
    fn coefficients_on_the_way_are_those_of_a_body_so_tuned() {
        let (mut rng, h) = (Rng::new(1, "course"), 1.0 / 48_000.0);
        let (mut rotated, mut summed) = (0, 0);
        for _ in 0..2_000 {
            let mut draw = || Pole { omega: rng.between_log(1.0, 150_000.0), sigma: rng.between_log(0.01, 20_000.0) };
            let (from, to) = (draw(), draw());
            let (way, ringing) = ([from, to], [from.ringing(), to.ringing()]);
            let method = Method::of(way, ringing, h);
            rotated += u32::from(method == Method::Rotation);
            summed += u32::from(method == Method::Series);
            let (mut angles, mut turns, mut steps) = (Angles::zeros(1), Turns::zeros(1), Steps::zeros(1));
            let mut state = States::zeros(1);
            angles.set(0, angle_of(from, ringing[0], h));
            turns.set(0, turn_of(way, ringing, 1.0 / 32.0, h, 0.5));
            for sample in 1..=31 {
                let done = Real::from(sample) / 32.0;
                let on_line = line(from, to, done);
                let (now, (s, integral)) = match method {
                    Method::Rotation => {
                        let (q, step) = (state.part_mut(0, 1).q, steps.part_mut(0, 1));
                        kernel::turn(Path::Baseline, angles.part_mut(0, 1), turns.part(0, 1), done, q, step);
                        let now = Pole { omega: angles.omega(0), sigma: on_line.sigma };
                        (now, (0.5 * steps.bp(0), 0.5 * steps.bq(0)))
                    }
                    Method::Series => (on_line, series(on_line, h)),
                    Method::Still | Method::Exact => break,
                };
                let (s1, integral1) = step_response(now.omega, now.sigma, h);
                // S may pass through zero near half the rate; both are of the size of h then.
                assert!((s - s1).abs() < 1e-13 * h, "{from:?} {to:?} {sample}: {s} {s1}");
                assert!((integral / integral1 - 1.0).abs() < 1e-12, "{from:?} {to:?} {sample}: {integral} {integral1}");
            }
        }
        assert!(rotated > 100 && summed > 50, "{rotated} {summed}");
    }
}
