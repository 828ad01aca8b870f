// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rain: drops that fall on water, on the ground or on bodies.

use super::process::*;
use super::*;
use crate::process::Process;
use crate::process::rain::{RAIN_TRIGGER, Rain, RainOn, RainParams};

/// Rain in scene files.
pub const RAIN: Kind = Kind {
    family: "process",
    id: "rain",
    doc: "Drops that fall on water, on the ground, or on bodies, where each is a real hit. A trigger is one drop: diameter_m, distance_m, delay_s.",
    params: RainParams::SPECS,
    keys: &with_common::<1, 4>([key(
        "surface",
        KeyType::Word(RainOn::WORDS),
        "What it falls on, unless on bodies: water (default) or ground.",
    )]),
    rules: &[Rule::AtMostOne(&["surface", "on"])],
};

/// Drops that fall.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RainDef {
    /// Live parameters.
    pub params: RainParams,
    /// What they fall on, unless on bodies.
    pub surface: RainOn,
}

impl ProcessKind for RainDef {
    fn kind(&self) -> &'static Kind {
        &RAIN
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn triggers(&self) -> &'static [Spec] {
        RAIN_TRIGGER
    }
    fn words(&self) -> String {
        format!("{} drops/s", short(self.params.rate_hz))
    }
}

impl BuildProcess for RainDef {
    fn check(&self, spot: &Spot, _hits: bool) -> Check {
        spot.params(&self.params)?;
        let RainParams { near_m, far_m, .. } = self.params;
        if near_m > far_m {
            return spot.fail("near_m", format!("{near_m} m is above far_m, {far_m} m: there is no rain between"));
        }
        Ok(())
    }
    fn write(&self, out: &mut Toml) {
        out.params(&self.params, &[]);
        if self.surface != RainOn::default() {
            out.line(format_args!("surface = \"{}\"", self.surface.word()));
        }
    }
    fn build(&self, context: &mut ProcessContext<'_>) -> Result<Box<dyn Process>, SceneError> {
        Ok(Box::new(Rain::new(self.params, self.surface, &context.ports, context.rate_hz, |of| context.rng(of))))
    }
    fn structure(&self) -> String {
        format!("{:?}", self.surface)
    }
}

#[cfg(feature = "text")]
impl Read for RainDef {
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        Ok(Self { params: node.params()?, surface: node.word("surface")?.unwrap_or_default() })
    }
}
