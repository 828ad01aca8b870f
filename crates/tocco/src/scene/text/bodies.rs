// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads bodies.

use super::node::*;
use super::shapes::read_shape;
use super::{Lines, nodes};
use crate::math::Real;
use crate::resonator::network::{LINK, MASS_KG};
use crate::scene::def::*;
use crate::scene::error::{SceneError, nearest};
use crate::scene::kinds::*;
use crate::scene::network::resolve;
use crate::scene::tree::{Data, Entry, Value, plain};

pub(super) fn read_body(entry: &Entry<'_>, at: String, lines: &mut Lines) -> Result<BodyDef, SceneError> {
    let kind = kind_of("body", &at, entry)?;
    if kind.id == "shape" {
        return read_shape(entry, at, lines);
    }
    let node = Node::open(table(&entry.value, &at, "a table")?, at, entry.line, kind)?;
    node.note(lines);
    let position_m = node.number_or("position_m", 0.0)?;
    let form = match kind.id {
        "mass" => BodyForm::Mass { position_m, velocity_m_s: node.number_or("velocity_m_s", 0.0)? },
        "wall" => BodyForm::Wall { position_m },
        "guided" => BodyForm::Guided { position_m },
        "string" => BodyForm::String { ports: read_places(&node, lines)? },
        "network" => read_network(&node, lines)?,
        _ => {
            let modes = read_modes(&node, lines)?;
            let ports = read_ports(&node, modes.len(), lines)?;
            let morph = read_morph(&node, modes.len(), &ports, lines)?;
            BodyForm::Modal { modes, ports, morph }
        }
    };
    Ok(BodyDef { name: entry.key.to_string(), form, params: node.params()? })
}

/// What is wrong with `morph_01` alone.
pub(super) const NO_MORPH: &str = "moves nothing without a table `morph`; give it one or leave this out";

/// The other end of a morph; its places are the body's.
fn read_morph(
    body: &Node<'_, '_>,
    modes: usize,
    ports: &[PortDef],
    lines: &mut Lines,
) -> Result<Option<MorphDef>, SceneError> {
    let Some(entry) = body.entry("morph") else {
        body.none_of(&["morph_01"], NO_MORPH)?;
        return Ok(None);
    };
    let at = body.place("morph");
    let node = Node::open(table(&entry.value, &at, "a table { modes, port }")?, at, entry.line, &TARGET)?;
    node.note(lines);
    let to = read_modes(&node, lines)?;
    let mut there = read_ports(&node, to.len(), lines)?;
    if node.entry("port").is_none() {
        if !ports.is_empty() && to.len() != modes {
            let what = format!("has {} modes and the body has {modes}; needs its own port table", to.len());
            return node.fail("modes", what);
        }
        return Ok(Some(MorphDef { modes: to, ports: Vec::new() }));
    }
    let names: Vec<&str> = if ports.is_empty() { vec!["0"] } else { ports.iter().map(|port| &*port.name).collect() };
    if let Some(stranger) = there.iter().find(|port| !names.contains(&&*port.name)) {
        let at = join(&node.place("port"), &stranger.name);
        let line = lines.get(&at).copied().unwrap_or(node.line);
        return fail(at, line, format!("the body has no such place{}", nearest(&stranger.name, names)));
    }
    if let Some(missing) = names.iter().find(|name| there.iter().all(|port| port.name != **name)) {
        return node.fail("port", format!("lacks the body's place '{missing}'"));
    }
    there.sort_by_key(|port| names.iter().position(|name| *name == port.name));
    Ok(Some(MorphDef { modes: to, ports: there }))
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

/// The table of ports, each read by `read` from its place.
pub(super) fn named_ports<T>(
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

fn read_places(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Vec<PlaceDef>, SceneError> {
    named_ports(node, "a table of name = fraction of the length", lines, |port, at| {
        let wanted = "wants a fraction of its length above 0 and below 1";
        match port.value.data {
            Data::Number(place) if place > 0.0 && place < 1.0 => Ok(PlaceDef { name: port.key.to_string(), place }),
            Data::Number(place) if !place.is_finite() => {
                fail(at, port.line, format!("{} is not a finite number; {wanted}", plain(place)))
            }
            Data::Number(_) | Data::Whole(_) => {
                fail(at, port.line, format!("{} is not on the string; {wanted}", port.value.data.found()))
            }
            ref other => fail(at, port.line, format!("found {}; {wanted}", other.found())),
        }
    })
}

fn read_ports(node: &Node<'_, '_>, modes: usize, lines: &mut Lines) -> Result<Vec<PortDef>, SceneError> {
    named_ports(node, "a table of name = [one value per mode]", lines, |port, at| {
        let values = list(&port.value, &at, "a list of one mode-shape value per mode")?;
        if values.len() != modes {
            let what = format!("has {} values and the body has {modes} modes; wants one value per mode", values.len());
            return fail(at, port.line, what);
        }
        let value = |(index, value)| number(value, &format!("{at}[{index}]"), SHAPE);
        let shape: Result<Vec<Real>, SceneError> = values.iter().enumerate().map(value).collect();
        Ok(PortDef { name: port.key.to_string(), shape: shape? })
    })
}

fn read_network(node: &Node<'_, '_>, lines: &mut Lines) -> Result<BodyForm, SceneError> {
    let (masses, fixed) = (read_masses(node, lines)?, read_names(node, "fixed", lines)?);
    let mut links = Vec::new();
    for link in nodes(node, &LINK, MAX_LIST, lines)? {
        let (at, mut between) = (link.place("between"), Vec::new());
        if let Some(entry) = link.entry("between") {
            let points = list(&entry.value, &at, "a list of points, each joined to the next")?;
            check_count(&at, entry.line, points.len(), MAX_NODES, "points")?;
            for (index, value) in points.iter().enumerate() {
                between.push(text(value, &format!("{at}[{index}]"), "the name of a point in quotes")?.to_string());
            }
        }
        let (stiffness_n_m, damping_n_s_m) =
            (link.number_or("stiffness_n_m", 0.0)?, link.number_or("damping_n_s_m", 0.0)?);
        links.push(LinkDef { between, stiffness_n_m, damping_n_s_m });
    }
    resolve(&node.at, (&masses, &fixed, &links)).map_err(|error| {
        let line = line_in(lines, &error.at);
        SceneError { line, ..error }
    })?;
    Ok(BodyForm::Network { masses, fixed, links })
}

/// A table of masses, or names in `points` that all have one mass.
fn read_masses(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Vec<PointDef>, SceneError> {
    let Some(entry) = node.entry("mass_kg") else { return Ok(Vec::new()) };
    let at = node.place("mass_kg");
    if let Data::Number(_) | Data::Whole(_) = entry.value.data {
        let mass_kg = number(&entry.value, &at, MASS_KG)?;
        if node.entry("points").is_none() {
            return node.fail("mass_kg", "is one mass for all of points; give points, or a table of name = mass in kg");
        }
        let names = read_names(node, "points", lines)?;
        return Ok(names.into_iter().map(|name| PointDef { name, mass_kg }).collect());
    }
    node.none_of(&["points"], "stands beside a table of masses, which names them; keep one of the two")?;
    let mut masses = Vec::new();
    for point in table(&entry.value, &at, "a mass in kg, or a table of name = mass in kg")? {
        let at = join(&at, &point.key);
        if let Err(what) = check_name(&point.key) {
            return fail(at, point.line, what);
        }
        let mass_kg = number(&point.value, &at, MASS_KG)?;
        lines.insert(at, point.line);
        masses.push(PointDef { name: point.key.to_string(), mass_kg });
    }
    Ok(masses)
}

fn read_names(node: &Node<'_, '_>, id: &str, lines: &mut Lines) -> Result<Vec<String>, SceneError> {
    let Some(entry) = node.entry(id) else { return Ok(Vec::new()) };
    let at = node.place(id);
    let names = list(&entry.value, &at, "a list of names")?;
    check_count(&at, entry.line, names.len(), MAX_NODES, "names")?;
    let read = |(index, value): (usize, &Value<'_>)| {
        let at = format!("{at}[{index}]");
        let name = text(value, &at, "a name in quotes")?;
        if let Err(what) = check_name(name) {
            return fail(at, value.line, what);
        }
        lines.insert(at, value.line);
        Ok(name.to_string())
    };
    names.iter().enumerate().map(read).collect()
}
