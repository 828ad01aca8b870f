// SPDX-License-Identifier: MIT OR Apache-2.0
//! Struck scenes beside recordings, all together: what the middle of them has of what tells a real blow, how long wood, a gong and a window
//! ring, and how much repeated strokes differ. docs/compare.md says what recordings have.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use tocco_lab::compare::describe::{ALL, Described, OCTAVES_HZ};
use tocco_lab::compare::of_scene;
use tocco_lab::parallel;

/// Struck scenes whose first sound is one blow on one thing.
const STRUCK: [&str; 35] = [
    "bar",
    "bell",
    "bowl",
    "clink",
    "coin",
    "counter-bell",
    "cradle",
    "crystal-glasses",
    "door",
    "felt",
    "frame-drum",
    "glockenspiel",
    "gong",
    "gong-hard",
    "hammered-string",
    "kalimba",
    "lithophone",
    "loose-string",
    "marimba",
    "plate",
    "rosewood-bars",
    "saucer",
    "spanner",
    "spoon",
    "spring-drum",
    "steel-bar",
    "steeple",
    "thunder-sheet",
    "timpani",
    "tom",
    "tubes",
    "window",
    "wire",
    "woodbar",
    "woodblock",
];

/// Of those, the ones that strike the same place of the same thing again with the same hammer.
const REPEATED: [&str; 10] =
    ["bar", "bell", "counter-bell", "door", "felt", "saucer", "spoon", "steeple", "timpani", "tom"];

fn value(described: &Described, id: &str) -> Option<f64> {
    described.values[ALL.iter().position(|descriptor| descriptor.id == id).unwrap()]
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[test]
fn struck_scenes_have_what_recordings_of_blows_have() {
    let folder = tempfile::tempdir().unwrap();
    let all = parallel::run(STRUCK.len(), parallel::cores(), |index| of_scene(STRUCK[index], folder.path())).unwrap();
    let of = |scene: &str| &all[STRUCK.iter().position(|name| *name == scene).unwrap()];
    let mut missed = Vec::new();
    let mut row = |what: &str, value: f64, low: f64, high: f64| {
        println!("{what}: {value:.3e} (wants {low} to {high})");
        if !(low..=high).contains(&value) {
            missed.push(format!("{what}: {value:.3e}, not {low} to {high}"));
        }
    };
    let of_all = |id: &str| middle(all.iter().filter_map(|described| value(described, id)).collect());
    // Recordings: 59 peaks, -47 dB, -27 dB, 816 Hz; half and twice, 5 dB, 10 dB, two thirds and half as much again.
    row("peaks", of_all("peaks"), 29.5, 118.0);
    row("between the modes, dB", of_all("between_db"), -52.0, -42.0);
    row("above 5 kHz, dB", of_all("high_db"), -37.0, -17.0);
    row("centroid at 200 ms, Hz", of_all("centroid_hz"), 544.0, 1224.0);
    // Recordings of all kinds have 2e-3, and those of the kinds that these scenes are of 1e-4; half of that.
    row("flatness", of_all("flatness"), 4.5e-5, 2e-2);
    // The table's own ranges.
    for wood in ["woodblock", "woodbar", "marimba", "rosewood-bars", "door"] {
        row(&format!("{wood}, T60 from 2 to 4 kHz, s"), value(of(wood), "t60_2k_s").unwrap(), 0.22, 0.72);
    }
    for low_hz in [2_000.0, 4_000.0] {
        let octave = OCTAVES_HZ.iter().position(|hz| *hz == low_hz).unwrap();
        row(&format!("gong, T60 from {low_hz} Hz, s"), of("gong").octaves_s[octave].unwrap(), 3.8, 5.9);
    }
    row("window, T60, s", value(of("window"), "t60_s").unwrap(), 0.3, 1.0);
    let strokes: Vec<f64> = REPEATED.iter().map(|scene| value(of(scene), "strokes_db").unwrap()).collect();
    println!("{strokes:.2?}");
    // The table's 2.6 to 3.7, and 0.3 dB to each side.
    row("repeated strokes, dB", middle(strokes), 2.3, 4.0);
    assert!(missed.is_empty(), "{missed:#?}");
}
