// SPDX-License-Identifier: MIT OR Apache-2.0
//! The engine behind a small C ABI, for WebAssembly: pages, audio worklets, Node.
//!
//! A worklet has no `TextDecoder` and generated glue wants one, so the ABI is written by hand. Text goes in as UTF-8 at
//! an address from [`tocco_alloc`]. Functions that can fail return null or 0 and leave one line at [`tocco_error`].
//! Ticks are doubles because JavaScript numbers are; a tick in the past means now. After any call the module's memory
//! may have grown: make typed-array views anew.

mod describe;
pub mod keys;
pub mod maths;

use std::cell::RefCell;
use std::ptr::{null, null_mut, slice_from_raw_parts_mut};
use tocco::engine::{Command, Engine, START, Timed, hashed};
use tocco::limiter::{CEILING_DBTP, Limiter};
use tocco::scene::{Scene, SceneDef, SceneError};

/// A scene that is playing.
pub struct Player {
    engine: Engine,
    /// Bodies and contacts.
    nodes: usize,
    /// The scene as JSON.
    description: String,
    /// Sorted by tick; what has been applied is dropped after each render.
    commands: Vec<Timed>,
    out: Vec<f32>,
    /// What is heard: `out` through master gain and limiter.
    heard: Vec<f32>,
    gain: f64,
    limiter: Limiter,
    reduction: f64,
    /// Of all samples so far.
    hash: u64,
    /// Watched signals, one row per frame of the last render.
    probes: Vec<f64>,
    watched: usize,
    /// Energies, modes or counts asked for last.
    numbers: Vec<f64>,
}

thread_local! {
    static ERROR: RefCell<String> = const { RefCell::new(String::new()) };
    static MATHS: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

/// Room for `len` bytes, zeroed.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_alloc(len: usize) -> *mut u8 {
    Box::into_raw(vec![0u8; len].into_boxed_slice()).cast()
}

/// Gives the room back.
///
/// # Safety
/// `bytes` came from [`tocco_alloc`] with the same `len` and has not been given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_dealloc(bytes: *mut u8, len: usize) {
    // SAFETY: by contract this is the boxed slice that `tocco_alloc` released.
    drop(unsafe { Box::from_raw(slice_from_raw_parts_mut(bytes, len)) });
}

/// Last error as UTF-8; valid until the next call that fails.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_error() -> *const u8 {
    ERROR.with_borrow(|text| text.as_ptr())
}

/// Length of the last error in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_error_len() -> usize {
    ERROR.with_borrow(String::len)
}

/// A scene from TOML or JSON at `rate_hz`, or at the scene's own rate if that is 0; null on error.
///
/// # Safety
/// `text` points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_load(text: *const u8, len: usize, rate_hz: f64) -> *mut Player {
    // SAFETY: the caller's promise is ours.
    let built = unsafe { utf8(text, len) }.and_then(|text| load(text, rate_hz).map_err(|e| e.to_string()));
    match built {
        Ok(player) => Box::into_raw(Box::new(player)),
        Err(why) => {
            fail(why);
            null_mut()
        }
    }
}

/// Ends a player.
///
/// # Safety
/// `player` came from [`tocco_load`] and has not been freed; null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_free(player: *mut Player) {
    if !player.is_null() {
        // SAFETY: by contract this is the box that `tocco_load` released.
        drop(unsafe { Box::from_raw(player) });
    }
}

/// Channels of the output.
///
/// # Safety
/// `player` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_channels(player: *const Player) -> u32 {
    // SAFETY: alive by contract.
    unsafe { &*player }.engine.scene().channels() as u32
}

/// Rate of the output, Hz.
///
/// # Safety
/// `player` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_rate_hz(player: *const Player) -> f64 {
    // SAFETY: alive by contract.
    unsafe { &*player }.engine.scene().rate_hz()
}

/// Samples rendered so far.
///
/// # Safety
/// `player` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_tick(player: *const Player) -> f64 {
    // SAFETY: alive by contract.
    unsafe { &*player }.engine.tick() as f64
}

/// The scene as JSON (bodies, contacts, paths, controls, signals), of [`tocco_describe_len`] bytes; valid until the
/// scene is replaced.
///
/// # Safety
/// `player` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_describe(player: *const Player) -> *const u8 {
    // SAFETY: alive by contract.
    unsafe { &*player }.description.as_ptr()
}

/// Length of the description in bytes.
///
/// # Safety
/// `player` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_describe_len(player: *const Player) -> usize {
    // SAFETY: alive by contract.
    unsafe { &*player }.description.len()
}

/// The next `frames` frames, interleaved; valid until the next render of this player.
///
/// # Safety
/// `player` is alive and used by nobody else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_render(player: *mut Player, frames: usize) -> *const f32 {
    // SAFETY: alive and exclusive by contract.
    let player = unsafe { &mut *player };
    player.out.resize(frames * player.engine.scene().channels(), 0.0);
    if player.watched == 0 {
        player.engine.render(&mut player.commands, &mut player.out);
    } else {
        player.probes.resize(frames * player.watched, 0.0);
        player.engine.render_probed(&mut player.commands, &mut player.out, &mut player.probes);
    }
    while player.engine.retired().is_some() {} // a page has no other place to free them
    let now = player.engine.tick();
    player.commands.retain(|command| command.at >= now);
    player.hash = player.out.iter().fold(player.hash, |hash, sample| hashed(hash, *sample));
    player.out.as_ptr()
}

/// The frames of the last render again.
///
/// # Safety
/// `player` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_last(player: *const Player) -> *const f32 {
    // SAFETY: alive by contract.
    unsafe { &*player }.out.as_ptr()
}

/// Hash of everything rendered so far, with which a take ends.
///
/// # Safety
/// `player` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_hash(player: *const Player) -> u64 {
    // SAFETY: alive by contract.
    unsafe { &*player }.hash
}

/// The last render through a master gain, reached by its end, and the true-peak limiter (delayed by its look-ahead), or
/// without the limiter; valid until the next call.
///
/// # Safety
/// `player` is alive and used by nobody else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_limited(player: *mut Player, gain: f64, limiting: u32) -> *const f32 {
    // SAFETY: alive and exclusive by contract.
    let player = unsafe { &mut *player };
    let channels = player.engine.scene().channels();
    let frames = player.out.len() / channels;
    let step = (gain - player.gain) / frames.max(1) as f64;
    player.heard.clear();
    player.heard.extend(player.out.iter().enumerate().map(|(i, sample)| {
        let now = player.gain + step * (i / channels + 1) as f64;
        (f64::from(*sample) * now) as f32
    }));
    player.gain = gain;
    player.reduction = if limiting == 0 { 1.0 } else { player.limiter.limit(&mut player.heard) };
    player.heard.as_ptr()
}

/// Least gain of the limiter in the last block.
///
/// # Safety
/// `player` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_reduction(player: *const Player) -> f64 {
    // SAFETY: alive by contract.
    unsafe { &*player }.reduction
}

/// Records these signals (one name per line) from the next render on; how many there are, or, on error, fewer.
///
/// # Safety
/// As for [`tocco_set`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_watch(player: *mut Player, names: *const u8, len: usize) -> u32 {
    // SAFETY: alive and exclusive by contract.
    let player = unsafe { &mut *player };
    // SAFETY: the caller's promise is ours.
    let probes = unsafe { utf8(names, len) }.and_then(|names| {
        let each = names.lines().filter(|name| !name.is_empty()).map(|name| player.engine.scene().probe(name));
        each.collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())
    });
    match probes {
        Ok(probes) => {
            player.engine.watch(&probes);
            player.watched = probes.len();
            player.watched as u32
        }
        Err(why) => {
            fail(why);
            0
        }
    }
}

/// Watched signals of the last render, one row per frame; valid until the next render.
///
/// # Safety
/// `player` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_probes(player: *const Player) -> *const f64 {
    // SAFETY: alive by contract.
    unsafe { &*player }.probes.as_ptr()
}

/// Energy of every body, then of every law, J; valid until the next call for numbers.
///
/// # Safety
/// `player` is alive and used by nobody else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_energies(player: *mut Player) -> *const f64 {
    // SAFETY: alive and exclusive by contract.
    let Player { engine, numbers, nodes, .. } = unsafe { &mut *player };
    numbers.clear();
    numbers.resize(*nodes, 0.0);
    engine.energies(numbers);
    numbers.as_ptr()
}

/// Energy of every mode of a body, J, [`tocco_modes_len`] of them; valid until the next call for numbers.
///
/// # Safety
/// `player` is alive and used by nobody else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_modes(player: *mut Player, body: u32) -> *const f64 {
    // SAFETY: alive and exclusive by contract.
    let Player { engine, numbers, .. } = unsafe { &mut *player };
    numbers.clear();
    numbers.resize(engine.mode_energies(body as usize, &mut []), 0.0);
    engine.mode_energies(body as usize, numbers);
    numbers.as_ptr()
}

/// Number of values that the last call for numbers gave.
///
/// # Safety
/// `player` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_modes_len(player: *const Player) -> usize {
    // SAFETY: alive by contract.
    unsafe { &*player }.numbers.len()
}

/// Unconverged solves, refused or clamped values, resets, since the start; valid until the next call for numbers.
///
/// # Safety
/// `player` is alive and used by nobody else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_health(player: *mut Player) -> *const f64 {
    // SAFETY: alive and exclusive by contract.
    let Player { engine, numbers, .. } = unsafe { &mut *player };
    let health = engine.health();
    *numbers = [health.unconverged, health.refused + health.clamped, health.reset].map(|n| n as f64).to_vec();
    numbers.as_ptr()
}

/// Another scene from a tick on, at the same rate; what stays keeps sounding. 1 or, on error, 0 and the old scene plays
/// on.
///
/// # Safety
/// As for [`tocco_set`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_replace(player: *mut Player, text: *const u8, len: usize) -> u32 {
    // SAFETY: alive and exclusive by contract.
    let player = unsafe { &mut *player };
    // SAFETY: the caller's promise is ours.
    let built = unsafe { utf8(text, len) }.and_then(|text| {
        let def = SceneDef::from_text(text).map_err(|e| e.to_string())?;
        let scene = Scene::build(&def, player.engine.scene().rate_hz()).map_err(|e| e.to_string())?;
        if scene.channels() != player.engine.scene().channels() {
            return Err("the scene has another number of channels; load it afresh".into());
        }
        Ok((def, scene))
    });
    match built {
        Ok((def, scene)) => {
            player.nodes = def.bodies.len() + def.contacts.len();
            player.description = describe::scene(&def, &scene).to_string();
            player.engine.render(&mut [Timed { at: 0, command: Command::adopt(scene) }], &mut []);
            player.commands.clear(); // they hold indices of the old scene
            player.watched = 0;
            1
        }
        Err(why) => {
            fail(why);
            0
        }
    }
}

/// Sets a parameter, external force or control (`hit/stiffness`, `bar.tip/force_n`, `hardness`) at a tick; 1 or, on
/// error, 0.
///
/// # Safety
/// `player` is alive and used by nobody else during the call; `path` points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_set(player: *mut Player, path: *const u8, len: usize, value: f64, at: f64) -> u32 {
    // SAFETY: the caller's promise is ours.
    unsafe { command(player, path, len, at, |scene, path| Ok(Command::Set(scene.address(path)?, value))) }
}

/// As [`tocco_set`], at once: without the glide of the parameter.
///
/// # Safety
/// As for [`tocco_set`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_jump(player: *mut Player, path: *const u8, len: usize, value: f64, at: f64) -> u32 {
    // SAFETY: the caller's promise is ours.
    unsafe { command(player, path, len, at, |scene, path| Ok(Command::Jump(scene.address(path)?, value))) }
}

/// Everything to rest at a tick.
///
/// # Safety
/// `player` is alive and used by nobody else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_hush(player: *mut Player, at: f64) -> u32 {
    // SAFETY: the caller's promise is ours.
    unsafe { command(player, [].as_ptr(), 0, at, |_, _| Ok(Command::Hush)) }
}

/// Sets a mass in motion from zero gap at a tick, with a velocity in m/s; 1 or, on error, 0.
///
/// # Safety
/// As for [`tocco_set`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_strike(player: *mut Player, body: *const u8, len: usize, velocity: f64, at: f64) -> u32 {
    let make = |scene: &Scene, name: &str| Ok(Command::Strike { body: scene.body(name)?, velocity_m_s: velocity });
    // SAFETY: the caller's promise is ours.
    unsafe { command(player, body, len, at, make) }
}

/// An ideal impulse in N s at a site (`bar.tip`) at a tick; 1 or, on error, 0.
///
/// # Safety
/// As for [`tocco_set`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_hit(player: *mut Player, site: *const u8, len: usize, impulse: f64, at: f64) -> u32 {
    let make = |scene: &Scene, name: &str| Ok(Command::Hit { site: scene.site(name)?, impulse_n_s: impulse });
    // SAFETY: the caller's promise is ours.
    unsafe { command(player, site, len, at, make) }
}

/// Touches a port of a shape at another place (fractions) from a tick on; 1 or, on error, 0.
///
/// # Safety
/// As for [`tocco_set`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_touch(
    player: *mut Player,
    site: *const u8,
    len: usize,
    place: *const f64,
    count: usize,
    at: f64,
) -> u32 {
    // SAFETY: the caller's promise is ours.
    let place = unsafe { std::slice::from_raw_parts(place, count) };
    let make = |scene: &Scene, name: &str| {
        let site = scene.site(name)?;
        Ok(Command::Touch { site, shape: scene.shape_at(site, place)?.into() })
    };
    // SAFETY: the caller's promise is ours.
    unsafe { command(player, site, len, at, make) }
}

/// Shape values of the modes at a place of the shape that a port belongs to, [`tocco_modes_len`] of them, for
/// [`tocco_touch_with`] in another instance; null on error.
///
/// # Safety
/// As for [`tocco_set`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_shape_at(
    player: *mut Player,
    site: *const u8,
    len: usize,
    place: *const f64,
    count: usize,
) -> *const f64 {
    // SAFETY: alive and exclusive by contract.
    let player = unsafe { &mut *player };
    // SAFETY: the caller's promise is ours.
    let (name, place) = unsafe { (utf8(site, len), std::slice::from_raw_parts(place, count)) };
    let scene = player.engine.scene();
    let values =
        name.and_then(|name| scene.site(name).and_then(|site| scene.shape_at(site, place)).map_err(|e| e.to_string()));
    match values {
        Ok(values) => {
            player.numbers = values;
            player.numbers.as_ptr()
        }
        Err(why) => {
            fail(why);
            null()
        }
    }
}

/// As [`tocco_touch`] with values that [`tocco_shape_at`] gave elsewhere: nothing to solve on the audio side.
///
/// # Safety
/// As for [`tocco_set`]; `shape` points to `count` doubles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_touch_with(
    player: *mut Player,
    site: *const u8,
    len: usize,
    shape: *const f64,
    count: usize,
    at: f64,
) -> u32 {
    // SAFETY: the caller's promise is ours.
    let shape = unsafe { std::slice::from_raw_parts(shape, count) };
    let make = |scene: &Scene, name: &str| Ok(Command::Touch { site: scene.site(name)?, shape: shape.into() });
    // SAFETY: the caller's promise is ours.
    unsafe { command(player, site, len, at, make) }
}

/// # Safety
/// `player` is alive and exclusive; `name` points to `len` bytes.
unsafe fn command(
    player: *mut Player,
    name: *const u8,
    len: usize,
    at: f64,
    make: impl FnOnce(&Scene, &str) -> Result<Command, SceneError>,
) -> u32 {
    // SAFETY: alive and exclusive by contract.
    let player = unsafe { &mut *player };
    // SAFETY: the caller's promise is ours.
    let made = unsafe { utf8(name, len) }.and_then(|name| make(player.engine.scene(), name).map_err(|e| e.to_string()));
    match made {
        Ok(command) => {
            let at = at as u64; // saturates; NaN is now
            let place = player.commands.partition_point(|other| other.at <= at);
            player.commands.insert(place, Timed { at, command });
            1
        }
        Err(why) => {
            fail(why);
            0
        }
    }
}

/// Values of function `index` of [`maths`], `maths::COUNT` doubles, valid until the next call; null past the last.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_maths(index: u32) -> *const f64 {
    let values = maths::values(index as usize);
    if values.is_empty() {
        return null();
    }
    MATHS.with_borrow_mut(|kept| {
        *kept = values;
        kept.as_ptr()
    })
}

fn load(text: &str, rate_hz: f64) -> Result<Player, SceneError> {
    let def = SceneDef::from_text(text)?;
    let rate_hz = if rate_hz == 0.0 { def.rate_hz } else { rate_hz };
    let scene = Scene::build(&def, rate_hz)?;
    let description = describe::scene(&def, &scene).to_string();
    let (engine, nodes) = (Engine::new(scene), def.bodies.len() + def.contacts.len());
    let limiter = Limiter::new(engine.scene().channels(), rate_hz, CEILING_DBTP);
    Ok(Player {
        engine,
        nodes,
        description,
        commands: Vec::new(),
        out: Vec::new(),
        heard: Vec::new(),
        gain: 1.0,
        limiter,
        reduction: 1.0,
        hash: START,
        probes: Vec::new(),
        watched: 0,
        numbers: Vec::new(),
    })
}

fn fail(why: String) {
    ERROR.set(why);
}

/// # Safety
/// `text` points to `len` bytes that outlive the use of the result.
unsafe fn utf8<'a>(text: *const u8, len: usize) -> Result<&'a str, String> {
    // SAFETY: by contract.
    let bytes = unsafe { std::slice::from_raw_parts(text, len) };
    std::str::from_utf8(bytes).map_err(|e| format!("the text is not UTF-8: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAR: &str = "[body.hammer]\ntype = 'mass'\nmass_kg = 0.01\nposition_m = -1.0\n\
        [body.bar]\ntype = 'modal'\nmodes = [{ freq_hz = 440.0, decay_s = 1.0, mass_kg = 0.05 }]\n\
        [contact.hit]\ntype = 'impact'\nbetween = ['hammer', 'bar']\n[[tap]]\nof = 'bar'\n";

    fn load(text: &str) -> *mut Player {
        // SAFETY: the text is alive during the call.
        unsafe { tocco_load(text.as_ptr(), text.len(), 48_000.0) }
    }

    fn last_error() -> String {
        ERROR.with_borrow(String::clone)
    }

    /// Blocks of 7 with one gesture at tick 100; where sound begins.
    fn first_sound(gesture: impl FnOnce(*mut Player) -> u32) -> Option<usize> {
        let player = load(BAR);
        assert!(!player.is_null(), "{}", last_error());
        assert_eq!(gesture(player), 1, "{}", last_error());
        let mut heard = Vec::new();
        for _ in 0..30 {
            // SAFETY: the player is alive; it has one channel, so seven samples are there.
            heard.extend_from_slice(unsafe { std::slice::from_raw_parts(tocco_render(player, 7), 7) });
        }
        // SAFETY: alive, and not used again.
        unsafe {
            assert_eq!((tocco_channels(player), tocco_rate_hz(player), tocco_tick(player)), (1, 48_000.0, 210.0));
            tocco_free(player);
        }
        heard.iter().position(|x| *x != 0.0)
    }

    #[test]
    fn gestures_sound_at_their_tick_whatever_the_block() {
        // SAFETY: players are alive, texts outlive the calls.
        unsafe {
            assert_eq!(first_sound(|player| tocco_hit(player, "bar".as_ptr(), 3, 0.01, 100.0)), Some(100));
            assert_eq!(first_sound(|player| tocco_strike(player, "hammer".as_ptr(), 6, 1.0, 100.0)), Some(100));
            assert_eq!(first_sound(|player| tocco_set(player, "bar/force_n".as_ptr(), 11, 1.0, 100.0)), Some(100));
            assert_eq!(first_sound(|player| tocco_set(player, "bar/freq_scale".as_ptr(), 14, 2.0, 100.0)), None);
        }
    }

    #[test]
    fn what_cannot_be_done_is_answered_with_one_line() {
        assert!(load("[body.bar]\ntype = 'modle'\n").is_null());
        assert!(last_error().contains("modal") && !last_error().contains('\n'), "{}", last_error());
        let player = load(BAR);
        // SAFETY: the player is alive until it is freed, texts outlive the calls.
        unsafe {
            assert_eq!(tocco_set(player, "bra/freq_scale".as_ptr(), 14, 1.0, 0.0), 0);
            assert!(last_error().contains("bar"), "{}", last_error());
            assert_eq!(tocco_hit(player, [0xff].as_ptr(), 1, 1.0, 0.0), 0);
            assert!(last_error().contains("UTF-8"), "{}", last_error());
            tocco_free(player);
            tocco_free(null_mut());
            tocco_dealloc(tocco_alloc(5), 5);
            tocco_dealloc(tocco_alloc(0), 0);
        }
    }
}
