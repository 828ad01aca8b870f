// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lists the files of the studio page, so that they travel inside the program.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let missing = |name| io::Error::other(format!("cargo did not set {name}"));
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or_else(|| missing("CARGO_MANIFEST_DIR"))?);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| missing("OUT_DIR"))?);
    // In the repository a link to bindings/web/studio; a package holds the files.
    let page = root.join("studio");
    println!("cargo::rerun-if-changed={}", page.display());
    let listed = fs::read_dir(&page)
        .map_err(|e| io::Error::other(format!("{}: {e}; is it a link that git did not make one?", page.display())))?;
    let mut files = listed.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    files.sort();
    // The page's engine is built for another target: ./run and ./test build it first and say where it is.
    println!("cargo::rerun-if-env-changed=TOCCO_WASM_FILE");
    if let Some(wasm) = env::var_os("TOCCO_WASM_FILE") {
        println!("cargo::rerun-if-changed={}", Path::new(&wasm).display());
        files.push(out.join("tocco.wasm"));
        fs::copy(wasm, out.join("tocco.wasm"))?;
    }
    let row = |file: &PathBuf| format!("    ({:?}, include_bytes!({file:?})),\n", file.file_name().unwrap_or_default());
    fs::write(out.join("studio.rs"), format!("&[\n{}]\n", files.iter().map(row).collect::<String>()))
}
