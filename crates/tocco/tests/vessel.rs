// SPDX-License-Identifier: MIT OR Apache-2.0
//! Vessels: the pitch of their air and wall as they fill, and that neither filling nor rain hands out energy.

use tocco::resonator::material::Material;
use tocco::resonator::vessel::{Geometry, VesselForm};
use tocco::rng::Rng;
use tocco::{Engine, Gesture, Queue, Scene, SceneDef};

fn glass() -> Geometry {
    Geometry {
        form: VesselForm::Cup,
        radius_m: 0.035,
        bottom_m: 0.035,
        height_m: 0.15,
        thickness_m: 2e-3,
        neck_m: [0.01, 0.05],
        material: Material::named("glass").unwrap().material,
    }
}

fn build(text: &str, rate_hz: f64) -> Engine {
    let def = SceneDef::from_text(text).unwrap_or_else(|error| panic!("{error}"));
    Engine::new(Scene::build(&def, rate_hz).unwrap_or_else(|error| panic!("{error}")))
}

/// Where the spectrum of what is heard after a hit on a port is largest, Hz, near a frequency.
fn peak(text: &str, port: &str, near_hz: f64) -> f64 {
    let mut engine = build(text, 48_000.0);
    let mut queue = Queue::new();
    let hit = Gesture::Hit { site: format!("glass.{port}"), impulse_n_s: 1e-3 };
    queue.push(0, hit.resolve(engine.scene().directory()).unwrap().command);
    let mut out = vec![0.0; 48_000];
    engine.render(&[], &mut queue, &mut out);
    strongest(&out, near_hz)
}

/// Where the spectrum of a sound at 48 kHz is largest, Hz, near a frequency.
fn strongest(out: &[f32], near_hz: f64) -> f64 {
    let power = |freq_hz: f64| {
        let w = std::f64::consts::TAU * freq_hz / 48_000.0;
        let (mut re, mut im) = (0.0, 0.0);
        for (i, x) in out.iter().enumerate() {
            re += f64::from(*x) * (w * i as f64).cos();
            im += f64::from(*x) * (w * i as f64).sin();
        }
        re * re + im * im
    };
    let (mut best, mut most) = (0.0, 0.0);
    for i in 0..=300 {
        let freq_hz = near_hz * (0.85 + 0.001 * f64::from(i));
        if power(freq_hz) > most {
            (best, most) = (freq_hz, power(freq_hz));
        }
    }
    best
}

#[test]
fn the_air_in_a_glass_rings_at_the_pitches_of_the_table_as_it_fills() {
    let capacity = glass().capacity_m3();
    for (level, freq_hz, q, within) in [
        (0.0, 499.42, 27.2, 0.01),
        (0.1, 547.22, 23.2, 0.01),
        (0.25, 638.97, 17.5, 0.01),
        (0.5, 886.76, 9.4, 0.01),
        (0.75, 1448.48, 3.6, 0.01),
        (0.9, 2336.51, 1.4, 0.08),
    ] {
        let (got, quality) = glass().air(level * capacity)[0];
        assert!((got / freq_hz - 1.0).abs() < 1e-3 && (quality / q - 1.0).abs() < 0.02, "{level}: {got} {quality}");
        let water = level * capacity;
        let text = format!(
            "[body.glass]\ntype = 'vessel'\nradius_m = 0.035\nheight_m = 0.15\nwater_m3 = {water:?}\n[[tap]]\nof = 'glass.air'"
        );
        let heard = peak(&text, "air", freq_hz);
        assert!((heard / freq_hz - 1.0).abs() < within, "{level}: {heard} {freq_hz}");
    }
}

#[test]
fn a_bottle_sinks_as_it_empties_as_the_table_says() {
    let bottle = Geometry {
        form: VesselForm::Bottle,
        radius_m: 0.04,
        bottom_m: 0.04,
        height_m: 0.75e-3 / (std::f64::consts::PI * 0.04 * 0.04),
        neck_m: [9.5e-3, 0.08],
        ..glass()
    };
    for (air_ml, wanted) in [(750.0, 109.6), (500.0, 134.2), (250.0, 189.7), (100.0, 300.0), (50.0, 424.3)] {
        let water = (bottle.capacity_m3() - 1e-6 * air_ml).max(0.0);
        let got = bottle.air(water)[0].0;
        assert!((got / wanted - 1.0).abs() < 0.01, "{air_ml} ml: {got} Hz");
        let text = format!(
            "[body.glass]\ntype = 'vessel'\nform = 'bottle'\nradius_m = 0.04\nheight_m = {:?}\nneck_radius_m = 0.0095\nneck_length_m = 0.08\n\
             water_m3 = {water:?}\n[[tap]]\nof = 'glass.air'",
            bottle.height_m
        );
        let heard = peak(&text, "air", wanted);
        assert!((heard / wanted - 1.0).abs() < 0.01, "{air_ml} ml: {heard} Hz is heard");
    }
}

#[test]
fn the_wall_of_a_glass_sinks_as_it_fills_and_more_than_it_holds_changes_nothing() {
    let capacity = glass().capacity_m3();
    let text = |water: f64| {
        format!(
            "[body.glass]\ntype = 'vessel'\nradius_m = 0.035\nheight_m = 0.15\nwater_m3 = {water:?}\n[[tap]]\nof = 'glass.rim'"
        )
    };
    let dry = glass().wall_hz(2);
    let heard = peak(&text(0.0), "rim", dry);
    assert!((heard / dry - 1.0).abs() < 0.003, "{heard} {dry}");
    let full = dry / glass().load(capacity).sqrt();
    assert!(full < 0.9 * dry);
    // By the closed form: 1 + 0.2 rho_w R/(rho h).
    let wall = glass().material.density_kg_m3 * glass().thickness_m;
    assert!((glass().load(capacity) / (1.0 + 0.2 * 998.0 * 0.035 / wall) - 1.0).abs() < 1e-9);
    for water in [capacity, 3.0 * capacity] {
        let heard = peak(&text(water), "rim", full);
        assert!((heard / full - 1.0).abs() < 0.003, "{heard} {full}");
    }
    let jug = Geometry { bottom_m: 0.02, ..glass() };
    for part in [0.1, 0.5, 0.9] {
        let level = jug.level_m(part * jug.capacity_m3());
        assert!((jug.volume_m3(level) / (part * jug.capacity_m3()) - 1.0).abs() < 1e-9 && level > part * 0.15);
    }
}

#[test]
fn what_is_poured_fills_until_it_runs_over() {
    let text = "[signal.tap]\ntype = 'points'\npoints = [[0.0, 1e-4]]\n[signal.water]\ntype = 'probe'\nof = 'tap'\nfill = 2e-4\n\
                [signal.over]\ntype = 'probe'\nof = 'tap'\nspill = 2e-4\n\
                [body.glass]\ntype = 'vessel'\nradius_m = 0.035\nheight_m = 0.15\n[[drive]]\npath = 'glass/water_m3'\nfrom = 'water'\n[[tap]]\nof = 'glass.air'";
    let mut engine = build(text, 48_000.0);
    let probes: Vec<_> = ["water.value", "over.value"].map(|of| engine.scene().directory().probe(of).unwrap()).to_vec();
    for (second, filled, over) in [(1.0, 1e-4, 0.0), (2.0, 2e-4, 0.0), (3.0, 2e-4, 1e-4)] {
        engine.render(&[], &mut Queue::new(), &mut vec![0.0; 48_000]);
        let [water, spilt] = [engine.probe(probes[0]), engine.probe(probes[1])];
        assert!((water - filled).abs() < 5e-7 && (spilt - over).abs() < 1e-5, "{second} s: {water} {spilt}");
    }
}

#[test]
fn a_jug_that_is_full_runs_over_and_sounds_so() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/overflowing-jug.toml")).unwrap();
    let mut engine = build(&text, 16_000.0);
    let splatter = engine.scene().directory().process("splatter").unwrap();
    let (mut out, mut times) = (vec![0.0; 160 * engine.scene().channels()], Vec::new());
    for _ in 0..860 {
        engine.render(&[], &mut Queue::new(), &mut out);
        let own = std::iter::from_fn(|| engine.take_happening()).filter(|one| one.process == splatter);
        times.extend(own.map(|one| one.at_s));
    }
    // A frustum of 45 and 55 mm, 120 mm high, holds pi h (R^2 + R r + r^2)/3; at 0.15 l/s, from a tap that opens within 0.2 s.
    let holds = std::f64::consts::PI * 0.12 * (0.045 * 0.045 + 0.045 * 0.055 + 0.055 * 0.055) / 3.0;
    let full = holds / 1.5e-4 + 0.1;
    let first = times.iter().copied().fold(f64::INFINITY, f64::min);
    assert!((full..full + 0.1).contains(&first), "{first} s, full after {full} s");
    // 350 drops a second, smoothed over 50 ms.
    let late = times.iter().filter(|at_s| **at_s > 7.0).count() as f64 / 1.6;
    assert!((late / 350.0 - 1.0).abs() < 0.2, "{late} a second");
}

/// A shipped scene.
fn shipped(name: &str) -> String {
    let path = format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn whatever_is_filled_past_its_rim_at_the_most_that_its_controls_allow_is_heard_to_run_over() {
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes")).unwrap();
    let mut tried = Vec::new();
    for name in folder.filter_map(|file| Some(file.ok()?.file_name().to_str()?.strip_suffix(".toml")?.to_owned())) {
        let text = shipped(&name);
        if !(text.contains("type = \"vessel\"") && text.contains("\nfill = ")) {
            continue;
        }
        let mut engine = build(&text, 8_000.0);
        let def = SceneDef::from_text(&text).unwrap();
        let mut queue = Queue::new();
        for control in &def.controls {
            let top = Gesture::Set { path: control.name.clone(), value: 1.0 };
            queue.push(0, top.resolve(engine.scene().directory()).unwrap().command);
        }
        // The processes that hear, through others or not, what is spilt.
        let spills = |of: &str| {
            let mut name = of.to_owned();
            while let Some(signal) = def.signals.iter().find(|signal| signal.name == name) {
                if signal.operators.spill.is_some() {
                    return true;
                }
                match signal.form.reads() {
                    Some(next) => name = next.to_owned(),
                    None => return false,
                }
            }
            false
        };
        let hears: Vec<bool> = def.processes.iter().map(|process| spills(&process.driven_by)).collect();
        let mut out = vec![0.0; 800 * engine.scene().channels()];
        let mut count = 0;
        for _ in 0..80 {
            engine.render(&[], &mut queue, &mut out);
            count += std::iter::from_fn(|| engine.take_happening()).filter(|one| hears[one.process]).count();
        }
        assert!(count > 20, "{name}: {count} drops of what runs over");
        tried.push(name);
    }
    assert!(tried.len() >= 4, "{tried:?}");
}

#[test]
fn a_canister_that_is_held_still_or_is_empty_is_silent_and_what_is_moved_more_is_louder() {
    let heard = |from: &str, to: &str| {
        let text = shipped("sloshing");
        assert!(from.is_empty() || text.matches(from).count() == 1, "{from}");
        let mut engine = build(&text.replacen(from, to, 1), 16_000.0);
        let mut out = vec![0.0; 64_000 * engine.scene().channels()];
        engine.render(&[], &mut Queue::new(), &mut out);
        out.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>()
    };
    let plain = heard("", "");
    assert!(plain > 0.0);
    assert_eq!(heard("rms = 0.7", "rms = 0.0"), 0.0, "held still");
    assert_eq!(heard("default = 0.0035", "default = 0.0"), 0.0, "empty");
    // Every process hears how much it is moved: none of them is left over.
    let moves = "of = \"runs\"";
    assert_eq!(heard(moves, &format!("{moves}\ngain = 0.0")), 0.0);
    assert!(heard(moves, &format!("{moves}\ngain = 3.0")) > 2.0 * plain);
    // A little water makes less of it than a half-full canister.
    assert!(heard("default = 0.0035", "default = 0.0002") < 0.5 * plain);
}

#[test]
fn energy_minus_work_never_rises_with_vessels_that_fill_and_rain_on_bodies() {
    let mut rng = Rng::new(4, "vessels");
    for scene in 0..24 {
        let (radius, height) = (rng.between_log(0.01, 0.1), rng.between_log(0.05, 0.3));
        let most = std::f64::consts::PI * radius * radius * height;
        let (fill, rate) = (rng.between(0.1, 3.0) * most, rng.between_log(20.0, 3000.0));
        let bottom = radius * rng.between(0.4, 1.0);
        let text = format!(
            "seed = {scene}\n[signal.flow]\ntype = 'points'\npoints = [[0.0, 1.0], [0.3, 0.2], [0.6, 1.0]]\n\
             [body.glass]\ntype = 'vessel'\nradius_m = {radius:?}\nbottom_radius_m = {bottom:?}\nheight_m = {height:?}\nthickness_m = 1e-3\n\
             [body.ball]\ntype = 'mass'\nmass_kg = 0.01\nposition_m = -0.001\nvelocity_m_s = 1.0\n\
             [contact.touch]\ntype = 'impact'\nbetween = ['ball', 'glass.rim']\nstiffness = 1e6\n\
             [body.roof]\ntype = 'modal'\nmodes = [{{ freq_hz = 300.0, decay_s = 0.2, mass_kg = 0.5 }}, {{ freq_hz = 811.0, decay_s = 0.1, mass_kg = 0.3 }}]\n\
             [process.pour]\ntype = 'bubbles'\ndriven_by = 'flow'\non = 'glass.air'\nrate_hz = {rate:?}\nbed = 1.0\ngain = 1.0\n\
             [process.rain]\ntype = 'rain'\ndriven_by = 'flow'\non = ['roof', 'glass.side']\nrate_hz = {rate:?}\n\
             [[drive]]\npath = 'glass/water_m3'\npoints = [[0.0, 0.0], [0.4, {fill:?}], [0.5, 0.0], [0.8, {fill:?}]]\n[[tap]]\nof = 'glass.air'"
        );
        let mut engine = build(&text, if scene % 2 == 0 { 48_000.0 } else { 22_050.0 });
        let (mut last, mut heard) = (engine.energy() - engine.work(), 0.0_f32);
        for _ in 0..1_500 {
            let mut out = [0.0; 13];
            engine.render(&[], &mut Queue::new(), &mut out);
            heard = out.iter().fold(heard, |most, x| most.max(x.abs()));
            let now = engine.energy() - engine.work();
            assert!(
                now <= last + 1e-11 * (engine.work().abs() + engine.energy()).max(1e-9),
                "{scene}: {now} after {last}"
            );
            last = now;
        }
        assert!(heard > 0.0 && engine.health().reset == 0, "{scene}");
    }
}

/// Signals of a scene at some times, s.
fn readings<const N: usize>(text: &str, of: [&str; N], times_s: &[f64]) -> Vec<[f64; N]> {
    let mut engine = build(text, 8_000.0);
    let probes = of.map(|of| engine.scene().directory().probe(&format!("{of}.value")).unwrap());
    let (mut frame, channels) = (0, engine.scene().channels());
    let read = |time_s: &f64| {
        let until = (time_s * 8_000.0) as usize;
        engine.render(&[], &mut Queue::new(), &mut vec![0.0; channels * (until - frame)]);
        frame = until;
        probes.map(|probe| engine.probe(probe))
    };
    times_s.iter().map(read).collect()
}

#[test]
fn a_vessel_with_an_outlet_drains_as_torricelli_says_and_what_comes_in_goes_somewhere() {
    let (area, outlet, g) = (std::f64::consts::PI * 0.035 * 0.035, 2e-5, 9.81_f64);
    let glass = |points: &str| {
        let signal = |name: &str, key: &str| {
            format!("[signal.{name}]\ntype = 'probe'\nof = 'tap'\n{key} = 'glass'\noutlet_m2 = {outlet:?}\n")
        };
        let [water, over, out] = [("water", "fill"), ("over", "spill"), ("out", "drain")].map(|(a, b)| signal(a, b));
        let text = format!(
            "[signal.tap]\ntype = 'points'\npoints = {points}\n{water}{over}{out}[body.glass]\ntype = 'vessel'\nradius_m = 0.035\nheight_m = 0.15\n[[tap]]\nof = 'glass.air'"
        );
        let def = SceneDef::from_text(&text).unwrap();
        assert_eq!(SceneDef::from_text(&def.to_toml()).unwrap().to_toml(), def.to_toml());
        assert!(def.to_toml().contains("drain = \"glass\"\noutlet_m2 = 2e-5"), "{}", def.to_toml());
        text
    };
    // Filled at once, it empties in sqrt(2 h/g) A/a: 27 s from 0.1 m, and the root of the level falls as a line.
    let names = ["water", "over", "out"];
    let poured =
        readings(&glass("[[0.0, 1e-3], [0.4, 1e-3], [0.401, 0.0]]"), names, &[1.0, 3.0, 6.0, 12.0, 24.0, 40.0]);
    let root = |water: f64| (water / area).sqrt();
    let fall = outlet * (g / 2.0).sqrt() / area;
    for (k, at_s) in [3.0, 6.0, 12.0, 24.0].into_iter().enumerate() {
        let wanted = root(poured[0][0]) - fall * (at_s - 1.0);
        let heard = root(poured[k + 1][0]);
        assert!((heard - wanted).abs() < 2e-3 * root(poured[0][0]), "{at_s} s: {heard} {wanted}");
        let out = outlet * (2.0 * g).sqrt() * heard;
        assert!((poured[k + 1][2] / out - 1.0).abs() < 0.01, "{at_s} s: {} {out}", poured[k + 1][2]);
    }
    assert!(poured[5][0] < 1e-7 && poured[5][2] < 1e-7, "it is empty, and nothing comes: {:?}", poured[5]);
    // A steady stream comes to rest where as much leaves: h = (q/a)^2/(2 g).
    let rest = readings(&glass("[[0.0, 2e-5]]"), names, &[150.0])[0];
    let wanted = (2e-5_f64 / outlet).powi(2) / (2.0 * g) * area;
    assert!((rest[0] / wanted - 1.0).abs() < 0.01 && rest[1] == 0.0, "{rest:?} {wanted}");
    // More than that runs over the rim: what comes in less what leaves below.
    let full = readings(&glass("[[0.0, 2e-4]]"), names, &[20.0])[0];
    assert!((full[0] / (area * 0.15) - 1.0).abs() < 1e-9);
    let below = outlet * (2.0 * g * 0.15).sqrt();
    assert!((full[2] / below - 1.0).abs() < 1e-3 && (full[1] / (2e-4 - below) - 1.0).abs() < 1e-3, "{full:?} {below}");
    for (wrong, what) in [
        ("fill = 'jar'", "signal.water.fill: there is no vessel 'jar'"),
        ("fill = 1.0\noutlet_m2 = 1e-5", "name one in fill, spill or drain"),
        ("drain = 'glass'", "give outlet_m2"),
        ("fill = 'glass'\nspill = 'glass'", "one or the other"),
    ] {
        let text = format!(
            "[signal.tap]\ntype = 'input'\n[signal.water]\ntype = 'probe'\nof = 'tap'\n{wrong}\n[body.glass]\ntype = 'vessel'\nradius_m = 0.035\nheight_m = 0.15\n"
        );
        let built = SceneDef::from_text(&text).and_then(|def| Scene::build(&def, 48_000.0).map(|_| ()));
        let error = built.unwrap_err().to_string();
        assert!(error.contains(what) && !error.contains('\n'), "{error}");
    }
}

#[test]
fn the_level_of_a_funnel_is_what_came_in_less_what_ran_out_and_its_pitch_follows() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/funnel.toml")).unwrap();
    let tap = [[0.0, 0.0], [0.2, 1.1e-4], [3.2, 1.1e-4], [3.4, 4e-5], [5.4, 4e-5], [5.6, 0.0], [20.0, 0.0]];
    let inflow = |t: f64| {
        let k = tap.iter().rposition(|point| point[0] <= t).unwrap().min(tap.len() - 2);
        let ([t0, q0], [t1, q1]) = (tap[k], tap[k + 1]);
        q0 + (q1 - q0) * (t - t0) / (t1 - t0)
    };
    // Another way to the same: the level h itself by Heun's rule, A(h) h' = q - a sqrt(2 g h), the radius growing from 10 to 60 mm.
    let slope = |t: f64, h: f64| {
        let radius = 0.01 + 0.05 * h / 0.12;
        (inflow(t) - 5e-5 * (2.0 * 9.81 * h.max(0.0)).sqrt()) / (std::f64::consts::PI * radius * radius)
    };
    let volume = |h: f64| {
        let radius = 0.01 + 0.05 * h / 0.12;
        std::f64::consts::PI * h * (1e-4 + 0.01 * radius + radius * radius) / 3.0
    };
    let times = [1.0, 3.2, 4.0, 5.4, 6.5, 9.4];
    let levels = readings(&text, ["level"], &times);
    let (mut t, mut h, mut wanted) = (0.0, 0.0_f64, Vec::new());
    for until in times {
        while t < until {
            let first = slope(t, h);
            let guess = (h + 1e-4 * first).max(0.0);
            h = (h + 5e-5 * (first + slope(t + 1e-4, guess))).max(0.0);
            t += 1e-4;
        }
        wanted.push(volume(h));
    }
    let top = wanted[1];
    for ((at_s, level), wanted) in times.iter().zip(&levels).zip(&wanted) {
        assert!((level[0] - wanted).abs() < 0.01 * top, "{at_s} s: {} {wanted} m3", level[0]);
    }
    assert!(levels[5][0] < 0.001 * top && levels[1][0] > levels[3][0] && levels[3][0] > levels[4][0]);
    // The pitch of its air goes with it, up and down: a clean tone after a hit, nothing else being heard.
    let part = text.split("[process.inside]").next().unwrap();
    let pitch = |at_s: f64, near_hz: f64| {
        let mut engine = build(&format!("{part}[[tap]]\nof = 'funnel.air'\n"), 48_000.0);
        engine.render(&[], &mut Queue::new(), &mut vec![0.0; (at_s * 48_000.0) as usize]);
        let mut queue = Queue::new();
        let hit = Gesture::Hit { site: "funnel.air".into(), impulse_n_s: 1e-3 };
        queue.push(0, hit.resolve(engine.scene().directory()).unwrap().command);
        let mut out = vec![0.0; 2400];
        engine.render(&[], &mut queue, &mut out);
        strongest(&out, near_hz)
    };
    let def = SceneDef::from_text(&text).unwrap();
    let tocco::scene::def::BodyForm::Vessel(funnel) = &def.bodies[0].form else { panic!("no vessel") };
    let heard: Vec<f64> = [(1.0, 0), (3.2, 1), (5.4, 3)]
        .map(|(at_s, k): (f64, usize)| {
            let wanted = funnel.geometry().unwrap().air(wanted[k])[0].0;
            let heard = pitch(at_s, wanted);
            // So wide a mouth radiates well: the tone is broad.
            assert!((heard / wanted - 1.0).abs() < 0.06, "{at_s} s: {heard} {wanted} Hz");
            heard
        })
        .to_vec();
    assert!(heard[1] > 1.1 * heard[0] && heard[2] < heard[1], "{heard:?}");
}

#[test]
fn the_mouth_of_a_vessel_is_a_small_source_and_its_wall_is_heard_as_that_of_a_bowl() {
    // Both channels follow the same motion: rho S/(4 pi r) of the air's acceleration.
    let text = |port: &str, distance_m: f64| {
        format!(
            "[body.glass]\ntype = \"vessel\"\nradius_m = 0.035\nheight_m = 0.15\n[[event]]\nat_s = 0.0\nhit = \"glass.{port}\"\nimpulse_n_s = 1e-3\n\
             [[tap]]\nof = \"glass.{port}\"\nquantity = \"acceleration\"\n[[tap]]\nof = \"glass.{port}\"\nquantity = \"radiated\"\n\
             distance_m = {distance_m}\nchannel = 1\n"
        )
    };
    let heard = |port: &str, distance_m: f64| {
        let mut out = vec![0.0; 2 * 4_800];
        build(&text(port, distance_m), 48_000.0).render(&[], &mut Queue::new(), &mut out);
        let sum = |channel: usize| out.chunks(2).map(|frame| f64::from(frame[channel]).powi(2)).sum::<f64>().sqrt();
        sum(1) / sum(0)
    };
    let wanted = 1.204 * std::f64::consts::PI * 0.035 * 0.035 / (4.0 * std::f64::consts::PI * 0.5);
    assert!((heard("air", 0.5) / wanted - 1.0).abs() < 1e-5, "{} {wanted}", heard("air", 0.5));
    let (near, far) = (heard("rim", 0.5), heard("rim", 5.0));
    assert!(near > 0.0 && (near / far - 10.0).abs() < 1e-4, "{near} {far}");
    // The same bowl, by its own law, is as loud for the same motion of its lip: its pairs with n waves lie where the vessel's do.
    let bowl = text("rim", 0.5).replace(
        "type = \"vessel\"\n",
        "type = \"shape\"\nshape = \"bowl\"\nmaterial = \"glass\"\nthickness_m = 0.002\nmodes = 10\nport.rim = [1.0, 0.0]\n",
    );
    let mut out = vec![0.0; 2 * 4_800];
    build(&bowl, 48_000.0).render(&[], &mut Queue::new(), &mut out);
    let sum = |channel: usize| out.chunks(2).map(|frame| f64::from(frame[channel]).powi(2)).sum::<f64>().sqrt();
    let db = 20.0 * (near / (sum(1) / sum(0))).log10();
    assert!(db.abs() < 6.0, "{db}");
}

/// Mean radius that a ring of radius 1 loses to a pattern of n waves of this height if it keeps its circumference: of many short sides.
fn lost_radius(n: f64, height: f64) -> f64 {
    const SIDES: usize = 20_000;
    let ring = |shrunk: f64| -> Vec<[f64; 2]> {
        let at = |i: usize| {
            let t = std::f64::consts::TAU * i as f64 / SIDES as f64;
            let (out, on) = (1.0 - shrunk + height * (n * t).cos(), -height / n * (n * t).sin());
            [out * t.cos() - on * t.sin(), out * t.sin() + on * t.cos()]
        };
        (0..=SIDES).map(at).collect()
    };
    let around = |ring: &[[f64; 2]]| ring.windows(2).map(|p| (p[1][0] - p[0][0]).hypot(p[1][1] - p[0][1])).sum::<f64>();
    let (mut low, mut high) = (0.0, height);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if around(&ring(middle)) > std::f64::consts::TAU { low = middle } else { high = middle }
    }
    let area: f64 = ring(low).windows(2).map(|p| 0.5 * (p[0][0] * p[1][1] - p[0][1] * p[1][0])).sum();
    (std::f64::consts::PI - area) / std::f64::consts::TAU
}

#[test]
fn a_wall_that_swings_wide_breathes_at_twice_its_pitch_as_it_keeps_its_circumference() {
    // Thin, so that its waves in the air are long beside it: what breathes is a small source, rho/(4 pi r) of the volume's acceleration.
    let (radius, height, thickness, distance, rate_hz) = (0.035, 0.05, 3e-4, 1.0, 48_000.0);
    let heard = |impulse: f64| {
        let text = format!(
            "[body.glass]\ntype = \"vessel\"\nradius_m = {radius}\nheight_m = {height}\nthickness_m = {thickness}\n[[event]]\nat_s = 0.0\n\
             hit = \"glass.rim\"\nimpulse_n_s = {impulse}\n[[tap]]\nof = \"glass.rim\"\nquantity = \"position\"\n[[tap]]\n\
             of = \"glass.rim\"\nquantity = \"radiated\"\ndistance_m = {distance}\nchannel = 1\n"
        );
        let mut out = vec![0.0; 2 * 24_000];
        build(&text, rate_hz).render(&[], &mut Queue::new(), &mut out);
        let channel = |c: usize| out.chunks(2).skip(2_400).map(|frame| f64::from(frame[c])).collect::<Vec<f64>>();
        let (lip, sound) = (channel(0), channel(1));
        let squares: Vec<f64> = lip.iter().map(|x| x * x).collect();
        let geometry =
            Geometry { bottom_m: radius, height_m: height, thickness_m: thickness, radius_m: radius, ..glass() };
        let level = |x: &[f64], hz: f64| {
            let w = std::f64::consts::TAU * hz / rate_hz;
            let (mut re, mut im) = (0.0, 0.0);
            for (i, x) in x.iter().enumerate() {
                let window = 0.5 - 0.5 * (std::f64::consts::TAU * i as f64 / 21_600.0).cos();
                re += window * x * (w * i as f64).cos();
                im += window * x * (w * i as f64).sin();
            }
            re.hypot(im)
        };
        let hz = geometry.wall_hz(2);
        let share = lost_radius(2.0, 1e-3) / (1e-6 * radius); // of the square of the height
        // The square of an upright's first bending is a quarter in the mean.
        let source = 1.204 / (4.0 * std::f64::consts::PI * distance) * std::f64::consts::TAU * radius * 0.25 * height;
        let wanted = source * share * (2.0 * std::f64::consts::TAU * hz).powi(2) * level(&squares, 2.0 * hz);
        (level(&sound, 2.0 * hz), wanted, level(&sound, hz))
    };
    assert!((lost_radius(3.0, 1e-3) / (8e-6 / 4.0) - 1.0).abs() < 1e-2, "{}", lost_radius(3.0, 1e-3));
    let (soft, hard) = (heard(1e-4), heard(4e-4));
    for (octave, wanted, _) in [soft, hard] {
        assert!((20.0 * (octave / wanted).log10()).abs() < 1.0, "{octave} {wanted}");
    }
    assert!(
        (hard.2 / soft.2 / 4.0 - 1.0).abs() < 0.01 && (hard.0 / soft.0 / 16.0 - 1.0).abs() < 0.05,
        "{soft:?} {hard:?}"
    );
}
