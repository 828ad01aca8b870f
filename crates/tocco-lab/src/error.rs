// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can go wrong around the engine: one line for people and an exit code for scripts.

use std::fmt;
use std::io;
use std::path::Path;

/// Why a command ended early. Each holds one line that says what, where and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A check missed its figure; the run itself was sound. Look at the report it printed.
    Missed(String),
    /// The scene, a path or an option cannot be used. Change it and run again.
    BadInput(String),
    /// Disk, memory or system refused. The same command may work later or elsewhere.
    Machine(String),
    /// Whoever read our output has gone (a closed pipe). Nothing to say and nobody to say it to.
    Unheard,
}

impl Error {
    /// Exit code of the program.
    pub fn code(&self) -> u8 {
        match self {
            Self::Unheard => 0,
            Self::Missed(_) => 1,
            Self::BadInput(_) => 2,
            Self::Machine(_) => 3,
        }
    }

    /// A file that could not be read: the caller's fault if it is not there or not for us, else the machine's.
    pub fn reading(path: &Path, cause: &io::Error) -> Self {
        Self::of_file("read", path, cause)
    }

    /// A file that could not be written.
    pub fn writing(path: &Path, cause: &io::Error) -> Self {
        Self::of_file("write", path, cause)
    }

    fn of_file(verb: &str, path: &Path, cause: &io::Error) -> Self {
        use io::ErrorKind as K;
        let path = path.display();
        match cause.kind() {
            K::BrokenPipe => Self::Unheard,
            K::NotFound if verb == "write" => {
                Self::BadInput(format!("cannot write {path}: its folder does not exist; make it first"))
            }
            K::NotFound => Self::BadInput(format!("cannot read {path}: no such file")),
            K::PermissionDenied => Self::BadInput(format!("cannot {verb} {path}: permission denied")),
            K::IsADirectory => Self::BadInput(format!("cannot {verb} {path}: it is a folder; name a file in it")),
            K::NotADirectory => {
                Self::BadInput(format!("cannot {verb} {path}: part of the path is a file, not a folder"))
            }
            K::AlreadyExists => Self::BadInput(format!("cannot {verb} {path}: it exists already; name another")),
            K::InvalidFilename | K::InvalidInput | K::ReadOnlyFilesystem => {
                Self::BadInput(format!("cannot {verb} {path}: {}", plain(cause)))
            }
            K::InvalidData => Self::BadInput(format!("cannot {verb} {path}: it is not text")),
            _ => Self::Machine(format!("cannot {verb} {path}: {}", plain(cause))),
        }
    }
}

/// The system's words without its number.
pub fn plain(cause: &io::Error) -> String {
    let text = cause.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_lowercase(),
        None => text,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missed(text) | Self::BadInput(text) | Self::Machine(text) => f.write_str(text),
            Self::Unheard => f.write_str("the reader of our output has gone"),
        }
    }
}

impl std::error::Error for Error {}

impl From<tocco_live::Error> for Error {
    fn from(error: tocco_live::Error) -> Self {
        match error {
            tocco_live::Error::BadInput(text) => Self::BadInput(text),
            tocco_live::Error::Busy(text) => Self::Machine(text),
            tocco_live::Error::Writing(cause) if cause.kind() == io::ErrorKind::BrokenPipe => Self::Unheard,
            tocco_live::Error::Writing(_) => Self::Machine(error.to_string()),
        }
    }
}

/// What studies, renderings and the program's commands return.
pub type Result<T> = std::result::Result<T, Error>;

/// Shorthand for a bad-input error.
pub fn bad<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::BadInput(text.into()))
}
