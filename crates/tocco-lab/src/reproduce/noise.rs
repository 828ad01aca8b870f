// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figure 8.7 of Avanzini et al. 2003: spectra of fractal noise, and the slopes of the cascade.

use super::blow::RATE_HZ;
use super::rub::{head, play};
use super::{Csv, Outcome};
use crate::measure::Spectra;
use crate::plot::{Corner, Figure, Look, Panel, Series};
use tocco::rng::Rng;
use tocco::texture::fractal::Fractal;

/// Where slopes are fitted, Hz.
const BAND_HZ: [f64; 2] = [20.0, 20_000.0];
/// First pole, Hz: a decade below the band.
const FIRST_HZ: f64 = 2.0;
/// Places of the fit, evenly spread over the logarithm.
const PLACES: usize = 300;
/// Length of the noise that is measured, s.
const DURATION_S: f64 = 20.0;
const FFT: usize = 8192;

fn places() -> impl Iterator<Item = f64> {
    let ratio = BAND_HZ[1] / BAND_HZ[0];
    (0..PLACES).map(move |i| BAND_HZ[0] * ratio.powf(i as f64 / (PLACES - 1) as f64))
}

/// Slope beta of a spectrum given in dB against log10 of the frequency, and the rms distance from the slope `want`.
fn fit(points: &[(f64, f64)], want: f64) -> (f64, f64) {
    let n = points.len() as f64;
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let cross: f64 = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    let slope = cross / points.iter().map(|p| (p.0 - mx).powi(2)).sum::<f64>();
    let off = points.iter().map(|p| (p.1 - my + 10.0 * want * (p.0 - mx)).powi(2)).sum::<f64>() / n;
    (-0.1 * slope, off.sqrt())
}

/// The cascade of (8.26) as printed, poles and zeros on the negative axis (C31).
fn printed_db(beta: f64, h: f64, freq_hz: f64) -> f64 {
    let (mut db, mut pole_hz) = (0.0, FIRST_HZ);
    let turn = std::f64::consts::TAU * freq_hz / RATE_HZ;
    while pole_hz < 0.5 * RATE_HZ {
        let at = |f: f64| {
            let r = (-std::f64::consts::TAU * f / RATE_HZ).exp();
            10.0 * (1.0 + 2.0 * r * turn.cos() + r * r).log10()
        };
        db += at(pole_hz * 10_f64.powf(0.5 * beta / h)) - at(pole_hz);
        pole_hz *= 10_f64.powf(1.0 / h);
    }
    db
}

/// Welch's estimate, dB, in sixths of an octave of the band.
fn spectrum_db(signal: &[f64]) -> Vec<(f64, f64)> {
    let mut spectra = Spectra::new(FFT);
    let mut power = vec![0.0; FFT / 2 + 1];
    let samples: Vec<f32> = signal.iter().map(|x| *x as f32).collect();
    for at in (0..samples.len().saturating_sub(FFT)).step_by(FFT / 2) {
        for (sum, x) in power.iter_mut().zip(spectra.of(&samples[at..at + FFT])) {
            *sum += x * x;
        }
    }
    let step = 2_f64.powf(1.0 / 6.0);
    let mut found = Vec::new();
    // The window is four bins wide: below 50 Hz a steep spectrum leaks.
    let mut low_hz = 50.0;
    while low_hz * step < BAND_HZ[1] {
        let bins = |f: f64| (f * FFT as f64 / RATE_HZ).ceil() as usize;
        let (from, to) = (bins(low_hz), bins(low_hz * step));
        if to > from {
            let mean = power[from..to].iter().sum::<f64>() / (to - from) as f64;
            let middle: f64 =
                (from..to).map(|k| (k as f64 * RATE_HZ / FFT as f64).log10()).sum::<f64>() / (to - from) as f64;
            found.push((middle, 10.0 * mean.log10()));
        }
        low_hz *= step;
    }
    found
}

fn scene(beta: f64) -> String {
    head("Avanzini 2003 Figure 8.7: fractal noise, alone", DURATION_S)
        + &format!(
            "seed = 5\n\n[body.bow]\ntype = \"guided\"\n\n[[drive]]\npath = \"bow/velocity_m_s\"\n\
             noise = {{ rms = 0.1, beta = {beta:?}, first_hz = {FIRST_HZ:?} }}\n\n[[tap]]\nof = \"bow\"\n"
        )
}

pub fn compute() -> Result<Outcome, String> {
    let mut out = Outcome {
        beside: Some("asked"),
        csv: Csv::new(&["series", "beta", "poles_per_decade", "freq_hz", "power_db"]),
        scene: scene(1.81),
        ..Outcome::default()
    };
    let mut printed = Vec::new();
    for beta in [0.0, 0.5, 1.0, 1.5, 1.81, 2.0] {
        for h in [1_u32, 2, 6] {
            let source = Fractal::new(beta, h, FIRST_HZ, RATE_HZ, Rng::new(1, "noise"));
            let line: Vec<(f64, f64)> =
                places().map(|f| (f.log10(), 10.0 * source.power(f / RATE_HZ).log10())).collect();
            let (slope, off) = fit(&line, beta);
            if h == 2 {
                out.near(format!("β {beta}, h 2: slope of the cascade, 20 Hz to 20 kHz"), beta, slope, 0.0025, 4);
                out.near(format!("β {beta}, h 2: rms distance from 1/f^β, dB"), 0.0, off, 0.08, 3);
                let as_printed: Vec<_> = places().map(|f| (f.log10(), printed_db(beta, 2.0, f))).collect();
                printed.push(format!("{:.3}", fit(&as_printed, beta).0));
            } else if beta == 1.81 {
                out.near(format!("β {beta}, h {h}: slope of the cascade"), beta, slope, 0.005, 4);
            }
        }
    }
    let beta = 1.81;
    let mut panels = Vec::new();
    for h in [2_u32, 6] {
        let signal = if h == 2 {
            play(&scene(beta), DURATION_S, &["bow.velocity"])?.columns.remove(0)
        } else {
            let mut source = Fractal::new(beta, h, FIRST_HZ, RATE_HZ, Rng::new(6, "noise"));
            (0..(DURATION_S * RATE_HZ) as usize).map(|_| 0.1 * source.draw()).collect()
        };
        let measured = spectrum_db(&signal);
        let (slope, _) = fit(&measured, beta);
        let by = if h == 2 { "through a scene" } else { "the texture alone" };
        out.near(format!("β {beta}, h {h}: slope of the noise, {DURATION_S} s, {by}"), beta, slope, 0.03, 4);
        let source = Fractal::new(beta, h, FIRST_HZ, RATE_HZ, Rng::new(1, "noise"));
        let (low, top) = (measured[0].0, measured[0].1);
        let level = top - 10.0 * source.power(10_f64.powf(low) / RATE_HZ).log10();
        let curve: Vec<_> = places().map(|f| (f.log10(), 10.0 * source.power(f / RATE_HZ).log10() + level)).collect();
        let ideal = vec![(1.3, top + 10.0 * beta * (low - 1.3)), (4.3, top - 10.0 * beta * (4.3 - low))];
        for (name, data) in [("measured", &measured), ("cascade", &curve)] {
            for (x, db) in data {
                out.csv.row(&[name], &[beta, f64::from(h), 10_f64.powf(*x), *db]);
            }
        }
        let mut panel = Panel::new(format!("h = {h} ({by})"), "log10 of the frequency, Hz", "power, dB")
            .with(Series::new("1/f^1.81", 0, Look::Dashed, ideal))
            .with(Series::new("the cascade", 2, Look::Line, curve))
            .with(Series::new("noise, Welch", 1, Look::Dots, measured));
        panel.legend = Corner::BottomLeft;
        panels.push(panel);
    }
    out.notes.push(format!(
        "with the signs as printed in (8.26) the slopes for β = 0, 0.5, 1, 1.5, 1.81, 2 at h = 2 are {} (C31)",
        printed.join(", ")
    ));
    out.notes.push("scenes play noise with h = 2; h = 6 brings nothing (physics.md G)".into());
    out.figure = Figure { title: "Avanzini 2003 Figure 8.7: fractal noise, β = 1.81".into(), panels };
    Ok(out)
}
