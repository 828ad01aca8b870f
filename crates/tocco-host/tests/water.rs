// SPDX-License-Identifier: MIT OR Apache-2.0
//! Water, ice and touch at the command line: what is written, and what is refused in one line with exit code 2.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod common;
use common::{good, tocco};
use std::fs;

const HEAD: &str =
    "duration_s = 0.2\n[signal.s]\ntype = 'points'\npoints = [[0.0, 1.0]]\n[process.p]\ndriven_by = 's'\n";
const TAP: &str = "\n[[tap]]\nof = 'p'\nquantity = 'sound'\n";

#[test]
fn what_no_water_can_be_is_refused_in_one_line_and_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    let refused = |arguments: &[&str], said: &str| {
        let answer = tocco(here, arguments);
        let line = String::from_utf8_lossy(&answer.stderr).into_owned();
        assert_eq!(answer.status.code(), Some(2), "{arguments:?}: {line}");
        assert!(line.trim_end().lines().count() == 1 && line.contains(said), "{arguments:?}: {line}");
    };
    for (text, said) in [
        ("type = 'bubbles'\nsmallest_m = 0.0", "smallest_m"),
        ("type = 'bubbles'\nlargest_m = 0.2", "to 0.15"),
        ("type = 'bubbles'\nsmallest_m = 0.01\nlargest_m = 0.005", "there is nothing between"),
        ("type = 'rain'\nnear_m = 20.0", "there is no rain between"),
        ("type = 'drip'\ndiameter_m = 0.0", "diameter_m"),
        ("type = 'ice'\nthickness_m = 0.0", "thickness_m"),
        ("type = 'ice'\nwalkers = 'nobody'", "nobody called 'nobody' walks"),
        ("type = 'bed'\nlow_hz = 9000.0", "there is nothing between"),
    ] {
        fs::write(here.join("wet.toml"), format!("{HEAD}{text}{TAP}")).unwrap();
        refused(&["check", "wet.toml"], said);
        refused(&["render", "wet.toml", "-o", "wet.wav"], said);
    }
    fs::write(here.join("still.toml"), "duration_s = 0.1\n[body.a]\ntype = 'mass'\n[[tap]]\nof = 'a'\n").unwrap();
    refused(&["haptic", "still.toml", "-o", "x.ahap"], "there is nothing to feel");
    refused(&["cracks", "still.toml", "-o", "x.svg"], "there is no ice");
    refused(&["cracks", "ice-walk", "-o", "x.png"], ".svg or .json");
    refused(&["cracks", "ice-walk", "-o", "x.svg", "--duration", "0.1"], "has not cracked");
    refused(&["fluid", "lake", "-o", "x.wav"], "no set-up 'lake'");
    refused(&["fluid", "-o", "x.wav", "--across", "0"], "give 4 to 45");
    refused(&["fluid", "-o", "x.wav", "--bed", "-1"], "--bed -1");
    let mut left: Vec<_> = fs::read_dir(here).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["still.toml", "wet.toml"]);
}

#[test]
fn water_shallower_than_its_drops_and_more_than_a_vessel_holds_are_remarked_and_rendered() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    let shallow = format!("{HEAD}type = 'drip'\ndiameter_m = 0.004\ndepth_m = 0.003{TAP}");
    fs::write(here.join("shallow.toml"), &shallow).unwrap();
    fs::write(here.join("deep.toml"), shallow.replace("depth_m = 0.003", "depth_m = 0.03")).unwrap();
    let glass = |water: &str| {
        format!(
            "[body.glass]\ntype = 'vessel'\nradius_m = 0.035\nheight_m = 0.15\n{water}\n[[tap]]\nof = 'glass.rim'\n\
             [[event]]\nat_s = 0.0\nhit = 'glass.rim'\nimpulse_n_s = 1e-3\n"
        )
    };
    fs::write(here.join("full.toml"), glass("water_m3 = 0.001")).unwrap();
    fs::write(here.join("set.toml"), glass("[[event]]\nat_s = 0.1\nset = 'glass/water_m3'\nvalue = 0.001")).unwrap();
    fs::write(here.join("half.toml"), glass("water_m3 = 0.0003")).unwrap();
    for (name, remark) in [
        ("shallow", Some("water of 3 mm is no deeper than its drops of 4 mm: they land and close no bubble")),
        ("deep", None),
        ("full", Some("1 l are more than the 0.5773 l that it holds")),
        ("set", Some("more than the 0.5773 l that it holds")),
        ("half", None),
    ] {
        let said = good(here, &["check", &format!("{name}.toml")]);
        assert!(
            said.ends_with("The scene is sound.\n") && said.contains("remark") == remark.is_some(),
            "{name}: {said}"
        );
        assert!(remark.is_none_or(|remark| said.contains(remark)), "{name}: {said}");
    }
}

#[test]
fn cracks_touch_and_tanks_are_written_as_asked() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    let said = good(here, &["cracks", "ice-two-walkers", "-o", "two.svg"]);
    let drawn = fs::read_to_string(here.join("two.svg")).unwrap();
    assert!(
        said.contains("m of cracks in") && drawn.contains("<polyline") && drawn.contains("<polygon"),
        "{said}\n{drawn}"
    );
    good(here, &["cracks", "ice-two-walkers", "-o", "two.json"]);
    let read: serde_json::Value = serde_json::from_slice(&fs::read(here.join("two.json")).unwrap()).unwrap();
    assert!(read["length_m"].as_f64().unwrap() > 5.0 && !read["holes"].as_array().unwrap().is_empty());
    // 31 s are two continuous events.
    good(here, &["haptic", "bar", "-o", "bar.ahap", "--duration", "31"]);
    let text = fs::read_to_string(here.join("bar.ahap")).unwrap();
    assert_eq!(text.matches("HapticContinuous").count(), 2);
    // Somebody who walks on floors that are parts of the scene is felt.
    good(here, &["haptic", "walk-two-people", "-o", "walk.ahap", "--duration", "2"]);
    assert!(fs::read_to_string(here.join("walk.ahap")).unwrap().contains("HapticTransient"));
    // Water with its bed, and the same water without it.
    for (bed, name) in [("1", "with"), ("0", "without")] {
        let files = [format!("{name}.wav"), format!("{name}.toml")];
        good(
            here,
            &["fluid", "-o", &files[0], "--scene", &files[1], "--bed", bed, "--duration", "0.5", "--across", "12"],
        );
        let text = fs::read_to_string(here.join(&files[1])).unwrap();
        assert_eq!(text.matches("type = \"bed\"").count(), if bed == "0" { 0 } else { 2 });
        good(here, &["check", &files[1]]);
    }
}
