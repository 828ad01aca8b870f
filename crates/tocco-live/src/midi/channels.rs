// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the channels of a keyboard have said so far: bends, pedals, pressures, zones. It knows neither voices nor gestures; bytes that
//! become gestures ([`translate`](super::translate)) and bytes that become typed notes ([`notes`](crate::notes)) both ask it.

/// Bend ranges before anyone says otherwise, semitones: of a channel, and of a member of an MPE zone.
const BEND: f64 = 2.0;
const MEMBER_BEND: f64 = 48.0;
/// The sustain pedal is down from here on.
const DOWN: u8 = 64;
/// Controller of the third dimension in MPE.
pub(crate) const SLIDE: u8 = 74;
/// Controller of the sustain pedal.
pub(crate) const PEDAL: u8 = 64;

/// One channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channel {
    /// -1 to 1.
    bend: f64,
    /// Semitones.
    bend_range: f64,
    /// Registered parameter that data bytes go to.
    parameter: Option<(u8, u8)>,
    selecting: [u8; 2],
    /// Last pressure and slide, 0 to 1, for the note to come.
    pub pressure: Option<f64>,
    pub slide: Option<f64>,
    pedal: bool,
}

const CHANNEL: Channel = Channel {
    bend: 0.0,
    bend_range: BEND,
    parameter: None,
    selecting: [127; 2],
    pressure: None,
    slide: None,
    pedal: false,
};

/// What a controller has changed, besides what the scene makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Changed {
    Nothing,
    /// Controller 74 has moved.
    Slide,
    /// Pitches of the channel are others.
    Pitch,
    Pedal,
    /// Bend, pressure, slide and pedal are as at the beginning.
    Reset,
    /// All sound off.
    Silence,
    /// All notes off.
    Release,
}

/// All sixteen, and the zones of MPE.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channels {
    all: [Channel; 16],
    /// Members of the lower zone (master channel 1) and of the upper (master channel 16).
    zones: [u8; 2],
}

impl Channels {
    /// With nothing said; `mpe`: one zone of all channels from the start.
    pub fn new(mpe: bool) -> Self {
        let mut new = Self { all: [CHANNEL; 16], zones: [0, 0] };
        if mpe {
            new.set_zone(0, 15);
        }
        new
    }

    pub fn of(&self, channel: u8) -> &Channel {
        &self.all[usize::from(channel & 15)]
    }

    fn at(&mut self, channel: u8) -> &mut Channel {
        &mut self.all[usize::from(channel & 15)]
    }

    /// True if a channel is a zone's and carries a note each.
    pub fn is_member(&self, channel: u8) -> bool {
        matches!(self.zone_of(channel), Some((_, true)))
    }

    /// The zone of a channel, and whether it is a member (or the master).
    fn zone_of(&self, channel: u8) -> Option<(usize, bool)> {
        let [lower, upper] = self.zones;
        match channel {
            0 if lower > 0 => Some((0, false)),
            15 if upper > 0 => Some((1, false)),
            c if (1..=lower).contains(&c) => Some((0, true)),
            c if c < 15 && upper > 0 && 15 - c <= upper => Some((1, true)),
            _ => None,
        }
    }

    fn set_zone(&mut self, zone: usize, members: u8) {
        self.zones[zone] = members.min(15);
        // The zone that was told last keeps its channels; both masters and 14 members are there at most.
        let other = 1 - zone;
        self.zones[other] = self.zones[other].min(14_u8.saturating_sub(self.zones[zone]));
        for channel in 0..16_u8 {
            let range = if self.is_member(channel) { MEMBER_BEND } else { BEND };
            self.at(channel).bend_range = range;
        }
    }

    /// Bend of a channel with that of its zone's master, semitones.
    pub fn semitones(&self, channel: u8) -> f64 {
        let own = |channel: u8| {
            let channel = self.of(channel);
            channel.bend * channel.bend_range
        };
        match self.zone_of(channel) {
            Some((zone, true)) => own(channel) + own(master(zone)),
            _ => own(channel),
        }
    }

    /// True if a note of a channel, held or not, follows the bend of another: its own, or its zone's master.
    pub fn bends(&self, by: u8, channel: u8, held: bool) -> bool {
        let (zone, theirs) = (self.zone_of(by), self.zone_of(channel));
        let by_master = matches!((zone, theirs), (Some((a, false)), Some((b, true))) if a == b);
        // A member's bend belongs to the note that is held on it.
        by_master || channel == by && (held || !matches!(theirs, Some((_, true))))
    }

    /// True if the pedal of a channel, or of its zone's master, is down.
    pub fn pedal(&self, channel: u8) -> bool {
        let of_zone = self.zone_of(channel).is_some_and(|(zone, _)| self.of(master(zone)).pedal);
        of_zone || self.of(channel).pedal
    }

    /// Pitch bend, 0 to 16383 with 8192 in the middle; what it is from -1 to 1.
    pub fn bend(&mut self, channel: u8, raw: i32) -> f64 {
        // Both ends are reached.
        let bend = f64::from(raw - 8192) / if raw < 8192 { 8192.0 } else { 8191.0 };
        self.at(channel).bend = bend;
        bend
    }

    /// Pressure of a whole channel, 0 to 1.
    pub fn press(&mut self, channel: u8, x: f64) {
        self.at(channel).pressure = Some(x);
    }

    /// A controller that the scene gives no meaning of its own.
    pub fn controller(&mut self, channel: u8, number: u8, value: u8) -> Changed {
        let state = self.at(channel);
        match number {
            SLIDE => {
                state.slide = Some(f64::from(value) / 127.0);
                return Changed::Slide;
            }
            101 | 100 => {
                state.selecting[usize::from(number == 100)] = value;
                let [high, low] = state.selecting;
                state.parameter = ((high, low) != (127, 127)).then_some((high, low));
            }
            98 | 99 => state.parameter = None,
            6 | 38 => return self.enter(channel, number == 6, value),
            PEDAL => {
                state.pedal = value >= DOWN;
                return Changed::Pedal;
            }
            120 => return Changed::Silence,
            121 => {
                (state.bend, state.pressure, state.slide, state.pedal) = (0.0, None, None, false);
                return Changed::Reset;
            }
            // All notes off, and the four modes that imply it.
            123..=127 => return Changed::Release,
            _ => {}
        }
        Changed::Nothing
    }

    /// A data byte for a registered parameter.
    fn enter(&mut self, channel: u8, coarse: bool, value: u8) -> Changed {
        match (self.of(channel).parameter, coarse) {
            (Some((0, 0)), _) => {
                let range = &mut self.at(channel).bend_range;
                *range = if coarse { f64::from(value) } else { range.trunc() + f64::from(value.min(99)) / 100.0 };
                let range = *range;
                // What is said to one member holds for all of its zone.
                if let Some((zone, true)) = self.zone_of(channel) {
                    for other in 0..16_u8 {
                        if self.zone_of(other) == Some((zone, true)) {
                            self.at(other).bend_range = range;
                        }
                    }
                }
                Changed::Pitch
            }
            (Some((0, 6)), true) if channel == 0 => {
                self.set_zone(0, value);
                Changed::Nothing
            }
            (Some((0, 6)), true) if channel == 15 => {
                self.set_zone(1, value);
                Changed::Nothing
            }
            _ => Changed::Nothing,
        }
    }
}

/// Channel of a zone's master.
fn master(zone: usize) -> u8 {
    if zone == 0 { 0 } else { 15 }
}
