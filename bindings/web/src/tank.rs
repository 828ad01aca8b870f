// SPDX-License-Identifier: MIT OR Apache-2.0
//! Water in a tank for a page's worker: pour, tilt, stir, look, and what is heard of each frame.

use crate::{answer_numbers, free, hand_out};
use tocco::fluid::sound::{Kind, Rules, Sound};
use tocco::fluid::watch::{Motion, Watcher};
use tocco::fluid::{Block, Tank, TankDef};

/// A tank, watched.
pub struct Water {
    tank: Tank,
    watcher: Watcher,
    rules: Rules,
    motion: Vec<Motion>,
}

impl Water {
    fn new(def: TankDef, frames_hz: u32, seed: u64) -> Result<Self, String> {
        let (tank, watcher) = (Tank::new(def)?, Watcher::new(frames_hz)?);
        Ok(Self { tank, watcher, rules: Rules::new(seed), motion: Vec::new() })
    }

    fn frame(&mut self) -> Vec<Sound> {
        let frame = self.watcher.frame(&mut self.tank);
        self.motion.clone_from(&frame.motion);
        self.rules.sounds(frame, self.tank.def().spacing_m, self.tank.places())
    }
}

/// Numbers of one sound: 0 for a hit and 1 for a bubble, time s, radius m, amplitude Pa, rise, x m, y m, level m.
fn numbers(sound: &Sound) -> [f64; 8] {
    let kind = if sound.kind == Kind::Hit { 0.0 } else { 1.0 };
    [kind, sound.time_s, sound.radius_m, sound.amplitude, sound.rise, sound.at[0], sound.at[1], sound.level_m]
}

/// Positions and velocities of a falling block of 512 particles after so many frames of 1/60 s, then all its sounds: what two machines
/// compare.
pub fn dam(frames: u32) -> Vec<f64> {
    let def = TankDef { width_m: 0.6, height_m: 1.2, spacing_m: 0.0125 };
    let Ok(mut water) = Water::new(def, 60, 1) else { return Vec::new() };
    water.tank.fill(Block { x_m: 0.2, y_m: 0.44, width_m: 0.2, height_m: 0.4 });
    let sounds: Vec<f64> = (0..frames).flat_map(|_| water.frame()).flat_map(|sound| numbers(&sound)).collect();
    let [xs, ys] = water.tank.places();
    let [us, vs] = water.tank.velocities();
    [xs, ys, us, vs, &sounds].concat()
}

/// Answers with [`dam`].
#[unsafe(no_mangle)]
pub extern "C" fn tocco_dam(frames: u32) {
    answer_numbers(dam(frames));
}

/// An empty tank of a width and a height, m, with particles of a spacing, m; null on error.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_tank(width_m: f64, height_m: f64, spacing_m: f64, frames_hz: u32, seed: u32) -> *mut Water {
    hand_out(|| Water::new(TankDef { width_m, height_m, spacing_m }, frames_hz, u64::from(seed)))
}

/// Gives the tank back.
///
/// # Safety
/// `water` came from [`tocco_tank`] and has not been freed; null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_tank_free(water: *mut Water) {
    // SAFETY: the caller's promise is ours.
    unsafe { free(water) }
}

/// Puts a block of water in: left, bottom, width, height, m. How many particles it took.
///
/// # Safety
/// `water` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_tank_fill(water: *mut Water, x_m: f64, y_m: f64, width_m: f64, height_m: f64) -> usize {
    // SAFETY: alive by contract.
    unsafe { &mut *water }.tank.fill(Block { x_m, y_m, width_m, height_m })
}

/// Pours a row of water of a width at a place, m, with a velocity, m/s. How many particles came.
///
/// # Safety
/// `water` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_tank_pour(water: *mut Water, x: f64, y: f64, width: f64, u: f64, v: f64) -> usize {
    // SAFETY: alive by contract.
    unsafe { &mut *water }.tank.pour([x, y], width, [u, v])
}

/// A hand of a radius, m, goes through the water with a velocity, m/s. How many particles it meets.
///
/// # Safety
/// `water` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_tank_stir(water: *mut Water, x: f64, y: f64, radius: f64, u: f64, v: f64) -> usize {
    // SAFETY: alive by contract.
    unsafe { &mut *water }.tank.stir([x, y], radius, [u, v])
}

/// Tilts the tank: acceleration of free fall in its own frame, m/s^2.
///
/// # Safety
/// `water` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_tank_tilt(water: *mut Water, x: f64, y: f64) {
    // SAFETY: alive by contract.
    unsafe { &mut *water }.tank.tilt([x, y]);
}

/// Goes on by a frame and answers with what is heard of it, eight numbers a sound: 0 for a hit and 1 for a bubble, time s, radius m,
/// amplitude Pa, rise, x m, y m, level m.
///
/// # Safety
/// `water` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_tank_frame(water: *mut Water) {
    // SAFETY: alive by contract.
    let sounds = unsafe { &mut *water }.frame();
    answer_numbers(sounds.iter().flat_map(numbers).collect());
}

/// Answers with three numbers for each particle: x m, y m, and 0 where it rests, 1 where it falls, 2 where it collides.
///
/// # Safety
/// `water` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_tank_look(water: *const Water) {
    // SAFETY: alive by contract.
    let water = unsafe { &*water };
    let [xs, ys] = water.tank.places();
    // Who was poured after the frame has not moved yet.
    let motion = water.motion.iter().chain(std::iter::repeat(&Motion::Resting));
    let of = |motion: &Motion| match motion {
        Motion::Resting => 0.0,
        Motion::Falling => 1.0,
        Motion::Colliding => 2.0,
    };
    answer_numbers(xs.iter().zip(ys).zip(motion).flat_map(|((x, y), motion)| [*x, *y, of(motion)]).collect());
}
