// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spread: one impact over a surface and over time.

use super::process::*;
use super::*;
use crate::process::Process;
use crate::process::spread::{Spread, SpreadParams};

/// The spread impact in scene files.
pub const SPREAD: Kind = Kind {
    family: "process",
    id: "spread",
    doc: "One impact over a surface and over time, with one momentum: a sole, a hand, a falling sheet.",
    params: SpreadParams::SPECS,
    keys: &with_common::<0, 3>([]),
    rules: &[NEEDS_ON],
};

/// One impact in many places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpreadDef {
    /// Live parameters.
    pub params: SpreadParams,
}

impl ProcessKind for SpreadDef {
    fn kind(&self) -> &'static Kind {
        &SPREAD
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn words(&self) -> String {
        let p = &self.params;
        format!("impact of {} N s, {} hits in {} s", short(p.momentum_n_s), short(p.hits), short(p.spread_s))
    }
}

impl BuildProcess for SpreadDef {
    fn check(&self, spot: &Spot, hits: bool) -> Check {
        needs_on(spot, hits)?;
        spot.params(&self.params)
    }
    fn write(&self, out: &mut Toml) {
        out.params(&self.params, &[]);
    }
    fn build(&self, context: &mut ProcessContext<'_>) -> Result<Box<dyn Process>, SceneError> {
        Ok(Box::new(Spread::new(self.params, &context.ports, context.rate_hz, context.rng("hits"))))
    }
    fn structure(&self) -> String {
        String::new()
    }
}

#[cfg(feature = "text")]
impl Read for SpreadDef {
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        Ok(Self { params: node.params()? })
    }
}
