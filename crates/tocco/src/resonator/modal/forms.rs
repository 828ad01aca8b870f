// SPDX-License-Identifier: MIT OR Apache-2.0
//! The forms in which a bank keeps its state, and the way from each to each.

use super::{Form, Modal};
use crate::math::Real;
use crate::resonator::Resonator;
use crate::resonator::kernel::{self, LANES};

/// Weight of an unheard mode in the two-pole form: 1000 dB below anything.
pub(super) const UNHEARD: Real = 1e-50;

impl Modal {
    /// Displacement and velocity of a mode in any form.
    pub(super) fn state(&self, i: usize) -> (Real, Real) {
        let (first, second) = (self.state.get(0, i), self.state.get(1, i));
        let t = |column| self.levels[0].table.get(column, i);
        match self.form {
            Form::Free { late } if i < self.rung() * LANES => {
                if t(2) == 0.0 {
                    return (0.0, 0.0);
                }
                let scale = self.scale.get(0, i);
                let (y1, y0) = (first / scale, second / scale);
                let two = |column| self.two_step.get(column, i);
                let (now, next) = if late { (y1, two(0) * y1 - two(1) * y0) } else { (y0, y1) };
                // q from [modal.1] without force.
                ((next - (1.0 + t(3)) * now) / t(2), now)
            }
            Form::Held { .. } if i < self.two_pole * LANES => {
                if t(0) == 0.0 {
                    return (0.0, 0.0);
                }
                let scale = self.held_scale.get(0, i);
                let (d, p) = (first / scale, second / scale);
                ((d - t(1) * p) / t(0), p)
            }
            _ => (first, second),
        }
    }

    /// Energy of a mode in any form, J.
    pub(super) fn mode_energy(&self, i: usize) -> Real {
        let ((q, p), mode) = (self.state(i), &self.modes[i]);
        let wq = mode.now.0 * q;
        0.5 * mode.mass * (p * p + wq * wq)
    }

    /// Chunks of modes in two-pole form while free.
    pub(super) fn rung(&self) -> usize {
        if self.steady { self.two_pole } else { 0 }
    }

    /// Back to (q, p).
    pub(super) fn plain(&mut self) {
        let cells = match self.form {
            Form::Plain => return,
            Form::Free { .. } => self.rung(),
            Form::Held { .. } => self.two_pole,
        };
        for i in 0..cells * LANES {
            let (q, p) = self.state(i);
            self.state.set(0, i, q);
            self.state.set(1, i, p);
        }
        self.form = Form::Plain;
        self.lasting = 0;
        self.forget();
    }

    /// Enters the held form of a port.
    pub(super) fn hold(&mut self, port: usize) {
        self.refresh(0);
        for i in 0..self.two_pole * LANES {
            let [qq, qp, pq, pp, bq, bp] = [0, 1, 2, 3, 4, 5].map(|column| self.levels[0].table.get(column, i));
            let phi = self.touch[port].get(0, i);
            let scale = if phi.abs() < UNHEARD { UNHEARD } else { phi };
            let (q, p) = (self.state.get(0, i), self.state.get(1, i));
            let mut row = [0.0; 6];
            if qq != 0.0 {
                let c = pq / qq; // [modal.5]
                let (a, b, e) = (1.0 + qq + qp * c, qp * (pp - qp * c), 1.0 + pp - qp * c);
                row = [a, b, c, e, scale * phi * (qq * bq + qp * bp), scale * phi * bp];
            }
            for (column, value) in row.into_iter().enumerate() {
                self.held.set(column, i, value);
            }
            self.held_scale.set(0, i, scale);
            self.state.set(0, i, scale * (qq * q + qp * p));
            self.state.set(1, i, scale * p);
        }
        self.form = Form::Held { port };
    }

    /// Largest excursion of a port from now on if nothing touches the body, m. Amplitudes only decay.
    pub(super) fn excursion(&self, port: usize) -> Real {
        let mut sum = 0.0;
        for (i, mode) in self.modes.iter().enumerate() {
            let ((q, p), phi) = (self.state(i), self.shape[port].get(0, i));
            if mode.mass == 0.0 || phi == 0.0 || (q == 0.0 && p == 0.0) {
                continue;
            }
            let (omega, sigma) = mode.now;
            let amplitude = if omega == 0.0 {
                Real::INFINITY
            } else if omega > sigma {
                let u2 = (p + sigma * q) * (p + sigma * q) / ((omega - sigma) * (omega + sigma));
                (q * q + u2).sqrt()
            } else {
                q.abs() + p.abs() / sigma
            };
            // A mode that is being tuned down swings the wider, at the same energy.
            let aim = self.aim(mode).0;
            let wider = if aim < omega { omega / aim } else { 1.0 };
            sum += phi.abs() * amplitude * wider;
        }
        sum
    }

    /// Sum of a row of the plain state times the shape of a port.
    pub(super) fn dot(&self, row: usize, port: usize) -> Real {
        let cells = self.state.len();
        kernel::dot(self.path, self.state.part(0, cells)[row], self.shape[port].part(0, cells)[0])
    }

    /// Sum over the modes as heard at a port, `b` of a fade left.
    pub(super) fn sum(&self, port: usize, b: Real, of: impl Fn(usize) -> Real) -> Real {
        let mut sum = [0.0; LANES];
        for i in 0..self.modes.len() {
            sum[i % LANES] += self.weight(port, i, b) * of(i);
        }
        kernel::join(&sum)
    }

    /// Enters the free form from any other.
    pub(super) fn let_go(&mut self) {
        self.plain();
        self.divide(0);
        for port in 0..self.bound.len() {
            self.bound[port] = self.excursion(port);
        }
        for i in 0..self.rung() * LANES {
            let ((q, p), scale) = (self.state(i), self.scale.get(0, i));
            let [pq, pp] = [2, 3].map(|column| self.levels[0].table.get(column, i));
            self.state.set(0, i, scale * (p + (pq * q + pp * p)));
            self.state.set(1, i, scale * p);
        }
        self.shed.fill(false);
        self.form = Form::Free { late: false };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resonator::modal::ModalParams;
    use crate::resonator::modal::tests::{RATE_HZ, body, decay};
    use crate::resonator::{Motion, Reading};
    use crate::units::{decay_rate, rad_s};

    #[test]
    fn a_mode_rings_at_its_frequency_and_decay_to_one_part_in_a_billion_in_both_forms() {
        for freq_hz in [0.5, 20.0, 75.0, 77.0, 440.0, 5_000.0, 18_000.0, 23_990.0] {
            for decay_s in [0.05, 0.5, Real::INFINITY] {
                let (omega, sigma) = (rad_s(freq_hz), decay_rate(decay_s));
                for free in [true, false] {
                    let mut body = body(&[(freq_hz, decay_s, 1.0)]);
                    body.hit(0, 1.0);
                    let n = 9_600usize;
                    if free {
                        body.release();
                        (0..n / 32).for_each(|_| body.ring(32, &mut []));
                        body.attend();
                    } else {
                        (0..n).for_each(|_| body.commit());
                    }
                    let t = n as Real / RATE_HZ;
                    let (q, p) = decay(omega, sigma, 0.0, 1.0, t);
                    let envelope = (-sigma * t).exp();
                    // A relative error e in frequency moves the phase by e omega t, in decay the envelope by e sigma t.
                    let allowed = 1e-9 * (omega + sigma) * t * envelope;
                    assert!((body.velocity(0) - p).abs() < allowed, "{freq_hz} Hz {decay_s} s {free}: p");
                    assert!((body.position(0) - q).abs() * omega < allowed, "{freq_hz} Hz {decay_s} s {free}: q");
                }
            }
        }
    }

    #[test]
    fn position_and_velocity_read_in_a_free_block_are_those_of_the_stepped_body() {
        let modes = [(30.0, 0.5, 0.05), (220.0, 0.5, 0.05), (1_000.0, 0.1, 0.02)];
        let ports = [vec![1.0, -0.5, 0.3], vec![0.2, 0.9, -1.0]];
        let make = || {
            let mut body = Modal::new(ModalParams::default(), &modes, &ports, 1.0 / RATE_HZ, true);
            body.hit(0, 0.1);
            body
        };
        let (mut free, mut stepped) = (make(), make());
        free.release();
        let mut readings = [Reading::new(1, Motion::Position), Reading::new(0, Motion::Velocity)];
        free.ring(20, &mut readings);
        for tick in 0..20 {
            stepped.commit();
            assert!((readings[0].values[tick] - stepped.position(1)).abs() < 1e-14);
            assert!((readings[1].values[tick] - stepped.velocity(0)).abs() < 1e-12);
        }
    }
}
