// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws the figure of docs/models/room.md and checks its claims. `TOCCO_BLESS=1 cargo test -p tocco-lab --test figure_room`
//! writes the picture.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::f64::consts::TAU;
use std::path::PathBuf;
use tocco::output::air::Air;
use tocco::{Document, Engine, Queue, Scene, SceneDef};
use tocco_lab::plot::{Corner, Figure, Look, Panel, Series};
use tocco_lab::render::{Plan, perform};
use tocco_testing::decays::{backward_db, octave, t30_s};
use tocco_testing::pictures::assert_shipped;

const RATE_HZ: f64 = 48_000.0;
const T60_S: [f64; 7] = [0.9, 0.8, 0.7, 0.6, 0.55, 0.5, 0.4];

/// A click of one sample on the left, into an output.
fn click(output: &str) -> String {
    format!(
        "body.hand = {{ type = \"guided\", velocity_m_s = 0.0 }}\ntap = [{{ of = \"hand\" }}]\n\
         drive = [{{ path = \"hand/velocity_m_s\", input = 0 }}]\n[output.main]\nchannels = [0, 1]\n{output}"
    )
}

/// What comes out, a list for each channel.
fn heard(output: &str, frames: usize) -> [Vec<f64>; 2] {
    let def = SceneDef::from_text(&click(output)).unwrap();
    let mut engine = Engine::new(Scene::build(&def, RATE_HZ).unwrap());
    let mut input = vec![0.0; frames];
    input[0] = 1.0;
    let mut out = vec![0.0; 2 * frames];
    engine.render(&[&input], &mut Queue::new(), &mut out);
    [0, 1].map(|c| out.iter().skip(c).step_by(2).map(|x| f64::from(*x)).collect())
}

#[test]
fn room_each_octave_band_dies_as_told_and_air_takes_the_highs() {
    let room = format!("room = {{ volume_m3 = 60.0, t60_s = {T60_S:?}, wet_01 = 1.0 }}");
    let all = heard(&room, RATE_HZ as usize);
    let mut decays = Panel { legend: Corner::TopRight, ..Panel::new("energy still to come, 60 m3", "time, s", "dB") };
    (decays.x_range, decays.y_range) = (Some((0.0, 0.9)), Some((-60.0, 0.0)));
    for (band, colour) in [(0, 1), (3, 2), (6, 3)] {
        let centre_hz = 125.0 * f64::from(1 << band);
        let curve = backward_db(&all.each_ref().map(|x| octave(centre_hz, RATE_HZ, x)), RATE_HZ);
        let read_s = t30_s(&curve);
        assert!((read_s / T60_S[band] - 1.0).abs() < 0.05, "{centre_hz} Hz: {read_s} s");
        let thin = curve.iter().step_by(240).copied().collect();
        decays = decays.with(Series::new(format!("{centre_hz} Hz, T = {read_s:.2} s"), colour, Look::Line, thin));
        let told = vec![(0.0, 0.0), (T60_S[band], -60.0)];
        let name = if band == 6 { "as told" } else { "" };
        decays = decays.with(Series::new(name, 0, Look::Dashed, told));
    }
    let mut air =
        Panel { legend: Corner::BottomLeft, ..Panel::new("loss on the way", "log10 of frequency in Hz", "dB") };
    for (distance_m, colour) in [(30.0_f64, 2), (100.0, 1)] {
        let [left, _] = heard(&format!("distance_m = {distance_m:?}"), 8192);
        let level_db = |freq_hz: f64| {
            let angle = |n: usize| TAU * freq_hz / RATE_HZ * n as f64;
            let (re, im) = left
                .iter()
                .enumerate()
                .fold((0.0, 0.0), |(re, im), (n, x)| (re + x * angle(n).cos(), im + x * angle(n).sin()));
            10.0 * (re * re + im * im).log10() + 20.0 * distance_m.log10()
        };
        let places: Vec<f64> = (0..=60).map(|i| 200.0 * 50f64.powf(f64::from(i) / 60.0)).collect();
        let law = |freq_hz: f64| -Air::default().loss_db_m(freq_hz) * (distance_m - 1.0);
        let curve: Vec<(f64, f64)> = places.iter().map(|f| (f.log10(), level_db(*f))).collect();
        assert!(places.iter().filter(|f| **f < 8e3).all(|f| (level_db(*f) - law(*f)).abs() < 1.0));
        air = air.with(Series::new(format!("{distance_m} m"), colour, Look::Line, curve));
        let name = if distance_m == 100.0 { "ISO 9613-1" } else { "" };
        let law = places.iter().map(|f| (f.log10(), law(*f))).collect();
        air = air.with(Series::new(name, 0, Look::Dashed, law));
    }
    let png = Figure { title: "A room, and the air".into(), panels: vec![decays, air] }.png().unwrap();
    assert_shipped(&png, &PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/models/room.png"));
}

#[test]
fn an_automatic_length_waits_for_the_tail_of_the_room() {
    let length_s = |output: &str| {
        let text = format!(
            "body.bar = {{ type = \"modal\", modes = [{{ freq_hz = 700.0, decay_s = 0.01, mass_kg = 0.05 }}] }}\n\
             event = [{{ at_s = 0.0, hit = \"bar\", impulse_n_s = 0.01 }}]\ntap = [{{ of = \"bar\" }}]\n\
             [output.main]\nchannels = [0, 1]\n{output}"
        );
        let plan = Plan::new(Document::read("room", "room", text, |_| Err("no recordings".into())).unwrap());
        let mut engine = Engine::new(plan.build().unwrap());
        let done = perform(&plan, &mut engine, 0, &mut |_| (), &mut |_, _| Ok(())).unwrap();
        done.frames as f64 / plan.rate_hz
    };
    let (dry_s, wet_s) = (length_s(""), length_s("room = { volume_m3 = 60.0, t60_s = 1.5, wet_01 = 0.5 }"));
    // 90 dB below the peak, of which the tail begins some 20 to 30 below.
    assert!(dry_s < 0.5 && (1.5..2.8).contains(&wet_s), "{dry_s} s, {wet_s} s");
}
