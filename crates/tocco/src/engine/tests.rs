// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an engine does when something is not finite, and what sleeps.

use super::*;
use crate::scene::SceneDef;

#[test]
fn a_body_that_stops_being_finite_is_silent_at_once_reset_within_6_ms_and_counted() {
    let text = "[body.bar]\ntype = \"modal\"\nmodes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }]\n\
         [body.string]\ntype = \"string\"\n[body.ball]\ntype = \"mass\"\nmass_kg = 0.01\nposition_m = -1.0\n\
         [contact.hit]\ntype = \"impact\"\nbetween = [\"ball\", \"bar\"]\n\
         [[tap]]\nof = \"bar\"\n[[tap]]\nof = \"string\"\n[[tap]]\nof = \"ball\"\n";
    let def = SceneDef::from_text(text).unwrap();
    for body in 0..3 {
        let mut engine = Engine::new(Scene::build(&def, 48_000.0).unwrap());
        let mut out = [0.0; 1_000];
        engine.render(&[], &mut Queue::new(), &mut out);
        engine.scene.runtime.world.disturb(body);
        engine.scene.runtime.world.bodies[body].hit(0, Real::NAN);
        engine.render(&[], &mut Queue::new(), &mut out);
        assert!(out.iter().all(|x| x.is_finite()), "body {body}");
        // A string is looked at where its first cell comes by: once a period.
        assert!(engine.health().reset >= 1, "body {body}");
        let site = Site { body: 0, port: 0 };
        let mut queue = Queue::from([Timed { at: 0, command: Command::Hit { site, impulse_n_s: 0.01 } }]);
        engine.render(&[], &mut queue, &mut out);
        assert!(out.iter().any(|x| x.abs() > 1e-3) && engine.energy().is_finite(), "body {body}: it sounds again");
    }
}

#[test]
fn a_number_that_only_f64_can_hold_is_silence_and_not_an_infinite_sample() {
    let text = "[body.bar]\ntype = \"modal\"\nmodes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }]\n[[tap]]\nof = \"bar\"\n";
    let mut engine = Engine::new(Scene::build(&SceneDef::from_text(text).unwrap(), 48_000.0).unwrap());
    let mut out = [1.0; 64];
    engine.scene.runtime.world.disturb(0);
    engine.scene.runtime.world.bodies[0].hit(0, 1e60);
    engine.render(&[], &mut Queue::new(), &mut out);
    assert!(out.iter().all(|x| x.is_finite()) && engine.energy() > 1e100);
}

/// Renders so many samples of a scene of one channel, and notes after each whether its first contact is awake.
fn awake_and_heard(text: &str, frames: usize) -> (Vec<bool>, Vec<f32>) {
    let mut engine = Engine::new(Scene::build(&SceneDef::from_text(text).unwrap(), 48_000.0).unwrap());
    let (mut awake, mut out) = (Vec::new(), vec![0.0; frames]);
    for sample in out.chunks_mut(1) {
        engine.render(&[], &mut Queue::new(), sample);
        awake.push(engine.world().contacts[0].awake);
    }
    (awake, out)
}

#[test]
fn friction_that_nothing_presses_sleeps_and_wakes_as_if_it_had_never_slept() {
    let text = |law: &str, moves: &str, taps: &str| {
        format!(
            "[body.bow]\ntype = \"guided\"\nvelocity_m_s = 0.1\n[body.glass]\ntype = \"modal\"\n\
             modes = [{{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.01 }}, {{ freq_hz = 1213.0, decay_s = 0.2, mass_kg = 0.01 }}]\n\
             [contact.rub]\ntype = \"friction\"\n{law}between = [\"bow\", \"glass\"]\nnormal_force_n = 0.0\n\
             {moves}[[tap]]\nof = \"glass\"\n{taps}"
        )
    };
    // Pressed from 50.4 ms on, in the middle of a control interval, and left at 100 ms.
    let drive =
        "[[drive]]\npath = \"rub/normal_force_n\"\npoints = [[0.0504, 0.0], [0.06, 1.0], [0.1, 1.0], [0.1001, 0.0]]\n";
    let sets = "[[event]]\nat_s = 0.0504\nset = \"rub/normal_force_n\"\nvalue = 1.0\n\
                [[event]]\nat_s = 0.1\nset = \"rub/normal_force_n\"\nvalue = 0.0\n";
    // A compression that is heard, however softly, must be known by the sample: that contact never sleeps.
    let wakeful = "[[tap]]\nof = \"rub\"\nquantity = \"compression\"\ngain = 0.0\n";
    for law in ["", "law = \"static\"\n", "law = \"thermal\"\n", "roughness = 0.1\ntexture = { beta = 1.0 }\n"] {
        for moves in [drive, sets] {
            let (awake, heard) = awake_and_heard(&text(law, moves, ""), 9_600);
            let (never, reference) = awake_and_heard(&text(law, moves, wakeful), 9_600);
            let (pressed, left) = (2_419, 4_800);
            assert!(never.iter().all(|awake| *awake));
            assert!(awake[64..pressed - 32].iter().all(|awake| !awake), "{law} {moves}");
            let slept = awake[pressed + 1..left].iter().position(|awake| !awake);
            assert!(slept.is_none(), "{law} {moves}: {slept:?}");
            assert!(awake[left + 500..].iter().all(|awake| !awake), "{law} {moves}: the glass rings by itself");
            let differs = heard.iter().zip(&reference).position(|(a, b)| a.to_bits() != b.to_bits());
            // The same bits until one of the two has counted its 64 steps to the held form; then to rounding. A surface
            // has been travelled over meanwhile, and its place is known to rounding.
            let held = pressed + 64;
            assert!(law.contains("texture") || differs.is_none_or(|at| at > held), "{law} {moves}: {differs:?}");
            // Slipping over a rough surface doubles a difference every few slips: there, the first 10 ms are compared.
            let till = if law.contains("texture") { pressed + 480 } else { heard.len() };
            let loudest = reference[..till].iter().fold(0.0, |loudest: f32, x| loudest.max(x.abs()));
            let pairs = heard[..till].iter().zip(&reference);
            let apart = pairs.fold(0.0, |most: f32, (a, b)| most.max((a - b).abs()));
            assert!(loudest > 1e-3 && apart < 1e-4 * loudest, "{law} {moves}: {loudest} {apart}");
        }
    }
}

#[test]
fn what_is_pressed_by_a_ball_in_the_air_sleeps_with_it_and_a_rough_contact_out_of_reach_does_too() {
    let text = "[body.ball]\ntype = \"mass\"\nmass_kg = 0.01\nposition_m = -0.01\nvelocity_m_s = 0.1\n[body.bow]\ntype = \"guided\"\nvelocity_m_s = 0.1\n\
         [body.plate]\ntype = \"modal\"\nmodes = [{ freq_hz = 310.0, decay_s = 0.3, mass_kg = 0.05 }]\n\
         [contact.rub]\ntype = \"friction\"\nbetween = [\"bow\", \"plate\"]\nnormal_from = \"drop\"\n\
         [contact.drop]\ntype = \"impact\"\nbetween = [\"ball\", \"plate\"]\nstiffness = 1e7\nROUGH\n[[tap]]\nof = \"plate\"\n";
    let rough = "texture = { height_m = 1e-6, travel_from = \"bow\" }";
    for rough in ["", rough] {
        let (awake, heard) = awake_and_heard(&text.replace("ROUGH", rough), 9_600);
        // The ball needs 0.1 s for its 10 mm; then it flies back.
        let woken = awake.iter().enumerate().skip(64).find(|(_, awake)| **awake).map(|(at, _)| at);
        assert!(woken.is_some_and(|at| at > 4_700), "{rough}: {woken:?}");
        assert!(awake[4_790..4_830].iter().any(|awake| *awake) && heard[5_000].abs() > 1e-5, "{rough}");
        assert!(awake[9_000..].iter().all(|awake| !awake), "{rough}");
    }
}

#[test]
fn friction_that_a_signal_presses_sleeps_while_the_signal_is_zero() {
    let text = "[body.bow]\ntype = \"guided\"\nvelocity_m_s = 0.1\n[body.glass]\ntype = \"modal\"\n\
        modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.01 }]\n[contact.rub]\ntype = \"friction\"\nbetween = [\"bow\", \"glass\"]\n\
        normal_force_n = 0.0\nroughness = 0.04\ntexture = { beta = 1.5 }\n[signal.grip]\ntype = \"points\"\n\
        points = [[0.0, 0.0], [0.05, 0.0], [0.06, 1.0], [0.1, 1.0], [0.11, 0.0]]\n\
        [[drive]]\npath = \"rub/normal_force_n\"\nfrom = \"grip\"\n[[tap]]\nof = \"glass\"\n";
    let (awake, heard) = awake_and_heard(text, 9_600);
    // It wakes within the cell of 1 ms in which the signal begins to rise, and sleeps two control ticks after the last.
    assert!(awake[64..2_399].iter().all(|awake| !awake), "it sleeps before");
    assert!(awake[2_449..5_280].iter().all(|awake| *awake), "it is pressed");
    assert!(awake[5_376..].iter().all(|awake| !awake), "it sleeps again");
    assert!(heard[..2_399].iter().all(|x| *x == 0.0) && heard[2_500..].iter().any(|x| x.abs() > 1e-4));
}

#[test]
fn processes_whose_signal_rests_sleep_and_are_not_even_told_of_it() {
    let modes = "modes = [{ freq_hz = 900.0, decay_s = 0.01, mass_kg = 0.01 }]";
    let bands = "{ freq_hz = 900.0, bandwidth_hz = 300.0 }";
    // What it is, and whether it need not be told of a signal that stands: what floors are made of.
    let kinds = [
        (format!("type = \"particles\"\nresonances = [{bands}]"), true),
        (format!("type = \"crumple\"\nenergy_j = [1e-8, 1e-5]\n{modes}"), true),
        ("type = \"burst\"\non = \"plate\"\nthreshold = 0.3".into(), true),
        ("type = \"burst\"\non = \"plate\"\nby = \"envelope\"".into(), true),
        (format!("type = \"footstep\"\nbands = [{bands}]\nenvelope = [1.0, 0.5, 0.0]\nframe_s = 0.01"), true),
        ("type = \"tread\"\non = \"shoe\"".into(), true),
        ("type = \"spread\"\non = \"plate\"\nthreshold = 0.3".into(), false),
        (format!("type = \"scatter\"\nrate_hz = 200.0\nheight_m = 0.01\n{modes}"), false),
        (format!("type = \"break\"\nthreshold = 0.3\nheight_m = 0.01\n{modes}"), false),
        ("type = \"bed\"".into(), false),
        ("type = \"bubbles\"\nsmallest_m = 0.001\nlargest_m = 0.003".into(), false),
        ("type = \"rain\"".into(), false),
        ("type = \"splash\"\nthreshold = 0.3".into(), false),
    ];
    for (kind, spared) in kinds {
        let text = format!(
            "[body.plate]\ntype = \"modal\"\nmodes = [{{ freq_hz = 440.0, decay_s = 0.05, mass_kg = 0.1 }}]\n\
             [body.shoe]\ntype = \"mass\"\nmass_kg = 0.1\nposition_m = -1.0\n[contact.sole]\ntype = \"impact\"\nbetween = [\"shoe\", \"plate\"]\n\
             [signal.s]\ntype = \"points\"\npoints = [[0.0, 0.0], [0.1, 0.0], [0.11, 1.0], [0.2, 1.0], [0.21, 0.0]]\n\
             [process.p]\ndriven_by = \"s\"\n{kind}\n[[tap]]\nof = \"plate\"\n"
        );
        let def = SceneDef::from_text(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut engine = Engine::new(Scene::build(&def, 48_000.0).unwrap());
        let awake = |engine: &mut Engine, ms: usize| {
            let mut ever = false;
            for _ in 0..ms {
                engine.render(&[], &mut Queue::new(), &mut [0.0; 48]);
                ever |= engine.scene.runtime.grid.processes[0].process.is_awake();
            }
            ever
        };
        assert!(!awake(&mut engine, 90), "{kind}: before anything moves");
        assert!(awake(&mut engine, 150), "{kind}: while it is shaken");
        awake(&mut engine, 8_000);
        assert!(!awake(&mut engine, 1_000), "{kind}: eight seconds later");
        let acting = &engine.scene.runtime.grid.processes[0];
        assert!(!spared || acting.process.rests(0.0), "{kind}: it need not be told");
    }
}

#[test]
fn five_thousand_hits_a_second_do_not_find_islands_anew_hit_by_hit() {
    let text = "[body.plate]\ntype = \"modal\"\nmodes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }]\n\
         [body.ball]\ntype = \"mass\"\nposition_m = -1.0\n[contact.lies]\ntype = \"impact\"\nbetween = [\"ball\", \"plate\"]\n\
         [signal.press]\ntype = \"points\"\npoints = [[0.0, 0.0], [0.1, 0.0], [0.101, 1.0]]\n\
         [process.p]\ntype = \"crumple\"\ndriven_by = \"press\"\non = \"plate\"\nload = 0.0\nlevel = 1.0\nevents = 5000.0\n[[tap]]\nof = \"plate\"\n";
    let mut engine = Engine::new(Scene::build(&SceneDef::from_text(text).unwrap(), 48_000.0).unwrap());
    let mut out = vec![0.0; 4_800];
    engine.render(&[], &mut Queue::new(), &mut out);
    let (before, events) = (engine.world().regroups, engine.scene().directory().probe("p.events").unwrap());
    for _ in 0..10 {
        engine.render(&[], &mut Queue::new(), &mut out);
    }
    assert!(engine.probe(events) > 4500.0, "{} events", engine.probe(events));
    let times = engine.world().regroups - before;
    assert!((1..=2).contains(&times), "islands were found anew {times} times");
}
