// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lists the shipped scenes and designs and the files of the studio page, so that they travel inside the program, and says
//! by which sources it was built: sounds of another build are not taken for its own.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher as _};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let missing = |name| io::Error::other(format!("cargo did not set {name}"));
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or_else(|| missing("CARGO_MANIFEST_DIR"))?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| missing("OUT_DIR"))?);
    for (folder, list) in [("scenes", "scenes.rs"), ("designs", "designs.rs")] {
        let mut texts = files(&root.join("../..").join(folder))?;
        texts.retain(|file| file.extension().is_some_and(|e| e == "toml"));
        fs::write(out.join(list), rows(&texts, "include_str", |file| file.file_stem())?)?;
    }
    let mut sources = DefaultHasher::new();
    for folder in ["../tocco/src", "src"] {
        mix(&mut sources, &root.join(folder))?;
    }
    println!("cargo::rustc-env=TOCCO_SOURCES={:016x}", sources.finish());
    // The page's engine is built for another target: ./run and ./test build it first and say where it is.
    println!("cargo::rerun-if-env-changed=TOCCO_WASM_FILE");
    let mut page = files(&root.join("../../bindings/web/studio"))?;
    if let Some(wasm) = env::var_os("TOCCO_WASM_FILE") {
        println!("cargo::rerun-if-changed={}", Path::new(&wasm).display());
        page.push(out.join("tocco.wasm"));
        fs::copy(wasm, out.join("tocco.wasm"))?;
    }
    fs::write(out.join("studio.rs"), rows(&page, "include_bytes", |file| file.file_name())?)
}

/// Files of a folder, sorted by name; cargo looks at the folder again when it changes.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?.map(|e| e.map(|e| e.path())).collect::<io::Result<_>>()?;
    files.retain(|file| file.is_file());
    files.sort();
    Ok(files)
}

/// Takes every file under a folder into a hash, in the order of names.
fn mix(hash: &mut DefaultHasher, folder: &Path) -> io::Result<()> {
    for file in files(folder)? {
        hash.write(&fs::read(file)?);
    }
    let mut folders: Vec<PathBuf> = fs::read_dir(folder)?.map(|e| e.map(|e| e.path())).collect::<io::Result<_>>()?;
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders.iter().try_for_each(|inner| mix(hash, inner))
}

/// A Rust list of name and contents.
fn rows(files: &[PathBuf], include: &str, name: fn(&Path) -> Option<&std::ffi::OsStr>) -> io::Result<String> {
    let mut rows = String::from("&[\n");
    for file in files {
        let name = name(file).unwrap_or_default().to_string_lossy();
        let _ = writeln!(rows, "    ({name:?}, {include}!({:?})),", fs::canonicalize(file)?);
    }
    rows.push_str("]\n");
    Ok(rows)
}
