// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whatever comes from outside, with random damage: it is taken, or refused in one line; nothing panics, hangs or grows. Each
//! reader has its test here (HTTP, HTTPS and WebSocket theirs beside the studio's server, links of the page in `bindings/web/tests`).
//!
//! Damage is drawn from a seed, five seconds of it for each reader, a minute with TOCCO_LONG. What once went wrong is in
//! `tests/corpus`, a folder for each reader, and is always tried first.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tocco::rng::Rng;
use tocco::scene::Fetch;
use tocco::{Document, Scene};
use tocco_host::library::{self, SHIPPED, SHIPPED_BODIES};
use tocco_host::live::{self, Setup, Shared};
use tocco_host::osc::Server;
use tocco_host::osc::wire::{bundle, bytes_of, text};
use tocco_host::render::{Manner, Plan};
use tocco_host::sets::design::Design;
use tocco_host::sweep::{self, Axis};
use tocco_host::{answers, take};
use tocco_lab::analyse::read::Recording;
use tocco_lab::error::Result;
use tocco_lab::walk::plate;
use tocco_lab::wav::WavReader;
use tocco_lab::{mesh, recording};
use tocco_live::take::Replay;

fn lasting() -> Duration {
    Duration::from_secs(if std::env::var_os("TOCCO_LONG").is_some() { 60 } else { 5 })
}

/// No one input takes longer, by the processor's time of the thread that reads it: a busy machine does not matter.
const SLOWEST: Duration = Duration::from_secs(10);
/// Nor do all readers together ever hold more, bytes: each input is small.
const MOST_HELD: u64 = 1 << 30;

/// Processor time of this thread.
#[cfg(target_os = "linux")]
fn own_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(not(target_os = "linux"))]
fn own_time() -> Duration {
    Duration::from_nanos(live::clock::now_ns())
}

/// Most memory that this program has ever held, bytes; 0 where nobody says.
fn most_held() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Words that break readers.
const WORDS: &[&str] = &[
    "0",
    "-1",
    "-0.0",
    "1e308",
    "-1e308",
    "1e-320",
    "nan",
    "inf",
    "18446744073709551615",
    "4294967295",
    "-2147483648",
    "\"",
    "'",
    "[[",
    "]]",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "=",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "\u{feff}",
    "\u{202e}",
    "\u{1b}[31m",
    "null",
    "true",
    "../",
    "/",
    "#",
    "\\u0000",
    "\"end\"",
    "\"mark\"",
    "\"at\":",
    "\"rate_hz\":0",
    "\"rate_hz\":-48000.0",
    "[]",
    "{}",
];

/// One to eight changes: bytes turned, cut, doubled, moved; a word put in; a number in the place of another.
fn damaged(seed: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..1 + rng.bits() % 8 {
        let below = |n: usize, rng: &mut Rng| rng.bits() as usize % n.max(1);
        let (a, b) = (below(bytes.len(), rng), below(bytes.len(), rng));
        let (low, high) = (a.min(b), a.max(b).min(a.min(b) + 4096));
        match rng.bits() % 8 {
            0 if !bytes.is_empty() => bytes[a] = rng.bits() as u8,
            1 if !bytes.is_empty() => bytes[a] ^= 1 << (rng.bits() % 8),
            2 => drop(bytes.drain(low..high)),
            3 if bytes.len() < 1 << 20 => {
                let part = bytes[low..high].to_vec();
                bytes.splice(a..a, part);
            }
            4 => bytes.truncate(a),
            5 | 6 => {
                let word = WORDS[below(WORDS.len(), rng)].as_bytes().to_vec();
                let is_number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'-' | b'+');
                let from = (a..bytes.len()).find(|at| bytes[*at].is_ascii_digit()).unwrap_or(a);
                let to = from + bytes[from..].iter().take_while(|byte| is_number(byte)).count();
                bytes.splice(from..to, word);
            }
            _ if bytes.len() >= 8 => {
                let at = below(bytes.len() - 4, rng);
                let word = [0_u32, 1, u32::MAX, 1 << 31, 0x7fff_ffff, 4, 0xffff][below(7, rng)];
                let word = if rng.bits().is_multiple_of(2) { word.to_le_bytes() } else { word.to_be_bytes() };
                bytes[at..at + 4].copy_from_slice(&word);
            }
            _ => {}
        }
    }
    bytes
}

fn corpus(reader: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(reader);
    let mut all: Vec<_> = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all.into_iter().map(|path| (path.clone(), fs::read(&path).unwrap())).collect()
}

/// Tries a reader with what once broke it, then with damage. A refusal is one line; anything else is kept and shown.
fn fuzz(reader: &str, seeds: &[Vec<u8>], mut read: impl FnMut(&[u8]) -> std::result::Result<(), String>) {
    let (mut taken, mut refused, mut slowest) = (0, 0, Duration::ZERO);
    let mut attempt = |bytes: &[u8], called: &str| {
        let since = own_time();
        let done = catch_unwind(AssertUnwindSafe(|| read(bytes)));
        let took = own_time() - since;
        slowest = slowest.max(took);
        let wrong = match &done {
            Err(_) => Some("panicked".to_owned()),
            Ok(Err(said)) if said.lines().count() != 1 => Some(format!("said {said:?}")),
            Ok(_) if took > SLOWEST => Some(format!("took {took:?}")),
            Ok(_) if most_held() > MOST_HELD => Some(format!("held {} MB, with who ran beside it", most_held() >> 20)),
            Ok(_) => None,
        };
        if let Some(wrong) = wrong {
            let kept = std::env::temp_dir().join(format!("tocco-fuzz-{reader}-{called}"));
            let _ = fs::write(&kept, bytes);
            panic!(
                "{reader}, {called}: {wrong}; the input is {}: mend it, then put it into tests/corpus/{reader}",
                kept.display()
            );
        }
        match done {
            Ok(Ok(())) => taken += 1,
            _ => refused += 1,
        }
    };
    for (path, bytes) in corpus(reader) {
        attempt(&bytes, &path.file_name().unwrap().to_string_lossy());
    }
    for (index, seed) in seeds.iter().enumerate() {
        attempt(seed, &format!("seed-{index}"));
    }
    let (until, mut round) = (Instant::now() + lasting(), 0);
    while Instant::now() < until {
        let mut rng = Rng::new(round, reader);
        let seed = &seeds[rng.bits() as usize % seeds.len()];
        attempt(&damaged(seed, &mut rng), &round.to_string());
        round += 1;
    }
    let held = most_held();
    println!(
        "{reader}: {round} rounds, {taken} taken, {refused} refused, the slowest took {slowest:?}, {} MB",
        held >> 20
    );
    // A journal is never refused: what is no line of it is passed over.
    let both = taken > 0 && (refused > 0 || reader == "journal");
    assert!(round > 0 && both, "{reader}: {round} rounds, {taken} taken, {refused} refused");
}

/// What became of it, in words.
fn words<T>(done: Result<T>) -> std::result::Result<(), String> {
    done.map(|_| ()).map_err(|error| error.to_string())
}

/// A recorded take of a little playing.
fn a_take() -> Vec<u8> {
    let memory = tocco_live::take::SharedWriter::new(Vec::new());
    let (mut desk, mut player) = live::open(library::load("single-mode").unwrap(), Setup::default()).unwrap();
    desk.record(Box::new(memory.clone()), "fuzz").unwrap();
    desk.set(&desk.paths()[0].0.clone(), 1.0).unwrap();
    desk.hush().unwrap();
    let mut block = vec![0.0; 4096 * desk.channels()];
    player.play(&[], &mut block);
    desk.stop().unwrap();
    player.play(&[], &mut block);
    desk.poll().unwrap();
    desk.finish().unwrap();
    memory.fetch().unwrap()
}

#[test]
fn scene_text() {
    let seeds: Vec<Vec<u8>> = ["bar", "violin", "maracas", "clink", "plate", "rolling"]
        .map(|name| SHIPPED.iter().find(|(known, _)| *known == name).unwrap().1.as_bytes().to_vec())
        .to_vec();
    fuzz("scene", &seeds, |bytes| {
        let scene = library::from_text("fuzz", "fuzz", String::from_utf8_lossy(bytes).into_owned(), None);
        // Building is tried in `mutations.rs` of the lab; here the reader is.
        words(scene)
    });
}

#[test]
fn takes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("take.jsonl");
    fuzz("take", &[a_take()], |bytes| {
        fs::write(&path, bytes).unwrap();
        let take = take::read(&path).map_err(|error| error.to_string())?;
        if take.ticks > 1 << 20 {
            return Ok(());
        }
        let mut replay = Replay::new(&take).map_err(|error| error.to_string())?;
        let mut out = vec![0.0; 64 * take.header.channels];
        for _ in 0..4 {
            replay.render(&mut out);
        }
        Ok(())
    });
}

#[test]
fn unfinished_recordings() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.unfinished");
    let mut sound =
        recording::Recording::of_sound(&folder.path().join("b"), 2, 48_000.0, vec![(*b"INAM", "x".into())]).unwrap();
    sound.write(&[0; 64]).unwrap();
    sound.settle().unwrap();
    let sound = fs::read(folder.path().join("b.unfinished")).unwrap();
    fuzz("unfinished", &[a_take(), sound], |bytes| {
        fs::write(&path, bytes).unwrap();
        let listed = recording::mend(&path, true).map_err(|error| error.to_string());
        let mended = recording::mend(&path, false).map_err(|error| error.to_string());
        assert_eq!(listed.is_ok(), mended.is_ok(), "what is listed is what is mended");
        if let Ok(recording::Mended::Kept(_, kept)) = &mended {
            let sound = WavReader::open(kept).is_ok();
            assert!(sound || take::read(kept).is_ok(), "what is mended is good");
            fs::remove_file(kept).unwrap();
        }
        mended.map(|_| ())
    });
}

#[test]
fn designs() {
    let seeds: Vec<Vec<u8>> = tocco_host::sets::DESIGNS.iter().map(|(_, text)| text.as_bytes().to_vec()).collect();
    fuzz("design", &seeds, |bytes| words(Design::from_text("fuzz", "fuzz", &String::from_utf8_lossy(bytes), None)));
}

#[test]
fn journals() {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = Plan::new(library::load("single-mode").unwrap());
    plan.length = tocco::scene::def::Length::Seconds(0.005);
    let path = plan.build().unwrap().directory().paths()[0].0.clone();
    let axes = [Axis::parse(&format!("{path}=list(0.5,1)")).unwrap()];
    let again = || sweep::run(&plan, &axes, &Manner::default(), folder.path(), 1);
    again().unwrap();
    let manifest = fs::read(folder.path().join("manifest.tsv")).unwrap();
    let journal = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).find(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        !name.ends_with(".wav") && name != "manifest.tsv"
    });
    let journal = journal.unwrap();
    let seed = fs::read(&journal).unwrap();
    fuzz("journal", &[seed], |bytes| {
        fs::write(&journal, bytes).unwrap();
        again().map_err(|error| error.to_string())?;
        // What was resumed is what was made, whatever the journal says.
        let now = fs::read_to_string(folder.path().join("manifest.tsv")).unwrap();
        assert_eq!(now.as_bytes(), manifest, "{now}");
        Ok(())
    });
}

#[test]
fn answers_of_listeners() {
    let folder = tempfile::tempdir().unwrap();
    let set = folder.path();
    let parts = [
        (
            "set.json",
            r#"{"title":"t","key":"k","answers":["wood","steel"],"factors":[{"name":"size","log":false}],"derived":["d"]}"#,
        ),
        ("manifest.tsv", "file\tsize\td\na.wav\t1\t0.5\nb.wav\t2\t0.25\n"),
        ("order.tsv", "listener\ttrial\tfile\n1\t1\ta.wav\n1\t2\tb.wav\n"),
        ("answers.tsv", "listener\ttrial\tanswer\n1\t1\twood\n1\t2\tsteel\n"),
    ];
    // All four in one, so that damage may move from one to another.
    let seed = parts.map(|(_, text)| text).join("\u{1}");
    fuzz("answers", &[seed.into_bytes()], |bytes| {
        let mut texts = bytes.split(|byte| *byte == 1);
        for (name, _) in parts {
            fs::write(set.join(name), texts.next().unwrap_or_default()).unwrap();
        }
        words(answers::run(set, &[set.join("answers.tsv")], &set.join("out")))
    });
}

#[test]
fn osc_packets() {
    let (desk, mut player) =
        live::open(library::load("bar").unwrap(), Setup { watch_load: false, ..Setup::default() }).unwrap();
    let desk = Shared::new(desk);
    let mut server = Server::new(&desk, None);
    server.distrust();
    let number = rosc::OscType::Float(0.5);
    let seeds = vec![
        bytes_of("/hit/stiffness", vec![number.clone()]),
        bytes_of("/tocco/strike", vec![text("hammer"), number.clone()]),
        bytes_of("/tocco/subscribe", vec![number.clone(), text("hit.force")]),
        bytes_of("/tocco/describe", vec![text("/{hit,bar}/*")]),
        bundle(1, &[bundle(1, &[bytes_of("/h*/[a-z]*", vec![number])]), bytes_of("/tocco/ping", vec![])]),
    ];
    let mut block = vec![0.0; 64 * desk.lock().channels()];
    let mut round = 0;
    fuzz("osc", &seeds, |bytes| {
        round += 1;
        let before = desk.lock().counts();
        let from = SocketAddr::from(([127, 0, 0, 1 + (round % 3) as u8], 9_000 + (round % 50) as u16));
        server.receive(bytes, from);
        server.turn();
        player.play(&[], &mut block);
        assert!(block.iter().all(|x| x.is_finite()));
        let mut desk = desk.lock();
        desk.poll().unwrap();
        while desk.news().is_some() {}
        while server.answer().is_some() {}
        if desk.counts().refused > before.refused { Err("refused".into()) } else { Ok(()) }
    });
}

#[test]
fn sounds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    let samples: Vec<f32> = (0..2_000).map(|i| (i as f32 * 0.3).sin() * (-(i as f32) / 500.0).exp() * 0.5).collect();
    let mut seeds: Vec<Vec<u8>> = corpus("sounds").into_iter().map(|(_, bytes)| bytes).collect();
    for encoding in
        [tocco_lab::wav::Encoding::Int16, tocco_lab::wav::Encoding::Int24, tocco_lab::wav::Encoding::Float32]
    {
        let format = tocco_lab::wav::Format::new(2, 48_000.0, encoding).unwrap();
        for room in [false, true] {
            let mut bytes = tocco_lab::wav::header(format, &vec![(*b"INAM", "x".into())], 1_000, room);
            let mut samples_bytes = Vec::new();
            tocco_lab::wav::Encoder::new(encoding, 1).encode(&samples, &mut samples_bytes);
            bytes.extend(samples_bytes);
            seeds.push(bytes);
        }
    }
    fuzz("sounds", &seeds, |bytes| {
        fs::write(&path, bytes).unwrap();
        if let Ok(mut wav) = WavReader::open(&path) {
            let read = wav.read(0, 1 << 16);
            assert!(read.map_or(0, |samples| samples.len()) <= bytes.len());
        }
        words(Recording::open(&path, true))
    });
}

#[test]
fn plates() {
    let step = |k: i32| if k < 40 { 686.7 * (0.0785 * f64::from(k)).sin() } else { 0.0 };
    let rows = |line: &dyn Fn(i32) -> String| (0..60).map(line).collect::<String>();
    let seeds = [
        "time_s,left_N,right_N\n".to_owned() + &rows(&|k| format!("{},{:.1},0\n", 0.01 * f64::from(k), step(k))),
        "time [ms];fz (kN)\n".to_owned() + &rows(&|k| format!("{};{:.4}\n", 10 * k, 1e-3 * step(k))),
        "# insole\ntime_s\theel_left_BW\ttoe_left_BW\theel_right_BW\ttoe_right_BW\n".to_owned()
            + &rows(&|k| format!("{}\t{:.3}\t0.1\t0\t0\n", 0.01 * f64::from(k), step(k) / 686.7)),
    ];
    fuzz("plate", &seeds.map(String::into_bytes), |bytes| {
        words(plate::parse(&String::from_utf8_lossy(bytes), "fuzz", 70.0))
    });
}

#[test]
fn meshes() {
    let corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
    let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let mut obj: String = corners.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    obj.extend(faces.iter().map(|face| format!("f {} {}/1 {}//2\n", face[0] + 1, face[1] + 1, face[2] as i32 - 4)));
    let corner = |at: usize| format!("vertex {} {} {}\n", corners[at][0], corners[at][1], corners[at][2]);
    let facet = |face: &[usize; 3]| format!("facet\nouter loop\n{}endloop\nendfacet\n", (*face).map(corner).concat());
    let stl = "solid x\n".to_owned() + &faces.iter().map(facet).collect::<String>() + "endsolid\n";
    let mut binary = vec![0; 80];
    binary.extend(4_u32.to_le_bytes());
    for face in faces {
        binary.extend([0; 12]);
        binary.extend(face.iter().flat_map(|at| corners[*at]).flat_map(|x| (x as f32).to_le_bytes()));
        binary.extend([0; 2]);
    }
    let head = |format: &str| {
        format!(
            "ply\nformat {format} 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4\n\
             property list uchar int vertex_indices\nend_header\n"
        )
    };
    let mut ply = head("ascii");
    ply.extend(corners.iter().map(|[x, y, z]| format!("{x} {y} {z}\n")));
    ply.extend(faces.iter().map(|[a, b, c]| format!("3 {a} {b} {c}\n")));
    let mut packed = head("binary_big_endian").into_bytes();
    packed.extend(corners.iter().flatten().flat_map(|x| (*x as f32).to_be_bytes()));
    packed.extend(faces.iter().flat_map(|face| {
        [3].into_iter().chain(face.iter().flat_map(|at| (*at as i32).to_be_bytes())).collect::<Vec<u8>>()
    }));
    let all =
        [("obj", obj.into_bytes()), ("stl", stl.into_bytes()), ("stl", binary), ("ply", ply.into()), ("ply", packed)];
    for (ending, bytes) in &all {
        let surface = mesh::read::from_bytes(bytes, ending).unwrap();
        assert_eq!(surface.triangles.len(), 4, "{ending}");
    }
    // The first byte says how the name ends.
    let endings = ["obj", "stl", "ply"];
    let place = |ending: &str| endings.iter().position(|other| *other == ending).unwrap() as u8;
    let seeds = all.map(|(ending, bytes)| [vec![place(ending)], bytes].concat());
    fuzz("mesh", &seeds, |bytes| {
        let Some((first, rest)) = bytes.split_first() else { return Err("nothing".into()) };
        let surface = mesh::read::from_bytes(rest, endings[usize::from(*first) % 3])?;
        assert!(surface.triangles.iter().flatten().all(|at| (*at as usize) < surface.vertices.len()));
        Ok(())
    });
}

/// Whoever hands a baked body to a scene that names one.
struct Baked(String);

impl Fetch for Baked {
    fn recording(&mut self, file: &str) -> std::result::Result<tocco::scene::Recording, String> {
        Err(format!("no recording {file}"))
    }
    fn body(&mut self, _: &str) -> std::result::Result<String, String> {
        Ok(self.0.clone())
    }
}

#[test]
fn baked_bodies() {
    let seeds: Vec<Vec<u8>> = SHIPPED_BODIES.iter().map(|(_, text)| text.as_bytes().to_vec()).collect();
    fuzz("body", &seeds, |bytes| {
        let scene = "[body.thing]\ntype = \"mesh\"\nfile = \"thing.toml\"\n[[tap]]\nof = \"thing\"\n".to_owned();
        let baked = Baked(String::from_utf8_lossy(bytes).into_owned());
        let read = Document::read_with("fuzz", "fuzz", scene, baked).map_err(|error| error.to_string())?;
        Scene::build(&read.def, 48_000.0).map(|_| ()).map_err(|error| error.to_string())
    });
}
