// SPDX-License-Identifier: MIT OR Apache-2.0
//! Footstep: noise in bands under an envelope from recordings.

use super::process::*;
use super::*;
use crate::process::Process;
use crate::process::footstep::{Footstep, FootstepBy, FootstepParams, MOST_BANDS, MOST_FRAMES, Prototype};
use crate::process::particles::Resonance;

const SIZE: KeyType = KeyType::Number { unit: "1", min: 0.0, max: 1e6 };
const FRAME: KeyType = KeyType::Number { unit: "s", min: 1e-4, max: 1.0 };
const BAND_HZ: KeyType = KeyType::Number { unit: "Hz", min: 1.0, max: 192_000.0 };
const WIDTH_HZ: KeyType = KeyType::Number { unit: "Hz", min: 0.1, max: 192_000.0 };

/// The footstep in scene files.
pub const FOOTSTEP: Kind = Kind {
    family: "process",
    id: "footstep",
    doc: "Steps as they were recorded: noise in a few bands under an envelope. 'tocco analyse --steps' writes it.",
    params: FootstepParams::SPECS,
    keys: &with_common::<5, 8>([
        key(
            "by",
            KeyType::Word(FootstepBy::WORDS),
            "event (default): a step where the signal rises above the threshold; envelope: the signal is its envelope.",
        ),
        must(
            "bands",
            KeyType::Tables { of: &BAND, min: 1, max: MOST_BANDS },
            "What it sounds like: one to eight bands.",
        ),
        key(
            "envelope",
            KeyType::List { of: &SIZE, min: 1, max: MOST_FRAMES },
            "How loud it is, frame by frame; needed unless by envelope.",
        ),
        key(
            "deviation",
            KeyType::List { of: &SIZE, min: 1, max: MOST_FRAMES },
            "How far recorded steps differ there, as a standard deviation; as long as the envelope.",
        ),
        key("frame_s", FRAME, "Distance of two frames, default 0.005."),
    ]),
    rules: &[],
};

/// One band of a footstep.
pub const BAND: Kind = Kind {
    family: "band",
    id: "",
    doc: "One band of noise, written in the list `bands` of a footstep.",
    params: &[],
    keys: &[
        must("freq_hz", BAND_HZ, "Middle of the band."),
        must("bandwidth_hz", WIDTH_HZ, "Width of the band, between its points 3 dB down."),
        key("gain", GAIN, "Factor in the middle, default 1."),
    ],
    rules: &[],
};

/// Steps by noise and envelope.
#[derive(Clone, Debug, PartialEq)]
pub struct FootstepDef {
    /// Live parameters.
    pub params: FootstepParams,
    /// How the signal makes it.
    pub by: FootstepBy,
    /// What it sounds like.
    pub make: Prototype,
}

impl ProcessKind for FootstepDef {
    fn kind(&self) -> &'static Kind {
        &FOOTSTEP
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn words(&self) -> String {
        let bands = self.make.bands.len();
        match self.by {
            FootstepBy::Envelope => format!("footsteps of {bands} bands by envelope"),
            FootstepBy::Event => {
                let length_s = self.make.frame_s * self.make.envelope.len() as Real;
                format!("footsteps of {bands} bands, {} s", short(length_s))
            }
        }
    }
}

impl BuildProcess for FootstepDef {
    fn check(&self, spot: &Spot, hits: bool) -> Check {
        spot.params(&self.params)?;
        if hits {
            return spot.fail("on", "a footstep sounds by itself; leave it out");
        }
        let Prototype { bands, envelope, deviation, frame_s } = &self.make;
        if bands.is_empty() {
            return spot.fail("bands", "is empty; wants at least one band");
        }
        spot.count("bands", bands.len(), MOST_BANDS, "bands")?;
        for (index, Resonance { freq_hz, bandwidth_hz, gain }) in bands.iter().enumerate() {
            for (id, takes, value) in
                [("freq_hz", BAND_HZ, freq_hz), ("bandwidth_hz", WIDTH_HZ, bandwidth_hz), ("gain", GAIN, gain)]
            {
                spot.takes(&format!("bands[{index}].{id}"), takes, *value)?;
            }
        }
        if envelope.is_empty() && self.by == FootstepBy::Event {
            return spot.fail("", "needs envelope: how loud a step is, frame by frame; or by = \"envelope\"");
        }
        for (id, frames) in [("envelope", envelope), ("deviation", deviation)] {
            spot.count(id, frames.len(), MOST_FRAMES, "frames")?;
            frames.iter().try_for_each(|value| spot.takes(id, SIZE, *value))?;
        }
        if !deviation.is_empty() && deviation.len() != envelope.len() {
            let (has, wants) = (deviation.len(), envelope.len());
            return spot.fail("deviation", format!("has {has} frames and envelope {wants}; give as many"));
        }
        spot.number(&FOOTSTEP, "frame_s", *frame_s)
    }
    fn write(&self, out: &mut Toml) {
        out.params(&self.params, &[]);
        if self.by == FootstepBy::Envelope {
            out.line(format_args!("by = \"{}\"", self.by.word()));
        }
        let one = |r: &Resonance| {
            format!("{{ freq_hz = {:?}, bandwidth_hz = {:?}, gain = {:?} }}", r.freq_hz, r.bandwidth_hz, r.gain)
        };
        let all: Vec<String> = self.make.bands.iter().map(one).collect();
        out.line(format_args!("bands = [{}]", all.join(", ")));
        for (id, frames) in [("envelope", &self.make.envelope), ("deviation", &self.make.deviation)] {
            if !frames.is_empty() {
                out.line(format_args!("{id} = {frames:?}"));
            }
        }
        out.unless("frame_s", self.make.frame_s, FRAME_S);
    }
    fn build(&self, context: &mut ProcessContext<'_>) -> Result<Box<dyn Process>, SceneError> {
        let mut make = self.make.clone();
        make.bands.clear();
        for (index, band) in self.make.bands.iter().enumerate() {
            if context.audible(&format!("bands[{index}].freq_hz"), band.freq_hz * self.params.freq_scale)? {
                make.bands.push(*band);
            }
        }
        Ok(Box::new(Footstep::new(self.params, self.by, make, context.rate_hz, |of| context.rng(of))))
    }
    fn structure(&self) -> String {
        format!("{:?} {:?}", self.by, self.make)
    }
}

/// Distance of two frames unless it is said, s.
const FRAME_S: Real = 0.005;

#[cfg(feature = "text")]
impl Read for FootstepDef {
    fn read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError> {
        let bands = read_tables(node, "bands", &BAND, MOST_BANDS, lines, |table| {
            Ok(Resonance {
                freq_hz: table.needed_number("freq_hz", "a band")?,
                bandwidth_hz: table.needed_number("bandwidth_hz", "a band")?,
                gain: table.number_or("gain", 1.0)?,
            })
        })?;
        let frames = |id: &str| -> Result<Vec<Real>, SceneError> {
            let Some(value) = node.value(id) else { return Ok(Vec::new()) };
            let at = node.place(id);
            let all = list(value, &at, "a list of numbers")?;
            check_count(&at, value.line, all.len(), MOST_FRAMES, "frames")?;
            all.iter().map(|each| number(each, &at, SIZE)).collect()
        };
        Ok(Self {
            params: node.params()?,
            by: node.word("by")?.unwrap_or(FootstepBy::Event),
            make: Prototype {
                bands,
                envelope: frames("envelope")?,
                deviation: frames("deviation")?,
                frame_s: node.number_or("frame_s", FRAME_S)?,
            },
        })
    }
}
