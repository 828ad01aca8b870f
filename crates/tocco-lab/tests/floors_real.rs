// SPDX-License-Identifier: MIT OR Apache-2.0
//! What recordings of steps are like: the table that floors are compared with (`floors.rs` of the engine), measured again where the
//! recordings are: Debian's packages `minetest-data`, `ardentryst` and `lugaru-data`, and, of packages that are too large to fetch for a
//! test, those that happen to be here or lie unpacked in the folder that TOCCO_RECORDED names.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::{Path, PathBuf};
use tocco_lab::analyse::read::Recording;
use tocco_testing::descriptors::{NAMES, descriptors, quartiles};
use tocco_testing::recorded::{Far, Kind, RECORDED};
use tocco_testing::skip;

/// Where recordings lie, and the package that brings them.
const FOLDERS: [(&str, &str); 3] = [
    ("/usr/share/games/minetest/games/minetest_game/mods/default/sounds", "minetest-data"),
    ("/usr/share/games/ardentryst/Sounds/NYX", "ardentryst"),
    ("/usr/share/games/lugaru/Sounds", "lugaru-data"),
];

/// The table is written to three or four digits.
fn same(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() <= 0.01 * wanted + 0.001
}

#[test]
fn the_table_of_recorded_steps_is_what_the_recordings_measure() {
    let mut files: Vec<PathBuf> = Vec::new();
    for (folder, package) in FOLDERS {
        let Ok(all) = std::fs::read_dir(folder) else {
            return skip("the table of recorded steps", &format!("Debian's package {package}"));
        };
        files.extend(all.map(|file| file.unwrap().path()));
    }
    files.sort();
    for Kind { label, count, files: names, far, quartiles: wanted, .. } in RECORDED {
        let own = files.iter().filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy().to_lowercase();
            name.ends_with(".ogg") && names.iter().any(|start| name.starts_with(start))
        });
        let mut measured: Vec<[f64; 8]> = own
            .map(|path| {
                let recording = Recording::open(path, true).unwrap();
                descriptors(&recording.samples, recording.rate_hz)
            })
            .collect();
        measured.extend(far.iter().map(|far| far.numbers));
        assert_eq!(measured.len(), count, "{label}");
        for ((name, row), wanted) in NAMES.iter().zip(quartiles(&measured)).zip(wanted) {
            for (found, wanted) in row.into_iter().zip(wanted) {
                assert!(same(found, wanted), "{label} {name}: {found} {wanted}");
            }
        }
    }
}

#[test]
fn the_numbers_of_recordings_in_large_packages_are_what_they_measure_where_they_are_here() {
    let unpacked = std::env::var_os("TOCCO_RECORDED").map(PathBuf::from);
    let mut absent = Vec::new();
    for Far { package, file, step, numbers } in RECORDED.iter().flat_map(|kind| kind.far) {
        let places = [Some(Path::new("/").join(file)), unpacked.as_ref().map(|folder| folder.join(package).join(file))];
        let Some(path) = places.into_iter().flatten().find(|path| path.is_file()) else {
            absent.push(*package);
            continue;
        };
        let recording = Recording::open(&path, true).unwrap();
        let half = recording.samples.len() / 2;
        let samples = match step {
            1 => &recording.samples[..half],
            2 => &recording.samples[half..],
            _ => &recording.samples[..],
        };
        for ((name, found), wanted) in NAMES.iter().zip(descriptors(samples, recording.rate_hz)).zip(numbers) {
            assert!(same(found, *wanted), "{file} {name}: {found} {wanted}");
        }
    }
    absent.dedup();
    // Not a skip: they are more than a gigabyte, and the table has their numbers.
    println!("not measured again, as they are not here: {}", absent.join(", "));
}
