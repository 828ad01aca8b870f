// SPDX-License-Identifier: MIT OR Apache-2.0
//! A synthetic strike to time the analysis with.

use crate::analyse::read::Recording;
use crate::analyse::{Options, analyse, exponential};
use crate::error::Result;
use nalgebra::Complex;
use std::time::Instant;
use tocco::math::TAU;
use tocco::rng::Rng;

const RATE_HZ: f64 = 48_000.0;
const SECONDS: f64 = 5.0;
const MODES: usize = 60;

/// Modes found, and the least time of so many runs, s.
pub fn run(times: usize) -> Result<(usize, f64)> {
    let mut rng = Rng::new(1, "bench/analyse");
    let mut samples = vec![0.0; (SECONDS * RATE_HZ) as usize];
    for _ in 0..MODES {
        let hz = rng.between_log(80.0, 16_000.0);
        let sigma = rng.between_log(0.7, 4.0) + hz / 800.0;
        let amplitude = 0.05 * rng.between_log(0.03, 1.0);
        exponential::add(&mut samples, Complex::new(amplitude, 0.0), Complex::new(-sigma, TAU * hz) / RATE_HZ);
    }
    samples.iter_mut().for_each(|x| *x += 1e-5 * rng.normal());
    let recording = [Recording { name: "bench".into(), rate_hz: RATE_HZ, samples, lossy: false }];
    let (mut found, mut least_s) = (0, f64::INFINITY);
    for _ in 0..times {
        let start = Instant::now();
        found = analyse(&recording, &Options::default())?.modes.len();
        least_s = least_s.min(start.elapsed().as_secs_f64());
    }
    Ok((found, least_s))
}
