// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scene's `[midi]` table for pages: the program's own translator, from bytes to gestures.

use crate::{answer, free, hand_out, read, utf8, values};
use serde_json::{Value, json};
use std::ffi::c_char;
use tocco::Gesture;
use tocco_live::midi::voices::voiced;
use tocco_live::midi::{Map, Translator};

/// A keyboard and the scene it plays.
pub struct Keys {
    translator: Translator,
    gestures: Vec<Gesture>,
    has_table: bool,
    /// The scene with the voices that its table asks for.
    scene: String,
}

/// A keyboard for a scene; null on error.
///
/// # Safety
/// `text` points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_keys(text: *const c_char, len: usize) -> *mut Keys {
    // SAFETY: the caller's promise is ours.
    let text = unsafe { utf8(text, len) };
    hand_out(|| {
        let scene = voiced(read(text?)?).map_err(|e| e.to_string())?;
        let translator = Translator::new(Map::of(&scene.def));
        Ok(Keys { translator, gestures: Vec::new(), has_table: scene.def.midi.is_some(), scene: scene.text })
    })
}

/// Ends a keyboard.
///
/// # Safety
/// `keys` came from [`tocco_keys`] and has not been freed; null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_keys_free(keys: *mut Keys) {
    // SAFETY: the caller's promise is ours.
    unsafe { free(keys) }
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

/// Answers with the scene to load: with the voices that its `[midi]` table asks for.
///
/// # Safety
/// `keys` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_keys_scene(keys: *const Keys) {
    // SAFETY: alive by contract.
    answer(unsafe { &*keys }.scene.clone());
}

/// Answers with a JSON array that has an array for each voice: the bodies whose energies tell how loud it is.
///
/// # Safety
/// `keys` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_keys_bodies(keys: *const Keys) {
    // SAFETY: alive by contract.
    answer(json!(unsafe { &*keys }.translator.bodies()).to_string());
}

/// Energies of the voices, J, by which the next note finds the quietest.
///
/// # Safety
/// `keys` is alive and used by nobody else during the call; `energies` points to `count` doubles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_keys_weigh(keys: *mut Keys, energies: *const f64, count: usize) {
    // SAFETY: the caller's promises are ours.
    let (keys, energies) = unsafe { (&mut *keys, values(energies, count)) };
    keys.translator.set_energies(energies.iter().copied());
}

/// Takes bytes as they come at a time in seconds, and answers with what they mean: a JSON array of gestures.
///
/// # Safety
/// `keys` is alive and used by nobody else during the call; `bytes` points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_keys_feed(keys: *mut Keys, bytes: *const u8, len: usize, now_s: f64) {
    // SAFETY: the caller's promises are ours.
    let (keys, bytes) = unsafe { (&mut *keys, values(bytes, len)) };
    keys.translator.feed(bytes, now_s, &mut keys.gestures);
    answer(lines(&mut keys.gestures));
}

/// Gestures as a JSON array; they are taken out.
pub fn lines(gestures: &mut Vec<Gesture>) -> String {
    Value::Array(gestures.drain(..).map(|gesture| gesture.to_json()).collect()).to_string()
}
