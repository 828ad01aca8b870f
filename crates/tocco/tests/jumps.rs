// SPDX-License-Identifier: MIT OR Apache-2.0
//! A value and a stroke at one tick: what is at rest jumps at its tick, as if the scene had been written so.

mod common;
use common::engine;
use tocco::{Engine, Gesture, Queue};

const RATE_HZ: f64 = 48_000.0;
const FRAMES: usize = 9_600;

/// Plays gestures at a tick and gives what is heard from there on.
fn heard(mut engine: Engine, at: u64, gestures: &[Gesture]) -> Vec<f32> {
    let mut queue = Queue::new();
    for gesture in gestures {
        let command = gesture.resolve(engine.scene().directory()).unwrap().command;
        queue.push(at, command);
    }
    let mut out = vec![0.0; at as usize + FRAMES];
    engine.render(&[], &mut queue, &mut out);
    assert!(out[..at as usize].iter().all(|x| *x == 0.0));
    out.split_off(at as usize)
}

fn jump(path: &str, value: f64) -> Gesture {
    Gesture::Jump { path: path.into(), value }
}

fn strike() -> Gesture {
    Gesture::Strike { body: "hammer".into(), velocity_m_s: 1.0 }
}

fn scene(body: &str, hammer: &str) -> String {
    format!(
        "[body.hammer]\ntype = \"mass\"\n{hammer}\n[body.b]\n{body}\n[contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"b\"]\n\
         stiffness = 1e8\n[[tap]]\nof = \"b\"\n"
    )
}

const MODAL: &str = "type = \"modal\"\nmodes = [{ freq_hz = 440.0, decay_s = 0.2, mass_kg = 0.05 }, { freq_hz = 1113.0, decay_s = 0.1, mass_kg = 0.05 }]";
const SHAPE: &str = "type = \"shape\"\nshape = \"bar\"\nmaterial = \"steel\"\nlength_m = 0.3\nwidth_m = 0.03\nthickness_m = 0.005\nmodes = 5";
const STRING: &str = "type = \"string\"\nfreq_hz = 220.0";
const NETWORK: &str = "type = \"network\"\nmass_kg = { a = 0.01, b = 0.02 }\nfixed = [\"floor\"]\n[[body.b.link]]\nbetween = [\"floor\", \"a\", \"b\"]\nstiffness_n_m = 1e5\ndamping_n_s_m = 0.1";

#[test]
fn a_jump_and_a_stroke_at_any_tick_sound_as_a_scene_written_with_the_value() {
    let hammer = "mass_kg = 0.012";
    for (body, path, value, written, beginning) in [
        (MODAL.to_string(), "hammer/mass_kg", 0.1, MODAL.to_string(), "mass_kg = 0.1"),
        (MODAL.to_string(), "b/freq_scale", 2.0, format!("{MODAL}\nfreq_scale = 2.0"), hammer),
        (MODAL.to_string(), "b/decay_scale", 0.3, format!("{MODAL}\ndecay_scale = 0.3"), hammer),
        (SHAPE.to_string(), "b/freq_scale", 0.5, format!("{SHAPE}\nfreq_scale = 0.5"), hammer),
        (STRING.to_string(), "b/freq_hz", 330.0, STRING.replace("220", "330"), hammer),
        (MODAL.to_string(), "hit/stiffness", 1e9, MODAL.to_string(), hammer),
    ] {
        let mut there = scene(&written, beginning);
        if path == "hit/stiffness" {
            there = there.replace("stiffness = 1e8", "stiffness = 1e9");
        }
        for at in [0, 1, 31, 32, 333, 1_000] {
            let wanted = heard(engine(&there, RATE_HZ), at, &[strike()]);
            let got = heard(engine(&scene(&body, hammer), RATE_HZ), at, &[jump(path, value), strike()]);
            assert!(wanted.iter().any(|x| x.abs() > 1e-3));
            let first = got.iter().zip(&wanted).position(|(a, b)| a != b);
            assert_eq!(first, None, "{path} at {at}: {:?}", first.map(|i| (got[i], wanted[i])));
        }
    }
}

#[test]
fn a_jump_of_what_sounds_gains_nothing_and_takes_of_format_1_may_wait_for_their_control_tick() {
    let text = scene(NETWORK, "mass_kg = 0.012")
        // As many steps by either rule, so that the jump alone differs.
        .replace("[\"hammer\", \"b\"]", "[\"hammer\", \"b.b\"]\nsubsteps = 8")
        .replace("of = \"b\"", "of = \"b.b\"");
    let text = text.as_str();
    let render = |late: bool| {
        let mut engine = engine(text, RATE_HZ);
        if late {
            engine.play_as_at_first();
        }
        let mut queue = Queue::new();
        let directory = engine.scene().directory().clone();
        queue.push(5, strike().resolve(&directory).unwrap().command);
        queue.push(1_003, jump("b/freq_scale", 1.5).resolve(&directory).unwrap().command);
        let mut out = vec![0.0; 4_800];
        let mut before = 0.0;
        for (index, part) in out.chunks_mut(1).enumerate() {
            engine.render(&[], &mut queue, part);
            let now = engine.energy() - engine.work();
            assert!(index < 10 || now <= before + 1e-12 * engine.energy().max(1e-9), "{index}: {now} {before}");
            before = now;
        }
        out
    };
    let (at_once, late) = (render(false), render(true));
    assert_eq!(at_once[..1_003], late[..1_003]);
    assert_ne!(at_once[1_003..1_024], late[1_003..1_024]);
}

#[test]
fn a_glide_that_a_jump_ends_leaves_no_slope_behind() {
    let path = "b/freq_scale";
    let run = |glides_before: bool| {
        let mut engine = engine(&scene(MODAL, "mass_kg = 0.012"), RATE_HZ);
        let directory = engine.scene().directory().clone();
        let set = |value: f64| Gesture::Set { path: path.into(), value }.resolve(&directory).unwrap().command;
        let mut queue = Queue::new();
        if glides_before {
            queue.push(0, set(4.0));
        }
        queue.push(1_000, jump(path, 1.0).resolve(&directory).unwrap().command);
        queue.push(1_000, set(1.5));
        queue.push(1_100, strike().resolve(&directory).unwrap().command);
        let mut out = vec![0.0; FRAMES];
        engine.render(&[], &mut queue, &mut out);
        out
    };
    assert!(run(true) == run(false));
}
