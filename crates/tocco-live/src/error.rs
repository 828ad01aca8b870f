// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong while playing: one line for people.

use std::fmt;
use tocco::SceneError;

/// Why something was not done. Each holds one line that says what, where and what to do.
#[derive(Debug)]
pub enum Error {
    /// The scene, a name or a value cannot be used. Say it otherwise.
    BadInput(String),
    /// There is no room, or no time. The same may work later.
    Busy(String),
    /// The take could not be written.
    Writing(std::io::Error),
}

/// What came of it.
pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadInput(text) | Self::Busy(text) => f.write_str(text),
            Self::Writing(cause) => write!(f, "the take cannot be written: {cause}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<SceneError> for Error {
    fn from(error: SceneError) -> Self {
        Self::BadInput(error.to_string())
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::Writing(error)
    }
}

/// Shorthand for a bad-input error.
pub(crate) fn bad<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::BadInput(text.into()))
}
