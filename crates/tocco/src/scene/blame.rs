// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mistakes of a scene that has parts, in the words of whoever wrote it.
//!
//! Parts are joined before anything is built, so what goes wrong is found in a scene that nobody wrote: `signal.heel/press.of`,
//! `drive[7].path`. It is told by the part and its key: `part.heel.signal.press`, or `part.heel: in 'gravel': signal.press.of`.

use super::def::*;
use super::error::SceneError;
use crate::gesture::Gesture;

/// The mistake as the writer of `outer` knows it; `whole` is the scene with its parts joined.
pub(super) fn in_own_words(outer: &SceneDef, whole: &SceneDef, error: SceneError) -> SceneError {
    let SceneError { at, line, what } = &error;
    let said = |at: String, what: String| SceneError { at, line: *line, what };
    if let Some(part) = outer.parts.iter().find(|part| *at == format!("part.{}.set", part.name)) {
        // What is set in a part is named as its scene names it.
        return said(at.clone(), what.replace(&format!("'{}/", part.name), "'"));
    }
    let Some((family, name, key)) = node(whole, at) else { return error };
    let inside = |part: &&PartDef| name.strip_prefix(&part.name).is_some_and(|rest| rest.starts_with('/'));
    let Some(part) = outer.parts.iter().find(inside) else { return error };
    let own = &name[part.name.len() + 1..];
    let what = what.replace(&format!("'{}/", part.name), "'");
    if family == "signal" && key == ".of" && part.signals.iter().any(|(inlet, _)| inlet == own) {
        return said(format!("part.{}.signal.{own}", part.name), what);
    }
    let place = match family {
        "drive" | "event" | "tap" | "control" => format!("its {family} of {own}{}", key.replacen('.', ", ", 1)),
        _ => format!("{family}.{own}{key}"),
    };
    said(format!("part.{}", part.name), format!("in '{}': {place}: {what}", part.scene))
}

/// Family, name in the whole scene and key of a place; of what has no name, the name of what it concerns.
fn node<'a>(whole: &'a SceneDef, at: &'a str) -> Option<(&'a str, &'a str, &'a str)> {
    if let Some((family, rest)) = at.split_once('[') {
        let (index, key) = rest.split_once(']')?;
        let index: usize = index.parse().ok()?;
        let name = match family {
            "drive" => &whole.drives.get(index)?.path,
            "tap" => &whole.taps.get(index)?.of,
            "control" => &whole.controls.get(index)?.name,
            "event" => match &whole.events.get(index)?.gesture {
                Gesture::Set { path: name, .. }
                | Gesture::Strike { body: name, .. }
                | Gesture::Hit { site: name, .. }
                | Gesture::Join { contact: name, .. }
                | Gesture::Trigger { process: name, .. } => name,
                _ => return None,
            },
            _ => return None,
        };
        return Some((family, name, key));
    }
    let (family, rest) = at.split_once('.')?;
    let names: Vec<&String> = match family {
        "body" => whole.bodies.iter().map(|node| &node.name).collect(),
        "contact" => whole.contacts.iter().map(|node| &node.name).collect(),
        "signal" => whole.signals.iter().map(|node| &node.name).collect(),
        "process" => whole.processes.iter().map(|node| &node.name).collect(),
        "walk" => whole.walks.iter().map(|node| &node.name).collect(),
        _ => return None,
    };
    let fits =
        |name: &&&String| rest.strip_prefix(name.as_str()).is_some_and(|key| key.is_empty() || key.starts_with('.'));
    let name = names.iter().filter(fits).max_by_key(|name| name.len())?;
    Some((family, name.as_str(), &rest[name.len()..]))
}
