// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameters as a host shows them: knobs from 0 to 1 by the parameter's own law, with text in SI units.

use tocco::Address;
use tocco::param::{Scale, Spec, position, scaled};
use tocco_live::Instrument;
use tocco_live::instrument::Role;
use tocco_live::midi::voices::named;

/// A knob: one parameter of the scene, in every voice.
#[derive(Clone)]
pub struct Knob {
    /// The number of its path, for ever.
    pub id: u32,
    /// The path, or the name of a control.
    pub path: String,
    /// Its declaration.
    pub spec: Spec,
    /// Value before the first tick.
    pub declared: f64,
    /// What it sets: the parameter and its copies in other voices.
    pub addresses: Vec<Address>,
}

impl Knob {
    /// A range that a law in logarithms cannot have, as it begins at nothing or below: then it goes by the cube.
    fn begins_at_nothing(&self) -> bool {
        self.spec.scale == Scale::Log && self.spec.min <= 0.0
    }

    /// The value in the unit of the parameter.
    pub fn value(&self, position: f64) -> f64 {
        let Spec { scale, min, max, .. } = self.spec;
        match self.begins_at_nothing() {
            true => {
                let x = position.clamp(0.0, 1.0);
                min + (max - min) * x * x * x
            }
            false => scaled(scale, min, max, position),
        }
    }

    /// Where the knob stands.
    pub fn position(&self, value: f64) -> f64 {
        let Spec { scale, min, max, .. } = self.spec;
        let position = match self.begins_at_nothing() {
            true => tocco::math::pow(((value - min) / (max - min)).max(0.0), 1.0 / 3.0),
            false => position(scale, min, max, value),
        };
        position.clamp(0.0, 1.0)
    }

    /// In words: as few digits, six at least of what has more, as mean this very position in 32 bits, which is what hosts keep, and the
    /// unit. What these words mean has the same words again.
    pub fn text(&self, position: f64) -> String {
        let position = position.clamp(0.0, 1.0);
        let shortest = |value: f64| {
            let rounded = |digits: usize| format!("{value:.digits$e}").parse::<f64>().unwrap_or(value);
            (5..17).map(rounded).find(|value| self.position(*value) as f32 == position as f32).unwrap_or(value)
        };
        let mut value = shortest(self.value(position));
        // What was rounded may be rounded further; each time it is shorter.
        for _ in 0..12 {
            value = shortest(self.value(self.position(value)));
        }
        let small = value == 0.0 || (1e-3..1e6).contains(&value.abs());
        let number = if small { value.to_string() } else { format!("{value:e}") };
        if self.spec.unit == "1" { number } else { format!("{number} {}", self.spec.unit) }
    }

    /// What words mean: a number, whatever stands behind it; `None` if there is none.
    pub fn read(&self, text: &str) -> Option<f64> {
        let text = text.trim();
        let number = text.strip_suffix(self.spec.unit).filter(|_| self.spec.unit != "1").unwrap_or(text).trim();
        let value = number.parse::<f64>().ok().filter(|value| value.is_finite())?;
        Some(self.position(value.clamp(self.spec.min, self.spec.max)))
    }
}

/// The knobs of a scene: its controls first; not what notes play, nor other names of the same.
pub fn knobs(instrument: &Instrument) -> Vec<Knob> {
    let directory = instrument.directory();
    let shown = |p: &&tocco_live::instrument::Parameter| p.role != Role::Alias && !p.by_notes && !p.path.contains('~');
    let knob = |p: &tocco_live::instrument::Parameter| {
        let copies = (1..instrument.voices()).filter_map(|voice| directory.address(&named(&p.path, voice)).ok());
        let copies = copies.filter(|address| *address != p.address && p.path.contains('/'));
        let addresses = std::iter::once(p.address).chain(copies).collect();
        Knob { id: p.id, path: p.path.clone(), spec: p.spec, declared: p.declared, addresses }
    };
    instrument.parameters().iter().filter(shown).map(knob).collect()
}
