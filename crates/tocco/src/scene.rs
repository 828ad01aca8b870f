// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenes: bodies and contacts wired at run time.
//!
//! A [`SceneDef`] is what a file says; [`Scene::build`] checks it, wires it for one sample rate and makes everything
//! the audio side will need, so that rendering allocates nothing. Names are resolved here, once: front ends ask the
//! scene's directory ([`Scene::address`], [`Scene::site`], [`Scene::probe`]) and then speak in indices.

mod adopt;
mod build;
mod check;
pub mod def;
pub mod drive;
pub mod error;
pub mod hammer;
pub mod kinds;
pub mod midi;
#[cfg(feature = "text")]
pub mod schema;
#[cfg(feature = "text")]
pub mod text;
#[cfg(feature = "text")]
pub mod tree;
mod write;

pub use def::SceneDef;
pub use error::SceneError;

use crate::contact::Site;
use crate::contact::world::World;
use crate::math::{self, Real};
use crate::param::{self, Rate, Scale, Spec, Tunable};
use crate::resonator::{CONTROL_TICKS, Reading};
use def::Quantity;
use drive::Drive;
use error::nearest;

/// The one parameter that every port of a body that yields has: `body.port/force_n`.
pub const FORCE: Spec = Spec {
    id: "force_n",
    unit: "N",
    min: -1e6,
    max: 1e6,
    default: 0.0,
    scale: Scale::Linear,
    rate: Rate::Sample,
    glide_s: 0.008,
    doc: "External force at this place.",
};

/// A resolved path: where a value goes. Valid for the scene that gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// A parameter or force, by slot.
    Slot(usize),
    /// A macro control, `0..1`.
    Control(usize),
}

/// A resolved probe signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// m
    Position(Site),
    /// m/s
    Velocity(Site),
    /// N, mean over the sample
    Force(usize),
    /// m
    Compression(usize),
    /// Law evaluations in the sample
    Iterations(usize),
    /// Sub-steps of the sample
    Substeps(usize),
    /// J, bodies and laws
    Energy,
    /// J, outsiders
    Work,
}

/// What a slot moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Body { body: usize, param: usize },
    Contact { contact: usize, param: usize },
    Surface { contact: usize, param: usize },
    Force(Site),
}

/// One live value with its glide.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub target: Target,
    pub spec: Spec,
    pub value: Real,
    pub goal: Real,
    /// Slope and curvature of a glide, per step and per step twice.
    pub step: Real,
    pub bend: Real,
    /// Samples or control ticks left to the goal.
    pub left: u32,
    /// The drive that moves it, until a command takes over.
    pub drive: Option<usize>,
    /// As the scene says: value at the start, and whether something drives it.
    pub declared: (Real, bool),
    /// Values of the present block, for sample-rate slots.
    pub lane: [Real; CONTROL_TICKS],
}

impl Slot {
    pub fn is_moving(&self) -> bool {
        self.left > 0 || self.drive.is_some()
    }

    /// Sends the value to a goal, to be reached in so many samples. `[audio]`
    pub fn lead(&mut self, goal: Real, samples: Real) {
        let steps = if self.spec.rate == Rate::Sample { samples } else { samples / CONTROL_TICKS as Real };
        (self.goal, self.left) = (goal, (steps as u32).max(1));
    }

    /// One step towards the goal, along the polynomial of fifth order that begins with the present value, slope and
    /// curvature and ends level: however often the goal is moved, neither of them jumps. `[audio]`
    pub fn glide(&mut self) -> Real {
        if self.left <= 1 {
            let end = if self.left == 1 { self.goal } else { self.value };
            (self.step, self.bend, self.left) = (0.0, 0.0, 0);
            return end;
        }
        let n = Real::from(self.left);
        let (way, run, turn) = (self.goal - self.value, self.step * n, 0.5 * self.bend * n * n);
        // value + run t + turn t^2 + a t^3 + b t^4 + c t^5, with value way, slope 0 and curvature 0 at t = 1.
        let a = 10.0 * way - 6.0 * run - 3.0 * turn;
        let b = -15.0 * way + 8.0 * run + 3.0 * turn;
        let c = 6.0 * way - 3.0 * run - turn;
        let t = 1.0 / n;
        self.left -= 1;
        let value = self.value + t * (run + t * (turn + t * (a + t * (b + t * c))));
        self.step = t * (run + t * (2.0 * turn + t * (3.0 * a + t * (4.0 * b + t * 5.0 * c))));
        self.bend = t * t * (2.0 * turn + t * (6.0 * a + t * (12.0 * b + t * 20.0 * c)));
        value.clamp(self.spec.min, self.spec.max)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum TapFrom {
    /// Reading `index` of a body; true: differentiate.
    Body { body: usize, index: usize, differentiate: bool },
    /// A contact's force or compression.
    Contact { contact: usize, quantity: Quantity },
}

#[derive(Clone, Debug)]
pub(crate) struct Tap {
    pub from: TapFrom,
    /// Channel and gain, one or two.
    pub to: [(usize, Real); 2],
    /// Gains at the start of a fade, and samples until it is over.
    pub was: [Real; 2],
    pub fade: u32,
    pub before: Real,
    pub lane: [Real; CONTROL_TICKS],
}

#[derive(Clone, Debug)]
pub(crate) struct Macro {
    pub name: String,
    /// What it moves, at least one thing.
    pub reach: Vec<Reach>,
    /// What it declares if it is a parameter that stands for another one, not a control of the scene's.
    pub own: Option<Spec>,
}

/// A slot and what a control makes of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    pub slot: usize,
    pub range: [Real; 2],
    pub scale: Scale,
    /// Values at both ends if they are not 0 and 1; equal ratios between.
    pub ends: Option<[Real; 2]>,
}

impl Reach {
    /// The slot's value where the control stands at `value`.
    pub fn at(&self, value: Real) -> Real {
        let turn = self.ends.map_or(value, |[from, to]| math::ln(value / from) / math::ln(to / from));
        param::scaled(self.scale, self.range[0], self.range[1], turn)
    }

    /// Where a control of equal ratios stands for a value of the slot; a time also where it lies outside what can be set.
    fn back(&self, value: Real) -> Real {
        let turn = math::ln(value / self.range[0]) / math::ln(self.range[1] / self.range[0]);
        self.ends.map_or(turn.clamp(0.0, 1.0), |[from, to]| from * math::exp(turn * math::ln(to / from)))
    }
}

/// A built scene: everything needed to render at one rate.
pub struct Scene {
    pub(crate) world: World,
    pub(crate) slots: Vec<Slot>,
    pub(crate) drives: Vec<Drive>,
    pub(crate) events: Vec<crate::engine::Timed>,
    pub(crate) taps: Vec<Tap>,
    pub(crate) readings: Vec<Vec<Reading>>,
    pub(crate) macros: Vec<Macro>,
    channels: usize,
    rate_hz: Real,
    title: String,
    duration: def::Length,
    bodies: Vec<(String, Vec<String>)>,
    contacts: Vec<String>,
    omitted: Vec<String>,
    /// Bodies by geometry, with the frequency below which their modes were kept; none for others and for those that morph.
    figures: Vec<Option<(def::ShapeDef, Real)>>,
    /// What each body and contact is made of, as one number: equal ones are interchangeable.
    body_forms: Vec<u64>,
    contact_forms: Vec<u64>,
    /// Counterparts in the scene that is being replaced.
    kin: Vec<Kin>,
    kin_contacts: Vec<Option<usize>>,
}

/// What a body was in the scene before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kin {
    /// Not there, or something else altogether.
    None,
    /// Of the same name and kind but made otherwise: it has taken over what it could.
    Part(usize),
    /// The very same: it goes on.
    Whole(usize),
}

impl Scene {
    /// Channels of the output, at least 1.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Makes room for at least so many channels; a scene of one is then heard on the first two. `[control]`
    pub fn widen(&mut self, channels: usize) {
        if self.channels == 1 && channels > 1 {
            for tap in &mut self.taps {
                tap.to[1] = (1, tap.to[0].1);
            }
        }
        self.channels = self.channels.max(channels);
    }

    /// True if the body can be struck: a mass.
    pub fn is_mass(&mut self, body: usize) -> bool {
        self.world.bodies.get_mut(body).is_some_and(|body| body.as_mass().is_some())
    }

    /// True if the site yields to a push.
    pub fn yields(&self, site: Site) -> bool {
        self.world.bodies.get(site.body).is_some_and(|body| body.inverse_mass(site.port) > 0.0)
    }

    /// Hz
    pub fn rate_hz(&self) -> Real {
        self.rate_hz
    }

    /// For people.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// How long the scene wants to last.
    pub fn duration(&self) -> def::Length {
        self.duration
    }

    /// Tick of the last scheduled gesture or breakpoint.
    pub fn last_cue(&self) -> u64 {
        let events = self.events.iter().map(|e| e.at).max().unwrap_or(0);
        self.drives.iter().map(|d| (d.ends_s() * self.rate_hz) as u64).fold(events, u64::max)
    }

    /// What this rate cannot hold: modes left out, e.g. "bar: mode 7 (18000 Hz)", and strings that play lower.
    pub fn omitted(&self) -> &[String] {
        &self.omitted
    }

    /// Every live path with its declaration and present value.
    pub fn paths(&self) -> Vec<(String, Spec, Real)> {
        let slots = self.slots.iter().map(|slot| (self.path_of(slot), slot.spec, slot.value));
        let others = self.macros.iter().filter_map(|m| {
            let (spec, reach) = (m.own?, m.reach.first()?);
            Some((m.name.clone(), spec, reach.back(self.slots[reach.slot].value)))
        });
        slots.chain(others).collect()
    }

    /// Every body that has modes, with its modes as tuned now, in the order given. `[control]`
    pub fn modes(&self) -> Vec<(String, Vec<def::ModeDef>)> {
        let mode = |(freq_hz, decay_s, mass_kg)| def::ModeDef { freq_hz, decay_s, mass_kg };
        let of = |body: &dyn crate::resonator::Resonator| body.modes().into_iter().map(mode).collect::<Vec<_>>();
        let all = self.bodies.iter().zip(&self.world.bodies).map(|((name, _), body)| (name.clone(), of(&**body)));
        all.filter(|(_, modes)| !modes.is_empty()).collect()
    }

    /// Names of the macro controls with the first path, its range and scale behind each.
    pub fn controls(&self) -> Vec<(String, String, [Real; 2], Scale)> {
        let first = |m: &Macro| m.reach.first().map(|r| (self.path_of(&self.slots[r.slot]), r.range, r.scale));
        let rows = self
            .macros
            .iter()
            .filter(|m| m.own.is_none())
            .filter_map(|m| first(m).map(|(path, range, scale)| (m.name.clone(), path, range, scale)));
        rows.collect()
    }

    /// Every path that a control moves; none if there is no such control.
    pub fn moved_by(&self, control: &str) -> Vec<String> {
        let of = self.macros.iter().filter(|m| m.name == control).flat_map(|m| &m.reach);
        of.map(|reach| self.path_of(&self.slots[reach.slot])).collect()
    }

    /// Every probe signal.
    pub fn signals(&self) -> Vec<String> {
        let mut all = Vec::new();
        for (body, ports) in &self.bodies {
            for port in ports {
                let site = if ports.len() == 1 { body.clone() } else { format!("{body}.{port}") };
                all.extend(["position", "velocity"].map(|q| format!("{site}.{q}")));
            }
        }
        for contact in &self.contacts {
            all.extend(["force", "compression", "iterations", "substeps"].map(|q| format!("{contact}.{q}")));
        }
        all.extend(["energy".into(), "work".into()]);
        all
    }

    fn path_of(&self, slot: &Slot) -> String {
        let node = match slot.target {
            Target::Body { body, .. } => self.bodies[body].0.clone(),
            Target::Contact { contact, .. } | Target::Surface { contact, .. } => self.contacts[contact].clone(),
            Target::Force(site) => {
                let (body, ports) = &self.bodies[site.body];
                if ports.len() == 1 { body.clone() } else { format!("{body}.{}", ports[site.port]) }
            }
        };
        format!("{node}/{}", slot.spec.id)
    }

    /// Index of a body. `[control]`
    pub fn body(&self, name: &str) -> Result<usize, SceneError> {
        let found = self.bodies.iter().position(|(body, _)| body == name);
        found.ok_or_else(|| {
            SceneError::new("", format!("no body '{name}'{}", nearest(name, self.bodies.iter().map(|b| b.0.as_str()))))
        })
    }

    /// Index of a contact. `[control]`
    pub fn contact(&self, name: &str) -> Result<usize, SceneError> {
        let found = self.contacts.iter().position(|contact| contact == name);
        found.ok_or_else(|| {
            let near = nearest(name, self.contacts.iter().map(String::as_str));
            SceneError::new("", format!("no contact '{name}'{near}"))
        })
    }

    /// "body" or "body.port" to a site. `[control]`
    pub fn site(&self, text: &str) -> Result<Site, SceneError> {
        let (name, port) = text.split_once('.').map_or((text, None), |(name, port)| (name, Some(port)));
        let body = self.body(name)?;
        let ports = &self.bodies[body].1;
        let port = match port {
            None if ports.len() == 1 => 0,
            None => {
                let what = format!("'{name}' has several ports; write one of {}", sites(name, ports));
                return Err(SceneError::new("", what));
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

    /// "body/param", "contact/param", "body.port/force_n" or a control's name to an address. `[control]`
    pub fn address(&self, path: &str) -> Result<Address, SceneError> {
        let path = path.strip_prefix('/').unwrap_or(path);
        if let Some(index) = self.macros.iter().position(|m| m.name == path) {
            return Ok(Address::Control(index));
        }
        if let Some(index) = self.slots.iter().position(|slot| self.path_of(slot) == path) {
            return Ok(Address::Slot(index));
        }
        // A body with one port may be named with it or without.
        if let Some((site, "force_n")) = path.split_once('/')
            && let Ok(site) = self.site(site)
            && let Some(index) = self.slots.iter().position(|slot| slot.target == Target::Force(site))
        {
            return Ok(Address::Slot(index));
        }
        let paths: Vec<String> = self.slots.iter().map(|slot| self.path_of(slot)).collect();
        let known = paths.iter().map(String::as_str).chain(self.macros.iter().map(|m| m.name.as_str()));
        let node = path.split(['/', '.']).next().unwrap_or(path);
        let of_node: Vec<&str> = known.clone().filter(|p| p.split(['/', '.']).next() == Some(node)).collect();
        let near = if of_node.is_empty() { nearest(path, known) } else { nearest(path, of_node) };
        Err(SceneError::new("", format!("no parameter '{path}'{near}")))
    }

    /// A probe signal's name to a probe. `[control]`
    pub fn probe(&self, signal: &str) -> Result<Probe, SceneError> {
        let unknown = || {
            let all = self.signals();
            SceneError::new("", format!("no signal '{signal}'{}", nearest(signal, all.iter().map(String::as_str))))
        };
        match signal {
            "energy" => return Ok(Probe::Energy),
            "work" => return Ok(Probe::Work),
            _ => {}
        }
        let (node, quantity) = signal.rsplit_once('.').ok_or_else(unknown)?;
        match quantity {
            "position" => Ok(Probe::Position(self.site(node).map_err(|_| unknown())?)),
            "velocity" => Ok(Probe::Velocity(self.site(node).map_err(|_| unknown())?)),
            "force" => Ok(Probe::Force(self.contact(node).map_err(|_| unknown())?)),
            "compression" => Ok(Probe::Compression(self.contact(node).map_err(|_| unknown())?)),
            "iterations" => Ok(Probe::Iterations(self.contact(node).map_err(|_| unknown())?)),
            "substeps" => Ok(Probe::Substeps(self.contact(node).map_err(|_| unknown())?)),
            _ => Err(unknown()),
        }
    }

    /// Shape values of every mode at a place (fractions) of the shape that a port belongs to, for
    /// [`Command::Touch`](crate::engine::Command::Touch). `[control]`
    pub fn shape_at(&self, site: Site, place: &[Real]) -> Result<Vec<Real>, SceneError> {
        let name = &self.bodies[site.body].0;
        let Some((figure, below_hz)) = &self.figures[site.body] else {
            let what = format!("'{name}' is no shape, or morphs; only shapes are touched anywhere");
            return Err(SceneError::new("", what));
        };
        let place = def::PlaceOn { name: "touch".into(), place: def::Place::At(place.to_vec()) };
        let solved = crate::resonator::shape::evaluate(figure, &[place], *below_hz);
        let mut solved = solved.map_err(|fault| SceneError::new("", format!("'{name}': {}", fault.what)))?;
        Ok(solved.shapes.swap_remove(0))
    }

    /// Declaration behind an address; a control's is `0..1`. `[control]`
    pub fn spec(&self, address: Address) -> Option<Spec> {
        match address {
            Address::Slot(slot) => self.slots.get(slot).map(|s| s.spec),
            Address::Control(index) => self.macros.get(index).map(|m| {
                m.own.unwrap_or(Spec {
                    id: "control",
                    unit: "1",
                    min: 0.0,
                    max: 1.0,
                    default: 0.0,
                    scale: Scale::Linear,
                    rate: Rate::Control,
                    glide_s: 0.0,
                    doc: "A named control.",
                })
            }),
        }
    }

    /// Sets a value before the scene sounds, without glide. A drive on the same path overrides it. `[control]`
    pub fn preset(&mut self, address: Address, value: Real) -> Result<(), SceneError> {
        let Some(spec) = self.spec(address) else {
            return Err(SceneError::new("", "this address belongs to another scene"));
        };
        if !spec.admits(value) {
            let (min, max, unit) = (spec.min, spec.max, spec.unit);
            let what = format!("{value} is out of range; {} takes {min:e} to {max:e} {unit}", spec.id);
            return Err(SceneError::new("", what));
        }
        let moves: Vec<(usize, Real)> = match address {
            Address::Slot(slot) => vec![(slot, value)],
            Address::Control(index) => self.macros[index].reach.iter().map(|r| (r.slot, r.at(value))).collect(),
        };
        for (slot, value) in moves {
            self.write_slot(slot, value);
            (self.slots[slot].value, self.slots[slot].goal, self.slots[slot].left) = (value, value, 0);
        }
        Ok(())
    }

    /// Carries a value to the node behind a slot. `[audio]`
    pub(crate) fn write_slot(&mut self, slot: usize, value: Real) {
        match self.slots[slot].target {
            Target::Body { body, param } => self.world.tune_body(body, param, value),
            Target::Contact { contact, param } => self.world.tune_contact(contact, param, value),
            Target::Surface { contact, param } => {
                if let Some(roughness) = &mut self.world.contacts[contact].texture {
                    roughness.surface.set(param, value);
                }
            }
            Target::Force(site) => {
                self.world.set_force(site, value);
                if value != 0.0 {
                    self.world.lean(site.body, true);
                }
            }
        }
    }
}

fn sites(name: &str, ports: &[String]) -> String {
    ports.iter().map(|port| format!("'{name}.{port}'")).collect::<Vec<_>>().join(", ")
}
