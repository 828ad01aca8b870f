// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameters by number, notes and touches, at their samples.

use super::*;

/// Number of a parameter or control by its path, for [`tocco_param_set`]: the same in every scene and version. 0: there is none. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_param_id(session: *mut Session, path: *const c_char, len: usize) -> u32 {
    // SAFETY: the caller's promise is ours.
    let path = unsafe { utf8(path, len) };
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, 0, |_, half, _| {
            let (instrument, _) = half.instrument.as_ref().ok_or(NO_NOTES)?;
            instrument.find(path?).map(|parameter| parameter.id).map_err(words)
        })
    }
}

/// Sets a parameter by its number at its sample; out of range is clamped. 1, or 0 if there is none such, no room, or a NaN. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_param_set(session: *mut Session, id: u32, value: f64, at: f64) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        audio(session, 0, |half, shared| {
            let (instrument, _) = half.instrument(shared)?;
            let parameter = instrument.parameter(id).filter(|_| !value.is_nan() && !at.is_nan())?;
            let value = value.clamp(parameter.spec.min, parameter.spec.max);
            let timed = Timed { at: at.max(0.0) as u64, command: Command::Set(parameter.address, value) };
            half.player.push(timed).ok().map(|()| 1)
        })
    }
}

/// A note begins at its sample: the caller's own number, channel 0 to 15, key 0 to 127, velocity 0 to 1, semitones beside
/// the key. 1, or 0 if it cannot be played: a number that is none, or out of these ranges. Needs `notes` in the setup. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_note_on(
    session: *mut Session,
    id: i32,
    channel: u32,
    key: u32,
    velocity: f64,
    tuning: f64,
    at: f64,
) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        audio(session, 0, |half, shared| {
            let note = Note { id, channel: up_to(15, channel)?, key: up_to(127, key)? };
            half.note(shared, NoteEvent::On { note, velocity_01: velocity, tuning }, at)
        })
    }
}

/// Its key goes up, at its sample: it is damped if the scene says in which time. -1 means any id, channel or key. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_note_off(session: *mut Session, id: i32, channel: i32, key: i32, at: f64) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe { note(session, which(id, channel, key), at, NoteEvent::Off) }
}

/// It is silenced within milliseconds. -1 means any id, channel or key. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_note_choke(session: *mut Session, id: i32, channel: i32, key: i32, at: f64) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe { note(session, which(id, channel, key), at, NoteEvent::Choke) }
}

/// Its pitch glides to so many semitones beside its key. -1 means any id, channel or key; with any id, of a key that is down the note that is held, not what rings from before. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_note_tune(
    session: *mut Session,
    id: i32,
    channel: i32,
    key: i32,
    value: f64,
    at: f64,
) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe { note(session, which(id, channel, key), at, |which| NoteEvent::Tune(which, value)) }
}

/// Its pressure, 0 to 1. -1 means any id, channel or key; with any id, of a key that is down the note that is held, not what rings from before. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_note_press(
    session: *mut Session,
    id: i32,
    channel: i32,
    key: i32,
    value: f64,
    at: f64,
) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe { note(session, which(id, channel, key), at, |which| NoteEvent::Press(which, value)) }
}

/// Its brightness, 0 to 1. -1 means any id, channel or key; with any id, of a key that is down the note that is held, not what rings from before. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_note_brighten(
    session: *mut Session,
    id: i32,
    channel: i32,
    key: i32,
    value: f64,
    at: f64,
) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe { note(session, which(id, channel, key), at, |which| NoteEvent::Brighten(which, value)) }
}

/// The id of the next note that has ended, in `id`: rung out, or its voice was taken. 1, or 0 if there is none. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_note_ended(session: *mut Session, id: *mut i32) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        audio(session, 0, |half, _| {
            let ended = half.instrument.as_mut()?.1.ended()?;
            *id.as_mut()? = ended.id;
            Some(1)
        })
    }
}

/// Notes from here on when contacts begin and end, or no more if `wanted` is 0. 1, or 0. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_watch_touches(session: *mut Session, wanted: u32) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        audio(session, 0, |half, _| {
            half.player.watch_touches(wanted != 0);
            Some(1)
        })
    }
}

/// The next contact that has begun or ended, in `touch`; the last thousand are kept. 1, or 0 if there is none. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_next_touch(session: *mut Session, touch: *mut Touch) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        audio(session, 0, |half, _| {
            let place = touch.as_mut()?;
            let found = half.player.take_touch()?;
            let (contact, begins) = (found.contact as u32, u32::from(found.begins));
            *place = Touch { at: found.at as f64, impulse_n_s: found.impulse_n_s, contact, begins };
            Some(1)
        })
    }
}

/// # Safety
/// As for the functions of this file.
unsafe fn note(session: *mut Session, which: Option<Which>, at: f64, event: impl FnOnce(Which) -> NoteEvent) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe { audio(session, 0, |half, shared| half.note(shared, event(which?), at)) }
}

/// Only -1 means any; what is no channel or key means nothing.
fn which(id: i32, channel: i32, key: i32) -> Option<Which> {
    let own = |most: u8, number: i32| match number {
        -1 => Some(None),
        _ => up_to(most, u32::try_from(number).ok()?).map(Some),
    };
    Some(Which { id: (id != -1).then_some(id), channel: own(15, channel)?, key: own(127, key)? })
}

fn up_to(most: u8, number: u32) -> Option<u8> {
    u8::try_from(number).ok().filter(|number| *number <= most)
}
