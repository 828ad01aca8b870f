// SPDX-License-Identifier: MIT OR Apache-2.0
//! From one world to the next: bodies and contacts that stay are handed over whole, by exchange, so that nothing is
//! allocated, copied or computed anew, and what is left of the old world rings on by itself.

use super::world::World;
use crate::math::Real;

impl World {
    /// Exchanges a body with its counterpart in a world that is being left. `[audio]`
    pub(crate) fn exchange_body(&mut self, own: usize, old: &mut World, theirs: usize) {
        core::mem::swap(&mut self.bodies[own], &mut old.bodies[theirs]);
        core::mem::swap(&mut self.attended[own], &mut old.attended[theirs]);
        (self.quiet[own], old.quiet[theirs]) = (false, false);
    }

    /// Exchanges law, surface and state of a contact with its counterpart; context stays. `[audio]`
    pub(crate) fn exchange_contact(&mut self, own: usize, old: &mut World, theirs: usize) {
        let (new, old) = (&mut self.contacts[own], &mut old.contacts[theirs]);
        new.law.exchange(&mut old.law);
        core::mem::swap(&mut new.rng, &mut old.rng);
        if let (Some(a), Some(b)) = (&mut new.texture, &mut old.texture) {
            core::mem::swap(&mut a.surface, &mut b.surface);
            core::mem::swap(&mut a.way, &mut b.way);
            core::mem::swap(&mut a.left_at, &mut b.left_at);
        }
        if let (Some(a), Some(b)) = (&mut new.travel, &old.travel) {
            a.way = b.way;
        }
        (new.compression, new.awake, new.stroke, new.before) = (old.compression, old.awake, old.stroke, old.before);
        (new.force, new.last_force, new.height, new.travelled) = (old.force, old.last_force, old.height, old.travelled);
        (new.level, new.level_until, new.last_touch) = (old.level, old.level_until, old.last_touch);
        (new.closed_at, new.came) = (old.closed_at, old.came);
        (new.beside_01, new.as_set) = (old.beside_01, old.as_set);
    }

    /// After the exchange: everything is awake, contacts that were not handed over (`stays` says which were) begin
    /// where their partners are. `[audio]`
    pub(crate) fn settle_in(&mut self, stays: impl Fn(usize) -> bool) {
        for body in 0..self.bodies.len() {
            self.attend(body);
        }
        for index in 0..self.contacts.len() {
            let kept = stays(index) && self.contacts[index].awake;
            if !kept && self.contacts[index].joined {
                self.wake(index);
            }
            self.contacts[index].estimated = false;
        }
        self.regroup();
    }

    /// Puts energy minus work back to what it was: what came in with the bodies is work of outsiders. [world.1] `[audio]`
    pub(crate) fn book(&mut self, surplus_before: Real) {
        self.work += (self.energy() - self.work()) - surplus_before;
    }

    /// No contact acts any more: every body is on its own. `[audio]`
    pub(crate) fn separate(&mut self) {
        for contact in &mut self.contacts {
            contact.awake = false;
        }
        self.islands.clear();
        self.island_of.fill(None);
    }

    /// Everything to rest, without external forces. `[audio]`
    pub(crate) fn hush(&mut self) {
        for body in 0..self.bodies.len() {
            self.attend(body);
            self.bodies[body].reset();
            self.forces[body].fill(0.0);
            self.pushed[body] = false;
        }
        for index in 0..self.contacts.len() {
            self.contacts[index].law.reset();
            if self.contacts[index].joined {
                self.wake(index);
            }
        }
        self.regroup();
    }
}
