// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a scene to a file, in blocks: an hour of sound needs no more memory than a second.
//!
//! The engine is a pure function, so what must be known beforehand (the peak for `--normalise`, the length for a pipe)
//! is found by rendering once and listening, then rendering again: the same bits, and nothing is stored in between.

use crate::atomic_file::AtomicFile;
use crate::console::ProgressBar;
use crate::error::{Error, Result, bad};
use crate::library;
use crate::measure::Level;
use crate::wav::{Encoding, Format, Info, WavReader, WavWriter};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tocco::Document;
use tocco::engine::{Engine, Health, Queue};
use tocco::scene::Scene;
pub use tocco::scene::def::AUTO_MOST_S;
use tocco::scene::def::{AUTO_QUIET, Length};
use tocco::units::gain;

/// Version in files and on screens.
pub const VERSION: &str = concat!("tocco ", env!("CARGO_PKG_VERSION"));
/// Which build makes the sounds: what another has left is not taken for its own.
pub const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("TOCCO_SOURCES"));

/// Frames rendered per call; the sound does not depend on it.
const BLOCK: usize = 4096;

/// What to render.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The scene, with its seed.
    pub scene: Document,
    /// Rate of the rendering, Hz.
    pub rate_hz: f64,
    /// How long.
    pub length: Length,
    /// Paths and values set before the first tick, without glide.
    pub sets: Vec<(String, f64)>,
    /// Sound that comes in, a list for each channel; what is missing is silence.
    pub input: Vec<Vec<f32>>,
}

impl Plan {
    /// Refuses a scene that nobody hears.
    pub fn hears(&self) -> Result<()> {
        let (def, origin) = (&self.scene.def, &self.scene.origin);
        // Parts bring their own taps.
        let nothing = def.bodies.is_empty() && def.processes.is_empty() && def.parts.is_empty();
        match (nothing, def.taps.is_empty() && def.parts.is_empty()) {
            (true, _) => bad(format!("{origin}: there is nothing to hear; add a [body.NAME] and a [[tap]]")),
            (false, true) => bad(format!("{origin}: nothing is heard; add a [[tap]]")),
            (false, false) => Ok(()),
        }
    }

    /// The scene as it stands.
    pub fn new(scene: Document) -> Self {
        Self { rate_hz: scene.def.rate_hz, length: scene.def.duration, scene, sets: Vec::new(), input: Vec::new() }
    }

    /// Takes a sound file for what comes in; after the rate is settled.
    pub fn hear(&mut self, path: &Path) -> Result<()> {
        let wrong = |what: String| bad(format!("--input {}: {what}", path.display()));
        let wanted = self.build()?.directory().inputs();
        if wanted == 0 {
            return wrong("this scene hears nothing; give it a [[drive]] with input = 0".into());
        }
        let mut wav = WavReader::open(path)?;
        if wav.rate_hz != self.rate_hz {
            let (has, wants) = (wav.rate_hz, self.rate_hz);
            return wrong(format!(
                "{has} Hz, and the scene is rendered at {wants} Hz; convert it, or give --rate {has}"
            ));
        }
        let (samples, channels) = (wav.read(0, wav.frames as usize)?, wav.channels);
        let channel = |channel| samples.iter().skip(channel).step_by(channels).copied().collect();
        self.input = (0..channels.min(wanted)).map(channel).collect();
        Ok(())
    }

    /// Builds the scene and applies the sets.
    pub fn build(&self) -> Result<Scene> {
        let mut scene = Scene::build(&self.scene.def, self.rate_hz).map_err(|e| library::wrong(&self.scene, &e))?;
        for (path, value) in &self.sets {
            set(&mut scene, path, *value)?;
        }
        Ok(scene)
    }

    /// Frames to render: exactly, or at most.
    fn frames(&self) -> Result<f64> {
        let seconds = match self.length {
            Length::Auto => AUTO_MOST_S,
            Length::Seconds(s) if s > 0.0 => s,
            Length::Seconds(s) => return bad(format!("a duration of {s} s; give seconds above 0, or auto")),
        };
        Ok((seconds * self.rate_hz).round().max(1.0))
    }

    /// Metadata of the file.
    fn info(&self) -> Info {
        let sets: String = self.sets.iter().map(|(path, value)| format!("; {path}={value:?}")).collect();
        let comment =
            format!("scene {}; seed {}; rate_hz {}{sets}", self.scene.name, self.scene.def.seed, self.rate_hz);
        vec![(*b"INAM", self.scene.title().to_owned()), (*b"ISFT", VERSION.to_owned()), (*b"ICMT", comment)]
    }
}

/// Sets a live path before the first tick; refuses unknown paths and values outside the range.
pub fn set(scene: &mut Scene, path: &str, value: f64) -> Result<()> {
    let place = |what: String| Error::BadInput(format!("--set {path}: {what}"));
    let address = scene.directory().address(path).map_err(|e| place(e.what))?;
    if let Some(spec) = scene.directory().spec(address).filter(|spec| !spec.admits(value)) {
        let unit = if spec.unit == "1" { String::new() } else { format!(" {}", spec.unit) };
        return Err(place(format!("{value:?} is out of range; give {:?} to {:?}{unit}", spec.min, spec.max)));
    }
    scene.preset(address, value).map_err(|e| place(e.what))?;
    Ok(())
}

/// Reads `PATH=VALUE`.
pub fn parse_set(text: &str) -> Result<(String, f64)> {
    let Some((path, value)) = text.split_once('=') else {
        return bad(format!("--set {text}: write PATH=VALUE, for example hit/stiffness=1e8"));
    };
    match value.trim().parse::<f64>() {
        Ok(value) => Ok((path.trim().trim_start_matches('/').to_owned(), value)),
        Err(_) => bad(format!(
            "--set {text}: '{value}' is not a number; give one in the path's own unit ('tocco describe SCENE' says which)"
        )),
    }
}

/// What came of a rendering.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// Frames rendered.
    pub frames: u64,
    /// Level of the engine's output.
    pub level: Level,
    /// How the solver fared.
    pub health: Health,
    /// An automatic length that ran into its limit.
    pub cut: bool,
}

/// Takes a block of interleaved samples and its probe rows.
pub type Sink<'a> = dyn FnMut(&[f32], &[f64]) -> Result<()> + 'a;

/// Renders `plan` in blocks and hands each to `sink` with its probe rows (`watched` values per frame).
pub fn perform(
    plan: &Plan,
    engine: &mut Engine,
    watched: usize,
    progress: &mut dyn FnMut(f64),
    sink: &mut Sink<'_>,
) -> Result<Outcome> {
    let channels = engine.scene().channels();
    let most = plan.frames()? as u64;
    let auto = plan.length == Length::Auto;
    let last_cue = engine.scene().last_cue();
    let hold = (plan.scene.def.auto_hold_s() * plan.rate_hz).ceil() as u64;
    let mut out = vec![0.0_f32; BLOCK * channels];
    let mut rows = vec![0.0_f64; BLOCK * watched];
    let mut outcome = Outcome { frames: 0, level: Level::default(), health: Health::default(), cut: false };
    let mut quiet = 0;
    while outcome.frames < most {
        let mut frames = (most - outcome.frames).min(BLOCK as u64) as usize;
        let (block, probes) = (&mut out[..frames * channels], &mut rows[..frames * watched]);
        let from = outcome.frames as usize;
        let part = |heard: &'_ Vec<f32>| from.min(heard.len())..(from + frames).min(heard.len());
        let inputs: Vec<&[f32]> = plan.input.iter().map(|heard| &heard[part(heard)]).collect();
        outcome.health = if watched > 0 {
            engine.render_probed(&inputs, &mut Queue::new(), block, probes)
        } else {
            engine.render(&inputs, &mut Queue::new(), block)
        };
        let mut ended = false;
        if auto {
            for (i, frame) in block.chunks_exact(channels).enumerate() {
                let loud = frame.iter().fold(0.0_f32, |m, x| m.max(x.abs()));
                outcome.level.add(frame);
                let faint = f64::from(loud) <= AUTO_QUIET * outcome.level.peak && outcome.level.peak > 0.0;
                quiet = if faint { quiet + 1 } else { 0 };
                if quiet >= hold && outcome.frames + i as u64 >= last_cue {
                    (frames, ended) = (i + 1, true);
                    break;
                }
            }
        } else {
            outcome.level.add(block);
        }
        sink(&out[..frames * channels], &rows[..frames * watched])?;
        outcome.frames += frames as u64;
        progress(outcome.frames as f64 / plan.rate_hz);
        if ended {
            return Ok(outcome);
        }
    }
    outcome.cut = auto;
    Ok(outcome)
}

/// Where the sound goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file.
    File(PathBuf),
    /// A file whose content somebody checks before it is trusted: it has its name at once, and the disk may take its time.
    Checked(PathBuf),
    /// Standard output.
    Stdout,
}

/// How to write it.
#[derive(Clone, Debug)]
pub struct Manner {
    /// Sample type.
    pub encoding: Encoding,
    /// Gain after the engine, dB.
    pub gain_db: f64,
    /// Bring the peak to this level instead, dBFS.
    pub normalise_dbfs: Option<f64>,
    /// Probe file and its signals.
    pub probe: Option<(PathBuf, Vec<String>)>,
}

impl Default for Manner {
    fn default() -> Self {
        Self { encoding: Encoding::Int24, gain_db: 0.0, normalise_dbfs: None, probe: None }
    }
}

/// What was written.
#[derive(Clone, Debug)]
pub struct Report {
    /// Frames.
    pub frames: u64,
    /// Frames per second.
    pub rate_hz: f64,
    /// Channels.
    pub channels: usize,
    /// Level as written.
    pub level: Level,
    /// Samples beyond full scale.
    pub over: u64,
    /// How the solver fared.
    pub health: Health,
    /// An automatic length that ran into its limit.
    pub cut: bool,
    /// Modes left out because the rate cannot carry them.
    pub omitted: Vec<String>,
}

impl Report {
    /// Length, s.
    pub fn seconds(&self) -> f64 {
        self.frames as f64 / self.rate_hz
    }
}

enum Out {
    File(AtomicFile),
    Stdout(io::Stdout),
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stdout(out) => out.write(bytes),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Stdout(out) => out.flush(),
        }
    }
}

/// Renders to a WAV file; with probes, also to a CSV table. Both appear whole or not at all.
pub fn to_wav(plan: &Plan, target: &Target, manner: &Manner, show: bool) -> Result<Report> {
    let scene = plan.build()?;
    let (channels, omitted) = (scene.channels(), scene.omitted().to_vec());
    plan.hears()?;
    let format = Format::new(channels, plan.rate_hz, manner.encoding)?;
    let info = plan.info();
    let mut length = plan.frames()?;
    format.check_length(length)?;
    let named = match target {
        Target::File(path) | Target::Checked(path) => path.clone(),
        Target::Stdout => PathBuf::from("standard output"),
    };
    let wrong = |cause: io::Error| Error::writing(&named, &cause);
    let (out, can_seek) = match target {
        Target::File(path) | Target::Checked(path) => {
            let file = AtomicFile::create(path)?;
            let can_seek = file.can_seek();
            (Out::File(file), can_seek)
        }
        Target::Stdout => (Out::Stdout(io::stdout()), false),
    };
    let mut probe = Probe::open(manner, &scene, plan.rate_hz)?;

    let listen_first = manner.normalise_dbfs.is_some() || (plan.length == Length::Auto && !can_seek);
    let passes = if listen_first { 2.0 } else { 1.0 };
    let bar = show.then(|| ProgressBar::new((passes * length / plan.rate_hz).ceil() as u64, "s of sound"));
    let mut factor = gain(manner.gain_db);
    let mut before_s = 0.0;
    if listen_first {
        let mut advance = |seconds: f64| bar.iter().for_each(|bar| bar.at(seconds as u64));
        let heard = perform(plan, &mut Engine::new(plan.build()?), 0, &mut advance, &mut |_, _| Ok(()))?;
        length = heard.frames as f64;
        before_s = length / plan.rate_hz;
        if let Some(dbfs) = manner.normalise_dbfs.filter(|_| heard.level.peak > 0.0) {
            factor = gain(dbfs) / heard.level.peak;
        }
    }

    let mut engine = Engine::new(scene);
    let watched = probe.as_ref().map_or(0, |probe| probe.watched.len());
    if let Some(probe) = &probe {
        engine.watch(&probe.watched);
    }
    let seed = plan.scene.def.seed;
    let mut wav = WavWriter::new(BufWriter::new(out), format, info, length as u64, seed).map_err(wrong)?;
    let mut scaled = Vec::with_capacity(BLOCK * channels);
    let mut advance = |seconds: f64| bar.iter().for_each(|bar| bar.at((before_s + seconds) as u64));
    let outcome = perform(plan, &mut engine, watched, &mut advance, &mut |block, rows| {
        if let Some(probe) = &mut probe {
            probe.write(rows)?;
        }
        if factor == 1.0 {
            return wav.write(block).map_err(wrong);
        }
        scaled.clear();
        scaled.extend(block.iter().map(|x| (f64::from(*x) * factor) as f32));
        wav.write(&scaled).map_err(wrong)
    })?;
    let over = wav.over();
    let (out, header) = wav.finish().map_err(wrong)?;
    let out = out.into_inner().map_err(|e| wrong(e.into_error()))?;
    if let Some(probe) = probe {
        probe.keep()?;
    }
    if let Out::File(mut file) = out {
        if file.can_seek() && outcome.frames as f64 != length {
            file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(&header)).map_err(wrong)?;
        }
        match target {
            Target::Checked(_) => file.keep_soon()?,
            _ => file.keep()?,
        }
    }
    let (frames, rate_hz, level) = (outcome.frames, plan.rate_hz, outcome.level.scaled(factor));
    Ok(Report { frames, rate_hz, channels, level, over, health: outcome.health, cut: outcome.cut, omitted })
}

/// A CSV table of probe signals. `time_s` is the end of the sample, the instant its positions and velocities hold.
struct Probe {
    file: BufWriter<AtomicFile>,
    path: PathBuf,
    watched: Vec<tocco::scene::Probe>,
    rate_hz: f64,
    frames: u64,
}

impl Probe {
    fn open(manner: &Manner, scene: &Scene, rate_hz: f64) -> Result<Option<Self>> {
        let Some((path, signals)) = &manner.probe else { return Ok(None) };
        let watched = signals
            .iter()
            .map(|signal| {
                scene.directory().probe(signal).map_err(|e| Error::BadInput(format!("--probe-of {signal}: {}", e.what)))
            })
            .collect::<Result<Vec<_>>>()?;
        let mut file = BufWriter::new(AtomicFile::create(path)?);
        writeln!(file, "time_s,{}", signals.join(",")).map_err(|e| Error::writing(path, &e))?;
        Ok(Some(Self { file, path: path.clone(), watched, rate_hz, frames: 0 }))
    }

    fn write(&mut self, rows: &[f64]) -> Result<()> {
        for row in rows.chunks_exact(self.watched.len()) {
            self.frames += 1;
            let time_s = self.frames as f64 / self.rate_hz;
            let written = write!(self.file, "{time_s:?}")
                .and_then(|()| row.iter().try_for_each(|x| write!(self.file, ",{x:?}")))
                .and_then(|()| self.file.write_all(b"\n"));
            written.map_err(|e| Error::writing(&self.path, &e))?;
        }
        Ok(())
    }

    fn keep(self) -> Result<()> {
        let file = self.file.into_inner().map_err(|e| Error::writing(&self.path, &e.into_error()))?;
        file.keep()
    }
}
