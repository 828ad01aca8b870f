// SPDX-License-Identifier: MIT OR Apache-2.0
//! Between the page and OSC: what arrives as OSC is played in every open page, and what is played in a page goes out as
//! OSC, for instance to a running `tocco play`. On the WebSocket a gesture is its JSON line ([`Gesture::to_json`]).

use crate::error::{HostError, Result, bad};
use crate::osc::{gesture_args, wire};
use rosc::{OscMessage, OscType};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tocco::Gesture;
use tokio::net::UdpSocket;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Gestures that wait for a page: twice what the longest OSC packet can hold. A page that leaves more waiting is let go.
const LONGEST_QUEUE: usize = 8192;
/// Pages that may be open at a time: with the requests, fewer than the 1024 files that systems commonly allow a program.
const MOST_PAGES: usize = 512;

/// The way to one page.
type Page = Sender<Arc<str>>;

/// What the bridge listens and talks to.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// UDP port on loopback for OSC that goes to the pages.
    pub from_port: Option<u16>,
    /// Where gestures of the pages go as OSC.
    pub to: Option<SocketAddr>,
}

/// The pages that are open, and the ways in and out.
#[derive(Clone)]
pub struct Bridge {
    pages: Arc<Mutex<Vec<Page>>>,
    out: Option<(Arc<UdpSocket>, SocketAddr)>,
    words: Vec<String>,
}

impl Bridge {
    /// Opens the sockets and begins to listen.
    pub async fn open(settings: &Settings) -> Result<Self> {
        let pages: Arc<Mutex<Vec<Page>>> = Arc::default();
        let mut words = Vec::new();
        if let Some(port) = settings.from_port {
            let socket = UdpSocket::bind(("127.0.0.1", port))
                .await
                .or_else(|e| bad(format!("OSC port {port} cannot be taken ({e}); name another with --osc")))?;
            words.push(format!("OSC on 127.0.0.1:{port} reaches the page"));
            tokio::spawn(listen(socket, Arc::clone(&pages)));
        }
        let out = match settings.to {
            None => None,
            Some(to) => {
                let socket = UdpSocket::bind("0.0.0.0:0")
                    .await
                    .map_err(|e| HostError::Machine(format!("cannot send OSC to {to}: {e}")))?;
                words.push(format!("the page's gestures go to {to} as OSC"));
                Some((Arc::new(socket), to))
            }
        };
        Ok(Self { pages, out, words })
    }

    /// What to tell the user.
    pub fn words(&self) -> Vec<String> {
        self.words.clone()
    }

    /// One page more: the gestures that it shall play. The queue ends when the page is let go; none if too many are open.
    pub fn admit(&self) -> Option<Receiver<Arc<str>>> {
        let mut pages = lock(&self.pages);
        pages.retain(|page| !page.is_closed());
        (pages.len() < MOST_PAGES).then(|| {
            let (page, queue) = channel(LONGEST_QUEUE);
            pages.push(page);
            queue
        })
    }

    /// Sends on what was played in a page.
    pub async fn forward(&self, text: &str) {
        if let Some((socket, to)) = &self.out
            && let Some(bytes) = message_of(text)
        {
            let _ = socket.send_to(&bytes, to).await;
        }
    }
}

fn lock(pages: &Mutex<Vec<Page>>) -> MutexGuard<'_, Vec<Page>> {
    pages.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn listen(socket: UdpSocket, pages: Arc<Mutex<Vec<Page>>>) {
    let mut bytes = vec![0; 65_536];
    loop {
        if let Ok((length, _)) = socket.recv_from(&mut bytes).await
            && let Ok(leaves) = wire::unpack(&bytes[..length])
        {
            for line in leaves.iter().filter_map(|leaf| line_of(&wire::message(leaf.bytes).ok()?)) {
                let line: Arc<str> = line.into();
                lock(&pages).retain(|page| page.try_send(Arc::clone(&line)).is_ok());
            }
        }
        // The pages share this thread: they take what is theirs before the next packet comes.
        tokio::task::yield_now().await;
    }
}

/// A message of the hardened decoder as the line that a page plays; none if it is no gesture.
fn line_of(message: &OscMessage) -> Option<String> {
    let args = gesture_args(&message.args).ok()?;
    Some(Gesture::from_osc(&message.addr, &args)?.ok()?.to_json().to_string())
}

/// A page's line as OSC. Numbers go as 32 bits: most OSC programs read no others.
fn message_of(line: &str) -> Option<Vec<u8>> {
    let gesture = Gesture::from_json(&serde_json::from_str(line).ok()?, "the page").ok()?;
    if matches!(gesture, Gesture::Load(_) | Gesture::Edit(_)) {
        return None; // the other end has scenes of its own
    }
    let (address, args) = gesture.to_osc()?;
    Some(wire::bytes_of(&address, wire::osc_args(args, |number| OscType::Float(number as f32))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gesture_survives_the_way_to_osc_and_back_and_a_scene_stays_here() {
        let back = |line: &str| line_of(&wire::message(&message_of(line).unwrap()).unwrap()).unwrap();
        for line in [
            r#"{"set":"hit/stiffness","value":1024.0}"#,
            r#"{"jump":"bar/freq_scale","value":0.5}"#,
            r#"{"strike":"hammer","velocity_m_s":1.5}"#,
            r#"{"hit":"bar.tip","impulse_n_s":0.25}"#,
            r#"{"touch":"bar.tip","place":[0.25,0.5]}"#,
            r#"{"hush":true}"#,
        ] {
            assert_eq!(back(line), line);
        }
        assert_eq!(message_of(r#"{"scene":{"text":"","seed":1},"adopt":true}"#), None);
    }

    #[test]
    fn every_kind_of_number_that_the_server_takes_reaches_the_page() {
        for number in [OscType::Float(3.0), OscType::Double(3.0), OscType::Int(3), OscType::Long(3)] {
            let message = OscMessage { addr: "/hit/stiffness".into(), args: vec![number] };
            assert_eq!(line_of(&message).unwrap(), r#"{"set":"hit/stiffness","value":3.0}"#);
        }
    }
}
