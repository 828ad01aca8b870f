// SPDX-License-Identifier: MIT OR Apache-2.0
//! Playing live, in two halves.
//!
//! The *control half*, [`Desk`], has names, files, words and time to spare: it resolves paths, checks values, answers
//! mistakes, records takes and frees what is no longer needed. The *audio half*, [`Player`], has none of these: it takes
//! orders from a wait-free ring at block boundaries, renders, limits, meters and hands everything that must be freed or
//! written back through another ring. It neither allocates nor locks nor calls the system, but for reading the clock.
//!
//! Front ends (a terminal view, OSC, MIDI) share the desk as [`Shared`]: lock it, give orders, let go.
//!
//! ```
//! use tocco_host::{library, live};
//! let (mut desk, mut player) = live::open(library::load("bar")?, &live::Setup::default())?;
//! desk.set("hit/stiffness", 1e8)?;
//! desk.strike("hammer", 1.0)?;
//! let mut block = vec![0.0; 512 * desk.channels()];
//! player.play(&mut block);
//! desk.poll()?;
//! assert!(desk.set("hit/stifness", 1.0).unwrap_err().to_string().contains("did you mean 'hit/stiffness'?"));
//! # Ok::<(), tocco_host::error::HostError>(())
//! ```

#[cfg(feature = "audio")]
pub mod card;
mod desk;
pub mod device;
pub mod follow;
mod governor;
pub mod limiter;
mod order;
pub mod play;
mod player;
pub mod take;

pub use desk::{Answer, Counts, Desk, Knob, Prepare, When};
pub use governor::Grade;
pub use order::{METERS, PROBES, Status};
pub use player::Player;

use crate::error::Result;
use crate::library::Loaded;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How to play.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Rate of the device and so of the engine; `None`: the scene's own, Hz.
    pub rate_hz: Option<f64>,
    /// Least number of channels; a mono scene is then heard on the first two.
    pub channels: usize,
    /// Limit true peaks.
    pub limiter: bool,
    /// Watch the clock, and shed load before it is too much. Off where nobody waits for the sound.
    pub watch_load: bool,
    /// Paths and values before the first tick, without glide.
    pub sets: Vec<(String, f64)>,
    /// Seconds of sound that wait to be written; 0: nobody writes.
    pub tape_s: f64,
}

impl Default for Setup {
    fn default() -> Self {
        Self { rate_hz: None, channels: 1, limiter: true, watch_load: true, sets: Vec::new(), tape_s: 0.0 }
    }
}

/// The two halves for a scene.
pub fn open(scene: Loaded, setup: &Setup) -> Result<(Desk, Player)> {
    desk::open(scene, setup)
}

/// A desk that several front ends use.
#[derive(Clone)]
pub struct Shared(Arc<Mutex<Desk>>);

impl Shared {
    /// Puts a desk where all can reach it.
    pub fn new(desk: Desk) -> Self {
        Self(Arc::new(Mutex::new(desk)))
    }

    /// The desk, for a moment. The audio half never waits for it.
    pub fn lock(&self) -> MutexGuard<'_, Desk> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
