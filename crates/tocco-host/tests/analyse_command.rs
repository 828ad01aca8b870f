// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco analyse` as it is typed: bodies that sound like the recording, on bad input one line.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod common;
#[path = "../../tocco-lab/tests/common/strikes.rs"]
mod strikes;
use common::tocco;
use std::fs;
use std::process::Command;
use strikes::{RATE_HZ, small, write_wav};
use tocco::rng::Rng;
use tocco_lab::wav::{Encoding, Format, Info, WavReader, WavWriter};

#[test]
fn recordings_that_cannot_be_analysed_get_one_line_and_code_2_and_leave_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    let tone = |gain: f64| -> Vec<f64> {
        (0..24_000).map(|n| (gain * (0.05 * f64::from(n)).sin()).clamp(-0.9, 0.9)).collect()
    };
    let mut rng = Rng::new(2, "hiss");
    write_wav(&here.join("silence.wav"), RATE_HZ, &[0.0; 9600]);
    write_wav(
        &here.join("clipped.wav"),
        RATE_HZ,
        &small().iter().map(|x| (4.0 * x).clamp(-0.9, 0.9)).collect::<Vec<_>>(),
    );
    write_wav(&here.join("tone.wav"), RATE_HZ, &tone(0.5));
    write_wav(&here.join("hiss.wav"), RATE_HZ, &(0..24_000).map(|_| 0.1 * rng.normal()).collect::<Vec<_>>());
    write_wav(&here.join("short.wav"), RATE_HZ, &small()[1600..2600]);
    write_wav(&here.join("slow.wav"), 4_000.0, &small());
    write_wav(&here.join("good.wav"), RATE_HZ, &small());
    write_wav(&here.join("other.wav"), 44_100.0, &small());
    write_wav(&here.join("empty.wav"), RATE_HZ, &[]);
    write_wav(&here.join("one.wav"), RATE_HZ, &[0.5]);
    let stops: Vec<f64> = tone(0.5)[..12_000].iter().copied().chain(std::iter::repeat_n(0.0, 36_000)).collect();
    write_wav(&here.join("stops.wav"), RATE_HZ, &stops);
    let rustle: Vec<f64> = (0..24_000).map(|n| 0.3 * (-f64::from(n) / 4_000.0).exp() * rng.normal()).collect();
    write_wav(&here.join("rustle.wav"), RATE_HZ, &rustle);
    let antiphase: Vec<f32> = small().iter().flat_map(|x| [*x as f32, -*x as f32]).collect();
    let stereo = Format::new(2, RATE_HZ, Encoding::Int16).unwrap();
    let file = fs::File::create(here.join("antiphase.wav")).unwrap();
    let mut wav = WavWriter::new(file, stereo, Info::new(), small().len() as u64, 1).unwrap();
    wav.write(&antiphase).unwrap();
    wav.finish().unwrap();
    fs::write(here.join("text.wav"), "not a sound").unwrap();
    fs::write(here.join("broken.flac"), b"fLaC and nothing that follows").unwrap();
    fs::write(here.join("broken.ogg"), b"OggS and nothing that follows").unwrap();
    fs::write(here.join("broken.aiff"), b"FORM\0\0\0\x20AIFF and nothing that follows").unwrap();
    fs::write(here.join("broken.mp3"), b"ID3\x04\0\0\0\0\0\x10 and nothing that follows").unwrap();
    let names = || {
        let mut names: Vec<_> = fs::read_dir(here).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    let cases: &[(&str, &[&str])] = &[
        ("silence", &["silence.wav"]),
        ("no sound in it (0 samples)", &["empty.wav"]),
        ("no sound in it (1 samples)", &["one.wav"]),
        ("channels cancel", &["antiphase.wav"]),
        ("no decay (it is as loud until it stops)", &["stops.wav"]),
        ("clipped", &["clipped.wav"]),
        ("no decay", &["tone.wav"]),
        ("no decay", &["hiss.wav"]),
        ("give at least 30", &["short.wav"]),
        ("8 to 384 kHz", &["slow.wav"]),
        ("one rate", &["good.wav", "other.wav"]),
        ("WAV, FLAC, AIFF, MP3 or Ogg", &["text.wav"]),
        ("WAV, FLAC, AIFF, MP3 or Ogg", &["broken.flac"]),
        ("WAV, FLAC, AIFF, MP3 or Ogg", &["broken.ogg"]),
        ("broken.aiff: ", &["broken.aiff"]),
        ("broken.mp3: ", &["broken.mp3"]),
        ("no such file", &["missing.wav"]),
        ("strikes found, not 9", &["good.wav", "--strikes", "9"]),
        ("--modes 0", &["good.wav", "--modes", "0"]),
        ("--min-hz", &["good.wav", "--min-hz", "900", "--max-hz", "100"]),
        ("--mass-kg", &["good.wav", "--mass-kg", "0"]),
    ];
    for (words, arguments) in cases {
        let out = tocco(here, &[&["analyse"], *arguments, &["-o", "body.toml"]].concat());
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.lines().count() == 1 && error.contains(words), "{arguments:?}: {error}");
        assert_eq!(names(), before, "{arguments:?}");
    }
    // Noise that decays: exponentials fit some of it, and it must be said that it is not modal.
    let noise = tocco(here, &["analyse", "rustle.wav", "-o", "-"]);
    let words = String::from_utf8_lossy(&noise.stderr).into_owned();
    assert!(words.contains("much of it is not modal") || noise.status.code() == Some(2), "{words}");
    let good = fs::read(here.join("good.wav")).unwrap();
    fs::create_dir(here.join("inner")).unwrap();
    for same in ["good.wav", "./good.wav", "inner/../good.wav"] {
        for words in [&["-o", same][..], &["-o", "good.toml", "--picture", same]] {
            let out = tocco(here, &[&["analyse", "good.wav"], words].concat());
            assert_eq!(out.status.code(), Some(2), "{words:?}");
            assert!(fs::read(here.join("good.wav")).unwrap() == good, "{words:?}: the recording is gone");
        }
    }
}

#[test]
fn of_two_strikes_in_a_file_the_first_is_used_and_it_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    write_wav(&here.join("twice.wav"), RATE_HZ, &[small(), small()].concat());
    let out = tocco(here, &["analyse", "twice.wav", "-o", "pot.toml"]);
    let words = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{words}");
    assert!(words.contains("3 modes") && words.contains("2 strikes") && words.contains("--strikes 2"), "{words}");
    let both = tocco(here, &["analyse", "twice.wav", "-o", "pot.toml", "--strikes", "2", "--force"]);
    assert!(both.status.success() && !String::from_utf8_lossy(&both.stdout).contains("this one is used"));
}

#[test]
fn an_offset_of_the_converter_is_no_part_of_the_sound() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    let shifted: Vec<f64> = small().iter().map(|x| 0.5 * x + 0.2).collect();
    write_wav(&here.join("offset.wav"), RATE_HZ, &shifted);
    let out = tocco(here, &["analyse", "offset.wav", "-o", "pot.toml"]);
    let words = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    let level: f64 = words.split("level ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(out.status.success() && words.contains("3 modes") && level.abs() < 0.5, "{words}");
}

#[test]
fn every_kind_of_file_gives_scenes_that_render_at_the_level_of_the_recording() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    write_wav(&here.join("pot.wav"), RATE_HZ, &small());
    fs::write(here.join("pot.aiff"), aiff(RATE_HZ as u16, &small())).unwrap();
    let mut kinds = vec!["wav", "aiff"];
    for (kind, program, arguments) in [
        ("flac", "flac", ["--silent", "-f", "-o", "pot.flac", "pot.wav"]),
        ("ogg", "oggenc", ["--quiet", "-q9", "-o", "pot.ogg", "pot.wav"]),
        ("mp3", "lame", ["--quiet", "-b", "320", "pot.wav", "pot.mp3"]),
    ] {
        match Command::new(program).args(arguments).current_dir(here).status() {
            Ok(status) if status.success() => kinds.push(kind),
            _ => tocco_testing::skip(&format!("recordings of the kind {kind}"), &format!("the program '{program}'")),
        }
    }
    for kind in kinds {
        let (recording, scene) = (format!("pot.{kind}"), format!("{kind}.toml"));
        let out = tocco(here, &["analyse", &recording, "-o", &scene, "--picture", &format!("{kind}.png")]);
        let words = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(out.status.success() && words.contains("residual"), "{kind}: {out:?}");
        // A codec may leave a mode or two of its own.
        assert!(words.contains("3 modes") || kind == "mp3", "{kind}: {words}");
        let out = tocco(here, &["render", &scene, "-o", "again.wav"]);
        assert!(out.status.success(), "{out:?}");
        let peak = |name: &str| {
            let mut wav = WavReader::open(&here.join(name)).unwrap();
            wav.read_mono(0, 48_000).unwrap().iter().fold(0.0, |m: f32, x| m.max(x.abs()))
        };
        let ratio = peak("again.wav") / peak("pot.wav");
        assert!((0.9..1.1).contains(&ratio), "{kind}: {ratio}");
    }
    assert!(fs::read(here.join("wav.png")).unwrap().starts_with(b"\x89PNG"));
}

/// An AIFF of 16 bits, by its specification: big-endian, the rate as a number of 80 bits.
fn aiff(rate_hz: u16, samples: &[f64]) -> Vec<u8> {
    let data: Vec<u8> = samples.iter().flat_map(|x| ((x * 32_767.0).round() as i16).to_be_bytes()).collect();
    // 1.mantissa times two to the exponent, with the leading one written.
    let high = 15 - rate_hz.leading_zeros();
    let rate = [&(16_383 + high as u16).to_be_bytes()[..], &(u64::from(rate_hz) << (63 - high)).to_be_bytes()].concat();
    let frames = (samples.len() as u32).to_be_bytes();
    let common = [&1_u16.to_be_bytes()[..], &frames, &16_u16.to_be_bytes(), &rate].concat();
    let chunk = |name: &[u8], body: &[u8]| [name, &(body.len() as u32).to_be_bytes(), body].concat();
    let body = [b"AIFF".to_vec(), chunk(b"COMM", &common), chunk(b"SSND", &[&[0; 8][..], &data].concat())].concat();
    chunk(b"FORM", &body)
}

#[test]
fn nothing_is_written_over_unless_forced_and_what_was_found_comes_as_json() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    write_wav(&here.join("pot.wav"), RATE_HZ, &small());
    for (file, words) in
        [("kept.toml", &["-o", "kept.toml"][..]), ("kept.png", &["-o", "x.toml", "--picture", "kept.png"])]
    {
        fs::write(here.join(file), "mine").unwrap();
        let out = tocco(here, &[&["analyse", "pot.wav"], words].concat());
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(2) && error.contains("--force"), "{error}");
        assert_eq!(fs::read_to_string(here.join(file)).unwrap(), "mine");
    }
    assert!(!here.join("x.toml").exists());
    let out = tocco(here, &["analyse", "pot.wav", "-o", "kept.toml", "--force", "--json"]);
    let found: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let hz: Vec<f64> = found["modes"].as_array().unwrap().iter().map(|m| m["freq_hz"].as_f64().unwrap()).collect();
    assert!(hz.iter().zip([440.0, 1217.0, 2950.0]).all(|(a, b)| (a - b).abs() < 1.0) && hz.len() == 3, "{hz:?}");
    assert_eq!(
        (found["strikes"][0]["file"].as_str(), found["not_one_object"].as_array().unwrap().len()),
        (Some("pot.wav"), 0)
    );
    assert!(found["strikes"][0]["residual_db"].as_f64().unwrap() < -20.0);
    assert!(fs::read_to_string(here.join("kept.toml")).unwrap().contains("[body.kept]"));
    assert_eq!(tocco(here, &["analyse", "pot.wav", "-o", "-", "--json"]).status.code(), Some(2));
}

/// Strikes of one object at many places differ by tens of dB in each mode and are one object; of two objects they are not.
#[test]
fn two_objects_are_told_from_one_that_is_struck_at_two_places() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    let mut rng = Rng::new(7, "places");
    let object = |from_hz: f64, rng: &mut Rng| -> Vec<(f64, f64)> {
        (0..6)
            .map(|k| (from_hz * (1.0 + 1.37 * f64::from(k)) * rng.between(0.97, 1.03), rng.between(6.0, 14.0)))
            .collect()
    };
    // Where it is struck a mode has anything from its full weight to a tenth of it, and one lies at a node.
    let struck = |modes: &[(f64, f64)], name: &str, rng: &mut Rng| {
        let node = rng.bits() as usize % modes.len();
        let all: Vec<strikes::True> = modes
            .iter()
            .enumerate()
            .map(|(k, (hz, sigma))| {
                let weight = if k == node { 0.003 } else { rng.between_log(0.1, 1.0) };
                strikes::True { hz: *hz, sigma: *sigma, amplitude: weight }
            })
            .collect();
        write_wav(&here.join(name), RATE_HZ, &strikes::strike(&all, 60.0, rng.bits(), 0.6).0);
    };
    for round in 0..3 {
        let (pot, pan) = (object(310.0, &mut rng), object(350.0, &mut rng));
        struck(&pot, "a.wav", &mut rng);
        struck(&pot, "b.wav", &mut rng);
        struck(&pan, "c.wav", &mut rng);
        for (other, is_one) in [("b.wav", true), ("c.wav", false)] {
            let out = tocco(here, &["analyse", "a.wav", other, "-o", "body.toml", "--force"]);
            let words = String::from_utf8_lossy(&out.stdout).into_owned();
            assert!(out.status.success(), "{out:?}");
            assert_eq!(words.contains("hardly one object"), !is_one, "{round}, {other}: {words}");
        }
    }
}

/// A recording, and what is said beside it: decaying modes, odd rates, silence, noise, one sample, clipped, an offset, too loud, too soft.
fn odd_recording(round: u64, rng: &mut Rng) -> (f64, Vec<f64>, Vec<&'static str>) {
    let one_of = |from: &[f64], rng: &mut Rng| from[rng.bits() as usize % from.len()];
    let rate_hz = one_of(&[8_000.0, 11_025.0, 12_345.0, 22_050.0, 44_100.0, 48_000.0, 96_000.0], rng);
    let length = (one_of(&[0.15, 0.3, 0.6], rng) * rate_hz) as usize;
    let (onset, noise) = (length / 10, rng.between_log(1e-7, 0.03));
    let mut sound: Vec<f64> = (0..length).map(|_| noise * rng.normal()).collect();
    for _ in 0..one_of(&[1.0, 2.0, 5.0], rng) as usize {
        let (hz, sigma, amplitude) =
            (rng.between(20.0, 0.49 * rate_hz), rng.between_log(0.3, 3e3), 0.1 * rng.between(0.1, 3.0));
        for (n, x) in sound[onset..].iter_mut().enumerate() {
            let t = n as f64 / rate_hz;
            *x += amplitude * (-sigma * t).exp() * (std::f64::consts::TAU * hz * t).cos();
        }
    }
    let mut words = Vec::new();
    match round % 12 {
        0 => {}
        1 => sound.iter_mut().for_each(|x| *x *= 1e-3),
        2 => {
            sound.iter_mut().for_each(|x| *x = (30.0 * *x).clamp(-0.9, 0.9));
            words.push("--clipped");
        }
        3 => sound.iter_mut().for_each(|x| *x += 0.4),
        4 => sound = vec![0.0; one_of(&[0.0, 1.0, 2.0, 100.0, 9_600.0], rng) as usize],
        5 => {
            sound.fill(0.0);
            sound[rng.bits() as usize % length] = 0.7;
        }
        6 => {
            let decay = rng.between(1.0, 60.0) / rate_hz;
            sound.iter_mut().enumerate().for_each(|(n, x)| *x = 0.2 * (-decay * n as f64).exp() * rng.normal());
        }
        7 => sound.fill(0.5),
        8 => words.extend(["--mass-kg", ["1e-12", "1e-3", "1e6", "1e12", "1e300"][rng.bits() as usize % 5]]),
        9 => words.extend(["--modes", ["1", "4096", "100000"][rng.bits() as usize % 3], "--range-db", "300"]),
        10 => {
            let step = |n: usize| 0.3 * (-40.0 * n as f64 / rate_hz).exp();
            let period = (0.5 * rate_hz) as usize;
            sound = (0..6 * period).map(|n| step(n % period) * rng.normal()).collect();
            words.push("--steps");
        }
        _ => words.extend(["--name", ["a b", "../x", "1", "tap", "a.b", ""][rng.bits() as usize % 6]]),
    }
    (rate_hz, sound, words)
}

#[test]
fn steps_that_were_found_are_told_as_json_too() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    let (rate_hz, mut rng) = (44_100.0, Rng::new(5, "steps"));
    let period = (0.6 * rate_hz) as usize;
    let step = |n: usize| 0.3 * (-40.0 * n as f64 / rate_hz).exp();
    let sound: Vec<f64> = (0..4 * period).map(|n| step(n % period) * rng.normal()).collect();
    write_wav(&here.join("steps.wav"), rate_hz, &sound);
    let out = tocco(here, &["analyse", "--steps", "steps.wav", "-o", "floor.toml", "--json"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let told: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!((told["scene"].as_str(), told["rate_hz"].as_f64()), (Some("floor.toml"), Some(44_100.0)));
    let at: Vec<f64> = told["steps"].as_array().unwrap().iter().map(|step| step["at_s"].as_f64().unwrap()).collect();
    assert!(at.len() >= 3 && at.windows(2).all(|pair| (pair[1] - pair[0] - 0.6).abs() < 0.03), "{told:#}");
    assert!(told["steps"].as_array().unwrap().iter().all(|step| step["file"].as_str().unwrap().contains("steps")));
    // The bands are those of the floor that was written.
    let def = tocco::SceneDef::from_text(&fs::read_to_string(here.join("floor.toml")).unwrap()).unwrap();
    let parts = told["parts"].as_array().unwrap();
    assert_eq!(parts.len(), def.processes.len());
    for (part, process) in parts.iter().zip(&def.processes) {
        assert_eq!(part["name"], process.name.as_str());
        let tocco::scene::def::ProcessForm::Footstep(step) = &process.form else { panic!() };
        let told: Vec<f64> =
            part["bands"].as_array().unwrap().iter().map(|band| band["freq_hz"].as_f64().unwrap()).collect();
        assert_eq!(told, step.make.bands.iter().map(|band| band.freq_hz).collect::<Vec<_>>());
        assert!(part["fit_db"].is_number() && part["played_again_db"].is_number() && part["seconds"].is_number());
    }
    let out = tocco(here, &["analyse", "--steps", "steps.wav", "-o", "-", "--json"]);
    assert!(out.status.code() == Some(2) && out.stdout.is_empty());
}

#[test]
fn whatever_analyse_writes_check_takes_and_what_it_cannot_write_it_says_in_a_line() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    let (rounds, mut rng) = (if std::env::var_os("TOCCO_LONG").is_some() { 480 } else { 48 }, Rng::new(1, "odd"));
    let mut written = 0;
    for round in 0..rounds {
        let (rate_hz, sound, words) = odd_recording(round, &mut rng);
        write_wav(&here.join("odd.wav"), rate_hz, &sound);
        let out = tocco(here, &[&["analyse", "odd.wav", "-o", "odd.toml"], &words[..]].concat());
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        let what = format!("{round}: {} samples at {rate_hz} Hz, {words:?}: {error}", sound.len());
        if out.status.success() {
            written += 1;
            let check = tocco(here, &["check", "odd.toml"]);
            assert!(check.status.success(), "{what} then {}", String::from_utf8_lossy(&check.stderr));
            fs::remove_file(here.join("odd.toml")).unwrap();
        } else {
            assert!(out.status.code() == Some(2) && error.trim_end().lines().count() == 1, "{what}");
            assert!(!here.join("odd.toml").exists(), "{what}");
        }
    }
    // Neither all nor nothing of it is nonsense.
    assert!(written > rounds / 4 && written < rounds, "{written} of {rounds}");
}
