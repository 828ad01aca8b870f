// SPDX-License-Identifier: MIT OR Apache-2.0
//! The desk: one truth about every value, takes that hold what came in, and outputs that change with the scene.

use std::io::Write;
use std::sync::{Arc, Mutex};
use tocco::Document;
use tocco::rng::Rng;
use tocco_live::take::{Replay, Take};
use tocco_live::{Session, Setup};

const BAR: &str = r#"
    body.hammer = { type = "mass", mass_kg = 0.01 }
    body.bar = { type = "modal", modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }] }
    contact.hit = { type = "impact", between = ["hammer", "bar"], hardness_01 = 0.5 }
    control = [{ name = "hard", path = "hit/stiffness", range = [1e6, 1e10], scale = "log" }]
    tap = [{ of = "bar" }]
"#;

fn document(text: &str) -> Document {
    Document::read("test", "test", text.to_owned(), |_| Err("no recordings here".into())).unwrap()
}

/// What a take is written to, and stays readable.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn all_names_of_a_value_agree_and_restoring_what_was_moved_does_not_depend_on_the_order() {
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
    for reversed in [false, true] {
        let mut again = Session::open(document(BAR), Setup::default()).unwrap();
        let order: Vec<_> = if reversed { moved.iter().rev().collect() } else { moved.iter().collect() };
        for (path, value) in order {
            again.desk.set(path, *value).unwrap();
        }
        let all =
            |session: &Session| session.desk.paths().into_iter().map(|(path, _, v)| (path, v)).collect::<Vec<_>>();
        assert_eq!(all(&again), all(&session));
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
    let hearing = "body.bar = { type = 'modal', modes = [{ freq_hz = 440.0, decay_s = 0.1, mass_kg = 0.05 }] }\n\
        drive = [{ path = 'bar/force_n', input = 0, gain = 5.0 }]\ntap = [{ of = 'bar' }]";
    for limiter in [false, true] {
        let mut session = Session::open(document(hearing), Setup { limiter, ..Setup::default() }).unwrap();
        assert_eq!(session.player.inputs(), 1);
        let memory = Memory::default();
        session.desk.record(Box::new(memory.clone()), "test").unwrap();
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
        let text = String::from_utf8(memory.0.lock().unwrap().clone()).unwrap();
        let take = Take::from_text(&text, "memory").unwrap();
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

#[test]
fn scenes_with_other_outputs_take_over_at_their_tick_and_the_take_gives_the_same_samples_again() {
    let loud = |outputs: &str| {
        format!(
            "body.bar = {{ type = 'modal', modes = [{{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }}] }}\n{outputs}\n\
             event = [{{ at_s = 0.0, hit = 'bar', impulse_n_s = 0.5 }}]"
        )
    };
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
    let memory = Memory::default();
    session.desk.record(Box::new(memory.clone()), "test").unwrap();
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
    let take = Take::from_text(&String::from_utf8(memory.0.lock().unwrap().clone()).unwrap(), "memory").unwrap();
    for block in [7, 4_096] {
        let mut replay = Replay::new(&take).unwrap();
        let mut out = vec![0.0; 2 * block];
        while replay.render(&mut out) > 0 {}
        assert!(replay.is_faithful(), "blocks of {block}");
    }
}
