// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the engine tells whoever draws a scene: how bodies move, and how contacts are held.

use std::f64::consts::TAU;
use tocco::{Engine, Gesture, Queue, Scene, SceneDef};

const RATE_HZ: f64 = 48_000.0;

fn engine(text: &str) -> Engine {
    Engine::new(Scene::build(&SceneDef::from_text(text).unwrap(), RATE_HZ).unwrap())
}

fn hit(engine: &mut Engine, site: &str, impulse_n_s: f64) -> Queue {
    let gesture = Gesture::Hit { site: site.into(), impulse_n_s };
    let command = gesture.resolve(engine.scene().directory()).unwrap().command;
    let mut queue = Queue::new();
    queue.push(0, command);
    queue
}

fn motions(engine: &Engine, body: usize) -> Vec<[f64; 3]> {
    let mut all = vec![[0.0; 3]; engine.mode_motions(body, &mut [])];
    engine.mode_motions(body, &mut all);
    all
}

#[test]
fn a_mode_that_was_hit_is_told_where_the_damped_oscillator_is() {
    let (freq_hz, decay_s, mass_kg, impulse) = (331.0, 0.05, 0.02, 0.004);
    let mut engine = engine(&format!(
        "[body.bar]\ntype = \"modal\"\nmodes = [{{ freq_hz = {freq_hz}, decay_s = {decay_s}, mass_kg = {mass_kg} }}]\n[[tap]]\nof = \"bar\"\n"
    ));
    let mut queue = hit(&mut engine, "bar", impulse);
    for ticks in [1_usize, 100, 777] {
        engine.render(&[], &mut queue, &mut vec![0.0; ticks]);
        let t = engine.tick() as f64 / RATE_HZ;
        let (omega, sigma) = (TAU * freq_hz, 1.0 / decay_s);
        let ringing = (omega * omega - sigma * sigma).sqrt();
        let q = impulse / (mass_kg * ringing) * (-sigma * t).exp() * (ringing * t).sin();
        let p = impulse / mass_kg * (-sigma * t).exp() * ((ringing * t).cos() - sigma / ringing * (ringing * t).sin());
        let told = motions(&engine, 0);
        let (large, fast) = (impulse / (mass_kg * omega), impulse / mass_kg);
        assert!((told[0][0] - q).abs() < 1e-9 * large && (told[0][1] - p).abs() < 1e-9 * fast, "{told:?} not {q} {p}");
        assert!((told[0][2] / omega - 1.0).abs() < 1e-12);
    }
}

#[test]
fn modes_times_their_shapes_are_where_the_ports_are_of_bars_strings_and_glasses() {
    for (body, site) in [
        (
            "type = \"shape\"\nshape = \"bar\"\nmaterial = \"steel\"\nlength_m = 0.3\nwidth_m = 0.03\nthickness_m = 0.005\n[body.x.port]\na = 0.1\nb = 0.45\n",
            "x.a",
        ),
        ("type = \"string\"\nfreq_hz = 220.0\n[body.x.port]\na = 0.1\nb = 0.45\n", "x.a"),
        ("type = \"vessel\"\nradius_m = 0.035\nheight_m = 0.1\n", "x.rim"),
        (
            "type = \"network\"\nmass_kg = { a = 0.01, b = 0.02 }\nfixed = [\"wall\"]\nlink = [{ between = [\"a\", \"b\", \"wall\"], stiffness_n_m = 1e4 }]\n",
            "x.a",
        ),
    ] {
        let mut engine = engine(&format!("[body.x]\n{body}[[tap]]\nof = \"{site}\"\n"));
        let shapes = engine.scene().port_shapes(0);
        let mut queue = hit(&mut engine, site, 1e-3);
        engine.render(&[], &mut queue, &mut [0.0; 333]);
        let moves = motions(&engine, 0);
        assert!(!moves.is_empty() && shapes.len() > 1, "{body}");
        for (port, shape) in shapes.iter().enumerate() {
            let sum: f64 = shape.iter().zip(&moves).map(|(phi, [q, ..])| phi * q).sum();
            let is = engine.position(0, port).unwrap();
            let scale: f64 = shape.iter().zip(&moves).map(|(phi, [q, ..])| (phi * q).abs()).sum();
            assert!((sum - is).abs() <= 1e-9 * scale, "{body}: {sum} {is}");
        }
        assert!(engine.position(0, shapes.len()).is_none());
    }
}

#[test]
fn a_shape_is_known_at_many_places_as_it_is_at_one() {
    let scene = engine(
        "[body.x]\ntype = \"shape\"\nshape = \"circular-plate\"\nmaterial = \"bronze\"\nradius_m = 0.2\nthickness_m = 0.004\n[body.x.port]\na = [0.5, 0.1]\n[[tap]]\nof = \"x.a\"\n",
    );
    let directory = scene.scene().directory();
    let places = vec![vec![0.0, 0.0], vec![0.4, 0.2], vec![1.0, 0.7]];
    let all = directory.values_over(0, &places).unwrap();
    let site = directory.site("x.a").unwrap();
    for (place, values) in places.iter().zip(all) {
        assert_eq!(values, directory.values_at(site, place).unwrap());
    }
    let string =
        engine("[body.x]\ntype = \"modal\"\nmodes = [{ freq_hz = 100.0, mass_kg = 1.0 }]\n[[tap]]\nof = \"x\"\n");
    assert!(string.scene().directory().values_over(0, &places).is_err());
}

/// A hand is led over a heavy body that hardly yields, pressed with 2 N.
fn rubbed(speed_m_s: f64, law: &str) -> (f64, f64) {
    let mut engine = engine(&format!(
        "[body.hand]\ntype = \"guided\"\nvelocity_m_s = {speed_m_s}\n[body.block]\ntype = \"modal\"\nmodes = [{{ freq_hz = 40.0, decay_s = 0.02, mass_kg = 5.0 }}]\n\
         [contact.rub]\ntype = \"friction\"\nlaw = \"{law}\"\nbetween = [\"hand\", \"block\"]\nnormal_force_n = 2.0\nmu_static = 0.5\nmu_dynamic = 0.5\n[[tap]]\nof = \"block\"\n"
    ));
    engine.watch_touches(true);
    engine.render(&[], &mut Queue::new(), &mut [0.0; 4800]);
    engine.grip(0);
    engine.render(&[], &mut Queue::new(), &mut [0.0; 4800]);
    let grip = engine.grip(0).unwrap();
    assert_eq!(engine.grip(0).unwrap().force_n, 0.0, "what was told is told once");
    (grip.force_n.abs(), grip.slid_01)
}

#[test]
fn surfaces_slide_where_the_hand_is_fast_and_hold_where_it_rests() {
    for law in ["elasto-plastic", "lugre", "dahl", "static"] {
        let (force, slid) = rubbed(0.5, law);
        assert!((force - 1.0).abs() < 0.02, "{law}: Coulomb's {force} N");
        assert!(slid > 0.99, "{law}: slid {slid}");
        let (force, slid) = rubbed(0.0, law);
        assert!(force < 1e-9 && slid == 0.0, "{law}: {force} N, {slid}");
    }
}

/// A bowed string is one contact that lasts, which is stepped in a form of its own: what is told is the same, and no sample is another.
#[test]
fn a_bow_is_told_to_stick_and_slip_and_nobody_hears_that_it_is_watched() {
    let text = "[body.bow]\ntype = \"guided\"\nvelocity_m_s = 0.2\n[body.string]\ntype = \"string\"\nfreq_hz = 220.0\n[body.string.port]\nat = 0.12\n\
                [contact.rub]\ntype = \"friction\"\nbetween = [\"bow\", \"string.at\"]\nnormal_force_n = 0.8\nmu_static = 0.8\nmu_dynamic = 0.3\nstribeck_m_s = 0.15\nbristle_stiffness = 3e4\n[[tap]]\nof = \"string.at\"\n";
    let (mut watched, mut alone) = (engine(text), engine(text));
    watched.watch_touches(true);
    let (mut one, mut other) = (vec![0.0; 24_000], vec![0.0; 24_000]);
    for (one, other) in one.chunks_mut(480).zip(other.chunks_mut(480)) {
        watched.grip(0);
        watched.render(&[], &mut Queue::new(), one);
        alone.render(&[], &mut Queue::new(), other);
    }
    assert_eq!(one, other);
    let grip = watched.grip(0).unwrap();
    // Helmholtz motion slips for about the part of the period that the bow is of the length, 0.12.
    assert!(grip.slid_01 > 0.03 && grip.slid_01 < 0.4, "{grip:?}");
    assert!(grip.force_n.abs() > 0.1 && grip.force_n.abs() < 0.8, "{grip:?}");
}

#[test]
fn the_largest_force_of_an_impact_is_told_though_nobody_looked_while_it_lasted() {
    let (mass, speed, stiffness) = (0.01_f64, 1.0, 1e6_f64);
    let mut engine = engine(&format!(
        "[body.ball]\ntype = \"mass\"\nmass_kg = {mass}\nposition_m = -0.001\nvelocity_m_s = {speed}\n[body.wall]\ntype = \"wall\"\n\
         [contact.hit]\ntype = \"impact\"\nlaw = \"linear\"\nbetween = [\"ball\", \"wall\"]\nstiffness = {stiffness}\n[[tap]]\nof = \"ball\"\n"
    ));
    engine.watch_touches(true);
    engine.render(&[], &mut Queue::new(), &mut [0.0; 4800]);
    let grip = engine.grip(0).unwrap();
    let peak = speed * (stiffness * mass).sqrt(); // half a turn of mass on spring
    assert!((grip.force_n.abs() / peak - 1.0).abs() < 0.02 && grip.slid_01 == 0.0, "{grip:?}, not {peak} N");
}
