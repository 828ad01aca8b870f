// SPDX-License-Identifier: MIT OR Apache-2.0
//! Playability maps: what they find, and that they repeat.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use tocco::scene::def::Length;
use tocco_lab::library;

use tocco_lab::map::regime::Regime;
use tocco_lab::map::{Axis, Map, run};
use tocco_lab::render::Plan;

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
    let mut plan = Plan::new(library::from_text("cello", "cello.toml", CELLO.to_owned(), None).unwrap());
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
    let mut plan = plan(44_100.0);
    plan.length = Length::Seconds(0.5);
    let mut files = Vec::new();
    for threads in [1, 3] {
        let map = map(&plan, "bow/velocity_m_s=0.05..0.4,4,log", "rub/normal_force_n=0..4,3", threads);
        assert!(map.summary().contains("12 cells at 'rub'"));
        let picture = dir.path().join("map.png");
        let table = map.write("a map", &picture).unwrap();
        files.push([picture, table].map(|name| fs::read(name).unwrap()));
    }
    assert_eq!(files[0], files[1]);
    let table = String::from_utf8(files[0][1].clone()).unwrap();
    let heading = "bow/velocity_m_s,rub/normal_force_n,regime,pitch_hz,slips_per_period,slip_fraction,level_db,health";
    assert_eq!((table.lines().next().unwrap(), table.lines().count()), (heading, 13));
}
