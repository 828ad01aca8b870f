// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figure 8.10 of Avanzini et al. 2003: (a) an impact on a resonator that already oscillates; (b) micro-collisions of a hard impact.

use super::blow::{Blow, Touch, Trace};
use super::{Csv, Outcome, attack};
use crate::plot::{Corner, Figure, Look, Panel, Series};
use tocco::papers::Law;
use tocco::papers::hammer::Mode;

const DURATION_S: f64 = 0.008;

fn blow(stiffness: f64, ringing_n_s: f64) -> Blow {
    Blow {
        hammer_kg: 0.01,
        law: Law { stiffness, exponent: 1.5, dissipation_s_m: 0.1 },
        velocity_m_s: 1.0,
        start_m: -2e-3,
        gravity_m_s2: 0.0,
        modes: [500.0, 1_300.0, 2_900.0].map(|freq_hz| Mode { freq_hz, decay_s: 0.3, mass_kg: 0.01 }).to_vec(),
        ringing_n_s,
    }
}

/// Charts both positions; contact is where the solid line is above the dashed one.
fn positions(title: &str, trace: &Trace, touches: &[Touch]) -> Panel {
    let (ms, um) = (1e-3, 1e-6);
    let mut panel = Panel::new(title, "time, ms", "position, µm")
        .with(Series::new("hammer", 1, Look::Line, Trace::pairs(&trace.time_s, ms, &trace.hammer_m, um)))
        .with(Series::new("resonator", 2, Look::Dashed, Trace::pairs(&trace.time_s, ms, &trace.struck_m, um)));
    let ends: Vec<(f64, f64)> = touches
        .iter()
        .flat_map(|t| [t.from_s, t.to_s])
        .map(|at| {
            let n = trace.time_s.partition_point(|t| *t < at).clamp(1, trace.time_s.len() - 1);
            let share = (at - trace.time_s[n - 1]) / (trace.time_s[n] - trace.time_s[n - 1]);
            let x = trace.struck_m[n - 1] + share * (trace.struck_m[n] - trace.struck_m[n - 1]);
            (at / ms, x / um)
        })
        .collect();
    panel = panel.with(Series::new("touch and release", 0, Look::Rings, ends));
    panel.x_range = Some((1.7, 4.6));
    panel.legend = Corner::Bottom;
    panel
}

pub fn compute() -> Result<Outcome, String> {
    let title = "Avanzini 2003 Figure 8.10: an already oscillating resonator; micro-collisions of a hard blow";
    let (soft_k, hard_k, ringing) = (2e6, 1e10, 2.5e-3);
    let (moving, resting) = (blow(soft_k, ringing).run(DURATION_S)?, blow(soft_k, 0.0).run(DURATION_S)?);
    let hard_blow = blow(hard_k, ringing);
    let hard = hard_blow.run(DURATION_S)?;
    let fine = attack::reference(&hard_blow, DURATION_S);
    let mut out = Outcome {
        csv: Csv::new(&["series", "time_s", "hammer_m", "resonator_m", "force_n"]),
        scene: hard_blow.scene(title, 1.0),
        qualitative: Some(format!(
            "the figure prints no parameters; ours: 500, 1300, 2900 Hz, 10 g each, t_e 0.3 s, rung by {ringing} N s; hammer 10 g at 1 m/s from 2 mm, α 1.5, µ 0.1, k {soft_k:.0e} in (a) and {hard_k:.0e} in (b)"
        )),
        ..Outcome::default()
    };
    for (name, t) in
        [("a oscillating", &moving), ("a at rest", &resting), ("b hard", &hard), ("b hard AM1 x 64", &fine)]
    {
        for n in 0..t.time_s.len() {
            out.csv.row(&[name], &[t.time_s[n], t.hammer_m[n], t.struck_m[n], t.force_n[n]]);
        }
    }
    let peak = |t: &Trace| t.force_n.iter().copied().fold(0.0, f64::max);
    let apart = moving.force_n.iter().zip(&resting.force_n).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    out.holds(
        "(a) force on a moving and on a resting resonator",
        "they differ",
        format!("by up to {:.0} % of the peak", 100.0 * apart / peak(&resting)),
        apart > 0.2 * peak(&resting),
    );
    let (few, many, true_many) = (moving.touches(), hard.touches(), fine.touches());
    out.holds(
        "(b) separate contacts in one hard blow",
        "several micro-collisions",
        format!("{} (in (a): {})", many.len(), few.len()),
        many.len() >= 3 && many.len() > few.len(),
    );
    out.near("(b) contacts, against its scheme at 64 x the rate", true_many.len() as f64, many.len() as f64, 0.0, 0);
    let end = hard.time_s.len() - 1;
    out.near("(b) hammer's velocity at the end, m/s, the same", fine.hammer_m_s[end], hard.hammer_m_s[end], 0.005, 5);
    for (name, t) in [("(a)", &moving), ("(b)", &hard)] {
        let growth = t.worst_growth();
        out.holds(
            format!("{name} energy - work never rises"),
            "",
            format!("largest step {growth:+.1e}"),
            growth <= 1e-12,
        );
    }
    let ms = 1e-3;
    let mut force = Panel::new("(a) force: moving and resting resonator", "time, ms", "force, N")
        .with(Series::new("already oscillating", 1, Look::Line, Trace::pairs(&moving.time_s, ms, &moving.force_n, 1.0)))
        .with(Series::new("at rest before", 2, Look::Dashed, Trace::pairs(&resting.time_s, ms, &resting.force_n, 1.0)));
    force.x_range = Some((1.7, 4.6));
    out.figure = Figure {
        title: title.into(),
        panels: vec![
            positions("(a) oscillating resonator", &moving, &few),
            force,
            positions("(b) hard collision", &hard, &many),
        ],
    };
    Ok(out)
}
