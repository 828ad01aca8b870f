// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the modes of a bank are in numbers: the coefficients of their steps, made when the tuning or the step changes.

use super::Modal;
use super::bank::{Mode, Pole};
use crate::math::{Real, cos, exp, expm1, integrate_smooth, sin, sinc, sinh, sinhc};
use crate::resonator::LEVELS;
use crate::resonator::kernel::{self, LANES, State, Step, Steps, TwoPole};

/// Impulse answer S(h) and its integral over the step, per unit mass: [modal.2].
///
/// Each branch is free of cancellation in its domain; together they cover every omega, sigma >= 0.
pub fn step_response(omega: Real, sigma: Real, h: Real) -> (Real, Real) {
    let d = (omega - sigma) * (omega + sigma);
    let root = d.abs().sqrt();
    let impulse = |t: Real| t * exp(-sigma * t) * if d >= 0.0 { sinc(root * t) } else { sinhc(root * t) };
    if d < 0.0 && root * h > 0.5 {
        let fast = sigma + root;
        let slow = omega * omega / fast;
        let phi = |x: Real| if x == 0.0 { 1.0 } else { -expm1(-x) / x };
        let s = (exp(-slow * h) - exp(-fast * h)) / (2.0 * root);
        return (s, h * (phi(slow * h) - phi(fast * h)) / (2.0 * root));
    }
    let s = impulse(h);
    let integral = if omega * h > 0.1 {
        let (loss, angle) = (-expm1(-sigma * h), root * h);
        let (c, gone) = if d >= 0.0 {
            (cos(angle), 2.0 * sin(0.5 * angle) * sin(0.5 * angle))
        } else {
            let half = sinh(0.5 * angle);
            (1.0 + 2.0 * half * half, -2.0 * half * half)
        };
        (gone + loss * c - sigma * s) / (omega * omega)
    } else {
        integrate_smooth(0.0, h, impulse)
    };
    (s, integral)
}

/// Everything that belongs to one size of the step.
#[derive(Clone)]
pub(super) struct StepSize {
    /// Length of the step, s.
    pub h: Real,
    pub steps: Steps,
    /// Displacement of every port per newton at every port within the step, m/N, row by row: [modal.3]. Not a number where one
    /// of the two has never been touched.
    compliance: Vec<Real>,
    /// Made for the present tuning and the present places.
    pub fresh: bool,
}

impl StepSize {
    /// Sets one mode's step from its impulse answer and the integral of that: [modal.2].
    pub(super) fn set(&mut self, i: usize, mode: &Mode, s: Real, integral: Real) {
        let (mass, Pole { omega, sigma }) = (mode.mass, mode.now);
        let mut step = Step::default();
        if mass > 0.0 {
            let qq = -omega * omega * integral;
            let (pq, pp) = (-omega * omega * s, qq - 2.0 * sigma * s);
            step = Step { qq, qp: s, pq, pp, bq: integral / mass, bp: s / mass };
        }
        self.steps.set(i, step);
    }
}

/// The sizes of the step: the sample divided by 1, 2, 4, ...
#[derive(Clone)]
pub(super) struct StepSizes {
    sizes: Vec<StepSize>,
    /// The present one: the sample is divided by `2^level`.
    pub level: usize,
}

impl StepSizes {
    /// None of them made yet. `[control]`
    pub(super) fn new(sample_s: Real, chunks: usize, ports: usize) -> Self {
        let size = |level: usize| StepSize {
            h: sample_s / (1u32 << level) as Real,
            steps: Steps::zeros(chunks),
            compliance: vec![Real::NAN; ports * ports],
            fresh: false,
        };
        Self { sizes: (0..LEVELS).map(size).collect(), level: 0 }
    }

    /// The present size.
    pub(super) fn now(&self) -> &StepSize {
        &self.sizes[self.level]
    }

    pub(super) fn now_mut(&mut self) -> &mut StepSize {
        &mut self.sizes[self.level]
    }

    /// Steps of a whole sample.
    pub(super) fn whole(&self) -> &Steps {
        &self.sizes[0].steps
    }

    /// One of so many ports is touched elsewhere: its compliances are found when they are asked for.
    pub(super) fn forget_port(&mut self, port: usize, ports: usize) {
        for size in &mut self.sizes {
            for other in 0..ports {
                size.compliance[port * ports + other] = Real::NAN;
                size.compliance[other * ports + port] = Real::NAN;
            }
        }
    }

    /// Tuning or places changed: every size is to be made anew before it is used.
    pub(super) fn outdate(&mut self) {
        self.sizes.iter_mut().for_each(|size| size.fresh = false);
    }
}

impl Modal {
    /// Recomputes what depends on the tuning but not on the step; attended form.
    pub(super) fn retuned(&mut self) {
        self.bank.two_pole_fits = true;
        for i in 0..self.bank.slots_in_use() {
            let mode = self.bank.modes[i];
            let aim = self.aim(&mode);
            if mode.mass > 0.0 && !self.sounds(&mode) {
                self.state.set(i, State::default());
                self.bank.modes[i].now = aim;
            } else if i < self.bank.two_pole_chunks * LANES && mode.mass > 0.0 {
                self.bank.two_pole_fits &= aim.fits_two_pole(self.sample_s);
            }
        }
        // A mode that no port can move or hear is nobody's loss.
        let lost = |mode: &&Mode| mode.is_heard() && !self.sounds(mode);
        self.bank.omitted = self.bank.audible().iter().filter(lost).count() + self.bank.silent_heard();
        self.bank.in_use = self.reach();
        self.steps.outdate();
        self.forget();
    }

    /// The state changed otherwise than by a step: nothing is known of the coming one, nor of what was heard.
    pub(super) fn forget(&mut self) {
        self.coming.forget_strokes();
        self.listener.velocity = None;
    }

    /// Makes the coefficients of a step size; bounded, no allocation. `[audio]`
    pub(super) fn refresh(&mut self, level: usize) {
        if self.steps.sizes[level].fresh {
            return;
        }
        self.note_tuning();
        for i in 0..self.bank.slots_in_use() {
            self.refresh_mode(level, i);
            if level == 0 {
                self.refresh_recursion(i);
            }
        }
        self.refresh_compliance(level);
        self.steps.sizes[level].fresh = true;
    }

    /// Step of one mode at its present tuning; none if it does not sound.
    pub(super) fn refresh_mode(&mut self, level: usize, i: usize) {
        let (mode, size) = (self.bank.modes[i], &self.steps.sizes[level]);
        let Pole { omega, sigma } = mode.now;
        let (s, integral) = if self.sounds(&mode) { step_response(omega, sigma, size.h) } else { (0.0, 0.0) };
        self.steps.sizes[level].set(i, &mode, s, integral);
    }

    /// Two-pole recursion of one mode, after its step of a whole sample; none if it does not sound.
    fn refresh_recursion(&mut self, i: usize) {
        let (mode, mut recursion) = (self.bank.modes[i], TwoPole::default());
        if self.sounds(&mode) {
            let Step { qq, pp, .. } = self.steps.whole().at(i);
            let (trace, det) = (2.0 + (qq + pp), exp(-fault!(FREE_DECAY, 2.0, 1.0) * mode.now.sigma * self.sample_s)); // [modal.4]
            recursion = TwoPole { trace, det, trace_2: trace * trace - det, det_2: trace * det };
        }
        self.free.recursion.set(i, recursion);
    }

    /// Compliances of the ports that have been touched so far.
    pub(super) fn refresh_compliance(&mut self, level: usize) {
        let ports = self.ports.len();
        for to in 0..ports {
            for from in 0..=to {
                let asked = self.ports[to].asked && self.ports[from].asked;
                let found = if asked { self.find_compliance(level, to, from) } else { Real::NAN };
                let compliance = &mut self.steps.sizes[level].compliance;
                compliance[to * ports + from] = found;
                compliance[from * ports + to] = found;
            }
        }
    }

    /// Compliance of a port to a force at another, at the present size of the step.
    pub(super) fn compliance_of(&self, to: usize, from: usize) -> Real {
        let known = self.steps.now().compliance[to * self.ports.len() + from];
        if known.is_nan() { self.find_compliance(self.steps.level, to, from) } else { known }
    }

    /// A port is touched: its compliances are kept from now on.
    pub(super) fn ask_for(&mut self, port: usize) {
        if !self.ports[port].asked {
            self.ports[port].asked = true;
            for level in 0..LEVELS {
                if self.steps.sizes[level].fresh {
                    self.refresh_compliance(level);
                }
            }
        }
    }

    fn find_compliance(&self, level: usize, to: usize, from: usize) -> Real {
        let chunks = self.bank.in_use;
        let bq = self.steps.sizes[level].steps.part(0, chunks).bq;
        let mut sum = [0.0; LANES];
        let (a, b) = (self.ports[to].touched.part(0, chunks), self.ports[from].touched.part(0, chunks));
        for ((a, b), bq) in a.iter().zip(b).zip(bq) {
            for (lane, sum) in sum.iter_mut().enumerate() {
                *sum += a.0[lane] * b.0[lane] * bq.0[lane]; // [modal.3]
            }
        }
        fault!(MODAL_COMPLIANCE, kernel::join(&sum), times 0.8)
    }
}

#[cfg(test)]
mod tests {
    use crate::math::Real;
    use crate::resonator::Resonator;
    use crate::resonator::modal::tests::{RATE_HZ, body, decay};
    use crate::units::{decay_rate, rad_s};

    use super::step_response;

    #[test]
    fn critical_overdamped_and_zero_frequency_modes_follow_their_closed_forms() {
        let t = 480.0 / RATE_HZ;
        for (freq_hz, decay_s) in [(100.0, 1.0 / rad_s(100.0)), (10.0, 1e-3), (1e-3, 1e-2), (0.0, 1e-2), (200.0, 1e-6)]
        {
            let (omega, sigma) = (rad_s(freq_hz), decay_rate(decay_s));
            let mut body = body(&[(freq_hz, decay_s, 1.0)]);
            body.hit(0, 1.0);
            (0..480).for_each(|_| body.commit());
            let (q, p) = if (omega / sigma - 1.0).abs() < 1e-9 {
                (t * (-sigma * t).exp(), (1.0 - sigma * t) * (-sigma * t).exp())
            } else {
                decay(omega, sigma, 0.0, 1.0, t)
            };
            let scale = 1e-11 * (1.0 / sigma).min(t);
            assert!((body.position(0) - q).abs() < scale, "{freq_hz} Hz {decay_s} s: {} {q}", body.position(0));
            assert!((body.velocity(0) - p).abs() < 1e-11, "{freq_hz} Hz {decay_s} s: {} {p}", body.velocity(0));
        }
        let mut free = body(&[(0.0, Real::INFINITY, 2.0)]);
        free.push(0, 3.0);
        free.commit();
        let h = 1.0 / RATE_HZ;
        assert!((free.position(0) / (3.0 * h * h / 4.0) - 1.0).abs() < 1e-14, "a zero-frequency mode is a free mass");
    }

    #[test]
    fn the_step_response_is_continuous_across_its_branches() {
        let h = 1.0 / 44_100.0;
        let reference = |omega: Real, sigma: Real| {
            // Independent: classical Runge-Kutta on (q, p) under a unit force, 20000 steps.
            let (mut q, mut p, dt) = (0.0, 0.0, h / 20_000.0);
            let f = |q: Real, p: Real| (p, 1.0 - 2.0 * sigma * p - omega * omega * q);
            for _ in 0..20_000 {
                let a = f(q, p);
                let b = f(q + 0.5 * dt * a.0, p + 0.5 * dt * a.1);
                let c = f(q + 0.5 * dt * b.0, p + 0.5 * dt * b.1);
                let d = f(q + dt * c.0, p + dt * c.1);
                q += dt / 6.0 * (a.0 + 2.0 * b.0 + 2.0 * c.0 + d.0);
                p += dt / 6.0 * (a.1 + 2.0 * b.1 + 2.0 * c.1 + d.1);
            }
            (p, q)
        };
        for wh in [0.0, 1e-6, 1e-3, 0.099, 0.101, 0.5, 1.0, 3.1] {
            for sh in [0.0, 1e-6, 1e-3, 0.1, 0.499, 0.501, 1.0, 3.1, 30.0] {
                let (s, integral) = step_response(wh / h, sh / h, h);
                let (s1, integral1) = reference(wh / h, sh / h);
                let small = if sh > 5.0 { 1e-9 } else { 2e-12 };
                assert!((s / s1 - 1.0).abs() < small || (s - s1).abs() < 1e-13 * h, "S({wh}, {sh}): {s} {s1}");
                assert!((integral / integral1 - 1.0).abs() < small, "integral({wh}, {sh}): {integral} {integral1}");
            }
        }
    }
}
