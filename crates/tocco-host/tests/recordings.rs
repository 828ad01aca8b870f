// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings are never lost: full disks, kills, devices and readers that are stuck, files of the wrong name.
#![cfg(target_os = "linux")]

mod common;

use common::{SmallDisk, good, tocco};
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tocco_host::live::reel::Reel;
use tocco_host::osc::wire::bytes_of;
use tocco_lab::recording::Recording;
use tocco_lab::wav::WavReader;

/// The first Ctrl-C ends within this time, whatever is stuck.
const AT_ONCE: Duration = Duration::from_secs(2);

/// Frames of a sound as an independent reader counts them.
fn frames(path: &Path) -> u32 {
    hound::WavReader::open(path).unwrap().duration()
}

/// Frames of a take, which gives the beginning of what was recorded beside it, bit for bit.
fn replays(folder: &Path, take: &Path, wav: &Path) -> usize {
    common::replays(folder, take, wav).frames
}

fn signal(which: &str, id: u32) {
    assert!(Command::new("kill").args([which, &id.to_string()]).status().unwrap().success());
}

/// Waits for the end; panics if it takes longer than it may.
fn ends(child: &mut Child, within: Duration) -> (Option<i32>, Duration) {
    let since = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code(), since.elapsed());
        }
        if since.elapsed() > within {
            let _ = child.kill();
            panic!("not ended after {within:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until a file has so many bytes.
fn grows(path: &Path, bytes: u64) {
    let since = Instant::now();
    while fs::metadata(path).map_or(0, |meta| meta.len()) < bytes {
        assert!(since.elapsed() < Duration::from_secs(60), "{} does not grow", path.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn play(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tocco"));
    command.arg("play").args(words).current_dir(folder).stdin(Stdio::null());
    command
}

#[test]
fn on_a_full_disk_the_sound_goes_on_and_what_is_written_is_kept_and_valid() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let Some(_disk) = SmallDisk::mount(&folder.join("disk"), 512) else { return };
    let words = ["violin", "--device", "null", "--duration", "5", "--record", "disk/a.jsonl", "--wav", "disk/a.wav"];
    let out = play(folder, &words).output().unwrap();
    let (said, wrong) = (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap());
    assert_eq!(out.status.code(), Some(3), "{said}{wrong}");
    assert!(said.contains("the sound goes on") && said.contains("    5.0 s  ended"), "{said}");
    assert!(wrong.contains("a.wav") && wrong.lines().count() == 1, "{wrong}");
    let kept = frames(&folder.join("disk/a.wav"));
    // 512 KiB of two channels are 65 536 frames, less what the take needs.
    assert!((55_000..=65_536).contains(&kept), "{kept} frames fit on the disk");
    // The take has no room left either, and ends at a mark.
    let take = replays(folder, &folder.join("disk/a.jsonl"), &folder.join("disk/a.wav"));
    assert!(take >= 24_000, "{take}");
    let left: Vec<_> = fs::read_dir(folder.join("disk")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn a_sound_that_fills_its_disk_ends_alone_and_the_take_goes_on_to_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let Some(_disk) = SmallDisk::mount(&folder.join("disk"), 256) else { return };
    let words = ["violin", "--device", "null", "--duration", "4", "--record", "a.jsonl", "--wav", "disk/a.wav"];
    let out = play(folder, &words).output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(3), "{said}");
    assert!(said.contains("the sound goes on"), "{said}");
    // The take is of the whole performance, and what is on the disk is its beginning.
    let kept = common::replays(folder, &folder.join("a.jsonl"), &folder.join("disk/a.wav"));
    assert!(kept.frames >= 4 * 48_000 && (24_000..=32_768).contains(&kept.wav_frames), "{kept:?}");
}

#[test]
fn a_take_that_fills_its_disk_ends_alone_and_the_sound_goes_on_to_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let Some(_disk) = SmallDisk::mount(&folder.join("disk"), 64) else { return };
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let words = ["bar", "--device", "null", "--duration", "4", "--record", "disk/a.jsonl", "--wav", "a.wav"];
    let mut command = play(folder, &words);
    let child = command.args(["--osc", &port.to_string()]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    // A thousand gestures a second, each of them a line.
    for round in 0_u16.. {
        if child.try_wait().unwrap().is_some() {
            break;
        }
        for k in 0..10_u16 {
            let value = rosc::OscType::Float(1e6 + f32::from(round) + 100.0 * f32::from(k));
            let _ = socket.send_to(&bytes_of("/hit/stiffness", vec![value]), ("127.0.0.1", port));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let out = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(3), "{said}");
    assert!(said.contains("a.jsonl") && said.contains("the sound goes on"), "{said}");
    // The sound is of the whole performance, and what is on the disk gives its beginning.
    let kept = common::replays(folder, &folder.join("disk/a.jsonl"), &folder.join("a.wav"));
    assert!(kept.wav_frames >= 4 * 48_000 && (1..3 * 48_000).contains(&kept.frames), "{kept:?}");
}

#[test]
fn after_a_kill_the_sound_is_valid_and_recover_gives_both_files_back() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let words = ["violin", "--device", "null", "--record", "a.jsonl", "--wav", "a.wav", "--quiet"];
    let mut child = play(folder, &words).spawn().unwrap();
    let unfinished = folder.join("a.wav.unfinished");
    grows(&unfinished, 8 * 48_000 * 3);
    assert!(good(folder, &["recover", "--list"]).contains("is being recorded"));
    child.kill().unwrap();
    child.wait().unwrap();
    // As it was left, for whoever does not know of `recover`: at most a second is missing in the header.
    let (there, told) = (fs::metadata(&unfinished).unwrap().len() / 8, frames(&unfinished));
    assert!(u64::from(told) + 48_000 + 200 > there && told > 48_000, "{told} of {there}");
    let listed = good(folder, &["recover", "--list"]);
    assert!(listed.contains("a.jsonl.unfinished: a take of") && listed.contains("for ./a.wav"), "{listed}");
    fs::write(folder.join("a.wav"), "mine").unwrap();
    let mended = good(folder, &["recover"]);
    assert!(mended.contains("now ./a-recovered.wav"), "{mended}");
    assert_eq!(fs::read(folder.join("a.wav")).unwrap(), b"mine");
    let wav = folder.join("a-recovered.wav");
    let take = replays(folder, &folder.join("a.jsonl"), &wav);
    // Less than a second of both is lost; the machine may have been busy between the two.
    assert!(take + 96_000 > frames(&wav) as usize && take >= 48_000, "{take} of {}", frames(&wav));
    assert!(good(folder, &["recover"]).contains("nothing was left"));
}

#[test]
fn a_second_ctrl_c_keeps_the_recordings_too() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let words = ["bar", "--device", "null", "--record", "a.jsonl", "--wav", "a.wav", "--quiet"];
    let mut child = play(folder, &words).spawn().unwrap();
    grows(&folder.join("a.wav.unfinished"), 4 * 48_000);
    signal("-INT", child.id());
    signal("-INT", child.id());
    ends(&mut child, AT_ONCE);
    assert!(frames(&folder.join("a.wav")) > 40_000);
    replays(folder, &folder.join("a.jsonl"), &folder.join("a.wav"));
}

#[cfg(feature = "jack")]
#[test]
fn a_server_that_is_stopped_is_noticed_and_ctrl_c_ends_at_once_with_both_files() {
    use std::io::{BufRead, BufReader};
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let Some(jack) = common::Jack::start(&format!("tocco-stop-{}", std::process::id())) else { return };
    let words = ["play", "violin", "--device", "jack:output", "--record", "a.jsonl", "--wav", "a.wav"];
    let mut child = jack.tocco(folder, &words).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    grows(&folder.join("a.wav.unfinished"), 8 * 48_000);
    signal("-STOP", jack.server.id());
    let noticed = lines.any(|line| line.contains("no longer calls for sound"));
    signal("-INT", child.id());
    let (code, took) = ends(&mut child, AT_ONCE);
    signal("-CONT", jack.server.id());
    println!("ended after {took:?}");
    assert!(noticed && code == Some(3), "{code:?}");
    assert!(frames(&folder.join("a.wav")) >= 40_000);
    assert!(replays(folder, &folder.join("a.jsonl"), &folder.join("a.wav")) >= 20_000);
}

/// A pipe that is full and that nobody reads.
fn full_pipe() -> (std::io::PipeReader, std::io::PipeWriter) {
    let (reader, mut writer) = std::io::pipe().unwrap();
    // SAFETY: a plain call on a descriptor that is open.
    let room = unsafe { libc::fcntl(std::os::fd::AsRawFd::as_raw_fd(&writer), libc::F_SETPIPE_SZ, 4096) };
    assert!(room >= 4096);
    writer.write_all(&vec![b'x'; room as usize]).unwrap();
    (reader, writer)
}

#[test]
fn a_pipe_that_nobody_reads_holds_up_neither_the_sound_nor_ctrl_c() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (reader, writer) = full_pipe();
    let words = ["bar", "--device", "null", "--record", "a.jsonl", "--wav", "a.wav"];
    let mut child = play(folder, &words).stdout(writer.try_clone().unwrap()).stderr(writer).spawn().unwrap();
    grows(&folder.join("a.wav.unfinished"), 4 * 48_000 * 2);
    signal("-INT", child.id());
    let (code, took) = ends(&mut child, AT_ONCE);
    println!("ended after {took:?}");
    assert_eq!(code, Some(0));
    assert!(frames(&folder.join("a.wav")) > 90_000);
    replays(folder, &folder.join("a.jsonl"), &folder.join("a.wav"));
    drop(reader);
}

#[test]
fn on_a_full_disk_a_pipe_that_nobody_reads_does_not_hold_up_ctrl_c_either() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let Some(_disk) = SmallDisk::mount(&folder.join("disk"), 256) else { return };
    let (reader, writer) = full_pipe();
    let words = ["violin", "--device", "null", "--wav", "disk/a.wav"];
    let mut child = play(folder, &words).stdout(writer.try_clone().unwrap()).stderr(writer).spawn().unwrap();
    // The disk is full when the recording has its name.
    grows(&folder.join("disk/a.wav"), 8 * 24_000);
    signal("-INT", child.id());
    let (code, took) = ends(&mut child, AT_ONCE);
    println!("ended after {took:?}");
    assert_eq!(code, Some(3));
    assert!(frames(&folder.join("disk/a.wav")) >= 24_000);
    drop(reader);
}

#[test]
fn nothing_that_is_read_is_written_by_whatever_name() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    good(folder, &["--quiet", "render", "bar", "--duration", "0.1", "-o", "gesture.wav"]);
    let driven = "body.bar = { type = 'modal', modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }] }\n\
        drive = [{ path = 'bar/force_n', wav = 'gesture.wav' }]\ntap = [{ of = 'bar' }]\n";
    fs::write(folder.join("s.toml"), driven).unwrap();
    good(folder, &["--quiet", "play", "s.toml", "--offline", "--duration", "0.2", "--record", "t.jsonl"]);
    std::os::unix::fs::symlink("s.toml", folder.join("link.toml")).unwrap();
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/floor-snow-deep.toml"), folder.join("floor.toml"))
        .unwrap();
    let design = concat!(env!("CARGO_MANIFEST_DIR"), "/../../designs/");
    let design = fs::read_dir(design).unwrap().flatten().map(|entry| entry.path());
    fs::copy(
        design.filter(|path| path.extension().is_some_and(|end| end == "toml")).min().unwrap(),
        folder.join("set.json"),
    )
    .unwrap();
    fs::copy(folder.join("gesture.wav"), folder.join("numbered-001.wav")).unwrap();
    fs::write(folder.join("numbered.toml"), driven.replace("gesture.wav", "numbered-001.wav")).unwrap();
    fs::create_dir(folder.join("set")).unwrap();
    fs::write(folder.join("set/proportions.csv"), "mine").unwrap();
    // A sound that is called a picture: names are not believed.
    fs::copy(folder.join("gesture.wav"), folder.join("gesture.png")).unwrap();
    fs::write(folder.join("solid.stl"), "solid x\nendsolid\n").unwrap();
    let kept = [
        "s.toml",
        "gesture.wav",
        "gesture.png",
        "solid.stl",
        "t.jsonl",
        "floor.toml",
        "set.json",
        "set/proportions.csv",
        "numbered-001.wav",
    ];
    let before: Vec<Vec<u8>> = kept.map(|name| fs::read(folder.join(name)).unwrap()).into();
    for words in [
        &["render", "s.toml", "-o", "s.toml"][..],
        &["render", "s.toml", "-o", "link.toml"],
        &["render", "link.toml", "-o", "./s.toml"],
        &["render", "s.toml", "-o", "gesture.wav"],
        &["render", "s.toml", "-o", "x.wav", "--probe", "s.toml", "--probe-of", "bar.out_velocity"],
        &["render", "s.toml", "-o", "x.wav", "--probe", "./x.wav", "--probe-of", "bar.out_velocity"],
        &["render", "--take", "t.jsonl", "-o", "./t.jsonl"],
        &["play", "s.toml", "--offline", "--duration", "0.1", "--record", "s.toml"],
        &["play", "s.toml", "--offline", "--duration", "0.1", "--wav", "./gesture.wav"],
        &["play", "s.toml", "--offline", "--duration", "0.1", "--record", "x", "--wav", "./x"],
        &["analyse", "gesture.wav", "-o", "./gesture.wav"],
        &["play", "s.toml", "--offline", "--duration", "0.1", "--wav", "x", "--record", "./x.unfinished"],
        &["walk", "floor.toml", "-o", "./floor.toml"],
        &["walk", "floor.toml", "-o", "x.wav", "--save", "./floor.toml"],
        &["walk", "floor.toml", "-o", "x.wav", "--save", "./x.wav"],
        &["walk", "snow-deep", "--audio", "gesture.wav", "-o", "./gesture.wav"],
        &["shoes", "floor.toml", "--osc", "0", "--duration", "0.1", "--device", "null", "--record", "./floor.toml"],
        &[
            "shoes",
            "floor.toml",
            "--osc",
            "0",
            "--duration",
            "0.1",
            "--device",
            "null",
            "--record",
            "x",
            "--wav",
            "./x",
        ],
        &["haptic", "s.toml", "-o", "gesture.wav"],
        &["cracks", "s.toml", "-o", "./s.toml"],
        &["mesh", "solid.stl", "--material", "steel", "--unit", "mm", "-o", "./solid.stl"],
        &["compare", "gesture.png", "gesture.wav", "--picture", "./gesture.png"],
        &["analyse", "--steps", "gesture.wav", "-o", "./gesture.wav"],
        &["sweep", "numbered.toml", "--over", "bar/freq_scale=list(1,2)", "-o", "."],
        &["sweep", "set.json", "-o", "."],
        &["dataset", "set.json", "-o", "."],
        &["answers", "set", "set/proportions.csv", "-o", "set"],
    ] {
        let out = tocco(folder, words);
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(
            out.status.code() == Some(2)
                && ["name another file", "name another folder", "of its own"].iter().any(|words| said.contains(words)),
            "{words:?}: {said}"
        );
    }
    for (name, before) in kept.iter().zip(before) {
        assert!(fs::read(folder.join(name)).unwrap() == before, "{name}");
    }
    assert!(!folder.join("x.wav").exists() && !folder.join("x").exists());
}

#[test]
fn a_name_breaks_no_line_and_hides_in_none() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let scene = "title = \"x\\u001b[31m\\nFORGED\"\nbody.bar = { type = 'modal', modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }] }\n\
        tap = [{ of = 'bar' }]\nevent = [{ at_s = 0.0, hit = 'bar', impulse_n_s = 0.01 }]\n";
    fs::write(folder.join("s.toml"), scene).unwrap();
    fs::write(folder.join("n\nFORGED.toml"), scene).unwrap();
    fs::write(folder.join("q\nFORGED.jsonl.unfinished"), "").unwrap();
    for words in [
        &["check", "s.toml"][..],
        &["check", "n\nFORGED.toml"],
        &["describe", "s.toml"],
        &["describe", "n\nFORGED.toml"],
        &["describe", "n\nFORGED.toml", "--json"],
        &["render", "n\nFORGED.toml", "--set", "none\nFORGED=1", "-o", "a.wav"],
        &["play", "n\nFORGED.toml", "--offline", "--duration", "0.1", "--set", "none\nFORGED=1"],
        &["sweep", "s.toml", "--over", "bar/freq_scale=list(1,2)", "--duration", "0.1", "-o", "f\nFORGED"],
        &["map", "n\nFORGED.toml", "--x", "bar/freq_scale=1..2", "--y", "none\nFORGED=1..2", "-o", "m\nFORGED.png"],
        &["haptic", "n\nFORGED.toml", "-o", "h\nFORGED.wav"],
        &["cracks", "n\nFORGED.toml", "-o", "c\nFORGED.csv"],
        &["walk", "n\nFORGED.toml", "-o", "w\nFORGED.wav"],
        &["render", "s.toml", "--duration", "0.1", "-o", "y\nFORGED.wav"],
        &["play", "s.toml", "--offline", "--duration", "0.1", "--wav", "z\nFORGED\u{202e}.wav"],
        &["recover", "--list", "."],
    ] {
        let out = tocco(folder, words);
        let said = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
        // What these refuse may need no name.
        assert!(said.contains("FORGED") || ["cracks", "walk"].contains(&words[0]), "{words:?}: {said}");
        assert!(
            !said.lines().any(|line| line.starts_with("FORGED")) && !said.contains(['\u{1b}', '\u{202e}']),
            "{words:?}: {said}"
        );
    }
}

/// 4.4 GB on the disk, so with TOCCO_LONG only; the arithmetic of sizes is tried in `tocco_lab::wav`.
#[test]
fn a_sound_that_passes_4_gib_while_it_is_played_is_read_to_its_last_frame() {
    if std::env::var_os("TOCCO_LONG").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let wide = "body.bar = { type = 'modal', modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }] }\n\
        output.main = { channels = [0, 63] }\ntap = [{ of = 'bar' }]\n\
        event = [{ at_s = 349.0, hit = 'bar', impulse_n_s = 0.01 }]\n";
    fs::write(folder.join("s.toml"), wide).unwrap();
    let words =
        ["s.toml", "--offline", "--duration", "351", "--wav", "a.wav", "--no-limiter", "--quiet", "--buffer", "4096"];
    assert!(play(folder, &words).status().unwrap().success());
    let mut wav = WavReader::open(&folder.join("a.wav")).unwrap();
    assert_eq!((wav.channels, wav.frames), (64, 351 * 48_000));
    assert!(fs::metadata(folder.join("a.wav")).unwrap().len() > 1 << 32);
    let loud = wav.read(349 * 48_000 - 100, 200).unwrap();
    assert!(loud[..100 * 64].iter().all(|x| *x == 0.0) && loud[100 * 64..].iter().any(|x| *x != 0.0));
}

#[test]
fn a_disk_that_does_not_answer_is_told_of_holds_nobody_up_and_takes_what_waited_when_it_answers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.wav");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    // Somebody has it open and does not read: whoever writes more than a pipe holds is stuck.
    let reader = std::thread::spawn({
        let path = path.clone();
        move || fs::File::open(path).unwrap()
    });
    let recording = Recording::of_sound(&path, 1, 48_000.0, Vec::new()).unwrap();
    let mut reader = reader.join().unwrap();
    let (room, all) = (1 << 20, 6_000 * 480);
    let reel = Reel::with_room(recording, room).unwrap();
    let since = Instant::now();
    // A minute of sound, as fast as it comes.
    for _ in 0..6_000 {
        reel.add(&[0.25; 480]);
    }
    assert_eq!(reel.news().unwrap(), "the disk is too slow");
    assert_eq!(reel.news(), None);
    reel.breathe();
    // Whoever waited for the disk would do so for ever.
    assert!(since.elapsed() < Duration::from_secs(20), "nobody waited: {:?}", since.elapsed());
    // It answers at last.
    let reading = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).unwrap();
        bytes
    });
    let why = reel.keep().unwrap_err().to_string();
    assert!(why.starts_with("the disk is too slow; the recording of ") && why.ends_with("the sound goes on"), "{why}");
    let bytes = reading.join().unwrap();
    let sound = &bytes[bytes.windows(4).position(|word| word == b"data").unwrap() + 8..];
    let kept = sound.len() / 4;
    assert!(kept.is_multiple_of(480) && (room / 4 - 480..all / 2).contains(&kept), "{kept} samples");
    assert!(sound.chunks_exact(4).all(|x| x == 0.25_f32.to_le_bytes()));
}
