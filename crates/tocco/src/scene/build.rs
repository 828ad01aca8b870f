// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a scene's description to a scene that can sound.

use super::def::{ContactDef, MAIN, OutputDef, PerStepDef, ProcessDef, Quantity, Source, TapDef, TapTo, WalkDef};
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
use super::tap::{Tap, TapFrom};
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
        body_makes.push(fingerprint(&format!("{} {} {missing}", form.kind().id, form.structure())));
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
    let make = |c: &ContactDef| format!("{:?} {} {}", c.between, c.form.kind().id, c.form.definition().structure());
    let contact_makes = def.contacts.iter().map(|contact| fingerprint(&make(contact))).collect();
    def.contacts.iter().for_each(|contact| directory.add_contact(&contact.name));
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
    let own_signals = def.signals.iter().map(|signal| fingerprint(&signal.structure()));
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
        all.push(contact.form.definition().build(&ContactContext { def, directory, bodies, contact, a, b })?);
    }
    Ok(all)
}

/// What the space of every output is made of, but for live values; `None` without a space.
fn space_makes(def: &SceneDef, directory: &Directory) -> Vec<Option<u64>> {
    let make = |output: &Output| {
        let written = def.outputs.iter().find(|written| written.name == output.name)?;
        Some(fingerprint(&format!("{} {:?} {:?}", output.name, output.channels, written.structure()?)))
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
            for port in (0..node.ports()).filter(|port| node.inverse_mass(*port) > 0.0) {
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

    /// Signals in the order of the scene, and the order in which they can be moved.
    fn signals(&mut self) -> Result<(), SceneError> {
        let def = self.def;
        def.signals.iter().for_each(|signal| self.directory.add_signal(&signal.name));
        def.processes.iter().for_each(|process| self.directory.add_process(&process.name, process.form.triggers()));
        def.walks.iter().for_each(|walk| self.directory.add_walk(&walk.name));
        def.walks.iter().flat_map(WalkDef::signals).for_each(|name| self.directory.add_signal(&name));
        for (index, signal) in def.signals.iter().enumerate() {
            let rate_hz = self.runtime.rate_hz;
            let mut context = SignalContext { def, name: &signal.name, rate_hz, input: None };
            let mut source = signal.form.definition().build(&mut context)?;
            context.input.into_iter().for_each(|channel| self.directory.ask_for_input(channel));
            let mut reads = None;
            if let Some(name) = signal.form.reads() {
                match self.directory.signal(name) {
                    Ok(other) => source = SignalSource::Signal(other),
                    Err(unknown) => {
                        let found = self.directory.probe(name);
                        let found = found.map_err(|error| if name.contains('.') { error } else { unknown });
                        reads = Some(at(format!("signal.{}.of", signal.name), found)?);
                    }
                }
            }
            let running = Signal::new(source, signal.params, signal.operators.clone());
            for (param, spec) in SignalParams::SPECS.iter().enumerate() {
                self.add_slot(Target::Signal { signal: index, param }, *spec, running.get(param));
            }
            if let Some(spec) = signal.form.inlet() {
                self.add_slot(Target::Signal { signal: index, param: INLET }, spec, spec.default);
            }
            self.runtime.grid.signals.push(Heard { signal: running, reads });
        }
        self.walks();
        self.order_signals()
    }

    /// Who walks, and what they say, after all other signals.
    fn walks(&mut self) {
        let def = self.def;
        for (index, walk) in def.walks.iter().enumerate() {
            let rng = Rng::new(def.seed, &format!("walk {}", walk.name));
            let walker = Walker::new(walk.make.clone(), walk.params, rng);
            let inlets = LANES.iter().filter(|_| walk.make.by_inlets);
            for (param, spec) in WalkParams::SPECS.iter().chain(inlets).enumerate() {
                self.add_slot(Target::Walk { walk: index, param }, *spec, walker.get(param));
            }
            for lane in 0..walk.signals().len() {
                let source = SignalSource::Walk { walk: index, lane };
                let signal = Signal::new(source, SignalParams::default(), Operators::default());
                self.runtime.grid.signals.push(Heard { signal, reads: None });
            }
            self.runtime.grid.walkers.push(walker);
        }
    }

    /// Each signal after the one that it reads.
    fn order_signals(&mut self) -> Result<(), SceneError> {
        let signals = &self.runtime.grid.signals;
        let reads = |index: usize| match (signals[index].signal.source(), signals[index].reads) {
            (SignalSource::Signal(other), _) => Some(*other),
            (_, Some(Probe::Signal(other))) => Some(other),
            _ => None,
        };
        let mut order = Vec::new();
        for index in 0..signals.len() {
            let mut chain = vec![index];
            while let Some(other) = reads(chain[chain.len() - 1]).filter(|other| !order.contains(other)) {
                if chain.contains(&other) {
                    let name = self.def.signals.get(index).map_or("", |signal| &signal.name);
                    let what = "reads itself, at once or through others; read something else";
                    return Err(SceneError::new(format!("signal.{name}.of"), what));
                }
                chain.push(other);
            }
            order.extend(chain.into_iter().rev().filter(|one| !order.contains(one)).collect::<Vec<_>>());
        }
        self.runtime.grid.order = order;
        Ok(())
    }

    fn processes(&mut self, omitted: &mut Vec<String>) -> Result<(), SceneError> {
        let def = self.def;
        for (index, process) in def.processes.iter().enumerate() {
            let place = |id: &str| format!("process.{}.{id}", process.name);
            let hears = at(place("driven_by"), self.directory.signal(&process.driven_by))?;
            let also = self.feet(process)?;
            let (mut ports, mut inverse_masses) = (Vec::new(), Vec::new());
            for name in &process.on {
                let site = at(place("on"), self.directory.site(name))?;
                let inverse = self.runtime.world.bodies[site.body].inverse_mass(site.port);
                if inverse == 0.0 {
                    let what = format!("'{name}' does not yield to a hit; name a body that does");
                    return Err(SceneError::new(place("on"), what));
                }
                inverse_masses.push(inverse);
                let pushes = &mut self.runtime.grid.pushes;
                let known = pushes.iter().position(|push| push.site == site);
                ports.push(known.unwrap_or(pushes.len()));
                if known.is_none() {
                    let force = |slot: &Slot| slot.target == Target::Force(site);
                    let slot = self.runtime.slots.iter().position(force).unwrap_or(0);
                    pushes.push(Push::new(site, slot, def.processes.len()));
                }
            }
            let (name, rate_hz) = (process.name.as_str(), self.runtime.rate_hz);
            let bodies = self.falling(process)?;
            let masses = bodies.iter().map(|falling| falling.mass_kg).collect();
            let mut context = ProcessContext { def, name, rate_hz, ports: inverse_masses, masses, omitted };
            let mut built = process.form.definition().build(&mut context)?;
            let struck = process.form.strikes().then(|| ports.iter().map(|port| self.runtime.grid.pushes[*port].site));
            if struck.is_some_and(|mut on| on.len() != 1 || !on.all(|site| self.directory.is_mass(site.body))) {
                let what = "must name one mass: what is struck against what it touches";
                return Err(SceneError::new(place("on"), what));
            }
            for (param, spec) in built.specs().iter().enumerate() {
                self.add_slot(Target::Process { process: index, param }, *spec, built.get(param));
            }
            let PerStepDef { factors, probability_01 } = &process.per_step;
            let numbered = |(id, range): &(String, [Real; 2])| {
                built.specs().iter().position(|spec| spec.id == id).map(|param| (param, *range))
            };
            let factors: Vec<(usize, [Real; 2])> = factors.iter().filter_map(numbered).collect();
            let per_step = (!factors.is_empty() || *probability_01 < 1.0).then(|| {
                let rng = Rng::new(def.seed, &format!("process {} step", process.name));
                PerStep::new(&factors, *probability_01, rng, &mut *built)
            });
            self.runtime.grid.processes.push(Acting::new(built, per_step, hears, also, ports, bodies));
        }
        let Grid { signals, order, walkers, processes, pushes, .. } =
            core::mem::replace(&mut self.runtime.grid, Grid::new(Vec::new(), Vec::new(), Vec::new(), Vec::new()));
        self.runtime.grid = Grid::new(signals, order, processes, pushes);
        self.runtime.grid.walkers = walkers;
        Ok(())
    }

    /// The feet that a process hears: of each heel and toes, N, and where it stands, m.
    fn feet(&self, process: &ProcessDef) -> Result<Vec<(usize, Real)>, SceneError> {
        let mut all = Vec::new();
        for name in process.form.walkers() {
            let walks = &self.def.walks;
            let Some(walk) = walks.iter().find(|walk| walk.name == *name) else {
                let near = nearest(name, walks.iter().map(|walk| walk.name.as_str()));
                let place = format!("process.{}.walkers", process.name);
                return Err(SceneError::new(place, format!("nobody called '{name}' walks{near}")));
            };
            for side in ["left", "right"] {
                for (lane, factor) in [("heel", walk.weight_n()), ("toe", walk.weight_n()), ("x", 1.0), ("y", 1.0)] {
                    all.push((self.directory.signal(&format!("{name}.{lane}_{side}"))?, factor));
                }
            }
        }
        Ok(all)
    }

    /// The masses that a process lets fall: each is pulled by gravity and has something to fall on.
    fn falling(&self, process: &ProcessDef) -> Result<Vec<Falling>, SceneError> {
        let world = &self.runtime.world;
        let falling = |name: &String| {
            let place = || format!("process.{}.bodies", process.name);
            let body = at(place(), self.directory.body(name))?;
            let gravity = world.bodies[body].gravity();
            let lands = world.contacts.iter().any(|contact| contact.a.body == body || contact.b.body == body);
            if gravity == 0.0 || !lands {
                let what = format!("'{name}' cannot fall; name a mass with gravity_m_s2 and a contact to land on");
                return Err(SceneError::new(place(), what));
            }
            let mass_kg = 1.0 / world.bodies[body].inverse_mass(0);
            Ok(Falling { body, mass_kg, down: if gravity > 0.0 { 1.0 } else { -1.0 } })
        };
        process.form.masses().iter().map(falling).collect()
    }

    /// A control of a parameter that stands for another, as the path and range of that one.
    fn stood_for(&self, index: usize, path: &str) -> Result<Option<(String, [Real; 2])>, SceneError> {
        let (def, control) = (self.def, &self.def.controls[index]);
        let Some((name, id)) = path.split_once('/') else { return Ok(None) };
        let Some(contact) = def.contacts.iter().find(|contact| contact.name == name) else { return Ok(None) };
        let (mut own, mut range) = ("", [0.0; 2]);
        for (end, value) in range.iter_mut().zip(control.range) {
            let Some(stood_for) = contact.form.stood_for(def, contact, id, value) else { return Ok(None) };
            let wrong = |id: &str, what: String| SceneError::new(format!("control[{index}].{id}"), what);
            if control.scale == Scale::Log {
                return Err(wrong("scale", format!("{id} is a logarithmic scale itself; leave it out")));
            }
            let place = |error: &SceneError| if error.at == "range" { "range" } else { "path" };
            (own, *end) = stood_for.map_err(|error| wrong(place(&error), error.what))?;
        }
        Ok(Some((format!("{name}/{own}"), range)))
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
        if let Source::Noise { beta, first_hz, .. } = &drive.source {
            // Another rate than the scene's own holds it to its range instead.
            let own_hz = self.def.rate_hz * asked_hz / rate_hz;
            if *beta != 0.0 && !FIRST.contains(&(first_hz / own_hz)) {
                let (least, most) = (FIRST.start() * own_hz, FIRST.end() * own_hz);
                let what = format!("{first_hz} Hz is out of range; {} takes {least} to {most} Hz", drive.path);
                return Err(SceneError::new(format!("drive[{index}].noise.first_hz"), what));
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
                _ => {
                    let what = "an event is one of strike, hit, set and trigger";
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
        self.runtime.events.sort_by_key(|timed| timed.at);
        Ok(())
    }

    /// Outputs as the scene says; `main` is there unless only others are wanted.
    fn outputs(&mut self) -> Result<(), SceneError> {
        let to_main = |tap: &&TapDef| tap.outputs.is_empty() || tap.outputs.iter().any(|name| name == MAIN);
        let widest = self.def.taps.iter().filter(to_main).map(|tap| tap.to.width()).max();
        if !self.def.outputs.iter().any(|output| output.name == MAIN)
            && (widest.is_some() || self.def.outputs.is_empty())
        {
            let channels = (0..widest.unwrap_or(1)).collect();
            self.directory.add_output(Output { name: MAIN.into(), channels, limiter: true, written: false });
        }
        for OutputDef { name, channels, limiter, .. } in &self.def.outputs {
            let (name, channels) = (name.clone(), channels.clone());
            self.directory.add_output(Output { name, channels, limiter: *limiter, written: true });
        }
        let outputs = self.directory.outputs();
        for (index, output) in outputs.iter().enumerate() {
            for (place, channel) in output.channels.iter().enumerate() {
                let taken = |other: &Output| other.channels.contains(channel);
                let twice = output.channels[..place].contains(channel);
                if let Some(other) = outputs[..index].iter().find(|other| taken(other)).or(twice.then_some(output)) {
                    let what = format!(
                        "channel {channel} belongs to output '{}' already; an output has its channels to itself",
                        other.name
                    );
                    return Err(SceneError::new(format!("output.{}.channels", output.name), what));
                }
            }
        }
        let channels = outputs.iter().flat_map(|output| &output.channels).map(|channel| channel + 1).max();
        self.runtime.channels = channels.unwrap_or(1);
        let rate_hz = self.runtime.rate_hz;
        let space = |output: &Output| {
            let written = self.def.outputs.iter().find(|written| written.name == output.name)?;
            written.space().map(|make| Space::new(&make, &output.channels, rate_hz))
        };
        self.runtime.spaces = outputs.iter().map(space).collect();
        if self.runtime.spaces.iter().any(Option::is_some) {
            self.runtime.bus = vec![0.0; CONTROL_TICKS * self.runtime.channels];
        }
        Ok(())
    }

    fn taps(&mut self) -> Result<(), SceneError> {
        for (index, tap) in self.def.taps.iter().enumerate() {
            let from = self.tap_from(index, tap)?;
            let last = match from {
                TapFrom::Body { body, differentiate: true, .. } => {
                    let port = self.directory.site(&tap.of).map_or(0, |site| site.port);
                    self.runtime.world.bodies[body].velocity(port)
                }
                _ => 0.0,
            };
            let main = [MAIN.to_owned()];
            let outputs = if tap.outputs.is_empty() { &main[..] } else { &tap.outputs };
            for name in outputs {
                let place = format!("tap[{index}].to");
                let all = self.directory.outputs();
                let Some(output) = all.iter().find(|output| output.name == *name) else {
                    let near = nearest(name, all.iter().map(|output| output.name.as_str()));
                    return Err(SceneError::new(place, format!("no output '{name}'{near}")));
                };
                if tap.to.width() > output.channels.len() {
                    let what = format!(
                        "output '{name}' has {} channels, and this tap needs {}",
                        output.channels.len(),
                        tap.to.width()
                    );
                    return Err(SceneError::new(place, what));
                }
                let written = self.def.outputs.iter().find(|output| output.name == *name);
                let gain = fault!(TAP_GAIN, tap.gain * written.map_or(1.0, |output| output.gain), times 0.9);
                let to = match tap.to {
                    TapTo::Channel(channel) => [(output.channels[channel], gain), (output.channels[channel], 0.0)],
                    TapTo::Pan(pan) => {
                        let angle = 0.5 * PI * pan;
                        [
                            (output.channels[0], gain * cos(angle)),
                            (output.channels[1], fault!(TAP_PAN, gain, times 0.8) * sin(angle)),
                        ]
                    }
                };
                let lane = [0.0; CONTROL_TICKS];
                self.runtime.taps.push(Tap { from, to, gains_before: [0.0; 2], fade_left: 0, last, lane });
            }
        }
        Ok(())
    }

    fn tap_from(&mut self, index: usize, tap: &TapDef) -> Result<TapFrom, SceneError> {
        let Runtime { world, readings, .. } = &mut self.runtime;
        if let Ok(process) = self.directory.process(&tap.of) {
            if tap.quantity != Quantity::Sound {
                let what = format!("'{}' is a process: its quantity is sound", tap.of);
                return Err(SceneError::new(format!("tap[{index}].quantity"), what));
            }
            let form = &self.def.processes[process].form;
            if !form.sounds(!self.def.processes[process].on.is_empty()) {
                let what = format!("'{}' hits bodies and has no sound of its own; listen to what it hits", tap.of);
                return Err(SceneError::new(format!("tap[{index}].of"), what));
            }
            return Ok(TapFrom::Process(process));
        }
        let contact = self.directory.contact_entries().iter().position(|contact| contact.name == tap.of);
        let wrong_quantity = |what: String| Err(SceneError::new(format!("tap[{index}].quantity"), what));
        let motion = match (contact, tap.quantity) {
            (Some(contact), Quantity::Force | Quantity::Compression) => {
                world.contacts[contact].watched |= tap.quantity == Quantity::Compression;
                return Ok(TapFrom::Contact { contact, quantity: tap.quantity });
            }
            (Some(_), _) => {
                return wrong_quantity(format!("'{}' is a contact: its quantities are force and compression", tap.of));
            }
            (None, Quantity::Position) => Motion::Position,
            (None, Quantity::Velocity | Quantity::Acceleration) => Motion::Velocity,
            (None, Quantity::Force | Quantity::Compression) => {
                at(format!("tap[{index}].of"), self.directory.site(&tap.of))?;
                return wrong_quantity("is a quantity of contacts; name a contact in `of`".into());
            }
            (None, Quantity::Sound) => {
                at(format!("tap[{index}].of"), self.directory.site(&tap.of))?;
                return wrong_quantity("is a quantity of processes; name a process in `of`".into());
            }
        };
        let site = at(format!("tap[{index}].of"), self.directory.site(&tap.of))?;
        let readings = &mut readings[site.body];
        let known = readings.iter().position(|r| r.port == site.port && r.motion == motion && r.whole == tap.whole);
        let reading = known.unwrap_or_else(|| {
            let mut reading = Reading::new(site.port, motion);
            reading.whole = tap.whole;
            readings.push(reading);
            readings.len() - 1
        });
        if motion == Motion::Velocity {
            world.bodies[site.body].listen(site.port);
        }
        let differentiate = tap.quantity == Quantity::Acceleration;
        Ok(TapFrom::Body { body: site.body, index: reading, differentiate })
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
