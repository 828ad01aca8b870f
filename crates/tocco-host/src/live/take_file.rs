// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file that a take is recorded to: it appears when the take is complete.

use super::Desk;
use crate::atomic_file::AtomicFile;
use crate::error::{HostError, Result};
use crate::render::VERSION;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// One end goes to the desk, which writes; the other completes the file.
#[derive(Clone)]
pub struct TakeFile {
    file: Arc<Mutex<Option<BufWriter<AtomicFile>>>>,
    path: PathBuf,
}

impl TakeFile {
    /// Records what a desk plays, from the start on, to a file that is not there yet.
    pub fn record(desk: &mut Desk, path: &Path) -> Result<Self> {
        let file = BufWriter::new(AtomicFile::create(path)?);
        let take = Self { file: Arc::new(Mutex::new(Some(file))), path: path.to_path_buf() };
        desk.record(Box::new(take.clone()), VERSION)?;
        Ok(take)
    }

    /// The sound has stopped: the take is complete.
    pub fn finish(self, desk: &mut Desk) -> Result<()> {
        desk.finish()?;
        let Some(file) = self.file.lock().unwrap_or_else(PoisonError::into_inner).take() else { return Ok(()) };
        file.into_inner().map_err(|e| HostError::writing(&self.path, &e.into_error()))?.keep()
    }
}

impl Write for TakeFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match &mut *self.file.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(file) => file.write(bytes),
            None => Ok(bytes.len()), // completed already
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map_or(Ok(()), Write::flush)
    }
}
