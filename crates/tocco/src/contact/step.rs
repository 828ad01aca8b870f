// SPDX-License-Identifier: MIT OR Apache-2.0
//! One sample of an island: predict, solve, push, commit.
//!
//! **What.** The bodies of an island say how far each touched port would go; the laws answer with forces; the bodies
//! take the step. Sub-steps repeat this within the sample where the shortest contact asks for it.
//!
//! **Step.** The ledger is kept here: external forces, guiding hands, rough surfaces and what friction's roughness adds
//! are work of outsiders (H8).
//!
//! **Sources.** Rath 2004; physics.md D.2, D.4, D.5, D.8, H1, H3, H6, H8.

use super::world::World;
use super::{Contact, Law, Site, StepRule, coupled};
use crate::interactor::Stroke;
use crate::math::Real;
use crate::resonator::LEVELS;
use crate::texture::Texture;

impl World {
    /// How far a site would go in a step of `dt` without contact forces, m.
    pub(super) fn free_stroke(&mut self, site: Site, dt: Real) -> Real {
        if self.rigid[site.body] {
            dt * self.bodies[site.body].velocity(0)
        } else {
            self.bodies[site.body].free_stroke(site.port)
        }
    }

    /// One sample of an island. `[audio]`
    pub fn step(&mut self, island: usize, tick: u64) {
        let (from, to) = self.islands[island].contacts;
        let relabels = self.islands[island].relabels;
        self.islands[island].fresh &= !(self.islands[island].moving || relabels);
        for at in from..to {
            if !self.contacts[self.linked[at]].estimated {
                self.estimate(self.linked[at]);
            }
        }
        if to - from == 1 {
            let index = self.linked[from];
            if self.contacts[index].exact
                && let Some(mu) = self.contacts[index].law.loss_s_m()
            {
                self.step_exact(index, mu);
                return;
            }
            if self.lasting(island).is_some_and(|mut lasting| lasting.step_once(tick)) {
                return;
            }
        }
        if self.islands[island].level >= LEVELS {
            self.set_level(island, 0);
        }
        for at in from..to {
            self.read_surface(self.linked[at]);
            self.move_along(island, self.linked[at], tick);
        }
        self.push_outside(island);
        let mut dt = self.sample_s / (1u32 << self.islands[island].level) as Real;
        self.predict_strokes(from, to, dt);
        let (mut level, mut series) = (0, 0);
        let mut struck = false;
        for at in from..to {
            let index = self.linked[at];
            let s0 = self.scratch.s0[at - from];
            let contact = &mut self.contacts[index];
            (contact.force, contact.iterations) = (0.0, 0);
            let touching = contact.law.engages(contact.compression, s0 * (self.sample_s / dt));
            if touching {
                struck |= self.note_touch(index, tick);
            } else {
                self.note_pause(index, tick);
            }
            let contact = &mut self.contacts[index];
            level = level.max(contact.want_level(touching, s0, dt, tick));
            series += u32::from(contact.came_lately(tick));
        }
        let finer = usize::from(level > 0 && series > 1); // [contact.4]
        level = (level + finer).min(self.max_level);
        if relabels {
            let (first, last) = self.islands[island].bodies;
            let wanted = self.members[first..last].iter().map(|&body| self.bodies[body].wanted_level());
            level = wanted.fold(level, usize::max).min(self.max_level);
        }
        if struck || level != self.islands[island].level {
            self.set_level(island, level);
            let ratio = dt;
            dt = self.sample_s / (1u32 << level) as Real;
            for at in from..to {
                let contact = &mut self.contacts[self.linked[at]];
                contact.stroke *= dt / ratio;
                contact.before = contact.stroke;
            }
            self.predict_strokes(from, to, dt);
        }
        let steps = 1u32 << level;
        for step in 0..steps {
            if step > 0 {
                self.islands[island].fresh &= !relabels;
                self.push_outside(island);
                self.predict_strokes(from, to, dt);
            }
            self.solve(island, dt, 1.0 / steps as Real);
        }
    }

    /// Reads the surface of a contact where it stands now. A height shifts the compression, which is work of outsiders;
    /// the roughness of friction is the law's to scale.
    pub(super) fn read_surface(&mut self, index: usize) {
        let contact = &mut self.contacts[index];
        let Some(texture) = &mut contact.texture else { return };
        let travel = match texture.travel {
            None => contact.travelled,
            // A hand moves on after the islands, by the block: its way is added up here, by the sample.
            Some(body) if self.rigid[body] => {
                texture.way += self.sample_s * self.bodies[body].velocity(0);
                texture.way
            }
            Some(body) => self.bodies[body].position(0),
        };
        let height = texture.surface.height(travel);
        if let Law::Tangential { law, .. } = &mut contact.law {
            law.set_roughness(height);
        } else {
            let before = contact.law.energy(contact.compression);
            contact.compression += texture.height_m * height - contact.height;
            contact.height = texture.height_m * height;
            self.work += fault!(LEDGER_SURFACE, contact.law.energy(contact.compression) - before, 0.0);
        }
    }

    /// Notes that a contact touches; at the first touch after a pause both partners may redraw where they are struck.
    pub(super) fn note_touch(&mut self, index: usize, tick: u64) -> bool {
        let pause = self.pause();
        let contact = &mut self.contacts[index];
        let new = contact.last_touch.is_none_or(|last| tick > last + pause);
        contact.last_touch = Some(tick);
        if new {
            for site in [contact.a, contact.b] {
                self.bodies[site.body].restrike(site.port, contact.beside_01, &mut contact.rng);
            }
        }
        new
    }

    /// Notes that a contact does not touch; a touch of long ago is forgotten, so that the next is a stroke of its own whoever takes it
    /// (but in takes of the first format, which play as they were heard).
    fn note_pause(&mut self, index: usize, tick: u64) {
        let pause = self.pause();
        let Contact { last_touch, rule, .. } = &mut self.contacts[index];
        if *rule == StepRule::Present {
            *last_touch = last_touch.filter(|last| fault!(TOUCH_PAUSE, tick < last + pause, true));
        }
    }

    /// Samples without a touch after which the next is a stroke of its own.
    fn pause(&self) -> u64 {
        (0.005 / self.sample_s) as u64
    }

    /// Divides the sample into 2^`level` steps for all bodies of an island.
    pub(super) fn set_level(&mut self, island: usize, level: usize) {
        let (from, to) = self.islands[island].bodies;
        for at in from..to {
            self.bodies[self.members[at]].divide(level);
        }
        self.islands[island].level = level;
        self.islands[island].fresh = false;
    }

    /// Applies the forces of outsiders to the bodies of an island, for one step.
    pub(super) fn push_outside(&mut self, island: usize) {
        let (from, to) = self.islands[island].bodies;
        for at in from..to {
            let body = self.members[at];
            if self.pushed[body] {
                for (port, &force) in self.forces[body].iter().enumerate() {
                    if force != 0.0 {
                        self.bodies[body].push(port, force);
                    }
                }
            }
        }
    }

    /// Free strokes of an island's contacts (`from..to` of the list), closing positive.
    pub(super) fn predict_strokes(&mut self, from: usize, to: usize, dt: Real) {
        for at in from..to {
            let Contact { a, b, .. } = self.contacts[self.linked[at]];
            self.scratch.s0[at - from] = self.free_stroke(a, dt) - self.free_stroke(b, dt);
        }
    }

    /// Fills the island's matrix L of [coupled.1]: how far each contact's stroke yields to each contact's force, m/N (the
    /// labels of Rath 2004).
    pub(super) fn fill_compliances(&mut self, island: usize) {
        let (from, to) = self.islands[island].contacts;
        let (n, base) = (to - from, self.islands[island].matrix);
        for c in 0..n {
            for d in 0..n {
                let (first, second) = (&self.contacts[self.linked[from + c]], &self.contacts[self.linked[from + d]]);
                let mut compliance = 0.0;
                for (one, sign_one) in [(first.a, 1.0), (first.b, -1.0)] {
                    for (two, sign_two) in [(second.a, 1.0), (second.b, -1.0)] {
                        if one.body == two.body && !self.rigid[one.body] {
                            compliance += sign_one * sign_two * self.bodies[one.body].compliance(one.port, two.port);
                        }
                    }
                }
                let coupled = if c == d { compliance } else { fault!(CROSS_COMPLIANCE, compliance, 0.0) };
                self.matrix[base + c * n + d] = coupled;
            }
        }
        self.islands[island].fresh = true;
    }

    /// Solve, push, commit: one sub-step.
    pub(super) fn solve(&mut self, island: usize, dt: Real, share: Real) {
        let (from, to) = self.islands[island].contacts;
        let n = to - from;
        let (mut touching, mut convex) = (false, true);
        for at in from..to {
            let contact = &mut self.contacts[self.linked[at]];
            contact.law.prepare(contact.compression, dt);
            touching |= contact.law.engages(contact.compression, self.scratch.s0[at - from]);
            convex &= contact.law.is_convex();
        }
        if touching {
            if !self.islands[island].fresh {
                self.fill_compliances(island);
            }
            let base = self.islands[island].matrix;
            if n == 1 {
                let contact = &mut self.contacts[self.linked[from]];
                let s0 = self.scratch.s0[0];
                let found = contact.resolve(s0, self.matrix[base], dt, contact.guess());
                contact.iterations += found.iterations;
                self.health.count(&found);
                (self.scratch.strokes[0], self.scratch.forces[0]) = (found.stroke, found.force);
            } else {
                let (matrix, members) = (&self.matrix[base..base + n * n], &self.linked[from..to]);
                let found = if convex {
                    coupled::solve(&mut self.contacts, members, matrix, dt, &mut self.scratch)
                } else {
                    coupled::sweep(&mut self.contacts, members, matrix, dt, &mut self.scratch)
                };
                for at in from..to {
                    self.contacts[self.linked[at]].iterations += found.iterations;
                }
                self.health.solves += 1;
                self.health.iterations += u64::from(found.iterations);
                self.health.fallbacks += u64::from(found.fell_back);
                self.health.unconverged += u64::from(!found.converged);
            }
        } else {
            self.scratch.strokes[..n].copy_from_slice(&self.scratch.s0[..n]);
            self.scratch.forces[..n].fill(0.0);
        }
        for at in from..to {
            let index = self.linked[at];
            let (by, force) = (self.scratch.strokes[at - from], self.scratch.forces[at - from]);
            let Contact { a, b, .. } = self.contacts[index];
            if force != 0.0 {
                self.push_site(a, -force, dt);
                self.push_site(b, fault!(THIRD_LAW, force, times 0.98), dt);
            }
            let contact = &mut self.contacts[index];
            if let Law::Tangential { law, .. } = &contact.law {
                self.work -= law.outside_force() * by;
            }
            contact.advance(Stroke { from: contact.compression, by, dt }, force);
            contact.force += force * share;
        }
        let (first, last) = self.islands[island].bodies;
        for at in first..last {
            let body = self.members[at];
            if self.pushed[body] {
                for port in 0..self.forces[body].len() {
                    let force = self.forces[body][port];
                    if force != 0.0 {
                        self.work += fault!(LEDGER_FORCE, force * self.bodies[body].free_stroke(port), 0.0);
                    }
                }
            }
            self.bodies[body].commit();
        }
    }

    /// A contact's force on one partner; what pushes a rigid one is work of whoever holds it.
    pub(super) fn push_site(&mut self, site: Site, force: Real, dt: Real) {
        if self.rigid[site.body] {
            self.work -= fault!(LEDGER_HAND, force * self.bodies[site.body].velocity(0) * dt, 0.0);
        } else {
            self.bodies[site.body].push(site.port, force);
        }
    }
}
