// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sound, block by block.

use super::*;

/// Fills a block of interleaved frames. `inputs` are `input_channels` channels of sound that came in, each as long as the block;
/// none is null and 0. 1, or 0 and nothing is written. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_play(
    session: *mut Session,
    inputs: *const *const f32,
    input_channels: usize,
    out: *mut f32,
    frames: usize,
) -> u32 {
    if frames == 0 || out.is_null() {
        return u32::from(frames == 0);
    }
    // SAFETY: the caller's promises are ours.
    unsafe {
        audio(session, 0, |half, shared| {
            let mut room = [&[][..]; METERS];
            let inputs = planes(inputs, input_channels, frames, &mut room);
            let out = std::slice::from_raw_parts_mut(out, frames * half.player.channels());
            half.player.play(inputs, out);
            half.follow(shared);
            Some(1)
        })
    }
}

/// As [`tocco_play`], a plane for each of `channels` channels; at most 64. Planes beyond those of the scene are silent. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_play_planar(
    session: *mut Session,
    inputs: *const *const f32,
    input_channels: usize,
    out: *const *mut f32,
    channels: usize,
    frames: usize,
) -> u32 {
    if frames == 0 || out.is_null() || channels == 0 || channels > METERS {
        return u32::from(frames == 0);
    }
    // SAFETY: the caller's promise is ours.
    if unsafe { values(out, channels) }.iter().any(|plane| plane.is_null()) {
        return 0;
    }
    // SAFETY: the caller's promises are ours.
    unsafe {
        audio(session, 0, |half, shared| {
            let mut room = [&[][..]; METERS];
            let inputs = planes(inputs, input_channels, frames, &mut room);
            let mut out_room: [&mut [f32]; METERS] = std::array::from_fn(|_| &mut [][..]);
            for (place, plane) in out_room.iter_mut().zip(values(out, channels)) {
                *place = std::slice::from_raw_parts_mut(*plane, frames);
            }
            half.player.play_planar(inputs, &mut out_room[..channels]);
            half.follow(shared);
            Some(1)
        })
    }
}

/// 1 if nothing waits, the scene's own gestures are over and the sound has stayed below -100 dBFS for a second. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_is_quiet(session: *mut Session) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe { audio(session, 1, |half, _| Some(u32::from(half.player.is_quiet()))) }
}

/// Room for the sound that comes in during the next block: `frames` samples for each channel that the scene listens to,
/// channel after channel, zeroed; null if there is none. It is heard by the next render only. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_input(session: *mut Session, frames: usize) -> *mut f32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, null_mut(), |_, half, _| {
            half.input.clear();
            lay_out(&mut half.input, frames, half.player.inputs())?;
            Ok(if half.input.is_empty() { null_mut() } else { half.input.as_mut_ptr() })
        })
    }
}

/// The next `frames` frames, interleaved; valid until the next render. What did not come by [`tocco_input`], with the same
/// number of frames, is silence. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_render(session: *mut Session, frames: usize) -> *const f32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, null(), |desk, half, shared| {
            half.follow_scene(&desk.desk);
            half.render(frames, shared.watched.load(Ordering::Acquire))?;
            half.follow(shared);
            // There is no other thread to free what is no longer needed, and to write the take, which memory alone can refuse.
            let _ = desk.desk.poll();
            Ok(address(&half.out))
        })
    }
}

/// The last block as it is heard: through a master gain, reached by its end, and, if `limits` is not 0, the true-peak
/// limiters of the outputs (delayed by their look-ahead). One block of samples for each of the device's `channels`, channel
/// after channel; channels that the device lacks are dropped. Valid until the next call. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_heard(session: *mut Session, gain: f64, limits: u32, channels: usize) -> *const f32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, null(), |desk, half, _| {
            half.follow_scene(&desk.desk);
            half.hear(&desk.desk, gain, limits != 0, channels)?;
            Ok(address(&half.device))
        })
    }
}

/// Channels of sound that came in; a null one is silence.
///
/// # Safety
/// `inputs` points to `count` addresses, each null or of `frames` samples.
unsafe fn planes<'a, 'r>(
    inputs: *const *const f32,
    count: usize,
    frames: usize,
    room: &'r mut [&'a [f32]; METERS],
) -> &'r [&'a [f32]] {
    let count = if inputs.is_null() { 0 } else { count.min(METERS) };
    // SAFETY: the caller's promise is ours.
    let all = unsafe { values(inputs, count) };
    for (place, plane) in room.iter_mut().zip(all).filter(|(_, plane)| !plane.is_null()) {
        // SAFETY: the caller's promise is ours.
        *place = unsafe { values(*plane, frames) };
    }
    &room[..count]
}
