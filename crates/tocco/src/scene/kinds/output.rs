// SPDX-License-Identifier: MIT OR Apache-2.0
//! Outputs: where sound goes.

use super::*;

/// The keys of an output in scene files.
pub const OUTPUT: Kind = Kind {
    family: "output",
    id: "",
    doc: "Where sound goes: channels of the device, limited together when played live, apart from other outputs.",
    params: &[],
    keys: &[
        must(
            "channels",
            KeyType::List { of: &CHANNEL, min: 1, max: MAX_CHANNELS },
            "Channels of the device, from 0, in the order in which taps count them; no two outputs share one.",
        ),
        key("gain", GAIN, "Factor on all that goes there, default 1."),
        key("limiter", KeyType::Flag, "Limit its peaks when played live, default true."),
    ],
    rules: &[],
};

/// A channel of the device.
const CHANNEL: KeyType = KeyType::Integer { min: 0, max: MAX_CHANNELS as i64 - 1 };

/// The output that taps go to unless they say otherwise.
pub const MAIN: &str = "main";

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
        }
    }

    fn write(&self, out: &mut Toml) {
        out.line(format_args!("\n[output.{}]\nchannels = {:?}", bare(&self.name), self.channels));
        out.unless("gain", self.gain, 1.0);
        if !self.limiter {
            out.line(format_args!("limiter = false"));
        }
    }

    #[cfg(feature = "text")]
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
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
        })
    }
}
