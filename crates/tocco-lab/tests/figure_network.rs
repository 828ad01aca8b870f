// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws the figure of docs/models/network.md and checks its claims. `TOCCO_BLESS=1 cargo test -p tocco-lab --test
//! figure_network` writes the picture.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::f64::consts::PI;
use std::path::PathBuf;
use tocco::resonator::Resonator;
use tocco::resonator::modal::{Modal, ModalParams};
use tocco::resonator::network::dense::Dense;
use tocco::resonator::network::{Link, Network};
use tocco_lab::plot::{Corner, Figure, Look, Panel, Series};
use tocco_testing::pictures::assert_shipped;

const RATE_HZ: f64 = 48_000.0;
/// The mass that is struck and heard: a neighbour of the damper.
const STRUCK: usize = 3;

fn link(a: Option<usize>, b: Option<usize>, stiffness_n_m: f64, damping_n_s_m: f64) -> Link {
    Link { between: [a, b], stiffness_n_m, damping_n_s_m }
}

/// Velocity of the struck mass, sample by sample, by classical Runge-Kutta on Newton's law, 50 steps a sample.
fn direct(masses: &[f64], links: &[Link], impulse_n_s: f64, frames: usize) -> Vec<f64> {
    let n = masses.len();
    let rates = |y: &[f64]| {
        let mut out = vec![0.0; 2 * n];
        out[..n].copy_from_slice(&y[n..]);
        for l in links {
            let end = |i: Option<usize>| i.map_or((0.0, 0.0), |i| (y[i], y[n + i]));
            let ((xa, va), (xb, vb)) = (end(l.between[0]), end(l.between[1]));
            let pull = l.stiffness_n_m * (xa - xb) + l.damping_n_s_m * (va - vb);
            l.between[0].into_iter().for_each(|a| out[n + a] -= pull / masses[a]);
            l.between[1].into_iter().for_each(|b| out[n + b] += pull / masses[b]);
        }
        out
    };
    let mut y = vec![0.0; 2 * n];
    y[n + STRUCK] = impulse_n_s / masses[STRUCK];
    let h = 1.0 / (50.0 * RATE_HZ);
    let ahead = |y: &[f64], k: &[f64], by: f64| y.iter().zip(k).map(|(y, k)| y + by * k).collect::<Vec<f64>>();
    let mut heard = Vec::new();
    for step in 1..=50 * frames {
        let a = rates(&y);
        let b = rates(&ahead(&y, &a, 0.5 * h));
        let c = rates(&ahead(&y, &b, 0.5 * h));
        let d = rates(&ahead(&y, &c, h));
        (0..2 * n).for_each(|i| y[i] += h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]));
        if step % 50 == 0 {
            heard.push(y[n + STRUCK]);
        }
    }
    heard
}

#[test]
fn a_chain_lies_on_its_closed_form_and_a_joined_network_on_its_direct_integration() {
    let (n, m, k) = (24, 0.001, 1e5);
    let at = |i: usize| (1..=n).contains(&i).then(|| i - 1);
    let springs: Vec<Link> = (0..=n).map(|i| link(at(i), at(i + 1), k, 0.0)).collect();
    let chain = Network::new(&vec![m; n], &springs);
    let law = |mode: f64| 2.0 * f64::sqrt(k / m) * (mode * PI / (2 * (n + 1)) as f64).sin() / (2.0 * PI);
    let modes: Vec<(f64, f64)> = (0..n).map(|i| ((i + 1) as f64, chain.freq_hz(i))).collect();
    assert!(modes.iter().all(|(mode, hz)| (hz / law(*mode) - 1.0).abs() < 1e-12));
    let curve = (0..=100).map(|i| f64::from(i) * 0.25).map(|mode| (mode, law(mode) / 1e3)).collect();
    let dots = modes.iter().map(|(mode, hz)| (*mode, hz / 1e3)).collect();
    let left = Panel { legend: Corner::BottomRight, ..Panel::new("a chain of 24 masses", "mode", "frequency, kHz") }
        .with(Series::new("closed form", 0, Look::Line, curve))
        .with(Series::new("ours", 1, Look::Dots, dots));

    let masses = [0.01, 0.02, 0.005, 0.013, 0.03];
    let mut links: Vec<Link> = [2e5, 1e5, 3e5, 5e4, 1e5]
        .iter()
        .enumerate()
        .map(|(i, k)| link(Some(i), Some((i + 1) % 5), *k, 1e-6 * k))
        .collect();
    links.push(link(None, Some(0), 4e4, 0.0));
    links.push(link(Some(2), None, 0.0, 200.0));
    let network = Network::new(&masses, &links);
    assert!(!network.stands_alone());
    let all: Vec<usize> = (0..5).collect();
    let mut joined = Dense::new(ModalParams::default(), &network, &all, 1.0 / RATE_HZ);
    let table: Vec<_> = all.iter().map(|&i| (network.freq_hz(i), network.decay_s(i), 1.0)).collect();
    let mut apart = Modal::new(ModalParams::default(), &table, &network.mode_shapes, 1.0 / RATE_HZ, false);
    let frames = 480;
    let exact = direct(&masses, &links, 0.01, frames);
    let play = |body: &mut dyn Resonator| {
        body.hit(STRUCK, 0.01);
        let step = |_| {
            body.commit();
            body.velocity(STRUCK)
        };
        (0..frames).map(step).collect::<Vec<f64>>()
    };
    let (ours, ignored) = (play(&mut joined), play(&mut apart));
    let off = |got: &[f64]| got.iter().zip(&exact).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(off(&ours) < 1e-8, "{}", off(&ours));
    assert!(off(&ignored) > 0.2, "{}", off(&ignored));
    let points = |v: &[f64], every: usize| -> Vec<(f64, f64)> {
        v.iter().enumerate().step_by(every).map(|(i, v)| ((i + 1) as f64 / RATE_HZ * 1e3, *v)).collect()
    };
    let right = Panel::new("a ring with one strong damper, struck", "time, ms", "velocity, m/s")
        .with(Series::new("modes apart", 1, Look::Dashed, points(&ignored, 1)))
        .with(Series::new("ours", 0, Look::Line, points(&ours, 1)))
        .with(Series::new("direct integration", 2, Look::Rings, points(&exact, 8)));

    let bytes =
        Figure { title: "Network: masses, springs and dampers".into(), panels: vec![left, right] }.png().unwrap();
    let shipped = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/models/network.png");
    assert_shipped(&bytes, &shipped);
}
