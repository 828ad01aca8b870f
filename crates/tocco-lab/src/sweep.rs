// SPDX-License-Identifier: MIT OR Apache-2.0
//! One scene, many values: every combination rendered to its own file, with a table of what came out.
//!
//! The order of the table, the names and the bits of the files do not depend on the number of threads. A sweep that was
//! interrupted goes on where it stopped: a journal beside the files holds the row of each finished one, under a
//! fingerprint of everything its sound depends on.

use crate::atomic_file;
use crate::console::ProgressBar;
use crate::error::{Error, Result, bad};
use crate::measure::Fnv;
use crate::parallel::{self, NOBODY, Told};
use crate::range::Range;
use crate::render::{BUILD, Manner, Plan, Target, set, to_wav};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// More files than this are a mistake in the ranges.
pub const MOST_FILES: usize = 100_000;
const JOURNAL: &str = ".journal.tsv";

/// One swept path with its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// A live path.
    pub path: String,
    /// Its values in order.
    pub values: Vec<f64>,
}

impl Axis {
    /// Reads what was typed after `--over`: [`Range::parse`].
    pub fn parse(text: &str) -> Result<Self> {
        let range = Range::parse("--over", text, MOST_FILES)?;
        Ok(Self { values: range.values.all(), path: range.path })
    }
}

/// Every combination, the last axis fastest.
pub fn combinations(axes: &[Axis]) -> Result<Vec<Vec<f64>>> {
    let total = axes.iter().try_fold(1_usize, |total, axis| total.checked_mul(axis.values.len()));
    match total {
        Some(total) if total <= MOST_FILES => {}
        _ => return bad(format!("this sweep has more than {MOST_FILES} files; take fewer values")),
    }
    let mut all = vec![Vec::new()];
    for axis in axes {
        all = all.iter().flat_map(|head| axis.values.iter().map(move |v| [head.as_slice(), &[*v]].concat())).collect();
    }
    Ok(all)
}

/// How a sweep went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Files in the manifest.
    pub files: usize,
    /// Of these, files that were there already.
    pub found: usize,
}

/// A sweep: what is rendered, over what, how it is written.
pub struct Sweep<'a> {
    plan: &'a Plan,
    axes: &'a [Axis],
    manner: &'a Manner,
    points: Vec<Vec<f64>>,
    told: Told<'a>,
}

impl<'a> Sweep<'a> {
    /// Every value is tried before any sound is made.
    pub fn new(plan: &'a Plan, axes: &'a [Axis], manner: &'a Manner) -> Result<Self> {
        for (i, axis) in axes.iter().enumerate() {
            if axes[..i].iter().any(|other| other.path == axis.path) {
                return bad(format!("--over {}: given twice", axis.path));
            }
            let mut scene = plan.build()?;
            for &value in &axis.values {
                set(&mut scene, &axis.path, value)
                    .map_err(|e| Error::BadInput(e.to_string().replace("--set", "--over")))?;
            }
        }
        Ok(Self { plan, axes, manner, points: combinations(axes)?, told: NOBODY })
    }

    /// The same, and this is told of every sound that is there.
    pub fn telling(self, told: Told<'a>) -> Self {
        Self { told, ..self }
    }

    /// Number of its sounds.
    pub fn total(&self) -> usize {
        self.points.len()
    }

    /// Renders all of them into `folder` and writes `manifest.tsv`.
    pub fn run(&self, folder: &Path, threads: usize) -> Result<Summary> {
        let all: Vec<usize> = (0..self.total()).collect();
        let rows = self.make(folder, &all, threads, Target::File)?;
        let paths: String = self.axes.iter().map(|axis| format!("{}\t", axis.path)).collect();
        let mut table = format!("file\t{paths}{MADE}\n");
        for (row, _) in &rows {
            table.push_str(row);
        }
        atomic_file::write(&folder.join("manifest.tsv"), table.as_bytes())?;
        Ok(Summary { files: rows.len(), found: rows.iter().filter(|(_, found)| *found).count() })
    }

    /// Numbers of the sounds that are not in the folder yet.
    pub fn left(&self, folder: &Path) -> Result<Vec<usize>> {
        atomic_file::create_folder(folder)?;
        let (lines, _) = atomic_file::journal(&folder.join(JOURNAL))?;
        let known = known(&lines);
        let there = |index: &usize| self.made(*index, folder, &known).is_some();
        Ok((0..self.total()).filter(|index| !there(index)).collect())
    }

    /// Renders some of them into `folder`, without the table, for a [`Sweep::run`] that will check them: their rows, and whether they
    /// were there.
    pub fn share(&self, folder: &Path, only: &[usize], threads: usize) -> Result<Vec<(String, bool)>> {
        self.make(folder, only, threads, Target::Checked)
    }

    fn make(
        &self,
        folder: &Path,
        only: &[usize],
        threads: usize,
        target: fn(PathBuf) -> Target,
    ) -> Result<Vec<(String, bool)>> {
        if let Some(beyond) = only.iter().find(|index| **index >= self.total()) {
            return bad(format!("no sound {beyond} among {}", self.total()));
        }
        atomic_file::create_folder(folder)?;
        atomic_file::remove_leftovers(folder);
        let journal_path = folder.join(JOURNAL);
        let (lines, journal) = atomic_file::journal(&journal_path)?;
        let known = known(&lines);
        let (bar, done) = (ProgressBar::new(only.len() as u64, "files"), AtomicUsize::new(0));
        let step = |file: &str| {
            bar.step(file);
            (self.told)(done.fetch_add(1, Ordering::Relaxed) + 1, only.len())
        };
        parallel::run(only.len(), threads, |at| {
            let (index, (file, plan)) = (only[at], self.sound(only[at]));
            let values: String = self.points[index].iter().map(|v| format!("{v:?}\t")).collect();
            let row = |made: &str| format!("{file}\t{values}{made}\n");
            if let Some(made) = self.made(index, folder, &known) {
                step("")?;
                return Ok((row(made), true));
            }
            let path = folder.join(&file);
            let report = to_wav(&plan, &target(path.clone()), self.manner, false)?;
            let health = report.health;
            let made = format!(
                "{}\t{:?}\t{:?}\t{:?}\t{}\t{}\t{}\t{}",
                plan.scene.def.seed,
                report.seconds(),
                report.level.peak,
                report.level.rms(),
                report.over,
                health.unconverged,
                health.refused,
                health.reset
            );
            let content = atomic_file::file_hash(&path);
            let content = content.ok_or_else(|| Error::Machine(format!("cannot read {} back", path.display())))?;
            let print = fingerprint(&plan, self.manner);
            atomic_file::append_line(&journal, &journal_path, &format!("{file} {print:016x}\t{content:016x}\t{made}"))?;
            step(&file)?;
            Ok((row(&made), false))
        })
    }

    /// The file of a sound, and how it is made.
    fn sound(&self, index: usize) -> (String, Plan) {
        let digits = self.total().to_string().len().max(3);
        let mut plan = self.plan.clone();
        plan.sets.extend(self.axes.iter().map(|axis| axis.path.clone()).zip(self.points[index].iter().copied()));
        (format!("{}-{:0digits$}.wav", plan.scene.name, index + 1), plan)
    }

    /// What the journal says of a sound whose file is whole.
    fn made<'j>(&self, index: usize, folder: &Path, known: &HashMap<&str, (u64, &'j str)>) -> Option<&'j str> {
        if known.is_empty() {
            return None; // a fingerprint takes as long as a short sound
        }
        let (file, plan) = self.sound(index);
        let key = format!("{file} {:016x}", fingerprint(&plan, self.manner));
        let (content, made) = known.get(&*key)?;
        (atomic_file::file_hash(&folder.join(&file)) == Some(*content)).then_some(made)
    }
}

/// Renders every combination of `axes` into `folder` and writes `manifest.tsv`.
pub fn run(plan: &Plan, axes: &[Axis], manner: &Manner, folder: &Path, threads: usize) -> Result<Summary> {
    Sweep::new(plan, axes, manner)?.run(folder, threads)
}

fn known(lines: &[String]) -> HashMap<&str, (u64, &str)> {
    lines.iter().filter_map(|line| journal_row(line)).collect()
}

/// What the manifest says of a sound besides its values.
const MADE: &str = "seed\tduration_s\tpeak\trms\tclipped\tunconverged\trefused\treset";

/// A line of the journal: file and fingerprint, what the file holds, what the manifest says of it.
fn journal_row(line: &str) -> Option<(&str, (u64, &str))> {
    let (key, rest) = line.split_once('\t')?;
    let (content, made) = rest.split_once('\t')?;
    // It goes into the manifest as it stands.
    let number = |cell: &str| cell.parse().is_ok_and(|x: f64| x.is_finite());
    let whole = made.split('\t').count() == MADE.split('\t').count() && made.split('\t').all(number);
    whole.then_some((key, (u64::from_str_radix(content, 16).ok()?, made)))
}

/// Everything the bits of a file depend on.
fn fingerprint(plan: &Plan, manner: &Manner) -> u64 {
    let mut hash = Fnv::default();
    let def = &plan.scene.def;
    hash.add_bytes(plan.scene.text.as_bytes());
    let rest = format!(
        "{BUILD} {} {:?} {:?} {:?} {:?} {:?} {:?}",
        def.seed, plan.rate_hz, plan.length, plan.sets, manner.encoding, manner.gain_db, manner.normalise_dbfs
    );
    hash.add_bytes(rest.as_bytes());
    hash.add_drives(def);
    hash.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hit_their_ends_exactly_and_log_steps_by_equal_ratios() {
        let axis = Axis::parse("hit/stiffness=1e5..1e9,5,log").unwrap();
        assert_eq!(axis.path, "hit/stiffness");
        assert_eq!((axis.values[0], axis.values[4]), (1e5, 1e9));
        assert!(axis.values.windows(2).all(|w| (w[1] / w[0] / 10.0 - 1.0).abs() < 1e-12));
    }

    #[test]
    fn every_combination_comes_once_the_last_axis_fastest() {
        let axes = [Axis::parse("a=1,2").unwrap(), Axis::parse("b=5,6,7").unwrap()];
        let all = combinations(&axes).unwrap();
        assert_eq!(all.len(), 6);
        assert_eq!(all[..4], [vec![1.0, 5.0], vec![1.0, 6.0], vec![1.0, 7.0], vec![2.0, 5.0]]);
        let axis = Axis::parse("a=0..1,1000").unwrap();
        assert!(combinations(&[axis.clone(), axis]).is_err());
    }
}
