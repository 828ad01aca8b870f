// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figure 3 of Avanzini et al. 2002: the adhesion map, read back from the force on a bow that is drawn over a table too heavy to yield.

use super::blow::RATE_HZ;
use super::rub::{contact, head, play};
use super::{Csv, Outcome};
use crate::plot::{Corner, Figure, Look, Panel, Series};

/// Bristles: N/m, N and m/s.
const SIGMA0: f64 = 1e4;
const COULOMB: f64 = 0.3;
const STICTION: f64 = 0.8;
const STRIBECK: f64 = 0.1;
const BREAKAWAY: f64 = 0.7 * COULOMB / SIGMA0;
/// Loading, then sliding faster, m/s; the bristles are then longer than steady sliding keeps them.
const SLOW: f64 = 2e-3;
const FAST: f64 = 0.1;
const TURN_S: f64 = 0.15;
const DURATION_S: f64 = 0.16;

/// |z_ss(v)|, m
fn steady(v: f64) -> f64 {
    (COULOMB + (STICTION - COULOMB) * (-(v / STRIBECK).powi(2)).exp()) / SIGMA0
}

/// (7), (8) with absolute values (C21, C22).
fn alpha(z: f64, v: f64) -> f64 {
    let (z, zs) = (z.abs(), steady(v));
    if z <= BREAKAWAY {
        0.0
    } else if z >= zs {
        1.0
    } else {
        0.5 * (1.0 + (std::f64::consts::PI * (z - 0.5 * (zs + BREAKAWAY)) / (zs - BREAKAWAY)).sin())
    }
}

/// (7), (8) as printed: the signed z_ss.
fn alpha_printed(z: f64, v: f64) -> f64 {
    let zs = steady(v) * v.signum();
    if z.abs() < BREAKAWAY {
        0.0
    } else if z.abs() < zs {
        0.5 * (1.0 + (std::f64::consts::PI * (z - 0.5 * (zs + BREAKAWAY)) / (zs - BREAKAWAY)).sin())
    } else {
        1.0
    }
}

fn scene(way: f64) -> String {
    let (slow, fast) = (way * SLOW, way * FAST);
    head("Avanzini 2002 Figure 3: bristles loaded slowly, then fast", DURATION_S)
        + "[body.bow]\ntype = \"guided\"\n\n[body.table]\ntype = \"mass\"\nmass_kg = 1e9\n\n"
        + &contact(
            "table",
            "elasto-plastic",
            &[
                ("normal_force_n", 1.0),
                ("mu_static", STICTION),
                ("mu_dynamic", COULOMB),
                ("stribeck_m_s", STRIBECK),
                ("bristle_stiffness", SIGMA0),
                ("bristle_damping", 0.0),
                ("viscosity", 0.0),
                ("breakaway_01", 0.7),
            ],
        )
        + &format!(
            "\n[[drive]]\npath = \"bow/velocity_m_s\"\npoints = \
             [[0.0, {slow:?}], [{TURN_S:?}, {slow:?}], [{:?}, {fast:?}]]\n\n\
             [[tap]]\nof = \"rub\"\nquantity = \"force\"\n",
            TURN_S + 1.0 / RATE_HZ
        )
}

pub fn compute() -> Result<Outcome, String> {
    let mut out = Outcome {
        csv: Csv::new(&["series", "velocity_m_s", "deflection_m", "alpha"]),
        scene: scene(1.0),
        ..Outcome::default()
    };
    let um = 1e-6;
    let reach = 1.05 * STICTION / SIGMA0;
    let line = |v: f64| (0..=400).map(|i| reach * f64::from(i) / 400.0).map(|z| (z / um, alpha(z, v))).collect();
    let mut panel = Panel::new("sgn(v) = sgn(z)", "|z|, µm", "α")
        .with(Series::new("(7), (8) at 2 mm/s", 0, Look::Line, line(SLOW)))
        .with(Series::new("(7), (8) at 0.1 m/s", 0, Look::Dashed, line(FAST)));
    let mut printed_off: f64 = 0.0;
    for (i, way) in [1.0, -1.0].into_iter().enumerate() {
        let run = play(&scene(way), DURATION_S, &["bow.velocity", "rub.force"])?;
        let [velocity, force] = &run.columns[..] else { return Err("a signal is missing".into()) };
        // Without damping and viscosity the force is sigma0 times the mean deflection of the step.
        let (mut z0, mut dots, mut worst) = (0.0, Vec::new(), 0.0_f64);
        let mut counts = [0_u32; 3];
        for (n, (v, f)) in velocity.iter().zip(force).enumerate() {
            let z = f / SIGMA0;
            let z1 = 2.0 * z - z0;
            let found = (1.0 - (z1 - z0) * RATE_HZ / v) * steady(*v) / z.abs();
            z0 = z1;
            // At the sample of the turn the velocity is between the two.
            if ((n as f64) / RATE_HZ - TURN_S).abs() < 3.0 / RATE_HZ || !found.is_finite() {
                continue;
            }
            let want = alpha(z, *v);
            worst = worst.max((found - want).abs());
            printed_off = printed_off.max((want - alpha_printed(z, *v)).abs());
            counts[if want == 0.0 {
                0
            } else if want < 1.0 {
                1
            } else {
                2
            }] += 1;
            out.csv.row(&[if way > 0.0 { "forward" } else { "backward" }], &[*v, z, found]);
            dots.push((z.abs() / um, found));
        }
        let name = if way > 0.0 { "forward" } else { "backward" };
        out.near(format!("{name}: largest distance of α from (7), (8)"), 0.0, worst, 1e-6, 9);
        out.holds(
            format!("{name}: elastic, mixed and plastic regime"),
            "all three",
            format!("{}, {}, {} samples", counts[0], counts[1], counts[2]),
            counts.iter().all(|n| *n > 0),
        );
        let shown = dots
            .into_iter()
            .enumerate()
            .filter(|(n, _)| n % 160 == 80 * i || (*n > 6600 && n % 16 == 8 * i))
            .map(|d| d.1)
            .collect();
        let look = if i == 0 { Look::Dots } else { Look::Rings };
        panel.series.push(Series::new(format!("Tocco, {name}"), i + 1, look, shown));
    }
    out.notes.push(format!(
        "read with absolute values (C21, C22); as printed, backward motion is off by up to {printed_off:.2}"
    ));
    panel.legend = Corner::BottomRight;
    panel.y_range = Some((-0.05, 1.1));
    out.figure = Figure { title: "Avanzini 2002 Figure 3: the adhesion map α(v, z)".into(), panels: vec![panel] };
    Ok(out)
}
