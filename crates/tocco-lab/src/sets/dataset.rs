// SPDX-License-Identifier: MIT OR Apache-2.0
//! Data sets: `tocco dataset DESIGN -o DIR`. The sounds of a design with the truth about them, in shards.
//!
//! A shard is a tar file as WebDataset reads it: of every sound `NAME.wav`, `NAME.json` (labels, every physical quantity, modes)
//! and `NAME.truth.npy`, signals of the scene by the sample (float32, frames by signals: contact forces, energy). `dataset.json`
//! tells what the columns are. The sounds are those of `tocco sweep`, bit for bit; the shards do not depend on the number of
//! threads, and those that are whole stay when a run that was stopped goes on.

use super::{Condition, Stimulus, sidecar, stimulus};
use crate::atomic_file::{self, AtomicFile};
use crate::console::ProgressBar;
use crate::error::{Error, Result, bad};
use crate::measure::Fnv;
use crate::parallel::{self, NOBODY, Told};
use crate::render::{BUILD, VERSION, perform};
use crate::sets::design::Design;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use tocco::engine::Engine;
use tocco::scene::Scene;

const SOUNDS: &str = ".sounds";
const JOURNAL: &str = ".shards.tsv";

/// What a data set is made with.
#[derive(Clone, Debug)]
pub struct Manner {
    /// Sounds of a shard.
    pub shard: usize,
    /// Signals beside the sound; none: every contact's force, and the energy.
    pub truth: Vec<String>,
    /// Threads.
    pub threads: usize,
}

/// How it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Sounds in all.
    pub sounds: usize,
    /// Shards.
    pub shards: usize,
    /// Of these, shards that were there already.
    pub found: usize,
}

/// How far the shards are.
struct Steps<'a> {
    bar: ProgressBar,
    total: usize,
    done: AtomicUsize,
    told: Told<'a>,
}

impl Steps<'_> {
    /// One more sound is in its shard; an error if whoever is told wants no more.
    fn step(&self, name: &str) -> Result<()> {
        self.bar.step(name);
        let done = 1 + self.done.fetch_add(1, Ordering::Relaxed);
        (self.told)(self.total + done, 2 * self.total)
    }
}

/// Renders a design into shards.
pub fn run(design: &Design, folder: &Path, manner: &Manner) -> Result<Summary> {
    run_telling(design, folder, manner, NOBODY)
}

/// The same, and `told` is told twice of every sound: when it has been made or found, and when it is in its shard.
pub fn run_telling(design: &Design, folder: &Path, manner: &Manner, told: Told<'_>) -> Result<Summary> {
    if manner.shard == 0 {
        return bad("--shard 0: give sounds of a shard, 1 or more");
    }
    let conditions = design.conditions()?;
    let total = conditions.len() * design.repetitions;
    let (first, truth) = begin(design, &conditions, &manner.truth)?;
    let sounds = folder.join(SOUNDS);
    super::run_telling(design, &sounds, manner.threads, &|done, total| told(done, 2 * total))?;
    atomic_file::remove_leftovers(folder);
    let journal_path = folder.join(JOURNAL);
    let (lines, journal) = atomic_file::journal(&journal_path)?;
    let whole: HashMap<&str, &str> = lines.iter().filter_map(|line| line.split_once('\t')).collect();
    let bar = ProgressBar::new(total as u64, "sounds into shards");
    let steps = Steps { bar, total, done: AtomicUsize::new(0), told };
    let parts: Vec<Vec<usize>> = (0..total).collect::<Vec<_>>().chunks(manner.shard).map(<[usize]>::to_vec).collect();
    let made = parallel::run(parts.len(), manner.threads, |number| {
        let file = format!("{}-{number:06}.tar", design.name);
        let path = folder.join(&file);
        let shard = Shard { design, conditions: &conditions, truth: &truth, sounds: &sounds };
        let key = format!("{file} {:016x}", shard.print(&parts[number])?);
        let there = whole.get(&*key).is_some_and(|content| {
            atomic_file::file_hash(&path).map(|hash| format!("{hash:016x}")).as_deref() == Some(content)
        });
        if there {
            parts[number].iter().try_for_each(|_| steps.step(""))?;
            return Ok((file, true));
        }
        shard.write(&path, &parts[number], &steps)?;
        let content = atomic_file::file_hash(&path);
        let content = content.ok_or_else(|| Error::Machine(format!("cannot read {} back", path.display())))?;
        atomic_file::append_line(&journal, &journal_path, &format!("{key}\t{content:016x}"))?;
        Ok((file, false))
    })?;
    let labels = design.factors.iter().map(|factor| factor.name.as_str());
    let shards = made.iter().zip(&parts).map(|((file, _), part)| json!({ "file": file, "sounds": part.len() }));
    let facts = json!({
        "title": design.title,
        "program": VERSION,
        "sounds": total,
        "rate_hz": design.rate_hz.unwrap_or(design.scene.def.rate_hz),
        "channels": first.channels(),
        "labels": labels.collect::<Vec<_>>(),
        "derived": design.derived.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "truth": truth.iter().map(|name| json!({ "name": name, "unit": unit(name) })).collect::<Vec<_>>(),
        "members": { "wav": "the sound", "json": "labels, parameters, modes, level", "truth.npy": "float32, frames by truth" },
        "shards": shards.collect::<Vec<Value>>(),
    });
    let text = serde_json::to_string_pretty(&facts).unwrap_or_default() + "\n";
    atomic_file::write(&folder.join("dataset.json"), text.as_bytes())?;
    let manifest = fs::read(sounds.join("manifest.tsv")).map_err(|e| Error::reading(&sounds, &e))?;
    atomic_file::write(&folder.join("manifest.tsv"), &manifest)?;
    // Everything is in the shards now.
    let _ = fs::remove_dir_all(&sounds);
    let found = made.iter().filter(|(_, found)| *found).count();
    Ok(Summary { sounds: total, shards: made.len(), found })
}

/// Says what is wrong with a design or its truth, before any sound is made.
pub fn check(design: &Design, truth: &[String]) -> Result<()> {
    begin(design, &design.conditions()?, truth).map(|_| ())
}

/// The first scene, and the signals beside its sound.
fn begin(design: &Design, conditions: &[Condition], truth: &[String]) -> Result<(Scene, Vec<String>)> {
    let first = stimulus(design, conditions, 0)?.plan.build()?;
    let truth = if truth.is_empty() { known_truth(&first) } else { truth.to_vec() };
    for name in &truth {
        first.directory().probe(name).map_err(|error| Error::BadInput(format!("--truth {name}: {}", error.what)))?;
    }
    Ok((first, truth))
}

/// Every contact's force, and the energy.
fn known_truth(scene: &Scene) -> Vec<String> {
    let all = scene.directory().signals();
    all.into_iter().filter(|name| name.ends_with(".force") || name == "energy").collect()
}

/// By the last word of a signal's name.
fn unit(signal: &str) -> &'static str {
    match signal.rsplit('.').next().unwrap_or_default() {
        "force" => "N",
        "velocity" => "m/s",
        "position" => "m",
        "energy" | "given" | "had" => "J",
        _ => "1",
    }
}

/// Some sounds on their way into one file.
struct Shard<'a> {
    design: &'a Design,
    conditions: &'a [Condition],
    truth: &'a [String],
    sounds: &'a Path,
}

impl Shard<'_> {
    fn file(&self, index: usize) -> Result<Stimulus> {
        stimulus(self.design, self.conditions, index)
    }

    /// Of everything that its bytes depend on: sounds vouched for by their sidecars, and the truth beside them.
    fn print(&self, part: &[usize]) -> Result<u64> {
        let mut hash = Fnv::default();
        hash.add_bytes(format!("{BUILD} {:?}", self.truth).as_bytes());
        for index in part {
            let side = self.sounds.join(&self.file(*index)?.file).with_extension("json");
            let (key, content) = sidecar::key_of(&side).unwrap_or_default();
            hash.add_bytes(format!("{key} {content}").as_bytes());
        }
        Ok(hash.0)
    }

    fn write(&self, path: &Path, part: &[usize], steps: &Steps) -> Result<()> {
        let wrong = |e: std::io::Error| Error::writing(path, &e);
        let mut tar = Tar(BufWriter::new(AtomicFile::create(path)?));
        for index in part {
            let stimulus = self.file(*index)?;
            let wav = self.sounds.join(&stimulus.file);
            let read = |file: &Path| fs::read(file).map_err(|e| Error::reading(file, &e));
            let name = stimulus.file.trim_end_matches(".wav");
            tar.add(&format!("{name}.json"), &read(&wav.with_extension("json"))?).map_err(wrong)?;
            tar.add(&format!("{name}.truth.npy"), &self.truth_of(&stimulus)?).map_err(wrong)?;
            tar.add(&format!("{name}.wav"), &read(&wav)?).map_err(wrong)?;
            steps.step(name)?;
        }
        tar.end().map_err(wrong)?.keep()
    }

    /// The signals of a sound, by the sample, as a NumPy file.
    fn truth_of(&self, stimulus: &Stimulus) -> Result<Vec<u8>> {
        let mut engine = Engine::new(stimulus.plan.build()?);
        let probe = |name: &String| engine.scene().directory().probe(name);
        let probes = self.truth.iter().map(probe).collect::<std::result::Result<Vec<_>, _>>();
        let probes = probes.map_err(|error| Error::BadInput(format!("--truth: {}", error.what)))?;
        engine.watch(&probes);
        let mut values: Vec<u8> = Vec::new();
        let outcome = perform(&stimulus.plan, &mut engine, probes.len(), &mut |_| {}, &mut |_, rows| {
            values.extend(rows.iter().flat_map(|value| (*value as f32).to_le_bytes()));
            Ok(())
        })?;
        let mut file = npy_header(outcome.frames as usize, probes.len());
        file.extend(values);
        Ok(file)
    }
}

/// The beginning of a NumPy file (format 1.0) of float32, rows by columns.
fn npy_header(rows: usize, columns: usize) -> Vec<u8> {
    let dict = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    let length = (10 + dict.len() + 1).next_multiple_of(64) - 10;
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((length as u16).to_le_bytes());
    file.extend(format!("{dict:<width$}\n", width = length - 1).bytes());
    file
}

/// A tar file (POSIX ustar), written from front to back.
struct Tar<W: Write>(W);

const BLOCK: usize = 512;

impl Tar<BufWriter<AtomicFile>> {
    /// Two empty blocks are its end.
    fn end(mut self) -> std::io::Result<AtomicFile> {
        self.0.write_all(&[0; 2 * BLOCK])?;
        self.0.into_inner().map_err(std::io::IntoInnerError::into_error)
    }
}

impl<W: Write> Tar<W> {
    fn add(&mut self, name: &str, content: &[u8]) -> std::io::Result<()> {
        let mut head = [0_u8; BLOCK];
        let mut put = |at: usize, bytes: &[u8]| head[at..at + bytes.len()].copy_from_slice(bytes);
        if name.len() > 99 || content.len() >= 1 << 33 {
            return Err(std::io::Error::other(format!(
                "{name}: too long for a tar file; give the design a shorter name"
            )));
        }
        put(0, name.as_bytes());
        put(100, b"0000644\0");
        put(108, b"0000000\0");
        put(116, b"0000000\0");
        put(124, format!("{:011o}\0", content.len()).as_bytes());
        // No time: the same set is the same bytes.
        put(136, b"00000000000\0");
        // The sum is taken with spaces in its own place.
        put(148, b"        ");
        put(156, b"0");
        put(257, b"ustar\x0000");
        let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
        head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        self.0.write_all(&head)?;
        self.0.write_all(content)?;
        self.0.write_all(&vec![0; content.len().next_multiple_of(BLOCK) - content.len()])
    }
}
