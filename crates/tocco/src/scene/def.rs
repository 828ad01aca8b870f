// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scene as plain data: what a scene file says, before anything is built.

pub use super::kinds::definitions::*;
pub use super::kinds::{BodyForm, ContactForm};
pub use super::midi::{MidiDef, Notes};
use crate::gesture::Gesture;
pub use crate::interactor::friction::FrictionLaw;
pub use crate::interactor::impact::ImpactLaw;
use crate::math::Real;
pub use crate::resonator::shape::{Place, PlaceOn, ShapeDef, Stuff};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The newest scene version this build reads.
pub const VERSION: u32 = 1;

/// A whole scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneDef {
    /// Format version.
    pub version: u32,
    /// For people.
    pub title: String,
    /// How long to render.
    pub duration: Length,
    /// Rate the scene was made for, Hz.
    pub rate_hz: Real,
    /// Everything random comes from this and the node's label.
    pub seed: u64,
    /// Bodies in file order.
    pub bodies: Vec<BodyDef>,
    /// Contacts in file order.
    pub contacts: Vec<ContactDef>,
    /// Parameters and forces over time.
    pub drives: Vec<DriveDef>,
    /// Gestures at a time.
    pub events: Vec<EventDef>,
    /// Where it is heard; `main` exists unless it is written.
    pub outputs: Vec<OutputDef>,
    /// What is heard.
    pub taps: Vec<TapDef>,
    /// Named macro controls.
    pub controls: Vec<ControlDef>,
    /// What a keyboard does; for hosts that play live.
    pub midi: Option<MidiDef>,
    /// Line in the source text of each place ("contact.hit.stiffness"), for error messages; may be empty.
    pub lines: BTreeMap<String, usize>,
}

impl Default for SceneDef {
    fn default() -> Self {
        Self {
            version: VERSION,
            title: String::new(),
            duration: Length::Auto,
            rate_hz: 48_000.0,
            seed: 1,
            bodies: Vec::new(),
            contacts: Vec::new(),
            drives: Vec::new(),
            events: Vec::new(),
            outputs: Vec::new(),
            taps: Vec::new(),
            controls: Vec::new(),
            midi: None,
            lines: BTreeMap::new(),
        }
    }
}

impl SceneDef {
    /// An empty scene, to be built up: equal to what an empty text says.
    pub fn new() -> Self {
        Self::default()
    }

    /// With one more body.
    pub fn body(mut self, name: &str, form: impl Into<BodyForm>) -> Self {
        self.bodies.push(BodyDef { name: name.into(), form: form.into() });
        self
    }

    /// With one more contact, between two sites ("body" or "body.port").
    pub fn contact(mut self, name: &str, between: [&str; 2], form: impl Into<ContactForm>) -> Self {
        self.contacts.push(ContactDef { name: name.into(), between: between.map(Into::into), form: form.into() });
        self
    }

    /// Listening to the velocity of a site on channel 0, by this factor from m/s to full scale.
    pub fn tap(mut self, of: &str, gain: Real) -> Self {
        self.taps.push(TapDef {
            of: of.into(),
            quantity: Quantity::Velocity,
            gain,
            outputs: Vec::new(),
            to: TapTo::Channel(0),
        });
        self
    }

    /// With a mass struck at a time, s, with a velocity, m/s.
    pub fn strike(mut self, at_s: Real, body: &str, velocity_m_s: Real) -> Self {
        self.events.push(EventDef { at_s, gesture: Gesture::Strike { body: body.into(), velocity_m_s } });
        self
    }

    /// Velocity of the first strike of a mass, m/s.
    pub(super) fn first_strike(&self, mass: &str) -> Option<Real> {
        self.events.iter().find_map(|event| match &event.gesture {
            Gesture::Strike { body, velocity_m_s } if body == mass => Some(*velocity_m_s),
            _ => None,
        })
    }

    /// Line of a place in the source text, or of the nearest place around it that has one.
    pub fn line_of(&self, place: &str) -> Option<usize> {
        line_in(&self.lines, place)
    }
}

/// Line of a place, or of the nearest place around it that has one.
pub(super) fn line_in(lines: &BTreeMap<String, usize>, mut place: &str) -> Option<usize> {
    loop {
        if let Some(&line) = lines.get(place) {
            return Some(line);
        }
        place = &place[..place.rfind(['.', '['])?];
    }
}

/// How long a scene lasts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Length {
    /// Until everything has decayed by 90 dB.
    Auto,
    /// So many seconds.
    Seconds(Real),
}

/// A body.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyDef {
    /// Unique label.
    pub name: String,
    /// What it is.
    pub form: BodyForm,
}

/// A contact between two sites.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactDef {
    /// Unique label.
    pub name: String,
    /// The two sites as written, "body" or "body.port".
    pub between: [String; 2],
    /// What it is.
    pub form: ContactForm,
}

/// A parameter or an external force over time.
#[derive(Clone, Debug, PartialEq)]
pub struct DriveDef {
    /// "body/param", "contact/param", "body.port/force_n" or a control's name.
    pub path: String,
    /// Where the values come from.
    pub source: Source,
}

/// Source of a drive.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Breakpoints `[t in s, value]`, linear between, held outside.
    Points(Vec<[Real; 2]>),
    /// Seeded Gaussian noise.
    Noise {
        /// Standard deviation, in the parameter's unit.
        rms: Real,
        /// Mean, in the parameter's unit.
        mean: Real,
        /// Begins, s.
        from_s: Real,
        /// Ends, s.
        to_s: Real,
        /// Exponent of the spectrum 1/f^beta, 0 (white) to 2 (Brownian).
        beta: Real,
        /// Frequency below which the spectrum is flat, Hz; of no account to white noise.
        first_hz: Real,
    },
    /// A recording named in the scene; a host replaces it by `Samples` before building.
    Wav {
        /// File as written.
        file: String,
        /// Value of a full-scale sample, in the parameter's unit.
        gain: Real,
        /// When it starts, s.
        at_s: Real,
    },
    /// Sound that comes in while it is rendered.
    Input {
        /// Channel of the input.
        channel: usize,
        /// Value of a full-scale sample, in the parameter's unit.
        gain: Real,
    },
    /// A recording in memory.
    Samples {
        /// Its rate, Hz.
        rate_hz: Real,
        /// Its samples, one channel.
        data: Arc<[f32]>,
        /// Value of a full-scale sample, in the parameter's unit.
        gain: Real,
        /// When it starts, s.
        at_s: Real,
    },
}

/// A gesture at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct EventDef {
    /// When, s.
    pub at_s: Real,
    /// What: a strike, a hit or a new value.
    pub gesture: Gesture,
}

/// The output that taps go to unless they say otherwise.
pub const MAIN: &str = "main";

/// Where sound goes: some channels of the device, limited together.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputDef {
    /// Unique among outputs.
    pub name: String,
    /// Channels of the device, in the order in which taps count them.
    pub channels: Vec<usize>,
    /// Factor on all that goes there.
    pub gain: Real,
    /// True if its peaks are limited when it is played live, apart from those of other outputs.
    pub limiter: bool,
}

/// What is heard.
#[derive(Clone, Debug, PartialEq)]
pub struct TapDef {
    /// A site, or a contact (force, compression).
    pub of: String,
    /// Which quantity.
    pub quantity: Quantity,
    /// Factor from SI to full scale.
    pub gain: Real,
    /// Outputs it goes to, by name; empty: [`MAIN`].
    pub outputs: Vec<String>,
    /// Where within each of them.
    pub to: TapTo,
}

/// Quantities that taps and probes read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// m
    Position,
    /// m/s
    Velocity,
    /// m/s^2
    Acceleration,
    /// N
    Force,
    /// m
    Compression,
}

crate::words!(Quantity {
    Position = "position",
    Velocity = "velocity",
    Acceleration = "acceleration",
    Force = "force",
    Compression = "compression",
});

/// Channels of a tap, counted within its output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TapTo {
    /// One channel.
    Channel(usize),
    /// Channels 0 and 1 with constant power; 0 left, 1 right.
    Pan(Real),
}

impl TapTo {
    /// Channels that the output must have.
    pub fn width(&self) -> usize {
        match self {
            TapTo::Channel(channel) => channel + 1,
            TapTo::Pan(_) => 2,
        }
    }
}

/// A named macro control, `0..1` outside, a physical range inside.
#[derive(Clone, Debug, PartialEq)]
pub struct ControlDef {
    /// Unique label.
    pub name: String,
    /// What it moves.
    pub path: String,
    /// What else it moves, over the same range.
    pub also: Vec<String>,
    /// Physical range.
    pub range: [Real; 2],
    /// Knob law.
    pub scale: crate::param::Scale,
}

impl ControlDef {
    /// Every path it moves. `[control]`
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        core::iter::once(&self.path).chain(&self.also).map(String::as_str)
    }
}
