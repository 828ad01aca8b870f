// SPDX-License-Identifier: MIT OR Apache-2.0
//! The body that moves as told: a hand, a bow, a conveyor.

use super::*;
use crate::resonator::inertial::{Guided, GuidedParams};

/// The guided body in scene files.
pub const GUIDED: Kind = Kind {
    family: "body",
    id: "guided",
    doc: "A body that moves as told, whatever pushes back: a hand, a bow, a conveyor.",
    params: GuidedParams::SPECS,
    keys: &[Key::new("position_m", METRES, "Initial position, default 0.")],
    rules: &[],
};

/// Prescribed motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GuidedDef {
    /// Live parameters.
    pub params: GuidedParams,
    /// Initial position, m.
    pub position_m: Real,
}

impl GuidedDef {
    /// A body that moves at this velocity, m/s, from 0.
    pub fn new(velocity_m_s: Real) -> Self {
        Self { params: GuidedParams { velocity_m_s }, position_m: 0.0 }
    }
}

impl BodyKind for GuidedDef {
    fn kind(&self) -> &'static Kind {
        &GUIDED
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn mobility(&self) -> Mobility {
        Mobility::Guided
    }
    fn words(&self, _rate_hz: Real) -> String {
        "guided".into()
    }
}

impl BuildBody for GuidedDef {
    fn check(&self, spot: &Spot) -> Check {
        spot.params(&self.params)?;
        spot.number(&GUIDED, "position_m", self.position_m)
    }
    fn write(&self, out: &mut Toml, _at: &str) {
        out.params(&self.params, &[]);
        out.unless_zero("position_m", self.position_m);
    }
    fn build(&self, context: &mut BodyContext<'_>) -> Result<Box<dyn Resonator>, SceneError> {
        Ok(Box::new(Guided::new(self.params, self.position_m, context.sample_s())))
    }
    fn structure(&self) -> String {
        // Where it began does not matter to where it is.
        String::new()
    }
}

#[cfg(feature = "text")]
impl Read for GuidedDef {
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        Ok(Self { params: node.params()?, position_m: node.number_or("position_m", 0.0)? })
    }
}
