// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program as people run it.

#![allow(dead_code, reason = "every test takes its part of it")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs the program in a folder.
pub fn tocco(dir: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tocco")).args(arguments).current_dir(dir).stdin(Stdio::null()).output().unwrap()
}

/// Runs it where it must succeed in silence; what it printed.
pub fn good(dir: &Path, arguments: &[&str]) -> String {
    let out = tocco(dir, arguments);
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success() && error.is_empty(), "{arguments:?}: {error}");
    String::from_utf8(out.stdout).unwrap()
}
