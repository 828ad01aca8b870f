// SPDX-License-Identifier: MIT OR Apache-2.0
//! A value that is set may say how long it takes, and a force may be given by the sample.

mod common;
use common::engine;
use tocco::engine::Command;
use tocco::rng::Rng;
use tocco::{Gesture, Queue, Scene};

const RATE_HZ: f64 = 48_000.0;

const BAR: &str = r#"
[body.hand]
type = "guided"
[body.bar]
type = "modal"
modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }, { freq_hz = 1213.0, decay_s = 0.2, mass_kg = 0.04 }]
[body.bar.port]
tip = [1.0, -0.7]
[contact.rub]
type = "friction"
between = ["hand", "bar.tip"]
normal_force_n = 0.0
[[tap]]
of = "bar.tip"
"#;

/// Every sample and the hand's velocity after it.
fn played(text: &str, gestures: &[(u64, Gesture)], frames: usize) -> (Vec<f32>, Vec<f64>) {
    let mut engine = engine(text, RATE_HZ);
    let directory = engine.scene().directory().clone();
    let mut queue = Queue::new();
    for (at, gesture) in gestures {
        queue.push(*at, gesture.resolve::<Scene>(&directory).unwrap().command);
    }
    engine.watch(&[directory.probe("hand.velocity").unwrap()]);
    let (mut out, mut rows) = (vec![0.0; frames], vec![0.0; frames]);
    for (out, rows) in out.chunks_mut(77).zip(rows.chunks_mut(77)) {
        engine.render_probed(&[], &mut queue, out, rows);
    }
    (out, rows)
}

fn glide(path: &str, value: f64, glide_s: f64) -> Gesture {
    Gesture::Glide { path: path.into(), value, glide_s }
}

#[test]
fn a_glide_ends_exactly_at_its_value_after_the_time_that_it_states() {
    for (glide_s, samples) in [(0.01, 480), (0.25, 12_000), (1.0 / RATE_HZ, 1), (0.0, 1)] {
        let (_, velocity) = played(BAR, &[(7, glide("hand/velocity_m_s", 0.3, glide_s))], 13_000);
        let there = velocity.iter().position(|v| *v == 0.3);
        assert_eq!(there, Some(7 + samples - 1), "{glide_s} s");
        assert!(velocity[..7].iter().all(|v| *v == 0.0) && velocity[7 + samples..].iter().all(|v| *v == 0.3));
        let half = velocity[7 + samples / 2];
        assert!(samples == 1 || (half - 0.15).abs() < 0.003, "{half} in the middle");
    }
    // The declared time of this parameter, said aloud, is what it does by itself.
    let declared = engine(BAR, RATE_HZ);
    let directory = declared.scene().directory();
    let path = "bar/freq_scale";
    let own_s = directory.spec(directory.address(path).unwrap()).unwrap().glide_s;
    let hit = (0, Gesture::Hit { site: "bar.tip".into(), impulse_n_s: 0.01 });
    let set = Gesture::Set { path: path.into(), value: 1.5 };
    let said = played(BAR, &[hit.clone(), (1_001, glide(path, 1.5, own_s))], 9_600).0;
    assert!(said == played(BAR, &[hit.clone(), (1_001, set)], 9_600).0);
    assert!(said != played(BAR, &[hit, (1_001, glide(path, 1.5, 2.0 * own_s))], 9_600).0);
}

#[test]
fn a_stream_is_to_the_bit_a_drive_with_a_point_for_every_sample() {
    let mut rng = Rng::new(1, "stream");
    let mut force: Vec<f64> = (0..900).map(|_| rng.normal()).collect();
    force.push(0.0);
    let point = |(i, value): (usize, &f64)| format!("[{:?}, {value:?}]", i as f64 / RATE_HZ);
    let points: Vec<String> = force.iter().enumerate().map(point).collect();
    for path in ["bar.tip/force_n", "hand/velocity_m_s", "rub/normal_force_n"] {
        let pressed = if path.starts_with("bar") { "" } else { "[[drive]]\npath = \"OTHER\"\npoints = [[0.0, 0.5]]\n" };
        let other = if path.starts_with("hand") { "rub/normal_force_n" } else { "hand/velocity_m_s" };
        let text = format!("{BAR}{}", pressed.replace("OTHER", other));
        let values: Vec<f64> = force.iter().map(|x| if path.starts_with("rub") { x.abs() } else { *x }).collect();
        let points = if path.starts_with("rub") { points.join(", ").replace(", -", ", ") } else { points.join(", ") };
        let driven = format!("{text}[[drive]]\npath = \"{path}\"\npoints = [{points}]\n");
        // In two blocks, the second of which takes over where the first ends.
        let part = |from: usize, to: usize| Gesture::Stream { path: path.into(), values: values[from..to].to_vec() };
        let streams = [(0, part(0, 333)), (333, part(333, 901))];
        let (stream, drive) = (played(&text, &streams, 4_800), played(&driven, &[], 4_800));
        assert!(stream.1 == drive.1, "{path}: velocities of the hand");
        assert!(stream.0.iter().any(|x| x.abs() > 1e-6), "{path}");
        let differs = stream.0.iter().zip(&drive.0).position(|(a, b)| a.to_bits() != b.to_bits());
        assert_eq!(differs, None, "{path}");
    }
}

#[test]
fn a_stream_is_taken_whole_ended_by_the_next_command_and_its_block_comes_back() {
    let mut engine = engine(BAR, RATE_HZ);
    let directory = engine.scene().directory().clone();
    let resolve =
        |path: &str, values: Vec<f64>| Gesture::Stream { path: path.into(), values }.resolve::<Scene>(&directory);
    let mut queue = Queue::with_room(8);
    for (at, value) in [(0, 1.0), (100, 2.0)] {
        let command = resolve("bar.tip/force_n", vec![value; 1_000]).unwrap().command;
        assert!(queue.try_push(at, command, 0).is_ok());
    }
    engine.render(&[], &mut queue, &mut [0.0; 500]);
    let spent = queue.spent();
    assert!(matches!(spent, Some(Command::Stream { values: Some(values), .. }) if values[..] == [1.0; 1_000]));
    assert!(queue.spent().is_none(), "the second is still played");
    // A jump ends it: nothing pushes any more, and nothing adds work.
    let zero = Gesture::Jump { path: "bar.tip/force_n".into(), value: 0.0 };
    queue.push(500, zero.resolve(&directory).unwrap().command);
    engine.render(&[], &mut queue, &mut [0.0; 100]);
    let work = engine.work();
    engine.render(&[], &mut queue, &mut [0.0; 2_000]);
    assert!(work != 0.0 && engine.work() == work);
    assert!(resolve("bar.tip/force_n", vec![0.0, f64::NAN]).is_err());
    assert!(resolve("bar/freq_scale", vec![1.0]).err().unwrap().what.contains("does not move by the sample"));
    assert!(resolve("bar.tip/force_n", Vec::new()).is_err());
    assert!(resolve("bar.tip/force_n", vec![1e9]).unwrap().clamped);
    assert_eq!(engine.health().refused, 0);
}
