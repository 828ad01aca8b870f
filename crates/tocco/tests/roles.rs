// SPDX-License-Identifier: MIT OR Apache-2.0
//! Contact roles: laws that neither only push nor rub, written from outside with the public traits alone, live in a world
//! beside impact and friction, and energy minus work never rises. Glue holds and lets go; a magnet pulls across a gap.

mod common;
use common::tick;
use tocco::Engine;
use tocco::contact::world::World;
use tocco::contact::{Contact, Law, PressedBy, Site};
use tocco::interactor::friction::{FrictionLaw, FrictionParams};
use tocco::interactor::impact::{ImpactLaw, ImpactParams};
use tocco::interactor::{Force, GeneralLaw, Interactor, Solution, Stroke};
use tocco::param::{LawSpec, Params, Spec, Tunable, Word};
use tocco::resonator::Resonator;
use tocco::resonator::inertial::{Guided, Mass, MassParams};
use tocco::resonator::modal::{Modal, ModalParams};
use tocco::rng::Rng;

tocco::params! {
    /// A spring that pushes, and a bond that pulls until it tears.
    pub struct GlueParams {
        stiffness: "N/m", 1.0 => 1e12, default 1e5, Log, Sample, glide 0.02, "Stiffness while pressed.";
        bond: "N/m", 0.0 => 1e12, default 1e4, Linear, Sample, glide 0.02, "Stiffness while pulled.";
        length_m: "m", 0.0 => 1.0, default 1e-4, Linear, Sample, glide 0.02, "Gap at which the bond tears.";
    }
}

/// What has touched sticks: the force pulls, falls to nothing when the bond tears, and has two roots about there.
#[derive(Clone)]
struct Glue {
    params: GlueParams,
    bonded: bool,
    let_go: bool,
}

impl Glue {
    fn new(params: GlueParams) -> Self {
        Self { params, bonded: false, let_go: false }
    }

    fn slope(&self, x: f64, bonded: bool) -> f64 {
        if x > 0.0 {
            self.params.stiffness
        } else if bonded {
            self.params.bond
        } else {
            0.0
        }
    }

    fn stored(&self, x: f64, bonded: bool) -> f64 {
        0.5 * self.slope(x, bonded) * x * x
    }

    /// Mean force over a stroke: the change of stored energy per way.
    fn mean(&self, x: f64, s: f64, bonded: bool) -> Force {
        let (y, k) = (x + s, self.slope(x, bonded));
        if k == self.slope(y, bonded) {
            return Force { n: k * (x + 0.5 * s), per_m: 0.5 * k };
        }
        let n = (self.stored(y, bonded) - self.stored(x, bonded)) / s;
        Force { n, per_m: (self.slope(y, bonded) * y - n) / s }
    }

    /// The one root while the bond holds, or while there is none.
    fn root(&self, x: f64, s0: f64, compliance: f64, bonded: bool) -> Solution {
        let pull = s0 - compliance * self.mean(x, s0, bonded).n;
        let (mut low, mut high, mut s) = (s0.min(pull), s0.max(pull), s0);
        for iterations in 1..=100 {
            let f = self.mean(x, s, bonded);
            let miss = s - s0 + compliance * f.n;
            let step = -miss / (1.0 + compliance * f.per_m);
            if step.abs() <= 1e-15 * (s0.abs() + x.abs()) {
                return Solution { stroke: s + step, force: f.n + f.per_m * step, iterations, converged: true };
            }
            *(if miss > 0.0 { &mut high } else { &mut low }) = s;
            s = if s + step > low && s + step < high { s + step } else { 0.5 * (low + high) };
        }
        Solution { stroke: s, force: (s0 - s) / compliance, iterations: 100, converged: false }
    }
}

impl Tunable for Glue {
    fn specs(&self) -> &'static [Spec] {
        GlueParams::SPECS
    }
    fn get(&self, index: usize) -> f64 {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: f64) {
        self.params.put(index, value);
    }
}

impl Interactor for Glue {
    fn force(&self, Stroke { from, by, .. }: Stroke) -> Force {
        self.mean(from, by, self.bonded && !self.let_go && from + by >= -self.params.length_m)
    }

    fn resolve(&mut self, from: f64, s0: f64, compliance: f64, _dt: f64, _guess: f64) -> Solution {
        let held = self.root(from, s0, compliance, self.bonded && !self.let_go);
        if from + held.stroke >= -self.params.length_m { held } else { self.root(from, s0, compliance, false) }
    }

    fn commit(&mut self, Stroke { from, by, .. }: Stroke, _force_n: f64) {
        let end = from + by;
        self.bonded = end > 0.0 || (self.bonded && !self.let_go && end >= -self.params.length_m);
        self.let_go = false;
    }

    fn energy(&self, from: f64) -> f64 {
        self.stored(from, self.bonded)
    }

    fn reset(&mut self) {
        self.bonded = false;
    }
}

impl GeneralLaw for Glue {
    fn engages(&self, from: f64, s0: f64) -> bool {
        self.bonded || from > 0.0 || from + s0 > 0.0
    }

    fn reach_m(&self) -> f64 {
        if self.bonded { f64::INFINITY } else { 0.0 }
    }

    fn let_go(&mut self) {
        self.let_go = true;
    }
}

/// A pull that begins at a gap and grows to the touch, where a spring takes over: V = -c (x + r)^2/2 up to x = 0.
#[derive(Clone)]
struct Magnet {
    pull: f64,
    reach_m: f64,
    stiffness: f64,
    /// The pull is held at what it is for this step: it loses a little, and never falls.
    held: bool,
}

impl Magnet {
    fn stored(&self, x: f64) -> f64 {
        let near = (x.min(0.0) + self.reach_m).max(0.0);
        0.5 * (self.stiffness * x.max(0.0) * x.max(0.0) - self.pull * near * near)
            - self.pull * self.reach_m * x.max(0.0)
    }

    fn at(&self, x: f64) -> f64 {
        self.stiffness * x.max(0.0) - self.pull * (x.min(0.0) + self.reach_m).max(0.0)
    }
}

impl Tunable for Magnet {
    fn specs(&self) -> &'static [Spec] {
        &[]
    }
    fn get(&self, _index: usize) -> f64 {
        0.0
    }
    fn set(&mut self, _index: usize, _value: f64) {}
}

impl Interactor for Magnet {
    fn force(&self, Stroke { from, by, .. }: Stroke) -> Force {
        if self.held {
            let spring = Magnet { pull: 0.0, reach_m: 0.0, stiffness: self.stiffness, held: false };
            let Force { n, per_m } = spring.force(Stroke { from, by, dt: 0.0 });
            return Force { n: n + self.at(from) - spring.at(from), per_m };
        }
        let n = if by == 0.0 { self.at(from) } else { (self.stored(from + by) - self.stored(from)) / by };
        Force { n, per_m: if by == 0.0 { 0.0 } else { (self.at(from + by) - n) / by } }
    }

    fn resolve(&mut self, from: f64, s0: f64, compliance: f64, dt: f64, guess: f64) -> Solution {
        let mut s = guess;
        for iterations in 1..=50 {
            let f = self.force(Stroke { from, by: s, dt });
            let step = -(s - s0 + compliance * f.n) / (1.0 + compliance * f.per_m);
            s += step;
            if step.abs() <= 1e-14 * (s0.abs() + from.abs()) {
                return Solution { stroke: s, force: f.n + f.per_m * step, iterations, converged: true };
            }
        }
        Solution { stroke: s, force: (s0 - s) / compliance, iterations: 50, converged: false }
    }

    fn commit(&mut self, _stroke: Stroke, _force_n: f64) {
        self.held = false;
    }

    fn energy(&self, from: f64) -> f64 {
        self.stored(from)
    }
}

impl GeneralLaw for Magnet {
    fn engages(&self, from: f64, s0: f64) -> bool {
        from.max(from + s0) > -self.reach_m
    }
    fn reach_m(&self) -> f64 {
        self.reach_m
    }
    fn let_go(&mut self) {
        self.held = true;
    }
}

fn contact(a: (usize, usize), b: (usize, usize), law: Law) -> Contact {
    let site = |(body, port)| Site { body, port };
    Contact::new(site(a), site(b), law, None, false, Rng::new(1, "role"))
}

fn mass(mass_kg: f64, position_m: f64, velocity_m_s: f64, dt: f64) -> Box<dyn Resonator> {
    let params = MassParams { mass_kg, ..MassParams::default() };
    Box::new(Mass::new(params, position_m, velocity_m_s, dt))
}

#[test]
fn an_engine_may_be_shared_between_threads() {
    const fn shared<T: Send + Sync>() {}
    const { shared::<Engine>() };
}

#[test]
fn a_thrown_mass_pays_the_glue_or_stays_on_it() {
    // Tearing costs b d^2/2 = 5e-5 J.
    let dt = 1e-6;
    let glue = GlueParams { stiffness: 1e5, bond: 1e4, length_m: 1e-4 };
    for v in [0.02, 0.09, 0.11, 0.5] {
        let law = Law::General(Box::new(Glue::new(glue)));
        let bodies = vec![mass(0.01, -1e-5, v, dt), Box::new(Guided::wall(0.0, dt))];
        let mut world = World::new(bodies, vec![contact((0, 0), (1, 0), law)], dt);
        (0..20_000).for_each(|at| tick(&mut world, at));
        let left = v * v - glue.bond * glue.length_m * glue.length_m / 0.01;
        if left < 0.0 {
            let close = world.bodies[0].position(0) >= -glue.length_m;
            assert!(close && world.islands() == 1 && (world.energy() / (0.005 * v * v) - 1.0).abs() < 1e-9, "{v}");
        } else {
            let out = world.bodies[0].velocity(0);
            assert!((out + left.sqrt()).abs() < 2e-3 * v, "{v}: {out}, not {}", -left.sqrt());
            assert_eq!(world.islands(), 0, "what has come off sleeps");
        }
    }
}

#[test]
fn a_magnet_wakes_at_its_reach_and_keeps_the_energy() {
    let dt = 1.0 / 48_000.0;
    let magnet = || Magnet { pull: 1e3, reach_m: 2e-3, stiffness: 1e5, held: false };
    let bodies = vec![mass(0.01, -0.01, 0.5, dt), Box::new(Guided::wall(0.0, dt))];
    let mut world = World::new(bodies, vec![contact((0, 0), (1, 0), Law::General(Box::new(magnet())))], dt);
    world.control();
    assert_eq!(world.islands(), 0, "beyond its reach it sleeps");
    let (before, mut fastest, mut woken) = (world.energy(), 0.0f64, false);
    for at in 0..4096 {
        tick(&mut world, at);
        woken |= world.islands() > 0;
        let pulled = magnet().stored(world.bodies[0].position(0));
        let kinetic = 0.005 * world.bodies[0].velocity(0).powi(2);
        fastest = fastest.max(kinetic);
        assert!(((kinetic + pulled) / before - 1.0).abs() < 1e-10, "{at}: it must be awake wherever it pulls");
    }
    // All of c r^2/2 = 2 mJ at the touch.
    assert!(woken && (fastest / (before + 2e-3) - 1.0).abs() < 0.02 && world.islands() == 0);
}

#[test]
fn energy_minus_work_never_rises_with_glue_or_a_magnet_among_impact_and_friction() {
    let dt = 1.0 / 44_100.0;
    let mut rng = Rng::new(3, "roles");
    let (mut torn, mut held, mut lost, mut solves) = (0, 0, 0, 0);
    for trial in 0..300 {
        let modes: Vec<_> = (0..5)
            .map(|_| (rng.between_log(30.0, 8e3), rng.between_log(1e-3, 1.0), rng.between_log(1e-2, 1.0)))
            .collect();
        let shapes: Vec<Vec<f64>> = (0..3).map(|_| (0..5).map(|_| rng.between(-1.0, 1.0)).collect()).collect();
        let mut thrown = || mass(rng.between_log(1e-3, 0.3), -1e-5, rng.between_log(1e-2, 5.0), dt);
        let bodies = vec![
            Box::new(Modal::new(ModalParams::default(), &modes, &shapes, dt, true)) as Box<dyn Resonator>,
            thrown(),
            thrown(),
            thrown(),
        ];
        let stiffness = rng.between_log(1e3, 1e8);
        let (bond, length_m) = (stiffness * rng.between_log(1e-3, 10.0), rng.between_log(1e-6, 1e-3));
        let sticky = Law::General(if trial % 4 == 3 {
            Box::new(Magnet { pull: bond.min(1e4), reach_m: length_m, stiffness: stiffness.min(1e6), held: false })
        } else {
            Box::new(Glue::new(GlueParams { stiffness, bond, length_m }))
        });
        let params = ImpactParams { stiffness: rng.between_log(1e4, 1e10), ..ImpactParams::default() };
        let impact = Law::Normal(ImpactLaw::ALL[trial % 4].build(params, None));
        let mut contacts = vec![contact((1, 0), (0, 0), sticky), contact((2, 0), (0, 1), impact)];
        // What sticks rubs as well, twice, pressed by what it sticks to: some of these find no forces, and all are held.
        let rubbing = if trial % 7 < 3 { 1 } else { 3 };
        for port in 0..trial % 3 {
            let (mu_dynamic, stribeck_m_s) = (rng.between(0.2, 2.0), rng.between_log(1e-3, 0.1));
            let params = FrictionParams { mu_static: 2.0, mu_dynamic, stribeck_m_s, ..FrictionParams::default() };
            let law = FrictionLaw::ALL[(trial + port) % 5].build(params, None);
            let pressed_by = if trial % 2 == 0 { PressedBy::Contact(0) } else { PressedBy::Parameter };
            contacts.push(contact((rubbing, 0), (0, port + 1), Law::Tangential { law, pressed_by }));
        }
        let mut world = World::new(bodies, contacts, dt);
        let (mut ledger, mut scale, mut was) = (world.energy() - world.work(), world.energy(), false);
        for at in 0..2000 {
            tick(&mut world, at);
            scale = scale.max(world.energy() + world.work().abs());
            let now = world.energy() - world.work();
            assert!(now - ledger <= 1e-12 * scale, "{trial} at {at}: {:e}", (now - ledger) / scale);
            ledger = now;
            let pulls = world.contacts[0].force < 0.0;
            held += usize::from(pulls && !was);
            torn += usize::from(was && world.contacts[0].force == 0.0);
            was = pulls;
        }
        assert_eq!(world.health.unconverged, 0);
        lost += world.health.fallbacks;
        solves += world.health.solves;
    }
    assert!(held > 500 && torn > 50, "{held} {torn}");
    assert!(lost > 0 && lost * 100 < solves, "{lost} of {solves}");
}

#[test]
fn every_law_is_found_by_its_word_and_limits_only_what_its_kind_declares() {
    let check = |law: &LawSpec, known: &[&str]| {
        assert!(!law.word.is_empty() && !law.title.is_empty());
        let fixed = law.fixes.iter().map(|(id, _)| id);
        for id in law.own.iter().chain(law.lacks).chain(fixed) {
            assert!(known.contains(id), "{}: {id}", law.word);
        }
    };
    let ids = |kind: &tocco::param::Kind| -> Vec<&str> {
        kind.params.iter().map(|spec| spec.id).chain(kind.keys.iter().map(|key| key.id)).collect()
    };
    for &law in ImpactLaw::ALL {
        assert_eq!(ImpactLaw::from_word(law.word()), Some(law));
        check(law.law(), &ids(&tocco::scene::kinds::impact::IMPACT));
    }
    for &law in FrictionLaw::ALL {
        assert_eq!(FrictionLaw::from_word(law.word()), Some(law));
        check(law.law(), &ids(&tocco::scene::kinds::friction::FRICTION));
    }
    assert_eq!((ImpactLaw::from_word("glue"), FrictionLaw::from_word("")), (None, None));
    assert_eq!((ImpactLaw::default(), FrictionLaw::default()), (ImpactLaw::HuntCrossley, FrictionLaw::ElastoPlastic));
}
