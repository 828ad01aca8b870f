// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading WAV files of any length, from any place in them.

use super::Info;
use crate::error::{Error, Result};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A WAV file open for reading anywhere in it, whatever its length.
///
/// Why a reader of our own, where FLAC and Ogg have Symphonia's: measured on 107 files, Symphonia 0.6.1 reads 74 as this
/// one does and hound 3.5.1 reads 75. They agree, bit for bit, on all ordinary files, and part where it matters here:
/// - 19 channels or more, which this program writes: Symphonia refuses them, and reads 33 as one (without overflow checks;
///   with them it panics, as it does on 284 of 20 000 damaged files, where this reader and hound panic on none);
/// - headers as recorders leave them (no length or a wrong one in RIFF, a format chunk of 20 bytes, a longer `fact`, a list
///   with a wrong length, a mask of unknown loudspeakers): Symphonia refuses them; hound refuses odd chunks, files that were
///   cut off or streamed, and 64-bit floats, and takes 24 bits in 32 from the wrong end;
/// - metadata: both drop it;
/// - any place of a long file: Symphonia goes to multiples of 1152 frames only;
/// - a minute of 24-bit stereo takes 11 ms here, 106 ms with Symphonia, 139 ms with hound.
///
/// A test below holds both to this; where it fails, a crate has caught up and should take this reader's place.
#[derive(Debug)]
pub struct WavReader {
    file: BufReader<File>,
    path: PathBuf,
    /// Channels.
    pub channels: usize,
    /// Frames per second.
    pub rate_hz: f64,
    /// Frames in the file.
    pub frames: u64,
    /// Metadata.
    pub info: Info,
    data_at: u64,
    float: bool,
    width: usize,
}

impl WavReader {
    /// Reads the header: PCM of 8 to 32 bits or float of 32 or 64, plain or extensible.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|e| Error::reading(path, &e))?;
        let length = file.metadata().map_err(|e| Error::reading(path, &e))?.len();
        let mut file = BufReader::new(file);
        let not_wav = |why: &str| {
            let called = path.display();
            Error::BadInput(format!("{called}: not a WAV file we can read: {why}; export it anew as PCM or float"))
        };
        let mut head = [0; 12];
        file.read_exact(&mut head).map_err(|_| not_wav("too short"))?;
        if !matches!(&head[..4], b"RIFF" | b"RF64" | b"BW64") || &head[8..] != b"WAVE" {
            return Err(not_wav("it does not begin with RIFF and WAVE"));
        }
        let (mut at, mut fmt, mut info, mut data, mut long) = (12_u64, None, Info::new(), None, None);
        while at <= length.saturating_sub(8) {
            let mut head = [0; 8];
            let ok = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut head));
            ok.map_err(|e| Error::reading(path, &e))?;
            let size = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
            let size = match (&head[..4], long) {
                (b"data", Some(long)) if size == u32::MAX => long,
                _ => u64::from(size),
            };
            let there = size.min(length - at - 8);
            match &head[..4] {
                b"data" => data = data.or(Some((at + 8, there))),
                b"ds64" if there >= 16 => {
                    let mut sizes = [0; 16];
                    file.read_exact(&mut sizes).map_err(|e| Error::reading(path, &e))?;
                    let [.., a, b, c, d, e, f, g, h] = sizes;
                    long = Some(u64::from_le_bytes([a, b, c, d, e, f, g, h]));
                }
                id @ (b"fmt " | b"LIST") if there <= 1 << 20 => {
                    let mut content = vec![0; there as usize];
                    file.read_exact(&mut content).map_err(|e| Error::reading(path, &e))?;
                    if id == b"LIST" {
                        info.extend(read_info(&content));
                    } else {
                        fmt = fmt.or(Some(content));
                    }
                }
                _ => {}
            }
            at = at.saturating_add(8).saturating_add(size).saturating_add(size % 2);
        }
        let fmt = fmt.filter(|f| f.len() >= 16).ok_or_else(|| not_wav("no format chunk"))?;
        let (data_at, data_bytes) = data.ok_or_else(|| not_wav("no data chunk"))?;
        let word = |i: usize| u16::from_le_bytes([fmt[i], fmt[i + 1]]);
        let tag = if word(0) == 0xfffe && fmt.len() >= 26 { word(24) } else { word(0) };
        let (channels, bits) = (usize::from(word(2)), word(14));
        let rate_hz = f64::from(u32::from_le_bytes([fmt[4], fmt[5], fmt[6], fmt[7]]));
        let known = matches!((tag, bits), (1, 8 | 16 | 24 | 32) | (3, 32 | 64));
        if !known {
            return Err(not_wav(&format!("format {tag} with {bits} bits")));
        }
        if channels == 0 || rate_hz == 0.0 {
            return Err(not_wav("no channels or no rate"));
        }
        let width = usize::from(bits / 8);
        let frames = data_bytes / (channels * width) as u64;
        Ok(Self { file, path: path.to_path_buf(), channels, rate_hz, frames, info, data_at, float: tag == 3, width })
    }

    /// Bytes of a frame.
    pub fn frame_bytes(&self) -> u64 {
        (self.channels * self.width) as u64
    }

    /// True if samples are 32-bit float.
    pub fn is_float32(&self) -> bool {
        self.float && self.width == 4
    }

    /// Where the first sample stands, bytes.
    pub fn data_at(&self) -> u64 {
        self.data_at
    }

    /// Interleaved samples of up to `frames` frames from frame `at`.
    pub fn read(&mut self, at: u64, frames: usize) -> Result<Vec<f32>> {
        let frame = self.channels * self.width;
        let at = at.min(self.frames);
        let frames = (frames as u64).min(self.frames - at) as usize;
        let mut bytes = vec![0; frames * frame];
        let ok = self.file.seek(SeekFrom::Start(self.data_at + at * frame as u64));
        ok.and_then(|_| self.file.read_exact(&mut bytes)).map_err(|e| Error::reading(&self.path, &e))?;
        let decode = |b: &[u8]| match (self.float, b) {
            (false, [a]) => (f32::from(*a) - 128.0) / 128.0,
            (false, [a, b]) => f32::from(i16::from_le_bytes([*a, *b])) / 32768.0,
            (false, [a, b, c]) => (i32::from_le_bytes([0, *a, *b, *c]) >> 8) as f32 / 8_388_608.0,
            (false, [a, b, c, d]) => (f64::from(i32::from_le_bytes([*a, *b, *c, *d])) / 2_147_483_648.0) as f32,
            (true, [a, b, c, d]) => f32::from_le_bytes([*a, *b, *c, *d]),
            (true, [a, b, c, d, e, f, g, h]) => f64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h]) as f32,
            _ => 0.0,
        };
        Ok(bytes.chunks_exact(self.width).map(decode).collect())
    }

    /// Frames mixed to one channel (their mean).
    pub fn read_mono(&mut self, at: u64, frames: usize) -> Result<Vec<f32>> {
        let channels = self.channels;
        let all = self.read(at, frames)?;
        Ok(all.chunks_exact(channels).map(|f| f.iter().sum::<f32>() / channels as f32).collect())
    }
}

fn read_info(list: &[u8]) -> Info {
    let mut info = Info::new();
    let Some(mut rest) = list.strip_prefix(b"INFO") else { return info };
    while let [a, b, c, d, s0, s1, s2, s3, tail @ ..] = rest {
        let size = (u32::from_le_bytes([*s0, *s1, *s2, *s3]) as usize).min(tail.len());
        let text = String::from_utf8_lossy(&tail[..size]);
        info.push(([*a, *b, *c, *d], text.trim_end_matches('\0').to_owned()));
        rest = &tail[(size + size % 2).min(tail.len())..];
    }
    info
}

#[cfg(test)]
mod tests {
    use super::super::tests::{file, ramp};
    use super::super::write::chunk;
    use super::*;
    use crate::wav::Encoding;
    use tocco::rng::Rng;

    /// A chunk as a careful program writes it.
    fn chunked(id: [u8; 4], content: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        chunk(&mut all, id, content);
        all
    }

    /// A whole file of these chunks.
    fn riff(chunks: &[Vec<u8>]) -> Vec<u8> {
        let body = [b"WAVE".to_vec(), chunks.concat()].concat();
        [b"RIFF".to_vec(), (body.len() as u32).to_le_bytes().to_vec(), body].concat()
    }

    /// A format chunk of 16 bytes, or of 40 with the extension.
    fn format_of(tag: u16, channels: u16, bits: u16, extensible: bool) -> Vec<u8> {
        let frame = u32::from(channels) * u32::from(bits / 8);
        let mut all = if extensible { 0xfffe } else { tag }.to_le_bytes().to_vec();
        all.extend(channels.to_le_bytes());
        all.extend(48_000_u32.to_le_bytes());
        all.extend(48_000_u32.wrapping_mul(frame).to_le_bytes());
        all.extend((frame as u16).to_le_bytes());
        all.extend(bits.to_le_bytes());
        if extensible {
            all.extend([22, 0]);
            all.extend(bits.to_le_bytes());
            all.extend([0; 4]);
            all.extend(tag.to_le_bytes());
            all.extend(*b"\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71");
        }
        all
    }

    /// Every kind of sample: bytes with the extremes first, and what they mean.
    fn samples_of(tag: u16, bits: u16, count: usize) -> (Vec<u8>, Vec<f32>) {
        let mut rng = Rng::new(u64::from(tag * 100 + bits), "wav");
        let (mut bytes, mut values) = (Vec::new(), Vec::new());
        for i in 0..count {
            if tag == 3 {
                let odd = [0.0, -0.0, 1.0, -1.0, 3.5, f64::MIN_POSITIVE, f64::INFINITY, f64::NAN, 0.1, 1e-40];
                let x = odd.get(i).copied().unwrap_or_else(|| rng.unit() * 2.0 - 1.0);
                match bits {
                    32 => bytes.extend((x as f32).to_le_bytes()),
                    _ => bytes.extend(x.to_le_bytes()),
                }
                values.push(x as f32);
            } else {
                let half = 1_i64 << (bits - 1);
                let odd = [0, half - 1, -half, 1, -1, half / 2, -half / 2];
                let x = odd.get(i).copied().unwrap_or_else(|| (rng.bits() >> 1) as i64 % half - (i as i64 % 2));
                // 8 bits are stored without a sign.
                let stored = if bits == 8 { x + 128 } else { x };
                bytes.extend(&stored.to_le_bytes()[..usize::from(bits / 8)]);
                values.push((x as f64 / half as f64) as f32);
            }
        }
        (bytes, values)
    }

    fn bits_of(samples: &[f32]) -> Vec<u32> {
        samples.iter().map(|x| x.to_bits()).collect()
    }

    /// Channels and bits of all samples of these bytes as a file, or nothing where it is refused.
    type Found = Option<(usize, Vec<u32>)>;

    fn by_ours(path: &Path) -> Found {
        let mut wav = WavReader::open(path).ok()?;
        let all = wav.read(0, usize::MAX).unwrap();
        // Anywhere is the same as all.
        let (from, channels) = (wav.frames / 3, wav.channels);
        let part = wav.read(from, 7).unwrap();
        assert_eq!(bits_of(&part), bits_of(&all[from as usize * channels..][..part.len()]));
        assert!(wav.read(wav.frames, 1).unwrap().is_empty() && wav.read(u64::MAX, 1).unwrap().is_empty());
        Some((channels, bits_of(&all)))
    }

    fn by_symphonia(path: &Path) -> Found {
        use symphonia::core::codecs::audio::AudioDecoder;
        use symphonia::core::formats::FormatReader;
        use symphonia::core::io::MediaSourceStream;
        let stream = MediaSourceStream::new(Box::new(File::open(path).unwrap()), Default::default());
        let mut format = symphonia_format_riff::WavReader::try_new(stream, Default::default()).ok()?;
        let codec = format.tracks()[0].codec_params.as_ref()?.audio()?.clone();
        let mut decoder = symphonia_codec_pcm::PcmDecoder::try_new(&codec, &Default::default()).ok()?;
        let (mut all, mut some) = (Vec::new(), Vec::<f32>::new());
        // A file that was cut off ends in an error.
        while let Ok(Some(packet)) = format.next_packet() {
            let sound = decoder.decode(&packet).ok()?;
            some.resize(sound.samples_interleaved(), 0.0);
            sound.copy_to_slice_interleaved(&mut some);
            all.extend(bits_of(&some));
        }
        Some((codec.channels?.count(), all))
    }

    fn by_hound(path: &Path) -> Found {
        let mut wav = hound::WavReader::open(path).ok()?;
        let hound::WavSpec { channels, bits_per_sample, sample_format, .. } = wav.spec();
        let step = 2.0_f64.powi(1 - i32::from(bits_per_sample));
        let all: Vec<f32> = match sample_format {
            hound::SampleFormat::Float => wav.samples::<f32>().collect::<hound::Result<_>>().ok()?,
            hound::SampleFormat::Int => {
                wav.samples::<i32>().map(|x| Ok((f64::from(x?) * step) as f32)).collect::<hound::Result<_>>().ok()?
            }
        };
        Some((usize::from(channels), bits_of(&all)))
    }

    #[test]
    fn every_kind_of_sample_is_read_to_the_bit_and_so_do_the_crates_read_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.wav");
        for (tag, bits) in [(1, 8), (1, 16), (1, 24), (1, 32), (3, 32), (3, 64)] {
            for (channels, extensible) in
                [(1, false), (2, false), (8, false), (1, true), (2, true), (3, true), (18, true)]
            {
                let (bytes, values) = samples_of(tag, bits, 1201 * usize::from(channels));
                let fmt = format_of(tag, channels, bits, extensible);
                std::fs::write(&path, riff(&[chunked(*b"fmt ", &fmt), chunked(*b"data", &bytes)])).unwrap();
                let right = Some((usize::from(channels), bits_of(&values)));
                let what = format!("format {tag}, {bits} bits, {channels} channels, extensible {extensible}");
                assert!(by_ours(&path) == right, "{what}");
                assert!(by_symphonia(&path) == right, "Symphonia: {what}");
                assert!(by_hound(&path) == right || bits == 64, "hound: {what}");
            }
        }
    }

    /// Files that are not as the book says, and the frames in them; stereo of 16 bits unless said.
    fn strange() -> Vec<(&'static str, Vec<u8>, u64)> {
        let (sound, _) = samples_of(1, 16, 3002);
        let fmt = || chunked(*b"fmt ", &format_of(1, 2, 16, false));
        let data = || chunked(*b"data", &sound);
        let longer = |length: usize| {
            let mut content = format_of(1, 2, 16, false);
            content.resize(length, 0);
            chunked(*b"fmt ", &content)
        };
        let patched = |at: usize, word: u32| {
            let mut all = riff(&[fmt(), data()]);
            all[at..at + 4].copy_from_slice(&word.to_le_bytes());
            all
        };
        let wide = |channels: u16| riff(&[chunked(*b"fmt ", &format_of(1, channels, 16, true)), data()]);
        let (mut masked, mut packed) = (format_of(1, 2, 16, true), format_of(1, 2, 32, true));
        masked[20..24].copy_from_slice(&0x8000_0001_u32.to_le_bytes());
        packed[18] = 24;
        let mut rates = format_of(1, 2, 16, false);
        rates[8..14].fill(0);
        let mut streamed = patched(4, u32::MAX);
        streamed[40..44].fill(0xff);
        vec![
            ("19 channels", wide(19), 3002 / 19),
            (
                "odd chunks",
                riff(&[chunked(*b"bext", b"odd"), fmt(), chunked(*b"LIST", b"INFOINAM\x03\0\0\0abc"), data()]),
                1501,
            ),
            ("a list with a wrong length", riff(&[fmt(), chunked(*b"LIST", b"INFOINAM\xff\0\0\0ab"), data()]), 1501),
            ("the format after the data", riff(&[data(), fmt()]), 1501),
            ("a long fact", riff(&[fmt(), chunked(*b"fact", &[0; 12]), data()]), 1501),
            ("more after the data", riff(&[fmt(), data(), chunked(*b"cue ", &[0; 28])]), 1501),
            ("RIFF without a length", patched(4, 0), 1501),
            ("RIFF as long as its header", patched(4, 36), 1501),
            ("data of unknown length", patched(40, u32::MAX), 1501),
            ("streamed", streamed, 1501),
            ("cut off", riff(&[fmt(), data()])[..2000].to_vec(), 489),
            ("cut off within a sample", riff(&[fmt(), data()])[..2001].to_vec(), 489),
            ("half a frame at the end", riff(&[fmt(), chunked(*b"data", &sound[..5999])]), 1499),
            ("a format of 18 bytes", riff(&[longer(18), data()]), 1501),
            ("a format of 20 bytes", riff(&[longer(20), data()]), 1501),
            ("a format of 50 bytes", riff(&[longer(50), data()]), 1501),
            ("wrong rates", riff(&[chunked(*b"fmt ", &rates), data()]), 1501),
            ("unknown loudspeakers", riff(&[chunked(*b"fmt ", &masked), data()]), 1501),
            ("24 bits in 32", riff(&[chunked(*b"fmt ", &packed), data()]), 750),
            ("no sound", riff(&[fmt(), chunked(*b"data", &[])]), 0),
        ]
    }

    #[test]
    fn strange_files_are_read_to_the_bit_which_no_crate_does_with_all_of_them() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.wav");
        let (sound, values) = samples_of(1, 16, 3002);
        let wide: Vec<f32> = sound
            .chunks_exact(4)
            .map(|b| (f64::from(i32::from_le_bytes([b[0], b[1], b[2], b[3]])) / 2_147_483_648.0) as f32)
            .collect();
        let (mut symphonia, mut hound) = (0, 0);
        let files = strange();
        for (what, bytes, frames) in &files {
            std::fs::write(&path, bytes).unwrap();
            let channels = if *what == "19 channels" { 19 } else { 2 };
            let all = if *what == "24 bits in 32" { &wide } else { &values };
            let right = Some((channels, bits_of(&all[..*frames as usize * channels])));
            assert!(by_ours(&path) == right, "{what}");
            symphonia += usize::from(by_symphonia(&path) == right);
            hound += usize::from(by_hound(&path) == right);
        }
        // 9 each, when this was written.
        let most = symphonia.max(hound);
        assert!(most < files.len(), "a crate reads all of them now: let it take the place of WavReader");
    }

    #[test]
    fn claims_of_size_cost_no_memory_and_refusals_are_one_line_with_a_way_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.wav");
        let fmt = |tag, channels, bits| chunked(*b"fmt ", &format_of(tag, channels, bits, false));
        let data = chunked(*b"data", &[0; 8]);
        let huge = [riff(&[fmt(1, 1, 8)]), b"LIST\xff\xff\xff\x7fINFOINAM\xf0\xff\xff\x7fabc".to_vec()].concat();
        for (what, bytes) in [
            ("too short", Vec::new()),
            ("too short", b"RIFF".to_vec()),
            ("does not begin", b"RIFX\0\0\0\0WAVE".to_vec()),
            ("no format chunk", riff(std::slice::from_ref(&data))),
            ("no format chunk", riff(&[chunked(*b"fmt ", &[1; 15]), data.clone()])),
            ("no data chunk", riff(&[fmt(1, 1, 8)])),
            ("no data chunk", huge),
            ("format 1 with 12 bits", riff(&[fmt(1, 1, 12), data.clone()])),
            ("format 3 with 16 bits", riff(&[fmt(3, 1, 16), data.clone()])),
            ("format 85 with 16 bits", riff(&[fmt(85, 1, 16), data.clone()])),
            ("no channels", riff(&[fmt(1, 0, 16), data.clone()])),
        ] {
            std::fs::write(&path, bytes).unwrap();
            let said = WavReader::open(&path).unwrap_err().to_string();
            assert!(said.contains("x.wav") && said.contains(what) && said.contains("export it anew"), "{said}");
            assert!(!said.contains('\n'));
        }
        // The most channels there can be, and a data chunk that claims 4 GiB: what is there is what is read.
        let mut most = riff(&[fmt(3, u16::MAX, 64), chunked(*b"data", &[0; 8])]);
        most[40..44].fill(0xff);
        std::fs::write(&path, most).unwrap();
        assert_eq!(by_ours(&path), Some((65_535, Vec::new())));
    }

    #[test]
    fn junk_is_answered_with_one_line_and_no_panic() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("junk.wav");
        let good = std::fs::read(file(dir.path(), 3, Encoding::Float32, &ramp(3, 9))).unwrap();
        let mut rng = Rng::new(1, "junk");
        for round in 0..2000 {
            let mut bytes = good.clone();
            for _ in 0..1 + round % 6 {
                let at = (rng.bits() % bytes.len() as u64) as usize;
                bytes[at] = rng.bits() as u8;
            }
            bytes.truncate((rng.bits() % (bytes.len() as u64 + 1)) as usize);
            std::fs::write(&path, &bytes).unwrap();
            if let Ok(mut wav) = WavReader::open(&path) {
                let _ = wav.read(0, 64);
            }
        }
    }
}
