// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file that a take is recorded to: it appears when the take is complete.

use super::Desk;
use crate::atomic_file::AtomicFile;
use crate::error::{HostError, Result};
use crate::render::VERSION;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use tocco_live::take::SharedWriter;

/// The end that completes the file; the desk has the one that writes.
pub struct TakeFile {
    file: SharedWriter<BufWriter<AtomicFile>>,
    path: PathBuf,
}

impl TakeFile {
    /// Records what a desk plays, from the start on, to a file that is not there yet.
    pub fn record(desk: &mut Desk, path: &Path) -> Result<Self> {
        let file = SharedWriter::new(BufWriter::new(AtomicFile::create(path)?));
        desk.record(Box::new(file.clone()), VERSION)?;
        Ok(Self { file, path: path.to_path_buf() })
    }

    /// The sound has stopped: the take is complete.
    pub fn finish(self, desk: &mut Desk) -> Result<()> {
        desk.finish()?;
        let Some(file) = self.file.fetch() else { return Ok(()) };
        file.into_inner().map_err(|e| HostError::writing(&self.path, &e.into_error()))?.keep()
    }
}
