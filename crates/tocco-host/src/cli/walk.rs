// SPDX-License-Identifier: MIT OR Apache-2.0
//! What may be typed after `tocco walk`, and what it does.

use super::report_words;
use crate::error::{HostError, Result};
use crate::render::{self, Manner, Plan, Target};
use crate::wav::Encoding;
use crate::{atomic_file, console};
use clap::Args;
use std::path::{Path, PathBuf};
use tocco_lab::analyse::read::Recording;
use tocco_lab::walk::{self, Walk, Who, listen, plate};

/// Shown under the options.
pub(super) const EXAMPLES: &str = "Examples:\n  tocco walk snow-deep --speed 1.3 --sole boot --steps 20 -o walk.wav --picture\n  \
    tocco walk gravel --speed 3 -o run.wav\n  \
    tocco walk dry-leaves --grf plate.csv --mass 68 -o lab.wav\n  \
    tocco walk metal --audio steps.wav -o again.wav\n\n\
    You get somebody who walks on a floor, as a WAV file, and a line that says how many steps it holds. A floor is any scene with\n\
    an inlet 'press'; 'tocco analyse --steps' makes one from recordings. --grf takes the force from a plate: a table of text whose\n\
    header names columns with units, time_s (or time_ms) and heel_left_N, toe_left_N, heel_right_N, toe_right_N, or left_N and\n\
    right_N, or force_N (kN and BW, body weights, as well); a record with gaps, text or falling time is refused with its line.\n\
    --audio takes the envelope of a recording of steps instead, calibrated by itself. --save keeps the scene. Sensors that\n\
    walk live: 'tocco shoes'. docs/walking.md tells the rest.";

/// The options of the command.
#[derive(Args, Debug)]
pub(super) struct WalkArgs {
    /// Floor: a scene file or shipped name with an inlet 'press'
    floor: String,
    /// Sound file to write
    #[arg(long, short, value_name = "FILE.wav")]
    output: PathBuf,
    /// How fast, m/s; above 2 is running
    #[arg(long, value_name = "M/S", default_value_t = 1.3, allow_negative_numbers = true)]
    speed: f64,
    /// How many steps
    #[arg(long, value_name = "N", default_value_t = 20, allow_negative_numbers = true)]
    steps: usize,
    /// What is worn: barefoot, sock, sneaker, boot, ...; default: as the floor says
    #[arg(long, value_name = "SOLE")]
    sole: Option<String>,
    /// Mass of who walks, kg
    #[arg(long, value_name = "KG", default_value_t = 70.0, allow_negative_numbers = true)]
    mass: f64,
    /// Walk as a force plate has recorded it
    #[arg(long, value_name = "PLATE.csv", conflicts_with_all = ["audio", "speed", "steps"])]
    grf: Option<PathBuf>,
    /// Walk as a microphone has recorded it: WAV, FLAC or Ogg Vorbis
    #[arg(long, value_name = "STEPS.wav", conflicts_with_all = ["speed", "steps"])]
    audio: Option<PathBuf>,
    /// Only with --audio: find steps by a pair of thresholds, as De Sena et al. 2009 prints it
    #[arg(long, requires = "audio")]
    pair: bool,
    /// Also draw forces and level; without a name, into a file called as the sound, with .png
    #[arg(long, value_name = "FILE.png", num_args = 0..=1, value_parser = super::args::png)]
    picture: Option<Option<PathBuf>>,
    /// Also write the scene
    #[arg(long, value_name = "SCENE.toml")]
    save: Option<PathBuf>,
    /// Sample rate; default: the floor's own
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    rate: Option<f64>,
    /// Seed of everything random
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Bring the peak to this level, dB of full scale
    #[arg(long, value_name = "DB", allow_negative_numbers = true)]
    normalise: Option<f64>,
}

/// As [`atomic_file::keep_apart`] wants them.
fn paths<'a>(files: &'a [(&'static str, PathBuf)]) -> Vec<(&'static str, &'a Path)> {
    files.iter().map(|(what, path)| (*what, path.as_path())).collect()
}

impl WalkArgs {
    /// Does what was typed.
    pub(super) fn run(&self) -> Result<()> {
        let picture = self.picture.as_ref().map(|file| file.clone().unwrap_or(self.output.with_extension("png")));
        let floor = walk::files_of(&self.floor);
        let read = floor.iter().map(|file| ("a file of the floor", Some(file)));
        let read = read.chain([("--grf", self.grf.as_ref()), ("--audio", self.audio.as_ref())]);
        let written = [("-o", Some(&self.output)), ("--picture", picture.as_ref()), ("--save", self.save.as_ref())];
        let named = |(what, path): (&'static str, Option<&'_ PathBuf>)| Some((what, path?.clone()));
        let (read, written): (Vec<_>, Vec<_>) =
            (read.filter_map(named).collect(), written.into_iter().filter_map(named).collect());
        atomic_file::keep_apart(&paths(&read), &paths(&written))?;
        let who = match (&self.grf, &self.audio) {
            (Some(file), _) => {
                let mut walk = self.walk(Who::Live(1));
                walk.check()?; // the mass, before it divides anything
                walk.who = Who::Record(plate::read(file, self.mass)?);
                walk.who
            }
            (None, Some(file)) => Who::Record(listen::feet(&Recording::open(file, true)?, self.pair)?),
            (None, None) => Who::Gait { speed_m_s: self.speed, steps: self.steps },
        };
        let steps = match &who {
            Who::Record(feet) => feet.steps.len(),
            _ => self.steps,
        };
        let walk = self.walk(who);
        let mut plan = Plan::new(walk.document()?);
        plan.rate_hz = self.rate.unwrap_or(plan.rate_hz);
        let manner = Manner { encoding: Encoding::Int24, normalise_dbfs: self.normalise, ..Manner::default() };
        let report = render::to_wav(&plan, &Target::File(self.output.clone()), &manner, true)?;
        if let Some(file) = &picture {
            atomic_file::write(file, &walk::picture(&plan)?.png().map_err(HostError::Machine)?)?;
        }
        if let Some(file) = &self.save {
            atomic_file::write(file, walk.scene()?.0.as_bytes())?;
        }
        let words = report_words(&self.output.display().to_string(), &report, manner.encoding);
        console::remark(&format!("{words}; {steps} steps"));
        Ok(())
    }

    fn walk(&self, who: Who) -> Walk {
        let (floor, sole, speakers) = (self.floor.clone(), self.sole.clone(), Default::default());
        Walk { floor, who, mass_kg: self.mass, sole, seed: self.seed, speakers }
    }
}
