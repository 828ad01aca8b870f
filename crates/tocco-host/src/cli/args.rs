// SPDX-License-Identifier: MIT OR Apache-2.0
//! What may be typed: every command with its options, help and examples.

use super::analyse::{self, AnalyseArgs};
use super::compare::{self, CompareArgs};
use super::mesh::{self, MeshArgs};
use super::sections;
use super::touch::{self, CracksArgs, FluidArgs, HapticArgs};
use super::walk::{self, WalkArgs};
use crate::error::{Result, bad};
use crate::render::{self, Manner, Plan};
use crate::wav::Encoding;
use crate::{library, osc, tui};
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use tocco::scene::def::Length;

/// The sound of things touching: scenes of physical objects in, sound out.
#[derive(Debug, Parser)]
#[command(
    name = "tocco",
    version = env!("CARGO_PKG_VERSION"),
    max_term_width = 110,
    after_help = "SCENE is a scene file, the name of a shipped scene ('tocco scenes'), or - for standard input.\n\
                  Exit codes: 0 done, 1 a check missed, 2 bad input, 3 the machine failed us."
)]
pub struct Cli {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    /// Say nothing but results and errors
    #[arg(long, short, global = true)]
    pub(super) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Render a scene to a WAV file
    #[command(after_help = "Examples:\n  tocco render bar -o bar.wav\n  \
        tocco render bar -o hard.wav --set hit/stiffness=1e10 --probe hit.csv --probe-of hit.force,energy\n  \
        tocco render --take take.jsonl --bits 32f -o take.wav\n\n\
        You get the file, and a line with its length, peak level and clipped samples. The same command always gives the\n\
        same bytes. The file appears whole or not at all.")]
    Render(RenderArgs),
    /// Play a scene live
    #[command(after_help = "Examples:\n  tocco play bar\n  \
        tocco play violin --device null --record take.jsonl --wav take.wav --duration 10\n  tocco play --list-devices\n  \
        tocco play bar --osc 9000 --scenes .           then, elsewhere: tocco send /hit/stiffness 1e7\n\n\
        You get sound until Ctrl-C, and a line a second: level, part of its time that the engine takes, and what went wrong,\n\
        if anything. A take holds the scene and everything that was done to it; 'tocco render --take' gives the same\n\
        samples again, bit for bit. True peaks are limited to -1 dBTP. docs/live.md lists what OSC understands.")]
    Play(PlayArgs),
    /// Send OSC to a running 'tocco play --osc', or to anything else
    #[command(after_help = osc::client::HELP)]
    Send(osc::client::SendArgs),
    /// Validate a scene and say what will sound
    #[command(after_help = "Examples:\n  tocco check mine.toml\n  tocco check bar --rate 22050\n\n\
        You get a list of bodies, contacts, gestures and taps; or one line 'file:line: place: what is wrong', exit code 2.\n\
        What is odd is remarked upon, above all when nothing will sound.")]
    Check {
        /// Scene file, shipped name, or -
        scene: String,
        /// Check at this sample rate instead of the scene's own, Hz
        #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
        rate: Option<f64>,
        /// As JSON: ok, and what is said or the error
        #[arg(long)]
        json: bool,
    },
    /// Show every key and parameter with unit, range, default and meaning
    #[command(after_help = "Examples:\n  tocco describe impact\n  tocco describe bar --json\n\n\
        You get the tables the engine itself uses: without an argument all kinds, with a KIND (mass, modal, impact, tap, ...)\n\
        that one, with a SCENE every path that --set, drives and events may move, and every signal that --probe-of may record.\n\
        --schema prints the JSON Schema that editors use to help you write.")]
    Describe {
        /// A kind, a scene file or a shipped scene
        what: Option<String>,
        /// As JSON
        #[arg(long)]
        json: bool,
        /// The JSON Schema of the scene language, for editors
        #[arg(long, conflicts_with_all = ["what", "json"])]
        schema: bool,
    },
    /// List the scenes that come with the program
    #[command(after_help = "Examples:\n  tocco scenes\n  tocco scenes bar > mine.toml\n\n\
        You get one line per scene: name, length, title; with a name (of a scene or of a design for sweep), its text.")]
    Scenes {
        /// Print this scene's text
        name: Option<String>,
        /// The list as JSON: name, title, seconds (null: until it has decayed)
        #[arg(long, conflicts_with = "name")]
        json: bool,
    },
    /// Print the script that lets a shell complete what you type
    #[command(
        after_help = "Examples:\n  tocco completions bash > ~/.local/share/bash-completion/completions/tocco\n  \
        tocco completions zsh > ~/.zfunc/_tocco\n  tocco completions fish > ~/.config/fish/completions/tocco.fish\n\n\
        You get a script on standard output; put it where the shell looks, and begin a new one."
    )]
    Completions {
        /// bash, elvish, fish, powershell or zsh
        shell: clap_complete::Shell,
    },
    /// Write the manual pages
    #[command(after_help = "Examples:\n  tocco man -o ~/.local/share/man/man1       then: man tocco\n\n\
        You get tocco.1 and a page for every command, tocco-render.1 and so on.")]
    Man {
        /// Folder to fill
        #[arg(long, short, value_name = "DIR")]
        output: PathBuf,
    },
    /// Write a commented scene to begin with
    #[command(after_help = "Examples:\n  tocco new strike -o mine.toml\n  tocco new melody > melody.toml\n\n\
        Kinds: strike, shape, bounce, two-bodies, cradle, felt, melody; bow, rub, scrape, roll; walk, pour. You get a scene that sounds as it stands; change it and render it.")]
    New {
        /// strike, shape, bounce, two-bodies, cradle, felt, melody, bow, rub, scrape, roll, walk or pour
        kind: String,
        /// Write here instead of printing; an existing file is never overwritten
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Render every combination of some values, on all cores
    #[command(after_help = "Examples:\n  tocco sweep bar --over hit/stiffness=1e5..1e9,20,log -o hardness\n  \
        tocco sweep bar --over hammer/mass_kg=0.005,0.01,0.02 --over hit/exponent=1..3,5 -o grid\n\n\
        You get one WAV per combination and manifest.tsv with its values, level and solver health. Run it again after an\n\
        interruption: finished files are kept. Ranges: low..high[,COUNT][,log] (24 values unless told), or a,b,...; 'tocco map' reads the same.\n\n\
        A design file says all of that and more (docs/stimulus-sets.md): factors, formulas, loudness, order, listening test.\n  \
        tocco sweep materials-avanzini-2001 -o materials       the 100 sounds of Avanzini 2001 section 5.3, a design that comes with the program\n  \
        tocco sweep design.toml -o set               your own; 'tocco scenes materials-avanzini-2001' shows one to begin with")]
    Sweep(SweepArgs),
    /// Render a design into shards of sounds with the truth about them, for machine learning
    #[command(after_help = "Examples:\n  tocco dataset materials-avanzini-2001 -o materials\n  \
        tocco dataset impacts.toml --shard 500 --truth hit.force --truth bar.velocity -o impacts\n\n\
        You get tar files that WebDataset reads (docs/datasets.md). Of every sound: NAME.wav, as 'tocco sweep' makes it;\n\
        NAME.json with its labels, every physical quantity in SI units and the modes of its bodies; NAME.truth.npy, signals\n\
        by the sample, float32. dataset.json says what the columns are. Run it again after an interruption: whole shards are\n\
        kept. A design is described in docs/stimulus-sets.md.")]
    Dataset(DatasetArgs),
    /// Draw what listeners answered to a stimulus set
    #[command(after_help = "Examples:\n  tocco answers materials answers-*.tsv -o result\n  \
        tocco answers materials typed.tsv -o result\n\n\
        You get the share of each answer for every sound (proportions.csv, .png) and the ranges where more than half chose it\n\
        (ranges.csv, .png). Answers are the files that listen.html saved, or a table typed from the printed sheet with\n\
        the columns listener, trial, answer.")]
    Answers {
        /// Folder that 'tocco sweep DESIGN -o' filled
        set: PathBuf,
        /// Answers, TSV or JSON
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Folder to fill
        #[arg(long, short, value_name = "DIR")]
        output: PathBuf,
    },
    /// Map where a rubbed thing sings: two parameters, coloured by regime
    #[command(
        after_help = "Examples:\n  tocco map cello --x bow/velocity_m_s=0.02..0.4,log --y rub/normal_force_n=0.1..6,log -o map.png\n  \
        tocco map singing-bowl --x hand/velocity_m_s=0.05..1,16 --y rub/normal_force_n=0.2..8,16,log -o bowl.png\n\n\
        You get a picture (regime and pitch of every cell), a CSV table beside it, and a line with the share of each regime:\n\
        silence, stick, one slip per period, several slips, note without sticking, raucous, decaying. Judged are the last\n\
        0.3 s in which the gesture at the contact is at its height (--duration ends earlier). A driven path keeps its gesture,\n\
        scaled so that its largest value (of noise: its rms) is the cell's. Range: low..high[,COUNT][,log], 24 cells, as in 'tocco sweep'."
    )]
    Map(MapArgs),
    /// Mend the recordings that a crash has left
    #[command(
        after_help = "Examples:\n  tocco recover\n  tocco recover --list takes\n  tocco recover a.wav.unfinished\n\n\
        While 'tocco play' records, a.wav is a.wav.unfinished, valid up to the last half second. You get a line for each that was\n\
        left, by its old name, or as a-recovered.wav where that is taken: nothing is overwritten. A take renders up to its last mark."
    )]
    Recover {
        /// Folders to look in, or unfinished recordings; default: here
        #[arg(default_value = ".")]
        paths: Vec<PathBuf>,
        /// Only say what there is
        #[arg(long)]
        list: bool,
    },
    /// Turn recordings of a struck object into a body, or of steps into a floor
    #[command(after_help = analyse::EXAMPLES)]
    Analyse(AnalyseArgs),
    /// Compute the modes of any solid from its surface, for type = "mesh"
    #[command(after_help = mesh::EXAMPLES)]
    Mesh(MeshArgs),
    /// See why a sound is not right: ten numbers beside those of another, of a folder, or of real recordings
    #[command(after_help = compare::EXAMPLES)]
    Compare(CompareArgs),
    /// Make somebody walk on a floor: by speed, force plate or recording
    #[command(after_help = walk::EXAMPLES)]
    Walk(WalkArgs),
    /// Walk on a floor live, by sensors in shoes: serial port or OSC
    #[command(after_help = crate::shoes::EXAMPLES)]
    Shoes(crate::shoes::ShoesArgs),
    /// Write what a scene feels like, for phones and shakers
    #[command(after_help = touch::HAPTIC_EXAMPLES)]
    Haptic(HapticArgs),
    /// Compute water in a tank: its sound, events and pictures
    #[command(after_help = touch::FLUID_EXAMPLES)]
    Fluid(FluidArgs),
    /// Draw the cracks that run through the ice of a scene
    #[command(after_help = touch::CRACKS_EXAMPLES)]
    Cracks(CracksArgs),
    /// Compute the source papers' tables and figures, theirs beside ours
    #[command(
        after_help = "Examples:\n  tocco reproduce desena-2009-table-2.1 -o paper\n  tocco reproduce all -o paper\n\n\
        You get a verdict per item on the terminal, and CSV, PNG and a scene in the folder; exit code 1 if a figure is missed.\n\
        Without an item: the list of items."
    )]
    Reproduce {
        /// An item of the list, or all
        item: Option<String>,
        /// Folder to fill
        #[arg(long, short, value_name = "DIR", default_value = "out/reproduce")]
        output: PathBuf,
    },
    /// Render every shipped scene and a page to listen to them
    #[command(after_help = "Examples:\n  tocco gallery\n  tocco gallery -o sounds\n\n\
        You get a WAV and a spectrogram picture per scene, and index.html: open it in any browser, no network needed.")]
    Gallery {
        /// Folder to fill
        #[arg(long, short, value_name = "DIR", default_value = "out")]
        output: PathBuf,
        /// Threads; default all cores
        #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_jobs)]
        jobs: Option<usize>,
    },
    /// Serve the page that plays scenes in a browser
    #[command(
        after_help = "Examples:\n  tocco studio\n  tocco studio glass.toml\n  tocco studio --port 0 --no-open\n  \
        tocco studio --osc 9001 --to 127.0.0.1:9000\n  tocco studio glass.toml --host\n  tocco studio --export site\n\n\
        You get a page on this machine where you strike, rub and bow with mouse, finger or keys and see what you hear;\n\
        nothing leaves the machine. --host lets phones and others in, by HTTPS: you get a link with a key, as a code for\n\
        the camera, too, and a line that says how to trust its certificate. --osc lets OSC messages play the page, --to sends what you play to a running\n\
        'tocco play'. --export writes the page as a folder for any static web server."
    )]
    Studio {
        /// Scene to begin with: a shipped name or a scene file
        #[arg(value_name = "SCENE")]
        scene: Option<String>,
        /// Port to serve on; 0 takes any that is free
        #[arg(long, value_name = "N", default_value_t = 8733)]
        port: u16,
        /// Let other machines in, by HTTPS and with a key: on all addresses of this machine, or on this one
        #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_value = "127.0.0.1", default_missing_value = "0.0.0.0")]
        host: std::net::IpAddr,
        /// Do not open a browser
        #[arg(long)]
        no_open: bool,
        /// UDP port where OSC for the page arrives
        #[arg(long, value_name = "PORT")]
        osc: Option<u16>,
        /// Where the page's gestures go as OSC
        #[arg(long, value_name = "HOST:PORT")]
        to: Option<std::net::SocketAddr>,
        /// Write the page into this folder instead of serving it
        #[arg(long, value_name = "DIR", conflicts_with_all = ["scene", "port", "host", "no_open", "osc", "to"])]
        export: Option<PathBuf>,
    },
    /// Measure the speed of the engine, of this program and of peers
    #[command(after_help = "Examples:\n  tocco bench\n  tocco bench free contact\n\n\
        You get a table with every figure reached or missed, exit code 1 if one is missed. Csound, SuperCollider and Faust\n\
        take part where they are installed. Figures are ratios taken in one run; for steady ones leave the machine alone.")]
    Bench {
        /// Parts to run; default all
        #[arg(value_parser = PossibleValuesParser::new(sections().iter().map(|section| section.name)))]
        sections: Vec<String>,
        /// As JSON, when all are measured
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args, Debug)]
pub(super) struct SceneArgs {
    /// Scene file, shipped name, or - for standard input
    #[arg(required = true)]
    pub(super) scene: Option<String>,
    /// Seconds, or auto: until it has decayed by 90 dB (at most 120 s); default: the scene's own
    #[arg(long, value_name = "S|auto", allow_negative_numbers = true)]
    pub(super) duration: Option<String>,
    /// Sample rate; default: the scene's own
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    pub(super) rate: Option<f64>,
    /// Seed of everything random; default: the scene's own
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_seed)]
    pub(super) seed: Option<u64>,
    /// Set a live path before the start; repeat for more ('tocco describe SCENE' lists them)
    #[arg(long, value_name = "PATH=VALUE")]
    pub(super) set: Vec<String>,
}

impl SceneArgs {
    /// The scene as typed; the parser lets none be left out but beside --take.
    pub(super) fn named(&self) -> &str {
        self.scene.as_deref().unwrap_or("-")
    }

    /// The plan, and the files that were read for it.
    pub(super) fn plan_noting(&self) -> Result<(Plan, Vec<PathBuf>)> {
        let (scene, files) = library::load_noting(self.named())?;
        let mut plan = Plan::new(scene);
        if let Some(text) = &self.duration {
            plan.length = parse_length(text)?;
        }
        if let Some(rate_hz) = self.rate {
            plan.rate_hz = rate_hz;
        }
        if let Some(seed) = self.seed {
            plan.scene.def.seed = seed;
        }
        plan.sets = self.set.iter().map(|text| render::parse_set(text)).collect::<Result<_>>()?;
        Ok((plan, files))
    }
}

#[derive(Args, Debug)]
pub(super) struct FileArgs {
    /// 16 (with dither), 24 or 32f; default 24
    #[arg(long, value_parser = ["16", "24", "32f"])]
    pub(super) bits: Option<String>,
    /// Gain on the output, dB
    #[arg(long, value_name = "DB", default_value_t = 0.0, allow_negative_numbers = true, conflicts_with = "normalise")]
    pub(super) gain_db: f64,
    /// Bring the peak to this level, dBFS (-1 if no number follows); renders twice
    #[arg(long, value_name = "DBFS", num_args = 0..=1, default_missing_value = "-1", allow_negative_numbers = true)]
    pub(super) normalise: Option<f64>,
}

impl FileArgs {
    pub(super) fn manner(&self) -> Result<Manner> {
        let encoding = match self.bits.as_deref() {
            Some("16") => Encoding::Int16,
            Some("32f") => Encoding::Float32,
            _ => Encoding::Int24,
        };
        let sane = |name: &str, db: f64| match db.is_finite() && db.abs() <= 300.0 {
            true => Ok(db),
            false => bad(format!("{name} {db}: give decibels from -300 to 300")),
        };
        Ok(Manner {
            encoding,
            gain_db: sane("--gain-db", self.gain_db)?,
            normalise_dbfs: self.normalise.map(|db| sane("--normalise", db)).transpose()?,
            probe: None,
        })
    }
}

#[derive(Args, Debug)]
#[command(mut_arg("scene", |scene| scene.required(false).required_unless_present("take")))]
pub(super) struct RenderArgs {
    #[command(flatten)]
    pub(super) scene: SceneArgs,
    /// WAV file to write, or - for standard output
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: PathBuf,
    #[command(flatten)]
    pub(super) file: FileArgs,
    /// Also write signals, one CSV row per sample
    #[arg(long, value_name = "FILE", requires = "probe_of")]
    pub(super) probe: Option<PathBuf>,
    /// Which signals ('tocco describe SCENE' lists them); energies and work slow a rendering down to a third or less, others hardly
    #[arg(long, value_name = "SIGNAL,...", value_delimiter = ',', requires = "probe")]
    pub(super) probe_of: Vec<String>,
    /// Sound that the scene hears ([[drive]] with input), at the rate of the rendering
    #[arg(long, value_name = "FILE.wav")]
    pub(super) input: Option<PathBuf>,
    /// Also write a picture: waveform and spectrogram
    #[arg(long, value_name = "FILE.png", value_parser = png)]
    pub(super) picture: Option<PathBuf>,
    /// Render what was played, from a take ('tocco play SCENE --record FILE')
    #[arg(long, value_name = "FILE.jsonl", conflicts_with_all = ["scene", "duration", "rate", "seed", "set", "probe", "input"])]
    pub(super) take: Option<PathBuf>,
    /// A file in which nothing is heard is what I want: no error
    #[arg(long)]
    pub(super) allow_silence: bool,
}

/// The name of a picture: PNG is what is written.
pub(super) fn png(text: &str) -> std::result::Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().is_none_or(|e| e.eq_ignore_ascii_case("png")) {
        true => Ok(path),
        false => Err("it would be a PNG; name it so, and convert it after".into()),
    }
}

#[derive(Args, Debug)]
pub(super) struct PlayArgs {
    /// Scene file, shipped name, or - for standard input
    #[arg(required_unless_present_any = ["list_devices", "midi"])]
    pub(super) scene: Option<String>,
    /// List the devices
    #[arg(long)]
    pub(super) list_devices: bool,
    /// Device by name, or null: keeps time without sound; default: the system's
    #[arg(long, value_name = "NAME|null")]
    pub(super) device: Option<String>,
    /// Play without a device, as fast as it goes
    #[arg(long, conflicts_with = "device")]
    pub(super) offline: bool,
    /// Frames of a block, 1 to 8192
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) buffer: Option<usize>,
    /// Sample rate; default: the scene's own where the device has it
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    pub(super) rate: Option<f64>,
    /// Record a take: the scene and every command with its tick
    #[arg(long, value_name = "FILE.jsonl")]
    pub(super) record: Option<PathBuf>,
    /// Record the sound, 32-bit float
    #[arg(long, value_name = "FILE.wav")]
    pub(super) wav: Option<PathBuf>,
    /// End after so many seconds; default: Ctrl-C, or the scene's own length with --offline
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub(super) duration: Option<f64>,
    #[command(flatten)]
    pub(super) osc: osc::OscArgs,
    #[command(flatten)]
    pub(super) seat: tui::seat::SeatArgs,
    /// Do not limit true peaks
    #[arg(long)]
    pub(super) no_limiter: bool,
    /// Let a scene that listens hear its own loudspeaker
    #[arg(long)]
    pub(super) no_gate: bool,
    /// Seed of everything random; default: the scene's own
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(super) seed: Option<u64>,
    /// Set a live path before the start; repeat for more ('tocco describe SCENE' lists them)
    #[arg(long, value_name = "PATH=VALUE")]
    pub(super) set: Vec<String>,
}

#[derive(Args, Debug)]
pub(super) struct SweepArgs {
    #[command(flatten)]
    pub(super) scene: SceneArgs,
    /// A path and its values; repeat for every combination. A design names its own
    #[arg(long, value_name = "PATH=RANGE")]
    pub(super) over: Vec<String>,
    /// Folder to fill
    #[arg(long, short, value_name = "DIR")]
    pub(super) output: PathBuf,
    #[command(flatten)]
    pub(super) file: FileArgs,
    /// Threads; default all cores
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_jobs)]
    pub(super) jobs: Option<usize>,
}

#[derive(Args, Debug)]
pub(super) struct DatasetArgs {
    /// A design file, or a shipped design
    #[arg(value_name = "DESIGN")]
    pub(super) design: String,
    /// Folder to fill
    #[arg(long, short, value_name = "DIR")]
    pub(super) output: PathBuf,
    /// Sounds of a shard
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(super) shard: usize,
    /// A signal beside the sound; repeat for more. Default: the force of every contact, and the energy
    #[arg(long, value_name = "SIGNAL")]
    pub(super) truth: Vec<String>,
    /// Threads; default all cores
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_jobs)]
    pub(super) jobs: Option<usize>,
}

#[derive(Args, Debug)]
pub(super) struct MapArgs {
    #[command(flatten)]
    pub(super) scene: SceneArgs,
    /// Horizontal axis
    #[arg(long, value_name = "PATH=A..B[,N][,log]")]
    pub(super) x: String,
    /// Vertical axis
    #[arg(long, value_name = "PATH=A..B[,N][,log]")]
    pub(super) y: String,
    /// PNG file to write; the table goes beside it
    #[arg(long, short, value_name = "FILE.png")]
    pub(super) output: PathBuf,
    /// Friction contact to watch, by name or by a site that it touches; default the first
    #[arg(long, value_name = "CONTACT|SITE")]
    pub(super) of: Option<String>,
    /// Threads; default all cores
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_jobs)]
    pub(super) jobs: Option<usize>,
}

pub(super) fn parse_seed(text: &str) -> std::result::Result<u64, String> {
    text.parse().map_err(|_| "wants a whole number from 0".into())
}

pub(super) fn parse_jobs(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(jobs) if jobs > 0 => Ok(jobs),
        _ => Err("wants a whole number of threads, at least 1; leave it out for all cores".into()),
    }
}

pub(super) fn parse_length(text: &str) -> Result<Length> {
    if text == "auto" {
        return Ok(Length::Auto);
    }
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && s.is_finite() => Ok(Length::Seconds(s)),
        _ => bad(format!("--duration {text}: give seconds above 0, or auto")),
    }
}
