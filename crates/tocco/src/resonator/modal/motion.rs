// SPDX-License-Identifier: MIT OR Apache-2.0
//! A bank of modes as a body: pushed, stepped, rung, read.

use super::bank::Mode;
use super::{Form, Modal, ModalParams};
use crate::math::{PI, Real, TAU};
use crate::resonator::kernel::{self, LANES, Line, State};
use crate::resonator::{Motion, Reading, Resonator};
use crate::rng::Rng;
use core::any::Any;

/// Steps of contact at one port after which the held form pays for its making.
const LASTING: u32 = 64;
/// Chunks of held modes from which it pays to step them while the contact is solved.
const AHEAD: usize = 4;
/// Amplitudes (m, m/s) below this are set to zero at control ticks: far below hearing, far above denormals (1e-308).
const FLUSH: Real = 1e-200;
/// Amplitudes (m, m/s) below which a body no longer moves as a whole: less than an atomic nucleus is wide.
const STILL: Real = 1e-15;

impl Resonator for Modal {
    fn moving(&mut self) -> bool {
        self.note_tuning(); // once, for all who ask for energies before the next sample
        self.polish() || self.retuning.fade.on()
    }

    fn ports(&self) -> usize {
        self.ports.len()
    }

    fn attend(&mut self) {
        self.released = false;
        if matches!(self.form, Form::Free { .. }) {
            self.enter_attended();
        }
        self.refresh(self.steps.level);
    }

    fn release(&mut self) {
        self.released = true;
        if self.retuning.fade.on() {
            self.enter_attended();
            self.divide(0);
        } else if !matches!(self.form, Form::Free { .. }) {
            self.enter_free();
        }
    }

    fn divide(&mut self, level: usize) {
        self.refresh(level);
        if level != self.steps.level {
            self.enter_attended();
            self.steps.level = level;
            self.form = Form::ATTENDED;
            self.coming.forget_strokes();
        }
    }

    #[inline(always)]
    fn free_stroke(&mut self, port: usize) -> Real {
        if let (Some(stroke), false, true) = (self.coming.strokes_m[port], self.coming.pushed, self.ports[port].asked) {
            return stroke;
        }
        self.predict(port)
    }
    fn compliance(&self, to: usize, from: usize) -> Real {
        self.compliance_of(to, from)
    }

    fn push(&mut self, port: usize, force_n: Real) {
        self.coming.forces_n[port] += force_n;
        self.coming.pushed = true;
    }

    fn unpush(&mut self) {
        self.coming.unpush();
    }

    #[inline(always)]
    fn step_under(&mut self, port: usize, force_n: Real) {
        if self.form == (Form::Held { port }) && !self.coming.pushed {
            self.step_held(port, 0.0 + force_n);
        } else {
            self.push(port, force_n);
            self.commit();
        }
    }

    #[inline(always)]
    fn begins(&self, port: usize) -> bool {
        self.form == (Form::Held { port }) && self.held.modes().len() >= AHEAD && !self.coming.pushed
    }

    #[inline(always)]
    fn begin(&mut self, _port: usize) {
        self.held.begin(self.path);
    }

    fn commit(&mut self) {
        let watched = self.coming.watched;
        let elsewhere = self.coming.forces_n.iter().enumerate().any(|(port, f)| *f != 0.0 && port != watched);
        match self.form {
            Form::Held { port } if !elsewhere => {
                self.step_held(port, self.coming.forces_n[port]);
                self.coming.forces_n[port] = 0.0;
                self.coming.pushed = false;
            }
            _ => self.step_attended(elsewhere),
        }
    }

    fn ring(&mut self, ticks: usize, readings: &mut [Reading]) {
        // What the last step in contact heard is past.
        self.listener.velocity = None;
        match self.form {
            Form::Free { silent: true, .. } => readings.iter_mut().for_each(|r| r.values[..ticks].fill(0.0)),
            _ if self.retuning.fade.on() => self.ring_retuning(ticks, readings),
            Form::Free { late, .. } => self.ring_free(late, ticks, readings),
            _ => {
                self.enter_free();
                self.ring_free(false, ticks, readings);
            }
        }
    }

    fn position(&self, port: usize) -> Real {
        match self.form {
            _ if self.retuning.fade.audible() => self.faded_position(port),
            Form::Attended { .. } => self.heard_sum(port, self.state.part(0, self.bank.in_use).q),
            Form::Free { late, .. } => self.free_reading(port, Motion::Position, late),
            Form::Held { port: held } => match self.held.position {
                Some(position) if port == held => position,
                _ => self.faded_sum(port, 0.0, |i| self.motion(i).q),
            },
        }
    }

    #[inline]
    fn velocity(&self, port: usize) -> Real {
        match (self.listener.velocity, self.form) {
            (Some(velocity), _) if port == self.listener.port => velocity,
            _ if self.retuning.fade.audible() => self.faded_velocity(port),
            (_, Form::Attended { .. }) => self.heard_sum(port, self.state.part(0, self.bank.in_use).p),
            (_, Form::Free { late, .. }) => self.free_reading(port, Motion::Velocity, late),
            (_, Form::Held { .. }) => {
                let (heard, held) = (&self.held.heard[port], self.held.modes());
                let (two_pole, all) = (self.bank.two_poles_in_use(), self.bank.in_use);
                let (weights, others) = (heard.part(0, held.len()), self.state.part(two_pole, all).p);
                kernel::held_sum(self.path, held, self.held.last_force, weights, others, heard.part(two_pole, all))
            }
        }
    }

    fn touched(&self, port: usize, motion: Motion) -> Real {
        if self.ports[port].touched_where_heard() {
            return if motion == Motion::Position { self.position(port) } else { self.velocity(port) };
        }
        let of = |State { q, p }| if motion == Motion::Position { q } else { p };
        let mut sum = [0.0; LANES];
        for i in 0..self.bank.slots_in_use() {
            sum[i % LANES] += self.ports[port].touched.at(i) * of(self.motion(i));
        }
        kernel::join(&sum)
    }

    #[inline]
    fn sounding(&self, port: usize, motion: Motion) -> Real {
        if let (Some(velocity), Motion::Velocity, []) = (self.listener.velocity, motion, &self.bank.rigid[..])
            && port == self.listener.port
        {
            return velocity;
        }
        let all = if motion == Motion::Position { self.position(port) } else { self.velocity(port) };
        if self.bank.rigid.is_empty() { all } else { all - self.as_a_whole(port, motion) }
    }

    fn moves_as_a_whole(&self) -> bool {
        !self.bank.rigid.is_empty()
    }

    fn energy(&self) -> Real {
        let mut sum = [0.0; LANES];
        if matches!(self.form, Form::Attended { .. }) && self.retuning.course.is_noted() {
            let State { q, p } = self.state.part(0, self.bank.in_use);
            for (modes, (q, p)) in self.bank.modes.chunks_exact(LANES).zip(q.iter().zip(p)) {
                for (l, mode) in modes.iter().enumerate() {
                    sum[l] += mode.energy(mode.now, State { q: q.0[l], p: p.0[l] });
                }
            }
        } else {
            (0..self.bank.slots_in_use()).for_each(|i| sum[i % LANES] += self.mode_energy(i));
        }
        kernel::join(&sum)
    }

    fn mode_energies(&self, out: &mut [Real]) -> usize {
        for (cell, &slot) in out.iter_mut().zip(&self.bank.slots) {
            *cell = self.mode_energy(slot);
        }
        self.bank.slots.len()
    }

    fn mode_motions(&self, out: &mut [[Real; 3]]) -> usize {
        for (cell, &slot) in out.iter_mut().zip(&self.bank.slots[..self.listed]) {
            let State { q, p } = self.motion(slot);
            *cell = [q, p, self.tuning(slot).omega];
        }
        self.listed
    }

    fn mode_shape(&self, port: usize, out: &mut [Real]) {
        let Some(port) = self.ports.get(port) else { return };
        for (cell, &slot) in out.iter_mut().zip(&self.bank.slots[..self.listed]) {
            *cell = port.heard.at(slot);
        }
    }

    fn inverse_mass(&self, port: usize) -> Real {
        let now: Real = self.each_shape(port).map(|(_, mode, phi)| phi * phi / mode.mass).sum();
        match &self.retuning.morph {
            // A place that a morph will free is no rigid one.
            Some(morph) if now == 0.0 => morph.inverse_mass(port, &self.bank.modes),
            _ => now,
        }
    }

    fn flexibility(&self, port: usize) -> Real {
        let yields = |(i, mode, phi): (usize, &Mode, Real)| {
            let omega = self.tuning(i).omega;
            phi * phi / (mode.mass * omega * omega)
        };
        self.each_shape(port).map(yields).sum()
    }

    fn range(&self, port: usize, _seconds: Real) -> (Real, Real) {
        let free = matches!(self.form, Form::Free { .. });
        let bound = if free { self.free.excursion_m[port] } else { self.excursion(port) };
        (-bound, bound)
    }

    fn hit(&mut self, port: usize, impulse_n_s: Real) -> bool {
        self.enter_attended();
        for i in 0..self.bank.slots_in_use() {
            let mode = self.bank.modes[i];
            if self.sounds(&mode) {
                let (phi, State { q, p }) = (self.ports[port].target().at(i), self.state.at(i));
                self.state.set(i, State { q, p: p + phi * fault!(HIT, impulse_n_s, times 0.5) / mode.mass });
            }
        }
        self.forget();
        true
    }

    /// One small displacement of the touched place, which changes the high modes most (Avanzini et al. 2003 section 8.2.2).
    fn restrike(&mut self, port: usize, more_01: Real, rng: &mut Rng) {
        let jitter_01 = (self.params.jitter_01 + more_01).min(1.0);
        if jitter_01 == 0.0 && !self.ports[port].beside() {
            return;
        }
        self.enter_attended();
        let angle = rng.between(-1.0, 1.0) * jitter_01 * 0.5 * PI;
        self.ports[port].displace((jitter_01 > 0.0).then_some(angle));
        self.touch_changed(port);
    }

    fn touch_at(&mut self, port: usize, shape: &[Real]) -> bool {
        if shape.len() != self.listed || port >= self.ports.len() || self.retuning.morph.is_some() {
            return false;
        }
        self.enter_attended();
        self.ports[port].move_touch(&self.bank.slots, shape);
        self.touch_changed(port);
        true
    }

    fn slide_to(&mut self, port: usize, shape: &[Real]) -> bool {
        if shape.len() != self.bank.slots.len() || port >= self.ports.len() || self.retuning.morph.is_some() {
            return false;
        }
        self.enter_attended();
        self.form = Form::ATTENDED; // what moves is not held
        self.ports[port].move_touch(&self.bank.slots, shape);
        self.touch_slid(port);
        true
    }

    fn rests(&self) -> bool {
        matches!(self.form, Form::Free { silent: true, .. }) && !self.retuning.fade.on()
    }

    fn retune_as_at_first(&mut self) {
        self.retuning.course.as_at_first = true;
    }

    fn settle(&mut self) -> bool {
        let (mut alive, mut finite) = (false, true);
        let mut flush = |row| {
            let (left, sane) = kernel::flush(self.path, row, FLUSH);
            (alive, finite) = (alive || left, finite && sane);
        };
        let held = matches!(self.form, Form::Held { .. });
        let State { q, p } = self.state.part_mut(if held { self.bank.two_poles_in_use() } else { 0 }, self.bank.in_use);
        [q, p].into_iter().for_each(&mut flush);
        if held {
            for modes in self.held.modes_mut() {
                [&mut modes.t, &mut modes.u].into_iter().for_each(|line| flush(core::slice::from_mut(line)));
            }
        }
        let small = |State { q, p }: State| q.abs() < STILL && p.abs() < STILL;
        if finite && !self.bank.rigid.is_empty() && self.bank.rigid.iter().all(|&i| small(self.state.at(i))) {
            self.bank.rigid.iter().for_each(|&i| self.state.set(i, State::default()));
            alive = alive && !self.is_still();
        }
        if let Form::Free { silent, .. } = &mut self.form {
            *silent = !alive;
        }
        finite
    }

    fn reset(&mut self) {
        self.enter_attended();
        (0..self.bank.slots_in_use()).for_each(|i| self.state.set(i, State::default()));
        self.coming.unpush();
        self.free.excursion_m.fill(0.0);
        self.arrive();
        self.refresh(self.steps.level);
    }

    fn modes(&self) -> Vec<(Real, Real, Real)> {
        let ModalParams { freq_scale, decay_scale, .. } = self.params;
        let real = self.bank.slots.iter().map(|&slot| &self.bank.modes[slot]);
        real.map(|mode| (mode.declared.omega * freq_scale / TAU, decay_scale / mode.declared.sigma, mode.mass))
            .collect()
    }

    fn omitted(&self) -> usize {
        self.bank.omitted
    }

    fn inherit(&mut self, old: &dyn Resonator) -> bool {
        (old as &dyn Any).downcast_ref().is_some_and(|old| self.take_over(old))
    }

    fn shed(&mut self, below_j: Real) -> usize {
        self.silence(below_j)
    }

    fn listen(&mut self, port: usize) {
        let was_free = matches!(self.form, Form::Free { .. });
        self.enter_attended();
        self.listener.port = port;
        self.listener.velocity = None;
        self.rescale();
        if was_free {
            self.release();
        }
    }
}

impl Modal {
    /// True if every number of the state is zero, in any form.
    pub(in crate::resonator) fn is_still(&self) -> bool {
        let held = matches!(self.form, Form::Held { .. });
        let State { q, p } = self.state.part(if held { self.bank.two_poles_in_use() } else { 0 }, self.bank.in_use);
        let modes = if held { self.held.modes() } else { &[] };
        let lines = q.iter().chain(p).chain(modes.iter().flat_map(|modes| [&modes.t, &modes.u]));
        !(held && self.held.last_force != 0.0) && lines.flat_map(|line| line.0).all(|x| x == 0.0)
    }

    /// Stroke of a port in the coming step under what is pushed, m.
    #[inline(never)]
    fn predict(&mut self, port: usize) -> Real {
        self.ask_for(port);
        let free = match self.coming.strokes_m[port] {
            Some(stroke) => stroke,
            None => self.find_stroke(port),
        };
        if !self.coming.pushed {
            return free;
        }
        let pushed = self.coming.forces_n.iter().enumerate().filter(|(_, force)| **force != 0.0);
        pushed.fold(free, |stroke, (from, force)| stroke + self.compliance_of(port, from) * force)
    }

    /// Free stroke of a port in the coming step, m, which is watched from now on.
    fn find_stroke(&mut self, port: usize) -> Real {
        self.enter_attended();
        self.form = Form::ATTENDED;
        self.coming.watched = port;
        let chunks = self.bank.in_use;
        let (state, step) = (self.state.part(0, chunks), self.steps.now().steps.part(0, chunks));
        let stroke = kernel::stroke(self.path, state, step, self.ports[port].touched.part(0, chunks));
        self.coming.strokes_m[port] = Some(stroke);
        stroke
    }

    /// One step under a force at the held port alone.
    #[inline(always)]
    fn step_held(&mut self, port: usize, force: Real) {
        let (per_n, speed_per_n) = self.held.by_force;
        let (stroke, velocity) = self.held.stepped(self.path);
        let (mut stroke, mut velocity) = (stroke + per_n * force, velocity + speed_per_n * force); // [modal.6]
        self.held.last_force = force;
        let made = self.coming.strokes_m[port].map(|free| free + self.held.yields * force);
        self.held.position = self.held.position.zip(made).map(|(position, made)| position + made);
        if self.held.others {
            let others = self.step_beside_held(port, force);
            stroke += others.0;
            velocity += others.1;
        }
        self.coming.strokes_m[port] = Some(stroke);
        self.listener.velocity = self.held.is_heard.then_some(velocity);
    }

    /// The same of the modes beside those in held form: the held port's next stroke in them, m, and its velocity, m/s.
    #[inline(never)]
    fn step_beside_held(&mut self, port: usize, force: Real) -> (Real, Real) {
        let (two_pole, all) = (self.bank.two_poles_in_use(), self.bank.in_use);
        let touched = self.ports[port].touched.part(two_pole, all);
        let (state, step) = (self.state.part_mut(two_pole, all), self.steps.whole().part(two_pole, all));
        kernel::step(self.path, state, step, touched, force, touched, touched)
    }

    /// One step under the force at the watched port, or under forces elsewhere too.
    fn step_attended(&mut self, elsewhere: bool) {
        self.enter_attended();
        if elsewhere {
            self.gather_forces();
        }
        let (chunks, watched) = (self.bank.in_use, self.coming.watched);
        let touched = self.ports[watched].touched.part(0, chunks);
        let (shape, force) = if elsewhere {
            (self.coming.on_modes.part(0, chunks), 1.0)
        } else {
            (touched, self.coming.forces_n[watched])
        };
        let listened = self.ports[self.listener.port].heard.part(0, chunks);
        let (state, step) = (self.state.part_mut(0, chunks), self.steps.now().steps.part(0, chunks));
        let (stroke, velocity) = kernel::step(self.path, state, step, shape, force, touched, listened);
        self.coming.forget_strokes();
        self.coming.strokes_m[watched] = Some(stroke);
        self.listener.velocity = (!self.retuning.fade.audible()).then_some(velocity);
        self.coming.unpush();
        if self.retuning.fade.pass(1, self.steps.level) {
            self.advance();
        }
        self.consider_holding(elsewhere);
    }

    /// Forces at several ports as one force on every mode.
    fn gather_forces(&mut self) {
        let chunks = self.bank.in_use;
        let on_modes = self.coming.on_modes.part_mut(0, chunks);
        on_modes.fill(Line::ZERO);
        for (port, &force) in self.ports.iter().zip(&self.coming.forces_n).filter(|(_, force)| **force != 0.0) {
            for (sum, shape) in on_modes.iter_mut().zip(port.touched.part(0, chunks)) {
                for (sum, shape) in sum.0.iter_mut().zip(&shape.0) {
                    *sum += shape * force;
                }
            }
        }
    }

    /// Counts the steps of contact at one port, and enters the held form when they last.
    fn consider_holding(&mut self, elsewhere: bool) {
        let Form::Attended { at_one_port } = &mut self.form else { return };
        let whole = self.steps.level == 0;
        let holdable = !elsewhere && whole && self.bank.two_pole_fits && !self.retuning.unsettled();
        *at_one_port = if holdable { *at_one_port + 1 } else { 0 };
        if *at_one_port > LASTING {
            self.enter_held(self.coming.watched);
        }
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
    fn the_position_of_a_held_port_is_what_its_modes_say_for_as_long_as_it_is_held() {
        // One mode is too slow for the two-pole form, and stepped beside the others.
        let modes = [(20.0, 2.0, 0.05), (220.0, 0.5, 0.05), (1_000.0, 0.1, 0.02), (17_000.0, 0.01, 0.03)];
        let ports = [vec![1.0, -0.5, 0.3, 0.7], vec![0.2, 0.9, -1.0, 0.1]];
        let mut body = Modal::new(ModalParams::default(), &modes, &ports, 1.0 / RATE_HZ, true);
        let mut rng = Rng::new(1, "held");
        let (mut largest, mut held): (Real, u32) = (0.0, 0);
        for step in 0..480_000 {
            body.free_stroke(0);
            body.step_under(0, 2.0 + rng.between(-1.0, 1.0));
            if step % 997 == 0 && matches!(body.form, Form::Held { port: 0 }) {
                let sum = body.faded_sum(0, 0.0, |i| body.motion(i).q);
                largest = largest.max(sum.abs());
                assert!((body.position(0) - sum).abs() < 1e-12 * largest, "{step}: {} {sum}", body.position(0));
                held += 1;
            }
        }
        assert!(held > 450, "{held}");
    }

    #[test]
    fn jitter_changes_the_high_modes_more_than_the_low_ones() {
        let modes: Vec<_> = (1..=16).map(|i| (100.0 * f64::from(i), 0.3, 0.01)).collect();
        let params = ModalParams { jitter_01: 0.5, ..ModalParams::default() };
        let mut body = Modal::new(params, &modes, &[vec![0.5; 16]], 1.0 / RATE_HZ, true);
        let mut rng = Rng::new(1, "bar");
        let (mut low, mut high) = (0.0, 0.0);
        for _ in 0..200 {
            body.restrike(0, 0.0, &mut rng);
            low += (body.ports[0].touched.at(0) - 0.5).abs();
            high += (body.ports[0].touched.at(15) - 0.5).abs();
        }
        assert!(high > 5.0 * low, "{low} {high}");
        assert!(body.compliance(0, 0) > 0.0);
    }
}
