// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenes in which nothing moves: they rest, and nothing tells afterwards that they did.

mod common;
use common::{engine, probe};
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

#[test]
fn friction_that_is_pressed_again_after_a_pause_falls_beside_its_place_anew_asleep_or_awake() {
    // Whoever rubs at one speed bends each mode by what its shape is at the place: the second has a node there, and moves by what
    // the strokes fall aside.
    let scene = |press: &str| {
        format!(
            "[body.hand]\ntype = \"guided\"\nvelocity_m_s = 0.5\n[body.bar]\ntype = \"modal\"\njitter_01 = 0.5\n\
             modes = [{{ freq_hz = 200.0, decay_s = 0.005, mass_kg = 0.05 }}, {{ freq_hz = 500.0, decay_s = 0.005, mass_kg = 0.05 }}]\n\
             [body.bar.port]\nrubbed = [1.0, 0.0]\none = [1.0, 0.0]\ntwo = [0.0, 1.0]\n\
             [contact.rub]\ntype = \"friction\"\nbetween = [\"hand\", \"bar.rubbed\"]\nnormal_force_n = 1.0\n{press}[[tap]]\nof = \"bar.one\"\n"
        )
    };
    let drive = |pause_s: f64| {
        let again_s = 0.1 + pause_s;
        let points =
            format!("[[0.0, 1.0], [0.1, 1.0], [0.1001, 0.0], [{again_s:?}, 0.0], [{:?}, 1.0]]", again_s + 1e-4);
        scene(&format!("[[drive]]\npath = \"rub/normal_force_n\"\npoints = {points}\n"))
    };
    let event = |at_s: f64, value: f64| {
        format!("[[event]]\nat_s = {at_s:?}\nset = \"rub/normal_force_n\"\nvalue = {value:?}\n")
    };
    let edited = scene(&(event(0.1, 0.0) + &event(0.2, 1.0)));
    for (text, anew) in [(drive(0.1), true), (edited, true), (drive(0.003), false)] {
        // A tap that hears how far it is closed keeps a contact awake.
        for more in ["", "[[tap]]\nof = \"rub\"\nquantity = \"compression\"\n"] {
            let text = format!("{text}{more}");
            let signals = ["bar.one.position", "bar.two.position"];
            let (rows, health) = probe(&mut engine(&text, 48_000.0), &signals, 19_200);
            assert_eq!(health.unconverged, 0);
            let aside = |at_s: f64| {
                let row = &rows[(at_s * 48_000.0) as usize];
                row[1] / row[0]
            };
            let (first, second) = (aside(0.095), aside(0.35));
            assert!(first.abs() > 1e-3, "the first stroke falls beside its place: {first}");
            let differs = (second / first - 1.0).abs() > 1e-3;
            assert_eq!(differs, anew, "{first} {second}\n{text}");
        }
    }
}
