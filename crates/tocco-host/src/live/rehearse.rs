// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether a scene can be played in time at all, found out before it is: its first moments, and those after the most events, on this
//! machine, off to the side.
//!
//! What it costs is the processor time of this thread, so a busy machine refuses nothing that an idle one would take.

use crate::error::{HostError, Result};
use crate::library;
use std::time::Duration;
use tocco::{Command, Document, Engine, Queue, Scene};

/// Sound that is tried, s.
const SOUND_S: f64 = 0.05;
/// It is tried for so long at most.
const PATIENCE: Duration = Duration::from_millis(250);
/// What takes less is done in larger parts.
const SHORT: Duration = Duration::from_millis(2);
/// What takes so many times the time there is, with the fewest sub-steps, cannot be played.
pub const TOO_MUCH: f64 = 4.0;

/// Parts of the time there is that the beginning of a scene takes: as it is, and with all load shed that can be.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// As it is.
    pub full: f64,
    /// With the fewest sub-steps and the faintest modes silent; the same where nothing need be shed.
    pub shed: f64,
}

/// Processor time of this thread.
#[cfg(unix)]
fn own_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(not(unix))]
fn own_time() -> Duration {
    Duration::from_nanos(super::clock::now_ns())
}

/// What the beginning of a scene costs.
pub fn cost(scene: &Document, rate_hz: f64) -> Result<Cost> {
    let dense_s = densest(scene);
    let tried = |quality: Option<(u32, f64)>| -> Result<f64> {
        let first = tried(scene, rate_hz, quality, 0.0)?;
        Ok(if dense_s > SOUND_S { first.max(tried(scene, rate_hz, quality, dense_s)?) } else { first })
    };
    let full = tried(None)?;
    let shed = if full > 0.5 { tried(Some((1, -50.0)))? } else { full };
    Ok(Cost { full, shed: shed.min(full) })
}

/// When the most events come within what is tried, s.
fn densest(scene: &Document) -> f64 {
    let mut times: Vec<f64> = scene.def.events.iter().map(|event| event.at_s).collect();
    times.sort_by(f64::total_cmp);
    let (mut best, mut first) = ((0, 0.0), 0);
    for (last, at_s) in times.iter().enumerate() {
        while at_s - times[first] > SOUND_S {
            first += 1;
        }
        if last - first + 1 > best.0 {
            best = (last - first + 1, times[first]);
        }
    }
    best.1
}

fn tried(scene: &Document, rate_hz: f64, quality: Option<(u32, f64)>, from_s: f64) -> Result<f64> {
    let mut engine = Engine::new(Scene::build(&scene.def, rate_hz).map_err(|e| library::wrong(scene, &e))?);
    let (channels, mut queue) = (engine.scene().channels(), Queue::new());
    if let Some((max_substeps, drop_below_db)) = quality {
        queue.push(0, Command::Quality { max_substeps, drop_below_db });
    }
    let inputs = vec![&[0.0_f32; 32][..]; engine.scene().directory().inputs()];
    let mut out = vec![0.0; 32 * channels];
    // On to where it is tried, unless that alone takes too long.
    let ahead = own_time();
    for _ in 0..(from_s * rate_hz / 32.0) as usize {
        let heard: Vec<&[f32]> = inputs.iter().map(|input| &input[..32]).collect();
        engine.render(&heard, &mut queue, &mut out);
        if own_time() - ahead > PATIENCE {
            break;
        }
    }
    let (began, mut frames) = (own_time(), 0_usize);
    // Few samples at a time where each takes long: of a scene that is much too much, one alone may.
    let mut part = 1;
    while (frames as f64) < SOUND_S * rate_hz && own_time() - began < PATIENCE {
        let heard: Vec<&[f32]> = inputs.iter().map(|input| &input[..part]).collect();
        let before = own_time();
        engine.render(&heard, &mut queue, &mut out[..part * channels]);
        frames += part;
        part = if own_time() - before < SHORT { (2 * part).min(32) } else { 1 };
    }
    Ok((own_time() - began).as_secs_f64() * rate_hz / frames as f64)
}

/// Refuses a scene that cannot be played in time, whatever is shed.
pub fn rehearse(scene: &Document, rate_hz: f64) -> Result<()> {
    let Cost { full, shed } = cost(scene, rate_hz)?;
    if shed <= TOO_MUCH {
        return Ok(());
    }
    Err(HostError::BadInput(format!(
        "{}: its beginning takes {full:.0} times the time there is, and {shed:.0} times with all load shed: too many contacts or \
         modes at once to be played live; render it, or play it with --offline",
        scene.origin
    )))
}
