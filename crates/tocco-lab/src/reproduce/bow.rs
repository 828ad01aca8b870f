// SPDX-License-Identifier: MIT OR Apache-2.0
//! Avanzini et al. 2002: the adhesion map (figure 3) and the bowed cello D string, thermal rosin (figure 6) and elasto-plastic
//! bristles (figure 7).

use super::blow::RATE_HZ;
use super::rub::{Run, contact, head, play, slips};
use super::{Csv, Outcome, short};
use crate::plot::{Corner, Figure, Look, Panel, Series};

/// The string of Avanzini et al. 2002: its pitch and quality as printed, its inharmonicity by way of the impedance (physics.md F).
pub const FREQ_HZ: f64 = 147.0;
pub const QUALITY: f64 = 500.0;
pub const INHARMONICITY: f64 = 5.57e-5;
const BOW_M_S: f64 = 0.1;
const NORMAL_N: f64 = 1.1;
const DURATION_S: f64 = 1.5;
/// Steady part that is measured, s.
const STEADY_S: f64 = 0.3;
/// Part of the length at which the pull on the bridge is read: the string's position there is proportional to it.
const NEAR_BRIDGE: f64 = 0.01;

/// One way to bow the string.
#[derive(Clone, Copy)]
struct Bowing {
    law: &'static str,
    /// Bow point, part of the length.
    place: f64,
    ramp_s: f64,
}

const BRISTLES: Bowing = Bowing { law: "elasto-plastic", place: 38.0 / 300.0, ramp_s: 0.03 };
const ROSIN: Bowing = Bowing { law: "thermal", place: 0.08, ramp_s: 0.1 };

/// The steady part.
struct Bowed {
    run: Run,
    /// Velocities, m/s.
    string: Vec<f64>,
    relative: Vec<f64>,
    /// The same as the mean of each sample, which is what the law sees.
    slid: Vec<f64>,
    /// Force over normal force.
    mu: Vec<f64>,
    slips_per_period: f64,
    /// Share of the time that the string slips, over the ideal share, the bow's place.
    slip_share: f64,
    /// Best correlation of the pull on the bridge with a sawtooth.
    sawtooth: f64,
}

impl Bowing {
    /// Avanzini et al. 2002: 147 Hz, Q 500, B = 3e-4 N m^2, 0.1 m/s, 1.1 N. From physics.md F: the impedance, and so the
    /// inharmonicity, the bow point, and the coefficients (set C; thermal: the curve and the fitted constants).
    fn scene(&self) -> String {
        let law = if self.law == "thermal" {
            vec![("mu_static", 1.2), ("mu_dynamic", 0.35), ("stribeck_m_s", 0.1)]
        } else {
            vec![
                ("mu_static", 0.8),
                ("mu_dynamic", 0.3),
                ("stribeck_m_s", 0.1),
                ("bristle_stiffness", 1e4),
                ("bristle_damping", 0.1),
                ("viscosity", 0.0),
                ("breakaway_01", 0.7),
            ]
        };
        let title = if self.law == "thermal" {
            "Avanzini 2002 Figure 6: thermal rosin"
        } else {
            "Avanzini 2002 Figure 7: elasto-plastic"
        };
        head(title, DURATION_S)
            + "[body.bow]\ntype = \"guided\"\n\n"
            + &string_body(self.place)
            + &contact("string.bow_point", self.law, &[&[("normal_force_n", NORMAL_N)], &law[..]].concat())
            + &format!(
                "\n[[drive]]\npath = \"bow/velocity_m_s\"\npoints = [[0.0, 0.0], [{:?}, {BOW_M_S:?}]]\n\n\
                 [[tap]]\nof = \"string.bow_point\"\ngain = 0.5\n",
                self.ramp_s
            )
    }

    fn play(&self) -> Result<Bowed, String> {
        let signals =
            ["bow.velocity", "string.bow_point.velocity", "rub.force", "string.bridge.position", "rub.compression"];
        let mut run = play(&self.scene(), DURATION_S, &signals)?;
        let from = run.columns[0].len() - (STEADY_S * RATE_HZ) as usize;
        let way = run.columns.pop().unwrap_or_default();
        let slid = (from..way.len()).map(|n| (way[n] - way[n - 1]) * RATE_HZ).collect();
        let mut steady: Vec<Vec<f64>> = run.columns.drain(..).map(|column| column[from..].to_vec()).collect();
        let (pull, force) = (steady.pop().unwrap_or_default(), steady.pop().unwrap_or_default());
        let (string, bow) = (steady.pop().unwrap_or_default(), steady.pop().unwrap_or_default());
        let relative: Vec<f64> = bow.iter().zip(&string).map(|(b, s)| b - s).collect();
        let starts = slips(&relative, 0.5 * BOW_M_S, 0.15 * BOW_M_S);
        let slipping = relative.iter().filter(|v| **v > 0.5 * BOW_M_S).count() as f64 / relative.len() as f64;
        let slips_per_period = match (starts.first(), starts.last()) {
            (Some(first), Some(last)) if last > first => {
                (starts.len() - 1) as f64 * RATE_HZ / FREQ_HZ / (last - first) as f64
            }
            _ => 0.0,
        };
        Ok(Bowed {
            run,
            string,
            relative,
            slid,
            mu: force.iter().map(|f| f / NORMAL_N).collect(),
            slips_per_period,
            slip_share: slipping / self.place,
            sawtooth: sawtooth(&pull, slips_per_period.clamp(0.9, 1.1) * FREQ_HZ),
        })
    }
}

/// The cello D string, with its bow point at a part of its length.
pub fn string_body(place: f64) -> String {
    format!(
        "[body.string]\ntype = \"string\"\nfreq_hz = {FREQ_HZ:?}\nq = {QUALITY:?}\nimpedance_kg_s = 0.55\n\
         inharmonicity = {INHARMONICITY:?}\n\n[body.string.port]\nbow_point = {place:?}\nbridge = {NEAR_BRIDGE:?}\n\n"
    )
}

/// Largest correlation with a sawtooth of the slips' frequency (a bow may flatten the string), over all its phases and
/// both directions.
fn sawtooth(pull: &[f64], freq_hz: f64) -> f64 {
    let n = pull.len() as f64;
    let mean = pull.iter().sum::<f64>() / n;
    let power: f64 = pull.iter().map(|x| (x - mean).powi(2)).sum();
    (0..300)
        .map(|phase| {
            let ramp = (0..pull.len()).map(|i| (i as f64 * freq_hz / RATE_HZ + f64::from(phase) / 300.0).fract() - 0.5);
            let (mut cross, mut own) = (0.0, 0.0);
            for (x, r) in pull.iter().zip(ramp) {
                cross += (x - mean) * r;
                own += r * r;
            }
            (cross / (power * own).sqrt()).abs()
        })
        .fold(0.0, f64::max)
}

impl Bowed {
    fn is_helmholtz(&self) -> bool {
        (self.slips_per_period - 1.0).abs() <= 0.05 && (0.5..=1.5).contains(&self.slip_share) && self.sawtooth > 0.9
    }

    /// Speed at which mu differs most between speeding up and slowing down, m/s, and mu on both ways: the loop.
    fn loop_width(&self) -> (f64, [f64; 2]) {
        const BINS: usize = 16;
        let fastest = self.relative.iter().copied().fold(1e-9, f64::max);
        let (mut sums, mut counts) = ([[0.0; 2]; BINS], [[0.0; 2]; BINS]);
        for n in 1..self.mu.len() {
            let (before, v) = (self.relative[n - 1], self.relative[n]);
            let bin = (v / fastest * BINS as f64).max(0.0) as usize;
            // The first bin is sticking.
            if (1..BINS).contains(&bin) && v != before {
                sums[bin][usize::from(v < before)] += self.mu[n];
                counts[bin][usize::from(v < before)] += 1.0;
            }
        }
        (1..BINS)
            .filter(|&i| counts[i].iter().all(|n| *n > 4.0))
            .map(|i| ((i as f64 + 0.5) / BINS as f64 * fastest, [sums[i][0] / counts[i][0], sums[i][1] / counts[i][1]]))
            .max_by(|a, b| (a.1[0] - a.1[1]).abs().total_cmp(&(b.1[0] - b.1[1]).abs()))
            .unwrap_or((0.0, [0.0; 2]))
    }

    fn rows(&self, out: &mut Outcome) {
        out.near("slips per period", 1.0, self.slips_per_period, 0.05, 3);
        out.near("slip share of the period / bow's place", 1.0, self.slip_share, 0.5, 3);
        out.holds(
            "pull on the bridge against a sawtooth",
            "Helmholtz motion",
            format!("correlation {:.3}", self.sawtooth),
            self.sawtooth > 0.9,
        );
        let (speed, [into, from]) = self.loop_width();
        out.holds(
            format!("mu at {speed:.2} m/s, speeding up and slowing down"),
            "a hysteresis loop",
            format!("{into:.3} and {from:.3}"),
            (into - from).abs() > 0.02,
        );
        out.holds("energy - work never rises", "", short(self.run.growth), self.run.growth <= 1e-12);
    }

    fn panels(&self, name: &str, colour: usize) -> [Panel; 2] {
        let period = RATE_HZ / FREQ_HZ;
        let shown = (3.2 * period) as usize;
        let wave = |n: usize| (n as f64 / RATE_HZ / 1e-3, self.string[n]);
        let top = Panel::new(format!("velocity at the bow point: {name}"), "time, ms", "velocity, m/s")
            .with(Series::new("", colour, Look::Line, (0..shown).map(wave).collect()));
        let path = (0..shown).map(|n| (-self.relative[n], self.mu[n])).collect();
        let bottom =
            Panel::new(format!("coefficient of friction: {name}"), "string minus bow, m/s", "force / normal force")
                .with(Series::new("Tocco", colour, Look::DottedLine, path));
        [top, bottom]
    }
}

/// Charts of the steady curve below the loop.
fn with_steady(mut panel: Panel, curve: &dyn Fn(f64) -> f64, fastest: f64) -> Panel {
    let line = (1..=300).map(|i| fastest * f64::from(i) / 300.0).map(|v| (-v, curve(v))).collect();
    panel.series.insert(0, Series::new("steady sliding", 0, Look::Dashed, line));
    panel.legend = Corner::TopLeft;
    panel
}

fn rosin_curve(v: f64) -> f64 {
    0.35 + 0.4 * (-v / 0.01).exp() + 0.45 * (-v / 0.1).exp()
}

/// Capacity and losses of the rosin's film: the constants of the law that a scene gets if it says nothing (fitted, see the item).
const CAPACITY_J_K: f64 = 3e-7;
const CONDUCTION_W_K: f64 = 3e-3;
const ADVECTION_W_S_M_K: f64 = 0.1;
/// Points of the table of friction over temperature.
const HEAT_POINTS: usize = 4000;

/// Friction of rosin at the speeds of a motion, from the balance of its heat alone: C dT/dt = mu(T) v - (G + kappa v) T, where
/// mu(T) is that of the steady sliding that is as hot; where faster sliding would be cooler, it is as hot as the hottest. In so many
/// steps a sample, each exact for the friction at its end.
fn by_heat(speeds: &[f64], steps: usize) -> Vec<f64> {
    let loss = |v: f64| CONDUCTION_W_K + ADVECTION_W_S_M_K * v;
    let speed = |i: usize| 1e-6 * 1e8_f64.powf(i as f64 / (HEAT_POINTS - 1) as f64);
    let mut table: Vec<(f64, f64)> = vec![(0.0, 1.2)];
    for v in (0..HEAT_POINTS).map(speed) {
        let hottest = table[table.len() - 1].0;
        table.push((f64::max(rosin_curve(v) * v / loss(v), hottest + 1e-12), rosin_curve(v)));
    }
    let friction = |hot: f64| {
        let above = table.partition_point(|row| row.0 <= hot);
        let Some(&(t1, mu1)) = table.get(above) else { return 0.35 };
        let (t0, mu0) = table[above - 1];
        mu0 + (mu1 - mu0) * (hot - t0) / (t1 - t0)
    };
    let (mut hot, mut found) = (0.0, Vec::new());
    for v in speeds.iter().map(|v| v.abs()) {
        found.push(friction(hot));
        let stays = (-loss(v) / (RATE_HZ * steps as f64 * CAPACITY_J_K)).exp();
        for _ in 0..steps {
            let balance = |then: f64| hot * stays + (1.0 - stays) * friction(then) * v / loss(v);
            let (mut cold, mut warm) = (0.0, balance(0.0));
            for _ in 0..60 {
                let middle = 0.5 * (cold + warm);
                if middle > balance(middle) { warm = middle } else { cold = middle }
            }
            hot = 0.5 * (cold + warm);
        }
    }
    found
}

fn bristle_curve(v: f64) -> f64 {
    0.3 + 0.5 * (-(v / 0.1).powi(2)).exp()
}

fn write_csv(out: &mut Outcome, name: &str, bowed: &Bowed) {
    for n in 0..bowed.string.len().min(3000) {
        out.csv.row(&[name], &[n as f64 / RATE_HZ, bowed.string[n], bowed.relative[n], bowed.mu[n]]);
    }
}

/// Thermal rosin.
pub fn figure_6() -> Result<Outcome, String> {
    let bowed = ROSIN.play()?;
    let mut out = Outcome {
        csv: Csv::new(&["series", "time_s", "string_m_s", "bow_minus_string_m_s", "mu"]),
        scene: ROSIN.scene(),
        qualitative: Some(
            "the rosin's constants are not in Avanzini 2002; ours are fitted for behaviour (physics.md F)".into(),
        ),
        ..Outcome::default()
    };
    bowed.rows(&mut out);
    write_csv(&mut out, "thermal", &bowed);
    let fastest = bowed.relative.iter().copied().fold(0.0, f64::max);
    let sliding = bowed.relative.iter().zip(&bowed.mu).filter(|(v, _)| **v > 0.1 * fastest);
    let (mut near, mut all) = (0, 0);
    for (v, mu) in sliding {
        all += 1;
        near += u32::from((mu - rosin_curve(*v)).abs() < 0.01);
    }
    out.holds(
        "sliding samples within 0.01 of the steady curve",
        "\"no part of the hysteretical curve follows the steady state curve\"",
        format!("{near} of {all}"),
        f64::from(near) < 0.15 * f64::from(all),
    );
    let apart = |steps: usize| {
        let heat = by_heat(&bowed.slid, steps);
        let slid = (heat.len() / 10..heat.len()).filter(|&n| bowed.slid[n] > 0.1 * fastest);
        let squares: Vec<f64> = slid.map(|n| (bowed.mu[n] - heat[n]).powi(2)).collect();
        (squares.iter().sum::<f64>() / squares.len().max(1) as f64).sqrt()
    };
    out.near("mu while sliding, rms distance from the heat balance integrated apart", 0.0, apart(64), 0.02, 4);
    out.notes.push(format!(
        "that balance in 64 steps a sample; in one implicit step, as ours takes it, {:.4}: the film heats within a sample",
        apart(1)
    ));
    for (place, ramps) in [(0.08, [0.001, 0.01, 0.03]), (38.0 / 300.0, [0.01, 0.03, 0.1])] {
        let mut said = Vec::new();
        for ramp_s in ramps {
            let other = Bowing { place, ramp_s, ..ROSIN }.play()?;
            let verdict = if other.is_helmholtz() { "Helmholtz" } else { "not Helmholtz" };
            said.push(format!("{} ms {verdict} ({:.2} slips per period)", 1e3 * ramp_s, other.slips_per_period));
        }
        out.notes.push(format!("the same rosin, bow at {place:.3}, other ramps: {}", said.join("; ")));
    }
    let cents = 1200.0 * bowed.slips_per_period.log2();
    out.notes.push(format!("the bowed note is {cents:+.0} cents from the free string's"));
    let [top, bottom] = bowed.panels("thermal rosin", 2);
    out.figure = Figure {
        title: "Avanzini 2002 Figure 6: cello D, 0.1 m/s, 1.1 N, thermal rosin, bow at 0.08 of the length".into(),
        panels: vec![top, with_steady(bottom, &rosin_curve, 1.05 * fastest)],
    };
    Ok(out)
}

/// Elasto-plastic bristles, the thermal loop beside.
pub fn figure_7() -> Result<Outcome, String> {
    let (bowed, rosin) = (BRISTLES.play()?, ROSIN.play()?);
    let mut out = Outcome {
        csv: Csv::new(&["series", "time_s", "string_m_s", "bow_minus_string_m_s", "mu"]),
        scene: BRISTLES.scene(),
        qualitative: Some(
            "Avanzini 2002 gives ranges for mu and no sigma, c or bow point; ours is set C of physics.md F, bow at 38/300".into(),
        ),
        ..Outcome::default()
    };
    bowed.rows(&mut out);
    write_csv(&mut out, "elasto-plastic", &bowed);
    write_csv(&mut out, "thermal", &rosin);
    let both = bowed.is_helmholtz() && rosin.is_helmholtz();
    out.holds("both laws in Helmholtz motion", "\"qualitatively similar\"", if both { "yes" } else { "no" }, both);
    let iterations = bowed.run.iterations;
    out.holds("evaluations per step, mean", "below seven", format!("{iterations:.2}"), iterations < 4.5);
    let fastest = bowed.relative.iter().copied().fold(0.0, f64::max);
    let [top, bottom] = bowed.panels("elasto-plastic", 1);
    let [_, beside] = rosin.panels("thermal, for comparison", 2);
    let thermal_fastest = rosin.relative.iter().copied().fold(0.0, f64::max);
    out.figure = Figure {
        title: "Avanzini 2002 Figure 7: cello D, 0.1 m/s, 1.1 N, elasto-plastic".into(),
        panels: vec![
            top,
            with_steady(bottom, &bristle_curve, 1.05 * fastest),
            with_steady(beside, &rosin_curve, 1.05 * thermal_fastest),
        ],
    };
    Ok(out)
}
