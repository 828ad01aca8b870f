// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figures 2.4 to 2.7 of De Sena et al. 2009: the papers' schemes, the exact motion and the engine in one picture.

use super::blow::{Blow, RATE_HZ, Trace};
use super::{Csv, Outcome};
use crate::plot::{Corner, Figure, Look, Panel, Series};
use tocco::papers::correct::Corrected;
use tocco::papers::{self, Scheme, State, Wall};
use tocco::theory::WallImpact;

/// Colours: exact black, Tocco vermilion, the schemes the rest.
const EXACT: usize = 0;
const TOCCO: usize = 1;
const SCHEMES: [usize; 4] = [2, 3, 4, 5];

/// The exact motion, sampled in velocity: time (s), compression (m), velocity (m/s), force (N), energy (J).
fn exact(wall: &Wall, impact: &WallImpact) -> Vec<[f64; 5]> {
    let (fast, slow) = (impact.velocity_m_s, impact.rebound_m_s());
    (0..=300)
        .map(|i| {
            // Denser towards both ends, where velocity hardly changes with time.
            let share = 0.5 - 0.5 * (std::f64::consts::PI * f64::from(i) / 300.0).cos();
            let v = fast + (slow - fast) * share;
            let x = if i == 300 { 0.0 } else { impact.compression_at_m(v) };
            let energy = wall.energy_j(State { x_m: x, v_m_s: v, f_n: 0.0 });
            [impact.time_at_s(v), x, v, wall.law.force_n(x, v), energy]
        })
        .collect()
}

/// Everything about one case.
struct Case {
    wall: Wall,
    impact: WallImpact,
    exact: Vec<[f64; 5]>,
    schemes: Vec<(Scheme, Trace, papers::Errors)>,
    tocco: Trace,
}

impl Case {
    fn new((wall, velocity): (Wall, f64)) -> Result<Self, String> {
        let impact = wall.impact(velocity);
        let schemes = Scheme::PRINTED
            .into_iter()
            .map(|scheme| {
                let mut states = scheme.collide(&wall, velocity);
                let errors = papers::errors(&wall, &states);
                // Free flight after release, so that the curves show where they end up.
                for _ in 0..3 {
                    let last = states[states.len() - 1];
                    states.push(scheme.step(&wall, last));
                }
                (scheme, Trace::of_scheme(&wall, &states), errors)
            })
            .collect();
        let tocco = Blow::on_wall(impact).run(impact.contact_time_s() + 4.0 / RATE_HZ)?;
        Ok(Self { wall, impact, exact: exact(&wall, &impact), schemes, tocco })
    }

    fn csv(&self) -> Csv {
        let mut csv = Csv::new(&["series", "time_s", "compression_m", "velocity_m_s", "force_n", "energy_j"]);
        for row in &self.exact {
            csv.row(&["exact"], row);
        }
        let traces = self.schemes.iter().map(|(s, t, _)| (s.name(), t)).chain([("Tocco", &self.tocco)]);
        for (name, t) in traces {
            for n in 0..t.time_s.len() {
                csv.row(&[name], &[t.time_s[n], t.compression_m[n], t.hammer_m_s[n], t.force_n[n], t.energy_j[n]]);
            }
        }
        csv
    }

    /// A chart of two columns for the exact motion, every scheme and Tocco.
    fn panel(&self, panel: Panel, x: (Column, f64), y: (Column, f64)) -> Panel {
        let pick = |row: &[f64; 5]| (row[x.0 as usize] / x.1, row[y.0 as usize] / y.1);
        let mut panel = panel.with(Series::new("exact", EXACT, Look::Line, self.exact.iter().map(pick).collect()));
        for ((scheme, trace, _), colour) in self.schemes.iter().zip(SCHEMES) {
            let data = Trace::pairs(x.0.of(trace), x.1, y.0.of(trace), y.1);
            panel.series.push(Series::new(scheme.name(), colour, Look::DottedLine, data));
        }
        let data = Trace::pairs(x.0.of(&self.tocco), x.1, y.0.of(&self.tocco), y.1);
        panel.with(Series::new("Tocco", TOCCO, Look::DottedLine, data))
    }

    /// Tocco against the closed forms: the same five lines for every case.
    fn judge(&self, out: &mut Outcome) -> Result<(), String> {
        let touch = self.tocco.touch()?;
        out.within_percent("Tocco: rebound, m/s", self.impact.rebound_m_s(), touch.out_m_s, 0.25);
        let lasts = 1e6 * (touch.to_s - touch.from_s);
        out.within_percent("Tocco: contact time, µs", 1e6 * self.impact.contact_time_s(), lasts, 0.25);
        // Distance in the phase plane, both axes in units of the collision: x_max and v_in.
        let (x_max, v_in) = (self.impact.max_compression_m(), self.impact.velocity_m_s);
        let far = |n: usize| {
            let (x, v) = (self.tocco.compression_m[n], self.tocco.hammer_m_s[n]);
            let (x, v) = (x / x_max, v / v_in);
            let apart = |pair: &[[f64; 5]]| {
                let [(x0, v0), (x1, v1)] = [0, 1].map(|i| (pair[i][1] / x_max, pair[i][2] / v_in));
                let along = (x - x0) * (x1 - x0) + (v - v0) * (v1 - v0);
                let part = (along / ((x1 - x0).powi(2) + (v1 - v0).powi(2))).clamp(0.0, 1.0);
                f64::hypot(x - x0 - part * (x1 - x0), v - v0 - part * (v1 - v0))
            };
            self.exact.windows(2).map(apart).fold(f64::INFINITY, f64::min)
        };
        let inside = (0..self.tocco.time_s.len()).filter(|&n| self.tocco.compression_m[n] > 0.0);
        out.near(
            "Tocco: farthest sample from the exact motion, %",
            0.0,
            100.0 * inside.map(far).fold(0.0, f64::max),
            1.0,
            3,
        );
        let depth = self.tocco.depth_m() / self.impact.max_compression_m() - 1.0;
        out.holds("Tocco: depth not exceeded", "<= x_max", format!("{:+.3} %", 100.0 * depth), depth <= 1e-3);
        let growth = self.tocco.worst_growth();
        out.holds(
            "Tocco: energy never rises (2.23)",
            "H(n+1) <= H(n)",
            format!("largest step {growth:+.1e} of H0"),
            growth <= 1e-12,
        );
        Ok(())
    }

    fn scene(&self, title: &str) -> String {
        Blow::on_wall(self.impact).scene(title, 0.01)
    }
}

/// Columns of a motion, in the order of `exact`.
#[derive(Clone, Copy)]
enum Column {
    Time,
    Compression,
    Velocity,
    Force,
    Energy,
}

impl Column {
    fn of(self, trace: &Trace) -> &[f64] {
        match self {
            Self::Time => &trace.time_s,
            Self::Compression => &trace.compression_m,
            Self::Velocity => &trace.hammer_m_s,
            Self::Force => &trace.force_n,
            Self::Energy => &trace.energy_j,
        }
    }
}

fn level(name: &str, from: f64, to: f64, at: f64) -> Series {
    Series::new(name, 7, Look::Dashed, vec![(from, at), (to, at)])
}

fn upright(name: &str, at: f64, from: f64, to: f64) -> Series {
    Series::new(name, 7, Look::Dashed, vec![(at, from), (at, to)])
}

pub fn figure_2_4() -> Result<Outcome, String> {
    let case = Case::new(papers::soft_case())?;
    let title = "De Sena 2009 Figure 2.4: soft impact (k = 1e6, µ = 0.5 s/m, α = 1.6, v_in = 0.3 m/s)";
    let mut out = Outcome { csv: case.csv(), scene: case.scene(title), ..Outcome::default() };
    for (scheme, _, errors) in &case.schemes {
        out.near(format!("{}: rebound error, %", scheme.name()), 0.0, errors.rebound_exact, 0.05, 4);
    }
    case.judge(&mut out)?;
    out.notes.push("'the plots of all the simulations substantially overlap': we ask 0.05 % of every scheme".into());
    let um = 1e-6;
    let (depth, v_out) = (case.impact.max_compression_m() / um, case.impact.rebound_m_s());
    let mut phase = Panel::new("(a) phase portraits", "compression x, µm", "velocity v, m/s");
    phase = thin(case.panel(phase, (Column::Compression, um), (Column::Velocity, 1.0)));
    phase = phase.with(upright("x_max (2.4)", depth, -0.35, 0.35)).with(level("v_out", -20.0, 1.1 * depth, v_out));
    phase.x_range = Some((-20.0, 1.05 * depth));
    phase.y_range = Some((-0.35, 0.35));
    phase.legend = Corner::Left;
    let tau_ms = 1e3 * case.impact.contact_time_s();
    let mut energy = Panel::new("(b) kinetic, elastic and total energy", "time, ms", "energy, mJ");
    energy = thin(case.panel(energy, (Column::Time, 1e-3), (Column::Energy, 1e-3)));
    for (series, pick) in [("T and V, exact", 0), ("", 1)] {
        let data = case.exact.iter().map(|row| {
            let potential = case.wall.law.potential_j(row[1]);
            (1e3 * row[0], 1e3 * if pick == 0 { row[4] - potential } else { potential })
        });
        energy.series.push(Series::new(series, 6, Look::Line, data.collect()));
    }
    let final_mj = 500.0 * case.wall.mass_kg * v_out * v_out;
    energy =
        energy.with(level("H0 and Hτ", 0.0, tau_ms, 1e3 * case.exact[0][4])).with(level("", 0.0, tau_ms, final_mj));
    energy.y_range = Some((-0.02, 0.72));
    out.figure = Figure { title: title.into(), panels: vec![phase, energy] };
    Ok(out)
}

/// Long contacts need no dots on their lines; every eighth sample of Tocco stays.
fn thin(mut panel: Panel) -> Panel {
    for series in &mut panel.series {
        if series.look == Look::DottedLine && series.name == "Tocco" {
            series.look = Look::Dots;
            series.data = series.data.iter().copied().step_by(8).collect();
        } else if series.look == Look::DottedLine {
            series.look = Look::Line;
            let overlap = "AM1, Verlet, Heun, RK4 (overlapping)";
            series.name = if series.name == Scheme::Am1.name() { overlap.into() } else { String::new() };
            series.colour = SCHEMES[0];
        }
    }
    panel
}

pub fn figure_2_5() -> Result<Outcome, String> {
    let case = Case::new(papers::case_1())?;
    let title = "De Sena 2009 Figure 2.5: hard impact, case 1 (k = 1e7, µ = 0.1 s/m, α = 1.1, v_in = 0.3 m/s)";
    let mut out = Outcome { csv: case.csv(), scene: case.scene(title), ..Outcome::default() };
    out.near("contact time, samples", 8.0, case.schemes[0].2.samples as f64, 0.0, 0);
    for (scheme, _, errors) in &case.schemes {
        let exceeds = matches!(scheme, Scheme::Verlet | Scheme::Heun);
        let word = if exceeds { "exceeds x_max" } else { "stays below x_max" };
        out.holds(
            format!("{}: depth", scheme.name()),
            word,
            format!("{:+.3} %", errors.depth),
            (errors.depth > 0.0) == exceeds,
        );
        let (word, right) = if *scheme == Scheme::Rk4 {
            ("close to Hτ", errors.energy_exact.abs() < 0.5)
        } else {
            ("above Hτ", errors.energy_exact > 0.0)
        };
        out.holds(format!("{}: final energy", scheme.name()), word, format!("{:+.3} %", errors.energy_exact), right);
    }
    case.judge(&mut out)?;
    let um = 1e-6;
    let (depth, v_out) = (case.impact.max_compression_m() / um, case.impact.rebound_m_s());
    let mut phase = Panel::new("(a) detail of the phase portraits", "compression x, µm", "velocity v, m/s");
    phase = case.panel(phase, (Column::Compression, um), (Column::Velocity, 1.0));
    phase = phase.with(upright("x_max (2.4)", depth, -0.4, 0.4)).with(level("v_out", -4.0, 20.0, v_out));
    phase.x_range = Some((-4.0, 18.0));
    phase.y_range = Some((-0.34, 0.34));
    phase.legend = Corner::Left;
    out.figure = Figure { title: title.into(), panels: vec![phase, energy_detail(&case, (0.42, 0.476))] };
    Ok(out)
}

fn energy_detail(case: &Case, range_mj: (f64, f64)) -> Panel {
    let panel = Panel::new("(b) detail of the energies", "time, samples at 44.1 kHz", "energy H, mJ");
    let mut panel = case.panel(panel, (Column::Time, 1.0 / RATE_HZ), (Column::Energy, 1e-3));
    let end = case.impact.contact_time_s() * RATE_HZ;
    let h_tau = 500.0 * case.wall.mass_kg * case.impact.rebound_m_s().powi(2);
    panel =
        panel.with(level("H0 and Hτ", 0.0, end + 3.0, 1e3 * case.exact[0][4])).with(level("", 0.0, end + 3.0, h_tau));
    panel.y_range = Some(range_mj);
    panel.x_range = Some((-0.3, end + 3.0));
    panel
}

pub fn figure_2_6() -> Result<Outcome, String> {
    let case = Case::new(papers::case_2())?;
    let title = "De Sena 2009 Figure 2.6: hard impact, case 2 (k = 1e9, µ = 0.5 s/m, α = 1.5, v_in = 1 m/s)";
    let mut out = Outcome { csv: case.csv(), scene: case.scene(title), ..Outcome::default() };
    out.near("contact time, samples", 6.0, case.schemes[0].2.samples as f64, 0.0, 0);
    for (scheme, _, errors) in &case.schemes {
        let (word, right) = match scheme {
            Scheme::Rk4 => ("close to Hτ", errors.energy_exact.abs() < 0.5),
            Scheme::Heun => ("far below Hτ (Table 2.1)", errors.energy_exact < -5.0),
            _ => ("above Hτ", errors.energy_exact > 0.0),
        };
        out.holds(format!("{}: final energy", scheme.name()), word, format!("{:+.3} %", errors.energy_exact), right);
    }
    case.judge(&mut out)?;
    out.notes.push("the text says that Verlet and Heun typically gain energy here; the paper's own table and figure give Heun -9.2 %".into());
    let forces = Panel::new("(a) impact forces", "time, samples at 44.1 kHz", "force f, N");
    let mut forces = case.panel(forces, (Column::Time, 1.0 / RATE_HZ), (Column::Force, 1.0));
    for series in &mut forces.series {
        if series.name == "Tocco" {
            // The engine reports the mean over a sample: it belongs to the sample's middle.
            series.name = "Tocco (mean over the sample)".into();
            series.data = series.data.iter().skip(1).map(|(t, f)| (t - 0.5, *f)).collect();
        }
    }
    out.figure = Figure { title: title.into(), panels: vec![forces, energy_detail(&case, (2.4, 6.2))] };
    Ok(out)
}

pub fn figure_2_7() -> Result<Outcome, String> {
    let (one, two) = (Case::new(papers::case_1())?, Case::new(papers::case_2())?);
    let title = "De Sena 2009 Figure 2.7: the closed-form corrections, and the engine without any";
    let mut out = Outcome {
        csv: Csv::new(&["case", "series", "time_s", "compression_m", "velocity_m_s", "energy_j"]),
        scene: one.scene(title),
        ..Outcome::default()
    };
    let mut panels = Vec::new();
    for (name, case, scheme) in [("1", &one, Scheme::Verlet), ("2", &one, Scheme::Verlet), ("3", &two, Scheme::Heun)] {
        let mut states = Corrected::collide(scheme, &case.wall, case.impact.velocity_m_s);
        let errors = papers::errors(&case.wall, &states);
        for _ in 0..3 {
            let last = states[states.len() - 1];
            states.push(scheme.step(&case.wall, last));
        }
        let corrected = Trace::of_scheme(&case.wall, &states);
        let Some((_, plain, plain_errors)) = case.schemes.iter().find(|(s, ..)| *s == scheme) else { continue };
        if name != "1" {
            let label = format!("case {}, {}", if name == "2" { 1 } else { 2 }, scheme.name());
            for (series, t) in [("plain", plain), ("corrected", &corrected), ("Tocco", &case.tocco)] {
                for n in 0..t.time_s.len() {
                    out.csv.row(
                        &[&label.replace(", ", " "), series],
                        &[t.time_s[n], t.compression_m[n], t.hammer_m_s[n], t.energy_j[n]],
                    );
                }
            }
            out.holds(
                format!("{label} plain: final energy"),
                "wrong",
                format!("{:+.3} %", plain_errors.energy),
                plain_errors.energy.abs() > 1.0,
            );
            out.near(format!("{label} corrected: final energy against Hτ, %"), 0.0, errors.energy, 1e-9, 6);
            out.holds(
                format!("{label} corrected: depth"),
                "<= x_max",
                format!("{:+.3} %", errors.depth),
                errors.depth <= 1e-9,
            );
            case.judge(&mut out)?;
        }
        let (x, y, unit) = if name == "1" {
            (Column::Compression, Column::Velocity, (1e-6, 1.0))
        } else {
            (Column::Time, Column::Energy, (1.0 / RATE_HZ, 1e-3))
        };
        let pick = |row: &[f64; 5]| (row[x as usize] / unit.0, row[y as usize] / unit.1);
        let (head, x_label, y_label) = match name {
            "1" => ("(a) case 1, Verlet", "compression x, µm", "velocity v, m/s"),
            "2" => ("(b) case 1, Verlet", "time, samples at 44.1 kHz", "energy H, mJ"),
            _ => ("(c) case 2, Heun", "time, samples at 44.1 kHz", "energy H, mJ"),
        };
        let mut panel = Panel::new(head, x_label, y_label).with(Series::new(
            "exact",
            EXACT,
            Look::Line,
            case.exact.iter().map(pick).collect(),
        ));
        for (label, t, colour) in
            [("without correction", plain, 2), ("with correction", &corrected, 3), ("Tocco", &case.tocco, TOCCO)]
        {
            panel.series.push(Series::new(
                label,
                colour,
                Look::DottedLine,
                Trace::pairs(x.of(t), unit.0, y.of(t), unit.1),
            ));
        }
        match name {
            "1" => {
                panel.x_range = Some((8.0, 17.4));
                panel.y_range = Some((-0.3, 0.3));
                panel.legend = Corner::Left;
            }
            "2" => panel.y_range = Some((0.405, 0.47)),
            _ => panel.y_range = Some((2.3, 5.3)),
        }
        panels.push(panel);
    }
    out.notes.push("forcing velocity and depth is right for a rigid wall only: the partner never receives the momentum; the engine needs no correction".into());
    out.figure = Figure { title: title.into(), panels };
    Ok(out)
}
