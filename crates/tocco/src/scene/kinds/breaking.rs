// SPDX-License-Identifier: MIT OR Apache-2.0
//! Breaking: a body shatters into pieces.

use super::crumple::*;
use super::process::*;
use super::*;
use crate::process::Process;
use crate::process::breaking::{BreakParams, Breaking};
use crate::process::fragment::{FragmentMode, MOST_FRAGMENTS};

/// Breaking in scene files.
pub const BREAK: Kind = Kind {
    family: "process",
    id: "break",
    doc: "A body shatters into pieces that fall, bounce and ring: glass, pottery, wood, plastic.",
    params: BreakParams::SPECS,
    keys: &with_common::<2, 5>([
        key(
            "modes",
            KeyType::Tables { of: &FRAGMENT_MODE, min: 0, max: MOST_MODES },
            "Modes of the whole body, from which those of its pieces follow; needed unless it hits bodies.",
        ),
        key("pieces", KeyType::Integer { min: 2, max: MOST_FRAGMENTS as i64 }, "Pieces, default 24."),
    ]),
    rules: &[],
};

/// Something that shatters.
#[derive(Clone, Debug, PartialEq)]
pub struct BreakDef {
    /// Live parameters.
    pub params: BreakParams,
    /// Modes of the whole, unless it hits bodies.
    pub modes: Vec<FragmentMode>,
    /// Pieces.
    pub pieces: usize,
}

impl Default for BreakDef {
    fn default() -> Self {
        Self { params: BreakParams::default(), modes: Vec::new(), pieces: 24 }
    }
}

impl ProcessKind for BreakDef {
    fn kind(&self) -> &'static Kind {
        &BREAK
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn words(&self) -> String {
        format!("breaks into {} pieces, {} kg", self.pieces, short(self.params.mass_kg))
    }
}

impl BuildProcess for BreakDef {
    fn check(&self, spot: &Spot, hits: bool) -> Check {
        spot.params(&self.params)?;
        spot.whole(&BREAK, "pieces", i64::try_from(self.pieces).unwrap_or(-1))?;
        check_fragment_modes(spot, &self.modes, hits)
    }
    fn write(&self, out: &mut Toml) {
        out.params(&self.params, &[]);
        write_fragment_modes(out, &self.modes);
        if self.pieces != Self::default().pieces {
            out.line(format_args!("pieces = {}", self.pieces));
        }
    }
    fn build(&self, context: &mut ProcessContext<'_>) -> Result<Box<dyn Process>, SceneError> {
        let modes = audible_modes(context, &self.modes, self.params.freq_scale)?;
        let rng = context.rng("pieces");
        Ok(Box::new(Breaking::new(self.params, self.pieces, &modes, &context.ports, context.rate_hz, rng)))
    }
    fn structure(&self) -> String {
        format!("{:?} {}", self.modes, self.pieces)
    }
}

#[cfg(feature = "text")]
impl Read for BreakDef {
    fn read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError> {
        Ok(Self {
            params: node.params()?,
            modes: read_fragment_modes(node, lines)?,
            pieces: node.count("pieces")?.unwrap_or(Self::default().pieces),
        })
    }
}
