// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scene file that is edited while it sounds: every version that is saved goes on where the one before was.

use super::Shared;
use super::play::{Front, GOODBYE};
use super::rehearse::rehearse;
use crate::error::{HostError, Result};
use crate::interrupt;
use crate::library;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

/// The file is looked at so often.
const EVERY: Duration = Duration::from_millis(100);

/// Time and length of a version.
type Stamp = Option<(SystemTime, u64)>;

/// Follows one file.
pub struct Follow {
    file: PathBuf,
    seed: Option<u64>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Follow {
    /// For a scene given as a file; a seed that was asked for stays.
    pub fn new(file: &Path, seed: Option<u64>) -> Self {
        Self { file: file.to_path_buf(), seed, stop: Arc::default(), thread: None }
    }
}

fn stamp(file: &Path) -> Stamp {
    let about = std::fs::metadata(file).ok()?;
    Some((about.modified().ok()?, about.len()))
}

/// Takes the file over, or says why not; what sounds goes on in either case.
fn take_over(desk: &Shared, file: &Path, seed: Option<u64>) {
    let name = file.to_string_lossy();
    // Not while the desk is ours: a scene may take long to build.
    let workshop = desk.lock().workshop();
    let edited = library::load(&name).and_then(|mut scene| {
        scene.def.seed = seed.unwrap_or(scene.def.seed);
        rehearse(&scene, workshop.rate_hz())?;
        let built = workshop.build(scene)?;
        Ok(desk.lock().take_over(built, true)?)
    });
    desk.lock().say(match edited {
        Ok(()) => format!("{name}: edited, and plays on"),
        Err(error) => format!("{error}; playing on as before"),
    });
}

impl Front for Follow {
    fn start(&mut self, desk: &Shared) -> Result<()> {
        let (desk, file, seed, stop) = (desk.clone(), self.file.clone(), self.seed, self.stop.clone());
        let (mut taken, mut before) = (stamp(&file), stamp(&file));
        let run = move || {
            while !stop.load(Ordering::Relaxed) {
                std::thread::sleep(EVERY);
                let now = stamp(&file);
                // A file that is being written is left alone until it has stood still for a while.
                if now.is_some() && now == before && now != taken {
                    taken = now;
                    take_over(&desk, &file, seed);
                }
                before = now;
            }
        };
        let thread = std::thread::Builder::new().name("scene file".into()).spawn(run);
        self.thread = Some(thread.map_err(|e| HostError::Machine(format!("no thread to follow the scene file: {e}")))?);
        Ok(())
    }

    fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // One that builds a slow scene is not waited for.
        self.thread.take().map(|thread| interrupt::wait_for(&thread, GOODBYE));
    }
}
