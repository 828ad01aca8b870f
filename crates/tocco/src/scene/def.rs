// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scene as plain data: what a scene file says, before anything is built.

pub use super::kinds::definitions::*;
pub use super::kinds::{BodyForm, ContactForm, ProcessForm, SignalForm};
use crate::gesture::Gesture;
pub use crate::interactor::friction::FrictionLaw;
pub use crate::interactor::impact::ImpactLaw;
use crate::math::Real;
pub use crate::resonator::shape::{MaterialDef, Place, PlaceOn, ShapeDef};
use std::collections::BTreeMap;

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
    /// Numbers over time that drives and processes hear, in file order.
    pub signals: Vec<SignalDef>,
    /// What crackles and crunches, in file order.
    pub processes: Vec<ProcessDef>,
    /// Who walks.
    pub walks: Vec<WalkDef>,
    /// Other scenes inside this one.
    pub parts: Vec<PartDef>,
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
    /// How bodies are drawn; for pages that show the scene.
    pub looks: Vec<LookDef>,
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
            signals: Vec::new(),
            processes: Vec::new(),
            walks: Vec::new(),
            parts: Vec::new(),
            drives: Vec::new(),
            events: Vec::new(),
            outputs: Vec::new(),
            taps: Vec::new(),
            controls: Vec::new(),
            midi: None,
            looks: Vec::new(),
            lines: BTreeMap::new(),
        }
    }
}

impl SceneDef {
    /// An empty scene, to be built up: equal to what an empty text says.
    pub fn new() -> Self {
        Self::default()
    }

    /// For how long it must be quiet before an automatic length ends, s.
    pub fn auto_hold_s(&self) -> Real {
        let falls = |body: &BodyDef| matches!(&body.form, BodyForm::Mass(mass) if mass.params.gravity_m_s2 != 0.0);
        if self.bodies.iter().any(falls) { AUTO_HOLD_GRAVITY_S } else { AUTO_HOLD_S }
    }

    /// With one more body.
    pub fn body(mut self, name: &str, form: impl Into<BodyForm>) -> Self {
        self.bodies.push(BodyDef { name: name.into(), form: form.into() });
        self
    }

    /// With one more contact, between two sites ("body" or "body.port").
    pub fn contact(mut self, name: &str, between: [&str; 2], form: impl Into<ContactForm>) -> Self {
        let between = between.map(Into::into);
        self.contacts.push(ContactDef { name: name.into(), between, spare: false, form: form.into() });
        self
    }

    /// With one more contact that joins nothing until it is told to ([`Gesture::Join`]); the two sites are
    /// those that a hardness or a time of contact is meant for.
    pub fn spare_contact(self, name: &str, between: [&str; 2], form: impl Into<ContactForm>) -> Self {
        let mut with = self.contact(name, between, form);
        with.contacts.iter_mut().rev().take(1).for_each(|contact| contact.spare = true);
        with
    }

    /// With one more signal, which nothing is done to.
    pub fn signal(mut self, name: &str, form: impl Into<SignalForm>) -> Self {
        let (params, operators) = (SignalParams::default(), Operators::default());
        self.signals.push(SignalDef {
            name: name.into(),
            params,
            operators,
            vessel: None,
            outlet_m2: None,
            form: form.into(),
        });
        self
    }

    /// With one more process, which hears a signal and hits these places; without any it sounds by itself.
    pub fn process(mut self, name: &str, driven_by: &str, on: &[&str], form: impl Into<ProcessForm>) -> Self {
        let on = on.iter().map(|site| (*site).into()).collect();
        let (name, driven_by, per_step) = (name.into(), driven_by.into(), PerStepDef::default());
        self.processes.push(ProcessDef { name, driven_by, on, per_step, form: form.into() });
        self
    }

    /// With somebody who walks.
    pub fn walk(mut self, walk: WalkDef) -> Self {
        self.walks.push(walk);
        self
    }

    /// Listening to the sound of a process on channel 0, by this factor from Pa at 1 m to full scale.
    pub fn tap_process(mut self, of: &str, gain: Real) -> Self {
        self = self.tap(of, gain);
        self.taps.iter_mut().rev().take(1).for_each(|tap| tap.quantity = Quantity::Sound);
        self
    }

    /// Listening to the velocity of a site on channel 0, by this factor from m/s to full scale.
    pub fn tap(mut self, of: &str, gain: Real) -> Self {
        self.taps.push(TapDef {
            of: of.into(),
            quantity: Quantity::Velocity,
            gain,
            whole: false,
            outputs: Vec::new(),
            to: TapTo::Channel(0),
            ear: EarDef::default(),
            travel: None,
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

/// An automatic length ends here at the latest, s.
pub const AUTO_MOST_S: Real = 120.0;
/// An automatic length ends when the output has stayed below this share of its peak (-90 dB) for a while
/// ([`SceneDef::auto_hold_s`]), after the scene's last cue.
pub const AUTO_QUIET: Real = 3.162_277_660_168_379_5e-5;
const AUTO_HOLD_S: Real = 0.25;
/// Under gravity something may be in the air between two bounces: wait longer.
const AUTO_HOLD_GRAVITY_S: Real = 1.0;

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
    /// Joins nothing until it is told to, live; `between` is then only what its hammer is reckoned with.
    pub spare: bool,
    /// What it is.
    pub form: ContactForm,
}
