// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenes from text, with the shipped ones at hand as their parts.

use tocco::Document;
use tocco::scene::{Fetch, FetchedScene, Recording};

/// Name and text of every shipped scene.
const SCENES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scenes.rs"));

/// What a page can fetch: shipped scenes, no files.
struct Shipped;

impl Fetch for Shipped {
    fn recording(&mut self, file: &str) -> Result<Recording, String> {
        Err(format!("{file}: a page holds no recordings; play this scene with 'tocco play'"))
    }

    fn scene(&mut self, name: &str) -> Result<FetchedScene<'_>, String> {
        let (name, text) = SCENES
            .iter()
            .find(|(known, _)| *known == name)
            .ok_or_else(|| format!("no shipped scene is called '{name}', and a page has no others"))?;
        Ok(FetchedScene { identity: (*name).into(), text: (*text).into(), fetch: Box::new(Shipped) })
    }
}

/// A scene from its text, or one line that says what is wrong.
pub fn read(text: &str) -> Result<Document, String> {
    Document::read_with("scene", "scene", text.to_owned(), Shipped).map_err(|error| error.to_string())
}
