// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings from files: WAV by our own reader ([`WavReader`] says why), AIFF, FLAC, MP3 and Ogg Vorbis by Symphonia; mixed to one
//! channel, and looked over for what no analysis can mend.

use super::band::bessel_i0;
use crate::error::{Error, Result, bad};
use crate::wav::WavReader;
use std::fs::File;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use symphonia::core::codecs::audio::AudioDecoderOptions;
use symphonia::core::errors::Error as DecodeError;
use symphonia::core::formats::TrackType;
use symphonia::core::formats::probe::Hint;
use symphonia::core::io::MediaSourceStream;
use tocco::math::{PI, sinc};

/// What can be read, for messages.
const KINDS: &str = "WAV, FLAC, AIFF, MP3 or Ogg Vorbis";
/// Rates that a scene can have, Hz.
const RATES_HZ: (f64, f64) = (8_000.0, 384_000.0);
/// Longest recording read, s: the rest of a long file is of no use to a strike.
const LONGEST_S: f64 = 60.0;
/// Below this peak (-90 dBFS) there is nothing but the last bits.
const SILENT: f64 = 3.2e-5;
/// Peak of the mix over that of the channels below which they cancel.
const CANCELLED: f64 = 1e-3;
/// Equal samples in a row that make a flat top; a round top of a loud, low tone may have three.
const FLAT: usize = 4;
/// Flat tops from which a recording counts as clipped.
const CLIPPED: usize = 3;

/// A recording, one channel.
#[derive(Clone, Debug)]
pub struct Recording {
    /// File name for reports.
    pub name: String,
    /// Samples per second.
    pub rate_hz: f64,
    /// Samples, full scale 1.
    pub samples: Vec<f64>,
    /// A codec has added noise that follows the sound.
    pub lossy: bool,
}

impl Recording {
    /// True if it is nowhere below 0.8 of where it is loudest, by 50 ms: a hiss or a hum, in which nothing happens.
    pub fn is_steady(&self) -> bool {
        let window = (0.05 * self.rate_hz) as usize;
        let levels: Vec<f64> = self
            .samples
            .chunks_exact(window.max(1))
            .map(|part| part.iter().map(|x| x * x).sum::<f64>().sqrt())
            .collect();
        let most = levels.iter().copied().fold(0.0, f64::max);
        levels.len() > 1 && levels.iter().all(|level| *level > 0.8 * most)
    }

    /// Reads a file and refuses what cannot be analysed; clipping only if `clipped` does not allow it.
    pub fn open(path: &Path, clipped: bool) -> Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let called = path.display().to_string();
        let (mut recording, loudest) = decode(path, name)?;
        // Channels that cancel look like silence only when they are mixed.
        let mixed = recording.samples.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        if loudest >= SILENT && mixed < CANCELLED * loudest {
            return bad(format!("{called}: its channels cancel each other (antiphase); give one of them"));
        }
        recording.check(&called, clipped)?;
        // An offset of the converter is no part of the sound.
        let mean = recording.samples.iter().sum::<f64>() / recording.samples.len() as f64;
        recording.samples.iter_mut().for_each(|x| *x -= mean);
        Ok(recording)
    }

    /// The recording at half its rate, as often as that keeps what lies below `max_hz` and leaves 40 kHz or more: the work
    /// grows with the rate, and what is above the band only costs.
    pub fn reduced(mut self, max_hz: f64) -> Self {
        while self.rate_hz >= 2.0 * LEAST_REDUCED_HZ && max_hz <= 0.46 * 0.5 * self.rate_hz {
            self.samples = halved(&self.samples);
            self.rate_hz *= 0.5;
        }
        self
    }

    /// One line if this can be no strike.
    pub fn check(&self, called: &str, clipped: bool) -> Result<()> {
        if !(RATES_HZ.0..=RATES_HZ.1).contains(&self.rate_hz) {
            return bad(format!("{called}: {} Hz; give a recording of 8 to 384 kHz", self.rate_hz));
        }
        if let Some(at) = self.samples.iter().position(|x| !x.is_finite()) {
            return bad(format!("{called}: sample {at} is not a number; export the recording anew"));
        }
        if self.samples.len() < 2 {
            let count = self.samples.len();
            return bad(format!("{called}: there is no sound in it ({count} samples); is the file whole?"));
        }
        let mean = self.samples.iter().sum::<f64>() / self.samples.len().max(1) as f64;
        let peak = self.samples.iter().fold(0.0, |m: f64, x| m.max((x - mean).abs()));
        if peak < SILENT {
            return bad(format!("{called}: silence (peak below -90 dBFS); is it the right file or channel?"));
        }
        let tops = flat_tops(&self.samples);
        if tops >= CLIPPED && !clipped {
            return bad(format!(
                "{called}: clipped ({tops} flat tops), so its modes are not the object's; record at a lower level, or give --clipped to go on"
            ));
        }
        Ok(())
    }
}

/// Rates below this are left alone, Hz.
const LEAST_REDUCED_HZ: f64 = 40_000.0;

/// Every second sample behind a linear-phase low-pass: flat to 0.23 of the rate, 90 dB down from 0.27 on.
fn halved(samples: &[f64]) -> Vec<f64> {
    const HALF: i64 = 72;
    // Kaiser's window for 90 dB.
    let beta = 0.1102 * (90.0 - 8.7);
    let tap = |k: i64| {
        let place = k as f64 / (HALF + 1) as f64;
        0.5 * sinc(0.5 * PI * k as f64) * bessel_i0(beta * (1.0 - place * place).sqrt()) / bessel_i0(beta)
    };
    let taps: Vec<f64> = (-HALF..=HALF).map(tap).collect();
    let one = |at: i64| {
        let near = (-HALF..=HALF).zip(&taps).filter_map(|(k, h)| Some(h * samples.get(usize::try_from(at - k).ok()?)?));
        near.sum()
    };
    (0..samples.len() as i64).step_by(2).map(one).collect()
}

/// Flat runs at the extreme that the signal entered or left steeply: a round top is approached in small steps.
pub fn flat_tops(samples: &[f64]) -> usize {
    let peak = samples.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let (level, steep) = (0.985 * peak, 0.01 * peak);
    let (mut tops, mut at) = (0, 0);
    while at < samples.len() {
        let run = samples[at..].iter().take_while(|x| **x == samples[at]).count();
        if run >= FLAT && samples[at].abs() >= level {
            let step = |other: Option<&f64>| other.is_some_and(|x| (x - samples[at]).abs() > steep);
            tops += usize::from(step(at.checked_sub(1).and_then(|i| samples.get(i))) || step(samples.get(at + run)));
        }
        at += run;
    }
    tops
}

/// The mean of the channels, and the loudest sample of any of them.
fn mix(frames: &[f32], channels: usize, into: &mut Vec<f64>, loudest: &mut f64) {
    *loudest = frames.iter().fold(*loudest, |m, x| m.max(f64::from(x.abs())));
    let mean = |frame: &[f32]| frame.iter().map(|x| f64::from(*x)).sum::<f64>() / channels as f64;
    into.extend(frames.chunks_exact(channels).map(mean));
}

fn decode(path: &Path, name: String) -> Result<(Recording, f64)> {
    let file = File::open(path).map_err(|e| Error::reading(path, &e))?;
    let mut head = Vec::with_capacity(12);
    file.take(12).read_to_end(&mut head).map_err(|e| Error::reading(path, &e))?;
    let (mut samples, mut loudest) = (Vec::new(), 0.0);
    let begins = |words: &[&[u8]]| words.iter().any(|word| head.starts_with(word));
    // An MP3 begins with its tag, or with the first frame of layer III.
    let is_mp3 = begins(&[b"ID3"]) || matches!(head.as_slice(), [0xff, second, ..] if second & 0xe6 == 0xe2);
    let rate_hz = if begins(&[b"RIFF", b"RF64", b"BW64"]) {
        let mut wav = WavReader::open(path)?;
        let most = (LONGEST_S * wav.rate_hz) as usize;
        let frames = wav.read(0, most)?;
        mix(&frames, wav.channels, &mut samples, &mut loudest);
        wav.rate_hz
    } else if is_mp3 || begins(&[b"fLaC", b"OggS", b"FORM"]) {
        // Where a decoder stumbles over damage, that is the file's fault, not the end of the program.
        let decoded = catch_unwind(AssertUnwindSafe(|| decode_packed(path, &mut samples, &mut loudest)));
        decoded.unwrap_or_else(|_| bad(format!("{}: not a recording we can read: it is damaged", path.display())))?
    } else {
        return bad(format!("{}: not a recording we can read; give {KINDS}", path.display()));
    };
    Ok((Recording { name, rate_hz, samples, lossy: is_mp3 || head.starts_with(b"OggS") }, loudest))
}

fn decode_packed(path: &Path, all: &mut Vec<f64>, loudest: &mut f64) -> Result<f64> {
    let broken = |cause: DecodeError| {
        Error::BadInput(format!("{}: not a recording we can read ({cause}); give {KINDS}", path.display()))
    };
    let nothing = || Error::BadInput(format!("{}: there is no sound in it", path.display()));
    let file = File::open(path).map_err(|e| Error::reading(path, &e))?;
    let stream = MediaSourceStream::new(Box::new(file), Default::default());
    let probe = symphonia::default::get_probe();
    let mut format = probe.probe(&Hint::new(), stream, Default::default(), Default::default()).map_err(broken)?;
    let track = format.default_track(TrackType::Audio).ok_or_else(nothing)?;
    let id = track.id;
    let codec = track.codec_params.as_ref().and_then(|c| c.audio()).ok_or_else(nothing)?;
    let rate_hz = f64::from(codec.sample_rate.ok_or_else(nothing)?);
    let codecs = symphonia::default::get_codecs();
    let mut decoder = codecs.make_audio_decoder(codec, &AudioDecoderOptions::default()).map_err(broken)?;
    let mut packet_samples = Vec::<f32>::new();
    while (all.len() as f64) < LONGEST_S * rate_hz {
        let packet = match format.next_packet() {
            Ok(Some(packet)) => packet,
            Ok(None) => break,
            Err(cause) => return Err(broken(cause)),
        };
        if packet.track_id != id {
            continue;
        }
        let sound = decoder.decode(&packet).map_err(broken)?;
        let channels = sound.num_planes().max(1);
        packet_samples.resize(sound.samples_interleaved(), 0.0);
        sound.copy_to_slice_interleaved(&mut packet_samples);
        mix(&packet_samples, channels, all, loudest);
    }
    if all.is_empty() { Err(nothing()) } else { Ok(rate_hz) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_at_twice_the_rate_keeps_what_is_heard_and_nothing_folds_down() {
        let tone = |hz: f64, rate_hz: f64| -> Vec<f64> {
            (0..(0.1 * rate_hz) as usize).map(|n| (2.0 * PI * hz * n as f64 / rate_hz).sin()).collect()
        };
        let at = |samples: Vec<f64>| Recording { name: "x".into(), rate_hz: 96_000.0, samples, lossy: false };
        let off = |a: &[f64], b: &[f64]| {
            a[100..a.len() - 100].iter().zip(&b[100..]).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()))
        };
        for hz in [50.0, 1000.0, 15_000.0, 20_000.0] {
            let reduced = at(tone(hz, 96_000.0)).reduced(20_000.0);
            assert_eq!(reduced.rate_hz, 48_000.0);
            let apart = off(&reduced.samples, &tone(hz, 48_000.0));
            assert!(apart < 1e-4, "{hz} Hz: {apart:e}");
        }
        let high = at(tone(30_000.0, 96_000.0)).reduced(20_000.0);
        assert!(off(&high.samples, &vec![0.0; high.samples.len()]) < 1e-4);
        assert_eq!(at(tone(1000.0, 96_000.0)).reduced(30_000.0).rate_hz, 96_000.0);
    }

    #[test]
    fn flat_tops_are_counted_and_round_ones_are_not() {
        let tone = |gain: f64| -> Vec<f64> {
            (0..48_000).map(|n| (gain * (f64::from(n) * 0.02).sin()).clamp(-1.0, 1.0)).collect()
        };
        assert!(flat_tops(&tone(1.3)) > 100);
        let in_16_bits: Vec<f64> =
            (0..48_000).map(|n| ((f64::from(n) * 0.004).sin() * 32_767.0).round() / 32_768.0).collect();
        assert_eq!(flat_tops(&in_16_bits), 0);
        assert_eq!(flat_tops(&tone(0.9)), 0);
    }
}
