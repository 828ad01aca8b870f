// SPDX-License-Identifier: MIT OR Apache-2.0
//! Felt by Stulov's law, Avanzini et al. 2003 (8.9) and (8.10): a hammer's rebound and loop beside an integration of the law.

use super::blow::RATE_HZ;
use super::rub::{head, play};
use super::{Csv, Outcome};
use crate::plot::{Corner, Figure, Look, Panel, Series};

/// A felt hammer that meets a rigid wall.
struct Felt {
    name: &'static str,
    mass_kg: f64,
    stiffness: f64,
    exponent: f64,
    hysteresis: f64,
    relaxation_s: f64,
    velocity_m_s: f64,
    /// Longer than the contact, s.
    duration_s: f64,
    /// Step of the integration apart, s: far below contact and relaxation.
    step_s: f64,
}

const FELTS: [Felt; 3] = [
    Felt {
        name: "piano hammer",
        mass_kg: 8.3e-3,
        stiffness: 15_500.0 * 1.258_925_411_794_167e11, // 1000^3.7: N/mm^3.7
        exponent: 3.7,
        hysteresis: 0.9928,
        relaxation_s: 2.58e-6,
        velocity_m_s: 1.0,
        duration_s: 0.008,
        step_s: 1e-7,
    },
    Felt {
        name: "slow felt",
        mass_kg: 0.01,
        stiffness: 3e8,
        exponent: 2.5,
        hysteresis: 0.5,
        relaxation_s: 1e-3,
        velocity_m_s: 1.0,
        duration_s: 0.02,
        step_s: 1e-6,
    },
    Felt {
        name: "felt as slow as its contact is short",
        mass_kg: 0.01,
        stiffness: 1e11,
        exponent: 2.8,
        hysteresis: 0.3,
        relaxation_s: 1e-4,
        velocity_m_s: 2.0,
        duration_s: 0.008,
        step_s: 1e-7,
    },
];

/// Depth, velocity and memory of a hammer in its felt, at a time.
type State = [f64; 3];

impl Felt {
    fn scene(&self) -> String {
        head(&format!("Avanzini 2003 (8.9), (8.10): {}", self.name), self.duration_s)
            + &format!(
                "[body.hammer]\ntype = \"mass\"\nmass_kg = {:?}\nvelocity_m_s = {:?}\n\n[body.wall]\ntype = \"wall\"\n\n\
                 [contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"wall\"]\nlaw = \"stulov\"\nstiffness = {:?}\n\
                 exponent = {:?}\nhysteresis_01 = {:?}\nrelaxation_s = {:?}\n\n[[tap]]\nof = \"hammer\"\n",
                self.mass_kg, self.velocity_m_s, self.stiffness, self.exponent, self.hysteresis, self.relaxation_s
            )
    }

    /// The force of (8.10) with its factor k (C9), by its memory w: k (x^a - eps w), never adhesive.
    fn force_n(&self, [x, _, w]: State) -> f64 {
        (self.stiffness * (x.max(0.0).powf(self.exponent) - self.hysteresis * w)).max(0.0)
    }

    fn rates(&self, state: State) -> State {
        let [x, v, w] = state;
        // The felt's own surface where the hammer has left it: eps w = x^a.
        let pressed = x.max(0.0).powf(self.exponent).max(self.hysteresis * w);
        [v, -self.force_n(state) / self.mass_kg, (pressed - w) / self.relaxation_s]
    }

    /// Classical Runge-Kutta in steps far below everything: time, depth, velocity, force.
    fn integrated(&self) -> Vec<[f64; 4]> {
        let (h, mut state, mut found) = (self.step_s, [0.0, self.velocity_m_s, 0.0], Vec::new());
        for n in 0..(self.duration_s / h) as usize {
            found.push([n as f64 * h, state[0], state[1], self.force_n(state)]);
            let ahead = |k: State, part: f64| std::array::from_fn(|i| state[i] + part * h * k[i]);
            let k1 = self.rates(state);
            let k2 = self.rates(ahead(k1, 0.5));
            let k3 = self.rates(ahead(k2, 0.5));
            let k4 = self.rates(ahead(k3, 1.0));
            state = std::array::from_fn(|i| state[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
        }
        found
    }
}

pub fn compute() -> Result<Outcome, String> {
    let mut out = Outcome {
        beside: Some("integrated"),
        csv: Csv::new(&["series", "felt", "time_s", "compression_m", "velocity_m_s", "force_n"]),
        scene: FELTS[0].scene(),
        figure: Figure { title: "Avanzini 2003 (8.9), (8.10): felt after Stulov".into(), panels: Vec::new() },
        ..Outcome::default()
    };
    for felt in &FELTS {
        let exact = felt.integrated();
        let run = play(&felt.scene(), felt.duration_s, &["hit.compression", "hammer.velocity", "hit.force"])?;
        let [depth, velocity, force] = &run.columns[..] else { return Err("a signal is missing".into()) };
        let last = |values: &[f64]| values.last().copied().unwrap_or(0.0);
        let (wanted, got) = (exact.last().map_or(0.0, |row| row[2]), last(velocity));
        out.within_percent(format!("{}: rebound, m/s", felt.name), wanted, got, 0.2);
        let lost = |v: f64| 0.5 * felt.mass_kg * (felt.velocity_m_s.powi(2) - v * v);
        out.within_percent(format!("{}: area of the loop (energy lost), J", felt.name), lost(wanted), lost(got), 0.5);
        // The engine says the mean force of a sample: so is the other one averaged.
        let per_sample = 1.0 / RATE_HZ / felt.step_s;
        let mean = |n: usize| {
            let (from, to) = ((n as f64 * per_sample) as usize, ((n + 1) as f64 * per_sample) as usize);
            let part = &exact[from.min(exact.len() - 1)..to.min(exact.len())];
            part.iter().map(|row| row[3]).sum::<f64>() / part.len().max(1) as f64
        };
        let peak = exact.iter().map(|row| row[3]).fold(0.0, f64::max);
        let off = force.iter().enumerate().map(|(n, f)| (f - mean(n)).abs()).fold(0.0, f64::max);
        out.near(format!("{}: force farthest apart, % of its peak", felt.name), 0.0, 100.0 * off / peak, 2.0, 3);
        out.holds(format!("{}: energy never rises", felt.name), "", super::short(run.growth), run.growth <= 1e-12);
        for row in exact.iter().step_by(50) {
            out.csv.row(&["integrated", felt.name], row);
        }
        for n in 0..force.len() {
            out.csv.row(&["Tocco", felt.name], &[(n + 1) as f64 / RATE_HZ, depth[n], velocity[n], force[n]]);
        }
        let mm = 1e3;
        let line = exact.iter().step_by(20).filter(|row| row[1] > 0.0).map(|row| (mm * row[1], row[3])).collect();
        let dots = (1..force.len()).filter(|&n| depth[n - 1] > 0.0 && depth[n] > 0.0);
        let dots = dots.map(|n| (0.5 * mm * (depth[n - 1] + depth[n]), force[n])).collect();
        let mut panel = Panel::new(felt.name, "compression, mm", "force, N")
            .with(Series::new("(8.10), integrated apart", 2, Look::Line, line))
            .with(Series::new("Tocco at 44.1 kHz", 1, Look::Dots, dots));
        panel.legend = Corner::TopLeft;
        out.figure.panels.push(panel);
    }
    out.notes.push("(8.10) lacks the factor k before the integral (C9); the felt's surface, where the hammer leaves it faster than it recovers, is ours".into());
    out.notes
        .push("the piano hammer is Stulov's: k 15500 N/mm^3.7, exponent 3.7, hysteresis 0.9928, 2.58 µs, 8.3 g".into());
    Ok(out)
}
