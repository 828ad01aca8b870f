// SPDX-License-Identifier: MIT OR Apache-2.0
//! What may be typed after `tocco compare`.

use crate::error::{HostError, Result, bad};
use crate::{atomic_file, console};
use clap::Args;
use std::path::PathBuf;
use tocco_lab::compare::{self, Comparison};

/// Shown under the options.
pub(super) const EXAMPLES: &str = "Examples:\n  tocco compare mine.wav recorded.flac --picture beside.png\n  \
    tocco compare mine.wav recordings/          a folder: 10 to 90 % of what is in it\n  \
    tocco compare mine.wav woodblock            real recordings that were measured; a wrong name lists them\n  \
    tocco compare --scenes woodblock timpani    shipped scenes beside recordings of their kind; all without a name\n\n\
    You get ten numbers side by side (docs/compare.md says how each is read): spectral peaks within 45 dB; flatness 60 to\n\
    120 ms after the blow; level between the modes; share above 5 kHz in the first 10 ms; centroid at 200 ms; T60 from 2 to\n\
    4 kHz; crest; attack time; T60 per octave; difference between strokes. Beside several sounds each is within or OUTSIDE.";

/// The options of the command.
#[derive(Args, Debug)]
pub(super) struct CompareArgs {
    /// A sound and what to compare it with (a sound, a folder, a kind of recordings); with --scenes, names of scenes
    #[arg(value_name = "SOUND", required_unless_present = "scenes")]
    what: Vec<String>,
    /// Shipped scenes beside recordings of their kind
    #[arg(long)]
    scenes: bool,
    /// As JSON
    #[arg(long)]
    json: bool,
    /// Also draw it
    #[arg(long, value_name = "FILE.png", value_parser = super::args::png, conflicts_with = "scenes")]
    picture: Option<PathBuf>,
}

impl CompareArgs {
    /// Does what was typed.
    pub(super) fn run(&self) -> Result<()> {
        if self.scenes {
            let all = compare::scenes(&self.what)?;
            let json = || serde_json::Value::Array(all.iter().map(Comparison::json).collect());
            return console::result(&if self.json { format!("{:#}", json()) } else { compare::scenes_text(&all) });
        }
        let [sound, other] = self.what.as_slice() else {
            return bad("give a sound and what to compare it with: another, a folder, or a kind of recordings");
        };
        if let Some(picture) = &self.picture {
            let read = [("the sound", sound.as_ref()), ("the other", other.as_ref())];
            atomic_file::keep_apart(&read, &[("--picture", picture)])?;
        }
        let beside = compare::beside(other)?;
        let (_, described) = compare::read(sound.as_ref())?;
        let comparison = Comparison { name: sound.clone(), sound: described, beside };
        if let Some(picture) = &self.picture {
            atomic_file::write(picture, &comparison.picture().map_err(HostError::Machine)?)?;
        }
        console::result(&if self.json { format!("{:#}", comparison.json()) } else { comparison.text() })
    }
}
