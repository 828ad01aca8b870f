// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scene in the words that a page, a plug-in or a script needs to draw and play it.

use serde_json::{Value, json};
use std::borrow::Cow;
use tocco::Directory;
use tocco::gait::walker::{Ground, LANES};
use tocco::param::{Rate, Spec, Word};
use tocco::scene::def::{AUTO_MOST_S, AUTO_QUIET, BodyDef, Length, ModeDef, SignalForm, WalkDef};
use tocco::scene::kinds::Detail;
use tocco::scene::{ControlInfo, Scene, SceneDef};

/// Bodies with their places, contacts, live paths with their declarations (first the parameters, by number), controls, signals, inlets and the processes that hear
/// them, walkers with their grounds, outputs and inputs.
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
            json!({ "name": name, "path": path, "moves": directory.moved_by(&name), "range": range, "scale": scale.word(), "value": value })
        })
        .collect();
    let outputs: Vec<Value> = directory
        .outputs()
        .iter()
        .map(|output| json!({ "name": output.name, "channels": output.channels, "limiter": output.limiter }))
        .collect();
    // Those of parts follow those of the scene, as their numbers do. What could not be joined was not built.
    let whole = def.whole().unwrap_or(Cow::Borrowed(def));
    let contacts: Vec<Value> = whole
        .contacts
        .iter()
        .map(|contact| {
            json!({ "name": contact.name, "type": contact.form.kind().id, "between": contact.between, "trodden": is_trodden(def, &contact.name) })
        })
        .collect();
    // Parameters of a signal are found by their paths; what an inlet is, and who hears it, is said here.
    let inlets: Vec<Value> = directory
        .inlets()
        .map(|(path, spec)| {
            let name = path.strip_suffix("/value").unwrap_or(&path).to_owned();
            json!({ "name": name, "path": path, "unit": spec.unit, "min": spec.min, "max": spec.max, "rest": spec.default })
        })
        .collect();
    let processes: Vec<Value> = whole
        .processes
        .iter()
        .map(|process| {
            let hears = hears(&whole, &process.driven_by);
            json!({ "name": process.name, "type": process.form.kind().id, "driven_by": process.driven_by, "hears": hears })
        })
        .collect();
    json!({
        "title": def.title,
        "seed": def.seed,
        "rate_hz": scene.rate_hz(),
        "channels": scene.channels(),
        "duration_s": match def.duration { Length::Auto => None, Length::Seconds(s) => Some(s) },
        "auto": { "most_s": AUTO_MOST_S, "quiet": AUTO_QUIET, "hold_s": def.auto_hold_s(), "last_cue": scene.last_cue() },
        "bodies": whole.bodies.iter().map(|body| {
            let mut words = body_words(body, scene, modes_of(&body.name));
            words["look"] = look_words(def, &body.name, "");
            words["trodden"] = is_trodden(def, &body.name).into();
            words
        }).collect::<Vec<_>>(),
        "contacts": contacts,
        "paths": paths.iter().map(path).collect::<Vec<_>>(),
        "parameters": directory.parameters(),
        "controls": controls,
        "signals": directory.signals(),
        "inlets": inlets,
        "traced": traced(directory),
        "walks": def.walks.iter().map(walk_words).collect::<Vec<_>>(),
        "processes": processes,
        "outputs": outputs,
        "inputs": directory.inputs(),
        "omitted": scene.omitted(),
    })
}

fn body_words(body: &BodyDef, scene: &Scene, modes: &[ModeDef]) -> Value {
    let modes: Vec<Value> = modes
        .iter()
        .map(|m| json!({ "freq_hz": m.freq_hz, "decay_s": m.decay_s.is_finite().then_some(m.decay_s), "mass_kg": m.mass_kg }))
        .collect();
    let mut words = json!({ "name": body.name, "modes": modes });
    for (id, detail) in body.form.details() {
        words[id] = match detail {
            Detail::Word(word) => word.into(),
            Detail::Lists(lists) => json!(lists),
            Detail::Places(places) => json!(places),
            Detail::Triples(triples) => json!(triples),
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

/// How a body is drawn, as far as the scene says; one of a part as that scene says. `path` stands before names in there.
fn look_words(def: &SceneDef, body: &str, path: &str) -> Value {
    if let Some((part, rest)) = body.split_once('/') {
        let inside = def.parts.iter().find(|own| own.name == part).and_then(|own| own.inside.as_ref());
        return inside.map_or(Value::Null, |inside| look_words(&inside.def, rest, &format!("{path}{part}/")));
    }
    let Some(look) = def.looks.iter().find(|look| look.name == body) else { return Value::Null };
    json!({
        "place_m": look.place_m, "size_m": look.size_m, "drawing": look.drawing.map(Word::word),
        "moves": look.moves.map(Word::word), "hangs_m": look.hangs_m,
        "rides": look.rides.as_ref().map(|rides| format!("{path}{rides}")),
    })
}

/// Whether something belongs to a part that hears a walker: it is the ground that is walked on, not a thing that stands there.
fn is_trodden(def: &SceneDef, name: &str) -> bool {
    let Some((part, rest)) = name.split_once('/') else { return false };
    let Some(own) = def.parts.iter().find(|own| own.name == part) else { return false };
    let walks =
        |signal: &str| def.walks.iter().any(|walk| signal.split_once('.').is_some_and(|(who, _)| who == walk.name));
    own.signals.iter().any(|(_, signal)| walks(signal))
        || own.inside.as_ref().is_some_and(|inside| is_trodden(&inside.def, rest))
}

/// Names of the signals that a page draws without watching them sample by sample: what a player may press, and what walkers do.
pub fn traced(directory: &Directory) -> Vec<String> {
    let signal = |path: &str| path.strip_suffix("/value").map(|name| format!("{name}.value"));
    let inlets = directory.inlets().filter_map(|(path, _)| signal(&path));
    // Ten lanes of each: a walker is who has a place.
    let signals = directory.signals();
    let walkers = signals.iter().filter_map(|name| name.strip_suffix(".x_left.value")).map(str::to_owned);
    let lanes = walkers.flat_map(|walker| LANES.map(|lane| format!("{walker}.{}.value", lane.id)));
    inlets.chain(lanes).filter(|name| directory.probe(name).is_ok()).collect()
}

/// The signal that one which only reads another comes from.
fn hears<'a>(def: &'a SceneDef, name: &'a str) -> &'a str {
    let mut at = name;
    for _ in 0..def.signals.len() {
        match def.signals.iter().find(|signal| signal.name == at).map(|signal| &signal.form) {
            Some(SignalForm::Probe(probe)) => at = &probe.of,
            _ => break,
        }
    }
    at
}

/// Somebody who walks, and the ground; what has no end is null.
fn walk_words(walk: &WalkDef) -> Value {
    let end = |at: f64| at.is_finite().then_some(at);
    let ground = |ground: &Ground| {
        let (x, y) = (ground.x_m.map(end), ground.y_m.map(end));
        json!({ "name": ground.name, "x_m": x, "y_m": y, "blend_m": ground.blend_m })
    };
    json!({
        "name": walk.name, "by_inlets": walk.make.by_inlets, "mass_kg": walk.mass_kg, "sole": walk.sole.map(|sole| sole.word),
        "start_m": walk.make.start_m, "path_m": walk.make.path_m, "steps": walk.make.steps, "foot_m": walk.make.foot_m,
        "grounds": walk.make.grounds.iter().map(ground).collect::<Vec<_>>(),
    })
}

fn path((path, spec, value): &(String, Spec, f64)) -> Value {
    json!({
        "path": path, "value": value, "unit": spec.unit, "min": spec.min, "max": spec.max, "default": spec.default,
        "scale": spec.scale.word(), "doc": spec.doc,
        "rate": match spec.rate { Rate::Control => "control", Rate::Sample => "sample" },
    })
}
