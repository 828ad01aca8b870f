// SPDX-License-Identifier: MIT OR Apache-2.0
//! The world of a scene.
//!
//! **What.** Bodies, contacts and the forces of outsiders, with the ledger of their energy.
//!
//! **Law.** `[world.1]` The ledger: energy of bodies and laws minus the work of outsiders never rises.
//!
//! `[vary.1]  v exp(0.2 a x) cos(0.35 a y)`, `k exp(0.5 a z)`: speed and stiffness of a stroke whose hammer has a = `vary_01`, with
//! x, y, z Gaussian, within 2.5, drawn anew for each; the place falls aside as by `jitter_01` = 0.3 a.
//!
//! **Sources.** physics.md D.8, H3, H8; Rath 2004.

use super::coupled::{MAX_CONTACTS, Scratch};
use super::join::find_clusters;
use super::{Contact, Law, Site, StepRule};
use crate::interactor::Solution;
use crate::math::{Real, cos, exp};
use crate::reserve::Reserve;
use crate::resonator::kernel::Path;
use crate::resonator::{LEVELS, Motion, Reading, Resonator};

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
    /// Times that a quiet mode was silenced to save time.
    pub shed: u64,
    /// Events of processes that were asked for beyond what is allowed, and left out.
    pub capped: u64,
}

impl Health {
    /// Both together.
    pub(crate) fn and(&self, other: &Health) -> Health {
        Health {
            solves: self.solves + other.solves,
            iterations: self.iterations + other.iterations,
            most_iterations: self.most_iterations.max(other.most_iterations),
            unconverged: self.unconverged + other.unconverged,
            fallbacks: self.fallbacks + other.fallbacks,
            refused: self.refused + other.refused,
            clamped: self.clamped + other.clamped,
            reset: self.reset + other.reset,
            omitted: self.omitted + other.omitted,
            shed: self.shed + other.shed,
            capped: self.capped + other.capped,
        }
    }

    /// Adds a scalar solve.
    #[inline]
    pub(super) fn count(&mut self, found: &Solution) {
        self.solves += 1;
        self.iterations += u64::from(found.iterations);
        self.most_iterations = self.most_iterations.max(u64::from(found.iterations));
        self.unconverged += u64::from(!found.converged);
    }
}

/// Bodies and contacts that are solved together.
#[derive(Clone)]
pub(super) struct Island {
    /// From and to in [`World::members`].
    pub(super) bodies: (usize, usize),
    /// From and to in [`World::linked`].
    pub(super) contacts: (usize, usize),
    /// The sample is divided into 2^level steps.
    pub(super) level: usize,
    /// Where its compliances begin in [`World::matrix`].
    pub(super) matrix: usize,
    /// The compliances hold for the present level and shapes.
    pub(super) fresh: bool,
    /// They may move by the sample, and with every step.
    pub(super) moving: bool,
    pub(super) relabels: bool,
}

/// Bodies and contacts with their ledger.
#[derive(Clone)]
pub struct World {
    /// Sample interval, s.
    pub(super) sample_s: Real,
    /// All bodies.
    pub bodies: Vec<Box<dyn Resonator>>,
    /// All contacts.
    pub contacts: Vec<Contact>,
    /// External forces per body and port, N, held during a sample.
    pub(super) forces: Vec<Vec<Real>>,
    /// Bodies with a force acting or about to.
    pub(super) pushed: Vec<bool>,
    /// Bodies that are stepped; the others run by the block.
    pub(super) attended: Vec<bool>,
    /// Walls and guided bodies: they yield to nothing, couple nothing and are never part of an island.
    pub(super) rigid: Vec<bool>,
    pub(super) island_of: Vec<Option<usize>>,
    /// Bodies linked through contacts, however far: what a disturbance can reach.
    pub(super) cluster: Vec<usize>,
    pub(super) islands: Reserve<Island>,
    /// Bodies, island by island.
    pub(super) members: Reserve<usize>,
    /// Contacts, island by island.
    pub(super) linked: Reserve<usize>,
    /// Room for grouping: see [`root`].
    pub(super) parent: Vec<usize>,
    /// Energy by island, J.
    pub(super) energy_of: Vec<Real>,
    /// Compliances by island, row by row, m/N.
    pub(super) matrix: Vec<Real>,
    pub(super) scratch: Scratch,
    /// Control ticks so far.
    pub(super) controls: u64,
    /// Work of outsiders that no body books itself, J.
    pub(super) work: Real,
    /// Counters.
    pub health: Health,
    /// Largest sub-step level allowed.
    pub max_level: usize,
    /// Which build of the loop over lasting contacts it runs.
    pub(super) path: Path,
    /// How sub-steps are counted; told by [`World::step_as_at_first`].
    rule: StepRule,
    /// Bodies that have been tuned since the last control tick, and since the one before: their compliances may move by
    /// the sample.
    pub(super) tuned: Vec<bool>,
    pub(super) moving: Vec<bool>,
    /// Bodies whose compliances are others in every step.
    pub(super) relabels: Vec<bool>,
    /// Bodies at rest that nothing touches, and friction that sleeps because nothing presses it: neither is looked at.
    pub(super) quiet: Vec<bool>,
    pub(super) dormant: Vec<bool>,
    /// Contacts of which a parameter moves by the sample, now or before the next control tick.
    pub restless: Vec<bool>,
    /// Modes of every body that lie beyond Nyquist.
    pub(super) omitted: Vec<u64>,
    /// Contacts at each body, and those whose surface it carries past, but for spare ones.
    pub(super) touching: Vec<Vec<usize>>,
    /// Contacts whose sites are set live.
    pub(super) spares: Vec<usize>,
    /// Room for grouping: contacts of every group, and where the next of them goes; of bodies likewise.
    pub(super) places: [Vec<usize>; 2],
    /// How often islands were found anew.
    #[cfg(test)]
    pub(crate) regroups: u64,
    /// Part of the energy of everything below which groups of free modes are silenced; 0: none.
    pub drop_below: Real,
}

impl World {
    /// Bodies and contacts, all awake. `[control]`
    pub fn new(bodies: Vec<Box<dyn Resonator>>, contacts: Vec<Contact>, sample_s: Real) -> Self {
        let n = bodies.len();
        let rigid: Vec<bool> = bodies.iter().map(|b| (0..b.ports()).all(|p| b.inverse_mass(p) == 0.0)).collect();
        let (mut parent, mut cluster, mut in_cluster) = (vec![0; n], vec![0; n], vec![0; n]);
        find_clusters(&contacts, &rigid, &mut parent, &mut cluster, &mut in_cluster);
        let mut largest = in_cluster.iter().copied().max().unwrap_or(0);
        let mut room = in_cluster.iter().map(|c| c * c).sum();
        let mut touching = vec![Vec::new(); n];
        for (index, contact) in contacts.iter().enumerate().filter(|(_, contact)| !contact.spare) {
            for body in contact.bodies() {
                touching[body].push(index);
            }
        }
        let spares: Vec<usize> = (0..contacts.len()).filter(|&index| contacts[index].spare).collect();
        if !spares.is_empty() {
            // However they are joined: no cluster is larger than this, and all are of these contacts.
            largest = largest.max(contacts.len().min(MAX_CONTACTS));
            room = largest * contacts.len();
        }
        let mut world = Self {
            sample_s,
            forces: bodies.iter().map(|b| vec![0.0; b.ports()]).collect(),
            pushed: vec![false; n],
            attended: vec![true; n],
            rigid,
            island_of: vec![None; n],
            cluster,
            islands: Reserve::of(n),
            members: Reserve::of(n),
            linked: Reserve::of(contacts.len()),
            parent,
            energy_of: vec![0.0; n],
            matrix: vec![0.0; room],
            scratch: Scratch::new(largest),
            controls: 0,
            work: 0.0,
            health: Health::default(),
            max_level: LEVELS - 1,
            path: Path::all().pop().unwrap_or(Path::Baseline),
            rule: StepRule::Present,
            quiet: vec![false; n],
            dormant: contacts.iter().map(|contact| !contact.joined).collect(),
            restless: vec![false; contacts.len()],
            omitted: vec![0; n],
            tuned: vec![false; n],
            moving: vec![false; n],
            relabels: bodies.iter().map(|body| body.relabels()).collect(),
            touching,
            spares,
            places: [vec![0; n], vec![0; n]],
            #[cfg(test)]
            regroups: 0,
            drop_below: 0.0,
            bodies,
            contacts,
        };
        for index in 0..world.contacts.len() {
            world.contacts[index].compression = world.distance(index);
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

    /// Work of all outsiders since the start, J; energy minus this never rises. [world.1]
    pub fn work(&self) -> Real {
        self.work + self.bodies.iter().map(|b| b.work()).sum::<Real>()
    }

    /// Compression of a contact, m; of one that sleeps, between the places where its ports are heard.
    pub fn compression(&self, contact: usize) -> Real {
        let Contact { a, b, awake, compression, height, .. } = self.contacts[contact];
        let position = |site: Site| self.bodies[site.body].position(site.port);
        if awake { compression } else { position(a) - position(b) + height }
    }

    /// True while the body is stepped by an island.
    pub fn in_island(&self, body: usize) -> bool {
        self.island_of[body].is_some()
    }

    /// True while the body belongs to this island.
    pub fn is_in(&self, island: usize, body: usize) -> bool {
        self.island_of[body] == Some(island)
    }

    /// True while the body is at rest and nothing touches it.
    pub fn is_quiet(&self, body: usize) -> bool {
        self.quiet[body]
    }

    /// Something moves the body by the sample.
    pub fn stir(&mut self, body: usize) {
        self.quiet[body] = false;
    }

    /// True while an external force acts on the body.
    pub fn is_pushed(&self, body: usize) -> bool {
        self.pushed[body]
    }

    /// True while the island steps the body.
    pub fn steps_body(&self, island: usize, body: usize) -> bool {
        self.island_of[body] == Some(island)
    }

    /// True while the island steps a contact that is awake.
    pub fn steps_contact(&self, island: usize, contact: usize) -> bool {
        self.island_of_contact(contact) == Some(island)
    }

    /// Island that steps a body.
    pub fn island_of(&self, body: usize) -> Option<usize> {
        self.island_of[body]
    }

    /// Islands that feel how a body moves: its own, or those of the contacts at a rigid one. `[audio]`
    pub fn islands_at(&self, body: usize) -> impl Iterator<Item = usize> {
        let own = self.island_of[body];
        let (held, spares) =
            if own.is_some() { (&[][..], &[][..]) } else { (&self.touching[body][..], &self.spares[..]) };
        let spares = spares.iter().filter(move |&&contact| self.contacts[contact].bodies().any(|own| own == body));
        own.into_iter().chain(held.iter().chain(spares).filter_map(|&contact| self.island_of_contact(contact)))
    }

    /// Island that steps a contact.
    pub fn island_of_contact(&self, contact: usize) -> Option<usize> {
        let contact = &self.contacts[contact];
        self.island_of[contact.yielding(&self.rigid)].filter(|_| contact.awake)
    }

    /// Most contacts at a body, with those whose surface it carries past and with spare ones, as far as each counts by itself.
    /// `[control]`
    pub fn contacts_at(&self, body: usize) -> usize {
        self.touching[body].len() + if self.rigid[body] { self.spares.len() } else { 0 }
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

    /// Sets the external force at a port for the coming sample, N. The body must have been told by [`World::set_pushed`].
    pub fn set_force(&mut self, site: Site, force_n: Real) {
        self.forces[site.body][site.port] = force_n;
    }

    /// A force begins to act on a body, or no force acts on it any more.
    pub fn set_pushed(&mut self, body: usize, acting: bool) {
        if self.pushed[body] != acting {
            self.pushed[body] = acting;
            self.disturb(body);
        }
    }

    /// position(a) - position(b) from the bodies themselves, where they are touched, both attended or rigid.
    pub(super) fn distance(&self, contact: usize) -> Real {
        self.between(contact, Motion::Position) + self.contacts[contact].height // [contact.2]
    }

    /// Position or velocity of the first place less that of the second.
    pub(super) fn between(&self, contact: usize, motion: Motion) -> Real {
        let Contact { a, b, .. } = self.contacts[contact];
        let of = |site: Site| {
            let heard = fault!(TOUCHED_PLACE, false, true);
            match motion {
                Motion::Position if heard => self.bodies[site.body].position(site.port),
                _ => self.bodies[site.body].touched(site.port, motion),
            }
        };
        of(a) - of(b)
    }

    /// Counts sub-steps and retunes bodies as takes of format 1 were played from now on. `[audio]`
    pub fn step_as_at_first(&mut self) {
        self.rule = StepRule::First;
        self.contacts.iter_mut().for_each(|contact| contact.estimated = false);
        self.bodies.iter_mut().for_each(|body| body.retune_as_at_first());
    }

    /// Recomputes the speeds at which a contact needs sub-steps.
    pub(super) fn estimate(&mut self, contact: usize) {
        let Contact { a, b, .. } = self.contacts[contact];
        let inverse = self.bodies[a.body].inverse_mass(a.port) + self.bodies[b.body].inverse_mass(b.port);
        self.contacts[contact].estimate(inverse, self.sample_s, self.rule);
        self.contacts[contact].estimated = true;
    }

    /// Sets a parameter of a body; what that adds or takes is booked as work. `[audio]`
    pub fn tune_body(&mut self, body: usize, index: usize, value: Real) {
        let before = self.bodies[body].energy();
        self.bodies[body].set(index, value);
        self.work += self.bodies[body].energy() - before;
        (self.tuned[body], self.moving[body], self.quiet[body]) = (true, true, false);
        if let Some(island) = self.island_of[body] {
            self.islands[island].moving = true;
        }
        self.mark_stale(body);
        for &contact in &self.touching[body] {
            self.contacts[contact].estimated = false;
        }
        for &contact in &self.spares {
            let touches = self.contacts[contact].touches(body);
            self.contacts[contact].estimated &= !touches;
        }
    }

    /// Sets a parameter of a contact; what that adds or takes is booked as work. `[audio]`
    pub fn tune_contact(&mut self, contact: usize, index: usize, value: Real) {
        self.glide_contact(contact, index, value);
        self.reconsider(contact);
        if self.contacts[contact].law.engages(0.0, 0.0) {
            self.rouse(contact);
        }
    }

    /// The same for one of many small changes: whether sub-steps are needed is left to [`World::reconsider`]. `[audio]`
    pub fn glide_contact(&mut self, contact: usize, index: usize, value: Real) {
        let contact = &mut self.contacts[contact];
        let before = stored(contact);
        contact.law.set(index, value);
        if contact.stiffness() == Some(index) {
            contact.as_set = None;
        }
        self.work += stored(contact) - before;
    }

    /// A contact's law or its partners have changed: the speeds at which it needs sub-steps are due again. `[audio]`
    pub fn reconsider(&mut self, contact: usize) {
        self.contacts[contact].estimated = false;
    }

    /// Sets a mass in motion from zero gap to the nearest port it may touch. False if the body is not a mass. `[audio]`
    pub fn strike(&mut self, body: usize, velocity_m_s: Real) -> bool {
        self.strike_later(body, velocity_m_s, 0.0)
    }

    /// The same, but that it touches a part of a sample later, s: its gap is what it flies until then. `[audio]`
    pub fn strike_later(&mut self, body: usize, velocity_m_s: Real, later_s: Real) -> bool {
        if self.bodies[body].as_mass().is_none() {
            return false;
        }
        self.disturb(body);
        let before = self.energy_around(body);
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
        let velocity_m_s = match nearest {
            Some((_, _, index)) => self.vary(body, index, velocity_m_s),
            None => velocity_m_s,
        };
        // Open is where the first of a contact lies below the second; who flies away has touched already, and who rubs always does.
        let gap_m = nearest.map_or(0.0, |(_, _, index)| {
            let Contact { b, law, .. } = &self.contacts[index];
            let side = if b.body == body { -1.0 } else { 1.0 };
            if matches!(law, Law::Tangential { .. }) { 0.0 } else { side * (side * velocity_m_s * later_s).max(0.0) }
        });
        let place = nearest.map_or(here, |(_, there, _)| there - gap_m);
        if let Some(mass) = self.bodies[body].as_mass() {
            mass.place(place, velocity_m_s);
        }
        for index in 0..self.contacts.len() {
            if self.contacts[index].touches(body) {
                let at_nearest = nearest.is_some_and(|(_, _, n)| n == index);
                let compression = if at_nearest { 0.0 - gap_m.abs() } else { self.distance(index) };
                self.contacts[index].restart(compression);
                self.contacts[index].law.reset();
            }
        }
        self.work += self.energy_around(body) - before;
        true
    }

    /// Draws how a stroke of a mass differs from its others; returns its velocity, m/s. [vary.1]
    fn vary(&mut self, body: usize, contact: usize, velocity_m_s: Real) -> Real {
        let vary_01 = self.bodies[body].as_mass().map_or(0.0, |mass| mass.vary_01());
        let contact = &mut self.contacts[contact];
        let stiffness = contact.stiffness();
        contact.beside_01 = 0.3 * vary_01;
        if let (Some(index), Some(as_set)) = (stiffness, contact.as_set.take()) {
            contact.law.set(index, as_set);
            contact.estimated = false;
        }
        if vary_01 == 0.0 {
            return velocity_m_s;
        }
        let [x, y, z] = core::array::from_fn(|_| contact.rng.normal().clamp(-2.5, 2.5));
        if let Some(index) = stiffness {
            let (as_set, spec) = (contact.law.get(index), contact.law.specs()[index]);
            contact.as_set = Some(as_set);
            contact.law.set(index, (as_set * exp(0.5 * vary_01 * z)).clamp(spec.min, spec.max));
            contact.estimated = false;
        }
        velocity_m_s * exp(0.2 * vary_01 * x) * cos(0.35 * vary_01 * y)
    }

    /// An ideal impulse at a site. False if the body cannot take one. `[audio]`
    pub fn hit(&mut self, site: Site, impulse_n_s: Real) -> bool {
        if self.rigid[site.body] {
            return false;
        }
        self.disturb(site.body);
        let before = self.bodies[site.body].energy();
        let taken = self.bodies[site.body].hit(site.port, impulse_n_s);
        self.work += fault!(LEDGER_HIT, self.bodies[site.body].energy() - before, 0.0);
        taken
    }

    /// Moves the place at which a port is touched. False if the body cannot. `[audio]`
    pub fn touch_at(&mut self, site: Site, mode_shape: &[Real]) -> bool {
        self.disturb(site.body);
        let moved = self.bodies[site.body].touch_at(site.port, mode_shape);
        self.mark_stale(site.body);
        for contact in 0..self.contacts.len() {
            if self.contacts[contact].touches(site.body) {
                self.estimate(contact);
            }
        }
        moved
    }

    /// Energy of a body and of the contacts at it.
    pub(super) fn energy_around(&self, body: usize) -> Real {
        let laws: Real = self.contacts.iter().filter(|c| c.touches(body)).map(stored).sum();
        self.bodies[body].energy() + laws
    }

    /// The compliances of a body have changed: its island's are due again.
    pub(super) fn mark_stale(&mut self, body: usize) {
        if let Some(island) = self.island_of[body] {
            self.islands[island].fresh = false;
        }
    }
}

impl Contact {
    /// Partners, the body that carries the surface past, and the one along whose way a place travels.
    pub(super) fn bodies(&self) -> impl Iterator<Item = usize> + use<> {
        let joined = self.joined;
        let carrier = self.texture.as_ref().and_then(|texture| texture.travel);
        let guide = self.travel.as_ref().and_then(|travel| travel.by).filter(|&body| Some(body) != carrier);
        let (a, b) = (self.a.body, self.b.body);
        let other = move |body: &usize| *body != a && *body != b;
        let all = [Some(a), Some(b), carrier.filter(other), guide.filter(other)];
        all.into_iter().flatten().filter(move |_| joined)
    }

    /// The partner that yields, the first if both do.
    pub(super) fn yielding(&self, rigid: &[bool]) -> usize {
        if rigid[self.a.body] { self.b.body } else { self.a.body }
    }

    /// True if the body is a partner.
    pub(super) fn touches(&self, body: usize) -> bool {
        self.joined && (self.a.body == body || self.b.body == body)
    }

    /// The site opposite to a body.
    pub(super) fn partner(&self, body: usize) -> Option<Site> {
        match (self.joined, self.a.body == body, self.b.body == body) {
            (true, true, _) => Some(self.b),
            (true, _, true) => Some(self.a),
            _ => None,
        }
    }
}

/// Energy in a contact's law, J.
pub(crate) fn stored(contact: &Contact) -> Real {
    if contact.awake { contact.law.energy(contact.compression) } else { 0.0 }
}
