// SPDX-License-Identifier: MIT OR Apache-2.0
//! What may be typed after `tocco analyse`.

use crate::error::Result;
use clap::Args;
use std::path::PathBuf;
use tocco_lab::analyse::Options;
use tocco_lab::analyse::footsteps::{self, StepsOptions};
use tocco_lab::analyse::task::{self, Task};

/// Shown under the options.
pub(super) const EXAMPLES: &str = "Examples:\n  tocco analyse bell.wav -o bell.toml --picture bell.png\n  \
    tocco analyse soft.flac hard.flac rim.flac -o tom.toml --modes 60\n  \
    tocco analyse three-strikes.ogg --strikes 3 -o pot.toml\n  \
    tocco analyse --steps gravel-1.wav gravel-2.wav -o floor.toml     then: tocco walk floor.toml -o walk.wav\n\n\
    You get a scene that sounds as it stands ('tocco render bell.toml -o again.wav'): a modal body with one port per\n\
    strike, a hit at each, a tap at the recorded level; and a line per strike: its onset; the residual, which is the\n\
    energy that no mode explains; level and peak of the body over the strike's; and the log-mel distance, how far they\n\
    are apart to an ear. That is the root mean square difference of their levels in 40 bands of the ear, in all cells\n\
    that stand 10 dB or more above the recording's noise (read before the strike, or where the file is quietest), from\n\
    the onset on. The first 30 ms (attack) and the rest (ring) are judged apart, and the greater counts. Below 1.5 dB all\n\
    modes are right; a mode that lacks, a decay off by half or a late attack read 3 dB or more; bodies of real drums,\n\
    which lose the knock of the hammer, 9 dB in the mean.\n\n\
    A good recording: one object, struck once, left to ring out, no clipping, little noise, close and dry. Strikes given\n\
    together must be of the same object at the same rate: they share their modes and differ in their weights, so more\n\
    places make a better body; where two share hardly a mode, that is said. Kept are frequency, decay, amplitude and phase of each mode; lost are the knock of the\n\
    hammer, standing noise and a gliding pitch.\n\n\
    With --steps the recordings are of somebody who walks, one step each or many: every step is found, their mean spectrum\n\
    becomes 1 to 6 bands of noise, their envelopes a mean and a deviation, and you get a floor for 'tocco walk' (docs/walking.md).";

/// The options of the command.
#[derive(Args, Debug)]
pub(super) struct AnalyseArgs {
    /// Recordings of strikes of one object: WAV, FLAC, AIFF, MP3 or Ogg Vorbis
    #[arg(required = true, value_name = "RECORDING")]
    recordings: Vec<PathBuf>,
    /// Scene to write, or - for standard output
    #[arg(long, short, value_name = "BODY.toml")]
    output: PathBuf,
    /// Also draw both spectrograms side by side
    #[arg(long, value_name = "FILE.png", value_parser = super::args::png)]
    picture: Option<PathBuf>,
    /// Name of the body; default: that of the scene file
    #[arg(long)]
    name: Option<String>,
    /// Most modes to keep, the loudest first
    #[arg(long, value_name = "N", default_value_t = Options::default().modes, allow_negative_numbers = true)]
    modes: usize,
    /// Lowest mode, Hz
    #[arg(long, value_name = "HZ", default_value_t = Options::default().min_hz, allow_negative_numbers = true)]
    min_hz: f64,
    /// Highest mode, Hz
    #[arg(long, value_name = "HZ", default_value_t = Options::default().max_hz, allow_negative_numbers = true)]
    max_hz: f64,
    /// Leave out modes so many dB below the strongest
    #[arg(long, value_name = "DB", default_value_t = Options::default().range_db, allow_negative_numbers = true)]
    range_db: f64,
    /// Strikes in each recording
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    strikes: usize,
    /// Mass of every mode: a recording does not tell it
    #[arg(long, value_name = "KG", default_value_t = 0.05, allow_negative_numbers = true)]
    mass_kg: f64,
    /// Go on although the recording is clipped
    #[arg(long)]
    clipped: bool,
    /// Write over files that are there
    #[arg(long)]
    force: bool,
    /// Say what was found as JSON
    #[arg(long)]
    json: bool,
    /// The recordings are of steps: write a floor to walk on
    #[arg(long, conflicts_with_all = ["modes", "min_hz", "max_hz", "range_db", "strikes", "mass_kg", "name"])]
    steps: bool,
    /// Only with --steps: most bands of noise
    #[arg(long, value_name = "N", default_value_t = StepsOptions::default().bands, requires = "steps", allow_negative_numbers = true)]
    bands: usize,
    /// Only with --steps: find them by a pair of thresholds, as De Sena et al. 2009 prints it, instead of what stands out
    #[arg(long, requires = "steps")]
    pair: bool,
}

impl AnalyseArgs {
    /// Does what was typed.
    pub(super) fn run(self) -> Result<()> {
        let (steps, options) = (self.steps, StepsOptions { bands: self.bands, pair: self.pair });
        let task = self.task();
        if steps { footsteps::task::run(&task, &options) } else { task::run(&task) }
    }

    /// The task that was typed.
    fn task(self) -> Task {
        let options = Options {
            modes: self.modes,
            min_hz: self.min_hz,
            max_hz: self.max_hz,
            range_db: self.range_db,
            strikes: self.strikes,
        };
        Task {
            recordings: self.recordings,
            output: self.output,
            picture: self.picture,
            name: self.name,
            options,
            mass_kg: self.mass_kg,
            clipped: self.clipped,
            force: self.force,
            json: self.json,
        }
    }
}
