// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenes from text, with the shipped ones at hand as their parts.

use tocco::Document;
use tocco::scene::error::nearest;
use tocco::scene::{Fetch, FetchedScene, Recording};

/// Name and text of every shipped scene.
const SCENES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scenes.rs"));

/// File as the shipped scenes name it and text of every baked body that comes with them.
const BODIES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/bodies.rs"));

/// A baked body that is shipped.
fn body_of(file: &str) -> Option<String> {
    BODIES.iter().find(|(known, _)| *known == file).map(|(_, text)| (*text).to_owned())
}

/// Text of a shipped scene, or which may have been meant.
pub fn text_of(name: &str) -> Result<&'static str, String> {
    let found = SCENES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    found.ok_or_else(|| format!("no shipped scene '{name}'{}", nearest(name, SCENES.iter().map(|(name, _)| *name))))
}

/// Names of the shipped scenes, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    SCENES.iter().map(|(name, _)| *name)
}

/// A recording that the caller brings, by its name in the scene.
pub type Bring<'a> = &'a mut dyn FnMut(&str) -> Result<Recording, String>;

/// What is fetched where the caller brings recordings.
struct Brought<'a>(Bring<'a>);

impl Fetch for Brought<'_> {
    fn recording(&mut self, file: &str) -> Result<Recording, String> {
        (self.0)(file)
    }

    /// A shipped one, or the text that the caller brings, a byte a sample.
    fn body(&mut self, file: &str) -> Result<String, String> {
        if let Some(text) = body_of(file) {
            return Ok(text);
        }
        let missing = |_| format!("{file}: no shipped body is called so, and there is no other here");
        let brought = (self.0)(file).map_err(missing)?;
        let byte = |x: &f32| (x.fract() == 0.0 && (0.0..256.0).contains(x)).then_some(*x as u8);
        let bytes: Option<Vec<u8>> = brought.data.iter().map(byte).collect();
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        text.ok_or_else(|| format!("{file}: not the text of a baked body"))
    }

    fn scene(&mut self, name: &str) -> Result<FetchedScene<'_>, String> {
        let text = text_of(name)?.into();
        Ok(FetchedScene { identity: name.into(), text, fetch: Box::new(Brought(&mut *self.0)) })
    }
}

/// A scene whose recordings the caller brings.
pub fn read_with(text: &str, bring: Bring<'_>) -> Result<Document, String> {
    Document::read_with("scene", "scene", text.to_owned(), Brought(bring)).map_err(|error| error.to_string())
}

/// A scene from its text where nobody brings recordings, or one line that says what is wrong.
pub fn read(text: &str) -> Result<Document, String> {
    read_with(text, &mut |file| Err(format!("{file}: no recordings can be had here; 'tocco play' plays such scenes")))
}
