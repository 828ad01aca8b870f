// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random packets, whole, mutated, cut off and nested, against the server and both halves. 50 000, or a million with
//! TOCCO_LONG. Alone in its file: it counts what is allocated.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use rosc::OscType;
use std::net::SocketAddr;
use std::time::{Duration, Instant, SystemTime};
use tocco::rng::Rng;
use tocco_host::library;
use tocco_host::live::{self, Setup, Shared};
use tocco_host::osc::files::Folder;
use tocco_host::osc::wire::{bundle, bytes_of, message, tag_of, text, unpack};
use tocco_host::osc::{Server, methods};
use tocco_testing::allocations::{Counting, assert_awake, count, held as held_bytes, watched};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Packets by one who knows the scene and one who does not.
struct Sender {
    rng: Rng,
    names: Vec<String>,
}

impl Sender {
    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[self.rng.bits() as usize % from.len()]
    }

    fn number(&mut self) -> OscType {
        let x = match self.rng.bits() % 8 {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => -1e300,
            3 => 0.0,
            _ => self.rng.between_log(1e-6, 1e9),
        };
        match self.rng.bits() % 5 {
            0 => OscType::Double(x),
            1 => OscType::Int(x as i32),
            2 => OscType::Long(x as i64),
            3 => OscType::Bool(x > 1.0),
            _ => OscType::Float(x as f32),
        }
    }

    fn message(&mut self) -> Vec<u8> {
        let name = self.names[self.rng.bits() as usize % self.names.len()].clone();
        let value = self.number();
        match self.rng.bits() % 16 {
            0 => bytes_of("/tocco/strike", vec![text("hammer"), value]),
            1 => bytes_of("/tocco/hit", vec![text("bar"), value]),
            2 => {
                let count = methods().count();
                let (method, _) = methods().nth(self.rng.bits() as usize % count).unwrap();
                // A scene is built now and then, not a thousand times a second; the table is long.
                let rare = method.contains("scene") || method.contains("describe");
                if rare && self.rng.unit() > 0.05 {
                    return bytes_of("/tocco/ping", vec![value]);
                }
                let word = self.pick(&["bell", "../bar", "/etc/passwd", "bra", "/*/*", "", "hit.force", "out"]);
                let args = match self.rng.bits() % 3 {
                    0 => vec![],
                    1 => vec![text(word)],
                    _ => vec![value, text(word)],
                };
                bytes_of(&format!("/{method}"), args)
            }
            3 => {
                let all = ["/*/*", "/h*/*", "/{hit,bar}/?*", "/*/[a-m]*", "/[!h]*/*", "/*a*a*a*", "/{", "/[a"];
                bytes_of(self.pick(&all), vec![value])
            }
            4 => {
                let all = ["/nonsense", "/hit/stifness", "//", "/", "/tocco/pnaic", "/tocco/error"];
                bytes_of(self.pick(&all), vec![value])
            }
            5 => bytes_of(&format!("/{name}"), vec![text("loud")]),
            6 => bytes_of(&format!("/{name}"), vec![OscType::Nil, value, OscType::Blob(vec![1, 2, 3])]),
            _ => bytes_of(&format!("/{name}"), vec![value]),
        }
    }

    fn packet(&mut self) -> Vec<u8> {
        let mut bytes = self.message();
        match self.rng.bits() % 10 {
            0..=2 => {
                for _ in 0..self.rng.bits() % 4 {
                    let tag = match self.rng.bits() % 4 {
                        0 => 1,
                        1 => self.rng.bits(),
                        _ => tag_of(SystemTime::now() + Duration::from_micros(self.rng.bits() % 100_000)),
                    };
                    let other = self.message();
                    bytes = bundle(tag, &[bytes, other]);
                }
            }
            3 if self.rng.unit() < 0.1 => {
                for _ in 0..self.rng.bits() % 2_000 {
                    bytes = bundle(1, &[bytes]);
                }
            }
            3 => {
                for _ in 0..self.rng.bits() % 12 {
                    bytes = bundle(1, &[bytes]);
                }
            }
            4 => bytes.truncate(self.rng.bits() as usize % (bytes.len() + 1)),
            5 => {
                for _ in 0..1 + self.rng.bits() % 8 {
                    let at = self.rng.bits() as usize % bytes.len();
                    bytes[at] = self.rng.bits() as u8;
                }
            }
            6 => bytes = (0..self.rng.bits() % 400).map(|_| self.rng.bits() as u8).collect(),
            7 if self.rng.unit() < 0.1 => {
                let depth = self.rng.bits() as usize % 20_000;
                bytes = format!("/hit/x\0\0,{}{}", "[".repeat(depth), "]".repeat(depth)).into_bytes();
                bytes.resize(bytes.len().next_multiple_of(4) + 4, 0);
            }
            _ => {}
        }
        bytes
    }
}

#[test]
fn random_packets_crash_nothing_grow_nothing_and_sound_like_numbers() {
    let packets = if std::env::var_os("TOCCO_LONG").is_some() { 1_000_000 } else { 50_000 };
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup { watch_load: false, channels: 2, ..Setup::default() };
    let (desk, mut player) = live::open(library::load("bar").unwrap(), setup).unwrap();
    let names = desk.paths().into_iter().map(|(path, _, _)| path).collect();
    let desk = Shared::new(desk);
    let mut server = Server::new(&desk, Some(Folder::open(folder.path()).unwrap()));
    let mut sender = Sender { rng: Rng::new(11, "packets"), names };
    let mut block = vec![0.0; 64 * desk.lock().channels()];
    let (started, mut remarks, mut answers, mut held, mut loudest) = (Instant::now(), 0, 0, Vec::new(), 0.0_f32);
    for round in 0..packets {
        let from = SocketAddr::from(([127, 0, 0, 1], 9000 + (sender.rng.bits() % 20) as u16));
        server.receive(&sender.packet(), from);
        server.settle(Duration::from_secs(60));
        if round % 8 == 0 {
            watched(|| player.play(&[], &mut block));
            let wild = block.iter().find(|x| !x.is_finite() || x.abs() > 1.0);
            assert!(wild.is_none(), "packet {round}: {wild:?}");
            loudest = block.iter().fold(loudest, |most, x| most.max(x.abs()));
            desk.lock().poll().unwrap();
            server.turn();
        }
        while let Some((to, bytes)) = server.answer() {
            assert!(to == from || bytes.starts_with(b"/tocco/levels") || bytes.starts_with(b"/tocco/probe"));
            assert!(bytes.len() < 2_000 && unpack(&bytes).is_ok_and(|all| message(all[0].bytes).is_ok()));
            answers += 1;
        }
        remarks += std::iter::from_fn(|| desk.lock().news()).count();
        if round * 10 % packets == 0 {
            held.push(held_bytes());
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    let counts = desk.lock().counts();
    println!("{packets} packets in {seconds:.1} s, {answers} answers, {remarks} remarks, loudest {loudest}");
    println!("{counts:?}, bytes held {held:?}");
    assert_eq!(count(), 0, "allocations on the audio side");
    assert_awake();
    let (early, late) = (held[2], *held[5..].iter().max().unwrap());
    assert!(late - early < 1 << 20, "the control side grew from {early} to {late} bytes");
    assert!(remarks as f64 <= seconds + 1.0, "{remarks} remarks in {seconds} s");
    assert!(counts.done > packets / 10 && counts.refused > packets / 10 && answers > packets / 10, "{counts:?}");
    assert!(loudest > 0.01, "something was to be heard: {loudest}");
}
