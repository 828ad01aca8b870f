// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scene that is being read and built, on a thread of its own: nobody who shares the desk waits for it.

use super::rehearse::rehearse;
use super::{Built, Workshop};
use crate::error::{HostError, Result};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;
use tocco::Document;

/// A scene that will be ready some time.
pub struct Building(Receiver<Result<Built>>);

impl Building {
    /// Begins to read a scene and to build it.
    pub fn start(workshop: Workshop, read: impl FnOnce() -> Result<Document> + Send + 'static) -> Result<Self> {
        let (tell, done) = sync_channel(1);
        let build = move || {
            let built = read().and_then(|scene| {
                rehearse(&scene, workshop.rate_hz())?;
                Ok(workshop.build(scene)?)
            });
            let _ = tell.send(built);
        };
        let thread = std::thread::Builder::new().name("builder".into()).spawn(build);
        thread.map(|_| Self(done)).map_err(|e| HostError::Machine(format!("no thread to build a scene: {e}")))
    }

    /// The scene, or why it cannot be had; `None`: not yet. Waits so long at most.
    pub fn ready(&self, patience: Duration) -> Option<Result<Built>> {
        match self.0.recv_timeout(patience) {
            Ok(done) => Some(done),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Err(HostError::Machine("the scene could not be built".into()))),
        }
    }
}
