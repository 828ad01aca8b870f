// SPDX-License-Identifier: MIT OR Apache-2.0
//! Steps in real recordings: those of Debian's packages `minetest-data`, `ardentryst`, `lugaru-data`, `scratch` and
//! `castle-game-engine-doc`.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use tocco::rng::Rng;
use tocco::signal::steps::{StepOptions, StepRule, step_levels, steps_of};
use tocco_lab::analyse::footsteps::{StepsOptions, floor};
use tocco_lab::analyse::read::Recording;
use tocco_testing::skip;

const WALKS: [(&str, &str, usize); 3] = [
    ("/usr/share/scratch/Media/Sounds/Human/Footsteps-1.wav", "scratch", 16),
    ("/usr/share/scratch/Media/Sounds/Human/Footsteps-2.mp3", "scratch", 6),
    (
        "/usr/share/doc/castle-game-engine-doc/examples/fps_game/data/sounds/footsteps_grass.wav",
        "castle-game-engine-doc",
        2,
    ),
];

const SINGLE: [(&str, &str); 4] = [
    ("/usr/share/games/minetest/games/minetest_game/mods/default/sounds", "minetest-data"),
    ("/usr/share/games/ardentryst/Sounds/NYX", "ardentryst"),
    ("/usr/share/games/ardentryst/Sounds/PYR", "ardentryst"),
    ("/usr/share/games/lugaru/Sounds", "lugaru-data"),
];

fn plain(recording: &Recording) -> Vec<f32> {
    recording.samples.iter().map(|x| *x as f32).collect()
}

fn starts(data: &[f32], rate_hz: f64, rule: Option<StepRule>) -> Vec<f64> {
    let options = StepOptions { rule: rule.unwrap_or(StepOptions::default().rule), ..StepOptions::default() };
    steps_of(data, rate_hz, step_levels(data, rate_hz), options).iter().map(|step| step[0]).collect()
}

#[test]
fn the_steps_of_real_walks_are_counted_right() {
    let folder = tempfile::tempdir().unwrap();
    for (file, package, wanted) in WALKS {
        if !Path::new(file).is_file() {
            skip("steps of a real walk", &format!("Debian's package {package}"));
            continue;
        }
        let mut path = PathBuf::from(file);
        if file.ends_with(".mp3") {
            path = folder.path().join("walk.wav");
            let done = Command::new("mpg123").arg("-q").arg("-w").arg(&path).arg(file).status();
            if !done.is_ok_and(|status| status.success()) {
                skip("steps of a real walk", "the program 'mpg123'");
                continue;
            }
        }
        let recording = Recording::open(&path, true).unwrap();
        let data = plain(&recording);
        let found = starts(&data, recording.rate_hz, None);
        let printed = starts(&data, recording.rate_hz, Some(StepRule::Pair));
        println!("{file}: {} steps, {} by the printed pair: {found:.2?}", found.len(), printed.len());
        assert_eq!(found.len(), wanted, "{file}: {found:?}");
    }
}

/// Recordings of one step each, by walker and floor, at 44.1 kHz. Files longer than 1 s are no single steps.
fn single_steps() -> BTreeMap<String, Vec<Vec<f64>>> {
    let mut all: BTreeMap<String, Vec<Vec<f64>>> = BTreeMap::new();
    for (folder, package) in SINGLE {
        let Ok(files) = std::fs::read_dir(folder) else {
            skip("steps in sequences", &format!("Debian's package {package}"));
            continue;
        };
        let mut files: Vec<PathBuf> = files.map(|f| f.unwrap().path()).collect();
        files.sort();
        for path in files {
            let name = path.file_name().unwrap().to_string_lossy().to_lowercase();
            if !name.ends_with(".ogg") || !name.contains("step") || name.contains("glass") {
                continue;
            }
            let Ok(recording) = Recording::open(&path, true) else { continue };
            if recording.samples.len() as f64 > recording.rate_hz {
                continue;
            }
            let kind: String = name.trim_end_matches(".ogg").chars().filter(|c| c.is_alphabetic()).collect();
            let kind = format!("{} {kind}", Path::new(folder).file_name().unwrap().to_string_lossy());
            let step = recording.rate_hz / 44_100.0;
            let count = (recording.samples.len() as f64 / step) as usize;
            let at = |n: usize| {
                let place = n as f64 * step;
                let value = |i: usize| recording.samples.get(i).copied().unwrap_or(0.0);
                let whole = place as usize;
                value(whole) + (value(whole + 1) - value(whole)) * (place - whole as f64)
            };
            all.entry(kind).or_default().push((0..count).map(at).collect());
        }
    }
    all
}

/// Where a recording stands 30 dB below its height, in 2 ms.
fn onset(step: &[f64]) -> usize {
    let power: Vec<f64> = (0..step.len())
        .map(|n| {
            let window = &step[n.saturating_sub(44)..(n + 44).min(step.len())];
            window.iter().map(|x| x * x).sum::<f64>() / window.len() as f64
        })
        .collect();
    let height = power.iter().copied().fold(0.0, f64::max);
    power.iter().position(|p| *p > 1e-3 * height).unwrap_or(0)
}

/// Found where they are (30 ms before to 150 ms after), found elsewhere, missed.
fn score(found: &[f64], wanted: &[f64]) -> [usize; 3] {
    let mut used = vec![false; found.len()];
    let mut hit = 0;
    for at in wanted {
        let near = (0..found.len()).find(|&i| !used[i] && (-0.03..=0.15).contains(&(found[i] - at)));
        if let Some(i) = near {
            used[i] = true;
            hit += 1;
        }
    }
    [hit, found.len() - hit, wanted.len() - hit]
}

#[test]
fn steps_on_many_floors_in_sequence_are_found_with_few_false_ones() {
    let kinds = single_steps();
    if kinds.len() < 10 {
        return skip("steps in sequences", "ten kinds of recorded steps");
    }
    let rate_hz = 44_100.0;
    let mut rng = Rng::new(18, "sequences");
    let (mut sum, mut by_pair) = ([0; 3], [0; 3]);
    for (kind, steps) in &kinds {
        let count = 60;
        let mut data = vec![0.0; ((f64::from(count) / 1.8 + 3.0) * rate_hz) as usize];
        let (mut at_s, mut wanted) = (0.3, Vec::new());
        for _ in 0..count {
            let step = &steps[rng.bits() as usize % steps.len()];
            let at = (at_s * rate_hz) as usize;
            data[at..].iter_mut().zip(step).for_each(|(x, s)| *x += s);
            wanted.push((at + onset(step)) as f64 / rate_hz);
            at_s += (1.0 + 0.02 * rng.normal()) / 1.8;
        }
        let peak = data.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        // Noise 50 dB below.
        let noisy: Vec<f32> = data.iter().map(|x| (x + 0.003_162 * peak * rng.normal()) as f32).collect();
        let one = score(&starts(&noisy, rate_hz, None), &wanted);
        let two = score(&starts(&noisy, rate_hz, Some(StepRule::Pair)), &wanted);
        println!("{kind}: {one:?}, by the printed pair {two:?}");
        (0..3).for_each(|i| sum[i] += one[i]);
        (0..3).for_each(|i| by_pair[i] += two[i]);
    }
    let shares = |[hit, false_ones, missed]: [usize; 3]| {
        (hit as f64 / (hit + missed) as f64, hit as f64 / (hit + false_ones) as f64)
    };
    let ((recall, precision), printed) = (shares(sum), shares(by_pair));
    println!("{} kinds: recall {recall:.3}, precision {precision:.3}; by the printed pair {printed:.3?}", kinds.len());
    assert!(recall >= 0.94 && precision >= 0.87, "{recall} {precision}");
    assert!(printed.0 < recall, "the printed pair misses what still rings");
}

#[test]
fn floors_found_from_recordings_play_nearer_to_their_mean_than_the_recordings_are_to_each_other() {
    let (folder, package) = SINGLE[0];
    if !Path::new(folder).is_dir() {
        return skip("floors from recordings", &format!("Debian's package {package}"));
    }
    for (kind, count, noisy) in [
        ("snow", 5, true),
        ("gravel", 4, true),
        ("grass", 3, false),
        ("sand", 3, false),
        ("dirt", 2, false),
        ("wood", 2, false),
        ("metal", 3, false),
    ] {
        let open =
            |n: usize| Recording::open(format!("{folder}/default_{kind}_footstep.{n}.ogg").as_ref(), true).unwrap();
        let mut recordings: Vec<Recording> = (1..=count).map(open).collect();
        let rate_hz = recordings[0].rate_hz;
        recordings.retain(|recording| recording.rate_hz == rate_hz);
        let found = floor(&recordings, &StepsOptions::default()).unwrap();
        println!("{kind}: {}", found.words(&recordings));
        for part in &found.parts {
            let again = part.resynthesis_db(found.rate_hz);
            // Boards and metal ring in tones, which bands of noise do not have; grass, sand and dirt are only reported, too.
            assert!(!noisy || (again < 3.5 && again < part.between_db + 0.5), "{kind} {}: {again} dB", part.name);
        }
    }
}
