// SPDX-License-Identifier: MIT OR Apache-2.0
//! Taps: what is heard.

use super::travel::{CARRIED, LEADS_ALONG, OVER_PORTS, TRAVEL, TravelDef, Way};
use super::*;
use crate::resonator::shape::radiation::Ear;

/// The keys of a tap in scene files.
pub const TAP: Kind = Kind {
    family: "tap",
    id: "",
    doc: "What is heard.",
    params: &[],
    keys: &[
        must("of", KeyType::Named(Thing::Heard), "A body, body.port, contact or process."),
        key("quantity", KeyType::Word(Quantity::WORDS), "What to listen to, default velocity."),
        key("gain", GAIN, "Factor from SI units to full scale, default 1."),
        key(
            "whole",
            KeyType::Flag,
            "Hear a free shape's motion as a whole, too, default false: its swing is below hearing and large.",
        ),
        key(
            "to",
            KeyType::Several { of: &KeyType::Named(Thing::Output), max: MAX_NODES },
            "Outputs it goes to, default main.",
        ),
        key(
            "channel",
            KeyType::Integer { min: 0, max: MAX_CHANNELS as i64 - 1 },
            "Where it goes, counted within the output, default 0.",
        ),
        key(
            "pan_01",
            KeyType::Number { unit: "1", min: 0.0, max: 1.0 },
            "Instead of channel: between channels 0 and 1 of the output at constant power.",
        ),
        key(
            "azimuth_deg",
            KeyType::Number { unit: "degrees", min: -180.0, max: 180.0 },
            "Instead of channel and pan_01: from where the pair of the output hears it, 0 in front, 90 on the right.",
        ),
        key("distance_m", DISTANCE, "Of what is radiated: how far away the ear is, default 1."),
        key(
            "direction_deg",
            KeyType::List { of: &ANGLE, min: 2, max: 2 },
            "Of what is radiated: from where it is heard, by the angle from the body's normal or axis and around it; default the mean of all directions.",
        ),
        key(
            "size_m",
            SIZE,
            "Of what is radiated: the radius of a disc as large as a modal body or a network, or as the body that a string rests on; a mesh may say it, other shapes know theirs.",
        ),
        key(
            "travel",
            KeyType::Table(&TRAVEL),
            "Of a body's motion: way along which the place is carried that is heard; default it stays.",
        ),
    ],
    rules: &[Rule::AtMostOne(&["channel", "pan_01", "azimuth_deg"]), CARRIED, OVER_PORTS],
};

const DISTANCE: KeyType = KeyType::Number { unit: "m", min: 1e-2, max: 1e4 };
const ANGLE: KeyType = KeyType::Number { unit: "degrees", min: -360.0, max: 360.0 };
const SIZE: KeyType = KeyType::Number { unit: "m", min: 1e-3, max: 100.0 };

/// What is heard.
#[derive(Clone, Debug, PartialEq)]
pub struct TapDef {
    /// A site, a contact (force, compression) or a process (sound).
    pub of: String,
    /// Which quantity.
    pub quantity: Quantity,
    /// Factor from SI to full scale.
    pub gain: Real,
    /// With the motion of a free shape as a whole.
    pub whole: bool,
    /// Outputs it goes to, by name; empty: [`MAIN`](super::output::MAIN).
    pub outputs: Vec<String>,
    /// Where within each of them.
    pub to: TapTo,
    /// Where the ear is that hears what is radiated.
    pub ear: EarDef,
    /// The way along which the place is carried that is heard.
    pub travel: Option<TravelDef>,
}

/// Where the ear of a tap is that hears what is radiated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EarDef {
    /// How far away, m.
    pub distance_m: Real,
    /// In which direction, if in one: degrees from the body's normal or axis, and around it.
    pub direction_deg: Option<[Real; 2]>,
    /// Of a body of which only its modes are known: the radius of a disc of its size, m.
    pub size_m: Option<Real>,
}

impl Default for EarDef {
    fn default() -> Self {
        Self { distance_m: 1.0, direction_deg: None, size_m: None }
    }
}

impl EarDef {
    /// From where one listens.
    pub(in crate::scene) fn ear(&self) -> Ear {
        self.direction_deg.map_or(Ear::Around, Ear::Towards)
    }
}

/// Quantities that taps and probes read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// m
    Position,
    /// m/s
    Velocity,
    /// m/s^2
    Acceleration,
    /// N
    Force,
    /// m
    Compression,
    /// Pa at 1 m, of a process that sounds by itself
    Sound,
    /// Pa at an ear
    Radiated,
}

crate::words!(Quantity {
    Position = "position",
    Velocity = "velocity",
    Acceleration = "acceleration",
    Force = "force",
    Compression = "compression",
    Sound = "sound",
    Radiated = "radiated",
});

/// Channels of a tap, counted within its output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TapTo {
    /// One channel.
    Channel(usize),
    /// Channels 0 and 1 with constant power; 0 left, 1 right.
    Pan(Real),
    /// Channels 0 and 1 as the pair of the output hears it from this azimuth, degrees.
    From(Real),
}

impl TapTo {
    /// Channels that the output must have.
    pub fn width(&self) -> usize {
        match self {
            TapTo::Channel(channel) => channel + 1,
            TapTo::Pan(_) | TapTo::From(_) => 2,
        }
    }
}

impl TapDef {
    /// True if it is an ear for this body.
    pub(in crate::scene) fn hears_radiation_of(&self, body: &str) -> bool {
        self.quantity == Quantity::Radiated && super::super::build::body_of(&self.of) == body
    }
}

impl Section for TapDef {
    const KIND: &'static Kind = &TAP;

    fn check(&self, spot: &Spot) -> Check {
        spot.count("to", self.outputs.len(), MAX_NODES, "outputs")?;
        self.outputs.iter().try_for_each(|name| spot.named("to", name))?;
        spot.number(&TAP, "gain", self.gain)?;
        let EarDef { distance_m, direction_deg, size_m } = self.ear;
        let said = [
            ("distance_m", distance_m != 1.0),
            ("direction_deg", direction_deg.is_some()),
            ("size_m", size_m.is_some()),
        ];
        if let Some((id, _)) = said.iter().find(|(_, said)| *said && self.quantity != Quantity::Radiated) {
            return spot.fail(id, "belongs to what is radiated; say quantity = \"radiated\" or leave it out");
        }
        spot.number(&TAP, "distance_m", distance_m)?;
        if let Some(travel) = &self.travel {
            travel.check(spot)?;
            let motion = matches!(self.quantity, Quantity::Position | Quantity::Velocity | Quantity::Acceleration);
            match (&travel.way, &travel.by) {
                _ if !motion => return spot.fail("travel", "belongs to the motion of a body"),
                (Way::Between(..), _) => return spot.fail("travel", LEADS_ALONG),
                (_, None) => return spot.fail("travel", "the way of a tap needs by"),
                _ => {}
            }
        }
        size_m.map_or(Ok(()), |size| spot.number(&TAP, "size_m", size))?;
        direction_deg.iter().flatten().try_for_each(|angle| spot.takes("direction_deg", ANGLE, *angle))?;
        match self.to {
            TapTo::Channel(channel) => spot.whole(&TAP, "channel", i64::try_from(channel).unwrap_or(-1)),
            TapTo::Pan(pan) => spot.number(&TAP, "pan_01", pan),
            TapTo::From(azimuth) => spot.number(&TAP, "azimuth_deg", azimuth),
        }
    }

    fn write(&self, out: &mut Toml) {
        out.line(format_args!("\n[[tap]]\nof = {}", quoted(&self.of)));
        out.line(format_args!("quantity = \"{}\"", self.quantity.word()));
        out.unless("gain", self.gain, 1.0);
        if self.whole {
            out.line(format_args!("whole = true"));
        }
        out.texts("to", self.outputs.iter().map(String::as_str));
        match self.to {
            TapTo::Channel(0) => {}
            TapTo::Channel(channel) => out.line(format_args!("channel = {channel}")),
            TapTo::Pan(pan) => out.number("pan_01", pan),
            TapTo::From(azimuth) => out.number("azimuth_deg", azimuth),
        }
        out.unless("distance_m", self.ear.distance_m, 1.0);
        if let Some(direction) = self.ear.direction_deg {
            out.line(format_args!("direction_deg = {direction:?}"));
        }
        self.ear.size_m.into_iter().for_each(|size| out.number("size_m", size));
        self.travel.iter().for_each(|travel| travel.write(out));
    }

    #[cfg(feature = "text")]
    fn read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError> {
        let to = match (node.number("pan_01")?, node.number("azimuth_deg")?) {
            (Some(pan), _) => TapTo::Pan(pan),
            (None, Some(azimuth)) => TapTo::From(azimuth),
            (None, None) => TapTo::Channel(node.count("channel")?.unwrap_or(0)),
        };
        Ok(Self {
            of: node.needed_text("of")?,
            quantity: node.word("quantity")?.unwrap_or(Quantity::Velocity),
            gain: node.number_or("gain", 1.0)?,
            whole: node.flag("whole")?.unwrap_or(false),
            outputs: node.texts("to", "an output's name in quotes")?,
            to,
            ear: EarDef {
                distance_m: node.number_or("distance_m", 1.0)?,
                direction_deg: node.numbers("direction_deg", ANGLE, "two angles in degrees")?,
                size_m: node.number("size_m")?,
            },
            travel: super::travel::read_travel(node, lines)?,
        })
    }
}
