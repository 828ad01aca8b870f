// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every kind of thing a scene may hold: the registry, and one file for each kind of body and contact.
//!
//! A kind's file holds its declaration ([`Kind`]: live parameters, typed keys, rules between them), its definition as plain
//! data, and how it is checked, read, written, built and put into words. The reader, the schema, `describe`, `check`, the
//! page and the docs look here and know no kind by name. To add one: its file, and a line in [`BodyForm`] or
//! [`ContactForm`]; what is forgotten does not compile.

pub mod friction;
pub mod guided;
pub mod impact;
pub mod mass;
pub mod modal;
pub mod network;
pub mod own;
pub mod shape;
pub mod string;
pub mod texture;
pub mod wall;

/// The definitions of all kinds, for whoever makes a scene in code; [`def`](super::def) shows them beside the scene's own.
pub mod definitions {
    pub use super::friction::FrictionDef;
    pub use super::guided::GuidedDef;
    pub use super::impact::{HammerDef, ImpactDef, Intent, Substeps};
    pub use super::mass::MassDef;
    pub use super::modal::{ModalDef, ModeDef, MorphDef, PortDef};
    pub use super::network::{LinkDef, NetworkDef, PointDef};
    pub use super::own::{OwnBody, OwnBodyDef, OwnLaw, OwnLawDef};
    pub use super::shape::{ShapeMorphDef, ShapedDef};
    pub use super::string::{PlaceDef, StringDef};
    pub use super::texture::TextureDef;
    pub use super::wall::WallDef;
}

use super::check::{Check, Spot, check_name, refuses};
use super::def::{ContactDef, Quantity, SceneDef};
use super::directory::Directory;
use super::error::{SceneError, clip, nearest, needs};
use super::midi::MIDI;
#[cfg(feature = "text")]
use super::text::{Lines, node::*, nodes};
#[cfg(feature = "text")]
use super::tree::{Data, Value};
use super::write::{Toml, quoted};
use crate::contact::{Contact, Law, Roughness, Site};
use crate::gesture::{FASTEST_M_S, LARGEST_N_S};
use crate::math::{Real, pow};
use crate::param::{Key, KeyType, Kind, LawSpec, Narrow, Params, Rule, Scale, Spec, Thing};
use crate::resonator::Resonator;
use crate::resonator::shape::{FAMILIES, ShapeDef};
use crate::rng::Rng;
use crate::units::{plain, short};
use std::fmt::Write as _;
use std::ops::{Deref, DerefMut};

/// Longest scene text, bytes. The longest list of modes fits twice; a text made to hurt costs the TOML parser eighty
/// times its length in memory, 1.3 GB at this limit.
pub const MAX_TEXT_BYTES: usize = 16 << 20;
/// Longest name of a body, contact, control or port, characters.
pub const MAX_NAME: usize = 64;
/// Longest title, path, site or file name, characters.
pub const MAX_WORDS: usize = 1024;
/// Most bodies, contacts, drives or taps in a scene, and ports on a body.
pub const MAX_NODES: usize = 4096;
/// Most modes on a body, breakpoints in a drive, or events in a scene.
pub const MAX_LIST: usize = 100_000;
/// Most macro controls in a scene: what a plugin exposes for ever.
pub const MAX_CONTROLS: usize = 16;
/// Most channels of a scene.
pub const MAX_CHANNELS: usize = 64;
/// Longest scene, s.
pub const MAX_DURATION_S: f64 = 86_400.0;
/// Characters that no name may hold, besides blanks and control characters: OSC patterns and our own paths use them.
pub const NOT_IN_NAMES: &str = "/.#*,?[]{}";

/// Times of events and breakpoints.
const TIME: KeyType = KeyType::Number { unit: "s", min: 0.0, max: MAX_DURATION_S };
/// Values whose own unit and range depend on the path they go to; checked when the scene is built.
const ANY: KeyType = KeyType::Number { unit: "unit of the path", min: -1e18, max: 1e18 };
/// A factor of either sign.
const GAIN: KeyType = KeyType::Number { unit: "1", min: -1e12, max: 1e12 };

/// Where things are.
const METRES: KeyType = KeyType::Number { unit: "m", min: -1e6, max: 1e6 };
/// The two sites of a contact.
const BETWEEN: KeyType = KeyType::List { of: &KeyType::Named(Thing::Site), min: 2, max: 2 };

pub(super) const fn key(id: &'static str, takes: KeyType, doc: &'static str) -> Key {
    Key::new(id, takes, doc)
}
pub(super) const fn must(id: &'static str, takes: KeyType, doc: &'static str) -> Key {
    Key::must(id, takes, doc)
}

/// The top level of a scene.
pub const SCENE: Kind = Kind {
    family: "scene",
    id: "",
    doc: "Things, how they touch, what moves them and what is heard.",
    params: &[],
    keys: &[
        key(
            "version",
            KeyType::Integer { min: 1, max: super::def::VERSION as i64 },
            "Version of the scene language, default 1.",
        ),
        key("title", KeyType::Text, "For people, default empty."),
        key(
            "duration_s",
            KeyType::Duration { max_s: MAX_DURATION_S },
            "How long to render; \"auto\" (default): until everything has decayed by 90 dB.",
        ),
        key(
            "rate_hz",
            KeyType::Number { unit: "Hz", min: 8000.0, max: 384_000.0 },
            "Sample rate for rendering, default 48000; live audio runs at the device's rate.",
        ),
        key("seed", KeyType::Integer { min: 0, max: i64::MAX }, "Everything random comes from this, default 1."),
        key("body", KeyType::Nodes { family: "body", max: MAX_NODES }, "The things."),
        key("contact", KeyType::Nodes { family: "contact", max: MAX_NODES }, "Which of them touch, and how."),
        key("drive", KeyType::Tables { of: &DRIVE, min: 0, max: MAX_NODES }, "Parameters and forces over time."),
        key("event", KeyType::Tables { of: &EVENT, min: 0, max: MAX_LIST }, "Gestures at a time."),
        key(
            "output",
            KeyType::Map { of: &KeyType::Table(&OUTPUT), min: 0, max: MAX_NODES },
            "Where it is heard: one table [output.NAME] for each; main exists unless it is written.",
        ),
        key("tap", KeyType::Tables { of: &TAP, min: 0, max: MAX_NODES }, "What is heard."),
        key("control", KeyType::Tables { of: &CONTROL, min: 0, max: MAX_CONTROLS }, "Up to 16 named macro controls."),
        key("midi", KeyType::Table(&MIDI), "What a MIDI keyboard does; for live playing only."),
    ],
    rules: &[],
};

/// A drive.
pub const DRIVE: Kind = Kind {
    family: "drive",
    id: "",
    doc: "A parameter or an external force over time, from one of points, noise, wav and input.",
    params: &[],
    keys: &[
        must(
            "path",
            KeyType::Named(Thing::Path),
            "What it moves: body/param, contact/param, body.port/force_n or a control's name.",
        ),
        key(
            "points",
            KeyType::List { of: &KeyType::Row(&POINT), min: 1, max: MAX_LIST },
            "Breakpoints [time in s, value], times increasing, linear between, held outside.",
        ),
        key("noise", KeyType::Table(&NOISE), "Seeded Gaussian noise, white or fractal."),
        key("wav", KeyType::Named(Thing::File), "A recording: file name, relative to the scene."),
        key(
            "input",
            KeyType::Integer { min: 0, max: MAX_CHANNELS as i64 - 1 },
            "Sound that comes in while it is rendered: channel of the input.",
        ),
        key("gain", GAIN, "Only with wav and input: value of a full-scale sample, in the unit of the path, default 1."),
        key("at_s", TIME, "Only with wav: when the recording starts, default 0."),
    ],
    rules: &[
        Rule::OneOf(&["points", "noise", "wav", "input"]),
        Rule::Beside(&["at_s"], &["wav"], "belongs to a drive with wav; leave it out"),
        Rule::Beside(&["gain"], &["wav", "input"], "belongs to a drive with wav or input; leave it out"),
    ],
};

/// Where a breakpoint's time and value may lie.
pub const POINT: [KeyType; 2] = [TIME, ANY];

/// First frequency of a fractal noise when the scene says nothing, Hz: a decade below hearing.
pub const DEFAULT_FIRST_HZ: f64 = 2.0;

/// The noise source of a drive.
pub const NOISE: Kind = Kind {
    family: "noise",
    id: "",
    doc: "Seeded Gaussian noise, white or fractal, written as `noise` in a drive.",
    params: &[],
    keys: &[
        must(
            "rms",
            KeyType::Number { unit: "unit of the path", min: 0.0, max: 1e18 },
            "Standard deviation, in the unit of the path.",
        ),
        key("mean", ANY, "Mean, in the unit of the path, default 0."),
        key("from_s", TIME, "Begins, default 0."),
        key("to_s", TIME, "Ends; left out: never."),
        key(
            "beta",
            KeyType::Number { unit: "1", min: 0.0, max: 2.0 },
            "Exponent of the spectrum 1/f^beta: 0 white (default), 1 pink, 2 Brownian.",
        ),
        key(
            "first_hz",
            KeyType::Number { unit: "Hz", min: 1e-3, max: 1e3 },
            "Only with beta: below this frequency the spectrum is flat, default 2; 1e-7 to 1e-2 of the rate.",
        ),
    ],
    rules: &[Rule::Beside(&["first_hz"], &["beta"], "belongs to fractal noise; leave it out or give beta")],
};

/// An event.
pub const EVENT: Kind = Kind {
    family: "event",
    id: "",
    doc: "A gesture at a time: one of strike, hit and set.",
    params: &[],
    keys: &[
        must("at_s", TIME, "When."),
        key("strike", KeyType::Named(Thing::Mass), "Sets this mass in motion from zero gap; needs velocity_m_s."),
        key(
            "velocity_m_s",
            KeyType::Number { unit: "m/s", min: -FASTEST_M_S, max: FASTEST_M_S },
            "Velocity of the strike.",
        ),
        key("hit", KeyType::Named(Thing::Site), "An ideal impulse at this body or body.port; needs impulse_n_s."),
        key("impulse_n_s", KeyType::Number { unit: "N s", min: -LARGEST_N_S, max: LARGEST_N_S }, "Impulse of the hit."),
        key("set", KeyType::Named(Thing::Path), "Sets the parameter of this path; needs value."),
        key("value", ANY, "New value, in the unit of the path."),
    ],
    rules: &[
        Rule::OneOf(&["strike", "hit", "set"]),
        Rule::Beside(&["velocity_m_s"], &["strike"], "belongs to an event with strike"),
        Rule::Beside(&["impulse_n_s"], &["hit"], "belongs to an event with hit"),
        Rule::Beside(&["value"], &["set"], "belongs to an event with set"),
        Rule::Beside(&["strike"], &["velocity_m_s"], "needs velocity_m_s"),
        Rule::Beside(&["hit"], &["impulse_n_s"], "needs impulse_n_s"),
        Rule::Beside(&["set"], &["value"], "needs value"),
    ],
};

/// A tap.
pub const TAP: Kind = Kind {
    family: "tap",
    id: "",
    doc: "What is heard.",
    params: &[],
    keys: &[
        must("of", KeyType::Named(Thing::Heard), "A body, body.port or contact."),
        key("quantity", KeyType::Word(Quantity::WORDS), "What to listen to, default velocity."),
        key("gain", GAIN, "Factor from SI units to full scale, default 1."),
        key(
            "to",
            KeyType::Several { of: &KeyType::Named(Thing::Output), max: MAX_NODES },
            "Outputs it goes to, default main.",
        ),
        key(
            "channel",
            KeyType::Integer { min: 0, max: MAX_CHANNELS as i64 - 1 },
            "Where it goes, counted within the output, default 0.",
        ),
        key(
            "pan_01",
            KeyType::Number { unit: "1", min: 0.0, max: 1.0 },
            "Instead of channel: between channels 0 and 1 of the output at constant power.",
        ),
    ],
    rules: &[Rule::AtMostOne(&["channel", "pan_01"])],
};

/// An output.
pub const OUTPUT: Kind = Kind {
    family: "output",
    id: "",
    doc: "Where sound goes: channels of the device, limited together when played live, apart from other outputs.",
    params: &[],
    keys: &[
        must(
            "channels",
            KeyType::List { of: &CHANNEL, min: 1, max: MAX_CHANNELS },
            "Channels of the device, from 0, in the order in which taps count them; no two outputs share one.",
        ),
        key("gain", GAIN, "Factor on all that goes there, default 1."),
        key("limiter", KeyType::Flag, "Limit its peaks when played live, default true."),
    ],
    rules: &[],
};

/// A channel of the device.
const CHANNEL: KeyType = KeyType::Integer { min: 0, max: MAX_CHANNELS as i64 - 1 };

/// A macro control.
pub const CONTROL: Kind = Kind {
    family: "control",
    id: "",
    doc: "A named macro control, 0 to 1 outside, a physical range inside: what a player, a plugin or a MIDI map sees.",
    params: &[],
    keys: &[
        must("name", KeyType::Name, "Unique name."),
        must(
            "path",
            KeyType::Several { of: &KeyType::Named(Thing::Path), max: MAX_NODES },
            "What it moves: body/param or contact/param, or several of them alike.",
        ),
        must("range", KeyType::List { of: &RANGE, min: 2, max: 2 }, "Physical values at 0 and at 1."),
        key("scale", KeyType::Word(Scale::WORDS), "Knob law, default linear; log needs a positive range."),
    ],
    rules: &[Rule::Shape {
        choice: "scale",
        word: "log",
        id: "range",
        is: Narrow::Positive,
        what: "scale = \"log\" needs both ends above 0",
    }],
};

/// The ends of a control's range.
pub const RANGE: KeyType = ANY;

/// What models are made of: every kind that belongs to a body or a contact, in the order of a scene file.
pub const MODELS: &[Kind] = &flat::<{ count(PARTS) }>(PARTS);
/// Every kind, in the order of a scene file.
pub const KINDS: &[Kind] = &flat::<{ count(ALL) }>(ALL);

const PARTS: &[&[Kind]] = &[
    &[mass::MASS, wall::WALL, guided::GUIDED, modal::MODAL, modal::MODE, modal::TARGET, string::STRING],
    &[shape::SHAPE, shape::MORPH, shape::MATERIAL, network::NETWORK, network::LINK],
    SHAPES,
    &[impact::IMPACT, friction::FRICTION, texture::TEXTURE],
];
const ALL: &[&[Kind]] = &[&[SCENE], MODELS, &[DRIVE, NOISE, EVENT, OUTPUT, TAP, CONTROL, MIDI]];

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
    /// What it is, in a line for people.
    fn words(&self, def: &SceneDef, contact: &ContactDef) -> String;
}

/// What a scene does with a body's definition.
pub(super) trait Wired: BodyKind {
    /// Everything in it is as declared.
    fn check(&self, spot: &Spot) -> Check;
    /// The keys of its table, which has been opened as `[at]`.
    fn write(&self, out: &mut Toml, at: &str);
    /// The body itself.
    fn build(&self, wiring: &mut Wiring<'_>) -> Result<Box<dyn Resonator>, SceneError>;
    /// What distinguishes it from others of its kind but for live parameters: in a live edit, bodies alike in this are
    /// the same body.
    fn structure(&self) -> String;
    /// The shape that may be touched anywhere, and the frequency below which its modes are kept, Hz.
    fn touched_anywhere(&self, _rate_hz: Real) -> Option<(ShapeDef, Real)> {
        None
    }
    /// False if it has no form in a scene file.
    fn is_written(&self) -> bool {
        true
    }
}

/// What a scene does with a contact's definition.
pub(super) trait Laid: ContactKind {
    /// Everything in it is as declared.
    fn check(&self, spot: &Spot) -> Check;
    /// The keys of its table but for `type` and `between`.
    fn write(&self, out: &mut Toml);
    /// The contact itself.
    fn build(&self, laying: &Laying<'_>) -> Result<Contact, SceneError>;
    /// As for bodies.
    fn structure(&self) -> String;
    /// False if it has no form in a scene file.
    fn is_written(&self) -> bool {
        true
    }
}

/// Reads a definition from its table.
#[cfg(feature = "text")]
pub(super) trait Read: Sized {
    fn read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError>;
}

/// What a body is built with.
pub(super) struct Wiring<'a> {
    pub(super) def: &'a SceneDef,
    pub(super) name: &'a str,
    pub(super) rate_hz: Real,
    /// What this rate cannot hold, for people.
    pub(super) omitted: &'a mut Vec<String>,
}

impl Wiring<'_> {
    fn sample_s(&self) -> Real {
        1.0 / self.rate_hz
    }
    fn spot(&self) -> Spot {
        Spot(format!("body.{}", self.name))
    }
    /// True if a contact is laid at it.
    fn touched(&self) -> bool {
        self.def.contacts.iter().any(|c| c.between.iter().any(|site| super::build::body_of(site) == self.name))
    }
}

/// What a contact is built with.
pub(super) struct Laying<'a> {
    pub(super) def: &'a SceneDef,
    pub(super) directory: &'a Directory,
    pub(super) bodies: &'a [Box<dyn Resonator>],
    pub(super) contact: &'a ContactDef,
    pub(super) a: Site,
    pub(super) b: Site,
}

impl Laying<'_> {
    fn spot(&self) -> Spot {
        Spot(format!("contact.{}", self.contact.name))
    }
    fn sites(&self) -> [Site; 2] {
        [self.a, self.b]
    }
    fn contact(&self, law: Law, substeps: Option<u32>, exact: bool) -> Contact {
        let rng = Rng::new(self.def.seed, &self.contact.name);
        Contact::new(self.a, self.b, law, substeps, exact, rng)
    }
    fn is_rigid(&self, site: Site) -> bool {
        matches!(self.def.bodies[site.body].form.mobility(), Mobility::Free | Mobility::Fixed)
    }
    /// Nothing else touches there, or nothing could move it.
    fn is_alone(&self, site: Site) -> bool {
        let all = self.def.contacts.iter().flat_map(|contact| &contact.between);
        self.bodies[site.body].inverse_mass(site.port) == 0.0
            || all.filter(|named| self.directory.site(named) == Ok(site)).count() == 1
    }
    /// Index of the contact that presses this one.
    fn presser(&self, from: &str) -> Result<usize, SceneError> {
        let spot = self.spot();
        let index = self.directory.contact(from).or_else(|error| spot.fail("normal_from", error.what))?;
        if self.def.contacts[index].form.presses() {
            return Ok(index);
        }
        let which = if from == self.contact.name { "this contact itself" } else { "a friction contact" };
        spot.fail("normal_from", format!("'{from}' is {which}; name an impact contact"))
    }
    /// Index of the body whose position moves a profile.
    fn traveller(&self, name: &str) -> Result<usize, SceneError> {
        let spot = self.spot().within("texture");
        let index = self.directory.body(name).or_else(|error| spot.fail("travel_from", error.what))?;
        match self.def.bodies[index].form.mobility() {
            Mobility::Guided | Mobility::Free => Ok(index),
            Mobility::Fixed | Mobility::Vibrating => {
                spot.fail("travel_from", format!("'{name}' does not travel; name a guided body or a mass"))
            }
        }
    }
}

/// An enum of definitions: each variant a kind, found by its word, and all of them answering alike.
macro_rules! registry {
    (
        $(#[$meta:meta])* $form:ident: $kind:ident, $wired:ident = $access:ident, $read:ident, $own:ident($own_def:ty);
        $( $(#[$doc:meta])* $variant:ident($def:ty) = $declared:expr; )*
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $form {
            $( $(#[$doc])* $variant($def), )*
            /// From another crate.
            $own($own_def),
        }

        impl $form {
            pub(super) fn $access(&self) -> &dyn $wired {
                match self { $( Self::$variant(def) => def, )* Self::$own(def) => def }
            }
        }

        impl Deref for $form {
            type Target = dyn $kind;
            fn deref(&self) -> &Self::Target {
                match self { $( Self::$variant(def) => def, )* Self::$own(def) => def }
            }
        }

        impl DerefMut for $form {
            fn deref_mut(&mut self) -> &mut Self::Target {
                match self { $( Self::$variant(def) => def, )* Self::$own(def) => def }
            }
        }

        $( impl From<$def> for $form {
            fn from(def: $def) -> Self { Self::$variant(def) }
        } )*
        impl From<$own_def> for $form {
            fn from(def: $own_def) -> Self { Self::$own(def) }
        }

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
    BodyForm: BodyKind, Wired = wired, read_body, Own(own::OwnBodyDef);
    /// Point mass.
    Mass(mass::MassDef) = mass::MASS;
    /// Rigid wall.
    Wall(wall::WallDef) = wall::WALL;
    /// Prescribed motion.
    Guided(guided::GuidedDef) = guided::GUIDED;
    /// Modal bank.
    Modal(modal::ModalDef) = modal::MODAL;
    /// String between two rigid ends.
    String(string::StringDef) = string::STRING;
    /// Geometry and material.
    Shape(shape::ShapedDef) = shape::SHAPE;
    /// Masses, springs and dampers.
    Network(network::NetworkDef) = network::NETWORK;
}

registry! {
    /// What a contact is.
    ContactForm: ContactKind, Laid = laid, read_contact, Own(own::OwnLawDef);
    /// Things that push.
    Impact(impact::ImpactDef) = impact::IMPACT;
    /// Things that rub.
    Friction(friction::FrictionDef) = friction::FRICTION;
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
        ] {
            let def = SceneDef::from_text(&format!("[body.x]\ntype = \"{kind}\"\n{keys}")).unwrap();
            assert_eq!(def.bodies[0].form.kind().id, kind);
        }
        for kind in family("contact") {
            let text = format!("[contact.x]\ntype = \"{}\"\nbetween = [\"a\", \"b\"]", kind.id);
            assert_eq!(SceneDef::from_text(&text).unwrap().contacts[0].form.kind().id, kind.id);
        }
        assert_eq!(family("body").count(), 7, "a new kind is tried here, too");
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
