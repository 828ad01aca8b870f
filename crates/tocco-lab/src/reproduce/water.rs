// SPDX-License-Identifier: MIT OR Apache-2.0
//! De Sena et al. 2009 chapter 4: the bubble and its two parameters (table 4.1), bubble and impact as heard (figure 4.2), what sounds in an empty, a
//! filling and a full container (figure 4.1); and the tone of thin ice, for chapter 8.

use super::{Csv, Outcome};
use crate::fluid::{Course, Task};
use crate::plot::{Figure, Look, Panel, Series};
use std::path::Path;
use tocco::fluid::sound::Kind;
use tocco::fluid::watch::Motion;
use tocco::process::ice::{YOUNG_PA, coincidence_hz, wave_number};
use tocco::scene::Happening;
use tocco::{Engine, Queue, Scene, SceneDef};

const RATE_HZ: f64 = 48_000.0;

/// What happens in a scene, and what is heard of it, at 48 kHz.
pub(super) fn listen(text: &str, seconds: f64) -> Result<(Vec<Happening>, Vec<f64>), String> {
    let scene = SceneDef::from_text(text).and_then(|def| Scene::build(&def, RATE_HZ));
    let mut engine = Engine::new(scene.map_err(|cause| cause.to_string())?);
    let (mut events, mut sound) = (Vec::new(), Vec::new());
    for _ in 0..(100.0 * seconds) as usize {
        let mut out = vec![0.0; 480];
        engine.render(&[], &mut Queue::new(), &mut out);
        sound.extend(out.into_iter().map(f64::from));
        events.extend(std::iter::from_fn(|| engine.take_happening()));
    }
    Ok((events, sound))
}

/// A pond into which one bubble is put at 10 ms: radius, amplitude, rise, attack.
fn pond(radius_m: f64, rise: f64) -> String {
    format!(
        "[signal.still]\ntype = \"input\"\n[process.pond]\ntype = \"bubbles\"\ndriven_by = \"still\"\n[[event]]\nat_s = 0.01\n\
         trigger = \"pond\"\nvalues = [{radius_m:?}, 0.5, {rise:?}, 0.0]\n[[tap]]\nof = \"pond\"\nquantity = \"sound\"\n"
    )
}

/// Least squares of y = a + b x + c x^2, or without the last term.
fn fit(points: &[(f64, f64)], terms: usize) -> [f64; 3] {
    let mut m = [[0.0; 4]; 3];
    for (x, y) in points {
        let row = [1.0, *x, x * x];
        for i in 0..terms {
            for j in 0..terms {
                m[i][j] += row[i] * row[j];
            }
            m[i][3] += row[i] * y;
        }
    }
    for i in 0..terms {
        let pivot = m[i][i];
        m[i].iter_mut().for_each(|cell| *cell /= pivot);
        for k in (0..terms).filter(|k| *k != i) {
            let (own, part) = (m[i], m[k][i]);
            m[k].iter_mut().zip(own).for_each(|(cell, own)| *cell -= part * own);
        }
    }
    [m[0][3], m[1][3], m[2][3]]
}

/// Pitch where it begins, Hz, its slope, Hz/s, and damping, 1/s, read from the zeros and peaks of a sound that begins at a time.
fn read(sound: &[f64], from_s: f64) -> [f64; 3] {
    let first = (from_s * RATE_HZ) as usize + 1;
    let loudest = sound.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let (mut zeros, mut peaks, mut count) = (Vec::new(), Vec::new(), 0.0);
    let mut peak = 0.0_f64;
    let mut last = 0.0;
    for i in first..sound.len() - 1 {
        peak = peak.max(sound[i].abs());
        if sound[i] * sound[i + 1] < 0.0 {
            count += 0.5;
            let at = (i as f64 + sound[i] / (sound[i] - sound[i + 1])) / RATE_HZ - from_s;
            zeros.push((at, count));
            peaks.push((0.5 * (at + last), peak.ln()));
            (last, peak) = (at, 0.0);
            if peaks.last().is_some_and(|(_, level)| *level < (0.02 * loudest).ln()) {
                break;
            }
        }
    }
    // Phase in turns: f t + f s t^2/2.
    let [_, freq_hz, half] = fit(&zeros, 3);
    // The first half wave and the coarse peaks of high notes are left out.
    let [_, slope, _] = fit(&peaks[1..], 2);
    [freq_hz, 2.0 * half, -slope]
}

/// Table 4.1: radius makes pitch, sigma makes its rise, both read from the sound.
pub fn table_4_1() -> Result<Outcome, String> {
    let mut outcome = Outcome { scene: pond(0.005, 0.1), ..Outcome::default() };
    let mut csv = Csv::new(&["radius_m", "rise", "freq_hz", "slope_hz_s", "damping"]);
    let mut curves = Vec::new();
    for (radius, rise) in [(0.002, 0.0), (0.002, 0.1), (0.003, 0.1), (0.005, 0.1), (0.005, 0.2), (0.01, 0.1)] {
        let (_, sound) = listen(&pond(radius, rise), 0.4)?;
        let [freq_hz, slope, damping] = read(&sound, 0.01);
        let f0 = 3.0 / radius;
        let d = 0.043 * f0 + 0.0014 * f0.powf(1.5);
        let what = format!("r {} mm, xi {rise}", 1e3 * radius);
        outcome.within_percent(format!("{what}: initial pitch 3/r, Hz"), f0, freq_hz, 2.0);
        outcome.within_percent(format!("{what}: damping, 1/s"), d, damping, 2.0);
        if rise > 0.0 {
            outcome.within_percent(format!("{what}: slope f0 sigma, Hz/s"), f0 * rise * d, slope, 2.0);
        }
        csv.row(&[], &[radius, rise, freq_hz, slope, damping]);
        let name = format!("{} mm, xi {rise}", 1e3 * radius);
        let points = (0..40).map(|i| f64::from(i) * 2.5e-3).map(|t| (1e3 * t, freq_hz + slope * t)).collect();
        curves.push(Series::new(&name, curves.len(), Look::Line, points));
    }
    outcome.notes.push(
        "(4.1) as printed, sin(2 pi f(t) t), rises twice as fast as f(t): the phase is the integral of f.".into(),
    );
    outcome
        .notes
        .push("Table 4.1 calls sigma the density of the liquid; it is the relative rise rate, 1/s, here xi d.".into());
    let panel = curves.into_iter().fold(Panel::new("pitch over time", "time, ms", "pitch, Hz"), Panel::with);
    outcome.figure = Figure { title: "Bubbles: radius and rise".into(), panels: vec![panel] };
    outcome.csv = csv;
    Ok(outcome)
}

/// Power of a sound at frequencies, by a plain transform of a part of it.
pub(super) fn spectrum(sound: &[f64], freqs: &[f64]) -> Vec<f64> {
    let power = |freq_hz: &f64| {
        let w = std::f64::consts::TAU * freq_hz / RATE_HZ;
        let (mut re, mut im) = (0.0, 0.0);
        for (i, x) in sound.iter().enumerate() {
            re += x * (w * i as f64).cos();
            im += x * (w * i as f64).sin();
        }
        re * re + im * im
    };
    freqs.iter().map(power).collect()
}

/// Figure 4.2: a bubble is a line that rises, an impact is short bands.
pub fn figure_4_2() -> Result<Outcome, String> {
    let why = "the figure prints no axes or parameters";
    let mut outcome = Outcome { qualitative: Some(why.into()), scene: pond(0.004, 0.3), ..Outcome::default() };
    let (_, bubble) = listen(&pond(0.004, 0.3), 0.2)?;
    let [freq_hz, slope, _] = read(&bubble, 0.01);
    outcome.holds("the bubble's line rises", "rising", format!("{slope:.0} Hz/s from {freq_hz:.0} Hz"), slope > 1000.0);
    // The mean spectrum of many impacts of one size: R = 8 mm, k = 13 m/s.
    let freqs: Vec<f64> = (0..120).map(|i| 300.0 * (1.03_f64).powi(i)).collect();
    let mut mean = vec![0.0; freqs.len()];
    let mut lasts = 0.0;
    let runs = 60;
    for seed in 0..runs {
        let text = format!(
            "seed = {seed}\n[signal.still]\ntype = \"input\"\n[process.slaps]\ntype = \"patter\"\ndriven_by = \"still\"\n[[event]]\nat_s = 0.01\n\
             trigger = \"slaps\"\nvalues = [0.008, 0.5]\n[[tap]]\nof = \"slaps\"\nquantity = \"sound\"\n"
        );
        let (_, sound) = listen(&text, 0.06)?;
        let power = spectrum(&sound[480..], &freqs);
        mean.iter_mut().zip(power).for_each(|(sum, x)| *sum += x / f64::from(runs as u32));
        let energy: f64 = sound.iter().map(|x| x * x).sum();
        let early: f64 = sound[480..480 + 384].iter().map(|x| x * x).sum();
        lasts += early / energy / f64::from(runs as u32);
    }
    let peak = |from: f64, to: f64| {
        let inside = freqs.iter().zip(&mean).filter(|(f, _)| (from..to).contains(*f));
        inside.max_by(|a, b| a.1.total_cmp(b.1)).map_or(0.0, |(f, _)| *f)
    };
    let (first, second) = (peak(600.0, 2600.0), peak(3200.0, 6500.0));
    outcome.within_percent("first band of the impact k/R, Hz", 13.0 / 0.008, first, 20.0);
    outcome.within_percent("second band over the first", 2.7, second / first, 25.0);
    outcome.holds(
        "the impact is short",
        "brief",
        format!("{:.0} % of its energy in 8 ms", 100.0 * lasts),
        lasts > 0.85,
    );
    let mut csv = Csv::new(&["freq_hz", "impact_power_db"]);
    let most = mean.iter().fold(1e-30_f64, |most, x| most.max(*x));
    let points: Vec<(f64, f64)> = freqs.iter().zip(&mean).map(|(f, x)| (*f, 10.0 * (x / most).log10())).collect();
    points.iter().for_each(|(f, db)| csv.row(&[], &[*f, *db]));
    let line = (0..40).map(|i| 2e-3 * f64::from(i)).map(|t| (1e3 * t, freq_hz + slope * t)).collect();
    let panels = vec![
        Panel::new("bubble of 4 mm, xi 0.3", "time, ms", "pitch, Hz").with(Series::new("", 2, Look::Line, line)),
        Panel::new("impact of 8 mm, mean of 60", "frequency, Hz", "dB").with(Series::new("", 1, Look::Line, points)),
    ];
    outcome.figure = Figure { title: "A bubble and an impact".into(), panels };
    outcome.csv = csv;
    Ok(outcome)
}

/// What a frame of the block of water that falls looks like: parts of its particles that fall, collide and rest, and its level.
fn stages(outcome: &mut Outcome) -> Result<(), String> {
    let mut course = Course::new(&Task::new("drop", Path::new(""))).map_err(|e| e.to_string())?;
    for k in 1..=150 {
        let (frame, sounds) = course.frame();
        let part = |wanted: Motion| {
            frame.motion.iter().filter(|motion| **motion == wanted).count() as f64 / frame.motion.len() as f64
        };
        let [fall, collide, rest] = [Motion::Falling, Motion::Colliding, Motion::Resting].map(part);
        let bubbles = sounds.iter().filter(|sound| sound.kind == Kind::Bubble).count();
        let said = format!(
            "{:.0} % fall, {:.0} % collide, {:.0} % rest, {:.0} mm, {bubbles} bubbles",
            100.0 * fall,
            100.0 * collide,
            100.0 * rest,
            1e3 * frame.level_m
        );
        match k {
            // The first frame of contact, and those in which the container fills and has been filled.
            19 => outcome.holds(
                "a) it touches the empty ground: the front collides, the rest falls, no bubble",
                "impacts alone",
                said,
                collide > 0.05 && fall > 0.4 && rest < 0.3 && bubbles == 0 && !sounds.is_empty(),
            ),
            24 => outcome.holds(
                "b) some water stands while more comes down: impacts and bubbles",
                "sound from bubbles is also generated",
                said,
                collide > 0.05 && frame.level_m > 0.05 && bubbles > 0,
            ),
            150 => outcome.holds(
                "c) the container is full and comes to rest",
                "blue",
                said,
                rest > 0.85 && frame.level_m > 0.11,
            ),
            _ => {}
        }
    }
    Ok(())
}

/// Figure 4.1's stages: frames of the tank itself; and as rules: an empty container only has impacts; where water stands there are bubbles,
/// larger the deeper.
pub fn figure_4_1() -> Result<Outcome, String> {
    let why = "the figure shows frames of an animation and prints no numbers; its stages are looked for in ours, its rules are tried with drops";
    let drops = |depth: f64| {
        format!(
            "[signal.fall]\ntype = \"points\"\npoints = [[0.0, 1.0]]\n[process.drops]\ntype = \"drip\"\ndriven_by = \"fall\"\nrate_hz = 30.0\n\
             irregular_01 = 1.0\ndiameter_m = 0.008\nheight_m = 0.4\nvary_01 = 0.3\nspray = 0.0\ndepth_m = {depth:?}\n[[tap]]\nof = \"drops\"\nquantity = \"sound\"\n"
        )
    };
    let mut outcome = Outcome { qualitative: Some(why.into()), scene: drops(0.05), ..Outcome::default() };
    let mut csv = Csv::new(&["depth_m", "freq_hz", "power_db"]);
    let freqs: Vec<f64> = (0..60).map(|i| 200.0 + 25.0 * f64::from(i)).collect();
    let (mut counts, mut curves) = (Vec::new(), Vec::new());
    for (stage, depth) in [("a) empty", 0.0), ("b) filling, 9 mm", 0.009), ("c) full, 50 mm", 0.05)] {
        let (events, sound) = listen(&drops(depth), 10.0)?;
        let power: Vec<f64> = spectrum(&sound[..96_000], &freqs);
        let points: Vec<(f64, f64)> = freqs.iter().zip(&power).map(|(f, x)| (*f, 10.0 * x.max(1e-9).log10())).collect();
        counts.push(events.len() as f64 / 10.0);
        points.iter().step_by(4).for_each(|(freq_hz, db)| csv.row(&[], &[depth, *freq_hz, *db]));
        curves.push(Series::new(stage, curves.len(), Look::Line, points));
    }
    outcome.near("a) sounds for each drop: its impact alone", 1.0, counts[0] / 30.0, 0.15, 2);
    let more = counts[1] / counts[0];
    outcome.holds(
        "b) bubbles besides",
        "sound from bubbles is also generated",
        format!("{more:.1} sounds a drop"),
        more > 2.0,
    );
    let low = |at: usize| curves[at].data.iter().map(|(_, db)| 10f64.powf(0.1 * db)).sum::<f64>().log10() * 10.0;
    let (filling, full) = (low(1), low(2));
    outcome.holds(
        "c) deeper: larger bubbles, lower and louder",
        "size grows with the level",
        format!("{:+.1} dB below 1.7 kHz", full - filling),
        full > filling + 1.0,
    );
    stages(&mut outcome)?;
    let panel =
        curves.into_iter().fold(Panel::new("drops of 8 mm into a container", "frequency, Hz", "dB"), Panel::with);
    outcome.figure = Figure { title: "Empty, filling, full".into(), panels: vec![panel] };
    outcome.csv = csv;
    Ok(outcome)
}

/// The tone of thin ice: where bending waves run as fast as sound in air.
pub fn coincidence() -> Result<Outcome, String> {
    let mut outcome = Outcome { beside: Some("reference"), ..Outcome::default() };
    let mut csv = Csv::new(&["freq_hz", "speed_2_cm", "speed_5_cm", "speed_10_cm"]);
    for (cm, wanted) in [(2.0, 1540.0), (3.0, 1027.0), (5.0, 616.0), (10.0, 308.0)] {
        let got = coincidence_hz(0.01 * cm, YOUNG_PA);
        outcome.within_percent(format!("{cm} cm of lake ice, 30.8 Hz m, Hz"), wanted, got, 1.0);
        let omega = std::f64::consts::TAU * got;
        let speed = omega / wave_number(omega, 0.01 * cm);
        outcome.within_percent(format!("{cm} cm: speed of its waves there, m/s"), 331.0, speed, 0.01);
    }
    outcome.near("sea ice, 2.5 GPa: Hz m, measured by Romeyn et al. (2021)", 48.0, coincidence_hz(1.0, 2.5e9), 4.0, 1);
    let mut curves: [Vec<(f64, f64)>; 3] = Default::default();
    for i in 0..80 {
        let freq_hz = 100.0 * 1.05_f64.powi(i);
        let omega = std::f64::consts::TAU * freq_hz;
        let speeds = [0.02, 0.05, 0.1].map(|h| omega / wave_number(omega, h));
        csv.row(&[], &[freq_hz, speeds[0], speeds[1], speeds[2]]);
        curves.iter_mut().zip(speeds).for_each(|(curve, speed)| curve.push((freq_hz, speed)));
    }
    let mut panel = Panel::new("bending waves in ice on water", "frequency, Hz", "phase speed, m/s");
    for (index, (curve, name)) in curves.into_iter().zip(["2 cm", "5 cm", "10 cm"]).enumerate() {
        panel = panel.with(Series::new(name, index, Look::Line, curve));
    }
    panel = panel.with(Series::new("sound in air", 5, Look::Line, vec![(100.0, 331.0), (4800.0, 331.0)]));
    outcome.figure = Figure { title: "Where ice sings: coincidence".into(), panels: vec![panel] };
    outcome.csv = csv;
    Ok(outcome)
}
