// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every shipped scene keeps its sound, to the last bit: length, peak and spectral centroid say what changed when the
//! hash does. `TOCCO_BLESS=1` writes the table anew; a new sound needs a line in CHANGELOG.md.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

#[path = "common/heard.rs"]
mod heard;

use std::path::PathBuf;
use tocco_lab::library;

fn golden_path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenes/golden.tsv")
}

#[test]
fn every_shipped_scene_keeps_its_sound_and_is_well_behaved() {
    let scenes = library::shipped().unwrap();
    let sounds = heard::sounds(&scenes);
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
    let table = format!("{}\n{}\n", heard::HEAD, rows.join("\n"));
    if std::env::var_os("TOCCO_BLESS").is_some() {
        std::fs::write(golden_path(), table).unwrap();
        return;
    }
    let golden = std::fs::read_to_string(golden_path()).unwrap_or_default();
    let differing = heard::differing(&golden, &rows);
    assert!(
        differing.is_empty(),
        "the sound of shipped scenes changed; TOCCO_BLESS=1 accepts:\n{}",
        differing.join("\n")
    );
    assert_eq!(golden.lines().count(), table.lines().count(), "golden.tsv names scenes that are gone");
}
