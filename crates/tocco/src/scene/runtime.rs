// SPDX-License-Identifier: MIT OR Apache-2.0
//! What of a scene moves and sounds: the world, the live values, the drives, the scheduled commands and the taps.

use super::def::Quantity;
use super::drive::{Drive, Inputs};
use super::moves::Moves;
use super::slot::{Slot, Target};
use super::tap::{Tap, TapFrom};
use super::watch::Watch;
use crate::command::Timed;
use crate::contact::world::World;
use crate::math::Real;
use crate::param::{Rate, Tunable};
use crate::resonator::Reading;
use core::convert::Infallible;

/// The running half of a scene, without names. All methods `[audio]`.
pub(crate) struct Runtime {
    pub world: World,
    pub slots: Vec<Slot>,
    pub drives: Vec<Drive>,
    /// The scene's own events, sorted by tick since it began.
    pub events: Vec<Timed<Infallible>>,
    pub taps: Vec<Tap>,
    /// What taps want to know of each body, and after that what is watched of it.
    pub readings: Vec<Vec<Reading>>,
    /// What is watched by the sample.
    pub watches: Vec<Watch>,
    /// What moves by the sample, by island and by body.
    pub moves: Moves,
    pub channels: usize,
    pub rate_hz: Real,
}

impl Runtime {
    /// Carries a value to the node behind a slot.
    pub fn write_slot(&mut self, slot: usize, value: Real) {
        match self.slots[slot].target {
            Target::Body { body, param } => self.world.tune_body(body, param, value),
            Target::Contact { contact, param } => self.world.tune_contact(contact, param, value),
            Target::Surface { contact, param } => self.tune_surface(contact, param, value),
            Target::Force(site) => {
                self.world.set_force(site, value);
                if value != 0.0 {
                    self.world.set_pushed(site.body, true);
                }
            }
        }
    }

    /// The same for sample `i` of the present block, of a slot that moves by the sample.
    pub fn write_lane(&mut self, slot: usize, i: usize) {
        let value = self.slots[slot].lane[i];
        match self.slots[slot].target {
            Target::Force(site) => self.world.set_force(site, value),
            Target::Body { body, param } => self.world.bodies[body].set(param, value),
            Target::Contact { contact, param } => self.world.glide_contact(contact, param, value),
            Target::Surface { contact, param } => self.tune_surface(contact, param, value),
        }
    }

    fn tune_surface(&mut self, contact: usize, param: usize, value: Real) {
        if let Some(roughness) = &mut self.world.contacts[contact].texture {
            roughness.surface.set(param, value);
        }
    }

    /// The value to which drive or glide carry a slot now, at a time since the scene began.
    pub fn next_value(&mut self, slot: usize, time_s: Real, inputs: Inputs<'_>) -> Real {
        if let Some(value) = self.slots[slot].next_of_stream() {
            return value;
        }
        match self.slots[slot].drive {
            Some(drive) => {
                let spec = &self.slots[slot].spec;
                self.drives[drive].value_or_rest(time_s, inputs).clamp(spec.min, spec.max)
            }
            None => self.slots[slot].glide(),
        }
    }

    /// Everything to rest; see [`Command::Hush`](crate::command::Command::Hush).
    pub fn hush(&mut self) {
        self.world.hush();
        for index in 0..self.slots.len() {
            let slot = &mut self.slots[index];
            slot.end_stream();
            let moves = matches!(slot.target, Target::Force(_))
                || (matches!(slot.target, Target::Body { .. }) && slot.spec.rate == Rate::Sample);
            if slot.drive.take().is_some() {
                slot.rest_at(slot.value);
            }
            if moves {
                slot.rest_at(0.0);
                self.write_slot(index, 0.0);
            }
        }
    }

    /// One sample of an island, and what taps read of it.
    pub fn step_island(&mut self, island: usize, tick: u64, i: usize) {
        self.world.step(island, tick);
        for &body in self.world.island_bodies(island) {
            for reading in self.readings[body].iter_mut().filter(|reading| !reading.of_sleepers) {
                reading.values[i] = reading.of(&*self.world.bodies[body]);
            }
        }
        for &contact in self.world.island_contacts(island) {
            for &tap in &self.moves.taps_of[contact] {
                let (tap, node) = (&mut self.taps[tap], &self.world.contacts[contact]);
                let heard_force = matches!(tap.from, TapFrom::Contact { quantity: Quantity::Force, .. });
                tap.lane[i] = if heard_force { node.force } else { node.compression };
            }
        }
        self.note(island, i);
    }

    /// Moves a body that no island steps; `guide` is the slot that moves it by the sample, if one does.
    pub fn ring(&mut self, body: usize, ticks: usize, guide: Option<usize>) {
        let Some(slot) = guide else {
            return self.world.ring(body, ticks, &mut self.readings[body]);
        };
        for i in 0..ticks {
            self.write_lane(slot, i);
            self.world.ring(body, 1, &mut self.readings[body]);
            for reading in &mut self.readings[body] {
                reading.file(i, ticks);
            }
        }
    }

    /// Adds the taps to the mix.
    pub fn mix(&mut self, ticks: usize, mix: &mut [Real]) {
        let Self { taps, world, readings, rate_hz, channels, moves, .. } = self;
        for tap in taps {
            if let TapFrom::Body { body, .. } = tap.from
                && moves.silent[body]
                && tap.last == 0.0
                && tap.fade_left == 0
            {
                continue;
            }
            if let TapFrom::Contact { contact, .. } = tap.from
                && !world.contacts[contact].awake
            {
                tap.lane[..ticks].fill(0.0);
            }
            tap.mix(readings, *rate_hz, *channels, ticks, mix);
        }
    }

    /// Tick of the last scheduled gesture or breakpoint.
    pub fn last_cue(&self) -> u64 {
        let events = self.events.iter().map(|event| event.at).max().unwrap_or(0);
        self.drives.iter().map(|drive| (drive.ends_s() * self.rate_hz) as u64).fold(events, u64::max)
    }
}
