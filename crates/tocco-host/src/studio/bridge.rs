// SPDX-License-Identifier: MIT OR Apache-2.0
//! Between the page and OSC: what arrives as OSC is played in every open page, and what is played in a page goes out as
//! OSC, for instance to a running `tocco play`. On the WebSocket a gesture is the line of a take without its tick:
//! `{"set": path, "value": v}`, `{"strike": body, "velocity_m_s": v}`, `{"hit": site, "impulse_n_s": j}`,
//! `{"touch": site, "place": [fractions]}`, `{"hush": true}`.

use crate::error::{HostError, Result, bad};
use rosc::{OscMessage, OscPacket, OscType, decoder, encoder};
use serde_json::{Value, json};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use tungstenite::{Message, accept};

/// How often a connection looks for something to send while the page is silent: below what a hand notices.
const LOOK: Duration = Duration::from_millis(5);
/// Nested bundles deeper than this are dropped.
const DEEPEST: usize = 8;

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
    pages: Arc<Mutex<Vec<Sender<String>>>>,
    out: Option<(Arc<UdpSocket>, SocketAddr)>,
    words: Vec<String>,
}

impl Bridge {
    /// Opens the sockets.
    pub fn open(settings: &Settings) -> Result<Self> {
        let pages: Arc<Mutex<Vec<Sender<String>>>> = Arc::default();
        let mut words = Vec::new();
        if let Some(port) = settings.from_port {
            let socket = UdpSocket::bind(("127.0.0.1", port))
                .or_else(|e| bad(format!("OSC port {port} cannot be taken ({e}); name another with --osc")))?;
            words.push(format!("OSC on 127.0.0.1:{port} reaches the page"));
            let pages = Arc::clone(&pages);
            thread::spawn(move || listen(&socket, &pages));
        }
        let out = match settings.to {
            None => None,
            Some(to) => {
                let socket = UdpSocket::bind("0.0.0.0:0")
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

    /// Serves one page until it leaves.
    pub fn join(&self, stream: TcpStream) {
        let Ok(mut socket) = accept(stream) else { return };
        if socket.get_ref().set_read_timeout(Some(LOOK)).is_err() {
            return;
        }
        let (sender, receiver): (_, Receiver<String>) = channel();
        lock(&self.pages).push(sender);
        loop {
            match socket.read() {
                Ok(Message::Text(text)) => self.forward(&text),
                Ok(Message::Close(_)) => return,
                Ok(_) => {}
                Err(tungstenite::Error::Io(e))
                    if matches!(e.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {}
                Err(_) => return,
            }
            while let Ok(text) = receiver.try_recv() {
                if socket.send(Message::text(text)).is_err() {
                    return;
                }
            }
        }
    }

    fn forward(&self, text: &str) {
        if let Some((socket, to)) = &self.out
            && let Some(message) = serde_json::from_str(text).ok().as_ref().and_then(to_osc)
            && let Ok(bytes) = encoder::encode(&OscPacket::Message(message))
        {
            let _ = socket.send_to(&bytes, to);
        }
    }
}

fn lock(pages: &Mutex<Vec<Sender<String>>>) -> std::sync::MutexGuard<'_, Vec<Sender<String>>> {
    pages.lock().unwrap_or_else(PoisonError::into_inner)
}

fn listen(socket: &UdpSocket, pages: &Mutex<Vec<Sender<String>>>) {
    let mut bytes = vec![0; 65_536];
    loop {
        let Ok((length, _)) = socket.recv_from(&mut bytes) else { continue };
        if let Ok((_, packet)) = decoder::decode_udp(&bytes[..length]) {
            spread(packet, pages, 0);
        }
    }
}

fn spread(packet: OscPacket, pages: &Mutex<Vec<Sender<String>>>, depth: usize) {
    match packet {
        OscPacket::Message(message) => {
            if let Some(gesture) = to_gesture(&message) {
                lock(pages).retain(|page| page.send(gesture.to_string()).is_ok());
            }
        }
        OscPacket::Bundle(bundle) if depth < DEEPEST => {
            bundle.content.into_iter().for_each(|inner| spread(inner, pages, depth + 1));
        }
        OscPacket::Bundle(_) => {}
    }
}

/// An OSC message as the page plays it.
fn to_gesture(message: &OscMessage) -> Option<Value> {
    let number = |arg: &OscType| match *arg {
        OscType::Float(x) => Some(f64::from(x)),
        OscType::Double(x) => Some(x),
        OscType::Int(x) => Some(f64::from(x)),
        _ => None,
    };
    match (message.addr.as_str(), message.args.as_slice()) {
        ("/tocco/strike", [OscType::String(body), speed]) => {
            Some(json!({ "strike": body, "velocity_m_s": number(speed)? }))
        }
        ("/tocco/hit", [OscType::String(site), impulse]) => {
            Some(json!({ "hit": site, "impulse_n_s": number(impulse)? }))
        }
        ("/tocco/touch", [OscType::String(site), place @ ..]) if !place.is_empty() => {
            let place = place.iter().map(number).collect::<Option<Vec<_>>>()?;
            Some(json!({ "touch": site, "place": place }))
        }
        ("/tocco/panic", []) => Some(json!({ "hush": true })),
        (path, [value]) if !path.starts_with("/tocco/") => {
            Some(json!({ "set": path.trim_start_matches('/'), "value": number(value)? }))
        }
        _ => None,
    }
}

/// A page's gesture as OSC.
fn to_osc(gesture: &Value) -> Option<OscMessage> {
    let named = |key: &str, number: &str| {
        let args = vec![OscType::String(gesture.get(key)?.as_str()?.to_owned()), float(gesture.get(number)?)?];
        Some(OscMessage { addr: format!("/tocco/{key}"), args })
    };
    // A jump is a set without its glide, which OSC has no word for.
    if let Some(path) = gesture.get("set").or_else(|| gesture.get("jump")).and_then(Value::as_str) {
        return Some(OscMessage { addr: format!("/{path}"), args: vec![float(gesture.get("value")?)?] });
    }
    if gesture.get("hush").is_some() {
        return Some(OscMessage { addr: "/tocco/panic".into(), args: Vec::new() });
    }
    if let Some(site) = gesture.get("touch").and_then(Value::as_str) {
        let place = gesture.get("place")?.as_array()?.iter().map(float).collect::<Option<Vec<_>>>()?;
        let args = std::iter::once(OscType::String(site.to_owned())).chain(place).collect();
        return Some(OscMessage { addr: "/tocco/touch".into(), args });
    }
    named("strike", "velocity_m_s").or_else(|| named("hit", "impulse_n_s"))
}

/// Most OSC programs read 32 bits only.
fn float(value: &Value) -> Option<OscType> {
    value.as_f64().map(|x| OscType::Float(x as f32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gesture_survives_the_way_to_osc_and_back() {
        for gesture in [
            json!({ "set": "hit/stiffness", "value": 1024.0 }),
            json!({ "strike": "hammer", "velocity_m_s": 1.5 }),
            json!({ "hit": "bar.tip", "impulse_n_s": 0.25 }),
            json!({ "touch": "bar.tip", "place": [0.25, 0.5] }),
            json!({ "hush": true }),
        ] {
            assert_eq!(to_gesture(&to_osc(&gesture).unwrap()), Some(gesture));
        }
        assert_eq!(to_osc(&json!({ "jump": "a/b", "value": 1.0 })), to_osc(&json!({ "set": "a/b", "value": 1.0 })));
        assert_eq!(to_osc(&json!({ "scene": "x" })), None);
    }
}
