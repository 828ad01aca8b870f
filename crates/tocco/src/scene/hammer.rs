// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hammers by intention: how long a blow lasts, or how hard it feels, instead of a stiffness.
//!
//! **What.** What is heard of a hammer is the duration of its contact: a long one is dull, a short one bright. The
//! stiffness that gives a duration depends on mass, speed, exponent and loss, so a scene may state the duration, or a
//! hardness from 0 to 1, and the speed it is meant for.
//!
//! **Law.**
//! - `[intent.1]  tau = 10 ms (1/200)^h`: hardness h on a logarithmic scale, 0 a soft felt mallet (10 ms), 0.5 hard
//!   rubber or wood (0.7 ms), 1 steel on steel (0.05 ms)
//! - `[intent.2]  k = m (tau_1/tau)^(a+1)`: the duration integral of a mass on a rigid wall, inverted
//!
//! **Symbols.** h `hardness_01`; tau `contact_time_s`; m mass of the hammer, of two masses the reduced one; a `exponent`;
//! tau_1 duration for m/k = 1 at `at_speed_m_s`, by [`crate::theory`].
//!
//! **Step.** Once, when the scene is built; the parameter `stiffness` remains live. ln k is linear in h, so the paths
//! `NAME/hardness_01` and `NAME/contact_time_s` set `NAME/stiffness` in equal ratios between the stiffnesses of both ends, live
//! and ahead of time.
//! On a body that yields, the contact differs from that on a wall (C12: either way); faster blows last shorter
//! unless the exponent is 1.
//!
//! **Sources.** Avanzini et al. 2003 (8.27) and section 8.4.1, Avanzini 2001 (5.17) with C4 and C5; physics.md B.2. The scale of hardness is ours.

use super::def::{BodyForm, ContactDef, ContactForm, HammerDef, ImpactDef, Intent, SceneDef};
use super::error::SceneError;
use crate::interactor::impact::ImpactParams;
use crate::math::{Real, pow};
use crate::param::{Rate, Scale, Spec, declared};
use crate::theory::WallImpact;

/// Contact time of hardness 0 and of hardness 1, s.
pub const HARDNESS_S: [Real; 2] = [0.01, 5e-5];
/// Speed of a hammer whose scene says nothing, m/s.
pub const DEFAULT_SPEED_M_S: Real = 1.0;

/// The parameters that stand for the stiffness of a hammer.
pub const HARDNESS: Spec = Spec {
    id: "hardness_01",
    unit: "1",
    min: 0.0,
    max: 1.0,
    default: 0.5,
    scale: Scale::Linear,
    rate: Rate::Sample,
    glide_s: 0.02,
    doc: "How hard the hammer feels, 0 felt to 1 steel: sets the stiffness for the mass, exponent and speed of the scene file.",
};
/// As [`HARDNESS`], by the duration of the blow.
pub const CONTACT_TIME: Spec = Spec {
    id: "contact_time_s",
    unit: "s",
    min: HARDNESS_S[1],
    max: HARDNESS_S[0],
    default: 7e-4,
    scale: Scale::Log,
    doc: "How long the hammer touches: sets the stiffness for the mass, exponent and speed of the scene file.",
    ..HARDNESS
};

/// What a hammer's intention sets.
pub(super) const STIFFNESS: Spec = declared(ImpactParams::SPECS, "stiffness");

/// Contact time of a hardness from 0 to 1, s. [intent.1]
pub fn contact_time_s(hardness_01: Real) -> Real {
    HARDNESS_S[0] * pow(HARDNESS_S[1] / HARDNESS_S[0], hardness_01)
}

impl SceneDef {
    /// The stiffness of an impact contact: as written, or as its hammer's intention asks. `[control]`
    pub fn stiffness(&self, contact: &ContactDef) -> Result<Real, SceneError> {
        match &contact.form {
            ContactForm::Impact(ImpactDef { hammer: Some(hammer), .. }) => self.stiffness_for(contact, *hammer),
            ContactForm::Impact(impact) => Ok(impact.params.stiffness),
            _ => Err(SceneError::new(format!("contact.{}", contact.name), "has no stiffness; it is no impact contact")),
        }
    }

    /// The stiffness that an intention asks of an impact contact. `[control]`
    pub(crate) fn stiffness_for(&self, contact: &ContactDef, hammer: HammerDef) -> Result<Real, SceneError> {
        let (id, tau) = match hammer.intent {
            Intent::ContactTime(tau) => ("contact_time_s", tau),
            Intent::Hardness(hardness) => ("hardness_01", contact_time_s(hardness)),
        };
        let fail = |what: String| Err(SceneError::new(format!("contact.{}.{id}", contact.name), what));
        let ContactForm::Impact(impact) = &contact.form else {
            return fail("belongs to an impact contact".into());
        };
        if !impact.law.is_power_spring() || impact.viscous_exponent.is_some() {
            return fail(
                "holds for the laws hunt-crossley, power and linear without viscous_exponent; give stiffness".into(),
            );
        }
        let Some(mass_kg) = self.hammer_kg(contact) else {
            return fail("is for a hammer, and no body in between is a mass; give stiffness".into());
        };
        let blow = WallImpact {
            mass_kg,
            stiffness: 1.0,
            exponent: impact.params.exponent,
            dissipation_s_m: impact.params.dissipation_s_m,
            velocity_m_s: hammer.at_speed_m_s,
        };
        let stiffness = blow.lasting(fault!(HARDNESS, tau, times 1.2)).stiffness; // [intent.2]
        let spec = &STIFFNESS;
        if spec.admits(stiffness) {
            return Ok(stiffness);
        }
        fail(format!(
            "{tau:e} s with {mass_kg} kg at {} m/s needs a stiffness of {stiffness:.1e}, and there is {:e} to {:e}; \
             change the time, the mass or the exponent",
            hammer.at_speed_m_s, spec.min, spec.max
        ))
    }

    /// Mass behind a contact: of its one mass, or the reduced mass of two.
    fn hammer_kg(&self, contact: &ContactDef) -> Option<Real> {
        let mass = |site: &String| {
            let name = site.split('.').next().unwrap_or(site);
            self.bodies.iter().find(|body| body.name == name).and_then(|body| match &body.form {
                BodyForm::Mass(mass) => Some(mass.params.mass_kg),
                _ => None,
            })
        };
        match (mass(&contact.between[0]), mass(&contact.between[1])) {
            (Some(a), Some(b)) => Some(a * b / (a + b)),
            (one, other) => one.or(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hardness_runs_from_soft_felt_to_steel_in_equal_ratios() {
        assert!((contact_time_s(0.0) / 0.01 - 1.0).abs() < 1e-14);
        assert!((contact_time_s(1.0) / 5e-5 - 1.0).abs() < 1e-14);
        for i in 0..10 {
            let h = 0.1 * Real::from(i);
            let ratio = contact_time_s(h) / contact_time_s(h + 0.1);
            assert!((ratio - pow(200.0, 0.1)).abs() < 1e-12, "{h}: {ratio}");
        }
    }
}
