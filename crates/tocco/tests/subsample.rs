// SPDX-License-Identifier: MIT OR Apache-2.0
//! What happens between two samples happens there, at every rate.

mod common;
use common::engine;
use tocco::Queue;

/// Forces of a contact by the sample.
fn forces(text: &str, name: &str, rate_hz: f64, seconds: f64) -> Vec<f64> {
    let mut engine = engine(text, rate_hz);
    engine.watch(&[engine.scene().directory().probe(name).unwrap()]);
    let frames = (seconds * rate_hz) as usize;
    let mut rows = vec![0.0; frames];
    engine.render_probed(&[], &mut Queue::new(), &mut vec![0.0; frames], &mut rows);
    rows
}

/// When each touch pushed, on average, s: what parts two pushes is a silence of 2 ms.
fn touches(forces: &[f64], rate_hz: f64) -> Vec<f64> {
    let (mut all, mut quiet, mut sums) = (Vec::new(), usize::MAX, [0.0; 2]);
    for (n, force) in forces.iter().enumerate() {
        if *force > 0.0 {
            quiet = 0;
            // A force is held from the sample before to this one.
            sums = [sums[0] + force, sums[1] + force * (n as f64 + 0.5) / rate_hz];
        } else {
            quiet = quiet.saturating_add(1);
            if quiet as f64 > 2e-3 * rate_hz && sums[0] > 0.0 {
                all.push(sums[1] / sums[0]);
                sums = [0.0; 2];
            }
        }
    }
    all
}

/// A ball that rebounds from a wall, let fall three times.
const FALLS: &str = "seed = 5\n[body.ball]\ntype = 'mass'\nmass_kg = 0.005\ngravity_m_s2 = 9.81\n[body.floor]\ntype = 'wall'\n\
    [contact.c]\ntype = 'impact'\nbetween = ['ball', 'floor']\nstiffness = 2e6\nexponent = 1.5\ndissipation_s_m = 0.2\n\
    [signal.pour]\ntype = 'points'\npoints = [[0.0, 1.0]]\n[process.p]\ntype = 'scatter'\ndriven_by = 'pour'\non = 'plate'\nbodies = ['ball']\n\
    few = 0\nrate_hz = 3.0\nmass_kg = 0.005\nheight_m = 0.3\nspread_db = 0.0\nvary_01 = 0.0\n\
    [body.plate]\ntype = 'modal'\nmodes = [{ freq_hz = 700.0, decay_s = 0.02, mass_kg = 4.0 }]\n[[tap]]\nof = 'plate'\n";

#[test]
fn a_mass_that_falls_touches_when_it_lands_and_not_at_the_next_sample() {
    let fine = touches(&forces(FALLS, "c.force", 384_000.0, 1.5), 384_000.0);
    assert!(fine.len() >= 2, "{fine:?}");
    for rate_hz in [16_000.0, 22_050.0, 44_100.0, 48_000.0, 96_000.0] {
        let own = touches(&forces(FALLS, "c.force", rate_hz, 1.5), rate_hz);
        let off = (own[0] - fine[0]) * rate_hz;
        println!("{rate_hz} Hz: first touch {:.7} s, {off:.3} samples off", own[0]);
        assert!(off.abs() < 0.1, "{rate_hz} Hz: {off} samples after {}", fine[0]);
    }
}

#[test]
fn a_foot_that_treads_comes_down_at_its_millisecond_and_not_at_the_sample_before() {
    let text = "[body.shoe]\ntype = 'mass'\nmass_kg = 0.15\nposition_m = -1.0\n[body.floor]\ntype = 'wall'\n[contact.sole]\ntype = 'impact'\n\
        between = ['shoe', 'floor']\nstiffness = 5e6\nexponent = 1.5\ndissipation_s_m = 3.0\n[signal.press]\ntype = 'points'\n\
        points = [[0.0, 0.0], [0.1007, 0.0], [0.11, 0.6], [0.3, 0.6], [0.31, 0.0]]\n[process.foot]\ntype = 'tread'\ndriven_by = 'press'\non = 'shoe'\n\
        strike_m_s = 0.35\nhold_s = 0.015\n[[tap]]\nof = 'shoe'\n";
    let first = |rate_hz: f64| {
        let all = forces(text, "sole.force", rate_hz, 0.2);
        let from = all.iter().position(|force| *force > 0.0).unwrap();
        // The knock: its first 2 ms.
        let part = &all[from..from + (2e-3 * rate_hz) as usize];
        let sum: f64 = part.iter().sum();
        part.iter().enumerate().map(|(n, force)| force * ((from + n) as f64 + 0.5) / rate_hz).sum::<f64>() / sum
    };
    let fine = first(384_000.0);
    for rate_hz in [22_050.0, 44_100.0, 96_000.0] {
        let off = (first(rate_hz) - fine) * rate_hz;
        println!("{rate_hz} Hz: {off:.3} samples off");
        assert!(off.abs() < 0.25, "{rate_hz} Hz: {off} samples after {fine}");
    }
}
