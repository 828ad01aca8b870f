// SPDX-License-Identifier: MIT OR Apache-2.0
//! The signal that reads something of the scene.

use super::signal::*;
use super::*;
use crate::signal::{SignalParams, Source as SignalSource};

/// A reading of the scene in scene files.
pub const PROBE: Kind = Kind {
    family: "signal",
    id: "probe",
    doc: "A signal that reads the scene: where something is, how fast, what presses, how much energy there is, another signal.",
    params: SignalParams::SPECS,
    keys: &with_operators::<1, 12>([must(
        "of",
        KeyType::Named(Thing::Signal),
        "body.port.position, .velocity, body.energy, contact.force, .compression, energy, or the name of another signal.",
    )]),
    rules: &[ROLL, ROLLED, GATE, EVERY],
};

/// A reading of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeDef {
    /// A probe signal ("bar.tip.velocity", "hit.force") or the name of another signal.
    pub of: String,
}

impl SignalKind for ProbeDef {
    fn kind(&self) -> &'static Kind {
        &PROBE
    }
    fn words(&self) -> String {
        format!("reads {}", self.of)
    }
    fn reads(&self) -> Option<&str> {
        Some(&self.of)
    }
    fn reads_mut(&mut self) -> Option<&mut String> {
        Some(&mut self.of)
    }
}

impl BuildSignal for ProbeDef {
    fn check(&self, spot: &Spot) -> Check {
        spot.named("of", &self.of)
    }
    fn write(&self, out: &mut Toml) {
        out.line(format_args!("of = {}", quoted(&self.of)));
    }
    fn build(&self, _context: &mut SignalContext<'_>) -> Result<SignalSource, SceneError> {
        Ok(SignalSource::Reading)
    }
    fn structure(&self) -> String {
        self.of.clone()
    }
}

#[cfg(feature = "text")]
impl Read for ProbeDef {
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        Ok(Self { of: node.needed_text("of")? })
    }
}
