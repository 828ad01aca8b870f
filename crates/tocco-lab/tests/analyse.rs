// SPDX-License-Identifier: MIT OR Apache-2.0
//! The analysis finds what it should: on synthetic strikes every mode and no other.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

#[path = "common/strikes.rs"]
mod strikes;
use std::f64::consts::TAU;
use std::fs;
use std::path::PathBuf;
use strikes::{RATE_HZ, True, small, strike};
use tocco::rng::Rng;
use tocco_lab::analyse::read::Recording;
use tocco_lab::analyse::{Analysis, Options, analyse, mel};
use tocco_testing::pictures::assert_shipped;

/// A random struck object: decays shorter the higher the mode, amplitudes within 40 dB, sometimes two modes close together
/// (two to four half-power widths, as the doublets of bells and of plates).
fn object(seed: u64) -> Vec<True> {
    let mut rng = Rng::new(seed, "object");
    let count = 5 + (rng.unit() * 26.0) as usize;
    let mut modes: Vec<True> = Vec::new();
    while modes.len() < count {
        let mut hz = rng.between_log(80.0, 15_000.0);
        let mut sigma = rng.between_log(1.5, 8.0) + hz / rng.between_log(100.0, 1_000.0);
        if rng.unit() < 0.2
            && let Some(other) = modes.last()
        {
            sigma = other.sigma * rng.between_log(0.7, 1.4);
            hz = other.hz + rng.between(2.0, 4.0) * sigma.max(other.sigma) / (0.5 * TAU);
        }
        let clear = |m: &True| (m.hz - hz).abs() > 1.9 * m.sigma.max(sigma) / (0.5 * TAU);
        if modes.iter().all(clear) {
            let sign = if rng.unit() < 0.5 { -1.0 } else { 1.0 };
            modes.push(True { hz, sigma, amplitude: sign * rng.between_log(0.0105, 1.0) });
        }
    }
    modes
}

fn recording(samples: Vec<f64>) -> Recording {
    Recording { name: "synthetic".into(), rate_hz: RATE_HZ, samples, lossy: false }
}

/// Damped frequency, Hz, and decay rate, 1/s, of what was found.
fn found(analysis: &Analysis) -> Vec<(f64, f64, f64)> {
    let pole = |m: &tocco_lab::analyse::Mode| {
        let (omega, sigma) = (TAU * m.freq_hz, 1.0 / m.decay_s);
        ((omega * omega - sigma * sigma).sqrt() / TAU, sigma, m.weights[0])
    };
    analysis.modes.iter().map(pole).collect()
}

/// Cramer-Rao bound on a mode's decay rate, relative, together with its nearest neighbour: information summed over samples.
fn bound(modes: &[True], k: usize, noise: f64) -> f64 {
    let m = modes[k];
    let others = modes.iter().enumerate().filter(|(i, _)| *i != k).map(|(_, o)| *o);
    let near = others.min_by(|a, b| (a.hz - m.hz).abs().total_cmp(&(b.hz - m.hz).abs())).unwrap();
    let mut fisher = nalgebra::DMatrix::<f64>::zeros(8, 8);
    for n in 0..(2.0 * RATE_HZ) as usize {
        let t = n as f64 / RATE_HZ;
        let mut slope = [0.0; 8];
        for (i, m) in [m, near].iter().enumerate() {
            let (fall, turn) = (0.1 * m.amplitude * (-m.sigma * t).exp(), TAU * m.hz * t);
            slope[4 * i] = -t * fall * turn.cos() * m.sigma;
            slope[4 * i + 1] = -t * fall * turn.sin() * m.sigma;
            slope[4 * i + 2] = fall * turn.cos();
            slope[4 * i + 3] = fall * turn.sin();
        }
        for a in 0..8 {
            for b in 0..8 {
                fisher[(a, b)] += slope[a] * slope[b] / (noise * noise);
            }
        }
    }
    fisher.try_inverse().map_or(f64::INFINITY, |inverse| inverse[(0, 0)].sqrt())
}

/// Relative errors of frequency and decay of each mode that was found.
type Errors = Vec<Option<(f64, f64)>>;

/// Pairs true modes with found ones, strongest first; what is left over of the found are ghosts.
fn judge(modes: &[True], analysis: &Analysis) -> (Errors, Vec<(f64, f64, f64)>) {
    let mut rest = found(analysis);
    let mut order: Vec<usize> = (0..modes.len()).collect();
    order.sort_by(|a, b| modes[*b].amplitude.abs().total_cmp(&modes[*a].amplitude.abs()));
    let mut errors = vec![None; modes.len()];
    for k in order {
        let m = modes[k];
        let far = |f: &(f64, f64, f64)| (f.0 - m.hz).abs();
        let near = (0..rest.len()).min_by(|a, b| far(&rest[*a]).total_cmp(&far(&rest[*b])));
        if let Some(i) = near.filter(|&i| far(&rest[i]) < (3e-3 * m.hz).max(m.sigma / TAU)) {
            let f = rest.swap_remove(i);
            errors[k] = Some(((f.0 / m.hz - 1.0).abs(), (f.1 / m.sigma - 1.0).abs()));
        }
    }
    (errors, rest)
}

#[test]
fn at_60_db_every_mode_within_40_db_is_found_with_frequency_to_a_thousandth_decay_to_a_twentieth_and_no_ghosts() {
    let (mut worst_hz, mut worst_decay, mut all) = (0.0_f64, 0.0_f64, 0);
    for seed in 1..=6 {
        let modes = object(seed);
        let (samples, _) = strike(&modes, 60.0, seed, 2.0);
        let analysis = analyse(&[recording(samples)], &Options::default()).unwrap();
        let (errors, ghosts) = judge(&modes, &analysis);
        assert!(ghosts.is_empty(), "object {seed}: ghosts {ghosts:?}");
        for (mode, error) in modes.iter().zip(errors) {
            let (hz, decay) = error.unwrap_or_else(|| panic!("object {seed}: {mode:?} is not found"));
            assert!(hz < 1e-3 && decay < 0.05, "object {seed}: {mode:?} off by {hz} and {decay}");
            (worst_hz, worst_decay, all) = (worst_hz.max(hz), worst_decay.max(decay), all + 1);
        }
    }
    println!("60 dB: {all} modes, worst frequency {worst_hz:.1e}, worst decay {worst_decay:.1e}");
}

#[test]
fn at_20_db_the_same_holds_for_modes_whose_bound_allows_it() {
    let (mut judged, mut worst) = (0, 0.0_f64);
    for seed in 1..=6 {
        let modes = object(seed);
        let (samples, noise) = strike(&modes, 20.0, seed, 2.0);
        let analysis = analyse(&[recording(samples)], &Options::default()).unwrap();
        let (errors, ghosts) = judge(&modes, &analysis);
        assert!(ghosts.is_empty(), "object {seed}: ghosts {ghosts:?}");
        for (k, error) in errors.into_iter().enumerate() {
            let bound = bound(&modes, k, noise);
            if bound <= 0.02 {
                let (hz, decay) =
                    error.unwrap_or_else(|| panic!("object {seed}: {:?}, bound {bound}, is not found", modes[k]));
                assert!(
                    hz < 1e-3 && decay < 0.05,
                    "object {seed}: {:?}, bound {bound}, off by {hz} and {decay}",
                    modes[k]
                );
                (judged, worst) = (judged + 1, worst.max(decay));
            }
        }
    }
    println!("20 dB: {judged} modes judged, worst decay {worst:.1e}");
    assert!(judged >= 20, "{judged}");
}

#[test]
fn strikes_of_one_object_share_their_modes_and_give_a_port_each() {
    let all = object(3);
    // Each strike misses other modes, as places near a node do.
    let place = |skip: usize| -> Vec<True> {
        all.iter()
            .enumerate()
            .map(|(i, m)| True { amplitude: if i % 4 == skip { 0.0 } else { m.amplitude }, ..*m })
            .collect()
    };
    let strikes: Vec<Recording> =
        [0, 1].map(|skip| recording(strike(&place(skip), 60.0, 9 + skip as u64, 2.0).0)).to_vec();
    let analysis = analyse(&strikes, &Options::default()).unwrap();
    let (errors, ghosts) = judge(&all, &analysis);
    assert!(
        ghosts.is_empty() && errors.iter().all(|e| e.is_some_and(|(hz, decay)| hz < 1e-3 && decay < 0.05)),
        "{errors:?} {ghosts:?}"
    );
    let text = analysis.toml("pot", 0.05);
    let def = tocco::SceneDef::from_text(&text).unwrap();
    assert_eq!(def.events.len(), 2);
    assert!(text.contains("strike1 = [") && text.contains("strike2 = [") && text.contains("ear = ["), "{text}");
    // One file with both strikes says the same.
    let both = [strikes[0].samples.clone(), strikes[1].samples.clone()].concat();
    let together = analyse(&[recording(both)], &Options { strikes: 2, ..Options::default() }).unwrap();
    assert_eq!((together.strikes.len(), together.modes.len()), (2, analysis.modes.len()));
}

#[test]
fn the_body_sounds_like_the_strike_and_the_picture_shows_both() {
    let modes = object(2);
    let strikes = [recording(strike(&modes, 60.0, 4, 2.0).0)];
    let analysis = analyse(&strikes, &Options::default()).unwrap();
    let span = analysis.strikes[0].span;
    let heard = &strikes[0].samples[span.start..span.end];
    let body = analysis.resynthesis(0, heard.len()).unwrap();
    let energy = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    let level_db = 10.0 * (energy(&body) / energy(heard)).log10();
    assert!(level_db.abs() < 0.5, "{level_db}");
    let distance = mel::distance_db(heard, &body, RATE_HZ);
    assert!(distance < 2.0, "{distance}");
    let dir = tempfile::tempdir().unwrap();
    let shipped = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/models/analyse.png");
    let picture = dir.path().join("analyse.png");
    analysis.picture(&strikes, &picture).unwrap();
    assert_shipped(&fs::read(&picture).unwrap(), &shipped);
}

#[test]
fn the_signs_of_the_modes_differ_between_strikes_as_the_places_do() {
    let mut rng = Rng::new(11, "signs");
    for object in 0..5 {
        let modes: Vec<(f64, f64)> = (0..7)
            .map(|k| (300.0 * (1.0 + 1.7 * f64::from(k)) * rng.between(0.9, 1.1), rng.between(0.05, 0.3)))
            .collect();
        let turns: Vec<f64> = modes.iter().map(|_| rng.between(0.0, TAU)).collect();
        let strike = |signs: &[f64], at_s: f64| Recording {
            name: "x".into(),
            rate_hz: RATE_HZ,
            samples: (0..24_000)
                .map(|n| {
                    let t = f64::from(n) / RATE_HZ - at_s;
                    let one = |k: usize| signs[k] * (-t / modes[k].1).exp() * (TAU * modes[k].0 * t + turns[k]).cos();
                    if t < 0.0 { 0.0 } else { 0.1 * (0..modes.len()).map(one).sum::<f64>() }
                })
                .collect(),
            lossy: false,
        };
        let signs: Vec<Vec<f64>> = (0..3)
            .map(|_| modes.iter().map(|_| rng.between(0.4, 1.0) * if rng.unit() < 0.5 { -1.0 } else { 1.0 }).collect())
            .collect();
        // Counted from moments that are no whole samples apart.
        let takes = [strike(&signs[0], 0.05), strike(&signs[1], 0.1001), strike(&signs[2], 0.020_033)];
        let found = analyse(&takes, &Options::default()).unwrap();
        assert_eq!(found.modes.len(), modes.len(), "object {object}");
        for j in 1..3 {
            let ours: Vec<bool> = found.modes.iter().map(|m| m.weights[j] * m.weights[0] > 0.0).collect();
            let true_ones: Vec<bool> = (0..modes.len()).map(|k| signs[j][k] * signs[0][k] > 0.0).collect();
            assert_eq!(ours, true_ones, "object {object}, strike {j}");
        }
    }
}

#[test]
fn no_mode_is_outside_the_frequencies_asked_for() {
    let options = Options { min_hz: 430.0, max_hz: 1300.0, ..Options::default() };
    for (options, count) in
        [(options, 2), (Options { min_hz: 460.0, ..options }, 1), (Options { max_hz: 1200.0, ..options }, 1)]
    {
        let analysis = analyse(&[recording(small())], &options).unwrap();
        let inside = |m: &tocco_lab::analyse::Mode| (options.min_hz..=options.max_hz).contains(&m.freq_hz);
        assert!(analysis.modes.iter().all(inside), "{:?}", analysis.modes);
        assert!(analysis.modes.len() >= count, "{:?}", analysis.modes);
    }
}

#[test]
fn a_body_takes_a_hammer_and_answers_at_a_sensible_level() {
    let analysis = analyse(&[recording(small())], &Options::default()).unwrap();
    let mut text = analysis.toml("pot", 0.05);
    let hits = text.find("[[event]]").unwrap();
    let taps = text.find("[[tap]]").unwrap();
    let hammer = "[body.hammer]\ntype = \"mass\"\nmass_kg = 0.01\n[contact.knock]\ntype = \"impact\"\n\
                  between = [\"hammer\", \"pot.strike1\"]\nhardness_01 = 0.6\nat_speed_m_s = 2.0\n\
                  [[event]]\nat_s = 0.0\nstrike = \"hammer\"\nvelocity_m_s = 2.0\n";
    text.replace_range(hits..taps, hammer);
    let def = tocco::SceneDef::from_text(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut sound = vec![0.0_f32; 24_000];
    tocco::Engine::new(tocco::Scene::build(&def, RATE_HZ).unwrap()).render(&[], &mut tocco::Queue::new(), &mut sound);
    let peak = |x: &mut dyn Iterator<Item = f64>| x.fold(0.0, |m: f64, x| m.max(x.abs()));
    let ratio = peak(&mut sound.iter().map(|x| f64::from(*x))) / peak(&mut small().into_iter());
    // 10 g at 2 m/s carry 0.02 to 0.04 N s; the hit that stands for the recorded strike is 0.05 N s.
    assert!((0.1..1.5).contains(&ratio), "{ratio}");
}
