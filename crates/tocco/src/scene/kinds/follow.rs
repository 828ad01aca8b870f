// SPDX-License-Identifier: MIT OR Apache-2.0
//! The signal that follows the envelope of a sound.

use super::signal::*;
use super::*;
use crate::signal::follow::{FALL_S, Follower, Levels, RISE_S, calibrate, table};
use crate::signal::{SignalParams, Source as SignalSource};

const SECONDS: KeyType = KeyType::Number { unit: "s", min: 0.0, max: 100.0 };
const LEVEL: KeyType = KeyType::Number { unit: "1", min: 1e-9, max: 1e6 };

/// The envelope of a sound in scene files.
pub const FOLLOW: Kind = Kind {
    family: "signal",
    id: "follow",
    doc: "A signal that follows the envelope of a sound, 0 below its noise floor and 1 at its most: a microphone under a foot.",
    params: SignalParams::SPECS,
    keys: &with_operators::<8, 19>([
        key(
            "input",
            KeyType::Integer { min: 0, max: MAX_CHANNELS as i64 - 1 },
            "Sound that comes in while it is rendered: channel of the input.",
        ),
        key("recording", KeyType::Named(Thing::File), "A recording: file name, relative to the scene."),
        key("at_s", TIME, "Only with recording: when it starts, default 0."),
        key("rise_s", SECONDS, "Time constant with which it rises, default 0.1395 ms."),
        key("fall_s", SECONDS, "Time constant with which it falls, default 9.059 ms."),
        key("floor", LEVEL, "Level below which it is 0, full scale 1; default 34 dB below most."),
        key("most", LEVEL, "Level at which it is 1, full scale 1; default 1, of a recording its own."),
        key(
            "calibrate",
            KeyType::Named(Thing::File),
            "A recording that tells floor and most: what the input sounds like when it is used.",
        ),
    ]),
    rules: &[
        Rule::Some(&["input", "recording"], "needs input or recording: whose envelope?"),
        Rule::AtMostOne(&["input", "recording"]),
        Rule::Beside(&["at_s"], &["recording"], "belongs to a recording; leave it out"),
        ROLL,
        ROLLED,
        GATE,
        EVERY,
    ],
};

/// The envelope of a sound.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowDef {
    /// Whose.
    pub of: FollowOf,
    /// Time constant of a rise, s.
    pub rise_s: Real,
    /// Time constant of a fall, s.
    pub fall_s: Real,
    /// Level below which it is 0.
    pub floor: Option<Real>,
    /// Level at which it is 1.
    pub most: Option<Real>,
    /// A recording that tells both.
    pub calibrate: Option<Sound>,
}

/// Whose envelope is followed.
#[derive(Clone, Debug, PartialEq)]
pub enum FollowOf {
    /// Sound that comes in on a channel.
    Input(usize),
    /// A recording, from a time on, s.
    Recording(Sound, Real),
}

impl SignalKind for FollowDef {
    fn kind(&self) -> &'static Kind {
        &FOLLOW
    }
    fn words(&self) -> String {
        match &self.of {
            FollowOf::Input(channel) => format!("follows input {channel}"),
            FollowOf::Recording(Sound::File(file), _) => format!("follows {file}"),
            FollowOf::Recording(..) => "follows a recording".into(),
        }
    }
    fn recordings_mut(&mut self) -> Vec<(&'static str, &mut Sound)> {
        let own = match &mut self.of {
            FollowOf::Recording(sound, _) => Some(("recording", sound)),
            FollowOf::Input(_) => None,
        };
        own.into_iter().chain(self.calibrate.iter_mut().map(|sound| ("calibrate", sound))).collect()
    }
}

impl BuildSignal for FollowDef {
    fn check(&self, spot: &Spot) -> Check {
        match &self.of {
            FollowOf::Input(channel) => spot.whole(&FOLLOW, "input", i64::try_from(*channel).unwrap_or(-1))?,
            FollowOf::Recording(sound, at_s) => {
                sound.check(spot, "recording")?;
                spot.number(&FOLLOW, "at_s", *at_s)?;
            }
        }
        let levels = [("floor", self.floor), ("most", self.most)];
        let times = [("rise_s", Some(self.rise_s)), ("fall_s", Some(self.fall_s))];
        for (id, value) in levels.into_iter().chain(times).filter_map(|(id, value)| Some((id, value?))) {
            spot.number(&FOLLOW, id, value)?;
        }
        if let (Some(floor), Some(most)) = (self.floor, self.most)
            && floor >= most
        {
            return spot.fail("floor", format!("{} is not below most = {}", plain(floor), plain(most)));
        }
        self.calibrate.as_ref().map_or(Ok(()), |sound| sound.check(spot, "calibrate"))
    }
    fn write(&self, out: &mut Toml) {
        match &self.of {
            FollowOf::Input(channel) => out.line(format_args!("input = {channel}")),
            FollowOf::Recording(sound, at_s) => {
                sound.write(out, "recording");
                out.unless_zero("at_s", *at_s);
            }
        }
        out.unless("rise_s", self.rise_s, RISE_S);
        out.unless("fall_s", self.fall_s, FALL_S);
        self.floor.into_iter().for_each(|floor| out.number("floor", floor));
        self.most.into_iter().for_each(|most| out.number("most", most));
        self.calibrate.iter().for_each(|sound| sound.write(out, "calibrate"));
    }
    fn build(&self, context: &mut SignalContext<'_>) -> Result<SignalSource, SceneError> {
        let samples = |sound: &'_ Sound, id: &str| {
            let recording = sound.samples().or_else(|what| context.spot().fail(id, what))?;
            Ok::<_, SceneError>((recording.rate_hz, recording.data.clone()))
        };
        let own = match &self.of {
            FollowOf::Recording(sound, at_s) => Some((samples(sound, "recording")?, *at_s)),
            FollowOf::Input(_) => None,
        };
        let told = self.calibrate.as_ref().map(|sound| samples(sound, "calibrate")).transpose()?;
        let measured = told.as_ref().or(own.as_ref().map(|(recording, _)| recording));
        let levels = match measured {
            Some((rate_hz, data)) => calibrate(self.rise_s, self.fall_s, data, *rate_hz),
            None => Levels { floor: 0.019_952_623_149_688_8, most: 1.0 },
        };
        let most = self.most.unwrap_or(levels.most);
        let levels = Levels { floor: self.floor.unwrap_or(most * levels.floor / levels.most), most };
        Ok(match own {
            Some(((rate_hz, data), at_s)) => {
                let follower = Follower::new(self.rise_s, self.fall_s, levels, rate_hz);
                SignalSource::Table(table(follower, &data, rate_hz, at_s).into())
            }
            None => {
                let FollowOf::Input(channel) = self.of else { return context.spot().fail("", "follows nothing") };
                context.input = Some(channel);
                let follower = Follower::new(self.rise_s, self.fall_s, levels, context.rate_hz);
                SignalSource::Follow { channel, follower }
            }
        })
    }
    fn structure(&self) -> String {
        let own = match &self.of {
            FollowOf::Input(channel) => format!("input {channel}"),
            FollowOf::Recording(sound, at_s) => format!("{} {at_s}", sound.structure()),
        };
        let told = self.calibrate.as_ref().map(Sound::structure);
        format!("{own} {} {} {:?} {:?} {told:?}", self.rise_s, self.fall_s, self.floor, self.most)
    }
}

#[cfg(feature = "text")]
impl Read for FollowDef {
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        let file = |id: &str| -> Result<Option<Sound>, SceneError> {
            Ok(node.text(id)?.map(|file| Sound::File(file.to_string())))
        };
        let of = match file("recording")? {
            Some(sound) => FollowOf::Recording(sound, node.number_or("at_s", 0.0)?),
            None => FollowOf::Input(node.count("input")?.unwrap_or(0)),
        };
        Ok(Self {
            of,
            rise_s: node.number_or("rise_s", RISE_S)?,
            fall_s: node.number_or("fall_s", FALL_S)?,
            floor: node.number("floor")?,
            most: node.number("most")?,
            calibrate: file("calibrate")?,
        })
    }
}
