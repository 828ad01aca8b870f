// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rigid wall.

use super::*;
use crate::resonator::inertial::Guided;

/// The wall in scene files.
pub const WALL: Kind = Kind {
    family: "body",
    id: "wall",
    doc: "A rigid, immovable wall or floor.",
    params: &[],
    keys: &[Key::new("position_m", METRES, "Where it stands, default 0.")],
    rules: &[],
};

/// A rigid wall.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WallDef {
    /// Where it stands, m.
    pub position_m: Real,
}

impl BodyKind for WallDef {
    fn kind(&self) -> &'static Kind {
        &WALL
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        Vec::new()
    }
    fn mobility(&self) -> Mobility {
        Mobility::Fixed
    }
    fn words(&self, _rate_hz: Real) -> String {
        "rigid wall".into()
    }
}

impl BuildBody for WallDef {
    fn check(&self, spot: &Spot) -> Check {
        spot.number(&WALL, "position_m", self.position_m)
    }
    fn write(&self, out: &mut Toml, _at: &str) {
        out.unless_zero("position_m", self.position_m);
    }
    fn build(&self, context: &mut BodyContext<'_>) -> Result<Box<dyn Resonator>, SceneError> {
        Ok(Box::new(Guided::wall(self.position_m, context.sample_s())))
    }
    fn structure(&self) -> String {
        format!("{self:?}")
    }
}

#[cfg(feature = "text")]
impl Read for WallDef {
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        Ok(Self { position_m: node.number_or("position_m", 0.0)? })
    }
}
