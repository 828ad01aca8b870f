// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenes in which nothing moves: they rest, and nothing tells afterwards that they did.

mod common;
use common::engine;
use tocco::engine::{Command, Queue};

const RATE_HZ: f64 = 44_100.0;

/// Sets of parameters: when, s, which, and to what.
type Sets<'a> = &'a [(f64, &'a str, f64)];

fn shipped(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The bits of so many seconds with sets of parameters on the way, and the part of the time for which the scene rested. Who watches contacts
/// keeps it from resting.
fn play(text: &str, seconds: f64, sets: Sets<'_>, block: usize, watched: bool) -> (Vec<u32>, f64) {
    let mut engine = engine(text, RATE_HZ);
    let mut queue = Queue::new();
    for (at_s, path, value) in sets {
        let address = engine.scene().directory().address(path).unwrap();
        queue.push((at_s * RATE_HZ) as u64, Command::Set(address, *value));
    }
    engine.watch_touches(watched);
    let (channels, frames) = (engine.scene().channels(), (seconds * RATE_HZ) as usize);
    let (mut bits, mut rested) = (Vec::new(), 0);
    while bits.len() < frames * channels {
        let mut out = vec![0.0; block.min(frames - bits.len() / channels) * channels];
        engine.render(&[], &mut queue, &mut out);
        rested += if engine.rests() { out.len() } else { 0 };
        bits.extend(out.iter().map(|x| x.to_bits()));
    }
    (bits, rested as f64 / (frames * channels) as f64)
}

#[test]
fn a_scene_that_rests_goes_on_as_one_that_was_kept_awake() {
    // Pressed by hand only: first nothing happens, then steps do, then nothing again.
    let by_hand = |name: &str| {
        let text = shipped(name);
        let (from, to) = (text.find("[[drive]]\npath = \"press/value\"").unwrap(), text.find("\n]\n").unwrap() + 3);
        format!("{}{}", &text[..from], &text[to..])
    };
    let room = "[output.main]\nroom = { volume_m3 = 60.0, t60_s = 0.3, wet_01 = 0.2 }";
    let creaking = by_hand("floor-wood-creaking").replace("[output.main]", room);
    let steps = [1.5, 1.7, 2.2, 29.0].map(|at_s| (at_s, "press/value", if at_s == 2.2 { 0.0 } else { 0.5 * at_s }));
    let gravel = by_hand("floor-gravel");
    // Seconds, what happens, and for how much of it nothing does.
    let scenes: [(&str, &str, f64, Sets<'_>, f64); 2] =
        [("a creaking floor in a room", &creaking, 30.0, &steps, 0.1), ("gravel", &gravel, 30.0, &steps, 0.5)];
    for (name, text, seconds, sets, least) in scenes {
        let (awake, never) = play(text, seconds, sets, 512, true);
        assert_eq!(never, 0.0, "{name}");
        assert!(awake.iter().any(|bits| f32::from_bits(*bits).abs() > 1e-3), "{name} is silent");
        for frames in [512, 37] {
            let (bits, rested) = play(text, seconds, sets, frames, false);
            assert!(rested > least, "{name}: rests for {rested} of the time");
            let other = bits.iter().zip(&awake).position(|(a, b)| a != b);
            assert_eq!(other, None, "{name}, blocks of {frames}");
        }
    }
}
