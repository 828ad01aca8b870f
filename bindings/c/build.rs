// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lists the shipped scenes: a page that uses one as a part of another cannot fetch a file.

use std::path::PathBuf;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let missing = |name| io::Error::other(format!("cargo did not set {name}"));
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or_else(|| missing("CARGO_MANIFEST_DIR"))?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| missing("OUT_DIR"))?);
    let scenes = listed(root.join("../../scenes"))?;
    let rows =
        scenes.iter().map(|file| format!("({:?}, include_str!({file:?})),\n", file.file_stem().unwrap_or_default()));
    fs::write(out.join("scenes.rs"), format!("&[\n{}]\n", rows.collect::<String>()))?;
    // Baked bodies, named as a scene names them.
    let bodies = listed(root.join("../../scenes/bodies"))?;
    let name = |file: &PathBuf| format!("bodies/{}", file.file_name().unwrap_or_default().to_string_lossy());
    let rows = bodies.iter().map(|file| format!("({:?}, include_str!({file:?})),\n", name(file)));
    fs::write(out.join("bodies.rs"), format!("&[\n{}]\n", rows.collect::<String>()))
}

/// The TOML files of a folder, sorted.
fn listed(folder: PathBuf) -> io::Result<Vec<PathBuf>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    Ok(files)
}
