// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares `bindings/c/tocco.h` with what the source says; with `--write` writes it.

use std::error::Error;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let config = cbindgen::Config::from_file(here.join("cbindgen.toml"))?;
    let source = here.join("src/lib.rs"); // its modules are followed
    let builder = cbindgen::Builder::new().with_config(config).with_src(source);
    let mut made = Vec::new();
    builder.generate()?.write(&mut made);
    let (path, made) = (here.join("tocco.h"), String::from_utf8(made)?);
    if std::env::args().nth(1).as_deref() == Some("--write") {
        fs::write(&path, &made)?;
    }
    // Functions say on which half they work, or the rules at the top mean nothing.
    let marked = ["[audio]", "[control]", "[both]"].iter().all(|mark| made.matches(mark).count() > 5);
    match fs::read_to_string(&path)? == made && marked {
        true => Ok(()),
        false => {
            Err("tocco.h is old; cargo run --manifest-path bindings/c/header/Cargo.toml -- --write makes it anew"
                .into())
        }
    }
}
