// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scene with its text, its name and its recordings: what front ends load, edit, replay and write into takes.

use super::def::{SceneDef, Sound, Source};
use super::error::SceneError;
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

impl Document {
    /// Reads a scene; `recording` fetches the files that its drives and signals name, or says in one line why it cannot. `[control]`
    #[cfg(feature = "text")]
    pub fn read(
        name: &str,
        origin: &str,
        text: String,
        recording: impl FnMut(&str) -> Result<Recording, String>,
    ) -> Result<Self, SceneError> {
        let mut def = SceneDef::from_text(&text)?;
        def.fetch_recordings(recording)?;
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
}
