// SPDX-License-Identifier: MIT OR Apache-2.0
//! Levels and signals that go back to those who asked, until they say no more or are not heard of.

use super::answers::sender;
use super::wire::{bytes_of, float, text};
use crate::error::{HostError, Result};
use crate::live::{Desk, METERS, PROBES, Status};
use rosc::OscType;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tocco::scene::error::nearest;

/// Those who listen, at most.
pub const MOST_SUBSCRIBERS: usize = 8;
/// Of one machine elsewhere, at most.
const MOST_OF_ONE: usize = 4;
/// Who has not subscribed anew for so long is forgotten.
pub const TIMEOUT: Duration = Duration::from_secs(10);
/// Times a second unless someone asks; what may be asked for.
pub const USUAL_HZ: f64 = 20.0;
const SLOWEST_HZ: f64 = 0.1;
const FASTEST_HZ: f64 = 200.0;

struct Subscriber {
    to: SocketAddr,
    every: Duration,
    next: Instant,
    until: Instant,
    signals: Vec<String>,
    reading: Status,
}

/// Those who listen.
#[derive(Default)]
pub struct Stream {
    all: Vec<Subscriber>,
    heard: Option<(u64, Vec<(String, f64)>)>,
}

impl Stream {
    /// True if nobody listens.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Adds or renews one; the rate that is kept comes back. `Err`: said and not counted yet.
    pub fn add(&mut self, desk: &mut Desk, to: SocketAddr, rate_hz: f64, signals: Vec<String>) -> Result<f64> {
        let wrong = |what: String| Err(HostError::BadInput(what));
        if rate_hz.is_nan() {
            return wrong("a rate that is not a number".into());
        }
        let known = desk.directory().signals();
        if let Some(unknown) = signals.iter().find(|signal| !known.contains(signal)) {
            return wrong(format!("no signal '{unknown}'{}", nearest(unknown, known.iter().map(String::as_str))));
        }
        let others: Vec<&Subscriber> = self.all.iter().filter(|s| s.to != to).collect();
        if others.len() == MOST_SUBSCRIBERS {
            return wrong(format!("{MOST_SUBSCRIBERS} listen already; try again in {} s", TIMEOUT.as_secs()));
        }
        let own = others.iter().filter(|s| sender(s.to) == sender(to)).count();
        if own == MOST_OF_ONE {
            return wrong(format!(
                "{MOST_OF_ONE} of your programs listen already; try again in {} s",
                TIMEOUT.as_secs()
            ));
        }
        let together: BTreeSet<&String> = others.iter().flat_map(|s| &s.signals).chain(&signals).collect();
        if together.len() > PROBES {
            return wrong(format!("{} signals for all together; at most {PROBES}", together.len()));
        }
        let rate_hz = rate_hz.clamp(SLOWEST_HZ, FASTEST_HZ);
        let (now, every) = (Instant::now(), Duration::from_secs_f64(1.0 / rate_hz));
        let new = Subscriber { to, every, next: now, until: now + TIMEOUT, signals, reading: Status::default() };
        match self.all.iter_mut().find(|s| s.to == to) {
            Some(old) => *old = new,
            None => {
                if self.all.is_empty() {
                    desk.levels();
                }
                self.all.push(new);
            }
        }
        self.watch(desk)?;
        Ok(rate_hz)
    }

    /// Forgets one; false: there was none.
    pub fn remove(&mut self, desk: &mut Desk, to: SocketAddr) -> Result<bool> {
        let before = self.all.len();
        self.all.retain(|s| s.to != to);
        self.watch(desk)?;
        Ok(self.all.len() < before)
    }

    fn watch(&mut self, desk: &mut Desk) -> Result<()> {
        let known: BTreeSet<String> = desk.directory().signals().into_iter().collect();
        let all: BTreeSet<&str> = self.all.iter().flat_map(|s| &s.signals).map(String::as_str).collect();
        let all: Vec<&str> = all.into_iter().filter(|signal| known.contains(*signal)).collect();
        let every_s = self.all.iter().map(|s| s.every.as_secs_f64()).fold(1.0, f64::min);
        self.heard = None;
        Ok(desk.watch(&all, every_s)?)
    }

    /// What is due now.
    pub fn turn(&mut self, desk: &mut Desk, now: Instant, send: &mut impl FnMut(SocketAddr, Vec<u8>)) {
        let before = self.all.len();
        self.all.retain(|s| s.until > now);
        if self.all.len() < before {
            // The ring may be full; then the signals go on unheard until the next change.
            let _ = self.watch(desk);
        }
        if self.all.is_empty() {
            return;
        }
        if let Some((at, values)) = desk.watched_values() {
            self.heard = Some((at, values.into_iter().map(|(signal, value)| (signal.to_owned(), value)).collect()));
        }
        let (fresh, channels) = (desk.levels(), desk.channels().min(METERS));
        for s in &mut self.all {
            s.reading = s.reading.and(&fresh);
            if s.next > now || s.reading.frames == 0 {
                continue;
            }
            s.next = (s.next + s.every).max(now);
            let reading = std::mem::take(&mut s.reading);
            let mut args = vec![OscType::Long(reading.tick as i64)];
            for channel in 0..channels {
                args.extend([OscType::Float(reading.peak[channel]), float(reading.rms(channel))]);
            }
            send(s.to, bytes_of("/tocco/levels", args));
            let Some((at, values)) = &self.heard else { continue };
            for (signal, value) in values.iter().filter(|(signal, _)| s.signals.contains(signal)) {
                let args = vec![OscType::Long(*at as i64), text(signal.as_str()), float(*value)];
                send(s.to, bytes_of("/tocco/probe", args));
            }
        }
    }
}
