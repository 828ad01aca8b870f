// SPDX-License-Identifier: MIT OR Apache-2.0
//! Contacts whose two sites are set live: what they hold is booked, what they sound like is what a fixed contact sounds like, and
//! nothing depends on the host's blocks. [join.1]

mod common;
use common::engine;
use std::fmt::Write;
use tocco::contact::Site;
use tocco::engine::{Command, Queue, Timed};
use tocco::rng::Rng;
use tocco::{Engine, Gesture, Scene, SceneDef, SceneError};
use tocco_testing::allocations::{Counting, watched};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const RATE_HZ: f64 = 48_000.0;

/// Two bars, two stones, and what may join them.
const STONES: &str = r#"
seed = 5
body.stone = { type = "mass", mass_kg = 0.02 }
body.pebble = { type = "mass", mass_kg = 0.005 }
body.floor = { type = "wall" }
body.desk = { type = "wall" }
body.hand = { type = "guided", velocity_m_s = 0.2 }
body.bar = { type = "modal", jitter_01 = 0.2, modes = [
    { freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }, { freq_hz = 1213.0, decay_s = 0.2, mass_kg = 0.05 } ] }
body.tin = { type = "modal", modes = [
    { freq_hz = 700.0, decay_s = 0.3, mass_kg = 0.01 }, { freq_hz = 2900.0, decay_s = 0.1, mass_kg = 0.01 } ], port = { rim = [1, -0.4] } }
contact.knock = { type = "impact", between = ["stone", "bar"], SPARE stiffness = 1e8, dissipation_s_m = 0.3 }
contact.rub = { type = "friction", between = ["hand", "tin.rim"], SPARE normal_force_n = 0.4 }
tap = [{ of = "bar" }, { of = "tin" }]
"#;

fn stones(spare: bool) -> String {
    STONES.replace("SPARE", if spare { "spare = true," } else { "" })
}

fn join(engine: &Engine, contact: &str, between: &[&str]) -> Command {
    let between = between.iter().map(|place| (*place).to_owned()).collect();
    let gesture = Gesture::Join { contact: contact.into(), between };
    gesture.resolve(engine.scene().directory()).unwrap_or_else(|error| panic!("{error}")).command
}

fn strike(engine: &Engine, body: &str, velocity_m_s: f64) -> Command {
    Command::Strike { body: engine.scene().directory().body(body).unwrap(), velocity_m_s }
}

fn heard(engine: &mut Engine, mut queue: Queue, frames: usize, block: usize) -> Vec<f32> {
    let mut out = vec![0.0; frames];
    for block in out.chunks_mut(block) {
        engine.render(&[], &mut queue, block);
    }
    assert_eq!(engine.health().refused, 0);
    out
}

#[test]
fn a_contact_that_is_joined_sounds_bit_for_bit_as_one_that_always_was() {
    let play = |spare: bool, at: u64| {
        let mut engine = engine(&stones(spare), RATE_HZ);
        let mut queue = Queue::new();
        if spare {
            queue.push(at, join(&engine, "knock", &["stone", "bar"]));
            queue.push(at, join(&engine, "rub", &["hand", "tin.rim"]));
        }
        queue.push(1_000, strike(&engine, "stone", 1.3));
        heard(&mut engine, queue, 24_000, 24_000)
    };
    let fixed = play(false, 0);
    assert!(fixed.iter().any(|x| x.abs() > 1e-3));
    assert_eq!(play(true, 0), fixed);
    let quiet = engine(&stones(true), RATE_HZ);
    let silent = heard(&mut { quiet }, Queue::new(), 4_800, 64);
    assert!(silent.iter().all(|x| *x == 0.0), "nothing is joined: nothing rubs");
}

#[test]
fn one_hammer_strikes_one_body_and_then_another_as_if_it_had_two_contacts() {
    // Each blow as a scene of its own would have it: the other body neither hears nor adds anything.
    let mut both = engine(&stones(true), RATE_HZ);
    let mut queue = Queue::new();
    queue.push(0, join(&both, "knock", &["stone", "bar"]));
    queue.push(0, strike(&both, "stone", 1.0));
    queue.push(4_800, join(&both, "knock", &["stone", "tin"]));
    queue.push(4_800, strike(&both, "stone", 1.0));
    let both = heard(&mut both, queue, 9_600, 480);
    let mut second = engine(&stones(true), RATE_HZ);
    let mut queue = Queue::new();
    queue.push(4_800, join(&second, "knock", &["stone", "tin"]));
    queue.push(4_800, strike(&second, "stone", 1.0));
    let second = heard(&mut second, queue, 9_600, 480);
    let mut first = engine(&stones(true), RATE_HZ);
    let mut queue = Queue::new();
    queue.push(0, join(&first, "knock", &["stone", "bar"]));
    queue.push(0, strike(&first, "stone", 1.0));
    let first = heard(&mut first, queue, 9_600, 480);
    for (at, sum) in both.iter().enumerate() {
        assert!((sum - first[at] - second[at]).abs() < 2e-6, "{at}");
    }
    assert!(second.iter().any(|x| x.abs() > 1e-3));
}

#[test]
fn what_a_contact_holds_is_booked_as_work_when_it_is_taken_away_in_the_middle_of_a_touch() {
    for elsewhere in [&[][..], &["stone", "tin.rim"], &["pebble", "bar"]] {
        let mut engine = engine(&stones(true), RATE_HZ);
        let mut queue = Queue::new();
        queue.push(0, join(&engine, "knock", &["stone", "bar"]));
        queue.push(0, strike(&engine, "stone", 1.0));
        let force = engine.scene().directory().probe("knock.force").unwrap();
        let mut out = [0.0; 1];
        for _ in 0..10 {
            engine.render(&[], &mut queue, &mut out);
        }
        assert!(engine.probe(force) > 1.0, "it touches: {} N", engine.probe(force));
        let mut all = vec![0.0; 9];
        engine.energies(&mut all);
        let (before, surplus) = (engine.energy(), engine.energy() - engine.work());
        let held = all[7];
        assert!(held > 0.05 * before, "the law holds {held} of {before} J");
        queue.push(engine.tick(), join(&engine, "knock", elsewhere));
        engine.render(&[], &mut queue, &mut []);
        let (after, now) = (engine.energy(), engine.energy() - engine.work());
        assert!(
            (before - after - held).abs() < 1e-12 * before,
            "{elsewhere:?}: what it held is gone, and nothing else"
        );
        assert!((now - surplus).abs() < 1e-12 * before, "{elsewhere:?}: {surplus} {now}");
    }
}

/// A scene of bodies of all sorts and spare contacts of all sorts.
fn crowd(rng: &mut Rng) -> (String, Vec<String>, usize) {
    let mut text = String::from("body.wall = { type = 'wall' }\nbody.hand = { type = 'guided', velocity_m_s = 0.3 }\n");
    let mut places = vec!["wall".to_owned(), "hand".to_owned()];
    for i in 0..3 {
        let (position, velocity) = (rng.between(-1e-4, 1e-4), rng.between(-3.0, 3.0));
        let mass = rng.between_log(1e-3, 0.3);
        writeln!(
            text,
            "[body.m{i}]\ntype = 'mass'\nmass_kg = {mass:e}\nposition_m = {position:e}\nvelocity_m_s = {velocity:e}"
        )
        .unwrap();
        if rng.unit() < 0.3 {
            writeln!(text, "gravity_m_s2 = 9.81").unwrap();
        }
        places.push(format!("m{i}"));
    }
    for i in 0..3 {
        let modes = 1 + rng.bits() % 5;
        let mode = |rng: &mut Rng| {
            format!(
                "{{ freq_hz = {:e}, decay_s = {:e}, mass_kg = {:e} }}",
                rng.between_log(50.0, 9e3),
                rng.between_log(1e-3, 1.0),
                rng.between_log(1e-3, 0.5)
            )
        };
        let all: Vec<String> = (0..modes).map(|_| mode(rng)).collect();
        let shape: Vec<String> = (0..modes).map(|_| format!("{:e}", rng.between(-1.0, 1.0))).collect();
        writeln!(
            text,
            "[body.b{i}]\ntype = 'modal'\nmodes = [{}]\nport = {{ a = [{}], b = [{}] }}",
            all.join(", "),
            shape.join(", "),
            shape.iter().rev().cloned().collect::<Vec<_>>().join(", ")
        )
        .unwrap();
        places.extend([format!("b{i}.a"), format!("b{i}.b")]);
    }
    let contacts = 5;
    for i in 0..contacts {
        let (stiffness, mu) = (rng.between_log(1e5, 1e11), rng.between(0.0, 3.0));
        let between = "between = ['m0', 'b0.a']\nspare = true";
        match (i, rng.bits() % 4) {
            (0, _) | (_, 0) => writeln!(text, "[contact.c{i}]\ntype = 'impact'\n{between}\nstiffness = {stiffness:e}\ndissipation_s_m = {mu:e}"),
            (_, 1) => writeln!(text, "[contact.c{i}]\ntype = 'impact'\nlaw = 'stulov'\n{between}\nstiffness = {stiffness:e}\nhysteresis_01 = 0.4\nrelaxation_s = 2e-4"),
            (_, 2) => writeln!(text, "[contact.c{i}]\ntype = 'friction'\n{between}\nnormal_force_n = {:e}", rng.between_log(0.01, 10.0)),
            _ => writeln!(text, "[contact.c{i}]\ntype = 'friction'\n{between}\nnormal_from = 'c0'"),
        }
        .unwrap();
    }
    writeln!(text, "[contact.stays]\ntype = 'impact'\nbetween = ['m1', 'b1.a']\nstiffness = 1e8").unwrap();
    (text, places, contacts as usize)
}

#[test]
fn energy_minus_work_never_rises_while_contacts_are_joined_and_parted_at_random() {
    let scenes = if std::env::var_os("TOCCO_LONG").is_some() { 2_000 } else { 80 };
    let (mut worst, mut joined, mut refused) = (0.0f64, 0, 0);
    for seed in 0..scenes {
        let mut rng = Rng::new(seed, "joints");
        let (text, places, contacts) = crowd(&mut rng);
        let mut engine = engine(&text, [44_100.0, 48_000.0, 96_000.0][seed as usize % 3]);
        let sites: Vec<Site> = places.iter().map(|p| engine.scene().directory().site(p).unwrap()).collect();
        let mut queue = Queue::new();
        for _ in 0..60 {
            let mut pick = || sites[rng.bits() as usize % sites.len()];
            let between = Some([pick(), pick()]);
            let between = between.filter(|_| !rng.bits().is_multiple_of(4));
            let contact = rng.bits() as usize % contacts;
            queue.push(rng.bits() % 2_000, Command::Join { contact, between });
        }
        let mut before = engine.energy() - engine.work();
        let mut scale = engine.energy().abs() + engine.work().abs();
        for _ in 0..2_000 {
            let health = engine.render(&[], &mut queue, &mut [0.0]);
            let now = engine.energy() - engine.work();
            scale = scale.max(engine.energy().abs() + engine.work().abs());
            worst = worst.max((now - before) / scale);
            assert!(
                now.is_finite() && (now - before) / scale < 1e-12,
                "{seed} at {}: {before:e} {now:e} of {scale:e}\n{text}",
                engine.tick()
            );
            assert_eq!((health.unconverged, health.reset), (0, 0), "{seed}");
            before = now;
        }
        refused += engine.health().refused;
        joined += 60 - engine.health().refused;
    }
    assert!(joined > 20 * scenes, "{joined} of {refused}");
    println!("largest rise {worst:e}, {joined} joined, {refused} refused");
}

#[test]
fn the_hosts_block_size_changes_no_bit_of_what_is_joined_live() {
    let play = |block: usize| {
        let mut rng = Rng::new(11, "blocks");
        let (text, places, contacts) = crowd(&mut rng);
        let text = "tap = [{ of = 'b0.a' }, { of = 'b1.a' }, { of = 'b2.b' }, { of = 'c0', quantity = 'force' }]\n"
            .to_owned()
            + &text;
        let mut engine = engine(&text, RATE_HZ);
        let sites: Vec<Site> = places.iter().map(|p| engine.scene().directory().site(p).unwrap()).collect();
        let mut queue = Queue::new();
        for _ in 0..200 {
            let mut pick = || sites[rng.bits() as usize % sites.len()];
            let between = Some([pick(), pick()]).filter(|_| !rng.bits().is_multiple_of(4));
            queue.push(rng.bits() % 8_000, Command::Join { contact: rng.bits() as usize % contacts, between });
            queue.push(rng.bits() % 8_000, Command::Strike { body: 2 + rng.bits() as usize % 3, velocity_m_s: 1.0 });
        }
        let mut out = vec![0.0; 9_000];
        for (at, block) in out.chunks_mut(block).enumerate() {
            if at == 2 {
                engine = engine.clone(); // a snapshot goes on as the engine would have
            }
            engine.render(&[], &mut queue, block);
        }
        out
    };
    let whole = play(9_000);
    assert!(whole.iter().any(|x| x.abs() > 1e-4));
    for block in [1, 7, 64, 441] {
        assert!(play(block) == whole, "{block}");
    }
}

#[test]
fn joining_and_parting_neither_allocate_nor_free_in_an_engine_or_its_copy() {
    let mut rng = Rng::new(3, "memory");
    let (text, places, contacts) = crowd(&mut rng);
    let original = engine(&text, RATE_HZ);
    let sites: Vec<Site> = places.iter().map(|p| original.scene().directory().site(p).unwrap()).collect();
    for mut engine in [original.clone(), original] {
        let mut queue = Queue::new();
        for at in 0..300 {
            let mut pick = || sites[rng.bits() as usize % sites.len()];
            let between = Some([pick(), pick()]).filter(|_| !rng.bits().is_multiple_of(4));
            queue.push(7 * at, Command::Join { contact: rng.bits() as usize % contacts, between });
        }
        engine.watch_touches(true);
        let mut out = vec![0.0; 2_400];
        let health = watched(|| engine.render(&[], &mut queue, &mut out));
        assert!(health.solves > 100 && queue.is_empty());
    }
}

#[test]
fn a_contact_that_is_let_go_while_it_touches_ends_at_that_very_sample() {
    let mut engine = engine(&stones(true), RATE_HZ);
    engine.watch_touches(true);
    let mut queue = Queue::new();
    queue.push(0, join(&engine, "knock", &["stone", "bar"]));
    queue.push(5, strike(&engine, "stone", 1.0));
    queue.push(16, join(&engine, "knock", &[]));
    heard(&mut engine, queue, 100, 9);
    let touches: Vec<_> = std::iter::from_fn(|| engine.take_touch()).collect();
    assert_eq!(touches.iter().map(|t| (t.at, t.begins)).collect::<Vec<_>>(), [(5, true), (16, false)]);
    assert!(touches[1].impulse_n_s > 0.0);
}

#[test]
fn an_edited_scene_keeps_what_is_joined_and_lets_go_of_what_has_lost_a_partner() {
    let text = stones(true);
    let mut queue = Queue::new();
    let mut played = engine(&text, RATE_HZ);
    let mut reference = engine(&text, RATE_HZ);
    for engine in [&mut played, &mut reference] {
        queue.push(0, join(engine, "knock", &["pebble", "tin.rim"]));
        queue.push(0, join(engine, "rub", &["hand", "bar"]));
        queue.push(0, strike(engine, "pebble", 1.0));
        engine.render(&[], &mut queue, &mut [0.0; 40]);
    }
    let build = |text: &str| Scene::build(&SceneDef::from_text(text).unwrap(), RATE_HZ).unwrap();
    queue.push(40, Command::adopt(build(&text)));
    let (mut out, mut same) = ([0.0; 4_000], [0.0; 4_000]);
    let before = played.energy() - played.work();
    played.render(&[], &mut queue, &mut out);
    assert!(played.energy() - played.work() <= before + 1e-12);
    reference.render(&[], &mut queue, &mut same);
    // Taps cross-fade and everything is awake for a tick: the same motion to rounding.
    let most = same.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    assert!(most > 1e-3 && out.iter().zip(&same).all(|(a, b)| (a - b).abs() < 1e-4 * most));
    let without = text.replace("body.pebble", "body.crumb");
    queue.push(played.tick(), Command::adopt(build(&without)));
    played.render(&[], &mut queue, &mut [0.0; 64]);
    let compression = played.scene().directory().probe("knock.force").unwrap();
    assert_eq!(played.probe(compression), 0.0);
    assert_eq!(played.health().refused, 0);
}

#[test]
fn what_cannot_be_joined_is_refused_with_one_line_and_counted_where_names_are_gone() {
    let mut engine =
        engine(&(stones(true) + "contact.stays = { type = 'impact', between = ['pebble', 'tin'] }\n"), RATE_HZ);
    let names = engine.scene().directory().clone();
    let said = |contact: &str, between: &[&str]| -> String {
        let between = between.iter().map(|place| (*place).to_owned()).collect();
        let gesture = Gesture::Join { contact: contact.into(), between };
        gesture.resolve::<()>(&names).map(|_| ()).unwrap_err().what
    };
    assert_eq!(said("stays", &[]), "'stays' stays where it is; say spare = true of a contact that is joined live");
    assert_eq!(said("nock", &[]), "no contact 'nock'; did you mean 'knock'?");
    assert_eq!(said("knock", &["stone"]), "knock: 1 places; it joins two, or none");
    assert_eq!(said("knock", &["bar", "bar"]), "knock: a body cannot touch itself; name two bodies");
    assert!(said("knock", &["floor", "desk"]).starts_with("knock: neither partner can yield"));
    assert_eq!(said("knock", &["stone", "tin.rimm"]), "'tin' has no port 'rimm'; did you mean 'rim'?");
    let site = |body, port| Site { body, port };
    let wrong = [
        Command::Join { contact: 99, between: None },
        Command::Join { contact: 2, between: None },
        Command::Join { contact: 0, between: Some([site(0, 0), site(99, 0)]) },
        Command::Join { contact: 0, between: Some([site(0, 0), site(6, 9)]) },
        Command::Join { contact: 0, between: Some([site(6, 0), site(6, 0)]) },
        Command::Join { contact: 0, between: Some([site(2, 0), site(3, 0)]) },
    ];
    let count = wrong.len() as u64;
    let mut queue: Queue = wrong.into_iter().map(|command| Timed { at: 3, command }).collect();
    engine.render(&[], &mut queue, &mut [0.0; 64]);
    assert_eq!(engine.health().refused, count);
}

#[test]
fn a_joint_that_would_make_one_cluster_too_large_to_solve_is_refused_and_the_rest_goes_on() {
    let mut text = String::from("body.bar = { type = 'modal', modes = [{ freq_hz = 300.0, mass_kg = 1.0 }] }\n");
    for i in 0..300 {
        writeln!(text, "body.m{i} = {{ type = 'mass', position_m = -1.0 }}").unwrap();
        writeln!(text, "contact.c{i} = {{ type = 'impact', between = ['m{i}', 'bar'], spare = true }}").unwrap();
    }
    let mut engine = engine(&text, RATE_HZ);
    let mut queue = Queue::new();
    for i in 0..300 {
        queue.push(i, join(&engine, &format!("c{i}"), &[&format!("m{i}"), "bar"]));
    }
    queue.push(400, strike(&engine, "m7", 1.0));
    let health = engine.render(&[], &mut queue, &mut [0.0; 800]);
    assert_eq!(health.refused, 300 - 256);
    assert!(health.solves > 0 && engine.energy() > 0.0);
}

#[test]
fn events_join_and_part_in_scene_files_and_in_parts_of_scenes() -> Result<(), SceneError> {
    let text = stones(true)
        + "event = [{ at_s = 0.0, join = 'knock', between = ['stone', 'bar'] }, { at_s = 0.0, strike = 'stone', velocity_m_s = 1.0 },\n\
           { at_s = 0.05, join = 'knock', between = [] }]\n";
    let def = SceneDef::from_text(&text)?;
    let again = SceneDef::from_text(&def.to_toml())?;
    assert_eq!((again.contacts, again.events), (def.contacts.clone(), def.events.clone()), "written and read again");
    let sound = |def: &SceneDef| -> Result<Vec<f32>, SceneError> {
        let mut out = vec![0.0; 4_800];
        Engine::new(Scene::build(def, RATE_HZ)?).render(&[], &mut Queue::new(), &mut out);
        Ok(out)
    };
    assert!(sound(&def)?.iter().any(|x| x.abs() > 1e-3));
    let wrong = SceneDef::from_text(&text.replace("between = []", "between = ['stone']")).unwrap_err();
    assert!(wrong.to_string().contains("two, or none to let go"), "{wrong}");
    let wrong = SceneDef::from_text(&text.replace(", between = []", "")).unwrap_err();
    assert!(wrong.to_string().contains("needs between"), "{wrong}");
    Ok(())
}
