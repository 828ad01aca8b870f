// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tread: a sole comes down on something solid.

use super::process::*;
use super::*;
use crate::process::Process;
use crate::process::tread::{Tread, TreadParams};

/// The tread in scene files.
pub const TREAD: Kind = Kind {
    family: "process",
    id: "tread",
    doc: "A sole comes down: strikes the mass that it is `on` against what that touches as the signal, a force, rises, and presses it on.",
    params: TreadParams::SPECS,
    keys: &with_common::<0, 3>([]),
    rules: &[NEEDS_ON],
};

/// A sole that comes down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreadDef {
    /// Live parameters.
    pub params: TreadParams,
}

impl ProcessKind for TreadDef {
    fn kind(&self) -> &'static Kind {
        &TREAD
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn words(&self) -> String {
        format!("treads at {} m/s, {} N", short(self.params.strike_m_s), short(self.params.weight_n))
    }
    fn strikes(&self) -> bool {
        true
    }
}

impl BuildProcess for TreadDef {
    fn check(&self, spot: &Spot, hits: bool) -> Check {
        needs_on(spot, hits)?;
        spot.params(&self.params)
    }
    fn write(&self, out: &mut Toml) {
        out.params(&self.params, &[]);
    }
    fn build(&self, _context: &mut ProcessContext<'_>) -> Result<Box<dyn Process>, SceneError> {
        Ok(Box::new(Tread::new(self.params)))
    }
    fn structure(&self) -> String {
        String::new()
    }
}

#[cfg(feature = "text")]
impl Read for TreadDef {
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        Ok(Self { params: node.params()? })
    }
}
