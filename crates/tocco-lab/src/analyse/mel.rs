// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far two sounds are apart to an ear: root mean square difference of their log-mel spectrograms, dB.
//!
//! Both begin at their onsets and are brought to the same energy. Levels are cut off 60 dB below the louder one's
//! strongest cell: lower down is the room and its noise, which no body has.

use realfft::RealFftPlanner;
use tocco::math::{PI, cos, log10, pow};

/// Bands.
pub const BANDS: usize = 40;
const LOWEST_HZ: f64 = 60.0;
const HIGHEST_HZ: f64 = 16_000.0;
const WINDOW_S: f64 = 0.025;
/// From row to row, s.
pub const HOP_S: f64 = 0.010;
/// Levels so far below the strongest cell are heard, dB.
pub const RANGE_DB: f64 = 60.0;

/// The mel scale (O'Shaughnessy 1987).
fn mel(hz: f64) -> f64 {
    2595.0 * log10(1.0 + hz / 700.0)
}

fn hz_of(mel: f64) -> f64 {
    700.0 * (pow(10.0, mel / 2595.0) - 1.0)
}

/// Lower corner, middle and upper corner of each band, Hz.
pub fn corners(rate_hz: f64) -> [[f64; 3]; BANDS] {
    let top = HIGHEST_HZ.min(0.48 * rate_hz);
    let edge = |i: usize| hz_of(mel(LOWEST_HZ) + (mel(top) - mel(LOWEST_HZ)) * i as f64 / (BANDS + 1) as f64);
    core::array::from_fn(|band| [edge(band), edge(band + 1), edge(band + 2)])
}

/// Energies in mel bands, one row per 10 ms.
pub fn rows(samples: &[f64], rate_hz: f64) -> Vec<[f64; BANDS]> {
    let (window, hop) = ((WINDOW_S * rate_hz) as usize, (HOP_S * rate_hz) as usize);
    let size = window.next_power_of_two();
    let fft = RealFftPlanner::<f64>::new().plan_fft_forward(size);
    let (mut input, mut output) = (fft.make_input_vec(), fft.make_output_vec());
    let corners = corners(rate_hz);
    let hann: Vec<f64> = (0..window).map(|n| 0.5 - 0.5 * cos(2.0 * PI * n as f64 / window as f64)).collect();
    let mut all = Vec::new();
    // The first window is centred on the onset.
    let lead = window / 2;
    for at in (0..samples.len()).step_by(hop) {
        input.fill(0.0);
        for (n, w) in hann.iter().enumerate() {
            input[n] = (at + n).checked_sub(lead).and_then(|i| samples.get(i)).map_or(0.0, |x| x * w);
        }
        // The buffers came from the plan.
        let _ = fft.process(&mut input, &mut output);
        let mut row = [0.0; BANDS];
        for (bin, value) in output.iter().enumerate() {
            let hz = bin as f64 * rate_hz / size as f64;
            for (energy, [low, middle, high]) in row.iter_mut().zip(&corners) {
                let share = ((hz - low) / (middle - low)).min((high - hz) / (high - middle));
                *energy += value.norm_sqr() * share.max(0.0);
            }
        }
        all.push(row);
    }
    all
}

/// Distance in dB of two sounds that both begin at their onset, over the length of the shorter, at equal energy.
pub fn distance_db(a: &[f64], b: &[f64], rate_hz: f64) -> f64 {
    let length = a.len().min(b.len());
    let energy = |x: &[f64]| x[..length].iter().map(|x| x * x).sum::<f64>().max(1e-30);
    let gain = (energy(a) / energy(b)).sqrt();
    let levelled: Vec<f64> = b[..length].iter().map(|x| gain * x).collect();
    let (rows_a, rows_b) = (rows(&a[..length], rate_hz), rows(&levelled, rate_hz));
    let top = rows_a.iter().chain(&rows_b).flatten().copied().fold(1e-30, f64::max);
    let floor = top * pow(10.0, -0.1 * RANGE_DB);
    let level = |e: f64| 10.0 * log10(e.max(floor));
    // Cells where both are below hearing say nothing: they would dilute the distance of short sounds.
    let (mut sum, mut cells) = (0.0, 0);
    for (x, y) in rows_a.iter().flatten().zip(rows_b.iter().flatten()) {
        if x.max(*y) > floor {
            sum += (level(*x) - level(*y)) * (level(*x) - level(*y));
            cells += 1;
        }
    }
    (sum / f64::from(cells.max(1))).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(hz: f64, decay_s: f64, gain: f64) -> Vec<f64> {
        (0..24_000)
            .map(|n| {
                let t = f64::from(n) / 48_000.0;
                gain * (-t / decay_s).exp() * (2.0 * PI * hz * t).sin()
            })
            .collect()
    }

    #[test]
    fn a_sound_is_at_no_distance_from_itself_at_another_level_and_far_from_another_pitch() {
        let a = ring(800.0, 0.1, 0.5);
        assert!(distance_db(&a, &ring(800.0, 0.1, 0.05), 48_000.0) < 1e-6);
        let (near, far) =
            (distance_db(&a, &ring(800.0, 0.12, 0.5), 48_000.0), distance_db(&a, &ring(2400.0, 0.1, 0.5), 48_000.0));
        assert!(near > 0.5 && near < 8.0 && far > 3.0 * near, "{near} {far}");
    }
}
