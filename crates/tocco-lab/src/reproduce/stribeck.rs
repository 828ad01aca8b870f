// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figure 8.5 of Avanzini et al. 2003: the static friction curve.

use super::blow::RATE_HZ;
use super::rub::{contact, head, pairs, play};
use super::{Csv, Outcome};
use crate::plot::{Corner, Figure, Look, Panel, Series};

const MU_D: f64 = 0.197;
const MU_S: f64 = 0.975;
const V_S: f64 = 0.1;
const F_N: f64 = 0.3;
/// Fastest sliding of the sweep, m/s; the figure's axis is not in the text.
const FASTEST: f64 = 0.5;
const DURATION_S: f64 = 2.0;

/// (8.15)
fn curve(v: f64) -> f64 {
    v.signum() * F_N * (MU_D + (MU_S - MU_D) * (-(v / V_S).powi(2)).exp())
}

/// A bow on a table too heavy to yield, from fast one way to fast the other.
fn scene(law: &str) -> String {
    let mut params = vec![("normal_force_n", F_N), ("mu_static", MU_S), ("mu_dynamic", MU_D), ("stribeck_m_s", V_S)];
    if law == "elasto-plastic" {
        params.extend([("bristle_stiffness", 1e6), ("bristle_damping", 0.0), ("viscosity", 0.0)]);
    }
    head("Avanzini 2003 Figure 8.5: the static friction curve", DURATION_S)
        + "[body.bow]\ntype = \"guided\"\n\n[body.table]\ntype = \"mass\"\nmass_kg = 1e9\n\n"
        + &contact("table", law, &params)
        + &format!(
            "\n[[drive]]\npath = \"bow/velocity_m_s\"\npoints = [[0.0, {:?}], [{DURATION_S:?}, {FASTEST:?}]]\n\n\
             [[tap]]\nof = \"rub\"\nquantity = \"force\"\n",
            -FASTEST
        )
}

pub fn compute() -> Result<Outcome, String> {
    let mut out =
        Outcome { csv: Csv::new(&["series", "velocity_m_s", "force_n"]), scene: scene("static"), ..Outcome::default() };
    let mut panel = Panel::new("f(v), bow on a heavy table", "relative velocity, m/s", "force, N");
    let line = (0..=1000).map(|i| FASTEST * (f64::from(i) / 500.0 - 1.0)).filter(|v| v.abs() > 1e-9);
    panel.series.push(Series::new("(8.15)", 0, Look::Line, line.map(|v| (v, curve(v))).collect()));
    for (i, law) in ["static", "elasto-plastic"].into_iter().enumerate() {
        let run = play(&scene(law), DURATION_S, &["bow.velocity", "rub.force"])?;
        let [v, f] = &run.columns[..] else { return Err("a signal is missing".into()) };
        // The bristles need their stretch, fs/sigma0, to turn round: half a micrometre, 1.1 ms at this acceleration.
        let turning = if law == "static" { 2.0 * FASTEST / DURATION_S / RATE_HZ } else { 2e-3 };
        // So does the first sample, which starts with straight bristles.
        let off = v.iter().zip(f).skip(10).filter(|(v, _)| v.abs() > turning);
        let worst = off.map(|(v, f)| (f / curve(*v) - 1.0).abs()).fold(0.0, f64::max);
        out.near(
            format!("{law}: largest distance from (8.15) beyond {:.1e} m/s, %", turning),
            0.0,
            100.0 * worst,
            if law == "static" { 0.01 } else { 0.1 },
            4,
        );
        let most = f.iter().copied().fold(0.0, f64::max);
        out.within_percent(format!("{law}: stiction mu_s f_N, N"), MU_S * F_N, most, 0.1);
        let end = f.last().copied().unwrap_or(0.0);
        out.within_percent(format!("{law}: Coulomb force mu_d f_N, N"), MU_D * F_N, end, 0.1);
        if law == "static" {
            let n = f.len();
            let mirrored = (1..n / 2 - 1).all(|k| (f[k] + f[n - k]).abs() < 1e-9);
            out.holds("static: odd in v", "sgn(v)", if mirrored { "yes" } else { "no" }, mirrored);
        }
        for (v, f) in v.iter().zip(f).step_by(20) {
            out.csv.row(&[law], &[*v, *f]);
        }
        let dots = pairs(v, 1.0, f, 1.0).into_iter().skip(600 * i).step_by(1200).collect();
        panel.series.push(Series::new(format!("Tocco, {law}"), i + 1, Look::Dots, dots));
    }
    out.notes.push("the elasto-plastic law, swept slowly, lies on the same curve: \"at steady-state it converges to the kinetic model (8.15)\"".into());
    panel.legend = Corner::BottomRight;
    panel.x_range = Some((-FASTEST, FASTEST));
    out.figure = Figure {
        title: "Avanzini 2003 Figure 8.5: static friction, µd 0.197, µs 0.975, vs 0.1 m/s, fN 0.3 N".into(),
        panels: vec![panel],
    };
    Ok(out)
}
