// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names and what they stand for: bodies, ports, contacts, parameters, controls, outputs, probe signals.
//!
//! A front end asks here once and then speaks in indices. A directory is made with its scene and lives on its own: it is
//! cheap to clone and can be kept by whoever plays the scene from another thread. Looking a name up allocates nothing;
//! only an unknown one does, for the message that names what may have been meant.

use super::def::{Place, PlaceOn};
use super::error::{SceneError, nearest};
use super::kinds::Anywhere;
use super::kinds::string::beside;
use super::slot::{Control, Target};
use crate::command::Address;
use crate::contact::Site;
use crate::gait::walker::INLETS;
use crate::math::Real;
use crate::param::{Scale, Spec};
use crate::signal::INLET;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// A resolved probe signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// m
    Position(Site),
    /// m/s
    Velocity(Site),
    /// J, of one body
    BodyEnergy(usize),
    /// N, mean over the sample
    Force(usize),
    /// m
    Compression(usize),
    /// Law evaluations in the sample
    Iterations(usize),
    /// Sub-steps of the sample
    Substeps(usize),
    /// A signal of the scene, in its own unit
    Signal(usize),
    /// Events of a process since the start
    Events(usize),
    /// J, what the events of a process were given, where it keeps count
    Given(usize),
    /// J, what there was to give
    Had(usize),
    /// J, bodies and laws
    Energy,
    /// J, outsiders
    Work,
    /// J, bodies and laws of a part: the first of each, and one past the last
    PartEnergy {
        /// Bodies.
        bodies: [usize; 2],
        /// Contacts.
        contacts: [usize; 2],
    },
}

/// Where sound goes: some channels of the device, limited together.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// Its name; `main` if the scene names none.
    pub name: String,
    /// Channels of the device that it fills, in its own order.
    pub channels: Vec<usize>,
    /// True if its peaks are limited when it is played live.
    pub limiter: bool,
    /// True if the scene says so; false for the `main` that every scene has.
    pub written: bool,
}

/// A `[[control]]` for people.
#[derive(Clone, Debug, PartialEq)]
pub struct ControlInfo {
    /// Its name, which is also its path; it takes 0 to 1.
    pub name: String,
    /// The first path it moves.
    pub path: String,
    /// Physical values at 0 and 1.
    pub range: [Real; 2],
    /// Knob law.
    pub scale: Scale,
}

#[derive(Clone, Copy, Debug)]
enum Name {
    Body(usize),
    Contact(usize),
    Control(usize),
    Signal(usize),
    Process(usize),
    Walk(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct BodyEntry {
    pub name: String,
    pub ports: Vec<String>,
    pub is_mass: bool,
    /// Which ports yield to a push.
    pub yields: Vec<bool>,
    /// Its parameters and forces.
    pub slots: Range<usize>,
    /// Where it may be touched besides its ports.
    pub anywhere: Option<Anywhere>,
}

/// A contact, a signal or a process: a name and its parameters.
#[derive(Clone, Debug)]
pub(crate) struct NodeEntry {
    pub name: String,
    pub slots: Range<usize>,
    /// What a trigger of it says: of a process.
    pub triggers: &'static [Spec],
}

#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub target: Target,
    pub spec: Spec,
    /// Value before the first tick.
    pub declared: Real,
}

#[derive(Clone, Debug, Default)]
struct Entries {
    names: BTreeMap<String, Name>,
    bodies: Vec<BodyEntry>,
    contacts: Vec<NodeEntry>,
    /// Contacts whose sites are set live.
    spare: Vec<bool>,
    signals: Vec<NodeEntry>,
    processes: Vec<NodeEntry>,
    walks: Vec<NodeEntry>,
    parameters: Vec<Parameter>,
    controls: Vec<Control>,
    outputs: Vec<Output>,
    inputs: usize,
}

/// The names of a scene.
#[derive(Clone, Debug, Default)]
pub struct Directory(Arc<Entries>);

/// Adding to a directory, while its scene is built. `[control]`
impl Directory {
    fn entries(&mut self) -> &mut Entries {
        Arc::make_mut(&mut self.0)
    }

    pub(crate) fn add_body(&mut self, body: BodyEntry) {
        let entries = self.entries();
        entries.names.insert(body.name.clone(), Name::Body(entries.bodies.len()));
        entries.bodies.push(body);
    }

    pub(crate) fn add_contact(&mut self, name: &str, spare: bool) {
        let entries = self.entries();
        entries.names.insert(name.to_owned(), Name::Contact(entries.contacts.len()));
        entries.contacts.push(NodeEntry { name: name.to_owned(), slots: 0..0, triggers: &[] });
        entries.spare.push(spare);
    }

    pub(crate) fn add_signal(&mut self, name: &str) {
        let entries = self.entries();
        entries.names.insert(name.to_owned(), Name::Signal(entries.signals.len()));
        entries.signals.push(NodeEntry { name: name.to_owned(), slots: 0..0, triggers: &[] });
    }

    pub(crate) fn add_process(&mut self, name: &str, triggers: &'static [Spec]) {
        let entries = self.entries();
        entries.names.insert(name.to_owned(), Name::Process(entries.processes.len()));
        entries.processes.push(NodeEntry { name: name.to_owned(), slots: 0..0, triggers });
    }

    pub(crate) fn add_walk(&mut self, name: &str) {
        let entries = self.entries();
        entries.names.insert(name.to_owned(), Name::Walk(entries.walks.len()));
        entries.walks.push(NodeEntry { name: name.to_owned(), slots: 0..0, triggers: &[] });
    }

    /// The next parameter of the scene; those of one body or contact follow each other.
    pub(crate) fn add_parameter(&mut self, target: Target, spec: Spec, declared: Real) {
        let entries = self.entries();
        let index = entries.parameters.len();
        let slots = match target {
            Target::Body { body, .. } | Target::Force(Site { body, .. }) => Some(&mut entries.bodies[body].slots),
            Target::Contact { contact, .. } | Target::Surface { contact, .. } => {
                Some(&mut entries.contacts[contact].slots)
            }
            Target::Signal { signal, .. } => Some(&mut entries.signals[signal].slots),
            Target::Process { process, .. } => Some(&mut entries.processes[process].slots),
            Target::Walk { walk, .. } => Some(&mut entries.walks[walk].slots),
            Target::Output { .. } => None,
        };
        if let Some(slots) = slots {
            *slots = if slots.start == slots.end { index..index + 1 } else { slots.start..index + 1 };
        }
        entries.parameters.push(Parameter { target, spec, declared });
    }

    pub(crate) fn add_control(&mut self, control: Control) {
        let entries = self.entries();
        entries.names.insert(control.name.clone(), Name::Control(entries.controls.len()));
        entries.controls.push(control);
    }

    pub(crate) fn add_output(&mut self, output: Output) {
        self.entries().outputs.push(output);
    }

    /// The one channel of a `main` that nobody wrote is heard on the first two.
    pub(crate) fn widen_main(&mut self) {
        for output in self.entries().outputs.iter_mut().filter(|output| !output.written) {
            output.channels = vec![0, 1];
        }
    }

    pub(crate) fn ask_for_input(&mut self, channel: usize) {
        let entries = self.entries();
        entries.inputs = entries.inputs.max(channel + 1);
    }

    pub(crate) fn declare(&mut self, slot: usize, value: Real) {
        self.entries().parameters[slot].declared = value;
    }

    pub(crate) fn body_entries(&self) -> &[BodyEntry] {
        &self.0.bodies
    }

    pub(crate) fn contact_entries(&self) -> &[NodeEntry] {
        &self.0.contacts
    }

    pub(crate) fn signal_entries(&self) -> &[NodeEntry] {
        &self.0.signals
    }

    pub(crate) fn process_entries(&self) -> &[NodeEntry] {
        &self.0.processes
    }

    pub(crate) fn walk_entries(&self) -> &[NodeEntry] {
        &self.0.walks
    }

    pub(crate) fn control_entries(&self) -> &[Control] {
        &self.0.controls
    }
}

impl Directory {
    /// Index of a body. `[control]`
    pub fn body(&self, name: &str) -> Result<usize, SceneError> {
        match self.0.names.get(name) {
            Some(Name::Body(index)) => Ok(*index),
            _ => {
                let near = nearest(name, self.0.bodies.iter().map(|body| body.name.as_str()));
                Err(SceneError::new("", format!("no body '{name}'{near}")))
            }
        }
    }

    /// Index of a contact. `[control]`
    pub fn contact(&self, name: &str) -> Result<usize, SceneError> {
        match self.0.names.get(name) {
            Some(Name::Contact(index)) => Ok(*index),
            _ => {
                let near = nearest(name, self.0.contacts.iter().map(|contact| contact.name.as_str()));
                Err(SceneError::new("", format!("no contact '{name}'{near}")))
            }
        }
    }

    /// True for a contact whose two sites are set live. `[control]`
    pub fn is_spare(&self, contact: usize) -> bool {
        self.0.spare.get(contact).is_some_and(|spare| *spare)
    }

    /// Number of a signal. `[control]`
    pub fn signal(&self, name: &str) -> Result<usize, SceneError> {
        match self.0.names.get(name) {
            Some(Name::Signal(index)) => Ok(*index),
            _ => {
                let near = nearest(name, self.0.signals.iter().map(|signal| signal.name.as_str()));
                Err(SceneError::new("", format!("no signal '{name}'{near}")))
            }
        }
    }

    /// Number of a process. `[control]`
    pub fn process(&self, name: &str) -> Result<usize, SceneError> {
        match self.0.names.get(name) {
            Some(Name::Process(index)) => Ok(*index),
            _ => {
                let near = nearest(name, self.0.processes.iter().map(|process| process.name.as_str()));
                Err(SceneError::new("", format!("no process '{name}'{near}")))
            }
        }
    }

    /// What a trigger of a process says, in order; empty if it takes none. `[control]`
    pub fn triggers(&self, process: usize) -> &'static [Spec] {
        self.0.processes.get(process).map_or(&[], |process| process.triggers)
    }

    /// Names of all processes, by number. `[control]`
    pub fn process_names(&self) -> impl Iterator<Item = &str> {
        self.0.processes.iter().map(|process| process.name.as_str())
    }

    /// Every inlet: its path and its declaration. `[control]`
    pub fn inlets(&self) -> impl Iterator<Item = (String, Spec)> {
        let inlet = |(slot, parameter): (usize, &Parameter)| match parameter.target {
            Target::Signal { param, .. } if param == INLET => Some((self.path(slot), parameter.spec)),
            Target::Walk { param, .. } if param >= INLETS => Some((self.path(slot), parameter.spec)),
            _ => None,
        };
        self.0.parameters.iter().enumerate().filter_map(inlet)
    }

    /// "body" or "body.port" to a site. `[control]`
    pub fn site(&self, text: &str) -> Result<Site, SceneError> {
        let (name, port) = text.split_once('.').map_or((text, None), |(name, port)| (name, Some(port)));
        let body = self.body(name)?;
        let ports = &self.0.bodies[body].ports;
        let port = match port {
            None if ports.len() == 1 => 0,
            None => {
                let all = ports.iter().map(|port| format!("'{name}.{port}'")).collect::<Vec<_>>().join(", ");
                return Err(SceneError::new("", format!("'{name}' has several ports; write one of {all}")));
            }
            Some(wanted) => match ports.iter().position(|port| port == wanted) {
                Some(port) => port,
                None => {
                    let near = nearest(wanted, ports.iter().map(String::as_str));
                    return Err(SceneError::new("", format!("'{name}' has no port '{wanted}'{near}")));
                }
            },
        };
        Ok(Site { body, port })
    }

    /// "body/param", "contact/param", "body.port/force_n", "output.name/param" or a control's name, with or without a slash in
    /// front, to an address. `[control]`
    pub fn address(&self, path: &str) -> Result<Address, SceneError> {
        let path = path.strip_prefix('/').unwrap_or(path);
        self.find(path).ok_or_else(|| {
            let paths: Vec<String> = (0..self.0.parameters.len()).map(|slot| self.path(slot)).collect();
            let known = paths.iter().map(String::as_str).chain(self.0.controls.iter().map(|c| c.name.as_str()));
            let node = path.split(['/', '.']).next().unwrap_or(path);
            let of_node: Vec<&str> = known.clone().filter(|p| p.split(['/', '.']).next() == Some(node)).collect();
            let near = if of_node.is_empty() { nearest(path, known) } else { nearest(path, of_node) };
            SceneError::new("", format!("no parameter '{path}'{near}"))
        })
    }

    fn find(&self, path: &str) -> Option<Address> {
        if let Some(Name::Control(index)) = self.0.names.get(path) {
            return Some(Address::Control(*index));
        }
        let (node, id) = path.rsplit_once('/')?;
        let within = |slots: &Range<usize>, wanted: &dyn Fn(&Parameter) -> bool| {
            slots.clone().find(|slot| wanted(&self.0.parameters[*slot])).map(Address::Slot)
        };
        // Outputs have names of their own.
        if let Some(output) = node.strip_prefix("output.")
            && let Some(output) = self.0.outputs.iter().position(|entry| entry.name == output)
        {
            let of_it = |p: &Parameter| matches!(p.target, Target::Output { output: o, .. } if o == output);
            return within(&(0..self.0.parameters.len()), &|p| of_it(p) && p.spec.id == id);
        }
        match self.0.names.get(node) {
            Some(Name::Contact(contact)) => within(&self.0.contacts[*contact].slots, &|p| p.spec.id == id),
            Some(Name::Signal(signal)) => within(&self.0.signals[*signal].slots, &|p| p.spec.id == id),
            Some(Name::Process(process)) => within(&self.0.processes[*process].slots, &|p| p.spec.id == id),
            Some(Name::Walk(walk)) => within(&self.0.walks[*walk].slots, &|p| p.spec.id == id),
            Some(Name::Body(body)) if id != "force_n" => within(&self.0.bodies[*body].slots, &|p| p.spec.id == id),
            _ if id == "force_n" => {
                // A body with one port may be named with it or without.
                let (name, port) = node.split_once('.').map_or((node, None), |(name, port)| (name, Some(port)));
                let Some(Name::Body(body)) = self.0.names.get(name) else { return None };
                let entry = &self.0.bodies[*body];
                let port = match port {
                    None => (entry.ports.len() == 1).then_some(0)?,
                    Some(wanted) => entry.ports.iter().position(|port| port == wanted)?,
                };
                within(&entry.slots, &|p| p.target == Target::Force(Site { body: *body, port }))
            }
            _ => None,
        }
    }

    /// A probe signal's name to a probe. `[control]`
    pub fn probe(&self, signal: &str) -> Result<Probe, SceneError> {
        let found = match (signal, signal.rsplit_once('.')) {
            ("energy", _) => Some(Probe::Energy),
            ("work", _) => Some(Probe::Work),
            (_, Some((node, "position"))) => self.site(node).ok().map(Probe::Position),
            (_, Some((node, "velocity"))) => self.site(node).ok().map(Probe::Velocity),
            (_, Some((node, "energy"))) => self.body(node).ok().map(Probe::BodyEnergy),
            (_, Some((node, "value"))) => self.signal(node).ok().map(Probe::Signal),
            (_, Some((node, "events"))) => self.process(node).ok().map(Probe::Events),
            (_, Some((node, "given"))) => self.process(node).ok().map(Probe::Given),
            (_, Some((node, "had"))) => self.process(node).ok().map(Probe::Had),
            (_, Some((node, "force"))) => self.contact(node).ok().map(Probe::Force),
            (_, Some((node, "compression"))) => self.contact(node).ok().map(Probe::Compression),
            (_, Some((node, "iterations"))) => self.contact(node).ok().map(Probe::Iterations),
            (_, Some((node, "substeps"))) => self.contact(node).ok().map(Probe::Substeps),
            _ => signal.strip_suffix("/energy").and_then(|part| self.part_energy(part)),
        };
        found.ok_or_else(|| {
            let all = self.signals();
            SceneError::new("", format!("no signal '{signal}'{}", nearest(signal, all.iter().map(String::as_str))))
        })
    }

    /// Energy of everything under a path. What stands in a part stands together.
    fn part_energy(&self, part: &str) -> Option<Probe> {
        let inside = |name: &str| name.strip_prefix(part).is_some_and(|rest| rest.starts_with('/'));
        fn range<'n>(names: impl Iterator<Item = &'n str>, inside: impl Fn(&str) -> bool) -> [usize; 2] {
            let mut range = [0; 2];
            for (index, _) in names.enumerate().filter(|(_, name)| inside(name)) {
                range = [if range[1] == 0 { index } else { range[0] }, index + 1];
            }
            range
        }
        let bodies = range(self.0.bodies.iter().map(|body| body.name.as_str()), inside);
        let contacts = range(self.0.contacts.iter().map(|contact| contact.name.as_str()), inside);
        (bodies[1] > 0).then_some(Probe::PartEnergy { bodies, contacts })
    }

    /// Name of a body. `[control]`
    pub fn body_name(&self, body: usize) -> Option<&str> {
        self.0.bodies.get(body).map(|body| body.name.as_str())
    }

    /// Name of a contact. `[control]`
    pub fn contact_name(&self, contact: usize) -> Option<&str> {
        self.0.contacts.get(contact).map(|contact| contact.name.as_str())
    }

    /// Name of a control, or of a parameter that stands for others: [`Address::Control`]. `[control]`
    pub fn control_name(&self, control: usize) -> Option<&str> {
        self.0.controls.get(control).map(|control| control.name.as_str())
    }

    /// Names of the bodies that can be struck. `[control]`
    pub fn masses(&self) -> impl Iterator<Item = &str> {
        self.0.bodies.iter().filter(|body| body.is_mass).map(|body| body.name.as_str())
    }

    /// Every place of every body. `[control]`
    pub fn sites(&self) -> impl Iterator<Item = Site> {
        let of = |(body, entry): (usize, &BodyEntry)| (0..entry.ports.len()).map(move |port| Site { body, port });
        self.0.bodies.iter().enumerate().flat_map(of)
    }

    /// True if the body can be struck: a mass. `[control]`
    pub fn is_mass(&self, body: usize) -> bool {
        self.0.bodies.get(body).is_some_and(|body| body.is_mass)
    }

    /// True if the site yields to a push. `[control]`
    pub fn yields(&self, site: Site) -> bool {
        self.0.bodies.get(site.body).and_then(|body| body.yields.get(site.port)).is_some_and(|yields| *yields)
    }

    /// Number of parameters and forces: addresses [`Address::Slot`] count up to it. `[control]`
    pub fn parameters(&self) -> usize {
        self.0.parameters.len()
    }

    /// Path of a parameter or force of this scene; panics if it has none of that number. `[control]`
    pub fn path(&self, slot: usize) -> String {
        let Parameter { target, spec, .. } = &self.0.parameters[slot];
        match *target {
            Target::Body { body, .. } => format!("{}/{}", self.0.bodies[body].name, spec.id),
            Target::Contact { contact, .. } | Target::Surface { contact, .. } => {
                format!("{}/{}", self.0.contacts[contact].name, spec.id)
            }
            Target::Signal { signal, .. } => format!("{}/{}", self.0.signals[signal].name, spec.id),
            Target::Process { process, .. } => format!("{}/{}", self.0.processes[process].name, spec.id),
            Target::Walk { walk, .. } => format!("{}/{}", self.0.walks[walk].name, spec.id),
            Target::Force(site) => format!("{}/{}", self.site_name(site), spec.id),
            Target::Output { output, .. } => format!("output.{}/{}", self.0.outputs[output].name, spec.id),
        }
    }

    /// A site of this scene by the shortest of its names; panics if it has no such site. `[control]`
    pub fn site_name(&self, site: Site) -> String {
        let BodyEntry { name, ports, .. } = &self.0.bodies[site.body];
        if ports.len() == 1 { name.clone() } else { format!("{name}.{}", ports[site.port]) }
    }

    /// Declaration behind an address; a control's is `0..1`. `[control]`
    pub fn spec(&self, address: Address) -> Option<Spec> {
        match address {
            Address::Slot(slot) => self.0.parameters.get(slot).map(|parameter| parameter.spec),
            Address::Control(index) => self.0.controls.get(index).map(Control::spec),
        }
    }

    /// What a value at an address does to parameters: slots and their values. `[control]`
    pub fn moves(&self, address: Address, value: Real) -> impl Iterator<Item = (usize, Real)> {
        let (slot, control) = match address {
            Address::Slot(slot) => (Some((slot, value)), None),
            Address::Control(index) => (None, self.0.controls.get(index)),
        };
        let moved = control.into_iter().flat_map(move |c| c.moves.iter().map(move |m| (m.slot, m.value(value))));
        slot.into_iter().chain(moved)
    }

    /// The value at an address, given the values of all parameters: a control stands where the first thing that it moves
    /// tells. `[control]`
    pub fn reading(&self, address: Address, value_of: impl Fn(usize) -> Real) -> Option<Real> {
        match address {
            Address::Slot(slot) => (slot < self.0.parameters.len()).then(|| value_of(slot)),
            Address::Control(index) => {
                let first = self.0.controls.get(index)?.moves.first()?;
                Some(first.knob(value_of(first.slot)))
            }
        }
    }

    /// Value of a parameter of this scene before the first tick; panics if it has none of that number. `[control]`
    pub fn declared(&self, slot: usize) -> Real {
        self.0.parameters[slot].declared
    }

    /// Every live path with its declaration and value before the first tick: parameters, forces, and parameters that
    /// stand for others; not the scene's controls. `[control]`
    pub fn paths(&self) -> Vec<(String, Spec, Real)> {
        self.paths_with(|slot| self.declared(slot))
    }

    /// The same with other values. `[control]`
    pub fn paths_with(&self, value_of: impl Fn(usize) -> Real) -> Vec<(String, Spec, Real)> {
        let own = self.0.parameters.iter().enumerate().map(|(slot, p)| (self.path(slot), p.spec, value_of(slot)));
        let others = self.0.controls.iter().enumerate().filter_map(|(index, control)| {
            let value = self.reading(Address::Control(index), &value_of)?;
            Some((control.name.clone(), control.stands_for?, value))
        });
        own.chain(others).collect()
    }

    /// The scene's `[[control]]`s. `[control]`
    pub fn controls(&self) -> Vec<ControlInfo> {
        let own = self.0.controls.iter().filter(|control| control.stands_for.is_none());
        let info = |control: &Control| {
            let first = control.moves.first()?;
            let (path, range, scale) = (self.path(first.slot), first.range, first.scale);
            Some(ControlInfo { name: control.name.clone(), path, range, scale })
        };
        own.filter_map(info).collect()
    }

    /// Every path that a control moves; none if there is no such control. `[control]`
    pub fn moved_by(&self, control: &str) -> Vec<String> {
        let Some(Name::Control(index)) = self.0.names.get(control) else { return Vec::new() };
        self.0.controls[*index].moves.iter().map(|mapping| self.path(mapping.slot)).collect()
    }

    /// Every probe signal. `[control]`
    pub fn signals(&self) -> Vec<String> {
        let mut all = Vec::new();
        for (body, entry) in self.0.bodies.iter().enumerate() {
            for port in 0..entry.ports.len() {
                let site = self.site_name(Site { body, port });
                all.extend(["position", "velocity"].map(|quantity| format!("{site}.{quantity}")));
            }
        }
        for NodeEntry { name, .. } in &self.0.contacts {
            let quantities = ["force", "compression", "iterations", "substeps"];
            all.extend(quantities.map(|quantity| format!("{name}.{quantity}")));
        }
        all.extend(self.0.bodies.iter().map(|body| format!("{}.energy", body.name)));
        all.extend(self.0.signals.iter().map(|signal| format!("{}.value", signal.name)));
        for NodeEntry { name, .. } in &self.0.processes {
            all.extend(["events", "given", "had"].map(|quantity| format!("{name}.{quantity}")));
        }
        all.extend(["energy".into(), "work".into()]);
        all
    }

    /// The outputs, `main` first if it is there. `[control]`
    pub fn outputs(&self) -> &[Output] {
        &self.0.outputs
    }

    /// Channels of sound that the scene wants to hear; 0: none. `[control]`
    pub fn inputs(&self) -> usize {
        self.0.inputs
    }

    /// Values of the modes' shapes at many places of a body that may be touched anywhere, as fractions (on a mesh in m, with a direction if six): for whoever draws it.
    /// `[control]`
    pub fn values_over(&self, body: usize, places: &[Vec<Real>]) -> Result<Vec<Vec<Real>>, SceneError> {
        match self.0.bodies.get(body).map(|entry| &entry.anywhere) {
            Some(Some(Anywhere::Shape(geometry, below_hz))) => {
                let on = |place: &Vec<Real>| PlaceOn { name: "look".into(), place: Place::At(place.clone()) };
                let places: Vec<PlaceOn> = places.iter().map(on).collect();
                let solved = crate::resonator::shape::evaluate(geometry, &places, *below_hz);
                solved.map(|solved| solved.shapes).map_err(|fault| SceneError::new("", fault.what))
            }
            Some(Some(Anywhere::Mesh(mesh, below_hz))) => {
                let all = places.iter().map(|place| mesh.values_at(place, *below_hz));
                all.collect::<Result<_, _>>().map_err(|what| SceneError::new("", what))
            }
            _ => Err(SceneError::new("", "no shape or mesh, or it morphs; only those are known everywhere")),
        }
    }

    /// Shape values of every mode at a place (fractions) of the shape that a port belongs to, or the place itself on a string,
    /// for [`Command::Touch`](crate::command::Command::Touch). `[control]`
    pub fn values_at(&self, site: Site, place: &[Real]) -> Result<Vec<Real>, SceneError> {
        let Some(BodyEntry { name, anywhere, .. }) = self.0.bodies.get(site.body) else {
            return Err(SceneError::new("", "there is no such body"));
        };
        let found = match (anywhere, place) {
            (Some(Anywhere::Shape(geometry, below_hz)), _) => {
                let place = PlaceOn { name: "touch".into(), place: Place::At(place.to_vec()) };
                let solved = crate::resonator::shape::evaluate(geometry, &[place], *below_hz);
                solved.map(|mut solved| solved.shapes.swap_remove(0)).map_err(|fault| fault.what)
            }
            (Some(Anywhere::Mesh(mesh, below_hz)), _) => mesh.values_at(place, *below_hz),
            (Some(Anywhere::Length), &[at]) => beside(at).map_or(Ok(vec![at]), Err),
            (Some(Anywhere::Length), _) => Err("a string is touched at one fraction of its length".into()),
            (Some(Anywhere::Turn), &[turn]) => Ok(crate::resonator::vessel::values_at(turn)),
            (Some(Anywhere::Turn), _) => Err("a vessel is touched at one fraction of a turn round its rim".into()),
            (None, _) => Err("no shape, mesh, string or vessel, or it morphs; only those are touched anywhere".into()),
        };
        found.map_err(|what| SceneError::new("", format!("'{name}': {what}")))
    }

    /// The same at places from one to another, in so many equal legs. `[control]`
    pub(super) fn values_along(
        &self,
        site: Site,
        from: &[Real],
        to: &[Real],
        legs: usize,
    ) -> Result<Vec<Vec<Real>>, SceneError> {
        let place = |leg: usize| {
            let share = leg as Real / legs as Real;
            from.iter().zip(to).map(|(from, to)| from + (to - from) * share).collect()
        };
        let places: Vec<Vec<Real>> = (0..=legs).map(place).collect();
        match self.values_over(site.body, &places) {
            Ok(values) => Ok(values),
            Err(_) => places.iter().map(|place| self.values_at(site, place)).collect(),
        }
    }
}
