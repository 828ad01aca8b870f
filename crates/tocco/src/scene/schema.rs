// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scene language as a JSON Schema (draft 2020-12), generated from [`KINDS`], for editors.
//!
//! It ships as `scenes/tocco.schema.json`; in an editor with TOML support, `#:schema tocco.schema.json` on a scene's
//! first line turns on completion and checks. The schema holds what a schema can say; rules that compare values (a
//! shape has one value per mode, times increase, names are unique) are the reader's alone.

use super::kinds::*;
use super::midi::{HIGHEST_CONTROLLER, MIDI, STRENGTH};
use crate::param::{Key, KeyType, Kind, Spec};
use crate::resonator::material::{MATERIAL, MATERIALS};
use crate::resonator::network::{LINK, MASS_KG, MAX_MASSES};
use crate::resonator::shape::{FAMILIES, Family, MORPH, SHAPE as SHAPED};
use crate::texture::TEXTURE;
use serde_json::{Map, Value, json};

/// The schema. `[control]`
pub fn schema() -> Value {
    let mut scene = table(&SCENE);
    let about = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Tocco scene",
    });
    let mut root = Map::new();
    root.extend(object(about));
    root.append(&mut scene);
    Value::Object(root)
}

/// The schema as the text that ships. `[control]`
pub fn schema_text() -> String {
    format!("{:#}\n", schema())
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// A table of this kind: every key, nothing else.
fn table(kind: &Kind) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut required = Vec::new();
    if !kind.id.is_empty() {
        properties.insert("type".into(), json!({ "const": kind.id, "description": kind.doc }));
        if matches!(kind.family, "body" | "contact") {
            required.push("type");
        }
    }
    for spec in kind.params {
        properties.insert(spec.id.into(), parameter(spec));
    }
    for key in kind.keys {
        let mut value = takes(kind, key);
        value.insert("description".into(), with_unit(key.doc, key.takes).into());
        properties.insert(key.id.into(), value.into());
        if key.required {
            required.push(key.id);
        }
    }
    let mut out = object(json!({ "type": "object", "description": kind.doc }));
    if !required.is_empty() {
        out.insert("required".into(), json!(required));
    }
    out.insert("properties".into(), properties.into());
    out.insert("additionalProperties".into(), false.into());
    out.extend(rules(kind));
    out
}

fn parameter(spec: &Spec) -> Value {
    let takes = KeyType::Number { unit: spec.unit, min: spec.min, max: spec.max };
    json!({
        "type": "number",
        "minimum": spec.min,
        "maximum": spec.max,
        "default": spec.default,
        "description": with_unit(spec.doc, takes),
    })
}

fn with_unit(doc: &str, takes: KeyType) -> String {
    match takes {
        KeyType::Number { unit, .. } if unit != "1" && !unit.contains("path") => format!("{doc} Unit: {unit}."),
        _ => doc.into(),
    }
}

fn number(takes: KeyType) -> Value {
    match takes {
        KeyType::Number { min, max, .. } => json!({ "type": "number", "minimum": min, "maximum": max }),
        _ => json!({ "type": "number" }),
    }
}

fn takes(kind: &Kind, key: &Key) -> Map<String, Value> {
    object(match key.takes {
        KeyType::Number { .. } => number(key.takes),
        KeyType::Integer { .. } if key.id == "substeps" => json!({ "enum": [1, 2, 4, 8, 16, 32, 64] }),
        KeyType::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        KeyType::Word(words) => json!({ "enum": words }),
        KeyType::Text if (kind.family, key.id) == ("control", "name") => name(),
        KeyType::Text if key.id == "title" => json!({ "type": "string", "maxLength": MAX_WORDS }),
        KeyType::Text => json!({ "type": "string", "minLength": 1, "maxLength": MAX_WORDS }),
        KeyType::Flag => json!({ "type": "boolean" }),
        KeyType::Form(_) => form(kind, key),
    })
}

/// The forms that a key table cannot say.
fn form(kind: &Kind, key: &Key) -> Value {
    let most = |id| match id {
        "event" => MAX_LIST,
        "control" => MAX_CONTROLS,
        _ => MAX_NODES,
    };
    match key.id {
        "duration_s" => json!({ "anyOf": [
            { "const": "auto" },
            { "type": "number", "exclusiveMinimum": 0, "maximum": MAX_DURATION_S },
        ] }),
        "body" | "contact" => {
            let of = |kind: &Kind| match kind.id {
                "shape" => FAMILIES.iter().map(shape).collect(),
                _ => vec![table(kind).into()],
            };
            let kinds: Vec<Value> = family(key.id).flat_map(of).collect();
            let each = json!({ "type": "object", "required": ["type"], "oneOf": kinds });
            json!({ "type": "object", "propertyNames": name(), "maxProperties": MAX_NODES, "additionalProperties": each })
        }
        "drive" | "event" | "tap" | "control" => {
            let items: Vec<Value> = family(key.id).map(|kind| table(kind).into()).collect();
            json!({ "type": "array", "maxItems": most(key.id), "items": items.first() })
        }
        "output" => {
            let each = table(&OUTPUT);
            json!({ "type": "object", "propertyNames": name(), "maxProperties": MAX_NODES, "additionalProperties": each })
        }
        "channels" => {
            let channel = json!({ "type": "integer", "minimum": 0, "maximum": MAX_CHANNELS - 1 });
            json!({ "type": "array", "minItems": 1, "maxItems": MAX_CHANNELS, "items": channel, "uniqueItems": true })
        }
        "midi" => table(&MIDI).into(),
        "strike" | "hit" | "retune" | "to" => {
            let one = json!({ "type": "string", "minLength": 1, "maxLength": MAX_WORDS });
            json!({ "anyOf": [one, { "type": "array", "minItems": 1, "maxItems": MAX_NODES, "items": one }] })
        }
        "velocity_m_s" | "impulse_n_s" => {
            json!({ "type": "array", "minItems": 2, "maxItems": 2, "items": number(STRENGTH) })
        }
        "cc" => {
            let control = json!({ "type": "string", "minLength": 1, "maxLength": MAX_WORDS });
            let number = json!({ "enum": (0..=HIGHEST_CONTROLLER).map(|n| n.to_string()).collect::<Vec<_>>() });
            json!({ "type": "object", "propertyNames": number, "additionalProperties": control })
        }
        "path" => {
            let path = json!({ "type": "string", "minLength": 1, "maxLength": MAX_WORDS });
            json!({ "anyOf": [path, { "type": "array", "minItems": 1, "maxItems": MAX_NODES, "items": path }] })
        }
        "modes" => json!({ "type": "array", "minItems": 1, "maxItems": MAX_LIST, "items": table(&MODE) }),
        "port" if kind.id == "string" => {
            let place = json!({ "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 });
            json!({ "type": "object", "propertyNames": name(), "maxProperties": MAX_NODES, "additionalProperties": place })
        }
        "port" if kind.family == "morph" => {
            let fraction = json!({ "type": "number", "minimum": 0, "maximum": 1 });
            let many = json!({ "type": "array", "minItems": 1, "maxItems": 3, "items": fraction.clone() });
            json!({
                "type": "object", "propertyNames": name(), "maxProperties": MAX_NODES,
                "additionalProperties": { "anyOf": [{ "type": "string" }, many, fraction] },
            })
        }
        "morph" if kind.id == "modal" => table(&TARGET).into(),
        "morph" => morph(),
        "material" => {
            json!({ "anyOf": [{ "enum": MATERIALS.iter().map(|entry| entry.id).collect::<Vec<_>>() }, table(&MATERIAL)] })
        }
        "texture" => {
            let mut texture = table(&TEXTURE);
            texture.extend(object(match kind.id {
                "impact" => json!({ "required": ["height_m", "travel_from"] }),
                _ => json!({ "allOf": [lacks("height_m"), lacks("travel_from")] }),
            }));
            texture.into()
        }
        "port" => {
            let shape = json!({ "type": "array", "minItems": 1, "maxItems": MAX_LIST, "items": number(SHAPE) });
            json!({ "type": "object", "propertyNames": name(), "maxProperties": MAX_NODES, "additionalProperties": shape })
        }
        "mass_kg" => json!({ "anyOf": [number(MASS_KG), {
            "type": "object", "propertyNames": name(), "minProperties": 1, "maxProperties": MAX_MASSES,
            "additionalProperties": number(MASS_KG),
        }] }),
        "points" if kind.id == "network" => {
            json!({ "type": "array", "minItems": 1, "maxItems": MAX_MASSES, "items": name() })
        }
        "fixed" => json!({ "type": "array", "maxItems": MAX_NODES, "items": name() }),
        "link" => json!({ "type": "array", "maxItems": MAX_LIST, "items": table(&LINK) }),
        "between" if kind.family == "link" => {
            let point = json!({ "type": "string", "minLength": 1, "maxLength": MAX_WORDS });
            json!({ "type": "array", "minItems": 2, "maxItems": MAX_NODES, "items": point })
        }
        "between" => {
            let site = json!({ "type": "string", "minLength": 1, "maxLength": MAX_WORDS });
            json!({ "type": "array", "minItems": 2, "maxItems": 2, "items": site })
        }
        "points" => {
            let point = json!({
                "type": "array", "minItems": 2, "maxItems": 2, "prefixItems": POINT.map(number),
            });
            json!({ "type": "array", "minItems": 1, "maxItems": MAX_LIST, "items": point })
        }
        "noise" => table(&NOISE).into(),
        "range" => json!({ "type": "array", "minItems": 2, "maxItems": 2, "items": number(RANGE) }),
        _ => json!({}),
    }
}

/// A body of one shape: the keys of both kinds, and places as this shape knows them.
fn shape(family: &Family) -> Value {
    let (mut body, own) = (table(&SHAPED), table(family.kind));
    let fraction = json!({ "type": "number", "minimum": 0, "maximum": 1 });
    let axes = family.axes.len();
    let words: Vec<&str> = family.places.iter().map(|(word, _)| *word).collect();
    let mut places = vec![
        json!({ "enum": words }),
        json!({ "type": "array", "minItems": axes, "maxItems": axes, "items": fraction.clone() }),
    ];
    if axes == 1 {
        places.push(fraction);
    }
    let port = json!({
        "type": "object", "propertyNames": name(), "maxProperties": MAX_NODES,
        "additionalProperties": { "anyOf": places },
    });
    let mut required = vec![json!("type")];
    for part in [&body, &own] {
        required.extend(part.get("required").and_then(Value::as_array).into_iter().flatten().cloned());
    }
    required.dedup();
    if family.solid {
        required.push("material".into());
    }
    body.insert("required".into(), required.into());
    body.insert("description".into(), family.kind.doc.into());
    let geometry = own.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    if let Some(Value::Object(properties)) = body.get_mut("properties") {
        properties.extend(geometry);
        properties.insert("type".into(), json!({ "const": "shape" }));
        properties.insert("shape".into(), json!({ "const": family.kind.id, "description": family.kind.doc }));
        properties.insert("port".into(), port);
        if !family.solid {
            properties.remove("material");
        }
    }
    body.into()
}

/// The shape a body morphs into: any key of any shape, which the reader tells apart.
fn morph() -> Value {
    let mut all = table(&MORPH);
    let own =
        FAMILIES.iter().filter_map(|family| table(family.kind).get("properties").and_then(Value::as_object).cloned());
    let own: Vec<_> = own.collect();
    if let Some(Value::Object(properties)) = all.get_mut("properties") {
        own.into_iter().for_each(|own| properties.extend(own));
        properties.remove("type");
    }
    all.into()
}

fn name() -> Value {
    // Only brackets need a backslash within a class; a needless one is an error in Unicode-aware ECMA regexes.
    let class = NOT_IN_NAMES.replace('[', "\\[").replace(']', "\\]");
    json!({
        "type": "string",
        "maxLength": MAX_NAME,
        "pattern": format!("^[^\\s{class}]+$"),
        "not": { "const": "tocco" },
    })
}

fn lacks(id: &str) -> Value {
    json!({ "not": { "required": [id] } })
}

/// Rules between the keys of one table.
fn rules(kind: &Kind) -> Map<String, Value> {
    let has = |id: &str| json!({ "required": [id] });
    let law = |word| json!({ "required": ["law"], "properties": { "law": { "const": word } } });
    object(match kind.family {
        "drive" => json!({
            "oneOf": [has("points"), has("noise"), has("wav"), has("input")],
            "dependentRequired": { "at_s": ["wav"] },
            "if": has("gain"),
            "then": { "anyOf": [has("wav"), has("input")] },
        }),
        "event" => json!({
            "oneOf": [has("strike"), has("hit"), has("set")],
            "dependentRequired": {
                "strike": ["velocity_m_s"], "velocity_m_s": ["strike"],
                "hit": ["impulse_n_s"], "impulse_n_s": ["hit"],
                "set": ["value"], "value": ["set"],
            },
        }),
        "tap" => json!({ "not": { "required": ["channel", "pan_01"] } }),
        "control" => json!({
            "if": { "required": ["scale"], "properties": { "scale": { "const": "log" } } },
            "then": { "properties": { "range": { "items": { "exclusiveMinimum": 0 } } } },
        }),
        "midi" => {
            let picks = |word| json!({ "properties": { "notes": { "const": word } } });
            let unpitched = json!({ "allOf": [lacks("retune"), lacks("reference"), lacks("voices")] });
            let one_body = json!({ "required": ["hit"], "properties": { "hit": { "type": "string" } } });
            json!({
                "oneOf": [has("strike"), has("hit")],
                "dependentRequired": { "velocity_m_s": ["strike"], "impulse_n_s": ["hit"] },
                "allOf": [
                    { "if": picks("pitch"), "then": has("retune"), "else": unpitched },
                    { "if": picks("ports"), "then": one_body },
                ],
            })
        }
        "noise" => json!({ "dependentRequired": { "first_hz": ["beta"] } }),
        "body" if matches!(kind.id, "modal" | "shape") => json!({ "dependentRequired": { "morph_01": ["morph"] } }),
        "body" if kind.id == "network" => json!({
            "if": { "required": ["mass_kg"], "properties": { "mass_kg": { "type": "number" } } },
            "then": has("points"),
            "else": { "allOf": [lacks("points")] },
        }),
        "link" => json!({ "anyOf": [has("stiffness_n_m"), has("damping_n_s_m")] }),
        "contact" if kind.id == "friction" => json!({
            "not": { "required": ["normal_from", "normal_force_n"] },
            "if": law("thermal"),
            "else": { "allOf": ROSIN.map(lacks) },
        }),
        "contact" if kind.id == "impact" => {
            let lossless =
                json!({ "properties": { "dissipation_s_m": { "const": 0 } }, "allOf": [lacks("viscous_exponent")] });
            let by = ["stiffness", "contact_time_s", "hardness_01"];
            let by: Vec<Value> = by.iter().map(|id| has(id)).chain([json!({ "allOf": by.map(lacks) })]).collect();
            json!({ "allOf": [
                { "oneOf": by },
                { "if": has("at_speed_m_s"), "then": { "anyOf": [has("contact_time_s"), has("hardness_01")] } },
                { "if": law("power"), "then": lossless },
                { "if": law("stulov"), "then": lossless },
                { "if": law("linear"), "then": { "properties": { "exponent": { "const": 1 } } } },
                { "if": law("stulov"), "else": { "allOf": [lacks("hysteresis_01"), lacks("relaxation_s")] } },
            ] })
        }
        _ => json!({}),
    })
}
