// SPDX-License-Identifier: MIT OR Apache-2.0
//! Synthetic strikes whose modes are known.

#![allow(dead_code, reason = "every test takes its part of it")]

use std::f64::consts::TAU;
use std::fs;
use std::path::Path;
use tocco::rng::Rng;
use tocco_lab::wav::{Encoding, Format, Info, WavWriter};

pub const RATE_HZ: f64 = 48_000.0;

/// A mode of a synthetic strike: Hz (damped), 1/s, amplitude.
#[derive(Clone, Copy, Debug)]
pub struct True {
    /// Hz, damped.
    pub hz: f64,
    /// 1/s
    pub sigma: f64,
    /// Of the first swing.
    pub amplitude: f64,
}

/// The strike at 0.0333 s, with noise so far below the level of its first tenth of a second.
pub fn strike(modes: &[True], snr_db: f64, seed: u64, length_s: f64) -> (Vec<f64>, f64) {
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

pub fn write_wav(path: &Path, rate_hz: f64, samples: &[f64]) {
    let format = Format::new(1, rate_hz, Encoding::Int16).unwrap();
    let mut wav =
        WavWriter::new(fs::File::create(path).unwrap(), format, Info::new(), samples.len() as u64, 1).unwrap();
    wav.write(&samples.iter().map(|x| *x as f32).collect::<Vec<_>>()).unwrap();
    wav.finish().unwrap();
}

/// A short strike that is quick to analyse.
pub fn small() -> Vec<f64> {
    let mode = |hz, sigma, amplitude| True { hz, sigma, amplitude };
    strike(&[mode(440.0, 9.0, 3.0), mode(1217.0, 14.0, -1.5), mode(2950.0, 25.0, 1.0)], 60.0, 5, 0.6).0
}
