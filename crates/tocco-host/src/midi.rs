// SPDX-License-Identifier: MIT OR Apache-2.0
//! MIDI: what a keyboard does to a scene that sounds.
//!
//! [`tocco_live::midi`] knows what bytes mean for a scene. [`Ear`] is what a device feeds, [`clock`] says when a message
//! was played, and [`port`] joins them to a device (feature `midi`). Gestures go through the desk like everyone's, so a
//! take records them.

pub mod clock;
#[cfg(feature = "midi")]
pub mod port;

pub use tocco_live::midi::{Learn, Translator};

use crate::error::Result;
use crate::live::{Desk, When};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use tocco::Document;
use tocco::Gesture;
use tocco_live::midi::Map;
use tocco_live::midi::voices::voiced;

/// A translator that a port and a view use.
pub type Shared = Arc<Mutex<Translator>>;

/// The translator, for a moment.
pub fn lock(shared: &Shared) -> MutexGuard<'_, Translator> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The scene with its voices, and what translates for it.
pub fn prepare(scene: Document) -> Result<(Document, Translator)> {
    let scene = voiced(scene)?;
    let translator = Translator::new(Map::of(&scene.def));
    Ok((scene, translator))
}

/// Listens for one device: keeps up with the scene, and places what it hears at its sample.
pub struct Ear {
    translator: Shared,
    generation: Option<u64>,
    text: String,
    clock: clock::Clock,
    gestures: Vec<Gesture>,
}

impl Ear {
    /// For a desk: scenes that come later get their voices too.
    pub fn new(desk: &mut Desk, translator: Shared) -> Self {
        desk.prepare_with(voiced);
        let text = desk.scene().text.clone();
        Self { translator, generation: None, text, clock: clock::Clock::default(), gestures: Vec::new() }
    }

    /// Bytes that were stamped by the driver's clock, heard of at `now_s`. They take effect a block after they were
    /// played: as late as a block boundary can be, but always so, so that a rhythm stays one.
    pub fn hear(&mut self, desk: &mut Desk, stamp_us: u64, bytes: &[u8], now_s: f64) {
        let mut translator = lock(&self.translator);
        if self.generation != Some(desk.generation()) {
            self.generation = Some(desk.generation());
            if desk.scene().text != self.text {
                self.text = desk.scene().text.clone();
                translator.exchange(Map::of(&desk.scene().def));
            }
            if let Err(error) = desk.watch_energies(&translator.bodies()) {
                desk.say(format!("MIDI: {error}"));
            }
        }
        translator.set_energies(desk.energies());
        let age_s = self.clock.age_s(stamp_us, now_s);
        translator.feed(bytes, now_s - age_s, &mut self.gestures);
        while let Some(remark) = translator.remark() {
            desk.say(remark);
        }
        let played = SystemTime::now().checked_sub(Duration::from_secs_f64(age_s));
        let tick =
            played.and_then(|played| crate::live::clock::tick_of(desk, played)).map_or(0, |tick| tick + desk.block());
        let when = if tick > desk.tick() { When::Tick(tick) } else { When::Now };
        perform(desk, &mut self.gestures, when);
    }
}

/// Gives gestures to the desk. One that it refuses is said, and counted there.
pub fn perform(desk: &mut Desk, gestures: &mut Vec<Gesture>, when: When) {
    for gesture in gestures.drain(..) {
        if let Err(error) = desk.perform(&gesture, when) {
            desk.say(format!("MIDI: {error}"));
        }
    }
}
