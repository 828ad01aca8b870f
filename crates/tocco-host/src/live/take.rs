// SPDX-License-Identifier: MIT OR Apache-2.0
//! Takes: what was played, as a scene and the commands that reached it, each with its tick.
//!
//! One JSON object per line. The first holds everything needed to begin: program, rate, channels, limiter, seed, scene
//! text and the recordings that the scene uses. Then one line per command, at the tick at which it took effect. The last
//! has the number of samples and their hash. A take renders offline bit for bit what was played; it is also how to report
//! a fault: it needs no other file.

use super::governor::Grade;
use super::limiter::{CEILING_DBTP, Limiter};
use crate::atomic_file::AtomicFile;
use crate::console::ProgressBar;
use crate::error::{HostError, Result, bad};
use crate::library::Loaded;
use crate::measure::Level;
use crate::render::{Manner, Report, VERSION};
use crate::wav::{Format, WavWriter};
use serde_json::{Value, json};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tocco::engine::{Command, Engine, START, Timed, hashed};
use tocco::scene::def::Source;
use tocco::scene::{Scene, SceneDef};

/// Version of the format.
const FORMAT: u64 = 1;
/// No take is longer than this, bytes: it is read at once.
const MOST_BYTES: u64 = 1 << 30;

/// What a command did, by name.
#[derive(Clone, Debug)]
pub enum Deed {
    /// A parameter, force or control.
    Set(String, f64),
    /// The same without a glide.
    Jump(String, f64),
    /// A mass, m/s.
    Strike(String, f64),
    /// A site, N s.
    Hit(String, f64),
    /// A port is touched at another place of its shape (fractions).
    Touch(String, Vec<f64>),
    /// Everything to rest.
    Hush,
    /// Most sub-steps and level below which modes are silenced, dB.
    Quality(u32, f64),
    /// Another scene; true: an edit.
    Scene(Box<Loaded>, bool),
}

/// A deed at a tick.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Tick at which it took effect.
    pub at: u64,
    /// What.
    pub deed: Deed,
}

/// How a take begins.
#[derive(Clone, Debug)]
pub struct Header {
    /// The scene.
    pub scene: Loaded,
    /// Hz
    pub rate_hz: f64,
    /// Channels of the sound.
    pub channels: usize,
    /// True peaks were limited to this, dBTP.
    pub ceiling_dbtp: Option<f64>,
    /// Values before the first tick.
    pub sets: Vec<(String, f64)>,
}

impl Header {
    /// The first scene, built and set.
    pub fn build(&self) -> Result<Scene> {
        let mut scene = build(&self.scene, self.rate_hz, self.channels)?;
        for (path, value) in &self.sets {
            crate::render::set(&mut scene, path, *value)?;
        }
        Ok(scene)
    }

    /// The limiter, if there is one.
    pub fn limiter(&self) -> Option<Limiter> {
        self.ceiling_dbtp.map(|ceiling| Limiter::new(self.channels, self.rate_hz, ceiling))
    }

    /// The ceiling of a limiter that is on or off.
    pub fn ceiling(on: bool) -> Option<f64> {
        on.then_some(CEILING_DBTP)
    }
}

/// Builds a scene for a number of channels.
pub(super) fn build(scene: &Loaded, rate_hz: f64, channels: usize) -> Result<Scene> {
    let mut built = Scene::build(&scene.def, rate_hz).map_err(|e| scene.wrong(&e))?;
    if built.channels() > channels {
        return bad(format!(
            "{}: {} channels, but playing began with {channels}; stop, and play this scene first",
            scene.origin,
            built.channels()
        ));
    }
    built.widen(channels);
    Ok(built)
}

/// A scene with all it needs.
fn scene_json(scene: &Loaded) -> Value {
    let recordings: Vec<Value> = scene
        .def
        .drives
        .iter()
        .enumerate()
        .filter_map(|(drive, def)| match &def.source {
            Source::Samples { rate_hz, data, .. } => Some(json!({"drive": drive, "rate_hz": rate_hz, "data": &**data})),
            _ => None,
        })
        .collect();
    let mut object = json!({"name": scene.name, "seed": scene.def.seed, "text": scene.text});
    if !recordings.is_empty() {
        object["recordings"] = recordings.into();
    }
    object
}

fn scene_from(value: &Value, origin: &str) -> Result<Loaded> {
    let broken = |what: &str| HostError::BadInput(format!("{origin}: scene: {what}"));
    let text = value["text"].as_str().ok_or_else(|| broken("no text"))?.to_owned();
    let name = value["name"].as_str().unwrap_or("scene").to_owned();
    let mut def = SceneDef::from_text(&text).map_err(|e| broken(&e.to_string()))?;
    def.seed = value["seed"].as_u64().ok_or_else(|| broken("no seed"))?;
    for recording in value["recordings"].as_array().into_iter().flatten() {
        let data: Option<Vec<f32>> = recording["data"]
            .as_array()
            .map(|data| data.iter().map(|x| x.as_f64().map_or(0.0, |x| x as f32)).filter(|x| x.is_finite()).collect());
        let drive = recording["drive"].as_u64().and_then(|index| def.drives.get_mut(index as usize));
        let (Some(data), Some(rate_hz), Some(drive)) = (data, recording["rate_hz"].as_f64(), drive) else {
            return Err(broken("a recording is broken"));
        };
        if let Source::Wav { gain, at_s, .. } = drive.source {
            drive.source = Source::Samples { rate_hz, data: data.into(), gain, at_s };
        }
    }
    if def.drives.iter().any(|drive| matches!(drive.source, Source::Wav { .. })) {
        return Err(broken("a recording is missing"));
    }
    Ok(Loaded { name, origin: origin.to_owned(), text, def })
}

/// A take in the making.
pub struct Writer {
    file: BufWriter<AtomicFile>,
    path: PathBuf,
}

impl Writer {
    /// Begins a take; the file appears when it is complete.
    pub fn create(path: &Path, header: &Header) -> Result<Self> {
        let mut writer = Self { file: BufWriter::new(AtomicFile::create(path)?), path: path.to_path_buf() };
        writer.line(&json!({
            "take": FORMAT,
            "program": VERSION,
            "rate_hz": header.rate_hz,
            "channels": header.channels,
            "ceiling_dbtp": header.ceiling_dbtp,
            "sets": header.sets,
            "scene": scene_json(&header.scene),
        }))?;
        Ok(writer)
    }

    fn line(&mut self, value: &Value) -> Result<()> {
        writeln!(self.file, "{value}").map_err(|e| HostError::writing(&self.path, &e))
    }

    /// Adds a deed.
    pub fn add(&mut self, at: u64, deed: &Deed) -> Result<()> {
        let line = match deed {
            Deed::Set(path, value) => json!({"at": at, "set": path, "value": value}),
            Deed::Jump(path, value) => json!({"at": at, "jump": path, "value": value}),
            Deed::Strike(body, velocity) => json!({"at": at, "strike": body, "velocity_m_s": velocity}),
            Deed::Hit(site, impulse) => json!({"at": at, "hit": site, "impulse_n_s": impulse}),
            Deed::Touch(site, place) => json!({"at": at, "touch": site, "place": place}),
            Deed::Hush => json!({"at": at, "hush": true}),
            Deed::Quality(most, below) => json!({"at": at, "quality": {"max_substeps": most, "drop_below_db": below}}),
            Deed::Scene(scene, adopt) => json!({"at": at, "scene": scene_json(scene), "adopt": adopt}),
        };
        self.line(&line)
    }

    /// So it was.
    pub fn finish(mut self, ticks: u64, hash: u64) -> Result<()> {
        self.line(&json!({"end": ticks, "hash": format!("{hash:016x}")}))?;
        let file = self.file.into_inner().map_err(|e| HostError::writing(&self.path, &e.into_error()))?;
        file.keep()
    }
}

/// A take.
#[derive(Clone, Debug)]
pub struct Take {
    /// How it begins.
    pub header: Header,
    /// What happens, in order.
    pub entries: Vec<Entry>,
    /// Samples.
    pub ticks: u64,
    /// Hash of what was heard.
    pub hash: u64,
}

impl Take {
    /// Reads a take.
    pub fn read(path: &Path) -> Result<Self> {
        let size = std::fs::metadata(path).map_err(|e| HostError::reading(path, &e))?.len();
        if size > MOST_BYTES {
            return bad(format!("cannot read {}: longer than any take ({} MiB)", path.display(), MOST_BYTES >> 20));
        }
        let text = std::fs::read_to_string(path).map_err(|e| HostError::reading(path, &e))?;
        Self::from_text(&text, &path.display().to_string())
    }

    /// Reads a take's text; `origin` is how messages call it.
    pub fn from_text(text: &str, origin: &str) -> Result<Self> {
        let mut header = None;
        let mut entries: Vec<Entry> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let place = format!("{origin}:{}", index + 1);
            let broken = |what: &str| HostError::BadInput(format!("{place}: {what}"));
            let value: Value = serde_json::from_str(line).map_err(|e| broken(&format!("not a line of a take: {e}")))?;
            let Some(header) = &header else {
                header = Some(header_from(&value, &place)?);
                continue;
            };
            if let Some(ticks) = value["end"].as_u64() {
                let hash = value["hash"].as_str().and_then(|hash| u64::from_str_radix(hash, 16).ok());
                let hash = hash.ok_or_else(|| broken("the last line has no hash"))?;
                return Ok(Self { header: Header::clone(header), entries, ticks, hash });
            }
            let at = value["at"].as_u64().ok_or_else(|| broken("no tick ('at')"))?;
            if entries.last().is_some_and(|last| last.at > at) {
                return Err(broken("its tick lies before that of the line above"));
            }
            entries.push(Entry { at, deed: deed_from(&value, &place)? });
        }
        match header {
            None => bad(format!("{origin}: empty; record a take with 'tocco play SCENE --record FILE'")),
            Some(_) => bad(format!("{origin}: cut off: the last line, with 'end', is missing")),
        }
    }
}

fn header_from(value: &Value, place: &str) -> Result<Header> {
    let broken = |what: &str| HostError::BadInput(format!("{place}: {what}"));
    match value["take"].as_u64() {
        Some(FORMAT) => {}
        Some(other) => return Err(broken(&format!("a take of format {other}; this program reads {FORMAT}"))),
        None => return Err(broken("not a take; its first line begins with {\"take\":1")),
    }
    let sets = value["sets"].as_array().into_iter().flatten().map(|set| {
        let (path, value) = (set[0].as_str(), set[1].as_f64());
        path.zip(value).map(|(path, value)| (path.to_owned(), value)).ok_or_else(|| broken("'sets' is broken"))
    });
    Ok(Header {
        rate_hz: value["rate_hz"].as_f64().ok_or_else(|| broken("no rate_hz"))?,
        channels: value["channels"].as_u64().filter(|n| (1..=1024).contains(n)).ok_or_else(|| broken("no channels"))?
            as usize,
        ceiling_dbtp: value["ceiling_dbtp"].as_f64(),
        sets: sets.collect::<Result<_>>()?,
        scene: scene_from(&value["scene"], place)?,
    })
}

fn deed_from(value: &Value, place: &str) -> Result<Deed> {
    let number = |key: &str| {
        value[key].as_f64().ok_or_else(|| HostError::BadInput(format!("{place}: '{key}' is missing or not a number")))
    };
    let word = |key: &str| value[key].as_str().map(str::to_owned);
    if let Some(path) = word("set") {
        Ok(Deed::Set(path, number("value")?))
    } else if let Some(path) = word("jump") {
        Ok(Deed::Jump(path, number("value")?))
    } else if let Some(body) = word("strike") {
        Ok(Deed::Strike(body, number("velocity_m_s")?))
    } else if let Some(site) = word("hit") {
        Ok(Deed::Hit(site, number("impulse_n_s")?))
    } else if let Some(site) = word("touch") {
        let where_to = value["place"].as_array().map(|fractions| fractions.iter().filter_map(Value::as_f64).collect());
        where_to
            .map(|place| Deed::Touch(site, place))
            .ok_or_else(|| HostError::BadInput(format!("{place}: 'place' is no list")))
    } else if value["hush"] == true {
        Ok(Deed::Hush)
    } else if let (Some(most), Some(below)) =
        (value["quality"]["max_substeps"].as_u64(), value["quality"]["drop_below_db"].as_f64())
    {
        Ok(Deed::Quality(most as u32, below))
    } else if value["scene"].is_object() {
        Ok(Deed::Scene(Box::new(scene_from(&value["scene"], place)?), value["adopt"] == true))
    } else {
        bad(format!("{place}: no known deed; it is one of set, jump, strike, hit, touch, hush, quality, scene"))
    }
}

impl Deed {
    /// What a grade does.
    pub(super) fn of_grade(grade: Grade) -> Self {
        Deed::Quality(grade.max_substeps(), grade.drop_below_db())
    }
}

/// A take being rendered.
pub struct Replay {
    engine: Engine,
    limiter: Option<Limiter>,
    commands: Vec<Timed>,
    next: usize,
    left: u64,
    hash: u64,
    wanted: u64,
}

impl Replay {
    /// Resolves every name of a take.
    pub fn new(take: &Take) -> Result<Self> {
        let Header { rate_hz, channels, .. } = take.header;
        let engine = Engine::new(take.header.build()?);
        let mut commands: Vec<Timed> = Vec::new();
        let mut scenes: Vec<Box<Scene>> = Vec::new();
        for (line, entry) in take.entries.iter().enumerate() {
            let scene = scenes.last().map_or(engine.scene(), |scene| scene);
            let wrong = |e: tocco::SceneError| HostError::BadInput(format!("line {} of the take: {e}", line + 2));
            let command = match &entry.deed {
                Deed::Set(path, value) => Command::Set(scene.address(path).map_err(wrong)?, *value),
                Deed::Jump(path, value) => Command::Jump(scene.address(path).map_err(wrong)?, *value),
                Deed::Strike(body, velocity) => {
                    Command::Strike { body: scene.body(body).map_err(wrong)?, velocity_m_s: *velocity }
                }
                Deed::Hit(site, impulse) => {
                    Command::Hit { site: scene.site(site).map_err(wrong)?, impulse_n_s: *impulse }
                }
                Deed::Touch(site, place) => {
                    let site = scene.site(site).map_err(wrong)?;
                    Command::Touch { site, shape: scene.shape_at(site, place).map_err(wrong)?.into() }
                }
                Deed::Hush => Command::Hush,
                Deed::Quality(most, below) => Command::Quality { max_substeps: *most, drop_below_db: *below },
                Deed::Scene(scene, adopt) => {
                    scenes.push(Box::new(build(scene, rate_hz, channels)?));
                    Command::Replace { scene: None, adopt: *adopt }
                }
            };
            commands.push(Timed { at: entry.at, command });
        }
        // Names are resolved: every scene goes into its own command.
        let mut scenes = scenes.into_iter();
        for timed in &mut commands {
            if let Command::Replace { scene, .. } = &mut timed.command {
                *scene = scenes.next();
            }
        }
        let (limiter, left, wanted) = (take.header.limiter(), take.ticks, take.hash);
        Ok(Self { engine, limiter, commands, next: 0, left, hash: START, wanted })
    }

    /// The next frames, interleaved, at most as many as fit; 0 at the end.
    pub fn render(&mut self, out: &mut [f32]) -> usize {
        let channels = self.engine.scene().channels();
        let frames = self.left.min((out.len() / channels) as u64) as usize;
        let (out, end) = (&mut out[..frames * channels], self.engine.tick() + frames as u64);
        let due = self.next + self.commands[self.next..].iter().take_while(|timed| timed.at < end).count();
        self.engine.render(&mut self.commands[self.next..due], out);
        (self.next, self.left) = (due, self.left - frames as u64);
        while self.engine.retired().is_some() {}
        if let Some(limiter) = &mut self.limiter {
            limiter.limit(out);
        }
        self.hash = out.iter().fold(self.hash, |hash, sample| hashed(hash, *sample));
        frames
    }

    /// At the end: every bit is as it was played.
    pub fn is_faithful(&self) -> bool {
        self.left == 0 && self.hash == self.wanted
    }
}

/// Frames rendered per call; the sound does not depend on it.
const BLOCK: usize = 4096;

/// Renders a take to a WAV file. An unfaithful rendering is written all the same, and is an error.
pub fn to_wav(take: &Take, target: &Path, manner: &Manner) -> Result<Report> {
    let Header { rate_hz, channels, .. } = take.header;
    if manner.normalise_dbfs.is_some() || manner.gain_db != 0.0 {
        return bad("a take is rendered as it was played: leave --normalise and --gain-db out");
    }
    let format = Format::new(channels, rate_hz, manner.encoding)?;
    let info = vec![(*b"INAM", take.header.scene.title().to_owned()), (*b"ISFT", VERSION.to_owned())];
    format.check_length(&info, take.ticks as f64)?;
    let mut replay = Replay::new(take)?;
    let wrong = |e: std::io::Error| HostError::writing(target, &e);
    let file = BufWriter::new(AtomicFile::create(target)?);
    let mut wav = WavWriter::new(file, format, info, take.ticks, take.header.scene.def.seed).map_err(wrong)?;
    let bar = ProgressBar::new((take.ticks as f64 / rate_hz).ceil() as u64, "s of sound");
    let (mut out, mut level, mut frames) = (vec![0.0; BLOCK * channels], Level::default(), 0);
    loop {
        let rendered = replay.render(&mut out);
        if rendered == 0 {
            break;
        }
        level.add(&out[..rendered * channels]);
        wav.write(&out[..rendered * channels]).map_err(wrong)?;
        frames += rendered as u64;
        bar.at((frames as f64 / rate_hz) as u64);
    }
    let over = wav.over();
    let (out, _) = wav.finish().map_err(wrong)?;
    out.into_inner().map_err(|e| wrong(e.into_error()))?.keep()?;
    if !replay.is_faithful() {
        return Err(HostError::Missed(format!(
            "{}: rendered, but not as it was played; was the take made by {VERSION}?",
            target.display()
        )));
    }
    let (health, omitted) = (replay.engine.health(), replay.engine.scene().omitted().to_vec());
    Ok(Report { frames, rate_hz, channels, level, over, health, cut: false, omitted })
}
