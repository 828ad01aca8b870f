// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every shipped scene keeps its sound, to the last bit: length, peak and spectral centroid say what changed when the
//! hash does. `TOCCO_BLESS=1` writes the table anew; a new sound needs a line in CHANGELOG.md.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

#[path = "common/heard.rs"]
mod heard;

use std::path::PathBuf;
use tocco::Scene;
use tocco::scene::def::{BodyForm, Length, Quantity};
use tocco_lab::library;

/// Loudness of every shipped scene, LUFS, or its highest peak, dBTP, whichever is quieter.
const LUFS: f64 = -23.0;
const PEAK_DBTP: f64 = -1.0;
const LOUD_WITHIN_DB: f64 = 0.5;
/// A scene ends when it is 60 dB down, or soon after, s.
const LONGEST_END_S: f64 = 0.3;

/// Snow breaks in more places in a millisecond than a process makes heard.
const DENSEST: [&str; 2] = ["floor-snow-low", "walk-six-floors"];

/// Shapes that are plates, bars or shells.
const SOLID: [&str; 6] = ["rectangular-plate", "circular-plate", "bar", "bowl", "bell", "cylinder"];
/// Where a list may end without a tail, Hz.
const HIGH_HZ: f64 = 15_000.0;
/// Bodies that end lower, and why; an empty name: all of that scene. Those found in recordings are what was found.
const LOWER: [(&str, &str, &str); 21] = [
    ("cradle", "", "balls of steel, whose next modes nothing of this size of contact reaches"),
    ("djembe", "goblet", "the air in a goblet, pushed by a palm"),
    ("felt", "string", "partials of a string under felt"),
    ("floor-carpet", "floor", "recorded steps on it are duller, and a tail takes it further away"),
    ("floor-concrete", "floor", "the same"),
    ("floor-concrete-as-wood", "wood", "the same"),
    ("floor-ice", "floor", "the same"),
    ("floor-puddle", "floor", "the same, and water lies on it"),
    ("floor-tile", "floor", "the same"),
    ("floor-wood", "floor", "the same"),
    ("floor-wood-creaking", "", "the same; of its board the air between the joists takes what is higher"),
    ("glockenspiel", "", "bars of four bending modes: too few for a tail"),
    ("marimba", "", "mallets too soft to reach higher"),
    ("kalimba", "high", "the next mode of so short a tine lies above half the rate"),
    ("single-mode", "bar", "to be compared with a formula"),
    ("singing-bowl", "bowl", "with a tail it loses its beating"),
    ("tambourine", "head", "a skin"),
    ("wind", "", "air in a chimney and in a gap"),
    ("wineglass", "skin", "a fingertip"),
    ("woodbar", "bar", "a soft mallet does not reach higher"),
    ("chalk", "chalk", "a stick of two modes, as it bends in the hand"),
];

/// Taps on bodies that are neither `radiated` nor `acceleration`, and why; an empty name: all of that scene. Contacts are heard by their
/// force, processes by their sound.
const BY_MOTION: [(&str, &str, &str); 21] = [
    ("bar", "bar", "hardness is listened to on it: by its velocity, too, attacks grow duller up to the softest mallet"),
    ("anvil-recorded", "", FOUND),
    ("cowbell-recorded", "bell", FOUND),
    ("glockenspiel-recorded", "", FOUND),
    ("hand-drum-recorded", "", FOUND),
    ("marimba-recorded", "", FOUND),
    ("triangle-recorded", "triangle", FOUND),
    ("tubular-bell-recorded", "", FOUND),
    ("xylophone-recorded", "bar", FOUND),
    ("seven-materials", "", "to be compared with each other"),
    ("single-mode", "", "to be compared with a formula"),
    ("floor-wood-creaking", "air", "closed air: what moves in it is the pressure"),
    ("floor-carpet", "", STEPS),
    ("floor-concrete", "", STEPS),
    ("floor-concrete-as-wood", "", STEPS),
    ("floor-ice", "", STEPS),
    ("floor-metal", "", STEPS),
    ("floor-metal-grate", "", STEPS),
    ("floor-tile", "", STEPS),
    ("floor-wood", "", STEPS),
    ("floor-wood-creaking", "floor", STEPS),
];
/// By what they radiate 3 to 5 of the 8 numbers of recorded steps are left of the 6 to 8 that they have.
const STEPS: &str =
    "a few modes found in recorded steps by their velocity: what they radiate above the last is as bright as the blow";
const FOUND: &str = "found in a recording by what a velocity and a position sound like together";

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
fn every_tap_on_a_body_hears_what_it_radiates_or_its_acceleration() {
    let (mut wrong, mut excused, mut found) = (Vec::new(), [false; BY_MOTION.len()], 0);
    for scene in library::shipped().unwrap() {
        for tap in &scene.def.taps {
            let name = tap.of.split('.').next().unwrap();
            if !scene.def.bodies.iter().any(|body| body.name == name) {
                continue;
            }
            found += 1;
            if matches!(tap.quantity, Quantity::Radiated | Quantity::Acceleration) {
                continue;
            }
            let excuse = |(of, body, _): &(&str, &str, &str)| *of == scene.name && (body.is_empty() || *body == name);
            match BY_MOTION.iter().position(excuse) {
                Some(at) => excused[at] = true,
                None => wrong.push(format!("{}: {:?} of '{}'", scene.name, tap.quantity, tap.of)),
            }
        }
    }
    let idle =
        BY_MOTION.iter().zip(excused).filter(|(_, used)| !used).map(|(row, _)| format!("{} needs no excuse", row.0));
    wrong.extend(idle);
    assert!(found >= 120 && wrong.is_empty(), "{found} taps\n{}", wrong.join("\n"));
}

#[test]
fn no_plate_bar_or_shell_is_empty_above_its_list() {
    let (mut wrong, mut excused, mut found) = (Vec::new(), [false; LOWER.len()], 0);
    for scene in library::shipped().unwrap() {
        let built = Scene::build(&scene.def, scene.def.rate_hz).unwrap();
        let lists = built.modes();
        for body in scene.def.bodies.iter().filter(|_| !scene.name.ends_with("-recorded")) {
            let looked_at = match &body.form {
                BodyForm::Shape(shape) => SOLID.contains(&shape.geometry.kind.id),
                form => ["modal", "mesh"].contains(&form.kind().id),
            };
            let Some((name, modes)) = lists.iter().find(|(name, _)| *name == body.name).filter(|_| looked_at) else {
                continue;
            };
            found += 1;
            let last_hz = modes.iter().fold(0.0, |last: f64, mode| last.max(mode.freq_hz));
            if last_hz >= HIGH_HZ {
                continue;
            }
            match LOWER.iter().position(|(of, body, _)| *of == scene.name && (body.is_empty() || body == name)) {
                Some(at) => excused[at] = true,
                None => wrong.push(format!("{}: the last mode of '{name}' is at {last_hz:.0} Hz", scene.name)),
            }
        }
    }
    let idle = LOWER
        .iter()
        .zip(excused)
        .filter(|(_, used)| !used)
        .map(|(row, _)| format!("{} {} needs no excuse", row.0, row.1));
    wrong.extend(idle);
    assert!(found >= 80 && wrong.is_empty(), "{found} bodies\n{}", wrong.join("\n"));
}
