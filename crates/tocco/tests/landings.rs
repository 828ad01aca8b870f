// SPDX-License-Identifier: MIT OR Apache-2.0
//! Objects that fall and bounce: followed one by one, as bodies of the scene, as a bed.

mod common;

use common::{build, happenings};
use tocco::scene::Happening;
use tocco::{Engine, Queue, Scene, SceneDef};

#[test]
fn a_bed_of_landings_is_as_dense_and_as_loud_as_objects_that_are_followed() {
    let text = |few: usize| {
        format!(
            "[signal.pour]\ntype = 'points'\npoints = [[0.0, 1.0]]\n[process.gravel]\ntype = 'scatter'\ndriven_by = 'pour'\n\
             rate_hz = 30.0\nspread_db = 2.0\nvary_01 = 0.0\nfew = {few}\n\
             modes = [{{ freq_hz = 2000.0, decay_s = 0.01, mass_kg = 0.01 }}, {{ freq_hz = 5000.0, decay_s = 0.01, mass_kg = 0.01 }}]\n\
             [[tap]]\nof = 'gravel'\nquantity = 'sound'"
        )
    };
    let measure = |few: usize| {
        let (events, sound) = happenings(&mut build(&text(few), 48_000.0, 3), 60.0, 4800);
        let late: Vec<&Happening> = events.iter().filter(|event| event.at_s > 5.0).collect();
        let energy = late.iter().map(|event| event.size).sum::<f64>() / late.len() as f64;
        let band = |freq_hz: f64| {
            let mut filter = tocco::process::particles::BandPass::default();
            filter.tune(freq_hz, 500.0, 48_000.0);
            let power: f64 = sound.iter().map(|x| filter.step(f64::from(*x))).map(|y| y * y).sum();
            10.0 * power.log10()
        };
        (late.len() as f64 / 55.0, energy, band(2000.0), band(5000.0))
    };
    let (followed, bed) = (measure(64), measure(0));
    // Some 9000 landings each: 5 % is five standard errors of the rate, energies vary more.
    assert!((bed.0 / followed.0 - 1.0).abs() < 0.05, "{} against {} landings a second", bed.0, followed.0);
    assert!((bed.1 / followed.1 - 1.0).abs() < 0.1, "{} against {} J", bed.1, followed.1);
    assert!((bed.2 - followed.2).abs() < 1.0 && (bed.3 - followed.3).abs() < 1.0, "{bed:?} against {followed:?}");
}

/// A plate, so many balls of 5 g that may land on it, and objects that are let go over it; the balls rebound with the same share of
/// their speed however fast they are. It is heavy: what lies on it neither loads nor damps it.
fn falling(balls: usize, rest: &str) -> String {
    let mut text = String::from(
        "[body.plate]\ntype = 'modal'\nmodes = [{ freq_hz = 700.0, decay_s = 0.02, mass_kg = 4.0 }, \
         { freq_hz = 2000.0, decay_s = 0.01, mass_kg = 5.0 }, { freq_hz = 5000.0, decay_s = 0.01, mass_kg = 5.0 }]\n[[tap]]\nof = 'plate'\n",
    );
    for i in 0..balls {
        text += &format!(
            "[body.b{i}]\ntype = 'mass'\nmass_kg = 0.005\ngravity_m_s2 = 9.81\n[contact.c{i}]\ntype = 'impact'\nbetween = ['b{i}', 'plate']\n\
             stiffness = 6e8\nexponent = 1.5\nviscous_exponent = 0.25\nviscous_loss = 500.0\n"
        );
    }
    text + rest
}

/// Speeds at which balls come down on the plate, with their numbers, and what is heard. A ball that is put there with the speed of
/// its fall is seen by its speed, which nothing else gives it within a sample.
fn watched_landings(engine: &mut Engine, balls: usize, fall: f64, seconds: f64) -> (Vec<(usize, f64)>, Vec<f32>) {
    let names: Vec<_> = (0..balls).flat_map(|i| [format!("c{i}.force"), format!("b{i}.velocity")]).collect();
    let probes: Vec<_> = names.iter().map(|name| engine.scene().directory().probe(name).unwrap()).collect();
    engine.watch(&probes);
    let mut before = vec![0.0; 2 * balls];
    let (mut found, mut sound) = (Vec::new(), Vec::new());
    let mut last = engine.energy() - engine.work();
    for _ in 0..(100.0 * seconds) as usize {
        let (mut out, mut rows) = (vec![0.0; 480], vec![0.0; 480 * 2 * balls]);
        engine.render_probed(&[], &mut Queue::new(), &mut out, &mut rows);
        for row in rows.chunks((2 * balls).max(1)) {
            for i in 0..balls {
                if row[2 * i + 1] > 0.7 * fall && before[2 * i + 1] < 0.5 * fall {
                    found.push((i, fall));
                } else if row[2 * i] > 0.0 && before[2 * i] <= 0.0 {
                    found.push((i, before[2 * i + 1]));
                }
            }
            before.copy_from_slice(row);
        }
        sound.extend(out);
        let margin = engine.energy() - engine.work();
        assert!(margin <= last + 1e-11, "{margin} J after {last} J");
        last = margin;
    }
    (found, sound)
}

#[test]
fn bodies_that_fall_and_bounce_are_as_many_and_as_loud_as_objects_that_are_followed_and_as_a_bed() {
    // What a real ball does, from 0.3 m: how much of its speed it keeps.
    let fall = (2.0 * 9.81 * 0.3_f64).sqrt();
    let strike = format!("[[event]]\nat_s = 0.0\nstrike = 'b0'\nvelocity_m_s = {fall}\n");
    let (landed, _) = watched_landings(&mut build(&falling(1, &strike), 48_000.0, 1), 1, fall, 0.9);
    let first: Vec<f64> = landed.iter().map(|(_, speed)| *speed).take(5).collect();
    let e = (first[4] / first[0]).powf(0.25);
    assert!((0.4..0.8).contains(&e), "{first:?}");
    // Its impulse m v (1 + e) on a place of inverse mass w, as an energy: w J^2/2 of the (1 - e^2) m v^2/2 that are lost.
    let w = 1.0 / 4.0 + 2.0 / 5.0;
    let ring = 0.005 * w * (1.0 + e) / (1.0 - e);
    // Five landings count; slower ones depend on how the plate just moves.
    let slowest = fall * e.powf(4.5);
    let scene = |balls: usize, few: usize| {
        let bodies: Vec<String> = (0..balls).map(|i| format!("'b{i}'")).collect();
        let bodies = if balls > 0 { format!("bodies = [{}]\n", bodies.join(", ")) } else { String::new() };
        let rest = format!(
            "[signal.pour]\ntype = 'points'\npoints = [[0.0, 1.0]]\n[process.p]\ntype = 'scatter'\ndriven_by = 'pour'\non = 'plate'\n\
             {bodies}few = {few}\nrate_hz = 5.0\nmass_kg = 0.005\nheight_m = 0.3\nspread_db = 0.0\nvary_01 = 0.0\n\
             restitution_01 = {e}\nring_01 = {ring}\nslowest_m_s = {slowest}\nrolls_hz = 0.0\ncontact_time_s = 1e-4\n"
        );
        falling(balls, &rest)
    };
    let seconds = 24.0;
    let measure = |balls: usize, few: usize| {
        let mut engine = build(&scene(balls, few), 48_000.0, 3);
        let (landed, sound) = watched_landings(&mut engine, balls, fall, seconds);
        let events = engine.scene().directory().probe("p.events").unwrap();
        let real = landed.iter().filter(|(_, speed)| *speed >= slowest).count();
        let count = real as f64 + engine.probe(events);
        let band = |freq_hz: f64| {
            let mut filter = tocco::process::particles::BandPass::default();
            filter.tune(freq_hz, 400.0, 48_000.0);
            let power: f64 = sound[4_800..].iter().map(|x| filter.step(f64::from(*x))).map(|y| y * y).sum();
            10.0 * power.log10()
        };
        assert_eq!((engine.health().refused, engine.health().reset), (0, 0));
        (real, count, [700.0, 2000.0, 5000.0].map(band))
    };
    let (bodies, followed, bed) = (measure(14, 0), measure(0, 64), measure(0, 0));
    assert!(bodies.0 > 500, "{} real landings", bodies.0);
    for (name, other) in [("followed", followed), ("bed", bed)] {
        assert!((other.1 / bodies.1 - 1.0).abs() < 0.06, "{name}: {} landings, {} of bodies", other.1, bodies.1);
        for (own, real) in other.2.iter().zip(bodies.2) {
            assert!((own - real).abs() < 1.5, "{name}: {:?} dB, bodies {:?} dB", other.2, bodies.2);
        }
    }
    // The host's blocks do not matter, nor does an edit that changes nothing.
    let text = scene(4, 4);
    let whole = happenings(&mut build(&text, 44_100.0, 1), 1.0, 44_100).1;
    for block in [1, 37, 1000] {
        assert!(happenings(&mut build(&text, 44_100.0, 1), 1.0, block).1 == whole, "blocks of {block}");
    }
    let mut engine = build(&text, 44_100.0, 1);
    let again = Scene::build(&SceneDef::from_text(&format!("seed = 1\n{text}")).unwrap(), 44_100.0).unwrap();
    let mut queue = Queue::new();
    queue.push(30_001, tocco::Command::Replace { scene: Some(Box::new(again)), adopt: true });
    let mut edited = vec![0.0; 44_100];
    engine.render(&[], &mut queue, &mut edited);
    assert!(edited == whole, "an edit that changes nothing is not heard");
}
