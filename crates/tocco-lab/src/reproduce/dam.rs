// SPDX-License-Identifier: MIT OR Apache-2.0
//! De Sena et al. 2009 section 4.3: the breaking dam, what is heard of it, and the front that Martin and Moyce measured.

use super::water::{listen, spectrum};
use super::{Csv, Outcome};
use crate::fluid::{Course, SPLASH, Task, freq_hz, scene};
use crate::plot::{Figure, Look, Panel, Series};
use std::path::Path;
use tocco::fluid::measured::{FRONT_WIDE, GATE_TIME};
use tocco::fluid::sound::Kind;
use tocco::fluid::{Block, GRAVITY_M_S2, Tank, TankDef};

/// Where the mean spectrum of many hits of a radius, m, is largest, Hz; by the triggers with which the tank is heard.
fn heard_pitch(radius_m: f64) -> Result<f64, String> {
    let freqs: Vec<f64> = (0..60).map(|i| 200.0 * 1.06_f64.powi(i)).collect();
    let mut mean = vec![0.0; freqs.len()];
    for seed in 0..40 {
        let text = format!(
            "seed = {seed}\n[signal.still]\ntype = \"input\"\n[process.hits]\ntype = \"patter\"\ndriven_by = \"still\"\n[[event]]\nat_s = 0.01\n\
             trigger = \"hits\"\nvalues = [{radius_m:?}, 0.5, {:?}, {:?}]\n[[tap]]\nof = \"hits\"\nquantity = \"sound\"\n",
            SPLASH[0], SPLASH[1]
        );
        let (_, sound) = listen(&text, 0.05)?;
        mean.iter_mut().zip(spectrum(&sound[480..], &freqs)).for_each(|(sum, power)| *sum += power);
    }
    // The middle of what is within 3 dB of the largest: a band, and no line.
    let most = mean.iter().fold(0.0_f64, |most, x| most.max(*x));
    let near: Vec<f64> = freqs.iter().zip(&mean).filter(|(_, x)| **x > 0.5 * most).map(|(f, _)| f.ln()).collect();
    Ok((near.iter().sum::<f64>() / near.len() as f64).exp())
}

/// First contact, first bubble, and the rules by level.
pub fn splash() -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let mut course = Course::new(&Task::new("drop", Path::new(""))).map_err(|e| e.to_string())?;
    let mut csv = Csv::new(&["time_s", "collisions", "clusters", "level_m", "hits", "bubbles"]);
    let (mut collisions, mut levels, mut heard) = (Vec::new(), Vec::new(), Vec::new());
    let mut early = 0;
    for _ in 0..150 {
        let (frame, sounds) = course.frame();
        let bubbles = sounds.iter().filter(|s| s.kind == Kind::Bubble).count();
        let (count, clusters) = (frame.collisions as f64, frame.clusters.len() as f64);
        csv.row(&[], &[frame.start_s, count, clusters, frame.level_m, (sounds.len() - bubbles) as f64, bubbles as f64]);
        collisions.push((frame.start_s, count));
        levels.push((frame.start_s, 1e3 * frame.level_m));
        early += if frame.level_m <= 0.05 { bubbles } else { 0 };
        heard.extend(sounds);
    }
    let first = |kind: Kind| heard.iter().filter(|s| s.kind == kind).map(|s| s.time_s).fold(f64::INFINITY, f64::min);
    let contact = (2.0 * 0.44 / GRAVITY_M_S2).sqrt();
    outcome.near("first collision, s: \"at around 0.3 s\", free fall 0.2995", contact, first(Kind::Hit), 1.0 / 60.0, 4);
    outcome.near("first bubble, s: \"at around 0.4 s\"", 0.4, first(Kind::Bubble), 0.07, 4);
    outcome.holds("bubbles before water stands", "none", early.to_string(), early == 0);
    let mean = |low: f64, high: f64| {
        let within = heard.iter().filter(|s| s.kind == Kind::Bubble && s.level_m > low && s.level_m <= high);
        let all: Vec<f64> = within.map(|s| s.rise).collect();
        all.iter().sum::<f64>() / all.len().max(1) as f64
    };
    let (shallow, deep) = (mean(0.05, 0.07), mean(0.1, 1.0));
    let said = format!("{shallow:.3} below 0.07 m, {deep:.3} above 0.1 m");
    outcome.holds("slope of the pitch", "\"increases as the container fills up\"", said, deep > shallow);
    // Of clusters of one level: the larger, the lower.
    let of_clusters = heard.iter().filter(|s| s.kind == Kind::Hit && s.particles > 1);
    let mut radii: Vec<f64> = of_clusters.map(|s| s.radius_m).filter(|radius| (0.004..0.04).contains(radius)).collect();
    radii.sort_by(f64::total_cmp);
    // A hit is a broad band, whose middle lies below the 16 m/s over the radius to which its filter is tuned: sizes are held against each other.
    let radii = [0.1, 0.5, 0.95].map(|part| radii[((radii.len() - 1) as f64 * part) as usize]);
    let products =
        radii.iter().map(|radius_m| Ok(heard_pitch(*radius_m)? * radius_m)).collect::<Result<Vec<f64>, String>>()?;
    let mean = products.iter().sum::<f64>() / products.len() as f64;
    for (radius_m, product) in radii.iter().zip(&products) {
        let what = format!(
            "pitch of the hit of a cluster of {:.1} mm, as heard, times its radius, m/s, beside the mean",
            1e3 * radius_m
        );
        outcome.within_percent(what, mean, *product, 20.0);
    }
    let rest = 0.2 * 0.4 / 0.6;
    outcome.within_percent(
        "level at the end, m: the block over the width",
        rest,
        levels[levels.len() - 1].1 / 1e3,
        10.0,
    );
    outcome.qualitative = Some("De Sena 2009 prints no parameters; its times and rules are checked".into());
    outcome.notes.push(
        "Which particles collide, stand and fly is ours: the paper names the features, not their thresholds.".into(),
    );
    outcome.notes.push("SPH in the paper is cited as [17] (level sets); it must be [32].".into());
    let freqs = |kind: Kind| -> Vec<(f64, f64)> {
        heard.iter().filter(|s| s.kind == kind).map(|s| (s.time_s, freq_hz(s).log10())).collect()
    };
    let top = Panel::new("particles that collide in a frame", "time, s", "collisions")
        .with(Series::new("", 1, Look::Line, collisions))
        .with(Series::new("level, mm", 2, Look::Line, levels));
    let below = Panel::new("what is heard", "time, s", "pitch, log10 Hz")
        .with(Series::new("hits", 7, Look::Dots, freqs(Kind::Hit)))
        .with(Series::new("bubbles", 2, Look::Dots, freqs(Kind::Bubble)));
    outcome.figure = Figure { title: "A block of water falls into an empty tank".into(), panels: vec![top, below] };
    outcome.csv = csv;
    outcome.scene = scene("a block of water falls into an empty tank", 3.1, 1, &heard, None);
    Ok(outcome)
}

/// The front of a column that is let go.
pub fn front() -> Result<Outcome, String> {
    let mut outcome = Outcome { beside: Some("measured"), ..Outcome::default() };
    let (a, spacing_m) = (0.2, 0.2 / 24.0);
    let mut tank = Tank::new(TankDef { width_m: 16.0 * a, height_m: 0.9, spacing_m })?;
    tank.fill(Block { x_m: 0.0, y_m: 0.0, width_m: a, height_m: 2.0 * a });
    let mut course = vec![(0.0, 1.0)];
    for _ in 0..450 {
        tank.advance(1);
        let front = tank.places()[0].iter().copied().fold(0.0, f64::max) + 0.5 * spacing_m;
        course.push((tank.time_s() * (2.0 * GRAVITY_M_S2 / a).sqrt(), front / a));
    }
    let at = |time: f64| {
        let after = course.partition_point(|point| point.0 < time).clamp(1, course.len() - 1);
        let (from, to) = (course[after - 1], course[after]);
        from.1 + (to.1 - from.1) * (time - from.0) / (to.0 - from.0)
    };
    let mut csv = Csv::new(&["time", "measured", "ours"]);
    for (time, front) in FRONT_WIDE {
        outcome.within_percent(format!("front at T = {time}"), front, at(time - GATE_TIME), 8.0);
        csv.row(&[], &[time, front, at(time - GATE_TIME)]);
    }
    outcome.notes.push(
        "T = t sqrt(2 g/a), Z = z/a. Ours is let go at once and is shifted by T = 0.265 once for all, the time of the gate.".into(),
    );
    let ours = course.iter().map(|(time, front)| (time + GATE_TIME, *front)).collect();
    let panel = Panel::new("front of a column, twice as high as wide", "time, T", "front, Z")
        .with(Series::new("ours", 2, Look::Line, ours))
        .with(Series::new("Martin and Moyce 1952", 1, Look::Dots, FRONT_WIDE.to_vec()));
    outcome.figure = Figure { title: "A broken dam".into(), panels: vec![panel] };
    outcome.csv = csv;
    Ok(outcome)
}
