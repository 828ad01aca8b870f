// SPDX-License-Identifier: MIT OR Apache-2.0
//! What of a scene moves and sounds: the world, the live values, the drives, the scheduled commands and the taps.

use super::directory::Probe;
use super::drive::{Drive, Inputs};
use super::grid::Grid;
use super::moves::Moves;
use super::rest::is_silent;
use super::slot::{Slot, Target};
use super::tap::{Tap, TapFrom};
use super::touch::Touches;
use super::watch::Watch;
use crate::command::Timed;
use crate::contact::Site;
use crate::contact::world::World;
use crate::math::Real;
use crate::output::Space;
use crate::param::{Rate, Tunable};
use crate::process::Span;
use crate::resonator::Reading;
use crate::signal::GRID_S;
use core::convert::Infallible;

/// The running half of a scene, without names. All methods `[audio]`.
#[derive(Clone)]
pub(crate) struct Runtime {
    pub world: World,
    pub slots: Vec<Slot>,
    pub drives: Vec<Drive>,
    pub grid: Grid,
    /// The scene's own events, sorted by tick since it began.
    pub events: Vec<Timed<Infallible>>,
    pub taps: Vec<Tap>,
    /// What taps want to know of each body, and after that what is watched of it.
    pub readings: Vec<Vec<Reading>>,
    /// What lies between the taps and the channels of each output, where it says so.
    pub spaces: Vec<Option<Space>>,
    /// Frames on their way through the spaces of a scene that leaves; empty without spaces.
    pub bus: Vec<Real>,
    /// What is watched by the sample.
    pub watches: Vec<Watch>,
    /// When contacts begin and end, where somebody asks.
    pub touches: Touches,
    /// What moves by the sample, by island and by body.
    pub moves: Moves,
    /// Control ticks for which nothing has moved.
    pub calm: u8,
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
            Target::Signal { signal, param } => self.grid.signals[signal].signal.set(param, value),
            Target::Process { process, param } => self.grid.processes[process].set(param, value),
            Target::Walk { walk, param } => self.grid.walkers[walk].set(param, value),
            Target::Output { output, param } => self.tune_space(output, param, value),
            Target::Force(site) => {
                self.world.set_force(site, value);
                if value != 0.0 {
                    self.world.set_pushed(site.body, true);
                }
            }
        }
    }

    /// Control ticks from one value to the next that reach what a slot moves.
    pub fn pace(&self, slot: usize) -> u64 {
        match self.slots[slot].target {
            Target::Body { body, param } => self.world.bodies[body].pace(param),
            _ => 1,
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
            Target::Signal { .. } | Target::Process { .. } | Target::Walk { .. } => self.write_slot(slot, value),
            Target::Output { output, param } => self.tune_space(output, param, value),
        }
    }

    fn tune_space(&mut self, output: usize, param: usize, value: Real) {
        if let Some(space) = &mut self.spaces[output] {
            space.set(param, value);
        }
    }

    /// Factor on the direct sound of a channel.
    pub fn direct_gain(&self, channel: usize) -> Real {
        let mut spaces = self.spaces.iter().flatten();
        spaces.find(|space| space.channels().contains(&channel)).map_or(1.0, Space::direct_gain)
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
                self.drives[drive].value_or_rest(time_s, inputs, &self.grid.signals).clamp(spec.min, spec.max)
            }
            None => self.slots[slot].glide(),
        }
    }

    /// Fills the lane of a slot that moves by the sample, for a stretch that begins at a tick since the scene began.
    pub fn fill_lane(&mut self, slot: usize, tick: u64, ticks: usize, inputs: Inputs<'_>) {
        let time_s = |i: usize| (tick + i as u64) as Real / self.rate_hz;
        let (first_s, end_s) = (time_s(0), time_s(ticks));
        let Slot { drive, .. } = &self.slots[slot];
        let stands = !self.slots[slot].streams()
            && drive.is_some_and(|drive| self.drives[drive].is_still(first_s, end_s, &self.grid.signals));
        self.slots[slot].stands = stands;
        if stands {
            let value = self.next_value(slot, first_s, inputs);
            self.slots[slot].value = value;
            self.slots[slot].lane[..ticks].fill(value);
            return;
        }
        let Self { slots, drives, grid, rate_hz, .. } = self;
        let own = &mut slots[slot];
        let range = (own.spec.min, own.spec.max);
        if let Some(drive) = own.drive.filter(|_| !own.streams())
            && drives[drive].fill(tick, *rate_hz, range, &grid.signals, &mut own.lane[..ticks])
        {
            own.value = own.lane[ticks - 1];
            return;
        }
        for i in 0..ticks {
            let time_s = (tick + i as u64) as Real / self.rate_hz;
            let value = self.next_value(slot, time_s, inputs.later(i));
            self.slots[slot].value = value;
            self.slots[slot].lane[i] = value;
        }
    }

    /// Everything to rest; see [`Command::Hush`](crate::command::Command::Hush).
    pub fn hush(&mut self) {
        self.world.hush();
        self.grid.hush();
        self.spaces.iter_mut().flatten().for_each(Space::hush);
        self.taps.iter_mut().for_each(|tap| tap.last = 0.0); // nothing moves any more: no jump of speed is heard
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

    /// A signal as it stands now.
    pub fn read(&self, probe: Probe) -> Real {
        read(&self.world, &self.grid, probe)
    }

    /// Enters the next cell of the grid of 1 ms; `slow` are the slots that move at control ticks. [process.2]
    pub fn enter_cell(&mut self, rate_hz: Real, slow: &[usize]) {
        if !self.rests() {
            slow.iter().for_each(|&slot| self.set_on_grid(slot));
        }
        let rested = self.rests();
        let Self { world, grid, .. } = self;
        let beyond = grid.enter(rested, |grid, probe| read(world, grid, probe));
        world.health.capped += beyond;
        if self.calm > 0 && grid.stands {
            return;
        }
        self.calm = 0;
        let later_s = grid.begins_later_s(rate_hz);
        for acting in &mut grid.processes {
            if let (Some(speed), Some(port)) = (acting.process.strike(), acting.ports.first()) {
                world.strike_later(grid.pushes[*port].site.body, speed, later_s);
            }
        }
        self.ready_pushed();
    }

    /// What moves on the grid, by a drive that is known at any time, stands where that is as the next cell begins, not where the last control
    /// tick, which depends on the rate, has left it: what is drawn in the cell is the same at every rate.
    fn set_on_grid(&mut self, slot: usize) {
        let Slot { target, drive: Some(drive), spec, .. } = &self.slots[slot] else { return };
        let on_grid = matches!(target, Target::Signal { .. } | Target::Process { .. } | Target::Walk { .. });
        if !on_grid || self.slots[slot].streams() {
            return;
        }
        let (now_s, [least, most]) = (self.grid.next as Real * GRID_S, [spec.min, spec.max]);
        if let Some(value) = self.drives[*drive].known(now_s, &self.grid.signals) {
            self.write_slot(slot, value.clamp(least, most));
        }
    }

    /// Bodies that processes push, now or soon, are ready for it.
    pub fn ready_pushed(&mut self) {
        for push in 0..self.grid.pushes.len() {
            let body = self.grid.pushes[push].site.body;
            if !self.world.is_pushed(body) && self.grid.pushes_body(body) {
                self.world.set_pushed(body, true);
            }
        }
    }

    /// One thing happens in a process, at a time since the scene began; false if it takes no triggers or has no room.
    pub fn trigger(&mut self, process: usize, at_s: Real, values: &[Real]) -> bool {
        let taken = self.grid.trigger(process, at_s, values);
        if taken {
            for &port in &self.grid.processes[process].ports {
                self.world.set_pushed(self.grid.pushes[port].site.body, true);
            }
        }
        taken
    }

    /// Runs processes over a stretch of samples, which lies within a cell.
    pub fn run_processes(&mut self, span: Span, inputs: Inputs<'_>) {
        self.grid.hear(span.ticks, |channel, i| inputs.later(i).sample(channel));
        self.grid.run(span);
    }

    /// The forces of processes on the bodies of an island at sample `i`, besides what slots say; `fast` are the slots that move
    /// by the sample.
    pub fn write_pushes(&mut self, island: usize, i: usize, ticks: usize, fast: &[usize]) {
        let Self { grid, world, slots, rate_hz, .. } = self;
        for push in grid.pushes.iter_mut().filter(|push| push.active) {
            if !world.is_in(island, push.site.body) {
                continue;
            }
            let slot = &slots[push.slot];
            let own = if fast.contains(&push.slot) { slot.lane[i] } else { slot.value };
            let (mut force, mut still) = (own + push.lane[i], true);
            // What a process has already pushed here in this sample, N: it may name a place more than once.
            let mut last = (usize::MAX, 0.0);
            for &(process, port) in push.bounded.iter() {
                let acting = &mut grid.processes[process];
                let wanted = acting.forces[port][i];
                if acting.holds(port, wanted) {
                    let body = &world.bodies[push.site.body];
                    let at = push.site.port;
                    let (inverse, sample_s) = (body.inverse_mass(at), 1.0 / *rate_hz);
                    let pushed = if last.0 == process { last.1 } else { 0.0 };
                    // Its speed in the middle of the sample by what others push, and twice as much by what this one does.
                    let velocity = body.velocity(at) + 0.5 * sample_s * inverse * (force + pushed);
                    let held = acting.hold(port, wanted, sample_s, (body.position(at), velocity, inverse));
                    last = (process, pushed + held);
                    acting.forces[port][i] = held; // what is felt of it is what it really did
                    force += held;
                    still = false;
                }
            }
            world.set_force(push.site, force);
            if i + 1 == ticks && still {
                push.settle(own, world);
            }
        }
    }

    /// One sample of an island, and what taps read of it.
    pub fn step_island(&mut self, island: usize, tick: u64, i: usize) {
        self.world.step(island, tick);
        for &body in self.world.island_bodies(island) {
            self.readings[body].iter_mut().for_each(|reading| reading.note(&*self.world.bodies[body], i));
        }
        for &contact in self.world.island_contacts(island) {
            for &tap in &self.moves.taps_of[contact] {
                self.taps[tap].note(&self.world.contacts[contact], i);
            }
            if self.touches.wanted {
                let held = &self.world.contacts[contact];
                self.touches.note(contact, tick, held.force, 1.0 / self.rate_hz);
                self.touches.feel(contact, held.force, held.law.slides());
            }
        }
        self.note(island, i);
    }

    /// A spare contact joins two sites, or none; false if it cannot. What it touched there ends at this sample. `[audio]`
    pub fn join(&mut self, contact: usize, between: Option<[Site; 2]>, tick: u64) -> bool {
        let done = contact < self.world.contacts.len() && self.world.join(contact, between);
        if self.touches.wanted && done && self.world.contacts[contact].force == 0.0 {
            self.touches.note(contact, tick, 0.0, 0.0);
        }
        done
    }

    /// A contact that sleeps has no force. `[audio]`
    pub fn note_sleepers(&mut self, tick: u64) {
        if self.touches.wanted {
            let asleep = self.world.contacts.iter().enumerate().filter(|(_, contact)| !contact.awake);
            asleep.for_each(|(index, _)| self.touches.note(index, tick, 0.0, 0.0));
        }
    }

    /// Moves a body that no island steps; `guide` is the slot that moves it by the sample, if one does.
    pub fn ring(&mut self, body: usize, ticks: usize, guide: Option<usize>) {
        let Some(slot) = guide else {
            return self.world.ring(body, ticks, &mut self.readings[body]);
        };
        if self.slots[slot].stands {
            self.write_lane(slot, 0);
            return self.world.ring(body, ticks, &mut self.readings[body]);
        }
        for i in 0..ticks {
            self.write_lane(slot, i);
            self.world.ring(body, 1, &mut self.readings[body]);
            for reading in &mut self.readings[body] {
                reading.file(i, ticks);
            }
        }
    }

    /// Adds the taps to the mix, which then goes through the spaces of the outputs.
    pub fn mix(&mut self, ticks: usize, mix: &mut [Real]) {
        let Self { taps, world, grid, readings, spaces, rate_hz, channels, moves, .. } = self;
        let mut heard = false;
        for tap in taps {
            if is_silent(tap, world, grid, moves) {
                continue;
            }
            match tap.from {
                TapFrom::Contact { contact, .. } if !world.contacts[contact].awake => tap.lane[..ticks].fill(0.0),
                TapFrom::Process(process) | TapFrom::Push(process)
                    if !grid.processes[process].written && tap.fade_left == 0 =>
                {
                    tap.lane[..ticks].fill(0.0);
                }
                TapFrom::Process(process) => tap.lane = grid.processes[process].sound,
                TapFrom::Push(process) => tap.lane = grid.processes[process].force(),
                _ => {}
            }
            heard = true;
            tap.mix(readings, *rate_hz, *channels, ticks, mix);
        }
        for space in spaces.iter_mut().flatten() {
            match heard || !space.rests() {
                true => space.pass(ticks, *channels, mix),
                false => space.rest(ticks),
            }
        }
    }

    /// Tick of the last scheduled gesture or breakpoint.
    pub fn last_cue(&self) -> u64 {
        let events = self.events.iter().map(|event| event.at).max().unwrap_or(0);
        let signals = self.grid.signals.iter().map(|heard| heard.signal.ends_s());
        let ends = self.drives.iter().map(Drive::ends_s).chain(signals);
        ends.map(|end_s| (end_s * self.rate_hz) as u64).fold(events, u64::max)
    }
}

fn read(world: &World, grid: &Grid, probe: Probe) -> Real {
    match probe {
        Probe::Signal(signal) => grid.signals[signal].signal.cell().from,
        Probe::Events(process) => grid.processes[process].events as Real,
        Probe::Given(process) => grid.processes[process].given_j(),
        Probe::Had(process) => grid.processes[process].process.book().had_j,
        _ => world.signal(probe),
    }
}
