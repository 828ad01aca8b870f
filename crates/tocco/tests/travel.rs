// SPDX-License-Identifier: MIT OR Apache-2.0
//! Places that travel: a finger round a rim, an ear along a plate. [travel.1] [travel.2]

mod common;
use common::{RATE_HZ, engine, probe};
use std::f64::consts::TAU;
use tocco::rng::Rng;
use tocco::{Engine, Queue, Scene, SceneDef};

/// A rim with the two modes that are two waves round it, and this many ports round it, the first once more at the end.
fn rim(ports: usize, freq_hz: f64, decay_s: f64) -> (String, String) {
    let mode = format!("{{ freq_hz = {freq_hz:?}, decay_s = {decay_s:?}, mass_kg = 0.05 }}");
    let mut text = format!("[body.glass]\ntype = \"modal\"\nmodes = [{mode}, {mode}]\n[body.glass.port]\n");
    let mut along = String::new();
    for k in 0..ports {
        let angle = 2.0 * TAU * k as f64 / ports as f64;
        text += &format!("p{k} = [{:?}, {:?}]\n", angle.cos(), angle.sin());
        along += &format!("\"p{k}\", ");
    }
    (text, along + "\"p0\"")
}

#[test]
fn a_finger_round_a_rim_bends_it_where_it_is() {
    // Steady sliding pushes with mu N; far below the mode's frequency the rim gives way by its stiffness, where the finger is.
    let (glass, along) = rim(24, 800.0, 0.002);
    let (mu_n, length, speed) = (0.3 * 2.0, 0.2, 0.4);
    let text = format!(
        "[body.finger]\ntype = \"guided\"\nvelocity_m_s = {speed}\n{glass}[contact.rub]\ntype = \"friction\"\nbetween = [\"finger\", \"glass.p0\"]\n\
         normal_force_n = 2.0\nmu_static = 0.3\nmu_dynamic = 0.3\nbristle_stiffness = 1e6\nbristle_damping = 10.0\n\
         travel = {{ along = [{along}], length_m = {length}, then = \"again\" }}\n[[tap]]\nof = \"glass.p0\"\n"
    );
    let mut engine = engine(&text, RATE_HZ);
    let (rows, health) = probe(&mut engine, &["glass.p0.position", "glass.p3.position"], 96_000);
    assert_eq!((health.unconverged, health.reset), (0, 0));
    let stiffness = 0.05 * (TAU * 800.0) * (TAU * 800.0);
    let (mut worst, turned) = (0.0_f64, mu_n / stiffness);
    for (i, row) in rows.iter().enumerate().skip(4_800) {
        let angle = TAU * speed * (i + 1) as f64 / RATE_HZ / length;
        // Where the finger was, two waves round: at p0, and an eighth of a turn on.
        let expected = [turned * (2.0 * angle).cos(), turned * (2.0 * angle).sin()];
        worst = worst.max((row[0] - expected[0]).abs() / turned).max((row[1] - expected[1]).abs() / turned);
    }
    println!("worst {:.3} % of the largest", 100.0 * worst);
    assert!(worst < 0.02, "{worst}");
}

/// How often what is heard between two times, s, falls below half of what it was, by the level of 20 ms; and the largest level.
fn dips(sound: &[f32], from_s: f64, to_s: f64) -> (u32, f64) {
    let part = &sound[(from_s * RATE_HZ) as usize..(to_s * RATE_HZ) as usize];
    let rms = |block: &[f32]| (block.iter().map(|x| f64::from(x * x)).sum::<f64>() / block.len() as f64).sqrt();
    let (mut count, mut most, mut high, mut low, mut down) = (0, 0.0_f64, 0.0_f64, 0.0_f64, false);
    for level in part.chunks(960).map(rms) {
        most = most.max(level);
        if down {
            low = low.min(level);
            (down, high) = (level <= 2.0 * low, level);
        } else {
            high = high.max(level);
            (down, low) = (level < 0.5 * high, level);
            count += u32::from(down);
        }
    }
    (count, most)
}

/// A wineglass under a finger that goes round it in 2.2 s, or stays where it began.
fn wineglass(travel: &str) -> String {
    format!(
        "[body.finger]\ntype = \"guided\"\nvelocity_m_s = 0.1\n[body.glass]\ntype = \"vessel\"\nradius_m = 0.035\nheight_m = 0.08\n\
         thickness_m = 0.00135\n[contact.rub]\ntype = \"friction\"\nbetween = [\"finger\", \"glass.rim\"]\nnormal_force_n = 1.0\n\
         mu_static = 0.8\nmu_dynamic = 0.25\nstribeck_m_s = 0.12\nbristle_stiffness = 2e5\nbristle_damping = 0.5\nviscosity = 0.1\n{travel}\n\
         [[tap]]\nof = \"glass.rim\"\n"
    )
}

fn render(engine: &mut Engine, frames: usize, block: usize) -> Vec<f32> {
    let mut out = vec![0.0; frames * engine.scene().channels()];
    out.chunks_mut(block * engine.scene().channels()).for_each(|part| {
        engine.render(&[], &mut Queue::new(), part);
    });
    out
}

#[test]
fn a_rubbed_glass_beats_when_the_finger_goes_round_and_not_when_it_stays() {
    let round = "travel = { from = [0.0], to = [1.0], length_m = 0.22, then = \"again\" }";
    let [stays, goes] =
        ["", round].map(|travel| dips(&render(&mut engine(&wineglass(travel), RATE_HZ), 7 * 48_000, 4_800), 2.4, 6.8));
    println!("dips in two turns: {stays:?} where it stays, {goes:?} where it goes round");
    // Two waves round the rim: four nodes pass whoever stands still.
    assert!(stays.0 == 0 && (7..=9).contains(&goes.0), "{stays:?} {goes:?}");
    assert!(goes.1 > 0.3 * stays.1, "it sings still: {stays:?} {goes:?}");
}

/// Bodies that can be rubbed anywhere, each with a way on it.
const BODIES: [(&str, &str, &str); 5] = [
    ("type = \"vessel\"\nradius_m = 0.035\nheight_m = 0.08\nthickness_m = 0.00135", "rim", "from = [0.0], to = [1.0]"),
    (
        "type = \"shape\"\nshape = \"rectangular-plate\"\nmaterial = \"steel\"\nlength_m = 0.3\nwidth_m = 0.2\nthickness_m = 0.002\nmodes = 30\nport = { edge = [0.1, 0.2] }",
        "edge",
        "from = [0.1, 0.2], to = [0.9, 0.7]",
    ),
    ("type = \"string\"\nfreq_hz = 196.0\nport = { at = 0.12 }", "at", "from = [0.12], to = [0.03]"),
    (
        "type = \"shape\"\nshape = \"string\"\nmaterial = \"steel\"\nlength_m = 0.6\ndiameter_m = 8e-4\ntension_n = 20.0\nmodes = 12\nstiffens = true\nport = { at = [0.2] }",
        "at",
        "from = [0.2], to = [0.7]",
    ),
    (
        "type = \"modal\"\nmodes = [{ freq_hz = 310.0, decay_s = 0.4, mass_kg = 0.02 }, { freq_hz = 870.0, decay_s = 0.2, mass_kg = 0.02 }]\n\
         port = { a = [1.0, 0.4], b = [0.3, -0.9], c = [-0.8, 0.1] }",
        "a",
        "along = [\"a\", \"b\", \"c\"]",
    ),
];

fn rubbed(rng: &mut Rng, which: usize) -> String {
    let (body, port, way) = BODIES[which];
    let then = ["back", "again", "stop"][rng.bits() as usize % 3];
    let by = if rng.unit() < 0.5 { ", by = \"hand\"" } else { "" };
    format!(
        "[body.bow]\ntype = \"guided\"\nvelocity_m_s = {:?}\n[body.hand]\ntype = \"guided\"\nvelocity_m_s = {:?}\n[body.thing]\n{body}\n\
         [contact.rub]\ntype = \"friction\"\nbetween = [\"bow\", \"thing.{port}\"]\nnormal_force_n = {:?}\nmu_static = 0.8\nmu_dynamic = 0.3\n\
         bristle_stiffness = {:?}\nbristle_damping = {:?}\ntravel = {{ {way}, length_m = {:?}, then = \"{then}\"{by} }}\n[[tap]]\nof = \"thing.{port}\"\n",
        rng.between_log(0.01, 1.0),
        rng.between(-20.0, 20.0),
        rng.between_log(0.1, 20.0),
        rng.between_log(1e3, 1e7),
        rng.between_log(1e-2, 10.0),
        rng.between_log(1e-3, 0.3),
    )
}

#[test]
fn energy_minus_work_never_rises_while_places_travel() {
    let mut rng = Rng::new(1, "travel");
    let (mut moved, mut worst) = (0.0_f64, 0.0_f64);
    for round in 0..60 {
        let text = rubbed(&mut rng, round % BODIES.len());
        let mut engine = engine(&text, RATE_HZ);
        let (rows, health) = probe(&mut engine, &["energy", "work"], 12_000);
        assert_eq!((health.unconverged, health.reset), (0, 0), "{text}");
        let (mut most, mut before) = (0.0_f64, 0.0);
        for row in rows {
            most = most.max(row[0].abs() + row[1].abs());
            worst = worst.max((row[0] - row[1] - before) / most.max(1e-300));
            assert!(
                row[0] - row[1] - before <= 1e-12 * most,
                "gained {:e} of {most:e}\n{text}",
                row[0] - row[1] - before
            );
            before = row[0] - row[1];
        }
        moved += most;
    }
    println!("largest gain {worst:.1e} of the energy");
    assert!(moved > 0.0);
}

#[test]
fn a_place_that_travels_has_the_same_bits_for_any_block() {
    let mut rng = Rng::new(2, "travel");
    for which in 0..BODIES.len() {
        let text = rubbed(&mut rng, which);
        // Somebody moves the hand that carries the place, by the sample.
        let text = text + "[[drive]]\npath = \"hand/velocity_m_s\"\npoints = [[0.0, 0.0], [0.05, 1.0], [0.1, -2.0]]\n";
        let whole = render(&mut engine(&text, RATE_HZ), 9_600, 9_600);
        assert!(whole.iter().any(|x| x.abs() > 1e-9));
        for block in [1, 7, 64, 509] {
            assert!(render(&mut engine(&text, RATE_HZ), 9_600, block) == whole, "block {block}\n{text}");
        }
    }
}

#[test]
fn a_finger_that_stands_on_its_way_rubs_as_one_that_has_none() {
    let way = "travel = { along = [\"b\", \"a\"], length_m = 1.0, then = \"stop\", by = \"hand\" }";
    let text = |port: &str, travel: &str| {
        let (body, _, _) = BODIES[4];
        format!(
            "[body.bow]\ntype = \"guided\"\nvelocity_m_s = 0.1\n[body.hand]\ntype = \"guided\"\nvelocity_m_s = -1.0\n[body.thing]\n{body}\n\
             [contact.rub]\ntype = \"friction\"\nbetween = [\"bow\", \"thing.{port}\"]\nnormal_force_n = 2.0\n{travel}\n[[tap]]\nof = \"thing.c\"\n"
        )
    };
    let [fixed, led] =
        [("b", ""), ("a", way)].map(|(port, travel)| render(&mut engine(&text(port, travel), RATE_HZ), 4_800, 64));
    let loudest = fixed.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    let off = fixed.iter().zip(&led).fold(0.0_f32, |most, (a, b)| most.max((a - b).abs()));
    assert!(loudest > 1e-4 && off < 1e-5 * loudest, "{off} of {loudest}");
}

#[test]
fn an_ear_that_is_carried_hears_the_places_it_passes() {
    let body = "type = \"modal\"\nmodes = [{ freq_hz = 310.0, decay_s = 0.4, mass_kg = 0.02 }, { freq_hz = 870.0, decay_s = 0.2, mass_kg = 0.02 }]\n\
                port = { a = [1.0, 0.4], b = [0.3, -0.9] }";
    for quantity in ["velocity", "position"] {
        let tap = |of: &str, channel: usize| {
            format!("[[tap]]\nof = \"thing.{of}\"\nquantity = \"{quantity}\"\nchannel = {channel}\n")
        };
        let text = format!(
            "[body.thing]\n{body}\n[body.hand]\ntype = \"guided\"\nvelocity_m_s = 2.0\n[[event]]\nat_s = 0.0\nhit = \"thing.a\"\nimpulse_n_s = 1.0\n\
             {}{}{}travel = {{ along = [\"a\", \"b\"], length_m = 0.5, by = \"hand\" }}\n",
            tap("a", 0),
            tap("b", 1),
            tap("a", 2)
        );
        let whole = render(&mut engine(&text, RATE_HZ), 24_000, 24_000);
        for block in [1, 100] {
            assert!(render(&mut engine(&text, RATE_HZ), 24_000, block) == whole, "block {block}");
        }
        let (mut worst, mut most) = (0.0_f64, 0.0_f64);
        for (i, frame) in whole.chunks(3).enumerate() {
            // There and back again.
            let way = (2.0 * (i + 1) as f64 / RATE_HZ).rem_euclid(1.0);
            let share = way.min(1.0 - way) / 0.5;
            let [a, b, heard] = [0, 1, 2].map(|channel| f64::from(frame[channel]));
            worst = worst.max((heard - (a + (b - a) * share)).abs());
            most = most.max(a.abs());
        }
        assert!(most > 0.0 && worst < 1e-6 * most, "{quantity}: {worst} of {most}");
    }
}

#[test]
fn ways_that_lead_nowhere_are_refused_with_the_reason_and_what_is_written_is_read_again() {
    let head = "[body.bow]\ntype = \"guided\"\n[body.ball]\ntype = \"mass\"\n[body.glass]\ntype = \"vessel\"\nradius_m = 0.035\nheight_m = 0.08\n";
    let rub = |travel: &str| {
        format!(
            "{head}[contact.rub]\ntype = \"friction\"\nbetween = [\"bow\", \"glass.rim\"]\ntravel = {travel}\n[[tap]]\nof = \"glass.rim\"\n"
        )
    };
    let wrong = |text: &str| match SceneDef::from_text(text) {
        Err(error) => error.to_string(),
        Ok(def) => Scene::build(&def, RATE_HZ).err().map(|error| error.to_string()).unwrap_or_default(),
    };
    for (travel, why) in [
        ("{ along = [\"rim\", \"rum\"], length_m = 0.2 }", "neither partner has all of these ports"),
        ("{ along = [\"rim\"], length_m = 0.2 }", "at least 2"),
        ("{ from = [0.0], length_m = 0.2 }", "needs to"),
        ("{ to = [0.0], along = [\"rim\", \"side\"], length_m = 0.2 }", "needs from"),
        ("{ from = [0.0], to = [1.5], length_m = 0.2 }", "out of range"),
        ("{ from = [0.0, 1.0], to = [1.0, 1.0], length_m = 0.2 }", "one fraction of a turn"),
        ("{ from = [0.0], to = [1.0] }", "length_m"),
        ("{ from = [0.0], to = [1.0], length_m = 0.0 }", "out of range"),
        ("{ from = [0.0], to = [1.0], length_m = 0.2, by = \"ball\" }", "not guided"),
        ("{ from = [0.0], to = [1.0], length_m = 0.2, by = \"bal\" }", "did you mean 'ball'"),
        ("{ from = [0.0], to = [1.0], length_m = 0.2, then = \"on\" }", "unknown word"),
        ("{ from = [0.0], to = [1.0], length_m = 0.2 }\nspare = true", "spare"),
        (
            "{ along = [\"air\", \"rim\"], length_m = 0.2 }\n[contact.two]\ntype = \"friction\"\nbetween = [\"bow\", \"glass.rim\"]\ntravel = { from = [0.0], to = [1.0], length_m = 0.2 }",
            "same port",
        ),
    ] {
        let found = wrong(&rub(travel));
        assert!(found.contains(why), "{travel}: {found}");
    }
    let of_mass = format!(
        "{head}[contact.rub]\ntype = \"friction\"\nbetween = [\"bow\", \"ball\"]\ntravel = {{ from = [0.0], to = [1.0], length_m = 0.2 }}\n"
    );
    assert!(wrong(&of_mass).contains("neither partner is touched anywhere"), "{}", wrong(&of_mass));
    let tap = |travel: &str| format!("{head}[[tap]]\nof = \"glass.rim\"\ntravel = {travel}\n");
    for (travel, why) in [
        ("{ from = [0.0], to = [1.0], length_m = 0.2, by = \"bow\" }", "leads along ports"),
        ("{ along = [\"rim\", \"side\"], length_m = 0.2 }", "needs by"),
        ("{ along = [\"rim\", \"sid\"], length_m = 0.2, by = \"bow\" }", "no port 'sid'"),
        ("{ along = [\"rim\", \"side\"], length_m = 0.2, by = \"glass\" }", "does not travel"),
    ] {
        let found = wrong(&tap(travel));
        assert!(found.contains(why), "{travel}: {found}");
    }
    for text in [
        rub("{ from = [0.0], to = [1.0], length_m = 0.2, then = \"again\" }"),
        tap("{ along = [\"rim\", \"side\"], length_m = 0.2, by = \"ball\" }"),
    ] {
        let def = SceneDef::from_text(&text).unwrap();
        let again = SceneDef::from_text(&def.to_toml()).unwrap();
        assert_eq!((&again.contacts, &again.taps), (&def.contacts, &def.taps));
        Scene::build(&again, RATE_HZ).unwrap();
    }
}
