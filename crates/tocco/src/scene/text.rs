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

mod midi;
pub(super) mod node;

use super::check::check_name;
use super::check::{Names, Spot};
use super::def::*;
use super::error::SceneError;
use super::kinds::*;
use super::tree::{self, Data, Entry, Patch, Value, clip, plain};
use crate::gesture::Gesture;
use crate::math::Real;
use crate::param::{KeyType, Kind, Scale};
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
        form.wired().check(&Spot(body.at.clone())).map_err(|error| body.pin(error, lines))?;
        def.bodies.push(BodyDef { name: entry.key.to_string(), form });
    }
    for entry in named_tables(&node, "contact")? {
        let at = join("contact", &entry.key);
        add(&entry.key, &at, entry.line)?;
        let contact = open(entry, at, "contact", lines)?;
        let (between, form) = (read_between(&contact)?, read_contact(&contact, lines)?);
        form.laid().check(&Spot(contact.at.clone())).map_err(|error| contact.pin(error, lines))?;
        def.contacts.push(ContactDef { name: entry.key.to_string(), between, form });
    }
    for drive in nodes(&node, &DRIVE, MAX_NODES, lines)? {
        def.drives.push(read_drive(&drive, lines)?);
    }
    for event in nodes(&node, &EVENT, MAX_LIST, lines)? {
        def.events.push(read_event(&event)?);
    }
    for entry in named_tables(&node, "output")? {
        def.outputs.push(read_output(entry, lines)?);
    }
    for tap in nodes(&node, &TAP, MAX_NODES, lines)? {
        def.taps.push(read_tap(&tap)?);
    }
    for control in nodes(&node, &CONTROL, MAX_CONTROLS, lines)? {
        let read = read_control(&control)?;
        let line = control.entry("name").map_or(control.line, |entry| entry.line);
        add(&read.name, &control.place("name"), line)?;
        def.controls.push(read);
    }
    def.midi = node.value("midi").map(|value| midi::read_midi(value, lines)).transpose()?;
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
    let kind = kind_of(family, &at, entry)?;
    let node = Node::open(table(&entry.value, &at, "a table")?, at, entry.line, kind)?;
    node.note(lines);
    node.obey()?;
    Ok(node)
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

fn read_drive(node: &Node<'_, '_>, lines: &mut Lines) -> Result<DriveDef, SceneError> {
    let path = node.needed_text("path")?;
    let source = node.one_of(&["points", "noise", "wav", "input"])?;
    if source != "wav" {
        node.none_of(&["at_s"], "belongs to a drive with wav; leave it out")?;
        if source != "input" {
            node.none_of(&["gain"], "belongs to a drive with wav or input; leave it out")?;
        }
    }
    let source = match source {
        "points" => Source::Points(read_points(node)?),
        "noise" => read_noise(node, lines)?,
        "input" => {
            let channel = node.whole("input")?.and_then(|channel| usize::try_from(channel).ok()).unwrap_or(0);
            Source::Input { channel, gain: node.number_or("gain", 1.0)? }
        }
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
    let node =
        Node::open(table(&entry.value, &at, "{ rms, mean, from_s, to_s, beta, first_hz }")?, at, entry.line, &NOISE)?;
    node.note(lines);
    let (from_s, to_s) = (node.number_or("from_s", 0.0)?, node.number_or("to_s", Real::INFINITY)?);
    if to_s <= from_s {
        return node.fail("to_s", format!("{} s is not after from_s = {} s", plain(to_s), plain(from_s)));
    }
    if node.entry("beta").is_none() {
        node.none_of(&["first_hz"], "belongs to fractal noise; leave it out or give beta")?;
    }
    Ok(Source::Noise {
        rms: node.needed_number("rms", "noise")?,
        mean: node.number_or("mean", 0.0)?,
        from_s,
        to_s,
        beta: node.number_or("beta", 0.0)?,
        first_hz: node.number_or("first_hz", DEFAULT_FIRST_HZ)?,
    })
}

fn read_event(node: &Node<'_, '_>) -> Result<EventDef, SceneError> {
    let at_s = node.needed_number("at_s", "an event")?;
    let verbs = [("strike", "velocity_m_s"), ("hit", "impulse_n_s"), ("set", "value")];
    let verb = node.one_of(&verbs.map(|(verb, _)| verb))?;
    for (other, amount) in verbs.iter().filter(|(other, _)| *other != verb) {
        node.none_of(&[amount], &format!("belongs to an event with {other}, and this one has {verb}"))?;
    }
    let target = node.needed_text(verb)?;
    let gesture = match verb {
        "strike" => Gesture::Strike { body: target, velocity_m_s: node.needed_number("velocity_m_s", "strike")? },
        "hit" => Gesture::Hit { site: target, impulse_n_s: node.needed_number("impulse_n_s", "hit")? },
        _ => Gesture::Set { path: target, value: node.needed_number("value", "set")? },
    };
    Ok(EventDef { at_s, gesture })
}

fn read_tap(node: &Node<'_, '_>) -> Result<TapDef, SceneError> {
    let quantity = node.word("quantity")?.unwrap_or(Quantity::Velocity);
    let to = match (node.whole("channel")?, node.number("pan_01")?) {
        (Some(_), Some(_)) => return node.fail("pan_01", "stands beside channel; keep one of channel, pan_01"),
        (None, Some(pan)) => TapTo::Pan(pan),
        (channel, None) => TapTo::Channel(usize::try_from(channel.unwrap_or(0)).unwrap_or(0)),
    };
    let outputs =
        if node.entry("to").is_some() { read_texts(node, "to", "an output's name in quotes")? } else { Vec::new() };
    Ok(TapDef { of: node.needed_text("of")?, quantity, gain: node.number_or("gain", 1.0)?, outputs, to })
}

fn read_output(entry: &Entry<'_>, lines: &mut Lines) -> Result<OutputDef, SceneError> {
    let at = join("output", &entry.key);
    if let Err(what) = check_name(&entry.key) {
        return fail(at, entry.line, what);
    }
    let node = Node::open(table(&entry.value, &at, "a table")?, at, entry.line, &OUTPUT)?;
    node.note(lines);
    let (at, wanted) = (node.place("channels"), "a list of channels of the device, from 0");
    let Some(value) = node.value("channels") else { return node.fail("", format!("needs channels: {wanted}")) };
    let listed = list(value, &at, wanted)?;
    if listed.is_empty() || listed.len() > MAX_CHANNELS {
        return node.fail("channels", format!("has {} channels; give 1 to {MAX_CHANNELS}", listed.len()));
    }
    let takes = KeyType::Number { unit: "1", min: 0.0, max: MAX_CHANNELS as Real - 1.0 };
    let channel = |value: &Value<'_>| match number(value, &at, takes)? {
        channel if channel == channel.trunc() => Ok(channel as usize),
        channel => fail(&*at, value.line, format!("{} is no channel; wants a whole number", plain(channel))),
    };
    Ok(OutputDef {
        name: entry.key.to_string(),
        channels: listed.iter().map(channel).collect::<Result<_, _>>()?,
        gain: node.number_or("gain", 1.0)?,
        limiter: node.flag("limiter")?.unwrap_or(true),
    })
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
    let scale = node.word("scale")?.unwrap_or(Scale::Linear);
    if range[0] == range[1] {
        return node.fail("range", format!("both ends are {}; the control would move nothing", plain(range[0])));
    }
    if scale == Scale::Log && range.iter().any(|end| *end <= 0.0) {
        return node.fail("range", "scale = \"log\" needs both ends above 0");
    }
    // An empty name gets the message about names.
    let name = node.text("name")?.unwrap_or_default().to_string();
    let mut paths = read_texts(node, "path", "a path in quotes")?.into_iter();
    let path = paths.next().unwrap_or_default();
    Ok(ControlDef { name, path, also: paths.collect(), range, scale })
}

/// One text, or a list of them.
fn read_texts(node: &Node<'_, '_>, id: &str, wanted: &str) -> Result<Vec<String>, SceneError> {
    let Some(value) = node.value(id) else { return node.fail("", format!("needs {id}")) };
    if !matches!(value.data, Data::List(_)) {
        return Ok(vec![node.needed_text(id)?]);
    }
    let (place, wanted) = (node.place(id), format!("{wanted}, or a list of them"));
    let all = list(value, &place, &wanted)?;
    if all.is_empty() || all.len() > MAX_NODES {
        return node.fail(id, format!("has {} {id}s; give 1 to {MAX_NODES}", all.len()));
    }
    all.iter()
        .map(|each| match text(each, &place, &wanted)? {
            "" => node.fail(id, "is empty; say what it names"),
            text => Ok(text.to_string()),
        })
        .collect()
}
