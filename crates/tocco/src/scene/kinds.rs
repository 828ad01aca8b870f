// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every kind of thing a scene may hold: the registry, and one file for each kind of body and contact.
//!
//! A kind's file holds its declaration ([`Kind`]: live parameters, typed keys, rules between them), its definition as plain
//! data, and how it is checked, read, written, built and put into words. The reader, the schema, `describe`, `check`, the
//! page and the docs look here and know no kind by name. To add one: its file, and here its `mod`, its definition among
//! [`definitions`] and its line in the `registry!` of [`BodyForm`] or [`ContactForm`]. A model that only one kind uses stands
//! below it, `kinds/NAME/model.rs`; what several use is a [`resonator`](crate::resonator) or an
//! [`interactor`](crate::interactor).

pub mod bed;
pub mod breaking;
pub mod bubbles;
pub mod burst;
mod context;
pub mod control;
pub mod crumple;
pub mod drip;
pub mod drive;
pub mod event;
pub mod follow;
pub mod footstep;
pub mod friction;
pub mod guided;
pub mod ice;
pub mod impact;
pub mod inlet;
pub mod look;
pub mod mass;
pub mod mesh;
pub mod midi;
pub mod modal;
pub mod network;
pub mod noise;
pub mod output;
pub mod own;
pub mod part;
pub mod particles;
pub mod patter;
pub mod points;
pub mod probe;
pub mod process;
pub mod puddle;
pub mod rain;
pub mod scatter;
pub mod scene;
pub mod shape;
pub mod signal;
pub mod splash;
pub mod spread;
pub mod string;
pub mod tap;
pub mod texture;
pub mod travel;
pub mod tread;
pub mod vessel;
pub mod walk;
pub mod wall;

/// The definitions of all kinds, for whoever makes a scene in code; [`def`](super::def) shows them beside the scene's own.
pub mod definitions {
    pub use super::bed::BedDef;
    pub use super::breaking::BreakDef;
    pub use super::bubbles::BubblesDef;
    pub use super::burst::BurstDef;
    pub use super::control::ControlDef;
    pub use super::crumple::CrumpleDef;
    pub use super::drip::DripDef;
    pub use super::drive::{DriveDef, Source, TimesNoise};
    pub use super::event::EventDef;
    pub use super::follow::{FollowDef, FollowOf};
    pub use super::footstep::FootstepDef;
    pub use super::friction::{FrictionDef, StrengthDef};
    pub use super::guided::GuidedDef;
    pub use super::ice::IceDef;
    pub use super::impact::{HammerDef, ImpactDef, Intent, Substeps};
    pub use super::inlet::InletDef;
    pub use super::look::{Drawing, Heading, LookDef};
    pub use super::mass::MassDef;
    pub use super::mesh::{BakedMesh, BakedMode, MeshDef, MeshParams, MeshPortDef};
    pub use super::midi::{MidiDef, Notes};
    pub use super::modal::{ModalDef, ModeDef, MorphDef, PortDef};
    pub use super::network::{LinkDef, NetworkDef, PointDef};
    pub use super::output::{FELT, FELT_HZ, FloorDef, MAIN, OutputDef, RoomDecay, RoomDef};
    pub use super::own::{OwnBody, OwnBodyDef, OwnLaw, OwnLawDef};
    pub use super::part::PartDef;
    pub use super::particles::ParticlesDef;
    pub use super::patter::PatterDef;
    pub use super::points::PointsDef;
    pub use super::probe::ProbeDef;
    pub use super::process::{PerStepDef, ProcessDef};
    pub use super::puddle::PuddleDef;
    pub use super::rain::RainDef;
    pub use super::scatter::ScatterDef;
    pub use super::shape::{ShapeMorphDef, ShapedDef};
    pub use super::signal::{SignalDef, Sound};
    pub use super::splash::SplashDef;
    pub use super::spread::SpreadDef;
    pub use super::string::{PlaceDef, StringDef};
    pub use super::tap::{EarDef, Quantity, TapDef, TapTo};
    pub use super::texture::TextureDef;
    pub use super::travel::{TravelDef, Way};
    pub use super::tread::TreadDef;
    pub use super::vessel::VesselDef;
    pub use super::walk::{ExciteBy, WalkDef};
    pub use super::wall::WallDef;
    pub use crate::contact::travel::AtEnd;
    pub use crate::gait::walker::{Ground, WalkMake, WalkParams};
    pub use crate::output::pair::PairMake;
    pub use crate::process::bed::BedParams;
    pub use crate::process::breaking::BreakParams;
    pub use crate::process::bubble::BubbleLaw;
    pub use crate::process::burst::{BurstBy, BurstParams};
    pub use crate::process::crumple::CrumpleParams;
    pub use crate::process::drip::DripParams;
    pub use crate::process::flow::FlowParams;
    pub use crate::process::footstep::{FootstepBy, FootstepParams, Prototype};
    pub use crate::process::fragment::FragmentMode;
    pub use crate::process::ice::IceParams;
    pub use crate::process::particles::{ParticlesParams, Resonance};
    pub use crate::process::patter::PatterParams;
    pub use crate::process::puddle::PuddleParams;
    pub use crate::process::rain::{RainOn, RainParams};
    pub use crate::process::scatter::ScatterParams;
    pub use crate::process::splash::SplashParams;
    pub use crate::process::spread::SpreadParams;
    pub use crate::process::tread::TreadBy;
    pub use crate::process::tread::TreadParams;
    pub use crate::resonator::vessel::{VesselForm, VesselParams};
    pub use crate::signal::noise::NoiseSpec;
    pub use crate::signal::{Operators, SignalParams};
}

use super::check::{Check, Spot, check_name, refuses};
use super::def::{ContactDef, SceneDef};
use super::directory::Directory;
use super::error::{SceneError, clip, nearest, needs};
#[cfg(feature = "text")]
use super::text::{Lines, node::*, nodes};
#[cfg(feature = "text")]
use super::tree::{Data, Value};
use super::write::{Toml, bare, quoted};
use crate::contact::{Contact, Law, Roughness, Site};
use crate::gesture::Gesture;
use crate::math::{Real, pow};
use crate::param::{Key, KeyType, Kind, LawSpec, Narrow, Params, Rule, Scale, Spec, Thing, Word};
use crate::resonator::Resonator;
use crate::resonator::shape::{FAMILIES, ShapeDef};
use crate::rng::Rng;
use crate::units::{plain, short};
use std::fmt::Write as _;
use std::ops::{Deref, DerefMut};

pub(super) use context::{BodyContext, ContactContext};
pub use control::{CONTROL, RANGE};
pub use drive::{DEFAULT_FIRST_HZ, DRIVE, NOISE, POINT, TIMES_NOISE};
pub use event::EVENT;
pub use look::LOOK;
pub use midi::MIDI;
pub use output::{FLOOR, OUTPUT, PAIR, ROOM};
use process::{BuildProcess, ProcessKind};
pub use scene::*;
use signal::{BuildSignal, SignalKind};
pub use tap::TAP;

/// Times of events and breakpoints.
const TIME: KeyType = KeyType::Number { unit: "s", min: 0.0, max: MAX_DURATION_S };
/// Values whose own unit and range depend on the path they go to; checked when the scene is built.
const ANY: KeyType = KeyType::Number { unit: "unit of the path", min: -1e18, max: 1e18 };
/// The same for what is set: no parameter's range is wider, so what may be set live may be written.
const SETTING: KeyType = KeyType::Number { unit: "unit of the path", min: -1e30, max: 1e30 };
/// A factor of either sign.
const GAIN: KeyType = KeyType::Number { unit: "1", min: -1e12, max: 1e12 };

/// Where things are.
const METRES: KeyType = KeyType::Number { unit: "m", min: -1e6, max: 1e6 };
/// The two sites of a contact.
/// Key of a contact whose sites are set live.
const SPARE: Key = Key::new(
    "spare",
    KeyType::Flag,
    "Joins nothing until it is told to, live or by an event with join; between then says what a hammer is meant for; default false.",
);
const BETWEEN: KeyType = KeyType::List { of: &KeyType::Named(Thing::Site), min: 2, max: 2 };

pub(super) const fn key(id: &'static str, takes: KeyType, doc: &'static str) -> Key {
    Key::new(id, takes, doc)
}
pub(super) const fn must(id: &'static str, takes: KeyType, doc: &'static str) -> Key {
    Key::must(id, takes, doc)
}

/// What models are made of: every kind that belongs to a body or a contact, in the order of a scene file.
pub const MODELS: &[Kind] = &flat::<{ count(PARTS) }>(PARTS);
/// Every kind, in the order of a scene file.
pub const KINDS: &[Kind] = &flat::<{ count(ALL) }>(ALL);

const PARTS: &[&[Kind]] = &[
    &flat::<{ count(BODIES) }>(BODIES),
    SHAPES,
    &flat::<{ count(CONTACTS) }>(CONTACTS),
    &flat::<{ count(SIGNALS) }>(SIGNALS),
    &flat::<{ count(PROCESSES) }>(PROCESSES),
    &[walk::WALK, walk::GROUND],
];
const ALL: &[&[Kind]] = &[
    &[SCENE],
    MODELS,
    &[part::PART, DRIVE, NOISE, TIMES_NOISE, EVENT, OUTPUT, ROOM, FLOOR, PAIR, TAP, CONTROL, MIDI, LOOK],
];

const SHAPES: &[Kind] = &{
    let mut all = [Kind::NONE; FAMILIES.len()];
    let mut i = 0;
    while i < all.len() {
        all[i] = *FAMILIES[i].kind;
        i += 1;
    }
    all
};

const fn count(lists: &[&[Kind]]) -> usize {
    let (mut i, mut sum) = (0, 0);
    while i < lists.len() {
        sum += lists[i].len();
        i += 1;
    }
    sum
}

const fn flat<const COUNT: usize>(lists: &[&[Kind]]) -> [Kind; COUNT] {
    let mut all = [Kind::NONE; COUNT];
    let (mut list, mut i, mut at) = (0, 0, 0);
    while list < lists.len() {
        if i == lists[list].len() {
            (list, i) = (list + 1, 0);
            continue;
        }
        all[at] = lists[list][i];
        (i, at) = (i + 1, at + 1);
    }
    all
}

/// The kinds of one family, in order.
pub fn family(name: &str) -> impl Iterator<Item = &'static Kind> + Clone {
    KINDS.iter().filter(move |kind| kind.family == name)
}

/// What may be asked of every body's definition.
pub trait BodyKind {
    /// Its declaration.
    fn kind(&self) -> &'static Kind;
    /// Its live parameters with their values, in the order of the declaration.
    fn params(&self) -> Vec<(&'static Spec, Real)>;
    /// Names of its ports, in order.
    fn ports(&self) -> Vec<&str> {
        vec!["0"]
    }
    /// Where a port is, as fractions of the body, if that is known.
    fn place(&self, _port: usize) -> Option<Vec<Real>> {
        None
    }
    /// How it moves.
    fn mobility(&self) -> Mobility {
        Mobility::Vibrating
    }
    /// The parameter that tunes it, with its value, if there is one.
    fn pitch(&self) -> Option<(&'static Spec, Real)> {
        None
    }
    /// The parameter that damps it, if there is one.
    fn damping(&self) -> Option<Damping> {
        None
    }
    /// Parameters of the declaration that this body does without.
    fn absent(&self) -> &'static [&'static str] {
        &[]
    }
    /// Frequency of the lowest mode that moves a port (the first if it is not named), Hz; `now` gives present values of
    /// its parameters. `[control]`
    fn fundamental_hz(&self, _port: Option<&str>, _rate_hz: Real, _now: &dyn Fn(&str) -> Option<Real>) -> Option<Real> {
        None
    }
    /// True if taps may hear what it radiates.
    fn radiates(&self) -> bool {
        false
    }
    /// True if that is by the acceleration of its modes, not by their velocity.
    fn radiates_acceleration(&self) -> bool {
        true
    }
    /// True if taps hear it at places of their own, behind all others: where a body with a tail is touched it is heard otherwise.
    fn has_tail(&self) -> bool {
        false
    }
    /// The baked body that it names, and where that is put when it has been fetched.
    fn baked_mut(&mut self) -> Option<(&str, &mut Option<std::sync::Arc<mesh::BakedMesh>>)> {
        None
    }
    /// What else a picture of it shows.
    fn details(&self) -> Vec<(&'static str, Detail)> {
        Vec::new()
    }
    /// What it is, in a line for people.
    fn words(&self, rate_hz: Real) -> String;
}

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mobility {
    /// As a point mass: it can be struck.
    Free,
    /// Not at all.
    Fixed,
    /// As told, whatever pushes back.
    Guided,
    /// It yields and rings.
    Vibrating,
}

/// How a body is damped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damping {
    /// The parameter.
    pub spec: &'static Spec,
    /// Its value.
    pub value: Real,
    /// `None`: a factor on decay times. Otherwise a quality factor at this frequency, Hz.
    pub quality_at_hz: Option<Real>,
}

impl Damping {
    /// By the factor `decay_scale`.
    fn scaling(params: &impl Params) -> Option<Self> {
        among(params, "decay_scale").map(|(spec, value)| Self { spec, value, quality_at_hz: None })
    }
}

/// A fact about a body for whoever draws it.
#[derive(Clone, Debug, PartialEq)]
pub enum Detail {
    /// A word.
    Word(String),
    /// Lists of names.
    Lists(Vec<Vec<String>>),
    /// Places, m.
    Places(Vec<[Real; 3]>),
    /// Triples of numbers of places.
    Triples(Vec<[u16; 3]>),
}

/// What may be asked of every contact's definition.
pub trait ContactKind {
    /// Its declaration.
    fn kind(&self) -> &'static Kind;
    /// Its live parameters with their values, in the order of the declaration.
    fn params(&self) -> Vec<(&'static Spec, Real)>;
    /// True if its force is a normal force, which may press a friction contact.
    fn presses(&self) -> bool {
        false
    }
    /// Bodies and contacts that it names besides its two sites.
    fn names(&self) -> Vec<&str> {
        Vec::new()
    }
    /// The same, to rename them.
    fn names_mut(&mut self) -> Vec<&mut String> {
        Vec::new()
    }
    /// Parameters that stand for one of its own over a range. `[control]`
    fn stand_ins(&self, _def: &SceneDef, _contact: &ContactDef) -> Vec<StandIn> {
        Vec::new()
    }
    /// The value of its own parameter that a value of a stand-in asks for; `None` if it has no such stand-in. `[control]`
    fn stood_for(
        &self,
        _def: &SceneDef,
        _contact: &ContactDef,
        _id: &str,
        _value: Real,
    ) -> Option<Result<(&'static str, Real), SceneError>> {
        None
    }
    /// What it is, in a line for people.
    fn words(&self, def: &SceneDef, contact: &ContactDef) -> String;
}

/// A parameter that stands for another: a hammer's hardness for its stiffness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StandIn {
    /// Its declaration.
    pub spec: Spec,
    /// The parameter that it stands for.
    pub of: &'static str,
    /// Values of that parameter at both ends, with equal ratios between.
    pub range: [Real; 2],
    /// Its own values at both ends if it runs in equal ratios, too.
    pub ends: Option<[Real; 2]>,
}

/// A body that may be touched anywhere.
#[derive(Clone, Debug)]
pub(crate) enum Anywhere {
    /// A shape, and the frequency below which its modes are kept, Hz.
    Shape(ShapeDef, Real),
    /// A string, along its length.
    Length,
    /// A vessel, round its rim.
    Turn,
    /// A baked body, and the frequency below which its modes are kept, Hz.
    Mesh(Box<mesh::MeshDef>, Real),
}

/// What a scene does with a body's definition.
pub(super) trait BuildBody: BodyKind {
    /// Everything in it is as declared.
    fn check(&self, spot: &Spot) -> Check;
    /// The keys of its table, which has been opened as `[at]`.
    fn write(&self, out: &mut Toml, at: &str);
    /// The body itself.
    fn build(&self, context: &mut BodyContext<'_>) -> Result<Box<dyn Resonator>, SceneError>;
    /// What distinguishes it from others of its kind but for live parameters: in a live edit, bodies alike in this are
    /// the same body.
    fn structure(&self) -> String;
    /// Where it may be touched besides its ports.
    fn touched_anywhere(&self, _rate_hz: Real) -> Option<Anywhere> {
        None
    }
    /// False if it has no form in a scene file.
    fn is_written(&self) -> bool {
        true
    }
}

/// What a scene does with a contact's definition.
pub(super) trait BuildContact: ContactKind {
    /// Everything in it is as declared.
    fn check(&self, spot: &Spot) -> Check;
    /// The keys of its table but for `type` and `between`.
    fn write(&self, out: &mut Toml);
    /// The contact itself.
    fn build(&self, context: &ContactContext<'_>) -> Result<Contact, SceneError>;
    /// As for bodies.
    fn structure(&self) -> String;
    /// False if it has no form in a scene file.
    fn is_written(&self) -> bool {
        true
    }
}

/// A table of a scene besides those of bodies and contacts.
pub(super) trait Section: Sized {
    /// Its declaration.
    const KIND: &'static Kind;
    /// Everything in it is as declared.
    fn check(&self, spot: &Spot) -> Check;
    /// The whole table.
    fn write(&self, out: &mut Toml);
    /// From a table whose rules are kept; `check` follows.
    #[cfg(feature = "text")]
    fn read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError>;
}

/// Reads a definition from its table.
#[cfg(feature = "text")]
pub(super) trait Read: Sized {
    fn read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError>;
}

/// An enum of definitions: each variant a kind, found by its word, and all of them answering alike.
macro_rules! registry {
    (
        $(#[$meta:meta])* $form:ident: $kind:ident, $build:ident, $read:ident, $parts:ident
        $(, $own:ident($own_def:ty))?;
        $( $(#[$doc:meta])* $variant:ident($def:ty) = $declared:expr $(, $part:expr)*; )*
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $form {
            $( $(#[$doc])* $variant($def), )*
            $( /// From another crate.
            $own($own_def), )?
        }

        /// Their declarations, each with those of the tables inside it.
        const $parts: &[&[Kind]] = &[ $( &[$declared $(, $part)*], )* ];

        impl $form {
            pub(super) fn definition(&self) -> &dyn $build {
                match self { $( Self::$variant(def) => def, )* $( Self::$own(def) => def, )? }
            }
        }

        impl Deref for $form {
            type Target = dyn $kind;
            fn deref(&self) -> &Self::Target {
                match self { $( Self::$variant(def) => def, )* $( Self::$own(def) => def, )? }
            }
        }

        impl DerefMut for $form {
            fn deref_mut(&mut self) -> &mut Self::Target {
                match self { $( Self::$variant(def) => def, )* $( Self::$own(def) => def, )? }
            }
        }

        $( impl From<$def> for $form {
            fn from(def: $def) -> Self { Self::$variant(def) }
        } )*
        $( impl From<$own_def> for $form {
            fn from(def: $own_def) -> Self { Self::$own(def) }
        } )?

        /// Reads the definition of the kind that the node was opened as.
        #[cfg(feature = "text")]
        pub(super) fn $read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<$form, SceneError> {
            $( if node.kind.id == $declared.id {
                return Ok($form::$variant(Read::read(node, lines)?));
            } )*
            node.fail("type", format!("'{}' is declared, and nothing reads it", node.kind.id))
        }
    };
}

registry! {
    /// What a body is.
    BodyForm: BodyKind, BuildBody, read_body, BODIES, Own(own::OwnBodyDef);
    /// Point mass.
    Mass(mass::MassDef) = mass::MASS;
    /// Rigid wall.
    Wall(wall::WallDef) = wall::WALL;
    /// Prescribed motion.
    Guided(guided::GuidedDef) = guided::GUIDED;
    /// Modal bank.
    Modal(modal::ModalDef) = modal::MODAL, modal::MODE, modal::TARGET;
    /// String between two rigid ends.
    String(string::StringDef) = string::STRING;
    /// Geometry and material.
    Shape(shape::ShapedDef) = shape::SHAPE, shape::MORPH, shape::MATERIAL;
    /// Masses, springs and dampers.
    Network(network::NetworkDef) = network::NETWORK, network::LINK;
    /// A vessel with water in it.
    Vessel(vessel::VesselDef) = vessel::VESSEL;
    /// A solid of any form, its modes in a file.
    Mesh(mesh::MeshDef) = mesh::MESH;
}

registry! {
    /// What a contact is.
    ContactForm: ContactKind, BuildContact, read_contact, CONTACTS, Own(own::OwnLawDef);
    /// Things that push.
    Impact(impact::ImpactDef) = impact::IMPACT;
    /// Things that rub.
    Friction(friction::FrictionDef) = friction::FRICTION, texture::TEXTURE, friction::STRENGTH, travel::TRAVEL;
}

registry! {
    /// What a signal is.
    SignalForm: SignalKind, BuildSignal, read_signal, SIGNALS;
    /// Breakpoints.
    Points(points::PointsDef) = points::POINTS;
    /// Seeded noise.
    Noise(crate::signal::noise::NoiseSpec) = noise::SIGNAL_NOISE;
    /// A reading of the scene.
    Probe(probe::ProbeDef) = probe::PROBE;
    /// The envelope of a sound.
    Follow(follow::FollowDef) = follow::FOLLOW;
    /// An inlet.
    Inlet(inlet::InletDef) = inlet::INLET;
}

registry! {
    /// What a process is.
    ProcessForm: ProcessKind, BuildProcess, read_process, PROCESSES;
    /// Things that collide.
    Particles(particles::ParticlesDef) = particles::PARTICLES, particles::RESONANCE;
    /// Something that gives way.
    Crumple(crumple::CrumpleDef) = crumple::CRUMPLE, crumple::FRAGMENT_MODE;
    /// A soft impact.
    Burst(burst::BurstDef) = burst::BURST;
    /// One impact in many places.
    Spread(spread::SpreadDef) = spread::SPREAD;
    /// Something that shatters.
    Break(breaking::BreakDef) = breaking::BREAK;
    /// Objects that fall.
    Scatter(scatter::ScatterDef) = scatter::SCATTER;
    /// Steps as they were recorded.
    Footstep(footstep::FootstepDef) = footstep::FOOTSTEP, footstep::BAND;
    /// Bubbles in water.
    Bubbles(bubbles::BubblesDef) = bubbles::BUBBLES;
    /// Drops that land.
    Patter(patter::PatterDef) = patter::PATTER;
    /// Drops that fall.
    Rain(rain::RainDef) = rain::RAIN;
    /// Drops that fall into water.
    Drip(drip::DripDef) = drip::DRIP;
    /// Bodies thrown into water.
    Splash(splash::SplashDef) = splash::SPLASH;
    /// Water that is pressed aside.
    Puddle(puddle::PuddleDef) = puddle::PUDDLE;
    /// A sheet of ice.
    Ice(ice::IceDef) = ice::ICE;
    /// Noise of what is too dense to hear one by one.
    Bed(bed::BedDef) = bed::BED;
    /// A sole that comes down.
    Tread(tread::TreadDef) = tread::TREAD;
}

/// Parameters with their declarations.
fn listed<P: Params>(params: &P) -> Vec<(&'static Spec, Real)> {
    P::SPECS.iter().enumerate().map(|(index, spec)| (spec, params.value(index))).collect()
}

/// One parameter with its declaration.
fn among<P: Params>(params: &P, id: &str) -> Option<(&'static Spec, Real)> {
    P::SPECS.iter().find(|spec| spec.id == id).zip(params.named(id))
}

/// The names of ports, or the name of the only one.
fn or_one(names: Vec<&str>) -> Vec<&str> {
    if names.is_empty() { vec!["0"] } else { names }
}

fn places_words<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() { String::new() } else { format!("; places {}", names.join(", ")) }
}

fn unit_words(unit: &str) -> String {
    if unit == "1" { String::new() } else { format!(" {unit}") }
}

/// Parameters that a scene file leaves out under a law: those of other laws and those that it fixes.
fn left_out(law: &LawSpec, all: &[LawSpec]) -> Vec<&'static str> {
    let others = all.iter().filter(|other| other.word != law.word).flat_map(|other| other.own);
    others.chain(law.fixes.iter().map(|(id, _)| id)).copied().collect()
}

/// What is wrong with a count that must be a power of two.
pub(super) fn not_a_power_of_two(count: i64, max: u32) -> String {
    let all: Vec<String> = (0..=max.ilog2()).map(|n| (1u32 << n).to_string()).collect();
    let (last, rest) = all.split_last().map_or(("", &[][..]), |(last, rest)| (last.as_str(), rest));
    format!("{count} is not a power of two; wants {} or {last}", rest.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kind that is declared and not in the registry would be refused by the reader; one that is not declared, never found.
    #[cfg(feature = "text")]
    #[test]
    fn every_declared_kind_of_body_and_contact_is_read_as_itself() {
        for (kind, keys) in [
            ("mass", ""),
            ("wall", ""),
            ("guided", ""),
            ("modal", "modes = [{ freq_hz = 100, mass_kg = 1 }]"),
            ("string", ""),
            ("shape", "shape = \"bar\"\nmaterial = \"steel\"\nlength_m = 1\nwidth_m = 0.1\nthickness_m = 0.01"),
            ("network", "mass_kg = { a = 1 }"),
            ("vessel", "radius_m = 0.035\nheight_m = 0.15"),
            ("mesh", "file = \"x.toml\""),
        ] {
            let def = SceneDef::from_text(&format!("[body.x]\ntype = \"{kind}\"\n{keys}")).unwrap();
            assert_eq!(def.bodies[0].form.kind().id, kind);
        }
        for kind in family("contact") {
            let text = format!("[contact.x]\ntype = \"{}\"\nbetween = [\"a\", \"b\"]", kind.id);
            assert_eq!(SceneDef::from_text(&text).unwrap().contacts[0].form.kind().id, kind.id);
        }
        assert_eq!(family("body").count(), 9, "a new kind is tried here, too");
    }

    #[test]
    fn every_kind_and_every_key_within_a_kind_has_its_own_name() {
        for (i, kind) in KINDS.iter().enumerate() {
            assert!(
                KINDS[..i].iter().all(|k| (k.family, k.id) != (kind.family, kind.id)),
                "{} {}",
                kind.family,
                kind.id
            );
            let ids: Vec<&str> = kind.params.iter().map(|p| p.id).chain(kind.keys.iter().map(|k| k.id)).collect();
            for (j, id) in ids.iter().enumerate() {
                assert!(!ids[..j].contains(id), "{} {}: {id}", kind.family, kind.id);
            }
        }
    }
}
