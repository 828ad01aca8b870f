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
        if rng.unit() < 0.2
            && let Some(other) = modes.last()
        {
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

const KIT: &str = "/usr/share/hydrogen/data/drumkits/Gimme A Hand 1.0";
const LAYERS: [&str; 5] = ["Softest", "Soft", "Med", "Hard", "Hardest"];

#[test]
fn explore_real() {
    use tocco_host::analyse::{mel, onset};
    let objects = ["Clave", "Cowbell", "WaterglassHi", "WaterglassLo", "WoodBlock", "BongoHi", "BongoLo"];
    let mut sounds: Vec<Vec<Vec<f64>>> = Vec::new();
    let mut recs: Vec<Vec<Recording>> = Vec::new();
    for object in objects {
        let mut row = Vec::new();
        let mut rr = Vec::new();
        for layer in LAYERS {
            let r = match Recording::open(format!("{KIT}/{object}-{layer}.wav").as_ref(), true) {
                Ok(r) => r,
                Err(e) => {
                    println!("{e}");
                    continue;
                }
            };
            println!(
                "{object} {layer}: {} Hz {:.2} s, flat tops {}",
                r.rate_hz,
                r.samples.len() as f64 / r.rate_hz,
                tocco_host::analyse::read::flat_tops(&r.samples)
            );
            let span = match onset::strikes(&r.samples, r.rate_hz, 1, object) {
                Ok(s) => s[0],
                Err(e) => {
                    println!("{e}");
                    continue;
                }
            };
            println!("   {span:?}");
            row.push(r.samples[span.start..].to_vec());
            rr.push(r);
        }
        sounds.push(row);
        recs.push(rr);
    }
    for (i, object) in objects.iter().enumerate() {
        let s = &sounds[i];
        let mut same = Vec::new();
        for a in 0..s.len() {
            for b in 0..a {
                same.push(mel::distance_db(&s[a], &s[b], 44100.0));
            }
        }
        print!("{object}: same {same:.1?} other:");
        for (k, other) in objects.iter().enumerate() {
            if k != i {
                let mut d = Vec::new();
                for a in s {
                    for b in &sounds[k] {
                        d.push(mel::distance_db(a, b, 44100.0));
                    }
                }
                print!(" {other} {:.1}", d.iter().sum::<f64>() / d.len() as f64);
            }
        }
        println!();
        let start = std::time::Instant::now();
        let held = 3;
        let train: Vec<Recording> =
            recs[i].iter().enumerate().filter(|(n, _)| *n != held).map(|(_, r)| r.clone()).collect();
        match analyse(&train, &Options::default()) {
            Ok(analysis) => {
                println!(
                    "   {} modes {:.1} s, residuals {:.1?}",
                    analysis.modes.len(),
                    start.elapsed().as_secs_f64(),
                    analysis.strikes.iter().map(|s| s.residual_db).collect::<Vec<_>>()
                );
                for j in 0..analysis.strikes.len() {
                    let span = analysis.strikes[j].span;
                    let own = &train[j].samples[span.start..];
                    let body = analysis.resynthesis(j, own.len()).unwrap();
                    print!(
                        "   port {j}: to own {:.2}, to held {:.2} (real {:.2});",
                        mel::distance_db(own, &body, 44100.0),
                        mel::distance_db(&s[held], &body, 44100.0),
                        mel::distance_db(&s[held], own, 44100.0)
                    );
                }
                println!();
                analysis.picture(&train, format!("/tmp/an-{object}.png").as_ref()).unwrap();
            }
            Err(e) => println!("{e}"),
        }
    }
}
