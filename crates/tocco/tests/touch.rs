// SPDX-License-Identifier: MIT OR Apache-2.0
//! A shape touched anywhere: the place of a port moves by command.

use tocco::engine::{Command, Engine, Queue, Timed};
use tocco::scene::{Scene, SceneDef};

const RATE_HZ: f64 = 48_000.0;

/// A steel bar struck at `place`; heard at its end.
fn bar(place: f64) -> Scene {
    let text = format!(
        "[body.hammer]\ntype = 'mass'\nmass_kg = 0.01\nposition_m = -1.0\n\
         [body.bar]\ntype = 'shape'\nshape = 'bar'\nmaterial = 'steel'\nlength_m = 0.3\nwidth_m = 0.03\n\
         thickness_m = 0.005\n[body.bar.port]\nstruck = {place:?}\near = 0.02\n\
         [contact.hit]\ntype = 'impact'\nbetween = ['hammer', 'bar.struck']\nstiffness = 1e8\n\
         [[tap]]\nof = 'bar.ear'\n"
    );
    Scene::build(&SceneDef::from_text(&text).unwrap(), RATE_HZ).unwrap()
}

fn struck(scene: Scene, touch: Option<f64>) -> (Vec<f32>, Engine) {
    let mut engine = Engine::new(scene);
    let site = engine.scene().directory().site("bar.struck").unwrap();
    let mut commands = vec![];
    if let Some(place) = touch {
        let values = engine.scene().directory().values_at(site, &[place]).unwrap().into();
        commands.push(Timed { at: 0, command: Command::Touch { site, values } });
    }
    commands.push(Timed { at: 10, command: Command::Strike { body: 0, velocity_m_s: 1.0 } });
    let mut sound = vec![0.0; 9_600];
    let health = engine.render(&[], &mut Queue::from(commands), &mut sound);
    assert_eq!((health.refused, health.unconverged), (0, 0));
    (sound, engine)
}

#[test]
fn a_bar_touched_elsewhere_sounds_as_one_whose_port_is_there() {
    for place in [0.1, 0.37, 0.5] {
        let (moved, _) = struck(bar(0.2), Some(place));
        let (built, _) = struck(bar(place), None);
        assert_eq!(moved, built, "{place}");
    }
    assert_ne!(struck(bar(0.2), Some(0.5)).0, struck(bar(0.2), None).0);
}

#[test]
fn a_body_that_rings_is_met_where_it_is_touched() {
    // A hammer flies towards a bar that swings: when they meet depends on where the bar is in that place as the contact wakes.
    let sound = |built: f64, touch: Option<f64>| {
        let text = format!(
            "[body.hammer]\ntype = 'mass'\nmass_kg = 0.01\nposition_m = -0.05\nvelocity_m_s = 1.0\n\
             [body.bar]\ntype = 'shape'\nshape = 'bar'\nmaterial = 'steel'\nlength_m = 0.6\nwidth_m = 0.03\n\
             thickness_m = 0.002\n[body.bar.port]\nstruck = {built:?}\near = 0.02\n\
             [contact.hit]\ntype = 'impact'\nbetween = ['hammer', 'bar.struck']\nstiffness = 1e7\n\
             [[tap]]\nof = 'bar.ear'\n"
        );
        let mut engine = Engine::new(Scene::build(&SceneDef::from_text(&text).unwrap(), RATE_HZ).unwrap());
        let directory = engine.scene().directory().clone();
        let [site, ear] = ["bar.struck", "bar.ear"].map(|name| directory.site(name).unwrap());
        let values = touch.map(|place| directory.values_at(site, &[place]).unwrap().into());
        let mut commands: Vec<Timed> =
            values.into_iter().map(|values| Timed { at: 0, command: Command::Touch { site, values } }).collect();
        commands.push(Timed { at: 100, command: Command::Hit { site: ear, impulse_n_s: 0.01 } });
        let force = directory.probe("hit.force").unwrap();
        engine.watch(&[force]);
        let mut out = vec![0.0_f32; 24_000];
        let mut forces = vec![0.0; 24_000];
        engine.render_probed(&[], &mut Queue::from(commands), &mut out, &mut forces);
        (out, forces.iter().position(|force| *force > 0.0))
    };
    let (built, moved, beside) = (sound(0.5, None), sound(0.2, Some(0.5)), sound(0.2, None));
    assert!(built.1.is_some() && built.1 == moved.1, "{:?} {:?}", built.1, moved.1);
    assert_ne!(built.1, beside.1);
    let loudest = built.0.iter().fold(0.0_f32, |m, x| m.max(x.abs()));
    let off = built.0.iter().zip(&moved.0).fold(0.0_f32, |m, (a, b)| m.max((a - b).abs()));
    assert!(off <= 1e-6 * loudest, "{off} of {loudest}");
}

#[test]
fn an_impulse_meets_the_place_that_is_touched() {
    let sound = |built: f64, touch: Option<f64>| {
        let mut engine = Engine::new(bar(built));
        let site = engine.scene().directory().site("bar.struck").unwrap();
        let values = touch.map(|place| engine.scene().directory().values_at(site, &[place]).unwrap().into());
        let mut commands: Vec<Timed> =
            values.into_iter().map(|values| Timed { at: 0, command: Command::Touch { site, values } }).collect();
        commands.push(Timed { at: 10, command: Command::Hit { site, impulse_n_s: 0.01 } });
        let mut out = vec![0.0_f32; 4_800];
        engine.render(&[], &mut Queue::from(commands), &mut out);
        out
    };
    assert_eq!(sound(0.2, Some(0.37)), sound(0.37, None));
    assert_ne!(sound(0.2, Some(0.37)), sound(0.2, None));
}

#[test]
fn moving_the_place_while_it_is_touched_makes_no_energy() {
    let mut engine = Engine::new(bar(0.2));
    let site = engine.scene().directory().site("bar.struck").unwrap();
    let mut queue = Queue::from([Timed { at: 0, command: Command::Strike { body: 0, velocity_m_s: 2.0 } }]);
    for i in 1..200 {
        let values =
            engine.scene().directory().values_at(site, &[0.5 + 0.49 * (f64::from(i) * 0.7).sin()]).unwrap().into();
        queue.push(u64::from(i as u32), Command::Touch { site, values });
    }
    let mut before = 0.0;
    for tick in 0..400_u64 {
        engine.render(&[], &mut queue, &mut [0.0; 1]);
        let balance = engine.energy() - engine.work();
        if tick > 0 {
            assert!(balance <= before + 1e-12, "tick {tick}: {before} J, then {balance} J");
        }
        before = balance;
    }
}

#[test]
fn the_energies_of_nodes_and_modes_add_up_to_that_of_everything() {
    let (_, engine) = struck(bar(0.3), None);
    let mut nodes = [0.0; 3];
    engine.energies(&mut nodes);
    assert!((nodes.iter().sum::<f64>() / engine.energy() - 1.0).abs() < 1e-12);
    let mut modes = vec![0.0; engine.mode_energies(1, &mut [])];
    assert_eq!(engine.mode_energies(1, &mut modes), modes.len());
    assert!(modes.len() > 5 && (modes.iter().sum::<f64>() / nodes[1] - 1.0).abs() < 1e-12);
    assert_eq!(engine.mode_energies(0, &mut []), 0);
}

#[test]
fn what_cannot_be_touched_there_is_refused_or_answered() {
    let scene = bar(0.2);
    let site = scene.directory().site("bar.struck").unwrap();
    for (place, words) in [(vec![1.5], "outside"), (vec![0.1, 0.2], "coordinates"), (vec![f64::NAN], "outside")] {
        let said = scene.directory().values_at(site, &place).unwrap_err().to_string();
        assert!(said.contains(words), "{place:?}: {said}");
    }
    let said = scene.directory().values_at(scene.directory().site("hammer").unwrap(), &[0.5]).unwrap_err().to_string();
    assert!(said.contains("no shape"), "{said}");
    let mut engine = Engine::new(scene);
    let bad = |values: Vec<f64>| Timed { at: 0, command: Command::Touch { site, values: values.into() } };
    let commands = [bad(vec![1.0]), bad(vec![f64::NAN; 40])];
    assert_eq!(engine.render(&[], &mut Queue::from(commands), &mut [0.0; 64]).refused, 2);
}
