// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a reader of tables needs: checked access with a place and a line in every message.

use super::Lines;
use crate::math::Real;
use crate::param::{Key, KeyType, Kind, Params, Rule, Word};
use crate::scene::check::{belongs, check_name, refuses};
use crate::scene::def::line_in;
use crate::scene::error::{SceneError, clip, nearest, needs};
use crate::scene::kinds::{MAX_NODES, MAX_WORDS, family, not_a_power_of_two};
use crate::scene::tree::{Data, Entry, Value};

pub(in crate::scene) fn fail<T>(at: impl Into<String>, line: usize, what: impl Into<String>) -> Result<T, SceneError> {
    Err(SceneError { at: at.into(), line: Some(line), what: what.into() })
}

/// "at.key", at the top "key".
pub(in crate::scene) fn join(at: &str, key: &str) -> String {
    if at.is_empty() { clip(key) } else { format!("{at}.{}", clip(key)) }
}

pub(in crate::scene) fn table<'v, 't>(
    value: &'v Value<'t>,
    at: &str,
    wanted: &str,
) -> Result<&'v [Entry<'t>], SceneError> {
    match &value.data {
        Data::Table(entries) => Ok(entries),
        other => fail(at, value.line, format!("found {}; wants {wanted}", other.found())),
    }
}

pub(in crate::scene) fn list<'v, 't>(
    value: &'v Value<'t>,
    at: &str,
    wanted: &str,
) -> Result<&'v [Value<'t>], SceneError> {
    match &value.data {
        Data::List(values) => Ok(values),
        other => fail(at, value.line, format!("found {}; wants {wanted}", other.found())),
    }
}

pub(in crate::scene) fn number(value: &Value<'_>, at: &str, takes: KeyType) -> Result<Real, SceneError> {
    let number = match value.data {
        Data::Whole(whole) => whole as Real,
        Data::Number(number) => number,
        ref other => {
            let unit = if let KeyType::Number { unit, .. } = takes { of_unit(unit) } else { String::new() };
            return fail(at, value.line, format!("found {}; wants a number{unit}", other.found()));
        }
    };
    match takes.breach(number) {
        Some(what) => fail(at, value.line, what),
        None => Ok(number),
    }
}

/// Two numbers, each within its range.
pub(in crate::scene) fn numbers(
    value: &Value<'_>,
    at: &str,
    takes: [KeyType; 2],
    wanted: &str,
) -> Result<[Real; 2], SceneError> {
    match list(value, at, wanted)? {
        [first, second] => Ok([number(first, at, takes[0])?, number(second, at, takes[1])?]),
        all => fail(at, value.line, format!("has {} numbers; wants {wanted}", all.len())),
    }
}

pub(in crate::scene) fn of_unit(unit: &str) -> String {
    match unit {
        "1" => String::new(),
        unit => format!(" ({unit})"),
    }
}

pub(in crate::scene) fn text<'v>(value: &'v Value<'_>, at: &str, wanted: &str) -> Result<&'v str, SceneError> {
    match &value.data {
        Data::Text(text) if text.chars().nth(MAX_WORDS).is_some() => {
            fail(at, value.line, format!("is longer than {MAX_WORDS} characters; shorten it"))
        }
        Data::Text(text) => Ok(text),
        other => fail(at, value.line, format!("found {}; wants {wanted}", other.found())),
    }
}

pub(in crate::scene) fn check_count(
    at: &str,
    line: usize,
    count: usize,
    most: usize,
    of: &str,
) -> Result<(), SceneError> {
    if count > most { fail(at, line, format!("has {count} {of}; at most {most} are read")) } else { Ok(()) }
}

/// A table whose keys have been checked against its kind.
pub(in crate::scene) struct Node<'v, 't> {
    pub(in crate::scene) at: String,
    pub(in crate::scene) line: usize,
    pub(in crate::scene) kind: &'static Kind,
    /// A second kind whose keys stand beside those of the first.
    pub(in crate::scene) beside: Option<&'static Kind>,
    pub(in crate::scene) entries: &'v [Entry<'t>],
}

impl<'v, 't> Node<'v, 't> {
    /// Checks that every key is known and every required one is there.
    pub(in crate::scene) fn open(
        entries: &'v [Entry<'t>],
        at: String,
        line: usize,
        kind: &'static Kind,
    ) -> Result<Self, SceneError> {
        let choice = kind.keys.iter().find_map(|key| match key.takes {
            KeyType::KindOf(family) => Some((key.id, family)),
            _ => None,
        });
        let beside = choice.map(|(id, family)| named_kind(entries, &at, line, id, family)).transpose()?;
        let node = Self { at, line, kind, beside, entries };
        let typed = (!kind.id.is_empty()).then_some("type");
        let known = || typed.into_iter().chain(kind.params.iter().map(|s| s.id)).chain(node.keys().map(|k| k.id));
        if let Some(entry) = entries.iter().find(|entry| !known().any(|id| id == entry.key)) {
            let what = format!("unknown key{}", nearest(&clip(&entry.key), known()));
            return fail(node.place(&entry.key), entry.line, what);
        }
        match node.keys().find(|key| key.required && node.entry(key.id).is_none()) {
            Some(key) => fail(&*node.at, line, needs(key)),
            None => Ok(node),
        }
    }

    fn keys(&self) -> impl Iterator<Item = &'static Key> + use<> {
        self.kind.keys.iter().chain(self.beside.iter().flat_map(|kind| kind.keys).collect::<Vec<_>>())
    }

    /// Keeps the rules that its kind declares between its keys.
    pub(in crate::scene) fn obey(&self) -> Result<(), SceneError> {
        for key in self.kind.keys {
            // A word that is mistyped speaks before what it would have allowed.
            let word = self.known_word(key.id)?;
            if let KeyType::Law(laws) = key.takes {
                let chosen = laws.iter().find(|law| word.is_none_or(|word| word == law.word));
                for other in laws.iter().filter(|law| chosen.is_some_and(|chosen| chosen.word != law.word)) {
                    self.none_of(other.own, &belongs(other))?;
                }
                chosen.map_or(Ok(()), |law| self.none_of(law.lacks, &refuses(law)))?;
            }
        }
        self.kind.rules.iter().try_for_each(|rule| self.keep(rule))
    }

    fn keep(&self, rule: &Rule) -> Result<(), SceneError> {
        let any = |ids: &[&str]| ids.iter().any(|id| self.entry(id).is_some());
        let chosen = |choice, word| Ok::<bool, SceneError>(self.text(choice)? == Some(word));
        match *rule {
            Rule::OneOf(ids) => self.one_of(ids).map(|_| ()),
            Rule::AtMostOne(ids) if any(ids) => self.one_of(ids).map(|_| ()),
            Rule::Some(ids, what) if !any(ids) => self.fail("", what),
            Rule::Beside(ids, needs, what) if !any(needs) => self.none_of(ids, what),
            Rule::Needs { choice, word, id } if chosen(choice, word)? && !any(&[id]) => {
                self.fail("", format!("needs {id}"))
            }
            Rule::Only { choice, word, ids, what } if !chosen(choice, word)? => self.none_of(ids, what),
            Rule::Within { id, needs, lacks, what } => {
                let Some(entry) = self.entry(id) else { return Ok(()) };
                let Data::Table(inner) = &entry.value.data else { return Ok(()) };
                let has = |id: &&&str| inner.iter().any(|entry| entry.key == **id);
                if let Some(missing) = needs.iter().find(|id| !has(id)) {
                    return self.fail(id, format!("{what} needs {missing}"));
                }
                match inner.iter().find(|entry| lacks.contains(&&*entry.key)) {
                    Some(found) => fail(join(&self.place(id), &found.key), found.line, what),
                    None => Ok(()),
                }
            }
            Rule::ForAll { id, names, alone, both } => match self.value(id).map(|value| &value.data) {
                Some(Data::Number(_) | Data::Whole(_)) if !any(&[names]) => self.fail(id, alone),
                Some(Data::Table(_)) => self.none_of(&[names], both),
                _ => Ok(()),
            },
            // What a value is narrowed to shows when it is read.
            Rule::Narrowed { .. } => Ok(()),
            _ => Ok(()),
        }
    }

    /// An error of a definition's own check, with its line; a key that the text does not hold is named in the message.
    pub(in crate::scene) fn pin(&self, error: SceneError, lines: &Lines) -> SceneError {
        let SceneError { mut at, mut what, .. } = error;
        let own = at.strip_prefix(&self.at).and_then(|rest| rest.strip_prefix('.')).map(str::to_owned);
        let param = |id: &String| self.kind.params.iter().any(|spec| spec.id == id) && self.entry(id).is_none();
        if let Some(id) = own.filter(param) {
            (at, what) = (self.at.clone(), format!("{id} = {what}"));
        }
        let line = match at.strip_prefix(&self.at).and_then(|rest| rest.strip_suffix(']')?.rsplit_once('[')) {
            Some((key, index)) => self.line_in_list(key.trim_start_matches('.'), index),
            None => None,
        };
        SceneError { line: line.or_else(|| line_in(lines, &at)), at, what }
    }

    /// Line of an entry of a list, such as a point of a drive.
    fn line_in_list(&self, id: &str, index: &str) -> Option<usize> {
        match &self.value(id)?.data {
            Data::List(values) => Some(values.get(index.parse::<usize>().ok()?)?.line),
            _ => None,
        }
    }

    /// Remembers the lines of the table and its keys for errors found later.
    pub(in crate::scene) fn note(&self, lines: &mut Lines) {
        if !self.at.is_empty() {
            lines.insert(self.at.clone(), self.line);
        }
        for entry in self.entries {
            lines.insert(self.place(&entry.key), entry.line);
        }
    }

    pub(in crate::scene) fn place(&self, id: &str) -> String {
        join(&self.at, id)
    }

    pub(in crate::scene) fn entry(&self, id: &str) -> Option<&'v Entry<'t>> {
        self.entries.iter().find(|entry| entry.key == id)
    }

    pub(in crate::scene) fn value(&self, id: &str) -> Option<&'v Value<'t>> {
        self.entry(id).map(|entry| &entry.value)
    }

    pub(in crate::scene) fn takes(&self, id: &str) -> Option<KeyType> {
        self.keys().find(|key| key.id == id).map(|key| key.takes)
    }

    pub(in crate::scene) fn fail<T>(&self, id: &str, what: impl Into<String>) -> Result<T, SceneError> {
        match self.entry(id) {
            Some(entry) => fail(self.place(id), entry.line, what),
            None => fail(&*self.at, self.line, what),
        }
    }

    pub(in crate::scene) fn number(&self, id: &str) -> Result<Option<Real>, SceneError> {
        let takes = self.takes(id).unwrap_or(KeyType::Text);
        self.value(id).map(|value| number(value, &self.place(id), takes)).transpose()
    }

    pub(in crate::scene) fn number_or(&self, id: &str, default: Real) -> Result<Real, SceneError> {
        Ok(self.number(id)?.unwrap_or(default))
    }

    pub(in crate::scene) fn whole(&self, id: &str) -> Result<Option<i64>, SceneError> {
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

    /// A whole number that counts, from 0.
    pub(in crate::scene) fn count(&self, id: &str) -> Result<Option<usize>, SceneError> {
        Ok(self.whole(id)?.and_then(|count| usize::try_from(count).ok()))
    }

    /// Two numbers of the same kind.
    pub(in crate::scene) fn numbers(
        &self,
        id: &str,
        takes: KeyType,
        wanted: &str,
    ) -> Result<Option<[Real; 2]>, SceneError> {
        self.value(id).map(|value| numbers(value, &self.place(id), [takes; 2], wanted)).transpose()
    }

    /// One text, or a list of them; none if the key is not there.
    pub(in crate::scene) fn texts(&self, id: &str, wanted: &str) -> Result<Vec<String>, SceneError> {
        let Some(value) = self.value(id) else { return Ok(Vec::new()) };
        if !matches!(value.data, Data::List(_)) {
            return Ok(vec![self.needed_text(id)?]);
        }
        let (place, wanted) = (self.place(id), format!("{wanted}, or a list of them"));
        let all = list(value, &place, &wanted)?;
        if all.is_empty() || all.len() > MAX_NODES {
            return self.fail(id, format!("has {} names; give 1 to {MAX_NODES}", all.len()));
        }
        all.iter()
            .map(|each| match text(each, &place, &wanted)? {
                "" => self.fail(id, "is empty; say what it names"),
                text => Ok(text.to_string()),
            })
            .collect()
    }

    /// The table under a key, as a node of its own, whose rules it keeps.
    pub(in crate::scene) fn within(
        &self,
        id: &str,
        kind: &'static Kind,
        wanted: &str,
        lines: &mut Lines,
    ) -> Result<Node<'v, 't>, SceneError> {
        let Some(entry) = self.entry(id) else { return self.fail("", format!("needs {id}")) };
        let at = self.place(id);
        let node = Node::open(table(&entry.value, &at, wanted)?, at, entry.line, kind)?;
        node.note(lines);
        node.obey()?;
        Ok(node)
    }

    pub(in crate::scene) fn flag(&self, id: &str) -> Result<Option<bool>, SceneError> {
        match self.value(id).map(|value| &value.data) {
            None => Ok(None),
            Some(Data::Flag(flag)) => Ok(Some(*flag)),
            Some(other) => self.fail(id, format!("found {}; wants true or false", other.found())),
        }
    }

    pub(in crate::scene) fn text(&self, id: &str) -> Result<Option<&'v str>, SceneError> {
        self.value(id).map(|value| text(value, &self.place(id), "text in quotes")).transpose()
    }

    /// One of the words that the key takes.
    pub(in crate::scene) fn known_word(&self, id: &str) -> Result<Option<&'v str>, SceneError> {
        let words: Vec<&str> = match self.takes(id) {
            Some(KeyType::Word(words)) => words.to_vec(),
            Some(KeyType::Law(laws)) => laws.iter().map(|law| law.word).collect(),
            _ => return Ok(None),
        };
        match self.text(id)? {
            Some(word) if !words.contains(&word) => {
                self.fail(id, format!("unknown word '{}'{}", clip(word), nearest(&clip(word), words)))
            }
            word => Ok(word),
        }
    }

    /// The choice that the key's word makes.
    pub(in crate::scene) fn word<W: Word>(&self, id: &str) -> Result<Option<W>, SceneError> {
        let Some(word) = self.known_word(id)? else { return Ok(None) };
        match W::from_word(word) {
            Some(choice) => Ok(Some(choice)),
            None => self.fail(id, format!("the word '{word}' is declared, and nothing reads it")),
        }
    }

    pub(in crate::scene) fn power_of_two(&self, id: &str) -> Result<Option<u32>, SceneError> {
        let Some(KeyType::PowerOfTwo { max }) = self.takes(id) else { return Ok(None) };
        match self.whole(id)?.map(|count| (count, u32::try_from(count))) {
            None => Ok(None),
            Some((_, Ok(count))) if count.is_power_of_two() && count <= max => Ok(Some(count)),
            Some((count, _)) => self.fail(id, not_a_power_of_two(count, max)),
        }
    }

    /// The live parameters, defaults where the scene says nothing.
    pub(in crate::scene) fn params<P: Params>(&self) -> Result<P, SceneError> {
        let mut params = P::default();
        for (index, spec) in P::SPECS.iter().enumerate() {
            if let Some(value) = self.value(spec.id) {
                let takes = KeyType::Number { unit: spec.unit, min: spec.min, max: spec.max };
                params.put(index, number(value, &self.place(spec.id), takes)?);
            }
        }
        Ok(params)
    }

    /// The one of `ids` that is there.
    pub(in crate::scene) fn one_of(&self, ids: &[&'static str]) -> Result<&'static str, SceneError> {
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
    pub(in crate::scene) fn none_of(&self, ids: &[&str], what: &str) -> Result<(), SceneError> {
        match ids.iter().find(|id| self.entry(id).is_some()) {
            Some(id) => self.fail(id, what),
            None => Ok(()),
        }
    }

    pub(in crate::scene) fn needed_number(&self, id: &str, because: &str) -> Result<Real, SceneError> {
        match self.number(id)? {
            Some(number) => Ok(number),
            None => self.fail("", format!("{because} needs {id}")),
        }
    }

    pub(in crate::scene) fn needed_text(&self, id: &str) -> Result<String, SceneError> {
        match self.text(id)? {
            Some("") => self.fail(id, "is empty; say what it names"),
            Some(text) => Ok(text.to_string()),
            None => self.fail("", format!("needs {id}")),
        }
    }
}

/// The kind named by `type`.
pub(in crate::scene) fn kind_of(
    family_name: &'static str,
    at: &str,
    entry: &Entry<'_>,
) -> Result<&'static Kind, SceneError> {
    named_kind(table(&entry.value, at, "a table")?, at, entry.line, "type", family_name)
}

/// The kind of this family that the key `id` names.
fn named_kind(
    entries: &[Entry<'_>],
    at: &str,
    line: usize,
    id: &str,
    family_name: &'static str,
) -> Result<&'static Kind, SceneError> {
    let known = || family(family_name).map(|kind| kind.id);
    let Some(named) = entries.iter().find(|entry| entry.key == id) else {
        return fail(at, line, format!("needs {id}, one of {}", known().collect::<Vec<_>>().join(", ")));
    };
    let place = join(at, id);
    let word = text(&named.value, &place, "text in quotes")?;
    match family(family_name).find(|kind| kind.id == word) {
        Some(kind) => Ok(kind),
        None => {
            let noun = if id == "type" { format!("{family_name} type") } else { family_name.into() };
            let what = format!("unknown {noun} '{}'{}", clip(word), nearest(&clip(word), known()));
            fail(place, named.line, what)
        }
    }
}

/// The table of ports, each read by `read` from its place.
pub(in crate::scene) fn named_ports<T>(
    node: &Node<'_, '_>,
    wanted: &str,
    lines: &mut Lines,
    read: impl Fn(&Entry<'_>, String) -> Result<T, SceneError>,
) -> Result<Vec<T>, SceneError> {
    let Some(entry) = node.entry("port") else { return Ok(Vec::new()) };
    let at = node.place("port");
    let ports = table(&entry.value, &at, wanted)?;
    check_count(&at, entry.line, ports.len(), MAX_NODES, "ports")?;
    let one = |port: &Entry<'_>| {
        let at = join(&at, &port.key);
        if let Err(what) = check_name(&port.key) {
            return fail(at, port.line, what);
        }
        lines.insert(at.clone(), port.line);
        read(port, at)
    };
    ports.iter().map(one).collect()
}
