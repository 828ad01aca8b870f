// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the program is made of: licences that may be passed on, and no crate in two versions without a reason.
//!
//! `cargo deny` would say the same and takes longer to build than all of this; the data is Cargo's own. It also knows advisories,
//! which need the network and change by the day, so they are no test: `./test` asks `cargo deny check advisories` where it can, with
//! `deny.toml` at the top of the repository.

use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::process::Command;

/// Licences of which one is enough.
const LICENCES: [&str; 13] = [
    "MIT",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "0BSD",
    "ISC",
    "Zlib",
    "BSL-1.0",
    "Unlicense",
    "CC0-1.0",
    "Unicode-3.0",
    "MPL-2.0",
    "Apache-2.0 WITH LLVM-exception",
];

/// Crates in several versions, and why they stay.
const TWICE: [(&str, &str); 9] = [
    ("base64", "0.22 by axum and tocco-live, 0.23 by pem of rcgen"),
    ("bitflags", "1 by ebur128 and jack-sys, 2 by all others"),
    ("cpufeatures", "0.2 by sha1 of tungstenite, 0.3 by chacha20 of proptest, which only tests use"),
    (
        "getrandom",
        "0.2 by ring, 0.3 by rand of tungstenite, 0.4 by tempfile, which only tests use, and by jobserver, at build time",
    ),
    ("glam", "in the lock file for nalgebra's conversions, which are off: none is built"),
    ("miniz_oxide", "0.8 by png, 0.9 by flate2"),
    ("rand", "0.9 by tungstenite, 0.10 by proptest, which only tests use"),
    ("rand_core", "as rand"),
    ("syn", "2 and 3 by macros of others, at build time"),
];

/// Crates that nobody looks after any more, and why they stay.
const UNMAINTAINED: [(&str, &str, &str); 1] = [(
    "ttf-parser",
    "RUSTSEC-2026-0192",
    "by plotters, for letters in pictures: it reads the font inside the program and no other",
)];

/// True if what an expression of licences asks for is among ours: `A OR B`, `A AND B`, `(A OR B) AND C`, `A/B`.
fn is_free(expression: &str) -> bool {
    let alternatives = |part: &str| {
        let part = part.trim().trim_start_matches('(').trim_end_matches(')').replace('/', " OR ");
        part.split(" OR ").any(|one| LICENCES.contains(&one.trim()))
    };
    expression.split(" AND ").all(alternatives)
}

#[test]
fn every_licence_may_be_passed_on_and_no_crate_comes_twice_without_a_reason() {
    assert!(
        is_free("(MIT OR GPL-3.0) AND ISC")
            && is_free("MIT/GPL-2.0")
            && !is_free("MIT AND GPL-3.0")
            && !is_free("GPL-3.0")
    );
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let words = ["metadata", "--offline", "--locked", "--format-version", "1", "--filter-platform", &triple];
    let out = Command::new(env!("CARGO")).args(words).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let data: Value = serde_json::from_slice(&out.stdout).unwrap();
    let nodes = data["resolve"]["nodes"].as_array().unwrap();
    let used: HashSet<&str> = nodes.iter().map(|node| node["id"].as_str().unwrap()).collect();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in data["packages"].as_array().unwrap() {
        let text = |key: &str| package[key].as_str().unwrap_or("nothing");
        if used.contains(text("id")) {
            assert!(is_free(text("license")), "{} is under {}", text("name"), text("license"));
            versions.entry(text("name")).or_default().push(text("version"));
        }
    }
    assert!(versions.len() > 100, "{} crates", versions.len());
    for (name, all) in versions.iter().filter(|(_, all)| all.len() > 1) {
        assert!(TWICE.iter().any(|(known, _)| known == name), "{name} comes as {all:?}: move to one, or say why here");
    }
    for (name, _, why) in UNMAINTAINED {
        assert!(versions.contains_key(name), "{name} is gone, and its reason here ({why}) with it");
    }
    for (name, why) in TWICE {
        let count = versions.get(name).map_or(0, Vec::len);
        assert!(count != 1, "{name} comes once now: its reason here ({why}) has gone");
    }
}

#[test]
fn cargo_deny_is_told_the_same() {
    let told = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../deny.toml")).unwrap();
    let quoted = |from: &str| {
        let part = told.split(from).nth(1).unwrap().split("\n]").next().unwrap();
        part.lines().filter_map(|line| line.split('"').nth(1)).collect::<Vec<&str>>()
    };
    assert_eq!(quoted("allow = ["), LICENCES);
    assert_eq!(quoted("ignore = ["), UNMAINTAINED.map(|(_, id, _)| id));
}
