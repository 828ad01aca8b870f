// SPDX-License-Identifier: MIT OR Apache-2.0
//! What moving a parameter costs: every declared one, a hundred changes a second, in a shipped scene that has it or in one made for it;
//! those of a string a second time, so low that it is a waveguide. One that no scene has is a figure missed.

use super::Table;
use crate::error::{Error, Result};
use crate::library;
use std::collections::HashSet;
use std::time::Instant;
use tocco::param::{Scale, Spec};
use tocco::scene::def::Length;
use tocco::scene::kinds::KINDS;
use tocco::{Command, Document, Engine, Queue, Scene};

/// Seconds of sound that are timed, at most, and frames of a block.
const SECONDS: f64 = 1.0;
const BLOCK: usize = 64;
/// Changes a second.
const CHANGES_HZ: f64 = 100.0;
/// How often each side is timed, and how often at most, if the figure is missed; the least time of every block counts.
const ROUNDS: usize = 3;
const MOST_ROUNDS: usize = 12;
/// A moving parameter costs at most so many times the plain sound, or less than this part of the time there is.
const MOST: f64 = 2.0;
const LITTLE: f64 = 0.01;

const LOW_NAME: &str = "a low string";
/// A string of more partials than are affordable.
const LOW: &str = r#"version = 1
rate_hz = 48000
duration_s = 2.0
[body.mallet]
type = "mass"
mass_kg = 0.01
[body.low]
type = "string"
freq_hz = 35.0
q = 800.0
[body.low.port]
a = 0.13
near = 0.06
far = 0.31
[contact.hit]
type = "impact"
between = ["mallet", "low.a"]
stiffness = 1e6
[[event]]
at_s = 0.01
strike = "mallet"
velocity_m_s = 1.5
[[tap]]
of = "low.near"
[[tap]]
of = "low.far"
"#;

/// What no shipped scene has.
const OTHERS: &str = r#"version = 1
rate_hz = 48000
duration_s = 2.0
[signal.s]
type = "points"
points = [[0.0, 0.0], [0.02, 0.0], [0.04, 1.2], [0.6, 1.0]]
[process.bed]
type = "bed"
driven_by = "s"
[process.step]
type = "footstep"
driven_by = "s"
bands = [{ freq_hz = 400.0, bandwidth_hz = 50.0 }, { freq_hz = 660.0, bandwidth_hz = 700.0, gain = 0.4 }]
envelope = [0.0, 0.7, 1.0, 0.95, 0.8, 0.7, 0.6, 0.5, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05, 0.0]
frame_s = 0.02
[[tap]]
of = "bed"
quantity = "sound"
[[tap]]
of = "step"
quantity = "sound"
"#;

/// Where every parameter is moved.
fn scenes() -> Result<Vec<Document>> {
    let own = |name: &str, text: &str| {
        let read = Document::read(name, "bench", text.to_owned(), |_| Err(String::new()));
        read.map_err(|e| Error::Machine(e.to_string()))
    };
    let mut all = library::shipped()?;
    all.extend([own("what else there is", OTHERS)?, own(LOW_NAME, LOW)?]);
    Ok(all)
}

/// What a declaration is known by: of two kinds, the same words mean the same.
type Declared = (&'static str, &'static str);

/// Declared parameters that were not moved: kind and name.
fn left_out(moved: &HashSet<Declared>) -> Vec<String> {
    let all = KINDS.iter().flat_map(|kind| kind.params.iter().map(move |spec| (kind, spec)));
    let left = all.filter(|(_, spec)| !moved.contains(&(spec.id, spec.doc)));
    left.map(|(kind, spec)| format!("{} of {} {}", spec.id, kind.family, kind.id)).collect()
}

fn is_reached(plain: f64, moved: f64) -> bool {
    moved <= MOST * plain || moved - plain <= LITTLE
}

/// A little to both sides of a value: a hundredth of the knob, where that is no more than a tenth of the value, and a millionth of what
/// there is where it is 0. (What may be 1e20 and is 1e3, or what strikes and is 0, would be another sound else, and cost what that costs.)
fn around(spec: &Spec, value: f64) -> [f64; 2] {
    let at = spec.to_01(value);
    let values = [at - 0.01, at + 0.01].map(|at| spec.from_01(at.clamp(0.0, 1.0)));
    if value == 0.0 {
        let [least, most] = [0.0, 1.0].map(|at| spec.from_01(at));
        return [-1e-6, 1e-6].map(|part| (part * (most - least)).clamp(least, most));
    }
    if spec.scale == Scale::Log || !value.is_finite() {
        return values;
    }
    let most = 0.1 * value.abs();
    values.map(|moved| moved.clamp(value - most, value + most))
}

/// Seconds that every block of a scene takes, with one path on the move if there is one; the least of those of before, where there are.
fn timed(scene: &Document, moving: Option<(&str, [f64; 2])>, least: &mut Vec<f64>) -> Result<f64> {
    let broken = |e: tocco::SceneError| Error::Machine(scene.message(&e));
    let rate_hz = scene.def.rate_hz;
    let built = Scene::build(&scene.def, rate_hz).map_err(broken)?;
    let (channels, directory) = (built.channels(), built.directory().clone());
    let seconds = match scene.def.duration {
        Length::Seconds(s) => s.min(SECONDS),
        Length::Auto => SECONDS,
    };
    let frames = (seconds * rate_hz) as u64;
    let mut queue = Queue::new();
    if let Some((path, values)) = moving {
        let address = directory.address(path).map_err(broken)?;
        for turn in 0..(seconds * CHANGES_HZ) as u64 {
            queue.push((turn as f64 * rate_hz / CHANGES_HZ) as u64, Command::Set(address, values[turn as usize % 2]));
        }
    }
    let (mut engine, mut out) = (Engine::new(built), vec![0.0; BLOCK * channels]);
    // The same block is the same work in every round: the least of its times is its own, whatever else the machine did.
    least.resize((frames / BLOCK as u64) as usize, f64::INFINITY);
    for least in least.iter_mut() {
        let start = Instant::now();
        engine.render(&[], &mut queue, &mut out);
        std::hint::black_box(&out);
        *least = least.min(start.elapsed().as_secs_f64());
    }
    Ok(least.iter().sum::<f64>() / seconds)
}

/// Every declared parameter once, in the first shipped scene in which it is not 0, or the first that has it, a little to and fro around
/// its value.
pub(super) fn moving(table: &mut Table, _: &super::TemporaryFolder) -> Result<()> {
    let goal = format!("<= x{MOST} or {} %", 100.0 * LITTLE);
    table.heading("100 changes a second, % of the time there is", ["plain", "moving", "ratio", "goal"])?;
    let (mut seen, mut acting) = (HashSet::new(), HashSet::new());
    let scenes = scenes()?;
    for scene in &scenes {
        let built = Scene::build(&scene.def, scene.def.rate_hz).map_err(|e| Error::Machine(scene.message(&e)))?;
        let moved = built.directory().paths().into_iter().filter(|(_, _, value)| *value != 0.0);
        acting.extend(moved.map(|(_, spec, _)| (spec.id, spec.doc)));
    }
    for scene in scenes {
        let again = scene.name == LOW_NAME;
        let built = Scene::build(&scene.def, scene.def.rate_hz).map_err(|e| Error::Machine(scene.message(&e)))?;
        for (path, spec, value) in built.directory().paths() {
            // The same declaration on another body of the kind is the same code, but for strings, which are of two kinds.
            let waits = value == 0.0 && acting.contains(&(spec.id, spec.doc));
            let known = waits || !seen.insert((spec.id, spec.doc));
            let other_kind = again && path.starts_with("low/");
            if known && !other_kind {
                continue;
            }
            let values = around(&spec, value);
            let (mut plain, mut moved, mut of_plain, mut of_moved) = (0.0, 0.0, Vec::new(), Vec::new());
            // What misses is timed again: the more rounds, the less of the rest of the machine is in them.
            for round in 0..MOST_ROUNDS {
                if round >= ROUNDS && is_reached(plain, moved) {
                    break;
                }
                plain = timed(&scene, None, &mut of_plain)?;
                moved = timed(&scene, Some((&path, values)), &mut of_moved)?;
            }
            let ratio = moved / plain;
            let reached = is_reached(plain, moved);
            let percent = |part: f64| format!("{:.2}", 100.0 * part);
            let name = format!("{} of {}", path, scene.name);
            let name: String = name.chars().take(56).collect();
            table.figure(&name, [percent(plain), percent(moved), format!("x{ratio:.2}"), goal.clone()], reached)?;
        }
    }
    for name in left_out(&seen) {
        table.figure(&format!("{name}: in no scene here"), [const { String::new() }; 4], false)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declared_parameter_is_moved_in_some_scene() {
        let mut seen = HashSet::new();
        for scene in scenes().unwrap() {
            let built = Scene::build(&scene.def, scene.def.rate_hz).unwrap();
            seen.extend(built.directory().paths().into_iter().map(|(_, spec, _)| (spec.id, spec.doc)));
        }
        assert_eq!(left_out(&seen), [""; 0]);
    }
}
