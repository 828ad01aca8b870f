// SPDX-License-Identifier: MIT OR Apache-2.0
//! Playability maps: what they find, that they repeat, and how they refuse.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::process::Command;
use tocco_host::library::Loaded;
use tocco_host::map::regime::Regime;
use tocco_host::map::{Axis, Map, run};
use tocco_host::render::Plan;

/// Set C of physics.md F; the bow is lifted to a stop at the end, which a map must not judge.
const CELLO: &str = r#"title = "bowed cello D"
duration_s = 4.0
rate_hz = 44100
[body.bow]
type = "guided"
[body.string]
type = "string"
freq_hz = 147.0
q = 500.0
impedance_kg_s = 0.55
inharmonicity = 5.57e-5
[body.string.port]
bow_point = 0.1267
[contact.rub]
type = "friction"
between = ["bow", "string.bow_point"]
normal_force_n = 1.1
[[drive]]
path = "bow/velocity_m_s"
points = [[0.0, 0.0], [0.03, 0.1], [3.0, 0.1], [3.2, 0.0]]
[[tap]]
of = "string.bow_point"
"#;

fn plan(rate_hz: f64) -> Plan {
    let mut plan = Plan::new(Loaded::from_text("cello", "cello.toml", CELLO.to_owned(), None).unwrap());
    plan.rate_hz = rate_hz;
    plan
}

fn map(plan: &Plan, x: &str, y: &str, threads: usize) -> Map {
    run(plan, &Axis::parse("--x", x).unwrap(), &Axis::parse("--y", y).unwrap(), None, threads).unwrap()
}

#[test]
fn the_band_of_helmholtz_motion_is_whole_at_both_rates() {
    for rate_hz in [44_100.0, 48_000.0] {
        let map = map(&plan(rate_hz), "bow/velocity_m_s=0.095..0.105,3", "rub/normal_force_n=0.8..2,7", 2);
        assert_eq!(map.share(Regime::OneSlip), 1.0, "{rate_hz}: {}\n{}", map.summary(), map.csv());
        assert!(map.summary().contains("one slip per period 100.0 %") && map.summary().contains("147 Hz"));
        assert!((map.window_s.0 - 3.0).abs() < 1e-9 && (map.window_s.1 - 0.3).abs() < 1e-4, "{:?}", map.window_s);
        for cell in &map.cells {
            let hz = cell.finding.pitch_hz.unwrap();
            assert!((hz / 147.0 - 1.0).abs() < 0.005 && cell.health == "ok", "{cell:?}");
        }
    }
}

#[test]
fn no_force_is_silence_little_skates_or_slips_twice_and_too_much_is_raucous() {
    let plan = plan(44_100.0);
    let of = |y: &str| map(&plan, "bow/velocity_m_s=0.03..0.2,2", y, 2).cells;
    let silent = of("rub/normal_force_n=0..8,2");
    assert_eq!(silent[0].finding.regime, Regime::Silence);
    assert_eq!(silent[1].finding.regime, Regime::Silence);
    assert_eq!(silent[2].finding.regime, Regime::Raucous, "{:?}", silent[2]);
    let light = &of("rub/normal_force_n=0.2..1,2")[1];
    assert_eq!(light.finding.regime, Regime::SeveralSlips, "{light:?}");
    let fast = &map(&plan, "bow/velocity_m_s=0.2..0.4,2", "rub/normal_force_n=0.05..1,2", 2).cells[1];
    assert_eq!(fast.finding.regime, Regime::Decaying, "the bow skates: {fast:?}");
}

#[test]
fn a_driven_path_is_scaled_so_that_a_faster_bow_is_louder() {
    let cells = map(&plan(44_100.0), "bow/velocity_m_s=0.08..0.16,2", "rub/normal_force_n=1.5..2,2", 2).cells;
    let louder = cells[1].finding.level_db.unwrap() - cells[0].finding.level_db.unwrap();
    // Twice the speed, twice the amplitude: 6 dB, less what the rounded corner takes.
    assert!((louder - 6.0).abs() < 1.0, "{louder} dB");
}

#[test]
fn the_same_bytes_come_out_whatever_the_number_of_threads() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("cello.toml"), CELLO).unwrap();
    let mut files = Vec::new();
    for jobs in ["1", "3"] {
        let done = Command::new(env!("CARGO_BIN_EXE_tocco"))
            .args(["map", "cello.toml", "--duration", "0.5", "--x", "bow/velocity_m_s=0.05..0.4,4,log"])
            .args(["--y", "rub/normal_force_n=0..4,3", "-o", "map.png", "--jobs", jobs, "--of", "string.bow_point"])
            .current_dir(dir.path())
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        assert!(String::from_utf8_lossy(&done.stdout).contains("12 cells at 'rub'"));
        files.push(["map.png", "map.csv"].map(|name| fs::read(dir.path().join(name)).unwrap()));
    }
    assert_eq!(files[0], files[1]);
    let table = String::from_utf8(files[0][1].clone()).unwrap();
    let heading = "bow/velocity_m_s,rub/normal_force_n,regime,pitch_hz,slips_per_period,slip_fraction,level_db,health";
    assert_eq!((table.lines().next().unwrap(), table.lines().count()), (heading, 13));
}

#[test]
fn bad_axes_and_scenes_are_answered_in_one_line_with_code_two() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("cello.toml"), CELLO).unwrap();
    let (x, y) = ("bow/velocity_m_s=0.1..0.2,2", "rub/normal_force_n=1..2,2");
    for (arguments, word) in [
        (["cello.toml", "--x", "bow/sped=0..1", "--y", y, "-o", "a.png"], "bow/velocity_m_s"),
        (["cello.toml", "--x", x, "--y", "rub/normal_force_n=-1..2", "-o", "a.png"], "out of range"),
        (["cello.toml", "--x", x, "--y", x, "-o", "a.png"], "name another"),
        (["cello.toml", "--x", x, "--y", y, "-o", "a.jpg"], ".png"),
        (["cello.toml", "--x", "bow/velocity_m_s=2..1", "--y", y, "-o", "a.png"], "low..high"),
        (["bar", "--x", "hit/stiffness=1e5..1e6", "--y", "hit/exponent=1..2", "-o", "a.png"], "nothing rubs"),
    ] {
        let done = Command::new(env!("CARGO_BIN_EXE_tocco"))
            .arg("map")
            .args(arguments)
            .current_dir(dir.path())
            .output()
            .unwrap();
        let line = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2), "{line}");
        assert!(line.lines().count() == 1 && line.contains(word), "{line}");
        assert!(!dir.path().join("a.png").exists());
    }
}
