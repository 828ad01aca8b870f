// SPDX-License-Identifier: MIT OR Apache-2.0
//! The world of a scene: bodies, contacts, and which of them need attention.
//!
//! **What.** Contacts that might close before the next control tick are *awake*; awake contacts that share a yielding
//! body form an *island* and are solved together, sample by sample, with a common number of sub-steps. Everything else
//! is certainly apart: its bodies run free, in blocks.
//!
//! **Law.** `[world.1]` A contact may sleep if the highest place its first port can reach lies below the lowest place
//! of its second. A free mode never exceeds its present amplitude; a mass flies its parabola; and a body that others
//! push cannot move a port further than `sqrt(2 E C)`, E the energy of its island and C the port's static flexibility.
//! `[world.2]` The ledger: energy of bodies and laws minus the work of outsiders never rises.
//!
//! **Step.** Sleep is decided at control ticks and ended at once by commands; both are ticks that the host's block size
//! does not move, so neither is audible in any bit.
//!
//! **Sources.** physics.md D.8, H3, H8; 004.

use super::coupled::{self, Scratch};
use super::{Contact, Site};
use crate::interactor::{Solution, Stroke};
use crate::math::{Real, exp, expm1, ln_1p};
use crate::resonator::{CONTROL_TICKS, LEVELS, Reading, Resonator};
use crate::texture::Texture;

/// How the simulation is doing: totals since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Contact solves (one per island and sub-step that touched).
    pub solves: u64,
    /// Law evaluations in them.
    pub iterations: u64,
    /// Most evaluations in one scalar solve.
    pub most_iterations: u64,
    /// Solves that ended at their bound.
    pub unconverged: u64,
    /// Coupled solves that needed the fallback.
    pub fallbacks: u64,
    /// Commands refused (not a number, no such thing).
    pub refused: u64,
    /// Values clamped to their parameter's range.
    pub clamped: u64,
    /// Bodies reset because their energy was no longer a number.
    pub reset: u64,
    /// Modes silenced by a live retune past Nyquist, at present.
    pub omitted: u64,
}

impl Health {
    fn count(&mut self, found: &Solution) {
        self.solves += 1;
        self.iterations += u64::from(found.iterations);
        self.most_iterations = self.most_iterations.max(u64::from(found.iterations));
        self.unconverged += u64::from(!found.converged);
    }
}

struct Island {
    bodies: (usize, usize),
    contacts: (usize, usize),
    level: usize,
    matrix: usize,
    /// The matrix holds for the present level and shapes.
    fresh: bool,
}

/// Bodies and contacts with their ledger.
pub struct World {
    /// Sample interval, s.
    sample_s: Real,
    /// All bodies.
    pub bodies: Vec<Box<dyn Resonator>>,
    /// All contacts.
    pub contacts: Vec<Contact>,
    /// External forces per body and port, N, held during a sample.
    forces: Vec<Vec<Real>>,
    /// Bodies with a force acting or about to.
    pushed: Vec<bool>,
    attended: Vec<bool>,
    /// Walls and guided bodies: they yield to nothing, couple nothing and are never part of an island.
    rigid: Vec<bool>,
    island_of: Vec<Option<usize>>,
    /// Bodies linked through contacts, however far: what a disturbance can reach.
    cluster: Vec<usize>,
    islands: Vec<Island>,
    members: Vec<usize>,
    linked: Vec<usize>,
    parent: Vec<usize>,
    energy_of: Vec<Real>,
    matrix: Vec<Real>,
    scratch: Scratch,
    /// Work of outsiders that no body books itself, J.
    work: Real,
    /// Counters.
    pub health: Health,
    /// Largest sub-step level allowed.
    pub max_level: usize,
}

/// Pairs of bodies that a contact makes one: its partners, unless one is rigid, and what presses it.
fn links(contact: &Contact, all: &[Contact], rigid: &[bool]) -> [Option<[usize; 2]>; 2] {
    let partners = (!rigid[contact.a.body] && !rigid[contact.b.body]).then_some([contact.a.body, contact.b.body]);
    let press = contact.normal_from.map(|press| [contact.yielding(rigid), all[press].yielding(rigid)]);
    [partners, press]
}

fn root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}

impl World {
    /// Bodies and contacts, all awake. `[control]`
    pub fn new(bodies: Vec<Box<dyn Resonator>>, contacts: Vec<Contact>, sample_s: Real) -> Self {
        let n = bodies.len();
        let rigid: Vec<bool> = bodies.iter().map(|b| (0..b.ports()).all(|p| b.inverse_mass(p) == 0.0)).collect();
        let mut parent: Vec<usize> = (0..n).collect();
        for contact in &contacts {
            for [a, b] in links(contact, &contacts, &rigid).into_iter().flatten() {
                let (a, b) = (root(&mut parent, a), root(&mut parent, b));
                parent[a] = b;
            }
        }
        let cluster: Vec<usize> = (0..n).map(|i| root(&mut parent, i)).collect();
        let mut in_cluster = vec![0usize; n];
        for contact in &contacts {
            in_cluster[cluster[contact.yielding(&rigid)]] += 1;
        }
        let largest = in_cluster.iter().copied().max().unwrap_or(0);
        let room = in_cluster.iter().map(|c| c * c).sum();
        let mut world = Self {
            sample_s,
            forces: bodies.iter().map(|b| vec![0.0; b.ports()]).collect(),
            pushed: vec![false; n],
            attended: vec![true; n],
            rigid,
            island_of: vec![None; n],
            cluster,
            islands: Vec::with_capacity(n),
            members: Vec::with_capacity(n),
            linked: Vec::with_capacity(contacts.len()),
            parent,
            energy_of: vec![0.0; n],
            matrix: vec![0.0; room],
            scratch: Scratch::new(largest),
            work: 0.0,
            health: Health::default(),
            max_level: LEVELS - 1,
            bodies,
            contacts,
        };
        for index in 0..world.contacts.len() {
            world.contacts[index].compression = world.distance(index);
            world.estimate(index);
        }
        world.regroup();
        world
    }

    /// Most contacts that can ever be solved together. `[control]`
    pub fn largest_cluster(&self) -> usize {
        self.scratch.s0.len()
    }

    /// Energy of all bodies and laws, J.
    pub fn energy(&self) -> Real {
        let bodies: Real = self.bodies.iter().map(|b| b.energy()).sum();
        bodies + self.contacts.iter().map(stored).sum::<Real>()
    }

    /// Work of all outsiders since the start, J; energy minus this never rises. [world.2]
    pub fn work(&self) -> Real {
        self.work + self.bodies.iter().map(|b| b.work()).sum::<Real>()
    }

    /// True while the body is stepped by an island.
    pub fn in_island(&self, body: usize) -> bool {
        self.island_of[body].is_some()
    }

    /// True while an external force acts on the body.
    pub fn is_pushed(&self, body: usize) -> bool {
        self.pushed[body]
    }

    /// Number of islands at present.
    pub fn islands(&self) -> usize {
        self.islands.len()
    }

    /// Bodies of an island.
    pub fn island_bodies(&self, island: usize) -> &[usize] {
        let (from, to) = self.islands[island].bodies;
        &self.members[from..to]
    }

    /// Contacts of an island.
    pub fn island_contacts(&self, island: usize) -> &[usize] {
        let (from, to) = self.islands[island].contacts;
        &self.linked[from..to]
    }

    /// Moves a body that no island steps, as a block of samples. `[audio]`
    pub fn ring(&mut self, body: usize, ticks: usize, readings: &mut [Reading]) {
        self.release(body);
        self.bodies[body].ring(ticks, readings);
    }

    /// Sets the external force at a port for the coming sample, N. The body must have been told by [`World::lean`].
    pub fn set_force(&mut self, site: Site, force_n: Real) {
        self.forces[site.body][site.port] = force_n;
    }

    /// A force begins to act on a body, or no force acts on it any more.
    pub fn lean(&mut self, body: usize, acting: bool) {
        if self.pushed[body] != acting {
            self.pushed[body] = acting;
            self.disturb(body);
        }
    }

    /// position(a) - position(b) from the bodies themselves, both attended or rigid.
    fn distance(&self, contact: usize) -> Real {
        let Contact { a, b, height, .. } = self.contacts[contact];
        self.bodies[a.body].position(a.port) - self.bodies[b.body].position(b.port) + height // [contact.2]
    }

    fn estimate(&mut self, contact: usize) {
        let Contact { a, b, .. } = self.contacts[contact];
        let inverse = self.bodies[a.body].inverse_mass(a.port) + self.bodies[b.body].inverse_mass(b.port);
        self.contacts[contact].estimate(inverse, self.sample_s);
    }

    /// Sets a parameter of a body; what that adds or takes is booked as work. `[audio]`
    pub fn tune_body(&mut self, body: usize, index: usize, value: Real) {
        let before = self.bodies[body].energy();
        self.bodies[body].set(index, value);
        self.work += self.bodies[body].energy() - before;
        self.stale(body);
        for contact in 0..self.contacts.len() {
            if self.contacts[contact].touches(body) {
                self.estimate(contact);
            }
        }
    }

    /// Sets a parameter of a contact; what that adds or takes is booked as work. `[audio]`
    pub fn tune_contact(&mut self, contact: usize, index: usize, value: Real) {
        let before = stored(&self.contacts[contact]);
        self.contacts[contact].law.set(index, value);
        self.work += stored(&self.contacts[contact]) - before;
        self.estimate(contact);
    }

    /// Sets a mass in motion from zero gap to the nearest port it may touch. False if the body is not a mass. `[audio]`
    pub fn strike(&mut self, body: usize, velocity_m_s: Real) -> bool {
        if self.bodies[body].as_mass().is_none() {
            return false;
        }
        self.disturb(body);
        let before = self.around(body);
        let here = self.bodies[body].position(0);
        let mut nearest = None;
        for (index, contact) in self.contacts.iter().enumerate() {
            if let Some(other) = contact.partner(body) {
                let there = self.bodies[other.body].position(other.port);
                if nearest.is_none_or(|(gap, _, _)| (there - here).abs() < gap) {
                    nearest = Some(((there - here).abs(), there, index));
                }
            }
        }
        let place = nearest.map_or(here, |(_, there, _)| there);
        if let Some(mass) = self.bodies[body].as_mass() {
            mass.place(place, velocity_m_s);
        }
        for index in 0..self.contacts.len() {
            if self.contacts[index].touches(body) {
                let at_nearest = nearest.is_some_and(|(_, _, n)| n == index);
                let gap = if at_nearest { 0.0 } else { self.distance(index) };
                self.contacts[index].restart(gap);
                self.contacts[index].law.reset();
            }
        }
        self.work += self.around(body) - before;
        true
    }

    /// An ideal impulse at a site. False if the body cannot take one. `[audio]`
    pub fn hit(&mut self, site: Site, impulse_n_s: Real) -> bool {
        if self.rigid[site.body] {
            return false;
        }
        self.disturb(site.body);
        let before = self.bodies[site.body].energy();
        let taken = self.bodies[site.body].hit(site.port, impulse_n_s);
        self.work += self.bodies[site.body].energy() - before;
        taken
    }

    /// Energy of a body and of the contacts at it.
    fn around(&self, body: usize) -> Real {
        let laws: Real = self.contacts.iter().filter(|c| c.touches(body)).map(stored).sum();
        self.bodies[body].energy() + laws
    }

    fn stale(&mut self, body: usize) {
        if let Some(island) = self.island_of[body] {
            self.islands[island].fresh = false;
        }
    }

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

    fn attend(&mut self, body: usize) {
        if !self.attended[body] {
            self.bodies[body].attend();
            self.attended[body] = true;
        }
    }

    fn wake(&mut self, contact: usize) {
        let Contact { a, b, .. } = self.contacts[contact];
        self.attend(a.body);
        self.attend(b.body);
        let distance = self.distance(contact);
        let c = &mut self.contacts[contact];
        c.restart(distance);
        (c.awake, c.level, c.level_until) = (true, c.fixed.unwrap_or(0), 0);
    }

    /// At a control tick: flush, check, decide who sleeps. `[audio]`
    pub fn control(&mut self) {
        self.health.omitted = 0;
        for body in 0..self.bodies.len() {
            self.health.omitted += self.bodies[body].omitted() as u64;
            if !self.bodies[body].settle() {
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
        self.plan();
    }

    /// Decides which contacts may sleep until the next control tick, by [world.1].
    fn plan(&mut self) {
        let horizon = CONTROL_TICKS as Real * self.sample_s;
        let mut changed = false;
        for index in 0..self.contacts.len() {
            let (a, b) = (self.contacts[index].a, self.contacts[index].b);
            let closed =
                self.contacts[index].awake && self.contacts[index].law.engages(self.contacts[index].compression, 0.0);
            let apart = !closed
                && !self.contacts[index].watched
                && self.contacts[index].law.is_monotone()
                && self.contacts[index].texture.is_none()
                && self.contacts[index].law.is_rested()
                && !self.pushed[a.body]
                && !self.pushed[b.body]
                && clear(self.bodies[a.body].range(a.port, horizon), self.bodies[b.body].range(b.port, horizon));
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
        loop {
            let mut woken = false;
            for index in 0..self.contacts.len() {
                let Contact { a, b, awake, .. } = self.contacts[index];
                let disturbed = self.island_of[a.body].is_some() || self.island_of[b.body].is_some();
                if !awake && disturbed && !clear(self.reach(a, horizon), self.reach(b, horizon)) {
                    self.wake(index);
                    woken = true;
                }
            }
            if !woken {
                break;
            }
            self.regroup();
        }
        for body in 0..self.bodies.len() {
            if self.island_of[body].is_none() {
                self.release(body);
            }
        }
    }

    fn release(&mut self, body: usize) {
        if self.attended[body] {
            self.bodies[body].release();
            self.attended[body] = false;
        }
    }

    /// Range of a port within the horizon, whether or not its body is being pushed about.
    fn reach(&self, site: Site, horizon: Real) -> (Real, Real) {
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
    fn regroup(&mut self) {
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
                if contact.awake {
                    if root(&mut self.parent, contact.yielding(&self.rigid)) == head {
                        self.linked.push(index);
                    }
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
            self.energy_of[island] = self.island_energy(island);
        }
    }

    /// Energy an island can have before the next control tick, J; infinite if someone outside may add to it.
    fn island_energy(&self, island: usize) -> Real {
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
                if body.gravity() != 0.0 || (self.rigid[site.body] && body.velocity(0) != 0.0) {
                    return Real::INFINITY;
                }
            }
        }
        energy
    }

    fn stroke_of(&mut self, site: Site, dt: Real) -> Real {
        if self.rigid[site.body] {
            dt * self.bodies[site.body].velocity(0)
        } else {
            self.bodies[site.body].free_stroke(site.port)
        }
    }

    /// One sample of an island. `[audio]`
    pub fn step(&mut self, island: usize, tick: u64) {
        let (from, to) = self.islands[island].contacts;
        if to - from == 1 {
            let index = self.linked[from];
            if self.contacts[index].exact {
                self.step_exact(index);
                return;
            }
            if self.step_one(island, index, tick) {
                return;
            }
        }
        if self.islands[island].level >= LEVELS {
            self.divide(island, 0);
        }
        for at in from..to {
            self.read_surface(self.linked[at]);
        }
        self.push_outside(island);
        let mut dt = self.sample_s / (1u32 << self.islands[island].level) as Real;
        self.predict(from, to, dt);
        let mut level = 0;
        let mut struck = false;
        for at in from..to {
            let index = self.linked[at];
            let s0 = self.scratch.s0[at - from];
            let contact = &mut self.contacts[index];
            (contact.force, contact.iterations) = (0.0, 0);
            let touching = contact.law.engages(contact.compression, s0 * (self.sample_s / dt));
            if touching {
                struck |= self.touch(index, tick);
            }
            level = level.max(self.contacts[index].want_level(touching, s0, dt, tick));
        }
        level = level.min(self.max_level);
        if struck || level != self.islands[island].level {
            self.divide(island, level);
            let ratio = dt;
            dt = self.sample_s / (1u32 << level) as Real;
            for at in from..to {
                let contact = &mut self.contacts[self.linked[at]];
                contact.stroke *= dt / ratio;
                contact.before = contact.stroke;
            }
            self.predict(from, to, dt);
        }
        let steps = 1u32 << level;
        for step in 0..steps {
            if step > 0 {
                self.push_outside(island);
                self.predict(from, to, dt);
            }
            self.solve(island, dt, 1.0 / steps as Real);
        }
    }

    /// Reads the surface of a contact where it stands now. A height shifts the compression, which is work of outsiders;
    /// the roughness of friction is the law's to scale.
    fn read_surface(&mut self, index: usize) {
        let contact = &mut self.contacts[index];
        let Some(texture) = &mut contact.texture else { return };
        let travel = texture.travel.map_or(contact.travelled, |body| self.bodies[body].position(0));
        let height = texture.surface.height(travel);
        if contact.law.is_monotone() {
            let before = contact.law.energy(contact.compression);
            contact.compression += texture.height_m * height - contact.height;
            contact.height = texture.height_m * height;
            self.work += contact.law.energy(contact.compression) - before;
        } else {
            contact.law.set_roughness(height);
        }
    }

    /// One sample of an island of one lasting contact at the present level: what [`World::step`] does, without its
    /// loops. False, with nothing done, if anything else is the case. Most samples of most contacts come this way.
    fn step_one(&mut self, island: usize, index: usize, tick: u64) -> bool {
        let group = &self.islands[island];
        if group.level != 0 || !group.fresh || self.max_level < group.level {
            return false;
        }
        let (dt, label) = (self.sample_s, self.matrix[group.matrix]);
        let contact = &mut self.contacts[index];
        let (a, b) = (contact.a, contact.b);
        let plain = contact.texture.is_none() && contact.normal_from.is_none() && contact.last_touch.is_some();
        if !plain || !contact.law.engages(contact.compression, 0.0) {
            return false;
        }
        let rigid = [self.rigid[a.body], self.rigid[b.body]];
        let Ok([first, second]) = self.bodies.get_disjoint_mut([a.body, b.body]) else { return false };
        let mut speeds = [0.0; 2];
        let mut strokes = [0.0; 2];
        for (side, (body, site)) in [(&mut *first, a), (&mut *second, b)].into_iter().enumerate() {
            if rigid[side] {
                speeds[side] = body.velocity(0);
                strokes[side] = dt * speeds[side];
                continue;
            }
            if self.pushed[site.body] {
                for (port, &force) in self.forces[site.body].iter().enumerate() {
                    if force != 0.0 {
                        body.push(port, force);
                    }
                }
            }
            strokes[side] = body.free_stroke(site.port);
        }
        let s0 = strokes[0] - strokes[1];
        if contact.want_level(true, s0, dt, tick).min(self.max_level) != 0 {
            for body in [first, second] {
                body.unpush();
            }
            return false;
        }
        contact.last_touch = Some(tick);
        contact.law.prepare(contact.compression, dt);
        let found = contact.law.resolve(contact.compression, s0, label, dt, contact.guess());
        let force = found.force;
        for (side, (body, site)) in [(first, a), (second, b)].into_iter().enumerate() {
            let own = if side == 0 { -force } else { force };
            if rigid[side] {
                self.work -= own * speeds[side] * dt;
                continue;
            }
            body.push(site.port, own);
            if self.pushed[site.body] {
                for (port, &outside) in self.forces[site.body].iter().enumerate() {
                    if outside != 0.0 {
                        self.work += outside * body.free_stroke(port);
                    }
                }
            }
            body.commit();
        }
        contact.advance(Stroke { from: contact.compression, by: found.stroke, dt }, force);
        (contact.force, contact.iterations) = (force, found.iterations);
        self.health.count(&found);
        true
    }

    /// Notes that a contact touches; at the first touch after a pause both partners may redraw where they are struck.
    fn touch(&mut self, index: usize, tick: u64) -> bool {
        let pause = (0.005 / self.sample_s) as u64;
        let contact = &mut self.contacts[index];
        let new = contact.last_touch.is_none_or(|last| tick > last + pause);
        contact.last_touch = Some(tick);
        if new {
            for site in [contact.a, contact.b] {
                self.bodies[site.body].restrike(site.port, &mut contact.rng);
            }
        }
        new
    }

    fn divide(&mut self, island: usize, level: usize) {
        let (from, to) = self.islands[island].bodies;
        for at in from..to {
            self.bodies[self.members[at]].divide(level);
        }
        self.islands[island].level = level;
        self.islands[island].fresh = false;
    }

    fn push_outside(&mut self, island: usize) {
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

    fn predict(&mut self, from: usize, to: usize, dt: Real) {
        for at in from..to {
            let Contact { a, b, .. } = self.contacts[self.linked[at]];
            self.scratch.s0[at - from] = self.stroke_of(a, dt) - self.stroke_of(b, dt);
        }
    }

    /// Fills the island's matrix L of [coupled.1].
    fn label(&mut self, island: usize) {
        let (from, to) = self.islands[island].contacts;
        let (n, base) = (to - from, self.islands[island].matrix);
        for c in 0..n {
            for d in 0..n {
                let (first, second) = (&self.contacts[self.linked[from + c]], &self.contacts[self.linked[from + d]]);
                let mut label = 0.0;
                for (one, sign_one) in [(first.a, 1.0), (first.b, -1.0)] {
                    for (two, sign_two) in [(second.a, 1.0), (second.b, -1.0)] {
                        if one.body == two.body && !self.rigid[one.body] {
                            label += sign_one * sign_two * self.bodies[one.body].compliance(one.port, two.port);
                        }
                    }
                }
                self.matrix[base + c * n + d] = label;
            }
        }
        self.islands[island].fresh = true;
    }

    /// Solve, push, commit: one sub-step.
    fn solve(&mut self, island: usize, dt: Real, share: Real) {
        let (from, to) = self.islands[island].contacts;
        let n = to - from;
        let (mut touching, mut falling) = (false, false);
        for at in from..to {
            let contact = &mut self.contacts[self.linked[at]];
            contact.law.prepare(contact.compression, dt);
            touching |= contact.law.engages(contact.compression, self.scratch.s0[at - from]);
            falling |= !contact.law.is_monotone();
        }
        if touching {
            if !self.islands[island].fresh {
                self.label(island);
            }
            let base = self.islands[island].matrix;
            if n == 1 {
                let contact = &mut self.contacts[self.linked[from]];
                let s0 = self.scratch.s0[0];
                let found = contact.law.resolve(contact.compression, s0, self.matrix[base], dt, contact.guess());
                contact.iterations += found.iterations;
                self.health.count(&found);
                (self.scratch.strokes[0], self.scratch.forces[0]) = (found.stroke, found.force);
            } else {
                let (matrix, members) = (&self.matrix[base..base + n * n], &self.linked[from..to]);
                let found = if falling {
                    coupled::sweep(&mut self.contacts, members, matrix, dt, &mut self.scratch)
                } else {
                    coupled::solve(&self.contacts, members, matrix, dt, &mut self.scratch)
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
                self.press(a, -force, dt);
                self.press(b, force, dt);
            }
            let contact = &mut self.contacts[index];
            self.work -= contact.law.outside_force() * by;
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
                        self.work += force * self.bodies[body].free_stroke(port);
                    }
                }
            }
            self.bodies[body].commit();
        }
    }

    fn press(&mut self, site: Site, force: Real, dt: Real) {
        if self.rigid[site.body] {
            self.work -= force * self.bodies[site.body].velocity(0) * dt;
        } else {
            self.bodies[site.body].push(site.port, force);
        }
    }

    /// Mass against wall or mass with the rebound of the closed form at any step (physics.md D.6, H11).
    ///
    /// `[exact.1]` With u = ln(1 + mu v)/mu the law is Hamiltonian: x' = (e^(mu u) - 1)/mu, m u' = -V'(x). Discrete
    /// gradient: `s/h = (e^(mu u0) expm1(d)/d - 1)/mu`, `m d/(mu h) = -(V(x+s) - V(x))/s`, d = mu (u1 - u0).
    /// Gravity and forces act as half kicks before and after (Strang), so free flight is exact too.
    fn step_exact(&mut self, index: usize) {
        let Contact { a, b, compression: x, .. } = self.contacts[index];
        let h = self.sample_s;
        let mut side = |site: Site| {
            let force = self.forces[site.body][site.port];
            let pushed = self.pushed[site.body] && force != 0.0;
            match self.bodies[site.body].as_mass() {
                Some(mass) => {
                    if pushed {
                        mass.push(0, force);
                    }
                    (1.0 / mass.mass_kg(), mass.acceleration(), mass.velocity(0), if pushed { force } else { 0.0 })
                }
                None => (0.0, 0.0, self.bodies[site.body].velocity(0), 0.0),
            }
        };
        let (inv_a, acc_a, mut v_a, f_a) = side(a);
        let (inv_b, acc_b, mut v_b, f_b) = side(b);
        v_a += 0.5 * h * acc_a;
        v_b += 0.5 * h * acc_b;
        let v = v_a - v_b;
        let (mass, centre) = (1.0 / (inv_a + inv_b), (v_a * inv_b + v_b * inv_a) / (inv_a + inv_b));
        let contact = &mut self.contacts[index];
        (contact.force, contact.iterations) = (0.0, 0);
        let mu = contact.law.get(2);
        let (mut stroke, mut after) = (h * v, v);
        if (x > 0.0 || x + stroke > 0.0) && 1.0 + mu * v > 0.0 {
            let elastic = |s: Real| {
                // The law without loss: its mean force over the stroke. Loss enters through u alone.
                let f = contact.law.force(Stroke { from: x, by: s, dt: h });
                let speed = 1.0 + mu * s / h;
                if speed > 0.0 { f.n / speed } else { 0.0 }
            };
            let moved = |d: Real| {
                let mean = if d.abs() < 1e-8 { 1.0 + 0.5 * d } else { expm1(d) / d };
                if mu > 0.0 { h * ((1.0 + mu * v) * mean - 1.0) / mu } else { h * (v + 0.5 * d) }
            };
            // Without loss, d stands for the change of v itself (mu -> 0).
            let unit = if mu > 0.0 { mu } else { 1.0 };
            let miss = |d: Real| mass * d / (unit * h) + elastic(moved(d));
            // The force cannot be adhesive: d <= 0. At d = low the mass leaves faster than any rebound.
            let mut high = 0.0;
            let mut low = if mu > 0.0 { -ln_1p(mu * v.abs().max(1e-300)) - 1.0 } else { -2.0 * v.abs() - 1e-300 };
            let mut widen = 0;
            while miss(low) > 0.0 && widen < 60 {
                low *= 2.0;
                widen += 1;
            }
            // Illinois variant of the false position: bracketed, no derivative, superlinear.
            let (mut f_low, mut f_high) = (miss(low), miss(high));
            let (mut d, mut last, mut side) = (high, low, 0);
            let mut count = 2 + widen;
            let small = 1e-15 * (f_low.abs() + f_high.abs());
            while f_high > 0.0 && count < 100 && (d - last).abs() > 2e-16 * d.abs() {
                last = d;
                d = (low * f_high - high * f_low) / (f_high - f_low);
                let f = miss(d);
                count += 1;
                if f.abs() <= small {
                    break;
                } else if f < 0.0 {
                    (low, f_low) = (d, f);
                    f_high *= if side < 0 { 0.5 } else { 1.0 };
                    side = -1;
                } else {
                    (high, f_high) = (d, f);
                    f_low *= if side > 0 { 0.5 } else { 1.0 };
                    side = 1;
                }
            }
            stroke = moved(d);
            after = if mu > 0.0 { v * exp(d) + expm1(d) / mu } else { v + d };
            self.health.solves += 1;
            self.health.iterations += u64::from(count);
            self.health.unconverged += u64::from(count >= 100);
            contact.iterations = count;
            contact.force = mass * (v - after) / h;
        }
        contact.compression += stroke;
        contact.stroke = stroke;
        for (site, inverse, sign, acceleration, force) in [(a, inv_a, 1.0, acc_a, f_a), (b, inv_b, -1.0, acc_b, f_b)] {
            if let Some(body) = self.bodies[site.body].as_mass() {
                let part = sign * inverse * mass;
                let by = h * centre + part * stroke;
                body.carry(by, centre + part * after + 0.5 * h * acceleration);
                self.work += force * by;
            }
        }
    }
}

impl Contact {
    /// The partner that yields, the first if both do.
    fn yielding(&self, rigid: &[bool]) -> usize {
        if rigid[self.a.body] { self.b.body } else { self.a.body }
    }

    fn touches(&self, body: usize) -> bool {
        self.a.body == body || self.b.body == body
    }

    fn partner(&self, body: usize) -> Option<Site> {
        if self.a.body == body {
            Some(self.b)
        } else if self.b.body == body {
            Some(self.a)
        } else {
            None
        }
    }
}

fn stored(contact: &Contact) -> Real {
    if contact.awake { contact.law.energy(contact.compression) } else { 0.0 }
}

/// True if the first range certainly lies below the second.
fn clear(a: (Real, Real), b: (Real, Real)) -> bool {
    a.1 + 1e-9 * (a.1.abs() + b.0.abs()) + 1e-12 < b.0
}
