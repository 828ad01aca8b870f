// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a reader of tables needs: checked access with a place and a line in every message.

use super::Lines;
use crate::math::Real;
use crate::param::{KeyType, Kind};
use crate::scene::error::{SceneError, nearest};
use crate::scene::kinds::*;
use crate::scene::tree::{Data, Entry, Value, clip, plain};

pub(super) fn fail<T>(at: impl Into<String>, line: usize, what: impl Into<String>) -> Result<T, SceneError> {
    Err(SceneError { at: at.into(), line: Some(line), what: what.into() })
}

/// "at.key", at the top "key".
pub(super) fn join(at: &str, key: &str) -> String {
    if at.is_empty() { clip(key) } else { format!("{at}.{}", clip(key)) }
}

pub(super) fn table<'v, 't>(value: &'v Value<'t>, at: &str, wanted: &str) -> Result<&'v [Entry<'t>], SceneError> {
    match &value.data {
        Data::Table(entries) => Ok(entries),
        other => fail(at, value.line, format!("found {}; wants {wanted}", other.found())),
    }
}

pub(super) fn list<'v, 't>(value: &'v Value<'t>, at: &str, wanted: &str) -> Result<&'v [Value<'t>], SceneError> {
    match &value.data {
        Data::List(values) => Ok(values),
        other => fail(at, value.line, format!("found {}; wants {wanted}", other.found())),
    }
}

pub(super) fn number(value: &Value<'_>, at: &str, takes: KeyType) -> Result<Real, SceneError> {
    let (unit, min, max) = match takes {
        KeyType::Number { unit, min, max } => (unit, min, max),
        _ => ("1", Real::NEG_INFINITY, Real::INFINITY),
    };
    let number = match value.data {
        Data::Whole(whole) => whole as Real,
        Data::Number(number) => number,
        ref other => return fail(at, value.line, format!("found {}; wants a number{}", other.found(), of_unit(unit))),
    };
    if number.is_finite() && number >= min && number <= max {
        return Ok(number);
    }
    let unit = if unit == "1" || unit.contains("path") { String::new() } else { format!(" {unit}") };
    let range = format!("wants a number from {}{unit} to {}{unit}", plain(min), plain(max));
    if number.is_finite() {
        fail(at, value.line, format!("{}{unit} is out of range; {range}", plain(number)))
    } else {
        fail(at, value.line, format!("{} is not a finite number; {range}", plain(number)))
    }
}

pub(super) fn of_unit(unit: &str) -> String {
    match unit {
        "1" => String::new(),
        unit => format!(" ({unit})"),
    }
}

pub(super) fn text<'v>(value: &'v Value<'_>, at: &str, wanted: &str) -> Result<&'v str, SceneError> {
    match &value.data {
        Data::Text(text) if text.chars().nth(MAX_WORDS).is_some() => {
            fail(at, value.line, format!("is longer than {MAX_WORDS} characters; shorten it"))
        }
        Data::Text(text) => Ok(text),
        other => fail(at, value.line, format!("found {}; wants {wanted}", other.found())),
    }
}

/// Says why a name cannot be used.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err("a name must not be empty".into());
    }
    if name.chars().nth(MAX_NAME).is_some() {
        return Err(format!("name '{}' is longer than {MAX_NAME} characters; shorten it", clip(name)));
    }
    let bad = |c: &char| c.is_whitespace() || c.is_control() || NOT_IN_NAMES.contains(*c);
    match name.chars().find(bad) {
        Some(c) => {
            let list: Vec<String> = NOT_IN_NAMES.chars().map(String::from).collect();
            Err(format!(
                "name '{}' holds '{}'; names hold no blanks and none of {}",
                clip(name),
                c.escape_debug(),
                list.join(" ")
            ))
        }
        None if name == "tocco" => Err("the name 'tocco' is reserved; choose another".into()),
        None => Ok(()),
    }
}

pub(super) fn check_count(at: &str, line: usize, count: usize, most: usize, of: &str) -> Result<(), SceneError> {
    if count > most { fail(at, line, format!("has {count} {of}; at most {most} are read")) } else { Ok(()) }
}

/// A table whose keys have been checked against its kind.
pub(super) struct Node<'v, 't> {
    pub(super) at: String,
    pub(super) line: usize,
    pub(super) kind: &'static Kind,
    /// A second kind whose keys stand beside those of the first.
    pub(super) beside: Option<&'static Kind>,
    pub(super) entries: &'v [Entry<'t>],
}

impl<'v, 't> Node<'v, 't> {
    /// Checks that every key is known and every required one is there.
    pub(super) fn open(
        entries: &'v [Entry<'t>],
        at: String,
        line: usize,
        kind: &'static Kind,
    ) -> Result<Self, SceneError> {
        Self::open_both(entries, at, line, kind, None)
    }

    /// The same for a table whose keys come from two kinds.
    pub(super) fn open_both(
        entries: &'v [Entry<'t>],
        at: String,
        line: usize,
        kind: &'static Kind,
        beside: Option<&'static Kind>,
    ) -> Result<Self, SceneError> {
        let typed = (!kind.id.is_empty()).then_some("type");
        let keys = || kind.keys.iter().chain(beside.iter().flat_map(|kind| kind.keys));
        let known = || typed.into_iter().chain(kind.params.iter().map(|s| s.id)).chain(keys().map(|k| k.id));
        if let Some(entry) = entries.iter().find(|entry| !known().any(|id| id == entry.key)) {
            let what = format!("unknown key{}", nearest(&clip(&entry.key), known()));
            return fail(join(&at, &entry.key), entry.line, what);
        }
        let node = Self { at, line, kind, beside, entries };
        match keys().find(|key| key.required && node.entry(key.id).is_none()) {
            Some(key) => fail(&*node.at, line, format!("needs {} ({})", key.id, in_brief(key.doc))),
            None => Ok(node),
        }
    }

    /// Remembers the lines of the table and its keys for errors found later.
    pub(super) fn note(&self, lines: &mut Lines) {
        if !self.at.is_empty() {
            lines.insert(self.at.clone(), self.line);
        }
        for entry in self.entries {
            lines.insert(self.place(&entry.key), entry.line);
        }
    }

    pub(super) fn place(&self, id: &str) -> String {
        join(&self.at, id)
    }

    pub(super) fn entry(&self, id: &str) -> Option<&'v Entry<'t>> {
        self.entries.iter().find(|entry| entry.key == id)
    }

    pub(super) fn value(&self, id: &str) -> Option<&'v Value<'t>> {
        self.entry(id).map(|entry| &entry.value)
    }

    pub(super) fn takes(&self, id: &str) -> Option<KeyType> {
        let keys = self.kind.keys.iter().chain(self.beside.iter().flat_map(|kind| kind.keys));
        keys.into_iter().find(|key| key.id == id).map(|key| key.takes)
    }

    pub(super) fn fail<T>(&self, id: &str, what: impl Into<String>) -> Result<T, SceneError> {
        match self.entry(id) {
            Some(entry) => fail(self.place(id), entry.line, what),
            None => fail(&*self.at, self.line, what),
        }
    }

    pub(super) fn number(&self, id: &str) -> Result<Option<Real>, SceneError> {
        let takes = self.takes(id).unwrap_or(KeyType::Text);
        self.value(id).map(|value| number(value, &self.place(id), takes)).transpose()
    }

    pub(super) fn number_or(&self, id: &str, default: Real) -> Result<Real, SceneError> {
        Ok(self.number(id)?.unwrap_or(default))
    }

    pub(super) fn whole(&self, id: &str) -> Result<Option<i64>, SceneError> {
        let Some(value) = self.value(id) else { return Ok(None) };
        let (min, max) = match self.takes(id) {
            Some(KeyType::Integer { min, max }) => (min, max),
            _ => (i64::MIN, i64::MAX),
        };
        let whole = match value.data {
            Data::Whole(whole) => whole,
            // JSON does not tell 2 from 2.0.
            Data::Number(number) if number == number.trunc() && number.abs() < 1e15 => number as i128,
            ref other => return self.fail(id, format!("found {}; wants a whole number", other.found())),
        };
        match i64::try_from(whole) {
            Ok(whole) if whole >= min && whole <= max => Ok(Some(whole)),
            _ => self.fail(id, format!("{whole} is out of range; wants a whole number from {min} to {max}")),
        }
    }

    pub(super) fn flag(&self, id: &str) -> Result<Option<bool>, SceneError> {
        match self.value(id).map(|value| &value.data) {
            None => Ok(None),
            Some(Data::Flag(flag)) => Ok(Some(*flag)),
            Some(other) => self.fail(id, format!("found {}; wants true or false", other.found())),
        }
    }

    pub(super) fn text(&self, id: &str) -> Result<Option<&'v str>, SceneError> {
        self.value(id).map(|value| text(value, &self.place(id), "text in quotes")).transpose()
    }

    /// Index of the word in the key's list.
    pub(super) fn word(&self, id: &str) -> Result<Option<usize>, SceneError> {
        let Some(KeyType::Word(words)) = self.takes(id) else { return Ok(None) };
        let Some(word) = self.text(id)? else { return Ok(None) };
        match words.iter().position(|known| *known == word) {
            Some(index) => Ok(Some(index)),
            None => {
                self.fail(id, format!("unknown word '{}'{}", clip(word), nearest(&clip(word), words.iter().copied())))
            }
        }
    }

    /// Values of the live parameters in table order, defaults where the scene says nothing.
    pub(super) fn params(&self) -> Result<Vec<Real>, SceneError> {
        let read = |spec: &crate::param::Spec| match self.value(spec.id) {
            Some(value) => {
                number(value, &self.place(spec.id), KeyType::Number { unit: spec.unit, min: spec.min, max: spec.max })
            }
            None => Ok(spec.default),
        };
        self.kind.params.iter().map(read).collect()
    }

    /// The one of `ids` that is there.
    pub(super) fn one_of(&self, ids: &[&'static str]) -> Result<&'static str, SceneError> {
        let mut given = ids.iter().copied().filter(|id| self.entry(id).is_some());
        match (given.next(), given.next()) {
            (Some(id), None) => Ok(id),
            (Some(first), Some(second)) => {
                self.fail(second, format!("stands beside {first}; keep one of {}", ids.join(", ")))
            }
            _ => self.fail("", format!("needs one of {}", ids.join(", "))),
        }
    }

    /// Refuses `ids` where they have no meaning.
    pub(super) fn none_of(&self, ids: &[&str], what: &str) -> Result<(), SceneError> {
        match ids.iter().find(|id| self.entry(id).is_some()) {
            Some(id) => self.fail(id, what),
            None => Ok(()),
        }
    }

    pub(super) fn needed_number(&self, id: &str, because: &str) -> Result<Real, SceneError> {
        match self.number(id)? {
            Some(number) => Ok(number),
            None => self.fail("", format!("{because} needs {id}")),
        }
    }

    pub(super) fn needed_text(&self, id: &str) -> Result<String, SceneError> {
        match self.text(id)? {
            Some("") => self.fail(id, "is empty; say what it names"),
            Some(text) => Ok(text.to_string()),
            None => self.fail("", format!("needs {id}")),
        }
    }
}

/// The doc's first part, as an aside within a message.
pub(super) fn in_brief(doc: &str) -> String {
    let part = doc.split(['.', ';']).next().unwrap_or(doc);
    let mut chars = part.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// The kind named by `type`.
pub(super) fn kind_of(family_name: &'static str, at: &str, entry: &Entry<'_>) -> Result<&'static Kind, SceneError> {
    let kinds = family(family_name);
    let known: Vec<&str> = kinds.clone().map(|kind| kind.id).collect();
    let entries = table(&entry.value, at, "a table")?;
    let Some(named) = entries.iter().find(|entry| entry.key == "type") else {
        return fail(at, entry.line, format!("needs type, one of {}", known.join(", ")));
    };
    let place = join(at, "type");
    let word = text(&named.value, &place, "text in quotes")?;
    match kinds.clone().find(|kind| kind.id == word) {
        Some(kind) => Ok(kind),
        None => {
            let what = format!("unknown {family_name} type '{}'{}", clip(word), nearest(&clip(word), known));
            fail(place, named.line, what)
        }
    }
}
