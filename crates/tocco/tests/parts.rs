// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenes inside scenes.

use std::collections::BTreeMap;
use tocco::scene::{Fetch, FetchedScene, Recording};
use tocco::{Document, Engine, Gesture, Queue, Scene, SceneDef};

const BAR: &str = "
[body.hammer]
type = 'mass'
mass_kg = 0.02
[body.bar]
type = 'modal'
modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }, { freq_hz = 1213.0, decay_s = 0.2, mass_kg = 0.05 }]
[contact.hit]
type = 'impact'
between = ['hammer', 'bar']
[[event]]
at_s = 0.01
strike = 'hammer'
velocity_m_s = 1.0
[[control]]
name = 'weight'
path = 'hammer/mass_kg'
range = [0.01, 0.1]
[[tap]]
of = 'bar'
";

const GRAVEL: &str = "
[signal.press]
type = 'input'
max = 3.0
[process.pebbles]
type = 'particles'
driven_by = 'press'
resonances = [{ freq_hz = 2385.0, bandwidth_hz = 1860.0 }]
[[tap]]
of = 'pebbles'
quantity = 'sound'
";

/// Its control stands for a stiffness.
const HARD: &str = "[body.hammer]\ntype = 'mass'\nmass_kg = 0.02\n[body.bar]\ntype = 'modal'\n\
    modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }]\n[contact.hit]\ntype = 'impact'\nbetween = ['hammer', 'bar']\n\
    [[control]]\nname = 'feel'\npath = 'hit/hardness_01'\nrange = [0.2, 0.8]\n[[tap]]\nof = 'bar'\n";

/// It hears how much energy there is.
const LISTENS: &str = "[body.bar]\ntype = 'modal'\nmodes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }]\n\
    [signal.how-much]\ntype = 'probe'\nof = 'energy'\n[[tap]]\nof = 'bar'\n";

/// It says at which rate, for how long, where to and by which keys it plays, when it is by itself.
const OF_ITS_OWN: &str = "rate_hz = 8000\nduration_s = 0.1\n[body.hammer]\ntype = 'mass'\n[body.bar]\ntype = 'modal'\n\
    modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }]\n[contact.hit]\ntype = 'impact'\nbetween = ['hammer', 'bar']\n\
    [midi]\nnotes = 'pitch'\nlow = 48\nhigh = 103\nreference = 74\nstrike = 'hammer'\nretune = 'bar'\nvoices = 4\n\
    [output.main]\nchannels = [0, 1]\ndistance_m = 2.0\n[[control]]\nname = 'far'\npath = 'output.main/distance_m'\nrange = [1.0, 9.0]\n\
    [output.feet]\nchannels = [2]\n[[tap]]\nof = 'bar'\nto = ['feet']\n\
    [[event]]\nat_s = 0.01\nstrike = 'hammer'\nvelocity_m_s = 1.0\n";

/// Scenes by name.
#[derive(Clone)]
struct Shelf(BTreeMap<&'static str, &'static str>);

impl Fetch for Shelf {
    fn recording(&mut self, file: &str) -> Result<Recording, String> {
        Err(format!("no {file} here"))
    }
    fn scene(&mut self, name: &str) -> Result<FetchedScene<'_>, String> {
        let text = self.0.get(name).ok_or(format!("no scene '{name}' on the shelf"))?;
        let (identity, text) = (name.to_owned(), (*text).to_owned());
        Ok(FetchedScene { identity, text, fetch: Box::new(self.clone()) })
    }
}

fn read(text: &str) -> Result<Document, tocco::SceneError> {
    let scenes = [
        ("bar", BAR),
        ("gravel", GRAVEL),
        ("two", "[part.low]\nscene = 'bar'\ntranspose = 0.5\n[part.high]\nscene = 'bar'\n"),
        ("itself", "[part.me]\nscene = 'itself'\n"),
        ("hard", HARD),
        ("listens", LISTENS),
        ("of-its-own", OF_ITS_OWN),
        ("toils", "[body.bar]\ntype = 'mass'\n[signal.effort]\ntype = 'probe'\nof = 'work'\n[[tap]]\nof = 'bar'\n"),
        (
            "driven",
            "[body.hammer]\ntype = 'mass'\n[[drive]]\npath = 'hammer/force_n'\npoints = [[0.0, 1.0]]\n[[tap]]\nof = 'hammer'\n",
        ),
        (
            "high",
            "[body.bar]\ntype = 'modal'\nmodes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }, { freq_hz = 9000.0, mass_kg = 0.05 }]\n[[tap]]\nof = 'bar'\n",
        ),
        ("lost", "[body.bar]\ntype = 'mass'\n[[tap]]\nof = 'bra'\n"),
        ("holds", "[part.y]\nscene = 'lost'\n"),
        ("ring", "[part.other]\nscene = 'rang'\n"),
        ("rang", "[part.other]\nscene = 'ring'\n"),
    ];
    Document::read_with("whole", "here", text.to_owned(), Shelf(scenes.into_iter().collect()))
}

fn engine(document: &Document) -> Engine {
    Engine::new(Scene::build(&document.def, 48_000.0).unwrap())
}

fn sound(engine: &mut Engine, frames: usize) -> Vec<f32> {
    let mut out = vec![0.0; frames * engine.scene().channels()];
    engine.render(&[], &mut Queue::new(), &mut out);
    out
}

#[test]
fn a_scene_sounds_as_a_part_as_it_does_alone() {
    let alone = sound(&mut Engine::new(Scene::build(&SceneDef::from_text(BAR).unwrap(), 48_000.0).unwrap()), 9_600);
    let part = sound(&mut engine(&read("[part.a]\nscene = 'bar'").unwrap()), 9_600);
    assert!(alone == part && alone.iter().any(|x| x.abs() > 0.01));
    let twice = sound(&mut engine(&read("[part.a]\nscene = 'bar'\n[part.b]\nscene = 'bar'").unwrap()), 9_600);
    assert!(twice.iter().zip(&alone).all(|(two, one)| (two - 2.0 * one).abs() < 1e-6), "twice as much");
}

#[test]
fn a_part_is_set_transposed_and_played_by_its_path() {
    let document =
        read("[part.a]\nscene = 'bar'\ntranspose = 2.0\nset = { 'hammer/mass_kg' = 0.05, 'hit/exponent' = 2.0 }\n")
            .unwrap();
    let scene = Scene::build(&document.def, 48_000.0).unwrap();
    let value = |path: &str| scene.paths().into_iter().find(|(known, ..)| known == path).unwrap().2;
    assert_eq!(value("a/hammer/mass_kg"), 0.05);
    assert_eq!(value("a/hit/exponent"), 2.0);
    assert_eq!(value("a/bar/freq_scale"), 2.0);
    let directory = scene.directory();
    for gesture in [
        Gesture::Set { path: "a/hit/stiffness".into(), value: 1e8 },
        Gesture::Set { path: "a/weight".into(), value: 0.5 },
        Gesture::Set { path: "a/bar/force_n".into(), value: 1.0 },
        Gesture::Strike { body: "a/hammer".into(), velocity_m_s: 1.0 },
        Gesture::Hit { site: "a/bar".into(), impulse_n_s: 0.01 },
    ] {
        gesture.resolve::<Scene>(directory).unwrap_or_else(|error| panic!("{gesture:?}: {error}"));
    }
    assert_eq!(directory.controls()[0].name, "a/weight");
    assert!(directory.probe("a/bar.velocity").is_ok());
}

#[test]
fn rate_length_keys_and_outputs_of_a_part_do_not_count() {
    let document = read("duration_s = 0.7\n[part.a]\nscene = 'of-its-own'\n").unwrap();
    let def = &document.def;
    assert_eq!(def.rate_hz, SceneDef::from_text(BAR).unwrap().rate_hz);
    assert!(matches!(def.duration, tocco::scene::def::Length::Seconds(s) if s == 0.7));
    assert!(def.midi.is_none() && def.outputs.is_empty());
    let mut engine = engine(&document);
    assert_eq!(engine.scene().channels(), 1, "its third channel is not ours");
    assert!(sound(&mut engine, 9_600).iter().any(|x| x.abs() > 1e-3), "and it is heard where we are");
}

#[test]
fn controls_of_parts_count_apart_from_those_of_the_scene() {
    // 32 parts of one control each, and as many of our own as a scene may have.
    let own =
        (0..16).map(|n| format!("[[control]]\nname = 'c{n}'\npath = 'p{n}/hammer/mass_kg'\nrange = [0.01, 0.1]\n"));
    let parts = (0..32).map(|n| format!("[part.p{n}]\nscene = 'bar'\n"));
    let document = read(&parts.chain(own).collect::<String>()).unwrap();
    let scene = Scene::build(&document.def, 48_000.0).unwrap();
    let names: Vec<String> = scene.directory().controls().iter().map(|control| control.name.clone()).collect();
    assert_eq!(names.len(), 48);
    assert!(names.contains(&"p31/weight".to_owned()) && names.contains(&"c15".to_owned()), "{names:?}");
}

#[test]
fn a_control_of_a_hammers_hardness_is_one_inside_a_part_too() {
    let stiffness = |text: &str, path: &str| {
        let scene = Scene::build(&read(text).unwrap().def, 48_000.0).unwrap();
        let directory = scene.directory();
        let control = directory.address(&format!("{path}feel")).unwrap();
        [0.0, 1.0].map(|position| {
            let [(slot, value)] = directory.moves(control, position).collect::<Vec<_>>()[..] else {
                panic!("one parameter")
            };
            assert_eq!(directory.path(slot), format!("{path}hit/stiffness"));
            value
        })
    };
    let alone = stiffness(HARD, "");
    assert!(alone[1] > 10.0 * alone[0]);
    assert_eq!(stiffness("[part.a]\nscene = 'hard'", "a/"), alone);
}

#[test]
fn parts_of_parts_multiply_their_transposition_and_keep_their_paths() {
    let document = read("[part.x]\nscene = 'two'\ntranspose = 0.25\n").unwrap();
    let scene = Scene::build(&document.def, 48_000.0).unwrap();
    let value = |path: &str| scene.paths().into_iter().find(|(known, ..)| known == path).unwrap().2;
    assert_eq!((value("x/low/bar/freq_scale"), value("x/high/bar/freq_scale")), (0.125, 0.25));
}

#[test]
fn an_inlet_of_a_part_hears_a_signal_of_the_scene_around_it_and_each_use_draws_its_own_numbers() {
    let text = "[signal.foot]\ntype = 'points'\npoints = [[0.0, 0.0], [0.05, 1.0], [0.3, 0.0]]\n\
                [part.heel]\nscene = 'gravel'\nsignal.press = 'foot'\n[part.toe]\nscene = 'gravel'\nsignal.press = 'foot'\n";
    let mut both = engine(&read(text).unwrap());
    assert!(sound(&mut both, 9_600).iter().any(|x| *x != 0.0));
    let names: Vec<&str> = both.scene().directory().process_names().collect();
    assert_eq!(names, ["heel/pebbles", "toe/pebbles"]);
    assert_eq!(both.scene().directory().inlets().count(), 0, "what is connected is no inlet any more");
    let mut times = [Vec::new(), Vec::new()];
    while let Some(happening) = both.take_happening() {
        times[happening.process].push(happening.at_s);
    }
    assert!(times.iter().all(|own| own.len() > 5) && times[0] != times[1], "{times:?}");
    // Alone, the inlet stays an inlet under its path.
    let open = engine(&read("[part.heel]\nscene = 'gravel'").unwrap());
    assert_eq!(open.scene().directory().inlets().next().unwrap().0, "heel/press/value");
}

#[test]
fn a_scene_with_parts_survives_a_take_and_its_own_writing() {
    let document = read("[part.a]\nscene = 'bar'\ntranspose = 2.0\nset = { 'hammer/mass_kg' = 0.05 }\n").unwrap();
    let json = Gesture::Load(Box::new(document.clone())).to_json();
    let Ok(Gesture::Load(back)) = Gesture::from_json(&json, "here") else { panic!("not a scene") };
    assert!(sound(&mut engine(&document), 4_800) == sound(&mut engine(&back), 4_800));
    let again = SceneDef::from_text(&document.def.to_toml()).unwrap();
    assert_eq!(again.parts[0].set, document.def.parts[0].set);
    assert_eq!(again.parts[0].transpose, 2.0);
}

#[test]
fn what_cannot_be_a_part_is_refused_in_one_line() {
    for (text, said) in [
        ("[part.a]\nscene = 'itself'", "'itself' would hold itself"),
        ("[part.a]\nscene = 'ring'", "'ring' would hold itself"),
        ("[part.a]\nscene = 'nothing'", "no scene 'nothing' on the shelf"),
        (
            "[part.a]\nscene = 'gravel'\nsignal.pres = 's'\n[signal.s]\ntype = 'input'",
            "has no inlet 'pres'; did you mean 'press'?",
        ),
        ("[part.a]\nscene = 'gravel'\nsignal.press = 't'\n[signal.s]\ntype = 'input'", "no signal 't'"),
        ("[part.a]\nscene = 'bar'\nset = { 'hit/stifness' = 1.0 }", "did you mean 'hit/stiffness'?"),
        ("[part.a]\nscene = 'bar'\nset = { 'hit/stiffness' = -1.0 }", "is out of range"),
        ("[part.a]\nscene = 'bar'\ntranspose = 0.0", "wants a number from 0.05 to 20"),
        (
            "[part.a]\nscene = 'bar'\n[midi]\nnotes = 'pitch'\nstrike = 'a/hammer'\nretune = 'a/bar'\nvoices = 2",
            "midi.voices: 'a/hammer' belongs to a part, which has one voice",
        ),
    ] {
        let error = match read(text) {
            Ok(document) => Scene::build(&document.def, 48_000.0).err().expect(text).to_string(),
            Err(error) => error.to_string(),
        };
        assert!(error.contains(said) && !error.contains('\n'), "{text}\n{error}");
    }
    let bare = SceneDef::from_text("[part.a]\nscene = 'bar'").unwrap();
    assert!(Scene::build(&bare, 48_000.0).err().unwrap().to_string().contains("nobody has fetched this scene"));
}

/// The mistake of a scene, in one line.
fn mistake(text: &str) -> String {
    let error = match read(text) {
        Ok(document) => Scene::build(&document.def, 48_000.0).err().expect(text).to_string(),
        Err(error) => error.to_string(),
    };
    assert!(!error.contains('\n'), "{error}");
    error
}

#[test]
fn a_mistake_inside_a_part_names_the_part_and_the_key_as_its_writers_do() {
    for (text, said) in [
        (
            "[part.heel]\nscene = 'gravel'\nsignal.press = 'foto'\n[signal.foot]\ntype = 'input'",
            "line 3: part.heel.signal.press: no signal 'foto'; did you mean 'foot'?",
        ),
        (
            "[part.a]\nscene = 'bar'\nset = { 'hit/stifness' = 1.0 }",
            "part.a.set: no parameter 'hit/stifness'; did you mean 'hit/stiffness'?",
        ),
        (
            "[part.a]\nscene = 'driven'\n[[drive]]\npath = 'a/hammer/force_n'\npoints = [[0.0, 1.0]]",
            "part.a: in 'driven': its drive of hammer/force_n, path: 'hammer/force_n' is driven twice",
        ),
        ("[part.a]\nscene = 'lost'", "part.a: in 'lost': its tap of bra, of: no body 'bra'"),
        ("[part.x]\nscene = 'holds'", "part.x: in 'holds': "),
    ] {
        let error = mistake(text);
        assert!(error.contains(said), "{text}\n{error}\nwanted: {said}");
    }
    // Without parts everything is as it was.
    assert!(mistake("[body.a]\ntype = 'mass'\n[[tap]]\nof = 'b'").contains("tap[0].of: no body 'b'"));
}

#[test]
fn a_part_that_reads_energy_reads_its_own_and_one_that_reads_work_is_refused() {
    let text = "[part.a]\nscene = 'listens'\n[part.b]\nscene = 'listens'\n[[event]]\nat_s = 0.02\nhit = 'b/bar'\nimpulse_n_s = 0.01\n";
    let mut both = engine(&read(text).unwrap());
    let probe = |engine: &Engine, name: &str| engine.probe(engine.scene().directory().probe(name).unwrap());
    sound(&mut both, 4_800);
    let [a, b] = ["a/how-much.value", "b/how-much.value"].map(|name| probe(&both, name));
    assert!(a == 0.0 && b > 1e-6, "{a} J in the one that nobody hit, {b} J in the other");
    let [own, all] = ["b/energy", "energy"].map(|name| probe(&both, name));
    assert!(own == probe(&both, "b/bar.energy") && own == all, "{own} {all}");
    // Alone it reads the same as in a part.
    let mut alone = Engine::new(
        Scene::build(
            &SceneDef::from_text(&format!("{LISTENS}[[event]]\nat_s = 0.02\nhit = 'bar'\nimpulse_n_s = 0.01\n"))
                .unwrap(),
            48_000.0,
        )
        .unwrap(),
    );
    sound(&mut alone, 4_800);
    assert_eq!(probe(&alone, "how-much.value"), b);
    let error = mistake("[part.a]\nscene = 'toils'");
    assert!(error.contains("part.a.scene: 'toils' reads work in signal.effort.of"), "{error}");
}

#[test]
fn what_a_transposition_carries_past_half_the_rate_is_said() {
    let omitted = |text: &str| Scene::build(&read(text).unwrap().def, 48_000.0).unwrap().omitted().to_vec();
    assert!(omitted("[part.a]\nscene = 'gravel'\n[part.b]\nscene = 'bar'\ntranspose = 2.0\n").is_empty());
    let said = omitted("[part.a]\nscene = 'gravel'\n transpose = 12.0\n[part.b]\nscene = 'high'\ntranspose = 3.0\n");
    assert_eq!(said, ["b/bar: 1 mode, as it is tuned", "a/pebbles: resonance 0 (tuned to 28620 Hz)"]);
    // Set by hand it is the same.
    let said = omitted("[part.a]\nscene = 'gravel'\nset = { 'pebbles/freq_scale' = 12.0 }\n");
    assert_eq!(said, ["a/pebbles: resonance 0 (tuned to 28620 Hz)"]);
}

#[test]
fn a_signal_that_would_move_itself_by_way_of_drives_is_refused_and_feedback_through_a_body_is_not() {
    let signals = "[signal.a]\ntype = 'input'\n[signal.b]\ntype = 'probe'\nof = 'a'\n[signal.c]\ntype = 'input'\n[signal.d]\ntype = 'probe'\nof = 'c.value'\n";
    let drive = |path: &str, from: &str| format!("[[drive]]\npath = '{path}'\nfrom = '{from}'\n");
    for (drives, said) in [
        (drive("a/value", "a"), "drive[0].from: signal 'a' would move itself (a/value)"),
        (drive("a/value", "b"), "drive[0].from: signal 'b' hears 'a', which it would move (a/value)"),
        (drive("b/gain", "b"), "signal 'b' would move itself"),
        (drive("c/value", "b") + &drive("a/value", "d"), "a signal cannot hear itself"),
        (
            "[[control]]\nname = 'knob'\npath = 'a/value'\nrange = [0.0, 1.0]\n".to_owned() + &drive("knob", "b"),
            "signal 'b' hears 'a', which it would move (knob)",
        ),
    ] {
        let error = mistake(&format!("{signals}{drives}[[tap]]\nof = 'x'\n[body.x]\ntype = 'mass'\n"));
        assert!(error.contains(said), "{error}\nwanted: {said}");
    }
    // In a ring through a mass it is its motion that is heard: feedback.
    let ring = "[body.x]\ntype = 'mass'\n[signal.v]\ntype = 'probe'\nof = 'x.velocity'\ngain = -1.0\n[signal.w]\ntype = 'probe'\nof = 'v'\n\
        [[drive]]\npath = 'x/force_n'\nfrom = 'w'\n[[tap]]\nof = 'x'\n";
    Scene::build(&read(ring).unwrap().def, 48_000.0).unwrap();
    // One after the other is no ring.
    let chain = format!("{signals}{}[[tap]]\nof = 'x'\n[body.x]\ntype = 'mass'\n", drive("c/value", "b"));
    Scene::build(&read(&chain).unwrap().def, 48_000.0).unwrap();
}
