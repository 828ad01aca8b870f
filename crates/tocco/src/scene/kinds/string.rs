// SPDX-License-Identifier: MIT OR Apache-2.0
//! The string between two rigid ends.

use super::tap::EarDef;
use super::*;
use crate::resonator::partials::{AFFORDABLE, Board, Partials};
use crate::resonator::waveguide::{DEFAULT_PLACE, HIGHEST, StringParams, Waveguide};

/// The string in scene files.
pub const STRING: Kind = Kind {
    family: "body",
    id: "string",
    doc: "A string between two rigid ends, bowed, plucked or struck anywhere.",
    params: StringParams::SPECS,
    keys: &[Key::new(
        "port",
        KeyType::Map { of: &KeyType::Inside { above: 0.0, below: 1.0 }, min: 0, max: MAX_NODES },
        "Named places, each a number between 0 and 1 (both excluded), measured from the bridge; default one port \"0\" at 0.127.",
    )],
    rules: &[],
};

/// A string between two rigid ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StringDef {
    /// Live parameters.
    pub params: StringParams,
    /// Named places; empty: one port "0" at [`DEFAULT_PLACE`].
    pub ports: Vec<PlaceDef>,
}

/// A named place on a string.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceDef {
    /// Label, unique within the body.
    pub name: String,
    /// Fraction of the length from the bridge, between 0 and 1, both excluded.
    pub place: Real,
}

impl StringDef {
    /// A string whose first partial has this frequency, Hz.
    pub fn new(freq_hz: Real) -> Self {
        Self { params: StringParams { freq_hz, ..StringParams::default() }, ports: Vec::new() }
    }

    /// With a named place, as a fraction of the length from the bridge.
    pub fn port(mut self, name: &str, place: Real) -> Self {
        self.ports.push(PlaceDef { name: name.into(), place });
        self
    }
}

/// What a place on a string must be.
const WANTED: &str = "wants a fraction of its length above 0 and below 1";

/// What is wrong with a place on a string.
pub(in crate::scene) fn beside(place: Real) -> Option<String> {
    if place > 0.0 && place < 1.0 {
        return None;
    }
    Some(match place.is_finite() {
        true => format!("{} is not on the string; {WANTED}", plain(place)),
        false => format!("{} is not a finite number; {WANTED}", plain(place)),
    })
}

impl BodyKind for StringDef {
    fn kind(&self) -> &'static Kind {
        &STRING
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn ports(&self) -> Vec<&str> {
        or_one(self.ports.iter().map(|port| port.name.as_str()).collect())
    }
    fn place(&self, port: usize) -> Option<Vec<Real>> {
        Some(vec![self.ports.get(port).map_or(DEFAULT_PLACE, |port| port.place)])
    }
    fn pitch(&self) -> Option<(&'static Spec, Real)> {
        among(&self.params, "freq_hz")
    }
    fn damping(&self) -> Option<Damping> {
        let (spec, value) = among(&self.params, "q")?;
        Some(Damping { spec, value, quality_at_hz: Some(self.params.freq_hz) })
    }
    fn fundamental_hz(&self, _port: Option<&str>, _rate_hz: Real, now: &dyn Fn(&str) -> Option<Real>) -> Option<Real> {
        now("freq_hz")
    }
    fn radiates(&self) -> bool {
        true
    }
    fn words(&self, _rate_hz: Real) -> String {
        let places: Vec<String> =
            self.ports.iter().map(|port| format!("{} at {}", port.name, short(port.place))).collect();
        let places = if places.is_empty() { String::new() } else { format!("; places {}", places.join(", ")) };
        let p = &self.params;
        format!("string, {} Hz, q {}, {} kg/s{places}", short(p.freq_hz), short(p.q), short(p.impedance_kg_s))
    }
}

impl BuildBody for StringDef {
    fn check(&self, spot: &Spot) -> Check {
        spot.params(&self.params)?;
        spot.ports(self.ports.iter().map(|port| port.name.as_str()))?;
        match self.ports.iter().find_map(|port| Some((port, beside(port.place)?))) {
            Some((port, what)) => spot.within("port").fail(&port.name, what),
            None => Ok(()),
        }
    }
    fn write(&self, out: &mut Toml, at: &str) {
        out.params(&self.params, &[]);
        out.table_unless_empty(&format!("{at}.port"), &self.ports, |port| (&port.name, format!("{:?}", port.place)));
    }
    fn build(&self, context: &mut BodyContext<'_>) -> Result<Box<dyn Resonator>, SceneError> {
        check_pitch(context, self.params.freq_hz)?;
        let places: Vec<Real> = match self.ports.is_empty() {
            true => vec![DEFAULT_PLACE],
            false => self.ports.iter().map(|port| port.place).collect(),
        };
        let (sample_s, touched) = (context.sample_s(), context.has_contact());
        // The rule of resonator/partials.rs.
        Ok(match Partials::count(&self.params, sample_s, AFFORDABLE + 1) <= AFFORDABLE {
            true => Box::new(Partials::heard(self.params, &places, &boards(context)?, sample_s, touched)),
            false if context.ears().next().is_some() => {
                let what = format!(
                    "has more than {AFFORDABLE} partials and is a loop, whose bridge is not known; listen to its motion"
                );
                return context.spot().fail("freq_hz", what);
            }
            false => Box::new(Waveguide::new(self.params, &places, sample_s)),
        })
    }
    fn structure(&self) -> String {
        format!("{:?}", self.ports)
    }
    fn touched_anywhere(&self, _rate_hz: Real) -> Option<Anywhere> {
        Some(Anywhere::Length)
    }
}

/// The boards through which it is heard.
fn boards(context: &BodyContext<'_>) -> Result<Vec<Board>, SceneError> {
    let mut all = Vec::new();
    for (index, tap) in context.ears() {
        all.push(board(&Spot(format!("tap[{index}]")), &tap.ear)?);
    }
    Ok(all)
}

/// The board through which an ear hears a string.
pub(super) fn board(spot: &Spot, ear: &EarDef) -> Result<Board, SceneError> {
    if ear.direction_deg.is_some() {
        return spot.fail("direction_deg", "a board is heard all around; leave it out");
    }
    let Some(size_m) = ear.size_m else {
        return spot.fail("", "a string needs size_m, the radius of the body that it rests on, to radiate");
    };
    Ok(Board { size_m, distance_m: ear.distance_m })
}

/// A string plays at most [`HIGHEST`] of the rate: refused in the scene's own rate, named where another lowers it.
fn check_pitch(context: &mut BodyContext<'_>, freq_hz: Real) -> Check {
    let highest = HIGHEST * context.rate_hz;
    if freq_hz <= highest {
        return Ok(());
    }
    if context.rate_hz < context.def.rate_hz {
        context.omitted.push(format!("{}: its pitch ({freq_hz} Hz; it plays at {highest} Hz)", context.name));
        return Ok(());
    }
    let what = format!("{freq_hz} Hz is above {HIGHEST} of the rate ({highest} Hz); lower it or raise rate_hz");
    context.spot().fail("freq_hz", what)
}

#[cfg(feature = "text")]
impl Read for StringDef {
    fn read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError> {
        let ports = named_ports(node, "a table of name = fraction of the length", lines, |port, at| {
            let place = match port.value.data {
                Data::Number(place) => place,
                Data::Whole(whole) => whole as Real,
                ref other => return fail(at, port.line, format!("found {}; {WANTED}", other.found())),
            };
            match beside(place) {
                Some(what) => fail(at, port.line, what),
                None => Ok(PlaceDef { name: port.key.to_string(), place }),
            }
        })?;
        Ok(Self { params: node.params()?, ports })
    }
}
