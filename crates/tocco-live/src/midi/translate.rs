// SPDX-License-Identifier: MIT OR Apache-2.0
//! From MIDI bytes to gestures: a state machine that knows neither a device nor a clock.
//!
//! It follows MIDI 1.0 (running status, real-time bytes anywhere, velocity 0 is a note off) and MPE 1.0: a zone's
//! members carry a note each, with a bend of 48 semitones, pressure and controller 74 of their own; the master's bend
//! adds to theirs. Registered parameter 0 sets a bend range, 6 a zone. What it does not understand it passes over.
//!
//! Which voice is the quietest is measured: the audio half lays out the energies of their bodies, and whoever feeds bytes
//! hands them over first ([`Translator::set_energies`]). Letting a key go damps what it played if the scene says in which time,
//! unless the pedal (controller 64) is down; else it rings on.

mod release;

use super::map::{Knob, Map, Play, Target};
use release::lifted;
use std::collections::{BTreeMap, VecDeque};
use tocco::Gesture;
use tocco::math;
use tocco::param::{Scale, scaled};

/// Bend ranges before anyone says otherwise, semitones: of a channel, and of a member of an MPE zone.
const BEND: f64 = 2.0;
const MEMBER_BEND: f64 = 48.0;
/// Controller of the third dimension in MPE.
const SLIDE: u8 = 74;
/// Controller of the sustain pedal; it is down from here on.
const PEDAL: u8 = 64;
const DOWN: u8 = 64;
/// A voice that was played so short a time ago has not been measured yet, s: a block, the blow itself, a reading of the energies.
const FRESH_S: f64 = 0.05;
/// Controllers that select and enter registered parameters, and the pedal; they are not learnt.
const NOT_LEARNT: [u8; 9] = [6, 38, 64, 96, 97, 98, 99, 100, 101];
/// Controllers from here on are channel modes.
const MODES: u8 = 120;

/// What the next knob or key is to play.
#[derive(Clone, Debug, PartialEq)]
pub struct Learn {
    /// Control or path that a knob will move.
    pub path: String,
    /// Range and knob law of a path; `None`: a control.
    pub range: Option<([f64; 2], Scale)>,
    /// Mass that a key will strike.
    pub mass: Option<String>,
}

#[derive(Clone, Copy, Debug)]
struct Channel {
    /// -1 to 1.
    bend: f64,
    /// Semitones.
    bend_range: f64,
    /// Registered parameter that data bytes go to.
    parameter: Option<(u8, u8)>,
    selecting: [u8; 2],
    /// Last pressure and slide, 0 to 1, for the note to come.
    pressure: Option<f64>,
    slide: Option<f64>,
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

#[derive(Clone, Copy, Debug)]
struct Sounding {
    note: u8,
    channel: u8,
    held: bool,
    /// The pedal holds it though its key is up.
    sustained: bool,
    /// How hard it was last played, and when, s.
    strength: f64,
    since_s: f64,
}

/// The state machine.
pub struct Translator {
    map: Map,
    channels: [Channel; 16],
    voices: Vec<Option<Sounding>>,
    /// Energy of each voice as last measured, J.
    energies: Vec<f64>,
    /// Keys that are down, or held by the pedal (true), where every key has its own thing to touch.
    down: BTreeMap<(u8, u8), bool>,
    /// Members of the lower zone (master channel 1) and of the upper (master channel 16).
    zones: [u8; 2],
    /// Bytes of a message that is not complete: status, and data so far.
    status: u8,
    data: [u8; 2],
    count: usize,
    in_exclusive: bool,
    learning: Option<Learn>,
    /// What was learnt, for people.
    remarks: VecDeque<String>,
    /// Keys that were learnt.
    keys: BTreeMap<u8, String>,
}

impl Translator {
    /// For a map, with nothing sounding.
    pub fn new(map: Map) -> Self {
        let voices = match &map.play {
            Play::Pitch(voices) => vec![None; voices.len()],
            Play::Each(_) => Vec::new(),
        };
        let mut new = Self {
            channels: [CHANNEL; 16],
            energies: vec![0.0; voices.len()],
            voices,
            down: BTreeMap::new(),
            zones: [0, 0],
            status: 0,
            data: [0; 2],
            count: 0,
            in_exclusive: false,
            learning: None,
            remarks: VecDeque::new(),
            keys: BTreeMap::new(),
            map,
        };
        if new.map.mpe {
            new.set_zone(0, 15);
        }
        new
    }

    /// Binds the next controller that moves, or the next key.
    pub fn learn(&mut self, what: Option<Learn>) {
        self.learning = what;
    }

    /// Waits for a controller or key to bind.
    pub fn is_learning(&self) -> bool {
        self.learning.is_some()
    }

    /// The next remark for people: what was learnt, and how to keep it.
    pub fn remark(&mut self) -> Option<String> {
        self.remarks.pop_front()
    }

    /// Another scene: its map, with the keys and zones as they were.
    pub fn exchange(&mut self, map: Map) {
        let mut new = Self::new(map);
        (new.channels, new.zones) = (self.channels, self.zones);
        *self = new;
    }

    /// Bodies of each voice: whose energies are wanted.
    pub fn bodies(&self) -> Vec<Vec<String>> {
        self.map.bodies()
    }

    /// Energies of the voices, J.
    pub fn set_energies(&mut self, energies: impl Iterator<Item = f64>) {
        self.energies.iter_mut().zip(energies).for_each(|(cell, energy)| *cell = energy);
    }

    /// Takes bytes as they come, whole messages or parts of them, at a time in seconds.
    pub fn feed(&mut self, bytes: &[u8], now_s: f64, gestures: &mut Vec<Gesture>) {
        for &byte in bytes {
            match byte {
                0xf8..=0xff => {}
                0xf0 => (self.in_exclusive, self.status, self.count) = (true, 0, 0),
                0xf1..=0xf7 => (self.in_exclusive, self.status, self.count) = (false, 0, 0),
                0x80..=0xef => (self.in_exclusive, self.status, self.count) = (false, byte, 0),
                _ if self.in_exclusive || self.status == 0 => {}
                _ => {
                    self.data[self.count] = byte;
                    self.count += 1;
                    let wanted = if matches!(self.status >> 4, 0xc | 0xd) { 1 } else { 2 };
                    if self.count == wanted {
                        self.count = 0;
                        self.message(now_s, gestures);
                    }
                }
            }
        }
    }

    fn message(&mut self, now_s: f64, gestures: &mut Vec<Gesture>) {
        let (channel, [first, second]) = (self.status & 15, self.data);
        match self.status >> 4 {
            0x8 => self.note_off(channel, first, gestures),
            0x9 if second == 0 => self.note_off(channel, first, gestures),
            0x9 => self.note_on(channel, first, second, now_s, gestures),
            0xa => self.press(channel, Some(first), f64::from(second) / 127.0, gestures),
            0xb => self.controller(channel, first, second, gestures),
            0xd => self.press(channel, None, f64::from(first) / 127.0, gestures),
            0xe => self.bend(channel, i32::from(first) + 128 * i32::from(second), gestures),
            _ => {}
        }
    }

    fn note_on(&mut self, channel: u8, note: u8, velocity: u8, now_s: f64, gestures: &mut Vec<Gesture>) {
        if let Some(mass) = self.learning.as_ref().and_then(|learn| learn.mass.clone()) {
            self.learning = None;
            self.remarks.push_back(format!(
                "key {note} strikes {mass}; to keep it: [midi] notes = \"bodies\", low = {note}, strike = \"{mass}\""
            ));
            self.keys.insert(note, mass);
        }
        let [soft, hard] = self.map.strength;
        let strength = soft * math::pow(hard / soft, f64::from(velocity - 1) / 126.0);
        if let Some(mass) = self.keys.get(&note) {
            gestures.push(Gesture::Strike { body: mass.clone(), velocity_m_s: strength });
            return;
        }
        let [low, high] = self.map.notes;
        if !(low..=high).contains(&note) {
            return;
        }
        if let Play::Each(keys) = &self.map.play {
            let Some(key) = keys.get(usize::from(note - low)) else { return };
            gestures.extend(key.dampers.iter().map(lifted));
            gestures.push(gesture(&key.target, strength));
            self.down.insert((channel, note), false);
            return;
        }
        let Some(index) = self.choose(channel, note, now_s) else { return };
        self.voices[index] = Some(Sounding { note, channel, held: true, sustained: false, strength, since_s: now_s });
        self.tune(index, true, gestures);
        // In MPE the first pressure and slide of a note come before it.
        if self.zone_of(channel).is_some_and(|(_, member)| member) {
            let state = self.channels[usize::from(channel)];
            for (knob, x) in [(&self.map.pressure, state.pressure), (&self.map.slide, state.slide)] {
                if let (Some(knob), Some(x)) = (knob, x) {
                    turn_for(knob, index, x, gestures);
                }
            }
        }
        if let Play::Pitch(voices) = &self.map.play {
            gestures.extend(voices[index].dampers.iter().map(lifted));
            gestures.extend(voices[index].targets.iter().map(|target| gesture(target, strength)));
        }
    }

    fn note_off(&mut self, channel: u8, note: u8, gestures: &mut Vec<Gesture>) {
        self.let_go(|c, n| (c, n) == (channel, note), gestures);
    }

    /// The voice that has this note already, else the quietest.
    fn choose(&self, channel: u8, note: u8, now_s: f64) -> Option<usize> {
        let same = |voice: &Option<Sounding>| voice.is_some_and(|v| (v.channel, v.note) == (channel, note));
        if let Some(index) = self.voices.iter().position(same) {
            return Some(index);
        }
        let loud = |index: usize| match self.voices[index] {
            Some(voice) if now_s - voice.since_s < FRESH_S => (true, voice.strength),
            _ => (false, self.energies[index]),
        };
        let order = |a: (bool, f64), b: (bool, f64)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
        (0..self.voices.len()).min_by(|a, b| order(loud(*a), loud(*b)))
    }

    /// Sends the pitch of a voice: at once before a strike, gliding while it sounds.
    fn tune(&self, index: usize, at_once: bool, gestures: &mut Vec<Gesture>) {
        let (Some(Some(sounding)), Play::Pitch(voices)) = (self.voices.get(index), &self.map.play) else { return };
        let ratio = self.ratio(sounding);
        for tuned in &voices[index].tuned {
            let (path, value) = (tuned.path.clone(), tuned.declared * ratio);
            gestures.push(if at_once { Gesture::Jump { path, value } } else { Gesture::Set { path, value } });
        }
    }

    /// Pitch of a voice over the one declared.
    fn ratio(&self, sounding: &Sounding) -> f64 {
        let bend = if self.map.bend.is_some() { 0.0 } else { self.semitones(sounding.channel) };
        math::pow(2.0, (f64::from(sounding.note) - self.map.reference + bend) / 12.0)
    }

    /// Bend of a channel with that of its zone's master.
    fn semitones(&self, channel: u8) -> f64 {
        let own = |channel: u8| {
            let channel = self.channels[usize::from(channel)];
            channel.bend * channel.bend_range
        };
        match self.zone_of(channel) {
            Some((zone, true)) => own(channel) + own(master(zone)),
            _ => own(channel),
        }
    }

    /// The zone of a channel, and whether it is a member (or the master).
    fn zone_of(&self, channel: u8) -> Option<(usize, bool)> {
        let (lower, upper) = (self.zones[0], self.zones[1]);
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
            let range = if matches!(self.zone_of(channel), Some((_, true))) { MEMBER_BEND } else { BEND };
            self.channels[usize::from(channel)].bend_range = range;
        }
    }

    fn bend(&mut self, channel: u8, raw: i32, gestures: &mut Vec<Gesture>) {
        // 0 to 16383 with 8192 in the middle: both ends are reached.
        let bend = f64::from(raw - 8192) / if raw < 8192 { 8192.0 } else { 8191.0 };
        self.channels[usize::from(channel)].bend = bend;
        if let Some(knob) = &self.map.bend {
            return self.turn(knob, channel, None, 0.5 + 0.5 * bend, gestures);
        }
        self.retune(channel, gestures);
    }

    /// Tells the voices of a channel, or of the zone whose master it is, their pitch.
    fn retune(&self, channel: u8, gestures: &mut Vec<Gesture>) {
        let zone = self.zone_of(channel);
        for (index, voice) in self.voices.iter().enumerate() {
            let Some(voice) = voice else { continue };
            let theirs = self.zone_of(voice.channel);
            let by_master = matches!((zone, theirs), (Some((a, false)), Some((b, true))) if a == b);
            // A member's bend belongs to the note that is held on it.
            let own = voice.channel == channel && (voice.held || !matches!(theirs, Some((_, true))));
            if own || by_master {
                self.tune(index, false, gestures);
            }
        }
    }

    fn press(&mut self, channel: u8, note: Option<u8>, x: f64, gestures: &mut Vec<Gesture>) {
        if note.is_none() {
            self.channels[usize::from(channel)].pressure = Some(x);
        }
        if let Some(knob) = &self.map.pressure {
            self.turn(knob, channel, note, x, gestures);
        }
    }

    /// Moves a control: for the voices of a member channel or of one note alone, else for all.
    fn turn(&self, knob: &Knob, channel: u8, note: Option<u8>, x: f64, gestures: &mut Vec<Gesture>) {
        let member = matches!(self.zone_of(channel), Some((_, true)));
        if !knob.voices.is_empty() && (member || note.is_some()) {
            for (index, voice) in self.voices.iter().enumerate() {
                let mine = |v: &Sounding| v.held && v.channel == channel && note.is_none_or(|note| note == v.note);
                if voice.as_ref().is_some_and(mine) {
                    turn_for(knob, index, x, gestures);
                }
            }
            return;
        }
        let value = knob.range.map_or(x, |([low, high], scale)| scaled(scale, low, high, x));
        gestures.push(Gesture::Set { path: knob.path.clone(), value });
    }

    fn controller(&mut self, channel: u8, number: u8, value: u8, gestures: &mut Vec<Gesture>) {
        let x = f64::from(value) / 127.0;
        if self.learning.is_some() && number < MODES && !NOT_LEARNT.contains(&number) {
            self.bind(number);
        }
        if let Some(knob) = self.map.cc.get(&number) {
            let knob = knob.clone();
            return self.turn(&knob, channel, None, x, gestures);
        }
        let state = &mut self.channels[usize::from(channel)];
        match number {
            SLIDE => {
                state.slide = Some(x);
                if let Some(knob) = self.map.slide.clone() {
                    self.turn(&knob, channel, None, x, gestures);
                }
            }
            101 | 100 => {
                state.selecting[usize::from(number == 100)] = value;
                let [high, low] = state.selecting;
                state.parameter = ((high, low) != (127, 127)).then_some((high, low));
            }
            98 | 99 => state.parameter = None,
            6 | 38 => self.enter(channel, number == 6, value, gestures),
            PEDAL => {
                state.pedal = value >= DOWN;
                self.lift_pedal(gestures);
            }
            120 => {
                self.voices.fill(None);
                self.down.clear();
                gestures.push(Gesture::Hush);
            }
            121 => {
                (state.bend, state.pressure, state.slide, state.pedal) = (0.0, None, None, false);
                self.retune(channel, gestures);
                self.lift_pedal(gestures);
            }
            // All notes off, and the four modes that imply it.
            123..=127 => self.let_go(|c, _| c == channel, gestures),
            _ => {}
        }
    }

    /// A data byte for a registered parameter.
    fn enter(&mut self, channel: u8, coarse: bool, value: u8, gestures: &mut Vec<Gesture>) {
        match (self.channels[usize::from(channel)].parameter, coarse) {
            (Some((0, 0)), _) => {
                let range = &mut self.channels[usize::from(channel)].bend_range;
                *range = if coarse { f64::from(value) } else { range.trunc() + f64::from(value.min(99)) / 100.0 };
                let range = *range;
                // What is said to one member holds for all of its zone.
                if let Some((zone, true)) = self.zone_of(channel) {
                    for other in 0..16_u8 {
                        if self.zone_of(other) == Some((zone, true)) {
                            self.channels[usize::from(other)].bend_range = range;
                        }
                    }
                }
                self.retune(channel, gestures);
            }
            (Some((0, 6)), true) if channel == 0 => self.set_zone(0, value),
            (Some((0, 6)), true) if channel == 15 => self.set_zone(1, value),
            _ => {}
        }
    }

    fn bind(&mut self, number: u8) {
        let Some(learn) = self.learning.take() else { return };
        let line = match learn.range {
            None => format!("[midi] cc = {{ \"{number}\" = \"{}\" }}", learn.path),
            Some(([low, high], scale)) => {
                let law = if scale == Scale::Log { ", scale = \"log\"" } else { "" };
                format!(
                    "[[control]] name = \"cc-{number}\", path = \"{}\", range = [{low:?}, {high:?}]{law}; \
                     [midi] cc = {{ \"{number}\" = \"cc-{number}\" }}",
                    learn.path
                )
            }
        };
        self.remarks.push_back(format!("controller {number} moves {}; to keep it: {line}", learn.path));
        self.map.cc.insert(number, Knob { path: learn.path, range: learn.range, voices: Vec::new() });
    }
}

/// Channel of a zone's master.
fn master(zone: usize) -> u8 {
    if zone == 0 { 0 } else { 15 }
}

fn gesture(target: &Target, strength: f64) -> Gesture {
    match target {
        Target::Strike(mass) => Gesture::Strike { body: mass.clone(), velocity_m_s: strength },
        Target::Hit(site) => Gesture::Hit { site: site.clone(), impulse_n_s: strength },
        Target::Hold(control) => Gesture::Set { path: control.clone(), value: strength },
    }
}

/// Moves what a control moves in one voice; without voices, the control itself.
fn turn_for(knob: &Knob, voice: usize, x: f64, gestures: &mut Vec<Gesture>) {
    match knob.voices.get(voice) {
        Some(all) => gestures.extend(all.iter().map(|own| {
            let value = scaled(own.scale, own.range[0], own.range[1], x);
            Gesture::Set { path: own.path.clone(), value }
        })),
        None => gestures.push(Gesture::Set { path: knob.path.clone(), value: x }),
    }
}
