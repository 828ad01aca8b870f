// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who plays: the options of `tocco play` for keyboard and screen.

use super::Tui;
#[cfg(not(feature = "midi"))]
use crate::error::HostError;
use crate::error::{Result, bad};
use crate::live::play::{Front, Lines, Play, View};
use crate::{console, midi};
use clap::Args;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex};

/// Options for keyboard and screen.
#[derive(Args, Debug)]
pub struct SeatArgs {
    /// Take notes from this MIDI input, by name, part of it or number; list: list them
    #[arg(long, value_name = "PORT|list")]
    midi: Option<String>,
    /// Print a line a second, also where a terminal could show meters and take keys
    #[arg(long)]
    plain: bool,
}

impl SeatArgs {
    /// The MIDI inputs, if they are asked for.
    pub fn list(&self, has_scene: bool) -> Result<Option<String>> {
        match self.midi.as_deref() {
            Some("list") => midi_inputs().map(Some),
            Some(_) if !has_scene => bad("say which scene the keyboard plays: tocco play SCENE --midi PORT"),
            _ => Ok(None),
        }
    }

    /// What shows the state of things; who plays joins the front ends, and the scene gets its voices.
    pub fn view(&self, play: &mut Play, fronts: &mut Vec<Box<dyn Front>>) -> Result<Box<dyn View>> {
        let mut shared = None;
        if let Some(port) = &self.midi {
            let (scene, translator) = midi::prepare(play.scene.clone())?;
            play.scene = scene;
            let translator = Arc::new(Mutex::new(translator));
            fronts.push(midi_port(port, &translator)?);
            shared = Some(translator);
        }
        let terminal = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
        Ok(match terminal && !self.plain && !play.offline && !console::is_quiet() {
            true => Box::new(Tui::new(shared)),
            false => Box::new(Lines::default()),
        })
    }
}

#[cfg(feature = "midi")]
fn midi_inputs() -> Result<String> {
    midi::port::list()
}

#[cfg(feature = "midi")]
fn midi_port(name: &str, translator: &midi::Shared) -> Result<Box<dyn Front>> {
    Ok(Box::new(midi::port::Port::new(name, translator.clone())))
}

#[cfg(not(feature = "midi"))]
fn midi_inputs() -> Result<String> {
    Err(without())
}

#[cfg(not(feature = "midi"))]
fn midi_port(_: &str, _: &midi::Shared) -> Result<Box<dyn Front>> {
    Err(without())
}

#[cfg(not(feature = "midi"))]
fn without() -> HostError {
    HostError::Machine(format!("this build has no MIDI; play without --midi, or {}", crate::live::play::WITH_SOUND))
}
