// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco analyse` finds what it should: on synthetic strikes every mode and no other, on real recordings bodies that sound
//! like the object, on bad input one line.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::f64::consts::TAU;
use tocco::rng::Rng;
use tocco_host::analyse::read::Recording;
use tocco_host::analyse::{Analysis, Options, analyse};

const RATE_HZ: f64 = 48_000.0;

/// A mode of a synthetic strike: Hz (damped), 1/s, amplitude.
#[derive(Clone, Copy, Debug)]
struct True {
    hz: f64,
    sigma: f64,
    amplitude: f64,
}

/// A random struck object: decays shorter the higher the mode, amplitudes within 40 dB, sometimes two modes close together
/// (two to four half-power widths, as the doublets of bells and of plates).
fn object(seed: u64) -> Vec<True> {
    let mut rng = Rng::new(seed, "object");
    let count = 5 + (rng.unit() * 26.0) as usize;
    let mut modes: Vec<True> = Vec::new();
    while modes.len() < count {
        let mut hz = rng.between_log(80.0, 15_000.0);
        let mut sigma = rng.between_log(1.5, 8.0) + hz / rng.between_log(100.0, 1_000.0);
        if rng.unit() < 0.2 && let Some(other) = modes.last() {
            sigma = other.sigma * rng.between_log(0.7, 1.4);
            hz = other.hz + rng.between(2.0, 4.0) * sigma.max(other.sigma) / (0.5 * TAU);
        }
        let clear = |m: &True| (m.hz - hz).abs() > 1.9 * m.sigma.max(sigma) / (0.5 * TAU);
        if modes.iter().all(clear) {
            let sign = if rng.unit() < 0.5 { -1.0 } else { 1.0 };
            modes.push(True { hz, sigma, amplitude: sign * rng.between_log(0.0105, 1.0) });
        }
    }
    modes
}

/// The strike at 0.0333 s, with noise so far below the level of its first tenth of a second.
fn strike(modes: &[True], snr_db: f64, seed: u64, length_s: f64) -> (Vec<f64>, f64) {
    let onset = 1600;
    let mut samples = vec![0.0; (length_s * RATE_HZ) as usize];
    for m in modes {
        for (n, x) in samples[onset..].iter_mut().enumerate() {
            let t = n as f64 / RATE_HZ;
            *x += 0.1 * m.amplitude * (-m.sigma * t).exp() * (TAU * m.hz * t).cos();
        }
    }
    let power = samples[onset..onset + 4800].iter().map(|x| x * x).sum::<f64>() / 4800.0;
    let noise = power.sqrt() * 10_f64.powf(-snr_db / 20.0);
    let mut rng = Rng::new(seed, "noise");
    samples.iter_mut().for_each(|x| *x += noise * rng.normal());
    (samples, noise)
}

fn recording(samples: Vec<f64>) -> Recording {
    Recording { name: "synthetic".into(), rate_hz: RATE_HZ, samples }
}

/// Damped frequency, Hz, and decay rate, 1/s, of what was found.
fn found(analysis: &Analysis) -> Vec<(f64, f64, f64)> {
    let pole = |m: &tocco_host::analyse::Mode| {
        let (omega, sigma) = (TAU * m.freq_hz, 1.0 / m.decay_s);
        ((omega * omega - sigma * sigma).sqrt() / TAU, sigma, m.weights[0])
    };
    analysis.modes.iter().map(pole).collect()
}

#[test]
fn explore() {
    for seed in 1..=12 {
        for snr in [60.0, 20.0] {
            let modes = object(seed);
            let (samples, _noise) = strike(&modes, snr, seed, 3.0);
            let start = std::time::Instant::now();
            let analysis = analyse(&[recording(samples)], &Options::default()).unwrap();
            let took = start.elapsed().as_secs_f64();
            let got = found(&analysis);
            let mut used = vec![false; got.len()];
            let mut lost = Vec::new();
            let (mut worst_f, mut worst_s) = (0.0_f64, 0.0_f64);
            for m in &modes {
                let near = (0..got.len()).filter(|&i| !used[i]).min_by(|&a, &b| (got[a].0 - m.hz).abs().total_cmp(&(got[b].0 - m.hz).abs()));
                match near.filter(|&i| (got[i].0 / m.hz - 1.0).abs() < 3e-3) {
                    Some(i) => {
                        used[i] = true;
                        worst_f = worst_f.max((got[i].0 / m.hz - 1.0).abs());
                        worst_s = worst_s.max((got[i].1 / m.sigma - 1.0).abs());
                    }
                    None => lost.push(*m),
                }
            }
            let ghosts: Vec<_> = (0..got.len()).filter(|&i| !used[i]).map(|i| got[i]).collect();
            println!("seed {seed} snr {snr}: {} modes, {} found, {took:.2} s, df {worst_f:.1e} ds {worst_s:.1e}, residual {:.1}\n   lost {lost:.2?}\n   ghosts {ghosts:.2?}", modes.len(), got.len(), analysis.strikes[0].residual_db);
        }
    }
}
