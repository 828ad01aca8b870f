// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two halves together: what is answered, when it is heard, and how long a block takes.

use std::time::{Duration, Instant, SystemTime};
use tocco::Gesture;
use tocco_host::bench::live::RATE_HZ;
use tocco_host::library;
use tocco_host::live::device::{Device, Line, Null, OpenNull};
use tocco_host::live::play::words;
use tocco_host::live::{self, Beat, Desk, Player, Setup, When, rehearse};

const BAR: &str = "[body.bar]\ntype = \"modal\"\nmodes = [{ freq_hz = 441.0, decay_s = 0.5, mass_kg = 0.05 }]\n[[tap]]\nof = \"bar\"\n\
    [body.ball]\ntype = \"mass\"\nmass_kg = 0.01\nposition_m = -1.0\n[body.wall]\ntype = \"wall\"\n";

fn halves(text: &str, limiter: bool) -> (Desk, Player) {
    let scene = library::from_text("bar", "bar", text.to_owned(), None).unwrap();
    live::open(scene, Setup { limiter, watch_load: false, ..Setup::default() }).unwrap()
}

#[test]
fn mistakes_are_answered_on_the_control_side_counted_and_never_heard() {
    let (mut desk, mut player) = halves(BAR, true);
    let said = |result: tocco_live::Result<live::Answer>| result.unwrap_err().to_string();
    assert!(said(desk.set("bar/freq_scal", 1.0)).contains("did you mean 'bar/freq_scale'?"));
    assert!(said(desk.set("bar/freq_scale", f64::NAN)).contains("not a number"));
    assert!(said(desk.strike("bal", 1.0)).contains("did you mean 'ball'?"));
    assert!(said(desk.strike("bar", 1.0)).contains("not a mass"));
    assert!(said(desk.hit("wall", 1.0)).contains("cannot move"));
    assert!(said(desk.hit("bar", f64::NAN)).contains("not a number"));
    assert!(desk.watch(&["bar.speed"], 0.1).unwrap_err().to_string().contains("no signal"));
    let answer = desk.set("/bar/freq_scale", 100.0).unwrap();
    assert!(answer.clamped && answer.value == 8.0);
    assert_eq!((desk.counts().refused, desk.counts().clamped), (7, 1));
    let text = BAR.replace("of = \"bar\"\n", "of = \"bar\"\nchannel = 3\n");
    let wide = library::from_text("wide", "wide", text, None).unwrap();
    assert!(desk.load(wide).unwrap_err().to_string().contains("channels"));
    let mut out = [0.0; 512];
    player.play(&[], &mut out);
    desk.poll().unwrap();
    assert!(out.iter().all(|x| *x == 0.0));
    let health = desk.status().health;
    assert_eq!((health.refused, health.clamped), (0, 0), "the audio half saw none of it");
}

#[test]
fn an_order_is_heard_at_the_next_block_boundary_or_at_its_very_sample() {
    let (mut desk, mut player) = halves(BAR, false);
    let mut out = vec![0.0; 64];
    player.play(&[], &mut out);
    desk.hit("bar", 0.01).unwrap();
    player.play(&[], &mut out);
    assert!(out[0] != 0.0);
    for at in [200_u64, 1_111, 1_112] {
        let (mut desk, mut player) = halves(BAR, false);
        desk.perform(&Gesture::Hit { site: "bar".to_owned(), impulse_n_s: 0.01 }, When::Tick(at)).unwrap();
        let mut out = vec![0.0; 2_048];
        out.chunks_mut(64).for_each(|block| player.play(&[], block));
        assert_eq!(out.iter().position(|x| *x != 0.0), Some(at as usize));
        desk.poll().unwrap();
        assert_eq!(desk.counts().done, 1);
    }
}

#[test]
fn a_time_tag_becomes_the_sample_of_that_time() {
    let (mut desk, player) = halves(BAR, false);
    let null = Null::start(player, 64).map_err(|(_, e)| e).unwrap();
    let mut apart = Vec::new();
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(20));
        desk.poll().unwrap();
        let now = SystemTime::now();
        let (Some(tick), Some(later)) =
            (live::clock::tick_of(&desk, now), live::clock::tick_of(&desk, now + Duration::from_millis(250)))
        else {
            continue;
        };
        assert_eq!(later - tick, 12_000, "two tags keep their distance");
        apart.push(tick.abs_diff(desk.tick()) as f64 / RATE_HZ);
    }
    apart.sort_by(f64::total_cmp);
    // The paced device runs up to a block ahead; a loaded machine adds its delays.
    assert!(apart[apart.len() / 2] < 0.05, "{apart:?}");
    assert!(Box::new(null).stop().is_some());
}

#[test]
fn loading_panic_probes_and_controls_work_while_it_plays() {
    let setup = Setup { channels: 2, ..Setup::default() };
    let (mut desk, mut player) = live::open(library::load("bar").unwrap(), setup).unwrap();
    desk.watch(&["energy"], 0.0).unwrap();
    let mut out = vec![0.0; 9_600];
    player.play(&[], &mut out);
    desk.poll().unwrap();
    let energy = desk.watched_values().unwrap().1[0].1;
    assert!(energy > 0.0);
    desk.perform(&Gesture::Hit { site: "bar".to_owned(), impulse_n_s: 1.0 }, When::Tick(20_000)).ok();
    desk.hush().unwrap();
    player.play(&[], &mut out);
    player.play(&[], &mut out);
    desk.poll().unwrap();
    assert_eq!(desk.watched_values().unwrap().1[0].1, 0.0);
    assert!(out.iter().all(|x| *x == 0.0));
    desk.load(library::load("bell").unwrap()).unwrap();
    let rings = (0..20).any(|_| {
        player.play(&[], &mut out);
        desk.poll().unwrap();
        desk.watched_values().unwrap().1[0].1 > 0.0
    });
    assert!(rings && desk.scene().name == "bell", "the watched signal is watched on");
}

#[test]
fn a_block_that_overruns_is_told_of_while_it_overruns() {
    let scene = library::from_text("crowd", "crowd", tocco_testing::crowd(256), None).unwrap();
    // As much of it as takes three seconds, by what its first samples take.
    let times = rehearse::cost(&scene, RATE_HZ).unwrap().full;
    let frames = (3.0 * RATE_HZ / times).ceil() as usize;
    let (mut desk, player) = live::open(scene, Setup { rate_hz: Some(RATE_HZ), ..Setup::default() }).unwrap();
    let mut line = Line::start(Box::new(OpenNull { frames }), player, frames).unwrap();
    let since = Instant::now();
    let said = loop {
        assert!(since.elapsed() < Duration::from_secs(60), "nothing is said of {frames} frames");
        std::thread::sleep(Duration::from_millis(10));
        desk.poll().unwrap();
        line.tend(&mut desk).unwrap();
        if let Some(said) = desk.news() {
            break said;
        }
    };
    assert_eq!(said, "a block takes longer than a second: the scene is too much");
    assert!(matches!(desk.beat(), Beat::Within(_)) && desk.tick() == 0, "it has not ended yet");
    let status = desk.status();
    let now = words(&desk, &status, line.name(), line.gaps());
    assert!(now.contains("a block has taken"), "{now}");
    line.tend(&mut desk).unwrap();
    assert_eq!(desk.news(), None, "once for a block");
    line.stop();
}
