// SPDX-License-Identifier: MIT OR Apache-2.0
//! Open Sound Control: a server for `tocco play` and a client, `tocco send`.
//!
//! The server is a front end like any other: it gives its gestures to the desk, which checks, counts and records them.
//! Everything that comes in is bounded before it is read: depth and number of messages, length of names, patterns and
//! gestures per packet, gestures that wait for their time, answers that wait to be sent, subscribers.

mod answers;
pub mod client;
pub mod files;
mod methods;
pub mod pattern;
mod server;
mod stream;
pub mod wire;

pub use methods::methods;
pub use server::{Server, gesture_args};

use crate::console;
use crate::error::{HostError, Result, bad};
use crate::interrupt;
use crate::live::Shared;
use crate::live::play::{Front, GOODBYE};
use files::Folder;
use std::io::ErrorKind;
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The server looks round so often while there is something to send, and while there is not.
const BUSY: Duration = Duration::from_millis(1);
const IDLE: Duration = Duration::from_millis(20);
/// Answers per look: a receiver's buffer holds some hundred.
const BURST: usize = 16;

/// What `tocco play` takes about OSC.
#[derive(clap::Args, Debug)]
pub struct OscArgs {
    /// Play by OSC on this UDP port; 0: any free one
    #[arg(long = "osc", value_name = "PORT", allow_negative_numbers = true)]
    port: Option<u16>,
    /// Address to take OSC at; 0.0.0.0: from every network
    #[arg(long = "osc-host", value_name = "HOST", default_value = "127.0.0.1", requires = "port")]
    host: String,
    /// Folder in which OSC may load and save scenes; without it, only shipped scenes are loaded
    #[arg(long, value_name = "DIR", requires = "port")]
    scenes: Option<PathBuf>,
}

impl OscArgs {
    /// The front end that was asked for.
    pub fn front(&self) -> Option<Box<dyn Front>> {
        let settings = Settings { host: self.host.clone(), port: self.port?, scenes: self.scenes.clone() };
        Some(Box::new(Osc::new(settings)))
    }
}

/// Where to listen.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Address or name of this machine; the loopback unless others shall play.
    pub host: String,
    /// UDP port; 0: any that is free.
    pub port: u16,
    /// Folder of the scenes that may be loaded and saved.
    pub scenes: Option<PathBuf>,
}

/// The server as a front end.
pub struct Osc {
    settings: Settings,
    address: Option<SocketAddr>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Osc {
    /// Does not listen yet.
    pub fn new(settings: Settings) -> Self {
        Self { settings, address: None, stop: Arc::default(), thread: None }
    }

    /// Where it listens.
    pub fn address(&self) -> Option<SocketAddr> {
        self.address
    }
}

impl Front for Osc {
    fn start(&mut self, desk: &Shared) -> Result<()> {
        let folder = self.settings.scenes.as_deref().map(Folder::open).transpose()?;
        let socket = bind(&self.settings.host, self.settings.port)?;
        let wrong = |e: std::io::Error| HostError::Machine(format!("OSC: {e}"));
        let address = socket.local_addr().map_err(wrong)?;
        let (mut server, stop) = (Server::new(desk, folder), self.stop.clone());
        if !address.ip().is_loopback() {
            server.distrust();
        }
        let run = move || listen(&socket, server, &stop);
        self.thread = Some(std::thread::Builder::new().name("OSC".into()).spawn(run).map_err(wrong)?);
        self.address = Some(address);
        console::remark(&format!("OSC on {address}"));
        Ok(())
    }

    fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // One that builds a slow scene is not waited for.
        self.thread.take().map(|thread| interrupt::wait_for(&thread, GOODBYE));
    }
}

impl Drop for Osc {
    fn drop(&mut self) {
        self.stop();
    }
}

fn bind(host: &str, port: u16) -> Result<UdpSocket> {
    let Some(address) = (host, port).to_socket_addrs().ok().and_then(|mut all| all.next()) else {
        return bad(format!("--osc-host {host}: no such address; 127.0.0.1 is this machine, 0.0.0.0 every network"));
    };
    UdpSocket::bind(address).map_err(|e| {
        HostError::BadInput(match e.kind() {
            ErrorKind::AddrInUse => format!("OSC port {port} is in use; name another with --osc, or 0 for any"),
            ErrorKind::AddrNotAvailable => format!("--osc-host {host}: not an address of this machine"),
            ErrorKind::PermissionDenied => format!("OSC port {port}: permission denied; name one from 1024 to 65535"),
            _ => format!("OSC port {port} on {host}: {e}"),
        })
    })
}

fn listen(socket: &UdpSocket, mut server: Server, stop: &AtomicBool) {
    let mut bytes = vec![0; 65_536];
    let mut next = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        let patience = if server.is_busy() { BUSY } else { IDLE };
        match socket.set_read_timeout(Some(patience)).and_then(|()| socket.recv_from(&mut bytes)) {
            Ok((length, from)) => server.receive(&bytes[..length], from),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            // A receiver that has gone is reported here by some systems; it is no reason to end, nor to spin.
            Err(_) => std::thread::sleep(BUSY),
        }
        let now = Instant::now();
        if now < next {
            continue;
        }
        next = now + BUSY;
        server.turn();
        for (to, answer) in std::iter::from_fn(|| server.answer()).take(BURST) {
            // Nobody there: nothing lost.
            let _ = socket.send_to(&answer, to);
        }
    }
}
