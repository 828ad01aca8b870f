// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patter: the noise of drops and splashes that land.

use super::bubbles::sizes_in_order;
use super::process::*;
use super::*;
use crate::process::Process;
use crate::process::patter::{PATTER_TRIGGER, Patter, PatterParams};

/// Patter in scene files.
pub const PATTER: Kind = Kind {
    family: "process",
    id: "patter",
    doc: "Short noises of water that lands, without bubbles. A trigger is one landing: radius_m, amplitude_pa, speed_m_s, decay_s, delay_s.",
    params: PatterParams::SPECS,
    keys: &with_common::<0, 3>([]),
    rules: &[],
};

/// What is wrong with a process that only sounds by itself and is given bodies.
pub(super) fn only_sounds(spot: &Spot, hits: bool) -> Check {
    if hits { spot.fail("on", "it only sounds by itself; leave `on` out") } else { Ok(()) }
}

/// Landings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PatterDef {
    /// Live parameters.
    pub params: PatterParams,
}

impl ProcessKind for PatterDef {
    fn kind(&self) -> &'static Kind {
        &PATTER
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn triggers(&self) -> &'static [Spec] {
        PATTER_TRIGGER
    }
    fn words(&self) -> String {
        let p = &self.params;
        let [small, large] = [p.smallest_m, p.largest_m].map(|m| short(1e3 * m));
        format!("{} landings/s of {small} to {large} mm", short(p.rate_hz))
    }
}

impl BuildProcess for PatterDef {
    fn check(&self, spot: &Spot, hits: bool) -> Check {
        only_sounds(spot, hits)?;
        spot.params(&self.params)?;
        sizes_in_order(spot, self.params.smallest_m, self.params.largest_m)
    }
    fn write(&self, out: &mut Toml) {
        out.params(&self.params, &[]);
    }
    fn build(&self, context: &mut ProcessContext<'_>) -> Result<Box<dyn Process>, SceneError> {
        Ok(Box::new(Patter::new(self.params, context.rate_hz, |of| context.rng(of))))
    }
    fn structure(&self) -> String {
        String::new()
    }
}

#[cfg(feature = "text")]
impl Read for PatterDef {
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        Ok(Self { params: node.params()? })
    }
}
