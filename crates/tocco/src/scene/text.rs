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
//! Which keys exist, their ranges and defaults come from [`kinds`](super::kinds), whose files also read the bodies and contacts.
//! A list element's place is written with its index from 0: `event[2].at_s`, `body.bar.modes[0].freq_hz`.

pub(super) mod node;

use super::check::check_name;
use super::check::{Names, Spot};
use super::def::*;
use super::error::SceneError;
use super::kinds::*;
use super::tree::{self, Data, Entry, Patch, Value, clip, plain};
use crate::math::Real;
use crate::param::{KeyType, Kind};
use node::*;
use std::collections::BTreeMap;

pub(super) type Lines = BTreeMap<String, usize>;

impl SceneDef {
    /// Reads a scene from TOML, or from JSON if the first non-blank character is `{`. Unknown keys and words, missing
    /// keys, wrong types and numbers outside their range are errors that name the place and the line. What only shows
    /// when the parts meet (who is `between`, Nyquist, paths) is left to `Scene::build`. `[control]`
    pub fn from_text(text: &str) -> Result<Self, SceneError> {
        if text.len() > MAX_TEXT_BYTES {
            let what = format!("the scene is {} bytes long; at most {MAX_TEXT_BYTES} are read", text.len());
            return Err(SceneError::new("", what));
        }
        Self::from_text_with(text, &[])
    }

    /// Reads a scene as if its text held other values at some places: `body.bar.modes[0].freq_hz`, as messages name
    /// them. Lines stay those of the text. `[control]`
    pub fn from_text_with(text: &str, patches: &[(String, Patch)]) -> Result<Self, SceneError> {
        let mut root = tree::parse(text)?;
        for (place, value) in patches {
            tree::patch(&mut root, place, value)?;
        }
        let mut lines = Lines::new();
        let mut def = read_scene(&root, &mut lines)?;
        def.lines = lines;
        Ok(def)
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
    let mut names = Names::default();
    let mut add =
        |name: &str, at: &str, line| names.add(name, at).map_err(|error| SceneError { line: Some(line), ..error });
    for entry in named_tables(&node, "body")? {
        let at = join("body", &entry.key);
        add(&entry.key, &at, entry.line)?;
        let body = open(entry, at, "body", lines)?;
        let form = read_body(&body, lines)?;
        form.definition().check(&Spot(body.at.clone())).map_err(|error| body.pin(error, lines))?;
        def.bodies.push(BodyDef { name: entry.key.to_string(), form });
    }
    for entry in named_tables(&node, "contact")? {
        let at = join("contact", &entry.key);
        add(&entry.key, &at, entry.line)?;
        let contact = open(entry, at, "contact", lines)?;
        let (between, form) = (read_between(&contact)?, read_contact(&contact, lines)?);
        let spare = contact.flag("spare")?.unwrap_or(false);
        form.definition().check(&Spot(contact.at.clone())).map_err(|error| contact.pin(error, lines))?;
        def.contacts.push(ContactDef { name: entry.key.to_string(), between, spare, form });
    }
    for entry in named_tables(&node, "signal")? {
        let at = join("signal", &entry.key);
        add(&entry.key, &at, entry.line)?;
        let node = open(entry, at, "signal", lines)?;
        let signal = SignalDef::read(&entry.key, &node, lines)?;
        signal.check(&Spot(node.at.clone())).map_err(|error| node.pin(error, lines))?;
        def.signals.push(signal);
    }
    for entry in named_tables(&node, "process")? {
        let at = join("process", &entry.key);
        add(&entry.key, &at, entry.line)?;
        let node = open(entry, at, "process", lines)?;
        let process = ProcessDef::read(&entry.key, &node, lines)?;
        process.check(&Spot(node.at.clone())).map_err(|error| node.pin(error, lines))?;
        def.processes.push(process);
    }
    for entry in named_tables(&node, "walk")? {
        let at = join("walk", &entry.key);
        add(&entry.key, &at, entry.line)?;
        let walk = section(&open_as(&walk::WALK, &entry.value, at, entry.line, lines)?, lines)?;
        def.walks.push(WalkDef { name: entry.key.to_string(), ..walk });
    }
    for entry in named_tables(&node, "part")? {
        let at = join("part", &entry.key);
        add(&entry.key, &at, entry.line)?;
        let part = section(&open_as(&part::PART, &entry.value, at, entry.line, lines)?, lines)?;
        def.parts.push(PartDef { name: entry.key.to_string(), ..part });
    }
    def.drives = sections(&node, MAX_NODES, lines)?;
    def.events = sections(&node, MAX_LIST, lines)?;
    for entry in named_tables(&node, "output")? {
        let at = join("output", &entry.key);
        if let Err(what) = check_name(&entry.key) {
            return fail(at, entry.line, what);
        }
        let output = section(&open_as(&OUTPUT, &entry.value, at, entry.line, lines)?, lines)?;
        def.outputs.push(OutputDef { name: entry.key.to_string(), ..output });
    }
    def.taps = sections(&node, MAX_NODES, lines)?;
    def.controls = sections(&node, MAX_CONTROLS, lines)?;
    for (index, control) in def.controls.iter().enumerate() {
        let at = format!("control[{index}]");
        let line = lines.get(&join(&at, "name")).or(lines.get(&at)).copied();
        add(&control.name, &join(&at, "name"), line.unwrap_or(root.line))?;
    }
    if let Some(entry) = node.entry("midi") {
        let midi = open_as(&MIDI, &entry.value, "midi".into(), entry.value.line, lines)?;
        def.midi = Some(section(&midi, lines)?);
    }
    for entry in named_tables(&node, "look")? {
        let look = open_as(&LOOK, &entry.value, join("look", &entry.key), entry.line, lines)?;
        let own = LookDef { name: entry.key.to_string(), ..section(&look, lines)? };
        own.check_names(&def).map_err(|error| look.pin(error, lines))?;
        def.looks.push(own);
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

/// A table `[body.NAME]` or `[contact.NAME]` as a node of the kind that it names.
fn open<'v, 't>(
    entry: &'v Entry<'t>,
    at: String,
    family: &'static str,
    lines: &mut Lines,
) -> Result<Node<'v, 't>, SceneError> {
    open_as(kind_of(family, &at, entry)?, &entry.value, at, entry.line, lines)
}

/// A table as a node of this kind, whose rules it keeps.
fn open_as<'v, 't>(
    kind: &'static Kind,
    value: &'v Value<'t>,
    at: String,
    line: usize,
    lines: &mut Lines,
) -> Result<Node<'v, 't>, SceneError> {
    let wanted = if kind.id.is_empty() { format!("a table [{at}]") } else { "a table".into() };
    let node = Node::open(table(value, &at, &wanted)?, at, line, kind)?;
    node.note(lines);
    node.obey()?;
    Ok(node)
}

/// Reads what a table says, and asks whether it is as declared.
fn section<P: Section>(node: &Node<'_, '_>, lines: &mut Lines) -> Result<P, SceneError> {
    let part = P::read(node, lines)?;
    part.check(&Spot(node.at.clone())).map_err(|error| node.pin(error, lines))?;
    Ok(part)
}

/// `[[drive]]` and the like.
fn sections<P: Section>(scene: &Node<'_, '_>, most: usize, lines: &mut Lines) -> Result<Vec<P>, SceneError> {
    let tables = nodes(scene, P::KIND, most, lines)?;
    tables
        .iter()
        .map(|table| {
            table.obey()?;
            section(table, lines)
        })
        .collect()
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

/// `[body.NAME]` or `[contact.NAME]` tables.
fn named_tables<'v, 't>(scene: &Node<'v, 't>, id: &'static str) -> Result<&'v [Entry<'t>], SceneError> {
    let Some(entry) = scene.entry(id) else { return Ok(&[]) };
    let entries = table(&entry.value, id, &format!("tables [{id}.NAME]"))?;
    check_count(id, entry.line, entries.len(), MAX_NODES, "tables")?;
    Ok(entries)
}

/// `[[drive]]` and the like, each opened as a node of `kind`.
pub(super) fn nodes<'v, 't>(
    parent: &Node<'v, 't>,
    kind: &'static Kind,
    most: usize,
    lines: &mut Lines,
) -> Result<Vec<Node<'v, 't>>, SceneError> {
    let (id, place) = (kind.family, parent.place(kind.family));
    let Some(entry) = parent.entry(id) else { return Ok(Vec::new()) };
    let wanted = format!("tables [[{place}]]");
    let values = list(&entry.value, &place, &wanted)?;
    check_count(&place, entry.line, values.len(), most, "tables")?;
    let open = |(index, value): (usize, &'v Value<'t>)| {
        let at = format!("{place}[{index}]");
        let node = Node::open(table(value, &at, &wanted)?, at, value.line, kind)?;
        node.note(lines);
        Ok(node)
    };
    values.iter().enumerate().map(open).collect()
}
