// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stimulus sets: `tocco sweep DESIGN.toml -o DIR`. A scene and a design become sounds of known physics and equal
//! loudness, a table of them, a sidecar per sound, orders of presentation and a listening test.
//!
//! One pass on all cores: every sound is rendered, measured, and written with its gain, first the WAV, then its sidecar,
//! which holds a key of everything the bytes depend on. Once a sound is found that all must be lowered for, the others are
//! only measured, and a second pass writes them all. What was measured is kept in a journal. A run that was stopped goes on
//! from both: what the journal knows is not measured again, and a file whose sidecar holds the right key is not written
//! again.

pub mod dataset;
pub mod design;
pub mod formula;
pub mod loudness;
pub mod order;
pub mod page;
mod read;
mod sidecar;

use crate::atomic_file;
use crate::console::ProgressBar;
use crate::error::{Error, Result, bad};
use crate::library;
use crate::measure::Fnv;
use crate::parallel::{self, NOBODY, Told};
use crate::render::{BUILD, Plan, VERSION, perform};
use crate::sweep::Summary;
use crate::wav::{Encoding, Format, Info, WavWriter};
use design::{Block, Condition, Design, MOST_S, is_design};
use loudness::{Loudness, Measure, Meters};
use sidecar::Physics;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tocco::engine::{Engine, Health};
use tocco::scene::def::Length;
use tocco::units::{db, gain};

/// Shipped designs: name and text, sorted by name.
pub const DESIGNS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/designs.rs"));
/// What designs were called before.
const BEFORE: [(&str, &str); 1] = [("materials-003", "materials-avanzini-2001")];

/// A shipped design by its name, or by one that it had: its name now, and its text.
pub fn shipped(name: &str) -> Option<(&'static str, &'static str)> {
    let name = BEFORE.iter().find(|(old, _)| *old == name).map_or(name, |(_, now)| now);
    DESIGNS.iter().find(|(known, _)| *known == name).copied()
}

const JOURNAL: &str = ".levels.tsv";
/// Sounds of the first pass stay in memory for a second up to so many samples (512 MiB).
const MOST_HELD: usize = 1 << 27;
/// The calibration tone: the frequency at which BS.1770 is stated, its reading at full scale, its length.
const TONE_HZ: f64 = 997.0;
const TONE_LUFS: f64 = -3.01;
const TONE_S: f64 = 20.0;

/// The design behind a name: a file, a shipped design, or nothing if the name stands for a scene.
pub fn load(name: &str) -> Result<Option<Design>> {
    let path = Path::new(name);
    if path.is_file() {
        let text = library::read(path)?;
        if !is_design(&text) {
            return Ok(None);
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        return Design::from_text(&stem, name, &text, path.parent()).map(Some);
    }
    match shipped(name) {
        Some((known, text)) => Design::from_text(known, &format!("design {known}"), text, None).map(Some),
        None => Ok(None),
    }
}

/// One sound to make.
pub(crate) struct Stimulus {
    pub file: String,
    pub condition: Condition,
    pub repetition: usize,
    pub plan: Plan,
    /// Of everything its samples depend on.
    print: u64,
}

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    pub loudness: Loudness,
    pub frames: u64,
    pub health: Health,
    pub cut: bool,
}

/// Gains of one sound, dB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gains {
    /// Applied to the scene's own level.
    pub db: f64,
    /// By how much it misses the loudness asked for, so that no peak passes the ceiling.
    pub lowered_db: f64,
}

impl Gains {
    /// The same where all are lowered by as much.
    fn lowered_to(self, lowered_db: Option<f64>) -> Self {
        lowered_db.map_or(self, |most| Self { db: self.db + self.lowered_db - most, lowered_db: most })
    }
}

/// Of everything that the bytes of a file depend on.
fn key(design: &Design, stimulus: &Stimulus, gains: Gains) -> String {
    let mut hash = Fnv(stimulus.print);
    hash.add_bytes(format!("{:?} {:?} {}", gains.db, design.encoding, design.title).as_bytes());
    format!("{:016x}", hash.0)
}

/// Renders a design into `folder`.
pub fn run(design: &Design, folder: &Path, threads: usize) -> Result<Summary> {
    run_telling(design, folder, threads, NOBODY)
}

/// The same, and `told` is told of every sound that has been made or found.
pub fn run_telling(design: &Design, folder: &Path, threads: usize, told: Told<'_>) -> Result<Summary> {
    let conditions = design.conditions()?;
    let total = conditions.len() * design.repetitions;
    let stimuli = parallel::run(total, threads, |index| stimulus(design, &conditions, index))?;
    atomic_file::create_folder(folder)?;
    atomic_file::remove_leftovers(folder);
    let orders = orders(design, &conditions);
    let places = places(&orders[0]);
    let rows = Making { design, stimuli: &stimuli, places: &places, folder, threads, lowered_db: None, told }.all()?;
    let mut table = sidecar::heading(design);
    for (row, _) in &rows {
        table.push_str(row);
    }
    atomic_file::write(&folder.join("manifest.tsv"), table.as_bytes())?;
    write_orders(&stimuli, &orders, folder)?;
    if let Some(calibration) = design.calibration {
        write_tone(calibration.lufs, design, &stimuli[0].plan, folder)?;
    }
    page::write(design, &stimuli, &blocks(design, &conditions), folder)?;
    Ok(Summary { files: rows.len(), found: rows.iter().filter(|(_, found)| *found).count() })
}

/// What of a set is not in a folder yet, for others to make.
#[derive(Clone, Debug, PartialEq)]
pub struct Left {
    /// Sounds of the set.
    pub total: usize,
    /// Numbers of those that are missing.
    pub sounds: Vec<usize>,
    /// By how much all are lowered, if that is known, dB.
    pub lowered_db: Option<f64>,
}

/// Looks what is left to make. Every sound is built once, so that what is wrong is said before any is made.
pub fn left(design: &Design, folder: &Path, threads: usize) -> Result<Left> {
    let conditions = design.conditions()?;
    let total = conditions.len() * design.repetitions;
    let stimuli = parallel::run(total, threads, |index| stimulus(design, &conditions, index))?;
    atomic_file::create_folder(folder)?;
    let level = design.level;
    let (lines, _) = atomic_file::journal(&folder.join(JOURNAL))?;
    let known: HashMap<u64, Found> = lines.iter().filter_map(|line| journal_row(line, level.measure)).collect();
    let own = |stimulus: &Stimulus| known.get(&stimulus.print).map(|found| own_gains(level, found));
    let lowered = |most: f64, stimulus: &Stimulus| most.max(own(stimulus).map_or(0.0, |gains| gains.lowered_db));
    let lowered_db = Some(stimuli.iter().fold(0.0, lowered)).filter(|most| level.lower_all && *most > 0.0);
    let there = |stimulus: &Stimulus| {
        own(stimulus).is_some_and(|own| {
            let path = folder.join(&stimulus.file);
            let key = key(design, stimulus, own.lowered_to(lowered_db));
            let content = atomic_file::file_hash(&path).map(|content| format!("{content:016x}"));
            content.is_some_and(|content| sidecar::key_of(&path.with_extension("json")) == Some((key, content)))
        })
    };
    let sounds = (0..total).filter(|index| !there(&stimuli[*index])).collect();
    Ok(Left { total, sounds, lowered_db })
}

/// Makes some sounds of a set in a folder, without its tables: the files and the journal that [`run`] looks for. Where all are
/// lowered, by `lowered_db` at least.
pub fn share(design: &Design, folder: &Path, only: &[usize], lowered_db: Option<f64>) -> Result<()> {
    let conditions = design.conditions()?;
    let total = conditions.len() * design.repetitions;
    if let Some(beyond) = only.iter().find(|index| **index >= total) {
        return bad(format!("{}: no sound {beyond} among {total}", design.origin));
    }
    let order = order::order(&blocks(design, &conditions), design.seed, 1);
    let all = places(&order);
    let (stimuli, places): (Vec<_>, Vec<_>) = only
        .iter()
        .map(|index| Ok((stimulus(design, &conditions, *index)?, all[*index])))
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .unzip();
    atomic_file::create_folder(folder)?;
    Making { design, stimuli: &stimuli, places: &places, folder, threads: 1, lowered_db, told: NOBODY }
        .all()
        .map(|_| ())
}

/// One sound of the design, built once so that what is wrong is said before any is made.
fn stimulus(design: &Design, conditions: &[Condition], index: usize) -> Result<Stimulus> {
    let digits = (conditions.len() * design.repetitions).to_string().len().max(3);
    let (repetition, condition) = (index / conditions.len(), &conditions[index % conditions.len()]);
    let (mut def, sets) = design.scene_of(condition)?;
    def.seed = def.seed.wrapping_add(repetition as u64);
    let mut scene = design.scene.clone();
    scene.text = String::new();
    scene.def = def;
    let mut plan = Plan::new(scene);
    plan.rate_hz = design.rate_hz.unwrap_or(plan.rate_hz);
    plan.length = design.length.unwrap_or(plan.length);
    plan.sets = sets;
    let built = plan.build().map_err(|e| design.blame(condition, &e))?;
    if plan.scene.def.taps.is_empty() {
        return bad(format!("{}: scene {}: nothing is heard; add a [[tap]]", design.origin, design.scene.name));
    }
    Format::new(built.channels(), plan.rate_hz, design.encoding)?;
    let print = fingerprint(&plan, design);
    let file = format!("{}-{:0digits$}.wav", design.name, index + 1);
    Ok(Stimulus { file, condition: condition.clone(), repetition: repetition + 1, plan, print })
}

/// Where each sound comes in an order, from 1.
fn places(order: &[usize]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    for (trial, &index) in order.iter().enumerate() {
        places[index] = trial + 1;
    }
    places
}

/// Everything the samples of a sound depend on, and how its loudness is taken.
fn fingerprint(plan: &Plan, design: &Design) -> u64 {
    let mut hash = Fnv::default();
    let def = &plan.scene.def;
    hash.add_bytes(def.to_toml().as_bytes());
    let rest = format!("{BUILD} {} {:?} {:?} {:?}", plan.rate_hz, plan.length, plan.sets, design.level.measure);
    hash.add_bytes(rest.as_bytes());
    hash.add_drives(def);
    hash.0
}

/// A sound in memory and what it was made of.
struct Take {
    samples: Vec<f32>,
    physics: Physics,
}

/// Renders a sound into memory.
fn sound(stimulus: &Stimulus, design: &Design, meters: &mut Meters) -> Result<(Take, Found)> {
    let plan = &stimulus.plan;
    let scene = plan.build()?;
    let physics = Physics::of(&scene);
    let mut engine = Engine::new(scene);
    let channels = physics.channels;
    let most = (MOST_S * plan.rate_hz) as usize * channels;
    let mut samples: Vec<f32> = Vec::new();
    if let Length::Seconds(seconds) = plan.length {
        samples.reserve_exact(((seconds * plan.rate_hz).ceil() as usize * channels).min(most));
    }
    let outcome = perform(plan, &mut engine, 0, &mut |_| {}, &mut |block, _| {
        if samples.len() + block.len() > most {
            return bad(format!("{}: a sound of a set lasts at most {MOST_S} s; shorten duration_s", design.origin));
        }
        samples.extend_from_slice(block);
        Ok(())
    })?;
    let loudness = meters.read(&samples, outcome.level.peak, (channels, plan.rate_hz), design.level.measure)?;
    let found = Found { loudness, frames: outcome.frames, health: outcome.health, cut: outcome.cut };
    Ok((Take { samples, physics }, found))
}

/// A set in the making.
struct Making<'a> {
    design: &'a Design,
    stimuli: &'a [Stimulus],
    /// Places in the first listener's order.
    places: &'a [usize],
    folder: &'a Path,
    threads: usize,
    /// All are lowered by this at least, for others that are not among these, dB.
    lowered_db: Option<f64>,
    told: Told<'a>,
}

/// The row of the table, and whether the file was there.
type Row = (String, bool);

/// A sound after the first pass.
struct Stage {
    found: Found,
    own: Gains,
    /// None: others must be known before it can be written.
    row: Option<Row>,
    take: Mutex<Option<Take>>,
}

impl Making<'_> {
    fn all(&self) -> Result<Vec<Row>> {
        let journal_path = self.folder.join(JOURNAL);
        let (count, level) = (self.stimuli.len(), self.design.level);
        let (lines, journal) = atomic_file::journal(&journal_path)?;
        let known: HashMap<u64, Found> = lines.iter().filter_map(|line| journal_row(line, level.measure)).collect();
        let lowers_all = |gains: &Gains| level.lower_all && gains.lowered_db > 0.0;
        let early = self.stimuli.iter().filter_map(|stimulus| known.get(&stimulus.print));
        let early = early.map(|found| own_gains(level, found)).any(|gains| lowers_all(&gains));
        let lower = AtomicBool::new(early || self.lowered_db.is_some());
        let kept = AtomicUsize::new(0);
        let (bar, done) = (ProgressBar::new(count as u64, "sounds"), AtomicUsize::new(0));
        let stages = parallel::run_with(count, self.threads, |meters, index| {
            let stimulus = &self.stimuli[index];
            let (found, take) = match known.get(&stimulus.print) {
                Some(found) => (found.clone(), None),
                None => {
                    let (take, found) = sound(stimulus, self.design, meters)?;
                    atomic_file::append_line(&journal, &journal_path, &journal_line(stimulus.print, &found))?;
                    (found, Some(take))
                }
            };
            self.audible(stimulus, &found)?;
            let own = own_gains(level, &found);
            if lowers_all(&own) {
                lower.store(true, Ordering::Relaxed);
            }
            let (row, take) = if lower.load(Ordering::Relaxed) {
                let long = take.as_ref().map_or(0, |take| take.samples.len());
                let fits = kept.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |all| {
                    Some(all + long).filter(|s| *s <= MOST_HELD)
                });
                (None, take.filter(|_| fits.is_ok()))
            } else {
                (Some(self.write(index, &found, own, take)?), None)
            };
            bar.step(&stimulus.file);
            (self.told)(done.fetch_add(1, Ordering::Relaxed) + 1, count)?;
            Ok(Stage { found, own, row, take: Mutex::new(take) })
        })?;
        if !lower.load(Ordering::Relaxed) {
            return Ok(stages.into_iter().filter_map(|stage| stage.row).collect());
        }
        let most = stages.iter().fold(self.lowered_db.unwrap_or(0.0), |m: f64, stage| m.max(stage.own.lowered_db));
        let bar = ProgressBar::new(count as u64, "files");
        parallel::run(count, self.threads, |index| {
            let Stage { found, own, take, .. } = &stages[index];
            let gains = own.lowered_to(Some(most));
            let take = take.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
            let row = self.write(index, found, gains, take)?;
            bar.step(&self.stimuli[index].file);
            Ok(row)
        })
    }

    /// Refuses silence where a loudness is asked for.
    fn audible(&self, stimulus: &Stimulus, found: &Found) -> Result<()> {
        if self.design.level.lufs.is_none_or(|lufs| found.loudness.gain_for(lufs).is_some()) {
            return Ok(());
        }
        bad(format!(
            "{}: {} ({}) is silent: no loudness can be matched; does anything strike, and does a tap hear it?",
            self.design.origin,
            stimulus.file,
            self.design.words(&stimulus.condition.levels)
        ))
    }

    /// Writes one WAV and its sidecar, unless both are there.
    fn write(&self, index: usize, found: &Found, gains: Gains, take: Option<Take>) -> Result<Row> {
        let (design, stimulus) = (self.design, &self.stimuli[index]);
        let facts = (found, gains, self.places[index]);
        let path = self.folder.join(&stimulus.file);
        let side = path.with_extension("json");
        let key = key(design, stimulus, gains);
        let row = sidecar::row(design, stimulus, facts, &key);
        let text = |physics: &Physics, content: u64| {
            sidecar::json(design, stimulus, physics, facts, &key, &format!("{content:016x}"))
        };
        if let Some(content) = atomic_file::file_hash(&path)
            && sidecar::key_of(&side) == Some((key.clone(), format!("{content:016x}")))
        {
            // The order of presentation may be another than when the file was made.
            let text = text(&Physics::of(&stimulus.plan.build()?), content);
            if fs::read_to_string(&side).ok().as_deref() != Some(&text) {
                atomic_file::write(&side, text.as_bytes())?;
            }
            return Ok((row, true));
        }
        let Take { mut samples, physics } = match take {
            Some(take) => take,
            None => sound(stimulus, design, &mut Meters::default())?.0,
        };
        let factor = gain(gains.db);
        for x in &mut samples {
            *x = (f64::from(*x) * factor) as f32;
        }
        // An old sidecar must not vouch for a new sound if we are stopped between the two.
        match fs::remove_file(&side) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(Error::writing(&side, &e)),
            _ => {}
        }
        let words = format!("{}; {}", design.title, design.words(&stimulus.condition.levels));
        let info = vec![(*b"INAM", words), (*b"ISFT", VERSION.to_owned())];
        let format = Format::new(physics.channels, stimulus.plan.rate_hz, design.encoding)?;
        let (over, content) = write_wav(&path, format, info, &samples, stimulus.plan.scene.def.seed)?;
        if over > 0 {
            // The ceiling is at most 0 dBTP, so this cannot be; better loud than wrong.
            return Err(Error::Machine(format!("{}: {over} samples clipped; please report this", path.display())));
        }
        atomic_file::write(&side, text(&physics, content).as_bytes())?;
        Ok((row, false))
    }
}

fn journal_line(print: u64, found: &Found) -> String {
    let Found { loudness: l, frames, health: h, cut } = found;
    format!(
        "{print:016x}\t{}\t{:?}\t{:?}\t{frames}\t{}\t{}\t{}\t{}\t{cut}",
        l.blocks.iter().map(|block| format!("{block:?},")).collect::<String>(),
        l.true_peak,
        l.peak,
        h.unconverged,
        h.refused,
        h.reset,
        h.omitted
    )
}

/// A level by its fingerprint.
fn journal_row(line: &str, measure: Measure) -> Option<(u64, Found)> {
    let words: Vec<&str> = line.split('\t').collect();
    let [print, blocks, true_peak, peak, frames, unconverged, refused, reset, omitted, cut] = words[..] else {
        return None;
    };
    let health = Health {
        unconverged: unconverged.parse().ok()?,
        refused: refused.parse().ok()?,
        reset: reset.parse().ok()?,
        omitted: omitted.parse().ok()?,
        ..Health::default()
    };
    let blocks = blocks.split_terminator(',').map(|block| block.parse().ok()).collect::<Option<Vec<f64>>>()?;
    let (true_peak, peak): (f64, f64) = (true_peak.parse().ok()?, peak.parse().ok()?);
    let loud = |x: &f64| x.is_finite() && *x >= 0.0;
    if blocks.iter().any(|db| db.is_nan() || *db > 1e6) || !loud(&true_peak) || !loud(&peak) {
        return None;
    }
    let loudness = Loudness { measure, blocks, true_peak, peak };
    let found = Found { loudness, frames: frames.parse().ok()?, health, cut: cut.parse().ok()? };
    Some((u64::from_str_radix(print, 16).ok()?, found))
}

/// Gains that bring a sound to the loudness asked for without passing the ceiling.
fn own_gains(level: design::Level, found: &Found) -> Gains {
    let l = &found.loudness;
    let wanted = level.lufs.and_then(|lufs| l.gain_for(lufs)).unwrap_or(0.0);
    let over = if l.true_peak > 0.0 { db(l.true_peak) + wanted - level.peak_dbtp } else { 0.0 };
    let lowered_db = over.max(0.0);
    Gains { db: wanted - lowered_db, lowered_db }
}

/// Orders of presentation, one per listener.
fn orders(design: &Design, conditions: &[Condition]) -> Vec<Vec<usize>> {
    let blocks = blocks(design, conditions);
    (1..=design.listeners).map(|listener| order::order(&blocks, design.seed, listener)).collect()
}

/// The block of every sound.
pub(crate) fn blocks(design: &Design, conditions: &[Condition]) -> Vec<usize> {
    let block = |index: usize| match design.block {
        None => 0,
        Some(Block::Repetition) => index / conditions.len(),
        Some(Block::Factor(place)) => conditions[index % conditions.len()].levels[place],
    };
    (0..conditions.len() * design.repetitions).map(block).collect()
}

fn write_orders(stimuli: &[Stimulus], orders: &[Vec<usize>], folder: &Path) -> Result<()> {
    let mut text = String::from("listener\ttrial\tfile\n");
    for (listener, order) in orders.iter().enumerate() {
        for (trial, &index) in order.iter().enumerate() {
            text.push_str(&format!("{}\t{}\t{}\n", listener + 1, trial + 1, stimuli[index].file));
        }
    }
    atomic_file::write(&folder.join("order.tsv"), text.as_bytes())
}

/// Writes a sound whole. Gives the samples beyond full scale and the hash of the file.
fn write_wav(path: &Path, format: Format, info: Info, samples: &[f32], seed: u64) -> Result<(u64, u64)> {
    let wrong = |e: std::io::Error| Error::writing(path, &e);
    let frames = samples.len() / usize::from(format.channels);
    format.check_length(frames as f64)?;
    let mut wav = WavWriter::new(Vec::new(), format, info, frames as u64, seed).map_err(wrong)?;
    for block in samples.chunks(4096 * usize::from(format.channels)) {
        wav.write(block).map_err(wrong)?;
    }
    let over = wav.over();
    let (bytes, _) = wav.finish().map_err(wrong)?;
    atomic_file::write(path, &bytes)?;
    Ok((over, atomic_file::hash(&bytes)))
}

/// A sine whose loudness is the calibration's: set the volume until it reads the level that was stated.
fn write_tone(lufs: f64, design: &Design, plan: &Plan, folder: &Path) -> Result<()> {
    let amplitude = gain(lufs - TONE_LUFS);
    let turn = std::f64::consts::TAU * TONE_HZ / plan.rate_hz;
    let frames = (TONE_S * plan.rate_hz) as usize;
    let samples: Vec<f32> = (0..frames).map(|i| (amplitude * tocco::math::sin(turn * i as f64)) as f32).collect();
    let encoding = if design.encoding == Encoding::Int16 { Encoding::Int24 } else { design.encoding };
    let format = Format::new(1, plan.rate_hz, encoding)?;
    let info = vec![(*b"INAM", format!("calibration tone, {lufs} LUFS")), (*b"ISFT", VERSION.to_owned())];
    write_wav(&folder.join("calibration.wav"), format, info, &samples, 1).map(|_| ())
}

/// Largest sample as written, dBFS.
pub(crate) fn peak_dbfs(found: &Found, gains: &Gains) -> f64 {
    db(found.loudness.peak) + gains.db
}
