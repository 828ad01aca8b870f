// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where scenes come from: a file, standard input, or the scenes that travel inside the program.

use crate::error::{Error, Result, bad};
use crate::wav::WavReader;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use tocco::scene::error::nearest;
use tocco::scene::kinds::MAX_TEXT_BYTES;
use tocco::scene::{Document, Fetch, FetchedScene, Recording, SceneError};

/// Shipped scenes: name and text, sorted by name.
pub const SHIPPED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scenes.rs"));

/// Baked bodies of the shipped scenes: file as they name it and text.
pub const SHIPPED_BODIES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/bodies.rs"));

/// No recording that drives a scene is longer than this: it stays in memory.
const MOST_WAV_FRAMES: u64 = 1 << 26;

/// What a scene names: recordings, baked bodies and scene files beside it, and what is shipped anywhere; the files that were read are noted.
struct Beside(Option<PathBuf>, Files);

/// Files that were read.
type Files = std::rc::Rc<std::cell::RefCell<Vec<PathBuf>>>;

impl Fetch for Beside {
    fn recording(&mut self, file: &str) -> std::result::Result<Recording, String> {
        let folder = self.0.as_ref().ok_or("a recording needs a scene file to stand beside")?;
        let mut wav = WavReader::open(&folder.join(file)).map_err(|e| e.to_string())?;
        self.1.borrow_mut().push(folder.join(file));
        if wav.frames > MOST_WAV_FRAMES {
            return Err(format!("{file} is too long; cut it to {MOST_WAV_FRAMES} frames"));
        }
        let data = wav.read_mono(0, wav.frames as usize).map_err(|e| e.to_string())?;
        Ok(Recording { rate_hz: wav.rate_hz, data: data.into() })
    }

    fn body(&mut self, file: &str) -> std::result::Result<String, String> {
        let path = self.0.as_ref().map(|folder| folder.join(file));
        if let Some(path) = path.filter(|path| path.is_file()) {
            let text = read(&path).map_err(|error| error.to_string())?;
            self.1.borrow_mut().push(path);
            return Ok(text);
        }
        match SHIPPED_BODIES.iter().find(|(known, _)| *known == file) {
            Some((_, text)) => Ok((*text).to_owned()),
            None => Err(format!("no file '{file}' beside the scene; 'tocco mesh' writes one")),
        }
    }

    fn scene(&mut self, name: &str) -> std::result::Result<FetchedScene<'_>, String> {
        let path = self.0.as_ref().map(|folder| folder.join(name));
        if let Some(path) = path.filter(|path| path.is_file()) {
            let identity = path.canonicalize().unwrap_or_else(|_| path.clone()).to_string_lossy().into_owned();
            let text = read(&path).map_err(|error| error.to_string())?;
            let folder = path.parent().map(Path::to_path_buf);
            self.1.borrow_mut().push(path);
            return Ok(FetchedScene { identity, text, fetch: Box::new(Beside(folder, self.1.clone())) });
        }
        match SHIPPED.iter().find(|(known, _)| *known == name) {
            Some((known, text)) => {
                let (identity, text) = ((*known).to_owned(), (*text).to_owned());
                Ok(FetchedScene { identity, text, fetch: Box::new(Beside(None, self.1.clone())) })
            }
            None => {
                let near = nearest(name, SHIPPED.iter().map(|(name, _)| *name));
                Err(format!("no file beside the scene and no shipped scene '{name}'{near}"))
            }
        }
    }
}

/// A scene from text; what it names is looked for in `folder`.
pub fn from_text(name: &str, origin: &str, text: String, folder: Option<&Path>) -> Result<Document> {
    noting(name, origin, text, folder, &Files::default())
}

fn noting(name: &str, origin: &str, text: String, folder: Option<&Path>, files: &Files) -> Result<Document> {
    let fetch = Beside(folder.map(Path::to_path_buf), files.clone());
    Document::read_with(name, origin, text, fetch).map_err(|e| Error::BadInput(e.with_origin(origin, None)))
}

/// A scene error with file and line in front.
pub fn wrong(scene: &Document, error: &SceneError) -> Error {
    Error::BadInput(scene.message(error))
}

/// Loads a scene by file name, shipped name, or `-` for standard input.
pub fn load(scene: &str) -> Result<Document> {
    load_noting(scene).map(|(scene, _)| scene)
}

/// The same, and every file that was read for it: nothing may be written there.
pub fn load_noting(scene: &str) -> Result<(Document, Vec<PathBuf>)> {
    let files = Files::default();
    let scene = load_from(scene, &files)?;
    Ok((scene, files.take()))
}

fn load_from(scene: &str, files: &Files) -> Result<Document> {
    let path = Path::new(scene);
    if scene == "-" {
        let text = read_text(path, std::io::stdin().lock())?;
        return noting("scene", "standard input", text, Some(Path::new(".")), files);
    }
    if !path.exists() || path.is_dir() {
        if SHIPPED.iter().any(|(name, _)| *name == scene) {
            return load_shipped(scene);
        }
        if path.is_dir() {
            return bad(format!("cannot read {scene}: it is a folder; name a scene file"));
        }
        if path.components().count() > 1 || path.extension().is_some() {
            return bad(format!(
                "cannot read {scene}: no such file; 'tocco scenes' lists the scenes that come with the program"
            ));
        }
        return load_shipped(scene);
    }
    let text = read(path)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let folder: PathBuf = path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    files.borrow_mut().push(path.to_path_buf());
    noting(&name, scene, text, Some(&folder), files)
}

fn load_shipped(scene: &str) -> Result<Document> {
    match SHIPPED.iter().find(|(name, _)| *name == scene) {
        Some((name, text)) => from_text(name, &format!("scene {name}"), (*text).to_owned(), None),
        None => bad(format!(
            "no file and no shipped scene '{scene}'{}",
            nearest(scene, SHIPPED.iter().map(|(name, _)| *name))
        )),
    }
}

/// The text of a scene or design file.
pub fn read(path: &Path) -> Result<String> {
    read_text(path, File::open(path).map_err(|e| Error::reading(path, &e))?)
}

fn read_text(path: &Path, from: impl Read) -> Result<String> {
    let mut bytes = Vec::new();
    let most = MAX_TEXT_BYTES as u64;
    from.take(most + 1).read_to_end(&mut bytes).map_err(|e| Error::reading(path, &e))?;
    if bytes.len() as u64 > most {
        return bad(format!("cannot read {}: longer than any scene ({} MiB)", path.display(), most >> 20));
    }
    String::from_utf8(bytes).or_else(|_| bad(format!("cannot read {}: it is not text (UTF-8)", path.display())))
}

/// Every shipped scene.
pub fn shipped() -> Result<Vec<Document>> {
    SHIPPED.iter().map(|(name, _)| load_shipped(name)).collect()
}
