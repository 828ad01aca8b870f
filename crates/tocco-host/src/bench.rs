// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco bench`: how fast the engine is, as ratios taken in one run, because machines are shared and clocks wander.
//!
//! Every comparison alternates its two sides and keeps the least time of each.

mod bank;
mod csound;
mod faust;
mod peers;
mod supercollider;

use bank::{Plain, modes};
use peers::{PEERS, Workshop};
use std::io::Write;
use std::time::Instant;

/// Samples that one timed call renders, and samples per block.
const SAMPLES: usize = 4096;
const BLOCK: usize = 64;

/// Runs the benchmark and prints a line per figure; true when every figure is reached.
pub fn run(_args: &[String]) -> Result<bool, String> {
    let mut table = Table::new();
    table.line(&format!("tocco {} on {}", env!("CARGO_PKG_VERSION"), machine()))?;
    beside_peers(&mut table)?;
    Ok(table.all_reached)
}

/// ns per sample of a renderer of blocks, once.
fn time_ns(render: &mut dyn FnMut(&mut [f32])) -> f64 {
    let mut out = [0.0; BLOCK];
    let start = Instant::now();
    for _ in 0..SAMPLES / BLOCK {
        render(&mut out);
        std::hint::black_box(&out);
    }
    start.elapsed().as_nanos() as f64 / SAMPLES as f64
}

/// Peers' banks against ours, 32 and 128 modes.
fn beside_peers(table: &mut Table) -> Result<(), String> {
    let workshop = Workshop::new()?;
    table.heading("free ringing beside peers, ns per mode and sample", ["theirs", "ours", "ratio"])?;
    for peer in &PEERS {
        if let Some(packages) = peer.missing() {
            table.line(&format!("{}: not installed, skipped (apt-get install {packages})", peer.name))?;
            continue;
        }
        for count in [32, 128] {
            let name = format!("{}, {count} modes", peer.name);
            let bank = modes(count);
            let mut own = Plain::new(&bank);
            let measured = (peer.prepare)(&bank, workshop.path()).and_then(|mut theirs_ns| {
                let (mut theirs, mut ours) = (f64::INFINITY, f64::INFINITY);
                for _ in 0..3 {
                    theirs = theirs.min(theirs_ns()? / count as f64);
                    for _ in 0..30 {
                        ours = ours.min(time_ns(&mut |out| own.render(out)) / count as f64);
                    }
                }
                Ok((theirs, ours))
            });
            match measured {
                Ok((theirs, ours)) => table.duel(&name, theirs, ours)?,
                Err(why) => table.line(&format!("{name}: could not be measured: {why}"))?,
            }
        }
    }
    Ok(())
}

/// Lines on standard output and the verdict over all of them.
struct Table {
    all_reached: bool,
}

impl Table {
    fn new() -> Self {
        Self { all_reached: true }
    }
    fn line(&mut self, text: &str) -> Result<(), String> {
        writeln!(std::io::stdout().lock(), "{text}").map_err(|e| format!("standard output: {e}"))
    }
    fn heading(&mut self, title: &str, columns: [&str; 3]) -> Result<(), String> {
        let [a, b, c] = columns;
        self.line(&format!("\n{title:<52}{a:>10}{b:>10}{c:>10}"))
    }
    fn duel(&mut self, name: &str, theirs: f64, ours: f64) -> Result<(), String> {
        let won = ours < theirs;
        self.all_reached &= won;
        let verdict = if won { "won" } else { "lost: missed" };
        self.line(&format!("{name:<52}{theirs:>10.3}{ours:>10.3}{:>10}  {verdict}", format!("x{:.1}", theirs / ours)))
    }
}

/// Name of this computer: host, processor, number of cores.
fn machine() -> String {
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let host = read("/proc/sys/kernel/hostname");
    let info = read("/proc/cpuinfo");
    let model = info.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split(": ").nth(1));
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    format!("{}, {}, {cores} cores", host.trim(), model.unwrap_or(std::env::consts::ARCH))
}
