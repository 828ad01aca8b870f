// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the table `[midi]`.

use super::Lines;
use super::node::*;
use crate::math::Real;
use crate::scene::error::SceneError;
use crate::scene::kinds::MAX_NODES;
use crate::scene::midi::{
    DEFAULT_IMPULSE_N_S, DEFAULT_REFERENCE, DEFAULT_VELOCITY_M_S, HIGHEST_CONTROLLER, MIDI, MidiDef, Notes, STRENGTH,
};
use crate::scene::tree::{Data, Value, clip};

pub(super) fn read_midi(value: &Value<'_>, lines: &mut Lines) -> Result<MidiDef, SceneError> {
    let node = Node::open(table(value, "midi", "a table [midi]")?, "midi".into(), value.line, &MIDI)?;
    node.note(lines);
    let notes = node.word("notes")?.unwrap_or(Notes::Pitch);
    let verb = match notes {
        Notes::Ports => {
            node.none_of(&["strike"], "belongs to bodies or pitch; with notes = \"ports\" the ports are hit")?;
            node.one_of(&["hit"])?
        }
        _ => node.one_of(&["strike", "hit"])?,
    };
    let other = if verb == "strike" { "impulse_n_s" } else { "velocity_m_s" };
    node.none_of(&[other], &format!("does not go with {verb}; leave it out"))?;
    let pitch_only = ["retune", "reference", "voices"];
    if notes == Notes::Pitch {
        node.one_of(&["retune"])?;
    } else {
        node.none_of(&pitch_only, "belongs to notes = \"pitch\"; leave it out")?;
    }
    let hit = names(&node, "hit")?;
    if notes == Notes::Ports && hit.len() != 1 {
        return node.fail("hit", "names several; with notes = \"ports\" it names one body");
    }
    let strength = match verb {
        "strike" => strengths(&node, "velocity_m_s", DEFAULT_VELOCITY_M_S)?,
        _ => strengths(&node, "impulse_n_s", DEFAULT_IMPULSE_N_S)?,
    };
    let note = |id, default| -> Result<u8, SceneError> {
        Ok(node.whole(id)?.and_then(|note| u8::try_from(note).ok()).unwrap_or(default))
    };
    let (low, high) = (note("low", if notes == Notes::Pitch { 0 } else { 60 })?, note("high", 127)?);
    if low > high {
        return node.fail("high", format!("{high} is below low = {low}; no note would play"));
    }
    let control =
        |id| -> Result<Option<String>, SceneError> { node.entry(id).map(|_| node.needed_text(id)).transpose() };
    Ok(MidiDef {
        notes,
        low,
        high,
        strike: names(&node, "strike")?,
        hit,
        strength,
        retune: names(&node, "retune")?,
        reference: node.number_or("reference", DEFAULT_REFERENCE)?,
        voices: node.whole("voices")?.and_then(|count| usize::try_from(count).ok()).unwrap_or(1),
        release_s: node.entry("release_s").map(|_| node.number_or("release_s", 0.0)).transpose()?,
        mpe: node.flag("mpe")?.unwrap_or(false),
        bend: control("bend")?,
        pressure: control("pressure")?,
        slide: control("slide")?,
        cc: controllers(&node, lines)?,
    })
}

/// One name, or a list of them.
fn names(node: &Node<'_, '_>, id: &str) -> Result<Vec<String>, SceneError> {
    let Some(value) = node.value(id) else { return Ok(Vec::new()) };
    if !matches!(value.data, Data::List(_)) {
        return Ok(vec![node.needed_text(id)?]);
    }
    let (place, wanted) = (node.place(id), "a name in quotes, or a list of them");
    let all = list(value, &place, wanted)?;
    if all.is_empty() || all.len() > MAX_NODES {
        return node.fail(id, format!("has {} names; give 1 to {MAX_NODES}", all.len()));
    }
    all.iter()
        .map(|each| match text(each, &place, wanted)? {
            "" => node.fail(id, "is empty; say what it names"),
            name => Ok(name.to_string()),
        })
        .collect()
}

fn strengths(node: &Node<'_, '_>, id: &str, default: [Real; 2]) -> Result<[Real; 2], SceneError> {
    let Some(value) = node.value(id) else { return Ok(default) };
    let (place, wanted) = (node.place(id), "[softest, hardest]");
    let ends = list(value, &place, wanted)?;
    let [soft, hard] = ends else {
        return node.fail(id, format!("has {} numbers; wants {wanted}", ends.len()));
    };
    Ok([number(soft, &place, STRENGTH)?, number(hard, &place, STRENGTH)?])
}

fn controllers(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Vec<(u8, String)>, SceneError> {
    let Some(value) = node.value("cc") else { return Ok(Vec::new()) };
    let place = node.place("cc");
    let mut all = Vec::new();
    for entry in table(value, &place, "a table of number = \"control\"")? {
        let at = join(&place, &entry.key);
        lines.insert(at.clone(), entry.line);
        let Some(number) = (0..=HIGHEST_CONTROLLER).find(|number| number.to_string() == entry.key) else {
            let what = format!("'{}' is no controller; wants 0 to {HIGHEST_CONTROLLER}", clip(&entry.key));
            return fail(at, entry.line, what);
        };
        match text(&entry.value, &at, "a control's name in quotes")? {
            "" => return fail(at, entry.line, "is empty; say what it names"),
            name => all.push((number, name.to_string())),
        }
    }
    all.sort_by_key(|(number, _)| *number);
    match all.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => node.fail("cc", format!("names controller {} twice; keep one", pair[0].0)),
        None => Ok(all),
    }
}
