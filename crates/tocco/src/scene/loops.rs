// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals that would hear themselves by way of a drive.
//!
//! A signal that reads another depends on it, and one whose value, gain or offset a drive moves depends on the signal of that drive.
//! Nothing lies between that has a state of its own, so a ring of these is refused. A reading of a body or of a process is none of
//! them: what comes back through things that move is feedback.

use super::def::*;
use super::error::SceneError;

/// Refuses a ring in which a drive takes part, in one line.
pub(super) fn check(def: &SceneDef) -> Result<(), SceneError> {
    let number = |name: &str| def.signals.iter().position(|signal| signal.name == name);
    let reads = |index: usize| {
        let of = def.signals[index].form.reads()?;
        number(of).or_else(|| number(of.strip_suffix(".value")?))
    };
    // Which signals a drive moves: those of its path, or of the paths of the control that it names.
    let moved = |path: &str| -> Vec<usize> {
        let control = def.controls.iter().find(|control| control.name == path);
        let paths = match control {
            Some(control) => std::iter::once(&control.path).chain(&control.also).map(String::as_str).collect(),
            None => vec![path],
        };
        let node = |path: &str| path.trim_start_matches('/').rsplit_once('/').and_then(|(node, _)| number(node));
        paths.into_iter().filter_map(node).collect()
    };
    let drives: Vec<(usize, usize, Vec<usize>)> = def
        .drives
        .iter()
        .enumerate()
        .filter_map(|(index, drive)| match &drive.source {
            Source::Signal(name) => Some((index, number(name)?, moved(&drive.path))),
            _ => None,
        })
        .collect();
    for (index, from, moves) in &drives {
        // Whatever the drive's signal hears, at any remove.
        let (mut heard, mut at) = (vec![*from], 0);
        while at < heard.len() {
            let of_drives = drives.iter().filter(|(.., moves)| moves.contains(&heard[at])).map(|(_, from, _)| *from);
            let more: Vec<usize> = of_drives.chain(reads(heard[at])).collect();
            for other in more {
                if !heard.contains(&other) {
                    heard.push(other);
                }
            }
            at += 1;
        }
        if let Some(itself) = moves.iter().find(|one| heard.contains(one)) {
            let (from, moved) = (&def.signals[*from].name, &def.signals[*itself].name);
            let what = if from == moved {
                format!("signal '{from}' would move itself ({}); drive it from another", def.drives[*index].path)
            } else {
                format!(
                    "signal '{from}' hears '{moved}', which it would move ({}): a signal cannot hear itself",
                    def.drives[*index].path
                )
            };
            return Err(SceneError::new(format!("drive[{index}].from"), what));
        }
    }
    Ok(())
}
