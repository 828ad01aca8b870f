// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals, walkers and processes of a scene, and the order in which they move.

use super::*;

impl Assembly<'_> {
    /// Signals in the order of the scene, and the order in which they can be moved.
    pub(super) fn signals(&mut self) -> Result<(), SceneError> {
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
            let running = Signal::new(source, signal.params, signal.operators(def)?);
            for (param, spec) in SignalParams::SPECS.iter().enumerate() {
                self.add_slot(Target::Signal { signal: index, param }, *spec, running.get(param));
            }
            if let Some(spec) = signal.form.inlet() {
                self.add_slot(Target::Signal { signal: index, param: INLET }, spec, spec.default);
            }
            self.runtime.grid.signals.push(Heard { signal: running, reads });
        }
        self.walks()?;
        self.order_signals()
    }

    /// Who walks, and what they say, after all other signals.
    pub(super) fn walks(&mut self) -> Result<(), SceneError> {
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
            let ear = walk.of.as_ref().map(|of| at(format!("walk.{}.of", walk.name), self.directory.signal(of)));
            self.runtime.grid.ears.push(ear.transpose()?);
        }
        Ok(())
    }

    /// Each signal after the one that it reads.
    pub(super) fn order_signals(&mut self) -> Result<(), SceneError> {
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

    pub(super) fn processes(&mut self, omitted: &mut Vec<String>) -> Result<(), SceneError> {
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
                    pushes.push(Push::new(site, slot));
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
        let Grid { signals, order, walkers, ears, processes, pushes, .. } =
            core::mem::replace(&mut self.runtime.grid, Grid::new(Vec::new(), Vec::new(), Vec::new(), Vec::new()));
        self.runtime.grid = Grid::new(signals, order, processes, pushes);
        (self.runtime.grid.walkers, self.runtime.grid.ears) = (walkers, ears);
        Ok(())
    }

    /// The feet that a process hears: of each heel and toes, N, and where it stands, m.
    pub(super) fn feet(&self, process: &ProcessDef) -> Result<Vec<(usize, Real)>, SceneError> {
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
    pub(super) fn falling(&self, process: &ProcessDef) -> Result<Vec<Falling>, SceneError> {
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
    pub(super) fn stood_for(&self, index: usize, path: &str) -> Result<Option<(String, [Real; 2])>, SceneError> {
        let (def, control) = (self.def, &self.def.controls[index]);
        let Some((name, id)) = path.rsplit_once('/') else { return Ok(None) };
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
}
