// SPDX-License-Identifier: MIT OR Apache-2.0
//! Burst: a soft impact as a noise of force.

use super::process::*;
use super::*;
use crate::process::Process;
use crate::process::burst::{Burst, BurstBy, BurstParams};

/// The burst in scene files.
pub const BURST: Kind = Kind {
    family: "process",
    id: "burst",
    doc: "A soft impact: a burst of noise pushes a body. A shoe on carpet, a hand on cloth, a bag set down.",
    params: BurstParams::SPECS,
    keys: &with_common::<1, 4>([key(
        "by",
        KeyType::Word(BurstBy::WORDS),
        "event (default): a burst where the signal rises above the threshold; envelope: the signal is its envelope.",
    )]),
    rules: &[NEEDS_ON],
};

/// A soft impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BurstDef {
    /// Live parameters.
    pub params: BurstParams,
    /// How the signal makes it.
    pub by: BurstBy,
}

impl ProcessKind for BurstDef {
    fn kind(&self) -> &'static Kind {
        &BURST
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn words(&self) -> String {
        format!("burst by {}, {} N s, {} s", self.by.word(), short(self.params.impulse_n_s), short(self.params.decay_s))
    }
}

impl BuildProcess for BurstDef {
    fn check(&self, spot: &Spot, hits: bool) -> Check {
        needs_on(spot, hits)?;
        spot.params(&self.params)
    }
    fn write(&self, out: &mut Toml) {
        out.params(&self.params, &[]);
        if self.by == BurstBy::Envelope {
            out.line(format_args!("by = \"{}\"", self.by.word()));
        }
    }
    fn build(&self, context: &mut ProcessContext<'_>) -> Result<Box<dyn Process>, SceneError> {
        let (ports, rng) = (context.ports.len(), context.rng("noise"));
        Ok(Box::new(Burst::new(self.params, self.by, ports, context.rate_hz, rng)))
    }
    fn structure(&self) -> String {
        format!("{:?}", self.by)
    }
}

#[cfg(feature = "text")]
impl Read for BurstDef {
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        Ok(Self { params: node.params()?, by: node.word("by")?.unwrap_or(BurstBy::Event) })
    }
}
