// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the scene language: TOML, or the same document as JSON.
//!
//! ```
//! let scene = tocco::scene::SceneDef::from_text(r#"
//!     body.hammer = { type = "mass", mass_kg = 0.01 }
//!     body.bar = { type = "modal", modes = [{ freq_hz = 220.0, decay_s = 0.5, mass_kg = 0.05 }] }
//!     contact.hit = { type = "impact", between = ["hammer", "bar"], stiffness = 1e9 }
//!     [[event]]
//!     at_s = 0.0
//!     strike = "hammer"
//!     velocity_m_s = 1.0
//!     [[tap]]
//!     of = "bar"
//! "#)?;
//! assert_eq!((scene.bodies.len(), scene.contacts[0].name.as_str()), (2, "hit"));
//!
//! let error = tocco::scene::SceneDef::from_text("[body.hammer]\ntype = \"mass\"\nmas_kg = 1.0").unwrap_err();
//! assert_eq!(error.to_string(), "line 3: body.hammer.mas_kg: unknown key; did you mean 'mass_kg'?");
//! # Ok::<(), tocco::scene::SceneError>(())
//! ```
//!
//! Which keys exist, their ranges and defaults come from [`kinds`](super::kinds); only rules between keys stand here.
//! A list element's place is written with its index from 0: `event[2].at_s`, `body.bar.modes[0].freq_hz`.

use super::def::*;
use super::error::{SceneError, nearest};
use super::kinds::*;
use super::tree::{self, Data, Entry, Value, clip, plain};
use crate::math::Real;
use crate::param::{KeyType, Kind, Scale};
use std::collections::BTreeMap;

type Lines = BTreeMap<String, usize>;

impl SceneDef {
    /// Reads a scene from TOML, or from JSON if the first non-blank character is `{`. Unknown keys and words, missing
    /// keys, wrong types and numbers outside their range are errors that name the place and the line. What only shows
    /// when the parts meet (who is `between`, Nyquist, paths) is left to `Scene::build`. `[control]`
    pub fn from_text(text: &str) -> Result<Self, SceneError> {
        if text.len() > MAX_TEXT_BYTES {
            let what = format!("the scene is {} bytes long; at most {MAX_TEXT_BYTES} are read", text.len());
            return Err(SceneError::new("", what));
        }
        let root = tree::parse(text)?;
        let mut lines = Lines::new();
        let mut def = read_scene(&root, &mut lines)?;
        def.lines = lines;
        Ok(def)
    }
}

fn fail<T>(at: impl Into<String>, line: usize, what: impl Into<String>) -> Result<T, SceneError> {
    Err(SceneError { at: at.into(), line: Some(line), what: what.into() })
}

/// "at.key", at the top "key".
fn join(at: &str, key: &str) -> String {
    if at.is_empty() { clip(key) } else { format!("{at}.{}", clip(key)) }
}

fn table<'v, 't>(value: &'v Value<'t>, at: &str, wanted: &str) -> Result<&'v [Entry<'t>], SceneError> {
    match &value.data {
        Data::Table(entries) => Ok(entries),
        other => fail(at, value.line, format!("found {}; wants {wanted}", other.found())),
    }
}

fn list<'v, 't>(value: &'v Value<'t>, at: &str, wanted: &str) -> Result<&'v [Value<'t>], SceneError> {
    match &value.data {
        Data::List(values) => Ok(values),
        other => fail(at, value.line, format!("found {}; wants {wanted}", other.found())),
    }
}

fn number(value: &Value<'_>, at: &str, takes: KeyType) -> Result<Real, SceneError> {
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

fn of_unit(unit: &str) -> String {
    match unit {
        "1" => String::new(),
        unit => format!(" ({unit})"),
    }
}

fn text<'v>(value: &'v Value<'_>, at: &str, wanted: &str) -> Result<&'v str, SceneError> {
    match &value.data {
        Data::Text(text) if text.chars().nth(MAX_WORDS).is_some() => {
            fail(at, value.line, format!("is longer than {MAX_WORDS} characters; shorten it"))
        }
        Data::Text(text) => Ok(text),
        other => fail(at, value.line, format!("found {}; wants {wanted}", other.found())),
    }
}

/// Says why a name cannot be used.
fn check_name(name: &str) -> Result<(), String> {
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

fn check_count(at: &str, line: usize, count: usize, most: usize, of: &str) -> Result<(), SceneError> {
    if count > most { fail(at, line, format!("has {count} {of}; at most {most} are read")) } else { Ok(()) }
}

/// A table whose keys have been checked against its kind.
struct Node<'v, 't> {
    at: String,
    line: usize,
    kind: &'static Kind,
    entries: &'v [Entry<'t>],
}

impl<'v, 't> Node<'v, 't> {
    /// Checks that every key is known and every required one is there.
    fn open(entries: &'v [Entry<'t>], at: String, line: usize, kind: &'static Kind) -> Result<Self, SceneError> {
        let typed = (!kind.id.is_empty()).then_some("type");
        let known = || typed.into_iter().chain(kind.params.iter().map(|s| s.id)).chain(kind.keys.iter().map(|k| k.id));
        if let Some(entry) = entries.iter().find(|entry| !known().any(|id| id == entry.key)) {
            let what = format!("unknown key{}", nearest(&clip(&entry.key), known()));
            return fail(join(&at, &entry.key), entry.line, what);
        }
        let node = Self { at, line, kind, entries };
        match kind.keys.iter().find(|key| key.required && node.entry(key.id).is_none()) {
            Some(key) => fail(&*node.at, line, format!("needs {} ({})", key.id, in_brief(key.doc))),
            None => Ok(node),
        }
    }

    /// Remembers the lines of the table and its keys for errors found later.
    fn note(&self, lines: &mut Lines) {
        if !self.at.is_empty() {
            lines.insert(self.at.clone(), self.line);
        }
        for entry in self.entries {
            lines.insert(self.place(&entry.key), entry.line);
        }
    }

    fn place(&self, id: &str) -> String {
        join(&self.at, id)
    }

    fn entry(&self, id: &str) -> Option<&'v Entry<'t>> {
        self.entries.iter().find(|entry| entry.key == id)
    }

    fn value(&self, id: &str) -> Option<&'v Value<'t>> {
        self.entry(id).map(|entry| &entry.value)
    }

    fn takes(&self, id: &str) -> Option<KeyType> {
        self.kind.keys.iter().find(|key| key.id == id).map(|key| key.takes)
    }

    fn fail<T>(&self, id: &str, what: impl Into<String>) -> Result<T, SceneError> {
        match self.entry(id) {
            Some(entry) => fail(self.place(id), entry.line, what),
            None => fail(&*self.at, self.line, what),
        }
    }

    fn number(&self, id: &str) -> Result<Option<Real>, SceneError> {
        let takes = self.takes(id).unwrap_or(KeyType::Text);
        self.value(id).map(|value| number(value, &self.place(id), takes)).transpose()
    }

    fn number_or(&self, id: &str, default: Real) -> Result<Real, SceneError> {
        Ok(self.number(id)?.unwrap_or(default))
    }

    fn whole(&self, id: &str) -> Result<Option<i64>, SceneError> {
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

    fn flag(&self, id: &str) -> Result<Option<bool>, SceneError> {
        match self.value(id).map(|value| &value.data) {
            None => Ok(None),
            Some(Data::Flag(flag)) => Ok(Some(*flag)),
            Some(other) => self.fail(id, format!("found {}; wants true or false", other.found())),
        }
    }

    fn text(&self, id: &str) -> Result<Option<&'v str>, SceneError> {
        self.value(id).map(|value| text(value, &self.place(id), "text in quotes")).transpose()
    }

    /// Index of the word in the key's list.
    fn word(&self, id: &str) -> Result<Option<usize>, SceneError> {
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
    fn params(&self) -> Result<Vec<Real>, SceneError> {
        let read = |spec: &crate::param::Spec| match self.value(spec.id) {
            Some(value) => {
                number(value, &self.place(spec.id), KeyType::Number { unit: spec.unit, min: spec.min, max: spec.max })
            }
            None => Ok(spec.default),
        };
        self.kind.params.iter().map(read).collect()
    }

    /// The one of `ids` that is there.
    fn one_of(&self, ids: &[&'static str]) -> Result<&'static str, SceneError> {
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
    fn none_of(&self, ids: &[&str], what: &str) -> Result<(), SceneError> {
        match ids.iter().find(|id| self.entry(id).is_some()) {
            Some(id) => self.fail(id, what),
            None => Ok(()),
        }
    }

    fn needed_number(&self, id: &str, because: &str) -> Result<Real, SceneError> {
        match self.number(id)? {
            Some(number) => Ok(number),
            None => self.fail("", format!("{because} needs {id}")),
        }
    }

    fn needed_text(&self, id: &str) -> Result<String, SceneError> {
        match self.text(id)? {
            Some("") => self.fail(id, "is empty; say what it names"),
            Some(text) => Ok(text.to_string()),
            None => self.fail("", format!("needs {id}")),
        }
    }
}

/// The doc's first part, as an aside within a message.
fn in_brief(doc: &str) -> String {
    let part = doc.split(['.', ';']).next().unwrap_or(doc);
    let mut chars = part.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

/// The kind named by `type`.
fn kind_of(family_name: &'static str, at: &str, entry: &Entry<'_>) -> Result<&'static Kind, SceneError> {
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

/// Names of bodies, contacts and controls with the place of each: a name means one thing.
struct Names(BTreeMap<String, String>);

impl Names {
    fn add(&mut self, name: &str, at: &str, line: usize) -> Result<(), SceneError> {
        if let Err(what) = check_name(name) {
            return fail(at, line, what);
        }
        match self.0.insert(name.to_string(), at.to_string()) {
            None => Ok(()),
            Some(first) => fail(at, line, format!("the name '{name}' is already taken by {first}; choose another")),
        }
    }
}

fn read_scene(root: &Value<'_>, lines: &mut Lines) -> Result<SceneDef, SceneError> {
    let entries = table(root, "", "a table")?;
    // A newer scene may hold keys this build does not know: its version speaks first.
    check_version(entries)?;
    let node = Node::open(entries, String::new(), root.line, &SCENE)?;
    node.note(lines);
    let mut def = SceneDef {
        title: node.text("title")?.unwrap_or_default().to_string(),
        rate_hz: node.number_or("rate_hz", SceneDef::default().rate_hz)?,
        ..SceneDef::default()
    };
    if let Some(seed) = node.whole("seed")? {
        def.seed = seed.unsigned_abs();
    }
    if let Some(value) = node.value("duration_s") {
        def.duration = read_duration(value)?;
    }
    let mut names = Names(BTreeMap::new());
    for entry in named_tables(&node, "body")? {
        let at = join("body", &entry.key);
        names.add(&entry.key, &at, entry.line)?;
        def.bodies.push(read_body(entry, at, lines)?);
    }
    for entry in named_tables(&node, "contact")? {
        let at = join("contact", &entry.key);
        names.add(&entry.key, &at, entry.line)?;
        def.contacts.push(read_contact(entry, at, lines)?);
    }
    for drive in nodes(&node, &DRIVE, MAX_NODES, lines)? {
        def.drives.push(read_drive(&drive, lines)?);
    }
    for event in nodes(&node, &EVENT, MAX_LIST, lines)? {
        def.events.push(read_event(&event)?);
    }
    for tap in nodes(&node, &TAP, MAX_NODES, lines)? {
        def.taps.push(read_tap(&tap)?);
    }
    for control in nodes(&node, &CONTROL, MAX_CONTROLS, lines)? {
        let read = read_control(&control)?;
        let line = control.entry("name").map_or(control.line, |entry| entry.line);
        names.add(&read.name, &control.place("name"), line)?;
        def.controls.push(read);
    }
    Ok(def)
}

fn check_version(entries: &[Entry<'_>]) -> Result<(), SceneError> {
    let Some(entry) = entries.iter().find(|entry| entry.key == "version") else { return Ok(()) };
    let version = match entry.value.data {
        Data::Whole(whole) => whole as Real,
        Data::Number(number) => number,
        ref other => {
            return fail("version", entry.line, format!("found {}; wants a whole number, {VERSION}", other.found()));
        }
    };
    if version == version.trunc() && version > Real::from(VERSION) {
        let version = plain(version);
        let what = format!("written for a newer Tocco (version {version}, this one reads up to {VERSION}): update");
        return fail("version", entry.line, what);
    }
    if version != Real::from(VERSION) {
        return fail("version", entry.line, format!("there is no version {}; wants {VERSION}", plain(version)));
    }
    Ok(())
}

fn read_duration(value: &Value<'_>) -> Result<Length, SceneError> {
    let at = "duration_s";
    if let Data::Text(word) = &value.data {
        return match &**word {
            "auto" => Ok(Length::Auto),
            _ => fail(at, value.line, format!("found \"{}\"; wants seconds or \"auto\"", clip(word))),
        };
    }
    let seconds = number(value, at, KeyType::Number { unit: "s", min: 0.0, max: MAX_DURATION_S })?;
    if seconds > 0.0 {
        Ok(Length::Seconds(seconds))
    } else {
        fail(
            at,
            value.line,
            format!("0 s is no duration; wants more than 0 s, at most {MAX_DURATION_S} s, or \"auto\""),
        )
    }
}

/// `[body.NAME]` or `[contact.NAME]` tables.
fn named_tables<'v, 't>(scene: &Node<'v, 't>, id: &'static str) -> Result<&'v [Entry<'t>], SceneError> {
    let Some(entry) = scene.entry(id) else { return Ok(&[]) };
    let entries = table(&entry.value, id, &format!("tables [{id}.NAME]"))?;
    check_count(id, entry.line, entries.len(), MAX_NODES, "tables")?;
    Ok(entries)
}

/// `[[drive]]` and the like, each opened as a node of `kind`.
fn nodes<'v, 't>(
    scene: &Node<'v, 't>,
    kind: &'static Kind,
    most: usize,
    lines: &mut Lines,
) -> Result<Vec<Node<'v, 't>>, SceneError> {
    let id = kind.family;
    let Some(entry) = scene.entry(id) else { return Ok(Vec::new()) };
    let wanted = format!("tables [[{id}]]");
    let values = list(&entry.value, id, &wanted)?;
    check_count(id, entry.line, values.len(), most, "tables")?;
    let open = |(index, value): (usize, &'v Value<'t>)| {
        let at = format!("{id}[{index}]");
        let node = Node::open(table(value, &at, &wanted)?, at, value.line, kind)?;
        node.note(lines);
        Ok(node)
    };
    values.iter().enumerate().map(open).collect()
}

fn read_body(entry: &Entry<'_>, at: String, lines: &mut Lines) -> Result<BodyDef, SceneError> {
    let kind = kind_of("body", &at, entry)?;
    let node = Node::open(table(&entry.value, &at, "a table")?, at, entry.line, kind)?;
    node.note(lines);
    let position_m = node.number_or("position_m", 0.0)?;
    let form = match kind.id {
        "mass" => BodyForm::Mass { position_m, velocity_m_s: node.number_or("velocity_m_s", 0.0)? },
        "wall" => BodyForm::Wall { position_m },
        "guided" => BodyForm::Guided { position_m },
        _ => {
            let modes = read_modes(&node, lines)?;
            let ports = read_ports(&node, modes.len(), lines)?;
            BodyForm::Modal { modes, ports }
        }
    };
    Ok(BodyDef { name: entry.key.to_string(), form, params: node.params()? })
}

fn read_modes(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Vec<ModeDef>, SceneError> {
    let Some(entry) = node.entry("modes") else { return Ok(Vec::new()) };
    let (at, wanted) = (node.place("modes"), "a list of { freq_hz, decay_s, mass_kg }");
    let values = list(&entry.value, &at, wanted)?;
    if values.is_empty() {
        return node.fail("modes", "is empty; a modal body needs a mode");
    }
    check_count(&at, entry.line, values.len(), MAX_LIST, "modes")?;
    let read = |(index, value): (usize, &Value<'_>)| {
        let at = format!("{at}[{index}]");
        lines.insert(at.clone(), value.line);
        let mode = Node::open(table(value, &at, "{ freq_hz, decay_s, mass_kg }")?, at, value.line, &MODE)?;
        Ok(ModeDef {
            freq_hz: mode.needed_number("freq_hz", "a mode")?,
            decay_s: mode.number_or("decay_s", Real::INFINITY)?,
            mass_kg: mode.needed_number("mass_kg", "a mode")?,
        })
    };
    values.iter().enumerate().map(read).collect()
}

fn read_ports(node: &Node<'_, '_>, modes: usize, lines: &mut Lines) -> Result<Vec<PortDef>, SceneError> {
    let Some(entry) = node.entry("port") else { return Ok(Vec::new()) };
    let (at, wanted) = (node.place("port"), "a table of name = [one value per mode]");
    let ports = table(&entry.value, &at, wanted)?;
    check_count(&at, entry.line, ports.len(), MAX_NODES, "ports")?;
    let read = |port: &Entry<'_>| {
        let at = join(&at, &port.key);
        if let Err(what) = check_name(&port.key) {
            return fail(at, port.line, what);
        }
        lines.insert(at.clone(), port.line);
        let values = list(&port.value, &at, "a list of one mode-shape value per mode")?;
        if values.len() != modes {
            let what = format!("has {} values and the body has {modes} modes; wants one value per mode", values.len());
            return fail(at, port.line, what);
        }
        let value = |(index, value)| number(value, &format!("{at}[{index}]"), SHAPE);
        let shape: Result<Vec<Real>, SceneError> = values.iter().enumerate().map(value).collect();
        Ok(PortDef { name: port.key.to_string(), shape: shape? })
    };
    ports.iter().map(read).collect()
}

fn read_contact(entry: &Entry<'_>, at: String, lines: &mut Lines) -> Result<ContactDef, SceneError> {
    let kind = kind_of("contact", &at, entry)?;
    let node = Node::open(table(&entry.value, &at, "a table")?, at, entry.line, kind)?;
    node.note(lines);
    let between = read_between(&node)?;
    let mut params = node.params()?;
    let form = read_impact(&node, &mut params)?;
    let substeps = match node.whole("substeps")? {
        None => Substeps::Auto,
        Some(count) => match u32::try_from(count) {
            Ok(count) if count.is_power_of_two() => Substeps::Fixed(count),
            _ => {
                return node.fail("substeps", format!("{count} is not a power of two; wants 1, 2, 4, 8, 16, 32 or 64"));
            }
        },
    };
    Ok(ContactDef { name: entry.key.to_string(), between, form, params, substeps })
}

fn read_between(node: &Node<'_, '_>) -> Result<[String; 2], SceneError> {
    let at = node.place("between");
    let wanted = "two sites, such as [\"hammer\", \"bar.tip\"]";
    let Some(value) = node.value("between") else { return node.fail("", format!("needs between: {wanted}")) };
    let sites = list(value, &at, wanted)?;
    let [a, b] = sites else {
        return node.fail("between", format!("has {} sites; wants {wanted}", sites.len()));
    };
    let site = |value, index: usize| match text(value, &format!("{at}[{index}]"), "\"body\" or \"body.port\"")? {
        "" => node.fail("between", format!("holds an empty text; wants {wanted}")),
        site => Ok(site.to_string()),
    };
    Ok([site(a, 0)?, site(b, 1)?])
}

fn read_impact(node: &Node<'_, '_>, params: &mut [Real]) -> Result<ContactForm, SceneError> {
    let law = match node.word("law")? {
        Some(1) => ImpactLaw::Power,
        Some(2) => ImpactLaw::Linear,
        Some(3) => ImpactLaw::Stulov,
        _ => ImpactLaw::HuntCrossley,
    };
    let index = |id: &str| node.kind.params.iter().position(|spec| spec.id == id).unwrap_or_default();
    if law != ImpactLaw::Stulov {
        node.none_of(
            &["hysteresis_01", "relaxation_s"],
            "belongs to law = \"stulov\"; leave it out or choose that law",
        )?;
    }
    if let ImpactLaw::Power | ImpactLaw::Stulov = law {
        let what = format!(
            "law = \"{}\" has no viscous loss; choose law = \"hunt-crossley\"",
            if law == ImpactLaw::Power { "power" } else { "stulov" }
        );
        if params[index("dissipation_s_m")] != 0.0 {
            return node.fail("dissipation_s_m", what);
        }
        node.none_of(&["viscous_exponent"], &what)?;
    }
    if law == ImpactLaw::Linear {
        let exponent = &mut params[index("exponent")];
        if node.entry("exponent").is_some() && *exponent != 1.0 {
            return node.fail("exponent", "law = \"linear\" has exponent 1; leave it out or choose another law");
        }
        *exponent = 1.0;
    }
    Ok(ContactForm::Impact {
        law,
        viscous_exponent: node.number("viscous_exponent")?,
        exact_wall: node.flag("exact_wall")?.unwrap_or(false),
    })
}

fn read_drive(node: &Node<'_, '_>, lines: &mut Lines) -> Result<DriveDef, SceneError> {
    let path = node.needed_text("path")?;
    let source = node.one_of(&["points", "noise", "wav"])?;
    if source != "wav" {
        node.none_of(&["gain", "at_s"], "belongs to a drive with wav; leave it out")?;
    }
    let source = match source {
        "points" => Source::Points(read_points(node)?),
        "noise" => read_noise(node, lines)?,
        _ => Source::Wav {
            file: node.needed_text("wav")?,
            gain: node.number_or("gain", 1.0)?,
            at_s: node.number_or("at_s", 0.0)?,
        },
    };
    Ok(DriveDef { path, source })
}

fn read_points(node: &Node<'_, '_>) -> Result<Vec<[Real; 2]>, SceneError> {
    let Some(entry) = node.entry("points") else { return Ok(Vec::new()) };
    let at = node.place("points");
    let values = list(&entry.value, &at, "a list of [time in s, value]")?;
    if values.is_empty() {
        return node.fail("points", "is empty; wants at least one [time in s, value]");
    }
    check_count(&at, entry.line, values.len(), MAX_LIST, "points")?;
    let mut points: Vec<[Real; 2]> = Vec::with_capacity(values.len());
    for (index, value) in values.iter().enumerate() {
        let at = format!("{at}[{index}]");
        let pair = list(value, &at, "[time in s, value]")?;
        let [time, level] = pair else {
            return fail(at, value.line, format!("has {} numbers; wants [time in s, value]", pair.len()));
        };
        let point = [number(time, &at, POINT[0])?, number(level, &at, POINT[1])?];
        if let Some(before) = points.last().filter(|before| before[0] >= point[0]) {
            let what = format!("{} s does not come after {} s; times must increase", plain(point[0]), plain(before[0]));
            return fail(at, value.line, what);
        }
        points.push(point);
    }
    Ok(points)
}

fn read_noise(drive: &Node<'_, '_>, lines: &mut Lines) -> Result<Source, SceneError> {
    let Some(entry) = drive.entry("noise") else { return drive.fail("", "needs noise") };
    let at = drive.place("noise");
    let node = Node::open(table(&entry.value, &at, "{ rms, mean, from_s, to_s }")?, at, entry.line, &NOISE)?;
    node.note(lines);
    let (from_s, to_s) = (node.number_or("from_s", 0.0)?, node.number_or("to_s", Real::INFINITY)?);
    if to_s <= from_s {
        return node.fail("to_s", format!("{} s is not after from_s = {} s", plain(to_s), plain(from_s)));
    }
    Ok(Source::Noise { rms: node.needed_number("rms", "noise")?, mean: node.number_or("mean", 0.0)?, from_s, to_s })
}

fn read_event(node: &Node<'_, '_>) -> Result<EventDef, SceneError> {
    let at_s = node.needed_number("at_s", "an event")?;
    let verbs = [("strike", "velocity_m_s"), ("hit", "impulse_n_s"), ("set", "value")];
    let verb = node.one_of(&verbs.map(|(verb, _)| verb))?;
    for (other, amount) in verbs.iter().filter(|(other, _)| *other != verb) {
        node.none_of(&[amount], &format!("belongs to an event with {other}, and this one has {verb}"))?;
    }
    let target = node.needed_text(verb)?;
    let action = match verb {
        "strike" => Action::Strike { body: target, velocity_m_s: node.needed_number("velocity_m_s", "strike")? },
        "hit" => Action::Hit { site: target, impulse_n_s: node.needed_number("impulse_n_s", "hit")? },
        _ => Action::Set { path: target, value: node.needed_number("value", "set")? },
    };
    Ok(EventDef { at_s, action })
}

fn read_tap(node: &Node<'_, '_>) -> Result<TapDef, SceneError> {
    let quantity = match node.word("quantity")? {
        Some(0) => Quantity::Position,
        Some(2) => Quantity::Acceleration,
        Some(3) => Quantity::Force,
        Some(4) => Quantity::Compression,
        _ => Quantity::Velocity,
    };
    let to = match (node.whole("channel")?, node.number("pan_01")?) {
        (Some(_), Some(_)) => return node.fail("pan_01", "stands beside channel; keep one of channel, pan_01"),
        (None, Some(pan)) => TapTo::Pan(pan),
        (channel, None) => TapTo::Channel(usize::try_from(channel.unwrap_or(0)).unwrap_or(0)),
    };
    Ok(TapDef { of: node.needed_text("of")?, quantity, gain: node.number_or("gain", 1.0)?, to })
}

fn read_control(node: &Node<'_, '_>) -> Result<ControlDef, SceneError> {
    let at = node.place("range");
    let wanted = "[value at 0, value at 1]";
    let Some(value) = node.value("range") else { return node.fail("", format!("needs range: {wanted}")) };
    let ends = list(value, &at, wanted)?;
    let [low, high] = ends else {
        return node.fail("range", format!("has {} numbers; wants {wanted}", ends.len()));
    };
    let range = [number(low, &at, RANGE)?, number(high, &at, RANGE)?];
    let scale = if node.word("scale")? == Some(1) { Scale::Log } else { Scale::Linear };
    if range[0] == range[1] {
        return node.fail("range", format!("both ends are {}; the control would move nothing", plain(range[0])));
    }
    if scale == Scale::Log && range.iter().any(|end| *end <= 0.0) {
        return node.fail("range", "scale = \"log\" needs both ends above 0");
    }
    // An empty name gets the message about names.
    let name = node.text("name")?.unwrap_or_default().to_string();
    Ok(ControlDef { name, path: node.needed_text("path")?, range, scale })
}
