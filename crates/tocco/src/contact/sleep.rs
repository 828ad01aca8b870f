// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who needs attention: waking, sleeping, islands.
//!
//! **What.** Contacts that might close before the next control tick are *awake*; awake contacts that share a yielding
//! body form an *island* and are solved together. Everything else is certainly apart: its bodies run free, in blocks.
//!
//! **Law.** `[sleep.1]` A contact may sleep if the highest place its first port can reach lies below the lowest place
//! of its second. A free mode never exceeds its present amplitude; a mass flies its parabola; and a body that others
//! push cannot move a port further than `sqrt(2 E C)`, E the energy of its island and C the port's static flexibility.
//!
//! **Step.** Sleep is decided at control ticks and ended at once by commands; both are ticks that the host's block size
//! does not move, so neither is audible in any bit. Friction, rough contacts and laws that remember never sleep; one that
//! acts across a gap sleeps where the gap is wider.
//!
//! **Sources.** physics.md D.8, H3.

use super::world::{Island, World, stored};
use super::{Contact, Law, Site};
use crate::math::Real;
use crate::resonator::{CONTROL_TICKS, LEVELS};

/// Control ticks between two looks at every number of every body: often enough that hardly any becomes subnormal and
/// that a fault is silenced within 6 ms at 44.1 kHz, seldom enough to cost nothing.
const INSPECT: u64 = 8;

impl World {
    /// Wakes everything that a disturbance of this body could reach; sleep is decided again at the next control tick.
    pub fn disturb(&mut self, body: usize) {
        let mut woken = false;
        for index in 0..self.contacts.len() {
            let Contact { a, b, awake, .. } = self.contacts[index];
            let near = a.body == body
                || b.body == body
                || self.cluster[a.body] == self.cluster[body]
                || self.cluster[b.body] == self.cluster[body];
            if near && !awake {
                self.wake(index);
                woken = true;
            }
        }
        self.attend(body);
        if woken || self.pushed[body] || self.island_of[body].is_none() {
            self.regroup();
            self.attend(body);
        }
    }

    /// A body is stepped from now on.
    pub(super) fn attend(&mut self, body: usize) {
        if !self.attended[body] {
            self.bodies[body].attend();
            self.attended[body] = true;
        }
    }

    /// A contact begins again where its partners are.
    pub(super) fn wake(&mut self, contact: usize) {
        let Contact { a, b, .. } = self.contacts[contact];
        self.attend(a.body);
        self.attend(b.body);
        let distance = self.distance(contact);
        let c = &mut self.contacts[contact];
        if let Law::General(law) = &c.law {
            // A place that has moved into reach meanwhile: what the law then holds is outsiders' work.
            self.work += law.energy(distance);
            c.restart(distance);
        } else {
            // Sleepers are apart. A morph may have moved a place into its neighbour since; they then start at zero gap,
            // since nobody paid for a compression.
            c.restart(distance.min(0.0));
        }
        (c.awake, c.level, c.level_until) = (true, c.fixed.unwrap_or(0), 0);
    }

    /// At a control tick: flush, check, decide who sleeps. `[audio]`
    pub fn control(&mut self) {
        let inspect = self.controls.is_multiple_of(INSPECT);
        self.controls += 1;
        (self.moving, self.tuned) = (self.tuned || self.bodies.iter().any(|body| body.moving()), false);
        self.health.omitted = 0;
        for body in 0..self.bodies.len() {
            self.health.omitted += self.bodies[body].omitted() as u64;
            if inspect && !self.bodies[body].settle() {
                self.bodies[body].reset();
                self.health.reset += 1;
                for index in 0..self.contacts.len() {
                    if self.contacts[index].touches(body) {
                        self.contacts[index].law.reset();
                        let distance = self.distance(index);
                        self.contacts[index].restart(distance);
                    }
                }
            }
        }
        if inspect && self.drop_below > 0.0 {
            let below = self.drop_below * self.energy();
            for body in 0..self.bodies.len() {
                if !self.attended[body] {
                    self.health.shed += self.bodies[body].shed(below) as u64;
                }
            }
        }
        self.plan_sleep();
    }

    /// Decides which contacts may sleep until the next control tick, by [sleep.1].
    pub(super) fn plan_sleep(&mut self) {
        let horizon = CONTROL_TICKS as Real * self.sample_s;
        let mut changed = false;
        for index in 0..self.contacts.len() {
            let (a, b) = (self.contacts[index].a, self.contacts[index].b);
            let closed =
                self.contacts[index].awake && self.contacts[index].law.engages(self.contacts[index].compression, 0.0);
            let alone = !closed
                && !self.contacts[index].watched
                && self.contacts[index].texture.is_none()
                && !self.pushed[a.body]
                && !self.pushed[b.body];
            let reach = if alone { self.contacts[index].law.reach_m() } else { Real::INFINITY };
            let range = |site: Site| self.bodies[site.body].range(site.port, horizon);
            let apart = reach.is_finite() && is_below(range(a), range(b), reach);
            if apart && self.contacts[index].awake {
                let c = &mut self.contacts[index];
                (c.awake, c.force, c.iterations) = (false, 0.0, 0);
                c.law.reset();
                changed = true;
            } else if !apart && !self.contacts[index].awake {
                self.wake(index);
                changed = true;
            }
        }
        if changed {
            self.regroup();
        }
        // A sleeper beside a body that others push: bound its reach by the energy of the island.
        let beside = |c: &Contact| self.island_of[c.a.body].is_some() || self.island_of[c.b.body].is_some();
        if !self.contacts.iter().any(|c| !c.awake && beside(c)) {
            self.release_idle();
            return;
        }
        for island in 0..self.islands.len() {
            self.energy_of[island] = self.island_energy(island);
        }
        loop {
            let mut woken = false;
            for index in 0..self.contacts.len() {
                let Contact { a, b, awake, .. } = self.contacts[index];
                let disturbed = self.island_of[a.body].is_some() || self.island_of[b.body].is_some();
                let reach = |site| self.reach(site, horizon);
                if !awake && disturbed && !is_below(reach(a), reach(b), self.contacts[index].law.reach_m()) {
                    self.wake(index);
                    woken = true;
                }
            }
            if !woken {
                break;
            }
            self.regroup();
            for island in 0..self.islands.len() {
                self.energy_of[island] = self.island_energy(island);
            }
        }
        self.release_idle();
    }

    /// Bodies that no island steps run by the block.
    pub(super) fn release_idle(&mut self) {
        for body in 0..self.bodies.len() {
            if self.island_of[body].is_none() {
                self.release(body);
            }
        }
    }

    /// A body runs by the block from now on.
    pub(super) fn release(&mut self, body: usize) {
        if self.attended[body] {
            self.bodies[body].release();
            self.attended[body] = false;
        }
    }

    /// Range of a port within the horizon, whether or not its body is being pushed about.
    pub(super) fn reach(&self, site: Site, horizon: Real) -> (Real, Real) {
        let Some(island) = self.island_of[site.body] else {
            return self.bodies[site.body].range(site.port, horizon);
        };
        let energy = self.energy_of[island];
        if !energy.is_finite() {
            return (Real::NEG_INFINITY, Real::INFINITY);
        }
        let body = &self.bodies[site.body];
        let flexibility = body.flexibility(site.port);
        if flexibility.is_finite() {
            let far = (2.0 * energy * flexibility).sqrt();
            (-far, far)
        } else {
            let far = horizon * (2.0 * energy * body.inverse_mass(site.port)).sqrt();
            (body.position(site.port) - far, body.position(site.port) + far)
        }
    }

    /// Islands from awake contacts and pushed bodies. `[audio]`
    pub(super) fn regroup(&mut self) {
        let n = self.bodies.len();
        for i in 0..n {
            self.parent[i] = i;
        }
        for contact in self.contacts.iter().filter(|c| c.awake) {
            for [a, b] in links(contact, &self.contacts, &self.rigid).into_iter().flatten() {
                let (a, b) = (root(&mut self.parent, a), root(&mut self.parent, b));
                self.parent[a.max(b)] = a.min(b);
            }
        }
        self.islands.clear();
        self.members.clear();
        self.linked.clear();
        self.island_of.fill(None);
        let mut matrix = 0;
        for head in 0..n {
            if self.rigid[head] || root(&mut self.parent, head) != head {
                continue;
            }
            let (bodies, contacts) = (self.members.len(), self.linked.len());
            for index in 0..self.contacts.len() {
                let contact = &self.contacts[index];
                if contact.awake && root(&mut self.parent, contact.yielding(&self.rigid)) == head {
                    self.linked.push(index);
                }
            }
            let mut alone = self.linked.len() == contacts;
            for body in head..n {
                if root(&mut self.parent, body) == head && (!alone || self.pushed[body]) {
                    self.members.push(body);
                    alone = false;
                }
            }
            if self.members.len() == bodies {
                continue;
            }
            let size = self.linked.len() - contacts;
            self.islands.push(Island {
                bodies: (bodies, self.members.len()),
                contacts: (contacts, self.linked.len()),
                level: LEVELS,
                matrix,
                fresh: false,
            });
            matrix += size * size;
        }
        for island in 0..self.islands.len() {
            let (from, to) = self.islands[island].bodies;
            for at in from..to {
                self.attend(self.members[at]);
                self.island_of[self.members[at]] = Some(island);
            }
        }
    }

    /// Energy an island can have before the next control tick, J; infinite if someone outside may add to it.
    pub(super) fn island_energy(&self, island: usize) -> Real {
        let mut energy = 0.0;
        for &body in self.island_bodies(island) {
            if self.pushed[body] {
                return Real::INFINITY;
            }
            energy += self.bodies[body].energy();
        }
        for &index in self.island_contacts(island) {
            let contact = &self.contacts[index];
            energy += stored(contact);
            for site in [contact.a, contact.b] {
                // A moving hand, or gravity, adds work: the neighbours stay awake.
                let body = &self.bodies[site.body];
                let moved = self.rigid[site.body] && (self.pushed[site.body] || body.velocity(0) != 0.0);
                if moved || body.gravity() != 0.0 || contact.texture.is_some() {
                    return Real::INFINITY;
                }
            }
        }
        energy
    }
}

/// Pairs of bodies that a contact makes one: its partners, unless one is rigid, what presses it and what carries its
/// surface past.
pub(super) fn links(contact: &Contact, all: &[Contact], rigid: &[bool]) -> [Option<[usize; 2]>; 3] {
    let partners = (!rigid[contact.a.body] && !rigid[contact.b.body]).then_some([contact.a.body, contact.b.body]);
    let press = contact.law.presser().map(|press| [contact.yielding(rigid), all[press].yielding(rigid)]);
    let carrier = contact.texture.as_ref().and_then(|texture| texture.travel).filter(|&body| !rigid[body]);
    [partners, press, carrier.map(|body| [contact.yielding(rigid), body])]
}

/// The first of the bodies that are one with body `i`; paths are shortened on the way.
pub(super) fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}

/// True if the first range certainly lies below the second, by more than a gap.
fn is_below(a: (Real, Real), b: (Real, Real), gap: Real) -> bool {
    a.1 + 1e-9 * (a.1.abs() + b.0.abs()) + 1e-12 + gap < b.0
}
