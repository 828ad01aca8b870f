// SPDX-License-Identifier: MIT OR Apache-2.0
//! One scene takes over from another without a click.
//!
//! A body of the same name that is made of the same stuff goes on: it is handed over as it stands, with its contacts if
//! both partners stay. One that is made otherwise takes over what it can. What vanishes rings on for 10 ms, touched by
//! nothing, while its taps fade. A tap whose body goes on keeps its gain and glides to the new one; a tap on a new body
//! is heard at once, because that body begins at rest or as the scene says.
//!
//! Parameters that the two scenes declare alike keep the value a player gave them; others glide from where they are.
//! All of it is exchange and arithmetic: no allocation, so it happens on the audio side, at a tick.

use super::Scene;
use super::def::Quantity;
use super::runtime::Runtime;
use super::slot::Target;
use super::tap::{TapFrom, fade_ticks};
use crate::contact::Site;
use crate::math::Real;
use crate::param::Rate;
use crate::resonator::Motion;

/// What a body was in the scene before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ancestor {
    /// Not there, or something else altogether.
    None,
    /// Of the same name and kind but made otherwise: it has taken over what it could.
    Similar(usize),
    /// The very same: it goes on.
    Same(usize),
}

/// What bodies and contacts are made of, and what they were in the scene that is being replaced.
pub(crate) struct Lineage {
    /// What each body and contact is made of, as one number: equal ones are interchangeable.
    body_makes: Vec<u64>,
    contact_makes: Vec<u64>,
    bodies: Vec<Ancestor>,
    contacts: Vec<Option<usize>>,
}

impl Lineage {
    /// Of bodies and contacts that are made so. `[control]`
    pub fn new(body_makes: Vec<u64>, contact_makes: Vec<u64>) -> Self {
        Self {
            bodies: vec![Ancestor::None; body_makes.len()],
            contacts: vec![None; contact_makes.len()],
            body_makes,
            contact_makes,
        }
    }
}

impl Scene {
    /// Takes over from `old`, which afterwards only rings out (`leave`). With `keep` what stays keeps sounding;
    /// without, everything begins as this scene says. `[audio]`
    pub(crate) fn adopt(&mut self, old: &mut Scene, keep: bool) {
        let surplus = self.runtime.world.energy() - self.runtime.world.work();
        self.lineage.bodies.fill(Ancestor::None);
        self.lineage.contacts.fill(None);
        if keep {
            self.take_bodies(old);
            self.take_contacts(old);
            let stays = &self.lineage.contacts;
            self.runtime.world.settle_in(|contact| stays[contact].is_some());
            self.take_slots(&mut old.runtime);
            self.runtime.world.book(surplus);
        }
        self.take_taps(&mut old.runtime);
    }

    fn take_bodies(&mut self, old: &mut Scene) {
        let (entries, before) = (self.directory.body_entries(), old.directory.body_entries());
        for (own, entry) in entries.iter().enumerate() {
            let Some(theirs) = before.iter().position(|body| body.name == entry.name) else { continue };
            let (world, old_world) = (&mut self.runtime.world, &mut old.runtime.world);
            if self.lineage.body_makes[own] == old.lineage.body_makes[theirs] {
                world.exchange_body(own, old_world, theirs);
                self.lineage.bodies[own] = Ancestor::Same(theirs);
            } else if world.bodies[own].inherit(&*old_world.bodies[theirs]) {
                self.lineage.bodies[own] = Ancestor::Similar(theirs);
            }
        }
    }

    fn take_contacts(&mut self, old: &mut Scene) {
        let (entries, before) = (self.directory.contact_entries(), old.directory.contact_entries());
        for (own, entry) in entries.iter().enumerate() {
            let Some(theirs) = before.iter().position(|contact| contact.name == entry.name) else { continue };
            let contact = &self.runtime.world.contacts[own];
            let stays = |site: &Site| matches!(self.lineage.bodies[site.body], Ancestor::Same(_));
            let both = [contact.a, contact.b].iter().all(stays);
            if both && self.lineage.contact_makes[own] == old.lineage.contact_makes[theirs] {
                self.runtime.world.exchange_contact(own, &mut old.runtime.world, theirs);
                self.lineage.contacts[own] = Some(theirs);
            }
        }
    }

    /// The slot of the old scene that moved the same thing; probably the one at `hint`, since order seldom changes.
    fn slot_before(&self, target: Target, old: &Runtime, hint: usize) -> Option<usize> {
        let body = |own: usize| match self.lineage.bodies[own] {
            Ancestor::Same(theirs) => Some(theirs),
            Ancestor::Similar(_) | Ancestor::None => None,
        };
        let contact = |own: usize| self.lineage.contacts[own];
        let wanted = match target {
            Target::Body { body: own, param } => Target::Body { body: body(own)?, param },
            Target::Force(site) => Target::Force(Site { body: body(site.body)?, port: site.port }),
            Target::Contact { contact: own, param } => Target::Contact { contact: contact(own)?, param },
            Target::Surface { contact: own, param } => Target::Surface { contact: contact(own)?, param },
        };
        let mut places = (hint..old.slots.len()).chain(0..hint.min(old.slots.len()));
        places.find(|&place| old.slots[place].target == wanted)
    }

    fn take_slots(&mut self, old: &mut Runtime) {
        let mut hint = 0;
        for index in 0..self.runtime.slots.len() {
            let Some(theirs) = self.slot_before(self.runtime.slots[index].target, old, hint) else { continue };
            hint = theirs + 1;
            let Runtime { slots, world, rate_hz, .. } = &mut self.runtime;
            let (was, slot) = (&mut old.slots[theirs], &mut slots[index]);
            (slot.value, slot.slope, slot.curvature) = (was.value, was.slope, was.curvature);
            core::mem::swap(&mut slot.stream, &mut was.stream);
            (slot.streamed, was.streamed) = (was.streamed, usize::MAX);
            if slot.drive.is_some() && was.declared.1 && was.drive.is_none() {
                slot.drive = None; // a command has taken it over
            }
            if slot.declared.0 == was.declared.0 || (slot.drive.is_none() && slot.declared.1) {
                (slot.goal, slot.left) = (was.goal, was.left);
            } else {
                slot.glide_to(slot.declared.0, slot.spec.glide_s * *rate_hz);
            }
            match slot.target {
                Target::Force(site) => {
                    world.set_force(site, slot.value);
                    if slot.value != 0.0 || slot.is_moving() {
                        world.set_pushed(site.body, true);
                    }
                }
                Target::Body { body, .. } if slot.is_moving() && slot.spec.rate == Rate::Sample => {
                    world.set_pushed(body, true);
                }
                _ => {}
            }
        }
    }

    fn take_taps(&mut self, old: &mut Runtime) {
        let fade = fade_ticks(self.runtime.rate_hz);
        for index in 0..self.runtime.taps.len() {
            let now = self.runtime.taps[index].from;
            let ancestor = match now {
                TapFrom::Body { body, .. } => self.lineage.bodies[body],
                TapFrom::Contact { contact, .. } => {
                    self.lineage.contacts[contact].map_or(Ancestor::None, Ancestor::Same)
                }
            };
            let before = self.tap_before(index, old);
            let Runtime { taps, readings, world, .. } = &mut self.runtime;
            let tap = &mut taps[index];
            match (ancestor, before) {
                (Ancestor::Same(_), Some(theirs)) => {
                    let was = &mut old.taps[theirs];
                    tap.last = was.last;
                    (tap.gains_before, tap.fade_left) = (was.gains(fade), fade);
                    was.to.iter_mut().for_each(|(_, gain)| *gain = 0.0);
                    was.fade_left = 0;
                }
                (Ancestor::None, _) => {}
                _ => (tap.gains_before, tap.fade_left) = ([0.0; 2], fade),
            }
            if let TapFrom::Body { body, index, .. } = now
                && matches!(ancestor, Ancestor::Same(_))
                && readings[body][index].motion == Motion::Velocity
            {
                world.bodies[body].listen(readings[body][index].port);
            }
        }
    }

    /// The tap of the scene that is being replaced that heard what tap `index` of this one hears, on the same channels.
    fn tap_before(&self, index: usize, old: &Runtime) -> Option<usize> {
        let tap = &self.runtime.taps[index];
        old.taps.iter().position(|was| {
            let same = match (tap.from, was.from) {
                (
                    TapFrom::Body { body, index, differentiate },
                    TapFrom::Body { body: theirs, index: other, differentiate: also },
                ) => {
                    let (a, b) = (&self.runtime.readings[body][index], &old.readings[theirs][other]);
                    self.lineage.bodies[body] == Ancestor::Same(theirs)
                        && differentiate == also
                        && (a.port, a.motion) == (b.port, b.motion)
                }
                (TapFrom::Contact { contact, quantity }, TapFrom::Contact { contact: theirs, quantity: other }) => {
                    self.lineage.contacts[contact] == Some(theirs) && quantity == other
                }
                _ => false,
            };
            // A tap that has been taken over already has no gain left.
            let heard = was.to.iter().any(|(_, gain)| *gain != 0.0) || was.fade_left > 0;
            same && heard && (0..2).all(|i| tap.to[i].0 == was.to[i].0)
        })
    }

    /// From here on this scene only rings out; returns for how many samples. `[audio]`
    pub(crate) fn leave(&mut self) -> u32 {
        let Runtime { world, taps, rate_hz, .. } = &mut self.runtime;
        world.part();
        let fade = fade_ticks(*rate_hz);
        for tap in taps {
            (tap.gains_before, tap.fade_left) = (tap.gains(fade), fade);
            tap.to.iter_mut().for_each(|(_, gain)| *gain = 0.0);
            // A force that has no contact any more stays what it was while it fades.
            if let TapFrom::Contact { contact, quantity } = tap.from {
                let contact = &world.contacts[contact];
                tap.last = if quantity == Quantity::Force { contact.force } else { contact.compression };
            }
        }
        fade
    }

    /// Adds what still sounds to the mix, nothing touching anything. `[audio]`
    pub(crate) fn ring_out(&mut self, ticks: usize, mix: &mut [Real]) {
        let Runtime { world, taps, readings, channels, rate_hz, .. } = &mut self.runtime;
        for (body, readings) in readings.iter_mut().enumerate() {
            world.ring(body, ticks, readings);
        }
        for tap in taps {
            if let TapFrom::Contact { .. } = tap.from {
                tap.lane[..ticks].fill(tap.last);
            }
            tap.mix(readings, *rate_hz, *channels, ticks, mix);
        }
    }
}
