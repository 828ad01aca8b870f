// SPDX-License-Identifier: MIT OR Apache-2.0
//! Impact: two things that push when they touch.
//!
//! **What.** An elastic force that grows as a power of the compression, with losses: Hunt-Crossley's, proportional to
//! the speed of compression, or Stulov's felt, which remembers how it was squeezed. Never adhesive. Parameters, keys and
//! the registry of the laws are here; each law is in its own file.
//!
//! **Law.** [impact.1], [impact.2], [impact.4] and [impact.7] in impact/hunt_crossley.rs, [impact.3], [impact.5] and [impact.6]
//! in impact/stulov.rs.
//!
//! **Symbols.** k `stiffness` N/m^a; a `exponent`; mu `dissipation_s_m` s/m; b `viscous_exponent`; c `viscous_loss` N s/m^(b+1);
//! eps `hysteresis_01`; tau `relaxation_s` s; w felt memory m^a; `V(x) = k [x]^(a+1)/(a+1)` stored energy J.

mod hunt_crossley;
mod power;
mod stulov;

pub(crate) use hunt_crossley::Spring;

use super::NormalLaw;
use crate::math::Real;
use crate::param::Spec;

crate::params! {
    /// Parameters of an impact contact.
    pub struct ImpactParams {
        stiffness: "N/m^exponent", 1.0 => 1e25, default 1e8, Log, Sample, glide 0.02, "Contact stiffness k.";
        exponent: "1", 1.0 => 5.0, default 1.5, Linear, Sample, glide 0.02, "Exponent of the compression: 1.5 for two spheres (Hertz), 1.5 to 3.5 for felt.";
        dissipation_s_m: "s/m", 0.0 => 1e3, default 0.0, Linear, Sample, glide 0.02, "mu = lambda/k: larger means a deader rebound.";
        hysteresis_01: "1", 0.0 => 0.999, default 0.0, Linear, Sample, glide 0.02, "Stulov felt: share of the stiffness that relaxes.";
        relaxation_s: "s", 1e-7 => 10.0, default 1e-4, Log, Sample, glide 0.02, "Stulov felt: time of the relaxation.";
        viscous_loss: "N s/m^(viscous_exponent+1)", 0.0 => 1e20, default 0.0, Linear, Sample, glide 0.02, "With viscous_exponent, instead of dissipation_s_m: force per speed of compression and compression^viscous_exponent.";
    }
}

crate::laws! {
    /// Impact force laws.
    pub enum ImpactLaw {
        /// k x^a (1 + mu v), never adhesive.
        HuntCrossley = hunt_crossley::HUNT_CROSSLEY,
        /// k x^a.
        Power = hunt_crossley::POWER,
        /// k x (1 + mu v), mu zero unless given.
        Linear = hunt_crossley::LINEAR,
        /// Felt with relaxation.
        Stulov = stulov::STULOV,
    }
}

impl ImpactParams {
    /// The parameters of a contact whose loss has no exponent of its own.
    pub const WITHOUT_VISCOUS_LOSS: &'static [Spec] = Self::SPECS.split_at(Self::SPECS.len() - 1).0;
}

impl ImpactLaw {
    /// True if its force is k x^a (1 + mu v): then the theory of a mass on a wall holds.
    pub const fn is_power_spring(self) -> bool {
        match self {
            Self::HuntCrossley | Self::Power | Self::Linear => true,
            Self::Stulov => false,
        }
    }

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
