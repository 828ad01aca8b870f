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

use super::channels::{Changed, Channels};
use super::map::{Knob, Map, Play, Target};
use release::lifted;
use std::collections::{BTreeMap, VecDeque};
use tocco::Gesture;
use tocco::math;
use tocco::param::{Scale, scaled};

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
    channels: Channels,
    voices: Vec<Option<Sounding>>,
    /// Energy of each voice as last measured, J.
    energies: Vec<f64>,
    /// Keys that are down, or held by the pedal (true), where every key has its own thing to touch.
    down: BTreeMap<(u8, u8), bool>,
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
        Self {
            channels: Channels::new(map.mpe),
            energies: vec![0.0; voices.len()],
            voices,
            down: BTreeMap::new(),
            status: 0,
            data: [0; 2],
            count: 0,
            in_exclusive: false,
            learning: None,
            remarks: VecDeque::new(),
            keys: BTreeMap::new(),
            map,
        }
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
        new.channels = self.channels;
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
        if self.channels.is_member(channel) {
            let state = *self.channels.of(channel);
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
        let bend = if self.map.bend.is_some() { 0.0 } else { self.channels.semitones(sounding.channel) };
        math::pow(2.0, (f64::from(sounding.note) - self.map.reference + bend) / 12.0)
    }

    fn bend(&mut self, channel: u8, raw: i32, gestures: &mut Vec<Gesture>) {
        let bend = self.channels.bend(channel, raw);
        if let Some(knob) = &self.map.bend {
            return self.turn(knob, channel, None, 0.5 + 0.5 * bend, gestures);
        }
        self.retune(channel, gestures);
    }

    /// Tells the voices of a channel, or of the zone whose master it is, their pitch.
    fn retune(&self, channel: u8, gestures: &mut Vec<Gesture>) {
        for (index, voice) in self.voices.iter().enumerate() {
            if voice.is_some_and(|voice| self.channels.bends(channel, voice.channel, voice.held)) {
                self.tune(index, false, gestures);
            }
        }
    }

    fn press(&mut self, channel: u8, note: Option<u8>, x: f64, gestures: &mut Vec<Gesture>) {
        if note.is_none() {
            self.channels.press(channel, x);
        }
        if let Some(knob) = &self.map.pressure {
            self.turn(knob, channel, note, x, gestures);
        }
    }

    /// Moves a control: for the voices of a member channel or of one note alone, else for all.
    fn turn(&self, knob: &Knob, channel: u8, note: Option<u8>, x: f64, gestures: &mut Vec<Gesture>) {
        let member = self.channels.is_member(channel);
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
        match self.channels.controller(channel, number, value) {
            Changed::Nothing => {}
            Changed::Slide => {
                if let Some(knob) = self.map.slide.clone() {
                    self.turn(&knob, channel, None, x, gestures);
                }
            }
            Changed::Pitch => self.retune(channel, gestures),
            Changed::Pedal => self.lift_pedal(gestures),
            Changed::Reset => {
                self.retune(channel, gestures);
                self.lift_pedal(gestures);
            }
            Changed::Silence => {
                self.voices.fill(None);
                self.down.clear();
                gestures.push(Gesture::Hush);
            }
            Changed::Release => self.let_go(|c, _| c == channel, gestures),
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
