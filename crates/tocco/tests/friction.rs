// SPDX-License-Identifier: MIT OR Apache-2.0
//! Friction against what it must do: presliding, stick-slip, mirror, passivity, and a solver that never fails. The laws
//! are driven directly, between two bodies, without the world around them.

use tocco::interactor::friction::{Friction, FrictionLaw, FrictionParams, check};
use tocco::interactor::{Interactor, Solution, Stroke, TangentialLaw};
use tocco::param::Tunable;
use tocco::resonator::Resonator;
use tocco::resonator::inertial::{Guided, GuidedParams, Mass, MassParams};
use tocco::resonator::modal::{Modal, ModalParams};
use tocco::rng::Rng;

const RATE_HZ: f64 = 44_100.0;
const DT: f64 = 1.0 / RATE_HZ;
/// Index of `roughness` in the table.
const ROUGHNESS: usize = 7;
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
    /// The largest in one step, J: what rounding is measured against.
    stir: f64,
    last: Solution,
}

impl Rig {
    fn new(mut a: Box<dyn Resonator>, mut b: Box<dyn Resonator>, law: Friction) -> Self {
        a.attend();
        b.attend();
        let last = Solution { stroke: 0.0, force: 0.0, iterations: 0, converged: true };
        Self { a, b, law, stroke: 0.0, work: 0.0, stir: 0.0, last }
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
        self.stir = self.stir.max((push_n * pushed).abs() + (noise * found.stroke).abs());
        self.last = found;
        found
    }

    fn ledger(&self) -> f64 {
        let energy = self.a.energy() + self.b.energy() + self.law.energy(0.0);
        energy - self.work - self.a.work() - self.b.work()
    }
}

fn mass(mass_kg: f64, velocity_m_s: f64) -> Box<dyn Resonator> {
    Box::new(Mass::new(MassParams { mass_kg, ..MassParams::default() }, 0.0, velocity_m_s, DT))
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
        viscosity: 0.4,
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
        // Asked: 1 %. Reached: 3e-5, the digits of the reference.
        assert!((got / drift - 1.0).abs() < 1e-4, "{law:?} {bias} {swing}: {got:e} {drift:e}");
    }
}

#[test]
fn below_breakaway_elasto_plastic_bristles_do_not_drift_and_rest_where_the_spring_does() {
    for (bias, swing) in [(0.3, 0.3), (0.5, 0.39)] {
        let (drift, _) = presliding(FrictionLaw::ElastoPlastic, bias, swing);
        assert!(drift.abs() < 1e-19, "{drift:e}");
    }
    let (drift, rest) = presliding(FrictionLaw::ElastoPlastic, 0.3, 0.0);
    assert!(drift == 0.0 && (rest / 3e-6 - 1.0).abs() < 1e-12, "{drift:e} {rest:e}");
}

#[test]
fn under_a_constant_force_lugre_settles_too() {
    let (drift, rest) = presliding(FrictionLaw::LuGre, 0.3, 0.0);
    assert!(drift.abs() < 1e-20 && (rest / 3.38428e-6 - 1.0).abs() < 1e-4, "{drift:e} {rest:e}");
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
        viscosity: 0.1,
        breakaway_01: 0.7,
        ..Default::default()
    };
    let freq_hz = (200.0_f64 / 0.1).sqrt() / std::f64::consts::TAU;
    let mut rig = Rig::new(guided(0.02), modal(&[(freq_hz, 20.0, 0.1)]), Friction::new(law, params, None));
    let (mut slips, mut armed, mut most, mut evals) = (vec![], false, 0.0f64, 0u32);
    let steps = 3 * RATE_HZ as usize;
    for n in 0..steps {
        let found = rig.step(0.0);
        let v = found.stroke / DT;
        most = most.max(found.force);
        evals += found.iterations;
        if armed && v > 0.01 {
            slips.push(n as f64 * DT);
            armed = false;
        } else if v < 0.003 {
            armed = true;
        }
    }
    (slips, most, f64::from(evals) / steps as f64)
}

#[test]
fn stick_slip_has_the_period_of_the_reference_and_dahl_has_none() {
    for (law, period, force) in [(FrictionLaw::ElastoPlastic, 0.23788, 0.4588), (FrictionLaw::LuGre, 0.23414, 0.4489)] {
        let (slips, most, evaluations) = stick_slip(law);
        assert_eq!(slips.len(), 13, "{law:?}");
        let got = (slips[12] - slips[0]) / 12.0;
        // Asked: 1 %. The reference limits the damping always, we only where it would give energy.
        assert!((got / period - 1.0).abs() < 1e-3, "{law:?} {got}");
        assert!((most / force - 1.0).abs() < 5e-3, "{law:?} {most}");
        assert!(evaluations < 2.1, "{evaluations}");
    }
    let (slips, most, _) = stick_slip(FrictionLaw::Dahl);
    assert_eq!(slips.len(), 1);
    assert!((most / 0.2035 - 1.0).abs() < 1e-3, "{most}");
}

fn pick<T: Copy>(rng: &mut Rng, all: &[T]) -> T {
    all[(rng.unit() * all.len() as f64) as usize]
}

fn random_params(rng: &mut Rng) -> FrictionParams {
    let mu_dynamic = rng.between_log(0.05, 1.0);
    FrictionParams {
        normal_force_n: rng.between_log(1e-2, 1e2),
        mu_static: mu_dynamic * rng.between(1.0, 4.0),
        mu_dynamic,
        stribeck_m_s: rng.between_log(1e-3, 1.0),
        bristle_stiffness: rng.between_log(1e2, 1e7),
        bristle_damping: if rng.unit() < 0.2 { 0.0 } else { rng.between_log(1e-3, 1e3) },
        viscosity: if rng.unit() < 0.5 { 0.0 } else { rng.between_log(1e-3, 1.0) },
        breakaway_01: rng.between(0.0, 0.999),
        ..Default::default()
    }
}

fn random_modal(rng: &mut Rng) -> Box<dyn Resonator> {
    let modes: Vec<_> = (0..1 + (rng.unit() * 6.0) as usize)
        .map(|_| (rng.between_log(20.0, 15_000.0), rng.between_log(1e-3, 2.0), rng.between_log(1e-3, 1.0)))
        .collect();
    modal(&modes)
}

/// A driven system (a guided body rubs) or an unforced one (a body that moves at first).
fn random_rig(laws: &[FrictionLaw], driven: bool, rng: &mut Rng) -> Rig {
    let exponent = pick(rng, &[None, None, Some(2.0), Some(1.4)]);
    let law = Friction::new(pick(rng, laws), random_params(rng), exponent);
    let speed = rng.between_log(1e-3, 5.0) * pick(rng, &[-1.0, 1.0]);
    let a = if driven { guided(speed) } else { mass(rng.between_log(1e-3, 1.0), speed) };
    let b = if rng.unit() < 0.2 { mass(rng.between_log(1e-3, 1.0), 0.0) } else { random_modal(rng) };
    let mut rig = Rig::new(a, b, law);
    rig.b.hit(0, rng.between_log(1e-4, 1e-2));
    rig
}

#[derive(Default, Debug)]
struct Tally {
    steps: u64,
    evaluations: u64,
    most: u32,
    failed: u64,
    /// Largest rise of energy minus work in a step, relative to the energy about.
    growth: f64,
}

impl Tally {
    fn mean(&self) -> f64 {
        self.evaluations as f64 / self.steps as f64
    }
}

fn run(rig: &mut Rig, steps: usize, tally: &mut Tally, mut disturb: impl FnMut(&mut Rig, usize) -> f64) {
    let mut before = rig.ledger();
    let mut scale = before.abs();
    for n in 0..steps {
        let push = disturb(rig, n);
        let found = rig.step(push);
        assert!(found.force.is_finite() && found.stroke.is_finite());
        tally.steps += 1;
        tally.evaluations += u64::from(found.iterations);
        tally.most = tally.most.max(found.iterations);
        tally.failed += u64::from(!found.converged);
        let ledger = rig.ledger();
        scale = scale.max(rig.b.energy() + rig.a.energy() + rig.work.abs() + rig.a.work().abs() + rig.stir);
        tally.growth = tally.growth.max((ledger - before) / scale);
        before = ledger;
    }
}

#[test]
fn three_million_random_steps_of_bristles_never_fail_and_never_gain_energy() {
    let mut rng = Rng::new(3, "bristles");
    let mut tally = Tally::default();
    for system in 0..3000 {
        let mut rig = random_rig(&LAWS[..3], system % 2 == 0, &mut rng);
        run(&mut rig, 1000, &mut tally, |_, _| 0.0);
    }
    assert_eq!((tally.steps, tally.failed), (3_000_000, 0));
    // physics.md E.3: mean 2.42, most 47. Here 2.15 and 26.
    assert!(tally.mean() < 2.4 && tally.most <= 50, "{tally:?}");
    assert!(tally.growth < 4e-15, "{tally:?}");
}

#[test]
fn energy_minus_work_never_rises_while_normal_force_texture_and_pushes_change() {
    let mut rng = Rng::new(4, "live");
    for law in LAWS {
        let mut tally = Tally::default();
        for system in 0..300 {
            let mut rig = random_rig(&[law], system % 2 == 0, &mut rng);
            rig.law.set(ROUGHNESS, pick(&mut rng, &[0.0, 0.1]));
            let normal = rig.law.normal_n();
            run(&mut rig, 1000, &mut tally, |rig, n| {
                rig.law.set_roughness(rng.normal());
                if n % 50 == 0 {
                    rig.law.set_normal(if rng.unit() < 0.2 { 0.0 } else { normal * rng.between_log(1e-3, 10.0) });
                }
                rng.normal()
            });
        }
        assert!(tally.failed == 0 && tally.growth < 4e-15, "{law:?} {tally:?}");
    }
}

#[test]
fn every_declared_value_is_solved_within_the_bound_and_gains_nothing() {
    let mut rng = Rng::new(5, "ranges");
    for law in LAWS {
        let mut tally = Tally::default();
        for system in 0..2000 {
            let mut rig = random_rig(&[law], system % 2 == 0, &mut rng);
            for (index, spec) in FrictionParams::SPECS.iter().enumerate() {
                // Ends, the middle of the knob, and small values of linear knobs alike.
                let middle = spec.from_01(rng.unit());
                let small = spec.max * rng.between_log(1e-9, 1.0);
                let value = pick(&mut rng, &[spec.min, spec.max, middle, small, small]);
                rig.law.set(index, value.max(spec.min));
            }
            run(&mut rig, 200, &mut tally, |rig, _| {
                rig.law.set_roughness(rng.normal());
                0.0
            });
        }
        assert!(tally.failed == 0 && tally.most <= 50, "{law:?} {tally:?}");
        assert!(tally.growth < 4e-15, "{law:?} {tally:?}");
    }
}

#[test]
fn the_force_of_a_solve_is_the_law_at_its_stroke() {
    let mut rng = Rng::new(6, "law");
    for system in 0..600 {
        let mut rig = random_rig(&LAWS[..3], system % 2 == 0, &mut rng);
        for _ in 0..300 {
            rig.law.prepare(0.0, DT);
            let s0 = rig.a.free_stroke(0) - rig.b.free_stroke(0);
            let compliance = rig.a.compliance(0, 0) + rig.b.compliance(0, 0);
            let found = rig.law.resolve(0.0, s0, compliance, DT, rig.stroke);
            let law = rig.law.force(Stroke { from: 0.0, by: found.stroke, dt: DT });
            let size = s0.abs() + compliance * found.force.abs();
            // The stroke's own rounding moves the force by its slope.
            let rounding = 1e-10 * law.n.abs() + 1e-15 * (size / compliance + law.per_m.abs() * size);
            assert!((law.n - found.force).abs() <= rounding, "{law:?} {found:?}");
            assert!((found.stroke - s0 + compliance * found.force).abs() <= 1e-13 * size);
            rig.step(0.0);
        }
    }
}

#[test]
fn the_mirror_image_moves_as_the_mirror_image_bit_for_bit() {
    let mut rng = Rng::new(7, "mirror");
    for system in 0..500 {
        let law = LAWS[system % 5];
        let params = random_params(&mut rng);
        let speed = rng.between_log(1e-3, 1.0);
        let modes: Vec<_> = (0..3)
            .map(|_| (rng.between_log(20.0, 9e3), rng.between_log(1e-2, 2.0), rng.between_log(1e-3, 1.0)))
            .collect();
        let build = |way: f64| {
            let mut rig = Rig::new(guided(way * speed), modal(&modes), Friction::new(law, params, None));
            rig.law.set(ROUGHNESS, 0.01);
            rig
        };
        let (mut one, mut other) = (build(1.0), build(-1.0));
        for _ in 0..500 {
            let w = rng.normal();
            one.law.set_roughness(w);
            other.law.set_roughness(-w);
            let (f, g) = (one.step(0.0), other.step(0.0));
            assert!(
                f.force == -g.force && f.stroke == -g.stroke && f.iterations == g.iterations,
                "{law:?} {f:?} {g:?}"
            );
        }
    }
}

#[test]
fn a_stuck_bow_does_not_creep() {
    // A mass on a spring, pulled by the bow to half its breakaway, for ten seconds.
    let params = FrictionParams { normal_force_n: 1.0, bristle_damping: 10.0, ..Default::default() };
    for law in [FrictionLaw::ElastoPlastic, FrictionLaw::Static] {
        let mut rig = Rig::new(mass(0.01, 0.0), wall(), Friction::new(law, params, None));
        let hold = 0.1;
        for n in 0..RATE_HZ as usize {
            rig.step(hold * (n as f64 * DT / 0.1).min(1.0));
        }
        let place = rig.a.position(0);
        for _ in 0..10 * RATE_HZ as usize {
            rig.step(hold);
        }
        assert!((rig.a.position(0) - place).abs() < 1e-18, "{law:?} {:e}", rig.a.position(0) - place);
    }
}

#[test]
fn without_normal_force_there_is_silence() {
    for law in LAWS {
        let params = FrictionParams { normal_force_n: 0.0, viscosity: 1.0, roughness: 1.0, ..Default::default() };
        let mut rig = Rig::new(guided(0.3), modal(&[(200.0, 0.5, 0.01)]), Friction::new(law, params, None));
        assert_eq!(rig.law.normal_n(), 0.0);
        for _ in 0..100 {
            rig.law.set_roughness(1.0);
            assert_eq!(rig.step(0.0).force, 0.0);
        }
        rig.law.set_normal(1.0);
        for _ in 0..100 {
            rig.step(0.0);
        }
        assert!(rig.law.normal_n() > 0.0 && rig.b.energy() > 0.0);
        rig.law.set_normal(0.0);
        assert_eq!(rig.step(0.0).force, 0.0);
        assert_eq!((rig.law.energy(0.0), rig.law.deflection_m()), (0.0, 0.0));
    }
}

#[test]
fn a_guided_body_on_a_wall_feels_the_steady_curve() {
    for law in LAWS {
        for v in [-0.4, -0.02, 0.003, 0.05, 1.0] {
            let params = FrictionParams {
                normal_force_n: 2.0,
                mu_static: 1.2,
                mu_dynamic: 0.35,
                viscosity: 0.1,
                advection_w_s_m_k: 0.03,
                ..Default::default()
            };
            let mut rig = Rig::new(guided(v), wall(), Friction::new(law, params, None));
            for _ in 0..200_000 {
                rig.step(0.0);
            }
            let x = v.abs() / 0.1;
            let mu = match law {
                FrictionLaw::Dahl => 0.35,
                FrictionLaw::Thermal => 0.4 * (-10.0 * x).exp() + 0.45 * (-x).exp() + 0.35,
                _ => 0.35 + 0.85 * (-x * x).exp(),
            };
            let force = v.signum() * (2.0 * mu + 0.1 * v.abs());
            // Rosin: linear interpolation in its table.
            let tolerance = if law == FrictionLaw::Thermal { 2e-3 } else { 1e-9 };
            assert!((rig.last.force / force - 1.0).abs() < tolerance, "{law:?} {v}: {} {force}", rig.last.force);
            assert_eq!(rig.last.stroke, v * DT);
        }
    }
}

#[test]
fn a_rough_surface_adds_its_height_times_the_roughness_and_the_normal_force() {
    for law in LAWS {
        let params = FrictionParams { normal_force_n: 2.0, roughness: 0.2, ..Default::default() };
        let slide = |height: f64| {
            let mut rig = Rig::new(guided(3.0), wall(), Friction::new(law, params, None));
            rig.law.set_roughness(height);
            for _ in 0..2000 {
                rig.step(0.0);
            }
            (rig.last.force, rig.law.outside_force())
        };
        for height in [-1.4, 0.3, 2.0] {
            let (force, outside) = slide(height);
            let wanted = 0.2 * 2.0 * height;
            assert!((outside - wanted).abs() < 1e-15, "{law:?} {height}: {outside}");
            assert!((force - slide(0.0).0 - wanted).abs() < 1e-9, "{law:?} {height}: {force}");
        }
    }
}

#[test]
fn rosin_warms_as_its_heat_balance_says() {
    let params = FrictionParams {
        mu_static: 1.2,
        mu_dynamic: 0.35,
        heat_capacity_j_k: 3e-5,
        conduction_w_k: 3e-3,
        advection_w_s_m_k: 0.02,
        ..Default::default()
    };
    let mu_steady = |v: f64| 0.35 + 0.4 * (-v / 0.01).exp() + 0.45 * (-v / 0.1).exp();
    let loss = |v: f64| 3e-3 + 0.02 * v;
    // The friction at a temperature: that of the speed whose steady sliding is as warm.
    let mu_at = |warm: f64| {
        let (mut slow, mut fast) = (0.0, 1e3);
        for _ in 0..80 {
            let v = 0.5 * (slow + fast);
            if mu_steady(v) * v / loss(v) < warm { slow = v } else { fast = v }
        }
        mu_steady(slow)
    };
    for v in [0.02, 0.3] {
        let mut rig = Rig::new(guided(v), wall(), Friction::new(FrictionLaw::Thermal, params, None));
        let (mut warm, parts) = (0.0, 8);
        for n in 0..2000 {
            let force = rig.step(0.0).force;
            // What holds during the sample is the friction of its start, to a two-thousandth of the time that heating takes.
            if n % 50 == 0 {
                assert!((force / mu_at(warm) - 1.0).abs() < 0.01, "{v} m/s, sample {n}: {force} {}", mu_at(warm));
            }
            let h = DT / f64::from(parts);
            for _ in 0..parts {
                let rate = |warm: f64| (mu_at(warm) * v - loss(v) * warm) / 3e-5;
                let middle = warm + 0.5 * h * rate(warm);
                warm += h * rate(middle);
            }
        }
        assert!(mu_at(warm) < 1.0, "it never became warm: {}", mu_at(warm));
    }
}

#[test]
fn a_falling_normal_force_takes_the_bristles_with_it() {
    let params = FrictionParams { normal_force_n: 10.0, bristle_damping: 10.0, ..Default::default() };
    let mut rig = Rig::new(mass(0.01, 0.0), wall(), Friction::new(FrictionLaw::ElastoPlastic, params, None));
    for n in 0..4410 {
        rig.step(2.0 * (f64::from(n) / 2000.0).min(1.0));
    }
    assert!((rig.last.force - 2.0).abs() < 0.01, "{}", rig.last.force);
    rig.law.set_normal(0.1);
    // Never more than stiction and what the bristles damp.
    for _ in 0..100 {
        let found = rig.step(0.0);
        assert!(found.force.abs() <= 0.08 + 10.0 * (found.stroke / DT).abs() + 1e-12, "{found:?}");
    }
}

#[test]
fn a_law_that_is_held_never_falls_with_the_stroke_and_gains_nothing() {
    let mut rng = Rng::new(5, "held");
    for trial in 0..2_000 {
        let mut rig = random_rig(&LAWS[trial % 5..][..1], true, &mut rng);
        for _ in 0..rng.between(1.0, 60.0) as usize {
            rig.step(0.0);
        }
        let fastest = 3.0 * rig.stroke.abs() + 1e-6;
        rig.law.prepare(0.0, DT);
        let stored = rig.law.energy(0.0);
        rig.law.hold();
        let (mut last, mut size) = (f64::NEG_INFINITY, 0.0f64);
        for i in -40..=40 {
            let by = fastest * f64::from(i) / 40.0;
            let force = rig.law.force(Stroke { from: 0.0, by, dt: DT });
            size = size.max(force.n.abs());
            assert!(
                force.n >= last - 1e-12 * size && force.per_m >= -1e-9 * size / fastest,
                "{trial}: {force:?} {last}"
            );
            last = force.n;
        }
        let by = fastest * rng.between(-1.0, 1.0);
        let force = rig.law.force(Stroke { from: 0.0, by, dt: DT }).n - rig.law.outside_force();
        rig.law.commit(Stroke { from: 0.0, by, dt: DT }, force);
        assert!(rig.law.energy(0.0) - stored <= force * by + 1e-13 * (stored + (force * by).abs()), "{trial}");
    }
}

#[test]
fn bad_parameters_are_named() {
    let good = FrictionParams::default();
    assert_eq!(check(FrictionLaw::ElastoPlastic, &good), None);
    let names = |p: FrictionParams| check(FrictionLaw::ElastoPlastic, &p).map(|(id, _)| id);
    assert_eq!(names(FrictionParams { mu_static: 0.2, ..good }), Some("mu_static"));
    assert_eq!(names(FrictionParams { stribeck_m_s: 0.0, ..good }), Some("stribeck_m_s"));
    assert_eq!(names(FrictionParams { normal_force_n: -1.0, ..good }), Some("normal_force_n"));
    assert_eq!(names(FrictionParams { breakaway_01: 1.0, ..good }), Some("breakaway_01"));
}

/// The cello D string of physics.md F, seen from the bow: two delay lines, reflection -1 at both ends, losses and
/// dispersion at the nut.
struct Cello {
    bridge: Vec<f64>,
    nut: Vec<f64>,
    at: usize,
    lagrange: [f64; 4],
    recent: [f64; 4],
    allpass: [(f64, f64); 8],
    loss: f64,
}

impl Cello {
    const A: f64 = -0.590_786_693_352_124_4;
    const GAIN: f64 = 0.994_340_228_234_233_8;
    const POLE: f64 = 0.553_187_490_296_115_7;

    fn new(bridge: usize) -> Self {
        let w = std::f64::consts::TAU / 300.0;
        // Phase of c + e^(-iw) over 1 + c e^(-iw), and of 1/(1 - p e^(-iw)), as delays.
        let phase = |re: f64, im: f64| im.atan2(re);
        let allpass = -(phase(Self::A + w.cos(), -w.sin()) - phase(1.0 + Self::A * w.cos(), -Self::A * w.sin())) / w;
        let loss = phase(1.0 - Self::POLE * w.cos(), Self::POLE * w.sin()) / w;
        let left = 300.0 - bridge as f64 - 8.0 * allpass - loss;
        let whole = left.floor() as usize - 1;
        let d = left - whole as f64;
        let lagrange = core::array::from_fn(|k| {
            (0..4).filter(|j| *j != k).map(|j| (d - j as f64) / (k as f64 - j as f64)).product()
        });
        Self {
            bridge: vec![0.0; bridge],
            nut: vec![0.0; whole],
            at: 0,
            lagrange,
            recent: [0.0; 4],
            allpass: [(0.0, 0.0); 8],
            loss: 0.0,
        }
    }

    /// Waves that arrive at the bow.
    fn incoming(&mut self) -> (f64, f64) {
        let b = self.bridge[self.at % self.bridge.len()];
        let n = self.nut[self.at % self.nut.len()];
        self.recent.rotate_right(1);
        self.recent[0] = n;
        let mut x: f64 = self.recent.iter().zip(self.lagrange).map(|(x, c)| x * c).sum();
        for (before, after) in &mut self.allpass {
            let y = Self::A * (x - *after) + *before;
            (*before, *after) = (x, y);
            x = y;
        }
        self.loss = Self::GAIN * (1.0 - Self::POLE) * x + Self::POLE * self.loss;
        (-b, -self.loss)
    }

    fn outgoing(&mut self, to_bridge: f64, to_nut: f64) {
        let (b, n) = (self.bridge.len(), self.nut.len());
        self.bridge[self.at % b] = to_bridge;
        self.nut[self.at % n] = to_nut;
        self.at += 1;
    }
}

/// Slips per period, slip fraction, evaluations per step over the last 0.3 s of three seconds.
fn bow(law: FrictionLaw, params: FrictionParams, bridge: usize, ramp_s: f64) -> (f64, f64, f64) {
    let mut string = Cello::new(bridge);
    let mut law = Friction::new(law, params, None);
    let (speed, z) = (0.1, 0.55);
    let (mut stroke, mut armed) = (0.0, true);
    let (mut slips, mut slipping, mut counted, mut evaluations) = (0.0, 0.0, 0.0, 0.0);
    for n in 0..3 * RATE_HZ as usize {
        let t = n as f64 * DT;
        let (u1, u2) = string.incoming();
        law.prepare(0.0, DT);
        let v0 = speed * (t / ramp_s).min(1.0) - (u1 + u2);
        let found = law.resolve(0.0, v0 * DT, DT / (2.0 * z), DT, stroke);
        law.commit(Stroke { from: 0.0, by: found.stroke, dt: DT }, found.force);
        stroke = found.stroke;
        let kick = found.force / (2.0 * z);
        string.outgoing(u2 + kick, u1 + kick);
        if t >= 2.7 {
            let v = stroke / DT;
            counted += 1.0;
            evaluations += f64::from(found.iterations);
            slipping += if v > 0.5 * speed { 1.0 } else { 0.0 };
            if armed && v > 0.5 * speed {
                slips += 1.0;
                armed = false;
            } else if v < 0.15 * speed {
                armed = true;
            }
        }
    }
    (slips / (counted / 300.0), slipping / counted / (bridge as f64 / 300.0), evaluations / counted)
}

#[test]
fn a_bowed_cello_string_slips_once_per_period() {
    // Set C of physics.md F; slips counted over 44 periods, so by 0.023. The reference: fraction 1.31, mean 3.8.
    let set_c = FrictionParams { normal_force_n: 1.1, ..Default::default() };
    for ramp_s in [0.001, 0.01, 0.03, 0.1] {
        let (slips, fraction, evaluations) = bow(FrictionLaw::ElastoPlastic, set_c, 38, ramp_s);
        assert!((slips - 1.0).abs() < 0.05, "{ramp_s} {slips}");
        assert!((fraction - 1.31).abs() < 0.03, "{ramp_s} {fraction}");
        assert!(evaluations < 2.0, "{evaluations}");
    }
    let stiffer = FrictionParams { bristle_stiffness: 3e4, ..set_c };
    let rosin = FrictionParams { mu_static: 1.2, mu_dynamic: 0.35, ..set_c };
    for (law, params, bridge, ramp_s) in [
        (FrictionLaw::LuGre, stiffer, 38, 0.03),
        (FrictionLaw::Static, set_c, 38, 0.03),
        (FrictionLaw::Thermal, rosin, 24, 0.1),
    ] {
        let (slips, fraction, _) = bow(law, params, bridge, ramp_s);
        assert!((slips - 1.0).abs() < 0.05 && fraction > 0.5 && fraction < 1.5, "{law:?} {slips} {fraction}");
    }
}

#[test]
fn a_body_gone_astray_is_reported_and_leaves_the_law_sound() {
    for law in LAWS {
        let mut law = Friction::new(law, FrictionParams::default(), None);
        law.set_normal(f64::NAN);
        law.set_normal(f64::INFINITY);
        for s0 in [f64::NAN, f64::INFINITY, 1e-6] {
            law.prepare(0.0, DT);
            let found = law.resolve(0.0, s0, 1e-9, DT, f64::NAN);
            law.commit(Stroke { from: 0.0, by: found.stroke, dt: DT }, found.force);
            assert_eq!(found.converged, s0.is_finite());
            assert!(found.force.is_finite() && law.energy(0.0).is_finite());
        }
    }
}
