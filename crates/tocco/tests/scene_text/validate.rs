// SPDX-License-Identifier: MIT OR Apache-2.0
//! A small validator of JSON Schema.

use serde_json::{Value, json};

/// What a document breaks in a schema: the keywords our schema uses, and a panic on any other.
///
/// Written for this test because the validators that can be had take minutes to build.
pub fn breach(schema: &Value, document: &Value) -> Option<String> {
    let rules = schema.as_object().expect("a schema is an object");
    let holds = |schema: &Value| breach(schema, document).is_none();
    let count = |schemas: &Value| schemas.as_array().unwrap().iter().filter(|schema| holds(schema)).count();
    let below = |limit: &Value, n: usize| (n as u64) < limit.as_u64().unwrap();
    let above = |limit: &Value, n: usize| (n as u64) > limit.as_u64().unwrap();
    let equal = |a: &Value, b: &Value| a == b || (a.is_number() && a.as_f64() == b.as_f64());
    let (number, text) = (document.as_f64(), document.as_str());
    let (list, table) = (document.as_array(), document.as_object());
    for (keyword, rule) in rules {
        let broken = match keyword.as_str() {
            "$schema" | "title" | "description" | "default" | "then" | "else" => None,
            "type" => {
                let fits = match rule.as_str().unwrap() {
                    "object" => table.is_some(),
                    "array" => list.is_some(),
                    "string" => text.is_some(),
                    "boolean" => document.is_boolean(),
                    "number" => number.is_some(),
                    "integer" => number.is_some_and(|n| n == n.trunc()),
                    other => panic!("type {other}"),
                };
                (!fits).then(|| format!("is not of type {rule}"))
            }
            "const" => (!equal(rule, document)).then(|| format!("is not {rule}")),
            "enum" => (!rule.as_array().unwrap().iter().any(|v| equal(v, document))).then(|| format!("not in {rule}")),
            "minimum" => number.filter(|n| *n < rule.as_f64().unwrap()).map(|n| format!("{n} < {rule}")),
            "maximum" => number.filter(|n| *n > rule.as_f64().unwrap()).map(|n| format!("{n} > {rule}")),
            "exclusiveMinimum" => number.filter(|n| *n <= rule.as_f64().unwrap()).map(|n| format!("{n} <= {rule}")),
            "exclusiveMaximum" => number.filter(|n| *n >= rule.as_f64().unwrap()).map(|n| format!("{n} >= {rule}")),
            "minLength" => text.filter(|t| below(rule, t.chars().count())).map(|_| "too short".into()),
            "maxLength" => text.filter(|t| above(rule, t.chars().count())).map(|_| "too long".into()),
            "pattern" => {
                assert_eq!(rule, r"^[^\s/.#*,?\[\]{}]+$", "teach this test the new pattern");
                let bad =
                    |t: &&str| t.is_empty() || t.contains(|c: char| c.is_whitespace() || "/.*,?[]{}#".contains(c));
                text.filter(bad).map(|t| format!("{t} is no name"))
            }
            "minItems" => list.filter(|l| below(rule, l.len())).map(|_| "too few".into()),
            "maxItems" => list.filter(|l| above(rule, l.len())).map(|_| "too many".into()),
            "minProperties" => table.filter(|t| below(rule, t.len())).map(|_| "too few".into()),
            "maxProperties" => table.filter(|t| above(rule, t.len())).map(|_| "too many".into()),
            "items" => list.and_then(|l| l.iter().find_map(|item| breach(rule, item))),
            "prefixItems" => {
                list.and_then(|l| l.iter().zip(rule.as_array().unwrap()).find_map(|(item, rule)| breach(rule, item)))
            }
            "required" => {
                let missing = |id: &&Value| table.is_some_and(|t| !t.contains_key(id.as_str().unwrap()));
                rule.as_array().unwrap().iter().find(missing).map(|id| format!("lacks {id}"))
            }
            "properties" => table.and_then(|t| {
                let found = t.iter().filter_map(|(id, value)| Some((id, breach(rule.get(id)?, value)?)));
                found.map(|(id, said)| format!("{id}: {said}")).next()
            }),
            "additionalProperties" => table.and_then(|t| {
                let known = |id: &String| rules.get("properties").is_some_and(|p| p.get(id).is_some());
                let mut others = t.iter().filter(|(id, _)| !known(id));
                match rule {
                    Value::Bool(_) => others.next().map(|(id, _)| format!("{id} is unknown")),
                    rule => others.find_map(|(id, value)| Some(format!("{id}: {}", breach(rule, value)?))),
                }
            }),
            "propertyNames" => table.and_then(|t| t.keys().find_map(|id| breach(rule, &json!(id)))),
            "dependentRequired" => table.and_then(|t| {
                let lacks =
                    |ids: &Value| ids.as_array().unwrap().iter().any(|id| !t.contains_key(id.as_str().unwrap()));
                let broken = |(id, ids): &(&String, &Value)| t.contains_key(*id) && lacks(ids);
                rule.as_object().unwrap().iter().find(broken).map(|(id, ids)| format!("{id} without {ids}"))
            }),
            "not" => holds(rule).then(|| "holds what it must not".into()),
            "oneOf" => (count(rule) != 1).then(|| format!("{} of oneOf hold", count(rule))),
            "anyOf" => (count(rule) == 0).then(|| "none of anyOf holds".into()),
            "allOf" => rule.as_array().unwrap().iter().find_map(|schema| breach(schema, document)),
            "if" => rules.get(if holds(rule) { "then" } else { "else" }).and_then(|rule| breach(rule, document)),
            other => panic!("this test does not know the keyword {other}"),
        };
        if broken.is_some() {
            return broken;
        }
    }
    None
}
