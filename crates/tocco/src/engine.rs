// SPDX-License-Identifier: MIT OR Apache-2.0
//! The engine: a pure function from (state, timed commands) to (state, samples).
//!
//! `render` goes from one interesting tick to the next: commands and scene events take effect exactly at theirs,
//! control ticks come at absolute multiples of 32, and between them every island is stepped and every free body rung
//! for the whole stretch. How the host cuts its blocks only adds stopping places, and stopping changes no arithmetic:
//! the same scene and commands give the same bits for any block size.
//!
//! ```
//! use tocco::{Engine, Queue, Scene, SceneDef};
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
//! let health = engine.render(&[], &mut Queue::new(), &mut sound);
//! assert!(sound.iter().any(|x| x.abs() > 0.1) && health.unconverged == 0);
//! # Ok::<(), tocco::SceneError>(())
//! ```

use crate::command;
use crate::contact::Site;
pub use crate::contact::world::Health;
use crate::contact::world::{World, stored};
use crate::gesture::{FASTEST_M_S, LARGEST_N_S, LONGEST_GLIDE_S};
pub use crate::hash::{START, sample as hashed};
use crate::math::Real;
use crate::param::Rate;
use crate::process::Span;
use crate::reserve::Reserve;
use crate::resonator::{CONTROL_TICKS, LEVELS};
use crate::scene::drive::Inputs;
use crate::scene::{Grip, Happening, Probe, Runtime, Scene, Target, Touch};
use crate::units::gain;
pub use command::Address;

/// Something to do.
pub type Command = command::Command<Scene>;
/// A command with its tick.
pub type Timed = command::Timed<Scene>;
/// Commands that wait for their tick.
pub type Queue = command::Queue<Scene>;

/// Renders a scene.
#[derive(Clone)]
pub struct Engine {
    scene: Box<Scene>,
    tick: u64,
    /// Tick at which the present scene began.
    origin: u64,
    next_event: usize,
    controlled: Option<u64>,
    /// Slots that move at sample rate at present.
    fast: Reserve<usize>,
    /// Slots that glide at control ticks at present.
    slow: Reserve<usize>,
    mix: Vec<Real>,
    /// Counts of scenes that have been replaced, and of commands.
    past: Health,
    max_level: usize,
    /// Part of the energy of everything below which untouched modes are silenced.
    drop_below: Real,
    /// Jumps wait for the next sample or control tick, and sub-steps are counted by the first rule.
    as_at_first: bool,
    /// Scenes that ring out, and scenes that have.
    leaving: [Option<Leaving>; LEAVING],
}

/// A scene on its way out.
#[derive(Clone)]
struct Leaving {
    scene: Box<Scene>,
    /// Samples until it is silent.
    left: u32,
}

/// Scenes that can be on their way out at once.
const LEAVING: usize = 4;

/// Moving parameters for which every engine has room, so that larger scenes may replace smaller ones.
pub const ROOM: usize = 4096;

/// How a value gets to where it is sent.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// By the glide that its parameter declares.
    Declared,
    /// By a glide of so many seconds.
    Lasting(Real),
    /// Without one.
    AtOnce,
}

/// Where samples go.
enum Sink<'a, 'b> {
    Interleaved(&'a mut [f32]),
    Planar(&'a mut [&'b mut [f32]]),
}

impl Sink<'_, '_> {
    fn frames(&self, channels: usize) -> usize {
        match self {
            Sink::Interleaved(out) => out.len() / channels,
            Sink::Planar(out) => out.iter().map(|channel| channel.len()).min().unwrap_or(0),
        }
    }

    /// Writes frames of the mix from frame `at` on. A fault is found within eight control ticks; until then it is silence,
    /// not a NaN in somebody's filter. A number that only f64 can hold is as much of a fault here.
    fn write(&mut self, at: usize, mix: &[Real], channels: usize) {
        let sample = |value: Real| {
            let value = value as f32;
            if value.is_finite() { value } else { 0.0 }
        };
        match self {
            Sink::Interleaved(out) => {
                out[at * channels..].iter_mut().zip(mix).for_each(|(cell, value)| *cell = sample(*value));
            }
            Sink::Planar(out) => {
                for (channel, out) in out.iter_mut().enumerate().take(channels) {
                    let values = mix[channel..].iter().step_by(channels);
                    out[at..].iter_mut().zip(values).for_each(|(cell, value)| *cell = sample(*value));
                }
            }
        }
    }
}

impl Engine {
    /// An engine at tick 0. `[control]`
    pub fn new(scene: Scene) -> Self {
        let slots = scene.runtime.slots.len();
        let channels = scene.channels();
        let mut engine = Self {
            scene: Box::new(scene),
            tick: 0,
            origin: 0,
            next_event: 0,
            controlled: None,
            fast: Reserve::of(slots.max(ROOM)),
            slow: Reserve::of(slots.max(ROOM)),
            mix: vec![0.0; CONTROL_TICKS * channels],
            past: Health::default(),
            max_level: LEVELS - 1,
            drop_below: 0.0,
            as_at_first: false,
            leaving: [const { None }; LEAVING],
        };
        engine.find_moving_slots();
        engine
    }

    /// Plays as takes of format 1 were played: [`Command::Jump`] waits for the next sample, or control tick where the parameter
    /// is of control rate, sub-steps are counted by the rule of that time and banks retuned by the sample, in this scene and those that
    /// replace it. `[control]`
    pub fn play_as_at_first(&mut self) {
        self.as_at_first = true;
        self.scene.runtime.world.step_as_at_first();
    }

    /// The scene that sounds.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Samples rendered so far.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Tick at which the present scene began: times within it count from there.
    pub fn began(&self) -> u64 {
        self.origin
    }

    /// Energy of all bodies and laws, J.
    pub fn energy(&self) -> Real {
        self.world().energy()
    }

    /// Work of all outsiders since the start, J.
    pub fn work(&self) -> Real {
        self.world().work()
    }

    fn world(&self) -> &World {
        &self.scene.runtime.world
    }

    /// Energy of every body, then of every contact's law, J, as far as there is room.
    pub fn energies(&self, out: &mut [Real]) {
        let World { bodies, contacts, .. } = self.world();
        let all = bodies.iter().map(|body| body.energy()).chain(contacts.iter().map(stored));
        out.iter_mut().zip(all).for_each(|(cell, energy)| *cell = energy);
    }

    /// Energy of every mode of a body, J, as far as there is room; the number of its modes.
    pub fn mode_energies(&self, body: usize, out: &mut [Real]) -> usize {
        self.world().bodies.get(body).map_or(0, |body| body.mode_energies(out))
    }

    /// Totals since the start.
    pub fn health(&self) -> Health {
        self.past.and(&self.world().health)
    }

    /// Chooses the signals that [`Engine::render_probed`] writes; those of another scene that do not fit are left out.
    /// `[control]`
    pub fn watch(&mut self, probes: &[Probe]) {
        let known: Vec<Probe> = probes.iter().filter(|probe| self.knows(**probe)).copied().collect();
        self.scene.runtime.watch(known.into_iter());
        self.scene.runtime.rouse();
    }

    fn knows(&self, probe: Probe) -> bool {
        let contacts = self.world().contacts.len();
        match probe {
            Probe::Position(site) | Probe::Velocity(site) => self.has(site),
            Probe::BodyEnergy(body) => body < self.world().bodies.len(),
            Probe::Signal(signal) => signal < self.scene.runtime.grid.signals.len(),
            Probe::Events(process) | Probe::Given(process) | Probe::Had(process) => {
                process < self.scene.runtime.grid.processes.len()
            }
            Probe::Force(index) | Probe::Compression(index) => index < contacts,
            Probe::Iterations(index) | Probe::Substeps(index) => index < contacts,
            Probe::Energy | Probe::Work => true,
            Probe::PartEnergy { bodies, contacts: own } => bodies[1] <= self.world().bodies.len() && own[1] <= contacts,
        }
    }

    fn has(&self, site: Site) -> bool {
        self.world().bodies.get(site.body).is_some_and(|body| site.port < body.ports())
    }

    /// A signal as it stands now; 0 if it belongs to another scene. `[audio]`
    pub fn probe(&self, probe: Probe) -> Real {
        if self.knows(probe) { self.scene.runtime.read(probe) } else { 0.0 }
    }

    /// Where a parameter of the present scene stands, by its number in the directory: what is driven now, anything else where it is
    /// told to go. `[audio]`
    pub fn setting(&self, slot: usize) -> Option<Real> {
        let slot = self.scene.runtime.slots.get(slot)?;
        Some(if slot.drive.is_some() || slot.streams() { slot.value } else { slot.goal })
    }

    /// The next thing that a process of the present scene has done and nobody has taken yet; the last thousand are kept.
    /// `[audio]`
    pub fn take_happening(&mut self) -> Option<Happening> {
        self.scene.runtime.grid.take_happening()
    }

    /// Notes from here on when contacts begin and end, or no more; no sample changes by it. `[audio]`
    pub fn watch_touches(&mut self, wanted: bool) {
        self.scene.runtime.touches.wanted = wanted;
        self.scene.runtime.rouse();
    }

    /// The next contact of the present scene that has begun or ended since [`Engine::watch_touches`] and that nobody has taken
    /// yet, contacts of one stretch of 32 samples in the order of their islands; the last thousand are kept. `[audio]`
    pub fn take_touch(&mut self) -> Option<Touch> {
        self.scene.runtime.touches.take()
    }

    /// How a contact of the present scene was held since this was last asked, from [`Engine::watch_touches`] on. `[audio]`
    pub fn grip(&mut self, contact: usize) -> Option<Grip> {
        self.scene.runtime.touches.grip(contact)
    }

    /// True while nothing of the scene moves and nothing sounds: until something happens, rendering writes silence and costs next to
    /// nothing. `[audio]`
    pub fn rests(&self) -> bool {
        self.scene.runtime.rests() && self.leaving.iter().flatten().all(|leaving| leaving.left == 0)
    }

    /// Displacement, m, and velocity, m/s, of every mode of a body where its shape is 1, and its undamped frequency now, rad/s, as
    /// far as there is room; the number of its modes. `[audio]`
    pub fn mode_motions(&self, body: usize, out: &mut [[Real; 3]]) -> usize {
        self.world().bodies.get(body).map_or(0, |body| body.mode_motions(out))
    }

    /// Position of a port of a body, m; none if there is no such port. `[audio]`
    pub fn position(&self, body: usize, port: usize) -> Option<Real> {
        let body = self.world().bodies.get(body)?;
        (port < body.ports()).then(|| body.position(port))
    }

    /// A scene that has been replaced and has rung out, to be freed where time does not matter; where nobody asks, the command by which the
    /// next one leaves hands it back. `[audio]`
    pub fn retired(&mut self) -> Option<Box<Scene>> {
        let done = self.leaving.iter_mut().find(|slot| slot.as_ref().is_some_and(|leaving| leaving.left == 0))?;
        done.take().map(|leaving| leaving.scene)
    }

    /// Renders interleaved frames (`out.len() / channels`) and applies the commands whose tick falls into them, which
    /// leave the queue; later ones wait in it. `inputs` are the channels of sound that comes in, each at least as long as
    /// the block, none where there are none: what is missing is silence. A block of no frames applies what is due now.
    /// No allocation, lock, file, clock or panic. `[audio]`
    pub fn render(&mut self, inputs: &[&[f32]], commands: &mut Queue, out: &mut [f32]) -> Health {
        self.run(inputs, commands, Sink::Interleaved(out), None);
        self.health()
    }

    /// As [`Engine::render`], a slice for each channel of the scene; the shortest tells how many frames there are, and
    /// channels beyond those of the scene are left as they are. `[audio]`
    pub fn render_planar(&mut self, inputs: &[&[f32]], commands: &mut Queue, out: &mut [&mut [f32]]) -> Health {
        self.run(inputs, commands, Sink::Planar(out), None);
        self.health()
    }

    /// As [`Engine::render`], and writes the watched signals after every sample, one row per frame. `[audio]`
    pub fn render_probed(
        &mut self,
        inputs: &[&[f32]],
        commands: &mut Queue,
        out: &mut [f32],
        probes: &mut [Real],
    ) -> Health {
        self.run(inputs, commands, Sink::Interleaved(out), Some(probes));
        self.health()
    }

    fn run(
        &mut self,
        inputs: &[&[f32]],
        commands: &mut Queue,
        mut sink: Sink<'_, '_>,
        mut probes: Option<&mut [Real]>,
    ) {
        let channels = self.scene.channels();
        let frames = sink.frames(channels);
        let mut inputs = Inputs { channels: inputs, at: 0 };
        if frames == 0 {
            self.apply_due(commands);
        }
        while inputs.at < frames {
            self.apply_due(commands);
            self.run_events();
            let began = self.tick - self.origin;
            while self.scene.runtime.grid.next_tick(self.scene.rate_hz()).is_some_and(|at| at <= began) {
                self.scene.runtime.enter_cell(self.scene.rate_hz(), &self.slow);
                if !self.scene.runtime.rests() {
                    self.scene.runtime.rouse_moved(&self.fast);
                }
            }
            while self.scene.runtime.grid.next_landing(self.scene.rate_hz()).is_some_and(|at| at <= began) {
                if let Some((body, velocity_m_s, later_s)) = self.scene.runtime.grid.take_landing(self.scene.rate_hz())
                {
                    self.strike(body, velocity_m_s, later_s);
                }
            }
            if self.tick.is_multiple_of(CONTROL_TICKS as u64) && self.controlled != Some(self.tick) {
                self.controlled = Some(self.tick);
                self.control(inputs);
            }
            let mut ticks = CONTROL_TICKS - (self.tick % CONTROL_TICKS as u64) as usize;
            ticks = ticks.min(frames - inputs.at);
            let event = self.scene.runtime.events.get(self.next_event);
            let event = event.map(|event| self.origin.saturating_add(event.at));
            let cell = self.scene.runtime.grid.next_tick(self.scene.rate_hz()).map(|at| self.origin + at);
            let landing = self.scene.runtime.grid.next_landing(self.scene.rate_hz()).map(|at| self.origin + at);
            for next in commands.next_at().into_iter().chain(event).chain(cell).chain(landing) {
                ticks = ticks.min((next - self.tick).min(CONTROL_TICKS as u64) as usize);
            }
            let watched = probes.is_some() && self.scene.runtime.watches_everything();
            if watched || self.scene.runtime.grid.shares_a_bound() {
                ticks = 1;
            }
            self.stretch(ticks, inputs);
            sink.write(inputs.at, &self.mix[..ticks * channels], channels);
            if let Some(rows) = probes.as_deref_mut() {
                let from = inputs.at * self.scene.runtime.watches.len();
                self.scene.runtime.write_watched(ticks, rows.get_mut(from..).unwrap_or_default());
            }
            inputs = inputs.later(ticks);
            self.tick += ticks as u64;
        }
    }

    fn apply_due(&mut self, commands: &mut Queue) {
        while commands.apply_next(self.tick, |command| match command {
            Command::Replace { scene, adopt } => *scene = scene.take().and_then(|new| self.replace(new, *adopt)),
            Command::Stream { address, values } => self.stream(*address, values),
            command => self.apply(command),
        }) {}
    }

    fn run_events(&mut self) {
        while let Some(event) = self.scene.runtime.events.get(self.next_event) {
            if self.origin.saturating_add(event.at) > self.tick {
                break;
            }
            self.next_event += 1;
            let command = event.command.clone(); // numbers only: a scene holds no other gestures
            self.apply(&command);
        }
    }

    fn apply<S>(&mut self, command: &command::Command<S>) {
        use command::Command;
        self.scene.runtime.rouse();
        match command {
            Command::Set(address, value) => self.set(*address, *value, Way::Declared),
            Command::Glide { address, value, glide_s } => self.set(*address, *value, Way::Lasting(*glide_s)),
            Command::Jump(address, value) => self.set(*address, *value, Way::AtOnce),
            Command::Strike { body, velocity_m_s } => self.strike(*body, *velocity_m_s, 0.0),
            Command::Hit { site, impulse_n_s } => self.hit(*site, *impulse_n_s),
            Command::Touch { site, values } => {
                let sane = self.has(*site) && values.iter().all(|value| value.is_finite());
                if !sane || !self.scene.runtime.world.touch_at(*site, values) {
                    self.past.refused += 1;
                }
            }
            Command::Join { contact, between } => {
                let sane = between.iter().flatten().all(|site| self.has(*site));
                if !sane || !self.scene.runtime.join(*contact, *between, self.tick) {
                    self.past.refused += 1;
                }
            }
            Command::Trigger { process, values } => {
                let at_s = (self.tick - self.origin) as Real / self.scene.rate_hz();
                let sane = values.iter().all(|value| value.is_finite());
                if !sane || !self.scene.runtime.trigger(*process, at_s, values) {
                    self.past.refused += 1;
                }
            }
            Command::Quality { max_substeps, drop_below_db } => {
                self.max_level = ((*max_substeps).clamp(1, 64).ilog2() as usize).min(LEVELS - 1);
                let amplitude = if *drop_below_db > -300.0 { gain(drop_below_db.min(0.0)) } else { 0.0 };
                self.drop_below = amplitude * amplitude;
                let world = &mut self.scene.runtime.world;
                (world.max_level, world.drop_below) = (self.max_level, self.drop_below);
            }
            Command::Hush => {
                self.scene.runtime.hush();
                self.next_event = self.scene.runtime.events.len();
                self.find_moving_slots();
            }
            Command::Replace { .. } | Command::Stream { .. } => {}
        }
    }

    /// Takes a scene; returns it if it does not fit, or one that has to make room.
    fn replace(&mut self, mut new: Box<Scene>, adopt: bool) -> Option<Box<Scene>> {
        let fits = new.channels() == self.scene.channels()
            && new.rate_hz() == self.scene.rate_hz()
            && new.runtime.slots.len() <= self.fast.capacity().min(self.slow.capacity());
        if !fits {
            self.past.refused += 1;
            return Some(new);
        }
        self.past = self.health();
        (self.past.omitted, self.next_event) = (0, 0);
        (new.runtime.world.max_level, new.runtime.world.drop_below) = (self.max_level, self.drop_below);
        if self.as_at_first {
            new.runtime.world.step_as_at_first();
        }
        new.runtime.touches.wanted = self.scene.runtime.touches.wanted;
        new.adopt(&mut self.scene, adopt);
        if adopt {
            let now = self.tick - self.origin;
            self.next_event = new.runtime.events.partition_point(|event| event.at < now);
        } else {
            self.origin = self.tick;
        }
        core::mem::swap(&mut self.scene, &mut new);
        self.find_moving_slots();
        let left = new.leave();
        // Whether somebody has taken what has rung out makes no difference: places are the order in which scenes are summed.
        let left_of = |slot: &Option<Leaving>| slot.as_ref().map_or(0, |leaving| leaving.left);
        let (mut place, mut least) = (0, u32::MAX);
        for (index, slot) in self.leaving.iter().enumerate() {
            if left_of(slot) < least {
                (place, least) = (index, left_of(slot));
            }
        }
        self.leaving[place].replace(Leaving { scene: new, left }).map(|leaving| leaving.scene)
    }

    /// A gesture's size within what gestures may be; not a number stays so.
    fn within(&mut self, size: Real, most: Real) -> Real {
        let held = size.clamp(-most, most);
        self.past.clamped += u64::from(held != size && !size.is_nan());
        held
    }

    fn strike(&mut self, body: usize, velocity_m_s: Real, later_s: Real) {
        let velocity_m_s = self.within(velocity_m_s, FASTEST_M_S);
        let known = body < self.world().bodies.len() && velocity_m_s.is_finite();
        if !known || !self.scene.runtime.world.strike_later(body, velocity_m_s, later_s) {
            self.past.refused += 1;
        }
    }

    fn hit(&mut self, site: Site, impulse_n_s: Real) {
        let impulse_n_s = self.within(impulse_n_s, LARGEST_N_S);
        let sane = self.has(site) && impulse_n_s.is_finite();
        if !sane || !self.scene.runtime.world.hit(site, impulse_n_s) {
            self.past.refused += 1;
        }
    }

    fn set(&mut self, address: Address, value: Real, way: Way) {
        match address {
            Address::Slot(index) => self.set_slot(index, value, way),
            Address::Control(index) => {
                let controls = self.scene.directory.control_entries();
                let count = controls.get(index).map_or(0, |control| control.moves.len());
                self.past.refused += u64::from(count == 0);
                for at in 0..count {
                    let mapping = self.scene.directory.control_entries()[index].moves[at];
                    self.set_slot(mapping.slot, mapping.value(value), way);
                }
            }
        }
    }

    fn set_slot(&mut self, index: usize, value: Real, way: Way) {
        let Runtime { slots, rate_hz, .. } = &mut self.scene.runtime;
        let Some(slot) = slots.get_mut(index).filter(|_| !value.is_nan()) else {
            self.past.refused += 1;
            return;
        };
        let wanted = value.clamp(slot.spec.min, slot.spec.max);
        self.past.clamped += u64::from(wanted != value);
        slot.drive = None; // a command overrides a drive
        slot.end_stream();
        if way == Way::AtOnce && fault!(JUMP_LATE, !self.as_at_first, false) {
            slot.rest_at(wanted);
            (slot.slope, slot.curvature) = (0.0, 0.0); // of a glide that ends here
            return self.scene.runtime.write_slot(index, wanted);
        }
        let moving = slot.left > 0;
        let samples = match way {
            Way::Declared => slot.spec.glide_s * *rate_hz,
            Way::Lasting(glide_s) => (glide_s.clamp(0.0, LONGEST_GLIDE_S) * *rate_hz).round(),
            Way::AtOnce => 0.0,
        };
        if matches!(slot.target, Target::Signal { .. } | Target::Walk { .. }) && samples == 0.0 {
            // The grid of signals is its glide.
            slot.rest_at(wanted);
            return self.scene.runtime.write_slot(index, wanted);
        }
        slot.glide_to(wanted, samples);
        self.begin_moving(index, moving);
    }

    /// A block of values for a slot that moves by the sample; what it leaves in `values` is to be freed.
    fn stream(&mut self, address: Address, values: &mut Option<Box<[Real]>>) {
        self.scene.runtime.rouse();
        let slots = &mut self.scene.runtime.slots;
        let (Address::Slot(index) | Address::Control(index)) = address;
        let slot = slots.get_mut(index).filter(|slot| slot.spec.rate == Rate::Sample);
        match slot.filter(|_| matches!(address, Address::Slot(_)) && values.is_some()) {
            Some(slot) => {
                (slot.drive, slot.streamed) = (None, 0);
                (slot.slope, slot.curvature) = (0.0, 0.0);
                core::mem::swap(&mut slot.stream, values);
                self.begin_moving(index, false);
            }
            None => self.past.refused += 1,
        }
    }

    /// A slot moves from here on, or goes on to: it is looked at, and what it pushes or presses is told.
    fn begin_moving(&mut self, index: usize, goes_on: bool) {
        let Runtime { slots, world, .. } = &mut self.scene.runtime;
        let slot = &slots[index];
        let list = if slot.spec.rate == Rate::Sample { &mut self.fast } else { &mut self.slow };
        if !goes_on && !list.contains(&index) {
            list.push(index);
        }
        match slot.target {
            Target::Force(site) => world.set_pushed(site.body, true),
            Target::Body { body, .. } if slot.spec.rate == Rate::Sample => world.set_pushed(body, true),
            Target::Contact { contact, .. } if slot.spec.rate == Rate::Sample && slot.may_press() => {
                world.restless[contact] = true;
                world.rouse(contact);
            }
            _ => {}
        }
    }

    /// Finds the slots that move in a scene that has just become ours.
    fn find_moving_slots(&mut self) {
        self.fast.clear();
        self.slow.clear();
        for (index, slot) in self.scene.runtime.slots.iter().enumerate() {
            if slot.is_moving() {
                let list = if slot.spec.rate == Rate::Sample { &mut self.fast } else { &mut self.slow };
                list.push(index);
            }
        }
    }

    /// One control tick.
    fn control(&mut self, inputs: Inputs<'_>) {
        let runtime = &mut self.scene.runtime;
        if runtime.rests() {
            return runtime.world.pass_control();
        }
        let time_s = (self.tick - self.origin) as Real / runtime.rate_hz;
        let turn = self.tick / CONTROL_TICKS as u64;
        let mut at = 0;
        while at < self.slow.len() {
            let index = self.slow[at];
            let value = runtime.next_value(index, time_s, inputs);
            let slot = &mut runtime.slots[index];
            slot.waits |= value != slot.value || slot.left == 0;
            slot.value = value;
            // What costs much to follow is followed less often while it moves, and always to where it comes to rest.
            let moving = slot.is_moving();
            if slot.waits && (!moving || turn.is_multiple_of(runtime.pace(index))) {
                runtime.slots[index].waits = false;
                runtime.write_slot(index, value);
            }
            if moving {
                at += 1;
            } else {
                self.slow.swap_remove(at);
            }
        }
        runtime.find_acted_on(&self.fast, time_s);
        self.fast.retain(|&index| runtime.slots[index].is_moving());
        runtime.world.control();
        runtime.note_sleepers(self.tick);
        runtime.find_rest(self.fast.iter().chain(self.slow.iter()));
    }

    /// Renders `ticks` samples into the mix; nothing but time happens in between.
    fn stretch(&mut self, ticks: usize, inputs: Inputs<'_>) {
        let Self { scene, fast, mix, tick, origin, leaving, .. } = self;
        let runtime = &mut scene.runtime;
        mix[..ticks * runtime.channels].fill(0.0);
        if runtime.rests() {
            runtime.rest(ticks);
        } else {
            for &index in fast.iter() {
                runtime.fill_lane(index, *tick - *origin, ticks, inputs);
            }
            if !runtime.grid.signals.is_empty() {
                let span = Span { tick: *tick - *origin, ticks, rate_hz: runtime.rate_hz };
                runtime.run_processes(span, inputs);
            }
            runtime.begin_watching();
            runtime.sort_moves(fast, ticks);
            let mut moves = 0;
            for island in 0..runtime.world.islands() {
                moves = runtime.run_island(island, moves, *tick, ticks, fast);
            }
            runtime.ring_all(ticks, fast);
            runtime.mix(ticks, mix);
        }
        for leaving in leaving.iter_mut().flatten() {
            if leaving.left > 0 {
                // No sample more than it has left: what a filter behind the fade still holds ends there, however blocks are cut.
                let last = ticks.min(leaving.left as usize);
                leaving.scene.ring_out(last, mix);
                leaving.left -= last as u32;
            }
        }
    }
}

#[cfg(test)]
mod tests;
