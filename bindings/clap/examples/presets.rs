// SPDX-License-Identifier: MIT OR Apache-2.0
//! presets FOLDER writes every shipped scene as a preset for VST3 hosts, which do not ask a plug-in for its own.

use std::error::Error;
use std::path::Path;
use tocco_clap::presets::vstpreset;
use tocco_lab::library;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: presets FOLDER")?;
    std::fs::create_dir_all(&folder)?;
    for scene in library::shipped()? {
        std::fs::write(Path::new(&folder).join(format!("{}.vstpreset", scene.name)), vstpreset(scene))?;
    }
    Ok(())
}
