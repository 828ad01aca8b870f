// SPDX-License-Identifier: MIT OR Apache-2.0
//! The envelope follower on recordings of people who walk: Debian's package `scratch` and, where it is at hand (it is large),
//! `castle-game-engine-doc`.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::Path;
use std::process::Command;
use tocco::scene::Recording;
use tocco::{Document, Engine, Queue, Scene};
use tocco_lab::analyse::read::Recording as Sound;
use tocco_testing::skip;

/// Steps that are found: where the envelope is above 0.12 and twice its own slow course, 300 ms after the last at the soonest.
fn steps(sound: &Sound, rate_hz: f64) -> usize {
    let text = "[signal.fast]\ntype = 'follow'\nrecording = 'walk'\n[signal.slow]\ntype = 'probe'\nof = 'fast'\nsmooth_s = 0.12\n\
                [body.a]\ntype = 'mass'\n[[tap]]\nof = 'a'\n";
    let samples: Vec<f32> = sound.samples.iter().map(|x| *x as f32).collect();
    let fetch = |_: &str| Ok(Recording { rate_hz: sound.rate_hz, data: samples.clone().into() });
    let document = Document::read("steps", "steps", text.to_owned(), fetch).unwrap();
    let mut engine = Engine::new(Scene::build(&document.def, rate_hz).unwrap());
    let [fast, slow] = ["fast.value", "slow.value"].map(|name| engine.scene().directory().probe(name).unwrap());
    let (mut count, mut last, mut before) = (0, -300, 0.0);
    for k in 0..(1e3 * samples.len() as f64 / sound.rate_hz) as i32 {
        engine.render(&[], &mut Queue::new(), &mut vec![0.0; (rate_hz / 1e3) as usize]);
        let now = engine.probe(fast);
        if now > 0.12 && now > 2.0 * before && k - last >= 300 {
            (count, last) = (count + 1, k);
        }
        before = engine.probe(slow);
    }
    count
}

#[test]
fn the_steps_of_three_walks_are_counted_by_the_envelope_and_its_slow_course() {
    let human = "/usr/share/scratch/Media/Sounds/Human";
    let grass = "/usr/share/doc/castle-game-engine-doc/examples/fps_game/data/sounds/footsteps_grass.wav";
    let folder = std::env::temp_dir().join(format!("tocco-steps-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let second = folder.join("second.wav");
    let decoded =
        Command::new("mpg123").arg("-q").arg("-w").arg(&second).arg(format!("{human}/Footsteps-2.mp3")).status();
    let there = decoded.is_ok_and(|status| status.success());
    let first = format!("{human}/Footsteps-1.wav");
    for (file, wanted) in [(Path::new(&first), 16), (&second, 6), (Path::new(grass), 2)] {
        if !file.is_file() || (file == second && !there) {
            if file != Path::new(grass) {
                skip("steps of a walk", "Debian's package scratch or mpg123");
            }
            continue;
        }
        let sound = Sound::open(file, true).unwrap();
        for rate_hz in [48_000.0, 96_000.0] {
            assert_eq!(steps(&sound, rate_hz), wanted, "{} at {rate_hz} Hz", file.display());
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
