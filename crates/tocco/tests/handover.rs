// SPDX-License-Identifier: MIT OR Apache-2.0
//! One scene takes over from another while it sounds; quality is lowered and raised; everything is hushed.

mod common;
use common::engine;
use tocco::engine::{Command, Engine, Queue, Timed};
use tocco::{Scene, SceneDef};
use tocco_testing::spectra::peak;

const RATE_HZ: f64 = 48_000.0;

fn build(text: &str) -> Scene {
    Scene::build(&SceneDef::from_text(text).unwrap_or_else(|e| panic!("{e}\n{text}")), RATE_HZ).unwrap()
}

const BAR: &str = r#"
[body.bar]
type = "modal"
modes = [{ freq_hz = 300.0, decay_s = 0.5, mass_kg = 0.05 }, { freq_hz = 811.0, decay_s = 0.4, mass_kg = 0.05 }]
[[tap]]
of = "bar"
"#;
const PLATE: &str = r#"
[body.plate]
type = "modal"
modes = [{ freq_hz = 430.0, decay_s = 0.6, mass_kg = 0.05 }, { freq_hz = 1213.0, decay_s = 0.4, mass_kg = 0.05 }]
[[tap]]
of = "plate"
"#;
const HITS: &str = "[[event]]\nat_s = 0.0\nhit = \"bar\"\nimpulse_n_s = 0.02\n";
const PLATE_HIT: &str = "[[event]]\nat_s = 0.0\nhit = \"plate\"\nimpulse_n_s = 0.02\n";
/// A hammer pressed onto the bar for ever.
const PRESSED: &str = r#"
[body.hammer]
type = "mass"
mass_kg = 0.02
[contact.press]
type = "impact"
between = ["hammer", "bar"]
stiffness = 1e6
[[drive]]
path = "hammer/force_n"
points = [[0.0, 0.0], [0.05, 5.0]]
"#;

/// Renders with one edit at a tick.
fn edited(before: &str, after: &str, at: u64, frames: usize) -> (Vec<f32>, Engine) {
    let mut engine = engine(before, RATE_HZ);
    let mut out = vec![0.0; frames];
    engine.render(&[], &mut Queue::from([Timed { at, command: Command::adopt(build(after)) }]), &mut out);
    (out, engine)
}

/// Largest output of the eighth difference over 2^8: 1 at half the rate, -24 dB at a quarter of it, -110 dB at 3 kHz. A
/// step of size 1 gives -17 dB.
fn click(sound: &[f32]) -> f64 {
    let mut rest: Vec<f64> = sound.iter().map(|x| f64::from(*x)).collect();
    for _ in 0..8 {
        rest = rest.windows(2).map(|w| 0.5 * (w[1] - w[0])).collect();
    }
    peak(&rest)
}

#[test]
fn a_body_that_stays_goes_on_as_if_nothing_had_been_edited() {
    let (alone, both) = (format!("{BAR}{HITS}{PRESSED}"), format!("{BAR}{HITS}{PRESSED}{PLATE}"));
    let mut plain = vec![0.0; 9_600];
    engine(&alone, RATE_HZ).render(&[], &mut Queue::new(), &mut plain);
    for at in [1_000, 4_801] {
        let (sound, mut engine) = edited(&alone, &both, at, 9_600);
        let apart = sound.iter().zip(&plain).fold(0.0_f32, |most, (a, b)| most.max((a - b).abs()));
        // Everything is attended for a moment, so only roundings differ.
        assert!(f64::from(apart) < 1e-6 * peak(&plain), "{apart}");
        assert!(engine.retired().is_some());
        assert_eq!(engine.health().unconverged + engine.health().refused, 0);
    }
}

#[test]
fn what_vanishes_or_is_made_otherwise_does_not_click() {
    let both = format!("{BAR}{PLATE}{HITS}{PLATE_HIT}");
    let at = 2_345;
    let around = at as usize - 600..at as usize + 1_200;
    let gone = format!("{BAR}{HITS}");
    let other = both.replace("430.0", "390.0").replace("1213.0", "1500.0");
    let fewer = both.replace(", { freq_hz = 1213.0, decay_s = 0.4, mass_kg = 0.05 }", "");
    let quieter = both.replace("of = \"plate\"\n", "of = \"plate\"\ngain = 0.1\n");
    for (what, after) in [("gone", gone), ("other", other), ("fewer", fewer), ("quieter", quieter)] {
        let (sound, _) = edited(&both, &after, at, 9_600);
        let level = peak(&sound[around.clone()]);
        let db = 20.0 * (click(&sound[around.clone()]) / level).log10();
        assert!(db < -75.0, "{what}: {db:.1} dB");
        let mut cut = sound.clone();
        cut[at as usize..].iter_mut().for_each(|x| *x = 0.0);
        let cut_db = 20.0 * (click(&cut[around.clone()]) / level).log10();
        assert!(cut_db > -40.0, "the measure sees a cut: {cut_db:.1} dB");
    }
}

#[test]
fn a_replaced_scene_does_not_click_either_and_its_first_strike_is_whole() {
    let both = format!("{BAR}{PLATE}{HITS}{PLATE_HIT}");
    let mut engine = engine(&both, RATE_HZ);
    let mut out = vec![0.0; 9_600];
    let silent = build("[body.wall]\ntype = \"wall\"\n[[tap]]\nof = \"wall\"\n");
    engine.render(&[], &mut Queue::from([Timed { at: 4_000, command: Command::replace(silent) }]), &mut out);
    let level = peak(&out[3_400..4_000]);
    assert!(20.0 * (click(&out[3_400..5_200]) / level).log10() < -75.0);
    assert!(out[4_481..].iter().all(|x| *x == 0.0), "after 10 ms nothing is left");
}

#[test]
fn what_comes_in_with_the_bodies_is_booked_and_energy_minus_work_never_rises() {
    let (alone, both) = (format!("{BAR}{HITS}{PRESSED}"), format!("{BAR}{PLATE}{HITS}{PRESSED}{PLATE_HIT}"));
    let mut engine = engine(&alone, RATE_HZ);
    let mut out = [0.0];
    for tick in 0..6_000_u64 {
        let mut commands = Queue::new();
        if tick % 1_500 == 777 {
            let text = if tick % 3_000 == 777 { &both } else { &alone };
            commands.push(tick, Command::adopt(build(text)));
        }
        let (before, edited) = (engine.energy() - engine.work(), !commands.is_empty());
        engine.render(&[], &mut commands, &mut out);
        let after = engine.energy() - engine.work();
        if !edited {
            assert!(after <= before + 1e-12, "tick {tick}: {before} {after}");
        } else {
            // A scene of its own begins with what its bodies have, here nothing.
            assert!(after <= 1e-12 && engine.energy() > 1e-6, "tick {tick}: {after}");
        }
    }
}

#[test]
fn a_body_that_is_made_otherwise_takes_over_the_energy_of_its_modes() {
    let before = format!("{PLATE}{PLATE_HIT}");
    for (what, after) in [
        ("another pitch", before.replace("430.0", "390.0").replace("1213.0", "1500.0")),
        ("another mass", before.replace("mass_kg = 0.05", "mass_kg = 0.2")),
    ] {
        let mut engine = engine(&before, RATE_HZ);
        engine.render(&[], &mut Queue::new(), &mut [0.0; 2_345]);
        let had = engine.energy();
        engine.render(&[], &mut Queue::from([Timed { at: 2_345, command: Command::adopt(build(&after)) }]), &mut [0.0]);
        let has = engine.energy();
        assert!(had > 1e-4 && (has / had - 1.0).abs() < 1e-3, "{what}: {had} J, then {has} J");
    }
}

#[test]
fn a_value_that_a_player_gave_stays_unless_the_edit_changes_it() {
    let text = format!("{BAR}{HITS}{PRESSED}");
    let mut engine = engine(&text, RATE_HZ);
    let set = |engine: &Engine, at, path: &str, value| Timed {
        at,
        command: Command::Set(engine.scene().directory().address(path).unwrap(), value),
    };
    let commands = [
        set(&engine, 100, "press/stiffness", 3e6),
        set(&engine, 100, "hammer/mass_kg", 0.03),
        Timed { at: 4_800, command: Command::adopt(build(&text.replace("mass_kg = 0.02", "mass_kg = 0.05"))) },
    ];
    engine.render(&[], &mut Queue::from(commands), &mut [0.0; 9_600]);
    let value = |path: &str| engine.scene().paths().into_iter().find(|(known, _, _)| known == path).unwrap().2;
    assert_eq!(value("press/stiffness"), 3e6, "not edited");
    assert_eq!(value("hammer/mass_kg"), 0.05, "edited");
    assert_eq!(value("hammer/force_n"), 5.0, "the drive goes on, it does not begin again");
}

#[test]
fn edits_quality_and_hush_give_the_same_bits_for_any_block_size() {
    let (alone, both) = (format!("{BAR}{HITS}{PRESSED}"), format!("{BAR}{PLATE}{HITS}{PRESSED}{PLATE_HIT}"));
    let run = |block: usize| {
        let mut engine = engine(&alone, RATE_HZ);
        let commands = [
            Timed { at: 1_003, command: Command::adopt(build(&both)) },
            Timed { at: 1_100, command: Command::adopt(build(&alone)) },
            Timed { at: 3_001, command: Command::Quality { max_substeps: 2, drop_below_db: -40.0 } },
            Timed { at: 5_555, command: Command::replace(build(&both)) },
            Timed { at: 5_570, command: Command::replace(build(&both)) },
            Timed { at: 5_580, command: Command::adopt(build(&both)) },
            Timed { at: 7_777, command: Command::Hush },
        ];
        let mut sound = vec![0.0_f32; 9_600];
        let mut queue = Queue::from(commands);
        for chunk in sound.chunks_mut(block) {
            engine.render(&[], &mut queue, chunk);
            while engine.retired().is_some() {}
        }
        sound.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    let whole = run(9_600);
    assert!(whole[7_777..].iter().all(|bits| f32::from_bits(*bits) == 0.0), "hushed");
    for block in [1, 17, 64, 480] {
        assert!(run(block) == whole, "blocks of {block}");
    }
}

#[test]
fn quiet_modes_are_shed_and_hardly_missed() {
    let modes: String = (0..512)
        .map(|i| {
            let freq_hz = 60.0 * 1.011_f64.powi(i);
            format!("{{ freq_hz = {freq_hz:?}, decay_s = {:?}, mass_kg = 0.05 }}, ", 300.0 / freq_hz)
        })
        .collect();
    let text = format!(
        "[body.bar]\ntype = \"modal\"\nmodes = [{modes}]\n[[event]]\nat_s = 0.0\nhit = \"bar\"\nimpulse_n_s = 0.001\n[[tap]]\nof = \"bar\"\n"
    );
    let (mut full, mut shed) = (vec![0.0; 48_000], vec![0.0; 48_000]);
    engine(&text, RATE_HZ).render(&[], &mut Queue::new(), &mut full);
    let mut engine = engine(&text, RATE_HZ);
    let mut last = f64::INFINITY;
    let mut quality =
        Queue::from([Timed { at: 0, command: Command::Quality { max_substeps: 64, drop_below_db: -60.0 } }]);
    for chunk in shed.chunks_mut(480) {
        engine.render(&[], &mut quality, chunk);
        let surplus = engine.energy() - engine.work();
        assert!(surplus <= last + 1e-12, "silence takes energy, never gives");
        last = surplus;
    }
    assert!(engine.health().shed > 200, "{}", engine.health().shed);
    let apart = full.iter().zip(&shed).fold(0.0_f32, |most, (a, b)| most.max((a - b).abs()));
    let db = 20.0 * (f64::from(apart) / peak(&full)).log10();
    assert!(db < -50.0, "{db:.1} dB");
}

/// Signals have numbers, and an edit may give them others: who reads another signal must go on reading that one.
#[test]
fn a_signal_that_reads_another_still_reads_it_when_an_edit_gives_both_other_numbers() {
    let heard = |more: &str| {
        format!(
            "{more}[signal.hand]\ntype = \"probe\"\nof = \"push\"\n[signal.push]\ntype = \"points\"\npoints = [[0.0, 0.0], [10.0, 10.0]]\n\
             [signal.foot]\ntype = \"probe\"\nof = \"anna.heel_left\"\n[walk.anna]\nsource = \"inlets\"\n\
             [[drive]]\npath = \"anna/heel_left\"\npoints = [[0.0, 0.0], [10.0, 5.0]]\n{BAR}"
        )
    };
    let more = "[signal.first]\ntype = \"points\"\npoints = [[0.0, 77.0]]\n[signal.second]\ntype = \"points\"\npoints = [[0.0, 99.0]]\n";
    for (before, after) in [(heard(""), heard(more)), (heard(more), heard(""))] {
        let (_, engine) = edited(&before, &after, 24_000, 48_000);
        let read = |name: &str| engine.probe(engine.scene().directory().probe(name).unwrap());
        assert!((read("hand.value") - 1.0).abs() < 0.01, "{}", read("hand.value"));
        assert!((read("foot.value") - 0.5).abs() < 0.01, "{}", read("foot.value"));
    }
}

#[test]
fn when_scenes_that_have_rung_out_are_taken_away_is_not_heard() {
    let named = |hz: f64| BAR.replace("300.0", &format!("{hz:.1}")) + HITS;
    // One leaves and rings out; then two within its fade, then six at one tick, of which only four can ring on.
    let ticks = [1_000, 3_000, 3_200, 6_000, 6_000, 6_000, 6_000, 6_000, 6_000, 6_300];
    let play = |takes: &dyn Fn(u64) -> bool, block: usize| {
        let mut engine = engine(&named(250.0), RATE_HZ);
        let scene = |k: usize| Box::new(build(&named(300.0 + 37.0 * k as f64)));
        let replace = |(k, at): (usize, &u64)| Timed {
            at: *at,
            command: Command::Replace { scene: Some(scene(k)), adopt: false },
        };
        let mut queue: Queue = ticks.iter().enumerate().map(replace).collect();
        let mut sound = Vec::new();
        while sound.len() < 8_000 {
            let mut out = vec![0.0; block];
            engine.render(&[], &mut queue, &mut out);
            while takes(engine.tick()) && engine.retired().is_some() {}
            sound.extend(out.iter().map(|x| x.to_bits()));
        }
        sound.truncate(8_000);
        sound
    };
    let always = play(&|_| true, 50);
    for (name, other) in [
        ("never", play(&|_| false, 50)),
        ("once, before the two", play(&|tick| tick == 2_800, 50)),
        ("once, between the two", play(&|tick| tick == 3_100, 50)),
        ("by long blocks", play(&|_| true, 4_000)),
    ] {
        assert_eq!(always.iter().zip(&other).position(|(a, b)| a != b), None, "{name}");
    }
}
