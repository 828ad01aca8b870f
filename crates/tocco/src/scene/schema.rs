// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scene language as a JSON Schema (draft 2020-12), generated from [`KINDS`], for editors.
//!
//! It ships as `scenes/tocco.schema.json`; in an editor with TOML support, `#:schema tocco.schema.json` on a scene's
//! first line turns on completion and checks. The schema holds what a schema can say; rules that compare values (a
//! shape has one value per mode, times increase, names are unique) are the reader's alone.

use super::kinds::shape::MATERIAL;
use super::kinds::*;
use crate::param::{Key, KeyType, Kind, Narrow, Rule, Spec};
use crate::resonator::shape::{FAMILIES, Family};
use serde_json::{Map, Value, json};

/// The schema. `[control]`
pub fn schema() -> Value {
    let mut scene = table(&SCENE, None);
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

/// A table of this kind, and of the shape it names if it names one: every key, nothing else.
fn table(kind: &Kind, shape: Option<&Family>) -> Map<String, Value> {
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
    for key in kind.keys.iter().chain(shape.map_or(&[][..], |shape| shape.kind.keys)) {
        let stuff = is_material(key.takes);
        if stuff && shape.is_some_and(|shape| !shape.solid) {
            continue;
        }
        let mut value = object(takes(&key.takes, shape));
        let doc = match (key.takes, shape) {
            (KeyType::KindOf(_), Some(shape)) => shape.kind.doc,
            _ => key.doc,
        };
        value.insert("description".into(), with_unit(doc, key.takes).into());
        properties.insert(key.id.into(), value.into());
        if key.required || (stuff && shape.is_some()) {
            required.push(key.id);
        }
    }
    let doc = shape.map_or(kind.doc, |shape| shape.kind.doc);
    let mut out = object(json!({ "type": "object", "description": doc }));
    if !required.is_empty() {
        out.insert("required".into(), json!(required));
    }
    out.insert("properties".into(), properties.into());
    out.insert("additionalProperties".into(), false.into());
    out.extend(rules(kind));
    out
}

fn is_material(takes: KeyType) -> bool {
    matches!(takes, KeyType::Either(all) if all.contains(&KeyType::Table(&MATERIAL)))
}

/// A table of this kind; where it names a shape, one for each.
fn tables(kind: &Kind) -> Vec<Value> {
    match names_shape(kind) {
        true => FAMILIES.iter().map(|family| table(kind, Some(family)).into()).collect(),
        false => vec![table(kind, None).into()],
    }
}

fn names_shape(kind: &Kind) -> bool {
    kind.keys.iter().any(|key| matches!(key.takes, KeyType::KindOf(_)))
}

/// A table of this kind within another; where it names a shape, with any key of any shape, which the reader tells apart.
fn inner(kind: &Kind) -> Value {
    let mut all = table(kind, None);
    if let (true, Some(Value::Object(properties))) = (names_shape(kind), all.get_mut("properties")) {
        for key in FAMILIES.iter().flat_map(|family| family.kind.keys) {
            let mut value = object(takes(&key.takes, None));
            value.insert("description".into(), with_unit(key.doc, key.takes).into());
            properties.insert(key.id.into(), value.into());
        }
    }
    all.into()
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

/// What a key of this type takes, on this shape if it belongs to one.
fn takes(this: &KeyType, shape: Option<&Family>) -> Value {
    let each = |of: &KeyType| takes(of, shape);
    match *this {
        KeyType::Number { min, max, .. } => json!({ "type": "number", "minimum": min, "maximum": max }),
        KeyType::Inside { above, below } => {
            json!({ "type": "number", "exclusiveMinimum": above, "exclusiveMaximum": below })
        }
        KeyType::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        KeyType::PowerOfTwo { max } => json!({ "enum": (0..=max.ilog2()).map(|n| 1u32 << n).collect::<Vec<_>>() }),
        KeyType::Duration { max_s } => json!({ "anyOf": [
            { "const": "auto" },
            { "type": "number", "exclusiveMinimum": 0, "maximum": max_s },
        ] }),
        KeyType::Word(words) => json!({ "enum": words }),
        KeyType::Law(laws) => json!({ "enum": laws.iter().map(|law| law.word).collect::<Vec<_>>() }),
        KeyType::KindOf(name) => match shape {
            Some(shape) => json!({ "const": shape.kind.id }),
            None => json!({ "enum": family(name).map(|kind| kind.id).collect::<Vec<_>>() }),
        },
        KeyType::Text => json!({ "type": "string", "maxLength": MAX_WORDS }),
        KeyType::Named(_) => json!({ "type": "string", "minLength": 1, "maxLength": MAX_WORDS }),
        KeyType::Name => name(),
        KeyType::Flag => json!({ "type": "boolean" }),
        KeyType::Place => place(shape),
        KeyType::List { of, min, max } => array(each(of), min, max),
        KeyType::Several { of, max } => json!({ "anyOf": [each(of), array(each(of), 1, max)] }),
        KeyType::Row(all) => {
            let count = all.len();
            let items: Vec<Value> = all.iter().map(each).collect();
            json!({ "type": "array", "minItems": count, "maxItems": count, "prefixItems": items })
        }
        KeyType::Map { of, min, max } => {
            let mut map = object(json!({ "type": "object", "propertyNames": name() }));
            if min > 0 {
                map.insert("minProperties".into(), min.into());
            }
            map.insert("maxProperties".into(), max.into());
            map.insert("additionalProperties".into(), each(of));
            map.into()
        }
        KeyType::Paths { of, max } => {
            json!({ "type": "object", "maxProperties": max, "additionalProperties": each(of) })
        }
        KeyType::Numbered { of, max } => {
            let numbers = json!({ "enum": (0..=max).map(|n| n.to_string()).collect::<Vec<_>>() });
            json!({ "type": "object", "propertyNames": numbers, "additionalProperties": each(of) })
        }
        KeyType::Table(kind) => inner(kind),
        KeyType::Tables { of, min, max } => array(inner(of), min, max),
        KeyType::Nodes { family: name_of, max } => {
            let kinds: Vec<Value> = family(name_of).flat_map(tables).collect();
            let each = json!({ "type": "object", "required": ["type"], "oneOf": kinds });
            json!({ "type": "object", "propertyNames": name(), "maxProperties": max, "additionalProperties": each })
        }
        KeyType::Either(all) => json!({ "anyOf": all.iter().map(each).collect::<Vec<_>>() }),
    }
}

fn array(of: Value, min: usize, max: usize) -> Value {
    match min {
        0 => json!({ "type": "array", "maxItems": max, "items": of }),
        _ => json!({ "type": "array", "minItems": min, "maxItems": max, "items": of }),
    }
}

/// A place: as this shape knows it, or as any does.
fn place(shape: Option<&Family>) -> Value {
    let fraction = json!({ "type": "number", "minimum": 0, "maximum": 1 });
    let Some(family) = shape else {
        return json!({ "anyOf": [{ "type": "string" }, array(fraction.clone(), 1, 3), fraction] });
    };
    let axes = family.axes.len();
    let words: Vec<&str> = family.places.iter().map(|(word, _)| *word).collect();
    let mut places = vec![json!({ "enum": words }), array(fraction.clone(), axes, axes)];
    if axes == 1 {
        places.push(fraction);
    }
    json!({ "anyOf": places })
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

fn has(id: &str) -> Value {
    json!({ "required": [id] })
}

fn lacks(id: &str) -> Value {
    json!({ "not": { "required": [id] } })
}

fn none(ids: &[&str]) -> Value {
    json!({ "allOf": ids.iter().map(|id| lacks(id)).collect::<Vec<_>>() })
}

/// The word of a choice is this one; `first`: or left out.
fn chosen(choice: &str, word: &str, first: bool) -> Value {
    let is = json!({ choice: { "const": word } });
    if first { json!({ "properties": is }) } else { json!({ "required": [choice], "properties": is }) }
}

/// Rules between the keys of one table.
fn rules(kind: &Kind) -> Map<String, Value> {
    let mut needs = Map::new();
    let mut all: Vec<Value> = kind.keys.iter().flat_map(laws).collect();
    for rule in kind.rules {
        match *rule {
            Rule::OneOf(ids) => all.push(json!({ "oneOf": ids.iter().map(|id| has(id)).collect::<Vec<_>>() })),
            Rule::AtMostOne(ids) => {
                let each: Vec<Value> = ids.iter().map(|id| has(id)).chain([none(ids)]).collect();
                all.push(json!({ "oneOf": each }));
            }
            Rule::Some(ids, _) => all.push(json!({ "anyOf": ids.iter().map(|id| has(id)).collect::<Vec<_>>() })),
            Rule::Beside(ids, [one], _) => needs.extend(ids.iter().map(|id| (id.to_string(), json!([one])))),
            Rule::Beside(ids, any, _) => {
                let any: Vec<Value> = any.iter().map(|id| has(id)).collect();
                all.extend(ids.iter().map(|id| json!({ "if": has(id), "then": { "anyOf": any } })));
            }
            Rule::Needs { choice, word, id } => all.push(json!({ "if": chosen(choice, word, false), "then": has(id) })),
            Rule::Only { choice, word, ids, .. } => {
                all.push(json!({ "if": chosen(choice, word, false), "else": none(ids) }));
            }
            Rule::Narrowed { choice, word, id, is, .. } => {
                let narrowed = match is {
                    Narrow::Positive => json!({ "items": { "exclusiveMinimum": 0 } }),
                    Narrow::Single => json!({ "type": "string" }),
                };
                all.push(json!({ "if": chosen(choice, word, false), "then": { "properties": { id: narrowed } } }));
            }
            Rule::Within { id, needs: [], lacks, .. } => all.push(json!({ "properties": { id: none(lacks) } })),
            Rule::Within { id, needs, .. } => all.push(json!({ "properties": { id: { "required": needs } } })),
            Rule::ForAll { id, names, .. } => all.push(json!({
                "if": { "required": [id], "properties": { id: { "type": "number" } } },
                "then": has(names),
                "else": none(&[names]),
            })),
        }
    }
    let mut out = Map::new();
    if !needs.is_empty() {
        out.insert("dependentRequired".into(), needs.into());
    }
    if !all.is_empty() {
        out.insert("allOf".into(), all.into());
    }
    out
}

/// What the laws of a key bring and forbid.
fn laws(key: &Key) -> Vec<Value> {
    let KeyType::Law(laws) = key.takes else { return Vec::new() };
    let mut all = Vec::new();
    for (index, law) in laws.iter().enumerate() {
        let this = chosen(key.id, law.word, index == 0);
        if !law.own.is_empty() {
            all.push(json!({ "if": this, "else": none(law.own) }));
        }
        if !law.lacks.is_empty() || !law.fixes.is_empty() {
            let fixed: Map<String, Value> =
                law.fixes.iter().map(|(id, value)| (id.to_string(), json!({ "const": value }))).collect();
            let mut then = if law.lacks.is_empty() { Map::new() } else { object(none(law.lacks)) };
            then.insert("properties".into(), fixed.into());
            all.push(json!({ "if": this, "then": then }));
        }
    }
    all
}
