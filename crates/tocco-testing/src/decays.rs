// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast sound dies in a room: octave filters, the backward integral, the slope that ISO 3382 reads from it.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};

/// Through an octave filter: Butterworth of order 6 at both borders.
pub fn octave(centre_hz: f64, rate_hz: f64, x: &[f64]) -> Vec<f64> {
    let mut y = x.to_vec();
    for (border_hz, high) in [(centre_hz / 2f64.sqrt(), true), (centre_hz * 2f64.sqrt(), false)] {
        for q in [0.517_638_090, FRAC_1_SQRT_2, 1.931_851_653] {
            let w = TAU * (border_hz / rate_hz).min(0.49);
            let (alpha, c) = (w.sin() / (2.0 * q), w.cos());
            let (b0, b1) = if high { (0.5 * (1.0 + c), -(1.0 + c)) } else { (0.5 * (1.0 - c), 1.0 - c) };
            let a0 = 1.0 + alpha;
            let (mut s1, mut s2) = (0.0, 0.0);
            for v in &mut y {
                let out = b0 * *v / a0 + s1;
                s1 = (b1 * *v + 2.0 * c * out) / a0 + s2;
                s2 = (b0 * *v - (1.0 - alpha) * out) / a0;
                *v = out;
            }
        }
    }
    y
}

/// Energy that is still to come, dB of all of it, as (s, dB), over several answers of one room.
pub fn backward_db(all: &[Vec<f64>], rate_hz: f64) -> Vec<(f64, f64)> {
    let frames = all[0].len();
    let mut left = vec![0.0; frames + 1];
    for i in (0..frames).rev() {
        left[i] = left[i + 1] + all.iter().map(|x| x[i] * x[i]).sum::<f64>();
    }
    let db = |(i, e): (usize, &f64)| (i as f64 / rate_hz, 10.0 * (e / left[0]).log10());
    left[..frames].iter().enumerate().map(db).collect()
}

/// Time of decay by 60 dB, s: a line from -5 to -35 dB of the backward integral.
pub fn t30_s(decay_db: &[(f64, f64)]) -> f64 {
    let points: Vec<&(f64, f64)> = decay_db.iter().filter(|(_, db)| (-35.0..=-5.0).contains(db)).collect();
    let n = points.len() as f64;
    let mean = points.iter().fold((0.0, 0.0), |m, p| (m.0 + p.0 / n, m.1 + p.1 / n));
    let (up, down) = points
        .iter()
        .fold((0.0, 0.0), |s, p| (s.0 + (p.0 - mean.0) * (p.1 - mean.1), s.1 + (p.0 - mean.0) * (p.0 - mean.0)));
    -60.0 * down / up
}
