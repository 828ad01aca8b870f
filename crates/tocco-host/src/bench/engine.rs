// SPDX-License-Identifier: MIT OR Apache-2.0
//! The engine's own cases, as scenes.

use super::bank::{Mode, RATE_HZ};
use tocco::engine::Engine;
use tocco::scene::{Scene, SceneDef};

/// A bank of modes that has just received an impulse; nothing touches it.
pub fn ringing(modes: &[Mode]) -> Result<Engine, String> {
    let list: String = modes.iter().map(|m| mode(m.freq_hz, m.decay_s, 0.05)).collect();
    let gains: Vec<f64> = modes.iter().map(|m| m.gain).collect();
    build(&format!(
        "[body.bar]\ntype = \"modal\"\nmodes = [{list}]\n[body.bar.port]\ntip = {gains:?}\n\
         [[event]]\nat_s = 0.0\nhit = \"bar.tip\"\nimpulse_n_s = 0.01\n\
         [[tap]]\nof = \"bar.tip\"\nquantity = \"velocity\"\n"
    ))
}

/// A hammer of 0.01 kg pressed onto a modal body with 10 N, for ever in contact: SDT's figures were taken with these
/// bodies (its help patch for three modes, 200 to 8000 Hz otherwise).
pub fn pressed(count: usize) -> Result<Engine, String> {
    let list: String = if count == 3 {
        [(500.0, 1.0), (1300.0, 0.5), (1700.0, 0.25)].iter().map(|&(f, t)| mode(f, t, 1.0)).collect()
    } else {
        super::bank::modes(count).iter().map(|m| mode(m.freq_hz, 1.0, 1.0)).collect()
    };
    let mut engine = build(&format!(
        "[body.hammer]\ntype = \"mass\"\nmass_kg = 0.01\n\
         [body.bar]\ntype = \"modal\"\nmodes = [{list}]\n\
         [contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"bar\"]\n\
         stiffness = 1e7\ndissipation_s_m = 1.0\nexponent = 1.5\nsubsteps = 1\n\
         [[drive]]\npath = \"hammer/force_n\"\npoints = [[0.0, 10.0]]\n\
         [[tap]]\nof = \"bar\"\nquantity = \"velocity\"\n"
    ))?;
    engine.render(&mut [], &mut vec![0.0; (2.0 * RATE_HZ) as usize]);
    Ok(engine)
}

fn mode(freq_hz: f64, decay_s: f64, mass_kg: f64) -> String {
    format!("{{ freq_hz = {freq_hz:?}, decay_s = {decay_s:?}, mass_kg = {mass_kg:?} }}, ")
}

fn build(text: &str) -> Result<Engine, String> {
    let text = format!("version = 1\nduration_s = 1.0\nrate_hz = {RATE_HZ:?}\n{text}");
    let scene = SceneDef::from_text(&text).and_then(|def| Scene::build(&def, RATE_HZ));
    scene.map(Engine::new).map_err(|e| format!("benchmark scene: {e}"))
}

#[cfg(test)]
mod tests {
    use super::super::bank::modes;
    use super::*;

    #[test]
    fn the_pressed_hammer_touches_in_every_sample() {
        for count in [3, 32, 512] {
            let mut engine = pressed(count).unwrap();
            let force = engine.scene().probe("hit.force").unwrap();
            engine.watch(&[force]);
            let mut forces = [0.0; 9600];
            engine.render_probed(&mut [], &mut [0.0; 9600], &mut forces);
            assert!(forces.iter().all(|f| *f > 0.0), "{count} modes");
        }
    }

    #[test]
    fn the_ringing_bank_rings() {
        let mut out = [0.0; 4800];
        ringing(&modes(32)).unwrap().render(&mut [], &mut out);
        assert!(out[2400..].iter().any(|x| x.abs() > 1e-6));
    }
}
