// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything at once: devices that die or hang, full disks, packet floods, scene changes, Ctrl-C at any moment. With TOCCO_LONG
//! ten minutes and 200 interruptions; else a quarter of a minute and a dozen.
#![cfg(target_os = "linux")]

mod common;

use common::{Replayed, SmallDisk, good, replays};
use std::fs;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tocco::rng::Rng;
use tocco_host::osc::wire::{bundle, bytes_of, text};

/// The first Ctrl-C ends within this time, whatever goes on.
const AT_ONCE: Duration = Duration::from_secs(2);
/// Packets a second.
const FLOOD_HZ: u64 = 50_000;
/// Frames of a second: a mark of a take comes more often.
const SECOND: usize = 48_000;
/// How much more memory than after its first third a soak may hold, bytes.
const GROWTH: u64 = 10 << 20;

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

/// Somewhere to play: a JACK server that can be killed, stopped and started again, or none.
struct Device {
    #[cfg(feature = "jack")]
    jack: Option<common::Jack>,
    #[cfg(feature = "jack")]
    name: String,
}

#[cfg(feature = "jack")]
impl Device {
    fn new(what: &str) -> Self {
        let name = format!("tocco-{what}-{}", std::process::id());
        Self { jack: common::Jack::start(&name), name }
    }
    /// The name of the server, if there is one.
    fn name(&self) -> Option<&str> {
        self.jack.as_ref().map(|_| &*self.name)
    }
    fn kill(&mut self) {
        if let Some(jack) = &mut self.jack {
            jack.server.kill().unwrap();
            jack.server.wait().unwrap();
        }
    }
    fn start(&mut self) {
        if self.jack.take().is_some() {
            self.jack = common::Jack::start(&self.name);
        }
    }
    fn signal(&self, which: &str) {
        if let Some(jack) = &self.jack {
            signal(which, jack.server.id());
        }
    }
}

#[cfg(not(feature = "jack"))]
impl Device {
    fn new(_: &str) -> Self {
        Self {}
    }
    fn name(&self) -> Option<&str> {
        None
    }
    fn kill(&mut self) {}
    fn start(&mut self) {}
    fn signal(&self, _: &str) {}
}

/// Plays in a folder, on a JACK server or on no device.
fn play(server: Option<&str>, folder: &Path, words: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tocco"));
    command.arg("play").args(words).current_dir(folder).env("JACK_NO_START_SERVER", "1");
    match server {
        Some(name) => command.args(["--device", "jack:output"]).env("JACK_DEFAULT_SERVER", name),
        None => command.args(["--device", "null"]),
    };
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Asks it to end; it must, at once. How long it took.
fn interrupt(child: &mut Child, what: &str) -> Duration {
    let asked = Instant::now();
    signal("-INT", child.id());
    while child.try_wait().unwrap().is_none() {
        if asked.elapsed() > AT_ONCE {
            let _ = child.kill();
            panic!("{what}: not ended after {AT_ONCE:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    asked.elapsed()
}

fn free_port() -> String {
    UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string()
}

/// One packet of a flood: sense, nonsense, and now and then another scene.
fn packet(rng: &mut Rng) -> Vec<u8> {
    let value = rosc::OscType::Float(rng.between_log(1e5, 1e9) as f32);
    match rng.bits() % 5000 {
        0 => bytes_of("/tocco/scene/load", vec![text(["bar", "bell", "violin"][rng.bits() as usize % 3])]),
        1 => bytes_of("/tocco/panic", vec![]),
        2..500 => bytes_of("/hit/stiffness", vec![value]),
        500..700 => bytes_of("/tocco/strike", vec![text("hammer"), value]),
        700..900 => bundle(rng.bits(), &[bytes_of("/tocco/describe", vec![])]),
        900..1000 => bytes_of("/tocco/subscribe", vec![]),
        _ => (0..rng.bits() % 64).map(|_| rng.bits() as u8).collect(),
    }
}

/// Sends packets by as few calls as it goes, so that a flood leaves the machine to those who must stand it; how many were taken.
fn send_all(socket: &UdpSocket, packets: &[Vec<u8>]) -> u64 {
    use std::os::fd::AsRawFd as _;
    let mut parts: Vec<libc::iovec> = packets
        .iter()
        .map(|bytes| libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() })
        .collect();
    let mut all: Vec<libc::mmsghdr> = parts
        .iter_mut()
        .map(|part| {
            // SAFETY: all zeros are a header without address, parts and control.
            let mut one: libc::mmsghdr = unsafe { std::mem::zeroed() };
            (one.msg_hdr.msg_iov, one.msg_hdr.msg_iovlen) = (part, 1);
            one
        })
        .collect();
    let mut sent = 0;
    while sent < all.len() {
        let rest = &mut all[sent..];
        // SAFETY: headers, parts and bytes live through the call, which only reads them and writes how much was sent.
        let done = unsafe { libc::sendmmsg(socket.as_raw_fd(), rest.as_mut_ptr(), rest.len() as libc::c_uint, 0) };
        match usize::try_from(done) {
            Ok(done) if done > 0 => sent += done,
            _ => break,
        }
    }
    sent as u64
}

/// What a run left in its folder is whole, as is found out where there is room: `recover` mends what it must, every take gives the sound beside it, bit for bit.
fn nothing_is_lost(folder: &Path, room: &Path, what: &str) -> Replayed {
    good(folder, &["--quiet", "recover"]);
    let left: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.iter().all(|path| !path.to_string_lossy().ends_with("unfinished")), "{what}: {left:?}");
    let (take, wav) = (folder.join("a.jsonl"), folder.join("a.wav"));
    match (take.exists(), wav.exists()) {
        (true, true) => replays(room, &take, &wav),
        (_, true) => Replayed { frames: 0, wav_frames: hound::WavReader::open(wav).unwrap().duration() as usize },
        _ => Replayed::default(),
    }
}

#[test]
fn ctrl_c_at_any_moment_ends_within_two_seconds_and_loses_nothing() {
    let base = tempfile::tempdir().unwrap();
    let base = base.path();
    let (rounds, mut rng) = (if long() { 200 } else { 12 }, Rng::new(1, "interruptions"));
    let mut device = Device::new("ctrl-c");
    let (mut slowest, mut whole) = ([Duration::ZERO; 6], 0);
    for round in 0..rounds {
        let folder = base.join(round.to_string());
        fs::create_dir(&folder).unwrap();
        let case = if device.name().is_some() { round % 6 } else { round % 3 };
        let what =
            ["at rest", "on a full disk", "under a flood", "on JACK", "as JACK hangs", "as JACK is killed"][case];
        let disk = if case == 1 { SmallDisk::mount(&folder.join("disk"), 256) } else { None };
        let inside = if disk.is_some() { folder.join("disk") } else { folder.clone() };
        let port = free_port();
        let words = ["violin", "--record", "a.jsonl", "--wav", "a.wav", "--osc", &port];
        let mut child = play(device.name().filter(|_| case > 2), &inside, &words);
        // Any moment: from before there is anything to two seconds of sound.
        let (moment, since) = (Duration::from_millis(rng.bits() % 3_000), Instant::now());
        let (from, to) = (UdpSocket::bind("127.0.0.1:0").unwrap(), format!("127.0.0.1:{port}"));
        let trouble = moment.mul_f64(rng.unit());
        std::thread::sleep(trouble);
        match case {
            4 => device.signal("-STOP"),
            5 => device.kill(),
            _ => {}
        }
        while since.elapsed() < moment {
            if case == 2 {
                (0..50).for_each(|_| drop(from.send_to(&packet(&mut rng), &to)));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let recorded = fs::metadata(inside.join("a.wav.unfinished")).map_or(0, |meta| meta.len());
        slowest[case] = slowest[case].max(interrupt(&mut child, what));
        match case {
            4 => device.signal("-CONT"),
            5 => device.start(),
            _ => {}
        }
        let kept = nothing_is_lost(&inside, &folder, what);
        whole += usize::from(kept.frames > 0);
        // Two channels of 32 bits, and a header; what is on the disk is kept to the last frame that was settled.
        let there = (recorded.saturating_sub(4096) / 8) as usize;
        assert!(kept.wav_frames >= there, "round {round}, {what}: {} of {there} frames", kept.wav_frames);
        // The take lasts as long as the sound beside it, but for its last mark, unless the disk had no room for both.
        assert!(case == 1 || kept.frames + SECOND >= kept.wav_frames, "round {round}, {what}: {kept:?}");
        drop(disk);
        fs::remove_dir_all(&folder).unwrap();
    }
    println!("{rounds} interruptions, {whole} with a take; the slowest ends: {slowest:?}");
    assert!(whole > rounds / 4, "{whole} of {rounds}");
}

#[test]
fn under_floods_scene_changes_lost_devices_and_full_disks_memory_stays_and_every_take_replays() {
    // What a failure leaves is kept, to be looked into: marks of the take tell where it goes another way.
    let mut folder = tempfile::tempdir().unwrap();
    folder.disable_cleanup(true);
    println!("in {}", folder.path().display());
    let base = folder.path();
    let lasting = Duration::from_secs(if long() { 600 } else { 15 });
    let (port, mut device) = (free_port(), Device::new("soak"));
    let mut child = play(device.name(), base, &["bar", "--record", "a.jsonl", "--wav", "a.wav", "--osc", &port]);
    std::thread::sleep(Duration::from_secs(2));
    let (over, sent, ends) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let began = Instant::now();
    let levels = std::thread::scope(|scope| {
        // 50 000 packets a second, of a hundred thousand different ones.
        scope.spawn(|| {
            let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
            socket.connect(format!("127.0.0.1:{port}")).unwrap();
            let (mut rng, mut tries) = (Rng::new(2, "flood"), 0);
            let all: Vec<Vec<u8>> = (0..100_000).map(|_| packet(&mut rng)).collect();
            while !over.load(Relaxed) {
                let from = tries as usize % all.len();
                sent.fetch_add(send_all(&socket, &all[from..from + 500]), Relaxed);
                tries += 500;
                let due = began + Duration::from_micros(1_000_000 / FLOOD_HZ * tries);
                std::thread::sleep(due.saturating_duration_since(Instant::now()));
            }
        });
        // Somebody else plays on a disk that is full after a second, and goes on, again and again.
        scope.spawn(|| {
            let (mut rng, room) = (Rng::new(3, "disk"), &base.join("room"));
            fs::create_dir(room).unwrap();
            while !over.load(Relaxed) {
                let Some(disk) = SmallDisk::mount(&base.join("disk"), 384) else { return };
                let mut other = play(None, &base.join("disk"), &["violin", "--record", "a.jsonl", "--wav", "a.wav"]);
                std::thread::sleep(Duration::from_millis(3_000 + rng.bits() % 4_000));
                interrupt(&mut other, "on a full disk");
                let kept = nothing_is_lost(&base.join("disk"), room, "on a full disk");
                assert!(kept.wav_frames > 30_000, "{} frames", kept.wav_frames);
                ends.fetch_add(1, Relaxed);
                drop(disk);
                fs::remove_dir(base.join("disk")).unwrap();
            }
        });
        // The device dies, comes back, hangs, goes on.
        let (mut levels, mut turn, mut next) = (Vec::new(), 0, lasting / 12);
        while began.elapsed() < lasting && child.try_wait().unwrap().is_none() {
            if began.elapsed() > next {
                match turn % 4 {
                    0 => device.kill(),
                    1 => device.start(),
                    2 => device.signal("-STOP"),
                    _ => device.signal("-CONT"),
                }
                (turn, next) = (turn + 1, next + lasting / 24);
            }
            levels.push(held(child.id()));
            std::thread::sleep(Duration::from_millis(500));
        }
        over.store(true, Relaxed);
        levels
    });
    assert!(child.try_wait().unwrap().is_none(), "it has ended");
    let took = interrupt(&mut child, "the soak");
    device.signal("-CONT");
    // What is shared with a device that lives counts, too: the most of the first third beside the most of the rest.
    let (first, rest) = levels.split_at(levels.len() / 3 + 1);
    let (early, late) = (*first.iter().max().unwrap(), rest.iter().max().unwrap());
    let (sent, rate) = (sent.load(Relaxed), sent.load(Relaxed) as f64 / began.elapsed().as_secs_f64());
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!(
        "load {}; {lasting:?}: {sent} packets ({rate:.0} a second), {} full disks, {} MB then at most {} MB, ended after {took:?}",
        load.split(' ').next().unwrap_or_default(),
        ends.load(Relaxed),
        early >> 20,
        late >> 20,
    );
    assert!(*late < early + GROWTH, "{levels:?}");
    let kept = nothing_is_lost(base, base, "the soak");
    println!("{} frames of the take again, bit for bit, of {} recorded", kept.frames, kept.wav_frames);
    assert!(kept.frames + SECOND >= kept.wav_frames, "{kept:?}");
    // A machine too busy to send it would try nothing; the long soak has it for itself.
    assert!(!long() || rate > 0.95 * FLOOD_HZ as f64, "{rate} packets a second");
    // A device that hangs for a quarter of the time, on a busy machine: the sound is shorter than the soak.
    assert!(kept.frames as f64 > 0.2 * 48_000.0 * lasting.as_secs_f64(), "{} frames", kept.frames);
    folder.disable_cleanup(false);
}
