// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figure 2.3 of De Sena et al. 2009: how far the fitted rebound (2.7), (2.8) is from the root of (2.6).

use super::blow::{Blow, RATE_HZ};
use super::{Csv, Outcome};
use crate::plot::{Figure, Look, Panel, Series};
use tocco::theory::{WallImpact, restitution, restitution_fit};

pub fn compute() -> Result<Outcome, String> {
    let mut out = Outcome {
        csv: Csv::new(&["series", "mu_v_in", "error_percent"]),
        qualitative: Some("the figure prints no numbers; the curve is computed from the paper's own formulas".into()),
        ..Outcome::default()
    };
    let error = |y: f64| 100.0 * (restitution_fit(y) / restitution(y) - 1.0);
    let curve: Vec<(f64, f64)> = (1..=1000).map(|i| 0.01 * f64::from(i)).map(|y| (y, error(y))).collect();
    for &(y, e) in &curve {
        out.csv.row(&["fit"], &[y, e]);
    }
    let worst = curve.iter().copied().fold((0.0, 0.0), |best, p| if p.1 > best.1 { p } else { best });
    out.holds(
        "the fit's largest error",
        "small everywhere, none printed",
        format!("{:+.3} % at y = {:.1}", worst.1, worst.0),
        (worst.1 - 2.045).abs() < 0.001,
    );
    out.notes.push(format!(
        "the fit is off by {:+.1e} % at y = 0.03 and {:+.2e} % at 0.5; Table 2.1 prints ~ -1e-2 and ~ -1e-4",
        error(0.03),
        error(0.5)
    ));
    let mut ours = Vec::new();
    let mut worst_ours: f64 = 0.0;
    for y in [0.03, 0.1, 0.3, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0] {
        let impact = WallImpact { mass_kg: 0.01, stiffness: 1e9, exponent: 1.5, dissipation_s_m: y, velocity_m_s: 1.0 };
        let blow = Blow::on_wall(impact.lasting(6.0 / RATE_HZ));
        let got = 100.0 * (blow.run_contact(RATE_HZ)?.touch()?.out_m_s / impact.rebound_m_s() - 1.0);
        out.csv.row(&["Tocco"], &[y, got]);
        ours.push((y, got));
        if y <= 3.0 {
            worst_ours = worst_ours.max(got.abs());
        }
        out.scene = blow.scene("De Sena 2009 Figure 2.3: a dead rebound, contact of six samples", 0.001);
    }
    out.holds(
        "Tocco, contacts of six samples, y up to 3",
        "",
        format!("at most {worst_ours:.3} % from the root"),
        worst_ours <= 0.25,
    );
    let mut panel = Panel::new("against the exact root of (2.6)", "y = µ v_in", "error of the rebound, %")
        .with(Series::new("fit (2.7), (2.8)", 2, Look::Line, curve))
        .with(Series::new("Tocco at 44.1 kHz, contact of 6 samples", 1, Look::Dots, ours));
    panel.x_range = Some((0.0, 10.2));
    out.figure = Figure { title: "De Sena 2009 Figure 2.3: error of the fitted rebound".into(), panels: vec![panel] };
    Ok(out)
}
