// SPDX-License-Identifier: MIT OR Apache-2.0
//! Friction steps: whether our roots obey the law, and how many evaluations they take beside the papers' plain Newton iteration.

use super::blow::RATE_HZ;
use super::{Csv, Outcome};
use crate::plot::{Figure, Look, Panel, Series};
use tocco::interactor::friction::{Friction, FrictionLaw, FrictionParams};
use tocco::interactor::{Interactor, Stroke};
use tocco::rng::Rng;

const SYSTEMS: usize = 3000;
const STEPS: usize = 1000;
/// Where the plain iteration is given up.
const MAX_ROUNDS: usize = 100;
const DT: f64 = 1.0 / RATE_HZ;

/// A mass on a spring under a bow.
struct Bowed {
    params: FrictionParams,
    mass_kg: f64,
    spring_n_m: f64,
    bow_m_s: f64,
}

impl Bowed {
    /// Everything over decades, as in E.3.
    fn random(rng: &mut Rng) -> Self {
        let mu_dynamic = rng.between_log(0.05, 1.0);
        Self {
            params: FrictionParams {
                normal_force_n: rng.between_log(1e-2, 1e2),
                mu_static: mu_dynamic * rng.between(1.0, 4.0),
                mu_dynamic,
                stribeck_m_s: rng.between_log(1e-3, 1.0),
                bristle_stiffness: rng.between_log(1e2, 1e7),
                bristle_damping: rng.between_log(1e-3, 1e3),
                viscosity: if rng.unit() < 0.5 { 0.0 } else { rng.between_log(1e-3, 1.0) },
                breakaway_01: rng.between(0.0, 0.999),
                ..FrictionParams::default()
            },
            mass_kg: rng.between_log(1e-3, 1.0),
            spring_n_m: rng.between_log(1e2, 1e6),
            bow_m_s: rng.between_log(1e-3, 5.0) * if rng.unit() < 0.5 { -1.0 } else { 1.0 },
        }
    }
}

/// Evaluations of a solver: how often each number came, the last place for never.
struct Tally {
    counts: Vec<u64>,
}

impl Tally {
    fn new() -> Self {
        Self { counts: vec![0; MAX_ROUNDS + 2] }
    }
    fn add(&mut self, rounds: Option<usize>) {
        self.counts[rounds.unwrap_or(MAX_ROUNDS + 1)] += 1;
    }
    fn steps(&self) -> u64 {
        self.counts.iter().sum()
    }
    fn failed(&self) -> u64 {
        self.counts[MAX_ROUNDS + 1]
    }
    fn beyond(&self, rounds: usize) -> u64 {
        self.counts[rounds + 1..].iter().sum()
    }
    fn mean(&self) -> f64 {
        let total: u64 = self.counts[..=MAX_ROUNDS].iter().enumerate().map(|(k, n)| k as u64 * n).sum();
        total as f64 / (self.steps() - self.failed()) as f64
    }
    fn most(&self) -> usize {
        self.counts[..=MAX_ROUNDS].iter().rposition(|n| *n > 0).unwrap_or(0)
    }
    fn share_beyond(&self) -> Vec<(f64, f64)> {
        let steps = self.steps() as f64;
        let share = |k: usize| 100.0 * self.beyond(k) as f64 / steps;
        (1..20).map(|k| (k as f64, share(k))).filter(|p| p.1 > 0.0).map(|(k, s)| (k, s.log10())).collect()
    }
}

/// The papers' iteration on y = z' (Avanzini et al. 2003 (8.40) to (8.48), Avanzini et al. 2002 (12)), with the adhesion map of C21 and C22 and a
/// slope by differences; from the last y, stopped by the size of its step. None: it never ends.
fn plain_newton(p: &FrictionParams, z0: f64, v0: f64, lam: f64, start: f64) -> Option<usize> {
    let (half, sigma0) = (0.5 * DT, p.bristle_stiffness);
    let (fc, fs) = (p.mu_dynamic * p.normal_force_n, p.mu_static * p.normal_force_n);
    let breakaway = p.breakaway_01 * fc / sigma0;
    let yields = 1.0 / (1.0 + lam * p.viscosity);
    let (k1, v_free) = (-yields * lam * (sigma0 * half + p.bristle_damping), yields * (v0 - lam * sigma0 * z0));
    let excess = |y: f64| {
        let (v, z) = (v_free + k1 * y, z0 + half * y);
        let zs = (fc + (fs - fc) * (-(v / p.stribeck_m_s).powi(2)).exp()) / sigma0;
        let share = ((z.abs() - breakaway) / (zs - breakaway)).clamp(0.0, 1.0);
        let alpha = if v * z <= 0.0 { 0.0 } else { (0.5 * std::f64::consts::PI * share).sin().powi(2) };
        v - alpha * v.abs() * z / zs - y
    };
    let mut y = start;
    for round in 1..=MAX_ROUNDS {
        let d = 1e-7 * (y.abs() + 1e-6);
        let step = -2.0 * d * excess(y) / (excess(y + d) - excess(y - d));
        y += step;
        if !y.is_finite() {
            return None;
        }
        if step.abs() <= 1e-10 * (y.abs() + 1e-3) {
            return Some(round);
        }
    }
    None
}

/// Every so many steps the force is compared with the law.
const COMPARED: usize = 7;

/// Force of the elasto-plastic law over a step at velocity v from the deflection z0, N: (8.16) to (8.20) by the midpoint rule, with
/// the adhesion map of C21 and C22 and the damping of overstretched bristles limited; the deflection by bisection.
fn law_n(p: &FrictionParams, z0: f64, v: f64) -> f64 {
    let side = if v < 0.0 { -1.0 } else { 1.0 };
    let (w, z0, half, sigma0) = (v.abs(), z0 * side, 0.5 * DT, p.bristle_stiffness);
    let fc = p.mu_dynamic * p.normal_force_n;
    let g = fc + (p.mu_static * p.normal_force_n - fc) * (-(w / p.stribeck_m_s).powi(2)).exp();
    let (zs, breakaway) = (g / sigma0, p.breakaway_01 * fc / sigma0);
    let slid = |zeta: f64| {
        let share = ((zeta - breakaway) / (zs - breakaway)).clamp(0.0, 1.0);
        let alpha = if zeta >= zs { 1.0 } else { (0.5 * std::f64::consts::PI * share).sin().powi(2) };
        zeta + half * alpha * w * zeta / zs - z0 - half * w
    };
    // Bristles bend further or slide; they never end on the other side of where they would without sliding.
    let (mut low, mut high) = (z0.min(0.0) - zs, z0.max(0.0) + half * w);
    for _ in 0..100 {
        let zeta = 0.5 * (low + high);
        if slid(zeta) > 0.0 { high = zeta } else { low = zeta }
    }
    let zeta = 0.5 * (low + high);
    let rate = (zeta - z0) / half;
    let damping =
        if z0 >= zs { 4.0 * g * p.bristle_damping / (4.0 * g + p.bristle_damping * w) } else { p.bristle_damping };
    side * (sigma0 * zeta + damping * rate + p.viscosity * w)
}

pub fn compute() -> Result<Outcome, String> {
    let mut rng = Rng::new(3, "solver");
    let (mut ours, mut plain) = (Tally::new(), Tally::new());
    let (mut off_the_law, mut off_the_bodies) = (0.0f64, 0.0f64);
    for _ in 0..SYSTEMS {
        let b = Bowed::random(&mut rng);
        let mut law = Friction::new(FrictionLaw::ElastoPlastic, b.params, None);
        let compliance = 0.5 * DT * DT / b.mass_kg;
        let (mut x, mut u, mut guess, mut y) = (0.0, 0.0, 0.0, 0.0);
        for step in 0..STEPS {
            let free = DT * (b.bow_m_s - u + 0.5 * DT * b.spring_n_m * x / b.mass_kg);
            law.prepare(0.0, DT);
            let found = law.resolve(0.0, free, compliance, DT, guess);
            ours.add(found.converged.then_some(found.iterations as usize));
            let before = law.deflection_m();
            if step % COMPARED == 0 && found.stroke != 0.0 {
                let v = found.stroke / DT;
                // The velocity has a rounding error, and a stiff contact turns it into force.
                let steepest = b.params.bristle_stiffness * DT + b.params.bristle_damping + b.params.viscosity;
                let most = b.params.mu_static * b.params.normal_force_n + steepest * v.abs();
                off_the_law = off_the_law.max((found.force - law_n(&b.params, before, v)).abs() / most);
                let moved = free - compliance * found.force;
                off_the_bodies = off_the_bodies.max((found.stroke - moved).abs() / (free.abs() + compliance * most));
            }
            plain.add(plain_newton(&b.params, before, free / DT, compliance / DT, y));
            law.commit(Stroke { from: 0.0, by: found.stroke, dt: DT }, found.force);
            y = (law.deflection_m() - before) / DT;
            let push = (found.force - b.spring_n_m * x) / b.mass_kg;
            x += DT * u + 0.5 * DT * DT * push;
            u += DT * push;
            guess = found.stroke;
        }
    }
    let mut out = Outcome {
        beside: Some("plain Newton"),
        csv: Csv::new(&["evaluations", "steps_ours", "steps_plain_newton"]),
        ..Outcome::default()
    };
    for k in 1..=MAX_ROUNDS + 1 {
        out.csv.row(&[], &[k as f64, ours.counts[k] as f64, plain.counts[k] as f64]);
    }
    out.near(
        "our force, farthest from the law at our velocity, parts of stiction and damping",
        0.0,
        off_the_law,
        1e-6,
        9,
    );
    out.near(
        "our velocity, farthest from what the force makes of the bodies, parts of it",
        0.0,
        off_the_bodies,
        1e-9,
        12,
    );
    let steps = ours.steps();
    let percent = |n: u64| format!("{n} ({:.3} %)", 100.0 * n as f64 / steps as f64);
    let (seldom, bound) = (ours.failed() == 0, ours.most() <= 50);
    out.holds("steps that never converge", percent(plain.failed()), percent(ours.failed()), seldom);
    out.holds(
        "mean evaluations of the steps that converge, at most 3",
        format!("{:.2}", plain.mean()),
        format!("{:.2}", ours.mean()),
        ours.mean() <= 3.0,
    );
    out.holds("most evaluations, at most 50", format!("{}", plain.most()), format!("{}", ours.most()), bound);
    out.holds(
        "steps of seven or more (papers: \"remains smaller than seven\")",
        percent(plain.beyond(6)),
        percent(ours.beyond(6)),
        ours.beyond(6) < plain.beyond(6) && plain.failed() > 0,
    );
    out.notes.push(format!("{SYSTEMS} random bowed masses, {STEPS} steps each, elasto-plastic; both solvers see every step, ours leads; a round of plain Newton is an evaluation with its derivative, and so is one of ours"));
    out.notes.push("physics.md E.3 counts 1.18 % failures on its own random systems".into());
    out.scene = super::rub::head("A mass on a spring under a bow: one of the random systems", 1.0)
        + "[body.bow]\ntype = \"guided\"\nvelocity_m_s = 0.1\n\n[body.block]\ntype = \"modal\"\n\
           modes = [{ freq_hz = 160.0, mass_kg = 0.01 }]\n\n"
        + &super::rub::contact(
            "block",
            "elasto-plastic",
            &[("normal_force_n", 1.0), ("bristle_stiffness", 1e5), ("bristle_damping", 1.0), ("breakaway_01", 0.7)],
        )
        + "\n[[tap]]\nof = \"block\"\n";
    let mut panel = Panel::new("share of steps that need more", "evaluations", "log10 of the share, %")
        .with(Series::new(
            "plain Newton on z' (Avanzini 2003, Avanzini 2002)",
            2,
            Look::DottedLine,
            plain.share_beyond(),
        ))
        .with(Series::new("Tocco", 1, Look::DottedLine, ours.share_beyond()));
    panel.x_range = Some((0.0, 20.0));
    panel.y_range = Some((-5.0, 2.2));
    out.figure = Figure { title: "Evaluations per friction step, 3 million random steps".into(), panels: vec![panel] };
    Ok(out)
}
