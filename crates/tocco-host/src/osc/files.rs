// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenes that OSC loads and saves: inside one folder, nowhere else.

use crate::error::{HostError, Result, bad};
use crate::library::{self, SHIPPED};
use crate::live::Desk;
use crate::{atomic_file, console};
use std::path::{Component, Path, PathBuf};
use tocco::Document;
use tocco::Gesture;
use tocco::scene::def::{EventDef, Source};
use tocco::scene::error::nearest;

/// The scenes folder, without links in its own name.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// An existing folder.
    pub fn open(path: &Path) -> Result<Self> {
        let real = path.canonicalize().map_err(|e| HostError::reading(path, &e))?;
        match real.is_dir() {
            true => Ok(Self(real)),
            false => bad(format!("--scenes {}: not a folder", path.display())),
        }
    }

    fn named(&self, name: &str) -> Result<PathBuf> {
        plain(name)?;
        Ok(self.0.join(name))
    }

    fn scenes(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| name.ends_with(".toml") || name.ends_with(".json")).collect()
    }
}

/// A name that leads nowhere else.
fn plain(name: &str) -> Result<()> {
    let mut parts = Path::new(name).components().peekable();
    if parts.peek().is_none()
        || name.contains(|c: char| c == '\\' || console::is_hidden(c))
        || parts.any(|part| !matches!(part, Component::Normal(_)))
    {
        return bad(format!("'{}' leads out of the scenes folder; name a scene in it", console::one_line(name)));
    }
    Ok(())
}

/// A scene of the folder, with or without its extension, or a shipped one.
pub fn load(folder: Option<&Folder>, name: &str) -> Result<Document> {
    plain(name)?;
    if let Some(folder) = folder {
        for name in [name.to_owned(), format!("{name}.toml")] {
            let Ok(real) = folder.named(&name)?.canonicalize() else { continue };
            if !real.starts_with(&folder.0) {
                return bad(format!("'{name}' is a link out of the scenes folder"));
            }
            if let (true, Some(path)) = (real.is_file(), real.to_str()) {
                // Recordings, baked bodies and parts are inside, too.
                let mut scene = library::load_inside(path, &folder.0)
                    .map_err(|error| HostError::BadInput(without_folder(Some(folder), &error.to_string())))?;
                scene.origin = name;
                return Ok(scene);
            }
        }
    }
    if let Some((_, text)) = SHIPPED.iter().find(|(known, _)| *known == name) {
        return library::from_text(name, &format!("scene {name}"), (*text).to_owned(), None);
    }
    let own = folder.map(Folder::scenes).unwrap_or_default();
    let known = own.iter().map(String::as_str).chain(SHIPPED.iter().map(|(name, _)| *name));
    bad(format!("no scene '{name}' in the scenes folder and none shipped{}", nearest(name, known)))
}

/// A line without the name of the folder: where it is, is nobody's business.
pub fn without_folder(folder: Option<&Folder>, line: &str) -> String {
    match folder {
        Some(folder) => {
            let place = folder.0.display().to_string();
            line.replace(&format!("{place}/"), "").replace(&place, "the scenes folder")
        }
        None => line.to_owned(),
    }
}

/// Scenes that one run may save, and their bytes.
const MOST_SAVED: usize = 256;
const MOST_SAVED_BYTES: usize = 64 << 20;

/// What a run has saved.
#[derive(Default)]
pub struct Saved {
    scenes: usize,
    bytes: usize,
}

/// The scene as it sounds: its text, and an event at its beginning for every value that was set. Nothing is overwritten.
/// What is to be written, by whoever may wait for a disk.
pub fn to_save(folder: Option<&Folder>, name: &str, desk: &Desk, saved: &mut Saved) -> Result<ToSave> {
    let Some(folder) = folder else {
        return bad("no folder to save in; start 'tocco play' with --scenes DIR");
    };
    let name = if name.ends_with(".toml") { name.to_owned() } else { format!("{name}.toml") };
    let path = folder.named(&name)?;
    let parent = path.parent().unwrap_or(&folder.0);
    let real = parent.canonicalize().map_err(|e| HostError::writing(Path::new(&name), &e))?;
    if !real.starts_with(&folder.0) {
        return bad(format!("'{name}' leads out of the scenes folder; name a scene in it"));
    }
    if path.symlink_metadata().is_ok() {
        return bad(format!("'{name}' exists already; name another"));
    }
    let text = text(desk)?;
    if saved.scenes == MOST_SAVED || saved.bytes + text.len() > MOST_SAVED_BYTES {
        return bad(format!("{} scenes have been saved; no more until 'tocco play' is started anew", saved.scenes));
    }
    (saved.scenes, saved.bytes) = (saved.scenes + 1, saved.bytes + text.len());
    Ok(ToSave { path, name, text })
}

/// A scene on its way to the disk.
pub struct ToSave {
    path: PathBuf,
    name: String,
    text: String,
}

impl ToSave {
    /// Writes it; returns its name.
    pub fn write(self) -> Result<String> {
        atomic_file::write(&self.path, self.text.as_bytes())?;
        Ok(self.name)
    }
}

fn text(desk: &Desk) -> Result<String> {
    let scene = desk.scene();
    let mut def = scene.def.clone();
    def.events.clear();
    for (path, value) in desk.moved() {
        def.events.push(EventDef { at_s: 0.0, gesture: Gesture::Set { path, value } });
    }
    if scene.text.trim_start().starts_with('{') {
        if def.drives.iter().any(|drive| matches!(drive.source, Source::Samples { .. })) {
            return bad("a JSON scene with recordings cannot be saved from here; edit its file");
        }
        let own = std::mem::take(&mut def.events);
        def.events = [scene.def.events.clone(), own].concat();
        return Ok(def.to_toml());
    }
    // Comments and order of the text stay: only the events are written anew, behind it.
    let all = def.to_toml();
    let events = all.find("\n[[event]]").map_or("", |at| &all[at..]);
    let end = ["\n[output.", "\n[[tap]]"].iter().filter_map(|next| events.find(next)).min();
    let events = end.map_or(events, |end| &events[..end]);
    Ok(format!("{}\n{events}", scene.text.trim_end()))
}
