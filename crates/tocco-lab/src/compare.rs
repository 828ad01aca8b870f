// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco compare`: a sound beside another, beside a folder of recordings, or beside what was measured of real ones; and every shipped
//! scene beside recordings of its kind. Why a sound is not right, in ten numbers ([`mod@describe`]).

pub mod describe;
pub mod recorded;

use crate::analyse::read::Recording;
use crate::bench::TemporaryFolder;
use crate::console::one_line;
use crate::error::{Error, Result, bad};
use crate::plot::{Figure, Look, Panel, Series};
use crate::render::{Manner, Plan, Target, to_wav};
use crate::wav::Encoding;
use crate::{library, parallel};
use describe::{ALL, Described, Descriptor, OCTAVES_HZ, describe, difference_db, quantile};
use recorded::Row;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tocco::math::ln;
use tocco::scene::error::nearest;

/// Fewest values of which a range is made.
const FEWEST: usize = 4;
/// Descriptors within the range of recordings that make a scene like them.
pub const ENOUGH: usize = 7;

/// From where to where a number goes in recordings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// A tenth is below.
    pub low: f64,
    /// Half is below.
    pub middle: f64,
    /// A tenth is above.
    pub high: f64,
}

impl Range {
    fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let at = |part: f64| quantile(&values, part);
        (values.len() >= FEWEST).then_some(Self { low: at(0.1)?, middle: at(0.5)?, high: at(0.9)? })
    }

    fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// What a sound is compared with.
#[derive(Clone, Debug)]
pub struct Beside {
    /// How it is called.
    pub name: String,
    /// How many sounds it is.
    pub files: usize,
    /// Of each descriptor, if there were enough sounds that have it; of one sound, its value.
    pub ranges: [Option<Range>; 10],
    /// Of each octave's T60.
    pub octaves: [Option<Range>; 7],
    /// Third octaves of one sound, or their middle over several; none where only numbers are known.
    thirds_db: Vec<f64>,
}

impl Beside {
    /// Of several sounds: names tell which of them repeat a stroke.
    pub fn of(name: String, sounds: &[(String, Described)]) -> Self {
        let one = sounds.len() == 1;
        let range = |values: Vec<f64>| match (one, values.as_slice()) {
            (true, [x]) => Some(Range { low: *x, middle: *x, high: *x }),
            _ => Range::of(values),
        };
        let mut ranges: [Option<Range>; 10] =
            core::array::from_fn(|k| range(sounds.iter().filter_map(|(_, d)| d.values[k]).collect()));
        if !one {
            ranges[9] = Range::of(repeated(sounds));
        }
        let octaves = core::array::from_fn(|k| range(sounds.iter().filter_map(|(_, d)| d.octaves_s[k]).collect()));
        let bands = sounds.iter().map(|(_, d)| d.thirds_db.len()).min().unwrap_or(0);
        let middle = |k: usize| describe::middle(sounds.iter().map(|(_, d)| d.thirds_db[k]).collect());
        let thirds_db = (0..bands).filter_map(middle).collect();
        Self { name, files: sounds.len(), ranges, octaves, thirds_db }
    }

    /// What was measured of real recordings, by label.
    pub fn recorded(label: &str) -> Option<Self> {
        let rows: Vec<Row> = recorded::rows().into_iter().filter(|row| row.label == label).collect();
        let found = |id: &str| rows.iter().find(|row| row.id == id).map(Row::range);
        let octave = |low_hz: f64| found(&format!("t60_{low_hz}"));
        Some(Self {
            name: label.to_owned(),
            files: rows.first()?.files,
            ranges: ALL.map(|descriptor| found(descriptor.id)),
            octaves: OCTAVES_HZ.map(octave),
            thirds_db: Vec::new(),
        })
    }
}

/// A name without the number of its take: `drum_ff_2`, `drum_rr2_far` and `drum_r02` are takes, `drum_C5` is another pitch.
fn stem(name: &str) -> Option<String> {
    let name = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let (base, last) = name.rsplit_once(['_', '-', ' '])?;
    let is_take = |word: &str| {
        let digits = ["take", "rr", "r"].iter().find_map(|begin| word.strip_prefix(begin)).unwrap_or(word);
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    };
    if is_take(last) {
        return Some(base.to_owned());
    }
    let (base, take) = base.rsplit_once(['_', '-', ' '])?;
    (last.chars().all(char::is_alphabetic) && is_take(take)).then(|| format!("{base} {last}"))
}

/// Differences between strokes of one kind: within a file, and between takes.
fn repeated(sounds: &[(String, Described)]) -> Vec<f64> {
    let within = sounds.iter().filter_map(|(_, d)| d.values[9]);
    let pairs = sounds.iter().enumerate().flat_map(|(i, one)| sounds[i + 1..].iter().map(move |other| (one, other)));
    let across = pairs
        .filter(|(one, other)| stem(&one.0).is_some_and(|own| stem(&other.0) == Some(own)))
        .map(|(one, other)| difference_db(&one.1.thirds_db, &other.1.thirds_db));
    within.chain(across).collect()
}

/// A descriptor of a sound beside others: its value, theirs, and whether it lies within; none where one of them has no such thing.
pub struct Line {
    /// Which of [`ALL`].
    pub index: usize,
    /// The sound's own.
    pub value: Option<f64>,
    /// The others'.
    pub range: Option<Range>,
    /// True if within.
    pub within: Option<bool>,
}

/// All ten. T60 per octave is within if it is in at least half of the octaves that both have.
pub fn lines(sound: &Described, beside: &Beside) -> Vec<Line> {
    let octaves =
        sound.octaves_s.iter().zip(&beside.octaves).filter_map(|(value, range)| Some((*range)?.holds((*value)?)));
    let octaves: Vec<bool> = octaves.collect();
    let line = |index: usize| {
        let (value, range) = (sound.values[index], beside.ranges[index]);
        let within = match index {
            8 => (!octaves.is_empty()).then(|| 2 * octaves.iter().filter(|held| **held).count() >= octaves.len()),
            _ => value.zip(range).map(|(value, range)| range.holds(value)),
        };
        Line { index, value, range, within }
    };
    (0..ALL.len()).map(line).collect()
}

/// Describes a file: WAV, FLAC, AIFF, MP3 or Ogg Vorbis.
pub fn read(path: &Path) -> Result<(String, Described)> {
    let recording = Recording::open(path, true)?;
    Ok((recording.name.clone(), describe(&recording.samples, recording.rate_hz)))
}

/// Describes every recording of a folder, in order of their names.
pub fn read_folder(folder: &Path) -> Result<Vec<(String, Described)>> {
    let listed = std::fs::read_dir(folder).map_err(|cause| Error::reading(folder, &cause))?;
    let is_sound = |path: &PathBuf| {
        let end = path.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default();
        ["wav", "flac", "aif", "aiff", "mp3", "ogg"].contains(&end.as_str())
    };
    let mut files: Vec<PathBuf> = listed.filter_map(|entry| Some(entry.ok()?.path())).filter(is_sound).collect();
    files.sort();
    if files.is_empty() {
        return bad(format!("{}: no recording in it (WAV, FLAC, AIFF, MP3 or Ogg Vorbis)", folder.display()));
    }
    parallel::run(files.len(), parallel::cores(), |index| read(&files[index]))
}

/// What a sound is to be compared with, as it was typed: a file, a folder, or the label of recordings that were measured.
pub fn beside(what: &str) -> Result<Beside> {
    let path = Path::new(what);
    if path.is_dir() {
        return Ok(Beside::of(what.to_owned(), &read_folder(path)?));
    }
    if path.is_file() {
        return Ok(Beside::of(what.to_owned(), &[read(path)?]));
    }
    let mut labels: Vec<&str> = recorded::rows().iter().map(|row| row.label).collect();
    labels.dedup();
    Beside::recorded(what).ok_or_else(|| {
        Error::BadInput(format!("no file, folder or kind of recording '{what}'{}", nearest(what, labels)))
    })
}

/// A sound beside others.
pub struct Comparison {
    /// The sound.
    pub name: String,
    /// What it is.
    pub sound: Described,
    /// The others.
    pub beside: Beside,
}

fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        x if x < 0.01 => format!("{value:.1e}"),
        x if x < 10.0 => format!("{value:.2}"),
        x if x < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// To four digits, as the table of recordings has them.
fn number_of_table(value: f64) -> String {
    format!("{value:.3e}")
}

fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "none".into(), number)
}

impl Comparison {
    /// A table for people.
    pub fn text(&self) -> String {
        let several = self.beside.files > 1;
        let head = if several {
            format!("{}, {} files: 10 to 90 %", one_line(&self.beside.name), self.beside.files)
        } else {
            one_line(&self.beside.name)
        };
        let mut text = format!("{:<42}{:>12}   {head}\n", "", one_line(&self.name));
        let theirs = |range: Option<Range>| match range {
            None => "none".into(),
            Some(range) if several => format!("{} .. {}", number(range.low), number(range.high)),
            Some(range) => number(range.middle),
        };
        let mut row = |words: &str, value: Option<f64>, range: Option<Range>, within: Option<bool>| {
            let mark = match within {
                _ if !several => "",
                Some(true) => "within",
                Some(false) => "OUTSIDE",
                None => "",
            };
            // Writing to a String cannot fail.
            let line = format!("{words:<42}{:>12}   {:<24} {mark}", shown(value), theirs(range));
            let _ = writeln!(text, "{}", line.trim_end());
        };
        for line in lines(&self.sound, &self.beside) {
            row(ALL[line.index].words, line.value, line.range, line.within);
            if line.index == 8 {
                for (k, low_hz) in OCTAVES_HZ.iter().enumerate() {
                    let (value, range) = (self.sound.octaves_s[k], self.beside.octaves[k]);
                    let within = value.zip(range).map(|(value, range)| range.holds(value));
                    row(&format!("  {low_hz} to {} Hz", 2.0 * low_hz), value, range, within);
                }
            }
        }
        if !self.beside.thirds_db.is_empty() {
            let apart = difference_db(&self.sound.thirds_db, &self.beside.thirds_db);
            let _ = writeln!(text, "the two beside each other, in third octaves: {apart:.1} dB");
        }
        text
    }

    /// The same for programs.
    pub fn json(&self) -> Value {
        let theirs = |range: Option<Range>| range.map(|r| json!({ "p10": r.low, "p50": r.middle, "p90": r.high }));
        let rows: Vec<Value> = lines(&self.sound, &self.beside)
            .iter()
            .map(|line| {
                let Line { index, value, range, within } = *line;
                json!({ "descriptor": ALL[index].id, "words": ALL[index].words, "value": value, "beside": theirs(range), "within": within })
            })
            .collect();
        let octaves: Vec<Value> = OCTAVES_HZ
            .iter()
            .enumerate()
            .map(|(k, low_hz)| json!({ "from_hz": low_hz, "t60_s": self.sound.octaves_s[k], "beside": theirs(self.beside.octaves[k]) }))
            .collect();
        json!({ "sound": self.name, "beside": self.beside.name, "files": self.beside.files, "descriptors": rows, "octaves": octaves })
    }

    /// The same as a picture: how many steps every number is away, decays, and colour.
    pub fn picture(&self) -> std::result::Result<Vec<u8>, String> {
        let steps = |index: usize, value: f64, from: f64| {
            let Descriptor { step, is_log, .. } = ALL[index];
            let steps = if is_log { ln(value.max(1e-9) / from.max(1e-9)) / ln(step) } else { (value - from) / step };
            steps.clamp(-6.0, 6.0)
        };
        let (mut own, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
        for Line { index, value, range, .. } in lines(&self.sound, &self.beside) {
            let Some(range) = range else { continue };
            let x = index as f64;
            own.extend(value.map(|value| (x, steps(index, value, range.middle))));
            low.push((x, steps(index, range.low, range.middle)));
            high.push((x, steps(index, range.high, range.middle)));
        }
        let mut numbers = Panel::new("Steps from the middle (2 times, 10 dB, ...)", "", "steps");
        numbers.categories = ALL.iter().map(|descriptor| descriptor.short.to_owned()).collect();
        (numbers.x_range, numbers.y_range) = (Some((-0.6, 9.6)), Some((-6.5, 6.5)));
        let bars = low.iter().zip(&high).map(|(a, b)| Series::new("", 2, Look::Line, vec![*a, *b]));
        numbers.series.extend(bars);
        let several = self.beside.files > 1;
        let words = if several { format!("{}, 10 to 90 %", self.beside.name) } else { self.beside.name.clone() };
        numbers.series.push(Series::new(words.clone(), 2, Look::Crosses, [low, high].concat()));
        numbers.series.push(Series::new(self.name.clone(), 1, Look::Dots, own));
        let octave = |k: usize, value: Option<f64>| value.map(|t| (k as f64, tocco::math::log10(t)));
        let mut decays = Panel::new("T60 per octave", "from, Hz", "log10 of seconds");
        decays.categories = OCTAVES_HZ.iter().map(|hz| format!("{hz}")).collect();
        decays.x_range = Some((-0.5, 6.5));
        for (pick, look) in [(0, Look::Dashed), (1, Look::Line), (2, Look::Dashed)] {
            if !several && pick != 1 {
                continue;
            }
            let at = |range: &Range| [range.low, range.middle, range.high][pick];
            let data = (0..7).filter_map(|k| octave(k, self.beside.octaves[k].as_ref().map(at))).collect();
            decays.series.push(Series::new(if pick == 1 { words.clone() } else { String::new() }, 2, look, data));
        }
        let data = (0..7).filter_map(|k| octave(k, self.sound.octaves_s[k])).collect();
        decays.series.push(Series::new(self.name.clone(), 1, Look::DottedLine, data));
        let mut panels = vec![numbers, decays];
        if !self.beside.thirds_db.is_empty() {
            let mut colour = Panel::new("Third octaves of the stroke", "log10 of Hz", "dB below the loudest");
            colour.y_range = Some((-72.0, 3.0));
            let line = |bands: &[f64]| -> Vec<(f64, f64)> {
                bands.iter().enumerate().map(|(k, level)| (2.0 + k as f64 * 0.100_343, level.max(-72.0))).collect()
            };
            colour.series.push(Series::new(words, 2, Look::Line, line(&self.beside.thirds_db)));
            colour.series.push(Series::new(self.name.clone(), 1, Look::Line, line(&self.sound.thirds_db)));
            panels.push(colour);
        }
        Figure { title: format!("{} beside {}", self.name, self.beside.name), panels }.png()
    }
}

/// A shipped scene as it is: its first stroke, and how it differs from one with another seed if it strikes once.
pub fn of_scene(name: &str, folder: &Path) -> Result<Described> {
    let render = |seed: u64| -> Result<Described> {
        let mut plan = Plan::new(library::load(name)?);
        plan.scene.def.seed = plan.scene.def.seed.wrapping_add(seed);
        let path = folder.join(format!("{name}-{seed}.wav"));
        let manner = Manner { encoding: Encoding::Float32, ..Manner::default() };
        to_wav(&plan, &Target::File(path.clone()), &manner, false)?;
        let described = read(&path)?.1;
        // Nothing can be done about a temporary file that will not go.
        let _ = std::fs::remove_file(&path);
        Ok(described)
    };
    let mut described = render(0)?;
    if described.values[9].is_none() {
        described.values[9] = Some(difference_db(&described.thirds_db, &render(1)?.thirds_db));
    }
    Ok(described)
}

/// Shipped scenes beside recordings of their kind: those named, or all of [`recorded::SCENES`].
pub fn scenes(wanted: &[String]) -> Result<Vec<Comparison>> {
    let known = || recorded::SCENES.iter().map(|(scene, _)| *scene);
    if let Some(strange) = wanted.iter().find(|name| !known().any(|scene| scene == *name)) {
        return bad(format!("no scene '{strange}' with recordings of its kind{}", nearest(strange, known())));
    }
    let is_wanted = |scene: &str| wanted.is_empty() || wanted.iter().any(|w| w == scene);
    let chosen: Vec<_> = recorded::SCENES.iter().filter(|(scene, _)| is_wanted(scene)).collect();
    let folder = TemporaryFolder::new()?;
    parallel::run(chosen.len(), parallel::cores(), |index| {
        let (scene, label) = chosen[index];
        let beside = Beside::recorded(label).ok_or_else(|| Error::Machine(format!("no recordings of '{label}'")))?;
        Ok(Comparison { name: (*scene).to_owned(), sound: of_scene(scene, folder.path())?, beside })
    })
}

/// Each scene's numbers beside the ranges, and how many lie within.
pub fn scenes_text(all: &[Comparison]) -> String {
    let mut text = String::new();
    for comparison in all {
        let lines = lines(&comparison.sound, &comparison.beside);
        let judged = lines.iter().filter(|line| line.within.is_some()).count();
        let within = lines.iter().filter(|line| line.within == Some(true)).count();
        let verdict = if within >= ENOUGH { "reached" } else { "not reached" };
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{}: {within} of {judged} within what {} recordings of '{}' have (goal {ENOUGH} of 10): {verdict}",
            comparison.name, comparison.beside.files, comparison.beside.name
        );
        for line in lines {
            let range =
                line.range.map_or_else(|| "none".into(), |r| format!("{} .. {}", number(r.low), number(r.high)));
            let mark = match line.within {
                Some(true) => "",
                Some(false) => "OUTSIDE",
                None => "not judged",
            };
            let words = format!("  {:<42}{:>10}   {range:<22} {mark}", ALL[line.index].words, shown(line.value));
            let _ = writeln!(text, "{}", words.trim_end());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn takes_are_told_from_pitches_and_sizes() {
        let same = |a: &str, b: &str| stem(a).is_some_and(|own| stem(b) == Some(own));
        assert!(same("drum_ff_1.wav", "drum_ff_2.wav") && same("tom_v3_rr1_Sum.flac", "tom_v3_rr2_Sum.flac"));
        assert!(same("fx1_r02_main.wav", "fx1_r10_main.wav") && same("bow-1.wav", "bow-2.wav"));
        assert!(!same("glock_C5.wav", "glock_C6.wav") && !same("triangle1_mp.wav", "triangle3_mp.wav"));
        assert!(!same("drum_ff_1.wav", "drum_pp_1.wav") && !same("a.wav", "a.wav"));
    }
}
