// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a scene's description to a scene that can sound.

mod grid;
mod outputs;

use super::def::{
    ContactDef, MAIN, OutputDef, PerStepDef, ProcessDef, Quantity, Source, TapDef, TapTo, TimesNoise, WalkDef, Way,
};
use super::directory::{BodyEntry, Directory, Output, Probe};
use super::drive::{Drive, Inputs};
use super::error::nearest;
use super::grid::{Acting, Falling, Grid, Heard, Push};
use super::handover::{Lineage, Makes};
use super::kinds::process::ProcessContext;
use super::kinds::signal::SignalContext;
use super::kinds::{BodyContext, ContactContext, Mobility, StandIn};
use super::moves::Moves;
use super::slot::{Control, FORCE, Mapping, Slot, Target};
use super::tap::{Carried, Tap, TapFrom};
use super::touch::Touches;
use super::whole::{Given, GivenValue};
use super::{Runtime, Scene, SceneDef, SceneError};
use crate::command::{Address, Timed};
use crate::contact::coupled::MAX_CONTACTS;
use crate::contact::world::World;
use crate::contact::{Contact, Site};
use crate::gait::walker::{LANES, WalkParams, Walker};
use crate::gesture::Gesture;
use crate::hash::text as fingerprint;
use crate::math::{PI, Real, cos, sin};
use crate::output::Space;
use crate::output::pair::Pair;
use crate::param::{Rate, Scale, Spec, Tunable};
use crate::process::step::PerStep;
use crate::resonator::{CONTROL_TICKS, Motion, Reading, Resonator};
use crate::rng::Rng;
use crate::signal::{INLET, Operators, Signal, SignalParams, Source as SignalSource};
use crate::texture::fractal::FIRST;

/// Rates that can be rendered, Hz.
pub const RATES_HZ: (Real, Real) = (8_000.0, 384_000.0);

impl Scene {
    /// Wires a scene for one sample rate. `[control]`
    ///
    /// ```
    /// use tocco::scene::{Scene, SceneDef};
    /// let def = SceneDef::from_text("[body.ball]\ntype = \"mass\"\n[[tap]]\nof = \"bal\"").unwrap();
    /// let error = Scene::build(&def, 48_000.0).err().unwrap();
    /// assert_eq!(error.to_string(), "line 4: tap[0].of: no body 'bal'; did you mean 'ball'?");
    /// ```
    pub fn build(def: &SceneDef, rate_hz: Real) -> Result<Scene, SceneError> {
        build(def, rate_hz).map_err(|mut error| {
            error.line = error.line.or_else(|| def.line_of(&error.at));
            error
        })
    }
}

fn at<T>(place: impl Into<String>, result: Result<T, SceneError>) -> Result<T, SceneError> {
    result.map_err(|error| SceneError { at: place.into(), ..error })
}

fn build(def: &SceneDef, rate_hz: Real) -> Result<Scene, SceneError> {
    if !(RATES_HZ.0..=RATES_HZ.1).contains(&rate_hz) {
        let what = format!("{rate_hz} Hz is out of range; wants {} to {} Hz", RATES_HZ.0, RATES_HZ.1);
        return Err(SceneError::new("rate_hz", what));
    }
    def.check()?;
    let (whole, given) = def.whole_and_given()?;
    build_whole(&whole, given, rate_hz).map_err(|error| super::blame::in_own_words(def, &whole, error))
}

fn build_whole(def: &SceneDef, given: Vec<Given>, rate_hz: Real) -> Result<Scene, SceneError> {
    super::loops::check(def)?;
    let sample_s = 1.0 / rate_hz;
    let mut omitted = Vec::new();
    let mut bodies: Vec<Box<dyn Resonator>> = Vec::new();
    let mut directory = Directory::default();
    let mut body_makes = Vec::new();
    for body in &def.bodies {
        let (left_out, form) = (omitted.len(), body.form.definition());
        let built = form.build(&mut BodyContext { def, name: &body.name, rate_hz, omitted: &mut omitted })?;
        let missing = omitted.len() - left_out;
        let ears: Vec<_> =
            def.taps.iter().filter(|tap| tap.hears_radiation_of(&body.name)).map(|tap| (&tap.of, tap.ear)).collect();
        let heard = if ears.is_empty() { String::new() } else { format!("{ears:?}") };
        body_makes.push(fingerprint(&format!("{} {} {missing}{heard}", form.kind().id, form.structure())));
        directory.add_body(BodyEntry {
            name: body.name.clone(),
            ports: form.ports().into_iter().map(str::to_owned).collect(),
            is_mass: form.mobility() == Mobility::Free,
            yields: (0..built.ports()).map(|port| built.inverse_mass(port) > 0.0).collect(),
            slots: 0..0,
            anywhere: form.touched_anywhere(rate_hz),
        });
        bodies.push(built);
    }
    let make = |c: &ContactDef| {
        let spare = if c.spare { "spare " } else { "" };
        format!("{spare}{:?} {} {}", c.between, c.form.kind().id, c.form.definition().structure())
    };
    let contact_makes = def.contacts.iter().map(|contact| fingerprint(&make(contact))).collect();
    def.contacts.iter().for_each(|contact| directory.add_contact(&contact.name, contact.spare));
    let readings = vec![Vec::new(); bodies.len()];
    let contacts = contacts(def, &directory, &bodies)?;
    let world = World::new(bodies, contacts, sample_s);
    if world.largest_cluster() > MAX_CONTACTS {
        let what = format!(
            "{} contacts hang together; at most {MAX_CONTACTS} can be solved at once, split the scene",
            world.largest_cluster()
        );
        return Err(SceneError::new("contact", what));
    }
    let mut assembly = Assembly {
        def,
        directory,
        runtime: Runtime {
            touches: Touches::new(world.contacts.len()),
            calm: 0,
            world,
            slots: Vec::new(),
            drives: Vec::new(),
            grid: Grid::new(Vec::new(), Vec::new(), Vec::new(), Vec::new()),
            events: Vec::new(),
            taps: Vec::new(),
            readings,
            spaces: Vec::new(),
            bus: Vec::new(),
            watches: Vec::new(),
            moves: Moves::default(),
            channels: 1,
            rate_hz,
        },
    };
    assembly.outputs()?;
    assembly.slots();
    let operators = def.signals.iter().map(|signal| signal.operators(def)).collect::<Result<Vec<_>, _>>()?;
    let own_signals = def.signals.iter().zip(&operators).map(|(signal, own)| fingerprint(&signal.structure(own)));
    let walked = |(walk, node): (usize, &WalkDef)| {
        // A walker's signals say its number: one of another scene is another signal.
        (0..node.signals().len()).map(move |lane| fingerprint(&format!("walk {walk} {lane}")))
    };
    let signal_makes = own_signals.chain(def.walks.iter().enumerate().flat_map(walked)).collect();
    let walk_makes = def.walks.iter().map(|walk| fingerprint(&walk.structure())).collect();
    let process_makes = def.processes.iter().map(|process| fingerprint(&process.structure())).collect();
    assembly.signals()?;
    assembly.processes(&mut omitted)?;
    assembly.controls()?;
    assembly.stand_ins();
    assembly.drives()?;
    assembly.events()?;
    assembly.taps()?;
    super::kinds::midi::check_names(def, &assembly.directory)?;
    let Assembly { mut directory, mut runtime, .. } = assembly;
    for (index, slot) in runtime.slots.iter_mut().enumerate() {
        slot.declared = (slot.value, slot.drive.is_some());
        directory.declare(index, slot.value);
    }
    runtime.make_room_for_moves();
    let makes = Makes {
        bodies: body_makes,
        contacts: contact_makes,
        signals: signal_makes,
        processes: process_makes,
        walks: walk_makes,
        spaces: space_makes(def, &directory),
    };
    let lineage = Lineage::new(makes);
    let (title, duration) = (def.title.clone(), def.duration);
    let mut scene = Scene { directory, runtime, lineage, title, duration, omitted };
    for Given { place, path, value } in given {
        let address = at(&place, scene.directory.address(&path))?;
        let now = scene.directory.reading(address, |slot| scene.runtime.slots[slot].value).unwrap_or(0.0);
        let value = match value {
            GivenValue::Is(value) => value,
            GivenValue::Times(factor) => now * factor,
        };
        at(&place, scene.preset(address, value))?;
    }
    super::pitch::say_what_is_past_half(&mut scene, def);
    Ok(scene)
}

pub(super) fn body_of(site: &str) -> &str {
    site.split('.').next().unwrap_or(site)
}

fn contacts(def: &SceneDef, directory: &Directory, bodies: &[Box<dyn Resonator>]) -> Result<Vec<Contact>, SceneError> {
    let mut all = Vec::new();
    for contact in &def.contacts {
        let between = format!("contact.{}.between", contact.name);
        let a = at(&between, directory.site(&contact.between[0]))?;
        let b = at(&between, directory.site(&contact.between[1]))?;
        if a.body == b.body {
            let what = format!("'{}' cannot touch itself; name two bodies", body_of(&contact.between[0]));
            return Err(SceneError::new(between, what));
        }
        let stiff = |site: Site| matches!(def.bodies[site.body].form.mobility(), Mobility::Fixed | Mobility::Guided);
        if stiff(a) && stiff(b) {
            let what = "neither partner can yield (wall or guided); one must be a mass or a vibrating body";
            return Err(SceneError::new(between, what));
        }
        let built = contact.form.definition().build(&ContactContext { def, directory, bodies, contact, a, b })?;
        all.push(if contact.spare { built.spare() } else { built });
    }
    Ok(all)
}

/// What the space of every output is made of, but for live values; `None` without a space.
fn space_makes(def: &SceneDef, directory: &Directory) -> Vec<Option<u64>> {
    let make = |output: &Output| {
        let written = def.outputs.iter().find(|written| written.name == output.name)?;
        Some(fingerprint(&format!("{} {:?} {:?}", output.name, output.channels, written.structure(def.seed)?)))
    };
    directory.outputs().iter().map(make).collect()
}

/// A scene on its way from a description to a wired world: what stands is used by what comes next.
struct Assembly<'d> {
    def: &'d SceneDef,
    directory: Directory,
    runtime: Runtime,
}

impl Assembly<'_> {
    /// A slot for every live parameter, in the order of the scene.
    fn slots(&mut self) {
        let Self { def, directory, runtime: Runtime { world, slots, spaces, .. } } = self;
        let mut add = |target, spec: Spec, value| {
            directory.add_parameter(target, spec, value);
            slots.push(Slot::new(target, spec, value));
        };
        for (body, node) in world.bodies.iter().enumerate() {
            let absent = def.bodies[body].form.absent();
            for (param, spec) in node.specs().iter().enumerate() {
                // A body without another end has no way there.
                if !absent.contains(&spec.id) {
                    add(Target::Body { body, param }, *spec, node.get(param));
                }
            }
            // Behind the places that have names lie those where it is only heard.
            let named = def.bodies[body].form.ports().len().min(node.ports());
            for port in (0..named).filter(|port| node.inverse_mass(*port) > 0.0) {
                add(Target::Force(Site { body, port }), FORCE, 0.0);
            }
        }
        for (contact, node) in world.contacts.iter().enumerate() {
            for (param, spec) in node.law.specs().iter().enumerate() {
                // What another contact presses with is nobody's to set.
                if node.law.presser().is_none() || spec.id != "normal_force_n" {
                    add(Target::Contact { contact, param }, *spec, node.law.get(param));
                }
            }
            if let Some(roughness) = &node.texture {
                for (param, spec) in roughness.surface.specs().iter().enumerate() {
                    add(Target::Surface { contact, param }, *spec, roughness.surface.get(param));
                }
            }
        }
        for (output, space) in spaces.iter().enumerate() {
            let space = space.iter().flat_map(|space| space.specs().iter().enumerate().map(move |spec| (space, spec)));
            for (space, (param, spec)) in space.filter(|(space, (param, _))| space.has(*param)) {
                add(Target::Output { output, param }, *spec, space.get(param));
            }
        }
    }

    fn add_slot(&mut self, target: Target, spec: Spec, value: Real) {
        self.directory.add_parameter(target, spec, value);
        self.runtime.slots.push(Slot::new(target, spec, value));
    }

    fn controls(&mut self) -> Result<(), SceneError> {
        for (index, control) in self.def.controls.iter().enumerate() {
            let place = format!("control[{index}].path");
            let mut moves: Vec<Mapping> = Vec::new();
            for named in control.paths() {
                let (path, range, scale) = match self.stood_for(index, named)? {
                    Some((path, range)) => (path, range, Scale::Log),
                    None => (named.to_string(), control.range, control.scale),
                };
                let Address::Slot(slot) = at(&place, self.directory.address(&path))? else {
                    return Err(SceneError::new(place, "names another control; name a parameter"));
                };
                if moves.iter().any(|other| other.slot == slot) {
                    return Err(SceneError::new(place, format!("names {named} twice; keep one")));
                }
                let spec = self.runtime.slots[slot].spec;
                if !range.iter().all(|value| spec.admits(*value)) {
                    let what = format!("leaves what {named} takes: {:e} to {:e} {}", spec.min, spec.max, spec.unit);
                    return Err(SceneError::new(format!("control[{index}].range"), what));
                }
                moves.push(Mapping { slot, range, scale, knob_ends: None });
            }
            self.directory.add_control(Control { name: control.name.clone(), moves, stands_for: None });
        }
        Ok(())
    }

    /// What stands for a parameter may be set like any: `NAME/hardness_01` and `NAME/contact_time_s` for a stiffness.
    fn stand_ins(&mut self) {
        for contact in &self.def.contacts {
            for StandIn { spec, of, range, ends } in contact.form.stand_ins(self.def, contact) {
                let Ok(Address::Slot(slot)) = self.directory.address(&format!("{}/{of}", contact.name)) else {
                    continue;
                };
                let moves = vec![Mapping { slot, range, scale: Scale::Log, knob_ends: ends }];
                let name = format!("{}/{}", contact.name, spec.id);
                self.directory.add_control(Control { name, moves, stands_for: Some(spec) });
            }
        }
    }

    fn drives(&mut self) -> Result<(), SceneError> {
        let def = self.def;
        for (index, drive) in def.drives.iter().enumerate() {
            let place = format!("drive[{index}].path");
            let address = at(&place, self.directory.address(&drive.path))?;
            let moves: Vec<(usize, Option<Mapping>)> = match address {
                Address::Slot(slot) => vec![(slot, None)],
                Address::Control(control) => {
                    self.directory.control_entries()[control].moves.iter().map(|m| (m.slot, Some(*m))).collect()
                }
            };
            if moves.iter().any(|(slot, _)| self.runtime.slots[*slot].drive.is_some()) {
                let earlier = def.drives[..index].iter().find(|other| other.path == drive.path);
                let other = earlier.map_or("another drive moves it, too", |_| "keep one drive per parameter");
                return Err(SceneError::new(place, format!("'{}' is driven twice; {other}", drive.path)));
            }
            let spec = at(&place, self.directory.spec(address).ok_or_else(|| SceneError::new("", "unknown")))?;
            if let Source::Points(points) = &drive.source {
                check_points(points, index, &drive.path, &spec)?;
            }
            if let Source::Input { channel, .. } = drive.source {
                self.directory.ask_for_input(channel);
            }
            for (slot, through) in moves {
                self.drive(index, slot, through)?;
            }
        }
        Ok(())
    }

    fn drive(&mut self, index: usize, slot: usize, through: Option<Mapping>) -> Result<(), SceneError> {
        let drive = &self.def.drives[index];
        let rate_hz = self.runtime.rate_hz;
        let Slot { spec, target, value: rest, .. } = self.runtime.slots[slot];
        let sampled = spec.rate == Rate::Sample;
        let asked_hz = if sampled { rate_hz } else { rate_hz / CONTROL_TICKS as Real };
        let fractal = match (&drive.source, &drive.times) {
            (Source::Noise { beta, first_hz, .. }, _) => Some((beta, first_hz, "noise")),
            (_, Some(TimesNoise { beta, first_hz, .. })) => Some((beta, first_hz, "times_noise")),
            _ => None,
        };
        if let Some((beta, first_hz, table)) = fractal {
            // Another rate than the scene's own holds it to its range instead.
            let own_hz = self.def.rate_hz * asked_hz / rate_hz;
            if *beta != 0.0 && !FIRST.contains(&(first_hz / own_hz)) {
                let (least, most) = (FIRST.start() * own_hz, FIRST.end() * own_hz);
                let what = format!("{first_hz} Hz is out of range; {} takes {least} to {most} Hz", drive.path);
                return Err(SceneError::new(format!("drive[{index}].{table}.first_hz"), what));
            }
        }
        let rng = Rng::new(self.def.seed, &format!("drive {}", drive.path));
        let signal = match &drive.source {
            Source::Signal(name) => at(format!("drive[{index}].from"), self.directory.signal(name))?,
            _ => 0,
        };
        let Some(running) = Drive::new(through, &drive.source, rest, asked_hz, rng, signal) else {
            let what = "nobody has loaded this recording; a scene that names one is read with its recordings";
            return Err(SceneError::new(format!("drive[{index}].wav"), what));
        };
        let running = match drive.times {
            None => running,
            Some(times) => {
                running.times(times, asked_hz, Rng::new(self.def.seed, &format!("drive {} times", drive.path)))
            }
        };
        let number = self.runtime.drives.len();
        self.runtime.drives.push(running);
        self.runtime.slots[slot].drive = Some(number);
        match target {
            Target::Force(Site { body, .. }) | Target::Body { body, .. } if sampled => {
                self.runtime.world.set_pushed(body, true);
            }
            _ => {}
        }
        let law = matches!(target, Target::Contact { .. });
        if !sampled || (law && matches!(drive.source, Source::Points(_) | Source::Signal(_))) {
            // What is driven from the start begins at the drive's first value, not at the default.
            let first = match &drive.source {
                Source::Signal(_) => {
                    let first = self.runtime.grid.signals[signal].signal.first();
                    through.map_or(first, |mapping| mapping.value(first)).clamp(spec.min, spec.max)
                }
                _ => self.runtime.next_value(slot, 0.0, Inputs { channels: &[], at: 0 }),
            };
            self.runtime.write_slot(slot, first);
            (self.runtime.slots[slot].value, self.runtime.slots[slot].goal) = (first, first);
        }
        Ok(())
    }

    fn events(&mut self) -> Result<(), SceneError> {
        for (index, event) in self.def.events.iter().enumerate() {
            let (verb, amount) = match &event.gesture {
                Gesture::Set { .. } => ("set", "value"),
                Gesture::Strike { .. } => ("strike", "velocity_m_s"),
                Gesture::Hit { .. } => ("hit", "impulse_n_s"),
                Gesture::Trigger { .. } => ("trigger", "values"),
                Gesture::Join { .. } => ("join", "between"),
                _ => {
                    let what = "an event is one of strike, hit, set, join and trigger";
                    return Err(SceneError::new(format!("event[{index}]"), what));
                }
            };
            let resolved = at(format!("event[{index}].{verb}"), event.gesture.resolve(&self.directory))?;
            if resolved.clamped {
                let about = event.gesture.about();
                let what = match resolved.value() {
                    Some(held) => format!("is out of range; {about} takes no more than {held:e}"),
                    None => format!("one of them is out of range of what a trigger of {about} says"),
                };
                return Err(SceneError::new(format!("event[{index}].{amount}"), what));
            }
            let at = (event.at_s * self.runtime.rate_hz).round() as u64;
            self.runtime.events.push(Timed { at, command: resolved.command });
        }
        crate::order::sort(&mut self.runtime.events, |a, b| a.at.cmp(&b.at));
        Ok(())
    }
}

fn check_points(points: &[[Real; 2]], index: usize, path: &str, spec: &Spec) -> Result<(), SceneError> {
    match points.iter().position(|[_, value]| !spec.admits(*value)) {
        Some(point) => {
            let (min, max, unit) = (spec.min, spec.max, spec.unit);
            let what = format!("{} is out of range; {path} takes {min:e} to {max:e} {unit}", points[point][1]);
            Err(SceneError::new(format!("drive[{index}].points[{point}]"), what))
        }
        None => Ok(()),
    }
}
