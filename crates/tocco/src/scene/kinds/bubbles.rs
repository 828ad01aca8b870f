// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bubbles: a population of them, or single ones.

use super::process::*;
use super::*;
use crate::process::Process;
use crate::process::bubble::{BubbleLaw, MOST_VOICES};
use crate::process::flow::{FLOW_TRIGGER, Flow, FlowParams};

/// Bubbles in scene files.
pub const BUBBLES: Kind = Kind {
    family: "process",
    id: "bubbles",
    doc: "Bubbles that close in water: a brook, a river, a drink, a kettle, a straw. A trigger is one bubble: radius_m, amplitude_pa, rise, attack, delay_s.",
    params: FlowParams::SPECS,
    keys: &with_common::<2, 5>([
        key(
            "law",
            KeyType::Word(BubbleLaw::WORDS),
            "How size makes pitch: van-den-doel, 3/r (default), or minnaert, 3.26/r.",
        ),
        key(
            "voices",
            KeyType::Integer { min: 1, max: MOST_VOICES as i64 },
            "Bubbles that sound at once, default 256; where more do, the quietest give way.",
        ),
    ]),
    rules: &[],
};

/// A population of bubbles.
#[derive(Clone, Debug, PartialEq)]
pub struct BubblesDef {
    /// Live parameters.
    pub params: FlowParams,
    /// How size makes pitch.
    pub law: BubbleLaw,
    /// Most that sound at once.
    pub voices: usize,
}

impl Default for BubblesDef {
    fn default() -> Self {
        Self { params: FlowParams::default(), law: BubbleLaw::default(), voices: MOST_VOICES }
    }
}

/// Radii of a population: the smallest is not above the largest.
pub(super) fn sizes_in_order(spot: &Spot, smallest_m: Real, largest_m: Real) -> Check {
    if smallest_m > largest_m {
        let what = format!("{smallest_m} m is above largest_m, {largest_m} m: there is nothing between");
        return spot.fail("smallest_m", what);
    }
    Ok(())
}

impl ProcessKind for BubblesDef {
    fn kind(&self) -> &'static Kind {
        &BUBBLES
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn triggers(&self) -> &'static [Spec] {
        FLOW_TRIGGER
    }
    fn words(&self) -> String {
        let p = &self.params;
        let [small, large] = [p.smallest_m, p.largest_m].map(|m| short(1e3 * m));
        format!("{} bubbles/s of {small} to {large} mm", short(p.rate_hz))
    }
}

impl BuildProcess for BubblesDef {
    fn check(&self, spot: &Spot, _hits: bool) -> Check {
        spot.params(&self.params)?;
        spot.whole(&BUBBLES, "voices", i64::try_from(self.voices).unwrap_or(-1))?;
        sizes_in_order(spot, self.params.smallest_m, self.params.largest_m)
    }
    fn write(&self, out: &mut Toml) {
        out.params(&self.params, &[]);
        if self.law != BubbleLaw::default() {
            out.line(format_args!("law = \"{}\"", self.law.word()));
        }
        if self.voices != MOST_VOICES {
            out.line(format_args!("voices = {}", self.voices));
        }
    }
    fn build(&self, context: &mut ProcessContext<'_>) -> Result<Box<dyn Process>, SceneError> {
        let ports = context.ports.len();
        Ok(Box::new(Flow::new(self.params, self.law, self.voices, ports, context.rate_hz, |of| context.rng(of))))
    }
    fn structure(&self) -> String {
        format!("{:?} {}", self.law, self.voices)
    }
}

#[cfg(feature = "text")]
impl Read for BubblesDef {
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        Ok(Self {
            params: node.params()?,
            law: node.word("law")?.unwrap_or_default(),
            voices: node.count("voices")?.unwrap_or(MOST_VOICES),
        })
    }
}
