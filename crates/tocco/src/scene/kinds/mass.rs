// SPDX-License-Identifier: MIT OR Apache-2.0
//! The point mass: a hammer, a ball, a stone.

use super::*;
use crate::resonator::inertial::{Mass, MassParams};

/// The mass in scene files.
pub const MASS: Kind = Kind {
    family: "body",
    id: "mass",
    doc: "A point mass: a hammer, a ball, a stone.",
    params: MassParams::SPECS,
    keys: &[
        Key::new("position_m", METRES, "Initial position, default 0."),
        Key::new("velocity_m_s", KeyType::Number { unit: "m/s", min: -1e4, max: 1e4 }, "Initial velocity, default 0."),
    ],
    rules: &[],
};

/// A point mass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MassDef {
    /// Live parameters.
    pub params: MassParams,
    /// Initial position, m.
    pub position_m: Real,
    /// Initial velocity, m/s.
    pub velocity_m_s: Real,
}

impl MassDef {
    /// A mass of so many kg, at rest at 0.
    pub fn new(mass_kg: Real) -> Self {
        Self { params: MassParams { mass_kg, ..MassParams::default() }, ..Self::default() }
    }

    /// Starting at a place, m.
    pub fn at(self, position_m: Real) -> Self {
        Self { position_m, ..self }
    }

    /// Starting with a velocity, m/s.
    pub fn moving(self, velocity_m_s: Real) -> Self {
        Self { velocity_m_s, ..self }
    }

    /// Pulled along the positive axis, m/s^2.
    pub fn falling(mut self, gravity_m_s2: Real) -> Self {
        self.params.gravity_m_s2 = gravity_m_s2;
        self
    }
}

impl BodyKind for MassDef {
    fn kind(&self) -> &'static Kind {
        &MASS
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn mobility(&self) -> Mobility {
        Mobility::Free
    }
    fn words(&self, _rate_hz: Real) -> String {
        let mut words = format!("mass of {} kg", short(self.params.mass_kg));
        if self.velocity_m_s != 0.0 {
            let _ = write!(words, ", moving at {} m/s", short(self.velocity_m_s));
        }
        if self.params.gravity_m_s2 != 0.0 {
            let _ = write!(words, ", gravity {} m/s^2", short(self.params.gravity_m_s2));
        }
        words
    }
}

impl BuildBody for MassDef {
    fn check(&self, spot: &Spot) -> Check {
        spot.params(&self.params)?;
        spot.number(&MASS, "position_m", self.position_m)?;
        spot.number(&MASS, "velocity_m_s", self.velocity_m_s)
    }
    fn write(&self, out: &mut Toml, _at: &str) {
        out.params(&self.params, &[]);
        out.unless_zero("position_m", self.position_m);
        out.unless_zero("velocity_m_s", self.velocity_m_s);
    }
    fn build(&self, context: &mut BodyContext<'_>) -> Result<Box<dyn Resonator>, SceneError> {
        Ok(Box::new(Mass::new(self.params, self.position_m, self.velocity_m_s, context.sample_s())))
    }
    fn structure(&self) -> String {
        // Where it began does not matter to where it is.
        String::new()
    }
}

#[cfg(feature = "text")]
impl Read for MassDef {
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        Ok(Self {
            params: node.params()?,
            position_m: node.number_or("position_m", 0.0)?,
            velocity_m_s: node.number_or("velocity_m_s", 0.0)?,
        })
    }
}
