// SPDX-License-Identifier: MIT OR Apache-2.0
//! Losses of the materials beside decays of recorded strikes.

use tocco::resonator::material::{MATERIALS, Material};

/// The strongest modes of recorded strikes: label, recording, Hz, s. Where they come from is said in the file.
const DECAYS: &str = include_str!("decays.tsv");

/// Logarithms of frequency and decay of the modes of some labels, by recording.
fn recorded(labels: &[&str]) -> Vec<Vec<[f64; 2]>> {
    let mut all: Vec<(&str, Vec<[f64; 2]>)> = Vec::new();
    for line in DECAYS.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [label, recording, freq_hz, decay_s] = cells[..] else { panic!("{line}") };
        if labels.contains(&label) {
            if all.last().is_none_or(|last| last.0 != recording) {
                all.push((recording, Vec::new()));
            }
            let mode = [freq_hz, decay_s].map(|number| number.parse::<f64>().unwrap().ln());
            all.last_mut().unwrap().1.push(mode);
        }
    }
    all.into_iter().map(|(_, modes)| modes).collect()
}

/// Slope of the straight line through points, and its standard error where so many constants were fitted besides.
fn slope(points: &[[f64; 2]], constants: usize) -> (f64, f64) {
    let n = points.len() as f64;
    let [x, y] = [0, 1].map(|i| points.iter().map(|p| p[i]).sum::<f64>() / n);
    let xx: f64 = points.iter().map(|p| (p[0] - x).powi(2)).sum();
    let slope = points.iter().map(|p| (p[0] - x) * (p[1] - y)).sum::<f64>() / xx;
    let left: f64 = points.iter().map(|p| (p[1] - y - slope * (p[0] - x)).powi(2)).sum();
    (slope, (left / (n - 1.0 - constants as f64) / xx).sqrt())
}

/// The same of what recordings have in common: each has a level of its own.
fn slope_within(recordings: &[Vec<[f64; 2]>]) -> (f64, f64) {
    let mut all = Vec::new();
    for modes in recordings {
        let n = modes.len() as f64;
        let [x, y] = [0, 1].map(|i| modes.iter().map(|p| p[i]).sum::<f64>() / n);
        all.extend(modes.iter().map(|p| [p[0] - x, p[1] - y]));
    }
    slope(&all, recordings.len())
}

/// Power of frequency by which a material's decay falls.
fn power(material: &Material) -> f64 {
    (material.decay_s(4_000.0) / material.decay_s(500.0)).ln() / 8f64.ln()
}

/// How far a material may be from recordings, in powers of frequency.
const CLOSE: f64 = 0.2;

#[test]
fn woods_decay_by_the_power_of_frequency_by_which_recorded_ones_do() {
    let bars = ["marimba", "xylophone"];
    for (labels, woods) in
        [(&["woodblock"][..], &["spruce", "pine", "maple", "oak"][..]), (&bars[..], &["rosewood"][..])]
    {
        let modes = recorded(labels).concat();
        let (found, error) = slope(&modes, 1);
        println!("{labels:?}: {} modes, f^{found:.2} +- {error:.2}", modes.len());
        assert!(modes.len() >= 80 && error < CLOSE, "{} {error}", modes.len());
        for wood in woods {
            let ours = power(&Material::named(wood).unwrap().material);
            assert!((ours - found).abs() < CLOSE, "{wood}: f^{ours:.2}, recorded f^{found:.2}");
        }
    }
}

#[test]
fn metals_decay_by_the_power_of_frequency_by_which_recorded_ones_do_each_with_a_level_of_its_own() {
    let recordings = recorded(&["anvil_metal", "triangle", "glockenspiel", "tubular"]);
    let modes: usize = recordings.iter().map(Vec::len).sum();
    let (found, error) = slope_within(&recordings);
    println!("{modes} modes of {} recordings, f^{found:.2} +- {error:.2}", recordings.len());
    assert!(modes >= 150 && error < CLOSE, "{modes} {error}");
    for entry in MATERIALS.iter().filter(|entry| entry.class.contains("metal")) {
        let ours = power(&entry.material);
        assert!((ours - found).abs() < CLOSE, "{}: f^{ours:.2}, recorded f^{found:.2}", entry.id);
    }
}
