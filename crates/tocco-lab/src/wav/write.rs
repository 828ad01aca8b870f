// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writing WAV files: header, samples as bytes, sizes at the end.

use super::{Encoding, Format, Info};
use std::cmp::Ordering::{Equal, Less};
use std::io::{self, Write};
use tocco::rng::Rng;

/// Frames of a file whose length nobody knows, as in a pipe.
pub const UNKNOWN: u64 = u64::MAX;

/// The size that says: look into `ds64`, or, where there is none, until the end.
const BEYOND: u32 = u32::MAX;

/// Everything before the first sample. `room`: with 36 bytes for sizes of 64 bits, so that the header of a file that grows keeps
/// its length when it becomes an RF64 (EBU Tech 3306); until then they are a `JUNK` chunk, and the file is a plain RIFF.
pub fn header(format: Format, info: &Info, frames: u64, room: bool) -> Vec<u8> {
    let Format { channels, rate_hz, encoding } = format;
    let bits = encoding.bytes() as u16 * 8;
    let tag: u16 = if encoding == Encoding::Float32 { 3 } else { 1 };
    let extensible = channels > 2;
    let frame = format.frame_bytes() as u16;
    let data = frames.saturating_mul(format.frame_bytes());

    let mut fmt = Vec::new();
    fmt.extend(if extensible { 0xfffe_u16 } else { tag }.to_le_bytes());
    fmt.extend(channels.to_le_bytes());
    fmt.extend(rate_hz.to_le_bytes());
    fmt.extend((rate_hz * u32::from(frame)).to_le_bytes());
    fmt.extend(frame.to_le_bytes());
    fmt.extend(bits.to_le_bytes());
    if extensible {
        fmt.extend(22_u16.to_le_bytes());
        fmt.extend(bits.to_le_bytes());
        fmt.extend(0_u32.to_le_bytes());
        fmt.extend(tag.to_le_bytes());
        fmt.extend([0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]);
    } else if tag == 3 {
        fmt.extend(0_u16.to_le_bytes());
    }

    // All that follows the room for long sizes.
    let mut body = Vec::new();
    chunk(&mut body, *b"fmt ", &fmt);
    let fact_at = body.len() + 8;
    if tag == 3 {
        chunk(&mut body, *b"fact", &[0; 4]);
    }
    if !info.is_empty() {
        let mut list = b"INFO".to_vec();
        for (id, text) in info {
            let mut text = text.replace('\0', " ").into_bytes();
            text.push(0);
            chunk(&mut list, *id, &text);
        }
        chunk(&mut body, *b"LIST", &list);
    }
    body.extend(b"data");
    let size_at = body.len();
    body.extend([0; 4]);

    let riff = (4 + if room { LONG_SIZES + 8 } else { 0 } + body.len()) as u64;
    let riff = riff.saturating_add(data).saturating_add(data % 2);
    let long = riff > u64::from(BEYOND - 1);
    let short = |size: u64| if long { BEYOND } else { size as u32 }.to_le_bytes();
    if tag == 3 {
        body[fact_at..fact_at + 4].copy_from_slice(&short(frames));
    }
    body[size_at..].copy_from_slice(&short(data));

    let mut all = if long && room { b"RF64" } else { b"RIFF" }.to_vec();
    all.extend(short(riff));
    all.extend(b"WAVE");
    if room {
        let mut sizes = Vec::new();
        if long {
            sizes.extend([riff, data, frames].into_iter().flat_map(u64::to_le_bytes));
        }
        sizes.resize(LONG_SIZES, 0);
        chunk(&mut all, if long { *b"ds64" } else { *b"JUNK" }, &sizes);
    }
    all.extend(body);
    all
}

/// Bytes of three sizes and an empty table.
const LONG_SIZES: usize = 28;

pub(super) fn chunk(into: &mut Vec<u8>, id: [u8; 4], content: &[u8]) {
    into.extend(id);
    into.extend((content.len() as u32).to_le_bytes());
    into.extend(content);
    if content.len() % 2 == 1 {
        into.push(0);
    }
}

/// Turns samples into bytes and counts what passes full scale.
pub struct Encoder {
    encoding: Encoding,
    dither: Rng,
    /// Samples beyond full scale so far; integer formats clip them.
    pub over: u64,
}

impl Encoder {
    /// The dither is seeded, so that files are repeatable.
    pub fn new(encoding: Encoding, seed: u64) -> Self {
        Self { encoding, dither: Rng::new(seed, "tocco/dither"), over: 0 }
    }

    /// Replaces `bytes` by the bytes of `samples`.
    pub fn encode(&mut self, samples: &[f32], bytes: &mut Vec<u8>) {
        bytes.resize(samples.len() * self.encoding.bytes() as usize, 0);
        // Not `> 1`: what is not a number counts too.
        self.over += samples.iter().filter(|x| !matches!(x.abs().partial_cmp(&1.0), Some(Less | Equal))).count() as u64;
        match self.encoding {
            Encoding::Int16 => {
                for (x, b) in samples.iter().zip(bytes.chunks_exact_mut(2)) {
                    let noise = self.dither.unit() - self.dither.unit();
                    let y = nearest(f64::from(*x) * 32768.0 + noise).clamp(-32768, 32767) as i16;
                    b.copy_from_slice(&y.to_le_bytes());
                }
            }
            Encoding::Int24 => {
                let whole =
                    |x: f32| nearest(f64::from(x) * 8_388_608.0).clamp(-8_388_608, 8_388_607) as u32 & 0xff_ffff;
                // Four samples are three words: several times faster than three bytes at a time.
                let (fours, rest) = samples.as_chunks::<4>();
                let (packed, tail) = bytes.split_at_mut(fours.len() * 12);
                for (four, b) in fours.iter().zip(packed.as_chunks_mut::<12>().0) {
                    let [y0, y1, y2, y3] = four.map(whole);
                    b[..4].copy_from_slice(&(y0 | y1 << 24).to_le_bytes());
                    b[4..8].copy_from_slice(&(y1 >> 8 | y2 << 16).to_le_bytes());
                    b[8..].copy_from_slice(&(y2 >> 16 | y3 << 8).to_le_bytes());
                }
                for (x, b) in rest.iter().zip(tail.chunks_exact_mut(3)) {
                    b.copy_from_slice(&whole(*x).to_le_bytes()[..3]);
                }
            }
            Encoding::Float32 => {
                for (x, b) in samples.iter().zip(bytes.chunks_exact_mut(4)) {
                    b.copy_from_slice(&x.to_le_bytes());
                }
            }
        }
    }
}

/// Nearest whole number, halves away from zero; saturates, and what is not a number becomes 0. Several times faster than
/// `round`, which is a call on the baseline target.
#[inline]
fn nearest(x: f64) -> i32 {
    (x + 0.5_f64.copysign(x)) as i32
}

/// A file's bytes go here; sizes are filled in at the end where the target can seek.
pub struct WavWriter<W: Write> {
    out: W,
    format: Format,
    info: Info,
    /// There is room for long sizes.
    room: bool,
    encoder: Encoder,
    bytes: Vec<u8>,
    frames: u64,
}

impl<W: Write> WavWriter<W> {
    /// Writes the header for so many frames. Where fewer come, `finish` must be followed by a rewrite; more may not come.
    pub fn new(mut out: W, format: Format, info: Info, frames: u64, dither_seed: u64) -> io::Result<Self> {
        let room = frames != UNKNOWN && frames > format.most_short_frames(&info);
        out.write_all(&header(format, &info, frames, room))?;
        let encoder = Encoder::new(format.encoding, dither_seed);
        Ok(Self { out, format, info, room, encoder, bytes: Vec::new(), frames: 0 })
    }

    /// Appends interleaved samples, whole frames.
    pub fn write(&mut self, samples: &[f32]) -> io::Result<()> {
        self.encoder.encode(samples, &mut self.bytes);
        self.frames += (samples.len() / usize::from(self.format.channels)) as u64;
        self.out.write_all(&self.bytes)
    }

    /// Samples beyond full scale so far.
    pub fn over(&self) -> u64 {
        self.encoder.over
    }

    /// Pads and flushes; gives the target back with the header that now describes it.
    pub fn finish(mut self) -> io::Result<(W, Vec<u8>)> {
        if (self.frames * self.format.frame_bytes()) % 2 == 1 {
            self.out.write_all(&[0])?;
        }
        self.out.flush()?;
        Ok((self.out, header(self.format, &self.info, self.frames, self.room)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::file;
    use super::*;

    #[test]
    fn sizes_in_the_header_agree_with_the_file_even_for_an_odd_number_of_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let path = file(dir.path(), 1, Encoding::Int24, &[0.1, 0.2, 0.3]);
        let bytes = std::fs::read(path).unwrap();
        let riff = u32::from_le_bytes(bytes[4..8].try_into().unwrap());
        assert_eq!(riff as usize + 8, bytes.len());
        assert_eq!(bytes.len() % 2, 0);
    }

    #[test]
    fn samples_beyond_full_scale_are_clipped_and_counted() {
        let mut encoder = Encoder::new(Encoding::Int24, 1);
        let mut bytes = Vec::new();
        encoder.encode(&[1.5, -1.5, 1.0, f32::INFINITY, f32::NAN], &mut bytes);
        assert_eq!(encoder.over, 4);
        assert_eq!(bytes[..6], [0xff, 0xff, 0x7f, 0, 0, 0x80]);
    }

    #[test]
    fn dither_is_repeatable_and_keeps_a_signal_smaller_than_a_step() {
        let quiet = vec![0.25 / 32768.0; 40_000];
        let mean = |seed| {
            let mut bytes = Vec::new();
            Encoder::new(Encoding::Int16, seed).encode(&quiet, &mut bytes);
            let sum: i64 = bytes.chunks_exact(2).map(|b| i64::from(i16::from_le_bytes([b[0], b[1]]))).sum();
            sum as f64 / quiet.len() as f64
        };
        assert_eq!(mean(1), mean(1));
        assert_ne!(mean(1), mean(2));
        // Total error of triangular dither: sqrt(1/4) of a step; five standard errors.
        assert!((mean(1) - 0.25).abs() < 5.0 * 0.5 / 200.0, "{}", mean(1));
    }

    #[test]
    fn a_header_with_room_keeps_its_length_and_says_more_than_32_bits_when_it_must() {
        let format = Format::new(2, 48_000.0, Encoding::Float32).unwrap();
        let info = vec![(*b"INAM", "long".to_owned())];
        let most = format.most_short_frames(&info);
        let word = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let wide = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        let length = header(format, &info, 0, true).len();
        for frames in [0, 1, most, most + 1, 1 << 29, 1 << 33] {
            let head = header(format, &info, frames, true);
            assert_eq!(head.len(), length);
            assert_eq!(&head[length - 8..length - 4], b"data");
            let riff = length as u64 - 8 + 8 * frames;
            if riff < u64::from(u32::MAX) {
                assert_eq!((&head[..4], &head[12..16]), (&b"RIFF"[..], &b"JUNK"[..]), "{frames}");
                assert_eq!((u64::from(word(&head, 4)), u64::from(word(&head, length - 4))), (riff, 8 * frames));
            } else {
                // EBU Tech 3306, section 3: ds64 comes first, and sizes of 32 bits are all ones.
                assert_eq!((&head[..4], &head[12..16]), (&b"RF64"[..], &b"ds64"[..]), "{frames}");
                assert_eq!((word(&head, 4), word(&head, length - 4), word(&head, 16)), (u32::MAX, u32::MAX, 28));
                assert_eq!([wide(&head, 20), wide(&head, 28), wide(&head, 36)], [riff, 8 * frames, frames]);
            }
        }
        assert_eq!(&header(format, &info, most, false)[..4], b"RIFF");
        assert!(header(format, &info, most, false).len() < length);
    }

    #[test]
    fn what_is_rendered_beyond_4_gib_is_an_rf64_and_a_plain_wav_up_to_it() {
        let (format, info) = (Format::new(2, 48_000.0, Encoding::Float32).unwrap(), Info::new());
        let most = format.most_short_frames(&info);
        for (frames, begins) in [(most, b"RIFF"), (most + 2, b"RF64")] {
            let (bytes, _) = WavWriter::new(Vec::new(), format, info.clone(), frames, 1).unwrap().finish().unwrap();
            assert_eq!(&bytes[..4], begins, "{frames}");
        }
    }
}
