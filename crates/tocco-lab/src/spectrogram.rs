// SPDX-License-Identifier: MIT OR Apache-2.0
//! A picture of a sound: waveform above, spectrogram below, time in s, frequency in Hz (logarithmic), level in dBFS.
//!
//! Two windows share the work: a long one below 1 kHz, where modes stand close, a short one above 4 kHz, where
//! attacks matter; between them the picture blends. The file is read where it is needed, never whole.

use crate::atomic_file;
use crate::error::{Error, Result};
use crate::measure::Spectra;
use crate::wav::WavReader;
use std::path::Path;
use tocco::units::db;

const WIDTH: usize = 960;
const HEIGHT: usize = 440;
const LEFT: usize = 92;
const RIGHT: usize = 92;
const WAVE_TOP: usize = 10;
const WAVE_HEIGHT: usize = 64;
const TOP: usize = WAVE_TOP + WAVE_HEIGHT + 8;
const BOTTOM: usize = 34;
const COLUMNS: usize = WIDTH - LEFT - RIGHT;
const ROWS: usize = HEIGHT - TOP - BOTTOM;

const LOWEST_HZ: f64 = 40.0;
/// Span of the colour scale: the range of a good ear in a quiet room.
const SPAN_DB: f64 = 90.0;
/// Windows per column at most, when a column stands for more time than one window.
const MOST_WINDOWS: usize = 6;

const PAPER: [u8; 3] = [16, 18, 26];
const INK: [u8; 3] = [214, 218, 230];
const FAINT: [u8; 3] = [70, 76, 94];
const WAVE: [u8; 3] = [120, 190, 230];

/// Dark to bright with steadily rising lightness, so that it also reads in grey.
const COLOURS: [[f64; 3]; 8] = [
    [8.0, 9.0, 22.0],
    [30.0, 24.0, 82.0],
    [82.0, 28.0, 122.0],
    [148.0, 38.0, 122.0],
    [212.0, 66.0, 92.0],
    [248.0, 126.0, 60.0],
    [255.0, 196.0, 86.0],
    [255.0, 250.0, 208.0],
];

fn colour(level_01: f64) -> [u8; 3] {
    let place = level_01.clamp(0.0, 1.0) * (COLOURS.len() - 1) as f64;
    let i = (place as usize).min(COLOURS.len() - 2);
    core::array::from_fn(|c| (COLOURS[i][c] + (COLOURS[i + 1][c] - COLOURS[i][c]) * (place - i as f64)) as u8)
}

/// Glyphs of 5 by 7 dots for what axes say; each row is five bits.
const GLYPHS: &[(char, [u8; 7])] = &[
    ('0', [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110]),
    ('1', [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110]),
    ('2', [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111]),
    ('3', [0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110]),
    ('4', [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010]),
    ('5', [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110]),
    ('6', [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110]),
    ('7', [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000]),
    ('8', [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110]),
    ('9', [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100]),
    ('.', [0, 0, 0, 0, 0, 0b01100, 0b01100]),
    ('-', [0, 0, 0, 0b11111, 0, 0, 0]),
    ('k', [0b10000, 0b10000, 0b10010, 0b10100, 0b11000, 0b10100, 0b10010]),
    ('H', [0b10001, 0b10001, 0b10001, 0b11111, 0b10001, 0b10001, 0b10001]),
    ('z', [0, 0, 0b11111, 0b00010, 0b00100, 0b01000, 0b11111]),
    ('s', [0, 0, 0b01111, 0b10000, 0b01110, 0b00001, 0b11110]),
    ('d', [0b00001, 0b00001, 0b01101, 0b10011, 0b10001, 0b10011, 0b01101]),
    ('B', [0b11110, 0b10001, 0b10001, 0b11110, 0b10001, 0b10001, 0b11110]),
    ('F', [0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b10000]),
    ('S', [0b01111, 0b10000, 0b10000, 0b01110, 0b00001, 0b00001, 0b11110]),
    ('a', [0, 0, 0b01110, 0b00001, 0b01111, 0b10001, 0b01111]),
    ('b', [0b10000, 0b10000, 0b10110, 0b11001, 0b10001, 0b10001, 0b11110]),
    ('c', [0, 0, 0b01110, 0b10000, 0b10000, 0b10001, 0b01110]),
    ('e', [0, 0, 0b01110, 0b10001, 0b11111, 0b10000, 0b01110]),
    ('g', [0, 0, 0b01111, 0b10001, 0b01111, 0b00001, 0b01110]),
    ('i', [0b00100, 0, 0b01100, 0b00100, 0b00100, 0b00100, 0b01110]),
    ('l', [0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110]),
    ('m', [0, 0, 0b11010, 0b10101, 0b10101, 0b10101, 0b10101]),
    ('n', [0, 0, 0b10110, 0b11001, 0b10001, 0b10001, 0b10001]),
    ('o', [0, 0, 0b01110, 0b10001, 0b10001, 0b10001, 0b01110]),
    ('r', [0, 0, 0b10110, 0b11001, 0b10000, 0b10000, 0b10000]),
    ('t', [0b00100, 0b00100, 0b01110, 0b00100, 0b00100, 0b00101, 0b00010]),
    ('u', [0, 0, 0b10001, 0b10001, 0b10001, 0b10011, 0b01101]),
    ('y', [0, 0, 0b10001, 0b10001, 0b01111, 0b00001, 0b01110]),
];
/// Pixels per dot.
const DOT: usize = 2;
const GLYPH_WIDTH: usize = 6 * DOT;
const GLYPH_HEIGHT: usize = 7 * DOT;

struct Canvas(Vec<u8>);

impl Canvas {
    fn dot(&mut self, x: usize, y: usize, rgb: [u8; 3]) {
        if x < WIDTH && y < HEIGHT {
            let at = 3 * (y * WIDTH + x);
            self.0[at..at + 3].copy_from_slice(&rgb);
        }
    }

    fn bar(&mut self, x: usize, y: usize, width: usize, height: usize, rgb: [u8; 3]) {
        for row in y..y + height {
            for column in x..x + width {
                self.dot(column, row, rgb);
            }
        }
    }

    fn text(&mut self, x: usize, y: usize, text: &str) {
        for (i, c) in text.chars().enumerate() {
            let Some((_, rows)) = GLYPHS.iter().find(|(known, _)| *known == c) else { continue };
            for (r, bits) in rows.iter().enumerate() {
                for b in (0..5).filter(|b| bits >> (4 - b) & 1 == 1) {
                    self.bar(x + i * GLYPH_WIDTH + b * DOT, y + r * DOT, DOT, DOT, INK);
                }
            }
        }
    }
}

fn text_width(text: &str) -> usize {
    text.chars().count() * GLYPH_WIDTH
}

/// Frequency of a row's lower edge, counted from the bottom.
fn row_hz(row: f64, highest_hz: f64) -> f64 {
    LOWEST_HZ * (highest_hz / LOWEST_HZ).powf(row / ROWS as f64)
}

/// Level of a band: the strongest bin in it, or between bins where the band is narrower than one.
fn band(magnitudes: &[f64], hz_per_bin: f64, low_hz: f64, high_hz: f64) -> f64 {
    let (low, high) = (low_hz / hz_per_bin, high_hz / hz_per_bin);
    let last = magnitudes.len() - 1;
    let between = |bin: f64| {
        let i = (bin as usize).min(last);
        let next = magnitudes[(i + 1).min(last)];
        magnitudes[i] + (next - magnitudes[i]) * (bin - i as f64).clamp(0.0, 1.0)
    };
    let inside = (low.ceil() as usize..=(high as usize).min(last)).map(|i| magnitudes[i]);
    inside.fold(between(0.5 * (low + high)), f64::max)
}

/// Ticks of 1, 2 or 5 times a power of ten, at most `most` of them in `0..span`.
fn tick_step(span: f64, most: f64) -> f64 {
    let rough = (span / most).max(1e-9);
    let decade = 10_f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * decade).find(|s| *s >= rough).unwrap_or(10.0 * decade)
}

/// Something that can be drawn.
trait Sound {
    fn rate_hz(&self) -> f64;
    fn frames(&self) -> u64;
    fn read_mono(&mut self, at: u64, frames: usize) -> Result<Vec<f32>>;
}

impl Sound for WavReader {
    fn rate_hz(&self) -> f64 {
        self.rate_hz
    }
    fn frames(&self) -> u64 {
        self.frames
    }
    fn read_mono(&mut self, at: u64, frames: usize) -> Result<Vec<f32>> {
        self.read_mono(at, frames)
    }
}

/// Samples in memory and their rate.
struct Held<'a>(&'a [f32], f64);

impl Sound for Held<'_> {
    fn rate_hz(&self) -> f64 {
        self.1
    }
    fn frames(&self) -> u64 {
        self.0.len() as u64
    }
    fn read_mono(&mut self, at: u64, frames: usize) -> Result<Vec<f32>> {
        let from = (at as usize).min(self.0.len());
        Ok(self.0[from..(from + frames).min(self.0.len())].to_vec())
    }
}

/// Draws the picture of a WAV file and writes it as PNG.
pub fn picture(wav_path: &Path, png_path: &Path) -> Result<()> {
    picture_with(wav_path, png_path, &[])
}

/// The same with a word at each of some moments, s, of the letters that there are; each has room if the moments are 1/23 of the sound apart.
pub fn picture_with(wav_path: &Path, png_path: &Path, moments: &[(f64, &str)]) -> Result<()> {
    let mut wav = WavReader::open(wav_path)?;
    let seconds = (wav.frames as f64 / wav.rate_hz).max(1e-3);
    let (pixels, _) = draw(&mut wav, None, "")?;
    let mut canvas = Canvas(pixels);
    for (i, (at_s, word)) in moments.iter().enumerate() {
        let x = LEFT + (at_s / seconds * (COLUMNS - 1) as f64) as usize;
        // Three lines, in turn, so that words of neighbours stand apart.
        let y = TOP + 4 + (GLYPH_HEIGHT + 4) * (i % 3);
        canvas.bar(x, TOP, 1, y + GLYPH_HEIGHT - TOP, FAINT);
        canvas.text(x + 4, y, word);
    }
    encode(&canvas.0, WIDTH, png_path)
}

/// Draws two sounds side by side, under one colour scale, each with a word (of the letters that axes need, and few more).
pub fn pair(left: (&str, &[f32]), right: (&str, &[f32]), rate_hz: f64, png_path: &Path) -> Result<()> {
    let (a, top_db) = draw(&mut Held(left.1, rate_hz), None, left.0)?;
    let (b, _) = draw(&mut Held(right.1, rate_hz), Some(top_db), right.0)?;
    let rows = a.chunks_exact(3 * WIDTH).zip(b.chunks_exact(3 * WIDTH));
    let pixels: Vec<u8> = rows.flat_map(|(a, b)| [a, b].concat()).collect();
    encode(&pixels, 2 * WIDTH, png_path)
}

fn encode(pixels: &[u8], width: usize, png_path: &Path) -> Result<()> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, HEIGHT as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let encoded = encoder.write_header().and_then(|mut writer| writer.write_image_data(pixels));
    encoded.map_err(|e| Error::Machine(format!("cannot encode {}: {e}", png_path.display())))?;
    atomic_file::write(png_path, &bytes)
}

/// Pixels, and the level of the brightest colour (the sound's own unless given), dBFS.
fn draw(wav: &mut impl Sound, top_db: Option<f64>, word: &str) -> Result<(Vec<u8>, f64)> {
    let (rate_hz, frames) = (wav.rate_hz(), wav.frames());
    let seconds = (frames as f64 / rate_hz).max(1e-3);
    let highest_hz = (0.5 * rate_hz).min(22_000.0);
    let size = |window_s: f64| ((window_s * rate_hz) as usize).next_power_of_two();
    let mut long = Spectra::new(size(0.06));
    let mut short = Spectra::new(size(0.012));
    let (long_hz, short_hz) = (rate_hz / long.size() as f64, rate_hz / short.size() as f64);

    let mut levels = vec![0.0_f64; COLUMNS * ROWS];
    let mut wave = vec![[0.0_f32; 2]; COLUMNS];
    let frames_per_column = frames as f64 / COLUMNS as f64;
    let windows = (2.0 * frames_per_column / long.size() as f64).ceil().clamp(1.0, MOST_WINDOWS as f64) as usize;
    for column in 0..COLUMNS {
        for window in 0..windows {
            let centre = (column as f64 + (window as f64 + 0.5) / windows as f64) * frames_per_column;
            let (start, lead) = (centre as i64 - long.size() as i64 / 2, centre as i64 - short.size() as i64 / 2);
            let before = (-start).clamp(0, long.size() as i64) as usize;
            let mut samples = vec![0.0; before];
            samples.extend(wav.read_mono(start.max(0) as u64, long.size() - before)?);
            let offset = (lead - start) as usize;
            let inner = samples.get(offset..).unwrap_or(&[]);
            let (of_long, of_short) = (long.of(&samples), short.of(&inner[..inner.len().min(short.size())]));
            for row in 0..ROWS {
                let (low, high) = (row_hz(row as f64, highest_hz), row_hz(row as f64 + 1.0, highest_hz));
                let blend = ((low / 1000.0).ln() / 4_f64.ln()).clamp(0.0, 1.0);
                let level =
                    (1.0 - blend) * band(&of_long, long_hz, low, high) + blend * band(&of_short, short_hz, low, high);
                let cell = &mut levels[row * COLUMNS + column];
                *cell = cell.max(level);
            }
            // Every sample of the column counts for the waveform, up to a long window per look.
            let from = (column as f64 * frames_per_column + window as f64 * frames_per_column / windows as f64) as u64;
            let share = ((frames_per_column / windows as f64).ceil() as usize).clamp(1, 4 * long.size());
            for x in wav.read_mono(from, share)? {
                wave[column] = [wave[column][0].min(x), wave[column][1].max(x)];
            }
        }
    }

    let strongest = levels.iter().copied().fold(1e-9, f64::max);
    let top_db = top_db.unwrap_or((db(strongest) / 5.0).ceil() * 5.0);
    let mut canvas = Canvas(PAPER.repeat(WIDTH * HEIGHT));
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let level = levels[row * COLUMNS + column].max(1e-12);
            canvas.dot(LEFT + column, TOP + ROWS - 1 - row, colour(1.0 + (db(level) - top_db) / SPAN_DB));
        }
    }

    let largest = wave.iter().flatten().fold(1e-9_f32, |m, x| m.max(x.abs()));
    let half = (WAVE_HEIGHT / 2) as f32 - 1.0;
    let middle = (WAVE_TOP + WAVE_HEIGHT / 2) as f32;
    canvas.bar(LEFT, middle as usize, COLUMNS, 1, FAINT);
    for (column, [low, high]) in wave.into_iter().enumerate() {
        let (up, down) = (middle - half * high / largest, middle - half * low / largest);
        canvas.bar(LEFT + column, up as usize, 1, (down - up) as usize + 1, WAVE);
    }

    let step = tick_step(seconds, 8.0);
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    let mut tick = 0;
    while tick as f64 * step <= seconds {
        let t = tick as f64 * step;
        let x = LEFT + (t / seconds * (COLUMNS - 1) as f64) as usize;
        canvas.bar(x, TOP + ROWS, 2, 5, INK);
        let label = format!("{t:.decimals$} s");
        let at = (x - text_width(&label).min(x) / 2).min(WIDTH - RIGHT - text_width(&label) / 2);
        canvas.text(at, TOP + ROWS + 10, &label);
        tick += 1;
    }
    for hz in [50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0, 10_000.0, 20_000.0] {
        if hz >= highest_hz {
            break;
        }
        let row = (ROWS as f64 * (hz / LOWEST_HZ).ln() / (highest_hz / LOWEST_HZ).ln()) as usize;
        let y = TOP + ROWS - 1 - row;
        canvas.bar(LEFT - 6, y, 5, 2, INK);
        let label = if hz < 1000.0 { format!("{hz} Hz") } else { format!("{} kHz", hz / 1000.0) };
        canvas.text(LEFT - 8 - text_width(&label).min(LEFT - 8), y.saturating_sub(GLYPH_HEIGHT / 2), &label);
    }
    let scale_x = WIDTH - RIGHT + 12;
    for row in 0..ROWS {
        canvas.bar(scale_x, TOP + ROWS - 1 - row, 14, 1, colour(row as f64 / (ROWS - 1) as f64));
    }
    for below in [0.0, 30.0, 60.0, 90.0] {
        let y = TOP + (below / SPAN_DB * (ROWS - 1) as f64) as usize;
        let y_text = y.saturating_sub(GLYPH_HEIGHT / 2).clamp(TOP, TOP + ROWS - GLYPH_HEIGHT);
        canvas.text(scale_x + 20, y_text, &format!("{}", top_db - below));
    }
    canvas.text(scale_x, TOP.saturating_sub(GLYPH_HEIGHT + 6), "dBFS");
    canvas.text(WIDTH - RIGHT - 8 - text_width(word), WAVE_TOP, word);
    Ok((canvas.0, top_db))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wav::{Encoding, Format, Info, WavWriter};

    fn row_of(hz: f64) -> usize {
        (ROWS as f64 * (hz / LOWEST_HZ).ln() / (22_000.0_f64 / LOWEST_HZ).ln()) as usize
    }

    #[test]
    fn a_steady_tone_is_a_bright_line_at_its_frequency_and_nothing_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        for hz in [220.0, 2000.0, 9000.0] {
            let path = dir.path().join("tone.wav");
            let format = Format::new(1, 48_000.0, Encoding::Float32).unwrap();
            let samples: Vec<f32> = (0..48_000)
                .map(|i| 0.5 * (std::f64::consts::TAU * hz * f64::from(i) / 48_000.0).sin() as f32)
                .collect();
            let mut wav =
                WavWriter::new(std::fs::File::create(&path).unwrap(), format, Info::new(), 48_000, 1).unwrap();
            wav.write(&samples).unwrap();
            wav.finish().unwrap();
            let (pixels, _) = draw(&mut WavReader::open(&path).unwrap(), None, "").unwrap();
            let light = |row: usize| {
                let at = 3 * ((TOP + ROWS - 1 - row) * WIDTH + LEFT + COLUMNS / 2);
                pixels[at..at + 3].iter().map(|&c| u32::from(c)).sum::<u32>()
            };
            let brightest = (0..ROWS).max_by_key(|&row| light(row)).unwrap();
            assert!(brightest.abs_diff(row_of(hz)) <= 4, "{hz}: row {brightest}, expected {}", row_of(hz));
            assert!(light(row_of(hz / 3.0)) < 60 && light(row_of(hz * 2.3)) < 60);
        }
    }

    #[test]
    fn every_label_can_be_drawn() {
        for c in "0123456789.- kHzsdBFS recording body rubber acrylic oak marble glass steel bronze"
            .chars()
            .filter(|c| *c != ' ')
        {
            assert!(GLYPHS.iter().any(|(known, _)| *known == c), "{c}");
        }
    }

    #[test]
    fn an_empty_file_gives_a_picture_and_no_panic() {
        let dir = tempfile::tempdir().unwrap();
        let (path, png) = (dir.path().join("empty.wav"), dir.path().join("empty.png"));
        let format = Format::new(2, 44_100.0, Encoding::Int16).unwrap();
        WavWriter::new(std::fs::File::create(&path).unwrap(), format, Info::new(), 0, 1).unwrap().finish().unwrap();
        picture(&path, &png).unwrap();
        assert!(std::fs::read(png).unwrap().starts_with(b"\x89PNG"));
    }
}
