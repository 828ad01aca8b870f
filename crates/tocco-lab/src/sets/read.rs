// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables of a design file, read key by key with the line of every complaint.

use crate::error::{Error, Result};
use tocco::scene::error::nearest;
use tocco::scene::tree::{Data, Entry, Value, clip, plain};

/// One table, its place in the file and the file's name.
pub struct Table<'v, 't> {
    /// How messages call the file.
    pub origin: &'v str,
    /// Place of the table; empty for the file itself.
    pub at: String,
    /// Line of the table.
    pub line: usize,
    entries: &'v [Entry<'t>],
}

/// `file:line: place: what`.
pub fn wrong(origin: &str, line: usize, at: &str, what: impl std::fmt::Display) -> Error {
    let at = if at.is_empty() { String::new() } else { format!("{at}: ") };
    Error::BadInput(format!("{origin}:{line}: {at}{what}"))
}

impl<'v, 't> Table<'v, 't> {
    /// Opens a value that must be a table.
    pub fn open(origin: &'v str, at: String, value: &'v Value<'t>) -> Result<Self> {
        match &value.data {
            Data::Table(entries) => Ok(Self { origin, at, line: value.line, entries }),
            other => Err(wrong(origin, value.line, &at, format!("found {}; wants a table", other.found()))),
        }
    }

    /// Refuses keys that are not in `known`, with the nearest.
    pub fn only(&self, known: &[&str]) -> Result<()> {
        match self.entries.iter().find(|entry| !known.contains(&&*entry.key)) {
            None => Ok(()),
            Some(entry) => {
                let near = nearest(&clip(&entry.key), known.iter().copied());
                Err(wrong(self.origin, entry.line, &self.place(&clip(&entry.key)), format!("unknown key{near}")))
            }
        }
    }

    /// Place of a key.
    pub fn place(&self, key: &str) -> String {
        if self.at.is_empty() { key.to_owned() } else { format!("{}.{key}", self.at) }
    }

    /// Every key in the order of the file.
    pub fn entries(&self) -> &'v [Entry<'t>] {
        self.entries
    }

    /// A key's entry.
    pub fn get(&self, key: &str) -> Option<&'v Entry<'t>> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// An error at a key, or at the table where the key is not there.
    pub fn fail<T>(&self, key: &str, what: impl std::fmt::Display) -> Result<T> {
        match self.get(key) {
            Some(entry) => Err(wrong(self.origin, entry.line, &self.place(key), what)),
            None => Err(wrong(self.origin, self.line, &self.at, what)),
        }
    }

    /// A table inside this one.
    pub fn table(&self, key: &str) -> Result<Option<Table<'v, 't>>> {
        self.get(key).map(|entry| Table::open(self.origin, self.place(key), &entry.value)).transpose()
    }

    /// Text.
    pub fn text(&self, key: &str) -> Result<Option<String>> {
        match self.get(key).map(|entry| &entry.value.data) {
            None => Ok(None),
            Some(Data::Text(text)) => Ok(Some(text.to_string())),
            Some(other) => self.fail(key, format!("found {}; wants text in quotes", other.found())),
        }
    }

    /// One of `words`, by place.
    pub fn word(&self, key: &str, words: &[&str]) -> Result<Option<usize>> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        match words.iter().position(|word| *word == text) {
            Some(place) => Ok(Some(place)),
            None => self
                .fail(key, format!("unknown word '{}'{}", clip(&text), nearest(&clip(&text), words.iter().copied()))),
        }
    }

    /// A number from `low` to `high`.
    pub fn number(&self, key: &str, low: f64, high: f64) -> Result<Option<f64>> {
        let Some(entry) = self.get(key) else { return Ok(None) };
        match number(&entry.value) {
            Some(x) if (low..=high).contains(&x) => Ok(Some(x)),
            _ => {
                let (found, low, high) = (entry.value.data.found(), plain(low), plain(high));
                self.fail(key, format!("found {found}; wants a number from {low} to {high}"))
            }
        }
    }

    /// A whole number from `low` to `high`.
    pub fn whole(&self, key: &str, low: u64, high: u64) -> Result<Option<u64>> {
        match self.get(key).map(|entry| &entry.value.data) {
            None => Ok(None),
            Some(Data::Whole(x)) if (i128::from(low)..=i128::from(high)).contains(x) => Ok(Some(*x as u64)),
            Some(other) => {
                self.fail(key, format!("found {}; wants a whole number from {low} to {high}", other.found()))
            }
        }
    }

    /// A list that is not empty.
    pub fn list(&self, key: &str) -> Result<Option<&'v [Value<'t>]>> {
        match self.get(key).map(|entry| &entry.value.data) {
            None => Ok(None),
            Some(Data::List(list)) if !list.is_empty() => Ok(Some(list)),
            Some(other) => self.fail(key, format!("found {}; wants a list with something in it", other.found())),
        }
    }
}

/// A finite number.
pub fn number(value: &Value<'_>) -> Option<f64> {
    match value.data {
        Data::Number(x) if x.is_finite() => Some(x),
        Data::Whole(x) => Some(x as f64),
        _ => None,
    }
}
