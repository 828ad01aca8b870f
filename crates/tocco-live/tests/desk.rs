// SPDX-License-Identifier: MIT OR Apache-2.0
//! The desk: one truth about every value, takes that hold what came in, and outputs that change with the scene.

use tocco::rng::Rng;
use tocco::{Document, Gesture};
use tocco_live::limiter::CEILING_DBTP;
use tocco_live::take::{Replay, SharedWriter, Take};
use tocco_live::{Session, Setup, When};

const BAR: &str = r#"
    body.hammer = { type = "mass", mass_kg = 0.01 }
    body.bar = { type = "modal", modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }] }
    contact.hit = { type = "impact", between = ["hammer", "bar"], hardness_01 = 0.5 }
    control = [{ name = "hard", path = "hit/stiffness", range = [1e6, 1e10], scale = "log" }]
    tap = [{ of = "bar" }]
"#;

const HEARING: &str = r#"
    body.bar = { type = "modal", modes = [{ freq_hz = 440.0, decay_s = 0.1, mass_kg = 0.05 }] }
    drive = [{ path = "bar/force_n", input = 0, gain = 5.0 }]
    tap = [{ of = "bar" }]
"#;

fn document(text: &str) -> Document {
    Document::read("test", "test", text.to_owned(), |_| Err("no recordings here".into())).unwrap()
}

fn recorded(session: &mut Session) -> SharedWriter<Vec<u8>> {
    let memory = SharedWriter::new(Vec::new());
    session.desk.record(Box::new(memory.clone()), "test").unwrap();
    memory
}

fn take_in(memory: &SharedWriter<Vec<u8>>) -> Take {
    Take::from_text(&String::from_utf8(memory.fetch().unwrap()).unwrap(), "memory").unwrap()
}

#[test]
fn all_names_of_a_value_agree() {
    let mut session = Session::open(document(BAR), Setup::default()).unwrap();
    let desk = &mut session.desk;
    for (path, value) in
        [("hit/contact_time_s", 3e-4), ("hard", 0.9), ("hit/hardness_01", 0.8), ("bar/freq_scale", 1.5)]
    {
        desk.set(path, value).unwrap();
    }
    assert!((desk.value("hit/hardness_01").unwrap() - 0.8).abs() < 1e-12, "the last word counts, by every name");
    let stiffness = desk.value("hit/stiffness").unwrap();
    let knob = desk.controls()[0].position;
    assert!((1e6 * 1e4_f64.powf(knob) / stiffness - 1.0).abs() < 1e-9, "the control stands where its value is");
    let moved = desk.moved();
    let paths: Vec<&str> = moved.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["bar/freq_scale", "hit/stiffness"], "one entry for each value");
}

/// Everything that a desk says about its values: paths, then controls.
fn state(session: &Session) -> Vec<(String, f64)> {
    let paths = session.desk.paths().into_iter().map(|(path, _, value)| (path, value));
    paths.chain(session.desk.controls().into_iter().map(|knob| (knob.name, knob.position))).collect()
}

#[test]
fn restoring_every_value_under_every_name_does_not_depend_on_their_order() {
    let mut first = Session::open(document(BAR), Setup::default()).unwrap();
    for (path, value) in [("hard", 0.9), ("hit/hardness_01", 0.8), ("bar/freq_scale", 1.5), ("bar/decay_scale", 0.7)] {
        first.desk.set(path, value).unwrap();
    }
    let wanted = state(&first);
    // Values that share one place under several names differ by rounding; whoever comes last has the last word.
    let close = |one: &[(String, f64)], other: &[(String, f64)]| {
        assert_eq!(one.len(), other.len());
        for ((path, value), (_, wanted)) in one.iter().zip(other) {
            assert!((value - wanted).abs() <= 1e-12 * wanted.abs(), "{path}: {value}, wanted {wanted}");
        }
    };
    let mut all = wanted.clone();
    assert!(all.len() > 8, "names that share a value among them: {all:?}");
    let played = |session: &mut Session| {
        session.desk.strike("hammer", 1.0).unwrap();
        let mut out = vec![0.0; 4_800];
        session.play(&[], &mut out).unwrap();
        out
    };
    let mut rng = Rng::new(4, "shuffle");
    let mut heard: Option<Vec<f32>> = None;
    for round in 0..40 {
        for last in (1..all.len()).rev() {
            all.swap(last, (rng.bits() % (last as u64 + 1)) as usize);
        }
        let mut again = Session::open(document(BAR), Setup::default()).unwrap();
        for (path, value) in &all {
            again.desk.jump(path, *value).unwrap();
        }
        close(&state(&again), &wanted);
        let sound = played(&mut again);
        let heard = heard.get_or_insert_with(|| sound.clone());
        let apart = heard.iter().zip(&sound).fold(0.0_f32, |most, (a, b)| most.max((a - b).abs()));
        assert!(apart < 1e-6 && sound.iter().any(|x| x.abs() > 1e-3), "round {round}: {apart}");
    }
    // By their own names alone, as `moved` gives them, not a bit differs.
    let moved = first.desk.moved();
    for reversed in [false, true] {
        let mut again = Session::open(document(BAR), Setup::default()).unwrap();
        let order: Vec<_> = if reversed { moved.iter().rev().collect() } else { moved.iter().collect() };
        for (path, value) in order {
            again.desk.set(path, *value).unwrap();
        }
        assert_eq!(state(&again), wanted);
    }
}

#[test]
fn an_edit_keeps_what_was_set_under_every_name_and_a_load_does_not() {
    let mut session = Session::open(document(BAR), Setup::default()).unwrap();
    session.desk.set("hard", 0.25).unwrap();
    session.desk.edit(document(&BAR.replace("decay_s = 0.5", "decay_s = 0.4"))).unwrap();
    assert!((session.desk.value("hard").unwrap() - 0.25).abs() < 1e-12);
    session.desk.load(document(BAR)).unwrap();
    assert!(session.desk.moved().is_empty());
}

#[test]
fn a_take_holds_the_sound_that_came_in_and_gives_the_same_samples_again() {
    for limiter in [false, true] {
        let mut session = Session::open(document(HEARING), Setup { limiter, ..Setup::default() }).unwrap();
        assert_eq!(session.player.inputs(), 1);
        let memory = recorded(&mut session);
        let (mut rng, mut heard) = (Rng::new(1, "ear"), Vec::new());
        for round in 0..200 {
            let frames = 1 + (rng.bits() % 500) as usize;
            let sound: Vec<f32> = (0..frames).map(|_| rng.between(-1.0, 1.0) as f32).collect();
            let mut block = vec![0.0; frames];
            // Now and then the microphone gives nothing.
            let inputs: &[&[f32]] = if round % 10 == 9 { &[] } else { &[&sound] };
            session.play(inputs, &mut block).unwrap();
            heard.extend_from_slice(&block);
        }
        session.desk.stop().unwrap();
        session.play(&[], &mut [0.0]).unwrap();
        session.desk.finish().unwrap();
        let take = take_in(&memory);
        let mut replay = Replay::new(&take).unwrap();
        let (mut again, mut block) = (Vec::new(), vec![0.0; 333]);
        loop {
            let frames = replay.render(&mut block);
            if frames == 0 {
                break;
            }
            again.extend_from_slice(&block[..frames]);
        }
        assert!(replay.is_faithful() && again == heard && heard.iter().any(|x| x.abs() > 1e-3));
    }
}

/// A bar that is hit hard at the start, on these outputs.
fn loud(outputs: &str) -> String {
    format!(
        "body.bar = {{ type = 'modal', modes = [{{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }}] }}\n{outputs}\n\
         event = [{{ at_s = 0.0, hit = 'bar', impulse_n_s = 0.5 }}]"
    )
}

#[test]
fn nothing_passes_the_ceiling_while_scenes_with_other_outputs_come_and_go() {
    let scenes = [
        loud("output.a.channels = [0]\noutput.b.channels = [1]\ntap = [{ of = 'bar', to = 'a', gain = 2.0 }]"),
        loud("output.b.channels = [0]\noutput.a.channels = [1]\ntap = [{ of = 'bar', to = 'a', gain = 2.0 }]"),
        loud("tap = [{ of = 'bar', pan_01 = 0.5 }]"),
    ];
    let mut session = Session::open(document(&scenes[0]), Setup { channels: 2, ..Setup::default() }).unwrap();
    let (mut rng, ceiling) = (Rng::new(5, "blocks"), tocco::units::gain(CEILING_DBTP) as f32 * 1.000_001);
    for round in 0..600 {
        // Now and then one is gone before it was heard.
        if rng.unit() < 0.3 {
            session.desk.load(document(&scenes[(rng.bits() % 3) as usize])).unwrap();
        }
        let mut block = vec![0.0; 2 * (1 + (rng.bits() % 300) as usize)];
        session.play(&[], &mut block).unwrap();
        let most = block.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        assert!(most <= ceiling, "round {round}: {most}");
    }
    assert!(session.desk.status().least_gain() < 0.5);
}

#[test]
fn scenes_with_other_outputs_take_over_at_their_tick_and_the_take_gives_the_same_samples_again() {
    let scenes = [
        loud(
            "output.main.channels = [0]\noutput.haptic.channels = [1]\ntap = [{ of = 'bar', to = ['main', 'haptic'] }]",
        ),
        loud("tap = [{ of = 'bar' }, { of = 'bar', channel = 1, gain = 0.01 }]"),
        loud(
            "output.main.channels = [1]\noutput.dry = { channels = [0], limiter = false }\n\
              tap = [{ of = 'bar' }, { of = 'bar', to = 'dry' }]",
        ),
    ];
    let mut session = Session::open(document(&scenes[0]), Setup { channels: 2, ..Setup::default() }).unwrap();
    let memory = recorded(&mut session);
    let mut rng = Rng::new(2, "blocks");
    for round in 0..120 {
        if round % 20 == 19 {
            session.desk.load(document(&scenes[(round / 20) % 3])).unwrap();
        }
        let mut block = vec![0.0; 2 * (1 + (rng.bits() % 400) as usize)];
        session.play(&[], &mut block).unwrap();
    }
    session.desk.stop().unwrap();
    session.play(&[], &mut [0.0; 2]).unwrap();
    session.desk.finish().unwrap();
    let take = take_in(&memory);
    for block in [7, 4_096] {
        let mut replay = Replay::new(&take).unwrap();
        let mut out = vec![0.0; 2 * block];
        while replay.render(&mut out) > 0 {}
        assert!(replay.is_faithful(), "blocks of {block}");
    }
}

#[test]
fn a_take_that_lost_sound_which_came_in_says_that_it_is_spoiled() {
    let mut session = Session::open(document(HEARING), Setup::default()).unwrap();
    let memory = recorded(&mut session);
    let sound = [0.1; 4_000];
    // Six seconds in which nobody fetches what the tape holds of five.
    for _ in 0..72 {
        session.player.play(&[&sound], &mut [0.0; 4_000]);
    }
    session.desk.stop().unwrap();
    session.play(&[], &mut [0.0]).unwrap();
    assert_eq!(session.desk.status().lost_input_frames, 48_000);
    assert_eq!(session.desk.status().lost_frames, 0, "nobody writes the sound itself");
    session.desk.finish().unwrap();
    let said: Vec<String> = std::iter::from_fn(|| session.desk.news()).collect();
    assert!(said.iter().any(|line| line.contains("the take is spoiled: 48000 frames")), "{said:?}");
    assert_eq!(take_in(&memory).lost_input, 48_000);
}

#[test]
fn without_a_clock_nothing_is_placed_by_time_and_that_is_said() {
    let mut session = Session::open(document(BAR), Setup::default()).unwrap();
    session.play(&[], &mut [0.0; 64]).unwrap();
    assert_eq!(session.desk.tick_at(0.0), None);
    let strike = Gesture::Strike { body: "hammer".into(), velocity_m_s: 1.0 };
    let error = session.desk.perform(&strike, When::At(1e9)).unwrap_err().to_string();
    assert!(error.contains("there is no clock"), "{error}");
    assert_eq!((session.desk.counts().refused, session.desk.counts().sent), (1, 0));
}

#[test]
fn another_scene_comes_at_the_next_block_boundary_or_is_refused() {
    let mut session = Session::open(document(BAR), Setup::default()).unwrap();
    for gesture in [Gesture::Load(Box::new(document(BAR))), Gesture::Edit(Box::new(document(BAR)))] {
        let error = session.desk.perform(&gesture, When::Tick(4_800)).unwrap_err().to_string();
        assert!(error.contains("next block boundary") && session.desk.generation() == 0, "{error}");
        session.desk.perform(&gesture, When::Now).unwrap();
        assert_eq!(session.desk.generation(), 1);
        session = Session::open(document(BAR), Setup::default()).unwrap();
    }
}

#[test]
fn rest_at_a_tick_forgets_what_comes_after_that_tick_and_not_what_comes_before() {
    let mut session = Session::open(document(BAR), Setup::default()).unwrap();
    let memory = recorded(&mut session);
    for at in [100, 200, 300] {
        let strike = Gesture::Strike { body: "hammer".into(), velocity_m_s: 1.0 };
        session.desk.perform(&strike, When::Tick(at)).unwrap();
    }
    session.desk.perform(&Gesture::Hush, When::Tick(200)).unwrap();
    session.play(&[], &mut [0.0; 512]).unwrap();
    session.desk.stop().unwrap();
    session.play(&[], &mut [0.0]).unwrap();
    session.desk.finish().unwrap();
    assert_eq!((session.desk.counts().done, session.desk.counts().dropped), (3, 1));
    let done: Vec<u64> = take_in(&memory).entries.iter().map(|entry| entry.at).collect();
    assert_eq!(done, [100, 200, 200]);
}

#[test]
fn a_scene_that_finds_no_room_in_the_ring_leaves_the_old_one_in_place() {
    let mut session = Session::open(document(BAR), Setup::default()).unwrap();
    session.desk.watch(&["hit.force"], 0.001).unwrap();
    let mut sent = 0;
    while sent < 8_190 {
        session.desk.hit("bar", 1e-9).unwrap();
        sent += 1;
    }
    // Room for one request more, and a scene needs two.
    let error = session.desk.load(document(BAR)).unwrap_err().to_string();
    assert!(error.contains("requests wait already") && session.desk.generation() == 0, "{error}");
    session.desk.hit("bar", 1e-9).unwrap();
    session.play(&[], &mut [0.0; 64]).unwrap();
    session.desk.load(document(BAR)).unwrap();
    session.play(&[], &mut [0.0; 4_096]).unwrap();
    assert!(session.desk.generation() == 1 && session.desk.watched_values().is_some(), "and it is watched");
}

#[test]
fn a_take_has_a_mark_at_least_once_a_second_whatever_the_blocks_and_the_gestures() {
    let mut session = Session::open(document(BAR), Setup::default()).unwrap();
    let memory = recorded(&mut session);
    let mut rng = Rng::new(7, "marks");
    let (channels, rate) = (session.player.channels(), session.player.rate_hz());
    while session.desk.tick() < 10 * rate as u64 {
        for _ in 0..rng.bits() % 8 {
            session.desk.set("hit/stiffness", rng.between_log(1e6, 1e9)).unwrap();
        }
        let mut block = vec![0.0; (1 + rng.bits() as usize % 4096) * channels];
        session.player.play(&[], &mut block);
        session.desk.poll().unwrap();
    }
    session.desk.stop().unwrap();
    session.player.play(&[], &mut vec![0.0; 64 * channels]);
    session.desk.poll().unwrap();
    session.desk.finish().unwrap();
    let text = String::from_utf8(memory.fetch().unwrap()).unwrap();
    let ticks = |line: &str| -> u64 {
        let digits = line.split(':').nth(1).unwrap();
        digits.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
    };
    let ends = text.lines().filter(|line| line.starts_with("{\"mark\"") || line.starts_with("{\"end\""));
    let marks: Vec<u64> = [0].into_iter().chain(ends.map(ticks)).collect();
    assert!(marks.len() > 11, "{marks:?}");
    assert!(marks.windows(2).all(|two| two[1] - two[0] <= rate as u64), "{marks:?}");
}
