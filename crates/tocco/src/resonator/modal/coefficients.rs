// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the modes of a bank are in numbers: the coefficients of their steps, made when the tuning or the step changes.

use super::{Level, Modal, Mode};
use crate::math::{PI, Real, cos, exp, expm1, integrate_smooth, sin, sinc, sinh, sinhc};
use crate::resonator::kernel::{self, LANES};

/// Angle per sample between which the two-pole form keeps 14 digits of frequency and rounding noise below 1e-13 a step.
const TWO_POLE_ANGLE: (Real, Real) = (0.01, PI - 0.01);
/// Decay per sample beyond which a mode is over before the two-pole form pays.
const TWO_POLE_DECAY: Real = 1.0;

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

pub(super) fn two_pole(omega: Real, sigma: Real, h: Real) -> bool {
    let (low, high) = TWO_POLE_ANGLE;
    let angle = ((omega - sigma) * (omega + sigma)).max(0.0).sqrt() * h;
    angle >= low && angle <= high && sigma * h <= TWO_POLE_DECAY
}

impl Modal {
    /// True if the mode fits below Nyquist where the parameters want it.
    pub(super) fn sounds(&self, mode: &Mode) -> bool {
        mode.mass > 0.0 && self.aim(mode).0 * self.sample_s < PI
    }

    /// Recomputes what depends on the tuning but not on the step; plain form.
    pub(super) fn retuned(&mut self) {
        self.steady = true;
        self.omitted = 0;
        for i in 0..self.modes.len() {
            let mode = self.modes[i];
            let (omega, sigma) = self.aim(&mode);
            if mode.mass > 0.0 && !self.sounds(&mode) {
                // A mode that no port can move or hear is nobody's loss.
                self.omitted += usize::from(mode.crest > 1e-30);
                self.state.set(0, i, 0.0);
                self.state.set(1, i, 0.0);
                self.modes[i].now = (omega, sigma);
            } else if i < self.two_pole * LANES && mode.mass > 0.0 {
                self.steady &= two_pole(omega, sigma, self.sample_s);
            }
        }
        self.levels.iter_mut().for_each(|level| level.fresh = false);
        self.forget();
    }

    pub(super) fn forget(&mut self) {
        self.stroke.iter_mut().for_each(|s| *s = None);
        self.heard = None;
        self.quiet = false;
    }

    /// Makes the coefficients of a level; bounded, no allocation. `[audio]`
    pub(super) fn refresh(&mut self, level: usize) {
        if self.levels[level].fresh {
            return;
        }
        let h = self.sample_s / (1u32 << level) as Real;
        for i in 0..self.modes.len() {
            self.fill(level, i);
            if level == 0 {
                let (mode, mut two) = (self.modes[i], [0.0; 4]);
                if self.sounds(&mode) {
                    let [qq, pp] = [0, 3].map(|column| self.levels[0].table.get(column, i));
                    let (trace, det) = (2.0 + (qq + pp), exp(-2.0 * mode.now.1 * h)); // [modal.4]
                    two = [trace, det, trace * trace - det, trace * det];
                }
                for (column, value) in two.into_iter().enumerate() {
                    self.two_step.set(column, i, value);
                }
            }
        }
        self.label(level);
        self.levels[level].fresh = true;
    }

    /// Coefficients of one mode at its present tuning; none if it does not sound.
    pub(super) fn fill(&mut self, level: usize, i: usize) {
        let (mode, h) = (self.modes[i], self.sample_s / (1u32 << level) as Real);
        let sounds = self.sounds(&mode);
        let (s, integral) = if sounds { step_response(mode.now.0, mode.now.1, h) } else { (0.0, 0.0) };
        self.write_row(level, i, s, integral);
    }

    /// Coefficients of one mode from its impulse answer and the integral of that: [modal.2].
    pub(super) fn write_row(&mut self, level: usize, i: usize, s: Real, integral: Real) {
        let Mode { mass, now: (omega, sigma), .. } = self.modes[i];
        let mut row = [0.0; 6];
        if mass > 0.0 {
            let qq = -omega * omega * integral;
            row = [qq, s, -omega * omega * s, qq - 2.0 * sigma * s, integral / mass, s / mass];
        }
        for (column, value) in row.into_iter().enumerate() {
            self.levels[level].table.set(column, i, value);
        }
    }

    /// Compliances of all pairs of ports.
    pub(super) fn label(&mut self, level: usize) {
        let ports = self.touch.len();
        let Level { table, compliance, .. } = &mut self.levels[level];
        for to in 0..ports {
            for from in 0..=to {
                let mut sum = [0.0; LANES];
                let cells = self.state.len();
                let ([a], [b], bq) =
                    (self.touch[to].part(0, cells), self.touch[from].part(0, cells), table.part(0, cells)[4]);
                for ((a, b), bq) in a.iter().zip(b).zip(bq) {
                    for (lane, sum) in sum.iter_mut().enumerate() {
                        *sum += a.0[lane] * b.0[lane] * bq.0[lane]; // [modal.3]
                    }
                }
                let label = kernel::join(&sum);
                compliance[to * ports + from] = label;
                compliance[from * ports + to] = label;
            }
        }
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
