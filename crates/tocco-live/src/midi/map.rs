// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scene's `[midi]` table as paths and places, ready to be played.

use super::voices::{head, named};
use std::collections::BTreeMap;
use tocco::param::Scale;
use tocco::scene::Scene;
use tocco::scene::def::{BodyDef, ControlDef, MidiDef, Notes, SceneDef};
use tocco::scene::kinds::Mobility;

/// What a note sets in motion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A mass.
    Strike(String),
    /// A place.
    Hit(String),
    /// A control, for as long as the key is held.
    Hold(String),
}

/// A parameter that tunes.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// Path of the parameter that sets the pitch.
    pub path: String,
    /// Value at the reference note.
    pub declared: f64,
}

/// How a body is damped when a key is let go.
#[derive(Clone, Debug, PartialEq)]
pub struct Damper {
    /// Path of the parameter that sets how long it rings.
    pub path: String,
    /// Value while it rings.
    pub declared: f64,
    by: Damping,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Damping {
    /// A factor on decays, the longest of which is so many seconds.
    Scale(f64),
    /// The quality of a string of so many Hz.
    Quality(f64),
}

impl Damper {
    /// The value at which it decays to 1/e in `release_s`, or sooner if it does so by itself. `ratio`: of its pitch to
    /// the one declared.
    pub fn value(&self, release_s: f64, ratio: f64) -> f64 {
        match self.by {
            Damping::Scale(longest_s) => self.declared * (release_s / longest_s).min(1.0),
            Damping::Quality(freq_hz) => (tocco::math::PI * freq_hz * ratio * release_s).min(self.declared),
        }
    }
}

/// A thing that a note touches.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// What the note sets in motion.
    pub target: Target,
    /// What is damped when the key is let go.
    pub dampers: Vec<Damper>,
}

/// What a note does with a voice.
#[derive(Clone, Debug, PartialEq)]
pub struct Voice {
    /// All at once.
    pub targets: Vec<Target>,
    /// All alike.
    pub tuned: Vec<Tuned>,
    /// What is damped when the key is let go.
    pub dampers: Vec<Damper>,
    /// Bodies whose energy tells how loud it is.
    pub bodies: Vec<String>,
}

/// What a control moves in one voice alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Own {
    /// Path of the parameter that it moves there.
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
    Each(Vec<Key>),
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
    /// Time in which what is let go decays to 1/e, s; `None`: it rings on.
    pub release_s: Option<f64>,
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
    /// Bodies of each voice, by which [`Translator::set_energies`](super::Translator::set_energies) is fed.
    pub fn bodies(&self) -> Vec<Vec<String>> {
        match &self.play {
            Play::Pitch(voices) => voices.iter().map(|voice| voice.bodies.clone()).collect(),
            Play::Each(_) => Vec::new(),
        }
    }

    /// Notes that can sound at once: voices, or keys.
    pub fn places(&self) -> usize {
        match &self.play {
            Play::Each(keys) => keys.len(),
            Play::Pitch(voices) => voices.len(),
        }
    }

    /// Paths that notes tune or damp.
    pub fn paths(&self) -> Vec<&str> {
        fn damped(dampers: &[Damper]) -> impl Iterator<Item = &str> {
            dampers.iter().map(|damper| damper.path.as_str())
        }
        match &self.play {
            Play::Each(keys) => keys.iter().flat_map(|key| damped(&key.dampers)).collect(),
            Play::Pitch(voices) => {
                let tuned = voices.iter().flat_map(|voice| voice.tuned.iter().map(|tuned| tuned.path.as_str()));
                tuned.chain(voices.iter().flat_map(|voice| damped(&voice.dampers))).collect()
            }
        }
    }

    /// Of a scene whose voices have been copied. Without a `[midi]` table, notes from middle C on strike its masses.
    pub fn of(def: &SceneDef) -> Self {
        let masses = def.bodies.iter().filter(|body| body.form.mobility() == Mobility::Free);
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
            release_s: midi.release_s,
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
    let targets = |voice: usize| -> Vec<Target> {
        let strikes = midi.strike.iter().map(|mass| Target::Strike(named(mass, voice)));
        let held = midi.hold.iter().map(|control| Target::Hold(control.clone()));
        strikes.chain(midi.hit.iter().map(|site| Target::Hit(named(site, voice)))).chain(held).collect()
    };
    let dampers = dampers(def, midi);
    let damped = |names: &[&str]| -> Vec<Damper> {
        dampers.iter().filter(|(name, _)| names.contains(&name.as_str())).map(|(_, damper)| damper.clone()).collect()
    };
    // A key damps what it sets ringing: the body that it hits, or all that its mass may touch.
    let key = |target: Target| {
        let dampers = match &target {
            Target::Hit(site) => damped(&[head(site)]),
            Target::Hold(_) => Vec::new(),
            Target::Strike(mass) => {
                let sides = def.contacts.iter().map(|contact| contact.between.each_ref().map(|site| head(site)));
                damped(&sides.filter(|sides| sides.contains(&mass.as_str())).flatten().collect::<Vec<_>>())
            }
        };
        Key { target, dampers }
    };
    match midi.notes {
        Notes::Bodies => Play::Each(targets(0).into_iter().map(key).collect()),
        Notes::Ports => {
            let found = midi.hit.first().and_then(|name| body(name));
            let sites = |body: &BodyDef| -> Vec<Target> {
                body.form.ports().iter().map(|port| Target::Hit(format!("{}.{port}", body.name))).collect()
            };
            Play::Each(found.map_or_else(Vec::new, sites).into_iter().map(key).collect())
        }
        Notes::Pitch => {
            let tuned = |name: &String, voice| {
                let (spec, declared) = body(name)?.form.pitch()?;
                Some(Tuned { path: format!("{}/{}", named(name, voice), spec.id), declared })
            };
            let voice = |voice| {
                let bodies: Vec<String> = midi.retune.iter().map(|name| named(name, voice)).collect();
                Voice {
                    targets: targets(voice),
                    tuned: midi.retune.iter().filter_map(|name| tuned(name, voice)).collect(),
                    dampers: damped(&bodies.iter().map(String::as_str).collect::<Vec<_>>()),
                    bodies,
                }
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

/// What damps the bodies that sound, if letting go of a key is to damp anything.
fn dampers(def: &SceneDef, midi: &MidiDef) -> Vec<(String, Damper)> {
    // Decays of shapes and networks are known when they have been built.
    let scene = midi.release_s.and_then(|_| Scene::build(def, def.rate_hz).ok());
    scene.map_or_else(Vec::new, |scene| every_damper(def, &scene))
}

/// What damps every body that can be damped.
pub(crate) fn every_damper(def: &SceneDef, scene: &Scene) -> Vec<(String, Damper)> {
    let modes: BTreeMap<String, _> = scene.modes().into_iter().collect();
    let damper = |body: &BodyDef| {
        let damping = body.form.damping()?;
        let by = match damping.quality_at_hz {
            Some(freq_hz) => Damping::Quality(freq_hz),
            // A mode without a decay of its own rings for ever: the others say how much is wanted, or nothing does.
            None => Damping::Scale(longest_s(modes.get(&body.name)?.iter().map(|mode| mode.decay_s))?),
        };
        let path = format!("{}/{}", body.name, damping.spec.id);
        Some((body.name.clone(), Damper { path, declared: damping.value, by }))
    };
    def.bodies.iter().filter_map(damper).collect()
}

fn longest_s(decays: impl Iterator<Item = f64>) -> Option<f64> {
    decays.filter(|s| s.is_finite()).reduce(f64::max)
}
