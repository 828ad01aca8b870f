// SPDX-License-Identifier: MIT OR Apache-2.0
//! De Sena et al. 2009 section 3.3: the statistics of collisions. De Sena et al. 2009 section 2.2.3 and 3.2: the power law of crumpling, from events and from
//! the sound alone.

use super::{Csv, Outcome};
use crate::plot::{Figure, Look, Panel, Series};
use tocco::scene::Happening;
use tocco::{Engine, Queue, Scene, SceneDef};

/// Renders a scene at this rate and keeps what happens.
fn listen(text: &str, rate_hz: f64, seconds: f64) -> Result<(Vec<Happening>, Vec<f32>), String> {
    let scene = SceneDef::from_text(text).and_then(|def| Scene::build(&def, rate_hz));
    let mut engine = Engine::new(scene.map_err(|cause| cause.to_string())?);
    let (mut events, mut sound) = (Vec::new(), Vec::new());
    for _ in 0..(100.0 * seconds) as usize {
        let mut out = vec![0.0; (rate_hz / 100.0) as usize];
        engine.render(&[], &mut Queue::new(), &mut out);
        sound.extend(out);
        events.extend(std::iter::from_fn(|| engine.take_happening()));
    }
    Ok((events, sound))
}

const PARTICLES: &str = "[signal.shake]
type = \"points\"
points = [[0.0, 1.0]]
[process.beans]
type = \"particles\"
driven_by = \"shake\"
load = 0.0
level = 1.0
objects = 20.0
collisions_hz = 10.0
system_decay_s = 0.05
resonances = [{ freq_hz = 3200.0, bandwidth_hz = 400.0 }]
[[tap]]
of = \"beans\"
quantity = \"sound\"
";

/// Waiting times between collisions: "a simple Poisson distribution ... giving rise to an exponential probability waiting time".
pub fn collisions() -> Result<Outcome, String> {
    let mut outcome = Outcome { scene: PARTICLES.into(), ..Outcome::default() };
    let seconds = 200.0;
    let (events, _) = listen(PARTICLES, 48_000.0, seconds)?;
    let waits: Vec<f64> = events.windows(2).map(|pair| pair[1].at_s - pair[0].at_s).collect();
    let mean = waits.iter().sum::<f64>() / waits.len() as f64;
    let spread = (waits.iter().map(|w| (w - mean).powi(2)).sum::<f64>() / waits.len() as f64).sqrt();
    outcome.within_percent("collisions a second: 20 objects, 10 each", 200.0, 1.0 / mean, 3.0);
    outcome.near("spread of waiting times over their mean, exponential", 1.0, spread / mean, 0.03, 3);
    let mut csv = Csv::new(&["wait_s", "longer", "exponential"]);
    let (mut ours, mut law) = (Vec::new(), Vec::new());
    for step in 0..40 {
        let wait = 0.0125 * 0.05 * f64::from(step);
        let longer = waits.iter().filter(|w| **w > wait).count() as f64 / waits.len() as f64;
        let exponential = (-200.0 * wait).exp();
        csv.row(&[], &[wait, longer, exponential]);
        ours.push((1e3 * wait, longer));
        law.push((1e3 * wait, exponential));
        if [4, 8, 20].contains(&step) {
            outcome.near(format!("waits longer than {:.1} ms", 1e3 * wait), exponential, longer, 0.012, 4);
        }
    }
    let counts: Vec<f64> = (0..seconds as usize * 4)
        .map(|k| {
            let from = 0.25 * k as f64;
            events.iter().filter(|event| event.at_s >= from && event.at_s < from + 0.25).count() as f64
        })
        .collect();
    let average = counts.iter().sum::<f64>() / counts.len() as f64;
    let variance = counts.iter().map(|c| (c - average).powi(2)).sum::<f64>() / counts.len() as f64;
    outcome.near("variance of counts over their mean", 1.0, variance / average, 0.2, 3);
    let (other, _) = listen(PARTICLES, 22_050.0, 20.0)?;
    let same = events.iter().zip(&other).all(|(one, two)| one == two);
    let text = if same { "the same numbers" } else { "others" };
    outcome.holds("times of events at 22.05 and 48 kHz", "(probability per step: others)", text, same);
    outcome.notes.push(
        "The paper's probability is per time step, so its collisions double with the rate; ours is per second.".into(),
    );
    let panel = Panel::new("waiting times", "wait, ms", "part of waits that are longer")
        .with(Series::new("collisions", 2, Look::Dots, ours))
        .with(Series::new("exponential", 0, Look::Line, law));
    outcome.figure = Figure { title: "Collisions of 20 objects".into(), panels: vec![panel] };
    outcome.csv = csv;
    Ok(outcome)
}

const PAPER: &str = "rate_hz = 8000
[signal.squeeze]
type = \"points\"
points = [[0.0, 1.0]]
[process.paper]
type = \"crumple\"
driven_by = \"squeeze\"
load = 0.0
level = 1.0
events = 5.0
alpha = 1.45
energy_j = [1e-8, 1e-4]
fragmentation_01 = 0.0
fragments = 1
modes = [{ freq_hz = 900.0, decay_s = 0.0015, mass_kg = 0.001 }]
gain = 1.0
[[tap]]
of = \"paper\"
quantity = \"sound\"
";

/// Maximum likelihood of the exponent of a power law between two ends.
fn exponent(energies: &[f64], low: f64, high: f64) -> f64 {
    let inside: Vec<f64> = energies.iter().copied().filter(|e| *e >= low && *e <= high).collect();
    let logs = inside.iter().map(|e| (e / low).ln()).sum::<f64>() / inside.len() as f64;
    let span = (high / low).ln();
    let expected = |alpha: f64| {
        let q = alpha - 1.0;
        if q.abs() < 1e-6 { 0.5 * span } else { 1.0 / q - span / ((q * span).exp() - 1.0) }
    };
    let (mut from, mut to) = (0.2, 4.0);
    for _ in 0..60 {
        let middle = 0.5 * (from + to);
        if expected(middle) > logs { from = middle } else { to = middle }
    }
    0.5 * (from + to)
}

/// The energy of every click that a sound holds, up to a factor: squares of its peaks, a peak every 12 ms at most.
fn clicks(sound: &[f32], rate_hz: f64) -> Vec<f64> {
    let apart = (0.012 * rate_hz) as usize;
    let floor = 1e-3 * sound.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    let (mut found, mut at) = (Vec::new(), 0);
    while at < sound.len() {
        if sound[at].abs() < floor {
            at += 1;
            continue;
        }
        let part = &sound[at..(at + apart).min(sound.len())];
        let peak = part.iter().fold(0.0_f64, |most, x| most.max(f64::from(x.abs())));
        found.push(peak * peak);
        at += apart;
    }
    found
}

/// Exponent of the energies of crumpling.
pub fn crumpling() -> Result<Outcome, String> {
    let mut outcome = Outcome { scene: PAPER.into(), ..Outcome::default() };
    let (events, sound) = listen(PAPER, 8_000.0, 2_000.0)?;
    let energies: Vec<f64> = events.iter().map(|event| event.size).collect();
    let by_events = exponent(&energies, 1e-8, 1e-4);
    outcome.near(format!("exponent, from {} events", energies.len()), 1.45, by_events, 0.02, 3);
    let heard = clicks(&sound, 8_000.0);
    let loudest = heard.iter().copied().fold(0.0, f64::max);
    // A thirtieth of the range at either end is left out: the quietest drown in what rings, the loudest end it.
    let by_sound = exponent(&heard, 1e-3 * loudest, 0.3 * loudest);
    outcome.near(format!("exponent, from {} clicks of the sound alone", heard.len()), 1.45, by_sound, 0.1, 3);
    outcome.holds(
        "within what was measured for paper",
        "1.3 to 1.6",
        format!("{by_sound:.3}"),
        (1.3..=1.6).contains(&by_sound),
    );
    // Twelve fragments of two modes each, the smallest half as large as the whole: a click tells its energy only up to a factor of its fragment.
    for alpha in [1.3, 1.6] {
        let text = PAPER
            .replace("alpha = 1.45", &format!("alpha = {alpha}"))
            .replace("fragmentation_01 = 0.0\nfragments = 1", "fragmentation_01 = 0.5\nfragments = 12")
            .replace(
                "mass_kg = 0.001 }]",
                "mass_kg = 0.001 }, { freq_hz = 1310.0, decay_s = 0.001, mass_kg = 0.002 }]",
            );
        let (_, sound) = listen(&text, 8_000.0, 1_000.0)?;
        let heard = clicks(&sound, 8_000.0);
        let loudest = heard.iter().copied().fold(0.0, f64::max);
        let by_sound = exponent(&heard, 1e-3 * loudest, 0.3 * loudest);
        let name = format!("exponent, from {} clicks of twelve fragments of two modes", heard.len());
        outcome.near(name, alpha, by_sound, 0.1, 3);
    }
    let mut csv = Csv::new(&["rank", "event_energy_j", "click_energy"]);
    let sorted = |mut all: Vec<f64>| {
        all.sort_by(|a, b| b.total_cmp(a));
        all
    };
    let (energies, heard) = (sorted(energies), sorted(heard));
    let tail = |all: &[f64], most: f64| -> Vec<(f64, f64)> {
        let n = all.len();
        let point = |i: usize| ((all[i] / most).log10(), ((i + 1) as f64 / n as f64).log10());
        (0..n).step_by((n / 150).max(1)).map(point).collect()
    };
    for i in (0..energies.len().min(heard.len())).step_by(20) {
        csv.row(&[], &[i as f64, energies[i], heard[i]]);
    }
    let panel = Panel::new("energies, largest 1", "energy, log10", "part of events above, log10")
        .with(Series::new("events", 2, Look::Dots, tail(&energies, energies[0])))
        .with(Series::new("clicks heard", 1, Look::Dots, tail(&heard, heard[0])));
    outcome.figure = Figure { title: "Crumpling: a power law, from events and by ear".into(), panels: vec![panel] };
    outcome.csv = csv;
    Ok(outcome)
}
