// SPDX-License-Identifier: MIT OR Apache-2.0
//! Puddles: water that a foot presses aside.

use super::patter::only_sounds;
use super::process::*;
use super::*;
use crate::process::Process;
use crate::process::puddle::{Puddle, PuddleParams};

/// Puddle in scene files.
pub const PUDDLE: Kind = Kind {
    family: "process",
    id: "puddle",
    doc: "Water that a foot, a hand or a wheel presses aside: slaps, bubbles, drops that fall back; its signal is a load, 1 for a whole foot.",
    params: PuddleParams::SPECS,
    keys: &with_common::<0, 3>([]),
    rules: &[],
};

/// Puddles: water that a foot presses aside.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PuddleDef {
    /// Live parameters.
    pub params: PuddleParams,
}

impl ProcessKind for PuddleDef {
    fn kind(&self) -> &'static Kind {
        &PUDDLE
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn words(&self) -> String {
        let p = &self.params;
        format!("puddle of {} mm", short(1e3 * p.depth_m))
    }
}

impl BuildProcess for PuddleDef {
    fn check(&self, spot: &Spot, hits: bool) -> Check {
        only_sounds(spot, hits)?;
        spot.params(&self.params)
    }
    fn write(&self, out: &mut Toml) {
        out.params(&self.params, &[]);
    }
    fn build(&self, context: &mut ProcessContext<'_>) -> Result<Box<dyn Process>, SceneError> {
        Ok(Box::new(Puddle::new(self.params, context.rate_hz, |of| context.rng(of))))
    }
    fn structure(&self) -> String {
        String::new()
    }
}

#[cfg(feature = "text")]
impl Read for PuddleDef {
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        Ok(Self { params: node.params()? })
    }
}
