// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scene's `[midi]` table as paths and places, ready to be played.

use super::voices::named;
use crate::param::Scale;
use crate::scene::def::{BodyDef, BodyForm, ControlDef, MidiDef, Notes, SceneDef};
use std::collections::BTreeMap;

/// Decay of a body whose own is not written down, s.
const SOME_DECAY_S: f64 = 1.0;

/// What a note sets in motion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Touch {
    /// A mass.
    Strike(String),
    /// A place.
    Hit(String),
}

/// A parameter that tunes.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// Path.
    pub path: String,
    /// Value at the reference note.
    pub declared: f64,
}

/// What a note does with a voice.
#[derive(Clone, Debug, PartialEq)]
pub struct Voice {
    /// All at once.
    pub touches: Vec<Touch>,
    /// All alike.
    pub tuned: Vec<Tuned>,
}

/// What a control moves in one voice alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Own {
    /// Path.
    pub path: String,
    /// Values at both ends.
    pub range: [f64; 2],
    /// Knob law.
    pub scale: Scale,
}

/// A control that a gesture moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Knob {
    /// Its name, or a path.
    pub path: String,
    /// A path: values at both ends and knob law. `None`: a control, which takes its position.
    pub range: Option<([f64; 2], Scale)>,
    /// For each voice what it moves there; empty: it cannot be moved for one voice alone.
    pub voices: Vec<Vec<Own>>,
}

/// How notes are played.
#[derive(Clone, Debug, PartialEq)]
pub enum Play {
    /// Each note has its own thing to touch, from the lowest on.
    Each(Vec<Touch>),
    /// A note tunes a voice.
    Pitch(Vec<Voice>),
}

/// A keyboard's map.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// Lowest and highest note that plays.
    pub notes: [u8; 2],
    /// At velocity 1 and 127: m/s of strikes, N s of hits.
    pub strength: [f64; 2],
    /// What a note does.
    pub play: Play,
    /// Note at which tuned bodies sound as written.
    pub reference: f64,
    /// Time in which what was struck decays to 1/e, s: for guessing who is quietest.
    pub decay_s: f64,
    /// MPE from the start.
    pub mpe: bool,
    /// What pitch bend moves instead of the pitch.
    pub bend: Option<Knob>,
    /// What aftertouch moves.
    pub pressure: Option<Knob>,
    /// What controller 74 moves.
    pub slide: Option<Knob>,
    /// What controllers move.
    pub cc: BTreeMap<u8, Knob>,
}

impl Map {
    /// Of a scene whose voices have been copied. Without a `[midi]` table, notes from middle C on strike its masses.
    pub fn of(def: &SceneDef) -> Self {
        let masses = def.bodies.iter().filter(|body| matches!(body.form, BodyForm::Mass { .. }));
        let plain = || MidiDef::striking(masses.map(|body| body.name.clone()).collect());
        let midi = def.midi.clone().unwrap_or_else(plain);
        // A scene that came in by another way has not been copied.
        let there =
            |voice: &usize| midi.retune.iter().all(|name| def.bodies.iter().any(|b| b.name == named(name, *voice)));
        let voices = if midi.notes == Notes::Pitch { (0..midi.voices).take_while(there).count().max(1) } else { 1 };
        let knob = |name: &String| knob(def, name, voices);
        Self {
            notes: [midi.low, midi.high],
            strength: midi.strength,
            play: play(def, &midi, voices),
            reference: midi.reference,
            decay_s: decay_s(def, &midi),
            mpe: midi.mpe,
            bend: midi.bend.as_ref().map(knob),
            pressure: midi.pressure.as_ref().map(knob),
            slide: midi.slide.as_ref().map(knob),
            cc: midi.cc.iter().map(|(number, name)| (*number, knob(name))).collect(),
        }
    }
}

fn play(def: &SceneDef, midi: &MidiDef, voices: usize) -> Play {
    let body = |name: &str| def.bodies.iter().find(|body| body.name == name);
    let touches = |voice: usize| -> Vec<Touch> {
        let strikes = midi.strike.iter().map(|mass| Touch::Strike(named(mass, voice)));
        strikes.chain(midi.hit.iter().map(|site| Touch::Hit(named(site, voice)))).collect()
    };
    match midi.notes {
        Notes::Bodies => Play::Each(touches(0)),
        Notes::Ports => {
            let found = midi.hit.first().and_then(|name| body(name));
            let sites = |body: &BodyDef| -> Vec<Touch> {
                body.ports().iter().map(|port| Touch::Hit(format!("{}.{port}", body.name))).collect()
            };
            Play::Each(found.map_or_else(Vec::new, sites))
        }
        Notes::Pitch => {
            let tuned = |name: &String, voice| {
                let (spec, declared) = body(name)?.pitch()?;
                Some(Tuned { path: format!("{}/{}", named(name, voice), spec.id), declared })
            };
            let voice = |voice| Voice {
                touches: touches(voice),
                tuned: midi.retune.iter().filter_map(|name| tuned(name, voice)).collect(),
            };
            Play::Pitch((0..voices).map(voice).collect())
        }
    }
}

fn knob(def: &SceneDef, name: &str, voices: usize) -> Knob {
    let own = |control: &ControlDef, voice: usize| -> Vec<Own> {
        let all: Vec<&str> = control.paths().collect();
        let first = all.iter().filter(|path| !path.contains('~'));
        let mine = first.map(|path| named(path, voice)).filter(|path| all.contains(&path.as_str()));
        mine.map(|path| Own { path, range: control.range, scale: control.scale }).collect()
    };
    // The scene turns a control of hardness into one of stiffness when it is built: it has no path of its own.
    let alone = |control: &&ControlDef| voices > 1 && control.paths().all(|path| !path.ends_with("/hardness_01"));
    let control = def.controls.iter().find(|control| control.name == name).filter(alone);
    let voices: Vec<Vec<Own>> =
        control.map_or_else(Vec::new, |control| (0..voices).map(|voice| own(control, voice)).collect());
    let reached = voices.iter().all(|own| !own.is_empty());
    Knob { path: name.to_owned(), range: None, voices: if reached { voices } else { Vec::new() } }
}

/// The longest decay that is written down for what notes tune.
fn decay_s(def: &SceneDef, midi: &MidiDef) -> f64 {
    let longest = |body: &BodyDef| match &body.form {
        BodyForm::Modal { modes, .. } => {
            modes.iter().map(|mode| mode.decay_s).filter(|s| s.is_finite()).fold(0.0, f64::max)
        }
        BodyForm::String { .. } => {
            let [freq_hz, q] = [0, 1].map(|index| body.params.get(index).copied().unwrap_or(1.0));
            q / (std::f64::consts::PI * freq_hz)
        }
        _ => SOME_DECAY_S,
    };
    let tuned = def.bodies.iter().filter(|body| midi.retune.contains(&body.name));
    let found = tuned.map(longest).fold(0.0, f64::max);
    if found > 0.0 { found } else { SOME_DECAY_S }
}
