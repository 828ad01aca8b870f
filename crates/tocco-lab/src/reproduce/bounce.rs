// SPDX-License-Identifier: MIT OR Apache-2.0
//! A mass bouncing under gravity: Figure 2.8 of De Sena et al. 2009 and the instants behind it.

use super::blow::{Blow, RATE_HZ, Touch, Trace};
use super::{Csv, Outcome};
use crate::plot::{Corner, Figure, Look, Panel, Series};
use tocco::papers::{self, Scheme, State, Wall};

const GRAVITY_M_S2: f64 = 9.81;
const DURATION_S: f64 = 0.44;

/// Instant of touch (s), rebound (m/s) and contact time (s), integrated to 13 digits with gravity inside the contact.
const REFERENCE: [(f64, f64, f64); 8] = [
    (0.0, 0.2940919196638395, 0.00017404970820199055),
    (0.06013162762131912, 0.2884115438737315, 0.00017421664890338438),
    (0.1191053435309221, 0.282945956555952, 0.00017438062206061026),
    (0.17696493446000655, 0.27768320039973465, 0.0001745417370107179),
    (0.2337517494691344, 0.272612189514976, 0.00017470009712618472),
    (0.28950487760193355, 0.2677226314659752, 0.00017485580024187387),
    (0.34426130964396445, 0.2630049575289347, 0.0001750089390445197),
    (0.39805608566332185, 0.2584502601789837, 0.00017515960142890687),
];

struct Bounces {
    blow: Blow,
    tocco: Trace,
    /// AM1, then RK4: the two that the paper calls best.
    schemes: [(Scheme, Trace); 2],
}

fn bounce() -> Result<Bounces, String> {
    let (wall, velocity) = papers::case_1();
    let wall = Wall { gravity_m_s2: GRAVITY_M_S2, ..wall };
    let schemes = [Scheme::Am1, Scheme::Rk4].map(|scheme| {
        let mut states = vec![State::arriving(velocity)];
        for _ in 0..(DURATION_S * RATE_HZ) as usize {
            states.push(scheme.step(&wall, states[states.len() - 1]));
        }
        (scheme, Trace::of_scheme(&wall, &states))
    });
    let blow = Blow { gravity_m_s2: GRAVITY_M_S2, ..Blow::on_wall(wall.impact(velocity)) };
    let tocco = blow.run(DURATION_S)?;
    Ok(Bounces { blow, tocco, schemes })
}

/// Height of the exact motion, mm, between the contacts.
fn exact_heights() -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    for (i, &(at, v, tau)) in REFERENCE.iter().enumerate() {
        let from = at + tau;
        let to = REFERENCE.get(i + 1).map_or(DURATION_S, |next| next.0);
        for j in 0..=60 {
            let s = (to - from) * f64::from(j) / 60.0;
            points.push((from + s, 1e3 * (v * s - 0.5 * GRAVITY_M_S2 * s * s)));
        }
    }
    points
}

pub fn figure_2_8() -> Result<Outcome, String> {
    let bounces = bounce()?;
    let title = "De Sena 2009 Figure 2.8: case 1 bouncing under gravity";
    let mut out = Outcome {
        csv: Csv::new(&["series", "time_s", "height_m"]),
        scene: bounces.blow.scene(title, 2.0),
        ..Outcome::default()
    };
    let exact = exact_heights();
    for &(t, h) in &exact {
        out.csv.row(&["exact"], &[t, 1e-3 * h]);
    }
    let mut whole = Panel::new("height over the floor", "time, s", "height -x, mm");
    whole.series.push(Series::new("exact", 0, Look::Line, exact.clone()));
    let mut late = Panel::new("the last flights in detail", "time, s", "height -x, mm");
    late.series.push(Series::new("exact", 0, Look::Line, exact));
    let apex = |t: &Trace, from: f64| {
        let range = (0..t.time_s.len()).filter(|&n| t.time_s[n] > from);
        range.map(|n| -1e3 * t.hammer_m[n]).fold(0.0, f64::max)
    };
    let last = REFERENCE[6];
    let exact_apex = 1e3 * last.1 * last.1 / (2.0 * GRAVITY_M_S2);
    let traces = bounces.schemes.iter().map(|(s, t)| (s.name(), t)).chain([("Tocco", &bounces.tocco)]);
    for ((name, trace), colour) in traces.zip([2, 3, 1]) {
        for n in (0..trace.time_s.len()).step_by(8) {
            out.csv.row(&[name], &[trace.time_s[n], -trace.hammer_m[n]]);
        }
        let data = Trace::pairs(&trace.time_s, 1.0, &trace.hammer_m, -1e-3);
        let (look, data) =
            if name == "Tocco" { (Look::Dots, data.into_iter().step_by(160).collect()) } else { (Look::Line, data) };
        whole.series.push(Series::new(name, colour, look, data));
        let data = Trace::pairs(&trace.time_s, 1.0, &trace.hammer_m, -1e-3);
        let data = if name == "Tocco" { data.into_iter().step_by(40).collect() } else { data };
        late.series.push(Series::new(name, colour, look, data));
        let touches = trace.touches();
        let Some(seventh) = touches.get(6) else { return Err(format!("{name} bounces fewer than seven times")) };
        let late_us = 1e6 * (seventh.from_s - last.0);
        let height = apex(trace, seventh.to_s);
        let off = 100.0 * (height / exact_apex - 1.0);
        let text = format!("{late_us:+.1} µs, apex {off:+.3} %");
        match name {
            "AM1" => out.holds("AM1: seventh rebound", "wrong time, too high", text, late_us > 100.0 && off > 1.0),
            "RK4" => out.holds("RK4: seventh rebound", "wrong time", text, late_us.abs() > 100.0),
            _ => out.holds(
                "Tocco: seventh rebound",
                "exact (within a sample)",
                text,
                late_us.abs() < 1e6 / RATE_HZ && off.abs() < 0.5,
            ),
        }
    }
    late.x_range = Some((0.335, 0.44));
    late.y_range = Some((-0.2, 5.2));
    whole.y_range = Some((-0.2, 6.2));
    out.figure = Figure { title: title.into(), panels: vec![whole, late] };
    Ok(out)
}

pub fn instants() -> Result<Outcome, String> {
    let bounces = bounce()?;
    let title = "Instants and rebounds of a bouncing mass (case 1 with gravity)";
    let mut out = Outcome {
        csv: Csv::new(&["series", "bounce", "instant_s", "rebound_m_s", "instant_error_s", "rebound_error_percent"]),
        scene: bounces.blow.scene(title, 2.0),
        beside: Some("reference"),
        ..Outcome::default()
    };
    let mut times = Panel::new("instants of touch", "bounce", "error, µs");
    let mut speeds = Panel::new("rebounds", "bounce", "error, %");
    let traces = bounces.schemes.iter().map(|(s, t)| (s.name(), t)).chain([("Tocco", &bounces.tocco)]);
    for ((name, trace), colour) in traces.zip([2, 3, 1]) {
        let touches: Vec<Touch> = trace.touches();
        if touches.len() < REFERENCE.len() {
            return Err(format!("{name} bounces {} times instead of {}", touches.len(), REFERENCE.len()));
        }
        let (mut late, mut off) = (Vec::new(), Vec::new());
        for (i, (touch, &(at, v, _))) in touches.iter().zip(&REFERENCE).enumerate() {
            let (dt, dv) = (touch.from_s - at, 100.0 * (-touch.out_m_s / v - 1.0));
            out.csv.row(&[name], &[i as f64, touch.from_s, -touch.out_m_s, dt, dv]);
            late.push((i as f64, 1e6 * dt));
            off.push((i as f64, dv));
            if name == "Tocco" {
                out.near(format!("instant {i}, s"), at, touch.from_s, 1.0 / RATE_HZ, 9);
                out.within_percent(format!("rebound {i}, m/s"), v, -touch.out_m_s, 0.25);
            }
        }
        times.series.push(Series::new(name, colour, Look::DottedLine, late));
        speeds.series.push(Series::new(name, colour, Look::DottedLine, off));
    }
    out.notes.push("the limit for instants is one sample (22.7 µs), after eight contacts".into());
    times.legend = Corner::TopLeft;
    speeds.legend = Corner::TopLeft;
    out.figure = Figure { title: title.into(), panels: vec![times, speeds] };
    Ok(out)
}
