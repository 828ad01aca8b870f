// SPDX-License-Identifier: MIT OR Apache-2.0
//! What recordings of steps are like: the table that floors are compared with (`floors.rs` of the engine), measured again where the
//! recordings are: Debian's packages `minetest-data`, `ardentryst` and `lugaru-data`.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::PathBuf;
use tocco_lab::analyse::read::Recording;
use tocco_testing::descriptors::{Kind, NAMES, RECORDED, descriptors, quartiles};
use tocco_testing::skip;

/// Where recordings lie, and the package that brings them.
const FOLDERS: [(&str, &str); 3] = [
    ("/usr/share/games/minetest/games/minetest_game/mods/default/sounds", "minetest-data"),
    ("/usr/share/games/ardentryst/Sounds/NYX", "ardentryst"),
    ("/usr/share/games/lugaru/Sounds", "lugaru-data"),
];

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
    for Kind { label, count, files: names, quartiles: wanted, .. } in RECORDED {
        let own = files.iter().filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy().to_lowercase();
            name.ends_with(".ogg") && names.iter().any(|start| name.starts_with(start))
        });
        let measured: Vec<[f64; 8]> = own
            .map(|path| {
                let recording = Recording::open(path, true).unwrap();
                descriptors(&recording.samples, recording.rate_hz)
            })
            .collect();
        assert_eq!(measured.len(), count, "{label}");
        for ((name, row), wanted) in NAMES.iter().zip(quartiles(&measured)).zip(wanted) {
            for (found, wanted) in row.into_iter().zip(wanted) {
                // The table is written to three digits.
                assert!((found - wanted).abs() <= 0.01 * wanted + 0.001, "{label} {name}: {found} {wanted}");
            }
        }
    }
}
