// SPDX-License-Identifier: MIT OR Apache-2.0
//! The string against the stiff-string formula, statics, reciprocity and its own ledger.

use tocco::resonator::waveguide::{StringParams, Waveguide};
use tocco::resonator::{CONTROL_TICKS, Motion, Reading, Resonator};

const RATES: [f64; 7] = [8e3, 22_050.0, 44_100.0, 48e3, 96e3, 192e3, 384e3];

fn string(freq_hz: f64, q: f64, inharmonicity: f64, places: &[f64], rate_hz: f64) -> Waveguide {
    let params = StringParams { freq_hz, q, inharmonicity, ..StringParams::default() };
    Waveguide::new(params, places, 1.0 / rate_hz)
}

/// Velocity of the last port after a hit at the first, free form.
fn struck(string: &mut Waveguide, samples: usize) -> Vec<f64> {
    string.hit(0, 1e-3);
    string.release();
    let mut reading = [Reading::new(string.ports() - 1, Motion::Velocity)];
    let mut out = Vec::with_capacity(samples + CONTROL_TICKS);
    while out.len() < samples {
        string.ring(CONTROL_TICKS, &mut reading);
        out.extend_from_slice(&reading[0].values);
    }
    out
}

/// Frequency (rad/sample) and decay (1/sample) of the partial near `w`: two windows one `lag` apart see the same
/// exponential, so the window's own answer cancels; what is left is leakage of the neighbours, 1e-7 for cos^4.
fn partial(y: &[f64], mut w: f64, window: usize, lag: usize) -> (f64, f64) {
    let mut decay = 0.0;
    for _ in 0..2 {
        let spectrum = |from: usize| {
            let (mut re, mut im) = (0.0, 0.0);
            for k in 0..window {
                let hann = (std::f64::consts::PI * (k as f64 + 0.5) / window as f64).sin().powi(4);
                let (s, c) = (w * k as f64).sin_cos();
                re += hann * y[from + k] * c;
                im -= hann * y[from + k] * s;
            }
            (re, im)
        };
        let ((a, b), (c, d)) = (spectrum(0), spectrum(lag));
        let turn = (d * a - c * b).atan2(c * a + d * b) - w * lag as f64;
        let turn = turn - std::f64::consts::TAU * (turn / std::f64::consts::TAU).round();
        w += turn / lag as f64;
        decay = -0.5 * ((c * c + d * d) / (a * a + b * b)).ln() / lag as f64;
    }
    (w, decay)
}

fn cents(ratio: f64) -> f64 {
    1200.0 * ratio.log2()
}

#[test]
#[ignore]
fn survey() {
    let mut worst = (0.0f64, 0.0f64);
    for rate in RATES {
        for freq in [30.0, 65.4, 147.0, 440.0, 1046.5, 2093.0, 4000.0] {
            for b in [0.0, 1e-5, 5.57e-5, 3e-4, 1e-3, 3e-3, 1e-2] {
                if freq > 0.4 * rate {
                    continue;
                }
                let start = std::time::Instant::now();
                let s = string(freq, 500.0, b, &[0.1], rate);
                let spent = start.elapsed().as_secs_f64();
                if s.worst_cents() > 2.0 || spent > 0.01 {
                    println!("{rate} {freq} {b}: {:.2} cents, {} pairs, {:.1} ms", s.worst_cents(), s.pairs(), spent * 1e3);
                }
                if rate > 50e3 {
                    continue;
                }
                let period = rate / freq;
                let mut s = string(freq, 500.0, b, &[0.1, 0.07], rate);
                let (window, lag) = ((40.0 * period) as usize, (15.0 * period) as usize);
                let y = struck(&mut s, window + lag + 100);
                for n in [1, 2, 3, 5, 7, 10, 13, 19] {
                    let nf = n as f64;
                    let f = freq * nf * ((1.0 + b * nf * nf) / (1.0 + b)).sqrt();
                    if f > 0.4 * rate {
                        break;
                    }
                    let aim = std::f64::consts::TAU * f / rate;
                    let (w, decay) = partial(&y, aim, window, lag);
                    let q = 0.5 * w / decay;
                    if n == 1 { worst.0 = worst.0.max(cents(w / aim).abs()); }
                    if n == 1 && cents(w / aim).abs() > 0.3 || cents(w / aim).abs() > 5.0 || [1, 10].contains(&n) && (q / 500.0 - 1.0).abs() > 0.03 {
                        println!("  {rate} {freq} {b} partial {n}: {:.3} cents, Q {q:.1}", cents(w / aim));
                    }
                }
            }
        }
    }
    println!("{worst:?}");
}
