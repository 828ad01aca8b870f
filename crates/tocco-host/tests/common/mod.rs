// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program as people run it.

#![allow(dead_code, reason = "every test takes its part of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Runs the program in a folder.
pub fn tocco(dir: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tocco")).args(arguments).current_dir(dir).stdin(Stdio::null()).output().unwrap()
}

/// Runs it where it must succeed in silence; what it printed.
pub fn good(dir: &Path, arguments: &[&str]) -> String {
    let out = tocco(dir, arguments);
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success() && error.is_empty(), "{arguments:?}: {error}");
    String::from_utf8(out.stdout).unwrap()
}

/// A real server with a clock of its own: jackd without a card. It is ended with the value.
#[cfg(feature = "jack")]
pub struct Jack {
    name: String,
    /// The server itself.
    pub server: std::process::Child,
}

#[cfg(feature = "jack")]
impl Jack {
    /// Starts one and waits until it answers; `None`: there is none here, which is said.
    pub fn start(name: &str) -> Option<Self> {
        Self::start_at(name, "48000")
    }

    /// The same at another rate.
    pub fn start_at(name: &str, rate_hz: &str) -> Option<Self> {
        let server = Command::new("jackd")
            .args(["-n", name, "-r", "-d", "dummy", "-r", rate_hz, "-p", "256", "-C", "2", "-P", "2"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(server) = server else {
            tocco_testing::skip("playing on a JACK server", "jackd (Debian package jackd2)");
            return None;
        };
        let jack = Self { name: name.to_owned(), server };
        let ready = (0..40).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(250));
            let listed = jack.tocco(Path::new("."), &["play", "--list-devices"]).output().unwrap();
            String::from_utf8_lossy(&listed.stdout).contains("jack:output")
        });
        assert!(ready, "jackd is there and does not answer");
        Some(jack)
    }

    /// The program, with this server.
    pub fn tocco(&self, folder: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tocco"));
        command.args(words).env("JACK_DEFAULT_SERVER", &self.name).env("JACK_NO_START_SERVER", "1").current_dir(folder);
        command
    }
}

#[cfg(feature = "jack")]
impl Drop for Jack {
    /// Politely: a server that is killed keeps its place in a table of eight, and after some runs no other can start.
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-TERM", &self.server.id().to_string()]).status();
        let _ = self.server.wait();
    }
}

/// What a take gave again, and how long the sound is that was recorded beside it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Replayed {
    /// Frames of the take.
    pub frames: usize,
    /// Frames of the sound.
    pub wav_frames: usize,
}

/// Renders a take into a folder; it must give the beginning of what was recorded beside it, bit for bit, as an independent
/// reader reads both. One that ends before anything sounds is silent.
pub fn replays(folder: &Path, take: &Path, wav: &Path) -> Replayed {
    let words =
        ["--quiet", "render", "--allow-silence", "--take", take.to_str().unwrap(), "--bits", "32f", "-o", "again.wav"];
    good(folder, &words);
    let open = |path: &Path| hound::WavReader::open(path).unwrap();
    let (again, played) = (open(&folder.join("again.wav")), open(wav));
    let kept = Replayed { frames: again.duration() as usize, wav_frames: played.duration() as usize };
    let bits = |sound: hound::WavReader<_>| sound.into_samples::<f32>().map(|x| x.unwrap().to_bits());
    assert!(bits(again).zip(bits(played)).all(|(again, played)| again == played), "the take gives other samples");
    kept
}

/// A disk of its own; unmounted with the value.
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Of so many KiB; `None`: it may not be mounted here, which is said.
    pub fn mount(at: &Path, kib: u32) -> Option<Self> {
        std::fs::create_dir(at).unwrap();
        let size = format!("size={kib}k");
        let done =
            Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(at).stderr(Stdio::null()).status();
        if !done.is_ok_and(|status| status.success()) {
            tocco_testing::skip("recording on a full disk", "the right to mount one (root)");
            return None;
        }
        Some(Self(at.to_path_buf()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
