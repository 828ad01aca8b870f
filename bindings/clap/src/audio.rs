// SPDX-License-Identifier: MIT OR Apache-2.0
//! The audio half in a host: events to their samples, blocks of any size, one scene after another without a gap.
//!
//! Nothing here allocates, locks or frees: what has faded out goes back to the main thread.

use crate::knobs::Knob;
use crate::main_thread::Main;
use crate::studio::Wish;
use clack_extensions::params::PluginAudioProcessorParams;
use clack_extensions::tail::{PluginTailImpl, TailLength};
use clack_plugin::events::event_types::{NoteEndEvent, NoteExpressionType};
use clack_plugin::events::spaces::CoreEventSpace;
use clack_plugin::events::{Match, Pckn};
use clack_plugin::prelude::*;
use rtrb::{Consumer, Producer};
use std::sync::Arc;
use tocco::{Command, Timed};
use tocco_live::notes::{Note, NoteEvent, Which};
use tocco_live::{METERS, Notes, Player};

/// The scene before fades out in this time, s.
const FADE_S: f64 = 0.01;
/// The main thread is asked to look so often, s: levels and what is to be freed wait for it.
const LOOK_S: f64 = 0.25;
/// Frames that are made at once.
const CHUNK: usize = 1024;
/// Most channels of a scene.
const CHANNELS: usize = 64;

/// A scene that plays, as the audio thread has it.
pub struct Rig {
    /// Number of the scene; the desk that belongs to it has the same.
    pub serial: u64,
    /// The host has to be stopped and started before it may list its knobs.
    pub other_knobs: bool,
    /// The audio half.
    pub player: Player,
    /// Its notes.
    pub notes: Notes,
    /// Its knobs, sorted by number.
    pub knobs: Vec<Knob>,
    /// The engine's channel of each channel of each port.
    pub ports: Vec<Vec<usize>>,
}

impl Rig {
    fn now(&self) -> u64 {
        self.player.engine().tick()
    }

    fn note(&mut self, event: NoteEvent, at: u64) {
        self.notes.play(event, at, &mut self.player);
    }

    fn turn(&mut self, id: u32, position: f64, at: u64) {
        let Self { knobs, player, .. } = self;
        let Ok(found) = knobs.binary_search_by_key(&id, |knob| knob.id) else { return };
        if position.is_nan() {
            return;
        }
        let value = knobs[found].value(position);
        for address in &knobs[found].addresses {
            let _ = player.push(Timed { at, command: Command::Set(*address, value) });
        }
    }

    fn event(&mut self, event: &UnknownEvent, from: u64) {
        let at = from + u64::from(event.header().time());
        match event.as_core_event() {
            Some(CoreEventSpace::NoteOn(on)) => {
                let pckn = on.pckn();
                let (Match::Specific(key), channel) = (pckn.key, pckn.channel.into_specific().unwrap_or(0)) else {
                    return;
                };
                let id = pckn.note_id.into_specific().map_or(-1, |id| id as i32);
                let note = Note { id, channel: channel as u8, key: key.min(127) as u8 };
                self.note(NoteEvent::On { note, velocity_01: on.velocity(), tuning: 0.0 }, at);
            }
            Some(CoreEventSpace::NoteOff(off)) => self.note(NoteEvent::Off(which(off.pckn())), at),
            Some(CoreEventSpace::NoteChoke(choke)) => self.note(NoteEvent::Choke(which(choke.pckn())), at),
            Some(CoreEventSpace::NoteExpression(expression)) => {
                let (which, x) = (which(expression.pckn()), expression.value());
                match expression.expression_type() {
                    Some(NoteExpressionType::Tuning) => self.note(NoteEvent::Tune(which, x), at),
                    Some(NoteExpressionType::Pressure) => self.note(NoteEvent::Press(which, x), at),
                    Some(NoteExpressionType::Brightness) => self.note(NoteEvent::Brighten(which, x), at),
                    _ => {}
                }
            }
            Some(CoreEventSpace::ParamValue(set)) => {
                if let Some(id) = set.param_id() {
                    self.turn(id.get(), set.value(), at);
                }
            }
            Some(CoreEventSpace::Midi(midi)) => {
                self.notes.midi(midi.data(), at, &mut self.player);
            }
            _ => {}
        }
    }
}

fn which(pckn: Pckn) -> Which {
    Which {
        id: pckn.note_id.into_specific().map(|id| id as i32),
        channel: pckn.channel.into_specific().map(|channel| channel as u8),
        key: pckn.key.into_specific().map(|key| key.min(127) as u8),
    }
}

/// Tells the host that a note has ended.
fn tell_end(note: Note, time: u32, told: &mut OutputEvents) {
    let id = u32::try_from(note.id).map_or(Match::All, Match::Specific);
    let pckn = Pckn::new(0u16, u16::from(note.channel), u16::from(note.key), id);
    let _ = told.try_push(NoteEndEvent::new(time, pckn));
}

/// The audio half in a host.
pub struct Audio<'a> {
    host: HostAudioProcessorHandle<'a>,
    rig: Box<Rig>,
    /// What fades out, and the frames that it still has.
    leaving: Option<(Box<Rig>, usize)>,
    fade: usize,
    line: Consumer<Box<Rig>>,
    back: Producer<Box<Rig>>,
    /// A restart is to be asked for when nothing fades out any more: it would cut that off.
    asks: bool,
    frames: Vec<f32>,
    old: Vec<f32>,
    /// Frames until the main thread is asked to look again, and between.
    look_in: usize,
    look_every: usize,
    /// The host has asked for silence: what plays by itself begins anew when it starts again.
    was_reset: bool,
    /// Where the knob of the studio was turned to, in hosts that have one.
    wish: Option<Arc<Wish>>,
}

impl Audio<'_> {
    /// What the host says, at its samples.
    fn hear(&mut self, events: &InputEvents) {
        let now = self.rig.now();
        for event in events {
            let wish = self.wish.as_ref().zip(event.as_core_event());
            if !matches!(wish, Some((wish, CoreEventSpace::ParamValue(set))) if wish.heard(set)) {
                self.rig.event(event, now);
            }
        }
    }

    /// So many frames from here, in `frames`; of what fades out, in `old`.
    fn make(&mut self, inputs: &[&[f32]], count: usize) {
        let frames = &mut self.frames[..count * self.rig.player.channels()];
        self.rig.player.play(inputs, frames);
        if let Some((leaving, _)) = &mut self.leaving {
            let fading = &mut self.old[..count * leaving.player.channels()];
            leaving.player.play(inputs, fading);
        }
    }

    /// A channel of a port, from what was made: what plays, and what fades out, ever softer.
    fn lay(&self, port: usize, channel: usize, out: &mut [f32]) {
        let channel_of = |rig: &Rig| Some(*rig.ports.get(port)?.get(channel)?);
        if let Some(source) = channel_of(&self.rig) {
            let frames = self.frames.chunks_exact(self.rig.player.channels());
            out.iter_mut().zip(frames).for_each(|(to, frame)| *to = frame[source]);
        }
        if let Some((old, left)) = &self.leaving
            && let Some(source) = channel_of(old)
        {
            let frames = self.old.chunks_exact(old.player.channels());
            for (at, (to, frame)) in out.iter_mut().zip(frames).enumerate().take(*left) {
                *to += (*left - at) as f32 / self.fade as f32 * frame[source];
            }
        }
    }

    /// A scene that waits takes over; one that has faded out goes back.
    fn exchange(&mut self, told: &mut OutputEvents) {
        if let Some((old, 0)) = self.leaving.take_if(|(_, left)| *left == 0) {
            if let Err(rtrb::PushError::Full(old)) = self.back.push(old) {
                self.leaving = Some((old, 0));
            }
            self.host.shared().request_callback();
        }
        if self.leaving.is_some() {
            return;
        }
        if let Ok(new) = self.line.pop() {
            self.asks |= new.other_knobs;
            let mut old = std::mem::replace(&mut self.rig, new);
            // No event of the host finds them any more.
            old.notes.sounding().for_each(|note| tell_end(note, 0, told));
            while let Some(note) = old.notes.ended() {
                tell_end(note, 0, told);
            }
            self.leaving = Some((old, self.fade));
        } else if std::mem::take(&mut self.asks) {
            self.host.shared().request_restart();
        }
    }
}

impl<'a> PluginAudioProcessor<'a, (), Main<'a>> for Audio<'a> {
    fn activate(
        host: HostAudioProcessorHandle<'a>,
        main: &Main<'a>,
        _: &'a (),
        config: PluginAudioConfiguration,
    ) -> Result<Self, PluginError> {
        let (rig, line, back) = main.activate(config.sample_rate)?;
        let fade = ((FADE_S * config.sample_rate) as usize).max(1);
        let room = || vec![0.0; CHUNK * CHANNELS];
        let look_every = (LOOK_S * config.sample_rate) as usize;
        Ok(Self {
            host,
            rig,
            leaving: None,
            fade,
            line,
            back,
            asks: false,
            frames: room(),
            old: room(),
            look_in: look_every,
            look_every,
            was_reset: false,
            wish: main.wish(),
        })
    }

    fn process(
        &mut self,
        _: Process,
        mut audio: clack_plugin::process::Audio,
        events: Events,
    ) -> Result<ProcessStatus, PluginError> {
        self.exchange(events.output);
        self.hear(events.input);
        let count = audio.frames_count() as usize;
        let mut from = 0;
        while from < count {
            let chunk = (count - from).min(CHUNK);
            let mut inputs: [&[f32]; METERS] = [&[]; METERS];
            let mut heard = 0;
            if let Some(port) = audio.input_port(0)
                && let Some(channels) = port.channels()?.into_f32()
            {
                for (input, channel) in inputs.iter_mut().zip(channels.iter()) {
                    *input = channel.get(from..from + chunk).unwrap_or(&[]);
                    heard += 1;
                }
            }
            self.make(&inputs[..heard], chunk);
            for index in 0..self.rig.ports.len() {
                let Some(mut port) = audio.output_port(index) else { continue };
                let Some(mut channels) = port.channels()?.into_f32() else { continue };
                for channel in 0..self.rig.ports[index].len() {
                    let Some(out) = channels.channel_mut(channel as u32) else { continue };
                    self.lay(index, channel, &mut out[from..from + chunk]);
                }
            }
            if let Some((_, left)) = &mut self.leaving {
                *left = left.saturating_sub(chunk);
            }
            from += chunk;
        }
        self.look_in = self.look_in.saturating_sub(count);
        if self.look_in == 0 {
            self.look_in = self.look_every;
            self.host.shared().request_callback();
        }
        let Rig { player, notes, .. } = &mut *self.rig;
        notes.follow(player.engine());
        while let Some(note) = notes.ended() {
            tell_end(note, count.saturating_sub(1) as u32, events.output);
        }
        Ok(ProcessStatus::Continue)
    }

    fn deactivate(self, main: &Main<'a>) {
        main.deactivate(self.rig, self.was_reset);
    }

    fn reset(&mut self) {
        self.was_reset = true;
        let at = self.rig.now();
        self.rig.note(NoteEvent::Off(Which::default()), at);
        let _ = self.rig.player.push(Timed { at, command: Command::Hush });
    }
}

impl PluginAudioProcessorParams for Audio<'_> {
    fn flush(&mut self, input: &InputEvents, _: &mut OutputEvents) {
        self.hear(input);
    }
}

impl PluginTailImpl for Audio<'_> {
    fn get(&self) -> TailLength {
        // A bell rings as long as it rings, and a brook for ever.
        TailLength::Infinite
    }
}
