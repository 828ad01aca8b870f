// SPDX-License-Identifier: MIT OR Apache-2.0
//! Outputs: where sound goes, how far away that is, and the room around it.

use super::*;
use crate::output::air::Air;
use crate::output::crossover::Band;
use crate::output::floor::FloorMake;
use crate::output::pair::PairMake;
use crate::output::room::{
    BANDS, MOST_ABSORPTION, MOST_CHANNELS, MOST_RATIO, RoomMake, decay_by_absorption, shortest_s,
};
use crate::output::shelves::Bands;
use crate::output::{RoomParams, SpaceMake, WayParams};

/// The keys of an output in scene files.
pub const OUTPUT: Kind = Kind {
    family: "output",
    id: "",
    doc: "Where sound goes: channels of the device, limited together when played live, apart from other outputs.",
    params: WayParams::SPECS,
    keys: &[
        must(
            "channels",
            KeyType::List { of: &CHANNEL, min: 1, max: MAX_CHANNELS },
            "Channels of the device, from 0, in the order in which taps count them; no two outputs share one.",
        ),
        key("gain", GAIN, "Factor on all that goes there, default 1."),
        key("limiter", KeyType::Flag, "Limit its peaks when played live, default true."),
        key("room", KeyType::Table(&ROOM), "The room in which it is heard; without, none."),
        key("floor", KeyType::Table(&FLOOR), "Noise that is always there, on each channel its own; without, silence."),
        key(
            "pair",
            KeyType::Table(&PAIR),
            "What hears the taps that say azimuth_deg, on its first two channels: a head, or two microphones.",
        ),
        key(
            "temperature_c",
            KeyType::Number { unit: "C", min: -40.0, max: 60.0 },
            "Temperature of the air, default 20.",
        ),
        key("humidity_01", KeyType::Number { unit: "1", min: 0.0, max: 1.0 }, "Its relative humidity, default 0.5."),
        key(
            "highpass_hz",
            EDGE,
            "What lies below is left out: 6 dB down here, 24 dB per octave; with lowpass_hz of another output a crossover.",
        ),
        key("lowpass_hz", EDGE, "What lies above is left out: 6 dB down here, 24 dB per octave."),
        key(
            "band_hz",
            KeyType::List { of: &EDGE, min: 2, max: 2 },
            "[lowest, highest], Hz: both at once, for a shaker or a loudspeaker that has a band of its own; an output called haptic that says none has 40 to 800 Hz.",
        ),
    ],
    rules: &[
        Rule::Beside(
            &["temperature_c", "humidity_01"],
            &["room", "distance_m", "pair"],
            "belongs to an output with a room, a distance or a pair; leave it out",
        ),
        Rule::AtMostOne(&["band_hz", "highpass_hz"]),
        Rule::AtMostOne(&["band_hz", "lowpass_hz"]),
    ],
};

/// The floor of an output in scene files.
pub const FLOOR: Kind = Kind {
    family: "floor",
    id: "",
    doc: "Noise that is always there, written as `floor` in an output: the background of a room, a tape, a street.",
    params: &[],
    keys: &[
        must(
            "level_db",
            KeyType::Number { unit: "dB", min: -200.0, max: 0.0 },
            "rms of each channel against full scale; quiet rooms are recorded at -80 to -60.",
        ),
        key(
            "beta",
            KeyType::Number { unit: "1", min: 0.0, max: 2.0 },
            "Exponent of its spectrum 1/f^beta: 0 white, 1 pink (default), 2 Brownian.",
        ),
        key(
            "first_hz",
            KeyType::Number { unit: "Hz", min: 0.1, max: 1e3 },
            "Below this frequency the spectrum is flat, default 20; at most a hundredth of the rate.",
        ),
    ],
    rules: &[],
};

/// The pair that hears an output in scene files.
pub const PAIR: Kind = Kind {
    family: "pair",
    id: "",
    doc: "Two ears or two microphones, written as `pair` in an output: what stands to one side is heard there sooner and louder.",
    params: &[],
    keys: &[
        must("of", KeyType::Word(PAIRS), "What hears."),
        key("radius_m", KeyType::Number { unit: "m", min: 0.03, max: 0.3 }, "Of a head: its radius, default 0.0875."),
        key(
            "spacing_m",
            KeyType::Number { unit: "m", min: 0.0, max: 3.0 },
            "Of microphones: from one to the other, default 0.17; 0 is one place.",
        ),
        key(
            "angle_deg",
            KeyType::Number { unit: "degrees", min: 0.0, max: 180.0 },
            "Of microphones: between their axes, default 110.",
        ),
        key(
            "pattern_01",
            KeyType::Number { unit: "1", min: 0.0, max: 0.5 },
            "Of microphones: 0 hears all around, 0.5 is a cardioid (default); both channels then add up in mono.",
        ),
    ],
    rules: &[
        Rule::Only { choice: "of", word: "head", ids: &["radius_m"], what: "belongs to a head; leave it out" },
        Rule::Only {
            choice: "of",
            word: "microphones",
            ids: &["spacing_m", "angle_deg", "pattern_01"],
            what: "belongs to microphones; leave it out",
        },
    ],
};

const PAIRS: &[&str] = &["head", "microphones"];

/// Where a band may end.
const EDGE: KeyType = KeyType::Number { unit: "Hz", min: 1.0, max: 192_000.0 };

/// The keys of a room in scene files.
pub const ROOM: Kind = Kind {
    family: "room",
    id: "",
    doc: "A small room, written as `room` in an output: reflections off its walls, then a tail that dies as told.",
    params: RoomParams::SPECS,
    keys: &[
        must("volume_m3", KeyType::Number { unit: "m3", min: 1.0, max: 1e4 }, "How large it is."),
        key(
            "t60_s",
            KeyType::Either(&[T60, KeyType::List { of: &T60, min: BANDS - 1, max: BANDS }]),
            "Time in which sound falls by 60 dB: one, or one for each octave band 125, 250, 500, 1000, 2000, 4000 and, if given, 8000 Hz.",
        ),
        key(
            "absorption_01",
            KeyType::Either(&[ABSORPTION, KeyType::List { of: &ABSORPTION, min: BANDS - 1, max: BANDS }]),
            "Part of the energy that walls swallow, instead of t60_s: one, or one for each octave band.",
        ),
    ],
    rules: &[Rule::OneOf(&["t60_s", "absorption_01"])],
};

const T60: KeyType = KeyType::Number { unit: "s", min: 0.03, max: 20.0 };
const ABSORPTION: KeyType = KeyType::Number { unit: "1", min: 0.01, max: MOST_ABSORPTION };

/// A channel of the device.
const CHANNEL: KeyType = KeyType::Integer { min: 0, max: MAX_CHANNELS as i64 - 1 };

/// The output that taps go to unless they say otherwise.
pub const MAIN: &str = "main";
/// The output that is felt.
pub const FELT: &str = "haptic";
/// Its band unless it says another, Hz: where the skin of hands and soles feels vibration.
pub const FELT_HZ: [Real; 2] = [40.0, 800.0];

/// Where sound goes: some channels of the device, limited together.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputDef {
    /// Unique among outputs.
    pub name: String,
    /// Channels of the device, in the order in which taps count them.
    pub channels: Vec<usize>,
    /// Factor on all that goes there.
    pub gain: Real,
    /// True if its peaks are limited when it is played live, apart from those of other outputs.
    pub limiter: bool,
    /// The room in which it is heard.
    pub room: Option<RoomDef>,
    /// How far away it is; `None`: as the taps say.
    pub way: Option<WayParams>,
    /// The air of room and way.
    pub air: Air,
    /// What of it is given to its channels.
    pub band: Band,
    /// Noise that is always there.
    pub floor: Option<FloorDef>,
    /// What hears the taps that say from where.
    pub pair: Option<PairMake>,
}

/// Noise that is always there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloorDef {
    /// rms of each channel against full scale, dB.
    pub level_db: Real,
    /// Exponent of its spectrum.
    pub beta: Real,
    /// Flat below, Hz.
    pub first_hz: Real,
}

impl OutputDef {
    /// An output over these channels, limited, with neither room nor distance.
    pub fn new(name: &str, channels: &[usize]) -> Self {
        let (name, channels) = (name.into(), channels.to_vec());
        Self {
            name,
            channels,
            gain: 1.0,
            limiter: true,
            room: None,
            way: None,
            air: Air::default(),
            band: Band::default(),
            floor: None,
            pair: None,
        }
    }

    /// Its band; that of an output called `haptic` which says none is [`FELT_HZ`].
    pub fn band(&self) -> Band {
        match self.band.is_open() && self.name == FELT {
            true => Band { highpass_hz: Some(FELT_HZ[0]), lowpass_hz: Some(FELT_HZ[1]) },
            false => self.band,
        }
    }

    /// What lies between its taps and its channels, if anything does.
    pub(in crate::scene) fn space(&self, seed: u64) -> Option<SpaceMake> {
        let room = self.room.as_ref().map(|room| (room.make(self.air), room.params));
        let (way, air, band) = (self.way, self.air, self.band());
        let floor = self.floor.map(|FloorDef { level_db, beta, first_hz }| {
            // Of its own for every output.
            let seed = crate::hash::bytes(crate::hash::START ^ seed, self.name.as_bytes());
            FloorMake { level_db, beta, first_hz, seed }
        });
        let any = room.is_some() || way.is_some() || !band.is_open() || floor.is_some();
        any.then_some(SpaceMake { room, way, air, band, floor })
    }

    /// The same but for live values: spaces alike in this are the same space.
    pub(in crate::scene) fn structure(&self, seed: u64) -> Option<String> {
        let SpaceMake { room, way, air, band, floor } = self.space(seed)?;
        Some(format!("{:?} {} {air:?} {band:?} {floor:?}", room.map(|(make, _)| make), way.is_some()))
    }
}

impl OutputDef {
    fn check_pair(&self, spot: &Spot) -> Check {
        let Some(pair) = self.pair else { return Ok(()) };
        let spot = spot.within("pair");
        if self.channels.len() < 2 {
            return spot.fail("", "needs two channels; this output has one");
        }
        match pair {
            PairMake::Head { radius_m } => spot.number(&PAIR, "radius_m", radius_m),
            PairMake::Microphones { spacing_m, angle_deg, pattern_01 } => {
                spot.number(&PAIR, "spacing_m", spacing_m)?;
                spot.number(&PAIR, "angle_deg", angle_deg)?;
                spot.number(&PAIR, "pattern_01", pattern_01)
            }
        }
    }
}

/// A room around an output.
#[derive(Clone, Debug, PartialEq)]
pub struct RoomDef {
    /// m3
    pub volume_m3: Real,
    /// How fast sound dies in it.
    pub decay: RoomDecay,
    /// Live parameters.
    pub params: RoomParams,
}

/// How fast sound dies in a room; one value for all octave bands, or one for each from 125 Hz to 4 or 8 kHz.
#[derive(Clone, Debug, PartialEq)]
pub enum RoomDecay {
    /// Times to fall by 60 dB, s.
    Times(Vec<Real>),
    /// Parts of the energy that walls swallow, 0 to 1.
    Absorption(Vec<Real>),
}

impl RoomDef {
    pub(in crate::scene) fn make(&self, air: Air) -> RoomMake {
        let bands = |values: &[Real]| -> Bands {
            let value = |band: usize| values.get(band).or(values.last()).copied();
            core::array::from_fn(|band| value(band).unwrap_or(1.0))
        };
        let t60_s = match &self.decay {
            RoomDecay::Times(times) => bands(times),
            RoomDecay::Absorption(parts) => decay_by_absorption(self.volume_m3, &bands(parts), air),
        };
        RoomMake { volume_m3: self.volume_m3, t60_s, air }
    }

    fn values(&self) -> (&'static str, KeyType, &[Real]) {
        match &self.decay {
            RoomDecay::Times(times) => ("t60_s", T60, times),
            RoomDecay::Absorption(parts) => ("absorption_01", ABSORPTION, parts),
        }
    }

    fn check(&self, spot: &Spot, air: Air) -> Check {
        let spot = spot.within("room");
        spot.params(&self.params)?;
        spot.number(&ROOM, "volume_m3", self.volume_m3)?;
        let (id, takes, values) = self.values();
        if ![1, BANDS - 1, BANDS].contains(&values.len()) {
            let what = format!("has {} values; give one, {} or {BANDS}", values.len(), BANDS - 1);
            return spot.fail(id, what);
        }
        values.iter().try_for_each(|value| spot.takes(id, takes, *value))?;
        let (times, shortest_s) = (self.make(air).t60_s, shortest_s(self.volume_m3, air));
        if let (RoomDecay::Times(_), Some(time_s)) = (&self.decay, times.iter().find(|time_s| **time_s < shortest_s)) {
            let (time_s, shortest_s, volume) = (plain(*time_s), short(shortest_s), plain(self.volume_m3));
            return spot.fail(
                id,
                format!("{time_s} s is less than walls around {volume} m3 can do; wants {shortest_s} s or more"),
            );
        }
        match values.windows(2).find(|pair| !(1.0 / MOST_RATIO..=MOST_RATIO).contains(&(pair[1] / pair[0]))) {
            Some(pair) => {
                let (one, next) = (short(pair[0]), short(pair[1]));
                let what =
                    format!("from {one} to {next} in one octave is too steep; wants a factor of {MOST_RATIO} at most");
                spot.fail(id, what)
            }
            None => Ok(()),
        }
    }

    fn write(&self, out: &mut Toml) {
        let (id, _, values) = self.values();
        let values = if let [one] = values { format!("{one:?}") } else { format!("{values:?}") };
        let (volume, wet) = (self.volume_m3, self.params.wet_01);
        out.line(format_args!("room = {{ volume_m3 = {volume:?}, {id} = {values}, wet_01 = {wet:?} }}"));
    }

    #[cfg(feature = "text")]
    fn read(output: &Node<'_, '_>, lines: &mut Lines) -> Result<Option<Self>, SceneError> {
        if output.entry("room").is_none() {
            return Ok(None);
        }
        let node = output.within("room", &ROOM, "{ volume_m3, t60_s or absorption_01, wet_01 }", lines)?;
        let values = |id: &str, takes: KeyType| -> Result<Vec<Real>, SceneError> {
            let (at, wanted) = (node.place(id), "a number, or a list with one for each octave band");
            match node.value(id) {
                Some(value) if matches!(value.data, Data::List(_)) => {
                    list(value, &at, wanted)?.iter().map(|value| number(value, &at, takes)).collect()
                }
                Some(value) => Ok(vec![number(value, &at, takes)?]),
                None => Ok(Vec::new()),
            }
        };
        let decay = match node.one_of(&["t60_s", "absorption_01"])? {
            "t60_s" => RoomDecay::Times(values("t60_s", T60)?),
            _ => RoomDecay::Absorption(values("absorption_01", ABSORPTION)?),
        };
        Ok(Some(Self { volume_m3: node.needed_number("volume_m3", "a room")?, decay, params: node.params()? }))
    }
}

impl Section for OutputDef {
    const KIND: &'static Kind = &OUTPUT;

    fn check(&self, spot: &Spot) -> Check {
        if self.channels.is_empty() || self.channels.len() > MAX_CHANNELS {
            let what = format!("has {} channels; give 1 to {MAX_CHANNELS}", self.channels.len());
            return spot.fail("channels", what);
        }
        match self.channels.iter().find(|channel| **channel >= MAX_CHANNELS) {
            Some(channel) => {
                spot.fail("channels", format!("there is no channel {channel}; they go from 0 to {}", MAX_CHANNELS - 1))
            }
            None => spot.number(&OUTPUT, "gain", self.gain),
        }?;
        let Air { temperature_c, humidity_01 } = self.air;
        spot.number(&OUTPUT, "temperature_c", temperature_c)?;
        spot.number(&OUTPUT, "humidity_01", humidity_01)?;
        self.way.as_ref().map_or(Ok(()), |way| spot.params(way))?;
        let Band { highpass_hz, lowpass_hz } = self.band;
        for (id, edge_hz) in [("highpass_hz", highpass_hz), ("lowpass_hz", lowpass_hz)] {
            edge_hz.map_or(Ok(()), |edge_hz| spot.number(&OUTPUT, id, edge_hz))?;
        }
        if let (Some(low), Some(high)) = (highpass_hz, lowpass_hz)
            && low >= high
        {
            let what =
                format!("ends at {} Hz, below its beginning at {} Hz; give [lowest, highest]", short(high), short(low));
            return spot.fail("band_hz", what);
        }
        if let Some(FloorDef { level_db, beta, first_hz }) = self.floor {
            let spot = spot.within("floor");
            spot.number(&FLOOR, "level_db", level_db)?;
            spot.number(&FLOOR, "beta", beta)?;
            spot.number(&FLOOR, "first_hz", first_hz)?;
        }
        self.check_pair(spot)?;
        let Some(room) = &self.room else { return Ok(()) };
        if self.channels.len() > MOST_CHANNELS {
            let what = format!(
                "an output of {} channels is too wide for a room; at most {MOST_CHANNELS}",
                self.channels.len()
            );
            return spot.fail("room", what);
        }
        room.check(spot, self.air)
    }

    fn write(&self, out: &mut Toml) {
        out.line(format_args!("\n[output.{}]\nchannels = {:?}", bare(&self.name), self.channels));
        out.unless("gain", self.gain, 1.0);
        if !self.limiter {
            out.line(format_args!("limiter = false"));
        }
        self.room.iter().for_each(|room| room.write(out));
        self.way.iter().for_each(|way| out.number("distance_m", way.distance_m));
        if let Some(FloorDef { level_db, beta, first_hz }) = self.floor {
            out.line(format_args!("floor = {{ level_db = {level_db:?}, beta = {beta:?}, first_hz = {first_hz:?} }}"));
        }
        match self.pair {
            None => {}
            Some(PairMake::Head { radius_m }) => {
                out.line(format_args!("pair = {{ of = \"head\", radius_m = {radius_m:?} }}"));
            }
            Some(PairMake::Microphones { spacing_m, angle_deg, pattern_01 }) => out.line(format_args!(
                "pair = {{ of = \"microphones\", spacing_m = {spacing_m:?}, angle_deg = {angle_deg:?}, pattern_01 = {pattern_01:?} }}"
            )),
        }
        if self.room.is_some() || self.way.is_some() || self.pair.is_some() {
            out.unless("temperature_c", self.air.temperature_c, Air::default().temperature_c);
            out.unless("humidity_01", self.air.humidity_01, Air::default().humidity_01);
        }
        match self.band {
            Band { highpass_hz: Some(low), lowpass_hz: Some(high) } => {
                out.line(format_args!("band_hz = [{low:?}, {high:?}]"));
            }
            Band { highpass_hz, lowpass_hz } => {
                highpass_hz.into_iter().for_each(|hz| out.number("highpass_hz", hz));
                lowpass_hz.into_iter().for_each(|hz| out.number("lowpass_hz", hz));
            }
        }
    }

    #[cfg(feature = "text")]
    fn read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError> {
        let (at, wanted) = (node.place("channels"), "a list of channels of the device, from 0");
        let Some(value) = node.value("channels") else { return node.fail("", format!("needs channels: {wanted}")) };
        let takes = KeyType::Number { unit: "1", min: 0.0, max: MAX_CHANNELS as Real - 1.0 };
        let channel = |value: &Value<'_>| match number(value, &at, takes)? {
            channel if channel == channel.trunc() => Ok(channel as usize),
            channel => fail(&*at, value.line, format!("{} is no channel; wants a whole number", plain(channel))),
        };
        Ok(Self {
            // The name stands before the table.
            name: String::new(),
            channels: list(value, &at, wanted)?.iter().map(channel).collect::<Result<_, _>>()?,
            gain: node.number_or("gain", 1.0)?,
            limiter: node.flag("limiter")?.unwrap_or(true),
            room: RoomDef::read(node, lines)?,
            way: node.entry("distance_m").map(|_| node.params()).transpose()?,
            air: Air {
                temperature_c: node.number_or("temperature_c", Air::default().temperature_c)?,
                humidity_01: node.number_or("humidity_01", Air::default().humidity_01)?,
            },
            band: match node.numbers("band_hz", EDGE, "[lowest, highest] in Hz")? {
                Some([low, high]) => Band { highpass_hz: Some(low), lowpass_hz: Some(high) },
                None => Band { highpass_hz: node.number("highpass_hz")?, lowpass_hz: node.number("lowpass_hz")? },
            },
            floor: read_floor(node, lines)?,
            pair: read_pair(node, lines)?,
        })
    }
}

#[cfg(feature = "text")]
fn read_floor(output: &Node<'_, '_>, lines: &mut Lines) -> Result<Option<FloorDef>, SceneError> {
    if output.entry("floor").is_none() {
        return Ok(None);
    }
    let node = output.within("floor", &FLOOR, "a table such as { level_db = -70 }", lines)?;
    Ok(Some(FloorDef {
        level_db: node.needed_number("level_db", "a floor")?,
        beta: node.number_or("beta", 1.0)?,
        first_hz: node.number_or("first_hz", 20.0)?,
    }))
}

#[cfg(feature = "text")]
fn read_pair(output: &Node<'_, '_>, lines: &mut Lines) -> Result<Option<PairMake>, SceneError> {
    if output.entry("pair").is_none() {
        return Ok(None);
    }
    let node = output.within("pair", &PAIR, "a table such as { of = \"head\" }", lines)?;
    Ok(Some(match node.known_word("of")? {
        Some("microphones") => PairMake::Microphones {
            spacing_m: node.number_or("spacing_m", 0.17)?,
            angle_deg: node.number_or("angle_deg", 110.0)?,
            pattern_01: node.number_or("pattern_01", 0.5)?,
        },
        _ => PairMake::Head { radius_m: node.number_or("radius_m", 0.0875)? },
    }))
}
