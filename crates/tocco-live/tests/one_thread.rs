// SPDX-License-Identifier: MIT OR Apache-2.0
//! Both halves on one thread, as a worklet or an offline renderer has them.

use tocco::{Document, Engine, Gesture, Queue, Scene};
use tocco_live::take::{Replay, SharedWriter, Take};
use tocco_live::{Session, Setup, When};

const PLATE: &str = "body.hammer = { type = 'mass', mass_kg = 0.01, position_m = -1.0 }\n\
    body.plate = { type = 'shape', shape = 'bar', length_m = 0.3, width_m = 0.03, thickness_m = 0.005, \
    material = 'steel', port = { place = 0.2, ear = 0.02 } }\n\
    contact.hit = { type = 'impact', between = ['hammer', 'plate.place'], stiffness = 1e8 }\n\
    drive = [{ path = 'plate.ear/force_n', input = 0, gain = 0.1 }]\n\
    tap = [{ of = 'plate.ear', gain = 0.3 }]\n";

fn session() -> Session {
    let scene = Document::read("plate", "here", PLATE.into(), |_| Err("none".into())).unwrap();
    Session::open(scene, Setup { limiter: false, ..Setup::default() }).unwrap()
}

fn noise(from: usize) -> Vec<f32> {
    (from..from + 128).map(|i| ((i * 7919 % 1000) as f32 / 500.0 - 1.0) * 0.1).collect()
}

#[test]
fn a_take_that_ends_while_the_sound_goes_on_replays_to_the_same_samples_with_what_came_in() {
    let (mut session, shared) = (session(), SharedWriter::new(Vec::new()));
    session.desk.record(Box::new(shared.clone()), "a test").unwrap();
    let mut heard = Vec::new();
    for block in 0..40 {
        if block == 3 {
            let (site, place) = ("plate.place", [0.4]);
            let directory = session.desk.directory();
            let shape = directory.values_at(directory.site(site).unwrap(), &place).unwrap();
            session.desk.touch_solved(site, &place, shape.into(), When::Now).unwrap();
            session.desk.strike("hammer", 1.5).unwrap();
        }
        if block == 6 {
            let values = noise(6).iter().map(|x| f64::from(*x) / 3.0).collect();
            let stream = Gesture::Stream { path: "plate.place/force_n".into(), values };
            let glide = Gesture::Glide { path: "plate/freq_scale".into(), value: 0.7, glide_s: 0.0123 };
            session.desk.perform(&stream, When::Now).unwrap();
            assert_eq!(session.desk.perform(&glide, When::Now).unwrap().value, 0.7);
        }
        if block == 20 {
            session.desk.hit("plate.ear", 0.01).unwrap(); // waits when the take ends: it is not part of it
            assert!(session.desk.finish().is_err(), "not before it has been asked for");
            session.desk.end_take().unwrap();
            session.player.play(&[], &mut []);
            assert!(session.desk.finish().unwrap().is_some());
        }
        let mut out = [0.0; 128];
        session.play(&[&noise(128 * block)], &mut out).unwrap();
        if block < 20 {
            heard.extend(out);
        } else if block > 20 {
            assert!(out.iter().any(|x| *x != 0.0), "it goes on");
        }
    }
    let text = String::from_utf8(shared.fetch().unwrap()).unwrap();
    assert!(text.contains("\"touch\":\"plate.place\"") && !text.contains("\"hit\":\"plate.ear\""), "{text}");
    assert!(text.contains("\"stream\":\"plate.place/force_n\"") && text.contains("\"glide_s\":0.0123"), "{text}");
    let take = Take::from_text(&text, "here").unwrap();
    assert_eq!((take.ticks, take.input.len()), (2560, 2560));
    let mut replay = Replay::new(&take).unwrap();
    let mut again = vec![0.0; 2560];
    assert_eq!(replay.render(&mut again), 2560);
    assert!(replay.is_faithful() && again == heard);
}

#[test]
fn rows_of_watched_signals_are_those_of_the_engine_and_change_no_sample() {
    let mut session = session();
    let signals = ["hit.force", "plate.ear.velocity"];
    session.desk.watch(&signals, f64::INFINITY).unwrap();
    session.desk.strike("hammer", 1.0).unwrap();
    // The engine by itself.
    let scene = session.desk.scene().def.clone();
    let mut engine = Engine::new(Scene::build(&scene, 48_000.0).unwrap());
    let directory = engine.scene().directory().clone();
    engine.watch(&signals.map(|signal| directory.probe(signal).unwrap()));
    let strike = Gesture::Strike { body: "hammer".into(), velocity_m_s: 1.0 };
    let mut queue = Queue::new();
    queue.push(0, strike.resolve(&directory).unwrap().command);
    for block in 0..4 {
        let input = noise(128 * block);
        let (mut ours, mut rows, mut theirs, mut their_rows) = ([0.0; 128], [0.0; 3 * 128], [0.0; 128], [0.0; 2 * 128]);
        session.player.play_probed(&[&input], &mut ours, &mut rows);
        session.desk.poll().unwrap();
        engine.render_probed(&[&input], &mut queue, &mut theirs, &mut their_rows);
        assert_eq!(ours, theirs);
        for (row, wanted) in rows.chunks_exact(3).zip(their_rows.chunks_exact(2)) {
            assert_eq!(row, [wanted[0], wanted[1], 0.0], "a third column that nothing fills");
        }
        assert!(block > 0 || rows.iter().step_by(3).any(|force| *force > 1.0));
    }
}
