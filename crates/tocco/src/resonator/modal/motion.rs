// SPDX-License-Identifier: MIT OR Apache-2.0
//! A bank of modes as a body: pushed, stepped, rung, read.

use super::forms::UNHEARD;
use super::{Form, Modal, ModalParams, Mode};
use crate::math::{PI, Real, TAU, cos, sin};
use crate::resonator::kernel::{self, Chunk, LANES, Line, PAIR};
use crate::resonator::{CONTROL_TICKS, Motion, Reading, Resonator};
use crate::rng::Rng;
use core::any::Any;

/// Steps of contact at one port after which the held form pays for its making.
const LASTING: u32 = 64;
/// Amplitudes (m, m/s) below this are set to zero at control ticks: far below hearing, far above denormals (1e-308).
const FLUSH: Real = 1e-200;

impl Resonator for Modal {
    fn ports(&self) -> usize {
        self.shape.len()
    }

    fn attend(&mut self) {
        self.loose = false;
        if matches!(self.form, Form::Free { .. }) {
            self.plain();
        }
        self.refresh(self.level);
    }

    fn release(&mut self) {
        self.loose = true;
        if self.fade.on() {
            self.plain();
            self.divide(0);
        } else if !matches!(self.form, Form::Free { .. }) {
            self.let_go();
        }
    }

    fn divide(&mut self, level: usize) {
        self.refresh(level);
        if level != self.level {
            self.plain();
            self.level = level;
            self.lasting = 0;
            self.stroke.iter_mut().for_each(|s| *s = None);
        }
    }

    fn free_stroke(&mut self, port: usize) -> Real {
        let base = match self.stroke[port] {
            Some(stroke) => stroke,
            None => {
                self.plain();
                self.watch = port;
                self.lasting = 0;
                let cells = self.state.len();
                let [qq, qp, ..] = self.levels[self.level].table.part(0, cells);
                let [touch] = self.touch[port].part(0, cells);
                let stroke = kernel::stroke(self.path, self.state.part(0, cells), [qq, qp], touch);
                self.stroke[port] = Some(stroke);
                stroke
            }
        };
        let row = &self.levels[self.level].compliance[port * self.pushed.len()..];
        self.pushed.iter().zip(row).fold(base, |s, (f, label)| if *f == 0.0 { s } else { s + label * f })
    }

    fn compliance(&self, to: usize, from: usize) -> Real {
        self.levels[self.level].compliance[to * self.pushed.len() + from]
    }

    fn push(&mut self, port: usize, force_n: Real) {
        self.pushed[port] += force_n;
    }

    fn unpush(&mut self) {
        self.pushed.fill(0.0);
    }

    fn commit(&mut self) {
        let others = self.pushed.iter().enumerate().any(|(port, f)| *f != 0.0 && port != self.watch);
        if let (Form::Held { port }, false) = (self.form, others) {
            let (force, fast, all) = (self.pushed[port], self.two_pole, self.state.len());
            let table = self.held.part(0, fast);
            let (mut stroke, mut heard) = kernel::held(self.path, self.state.part_mut(0, fast), table, force);
            if all > fast {
                let ([touch], table) = (self.touch[port].part(fast, all), self.levels[0].table.part(fast, all));
                let state = self.state.part_mut(fast, all);
                let more = kernel::step(self.path, state, table, touch, force, touch, touch);
                stroke += more.0;
                heard += more.1;
            }
            let own = port == self.listen && self.displaced[port].is_none() && !self.moved[port];
            self.stroke[port] = Some(stroke);
            self.heard = own.then_some(heard);
            self.pushed[port] = 0.0;
            return;
        }
        self.plain();
        let cells = self.state.len();
        let (shape, force) = if others {
            self.gathered.fill(0.0);
            for (touch, &f) in self.touch.iter().zip(&self.pushed).filter(|(_, f)| **f != 0.0) {
                for i in 0..self.modes.len() {
                    self.gathered.set(0, i, self.gathered.get(0, i) + touch.get(0, i) * f);
                }
            }
            (&self.gathered, 1.0)
        } else {
            (&self.touch[self.watch], self.pushed[self.watch])
        };
        let [[shape], [watch], [tap]] =
            [shape, &self.touch[self.watch], &self.shape[self.listen]].map(|row| row.part(0, cells));
        let table = self.levels[self.level].table.part(0, cells);
        let (stroke, heard) = kernel::step(self.path, self.state.part_mut(0, cells), table, shape, force, watch, tap);
        self.stroke.iter_mut().for_each(|s| *s = None);
        self.stroke[self.watch] = Some(stroke);
        self.heard = (!self.fade.loud()).then_some(heard);
        self.pushed.fill(0.0);
        if self.fade.pass(1, self.level) {
            self.advance();
        }
        self.lasting = if others || self.level > 0 || !self.steady || self.fade.on() { 0 } else { self.lasting + 1 };
        if self.lasting > LASTING {
            self.hold(self.watch);
        }
    }

    fn ring(&mut self, ticks: usize, readings: &mut [Reading]) {
        // What the last step in contact heard is past.
        self.heard = None;
        if self.quiet {
            readings.iter_mut().for_each(|r| r.values[..ticks].fill(0.0));
            return;
        }
        if self.fade.on() {
            self.ring_moving(ticks, readings);
            return;
        }
        let late = match self.form {
            Form::Free { late } => late,
            _ => {
                self.let_go();
                false
            }
        };
        let (rung, all) = (self.rung(), self.state.len());
        let table = &self.levels[0].table;
        for r in readings.iter_mut() {
            r.sums.0[..ticks].fill(Line::ZERO);
        }
        let favourite = |r: &Reading| r.motion == Motion::Velocity && r.port == self.listen;
        let plain = match &*readings {
            [] => true,
            [r] => favourite(r),
            _ => false,
        };
        match &mut *readings {
            one if plain => {
                let sums = one.first_mut().map_or(&mut *self.sums, |r| &mut r.sums);
                let mut from = 0;
                for run in self.shed[..rung / PAIR].chunk_by(|a, b| a == b) {
                    let to = from + run.len() * PAIR;
                    if !run[0] {
                        let (fast, two) = (self.state.part_mut(from, to), self.two_step.part(from, to));
                        kernel::ring(self.path, fast, two, late, ticks, sums);
                    }
                    from = to;
                }
            }
            many => {
                let mut history = [[[0.0; LANES]; PAIR]; CONTROL_TICKS + 1];
                for from in (0..rung).step_by(PAIR).filter(|from| !self.shed[from / PAIR]) {
                    let (state, two) = (self.state.part_mut(from, from + PAIR), self.two_step.part(from, from + PAIR));
                    kernel::history(self.path, state, two, late, ticks, &mut history);
                    let each = |f: &dyn Fn(usize) -> Real| -> [Chunk; PAIR] {
                        core::array::from_fn(|g| core::array::from_fn(|l| f((from + g) * LANES + l)))
                    };
                    for r in many.iter_mut() {
                        let weight = |i: usize| self.shape[r.port].get(0, i) / self.scale.get(0, i);
                        if favourite(r) {
                            kernel::gather(self.path, &history, None, None, ticks, &mut r.sums);
                        } else if r.motion == Motion::Velocity {
                            kernel::gather(self.path, &history, Some(&each(&weight)), None, ticks, &mut r.sums);
                        } else {
                            // q = (p[n+1] - (1 + pp) p[n]) / pq, from [modal.1] without force.
                            let back = |i: usize| {
                                let pq = table.get(2, i);
                                if pq == 0.0 { 0.0 } else { weight(i) / pq }
                            };
                            let (ahead, now) = (each(&back), each(&|i| -back(i) * (1.0 + table.get(3, i))));
                            kernel::gather(self.path, &history, Some(&now), Some(&ahead), ticks, &mut r.sums);
                        }
                    }
                }
            }
        }
        if rung < all {
            for tick in 0..ticks {
                self.step_free(rung * LANES, all * LANES);
                for r in readings.iter_mut() {
                    let row = usize::from(r.motion == Motion::Velocity);
                    for i in rung * LANES..all * LANES {
                        r.sums.0[tick].0[i % LANES] += self.shape[r.port].get(0, i) * self.state.get(row, i);
                    }
                }
            }
        }
        for r in readings.iter_mut() {
            r.values[..ticks].iter_mut().zip(&r.sums.0).for_each(|(value, sum)| *value = kernel::join(&sum.0));
        }
        self.form = Form::Free { late: late ^ (ticks % 2 == 1) };
    }

    fn position(&self, port: usize) -> Real {
        match self.form {
            _ if self.fade.loud() => self.heard_position(port),
            Form::Plain => self.dot(0, port),
            _ => self.sum(port, 0.0, |i| self.state(i).0),
        }
    }

    fn velocity(&self, port: usize) -> Real {
        match (self.heard, self.form) {
            (Some(heard), _) if port == self.listen => heard,
            _ if self.fade.loud() => self.heard_velocity(port),
            (_, Form::Plain) => self.dot(1, port),
            _ => self.sum(port, 0.0, |i| self.state(i).1),
        }
    }

    fn energy(&self) -> Real {
        let mut sum = [0.0; LANES];
        for i in 0..self.modes.len() {
            sum[i % LANES] += self.mode_energy(i);
        }
        kernel::join(&sum)
    }

    fn mode_energies(&self, out: &mut [Real]) -> usize {
        for (cell, &slot) in out.iter_mut().zip(&self.slots) {
            *cell = self.mode_energy(slot);
        }
        self.slots.len()
    }

    fn inverse_mass(&self, port: usize) -> Real {
        let now: Real = self.each_shape(port).map(|(mode, phi)| phi * phi / mode.mass).sum();
        match &self.morph {
            // A place that a morph will free is no rigid one.
            Some(morph) if now == 0.0 => morph.inverse_mass(port, &self.modes),
            _ => now,
        }
    }

    fn flexibility(&self, port: usize) -> Real {
        let yields = |(mode, phi): (&Mode, Real)| phi * phi / (mode.mass * mode.now.0 * mode.now.0);
        self.each_shape(port).map(yields).sum()
    }

    fn range(&self, port: usize, _seconds: Real) -> (Real, Real) {
        let bound = if matches!(self.form, Form::Free { .. }) { self.bound[port] } else { self.excursion(port) };
        (-bound, bound)
    }

    fn hit(&mut self, port: usize, impulse_n_s: Real) -> bool {
        self.plain();
        for i in 0..self.modes.len() {
            let mode = self.modes[i];
            if self.sounds(&mode) {
                let phi = if self.moved[port] { &self.elsewhere } else { &self.shape }[port].get(0, i);
                let p = self.state.get(1, i) + phi * impulse_n_s / mode.mass;
                self.state.set(1, i, p);
            }
        }
        self.forget();
        true
    }

    /// One small displacement of the touched place: a mode that varies as cos(k x) gets cos(k x + psi) with psi
    /// growing with mode number, so that the high modes change most (000 section 8.2.2).
    fn restrike(&mut self, port: usize, rng: &mut Rng) {
        if self.params.jitter_01 == 0.0 && self.displaced[port].is_none() {
            return;
        }
        self.plain();
        let angle = rng.between(-1.0, 1.0) * self.params.jitter_01 * 0.5 * PI;
        self.displaced[port] = (self.params.jitter_01 > 0.0).then_some(angle);
        self.place(port);
        self.levels.iter_mut().for_each(|level| level.fresh = false);
        self.refresh(self.level);
        self.forget();
    }

    fn touch_at(&mut self, port: usize, shape: &[Real]) -> bool {
        if shape.len() != self.slots.len() || port >= self.touch.len() || self.morph.is_some() {
            return false;
        }
        self.plain();
        for (&slot, &value) in self.slots.iter().zip(shape) {
            self.elsewhere[port].set(0, slot, value);
        }
        self.moved[port] = true;
        self.place(port);
        self.levels.iter_mut().for_each(|level| level.fresh = false);
        self.refresh(self.level);
        self.forget();
        true
    }

    fn settle(&mut self) -> bool {
        let [q, p] = self.state.part_mut(0, self.modes.len() / LANES).map(|row| kernel::flush(self.path, row, FLUSH));
        let (alive, finite) = (q.0 || p.0, q.1 && p.1);
        self.quiet = !alive && matches!(self.form, Form::Free { .. });
        finite
    }

    fn reset(&mut self) {
        self.plain();
        self.state.fill(0.0);
        self.pushed.fill(0.0);
        self.bound.fill(0.0);
        self.arrive();
        self.refresh(self.level);
    }

    fn modes(&self) -> Vec<(Real, Real, Real)> {
        let ModalParams { freq_scale, decay_scale, .. } = self.params;
        let real = self.slots.iter().map(|&slot| &self.modes[slot]);
        real.map(|mode| (mode.omega * freq_scale / TAU, decay_scale / mode.sigma, mode.mass)).collect()
    }
    fn omitted(&self) -> usize {
        self.omitted
    }

    fn inherit(&mut self, old: &dyn Resonator) -> bool {
        (old as &dyn Any).downcast_ref().is_some_and(|old| self.take_over(old))
    }

    fn shed(&mut self, below_j: Real) -> usize {
        self.silence(below_j)
    }

    fn listen(&mut self, port: usize) {
        let was_free = matches!(self.form, Form::Free { .. });
        self.plain();
        self.listen = port;
        self.heard = None;
        self.rescale();
        if was_free {
            self.release();
        }
    }
}

impl Modal {
    /// Scale of the free form. A mode that is not heard at the port listened to is scaled by next to nothing instead of
    /// nothing, so that it is not lost.
    pub(super) fn rescale(&mut self) {
        for i in 0..self.modes.len() {
            let phi = self.shape[self.listen].get(0, i);
            self.scale.set(0, i, if phi.abs() < UNHEARD { UNHEARD } else { phi });
        }
    }

    /// What is touched at a port: the declared place, or where the last strike fell.
    pub(super) fn place(&mut self, port: usize) {
        for (i, mode) in self.modes.iter().enumerate() {
            let phi = if self.moved[port] { &self.elsewhere } else { &self.shape }[port].get(0, i);
            let touched = match self.displaced[port] {
                None => phi,
                Some(angle) => {
                    let psi = angle * mode.rank;
                    let quadrature = (mode.crest * mode.crest - phi * phi).max(0.0).sqrt();
                    phi * cos(psi) + quadrature * sin(psi)
                }
            };
            self.touch[port].set(0, i, touched);
        }
    }

    /// Position as heard while it goes over to that of a changed body. [morph.4]
    pub(super) fn heard_position(&self, port: usize) -> Real {
        let b = self.fade.after();
        self.sum(port, b, |i| self.state(i).0) - self.fade.jump(port).0 * b
    }

    /// Velocity as heard likewise.
    pub(super) fn heard_velocity(&self, port: usize) -> Real {
        let b = self.fade.after();
        self.sum(port, b, |i| self.state(i).1) - self.fade.jump(port).1 * b
    }

    /// One free sample of the modes `from..to`, which are in plain form.
    fn step_free(&mut self, from: usize, to: usize) {
        let table = &self.levels[0].table;
        for i in from..to {
            let [qq, qp, pq, pp] = [0, 1, 2, 3].map(|row| table.get(row, i));
            let (q, p) = (self.state.get(0, i), self.state.get(1, i));
            self.state.set(0, i, q + (qq * q + qp * p));
            self.state.set(1, i, p + (pq * q + pp * p));
        }
    }

    /// The real modes with their shape at a port.
    fn each_shape(&self, port: usize) -> impl Iterator<Item = (&Mode, Real)> {
        let real = self.modes.iter().enumerate().filter(|(_, mode)| mode.mass > 0.0);
        real.map(move |(i, mode)| (mode, self.shape[port].get(0, i))).filter(|(_, phi)| *phi != 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resonator::modal::ModalParams;
    use crate::resonator::modal::tests::RATE_HZ;

    #[test]
    fn the_label_is_the_stroke_per_newton_and_is_never_negative() {
        let modes = [(220.0, 0.5, 0.05), (1_000.0, 0.1, 0.02), (17_000.0, 0.01, 0.03)];
        let ports = [vec![1.0, -0.5, 0.3], vec![0.2, 0.9, -1.0]];
        for level in [0, 4] {
            let mut body = Modal::new(ModalParams::default(), &modes, &ports, 1.0 / RATE_HZ, true);
            body.divide(level);
            let before = body.position(0);
            body.push(1, 2.5);
            let predicted = body.free_stroke(0);
            body.commit();
            assert!((predicted - 2.5 * body.compliance(0, 1)).abs() < 1e-22);
            assert!((body.position(0) - before - predicted).abs() < 1e-20);
            assert!(body.compliance(0, 0) > 0.0 && body.compliance(1, 1) > 0.0);
            assert_eq!(body.compliance(0, 1), body.compliance(1, 0));
        }
    }

    #[test]
    fn jitter_changes_the_high_modes_more_than_the_low_ones() {
        let modes: Vec<_> = (1..=16).map(|i| (100.0 * f64::from(i), 0.3, 0.01)).collect();
        let params = ModalParams { jitter_01: 0.5, ..ModalParams::default() };
        let mut body = Modal::new(params, &modes, &[vec![0.5; 16]], 1.0 / RATE_HZ, true);
        let mut rng = Rng::new(1, "bar");
        let (mut low, mut high) = (0.0, 0.0);
        for _ in 0..200 {
            body.restrike(0, &mut rng);
            low += (body.touch[0].get(0, 0) - 0.5).abs();
            high += (body.touch[0].get(0, 15) - 0.5).abs();
        }
        assert!(high > 5.0 * low, "{low} {high}");
        assert!(body.compliance(0, 0) > 0.0);
    }
}
