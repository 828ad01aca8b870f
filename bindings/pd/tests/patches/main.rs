// SPDX-License-Identifier: MIT OR Apache-2.0
//! The external in a real Pure Data without window and sound card: its sound against the engine's, bit for bit, its messages by the
//! sample, its words, and every patch that is shipped with it.

mod external;
#[path = "../../src/instance.rs"]
#[allow(dead_code, reason = "what Pd alone calls")]
mod instance;
#[path = "../../../same_notes.rs"]
mod same_notes;
mod shipped;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tocco::scene::def::SceneDef;
use tocco::{Engine, Gesture, Queue, Scene};
use tocco_testing::allocations::{Counting, assert_awake, count, watched};
use tocco_testing::skip;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const RATE: f64 = 48_000.0;

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The modules and their scenes.
fn modules() -> PathBuf {
    here().join("patches")
}

/// A folder with the external under the name that Pd looks for; `None`, and said, without Pd.
fn external() -> Option<PathBuf> {
    if Command::new("pd").arg("-version").output().is_err() {
        skip("the external in Pure Data", "pd (puredata-core)");
        return None;
    }
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let found = [deps.clone(), deps.parent().unwrap().into()].map(|folder| folder.join("libtocco_pd.so"));
    let library = found.iter().find(|file| file.is_file()).expect("the library beside the tests");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pd");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("tocco~.pd_linux");
    // Tests run side by side: each puts it there as a whole.
    let own = folder.join(format!("{:?}", std::thread::current().id()).replace(['(', ')'], ""));
    fs::copy(library, &own).unwrap();
    fs::rename(own, file).unwrap();
    Some(folder)
}

/// A patch in the making.
#[derive(Default)]
struct Patch {
    lines: String,
    wires: String,
    count: usize,
}

impl Patch {
    fn put(&mut self, line: &str) -> usize {
        writeln!(self.lines, "#X {line};").unwrap();
        self.count += 1;
        self.count - 1
    }

    fn object(&mut self, text: &str) -> usize {
        self.put(&format!("obj 10 10 {text}"))
    }

    /// A message box; commas and semicolons as they are written in it.
    fn message(&mut self, text: &str) -> usize {
        let text = text.replace(", ", " \\, ").replace("; ", "\\; ");
        self.put(&format!("msg 10 10 {text}"))
    }

    fn wire(&mut self, from: usize, outlet: usize, to: usize, inlet: usize) {
        writeln!(self.wires, "#X connect {from} {outlet} {to} {inlet};").unwrap();
    }

    fn text(&self) -> String {
        format!("#N canvas 0 0 450 300 12;\n{}{}", self.lines, self.wires)
    }
}

/// What is done in a patch: messages with their times in ms to the box, below 0 before sound is switched on, signals into its inlets.
#[derive(Clone, Copy, Default)]
struct Doing<'a> {
    rate: f64,
    seconds: f64,
    messages: &'a [(f64, &'a str)],
    /// What is connected to each signal inlet, as an object and its creation arguments.
    signals: &'a [&'a str],
    /// The inlet of the first of them.
    first: usize,
    /// Size of the blocks, by `block~`; 0: as it is.
    block: usize,
    /// So many times Pd's rate, by `block~`; 0: as it is.
    faster: usize,
    /// Other boxes that play in the same patch.
    others: &'a [&'a str],
    /// Files that take the place of others, with their times in ms.
    copies: &'a [(f64, &'a Path, &'a Path)],
}

/// The sound of a box, channel by channel, and what the console says.
fn listen(name: &str, of: &str, channels: usize, doing: Doing) -> Option<(Vec<Vec<f32>>, String)> {
    hear(name, &format!("tocco~ {of}"), channels, doing)
}

/// The same of any object.
fn hear(name: &str, object: &str, channels: usize, doing: Doing) -> Option<(Vec<Vec<f32>>, String)> {
    let folder = external()?;
    let own = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pd-patches");
    fs::create_dir_all(&own).unwrap();
    let wav = own.join(format!("{name}.wav"));
    let _ = fs::remove_file(&wav);
    let rate = if doing.rate > 0.0 { doing.rate } else { RATE };
    let frames = (doing.seconds * rate) as usize * doing.faster.max(1);
    let mut patch = Patch::default();
    let tocco = patch.object(object);
    match (doing.block, doing.faster) {
        (0, 0) => {}
        (block, 0) => drop(patch.object(&format!("block~ {block}"))),
        (block, faster) => drop(patch.object(&format!("block~ {} 1 {faster}", block.max(64)))),
    }
    doing.others.iter().for_each(|other| {
        patch.object(&format!("tocco~ {other}"));
    });
    let print = patch.object("print out");
    patch.wire(tocco, channels, print, 0);
    for (inlet, signal) in doing.signals.iter().enumerate() {
        let signal = patch.object(signal);
        patch.wire(signal, 0, tocco, doing.first + inlet);
    }
    let begin = patch.object("loadbang");
    let first = patch.object("t b b b b");
    patch.wire(begin, 0, first, 0);
    let on = patch.message("; pd dsp 1");
    patch.wire(first, 2, on, 0);
    let mut arrays = Vec::new();
    for channel in 0..channels {
        let array = format!("{name}-{channel}");
        patch.object(&format!("array define {array} {frames}"));
        let write = patch.object(&format!("tabwrite~ {array}"));
        patch.wire(tocco, channel, write, 0);
        patch.wire(first, 1, write, 0);
        arrays.push(array);
    }
    for (at_ms, text) in doing.messages {
        let message = patch.message(text);
        patch.wire(message, 0, tocco, 0);
        if *at_ms < 0.0 {
            patch.wire(first, 3, message, 0);
            continue;
        }
        let delay = patch.object(&format!("del {at_ms}"));
        patch.wire(first, 0, delay, 0);
        patch.wire(delay, 0, message, 0);
    }
    for (at_ms, from, to) in doing.copies {
        let delay = patch.object(&format!("del {at_ms}"));
        let message = patch.message(&format!("list {} {}", from.display(), to.display()));
        let copy = patch.object("file copy");
        patch.wire(first, 0, delay, 0);
        patch.wire(delay, 0, message, 0);
        patch.wire(message, 0, copy, 0);
    }
    let end = patch.object(&format!("del {}", doing.seconds * 1e3 + 50.0));
    let last = patch.object("t b b");
    let write = patch.message(&format!("write -wave -bytes 4 {} {}", wav.display(), arrays.join(" ")));
    let (filer, quit) = (patch.object("soundfiler"), patch.message("; pd quit"));
    patch.wire(first, 0, end, 0);
    patch.wire(end, 0, last, 0);
    patch.wire(last, 1, write, 0);
    patch.wire(write, 0, filer, 0);
    patch.wire(last, 0, quit, 0);
    let file = own.join(format!("{name}.pd"));
    fs::write(&file, patch.text()).unwrap();
    let console = run(&folder, &file, rate, &["-path", modules().to_str()?]);
    let sound = fs::read(&wav).unwrap_or_else(|error| panic!("{name}: {error}\n{console}"));
    Some((channels_of(&sound, channels, frames), console))
}

/// Runs Pd on a patch as fast as it goes, until the patch ends it; the console.
fn run(folder: &Path, patch: &Path, rate: f64, more: &[&str]) -> String {
    run_in_time(folder, patch, rate, &[&["-batch"], more].concat())
}

/// The same by the clock, which Pd needs to hear what comes over the network.
fn run_in_time(folder: &Path, patch: &Path, rate: f64, more: &[&str]) -> String {
    let mut command = Command::new("timeout");
    command.args(["120", "pd", "-nogui", "-noprefs", "-stderr", "-nosound", "-r", &rate.to_string(), "-path"]);
    let output = command.arg(folder).args(more).arg("-open").arg(patch).output().unwrap();
    let console = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "Pd ended with {:?}: {console}", output.status);
    console
}

/// The samples of a WAV file of floats.
fn channels_of(bytes: &[u8], channels: usize, frames: usize) -> Vec<Vec<f32>> {
    let at = bytes.windows(4).position(|four| four == b"data").unwrap() + 8;
    let samples: Vec<f32> =
        bytes[at..].chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
    assert_eq!(samples.len(), frames * channels);
    (0..channels).map(|channel| samples.iter().skip(channel).step_by(channels).copied().collect()).collect()
}

/// What the program renders, with gestures at their ticks, channel by channel.
fn rendered(def: &SceneDef, rate: f64, seconds: f64, gestures: &[(u64, Gesture)], inputs: &[&[f32]]) -> Vec<Vec<f32>> {
    let scene = Scene::build(def, rate).unwrap();
    let (channels, mut queue) = (scene.channels(), Queue::new());
    for (at, gesture) in gestures {
        queue.push(*at, gesture.resolve(scene.directory()).unwrap().command);
    }
    let mut out = vec![0.0; (seconds * rate) as usize * channels];
    Engine::new(scene).render(inputs, &mut queue, &mut out);
    (0..channels).map(|channel| out.iter().skip(channel).step_by(channels).copied().collect()).collect()
}

#[track_caller]
fn same(what: &str, heard: &[Vec<f32>], wanted: &[Vec<f32>], console: &str) {
    assert_eq!(heard.len(), wanted.len(), "{what}: channels");
    for (channel, (heard, wanted)) in heard.iter().zip(wanted).enumerate() {
        let differs = heard.iter().zip(wanted).position(|(a, b)| a.to_bits() != b.to_bits());
        let sounds = wanted.iter().any(|x| *x != 0.0);
        assert!(differs.is_none() && sounds, "{what}: channel {channel} differs at {differs:?}; {console}");
    }
}

#[test]
fn making_a_block_allocates_nothing() {
    use instance::{Arg, Instance};
    assert_awake();
    let words =
        |text: &str| text.split(' ').map(|word| word.parse().map_or(Arg::Text(word.into()), Arg::Number)).collect();
    let args: Vec<Arg> = words("marimba");
    let mut one = Instance::new(&args, "", RATE).unwrap();
    one.prepare(RATE, 64).unwrap();
    let (mut plane, mut loudest, before) = (vec![0.0; 64], 0.0_f32, count());
    for block in 0..2000_usize {
        // Messages come between blocks, and may take their time.
        match block {
            100 | 300 | 500 => {
                one.message("note", &[Arg::Number(60.0 + block as f64 / 100.0), Arg::Number(100.0)], 17).unwrap()
            }
            700 => one.message("touches", &[Arg::Number(1.0)], 0).unwrap(),
            900 => one.message("load", &words("bar"), 0).unwrap(),
            1000 | 1100 => one.message("note", &[Arg::Number(50.0), Arg::Number(80.0)], 3).unwrap(),
            _ => {}
        }
        let news = watched(|| {
            let news = one.play(&[], 64);
            (0..one.channels()).for_each(|channel| one.copy(channel, &mut plane));
            news
        });
        loudest = plane.iter().fold(loudest, |loudest, x| loudest.max(x.abs()));
        if news {
            one.poll().unwrap();
            while one.news().is_some() {}
        }
    }
    assert_eq!(count() - before, 0);
    assert!(loudest > 1e-3, "{loudest}");
}

#[test]
fn every_note_is_told_to_have_ended_also_where_another_scene_or_rate_or_note_takes_its_place() {
    use instance::{Arg, Instance, News};
    fn ended(one: &mut Instance) -> Vec<f64> {
        let mut keys = Vec::new();
        while let Some(news) = one.news() {
            if let News::Message(name, values) = news
                && let ("ended", [Arg::Number(key)]) = (name.as_str(), values.as_slice())
            {
                keys.push(*key);
            }
        }
        keys.sort_by(f64::total_cmp);
        keys
    }
    type Act = fn(&mut Instance) -> Result<(), String>;
    let acts: [(&str, Act); 3] = [
        ("load", |one| one.message("load", &[Arg::Text("bar".into())], 0)),
        ("reload", |one| one.message("reload", &[], 0)),
        ("another rate", |one| one.prepare(44_100.0, 64)),
    ];
    for (what, act) in acts {
        let mut one = Instance::new(&[Arg::Text("bar".into())], "", RATE).unwrap();
        one.prepare(RATE, 64).unwrap();
        for key in [60.0, 64.0] {
            one.message("note", &[Arg::Number(key), Arg::Number(100.0)], 0).unwrap();
        }
        for _ in 0..40 {
            one.play(&[], 64);
        }
        one.poll().unwrap();
        assert!(ended(&mut one).is_empty(), "{what}: they ring");
        act(&mut one).unwrap();
        assert_eq!(ended(&mut one), [60.0, 64.0], "{what}");
        for _ in 0..40 {
            one.play(&[], 64);
        }
        one.poll().unwrap();
        assert!(ended(&mut one).is_empty(), "{what}: told twice");
    }
    // More at once than there are voices, three times over.
    let mut one = Instance::new(&[Arg::Text("bar".into())], "", RATE).unwrap();
    one.prepare(RATE, 64).unwrap();
    let keys: Vec<f64> = (0..32).map(|at| 48.0 + f64::from(at)).collect();
    for key in &keys {
        one.message("note", &[Arg::Number(*key), Arg::Number(100.0)], 0).unwrap();
    }
    let mut told = ended(&mut one);
    one.message("load", &[Arg::Text("bar".into())], 0).unwrap();
    told.extend(ended(&mut one));
    told.sort_by(f64::total_cmp);
    assert_eq!(told, keys);
}
