// SPDX-License-Identifier: MIT OR Apache-2.0
//! MIDI messages from the thread of the sound: as [`midi::translate`](crate::midi::translate) takes them, without its names.
//!
//! Bends, pressures, controllers, the pedal and the zones of MPE are those of the keyboard (`midi::channels`); which voice a note takes
//! is said in [`notes`](super).

use super::{Note, NoteEvent, Notes, Sounding, Turn, Which, turns};
use crate::Player;
use crate::midi::Map;
use crate::midi::channels::Changed;
use crate::midi::map::Knob;
use tocco::param::Scale;
use tocco::{Command, Directory, Timed};

/// What a wheel, a pressure or a controller moves.
#[derive(Clone)]
pub(super) struct Wheel {
    /// All voices at once.
    all: Option<Turn>,
    /// In each voice alone; empty: it cannot be.
    own: Vec<Vec<Turn>>,
}

impl Wheel {
    fn new(directory: &Directory, knob: &Knob) -> Self {
        let own = (0..knob.voices.len()).map(|place| turns(directory, Some(knob), place)).collect();
        let (range, scale) = knob.range.unwrap_or(([0.0, 1.0], Scale::Linear));
        let all = directory.address(&knob.path).ok().map(|address| Turn { address, range, scale });
        Self { all, own }
    }
}

/// What the bytes of a keyboard move besides its keys.
#[derive(Clone)]
pub(super) struct Wheels {
    pub bend: Option<Wheel>,
    pressure: Option<Wheel>,
    slide: Option<Wheel>,
    cc: Vec<(u8, Wheel)>,
}

impl Wheels {
    pub(super) fn new(directory: &Directory, map: &Map) -> Self {
        let wheel = |knob: &Option<Knob>| knob.as_ref().map(|knob| Wheel::new(directory, knob));
        Self {
            bend: wheel(&map.bend),
            pressure: wheel(&map.pressure),
            slide: wheel(&map.slide),
            cc: map.cc.iter().map(|(number, knob)| (*number, Wheel::new(directory, knob))).collect(),
        }
    }
}

impl Notes {
    /// Does what a MIDI message of a channel says, at its sample; others are passed over. False as in [`Notes::play`]. `[audio]`
    pub fn midi(&mut self, [status, first, second]: [u8; 3], at: u64, player: &mut Player) -> bool {
        let (channel, first, second) = (status & 15, first & 127, second & 127);
        let part = f64::from(second) / 127.0;
        let mut taken = true;
        let mut send = |command: Command| taken &= player.push(Timed { at, command }).is_ok();
        match status >> 4 {
            0x9 if second > 0 => {
                let note = Note { id: -1, channel, key: first };
                self.strike(NoteEvent::On { note, velocity_01: part, tuning: 0.0 }, at, &mut send);
            }
            0x8 | 0x9 => {
                self.let_up(Which { channel: Some(channel), key: Some(first), id: None }, &mut send);
            }
            0xa => self.turn(|wheels| wheels.pressure.as_ref(), channel, Some(first), part, &mut send),
            0xb => self.controller(channel, first, second, &mut send),
            0xd => {
                let part = f64::from(first) / 127.0;
                self.channels.press(channel, part);
                self.turn(|wheels| wheels.pressure.as_ref(), channel, None, part, &mut send);
            }
            0xe => {
                let bend = self.channels.bend(channel, i32::from(first) + 128 * i32::from(second));
                match self.wheels.bend {
                    Some(_) => self.turn(|wheels| wheels.bend.as_ref(), channel, None, 0.5 + 0.5 * bend, &mut send),
                    None => self.retune(channel, &mut send),
                }
            }
            _ => {}
        }
        taken
    }

    /// A note with what its channel said before it: in MPE the first pressure and slide of a note come first.
    pub(super) fn strike(&mut self, event: NoteEvent, at: u64, send: &mut dyn FnMut(Command)) {
        let NoteEvent::On { note, velocity_01, tuning } = event else { return };
        let Some(index) = self.choose(note) else { return };
        if self.channels.is_member(note.channel) {
            let state = self.channels.of(note.channel);
            for (wheel, x) in [(&self.wheels.pressure, state.pressure), (&self.wheels.slide, state.slide)] {
                if let (Some(wheel), Some(x)) = (wheel, x) {
                    let own = wheel.own.get(index).map_or(&[][..], Vec::as_slice);
                    own.iter().for_each(|turn| send(turn.command(x)));
                    if wheel.own.is_empty() {
                        wheel.all.iter().for_each(|turn| send(turn.command(x)));
                    }
                }
            }
        }
        self.begin(index, note, velocity_01, tuning, at, send);
    }

    /// Keys go up: what no pedal holds is let go.
    pub(super) fn let_up(&mut self, which: Which, send: &mut dyn FnMut(Command)) {
        self.each(which, |notes, index| {
            let Sounding { note: Some(note), held: true, .. } = notes.sounding[index] else { return };
            notes.turns += 1;
            let sustained = notes.channels.pedal(note.channel);
            let (turn, sounding) = (notes.turns, &mut notes.sounding[index]);
            (sounding.held, sounding.sustained, sounding.turn) = (false, sustained, turn);
            if !sustained {
                notes.release(index, send);
            }
        });
    }

    /// A pedal has gone up: what only it held is let go.
    fn lift_pedal(&mut self, send: &mut dyn FnMut(Command)) {
        self.each(Which::default(), |notes, index| {
            let Sounding { note: Some(note), sustained: true, .. } = notes.sounding[index] else { return };
            if !notes.channels.pedal(note.channel) {
                notes.sounding[index].sustained = false;
                notes.release(index, send);
            }
        });
    }

    fn retune(&mut self, by: u8, send: &mut dyn FnMut(Command)) {
        self.each(Which::default(), |notes, index| {
            let Sounding { note: Some(note), held, .. } = notes.sounding[index] else { return };
            if notes.channels.bends(by, note.channel, held) {
                notes.tune(index, send);
            }
        });
    }

    /// Moves a wheel: for the notes held on a member channel, or for one key, alone; else for all.
    fn turn(
        &self,
        wheel: impl FnOnce(&Wheels) -> Option<&Wheel>,
        channel: u8,
        key: Option<u8>,
        x: f64,
        send: &mut dyn FnMut(Command),
    ) {
        let Some(wheel) = wheel(&self.wheels) else { return };
        if wheel.own.is_empty() || !(self.channels.is_member(channel) || key.is_some()) {
            return wheel.all.iter().for_each(|turn| send(turn.command(x)));
        }
        let mine = |note: Note| note.channel == channel && key.is_none_or(|key| key == note.key);
        for (own, sounding) in wheel.own.iter().zip(&self.sounding) {
            if sounding.held && sounding.note.is_some_and(mine) {
                own.iter().for_each(|turn| send(turn.command(x)));
            }
        }
    }

    fn controller(&mut self, channel: u8, number: u8, value: u8, send: &mut dyn FnMut(Command)) {
        let x = f64::from(value) / 127.0;
        if let Some(found) = self.wheels.cc.iter().position(|(cc, _)| *cc == number) {
            return self.turn(|wheels| Some(&wheels.cc[found].1), channel, None, x, send);
        }
        match self.channels.controller(channel, number, value) {
            Changed::Nothing => {}
            Changed::Slide => self.turn(|wheels| wheels.slide.as_ref(), channel, None, x, send),
            Changed::Pitch => self.retune(channel, send),
            Changed::Pedal => self.lift_pedal(send),
            Changed::Reset => {
                self.retune(channel, send);
                self.lift_pedal(send);
            }
            Changed::Silence => {
                for sounding in &mut self.sounding {
                    // What choked it is still set, and the next note lifts it.
                    let choked = sounding.choked;
                    let before = std::mem::replace(sounding, Sounding { choked, ..Sounding::default() });
                    if let Some(note) = before.going_on() {
                        self.ended.push(note);
                    }
                }
                send(Command::Hush);
            }
            Changed::Release => self.let_up(Which { channel: Some(channel), ..Which::default() }, send),
        }
    }
}
