// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco play` as a program: devices, files, Ctrl-C.

mod common;

#[cfg(feature = "jack")]
use common::Jack;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn tocco(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tocco")).args(words).current_dir(folder).output().unwrap()
}

fn samples(path: &Path) -> Vec<u32> {
    hound::WavReader::open(path).unwrap().into_samples::<f32>().map(|x| x.unwrap().to_bits()).collect()
}

/// The take gives the same samples as the file that was recorded beside it.
fn is_faithful(folder: &Path, name: &str) {
    let (take, wav) = (format!("{name}.jsonl"), format!("{name}.wav"));
    let out = tocco(folder, &["render", "--take", &take, "--bits", "32f", "-o", "again.wav"]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let (played, again) = (samples(&folder.join(&wav)), samples(&folder.join("again.wav")));
    assert!(!played.is_empty() && played == again, "{name}: {} and {} samples", played.len(), again.len());
    assert!(played.iter().any(|bits| f32::from_bits(*bits).abs() > 1e-3));
}

#[test]
fn what_is_played_offline_or_on_the_null_device_is_rendered_again_from_its_take() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let out = tocco(
        folder,
        &[
            "play",
            "violin",
            "--offline",
            "--duration",
            "1.5",
            "--buffer",
            "77",
            "--record",
            "a.jsonl",
            "--wav",
            "a.wav",
        ],
    );
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    is_faithful(folder, "a");
    let out = tocco(
        folder,
        &[
            "play",
            "bar",
            "--device",
            "null",
            "--duration",
            "0.5",
            "--record",
            "b.jsonl",
            "--wav",
            "b.wav",
            "--no-limiter",
        ],
    );
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(samples(&folder.join("b.wav")).len(), 24_000, "it ends at the sample");
    is_faithful(folder, "b");
    // Without the limiter it is what `tocco render` gives.
    assert!(
        tocco(folder, &["render", "bar", "--duration", "0.5", "--bits", "32f", "-o", "plain.wav"]).status.success()
    );
    assert_eq!(samples(&folder.join("b.wav")), samples(&folder.join("plain.wav")));
}

#[test]
fn a_changed_take_is_rendered_but_not_called_faithful_and_a_broken_one_is_answered_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert!(tocco(folder, &["play", "bar", "--offline", "--duration", "0.2", "--record", "a.jsonl"]).status.success());
    let text = std::fs::read_to_string(folder.join("a.jsonl")).unwrap();
    let (header, end) = text.trim_end().split_once('\n').unwrap();
    let write = |lines: &[&str]| std::fs::write(folder.join("b.jsonl"), lines.join("\n")).unwrap();
    let render = || {
        let out = tocco(folder, &["render", "--take", "b.jsonl", "-o", "b.wav"]);
        (out.status.code().unwrap(), String::from_utf8(out.stderr).unwrap())
    };
    write(&[header, r#"{"at":100,"strike":"hammer","velocity_m_s":2.0}"#, end]);
    let (code, said) = render();
    assert!(code == 1 && said.contains("not as it was played") && folder.join("b.wav").exists(), "{code} {said}");
    for (line, wanted) in [
        (r#"{"at":100,"strike":"hamer","velocity_m_s":2.0}"#, "did you mean 'hammer'?"),
        (r#"{"at":100,"set":"hit/stiffness"}"#, "b.jsonl:2: 'value' is missing"),
        (r#"{"set":"hit/stiffness","value":1}"#, "no tick"),
        (r#"{"at":100,"sing":"hit"}"#, "no known gesture"),
        ("nonsense", "b.jsonl:2: not a line of a take"),
    ] {
        write(&[header, line, end]);
        let (code, said) = render();
        assert!(code == 2 && said.contains(wanted) && said.lines().count() == 1, "{line}: {code} {said}");
    }
    write(&[header]);
    assert!(render().1.contains("cut off"));
    write(&["{}"]);
    assert!(render().1.contains("not a take"));
}

#[test]
fn wrong_devices_rates_and_lengths_are_answered_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    for (code, wanted, words) in [
        (2, "", &["play", "bar", "--offline", "--duration", "-1"][..]),
        (2, "--buffer", &["play", "bar", "--offline", "--duration", "1", "--buffer", "0"]),
        (2, "out of range", &["play", "bar", "--offline", "--duration", "1", "--rate", "7"]),
        (2, "did you mean", &["play", "bar", "--offline", "--duration", "1", "--set", "hit/stifness=1"]),
    ] {
        let out = tocco(folder.path(), words);
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(
            out.status.code() == Some(code) && said.contains(wanted) && said.lines().count() == 1,
            "{words:?}: {said}"
        );
    }
    let out = tocco(folder.path(), &["play", "bar", "--device", "nonesuch", "--duration", "1"]);
    let said = String::from_utf8(out.stderr).unwrap();
    let code = if cfg!(feature = "audio") { 2 } else { 3 };
    assert!(out.status.code() == Some(code) && said.contains("null") && said.lines().count() == 1, "{said}");
    let out = tocco(folder.path(), &["play", "--list-devices"]);
    assert!(out.status.success() && String::from_utf8(out.stdout).unwrap().starts_with("null"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_cleanly_with_complete_files() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["play", "bar", "--device", "null", "--record", "a.jsonl", "--wav", "a.wav"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_tocco"))
        .args(words)
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert!(child.wait().unwrap().success());
    is_faithful(folder.path(), "a");
}

#[cfg(unix)]
#[test]
fn a_scene_file_that_is_edited_while_it_sounds_plays_on_and_a_broken_edit_is_said_in_one_line() {
    use std::io::{BufRead, BufReader};
    let folder = tempfile::tempdir().unwrap();
    let text = "[body.bar]\ntype = \"modal\"\nmodes = [{ freq_hz = 441.0, decay_s = 5.0, mass_kg = 0.05 }]\n\
        [[tap]]\nof = \"bar\"\n[[event]]\nat_s = 0.1\nhit = \"bar\"\nimpulse_n_s = 0.01\n";
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, text).unwrap();
    let words = ["play", "mine.toml", "--device", "null", "--record", "a.jsonl", "--wav", "a.wav"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_tocco"))
        .args(words)
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains(" s  null")));
    std::fs::write(&file, text.replace("[[tap]]", "[[tpa]]")).unwrap();
    let said = lines.find(|line| line.contains("playing on")).unwrap();
    assert!(said.contains("did you mean 'tap'?"), "{said}");
    std::fs::write(&file, text.replace("of = \"bar\"", "of = \"bar\"\ngain = 0.5")).unwrap();
    assert!(lines.any(|line| line.contains("edited, and plays on")));
    assert!(lines.any(|line| line.contains(" null ")));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert!(child.wait().unwrap().success());
    is_faithful(folder.path(), "a");
    let take = std::fs::read_to_string(folder.path().join("a.jsonl")).unwrap();
    assert!(take.contains("\"adopt\":true"));
    // It is the bar that was struck before that rings on, half as loud.
    let sound: Vec<f32> = samples(&folder.path().join("a.wav")).into_iter().map(f32::from_bits).collect();
    let end = sound[sound.len() - 2_400..].iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    assert!(end > 0.02, "{end}");
}

#[cfg(feature = "jack")]
#[test]
fn on_a_jack_server_it_plays_in_time_and_its_take_is_faithful() {
    let folder = tempfile::tempdir().unwrap();
    let Some(jack) = Jack::start(&format!("tocco-play-{}", std::process::id())) else { return };
    let words =
        ["play", "violin", "--device", "jack:output", "--duration", "2", "--record", "a.jsonl", "--wav", "a.wav"];
    let played = jack.tocco(folder.path(), &words).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&played.stdout), String::from_utf8_lossy(&played.stderr));
    assert!(played.status.success() && said.contains("JACK Output"), "{said}");
    is_faithful(folder.path(), "a");
    // What the device adds is measured by its own clock, said once it has settled and at the end. The server's periods are 256 frames, 5.3 ms:
    // what is written in one is heard no sooner than in the next, and no later than a few.
    let delays: Vec<f64> =
        said.lines().filter_map(|line| line.split_once(" plays a block ")?.1.split(' ').next()?.parse().ok()).collect();
    assert!(delays.len() == 2 && delays.iter().all(|ms| (2.0..30.0).contains(ms)), "{said}");
    let listed = jack.tocco(folder.path(), &["play", "--list-devices"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains("jack:output") && !listed.contains("jack:input"), "only what plays: {listed}");
}

/// The server is killed as if a card had been pulled out, and comes back.
#[cfg(feature = "jack")]
#[test]
fn when_the_server_dies_it_plays_on_says_so_and_comes_back_with_it() {
    use std::io::{BufRead, BufReader};
    let folder = tempfile::tempdir().unwrap();
    let name = format!("tocco-lost-{}", std::process::id());
    let Some(mut jack) = Jack::start(&name) else { return };
    let words = ["play", "violin", "--device", "jack:output", "--record", "a.jsonl", "--wav", "a.wav"];
    let mut child = jack.tocco(folder.path(), &words).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (send, lines) = std::sync::mpsc::channel();
    let said = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || said.lines().map_while(Result::ok).for_each(|line| drop(send.send(line))));
    let mut all = Vec::new();
    let mut until = |wanted: &str| {
        while let Ok(line) = lines.recv_timeout(Duration::from_secs(20)) {
            all.push(line);
            if all.last().is_some_and(|line| line.contains(wanted)) {
                return;
            }
        }
        panic!("no '{wanted}' in {all:#?}");
    };
    until("JACK Output  ");
    jack.server.kill().unwrap();
    until("trying to reconnect");
    until("  null  ");
    drop(jack);
    // At another rate it is no use, and that is said.
    let other = Jack::start_at(&name, "44100").unwrap();
    until("44100");
    drop(other);
    let back = Jack::start(&name).unwrap();
    until("reconnected");
    until("JACK Output  ");
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    assert!(child.wait().unwrap().success());
    drop(back);
    is_faithful(folder.path(), "a");
}

/// Where the limit lies depends on the machine; 256 contacts in one island are a thousand times beyond it.
#[test]
fn a_scene_that_is_much_too_much_is_refused_in_time_and_check_says_so() {
    let folder = tempfile::tempdir().unwrap();
    for (count, later) in [(2, false), (256, false), (256, true)] {
        let mut text = tocco_testing::crowd(count);
        if later {
            // Each hangs beside the bar and is thrown at it after a second.
            text = text.replace("position_m = 0.0\nvelocity_m_s = 1.0", "position_m = -0.01");
            text.extend(
                (0..count).map(|mass| format!("[[event]]\nat_s = 1.0\nstrike = \"m{mass}\"\nvelocity_m_s = 1.0\n")),
            );
        }
        std::fs::write(folder.path().join("crowd.toml"), text).unwrap();
        let checked = tocco(folder.path(), &["check", "crowd.toml"]);
        let checked = String::from_utf8_lossy(&checked.stdout).into_owned() + &String::from_utf8_lossy(&checked.stderr);
        assert!(checked.contains("The scene is sound."), "{checked}");
        let since = std::time::Instant::now();
        let out = tocco(folder.path(), &["play", "crowd.toml", "--device", "null", "--duration", "0.5"]);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        println!("{count} masses: {:?} after {:?}, {said}", out.status.code(), since.elapsed());
        match out.status.code() {
            Some(0) => assert!(count == 2 && !checked.contains("not played live"), "{checked}"),
            Some(2) => assert!(
                count == 256 && said.contains("to be played live") && checked.contains("not played live"),
                "{said}"
            ),
            other => panic!("{other:?}: {said}"),
        }
        assert!(since.elapsed() < Duration::from_secs(300), "however busy the machine is");
    }
}

#[test]
fn events_that_are_left_out_and_what_is_tuned_past_half_the_rate_are_said_while_playing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = "[signal.s]\ntype = 'points'\npoints = [[0.0, 1.0]]\n[process.p]\ndriven_by = 's'\ntype = 'particles'\nload = 0.0\nlevel = 1.0\n\
        objects = 1e5\ncollisions_hz = 100.0\nresonances = [{ freq_hz = 900.0, bandwidth_hz = 90.0 }]\n[[tap]]\nof = 'p'\nquantity = 'sound'\n";
    std::fs::write(folder.join("flood.toml"), text).unwrap();
    std::fs::write(
        folder.join("high.toml"),
        "[part.a]\nscene = 'flood.toml'\ntranspose = 20.0\nset = { 'p/objects' = 8.0, 'p/freq_scale' = 2.0 }\n",
    )
    .unwrap();
    let said = |words: &[&str]| {
        let out = tocco(folder, words);
        let said = String::from_utf8_lossy(&out.stderr).into_owned() + &String::from_utf8_lossy(&out.stdout);
        assert!(out.status.success(), "{said}");
        said
    };
    let words = said(&["play", "flood.toml", "--offline", "--duration", "0.5"]);
    assert!(words.contains("events left out"), "{words}");
    // The value that is set comes after the transposition: 1800 Hz. Without it the band lies at 18 kHz, of a rate of 32 kHz.
    let words = said(&["play", "high.toml", "--offline", "--duration", "0.2"]);
    assert!(!words.contains("left out"), "{words}");
    let plain = std::fs::read_to_string(folder.join("high.toml")).unwrap().replace(", 'p/freq_scale' = 2.0", "");
    std::fs::write(folder.join("high.toml"), format!("rate_hz = 32000\n{plain}")).unwrap();
    for verb in [
        &["play", "high.toml", "--offline", "--duration", "0.2"][..],
        &["check", "high.toml"],
        &["render", "high.toml", "--duration", "0.2", "--allow-silence", "-o", "high.wav"],
    ] {
        let words = said(verb);
        assert!(words.contains("left out") && words.contains("a/p: resonance 0 (tuned to 18000 Hz)"), "{words}");
    }
}
