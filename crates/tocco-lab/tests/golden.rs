// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every shipped scene keeps its sound, to the last bit: length, peak and spectral centroid say what changed when the
//! hash does. `TOCCO_BLESS=1` writes the table anew; a new sound needs a line in CHANGELOG.md.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

#[path = "common/heard.rs"]
mod heard;

use std::path::PathBuf;
use tocco::Scene;
use tocco::scene::def::Length;
use tocco_lab::library;

/// Loudness of every shipped scene, LUFS, or its highest peak, dBTP, whichever is quieter.
const LUFS: f64 = -23.0;
const PEAK_DBTP: f64 = -1.0;
const LOUD_WITHIN_DB: f64 = 0.5;
/// A scene ends when it is 60 dB down, or soon after, s.
const LONGEST_END_S: f64 = 0.3;

/// Snow breaks in more places in a millisecond than a process makes heard.
const DENSEST: [&str; 2] = ["floor-snow-low", "walk-six-floors"];

/// Plates, bells and doors by the names of their bodies, where a list of modes or a solid does not say it.
const NAMED: [&str; 8] = ["bell", "bowl", "deck", "dish", "door", "gong", "plate", "sheet"];
/// Where a list may end without a tail, Hz.
const HIGH_HZ: f64 = 15_000.0;
/// Those that end lower, and why.
const LOWER: [(&str, &str); 4] = [
    ("chain-let-down", "boards of five modes, too few for a tail"),
    ("floor-wood", "recorded steps on wood are duller, and a tail takes it further away"),
    ("floor-wood-creaking", "the same boards"),
    ("singing-bowl", "with a tail it loses its beating"),
];

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
        let (lufs, peak_db) = (sound.loudness.lufs(0.0), 20.0 * sound.loudness.true_peak.log10());
        let off = (lufs - LUFS).max(peak_db - PEAK_DBTP);
        must(off.abs() < LOUD_WITHIN_DB, format!("{lufs:.1} LUFS, peaks at {peak_db:.1} dBTP: {off:.1} dB too loud"));
        must(sound.folded_db > -3.0, format!("loses {:.1} dB as mono", -sound.folded_db));
        let ends = sound.faint_s < LONGEST_END_S || scene.def.duration == Length::Auto; // that ends where it is 90 dB down
        must(ends, format!("the last {:.2} s are 60 dB down", sound.faint_s));
        must(level.mean().abs() < 1e-3 * level.peak, format!("offset {:e}", level.mean()));
        must(
            sound.capped == 0 || DENSEST.contains(&scene.name.as_str()),
            format!("{} events were left out", sound.capped),
        );
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

#[test]
fn no_plate_door_or_bell_is_empty_above_its_list() {
    let (mut empty, mut found) = (Vec::new(), 0);
    for (scene, (_, text)) in library::shipped().unwrap().iter().zip(library::SHIPPED) {
        let built = Scene::build(&scene.def, scene.def.rate_hz).unwrap();
        for (name, modes) in built.modes() {
            let of_shape = ["plate\"", "bell\"", "bowl\""].iter().any(|end| shape_of(text, &name).ends_with(end));
            let underfoot = name == "floor" && ["metal", "wood"].iter().any(|of| scene.name.contains(of));
            let named = NAMED.iter().any(|word| name.trim_end_matches(|c: char| c.is_ascii_digit()) == *word);
            if !(of_shape || underfoot || named) {
                continue;
            }
            found += 1;
            let last_hz = modes.iter().fold(0.0, |last: f64, mode| last.max(mode.freq_hz));
            if (last_hz < HIGH_HZ) != LOWER.iter().any(|(lower, _)| *lower == scene.name) {
                empty.push(format!("{}: the last mode of '{name}' is at {last_hz:.0} Hz", scene.name));
            }
        }
    }
    assert!(found >= 30, "only {found} were looked at");
    assert!(empty.is_empty(), "{}", empty.join("\n"));
}

/// The line of a body's table that says its shape; nothing where there is none.
fn shape_of<'a>(text: &'a str, body: &str) -> &'a str {
    let own = text.split_once(&format!("[body.{body}]\n")).map_or("", |(_, from)| from).split("\n[").next();
    own.unwrap_or_default().lines().find(|line| line.starts_with("shape = ")).unwrap_or_default()
}
