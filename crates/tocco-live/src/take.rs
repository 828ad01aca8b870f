// SPDX-License-Identifier: MIT OR Apache-2.0
//! Takes: what was played, as a scene and the gestures that reached it, each with its tick.
//!
//! One JSON object per line. The first holds everything needed to begin: program, rate, channels, limiter, seed, scene
//! text and the recordings that the scene uses. Then one line per gesture, at the tick at which it took effect, and, if
//! the scene listens, lines with the sound that came in. The last has the number of samples and their hash. A take
//! renders offline bit for bit what was played; it is also how to report a fault: it needs no other file.
//!
//! About twice a second comes a mark, with the number of samples so far and their hash: a take that is cut off is good up to its
//! last one, which becomes its end in its place ([`MARK`], [`MARK_ENDS`]).

use crate::error::{Error, Result, bad};
use crate::limiter::{CEILING_DBTP, LOOK_S, Limiter};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use tocco::engine::{START, hashed};
use tocco::{Command, Directory, Document, Engine, Gesture, Queue, Scene};

/// Version of the format. In takes of format 1 a jump of a parameter of control rate waited for the next control tick, and any
/// contact took 32 steps at any rate ([`Engine::play_as_at_first`]).
const FORMAT: u64 = 2;
/// No take is longer than this, bytes: it is read at once.
pub const MOST_BYTES: u64 = 1 << 30;

/// How a take begins.
pub const BEGINS: &[u8] = b"{\"take\":";
/// How a mark begins, and the same bytes of a mark that has become the end.
pub const MARK: &[u8] = b"{\"mark\":";
/// As long as [`MARK`].
pub const MARK_ENDS: &[u8] = b"{\"end\" :";

/// A gesture at a tick.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Tick at which it took effect.
    pub at: u64,
    /// What the player did.
    pub gesture: Gesture,
}

/// How a take begins.
#[derive(Clone, Debug)]
pub struct Header {
    /// The scene.
    pub scene: Document,
    /// Hz
    pub rate_hz: f64,
    /// Channels of the sound.
    pub channels: usize,
    /// True peaks were limited to this, dBTP.
    pub ceiling_dbtp: Option<f64>,
    /// Look-ahead of the limiters, s.
    pub look_s: f64,
    /// Values before the first tick.
    pub sets: Vec<(String, f64)>,
    /// The format that it was written in, 1 to 2; what is recorded now is written in the newest.
    pub format: u64,
}

impl Header {
    /// The newest format.
    pub const FORMAT: u64 = FORMAT;

    /// The first scene, built and set.
    pub fn build(&self) -> Result<Scene> {
        let mut scene = build(&self.scene, self.rate_hz, self.channels)?;
        for (path, value) in &self.sets {
            set(&mut scene, path, *value)?;
        }
        Ok(scene)
    }

    /// The limiters of the scene's outputs, if peaks are limited.
    pub fn limiter(&self, directory: &Directory) -> Option<Limiter> {
        let limiter = Limiter::looking(self.channels, self.rate_hz, self.ceiling_dbtp?, self.look_s);
        Some(limiter.among(directory.outputs()))
    }

    /// The ceiling of a limiter that is on or off.
    pub fn ceiling(on: bool) -> Option<f64> {
        on.then_some(CEILING_DBTP)
    }
}

/// Sets a value before the first tick.
pub fn set(scene: &mut Scene, path: &str, value: f64) -> Result<()> {
    let wrong = |what: String| Error::BadInput(format!("{path}: {what}"));
    let address = scene.directory().address(path).map_err(|e| wrong(e.what))?;
    if let Some(spec) = scene.directory().spec(address).filter(|spec| !spec.admits(value)) {
        let (min, max, unit) = (spec.min, spec.max, spec.unit);
        return Err(wrong(format!("{value} is out of range; wants {min:e} to {max:e} {unit}")));
    }
    scene.preset(address, value).map_err(|e| wrong(e.what))
}

/// Builds a scene for a number of channels.
pub(crate) fn build(scene: &Document, rate_hz: f64, channels: usize) -> Result<Scene> {
    let mut built = Scene::build(&scene.def, rate_hz).map_err(|e| Error::BadInput(scene.message(&e)))?;
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

/// A take in the making.
pub struct Writer {
    out: Box<dyn Write + Send>,
}

impl Writer {
    /// Begins a take; `program` is who writes it.
    pub fn new(out: Box<dyn Write + Send>, header: &Header, program: &str) -> Result<Self> {
        let mut writer = Self { out };
        writer.line(&json!({
            "take": FORMAT,
            "program": program,
            "rate_hz": header.rate_hz,
            "channels": header.channels,
            "ceiling_dbtp": header.ceiling_dbtp,
            "look_s": header.look_s,
            "sets": header.sets,
            "scene": header.scene.to_json(),
        }))?;
        writer.mark(0, START, 0)?;
        Ok(writer)
    }

    /// Lines are handed over whole.
    fn line(&mut self, value: &Value) -> Result<()> {
        Ok(self.out.write_all(format!("{value}\n").as_bytes())?)
    }

    fn ending(&mut self, word: &str, ticks: u64, hash: u64, lost_input: u64) -> Result<()> {
        let lost = if lost_input > 0 { format!(",\"lost_input_frames\":{lost_input}") } else { String::new() };
        let line = format!("{{\"{word}\":{ticks},\"hash\":\"{hash:016x}\"{lost}}}\n");
        Ok(self.out.write_all(line.as_bytes())?)
    }

    /// So many samples so far, and their hash: if nothing follows, the take is good until here. What it was written to is flushed.
    pub fn mark(&mut self, ticks: u64, hash: u64, lost_input: u64) -> Result<()> {
        self.ending("mark", ticks, hash, lost_input)?;
        Ok(self.out.flush()?)
    }

    /// Adds a gesture.
    pub fn add(&mut self, at: u64, gesture: &Gesture) -> Result<()> {
        let mut line = json!({ "at": at });
        if let (Value::Object(line), Value::Object(gesture)) = (&mut line, gesture.to_json()) {
            line.extend(gesture);
        }
        self.line(&line)
    }

    /// Adds sound that came in, interleaved, from where the last left off.
    pub fn add_input(&mut self, samples: &[f32]) -> Result<()> {
        let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        self.line(&json!({ "input": BASE64.encode(bytes) }))
    }

    /// The last line: number of samples, their hash, and how many frames that came in are missing, if any.
    pub fn finish(mut self, ticks: u64, hash: u64, lost_input: u64) -> Result<Box<dyn Write + Send>> {
        self.ending("end", ticks, hash, lost_input)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Something to write a take to that can be fetched again: a desk owns one end, whoever opened it keeps the other.
pub struct SharedWriter<W>(Arc<Mutex<Option<W>>>);

impl<W> SharedWriter<W> {
    /// Both ends are this and its clones.
    pub fn new(out: W) -> Self {
        Self(Arc::new(Mutex::new(Some(out))))
    }

    /// What was written to; what is written later goes nowhere.
    pub fn fetch(&self) -> Option<W> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl<W> Clone for SharedWriter<W> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<W: Write> Write for SharedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map_or(Ok(bytes.len()), |out| out.write(bytes))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut().map_or(Ok(()), Write::flush)
    }
}

/// Why a take does not give the same samples again.
pub fn spoiled(lost_input: u64) -> String {
    format!(
        "the take is spoiled: {lost_input} frames of the sound that came in are missing, as nobody fetched them in time"
    )
}

/// A take.
#[derive(Clone, Debug)]
pub struct Take {
    /// How it begins.
    pub header: Header,
    /// What happens, in order.
    pub entries: Vec<Entry>,
    /// Sound that came in, interleaved over the channels that the scene listens to.
    pub input: Vec<f32>,
    /// Samples.
    pub ticks: u64,
    /// Hash of what was heard.
    pub hash: u64,
    /// Frames that came in and are missing: it cannot give the same samples again unless this is 0.
    pub lost_input: u64,
}

impl Take {
    /// Reads a take's text; `origin` is how messages call it.
    pub fn from_text(text: &str, origin: &str) -> Result<Self> {
        let mut header = None;
        let mut entries: Vec<Entry> = Vec::new();
        let mut input = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let place = format!("{origin}:{}", index + 1);
            let broken = |what: &str| Error::BadInput(format!("{place}: {what}"));
            let value: Value = serde_json::from_str(line).map_err(|e| broken(&format!("not a line of a take: {e}")))?;
            let Some(header) = &header else {
                header = Some(header_from(&value, &place)?);
                continue;
            };
            if let Some(ticks) = value["end"].as_u64() {
                let hash = value["hash"].as_str().and_then(|hash| u64::from_str_radix(hash, 16).ok());
                let hash = hash.ok_or_else(|| broken("the last line has no hash"))?;
                let lost_input = value["lost_input_frames"].as_u64().unwrap_or(0);
                return Ok(Self { header: Header::clone(header), entries, input, ticks, hash, lost_input });
            }
            if value["mark"].is_u64() {
                continue;
            }
            if let Some(heard) = value["input"].as_str() {
                let bytes = BASE64.decode(heard).map_err(|_| broken("'input' is broken"))?;
                input.extend(bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)));
                continue;
            }
            let at = value["at"].as_u64().ok_or_else(|| broken("no tick ('at')"))?;
            if entries.last().is_some_and(|last| last.at > at) {
                return Err(broken("its tick lies before that of the line above"));
            }
            let gesture = Gesture::from_json(&value, &place).map_err(|what| broken(&what))?;
            entries.push(Entry { at, gesture });
        }
        match header {
            None => bad(format!("{origin}: empty; record a take with 'tocco play SCENE --record FILE'")),
            Some(_) => bad(format!(
                "{origin}: cut off: the last line, with 'end', is missing; 'tocco recover {origin}' ends it at its last mark"
            )),
        }
    }
}

fn header_from(value: &Value, place: &str) -> Result<Header> {
    let broken = |what: &str| Error::BadInput(format!("{place}: {what}"));
    let format = match value["take"].as_u64() {
        Some(format @ 1..=FORMAT) => format,
        Some(other) => return Err(broken(&format!("a take of format {other}; this program reads 1 to {FORMAT}"))),
        None => return Err(broken("not a take; its first line begins with {\"take\":2")),
    };
    let sets = value["sets"].as_array().into_iter().flatten().map(|set| {
        let (path, value) = (set[0].as_str(), set[1].as_f64());
        path.zip(value).map(|(path, value)| (path.to_owned(), value)).ok_or_else(|| broken("'sets' is broken"))
    });
    Ok(Header {
        format,
        rate_hz: value["rate_hz"].as_f64().filter(|hz| (1.0..=1e9).contains(hz)).ok_or_else(|| broken("no rate_hz"))?,
        channels: value["channels"].as_u64().filter(|n| (1..=1024).contains(n)).ok_or_else(|| broken("no channels"))?
            as usize,
        ceiling_dbtp: value["ceiling_dbtp"].as_f64(),
        // Takes that do not tell are of the one that there was.
        look_s: value["look_s"].as_f64().filter(|s| (0.0..=1.0).contains(s)).unwrap_or(LOOK_S),
        sets: sets.collect::<Result<_>>()?,
        scene: Document::from_json(&value["scene"], place).map_err(|what| broken(&what))?,
    })
}

/// A take being rendered.
pub struct Replay {
    engine: Engine,
    limiter: Option<Limiter>,
    queue: Queue,
    /// Sound that came in, a vector per channel.
    input: Vec<Vec<f32>>,
    /// Outputs of the scenes to come, by tick.
    outputs: VecDeque<(u64, Directory)>,
    left: u64,
    hash: u64,
    wanted: u64,
}

impl Replay {
    /// Resolves every name of a take.
    pub fn new(take: &Take) -> Result<Self> {
        let Header { rate_hz, channels, .. } = take.header;
        let mut engine = Engine::new(take.header.build()?);
        if take.header.format == 1 {
            engine.play_as_at_first();
        }
        let mut directory = engine.scene().directory().clone();
        let limiter = take.header.limiter(&directory);
        let inputs = directory.inputs();
        let (mut queue, mut outputs) = (Queue::new(), VecDeque::new());
        for (line, entry) in take.entries.iter().enumerate() {
            let wrong = |what: String| Error::BadInput(format!("line {} of the take: {what}", line + 2));
            let mut command = entry.gesture.resolve(&directory).map_err(|e| wrong(e.to_string()))?.command;
            if let (Command::Replace { scene, .. }, Gesture::Load(text) | Gesture::Edit(text)) =
                (&mut command, &entry.gesture)
            {
                let built = build(text, rate_hz, channels)?;
                directory = built.directory().clone();
                // Of several at one tick only the last is ever heard, and so it was played.
                if outputs.back().is_some_and(|(at, _)| *at == entry.at) {
                    outputs.pop_back();
                }
                outputs.push_back((entry.at, directory.clone()));
                *scene = Some(Box::new(built));
            }
            queue.push(entry.at, command);
        }
        let channel = |channel| take.input.iter().skip(channel).step_by(inputs.max(1)).copied().collect();
        let input = (0..inputs).map(channel).collect();
        Ok(Self { engine, limiter, queue, input, outputs, left: take.ticks, hash: START, wanted: take.hash })
    }

    /// The engine behind it, to look at.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The next frames, interleaved, at most as many as fit; 0 at the end.
    pub fn render(&mut self, out: &mut [f32]) -> usize {
        let channels = self.engine.scene().channels();
        let frames = self.left.min((out.len() / channels) as u64) as usize;
        let (out, from) = (&mut out[..frames * channels], self.engine.tick() as usize);
        let part = |samples: &Vec<f32>| from.min(samples.len())..(from + frames).min(samples.len());
        let inputs: Vec<&[f32]> = self.input.iter().map(|samples| &samples[part(samples)]).collect();
        self.engine.render(&inputs, &mut self.queue, out);
        self.left -= frames as u64;
        while self.engine.retired().is_some() {}
        if let Some(limiter) = &mut self.limiter {
            let (mut done, end) = (from, from + frames);
            while self.outputs.front().is_some_and(|(at, _)| (*at as usize) < end)
                && let Some((at, next)) = self.outputs.pop_front()
            {
                let (begins, whole) = (at as usize - done, end - done);
                let rest = &mut out[(frames - whole) * channels..];
                limiter.limit(&mut rest[..begins * channels]);
                limiter.regroup(next.outputs());
                done += begins;
            }
            limiter.limit(&mut out[(done - from) * channels..]);
        }
        self.hash = out.iter().fold(self.hash, |hash, sample| hashed(hash, *sample));
        frames
    }

    /// At the end: every bit is as it was played.
    pub fn is_faithful(&self) -> bool {
        self.left == 0 && self.hash == self.wanted
    }
}
