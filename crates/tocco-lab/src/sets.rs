// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stimulus sets: `tocco sweep DESIGN.toml -o DIR`. A scene and a design become sounds of known physics and equal
//! loudness, a table of them, a sidecar per sound, orders of presentation and a listening test.
//!
//! One pass on all cores: every sound is rendered, measured, and written with its gain, first the WAV, then its sidecar,
//! which holds a key of everything the bytes depend on. Once a sound is found that all must be lowered for, the others are
//! only measured, and a second pass writes them all. What was measured is kept in a journal. A run that was stopped goes on
//! from both: what the journal knows is not measured again, and a file whose sidecar holds the right key is not written
//! again.

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
use crate::parallel;
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
    match DESIGNS.iter().find(|(known, _)| *known == name) {
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

/// Renders a design into `folder`.
pub fn run(design: &Design, folder: &Path, threads: usize) -> Result<Summary> {
    let stimuli = stimuli(design, threads)?;
    atomic_file::create_folder(folder)?;
    atomic_file::remove_leftovers(folder);
    let orders = orders(design, &stimuli);
    let mut places = vec![0; stimuli.len()];
    for (trial, &index) in orders[0].iter().enumerate() {
        places[index] = trial + 1;
    }
    let rows = Making { design, stimuli: &stimuli, places: &places, folder, threads }.all()?;
    let mut table = sidecar::heading(design);
    for (row, _) in &rows {
        table.push_str(row);
    }
    atomic_file::write(&folder.join("manifest.tsv"), table.as_bytes())?;
    write_orders(&stimuli, &orders, folder)?;
    if let Some(calibration) = design.calibration {
        write_tone(calibration.lufs, design, &stimuli[0].plan, folder)?;
    }
    page::write(design, &stimuli, folder)?;
    Ok(Summary { files: rows.len(), found: rows.iter().filter(|(_, found)| *found).count() })
}

/// Every sound of the design, each built once so that what is wrong is said before any is made.
fn stimuli(design: &Design, threads: usize) -> Result<Vec<Stimulus>> {
    let conditions = design.conditions()?;
    let total = conditions.len() * design.repetitions;
    let digits = total.to_string().len().max(3);
    parallel::run(total, threads, |index| {
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
    })
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
        let lower = AtomicBool::new(early.map(|found| own_gains(level, found)).any(|gains| lowers_all(&gains)));
        let kept = AtomicUsize::new(0);
        let bar = ProgressBar::new(count as u64, "sounds");
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
            Ok(Stage { found, own, row, take: Mutex::new(take) })
        })?;
        if !lower.load(Ordering::Relaxed) {
            return Ok(stages.into_iter().filter_map(|stage| stage.row).collect());
        }
        let most = stages.iter().fold(0.0, |m: f64, stage| m.max(stage.own.lowered_db));
        let bar = ProgressBar::new(count as u64, "files");
        parallel::run(count, self.threads, |index| {
            let Stage { found, own, take, .. } = &stages[index];
            let gains = Gains { db: own.db + own.lowered_db - most, lowered_db: most };
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
        let mut hash = Fnv(stimulus.print);
        hash.add_bytes(format!("{:?} {:?} {}", gains.db, design.encoding, design.title).as_bytes());
        let key = format!("{:016x}", hash.0);
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
fn orders(design: &Design, stimuli: &[Stimulus]) -> Vec<Vec<usize>> {
    let blocks = blocks(design, stimuli);
    (1..=design.listeners).map(|listener| order::order(&blocks, design.seed, listener)).collect()
}

/// The block of every sound.
pub(crate) fn blocks(design: &Design, stimuli: &[Stimulus]) -> Vec<usize> {
    let block = |stimulus: &Stimulus| match design.block {
        None => 0,
        Some(Block::Repetition) => stimulus.repetition - 1,
        Some(Block::Factor(place)) => stimulus.condition.levels[place],
    };
    stimuli.iter().map(block).collect()
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
