// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figure 5.5 of Avanzini 2001: contact time on a resonator (type II), for several resonator masses.

use super::blow::{Blow, Trace};
use super::{Csv, Outcome, attack};
use crate::plot::{Corner, Figure, Look, Panel, Series};
use tocco::papers::Law;
use tocco::papers::hammer::Mode;
use tocco::theory::WallImpact;

/// Resonator masses, kg, light to heavy.
const MASSES: [f64; 4] = [0.02, 0.05, 0.1, 1.0];
const PARTIALS_HZ: [f64; 3] = [150.0, 420.0, 800.0];
const POINTS: u32 = 9;
/// The paper's simulations last this long.
const DURATION_S: f64 = 0.05;

fn blow(ratio: f64, mu: f64, mass_kg: f64) -> Blow {
    Blow {
        hammer_kg: 0.01,
        law: Law { stiffness: 0.01 / ratio, exponent: 2.8, dissipation_s_m: mu },
        velocity_m_s: 1.0,
        start_m: 0.0,
        gravity_m_s2: 0.0,
        modes: PARTIALS_HZ.map(|freq_hz| Mode { freq_hz, decay_s: 0.1, mass_kg }).to_vec(),
        ringing_n_s: 0.0,
    }
}

/// From first touch to last release, s.
fn contact_time_s(trace: &Trace) -> Result<f64, String> {
    match trace.touches()[..] {
        [first, .., last] => Ok(last.to_s - first.from_s),
        [only] => Ok(only.to_s - only.from_s),
        [] => Err("the hammer never left the contact".into()),
    }
}

pub fn compute() -> Result<Outcome, String> {
    let title = "Avanzini 2001 Figure 5.5: contact time on a resonator (type II)";
    let mut out = Outcome {
        csv: Csv::new(&["series", "swept", "resonator_kg", "m_over_k", "mu_s_m", "contact_time_s"]),
        qualitative: Some("the figure prints neither partials nor masses; ours: 150, 420, 800 Hz, t_e 0.1 s, masses as in the legend; v_in 1 m/s, α 2.8".into()),
        ..Outcome::default()
    };
    let (fixed_ratio, fixed_mu) = (60e-12, 0.6);
    let mut panels = Vec::new();
    for (swept, label) in
        [("mu", "(a) µ from 0.01 to 1 s/m, m/k = 60e-12"), ("m/k", "(b) m/k from 6e-12 to 300e-12, µ = 0.6 s/m")]
    {
        let at = |share: f64| {
            if swept == "mu" { (fixed_ratio, 0.01 + 0.99 * share) } else { (6e-12 + 294e-12 * share, fixed_mu) }
        };
        let rigid = |share: f64| {
            let (ratio, mu) = at(share);
            WallImpact { mass_kg: 0.01, stiffness: 0.01 / ratio, exponent: 2.8, dissipation_s_m: mu, velocity_m_s: 1.0 }
                .contact_time_s()
        };
        let mut panel = Panel::new(label, "parameter, 0 ... 1 of its range", "t0, ms");
        let line = (0..=80).map(|i| f64::from(i) / 80.0).map(|s| (s, 1e3 * rigid(s))).collect();
        panel.series.push(Series::new("theory (5.17), rigid surface", 0, Look::Line, line));
        let mut means = Vec::new();
        let mut worst: f64 = 0.0;
        for (mass, colour) in MASSES.into_iter().zip([5, 3, 2, 1]) {
            let mut points = Vec::new();
            let mut excess = 0.0;
            for i in 0..POINTS {
                let share = f64::from(i) / f64::from(POINTS - 1);
                let (ratio, mu) = at(share);
                let here = blow(ratio, mu, mass);
                let t0 = contact_time_s(&here.run(DURATION_S)?)?;
                out.csv.row(&["Tocco", swept], &[mass, ratio, mu, t0]);
                points.push((share, 1e3 * t0));
                excess += (t0 / rigid(share) - 1.0) / f64::from(POINTS);
                if i == POINTS / 2 {
                    let fine = contact_time_s(&attack::reference(&here, DURATION_S))?;
                    out.csv.row(&["AM1 x 64", swept], &[mass, ratio, mu, fine]);
                    worst = worst.max(100.0 * (t0 / fine - 1.0).abs());
                    out.scene = here.scene(title, 0.5);
                }
            }
            panel.series.push(Series::new(format!("Tocco, m_o = {mass} kg"), colour, Look::Dots, points));
            means.push(excess);
        }
        let text = means.iter().map(|e| format!("{:+.1} %", 100.0 * e)).collect::<Vec<_>>().join(", ");
        out.holds(
            format!("{swept}: t0 above the rigid one, light to heavy"),
            "longer when light",
            text,
            means.windows(2).all(|w| w[0] > w[1]) && means[0] > 0.1,
        );
        out.holds(
            format!("{swept}: t0 tends to (5.17) as m_o grows"),
            "yes",
            format!("{:+.2} % at {} kg", 100.0 * means[3], MASSES[3]),
            means[3].abs() < 0.02,
        );
        out.near(format!("{swept}: t0 against its scheme at 64 x the rate, middle points, %"), 0.0, worst, 0.1, 3);
        panel.legend = if swept == "mu" { Corner::TopRight } else { Corner::TopLeft };
        panel.y_range = Some(if swept == "mu" { (6.2, 9.8) } else { (3.5, 14.0) });
        panels.push(panel);
    }
    short_contact(&mut out)?;
    out.figure = Figure { title: title.into(), panels };
    Ok(out)
}

/// The paper says that type II always lasts longer than type I; a reduced mass can make it shorter.
fn short_contact(out: &mut Outcome) -> Result<(), String> {
    let law = Law { stiffness: 1e9, exponent: 1.5, dissipation_s_m: 0.5 };
    let mode = Mode { freq_hz: 220.0, decay_s: 0.5 / (1.0 + 0.11), mass_kg: 0.05 };
    let hit = Blow { law, modes: vec![mode], ..blow(60e-12, 0.5, 0.05) };
    let t0 = contact_time_s(&hit.run(0.01)?)?;
    let rigid = WallImpact { mass_kg: 0.01, stiffness: 1e9, exponent: 1.5, dissipation_s_m: 0.5, velocity_m_s: 1.0 }
        .contact_time_s();
    let fine = contact_time_s(&attack::reference(&hit, 0.01))?;
    out.within_percent("one mode of 220 Hz and 50 g: t0, s (paper: its scheme at 64 x the rate)", fine, t0, 0.5);
    out.holds(
        "'t0 of type II is always longer than of type I'",
        format!("by its own scheme: {:.1} µs against {:.1} µs", 1e6 * fine, 1e6 * rigid),
        format!("not always: {:.1} µs against {:.1} µs", 1e6 * t0, 1e6 * rigid),
        t0 < rigid && fine < rigid,
    );
    out.notes.push("the last line is an erratum: one mode of 220 Hz and 50 g under the hammer of Table 2.1 (b) shortens the contact, because the reduced mass is smaller".into());
    Ok(())
}
