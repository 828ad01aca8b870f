// SPDX-License-Identifier: MIT OR Apache-2.0
//! Avanzini et al. 2002: the cello D string by itself, that of figures 6 and 7 without its bow.

use super::blow::RATE_HZ;
use super::bow::{FREQ_HZ, INHARMONICITY, QUALITY, string_body};
use super::rub::{head, play};
use super::{Csv, Outcome};
use crate::plot::{Corner, Figure, Look, Panel, Series};
use std::f64::consts::{PI, TAU};

const DURATION_S: f64 = 1.5;
/// The partials that are shown.
const SHOWN: usize = 20;
/// Part of a second between two looks at a partial, and the length of a look.
const LAG_S: f64 = 0.02;
const LOOK_S: f64 = 0.3;

/// Complex amplitude of a frequency in a smooth look at the sound from a time on.
fn amplitude(sound: &[f64], freq_hz: f64, from_s: f64) -> (f64, f64) {
    let (from, length) = ((from_s * RATE_HZ) as usize, (LOOK_S * RATE_HZ) as usize);
    let look = sound[from..from + length].iter().enumerate();
    look.fold((0.0, 0.0), |(re, im), (n, x)| {
        let t = n as f64 / length as f64;
        let (sin, cos) = (TAU * freq_hz * (from + n) as f64 / RATE_HZ).sin_cos();
        let weight = x * (PI * t).sin().powi(4);
        (re + weight * cos, im - weight * sin)
    })
}

/// Frequency, Hz, and quality of the partial near a frequency: what turns and fades between two looks.
fn partial(sound: &[f64], near_hz: f64) -> (f64, f64) {
    let [(a, b), (c, d)] = [0.02, 0.02 + LAG_S].map(|from_s| amplitude(sound, near_hz, from_s));
    let turned = (d * a - c * b).atan2(a * c + b * d);
    let freq_hz = near_hz + turned / (TAU * LAG_S);
    let rate = (a.hypot(b) / c.hypot(d)).ln() / LAG_S;
    (freq_hz, PI * freq_hz / rate)
}

/// Pitch, quality and stretched partials of the string, struck near its end.
pub fn string() -> Result<Outcome, String> {
    let scene = head("Avanzini 2002: the cello D string, struck", DURATION_S)
        + &string_body(0.041)
        + "[[event]]\nat_s = 0.0\nhit = \"string.bow_point\"\nimpulse_n_s = 1e-3\n\n[[tap]]\nof = \"string.bow_point\"\n";
    let sound = play(&scene, DURATION_S, &["string.bow_point.velocity"])?.columns.swap_remove(0);
    let law_hz = |n: f64| FREQ_HZ * n * ((1.0 + INHARMONICITY * n * n) / (1.0 + INHARMONICITY)).sqrt();
    let mut out = Outcome { scene, csv: Csv::new(&["partial", "law_hz", "ours_hz", "quality"]), ..Outcome::default() };
    let (mut measured, mut qualities) = (Vec::new(), Vec::new());
    for n in (1..=SHOWN).map(|n| n as f64) {
        let (freq_hz, quality) = partial(&sound, law_hz(n));
        out.csv.row(&[], &[n, law_hz(n), freq_hz, quality]);
        measured.push((n, 1200.0 * (freq_hz / (n * FREQ_HZ)).log2()));
        qualities.push((n, quality));
    }
    let hz = |at: usize| FREQ_HZ * measured[at].0 * 2f64.powf(measured[at].1 / 1200.0);
    out.within_percent("first partial, Hz", FREQ_HZ, hz(0), 0.05);
    out.within_percent("its quality factor", QUALITY, qualities[0].1, 2.0);
    out.within_percent("quality of the tenth (loss proportional to frequency)", QUALITY, qualities[9].1, 2.0);
    // B = 3e-4 N m^2 with the impedance of physics.md F is an inharmonicity of 5.57e-5.
    for at in [9, SHOWN - 1] {
        let n = measured[at].0;
        let stretch = 1200.0 * (law_hz(n) / (n * FREQ_HZ)).log2();
        out.near(format!("stretch of partial {n}, cents"), stretch, measured[at].1, 0.2, 2);
    }
    out.notes.push(
        "Avanzini 2002 prints pitch, Q and bending stiffness; that Q holds at the tenth partial too is ours".into(),
    );
    let law = (10..=10 * SHOWN).map(|i| i as f64 / 10.0);
    let law = law.map(|n| (n, 1200.0 * (law_hz(n) / (n * FREQ_HZ)).log2())).collect();
    let stretch = Panel { legend: Corner::TopLeft, ..Panel::new("stretched partials", "partial", "cents") };
    let quality = Panel::new("quality factor", "partial", "Q");
    out.figure = Figure {
        title: "Avanzini 2002: the cello D string by itself".into(),
        panels: vec![
            stretch.with(Series::new("stiff string", 7, Look::Line, law)).with(Series::new(
                "ours",
                1,
                Look::Dots,
                measured,
            )),
            quality.with(Series::new("ours", 1, Look::Dots, qualities)),
        ],
    };
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_three_percent_flat_or_of_two_fifths_the_quality_is_told() {
        for (freq_hz, quality) in [(FREQ_HZ, QUALITY), (0.97 * FREQ_HZ, QUALITY), (FREQ_HZ, 0.4 * QUALITY)] {
            let rate = PI * freq_hz / quality;
            let ring = |n: usize| (n as f64 / RATE_HZ, (-rate * n as f64 / RATE_HZ).exp());
            let sound: Vec<f64> = (0..66_150).map(ring).map(|(t, level)| level * (TAU * freq_hz * t).cos()).collect();
            let (found_hz, found) = partial(&sound, FREQ_HZ);
            assert!(
                (found_hz / freq_hz - 1.0).abs() < 5e-4 && (found / quality - 1.0).abs() < 0.02,
                "{found_hz} {found}"
            );
        }
    }
}
