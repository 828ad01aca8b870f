// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is played of events: with bodies and voices from pools, the loudest first, without an allocation where sound is made.

use tocco::engine::Queue;
use tocco::{Engine, Scene};
use tocco_contact_stream::{Budget, Event, Kind, Motion, Pairs, Pools, Stage, Surface, What};
use tocco_testing::allocations::{Counting, watched};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const RATE_HZ: f64 = 48_000.0;
const STEP_S: f64 = 1.0 / 60.0;
const BLOCK: usize = 800;

const CUP: &str = "type = 'modal'
modes = [{ freq_hz = 1900.0, decay_s = 0.15, mass_kg = 0.05 }, { freq_hz = 4700.0, decay_s = 0.08, mass_kg = 0.05 }]";
const TABLE: &str = "type = 'modal'
modes = [{ freq_hz = 140.0, decay_s = 0.05, mass_kg = 3.0 }, { freq_hz = 390.0, decay_s = 0.03, mass_kg = 2.0 }]";

fn stage(pools: Pools, copies: usize) -> (Stage, Engine) {
    let kinds = [Kind::from_text("cup", copies, CUP).unwrap(), Kind::from_text("table", 1, TABLE).unwrap()];
    let (mut stage, def) = Stage::new(&kinds, Pairs::new(Surface::default()), pools, RATE_HZ).unwrap();
    let engine = Engine::new(Scene::build(&def, RATE_HZ).unwrap());
    stage.wire(engine.scene().directory()).unwrap();
    (stage, engine)
}

fn impact(at_s: f64, pair: [u64; 2], speed_m_s: f64) -> Event {
    let what = What::Impact { speed_m_s, mass_kg: 0.2, impulse_n_s: 0.3 * speed_m_s };
    Event { at_s, pair, materials: [0, 0], point_m: [0.0; 3], what }
}

fn goes(at_s: f64, pair: [u64; 2], motion: Motion, force_n: f64) -> Event {
    let what = What::Goes { motion, begins: false, force_n, speed_m_s: 0.5, mass_kg: 0.2, lasts_s: STEP_S };
    Event { at_s, pair, materials: [0, 0], point_m: [0.0; 3], what }
}

fn loudness(sound: &[f32]) -> f64 {
    (sound.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / sound.len() as f64).sqrt()
}

#[test]
fn a_crowd_that_falls_slides_rolls_and_vanishes_is_heard_without_an_allocation_and_with_the_same_bits_in_any_blocks() {
    let play = |cut: usize| {
        let (mut stage, mut engine) = stage(Pools::default(), 6);
        assert!(stage.appear(0, 1));
        let mut queue = Queue::with_room(1 << 14);
        let mut sound = vec![0.0; 90 * BLOCK];
        for step in 0..90u64 {
            let at_s = step as f64 * STEP_S;
            if step.is_multiple_of(15) && step < 75 {
                assert!(stage.appear(10 + step, 0), "a body has been given back");
                if step >= 45 {
                    assert!(stage.vanish(10 + step - 45));
                }
            }
            let own = 10 + step / 15 * 15;
            let mut events = vec![impact(at_s + 0.003, [0, own.min(70)], 1.0 + (step % 7) as f64)];
            events.push(goes(at_s, [0, own.min(70)], if step % 30 < 15 { Motion::Slide } else { Motion::Roll }, 4.0));
            stage.play(at_s + STEP_S, &events, |at, command| queue.push(at, command));
        }
        let sent = queue.len();
        watched(|| {
            for block in sound.chunks_mut(cut) {
                engine.render(&[], &mut queue, block);
            }
        });
        assert!(sent > 500 && queue.is_empty());
        let health = engine.health();
        assert_eq!((health.refused, health.clamped, health.unconverged, health.reset), (0, 0, 0, 0));
        sound
    };
    let whole = play(90 * BLOCK);
    assert!(whole.iter().all(|x| x.is_finite()) && loudness(&whole) > 1e-4);
    assert!(play(BLOCK) == whole && play(37) == whole);
}

#[test]
fn faster_blows_are_louder_and_come_at_their_sample() {
    let heard = |speed: f64| {
        let (mut stage, mut engine) = stage(Pools::default(), 1);
        assert!(stage.appear(5, 0));
        let mut queue = Queue::new();
        stage.play(STEP_S, &[impact(0.01, [5, 900], speed)], |at, command| queue.push(at, command));
        let mut sound = vec![0.0; 4_800];
        engine.render(&[], &mut queue, &mut sound);
        assert!(sound[..480].iter().all(|x| *x == 0.0) && sound[481..500].iter().any(|x| *x != 0.0));
        loudness(&sound)
    };
    assert!(heard(2.0) > 1.5 * heard(1.0), "{} {}", heard(2.0), heard(1.0));
}

#[test]
fn of_many_blows_the_loudest_are_played_and_the_rest_is_counted() {
    let pools = Pools { impacts: 4, budget: Budget { core: 1.0, ..Budget::default() }, ..Pools::default() };
    let (mut stage, engine) = stage(pools, 12);
    for thing in 0..12 {
        assert!(stage.appear(thing, 0));
    }
    assert!(!stage.appear(12, 0) && !stage.appear(3, 0) && !stage.appear(13, 99));
    let events: Vec<Event> = (0..12).map(|i| impact(0.0, [i, 900 + i], 1.0 + ((i * 5) % 12) as f64)).collect();
    let mut struck = Vec::new();
    stage.play(STEP_S, &events, |_, command| {
        if let tocco::Command::Strike { velocity_m_s, .. } = command {
            struck.push(velocity_m_s);
        }
    });
    assert_eq!(struck, [12.0, 11.0, 10.0, 9.0]);
    let played = stage.played();
    assert_eq!((played.impacts, played.left_out, played.without_body, played.unknown), (4, 8, 2, 0));
    assert!(engine.scene().directory().contact("stage-knock-3").is_ok());
}

#[test]
fn a_budget_that_is_used_up_leaves_out_blows_and_one_that_proves_dear_leaves_out_more() {
    let count = |measured: bool| {
        let budget = Budget { core: 0.02, impact_s: 2e-4, lasting: 0.01 };
        let (mut stage, _) = stage(Pools { impacts: 64, budget, ..Pools::default() }, 1);
        assert!(stage.appear(1, 0));
        for step in 0..120 {
            let at_s = f64::from(step) * STEP_S;
            let events: Vec<Event> = (0..8).map(|_| impact(at_s, [1, 900], 1.0)).collect();
            stage.play(at_s + STEP_S, &events, |_, _| {});
            if measured {
                stage.measured(0.04 * STEP_S, STEP_S);
            }
        }
        stage.played().impacts
    };
    // Two seconds of 2 % of a core at 0.2 ms each, and what is saved at first.
    let (told, found) = (count(false), count(true));
    assert!((200..=212).contains(&told), "{told}");
    assert!(found < told / 4, "{found}");
}

#[test]
fn what_slides_loudest_has_the_hands_and_keeps_them_until_something_is_clearly_louder() {
    let pools = Pools { slides: 1, ..Pools::default() };
    let (mut stage, mut engine) = stage(pools, 2);
    assert!(stage.appear(1, 0) && stage.appear(2, 0));
    let mut queue = Queue::new();
    let mut joined = Vec::new();
    for step in 0..40 {
        let at_s = f64::from(step) * STEP_S;
        let other = if step < 20 { 1.2 } else { 3.0 };
        let events = [
            goes(at_s, [1, 900], Motion::Scrape, 1.0),
            goes(at_s, [2, 900], Motion::Scrape, if step == 0 { 0.1 } else { other }),
        ];
        stage.play(at_s + STEP_S, &events, |at, command| {
            if let tocco::Command::Join { between: Some([_, site]), .. } = command {
                joined.push((step, site.body));
            }
            queue.push(at, command);
        });
    }
    assert_eq!(joined.len(), 2, "{joined:?}");
    assert!(joined[0].0 == 0 && (20..24).contains(&joined[1].0) && joined[0].1 != joined[1].1, "{joined:?}");
    let mut sound = vec![0.0; 40 * BLOCK];
    let health = engine.render(&[], &mut queue, &mut sound);
    assert!(health.refused == 0 && loudness(&sound) > 1e-7, "{}", loudness(&sound));
}

#[test]
fn what_is_gone_is_rubbed_no_more_though_another_thing_has_its_number_at_once() {
    for motion in [Motion::Slide, Motion::Roll] {
        let (mut stage, engine) = stage(Pools::default(), 2);
        let bodies = ["cup-0", "cup-1"].map(|name| engine.scene().directory().body(name).unwrap());
        assert!(stage.appear(1, 0));
        let mut seen = Vec::new();
        for step in 0..6 {
            let at_s = f64::from(step) * STEP_S;
            if step == 3 {
                assert!(stage.vanish(1) && stage.appear(1, 0), "its old body rings out, the new one has another");
            }
            stage.play(at_s + STEP_S, &[goes(at_s, [1, 900], motion, 2.0)], |_, command| match command {
                tocco::Command::Join { contact, between } => {
                    seen.push((step, contact, between.map(|[_, site]| site.body)))
                }
                tocco::Command::Glide { value: 0.0, .. } => seen.push((step, usize::MAX, None)),
                _ => {}
            });
        }
        let joined: Vec<_> = seen.iter().filter_map(|(step, _, body)| Some((*step, (*body)?))).collect();
        assert_eq!(joined, [(0, bodies[0]), (3, bodies[1])], "{motion:?}: {seen:?}");
        // Force and speed of the old one fade, then it lets go.
        assert_eq!(seen.iter().filter(|(step, contact, _)| (*step, *contact) == (3, usize::MAX)).count(), 2);
        let (_, first, _) = seen[0];
        assert!(seen.contains(&(5, first, None)), "{motion:?}: {seen:?}");
    }
}

#[test]
fn each_pair_of_materials_has_its_own_blow_and_friction_whichever_comes_first() {
    let glass = Surface {
        hardness_01: 0.9,
        dissipation_s_m: 0.1,
        mu_static: 0.4,
        mu_dynamic: 0.2,
        roughness: 0.1,
        weight: 1.0,
    };
    let cloth = Surface {
        hardness_01: 0.2,
        dissipation_s_m: 0.8,
        mu_static: 0.9,
        mu_dynamic: 0.7,
        roughness: 0.6,
        weight: 1.0,
    };
    let mut pairs = Pairs::new(Surface::default());
    assert!(pairs.set(3, 1, glass) && pairs.set(2, 3, cloth));
    let kinds = [Kind::from_text("cup", 1, CUP).unwrap()];
    for (materials, surface) in
        [([1, 3], glass), ([3, 1], glass), ([2, 3], cloth), ([3, 2], cloth), ([1, 2], Surface::default())]
    {
        let (mut stage, def) = Stage::new(&kinds, pairs.clone(), Pools::default(), RATE_HZ).unwrap();
        let scene = Scene::build(&def, RATE_HZ).unwrap();
        let names = scene.directory().clone();
        stage.wire(&names).unwrap();
        assert!(stage.appear(1, 0));
        let events =
            [impact(0.0, [1, 9], 1.0), goes(0.0, [1, 9], Motion::Scrape, 1.0), goes(0.0, [1, 8], Motion::Roll, 1.0)];
        let events = events.map(|event| Event { materials, ..event });
        let mut set = std::collections::BTreeMap::new();
        stage.play(STEP_S, &events, |_, command| {
            if let tocco::Command::Jump(tocco::Address::Slot(slot), value) = command {
                set.insert(names.path(slot), value);
            }
        });
        let told = |path: &str| *set.get(path).unwrap_or_else(|| panic!("{path}: {set:?}"));
        // A blow of 0.05 kg at 1 m/s lasts 10 ms to 0.05 ms, in equal ratios.
        let contact_s = 0.01 * (5e-5_f64 / 0.01).powf(surface.hardness_01);
        for law in ["stage-knock-0", "stage-roll-0"] {
            let blow = tocco::theory::WallImpact {
                mass_kg: 0.05,
                stiffness: told(&format!("{law}/stiffness")),
                exponent: 1.5,
                dissipation_s_m: 0.0,
                velocity_m_s: 1.0,
            };
            assert!((blow.contact_time_s() / contact_s - 1.0).abs() < 1e-6, "{materials:?}: {}", blow.contact_time_s());
            assert_eq!(told(&format!("{law}/dissipation_s_m")), surface.dissipation_s_m, "{materials:?}");
        }
        let rubbed = ["mu_static", "mu_dynamic", "roughness"].map(|id| told(&format!("stage-rub-0/{id}")));
        assert_eq!(rubbed, [surface.mu_static, surface.mu_dynamic, surface.roughness], "{materials:?}");
    }
}

#[test]
fn events_without_sense_or_of_strangers_are_passed_over() {
    let (mut stage, mut engine) = stage(Pools::default(), 1);
    assert!(stage.appear(1, 0) && !stage.vanish(44));
    let mut queue = Queue::new();
    stage.play(f64::NAN, &[impact(0.0, [1, 2], 1.0)], |at, command| queue.push(at, command));
    assert!(queue.is_empty());
    let events = [impact(0.0, [1, 2], f64::NAN), impact(f64::NAN, [1, 2], 1.0), impact(0.0, [8, 9], 1.0)];
    stage.play(STEP_S, &events, |at, command| queue.push(at, command));
    let mut sound = [0.0; 480];
    engine.render(&[], &mut queue, &mut sound);
    assert!(sound.iter().all(|x| x.is_finite()));
    assert_eq!(stage.played().unknown, 3);
    assert_eq!(engine.health().refused, 0);
    assert!(Kind::from_text("x", 1, "type = 'nothing'").is_err());
    for name in ["stage-hammer", "a b", ""] {
        let kind = Kind { name: name.into(), ..Kind::from_text("x", 1, CUP).unwrap() };
        assert!(Stage::new(&[kind], Pairs::new(Surface::default()), Pools::default(), RATE_HZ).is_err(), "{name}");
    }
    let ball = [Kind::from_text("ball", 1, CUP).unwrap(), Kind::from_text("hammer", 1, CUP).unwrap()];
    assert!(Stage::new(&ball, Pairs::new(Surface::default()), Pools::default(), RATE_HZ).is_ok());
    assert!(Stage::new(&[], Pairs::new(Surface::default()), Pools::default(), RATE_HZ).is_err());
    assert!(!Pairs::new(Surface::default()).set(0, 0, Surface { hardness_01: f64::NAN, ..Surface::default() }));
}
