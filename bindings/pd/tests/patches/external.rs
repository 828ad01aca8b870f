// SPDX-License-Identifier: MIT OR Apache-2.0
//! The box `[tocco~]`: scenes, messages, signals, notes, reload, and what is wrong.

use super::same_notes::{NOTES, typed};
use super::*;
use tocco_lab::library;
use tocco_live::notes::{Note, NoteEvent, Which};
use tocco_live::{Instrument, Setup};

#[test]
fn the_same_notes_give_the_same_bits_as_in_the_library() {
    for name in ["bar", "violin", "marimba"] {
        let (channels, out) = typed(name, 48_000);
        let of = |channel: usize| out.iter().skip(channel).step_by(channels).copied().collect::<Vec<f32>>();
        let wanted: Vec<Vec<f32>> = (0..channels).map(of).collect();
        let messages = NOTES.map(|(tick, [status, key, velocity])| {
            let velocity = if status == 0x80 { 0 } else { velocity };
            (tick as f64 * 1e3 / RATE, format!("note {key} {velocity}"))
        });
        let messages: Vec<(f64, &str)> = messages.iter().map(|(at, text)| (*at, text.as_str())).collect();
        let doing = Doing { seconds: 1.0, messages: &messages, ..Doing::default() };
        let Some((heard, console)) = listen(&format!("keys-{name}"), name, wanted.len(), doing) else { return };
        same(name, &heard, &wanted, &console);
    }
}

fn strike(velocity_m_s: f64) -> Gesture {
    Gesture::Strike { body: "hammer".into(), velocity_m_s }
}

fn set(path: &str, value: f64) -> Gesture {
    Gesture::Set { path: path.into(), value }
}

const STILL: &str = "[body.hammer]\ntype = 'mass'\nmass_kg = 0.012\n[body.bar]\ntype = 'modal'\n\
    modes = [{ freq_hz = 587.33, decay_s = 0.7, mass_kg = 0.045 }, { freq_hz = 1619.0, decay_s = 0.2, mass_kg = 0.045 }]\n\
    [contact.hit]\ntype = 'impact'\nbetween = ['hammer', 'bar']\nstiffness = 3.0e9\n[[tap]]\nof = 'bar'\n\
    [[control]]\nname = 'hardness'\npath = 'hit/stiffness'\nrange = [1.0e6, 1.0e11]\nscale = 'log'\n";

/// A scene file that does nothing by itself.
fn still(name: &str, more: &str) -> (PathBuf, SceneDef) {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.toml"));
    let text = format!("{STILL}{more}");
    fs::write(&file, &text).unwrap();
    (file, SceneDef::from_text(&text).unwrap())
}

#[test]
fn shipped_scenes_sound_in_pd_as_in_the_program_to_the_last_bit() {
    for name in ["bar", "violin", "marimba", "crisps"] {
        let def = library::load(name).unwrap().def;
        let wanted = rendered(&def, RATE, 0.5, &[], &[]);
        // Others in the same patch change nothing.
        let doing = Doing { seconds: 0.5, others: &["bar", "marimba", "violin bow/velocity_m_s"], ..Doing::default() };
        let Some((heard, console)) = listen(name, name, wanted.len(), doing) else { return };
        same(name, &heard, &wanted, &console);
    }
    let wanted = rendered(&library::load("bar").unwrap().def, 44_100.0, 0.25, &[], &[]);
    let doing = Doing { rate: 44_100.0, seconds: 0.25, ..Doing::default() };
    let Some((heard, console)) = listen("other-rate", "bar", 1, doing) else { return };
    same("44.1 kHz", &heard, &wanted, &console);
}

#[test]
fn messages_take_effect_at_their_sample_for_blocks_of_any_size() {
    let (file, def) = still("by-sample", "");
    // 100.3125 ms are 4815 samples; a number in a message is what was written, not the nearest of 32 bits.
    let messages = [
        (0.0, "strike hammer 1"),
        (100.3125, "strike hammer 0.7"),
        (150.0625, "hardness 0.3, strike hammer 1.5"),
        (200.020_833_333_333_34, "hit/stiffness 1e+07, hit/stiffness 2e+07 0.01"),
        (250.0, "/tocco/strike hammer 1"),
        (260.0, "list tocco strike hammer 2"),
        (300.0, "list hit stiffness 1e+08"),
        (301.0, "set hardness 0.9, hit bar 0.01"),
    ];
    let glide = Gesture::Glide { path: "hit/stiffness".into(), value: 2e7, glide_s: 0.01 };
    let gestures = [
        (0, strike(1.0)),
        (4815, strike(0.7)),
        (7203, set("hardness", 0.3)),
        (7203, strike(1.5)),
        (9601, set("hit/stiffness", 1e7)),
        (9601, glide),
        (12_000, strike(1.0)),
        (12_480, strike(2.0)),
        (14_400, set("hit/stiffness", 1e8)),
        (14_448, set("hardness", 0.9)),
        (14_448, Gesture::Hit { site: "bar".into(), impulse_n_s: 0.01 }),
    ];
    for block in [0, 1, 512] {
        // Pd asks for larger blocks that much before their time, so all that comes later than the first is late alike.
        let late =
            |(at, gesture): &(u64, Gesture)| (at + if *at > 0 && block == 512 { 512 - 64 } else { 0 }, gesture.clone());
        let wanted = rendered(&def, RATE, 0.4, &gestures.iter().map(late).collect::<Vec<_>>(), &[]);
        let doing = Doing { seconds: 0.4, messages: &messages, block, ..Doing::default() };
        let name = format!("by-sample-{block}");
        let Some((heard, console)) = listen(&name, file.to_str().unwrap(), 1, doing) else { return };
        assert!(!console.contains("error"), "{console}");
        same(&name, &heard, &wanted, &console);
    }
}

#[test]
fn signal_inlets_are_the_scenes_inputs_and_the_paths_that_the_box_names() {
    let (file, _) = still("inlets", "[[drive]]\npath = 'bar/force_n'\ninput = 0\ngain = 2.0\n");
    let full = "[[drive]]\npath = 'bar/force_n'\ninput = 0\ngain = 2.0\n[[drive]]\npath = 'hardness'\ninput = 1\n";
    let (_, def) = still("inlets-wanted", full);
    let doing = Doing { seconds: 0.1, signals: &["sig~ 0.5", "sig~ 0.25"], ..Doing::default() };
    let of = format!("{} hardness", file.display());
    let Some((heard, console)) = listen("inlets", &of, 1, doing) else { return };
    let (force, hardness) = (vec![0.5_f32; 4800], vec![0.25_f32; 4800]);
    let wanted = rendered(&def, RATE, 0.1, &[], &[&force, &hardness]);
    same("inlets", &heard, &wanted, &console);
}

#[test]
fn notes_fall_on_their_samples_and_their_end_is_told() {
    let scene = library::load("bar").unwrap();
    let instrument = Instrument::new(scene, Some(RATE)).unwrap();
    let setup = Setup { limiter: false, watch_load: false, ..Setup::default() };
    let (_desk, mut player, mut notes) = instrument.open(setup).unwrap();
    let on = |key: u8, velocity: f64, tuning: f64| NoteEvent::On {
        note: Note { id: i32::from(key), channel: 0, key },
        velocity_01: velocity / 127.0,
        tuning,
    };
    let which = |key: u8| Which { key: Some(key), ..Which::default() };
    notes.play(on(60, 100.0, 0.0), 4815, &mut player);
    notes.play(on(67, 80.0, 0.25), 9600, &mut player);
    notes.play(NoteEvent::Tune(which(60), 1.0), 12_000, &mut player);
    notes.play(NoteEvent::Off(which(60)), 14_400, &mut player);
    notes.play(NoteEvent::Choke(which(67)), 14_400, &mut player);
    let mut wanted = vec![0.0; 24_000];
    player.play(&[], &mut wanted);
    let messages =
        [(100.3125, "note 60 100"), (200.0, "note 67.25 80"), (250.0, "tune 60 1"), (300.0, "note 60 0, choke 67")];
    let doing = Doing { seconds: 0.5, messages: &messages, ..Doing::default() };
    let Some((heard, console)) = listen("notes", "bar", 1, doing) else { return };
    same("notes", &heard, &[wanted], &console);
    assert!(console.contains("out: ended 67"), "{console}");
}

#[test]
fn pressure_and_brightness_of_a_note_are_heard_from_their_samples_on() {
    let more = "[[control]]\nname = 'heavy'\npath = 'hammer/mass_kg'\nrange = [0.005, 0.05]\nscale = 'log'\n\
        [midi]\nnotes = 'pitch'\nstrike = 'hammer'\nretune = 'bar'\nvoices = 2\nslide = 'hardness'\npressure = 'heavy'\n";
    let (file, _) = still("expressed", more);
    let which = Which { key: Some(60), ..Which::default() };
    let on = |velocity: f64| {
        let note = Note { id: 60, channel: 0, key: 60 };
        NoteEvent::On { note, velocity_01: velocity / 127.0, tuning: 0.0 }
    };
    let [press, brighten] = [(4800, NoteEvent::Press(which, 0.9)), (4815, NoteEvent::Brighten(which, 0.2))];
    // The blow after them feels both.
    let played = |between: &[(u64, NoteEvent)]| {
        let instrument = Instrument::new(library::load(file.to_str().unwrap()).unwrap(), Some(RATE)).unwrap();
        let setup = Setup { limiter: false, watch_load: false, ..Setup::default() };
        let (_desk, mut player, mut notes) = instrument.open(setup).unwrap();
        for (at, event) in [&[(480, on(100.0))], between, &[(9600, on(80.0))]].concat() {
            assert!(notes.play(event, at, &mut player));
        }
        let mut out = vec![0.0; 14_400];
        player.play(&[], &mut out);
        out
    };
    let wanted = played(&[press, brighten]);
    assert!(wanted != played(&[press]) && wanted != played(&[brighten]));
    let messages =
        [(10.0, "note 60 100"), (100.0, "press 60 0.9"), (100.3125, "brighten 60 0.2"), (200.0, "note 60 80")];
    let doing = Doing { seconds: 0.3, messages: &messages, ..Doing::default() };
    let Some((heard, console)) = listen("expressed", file.to_str().unwrap(), 1, doing) else { return };
    assert!(!console.contains("error"), "{console}");
    same("expressed", &heard, &[wanted], &console);
}

#[test]
fn streams_touches_triggers_jumps_and_panic_do_at_their_samples_what_the_gestures_do() {
    let more = "[body.rod]\ntype = 'shape'\nshape = 'bar'\nlength_m = 0.3\nwidth_m = 0.03\nthickness_m = 0.005\nmaterial = 'steel'\n\
        [body.rod.port]\ntip = 0.98\near = 0.02\n[[tap]]\nof = 'rod.ear'\n\
        [signal.still]\ntype = 'points'\npoints = [[0.0, 0.0]]\n\
        [process.water]\ntype = 'bubbles'\ndriven_by = 'still'\nrate_hz = 0.0\n[[tap]]\nof = 'water'\nquantity = 'sound'\n";
    let (file, def) = still("gestures", more);
    let messages = [
        (0.0, "touches 1"),
        (10.0, "stream rod.tip/force_n 1 2 3 0"),
        (50.0, "touch rod.tip 0.3, hit rod.tip 0.01"),
        (100.3125, "trigger water 0.002 0.2 0.1 0.35 0"),
        (150.0, "jump hit/stiffness 1e+07, strike hammer 1"),
        (250.0, "touches 0, panic"),
        (300.0, "strike hammer 1, describe"),
    ];
    let stream = Gesture::Stream { path: "rod.tip/force_n".into(), values: vec![1.0, 2.0, 3.0, 0.0] };
    let gestures = [
        (480, stream),
        (2400, Gesture::Touch { site: "rod.tip".into(), place: vec![0.3] }),
        (2400, Gesture::Hit { site: "rod.tip".into(), impulse_n_s: 0.01 }),
        (4815, Gesture::Trigger { process: "water".into(), values: vec![0.002, 0.2, 0.1, 0.35, 0.0] }),
        (7200, Gesture::Jump { path: "hit/stiffness".into(), value: 1e7 }),
        (7200, strike(1.0)),
        (12_000, Gesture::Hush),
        (14_400, strike(1.0)),
    ];
    // Each of them is heard.
    let wanted = rendered(&def, RATE, 0.35, &gestures, &[]);
    for without in 0..gestures.len() {
        let others: Vec<_> =
            gestures.iter().enumerate().filter(|(at, _)| *at != without).map(|(_, g)| g.clone()).collect();
        assert!(rendered(&def, RATE, 0.35, &others, &[]) != wanted, "{:?}", gestures[without]);
    }
    let doing = Doing { seconds: 0.35, messages: &messages, ..Doing::default() };
    let Some((heard, console)) = listen("gestures", file.to_str().unwrap(), 1, doing) else { return };
    same("gestures", &heard, &wanted, &console);
    assert!(heard[0][12_000..14_400].iter().all(|x| *x == 0.0), "panic is silence");
    assert!(!console.contains("error"), "{console}");
    // The blow is told while touches are watched: one beginning, one end with its impulse; not the blow after.
    let touches: Vec<&str> = console.lines().filter_map(|line| line.strip_prefix("out: touch hit ")).collect();
    let [begins, ends] = touches[..] else { panic!("{console}") };
    let impulse: f64 = ends.strip_prefix("0 ").unwrap().parse().unwrap();
    assert!(begins == "1 0" && (0.005..0.05).contains(&impulse), "{touches:?}");
    // What is described stands where it was put.
    for words in [
        &*format!("tocco~: {}", file.display()),
        "  hardness 0.2000  0 to 1, moves hit/stiffness",
        "  hit/stiffness 10000000  ",
    ] {
        assert!(console.contains(words), "{words}\n{console}");
    }
}

#[test]
fn another_scene_takes_over_and_its_messages_reach_it() {
    let (file, def) = still("first", "");
    // Its parameters have other numbers: what is set behind it in the same block is meant for it.
    let second = "[[event]]\nat_s = 0.02\nstrike = 'hammer'\nvelocity_m_s = 1.0\n[body.other]\ntype = 'mass'\n";
    let (other, _) = still("second", second);
    let load = format!("load {}, hit/stiffness 2e+07, strike hammer 2", other.file_stem().unwrap().to_str().unwrap());
    let load = load.replace("second", other.to_str().unwrap());
    let messages = [(0.0, "strike hammer 1"), (100.0, load.as_str()), (150.0, "reload"), (180.0, "get hit/stiffness")];
    let doing = Doing { seconds: 0.3, messages: &messages, ..Doing::default() };
    let Some((heard, console)) = listen("load", file.to_str().unwrap(), 1, doing) else { return };
    assert!(!console.contains("error") && console.contains("out: hit/stiffness 2e+07"), "{console}");
    let before = rendered(&def, RATE, 0.1, &[(0, strike(1.0))], &[]);
    same("before", &[heard[0][..4800].to_vec()], &before, &console);
    // The one before rings out for 10 ms; then only the other is heard, from its beginning.
    let after = SceneDef::from_text(&fs::read_to_string(other).unwrap()).unwrap();
    let after = rendered(&after, RATE, 0.2, &[(0, set("hit/stiffness", 2e7)), (0, strike(2.0))], &[]);
    same("after", &[heard[0][4800 + 480..4800 + 2400].to_vec()], &[after[0][480..2400].to_vec()], &console);
    // An edit that changes nothing changes no sample.
    same("reload", &[heard[0][4800 + 480..].to_vec()], &[after[0][480..].to_vec()], &console);
}

#[test]
fn at_another_rate_a_box_keeps_its_outlets_also_with_a_scene_of_fewer_channels() {
    let fast = 2.0 * RATE;
    let marimba = rendered(&library::load("marimba").unwrap().def, fast, 0.2, &[], &[]);
    let Some((heard, console)) = listen("fast", "marimba", 2, Doing { seconds: 0.2, faster: 2, ..Doing::default() })
    else {
        return;
    };
    same("marimba", &heard, &marimba, &console);
    // One channel is heard on both sides, and the wide scene may come back.
    let (file, def) = still("narrow", "[[event]]\nat_s = 0.02\nstrike = 'hammer'\nvelocity_m_s = 1.0\n");
    let load = format!("load {}", file.display());
    let messages = [(-1.0, load.as_str()), (100.0, "load marimba")];
    let doing = Doing { seconds: 0.3, faster: 2, messages: &messages, ..Doing::default() };
    let Some((heard, console)) = listen("fast-narrow", "marimba", 2, doing) else { return };
    assert!(!console.contains("error"), "{console}");
    let part = |all: &[Vec<f32>], from: usize, to: usize| -> Vec<Vec<f32>> {
        all.iter().map(|channel| channel[from..to].to_vec()).collect()
    };
    let [one] = &rendered(&def, fast, 0.1, &[], &[])[..] else { panic!("one channel") };
    same("narrow", &part(&heard, 0, 9600), &[one.clone(), one.clone()], &console);
    // The one before rings out for 10 ms.
    same("marimba again", &part(&heard, 9600 + 960, 28_800), &part(&marimba, 960, 19_200), &console);
}

#[test]
fn a_file_that_was_edited_is_heard_after_reload_while_what_stays_rings_on() {
    let (file, def) = still("edited", "");
    let file = file.canonicalize().unwrap();
    let text = format!("{STILL}[[tap]]\nof = 'bar'\ngain = 0.5\n").replace("stiffness = 3.0e9", "stiffness = 2.0e7");
    let other = file.with_file_name("edited-later.toml");
    fs::write(&other, &text).unwrap();
    let messages =
        [(0.0, "strike hammer 1"), (160.0, "reload"), (180.0, "get hit/stiffness"), (200.0, "strike hammer 1")];
    let copies: [(f64, &Path, &Path); 1] = [(100.0, &other, &file)];
    let doing = Doing { seconds: 0.3, messages: &messages, copies: &copies, ..Doing::default() };
    let Some((heard, console)) = listen("edited", file.to_str().unwrap(), 1, doing) else { return };
    assert!(!console.contains("error") && console.contains("out: hit/stiffness 2e+07"), "{console}");
    let scene = Scene::build(&def, RATE).unwrap();
    let edited = Box::new(Scene::build(&SceneDef::from_text(&text).unwrap(), RATE).unwrap());
    let hammer = scene.directory().body("hammer").unwrap();
    let mut queue = Queue::new();
    queue.push(0, tocco::Command::Strike { body: hammer, velocity_m_s: 1.0 });
    queue.push(7680, tocco::Command::Replace { scene: Some(edited), adopt: true });
    queue.push(9600, tocco::Command::Strike { body: hammer, velocity_m_s: 1.0 });
    let mut wanted = vec![0.0; 14_400];
    Engine::new(scene).render(&[], &mut queue, &mut wanted);
    same("edited", &heard, &[wanted], &console);
    let untouched = rendered(&def, RATE, 0.3, &[(0, strike(1.0)), (9600, strike(1.0))], &[]);
    assert!(untouched[0][..7680] == heard[0][..7680] && untouched[0][7680..9600] != heard[0][7680..9600]);
}

#[test]
fn bad_input_is_a_line_in_the_programs_words_and_changes_nothing() {
    let (file, def) = still("bad", "");
    let wide = "load marimba";
    let messages = [
        (10.0, "strike hammr 1"),
        (11.0, "hit/stifness 1"),
        (12.0, "strike hammer"),
        (13.0, "strike bar 1"),
        (14.0, "hit/stiffness soft"),
        (15.0, "load barr"),
        (16.0, "load /nowhere/at.toml"),
        (17.0, wide),
        (17.5, "load -"),
        (18.0, "note 200 1, note x 1, note, tune 60"),
        (19.0, "list 1 2 3, bang, symbol x, foo"),
        (20.0, "get nothing, get, load"),
        (21.0, "stream bar/freq_scale 1 2, touch hammer 0.5, trigger x"),
        (100.3125, "strike hammer 1"),
    ];
    let doing = Doing { seconds: 0.2, messages: &messages, ..Doing::default() };
    let Some((heard, console)) = listen("bad", file.to_str().unwrap(), 1, doing) else { return };
    same("bad", &heard, &rendered(&def, RATE, 0.2, &[(4815, strike(1.0))], &[]), &console);
    for words in [
        "tocco~: no body 'hammr'; did you mean 'hammer'?",
        "did you mean 'hit/stiffness'?",
        "tocco~: /tocco/strike takes the name of a mass and a speed in m/s (s f)",
        "tocco~: 'bar' is not a mass; strike a mass, or hit a port",
        "tocco~: /hit/stiffness: takes a number, not the text 'soft'",
        "tocco~: no file and no shipped scene 'barr'; did you mean 'bar'?",
        "tocco~: cannot read /nowhere/at.toml: no such file",
        "2 channels, but playing began with 1",
        "tocco~: name a scene file, or a scene that comes with Tocco",
        "tocco~: note: key 200; wants 0 to 127",
    ] {
        assert!(console.contains(words), "{words}\n{console}");
    }
}

#[test]
fn boxes_that_cannot_be_made_and_numbers_that_are_none_leave_pd_running() {
    let Some(folder) = external() else { return };
    let (file, _) = still("running", "");
    let broken = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("broken.toml");
    fs::write(&broken, STILL.replace("mass_kg = 0.012", "mas_kg = 0.012")).unwrap();
    let mut patch = Patch::default();
    let boxes = [
        "tocco~",
        "tocco~ -",
        "tocco~ barr",
        "tocco~ 3",
        "tocco~ bar no/path",
        &format!("tocco~ {}", broken.display()),
    ];
    boxes.iter().for_each(|text| {
        patch.object(text);
    });
    let tocco = patch.object(&format!("tocco~ {} bar/force_n", file.display()));
    // Infinity minus infinity, as a message and as a signal.
    let (begin, order) = (patch.object("loadbang"), patch.object("t b b b b"));
    let (large, infinite, none) = (patch.message("1e+38"), patch.object("* 1e+38"), patch.object("expr \\$f1-\\$f1"));
    let (nan, signal) = (patch.message("hit/stiffness \\$1"), patch.object("sig~"));
    let (on, strike, end) = (patch.message("; pd dsp 1"), patch.message("strike hammer 1"), patch.object("del 200"));
    let quit = patch.message("; pd quit");
    for (from, outlet, to, inlet) in [
        (begin, 0, order, 0),
        (order, 3, on, 0),
        (order, 2, large, 0),
        (large, 0, infinite, 0),
        (infinite, 0, none, 0),
        (none, 0, nan, 0),
        (nan, 0, tocco, 0),
        (none, 0, signal, 0),
        (signal, 0, tocco, 0),
        (order, 1, strike, 0),
        (strike, 0, tocco, 0),
        (order, 0, end, 0),
        (end, 0, quit, 0),
    ] {
        patch.wire(from, outlet, to, inlet);
    }
    let env = patch.object("env~ 4096");
    let print = patch.object("print level");
    patch.wire(tocco, 0, env, 0);
    patch.wire(env, 0, print, 0);
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("running.pd");
    fs::write(&file, patch.text()).unwrap();
    let console = run(&folder, &file, RATE, &[]);
    for words in [
        "tocco~: name a scene, as in [tocco~ bar]",
        "tocco~: name a scene file, or a scene that comes with Tocco",
        "tocco~: no file and no shipped scene 'barr'; did you mean 'bar'?",
        "tocco~: a scene or a path is wanted, not the number 3",
        "tocco~: no parameter",
        "did you mean 'mass_kg'?",
        "hit/stiffness: not a number",
    ] {
        assert!(console.contains(words), "{words}\n{console}");
    }
    // It sounds on: what came in as no number was silence.
    let levels: Vec<f64> =
        console.lines().filter_map(|line| line.strip_prefix("level: ")).map(|x| x.parse().unwrap()).collect();
    assert!(levels.iter().all(|level| level.is_finite()) && levels.iter().any(|level| *level > 20.0), "{console}");
}
