// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rings that nobody empties: the audio half waits for room, frees nothing itself, and says what became of every request.

use tocco::{Document, Gesture};
use tocco_live::take::SharedWriter;
use tocco_live::{Session, Setup, When};
use tocco_testing::allocations::{Counting, assert_awake, count, watched};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const BAR: &str = "body.bar = { type = 'shape', shape = 'bar', length_m = 0.3, width_m = 0.03, thickness_m = 0.005, \
    material = 'steel', modes = 4, port = { place = 0.2, ear = 0.02 } }\ntap = [{ of = 'bar.ear' }]";

#[test]
fn touches_that_are_forgotten_while_nobody_reads_the_reports_are_all_told_of_and_freed_elsewhere() {
    let scene = Document::read("bar", "here", BAR.into(), |_| Err("none".into())).unwrap();
    let mut session = Session::open(scene, Setup::default()).unwrap();
    session.desk.record(Box::new(SharedWriter::new(std::io::sink())), "test").unwrap();
    let directory = session.desk.directory().clone();
    let (site, place) = ("bar.place", [0.4]);
    let shape = directory.values_at(directory.site(site).unwrap(), &place).unwrap();
    let mut out = [0.0; 64];
    for round in 0..3 {
        // Answers to these are not read, so the way back is half full.
        for _ in 0..8_000 {
            session.desk.hit("bar.ear", 1e-9).unwrap();
        }
        watched(|| session.player.play(&[], &mut out));
        let later = When::Tick(1_000_000);
        while session.desk.touch_solved(site, &place, shape.clone().into(), later).is_ok() {}
        watched(|| session.player.play(&[], &mut out));
        while session.desk.touch_solved(site, &place, shape.clone().into(), later).is_ok() {}
        for _ in 0..4 {
            watched(|| session.player.play(&[], &mut out));
            let _ = session.desk.perform(&Gesture::Hush, When::Now);
            let _ = session.desk.touch_solved(site, &place, shape.clone().into(), later);
        }
        watched(|| session.player.play(&[], &mut out));
        // Now somebody reads.
        session.desk.poll().unwrap();
        while session.desk.hush().is_err() {
            watched(|| session.player.play(&[], &mut out));
            session.desk.poll().unwrap();
        }
        for _ in 0..4 {
            watched(|| session.player.play(&[], &mut out));
            session.desk.poll().unwrap();
        }
        assert_eq!(session.desk.under_way(), 0, "round {round}");
    }
    assert_eq!(count(), 0);
    assert_awake();
}
