// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco answers DIR answers*.tsv -o OUT`: what listeners chose, as Avanzini 2001 shows it: the proportion of each answer for every
//! sound (figure 5.6) and the range of every quantity where more than half chose it (table 5.2).

pub mod picture;

use crate::atomic_file;
use crate::error::{Error, Result, bad};
use crate::library;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tocco::scene::error::nearest;
use tocco::scene::tree::clip;

/// What was asked, and of which sounds.
pub struct Asked {
    title: String,
    key: String,
    answers: Vec<String>,
    /// Name and whether its levels stand at equal ratios.
    factors: Vec<(String, bool)>,
    derived: Vec<String>,
    /// Levels and derived values of every sound, as written in the manifest.
    sounds: HashMap<String, (Vec<String>, Vec<f64>)>,
    /// File of a listener's trial.
    order: HashMap<(u32, u32), String>,
    /// Levels of every factor in the order of the manifest.
    levels: Vec<Vec<String>>,
}

/// One condition and how often each answer was given to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Place of each factor's level.
    pub at: Vec<usize>,
    /// Derived values.
    pub derived: Vec<f64>,
    /// Times each answer was chosen.
    pub chosen: Vec<usize>,
}

impl Row {
    fn total(&self) -> usize {
        self.chosen.iter().sum()
    }

    /// Share of an answer; nothing where nobody answered.
    pub fn share(&self, answer: usize) -> Option<f64> {
        (self.total() > 0).then(|| self.chosen[answer] as f64 / self.total() as f64)
    }
}

/// Where more than half chose an answer: lowest and highest value of every number, if anywhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// The answer.
    pub answer: String,
    /// Conditions where more than half chose it.
    pub conditions: usize,
    /// One pair per quantity.
    pub spans: Vec<Option<(f64, f64)>>,
}

/// What came of the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Listeners.
    pub listeners: usize,
    /// Answers.
    pub answers: usize,
    /// Conditions that nobody answered.
    pub missing: usize,
}

/// Reads the answers to the set in `folder` and writes tables and pictures into `out`.
pub fn run(folder: &Path, files: &[PathBuf], out: &Path) -> Result<Summary> {
    let asked = Asked::open(folder)?;
    let (rows, listeners, answers) = asked.count(files)?;
    let ranges = asked.ranges(&rows);
    atomic_file::create_folder(out)?;
    atomic_file::write(&out.join("proportions.csv"), asked.proportions(&rows).as_bytes())?;
    atomic_file::write(&out.join("ranges.csv"), asked.ranges_csv(&ranges).as_bytes())?;
    let drawn = |png: std::result::Result<Vec<u8>, String>| png.map_err(Error::Machine);
    atomic_file::write(&out.join("proportions.png"), &drawn(picture::proportions(&asked, &rows, listeners))?)?;
    atomic_file::write(&out.join("ranges.png"), &drawn(picture::ranges(&asked, &ranges))?)?;
    Ok(Summary { listeners, answers, missing: rows.iter().filter(|row| row.total() == 0).count() })
}

/// A table with a first row of names.
struct Table {
    origin: String,
    names: Vec<String>,
    rows: Vec<(usize, Vec<String>)>,
}

impl Table {
    fn read(path: &Path) -> Result<Self> {
        let (text, origin) = (library::read(path)?, path.display().to_string());
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let cells = |line: &str| line.split('\t').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
        let Some((_, first)) = lines.next() else { return bad(format!("{origin}: is empty; wants a table with tabs")) };
        Ok(Self { origin, names: cells(first), rows: lines.map(|(i, line)| (i + 1, cells(line))).collect() })
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    fn needed(&self, name: &str) -> Result<usize> {
        let near = || nearest(name, self.names.iter().map(String::as_str));
        self.column(name).ok_or_else(|| Error::BadInput(format!("{}:1: has no column '{name}'{}", self.origin, near())))
    }
}

impl Asked {
    /// Reads what `tocco sweep` wrote about a set.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join("set.json");
        if !path.is_file() {
            return bad(format!(
                "{}: no set.json here; name the folder that 'tocco sweep DESIGN -o' filled",
                folder.display()
            ));
        }
        let set: Value = serde_json::from_str(&library::read(&path)?)
            .map_err(|e| Error::BadInput(format!("{}: {e}; run the sweep again", path.display())))?;
        let words = |value: &Value| -> Vec<String> {
            value.as_array().into_iter().flatten().filter_map(|word| word.as_str().map(str::to_owned)).collect()
        };
        let answers = words(&set["answers"]);
        if answers.is_empty() {
            return bad(format!("{}: this set asks nothing; give its design a [listening] table", path.display()));
        }
        let factor = |f: &Value| Some((f["name"].as_str()?.to_owned(), f["log"].as_bool()?));
        let factors: Vec<(String, bool)> = set["factors"].as_array().into_iter().flatten().filter_map(factor).collect();
        if factors.is_empty() {
            return bad(format!("{}: names no factors; run the sweep again", path.display()));
        }
        let derived = words(&set["derived"]);

        let table = Table::read(&folder.join("manifest.tsv"))?;
        let file = table.needed("file")?;
        let columns = factors.iter().map(|(name, _)| table.needed(name)).collect::<Result<Vec<_>>>()?;
        let numbers = derived.iter().map(|name| table.needed(name)).collect::<Result<Vec<_>>>()?;
        let (mut sounds, mut levels) = (HashMap::new(), vec![Vec::new(); factors.len()]);
        for (line, row) in &table.rows {
            if row.len() < table.names.len() {
                return bad(format!("{}:{line}: this row is too short; run the sweep again", table.origin));
            }
            let at: Vec<String> = columns.iter().map(|&c| row[c].clone()).collect();
            for (level, known) in at.iter().zip(&mut levels) {
                if !known.contains(level) {
                    known.push(level.clone());
                }
            }
            let values = numbers
                .iter()
                .map(|&c| row[c].parse().ok().filter(|value: &f64| value.is_finite()).unwrap_or(f64::NAN))
                .collect();
            sounds.insert(row[file].clone(), (at, values));
        }
        let table = Table::read(&folder.join("order.tsv"))?;
        let [listener, trial, file] = [table.needed("listener")?, table.needed("trial")?, table.needed("file")?];
        let entry = |(_, row): &(usize, Vec<String>)| {
            Some(((row.get(listener)?.parse().ok()?, row.get(trial)?.parse().ok()?), row.get(file)?.clone()))
        };
        let order = table.rows.iter().filter_map(entry).collect();
        let text = |key: &str| set[key].as_str().unwrap_or_default().to_owned();
        Ok(Self { title: text("title"), key: text("key"), answers, factors, derived, sounds, order, levels })
    }

    /// Counts every answer; also the number of listeners and of answers.
    pub fn count(&self, files: &[PathBuf]) -> Result<(Vec<Row>, usize, usize)> {
        let mut rows: BTreeMap<Vec<usize>, Row> = BTreeMap::new();
        let place = |(known, level): (&Vec<String>, &String)| known.iter().position(|l| l == level).unwrap_or(0);
        for (levels, derived) in self.sounds.values() {
            let at: Vec<usize> = self.levels.iter().zip(levels).map(place).collect();
            let chosen = vec![0; self.answers.len()];
            rows.insert(at.clone(), Row { at, derived: derived.clone(), chosen });
        }
        let (mut listeners, mut seen) = (HashSet::new(), HashSet::new());
        for path in files {
            let table =
                if path.extension().is_some_and(|end| end == "json") { from_json(path)? } else { Table::read(path)? };
            let answer = table.needed("answer")?;
            let listener = table.needed("listener")?;
            let (file, trial, set) = (table.column("file"), table.column("trial"), table.column("set"));
            if file.is_none() && trial.is_none() {
                return bad(format!(
                    "{}:1: needs a column 'file', or 'trial' to look it up in order.tsv",
                    table.origin
                ));
            }
            if table.rows.is_empty() {
                return bad(format!("{}: holds no answers; save them from the listening page", table.origin));
            }
            for (line, row) in &table.rows {
                let wrong = |what: String| Error::BadInput(format!("{}:{line}: {what}", table.origin));
                let cell = |column: usize| row.get(column).map_or("", String::as_str);
                if let Some(set) = set.map(cell).filter(|set| !set.is_empty() && *set != self.key) {
                    return Err(wrong(format!("these answers belong to the set {}, not to {}", clip(set), self.key)));
                }
                let who: u32 = cell(listener)
                    .parse()
                    .map_err(|_| wrong(format!("'{}' is no listener number", clip(cell(listener)))))?;
                let heard = match (file.map(cell).filter(|f| !f.is_empty()), trial.map(cell)) {
                    (Some(heard), _) => heard.to_owned(),
                    (None, Some(trial)) => {
                        let number = trial.parse().ok();
                        number.and_then(|trial| self.order.get(&(who, trial)).cloned()).ok_or_else(|| {
                            wrong(format!("listener {who} has no trial '{}' in order.tsv", clip(trial)))
                        })?
                    }
                    (None, None) => return Err(wrong("names no file".into())),
                };
                let Some((levels, _)) = self.sounds.get(&heard) else {
                    return Err(wrong(format!("'{}' is no sound of this set", clip(&heard))));
                };
                let word = cell(answer);
                let Some(chosen) = self.answers.iter().position(|a| a == word) else {
                    let near = nearest(word, self.answers.iter().map(String::as_str));
                    return Err(wrong(format!("'{}' is no answer{near}", clip(word))));
                };
                if !seen.insert((who, heard.clone())) {
                    return Err(wrong(format!("listener {who} has answered {heard} already; keep one")));
                }
                listeners.insert(who);
                let at: Vec<usize> = self.levels.iter().zip(levels).map(place).collect();
                if let Some(row) = rows.get_mut(&at) {
                    row.chosen[chosen] += 1;
                }
            }
        }
        Ok((rows.into_values().collect(), listeners.len(), seen.len()))
    }

    /// Quantities with numbers: name, value in a row.
    fn quantities(&self) -> Vec<(String, Vec<f64>, usize)> {
        // A factor's numbers by level, or the place among the derived values.
        let numeric = |(place, (name, _)): (usize, &(String, bool))| {
            let values: Option<Vec<f64>> = self.levels[place]
                .iter()
                .map(|level| level.parse().ok().filter(|value: &f64| value.is_finite()))
                .collect();
            values.map(|values| (name.clone(), values, place))
        };
        let factors = self.factors.iter().enumerate().filter_map(numeric);
        let derived = self.derived.iter().enumerate().map(|(i, name)| (name.clone(), Vec::new(), i));
        factors.chain(derived).collect()
    }

    /// Where more than half chose each answer.
    pub fn ranges(&self, rows: &[Row]) -> Vec<Range> {
        let range = |(answer, word): (usize, &String)| {
            let liked: Vec<&Row> =
                rows.iter().filter(|row| row.share(answer).is_some_and(|share| share > 0.5)).collect();
            let span = |(_, values, place): (String, Vec<f64>, usize)| {
                let value = |row: &&&Row| if values.is_empty() { row.derived[place] } else { values[row.at[place]] };
                let all = || liked.iter().map(|row| value(&row));
                let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
                (low <= high).then_some((low, high))
            };
            Range {
                answer: word.clone(),
                conditions: liked.len(),
                spans: self.quantities().into_iter().map(span).collect(),
            }
        };
        self.answers.iter().enumerate().map(range).collect()
    }

    fn proportions(&self, rows: &[Row]) -> String {
        let names = self.factors.iter().map(|(name, _)| name).chain(&self.derived);
        let mut text = names.map(|name| csv(name) + ",").collect::<String>() + "answers";
        for answer in &self.answers {
            let _ = write!(text, ",{}", csv(answer));
        }
        text.push('\n');
        for row in rows {
            for (levels, &at) in self.levels.iter().zip(&row.at) {
                let _ = write!(text, "{},", csv(&levels[at]));
            }
            for value in &row.derived {
                let _ = write!(text, "{value:?},");
            }
            let _ = write!(text, "{}", row.total());
            for answer in 0..self.answers.len() {
                let _ = write!(text, ",{}", row.share(answer).map_or(String::new(), |share| format!("{share:.4}")));
            }
            text.push('\n');
        }
        text
    }

    fn ranges_csv(&self, ranges: &[Range]) -> String {
        let mut text = String::from("answer,conditions");
        for (name, _, _) in self.quantities() {
            let _ = write!(text, ",{0}_low,{0}_high", csv(&name));
        }
        text.push('\n');
        for range in ranges {
            let _ = write!(text, "{},{}", csv(&range.answer), range.conditions);
            for span in &range.spans {
                match span {
                    Some((low, high)) => _ = write!(text, ",{low:?},{high:?}"),
                    None => text.push_str(",,"),
                }
            }
            text.push('\n');
        }
        text
    }
}

/// The page's JSON as the same table.
fn from_json(path: &Path) -> Result<Table> {
    let origin = path.display().to_string();
    let file: Value = serde_json::from_str(&library::read(path)?)
        .map_err(|e| Error::BadInput(format!("{origin}:{}: not JSON: {e}", e.line())))?;
    let Some(answers) = file["answers"].as_array() else {
        return bad(format!("{origin}: holds no answers; save them from the listening page"));
    };
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let row = |(i, a): (usize, &Value)| {
        (
            i + 1,
            vec![text(&file["set"]), text(&file["listener"]), text(&a["trial"]), text(&a["file"]), text(&a["answer"])],
        )
    };
    let names = ["set", "listener", "trial", "file", "answer"].map(str::to_owned).to_vec();
    Ok(Table { origin, names, rows: answers.iter().enumerate().map(row).collect() })
}

/// A cell of a CSV file.
fn csv(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
