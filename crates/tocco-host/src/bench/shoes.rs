// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a force sample that is sent by OSC to the first sound, and until the force of a step is final.

use crate::error::{HostError, Result};
use crate::live::play::Front as _;
use crate::live::{self, Setup, Shared};
use crate::osc::wire::{bytes_of, float};
use crate::render::VERSION;
use crate::shoes::{Feet, Settings, Source};
use std::net::UdpSocket;
use std::time::{Duration, Instant};
use tocco::Gesture;
use tocco_lab::bench::{Section, Table, TemporaryFolder};
use tocco_lab::walk::{Walk, Who};
use tocco_live::limiter::QUICK_LOOK_S;
use tocco_live::shoes::Scale;
use tocco_live::take::{Entry, Replay, SharedWriter, Take};

/// What the table says of it.
pub const SECTION: Section = Section { name: "shoes", measure: table };

/// Frames of a block.
const BLOCK: usize = 64;
/// Hz
const RATE_HZ: f64 = 48_000.0;
/// Steps that are sent.
const STEPS: usize = 60;
/// A step of the bench: its first reading, BW, how fast it rises at first and later, BW/s, when that bends, how long it is sent, and how long
/// it stands, s. It bends so that its first 3.5 ms tell of a harder step than its first 10 ms do.
const CONTACT_BW: f64 = 0.05;
const RISE_BW_S: [f64; 2] = [60.0, 15.0];
const BENDS_S: f64 = 0.004;
const RISES_S: f64 = 0.02;
const STANDS_S: f64 = 0.15;

/// A floor that sounds at once, evenly for longer than it takes to know the force, and as long whatever the force.
const FLOOR: &str = "[signal.press]\ntype = \"input\"\nmax = 10.0\nunit = \"BW\"\n[signal.press_toe]\ntype = \"input\"\nmax = 10.0\nunit = \"BW\"\n\
    [process.step]\ntype = \"footstep\"\ndriven_by = \"press\"\ngain = 0.02\nshorten = 0.0\nloudness = 2.0\nbands = [{ freq_hz = 1000.0, bandwidth_hz = 2000.0 }]\n\
    envelope = [1.0, 1.0, 1.0, 1.0, 0.5, 0.2, 0.0]\nframe_s = 0.01\n[[tap]]\nof = \"step\"\nquantity = \"sound\"\n";

/// What was played: when each block was asked for, the frames of all of them, the moments at which steps were sent with the blocks asked for
/// until then, and the take.
struct Played {
    blocks: Vec<Instant>,
    sound: Vec<f32>,
    channels: usize,
    steps: Vec<(Instant, usize)>,
    take: Take,
}

impl Played {
    /// From the moment at which a step was sent to a frame's, ms; a frame is its place in the block later than the block was asked for.
    fn after_ms(&self, sent: Instant, frame: usize) -> f64 {
        let into_s = (frame % BLOCK) as f64 / RATE_HZ;
        1e3 * (self.blocks[frame / BLOCK].saturating_duration_since(sent).as_secs_f64() + into_s)
    }

    /// The frames of each step, with the moment at which it was sent.
    fn each_step(&self) -> impl Iterator<Item = (Instant, std::ops::Range<usize>)> + '_ {
        let ends = self.steps.iter().skip(1).map(|(_, block)| *block).chain([self.blocks.len()]);
        self.steps.iter().zip(ends).map(|((sent, from), to)| (*sent, from * BLOCK..to * BLOCK))
    }

    /// From the sending of the first reading of each step to its first sound, ms.
    fn first_sounds(&self) -> Vec<f64> {
        let heard = |frame: &usize| self.sound[frame * self.channels..][..self.channels].iter().any(|x| *x != 0.0);
        self.each_step().filter_map(|(sent, mut frames)| Some(self.after_ms(sent, frames.find(heard)?))).collect()
    }

    /// From the sending of the first reading of each step until its force is final, ms: from there on it sounds, bit for bit, as if its last
    /// word had been told before it began.
    fn finals(&self) -> Result<Vec<f64>> {
        let mut take = self.take.clone();
        let is_word = |entry: &Entry| matches!(&entry.gesture, Gesture::Set { path, .. } if path.ends_with("/expect"));
        for (_, frames) in self.each_step() {
            let within = |entry: &Entry| frames.contains(&(entry.at as usize));
            let last = take.entries.iter().rfind(|entry| within(entry) && is_word(entry));
            let Some(last) = last else { return Ok(Vec::new()) };
            let early = Entry { at: frames.start as u64, gesture: last.gesture.clone() };
            take.entries.retain(|entry| !(within(entry) && is_word(entry)));
            let place = take.entries.partition_point(|entry| entry.at < early.at);
            take.entries.insert(place, early);
        }
        let mut told = vec![0.0; self.sound.len()];
        Replay::new(&take)?.render(&mut told);
        let differs = |frame: &usize| {
            let frame = frame * self.channels..(frame + 1) * self.channels;
            self.sound[frame.clone()] != told[frame]
        };
        let last = |(sent, frames): (Instant, std::ops::Range<usize>)| {
            Some(self.after_ms(sent, frames.rev().find(differs)?) + 1e3 / RATE_HZ)
        };
        Ok(self.each_step().filter_map(last).collect())
    }
}

/// Sends steps by UDP to what `tocco shoes` plays, at the pace of a device.
fn play(folder: &TemporaryFolder) -> Result<Played> {
    let file = folder.path().join("floor.toml");
    std::fs::write(&file, FLOOR).map_err(|e| HostError::Machine(format!("{}: {e}", file.display())))?;
    let floor = file.display().to_string();
    let walk = Walk { floor, who: Who::Live(1), mass_kg: 70.0, sole: None, seed: None, speakers: Default::default() };
    let setup = Setup { rate_hz: Some(RATE_HZ), watch_load: false, look_s: QUICK_LOOK_S, ..Setup::default() };
    let (mut desk, mut player) = live::open(walk.document()?, setup)?;
    let written = SharedWriter::new(Vec::<u8>::new());
    desk.record(Box::new(written.clone()), VERSION)?;
    let desk = Shared::new(desk);
    let settings =
        Settings { scale: Scale::PLAIN, scaled: false, calibrate_s: None, mass_kg: 70.0, people: 1, block: BLOCK };
    let mut feet = Feet::new(Source::Osc("127.0.0.1".into(), 0), settings);
    feet.start(&desk)?;
    let wrong = |e: std::io::Error| HostError::Machine(format!("UDP: {e}"));
    let socket = UdpSocket::bind("127.0.0.1:0").map_err(wrong)?;
    let Some(to) = feet.address() else { return Err(HostError::Machine("no port for OSC".into())) };
    let send = |heel: f64| {
        let args = [heel, 0.0, 0.0, 0.0].map(float).to_vec();
        socket.send_to(&bytes_of("/shoe", args), to).map(|_| ()).map_err(wrong)
    };
    let channels = player.channels().max(1);
    let mut out = vec![0.0_f32; BLOCK * channels];
    let (mut blocks, mut sound, mut steps) = (Vec::new(), Vec::new(), Vec::new());
    let mut next_block = |blocks: &mut Vec<Instant>| {
        blocks.push(Instant::now());
        player.play(&[], &mut out);
        sound.extend_from_slice(&out);
        desk.lock().poll()
    };
    let block = Duration::from_secs_f64(BLOCK as f64 / RATE_HZ);
    let mut next = Instant::now();
    for step in 0..STEPS {
        // Rest until the last step has died away; then the step begins anywhere within a block.
        let rest = next + Duration::from_millis(180);
        while next < rest {
            next_block(&mut blocks)?;
            next += block;
            wait_until(next);
        }
        wait_until(next + block.mul_f64(step as f64 / STEPS as f64));
        let began = Instant::now();
        steps.push((began, blocks.len()));
        send(CONTACT_BW)?;
        let mut sent = 0;
        while began.elapsed().as_secs_f64() < STANDS_S {
            // A sample every millisecond, as a shoe would.
            let due = (1e3 * began.elapsed().as_secs_f64().min(RISES_S)) as usize;
            while sent < due {
                sent += 1;
                let at_s = 1e-3 * sent as f64;
                send(CONTACT_BW + RISE_BW_S[0] * at_s.min(BENDS_S) + RISE_BW_S[1] * (at_s - BENDS_S).max(0.0))?;
            }
            if Instant::now() >= next + block {
                next += block;
                next_block(&mut blocks)?;
            }
            std::thread::sleep(Duration::from_micros(50));
        }
        send(0.0)?;
        next = next.max(Instant::now());
    }
    feet.stop();
    desk.lock().end_take()?;
    next_block(&mut blocks)?;
    desk.lock().finish()?;
    let text = String::from_utf8_lossy(&written.fetch().unwrap_or_default()).into_owned();
    let take = Take::from_text(&text, "what was played")?;
    Ok(Played { blocks, sound, channels, steps, take })
}

fn wait_until(then: Instant) {
    while let Some(left) = then.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
        std::thread::sleep(left.min(Duration::from_micros(200)));
    }
}

/// Three quantiles of many times, ms.
fn row(mut all: Vec<f64>, goal_ms: f64) -> ([String; 4], bool) {
    all.sort_by(f64::total_cmp);
    let at = |share: f64| all.get(((all.len().max(1) - 1) as f64 * share) as usize).copied().unwrap_or(f64::INFINITY);
    let columns = [at(0.5), at(0.9), at(1.0)].map(|ms| format!("{ms:.2}"));
    let [median, most, all_of_them] = columns;
    ([median, most, all_of_them, format!("<= {goal_ms:.2}")], all.len() == STEPS && at(0.9) <= goal_ms)
}

fn table(table: &mut Table, folder: &TemporaryFolder) -> Result<()> {
    table.heading("shoes by OSC over UDP, limiter on, blocks of 64 samples, ms", ["median", "90 %", "most", "goal"])?;
    let played = play(folder)?;
    let (columns, reached) = row(played.first_sounds(), 1e3 * BLOCK as f64 / RATE_HZ + 2.0);
    table.figure("force sample sent to first sound (90 %)", columns, reached)?;
    let (columns, reached) = row(played.finals()?, 10.0);
    table.figure("force sample sent until the force is final (90 %)", columns, reached)
}
