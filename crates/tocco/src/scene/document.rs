// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scene with its text, its name and its recordings: what front ends load, edit, replay and write into takes.

use super::def::{SceneDef, Sound, Source};
use super::error::SceneError;
use super::kinds::mesh::BakedMesh;
use std::sync::Arc;

/// A scene as a front end holds it, ready to build.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Short name for files and lists.
    pub name: String,
    /// How messages call it: a file, "scene bar", "standard input".
    pub origin: String,
    /// The source text.
    pub text: String,
    /// The scene as data, its recordings in memory.
    pub def: SceneDef,
}

/// One channel of sound in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// Hz
    pub rate_hz: f64,
    /// Full scale is 1.
    pub data: Arc<[f32]>,
}

/// Whoever fetches what a scene names: recordings, baked bodies, and the scenes that are parts of it.
pub trait Fetch {
    /// A recording by the name in the scene, or why it cannot be had, in one line.
    fn recording(&mut self, file: &str) -> Result<Recording, String>;
    /// The text of a baked body by the name in the scene, or why it cannot be had, in one line.
    fn body(&mut self, file: &str) -> Result<String, String> {
        Err(format!("there is no baked body '{file}' to be had here"))
    }
    /// A scene by the name in the scene, or why it cannot be had.
    fn scene(&mut self, name: &str) -> Result<FetchedScene<'_>, String> {
        Err(format!("there is no scene '{name}' to be had here"))
    }
}

/// A scene that was fetched.
pub struct FetchedScene<'f> {
    /// What tells it from every other: a scene is not part of itself.
    pub identity: String,
    /// Its text.
    pub text: String,
    /// Whoever fetches what it names in turn.
    pub fetch: Box<dyn Fetch + 'f>,
}

/// Recordings only.
struct Recordings<F>(F);

impl<F: FnMut(&str) -> Result<Recording, String>> Fetch for Recordings<F> {
    fn recording(&mut self, file: &str) -> Result<Recording, String> {
        (self.0)(file)
    }
}

impl Document {
    /// Reads a scene without parts; `recording` fetches the files that its drives and signals name, or says in one line why it
    /// cannot. `[control]`
    #[cfg(feature = "text")]
    pub fn read(
        name: &str,
        origin: &str,
        text: String,
        recording: impl FnMut(&str) -> Result<Recording, String>,
    ) -> Result<Self, SceneError> {
        Self::read_with(name, origin, text, Recordings(recording))
    }

    /// Reads a scene with whatever it names: recordings, baked bodies, and the scenes that are parts of it. `[control]`
    #[cfg(feature = "text")]
    pub fn read_with(name: &str, origin: &str, text: String, mut fetch: impl Fetch) -> Result<Self, SceneError> {
        Self::read_within(name, origin, text, &mut fetch, &mut vec![name.to_owned()])
    }

    #[cfg(feature = "text")]
    fn read_within(
        name: &str,
        origin: &str,
        text: String,
        fetch: &mut dyn Fetch,
        around: &mut Vec<String>,
    ) -> Result<Self, SceneError> {
        let mut def = SceneDef::from_text(&text)?;
        def.fetch_recordings(|file| fetch.recording(file))?;
        def.fetch_bodies(|file| fetch.body(file))?;
        for part in &mut def.parts {
            let wrong = |what: String| {
                let place = format!("part.{}.scene", part.name);
                SceneError { line: super::def::line_in(&def.lines, &place), ..SceneError::new(place, what) }
            };
            let mut fetched = fetch.scene(&part.scene).map_err(wrong)?;
            if around.contains(&fetched.identity) {
                return Err(wrong(format!("'{}' would hold itself; use another scene", part.scene)));
            }
            around.push(fetched.identity);
            let origin = format!("{origin}: part {}", part.name);
            let inside = Self::read_within(&part.scene, &origin, fetched.text, &mut *fetched.fetch, around);
            around.pop();
            part.inside = Some(Box::new(inside.map_err(|error| wrong(format!("{}: {error}", part.scene)))?));
        }
        Ok(Self { name: name.to_owned(), origin: origin.to_owned(), text, def })
    }

    /// The title, or the name where there is none.
    pub fn title(&self) -> &str {
        if self.def.title.is_empty() { &self.name } else { &self.def.title }
    }

    /// The comment that opens the file, as one paragraph.
    pub fn comment(&self) -> String {
        let lines = self.text.lines().take_while(|line| line.starts_with('#'));
        let words: Vec<&str> = lines.flat_map(|line| line.trim_start_matches('#').split_whitespace()).collect();
        words.join(" ")
    }

    /// A scene error as `origin:line: place: what`.
    pub fn message(&self, error: &SceneError) -> String {
        let line = error.line.or_else(|| self.def.line_of(&error.at));
        error.with_origin(&self.origin, line)
    }
}

impl SceneDef {
    /// Puts every recording that a drive or a signal names into memory. `[control]`
    pub fn fetch_recordings(
        &mut self,
        mut recording: impl FnMut(&str) -> Result<Recording, String>,
    ) -> Result<(), SceneError> {
        for (index, drive) in self.drives.iter_mut().enumerate() {
            if let Source::Wav { file, gain, at_s } = &drive.source {
                let Recording { rate_hz, data } =
                    recording(file).map_err(|what| SceneError::new(format!("drive[{index}].wav"), what))?;
                if data.iter().any(|x| !x.is_finite()) {
                    let what = format!("{file} holds samples that are not numbers");
                    return Err(SceneError::new(format!("drive[{index}].wav"), what));
                }
                drive.source = Source::Samples { rate_hz, data, gain: *gain, at_s: *at_s };
            }
        }
        for signal in &mut self.signals {
            for (key, sound) in signal.form.recordings_mut() {
                let Sound::File(file) = sound else { continue };
                let wrong = |what| SceneError::new(format!("signal.{}.{key}", signal.name), what);
                let found = recording(file).map_err(wrong)?;
                if found.data.iter().any(|x| !x.is_finite()) {
                    return Err(wrong(format!("{file} holds samples that are not numbers")));
                }
                *sound = Sound::Samples(found);
            }
        }
        Ok(())
    }
    /// Puts every baked body that a body names into memory; a file that several name is fetched once. `[control]`
    #[cfg(feature = "text")]
    pub fn fetch_bodies(&mut self, mut body: impl FnMut(&str) -> Result<String, String>) -> Result<(), SceneError> {
        let mut fetched: Vec<(String, Arc<BakedMesh>)> = Vec::new();
        for def in &mut self.bodies {
            let name = def.name.clone();
            let Some((file, mesh)) = def.form.baked_mut() else { continue };
            if mesh.is_some() {
                continue;
            }
            let place = format!("body.{name}.file");
            let line = super::def::line_in(&self.lines, &place);
            let wrong = |what: String| SceneError { line, ..SceneError::new(place.as_str(), what) };
            let found = match fetched.iter().find(|(known, _)| known == file) {
                Some((_, known)) => known.clone(),
                None => {
                    let text = body(file).map_err(wrong)?;
                    let baked = BakedMesh::from_text(&text).map_err(|e| wrong(e.with_origin(file, e.line)))?;
                    let baked = Arc::new(baked);
                    fetched.push((file.to_owned(), baked.clone()));
                    baked
                }
            };
            *mesh = Some(found);
        }
        Ok(())
    }
    /// The same from a scene that has them already: of two readings of one text the second fetches nothing. `[control]`
    pub fn keep_bodies(&mut self, from: &Self) {
        let mut from = from.bodies.clone();
        let known: Vec<(String, Option<Arc<BakedMesh>>)> = from
            .iter_mut()
            .filter_map(|body| body.form.baked_mut().map(|(file, mesh)| (file.to_owned(), mesh.clone())))
            .collect();
        for (file, mesh) in self.bodies.iter_mut().filter_map(|body| body.form.baked_mut()) {
            let found = known.iter().find(|(known, _)| known == file).and_then(|(_, mesh)| mesh.clone());
            *mesh = mesh.take().or(found);
        }
    }
}
