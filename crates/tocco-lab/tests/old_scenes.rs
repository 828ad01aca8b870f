// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenes as they were written when their version was young: they are read, build and sound as they did then, to the last
//! bit, or as physics that was mended since makes them sound: then the CHANGELOG names the row. The scenes themselves
//! are never changed; shipped scenes of the same names may go on.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

#[path = "common/heard.rs"]
mod heard;

use std::path::Path;
use tocco_lab::library;

#[test]
fn scenes_of_version_1_are_read_and_sound_as_they_did_when_they_were_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/old/v1");
    let known = std::fs::read_to_string(folder.join("hashes.tsv")).unwrap();
    assert_eq!(known.lines().next(), Some(heard::HEAD));
    let mut files: Vec<String> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path().display().to_string()).collect();
    files.retain(|file| file.ends_with(".toml"));
    files.sort();
    let scenes: Vec<_> = files.iter().map(|file| library::load(file).unwrap()).collect();
    assert!(scenes.iter().all(|scene| scene.def.version == 1));
    let sounds = heard::sounds(&scenes);
    let rows: Vec<&str> = sounds.iter().map(|sound| sound.row.as_str()).collect();
    let differing = heard::differing(&known, &rows);
    assert!(
        differing.is_empty(),
        "old scenes sound otherwise; unless the CHANGELOG says why, mend the program, not the table:\n{}",
        differing.join("\n")
    );
    assert_eq!(known.lines().count(), 1 + scenes.len(), "a scene or a row is gone");
    for sound in &sounds {
        let is_whole = sound.level.not_finite == 0 && sound.capped == 0 && sound.last_10_ms < 1e-3 * sound.level.peak;
        let heard = (sound.loudness.lufs(0.0), sound.folded_db, sound.faint_s);
        assert!(is_whole, "{}: LUFS, dB as mono, s of end {heard:?}", sound.row);
    }
}
