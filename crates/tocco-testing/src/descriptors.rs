// SPDX-License-Identifier: MIT OR Apache-2.0
//! Eight numbers that describe a short noise, a step above all: how long, how sudden, how bright, how grainy. The same for recordings and for
//! what is rendered; made without the engine's own arithmetic.

use crate::spectra::fft;
use std::f64::consts::PI;

/// What each number is called, in order.
pub const NAMES: [&str; 8] =
    ["dur_s", "attack_s", "t60_s", "centroid_hz", "rolloff85_hz", "flatness", "crest_db", "events_hz"];
/// Which of them is in dB, so that nearness is a difference.
pub const CREST: usize = 6;

/// Length of a frame of the envelope, s.
const FRAME_S: f64 = 0.005;
/// Samples of a spectrum.
const SIZE: usize = 2048;

/// Power by frames of 5 ms.
fn powers(sound: &[f64], rate_hz: f64) -> Vec<f64> {
    let frame = ((FRAME_S * rate_hz) as usize).max(1);
    sound.chunks(frame).map(|part| part.iter().map(|x| x * x).sum::<f64>() / part.len() as f64).collect()
}

/// Where a sound is above a level, dB below its loudest frame of 5 ms: from sample to sample.
pub fn lively(sound: &[f64], rate_hz: f64, below_db: f64) -> (usize, usize) {
    let power = powers(sound, rate_hz);
    let least = power.iter().copied().fold(0.0, f64::max) * 10.0_f64.powf(-below_db / 10.0);
    let first = power.iter().position(|p| *p >= least).unwrap_or(0);
    let last = power.iter().rposition(|p| *p >= least).unwrap_or(0);
    let frame = ((FRAME_S * rate_hz) as usize).max(1);
    (first * frame, ((last + 1) * frame).min(sound.len()))
}

/// The eight of a sound: see [`NAMES`].
///
/// Duration: while it is within 40 dB of its loudest 5 ms. Attack: from there to the loudest. T60: by the backward integral from -5 to
/// -20 dB. Centroid, roll-off (85 %) and flatness (150 to 4500 Hz): of magnitudes, means over frames of 2048 samples within 40 dB of the
/// loudest. Events: peaks of the envelope above 2 kHz that stand 3 dB above the dip before, within 30 dB of the highest, a second.
pub fn descriptors(sound: &[f64], rate_hz: f64) -> [f64; 8] {
    let (from, to) = lively(sound, rate_hz, 40.0);
    let sound = &sound[from..to];
    let power = powers(sound, rate_hz);
    let loudest = power.iter().enumerate().fold((0, 0.0), |most, (i, p)| if *p > most.1 { (i, *p) } else { most });
    let energy: f64 = sound.iter().map(|x| x * x).sum();
    let peak = sound.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let crest_db = 20.0 * (peak / (energy / sound.len() as f64).sqrt()).log10();
    let [centroid, rolloff, flatness] = colour(sound, rate_hz);
    let dur_s = sound.len() as f64 / rate_hz;
    let attack_s = (loudest.0 as f64 + 0.5) * FRAME_S;
    [dur_s, attack_s, t60_s(sound, rate_hz), centroid, rolloff, flatness, crest_db, events(sound, rate_hz) / dur_s]
}

fn t60_s(sound: &[f64], rate_hz: f64) -> f64 {
    let power = powers(sound, rate_hz);
    let mut left: f64 = power.iter().sum();
    let all = left;
    let mut points = Vec::new();
    for (i, p) in power.iter().enumerate() {
        let db = 10.0 * (left / all).log10();
        if (-20.0..=-5.0).contains(&db) {
            points.push((i as f64 * FRAME_S, db));
        }
        left -= p;
        if left <= 0.0 {
            break;
        }
    }
    let n = points.len() as f64;
    if n < 2.0 {
        return FRAME_S * 4.0;
    }
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let slope = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum::<f64>()
        / points.iter().map(|p| (p.0 - mx) * (p.0 - mx)).sum::<f64>();
    -60.0 / slope.min(-1e-3)
}

fn colour(sound: &[f64], rate_hz: f64) -> [f64; 3] {
    let mut frames = Vec::new();
    let mut at = 0;
    while at == 0 || at + SIZE / 2 <= sound.len() {
        let mut re: Vec<f64> = (0..SIZE)
            .map(|n| {
                let window = 0.5 - 0.5 * (2.0 * PI * n as f64 / SIZE as f64).cos();
                window * sound.get(at + n).copied().unwrap_or(0.0)
            })
            .collect();
        let mut im = vec![0.0; SIZE];
        fft(&mut re, &mut im);
        let size: Vec<f64> = (0..=SIZE / 2).map(|k| (re[k] * re[k] + im[k] * im[k]).sqrt()).collect();
        frames.push(size);
        at += SIZE / 4;
    }
    let energies: Vec<f64> = frames.iter().map(|f| f.iter().map(|x| x * x).sum()).collect();
    let least = 1e-4 * energies.iter().copied().fold(0.0, f64::max);
    let (mut sum, mut count) = ([0.0; 3], 0.0);
    for (frame, _) in frames.iter().zip(&energies).filter(|(_, e)| **e > least) {
        let hz = |k: usize| k as f64 * rate_hz / SIZE as f64;
        let all: f64 = frame.iter().sum();
        sum[0] += frame.iter().enumerate().map(|(k, x)| hz(k) * x).sum::<f64>() / all;
        let mut part = 0.0;
        let reached = frame.iter().position(|x| {
            part += x;
            part >= 0.85 * all
        });
        sum[1] += hz(reached.unwrap_or(0));
        let band: Vec<f64> = frame
            .iter()
            .enumerate()
            .filter(|(k, _)| (150.0..4500.0).contains(&hz(*k)))
            .map(|(_, x)| x * x + 1e-30)
            .collect();
        let n = band.len() as f64;
        sum[2] += (band.iter().map(|p| p.ln()).sum::<f64>() / n).exp() / (band.iter().sum::<f64>() / n);
        count += 1.0;
    }
    sum.map(|x| x / f64::max(count, 1.0))
}

/// Peaks of the envelope above 2 kHz.
fn events(sound: &[f64], rate_hz: f64) -> f64 {
    // Two poles by Butterworth, high pass.
    let w = (PI * 2000.0 / rate_hz).tan();
    let (q, s) = (std::f64::consts::SQRT_2 * w, 1.0 / (1.0 + std::f64::consts::SQRT_2 * w + w * w));
    let (a1, a2) = (2.0 * (w * w - 1.0) * s, (1.0 - q + w * w) * s);
    let (mut x1, mut x2, mut y1, mut y2) = (0.0, 0.0, 0.0, 0.0);
    let high = sound.iter().map(|x| {
        let y = s * (x - 2.0 * x1 + x2) - a1 * y1 - a2 * y2;
        (x2, x1, y2, y1) = (x1, *x, y1, y);
        y * y
    });
    let power: Vec<f64> = high.collect();
    let frame = ((0.001 * rate_hz) as usize).max(1);
    let coarse: Vec<f64> = power.chunks(frame).map(|p| p.iter().sum::<f64>() / p.len() as f64).collect();
    // Over 3 ms.
    let smooth: Vec<f64> = (0..coarse.len())
        .map(|i| {
            let part = &coarse[i.saturating_sub(1)..(i + 2).min(coarse.len())];
            10.0 * (part.iter().sum::<f64>() / part.len() as f64 + 1e-30).log10()
        })
        .collect();
    let least = smooth.iter().copied().fold(f64::NEG_INFINITY, f64::max) - 30.0;
    let (mut count, mut dip, mut top, mut rising) = (0.0, f64::INFINITY, f64::NEG_INFINITY, true);
    for level in smooth {
        if rising {
            top = top.max(level);
            if level < top - 3.0 {
                if top > least {
                    count += 1.0;
                }
                (rising, dip) = (false, level);
            }
        } else {
            dip = dip.min(level);
            if level > dip + 3.0 {
                (rising, top) = (true, level);
            }
        }
    }
    count
}

/// Quartiles of each number: 25, 50 and 75 %, by linear interpolation.
pub fn quartiles(all: &[[f64; 8]]) -> [[f64; 3]; 8] {
    core::array::from_fn(|k| {
        let mut values: Vec<f64> = all.iter().map(|d| d[k]).collect();
        values.sort_by(f64::total_cmp);
        [0.25, 0.5, 0.75].map(|part| {
            let place = part * (values.len() - 1) as f64;
            let (low, rest) = (place as usize, place.fract());
            values[low] + rest * (values[(low + 1).min(values.len() - 1)] - values[low])
        })
    })
}

/// How far a number lies outside quartiles: 0 inside, 1 at the edge of what counts as near (25 %, or 2 dB of crest), more beyond.
pub fn outside(index: usize, value: f64, quartiles: [f64; 3]) -> f64 {
    let [low, _, high] = quartiles;
    if index == CREST {
        return (low - value).max(value - high).max(0.0) / 2.0;
    }
    let far = (low.max(1e-9) / value.max(1e-12)).max(value / high.max(1e-9)).max(1.0);
    far.ln() / 1.25_f64.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decaying_tone_has_the_numbers_that_it_was_made_with() {
        // Silence, a rise of 20 ms, then 60 dB in 0.5 s.
        let rate_hz = 44_100.0;
        let sound: Vec<f64> = (0..30_000)
            .map(|n| {
                let t = f64::from(n) / rate_hz - 0.1;
                let size = if t < 0.0 { 0.0 } else { (t / 0.02).min(1.0) * 10.0_f64.powf(-6.0 * (t - 0.02).max(0.0)) };
                size * (2.0 * PI * 3000.0 * t).sin()
            })
            .collect();
        let [dur, attack, t60, centroid, rolloff, flatness, crest, _] = descriptors(&sound, rate_hz);
        assert!((dur - 0.355).abs() < 0.015, "{dur}");
        assert!((attack - 0.02).abs() < 0.006, "{attack}");
        assert!((t60 - 0.5).abs() < 0.02, "{t60}");
        assert!((centroid - 3000.0).abs() < 100.0 && (rolloff - 3000.0).abs() < 100.0, "{centroid} {rolloff}");
        assert!(flatness < 1e-3 && (9.0..13.0).contains(&crest), "{flatness} {crest}");
    }

    #[test]
    fn clicks_are_counted_and_nearness_is_a_quarter_or_two_db() {
        let mut sound = vec![0.0; 44_100];
        for k in 0..20 {
            sound[1000 + k * 2000] = 1.0;
        }
        let found = descriptors(&sound, 44_100.0)[7];
        assert!((found - 22.0).abs() < 1.5, "{found}");
        assert_eq!(outside(0, 1.5, [1.0, 1.4, 2.0]), 0.0);
        assert!((outside(0, 2.5, [1.0, 1.4, 2.0]) - 1.0).abs() < 1e-9);
        assert!((outside(3, 0.8, [1.0, 1.4, 2.0]) - 1.0).abs() < 1e-9);
        assert_eq!(outside(CREST, 12.0, [14.0, 15.0, 16.0]), 1.0);
        let all: Vec<[f64; 8]> = (0..5).map(|i| [f64::from(i); 8]).collect();
        assert_eq!(quartiles(&all)[2], [1.0, 2.0, 3.0]);
    }
}
