// SPDX-License-Identifier: MIT OR Apache-2.0
//! The plug-in's window: the program's studio, served on loopback with the plug-in's scene and opened in a browser.
//!
//! The program is looked for where `TOCCO_PROGRAM` says, beside the plug-in, then on the path. It serves until the window is hidden
//! or destroyed. Where no window floats a knob opens and closes it ([`Keeper`]).

use crate::main_thread::STUDIO_KNOB;
use clack_plugin::events::event_types::ParamValueEvent;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;
use std::{env, fs, thread};

/// The program may take so long to begin.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often it is looked where the knob is.
const PAUSE: Duration = Duration::from_millis(50);

/// Where the program may be: what the user says, beside the plug-in, on the path.
fn places(told: Option<OsString>, beside: Option<&Path>, path: Option<OsString>) -> Vec<PathBuf> {
    if let Some(told) = told {
        return vec![told.into()];
    }
    let name = format!("tocco{}", env::consts::EXE_SUFFIX);
    // A plug-in may be a folder with the library somewhere in it.
    let around = beside.into_iter().flat_map(|file| file.ancestors().skip(1).take(4).map(Path::to_path_buf));
    let on_path = path.iter().flat_map(env::split_paths).collect::<Vec<_>>();
    around.chain(on_path).map(|folder| folder.join(&name)).collect()
}

fn find(beside: Option<&Path>) -> Result<PathBuf, String> {
    let all = places(env::var_os("TOCCO_PROGRAM"), beside, env::var_os("PATH"));
    all.into_iter().find(|file| file.is_file()).ok_or_else(|| {
        "no program tocco to open the studio with: put it beside the plug-in or on the path, or say where it is in \
         TOCCO_PROGRAM"
            .into()
    })
}

/// What somebody wants of the window by turning its knob: told on any thread, done by the [`Keeper`].
#[derive(Default)]
pub struct Wish(AtomicU8);

impl Wish {
    const NONE: u8 = 0;
    const CLOSED: u8 = 1;
    const OPEN: u8 = 2;

    /// Takes a turn of the window's knob; false of another. `[audio]`
    pub fn heard(&self, set: &ParamValueEvent) -> bool {
        let is_own = set.param_id().is_some_and(|id| id.get() == STUDIO_KNOB);
        if is_own {
            self.0.store(if set.value() >= 0.5 { Self::OPEN } else { Self::CLOSED }, Ordering::Relaxed);
        }
        is_own
    }

    /// True to open it, false to close it; what was wanted is forgotten. `[control]`
    fn take(&self) -> Option<bool> {
        match self.0.swap(Self::NONE, Ordering::Relaxed) {
            Self::NONE => None,
            wanted => Some(wanted == Self::OPEN),
        }
    }
}

/// A studio that is being served.
pub struct Studio {
    child: Child,
    link: String,
}

impl Studio {
    /// Serves a scene's text, which names files of a folder, if it came from one; one line of words if it cannot be. `[control]`
    pub fn open(text: &str, folder: Option<&Path>, beside: Option<&Path>) -> Result<Self, String> {
        let program = find(beside)?;
        let wrong = |what: String| format!("{}: {what}", program.display());
        // The program is called from another folder than it was found from.
        let whole = fs::canonicalize(&program).map_err(|error| wrong(error.to_string()))?;
        let mut command = Command::new(whole);
        if let Some(folder) = folder.filter(|folder| folder.is_dir()) {
            command.current_dir(folder);
        }
        command.args(["studio", "-", "--port", "0"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| wrong(error.to_string()))?;
        if let Some(mut input) = child.stdin.take() {
            let text = text.to_owned();
            // What it does not read says nothing: its own words do.
            thread::spawn(move || input.write_all(text.as_bytes()));
        }
        let mut studio = Self { child, link: String::new() };
        studio.link = studio.first_words().map_err(wrong)?;
        Ok(studio)
    }

    /// Where the page is, once the program says so; what it says is read to its end, so that it never waits.
    fn first_words(&mut self) -> Result<String, String> {
        let (tell, told) = mpsc::channel();
        let (out, errors) = (self.child.stdout.take(), self.child.stderr.take());
        thread::spawn(move || {
            for line in out.into_iter().flat_map(|out| BufReader::new(out).lines()).map_while(Result::ok) {
                if let Some(link) = line.split_whitespace().find(|word| word.starts_with("http://")) {
                    let _ = tell.send(Ok(link.to_owned()));
                }
            }
            let mut said = String::new();
            let _ = errors.map(|errors| errors.take(1 << 16).read_to_string(&mut said));
            let _ = tell.send(Err(said.trim().lines().next().unwrap_or("it ended without a word").to_owned()));
        });
        told.recv_timeout(PATIENCE).unwrap_or_else(|_| Err("it says nothing".into()))
    }

    /// Where the page is.
    pub fn link(&self) -> &str {
        &self.link
    }
}

/// Opens and closes the studio as its knob says, on a thread of its own: on Linux, hosts of VST3 call the main thread of a plug-in only
/// while they show a window of it that they hold.
pub struct Keeper {
    kept: Arc<Kept>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Kept {
    wish: Arc<Wish>,
    /// Text of the scene, and the folder of the files that it names.
    scene: Mutex<(String, Option<PathBuf>)>,
    is_open: AtomicBool,
    is_over: AtomicBool,
    /// Where the page is, or why there is none, until somebody asks.
    said: Mutex<Option<Result<String, String>>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Keeper {
    /// For a plug-in that was loaded from this file. `[control]`
    pub fn new(beside: Option<PathBuf>) -> Self {
        let kept = Arc::new(Kept::default());
        let own = kept.clone();
        let thread = thread::Builder::new().spawn(move || own.keep(beside.as_deref()));
        Self { kept, thread: thread.ok() }
    }

    /// What the audio thread tells when the knob is turned.
    pub fn wish(&self) -> &Arc<Wish> {
        &self.kept.wish
    }

    /// What is opened from here on. `[control]`
    pub fn show(&self, text: &str, folder: Option<&Path>) {
        *locked(&self.kept.scene) = (text.to_owned(), folder.map(Path::to_path_buf));
    }

    /// It is being served. `[control]`
    pub fn is_open(&self) -> bool {
        self.kept.is_open.load(Ordering::Acquire)
    }

    /// Where the page is, or why there is none; once. `[control]`
    pub fn said(&self) -> Option<Result<String, String>> {
        locked(&self.kept.said).take()
    }
}

impl Kept {
    fn keep(&self, beside: Option<&Path>) {
        let mut studio: Option<Studio> = None;
        while !self.is_over.load(Ordering::Acquire) {
            let mut said = None;
            match self.wish.take() {
                Some(true) if studio.is_none() => {
                    let (text, folder) = locked(&self.scene).clone();
                    let opened = Studio::open(&text, folder.as_deref(), beside);
                    said = Some(opened.as_ref().map(|studio| studio.link.clone()).map_err(String::clone));
                    studio = opened.ok();
                }
                Some(false) => studio = None,
                _ => {}
            }
            self.is_open.store(studio.is_some(), Ordering::Release);
            if said.is_some() {
                *locked(&self.said) = said;
            }
            thread::park_timeout(PAUSE);
        }
    }
}

impl Drop for Keeper {
    /// The thread ends before the library that it runs in may be gone.
    fn drop(&mut self) {
        self.kept.is_over.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::places;
    use std::path::{Path, PathBuf};

    #[test]
    fn the_program_is_where_it_is_said_to_be_else_beside_the_plug_in_else_on_the_path() {
        let beside = Path::new("/plugins/Tocco.vst3/Contents/x86_64-linux/Tocco.so");
        let path = || Some(std::env::join_paths(["/usr/bin", "/bin"]).unwrap());
        assert_eq!(places(Some("/here/tocco".into()), Some(beside), path()), [PathBuf::from("/here/tocco")]);
        let all = places(None, Some(beside), path());
        let at = |folder: &str| {
            let file = Path::new(folder).join(format!("tocco{}", std::env::consts::EXE_SUFFIX));
            all.iter().position(|found| *found == file).unwrap_or_else(|| panic!("{folder}: {all:?}"))
        };
        assert!(at("/plugins") < at("/usr/bin") && at("/usr/bin") < at("/bin"));
        assert!(at("/plugins/Tocco.vst3/Contents/x86_64-linux") < at("/plugins"));
        assert!(places(None, None, None).is_empty());
    }
}
