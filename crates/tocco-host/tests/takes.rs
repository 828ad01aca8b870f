// SPDX-License-Identifier: MIT OR Apache-2.0
//! A take renders bit for bit what was played, whatever was played and however the device cut its blocks.

use std::path::Path;
use tocco::Gesture;
use tocco::rng::Rng;
use tocco_host::library;
use tocco_host::live::take_file::TakeFile;
use tocco_host::live::{self, Desk, Player, Setup, When};
use tocco_host::take;
use tocco_live::take::{Replay, Take};

/// A scene of the size and kind that people play.
fn player(scene: &str, limiter: bool, channels: usize) -> (Desk, Player) {
    let setup = Setup { limiter, channels, watch_load: false, tape_s: 30.0, ..Setup::default() };
    live::open(library::load(scene).unwrap(), setup).unwrap()
}

/// Something random that the scene can do, now or within the next 4000 samples.
fn gesture(desk: &mut Desk, rng: &mut Rng) {
    let when = match rng.bits() % 3 {
        0 => When::Tick(desk.tick() + rng.bits() % 4_000),
        _ => When::Now,
    };
    let masses: Vec<String> = desk.directory().masses().map(str::to_owned).collect();
    match rng.bits() % 4 {
        0 if !masses.is_empty() => {
            let mass = &masses[rng.bits() as usize % masses.len()];
            desk.perform(&Gesture::Strike { body: mass.to_owned(), velocity_m_s: rng.between(0.1, 3.0) }, when)
                .unwrap();
        }
        1 => {
            let body = &desk.scene().def.bodies[rng.bits() as usize % desk.scene().def.bodies.len()].name.clone();
            let _ = desk.perform(&Gesture::Hit { site: body.to_owned(), impulse_n_s: rng.between(-0.01, 0.01) }, when);
        }
        _ => {
            let paths = desk.paths();
            let (path, spec, value) = &paths[rng.bits() as usize % paths.len()];
            let near = if spec.id == "force_n" { rng.between(-1.0, 1.0) } else { value * rng.between(0.5, 2.0) };
            desk.perform(&Gesture::Set { path: path.to_owned(), value: near }, when).unwrap();
        }
    }
}

/// Plays for a while under random gestures; what was heard and the take.
fn perform(scene: &str, others: &[&str], seed: u64, limiter: bool, record: &Path) -> Vec<f32> {
    let (mut desk, mut player) = player(scene, limiter, 2);
    let take = TakeFile::record(&mut desk, record).unwrap();
    let mut rng = Rng::new(seed, "gestures");
    let mut heard = Vec::new();
    for round in 0..300 {
        for _ in 0..rng.bits() % 6 {
            gesture(&mut desk, &mut rng);
        }
        if round % 60 == 59 {
            let scene = library::load(others[(rng.bits() % others.len() as u64) as usize]).unwrap();
            if rng.unit() < 0.5 { desk.load(scene) } else { desk.edit(scene) }.unwrap();
        }
        if round == 200 {
            desk.hush().unwrap();
        }
        let mut block = vec![0.0; desk.channels() * (1 + (rng.bits() % 700) as usize)];
        player.play(&[], &mut block);
        desk.poll().unwrap();
        desk.read_tape(&mut heard);
    }
    desk.stop().unwrap();
    player.play(&[], &mut [0.0; 2]);
    take.finish(&mut desk).unwrap();
    assert_eq!(desk.stopped().unwrap().0 as usize * desk.channels(), heard.len());
    let counts = desk.counts();
    assert!(counts.done > 300 && counts.done + counts.dropped <= counts.sent, "{counts:?}");
    heard
}

fn bits(samples: &[f32]) -> Vec<u32> {
    samples.iter().map(|x| x.to_bits()).collect()
}

fn render(take: &Take, block: usize) -> (Vec<f32>, bool) {
    let mut replay = Replay::new(take).unwrap();
    let mut out = vec![0.0; block * take.header.channels];
    let mut all = Vec::new();
    loop {
        let frames = replay.render(&mut out);
        if frames == 0 {
            return (all, replay.is_faithful());
        }
        all.extend_from_slice(&out[..frames * take.header.channels]);
    }
}

#[test]
fn a_take_renders_bit_for_bit_what_was_played_under_random_orders_with_any_block_size() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("take.jsonl");
    for (seed, limiter) in [(1, true), (2, false), (3, true)] {
        let heard = perform("bar", &["bar", "bell", "glockenspiel", "violin"], seed, limiter, &path);
        assert!(heard.iter().any(|x| x.abs() > 1e-3) && heard.iter().all(|x| x.is_finite()));
        let take = take::read(&path).unwrap();
        assert!(take.entries.iter().any(|entry| matches!(entry.gesture, Gesture::Load(_) | Gesture::Edit(_))));
        for block in [1, 64, 4096] {
            let (again, faithful) = render(&take, block);
            assert!(bits(&again) == bits(&heard) && faithful, "seed {seed}, blocks of {block}");
        }
    }
}
