// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a force sample that is sent by OSC to the first sound, and until the force of a step is final.

use crate::error::{HostError, Result};
use crate::live::play::Front as _;
use crate::live::{self, Setup, Shared};
use crate::osc::wire::{bytes_of, float};
use crate::shoes::{Feet, Settings, Source};
use std::net::UdpSocket;
use std::time::{Duration, Instant};
use tocco_lab::bench::{Section, Table, TemporaryFolder};
use tocco_lab::walk::{Walk, Who};
use tocco_live::shoes::Scale;

/// What the table says of it.
pub const SECTION: Section = Section { name: "shoes", measure: table };

/// Frames of a block.
const BLOCK: usize = 64;
/// Hz
const RATE_HZ: f64 = 48_000.0;
/// Steps that are sent.
const STEPS: usize = 60;
/// A step of the bench rises so fast, BW/s, for so long, s.
const RISE_BW_S: f64 = 60.0;
const STANDS_S: f64 = 0.15;

/// A floor that sounds at once.
const FLOOR: &str = "[signal.press]\ntype = \"input\"\nmax = 10.0\nunit = \"BW\"\n[signal.press_toe]\ntype = \"input\"\nmax = 10.0\nunit = \"BW\"\n\
    [process.step]\ntype = \"footstep\"\ndriven_by = \"press\"\nbands = [{ freq_hz = 1000.0, bandwidth_hz = 2000.0 }]\n\
    envelope = [1.0, 1.0, 0.5, 0.2, 0.0]\nframe_s = 0.01\n[[tap]]\nof = \"step\"\nquantity = \"sound\"\n";

/// Times from the sending of the first sample of a step to its first sound, ms.
fn latencies(folder: &TemporaryFolder) -> Result<Vec<f64>> {
    let file = folder.path().join("floor.toml");
    std::fs::write(&file, FLOOR).map_err(|e| HostError::Machine(format!("{}: {e}", file.display())))?;
    let floor = file.display().to_string();
    let walk = Walk { floor, who: Who::Live(1), mass_kg: 70.0, sole: None, seed: None, speakers: Default::default() };
    let setup = Setup { rate_hz: Some(RATE_HZ), watch_load: false, limiter: false, ..Setup::default() };
    let (desk, mut player) = live::open(walk.document()?, setup)?;
    let desk = Shared::new(desk);
    let settings =
        Settings { scale: Scale::PLAIN, scaled: false, calibrate_s: None, mass_kg: 70.0, people: 1, block: 64 };
    let mut feet = Feet::new(Source::Osc("127.0.0.1".into(), 0), settings);
    feet.start(&desk)?;
    let wrong = |e: std::io::Error| HostError::Machine(format!("UDP: {e}"));
    let socket = UdpSocket::bind("127.0.0.1:0").map_err(wrong)?;
    let Some(to) = feet.address() else { return Err(HostError::Machine("no port for OSC".into())) };
    let send = |heel: f64| {
        let args = [heel, 0.0, 0.0, 0.0].map(float).to_vec();
        socket.send_to(&bytes_of("/shoe", args), to).map(|_| ()).map_err(wrong)
    };
    let mut out = vec![0.0_f32; BLOCK * player.channels()];
    let channels = player.channels().max(1);
    let block = Duration::from_secs_f64(BLOCK as f64 / RATE_HZ);
    let mut all = Vec::new();
    let mut next = Instant::now();
    for step in 0..STEPS {
        // Rest until the last step has died away; then the step begins anywhere within a block.
        let rest = next + Duration::from_millis(180);
        while next < rest {
            player.play(&[], &mut out);
            desk.lock().poll()?;
            next += block;
            wait_until(next);
        }
        wait_until(next + block.mul_f64(step as f64 / STEPS as f64));
        let began = Instant::now();
        let (mut sent, mut heard) = (0, None);
        send(0.05)?;
        while began.elapsed().as_secs_f64() < STANDS_S {
            // A sample every millisecond, as a shoe would.
            let due = (1e3 * began.elapsed().as_secs_f64()) as usize;
            while sent < due.min(20) {
                sent += 1;
                send(0.05 + RISE_BW_S * 1e-3 * sent as f64)?;
            }
            if Instant::now() >= next + block {
                next += block;
                let called = Instant::now();
                player.play(&[], &mut out);
                desk.lock().poll()?;
                let first = out.chunks(channels).position(|frame| frame.iter().any(|x| *x != 0.0));
                if let Some(first) = first.filter(|_| heard.is_none()) {
                    let at = called.duration_since(began).as_secs_f64() + first as f64 / RATE_HZ;
                    heard = Some(1e3 * at);
                }
            }
            std::thread::sleep(Duration::from_micros(50));
        }
        send(0.0)?;
        all.extend(heard);
        next = next.max(Instant::now());
    }
    feet.stop();
    all.sort_by(f64::total_cmp);
    Ok(all)
}

fn wait_until(then: Instant) {
    while let Some(left) = then.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
        std::thread::sleep(left.min(Duration::from_micros(200)));
    }
}

/// Milliseconds from contact until the level of a step of the engine is final, for a rise that bends after 6 ms.
fn final_ms() -> f64 {
    use tocco::process::Process as _;
    use tocco::process::footstep::{Footstep, FootstepBy, FootstepParams, Prototype};
    use tocco::process::particles::Resonance;
    let band = Resonance { freq_hz: 1000.0, bandwidth_hz: 2000.0, gain: 1.0 };
    let make = Prototype { bands: vec![band], envelope: vec![1.0; 100], deviation: Vec::new(), frame_s: 0.01 };
    let mut step = Footstep::new(FootstepParams::default(), FootstepBy::Event, make, RATE_HZ, |label| {
        tocco::rng::Rng::new(1, label)
    });
    let signal = |k: u64| (0.06 * (k as f64 - 1.0)).clamp(0.0, 0.3) + (0.02 * (k as f64 - 6.0)).clamp(0.0, 0.4);
    let mut last = (0.0, 0);
    for index in 0..40 {
        step.enter(tocco::signal::Cell { index, from: signal(index), to: signal(index + 1) });
        let level = step.level();
        if level != last.0 {
            last = (level, index);
        }
    }
    // Contact is where 0.02 BW are passed, in the second cell; what is set in a cell is reached at its end.
    last.1 as f64 + 1.0 - (1.0 + 0.02 / 0.06)
}

fn table(table: &mut Table, folder: &TemporaryFolder) -> Result<()> {
    table.heading("shoes by OSC, blocks of 64 samples, ms", ["median", "90 %", "most", "goal"])?;
    let all = latencies(folder)?;
    let at = |share: f64| all.get(((all.len().max(1) - 1) as f64 * share) as usize).copied().unwrap_or(f64::INFINITY);
    let goal = 1e3 * BLOCK as f64 / RATE_HZ + 2.0;
    let columns =
        [format!("{:.2}", at(0.5)), format!("{:.2}", at(0.9)), format!("{:.2}", at(1.0)), format!("<= {goal:.2}")];
    table.figure("force sample to first sound (median)", columns, all.len() == STEPS && at(0.5) <= goal)?;
    let last = final_ms();
    let columns = [format!("{last:.1}"), String::new(), String::new(), "<= 10".into()];
    table.figure("contact until the force is final, on a grid of 1 ms", columns, last <= 10.0)
}
