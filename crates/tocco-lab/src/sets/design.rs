// SPDX-License-Identifier: MIT OR Apache-2.0
//! The design file of a stimulus set: a scene, factors and their levels, what moves with them, level and listening test.

use super::formula::Formula;
use super::loudness::Measure;
use super::read::{Table, number, wrong};
use super::sidecar;
use crate::error::{Error, Result, bad};
use crate::library;
use crate::range::spaced;
use crate::sweep::MOST_FILES;
use crate::wav::Encoding;
use std::path::Path;
use tocco::Document;
use tocco::scene::SceneDef;
use tocco::scene::def::Length;
use tocco::scene::error::nearest;
use tocco::scene::tree::{self, Data, Patch, Value, clip};

/// Longest sound of a set, s: each is held in memory while its level is found.
pub const MOST_S: f64 = 600.0;
const MOST_LISTENERS: u64 = 10_000;
/// Trials of all listeners together: each is a line of a table, and all orders are held at once.
const MOST_TRIALS: u64 = 10_000_000;
const KEYS: [&str; 15] = [
    "title",
    "scene",
    "seed",
    "rate_hz",
    "duration_s",
    "bits",
    "repetitions",
    "listeners",
    "block",
    "factor",
    "derived",
    "set",
    "level",
    "calibration",
    "listening",
];

/// A factor: its name and levels.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    /// Unique, fit for a formula.
    pub name: String,
    /// Numbers or words.
    pub levels: Vec<Patch>,
    /// True where levels stand at equal ratios.
    pub log: bool,
}

/// How a path follows the factors.
#[derive(Clone, Debug, PartialEq)]
pub enum How {
    /// By a formula over factors and derived values.
    Formula(Formula),
    /// One value per level of a factor.
    Levels(usize, Vec<Patch>),
}

/// A path that moves, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// A live path (`hit/stiffness`) or a place of the scene (`body.bar.modes[0].freq_hz`).
    pub path: String,
    /// From the levels to its value.
    pub how: How,
    line: usize,
    at: String,
}

/// What the level of every sound is brought to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Loudness, LUFS; `None`: the scene's own level.
    pub lufs: Option<f64>,
    /// Which loudness.
    pub measure: Measure,
    /// No true peak passes this, dBTP.
    pub peak_dbtp: f64,
    /// Where one would: lower every sound alike (true), or that sound alone.
    pub lower_all: bool,
}

/// Level in the file and at the ear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// A sound of this loudness, LUFS, ...
    pub lufs: f64,
    /// ... is heard at this level, dB SPL.
    pub db_spl: f64,
}

/// The forced-choice test.
#[derive(Clone, Debug, PartialEq)]
pub struct Listening {
    /// What listeners are asked.
    pub question: String,
    /// What they may answer.
    pub answers: Vec<String>,
    /// Silence before each sound, s.
    pub pause_s: f64,
}

/// A whole design.
#[derive(Clone, Debug)]
pub struct Design {
    /// Short name, for files.
    pub name: String,
    /// How messages call it.
    pub origin: String,
    /// What it is called in the page and in messages.
    pub title: String,
    /// The scene as it stands.
    pub scene: Document,
    /// Orders of presentation come from this.
    pub seed: u64,
    /// Rate of the files, Hz.
    pub rate_hz: Option<f64>,
    /// Length of each sound.
    pub length: Option<Length>,
    /// Sample type.
    pub encoding: Encoding,
    /// Every condition comes so many times, each with its own seed.
    pub repetitions: usize,
    /// Orders written to `order.tsv`.
    pub listeners: u32,
    /// Sounds that share this factor's level (or repetition) stay together.
    pub block: Option<Block>,
    /// Factors, the last fastest.
    pub factors: Vec<Factor>,
    /// Named values computed from the factors.
    pub derived: Vec<(String, Formula)>,
    derived_lines: Vec<usize>,
    /// What moves.
    pub moves: Vec<Move>,
    /// Level of the sounds.
    pub level: Level,
    /// Level at the ear.
    pub calibration: Option<Calibration>,
    /// The test to write beside the sounds.
    pub listening: Option<Listening>,
}

/// What keeps sounds together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// A factor's levels.
    Factor(usize),
    /// The repetitions.
    Repetition,
}

/// One combination of levels.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// Level of every factor, by place.
    pub levels: Vec<usize>,
    /// Derived values.
    pub derived: Vec<f64>,
    /// Paths and values.
    pub moves: Vec<(String, Patch)>,
}

/// True if a text is a design and not a scene: it names a scene or has factors.
pub fn is_design(text: &str) -> bool {
    let Ok(root) = tree::parse(text) else { return false };
    let Data::Table(entries) = root.data else { return false };
    entries.iter().any(|entry| entry.key == "factor" || entry.key == "scene")
}

/// A path that moves a built scene, as opposed to a place in its text.
pub fn is_live(path: &str) -> bool {
    let first = path.split(['.', '[']).next().unwrap_or(path);
    let tables = ["body", "contact", "drive", "event", "tap", "control"];
    path.contains('/') || !(tables.contains(&first) || ["duration_s", "rate_hz", "seed"].contains(&path))
}

impl Design {
    /// Reads a design; its scene is looked for in `folder`, then among the shipped ones.
    pub fn from_text(name: &str, origin: &str, text: &str, folder: Option<&Path>) -> Result<Self> {
        let root = tree::parse(text).map_err(|e| wrong(origin, e.line.unwrap_or(1), &e.at, e.what))?;
        let file = Table::open(origin, String::new(), &root)?;
        file.only(&KEYS)?;
        let scene = read_scene(&file, folder)?;
        let factors = read_factors(&file)?;
        let mut names: Vec<String> = factors.iter().map(|factor| factor.name.clone()).collect();
        let derived = read_derived(&file, &factors, &mut names)?;
        let moves = read_moves(&file, &factors, &names)?;
        for (place, factor) in factors.iter().enumerate() {
            let moved = moves.iter().any(|m| match &m.how {
                How::Formula(formula) => derived_reads(&derived, factors.len(), formula, place),
                How::Levels(index, _) => *index == place,
            });
            if !moved {
                let what = format!("'{}' moves nothing; give it a path, or use its name in [set]", factor.name);
                return Err(wrong(origin, line_of_factor(&file, place), &format!("factor[{place}]"), what));
            }
        }
        let repetitions = file.whole("repetitions", 1, MOST_FILES as u64)?.unwrap_or(1) as usize;
        let total = factors.iter().try_fold(repetitions, |n, factor| n.checked_mul(factor.levels.len()));
        if total.is_none_or(|total| total > MOST_FILES) {
            return file.fail("factor", format!("this set has more than {MOST_FILES} sounds; take fewer levels"));
        }
        let listeners = file.whole("listeners", 1, MOST_LISTENERS)?.unwrap_or(1);
        let trials = total.unwrap_or(usize::MAX) as u64 * listeners;
        if trials > MOST_TRIALS {
            let what =
                format!("{trials} trials for all listeners together; at most {MOST_TRIALS}: take fewer of either");
            return file.fail("listeners", what);
        }
        let block = match file.text("block")? {
            None => None,
            Some(word) if word == "repetition" => Some(Block::Repetition),
            Some(word) => match factors.iter().position(|factor| factor.name == word) {
                Some(place) => Some(Block::Factor(place)),
                None => {
                    let known = factors.iter().map(|factor| factor.name.as_str()).chain(["repetition"]);
                    return file.fail("block", format!("no factor '{}'{}", clip(&word), nearest(&word, known)));
                }
            },
        };
        let encoding = match file.whole("bits", 16, 32)?.unwrap_or(24) {
            16 => Encoding::Int16,
            24 => Encoding::Int24,
            32 => Encoding::Float32,
            other => return file.fail("bits", format!("{other} bits; wants 16, 24 or 32 (float)")),
        };
        let length = match file.get("duration_s").map(|entry| &entry.value.data) {
            None => None,
            Some(Data::Text(word)) if word == "auto" => Some(Length::Auto),
            Some(_) => match file.number("duration_s", 0.0, MOST_S)? {
                Some(seconds) if seconds > 0.0 => Some(Length::Seconds(seconds)),
                _ => return file.fail("duration_s", format!("wants seconds above 0, at most {MOST_S}, or \"auto\"")),
            },
        };
        let design = Self {
            name: name.to_owned(),
            origin: origin.to_owned(),
            title: file.text("title")?.unwrap_or_else(|| name.to_owned()),
            scene,
            seed: file.whole("seed", 0, u64::from(u32::MAX))?.unwrap_or(1),
            rate_hz: file.number("rate_hz", 8_000.0, 384_000.0)?,
            length,
            encoding,
            repetitions,
            listeners: listeners as u32,
            block,
            factors,
            derived_lines: derived_lines(&file)?,
            derived,
            moves,
            level: read_level(&file)?,
            calibration: read_calibration(&file)?,
            listening: read_listening(&file)?,
        };
        Ok(design)
    }

    /// Every combination of levels, the last factor fastest.
    pub fn conditions(&self) -> Result<Vec<Condition>> {
        let mut all = vec![Vec::new()];
        for factor in &self.factors {
            let extend = |head: &Vec<usize>| {
                let head = head.clone();
                (0..factor.levels.len()).map(move |level| [head.as_slice(), &[level]].concat())
            };
            all = all.iter().flat_map(extend).collect();
        }
        all.into_iter().map(|levels| self.condition(levels)).collect()
    }

    fn condition(&self, levels: Vec<usize>) -> Result<Condition> {
        let number = |(factor, &level): (&Factor, &usize)| match &factor.levels[level] {
            Patch::Number(x) => *x,
            Patch::Text(_) => f64::NAN,
        };
        let mut values: Vec<f64> = self.factors.iter().zip(&levels).map(number).collect();
        for ((name, formula), &line) in self.derived.iter().zip(&self.derived_lines) {
            let value = formula.of(&values);
            if !value.is_finite() {
                return Err(wrong(&self.origin, line, &format!("derived.{name}"), self.not_finite(&levels, value)));
            }
            values.push(value);
        }
        let mut moves = Vec::with_capacity(self.moves.len());
        for m in &self.moves {
            let value = match &m.how {
                How::Levels(factor, all) => all[levels[*factor]].clone(),
                How::Formula(formula) => {
                    let value = formula.of(&values);
                    if !value.is_finite() {
                        return Err(wrong(&self.origin, m.line, &m.at, self.not_finite(&levels, value)));
                    }
                    Patch::Number(value)
                }
            };
            moves.push((m.path.clone(), value));
        }
        Ok(Condition { derived: values.split_off(self.factors.len()), levels, moves })
    }

    fn not_finite(&self, levels: &[usize], value: f64) -> String {
        format!("the formula gives {value} at {}", self.words(levels))
    }

    /// "pitch_hz = 1000, q = 5".
    pub fn words(&self, levels: &[usize]) -> String {
        let word = |(factor, &level): (&Factor, &usize)| format!("{} = {}", factor.name, shown(&factor.levels[level]));
        self.factors.iter().zip(levels).map(word).collect::<Vec<_>>().join(", ")
    }

    /// The scene of a condition: its text with the places that move written anew, and the live paths left to set.
    pub fn scene_of(&self, condition: &Condition) -> Result<(SceneDef, Vec<(String, f64)>)> {
        let (live, places): (Vec<_>, Vec<_>) = condition.moves.iter().cloned().partition(|(path, _)| is_live(path));
        let spoken = |e: tocco::scene::SceneError| {
            // What is wrong is the design's doing: its line, then the scene's words.
            let m = self
                .moves
                .iter()
                .find(|m| !is_live(&m.path) && (e.at.starts_with(&m.path) || m.path.starts_with(&e.at)));
            let at = if e.at.is_empty() { String::new() } else { format!("{}: ", e.at) };
            let words = format!("{at}{} (scene {}, {})", e.what, self.scene.name, self.words(&condition.levels));
            match m {
                Some(m) => wrong(&self.origin, m.line, &m.at, words),
                None => Error::BadInput(format!("{}: {words}", self.origin)),
            }
        };
        let mut def = SceneDef::from_text_with(&self.scene.text, &places).map_err(&spoken)?;
        def.keep_bodies(&self.scene.def);
        if !places.iter().any(|(path, _)| path.starts_with("drive[")) {
            // Recordings were read once, with the scene.
            def.drives.clone_from(&self.scene.def.drives);
        }
        let sets = live
            .into_iter()
            .map(|(path, value)| match value {
                Patch::Number(value) => Ok((path.trim_start_matches('/').to_owned(), value)),
                Patch::Text(word) => bad(format!("{}: {path} takes a number, not '{}'", self.origin, clip(&word))),
            })
            .collect::<Result<Vec<_>>>()?;
        Ok((def, sets))
    }

    /// Turns an error about a value into one about the line that moves it.
    pub fn blame(&self, condition: &Condition, error: &Error) -> Error {
        let (text, words) = (error.to_string(), self.words(&condition.levels));
        let named = |m: &&Move| {
            let path = m.path.trim_start_matches('/');
            text.starts_with(&format!("--set {path}: ")) || text.contains(&format!(" {path}: "))
        };
        match self.moves.iter().find(named) {
            Some(m) => {
                let what = text.trim_start_matches("--set ");
                wrong(&self.origin, m.line, &m.at, format!("{what} ({words})"))
            }
            None => Error::BadInput(format!("{text} ({}, {words})", self.origin)),
        }
    }
}

/// A level as people write it.
pub fn shown(level: &Patch) -> String {
    match level {
        Patch::Number(x) => format!("{x:?}"),
        Patch::Text(word) => word.clone(),
    }
}

fn derived_reads(derived: &[(String, Formula)], factors: usize, formula: &Formula, place: usize) -> bool {
    formula.reads(place)
        || derived.iter().enumerate().any(|(i, (_, f))| {
            // A derived value reads only earlier ones, so this ends.
            formula.reads(factors + i) && derived_reads(&derived[..i], factors, f, place)
        })
}

fn line_of_factor(file: &Table<'_, '_>, place: usize) -> usize {
    match file.get("factor").map(|entry| &entry.value.data) {
        Some(Data::List(list)) => list.get(place).map_or(1, |value| value.line),
        _ => 1,
    }
}

fn read_scene(file: &Table<'_, '_>, folder: Option<&Path>) -> Result<Document> {
    let Some(scene) = file.text("scene")? else {
        return file.fail("", "needs scene: a file beside the design, or the name of a shipped scene");
    };
    let beside = folder.map(|folder| folder.join(&scene)).filter(|path| path.is_file());
    let loaded = match beside {
        Some(path) => library::load(&path.to_string_lossy()),
        None => library::load(&scene),
    };
    loaded.or_else(|e| file.fail("scene", e))
}

fn read_factors(file: &Table<'_, '_>) -> Result<Vec<Factor>> {
    let Some(list) = file.list("factor")? else {
        return file.fail("", "needs [[factor]]: a name and its levels (linear, log or list)");
    };
    let mut factors: Vec<Factor> = Vec::new();
    for (place, value) in list.iter().enumerate() {
        let table = Table::open(file.origin, format!("factor[{place}]"), value)?;
        table.only(&["name", "linear", "log", "list", "path", "set"])?;
        let Some(name) = table.text("name")? else { return table.fail("", "needs name") };
        check_name(&table, "name", &name, factors.iter().map(|factor| factor.name.as_str()))?;
        let laws: Vec<&str> = ["linear", "log", "list"].into_iter().filter(|law| table.get(law).is_some()).collect();
        let [law] = laws[..] else {
            return table.fail("", "needs its levels, once: linear = [low, high, count], log = [...] or list = [...]");
        };
        let values = table.list(law)?.unwrap_or_default();
        let levels =
            if law == "list" { read_values(&table, "list", values)? } else { read_range(&table, law, values)? };
        factors.push(Factor { name, levels, log: law == "log" });
    }
    Ok(factors)
}

/// Refuses what is no name, or that of a column that every table has; `at` is the key that is wrong then.
fn check_name<'a>(table: &Table<'_, '_>, at: &str, name: &str, mut taken: impl Iterator<Item = &'a str>) -> Result<()> {
    let fit = name.starts_with(|c: char| c.is_alphabetic()) && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !fit {
        return table
            .fail(at, format!("'{}' is no name; use letters, digits and _, beginning with a letter", clip(name)));
    }
    if ["pi", "file", "order"].contains(&name) || sidecar::COLUMNS.trim_end().split('\t').any(|column| column == name) {
        return table.fail(at, format!("'{name}' means something else in every set; choose another"));
    }
    match taken.any(|other| other == name) {
        true => table.fail(at, format!("the name '{}' is taken; choose another", clip(name))),
        false => Ok(()),
    }
}

fn read_range(table: &Table<'_, '_>, law: &str, values: &[Value<'_>]) -> Result<Vec<Patch>> {
    let numbers: Vec<f64> = values.iter().filter_map(number).collect();
    let [low, high, count] = numbers[..] else {
        return table.fail(law, "wants three numbers: [low, high, count]");
    };
    if values.len() != 3 || count.fract() != 0.0 || !(1.0..=MOST_FILES as f64).contains(&count) {
        return table.fail(law, format!("the count must be a whole number from 1 to {MOST_FILES}"));
    }
    if law == "log" && (low <= 0.0 || high <= 0.0) {
        return table.fail(law, "log needs both ends above 0");
    }
    Ok(spaced(low, high, count as usize, law == "log").into_iter().map(Patch::Number).collect())
}

fn read_values(table: &Table<'_, '_>, key: &str, values: &[Value<'_>]) -> Result<Vec<Patch>> {
    let value = |value: &Value<'_>| match (&value.data, number(value)) {
        (_, Some(x)) => Ok(Patch::Number(x)),
        (Data::Text(word), _) => Ok(Patch::Text(word.to_string())),
        (other, _) => {
            let what = format!("found {}; wants numbers or words", other.found());
            Err(wrong(table.origin, value.line, &table.place(key), what))
        }
    };
    let levels = values.iter().map(value).collect::<Result<Vec<_>>>()?;
    let numbers = levels.iter().filter(|level| matches!(level, Patch::Number(_))).count();
    if numbers != 0 && numbers != levels.len() {
        return table.fail(key, "mixes numbers and words; take one or the other");
    }
    Ok(levels)
}

fn read_derived(file: &Table<'_, '_>, factors: &[Factor], names: &mut Vec<String>) -> Result<Vec<(String, Formula)>> {
    let mut derived = Vec::new();
    let Some(table) = file.table("derived")? else { return Ok(derived) };
    for entry in table.entries() {
        check_name(&table, &entry.key, &entry.key, names.iter().map(String::as_str))?;
        let formula = read_formula(&table, &entry.key, &entry.value, factors, names)?;
        derived.push((entry.key.to_string(), formula));
        names.push(entry.key.to_string());
    }
    Ok(derived)
}

fn derived_lines(file: &Table<'_, '_>) -> Result<Vec<usize>> {
    let table = file.table("derived")?;
    Ok(table.iter().flat_map(Table::entries).map(|entry| entry.line).collect())
}

fn read_formula(
    table: &Table<'_, '_>,
    key: &str,
    value: &Value<'_>,
    factors: &[Factor],
    names: &[String],
) -> Result<Formula> {
    let text = match (&value.data, number(value)) {
        (_, Some(x)) => return Ok(Formula::Number(x)),
        (Data::Text(text), _) => text,
        (other, _) => {
            return table.fail(key, format!("found {}; wants a number or a formula in quotes", other.found()));
        }
    };
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let formula = Formula::parse(text, &known).or_else(|what| table.fail(key, what))?;
    let word = |(place, factor): &(usize, &Factor)| formula.reads(*place) && matches!(factor.levels[0], Patch::Text(_));
    match factors.iter().enumerate().find(word) {
        Some((_, factor)) => {
            table.fail(key, format!("'{}' has words for levels; a formula needs numbers", factor.name))
        }
        None => Ok(formula),
    }
}

fn read_moves(file: &Table<'_, '_>, factors: &[Factor], names: &[String]) -> Result<Vec<Move>> {
    let mut moves: Vec<Move> = Vec::new();
    let mut add = |table: &Table<'_, '_>, key: &str, path: &str, how: How| {
        if moves.iter().any(|m| m.path == path) {
            return table.fail(key, format!("'{}' is moved twice", clip(path)));
        }
        let line = table.get(key).map_or(table.line, |entry| entry.line);
        moves.push(Move { path: path.to_owned(), how, line, at: table.place(key) });
        Ok(())
    };
    let Some(list) = file.list("factor")? else { return Ok(moves) };
    for (place, value) in list.iter().enumerate() {
        let table = Table::open(file.origin, format!("factor[{place}]"), value)?;
        let levels = &factors[place].levels;
        if let Some(path) = table.text("path")? {
            add(&table, "path", &path, How::Levels(place, levels.clone()))?;
        }
        let Some(set) = table.table("set")? else { continue };
        for entry in set.entries() {
            let how = match set.list(&entry.key) {
                Ok(Some(values)) if values.len() == levels.len() => {
                    How::Levels(place, read_values(&set, &entry.key, values)?)
                }
                Ok(Some(values)) => {
                    let what = format!("has {} values for {} levels; give one per level", values.len(), levels.len());
                    return set.fail(&entry.key, what);
                }
                _ => How::Formula(read_formula(&set, &entry.key, &entry.value, factors, names)?),
            };
            add(&set, &entry.key, &entry.key, how)?;
        }
    }
    if let Some(set) = file.table("set")? {
        for entry in set.entries() {
            add(
                &set,
                &entry.key,
                &entry.key,
                How::Formula(read_formula(&set, &entry.key, &entry.value, factors, names)?),
            )?;
        }
    }
    Ok(moves)
}

fn read_level(file: &Table<'_, '_>) -> Result<Level> {
    let mut level = Level { lufs: None, measure: Measure::Integrated, peak_dbtp: -1.0, lower_all: true };
    let Some(table) = file.table("level")? else { return Ok(level) };
    table.only(&["lufs", "measure", "peak_dbtp", "over"])?;
    level.lufs = table.number("lufs", -100.0, 0.0)?;
    if table.word("measure", &["integrated", "momentary"])? == Some(1) {
        level.measure = Measure::Momentary;
    }
    level.peak_dbtp = table.number("peak_dbtp", -60.0, 0.0)?.unwrap_or(level.peak_dbtp);
    level.lower_all = table.word("over", &["lower-all", "lower-each"])? != Some(1);
    Ok(level)
}

fn read_calibration(file: &Table<'_, '_>) -> Result<Option<Calibration>> {
    let Some(table) = file.table("calibration")? else { return Ok(None) };
    table.only(&["lufs", "db_spl"])?;
    // A sine of full scale reads -3.01 LUFS; the tone must not clip.
    let lufs = table.number("lufs", -100.0, -3.1)?;
    match (lufs, table.number("db_spl", 0.0, 120.0)?) {
        (Some(lufs), Some(db_spl)) => Ok(Some(Calibration { lufs, db_spl })),
        _ => table.fail("", "needs lufs and db_spl: a sound of this loudness is heard at that level"),
    }
}

fn read_listening(file: &Table<'_, '_>) -> Result<Option<Listening>> {
    let Some(table) = file.table("listening")? else { return Ok(None) };
    table.only(&["question", "answers", "pause_s"])?;
    let mut answers: Vec<String> = Vec::new();
    for value in table.list("answers")?.unwrap_or_default() {
        match &value.data {
            Data::Text(word)
                if !word.trim().is_empty() && !word.contains(['\t', '\n']) && !answers.iter().any(|a| a == word) =>
            {
                answers.push(word.to_string());
            }
            other => {
                let what = format!("found {}; wants different words in quotes", other.found());
                return Err(wrong(table.origin, value.line, &table.place("answers"), what));
            }
        }
    }
    if !(2..=9).contains(&answers.len()) {
        return table.fail("answers", "needs two to nine answers: each has a number key");
    }
    Ok(Some(Listening {
        question: table.text("question")?.unwrap_or_else(|| "What did you hear?".into()),
        answers,
        pause_s: table.number("pause_s", 0.0, 60.0)?.unwrap_or(0.5),
    }))
}
