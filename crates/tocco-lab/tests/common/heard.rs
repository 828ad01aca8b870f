// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a scene sounds like, to the last bit, as a row of a table.

use tocco::Document;
use tocco_lab::measure::{Fnv, Level, centroid_hz};
use tocco_lab::render::{Manner, Plan, Target, to_wav};
use tocco_lab::sets::loudness::{self, Loudness, Measure};
use tocco_lab::wav::{Encoding, WavReader};

/// The first row of a table.
pub const HEAD: &str = "scene\tframes\tpeak\tcentroid_hz\tfnv1a_64";

/// A scene, heard.
pub struct Sound {
    /// Name, frames, peak, spectral centroid in Hz, hash: by the others one sees what changed when the hash does.
    pub row: String,
    /// Peak, mean and what is not a number.
    pub level: Level,
    /// Peak of the last 10 ms.
    pub last_10_ms: f64,
    /// As BS.1770 hears it.
    pub loudness: Loudness,
    /// What is left of the mean power of two channels in their mean, dB; 0 for one channel.
    pub folded_db: f64,
    /// Events of its processes that there was no room for.
    pub capped: u64,
    /// How long the end is in which nothing comes within 60 dB of the peak, s.
    pub faint_s: f64,
}

/// Through a 32-bit float file, which keeps every bit.
pub fn sound(scene: &Document) -> Sound {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.wav");
    let manner = Manner { encoding: Encoding::Float32, ..Manner::default() };
    let report = to_wav(&Plan::new(scene.clone()), &Target::File(file.clone()), &manner, false).unwrap();
    let mut wav = WavReader::open(&file).unwrap();
    let samples = wav.read(0, report.frames as usize).unwrap();
    let mut hash = Fnv::default();
    hash.add(&samples);
    let (peak, frames) = (report.level.peak, report.frames);
    let tail = &samples[samples.len() - report.channels * (report.rate_hz * 0.01) as usize..];
    let last_10_ms = f64::from(tail.iter().fold(0.0_f32, |m, x| m.max(x.abs())));
    let centroid = centroid_hz(&mut wav).unwrap();
    let loudness = loudness::measure(&samples, report.channels, report.rate_hz, Measure::Integrated).unwrap();
    let faint = samples.iter().rev().take_while(|x| f64::from(x.abs()) <= 1e-3 * peak).count() / report.channels;
    let row = format!("{}\t{frames}\t{peak:.6}\t{centroid:.2}\t{:016x}", scene.name, hash.0);
    let (folded_db, faint_s) = (folded_db(&samples, report.channels), faint as f64 / report.rate_hz);
    Sound { row, level: report.level, last_10_ms, loudness, folded_db, capped: report.health.capped, faint_s }
}

/// Equal channels keep all of it, unrelated ones lose 3 dB, opposite ones all.
fn folded_db(samples: &[f32], channels: usize) -> f64 {
    if channels != 2 {
        return 0.0;
    }
    let power = |x: f32| f64::from(x) * f64::from(x);
    let (mean, all) = samples.chunks_exact(2).fold((0.0, 1e-300), |(mean, all), pair| {
        (mean + power(0.5 * (pair[0] + pair[1])), all + 0.5 * (power(pair[0]) + power(pair[1])))
    });
    10.0 * (mean / all).log10()
}

/// Every scene, on all cores.
pub fn sounds(scenes: &[Document]) -> Vec<Sound> {
    tocco_lab::parallel::run(scenes.len(), tocco_lab::parallel::cores(), |i| Ok(sound(&scenes[i]))).unwrap()
}

/// Rows that a table does not have, each with what it has instead.
pub fn differing(known: &str, rows: &[&str]) -> Vec<String> {
    let name = |row: &str| row.split('\t').next().unwrap_or_default().to_owned();
    let was = |row: &str| known.lines().find(|known| name(known) == name(row)).unwrap_or("not there");
    let differs = rows.iter().filter(|row| !known.lines().any(|known| known == **row));
    differs.map(|row| format!("was {}\nnow {row}", was(row))).collect()
}
