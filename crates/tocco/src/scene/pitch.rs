// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a part's transposition, its values or the scene's own tune past half the rate, in words: it is silent there, and that is said.

use super::Scene;
use super::def::*;
use crate::math::Real;

/// Adds what lies past half the rate now and would not as it is written to what this rate cannot hold.
pub(super) fn say_what_is_past_half(scene: &mut Scene, def: &SceneDef) {
    let half_hz = 0.5 * scene.rate_hz();
    let mut said = Vec::new();
    for body in 0..def.bodies.len() {
        let about = format!("{}: ", def.bodies[body].name);
        if scene.omitted.iter().any(|words| words.starts_with(&about)) {
            continue;
        }
        match scene.runtime.world.bodies[body].omitted() {
            0 => {}
            1 => said.push(format!("{}: 1 mode, as it is tuned", def.bodies[body].name)),
            many => said.push(format!("{}: {many} modes, as it is tuned", def.bodies[body].name)),
        }
    }
    for process in &def.processes {
        let (what, written): (&str, Vec<Real>) = match &process.form {
            ProcessForm::Particles(own) => ("resonance", own.resonances.iter().map(|band| band.freq_hz).collect()),
            ProcessForm::Footstep(own) => ("band", own.make.bands.iter().map(|band| band.freq_hz).collect()),
            ProcessForm::Crumple(own) => ("mode", own.modes.iter().map(|mode| mode.freq_hz).collect()),
            ProcessForm::Break(own) => ("mode", own.modes.iter().map(|mode| mode.freq_hz).collect()),
            ProcessForm::Scatter(own) => ("mode", own.modes.iter().map(|mode| mode.freq_hz).collect()),
            _ => continue,
        };
        let declared = process.form.params().into_iter().find(|(spec, _)| spec.id == "freq_scale");
        let Ok(address) = scene.directory.address(&format!("{}/freq_scale", process.name)) else { continue };
        let now = scene.directory.reading(address, |slot| scene.runtime.slots[slot].value).unwrap_or(1.0);
        let before = declared.map_or(1.0, |(_, value)| value);
        for (index, freq_hz) in written.into_iter().enumerate() {
            if freq_hz * before < half_hz && freq_hz * now >= half_hz {
                let tuned_hz = (freq_hz * now).round();
                said.push(format!("{}: {what} {index} (tuned to {tuned_hz} Hz)", process.name));
            }
        }
    }
    scene.omitted.extend(said);
}
