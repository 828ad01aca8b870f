// SPDX-License-Identifier: MIT OR Apache-2.0
//! A bowed cello string, from a scene: the motion that Helmholtz saw, over a plane of gestures (physics.md F, set C, H13).

mod common;

use common::{engine, probe};
use tocco::engine::{Command, Queue, Timed};

/// Fraction of the string between bridge and bow.
const BETA: f64 = 38.0 / 300.0;
const BOW_M_S: f64 = 0.1;
const FREQ_HZ: f64 = 147.0;

/// Set C. Bridge force and the height of the string close to the bridge are proportional: tension over distance.
fn cello(normal_n: f64, ramp_s: f64, law: &str) -> String {
    format!(
        r#"
        [body.bow]
        type = "guided"
        [body.string]
        type = "string"
        freq_hz = {FREQ_HZ:?}
        q = 500.0
        impedance_kg_s = 0.55
        inharmonicity = 5.57396e-5
        [body.string.port]
        bow_point = {BETA}
        bridge = 0.01
        [contact.rub]
        type = "friction"
        law = "{law}"
        between = ["bow", "string.bow_point"]
        normal_force_n = {normal_n:?}
        mu_static = 0.8
        mu_dynamic = 0.3
        stribeck_m_s = 0.1
        bristle_stiffness = 1.0e4
        bristle_damping = 0.1
        viscosity = 0.0
        breakaway_01 = 0.7
        [[drive]]
        path = "bow/velocity_m_s"
        points = [[0.0, 0.0], [{ramp_s:?}, {BOW_M_S:?}]]
        [[tap]]
        of = "string.bow_point"
        "#
    )
}

/// What the last 0.3 s were.
#[derive(Debug)]
struct Motion {
    slips_per_period: f64,
    /// Share of the time that the string slips, over [`BETA`]: 1 in the ideal motion.
    slip_over_beta: f64,
    /// With a sawtooth of the slips' own period.
    sawtooth: f64,
}

impl Motion {
    fn is_helmholtz(&self) -> bool {
        (self.slips_per_period - 1.0).abs() < 0.05 && (0.5..1.5).contains(&self.slip_over_beta) && self.sawtooth > 0.9
    }
}

/// Slip: faster than half the bow's speed; armed again below 0.15 of it. `v` is bow minus string.
fn slips(v: &[f64]) -> Vec<usize> {
    let (mut armed, mut at) = (false, Vec::new());
    for (i, v) in v.iter().enumerate() {
        if *v < 0.15 * BOW_M_S {
            armed = true;
        } else if armed && *v > 0.5 * BOW_M_S {
            at.push(i);
            armed = false;
        }
    }
    at
}

/// Largest |correlation| of `y` with a sawtooth of `period` samples, over all phases.
fn sawtooth(y: &[f64], period: f64) -> f64 {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let power: f64 = y.iter().map(|y| (y - mean) * (y - mean)).sum();
    let at = |phase: f64| {
        let (mut cross, mut own) = (0.0, 0.0);
        for (i, y) in y.iter().enumerate() {
            let saw = (i as f64 / period + phase).fract() - 0.5;
            cross += saw * (y - mean);
            own += saw * saw;
        }
        (cross / (own * power).sqrt()).abs()
    };
    (0..100).map(|k| at(f64::from(k) / 100.0)).fold(0.0, f64::max)
}

fn motion(text: &str, rate_hz: f64, seconds: f64) -> Motion {
    let mut engine = engine(text, rate_hz);
    let frames = (seconds * rate_hz) as usize;
    let (rows, health) =
        probe(&mut engine, &["bow.velocity", "string.bow_point.velocity", "string.bridge.position"], frames);
    assert_eq!((health.unconverged, health.reset), (0, 0));
    let tail = &rows[frames - (0.3 * rate_hz) as usize..];
    let v: Vec<f64> = tail.iter().map(|row| row[0] - row[1]).collect();
    let bridge: Vec<f64> = tail.iter().map(|row| row[2]).collect();
    let at = slips(&v);
    let slipping = v.iter().filter(|v| **v > 0.5 * BOW_M_S).count() as f64 / v.len() as f64;
    let period = match (at.first(), at.last()) {
        (Some(first), Some(last)) if at.len() > 2 => (last - first) as f64 / (at.len() - 1) as f64,
        _ => rate_hz / FREQ_HZ,
    };
    Motion {
        slips_per_period: rate_hz / FREQ_HZ / period,
        slip_over_beta: slipping / BETA,
        sawtooth: sawtooth(&bridge, period),
    }
}

/// The starts from which the bow never gets out of slipping twice a period.
fn slips_twice(normal_n: f64, ramp_s: f64) -> bool {
    ramp_s == 0.1 && normal_n > 1.7
}

#[test]
fn helmholtz_motion_holds_on_the_grid_of_force_ramp_and_rate_but_for_the_slowest_start_under_most_force() {
    // Judged after three seconds, when every cell has settled; the next test has the two that slip twice.
    let grid = [44_100.0, 48_000.0].into_iter().flat_map(|rate_hz| {
        let forces = [0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0].into_iter();
        forces.flat_map(move |n| [0.001, 0.003, 0.01, 0.03, 0.1].into_iter().map(move |ramp_s| (rate_hz, n, ramp_s)))
    });
    let missed: Vec<String> = grid
        .filter(|&(_, normal_n, ramp_s)| !slips_twice(normal_n, ramp_s))
        .filter_map(|(rate_hz, normal_n, ramp_s)| {
            let motion = motion(&cello(normal_n, ramp_s, "elasto-plastic"), rate_hz, 3.0);
            (!motion.is_helmholtz()).then(|| format!("{rate_hz} Hz, {normal_n} N, {ramp_s} s: {motion:.3?}"))
        })
        .collect();
    assert!(missed.is_empty(), "{} of 66 cells missed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn the_slowest_start_under_most_force_slips_twice_a_period_at_every_rate() {
    // A start of 0.1 s under 1.8 or 2 N, neither a faster nor a slower one: the double slip is the model's own motion, not the
    // step's, since four times the rate changes its figures by less than a hundredth, and it lasts.
    for normal_n in [1.8, 2.0] {
        let at = |rate_hz: f64, seconds: f64| motion(&cello(normal_n, 0.1, "elasto-plastic"), rate_hz, seconds);
        let fine = at(192_000.0, 1.0);
        for rate_hz in [44_100.0, 48_000.0] {
            let (first, late) = (at(rate_hz, 1.0), at(rate_hz, 6.0));
            assert!(slips_twice(normal_n, 0.1) && (late.slips_per_period - 2.0).abs() < 0.05, "{rate_hz} {late:?}");
            assert!((first.slips_per_period / fine.slips_per_period - 1.0).abs() < 0.01, "{first:?} {fine:?}");
            assert!((first.slip_over_beta / fine.slip_over_beta - 1.0).abs() < 0.01, "{first:?} {fine:?}");
            let slower = motion(&cello(normal_n, 0.2, "elasto-plastic"), rate_hz, 3.0);
            assert!(slower.is_helmholtz(), "{rate_hz} {slower:?}");
        }
    }
}

#[test]
fn lugre_and_rosin_bow_the_string_too() {
    // The sets that physics.md F names beside C: LuGre wants stiffer bristles, rosin its own curve.
    let lugre = cello(1.1, 0.03, "lugre").replace("1.0e4", "3.0e4");
    let motion_of = |text: &str| motion(text, 44_100.0, 2.0);
    let got = motion_of(&lugre);
    assert!(got.is_helmholtz(), "lugre {got:?}");
    let got = motion_of(&cello(1.1, 0.03, "thermal"));
    assert!((got.slips_per_period - 1.0).abs() < 0.05, "thermal {got:?}");
}

#[test]
fn a_stuck_bow_does_not_creep() {
    // A string under 10 mm/s for 10 ms is pulled 0.1 mm aside: 60 mN of 800 mN stiction. Then the bow rests.
    let text = cello(1.0, 0.03, "elasto-plastic")
        .replace("points = [[0.0, 0.0], [0.03, 0.1]]", "points = [[0.0, 0.0], [0.005, 0.01], [0.01, 0.0]]");
    let rate_hz = 44_100.0;
    let mut engine = engine(&text, rate_hz);
    let settle = (20.0 * rate_hz) as usize;
    let _ = probe(&mut engine, &["rub.force"], settle);
    let (rows, _) = probe(&mut engine, &["string.bow_point.position", "rub.force"], rate_hz as usize);
    let (first, last) = (&rows[0], &rows[rows.len() - 1]);
    assert!(first[0].abs() > 1e-6 && first[1].abs() > 1e-3 && first[1].abs() < 0.3, "{first:?}");
    let drift = (last[0] - first[0]).abs();
    assert!(drift < 1e-12, "{drift:e} m in a second");
}

#[test]
fn every_law_bows_the_string_without_gaining_energy() {
    for law in ["elasto-plastic", "lugre", "dahl", "static", "thermal"] {
        let mut engine = engine(&cello(1.1, 0.01, law), 44_100.0);
        let (rows, health) = probe(&mut engine, &["energy", "work", "string.bow_point.velocity"], 44_100);
        assert_eq!((health.unconverged, health.reset), (0, 0), "{law}");
        let scale = rows.iter().map(|row| row[0]).fold(0.0, f64::max);
        let rise = rows.windows(2).map(|w| (w[1][0] - w[1][1]) - (w[0][0] - w[0][1])).fold(0.0, f64::max);
        assert!(scale > 1e-6, "{law}: the string never moved");
        // The ledger is a difference of totals: rounding of the work done so far.
        let total = rows[rows.len() - 1][1].abs().max(scale);
        assert!(rise < 1e-13 * total, "{law}: {rise:e} J of {total:e} J");
        assert!(rows.iter().flatten().all(|x| x.is_finite()), "{law}");
    }
}

/// Largest step between samples of the string's velocity at the bow, over half a second.
fn largest_jump(moves: Vec<Timed>, text: &str) -> f64 {
    let mut engine = engine(text, 44_100.0);
    let mut out = vec![0.0_f32; 44_100];
    engine.render(&[], &mut Queue::from(moves), &mut out);
    out[22_050..].windows(2).map(|w| f64::from((w[1] - w[0]).abs())).fold(0.0, f64::max)
}

#[test]
fn a_bow_moved_a_thousand_times_a_second_does_not_click() {
    let text = cello(1.2, 0.03, "elasto-plastic");
    let scene = engine(&text, 44_100.0);
    let (force, speed) = ("rub/normal_force_n", "bow/velocity_m_s");
    let (force, speed) =
        (scene.scene().directory().address(force).unwrap(), scene.scene().directory().address(speed).unwrap());
    let steady = largest_jump(Vec::new(), &text);
    // Steps every millisecond between the ends of the playable band.
    let moves = |k: u64| {
        let up = k.is_multiple_of(2);
        let force = Timed { at: k * 441 / 10, command: Command::Set(force, if up { 2.0 } else { 0.8 }) };
        let speed = Timed { at: k * 441 / 10, command: Command::Set(speed, if up { 0.11 } else { 0.09 }) };
        [force, speed]
    };
    let moved = largest_jump((500..1000).flat_map(moves).collect(), &text);
    assert!(moved < 1.5 * steady, "{moved} against {steady} of the note itself");
}

#[test]
fn without_normal_force_there_is_silence() {
    for law in ["elasto-plastic", "lugre", "dahl", "static", "thermal"] {
        let mut engine = engine(&cello(0.0, 0.01, law), 44_100.0);
        let (rows, _) = probe(&mut engine, &["rub.force", "string.bow_point.velocity", "energy"], 22_050);
        assert!(rows.iter().flatten().all(|x| *x == 0.0), "{law}");
    }
}
