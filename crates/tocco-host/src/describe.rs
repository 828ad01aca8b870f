// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco describe`: every key and parameter a scene may hold, or every live path of one scene, from the engine's own
//! tables.

use crate::check::short;
use crate::console;
use crate::error::{Result, bad};
use crate::library::{self, SHIPPED};
use crate::render::Plan;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use tocco::param::{Key, KeyType, Kind, Rate, Spec, Word};
use tocco::resonator::material::{Entry, MATERIALS, Material, REFERENCE_HZ};
use tocco::scene::ControlInfo;
use tocco::scene::error::nearest;
use tocco::scene::kinds::{KINDS, family};

/// Text or JSON for all kinds, one kind, or one scene.
pub fn describe(what: Option<&str>, as_json: bool) -> Result<String> {
    if what == Some("materials") {
        return Ok(if as_json {
            pretty(&MATERIALS.iter().map(material_json).collect::<Vec<_>>().into())
        } else {
            materials()
        });
    }
    let Some(what) = what else {
        return Ok(if as_json { pretty(&KINDS.iter().map(kind_json).collect::<Vec<_>>().into()) } else { overview() });
    };
    let named = |word: &str| KINDS.iter().filter(|kind| kind.id == word || kind.family == word).collect::<Vec<&Kind>>();
    let mut kinds = named(what);
    if kinds.is_empty() {
        kinds = named(&singular(what));
    }
    // A shape may be called as a scene is: then both are told, and as JSON the scene.
    let is_shape = kinds.iter().all(|kind| kind.family == "shape");
    let shares = !kinds.is_empty() && is_shape && SHIPPED.iter().any(|(name, _)| *name == what);
    if shares && !Path::new(what).is_file() {
        let described = scene(&Plan::new(library::load(what)?), as_json)?;
        let shape = kinds.iter().map(|kind| kind_text(kind)).collect::<Vec<_>>().join("\n");
        return Ok(if as_json { described } else { format!("{described}\n{shape}") });
    }
    if !kinds.is_empty() && !Path::new(what).is_file() {
        return Ok(if as_json {
            pretty(&kinds.iter().map(|kind| kind_json(kind)).collect::<Vec<_>>().into())
        } else {
            kinds.iter().map(|kind| kind_text(kind)).collect::<Vec<_>>().join("\n")
        });
    }
    let is_scene = SHIPPED.iter().any(|(name, _)| *name == what);
    if !is_scene && !Path::new(what).exists() && !what.contains(['/', '.', '\\']) {
        if let Some(entry) = Material::named(what) {
            return Ok(if as_json { pretty(&material_json(entry)) } else { material_text(entry) });
        }
        let known = kind_names().into_iter().chain(SHIPPED.iter().map(|(name, _)| *name));
        let known = known.chain(MATERIALS.iter().map(|entry| entry.id)).chain(["materials"]);
        return bad(format!("no kind and no scene '{what}'{}", nearest(what, known)));
    }
    let described = scene(&Plan::new(library::load(what)?), as_json)?;
    // A scene may be called as a material is.
    match Material::named(what) {
        Some(entry) if is_scene && !as_json => Ok(format!("{described}\n{}", material_text(entry))),
        _ => Ok(described),
    }
}

/// Many of a kind are asked for by its plural.
fn singular(word: &str) -> String {
    match word.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => word.strip_suffix('s').unwrap_or(word).into(),
    }
}

fn kind_names() -> Vec<&'static str> {
    let mut names: Vec<&str> =
        KINDS.iter().map(|kind| if kind.id.is_empty() { kind.family } else { kind.id }).collect();
    names.dedup();
    names
}

/// The table of materials for people.
fn materials() -> String {
    let mut text = String::from(
        "What a shape may be made of: material = \"NAME\", or a table of your own ('tocco describe material').\n\
         Q and decay (to 1/e) at 1 kHz, with what supports and air take; Q inside is that of the bulk alone.\n\
         'tocco describe NAME' says where the numbers come from.\n\n",
    );
    let _ = writeln!(
        text,
        "  {:<11} {:<10} {:>7} {:>9} {:>8} {:>7} {:>9} {:>7} {:>9}",
        "name", "class", "kg/m^3", "E, GPa", "poisson", "Q", "decay, ms", "Q of f", "Q inside"
    );
    for entry in MATERIALS {
        let m = entry.material;
        let bends = if m.loss_exponent == 0.0 { "flat".into() } else { format!("f^-{}", m.loss_exponent) };
        let _ = writeln!(
            text,
            "  {:<11} {:<10} {:>7} {:>9} {:>8} {:>7.0} {:>9.1} {:>7} {:>9.0}",
            entry.id,
            entry.class,
            m.density_kg_m3,
            short(1e-9 * m.young_pa),
            m.poisson,
            m.q(REFERENCE_HZ),
            1e3 * m.decay_s(REFERENCE_HZ),
            bends,
            entry.bare().q(REFERENCE_HZ)
        );
    }
    text
}

fn material_text(entry: &Entry) -> String {
    let m = entry.material;
    format!(
        "material = \"{}\"\n  {}\n  density_kg_m3 = {}, young_pa = {:e}, poisson = {}\n  loss_factor = {} at 1 kHz, of which \
         inside {}; loss_exponent = {}\n  Q {:.0} at 1 kHz, decay to 1/e in {:.1} ms\n  source: {}\n",
        entry.id,
        entry.doc,
        m.density_kg_m3,
        m.young_pa,
        m.poisson,
        short(m.loss_factor),
        short(entry.inner_loss),
        m.loss_exponent,
        m.q(REFERENCE_HZ),
        1e3 * m.decay_s(REFERENCE_HZ),
        entry.source
    )
}

fn material_json(entry: &Entry) -> Value {
    let m = entry.material;
    json!({
        "id": entry.id, "class": entry.class, "doc": entry.doc, "density_kg_m3": m.density_kg_m3,
        "young_pa": m.young_pa, "poisson": m.poisson, "loss_factor": m.loss_factor,
        "loss_exponent": m.loss_exponent, "inner_loss": entry.inner_loss, "q_1khz": m.q(REFERENCE_HZ),
        "decay_s_1khz": m.decay_s(REFERENCE_HZ), "source": entry.source,
    })
}

fn overview() -> String {
    let mut text = String::from(
        "What a scene may hold ('tocco describe KIND' for one, 'tocco describe SCENE' for its live paths):\n\n",
    );
    for kind in KINDS {
        text.push_str(&kind_text(kind));
        text.push('\n');
    }
    text
}

fn heading(kind: &Kind) -> String {
    match (kind.family, kind.id) {
        ("scene", _) => "scene file".into(),
        ("body" | "contact", id) => format!("[{}.NAME]  type = \"{id}\"", kind.family),
        ("shape", id) => format!("[body.NAME]  type = \"shape\"  shape = \"{id}\"  (and the keys of type = \"shape\")"),
        ("drive" | "event" | "tap" | "control", _) => format!("[[{}]]", kind.family),
        ("midi", _) => "[midi]".into(),
        (family, _) => family.into(),
    }
}

fn kind_text(kind: &Kind) -> String {
    let mut text = format!("{}\n  {}\n", heading(kind), kind.doc);
    for spec in kind.params {
        let _ = writeln!(text, "  {:<18} {:<44} {}", spec.id, spec_words(spec), spec.doc);
    }
    for key in kind.keys {
        let must = if key.required { ", required" } else { "" };
        let _ = writeln!(text, "  {:<18} {:<44} {}", key.id, format!("{}{must}", takes_words(key)), key.doc);
    }
    text
}

fn unit_words(unit: &str) -> String {
    if unit == "1" { String::new() } else { format!(" {unit}") }
}

/// What a parameter takes, in words.
pub fn spec_words(spec: &Spec) -> String {
    format!(
        "live, {} to {}{}, default {}",
        short(spec.min),
        short(spec.max),
        unit_words(spec.unit),
        short(spec.default)
    )
}

/// What a structural key takes, in words.
pub fn takes_words(key: &Key) -> String {
    match key.takes {
        KeyType::KindOf(of) => family(of).map(|kind| kind.id).collect::<Vec<_>>().join(" | "),
        takes => takes.words(key.id),
    }
}

fn spec_json(spec: &Spec) -> Value {
    json!({
        "id": spec.id, "unit": spec.unit, "min": spec.min, "max": spec.max, "default": spec.default,
        "scale": spec.scale.word(),
        "rate": match spec.rate { Rate::Control => "control", Rate::Sample => "sample" },
        "glide_s": spec.glide_s, "doc": spec.doc,
    })
}

fn key_json(key: &Key) -> Value {
    json!({ "id": key.id, "takes": takes_json(&key.takes), "required": key.required, "doc": key.doc })
}

fn takes_json(takes: &KeyType) -> Value {
    match takes {
        KeyType::Number { unit, min, max } => json!({ "number": { "unit": unit, "min": min, "max": max } }),
        KeyType::Inside { above, below } => json!({ "inside": { "above": above, "below": below } }),
        KeyType::Integer { min, max } => json!({ "integer": { "min": min, "max": max } }),
        KeyType::PowerOfTwo { max } => json!({ "power_of_two": { "max": max } }),
        KeyType::Duration { max_s } => json!({ "duration": { "max_s": max_s } }),
        KeyType::Word(words) => json!({ "word": words }),
        KeyType::Law(laws) => json!({ "word": laws.iter().map(|law| law.word).collect::<Vec<_>>() }),
        KeyType::KindOf(family) => json!({ "kind_of": family }),
        KeyType::Text => json!("text"),
        KeyType::Named(thing) => json!({ "named": thing.word() }),
        KeyType::Name => json!("name"),
        KeyType::Flag => json!("flag"),
        KeyType::Place => json!("place"),
        KeyType::List { of, min, max } => json!({ "list": { "of": takes_json(of), "min": min, "max": max } }),
        KeyType::Several { of, max } => json!({ "several": { "of": takes_json(of), "max": max } }),
        KeyType::Row(all) => json!({ "row": all.iter().map(takes_json).collect::<Vec<_>>() }),
        KeyType::Paths { of, max } => json!({ "paths": { "of": takes_json(of), "max": max } }),
        KeyType::Map { of, min, max } => json!({ "map": { "of": takes_json(of), "min": min, "max": max } }),
        KeyType::Numbered { of, max } => json!({ "numbered": { "of": takes_json(of), "max": max } }),
        KeyType::Table(kind) => json!({ "table": kind.family }),
        KeyType::Tables { of, min, max } => json!({ "tables": { "of": of.family, "min": min, "max": max } }),
        KeyType::Nodes { family, max } => json!({ "nodes": { "of": family, "max": max } }),
        KeyType::Either(all) => json!({ "either": all.iter().map(takes_json).collect::<Vec<_>>() }),
    }
}

fn kind_json(kind: &Kind) -> Value {
    json!({
        "family": kind.family, "id": kind.id, "doc": kind.doc,
        "params": kind.params.iter().map(spec_json).collect::<Vec<_>>(),
        "keys": kind.keys.iter().map(key_json).collect::<Vec<_>>(),
    })
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Live paths and probe signals of a scene.
fn scene(plan: &Plan, as_json: bool) -> Result<String> {
    let scene = plan.build()?;
    let (paths, controls, signals) = (scene.paths(), scene.directory().controls(), scene.directory().signals());
    if as_json {
        let paths: Vec<Value> = paths
            .iter()
            .map(|(path, spec, value)| {
                let mut row = json!({ "path": path, "value": value });
                if let (Value::Object(row), Value::Object(spec)) = (&mut row, spec_json(spec)) {
                    row.extend(spec);
                }
                row
            })
            .collect();
        let controls: Vec<Value> = controls
            .iter()
            .map(|ControlInfo { name, path, range, scale }| {
                let all = scene.directory().moved_by(name);
                json!({ "name": name, "path": path, "paths": all, "range": range, "scale": scale.word() })
            })
            .collect();
        return Ok(pretty(
            &json!({ "scene": plan.scene.name, "paths": paths, "controls": controls, "signals": signals }),
        ));
    }
    let mut text = format!(
        "{}: {}\n\nlive paths (--set PATH=VALUE, [[drive]], [[event]] set)\n",
        console::one_line(&plan.scene.name),
        console::one_line(plan.scene.title())
    );
    let wide = paths.iter().map(|(path, ..)| path.chars().count()).max().unwrap_or(0);
    for (path, spec, value) in &paths {
        let range = format!("{} to {}{}", short(spec.min), short(spec.max), unit_words(spec.unit));
        let _ = writeln!(text, "  {path:<wide$}  {:<12} {range:<32} {}", short(*value), spec.doc);
    }
    if !controls.is_empty() {
        text.push_str("\ncontrols (--set NAME=0..1)\n");
    }
    for ControlInfo { name, range: [low, high], scale, .. } in &controls {
        let path = scene.directory().moved_by(name).join(" and ");
        let _ = writeln!(text, "  {name:<wide$}  {path} from {} to {}, {}", short(*low), short(*high), scale.word());
    }
    text.push_str("\nsignals (--probe FILE --probe-of SIGNAL,...)\n");
    for signal in &signals {
        let _ = writeln!(text, "  {signal}");
    }
    Ok(text)
}
