// SPDX-License-Identifier: MIT OR Apache-2.0
//! Energy minus the work of outsiders never rises: not by one part in 1e12 of the initial energy, in any step.
//!
//! Every solve converges, of friction on shared bodies too. Where the laws' forces are not found within their turns (normal
//! forces that depend on the friction they cause, several roots) they are held for the step, see contact/coupled.rs;
//! that adds no energy either.

mod common;
use common::engine;
use std::fmt::Write;
use tocco::rng::Rng;
use tocco::{Engine, Health, Queue};

/// Largest step upwards of energy - work, relative to the largest energy so far.
fn growth(engine: &mut Engine, frames: usize) -> (f64, Health) {
    let probes = ["energy", "work"].map(|s| engine.scene().directory().probe(s).unwrap());
    engine.watch(&probes);
    let mut before = engine.energy() - engine.work();
    let mut scale = engine.energy().abs() + engine.work().abs();
    let mut worst = 0.0f64;
    let (mut out, mut row) = (vec![0.0; engine.scene().channels()], [0.0; 2]);
    let mut health = Health::default();
    for _ in 0..frames {
        health = engine.render_probed(&[], &mut Queue::new(), &mut out, &mut row);
        let ledger = row[0] - row[1];
        scale = scale.max(row[0].abs() + row[1].abs());
        worst = worst.max((ledger - before) / scale.max(1e-300));
        before = ledger;
        assert!(row[0].is_finite() && out.iter().all(|x| x.is_finite()));
    }
    (worst, health)
}

fn modal(text: &mut String, name: &str, modes: usize, ports: &[&str], rng: &mut Rng) {
    write!(text, "[body.{name}]\ntype = \"modal\"\nmodes = [").unwrap();
    for _ in 0..modes {
        let freq_hz = if rng.unit() < 0.05 { 0.0 } else { rng.between_log(20.0, 20_000.0) };
        let decay =
            if rng.unit() < 0.2 { String::new() } else { format!(", decay_s = {:e}", rng.between_log(1e-4, 2.0)) };
        write!(text, "{{ freq_hz = {freq_hz:e}{decay}, mass_kg = {:e} }}, ", rng.between_log(1e-3, 1.0)).unwrap();
    }
    writeln!(text, "]\n[body.{name}.port]").unwrap();
    for port in ports {
        let shape: Vec<String> = (0..modes).map(|_| format!("{:e}", rng.between(-1.0, 1.0))).collect();
        writeln!(text, "{port} = [{}]", shape.join(", ")).unwrap();
    }
}

fn mass(text: &mut String, name: &str, position_m: f64, rng: &mut Rng) {
    let (m, v) = (rng.between_log(1e-4, 1.0), rng.between_log(1e-3, 20.0));
    writeln!(
        text,
        "[body.{name}]\ntype = \"mass\"\nmass_kg = {m:e}\nposition_m = {position_m:e}\nvelocity_m_s = {v:e}"
    )
    .unwrap();
}

fn contact(text: &mut String, name: &str, a: &str, b: &str, rng: &mut Rng) {
    let exponent =
        if rng.unit() < 0.5 { [1.0, 1.5, 2.0, 2.5, 3.0][(rng.unit() * 5.0) as usize] } else { rng.between(1.0, 3.5) };
    let k = rng.between_log(1e4, 1e13);
    writeln!(
        text,
        "[contact.{name}]\ntype = \"impact\"\nbetween = [\"{a}\", \"{b}\"]\nstiffness = {k:e}\nexponent = {exponent:e}"
    )
    .unwrap();
    match (rng.unit() * 5.0) as usize {
        0 => writeln!(text, "law = \"power\""),
        1 => {
            let (eps, tau) = (rng.between(0.1, 0.95), rng.between_log(1e-6, 1e-2));
            writeln!(text, "law = \"stulov\"\nhysteresis_01 = {eps:e}\nrelaxation_s = {tau:e}")
        }
        2 => {
            let (mu, b) = (rng.between(0.0, 10.0), rng.between(0.0, 3.0));
            writeln!(text, "dissipation_s_m = {mu:e}\nviscous_exponent = {b:e}")
        }
        _ => writeln!(text, "dissipation_s_m = {:e}", rng.between(0.0, 10.0)),
    }
    .unwrap();
    match (rng.unit() * 4.0) as usize {
        0 => writeln!(text, "substeps = 1").unwrap(),
        1 => writeln!(text, "substeps = 8").unwrap(),
        _ => {}
    }
}

/// A hammer, perhaps far from the origin, against a wall or a modal body.
fn one_contact(rng: &mut Rng) -> String {
    let mut text = String::new();
    let modes = (rng.unit() * 8.0) as usize;
    let far = if modes == 0 { [0.0, 1.0, -10.0, 100.0][(rng.unit() * 4.0) as usize] } else { 0.0 };
    let gap = rng.between(0.0, 1e-4);
    mass(&mut text, "hammer", far - gap, rng);
    if modes == 0 {
        writeln!(text, "[body.target]\ntype = \"wall\"\nposition_m = {far:e}").unwrap();
    } else {
        modal(&mut text, "target", modes, &["p"], rng);
    }
    contact(&mut text, "hit", "hammer", "target", rng);
    if rng.unit() < 0.2 {
        writeln!(text, "[[drive]]\npath = \"hammer/force_n\"\npoints = [[0.0, {:e}]]", rng.between(-10.0, 50.0))
            .unwrap();
    }
    text
}

/// Two to six contacts: several hammers on one body, or a chain of masses against it.
fn shared_contacts(rng: &mut Rng) -> String {
    let mut text = String::new();
    let count = 2 + (rng.unit() * 5.0) as usize;
    let chain = rng.unit() < 0.4;
    let ports: Vec<String> = (0..count).map(|i| format!("p{i}")).collect();
    let names: Vec<&str> = ports.iter().map(String::as_str).collect();
    modal(&mut text, "target", 1 + (rng.unit() * 7.0) as usize, &names, rng);
    for i in 0..count {
        mass(&mut text, &format!("m{i}"), -rng.between(0.0, 1e-4) * if chain { (i + 1) as f64 } else { 1.0 }, rng);
    }
    for i in 0..count {
        let (a, b) = match (chain, i) {
            (true, 0) | (false, _) => (format!("m{i}"), format!("target.p{i}")),
            (true, _) => (format!("m{i}"), format!("m{}", i - 1)),
        };
        contact(&mut text, &format!("c{i}"), &a, &b, rng);
    }
    text
}

/// A string, a skin or a plate that stiffens, struck by one to three hammers, rubbed or pushed, with much more than it was made for.
fn bending(rng: &mut Rng) -> String {
    let mut text = String::from("[body.target]\ntype = \"shape\"\nstiffens = true\n");
    let (a, b, h) = (rng.between(0.1, 1.0), rng.between(0.1, 1.0), rng.between_log(1e-4, 3e-3));
    let (material, freq_hz) = (["steel", "mylar", "bronze", "rubber"][pick(rng, 4)], rng.between_log(30.0, 800.0));
    let axes = match pick(rng, 6) {
        0 => {
            writeln!(
                text,
                "shape = \"string\"\nstiffness = \"ideal\"\nlength_m = {a:e}\ndiameter_m = {h:e}\nfreq_hz = {freq_hz:e}"
            )
            .unwrap();
            1
        }
        1 => {
            writeln!(text, "shape = \"rectangular-membrane\"\nlength_m = {a:e}\nwidth_m = {b:e}\nthickness_m = {h:e}\nfreq_hz = {freq_hz:e}").unwrap();
            2
        }
        2 => {
            writeln!(
                text,
                "shape = \"circular-membrane\"\nradius_m = {a:e}\nthickness_m = {h:e}\nfreq_hz = {freq_hz:e}"
            )
            .unwrap();
            2
        }
        3 | 4 => {
            let edges = ["supported", "free"][pick(rng, 2)];
            writeln!(text, "shape = \"rectangular-plate\"\nedges = \"{edges}\"\nlength_m = {a:e}\nwidth_m = {b:e}\nthickness_m = {h:e}").unwrap();
            2
        }
        _ => {
            let edge = ["free", "supported", "clamped"][pick(rng, 3)];
            writeln!(text, "shape = \"circular-plate\"\nedge = \"{edge}\"\nradius_m = {a:e}\nthickness_m = {h:e}")
                .unwrap();
            2
        }
    };
    let count = 1 + pick(rng, 3);
    writeln!(
        text,
        "material = \"{material}\"\nmodes = {}\nstiffening = {:e}",
        1 + pick(rng, 16),
        rng.between(0.1, 4.0)
    )
    .unwrap();
    writeln!(text, "[body.target.port]").unwrap();
    for i in 0..count + 1 {
        let place: Vec<String> = (0..axes).map(|_| format!("{:e}", rng.between(0.1, 0.9))).collect();
        writeln!(text, "p{i} = [{}]", place.join(", ")).unwrap();
    }
    for i in 0..count {
        mass(&mut text, &format!("m{i}"), -rng.between(0.0, 1e-4), rng);
        contact(&mut text, &format!("c{i}"), &format!("m{i}"), &format!("target.p{i}"), rng);
    }
    if rng.unit() < 0.3 {
        let (speed, normal) = (rng.between(-1.0, 1.0), rng.between_log(0.1, 100.0));
        writeln!(text, "[body.hand]\ntype = \"guided\"\nvelocity_m_s = {speed:e}\n[contact.rub]\ntype = \"friction\"\nbetween = [\"hand\", \"target.p{count}\"]\nnormal_force_n = {normal:e}").unwrap();
    }
    if rng.unit() < 0.3 {
        writeln!(
            text,
            "[[drive]]\npath = \"target.p{count}/force_n\"\nnoise = {{ rms = {:e} }}",
            rng.between_log(0.1, 1e3)
        )
        .unwrap();
    }
    if rng.unit() < 0.3 {
        let (id, value) = [("stiffening", rng.between(0.0, 4.0)), ("freq_scale", rng.between(0.5, 2.0))][pick(rng, 2)];
        writeln!(text, "[[event]]\nat_s = 0.001\nset = \"target/{id}\"\nvalue = {value:e}").unwrap();
    }
    if rng.unit() < 0.2 {
        writeln!(
            text,
            "[[event]]\nat_s = 0.002\nhit = \"target.p{count}\"\nimpulse_n_s = {:e}",
            rng.between_log(1e-3, 10.0)
        )
        .unwrap();
    }
    text
}

/// A bar, a plate, a bowl or a bell that hangs free, struck by one to three hammers, hit, pushed, rubbed, retuned.
fn hanging(rng: &mut Rng) -> String {
    let mut text = String::from("[body.target]\ntype = \"shape\"\n");
    let (a, b, h) = (rng.between_log(0.05, 1.0), rng.between(0.3, 1.0), rng.between_log(3e-3, 0.05));
    let axes = match pick(rng, 6) {
        0 => {
            let support = ["free", "hinged-free"][pick(rng, 2)];
            writeln!(
                text,
                "shape = \"bar\"\nsupport = \"{support}\"\nlength_m = {a:e}\nwidth_m = {:e}\nthickness_m = {:e}",
                0.2 * a,
                h * a
            )
            .unwrap();
            1
        }
        1 => {
            writeln!(
                text,
                "shape = \"rectangular-plate\"\nlength_m = {a:e}\nwidth_m = {:e}\nthickness_m = {:e}",
                a * b,
                0.3 * h * a
            )
            .unwrap();
            2
        }
        2 => {
            writeln!(text, "shape = \"circular-plate\"\nradius_m = {a:e}\nthickness_m = {:e}", h * a).unwrap();
            2
        }
        3 | 4 => {
            writeln!(
                text,
                "shape = \"bowl\"\nradius_m = {a:e}\nheight_m = {:e}\nthickness_m = {:e}",
                a * (0.5 + b),
                h * a
            )
            .unwrap();
            2
        }
        _ => {
            writeln!(
                text,
                "shape = \"bell\"\nfreq_hz = {:e}\nmass_kg = {:e}",
                rng.between_log(100.0, 2e3),
                rng.between_log(0.1, 1e3)
            )
            .unwrap();
            2
        }
    };
    let (count, material) = (1 + pick(rng, 3), ["steel", "rosewood", "bronze", "glass"][pick(rng, 4)]);
    writeln!(text, "material = \"{material}\"\nmodes = {}", 1 + pick(rng, 16)).unwrap();
    let (hz, decay_s) = (if rng.unit() < 0.2 { 0.0 } else { rng.between_log(0.5, 40.0) }, rng.between_log(0.01, 10.0));
    writeln!(text, "suspension_hz = {hz:e}\nsuspension_decay_s = {decay_s:e}\n[body.target.port]").unwrap();
    for i in 0..count + 1 {
        let place: Vec<String> = (0..axes).map(|_| format!("{:e}", rng.between(0.1, 0.95))).collect();
        writeln!(text, "p{i} = [{}]", place.join(", ")).unwrap();
    }
    for i in 0..count {
        mass(&mut text, &format!("m{i}"), -rng.between(0.0, 1e-4), rng);
        contact(&mut text, &format!("c{i}"), &format!("m{i}"), &format!("target.p{i}"), rng);
    }
    if rng.unit() < 0.3 {
        let (speed, normal) = (rng.between(-1.0, 1.0), rng.between_log(0.1, 100.0));
        writeln!(text, "[body.hand]\ntype = \"guided\"\nvelocity_m_s = {speed:e}\n[contact.rub]\ntype = \"friction\"\nbetween = [\"hand\", \"target.p{count}\"]\nnormal_force_n = {normal:e}").unwrap();
    }
    if rng.unit() < 0.3 {
        writeln!(
            text,
            "[[drive]]\npath = \"target.p{count}/force_n\"\nnoise = {{ rms = {:e} }}",
            rng.between_log(0.1, 1e3)
        )
        .unwrap();
    }
    if rng.unit() < 0.3 {
        let (id, value) = [("decay_scale", rng.between(0.2, 4.0)), ("freq_scale", rng.between(0.5, 2.0))][pick(rng, 2)];
        writeln!(text, "[[event]]\nat_s = 0.001\nset = \"target/{id}\"\nvalue = {value:e}").unwrap();
    }
    if rng.unit() < 0.3 {
        let impulse_n_s = rng.between_log(1e-3, 10.0);
        writeln!(text, "[[event]]\nat_s = 0.002\nhit = \"target.p{count}\"\nimpulse_n_s = {impulse_n_s:e}").unwrap();
    }
    text
}

/// One to four friction contacts of any law: hands, masses, modal bodies and strings that rub each other, smooth or rough,
/// pressed by a given force or by a hammer that bounces on one of them, perhaps over a profile.
fn rubbing(rng: &mut Rng) -> String {
    let count = 1 + pick(rng, 4);
    rubbing_of(count, rng)
}

/// Two to six of them.
fn rubbing_together(rng: &mut Rng) -> String {
    let count = 2 + pick(rng, 5);
    rubbing_of(count, rng)
}

fn pick(rng: &mut Rng, n: usize) -> usize {
    (rng.unit() * n as f64) as usize
}

fn rubbing_of(count: usize, rng: &mut Rng) -> String {
    let mut text = String::new();
    let (strings, pressed) = (rng.unit() < 0.5, rng.unit() < 0.5);
    let ports: Vec<String> = (0..=count).map(|i| format!("p{i}")).collect();
    let names: Vec<&str> = ports.iter().map(String::as_str).collect();
    modal(&mut text, "plate", 1 + pick(rng, 8), &names, rng);
    modal(&mut text, "rod", 1 + pick(rng, 5), &names, rng);
    if strings {
        let (freq_hz, z, b) = (rng.between_log(40.0, 2000.0), rng.between_log(0.05, 5.0), rng.between_log(1e-6, 1e-3));
        writeln!(text, "[body.string]\ntype = \"string\"\nfreq_hz = {freq_hz:e}\nimpedance_kg_s = {z:e}").unwrap();
        writeln!(text, "q = {:e}\ninharmonicity = {b:e}\n[body.string.port]", rng.between_log(20.0, 2000.0)).unwrap();
        names.iter().for_each(|name| writeln!(text, "{name} = {:e}", rng.between(0.05, 0.45)).unwrap());
    }
    writeln!(text, "[body.hand]\ntype = \"guided\"\nvelocity_m_s = {:e}", rng.between(-1.0, 1.0)).unwrap();
    mass(&mut text, "block", 0.0, rng);
    if pressed {
        mass(&mut text, "hammer", -rng.between(0.0, 1e-4), rng);
        contact(&mut text, "press", "hammer", &format!("plate.p{count}"), rng);
        if rng.unit() < 0.5 {
            let height_m = rng.between_log(1e-7, 1e-4);
            writeln!(text, "texture = {{ height_m = {height_m:e}, travel_from = \"hand\" }}").unwrap();
        }
        writeln!(text, "[[drive]]\npath = \"hammer/force_n\"\npoints = [[0.0, {:e}]]", rng.between(-1.0, 20.0))
            .unwrap();
    }
    for i in 0..count {
        let target = if strings && rng.unit() < 0.5 { "string" } else { "plate" };
        let rubber = ["hand".into(), "block".into(), format!("rod.p{i}")][pick(rng, 3)].clone();
        let law = ["elasto-plastic", "lugre", "dahl", "static", "thermal"][pick(rng, 5)];
        let mu_d = rng.between(0.05, 1.0);
        writeln!(
            text,
            "[contact.c{i}]\ntype = \"friction\"\nlaw = \"{law}\"\nbetween = [\"{rubber}\", \"{target}.p{i}\"]\n\
             mu_static = {:e}\nmu_dynamic = {mu_d:e}\nstribeck_m_s = {:e}\nbristle_stiffness = {:e}\n\
             bristle_damping = {:e}\nviscosity = {:e}\nbreakaway_01 = {:e}",
            mu_d * rng.between(1.0, 3.0),
            rng.between_log(1e-3, 1.0),
            rng.between_log(1e2, 1e7),
            rng.between(0.0, 10.0),
            if rng.unit() < 0.5 { 0.0 } else { rng.between(0.0, 2.0) },
            rng.between(0.0, 0.95),
        )
        .unwrap();
        if pressed && rng.unit() < 0.6 {
            writeln!(text, "normal_from = \"press\"").unwrap();
        } else {
            writeln!(text, "normal_force_n = {:e}", rng.between_log(0.01, 100.0)).unwrap();
        }
        if rng.unit() < 0.2 {
            writeln!(text, "viscous_exponent = {:e}", rng.between(1.0, 3.0)).unwrap();
        }
        if rng.unit() < 0.3 {
            let (roughness, beta) = (rng.between_log(1e-3, 0.3), rng.between(0.0, 2.0));
            writeln!(text, "roughness = {roughness:e}\ntexture = {{ beta = {beta:e} }}").unwrap();
        }
    }
    text
}

/// What README.md says of a sweep.
#[derive(Clone, Copy)]
struct Claim {
    /// Largest step upwards, relative to the energy.
    rise: f64,
    /// Solves in which laws were held, part of all solves.
    held: f64,
    /// Evaluations in one scalar solve.
    evaluations: u64,
}

/// The claim holds for these systems, the first of an endless list; more of them must stay within the general bounds.
fn sweep(label: &str, systems: usize, frames: usize, make: fn(&mut Rng) -> String, claim: Claim) {
    let (systems, claim) = match long() {
        1 => (systems, claim),
        times => (systems * times, Claim { rise: 1e-12, held: claim.held * 1.2, evaluations: 50 }),
    };
    let (mut worst, mut solves, mut iterations, mut most, mut held) = (0.0f64, 0, 0, 0, 0);

    for system in 0..systems {
        let mut rng = Rng::new(system as u64, label);
        let text = make(&mut rng);
        let (rise, health) = growth(&mut engine(&text, 44_100.0), frames);
        assert!(rise <= claim.rise, "system {system} gained {rise:e}\n{text}");
        assert_eq!((health.unconverged, health.reset), (0, 0), "system {system}\n{text}");
        worst = worst.max(rise);
        solves += health.solves;
        iterations += health.iterations;
        most = most.max(health.most_iterations);
        held += health.fallbacks;
    }
    let (mean, share) = (iterations as f64 / solves as f64, held as f64 / solves as f64);
    println!(
        "{label}: {systems} systems, {solves} solves, none unconverged, {mean:.2} evaluations on average, at most {most} in \
              one scalar solve, {held} held ({:.3} %), largest rise {worst:.1e} of the energy",
        100.0 * share
    );
    assert!(share <= claim.held, "{held} of {solves} solves held");
    assert!(most <= claim.evaluations, "{most} evaluations in one solve");
}

fn long() -> usize {
    if std::env::var_os("TOCCO_LONG").is_some() { 10 } else { 1 }
}

const IMPACTS: Claim = Claim { rise: 1.5e-13, held: 0.0, evaluations: 19 };

#[test]
fn energy_minus_work_never_rises_in_20000_random_single_contacts() {
    sweep("single", 20_000, 96, one_contact, IMPACTS);
}

#[test]
fn energy_minus_work_never_rises_in_4000_random_systems_of_shared_contacts() {
    sweep("shared", 4_000, 96, shared_contacts, IMPACTS);
}

#[test]
fn energy_minus_work_never_rises_in_3000_random_systems_with_friction() {
    sweep("friction", 3_000, 200, rubbing, Claim { rise: 1.9e-15, held: 1e-3, evaluations: 17 });
}

#[test]
fn energy_minus_work_never_rises_in_600_random_systems_with_bodies_that_bend_back() {
    sweep("bending", 600, 400, bending, Claim { rise: 1e-14, held: 0.0, evaluations: 26 });
}

#[test]
fn energy_minus_work_never_rises_in_1000_random_systems_with_bodies_that_hang_free() {
    sweep("hanging", 1_000, 400, hanging, IMPACTS);
}

/// 1e5 systems where the long tests are asked for.
#[test]
fn every_solve_converges_in_10000_random_systems_of_up_to_six_friction_contacts() {
    sweep("six", 10_000, 50, rubbing_together, Claim { rise: 1e-12, held: 2e-3, evaluations: 20 });
}

/// As long as a sound: friction that has settled into a rhythm, contacts that open and close again, hammers that come back.
#[test]
fn energy_minus_work_never_rises_and_every_solve_converges_in_200_random_systems_of_up_to_six_friction_contacts_for_0_3_s()
 {
    // What rests against a rough surface is found between two velocities, by as many evaluations as a solve may take.
    sweep("long", 200, 13_230, rubbing_together, Claim { rise: 1e-12, held: 2e-3, evaluations: 50 });
}

/// The same rubbers and rubbed things, every friction contact with its own, and with a hammer of its own where one presses it.
fn apart(text: &str) -> String {
    let (bodies, contacts) = text.split_at(text.find("[contact.").unwrap());
    let (before, hand) = bodies.split_at(bodies.find("[body.hand]").unwrap());
    let (hand, after) = hand.split_at(hand[1..].find("[body.").unwrap() + 1);
    let mut all = hand.to_string();
    let names = ["plate", "rod", "string", "block", "hammer"];
    let body = |i: usize| {
        let rename = |text: String, name: &&str| text.replace(&format!("[body.{name}"), &format!("[body.{name}{i}"));
        names.iter().fold(format!("{before}{after}"), rename)
    };
    let own = |contact: &str, i: usize| {
        let rename = |text: String, name: &&str| text.replace(&format!("\"{name}"), &format!("\"{name}{i}"));
        names.iter().chain(&["press"]).fold(contact.replace("contact.press", &format!("contact.press{i}")), rename)
    };
    let (mut press, mut i) = (String::new(), 0);
    for contact in contacts.split("[contact.").skip(1).map(|contact| format!("[contact.{contact}")) {
        if contact.starts_with("[contact.press]") {
            press = contact;
            continue;
        }
        all += &body(i);
        if contact.contains("normal_from") {
            all += &own(&press, i);
        }
        all += &own(&contact, i);
        i += 1;
    }
    all
}

/// Most evaluations for a contact and sample: it answers at most 24 times in a solve before it is held (`TURNS` of contact/coupled.rs), by
/// at most 20 evaluations, with one more for a turn of Newton's. (Beside the same apart, which may sleep, one system says nothing.)
const MOST: f64 = 24.0 * (20.0 + 1.0);

#[test]
fn friction_contacts_on_shared_bodies_cost_less_than_five_times_the_same_apart() {
    for pressed in [false, true] {
        let (mut together, mut alone, mut worst, mut count) = (0, 0, 0.0f64, 0);
        for system in 0..2_000 {
            let text = rubbing_together(&mut Rng::new(system, "cost"));
            if text.contains("[contact.press]") != pressed {
                continue;
            }
            let [one, other] =
                [text.clone(), apart(&text)].map(|t| growth(&mut engine(&t, 44_100.0), 200).1.iterations);
            (together, alone, count) = (together + one, alone + other, count + 1);
            let each = one as f64 / (200 * text.matches("type = \"friction\"").count()) as f64;
            // A hammer that presses asks for sub-steps, each a solve.
            assert!(pressed || each <= MOST, "system {system}: {each} evaluations a contact and sample\n{text}");
            worst = worst.max(each);
        }
        let ratio = together as f64 / alone as f64;
        println!(
            "{count} systems, pressed by hammers: {pressed}: {ratio:.2} times the evaluations of the same contacts apart, \
             at most {worst:.1} a contact and sample in one"
        );
        assert!(ratio <= 5.0 && count > 500, "{pressed}: {ratio} in {count}");
    }
}

#[test]
fn energy_minus_work_never_rises_under_gravity_hands_strikes_hits_and_live_edits() {
    let text = "[body.ball]\ntype = \"mass\"\nmass_kg = 0.02\ngravity_m_s2 = 9.81\nposition_m = -0.001\n\
         [body.hand]\ntype = \"guided\"\nvelocity_m_s = 0.05\nposition_m = -0.01\n\
         [body.bar]\ntype = \"modal\"\nmodes = [{ freq_hz = 300.0, decay_s = 0.3, mass_kg = 0.05 }, { freq_hz = 1700.0, decay_s = 0.1, mass_kg = 0.03 }]\n\
         [contact.land]\ntype = \"impact\"\nbetween = [\"ball\", \"bar\"]\nstiffness = 1e8\ndissipation_s_m = 0.3\n\
         [contact.press]\ntype = \"impact\"\nbetween = [\"hand\", \"ball\"]\nstiffness = 1e6\ndissipation_s_m = 0.1\n\
         [[drive]]\npath = \"bar/force_n\"\nnoise = { rms = 0.5 }\n\
         [[drive]]\npath = \"hand/velocity_m_s\"\npoints = [[0.0, 0.05], [0.2, 0.05], [0.25, -0.1]]\n\
         [[event]]\nat_s = 0.1\nhit = \"bar\"\nimpulse_n_s = 0.01\n\
         [[event]]\nat_s = 0.15\nstrike = \"ball\"\nvelocity_m_s = 1.0\n\
         [[event]]\nat_s = 0.05\nset = \"land/stiffness\"\nvalue = 1e9\n\
         [[event]]\nat_s = 0.12\nset = \"bar/freq_scale\"\nvalue = 1.7\n\
         [[event]]\nat_s = 0.2\nset = \"ball/mass_kg\"\nvalue = 0.05\n\
         [[tap]]\nof = \"bar\"\n";
    let (rise, health) = growth(&mut engine(text, 48_000.0), 24_000);
    assert!(rise <= 1e-12, "gained {rise:e}");
    assert_eq!((health.unconverged, health.reset, health.refused), (0, 0, 0));
}

#[test]
fn a_lossless_system_keeps_its_energy_to_one_part_in_a_billion_over_ten_seconds() {
    let text = "[body.hammer]\ntype = \"mass\"\nmass_kg = 0.01\nvelocity_m_s = 1.0\nposition_m = -1e-4\n\
         [body.spring]\ntype = \"modal\"\nmodes = [{ freq_hz = 3.0, mass_kg = 0.2 }, { freq_hz = 220.0, mass_kg = 0.05 }, { freq_hz = 1990.0, mass_kg = 0.05 }, { freq_hz = 18000.0, mass_kg = 0.05 }]\n\
         [contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"spring\"]\nstiffness = 1e8\nlaw = \"power\"\n[[tap]]\nof = \"spring\"\n";
    let mut engine = engine(text, 48_000.0);
    let start = engine.energy();
    let mut out = vec![0.0; 480_000];
    engine.render(&[], &mut Queue::new(), &mut out);
    assert!((engine.energy() / start - 1.0).abs() < 1e-9, "{:e}", engine.energy() / start - 1.0);
}

#[test]
fn an_object_at_rest_rests() {
    // De Sena et al. 2009 section 2.1, H15: a mass on a floor and on a vibrating table; an hour when asked for. What is left of the
    // landing decays at mu g/2 per second, so ten seconds are ample.
    let seconds = if long() > 1 { 3_600 } else { 20 };
    for table in [
        "type = \"wall\"",
        "type = \"modal\"\nmodes = [{ freq_hz = 60.0, decay_s = 0.2, mass_kg = 2.0 }, { freq_hz = 440.0, decay_s = 0.1, mass_kg = 1.0 }]",
    ] {
        for law in ["dissipation_s_m = 2.0", "law = \"linear\"\ndissipation_s_m = 2.0"] {
            let k = if law.contains("linear") { "1e6" } else { "1e9" };
            let text = format!(
                "[body.cup]\ntype = \"mass\"\nmass_kg = 0.3\ngravity_m_s2 = 9.81\n[body.table]\n{table}\n\
                 [contact.stand]\ntype = \"impact\"\nbetween = [\"cup\", \"table\"]\nstiffness = {k}\n{law}\n[[tap]]\nof = \"cup\"\n"
            );
            let mut engine = engine(&text, 44_100.0);
            let mut out = vec![0.0; 44_100];
            for _ in 0..10 {
                engine.render(&[], &mut Queue::new(), &mut out);
            }
            let probes = ["cup.position", "cup.velocity"].map(|s| engine.scene().directory().probe(s).unwrap());
            engine.watch(&probes);
            let mut place = None;
            for _ in 0..seconds {
                engine.render(&[], &mut Queue::new(), &mut out);
                assert!(
                    out.iter().all(|v| v.abs() < 1e-9),
                    "{table} {law}: moves at {:e} m/s",
                    out.iter().fold(0.0f32, |m, v| m.max(v.abs()))
                );
                let mut row = [0.0; 2];
                engine.render_probed(&[], &mut Queue::new(), &mut out[..1], &mut row);
                let start = *place.get_or_insert(row[0]);
                assert!((row[0] - start).abs() < 1e-12, "{table} {law}: crept by {:e} m", row[0] - start);
            }
        }
    }
}
