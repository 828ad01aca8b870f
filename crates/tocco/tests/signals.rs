// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals: what is heard of them, and what they move.

use tocco::scene::Recording;
use tocco::{Document, Engine, Gesture, Queue, Scene, SceneDef};

fn engine(text: &str, rate_hz: f64) -> Engine {
    Engine::new(Scene::build(&SceneDef::from_text(text).unwrap(), rate_hz).unwrap())
}

fn refused(text: &str) -> String {
    match SceneDef::from_text(text) {
        Ok(def) => Scene::build(&def, 48_000.0).err().expect("is refused").to_string(),
        Err(error) => error.to_string(),
    }
}

/// A signal's value at the beginning of every millisecond of a second.
fn values(engine: &mut Engine, name: &str, inputs: &[f32]) -> Vec<f64> {
    let probe = engine.scene().directory().probe(&format!("{name}.value")).unwrap();
    let (rate_hz, channels) = (engine.scene().rate_hz(), engine.scene().channels());
    let mut found = Vec::new();
    let mut at = 0;
    for k in 0..1000 {
        // Up to and with the first sample that is not before k ms.
        let end = (f64::from(k) * rate_hz / 1000.0).ceil() as usize + 1;
        let mut out = vec![0.0; (end - at) * channels];
        let heard = &inputs[at.min(inputs.len())..end.min(inputs.len())];
        engine.render(if inputs.is_empty() { &[] } else { std::slice::from_ref(&heard) }, &mut Queue::new(), &mut out);
        at = end;
        found.push(engine.probe(probe));
    }
    found
}

#[test]
fn points_are_read_on_the_grid_and_repeat() {
    let text = "[signal.s]\ntype = 'points'\npoints = [[0.0, 0.0], [0.1, 1.0], [0.15, 0.0]]\nloop_s = 0.2\n\
                [body.a]\ntype = 'mass'\n[[tap]]\nof = 'a'";
    for rate_hz in [44_100.0, 48_000.0, 192_000.0] {
        let found = values(&mut engine(text, rate_hz), "s", &[]);
        for (k, value) in
            [(0, 0.0), (50, 0.5), (100, 1.0), (125, 0.5), (150, 0.0), (199, 0.0), (250, 0.5), (300, 1.0), (925, 0.5)]
        {
            assert!((found[k] - value).abs() < 1e-9, "{rate_hz} Hz, {k} ms: {} instead of {value}", found[k]);
        }
    }
}

#[test]
fn every_operator_does_what_the_page_says() {
    let ramp = "type = 'points'\npoints = [[0.0, 0.0], [1.0, 1.0]]";
    for (operator, k, wanted, within) in [
        ("gain = 3.0\noffset = -1.0", 500, 0.5, 1e-12),
        ("curve = [[0.0, 5.0], [0.4, 7.0], [0.6, 3.0]]", 500, 5.0, 1e-9),
        ("curve = [[0.0, 5.0], [0.4, 7.0], [0.6, 3.0]]", 900, 3.0, 0.0),
        ("rate = true", 500, 1.0, 1e-9),
        // A ramp through one pole lags by its time constant.
        ("smooth_s = 0.05", 900, 0.85, 1e-3),
        ("above = 0.7", 699, 0.0, 0.0),
        ("above = 0.7", 702, 1.0, 0.0),
        // A way of 1 m a second on a wheel of 10 cm: e v^2/r cos(x/r).
        ("radius_m = 0.1\neccentricity = 0.02", 250, 0.2 * 2.5_f64.cos(), 1e-3),
    ] {
        let text = format!("[signal.s]\n{ramp}\n{operator}\n[body.a]\ntype = 'mass'\n[[tap]]\nof = 'a'");
        let found = values(&mut engine(&text, 48_000.0), "s", &[])[k];
        assert!((found - wanted).abs() <= within, "{operator}: {found} at {k} ms instead of {wanted}");
    }
}

#[test]
fn a_threshold_holds_until_the_signal_falls_below_the_lower_one() {
    let text = "[signal.s]\ntype = 'points'\npoints = [[0.0, 0.0], [0.5, 1.0], [1.0, 0.0]]\nabove = 0.8\nbelow = 0.2\n\
                [body.a]\ntype = 'mass'\n[[tap]]\nof = 'a'";
    let found = values(&mut engine(text, 48_000.0), "s", &[]);
    assert_eq!([390, 410, 600, 890, 910].map(|k| found[k]), [0.0, 1.0, 1.0, 1.0, 0.0]);
}

#[test]
fn a_signal_reads_the_scene_and_another_signal_reads_it() {
    let text = "[body.way]\ntype = 'guided'\nvelocity_m_s = 2.0\n[signal.x]\ntype = 'probe'\nof = 'way.position'\n\
                [signal.v]\ntype = 'probe'\nof = 'x'\nrate = true\n[[tap]]\nof = 'way'";
    let mut engine = engine(text, 48_000.0);
    let found = values(&mut engine, "v", &[]);
    assert!((found[500] - 2.0).abs() < 1e-6, "{}", found[500]);
    let x = engine.scene().directory().probe("x.value").unwrap();
    // What is heard as it comes is a millisecond late.
    assert!((engine.probe(x) - 2.0 * 0.998).abs() < 1e-4, "{}", engine.probe(x));
}

#[test]
fn a_drive_follows_a_signal_and_a_command_takes_over() {
    let text = "[body.bow]\ntype = 'guided'\n[signal.s]\ntype = 'points'\npoints = [[0.0, 0.0], [1.0, 1.0]]\n\
                [[drive]]\npath = 'bow/velocity_m_s'\nfrom = 's'\n[[tap]]\nof = 'bow'";
    let mut engine = engine(text, 48_000.0);
    let mut out = vec![0.0; 48_000];
    let mut queue = Queue::new();
    let set = Gesture::Set { path: "bow/velocity_m_s".into(), value: -0.5 };
    queue.push(24_000, set.resolve(engine.scene().directory()).unwrap().command);
    engine.render(&[], &mut queue, &mut out);
    for n in [4_801, 12_001, 23_900] {
        let wanted = n as f32 / 48_000.0;
        assert!((out[n] - wanted).abs() < 1e-4, "sample {n}: {} instead of {wanted}", out[n]);
    }
    assert_eq!(out[40_000], -0.5);
}

#[test]
fn a_ball_that_is_not_round_wavers_once_a_turn_at_whatever_speed_it_is_rolled_live() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/rolling.toml")).unwrap();
    assert!(!text.contains("path = \"ball/force_n\"\npoints"), "no typed points");
    let radius = 0.025;
    for speed in [0.2, 0.6, 1.5] {
        let mut engine = engine(&text, 48_000.0);
        let mut queue = Queue::new();
        let set = Gesture::Set { path: "way/velocity_m_s".into(), value: speed };
        queue.push(0, set.resolve(engine.scene().directory()).unwrap().command);
        let probe = engine.scene().directory().probe("turn.value").unwrap();
        let (mut signs, mut most, mut last) = (0, 0.0_f64, 0.0_f64);
        for k in 0..4000 {
            engine.render(&[], &mut queue, &mut [0.0; 96]);
            let now = engine.probe(probe);
            if k < 500 {
                continue; // the hand comes up to speed
            }
            signs += usize::from(now * last < 0.0);
            (most, last) = (most.max(now), now);
        }
        // Two changes of sign a turn; the force is m e v^2/r at most.
        let turns = 3.5 * speed / (std::f64::consts::TAU * radius);
        assert!((signs as f64 - 2.0 * turns).abs() <= 2.0, "{speed} m/s: {signs} changes in {turns} turns");
        let wanted = 0.035 * 0.1 * speed * speed / radius;
        assert!((most / wanted - 1.0).abs() < 0.05, "{speed} m/s: {most} N instead of {wanted} N");
    }
}

#[test]
fn an_inlet_is_set_live_within_its_range_and_has_a_unit() {
    let text =
        "[signal.press]\ntype = 'input'\nunit = 'BW'\nmin = 0.0\nmax = 3.0\n[body.a]\ntype = 'mass'\n[[tap]]\nof = 'a'";
    let mut engine = engine(text, 48_000.0);
    let (path, spec) = engine.scene().directory().inlets().next().unwrap();
    assert_eq!((path.as_str(), spec.unit, spec.max), ("press/value", "BW", 3.0));
    let set = |value| Gesture::Set { path: "press/value".into(), value };
    let resolved = set(5.0).resolve::<Scene>(engine.scene().directory()).unwrap();
    assert!(resolved.clamped);
    let mut queue = Queue::new();
    queue.push(100, set(2.0).resolve(engine.scene().directory()).unwrap().command);
    let probe = engine.scene().directory().probe("press.value").unwrap();
    // Set 2.08 ms after the start: read at 3 ms, reached at 4 ms.
    let mut out = [0.0; 196];
    engine.render(&[], &mut queue, &mut out);
    assert_eq!(engine.probe(probe), 2.0);
}

#[test]
fn an_envelope_follows_sound_that_comes_in_and_not_a_number_is_silence() {
    let text =
        "[signal.s]\ntype = 'follow'\ninput = 0\nfloor = 0.1\nmost = 0.5\n[body.a]\ntype = 'mass'\n[[tap]]\nof = 'a'";
    let mut sound = vec![0.25_f32; 48_000];
    sound[24_000..].fill(f32::NAN);
    let found = values(&mut engine(text, 48_000.0), "s", &sound);
    assert!((found[400] - 0.5).abs() < 1e-9 && found[900] == 0.0, "{} {}", found[400], found[900]);
    let nothing = values(&mut engine(text, 48_000.0), "s", &[]);
    assert!(nothing.iter().all(|value| *value == 0.0), "nobody plugged anything in");
}

#[test]
fn a_live_sound_is_measured_by_the_recording_that_calibrates_it() {
    let text =
        "[signal.s]\ntype = 'follow'\ninput = 0\ncalibrate = 'walk.wav'\n[body.a]\ntype = 'mass'\n[[tap]]\nof = 'a'";
    let walk = |_: &str| Ok(Recording { rate_hz: 44_100.0, data: vec![0.4; 44_100].into() });
    let document = Document::read("walk", "walk.toml", text.into(), walk).unwrap();
    for rate_hz in [44_100.0, 96_000.0] {
        let mut engine = Engine::new(Scene::build(&document.def, rate_hz).unwrap());
        let half = rate_hz as usize / 2;
        // Half as loud as the recording; then 52 dB below it, which is under the floor.
        let mut sound = vec![0.2_f32; 2 * half];
        sound[half..].fill(0.001);
        let found = values(&mut engine, "s", &sound);
        assert!((found[400] - 0.5).abs() < 1e-6 && found[900] == 0.0, "{} {}", found[400], found[900]);
    }
}

#[test]
fn what_cannot_be_a_signal_is_refused_in_one_line() {
    let rest = "\n[body.a]\ntype = 'mass'\n[[tap]]\nof = 'a'";
    for (text, said) in [
        ("[signal.s]\ntype = 'probe'\nof = 's'", "signal.s.of: reads itself"),
        (
            "[signal.s]\ntype = 'probe'\nof = 't'\n[signal.t]\ntype = 'probe'\nof = 's'",
            "reads itself, at once or through others",
        ),
        ("[signal.s]\ntype = 'probe'\nof = 's.value'", "signal.s.of: reads itself"),
        ("[signal.s]\ntype = 'probe'\nof = 'a.velocty'", "no signal 'a.velocty'; did you mean 'a.velocity'?"),
        ("[signal.s]\ntype = 'follow'", "needs input or recording: whose envelope?"),
        ("[signal.s]\ntype = 'follow'\nrecording = 'x.wav'", "nobody has loaded this recording"),
        ("[signal.s]\ntype = 'input'\nmin = 1.0\nmax = 0.0", "0 is not above min = 1"),
        ("[signal.s]\ntype = 'input'\nunit = 'furlong'", "furlong"),
        (
            "[signal.s]\ntype = 'points'\npoints = [[1.0, 0.0], [0.5, 1.0]]",
            "0.5 s does not come after 1 s; times must increase",
        ),
        ("[signal.s]\ntype = 'noise'\nrms = 1.0\nlast_hz = 800.0", "wants a number from 0.01 Hz to 500 Hz"),
        ("[signal.s]\ntype = 'wave'", "known: points, noise, probe, follow, input"),
        (
            "[[drive]]\npath = 'a/force_n'\nfrom = 'pres'\n[signal.press]\ntype = 'input'",
            "no signal 'pres'; did you mean 'press'?",
        ),
    ] {
        let error = refused(&format!("{text}{rest}"));
        assert!(error.contains(said) && !error.contains('\n'), "{text}\n{error}");
    }
}

#[test]
fn a_curve_that_repeats_is_the_same_in_every_turn_of_a_wheel() {
    // A wheel of 1.2 m round that goes at 6 m/s, five turns a second; then backwards.
    for speed in [6.0, -6.0] {
        let text = format!(
            "[signal.s]\ntype = 'probe'\nof = 'rim.position'\ncurve = [[0.1, 1.0], [0.4, 3.0], [0.7, 0.5]]\ncurve_every = 1.2\n\
             [body.rim]\ntype = 'guided'\nvelocity_m_s = {speed:?}\n[body.a]\ntype = 'mass'\n[[tap]]\nof = 'a'"
        );
        let found = values(&mut engine(&text, 48_000.0), "s", &[]);
        let curve = |x: f64| match (x - 0.1).rem_euclid(1.2) + 0.1 {
            x if x < 0.4 => 1.0 + 2.0 * (x - 0.1) / 0.3,
            x if x < 0.7 => 3.0 - 2.5 * (x - 0.4) / 0.3,
            x => 0.5 + 0.5 * (x - 0.7) / 0.6,
        };
        for (k, value) in found.iter().enumerate().skip(3) {
            // Heard 1 ms late, within one more: 6 mm of the way either way, on slopes of up to 8 per metre.
            let way = speed * (k as f64 - 1.0) / 1000.0;
            assert!((value - curve(way)).abs() < 0.06, "{k}: {value} {}", curve(way));
        }
        let turns: Vec<_> = found[200..400].iter().zip(&found[400..600]).map(|(a, b)| (a - b).abs()).collect();
        assert!(turns.iter().all(|off| *off < 1e-9), "every turn is alike");
    }
    let rest = "\n[body.a]\ntype = 'mass'\n[[tap]]\nof = 'a'";
    for (keys, said) in [
        ("curve_every = 1.0", "repeats a curve"),
        ("curve = [[0.0, 1.0], [1.2, 1.0]]\ncurve_every = 1.2", "no more than the curve is long"),
        ("curve = [[0.0, 1.0]]\ncurve_every = 0.0", "out of range"),
    ] {
        let error = refused(&format!("[signal.s]\ntype = 'probe'\nof = 'a.position'\n{keys}{rest}"));
        assert!(error.contains(said), "{keys}: {error}");
    }
}

#[test]
fn a_brake_is_pressed_by_the_turn_of_its_wheel_as_well_as_by_time() {
    let text = "[body.rim]\ntype = 'guided'\nvelocity_m_s = 6.0\n[body.pad]\ntype = 'modal'\nmodes = [{ freq_hz = 900.0, decay_s = 0.01, mass_kg = 0.5 }]\n\
         [signal.turn]\ntype = 'probe'\nof = 'rim.position'\ncurve = [[0.0, 1.4], [0.6, 0.6]]\ncurve_every = 1.2\n\
         [signal.press]\ntype = 'probe'\nof = 'turn'\n[contact.block]\ntype = 'friction'\nbetween = ['rim', 'pad']\nmu_static = 0.3\nmu_dynamic = 0.3\n\
         bristle_stiffness = 1e6\nbristle_damping = 10.0\n[[drive]]\npath = 'press/gain'\npoints = [[0.0, 0.0], [0.5, 100.0]]\n\
         [[drive]]\npath = 'block/normal_force_n'\nfrom = 'press'\n[[tap]]\nof = 'pad'\n";
    let mut engine = engine(text, 48_000.0);
    let force = engine.scene().directory().probe("block.force").unwrap();
    engine.watch(&[force]);
    let (mut out, mut forces) = (vec![0.0; 72_000], vec![0.0; 72_000]);
    engine.render_probed(&[], &mut Queue::new(), &mut out, &mut forces);
    // Fully pressed, five turns a second: between 0.6 and 1.4 of mu N.
    let part = &forces[28_800..];
    let (low, high) = part.iter().fold((f64::MAX, 0.0_f64), |(low, high), f| (low.min(*f), high.max(*f)));
    assert!((low / 18.0 - 1.0).abs() < 0.02 && (high / 42.0 - 1.0).abs() < 0.02, "{low} {high}");
    let off = part.iter().zip(&part[9_600..]).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
    assert!(off < 0.01 * high, "{off}: every turn is alike");
    assert!(forces[..4_800].iter().all(|f| *f < 0.2 * high), "pressed by time, too");
}

#[test]
fn a_wheel_that_is_rough_on_one_side_is_so_at_every_turn() {
    let text = "seed = 1\n[body.rim]\ntype = 'guided'\nvelocity_m_s = 6.0\n[body.pad]\ntype = 'modal'\n\
         modes = [{ freq_hz = 900.0, decay_s = 0.01, mass_kg = 50.0 }]\n\
         [signal.turn]\ntype = 'probe'\nof = 'rim.position'\ncurve = [[0.0, 0.0], [0.55, 0.0], [0.6, 0.2], [1.15, 0.2]]\ncurve_every = 1.2\n\
         [contact.block]\ntype = 'friction'\nbetween = ['rim', 'pad']\nmu_static = 0.5\nmu_dynamic = 0.5\nbristle_stiffness = 1e6\n\
         bristle_damping = 10.0\nnormal_force_n = 20.0\ntexture = { beta = 0.0, grain_m = 0.002, longest_m = 0.2 }\n\
         [[drive]]\npath = 'block/roughness'\nfrom = 'turn'\n[[tap]]\nof = 'pad'\n";
    let mut engine = engine(text, 48_000.0);
    let force = engine.scene().directory().probe("block.force").unwrap();
    engine.watch(&[force]);
    let (mut out, mut forces) = (vec![0.0; 96_000], vec![0.0; 96_000]);
    engine.render_probed(&[], &mut Queue::new(), &mut out, &mut forces);
    let rms = |part: &[f64]| {
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        (part.iter().map(|f| (f - mean).powi(2)).sum::<f64>() / part.len() as f64).sqrt()
    };
    // A turn takes 9600 samples: smooth for the first 4400, rough from 4800 on to 9200.
    let turns: Vec<[f64; 2]> =
        forces.chunks_exact(9_600).skip(1).map(|turn| [rms(&turn[400..4_300]), rms(&turn[5_000..9_000])]).collect();
    println!("rms over smooth and rough halves, N: {turns:.2?}");
    assert!(turns.len() == 9);
    for [smooth, rough] in turns {
        // Of a force of 20 N a fifth.
        assert!(smooth < 0.05 && (rough / 4.0 - 1.0).abs() < 0.25, "{smooth} {rough}");
    }
}

#[test]
fn a_signal_that_has_long_stood_still_follows_what_is_moved_then() {
    let text = "[signal.press]\ntype = 'input'\nmax = 3.0\n[signal.s]\ntype = 'probe'\nof = 'press'\noffset = 1.0\ncurve = [[0.0, 0.0], [4.0, 8.0]]\n\
                [body.a]\ntype = 'mass'\n[[tap]]\nof = 'a'";
    let mut engine = engine(text, 48_000.0);
    let probe = engine.scene().directory().probe("s.value").unwrap();
    for (path, value, wanted) in
        [("press/value", 0.5, 3.0), ("s/offset", 2.0, 5.0), ("s/gain", 2.0, 6.0), ("press/value", 0.0, 4.0)]
    {
        let mut queue = Queue::new();
        let set = Gesture::Set { path: path.into(), value };
        queue.push(engine.tick(), set.resolve(engine.scene().directory()).unwrap().command);
        engine.render(&[], &mut queue, &mut [0.0; 9600]);
        assert!((engine.probe(probe) - wanted).abs() < 1e-12, "{path}: {} instead of {wanted}", engine.probe(probe));
    }
}

#[test]
fn noise_goes_on_while_nobody_hears_it_and_after_four_seconds_it_waits() {
    let noise = "[signal.s]\ntype = 'noise'\nrms = 1.0\nbeta = 1.0\n[[tap]]\nof = 'b'\n[body.b]\ntype = 'modal'\n\
                 modes = [{ freq_hz = 100.0, decay_s = 0.1, mass_kg = 1.0 }]\n";
    let unheard = |from_s: f64, to_s: f64| {
        format!(
            "{noise}[[drive]]\npath = 's/gain'\npoints = [[0.0, 1.0], [{from_s}, 1.0], [{}, 0.0], [{to_s}, 0.0], [{}, 1.0]]\n",
            from_s + 0.001,
            to_s + 0.001
        )
    };
    let run = |text: &str| {
        let mut engine = engine(text, 48_000.0);
        let probe = engine.scene().directory().probe("s.value").unwrap();
        let mut value = |_| {
            engine.render(&[], &mut Queue::new(), &mut [0.0; 48]);
            engine.probe(probe)
        };
        (0..10_000).map(&mut value).collect::<Vec<f64>>()
    };
    let (plain, paused, long) = (run(noise), run(&unheard(0.3, 3.3)), run(&unheard(0.3, 8.3)));
    assert!(plain[..299] == paused[..299] && plain[3310..] == paused[3310..]);
    assert!(paused[310..3290].iter().all(|x| *x == 0.0) && long[310..8290].iter().all(|x| *x == 0.0));
    // Four seconds of it went by unheard.
    let waited = (3900..4100).find(|waited| (8400..9900).all(|k| long[k] == plain[k - waited]));
    assert!(waited.is_some(), "{:?}", &long[8300..8320]);
}
