// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco map` as it is typed: a picture and a table, on bad input one line.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod common;
use common::{good, tocco};

#[test]
fn a_map_is_a_picture_with_a_table_beside_it_and_says_what_it_found() {
    let dir = tempfile::tempdir().unwrap();
    let axes =
        ["--x", "bow/velocity_m_s=0.05..0.4,4,log", "--y", "rub/normal_force_n=0..4,3", "--of", "string.bow_point"];
    let words =
        good(dir.path(), &[&["map", "cello", "--duration", "0.5", "-o", "map.png", "--jobs", "2"][..], &axes].concat());
    assert!(words.contains("12 cells at 'rub'"), "{words}");
    assert!(std::fs::read(dir.path().join("map.png")).unwrap().starts_with(b"\x89PNG"));
    assert_eq!(std::fs::read_to_string(dir.path().join("map.csv")).unwrap().lines().count(), 13);
}

#[test]
fn bad_axes_and_scenes_are_answered_in_one_line_with_code_two() {
    let dir = tempfile::tempdir().unwrap();
    let (x, y) = ("bow/velocity_m_s=0.1..0.2,2", "rub/normal_force_n=1..2,2");
    for (arguments, word) in [
        (["cello", "--x", "bow/sped=0..1", "--y", y, "-o", "a.png"], "bow/velocity_m_s"),
        (["cello", "--x", x, "--y", "rub/normal_force_n=-1..2", "-o", "a.png"], "out of range"),
        (["cello", "--x", x, "--y", x, "-o", "a.png"], "name another"),
        (["cello", "--x", x, "--y", y, "-o", "a.jpg"], ".png"),
        (["cello", "--x", "bow/velocity_m_s=2..1", "--y", y, "-o", "a.png"], "low..high"),
        (["bar", "--x", "hit/stiffness=1e5..1e6", "--y", "hit/exponent=1..2", "-o", "a.png"], "nothing rubs"),
    ] {
        let done = tocco(dir.path(), &[&["map"][..], &arguments].concat());
        let line = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2), "{line}");
        assert!(line.lines().count() == 1 && line.contains(word), "{line}");
        assert!(!dir.path().join("a.png").exists());
    }
}
