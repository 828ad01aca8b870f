// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figure 5.3 of Avanzini 2001: the rebound as the intersection of two curves.

use super::blow::{Blow, RATE_HZ};
use super::{Csv, Outcome};
use crate::plot::{Corner, Figure, Look, Panel, Series};
use tocco::theory::WallImpact;

pub fn compute() -> Result<Outcome, String> {
    let mu = 0.6;
    let mut out = Outcome { csv: Csv::new(&["series", "incoming_m_s", "velocity_m_s", "level"]), ..Outcome::default() };
    let level = |v: f64| (mu * v).exp() / (1.0 + mu * v);
    let line = |from: f64, to: f64, f: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
        (0..=300).map(|i| from + (to - from) * f64::from(i) / 300.0).map(|v| (v, f(v))).collect()
    };
    let mut left = Panel::new("(a) both velocities lie on one level", "v, m/s", "exp(µv) / (1 + µv)")
        .with(Series::new("exp(µv) / (1 + µv)", 2, Look::Line, line(-1.655, 4.4, &level)));
    let mut right = Panel::new("(b) the exponential meets a (1 + µv)", "v, m/s", "").with(Series::new(
        "exp(µv)",
        2,
        Look::Line,
        line(-1.8, 4.4, &|v| (mu * v).exp()),
    ));
    for (i, v) in [1.0, 2.0, 3.0, 4.0].into_iter().enumerate() {
        let impact =
            WallImpact { mass_kg: 0.01, stiffness: 1.5e11, exponent: 2.8, dissipation_s_m: mu, velocity_m_s: v };
        let blow = Blow::on_wall(impact);
        let ours = blow.run_contact(RATE_HZ)?.touch()?.out_m_s;
        out.scene = blow.scene("Avanzini 2001 Figure 5.3: hammer on a rigid surface", 0.01);
        out.within_percent(format!("v_in {v} m/s: rebound, m/s"), impact.rebound_m_s(), ours, 0.25);
        let a = level(v);
        out.csv.row(&["theory"], &[v, impact.rebound_m_s(), a]);
        out.csv.row(&["Tocco"], &[v, ours, level(ours)]);
        let name = |text: &str| if i == 0 { text.to_string() } else { String::new() };
        left.series.push(Series::new(name("level of v_in"), 7, Look::Dashed, vec![(impact.rebound_m_s(), a), (v, a)]));
        left.series.push(Series::new(name("v_in"), 0, Look::Rings, vec![(v, a)]));
        left.series.push(Series::new(name("v_out of Tocco"), 1, Look::Dots, vec![(ours, a)]));
        right.series.push(Series::new(
            name("a (1 + µv) for v_in = 1 ... 4"),
            7,
            Look::Dashed,
            line(-1.8, 4.4, &|u| a * (1.0 + mu * u)),
        ));
        right.series.push(Series::new(name("v_in"), 0, Look::Rings, vec![(v, (mu * v).exp())]));
        right.series.push(Series::new(name("v_out of Tocco"), 1, Look::Dots, vec![(ours, (mu * ours).exp())]));
    }
    left.x_range = Some((-2.0, 4.5));
    left.y_range = Some((0.8, 4.0));
    left.legend = Corner::Top;
    right.x_range = Some((-2.0, 4.5));
    right.y_range = Some((-1.0, 12.5));
    right.legend = Corner::TopLeft;
    out.notes.push("(5.14) first line is x^(α+1) up to a factor, not x; the roots are the same".into());
    out.figure = Figure {
        title: "Avanzini 2001 Figure 5.3: graphic study of the rebound, µ = 0.6 s/m".into(),
        panels: vec![left, right],
    };
    Ok(out)
}
