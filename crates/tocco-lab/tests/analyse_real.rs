// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco analyse` on real recordings: those of Debian's package `hydrogen-drumkits`.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::{Path, PathBuf};
use tocco_lab::analyse::read::Recording;
use tocco_lab::analyse::{Options, analyse, mel, onset};
use tocco_testing::skip;

const KITS: &str = "/usr/share/hydrogen/data/drumkits";
const KIT: &str = "/usr/share/hydrogen/data/drumkits/Gimme A Hand 1.0";
const LAYERS: [&str; 5] = ["Softest", "Soft", "Med", "Hard", "Hardest"];

fn there() -> bool {
    let there = Path::new(KIT).is_dir();
    if !there {
        skip("real recordings", "Debian's package hydrogen-drumkits");
    }
    there
}

#[test]
fn a_held_out_strike_of_a_real_instrument_is_near_the_body_found_from_the_others() {
    if !there() {
        return;
    }
    let objects = ["WaterglassHi", "WaterglassLo", "BongoHi", "BongoLo", "Cowbell", "WoodBlock"];
    let open = |object: &&str| -> Vec<Recording> {
        LAYERS
            .iter()
            .map(|layer| Recording::open(format!("{KIT}/{object}-{layer}.wav").as_ref(), true).unwrap())
            .collect()
    };
    let strikes: Vec<Vec<Recording>> = objects.iter().map(open).collect();
    let from_height = |r: &Recording| {
        let span = onset::strikes(&r.samples, r.rate_hz, 1, &r.name).unwrap().spans[0];
        r.samples[span.start..].to_vec()
    };
    let sounds: Vec<Vec<Vec<f64>>> = strikes.iter().map(|row| row.iter().map(from_height).collect()).collect();
    let rate_hz = strikes[0][0].rate_hz;
    let mean = |d: &[f64]| d.iter().sum::<f64>() / d.len() as f64;
    let (mut missed, mut worst) = (Vec::new(), 0.0_f64);
    for (i, object) in objects.iter().enumerate() {
        // Cowbell and wood block are one take at five levels: there are no two strikes to compare with.
        let one_take = mel::distance_db(&sounds[i][1], &sounds[i][2], rate_hz) < 0.5;
        // Every strike is held out once, and the body made from the two nearest in force.
        for (held, given) in [(2, [1, 3]), (0, [1, 2]), (1, [0, 2]), (3, [2, 4]), (4, [2, 3])] {
            if one_take && held != 2 {
                continue;
            }
            let real = &sounds[i][held];
            let two_real: Vec<f64> = (0..LAYERS.len())
                .filter(|&n| n != held)
                .map(|n| mel::distance_db(&sounds[i][n], real, rate_hz))
                .collect();
            let others = (0..objects.len()).filter(|&k| k != i).flat_map(|k| &sounds[k]);
            let between: Vec<f64> = others.map(|other| mel::distance_db(other, real, rate_hz)).collect();
            let train = given.map(|n| strikes[i][n].clone());
            let analysis = analyse(&train, &Options::default()).unwrap();
            let body: Vec<f64> = (0..train.len())
                .map(|j| mel::distance_db(&analysis.resynthesis(j, real.len()).unwrap(), real, rate_hz))
                .collect();
            let least = between.iter().copied().fold(f64::INFINITY, f64::min);
            let times = mean(&body) / mean(&two_real);
            println!(
                "{object} without {}: {} modes, {} filling; body to held-out {body:.1?}, real to held-out {two_real:.1?}, {times:.2} times; other objects {:.1}, least {least:.1}",
                LAYERS[held],
                analysis.modes.len(),
                analysis.filling,
                mean(&between)
            );
            if !one_take {
                worst = worst.max(times);
            }
            // A soft bongo is as near to the other bongo as to its own harder strikes: there the mean must do.
            let apart = if held == 2 { least } else { mean(&between) };
            if (!one_take && times > 1.5) || mean(&body) >= apart {
                missed.push((*object, held));
            }
        }
    }
    println!("worst: {worst:.2} times");
    assert!(missed.is_empty(), "{missed:?}");
}

/// Every so many of the package's files.
fn some(every: usize) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for kit in std::fs::read_dir(KITS).unwrap() {
        let Ok(files) = std::fs::read_dir(kit.unwrap().path()) else { continue };
        all.extend(
            files.map(|f| f.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "flac" || e == "wav")),
        );
    }
    all.sort();
    all.into_iter().step_by(every).collect()
}

#[test]
fn bodies_of_real_recordings_play_at_the_recorded_level_and_near_them() {
    if !there() {
        return;
    }
    let mut files = some(24);
    files.push(format!("{KITS}/ElectricEmpireKit/EE_Kick_Hard_1.flac").into());
    files.push(format!("{KITS}/HardElectro1/HardHse_K_02.flac").into());
    let (mut off, mut far, mut reported) = (Vec::new(), Vec::new(), Vec::<mel::Distance>::new());
    for path in &files {
        let Ok(recording) = Recording::open(path, true) else { continue };
        let analysis = match analyse(std::slice::from_ref(&recording), &Options { modes: 60, ..Options::default() }) {
            Ok(analysis) => analysis,
            Err(why) => {
                println!("{why}");
                continue;
            }
        };
        let span = analysis.strikes[0].span;
        let whole = &recording.samples[span.onset..span.end];
        let body = analysis.resynthesis(0, span.end - span.start).unwrap();
        let peak = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let energy = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        let real = &recording.samples[span.start..span.end];
        let level_db = 10.0 * (energy(&body) / energy(real)).log10();
        let peak_db = 20.0 * (peak(&body) / peak(whole)).log10();
        far.push(mel::distance_db(&body, real, recording.rate_hz));
        reported.push(analysis.near(0, &recording).unwrap().distance);
        // The peak of a cymbal, of which modes explain less than half, is as chance has it: 3.8 dB too low in one.
        if level_db.abs() > 1.0 || peak_db.abs() > 4.0 {
            off.push(format!(
                "{}: level {level_db:+.1} dB, peak {peak_db:+.1} dB, residual {:.1} dB",
                path.display(),
                analysis.strikes[0].residual_db
            ));
        }
    }
    let mean_db = far.iter().sum::<f64>() / far.len().max(1) as f64;
    println!("{} bodies of {} files, {} off, mean distance {mean_db:.1} dB", far.len(), files.len(), off.len());
    let mean = |of: fn(&mel::Distance) -> f64| reported.iter().map(of).sum::<f64>() / reported.len().max(1) as f64;
    println!(
        "reported {:.1} dB, attack {:.1}, ring {:.1}",
        mean(|d| d.db()),
        mean(|d| d.attack_db),
        mean(|d| d.ring_db)
    );
    assert!(far.len() >= 20 && off.is_empty(), "{} {off:#?}", far.len());
    // Kicks, snares, hats and claps are mostly not modal: without what `diffuse` fills in the mean is 10 dB.
    assert!(mean_db < 8.0, "{far:.1?}");
    // With the attack, of which the knock of the hammer is lost.
    assert!(mean(|d| d.db()) < 10.0, "{reported:.1?}");
}
