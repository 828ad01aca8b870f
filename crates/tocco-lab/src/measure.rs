// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be said about a sound in numbers: level, offset, spectral centroid, hash.

use crate::error::Result;
use crate::wav::WavReader;
use realfft::RealFftPlanner;
use tocco::hash;
use tocco::scene::SceneDef;
use tocco::scene::def::Source;
use tocco::units::db;

/// Running level of a signal.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Level {
    /// Largest magnitude.
    pub peak: f64,
    sum: f64,
    squares: f64,
    samples: u64,
    /// Samples that are not numbers; always zero unless the engine is broken.
    pub not_finite: u64,
}

impl Level {
    /// Adds samples of any channel.
    pub fn add(&mut self, samples: &[f32]) {
        // Eight lanes: three running values per sample would otherwise wait for each other.
        let (eights, rest) = samples.as_chunks::<8>();
        let (mut peak, mut sum, mut squares, mut lost) = ([0.0_f32; 8], [0.0_f64; 8], [0.0_f64; 8], [0_u32; 8]);
        let mut take = |i: usize, x: f32| {
            let finite = x.is_finite();
            let x = if finite { x } else { 0.0 };
            lost[i] += u32::from(!finite);
            peak[i] = if x.abs() > peak[i] { x.abs() } else { peak[i] };
            sum[i] += f64::from(x);
            squares[i] += f64::from(x) * f64::from(x);
        };
        for eight in eights {
            for (i, &x) in eight.iter().enumerate() {
                take(i, x);
            }
        }
        for (i, &x) in rest.iter().enumerate() {
            take(i, x);
        }
        self.peak = peak.iter().fold(self.peak, |m, &x| m.max(f64::from(x)));
        self.sum += sum.iter().sum::<f64>();
        self.squares += squares.iter().sum::<f64>();
        self.not_finite += lost.iter().map(|&n| u64::from(n)).sum::<u64>();
        self.samples += samples.len() as u64;
    }

    /// The level after a gain.
    pub fn scaled(mut self, gain: f64) -> Self {
        self.peak *= gain.abs();
        self.sum *= gain;
        self.squares *= gain * gain;
        self
    }

    /// Root mean square.
    pub fn rms(&self) -> f64 {
        (self.squares / self.samples.max(1) as f64).sqrt()
    }

    /// Mean: a constant offset.
    pub fn mean(&self) -> f64 {
        self.sum / self.samples.max(1) as f64
    }
}

/// "-6.0 dBFS", or "silence".
pub fn dbfs(amplitude: f64) -> String {
    if amplitude > 0.0 { format!("{:.1} dBFS", db(amplitude)) } else { "silence".to_owned() }
}

/// FNV-1a, 64 bits, over the little-endian bytes of the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fnv(pub u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(hash::START)
    }
}

impl Fnv {
    /// Adds bytes.
    pub fn add_bytes(&mut self, bytes: &[u8]) {
        self.0 = hash::bytes(self.0, bytes);
    }

    /// Adds the recordings that a scene's drives read.
    pub fn add_drives(&mut self, def: &SceneDef) {
        for drive in &def.drives {
            if let Source::Samples { data, .. } = &drive.source {
                self.add(data);
            }
        }
    }

    /// Adds samples.
    pub fn add(&mut self, samples: &[f32]) {
        for x in samples {
            self.add_bytes(&x.to_le_bytes());
        }
    }
}

/// Four-term Blackman-Harris window (Harris 1978): side lobes below -92 dB, so that a pure tone looks pure.
const WINDOW: [f64; 4] = [0.35875, -0.48829, 0.14128, -0.01168];

/// Windowed magnitude spectra, scaled so that a full-scale sine reads 1.
pub struct Spectra {
    fft: std::sync::Arc<dyn realfft::RealToComplex<f64>>,
    window: Vec<f64>,
    input: Vec<f64>,
    output: Vec<realfft::num_complex::Complex<f64>>,
}

impl Spectra {
    /// Spectra of `size` samples (a power of two).
    pub fn new(size: usize) -> Self {
        let fft = RealFftPlanner::new().plan_fft_forward(size);
        let turn = std::f64::consts::TAU / size as f64;
        let at = |i: usize| WINDOW.iter().enumerate().map(|(k, a)| a * (turn * (k * i) as f64).cos()).sum();
        let window = (0..size).map(at).collect();
        let (input, output) = (fft.make_input_vec(), fft.make_output_vec());
        Self { fft, window, input, output }
    }

    /// Samples per spectrum.
    pub fn size(&self) -> usize {
        self.window.len()
    }

    /// Magnitudes of bins 0 to size/2; missing samples count as zero.
    pub fn of(&mut self, samples: &[f32]) -> Vec<f64> {
        for (i, x) in self.input.iter_mut().enumerate() {
            *x = samples.get(i).map_or(0.0, |&s| f64::from(s)) * self.window[i];
        }
        // The only failure is a buffer of the wrong size, and these came from the plan.
        let _ = self.fft.process(&mut self.input, &mut self.output);
        let scale = 2.0 / (WINDOW[0] * self.window.len() as f64);
        self.output.iter().map(|c| c.norm() * scale).collect()
    }
}

/// Power-weighted mean frequency of a whole file, Hz; zero for silence.
pub fn centroid_hz(wav: &mut WavReader) -> Result<f64> {
    let mut spectra = Spectra::new(2048);
    let hz_per_bin = wav.rate_hz / spectra.size() as f64;
    let (mut power, mut moment, mut at) = (0.0, 0.0, 0);
    while at < wav.frames {
        let samples = wav.read_mono(at, spectra.size())?;
        for (bin, magnitude) in spectra.of(&samples).into_iter().enumerate() {
            power += magnitude * magnitude;
            moment += magnitude * magnitude * bin as f64 * hz_per_bin;
        }
        at += spectra.size() as u64 / 2;
    }
    Ok(if power > 0.0 { moment / power } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_scale_sine_reads_one_at_its_bin_and_its_level_is_minus_three_decibels() {
        let sine: Vec<f32> =
            (0..2048).map(|i| (std::f64::consts::TAU * 100.0 * f64::from(i) / 2048.0).sin() as f32).collect();
        assert!((Spectra::new(2048).of(&sine)[100] - 1.0).abs() < 1e-6);
        let mut level = Level::default();
        level.add(&sine);
        assert_eq!(dbfs(level.rms()), "-3.0 dBFS");
        assert!(level.mean().abs() < 1e-7);
        assert_eq!(dbfs(0.0), "silence");
    }
}
