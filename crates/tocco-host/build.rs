// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lists the shipped scenes and designs, so that they travel inside the program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let missing = |name| io::Error::other(format!("cargo did not set {name}"));
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or_else(|| missing("CARGO_MANIFEST_DIR"))?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| missing("OUT_DIR"))?);
    for (folder, list) in [("scenes", "scenes.rs"), ("designs", "designs.rs")] {
        fs::write(out.join(list), rows(&root.join("../..").join(folder))?)?;
    }
    Ok(())
}

/// A Rust list of name and text of every TOML file in a folder, sorted by name.
fn rows(folder: &Path) -> io::Result<String> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?.map(|e| e.map(|e| e.path())).collect::<io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|e| e == "toml"));
    files.sort();
    let mut rows = String::from("&[\n");
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let _ = writeln!(rows, "    ({name:?}, include_str!({:?})),", fs::canonicalize(&file)?);
    }
    rows.push_str("]\n");
    Ok(rows)
}
