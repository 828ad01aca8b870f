// SPDX-License-Identifier: MIT OR Apache-2.0
//! Playing live on this machine: [`tocco_live`] with its devices, files and clock.
//!
//! Front ends (a terminal view, OSC, MIDI) share the control half as [`Shared`]: lock it, give gestures, let go.
//!
//! ```
//! use tocco_host::{library, live};
//! let (mut desk, mut player) = live::open(library::load("bar")?, live::Setup::default())?;
//! desk.set("hit/stiffness", 1e8)?;
//! desk.strike("hammer", 1.0)?;
//! let mut block = vec![0.0; 512 * desk.channels()];
//! player.play(&[], &mut block);
//! desk.poll()?;
//! assert!(desk.set("hit/stifness", 1.0).unwrap_err().to_string().contains("did you mean 'hit/stiffness'?"));
//! # Ok::<(), tocco_host::error::HostError>(())
//! ```

pub mod building;
#[cfg(feature = "audio")]
pub mod card;
pub mod clock;
pub mod device;
pub mod follow;
pub mod input;
pub mod play;
pub mod reel;
pub mod rehearse;
pub mod take_file;

pub use tocco_live::{
    Answer, Beat, Built, Counts, Desk, Grade, Knob, METERS, OUTPUTS, PROBES, Player, Prepare, Setup, Status, When,
    Workshop, limiter,
};

use crate::error::Result;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tocco::Document;

/// The two halves for a scene, by the clock of this machine.
pub fn open(scene: Document, setup: Setup) -> Result<(Desk, Player)> {
    Ok(tocco_live::open(scene, Setup { clock: Some(Box::new(clock::now_ns)), ..setup })?)
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
