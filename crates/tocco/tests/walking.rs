// SPDX-License-Identifier: MIT OR Apache-2.0
//! Walks: what a scene's walker presses, where and when, and what hears it.

mod common;
use common::engine;
use tocco::engine::{Command, Queue, Timed};

/// Values of signals every ms, from a scene that renders at this rate.
fn heard(text: &str, names: &[&str], seconds: f64, rate_hz: f64) -> Vec<Vec<f64>> {
    let mut engine = engine(text, rate_hz);
    let probes: Vec<_> =
        names.iter().map(|name| engine.scene().directory().probe(&format!("{name}.value")).unwrap()).collect();
    let mut all = vec![Vec::new(); names.len()];
    let mut out = vec![0.0; (rate_hz / 1000.0) as usize * engine.scene().channels()];
    for _ in 0..(seconds * 1000.0) as usize {
        engine.render(&[], &mut Queue::new(), &mut out);
        for (list, probe) in all.iter_mut().zip(&probes) {
            list.push(engine.probe(*probe));
        }
    }
    all
}

const REGIONS: [&str; 4] = ["anna.heel_left", "anna.toe_left", "anna.heel_right", "anna.toe_right"];

fn total(regions: &[Vec<f64>], k: usize) -> f64 {
    regions.iter().map(|region| region[k]).sum()
}

/// Cells at which a region or a foot comes down.
fn onsets(force: &[f64]) -> Vec<usize> {
    let mut all = Vec::new();
    let mut last = 0;
    for k in 1..force.len() {
        if force[k - 1] <= 0.02 && force[k] > 0.02 && (all.is_empty() || k > last + 100) {
            all.push(k);
            last = k;
        }
    }
    all
}

#[test]
fn a_walker_steps_at_the_rate_of_its_speed_and_carries_its_weight_on_average() {
    for (speed, steps_hz) in [(0.9, 1.5179), (1.3, 1.8243), (1.8, 2.1466)] {
        let text = format!("[walk.anna]\nspeed_m_s = {speed}\nvariation_01 = 0\nasymmetry_01 = 0\ncushion_01 = 0\n");
        let regions = heard(&text, &REGIONS, 12.0, 48_000.0);
        let left: Vec<f64> = (0..12_000).map(|k| regions[0][k] + regions[1][k]).collect();
        let steps = onsets(&left);
        let stride = (steps[steps.len() - 1] - steps[0]) as f64 / (steps.len() - 1) as f64 / 1000.0;
        assert!((2.0 / stride - steps_hz).abs() < 2e-3, "{speed}: {}", 2.0 / stride);
        let (from, to) = (steps[1], steps[steps.len() - 1]);
        let mean = (from..to).map(|k| total(&regions, k)).sum::<f64>() / (to - from) as f64;
        assert!((0.98..1.05).contains(&mean), "{speed}: {mean} body weights");
    }
}

#[test]
fn a_walker_starts_from_both_feet_stops_on_both_and_carries_its_weight_meanwhile() {
    let regions = heard("[walk.anna]\nspeed_m_s = 1.3\nsteps = 6\n", &REGIONS, 8.0, 48_000.0);
    for k in [0, 7_900] {
        assert!((total(&regions, k) - 1.0).abs() < 0.02, "{}", total(&regions, k));
        assert!(regions.iter().all(|region| region[k] > 0.1));
    }
    let mean = |from: usize, to: usize| (from..to).map(|k| total(&regions, k)).sum::<f64>() / (to - from) as f64;
    assert!((mean(0, 1200) - 1.0).abs() < 0.15, "starting {}", mean(0, 1200));
    assert!((mean(0, 7900) - 1.0).abs() < 0.1, "all of it {}", mean(0, 7900));
    // Nothing jumps: the steepest is a heel that comes down.
    for region in &regions {
        let steepest = region.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
        assert!(steepest < 0.12, "{steepest} body weights in a ms");
    }
}

#[test]
fn a_walk_is_the_same_at_every_rate_of_rendering() {
    let text = "[walk.anna]\nspeed_m_s = 1.4\n";
    let at = |rate_hz| heard(text, &REGIONS, 3.0, rate_hz);
    assert_eq!(at(48_000.0), at(96_000.0));
    assert_ne!(at(48_000.0), heard("seed = 2\n[walk.anna]\nspeed_m_s = 1.4\n", &REGIONS, 3.0, 48_000.0));
}

#[test]
fn who_runs_has_both_feet_in_the_air_and_lands_with_more_than_twice_the_weight() {
    let regions = heard("[walk.anna]\nspeed_m_s = 3.5\nvariation_01 = 0\n", &REGIONS, 6.0, 48_000.0);
    let aloft = (2000..6000).filter(|k| total(&regions, *k) == 0.0).count();
    let most = (2000..6000).map(|k| total(&regions, k)).fold(0.0, f64::max);
    let mean = (2000..6000).map(|k| total(&regions, k)).sum::<f64>() / 4000.0;
    assert!(aloft > 600, "{aloft} ms");
    assert!(most > 2.0 && most < 3.2 && (mean - 1.0).abs() < 0.05, "{most} {mean}");
}

#[test]
fn a_jump_leaves_the_ground_for_as_long_as_its_height_asks() {
    let text = "[walk.anna]\nspeed_m_s = 0\njump_m = 0.3\n";
    let regions = heard(text, &REGIONS, 3.0, 48_000.0);
    let aloft = (0..3000).filter(|k| total(&regions, *k) == 0.0).count();
    let wanted = 2.0 * (2.0 * 0.3 / 9.81_f64).sqrt() * 1000.0;
    assert!((aloft as f64 - wanted).abs() < 20.0, "{aloft} {wanted}");
    assert!((total(&regions, 2900) - 1.0).abs() < 0.01, "and it stands again, once");
}

#[test]
fn a_path_is_walked_from_place_to_place_and_turning_twists_the_foot() {
    let text = "[walk.anna]\nspeed_m_s = 1.3\npath_m = [[4.0, 0.0], [4.0, 4.0]]\n";
    let names = ["anna.x_left", "anna.y_left", "anna.slide_left", "anna.slide_right", "anna.x_right", "anna.y_right"];
    let found = heard(text, &names, 12.0, 48_000.0);
    let end = |lane: usize| found[lane][11_900];
    assert!((end(0) - 4.0).abs() < 0.6 && (end(1) - 4.0).abs() < 0.6, "{} {}", end(0), end(1));
    let corner = (0..12_000).any(|k| (found[0][k] - 4.0).abs() < 0.6 && found[1][k].abs() < 0.6);
    assert!(corner, "it went by the corner");
    assert!(found[2].iter().chain(&found[3]).any(|slide| *slide > 0.1));
    let straight = heard("[walk.anna]\n", &names, 6.0, 48_000.0);
    assert!(straight[2].iter().chain(&straight[3]).all(|slide| *slide == 0.0));
}

#[test]
fn dragged_feet_press_and_slide_while_they_swing_and_slipping_ones_when_they_land() {
    let names = ["anna.toe_left", "anna.heel_left", "anna.slide_left"];
    let sliding = |extra: &str| {
        let found = heard(&format!("[walk.anna]\nvariation_01 = 0\n{extra}"), &names, 6.0, 48_000.0);
        (2000..6000).filter(|k| found[2][*k] > 0.1 && found[0][*k] + found[1][*k] > 0.0).count()
    };
    assert_eq!(sliding(""), 0);
    assert!(sliding("drag_01 = 1\n") > 500 && sliding("slip_01 = 0.5\n") > 100);
}

#[test]
fn grounds_share_a_foot_by_where_it_stands() {
    let text = "[walk.anna]\nspeed_m_s = 1.2\n[walk.anna.ground.grass]\nx_m = [-10.0, 3.0]\n[walk.anna.ground.stone]\nx_m = [3.0, 50.0]\n";
    let mut names = REGIONS.to_vec();
    let on: Vec<String> = ["grass", "stone"]
        .iter()
        .flat_map(|ground| REGIONS.map(|region| region.replace("anna.", &format!("anna.{ground}."))))
        .collect();
    names.extend(on.iter().map(String::as_str));
    let found = heard(text, &names, 8.0, 48_000.0);
    for region in 0..4 {
        for k in 0..8000 {
            let (all, grass, stone) = (found[region][k], found[4 + region][k], found[8 + region][k]);
            assert!((grass + stone - all).abs() < 1e-9, "{k}: {grass} {stone} {all}");
        }
        assert!(
            found[4 + region][..2000].iter().any(|x| *x > 0.3) && found[8 + region][..1500].iter().all(|x| *x == 0.0)
        );
        assert!(found[8 + region][6000..].iter().any(|x| *x > 0.3));
    }
}

#[test]
fn feet_that_others_move_say_what_they_are_told_live_by_drives_and_by_streams() {
    let text =
        "[walk.anna]\nsource = \"inlets\"\n[[drive]]\npath = \"anna/toe_right\"\npoints = [[0.0, 0.0], [1.0, 1.0]]\n";
    let mut engine = engine(text, 48_000.0);
    let directory = engine.scene().directory().clone();
    let address = |path: &str| directory.address(path).unwrap();
    let stream: Box<[f64]> = (0..4800).map(|i| f64::from(i) / 4800.0).collect();
    let mut queue = Queue::from([
        Timed { at: 4800, command: Command::Set(address("anna/heel_left"), 0.7) },
        Timed { at: 9600, command: Command::Stream { address: address("anna/heel_right"), values: Some(stream) } },
    ]);
    let mut out = vec![0.0; 4800];
    let read = |engine: &tocco::Engine, name: &str| engine.probe(directory.probe(name).unwrap());
    engine.render(&[], &mut queue, &mut out);
    assert_eq!(read(&engine, "anna.heel_left.value"), 0.0);
    engine.render(&[], &mut queue, &mut out);
    assert_eq!(read(&engine, "anna.heel_left.value"), 0.7);
    engine.render(&[], &mut queue, &mut out);
    let streamed = read(&engine, "anna.heel_right.value");
    assert!((streamed - 1.0).abs() < 0.03, "{streamed}");
    let driven = read(&engine, "anna.toe_right.value");
    assert!((driven - 0.3).abs() < 0.005, "{driven}");
    assert_eq!(engine.health().refused, 0);
    let inlets: Vec<String> = directory.inlets().map(|(path, _)| path).collect();
    assert!(inlets.contains(&"anna/heel_left".to_owned()) && inlets.contains(&"anna/y_right".to_owned()));
}
