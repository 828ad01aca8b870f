// SPDX-License-Identifier: MIT OR Apache-2.0
//! The signal that a player sets, or the scene around this one.

use super::signal::*;
use super::*;
use crate::param::Rate;
use crate::signal::{SignalParams, Source as SignalSource};

/// Units that an inlet may name.
const UNITS: &[&str] =
    &["1", "N", "BW", "Pa", "m", "m/s", "m/s^2", "J", "W", "Hz", "s", "kg", "m^3/s", "K", "rad", "rad/s", "V", "dB"];

/// An inlet in scene files.
pub const INLET: Kind = Kind {
    family: "signal",
    id: "input",
    doc: "An inlet: a signal that a player sets live as NAME/value, or the scene that uses this one as a part.",
    params: SignalParams::SPECS,
    keys: &with_operators::<4, 15>([
        key("default", ANY, "Its value until somebody sets it, default 0."),
        key("min", ANY, "Smallest value, default 0."),
        key("max", ANY, "Largest value, default 1."),
        key("unit", KeyType::Word(UNITS), "Its unit, for people, default 1 (a pure number)."),
    ]),
    rules: &[ROLL, ROLLED, GATE, EVERY],
};

/// An inlet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InletDef {
    /// Its value until somebody sets it.
    pub default: Real,
    /// Smallest value.
    pub min: Real,
    /// Largest value.
    pub max: Real,
    /// For people; one of a list.
    pub unit: &'static str,
}

impl Default for InletDef {
    fn default() -> Self {
        Self { default: 0.0, min: 0.0, max: 1.0, unit: "1" }
    }
}

impl SignalKind for InletDef {
    fn kind(&self) -> &'static Kind {
        &INLET
    }
    fn words(&self) -> String {
        let unit = unit_words(self.unit);
        format!("inlet, {} to {}{unit}", short(self.min), short(self.max))
    }
    fn inlet(&self) -> Option<Spec> {
        Some(Spec {
            id: "value",
            unit: self.unit,
            min: self.min,
            max: self.max,
            default: self.default,
            scale: Scale::Linear,
            rate: Rate::Control,
            glide_s: 0.0,
            doc: "The value of the inlet.",
        })
    }
}

impl BuildSignal for InletDef {
    fn check(&self, spot: &Spot) -> Check {
        for (id, value) in [("min", self.min), ("max", self.max), ("default", self.default)] {
            spot.number(&INLET, id, value)?;
        }
        if self.min >= self.max {
            return spot.fail("max", format!("{} is not above min = {}", plain(self.max), plain(self.min)));
        }
        if !UNITS.contains(&self.unit) {
            return spot.fail(
                "unit",
                format!("'{}' is no unit of inlets{}", self.unit, nearest(self.unit, UNITS.iter().copied())),
            );
        }
        if !(self.min..=self.max).contains(&self.default) {
            let (min, max) = (plain(self.min), plain(self.max));
            return spot.fail("default", format!("{} is out of range; wants {min} to {max}", plain(self.default)));
        }
        Ok(())
    }
    fn write(&self, out: &mut Toml) {
        out.unless_zero("default", self.default);
        out.unless_zero("min", self.min);
        out.unless("max", self.max, 1.0);
        if self.unit != "1" {
            out.line(format_args!("unit = {}", quoted(self.unit)));
        }
    }
    fn build(&self, _context: &mut SignalContext<'_>) -> Result<SignalSource, SceneError> {
        Ok(SignalSource::Inlet { value: self.default, rest: self.default })
    }
    fn structure(&self) -> String {
        // Its value is live.
        format!("{} {} {}", self.min, self.max, self.unit)
    }
}

#[cfg(feature = "text")]
impl Read for InletDef {
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        let min = node.number_or("min", 0.0)?;
        let word = node.known_word("unit")?.unwrap_or("1");
        Ok(Self {
            // Where 0 is out of range, the nearest end is where it rests.
            default: node.number("default")?.unwrap_or(0.0_f64.max(min).min(node.number_or("max", 1.0)?)),
            min,
            max: node.number_or("max", 1.0)?,
            unit: UNITS.iter().copied().find(|unit| *unit == word).unwrap_or("1"),
        })
    }
}
