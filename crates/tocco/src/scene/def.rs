// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scene as plain data: what a scene file says, before anything is built.

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
    /// Structure.
    pub form: BodyForm,
    /// Parameter values in the order of the kind's table.
    pub params: Vec<Real>,
}

/// What a body is.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyForm {
    /// Point mass.
    Mass {
        /// Initial position, m.
        position_m: Real,
        /// Initial velocity, m/s.
        velocity_m_s: Real,
    },
    /// Rigid wall.
    Wall {
        /// Where it stands, m.
        position_m: Real,
    },
    /// Prescribed motion.
    Guided {
        /// Initial position, m.
        position_m: Real,
    },
    /// Modal bank.
    Modal {
        /// The modes.
        modes: Vec<ModeDef>,
        /// Named places with one mode-shape value per mode; empty: one port "0" of all ones.
        ports: Vec<PortDef>,
        /// What `morph_01` moves it to.
        morph: Option<MorphDef>,
    },
    /// Geometry and material.
    Shape {
        /// What it is.
        figure: ShapeDef,
        /// Named places; empty: one port "0" at the shape's first place.
        ports: Vec<PlaceOn>,
        /// What it becomes at `morph_01` = 1.
        morph: Option<ShapeMorphDef>,
    },
    /// String between two rigid ends.
    String {
        /// Named places; empty: one port "0" at [`DEFAULT_PLACE`](crate::resonator::waveguide::DEFAULT_PLACE).
        ports: Vec<PlaceDef>,
    },
    /// Masses, springs and dampers.
    Network {
        /// The masses; each is a port.
        masses: Vec<PointDef>,
        /// Names of the points that do not move.
        fixed: Vec<String>,
        /// Springs and dampers.
        links: Vec<LinkDef>,
    },
}

/// A mass of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct PointDef {
    /// Label, unique within the body.
    pub name: String,
    /// kg
    pub mass_kg: Real,
}

/// A spring and damper between two points of a network, or a chain of equal ones.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkDef {
    /// Two points or more, each joined to the next.
    pub between: Vec<String>,
    /// Of each spring, N/m.
    pub stiffness_n_m: Real,
    /// Of each damper, N s/m.
    pub damping_n_s_m: Real,
}

/// A named place on a string.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceDef {
    /// Label, unique within the body.
    pub name: String,
    /// Fraction of the length from the bridge, between 0 and 1, both excluded.
    pub place: Real,
}

/// One mode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModeDef {
    /// Undamped frequency, Hz; zero is a free (rigid) motion.
    pub freq_hz: Real,
    /// Time to 1/e of the amplitude, s; infinite is lossless.
    pub decay_s: Real,
    /// Modal mass, kg.
    pub mass_kg: Real,
}

/// The shape at the other end of a morph.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeMorphDef {
    /// What it is.
    pub figure: ShapeDef,
    /// Ports that are elsewhere on it; the others are where the body has them.
    pub ports: Vec<PlaceOn>,
}

impl ShapeMorphDef {
    /// Where on it a port of the body is.
    pub fn place<'a>(&'a self, port: &'a PlaceOn) -> &'a PlaceOn {
        self.ports.iter().find(|own| own.name == port.name).unwrap_or(port)
    }
}

/// The body at the other end of a morph.
#[derive(Clone, Debug, PartialEq)]
pub struct MorphDef {
    /// Its modes.
    pub modes: Vec<ModeDef>,
    /// The same places as the body's, in the same order; empty: the body's own values.
    pub ports: Vec<PortDef>,
}

/// A named place on a modal body.
#[derive(Clone, Debug, PartialEq)]
pub struct PortDef {
    /// Label, unique within the body.
    pub name: String,
    /// Signed mode-shape value of every mode here.
    pub shape: Vec<Real>,
}

/// A contact between two sites.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactDef {
    /// Unique label.
    pub name: String,
    /// The two sites as written, "body" or "body.port".
    pub between: [String; 2],
    /// Law and structure.
    pub form: ContactForm,
    /// Parameter values in the order of the kind's table.
    pub params: Vec<Real>,
    /// Local sub-steps.
    pub substeps: Substeps,
    /// The surface it travels over.
    pub texture: Option<TextureDef>,
}

/// A rough surface. On a friction contact it is read along the contact's own travel and scaled by `roughness`; on an
/// impact contact it is a height profile that a body's motion carries past.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureDef {
    /// Exponent of the spectrum 1/f^beta, 0 to 2.
    pub beta: Real,
    /// Finest detail, m.
    pub grain_m: Real,
    /// Longest wave, m.
    pub longest_m: Real,
    /// Density of the filter behind the spectrum.
    pub poles_per_decade: u32,
    /// Standard deviation of the height, m; 0 on a friction contact.
    pub height_m: Real,
    /// Body whose position is the travel; `None` on a friction contact.
    pub travel: Option<String>,
}

/// Local sub-steps of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Substeps {
    /// By the rule of physics.md H3.
    Auto,
    /// Always so many (a power of two, 1 to 64).
    Fixed(u32),
}

/// What a contact is.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactForm {
    /// Impact.
    Impact {
        /// Which force law.
        law: ImpactLaw,
        /// Exponent of the dissipative term; `None`: the elastic exponent.
        viscous_exponent: Option<Real>,
        /// Use the exact wall scheme (mass against wall or mass only).
        exact_wall: bool,
        /// What the stiffness is meant to do; `None`: the parameter `stiffness` as it is.
        hammer: Option<HammerDef>,
    },
    /// Friction.
    Friction {
        /// Which force law.
        law: FrictionLaw,
        /// The impact contact that presses the surfaces together; `None`: the parameter `normal_force_n`.
        normal_from: Option<String>,
        /// Exponent of the viscous term; `None`: 1.
        viscous_exponent: Option<Real>,
    },
}

/// A hammer by intention: its stiffness follows when the scene is built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HammerDef {
    /// What is wanted.
    pub intent: Intent,
    /// Speed at which it is wanted, m/s.
    pub at_speed_m_s: Real,
}

/// What a hammer is meant to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Intent {
    /// Touch a rigid wall for so long, s.
    ContactTime(Real),
    /// Feel so hard, 0 to 1.
    Hardness(Real),
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
