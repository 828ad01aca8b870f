// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws the figure of docs/models/tail.md and checks its claims. `TOCCO_BLESS=1 cargo test -p tocco-lab --test figure_tail` writes the
//! picture.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::f64::consts::PI;
use std::path::PathBuf;
use tocco::resonator::modal::tail::Count;
use tocco::resonator::shape::{MaterialDef, ShapeDef, evaluate};
use tocco::{Engine, Queue, Scene, SceneDef};
use tocco_lab::plot::{Corner, Figure, Look, Panel, Series};
use tocco_testing::pictures::assert_shipped;

/// Where the plate is struck and heard.
const PLACES: [[f64; 4]; 4] =
    [[0.42, 0.37, 0.23, 0.31], [0.13, 0.44, 0.71, 0.19], [0.31, 0.17, 0.57, 0.39], [0.87, 0.29, 0.36, 0.62]];

/// Frequency and power of third octaves of the struck plate, over all places.
fn spectrum(modes: &str) -> Vec<(f64, f64)> {
    let mut sum = heard(modes, PLACES[0]);
    for place in &PLACES[1..] {
        sum.iter_mut().zip(heard(modes, *place)).for_each(|(all, one)| all.1 += one.1);
    }
    sum
}

/// log10 of frequency and level, dB over a power.
fn levels(rows: &[(f64, f64)], full: f64) -> Vec<(f64, f64)> {
    rows.iter().map(|(freq_hz, power)| (freq_hz.log10(), 10.0 * (power / full).log10())).collect()
}

fn heard(modes: &str, [x, y, u, v]: [f64; 4]) -> Vec<(f64, f64)> {
    let text = format!(
        "[body.plate]\ntype = \"shape\"\nshape = \"rectangular-plate\"\nedges = \"supported\"\nlength_m = 0.5\nwidth_m = 0.4\n\
         thickness_m = 0.003\nmaterial = \"steel\"\n{modes}\n[body.plate.port]\nhere = [{x}, {y}]\nthere = [{u}, {v}]\n\
         [[event]]\nat_s = 0.0\nhit = \"plate.here\"\nimpulse_n_s = 0.01\n[[tap]]\nof = \"plate.there\"\n"
    );
    let def = SceneDef::from_text(&text).unwrap();
    let mut engine = Engine::new(Scene::build(&def, 48_000.0).unwrap());
    let mut out = vec![0.0_f32; 8_192];
    engine.render(&[], &mut Queue::new(), &mut out);
    let mut rows = Vec::new();
    for band in 0..21 {
        let centre_hz = 160.0 * 2.0_f64.powf(f64::from(band) / 3.0);
        let (low, high) = (centre_hz / 2.0_f64.powf(1.0 / 6.0), centre_hz * 2.0_f64.powf(1.0 / 6.0));
        // A line for every 12 Hz, which a window of 0.17 s tells apart.
        let lines = ((high - low) / 12.0).ceil() as usize;
        let mut power = 1e-30;
        for line in 0..lines {
            let freq_hz = low + (high - low) * (line as f64 + 0.5) / lines as f64;
            let turn = 2.0 * PI * freq_hz / 48_000.0;
            let (mut re, mut im, mut c, mut s) = (0.0, 0.0, 1.0, 0.0);
            let (dc, ds) = (turn.cos(), turn.sin());
            for (i, x) in out.iter().enumerate() {
                let window = 0.5 + 0.5 * (PI * i as f64 / out.len() as f64).cos();
                re += window * f64::from(*x) * c;
                im += window * f64::from(*x) * s;
                (c, s) = (c * dc - s * ds, s * dc + c * ds);
            }
            power += re * re + im * im;
        }
        rows.push((centre_hz, power));
    }
    rows
}

#[test]
fn tail_a_plate_of_40_modes_goes_on_as_one_of_160() {
    let (few, tail, many) = (spectrum("modes = 40"), spectrum("modes = 40\ntail = true"), spectrum("modes = 160"));
    let above = |rows: &[(f64, f64)]| {
        10.0 * rows.iter().filter(|row| (3_500.0..6_500.0).contains(&row.0)).map(|row| row.1).sum::<f64>().log10()
    };
    assert!((above(&tail) - above(&many)).abs() < 5.0, "{} {}", above(&tail), above(&many));
    assert!(above(&few) < above(&many) - 15.0, "{} {}", above(&few), above(&many));
    let mut heard = Panel {
        legend: Corner::BottomLeft,
        ..Panel::new("a struck steel plate, third octaves", "log10 of frequency in Hz", "dB")
    };
    heard.y_range = Some((-60.0, 10.0));
    let full = many.iter().fold(0.0_f64, |most, row| most.max(row.1));
    let [few, tail, many] = [few, tail, many].map(|rows| levels(&rows, full));
    heard = heard.with(Series::new("160 modes", 0, Look::Dashed, many));
    heard = heard.with(Series::new("40 modes", 1, Look::Line, few));
    heard = heard.with(Series::new("40 modes and a tail", 2, Look::Line, tail));

    let plate =
        ShapeDef::new("rectangular-plate", MaterialDef::Named("steel")).unwrap().with_word("edges", "supported");
    let plate = plate.with("length_m", 0.5).with("width_m", 0.4).with("thickness_m", 0.003).with_modes(1000);
    let freqs: Vec<f64> = evaluate(&plate, &[], 20_000.0).unwrap().modes.iter().map(|mode| mode.freq_hz).collect();
    let count = Count::of(&freqs[..40]).unwrap();
    let all = freqs.len() as f64;
    assert!((count.below(20_000.0) / all - 1.0).abs() < 0.15, "{} {all}", count.below(20_000.0));
    let true_count = freqs.iter().enumerate().map(|(k, hz)| (hz.log10(), (k as f64 + 1.0).log10())).collect();
    let guessed = (0..40).map(|i| {
        let hz = freqs[39] * (20_000.0 / freqs[39]).powf(f64::from(i) / 39.0);
        (hz.log10(), count.below(hz).log10())
    });
    let mut counts = Panel {
        legend: Corner::BottomRight,
        ..Panel::new("modes below a frequency", "log10 of frequency in Hz", "log10 of their number")
    };
    counts = counts.with(Series::new("all modes", 0, Look::Dots, true_count));
    counts = counts.with(Series::new("from the first 40", 2, Look::Line, guessed.collect()));
    let figure = Figure { title: "Above the last mode".into(), panels: vec![heard, counts] };
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/models/tail.png");
    assert_shipped(&figure.png().unwrap(), &docs);
}
