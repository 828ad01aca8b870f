// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything at once: device kills, a full disk, packet floods, scene changes, Ctrl-C at any moment. With TOCCO_LONG ten minutes
//! and 200 interruptions; else half a minute of it.
#![cfg(target_os = "linux")]

mod common;

use common::good;
use std::fs;
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tocco::rng::Rng;
use tocco_host::osc::wire::{bundle, bytes_of, text};

fn long() -> bool {
    std::env::var_os("TOCCO_LONG").is_some()
}

fn signal(which: &str, id: u32) {
    let _ = Command::new("kill").args([which, &id.to_string()]).stderr(Stdio::null()).status();
}

/// Resident memory of a process, bytes.
fn held(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn play(folder: &Path, words: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tocco"));
    command
        .arg("play")
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().unwrap()
}

fn free_port() -> String {
    UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string()
}

/// Every take in a folder renders, bit for bit; how many there are.
fn all_replay(folder: &Path) -> usize {
    good(folder, &["--quiet", "recover"]);
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let takes: Vec<String> = names.filter(|name| name.ends_with(".jsonl")).collect();
    for take in &takes {
        good(folder, &["--quiet", "render", "--take", take, "--bits", "32f", "-o", "again.wav"]);
    }
    takes.len()
}

#[test]
fn ctrl_c_at_any_moment_ends_within_two_seconds_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (rounds, mut rng, mut slowest) = (if long() { 200 } else { 6 }, Rng::new(1, "interruptions"), Duration::ZERO);
    for round in 0..rounds {
        let (take, wav) = (format!("{round}.jsonl"), format!("{round}.wav"));
        let mut child = play(folder, &["violin", "--device", "null", "--record", &take, "--wav", &wav]);
        let part = folder.join(format!("{wav}.unfinished"));
        let since = Instant::now();
        while !part.exists() && !folder.join(&wav).exists() && since.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(rng.bits() % 1500));
        let asked = Instant::now();
        signal("-INT", child.id());
        while child.try_wait().unwrap().is_none() {
            assert!(asked.elapsed() < Duration::from_secs(2), "round {round}: not ended");
            std::thread::sleep(Duration::from_millis(2));
        }
        slowest = slowest.max(asked.elapsed());
    }
    println!("{rounds} interruptions, the slowest end took {slowest:?}");
    assert_eq!(all_replay(folder), rounds as usize);
    fs::remove_file(folder.join("again.wav")).unwrap();
    let sounds =
        fs::read_dir(folder).unwrap().filter(|e| e.as_ref().unwrap().path().extension().is_some_and(|e| e == "wav"));
    assert_eq!(sounds.count(), rounds as usize);
}

#[test]
fn under_a_flood_with_scene_changes_memory_stays_and_the_take_replays() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let lasting = Duration::from_secs(if long() { 600 } else { 12 });
    let port = free_port();
    let mut child =
        play(folder, &["bar", "--device", "null", "--record", "a.jsonl", "--wav", "/dev/null", "--osc", &port]);
    let (socket, to) = (UdpSocket::bind("127.0.0.1:0").unwrap(), format!("127.0.0.1:{port}"));
    std::thread::sleep(Duration::from_secs(2));
    let (began, mut sent, mut levels, mut rng) = (Instant::now(), 0_u64, Vec::new(), Rng::new(2, "flood"));
    while began.elapsed() < lasting {
        for _ in 0..500 {
            let value = rosc::OscType::Float(rng.between_log(1e5, 1e9) as f32);
            let bytes = match rng.bits() % 5000 {
                0 => bytes_of("/tocco/scene/load", vec![text(["bar", "bell", "violin"][rng.bits() as usize % 3])]),
                1 => bytes_of("/tocco/panic", vec![]),
                2..500 => bytes_of("/hit/stiffness", vec![value]),
                500..700 => bytes_of("/tocco/strike", vec![text("hammer"), value]),
                700..900 => bundle(rng.bits(), &[bytes_of("/tocco/describe", vec![])]),
                900..1000 => bytes_of("/tocco/subscribe", vec![]),
                _ => (0..rng.bits() % 64).map(|_| rng.bits() as u8).collect(),
            };
            sent += u64::from(socket.send_to(&bytes, &to).is_ok());
        }
        // 50 000 a second.
        std::thread::sleep((began + Duration::from_micros(20 * sent)).saturating_duration_since(Instant::now()));
        if levels.len() < began.elapsed().as_secs() as usize {
            levels.push(held(child.id()));
        }
        assert!(child.try_wait().unwrap().is_none(), "it has ended");
    }
    let asked = Instant::now();
    signal("-INT", child.id());
    while child.try_wait().unwrap().is_none() {
        assert!(asked.elapsed() < Duration::from_secs(2), "not ended");
        std::thread::sleep(Duration::from_millis(2));
    }
    let (early, late) = (levels[levels.len() / 3], *levels.iter().max().unwrap());
    println!("{sent} packets, {} MB then {} MB, ended after {:?}", early >> 20, late >> 20, asked.elapsed());
    assert!(late < early + (10 << 20), "{levels:?}");
    assert_eq!(all_replay(folder), 1);
}
