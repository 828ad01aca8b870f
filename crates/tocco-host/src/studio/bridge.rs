// SPDX-License-Identifier: MIT OR Apache-2.0
//! Between the page and OSC: what arrives as OSC is played in every open page, and what is played in a page goes out as
//! OSC, for instance to a running `tocco play`. On the WebSocket a gesture is the line of a take without its tick:
//! `{"set": path, "value": v}`, `{"strike": body, "velocity_m_s": v}`, `{"hit": site, "impulse_n_s": j}`,
//! `{"touch": site, "place": [fractions]}`, `{"hush": true}`.

use crate::error::{HostError, Result, bad};
use rosc::{OscMessage, OscPacket, OscType, decoder, encoder};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::net::UdpSocket;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Nested bundles deeper than this are dropped.
const DEEPEST: usize = 8;
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
            && let Some(message) = serde_json::from_str(text).ok().as_ref().and_then(to_osc)
            && let Ok(bytes) = encoder::encode(&OscPacket::Message(message))
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
            && let Ok((_, packet)) = decoder::decode_udp(&bytes[..length])
        {
            spread(packet, &pages, 0);
        }
        // The pages share this thread: they take what is theirs before the next packet comes.
        tokio::task::yield_now().await;
    }
}

fn spread(packet: OscPacket, pages: &Mutex<Vec<Page>>, depth: usize) {
    match packet {
        OscPacket::Message(message) => {
            if let Some(gesture) = to_gesture(&message) {
                let line: Arc<str> = gesture.to_string().into();
                lock(pages).retain(|page| page.try_send(Arc::clone(&line)).is_ok());
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
