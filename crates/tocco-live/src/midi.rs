// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a MIDI keyboard does to a scene, for whoever plays it live: program and page.
//!
//! [`voices`] makes the copies that polyphony needs, [`map`] turns the scene's `[midi]` table into paths, and
//! [`translate`] is the state machine from bytes to gestures. No device, no clock.

pub(crate) mod channels;
pub mod map;
pub mod translate;
pub mod voices;

pub use map::Map;
pub use translate::{Learn, Translator};
