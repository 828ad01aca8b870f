// SPDX-License-Identifier: MIT OR Apache-2.0
//! WAV files: 16 bit with triangular dither, 24 bit, 32-bit float; any number of channels; metadata in a LIST/INFO
//! chunk. The header comes first and does not change length, so a file can be streamed and its sizes filled in later. What
//! passes 4 GiB is an RF64 (EBU Tech 3306); what may grow beyond keeps room for that from the start.
//!
//! Layout: RIFF or RF64, `JUNK` or `ds64` (where it may grow), `fmt `, `fact` (float only), LIST/INFO, `data`. More than two channels use the extensible form with
//! no speaker assignment: channels are the scene's, not a cinema's.

mod read;
mod write;

pub use read::WavReader;
pub use write::{Encoder, UNKNOWN, WavWriter, header};

use crate::error::{Result, bad};

/// How a sample is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// 16-bit integer with triangular dither of two steps peak to peak.
    Int16,
    /// 24-bit integer, rounded.
    Int24,
    /// 32-bit float; nothing is clipped.
    Float32,
}

impl Encoding {
    /// Bytes of one sample.
    pub fn bytes(self) -> u64 {
        match self {
            Self::Int16 => 2,
            Self::Int24 => 3,
            Self::Float32 => 4,
        }
    }

    /// What is fainter leaves nothing in a file: half a step, 1 being full scale.
    pub fn faintest(self) -> f64 {
        match self {
            Self::Int16 => 2.0_f64.powi(-16),
            Self::Int24 => 2.0_f64.powi(-24),
            Self::Float32 => f64::from(f32::MIN_POSITIVE),
        }
    }
}

/// Shape of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Channels, interleaved.
    pub channels: u16,
    /// Frames per second.
    pub rate_hz: u32,
    /// Sample type.
    pub encoding: Encoding,
}

/// Metadata: four-letter INFO ids (`INAM`, `ISFT`, `ICMT`, ...) and their text.
pub type Info = Vec<([u8; 4], String)>;

impl Format {
    /// A format for this many channels at this rate, or one line saying why a WAV cannot hold it.
    pub fn new(channels: usize, rate_hz: f64, encoding: Encoding) -> Result<Self> {
        if rate_hz.fract() != 0.0 || !(1.0..=f64::from(u32::MAX)).contains(&rate_hz) {
            return bad(format!("a WAV holds a whole number of frames per second, not {rate_hz}; give --rate"));
        }
        let format = Self { channels: u16::try_from(channels).unwrap_or(u16::MAX), rate_hz: rate_hz as u32, encoding };
        let frame = channels as u64 * encoding.bytes();
        if channels == 0 || frame > u64::from(u16::MAX) || frame * u64::from(format.rate_hz) > u64::from(u32::MAX) {
            return bad(format!("a WAV cannot hold {channels} channels at {rate_hz} Hz"));
        }
        Ok(format)
    }

    /// Bytes of one frame.
    pub fn frame_bytes(self) -> u64 {
        u64::from(self.channels) * self.encoding.bytes()
    }

    /// Most frames that a plain WAV with this metadata can hold: its sizes are 32 bits wide.
    pub fn most_short_frames(self, info: &Info) -> u64 {
        (u64::from(u32::MAX) - 1 - header(self, info, 0, true).len() as u64) / self.frame_bytes()
    }

    /// Refuses a length that no disk holds, before any work is done.
    pub fn check_length(self, frames: f64) -> Result<()> {
        let most = MOST_BYTES / self.frame_bytes();
        if frames <= most as f64 {
            return Ok(());
        }
        bad(format!(
            "{:.0} s of {} channel(s) at {} Hz pass 64 TiB; at most {:.0} s fit: shorten --duration or lower --bits or --rate",
            frames / f64::from(self.rate_hz),
            self.channels,
            self.rate_hz,
            (most as f64 / f64::from(self.rate_hz)).floor()
        ))
    }
}

/// No file is longer, bytes.
const MOST_BYTES: u64 = 64 << 40;

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::path::{Path, PathBuf};

    pub const ALL: [Encoding; 3] = [Encoding::Int16, Encoding::Int24, Encoding::Float32];

    pub fn file(dir: &Path, channels: usize, encoding: Encoding, samples: &[f32]) -> PathBuf {
        let path = dir.join(format!("{channels}-{encoding:?}.wav"));
        let format = Format::new(channels, 48_000.0, encoding).unwrap();
        let info = vec![(*b"INAM", "a bar, odd".to_owned()), (*b"ISFT", "tocco".to_owned())];
        let frames = (samples.len() / channels) as u64;
        let mut wav = WavWriter::new(File::create(&path).unwrap(), format, info, frames, 1).unwrap();
        wav.write(samples).unwrap();
        wav.finish().unwrap();
        path
    }

    pub fn ramp(channels: usize, frames: usize) -> Vec<f32> {
        (0..channels * frames).map(|i| ((i * 37) % 101) as f32 / 60.0 - 0.84).collect()
    }

    #[test]
    fn an_independent_reader_finds_the_samples_we_wrote() {
        let dir = tempfile::tempdir().unwrap();
        for channels in [1, 2, 3, 8] {
            for encoding in ALL {
                let samples = ramp(channels, 33);
                let path = file(dir.path(), channels, encoding, &samples);
                let mut hound = hound::WavReader::open(&path).unwrap();
                assert_eq!(usize::from(hound.spec().channels), channels);
                assert_eq!(hound.spec().sample_rate, 48_000);
                let step = 2.0_f64.powi(1 - i32::from(hound.spec().bits_per_sample));
                let got: Vec<f64> = match encoding {
                    Encoding::Float32 => hound.samples::<f32>().map(|s| f64::from(s.unwrap())).collect(),
                    _ => hound.samples::<i32>().map(|s| f64::from(s.unwrap()) * step).collect(),
                };
                assert_eq!(got.len(), samples.len());
                // Rounding is half a step; the dither adds up to one more.
                let tolerance = if encoding == Encoding::Int16 { 1.5 * step } else { 0.5001 * step };
                for (g, s) in got.iter().zip(&samples) {
                    assert!((g - f64::from(*s)).abs() <= tolerance, "{encoding:?} {g} {s}");
                }
            }
        }
    }

    #[test]
    fn our_reader_reads_what_our_writer_and_an_independent_one_wrote() {
        let dir = tempfile::tempdir().unwrap();
        for encoding in ALL {
            let samples = ramp(3, 35);
            let path = file(dir.path(), 3, encoding, &samples);
            let mut wav = WavReader::open(&path).unwrap();
            assert_eq!((wav.channels, wav.frames, wav.rate_hz), (3, 35, 48_000.0));
            assert_eq!(wav.info[0], (*b"INAM", "a bar, odd".to_owned()));
            let got = wav.read(5, 1000).unwrap();
            assert_eq!(got.len(), 90);
            assert!(got.iter().zip(&samples[15..]).all(|(g, s)| (g - s).abs() < 5e-5));
        }
        let path = dir.path().join("hound.wav");
        let spec = hound::WavSpec {
            channels: 2,
            sample_rate: 22_050,
            bits_per_sample: 24,
            sample_format: hound::SampleFormat::Int,
        };
        let mut theirs = hound::WavWriter::create(&path, spec).unwrap();
        for i in [0, 4_194_304, -8_388_608, -4_194_304] {
            theirs.write_sample(i).unwrap();
        }
        theirs.finalize().unwrap();
        assert_eq!(WavReader::open(&path).unwrap().read(0, 9).unwrap(), [0.0, 0.5, -1.0, -0.5]);
        assert_eq!(WavReader::open(&path).unwrap().read_mono(0, 9).unwrap(), [0.25, -0.75]);
    }

    #[test]
    fn what_a_wav_cannot_hold_is_refused() {
        assert!(Format::new(1, 44_100.5, Encoding::Int16).is_err());
        assert!(Format::new(40_000, 48_000.0, Encoding::Int16).is_err());
        assert!(Format::new(0, 48_000.0, Encoding::Int16).is_err());
        let format = Format::new(2, 48_000.0, Encoding::Int24).unwrap();
        assert!(format.check_length(1e8 * 48_000.0).is_ok());
        assert!(format.check_length(1e9 * 48_000.0).is_err());
        assert!(format.check_length(f64::INFINITY).is_err());
        assert!(format.check_length(f64::NAN).is_err());
    }

    #[test]
    fn beyond_4_gib_the_last_frames_are_found() {
        use std::io::{Seek, SeekFrom, Write};
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("long.wav");
        let format = Format::new(2, 48_000.0, Encoding::Float32).unwrap();
        let (info, frames) = (vec![(*b"INAM", "long".to_owned())], 700_000_000_u64);
        // A file with a hole: it claims no room on the disk.
        let mut file = File::create(&path).unwrap();
        let head = header(format, &info, frames, true);
        file.write_all(&head).unwrap();
        file.seek(SeekFrom::Start(head.len() as u64 + 8 * (frames - 1))).unwrap();
        file.write_all(&[0.25_f32, -0.5].map(f32::to_le_bytes).concat()).unwrap();
        let mut wav = WavReader::open(&path).unwrap();
        assert_eq!((wav.channels, wav.frames, wav.info.len()), (2, frames, 1));
        assert_eq!(wav.read(frames - 2, 9).unwrap(), [0.0, 0.0, 0.25, -0.5]);
        // Cut off, as by a crash: what is there is read.
        file.set_len(head.len() as u64 + 8 * 650_000_000 + 3).unwrap();
        assert_eq!(WavReader::open(&path).unwrap().frames, 650_000_000);
    }
}
