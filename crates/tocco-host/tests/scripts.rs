// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `./run` says before there is a program: on a machine of stubs, on which nothing is installed and nothing is built.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The real program of a name.
fn real(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file()).unwrap()
}

/// A machine whose user may not install anything and which lacks the sound packages, with these stubs more or otherwise.
fn machine(stubs: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let bin = dir.path().join("bin");
    fs::create_dir(&bin).unwrap();
    for name in ["bash", "dirname", "env", "mkdir", "chmod"] {
        symlink(real(name), bin.join(name)).unwrap();
    }
    // A compiler that says what it is asked for, and makes a program that says what it is told.
    let cargo = "echo \"cargo $*\" >&2; mkdir -p \"$CARGO_TARGET_DIR/release\"\n\
        echo 'echo \"tocco $*\"' >\"$CARGO_TARGET_DIR/release/tocco\"; chmod +x \"$CARGO_TARGET_DIR/release/tocco\"";
    let usual = [
        ("cargo", cargo),
        ("rustup", ""),
        ("cc", ""),
        ("uname", "echo Linux"),
        ("id", "echo 1000"),
        ("pkg-config", "exit 1"),
        ("sudo", "exit 1"),
        ("apt-get", ""),
    ];
    for (name, script) in usual.iter().chain(stubs) {
        let file = bin.join(name);
        fs::write(&file, format!("#!{}\n{script}\n", real("bash").display())).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    dir
}

fn bash(on: &Path, arguments: &[&str]) -> (Output, String) {
    let out = Command::new(real("bash"))
        .args(arguments)
        .current_dir(root())
        .env_clear()
        .env("PATH", on.join("bin"))
        .env("HOME", on)
        .env("CARGO_TARGET_DIR", on.join("target"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    (out, said)
}

#[test]
fn what_is_missing_for_sound_is_named_with_what_to_type_and_it_goes_on_without() {
    let (here, none) = (machine(&[]), machine(&[]));
    fs::remove_file(none.path().join("bin/apt-get")).unwrap();
    for on in [here.path(), none.path()] {
        let (out, said) = bash(on, &["-c", "source .ci/setup; need_sound"]);
        assert!(out.status.success() && out.stdout.is_empty(), "{said}");
        for words in ["missing: pkg-config libasound2-dev", "type:  sudo apt-get", "null and offline"] {
            assert!(said.contains(words), "{words}: {said}");
        }
    }
    let (out, said) = bash(here.path(), &["-c", "source .ci/setup; give_up 'no bell' 'get bell'; echo on"]);
    assert_eq!((out.status.code(), said.as_str(), out.stdout.len()), (Some(3), "no bell\ntype:  get bell\n", 0));
    // Where it may install, standard output is left to the sound.
    let may = machine(&[("sudo", "")]);
    let (out, said) = bash(may.path(), &["-c", "source .ci/setup; need_sound"]);
    assert!(out.status.success() && out.stdout.is_empty(), "{said}");
    assert!(said.contains("installing pkg-config libasound2-dev"), "{said}");
}

#[test]
fn run_says_how_long_it_takes_before_it_builds_and_what_a_build_without_sound_lacks() {
    for (arguments, words) in [
        (&["-q", "play", "bar"][..], "type:  sudo apt-get"),
        (&["shoes", "gravel"], "null and offline"),
        (&["render", "bar", "-o", "-"], "built without sound cards"),
        (&["studio"], "built without sound cards"),
    ] {
        let on = machine(&[]);
        let (out, said) = bash(on.path(), &[&["run"], arguments].concat());
        assert!(out.status.success(), "{arguments:?}: {said}");
        assert_eq!(String::from_utf8_lossy(&out.stdout).trim(), format!("tocco {}", arguments.join(" ")));
        assert!(said.contains(words) && said.contains("libasound2-dev"), "{arguments:?}: {said}");
        let (time, build) = (said.find("some minutes").unwrap(), said.find("cargo build").unwrap());
        assert!(time < build, "{arguments:?}: {said}");
        // With the libraries nothing is said of them, and nothing of time once it is built.
        fs::write(on.path().join("bin/pkg-config"), format!("#!{}\n", real("bash").display())).unwrap();
        let (_, said) = bash(on.path(), &[&["run"], arguments].concat());
        assert!(!said.contains("sound") || said.contains("audio midi jack"), "{arguments:?}: {said}");
        assert!(!said.contains("apt-get") && !said.contains("minutes"), "{arguments:?}: {said}");
    }
}

#[test]
fn on_a_terminal_a_build_shows_how_far_it_is_and_elsewhere_it_is_quiet() {
    let script = std::env::var_os("PATH")
        .and_then(|path| std::env::split_paths(&path).map(|folder| folder.join("script")).find(|file| file.is_file()));
    let on = machine(&[]);
    let (_, elsewhere) = bash(on.path(), &["run", "render", "bar", "-o", "-"]);
    assert!(elsewhere.contains("cargo build --quiet"), "{elsewhere}");
    let Some(script) = script else {
        tocco_testing::skip("a build on a terminal", "'script' (Debian package bsdutils)");
        return;
    };
    let on = machine(&[]);
    let out = Command::new(script)
        .args(["-qec", "bash run render bar -o -", "/dev/null"])
        .current_dir(root())
        .env_clear()
        .env("PATH", on.path().join("bin"))
        .env("HOME", on.path())
        .env("SHELL", real("bash"))
        .env("CARGO_TARGET_DIR", on.path().join("target"))
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success(), "{said}");
    assert!(said.contains("some minutes") && said.contains("tocco render bar"), "{said}");
    let built: Vec<_> = said.lines().filter(|line| line.contains("cargo build")).collect();
    assert!(!built.is_empty() && built.iter().all(|line| !line.contains("--quiet")), "{said}");
}
