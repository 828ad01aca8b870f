// SPDX-License-Identifier: MIT OR Apache-2.0
//! Drips: drops that fall into water.

use super::patter::only_sounds;
use super::process::*;
use super::*;
use crate::process::Process;
use crate::process::drip::{DRIP_TRIGGER, Drip, DripParams};

/// Drip in scene files.
pub const DRIP: Kind = Kind {
    family: "process",
    id: "drip",
    doc: "Drops that fall into water: a tap, a cave. A trigger is one drop: diameter_m, height_m, depth_m, delay_s.",
    params: DripParams::SPECS,
    keys: &with_common::<0, 3>([]),
    rules: &[],
};

/// Drips: drops that fall into water.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DripDef {
    /// Live parameters.
    pub params: DripParams,
}

impl ProcessKind for DripDef {
    fn kind(&self) -> &'static Kind {
        &DRIP
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn triggers(&self) -> &'static [Spec] {
        DRIP_TRIGGER
    }
    fn words(&self) -> String {
        let p = &self.params;
        format!("drops of {} mm from {} m, {}/s", short(1e3 * p.diameter_m), short(p.height_m), short(p.rate_hz))
    }
}

impl BuildProcess for DripDef {
    fn check(&self, spot: &Spot, hits: bool) -> Check {
        only_sounds(spot, hits)?;
        spot.params(&self.params)
    }
    fn write(&self, out: &mut Toml) {
        out.params(&self.params, &[]);
    }
    fn build(&self, context: &mut ProcessContext<'_>) -> Result<Box<dyn Process>, SceneError> {
        Ok(Box::new(Drip::new(self.params, context.rate_hz, |of| context.rng(of))))
    }
    fn structure(&self) -> String {
        String::new()
    }
}

#[cfg(feature = "text")]
impl Read for DripDef {
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        Ok(Self { params: node.params()? })
    }
}
