// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is wrong with a scene, where, and what to do.

use crate::param::Key;
use std::fmt;

/// A scene that cannot be read or built: one line for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// Place in the scene, e.g. `contact.hit.between`; empty for the whole file.
    pub at: String,
    /// Line in the source text, where known.
    pub line: Option<usize>,
    /// What is wrong and what to do.
    pub what: String,
}

impl SceneError {
    /// An error at a place.
    pub fn new(at: impl Into<String>, what: impl Into<String>) -> Self {
        Self { at: at.into(), line: None, what: what.into() }
    }

    /// `origin:line: place: what`, for people who look at a file.
    pub fn with_origin(&self, origin: &str, line: Option<usize>) -> String {
        let line = line.or(self.line).map_or(String::new(), |line| format!("{line}:"));
        let at = if self.at.is_empty() { String::new() } else { format!("{}: ", self.at) };
        format!("{origin}:{line} {at}{}", self.what)
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if !self.at.is_empty() {
            write!(f, "{}: ", self.at)?;
        }
        f.write_str(&self.what)
    }
}

impl std::error::Error for SceneError {}

/// Most words that a message lists.
const MOST_LISTED: usize = 10;

/// "; did you mean 'x'?" when some known word is near, else the known words; of many only the nearest.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest_of(word, &known.into_iter().collect::<Vec<&str>>())
}

fn nearest_of(word: &str, known: &[&str]) -> String {
    let best = known.iter().map(|k| (distance(word, k), *k)).min();
    match best {
        Some((d, k)) if d < word.chars().count() && d <= 1 + word.chars().count().max(k.chars().count()) / 3 => {
            format!("; did you mean '{k}'?")
        }
        Some(_) if known.len() <= MOST_LISTED => format!("; known: {}", known.join(", ")),
        Some(_) => {
            let far: Vec<usize> = known.iter().map(|k| distance(word, k)).collect();
            let near = crate::order::order(known.len(), &|a, b| far[a].cmp(&far[b]));
            let near: Vec<&str> = near[..MOST_LISTED].iter().map(|&at| known[at]).collect();
            format!("; known: {} and {} more", near.join(", "), known.len() - MOST_LISTED)
        }
        None => String::new(),
    }
}

/// Foreign text made fit for a one-line message.
pub fn clip(text: &str) -> String {
    let mut shown: String = text.chars().take(48).flat_map(char::escape_debug).collect();
    if text.chars().nth(48).is_some() {
        shown.push_str("...");
    }
    shown
}

/// What is said where a required key is missing.
pub(super) fn needs(key: &Key) -> String {
    let part = key.doc.split(['.', ';']).next().unwrap_or(key.doc);
    let mut chars = part.chars();
    let brief: String = chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default();
    format!("needs {} ({brief})", key.id)
}

/// Edit distance (insert, delete, replace, swap of neighbours).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let mut best = (rows[i - 1][j] + 1)
                    .min(rows[i][j - 1] + 1)
                    .min(rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]));
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swapped_letter_finds_its_word_and_a_stranger_gets_the_list() {
        assert_eq!(nearest("bra", ["bar", "wall"]), "; did you mean 'bar'?");
        assert_eq!(nearest("zzzzzz", ["bar", "wall"]), "; known: bar, wall");
    }
}
