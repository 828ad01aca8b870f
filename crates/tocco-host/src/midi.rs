// SPDX-License-Identifier: MIT OR Apache-2.0
//! MIDI: what a keyboard does to a scene that sounds.
//!
//! [`tocco::midi`] knows what bytes mean for a scene; [`port`] joins it to a device (feature `midi`). Orders go through
//! the desk like everyone's, so a take records them.

#[cfg(feature = "midi")]
pub mod port;

pub use tocco::midi::{Learn, Order, Translator};

use crate::error::{HostError, Result};
use crate::library::Loaded;
use crate::live::Desk;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tocco::midi::Map;
use tocco::midi::voices::written;

/// A translator that a port and a view use.
pub type Shared = Arc<Mutex<Translator>>;

/// The translator, for a moment.
pub fn lock(shared: &Shared) -> MutexGuard<'_, Translator> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The scene with its voices, and what translates for it.
pub fn prepare(scene: Loaded) -> Result<(Loaded, Translator)> {
    let voices = written(&scene.def, &scene.text).map_err(|e| HostError::BadInput(format!("{}: {e}", scene.origin)))?;
    let scene = match voices {
        Some(text) => Loaded::from_text(&scene.name, &scene.origin, text, None)?,
        None => scene,
    };
    let translator = Translator::new(Map::of(&scene.def));
    Ok((scene, translator))
}

/// Gives orders to the desk. One that it refuses is said, and counted there.
pub fn obey(desk: &mut Desk, orders: &mut Vec<Order>) {
    for order in orders.drain(..) {
        let done = match &order {
            Order::Set(path, value) => desk.set(path, *value).map(|_| ()),
            Order::Jump(path, value) => desk.jump(path, *value).map(|_| ()),
            Order::Strike(mass, velocity_m_s) => desk.strike(mass, *velocity_m_s).map(|_| ()),
            Order::Hit(site, impulse_n_s) => desk.hit(site, *impulse_n_s).map(|_| ()),
            Order::Hush => desk.panic(),
            Order::Tell(remark) => {
                desk.say(remark.clone());
                Ok(())
            }
        };
        if let Err(error) = done {
            desk.say(format!("MIDI: {error}"));
        }
    }
}
