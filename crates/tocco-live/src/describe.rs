// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scene in the words that a page, a plug-in or a script needs to draw and play it.

use serde_json::{Value, json};
use tocco::param::{Rate, Spec, Word};
use tocco::scene::def::{BodyDef, Length, ModeDef};
use tocco::scene::kinds::Detail;
use tocco::scene::{ControlInfo, Scene, SceneDef};

/// Bodies with their places, contacts, live paths with their declarations, controls, signals, inlets and the processes that hear
/// them, outputs and inputs.
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
            json!({ "name": name, "path": path, "range": range, "scale": scale.word(), "value": value })
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
        .map(|contact| json!({ "name": contact.name, "type": contact.form.kind().id, "between": contact.between }))
        .collect();
    // Parameters of a signal are found by their paths; what an inlet is, and who hears it, is said here.
    let inlets: Vec<Value> = directory
        .inlets()
        .map(|(path, spec)| {
            let name = path.strip_suffix("/value").unwrap_or(&path).to_owned();
            json!({ "name": name, "path": path, "unit": spec.unit, "min": spec.min, "max": spec.max, "rest": spec.default })
        })
        .collect();
    let processes: Vec<Value> = def
        .processes
        .iter()
        .map(|process| json!({ "name": process.name, "type": process.form.kind().id, "driven_by": process.driven_by }))
        .collect();
    json!({
        "title": def.title,
        "seed": def.seed,
        "rate_hz": scene.rate_hz(),
        "channels": scene.channels(),
        "duration_s": match def.duration { Length::Auto => None, Length::Seconds(s) => Some(s) },
        "bodies": def.bodies.iter().map(|body| body_words(body, scene, modes_of(&body.name))).collect::<Vec<_>>(),
        "contacts": contacts,
        "processes": processes,
        "paths": paths.iter().map(path).collect::<Vec<_>>(),
        "controls": controls,
        "signals": directory.signals(),
        "inlets": inlets,
        "processes": processes,
        "outputs": outputs,
        "inputs": directory.inputs(),
        "omitted": scene.omitted(),
    })
}

fn body_words(body: &BodyDef, scene: &Scene, modes: &[ModeDef]) -> Value {
    let modes: Vec<Value> = modes
        .iter()
        .map(|m| json!({ "freq_hz": m.freq_hz, "decay_s": m.decay_s.is_finite().then_some(m.decay_s) }))
        .collect();
    let mut words = json!({ "name": body.name, "modes": modes });
    for (id, detail) in body.form.details() {
        words[id] = match detail {
            Detail::Word(word) => word.into(),
            Detail::Lists(lists) => json!(lists),
        };
    }
    let names = body.form.ports();
    if let (Some(name), Some(place)) = (names.first(), body.form.place(0)) {
        let site = scene.directory().site(&format!("{}.{name}", body.name));
        words["anywhere"] = site.is_ok_and(|site| scene.directory().values_at(site, &place).is_ok()).into();
    }
    let port = |(index, name): (usize, &&str)| match body.form.place(index) {
        Some(place) => json!({ "name": name, "place": place }),
        None => json!({ "name": name }),
    };
    words["type"] = body.form.kind().id.into();
    words["ports"] = names.iter().enumerate().map(port).collect();
    words
}

fn path((path, spec, value): &(String, Spec, f64)) -> Value {
    json!({
        "path": path, "value": value, "unit": spec.unit, "min": spec.min, "max": spec.max, "default": spec.default,
        "scale": spec.scale.word(), "doc": spec.doc,
        "rate": match spec.rate { Rate::Control => "control", Rate::Sample => "sample" },
    })
}
