// SPDX-License-Identifier: MIT OR Apache-2.0
//! Impact: two things that push when they touch.
//!
//! **What.** An elastic force that grows as a power of the compression, with losses: Hunt-Crossley's, proportional to
//! the speed of compression, or Stulov's felt, which remembers how it was squeezed. Never adhesive. Parameters, keys and
//! the registry of the laws are here; each law is in its own file.
//!
//! **Law.** [impact.1], [impact.2] and [impact.4] in impact/hunt_crossley.rs, [impact.3] and [impact.5] in
//! impact/stulov.rs.
//!
//! **Symbols.** k `stiffness` N/m^a; a `exponent`; mu `dissipation_s_m` s/m; b `viscous_exponent`;
//! eps `hysteresis_01`; tau `relaxation_s` s; w felt memory m^a; `V(x) = k [x]^(a+1)/(a+1)` stored energy J.

mod hunt_crossley;
mod power;
mod stulov;

use super::{Limit, NormalLaw, laws};
use crate::math::Real;
use crate::param::{Key, KeyType, Kind};

crate::params! {
    /// Parameters of an impact contact.
    pub struct ImpactParams {
        stiffness: "N/m^exponent", 1.0 => 1e25, default 1e8, Log, Sample, glide 0.02, "Contact stiffness k.";
        exponent: "1", 1.0 => 5.0, default 1.5, Linear, Sample, glide 0.02, "Exponent of the compression: 1.5 for two spheres (Hertz), 1.5 to 3.5 for felt.";
        dissipation_s_m: "s/m", 0.0 => 1e3, default 0.0, Linear, Sample, glide 0.02, "mu = lambda/k: larger means a deader rebound.";
        hysteresis_01: "1", 0.0 => 0.999, default 0.0, Linear, Sample, glide 0.02, "Stulov felt: share of the stiffness that relaxes.";
        relaxation_s: "s", 1e-7 => 10.0, default 1e-4, Log, Sample, glide 0.02, "Stulov felt: time of the relaxation.";
    }
}

/// The impact contact in scene files.
pub const IMPACT: Kind = Kind {
    family: "contact",
    id: "impact",
    doc: "Two things that push when they touch and never pull.",
    params: ImpactParams::SPECS,
    keys: &[
        Key {
            id: "between",
            takes: KeyType::Form("[\"body\" or \"body.port\", the same]"),
            required: true,
            doc: "The two sites; the compression is position(first) - position(second).",
        },
        Key {
            id: "law",
            takes: KeyType::Word(ImpactLaw::WORDS),
            required: false,
            doc: "Force law, default hunt-crossley: k x^a (1 + mu v). linear sets the exponent to 1.",
        },
        Key {
            id: "contact_time_s",
            takes: KeyType::Number { unit: "s", min: 1e-6, max: 1.0 },
            required: false,
            doc: "Instead of stiffness: how long the hammer (the mass in between) would touch a rigid wall.",
        },
        Key {
            id: "hardness_01",
            takes: KeyType::Number { unit: "1", min: 0.0, max: 1.0 },
            required: false,
            doc: "Instead of stiffness: 0 soft felt (touches for 10 ms), 0.5 hard rubber (0.7 ms), 1 steel (0.05 ms).",
        },
        Key {
            id: "at_speed_m_s",
            takes: KeyType::Number { unit: "m/s", min: 1e-3, max: 1e3 },
            required: false,
            doc: "Speed at which contact_time_s or hardness_01 holds, default 1; faster blows touch for less.",
        },
        Key {
            id: "viscous_exponent",
            takes: KeyType::Number { unit: "1", min: 0.0, max: 5.0 },
            required: false,
            doc: "Exponent of the dissipative term, default the elastic one (0.5 with exponent 1.5: extended Hertz).",
        },
        Key {
            id: "substeps",
            takes: KeyType::Integer { min: 1, max: 64 },
            required: false,
            doc: "Fixed number of local sub-steps, a power of two; default automatic.",
        },
        Key {
            id: "exact_wall",
            takes: KeyType::Flag,
            required: false,
            doc: "Exact rebound at any step, for a mass against a wall or another mass; default false.",
        },
        Key {
            id: "texture",
            takes: KeyType::Form("{ beta, grain_m, longest_m, poles_per_decade, height_m, travel_from }"),
            required: false,
            doc: "Height profile that a body carries past: it shifts the compression; default smooth.",
        },
    ],
};

laws! {
    /// Impact force laws.
    pub enum ImpactLaw {
        /// k x^a (1 + mu v), never adhesive.
        HuntCrossley: hunt_crossley::HUNT_CROSSLEY,
        /// k x^a.
        Power: hunt_crossley::POWER,
        /// k x (1 + mu v), mu zero unless given.
        Linear: hunt_crossley::LINEAR,
        /// Felt with relaxation.
        Stulov: stulov::STULOV,
    }
}

impl ImpactLaw {
    /// The law with its parameters; the viscous exponent is the elastic one unless given. `[control]`
    pub fn build(self, params: ImpactParams, viscous_exponent: Option<Real>) -> Box<dyn NormalLaw> {
        match self {
            Self::HuntCrossley | Self::Power | Self::Linear => {
                Box::new(hunt_crossley::Spring::new(self, params, viscous_exponent))
            }
            Self::Stulov => Box::new(stulov::Felt::new(params, viscous_exponent)),
        }
    }
}

/// What only felt has.
const FELT_ONLY: [Limit; 2] = {
    let why = "belongs to law = \"stulov\"; leave it out or choose that law";
    [Limit { id: "hysteresis_01", only: None, why }, Limit { id: "relaxation_s", only: None, why }]
};

/// What a law without viscous loss does without.
const fn without_loss(why: &'static str) -> [Limit; 2] {
    [Limit { id: "dissipation_s_m", only: Some(0.0), why }, Limit { id: "viscous_exponent", only: None, why }]
}
