// SPDX-License-Identifier: MIT OR Apache-2.0
//! Controls: one knob outside, one or more live values inside.
//!
//! A scene's `[[control]]` runs from 0 to 1. A parameter may also stand for another one in other units (a hammer's
//! hardness or contact time for its stiffness): that is a control with a declaration of its own.

use crate::math::{self, Real};
use crate::param::{self, Rate, Scale, Spec};

/// What a `[[control]]` declares.
pub(crate) const POSITION: Spec = Spec {
    id: "control",
    unit: "1",
    min: 0.0,
    max: 1.0,
    default: 0.0,
    scale: Scale::Linear,
    rate: Rate::Control,
    glide_s: 0.0,
    doc: "A named control.",
};

/// A knob and what it moves.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    pub name: String,
    /// What it moves, at least one thing.
    pub moves: Vec<Mapping>,
    /// What it declares if it is a parameter that stands for another one, not a control of the scene's.
    pub stands_for: Option<Spec>,
}

impl Control {
    pub fn spec(&self) -> Spec {
        self.stands_for.unwrap_or(POSITION)
    }
}

/// How a knob moves one slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mapping {
    pub slot: usize,
    pub range: [Real; 2],
    pub scale: Scale,
    /// Values of the knob at both ends if they are not 0 and 1; equal ratios between.
    pub knob_ends: Option<[Real; 2]>,
}

impl Mapping {
    /// The slot's value where the knob stands at `knob`.
    pub fn value(&self, knob: Real) -> Real {
        let position = self.knob_ends.map_or(knob, |[from, to]| math::ln(knob / from) / math::ln(to / from));
        param::scaled(self.scale, self.range[0], self.range[1], position)
    }

    /// Where the knob stands for a value of the slot; a time also where it lies outside what can be set.
    pub fn knob(&self, value: Real) -> Real {
        match self.knob_ends {
            None => param::position(self.scale, self.range[0], self.range[1], value).clamp(0.0, 1.0),
            Some([from, to]) => {
                let position = math::ln(value / self.range[0]) / math::ln(self.range[1] / self.range[0]);
                from * math::exp(position * math::ln(to / from))
            }
        }
    }
}
