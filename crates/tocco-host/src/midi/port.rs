// SPDX-License-Identifier: MIT OR Apache-2.0
//! A MIDI input of this machine, beside the desk.

use super::{Ear, Shared};
use crate::error::{HostError, Result, bad};
use crate::live;
use crate::live::play::Front;
use midir::{Ignore, MidiInput, MidiInputConnection, MidiInputPort};
use std::path::Path;
use std::time::Instant;
use tocco::scene::error::nearest;

/// ALSA's door to MIDI.
const SEQUENCER: &str = "/dev/snd/seq";

fn input() -> Result<MidiInput> {
    let none = |why: &str| HostError::Machine(format!("no MIDI on this machine{why}; play without --midi"));
    // ALSA would print a line of its own.
    if cfg!(target_os = "linux") && !Path::new(SEQUENCER).exists() {
        return Err(none(&format!(" (there is no {SEQUENCER})")));
    }
    let mut input = MidiInput::new("tocco").map_err(|_| none(""))?;
    // Time code and active sensing would only wake us.
    input.ignore(Ignore::All);
    Ok(input)
}

fn ports(input: &MidiInput) -> Vec<(MidiInputPort, String)> {
    let all = input.ports().into_iter();
    all.filter_map(|port| input.port_name(&port).ok().map(|name| (port, name))).collect()
}

/// Every input port, one line each.
pub fn list() -> Result<String> {
    let names: Vec<String> = ports(&input()?).into_iter().map(|(_, name)| name).collect();
    Ok(if names.is_empty() { "no MIDI inputs; plug a keyboard in".into() } else { names.join("\n") })
}

/// A port that plays.
pub struct Port {
    wanted: String,
    translator: Shared,
    connection: Option<MidiInputConnection<()>>,
}

impl Port {
    /// A port by its name, a part of it, or its number in the list from 1 on.
    pub fn new(wanted: &str, translator: Shared) -> Self {
        Self { wanted: wanted.to_owned(), translator, connection: None }
    }
}

impl Front for Port {
    fn start(&mut self, desk: &live::Shared) -> Result<()> {
        let input = input()?;
        let all = ports(&input);
        let lower = self.wanted.to_lowercase();
        let by_number = self.wanted.parse::<usize>().ok().and_then(|number| all.get(number.checked_sub(1)?));
        let by_name = || all.iter().find(|(_, name)| name.to_lowercase().contains(&lower));
        let Some((port, name)) = by_number.or_else(by_name) else {
            let near = nearest(&self.wanted, all.iter().map(|(_, name)| name.as_str()));
            return bad(format!("no MIDI input '{}'{near}; 'tocco play --midi list' lists them", self.wanted));
        };
        let (translator, desk) = (self.translator.clone(), desk.clone());
        desk.lock().say(format!("MIDI from {name}"));
        let mut ear = Ear::new(&mut desk.lock(), translator);
        let began = Instant::now();
        let hear = move |stamp_us: u64, bytes: &[u8], _: &mut ()| {
            ear.hear(&mut desk.lock(), stamp_us, bytes, began.elapsed().as_secs_f64());
        };
        match input.connect(port, "tocco in", hear, ()) {
            Ok(connection) => self.connection = Some(connection),
            Err(error) => return Err(HostError::Machine(format!("cannot open MIDI input {name}: {}", error.kind()))),
        }
        Ok(())
    }

    fn stop(&mut self) {
        if let Some(connection) = self.connection.take() {
            connection.close();
        }
    }
}
