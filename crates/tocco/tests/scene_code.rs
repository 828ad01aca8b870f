// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scene made in code is a scene from text: the same definition, the same sound, the same refusals.
#![allow(clippy::unwrap_used, clippy::expect_used)] // the helpers of these tests, too

use tocco::contact::{Law, PressedBy};
use tocco::interactor::friction::{Friction, FrictionParams};
use tocco::math::Real;
use tocco::param::{Spec, Tunable};
use tocco::resonator::shape::ShapeDef;
use tocco::resonator::{Reading, Resonator};
use tocco::scene::def::*;
use tocco::{Engine, Scene};

fn bar() -> ShapedDef {
    ShapedDef::bar("steel", 0.3, 0.03, 0.005).port("tip", &[0.98])
}

fn struck_bar() -> SceneDef {
    SceneDef::new()
        .body("hammer", MassDef::new(0.01))
        .body("bar", bar())
        .contact("hit", ["hammer", "bar.tip"], ImpactDef::hardness(0.5))
        .strike(0.0, "hammer", 1.0)
        .tap("bar.tip", 0.5)
}

fn sound(def: &SceneDef) -> Vec<f32> {
    let mut engine = Engine::new(Scene::build(def, 48_000.0).unwrap());
    let mut out = vec![0.0; 24_000];
    let health = engine.render(&[], &mut tocco::Queue::new(), &mut out);
    assert_eq!((health.unconverged, health.reset, health.refused), (0, 0, 0));
    out
}

#[cfg(feature = "text")]
#[test]
fn a_scene_made_in_code_is_the_scene_from_text_to_the_last_bit() {
    let text = r#"
        body.hammer = { type = "mass", mass_kg = 0.01 }
        body.bar = { type = "shape", shape = "bar", material = "steel", length_m = 0.3, width_m = 0.03, thickness_m = 0.005, port = { tip = 0.98 } }
        contact.hit = { type = "impact", between = ["hammer", "bar.tip"], hardness_01 = 0.5 }
        event = [{ at_s = 0.0, strike = "hammer", velocity_m_s = 1.0 }]
        tap = [{ of = "bar.tip", gain = 0.5 }]
    "#;
    let mut read = SceneDef::from_text(text).unwrap();
    read.lines.clear();
    assert_eq!(read, struck_bar());
    let heard = sound(&read);
    assert_eq!(heard, sound(&struck_bar()));
    assert!(heard.iter().any(|x| x.abs() > 0.01));
}

/// A scene with one thing wrong in it.
fn spoilt(spoil: impl FnOnce(&mut MassDef, &mut ShapedDef, &mut ImpactDef)) -> SceneDef {
    let mut def = struck_bar();
    let [hammer, bar] = &mut def.bodies[..] else { panic!("two bodies") };
    match (&mut hammer.form, &mut bar.form, &mut def.contacts[0].form) {
        (BodyForm::Mass(mass), BodyForm::Shape(shape), ContactForm::Impact(hit)) => spoil(mass, shape, hit),
        _ => panic!("a mass, a shape and an impact"),
    }
    def
}

#[test]
fn what_a_text_could_not_say_is_refused_from_code_with_the_place_and_the_reason() {
    let modal = |shape: &[Real]| SceneDef::new().body("bar", ModalDef::new().mode(220.0, 0.5, 0.05).port("tip", shape));
    let cases: Vec<(SceneDef, &str)> = vec![
        (
            spoilt(|_, _, hit| (hit.hammer, hit.params.stiffness) = (None, Real::NAN)),
            "contact.hit.stiffness: NaN is not a finite number; wants a number from 1 N/m^exponent to 1e25 N/m^exponent",
        ),
        (
            spoilt(|mass, _, _| mass.params.mass_kg = -1.0),
            "body.hammer.mass_kg: -1 kg is out of range; wants a number from 1e-9 kg to 1e9 kg",
        ),
        (
            spoilt(|_, _, hit| hit.params.exponent = 1e8),
            "contact.hit.exponent: 1e8 is out of range; wants a number from 1 to 5",
        ),
        (
            spoilt(|mass, _, _| mass.position_m = Real::INFINITY),
            "body.hammer.position_m: inf is not a finite number; wants a number from -1e6 m to 1e6 m",
        ),
        (
            spoilt(|_, _, hit| hit.params.hysteresis_01 = 0.3),
            "contact.hit.hysteresis_01: belongs to law = \"stulov\"; leave it out or choose that law",
        ),
        (
            spoilt(|_, _, hit| hit.law = ImpactLaw::Linear),
            "contact.hit.exponent: law = \"linear\" has exponent 1; leave it out or choose another law",
        ),
        (
            spoilt(|_, _, hit| (hit.law, hit.viscous_exponent) = (ImpactLaw::Power, Some(1.0))),
            "contact.hit.viscous_exponent: law = \"power\" has no viscous loss; choose law = \"hunt-crossley\"",
        ),
        (
            spoilt(|_, _, hit| hit.params.stiffness = 1e9),
            "contact.hit.hardness_01: stands beside stiffness; keep one of stiffness, contact_time_s, hardness_01",
        ),
        (
            spoilt(|_, _, hit| hit.substeps = Substeps::Fixed(12)),
            "contact.hit.substeps: 12 is not a power of two; wants 1, 2, 4, 8, 16, 32 or 64",
        ),
        (
            spoilt(|_, _, hit| hit.texture = Some(TextureDef::default())),
            "contact.hit.texture: the texture of an impact contact needs travel_from",
        ),
        (
            spoilt(|_, bar, _| bar.params.morph_01 = 0.5),
            "body.bar.morph_01: moves nothing without a table `morph`; give it one or leave this out",
        ),
        (
            spoilt(|_, bar, _| bar.geometry = bar.geometry.clone().with("lenght_m", 1.0)),
            "body.bar.lenght_m: unknown key; did you mean 'length_m'?",
        ),
        (
            spoilt(|_, bar, _| bar.geometry = bar.geometry.clone().with_word("support", "clampd-free")),
            "body.bar.support: unknown word 'clampd-free'; did you mean 'clamped-free'?",
        ),
        (
            spoilt(|_, bar, _| bar.geometry = bar.geometry.clone().with("support", 1.0)),
            "body.bar.support: found 1; wants one of free, clamped-free, clamped-clamped, hinged, clamped-hinged, hinged-free",
        ),
        (
            spoilt(|_, bar, _| bar.geometry = ShapeDef::new("bar", MaterialDef::Named("steel")).unwrap()),
            "body.bar: needs length_m (length)",
        ),
        (
            spoilt(|_, bar, _| bar.geometry.material = MaterialDef::Named("stel")),
            "body.bar.material: no material 'stel'; did you mean 'steel'?",
        ),
        (
            spoilt(|_, bar, _| bar.ports[0].place = Place::At(vec![Real::NAN])),
            "body.bar.port.tip: NaN is outside the body; wants a fraction of the length, 0 to 1",
        ),
        (
            spoilt(|_, bar, _| bar.ports.push(bar.ports[0].clone())),
            "body.bar.port.tip: the name 'tip' is already taken; choose another",
        ),
        (modal(&[1.0, 2.0]), "body.bar.port.tip: has 2 values and the body has 1 modes; wants one value per mode"),
        (modal(&[Real::NAN]), "body.bar.port.tip[0]: NaN is not a finite number; wants a number from -1e6 to 1e6"),
        (SceneDef::new().body("bar", ModalDef::new()), "body.bar.modes: is empty; a modal body needs a mode"),
        (
            SceneDef::new().body("bar", ModalDef::new().mode(220.0, Real::NAN, 1.0)),
            "body.bar.modes[0].decay_s: NaN is not a finite number; wants a number from 1e-6 s to 1e6 s",
        ),
        (
            SceneDef::new().body("s", StringDef::new(147.0).port("end", 1.0)),
            "body.s.port.end: 1 is not on the string; wants a fraction of its length above 0 and below 1",
        ),
        (
            SceneDef::new().body("net", NetworkDef::new().mass("a", 1.0).mass("b", -1.0)),
            "body.net.mass_kg.b: -1 kg is out of range; wants a number from 1e-9 kg to 1e6 kg",
        ),
        (
            SceneDef::new().body("a", MassDef::new(1.0)).body("a", WallDef::default()),
            "body.a: the name 'a' is already taken by body.a; choose another",
        ),
        (
            SceneDef::new().body("a b", WallDef::default()),
            "body.a b: name 'a b' holds ' '; names hold no blanks and none of / . # * , ? [ ] { }",
        ),
        (
            SceneDef { rate_hz: Real::NAN, ..SceneDef::new() },
            "rate_hz: NaN is not a finite number; wants a number from 8000 Hz to 384000 Hz",
        ),
        (
            SceneDef { duration: Length::Seconds(-1.0), ..SceneDef::new() },
            "duration_s: -1 s is no duration; wants more than 0 s, at most 86400 s",
        ),
        (
            struck_bar().tap("bar.tip", Real::NAN),
            "tap[1].gain: NaN is not a finite number; wants a number from -1e12 to 1e12",
        ),
        (
            struck_bar().strike(Real::INFINITY, "hammer", 1.0),
            "event[1].at_s: inf is not a finite number; wants a number from 0 s to 86400 s",
        ),
    ];
    for (def, said) in cases {
        assert_eq!(Scene::build(&def, 48_000.0).err().map(|error| error.to_string()).as_deref(), Some(said));
    }
}

/// A mass on a spring, written against the public trait alone: `s = s0 + L F` with the force held during the step.
#[derive(Clone)]
struct Spring {
    mass_kg: Real,
    omega: Real,
    sample_s: Real,
    dt: Real,
    state: (Real, Real),
    pushed: Real,
}

impl Spring {
    fn after(&self, dt: Real) -> (Real, Real) {
        let (x, v) = self.state;
        let rest = self.pushed / (self.mass_kg * self.omega * self.omega);
        let (sin, cos) = (self.omega * dt).sin_cos();
        let way = x - rest;
        (rest + way * cos + v / self.omega * sin, v * cos - way * self.omega * sin)
    }
}

impl Tunable for Spring {
    fn specs(&self) -> &'static [Spec] {
        &[]
    }
    fn get(&self, _index: usize) -> Real {
        0.0
    }
    fn set(&mut self, _index: usize, _value: Real) {}
}

impl Resonator for Spring {
    fn ports(&self) -> usize {
        1
    }
    fn divide(&mut self, level: usize) {
        self.dt = self.sample_s / (1u32 << level) as Real;
    }
    fn free_stroke(&mut self, _port: usize) -> Real {
        self.after(self.dt).0 - self.state.0
    }
    fn compliance(&self, _to: usize, _from: usize) -> Real {
        (1.0 - (self.omega * self.dt).cos()) / (self.mass_kg * self.omega * self.omega)
    }
    fn push(&mut self, _port: usize, force_n: Real) {
        self.pushed += force_n;
    }
    fn unpush(&mut self) {
        self.pushed = 0.0;
    }
    fn commit(&mut self) {
        self.state = self.after(self.dt);
        self.pushed = 0.0;
    }
    fn ring(&mut self, ticks: usize, readings: &mut [Reading]) {
        for tick in 0..ticks {
            self.state = self.after(self.sample_s);
            for reading in readings.iter_mut() {
                reading.values[tick] = match reading.motion {
                    tocco::resonator::Motion::Position => self.state.0,
                    tocco::resonator::Motion::Velocity => self.state.1,
                };
            }
        }
    }
    fn position(&self, _port: usize) -> Real {
        self.state.0
    }
    fn velocity(&self, _port: usize) -> Real {
        self.state.1
    }
    fn energy(&self) -> Real {
        let (x, v) = self.state;
        0.5 * self.mass_kg * (v * v + self.omega * self.omega * x * x)
    }
    fn inverse_mass(&self, _port: usize) -> Real {
        1.0 / self.mass_kg
    }
    fn flexibility(&self, _port: usize) -> Real {
        1.0 / (self.mass_kg * self.omega * self.omega)
    }
    fn range(&self, _port: usize, _seconds: Real) -> (Real, Real) {
        let reach = (2.0 * self.energy() / self.mass_kg).sqrt() / self.omega;
        (-reach, reach)
    }
    fn hit(&mut self, _port: usize, impulse_n_s: Real) -> bool {
        self.state.1 += impulse_n_s / self.mass_kg;
        true
    }
    fn settle(&mut self) -> bool {
        self.energy().is_finite()
    }
    fn reset(&mut self) {
        self.state = (0.0, 0.0);
    }
}

#[derive(Debug)]
struct OwnSpring(usize);

impl OwnBody for OwnSpring {
    fn ports(&self) -> Vec<String> {
        (0..self.0).map(|port| format!("place{port}")).collect()
    }
    fn build(&self, sample_s: Real) -> Result<Box<dyn Resonator>, String> {
        let omega = std::f64::consts::TAU * 220.0;
        let (state, pushed) = ((0.0, 0.0), 0.0);
        Ok(Box::new(Spring { mass_kg: 0.05, omega, sample_s, dt: sample_s, state, pushed }))
    }
}

#[test]
fn a_resonator_from_another_crate_sounds_as_a_mode_of_our_own() {
    let scene = |bar: BodyForm, place: &str| {
        SceneDef::new()
            .body("hammer", MassDef::new(0.01))
            .body("bar", bar)
            .contact("hit", ["hammer", place], ImpactDef::new(1e7))
            .strike(0.0, "hammer", 1.0)
            .tap(place, 1.0)
    };
    let own = scene(OwnBodyDef::new(OwnSpring(1)).into(), "bar.place0");
    let (heard, wanted) = (sound(&own), sound(&scene(ModalDef::new().mode(220.0, Real::INFINITY, 0.05).into(), "bar")));
    let loudest = wanted.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    assert!(loudest > 0.05, "{loudest}");
    for (x, y) in heard.iter().zip(&wanted) {
        assert!((x - y).abs() < 1e-5 * loudest, "{x} {y}");
    }
    assert!(own.to_toml().contains("# left out: body.bar, made in code"), "{}", own.to_toml());
}

#[test]
fn an_own_body_whose_places_are_miscounted_is_refused() {
    for (ports, said) in [
        (0, "body.x.port: is empty; a body needs a place to be touched"),
        (2, "body.x.port: names 2 places and the body has 1"),
    ] {
        let def = SceneDef::new().body("x", OwnBodyDef::new(OwnSpring(ports)));
        assert_eq!(Scene::build(&def, 48_000.0).err().map(|error| error.to_string()).as_deref(), Some(said));
    }
}

#[test]
fn any_seed_can_be_built() {
    for seed in [0, 1 << 63, u64::MAX] {
        assert!(Scene::build(&SceneDef { seed, ..struck_bar() }, 48_000.0).is_ok(), "{seed}");
    }
}

/// Friction from outside.
#[derive(Debug)]
struct Rosin(PressedBy);

impl OwnLaw for Rosin {
    fn build(&self) -> Result<Law, String> {
        let law = Box::new(Friction::new(FrictionLaw::Dahl, FrictionParams::default(), None));
        Ok(Law::Tangential { law, pressed_by: self.0 })
    }
}

#[test]
fn a_law_of_ones_own_names_the_contact_that_presses_it() {
    let rubbed =
        |rosin: OwnLawDef| struck_bar().body("bow", GuidedDef::new(0.1)).contact("rub", ["bow", "bar.tip"], rosin);
    let refusal = |rosin| Scene::build(&rubbed(rosin), 48_000.0).err().map(|error| error.to_string());
    assert_eq!(refusal(OwnLawDef::new(Rosin(PressedBy::Parameter))), None);
    assert_eq!(refusal(OwnLawDef::new(Rosin(PressedBy::Parameter)).pressed_by("hit")), None);
    let unknown = refusal(OwnLawDef::new(Rosin(PressedBy::Contact(9)))).unwrap();
    assert!(unknown.contains("say which with OwnLawDef::pressed_by"), "{unknown}");
    let itself = refusal(OwnLawDef::new(Rosin(PressedBy::Parameter)).pressed_by("rub")).unwrap();
    assert!(itself.contains("this contact itself"), "{itself}");
}
