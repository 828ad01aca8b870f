// SPDX-License-Identifier: MIT OR Apache-2.0
//! A body and a law that Tocco does not know, in a scene: a drop of tin falls on a bubble with a hardening skin.

use tocco::contact::Law;
use tocco::interactor::{Force, Interactor, NormalLaw, Solution, Stroke, newton};
use tocco::param::{Spec, Tunable};
use tocco::resonator::{Resonator, modal::Modal, modal::ModalParams};
use tocco::scene::def::{MassDef, OwnBody, OwnBodyDef, OwnLaw, OwnLawDef};
use tocco::{Engine, Queue, Scene, SceneDef, SceneError};

/// A bubble in water, by its radius in m: Minnaert's frequency 3.26/R Hz and the mass of the water that it moves.
#[derive(Debug)]
struct Bubble(f64);
impl OwnBody for Bubble {
    fn build(&self, sample_s: f64) -> Result<Box<dyn Resonator>, String> {
        let (hz, kg) = (3.26 / self.0, 4.0 * std::f64::consts::PI * 1000.0 * self.0.powi(3));
        Ok(Box::new(Modal::new(ModalParams::default(), &[(hz, 50.0 / hz, kg)], &[vec![1.0]], sample_s, true)))
    }
}

/// F = k x + h x^3 for x > 0. The force held in a step is the difference of energy over the stroke, so that none is made.
#[derive(Clone, Copy, Debug)]
struct Skin(f64, f64);
#[rustfmt::skip]
impl OwnLaw for Skin {
    fn build(&self) -> Result<Law, String> { Ok(Law::Normal(Box::new(*self))) }
}
#[rustfmt::skip]
impl NormalLaw for Skin {
    fn speed_limit(&self, _mass: f64, _duration_s: f64) -> f64 { f64::INFINITY }
}
impl Interactor for Skin {
    fn force(&self, Stroke { from, by, .. }: Stroke) -> Force {
        let (x, y) = (from.max(0.0), (from + by).max(0.0));
        let mean = (x + y) * (self.0 / 2.0 + self.1 * (x * x + y * y) / 4.0);
        let n = if by == 0.0 { mean } else { mean * (y - x) / by };
        Force { n, per_m: if by == 0.0 { 0.0 } else { (self.0 * y + self.1 * y.powi(3) - n) / by } }
    }
    #[rustfmt::skip]
    fn energy(&self, x: f64) -> f64 { self.0 * x.max(0.0).powi(2) / 2.0 + self.1 * x.max(0.0).powi(4) / 4.0 }
    fn resolve(&mut self, from: f64, s0: f64, compliance: f64, dt: f64, guess: f64) -> Solution {
        newton(|by| self.force(Stroke { from, by, dt }), || s0, from, s0, compliance, guess)
    }
}
#[rustfmt::skip]
impl Tunable for Skin {
    fn specs(&self) -> &'static [Spec] { &[] }
    fn get(&self, _: usize) -> f64 { 0.0 }
    fn set(&mut self, _: usize, _: f64) {}
}

fn main() -> Result<(), SceneError> {
    let def = SceneDef::new().body("tin", MassDef::new(1e-3).moving(1.0)).body("bubble", OwnBodyDef::new(Bubble(3e-3)));
    let def = def.contact("hit", ["tin", "bubble"], OwnLawDef::new(Skin(1e4, 1e12))).tap("bubble", 1.0);
    let (mut engine, mut second) = (Engine::new(Scene::build(&def, 48_000.0)?), vec![0.0; 48_000]);
    let health = engine.render(&[], &mut Queue::new(), &mut second);
    println!("peak {}, unconverged {}", second.iter().fold(0.0, |most: f32, x| most.max(x.abs())), health.unconverged);
    Ok(())
}
