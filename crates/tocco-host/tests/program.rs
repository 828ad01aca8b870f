// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program as people meet it: the real binary, its files, its words, its exit codes.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod common;
use common::{good, tocco};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use tocco_host::library::SHIPPED;
use tocco_host::starter::STARTERS;
use tocco_host::wav::WavReader;

const SMALL: &str = tocco_testing::struck_bar!(
    "title = \"small\"\nduration_s = 0.2\n",
    "{ freq_hz = 440.0, decay_s = 0.05, mass_kg = 0.05 }, { freq_hz = 12000.0, decay_s = 0.01, mass_kg = 0.05 }"
);

/// Longer than any file system allows.
const LONG_NAME: &str = match std::str::from_utf8(&[b'x'; 300]) {
    Ok(name) => name,
    Err(_) => "",
};

fn with_small() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("small.toml"), SMALL).unwrap();
    dir
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn every_bad_input_gets_one_line_the_right_code_and_leaves_nothing_behind() {
    let dir = with_small();
    let here = dir.path();
    fs::create_dir(here.join("folder")).unwrap();
    fs::write(here.join("junk.toml"), [0, 159, 146, 150, 255, 7, 27]).unwrap();
    fs::write(here.join("typo.toml"), SMALL.replace("\"hammer\", \"bar\"", "\"hammer\", \"bra\"")).unwrap();
    fs::write(here.join("empty.toml"), "").unwrap();
    fs::write(here.join("deaf.toml"), SMALL.split("[[tap]]").next().unwrap()).unwrap();
    fs::write(here.join("short.wav"), b"RIFF").unwrap();
    let wav = "[[drive]]\npath = \"bar/force_n\"\nwav = \"short.wav\"\n";
    fs::write(here.join("wav.toml"), format!("{SMALL}{wav}")).unwrap();
    for (name, rate_hz) in [("no-rate.jsonl", "0"), ("past.jsonl", "-48000.0")] {
        let end = "{\"at\":100,\"hush\":true}\n{\"end\":200,\"hash\":\"0\"}";
        let head = format!(
            "{{\"take\":2,\"rate_hz\":{rate_hz},\"channels\":1,\"sets\":[],\"scene\":{{\"text\":\"\",\"seed\":1}}}}"
        );
        fs::write(here.join(name), format!("{head}\n{end}\n")).unwrap();
    }
    let crowded = "scene = \"bar\"\nlisteners = 10000\n[[factor]]\nname = \"a\"\nlinear = [0.1, 1.0, 100000]\n[set]\n\"hammer/mass_kg\" = \"a\"\n";
    fs::write(here.join("crowded.toml"), crowded).unwrap();
    let before = names(here);
    let cases: &[(i32, &str, &[&str])] = &[
        (2, "no such file", &["render", "missing.toml", "-o", "x.wav"]),
        (2, "it would be a WAV", &["render", "small.toml", "-o", "x.mp3"]),
        (2, "did you mean 'bar'?", &["render", "bra", "-o", "x.wav"]),
        (2, "folder", &["render", "folder", "-o", "x.wav"]),
        (2, "not text", &["render", "junk.toml", "-o", "x.wav"]),
        (2, "typo.toml:10: contact.hit.between", &["check", "typo.toml"]),
        (2, "did you mean 'bar'?", &["render", "typo.toml", "-o", "x.wav"]),
        (2, "add a [body.NAME] and a [[tap]]", &["render", "empty.toml", "-o", "x.wav"]),
        (2, "nothing to hear; add a [body.NAME] and a [[tap]]", &["check", "empty.toml"]),
        (2, "nothing is heard; add a [[tap]]", &["check", "deaf.toml"]),
        (2, "wants a whole number from 0", &["render", "small.toml", "-o", "x.wav", "--seed", "-1"]),
        (2, "wants a whole number from 0", &["render", "small.toml", "-o", "x.wav", "--seed", "1.5"]),
        (2, "at least 1; leave it out for all cores", &["gallery", "-o", "g", "--jobs", "0"]),
        (2, "at least 1; leave it out for all cores", &["gallery", "-o", "g", "--jobs", "-2"]),
        (2, "cannot make folder /proc/none/x: no such file or directory", &["gallery", "-o", "/proc/none/x"]),
        (2, "short.wav", &["render", "wav.toml", "-o", "x.wav"]),
        (2, "folder does not exist", &["render", "small.toml", "-o", "no/such/x.wav"]),
        (2, "folder", &["render", "small.toml", "-o", "folder"]),
        (2, "part of the path is a file", &["render", "small.toml", "-o", "small.toml/x.wav"]),
        (2, "value is required", &["render", "small.toml", "-o", ""]),
        (2, "folder", &["render", "small.toml", "-o", ".."]),
        (2, "too long", &["render", "small.toml", "-o", LONG_NAME]),
        (3, "no space left", &["render", "small.toml", "-o", "/dev/full"]),
        (
            3,
            "no space left",
            &["render", "small.toml", "-o", "x.wav", "--probe", "/dev/full", "--probe-of", "hit.force"],
        ),
        (2, "Hz", &["render", "small.toml", "-o", "x.wav", "--rate", "1"]),
        (2, "Hz", &["render", "small.toml", "-o", "x.wav", "--rate", "1e300"]),
        (2, "Hz", &["render", "small.toml", "-o", "x.wav", "--rate", "nan"]),
        (2, "whole number", &["render", "small.toml", "-o", "x.wav", "--rate", "44100.5"]),
        (2, "auto", &["render", "small.toml", "-o", "x.wav", "--duration", "-1"]),
        (2, "auto", &["render", "small.toml", "-o", "x.wav", "--duration", "nan"]),
        (2, "not a take", &["render", "--take", "/dev/zero", "-o", "x.wav"]),
        (2, "no rate_hz", &["send", "--replay", "no-rate.jsonl"]),
        (2, "no rate_hz", &["send", "--replay", "past.jsonl"]),
        (2, "trials for all listeners", &["sweep", "crowded.toml", "-o", "y"]),
        (2, "64 TiB", &["render", "small.toml", "-o", "x.wav", "--duration", "1e9"]),
        (2, "64 TiB", &["render", "small.toml", "-o", "x.wav", "--duration", "1e300"]),
        (2, "did you mean 'hit/stiffness'?", &["render", "small.toml", "-o", "x.wav", "--set", "hit/stifness=1"]),
        (2, "NaN", &["render", "small.toml", "-o", "x.wav", "--set", "hit/stiffness=nan"]),
        (2, "not a number", &["render", "small.toml", "-o", "x.wav", "--set", "hit/stiffness=hard"]),
        (
            2,
            "out of range; give 1.0 to 1e25 N/m^exponent",
            &["render", "small.toml", "-o", "x.wav", "--set", "hit/stiffness=-1"],
        ),
        (2, "PATH=VALUE", &["render", "small.toml", "-o", "x.wav", "--set", "hit/stiffness"]),
        (2, "--probe-of", &["render", "small.toml", "-o", "x.wav", "--probe", "p.csv", "--probe-of", "hit.farce"]),
        (
            2,
            "goes there already",
            &["render", "small.toml", "-o", "x.wav", "--probe", "x.wav", "--probe-of", "hit.force"],
        ),
        (2, "decibels", &["render", "small.toml", "-o", "x.wav", "--gain-db", "inf"]),
        (2, "'32'", &["render", "small.toml", "-o", "x.wav", "--bits", "32"]),
        (2, "did you mean 'render'?", &["rendr"]),
        (2, "--output", &["render", "small.toml"]),
        (2, "no kind and no scene", &["describe", "gong-show"]),
        (2, "did you mean 'modal'?", &["describe", "modale"]),
        (2, "did you mean 'strike'?", &["new", "srtike"]),
        (2, "exists already", &["new", "strike", "-o", "small.toml"]),
        (2, "PATH=low..high", &["sweep", "small.toml", "--over", "hit/stiffness=1e5..", "-o", "s"]),
        (2, "out of range", &["sweep", "small.toml", "--over", "hit/exponent=1..9,3", "-o", "s"]),
        (2, "a file has that name", &["sweep", "small.toml", "--over", "hit/exponent=1..2,3", "-o", "small.toml"]),
        (2, "a file has that name", &["gallery", "-o", "small.toml"]),
        (2, "did you mean", &["reproduce", "tabel-2.1"]),
        (2, "did you mean 'free'?", &["bench", "fere"]),
        (2, "a file has that name", &["reproduce", "all", "-o", "small.toml"]),
    ];
    for (code, words, arguments) in cases {
        let out = tocco(here, arguments);
        let error = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(*code), "{arguments:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{arguments:?}: {error}");
        assert!(error.starts_with("tocco: ") && error.contains(words), "{arguments:?}: {error}");
        assert!(out.stdout.is_empty(), "{arguments:?}");
        assert_eq!(names(here), before, "{arguments:?} left something behind");
    }
}

#[test]
fn signals_processes_and_parts_that_cannot_be_get_one_line_and_code_2() {
    let dir = with_small();
    let here = dir.path();
    let base = format!("{SMALL}[body.floor]\ntype = \"wall\"\n[signal.s]\ntype = \"input\"\n");
    let process = |rest: &str| format!("{base}[process.p]\ndriven_by = \"s\"\n{rest}");
    let bands = |freq_hz: f64| {
        format!("type = \"particles\"\nresonances = [{{ freq_hz = {freq_hz:?}, bandwidth_hz = 90.0 }}]\n")
    };
    fs::write(here.join("inside.toml"), process(&bands(900.0))).unwrap();
    let held = |rest: &str| format!("{SMALL}[part.a]\nscene = \"inside.toml\"\n{rest}");
    for (said, text) in [
        ("reads itself", format!("{SMALL}[signal.s]\ntype = \"probe\"\nof = \"s\"\n")),
        ("would hold itself", format!("{SMALL}[part.a]\nscene = \"bad.toml\"\n")),
        ("has no inlet 't'", held("signal.t = \"x\"\n[signal.x]\ntype = \"input\"\n")),
        ("alpha", process("type = \"crumple\"\non = \"bar\"\nalpha = 0.0\n")),
        ("alpha", process("type = \"crumple\"\non = \"bar\"\nalpha = -1.5\n")),
        ("is not above", process("type = \"crumple\"\non = \"bar\"\nenergy_j = [1e-3, 1e-3]\n")),
        ("is not above", process("type = \"crumple\"\non = \"bar\"\nenergy_j = [1e-3, 1e-5]\n")),
        ("does not yield to a hit", process("type = \"particles\"\non = \"floor\"\n")),
        ("is not below half the rate", process(&bands(25_000.0))),
        ("needs input or recording", format!("{SMALL}[signal.s]\ntype = \"follow\"\n")),
    ] {
        fs::write(here.join("bad.toml"), &text).unwrap();
        for arguments in [&["check", "bad.toml"][..], &["render", "bad.toml", "-o", "x.wav"]] {
            let out = tocco(here, arguments);
            let error = String::from_utf8_lossy(&out.stderr).into_owned() + &String::from_utf8_lossy(&out.stdout);
            assert_eq!(out.status.code(), Some(2), "{arguments:?} {text}\n{error}");
            assert!(error.contains(said) && error.trim_end().lines().count() == 1, "{text}\n{error}");
            assert!(!here.join("x.wav").exists());
        }
    }
}

#[test]
fn the_same_command_gives_the_same_bytes_and_tells_what_it_wrote() {
    let dir = with_small();
    for bits in ["16", "24", "32f"] {
        let said = good(dir.path(), &["render", "small.toml", "-o", "a.wav", "--bits", bits, "--seed", "9"]);
        assert!(said.contains("0.200 s, mono, 48000 Hz, peak") && said.contains("0 "), "{said}");
        good(dir.path(), &["render", "small.toml", "-o", "b.wav", "--bits", bits, "--seed", "9"]);
        assert_eq!(fs::read(dir.path().join("a.wav")).unwrap(), fs::read(dir.path().join("b.wav")).unwrap());
        let wav = WavReader::open(&dir.path().join("a.wav")).unwrap();
        assert_eq!(wav.frames, 9600);
        let info = |id: &[u8; 4]| wav.info.iter().find(|(known, _)| known == id).unwrap().1.clone();
        assert_eq!(info(b"INAM"), "small");
        assert_eq!(info(b"ISFT"), format!("tocco {}", env!("CARGO_PKG_VERSION")));
        assert!(info(b"ICMT").contains("seed 9"), "{}", info(b"ICMT"));
    }
}

#[test]
fn a_pipe_gets_the_same_bytes_as_a_file() {
    let dir = with_small();
    for duration in ["0.1", "auto"] {
        good(dir.path(), &["render", "small.toml", "-o", "a.wav", "--duration", duration]);
        let piped = tocco(dir.path(), &["render", "small.toml", "-o", "-", "--duration", duration, "--quiet"]);
        assert!(piped.stdout == fs::read(dir.path().join("a.wav")).unwrap(), "{duration}");
    }
}

#[test]
fn normalising_brings_the_peak_where_it_was_asked() {
    let dir = with_small();
    let peak = |name: &str| {
        let samples = WavReader::open(&dir.path().join(name)).unwrap().read(0, 1 << 20).unwrap();
        samples.iter().fold(0.0_f32, |m, x| m.max(x.abs()))
    };
    good(dir.path(), &["render", "small.toml", "-o", "a.wav", "--normalise", "--bits", "32f"]);
    assert!((peak("a.wav") - 0.891_250_9).abs() < 1e-6);
    good(dir.path(), &["render", "small.toml", "-o", "b.wav", "--normalise", "-20", "--bits", "32f"]);
    assert!((peak("b.wav") - 0.1).abs() < 1e-7);
    let said = good(dir.path(), &["render", "small.toml", "-o", "c.wav", "--normalise", "6"]);
    assert!(said.contains("peak 6.0 dBFS") && !said.contains(" 0 clipped"), "{said}");
}

#[test]
fn an_automatic_length_ends_ninety_decibels_down_and_after_the_last_event() {
    let dir = with_small();
    good(dir.path(), &["render", "small.toml", "-o", "a.wav", "--duration", "auto", "--bits", "32f"]);
    let mut wav = WavReader::open(&dir.path().join("a.wav")).unwrap();
    let samples = wav.read(0, 1 << 20).unwrap();
    let peak = samples.iter().fold(0.0_f32, |m, x| m.max(x.abs()));
    let (tail, before) = samples.split_at(samples.len() - 12_000);
    let loudest = |part: &[f32]| part.iter().fold(0.0_f32, |m, x| m.max(x.abs())) / peak;
    assert!(loudest(before) <= 3.163e-5 && loudest(&tail[tail.len() - 200..]) > 3.0e-5);
    // The first mode falls by 90 dB in 10.36 times its decay time; then a quarter of a second of quiet.
    let expected_s = 0.01 + 0.05 * 10.36 + 0.25;
    assert!((samples.len() as f64 / 48_000.0 - expected_s).abs() < 0.06, "{}", samples.len());
    let late = format!("{SMALL}[[event]]\nat_s = 2.5\nhit = \"bar\"\nimpulse_n_s = 0.001\n");
    fs::write(dir.path().join("late.toml"), late).unwrap();
    good(dir.path(), &["render", "late.toml", "-o", "b.wav", "--duration", "auto"]);
    assert!(WavReader::open(&dir.path().join("b.wav")).unwrap().frames > 2 * 48_000 + 24_000);
}

#[test]
fn silence_is_called_silence_and_is_an_error_unless_it_is_asked_for() {
    let dir = with_small();
    fs::write(dir.path().join("still.toml"), SMALL.replace("velocity_m_s = 1.0", "velocity_m_s = 0.0")).unwrap();
    let done = tocco(dir.path(), &["render", "still.toml", "-o", "a.wav"]);
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.code() == Some(1) && said.contains("SILENT") && said.contains("--allow-silence"), "{said}");
    assert!(dir.path().join("a.wav").exists(), "the file is there all the same");
    let said = good(dir.path(), &["render", "still.toml", "-o", "a.wav", "--allow-silence"]);
    assert!(said.contains("SILENT"), "{said}");
    // What is below half a step of the file is silence there, and none where the file has such steps.
    fs::write(dir.path().join("faint.toml"), SMALL.replacen("[[tap]]\n", "[[tap]]\ngain = 1e-12\n", 1)).unwrap();
    let faint = |more: &[&str]| tocco(dir.path(), &[&["render", "faint.toml", "-o", "a.wav"], more].concat());
    for bits in ["16", "24"] {
        let done = faint(&["--bits", bits]);
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.code() == Some(1) && said.contains("SILENT") && said.contains("half a step"), "{said}");
    }
    for more in [&["--bits", "32f"][..], &["--normalise", "-3"], &["--allow-silence"]] {
        let done = faint(more);
        assert!(done.status.success(), "{more:?}: {}", String::from_utf8_lossy(&done.stderr));
    }
    // A take of it, too.
    good(dir.path(), &["play", "still.toml", "--offline", "--duration", "0.1", "--record", "still.jsonl"]);
    let take = ["render", "--take", "still.jsonl", "-o", "a.wav"];
    let done = tocco(dir.path(), &take);
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.code() == Some(1) && said.contains("SILENT") && said.contains("--allow-silence"), "{said}");
    good(dir.path(), &[&take[..], &["--allow-silence"]].concat());
}

#[test]
fn who_asks_for_what_is_not_there_hears_of_ten_at_most_and_of_papers_by_author_and_year() {
    let dir = with_small();
    for arguments in [["bench", "zzz"], ["reproduce", "felt"], ["reproduce", "zzz"], ["reproduce", "003-table"]] {
        let done = tocco(dir.path(), &arguments);
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.code() == Some(2) && said.trim_end().lines().count() == 1, "{arguments:?}: {said}");
        let answer = said.split_once("; ").unwrap_or_else(|| panic!("{arguments:?}: {said}")).1;
        assert!(answer.split(", ").count() <= 10 && !answer.contains("possible values"), "{arguments:?}: {said}");
        // As a word's beginning: the 003- of avanzini-2003-felt is a year's.
        let is_number = |word: &str| (0..5).any(|paper| word.starts_with(&format!("00{paper}-")));
        assert!(!answer.split([' ', '\'']).any(is_number), "{arguments:?}: {said}");
    }
}

#[test]
fn shells_complete_its_commands_and_every_command_has_a_manual_page() {
    let dir = with_small();
    for shell in ["bash", "zsh", "fish"] {
        let script = good(dir.path(), &["completions", shell]);
        assert!(script.contains("allow-silence") && script.contains("reproduce"), "{shell}");
    }
    // bash itself takes the script and completes by it.
    fs::write(dir.path().join("tocco.bash"), good(dir.path(), &["completions", "bash"])).unwrap();
    let ask =
        "source ./tocco.bash; COMP_WORDS=(tocco rep); COMP_CWORD=1; _tocco tocco rep tocco; echo \"${COMPREPLY[@]}\"";
    let done = std::process::Command::new("bash").args(["-c", ask]).current_dir(dir.path()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&done.stdout).trim(), "reproduce", "{done:?}");
    good(dir.path(), &["man", "-o", "man"]);
    let page = fs::read_to_string(dir.path().join("man/tocco-render.1")).unwrap();
    assert!(page.contains(".SH OPTIONS") && page.contains("picture"), "{page}");
    let help = good(dir.path(), &["--help"]);
    let commands = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    for command in commands.lines().filter_map(|line| line.split_whitespace().next()).filter(|word| *word != "help") {
        assert!(dir.path().join(format!("man/tocco-{command}.1")).exists(), "{command}");
    }
}

#[test]
fn the_list_of_scenes_is_json_for_programs() {
    let dir = with_small();
    let list: serde_json::Value = serde_json::from_str(&good(dir.path(), &["scenes", "--json"])).unwrap();
    let rows = list.as_array().unwrap();
    assert_eq!(rows.len(), SHIPPED.len());
    let cello = rows.iter().find(|row| row["name"] == "cello").unwrap();
    assert_eq!((cello["seconds"].as_f64(), cello["title"].as_str()), (Some(6.9), Some("a bowed cello D string")));
}

#[test]
fn a_picture_is_a_png_or_is_refused_and_unknown_names_are_answered_with_ten_at_most() {
    let dir = with_small();
    let drawing: [&[&str]; 5] = [
        &["render", "small.toml", "-o", "a.wav"],
        &["analyse", "b.wav", "-o", "a.toml"],
        &["compare", "b.wav", "b.wav"],
        &["fluid", "-o", "a.wav"],
        &["walk", "snow-deep", "-o", "a.wav"],
    ];
    good(dir.path(), &["render", "small.toml", "-o", "b.wav"]);
    for words in drawing {
        let done = tocco(dir.path(), &[words, &["--picture", "a.jpg"]].concat());
        assert!(done.status.code() == Some(2) && String::from_utf8_lossy(&done.stderr).contains("PNG"), "{done:?}");
        assert_eq!(names(dir.path()), ["b.wav", "small.toml"], "{words:?}");
    }
    let done = tocco(dir.path(), &["check", "qqqqq"]);
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.code() == Some(2) && said.matches(", ").count() == 9 && said.contains(" more"), "{said}");
}

#[test]
fn two_sounds_are_compared_as_a_table_as_json_and_as_a_picture_and_scenes_beside_recordings() {
    let dir = with_small();
    for (file, scale) in [("a.wav", "bar/freq_scale=1"), ("b.wav", "bar/freq_scale=0.5")] {
        good(dir.path(), &["render", "small.toml", "-o", file, "--duration", "0.5", "--set", scale]);
    }
    let table = good(dir.path(), &["compare", "a.wav", "b.wav"]);
    assert!(table.contains("a.wav") && table.contains("b.wav") && table.contains("third octaves"), "{table}");
    let said = good(dir.path(), &["compare", "a.wav", "b.wav", "--json", "--picture", "beside.png"]);
    let told: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!((told["sound"].as_str(), told["beside"].as_str()), (Some("a.wav"), Some("b.wav")));
    let rows = told["descriptors"].as_array().unwrap();
    assert!(rows.len() == 10 && rows.iter().all(|row| table.contains(row["words"].as_str().unwrap())), "{table}");
    let centroid = rows.iter().find(|row| row["words"].as_str().unwrap().starts_with("centroid")).unwrap();
    let ratio = centroid["value"].as_f64().unwrap() / centroid["beside"]["p50"].as_f64().unwrap();
    assert!((ratio - 2.0).abs() < 0.1, "an octave higher: {centroid}");
    assert!(fs::read(dir.path().join("beside.png")).unwrap().starts_with(b"\x89PNG\r\n\x1a\n"));
    // Beside a folder: its range, from four sounds on.
    for (file, scale) in [("c.wav", "0.7"), ("d.wav", "0.9")] {
        let scale = format!("bar/freq_scale={scale}");
        good(dir.path(), &["render", "small.toml", "-o", file, "--duration", "0.5", "--set", &scale]);
    }
    let told = |what: &str| -> serde_json::Value {
        serde_json::from_str(&good(dir.path(), &["compare", "a.wav", what, "--json"])).unwrap()
    };
    let folder = told(".");
    let row = |told: &serde_json::Value, begins: &str| -> serde_json::Value {
        let rows = told["descriptors"].as_array().unwrap();
        rows.iter().find(|row| row["words"].as_str().unwrap().starts_with(begins)).unwrap().clone()
    };
    let centroid = row(&folder, "centroid");
    let part = |id: &str| centroid["beside"][id].as_f64().unwrap();
    assert!(part("p10") < part("p50") && part("p50") < part("p90"), "{centroid}");
    // The highest of four is outside what most of them are.
    assert_eq!(
        (centroid["within"].as_bool(), row(&folder, "crest")["within"].is_boolean()),
        (Some(false), true),
        "{centroid}"
    );
    let table = good(dir.path(), &["compare", "a.wav", "."]);
    assert!(table.contains("OUTSIDE") && table.contains("4 "), "{table}");
    // Beside recordings that were measured, by their kind; a wrong one is answered by those near it.
    let block = told("woodblock");
    assert!(
        row(&block, "crest")["beside"]["p10"].is_number() && block["beside"].as_str() == Some("woodblock"),
        "{block}"
    );
    let done = tocco(dir.path(), &["compare", "a.wav", "woodblok"]);
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(
        done.status.code() == Some(2) && said.contains("no file, folder or kind of recording 'woodblok'"),
        "{said}"
    );
    assert!(said.contains("'woodblock'") && said.lines().count() == 1, "{said}");
    let table = good(dir.path(), &["compare", "--scenes", "woodblock"]);
    assert!(
        table.starts_with("woodblock: ") && table.contains(" recordings of 'woodblock' have (goal 7 of 10): reached")
    );
    assert_eq!(table.lines().count(), 1 + rows.len(), "{table}");
}

#[test]
fn probes_are_a_table_with_one_row_per_sample() {
    let dir = with_small();
    good(
        dir.path(),
        &["render", "small.toml", "-o", "a.wav", "--probe", "p.csv", "--probe-of", "hit.force,hammer.velocity"],
    );
    let text = fs::read_to_string(dir.path().join("p.csv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next().unwrap(), "time_s,hit.force,hammer.velocity");
    let rows: Vec<Vec<f64>> = lines.map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), 9600);
    assert_eq!(rows[479][0], 0.01);
    // Impulse = change of momentum: the hammer of 0.01 kg came with 1 m/s and leaves with what the last row says.
    let impulse: f64 = rows.iter().map(|row| row[1] / 48_000.0).sum();
    assert!((impulse - 0.01 * (1.0 - rows[9599][2])).abs() < 1e-6, "{impulse} {}", rows[9599][2]);
}

#[test]
fn a_set_value_changes_the_sound_and_is_written_into_the_file() {
    let dir = with_small();
    good(dir.path(), &["render", "small.toml", "-o", "a.wav"]);
    good(dir.path(), &["render", "small.toml", "-o", "b.wav", "--set", "bar/freq_scale=0.5"]);
    let crossings = |name: &str| {
        let samples = WavReader::open(&dir.path().join(name)).unwrap().read(4800, 4800).unwrap();
        samples.windows(2).filter(|w| (w[0] < 0.0) != (w[1] < 0.0)).count() as f64
    };
    // A tenth of a second of 440 Hz crosses zero 88 times, of 220 Hz 44 times.
    assert!((crossings("a.wav") - 88.0).abs() <= 2.0 && (crossings("b.wav") - 44.0).abs() <= 2.0);
    let wav = WavReader::open(&dir.path().join("b.wav")).unwrap();
    assert!(wav.info.iter().any(|(_, text)| text.contains("bar/freq_scale=0.5")));
}

#[test]
fn a_hammers_hardness_is_set_swept_and_mapped_like_any_parameter() {
    let dir = with_small();
    let here = dir.path();
    good(here, &["render", "small.toml", "-o", "hard.wav", "--set", "hit/hardness_01=0.8"]);
    good(here, &["render", "small.toml", "-o", "soft.wav", "--set", "hit/contact_time_s=5e-3"]);
    assert!(fs::read(here.join("hard.wav")).unwrap() != fs::read(here.join("soft.wav")).unwrap());
    good(here, &["sweep", "small.toml", "-o", "set", "--over", "hit/hardness_01=0..1,3"]);
    assert!(fs::read_to_string(here.join("set/manifest.tsv")).unwrap().starts_with("file\thit/hardness_01\t"));
    assert!(good(here, &["describe", "small.toml"]).contains("hit/hardness_01"));
    let refused = tocco(here, &["render", "small.toml", "-o", "x.wav", "--set", "hit/hardnes_01=0.8"]);
    let error = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(2) && error.contains("'hit/hardness_01'"), "{error}");
}

#[test]
fn a_lower_rate_leaves_out_what_it_cannot_carry_and_says_so() {
    let dir = with_small();
    let said = good(dir.path(), &["render", "small.toml", "-o", "a.wav", "--rate", "22050"]);
    assert!(said.contains("left out at this rate: "), "{said}");
    fs::write(dir.path().join("own.toml"), format!("rate_hz = 22050\n{SMALL}")).unwrap();
    let out = tocco(dir.path(), &["check", "own.toml"]);
    assert_eq!(out.status.code(), Some(2), "{}", String::from_utf8_lossy(&out.stdout));
}

#[test]
fn a_recording_drives_a_scene_and_is_found_beside_it() {
    let dir = with_small();
    fs::create_dir(dir.path().join("sub")).unwrap();
    good(dir.path(), &["render", "small.toml", "-o", "sub/push.wav", "--bits", "32f"]);
    let scene = "duration_s = 0.2\n[body.bar]\ntype = \"modal\"\nmodes = [{ freq_hz = 440.0, decay_s = 0.05, mass_kg = 0.05 }]\n\
                 [[drive]]\npath = \"bar/force_n\"\nwav = \"push.wav\"\n[[tap]]\nof = \"bar\"\n";
    fs::write(dir.path().join("sub/driven.toml"), scene).unwrap();
    let said = good(dir.path(), &["render", "sub/driven.toml", "-o", "a.wav"]);
    assert!(said.contains("peak"), "{said}");
}

#[test]
fn a_sweep_gives_the_same_files_for_any_number_of_threads_and_goes_on_where_it_stopped() {
    let dir = with_small();
    let sweep = |out: &str, jobs: &str| {
        let over = ["--over", "hit/stiffness=log(1e6,1e9,3)", "--over", "hammer/mass_kg=list(0.01,0.02)"];
        good(dir.path(), &[&["sweep", "small.toml", "-o", out, "--jobs", jobs], &over[..]].concat())
    };
    sweep("one", "1");
    sweep("four", "4");
    let expected = [
        ".journal.tsv",
        "manifest.tsv",
        "small-001.wav",
        "small-002.wav",
        "small-003.wav",
        "small-004.wav",
        "small-005.wav",
        "small-006.wav",
    ];
    assert_eq!(names(&dir.path().join("one")), expected);
    for name in &expected[1..] {
        let read = |folder: &str| fs::read(dir.path().join(folder).join(name)).unwrap();
        assert!(read("one") == read("four"), "{name}");
    }
    let manifest = fs::read_to_string(dir.path().join("one/manifest.tsv")).unwrap();
    assert!(manifest.starts_with("file\thit/stiffness\thammer/mass_kg\tseed\tduration_s\tpeak\trms\tclipped\t"));
    assert!(manifest.lines().nth(2).unwrap().starts_with("small-002.wav\t1000000.0\t0.02\t1\t0.2\t"), "{manifest}");

    fs::remove_file(dir.path().join("one/small-004.wav")).unwrap();
    fs::remove_file(dir.path().join("one/manifest.tsv")).unwrap();
    // One is damaged without a change of its size, and a killed run has left an unfinished file.
    let damaged = dir.path().join("one/small-005.wav");
    let mut bytes = fs::read(&damaged).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&damaged, &bytes).unwrap();
    fs::write(dir.path().join("one/.tocco-4294967294-3.part"), &bytes[..99]).unwrap();
    assert!(sweep("one", "2").contains("6 files, 4 of them from before"));
    assert_eq!(fs::read(&damaged).unwrap(), fs::read(dir.path().join("four/small-005.wav")).unwrap());
    if cfg!(target_os = "linux") {
        assert_eq!(names(&dir.path().join("one")), expected, "what was left unfinished is gone");
    }
    assert_eq!(fs::read_to_string(dir.path().join("one/manifest.tsv")).unwrap(), manifest);
    fs::write(dir.path().join("small.toml"), SMALL.replace("440.0", "450.0")).unwrap();
    assert!(!sweep("one", "2").contains("from before"), "another scene: everything is rendered again");
}

#[test]
fn every_starter_and_every_shipped_scene_passes_check_and_sounds() {
    let dir = tempfile::tempdir().unwrap();
    for (kind, ..) in STARTERS {
        let file = format!("{kind}.toml");
        good(dir.path(), &["new", kind, "-o", &file]);
        let text = fs::read_to_string(dir.path().join(&file)).unwrap();
        assert!(text.starts_with("#:schema tocco.schema.json\n"), "{kind} names no schema for editors");
        assert!(good(dir.path(), &["check", &file]).ends_with("The scene is sound.\n"));
        let said = good(dir.path(), &["render", &file, "-o", "a.wav"]);
        assert!(said.contains("peak -") && said.contains(" 0 clipped") && !said.contains("health"), "{kind}: {said}");
    }
    // Whatever is struck by an event is struck differently each time.
    for (kind, _, text) in STARTERS {
        for struck in text.lines().filter_map(|line| line.strip_prefix("strike = \"")?.strip_suffix('"')) {
            let (_, from) = text.split_once(&format!("[body.{struck}]")).unwrap();
            let own = from.split("\n[").next().unwrap();
            assert!(own.contains("\nvary_01 = 0."), "the starter '{kind}' strikes '{struck}' without vary_01");
        }
    }
    // So is whatever a shipped scene strikes, and what it hits more than once is hit by a hammer. `single-mode` and `seven-materials` strike
    // each thing once, alike, to be compared with a formula and with each other; the taps of `coin` are one push that spins it.
    for (name, text) in SHIPPED.iter().filter(|(name, _)| !["single-mode", "seven-materials", "coin"].contains(name)) {
        for struck in text.lines().filter_map(|line| line.strip_prefix("strike = \"")?.strip_suffix('"')) {
            let (_, from) = text.split_once(&format!("[body.{struck}]")).unwrap();
            let own = from.split("\n[").next().unwrap();
            assert!(own.contains("\nvary_01 = "), "the scene '{name}' strikes '{struck}' without vary_01");
        }
        let hits = text.lines().filter(|line| line.starts_with("hit = \"")).count();
        assert!(hits < 2, "the scene '{name}' hits {hits} times, each time alike");
    }
    // What rings is heard by what it radiates; a glass in a hand swings at 2 Hz, of which a size says nothing, and the rest is no body that rings.
    // The balls of a cradle are points, of which the force is the acceleration that is heard; somebody who walks has the taps of the floor.
    for (kind, _, text) in STARTERS {
        let own = match *kind {
            "two-bodies" => Some("\"acceleration\""),
            "cradle" => Some("\"force\""),
            "walk" => None,
            _ => Some("\"radiated\""),
        };
        let taps: Vec<&str> = text.split("\n[[tap]]").skip(1).collect();
        assert_eq!(taps.is_empty(), own.is_none(), "{kind}");
        for tap in taps {
            let quantity = tap.split("\n[").next().unwrap().split("quantity = ").nth(1).unwrap_or("none");
            let heard = own.is_some_and(|own| quantity.starts_with(own) || quantity.starts_with("\"sound\""));
            assert!(heard, "the starter '{kind}' hears {quantity}");
        }
    }
    for kind in ["bow", "rub", "scrape", "roll", "walk", "pour"] {
        assert!(STARTERS.iter().any(|(name, ..)| *name == kind), "no starter '{kind}'");
    }
    for (name, _) in SHIPPED {
        good(dir.path(), &["check", name]);
    }
    let list = good(dir.path(), &["scenes"]);
    assert_eq!(list.lines().count(), SHIPPED.len());
    assert!(good(dir.path(), &["scenes", "bar"]).starts_with('#'));
}

#[test]
fn describe_shows_kinds_and_the_live_paths_of_a_scene_in_words_and_in_json() {
    let dir = with_small();
    assert!(good(dir.path(), &["describe"]).contains("mass_kg"));
    assert!(good(dir.path(), &["describe", "impact"]).contains("N/m^exponent"));
    assert_eq!(good(dir.path(), &["describe", "bodies"]), good(dir.path(), &["describe", "body"]));
    assert_eq!(good(dir.path(), &["describe", "taps"]), good(dir.path(), &["describe", "tap"]));
    let materials = good(dir.path(), &["describe", "materials"]);
    for entry in tocco::resonator::material::MATERIALS {
        assert!(materials.contains(&format!("  {} ", entry.id)), "{materials}");
    }
    assert!(good(dir.path(), &["describe", "oak"]).contains("source: "));
    assert!(
        String::from_utf8_lossy(&tocco(dir.path(), &["describe", "stel"]).stderr).contains("did you mean 'steel'?")
    );
    let text = good(dir.path(), &["describe", "small.toml"]);
    assert!(text.contains("hit/stiffness") && text.contains("hit.force"), "{text}");
    for arguments in [
        &["describe", "--json"][..],
        &["describe", "modal", "--json"],
        &["describe", "materials", "--json"],
        &["describe", "small.toml", "--json"],
        &["describe", "--schema"],
    ] {
        let value: serde_json::Value = serde_json::from_str(&good(dir.path(), arguments)).unwrap();
        assert!(value.is_array() || value.is_object());
    }
}

#[test]
fn help_teaches_and_the_bare_program_greets() {
    let dir = tempfile::tempdir().unwrap();
    assert!(good(dir.path(), &[]).contains("tocco render bar -o bar.wav"));
    for command in ["render", "check", "describe", "scenes", "new", "sweep", "reproduce", "bench", "gallery"] {
        assert!(good(dir.path(), &["--help"]).contains(command));
        assert!(good(dir.path(), &[command, "--help"]).contains("Examples:"));
    }
    assert!(good(dir.path(), &["--version"]).starts_with("tocco "));
}

#[cfg(unix)]
#[test]
fn an_interrupted_rendering_leaves_nothing_behind() {
    let dir = with_small();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tocco"))
        .args(["render", "small.toml", "-o", "long.wav", "--duration", "20000"])
        .current_dir(dir.path())
        .spawn()
        .unwrap();
    let begun = std::time::Instant::now();
    while names(dir.path()).len() < 2 && begun.elapsed().as_secs() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(names(dir.path()).len(), 2, "a hidden part file is being written");
    assert!(Command::new("kill").arg("-INT").arg(child.id().to_string()).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(names(dir.path()), ["small.toml"]);
}

#[cfg(target_os = "linux")]
#[test]
fn an_hour_of_sound_stays_under_a_hundred_megabytes_of_memory() {
    let dir = with_small();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tocco"))
        .args([
            "render",
            "small.toml",
            "-o",
            "hour.wav",
            "--duration",
            "3600",
            "--rate",
            "32000",
            "--bits",
            "16",
            "--normalise",
        ])
        .current_dir(dir.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // The peak of the resident set, read while it runs: it cannot be asked afterwards.
    let status = format!("/proc/{}/status", child.id());
    let mut peak_kb = 0;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
        peak_kb = peak_kb.max(line.split_whitespace().nth(1).and_then(|kb| kb.parse().ok()).unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(child.wait().unwrap().success());
    assert_eq!(WavReader::open(&dir.path().join("hour.wav")).unwrap().frames, 3600 * 32_000);
    assert!(peak_kb > 1000 && peak_kb < 100_000, "{peak_kb} kB");
}

#[test]
fn the_gallery_is_a_page_with_a_sound_and_a_picture_for_every_scene() {
    let dir = tempfile::tempdir().unwrap();
    good(dir.path(), &["gallery", "-o", "out", "--jobs", "2"]);
    let page = fs::read_to_string(dir.path().join("out/index.html")).unwrap();
    for (name, _) in SHIPPED {
        assert!(
            dir.path().join(format!("out/{name}.wav")).is_file()
                && dir.path().join(format!("out/{name}.png")).is_file()
        );
        assert!(page.contains(&format!("src=\"{name}.wav\"")) && page.contains(&format!("src=\"{name}.png\"")));
    }
    assert!(!page.contains("http:") && !page.contains("https:"), "the page asks nothing of the network");
    assert!(!page.contains("class=\"trouble\""), "a shipped scene clips or its solver struggles");
}

#[test]
fn a_scene_that_hears_renders_what_comes_in_and_wrong_inputs_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    let scene = "body.bar = { type = 'modal', modes = [{ freq_hz = 440.0, decay_s = 0.1, mass_kg = 0.05 }] }\n\
        drive = [{ path = 'bar/force_n', input = 0 }]\ntap = [{ of = 'bar' }]\nduration_s = 0.5\n";
    fs::write(here.join("hears.toml"), scene).unwrap();
    fs::write(here.join("deaf.toml"), scene.replace("input = 0", "points = [[0.0, 0.0]]")).unwrap();
    for (name, rate_hz) in [("click.wav", 48_000), ("other.wav", 44_100)] {
        let spec = hound::WavSpec {
            channels: 1,
            sample_rate: rate_hz,
            bits_per_sample: 32,
            sample_format: hound::SampleFormat::Float,
        };
        let mut wav = hound::WavWriter::create(here.join(name), spec).unwrap();
        (0..100).for_each(|i| wav.write_sample(if i == 10 { 1.0_f32 } else { 0.0 }).unwrap());
        wav.finalize().unwrap();
    }
    let run = |args: &[&str]| Command::new(env!("CARGO_BIN_EXE_tocco")).args(args).current_dir(here).output().unwrap();
    let out = run(&["render", "hears.toml", "--input", "click.wav", "-o", "out.wav", "--bits", "32f"]);
    assert!(out.status.success(), "{out:?}");
    let sound: Vec<f32> = hound::WavReader::open(here.join("out.wav")).unwrap().samples().map(Result::unwrap).collect();
    assert_eq!(sound.iter().position(|x| *x != 0.0), Some(10), "it moves at the sample of the click");
    for (args, wanted) in [
        (
            ["render", "hears.toml", "--input", "other.wav", "-o", "x.wav"],
            "44100 Hz, and the scene is rendered at 48000 Hz",
        ),
        (["render", "deaf.toml", "--input", "click.wav", "-o", "x.wav"], "this scene hears nothing"),
        (["render", "hears.toml", "--input", "none.wav", "-o", "x.wav"], "no such file"),
    ] {
        let out = run(&args);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(2) && said.contains(wanted), "{said}");
    }
}

#[test]
fn check_and_bench_speak_json_and_check_says_when_nothing_will_sound() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    let json = |args: &[&str]| -> serde_json::Value {
        let out = Command::new(env!("CARGO_BIN_EXE_tocco")).args(args).current_dir(here).output().unwrap();
        serde_json::from_slice(&out.stdout).unwrap_or_else(|cause| panic!("{args:?}: {cause}: {out:?}"))
    };
    let bar = json(&["check", "bar", "--json"]);
    assert_eq!(
        (bar["ok"].as_bool(), bar["scene"].as_str(), bar["render"]["channels"].as_u64()),
        (Some(true), Some("bar"), Some(1))
    );
    let said = |report: &serde_json::Value, what: &str| -> Vec<String> {
        let lines = report["lines"].as_array().unwrap().iter().filter(|line| line["what"] == what);
        lines.map(|line| line["words"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(said(&bar, "body").len(), 2);
    assert!(said(&bar, "remark").is_empty(), "{bar}");
    // Nobody strikes; it waits for notes; it waits for a microphone.
    let body = "body.bar = { type = 'modal', modes = [{ freq_hz = 440.0, decay_s = 0.1, mass_kg = 0.05 }] }\nduration_s = 0.5\n";
    let hammer = "body.hammer = { type = 'mass' }\ncontact.hit = { type = 'impact', between = ['hammer', 'bar'] }\n";
    let hit = "event = [{ at_s = 0.0, hit = 'bar', impulse_n_s = 0.01 }]\n";
    fs::write(here.join("deaf.toml"), format!("{body}{hit}")).unwrap();
    let deaf = json(&["check", "deaf.toml", "--json"]);
    assert!(deaf["ok"] == false && deaf["error"].as_str().unwrap().contains("add a [[tap]]"), "{deaf}");
    for (rest, words) in [
        ("tap = [{ of = 'bar' }]\n".to_owned(), "nothing strikes, drives or falls"),
        ("part.inside.scene = 'deaf.toml'\n".to_owned(), "or no tap hears it"),
        (
            format!(
                "tap = [{{ of = 'bar' }}]\n{hammer}midi = {{ strike = ['hammer'], notes = 'pitch', retune = ['bar'] }}\n"
            ),
            "waits for notes",
        ),
        (
            "tap = [{ of = 'bar' }]\ndrive = [{ path = 'bar/force_n', input = 0 }]\n".to_owned(),
            "waits for what comes in",
        ),
    ] {
        fs::write(here.join("quiet.toml"), format!("{body}{rest}")).unwrap();
        let remarks = said(&json(&["check", "quiet.toml", "--json"]), "remark");
        assert!(remarks.iter().any(|remark| remark.contains(words)), "{words}: {remarks:?}");
        assert!(good(here, &["check", "quiet.toml"]).contains("nothing will sound"));
    }
    // What comes late is heard; what is too faint for the file that `render` writes, or comes after the end, is not, there as here.
    let tap = |gain: &str| format!("tap = [{{ of = 'bar', gain = {gain} }}]\n");
    let late = |ends: &str| body.replace("duration_s = 0.5\n", ends) + &hit.replace("at_s = 0.0", "at_s = 25.0");
    for (text, remark) in [
        (late("") + &tap("1.0"), None),
        (late("duration_s = 27.0\n") + &tap("1.0"), None),
        (late("duration_s = 10.0\n") + &tap("1.0"), Some("ends before anything happens")),
        (format!("{body}{hit}{}", tap("1e-12")), Some("half a step")),
    ] {
        fs::write(here.join("late.toml"), text).unwrap();
        let remarks = said(&json(&["check", "late.toml", "--json"]), "remark");
        let is_said = remarks.iter().any(|said| said.contains("nothing will sound"));
        assert!(
            is_said == remark.is_some() && remarks.iter().all(|said| said.contains(remark.unwrap())),
            "{remarks:?}"
        );
        let rendered = Command::new(env!("CARGO_BIN_EXE_tocco"))
            .args(["render", "late.toml", "-o", "late.wav"])
            .current_dir(here)
            .output()
            .unwrap();
        assert_eq!(rendered.status.success(), remark.is_none(), "{rendered:?}");
    }
    fs::write(here.join("wrong.toml"), "body.bar = { type = 'modl' }\n").unwrap();
    let wrong = json(&["check", "wrong.toml", "--json"]);
    assert!(wrong["ok"] == false && wrong["error"].as_str().unwrap().contains("wrong.toml:1"), "{wrong}");
    let bench = json(&["bench", "free", "--json"]);
    let figure = &bench["figures"][0];
    assert_eq!((figure["section"].as_str(), figure["columns"]["goal"].as_str()), (Some("free"), Some(">= x6")));
    assert!(figure["reached"].is_boolean() && bench["reached"].is_boolean());
}
