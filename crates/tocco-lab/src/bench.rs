// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco bench`: how fast the engine is, as ratios taken in one run, because machines are shared and clocks wander.
//!
//! Every comparison alternates its two sides and keeps the least time of each.

mod analysis;
mod bank;
mod csound;
mod engine;
mod faust;
mod mesh;
mod params;
mod peers;
mod shape;
mod supercollider;
mod sweep;

use crate::console;
use crate::error::{Error, Result};
use bank::{Plain, TwoPoles, modes};
use engine::Decays;
use peers::PEERS;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;
use tocco::Engine;
use tocco::Queue;

/// Samples that one timed call renders, samples per block, timed calls.
const SAMPLES: usize = 4096;
const BLOCK: usize = 64;
const REPEATS: usize = 60;

/// A part of the benchmark.
#[derive(Clone, Copy)]
pub struct Section {
    /// How it is asked for.
    pub name: &'static str,
    /// Measures and prints its figures; files may be made in the folder.
    pub measure: fn(&mut Table, &TemporaryFolder) -> Result<()>,
}

/// What can be measured without a device. A program adds its own to them.
pub const SECTIONS: &[Section] = &[
    Section { name: "free", measure: free_ringing },
    Section { name: "contact", measure: permanent_contact },
    Section { name: "friction", measure: rubbing },
    Section { name: "watch", measure: watching },
    Section { name: "retune", measure: retuning },
    Section { name: "params", measure: params::moving },
    Section { name: "growth", measure: growing },
    Section { name: "bending", measure: bending },
    Section { name: "room", measure: in_a_room },
    Section { name: "process", measure: crackling },
    Section { name: "water", measure: flowing },
    Section { name: "fluid", measure: tank },
    Section { name: "walk", measure: walking },
    Section { name: "shape", measure: shape::shapes },
    Section { name: "mesh", measure: mesh::solids },
    Section { name: "sweep", measure: whole_sweep },
    Section { name: "analyse", measure: analysing },
    Section { name: "peers", measure: beside_peers },
];

/// Runs those of the sections that are wanted by name (all when none is) and prints a line per figure, or with `json` all of them as
/// one text at the end; true when every figure is reached.
pub fn run(sections: &[Section], wanted: &[String], json: bool) -> Result<bool> {
    let folder = TemporaryFolder::new()?;
    let mut table = Table { all_reached: true, heads: Vec::new(), section: "", figures: json.then(Vec::new) };
    table.line(&format!("tocco {} on {}", env!("CARGO_PKG_VERSION"), machine()))?;
    for section in sections {
        if wanted.is_empty() || wanted.iter().any(|name| name == section.name) {
            table.section = section.name;
            (section.measure)(&mut table, &folder)?;
        }
    }
    if let Some(figures) = table.figures {
        let all = json!({ "version": env!("CARGO_PKG_VERSION"), "machine": machine(), "figures": figures, "reached": table.all_reached });
        console::result(&format!("{all:#}"))?;
    }
    Ok(table.all_reached)
}

/// The engine's block path against the plain loop over the same bank.
fn free_ringing(table: &mut Table, _: &TemporaryFolder) -> Result<()> {
    table.heading("free ringing, ns per mode and sample", ["plain loop", "ours", "ratio", "goal"])?;
    for count in [512, 1024] {
        let bank = modes(count);
        let (mut plain, mut ours) = (Plain::new(&bank), engine::ringing(&bank).map_err(Error::Machine)?);
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
fn permanent_contact(table: &mut Table, _: &TemporaryFolder) -> Result<()> {
    table.heading("permanent contact, one sub-step, mode updates per sample", ["SDT", "ours", "ns", "goal"])?;
    for (count, sdt, goal) in [(3, "140", 65.0), (32, "670", 70.0), (512, "10700", 185.0)] {
        updates(table, &format!("{count} modes"), sdt, goal, engine::pressed(count))?;
    }
    units(table)
}

/// What one mode update takes, in the plain loop and in one over two-pole filters, which cannot take a force.
fn units(table: &mut Table) -> Result<()> {
    let (mut plain, mut filters) = (Plain::new(&modes(512)), TwoPoles::new(&modes(512)));
    let (plain_ns, filter_ns) = alternate(&mut |out| plain.render(out), &mut |out| filters.render(out));
    let [plain_ns, filter_ns] = [plain_ns / 512.0, filter_ns / 512.0];
    let ratio = plain_ns / filter_ns;
    table.line(&format!(
        "  a mode update: {plain_ns:.3} ns in the plain loop, {filter_ns:.3} ns in a two-pole loop (x{ratio:.2})"
    ))
}

/// Friction in the same unit.
fn rubbing(table: &mut Table, _: &TemporaryFolder) -> Result<()> {
    table.heading("friction, mode updates per sample", ["SDT", "ours", "ns", "goal"])?;
    updates(table, "stick-slip, 3 modes", "160", 105.0, engine::stick_slip(3, Decays::Short))?;
    updates(table, "stick-slip, 3 modes that ring long", "", 105.0, engine::stick_slip(3, Decays::Long))?;
    for (count, sdt, goal) in [(32, "750", 105.0), (128, "4300", 200.0)] {
        updates(table, &format!("stick-slip, {count} modes"), sdt, goal, engine::stick_slip(count, Decays::Long))?;
    }
    updates(table, "locked, 32 modes on 32 modes", "25000", 450.0, engine::locked(32))?;
    updates(table, "a bowed string", "", 95.0, engine::bowed_string())?;
    units(table)?;
    table.heading("friction contacts together, ns per sample", ["apart", "ours", "ratio", "goal"])?;
    let [mut apart, mut together] =
        [engine::six_bows(false).map_err(Error::Machine)?, engine::six_bows(true).map_err(Error::Machine)?];
    let (apart_ns, ours_ns) = alternate(
        &mut |out| {
            apart.render(&[], &mut Queue::new(), out);
        },
        &mut |out| {
            together.render(&[], &mut Queue::new(), out);
        },
    );
    let ratio = ours_ns / apart_ns;
    let columns = [format!("{apart_ns:.0}"), format!("{ours_ns:.0}"), format!("x{ratio:.2}"), "<= x5".into()];
    table.figure("six bows on one body, against six on six", columns, ratio <= 5.0)
}

/// Processes in the same unit, and how long a scene of many parts takes to build.
fn crackling(table: &mut Table, _: &TemporaryFolder) -> Result<()> {
    table.heading("particles, mode updates per voice and sample, of 32 voices", ["STK, ns", "ours", "ns", "goal"])?;
    let voices = 32;
    for (name, stk, resonances, level, goal) in [
        ("one resonance", "4 to 28", 1, 1.0, 15.0),
        ("three resonances", "4 to 28", 3, 1.0, 25.0),
        ("idle", "", 3, 0.0, 1.0),
    ] {
        let mut ours = engine::particles(voices, resonances, level).map_err(Error::Machine)?;
        let mut plain = Plain::new(&modes(512));
        let (plain_ns, ours_ns) = alternate(&mut |out| plain.render(out), &mut |out| {
            ours.render(&[], &mut Queue::new(), out);
        });
        let (ours_ns, unit_ns) = (ours_ns / voices as f64, plain_ns / 512.0);
        let updates = ours_ns / unit_ns;
        let columns = [stk.into(), format!("{updates:.1}"), number(ours_ns), format!("<= {goal}")];
        table.figure(name, columns, updates <= goal)?;
    }
    table.heading("crumpling, mode updates per sample", ["", "ours", "ns", "goal"])?;
    updates(table, "5000 hits a second on 16 fragments of 3 modes", "", 250.0, engine::crumpling())?;
    table.heading("64 parts of 5 nodes each", ["", "ms", "", "goal"])?;
    let mut least_ms = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        let document = engine::many_parts(64, false).map_err(Error::Machine)?;
        let built = tocco::Scene::build(&document.def, bank::RATE_HZ);
        least_ms = least_ms.min(start.elapsed().as_secs_f64() * 1e3);
        built.map_err(|cause| Error::Machine(cause.to_string()))?;
    }
    let columns = [String::new(), format!("{least_ms:.1}"), String::new(), "< 100".into()];
    table.figure("read and built", columns, least_ms < 100.0)?;
    table.heading("the same 64 while all of them sound, ns per sample", ["written out", "ours", "ratio", "goal"])?;
    let mut parts = engine::sounding_parts(64).map_err(Error::Machine)?;
    let mut plain = engine::written_out(64).map_err(Error::Machine)?;
    let (plain_ns, ours_ns) = alternate(
        &mut |out| {
            plain.render(&[], &mut Queue::new(), out);
        },
        &mut |out| {
            parts.render(&[], &mut Queue::new(), out);
        },
    );
    let ratio = ours_ns / plain_ns;
    let columns = [format!("{plain_ns:.0}"), format!("{ours_ns:.0}"), format!("x{ratio:.2}"), "<= x1.1".into()];
    table.figure("as parts", columns, ratio <= 1.1)
}

/// Water in the same unit.
fn flowing(table: &mut Table, _: &TemporaryFolder) -> Result<()> {
    table.heading("bubbles, mode updates per voice and sample", ["SDT, ns", "ours", "ns", "goal"])?;
    for (name, law) in [("64 voices that rise", "van-den-doel"), ("the same by Minnaert's law", "minnaert")] {
        let mut ours = engine::bubbles(64, law).map_err(Error::Machine)?;
        let mut plain = Plain::new(&modes(512));
        let (plain_ns, ours_ns) = alternate(&mut |out| plain.render(out), &mut |out| {
            ours.render(&[], &mut Queue::new(), out);
        });
        let (ours_ns, unit_ns) = (ours_ns / 64.0, plain_ns / 512.0);
        let updates = ours_ns / unit_ns;
        let columns = ["7.4".into(), format!("{updates:.2}"), number(ours_ns), "<= 1".into()];
        table.figure(name, columns, updates <= 1.0)?;
    }
    table.heading("populations, mode updates per sample", ["", "ours", "ns", "goal"])?;
    updates(table, "a river, 3000 bubbles a second and its bed", "", 200.0, engine::river())?;
    updates(table, "rain, 500 drops a second on water", "", 200.0, engine::shower())
}

/// A falling block of 1152 particles, watched 60 times a second: part of a core that it takes while it moves most.
fn tank(table: &mut Table, _: &TemporaryFolder) -> Result<()> {
    table.heading(
        "water, 1152 particles at 60 frames a second, part of a core",
        ["best", "median", "ms a frame", "goal"],
    )?;
    let mut shares = Vec::new();
    for _ in 0..5 {
        let mut course = crate::fluid::Course::new(&crate::fluid::Task::new("drop", Path::new("")))?;
        let start = Instant::now();
        for _ in 0..120 {
            std::hint::black_box(course.frame());
        }
        shares.push(start.elapsed().as_secs_f64() / 2.0);
    }
    shares.sort_by(f64::total_cmp);
    let [best, median] = [shares[0], shares[2]];
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let ms = number(1e3 * best / 60.0);
    table.figure(
        "2 s of a falling block, best of five",
        [percent(best), String::new(), ms, "< 40 %".into()],
        best < 0.4,
    )?;
    let ms = number(1e3 * median / 60.0);
    table.figure("and their median", [String::new(), percent(median), ms, "< 65 %".into()], median < 0.65)
}

/// Somebody who walks over every shipped floor, four regions, a sole and a room: mean over 20 steps; and nobody who does, on the floor
/// that costs most.
fn walking(table: &mut Table, _: &TemporaryFolder) -> Result<()> {
    table.heading("a walker on a floor, in a room, mode updates per frame", ["", "ours", "ns", "goal"])?;
    let floors = || crate::library::SHIPPED.iter().map(|(name, _)| *name).filter(|name| name.starts_with("floor-"));
    let mut row = |name: &str, [updates, ns]: [f64; 2], goal: f64| {
        let columns = [String::new(), format!("{updates:.1}"), format!("{ns:.0}"), format!("<= {goal}")];
        table.figure(name, columns, updates <= goal)
    };
    for floor in floors() {
        row(floor, walked(floor, 1.3, 11.0)?, 450.0)?;
    }
    let (mut most, mut of) = ([0.0; 2], "");
    for floor in floors() {
        let own = walked(floor, 0.0, 3.0)?;
        if own[0] > most[0] {
            (most, of) = (own, floor);
        }
    }
    row(&format!("nobody walks, most: {of}"), most, 10.0)
}

/// Mode updates per frame of somebody who walks at a speed, m/s, for so many seconds, and ns. Every round is the same work block by block: the
/// least time of each stretch of blocks is its own, whatever else the machine did.
fn walked(floor: &str, speed_m_s: f64, seconds: f64) -> Result<[f64; 2]> {
    const STRETCH: usize = 16;
    let begun = engine::walked(floor, speed_m_s)?;
    let mut least = vec![f64::INFINITY; (seconds * bank::RATE_HZ) as usize / (STRETCH * BLOCK)];
    let (mut plain, mut unit_ns) = (Plain::new(&modes(512)), f64::INFINITY);
    for _ in 0..5 {
        unit_ns = (0..20).map(|_| time_ns(&mut |out| plain.render(out)) / 512.0).fold(unit_ns, f64::min);
        let (mut engine, mut out) = (begun.clone(), [0.0; 2 * BLOCK]);
        for least in &mut least {
            let start = Instant::now();
            for _ in 0..STRETCH {
                engine.render(&[], &mut Queue::new(), &mut out);
                std::hint::black_box(&out);
            }
            *least = least.min(start.elapsed().as_nanos() as f64);
        }
    }
    let ns = least.iter().sum::<f64>() / (least.len() * STRETCH * BLOCK) as f64;
    Ok([ns / unit_ns, ns])
}

/// Shipped bodies that bend back, while they still ring from a hard blow: how much of a core they need. Their cost does not depend on how far they swing.
fn bending(table: &mut Table, _: &TemporaryFolder) -> Result<()> {
    table.heading("bodies that bend back, per sample at 48 kHz", ["updates", "ns", "% of a core", "goal"])?;
    for (name, from_s, goal) in
        [("gong-hard", 3.5, 100.0), ("tom", 1.6, 25.0), ("thunder-sheet", 2.0, 100.0), ("loose-string", 4.8, 25.0)]
    {
        let (mut plain, mut ours) = (Plain::new(&modes(512)), engine::shipped(name)?);
        ours.render(&[], &mut Queue::new(), &mut vec![0.0; (from_s * 48_000.0) as usize]);
        let (plain_ns, ours_ns) = alternate(&mut |out| plain.render(out), &mut |out| {
            ours.clone().render(&[], &mut Queue::new(), out);
        });
        let share = 100.0 * ours_ns * 48_000.0 / 1e9;
        let updates = format!("{:.0}", ours_ns / (plain_ns / 512.0));
        let columns = [updates, format!("{ours_ns:.0}"), format!("{share:.1}"), format!("<= {goal}")];
        table.figure(name, columns, share <= goal)?;
    }
    Ok(())
}

/// What a room and a distance cost in the same unit: a mode that is heard there, without what it costs outside.
fn in_a_room(table: &mut Table, _: &TemporaryFolder) -> Result<()> {
    table.heading("a room and a distance in stereo, mode updates per frame", ["", "ours", "ns", "goal"])?;
    let mut plain = Plain::new(&modes(512));
    let render = |engine: &mut Engine, out: &mut [f32]| {
        // Half as many frames as samples: twice, for as many frames.
        engine.render(&[], &mut Queue::new(), out);
        engine.render(&[], &mut Queue::new(), out);
    };
    for (name, space, goal) in [
        ("60 m3, 0.5 s", "room = { volume_m3 = 60.0, t60_s = [0.6, 0.5, 0.5, 0.5, 0.45, 0.4] }\n", 60.0),
        ("a distance of 3 m", "distance_m = 3.0\n", 20.0),
    ] {
        let mut inside = engine::in_space(space).map_err(Error::Machine)?;
        let mut outside = engine::in_space("").map_err(Error::Machine)?;
        let (plain_ns, inside_ns) = alternate(&mut |out| plain.render(out), &mut |out| render(&mut inside, out));
        let (_, outside_ns) = alternate(&mut |out| plain.render(out), &mut |out| render(&mut outside, out));
        let space_ns = inside_ns - outside_ns;
        let updates = space_ns / (plain_ns / 512.0);
        let columns = [String::new(), format!("{updates:.0}"), format!("{space_ns:.0}"), format!("<= {goal}")];
        table.figure(name, columns, updates <= goal)?;
    }
    Ok(())
}

/// 512 modes that ring while something retunes every one of them, always: a bank alone, under what touches it, and voices each bent by itself.
fn retuning(table: &mut Table, _: &TemporaryFolder) -> Result<()> {
    table.heading("a bank retuned as it rings, mode updates per mode and sample", ["", "ours", "ns", "goal"])?;
    for (name, ours) in [
        ("bent, 512 modes", engine::retuned(512, "bar/freq_scale")),
        ("morphed, 512 modes", engine::retuned(512, "bar/morph_01")),
        ("bent under a pressed hammer, 512 modes", engine::touched_and_bent(512, false)),
        ("bent while it is rubbed, 512 modes", engine::touched_and_bent(512, true)),
        ("8 voices of 64 modes, each bent by itself", engine::voices_bent(8, 64)),
    ] {
        let (mut plain, mut ours) = (Plain::new(&modes(512)), ours.map_err(Error::Machine)?);
        let (plain_ns, ours_ns) = alternate(&mut |out| plain.render(out), &mut |out| {
            ours.render(&[], &mut Queue::new(), out);
        });
        let updates = ours_ns / plain_ns;
        let columns = [String::new(), format!("{updates:.2}"), number(ours_ns / 512.0), "<= 3".into()];
        table.figure(name, columns, updates <= 3.0)?;
    }
    Ok(())
}

/// What an island may cost among 1000 over what it costs among 30: the largest points alone decide about r2, where a cost that grows
/// with the power 1.5 of their number still has 0.98.
const MOST_GROWTH: f64 = 1.5;

/// What a scene costs that grows: islands that sound, each with some parameters on the move, and bodies that sleep.
fn growing(table: &mut Table, _: &TemporaryFolder) -> Result<()> {
    table.heading("islands on which a hand rubs, ns per sample and island", ["1", "30", "1000", "goal"])?;
    table.line(&format!(
        "  straight: r2 > 0.98, and one of 1000 costs at most {MOST_GROWTH} times what one of 30 does"
    ))?;
    for moving in 0..=10 {
        let counts = [1, 3, 10, 30, 100, 300, 1000];
        let mut points = Vec::new();
        for count in counts {
            let mut islands = engine::islands(count, count, moving).map_err(Error::Machine)?;
            points.push((count as f64, least_ns(&mut islands, 48)));
        }
        let each = [0, 3, 6].map(|at| points[at].1 / points[at].0);
        let [one, thirty, thousand] = each.map(|ns| format!("{ns:.0}"));
        let (straight, more) = (straightness(&points), each[2] / each[1]);
        let columns = [one, thirty, thousand, "straight".into()];
        let name = format!("{moving} moving parameters each: r2 = {straight:.4}, x{more:.2}");
        table.figure(&name, columns, straight > 0.98 && more <= MOST_GROWTH)?;
    }
    table.heading("bodies that sleep under friction that nothing presses", ["", "updates", "ns", "goal"])?;
    let (mut plain, mut ours) = (Plain::new(&modes(512)), engine::islands(1000, 0, 0).map_err(Error::Machine)?);
    let (plain_ns, ours_ns) = alternate(&mut |out| plain.render(out), &mut |out| {
        ours.render(&[], &mut Queue::new(), out);
    });
    let updates = ours_ns / (plain_ns / 512.0);
    let columns = [String::new(), format!("{updates:.0}"), format!("{ours_ns:.0}"), "< 1000".into()];
    table.figure("1000 bodies of 3 modes", columns, updates < 1000.0)?;
    // What moves on one island is felt by that island alone: the sleepers beside it cost what they cost anyway.
    let mut lone = engine::islands(1, 1, 10).map_err(Error::Machine)?;
    let mut beside = engine::islands(1001, 1, 10).map_err(Error::Machine)?;
    let (lone_ns, beside_ns) = alternate(
        &mut |out| {
            lone.render(&[], &mut Queue::new(), out);
        },
        &mut |out| {
            beside.render(&[], &mut Queue::new(), out);
        },
    );
    let more_ns = beside_ns - lone_ns;
    let updates = more_ns / (plain_ns / 512.0);
    let columns = [String::new(), format!("{updates:.0}"), format!("{more_ns:.0}"), "< 1000".into()];
    table.figure("the same beside an island with 10 moving parameters", columns, updates < 1000.0)
}

/// Least ns per sample of so many blocks: short ones, which the other programs of a busy machine leave whole now and then.
fn least_ns(engine: &mut Engine, blocks: usize) -> f64 {
    let mut out = [0.0; BLOCK];
    (0..blocks).fold(f64::INFINITY, |least, _| {
        let start = Instant::now();
        engine.render(&[], &mut Queue::new(), &mut out);
        std::hint::black_box(&out);
        least.min(start.elapsed().as_nanos() as f64 / BLOCK as f64)
    })
}

/// How much of the variance of the second numbers a straight line over the first explains: r squared.
fn straightness(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
    let [xx, xy, yy] =
        [mean(&|p| (p.0 - x) * (p.0 - x)), mean(&|p| (p.0 - x) * (p.1 - y)), mean(&|p| (p.1 - y) * (p.1 - y))];
    xy * xy / (xx * yy)
}

/// Two signals noted by the sample against the same scene unwatched: of contacts, and of bodies in contact or where they are
/// heard. Another place of a large body that rings free, or its position, is a sum over its modes and costs what another tap does.
fn watching(table: &mut Table, _: &TemporaryFolder) -> Result<()> {
    table.heading("two signals watched, ns per sample", ["unwatched", "watched", "ratio", "goal"])?;
    type Case = fn() -> std::result::Result<Engine, String>;
    let cases: [(&str, Case, [&str; 2]); 10] = [
        ("a pressed hammer, 3 modes", || engine::pressed(3), ["hit.force", "bar.velocity"]),
        ("a pressed hammer, 512 modes", || engine::pressed(512), ["hit.force", "hit.compression"]),
        ("stick-slip, 3 modes", || engine::stick_slip(3, Decays::Long), ["rub.force", "glass.velocity"]),
        ("stick-slip, 128 modes", || engine::stick_slip(128, Decays::Long), ["rub.force", "rub.compression"]),
        ("a bowed string", engine::bowed_string, ["string.bow_point.velocity", "string.bow_point.position"]),
        ("a bar of 512 modes that has been struck", || engine::struck(512), ["hit.force", "bar.velocity"]),
        // A sum over all modes at every sample, or everything at one sample: no goal, docs/figures.md.
        ("a bar of 512 modes that has been struck", || engine::struck(512), ["hit.force", "bar.position"]),
        ("a pressed hammer, 3 modes", || engine::pressed(3), ["energy", "work"]),
        ("a pressed hammer, 512 modes", || engine::pressed(512), ["energy", "work"]),
        ("a bar of 512 modes that has been struck", || engine::struck(512), ["energy", "work"]),
    ];
    for (name, case, signals) in cases {
        let (mut plain, mut watched) = (case().map_err(Error::Machine)?, case().map_err(Error::Machine)?);
        let probes = signals.map(|signal| watched.scene().directory().probe(signal));
        let probes = probes.into_iter().collect::<std::result::Result<Vec<_>, _>>();
        watched.watch(&probes.map_err(|cause| Error::Machine(cause.to_string()))?);
        let mut rows = [0.0; 2 * BLOCK];
        let (plain_ns, watched_ns) = alternate(
            &mut |out| {
                plain.render(&[], &mut Queue::new(), out);
            },
            &mut |out| {
                watched.render_probed(&[], &mut Queue::new(), out, &mut rows);
                std::hint::black_box(&rows);
            },
        );
        let ratio = watched_ns / plain_ns;
        let excepted = signals.iter().any(|signal| ["energy", "bar.position"].contains(signal));
        let (goal, reached) = if excepted { ("none", true) } else { ("<= x1.20", ratio <= 1.2) };
        let columns = [format!("{plain_ns:.0}"), format!("{watched_ns:.0}"), format!("x{ratio:.2}"), goal.into()];
        table.figure(&format!("{name}: {} and {}", signals[0], signals[1]), columns, reached)?;
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
    let (mut plain, mut ours) = (Plain::new(&modes(512)), case.map_err(Error::Machine)?);
    let (plain_ns, ours_ns) = alternate(&mut |out| plain.render(out), &mut |out| {
        ours.render(&[], &mut Queue::new(), out);
    });
    let updates = ours_ns / (plain_ns / 512.0);
    let columns = [sdt.into(), format!("{updates:.0}"), format!("{ours_ns:.0}"), format!("<= {goal}")];
    table.figure(name, columns, updates <= goal)
}

/// `tocco sweep`, 1000 strikes of half a second. The figures are the program's: files go to memory where that can be. What
/// the disk adds is said beside them; it depends on the disk and on what was removed from it in the last minutes.
fn whole_sweep(table: &mut Table, folder: &TemporaryFolder) -> Result<()> {
    let memory = TemporaryFolder::in_memory();
    let place = if memory.is_some() { "files in memory" } else { "files on disk" };
    table.heading(&format!("a sweep of 1000 strikes of 0.5 s, {place}"), ["one core", "all", "", "goal"])?;
    let cores = crate::parallel::cores();
    for (name, form) in [("--over", sweep::Form::Over), ("a design, loudness matched", sweep::Form::Design)] {
        let (one_s, all_s) = sweep::times_s(form, memory.as_ref().unwrap_or(folder).path())?;
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
            let disk_s = sweep::time_s(form, folder.path(), &format!("{form:?}"), cores)?;
            table.line(&format!("  {name}, once to disk: {disk_s:.3} s, x{:.0}", sweep::sound_s() / disk_s))?;
        }
    }
    Ok(())
}

/// A recording of five seconds into a body, on one thread.
fn analysing(table: &mut Table, _: &TemporaryFolder) -> Result<()> {
    table.heading("tocco analyse, a strike of 5 s with 60 modes", ["", "found", "s", "goal"])?;
    let (found, least_s) = analysis::run(2)?;
    let columns = [String::new(), found.to_string(), format!("{least_s:.1}"), "< 10".into()];
    table.figure("recording to body, one core", columns, least_s < 10.0)
}

/// Peers' banks against ours, 32 and 128 modes.
fn beside_peers(table: &mut Table, folder: &TemporaryFolder) -> Result<()> {
    table.heading("free ringing beside peers, ns per mode and sample", ["theirs", "ours", "ratio", "goal"])?;
    for peer in &PEERS {
        if let Some(packages) = peer.missing() {
            table.line(&format!("{}: not installed, skipped (apt-get install {packages})", peer.name))?;
            continue;
        }
        for count in [32, 128] {
            let name = format!("{}, {count} modes", peer.name);
            match duel(peer, count, folder) {
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
fn duel(peer: &peers::Peer, count: usize, folder: &TemporaryFolder) -> std::result::Result<(f64, f64), String> {
    let bank = modes(count);
    let mut engine = engine::ringing(&bank)?;
    let mut measure = (peer.prepare)(&bank, folder.path())?;
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
pub struct Table {
    all_reached: bool,
    /// What the figures measure, and the heads of their columns.
    heads: Vec<String>,
    section: &'static str,
    /// Kept instead of printed.
    figures: Option<Vec<Value>>,
}

impl Table {
    /// Prints a line.
    pub fn line(&mut self, text: &str) -> Result<()> {
        if self.figures.is_some() { Ok(()) } else { console::result(text) }
    }
    /// Prints what the figures that follow measure, and the heads of their columns.
    pub fn heading(&mut self, title: &str, columns: [&str; 4]) -> Result<()> {
        let [a, b, c, d] = columns;
        self.heads = [title, a, b, c, d].map(str::to_owned).into();
        self.line(&format!("\n{title:<58}{a:>10}{b:>8}{c:>8}{d:>10}"))
    }
    /// Prints a figure, and whether it reached its goal.
    pub fn figure(&mut self, name: &str, columns: [String; 4], reached: bool) -> Result<()> {
        self.all_reached &= reached;
        if let Some(figures) = &mut self.figures {
            let (title, heads) =
                self.heads.split_first().map_or(("", &[][..]), |(title, heads)| (title.as_str(), heads));
            // Columns without a head say what the others mean, or nothing.
            let columns: serde_json::Map<String, Value> = heads
                .iter()
                .zip(&columns)
                .filter(|(head, column)| !head.is_empty() && !column.is_empty())
                .map(|(head, column)| (head.clone(), column.as_str().into()))
                .collect();
            figures.push(json!({
                "section": self.section, "measures": title, "name": name, "columns": columns, "reached": reached,
            }));
            return Ok(());
        }
        let [a, b, c, d] = columns;
        let line = format!("  {name:<56}{a:>10}{b:>8}{c:>8}{d:>10}");
        console::verdict(&line, if reached { "reached" } else { "missed" }, reached)
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

/// A folder that goes when it is dropped.
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// A new one under the system's temporary folder.
    pub fn new() -> Result<Self> {
        Self::under(&std::env::temp_dir())
    }
    /// A new one in memory, where the system has a place for that.
    pub fn in_memory() -> Option<Self> {
        Self::under(Path::new("/dev/shm")).ok()
    }
    fn under(place: &Path) -> Result<Self> {
        let dir = place.join(format!("tocco-bench-{}", std::process::id()));
        std::fs::create_dir(&dir).map_err(|e| Error::writing(&dir, &e))?;
        Ok(Self(dir))
    }
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // Nothing can be done about a temporary folder that will not go.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A scene as text: a hammer strikes a bar of three modes, the lowest of which rings for `decay_s`.
pub fn struck_bar(duration_s: f64, decay_s: f64) -> String {
    let mode = |hz: f64, share: f64| format!("{{ freq_hz = {hz:?}, decay_s = {:?}, mass_kg = 0.05 }}", share * decay_s);
    let modes = [mode(500.0, 1.0), mode(1300.0, 0.75), mode(1700.0, 0.5)].join(", ");
    format!(
        r#"
version = 1
duration_s = {duration_s:?}
[body.hammer]
type = "mass"
mass_kg = 0.01
[body.bar]
type = "modal"
modes = [{modes}]
[contact.hit]
type = "impact"
between = ["hammer", "bar"]
stiffness = 1e9
dissipation_s_m = 0.5
exponent = 1.5
[[event]]
at_s = 0.0
strike = "hammer"
velocity_m_s = 1.0
[[tap]]
of = "bar"
quantity = "velocity"
"#
    )
}
