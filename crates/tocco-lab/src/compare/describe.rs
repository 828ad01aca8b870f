// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sound in ten numbers: what tells a real one from one that is not quite.
//!
//! All but the last are of the first stroke, counted from its onset. None is a number where the sound does not have it: a bowed note
//! does not decay, a single stroke has no other to differ from.

use crate::analyse::onset::{envelope, restrikes};
use realfft::RealFftPlanner;
use tocco::math::{cos, exp, ln, log10};
use tocco::units::db;

/// One of the ten: its name, what it is, and what counts as a step of it when two sounds are drawn beside each other.
#[derive(Clone, Copy, Debug)]
pub struct Descriptor {
    /// For programs and the table of recordings.
    pub id: &'static str,
    /// For axes.
    pub short: &'static str,
    /// For people, with its unit.
    pub words: &'static str,
    /// A step: a ratio if `is_log`, else a difference.
    pub step: f64,
    /// Compared by ratio.
    pub is_log: bool,
}

const fn row(id: &'static str, short: &'static str, words: &'static str, step: f64, is_log: bool) -> Descriptor {
    Descriptor { id, short, words, step, is_log }
}

/// The ten, in the order of [`Described::values`].
pub const ALL: [Descriptor; 10] = [
    row("peaks", "peaks", "spectral peaks within 45 dB", 2.0, true),
    row("flatness", "flatness", "flatness 60 to 120 ms after the blow", 10.0, true),
    row("between_db", "between", "level between the modes, dB", 10.0, false),
    row("high_db", "above 5k", "share above 5 kHz in the first 10 ms, dB", 10.0, false),
    row("centroid_hz", "centroid", "centroid at 200 ms, Hz", 2.0, true),
    row("t60_2k_s", "T60 2-4k", "T60 from 2 to 4 kHz, s", 2.0, true),
    row("crest_db", "crest", "crest, dB", 3.0, false),
    row("attack_ms", "attack", "attack time, ms", 2.0, true),
    row("t60_s", "T60", "T60 per octave, s: its middle", 2.0, true),
    row("strokes_db", "strokes", "difference between strokes, dB", 1.0, false),
];

/// Octaves by their lower edges, Hz.
pub const OCTAVES_HZ: [f64; 7] = [125.0, 250.0, 500.0, 1_000.0, 2_000.0, 4_000.0, 8_000.0];

/// Length of the spectrum in which peaks are counted, s.
const SPECTRUM_S: f64 = 0.37;
/// Peaks that count, below the strongest, and how far the spectrum must fall on both sides, dB.
const PEAKS_DB: f64 = 45.0;
const FALL_DB: f64 = 3.0;
/// Frequencies in which peaks, and what is between them, are looked for, Hz.
const HEARD_HZ: (f64, f64) = (50.0, 16_000.0);
const BETWEEN_HZ: (f64, f64) = (100.0, 10_000.0);
const FLAT_HZ: (f64, f64) = (100.0, 16_000.0);
/// A stroke begins where the level is so far below its height, amplitude.
const BEGINS: f64 = 0.03;
/// Windows of the envelope, s, and its hop.
const WINDOW_S: f64 = 0.002;
const HOP_S: f64 = 0.000_25;
/// A decay is read from here to there below its height, dB, and only if it falls by so much and lasts so long.
const DECAY_DB: (f64, f64) = (5.0, 35.0);
const LEAST_FALL_DB: f64 = 10.0;
const LEAST_S: f64 = 0.03;
/// A decay ends so far above what is left at the end of the file, dB.
const NOISE_DB: f64 = 8.0;
/// What of a stroke is compared with the next, s, in bands that are so near to the loudest, dB.
const STROKE_S: f64 = 0.3;
const STROKE_DB: f64 = 40.0;
/// Strokes of one file that are compared.
const MOST_STROKES: usize = 16;
/// Longest part that is looked at, s.
const LONGEST_S: f64 = 12.0;

/// What was measured of a sound.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// In the order of [`ALL`]; none where the sound has no such thing.
    pub values: [Option<f64>; 10],
    /// T60 of each octave, s.
    pub octaves_s: [Option<f64>; 7],
    /// Level in third octaves from 100 Hz on, of the first stroke, dB below the loudest.
    pub thirds_db: Vec<f64>,
}

/// Describes a sound, full scale 1.
pub fn describe(samples: &[f64], rate_hz: f64) -> Described {
    let seconds = |s: f64| (s * rate_hz).round() as usize;
    let samples = &samples[..samples.len().min(seconds(LONGEST_S) + begins(samples, rate_hz))];
    let onset = begins(samples, rate_hz);
    let sound = &samples[onset.min(samples.len())..];
    let spectrum = Spectrum::falling(&sound[..sound.len().min(seconds(SPECTRUM_S))], seconds(SPECTRUM_S), rate_hz);
    let octaves_s = OCTAVES_HZ.map(|low_hz| decay(sound, rate_hz, low_hz));
    let strokes = strokes(samples, rate_hz);
    let thirds: Vec<Vec<f64>> = strokes.iter().map(|stroke| thirds_db(stroke, rate_hz)).collect();
    let apart: Vec<f64> = thirds.windows(2).map(|pair| difference_db(&pair[0], &pair[1])).collect();
    let (crest_db, attack_ms) = shape(sound, samples, onset, rate_hz);
    Described {
        values: [
            spectrum.as_ref().map(Spectrum::peaks),
            part(sound, seconds(0.06), seconds(0.12)).and_then(|part| Spectrum::whole(part, rate_hz)?.flatness()),
            spectrum.as_ref().and_then(Spectrum::between_db),
            high_db(sound, rate_hz),
            part(sound, seconds(0.175), seconds(0.225)).and_then(|part| Spectrum::whole(part, rate_hz)?.centroid_hz()),
            octaves_s[4],
            crest_db,
            attack_ms,
            middle(octaves_s.iter().flatten().copied().collect()),
            (!apart.is_empty()).then(|| apart.iter().sum::<f64>() / apart.len() as f64),
        ],
        octaves_s,
        thirds_db: thirds.into_iter().next().unwrap_or_else(|| thirds_db(sound, rate_hz)),
    }
}

/// How far two strokes are apart: the root mean square difference of their third octaves, dB, without that of their loudness, in bands
/// that are heard in either.
pub fn difference_db(one: &[f64], other: &[f64]) -> f64 {
    let both: Vec<f64> = one
        .iter()
        .zip(other)
        .filter(|(a, b)| a.max(**b) > -STROKE_DB)
        .map(|(a, b)| b.max(-80.0) - a.max(-80.0))
        .collect();
    let mean = both.iter().sum::<f64>() / both.len().max(1) as f64;
    (both.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / both.len().max(1) as f64).sqrt()
}

/// The middle of some values.
pub fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    quantile(&values, 0.5)
}

/// A quantile of sorted values, between neighbours by line.
pub fn quantile(sorted: &[f64], part: f64) -> Option<f64> {
    let place = part * sorted.len().checked_sub(1)? as f64;
    let (low, high) = (sorted[place as usize], sorted[place.ceil() as usize]);
    Some(low + (high - low) * place.fract())
}

fn part(sound: &[f64], from: usize, to: usize) -> Option<&[f64]> {
    sound.get(from..to)
}

/// First sample of the first stroke: where the level comes within 30 dB of its height.
fn begins(samples: &[f64], rate_hz: f64) -> usize {
    let size = ((0.001 * rate_hz) as usize).max(8);
    let hop = (size / 4).max(1);
    let power = envelope(samples, size, hop);
    let peak = power.iter().copied().fold(0.0, f64::max);
    let Some(first) = power.iter().position(|p| *p > BEGINS * BEGINS * peak && *p > 0.0) else { return 0 };
    // Within the window, the first sample that moves.
    let window = &samples[first * hop..(first * hop + size).min(samples.len())];
    let height = BEGINS * window.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    first * hop + window.iter().position(|x| x.abs() > height).unwrap_or(0)
}

/// Every stroke of a file, from its onset to the next, at most as long as is compared.
fn strokes(samples: &[f64], rate_hz: f64) -> Vec<&[f64]> {
    let size = ((0.001 * rate_hz) as usize).max(8);
    let hop = (size / 4).max(1);
    let power = envelope(samples, size, hop);
    let peak = power.iter().copied().fold(0.0, f64::max);
    let apart = (0.08 * rate_hz) as usize / hop;
    let mut heads: Vec<usize> =
        restrikes(&power, (20, apart), 0.003 * peak).into_iter().map(|head| head * hop).collect();
    let first = begins(samples, rate_hz);
    if heads.first().is_none_or(|head| head.abs_diff(first) > apart * hop) {
        heads.insert(0, first);
    }
    heads.sort_unstable();
    let ends = heads.iter().skip(1).copied().chain([samples.len()]);
    let all = heads.iter().zip(ends).map(|(head, end)| {
        let head = (*head).min(end);
        &samples[head..end.min(head + (STROKE_S * rate_hz) as usize)]
    });
    let all: Vec<&[f64]> = all.filter(|stroke| stroke.len() as f64 > 0.05 * rate_hz).take(MOST_STROKES).collect();
    // What is quieter than the loudest by 26 dB is an echo or a rattle.
    let loud = |stroke: &&[f64]| stroke.iter().map(|x| x * x).sum::<f64>();
    let most = all.iter().map(loud).fold(0.0, f64::max);
    all.into_iter().filter(|stroke| loud(stroke) > 0.0025 * most).collect()
}

/// Crest over what is heard of the first stroke, and the time in which its level rises from a tenth to nine tenths.
fn shape(sound: &[f64], samples: &[f64], onset: usize, rate_hz: f64) -> (Option<f64>, Option<f64>) {
    let (size, hop) = (((WINDOW_S * rate_hz) as usize).max(4), ((HOP_S * rate_hz) as usize).max(1));
    // The rise may begin before what counts as the onset.
    let from = onset.saturating_sub((0.5 * rate_hz) as usize);
    let level: Vec<f64> = envelope(&samples[from..], size, hop).into_iter().map(f64::sqrt).collect();
    let top = level.iter().copied().fold(0.0, f64::max);
    if top <= 0.0 {
        return (None, None);
    }
    let high = level.iter().position(|x| *x >= 0.9 * top).unwrap_or(0);
    let low = level[..high].iter().rposition(|x| *x < 0.1 * top).map_or(0, |at| at + 1);
    let last = level.iter().rposition(|x| *x > 0.01 * top).unwrap_or(0);
    let end = (from + last * hop + size).saturating_sub(onset).clamp(1, sound.len().max(1));
    let heard = &sound[..end.min(sound.len())];
    let (peak, squares) = heard.iter().fold((0.0_f64, 0.0), |(m, s), x| (m.max(x.abs()), s + x * x));
    let crest = (squares > 0.0).then(|| db(peak / (squares / heard.len() as f64).sqrt()));
    (crest, Some(1e3 * ((high - low) * hop) as f64 / rate_hz))
}

/// Share of the energy of the first 10 ms that lies above 5 kHz, dB. The last 5 ms fade, so that the cut is not heard.
fn high_db(sound: &[f64], rate_hz: f64) -> Option<f64> {
    let size = (0.01 * rate_hz) as usize;
    let fade = |n: usize| {
        let place = (2.0 * n as f64 / size as f64 - 1.0).max(0.0);
        0.5 + 0.5 * cos(core::f64::consts::PI * place)
    };
    let first: Vec<f64> = sound.get(..size)?.iter().enumerate().map(|(n, x)| x * fade(n)).collect();
    let power = power(first, 4 * size);
    let hz = rate_hz / (4 * size) as f64;
    let (high, all) = power
        .iter()
        .enumerate()
        .fold((0.0, 0.0), |(high, all), (bin, p)| (high + if bin as f64 * hz > 5_000.0 { *p } else { 0.0 }, all + p));
    (all > 0.0).then(|| 0.5 * db((high / all).max(1e-12)))
}

/// T60 of an octave: the line through the level of its decay, in windows of 20 ms.
fn decay(sound: &[f64], rate_hz: f64, low_hz: f64) -> Option<f64> {
    if 1.9 * low_hz > 0.5 * rate_hz {
        return None;
    }
    let size = (0.02 * rate_hz) as usize;
    let hop = (size / 8).max(1);
    let band = filtered(sound, rate_hz, low_hz);
    let level: Vec<f64> = envelope(&band, size, hop).into_iter().map(|p| 10.0 * log10(p.max(1e-30))).collect();
    let (peak_at, peak) = level.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    // What is left at the end: if the sound was cut while it rang, that is no noise, and the line ends there by itself.
    let tail = &level[level.len() - (level.len() / 10).max(1)..];
    let left = tail.iter().sum::<f64>() / tail.len() as f64;
    let floor = (peak - DECAY_DB.1).max(left + NOISE_DB);
    let from = peak_at + level[peak_at..].iter().position(|l| *l < peak - DECAY_DB.0)?;
    let to = from + level[from..].iter().position(|l| *l < floor).unwrap_or(level.len() - from);
    let step = hop as f64 / rate_hz;
    let count = to - from;
    if count < 3 || count as f64 * step < LEAST_S || level[from] - level[to - 1] < LEAST_FALL_DB {
        return None;
    }
    let mean_t = 0.5 * (count - 1) as f64 * step;
    let mean = level[from..to].iter().sum::<f64>() / count as f64;
    let (mut up, mut down) = (0.0, 0.0);
    for (n, l) in level[from..to].iter().enumerate() {
        let t = n as f64 * step - mean_t;
        up += t * (l - mean);
        down += t * t;
    }
    let slope = up / down;
    (slope < 0.0).then(|| -60.0 / slope)
}

/// An octave of a sound: of Butterworth's third order each way, without turning its phase.
fn filtered(sound: &[f64], rate_hz: f64, low_hz: f64) -> Vec<f64> {
    // Room for what the filter spreads, so that the end does not reach the beginning.
    let size = sound.len() + (0.1 * rate_hz) as usize;
    let mut planner = RealFftPlanner::<f64>::new();
    let (forward, back) = (planner.plan_fft_forward(size), planner.plan_fft_inverse(size));
    let mut input: Vec<f64> = sound.iter().copied().chain(core::iter::repeat(0.0)).take(size).collect();
    let mut bins = forward.make_output_vec();
    // The only failure is a buffer of the wrong size, and these came from the plan.
    let _ = forward.process(&mut input, &mut bins);
    let centre_hz = low_hz * core::f64::consts::SQRT_2;
    for (bin, c) in bins.iter_mut().enumerate() {
        let hz = (bin as f64 * rate_hz / size as f64).max(1e-9);
        let off = core::f64::consts::SQRT_2 * (hz / centre_hz - centre_hz / hz);
        *c *= 1.0 / (1.0 + off.powi(6)) / size as f64;
    }
    // A real signal has no turn at its ends.
    bins[0].im = 0.0;
    if let Some(last) = bins.last_mut() {
        last.im = 0.0;
    }
    let _ = back.process(&mut bins, &mut input);
    input.truncate(sound.len());
    input
}

/// Levels in 22 third octaves from 100 Hz on, dB below the loudest.
fn thirds_db(stroke: &[f64], rate_hz: f64) -> Vec<f64> {
    let size = stroke.len().max(16);
    let power = power(stroke.to_vec(), size);
    let mut bands = [0.0; 22];
    for (bin, p) in power.iter().enumerate().skip(1) {
        let hz = bin as f64 * rate_hz / size as f64;
        let band = (3.0 * (ln(hz / 100.0) / ln(2.0)) + 0.5).floor();
        if (0.0..22.0).contains(&band) {
            bands[band as usize] += p;
        }
    }
    let most = bands.iter().copied().fold(1e-300, f64::max);
    bands.iter().map(|p| 10.0 * log10((p / most).max(1e-12))).collect()
}

/// Power of bins 0 to size/2.
fn power(mut samples: Vec<f64>, size: usize) -> Vec<f64> {
    samples.resize(size, 0.0);
    let fft = RealFftPlanner::<f64>::new().plan_fft_forward(size);
    let mut bins = fft.make_output_vec();
    // The only failure is a buffer of the wrong size, and these came from the plan.
    let _ = fft.process(&mut samples, &mut bins);
    bins.iter().map(|c| c.norm_sqr()).collect()
}

/// Four-term Blackman-Harris window (Harris 1978) at a place, -1 to 1 from end to end.
fn harris(place: f64) -> f64 {
    let turn = core::f64::consts::PI * (place + 1.0);
    0.35875 - 0.48829 * cos(turn) + 0.14128 * cos(2.0 * turn) - 0.01168 * cos(3.0 * turn)
}

/// A spectrum of power, by bins.
struct Spectrum {
    power: Vec<f64>,
    hz: f64,
}

impl Spectrum {
    /// Of a stroke from its onset on, at full weight there and fading out: one side of the window.
    fn falling(sound: &[f64], size: usize, rate_hz: f64) -> Option<Self> {
        let faded = sound.iter().enumerate().map(|(n, x)| x * harris(n as f64 / size as f64)).collect();
        Self::of(faded, size, rate_hz)
    }

    /// Of a part, by the whole window.
    fn whole(part: &[f64], rate_hz: f64) -> Option<Self> {
        let size = part.len();
        let at = |n: usize| harris(2.0 * n as f64 / size as f64 - 1.0);
        Self::of(part.iter().enumerate().map(|(n, x)| x * at(n)).collect(), size, rate_hz)
    }

    fn of(samples: Vec<f64>, size: usize, rate_hz: f64) -> Option<Self> {
        let power = power(samples, size);
        power.iter().any(|p| *p > 0.0).then(|| Self { power, hz: rate_hz / size as f64 })
    }

    /// Bins from one frequency to another; what lies above nine tenths of half the rate is the converter's.
    fn bins(&self, (low, high): (f64, f64)) -> &[f64] {
        let last = ((0.9 * (self.power.len() - 1) as f64) as usize).min((high / self.hz) as usize);
        &self.power[((low / self.hz).ceil() as usize).min(last)..=last]
    }

    /// Tops from which the spectrum falls on both sides.
    fn peaks(&self) -> f64 {
        let levels: Vec<f64> = self.bins(HEARD_HZ).iter().map(|p| 10.0 * log10(p.max(1e-300))).collect();
        let most = levels.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut count, mut top, mut valley, mut is_rising) = (0.0, f64::NEG_INFINITY, f64::INFINITY, true);
        for level in levels {
            if is_rising {
                top = top.max(level);
                if level < top - FALL_DB {
                    count += f64::from(u8::from(top > most - PEAKS_DB));
                    (is_rising, valley) = (false, level);
                }
            } else {
                valley = valley.min(level);
                if level > valley + FALL_DB {
                    (is_rising, top) = (true, level);
                }
            }
        }
        count
    }

    /// The middle bin below the strongest, dB.
    fn between_db(&self) -> Option<f64> {
        let bins = self.bins(BETWEEN_HZ);
        let most = bins.iter().copied().fold(0.0, f64::max);
        let half = middle(bins.to_vec())?;
        (most > 0.0).then(|| 10.0 * log10((half / most).max(1e-20)))
    }

    /// Geometric over arithmetic mean of the power.
    fn flatness(&self) -> Option<f64> {
        let bins = self.bins(FLAT_HZ);
        let mean = bins.iter().sum::<f64>() / bins.len() as f64;
        // Where there is nothing, a flatness would be of the last bits.
        (mean > 1e-18).then(|| exp(bins.iter().map(|p| ln((p / mean).max(1e-12))).sum::<f64>() / bins.len() as f64))
    }

    /// Mean frequency by power.
    fn centroid_hz(&self) -> Option<f64> {
        let (sum, moment) = self
            .power
            .iter()
            .enumerate()
            .fold((0.0, 0.0), |(sum, moment), (bin, p)| (sum + p, moment + p * bin as f64 * self.hz));
        (sum > 1e-18).then(|| moment / sum)
    }
}
