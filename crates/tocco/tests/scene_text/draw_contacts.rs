// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random contacts of scenes that the reader must accept.

use crate::draw::{coin, draw, draw_key, draw_params};
use tocco::interactor::friction::{Distribution, FrictionParams};
use tocco::interactor::impact::ImpactParams;
use tocco::rng::Rng;
use tocco::scene::def::*;
use tocco::scene::kinds::friction::FRICTION;
use tocco::scene::kinds::texture::TEXTURE;

fn draw_texture(rng: &mut Rng, travel: Option<String>) -> TextureDef {
    let key = |rng: &mut Rng, id| draw_key(rng, &TEXTURE, id);
    let grain_m = rng.between_log(1e-7, 1e-3);
    let longest_m = (grain_m * rng.between_log(101.0, 0.9e7)).clamp(1e-5, 1e3);
    TextureDef {
        beta: draw(rng, 0.0, 2.0),
        grain_m,
        longest_m,
        poles_per_decade: 1 + rng.bits() as u32 % 6,
        height_m: if travel.is_some() { key(rng, "height_m") } else { 0.0 },
        travel,
    }
}

pub fn draw_impact(rng: &mut Rng, name: String, between: [String; 2], travel: String) -> ContactDef {
    let laws = [ImpactLaw::HuntCrossley, ImpactLaw::Power, ImpactLaw::Linear, ImpactLaw::Stulov];
    let law = laws[rng.bits() as usize % 4];
    let mut params: ImpactParams = draw_params(rng);
    let mut viscous_exponent = coin(rng).then(|| draw(rng, 0.0, 5.0));
    if law != ImpactLaw::Stulov {
        (params.hysteresis_01, params.relaxation_s) = (0.0, 1e-4);
    }
    if let ImpactLaw::Power | ImpactLaw::Stulov = law {
        params.dissipation_s_m = 0.0;
        viscous_exponent = None;
    }
    match viscous_exponent {
        Some(_) if coin(rng) => params.dissipation_s_m = 0.0,
        _ => params.viscous_loss = 0.0,
    }
    if law == ImpactLaw::Linear {
        params.exponent = 1.0;
    }
    let hammer = coin(rng).then(|| {
        params.stiffness = 1e8;
        let intent = if coin(rng) { Intent::ContactTime(draw(rng, 1e-6, 1.0)) } else { Intent::Hardness(rng.unit()) };
        HammerDef { intent, at_speed_m_s: if coin(rng) { 1.0 } else { draw(rng, 1e-3, 1e3) } }
    });
    let form = ImpactDef {
        params,
        law,
        hammer,
        viscous_exponent,
        exact_wall: coin(rng),
        substeps: match rng.bits() % 8 {
            7 => Substeps::Auto,
            shift => Substeps::Fixed(1 << shift),
        },
        texture: coin(rng).then(|| draw_texture(rng, Some(travel))),
    };
    ContactDef { name, between, spare: coin(rng), form: form.into() }
}

pub fn draw_friction(rng: &mut Rng, name: String, between: [String; 2], normal_from: Option<String>) -> ContactDef {
    use FrictionLaw::*;
    let law = [ElastoPlastic, LuGre, Dahl, Static, Thermal][rng.bits() as usize % 5];
    let mut params: FrictionParams = draw_params(rng);
    if normal_from.is_some() {
        params.normal_force_n = 1.0;
    }
    if law != Dahl {
        params.mu_static = params.mu_static.max(params.mu_dynamic);
    }
    if law != Thermal {
        (params.heat_capacity_j_k, params.conduction_w_k, params.advection_w_s_m_k) = (3e-7, 3e-3, 0.1);
    }
    let viscous_exponent = coin(rng).then(|| draw_key(rng, &FRICTION, "viscous_exponent"));
    let texture = coin(rng).then(|| draw_texture(rng, None));
    let strength = (law.holds() && coin(rng)).then(|| StrengthDef {
        every_m: draw(rng, 1e-7, 1.0),
        distribution: if coin(rng) { Distribution::Weibull } else { Distribution::Lognormal },
        k: draw(rng, 1.0, 100.0),
    });
    let travel = coin(rng).then(|| draw_travel(rng, false));
    let form = FrictionDef { params, law, normal_from, viscous_exponent, texture, strength, travel }.into();
    ContactDef { name, between, spare: coin(rng), form }
}

/// A way of a contact, or of a tap.
pub fn draw_travel(rng: &mut Rng, of_tap: bool) -> TravelDef {
    let place = |rng: &mut Rng| vec![rng.unit(), rng.unit()];
    let way = match of_tap || coin(rng) {
        true => Way::Along((0..2 + rng.bits() % 5).map(|k| format!("p{k}")).collect()),
        false => Way::Between(place(rng), place(rng)),
    };
    let then = [AtEnd::Back, AtEnd::Again, AtEnd::Stop][rng.bits() as usize % 3];
    let by = (of_tap || coin(rng)).then(|| "hand".to_string());
    TravelDef { way, length_m: draw(rng, 1e-4, 1e4), then, by }
}
