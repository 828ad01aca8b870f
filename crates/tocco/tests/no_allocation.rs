// SPDX-License-Identifier: MIT OR Apache-2.0
//! `Engine::render` allocates and frees nothing, whatever happens in it.

mod common;
use common::engine;
use tocco::engine::{Command, Queue, Timed};
use tocco::{Gesture, Scene, SceneDef};
use tocco_testing::allocations::{Counting, assert_awake, count, watched};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn render_neither_allocates_nor_frees_in_contact_in_sleep_under_edits_and_when_scenes_are_swapped() {
    let mut text = String::from("seed = 3\n[body.bar]\ntype = \"modal\"\njitter_01 = 0.2\nmodes = [");
    for i in 1..=40 {
        text += &format!("{{ freq_hz = {}, decay_s = 0.2, mass_kg = 0.05 }}, ", 50.0 * f64::from(i));
    }
    text += "]\nmorph = { modes = [{ freq_hz = 90.0, mass_kg = 0.02 }, { freq_hz = 700.0, mass_kg = 0.03 }] }\n";
    for i in 0..5 {
        text += &format!(
            "[body.m{i}]\ntype = \"mass\"\nmass_kg = 0.01\ngravity_m_s2 = 9.81\nposition_m = -0.00{i}\n\
             [contact.c{i}]\ntype = \"impact\"\nbetween = [\"m{i}\", \"bar\"]\nstiffness = 1e9\ndissipation_s_m = 0.1\n\
             [[event]]\nat_s = 0.{i}1\nstrike = \"m{i}\"\nvelocity_m_s = 1.0\n"
        );
    }
    // One damper more on one mass: its modes are joined.
    text += "[body.net]\ntype = \"network\"\nmass_kg = { a = 0.01, b = 0.02, c = 0.01 }\nfixed = [\"floor\"]\n\
             [[body.net.link]]\nbetween = [\"floor\", \"a\", \"b\", \"c\"]\nstiffness_n_m = 1e5\ndamping_n_s_m = 0.1\n\
             [[body.net.link]]\nbetween = [\"floor\", \"b\"]\ndamping_n_s_m = 0.5\n\
             [contact.drop]\ntype = \"impact\"\nbetween = [\"m0\", \"net.c\"]\nstiffness = 1e8\n";
    // Something to touch anywhere, something that rubs it, a string, something that is heard.
    text += "[body.plate]\ntype = \"shape\"\nshape = \"bar\"\nmaterial = \"steel\"\nlength_m = 0.3\nwidth_m = 0.03\n\
             thickness_m = 0.005\nport = { tip = 0.9 }\n[body.bow]\ntype = \"guided\"\nvelocity_m_s = 0.1\n\
             [contact.rub]\ntype = \"friction\"\nbetween = [\"bow\", \"plate.tip\"]\nnormal_force_n = 0.5\n\
             [body.wire]\ntype = \"string\"\n[[event]]\nat_s = 0.02\nhit = \"wire\"\nimpulse_n_s = 0.001\n\
             [[drive]]\npath = \"wire/force_n\"\ninput = 0\n[[tap]]\nof = \"wire\"\nto = \"other\"\n[output.other]\nchannels = [1]\n\
             room = { volume_m3 = 30.0, t60_s = 0.4 }\ndistance_m = 2.0\n\
             [[control]]\nname = \"press\"\npath = \"rub/normal_force_n\"\nrange = [0, 1]\n";
    // Bodies that bend back, and strokes that differ.
    text += "[body.gong]\ntype = \"shape\"\nshape = \"circular-plate\"\nmaterial = \"bronze\"\nradius_m = 0.2\nthickness_m = 0.001\nmodes = 30\n\
             stiffens = true\njitter_01 = 0.1\n[body.skin]\ntype = \"shape\"\nshape = \"circular-membrane\"\nmaterial = \"mylar\"\nradius_m = 0.2\n\
             thickness_m = 2e-4\nfreq_hz = 90.0\nmodes = 20\nstiffens = true\n[[tap]]\nof = \"skin\"\n\
             [body.stick]\ntype = \"mass\"\nmass_kg = 0.03\nvary_01 = 0.7\nposition_m = -0.01\n\
             [contact.beat]\ntype = \"impact\"\nbetween = [\"stick\", \"skin\"]\nstiffness = 1e7\ndissipation_s_m = 0.1\n\
             [[event]]\nat_s = 0.05\nstrike = \"stick\"\nvelocity_m_s = 5.0\n[[event]]\nat_s = 0.15\nstrike = \"stick\"\nvelocity_m_s = 5.0\n\
             [[drive]]\npath = \"gong/force_n\"\npoints = [[0.0, 10.0]]\ntimes_noise = { sigma = 0.5, beta = 1.0 }\n";
    // Strings of partials and of waves, and a glass, each struck beside its place.
    text += "[body.cord]\ntype = \"string\"\n[body.rope]\ntype = \"string\"\nfreq_hz = 30.0\n[body.glass]\ntype = \"vessel\"\n\
             radius_m = 0.04\nheight_m = 0.1\nthickness_m = 0.002\n";
    for (mallet, on) in [("felt", "cord"), ("wood", "rope"), ("spoon", "glass.rim")] {
        text += &format!(
            "[body.{mallet}]\ntype = \"mass\"\nmass_kg = 0.005\nvary_01 = 0.5\nposition_m = -0.01\n\
             [contact.by-{mallet}]\ntype = \"impact\"\nbetween = [\"{mallet}\", \"{on}\"]\nstiffness = 1e7\n\
             [[event]]\nat_s = 0.06\nstrike = \"{mallet}\"\nvelocity_m_s = 2.0\n"
        );
    }
    text += "[[tap]]\nof = \"bar\"\n[[drive]]\npath = \"bar/force_n\"\nnoise = { rms = 0.1 }\n";
    let build = |text: &str| Scene::build(&SceneDef::from_text(text).unwrap(), 48_000.0).unwrap();
    let mut engine = engine(&text, 48_000.0);
    let scene = engine.scene();
    let touch = Gesture::Touch { site: "plate.tip".into(), place: vec![0.3] };
    let refused = Scene::build(
        &SceneDef::from_text("tap = [{ of = 'a', channel = 3 }]\nbody.a.type = 'mass'").unwrap(),
        48_000.0,
    );
    let refused = refused.unwrap();
    let stream = |count: usize| {
        let gesture = Gesture::Stream { path: "m1/force_n".into(), values: vec![0.5; count] };
        gesture.resolve(scene.directory()).unwrap().command
    };
    let mut commands = Queue::from(vec![
        Timed { at: 100, command: Command::Set(scene.directory().address("bar/freq_scale").unwrap(), 2.0) },
        Timed { at: 200, command: Command::Set(scene.directory().address("net/freq_scale").unwrap(), 1.5) },
        Timed { at: 2_000, command: Command::Set(scene.directory().address("bar/morph_01").unwrap(), 0.7) },
        Timed { at: 2_500, command: Command::Set(scene.directory().address("skin/stiffening").unwrap(), 2.0) },
        Timed { at: 2_600, command: Command::Set(scene.directory().address("gong/freq_scale").unwrap(), 1.5) },
        Timed { at: 3_000, command: Command::Set(scene.directory().address("c1/stiffness").unwrap(), 1e6) },
        Timed { at: 5_000, command: Command::Set(scene.directory().address("m2/force_n").unwrap(), 3.0) },
        Timed { at: 5_500, command: stream(6_000) },
        Timed { at: 5_900, command: stream(100) },
        Timed { at: 9_000, command: Command::Hit { site: scene.directory().site("bar").unwrap(), impulse_n_s: 0.1 } },
        Timed {
            at: 9_500,
            command: Command::Strike { body: scene.directory().body("m1").unwrap(), velocity_m_s: 2.0 },
        },
        Timed { at: 9_550, command: Command::Set(scene.directory().address("output.other/distance_m").unwrap(), 9.0) },
        Timed { at: 9_600, command: Command::Jump(scene.directory().address("press").unwrap(), 0.9) },
        Timed { at: 9_700, command: touch.resolve(scene.directory()).unwrap().command },
        Timed { at: 10_000, command: Command::replace(refused) },
        Timed { at: 11_000, command: Command::Quality { max_substeps: 4, drop_below_db: -40.0 } },
        Timed { at: 12_000, command: Command::replace(build(&text)) },
        Timed { at: 14_000, command: Command::adopt(build(&text)) },
        Timed { at: 16_000, command: Command::adopt(build(&text.replacen("freq_hz = 50", "freq_hz = 51", 1))) },
        Timed { at: 20_000, command: Command::Hush },
    ]);
    let (mut left, mut right, heard) = (vec![0.0; 15_000], vec![0.0; 15_000], vec![0.1; 15_000]);
    let mut out = vec![0.0; 30_000];
    let health = watched(|| {
        engine.render_planar(&[&heard], &mut commands, &mut [&mut left, &mut right]);
        engine.render(&[&heard], &mut commands, &mut out)
    });
    assert_eq!(count(), 0);
    assert!(std::iter::from_fn(|| engine.retired()).count() == 1);
    assert!(health.solves > 0 && health.unconverged == 0, "{health:?}");
    assert_eq!(
        std::iter::from_fn(|| commands.spent()).count(),
        5,
        "the values of a touch and of a stream that another followed, a scene that was refused, and two that had rung out where the next does"
    );
    assert_awake();
}

#[test]
fn signals_and_processes_of_every_kind_render_without_allocating() {
    let text = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bindings/web/everything.toml");
    let mut engine = engine(&std::fs::read_to_string(text).unwrap(), 48_000.0);
    let set = |path: &str, value: f64| {
        let gesture = Gesture::Glide { path: path.into(), value, glide_s: 0.05 };
        gesture.resolve(engine.scene().directory()).unwrap().command
    };
    let mut commands = Queue::from(vec![
        Timed { at: 3_000, command: set("grip/value", 2.0) },
        Timed { at: 9_000, command: set("paper/freq_scale", 1.5) },
        Timed { at: 9_100, command: set("gravel/objects", 900.0) },
        Timed { at: 9_200, command: set("output.hall/distance_m", 9.0) },
        Timed { at: 40_000, command: Command::Hush },
    ]);
    let heard: Vec<f32> =
        (0..48_000).map(|i| if i % 9_000 < 3_000 { 0.4 * (0.3 * i as f32).sin() } else { 0.0 }).collect();
    let mut out = vec![0.0; 48_000 * engine.scene().channels()];
    let events = engine.scene().directory().process_names().map(|name| format!("{name}.events")).collect::<Vec<_>>();
    let events: Vec<_> = events.iter().map(|name| engine.scene().directory().probe(name).unwrap()).collect();
    watched(|| engine.render(&[&heard], &mut commands, &mut out));
    assert_eq!(count(), 0);
    for (name, probe) in engine.scene().directory().process_names().zip(events) {
        // A burst by its envelope has no events.
        assert!(engine.probe(probe) > 0.0 || name == "hiss", "{name} did nothing");
    }
    assert_awake();
}

#[test]
fn a_place_that_is_named_six_times_by_who_has_only_so_much_to_give_costs_no_allocation() {
    let text = |process: &str| {
        format!(
            "[body.plate]\ntype = 'modal'\nmodes = [{{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }}]\n[[tap]]\nof = 'plate'\n\
             [signal.blow]\ntype = 'points'\npoints = [[0.0, 0.0], [0.05, 0.0], [0.051, 1.0], [0.3, 2.0]]\n[process.p]\n{process}\n\
             driven_by = 'blow'\non = ['plate', 'plate', 'plate', 'plate', 'plate', 'plate']\n"
        )
    };
    for process in ["type = 'break'", "type = 'crumple'\nbudget_01 = 1.0"] {
        let mut engine = engine(&text(process), 48_000.0);
        let events = engine.scene().directory().probe("p.events").unwrap();
        let mut out = vec![0.0; 24_000];
        watched(|| engine.render(&[], &mut Queue::new(), &mut out));
        assert_eq!(count(), 0, "{process}");
        assert!(engine.probe(events) > 20.0 && out.iter().any(|x| *x != 0.0), "{process}");
    }
    assert_awake();
}

#[test]
fn a_known_name_is_found_without_allocating() {
    let text = "body.ball = { type = 'mass' }\nbody.bar = { type = 'modal', modes = [{ freq_hz = 440, mass_kg = 1 }], port = { a = [1], b = [1] } }\n\
        contact.hit = { type = 'impact', between = ['ball', 'bar.a'] }\ntap = [{ of = 'bar.a' }]\n\
        control = [{ name = 'hard', path = 'hit/stiffness', range = [1e6, 1e9] }]";
    let directory = engine(text, 48_000.0).scene().directory().clone();
    let found = watched(|| {
        let paths = [
            "hit/stiffness",
            "/bar/freq_scale",
            "bar.b/force_n",
            "ball/force_n",
            "ball.0/force_n",
            "hard",
            "hit/hardness_01",
        ];
        paths.iter().all(|path| directory.address(path).is_ok())
            && directory.site("bar.b").is_ok()
            && directory.body("ball").is_ok()
            && directory.probe("hit.force").is_ok()
            && directory.probe("bar.b.velocity").is_ok()
    });
    assert!(found && count() == 0);
    assert_awake();
}
