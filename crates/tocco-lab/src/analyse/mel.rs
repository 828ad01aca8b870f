// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far two sounds are apart to an ear: root mean square difference of their log-mel spectrograms, dB.
//!
//! Levels are cut off 60 dB below the louder one's strongest cell: lower down is the room, which no body has. Two strikes are
//! brought to the same energy ([`distance_db`]). A body and the recording of its strike are not, for it should be as loud; there
//! levels are also cut off at the recording's noise, and attack and ring are judged apart ([`Distance`]).

use core::fmt;
use realfft::RealFftPlanner;
use tocco::math::{PI, cos, log10, pow};

/// Bands.
pub const BANDS: usize = 40;
const LOWEST_HZ: f64 = 60.0;
const HIGHEST_HZ: f64 = 16_000.0;
const WINDOW_S: f64 = 0.025;
/// From row to row, s.
pub const HOP_S: f64 = 0.010;
/// The first so many seconds are the attack.
const ATTACK_S: f64 = 0.030;
/// Its windows: short, so that 6 ms of silence are seen.
const ATTACK: Windows = Windows { long_s: 0.008, hop_s: 0.002 };
/// A cell is clear of the noise that has so many times its mean energy: noise alone has it once in 20 000 cells.
const CLEAR: f64 = 10.0;
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
    Windows { long_s: WINDOW_S, hop_s: HOP_S }.rows(samples, rate_hz)
}

/// The windows of a spectrogram.
#[derive(Clone, Copy)]
struct Windows {
    long_s: f64,
    hop_s: f64,
}

impl Windows {
    /// Energies in mel bands; the first window is centred on the first sample.
    fn rows(self, samples: &[f64], rate_hz: f64) -> Vec<[f64; BANDS]> {
        let (window, hop) = ((self.long_s * rate_hz) as usize, (self.hop_s * rate_hz) as usize);
        // Short windows are padded, so that the narrowest band has a bin.
        let size = ((WINDOW_S * rate_hz) as usize).next_power_of_two();
        let fft = RealFftPlanner::<f64>::new().plan_fft_forward(size);
        let (mut input, mut output) = (fft.make_input_vec(), fft.make_output_vec());
        let corners = corners(rate_hz);
        let hann: Vec<f64> = (0..window).map(|n| 0.5 - 0.5 * cos(2.0 * PI * n as f64 / window as f64)).collect();
        let mut all = Vec::new();
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

    /// Rows whose windows lie wholly inside the samples.
    fn full_rows(self, samples: &[f64], rate_hz: f64) -> Vec<[f64; BANDS]> {
        let mut rows = self.rows(samples, rate_hz);
        let cut = (0.5 * self.long_s / self.hop_s).ceil() as usize;
        rows.truncate(rows.len().saturating_sub(cut));
        rows.drain(..cut.min(rows.len()));
        rows
    }
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

/// How far a body is from the recording of its strike, dB: of each part the root mean square over all cells in which one of
/// them stands clear of the recording's noise. 0 if there is no such cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Of the first 30 ms, in windows of 8 ms, one per 2 ms.
    pub attack_db: f64,
    /// Of the rest, in windows of 25 ms, one per 10 ms.
    pub ring_db: f64,
}

impl Distance {
    /// `real` and `body` from the onset on; `noise` is a part of the recording with nothing else in it.
    pub fn between(real: &[f64], body: &[f64], noise: &[f64], rate_hz: f64) -> Self {
        let length = real.len().min(body.len());
        let (real, body) = (&real[..length], &body[..length]);
        let part = |windows: Windows, from: usize, to: usize| {
            let rows = |x: &[f64]| windows.rows(x, rate_hz).into_iter().take(to).collect::<Vec<_>>();
            let (real, body) = (rows(real), rows(body));
            let quiet = windows.full_rows(noise, rate_hz);
            let mean = |band: usize| quiet.iter().map(|row| row[band]).sum::<f64>() / quiet.len().max(1) as f64;
            let noise: [f64; BANDS] = core::array::from_fn(mean);
            let top = real.iter().chain(&body).flatten().copied().fold(1e-30, f64::max);
            let lowest = top * pow(10.0, -0.1 * RANGE_DB);
            let (mut sum, mut cells) = (0.0, 0);
            for (x, y) in real.iter().zip(&body).skip(from) {
                for (band, noise) in noise.iter().enumerate() {
                    // The body is judged as if it had been recorded with that noise.
                    let (floor, x, y) = (lowest.max(CLEAR * noise), x[band], y[band] + noise);
                    if x.max(y) > floor {
                        let apart = 10.0 * log10(x.max(floor) / y.max(floor));
                        (sum, cells) = (sum + apart * apart, cells + 1);
                    }
                }
            }
            (sum / f64::from(cells.max(1))).sqrt()
        };
        let ring = Windows { long_s: WINDOW_S, hop_s: HOP_S };
        Self {
            attack_db: part(ATTACK, 0, (ATTACK_S / ATTACK.hop_s) as usize),
            ring_db: part(ring, (ATTACK_S / HOP_S) as usize, usize::MAX),
        }
    }

    /// The greater of both: a second of ring must not hide a lost attack, nor the other way round.
    pub fn db(&self) -> f64 {
        self.attack_db.max(self.ring_db)
    }
}

impl fmt::Display for Distance {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:.1} dB (attack {:.1}, ring {:.1})", self.db(), self.attack_db, self.ring_db)
    }
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
