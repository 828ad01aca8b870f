// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws the figure of docs/models/bending.md from the shipped scenes and checks what the page says of them.
//! `TOCCO_BLESS=1 cargo test -p tocco-lab --test figure_bending` writes the picture.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::PathBuf;
use tocco::{Engine, Queue, Scene, SceneDef};
use tocco_lab::library;
use tocco_lab::plot::{Corner, Figure, Look, Panel, Series};
use tocco_testing::pictures::assert_shipped;

const RATE_HZ: f64 = 44_100.0;

fn built(text: &str) -> Engine {
    Engine::new(Scene::build(&SceneDef::from_text(text).unwrap(), RATE_HZ).unwrap())
}

/// Centroid of the energy of the modes of the gong, Hz, from its first blow, of this speed, to its second.
fn brightness(text: &str, speed_m_s: &str, stiffens: bool) -> Vec<(f64, f64)> {
    let text = text.replace("velocity_m_s = 0.5", &format!("velocity_m_s = {speed_m_s}")).replace("vary_01 = 0.2", "");
    // Without stretching there is nothing for its control to move; controls stand last.
    let linear = text.split("[[control]]").next().unwrap().replace("stiffens = true", "");
    let mut engine = built(if stiffens { &text } else { &linear });
    let body = engine.scene().directory().body("gong").unwrap();
    let (_, modes) = engine.scene().modes().into_iter().find(|(name, _)| name == "gong").unwrap();
    let mut energies = vec![0.0; modes.len()];
    let frames = |seconds: f64| vec![0.0; engine.scene().channels() * (seconds * RATE_HZ) as usize];
    let (mut first, mut next) = (frames(0.1), frames(0.05));
    engine.render(&[], &mut Queue::new(), &mut first);
    (1..=28)
        .map(|i| {
            engine.render(&[], &mut Queue::new(), &mut next);
            engine.mode_energies(body, &mut energies);
            let sounding = || energies.iter().zip(&modes).skip(3);
            let sum: f64 = sounding().map(|(e, _)| e).sum();
            (0.05 * f64::from(i), sounding().map(|(e, mode)| e * mode.freq_hz).sum::<f64>() / sum)
        })
        .collect()
}

fn scenes() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenes")
}

#[test]
fn a_gong_struck_hard_grows_brighter_and_one_struck_softly_does_not() {
    let text = library::read(&scenes().join("gong-hard.toml")).unwrap();
    let mut left =
        Panel { legend: Corner::TopRight, ..Panel::new("a gong of 80 cm", "time, s", "centroid of the energy, Hz") };
    let all = [("6 m/s", "6.0", true), ("6 m/s, linear", "6.0", false), ("0.3 m/s", "0.3", true)];
    let mut found = Vec::new();
    for (colour, (name, speed, stiffens)) in all.into_iter().enumerate() {
        let curve = brightness(&text, speed, stiffens);
        left = left.with(Series::new(name, colour, Look::Line, curve.clone()));
        found.push(curve);
    }
    // Late values of one blow are chaotic: the mean of five about as hard.
    let others = ["5.6", "5.8", "6.2", "6.4"].map(|speed| brightness(&text, speed, true));
    let hard = |i: usize| (others.iter().map(|curve| curve[i].1).sum::<f64>() + found[0][i].1) / 5.0;
    let [first, early, half] = [0, 3, 9].map(hard);
    println!("hard: {first:.0}, {early:.0}, {half:.0} Hz after 0.05, 0.2 and 0.5 s, then {:.0?}", [14, 19].map(hard));
    assert!(early > first && half > early, "{first} {early} {half}");
    assert!((10..20).map(hard).sum::<f64>() / 10.0 > 1.2 * first, "{:?}", (0..20).map(hard).collect::<Vec<_>>());
    let soft = |i: usize| found[2][i].1;
    assert!((0..20).all(|i| (soft(i) / soft(0) - 1.0).abs() < 0.1), "soft: {:?}", found[2]);
    let figure = Figure { title: "Bending back: brighter after the blow".into(), panels: vec![left] };
    assert_shipped(
        &figure.png().unwrap(),
        &PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/models/bending.png"),
    );
}
