// SPDX-License-Identifier: MIT OR Apache-2.0
//! Friction against what it must do: presliding, stick-slip, mirror, passivity, and a solver that never fails. The laws
//! are driven directly, between two bodies, without the world around them.

use tocco::interactor::friction::{Friction, FrictionLaw, FrictionParams, check};
use tocco::interactor::{Interactor, Solution, Stroke};
use tocco::resonator::Resonator;
use tocco::resonator::inertial::{Guided, GuidedParams, Mass, MassParams};
use tocco::resonator::modal::{Modal, ModalParams};
use tocco::rng::Rng;

const RATE_HZ: f64 = 44_100.0;
const DT: f64 = 1.0 / RATE_HZ;
const LAWS: [FrictionLaw; 5] =
    [FrictionLaw::ElastoPlastic, FrictionLaw::LuGre, FrictionLaw::Dahl, FrictionLaw::Static, FrictionLaw::Thermal];

/// Two bodies and the law between them.
struct Rig {
    a: Box<dyn Resonator>,
    b: Box<dyn Resonator>,
    law: Friction,
    stroke: f64,
    /// Work of pushes and of the texture, J.
    work: f64,
    last: Solution,
}

impl Rig {
    fn new(mut a: Box<dyn Resonator>, mut b: Box<dyn Resonator>, law: Friction) -> Self {
        a.attend();
        b.attend();
        let last = Solution { stroke: 0.0, force: 0.0, iterations: 0, converged: true };
        Self { a, b, law, stroke: 0.0, work: 0.0, last }
    }

    /// One step with a push on `a`.
    fn step(&mut self, push_n: f64) -> Solution {
        self.a.push(0, push_n);
        self.law.prepare(0.0, DT);
        let s0 = self.a.free_stroke(0) - self.b.free_stroke(0);
        let compliance = self.a.compliance(0, 0) + self.b.compliance(0, 0);
        let found = self.law.resolve(0.0, s0, compliance, DT, self.stroke);
        let noise = self.law.outside_force();
        self.a.push(0, -found.force);
        self.b.push(0, found.force);
        let pushed = self.a.free_stroke(0);
        self.law.commit(Stroke { from: 0.0, by: found.stroke, dt: DT }, found.force);
        self.a.commit();
        self.b.commit();
        self.stroke = found.stroke;
        self.work += push_n * pushed - noise * found.stroke;
        self.last = found;
        found
    }

    fn ledger(&self) -> f64 {
        let energy = self.a.energy() + self.b.energy() + self.law.energy(0.0);
        energy - self.work - self.a.work() - self.b.work()
    }
}

fn mass(mass_kg: f64, velocity_m_s: f64) -> Box<dyn Resonator> {
    Box::new(Mass::new(MassParams { mass_kg, gravity_m_s2: 0.0 }, 0.0, velocity_m_s, DT))
}

fn guided(velocity_m_s: f64) -> Box<dyn Resonator> {
    Box::new(Guided::new(GuidedParams { velocity_m_s }, 0.0, DT))
}

fn wall() -> Box<dyn Resonator> {
    Box::new(Guided::wall(0.0, DT))
}

fn modal(modes: &[(f64, f64, f64)]) -> Box<dyn Resonator> {
    Box::new(Modal::new(ModalParams::default(), modes, &[vec![1.0; modes.len()]], DT, false))
}

/// physics.md E.5.
fn presliding(law: FrictionLaw, bias_n: f64, swing_n: f64) -> (f64, f64) {
    let params = FrictionParams {
        normal_force_n: 1.0,
        mu_static: 1.5,
        mu_dynamic: 1.0,
        stribeck_m_s: 1e-3,
        bristle_stiffness: 1e5,
        bristle_damping: 1e5_f64.sqrt(),
        viscosity: if law == FrictionLaw::Dahl { 0.0 } else { 0.4 },
        breakaway_01: 0.9,
        ..Default::default()
    };
    let mut rig = Rig::new(mass(1.0, 0.0), wall(), Friction::new(law, params, None));
    let period = (RATE_HZ / 50.0) as usize;
    let mut marks = vec![];
    for n in 0..3 * RATE_HZ as usize {
        let t = n as f64 * DT;
        let push = bias_n * (t / 0.05).min(1.0)
            + if t > 0.05 { swing_n * (std::f64::consts::TAU * 50.0 * (t - 0.05)).sin() } else { 0.0 };
        rig.step(push);
        if (n + 1) % period == 0 {
            marks.push(rig.a.position(0));
        }
    }
    let (from, to) = (marks.len() - 51, marks.len() - 1);
    ((marks[to] - marks[from]) / 50.0, marks[to])
}

#[test]
fn presliding_drift_is_that_of_the_reference() {
    use FrictionLaw::{Dahl, ElastoPlastic, LuGre};
    for (law, bias, swing, drift) in [
        (LuGre, 0.3, 0.3, 2.9203e-6),
        (LuGre, 0.5, 0.39, 7.8369e-6),
        (LuGre, 0.6, 0.5, 1.3883e-5),
        (ElastoPlastic, 0.6, 0.5, 3.23e-7),
        (Dahl, 0.3, 0.3, 3.7583e-6),
        (Dahl, 0.5, 0.39, 9.0798e-6),
        (Dahl, 0.6, 0.5, 1.4963e-5),
    ] {
        let (got, _) = presliding(law, bias, swing);
        eprintln!("{law:?} {bias} {swing} {got:e} {drift:e} {}", got/drift-1.0);
    }
    for law in [ElastoPlastic, LuGre, Dahl] {
        eprintln!("{:?} {:?}", law, presliding(law, 0.3, 0.0));
    }
    eprintln!("{:?}", presliding(ElastoPlastic, 0.3, 0.3));
    eprintln!("{:?}", presliding(ElastoPlastic, 0.5, 0.39));
}

/// physics.md E.6: slip starts (s), largest force, evaluations per step.
fn stick_slip(law: FrictionLaw) -> (Vec<f64>, f64, f64) {
    let params = FrictionParams {
        normal_force_n: 1.0,
        mu_static: 0.5,
        mu_dynamic: 0.2,
        stribeck_m_s: 0.01,
        bristle_stiffness: 1e4,
        bristle_damping: 10.0,
        viscosity: if law == FrictionLaw::Dahl { 0.0 } else { 0.1 },
        breakaway_01: 0.7,
        ..Default::default()
    };
    let freq_hz = (200.0_f64 / 0.1).sqrt() / std::f64::consts::TAU;
    let mut rig = Rig::new(guided(0.02), modal(&[(freq_hz, 20.0, 0.1)]), Friction::new(law, params, None));
    let (mut slips, mut armed, mut most, mut evals) = (vec![], true, 0.0f64, 0u32);
    let steps = 3 * RATE_HZ as usize;
    for n in 0..steps {
        let found = rig.step(0.0);
        let v = found.stroke / DT;
        most = most.max(found.force);
        evals += found.iterations;
        if armed && v > 0.01 && n > 100 {
            slips.push(n as f64 * DT);
            armed = false;
        } else if v < 0.003 {
            armed = true;
        }
    }
    (slips, most, f64::from(evals) / steps as f64)
}

#[test]
fn stick_slip_has_the_period_of_the_reference() {
    for law in LAWS {
        let (slips, most, evals) = stick_slip(law);
        let period = if slips.len() > 1 { (slips[slips.len() - 1] - slips[0]) / (slips.len() - 1) as f64 } else { 0.0 };
        eprintln!("{law:?} {} period {period} fmax {most} evals {evals} {:?}", slips.len(), slips);
    }
}
