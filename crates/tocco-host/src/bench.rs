// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco bench`: how fast the engine is, as ratios taken in one run, because machines are shared and clocks wander.
//!
//! Every comparison alternates its two sides and keeps the least time of each.

mod analysis;
mod bank;
mod csound;
mod engine;
mod faust;
pub mod live;
mod peers;
mod program;
mod shape;
mod supercollider;
mod sweep;

use crate::error::{HostError, Result};
use crate::say;
use bank::{Plain, modes};
use engine::Decays;
use peers::{PEERS, Workshop};
use std::time::Instant;
use tocco::Engine;
use tocco::Queue;

/// Samples that one timed call renders, samples per block, timed calls.
const SAMPLES: usize = 4096;
const BLOCK: usize = 64;
const REPEATS: usize = 60;

/// Parts of the benchmark by name.
pub const SECTIONS: [&str; 9] = ["free", "contact", "friction", "shape", "live", "render", "sweep", "analyse", "peers"];

/// Runs the sections named in `args` (all when none is) and prints a line per figure; true when every figure is reached.
pub fn run(args: &[String]) -> Result<bool> {
    let wanted = |section: &str| args.is_empty() || args.iter().any(|arg| arg == section);
    let workshop = Workshop::new().map_err(HostError::Machine)?;
    let mut table = Table { all_reached: true };
    table.line(&format!("tocco {} on {}", env!("CARGO_PKG_VERSION"), machine()))?;
    if wanted("free") {
        free_ringing(&mut table)?;
    }
    if wanted("contact") {
        permanent_contact(&mut table)?;
    }
    if wanted("friction") {
        rubbing(&mut table)?;
    }
    if wanted("shape") {
        shapes(&mut table)?;
    }
    if wanted("live") {
        playing(&mut table)?;
    }
    if wanted("render") {
        whole_program(&mut table, &workshop)?;
    }
    if wanted("sweep") {
        whole_sweep(&mut table, &workshop)?;
    }
    if wanted("analyse") {
        analysing(&mut table)?;
    }
    if wanted("peers") {
        beside_peers(&mut table, &workshop)?;
    }
    Ok(table.all_reached)
}

/// The engine's block path against the plain loop over the same bank.
fn free_ringing(table: &mut Table) -> Result<()> {
    table.heading("free ringing, ns per mode and sample", ["plain loop", "ours", "ratio", "goal"])?;
    for count in [512, 1024] {
        let bank = modes(count);
        let (mut plain, mut ours) = (Plain::new(&bank), engine::ringing(&bank).map_err(HostError::Machine)?);
        let (plain_ns, ours_ns) = alternate(&mut |out| plain.render(out), &mut |out| {
            ours.render(&[], &mut Queue::new(), out);
        });
        let (plain_ns, ours_ns) = (plain_ns / count as f64, ours_ns / count as f64);
        let ratio = plain_ns / ours_ns;
        let columns = [number(plain_ns), number(ours_ns), format!("x{ratio:.2}"), ">= x6".into()];
        table.figure(&format!("{count} modes"), columns, ratio >= 6.0)?;
    }
    Ok(())
}

/// A pressed hammer in units of one mode update of the plain loop with 512 modes.
fn permanent_contact(table: &mut Table) -> Result<()> {
    table.heading("permanent contact, one sub-step, mode updates per sample", ["SDT", "ours", "ns", "goal"])?;
    for (count, sdt, goal) in [(3, "140", 130.0), (32, "670", 170.0), (512, "10700", 350.0)] {
        updates(table, &format!("{count} modes"), sdt, goal, engine::pressed(count))?;
    }
    Ok(())
}

/// Friction in the same unit.
fn rubbing(table: &mut Table) -> Result<()> {
    table.heading("friction, mode updates per sample", ["SDT", "ours", "ns", "goal"])?;
    updates(table, "stick-slip, 3 modes", "160", 180.0, engine::stick_slip(3, Decays::Short))?;
    updates(table, "stick-slip, 3 modes that ring long", "", 180.0, engine::stick_slip(3, Decays::Long))?;
    for (count, sdt, goal) in [(32, "750", 220.0), (128, "4300", 320.0)] {
        updates(table, &format!("stick-slip, {count} modes"), sdt, goal, engine::stick_slip(count, Decays::Long))?;
    }
    updates(table, "locked, 32 modes on 32 modes", "25000", 450.0, engine::locked(32))?;
    updates(table, "a bowed string", "", 150.0, engine::bowed_string())
}

/// A struck body of 200 modes from its geometry, text to scene.
fn shapes(table: &mut Table) -> Result<()> {
    table.heading("200 modes from a shape, ms from text to scene", ["modes", "ours", "", "goal"])?;
    for (name, text) in shape::bodies() {
        let (mut least_ms, mut count) = (f64::INFINITY, 0);
        for _ in 0..5 {
            let (ms, modes) = shape::build_ms(&text).map_err(HostError::Machine)?;
            (least_ms, count) = (least_ms.min(ms), modes);
        }
        let columns = [count.to_string(), format!("{least_ms:.2}"), String::new(), "< 20".into()];
        table.figure(name, columns, least_ms < 20.0)?;
    }
    Ok(())
}

/// One case in units of one mode update of the plain loop with 512 modes.
fn updates(
    table: &mut Table,
    name: &str,
    sdt: &str,
    goal: f64,
    case: std::result::Result<Engine, String>,
) -> Result<()> {
    let (mut plain, mut ours) = (Plain::new(&modes(512)), case.map_err(HostError::Machine)?);
    let (plain_ns, ours_ns) = alternate(&mut |out| plain.render(out), &mut |out| {
        ours.render(&[], &mut Queue::new(), out);
    });
    let updates = ours_ns / (plain_ns / 512.0);
    let columns = [sdt.into(), format!("{updates:.0}"), format!("{ours_ns:.0}"), format!("<= {goal}")];
    table.figure(name, columns, updates <= goal)
}

/// Blocks of 64 samples at 48 kHz under ten thousand changes and a hundred strikes a second.
fn playing(table: &mut Table) -> Result<()> {
    table.heading("live, blocks of 64 samples, part of their time", ["median", "99.9 %", "most", "goal"])?;
    let loads = live::measure(30.0)?;
    let percent = |share: f64| format!("{:.0} %", 100.0 * loads.at(share));
    let columns = [percent(0.5), percent(0.999), percent(1.0), "<= 50 %".into()];
    table.figure("2000 modes, 20 hammers at random", columns, loads.at(0.999) <= 0.5)
}

/// `tocco render` from scene text to WAV.
fn whole_program(table: &mut Table, workshop: &Workshop) -> Result<()> {
    table.heading("the program, a strike on three modes", ["", "", "ours", "goal"])?;
    let mut least_s = f64::INFINITY;
    for _ in 0..10 {
        least_s = least_s.min(program::render_s(workshop.path()).map_err(HostError::Machine)?);
    }
    let speed = f64::from(program::SHORT_S) / least_s;
    let columns = [String::new(), String::new(), format!("x{speed:.0}"), ">= x1000".into()];
    table.figure("a minute rendered to a file, times real time", columns, speed >= 1000.0)?;
    let mb = program::hour_mb(workshop.path()).map_err(HostError::Machine)?;
    let columns = [String::new(), String::new(), format!("{mb:.1}"), "< 100".into()];
    table.figure("an hour, MB resident at most", columns, mb < 100.0)
}

/// `tocco sweep`, 1000 strikes of half a second. The figures are the program's: files go to memory where that can be. What
/// the disk adds is said beside them; it depends on the disk and on what was removed from it in the last minutes.
fn whole_sweep(table: &mut Table, workshop: &Workshop) -> Result<()> {
    let memory = Workshop::in_memory();
    let place = if memory.is_some() { "files in memory" } else { "files on disk" };
    table.heading(&format!("a sweep of 1000 strikes of 0.5 s, {place}"), ["one core", "all", "", "goal"])?;
    let cores = crate::crew::cores();
    for (name, form) in [("--over", sweep::Form::Over), ("a design, loudness matched", sweep::Form::Design)] {
        let (one_s, all_s) = sweep::times_s(form, memory.as_ref().unwrap_or(workshop).path())?;
        let seconds = [format!("{one_s:.3} s"), format!("{all_s:.3} s")];
        let columns = |ratio: f64, goal: &str| {
            let [one, all] = seconds.clone();
            let digits = if ratio < 100.0 { 2 } else { 0 };
            [one, all, format!("x{ratio:.digits$}"), goal.to_owned()]
        };
        let gain = one_s / all_s;
        if cores > 1 {
            table.figure(&format!("{name}, {cores} cores against one"), columns(gain, ">= x1.7"), gain >= 1.7)?;
        } else {
            table.line(&format!("  {name}: one core only, no comparison"))?;
        }
        let speed = sweep::sound_s() / all_s;
        table.figure(&format!("{name}, times real time"), columns(speed, ">= x1000"), speed >= 1000.0)?;
        if memory.is_some() {
            let disk_s = sweep::time_s(form, workshop.path(), &format!("{form:?}"), cores)?;
            table.line(&format!("  {name}, once to disk: {disk_s:.3} s, x{:.0}", sweep::sound_s() / disk_s))?;
        }
    }
    Ok(())
}

/// A recording of five seconds into a body, on one thread.
fn analysing(table: &mut Table) -> Result<()> {
    table.heading("tocco analyse, a strike of 5 s with 60 modes", ["", "found", "s", "goal"])?;
    let (found, least_s) = analysis::run(2)?;
    let columns = [String::new(), found.to_string(), format!("{least_s:.1}"), "< 10".into()];
    table.figure("recording to body, one core", columns, least_s < 10.0)
}

/// Peers' banks against ours, 32 and 128 modes.
fn beside_peers(table: &mut Table, workshop: &Workshop) -> Result<()> {
    table.heading("free ringing beside peers, ns per mode and sample", ["theirs", "ours", "ratio", "goal"])?;
    for peer in &PEERS {
        if let Some(packages) = peer.missing() {
            table.line(&format!("{}: not installed, skipped (apt-get install {packages})", peer.name))?;
            continue;
        }
        for count in [32, 128] {
            let name = format!("{}, {count} modes", peer.name);
            match duel(peer, count, workshop) {
                Ok((theirs, ours)) => {
                    let ratio = format!("x{:.1}", theirs / ours);
                    table.figure(&name, [number(theirs), number(ours), ratio, "win".into()], ours < theirs)?;
                }
                Err(why) => table.line(&format!("{name}: not measured: {why}"))?,
            }
        }
    }
    Ok(())
}

/// ns per mode and sample of a peer and of ours.
fn duel(peer: &peers::Peer, count: usize, workshop: &Workshop) -> std::result::Result<(f64, f64), String> {
    let bank = modes(count);
    let mut engine = engine::ringing(&bank)?;
    let mut measure = (peer.prepare)(&bank, workshop.path())?;
    let (mut theirs_ns, mut ours_ns) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..3 {
        theirs_ns = theirs_ns.min(measure()?);
        for _ in 0..REPEATS / 3 {
            ours_ns = ours_ns.min(time_ns(&mut |out| {
                engine.render(&[], &mut Queue::new(), out);
            }));
        }
    }
    Ok((theirs_ns / count as f64, ours_ns / count as f64))
}

/// Least ns per sample of two renderers that take turns.
fn alternate(a: &mut dyn FnMut(&mut [f32]), b: &mut dyn FnMut(&mut [f32])) -> (f64, f64) {
    (0..REPEATS).fold((f64::INFINITY, f64::INFINITY), |(least_a, least_b), _| {
        (least_a.min(time_ns(a)), least_b.min(time_ns(b)))
    })
}

/// ns per sample of a renderer, once.
fn time_ns(render: &mut dyn FnMut(&mut [f32])) -> f64 {
    let mut out = [0.0; BLOCK];
    let start = Instant::now();
    for _ in 0..SAMPLES / BLOCK {
        render(&mut out);
        std::hint::black_box(&out);
    }
    start.elapsed().as_nanos() as f64 / SAMPLES as f64
}

fn number(ns: f64) -> String {
    format!("{ns:.3}")
}

/// Lines on standard output and the verdict over all of them.
struct Table {
    all_reached: bool,
}

impl Table {
    fn line(&mut self, text: &str) -> Result<()> {
        say::result(text)
    }
    fn heading(&mut self, title: &str, columns: [&str; 4]) -> Result<()> {
        let [a, b, c, d] = columns;
        self.line(&format!("\n{title:<58}{a:>10}{b:>8}{c:>8}{d:>10}"))
    }
    fn figure(&mut self, name: &str, columns: [String; 4], reached: bool) -> Result<()> {
        self.all_reached &= reached;
        let [a, b, c, d] = columns;
        let verdict = if reached { "reached" } else { "missed" };
        self.line(&format!("  {name:<56}{a:>10}{b:>8}{c:>8}{d:>10}  {verdict}"))
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
