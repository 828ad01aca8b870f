// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figure 5.2 of Avanzini 2001: a transient attack on a resonator of three partials.

use super::blow::{Blow, RATE_HZ, Trace};
use super::{Csv, Outcome};
use crate::plot::{Corner, Figure, Look, Panel, Series};
use tocco::papers::Law;
use tocco::papers::hammer::{Hammer, Join, Mode};

/// How much finer the papers' scheme is run to be a reference.
const FINER: usize = 64;

/// The same blow by the papers' bilinear scheme at 64 times the rate, read at the papers' rate.
pub fn reference(blow: &Blow, duration_s: f64) -> Trace {
    let rate = RATE_HZ * FINER as f64;
    let mut bodies = Hammer::new(blow.law, blow.hammer_kg, blow.velocity_m_s, &blow.modes, rate, Join::Right);
    bodies.place_hammer(blow.start_m);
    for (i, mode) in blow.modes.iter().enumerate() {
        bodies.set_mode(i, 0.0, blow.ringing_n_s / mode.mass_kg);
    }
    let mut trace = Trace::default();
    for n in 0..=(duration_s * RATE_HZ).ceil() as usize {
        let mut impulse = 0.0;
        if n > 0 {
            for _ in 0..FINER {
                bodies.step();
                impulse += bodies.f_n / FINER as f64;
            }
        }
        let ([x, v], [x_o, v_o]) = (bodies.hammer(), bodies.resonator());
        trace.time_s.push(n as f64 / RATE_HZ);
        trace.hammer_m.push(x);
        trace.hammer_m_s.push(v);
        trace.struck_m.push(x_o);
        trace.struck_m_s.push(v_o);
        trace.compression_m.push(x - x_o);
        trace.force_n.push(impulse);
        trace.energy_j.push(bodies.energy_j());
        trace.work_j.push(0.0);
    }
    trace
}

/// Local maxima of the force that stand out by a hundredth of its peak.
pub fn spikes(force: &[f64]) -> usize {
    let peak = force.iter().copied().fold(0.0, f64::max);
    let (mut count, mut rising, mut extreme) = (0, true, 0.0);
    for &f in force {
        if rising {
            if f > extreme {
                extreme = f;
            } else if extreme - f > 0.01 * peak {
                count += 1;
                (rising, extreme) = (false, f);
            }
        } else if f < extreme {
            extreme = f;
        } else if f - extreme > 0.01 * peak {
            (rising, extreme) = (true, f);
        }
    }
    count
}

pub fn compute() -> Result<Outcome, String> {
    let title = "Avanzini 2001 Figure 5.2: a transient attack, resonator of three partials";
    let modes = [1_000.0, 2_000.0, 7_000.0].map(|freq_hz| Mode { freq_hz, decay_s: 0.2, mass_kg: 0.01 }).to_vec();
    let blow = Blow {
        hammer_kg: 0.01,
        law: Law { stiffness: 3e12, exponent: 2.8, dissipation_s_m: 0.6 },
        velocity_m_s: 1.0,
        start_m: 0.0,
        gravity_m_s2: 0.0,
        modes,
        ringing_n_s: 0.0,
    };
    let duration_s = 0.003;
    let (ours, fine) = (blow.run(duration_s)?, reference(&blow, duration_s));
    let mut out = Outcome {
        csv: Csv::new(&["series", "time_s", "hammer_m", "resonator_m", "force_n"]),
        scene: blow.scene(title, 1.0),
        qualitative: Some("the figure prints no resonator; ours has partials of 1000, 2000 and 7000 Hz, 10 g each, t_e 0.2 s, and the hammer of Fig. 5.1 with k = 3e12 at 1 m/s".into()),
        ..Outcome::default()
    };
    for (name, t) in [("Tocco", &ours), ("AM1 x 64", &fine)] {
        for n in 0..t.time_s.len() {
            out.csv.row(&[name], &[t.time_s[n], t.hammer_m[n], t.struck_m[n], t.force_n[n]]);
        }
    }
    let (spiky, reference_spikes) = (spikes(&ours.force_n), spikes(&fine.force_n));
    out.holds(
        "spikes in the force during contact",
        "several",
        format!("{spiky}"),
        spiky >= 2 && spiky == reference_spikes,
    );
    let end = ours.time_s.len() - 1;
    out.near(
        "hammer's rebound, m/s (paper: its scheme at 64 x the rate)",
        fine.hammer_m_s[end],
        ours.hammer_m_s[end],
        0.005,
        5,
    );
    let peak = fine.force_n.iter().copied().fold(0.0, f64::max);
    let worst = ours.force_n.iter().zip(&fine.force_n).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    out.near("largest difference of the force, % of its peak", 0.0, 100.0 * worst / peak, 2.0, 3);
    let growth = ours.worst_growth();
    out.holds("energy never rises", "", format!("largest step {growth:+.1e}"), growth <= 1e-12);
    let (ms, um) = (1e-3, 1e-6);
    let line = |name: &str, look: Look, y: &[f64], unit: f64| {
        Series::new(name, 0, look, Trace::pairs(&fine.time_s, ms, y, unit))
    };
    // Every second sample: the lines below must stay visible.
    let dots = |name: &str, colour: usize, y: &[f64], unit: f64| {
        let data = Trace::pairs(&ours.time_s, ms, y, unit).into_iter().step_by(2).collect();
        Series::new(name, colour, Look::Dots, data)
    };
    let mut left = Panel::new("(a) displacements", "time, ms", "displacement, µm")
        .with(line("hammer, its scheme x 64", Look::Line, &fine.hammer_m, um))
        .with(line("resonator, its scheme x 64", Look::Dashed, &fine.struck_m, um))
        .with(dots("hammer, Tocco at 44.1 kHz", 1, &ours.hammer_m, um))
        .with(dots("resonator, Tocco at 44.1 kHz", 2, &ours.struck_m, um));
    left.x_range = Some((-0.05, 1.8));
    left.legend = Corner::BottomLeft;
    let mut right = Panel::new("(b) contact force", "time, ms", "force, N")
        .with(line("its scheme x 64", Look::Line, &fine.force_n, 1.0))
        .with(dots("Tocco at 44.1 kHz", 1, &ours.force_n, 1.0));
    right.x_range = Some((-0.05, 1.8));
    out.figure = Figure { title: title.into(), panels: vec![left, right] };
    Ok(out)
}
