// SPDX-License-Identifier: MIT OR Apache-2.0
//! The OSC server on a bench, without sockets.
#![allow(dead_code, clippy::unwrap_used, reason = "each test file uses its part, and may stop at the first surprise")]

use rosc::{OscMessage, OscType};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use tocco_host::library;
use tocco_host::live::take_file::TakeFile;
use tocco_host::live::{self, Player, Setup, Shared};
use tocco_host::osc::Server;
use tocco_host::osc::files::Folder;
use tocco_host::osc::wire::{bytes_of, message, unpack};

/// Who sends.
pub const ME: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 9999);

/// Server and both halves, driven by hand.
pub struct Bench {
    pub desk: Shared,
    pub player: Player,
    pub server: Server,
    pub take: Option<TakeFile>,
}

impl Bench {
    pub fn new(scenes: Option<&Path>, record: Option<&Path>) -> Self {
        let setup = Setup { watch_load: false, channels: 2, ..Setup::default() };
        let (mut desk, player) = live::open(library::load("bar").unwrap(), setup).unwrap();
        let take = record.map(|path| TakeFile::record(&mut desk, path).unwrap());
        let desk = Shared::new(desk);
        let folder = scenes.map(|path| Folder::open(path).unwrap());
        Self { server: Server::new(&desk, folder), desk, player, take }
    }

    pub fn play(&mut self, frames: usize) {
        let mut block = vec![0.0; frames * self.player.channels()];
        self.player.play(&[], &mut block);
        self.desk.lock().poll().unwrap();
    }

    pub fn answers(&mut self) -> Vec<OscMessage> {
        let all = std::iter::from_fn(|| self.server.answer());
        all.map(|(_, bytes)| message(unpack(&bytes).unwrap()[0].bytes).unwrap()).collect()
    }

    pub fn send(&mut self, address: &str, args: Vec<OscType>) -> Vec<OscMessage> {
        self.server.receive(&bytes_of(address, args), ME);
        self.server.settle(Duration::from_secs(60));
        self.answers()
    }

    /// The one error that comes back.
    pub fn error(&mut self, address: &str, args: Vec<OscType>) -> String {
        let answers = self.send(address, args);
        match answers.as_slice() {
            [OscMessage { addr, args }] if addr == "/tocco/error" => args[0].clone().string().unwrap(),
            _ => panic!("{address}: {answers:?}"),
        }
    }

    pub fn value(&self, path: &str) -> f64 {
        self.desk.lock().value(path).unwrap()
    }
}

/// The program with these words.
pub fn tocco(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tocco")).args(arguments).stdin(Stdio::null()).output().unwrap()
}

/// What it said.
pub fn words(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
