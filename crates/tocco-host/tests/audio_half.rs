// SPDX-License-Identifier: MIT OR Apache-2.0
//! The audio half allocates and frees nothing, whatever a player does, whichever scene comes.

use tocco::rng::Rng;
use tocco::{Document, Gesture};
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
        let wild = out.iter().find(|x| x.is_nan() || x.abs() > 1.0);
        assert!(wild.is_none(), "block {block}: {wild:?}");
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

/// A shape that is touched, a mass, sound that comes in and outputs by name; the second has other outputs.
fn instrument(outputs: &str) -> Document {
    let text = format!(
        "body.hammer = {{ type = 'mass', mass_kg = 0.01, position_m = -1.0 }}\n\
         body.bar = {{ type = 'shape', shape = 'bar', length_m = 0.3, width_m = 0.03, thickness_m = 0.005, \
         material = 'steel', port = {{ place = 0.2, ear = 0.02 }} }}\n\
         contact.hit = {{ type = 'impact', between = ['hammer', 'bar.place'], stiffness = 1e8 }}\n\
         drive = [{{ path = 'bar.ear/force_n', input = 1, gain = 0.1 }}]\n{outputs}"
    );
    Document::read("instrument", "here", text, |_| Err("none".into())).unwrap()
}

#[test]
fn touches_hits_jumps_inputs_outputs_energies_and_takes_neither_allocate_nor_free() {
    let scenes = [
        instrument(
            "output.main = { channels = [0, 1] }\noutput.haptic = { channels = [2], gain = 0.5 }\n\
             tap = [{ of = 'bar.ear', gain = 20.0 }, { of = 'bar.place', to = ['main', 'haptic'] }]",
        ),
        instrument(
            "output.haptic = { channels = [1, 2], limiter = false }\n\
             tap = [{ of = 'bar.ear' }, { of = 'bar.place', to = 'haptic' }]",
        ),
    ];
    let (mut desk, mut player) = live::open(scenes[0].clone(), Setup::default()).unwrap();
    assert_eq!((player.channels(), player.inputs()), (3, 2));
    desk.record(Box::new(std::io::sink()), "test").unwrap();
    let mut rng = Rng::new(2, "storm");
    let sound: Vec<f32> = (0..64).map(|_| rng.between(-1.0, 1.0) as f32).collect();
    let mut out = vec![0.0; 3 * 64];
    for block in 0..3_000 {
        let soon = When::Tick(desk.tick() + rng.bits() % 200);
        let place = vec![rng.between(0.1, 0.4)];
        let gestures = [
            Gesture::Touch { site: "bar.place".into(), place },
            Gesture::Hit { site: "bar.ear".into(), impulse_n_s: rng.between(0.0, 0.02) },
            Gesture::Jump { path: "bar/freq_scale".into(), value: rng.between(0.8, 1.2) },
            Gesture::Strike { body: "hammer".into(), velocity_m_s: 1.0 },
        ];
        desk.perform(&gestures[block % 4], soon).unwrap();
        if block % 100 == 0 {
            desk.watch_energies(&[vec!["bar".into()], vec!["hammer".into()]]).unwrap();
            desk.watch_settings().unwrap();
            desk.watch(&["hit.force", "bar.ear.velocity"], 0.001).unwrap();
        }
        if block % 250 == 249 {
            let scene = scenes[block / 250 % 2].clone();
            if block % 500 == 249 { desk.edit(scene) } else { desk.load(scene) }.unwrap();
        }
        if block == 2_000 {
            desk.end_take().unwrap();
        }
        let inputs: &[&[f32]] = if block % 10 == 9 { &[] } else { &[&sound, &sound] };
        watched(|| player.play(inputs, &mut out));
        if block % 400 < 300 {
            desk.poll().unwrap();
        }
    }
    desk.poll().unwrap();
    assert_eq!(count(), 0);
    let counts = desk.counts();
    assert!(counts.done > 2_500 && counts.refused == 0, "{counts:?}");
    assert!(desk.finish().unwrap().is_some(), "the take has ended");
    assert!(desk.energies().next().unwrap() > 0.0);
    let status = desk.status();
    assert!(status.peak[..3].iter().all(|peak| *peak > 0.0) && status.lost_input_frames == 0);
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
