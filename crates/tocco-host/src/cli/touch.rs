// SPDX-License-Identifier: MIT OR Apache-2.0
//! What may be typed after `tocco haptic`, `tocco fluid` and `tocco cracks`.

use super::args::{SceneArgs, parse_length, parse_seed};
use crate::error::{Result, bad};
use crate::library;
use crate::render::{self, Plan};
use clap::Args;
use std::path::{Path, PathBuf};
use tocco_lab::{atomic_file, cracks, fluid, haptic};

/// Shown under the options of `tocco haptic`.
pub(super) const HAPTIC_EXAMPLES: &str = "Examples:\n  tocco haptic bar -o bar.ahap             for an iPhone\n  \
    tocco haptic bar -o bar.haptic           for Android and game controllers (Lofelt, Nice Vibrations)\n  \
    tocco haptic violin -o violin.wav --rate 8000 --band 20..1000      for a voice coil or a shaker\n\n\
    You get what the contacts of the scene feel like: the very force that made the sound, from 40 to 800 Hz, and a line that\n\
    says what was felt and how strong. A scene chooses for itself with [output.haptic] and taps that go there (force of a\n\
    contact or process, acceleration of a body); without it you feel the force of every contact and process, and the\n\
    pressure of what only sounds. A phone gets an envelope, a pitch and a transient for every blow; events longer than 30 s and curves of\n\
    more than 16 points are chained, as AHAP wants it. docs/haptics.md has the rules.";

/// Shown under the options of `tocco fluid`.
pub(super) const FLUID_EXAMPLES: &str = "Examples:\n  tocco fluid -o drop.wav --picture drop.png --events drop.csv\n  \
    tocco fluid dam -o dam.wav --duration 4 --tilt 5 --scene dam.toml\n  \
    tocco fluid pour -o pour.wav --frames pictures --fps 30\n\n\
    You get water in a tank, computed particle by particle, and its sound: noise where it collides, bubbles once it stands\n\
    deep enough. Set-ups: drop (default: a block falls into an empty tank, De Sena et al. 2009 figure 4.1), dam (a column is let go), pour.\n\
    --events is a table of every sound (.csv or .json), --picture an animated PNG: blue rests, green falls, pink collides;\n\
    --scene is a scene file with a trigger for every sound, to play, change and render again.";

/// Shown under the options of `tocco cracks`.
pub(super) const CRACKS_EXAMPLES: &str = "Examples:\n  tocco cracks ice-walk -o cracks.svg\n  \
    tocco cracks ice-two-walkers -o cracks.json --duration 6\n\n\
    You get the lines that run through the ice of a scene while it sounds, as a drawing (.svg) or as points in metres (.json),\n\
    with holes where it broke. Each crack is as long as the energy of its fracture buys; the same seed gives the same lines.";

/// The options of `tocco cracks`.
#[derive(Args, Debug)]
pub(super) struct CracksArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// File to write: .svg or .json
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Which sheet of ice, where the scene has several
    #[arg(long, value_name = "PROCESS")]
    of: Option<String>,
}

impl CracksArgs {
    /// The task that was typed.
    pub(super) fn task(self) -> Result<cracks::Task> {
        let (plan, files) = self.scene.plan_noting()?;
        let read: Vec<_> = files.iter().map(|file| ("a file of the scene", file.as_path())).collect();
        atomic_file::keep_apart(&read, &[("-o", &self.output)])?;
        Ok(cracks::Task { plan, output: self.output, of: self.of })
    }
}

/// The options of `tocco haptic`.
#[derive(Args, Debug)]
pub(super) struct HapticArgs {
    /// Scene file, shipped name, or - for standard input
    scene: String,
    /// File to write: .ahap, .haptic or .wav
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Rate of a WAV file; default 8000
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    rate: Option<f64>,
    /// What is felt, instead of the output's own band or 40..800
    #[arg(long, value_name = "LOW..HIGH")]
    band: Option<String>,
    /// Seconds, or auto; default: the scene's own
    #[arg(long, value_name = "S|auto", allow_negative_numbers = true)]
    duration: Option<String>,
    /// Seed of everything random; default: the scene's own
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_seed)]
    seed: Option<u64>,
    /// Set a live path before the start; repeat for more
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

impl HapticArgs {
    /// The task that was typed.
    pub(super) fn task(self) -> Result<haptic::Task> {
        let (scene, files) = library::load_noting(&self.scene)?;
        let read = files.iter().map(|file| ("a file of the scene", file.as_path()));
        let read: Vec<_> = read.chain([("the scene", Path::new(&self.scene))]).collect();
        atomic_file::keep_apart(&read, &[("-o", &self.output)])?;
        let mut plan = Plan::new(scene);
        if let Some(text) = &self.duration {
            plan.length = parse_length(text)?;
        }
        plan.scene.def.seed = self.seed.unwrap_or(plan.scene.def.seed);
        plan.sets = self.set.iter().map(|text| render::parse_set(text)).collect::<Result<_>>()?;
        let band_hz = match &self.band {
            None => None,
            Some(text) => match text.split_once("..").map(|(low, high)| (low.trim().parse(), high.trim().parse())) {
                Some((Ok(low), Ok(high))) => Some([low, high]),
                _ => return bad(format!("--band {text}: write LOW..HIGH in Hz, for example 40..800")),
            },
        };
        Ok(haptic::Task { plan, output: self.output, rate_hz: self.rate, band_hz })
    }
}

/// The options of `tocco fluid`.
#[derive(Args, Debug)]
pub(super) struct FluidArgs {
    /// drop, dam or pour
    #[arg(default_value = "drop")]
    setup: String,
    /// WAV file to write
    #[arg(long, short, value_name = "FILE.wav")]
    output: PathBuf,
    /// Also write every sound: when, what, how large, how loud, where
    #[arg(long, value_name = "FILE.csv|json")]
    events: Option<PathBuf>,
    /// Also write an animated picture
    #[arg(long, value_name = "FILE.png", value_parser = super::args::png)]
    picture: Option<PathBuf>,
    /// Also write a PNG for every frame into this folder
    #[arg(long, value_name = "DIR")]
    frames: Option<PathBuf>,
    /// Also write the scene that sounds so
    #[arg(long, value_name = "FILE.toml")]
    scene: Option<PathBuf>,
    /// Particles across the block of water: 24 are 1152
    #[arg(long, value_name = "N", default_value_t = 24, allow_negative_numbers = true)]
    across: u32,
    /// Frames a second, a divisor of 480 from 10 to 120
    #[arg(long, value_name = "N", default_value_t = 60, allow_negative_numbers = true)]
    fps: u32,
    /// How long the water is watched
    #[arg(long, value_name = "S", default_value_t = 2.5, allow_negative_numbers = true)]
    duration: f64,
    /// Seed of everything random
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = parse_seed)]
    seed: u64,
    /// Level above which bubbles form
    #[arg(long, value_name = "M", default_value_t = 0.05, allow_negative_numbers = true)]
    bubbles_above: f64,
    /// Tilt of the tank to the right, degrees
    #[arg(long, value_name = "DEG", default_value_t = 0.0, allow_negative_numbers = true)]
    tilt: f64,
    /// Level of the bed of collisions too many to tell apart, over that of the sounds; 0: none
    #[arg(long, value_name = "LEVEL", default_value_t = 1.0, allow_negative_numbers = true)]
    bed: f64,
}

impl FluidArgs {
    /// The task that was typed.
    pub(super) fn task(self) -> fluid::Task {
        fluid::Task {
            setup: self.setup,
            output: self.output,
            events: self.events,
            picture: self.picture,
            frames: self.frames,
            scene: self.scene,
            across: self.across,
            frames_hz: self.fps,
            seconds: self.duration,
            seed: self.seed,
            level_min_m: self.bubbles_above,
            tilt_deg: self.tilt,
            bed: self.bed,
        }
    }
}
