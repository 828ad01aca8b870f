// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command line: what may be typed, and what then happens.

use crate::analyse::command::{self as analyse, AnalyseArgs};
use crate::error::{HostError, Result, bad};
use crate::measure::dbfs;
use crate::render::{self, AUTO_MOST_S, Manner, Plan, Report, Target};
use crate::sweep::{self, Axis};
use crate::wav::Encoding;
use crate::{
    answers, bench, check, crew, describe, fresh, gallery, library, live, map, osc, reproduce, say, sets, spectrogram,
    starter, studio, tui,
};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Parser, Subcommand};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tocco::scene::def::Length;

const WELCOME: &str = "\
Tocco makes the sound of things touching. Three commands to begin with:

  tocco scenes                      the scenes that come with the program
  tocco render bar -o bar.wav       hear one of them
  tocco new strike -o mine.toml     a commented scene of your own to change

'tocco --help' lists every command, 'tocco COMMAND --help' shows examples.
";

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
    command: Option<Command>,
    /// Say nothing but results and errors
    #[arg(long, short, global = true)]
    quiet: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
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
        tocco play bar --osc 9000 --scenes mine        then, elsewhere: tocco send /hit/stiffness 1e7\n\n\
        You get sound until Ctrl-C, and a line a second: level, part of its time that the engine takes, and what went wrong,\n\
        if anything. A take holds the scene and everything that was done to it; 'tocco render --take' gives the same\n\
        samples again, bit for bit. True peaks are limited to -1 dBTP. docs/live.md lists what OSC understands.")]
    Play(PlayArgs),
    /// Send OSC to a running 'tocco play --osc', or to anything else
    #[command(after_help = osc::client::HELP)]
    Send(osc::client::SendArgs),
    /// Validate a scene and say what will sound
    #[command(after_help = "Examples:\n  tocco check mine.toml\n  tocco check bar --rate 22050\n\n\
        You get a list of bodies, contacts, gestures and taps; or one line 'file:line: place: what is wrong', exit code 2.")]
    Check {
        /// Scene file, shipped name, or -
        scene: String,
        /// Check at this sample rate instead of the scene's own, Hz
        #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
        rate: Option<f64>,
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
    },
    /// Write a commented scene to begin with
    #[command(after_help = "Examples:\n  tocco new strike -o mine.toml\n  tocco new melody > melody.toml\n\n\
        Kinds: strike, bounce, two-bodies, cradle, felt, melody. You get a scene that sounds as it stands; change it and render it.")]
    New {
        /// strike, bounce, two-bodies, cradle, felt or melody
        kind: String,
        /// Write here instead of printing; an existing file is never overwritten
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Render every combination of some values, on all cores
    #[command(after_help = "Examples:\n  tocco sweep bar --over 'hit/stiffness=log(1e5,1e9,20)' -o hardness\n  \
        tocco sweep bar --over 'hammer/mass_kg=list(0.005,0.01,0.02)' --over 'hit/exponent=lin(1,3,5)' -o grid\n\n\
        You get one WAV per combination and manifest.tsv with its values, level and solver health. Run it again after an\n\
        interruption: finished files are kept. Ranges: log(low,high,count), lin(low,high,count), list(a,b,...).\n\n\
        A design file says all of that and more (docs/stimulus-sets.md): factors, formulas, loudness, order, listening test.\n  \
        tocco sweep materials-003 -o materials       the 100 sounds of 003 section 5.3, a design that comes with the program\n  \
        tocco sweep mine.toml -o set                 your own; 'tocco scenes materials-003' shows one to begin with")]
    Sweep(SweepArgs),
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
        after_help = "Examples:\n  tocco map cello.toml --x bow/velocity_m_s=0.02..0.4,log --y rub/normal_force_n=0.1..6,log -o map.png\n  \
        tocco map glass.toml --x finger/velocity_m_s=0.05..1,32 --y press=0..1,16 --of rub -o glass.png\n\n\
        You get a picture (regime and pitch of every cell), a CSV table beside it, and a line with the share of each regime:\n\
        silence, stick, one slip per period, several slips, note without sticking, raucous, decaying. Judged are the last\n\
        0.3 s in which the gesture at the contact is at its height (--duration ends earlier). A driven path keeps its gesture,\n\
        scaled so that its largest value (of noise: its rms) is the cell's. Range: low..high[,COUNT][,log], 24 cells."
    )]
    Map(MapArgs),
    /// Turn recordings of a struck object into a body
    #[command(after_help = analyse::EXAMPLES)]
    Analyse(AnalyseArgs),
    /// Compute the source papers' tables and figures, theirs beside ours
    #[command(after_help = "Examples:\n  tocco reproduce table-2.1 -o paper\n  tocco reproduce all -o paper\n\n\
        You get a verdict per item on the terminal, and CSV, PNG and a scene in the folder; exit code 1 if a figure is missed.\n\
        Without an item: the list of items.")]
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
    #[command(after_help = "Examples:\n  tocco studio\n  tocco studio --port 0 --no-open\n  \
        tocco studio --osc 9001 --to 127.0.0.1:9000\n  tocco studio --export site\n\n\
        You get a page on this machine where you strike, rub and bow with mouse, finger or keys and see what you hear;\n\
        nothing leaves the machine. --osc lets OSC messages play the page, --to sends what you play to a running\n\
        'tocco play'. --export writes the page as a folder for any static web server.")]
    Studio {
        /// Port to serve on; 0 takes any that is free
        #[arg(long, value_name = "N", default_value_t = 8733)]
        port: u16,
        /// Address to serve on; another than loopback lets other machines in
        #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
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
        #[arg(long, value_name = "DIR", conflicts_with_all = ["port", "host", "no_open", "osc", "to"])]
        export: Option<PathBuf>,
    },
    /// Measure the speed of the engine, of this program and of peers
    #[command(after_help = "Examples:\n  tocco bench\n  tocco bench free contact\n\n\
        You get a table with every figure reached or missed, exit code 1 if one is missed. Csound, SuperCollider and Faust\n\
        take part where they are installed. Figures are ratios taken in one run; for steady ones leave the machine alone.")]
    Bench {
        /// Parts to run; default all
        #[arg(value_parser = bench::SECTIONS)]
        sections: Vec<String>,
    },
}

#[derive(Args, Debug)]
struct SceneArgs {
    /// Scene file, shipped name, or - for standard input
    #[arg(required = true)]
    scene: Option<String>,
    /// Seconds, or auto: until it has decayed by 90 dB (at most 120 s); default: the scene's own
    #[arg(long, value_name = "S|auto", allow_negative_numbers = true)]
    duration: Option<String>,
    /// Sample rate; default: the scene's own
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    rate: Option<f64>,
    /// Seed of everything random; default: the scene's own
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_seed)]
    seed: Option<u64>,
    /// Set a live path before the start; repeat for more ('tocco describe SCENE' lists them)
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

impl SceneArgs {
    /// The scene as typed; the parser lets none be left out but beside --take.
    fn named(&self) -> &str {
        self.scene.as_deref().unwrap_or("-")
    }

    fn plan(&self) -> Result<Plan> {
        let mut plan = Plan::new(library::load(self.named())?);
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
        Ok(plan)
    }
}

#[derive(Args, Debug)]
struct FileArgs {
    /// 16 (with dither), 24 or 32f; default 24
    #[arg(long, value_parser = ["16", "24", "32f"])]
    bits: Option<String>,
    /// Gain on the output, dB
    #[arg(long, value_name = "DB", default_value_t = 0.0, allow_negative_numbers = true, conflicts_with = "normalise")]
    gain_db: f64,
    /// Bring the peak to this level, dBFS (-1 if no number follows); renders twice
    #[arg(long, value_name = "DBFS", num_args = 0..=1, default_missing_value = "-1", allow_negative_numbers = true)]
    normalise: Option<f64>,
}

impl FileArgs {
    fn manner(&self) -> Result<Manner> {
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
struct RenderArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// WAV file to write, or - for standard output
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    file: FileArgs,
    /// Also write signals, one CSV row per sample
    #[arg(long, value_name = "FILE", requires = "probe_of")]
    probe: Option<PathBuf>,
    /// Which signals ('tocco describe SCENE' lists them)
    #[arg(long, value_name = "SIGNAL,...", value_delimiter = ',', requires = "probe")]
    probe_of: Vec<String>,
    /// Also write a picture: waveform and spectrogram
    #[arg(long, value_name = "FILE.png")]
    picture: Option<PathBuf>,
    /// Render what was played, from a take ('tocco play SCENE --record FILE')
    #[arg(long, value_name = "FILE.jsonl", conflicts_with_all = ["scene", "duration", "rate", "seed", "set", "probe"])]
    take: Option<PathBuf>,
}

#[derive(Args, Debug)]
struct PlayArgs {
    /// Scene file, shipped name, or - for standard input
    #[arg(required_unless_present_any = ["list_devices", "midi"])]
    scene: Option<String>,
    /// List the devices
    #[arg(long)]
    list_devices: bool,
    /// Device by name, or null: keeps time without sound; default: the system's
    #[arg(long, value_name = "NAME|null")]
    device: Option<String>,
    /// Play without a device, as fast as it goes
    #[arg(long, conflicts_with = "device")]
    offline: bool,
    /// Frames of a block, 1 to 8192
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    buffer: Option<usize>,
    /// Sample rate; default: the scene's own where the device has it
    #[arg(long, value_name = "HZ", allow_negative_numbers = true)]
    rate: Option<f64>,
    /// Record a take: the scene and every command with its tick
    #[arg(long, value_name = "FILE.jsonl")]
    record: Option<PathBuf>,
    /// Record the sound, 32-bit float
    #[arg(long, value_name = "FILE.wav")]
    wav: Option<PathBuf>,
    /// End after so many seconds; default: Ctrl-C, or the scene's own length with --offline
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    duration: Option<f64>,
    #[command(flatten)]
    osc: osc::OscArgs,
    #[command(flatten)]
    seat: tui::seat::SeatArgs,
    /// Do not limit true peaks
    #[arg(long)]
    no_limiter: bool,
    /// Seed of everything random; default: the scene's own
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Set a live path before the start; repeat for more ('tocco describe SCENE' lists them)
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

#[derive(Args, Debug)]
struct SweepArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// A path and its values; repeat for every combination. A design names its own
    #[arg(long, value_name = "PATH=RANGE")]
    over: Vec<String>,
    /// Folder to fill
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
    #[command(flatten)]
    file: FileArgs,
    /// Threads; default all cores
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_jobs)]
    jobs: Option<usize>,
}

#[derive(Args, Debug)]
struct MapArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Horizontal axis
    #[arg(long, value_name = "PATH=A..B[,N][,log]")]
    x: String,
    /// Vertical axis
    #[arg(long, value_name = "PATH=A..B[,N][,log]")]
    y: String,
    /// PNG file to write; the table goes beside it
    #[arg(long, short, value_name = "FILE.png")]
    output: PathBuf,
    /// Friction contact to watch, by name or by a site that it touches; default the first
    #[arg(long, value_name = "CONTACT|SITE")]
    of: Option<String>,
    /// Threads; default all cores
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_jobs)]
    jobs: Option<usize>,
}

fn parse_seed(text: &str) -> std::result::Result<u64, String> {
    text.parse().map_err(|_| "wants a whole number from 0".into())
}

fn parse_jobs(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(jobs) if jobs > 0 => Ok(jobs),
        _ => Err("wants a whole number of threads, at least 1; leave it out for all cores".into()),
    }
}

fn parse_length(text: &str) -> Result<Length> {
    if text == "auto" {
        return Ok(Length::Auto);
    }
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && s.is_finite() => Ok(Length::Seconds(s)),
        _ => bad(format!("--duration {text}: give seconds above 0, or auto")),
    }
}

/// Reads the arguments and does what they say; the exit code comes back.
pub fn main(arguments: impl IntoIterator<Item = std::ffi::OsString>) -> u8 {
    fresh::clean_up_when_interrupted();
    let done = match Cli::try_parse_from(arguments) {
        Ok(cli) => run(cli),
        Err(error) => refused(&error),
    };
    match done {
        Ok(()) => 0,
        Err(error) => {
            say::error(&error);
            error.code()
        }
    }
}

/// Help and version are results; anything else becomes one line.
fn refused(error: &clap::Error) -> Result<()> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => return say::result(&error.to_string()),
        _ => {}
    }
    let text = error.to_string();
    let first = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
    let mut line = say::one_line(first);
    let suggested = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue];
    let hint = suggested.iter().find_map(|kind| match error.get(*kind)? {
        ContextValue::String(word) => Some(word.clone()),
        ContextValue::Strings(words) => words.first().cloned(),
        _ => None,
    });
    if let Some(hint) = hint {
        let _ = write!(line, "; did you mean '{hint}'?");
    }
    line.push_str(" (see --help)");
    bad(line)
}

fn run(cli: Cli) -> Result<()> {
    say::set_quiet(cli.quiet);
    match cli.command {
        None => say::result(WELCOME),
        Some(Command::Render(args)) => match &args.take {
            Some(take) => render_take(take, &args),
            None => render(&args),
        },
        Some(Command::Play(args)) => play(&args),
        Some(Command::Send(args)) => osc::client::run(&args),
        Some(Command::Check { scene, rate }) => {
            let mut plan = Plan::new(library::load(&scene)?);
            plan.rate_hz = rate.unwrap_or(plan.rate_hz);
            say::result(&check::report(&plan)?)
        }
        Some(Command::Describe { schema: true, .. }) => say::result(&tocco::scene::schema::schema_text()),
        Some(Command::Describe { what, json, .. }) => say::result(&describe::describe(what.as_deref(), json)?),
        Some(Command::Scenes { name }) => scenes(name.as_deref()),
        Some(Command::New { kind, output }) => new(&kind, output),
        Some(Command::Sweep(args)) => sweep(&args),
        Some(Command::Answers { set, files, output }) => answers(&set, &files, &output),
        Some(Command::Map(args)) => draw_map(&args),
        Some(Command::Analyse(args)) => analyse::run(&args),
        Some(Command::Reproduce { item: None, .. }) => {
            let wide = reproduce::items().iter().map(|(id, _)| id.len()).max().unwrap_or(0);
            let rows: String = reproduce::items().iter().map(|(id, title)| format!("{id:<wide$}  {title}\n")).collect();
            say::result(&rows)
        }
        Some(Command::Reproduce { item: Some(item), output }) => reproduce(&item, &output),
        Some(Command::Bench { sections }) => match bench::run(&sections)? {
            true => Ok(()),
            false => Err(HostError::Missed("bench: figures missed, see the table".into())),
        },
        Some(Command::Studio { export: Some(folder), .. }) => {
            studio::export(&folder)?;
            say::remark(&format!("serve {} with any static web server", folder.display()));
            Ok(())
        }
        Some(Command::Studio { port, host, no_open, osc, to, export: None }) => {
            let bridge = studio::bridge::Settings { from_port: osc, to };
            studio::serve(&studio::Studio { host, port, open: !no_open, bridge })
        }
        Some(Command::Gallery { output, jobs }) => {
            let page = gallery::run(&output, jobs.unwrap_or_else(crew::cores))?;
            say::remark(&format!("{} scenes; open {} in a browser", library::SHIPPED.len(), page.display()));
            Ok(())
        }
    }
}

fn render(args: &RenderArgs) -> Result<()> {
    let plan = args.scene.plan()?;
    let mut manner = args.file.manner()?;
    manner.probe = args.probe.clone().map(|path| (path, args.probe_of.clone()));
    let target = if args.output.as_os_str() == "-" { Target::Stdout } else { Target::File(args.output.clone()) };
    say::set_stdout_taken(target == Target::Stdout);
    let others = [args.probe.as_ref(), args.picture.as_ref()];
    if others.iter().flatten().any(|path| **path == args.output) || (args.probe.is_some() && args.probe == args.picture)
    {
        return bad("sound, probes and picture need a file each; two have the same name");
    }
    if args.picture.is_some() && target == Target::Stdout {
        return bad("--picture needs a WAV file to look at; give -o a file name");
    }
    let report = render::to_wav(&plan, &target, &manner, true)?;
    if let Some(picture) = &args.picture {
        spectrogram::picture(&args.output, picture)?;
    }
    say::remark(&report_words(&args.output.display().to_string(), &report, manner.encoding));
    Ok(())
}

fn render_take(take: &Path, args: &RenderArgs) -> Result<()> {
    let manner = args.file.manner()?;
    let report = live::take::to_wav(&live::take::Take::read(take)?, &args.output, &manner)?;
    if let Some(picture) = &args.picture {
        spectrogram::picture(&args.output, picture)?;
    }
    say::remark(&report_words(&args.output.display().to_string(), &report, manner.encoding));
    Ok(())
}

fn play(args: &PlayArgs) -> Result<()> {
    if let Some(list) = args.seat.list(args.scene.is_some())? {
        return say::result(&list);
    }
    let Some(scene) = args.scene.as_deref().filter(|_| !args.list_devices) else {
        return say::result(&live::play::devices());
    };
    let mut scene = library::load(scene)?;
    scene.def.seed = args.seed.unwrap_or(scene.def.seed);
    if args.record.is_some() && args.record == args.wav {
        return bad("take and sound need a file each; both have the same name");
    }
    let mut play = live::play::Play {
        scene,
        sets: args.set.iter().map(|text| render::parse_set(text)).collect::<Result<_>>()?,
        device: args.device.clone(),
        offline: args.offline,
        buffer: args.buffer,
        rate_hz: args.rate,
        record: args.record.clone(),
        wav: args.wav.clone(),
        duration_s: args.duration,
        limiter: !args.no_limiter,
    };
    let mut fronts: Vec<_> = args.osc.front().into_iter().collect();
    let mut view = args.seat.view(&mut play, &mut fronts)?;
    live::play::run(&play, &mut *view, &mut fronts)
}

fn report_words(name: &str, report: &Report, encoding: Encoding) -> String {
    let channels = if report.channels == 1 { "mono".into() } else { format!("{} channels", report.channels) };
    let mut text = format!("{name}: {:.3} s, {channels}, {} Hz, ", report.seconds(), report.rate_hz);
    let clipped = if encoding == Encoding::Float32 { "samples above full scale" } else { "clipped samples" };
    if report.level.peak > 0.0 {
        let _ = write!(text, "peak {}, {} {clipped}", dbfs(report.level.peak), report.over);
    } else {
        text.push_str("SILENT: nothing reached a tap; does anything strike, and does a tap hear it?");
    }
    if report.over > 0 && report.level.peak > 0.0 {
        text.push_str("; lower the taps' gain, or use --normalise");
    }
    if report.cut && report.level.peak > 0.0 {
        let _ = write!(
            text,
            "\nstill sounding after {AUTO_MOST_S} s, where an automatic length ends; give --duration for more"
        );
    }
    if !report.omitted.is_empty() {
        let _ = write!(text, "\nleft out at this rate: {}", report.omitted.join(", "));
    }
    let health = &report.health;
    if health.omitted > 0 {
        let _ = write!(text, "\nsilent at the end: {} modes tuned past half the rate", health.omitted);
    }
    if health.unconverged + health.refused + health.reset > 0 {
        let _ = write!(
            text,
            "\nhealth: {} unconverged contact solves, {} refused commands, {} bodies reset",
            health.unconverged, health.refused, health.reset
        );
    }
    text
}

fn reproduce(item: &str, folder: &Path) -> Result<()> {
    if item != "all" && !reproduce::items().iter().any(|(id, _)| *id == item) {
        let known = reproduce::items().into_iter().map(|(id, _)| id).chain(["all"]);
        return bad(format!("no item '{item}'{}", tocco::scene::error::nearest(item, known)));
    }
    fresh::folder(folder)?;
    let mut unheard = Ok(());
    let done = reproduce::run(item, folder, &mut |text| unheard = unheard.clone().and_then(|()| say::result(text)));
    unheard?;
    match done {
        Ok(true) => Ok(()),
        Ok(false) => Err(HostError::Missed(format!("some figures were missed; see {}", folder.display()))),
        Err(cause) => Err(HostError::Machine(cause)),
    }
}

fn scenes(name: Option<&str>) -> Result<()> {
    if let Some(name) = name {
        let all = || library::SHIPPED.iter().chain(sets::DESIGNS);
        return match all().find(|(known, _)| *known == name) {
            Some((_, text)) => say::result(text),
            None => {
                let known = all().map(|(known, _)| *known);
                bad(format!("no shipped scene or design '{name}'{}", tocco::scene::error::nearest(name, known)))
            }
        };
    }
    let scenes = library::shipped()?;
    let wide = scenes.iter().map(|scene| scene.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for scene in &scenes {
        let length = match scene.def.duration {
            Length::Auto => "auto".into(),
            Length::Seconds(s) => format!("{} s", check::short(s)),
        };
        let _ = writeln!(text, "{:<wide$}  {length:>6}  {}", scene.name, scene.title());
    }
    say::result(&text)
}

fn new(kind: &str, output: Option<PathBuf>) -> Result<()> {
    let text = starter::text(kind)?;
    let Some(path) = output else { return say::result(text) };
    if path.is_file() {
        return bad(format!("{} exists already; name another file", path.display()));
    }
    fresh::write(&path, text.as_bytes())?;
    let path = path.display();
    say::remark(&format!("{path}: now 'tocco render {path} -o {kind}.wav'"));
    Ok(())
}

fn sweep(args: &SweepArgs) -> Result<()> {
    let threads = args.jobs.unwrap_or_else(crew::cores);
    if let Some(design) = sets::load(args.scene.named())? {
        refuse_beside_a_design(args)?;
        let summary = sets::run(&design, &args.output, threads)?;
        swept(summary, &args.output);
        if design.listening.is_some() {
            say::remark(&format!("open {} in a browser", args.output.join("listen.html").display()));
        }
        return Ok(());
    }
    if args.over.is_empty() {
        // A name that is neither scene nor design is the likelier mistake.
        library::load(args.scene.named()).map_err(|e| match e {
            HostError::BadInput(text) if text.starts_with("no file and no shipped scene") => {
                let known = sets::DESIGNS.iter().map(|(name, _)| *name);
                let known = known.chain(library::SHIPPED.iter().map(|(name, _)| *name));
                let near = tocco::scene::error::nearest(args.scene.named(), known);
                HostError::BadInput(format!("no file, shipped design or scene '{}'{near}", args.scene.named()))
            }
            other => other,
        })?;
        return bad("nothing to sweep over: give --over PATH=RANGE, or a design file (docs/stimulus-sets.md)");
    }
    let axes = args.over.iter().map(|text| Axis::parse(text)).collect::<Result<Vec<_>>>()?;
    let (plan, manner) = (args.scene.plan()?, args.file.manner()?);
    let summary = sweep::run(&plan, &axes, &manner, &args.output, threads)?;
    swept(summary, &args.output);
    Ok(())
}

fn swept(summary: sweep::Summary, folder: &Path) {
    let found = if summary.found > 0 { format!(", {} of them from before", summary.found) } else { String::new() };
    say::remark(&format!("{} files{found}; {}", summary.files, folder.join("manifest.tsv").display()));
}

/// A design says everything about its sounds, so that the file alone repeats them.
fn refuse_beside_a_design(args: &SweepArgs) -> Result<()> {
    let given = [
        ("--over", !args.over.is_empty(), "[[factor]]"),
        ("--set", !args.scene.set.is_empty(), "[set]"),
        ("--duration", args.scene.duration.is_some(), "duration_s"),
        ("--rate", args.scene.rate.is_some(), "rate_hz"),
        ("--seed", args.scene.seed.is_some(), "seed"),
        ("--bits", args.file.bits.is_some(), "bits"),
        ("--gain-db", args.file.gain_db != 0.0, "[level]"),
        ("--normalise", args.file.normalise.is_some(), "[level]"),
    ];
    match given.iter().find(|(_, given, _)| *given) {
        Some((option, _, key)) => bad(format!("{option} does not go with a design; write {key} in the file")),
        None => Ok(()),
    }
}

fn answers(set: &Path, files: &[PathBuf], output: &Path) -> Result<()> {
    let summary = answers::run(set, files, output)?;
    let missing = if summary.missing > 0 { format!(", {} sounds without any", summary.missing) } else { String::new() };
    let (listeners, answers, output) = (summary.listeners, summary.answers, output.display());
    say::remark(&format!("{listeners} listeners, {answers} answers{missing}; proportions and ranges in {output}"));
    Ok(())
}

fn draw_map(args: &MapArgs) -> Result<()> {
    let (x, y) = (map::Axis::parse("--x", &args.x)?, map::Axis::parse("--y", &args.y)?);
    if args.output.extension().is_none_or(|end| end != "png") {
        return bad(format!("-o {}: a map is a picture; give a name that ends in .png", args.output.display()));
    }
    let plan = args.scene.plan()?;
    let map = map::run(&plan, &x, &y, args.of.as_deref(), args.jobs.unwrap_or_else(crew::cores))?;
    let table = map.write(plan.scene.title(), &args.output)?;
    say::remark(&format!("{}\n{} and {}", map.summary(), args.output.display(), table.display()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed_and_every_command_shows_examples() {
        let command = Cli::command();
        command.clone().debug_assert();
        for sub in command.get_subcommands() {
            let help = sub.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.starts_with("Examples:\n  tocco ") && help.contains("You get"), "{}", sub.get_name());
        }
    }

    #[test]
    fn a_wrong_option_is_answered_in_one_line_with_the_nearest() {
        let error = Cli::try_parse_from(["tocco", "render", "bar", "--outptu", "x"]).unwrap_err();
        let HostError::BadInput(line) = refused(&error).unwrap_err() else { panic!() };
        assert!(!line.contains('\n') && line.contains("--output"), "{line}");
    }

    #[test]
    fn durations_are_seconds_above_zero_or_auto() {
        assert_eq!(parse_length("auto"), Ok(Length::Auto));
        assert_eq!(parse_length("0.5"), Ok(Length::Seconds(0.5)));
        for text in ["0", "-1", "nan", "inf", "1e999", "long"] {
            assert!(parse_length(text).is_err(), "{text}");
        }
    }
}
