// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the physics tests share: scenes from text, probed runs, an independent restitution.
#![allow(dead_code, reason = "each test file uses its part")]

use tocco::{Engine, Health, Scene, SceneDef};

pub fn engine(text: &str, rate_hz: f64) -> Engine {
    let def = SceneDef::from_text(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Engine::new(Scene::build(&def, rate_hz).unwrap_or_else(|e| panic!("{e}\n{text}")))
}

/// Renders `frames` with the given signals; one row per frame.
pub fn probe(engine: &mut Engine, signals: &[&str], frames: usize) -> (Vec<Vec<f64>>, Health) {
    let probes: Vec<_> = signals.iter().map(|s| engine.scene().probe(s).unwrap_or_else(|e| panic!("{e}"))).collect();
    engine.watch(&probes);
    let mut out = vec![0.0; frames * engine.scene().channels()];
    let mut rows = vec![0.0; frames * signals.len()];
    let health = engine.render_probed(&mut [], &mut out, &mut rows);
    (rows.chunks(signals.len()).map(<[f64]>::to_vec).collect(), health)
}

/// |v_out|/v_in of Hunt-Crossley against a wall, y = mu v_in: root of w - ln w = (1+y) - ln(1+y) in (0, 1), by bisection.
pub fn restitution(y: f64) -> f64 {
    if y < 1e-9 {
        return 1.0 - 2.0 / 3.0 * y;
    }
    let target = y - y.ln_1p();
    // In z = 1 - w: -z - ln(1 - z) = target.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let z: f64 = 0.5 * (low + high);
        if -z - (-z).ln_1p() < target { low = z } else { high = z }
    }
    0.5 * (low + high) / y
}

/// Contact time of an elastic wall collision; with losses it is a little longer.
pub fn contact_time(m: f64, k: f64, a: f64, v: f64) -> f64 {
    3.2 * (m / k).powf(1.0 / (a + 1.0)) * v.powf((1.0 - a) / (1.0 + a))
}

/// Stiffness for a contact of about `tau` seconds.
pub fn stiffness(m: f64, tau: f64, a: f64, v: f64) -> f64 {
    m * (3.2 * v.powf((1.0 - a) / (1.0 + a)) / tau).powf(a + 1.0)
}
