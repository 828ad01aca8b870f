// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every shipped scene keeps its sound, to the last bit: length, peak and spectral centroid say what changed when the
//! hash does. `TOCCO_BLESS=1` writes the table anew; a new sound needs a line in CHANGELOG.md.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::PathBuf;
use tocco::Document;
use tocco_lab::library;
use tocco_lab::measure::{Fnv, Level, centroid_hz};
use tocco_lab::render::{Manner, Plan, Target, to_wav};
use tocco_lab::wav::{Encoding, WavReader};

fn golden_path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenes/golden.tsv")
}

struct Sound {
    row: String,
    level: Level,
    last_10_ms: f64,
}

/// Through a 32-bit float file, which keeps every bit.
fn sound(scene: &Document) -> Sound {
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
    let row = format!("{}\t{frames}\t{peak:.6}\t{centroid:.2}\t{:016x}", scene.name, hash.0);
    Sound { row, level: report.level, last_10_ms }
}

#[test]
fn every_shipped_scene_keeps_its_sound_and_is_well_behaved() {
    let scenes = library::shipped().unwrap();
    let sounds =
        tocco_lab::parallel::run(scenes.len(), tocco_lab::parallel::cores(), |i| Ok(sound(&scenes[i]))).unwrap();
    let mut complaints = Vec::new();
    for (scene, sound) in scenes.iter().zip(&sounds) {
        let level = &sound.level;
        let mut must = |good: bool, what: String| {
            if !good {
                complaints.push(format!("{}: {what}", scene.name))
            }
        };
        let peak_db = 20.0 * level.peak.log10();
        must((-12.0..=-1.0).contains(&peak_db), format!("peak {peak_db:.1} dBFS, not between -12 and -1"));
        must(level.mean().abs() < 1e-3 * level.peak, format!("offset {:e}", level.mean()));
        must(level.not_finite == 0, "samples that are not numbers".into());
        must(
            sound.last_10_ms < 1e-3 * level.peak,
            format!("ends at {:.1e} of its peak", sound.last_10_ms / level.peak),
        );
        must(!scene.def.title.is_empty() && scene.comment().len() > 40, "no title or no opening comment".into());
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    let rows: Vec<&str> = sounds.iter().map(|sound| sound.row.as_str()).collect();
    let table = format!("scene\tframes\tpeak\tcentroid_hz\tfnv1a_64\n{}\n", rows.join("\n"));
    if std::env::var_os("TOCCO_BLESS").is_some() {
        std::fs::write(golden_path(), table).unwrap();
        return;
    }
    let golden = std::fs::read_to_string(golden_path()).unwrap_or_default();
    let differing: Vec<String> = table
        .lines()
        .filter(|row| !golden.lines().any(|known| known == *row))
        .map(|row| {
            let name = row.split('\t').next().unwrap_or_default();
            let known = golden.lines().find(|known| known.split('\t').next() == Some(name));
            format!("was {}\nnow {row}", known.unwrap_or("not there"))
        })
        .collect();
    assert!(
        differing.is_empty(),
        "the sound of shipped scenes changed; TOCCO_BLESS=1 accepts:\n{}",
        differing.join("\n")
    );
    assert_eq!(golden.lines().count(), table.lines().count(), "golden.tsv names scenes that are gone");
}
