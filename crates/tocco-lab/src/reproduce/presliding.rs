// SPDX-License-Identifier: MIT OR Apache-2.0
//! Drift below breakaway and stick-slip: what separates the friction laws (Avanzini et al. 2003 section 8.3.2, Avanzini et al. 2002 section 2.1).

use super::blow::RATE_HZ;
use super::rub::{contact, head, pairs, play, play_driven, slips};
use super::{Csv, Outcome, short};
use crate::plot::{Corner, Figure, Look, Panel, Series};

/// What a mass under a bias and a vibration does, s.
const DRIFT_S: f64 = 2.0;
/// Hz, and samples of one cycle.
const SHAKE_HZ: f64 = 50.0;
const CYCLE: usize = 882;
/// Rise of the bias, s; then the vibration begins.
const RISE_S: f64 = 0.05;
const LAWS: [&str; 3] = ["lugre", "elasto-plastic", "dahl"];
/// physics.md E.5: bias and amplitude, N; drift per cycle in the order of `LAWS`, m.
const DRIFTS: [([f64; 2], [f64; 3]); 4] = [
    ([0.3, 0.0], [0.0, 0.0, 0.0]),
    ([0.3, 0.3], [2.9203e-6, 0.0, 3.7583e-6]),
    ([0.5, 0.39], [7.8369e-6, 0.0, 9.0798e-6]),
    ([0.6, 0.5], [1.3883e-5, 3.23e-7, 1.4963e-5]),
];

fn push_n(bias: f64, swing: f64, t: f64) -> f64 {
    let shake = if t > RISE_S { swing * (std::f64::consts::TAU * SHAKE_HZ * (t - RISE_S)).sin() } else { 0.0 };
    bias * (t / RISE_S).min(1.0) + shake
}

fn drift_scene(law: &str) -> String {
    head("Drift of a mass under a bias and a vibration below breakaway", DRIFT_S)
        + "[body.bow]\ntype = \"mass\"\nmass_kg = 1.0\n\n[body.table]\ntype = \"wall\"\n\n"
        + &contact(
            "table",
            law,
            &[
                ("normal_force_n", 1.0),
                ("mu_static", 1.5),
                ("mu_dynamic", 1.0),
                ("stribeck_m_s", 1e-3),
                ("bristle_stiffness", 1e5),
                ("bristle_damping", 1e5_f64.sqrt()),
                ("viscosity", 0.4),
                ("breakaway_01", 0.9),
            ],
        )
        + "\n[[tap]]\nof = \"bow\"\nquantity = \"position\"\ngain = 1e4\n"
}

pub fn drift() -> Result<Outcome, String> {
    let mut out = Outcome {
        beside: Some("reference"),
        csv: Csv::new(&["law", "bias_n", "amplitude_n", "time_s", "position_m"]),
        ..Outcome::default()
    };
    let mut panels = Vec::new();
    let frames = (DRIFT_S * RATE_HZ) as usize;
    for ([bias, swing], wanted) in DRIFTS {
        let title = format!("{bias} N and {swing} N at 50 Hz");
        let mut panel = Panel::new(title, "time, s", "position, µm");
        for (i, (law, want)) in LAWS.into_iter().zip(wanted).enumerate() {
            let force = (0..frames).map(|n| push_n(bias, swing, n as f64 / RATE_HZ)).collect();
            let run = play_driven(&drift_scene(law), DRIFT_S, &["bow.position"], Some(("bow/force_n", force)))?;
            let x = &run.columns[0];
            let at = |cycle: usize| x[cycle * CYCLE - 1];
            let last = frames / CYCLE;
            let per_cycle = (at(last) - at(last - 50)) / 50.0;
            let what = format!("{law}, {bias} N + {swing} N: drift per cycle, m");
            if want == 0.0 {
                out.holds(what, "0", format!("{per_cycle:.1e}"), per_cycle.abs() < 1e-15);
            } else {
                out.within_percent(what, want, per_cycle, 1.0);
            }
            if swing == 0.0 && law == "elasto-plastic" {
                out.within_percent("elasto-plastic: rests at bias/sigma0, m", bias / 1e5, at(last), 1e-6);
            }
            for n in (0..frames).step_by(CYCLE / 7) {
                out.csv.row(&[law], &[bias, swing, n as f64 / RATE_HZ, x[n]]);
            }
            let data = (0..frames).step_by(CYCLE / 18).map(|n| (n as f64 / RATE_HZ, x[n] / 1e-6)).collect();
            let look = if law == "elasto-plastic" { Look::Line } else { Look::Thin };
            panel.series.push(Series::new(law, [2, 1, 3][i], look, data));
        }
        panel.legend = Corner::TopLeft;
        if swing > 0.0 {
            panels.push(panel);
        }
    }
    out.notes.push("\"LuGre drifts for arbitrarily small forces\" (Avanzini 2002) holds under a bias with vibration; under a constant force it settles, as the first rows show".into());
    out.notes.push("mass 1 kg, fc 1 N, fs 1.5 N, vs 1 mm/s, sigma0 1e5, sigma1 316.2, sigma2 0.4, breakaway at 0.9 fc; the scene holds the bias and five cycles in short lines".into());
    let [bias, swing] = DRIFTS[1].0;
    let points: Vec<String> = (0..160)
        .map(|i| RISE_S + f64::from(i) / 32.0 / SHAKE_HZ)
        .map(|t| format!("[{t:.6}, {:.6}]", push_n(bias, swing, t)))
        .collect();
    out.scene = drift_scene("lugre")
        + &format!("\n[[drive]]\npath = \"bow/force_n\"\npoints = [[0.0, 0.0], {}]\n", points.join(", "));
    out.figure = Figure { title: "Presliding: LuGre and Dahl creep, elasto-plastic bristles hold".into(), panels };
    Ok(out)
}

const SLIP_S: f64 = 3.0;
const BOW_M_S: f64 = 0.02;

fn stick_slip_scene(law: &str) -> String {
    let freq_hz = (200.0_f64 / 0.1).sqrt() / std::f64::consts::TAU;
    head("Stick-slip of a mass on a spring", SLIP_S)
        + &format!(
            "[body.bow]\ntype = \"guided\"\nvelocity_m_s = {BOW_M_S:?}\n\n[body.block]\ntype = \"modal\"\n\
             modes = [{{ freq_hz = {freq_hz:?}, decay_s = 20.0, mass_kg = 0.1 }}]\n\n"
        )
        + &contact(
            "block",
            law,
            &[
                ("normal_force_n", 1.0),
                ("mu_static", 0.5),
                ("mu_dynamic", 0.2),
                ("stribeck_m_s", 0.01),
                ("bristle_stiffness", 1e4),
                ("bristle_damping", 10.0),
                ("viscosity", 0.1),
                ("breakaway_01", 0.7),
            ],
        )
        + "\n[[tap]]\nof = \"block\"\ngain = 2.0\n"
}

pub fn stick_slip() -> Result<Outcome, String> {
    let mut out = Outcome {
        beside: Some("reference"),
        csv: Csv::new(&["law", "time_s", "position_m", "velocity_m_s", "force_n"]),
        scene: stick_slip_scene("elasto-plastic"),
        ..Outcome::default()
    };
    let mut left = Panel::new("(a) friction force", "time, s", "force, N");
    let mut right = Panel::new("(b) position of the block", "time, s", "position, mm");
    // physics.md E.6: slips, period, largest force.
    let wanted = [("elasto-plastic", 13, 0.23788, 0.459), ("lugre", 13, 0.23414, 0.449), ("dahl", 1, 0.0, 0.203)];
    for (i, (law, count, period_s, most_n)) in wanted.into_iter().enumerate() {
        let run =
            play(&stick_slip_scene(law), SLIP_S, &["bow.velocity", "block.velocity", "block.position", "rub.force"])?;
        let [bow, block, position, force] = &run.columns[..] else { return Err("a signal is missing".into()) };
        let relative: Vec<f64> = bow.iter().zip(block).map(|(a, b)| a - b).collect();
        let starts = slips(&relative, 0.5 * BOW_M_S, 0.15 * BOW_M_S);
        out.near(format!("{law}: slips in 3 s"), f64::from(count), starts.len() as f64, 0.0, 0);
        if let (true, Some(first), Some(last)) = (count > 1, starts.first(), starts.last()) {
            let got = (last - first) as f64 / (starts.len() - 1) as f64 / RATE_HZ;
            out.within_percent(format!("{law}: period of stick-slip, s"), period_s, got, 1.0);
        }
        let most = force.iter().copied().fold(0.0, f64::max);
        out.within_percent(format!("{law}: largest force, N"), most_n, most, 1.0);
        let growth = run.growth;
        out.holds(format!("{law}: energy - work never rises"), "", short(growth), growth <= 1e-12);
        let time: Vec<f64> = (0..force.len()).map(|n| n as f64 / RATE_HZ).collect();
        for n in (0..force.len()).step_by(100) {
            out.csv.row(&[law], &[time[n], position[n], block[n], force[n]]);
        }
        let thin = |y: &[f64], unit: f64| pairs(&time, 1.0, y, unit).into_iter().step_by(30).collect();
        let look = if i == 1 { Look::Dashed } else { Look::Line };
        left.series.push(Series::new(law, i + 1, look, thin(force, 1.0)));
        right.series.push(Series::new(law, i + 1, look, thin(position, 1e-3)));
    }
    (left.x_range, right.x_range) = (Some((0.0, 1.2)), Some((0.0, 1.2)));
    (left.legend, right.legend) = (Corner::BottomRight, Corner::TopRight);
    out.notes.push("block 0.1 kg on 200 N/m, belt 0.02 m/s, fc 0.2 N, fs 0.5 N, vs 0.01 m/s, sigma0 1e4, sigma1 10, sigma2 0.1; Dahl, without a falling curve, cannot stick and slip".into());
    out.figure = Figure { title: "Stick-slip of a mass on a spring".into(), panels: vec![left, right] };
    Ok(out)
}
