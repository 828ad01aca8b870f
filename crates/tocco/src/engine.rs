// SPDX-License-Identifier: MIT OR Apache-2.0
//! The engine: a pure function from (state, timed commands) to (state, samples).
//!
//! `render` goes from one interesting tick to the next: commands and scene events take effect exactly at theirs,
//! control ticks come at absolute multiples of 32, and between them every island is stepped and every free body rung
//! for the whole stretch. How the host cuts its blocks only adds stopping places, and stopping changes no arithmetic:
//! the same scene and commands give the same bits for any block size.
//!
//! ```
//! use tocco::{Engine, Scene, SceneDef};
//! let text = r#"
//!     [body.hammer]
//!     type = "mass"
//!     mass_kg = 0.01
//!     velocity_m_s = 1.0
//!     [body.bar]
//!     type = "modal"
//!     modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }, { freq_hz = 1213.0, decay_s = 0.2, mass_kg = 0.05 }]
//!     [contact.hit]
//!     type = "impact"
//!     between = ["hammer", "bar"]
//!     [[tap]]
//!     of = "bar"
//! "#;
//! let scene = Scene::build(&SceneDef::from_text(text)?, 48_000.0)?;
//! let mut engine = Engine::new(scene);
//! let mut sound = vec![0.0; 48_000];
//! let health = engine.render(&mut [], &mut sound);
//! assert!(sound.iter().any(|x| x.abs() > 0.1) && health.unconverged == 0);
//! # Ok::<(), tocco::SceneError>(())
//! ```

use crate::contact::Site;
pub use crate::contact::world::Health;
use crate::contact::world::{World, stored};
use crate::math::Real;
use crate::param::Rate;
use crate::resonator::{CONTROL_TICKS, LEVELS, Motion};
use crate::scene::def::Quantity;
use crate::scene::{Address, Probe, Scene, TapFrom, Target};
use crate::units::gain;

/// Something to do.
pub enum Command {
    /// A new value for a parameter, force or control; glides as declared.
    Set(Address, Real),
    /// The same without a glide, at the next sample or control tick: for what is about to be struck.
    Jump(Address, Real),
    /// Sets a mass in motion from zero gap.
    Strike {
        /// Index of the mass.
        body: usize,
        /// m/s
        velocity_m_s: Real,
    },
    /// An ideal impulse.
    Hit {
        /// Where.
        site: Site,
        /// N s
        impulse_n_s: Real,
    },
    /// A port of a shape is touched at another place from here on; [`Scene::shape_at`] gives the values.
    Touch {
        /// Which port.
        site: Site,
        /// Shape value of every mode there.
        shape: Box<[Real]>,
    },
    /// Sheds load, or takes it up again.
    Quality {
        /// Most sub-steps, 1 to 64, rounded down to a power of two.
        max_substeps: u32,
        /// Untouched modes are silenced, sixteen at a time, where their energy is so far below that of everything;
        /// -300 dB or less: none.
        drop_below_db: Real,
    },
    /// Everything comes to rest, drives end, external forces and hands stop, scheduled gestures are forgotten.
    Hush,
    /// Another scene from here on, of the same rate and channel count, with at most 4096 parameters or as many as the
    /// engine's first. The old one rings out unheld and comes back by [`Engine::retired`]; the command keeps a scene
    /// only if that one was refused, or had to make room. Signals must be watched anew.
    Replace {
        /// The new scene; `None` once it has been taken.
        scene: Option<Box<Scene>>,
        /// True for an edit: time goes on, and what stays keeps sounding ([`Scene::adopt`]). False: the scene begins.
        adopt: bool,
    },
}

impl Command {
    /// Another scene, from its beginning. `[control]`
    pub fn replace(scene: Scene) -> Self {
        Command::Replace { scene: Some(Box::new(scene)), adopt: false }
    }

    /// An edited scene, in which what stays keeps sounding. `[control]`
    pub fn adopt(scene: Scene) -> Self {
        Command::Replace { scene: Some(Box::new(scene)), adopt: true }
    }

    /// All sub-steps, all modes.
    pub const FULL: Command = Command::Quality { max_substeps: 64, drop_below_db: -300.0 };
}

/// A command with its tick.
pub struct Timed {
    /// Sample index since the engine began.
    pub at: u64,
    /// What happens there.
    pub command: Command,
}

/// Renders a scene.
pub struct Engine {
    scene: Box<Scene>,
    tick: u64,
    /// Tick at which the present scene began.
    origin: u64,
    next_event: usize,
    controlled: Option<u64>,
    probes: Vec<Probe>,
    /// Slots that move at sample rate at present.
    fast: Vec<usize>,
    /// Slots that glide at control ticks at present.
    slow: Vec<usize>,
    mix: Vec<Real>,
    /// Counts of scenes that have been replaced, and of commands.
    past: Health,
    max_level: usize,
    /// Part of the energy of everything below which untouched modes are silenced.
    drop_below: Real,
    /// Scenes that ring out, and scenes that have.
    leaving: [Option<Leaving>; LEAVING],
}

pub use crate::hash::{START, sample as hashed};

/// A scene on its way out.
struct Leaving {
    scene: Box<Scene>,
    /// Samples until it is silent.
    left: u32,
}

/// Scenes that can be on their way out at once.
const LEAVING: usize = 4;

/// Moving parameters for which every engine has room, so that larger scenes may replace smaller ones.
const ROOM: usize = 4096;

/// Fastest strike, m/s, and largest impulse, N s, that a command may ask for: as in scene files.
const FASTEST: Real = 1e4;

impl Engine {
    /// An engine at tick 0. `[control]`
    pub fn new(scene: Scene) -> Self {
        let slots = scene.slots.len();
        let channels = scene.channels();
        let mut engine = Self {
            scene: Box::new(scene),
            tick: 0,
            origin: 0,
            next_event: 0,
            controlled: None,
            probes: Vec::new(),
            fast: Vec::with_capacity(slots.max(ROOM)),
            slow: Vec::with_capacity(slots.max(ROOM)),
            mix: vec![0.0; CONTROL_TICKS * channels],
            past: Health::default(),
            max_level: LEVELS - 1,
            drop_below: 0.0,
            leaving: [const { None }; LEAVING],
        };
        engine.adopt_slots();
        engine
    }

    /// The scene that sounds.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Samples rendered so far.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Energy of all bodies and laws, J.
    pub fn energy(&self) -> Real {
        self.scene.world.energy()
    }

    /// Work of all outsiders since the start, J.
    pub fn work(&self) -> Real {
        self.scene.world.work()
    }

    /// Energy of every body, then of every contact's law, J, as far as there is room.
    pub fn energies(&self, out: &mut [Real]) {
        let World { bodies, contacts, .. } = &self.scene.world;
        let all = bodies.iter().map(|body| body.energy()).chain(contacts.iter().map(stored));
        out.iter_mut().zip(all).for_each(|(cell, energy)| *cell = energy);
    }

    /// Energy of every mode of a body, J, as far as there is room; the number of its modes.
    pub fn mode_energies(&self, body: usize, out: &mut [Real]) -> usize {
        self.scene.world.bodies.get(body).map_or(0, |body| body.mode_energies(out))
    }

    /// Totals since the start.
    pub fn health(&self) -> Health {
        self.past.and(&self.scene.world.health)
    }

    /// Chooses the signals that [`Engine::render_probed`] writes; those of another scene that do not fit are left out.
    /// `[control]`
    pub fn watch(&mut self, probes: &[Probe]) {
        self.probes = probes.iter().filter(|probe| self.knows(**probe)).copied().collect();
    }

    fn knows(&self, probe: Probe) -> bool {
        let (bodies, contacts) = (&self.scene.world.bodies, self.scene.world.contacts.len());
        match probe {
            Probe::Position(site) | Probe::Velocity(site) => {
                bodies.get(site.body).is_some_and(|b| site.port < b.ports())
            }
            Probe::Force(index) | Probe::Compression(index) => index < contacts,
            Probe::Iterations(index) | Probe::Substeps(index) => index < contacts,
            Probe::Energy | Probe::Work => true,
        }
    }

    /// A signal as it stands now; 0 if it belongs to another scene. `[audio]`
    pub fn probe(&self, probe: Probe) -> Real {
        if self.knows(probe) { self.read(probe) } else { 0.0 }
    }

    /// A scene that has been replaced and has rung out, to be freed where time does not matter. `[audio]`
    pub fn retired(&mut self) -> Option<Box<Scene>> {
        let done = self.leaving.iter_mut().find(|slot| slot.as_ref().is_some_and(|leaving| leaving.left == 0))?;
        done.take().map(|leaving| leaving.scene)
    }

    /// Renders interleaved frames (`out.len() / channels`) and applies the commands whose tick falls into them; commands
    /// are sorted by tick. Commands of later ticks are left alone: hand them in again with the block they fall into. A
    /// block of no frames applies what is due now. No allocation, lock, file, clock or panic. `[audio]`
    pub fn render(&mut self, commands: &mut [Timed], out: &mut [f32]) -> Health {
        self.run(commands, out, None);
        self.health()
    }

    /// As [`Engine::render`], and writes the watched signals after every sample, one row per frame. `[audio]`
    pub fn render_probed(&mut self, commands: &mut [Timed], out: &mut [f32], probes: &mut [Real]) -> Health {
        self.run(commands, out, Some(probes));
        self.health()
    }

    fn run(&mut self, commands: &mut [Timed], out: &mut [f32], mut probes: Option<&mut [Real]>) {
        let channels = self.scene.channels();
        let frames = out.len() / channels;
        let (mut done, mut next) = (0, 0);
        if frames == 0 {
            let now = self.tick;
            commands.iter_mut().take_while(|c| c.at <= now).for_each(|c| self.apply(&mut c.command));
        }
        while done < frames {
            while next < commands.len() && commands[next].at <= self.tick {
                self.apply(&mut commands[next].command);
                next += 1;
            }
            self.run_events();
            if self.tick.is_multiple_of(CONTROL_TICKS as u64) && self.controlled != Some(self.tick) {
                self.controlled = Some(self.tick);
                self.control();
            }
            let mut ticks = CONTROL_TICKS - (self.tick % CONTROL_TICKS as u64) as usize;
            ticks = ticks.min(frames - done);
            if let Some(command) = commands.get(next) {
                ticks = ticks.min((command.at - self.tick).min(CONTROL_TICKS as u64) as usize);
            }
            if let Some(event) = self.scene.events.get(self.next_event) {
                ticks =
                    ticks.min((self.origin.saturating_add(event.at) - self.tick).min(CONTROL_TICKS as u64) as usize);
            }
            if probes.is_some() {
                ticks = 1;
            }
            self.stretch(ticks);
            for (sample, value) in out[done * channels..].iter_mut().zip(&self.mix[..ticks * channels]) {
                // A fault is found within eight control ticks; until then it is silence, not a NaN in somebody's filter. A
                // number that only f64 can hold is as much of a fault here.
                let value = *value as f32;
                *sample = if value.is_finite() { value } else { 0.0 };
            }
            if let Some(rows) = probes.as_deref_mut() {
                let width = self.probes.len();
                for (column, probe) in self.probes.iter().enumerate() {
                    if let Some(cell) = rows.get_mut(done * width + column) {
                        *cell = self.read(*probe);
                    }
                }
            }
            done += ticks;
            self.tick += ticks as u64;
        }
    }

    fn read(&self, probe: Probe) -> Real {
        let world = &self.scene.world;
        match probe {
            Probe::Position(site) => world.bodies[site.body].position(site.port),
            Probe::Velocity(site) => world.bodies[site.body].velocity(site.port),
            Probe::Force(contact) => world.contacts[contact].force,
            Probe::Compression(contact) => world.compression(contact),
            Probe::Iterations(contact) => Real::from(world.contacts[contact].iterations),
            Probe::Substeps(contact) => Real::from(world.contacts[contact].substeps()),
            Probe::Energy => world.energy(),
            Probe::Work => world.work(),
        }
    }

    fn run_events(&mut self) {
        while let Some(event) = self.scene.events.get(self.next_event) {
            if self.origin.saturating_add(event.at) > self.tick {
                break;
            }
            self.next_event += 1;
            match event.command {
                Command::Set(address, value) => self.set(address, value, true),
                Command::Jump(address, value) => self.set(address, value, false),
                Command::Strike { body, velocity_m_s } => self.strike(body, velocity_m_s),
                Command::Hit { site, impulse_n_s } => self.hit(site, impulse_n_s),
                Command::Touch { .. } | Command::Quality { .. } | Command::Hush | Command::Replace { .. } => {}
            }
        }
    }

    fn apply(&mut self, command: &mut Command) {
        match command {
            Command::Set(address, value) => self.set(*address, *value, true),
            Command::Jump(address, value) => self.set(*address, *value, false),
            Command::Strike { body, velocity_m_s } => self.strike(*body, *velocity_m_s),
            Command::Hit { site, impulse_n_s } => self.hit(*site, *impulse_n_s),
            Command::Touch { site, shape } => {
                let known = self.scene.world.bodies.get(site.body).is_some_and(|b| site.port < b.ports());
                let sane = shape.iter().all(|value| value.is_finite());
                if !known || !sane || !self.scene.world.touch_at(*site, shape) {
                    self.past.refused += 1;
                }
            }
            Command::Quality { max_substeps, drop_below_db } => {
                self.max_level = ((*max_substeps).clamp(1, 64).ilog2() as usize).min(LEVELS - 1);
                let amplitude = if *drop_below_db > -300.0 { gain(drop_below_db.min(0.0)) } else { 0.0 };
                self.drop_below = amplitude * amplitude;
                (self.scene.world.max_level, self.scene.world.drop_below) = (self.max_level, self.drop_below);
            }
            Command::Hush => {
                self.scene.hush();
                self.next_event = self.scene.events.len();
                self.adopt_slots();
            }
            Command::Replace { scene, adopt } => *scene = scene.take().and_then(|new| self.replace(new, *adopt)),
        }
    }

    /// Takes a scene; returns it if it does not fit, or one that has to make room.
    fn replace(&mut self, mut new: Box<Scene>, adopt: bool) -> Option<Box<Scene>> {
        let fits = new.channels() == self.scene.channels()
            && new.rate_hz() == self.scene.rate_hz()
            && new.slots.len() <= self.fast.capacity().min(self.slow.capacity());
        if !fits {
            self.past.refused += 1;
            return Some(new);
        }
        self.past = self.health();
        (self.past.omitted, self.next_event) = (0, 0);
        (new.world.max_level, new.world.drop_below) = (self.max_level, self.drop_below);
        new.adopt(&mut self.scene, adopt);
        if adopt {
            let now = self.tick - self.origin;
            self.next_event = new.events.partition_point(|event| event.at < now);
        } else {
            self.origin = self.tick;
        }
        core::mem::swap(&mut self.scene, &mut new);
        self.probes.clear();
        self.adopt_slots();
        let left = new.leave();
        let nearest_end = |slot: &Option<Leaving>| slot.as_ref().map_or(0, |leaving| 1 + u64::from(leaving.left));
        let (mut place, mut least) = (0, u64::MAX);
        for (index, slot) in self.leaving.iter().enumerate() {
            if nearest_end(slot) < least {
                (place, least) = (index, nearest_end(slot));
            }
        }
        self.leaving[place].replace(Leaving { scene: new, left }).map(|leaving| leaving.scene)
    }

    /// A gesture's size within what scene files may say; not a number stays so.
    fn within(&mut self, size: Real) -> Real {
        let held = size.clamp(-FASTEST, FASTEST);
        self.past.clamped += u64::from(held != size && !size.is_nan());
        held
    }

    fn strike(&mut self, body: usize, velocity_m_s: Real) {
        let velocity_m_s = self.within(velocity_m_s);
        let known = body < self.scene.world.bodies.len() && velocity_m_s.is_finite();
        if !known || !self.scene.world.strike(body, velocity_m_s) {
            self.past.refused += 1;
        }
    }

    fn hit(&mut self, site: Site, impulse_n_s: Real) {
        let impulse_n_s = self.within(impulse_n_s);
        let known = self.scene.world.bodies.get(site.body).is_some_and(|b| site.port < b.ports());
        if !known || !impulse_n_s.is_finite() || !self.scene.world.hit(site, impulse_n_s) {
            self.past.refused += 1;
        }
    }

    fn set(&mut self, address: Address, value: Real, glides: bool) {
        match address {
            Address::Slot(index) => self.set_slot(index, value, glides),
            Address::Control(index) => {
                let count = self.scene.macros.get(index).map_or(0, |m| m.reach.len());
                self.past.refused += u64::from(count == 0);
                for at in 0..count {
                    let reach = self.scene.macros[index].reach[at];
                    self.set_slot(reach.slot, reach.at(value), glides);
                }
            }
        }
    }

    fn set_slot(&mut self, index: usize, value: Real, glides: bool) {
        let rate_hz = self.scene.rate_hz();
        let Some(slot) = self.scene.slots.get_mut(index) else {
            self.past.refused += 1;
            return;
        };
        if value.is_nan() {
            self.past.refused += 1;
            return;
        }
        let wanted = value.clamp(slot.spec.min, slot.spec.max);
        self.past.clamped += u64::from(wanted != value);
        slot.drive = None; // a command overrides a drive
        let moving = slot.left > 0;
        slot.lead(wanted, if glides { slot.spec.glide_s * rate_hz } else { 0.0 });
        let (rate, target) = (slot.spec.rate, slot.target);
        let list = if rate == Rate::Sample { &mut self.fast } else { &mut self.slow };
        if !moving && !list.contains(&index) {
            list.push(index);
        }
        match target {
            Target::Force(site) => self.scene.world.lean(site.body, true),
            Target::Body { body, .. } if rate == Rate::Sample => self.scene.world.lean(body, true),
            _ => {}
        }
    }

    /// Finds the slots that move in a scene that has just become ours.
    fn adopt_slots(&mut self) {
        self.fast.clear();
        self.slow.clear();
        for (index, slot) in self.scene.slots.iter().enumerate() {
            if slot.is_moving() {
                let list = if slot.spec.rate == Rate::Sample { &mut self.fast } else { &mut self.slow };
                list.push(index);
            }
        }
    }

    /// One control tick.
    fn control(&mut self) {
        let time = (self.tick - self.origin) as Real / self.scene.rate_hz();
        let mut at = 0;
        while at < self.slow.len() {
            let index = self.slow[at];
            let value = match self.scene.slots[index].drive {
                Some(drive) => {
                    let value = self.scene.driven(drive, time);
                    let spec = self.scene.slots[index].spec;
                    value.clamp(spec.min, spec.max)
                }
                None => self.scene.slots[index].glide(),
            };
            if value != self.scene.slots[index].value || self.scene.slots[index].left == 0 {
                self.scene.slots[index].value = value;
                self.scene.write_slot(index, value);
            }
            if self.scene.slots[index].is_moving() {
                at += 1;
            } else {
                self.slow.swap_remove(at);
            }
        }
        for &index in &self.fast {
            if let Target::Contact { contact, .. } = self.scene.slots[index].target {
                self.scene.world.reconsider(contact);
            }
        }
        self.fast.retain(|&index| self.scene.slots[index].is_moving());
        for body in 0..self.scene.world.bodies.len() {
            if self.scene.world.is_pushed(body) && !self.acts_on(body) {
                self.scene.world.lean(body, false);
            }
        }
        self.scene.world.control();
    }

    fn acts_on(&self, body: usize) -> bool {
        self.scene.slots.iter().any(|slot| match slot.target {
            Target::Force(site) => site.body == body && (slot.is_moving() || slot.value != 0.0),
            Target::Body { body: moved, .. } => moved == body && slot.spec.rate == Rate::Sample && slot.is_moving(),
            _ => false,
        })
    }

    /// Renders `ticks` samples into the mix; nothing but time happens in between.
    fn stretch(&mut self, ticks: usize) {
        let Self { scene, fast, mix, tick, origin, leaving, .. } = self;
        let rate_hz = scene.rate_hz();
        for &index in fast.iter() {
            for i in 0..ticks {
                let value = match scene.slots[index].drive {
                    Some(drive) => {
                        let value = scene.driven(drive, (*tick + i as u64 - *origin) as Real / rate_hz);
                        let spec = scene.slots[index].spec;
                        value.clamp(spec.min, spec.max)
                    }
                    None => scene.slots[index].glide(),
                };
                scene.slots[index].value = value;
                scene.slots[index].lane[i] = value;
            }
        }
        for island in 0..scene.world.islands() {
            for i in 0..ticks {
                for &index in fast.iter() {
                    lay(scene, index, i);
                }
                scene.world.step(island, *tick + i as u64);
                for &body in scene.world.island_bodies(island) {
                    for reading in &mut scene.readings[body] {
                        reading.values[i] = match reading.motion {
                            Motion::Position => scene.world.bodies[body].position(reading.port),
                            Motion::Velocity => scene.world.bodies[body].velocity(reading.port),
                        };
                    }
                }
                for tap in &mut scene.taps {
                    if let TapFrom::Contact { contact, quantity } = tap.from
                        && scene.world.island_contacts(island).contains(&contact)
                    {
                        let node = &scene.world.contacts[contact];
                        tap.lane[i] = if quantity == Quantity::Force { node.force } else { node.compression };
                    }
                }
            }
        }
        for body in 0..scene.world.bodies.len() {
            if scene.world.in_island(body) {
                continue;
            }
            let guided = fast
                .iter()
                .find(|&&index| matches!(scene.slots[index].target, Target::Body { body: b, .. } if b == body));
            match guided.copied() {
                None => scene.world.ring(body, ticks, &mut scene.readings[body]),
                Some(index) => {
                    for i in 0..ticks {
                        lay(scene, index, i);
                        scene.world.ring(body, 1, &mut scene.readings[body]);
                        for reading in &mut scene.readings[body] {
                            reading.file(i, ticks);
                        }
                    }
                }
            }
        }
        let channels = scene.channels();
        mix[..ticks * channels].fill(0.0);
        let Scene { taps, world, .. } = &mut **scene;
        for tap in taps {
            if let TapFrom::Contact { contact, .. } = tap.from
                && !world.contacts[contact].awake
            {
                tap.lane[..ticks].fill(0.0);
            }
        }
        scene.mix(ticks, mix);
        for leaving in leaving.iter_mut().flatten() {
            if leaving.left > 0 {
                leaving.scene.ring_out(ticks, mix);
                leaving.left = leaving.left.saturating_sub(ticks as u32);
            }
        }
    }
}

/// Gives the node behind a sample-rate slot its value for sample `i` of the stretch.
fn lay(scene: &mut Scene, index: usize, i: usize) {
    let value = scene.slots[index].lane[i];
    match scene.slots[index].target {
        Target::Force(site) => scene.world.set_force(site, value),
        Target::Body { body, param } => scene.world.bodies[body].set(param, value),
        Target::Contact { contact, param } => scene.world.lead_contact(contact, param, value),
        Target::Surface { .. } => scene.write_slot(index, value),
    }
}

impl Scene {
    /// Value of a drive at a scene time, in the units of the slot it moves.
    pub(crate) fn driven(&mut self, drive: usize, time: Real) -> Real {
        let Some(value) = self.drives[drive].value(time) else { return self.drives[drive].rest };
        match self.drives[drive].through {
            None => value,
            Some(reach) => reach.at(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SceneDef;

    #[test]
    fn a_body_that_stops_being_finite_is_silent_at_once_reset_within_6_ms_and_counted() {
        let text = "[body.bar]\ntype = \"modal\"\nmodes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }]\n\
             [body.string]\ntype = \"string\"\n[body.ball]\ntype = \"mass\"\nmass_kg = 0.01\nposition_m = -1.0\n\
             [contact.hit]\ntype = \"impact\"\nbetween = [\"ball\", \"bar\"]\n\
             [[tap]]\nof = \"bar\"\n[[tap]]\nof = \"string\"\n[[tap]]\nof = \"ball\"\n";
        let def = SceneDef::from_text(text).unwrap();
        for body in 0..3 {
            let mut engine = Engine::new(Scene::build(&def, 48_000.0).unwrap());
            let mut out = [0.0; 1_000];
            engine.render(&mut [], &mut out);
            engine.scene.world.disturb(body);
            engine.scene.world.bodies[body].hit(0, Real::NAN);
            engine.render(&mut [], &mut out);
            assert!(out.iter().all(|x| x.is_finite()), "body {body}");
            // A string is looked at where its first cell comes by: once a period.
            assert!(engine.health().reset >= 1, "body {body}");
            let site = Site { body: 0, port: 0 };
            engine.render(&mut [Timed { at: 0, command: Command::Hit { site, impulse_n_s: 0.01 } }], &mut out);
            assert!(out.iter().any(|x| x.abs() > 1e-3) && engine.energy().is_finite(), "body {body}: it sounds again");
        }
    }

    #[test]
    fn a_number_that_only_f64_can_hold_is_silence_and_not_an_infinite_sample() {
        let text = "[body.bar]\ntype = \"modal\"\nmodes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }]\n[[tap]]\nof = \"bar\"\n";
        let mut engine = Engine::new(Scene::build(&SceneDef::from_text(text).unwrap(), 48_000.0).unwrap());
        let mut out = [1.0; 64];
        engine.scene.world.disturb(0);
        engine.scene.world.bodies[0].hit(0, 1e60);
        engine.render(&mut [], &mut out);
        assert!(out.iter().all(|x| x.is_finite()) && engine.energy() > 1e100);
    }
}
