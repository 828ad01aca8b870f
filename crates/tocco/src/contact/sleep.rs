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
//! `[sleep.2]` Friction without normal force has no force and no memory, wherever its partners are: it may sleep while
//! nothing moves that force, or while what presses it sleeps.
//!
//! **Step.** Sleep is decided at control ticks and ended at once by commands; both are ticks that the host's block size
//! does not move, so neither is audible in any bit. Laws that remember never sleep; one that acts across a gap sleeps
//! where the gap is wider, a rough contact where it is wider than the surface is high.
//!
//! **Sources.** physics.md D.8, H3.

use super::world::{Island, World, stored};
use super::{Contact, Law, PressedBy, Roughness, Site};
use crate::math::Real;
use crate::resonator::{CONTROL_TICKS, LEVELS, Motion};
use crate::texture::Texture;

/// Control ticks between two looks at every number of every body: often enough that hardly any becomes subnormal and
/// that a fault is silenced within 6 ms at 44.1 kHz, seldom enough to cost nothing.
const INSPECT: u64 = 8;
/// Heights of a surface, in standard deviations, beyond which none is expected: one in 1e15 is higher.
const HIGHEST: Real = 8.0;

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
            if near && !awake && self.contacts[index].joined {
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
            (self.attended[body], self.quiet[body]) = (true, false);
        }
    }

    /// A contact begins again where its partners are.
    pub(super) fn wake(&mut self, contact: usize) {
        let Contact { a, b, .. } = self.contacts[contact];
        self.attend(a.body);
        self.attend(b.body);
        let distance = self.distance(contact);
        let speed = self.between(contact, Motion::Velocity);
        let c = &mut self.contacts[contact];
        if let Some(Roughness { travel: Some(body), way, left_at, .. }) = &mut c.texture
            && !c.awake
            && self.rigid[*body]
        {
            *way += self.bodies[*body].position(0) - *left_at;
        }
        if c.law.is_tangential() && !c.awake {
            // It has slid on meanwhile, and slides now.
            c.travelled += distance - c.compression;
            c.restart(distance);
            (c.stroke, c.before) = (self.sample_s * speed, self.sample_s * speed);
        } else if let Law::General(law) = &c.law {
            // A place that has moved into reach meanwhile: what the law then holds is outsiders' work.
            self.work += law.energy(distance);
            c.restart(distance);
        } else {
            // Sleepers are apart. A morph may have moved a place into its neighbour since; they then start at zero gap,
            // since nobody paid for a compression.
            c.restart(distance.min(0.0));
        }
        (c.awake, c.level, c.level_until) = (true, c.fixed.unwrap_or(0), 0);
        self.dormant[contact] = false;
    }

    /// At a control tick: flush, check, decide who sleeps. `[audio]`
    pub fn control(&mut self) {
        let inspect = self.controls.is_multiple_of(INSPECT);
        self.controls += 1;
        self.islands.iter_mut().for_each(|island| island.moving = false);
        for body in 0..self.bodies.len() {
            if self.quiet[body] {
                continue;
            }
            (self.moving[body], self.tuned[body]) = (self.bodies[body].moving() || self.tuned[body], false);
            if let Some(island) = self.island_of[body] {
                self.islands[island].moving |= self.moving[body];
            }
            self.omitted[body] = self.bodies[body].omitted() as u64;
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
        self.health.omitted = self.omitted.iter().sum();
        if inspect && self.drop_below > 0.0 {
            let below = self.drop_below * self.energy();
            for body in 0..self.bodies.len() {
                if !self.attended[body] {
                    self.health.shed += self.bodies[body].shed(below) as u64;
                }
            }
        }
        self.plan_sleep();
        for body in 0..self.bodies.len() {
            if !self.quiet[body] && !self.attended[body] && !self.moving[body] && !self.pushed[body] {
                self.quiet[body] = self.bodies[body].rests();
            }
        }
    }

    /// The same where nothing moves: it is counted. `[audio]`
    pub fn pass_control(&mut self) {
        self.controls += 1;
    }

    /// True if all contacts sleep and all bodies rest, or are `unheard`: hands that are held still, masses that fly off. `[audio]`
    pub fn is_calm(&self, unheard: impl Fn(usize) -> bool) -> bool {
        let held = |body: usize| self.rigid[body] && self.bodies[body].rests();
        let alone = |body: usize| held(body) || (!self.pushed[body] && self.flies_off(body));
        let calm = |body: usize| (self.quiet[body] && !self.pushed[body]) || (alone(body) && unheard(body));
        self.islands.is_empty() && (0..self.bodies.len()).all(calm) && self.contacts.iter().all(|c| !c.awake)
    }

    /// True for a mass that nothing pulls and that flies away from all that it could meet, if that stays where it is.
    fn flies_off(&self, body: usize) -> bool {
        let velocity = self.bodies[body].velocity(0);
        let leaves = |c: &Contact| if c.a.body == body { velocity < 0.0 } else { velocity > 0.0 };
        let meets = |c: &&Contact| c.joined && !c.law.is_tangential() && c.touches(body);
        self.bodies[body].drifts() && self.contacts.iter().filter(meets).all(leaves)
    }

    /// Decides which contacts may sleep until the next control tick, by [sleep.1].
    pub(super) fn plan_sleep(&mut self) {
        let horizon = CONTROL_TICKS as Real * self.sample_s;
        let mut changed = false;
        // What is pressed by others follows them.
        for pressed in [false, true] {
            for index in 0..self.contacts.len() {
                let settled = !self.contacts[index].joined || (self.dormant[index] && !self.restless[index]);
                if settled || self.contacts[index].law.presser().is_some() != pressed {
                    continue;
                }
                self.pass_surface(index);
                let apart = self.is_apart(index, horizon);
                if apart && self.contacts[index].awake {
                    self.fall_asleep(index);
                    changed = true;
                } else if !apart && !self.contacts[index].awake {
                    self.wake(index);
                    changed = true;
                }
            }
        }
        if changed {
            self.regroup();
        }
        // A sleeper beside a body that others push: bound its reach by the energy of the island.
        let beside = |c: &Contact| self.island_of[c.a.body].is_some() || self.island_of[c.b.body].is_some();
        let may_meet = |c: &Contact| !c.awake && c.joined && !c.law.is_tangential() && beside(c);
        if !self.contacts.iter().zip(&self.dormant).any(|(c, dormant)| !dormant && may_meet(c)) {
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
                let tangential = self.contacts[index].law.is_tangential();
                if !awake
                    && !tangential
                    && disturbed
                    && self.contacts[index].joined
                    && !is_below(reach(a), reach(b), self.gap_needed(index))
                {
                    self.wake(index);
                    woken = true;
                }
            }
            if !woken {
                break;
            }
            self.regroup();
            self.wake_pressed();
            for island in 0..self.islands.len() {
                self.energy_of[island] = self.island_energy(island);
            }
        }
        self.release_idle();
    }

    /// True if a contact certainly does nothing until the next control tick. [sleep.1] [sleep.2]
    fn is_apart(&self, index: usize, horizon: Real) -> bool {
        let contact = &self.contacts[index];
        let (a, b) = (contact.a, contact.b);
        if contact.watched {
            return false;
        }
        if let Law::Tangential { law, pressed_by } = &contact.law {
            return match pressed_by {
                PressedBy::Parameter => law.normal_n() == 0.0 && !self.restless[index],
                PressedBy::Contact(presser) => !self.contacts[*presser].awake,
            };
        }
        if (contact.awake && contact.law.engages(contact.compression, 0.0))
            || self.pushed[a.body]
            || self.pushed[b.body]
        {
            return false;
        }
        let range = |site: Site| self.bodies[site.body].range(site.port, horizon);
        let gap = self.gap_needed(index);
        gap.is_finite() && is_below(range(a), range(b), gap)
    }

    /// Gap between the bodies beyond which a contact certainly does nothing, m; infinite: it may not sleep.
    fn gap_needed(&self, index: usize) -> Real {
        let contact = &self.contacts[index];
        let above = match &contact.texture {
            None => 0.0,
            Some(Roughness { travel: Some(body), .. }) if self.stands(*body) => contact.height,
            Some(rough) => HIGHEST * rough.height_m,
        };
        contact.law.reach_m() + above
    }

    /// True for a wall, and for a hand that is held still.
    fn stands(&self, body: usize) -> bool {
        self.rigid[body] && !self.pushed[body] && self.bodies[body].velocity(0) == 0.0
    }

    /// A contact does nothing from here on; the place of its surface is remembered.
    pub(super) fn fall_asleep(&mut self, index: usize) {
        let distance = self.distance(index);
        let c = &mut self.contacts[index];
        (c.awake, c.force, c.iterations, c.compression) = (false, 0.0, 0, distance);
        c.law.reset();
        if let Law::Tangential { law, pressed_by } = &mut c.law {
            match pressed_by {
                PressedBy::Parameter => self.dormant[index] = c.texture.is_none(),
                PressedBy::Contact(_) => law.set_normal(0.0),
            }
        }
        if let Some(Roughness { travel: Some(body), left_at, .. }) = &mut self.contacts[index].texture {
            *left_at = self.bodies[*body].position(0);
        }
        self.pass_surface(index);
    }

    /// A sleeper's surface is drawn as it passes, so that waking meets what would have been met.
    fn pass_surface(&mut self, index: usize) {
        let contact = &self.contacts[index];
        let Some(texture) = contact.texture.as_ref().filter(|_| !contact.awake) else { return };
        let travel = match texture.travel {
            None => contact.travelled + (self.distance(index) - contact.compression),
            Some(body) if self.rigid[body] => texture.way + (self.bodies[body].position(0) - texture.left_at),
            Some(body) => self.bodies[body].position(0),
        };
        if let Some(texture) = &mut self.contacts[index].texture {
            texture.surface.height(travel);
        }
    }

    /// What is pressed by a contact that is awake is awake.
    fn wake_pressed(&mut self) {
        let mut woken = false;
        for index in 0..self.contacts.len() {
            let c = &self.contacts[index];
            if !c.awake && c.joined && c.law.presser().is_some_and(|presser| self.contacts[presser].awake) {
                self.wake(index);
                woken = true;
            }
        }
        if woken {
            self.regroup();
        }
    }

    /// A contact that slept because nothing pressed it is about to be pressed. `[audio]`
    pub fn rouse(&mut self, contact: usize) {
        let c = &self.contacts[contact];
        if !c.awake && c.joined && c.law.is_tangential() && c.law.presser().is_none() {
            self.wake(contact);
            self.regroup();
        }
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
        #[cfg(test)]
        {
            self.regroups += 1;
        }
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
        // How many contacts and bodies each group has, by its first body; then where they begin; then each to its place.
        let [contacts, bodies] = &mut self.places;
        contacts.fill(0);
        bodies.fill(0);
        for contact in self.contacts.iter().filter(|c| c.awake) {
            contacts[root(&mut self.parent, contact.yielding(&self.rigid))] += 1;
        }
        for body in 0..n {
            let head = root(&mut self.parent, body);
            bodies[head] += usize::from(!self.rigid[head] && (contacts[head] > 0 || self.pushed[body]));
        }
        let (mut matrix, mut linked, mut members) = (0, 0, 0);
        for head in 0..n {
            if bodies[head] > 0 {
                let size = contacts[head];
                self.islands.push(Island {
                    bodies: (members, members + bodies[head]),
                    contacts: (linked, linked + size),
                    level: LEVELS,
                    matrix,
                    fresh: false,
                    moving: false,
                    relabels: false,
                });
                self.island_of[head] = Some(self.islands.len() - 1);
                (matrix, linked, members) = (matrix + size * size, linked + size, members + bodies[head]);
            }
        }
        self.linked.resize(linked, 0);
        self.members.resize(members, 0);
        for (island, group) in self.islands.iter().enumerate() {
            (contacts[island], bodies[island]) = (group.contacts.0, group.bodies.0);
        }
        for (index, contact) in self.contacts.iter().enumerate().filter(|(_, c)| c.awake) {
            let head = root(&mut self.parent, contact.yielding(&self.rigid));
            if let Some(island) = self.island_of[head] {
                self.linked[contacts[island]] = index;
                contacts[island] += 1;
            }
        }
        for body in 0..n {
            if let Some(island) = self.island_of[root(&mut self.parent, body)] {
                self.members[bodies[island]] = body;
                bodies[island] += 1;
                self.islands[island].moving |= self.moving[body];
                self.islands[island].relabels |= self.relabels[body];
            }
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
    let press = contact.law.presser().filter(|&press| all[press].joined);
    let press = press.map(|press| [contact.yielding(rigid), all[press].yielding(rigid)]);
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
