// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ears for tests: levels, spectra, partials. Plain sums and textbook transforms, made without the engine's own arithmetic.

use std::f64::consts::{PI, TAU};

/// Largest magnitude.
pub fn peak<T: Copy + Into<f64>>(signal: &[T]) -> f64 {
    signal.iter().fold(0.0, |most: f64, x| most.max((*x).into().abs()))
}

/// Mean power, dB of 1.
pub fn level_db(signal: &[f64]) -> f64 {
    10.0 * (signal.iter().map(|x| x * x).sum::<f64>() / signal.len() as f64).log10()
}

/// Sum of `x e^(-i w n)`, `w` in rad/sample: real and imaginary part.
pub fn fourier(signal: impl IntoIterator<Item = f64>, w: f64) -> (f64, f64) {
    signal.into_iter().enumerate().fold((0.0, 0.0), |(re, im), (n, x)| {
        let (s, c) = (w * n as f64).sin_cos();
        (re + x * c, im - x * s)
    })
}

/// Discrete Fourier transform in place, length a power of two.
pub fn fft(re: &mut [f64], im: &mut [f64]) {
    let n = re.len();
    let bits = n.trailing_zeros();
    for i in 0..n {
        let j = i.reverse_bits() >> (usize::BITS - bits);
        if i < j {
            re.swap(i, j);
            im.swap(i, j);
        }
    }
    let mut half = 1;
    while half < n {
        for k in 0..half {
            let (s, c) = (-PI * k as f64 / half as f64).sin_cos();
            for a in (k..n).step_by(2 * half) {
                let b = a + half;
                let (x, y) = (re[b] * c - im[b] * s, re[b] * s + im[b] * c);
                (re[b], im[b]) = (re[a] - x, im[a] - y);
                (re[a], im[a]) = (re[a] + x, im[a] + y);
            }
        }
        half *= 2;
    }
}

/// Mean Hann periodogram: density per cycle per sample at bins 0..n/2.
pub fn periodogram(n: usize, segments: usize, mut sample: impl FnMut() -> f64) -> Vec<f64> {
    let window: Vec<f64> = (0..n).map(|i| 0.5 - 0.5 * (TAU * i as f64 / n as f64).cos()).collect();
    let norm: f64 = window.iter().map(|w| w * w).sum();
    let mut density = vec![0.0; n / 2];
    for _ in 0..segments {
        let mut re: Vec<f64> = window.iter().map(|w| w * sample()).collect();
        let mut im = vec![0.0; n];
        fft(&mut re, &mut im);
        for (k, d) in density.iter_mut().enumerate() {
            *d += (re[k] * re[k] + im[k] * im[k]) / (norm * segments as f64);
        }
    }
    density
}

/// Power at one frequency of a windowed signal; the turning phasor is stepped, not computed anew.
fn power(windowed: &[f64], freq_hz: f64, rate_hz: f64) -> f64 {
    let (turn_sin, turn_cos) = (TAU * freq_hz / rate_hz).sin_cos();
    let (mut sin, mut cos, mut re, mut im) = (0.0, 1.0, 0.0, 0.0);
    for x in windowed {
        (re, im) = (re + x * cos, im + x * sin);
        (cos, sin) = (cos * turn_cos - sin * turn_sin, sin * turn_cos + cos * turn_sin);
    }
    (re * re + im * im) / (windowed.len() as f64).powi(2)
}

/// Frequencies of a band and the power there under a Hann window, on a grid of half the window's resolution.
pub fn spectrum(signal: &[f64], band_hz: [f64; 2], rate_hz: f64) -> Vec<(f64, f64)> {
    let (step, turn) = (0.5 * rate_hz / signal.len() as f64, TAU / signal.len() as f64);
    let mean = signal.iter().sum::<f64>() / signal.len() as f64;
    let hann = |(n, x): (usize, &f64)| (x - mean) * (1.0 - (turn * n as f64).cos());
    let windowed: Vec<f64> = signal.iter().enumerate().map(hann).collect();
    let bins = ((band_hz[1] - band_hz[0]) / step) as usize;
    (0..=bins).map(|i| band_hz[0] + step * i as f64).map(|f| (f, power(&windowed, f, rate_hz))).collect()
}

/// Power of a band, dB.
pub fn band_db(signal: &[f64], band_hz: [f64; 2], rate_hz: f64) -> f64 {
    10.0 * spectrum(signal, band_hz, rate_hz).iter().map(|(_, p)| p).sum::<f64>().log10()
}

/// The frequency of a band with the most power, Hz.
pub fn loudest_hz(signal: &[f64], band_hz: [f64; 2], rate_hz: f64) -> f64 {
    let bins = spectrum(signal, band_hz, rate_hz);
    bins.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(f64::NAN, |bin| bin.0)
}

/// Mean frequency weighted by power, Hz.
pub fn centroid_hz(spectrum: &[(f64, f64)]) -> f64 {
    let (sum, weight) = spectrum.iter().fold((0.0, 0.0), |(s, w), (f, p)| (s + f * p, w + p));
    sum / weight
}

/// Frequency (rad/sample) and decay (1/sample) of the partial near `w`: two windows one `lag` apart see the same
/// exponential, so the window's own answer cancels; what is left is leakage of the neighbours, 1e-7 for cos^4.
pub fn partial(signal: &[f64], mut w: f64, window: usize, lag: usize) -> (f64, f64) {
    let mut decay = 0.0;
    for _ in 0..2 {
        let at = |from: usize| {
            let taper = |k: usize| (PI * (k as f64 + 0.5) / window as f64).sin().powi(4);
            fourier((0..window).map(|k| taper(k) * signal[from + k]), w)
        };
        let ((a, b), (c, d)) = (at(0), at(lag));
        let turn = (d * a - c * b).atan2(c * a + d * b) - w * lag as f64;
        w += (turn - TAU * (turn / TAU).round()) / lag as f64;
        decay = -0.5 * ((c * c + d * d) / (a * a + b * b)).ln() / lag as f64;
    }
    (w, decay)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ringing(w: f64, decay: f64, samples: usize) -> Vec<f64> {
        (0..samples).map(|n| (-decay * n as f64).exp() * (w * n as f64 + 0.3).cos()).collect()
    }

    #[test]
    fn a_partial_is_found_with_its_decay() {
        let (w, decay) = partial(&ringing(0.1, 1e-4, 8_000), 0.1001, 4_000, 2_000);
        assert!((w / 0.1 - 1.0).abs() < 1e-9 && (decay / 1e-4 - 1.0).abs() < 1e-5, "{w} {decay}");
    }

    #[test]
    fn the_fast_transform_is_the_plain_sum() {
        let mut re = ringing(0.7, 1e-2, 64);
        let (signal, mut im) = (re.clone(), vec![0.0; 64]);
        fft(&mut re, &mut im);
        for k in 0..64 {
            let (a, b) = fourier(signal.iter().copied(), TAU * k as f64 / 64.0);
            assert!((re[k] - a).abs() < 1e-12 && (im[k] - b).abs() < 1e-12, "bin {k}");
        }
    }

    #[test]
    fn a_tone_is_loudest_at_its_frequency_and_its_centroid_is_there() {
        let (tone, band_hz) = (ringing(TAU * 1000.0 / 48e3, 0.0, 4_800), [500.0, 1500.0]);
        assert!((loudest_hz(&tone, band_hz, 48e3) - 1000.0).abs() < 5.0);
        assert!((centroid_hz(&spectrum(&tone, band_hz, 48e3)) - 1000.0).abs() < 1.0);
        assert!((level_db(&tone) - 10.0 * 0.5f64.log10()).abs() < 1e-3 && (peak(&tone) - 1.0).abs() < 1e-3);
    }
}
