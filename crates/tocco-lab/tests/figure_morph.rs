// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws the figure of docs/models/morph.md and checks its claims. `TOCCO_BLESS=1 cargo test -p tocco-lab --test
//! figure_morph` writes the picture.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::f64::consts::TAU;
use std::path::PathBuf;
use tocco::{Engine, Queue, Scene, SceneDef};
use tocco_lab::plot::{Corner, Figure, Look, Panel, Series};
use tocco_testing::pictures::assert_shipped;

const RATE_HZ: f64 = 48_000.0;

fn engine(text: &str) -> Engine {
    Engine::new(Scene::build(&SceneDef::from_text(text).unwrap(), RATE_HZ).unwrap())
}

/// One mode that is `from_hz` until 0.1 s and `to_hz` from 0.6 s on.
fn glide(from_hz: f64, to_hz: f64) -> Vec<f64> {
    let mut engine = engine(&format!(
        "body.x = {{ type = \"modal\", modes = [{{ freq_hz = {from_hz}, decay_s = 0.3, mass_kg = 1.0 }}], \
         morph = {{ modes = [{{ freq_hz = {to_hz}, decay_s = 0.9, mass_kg = 0.5 }}] }} }}\n\
         event = [{{ at_s = 0.0, hit = \"x\", impulse_n_s = 1.0 }}]\ntap = [{{ of = \"x\" }}]\n\
         drive = [{{ path = \"x/morph_01\", points = [[0.1, 0.0], [0.6, 1.0]] }}]"
    ));
    let mut out = vec![0.0f32; 33_600];
    engine.render(&[], &mut Queue::new(), &mut out);
    out.iter().map(|x| f64::from(*x)).collect()
}

/// (time, frequency) between upward zero crossings eight periods apart.
fn pitch(sound: &[f64]) -> Vec<(f64, f64)> {
    let up = |n: &usize| sound[*n] <= 0.0 && sound[n + 1] > 0.0;
    let at: Vec<f64> =
        (0..sound.len() - 1).filter(up).map(|n| (n as f64 + sound[n] / (sound[n] - sound[n + 1])) / RATE_HZ).collect();
    at.windows(9).step_by(8).map(|w| (0.5 * (w[0] + w[8]), 8.0 / (w[8] - w[0]))).collect()
}

/// Energy of a lossless mode that goes an octave up and down, over its first, at every control tick: ours, and with
/// displacement and velocity left alone at every retune (its step is a rotation, written out here).
fn restless() -> [Vec<(f64, f64)>; 2] {
    let (swings_hz, low_hz, ticks) = (30.0, 220.0, 1_500u32);
    let course = |t: f64| 1.0 - (2.0 * (t * swings_hz).fract() - 1.0).abs();
    let points: Vec<String> = (0..=60).map(|i| format!("[{:.9}, {}]", f64::from(i) / 60.0, i % 2)).collect();
    let mut engine = engine(&format!(
        "body.x = {{ type = \"modal\", modes = [{{ freq_hz = {low_hz}, mass_kg = 1.0 }}], \
         morph = {{ modes = [{{ freq_hz = {}, mass_kg = 1.0 }}] }} }}\nevent = [{{ at_s = 0.0, hit = \"x\", impulse_n_s = 1.0 }}]\n\
         tap = [{{ of = \"x\" }}]\ndrive = [{{ path = \"x/morph_01\", points = [{}] }}]",
        2.0 * low_hz,
        points.join(", ")
    ));
    let mut out = [0.0f32; 32];
    let (mut q, mut p, step_s) = (0.0f64, 1.0f64, 32.0 / RATE_HZ);
    let (mut ours, mut left_alone) = (Vec::new(), Vec::new());
    for tick in 0..ticks {
        engine.render(&[], &mut Queue::new(), &mut out);
        let t = f64::from(tick) * step_s;
        let w = TAU * low_hz * 2f64.powf(course(t));
        let (sin, cos) = (w * step_s).sin_cos();
        (q, p) = (q * cos + p / w * sin, p * cos - w * q * sin);
        ours.push((t, 10.0 * (engine.energy() / 0.5).log10()));
        left_alone.push((t, 10.0 * (p * p + w * w * q * q).log10()));
    }
    [ours, left_alone]
}

#[test]
fn partials_follow_the_law_on_their_way_and_a_restless_morph_keeps_the_energy() {
    let mut left = Panel { legend: Corner::TopRight, ..Panel::new("on the way", "time, s", "frequency, Hz") };
    for (index, (from, to)) in [(376.0, 567.0), (1_036.0, 1_562.0), (2_031.0, 700.0)].into_iter().enumerate() {
        let law = |t: f64| from * f64::powf(to / from, ((t - 0.1) / 0.5).clamp(0.0, 1.0));
        let found = pitch(&glide(from, to));
        for &(t, hz) in &found {
            // A control interval is 0.67 ms: 0.14 % of the way; the bends at both ends lie inside one measurement.
            assert!((hz / law(t) - 1.0).abs() < 0.01, "{hz} Hz for {} at {t} s", law(t));
        }
        let curve = (0..=140).map(|i| f64::from(i) * 0.005).map(|t| (t, law(t))).collect();
        let some = found.iter().step_by(1 + found.len() / 40).copied().collect();
        let name = |what: &str| if index == 0 { what.to_string() } else { String::new() };
        left = left.with(Series::new(name("law"), 0, Look::Line, curve)).with(Series::new(
            name("ours"),
            1,
            Look::Dots,
            some,
        ));
    }
    let [ours, left_alone] = restless();
    assert!(ours.iter().all(|(_, db)| db.abs() < 1e-9), "energy changed");
    let pumped = left_alone.iter().fold(0.0f64, |m, (_, db)| m.max(*db));
    assert!(pumped > 3.0, "without [morph.3] the mode would be pumped: {pumped}");
    let thin = |data: &[(f64, f64)]| data.iter().step_by(3).copied().collect::<Vec<_>>();
    let right = Panel { legend: Corner::BottomRight, ..Panel::new("thirty octaves a second", "time, s", "energy, dB") }
        .with(Series::new("q and p left alone", 2, Look::Line, thin(&left_alone)))
        .with(Series::new("ours", 1, Look::Line, thin(&ours)));
    let title = "Morphing: the way between two bodies".into();
    let png = Figure { title, panels: vec![left, right] }.png().unwrap();
    assert_shipped(&png, &PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/models/morph.png"));
}
