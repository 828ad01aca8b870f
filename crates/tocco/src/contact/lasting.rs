// SPDX-License-Identifier: MIT OR Apache-2.0
//! A contact that lasts: what most samples of most contacts are, looked up once for a whole stretch of them.
//!
//! **What.** An island of one contact that is closed, at one step per sample, with nothing on the move but forces and guided
//! velocities. [`World::step`] of such a sample is what [`Lasting::step`] does, without its loops; any other is left to it.
//!
//! **Sources.** 004; physics.md D.2, D.4.

use super::world::{Health, World};
use super::{Contact, Law, Site};
use crate::math::Real;
use crate::resonator::Resonator;

/// One partner of the contact.
struct Partner<'a> {
    site: Site,
    body: &'a mut dyn Resonator,
    /// It yields to nothing.
    rigid: bool,
    /// Forces of outsiders at its ports, N, and whether they move it.
    forces: &'a mut [Real],
    pushed: bool,
}

/// The contact with all that its samples need.
pub(crate) struct Lasting<'a> {
    pub index: usize,
    pub contact: &'a mut Contact,
    partners: [Partner<'a>; 2],
    /// Of both partners, m/N.
    compliance: Real,
    sample_s: Real,
    max_level: usize,
    work: &'a mut Real,
    health: &'a mut Health,
}

impl World {
    /// The contact of an island that may last; none if its samples need [`World::step`]. `[audio]`
    #[inline]
    pub(crate) fn lasting(&mut self, island: usize) -> Option<Lasting<'_>> {
        let Self { islands, contacts, bodies, forces, pushed, rigid, linked, matrix, work, health, .. } = self;
        let group = &islands[island];
        if group.contacts.1 - group.contacts.0 != 1
            || group.level != 0
            || !group.fresh
            || group.moving
            || group.relabels
        {
            return None;
        }
        let index = linked[group.contacts.0];
        let contact = &mut contacts[index];
        let plain = contact.estimated && contact.texture.is_none() && contact.last_touch.is_some();
        if !plain || contact.exact || contact.law.presser().is_some() {
            return None;
        }
        if !contact.law.engages(contact.compression, 0.0) {
            return None;
        }
        let (a, b) = (contact.a, contact.b);
        let pair = [a.body, b.body];
        let Ok([first, second]) = bodies.get_disjoint_mut(pair) else { return None };
        let Ok([on_first, on_second]) = forces.get_disjoint_mut(pair) else { return None };
        let ([first_rigid, second_rigid], [first_pushed, second_pushed]) =
            (pair.map(|i| rigid[i]), pair.map(|i| pushed[i]));
        Some(Lasting {
            index,
            contact,
            partners: [
                Partner { site: a, body: &mut **first, rigid: first_rigid, forces: on_first, pushed: first_pushed },
                Partner { site: b, body: &mut **second, rigid: second_rigid, forces: on_second, pushed: second_pushed },
            ],
            compliance: matrix[group.matrix],
            sample_s: self.sample_s,
            max_level: self.max_level,
            work,
            health,
        })
    }
}

impl Partner<'_> {
    /// How far it would go in the coming step without the contact's force, m.
    #[inline]
    fn free_stroke(&mut self, dt: Real) -> Real {
        if self.rigid {
            return dt * self.body.velocity(0);
        }
        if self.pushed {
            for (port, &force) in self.forces.iter().enumerate() {
                if force != 0.0 {
                    self.body.push(port, force);
                }
            }
        }
        self.body.free_stroke(self.site.port)
    }

    /// The step under the contact's force; returns the work of outsiders, J.
    #[inline]
    fn step(&mut self, force: Real, dt: Real) -> Real {
        if self.rigid {
            return -fault!(LEDGER_HAND, force * self.body.velocity(0) * dt, 0.0);
        }
        if !self.pushed {
            self.body.step_under(self.site.port, force);
            return 0.0;
        }
        self.body.push(self.site.port, force);
        let mut work = 0.0;
        for (port, &outside) in self.forces.iter().enumerate() {
            if outside != 0.0 {
                work += fault!(LEDGER_FORCE, outside * self.body.free_stroke(port), 0.0);
            }
        }
        self.body.commit();
        work
    }
}

impl Lasting<'_> {
    /// One sample. False, with nothing done, if it needs [`World::step`]. `[audio]`
    #[inline]
    pub fn step(&mut self, tick: u64) -> bool {
        let (dt, from) = (self.sample_s, self.contact.compression);
        let closed = match &self.contact.law {
            Law::Normal(_) => from > 0.0,
            Law::Tangential { .. } => true,
            Law::General(law) => law.engages(from, 0.0),
        };
        if !closed {
            return false;
        }
        let [first, second] = &mut self.partners;
        let s0 = first.free_stroke(dt) - second.free_stroke(dt);
        let contact = &mut *self.contact;
        if contact.want_level(true, s0, dt, tick).min(self.max_level) != 0 {
            [first, second].into_iter().for_each(|partner| partner.body.unpush());
            return false;
        }
        contact.last_touch = Some(tick);
        let guess = contact.guess();
        let found = contact.law.step(from, s0, self.compliance, dt, guess);
        let force = found.force;
        *self.work += first.step(-force, dt);
        *self.work += second.step(fault!(THIRD_LAW, force, times 0.98), dt);
        contact.follow(found.stroke, force);
        (contact.force, contact.iterations) = (force, found.iterations);
        self.health.count(&found);
        true
    }

    /// Both partners.
    pub fn partners(&self) -> [&dyn Resonator; 2] {
        let [first, second] = &self.partners;
        [&*first.body, &*second.body]
    }

    /// Their indices.
    pub fn bodies(&self) -> [usize; 2] {
        self.partners.each_ref().map(|partner| partner.site.body)
    }

    /// Which of them are not the island's to step.
    pub fn rigid(&self) -> [bool; 2] {
        self.partners.each_ref().map(|partner| partner.rigid)
    }

    /// Sets a force of outsiders for the coming sample, N. `[audio]`
    pub fn set_force(&mut self, site: Site, force_n: Real) {
        for partner in self.partners.iter_mut().filter(|partner| partner.site.body == site.body) {
            partner.forces[site.port] = force_n;
        }
    }

    /// Sets a parameter of a partner that moves by the sample. `[audio]`
    pub fn set(&mut self, body: usize, param: usize, value: Real) {
        for partner in self.partners.iter_mut().filter(|partner| partner.site.body == body) {
            partner.body.set(param, value);
        }
    }
}
