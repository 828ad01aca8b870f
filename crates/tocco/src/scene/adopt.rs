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

use super::def::Quantity;
use super::{Kin, Scene, Tap, TapFrom, Target};
use crate::math::Real;
use crate::param::Rate;
use crate::resonator::Motion;

/// Length of a fade, s: four periods at 400 Hz; its spectrum is 60 dB down above 2 kHz.
const FADE_S: Real = 0.01;

impl Scene {
    fn fade_ticks(&self) -> u32 {
        ((FADE_S * self.rate_hz) as u32).max(1)
    }

    /// Takes over from `old`, which afterwards only rings out (`leave`). With `keep` what stays keeps sounding;
    /// without, everything begins as this scene says. `[audio]`
    pub fn adopt(&mut self, old: &mut Scene, keep: bool) {
        let surplus = self.world.energy() - self.world.work();
        self.kin.fill(Kin::None);
        self.kin_contacts.fill(None);
        if keep {
            self.take_bodies(old);
            self.take_contacts(old);
            self.world.settle_in(|contact| self.kin_contacts[contact].is_some());
            self.take_slots(old);
            self.world.book(surplus);
        }
        self.take_taps(old);
    }

    fn take_bodies(&mut self, old: &mut Scene) {
        for own in 0..self.bodies.len() {
            let Some(theirs) = old.bodies.iter().position(|(name, _)| *name == self.bodies[own].0) else { continue };
            if self.body_forms[own] == old.body_forms[theirs] {
                self.world.exchange_body(own, &mut old.world, theirs);
                self.kin[own] = Kin::Whole(theirs);
            } else if self.world.bodies[own].inherit(&*old.world.bodies[theirs]) {
                self.kin[own] = Kin::Part(theirs);
            }
        }
    }

    fn take_contacts(&mut self, old: &mut Scene) {
        for own in 0..self.contacts.len() {
            let Some(theirs) = old.contacts.iter().position(|name| *name == self.contacts[own]) else { continue };
            let contact = &self.world.contacts[own];
            let both = [contact.a, contact.b].iter().all(|site| matches!(self.kin[site.body], Kin::Whole(_)));
            if both && self.contact_forms[own] == old.contact_forms[theirs] {
                self.world.exchange_contact(own, &mut old.world, theirs);
                self.kin_contacts[own] = Some(theirs);
            }
        }
    }

    /// The slot of the old scene that moved the same thing; probably the one at `hint`, since order seldom changes.
    fn slot_before(&self, target: Target, old: &Scene, hint: usize) -> Option<usize> {
        let body = |own: usize| match self.kin[own] {
            Kin::Whole(theirs) => Some(theirs),
            Kin::Part(_) | Kin::None => None,
        };
        let wanted = match target {
            Target::Body { body: own, param } => Target::Body { body: body(own)?, param },
            Target::Force(site) => Target::Force(crate::contact::Site { body: body(site.body)?, port: site.port }),
            Target::Contact { contact, param } => Target::Contact { contact: self.kin_contacts[contact]?, param },
            Target::Surface { contact, param } => Target::Surface { contact: self.kin_contacts[contact]?, param },
        };
        let mut places = (hint..old.slots.len()).chain(0..hint.min(old.slots.len()));
        places.find(|&place| old.slots[place].target == wanted)
    }

    fn take_slots(&mut self, old: &Scene) {
        let mut hint = 0;
        for index in 0..self.slots.len() {
            let Some(theirs) = self.slot_before(self.slots[index].target, old, hint) else { continue };
            hint = theirs + 1;
            let (was, rate_hz) = (&old.slots[theirs], self.rate_hz);
            let slot = &mut self.slots[index];
            (slot.value, slot.step, slot.bend) = (was.value, was.step, was.bend);
            if slot.drive.is_some() && was.declared.1 && was.drive.is_none() {
                slot.drive = None; // a command has taken it over
            }
            if slot.declared.0 == was.declared.0 || (slot.drive.is_none() && slot.declared.1) {
                (slot.goal, slot.left) = (was.goal, was.left);
            } else {
                slot.lead(slot.declared.0, slot.spec.glide_s * rate_hz);
            }
            let (target, value, moving) = (slot.target, slot.value, slot.is_moving());
            match target {
                Target::Force(site) => {
                    self.world.set_force(site, value);
                    if value != 0.0 || moving {
                        self.world.lean(site.body, true);
                    }
                }
                Target::Body { body, .. } if moving && self.slots[index].spec.rate == Rate::Sample => {
                    self.world.lean(body, true);
                }
                _ => {}
            }
        }
    }

    fn take_taps(&mut self, old: &mut Scene) {
        let fade = self.fade_ticks();
        for index in 0..self.taps.len() {
            let now = self.taps[index].from;
            let (kin, before) = match now {
                TapFrom::Body { body, .. } => (self.kin[body], old.tap_before(self, index)),
                TapFrom::Contact { contact, .. } => {
                    let kin = self.kin_contacts[contact].map_or(Kin::None, Kin::Whole);
                    (kin, old.tap_before(self, index))
                }
            };
            let tap = &mut self.taps[index];
            match (kin, before) {
                (Kin::Whole(_), Some(theirs)) => {
                    let was = &mut old.taps[theirs];
                    tap.before = was.before;
                    tap.was = was.gains(fade);
                    tap.fade = fade;
                    was.to.iter_mut().for_each(|(_, gain)| *gain = 0.0);
                    was.fade = 0;
                }
                (Kin::None, _) => {}
                _ => (tap.was, tap.fade) = ([0.0; 2], fade),
            }
            if let TapFrom::Body { body, index, .. } = now
                && matches!(kin, Kin::Whole(_))
                && self.readings[body][index].motion == Motion::Velocity
            {
                let port = self.readings[body][index].port;
                self.world.bodies[body].listen(port);
            }
        }
    }

    /// The tap of this scene, which is being replaced, that heard what tap `index` of `new` hears, on the same channels.
    fn tap_before(&self, new: &Scene, index: usize) -> Option<usize> {
        let tap = &new.taps[index];
        self.taps.iter().position(|was| {
            let same = match (tap.from, was.from) {
                (
                    TapFrom::Body { body, index, differentiate },
                    TapFrom::Body { body: theirs, index: other, differentiate: also },
                ) => {
                    let (a, b) = (&new.readings[body][index], &self.readings[theirs][other]);
                    new.kin[body] == Kin::Whole(theirs)
                        && differentiate == also
                        && (a.port, a.motion) == (b.port, b.motion)
                }
                (TapFrom::Contact { contact, quantity }, TapFrom::Contact { contact: theirs, quantity: other }) => {
                    new.kin_contacts[contact] == Some(theirs) && quantity == other
                }
                _ => false,
            };
            // A tap that has been taken over already has no gain left.
            let heard = was.to.iter().any(|(_, gain)| *gain != 0.0) || was.fade > 0;
            same && heard && (0..2).all(|i| tap.to[i].0 == was.to[i].0)
        })
    }

    /// From here on this scene only rings out; returns for how many samples. `[audio]`
    pub(crate) fn leave(&mut self) -> u32 {
        self.world.part();
        let fade = self.fade_ticks();
        for tap in &mut self.taps {
            (tap.was, tap.fade) = (tap.gains(fade), fade);
            tap.to.iter_mut().for_each(|(_, gain)| *gain = 0.0);
            // A force that has no contact any more stays what it was while it fades.
            if let TapFrom::Contact { contact, quantity } = tap.from {
                let contact = &self.world.contacts[contact];
                tap.before = if quantity == Quantity::Force { contact.force } else { contact.compression };
            }
        }
        fade
    }

    /// Adds what still sounds to the mix, nothing touching anything. `[audio]`
    pub(crate) fn ring_out(&mut self, ticks: usize, mix: &mut [Real]) {
        for body in 0..self.world.bodies.len() {
            self.world.ring(body, ticks, &mut self.readings[body]);
        }
        for tap in &mut self.taps {
            if let TapFrom::Contact { .. } = tap.from {
                tap.lane[..ticks].fill(tap.before);
            }
        }
        self.mix(ticks, mix);
    }

    /// Adds the taps to the mix. `[audio]`
    pub(crate) fn mix(&mut self, ticks: usize, mix: &mut [Real]) {
        let (rate_hz, channels, fade) = (self.rate_hz, self.channels, self.fade_ticks());
        let Scene { taps, readings, .. } = self;
        for tap in taps {
            if let TapFrom::Body { body, index, differentiate } = tap.from {
                tap.lane[..ticks].copy_from_slice(&readings[body][index].values[..ticks]);
                if differentiate {
                    for value in &mut tap.lane[..ticks] {
                        let velocity = *value;
                        *value = (velocity - tap.before) * rate_hz;
                        tap.before = velocity;
                    }
                }
            }
            for ((channel, gain), was) in tap.to.into_iter().zip(tap.was) {
                let fading = tap.fade as usize;
                for i in 0..ticks.min(fading) {
                    let gain = gain + (was - gain) * Tap::share(fading - i, fade);
                    mix[i * channels + channel] += gain * tap.lane[i];
                }
                if gain != 0.0 {
                    for i in fading.min(ticks)..ticks {
                        mix[i * channels + channel] += gain * tap.lane[i];
                    }
                }
            }
            tap.fade = tap.fade.saturating_sub(ticks as u32);
        }
    }

    /// Everything to rest; see [`Command::Hush`](crate::engine::Command::Hush). `[audio]`
    pub(crate) fn hush(&mut self) {
        self.world.hush();
        for index in 0..self.slots.len() {
            let slot = &mut self.slots[index];
            let moves = matches!(slot.target, Target::Force(_))
                || (matches!(slot.target, Target::Body { .. }) && slot.spec.rate == Rate::Sample);
            if slot.drive.take().is_some() {
                (slot.goal, slot.left) = (slot.value, 0);
            }
            if moves {
                (slot.value, slot.goal, slot.left) = (0.0, 0.0, 0);
                self.write_slot(index, 0.0);
            }
        }
    }
}

impl Tap {
    /// Share of the gains at the start of a fade of `full` samples when `left` of them are left.
    fn share(left: usize, full: u32) -> Real {
        let x = left as Real / Real::from(full);
        x * x * (3.0 - 2.0 * x)
    }

    /// Present gains, in the middle of a fade or not.
    fn gains(&self, full: u32) -> [Real; 2] {
        let share = Self::share(self.fade as usize, full);
        core::array::from_fn(|i| self.to[i].1 + (self.was[i] - self.to[i].1) * share)
    }
}
