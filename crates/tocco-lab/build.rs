// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lists the shipped scenes and designs, so that they travel inside the library, and says by which sources it was built:
//! sounds of another build are not taken for its own.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let missing = |name| io::Error::other(format!("cargo did not set {name}"));
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or_else(|| missing("CARGO_MANIFEST_DIR"))?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| missing("OUT_DIR"))?);
    // In the repository both are links to the folders of the same names at its top; a package holds the files.
    for folder in ["scenes", "designs"] {
        let mut rows = String::from("&[\n");
        for file in entries(&root.join(folder))?.iter().filter(|file| file.extension().is_some_and(|e| e == "toml")) {
            let name = file.file_stem().unwrap_or_default();
            rows += &format!("    ({name:?}, include_str!({file:?})),\n");
        }
        fs::write(out.join(folder).with_extension("rs"), rows + "]\n")?;
    }
    // Named as a scene names them.
    let bodies = entries(&root.join("scenes/bodies"))?;
    let row = |file: &PathBuf| {
        let name = format!("bodies/{}", file.file_name().unwrap_or_default().to_string_lossy());
        format!("    ({name:?}, include_str!({file:?})),\n")
    };
    fs::write(out.join("bodies.rs"), format!("&[\n{}]\n", bodies.iter().map(row).collect::<String>()))?;
    let mut sources = DefaultHasher::new();
    hash_files(&mut sources, &root.join("src"))?;
    // Beside a package there is no engine; it names the one version that it can be built with.
    let engine = root.join("../tocco/src");
    if engine.is_dir() {
        hash_files(&mut sources, &engine)?;
    }
    println!("cargo::rustc-env=TOCCO_SOURCES={:016x}", sources.finish());
    Ok(())
}

/// What is in a folder, sorted by name; cargo looks at the folder again when it changes.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let listed = fs::read_dir(folder)
        .map_err(|e| io::Error::other(format!("{}: {e}; is it a link that git did not make one?", folder.display())))?;
    let mut entries = listed.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}

/// Takes every file under a folder into the hash, in the order of names.
fn hash_files(hash: &mut DefaultHasher, folder: &Path) -> io::Result<()> {
    for path in entries(folder)? {
        if path.is_dir() {
            hash_files(hash, &path)?;
        } else {
            fs::read(path)?.hash(hash);
        }
    }
    Ok(())
}
