// SPDX-License-Identifier: MIT OR Apache-2.0
//! How it moves: the port of a body that bends back.

use super::{Bending, FLUSH, Mode, NEGLIGIBLE, PARTS, Port, at, lanes, set};
use crate::math::{PI, Real, TAU, cos, sin};
use crate::resonator::kernel::Line;
use crate::resonator::{Motion, Reading, Resonator};
use crate::rng::Rng;
use core::any::Any;

impl Resonator for Bending {
    fn ports(&self) -> usize {
        self.ports.len()
    }

    fn release(&mut self) {
        self.divide(0);
    }

    fn divide(&mut self, level: usize) {
        if level != self.level {
            self.level = level;
            self.make(level);
            self.forget_size();
        }
    }

    fn relabels(&self) -> bool {
        true
    }

    fn wanted_level(&self) -> usize {
        if self.slack { 0 } else { self.wanted }
    }

    fn free_stroke(&mut self, port: usize) -> Real {
        let s = self.stretched();
        let free = match self.ports[port].free_m {
            Some(free) => free,
            None => lanes::dot(self.path, &self.ports[port].touched, &self.d),
        };
        self.ports[port].free_m = Some(free);
        if self.ports[port].b.is_none() {
            self.remember(port);
        }
        let mut stroke = free;
        for from in 0..self.ports.len() {
            if self.ports[from].force_n != 0.0 {
                stroke += self.plain(port, from) * self.ports[from].force_n;
            }
        }
        stroke - self.turned(port) * (self.psi + 0.5 * s) // [bending.4]
    }

    fn compliance(&self, to: usize, from: usize) -> Real {
        let alpha = match self.alpha {
            Some(alpha) => alpha,
            None if self.slack => 0.0,
            None => lanes::dot3(self.path, &self.g, &self.g, &self.sizes[self.level].bq),
        };
        self.plain(to, from) - self.turned(to) * self.turned(from) / (2.0 + alpha) // [bending.4]
    }

    fn push(&mut self, port: usize, force_n: Real) {
        self.ports[port].force_n += force_n;
    }

    fn unpush(&mut self) {
        self.ports.iter_mut().for_each(|port| port.force_n = 0.0);
    }

    fn commit(&mut self) {
        let s = self.stretched();
        let (mut pushed, mut one) = (0, 0);
        for (index, port) in self.ports.iter().enumerate() {
            if port.force_n != 0.0 {
                (pushed, one) = (pushed + 1, index);
            }
        }
        if pushed > 1 {
            self.on_modes.fill(Line::ZERO);
            for port in self.ports.iter().filter(|port| port.force_n != 0.0) {
                for (sum, phi) in self.on_modes.iter_mut().zip(&port.touched) {
                    *sum = Line(core::array::from_fn(|l| sum.0[l] + phi.0[l] * port.force_n));
                }
            }
        }
        let several = pushed > 1;
        let shape = if several { &self.on_modes } else { &self.ports[one].touched };
        let force = if several { 1.0 } else { self.ports[one].force_n };
        let pull = fault!(BENDING_PULL, self.psi + 0.5 * s, self.psi);
        let size = &self.sizes[self.level];
        lanes::advance(self.path, &mut self.q, &mut self.p, size, &self.d, shape, force, &self.g, pull);
        self.psi += s; // [bending.3]
        self.age += PARTS >> self.level;
        self.unpush();
        self.forget_step();
        if pushed > 0 {
            self.tighten();
        }
    }

    fn ring(&mut self, ticks: usize, readings: &mut [Reading]) {
        for tick in 0..ticks {
            self.prepare();
            self.divide(self.wanted_level());
            let steps = 1u32 << self.level;
            (0..steps).for_each(|_| self.commit());
            readings.iter_mut().for_each(|reading| reading.values[tick] = reading.of(&*self));
        }
        self.divide(0);
    }

    fn position(&self, port: usize) -> Real {
        lanes::dot(self.path, &self.ports[port].heard, &self.q)
    }

    fn velocity(&self, port: usize) -> Real {
        lanes::dot(self.path, &self.ports[port].heard, &self.p)
    }

    fn touched(&self, port: usize, motion: Motion) -> Real {
        lanes::dot(self.path, &self.ports[port].touched, self.row(motion))
    }

    fn sounding(&self, port: usize, motion: Motion) -> Real {
        let row = self.row(motion);
        lanes::dot(self.path, &self.ports[port].heard, row) - self.as_a_whole(port, row)
    }

    fn moves_as_a_whole(&self) -> bool {
        self.modes.iter().any(|mode| mode.rigid)
    }

    fn energy(&self) -> Real {
        self.modal_energy() + 0.5 * self.psi * self.psi
    }

    fn mode_energies(&self, out: &mut [Real]) -> usize {
        for (cell, mode) in out.iter_mut().zip(&self.modes) {
            let (wq, p) = (at(&self.omega, mode.slot) * at(&self.q, mode.slot), at(&self.p, mode.slot));
            *cell = 0.5 * (p * p + wq * wq);
        }
        self.modes.len()
    }

    fn inverse_mass(&self, port: usize) -> Real {
        lanes::dot(self.path, &self.ports[port].aimed, &self.ports[port].aimed)
    }

    fn flexibility(&self, port: usize) -> Real {
        let yields = |mode: &Mode| {
            let (phi, omega) = (at(&self.ports[port].aimed, mode.slot), at(&self.omega, mode.slot));
            if phi == 0.0 { 0.0 } else { phi * phi / (omega * omega) }
        };
        self.modes.iter().map(yields).sum()
    }

    /// No part of it can hold more than all its energy.
    fn range(&self, port: usize, _seconds: Real) -> (Real, Real) {
        let energy = self.energy();
        let far = if energy == 0.0 { 0.0 } else { (2.0 * energy * self.flexibility(port)).sqrt() };
        (-far, far)
    }

    fn hit(&mut self, port: usize, impulse_n_s: Real) -> bool {
        for i in 0..self.modes.len() {
            let mode = self.modes[i];
            if self.sounds(&mode) {
                let faster = at(&self.p, mode.slot) + impulse_n_s * at(&self.ports[port].aimed, mode.slot);
                set(&mut self.p, mode.slot, faster);
            }
        }
        self.forget_step();
        self.tighten();
        self.age = self.hold;
        true
    }

    fn restrike(&mut self, port: usize, more_01: Real, rng: &mut Rng) {
        let jitter_01 = (self.params.jitter_01 + more_01).min(1.0);
        if jitter_01 == 0.0 && !self.ports[port].beside {
            return;
        }
        let angle = rng.between(-1.0, 1.0) * jitter_01 * 0.5 * PI;
        let Self { modes, ports, .. } = self;
        let Port { aimed, touched, beside, .. } = &mut ports[port];
        *beside = jitter_01 > 0.0;
        for mode in modes.iter() {
            let phi = at(aimed, mode.slot);
            let (largest, psi) = (mode.largest_shape / mode.mass.sqrt(), angle * mode.rank);
            let quadrature = (largest * largest - phi * phi).max(0.0).sqrt();
            set(touched, mode.slot, if mode.rigid { phi } else { phi * cos(psi) + quadrature * sin(psi) });
        }
        self.forget_size();
    }

    fn touch_at(&mut self, port: usize, shape: &[Real]) -> bool {
        if shape.len() != self.listed || port >= self.ports.len() {
            return false;
        }
        let Self { modes, ports, .. } = self;
        let Port { aimed, touched, .. } = &mut ports[port];
        for (mode, phi) in modes.iter().zip(shape) {
            set(aimed, mode.slot, phi / mode.mass.sqrt());
            set(touched, mode.slot, phi / mode.mass.sqrt());
        }
        self.forget_size();
        true
    }

    /// Asked at control ticks: whether it may be taken for linear. [bending.6]
    fn moving(&mut self) -> bool {
        if !self.slack {
            let energy = self.modal_energy();
            let freq2 = self.params.freq_scale * self.params.freq_scale;
            let stretch = self.params.stiffening * self.params.stiffening * self.gamma2 / (freq2 * freq2);
            if stretch * energy <= 2.0 * NEGLIGIBLE && self.psi * self.psi <= 2.0 * NEGLIGIBLE * energy {
                (self.slack, self.psi, self.wanted) = (true, 0.0, 0);
                self.g.fill(Line::ZERO);
                self.forget_g();
            }
        }
        false
    }

    fn rests(&self) -> bool {
        self.psi == 0.0 && self.q.iter().chain(&self.p).all(|line| line.0.iter().all(|x| *x == 0.0))
    }

    fn settle(&mut self) -> bool {
        let mut finite = self.psi.is_finite();
        for line in self.q.iter_mut().chain(&mut self.p) {
            for x in &mut line.0 {
                finite &= x.is_finite();
                if x.abs() < FLUSH {
                    *x = 0.0;
                }
            }
        }
        self.forget_step();
        finite
    }

    fn reset(&mut self) {
        [&mut self.q, &mut self.p, &mut self.g].into_iter().for_each(|row| row.fill(Line::ZERO));
        (self.psi, self.slack, self.wanted) = (0.0, true, 0);
        self.unpush();
        self.forget_size();
    }

    fn modes(&self) -> Vec<(Real, Real, Real)> {
        self.modes
            .iter()
            .map(|mode| {
                let (omega, sigma) = self.aim(mode);
                (omega / TAU, 1.0 / sigma, mode.mass)
            })
            .collect()
    }

    fn omitted(&self) -> usize {
        self.omitted
    }

    /// Mode by mode, each with its kinetic and its elastic energy; and what stretching holds.
    fn inherit(&mut self, old: &dyn Resonator) -> bool {
        let Some(old) = (old as &dyn Any).downcast_ref::<Self>() else { return false };
        for (i, theirs) in old.modes.iter().enumerate().take(self.modes.len()) {
            let own = self.modes[i];
            if !self.sounds(&own) {
                continue;
            }
            let (now, then) = (at(&self.omega, own.slot), at(&old.omega, theirs.slot));
            let stretch = if now > 0.0 { then / now } else { 0.0 };
            set(&mut self.q, own.slot, stretch * at(&old.q, theirs.slot));
            set(&mut self.p, own.slot, at(&old.p, theirs.slot));
        }
        self.psi = old.psi;
        self.forget_size();
        self.tighten();
        true
    }
}
