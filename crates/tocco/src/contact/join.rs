// SPDX-License-Identifier: MIT OR Apache-2.0
//! Contacts whose two sites are set live.
//!
//! **What.** A spare contact is built with its law and joins nothing. Told so, it joins two sites, joins two others, or lets go:
//! things that appear, meet and part while a scene sounds. Nothing is allocated, since room was made for the largest cluster
//! that can be solved; a joint that would make a larger one is refused.
//!
//! **Law.** `[join.1]` Whoever takes a contact away takes what its law holds: the ledger books `-U` as work of outsiders, so
//! energy minus work stays as it was, also in the middle of a touch. At its new sites a law that only pushes begins open, or at
//! zero compression where the sites overlap already, with nothing stored; friction begins without memory; a law that acts across
//! a gap begins where its sites are, and what it then holds is booked as work.
//!
//! **Step.** At the tick of the command, before its sample: what is near both old and new sites wakes, islands are grouped anew.
//! No island is stepped in between, so the host's blocks change nothing.

use super::sleep::{links, root};
use super::world::{World, stored};
use super::{Contact, Site};

impl World {
    /// Joins a spare contact to two sites, or lets it go. At the sites where it is it goes on. False, with nothing done, if it is
    /// not spare, a body would touch itself, neither side can yield, or more contacts than can be solved would hang together.
    /// `[audio]`
    pub fn join(&mut self, index: usize, between: Option<[Site; 2]>) -> bool {
        let Contact { a, b, spare, joined, .. } = self.contacts[index];
        if !spare {
            return false;
        }
        if self.joined(index) == between {
            return true;
        }
        if let Some([a, b]) = between
            && (a.body == b.body || (self.rigid[a.body] && self.rigid[b.body]))
        {
            return false;
        }
        if !self.may_hang_together(index, between) {
            return false;
        }
        if joined {
            self.wake_near([a.body, b.body]);
            self.work -= fault!(LEDGER_JOIN, stored(&self.contacts[index]), 0.0); // [join.1]
            self.fall_asleep(index);
        }
        self.lay(index, between);
        self.recluster();
        match between {
            None => {
                self.dormant[index] = true;
                self.regroup();
            }
            Some([a, b]) => {
                self.attend(a.body);
                self.attend(b.body);
                // It has slid nowhere on the way.
                self.contacts[index].compression = self.distance(index);
                self.wake(index);
                self.wake_near([a.body, b.body]);
                self.regroup();
            }
        }
        true
    }

    /// Wakes what a disturbance of these bodies could reach; islands are the caller's.
    fn wake_near(&mut self, bodies: [usize; 2]) {
        for index in 0..self.contacts.len() {
            let Contact { a, b, awake, joined, .. } = self.contacts[index];
            let near = |body: usize| bodies.iter().any(|&own| self.cluster[own] == self.cluster[body]);
            if joined && !awake && (near(a.body) || near(b.body)) {
                self.wake(index);
            }
        }
    }

    /// The sites that a contact joins.
    pub(crate) fn joined(&self, index: usize) -> Option<[Site; 2]> {
        let Contact { a, b, joined, .. } = self.contacts[index];
        joined.then_some([a, b])
    }

    /// A spare contact of a world that takes over begins where its like was, if both partners stay and there is room. `[audio]`
    pub(crate) fn lay_as(&mut self, index: usize, between: Option<[Option<Site>; 2]>) {
        let between = between.and_then(|[a, b]| Some([a?, b?]));
        if between.is_some() && self.may_hang_together(index, between) {
            self.lay(index, between);
            self.recluster();
            self.dormant[index] = false;
        }
    }

    /// The sites of a spare contact; the rest is the caller's. `[audio]`
    fn lay(&mut self, index: usize, between: Option<[Site; 2]>) {
        let contact = &mut self.contacts[index];
        contact.joined = between.is_some();
        (contact.awake, contact.estimated, contact.last_touch, contact.came) = (false, false, None, None);
        if let Some([a, b]) = between {
            (contact.a, contact.b) = (a, b);
        }
    }

    /// True if no cluster outgrows its room with the contact at other sites.
    fn may_hang_together(&mut self, index: usize, between: Option<[Site; 2]>) -> bool {
        let Contact { a, b, joined, .. } = self.contacts[index];
        let Some([first, second]) = between else { return true };
        if self.contacts.len() <= self.scratch.s0.len() {
            return true;
        }
        let set = |contact: &mut Contact, to: (Site, Site, bool)| (contact.a, contact.b, contact.joined) = to;
        set(&mut self.contacts[index], (first, second, true));
        let fits = self.recluster();
        set(&mut self.contacts[index], (a, b, joined));
        self.recluster();
        fits
    }

    /// Finds which bodies hang together; false if more contacts do than there is room for.
    fn recluster(&mut self) -> bool {
        let Self { contacts, rigid, parent, cluster, places: [count, _], scratch, .. } = self;
        find_clusters(contacts, rigid, parent, cluster, count);
        count.iter().all(|&contacts| contacts <= scratch.s0.len())
    }
}

/// Bodies linked through contacts, however far, by the first of them, and how many contacts each such cluster has.
pub(super) fn find_clusters(
    contacts: &[Contact],
    rigid: &[bool],
    parent: &mut [usize],
    cluster: &mut [usize],
    count: &mut [usize],
) {
    for (body, parent) in parent.iter_mut().enumerate() {
        *parent = body;
    }
    for contact in contacts.iter().filter(|contact| contact.joined) {
        for [a, b] in links(contact, contacts, rigid).into_iter().flatten() {
            let (a, b) = (root(parent, a), root(parent, b));
            parent[a.max(b)] = a.min(b);
        }
    }
    for (body, cluster) in cluster.iter_mut().enumerate() {
        *cluster = root(parent, body);
    }
    count.fill(0);
    for contact in contacts.iter().filter(|contact| contact.joined) {
        count[cluster[contact.yielding(rigid)]] += 1;
    }
}
