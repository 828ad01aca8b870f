// SPDX-License-Identifier: MIT OR Apache-2.0
//! The signal of breakpoints.

use super::signal::*;
use super::*;
use crate::signal::{SignalParams, Source as SignalSource};

/// Breakpoints in scene files.
pub const POINTS: Kind = Kind {
    family: "signal",
    id: "points",
    doc: "A signal by breakpoints: a squeeze, a shake, the force under a foot.",
    params: SignalParams::SPECS,
    keys: &with_operators::<2, 13>([
        must(
            "points",
            KeyType::List { of: &KeyType::Row(&POINT), min: 1, max: MAX_LIST },
            "Breakpoints [time in s, value], times increasing, linear between, held outside.",
        ),
        key("loop_s", KeyType::Number { unit: "s", min: 1e-3, max: MAX_DURATION_S }, "They repeat after this time."),
    ]),
    rules: &[ROLL, ROLLED, GATE, EVERY],
};

/// Breakpoints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointsDef {
    /// `[t in s, value]`, times increasing.
    pub points: Vec<[Real; 2]>,
    /// They repeat after this time, s.
    pub loop_s: Option<Real>,
}

impl SignalKind for PointsDef {
    fn kind(&self) -> &'static Kind {
        &POINTS
    }
    fn words(&self) -> String {
        let again = self.loop_s.map_or(String::new(), |length| format!(", again every {} s", short(length)));
        format!("{} points{again}", self.points.len())
    }
}

impl BuildSignal for PointsDef {
    fn check(&self, spot: &Spot) -> Check {
        if self.points.is_empty() {
            return spot.fail("points", "is empty; wants at least one [time in s, value]");
        }
        increasing(spot, "points", &self.points, POINT, "s")?;
        self.loop_s.map_or(Ok(()), |length| spot.number(&POINTS, "loop_s", length))
    }
    fn write(&self, out: &mut Toml) {
        out.line(format_args!("points = {:?}", self.points));
        self.loop_s.into_iter().for_each(|length| out.number("loop_s", length));
    }
    fn build(&self, _context: &mut SignalContext<'_>) -> Result<SignalSource, SceneError> {
        Ok(SignalSource::Points { points: self.points.clone(), loop_s: self.loop_s })
    }
    fn structure(&self) -> String {
        format!("{self:?}")
    }
}

#[cfg(feature = "text")]
impl Read for PointsDef {
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        Ok(Self { points: read_points(node, "points", POINT, "[time in s, value]")?, loop_s: node.number("loop_s")? })
    }
}
