// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file that a take is recorded to: it has its name when the take is complete, and is good up to its last mark before that.

use super::Desk;
use super::reel::Reel;
use crate::error::Result;
use crate::render::VERSION;
use std::path::Path;
use tocco_lab::recording::Recording;

/// The end that completes the file; the desk has the one that writes.
pub struct TakeFile(Reel);

impl TakeFile {
    /// Records what a desk plays, from the start on, to a file that is not there yet.
    pub fn record(desk: &mut Desk, path: &Path) -> Result<Self> {
        let reel = Reel::start(Recording::of_take(path)?)?;
        if let Err(error) = desk.record(Box::new(reel.writer()), VERSION) {
            reel.discard();
            return Err(error.into());
        }
        Ok(Self(reel))
    }

    /// The sound has stopped: the take is complete. What the desk wrote until then is kept, whatever happens.
    pub fn finish(self, desk: &mut Desk) -> Result<()> {
        match desk.finish() {
            Ok(_) => self.0.keep(),
            Err(error) => self.0.cut().and(Err(error.into())),
        }
    }

    /// It ends at its last mark.
    pub fn cut(self) -> Result<()> {
        self.0.cut()
    }

    /// Nothing was played.
    pub fn discard(self) {
        self.0.discard();
    }

    /// Why it has ended early; once.
    pub fn news(&self) -> Option<String> {
        self.0.news()
    }
}
