// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tread: a sole comes down on something solid.

use super::process::*;
use super::*;
use crate::process::Process;
use crate::process::tread::{Tread, TreadBy, TreadParams};

/// The tread in scene files.
pub const TREAD: Kind = Kind {
    family: "process",
    id: "tread",
    doc: "A sole comes down: strikes the mass that it is `on` against what that touches as the signal, a force, rises, and presses it on.",
    params: TreadParams::SPECS,
    keys: &with_common::<1, 4>([key(
        "by",
        KeyType::Word(TreadBy::WORDS),
        "force (default): the blow goes with how fast the signal rises; envelope: with its first peak, and the press is the signal.",
    )]),
    rules: &[NEEDS_ON],
};

/// A sole that comes down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreadDef {
    /// Live parameters.
    pub params: TreadParams,
    /// How the signal strikes and presses.
    pub by: TreadBy,
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
        if self.by == TreadBy::Envelope {
            out.line(format_args!("by = \"{}\"", self.by.word()));
        }
    }
    fn build(&self, _context: &mut ProcessContext<'_>) -> Result<Box<dyn Process>, SceneError> {
        Ok(Box::new(Tread::new(self.params, self.by)))
    }
    fn structure(&self) -> String {
        format!("{:?}", self.by)
    }
}

#[cfg(feature = "text")]
impl Read for TreadDef {
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        Ok(Self { params: node.params()?, by: node.word("by")?.unwrap_or(TreadBy::Force) })
    }
}
