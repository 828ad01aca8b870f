// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bodies that become other bodies while they sound: no energy from nowhere, no clicks, the right pitch on the way.

mod common;
use common::{RATE_HZ, click_db, engine};
use tocco::engine::{Command, Queue, Timed};
use tocco::rng::Rng;
use tocco::{Scene, SceneDef};
use tocco_testing::spectra::peak;

/// Four modes that become three others, at other places, one of them with the other sign.
const BAR: &str = r#"
[body.bar]
type = "modal"
modes = [{ freq_hz = 420.0, decay_s = 2.0, mass_kg = 0.05 }, { freq_hz = 1158.0, decay_s = 1.5, mass_kg = 0.05 }, { freq_hz = 2270.0, decay_s = 1.0, mass_kg = 0.05 }, { freq_hz = 3752.0, decay_s = 0.8, mass_kg = 0.05 }]
[body.bar.port]
tip = [1.0, 0.9, 0.8, 0.7]
middle = [-0.6, 0.1, 0.6, -0.1]
[body.bar.morph]
modes = [{ freq_hz = 630.0, decay_s = 0.5, mass_kg = 0.02 }, { freq_hz = 900.0, decay_s = 0.6, mass_kg = 0.03 }, { freq_hz = 3300.0, decay_s = 0.4, mass_kg = 0.01 }]
[body.bar.morph.port]
tip = [-1.0, 0.2, 0.5]
middle = [0.3, -0.9, 0.6]
[[event]]
at_s = 0.0
hit = "bar.tip"
impulse_n_s = 0.02
"#;

fn render(text: &str, seconds: f64, commands: impl FnOnce(&tocco::Scene) -> Vec<Timed>) -> Vec<f64> {
    let mut engine = engine(text, RATE_HZ);
    let commands = commands(engine.scene());
    let mut out = vec![0.0; (seconds * RATE_HZ) as usize];
    engine.render(&[], &mut Queue::from(commands), &mut out);
    out.iter().map(|x| f64::from(*x)).collect()
}

/// A chain of commands that jump a parameter, 10 000 a second from 0.1 s on.
fn storm(scene: &tocco::Scene, path: &str, low: f64, high: f64) -> Vec<Timed> {
    let address = scene.directory().address(path).unwrap();
    let mut rng = Rng::new(1, path);
    let set = |i: u64| Timed { at: 4_800 + i * 48 / 10, command: Command::Set(address, rng.between(low, high)) };
    (0..12_000).map(set).collect()
}

#[test]
fn a_whole_morph_is_heard_without_a_click() {
    for quantity in ["velocity", "position", "acceleration"] {
        let text = format!("{BAR}[[tap]]\nof = \"bar.middle\"\nquantity = \"{quantity}\"\n");
        let still = click_db(&render(&text, 1.3, |_| Vec::new()));
        assert!(still < -120.0, "{quantity}: {still:.1} dB at rest, the measure is blind");
        for seconds in [0.2, 1.0] {
            let end = 0.1 + seconds;
            let text = format!("{text}[[drive]]\npath = \"bar/morph_01\"\npoints = [[0.1, 0.0], [{end}, 1.0]]\n");
            let heard = click_db(&render(&text, 1.3, |_| Vec::new()));
            println!("{quantity} in {seconds} s: {heard:.1} dB");
            assert!(heard < -75.0, "{quantity} in {seconds} s: {heard:.1} dB");
        }
        let jumps = render(&text, 1.3, |scene| {
            let address = scene.directory().address("bar/morph_01").unwrap();
            let jump = |(at, to)| Timed { at, command: Command::Set(address, to) };
            [(10_000, 1.0), (20_001, 0.3), (30_002, 0.9), (40_003, 0.0)].map(jump).into()
        });
        println!("{quantity} jumping: {:.1} dB", click_db(&jumps));
        assert!(click_db(&jumps) < -75.0, "{quantity} jumping: {:.1} dB", click_db(&jumps));
    }
}

#[test]
fn ten_thousand_changes_a_second_of_pitch_decay_and_morph_are_heard_without_a_click() {
    for quantity in ["velocity", "position", "acceleration"] {
        let text = format!("{BAR}[[tap]]\nof = \"bar.middle\"\nquantity = \"{quantity}\"\n");
        for (path, low, high) in [
            ("bar/morph_01", 0.0, 1.0),
            ("bar/freq_scale", 0.5, 1.2),
            ("bar/freq_scale", 0.125, 1.2),
            ("bar/decay_scale", 1e-3, 1e3),
        ] {
            let heard = render(&text, 1.3, |scene| storm(scene, path, low, high));
            println!("{path} {low} to {high}, {quantity}: {:.1} dB", click_db(&heard));
            assert!(click_db(&heard) < -75.0, "{path} {low} to {high}, {quantity}: {:.1} dB", click_db(&heard));
            assert!(peak(&heard[60_000..]) > 0.005 * peak(&heard), "{path}: the storm has silenced the body");
        }
    }
}

/// A random mode table and two places.
fn draw_end(rng: &mut Rng, most: u64) -> String {
    let n = 1 + rng.bits() % most;
    let mode = |rng: &mut Rng| {
        let freq_hz = if rng.unit() < 0.1 { 0.0 } else { rng.between_log(20.0, 20_000.0) };
        let decay =
            if rng.unit() < 0.2 { String::new() } else { format!("decay_s = {:e}, ", rng.between_log(1e-3, 10.0)) };
        format!("{{ freq_hz = {freq_hz}, {decay}mass_kg = {:e} }}", rng.between_log(1e-3, 1.0))
    };
    let modes: Vec<String> = (0..n).map(|_| mode(rng)).collect();
    let shape = |rng: &mut Rng| (0..n).map(|_| format!("{}", rng.between(-1.0, 1.0))).collect::<Vec<_>>().join(", ");
    format!("modes = [{}]\nport = {{ a = [{}], b = [{}] }}\n", modes.join(", "), shape(rng), shape(rng))
}

/// Largest rise of `energy - work` and of `energy` alone, per largest energy, over a run.
fn rises(text: &str, frames: usize) -> (f64, f64) {
    let mut engine = engine(text, RATE_HZ);
    let start = (engine.energy(), engine.energy() - engine.work());
    let (rows, health) = common::probe(&mut engine, &["energy", "work"], frames);
    assert_eq!((health.reset, health.unconverged), (0, 0), "{text}");
    let mut largest = start.0;
    let (mut before, mut net, mut alone) = (start, 0.0f64, 0.0f64);
    for row in rows {
        largest = largest.max(row[0]);
        net = net.max(row[0] - row[1] - before.1);
        alone = alone.max(row[0] - before.0);
        before = (row[0], row[0] - row[1]);
    }
    (net / largest, alone / largest)
}

#[test]
fn a_free_body_gains_no_energy_in_300_random_morphs() {
    for system in 0..300 {
        let mut rng = Rng::new(system, "free");
        let (from, to) = (draw_end(&mut rng, 6), draw_end(&mut rng, 6));
        // Noise jumps at every control tick, points go back and forth.
        let course = match system % 3 {
            0 => "noise = { rms = 0.5, mean = 0.5 }",
            1 => "points = [[0.001, 0.0], [0.01, 1.0], [0.02, 0.2], [0.03, 0.9], [0.0301, 0.0]]",
            _ => "points = [[0.01, 0.0], [0.0101, 1.0], [0.03, 1.0], [0.04, 0.5]]",
        };
        let text = format!(
            "[body.x]\ntype = \"modal\"\nfreq_scale = 0.9\n{from}[body.x.morph]\n{to}\
             [[drive]]\npath = \"x/morph_01\"\n{course}\n[[tap]]\nof = \"x.b\"\n"
        );
        let mut engine = engine(&text, RATE_HZ);
        let site = engine.scene().directory().site("x.a").unwrap();
        let hit = [Timed { at: 0, command: Command::Hit { site, impulse_n_s: 0.01 } }];
        let mut out = [0.0; 16];
        engine.render(&[], &mut Queue::from(hit), &mut out);
        let mut before = engine.energy();
        for _ in 0..150 {
            engine.render(&[], &mut Queue::new(), &mut out);
            let after = engine.energy();
            assert!(after <= before * (1.0 + 1e-12), "system {system}: {before:e} to {after:e}\n{text}");
            before = after;
        }
    }
}

#[test]
fn a_body_struck_while_it_morphs_gives_back_no_more_than_the_strikes_brought() {
    for system in 0..300 {
        let mut rng = Rng::new(system, "struck");
        let (from, to) = (draw_end(&mut rng, 6), draw_end(&mut rng, 6));
        let course = if system % 2 == 0 {
            "noise = { rms = 0.5, mean = 0.5 }"
        } else {
            "points = [[0.0, 0.0], [0.01, 1.0], [0.02, 0.0], [0.03, 1.0]]"
        };
        let jitter = if system % 5 == 0 { "jitter_01 = 0.5\n" } else { "" };
        let text = format!(
            "[body.x]\ntype = \"modal\"\n{jitter}{from}[body.x.morph]\n{to}\
             [body.ball]\ntype = \"mass\"\nmass_kg = {:e}\nvelocity_m_s = 1.0\nposition_m = -1e-4\n\
             [body.spring]\ntype = \"modal\"\nmodes = [{{ freq_hz = 200.0, mass_kg = 0.01 }}]\n\
             [contact.hit]\ntype = \"impact\"\nbetween = [\"ball\", \"x.a\"]\nstiffness = {:e}\ndissipation_s_m = 0.1\n\
             [contact.rattle]\ntype = \"impact\"\nbetween = [\"x.b\", \"spring\"]\nstiffness = 1e6\n\
             [[drive]]\npath = \"x/morph_01\"\n{course}\n[[tap]]\nof = \"x.b\"\n",
            rng.between_log(1e-3, 0.1),
            rng.between_log(1e5, 1e9),
        );
        let (net, alone) = rises(&text, 2_400);
        assert!(net <= 1e-12, "system {system}: energy - work rose by {net:e}\n{text}");
        // Nobody works on this world: no work may be booked to hide a gain.
        assert!(alone <= 1e-12, "system {system}: energy rose by {alone:e}\n{text}");
    }
}

/// Velocity at `t` after a unit impulse of modes `(freq_hz, decay_s, weight)`, weight phi phi/m; closed form.
fn rings(modes: &[(f64, f64, f64)], t: f64) -> f64 {
    let one = |&(freq_hz, decay_s, weight): &(f64, f64, f64)| {
        let (omega, sigma) = (std::f64::consts::TAU * freq_hz, 1.0 / decay_s);
        let w = (omega * omega - sigma * sigma).sqrt();
        weight * (-sigma * t).exp() * ((w * t).cos() - sigma / w * (w * t).sin())
    };
    modes.iter().map(one).sum()
}

#[test]
fn pitch_decay_and_weight_at_both_ends_and_half_way_are_those_of_the_closed_form() {
    // Listed out of order: the lowest becomings the lowest. Struck at a, heard at b.
    let body = "[body.x]\ntype = \"modal\"\nmodes = [{ freq_hz = 1000.0, decay_s = 0.4, mass_kg = 0.1 }, { freq_hz = 400.0, decay_s = 0.1, mass_kg = 0.05 }]\n\
         port = { a = [0.5, 1.0], b = [1.0, -0.6] }\n[body.x.morph]\n\
         modes = [{ freq_hz = 100.0, decay_s = 0.9, mass_kg = 0.2 }, { freq_hz = 4000.0, decay_s = 0.1, mass_kg = 0.4 }]\n\
         port = { b = [0.8, 0.3], a = [-1.0, 0.9] }\n[[event]]\nat_s = 0.2\nhit = \"x.a\"\nimpulse_n_s = 1.0\n[[tap]]\nof = \"x.b\"\n";
    let half = |a0: f64, b0: f64, m0: f64, a1: f64, b1: f64, m1: f64| {
        let s = (m0 / m1).sqrt() * if a0 * a1 + b0 * b1 < 0.0 { -1.0 } else { 1.0 };
        (a0 + s * a1) / 2.0 * (b0 + s * b1) / 2.0 / m0
    };
    let ends = [
        (0.0, [(400.0, 0.1, -0.6 / 0.05), (1000.0, 0.4, 0.5 / 0.1)]),
        (1.0, [(100.0, 0.9, -0.8 / 0.2), (4000.0, 0.1, 0.27 / 0.4)]),
        (0.5, [(200.0, 0.3, half(1.0, -0.6, 0.05, -1.0, 0.8, 0.2)), (2000.0, 0.2, half(0.5, 1.0, 0.1, 0.9, 0.3, 0.4))]),
    ];
    for (at, modes) in ends {
        let built = body.replace("type = \"modal\"", &format!("type = \"modal\"\nmorph_01 = {at}"));
        let live = format!("{body}[[event]]\nat_s = 0.01\nset = \"x/morph_01\"\nvalue = {at}\n");
        for text in [built, live] {
            let sound = render(&text, 0.4, |_| Vec::new());
            for n in [1usize, 10, 100, 1_000, 9_000] {
                let expected = rings(&modes, n as f64 / RATE_HZ);
                let found = sound[(0.2 * RATE_HZ) as usize + n - 1];
                assert!((found - expected).abs() < 1e-5, "at {at}, sample {n}: {found} for {expected}");
            }
        }
    }
}

#[test]
fn an_end_with_fewer_modes_gets_silent_ones_that_continue_the_last_ratio() {
    let text = "[body.x]\ntype = \"modal\"\nmorph_01 = 0.5\nmodes = [{ freq_hz = 200.0, decay_s = 0.2, mass_kg = 0.1 }]\n\
         [body.x.morph]\nmodes = [{ freq_hz = 800.0, decay_s = 0.2, mass_kg = 0.1 }, { freq_hz = 1600.0, decay_s = 0.2, mass_kg = 0.1 }]\n\
         [[event]]\nat_s = 0.0\nhit = \"x\"\nimpulse_n_s = 1.0\n[[tap]]\nof = \"x\"\n";
    let sound = render(text, 0.2, |_| Vec::new());
    // The silent partner of 1600 Hz sits at 400 Hz; half way it is at 800 Hz with half its shape.
    let modes = [(400.0, 0.2, 10.0), (800.0, 0.2, 2.5)];
    for n in [1usize, 77, 5_000] {
        assert!((sound[n - 1] - rings(&modes, n as f64 / RATE_HZ)).abs() < 1e-5, "sample {n}");
    }
}

#[test]
fn a_morphing_body_in_and_out_of_contact_gives_the_same_bits_for_any_block() {
    let text = format!(
        "{BAR}[body.hammer]\ntype = \"mass\"\nmass_kg = 0.01\n[body.finger]\ntype = \"mass\"\nmass_kg = 0.02\ngravity_m_s2 = 9.81\nposition_m = -0.001\n\
         [contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"bar.tip\"]\nstiffness = 1e9\n\
         [contact.rest]\ntype = \"impact\"\nbetween = [\"finger\", \"bar.middle\"]\nstiffness = 1e5\ndissipation_s_m = 1.0\n\
         [[event]]\nat_s = 0.1\nstrike = \"hammer\"\nvelocity_m_s = 1.0\n[[event]]\nat_s = 0.15\nset = \"bar/freq_scale\"\nvalue = 1.1\n\
         [[drive]]\npath = \"bar/morph_01\"\npoints = [[0.02, 0.0], [0.1, 1.0], [0.2, 0.1]]\n\
         [[tap]]\nof = \"bar.tip\"\n[[tap]]\nof = \"bar.middle\"\nquantity = \"position\"\ngain = 1000.0\nchannel = 1\n"
    );
    let run = |block: usize, probed: bool| {
        let mut engine = engine(&text, RATE_HZ);
        let probes = ["energy", "bar.tip.velocity"].map(|name| engine.scene().directory().probe(name).unwrap());
        engine.watch(&probes);
        let mut out = vec![0.0f32; 2 * 14_400];
        for chunk in out.chunks_mut(2 * block) {
            if probed {
                engine.render_probed(&[], &mut Queue::new(), chunk, &mut vec![0.0; 2 * block]);
            } else {
                engine.render(&[], &mut Queue::new(), chunk);
            }
        }
        out.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    let whole = run(14_400, false);
    for block in [1, 7, 64, 1_000] {
        assert!(run(block, false) == whole, "blocks of {block}");
    }
    assert!(run(480, true) == whole, "probed");
}

#[test]
fn every_legal_pair_of_bodies_stays_finite_however_fast_it_morphs() {
    let freqs = ["0.0", "1e-300", "1e-6", "1.0", "440.0", "23999.0", "192000.0"];
    let decays = ["", "decay_s = 1e-6, ", "decay_s = 0.1, ", "decay_s = 1e6, "];
    let (masses, shapes) = (["1e-9", "0.1", "1e9"], ["-1e6", "0.0", "1e-9", "1.0", "1e6"]);
    let mut silenced = 0;
    for system in 0..600 {
        let mut rng = Rng::new(system, "legal");
        let mut pick = |list: &[&str]| list[rng.bits() as usize % list.len()].to_string();
        let mut end = |top: usize, n: usize| {
            let mode =
                |_| format!("{{ freq_hz = {}, {}mass_kg = {} }}", pick(&freqs[..top]), pick(&decays), pick(&masses));
            let modes: Vec<String> = (0..n).map(mode).collect();
            let shape: Vec<String> = (0..n).map(|_| pick(&shapes)).collect();
            format!("modes = [{}]\nport = {{ a = [{}] }}\n", modes.join(", "), shape.join(", "))
        };
        let (from, to) = (end(6, 1 + system as usize % 4), end(7, 1 + system as usize / 4 % 4));
        let text = format!(
            "[body.x]\ntype = \"modal\"\n{from}[body.x.morph]\n{to}[body.ball]\ntype = \"mass\"\nvelocity_m_s = 1.0\nmass_kg = 0.01\n\
             [contact.hit]\ntype = \"impact\"\nbetween = [\"ball\", \"x.a\"]\nstiffness = 1e6\n\
             [[drive]]\npath = \"x/morph_01\"\nnoise = {{ rms = 0.6, mean = 0.5 }}\n[[tap]]\nof = \"x.a\"\n[[tap]]\nof = \"x.a\"\nquantity = \"position\"\n"
        );
        let mut engine = engine(&text, RATE_HZ);
        let mut out = vec![0.0; 1_600];
        let health = engine.render(&[], &mut Queue::new(), &mut out);
        assert!(engine.energy().is_finite() && out.iter().all(|x| x.is_finite()), "{text}");
        assert_eq!(health.reset, 0, "{text}");
        silenced += health.omitted;
    }
    assert!(silenced > 0, "modes past half the rate are counted");
}

#[test]
fn a_shape_that_morphs_into_another_size_and_material_ends_as_that_shape() {
    let bar = |length: f64, material: &str| {
        format!(
            "shape = \"bar\"\nlength_m = {length}\nwidth_m = 0.03\nthickness_m = 0.006\nmaterial = \"{material}\"\nmodes = 8\n"
        )
    };
    let rest = "[[event]]\nat_s = 0.2\nhit = \"x\"\nimpulse_n_s = 0.01\n[[tap]]\nof = \"x\"\n";
    let made = format!("[body.x]\ntype = \"shape\"\n{}{rest}", bar(0.24, "glass"));
    let becoming = format!(
        "[body.x]\ntype = \"shape\"\n{}[body.x.morph]\n{}[[event]]\nat_s = 0.01\nset = \"x/morph_01\"\nvalue = 1.0\n{rest}",
        bar(0.34, "maple"),
        bar(0.24, "glass")
    );
    let [made, becoming] = [made, becoming].map(|text| render(&text, 0.4, |_| Vec::new()));
    let apart = made.iter().zip(&becoming).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(peak(&made) > 0.0 && apart < 1e-6 * peak(&made), "{apart} of {}", peak(&made));
}

#[test]
fn a_bar_becomes_a_plate_whose_ports_are_where_its_own_table_says() {
    let plate = "shape = \"circular-plate\"\nmaterial = \"glass\"\nradius_m = 0.15\nthickness_m = 0.004\nmodes = 8\n";
    let bar = "shape = \"bar\"\nmaterial = \"steel\"\nlength_m = 0.3\nwidth_m = 0.03\nthickness_m = 0.01\nmodes = 8\n\
               port = { struck = 0.2, ear = 1.0 }\n";
    let there = "port = { struck = [0.3, 0.1], ear = [0.9, 0.4] }\n";
    let rest = "[[event]]\nat_s = 0.2\nhit = \"x.struck\"\nimpulse_n_s = 0.01\n[[tap]]\nof = \"x.ear\"\n";
    let becoming = |there: &str| {
        format!(
            "[body.x]\ntype = \"shape\"\n{bar}[body.x.morph]\n{plate}{there}\
             [[event]]\nat_s = 0.01\nset = \"x/morph_01\"\nvalue = 1.0\n{rest}"
        )
    };
    let made = format!("[body.x]\ntype = \"shape\"\n{plate}{there}{rest}");
    let def = SceneDef::from_text(&becoming(there)).unwrap();
    let again = SceneDef::from_text(&def.to_toml()).unwrap();
    assert_eq!(SceneDef { lines: Default::default(), ..def }, SceneDef { lines: Default::default(), ..again });
    let [made, becoming_there] = [made, becoming(there)].map(|text| render(&text, 0.4, |_| Vec::new()));
    let apart = made.iter().zip(&becoming_there).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(peak(&made) > 0.0 && apart < 1e-6 * peak(&made), "{apart} of {}", peak(&made));
    // Every port must be somewhere on both, and none on one only.
    let wrong = |there: &str| SceneDef::from_text(&becoming(there)).unwrap_err().to_string();
    assert!(
        wrong("").contains("port struck: wants fractions of [radius, turn]")
            && wrong("").contains("[body.x.morph.port]")
    );
    let sheet =
        "shape = \"rectangular-plate\"\nmaterial = \"glass\"\nlength_m = 0.3\nwidth_m = 0.2\nthickness_m = 0.004\n";
    let disc = format!("[body.x]\ntype = \"shape\"\n{plate}port = {{ a = [0.6, 0.3] }}\n[body.x.morph]\n{sheet}");
    let told = SceneDef::from_text(&disc).unwrap_err().to_string();
    assert!(told.contains("port a: wants fractions of [length, width]"), "two numbers are another place there: {told}");
    let stray = wrong("port = { struck = [0.3, 0.1], eer = [0.9, 0.4] }\n");
    assert!(stray.contains("body.x.morph.port.eer") && stray.contains("did you mean 'ear'"), "{stray}");
}

#[test]
fn a_body_without_another_end_has_no_way_there_to_set() {
    let body = "[body.x]\ntype = \"modal\"\nmodes = [{ freq_hz = 200.0, decay_s = 0.2, mass_kg = 0.1 }]\n";
    let to = "[body.x.morph]\nmodes = [{ freq_hz = 300.0, decay_s = 0.2, mass_kg = 0.1 }]\n";
    for (text, there) in [(body.to_owned(), false), (format!("{body}{to}"), true)] {
        let scene = Scene::build(&SceneDef::from_text(&text).unwrap(), RATE_HZ).unwrap();
        assert_eq!(scene.directory().address("x/morph_01").is_ok(), there);
    }
}
