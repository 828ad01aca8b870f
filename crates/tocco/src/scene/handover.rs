// SPDX-License-Identifier: MIT OR Apache-2.0
//! One scene takes over from another without a click.
//!
//! A body of the same name that is made of the same stuff goes on: it is handed over as it stands, with its contacts if
//! both partners stay. One that is made otherwise takes over what it can. What vanishes rings on for 10 ms, touched by
//! nothing, while its taps fade. A tap whose body goes on keeps its gain and glides to the new one; a tap on a new body
//! is heard at once, because that body begins at rest or as the scene says.
//!
//! An output's space that is made alike goes on, with all that still rings in its room; one that is made otherwise begins empty, and
//! what rang in the old one fades.
//!
//! Parameters that the two scenes declare alike keep the value a player gave them; others glide from where they are.
//! All of it is exchange and arithmetic: no allocation, so it happens on the audio side, at a tick.

use super::Scene;
use super::def::Quantity;
use super::directory::NodeEntry;
use super::runtime::Runtime;
use super::slot::Target;
use super::tap::{TapFrom, fade_ticks};
use crate::contact::Site;
use crate::math::Real;
use crate::output::Space;
use crate::param::Rate;
use crate::process::Span;
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

/// What everything of a scene is made of, each as one number: equal ones are interchangeable.
#[derive(Clone, Default)]
pub(crate) struct Makes {
    pub bodies: Vec<u64>,
    pub contacts: Vec<u64>,
    pub signals: Vec<u64>,
    pub processes: Vec<u64>,
    pub walks: Vec<u64>,
    /// Of outputs that have one.
    pub spaces: Vec<Option<u64>>,
}

/// What everything is made of, and what it was in the scene that is being replaced.
#[derive(Clone)]
pub(crate) struct Lineage {
    makes: Makes,
    bodies: Vec<Ancestor>,
    contacts: Vec<Option<usize>>,
    signals: Vec<Option<usize>>,
    processes: Vec<Option<usize>>,
    walks: Vec<Option<usize>>,
    /// Outputs whose space goes on.
    spaces: Vec<Option<usize>>,
}

impl Lineage {
    /// Of things that are made so. `[control]`
    pub fn new(makes: Makes) -> Self {
        Self {
            bodies: vec![Ancestor::None; makes.bodies.len()],
            contacts: vec![None; makes.contacts.len()],
            signals: vec![None; makes.signals.len()],
            processes: vec![None; makes.processes.len()],
            walks: vec![None; makes.walks.len()],
            spaces: vec![None; makes.spaces.len()],
            makes,
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
        self.lineage.signals.fill(None);
        self.lineage.processes.fill(None);
        self.lineage.walks.fill(None);
        self.lineage.spaces.fill(None);
        if keep {
            self.take_bodies(old);
            self.take_spaces(old);
            self.take_contacts(old);
            self.take_grid(old);
            let stays = &self.lineage.contacts;
            self.runtime.world.settle_in(|contact| stays[contact].is_some());
            self.runtime.ready_pushed();
            self.take_slots(&mut old.runtime);
            fault!(LEDGER_HANDOVER, self.runtime.world.book(surplus), ());
        }
        self.take_taps(&mut old.runtime);
    }

    fn take_bodies(&mut self, old: &mut Scene) {
        let (entries, before) = (self.directory.body_entries(), old.directory.body_entries());
        for (own, entry) in entries.iter().enumerate() {
            let Some(theirs) = before.iter().position(|body| body.name == entry.name) else { continue };
            let (world, old_world) = (&mut self.runtime.world, &mut old.runtime.world);
            if self.lineage.makes.bodies[own] == old.lineage.makes.bodies[theirs] {
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
            if self.lineage.makes.contacts[own] != old.lineage.makes.contacts[theirs] {
                continue;
            }
            if self.directory.is_spare(own) {
                self.runtime.world.lay_as(
                    own,
                    old.runtime.world.joined(theirs).map(|sites| {
                        sites.map(|site| {
                            let stays = |ancestor: &Ancestor| *ancestor == Ancestor::Same(site.body);
                            self.lineage.bodies.iter().position(stays).map(|body| Site { body, ..site })
                        })
                    }),
                );
            }
            let contact = &self.runtime.world.contacts[own];
            let stays = |site: &Site| matches!(self.lineage.bodies[site.body], Ancestor::Same(_));
            let both = [contact.a, contact.b].iter().all(stays);
            let alike = contact.joined == old.runtime.world.joined(theirs).is_some();
            if alike && (both || !contact.joined) {
                self.runtime.world.exchange_contact(own, &mut old.runtime.world, theirs);
                self.lineage.contacts[own] = Some(theirs);
            }
        }
    }

    /// Signals and processes of the same name and make go on where they are, and so does the grid.
    fn take_grid(&mut self, old: &mut Scene) {
        let (own, theirs) = (&mut self.runtime.grid, &mut old.runtime.grid);
        own.next = theirs.next;
        let before = |name: &str, entries: &[NodeEntry]| entries.iter().position(|entry| entry.name == name);
        for (index, entry) in self.directory.signal_entries().iter().enumerate() {
            let Some(was) = before(&entry.name, old.directory.signal_entries()) else { continue };
            if self.lineage.makes.signals[index] == old.lineage.makes.signals[was] {
                let (own, theirs) = (&mut own.signals[index].signal, &mut theirs.signals[was].signal);
                core::mem::swap(own, theirs);
                own.exchange_sources(theirs);
                self.lineage.signals[index] = Some(was);
            }
        }
        for (index, entry) in self.directory.walk_entries().iter().enumerate() {
            let Some(was) = before(&entry.name, old.directory.walk_entries()) else { continue };
            if self.lineage.makes.walks[index] == old.lineage.makes.walks[was] {
                core::mem::swap(&mut own.walkers[index], &mut theirs.walkers[was]);
                self.lineage.walks[index] = Some(was);
            }
        }
        for (index, entry) in self.directory.process_entries().iter().enumerate() {
            let Some(was) = before(&entry.name, old.directory.process_entries()) else { continue };
            if self.lineage.makes.processes[index] == old.lineage.makes.processes[was] {
                own.processes[index].go_on_as(&mut theirs.processes[was]);
                self.lineage.processes[index] = Some(was);
            }
        }
    }

    /// A space that is made alike goes on ringing.
    fn take_spaces(&mut self, old: &mut Scene) {
        for (own, make) in self.lineage.makes.spaces.iter().enumerate() {
            let Some(make) = make else { continue };
            let theirs = old.lineage.makes.spaces.iter().position(|other| other.as_ref() == Some(make));
            self.lineage.spaces[own] = theirs;
            match theirs {
                Some(theirs) => core::mem::swap(&mut self.runtime.spaces[own], &mut old.runtime.spaces[theirs]),
                None => self.runtime.spaces[own].iter_mut().for_each(Space::enter),
            }
        }
    }

    /// How much louder a channel's direct sound was in the scene before, if its space is another one.
    fn louder_before(&self, channel: usize, old: &Runtime) -> Real {
        let goes_on = |(own, space): (usize, &Option<Space>)| {
            let here = space.as_ref().is_some_and(|space| space.channels().contains(&channel));
            here && self.lineage.spaces[own].is_some()
        };
        let now = self.runtime.direct_gain(channel);
        if now < 1e-6 || self.runtime.spaces.iter().enumerate().any(goes_on) {
            return 1.0;
        }
        old.direct_gain(channel) / now
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
            Target::Signal { signal, param } => Target::Signal { signal: self.lineage.signals[signal]?, param },
            Target::Process { process, param } => Target::Process { process: self.lineage.processes[process]?, param },
            Target::Walk { walk, param } => Target::Walk { walk: self.lineage.walks[walk]?, param },
            Target::Output { output, param } => Target::Output { output: self.lineage.spaces[output]?, param },
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
                TapFrom::Process(process) | TapFrom::Push(process) => {
                    self.lineage.processes[process].map_or(Ancestor::None, Ancestor::Same)
                }
            };
            let before = self.tap_before(index, old);
            let louder = self.runtime.taps[index].to.map(|(channel, _)| self.louder_before(channel, old));
            let Runtime { taps, readings, world, .. } = &mut self.runtime;
            let tap = &mut taps[index];
            match (ancestor, before) {
                (Ancestor::Same(_), Some(theirs)) => {
                    let was = &mut old.taps[theirs];
                    tap.last = was.last;
                    core::mem::swap(&mut tap.pair, &mut was.pair);
                    let gains = was.gains(fade);
                    (tap.gains_before, tap.fade_left) = ([gains[0] * louder[0], gains[1] * louder[1]], fade);
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
                (TapFrom::Process(process), TapFrom::Process(theirs))
                | (TapFrom::Push(process), TapFrom::Push(theirs)) => self.lineage.processes[process] == Some(theirs),
                _ => false,
            };
            // A tap that has been taken over already has no gain left.
            let heard = was.to.iter().any(|(_, gain)| *gain != 0.0) || was.fade_left > 0;
            let pairs = match (&tap.pair, &was.pair) {
                (Some(own), Some(theirs)) => own.is_like(theirs),
                (own, theirs) => own.is_none() && theirs.is_none(),
            };
            let alike = pairs && tap.carried.is_some() == was.carried.is_some();
            same && alike && heard && (0..2).all(|i| tap.to[i].0 == was.to[i].0)
        })
    }

    /// From here on this scene only rings out; returns for how many samples. `[audio]`
    pub(crate) fn leave(&mut self) -> u32 {
        let Runtime { world, taps, spaces, rate_hz, .. } = &mut self.runtime;
        world.separate();
        let fade = fade_ticks(*rate_hz);
        spaces.iter_mut().flatten().for_each(|space| space.leave(fade as usize));
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
        let Runtime { world, grid, taps, readings, spaces, bus, channels, rate_hz, .. } = &mut self.runtime;
        // At the first tick of all no event is due that has not been.
        grid.run(Span { tick: 0, ticks, rate_hz: *rate_hz });
        let through_spaces = !bus.is_empty();
        bus.fill(0.0);
        for (body, readings) in readings.iter_mut().enumerate() {
            world.ring(body, ticks, readings);
        }
        for tap in taps {
            match tap.from {
                TapFrom::Contact { .. } => tap.lane[..ticks].fill(tap.last),
                TapFrom::Process(process) => tap.lane = grid.processes[process].sound,
                TapFrom::Push(process) => tap.lane = grid.processes[process].force(),
                TapFrom::Body { .. } => {}
            }
            tap.mix(readings, *rate_hz, *channels, ticks, if through_spaces { &mut *bus } else { &mut *mix });
        }
        if through_spaces {
            spaces.iter_mut().flatten().for_each(|space| space.pass(ticks, *channels, bus));
            mix.iter_mut().zip(&bus[..ticks * *channels]).for_each(|(sum, x)| *sum += x);
        }
    }
}
