// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scene in the words a page needs to draw and play it.

use serde_json::{Value, json};
use tocco::param::{Rate, Scale, Spec};
use tocco::scene::def::{BodyDef, BodyForm, ContactForm, Length};
use tocco::scene::{Scene, SceneDef};

/// Bodies with their places, contacts, live paths with their declarations, controls and signals.
pub fn scene(def: &SceneDef, scene: &Scene) -> Value {
    let paths = scene.paths();
    let value_of = |path: &str| paths.iter().find(|(known, ..)| known == path).map(|(.., value)| *value);
    let controls: Vec<Value> = scene
        .controls()
        .into_iter()
        .map(|(name, path, range, scale)| {
            let value = value_of(&path).map_or(0.5, |value| position(value, range, scale));
            json!({ "name": name, "path": path, "range": range, "scale": law(scale), "value": value })
        })
        .collect();
    let contacts: Vec<Value> = def
        .contacts
        .iter()
        .map(|contact| {
            let kind = match contact.form {
                ContactForm::Impact { .. } => "impact",
                ContactForm::Friction { .. } => "friction",
            };
            json!({ "name": contact.name, "type": kind, "between": contact.between })
        })
        .collect();
    json!({
        "title": def.title,
        "rate_hz": scene.rate_hz(),
        "channels": scene.channels(),
        "duration_s": match def.duration { Length::Auto => None, Length::Seconds(s) => Some(s) },
        "bodies": def.bodies.iter().map(body).collect::<Vec<_>>(),
        "contacts": contacts,
        "paths": paths.iter().map(path).collect::<Vec<_>>(),
        "controls": controls,
        "signals": scene.signals(),
        "omitted": scene.omitted(),
    })
}

fn body(body: &BodyDef) -> Value {
    let named = |name: &str| json!({ "name": name });
    let (kind, ports, modes): (&str, Vec<Value>, Vec<Value>) = match &body.form {
        BodyForm::Mass { .. } => ("mass", vec![named("0")], vec![]),
        BodyForm::Wall { .. } => ("wall", vec![named("0")], vec![]),
        BodyForm::Guided { .. } => ("guided", vec![named("0")], vec![]),
        BodyForm::Modal { modes, ports } => {
            let ports =
                if ports.is_empty() { vec![named("0")] } else { ports.iter().map(|p| named(&p.name)).collect() };
            let modes = modes.iter().map(|m| json!({ "freq_hz": m.freq_hz, "decay_s": finite(m.decay_s) })).collect();
            ("modal", ports, modes)
        }
        BodyForm::String { ports } => {
            let place = |name: &str, place: f64| json!({ "name": name, "place": [place] });
            let ports = if ports.is_empty() {
                vec![place("0", tocco::resonator::waveguide::DEFAULT_PLACE)]
            } else {
                ports.iter().map(|p| place(&p.name, p.place)).collect()
            };
            ("string", ports, vec![])
        }
    };
    json!({ "name": body.name, "type": kind, "ports": ports, "modes": modes })
}

fn path((path, spec, value): &(String, Spec, f64)) -> Value {
    json!({
        "path": path, "value": value, "unit": spec.unit, "min": spec.min, "max": spec.max, "default": spec.default,
        "scale": law(spec.scale), "doc": spec.doc,
        "rate": match spec.rate { Rate::Control => "control", Rate::Sample => "sample" },
    })
}

fn law(scale: Scale) -> &'static str {
    match scale {
        Scale::Linear => "linear",
        Scale::Log => "log",
    }
}

/// Where on its knob a value stands.
fn position(value: f64, [low, high]: [f64; 2], scale: Scale) -> f64 {
    let at = match scale {
        Scale::Linear => (value - low) / (high - low),
        Scale::Log => (value / low).ln() / (high / low).ln(),
    };
    at.clamp(0.0, 1.0)
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
