// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the names of a network to a body.

use super::build::{audible, body_of};
use super::def::{BodyDef, BodyForm, LinkDef, ModeDef, PointDef};
use super::error::nearest;
use super::{SceneDef, SceneError};
use crate::math::Real;
use crate::param::KeyType;
use crate::resonator::Resonator;
use crate::resonator::modal::{Modal, ModalParams};
use crate::resonator::network::dense::Dense;
use crate::resonator::network::{LINK, Link, MASS_KG, MAX_JOINED, MAX_MASSES, Network, PARAMS, STRONGEST};

/// The network of a body, in modes, masses in file order. Errors name the wrong point; a body of another kind is one with
/// no mass. `[control]`
pub fn analyse(body: &BodyDef) -> Result<Network, SceneError> {
    let parts: Parts<'_> = match &body.form {
        BodyForm::Network { masses, fixed, links } => (masses, fixed, links),
        _ => (&[], &[], &[]),
    };
    let links = resolve(&format!("body.{}", body.name), parts)?;
    let masses: Vec<Real> = parts.0.iter().map(|point| point.mass_kg).collect();
    Ok(Network::new(&masses, &links))
}

/// Masses, fixed points, links.
pub(super) type Parts<'d> = (&'d [PointDef], &'d [String], &'d [LinkDef]);

/// A network of a scene as a body; its ports are the masses. `[control]`
pub(super) fn build(
    def: &SceneDef,
    body: &BodyDef,
    rate_hz: Real,
    omitted: &mut Vec<String>,
) -> Result<Box<dyn Resonator>, SceneError> {
    let place = format!("body.{}", body.name);
    let network = analyse(body)?;
    let params = ModalParams::from_values(&body.params);
    let masses = network.omega.len();
    let mode = |i| ModeDef { freq_hz: network.freq_hz(i), decay_s: network.decay_s(i), mass_kg: 1.0 };
    let modes: Vec<ModeDef> = (0..masses).map(mode).collect();
    let kept = audible(def, &body.name, &modes, params.freq_scale, rate_hz, omitted).map_err(|_| {
        let highest = modes.iter().fold(0.0, |m: Real, mode| m.max(mode.freq_hz)) * params.freq_scale;
        let what = format!(
            "its highest mode, {highest:.0} Hz, is not below half the rate ({} Hz); weaken springs, add mass or raise rate_hz",
            0.5 * rate_hz
        );
        SceneError::new(&place, what)
    })?;
    let sample_s = 1.0 / rate_hz;
    if network.stands_alone() || kept.is_empty() {
        let table: Vec<_> = kept.iter().map(|&i| (modes[i].freq_hz, modes[i].decay_s, 1.0)).collect();
        let shapes: Vec<Vec<Real>> = network.shape.iter().map(|row| kept.iter().map(|&i| row[i]).collect()).collect();
        let touched = def.contacts.iter().any(|c| c.between.iter().any(|s| body_of(s) == body.name));
        return Ok(Box::new(Modal::new(params, &table, &shapes, sample_s, touched).declaring(PARAMS)));
    }
    let joined = "dampers in unlike proportion to masses and springs join its modes";
    if masses > MAX_JOINED {
        let what = format!(
            "{joined}, for which {masses} masses are too many (at most {MAX_JOINED}); give every spring damping in one proportion to its stiffness"
        );
        return Err(SceneError::new(place, what));
    }
    let strongest = network.strongest();
    if strongest > STRONGEST {
        let what = format!(
            "{joined} and damp at {strongest:.2e} 1/s, at most {STRONGEST:.0e}: as good as rigid; weaken damping_n_s_m or make one mass of two"
        );
        return Err(SceneError::new(place, what));
    }
    Ok(Box::new(Dense::new(params, &network, &kept, sample_s)))
}

/// Names to indices, or what is wrong with them; `place` is the body's.
pub(super) fn resolve(place: &str, (masses, fixed, links): Parts<'_>) -> Result<Vec<Link>, SceneError> {
    let wrong = |at: String, what: String| Err(SceneError::new(format!("{place}.{at}"), what));
    if masses.is_empty() {
        return wrong("mass_kg".into(), "is empty; a network needs a mass".into());
    }
    if masses.len() > MAX_MASSES {
        return wrong("mass_kg".into(), format!("has {} masses; at most {MAX_MASSES}", masses.len()));
    }
    for (index, mass) in masses.iter().enumerate() {
        let at = format!("mass_kg.{}", mass.name);
        if !within(MASS_KG, mass.mass_kg) {
            return wrong(at, format!("{} kg is out of range", mass.mass_kg));
        }
        if masses[..index].iter().any(|other| other.name == mass.name) {
            return wrong(at, format!("the name '{}' is already taken; choose another", mass.name));
        }
    }
    for (index, name) in fixed.iter().enumerate() {
        let taken = masses.iter().any(|mass| mass.name == *name);
        if taken || fixed[..index].contains(name) {
            let by = if taken { "a mass" } else { "another fixed point" };
            return wrong(
                format!("fixed[{index}]"),
                format!("the name '{name}' is already taken by {by}; choose another"),
            );
        }
    }
    let mut all = Vec::new();
    for (index, link) in links.iter().enumerate() {
        let at = |key: &str| format!("link[{index}].{key}");
        for (id, value) in [("stiffness_n_m", link.stiffness_n_m), ("damping_n_s_m", link.damping_n_s_m)] {
            if LINK.keys.iter().any(|key| key.id == id && !within(key.takes, value)) {
                return wrong(at(id), format!("{value} is out of range"));
            }
        }
        if link.stiffness_n_m == 0.0 && link.damping_n_s_m == 0.0 {
            return wrong(format!("link[{index}]"), "joins nothing; give stiffness_n_m, damping_n_s_m or both".into());
        }
        let mut points = Vec::new();
        for name in &link.between {
            let mass = masses.iter().position(|mass| mass.name == *name);
            if mass.is_none() && !fixed.contains(name) {
                let known = masses.iter().map(|mass| mass.name.as_str()).chain(fixed.iter().map(String::as_str));
                return wrong(at("between"), format!("no point '{}'{}", name.escape_debug(), nearest(name, known)));
            }
            points.push(mass);
        }
        if points.len() < 2 {
            return wrong(at("between"), "wants two points or more, each joined to the next".into());
        }
        for (pair, names) in points.windows(2).zip(link.between.windows(2)) {
            if names[0] == names[1] {
                return wrong(at("between"), format!("'{}' is linked to itself; name two points", names[0]));
            }
            if pair[0].is_none() && pair[1].is_none() {
                let what = format!("'{}' and '{}' are both fixed; one must be a mass", names[0], names[1]);
                return wrong(at("between"), what);
            }
            let (stiffness_n_m, damping_n_s_m) = (link.stiffness_n_m, link.damping_n_s_m);
            all.push(Link { between: [pair[0], pair[1]], stiffness_n_m, damping_n_s_m });
        }
    }
    Ok(all)
}

fn within(takes: KeyType, value: Real) -> bool {
    matches!(takes, KeyType::Number { min, max, .. } if value >= min && value <= max)
}
