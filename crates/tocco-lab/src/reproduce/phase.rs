// SPDX-License-Identifier: MIT OR Apache-2.0
//! Phase portraits and compression-force characteristics of a mass on a wall: De Sena et al. 2009 Figures 2.1 and 2.2, Avanzini 2001 Figure 5.1,
//! Avanzini et al. 2003 Figure 8.3.

use super::blow::{Blow, RATE_HZ, Trace};
use super::{Csv, Outcome, short};
use crate::plot::{Corner, Figure, Look, Panel, Series};
use tocco::papers::{Law, Scheme, State, Wall};
use tocco::theory::WallImpact;

const SPEEDS: [f64; 4] = [1.0, 2.0, 3.0, 4.0];

pub fn figure_2_1() -> Result<Outcome, String> {
    hertzian().outcome("De Sena 2009 Figures 2.1 and 2.2: phase portrait and compression-force characteristics")
}

pub fn figure_8_3() -> Result<Outcome, String> {
    felt().outcome("Avanzini 2003 Figure 8.3, Avanzini 2001 Figure 5.1: collision of a hammer with a massive surface")
}

/// The parameters of one figure, as printed.
struct Study {
    law: Law,
    mass_kg: f64,
    /// Unit of compression in the charts, m, and its name.
    unit: (f64, &'static str),
    /// Rate at which the force is drawn, Hz: the papers' rate, or eight times it where a contact has five samples.
    force_rate_hz: f64,
    /// Whether the figure shows trajectories below the limit velocity.
    lower: bool,
    /// The paper's number for x(v).
    equation: &'static str,
}

fn hertzian() -> Study {
    let law = Law { stiffness: 1e9, exponent: 1.5, dissipation_s_m: 0.5 };
    Study { law, mass_kg: 0.01, unit: (1e-6, "µm"), force_rate_hz: 8.0 * RATE_HZ, lower: false, equation: "(2.3)" }
}

fn felt() -> Study {
    let law = Law { stiffness: 1.5e11, exponent: 2.8, dissipation_s_m: 0.6 };
    Study { law, mass_kg: 0.01, unit: (1e-3, "mm"), force_rate_hz: RATE_HZ, lower: true, equation: "(8.13), (5.6)" }
}

impl Study {
    fn impact(&self, velocity_m_s: f64) -> WallImpact {
        WallImpact {
            mass_kg: self.mass_kg,
            stiffness: self.law.stiffness,
            exponent: self.law.exponent,
            dissipation_s_m: self.law.dissipation_s_m,
            velocity_m_s,
        }
    }

    fn outcome(&self, title: &str) -> Result<Outcome, String> {
        let mut out = Outcome {
            csv: Csv::new(&["series", "incoming_m_s", "compression_m", "velocity_m_s", "force_n"]),
            scene: Blow::on_wall(self.impact(4.0)).scene(title, 0.01),
            figure: Figure { title: title.into(), panels: Vec::new() },
            ..Outcome::default()
        };
        let limit = -1.0 / self.law.dissipation_s_m;
        let x_label = format!("compression x, {}", self.unit.1);
        let mut phase = Panel::new("phase portrait", &x_label, "velocity v, m/s");
        let mut loops = Panel::new("force during the contact", &x_label, "force f, N");
        phase.legend = if self.lower { Corner::TopRight } else { Corner::BottomRight };
        loops.legend = Corner::TopLeft;
        let deepest = self.impact(SPEEDS[3]).max_compression_m();
        let approach = 0.12 * deepest;
        for (i, v) in SPEEDS.into_iter().enumerate() {
            let impact = self.impact(v);
            let curve = self.theory(&impact);
            for &(x, v_here, f) in &curve {
                out.csv.row(&["theory"], &[v, x, v_here, f]);
            }
            let trace = Blow { start_m: -approach, ..Blow::on_wall(impact) }.run_contact(RATE_HZ)?;
            for n in 0..trace.time_s.len() {
                out.csv.row(&["Tocco"], &[v, trace.compression_m[n], trace.hammer_m_s[n], trace.force_n[n]]);
            }
            let name = |text: &str| if i == 0 { text.to_string() } else { String::new() };
            let free = [(-approach, v), (0.0, v)].map(|(x, v)| (x / self.unit.0, v)).to_vec();
            let gone = [(0.0, impact.rebound_m_s()), (-approach, impact.rebound_m_s())];
            let gone = gone.map(|(x, v)| (x / self.unit.0, v)).to_vec();
            phase.series.push(Series::new(
                name(&format!("theory {}, contact", self.equation)),
                2,
                Look::Line,
                curve.iter().map(|p| (p.0 / self.unit.0, p.1)).collect(),
            ));
            phase.series.push(Series::new(name("free flight"), 2, Look::Dashed, free));
            phase.series.push(Series::new("", 2, Look::Dashed, gone));
            phase.series.push(Series::new(
                name("Tocco, every sample at 44.1 kHz"),
                1,
                Look::Dots,
                Trace::pairs(&trace.compression_m, self.unit.0, &trace.hammer_m_s, 1.0),
            ));
            let fine = Blow::on_wall(impact).run_contact(self.force_rate_hz)?;
            loops.series.push(Series::new(
                name("theory"),
                2,
                Look::Line,
                curve.iter().map(|p| (p.0 / self.unit.0, p.2)).collect(),
            ));
            let khz = self.force_rate_hz / 1000.0;
            loops.series.push(Series::new(
                name(&format!("Tocco, {khz:.1} kHz")),
                1,
                Look::Dots,
                middles(&fine, self.unit.0),
            ));
            self.compare(&mut out, &impact, &curve, &trace)?;
            let peak = curve.iter().map(|p| p.2).fold(0.0, f64::max);
            let off = 100.0 * self.off_the_law(&fine) / peak;
            out.near(format!("v_in {v} m/s: force farthest from the law, % of its peak"), 0.0, off, 1.0, 3);
        }
        let elastic = (0..=100).map(|i| deepest * f64::from(i) / 100.0);
        let elastic = elastic.map(|x| (x / self.unit.0, self.law.force_n(x, 0.0))).collect();
        loops.series.push(Series::new("no dissipation, k x^α", 7, Look::Dashed, elastic));
        let ends = [(-approach, limit), (1.05 * deepest, limit)].map(|(x, v)| (x / self.unit.0, v)).to_vec();
        phase.series.push(Series::new("v_lim = -1/µ", 7, Look::Dashed, ends));
        if self.lower {
            self.lower_half(&mut out, &mut phase, limit)?;
        }
        phase.x_range = Some((-approach / self.unit.0, if self.lower { 2.0 } else { 1.08 } * deepest / self.unit.0));
        if !self.lower {
            phase.y_range = Some((-4.3, 4.4));
        }
        out.figure.panels.extend([phase, loops]);
        Ok(out)
    }

    /// Compression, velocity and force along (2.3).
    fn theory(&self, impact: &WallImpact) -> Vec<(f64, f64, f64)> {
        let (fast, slow) = (impact.velocity_m_s, impact.rebound_m_s());
        (0..=600)
            .map(|i| {
                // Dense towards both ends, where x rises steeply with v.
                let smooth = |t: f64| 0.5 - 0.5 * (std::f64::consts::PI * t).cos();
                let v = fast + (slow - fast) * smooth(smooth(f64::from(i) / 600.0));
                let x = impact.compression_at_m(v);
                (x, v, self.law.force_n(x, v))
            })
            .collect()
    }

    fn compare(
        &self,
        out: &mut Outcome,
        impact: &WallImpact,
        curve: &[(f64, f64, f64)],
        trace: &Trace,
    ) -> Result<(), String> {
        let v = impact.velocity_m_s;
        let touch = trace.touch()?;
        out.within_percent(format!("v_in {v} m/s: rebound, m/s"), impact.rebound_m_s(), touch.out_m_s, 0.25);
        let lost = 0.5 * impact.mass_kg * (v * v - impact.rebound_m_s().powi(2));
        let given_up = trace.energy_j[0] - trace.energy_j[trace.energy_j.len() - 1];
        out.within_percent(format!("v_in {v} m/s: area of the loop (energy lost), J"), lost, given_up, 0.5);
        // Distance in the phase plane, both axes in units of the collision: x_max and v_in.
        let depth = impact.max_compression_m();
        let far = |n: usize| {
            let apart = |&(x, u, _): &(f64, f64, f64)| {
                f64::hypot((trace.compression_m[n] - x) / depth, (trace.hammer_m_s[n] - u) / v)
            };
            curve.iter().map(apart).fold(f64::INFINITY, f64::min)
        };
        let worst = (0..trace.time_s.len()).filter(|&n| trace.compression_m[n] > 0.0).map(far).fold(0.0, f64::max);
        out.near(format!("v_in {v} m/s: farthest sample from the curve, %"), 0.0, 100.0 * worst, 1.0, 3);
        Ok(())
    }

    /// Largest distance of a sample's force from the law at the middle of its stroke, N.
    fn off_the_law(&self, trace: &Trace) -> f64 {
        (1..trace.time_s.len())
            .filter(|&n| trace.compression_m[n - 1] > 0.0 && trace.compression_m[n] > 0.0)
            .map(|n| {
                let (from, to) = (trace.compression_m[n - 1], trace.compression_m[n]);
                let v = (to - from) / (trace.time_s[n] - trace.time_s[n - 1]);
                (trace.force_n[n] - self.law.force_n(0.5 * (from + to), v)).abs()
            })
            .fold(0.0, f64::max)
    }

    /// Trajectories that start compressed. Above the limit velocity the printed law pushes, and ours must end where it does. Below
    /// it the printed law pulls and ours, clipped at zero (C11), lets go.
    fn lower_half(&self, out: &mut Outcome, phase: &mut Panel, limit: f64) -> Result<(), String> {
        let mut pulled = Vec::new();
        for (i, start_v) in [-1.0, -1.5, -2.0, -3.0, -4.0].into_iter().enumerate() {
            let start_x = 5e-4;
            let wall = Wall { law: self.law, mass_kg: self.mass_kg, gravity_m_s2: 0.0, dt_s: 1e-7 };
            let mut state = State { x_m: start_x, v_m_s: start_v, f_n: self.law.force_n(start_x, start_v) };
            let mut curve = vec![(state.x_m / self.unit.0, state.v_m_s)];
            while state.x_m > 0.0 {
                state = Scheme::Rk4.step(&wall, state);
                curve.push((state.x_m / self.unit.0, state.v_m_s));
            }
            let blow = Blow { start_m: start_x, velocity_m_s: start_v, ..Blow::on_wall(self.impact(1.0)) };
            let trace = blow.run(1.5 * start_x / -start_v)?;
            let left = trace.hammer_m_s[trace.hammer_m_s.len() - 1];
            let name = |text: &str| if i == 0 { text.to_string() } else { String::new() };
            phase.series.push(Series::new(name("printed law, released compressed"), 3, Look::Line, curve));
            phase.series.push(Series::new(
                "",
                1,
                Look::Dots,
                Trace::pairs(&trace.compression_m, self.unit.0, &trace.hammer_m_s, 1.0),
            ));
            if start_v > limit {
                let what = format!("released at {start_v} m/s, compressed by 0.5 mm: leaves at, m/s");
                out.within_percent(what, state.v_m_s, left, 0.25);
            } else {
                let what = format!("released at {start_v} m/s, below v_lim: leaves at (law clipped at 0), m/s");
                out.near(what, start_v, left, 1e-9, 6);
                pulled.push(format!("{start_v} to {}", short(state.v_m_s)));
            }
        }
        out.notes.push(format!(
            "below v_lim the printed law is sticky and would slow the hammer ({} m/s); ours never pulls (C11: the factor 1 + µv is clipped at 0), so its velocity stays",
            pulled.join(", ")
        ));
        out.notes.push(
            "the lower trajectories need x > 0 and are travelled from right to left; Avanzini 2001 says x < 0 and left to right"
                .into(),
        );
        Ok(())
    }
}

/// Mean force of each sample at the middle of its stroke.
fn middles(trace: &Trace, unit_m: f64) -> Vec<(f64, f64)> {
    (1..trace.time_s.len())
        .filter(|&n| trace.compression_m[n - 1] >= 0.0 && trace.compression_m[n] >= 0.0)
        .map(|n| (0.5 * (trace.compression_m[n - 1] + trace.compression_m[n]) / unit_m, trace.force_n[n]))
        .collect()
}
