// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco play` on a terminal of its own, made by `script` (util-linux).

#![cfg(target_os = "linux")]

use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use tocco_testing::skip;

/// Runs the program on a terminal, with keys after pauses; `None`: no `script` here.
fn on_terminal(folder: &std::path::Path, words: &str, keys: &[(u64, &str)]) -> Option<Output> {
    let command = format!("stty rows 24 cols 90; exec \"$TOCCO\" {words}");
    let child = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .env("TOCCO", env!("CARGO_BIN_EXE_tocco"))
        .env("TERM", "xterm-256color")
        .env("SHELL", "/bin/sh")
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        skip("keys on a terminal", "'script' (Debian package bsdutils)");
        return None;
    };
    let mut stdin = child.stdin.take().unwrap();
    for (wait_ms, key) in keys {
        std::thread::sleep(Duration::from_millis(*wait_ms));
        stdin.write_all(key.as_bytes()).unwrap();
        stdin.flush().unwrap();
    }
    Some(child.wait_with_output().unwrap())
}

/// The screen was taken once and given back once, and nothing was drawn after that.
fn gives_the_screen_back(out: &Output) -> String {
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success(), "{text}");
    let (taken, given) = ("\u{1b}[?1049h", "\u{1b}[?1049l");
    assert_eq!((text.matches(taken).count(), text.matches(given).count()), (1, 1), "{text}");
    let (drawn, rest) = text.split_once(given).unwrap();
    assert!(rest.contains("ended") && !rest.contains("\u{1b}["), "{rest:?}");
    drawn.to_owned()
}

#[test]
fn keys_play_on_a_terminal_which_is_given_back_and_the_take_has_what_they_did() {
    let folder = tempfile::tempdir().unwrap();
    let keys = [(2500, " "), (300, "1e8\r"), (500, "q")];
    let Some(out) = on_terminal(folder.path(), "play bar --device null --record a.jsonl", &keys) else { return };
    let drawn = gives_the_screen_back(&out);
    assert!(drawn.contains("hardness") && drawn.contains("unconverged"), "{drawn}");
    let take = std::fs::read_to_string(folder.path().join("a.jsonl")).unwrap();
    assert!(take.contains("\"strike\":\"hammer\"") && take.contains("\"set\":\"hardness\""), "{take}");
}

#[test]
fn an_end_by_time_and_by_ctrl_c_give_the_terminal_back_and_plain_never_takes_it() {
    let folder = tempfile::tempdir().unwrap();
    let Some(out) = on_terminal(folder.path(), "play bar --device null", &[(2000, "\u{3}")]) else { return };
    gives_the_screen_back(&out);
    let out = on_terminal(folder.path(), "play bar --device null --duration 1", &[]).unwrap();
    gives_the_screen_back(&out);
    let out = on_terminal(folder.path(), "play bar --device null --duration 0.5 --plain", &[]).unwrap();
    assert!(out.status.success() && !String::from_utf8_lossy(&out.stdout).contains('\u{1b}'));
}

#[test]
fn a_machine_without_midi_is_told_so_in_one_line_with_exit_code_3() {
    for words in [&["play", "bar", "--device", "null", "--midi", "1"][..], &["play", "--midi", "list"]] {
        // Without its configuration ALSA finds no MIDI even where there is some.
        let mut command = Command::new(env!("CARGO_BIN_EXE_tocco"));
        let out = command.args(words).env("ALSA_CONFIG_PATH", "/dev/null").output().unwrap();
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(
            out.status.code() == Some(3) && said.contains("MIDI") && said.lines().count() == 1,
            "{words:?}: {said}"
        );
    }
}

/// A mistake is red on a terminal, and plain where nobody sees colours or somebody wants none.
#[test]
fn colour_is_for_terminals_and_no_color_is_respected() {
    let folder = tempfile::tempdir().unwrap();
    let Some(coloured) = on_terminal(folder.path(), "check no-such-scene", &[]) else { return };
    let text = String::from_utf8_lossy(&coloured.stdout).into_owned();
    assert!(text.contains("\u{1b}[1;31mtocco:\u{1b}[0m "), "{text:?}");
    for set in ["NO_COLOR=1", "TERM=dumb"] {
        let shell = format!("env {set} \"$TOCCO\" check no-such-scene");
        let out = Command::new("script")
            .args(["-qec", &shell, "/dev/null"])
            .env("TOCCO", env!("CARGO_BIN_EXE_tocco"))
            .env("SHELL", "/bin/sh")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(text.contains("tocco: ") && !text.contains('\u{1b}'), "{set}: {text:?}");
    }
    // The terminal view draws without colours, too: neither of the sixteen nor of the others.
    let shell = "stty rows 24 cols 90; NO_COLOR=1 TERM=xterm-256color \"$TOCCO\" play bar --device null --duration 1";
    let out = Command::new("script")
        .args(["-qec", shell, "/dev/null"])
        .env("TOCCO", env!("CARGO_BIN_EXE_tocco"))
        .env("SHELL", "/bin/sh")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let colours = (30..38).chain(40..48).chain(90..98).map(|code| format!("\u{1b}[{code}m"));
    assert!(
        colours.into_iter().all(|code| !text.contains(&code)) && !text.contains("[38;") && !text.contains("[48;"),
        "{text:?}"
    );
}
