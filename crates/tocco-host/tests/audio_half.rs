// SPDX-License-Identifier: MIT OR Apache-2.0
//! The audio half allocates and frees nothing, whatever a player does, whichever scene comes.

use tocco::Gesture;
use tocco::rng::Rng;
use tocco_host::live::{self, Setup, When};
use tocco_host::{bench, library};
use tocco_testing::allocations::{Counting, assert_awake, count, watched};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn the_audio_half_neither_allocates_nor_frees_under_storms_floods_loads_and_edits() {
    let setup = Setup { channels: 2, tape_s: 1.0, ..Setup::default() };
    let (mut desk, mut player) = live::open(library::load("bar").unwrap(), setup).unwrap();
    let scenes = ["bell", "violin", "rolling", "glockenspiel", "bar", "brake"];
    let mut rng = Rng::new(1, "storm");
    let mut out = vec![0.0; 2 * 64];
    desk.watch(&["energy", "hit.force"], 0.001).unwrap();
    for block in 0..6_000 {
        for _ in 0..13 {
            let paths = desk.paths();
            let (path, spec, value) = &paths[(rng.bits() % paths.len() as u64) as usize];
            let wild = if rng.unit() < 0.01 { f64::INFINITY } else { value * rng.between(0.7, 1.4) };
            desk.perform(
                &Gesture::Set { path: path.to_owned(), value: wild.min(spec.max) },
                When::Tick(desk.tick() + rng.bits() % 200),
            )
            .unwrap();
        }
        if block % 50 == 0 {
            let masses: Vec<String> = desk.directory().masses().map(str::to_owned).collect();
            for mass in masses {
                desk.strike(&mass, rng.between(0.1, 2.0)).unwrap();
            }
        }
        if block % 500 == 499 {
            let scene = library::load(scenes[block / 500 % scenes.len()]).unwrap();
            if block % 1_000 == 499 { desk.load(scene) } else { desk.edit(scene) }.unwrap();
        }
        if block == 3_333 {
            desk.hush().unwrap();
        }
        watched(|| player.play(&[], &mut out));
        assert!(out.iter().all(|x| x.abs() <= 1.0), "block {block}");
        // Now and then nobody listens for a while: rings fill, and nothing else happens.
        if block % 1_000 < 900 {
            desk.poll().unwrap();
        }
    }
    assert_eq!(count(), 0);
    let counts = desk.counts();
    assert!(counts.done > 20_000 && counts.refused == 0, "{counts:?}");
    assert!(desk.status().lost_frames > 0, "nobody fetched the tape, and it was said");
    assert_awake();
}

#[test]
fn the_demanding_scene_neither_allocates_nor_frees() {
    let (mut desk, mut player) = bench::live::open().unwrap();
    let mut storm = bench::live::Storm::default();
    let mut out = vec![0.0; bench::live::BLOCK * desk.channels()];
    for _ in 0..750 {
        storm.blow(&mut desk, bench::live::BLOCK as f64 / bench::live::RATE_HZ).unwrap();
        watched(|| player.play(&[], &mut out));
    }
    assert_eq!(count(), 0);
    let health = desk.status().health;
    assert!(health.solves > 0 && health.unconverged + health.refused + health.reset == 0, "{health:?}");
}
