// SPDX-License-Identifier: MIT OR Apache-2.0
//! Looking into what sounds, and takes.

use super::*;
use tocco::Engine;

/// Answers with two numbers for each output, since the last call: largest magnitude, and least gain of its limiter. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_meters(session: *mut Session) {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, (), |desk, half, _| {
            half.follow_scene(&desk.desk);
            answer_numbers(half.meters.as_flattened().to_vec());
            half.meters.fill([0.0, 1.0]);
            Ok(())
        })
    }
}

/// Answers with the values of the scene's inlets, as their signals are, after each block since the last call: the tick, then one
/// number for each inlet. What a scene's drive says is among them, and what a player does. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_trace(session: *mut Session) {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, (), |desk, half, _| {
            half.follow_scene(&desk.desk);
            answer_numbers(half.trace.clone());
            half.trace.clear();
            Ok(())
        })
    }
}

/// Answers with what the scene's processes have done since the last call, the last thousand at most: five numbers each, its tick
/// with a fraction, the number of the process, how strong it was, in the unit of the process, and where, m, if it knows places. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_happened(session: *mut Session) {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, (), |_, half, _| {
            let player = &mut half.player;
            let (began, rate_hz) = (player.engine().began() as f64, player.rate_hz());
            let mut numbers = Vec::new();
            while let Some(happening) = player.take_happening() {
                let [x, y] = happening.spot_m;
                numbers.extend([began + happening.at_s * rate_hz, happening.process as f64, happening.size, x, y]);
            }
            answer_numbers(numbers);
            Ok(())
        })
    }
}

/// Watches these signals (one name per line) from the next render on, none of them if one is unknown. 1 or, on error, 0. `[control]`
///
/// # Safety
/// `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_watch(session: *mut Session, names: *const c_char, len: usize) -> u32 {
    // SAFETY: the caller's promise is ours.
    let names = unsafe { utf8(names, len) };
    // SAFETY: the caller's promises are ours.
    unsafe {
        control(session, 0, |half, shared| {
            let names: Vec<&str> = names?.lines().filter(|name| !name.is_empty()).collect();
            half.desk.watch(&names, NEVER_S).map_err(words)?;
            shared.watched.store(names.len(), Ordering::Release);
            Ok(1)
        })
    }
}

/// Watched signals of the last render, a row for each frame; null if there are none. Valid until the next render. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_probes(session: *mut Session) -> *const f64 {
    // SAFETY: the caller's promises are ours.
    unsafe { both(session, null(), |_, half, _| Ok(address(&half.rows))) }
}

/// Answers with where every parameter stands, by its number: what is driven now, anything else where it was told to go, whoever told
/// it. [`tocco_readings`](crate::names::tocco_readings) says what that is under every name. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_settings(session: *mut Session) {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, (), |_, half, _| {
            let engine = half.player.engine();
            answer_numbers((0..).map_while(|slot| engine.setting(slot)).collect());
            Ok(())
        })
    }
}

/// Numbers of the bodies that sound, those of parts after the scene's own.
fn bodies(engine: &Engine) -> impl Iterator<Item = usize> + '_ {
    (0..).take_while(|body| engine.scene().directory().body_name(*body).is_some())
}

/// Numbers of the contacts.
fn contacts(engine: &Engine) -> impl Iterator<Item = usize> + '_ {
    (0..).take_while(|contact| engine.scene().directory().contact_name(*contact).is_some())
}

/// Answers with the energy of every body, then of every law, J. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_energies(session: *mut Session) {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, (), |_, half, _| {
            let engine = half.player.engine();
            let mut energies = vec![0.0; bodies(engine).count() + contacts(engine).count()];
            engine.energies(&mut energies);
            answer_numbers(energies);
            Ok(())
        })
    }
}

/// Answers with the energy of every mode of a body, J. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_modes(session: *mut Session, body: u32) {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, (), |_, half, _| {
            let engine = half.player.engine();
            let mut energies = vec![0.0; engine.mode_energies(body as usize, &mut [])];
            engine.mode_energies(body as usize, &mut energies);
            answer_numbers(energies);
            Ok(())
        })
    }
}

/// Answers with how bodies move, for whoever draws them: of every body the number of its ports and their positions, m, then the number of
/// its modes and of each its displacement, m, and velocity, m/s, where its shape is 1, and its frequency as tuned now, rad/s. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_motions(session: *mut Session) {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, (), |_, half, _| {
            let (engine, mut numbers, mut modes) = (half.player.engine(), Vec::new(), Vec::new());
            for body in bodies(engine) {
                let ports: Vec<f64> = (0..).map_while(|port| engine.position(body, port)).collect();
                numbers.push(ports.len() as f64);
                numbers.extend(ports);
                modes.clear();
                modes.resize(engine.mode_motions(body, &mut []), [0.0; 3]);
                engine.mode_motions(body, &mut modes);
                numbers.push(modes.len() as f64);
                numbers.extend(modes.as_flattened());
            }
            answer_numbers(numbers);
            Ok(())
        })
    }
}

/// Answers with how every contact was held since the last call, from [`tocco_watch_touches`] on: the force of largest magnitude, N, and the
/// part of the samples with a force in which the surfaces slid. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_grips(session: *mut Session) {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, (), |_, half, _| {
            let contacts = 0..contacts(half.player.engine()).count();
            let grips = contacts.filter_map(|contact| half.player.grip(contact));
            answer_numbers(grips.flat_map(|grip| [grip.force_n, grip.slid_01]).collect());
            Ok(())
        })
    }
}

/// Answers with unconverged solves, refused or clamped values, resets, and events left out beyond the most, since the start. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_health(session: *mut Session) {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, (), |desk, half, _| {
            let health = half.player.engine().health();
            let clamped = desk.desk.counts().clamped + health.clamped;
            let counts = [health.unconverged, health.refused + clamped, health.reset, health.capped];
            answer_numbers(counts.map(|n| n as f64).to_vec());
            Ok(())
        })
    }
}

/// Records a take, which must be asked for before anything else. 1 or, on error, 0. `[control]`
///
/// # Safety
/// `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_record(session: *mut Session) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        control(session, 0, |half, _| {
            let take = SharedWriter::new(Vec::new());
            half.desk.record(Box::new(take.clone()), PROGRAM).map_err(words)?;
            half.take = Some(take);
            Ok(1)
        })
    }
}

/// Ends the take, after the frames rendered so far, and answers with its text; the sound goes on. 1 or, on error, 0. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_take(session: *mut Session) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe { both(session, 0, |desk, half, _| desk.finish_take(&mut half.player).map(|()| 1)) }
}
