// SPDX-License-Identifier: MIT OR Apache-2.0
//! The shipped floors beside recordings of such floors: eight numbers of each step.
//!
//! Recordings are cuts, so a rendered step is cut as they are: to the median duration of its kind, with a fade of 15 ms. A number is near
//! if the median of the floor's steps lies within the quartiles of the recordings or 25 % of them (crest: 2 dB).

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::{Path, PathBuf};
use tocco::scene::{Document, Fetch, FetchedScene, Recording as SceneRecording};
use tocco::{Engine, Queue, Scene};
use tocco_lab::analyse::read::Recording;
use tocco_testing::descriptors::{NAMES, descriptors, lively, outside, quartiles};
use tocco_testing::skip;

const RATE_HZ: f64 = 44_100.0;

/// Where recordings lie, and Debian's package that brings them.
const FOLDERS: [(&str, &str); 4] = [
    ("/usr/share/games/minetest/games/minetest_game/mods/default/sounds", "minetest-data"),
    ("/usr/share/games/ardentryst/Sounds/NYX", "ardentryst"),
    ("/usr/share/games/ardentryst/Sounds/PYR", "ardentryst"),
    ("/usr/share/games/lugaru/Sounds", "lugaru-data"),
];

/// A kind of recordings: how their names begin, in small letters.
struct Kind {
    label: &'static str,
    names: &'static [&'static str],
}

const KINDS: [Kind; 9] = [
    Kind { label: "dirt", names: &["default_dirt_footstep", "nyx_step_dirt", "pyr_step_dirt"] },
    Kind { label: "grass", names: &["default_grass_footstep", "nyx_step_grass", "pyr_step_grass", "footstepgrass"] },
    // Four steps and five blows of a spade: gravel either way.
    Kind { label: "gravel", names: &["default_gravel_"] },
    Kind { label: "hard", names: &["default_hard_footstep", "nyx_step_concrete", "footstepstone"] },
    // Three steps and four blows.
    Kind { label: "ice", names: &["default_ice_"] },
    Kind { label: "metal", names: &["default_metal_footstep"] },
    Kind { label: "sand", names: &["default_sand_footstep"] },
    Kind { label: "snow", names: &["default_snow_footstep", "nyx_step_snow", "pyr_step_snow", "footstepsnow"] },
    Kind { label: "water", names: &["default_water_footstep"] },
];

/// The eight numbers of every recording of a kind that is here. Steps that two tones or a second fill are none.
fn recorded(kind: &Kind) -> Vec<[f64; 8]> {
    let mut all = Vec::new();
    for (folder, _) in FOLDERS {
        let Ok(files) = std::fs::read_dir(folder) else { continue };
        let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        for path in files {
            let name = path.file_name().unwrap().to_string_lossy().to_lowercase();
            if kind.names.iter().any(|start| name.starts_with(start)) && name.ends_with(".ogg") {
                let recording = Recording::open(&path, true).unwrap();
                all.push(descriptors(&recording.samples, recording.rate_hz));
                if std::env::var_os("TOCCO_FILES").is_some() {
                    println!("{name} {} {:.3?}", recording.rate_hz, all.last().unwrap());
                }
            }
        }
    }
    all
}

/// Shipped scenes, and one floor's text in place of the shipped one.
#[derive(Clone)]
struct Shipped(Option<(String, String)>);

impl Fetch for Shipped {
    fn recording(&mut self, file: &str) -> Result<SceneRecording, String> {
        Err(format!("no recording {file}"))
    }
    fn scene(&mut self, name: &str) -> Result<FetchedScene<'_>, String> {
        let text = match &self.0 {
            Some((own, text)) if own == name => text.clone(),
            _ => {
                let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/{name}.toml"));
                std::fs::read_to_string(file).map_err(|e| format!("{name}: {e}"))?
            }
        };
        Ok(FetchedScene { identity: name.to_owned(), text, fetch: Box::new(self.clone()) })
    }
}

/// Four steps of a left foot in boots at 1.3 m/s, each cut as the recordings are.
fn walked(floor: &str, text: Option<&str>, seed: u64, cut_s: f64) -> Option<Vec<[f64; 8]>> {
    let scene = format!(
        "seed = {seed}\n[walk.anna]\nspeed_m_s = 1.3\nsole = \"boot\"\n[output.main]\nchannels = [0]\n\
         [part.heel]\nscene = \"{floor}\"\nsignal.press = \"anna.heel_left\"\ntranspose = 0.94\n\
         [part.toe]\nscene = \"{floor}\"\nsignal.press = \"anna.toe_left\"\ntranspose = 1.06\n"
    );
    let fetch = Shipped(text.map(|text| (floor.to_owned(), text.to_owned())));
    let document = Document::read_with("test", "test", scene, fetch).ok()?;
    let mut engine = Engine::new(Scene::build(&document.def, RATE_HZ).ok()?);
    let probe = engine.scene().directory().probe("anna.heel_left")?;
    engine.watch(&[probe]);
    let frames = (6.2 * RATE_HZ) as usize;
    let (mut out, mut force) = (vec![0.0; frames], vec![0.0; frames]);
    engine.render_probed(&[], &mut Queue::new(), &mut out, &mut force);
    let mut all = Vec::new();
    for n in 1..frames {
        if force[n - 1] < 0.02 && force[n] >= 0.02 && n > (1.0 * RATE_HZ) as usize {
            let from = n - 441;
            let whole: Vec<f64> = out[from..(from + (1.0 * RATE_HZ) as usize).min(frames)].iter().map(|x| f64::from(*x)).collect();
            if whole.len() < (0.9 * RATE_HZ) as usize {
                break;
            }
            let (start, _) = lively(&whole, RATE_HZ, 40.0);
            let length = ((cut_s * RATE_HZ) as usize).min(whole.len() - start);
            let mut cut = whole[start..start + length].to_vec();
            let fade = (0.015 * RATE_HZ) as usize;
            for k in 0..fade.min(length) {
                cut[length - 1 - k] *= k as f64 / fade as f64;
            }
            all.push(descriptors(&cut, RATE_HZ));
            if all.len() == 4 {
                break;
            }
        }
    }
    (!all.is_empty()).then_some(all)
}

/// Medians over steps of these seeds.
fn medians(floor: &str, text: Option<&str>, seeds: core::ops::Range<u64>, cut_s: f64) -> Option<[f64; 8]> {
    let mut all = Vec::new();
    for seed in seeds {
        all.extend(walked(floor, text, seed, cut_s)?);
    }
    Some(quartiles(&all).map(|q| q[1]))
}

/// Floors and the kinds that they are compared with.
const FLOORS: [(&str, &str); 13] = [
    ("floor-dirt", "dirt"),
    ("floor-high-grass", "grass"),
    ("floor-gravel", "gravel"),
    ("floor-gravel-fine", "gravel"),
    ("floor-concrete", "hard"),
    ("floor-tile", "hard"),
    ("floor-ice", "ice"),
    ("floor-metal", "metal"),
    ("floor-metal-grate", "metal"),
    ("floor-sand", "sand"),
    ("floor-snow-low", "snow"),
    ("floor-snow-deep", "snow"),
    ("floor-puddle", "water"),
];

#[test]
fn floors_stand_within_what_recordings_of_them_are() {
    for (floor, label) in FLOORS {
        let kind = KINDS.iter().find(|kind| kind.label == label).unwrap();
        let recordings = recorded(kind);
        if recordings.len() < 3 {
            skip("floors beside recordings", label);
            continue;
        }
        let wanted = quartiles(&recordings);
        let found = medians(floor, None, 200..204, wanted[0][1]).unwrap();
        let near = (0..8).filter(|&k| outside(k, found[k], wanted[k]) <= 1.0).count();
        println!("{floor}, {label} ({} recordings): {near} of 8 near", recordings.len());
        for k in 0..8 {
            println!("    {:14} {:10.3} {:10.3?} {:.2}", NAMES[k], found[k], wanted[k], outside(k, found[k], wanted[k]));
        }
    }
}
