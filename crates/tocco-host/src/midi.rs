// SPDX-License-Identifier: MIT OR Apache-2.0
//! MIDI: what a keyboard does to a scene that sounds.
//!
//! [`voices`] makes the copies that polyphony needs, [`map`] turns the scene's `[midi]` table into paths, [`translate`]
//! is the state machine from bytes to orders, and [`port`] joins it to a device (feature `midi`). Orders go through the
//! desk like everyone's, so a take records them.

pub mod map;
#[cfg(feature = "midi")]
pub mod port;
pub mod translate;
pub mod voices;

pub use translate::{Learn, Order, Translator};

use crate::error::Result;
use crate::library::Loaded;
use crate::live::Desk;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A translator that a port and a view use.
pub type Shared = Arc<Mutex<Translator>>;

/// The translator, for a moment.
pub fn lock(shared: &Shared) -> MutexGuard<'_, Translator> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The scene with its voices, and what translates for it.
pub fn prepare(scene: Loaded) -> Result<(Loaded, Translator)> {
    let scene = voices::copied(scene)?;
    let translator = Translator::new(map::Map::of(&scene.def));
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
