// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scene in the words a page needs to draw and play it.

use serde_json::{Value, json};
use tocco::param::{Rate, Scale, Spec};
use tocco::resonator::shape::{Stuff, family, locate};
use tocco::scene::def::{BodyDef, BodyForm, ContactForm, Length, LinkDef, ModeDef, PlaceOn, ShapeDef};
use tocco::scene::{ControlInfo, Scene, SceneDef};

/// Bodies with their places, contacts, live paths with their declarations, controls, signals, outputs and inputs.
pub fn scene(def: &SceneDef, scene: &Scene) -> Value {
    let (paths, directory) = (scene.paths(), scene.directory());
    let modes = scene.modes();
    let modes_of =
        |name: &str| modes.iter().find(|(body, _)| body == name).map_or(&[][..], |(_, modes)| modes.as_slice());
    let controls: Vec<Value> = directory
        .controls()
        .into_iter()
        .map(|ControlInfo { name, path, range, scale }| {
            let value = directory.address(&name).ok();
            let value = value.and_then(|control| directory.reading(control, |slot| paths[slot].2));
            json!({ "name": name, "path": path, "range": range, "scale": law(scale), "value": value })
        })
        .collect();
    let outputs: Vec<Value> = directory
        .outputs()
        .iter()
        .map(|output| json!({ "name": output.name, "channels": output.channels, "limiter": output.limiter }))
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
        "seed": def.seed,
        "rate_hz": scene.rate_hz(),
        "channels": scene.channels(),
        "duration_s": match def.duration { Length::Auto => None, Length::Seconds(s) => Some(s) },
        "bodies": def.bodies.iter().map(|body| body_words(body, scene, modes_of(&body.name))).collect::<Vec<_>>(),
        "contacts": contacts,
        "paths": paths.iter().map(path).collect::<Vec<_>>(),
        "controls": controls,
        "signals": directory.signals(),
        "outputs": outputs,
        "inputs": directory.inputs(),
        "omitted": scene.omitted(),
    })
}

fn body_words(body: &BodyDef, scene: &Scene, modes: &[ModeDef]) -> Value {
    let named = |name: &str| json!({ "name": name });
    let placed = |name: &str, place: &[f64]| json!({ "name": name, "place": place });
    let or_one = |ports: Vec<Value>| if ports.is_empty() { vec![named("0")] } else { ports };
    let modes: Vec<Value> = modes
        .iter()
        .map(|m| json!({ "freq_hz": m.freq_hz, "decay_s": m.decay_s.is_finite().then_some(m.decay_s) }))
        .collect();
    let mut words = json!({ "name": body.name, "modes": modes });
    let (kind, ports) = match &body.form {
        BodyForm::Mass { .. } => ("mass", vec![named("0")]),
        BodyForm::Wall { .. } => ("wall", vec![named("0")]),
        BodyForm::Guided { .. } => ("guided", vec![named("0")]),
        BodyForm::Modal { ports, .. } => ("modal", or_one(ports.iter().map(|p| named(&p.name)).collect())),
        BodyForm::String { ports } if ports.is_empty() => {
            ("string", vec![placed("0", &[tocco::resonator::waveguide::DEFAULT_PLACE])])
        }
        BodyForm::String { ports } => ("string", ports.iter().map(|p| placed(&p.name, &[p.place])).collect()),
        BodyForm::Network { masses, links, .. } => {
            words["links"] = links.iter().map(|LinkDef { between, .. }| json!(between)).collect();
            ("network", masses.iter().map(|mass| named(&mass.name)).collect())
        }
        BodyForm::Shape { figure, ports, morph } => {
            words["shape"] = figure.kind.id.into();
            if let Stuff::Named(material) = figure.material {
                words["material"] = material.into();
            }
            words["anywhere"] = morph.is_none().into();
            ("shape", places(figure, ports))
        }
    };
    if kind == "string" {
        let names = scene.directory();
        let first =
            ports.first().and_then(|port| names.site(&format!("{}.{}", body.name, port["name"].as_str()?)).ok());
        words["anywhere"] = first.is_some_and(|site| names.shape_at(site, &[0.5]).is_ok()).into();
    }
    words["type"] = kind.into();
    words["ports"] = ports.into();
    words
}

/// The places of a shape as fractions.
fn places(figure: &ShapeDef, ports: &[PlaceOn]) -> Vec<Value> {
    let Some(family) = family(figure.kind.id) else { return Vec::new() };
    let axes = family.axes.len();
    if ports.is_empty() {
        let first = family.places.first().map_or([0.5; 3], |(_, point)| *point);
        return vec![json!({ "name": "0", "place": first[..axes] })];
    }
    let place = |port: &PlaceOn| locate(family, &port.place).unwrap_or([0.5; 3]);
    ports.iter().map(|port| json!({ "name": port.name, "place": place(port)[..axes] })).collect()
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
