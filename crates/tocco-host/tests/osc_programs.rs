// SPDX-License-Identifier: MIT OR Apache-2.0
//! OSC between programs: `tocco play`, `tocco send`, the tools of liblo, a client on the network.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod bench;

use bench::{Bench, ME, tocco, words};
use rosc::{OscMessage, OscType};
use std::io::{BufRead, BufReader, Read};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime};
use tocco::Gesture;
use tocco_host::library::{self};
use tocco_host::live::When;
use tocco_host::osc::wire::{bundle, bytes_of, message, tag_of, text, unpack};
use tocco_live::take::Take;
use tocco_testing::skip;

/// `tocco play` with a null device; its first lines say where it listens.
struct Program {
    child: Child,
    port: String,
    lines: std::sync::mpsc::Receiver<String>,
}

impl Program {
    fn start(dir: &Path, more: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tocco"))
            .args(["play", "bar", "--device", "null", "--osc", "0"])
            .args(more)
            .current_dir(dir)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (say, lines) = std::sync::mpsc::channel();
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| say.send(line)));
        let first = lines.recv_timeout(Duration::from_secs(20)).unwrap();
        let port = first.strip_prefix("OSC on 127.0.0.1:").unwrap_or_else(|| panic!("{first}")).to_owned();
        Self { child, port, lines }
    }

    fn tocco_send(&self, arguments: &[&str]) -> Output {
        let to = format!("127.0.0.1:{}", self.port);
        tocco(&[&["send"], arguments, &["--to", &to]].concat())
    }

    /// Waits for the end that --duration set.
    fn end(mut self) -> Vec<String> {
        assert!(self.child.wait().unwrap().success());
        self.lines.try_iter().collect()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
#[test]
fn a_busy_port_a_foreign_address_and_a_missing_server_are_one_line_each() {
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let play = ["play", "bar", "--device", "null", "--duration", "0.1", "--osc"];
    let cases: [(Vec<&str>, i32, &str); 6] = [
        ([&play[..], &[&port]].concat(), 2, "is in use; name another with --osc"),
        ([&play[..], &["0", "--osc-host", "192.0.2.1"]].concat(), 2, "not an address of this machine"),
        ([&play[..], &["0", "--scenes", "/nowhere"]].concat(), 2, "no such file"),
        (vec!["send", "hit/stiffness", "1"], 2, "begins with '/'"),
        (vec!["send", "/a", "1", "--to", "nonsense"], 2, "give HOST:PORT"),
        (vec!["send", "/a", "1", "--wait", "--to", "127.0.0.1:9"], 3, "is 'tocco play SCENE --osc 9' running"),
    ];
    for (arguments, code, meant) in cases {
        let out = tocco(&arguments);
        let error = words(&out.stderr);
        assert!(out.status.code() == Some(code) && error.contains(meant), "{arguments:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn tocco_send_plays_asks_and_replays_a_take() {
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(dir.path(), &["--record", "first.jsonl", "--duration", "4"]);
    let done = program.tocco_send(&["/tocco/strike", "hammer", "1.5", "--wait"]);
    assert!(done.status.success() && done.stdout.is_empty(), "{}", words(&done.stderr));
    assert!(program.tocco_send(&["/hit/stiffness", "d:1.25e7"]).status.success());
    let table = program.tocco_send(&["/tocco/describe", "/hit/*", "--wait"]);
    let table = words(&table.stdout);
    assert!(table.contains("/tocco/describe/path \"/hit/stiffness\"") && table.contains("12500000"), "{table}");
    let wrong = program.tocco_send(&["/hit/stifness", "1", "--wait"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(words(&wrong.stderr).contains("did you mean 'hit/stiffness'?"), "{}", words(&wrong.stderr));
    let lines = program.end();
    assert!(lines.iter().any(|line| line.contains("OSC from 127.0.0.1")), "{lines:?}");

    let first = tocco_host::take::read(&dir.path().join("first.jsonl")).unwrap();
    let again = Program::start(dir.path(), &["--record", "second.jsonl", "--duration", "8"]);
    let path = dir.path().join("first.jsonl").display().to_string();
    let replayed = again.tocco_send(&["--replay", &path, "--wait"]);
    assert!(replayed.status.success(), "{}", words(&replayed.stderr));
    again.end();
    let second = tocco_host::take::read(&dir.path().join("second.jsonl")).unwrap();
    let deeds = |take: &Take| -> Vec<(u64, String)> {
        let kept = take.entries.iter().filter(|entry| !matches!(entry.gesture, Gesture::Quality { .. }));
        kept.map(|entry| (entry.at, format!("{:?}", entry.gesture))).collect()
    };
    let (first, second) = (deeds(&first), deeds(&second));
    let names = |deeds: &[(u64, String)]| deeds.iter().map(|(_, deed)| deed.clone()).collect::<Vec<_>>();
    assert_eq!(names(&first), names(&second));
    assert_eq!(first.len(), 2);
    let apart = |deeds: &[(u64, String)]| deeds[1].0.abs_diff(deeds[0].0) as f64 / 48_000.0;
    // The null device of a busy machine stutters; the sample itself is the affair of the test above.
    assert!((apart(&first) - apart(&second)).abs() < 0.25, "{first:?} {second:?}");
}

#[test]
fn a_replayed_take_sends_an_edit_as_an_edit_and_a_load_as_a_load_at_their_times() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("take.jsonl");
    let mut bench = Bench::new(None, Some(&path));
    for gesture in [
        Gesture::Strike { body: "hammer".into(), velocity_m_s: 1.5 },
        Gesture::Edit(Box::new(library::load("bar").unwrap())),
        Gesture::Hush,
        Gesture::Load(Box::new(library::load("bell").unwrap())),
    ] {
        bench.desk.lock().perform(&gesture, When::Now).unwrap();
        bench.play(480);
    }
    bench.desk.lock().stop().unwrap();
    bench.play(1);
    bench.take.take().unwrap().finish(&mut bench.desk.lock()).unwrap();

    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let to = socket.local_addr().unwrap().to_string();
    let replayed = tocco(&["send", "--replay", path.to_str().unwrap(), "--to", &to]);
    assert!(replayed.status.success(), "{}", words(&replayed.stderr));
    let mut bytes = [0; 4_096];
    let mut next = || {
        let length = socket.recv(&mut bytes).unwrap();
        let leaf = &unpack(&bytes[..length]).unwrap()[0];
        (message(leaf.bytes).unwrap(), leaf.time.is_some())
    };
    let sent = [
        ("/tocco/strike", vec![text("hammer"), OscType::Double(1.5)], true),
        ("/tocco/scene/edit", vec![text("bar")], false),
        ("/tocco/panic", vec![], false),
        ("/tocco/scene/load", vec![text("bell")], false),
    ];
    for (address, args, has_time) in sent {
        assert_eq!(next(), (OscMessage { addr: address.into(), args }, has_time));
    }
}

/// liblo's programs, or a word that they are not here.
fn liblo() -> bool {
    let here = Command::new("oscsend").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !here {
        skip("OSC as liblo speaks it", "oscsend (Debian package liblo-tools)");
    }
    here
}

fn oscsend(port: &str, arguments: &[&str]) {
    let done = Command::new("oscsend").args(["127.0.0.1", port]).args(arguments).output().unwrap();
    assert!(done.status.success(), "{}", words(&done.stderr));
}

#[test]
fn oscsend_of_liblo_plays_the_program_and_the_take_has_it() {
    if !liblo() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(dir.path(), &["--record", "take.jsonl", "--duration", "3"]);
    let messages: [&[&str]; 9] = [
        &["/hit/stiffness", "f", "1e7"],
        &["/hit/stiffness", "d", "2e7"],
        &["/hit/stiffness", "i", "30000000"],
        &["/hit/stiffness", "h", "40000000"],
        &["/hi?/{stiffness,none}", "d", "5e7"],
        &["/tocco/strike", "sf", "hammer", "1.5"],
        &["/hit/stifness", "f", "1"],
        &["/tocco/scene/load", "s", "seven-materials"],
        &["/tocco/touch", "sf", "rubber.end", "0.5"],
    ];
    for arguments in messages {
        oscsend(&program.port, arguments);
        std::thread::sleep(Duration::from_millis(20));
    }
    let lines = program.end();
    assert!(lines.iter().any(|line| line.contains("did you mean 'hit/stiffness'?")), "{lines:?}");
    let take = tocco_host::take::read(&dir.path().join("take.jsonl")).unwrap();
    let mut deeds =
        take.entries.iter().map(|entry| &entry.gesture).filter(|done| !matches!(done, Gesture::Quality { .. }));
    for value in [1e7, 2e7, 3e7, 4e7, 5e7] {
        assert!(
            matches!(deeds.next(), Some(Gesture::Set { path, value: v }) if path == "hit/stiffness" && *v == value),
            "{value}"
        );
    }
    assert!(matches!(deeds.next(), Some(Gesture::Strike { body, velocity_m_s: v }) if body == "hammer" && *v == 1.5));
    assert!(matches!(deeds.next(), Some(Gesture::Load(scene)) if scene.name == "seven-materials"));
    assert!(matches!(deeds.next(), Some(Gesture::Touch { site, place }) if site == "rubber.end" && place == &[0.5]));
    assert!(deeds.next().is_none());
}

#[test]
fn oscdump_of_liblo_reads_every_kind_of_answer_and_what_tocco_send_sends() {
    if !liblo() {
        return;
    }
    let free = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let mut dump = Command::new("oscdump").args(["-L", &free]).stdout(Stdio::piped()).spawn().unwrap();
    let mut out = dump.stdout.take().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let to = format!("127.0.0.1:{free}");
    for arguments in [&["/hit/stiffness", "1.5"][..], &["/tocco/strike", "hammer", "d:-2.5"], &["/x", "i:3", "true"]] {
        assert!(tocco(&[&["send"], arguments, &["--to", &to]].concat()).status.success());
    }
    // Every kind of answer of a server, sent on to oscdump.
    let mut bench = Bench::new(None, None);
    let mut all = Vec::new();
    for (address, args) in [
        ("/tocco/ping", vec![OscType::Int(5), text("hello")]),
        ("/tocco/describe", vec![text("/hit/stiffness")]),
        ("/tocco/subscribe", vec![OscType::Float(50.0), text("energy")]),
        ("/hit/stifness", vec![OscType::Float(1.0)]),
        ("/hit/stiffness", vec![OscType::Double(-1.0)]),
    ] {
        bench.server.receive(&bytes_of(address, args), ME);
    }
    for _ in 0..3 {
        bench.play(64);
        bench.server.turn();
        std::thread::sleep(Duration::from_millis(30));
    }
    all.extend(std::iter::from_fn(|| bench.server.answer()).map(|(_, bytes)| bytes));
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    for bytes in &all {
        socket.send_to(bytes, &to).unwrap();
    }
    let in_time = bundle(tag_of(SystemTime::now()), &[bytes_of("/in/bundle", vec![OscType::Float(0.5)])]);
    socket.send_to(&in_time, &to).unwrap();
    std::thread::sleep(Duration::from_millis(700));
    dump.kill().unwrap();
    dump.wait().unwrap();
    let mut printed = String::new();
    out.read_to_string(&mut printed).unwrap();
    for meant in [
        "/hit/stiffness f 1.5",
        "/tocco/strike sd \"hammer\" -2.5",
        "/x iT 3",
        "/tocco/pong is 5 \"hello\"",
        "/tocco/describe/path ssffffs \"/hit/stiffness\"",
        "/tocco/describe/end i 1",
        "/tocco/subscribed ff 50",
        "/tocco/error s",
        "/tocco/clamped sf \"hit/stiffness\"",
        "/tocco/levels hff",
        "/tocco/probe hsf",
        "/in/bundle f 0.5",
    ] {
        assert!(printed.contains(meant), "{meant} is not in\n{printed}");
    }
}

#[test]
fn a_client_on_the_network_gets_the_whole_table_and_its_stream() {
    let dir = tempfile::tempdir().unwrap();
    let program = Program::start(dir.path(), &["--duration", "30"]);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.connect(format!("127.0.0.1:{}", program.port)).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let mut bytes = [0; 4_096];
    let mut next = || {
        // A machine that stops and continues the program interrupts it.
        let length = std::iter::repeat_with(|| socket.recv(&mut bytes))
            .find(|r| !r.as_ref().is_err_and(|e| e.kind() == std::io::ErrorKind::Interrupted));
        let length = length.unwrap().unwrap();
        message(&bytes[..length]).unwrap()
    };
    socket.send(&bytes_of("/tocco/describe", vec![])).unwrap();
    let mut rows = 0;
    loop {
        let answer = next();
        if answer.addr == "/tocco/describe/end" {
            assert_eq!(answer.args, [OscType::Int(rows)]);
            break;
        }
        rows += 1;
    }
    assert!(rows > 10);
    socket.send(&bytes_of("/tocco/subscribe", vec![OscType::Float(50.0), text("energy")])).unwrap();
    assert_eq!(next().addr, "/tocco/subscribed");
    let started = Instant::now();
    let mut levels = 0;
    while levels < 25 {
        levels += i32::from(next().addr == "/tocco/levels");
    }
    let seconds = started.elapsed().as_secs_f64();
    assert!((0.3..5.0).contains(&seconds), "25 readings at 50 Hz took {seconds} s");
}
