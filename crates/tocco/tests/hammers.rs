// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hammers by intention: a blow lasts as long as it was asked to, and a harder one is brighter.

mod common;
use common::{engine, probe};
use tocco::engine::{Command, Queue, Timed};
use tocco::scene::ControlInfo;
use tocco::scene::hammer::contact_time_s;
use tocco::theory::WallImpact;
use tocco::{Scene, SceneDef};
use tocco_testing::spectra::{centroid_hz, fourier};

const RATE_HZ: f64 = 48_000.0;

struct Blow {
    kg: f64,
    m_s: f64,
    a: f64,
    mu: f64,
    /// Line of the contact that says what is wanted.
    wish: String,
}

impl Blow {
    fn on_wall(&self) -> String {
        format!(
            "[body.hammer]\ntype = \"mass\"\nmass_kg = {:e}\nvelocity_m_s = {:e}\n[body.wall]\ntype = \"wall\"\n\
             [contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"wall\"]\nexponent = {:?}\ndissipation_s_m = {:e}\n\
             at_speed_m_s = {:e}\n{}\n",
            self.kg, self.m_s, self.a, self.mu, self.m_s, self.wish
        )
    }

    /// Time from first touch at t = 0 to release, placed inside its sample by free flight, s.
    fn measured_s(&self, about_s: f64) -> f64 {
        let frames = (3.0 * about_s * RATE_HZ) as usize + 16;
        let (rows, health) =
            probe(&mut engine(&self.on_wall(), RATE_HZ), &["hit.compression", "hammer.velocity"], frames);
        assert_eq!(health.unconverged, 0);
        let end = rows.iter().position(|row| row[0] <= 0.0).unwrap_or_else(|| panic!("no release: {}", self.on_wall()));
        (end + 1) as f64 / RATE_HZ - rows[end][0] / rows[end][1]
    }
}

#[test]
fn the_simulated_contact_lasts_as_long_as_asked_to_within_a_sample() {
    let mut worst = 0.0f64;
    for tau in [5e-5, 2e-4, 1e-3, 5e-3, 2e-2] {
        for a in [1.0, 1.5, 2.3, 3.5] {
            for y in [0.0, 0.3, 1.5] {
                for (kg, m_s) in [(1e-3, 0.2), (0.01, 1.0), (0.01, 5.0), (1.0, 2.0)] {
                    let blow = Blow { kg, m_s, a, mu: y / m_s, wish: format!("contact_time_s = {tau:e}") };
                    let off = (blow.measured_s(tau) - tau).abs() * RATE_HZ;
                    worst = worst.max(off);
                    assert!(off < 1.0, "tau {tau} a {a} y {y} {kg} kg {m_s} m/s: {off} samples off");
                }
            }
        }
    }
    println!("worst contact time: {worst:.3} samples off");
}

#[test]
fn hardness_is_a_contact_time() {
    for hardness in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let tau = contact_time_s(hardness);
        let blow = Blow { kg: 0.02, m_s: 1.0, a: 1.5, mu: 0.2, wish: format!("hardness_01 = {hardness:?}") };
        let off = (blow.measured_s(tau) - tau).abs() * RATE_HZ;
        assert!(off < 1.0, "{hardness}: {off} samples off");
    }
}

#[test]
fn two_masses_touch_as_long_as_their_reduced_mass_would_on_a_wall() {
    let tau = 1e-3;
    let text = "[body.hammer]\ntype = \"mass\"\nmass_kg = 0.02\nvelocity_m_s = 1.0\n[body.ball]\ntype = \"mass\"\nmass_kg = 0.03\n\
                [contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"ball\"]\ncontact_time_s = 1e-3\ndissipation_s_m = 0.3\n";
    let (rows, _) = probe(&mut engine(text, RATE_HZ), &["hit.compression", "hammer.velocity", "ball.velocity"], 200);
    let end = rows.iter().position(|row| row[0] <= 0.0).unwrap();
    let measured = (end + 1) as f64 / RATE_HZ - rows[end][0] / (rows[end][1] - rows[end][2]);
    assert!((measured - tau).abs() * RATE_HZ < 1.0, "{measured}");
}

#[test]
fn brightness_rises_with_hardness_as_the_figure_of_the_paper_shows() {
    // Avanzini et al. 2003 figure 8.9 with its caption put right (C5): soft is the high m/k, and dull.
    let partials = [440.0, 1213.0, 2378.0, 3931.0, 5872.0, 8203.0, 10921.0];
    let modes: Vec<String> =
        partials.iter().map(|f| format!("{{ freq_hz = {f:?}, decay_s = {:e}, mass_kg = 1.0 }}", 60.0 / f)).collect();
    let mut before = (0.0, f64::INFINITY);
    for i in 0..=8 {
        let hardness = 0.125 * f64::from(i);
        let text = format!(
            "[body.hammer]\ntype = \"mass\"\nmass_kg = 0.01\nvelocity_m_s = 1.0\n[body.bar]\ntype = \"modal\"\nmodes = [{}]\n\
             [contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"bar\"]\nhardness_01 = {hardness:?}\ndissipation_s_m = 0.3\n",
            modes.join(", ")
        );
        let def = SceneDef::from_text(&text).unwrap();
        let ratio = 0.01 / def.stiffness(&def.contacts[0]).unwrap();
        let (rows, _) = probe(&mut engine(&text, RATE_HZ), &["bar.velocity"], 12_000);
        let power = |bin: i32| {
            let freq_hz = 10.0 * f64::from(bin);
            let (re, im) = fourier(rows.iter().map(|row| row[0]), std::f64::consts::TAU * freq_hz / RATE_HZ);
            (freq_hz, re * re + im * im)
        };
        let centroid = centroid_hz(&(1..1200).map(power).collect::<Vec<_>>());
        assert!(centroid > before.0 && ratio < before.1, "hardness {hardness}: {centroid} Hz after {before:?}");
        before = (centroid, ratio);
    }
    assert!(before.0 > 1000.0, "{before:?}");
}

#[test]
fn a_control_of_hardness_turns_stiffness_by_the_same_scale() {
    let text = "[body.hammer]\ntype = \"mass\"\nmass_kg = 0.01\n[body.wall]\ntype = \"wall\"\n\
                [contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"wall\"]\nhardness_01 = 0.5\nat_speed_m_s = 2.0\n\
                [[control]]\nname = \"hard\"\npath = \"hit/hardness_01\"\nrange = [0.2, 0.8]\n";
    let scene = Scene::build(&SceneDef::from_text(text).unwrap(), RATE_HZ).unwrap();
    let ControlInfo { path, range: [low, high], .. } = &scene.directory().controls()[0];
    assert_eq!(path, "hit/stiffness");
    let now = scene.paths().iter().find(|(path, ..)| path == "hit/stiffness").unwrap().2;
    for (share, k) in [(0.2, *low), (0.5, now), (0.8, *high)] {
        let blow = WallImpact { mass_kg: 0.01, stiffness: k, exponent: 1.5, dissipation_s_m: 0.0, velocity_m_s: 2.0 };
        assert!((blow.contact_time_s() / contact_time_s(share) - 1.0).abs() < 1e-12);
    }
    // Halfway between the ends of a logarithmic control is halfway in hardness.
    assert!(((low * high).sqrt() / now - 1.0).abs() < 1e-12);
}

#[test]
fn hardness_and_contact_time_are_set_like_any_parameter() {
    let scene = |wish: &str, more: &str| {
        let text = format!(
            "[body.hammer]\ntype = \"mass\"\nmass_kg = 0.02\n[body.bar]\ntype = \"modal\"\nmodes = [{{ freq_hz = 300.0, mass_kg = 0.1 }}]\n\
             [contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"bar\"]\nat_speed_m_s = 3.0\n{wish}\n[[tap]]\nof = \"bar\"\n{more}"
        );
        Scene::build(&SceneDef::from_text(&text).unwrap(), RATE_HZ).unwrap()
    };
    let value = |scene: &Scene, path: &str| scene.paths().iter().find(|(known, ..)| known == path).unwrap().2;
    let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a} for {b}");
    for (id, wanted) in [("hardness_01", 0.8), ("hardness_01", 0.1), ("contact_time_s", 3e-4), ("contact_time_s", 9e-3)]
    {
        let (path, written) = (format!("hit/{id}"), scene(&format!("{id} = {wanted}"), ""));
        let stiffness = value(&written, "hit/stiffness");
        near(value(&written, &path), wanted);
        // Ahead of time, by a command, by an event, by a drive.
        let mut preset = scene("hardness_01 = 0.5", "");
        let address = preset.directory().address(&path).unwrap();
        preset.preset(address, wanted).unwrap();
        near(value(&preset, "hit/stiffness"), stiffness);
        let live = |more: &str, commands: Vec<Timed>| {
            let mut engine = tocco::Engine::new(scene("hardness_01 = 0.5", more));
            engine.render(&[], &mut Queue::from(commands), &mut [0.0; 4_800]);
            near(value(engine.scene(), "hit/stiffness"), stiffness);
        };
        live("", vec![Timed { at: 7, command: Command::Set(address, wanted) }]);
        live(&format!("[[event]]\nat_s = 0.01\nset = \"{path}\"\nvalue = {wanted}\n"), vec![]);
        live(&format!("[[drive]]\npath = \"{path}\"\npoints = [[0.0, 5e-3], [0.05, {wanted}]]\n"), vec![]);
    }
    let mut soft = scene("hardness_01 = 0.5", "");
    let hard = soft.directory().address("hit/hardness_01").unwrap();
    let error = soft.preset(hard, 1.5).unwrap_err().to_string();
    assert!(error.contains("hardness_01 takes 0e0 to 1e0"), "{error}");
    let error = soft.directory().address("hit/hardnes").unwrap_err().to_string();
    assert!(error.contains("hit/hardness_01"), "{error}");
}

#[test]
fn hammers_that_cannot_be_are_refused_in_one_line() {
    let good = "[body.hammer]\ntype = \"mass\"\n[body.wall]\ntype = \"wall\"\n[body.bar]\ntype = \"modal\"\n\
                modes = [{ freq_hz = 200.0, mass_kg = 1.0 }]\n\
                [contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"bar\"]\nhardness_01 = 0.5\n\
                [[control]]\nname = \"hard\"\npath = \"hit/hardness_01\"\nrange = [0, 1]\n";
    for (from, to, said) in [
        (
            "\"hammer\", \"bar\"",
            "\"wall\", \"bar\"",
            "line 11: contact.hit.hardness_01: is for a hammer, and no body in between is a mass; give stiffness",
        ),
        (
            "hardness_01 = 0.5\n",
            "contact_time_s = 1e-6\nexponent = 5.0\n",
            "line 11: contact.hit.contact_time_s: 1e-6 s with 0.01 kg at 1 m/s needs a stiffness of",
        ),
        (
            "hardness_01 = 0.5\n",
            "hardness_01 = 0.5\nlaw = \"stulov\"\n",
            "line 11: contact.hit.hardness_01: holds for the laws hunt-crossley, power and linear without viscous_exponent; give stiffness",
        ),
        ("range = [0, 1]", "range = [0, 2]", "line 15: control[0].range: leaves what hardness_01 takes: 0 to 1"),
        (
            "range = [0, 1]",
            "range = [0.1, 1]\nscale = \"log\"",
            "line 16: control[0].scale: hardness_01 is a logarithmic scale itself; leave it out",
        ),
    ] {
        assert!(good.contains(from), "{from}");
        let text = good.replacen(from, to, 1);
        let error = SceneDef::from_text(&text).and_then(|def| Scene::build(&def, RATE_HZ)).err().unwrap().to_string();
        assert!(error.starts_with(said), "{error}");
    }
    assert!(SceneDef::from_text(good).and_then(|def| Scene::build(&def, RATE_HZ)).is_ok());
}
