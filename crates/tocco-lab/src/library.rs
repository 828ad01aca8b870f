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
#[derive(Clone, Default)]
struct Beside {
    folder: Option<PathBuf>,
    /// The folder that nothing may lead out of, if there is one.
    fence: Option<PathBuf>,
    files: Files,
}

/// Files that were read.
type Files = std::rc::Rc<std::cell::RefCell<Vec<PathBuf>>>;

impl Beside {
    /// The file of this name beside the scene, if there is one. Of what is outside the fence nothing is told, not even whether it is there.
    fn file(&self, name: &str) -> std::result::Result<Option<PathBuf>, String> {
        let Some(path) = self.folder.as_ref().map(|folder| folder.join(name)) else { return Ok(None) };
        let inside = |fence: &PathBuf| path.canonicalize().map_or(true, |real| real.starts_with(fence));
        match self.fence.as_ref().is_none_or(inside) {
            true => Ok(Some(path).filter(|path| path.is_file())),
            false => Err(outside(name)),
        }
    }

    /// What is said of a file that is not there.
    fn missing(&self, name: &str, said: String) -> String {
        if self.fence.is_some() { outside(name) } else { said }
    }
}

fn outside(name: &str) -> String {
    format!("'{name}' is not inside the scenes folder")
}

impl Fetch for Beside {
    fn recording(&mut self, file: &str) -> std::result::Result<Recording, String> {
        let folder = self.folder.as_ref().ok_or("a recording needs a scene file to stand beside")?;
        let path = match self.file(file)? {
            None if self.fence.is_some() => return Err(outside(file)),
            found => found.unwrap_or_else(|| folder.join(file)),
        };
        let mut wav = WavReader::open(&path).map_err(|e| e.to_string())?;
        self.files.borrow_mut().push(path);
        if wav.frames > MOST_WAV_FRAMES {
            return Err(format!("{file} is too long; cut it to {MOST_WAV_FRAMES} frames"));
        }
        let data = wav.read_mono(0, wav.frames as usize).map_err(|e| e.to_string())?;
        Ok(Recording { rate_hz: wav.rate_hz, data: data.into() })
    }

    fn body(&mut self, file: &str) -> std::result::Result<String, String> {
        if let Some(path) = self.file(file)? {
            let text = read(&path).map_err(|error| error.to_string())?;
            self.files.borrow_mut().push(path);
            return Ok(text);
        }
        match SHIPPED_BODIES.iter().find(|(known, _)| *known == file) {
            Some((_, text)) => Ok((*text).to_owned()),
            None => Err(self.missing(file, format!("no file '{file}' beside the scene; 'tocco mesh' writes one"))),
        }
    }

    fn scene(&mut self, name: &str) -> std::result::Result<FetchedScene<'_>, String> {
        if let Some(path) = self.file(name)? {
            let identity = path.canonicalize().unwrap_or_else(|_| path.clone()).to_string_lossy().into_owned();
            let text = read(&path).map_err(|error| error.to_string())?;
            let folder = path.parent().map(Path::to_path_buf);
            self.files.borrow_mut().push(path);
            return Ok(FetchedScene { identity, text, fetch: Box::new(Self { folder, ..self.clone() }) });
        }
        match SHIPPED.iter().find(|(known, _)| *known == name) {
            Some((known, text)) => {
                let (identity, text) = ((*known).to_owned(), (*text).to_owned());
                Ok(FetchedScene { identity, text, fetch: Box::new(Self { folder: None, ..self.clone() }) })
            }
            None => {
                let near = nearest(name, SHIPPED.iter().map(|(name, _)| *name));
                Err(self.missing(name, format!("no file beside the scene and no shipped scene '{name}'{near}")))
            }
        }
    }
}

/// A scene from text; what it names is looked for in `folder`.
pub fn from_text(name: &str, origin: &str, text: String, folder: Option<&Path>) -> Result<Document> {
    fetching(name, origin, text, Beside { folder: folder.map(Path::to_path_buf), ..Beside::default() })
}

fn fetching(name: &str, origin: &str, text: String, fetch: Beside) -> Result<Document> {
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
    let fetch = Beside::default();
    let scene = load_from(scene, fetch.clone())?;
    Ok((scene, fetch.files.take()))
}

/// A scene file, and whatever it and its parts name, from inside a folder, whose path is real, or shipped; nothing else is opened.
pub fn load_inside(scene: &str, folder: &Path) -> Result<Document> {
    load_from(scene, Beside { fence: Some(folder.to_path_buf()), ..Beside::default() })
}

fn load_from(scene: &str, fetch: Beside) -> Result<Document> {
    let path = Path::new(scene);
    if scene == "-" {
        let text = read_text(path, std::io::stdin().lock())?;
        return fetching("scene", "standard input", text, Beside { folder: Some(".".into()), ..fetch });
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
    fetch.files.borrow_mut().push(path.to_path_buf());
    fetching(&name, scene, text, Beside { folder: Some(folder), ..fetch })
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
