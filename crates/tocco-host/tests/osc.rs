// SPDX-License-Identifier: MIT OR Apache-2.0
//! OSC: the server against the desk.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod bench;

use bench::{Bench, ME, tocco, words};
use rosc::{OscMessage, OscType};
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};
use tocco::Gesture;
use tocco_host::error::HostError;
use tocco_host::library::{SHIPPED, SHIPPED_BODIES};
use tocco_host::osc::files::ToSave;
use tocco_host::osc::wire::{bundle, bytes_of, tag_of, text};
use tocco_live::take::Replay;

/// A plate of one mode, held at its edges: its shape is a product of sines.
const PLATE: &str = "[body.plate]\ntype = \"shape\"\nshape = \"rectangular-membrane\"\nlength_m = 0.3\nwidth_m = 0.2\nthickness_m = 0.0004\nfreq_hz = 200.0\nmaterial = \"skin\"\nmodes = 1\nport = { p = [0.5, 0.5], ear = [0.5, 0.5] }\n\
    [[tap]]\nof = \"plate.ear\"\ngain = 0.001\n";

const DRIVEN: &str = "body.bar = { type = \"modal\", modes = [{ freq_hz = 220.0, decay_s = 0.5, mass_kg = 0.05 }] }\ntap = [{ of = \"bar\" }]\n";

#[test]
fn every_path_takes_every_kind_of_number_and_a_pattern_reaches_all_it_matches() {
    let mut bench = Bench::new(None, None);
    for (value, meant) in [
        (OscType::Float(1e7), 1e7),
        (OscType::Double(2e7), 2e7),
        (OscType::Int(30_000_000), 3e7),
        (OscType::Long(40_000_000), 4e7),
    ] {
        assert!(bench.send("/hit/stiffness", vec![value]).is_empty());
        assert_eq!(bench.value("hit/stiffness"), meant);
    }
    assert!(bench.send("/{hit,nothing}/stiff*", vec![OscType::Double(5e7)]).is_empty());
    assert_eq!(bench.value("hit/stiffness"), 5e7);
    let forces: Vec<String> = {
        let paths = bench.desk.lock().paths();
        paths.into_iter().map(|(path, ..)| path).filter(|path| path.ends_with("/force_n")).collect()
    };
    assert!(forces.len() > 1);
    let before = bench.desk.lock().counts().sent;
    assert!(bench.send("/*/force_n", vec![OscType::Float(0.25)]).is_empty());
    assert_eq!(bench.desk.lock().counts().sent - before, forces.len() as u64);
    assert!(forces.iter().all(|path| bench.value(path) == 0.25));
    // Everything that exists is meant, and what takes other arguments is not.
    let before = bench.desk.lock().counts().sent;
    let paths = bench.desk.lock().paths();
    bench.send("/*/*", vec![OscType::Double(1.0)]);
    assert_eq!(bench.desk.lock().counts().sent - before, paths.len() as u64);
    let clamped = bench.send("/hit/stiffness", vec![OscType::Double(-1.0)]);
    assert_eq!(clamped[0].addr, "/tocco/clamped");
}

#[test]
fn a_mistake_is_answered_with_what_where_and_the_nearest_name_and_counted() {
    let mut bench = Bench::new(None, None);
    let mistakes: [(&str, Vec<OscType>, &str); 13] = [
        ("/hit/stifness", vec![OscType::Float(1.0)], "did you mean 'hit/stiffness'?"),
        ("/hit/stiffness", vec![text("hard")], "/hit/stiffness: takes a number, not the text 'hard'"),
        ("/hit/stiffness", vec![], "takes one number, or two with a glide in seconds, not 0 values"),
        ("/hit/stiffness", vec![OscType::Nil], "takes a number"),
        ("/hit/stiffness", vec![OscType::Float(f32::NAN)], "not a number"),
        ("/tocco/stirke", vec![text("hammer"), OscType::Float(1.0)], "did you mean 'tocco/strike'?"),
        ("/tocco/strike", vec![text("hamer"), OscType::Float(1.0)], "did you mean 'hammer'?"),
        ("/tocco/strike", vec![text("hammer"), OscType::Double(f64::NAN)], "not a number"),
        ("/tocco/strike", vec![OscType::Float(1.0)], "takes the name of a mass and a speed"),
        ("/tocco/subscribe", vec![OscType::Float(10.0), text("hit.forse")], "did you mean 'hit.force'?"),
        ("/no*/thing", vec![OscType::Float(1.0)], "matches nothing"),
        ("/hit/[a", vec![OscType::Float(1.0)], "without ']'"),
        ("//", vec![OscType::Float(1.0)], "empty"),
    ];
    let count = mistakes.len() as u64;
    for (address, args, meant) in mistakes {
        let error = bench.error(address, args);
        assert!(error.contains(meant), "{address}: {error}");
    }
    let counts = bench.desk.lock().counts();
    assert_eq!((counts.refused, counts.sent), (count, 0));
    // One remark a second at most, whatever happens.
    assert_eq!(std::iter::from_fn(|| bench.desk.lock().news()).count(), 1);
    // An answer is not answered, or two servers would talk for ever.
    assert!(bench.send("/tocco/error", vec![text("x")]).is_empty());
}

#[test]
fn a_gesture_comes_at_the_next_block_or_on_the_sample_of_its_time_tag() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("take.jsonl");
    let mut bench = Bench::new(None, Some(&path));
    for _ in 0..100 {
        bench.play(64);
    }
    bench.send("/hit/stiffness", vec![OscType::Double(1e7)]);
    let strike = |v: f64| bytes_of("/tocco/strike", vec![text("hammer"), OscType::Double(v)]);
    let soon = SystemTime::now() + Duration::from_millis(300);
    let later = soon + Duration::from_millis(10);
    let due = tocco_host::live::clock::tick_of(&bench.desk.lock(), soon).unwrap();
    // The inner bundle is 10 ms = 480 samples after the outer; one is late, one is for now.
    let inner = bundle(tag_of(later), &[strike(2.0)]);
    bench.server.receive(&bundle(tag_of(soon), &[strike(1.0), inner]), ME);
    bench.server.receive(&bundle(1, &[strike(3.0)]), ME);
    bench.server.receive(&bundle(tag_of(soon - Duration::from_secs(100)), &[strike(4.0)]), ME);
    while bench.desk.lock().tick() < due + 2_000 {
        bench.play(64);
    }
    assert!(bench.answers().is_empty());
    assert_eq!(bench.desk.lock().counts().late, 1);
    bench.desk.lock().stop().unwrap();
    bench.play(1);
    bench.take.take().unwrap().finish(&mut bench.desk.lock()).unwrap();
    let take = tocco_host::take::read(&path).unwrap();
    let at = |speed: f64| {
        let found =
            take.entries.iter().find(|e| matches!(&e.gesture, Gesture::Strike { velocity_m_s: v, .. } if *v == speed));
        found.unwrap().at
    };
    assert_eq!((at(3.0), at(4.0), at(1.0), at(2.0)), (6_400, 6_400, due, due + 480));
    assert!(
        take.entries
            .iter()
            .any(|e| matches!(&e.gesture, Gesture::Set { path: p, value: v } if p == "hit/stiffness" && *v == 1e7))
    );
    let mut replay = Replay::new(&take).unwrap();
    while replay.render(&mut [0.0; 4_096]) > 0 {}
    assert!(replay.is_faithful());

    let far = bundle(tag_of(SystemTime::now() + Duration::from_secs(3_600)), &[strike(1.0)]);
    bench.server.receive(&far, ME);
    assert!(bench.answers()[0].args[0].clone().string().unwrap().contains("ahead"));
}

#[test]
fn a_shape_is_touched_anywhere_on_the_sample_of_its_time_and_the_describe_table_says_how() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("plate.toml"), PLATE).unwrap();
    let mut bench = Bench::new(Some(folder.path()), None);
    assert_eq!(bench.send("/tocco/scene/load", vec![text("plate")])[0].addr, "/tocco/scene/loaded");
    bench.play(4_800);
    // How loud the first mode, which is zero at the edge, answers a blow at a place.
    let mut loud = |x: f64| {
        let said = bench.send("/tocco/touch", vec![text("plate.p"), OscType::Double(x), OscType::Float(0.5)]);
        assert!(said.is_empty(), "{said:?}");
        assert!(bench.send("/tocco/hit", vec![text("plate.p"), OscType::Float(1e-3)]).is_empty());
        let mut block = vec![0.0; 2 * 4_800];
        bench.player.play(&[], &mut block);
        bench.desk.lock().poll().unwrap();
        bench.send("/tocco/panic", vec![]);
        bench.play(4_800);
        block.iter().fold(0.0_f32, |most, x| most.max(x.abs()))
    };
    let middle = loud(0.5);
    for x in [0.25, 0.1, 0.01] {
        let (found, wanted) = (loud(x) / middle, (std::f64::consts::PI * x).sin() as f32);
        assert!((found / wanted - 1.0).abs() < 0.02, "at {x}: {found}, wanted {wanted}");
    }
    for (args, meant) in [
        (vec![text("plate.q"), OscType::Float(0.1), OscType::Float(0.1)], "no port 'q'; known: p, ear"),
        (vec![text("plate.p"), OscType::Float(f32::NAN), OscType::Float(0.1)], "not a number"),
        (vec![text("plate.p"), OscType::Float(0.0), OscType::Float(0.1)], "no mode moves there"),
        (vec![text("plate.p"), OscType::Float(0.1)], "plate"),
        (vec![text("plate.p")], "takes a place"),
        (vec![text("plate.p"), OscType::Float(2.0), OscType::Float(0.1)], "plate"),
    ] {
        let error = bench.error("/tocco/touch", args);
        assert!(error.contains(meant), "{error}");
    }
    let rows = bench.send("/tocco/describe", vec![text("tocco/touch")]);
    assert!(rows.iter().any(|row| row.addr == "/tocco/describe/method"
        && row.args[0] == text("/tocco/touch")
        && row.args[1].clone().string().unwrap().contains("fractions")));
    // A packet may not keep the desk busy for long.
    let touches = bytes_of("/tocco/touch", vec![text("plate.p"), OscType::Float(0.5), OscType::Float(0.5)]);
    bench.server.receive(&bundle(1, &vec![touches; 20]), ME);
    assert_eq!(bench.answers().len(), 4, "sixteen are taken");
}

#[test]
fn a_scene_in_the_folder_that_names_a_recording_outside_is_refused() {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().join("scenes");
    fs::create_dir_all(folder.join("deep")).unwrap();
    let render = |target: &Path| {
        let target = target.to_str().unwrap();
        let done = tocco(&["render", "bar", "--duration", "0.1", "-o", target]);
        assert!(done.status.success(), "{}", words(&done.stderr));
    };
    render(&out.path().join("secret.wav"));
    render(&folder.join("mine.wav"));
    let scene = |wav: &str| format!("{DRIVEN}drive = [{{ path = \"bar/force_n\", wav = \"{wav}\" }}]\n");
    let secret = out.path().join("secret.wav");
    for (name, wav) in [
        ("up", "../secret.wav"),
        ("deep/up", "../../secret.wav"),
        ("absolute", secret.to_str().unwrap()),
        ("nothing", "../nothing.wav"),
    ] {
        fs::write(folder.join(format!("{name}.toml")), scene(wav)).unwrap();
    }
    fs::write(folder.join("good.toml"), scene("mine.wav")).unwrap();
    fs::write(folder.join("deep/good.toml"), scene("../mine.wav")).unwrap();
    let mut bench = Bench::new(Some(&folder), None);
    for name in ["up", "deep/up", "absolute", "nothing"] {
        let error = bench.error("/tocco/scene/load", vec![text(name)]);
        assert!(error.contains("not inside the scenes folder"), "{name}: {error}");
    }
    for name in ["good", "deep/good"] {
        assert_eq!(bench.send("/tocco/scene/load", vec![text(name)])[0].addr, "/tocco/scene/loaded", "{name}");
    }
}

#[test]
fn parts_of_a_scene_and_recordings_that_it_or_they_follow_are_inside_the_folder_too() {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().join("scenes");
    fs::create_dir(&folder).unwrap();
    for target in [out.path().join("secret.wav"), folder.join("mine.wav")] {
        let done = tocco(&["render", "bar", "--duration", "0.1", "-o", target.to_str().unwrap()]);
        assert!(done.status.success(), "{}", words(&done.stderr));
    }
    let bell = SHIPPED.iter().find(|(name, _)| *name == "bell").unwrap().1;
    fs::write(out.path().join("secret.toml"), bell).unwrap();
    fs::write(out.path().join("notes.txt"), "password = hunter2\n").unwrap();
    fs::write(folder.join("mine.toml"), bell).unwrap();
    let driven = |wav: &str| format!("{DRIVEN}drive = [{{ path = \"bar/force_n\", wav = \"{wav}\" }}]\n");
    let part = |scene: &str| format!("[part.a]\nscene = \"{scene}\"\n");
    let heard = |keys: &str| format!("{DRIVEN}[signal.s]\ntype = \"follow\"\n{keys}\n");
    fs::write(folder.join("inner.toml"), driven("../secret.wav")).unwrap();
    let secret = out.path().join("secret.toml");
    for (name, scene, is_held) in [
        ("up", part("../secret.toml"), false),
        ("absolute", part(secret.to_str().unwrap()), false),
        ("nothing", part("../nothing.toml"), false),
        ("notes", part("../notes.txt"), false),
        ("through", part("inner.toml"), false),
        ("followed", heard("recording = \"../secret.wav\""), false),
        ("calibrated", heard("input = 0\ncalibrate = \"../secret.wav\""), false),
        ("mine", part("mine.toml"), true),
        ("shipped", part("bell"), true),
        ("heard", heard("recording = \"mine.wav\""), true),
    ] {
        fs::write(folder.join(format!("{name}-whole.toml")), scene).unwrap();
        let mut bench = Bench::new(Some(&folder), None);
        let name = format!("{name}-whole");
        if is_held {
            let loaded = bench.send("/tocco/scene/load", vec![text(&name)]);
            assert_eq!(loaded[0].addr, "/tocco/scene/loaded", "{name}: {loaded:?}");
        } else {
            let error = bench.error("/tocco/scene/load", vec![text(&name)]);
            assert!(error.contains("is not inside the scenes folder"), "{name}: {error}");
            assert!(!error.contains("hunter2"), "{name}: {error}");
        }
    }
}

#[test]
fn the_table_that_describe_answers_is_the_scenes() {
    let mut bench = Bench::new(None, None);
    let paths = bench.desk.lock().paths();
    let controls = bench.desk.lock().controls();
    let rows = bench.send("/tocco/describe", vec![]);
    let (methods, rows): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.addr == "/tocco/describe/method");
    assert_eq!(methods.len(), tocco_host::osc::methods().count());
    assert_eq!(rows.len(), paths.len() + controls.len() + 1);
    for ((path, spec, value), row) in paths.iter().zip(&rows) {
        let float = |x: f64| OscType::Float(x as f32);
        let meant = vec![
            text(format!("/{path}")),
            text(spec.unit),
            float(spec.min),
            float(spec.max),
            float(spec.default),
            float(*value),
            text(spec.doc),
        ];
        assert_eq!((row.addr.as_str(), &row.args), ("/tocco/describe/path", &meant));
    }
    assert_eq!(rows.last().unwrap().args, [OscType::Int((methods.len() + rows.len()) as i32 - 1)]);
    let some = bench.send("/tocco/describe", vec![text("/hit/*")]);
    assert!(some.len() > 2 && some.len() < rows.len());
}

#[test]
fn levels_and_probes_stream_to_those_who_asked_until_they_have_had_enough() {
    let mut bench = Bench::new(None, None);
    let kept = bench.send("/tocco/subscribe", vec![OscType::Float(1e6), text("hit.force"), text("energy")]);
    assert_eq!((kept[0].addr.as_str(), &kept[0].args[0]), ("/tocco/subscribed", &OscType::Float(200.0)));
    bench.send("/tocco/strike", vec![text("hammer"), OscType::Float(2.0)]);
    let (mut levels, mut energy) = (0.0_f32, 0.0_f32);
    for _ in 0..200 {
        bench.play(64);
        std::thread::sleep(Duration::from_millis(1));
        bench.server.turn();
        for answer in bench.answers() {
            match (answer.addr.as_str(), answer.args.as_slice()) {
                ("/tocco/levels", [OscType::Long(_), OscType::Float(peak), OscType::Float(rms), ..]) => {
                    assert!(rms <= peak);
                    levels = levels.max(*peak);
                }
                ("/tocco/probe", [OscType::Long(_), OscType::String(signal), OscType::Float(value)]) => {
                    assert!(signal == "energy" || signal == "hit.force");
                    energy = energy.max(if signal == "energy" { *value } else { 0.0 });
                }
                other => panic!("{other:?}"),
            }
        }
    }
    assert!(levels > 1e-4 && energy > 1e-6, "{levels} {energy}");
    assert_eq!(bench.send("/tocco/unsubscribe", vec![])[0].addr, "/tocco/unsubscribed");
    bench.play(64);
    bench.server.turn();
    assert!(bench.answers().is_empty());
    // Eight, and no more.
    for port in 1..=9 {
        let from = SocketAddr::from(([127, 0, 0, 1], port));
        bench.server.receive(&bytes_of("/tocco/subscribe", vec![]), from);
    }
    let last = bench.answers().pop().unwrap();
    assert!(last.addr == "/tocco/error" && last.args[0].clone().string().unwrap().contains("8 listen"));
}

#[test]
fn a_baked_body_that_a_scene_names_is_inside_the_folder_or_comes_with_the_program() {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().join("scenes");
    fs::create_dir(&folder).unwrap();
    for place in [out.path().join("body.toml"), folder.join("inside.toml")] {
        fs::write(place, SHIPPED_BODIES[0].1).unwrap();
    }
    let mut bench = Bench::new(Some(&folder), None);
    for (file, held) in
        [("../body.toml", false), ("inside.toml", true), ("bodies/bell.toml", true), ("bodies/none.toml", false)]
    {
        let scene = format!("[body.thing]\ntype = \"mesh\"\nfile = \"{file}\"\n[[tap]]\nof = \"thing\"\n");
        fs::write(folder.join("named.toml"), scene).unwrap();
        if held {
            let loaded = bench.send("/tocco/scene/load", vec![text("named")]);
            assert_eq!(loaded[0].addr, "/tocco/scene/loaded", "{file}: {loaded:?}");
        } else {
            let error = bench.error("/tocco/scene/load", vec![text("named")]);
            assert!(error.contains("is not inside the scenes folder"), "{file}: {error}");
        }
    }
}

#[test]
fn scenes_are_loaded_and_saved_inside_their_folder_and_nowhere_else() {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().join("scenes");
    fs::create_dir(&folder).unwrap();
    let bell = SHIPPED.iter().find(|(name, _)| *name == "bell").unwrap().1;
    fs::write(out.path().join("secret.toml"), bell).unwrap();
    fs::write(folder.join("mine.toml"), bell).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(out.path().join("secret.toml"), folder.join("link.toml")).unwrap();
        std::os::unix::fs::symlink(out.path(), folder.join("door")).unwrap();
    }
    let mut bench = Bench::new(Some(&folder), None);
    bench.send("/hit/stiffness", vec![OscType::Double(1.5e7)]);
    let saved = bench.send("/tocco/scene/save", vec![text("kept")]);
    assert_eq!((saved[0].addr.as_str(), &saved[0].args[0]), ("/tocco/scene/saved", &text("kept.toml")));
    let secret = out.path().join("secret").display().to_string();
    for name in ["../secret", "/etc/passwd", secret.as_str(), "", ".", "a/../../secret", "link", "door/secret", "kep"] {
        let error = bench.error("/tocco/scene/load", vec![text(name)]);
        assert!(error.contains("scenes folder"), "{name}: {error}");
    }
    for name in ["../new", "/new", "door/new", "kept", "link", "none/new"] {
        bench.error("/tocco/scene/save", vec![text(name)]);
    }
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 2, "nothing was written outside");
    assert_eq!(bench.desk.lock().generation(), 0);
    // What was set is in the file, and sounds from its beginning.
    let text_of = fs::read_to_string(folder.join("kept.toml")).unwrap();
    assert!(text_of.contains("set = \"hit/stiffness\"\nvalue = 15000000.0"), "{text_of}");
    let loaded = bench.send("/tocco/scene/load", vec![text("kept")]);
    assert_eq!(loaded[0].addr, "/tocco/scene/loaded", "{loaded:?}");
    assert_eq!(bench.send("/tocco/scene/load", vec![text("mine.toml")])[0].addr, "/tocco/scene/loaded");
    assert_eq!(bench.send("/tocco/scene/load", vec![text("violin")])[0].addr, "/tocco/scene/loaded");
    bench.play(64);
    assert_eq!(bench.desk.lock().generation(), 3);
    assert_eq!(bench.desk.lock().scene().name, "violin");
    let mut bare = Bench::new(None, None);
    assert!(bare.error("/tocco/scene/save", vec![text("x")]).contains("--scenes"));
    assert_eq!(bare.send("/tocco/panic", vec![])[0].addr, "/tocco/hushed");
}

/// A scene that takes its time to be built.
fn slowly(scene: tocco::Document) -> tocco_live::Result<tocco::Document> {
    std::thread::sleep(Duration::from_millis(1500));
    Ok(scene)
}

#[test]
fn while_a_slow_scene_is_built_panic_and_everybody_else_get_through_and_its_sender_keeps_his_order() {
    let mut bench = Bench::new(None, None);
    bench.desk.lock().prepare_with(slowly);
    let other = SocketAddr::from(([127, 0, 0, 2], 8888));
    let since = Instant::now();
    bench.server.receive(&bytes_of("/tocco/scene/load", vec![text("bell")]), ME);
    bench.server.receive(&bytes_of("/tocco/ping", vec![text("after")]), ME);
    bench.server.receive(&bytes_of("/tocco/panic", vec![]), ME);
    bench.server.receive(&bytes_of("/hit/stiffness", vec![OscType::Float(1e7)]), other);
    bench.server.receive(&bytes_of("/tocco/scene/load", vec![text("bar")]), other);
    assert_eq!(bench.value("hit/stiffness"), 1e7, "the desk is free");
    let heard: Vec<String> = bench.answers().into_iter().map(|answer| answer.addr).collect();
    assert_eq!(heard, ["/tocco/hushed", "/tocco/error"]);
    assert!(since.elapsed() < Duration::from_millis(1400), "nobody waited: {:?}", since.elapsed());
    assert_eq!(bench.desk.lock().scene().name, "bar");
    bench.server.settle(Duration::from_secs(60));
    let heard: Vec<String> = bench.answers().into_iter().map(|answer| answer.addr).collect();
    assert_eq!(heard, ["/tocco/scene/loaded", "/tocco/pong"]);
    assert_eq!(bench.desk.lock().scene().name, "bell");
}

/// A disk that takes its time.
fn by_and_by(scene: ToSave) -> Result<String, HostError> {
    std::thread::sleep(Duration::from_millis(1500));
    scene.write()
}

#[test]
fn while_a_slow_disk_takes_a_scene_everybody_gets_through_and_its_sender_is_told_when_it_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut bench = Bench::new(Some(folder.path()), None);
    bench.server.save_with(by_and_by);
    let since = Instant::now();
    bench.server.receive(&bytes_of("/tocco/scene/save", vec![text("kept")]), ME);
    // Many packets: had each waited only for a moment, they would have waited for the disk together.
    for value in 0..200 {
        bench.server.receive(&bytes_of("/hit/stiffness", vec![OscType::Double(1e7 + f64::from(value))]), ME);
    }
    bench.server.receive(&bytes_of("/tocco/panic", vec![]), ME);
    bench.server.receive(&bytes_of("/tocco/scene/save", vec![text("another")]), ME);
    assert_eq!(bench.value("hit/stiffness"), 1e7 + 199.0, "the desk is free");
    let heard: Vec<String> = bench.answers().into_iter().map(|answer| answer.addr).collect();
    assert_eq!(heard, ["/tocco/hushed", "/tocco/error"]);
    assert!(since.elapsed() < Duration::from_millis(1400), "nobody waited: {:?}", since.elapsed());
    assert!(!folder.path().join("kept.toml").exists());
    bench.server.settle(Duration::from_secs(60));
    let heard = bench.answers();
    assert_eq!((heard[0].addr.as_str(), heard[0].args.as_slice()), ("/tocco/scene/saved", &[text("kept.toml")][..]));
    assert!(folder.path().join("kept.toml").exists() && !folder.path().join("another.toml").exists());
}

#[test]
fn what_waits_for_a_scene_is_bounded_and_a_bundle_keeps_its_order() {
    let mut bench = Bench::new(None, None);
    bench.desk.lock().prepare_with(slowly);
    let both =
        bundle(1, &[bytes_of("/tocco/scene/load", vec![text("bell")]), bytes_of("/tocco/ping", vec![text("a")])]);
    bench.server.receive(&both, ME);
    for _ in 0..3_000 {
        bench.server.receive(&bytes_of("/tocco/ping", vec![text("b")]), ME);
    }
    let refused = bench.answers().iter().filter(|answer| answer.addr == "/tocco/error").count();
    assert!((1_900..2_000).contains(&refused), "{refused}");
    bench.server.settle(Duration::from_secs(60));
    let heard: Vec<OscMessage> = bench.answers();
    assert_eq!((heard[0].addr.as_str(), heard[1].args.as_slice()), ("/tocco/scene/loaded", &[text("a")][..]));
}

/// Bytes that go to whoever has not shown to be where he says.
#[test]
fn a_forged_address_gets_no_more_than_was_sent_in_its_name() {
    let mut bench = Bench::new(None, None);
    bench.server.distrust();
    let forged = SocketAddr::from(([192, 0, 2, 7], 53));
    let (mut sent, mut got) = (0, 0);
    for round in 0..2_000 {
        let bytes = match round % 5 {
            0 => bytes_of("/tocco/describe", vec![]),
            1 => bytes_of("/tocco/subscribe", vec![OscType::Float(200.0)]),
            2 => bytes_of("/hit/stifness", vec![OscType::Float(1.0)]),
            3 => bytes_of("/tocco/ping", vec![text("x")]),
            _ => b"junk".to_vec(),
        };
        sent += bytes.len();
        // From another address each time: nobody has been asked a moment ago.
        let forged = SocketAddr::from(([192, 0, 2, 8], 1 + round));
        bench.server.receive(&bytes, forged);
        bench.play(64);
        bench.server.turn();
        let back = std::iter::from_fn(|| bench.server.answer()).map(|(_, bytes)| bytes.len()).sum::<usize>();
        assert!(back <= bytes.len(), "{back} bytes for {}", bytes.len());
        got += back;
    }
    assert!(got <= sent && got > 0, "{got} bytes for {sent}");
    // Who answers the question is served, from there and nowhere else.
    bench.server.receive(&bytes_of("/tocco/ping", vec![text("who are you")]), forged);
    let number = bench.answers().pop().unwrap().args[0].clone();
    bench.server.receive(&bytes_of("/tocco/who", vec![number]), forged);
    bench.server.receive(&bytes_of("/tocco/ping", vec![text("who are you")]), forged);
    assert_eq!(bench.answers().pop().unwrap().addr, "/tocco/pong");
    let other = SocketAddr::from(([192, 0, 2, 7], 54));
    bench.server.receive(&bytes_of("/tocco/ping", vec![text("who are you")]), other);
    assert_eq!(bench.answers().pop().unwrap().addr, "/tocco/who");
}

#[test]
fn among_ten_thousand_forged_addresses_an_honest_one_is_asked_at_once() {
    let mut bench = Bench::new(None, None);
    bench.server.distrust();
    let ping = bytes_of("/tocco/ping", vec![text("who are you")]);
    for round in 0..10_000_u16 {
        bench.server.receive(&ping, SocketAddr::from(([192, 0, 2, 8], 1 + round)));
    }
    let honest = SocketAddr::from(([192, 0, 2, 7], 53));
    bench.server.receive(&ping, honest);
    let asked: Vec<_> = std::iter::from_fn(|| bench.server.answer()).filter(|(to, _)| *to == honest).collect();
    assert!(matches!(asked.as_slice(), [(_, bytes)] if bytes.starts_with(b"/tocco/who\0")), "{asked:?}");
}

#[test]
fn a_scene_that_cannot_be_played_in_time_is_refused_when_it_is_loaded_and_the_one_before_plays_on() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("crowd.toml"), tocco_testing::crowd(256)).unwrap();
    let mut bench = Bench::new(Some(folder.path()), None);
    for method in ["/tocco/scene/load", "/tocco/scene/edit"] {
        let said = bench.error(method, vec![text("crowd")]);
        assert!(said.contains("to be played live"), "{method}: {said}");
        assert_eq!(bench.desk.lock().scene().name, "bar");
        assert!(bench.send("/tocco/strike", vec![text("hammer"), OscType::Float(1.0)]).is_empty());
        let mut block = vec![0.0; 4800 * bench.player.channels()];
        bench.player.play(&[], &mut block);
        assert!(block.iter().any(|x| *x != 0.0), "{method}");
        bench.send("/tocco/panic", vec![]);
        bench.play(4800);
    }
}

#[test]
fn one_sender_takes_neither_all_streams_nor_all_of_the_future_nor_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let mut bench = Bench::new(Some(folder.path()), None);
    bench.play(64);
    let from = |bench: &mut Bench, last: u8, port: u16, bytes: &[u8]| {
        bench.server.receive(bytes, SocketAddr::from(([10, 0, 0, last], port)));
        bench.answers().pop().map(|answer| answer.addr)
    };
    let ask = bytes_of("/tocco/subscribe", vec![]);
    let granted = (0..8).filter(|port| from(&mut bench, 1, 1000 + port, &ask).unwrap() == "/tocco/subscribed").count();
    assert_eq!(granted, 4);
    assert_eq!(from(&mut bench, 2, 1000, &ask).unwrap(), "/tocco/subscribed");
    let later = SystemTime::now() + Duration::from_secs(30);
    let one = || bytes_of("/hit/stiffness", vec![OscType::Float(1e7)]);
    let many = bundle(tag_of(later), &(0..1000).map(|_| one()).collect::<Vec<_>>());
    for _ in 0..4 {
        from(&mut bench, 1, 1, &many);
    }
    assert_eq!(from(&mut bench, 1, 2, &bundle(tag_of(later), &[one()])).as_deref(), Some("/tocco/error"));
    assert_eq!(from(&mut bench, 2, 2, &bundle(tag_of(later), &[one()])), None, "another's is taken");
    let saved = |bench: &mut Bench, name: &str| bench.send("/tocco/scene/save", vec![text(name)])[0].addr.clone();
    for round in 0..256 {
        assert_eq!(saved(&mut bench, &format!("s{round}")), "/tocco/scene/saved");
    }
    assert_eq!(saved(&mut bench, "one-more"), "/tocco/error");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 256);
}

#[test]
fn what_is_hidden_in_a_name_is_refused_or_shown_and_no_folder_of_ours_is_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("broken.toml"), "[body.x]\ntype = \"nonsense\"\n").unwrap();
    fs::write(
        folder.path().join("drive.toml"),
        DRIVEN.to_owned() + "drive = [{ path = \"bar/force_n\", wav = \"broken.toml\" }]\n",
    )
    .unwrap();
    let mut bench = Bench::new(Some(folder.path()), None);
    for address in ["/hit\u{1b}[31m/x", "/hit\nOSC/x", "/a\u{202e}b", "/\u{7}", "/a\u{2028}b"] {
        assert!(bench.error(address, vec![OscType::Float(1.0)]).contains("cannot be seen"), "{address:?}");
    }
    for name in ["bell\u{1b}]0;x\u{7}", "bell\n", "be\u{202e}ll", "broken", "drive", "none", "../x"] {
        for method in ["/tocco/scene/load", "/tocco/scene/save"] {
            let said = match bench.send(method, vec![text(name)]).as_slice() {
                [OscMessage { addr, args }] if addr == "/tocco/error" => args[0].clone().string().unwrap(),
                [OscMessage { addr, .. }] if addr == "/tocco/scene/saved" => continue,
                other => panic!("{other:?}"),
            };
            assert!(!said.contains(folder.path().to_str().unwrap()) && !said.contains("/tmp"), "{said}");
            assert!(!said.contains(|c: char| c.is_control() || c == '\u{202e}'), "{said:?}");
        }
    }
}

#[test]
fn what_may_be_set_live_may_be_saved_and_loaded_again() {
    let folder = tempfile::tempdir().unwrap();
    for (round, scene) in ["bar", "violin", "maracas", "cello"].into_iter().enumerate() {
        for most in [true, false] {
            let mut bench = Bench::new(Some(folder.path()), None);
            bench.send("/tocco/scene/load", vec![text(scene)]);
            bench.play(64);
            let paths = bench.desk.lock().paths();
            for (path, spec, _) in paths {
                bench.send(&format!("/{path}"), vec![OscType::Double(if most { spec.max } else { spec.min })]);
                bench.play(64);
            }
            let name = format!("{round}{most}");
            assert_eq!(bench.send("/tocco/scene/save", vec![text(name.as_str())])[0].addr, "/tocco/scene/saved");
            let loaded = bench.send("/tocco/scene/load", vec![text(name.as_str())]);
            assert_eq!(loaded[0].addr, "/tocco/scene/loaded", "{scene}: {loaded:?}");
        }
    }
}
