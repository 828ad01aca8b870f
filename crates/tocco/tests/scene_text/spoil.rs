// SPDX-License-Identifier: MIT OR Apache-2.0
//! Good definitions with one number out of range.

use tocco::math::Real;
use tocco::param::Params;
use tocco::rng::Rng;
use tocco::scene::def::*;

/// Out of every range of the language; infinity is not, since it stands for "never".
const BAD: [Real; 4] = [Real::NAN, Real::NEG_INFINITY, -1e300, 1e300];

fn param<P: Params>(rng: &mut Rng, params: &mut P, bad: Real) {
    params.put(rng.bits() as usize % P::SPECS.len(), bad);
}

fn one(rng: &mut Rng, mut numbers: Vec<&mut Real>, bad: Real) {
    let index = rng.bits() as usize % numbers.len();
    *numbers[index] = bad;
}

fn modes(modes: &mut [ModeDef]) -> Vec<&mut Real> {
    modes.iter_mut().flat_map(|mode| [&mut mode.freq_hz, &mut mode.decay_s, &mut mode.mass_kg]).collect()
}

fn texture(texture: &mut TextureDef) -> Vec<&mut Real> {
    vec![&mut texture.beta, &mut texture.grain_m, &mut texture.longest_m, &mut texture.height_m]
}

/// Spoils a body or a contact; false if there is none.
pub fn spoil(rng: &mut Rng, def: &mut SceneDef) -> bool {
    let (bodies, contacts) = (def.bodies.len(), def.contacts.len());
    if bodies + contacts == 0 {
        return false;
    }
    let (index, bad, live) =
        (rng.bits() as usize % (bodies + contacts), BAD[rng.bits() as usize % 4], rng.unit() < 0.5);
    if index < bodies {
        match &mut def.bodies[index].form {
            BodyForm::Mass(def) if live => param(rng, &mut def.params, bad),
            BodyForm::Mass(def) => one(rng, vec![&mut def.position_m, &mut def.velocity_m_s], bad),
            BodyForm::Wall(def) => def.position_m = bad,
            BodyForm::Guided(def) if live => param(rng, &mut def.params, bad),
            BodyForm::Guided(def) => def.position_m = bad,
            BodyForm::Modal(def) if live => param(rng, &mut def.params, bad),
            BodyForm::Modal(def) => {
                let shapes = def.ports.iter_mut().flat_map(|port| &mut port.values);
                let to = def.morph.iter_mut().flat_map(|morph| modes(&mut morph.modes));
                one(rng, modes(&mut def.modes).into_iter().chain(shapes).chain(to).collect(), bad);
            }
            BodyForm::String(def) if live || def.ports.is_empty() => param(rng, &mut def.params, bad),
            BodyForm::String(def) => one(rng, def.ports.iter_mut().map(|port| &mut port.place).collect(), bad),
            BodyForm::Shape(def) if live || def.ports.is_empty() => param(rng, &mut def.params, bad),
            BodyForm::Shape(def) => def.ports[0].place = Place::At(vec![bad]),
            BodyForm::Network(def) if live => param(rng, &mut def.params, bad),
            BodyForm::Network(def) => {
                let links = def.links.iter_mut().flat_map(|link| [&mut link.stiffness_n_m, &mut link.damping_n_s_m]);
                one(rng, def.masses.iter_mut().map(|mass| &mut mass.mass_kg).chain(links).collect(), bad);
            }
            BodyForm::Vessel(def) if live => param(rng, &mut def.params, bad),
            BodyForm::Vessel(def) => one(rng, vec![&mut def.radius_m, &mut def.height_m, &mut def.thickness_m], bad),
            BodyForm::Mesh(def) if live || def.ports.is_empty() => param(rng, &mut def.params, bad),
            BodyForm::Mesh(def) => def.ports[0].at[0] = bad,
            BodyForm::Own(_) => return false,
        }
    } else {
        match &mut def.contacts[index - bodies].form {
            ContactForm::Impact(ImpactDef { texture: Some(own), .. }) if !live => one(rng, texture(own), bad),
            ContactForm::Impact(def) => param(rng, &mut def.params, bad),
            ContactForm::Friction(FrictionDef { texture: Some(own), .. }) if !live => one(rng, texture(own), bad),
            ContactForm::Friction(def) => param(rng, &mut def.params, bad),
            ContactForm::Own(_) => return false,
        }
    }
    true
}
