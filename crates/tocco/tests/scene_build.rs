// SPDX-License-Identifier: MIT OR Apache-2.0
//! Strings, friction, surfaces and fractal noise: from a scene's text to something that runs.
#![cfg(feature = "text")]
#![allow(clippy::unwrap_used, clippy::expect_used)] // the helpers of these tests, too

use tocco::engine::{Command, Engine, Queue, Timed};
use tocco::interactor::friction::FrictionParams;
use tocco::math::Real;
use tocco::param::Params;
use tocco::scene::def::ContactForm;
use tocco::scene::{Scene, SceneDef};

/// A bowed string, pressed by a ball that a rough surface shakes.
const BOWED: &str = r#"duration_s = 0.1
[body.bow]
type = "guided"
velocity_m_s = 0.1
[body.hand]
type = "guided"
velocity_m_s = 0.2
[body.ball]
type = "mass"
[body.floor]
type = "wall"
position_m = 0.1
[body.string]
type = "string"
freq_hz = 196.0
[body.string.port]
bow_point = 0.1267
middle = 0.5
[contact.press]
type = "impact"
between = ["ball", "floor"]
texture = { height_m = 1e-6, travel_from = "hand" }
[contact.rub]
type = "friction"
between = ["bow", "string.bow_point"]
texture = { beta = 1.25 }
[contact.pinch]
type = "friction"
between = ["bow", "string.middle"]
normal_from = "press"
[[tap]]
of = "string.middle"
"#;

fn build_at(text: &str, rate_hz: Real) -> Result<Scene, String> {
    let def = SceneDef::from_text(text).map_err(|error| error.to_string())?;
    Scene::build(&def, rate_hz).map_err(|error| error.to_string())
}

fn build(text: &str) -> Result<Scene, String> {
    build_at(text, 48_000.0)
}

fn play(scene: Scene, frames: usize) -> Vec<f32> {
    let mut out = vec![0.0; frames * scene.channels()];
    let health = Engine::new(scene).render(&[], &mut Queue::new(), &mut out);
    assert_eq!((health.reset, health.refused), (0, 0));
    assert!(out.iter().all(|x| x.is_finite()));
    out
}

#[test]
fn a_scene_of_strings_friction_and_surfaces_runs() {
    let scene = build(BOWED).unwrap();
    let paths: Vec<String> = scene.paths().into_iter().map(|(path, ..)| path).collect();
    for path in [
        "string/freq_hz",
        "string.bow_point/force_n",
        "rub/normal_force_n",
        "rub/beta",
        "press/beta",
        "pinch/mu_static",
    ] {
        assert!(paths.iter().any(|known| known == path), "{path} is not among {paths:?}");
    }
    // What a contact presses with is not to be set beside it.
    assert!(!paths.iter().any(|known| known == "pinch/normal_force_n"));
    play(scene, 4_800);
}

#[test]
fn a_string_that_is_hit_sounds_at_its_port() {
    let text = "body.s = { type = \"string\", freq_hz = 441.0 }\nevent = [{ at_s = 0, hit = \"s\", impulse_n_s = 0.01 }]\ntap = [{ of = \"s\" }]";
    let out = play(build_at(text, 44_100.0).unwrap(), 44_100);
    // The wave returns every period of 100 samples.
    let product = |lag: usize| out.iter().zip(&out[lag..]).map(|(a, b)| f64::from(a * b)).sum::<f64>();
    assert!(product(0) > 0.0 && product(100) > 0.9 * product(0), "{} of {}", product(100), product(0));
    assert!(product(50) < 0.2 * product(0));
}

#[test]
fn ports_that_almost_sit_on_the_ends_of_a_string_do_no_harm() {
    let text = "[body.s]\ntype = \"string\"\n[body.s.port]\na = 1e-300\nb = 0.9999999999999999\n[body.m]\ntype = \"mass\"\nvelocity_m_s = 1.0\n[contact.c]\ntype = \"impact\"\nbetween = [\"m\", \"s.a\"]\n[[tap]]\nof = \"s.b\"\n[[event]]\nat_s = 0.01\nhit = \"s.b\"\nimpulse_n_s = 1.0";
    play(build(text).unwrap(), 4_800);
}

#[test]
fn a_string_too_high_for_the_rate_is_refused_in_its_own_rate_and_named_in_a_lower_one() {
    let text = "rate_hz = 8000\n[body.s]\ntype = \"string\"\nfreq_hz = 3201";
    let said = "line 4: body.s.freq_hz: 3201 Hz is above 0.4 of the rate (3200 Hz); lower it or raise rate_hz";
    assert_eq!(build_at(text, 8_000.0).err().unwrap(), said);
    let scene = build_at(&text.replace("8000", "48000"), 8_000.0).unwrap();
    assert_eq!(scene.omitted(), ["s: its pitch (3201 Hz; it plays at 3200 Hz)"]);
    assert!(build_at(&text.replace("3201", "3200"), 8_000.0).unwrap().omitted().is_empty());
}

#[test]
fn parts_that_do_not_fit_are_refused_in_one_line_that_names_them() {
    for (from, to, said) in [
        ("\"press\"", "\"pres\"", "line 30: contact.pinch.normal_from: no contact 'pres'; did you mean 'press'?"),
        (
            "\"press\"",
            "\"pinch\"",
            "line 30: contact.pinch.normal_from: 'pinch' is this contact itself; name an impact contact",
        ),
        (
            "\"press\"",
            "\"rub\"",
            "line 30: contact.pinch.normal_from: 'rub' is a friction contact; name an impact contact",
        ),
        ("\"hand\"", "\"hant\"", "line 22: contact.press.texture.travel_from: no body 'hant'; did you mean 'hand'?"),
        (
            "\"hand\"",
            "\"floor\"",
            "line 22: contact.press.texture.travel_from: 'floor' does not travel; name a guided body or a mass",
        ),
        (
            "\"bow\", \"string.bow_point\"",
            "\"bow\", \"hand\"",
            "line 25: contact.rub.between: neither partner can yield (wall or guided); one must be a mass or a vibrating body",
        ),
        (
            "\"string.bow_point\"",
            "\"string\"",
            "line 25: contact.rub.between: 'string' has several ports; write one of 'string.bow_point', 'string.middle'",
        ),
        (
            "texture = { height_m",
            "exact_wall = true\ntexture = { height_m",
            "line 22: contact.press.exact_wall: holds for smooth surfaces, and this contact has a texture; set it to false",
        ),
    ] {
        assert!(BOWED.contains(from), "{from}");
        assert_eq!(build(&BOWED.replacen(from, to, 1)).err().as_deref(), Some(said), "{to}");
    }
}

#[test]
fn fractal_noise_drives_with_its_own_colour_and_size_at_any_rate_of_asking() {
    // A body of one free kilogram, tapped in acceleration, hears the force itself.
    let scene = |noise: &str| {
        let text = format!(
            "body.m = {{ type = \"mass\", mass_kg = 1.0 }}\ndrive = [{{ path = \"m/force_n\", noise = {noise} }}]\n\
             tap = [{{ of = \"m\", quantity = \"acceleration\" }}]"
        );
        let out = play(build(&text).unwrap(), 96_000);
        out[1..].iter().map(|x| f64::from(*x)).collect::<Vec<_>>()
    };
    let power = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64;
    let change = |x: &[f64]| power(&x.windows(2).map(|w| w[1] - w[0]).collect::<Vec<_>>());
    let [white, pink, brown] =
        ["{ rms = 2 }", "{ rms = 2, beta = 1, first_hz = 20 }", "{ rms = 2, beta = 2, first_hz = 20 }"].map(scene);
    for noise in [&white, &pink, &brown] {
        assert!((power(noise).sqrt() - 2.0).abs() < 0.4, "{}", power(noise).sqrt());
    }
    // Differences of neighbours: 2 of white noise, less the redder it is; Brownian: 2 pi f_1 of the rate, twice.
    let [a, b, c] = [&white, &pink, &brown].map(|x| change(x) / power(x));
    assert!((a - 2.0).abs() < 0.05 && b < 0.8 * a && c < 0.05 * b, "{a} {b} {c}");
}

#[test]
fn a_first_frequency_that_the_rate_of_asking_cannot_hold_is_refused() {
    let text = "body.s.type = \"string\"\n[[drive]]\npath = \"s/freq_hz\"\nnoise = { rms = 1, mean = 200, beta = 1, first_hz = 20 }";
    let said = "line 4: drive[0].noise.first_hz: 20 Hz is out of range; s/freq_hz takes 0.00015 to 15 Hz";
    assert_eq!(build(text).err().as_deref(), Some(said));
    assert!(build(&text.replace("= 20 }", "= 10 }")).is_ok());
    assert!(build(&text.replace("s/freq_hz", "s/force_n")).is_ok());
}

#[test]
fn a_live_exponent_of_a_surface_is_a_parameter_like_any_other() {
    let scene = build(BOWED).unwrap();
    let address = scene.directory().address("rub/beta").unwrap();
    let mut engine = Engine::new(scene);
    let mut out = vec![0.0; 4_800];
    let commands = [Timed { at: 0, command: Command::Set(address, 7.0) }];
    let health = engine.render(&[], &mut Queue::from(commands), &mut out);
    assert_eq!(health.clamped, 1);
    let paths = engine.scene().paths();
    assert_eq!(paths.iter().find(|(path, ..)| path == "rub/beta").map(|(.., value)| *value), Some(2.0));
}

#[test]
fn surfaces_and_noises_repeat_with_the_seed_and_differ_without() {
    let noisy = "body.m.type = \"mass\"\ndrive = [{ path = \"m/force_n\", noise = { rms = 1, beta = 1.5 } }]\ntap = [{ of = \"m\" }]";
    let first = play(build(noisy).unwrap(), 1000);
    assert_eq!(first, play(build(noisy).unwrap(), 1000));
    assert_ne!(first, play(build(&format!("seed = 2\n{noisy}")).unwrap(), 1000));
}

#[test]
fn a_normal_force_that_rises_from_zero_grips_at_any_block_size_live_or_driven() {
    let text = "body.bow = { type = \"guided\", velocity_m_s = 0.2 }\nbody.m = { type = \"mass\", mass_kg = 0.1 }\n\
        contact.rub = { type = \"friction\", between = [\"bow\", \"m\"], normal_force_n = 0.0 }\ntap = [{ of = \"m\" }]\n";
    let driven = format!("{text}drive = [{{ path = \"rub/normal_force_n\", points = [[0.01, 0.0], [0.02, 1.0]] }}]");
    let run = |text: &str, live: bool, block: usize| {
        let scene = build(text).unwrap();
        let address = scene.directory().address("rub/normal_force_n").unwrap();
        let mut engine = Engine::new(scene);
        let mut out = vec![0.0; 9_600];
        let mut queue = Queue::new();
        if live {
            queue.push(0, Command::Set(address, 1.0));
        }
        for block in out.chunks_mut(block) {
            engine.render(&[], &mut queue, block);
        }
        out
    };
    for (text, live) in [(text, true), (&*driven, false)] {
        let whole = run(text, live, 9_600);
        assert_eq!(whole, run(text, live, 7));
        // 0.3 to 0.8 N take 0.1 kg along within a few hundredths of a second; it swings on its bristles about 0.2 m/s.
        let mean = whole[4_800..].iter().sum::<f32>() / 4_800.0;
        assert!((mean - 0.2).abs() < 0.01, "{mean}");
    }
    assert!(run(text, false, 9_600).iter().all(|x| *x == 0.0));
}

#[test]
fn a_profile_shakes_what_rides_on_it_the_same_at_any_block_size() {
    let text = "body.hand = { type = \"KIND\", velocity_m_s = 0.3 }\nbody.floor.type = \"wall\"\n\
        body.ball = { type = \"mass\", mass_kg = 0.01, gravity_m_s2 = 9.81 }\ntap = [{ of = \"ball\" }]\n\
        [contact.roll]\ntype = \"impact\"\nbetween = [\"ball\", \"floor\"]\n\
        texture = { height_m = 1e-6, travel_from = \"hand\" }\n";
    let run = |kind: &str, block: usize| {
        let mut engine = Engine::new(build(&text.replace("KIND", kind)).unwrap());
        let mut out = vec![0.0; 4_800];
        for block in out.chunks_mut(block) {
            engine.render(&[], &mut Queue::new(), block);
        }
        out
    };
    let whole = run("guided", 4_800);
    assert!(whole[2_400..].iter().any(|x| x.abs() > 1e-4));
    assert_eq!(whole, run("guided", 7));
    let thrown = run("mass", 4_800);
    assert!(thrown[2_400..].iter().any(|x| x.abs() > 1e-4));
    assert_eq!(thrown, run("mass", 7));
}

#[test]
fn a_friction_law_made_in_code_is_refused_for_the_reasons_a_written_one_is() {
    let text = "[body.bow]\ntype = \"guided\"\n[body.ball]\ntype = \"mass\"\n\
                [contact.rub]\ntype = \"friction\"\nbetween = [\"bow\", \"ball\"]\n";
    let def = SceneDef::from_text(text).unwrap();
    for (id, value, said) in [
        ("normal_force_n", -1.0, "contact.rub.normal_force_n: -1 N is out of range; wants a number from 0 N to 1e6 N"),
        ("mu_static", 0.1, "contact.rub.mu_static: 0.1 is below mu_dynamic = 0.3; raise it to at least that"),
        (
            "stribeck_m_s",
            0.0,
            "contact.rub.stribeck_m_s: 0 m/s is out of range; wants a number from 1e-6 m/s to 1000 m/s",
        ),
        ("breakaway_01", 1.0, "contact.rub.breakaway_01: 1 is out of range; wants a number from 0 to 0.999"),
    ] {
        let mut wrong = def.clone();
        wrong.lines.clear();
        let ContactForm::Friction(friction) = &mut wrong.contacts[0].form else { panic!("a friction contact") };
        let index = FrictionParams::SPECS.iter().position(|spec| spec.id == id).unwrap();
        friction.params.put(index, value);
        assert_eq!(Scene::build(&wrong, 48_000.0).err().unwrap().to_string(), said);
    }
}

#[test]
fn a_control_with_a_list_of_paths_moves_all_of_them_at_once_later_and_by_a_drive() {
    let scene = |path: &str, drive: &str| {
        let text = format!(
            "[body.one]\ntype = \"mass\"\n[body.two]\ntype = \"mass\"\nposition_m = -1.0\n[body.wall]\ntype = \"wall\"\n\
             [contact.first]\ntype = \"impact\"\nbetween = [\"one\", \"wall\"]\n\
             [contact.second]\ntype = \"impact\"\nbetween = [\"two\", \"wall\"]\n\
             [[control]]\nname = \"hard\"\npath = {path}\nrange = [1e6, 1e8]\nscale = \"log\"\n{drive}\
             [[tap]]\nof = \"one\"\n"
        );
        SceneDef::from_text(&text).and_then(|def| {
            assert_eq!(SceneDef::from_text(&def.to_toml()).unwrap().controls, def.controls);
            Scene::build(&def, 48_000.0)
        })
    };
    let both = "[\"first/stiffness\", \"second/stiffness\"]";
    let values = |scene: &Scene| -> Vec<Real> {
        scene.paths().iter().filter(|(path, ..)| path.ends_with("/stiffness")).map(|(.., value)| *value).collect()
    };
    let near = |got: &[Real], want: Real| got.len() == 2 && got.iter().all(|k| (k / want - 1.0).abs() < 1e-9);

    let mut preset = scene(both, "").unwrap();
    let hard = preset.directory().address("hard").unwrap();
    preset.preset(hard, 0.5).unwrap();
    assert!(near(&values(&preset), 1e7));
    assert_eq!(preset.directory().moved_by("hard"), ["first/stiffness", "second/stiffness"]);
    let mut engine = Engine::new(preset);
    let turn = [Timed { at: 10, command: Command::Set(hard, 1.0) }];
    engine.render(&[], &mut Queue::from(turn), &mut [0.0; 9_600]);
    assert!(near(&values(engine.scene()), 1e8));

    let drive = "[[drive]]\npath = \"hard\"\npoints = [[0.0, 0.0], [0.1, 1.0]]\n";
    let mut engine = Engine::new(scene(both, drive).unwrap());
    assert!(near(&values(engine.scene()), 1e6));
    engine.render(&[], &mut Queue::new(), &mut [0.0; 9_600]);
    assert!(near(&values(engine.scene()), 1e8));

    for (path, said) in [
        ("[]", "has 0 names; give 1 to"),
        ("[\"first/stiffness\", 3]", "wants a path in quotes, or a list of them"),
        ("[\"first/stiffness\", \"first/stiffness\"]", "names first/stiffness twice; keep one"),
        ("[\"first/stiffness\", \"second/stifness\"]", "second/stiffness"),
    ] {
        let error = scene(path, "").err().unwrap().to_string();
        assert!(error.contains(said) && error.lines().count() == 1, "{error}");
    }
}

const STRUCK: &str = r#"duration_s = 0.1
[body.bar]
type = "modal"
modes = [{ freq_hz = 900.0, decay_s = 0.2, mass_kg = 0.05 }, { freq_hz = 300.0, mass_kg = 0.07 }]
freq_scale = 2.0
decay_scale = 0.5
[[event]]
at_s = 0.0
hit = "bar"
impulse_n_s = 0.01
[[tap]]
of = "bar"
"#;

#[test]
fn a_value_written_at_a_place_reads_as_if_the_file_had_said_so() {
    use tocco::scene::tree::Patch;
    let with = |place: &str, value: Patch| SceneDef::from_text_with(STRUCK, &[(place.to_owned(), value)]);
    let written = |from: &str, to: &str| SceneDef::from_text(&STRUCK.replacen(from, to, 1)).unwrap();
    for (place, value, from, to) in [
        ("body.bar.modes[1].freq_hz", Patch::Number(310.5), "300.0", "310.5"),
        ("event[0].impulse_n_s", Patch::Number(0.25), "0.01", "0.25"),
        ("duration_s", Patch::Text("auto".into()), "0.1", "\"auto\""),
        ("tap[0].channel", Patch::Number(1.0), "of = \"bar\"", "of = \"bar\"\nchannel = 1"),
    ] {
        let (mut patched, mut file) = (with(place, value).unwrap(), written(from, to));
        (patched.lines, file.lines) = Default::default();
        assert_eq!(patched, file, "{place}");
    }
    for (place, words) in [
        ("body.bra.modes[0].freq_hz", "line 2: body: has no 'bra'; did you mean 'bar'?"),
        ("body.bar.modes[2].freq_hz", "line 4: body.bar.modes: has 2 entries, counted from 0; there is no [2]"),
        ("body.bar.modes[0].frq_hz", "line 4: body.bar.modes[0].frq_hz: unknown key; did you mean 'freq_hz'?"),
        ("body.bar[0]", "body.bar: is no list"),
        ("duration_s.x", "duration_s: is no table"),
        ("", "found"),
    ] {
        let error = with(place, Patch::Number(1.0)).unwrap_err().to_string();
        assert!(error.contains(words), "{place}: {error}");
    }
}

#[test]
fn a_built_scene_tells_its_modes_as_tuned_in_the_order_given() {
    let scene = Scene::build(&SceneDef::from_text(STRUCK).unwrap(), 48_000.0).unwrap();
    let modes = scene.modes();
    assert_eq!((modes.len(), modes[0].0.as_str(), modes[0].1.len()), (1, "bar", 2));
    let [high, low] = modes[0].1[..] else { panic!() };
    assert!((low.freq_hz - 600.0).abs() < 1e-9 && low.decay_s.is_infinite() && low.mass_kg == 0.07);
    assert!((high.freq_hz - 1800.0).abs() < 1e-9 && (high.decay_s - 0.1).abs() < 1e-15 && high.mass_kg == 0.05);
}
