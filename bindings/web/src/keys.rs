// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scene's `[midi]` table for pages: the program's own translator, from bytes to the lines of a take.

use crate::{fail, utf8};
use serde_json::{Value, json};
use std::ptr::{null, null_mut};
use tocco::SceneDef;
use tocco::midi::voices::written;
use tocco::midi::{Map, Order, Translator};

/// A keyboard and the scene it plays.
pub struct Keys {
    translator: Translator,
    orders: Vec<Order>,
    has_table: bool,
    /// Scene with its voices, or orders of the last bytes.
    text: String,
}

/// A keyboard for a scene; null on error. [`tocco_keys_text`] is then the scene to load: with the voices that its
/// `[midi]` table asks for.
///
/// # Safety
/// `text` points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_keys(text: *const u8, len: usize) -> *mut Keys {
    // SAFETY: the caller's promise is ours.
    let made = unsafe { utf8(text, len) }.and_then(|text| {
        let def = SceneDef::from_text(text).map_err(|e| e.to_string())?;
        let text = written(&def, text).map_err(|e| e.to_string())?.unwrap_or_else(|| text.to_owned());
        let def = SceneDef::from_text(&text).map_err(|e| e.to_string())?;
        Ok(Keys { translator: Translator::new(Map::of(&def)), orders: Vec::new(), has_table: def.midi.is_some(), text })
    });
    match made {
        Ok(keys) => Box::into_raw(Box::new(keys)),
        Err(why) => {
            fail(why);
            null_mut()
        }
    }
}

/// 1 if the scene has a `[midi]` table, 0 if notes strike its masses one by one.
///
/// # Safety
/// `keys` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_keys_have_table(keys: *const Keys) -> u32 {
    // SAFETY: alive by contract.
    unsafe { &*keys }.has_table.into()
}

/// [`tocco_keys_text`] is then a JSON array with an array for each voice: the bodies whose energies tell how loud it is.
///
/// # Safety
/// `keys` is alive and used by nobody else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_keys_bodies(keys: *mut Keys) {
    // SAFETY: alive and exclusive by contract.
    let keys = unsafe { &mut *keys };
    keys.text = json!(keys.translator.bodies()).to_string();
}

/// Energies of the voices, J, by which the next note finds the quietest: numbers of eight bytes, the least first.
///
/// # Safety
/// `keys` is alive and used by nobody else during the call; `energies` points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_keys_weigh(keys: *mut Keys, energies: *const u8, len: usize) {
    // SAFETY: the caller's promises are ours.
    let (keys, energies) = unsafe { (&mut *keys, std::slice::from_raw_parts(energies, len)) };
    keys.translator.weigh(energies.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)));
}

/// Ends a keyboard.
///
/// # Safety
/// `keys` came from [`tocco_keys`] and has not been freed; null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_keys_free(keys: *mut Keys) {
    if !keys.is_null() {
        // SAFETY: by contract this is the box that `tocco_keys` released.
        drop(unsafe { Box::from_raw(keys) });
    }
}

/// Takes bytes as they come at a time in seconds; [`tocco_keys_text`] is then a JSON array of the lines that a take would
/// hold, without ticks.
///
/// # Safety
/// `keys` is alive and used by nobody else during the call; `bytes` points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_keys_feed(keys: *mut Keys, bytes: *const u8, len: usize, now_s: f64) -> *const u8 {
    // SAFETY: alive and exclusive by contract.
    let keys = unsafe { &mut *keys };
    // SAFETY: the caller's promise is ours.
    let bytes = unsafe { std::slice::from_raw_parts(bytes, len) };
    keys.translator.feed(bytes, now_s, &mut keys.orders);
    keys.text = Value::Array(keys.orders.drain(..).map(line).collect()).to_string();
    keys.text.as_ptr()
}

/// What the last call left to read; valid until the next.
///
/// # Safety
/// `keys` is alive or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_keys_text(keys: *const Keys) -> *const u8 {
    // SAFETY: alive or null by contract.
    unsafe { keys.as_ref() }.map_or(null(), |keys| keys.text.as_ptr())
}

/// Length of that text in bytes.
///
/// # Safety
/// `keys` is alive or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_keys_text_len(keys: *const Keys) -> usize {
    // SAFETY: alive or null by contract.
    unsafe { keys.as_ref() }.map_or(0, |keys| keys.text.len())
}

/// An order in the words of a take.
pub fn line(order: Order) -> Value {
    match order {
        Order::Set(path, value) => json!({ "set": path, "value": value }),
        Order::Jump(path, value) => json!({ "jump": path, "value": value }),
        Order::Strike(mass, velocity_m_s) => json!({ "strike": mass, "velocity_m_s": velocity_m_s }),
        Order::Hit(site, impulse_n_s) => json!({ "hit": site, "impulse_n_s": impulse_n_s }),
        Order::Hush => json!({ "hush": true }),
        Order::Tell(remark) => json!({ "tell": remark }),
    }
}
