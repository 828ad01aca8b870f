// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco reproduce`: the papers' tables and figures, theirs beside ours.
//!
//! One file per group of items. An item computes the paper's side (printed numbers, closed forms, the papers' own
//! schemes from `tocco::papers`) and ours (the engine with its default settings, through a scene), compares them row by
//! row, and returns tables, a picture and what it could not check.

mod adhesion;
mod attack;
mod blow;
mod bounce;
mod bow;
mod cello;
mod contact_time;
mod crackle;
mod dam;
mod felt;
mod fit;
mod footsteps;
mod graphic;
mod listener;
mod materials;
mod membrane;
mod micro;
mod noise;
mod phase;
mod presliding;
mod rub;
mod schemes;
mod solver;
mod spectra;
mod stribeck;
mod table_2_1;
mod table_8_1;
mod type_two;
mod water;

use crate::plot::Figure;
use std::fmt::Write as _;
use std::path::Path;

/// What an item found.
#[derive(Clone, Debug, Default)]
struct Outcome {
    /// Paper and ours, line by line.
    rows: Vec<Row>,
    /// What stands beside ours when it is not the paper: a reference computed apart.
    beside: Option<&'static str>,
    /// Why the verdict is qualitative, where the paper prints no parameters or numbers.
    qualitative: Option<String>,
    /// What a reader should know.
    notes: Vec<String>,
    /// The numbers behind the picture.
    csv: Csv,
    figure: Figure,
    /// A scene that does it, for the reader to play with.
    scene: String,
}

/// One comparison.
#[derive(Clone, Debug)]
struct Row {
    what: String,
    paper: String,
    ours: String,
    limit: String,
    reached: bool,
}

impl Outcome {
    /// Numbers that must agree to within a limit on their difference.
    fn near(&mut self, what: impl Into<String>, paper: f64, ours: f64, limit: f64, digits: usize) {
        self.rows.push(Row {
            what: what.into(),
            paper: format!("{paper:.digits$}"),
            ours: format!("{ours:.digits$}"),
            limit: format!("± {}", short(limit)),
            reached: (ours - paper).abs() <= limit,
        });
    }

    /// Numbers that must agree to within a percentage.
    fn within_percent(&mut self, what: impl Into<String>, paper: f64, ours: f64, percent: f64) {
        self.rows.push(Row {
            what: what.into(),
            paper: short(paper),
            ours: format!("{} ({:+.3} %)", short(ours), 100.0 * (ours / paper - 1.0)),
            limit: format!("± {} %", short(percent)),
            reached: (ours / paper - 1.0).abs() <= 0.01 * percent,
        });
    }

    /// A statement of the paper and whether our numbers bear it out.
    fn holds(&mut self, what: impl Into<String>, paper: impl Into<String>, ours: impl Into<String>, reached: bool) {
        self.rows.push(Row {
            what: what.into(),
            paper: paper.into(),
            ours: ours.into(),
            limit: String::new(),
            reached,
        });
    }

    fn reached(&self) -> bool {
        self.rows.iter().all(|row| row.reached)
    }
}

/// A table of numbers as text.
#[derive(Clone, Debug, Default)]
struct Csv {
    text: String,
}

impl Csv {
    fn new(columns: &[&str]) -> Self {
        Self { text: columns.join(",") + "\n" }
    }

    fn row(&mut self, label: &[&str], values: &[f64]) {
        let mut cells: Vec<String> = label.iter().map(|cell| (*cell).to_string()).collect();
        // A value that does not exist is an empty cell.
        cells.extend(values.iter().map(|v| if v.is_finite() { format!("{v:e}") } else { String::new() }));
        self.text.push_str(&cells.join(","));
        self.text.push('\n');
    }
}

struct Item {
    /// The paper by author and year, then what of it.
    id: &'static str,
    /// What it was called before, and what is the same thing elsewhere.
    aliases: &'static [&'static str],
    title: &'static str,
    compute: fn() -> Result<Outcome, String>,
}

impl Item {
    const fn new(
        id: &'static str,
        aliases: &'static [&'static str],
        title: &'static str,
        compute: fn() -> Result<Outcome, String>,
    ) -> Self {
        Self { id, aliases, title, compute }
    }

    fn answers_to(&self, word: &str) -> bool {
        self.id == word || self.aliases.contains(&word)
    }
}

const ITEMS: &[Item] = &[
    Item::new(
        "desena-2009-table-2.1",
        &["002-table-2.1", "table-2.1"],
        "De Sena et al. 2009, Table 2.1: errors of the papers' schemes on two hard impacts",
        table_2_1::compute,
    ),
    Item::new(
        "desena-2009-fig-2.1",
        &["002-fig-2.1", "fig-2.1", "fig-2.2", "002-fig-2.2", "desena-2009-fig-2.2"],
        "De Sena et al. 2009, Figures 2.1 and 2.2: phase portrait and compression-force characteristics",
        phase::figure_2_1,
    ),
    Item::new(
        "desena-2009-fig-2.3",
        &["002-fig-2.3", "fig-2.3"],
        "De Sena et al. 2009, Figure 2.3: error of the fitted rebound",
        fit::compute,
    ),
    Item::new(
        "desena-2009-fig-2.4",
        &["002-fig-2.4", "fig-2.4"],
        "De Sena et al. 2009, Figure 2.4: soft impact, all schemes",
        schemes::figure_2_4,
    ),
    Item::new(
        "desena-2009-fig-2.5",
        &["002-fig-2.5", "fig-2.5"],
        "De Sena et al. 2009, Figure 2.5: hard impact, case 1",
        schemes::figure_2_5,
    ),
    Item::new(
        "desena-2009-fig-2.6",
        &["002-fig-2.6", "fig-2.6"],
        "De Sena et al. 2009, Figure 2.6: hard impact, case 2",
        schemes::figure_2_6,
    ),
    Item::new(
        "desena-2009-fig-2.7",
        &["002-fig-2.7", "fig-2.7"],
        "De Sena et al. 2009, Figure 2.7: the closed-form corrections",
        schemes::figure_2_7,
    ),
    Item::new(
        "desena-2009-fig-2.8",
        &["002-fig-2.8", "fig-2.8"],
        "De Sena et al. 2009, Figure 2.8: errors accumulate in bouncing",
        bounce::figure_2_8,
    ),
    Item::new(
        "desena-2009-bouncing",
        &["002-bouncing", "bouncing"],
        "De Sena et al. 2009: instants and rebounds of a bouncing mass",
        bounce::instants,
    ),
    Item::new(
        "avanzini-2001-contact-time",
        &["003-contact-time", "contact-time"],
        "Avanzini 2001, (5.17): contact time, rebound and depth for 17 parameter sets",
        contact_time::table,
    ),
    Item::new(
        "avanzini-2001-fig-5.2",
        &["003-fig-5.2", "fig-5.2"],
        "Avanzini 2001, Figure 5.2: a transient attack, three partials",
        attack::compute,
    ),
    Item::new(
        "avanzini-2001-fig-5.3",
        &["003-fig-5.3", "fig-5.3"],
        "Avanzini 2001, Figure 5.3: graphic study of the rebound",
        graphic::compute,
    ),
    Item::new(
        "avanzini-2001-fig-5.4",
        &["003-fig-5.4", "fig-5.4"],
        "Avanzini 2001, Figure 5.4: rebound and contact time, type I (rigid surface)",
        contact_time::figure_5_4,
    ),
    Item::new(
        "avanzini-2001-fig-5.5",
        &["003-fig-5.5", "fig-5.5"],
        "Avanzini 2001, Figure 5.5: contact time, type II (resonator)",
        type_two::compute,
    ),
    Item::new(
        "avanzini-2001-fig-5.6",
        &["003-fig-5.6", "fig-5.6"],
        "Avanzini 2001, Figure 5.6: what a model listener takes a hundred sounds for",
        listener::compute,
    ),
    Item::new(
        "avanzini-2001-table-5.2",
        &["003-table-5.2", "table-5.2"],
        "Avanzini 2001, Table 5.2: quality and decay that listeners take for a material",
        materials::table_5_2,
    ),
    Item::new(
        "avanzini-2001-fig-5.7",
        &["003-fig-5.7", "fig-5.7"],
        "Avanzini 2001, Figure 5.7: materials on the q/omega, t_e plane",
        materials::figure_5_7,
    ),
    Item::new(
        "avanzini-2003-fig-8.1",
        &["000-fig-8.1", "fig-8.1"],
        "Avanzini et al. 2003, Figure 8.1: modes (1,1) and (1,2) of a circular membrane",
        membrane::compute,
    ),
    Item::new(
        "avanzini-2003-fig-8.3",
        &["000-fig-8.3", "fig-8.3", "fig-5.1", "003-fig-5.1", "avanzini-2001-fig-5.1"],
        "Avanzini et al. 2003, Figure 8.3, Avanzini 2001, Figure 5.1: hammer on a massive surface, phase portrait and force",
        phase::figure_8_3,
    ),
    Item::new(
        "avanzini-2003-fig-8.5",
        &["000-fig-8.5", "fig-8.5"],
        "Avanzini et al. 2003, Figure 8.5: the static friction curve",
        stribeck::compute,
    ),
    Item::new(
        "avanzini-2003-fig-8.7",
        &["000-fig-8.7", "fig-8.7"],
        "Avanzini et al. 2003, Figure 8.7: fractal noise, and its slopes",
        noise::compute,
    ),
    Item::new(
        "avanzini-2003-fig-8.9",
        &["000-fig-8.9", "fig-8.9"],
        "Avanzini et al. 2003, Figure 8.9: spectra of a soft and a hard mallet",
        spectra::compute,
    ),
    Item::new(
        "avanzini-2003-fig-8.10",
        &["000-fig-8.10", "fig-8.10"],
        "Avanzini et al. 2003, Figure 8.10: impact on an oscillating resonator; micro-collisions",
        micro::compute,
    ),
    Item::new(
        "avanzini-2003-table-8.1",
        &["000-table-8.1", "table-8.1"],
        "Avanzini et al. 2003, Table 8.1: what each friction parameter does to the sound",
        table_8_1::compute,
    ),
    Item::new(
        "avanzini-2003-felt",
        &["000-felt"],
        "Avanzini et al. 2003, (8.9), (8.10): felt that remembers how it was squeezed",
        felt::compute,
    ),
    Item::new(
        "avanzini-2003-iterations",
        &["000-iterations", "iterations"],
        "Avanzini et al. 2003, appendix: roots and evaluations of a friction step, beside the papers' plain Newton",
        solver::compute,
    ),
    Item::new(
        "desena-2009-collisions",
        &["002-collisions"],
        "De Sena et al. 2009, 3.3: waiting times between collisions",
        crackle::collisions,
    ),
    Item::new(
        "desena-2009-crumple",
        &["002-crumple"],
        "De Sena et al. 2009, 2.2.3: the power law of crumpling, from events and from sound",
        crackle::crumpling,
    ),
    Item::new(
        "desena-2009-table-4.1",
        &["002-table-4.1"],
        "De Sena et al. 2009, Table 4.1: what radius and rise do to a bubble, read from its sound",
        water::table_4_1,
    ),
    Item::new(
        "desena-2009-fig-4.1",
        &["002-fig-4.1"],
        "De Sena et al. 2009, Figure 4.1: what sounds in an empty, a filling and a full container",
        water::figure_4_1,
    ),
    Item::new(
        "desena-2009-fig-4.2",
        &["002-fig-4.2"],
        "De Sena et al. 2009, Figure 4.2: a bubble and an impact",
        water::figure_4_2,
    ),
    Item::new(
        "desena-2009-coincidence",
        &["002-coincidence"],
        "De Sena et al. 2009, chapter 8: the tone of thin ice",
        water::coincidence,
    ),
    Item::new(
        "desena-2009-fig-4.3",
        &["002-fig-4.3"],
        "De Sena et al. 2009, 4.3, Figures 4.1 and 4.3: first contact, first bubble, rules by level",
        dam::splash,
    ),
    Item::new(
        "desena-2009-dam-front",
        &["002-dam-front"],
        "De Sena et al. 2009, 4.3: the front of a broken dam, beside Martin and Moyce",
        dam::front,
    ),
    Item::new(
        "desena-2009-table-5.1",
        &["002-table-5.1"],
        "De Sena et al. 2009, Table 5.1: bands of recorded floors, as Hz",
        footsteps::table_5_1,
    ),
    Item::new(
        "desena-2009-envelope",
        &["002-envelope"],
        "De Sena et al. 2009, (5.1) to (5.4): envelopes of steps",
        footsteps::envelopes,
    ),
    Item::new(
        "desena-2009-force",
        &["002-force"],
        "De Sena et al. 2009, 3.4, 7: the force under a walking foot",
        footsteps::force,
    ),
    Item::new(
        "desena-2009-attack",
        &["002-attack"],
        "De Sena et al. 2009, 5.2, 7: what the first milliseconds of a step tell",
        footsteps::attack,
    ),
    Item::new(
        "avanzini-2002-fig-3",
        &["001-fig-3"],
        "Avanzini et al. 2002, Figure 3: the adhesion map",
        adhesion::compute,
    ),
    Item::new(
        "avanzini-2002-string",
        &["001-string"],
        "Avanzini et al. 2002: the cello D string, 147 Hz and Q 500",
        cello::string,
    ),
    Item::new(
        "avanzini-2002-fig-6",
        &["001-fig-6"],
        "Avanzini et al. 2002, Figure 6: bowed cello D, thermal rosin",
        bow::figure_6,
    ),
    Item::new(
        "avanzini-2002-fig-7",
        &["001-fig-7"],
        "Avanzini et al. 2002, Figure 7: bowed cello D, elasto-plastic",
        bow::figure_7,
    ),
    Item::new(
        "avanzini-2002-drift",
        &["001-drift", "drift"],
        "Avanzini et al. 2002, 2.1: presliding drift of LuGre, Dahl and elasto-plastic friction",
        presliding::drift,
    ),
    Item::new(
        "avanzini-2002-stick-slip",
        &["001-stick-slip", "stick-slip"],
        "Avanzini et al. 2002, 2.1: stick-slip of a mass on a spring",
        presliding::stick_slip,
    ),
];

/// Every item: what to type, and what it is.
pub fn items() -> Vec<(&'static str, &'static str)> {
    ITEMS.iter().map(|item| (item.id, item.title)).collect()
}

/// Every word that [`run`] takes: ids, what items were called before, and `all`.
pub fn words() -> impl Iterator<Item = &'static str> {
    ITEMS.iter().flat_map(|item| std::iter::once(item.id).chain(item.aliases.iter().copied())).chain(["all"])
}

/// Words for somebody who asked for an item that is not there: the nearest, by the names that are used today.
pub fn nearest(word: &str) -> String {
    use tocco::scene::error::nearest;
    let near = nearest(word, words().filter(|known| !known.starts_with("00")));
    if near.contains("did you mean") { near } else { nearest(word, ITEMS.iter().map(|item| item.id)) }
}

/// The id of the item that answers to a word.
pub fn id_of(word: &str) -> Option<&'static str> {
    ITEMS.iter().find(|item| item.answers_to(word)).map(|item| item.id)
}

/// Runs one item or `all`, writes `<item>.csv`, `<item>.png` and `<item>.toml` into `out_dir`, and says paper and ours
/// side by side with a verdict. Returns whether everything was reached.
pub fn run(item: &str, out_dir: &Path, say: &mut dyn FnMut(&str)) -> Result<bool, String> {
    let chosen: Vec<&Item> = ITEMS.iter().filter(|known| item == "all" || known.answers_to(item)).collect();
    if chosen.is_empty() {
        return Err(format!("reproduce: there is no item '{item}'{}", nearest(item)));
    }
    std::fs::create_dir_all(out_dir).map_err(|cause| format!("{}: {cause}", out_dir.display()))?;
    let mut all_reached = true;
    for item in chosen {
        let outcome = (item.compute)().map_err(|cause| format!("{}: {cause}", item.id))?;
        write(out_dir, &format!("{}.csv", item.id), outcome.csv.text.as_bytes())?;
        write(out_dir, &format!("{}.png", item.id), &outcome.figure.png()?)?;
        if !outcome.scene.is_empty() {
            write(out_dir, &format!("{}.toml", item.id), outcome.scene.as_bytes())?;
        }
        say(&report(item, &outcome));
        all_reached &= outcome.reached();
    }
    Ok(all_reached)
}

fn write(out_dir: &Path, name: &str, bytes: &[u8]) -> Result<(), String> {
    let (path, part) = (out_dir.join(name), out_dir.join(format!("{name}.part")));
    std::fs::write(&part, bytes)
        .and_then(|()| std::fs::rename(&part, &path))
        .map_err(|cause| format!("{}: {cause}; choose a directory you may write to", path.display()))
}

/// What the terminal shows.
fn report(item: &Item, outcome: &Outcome) -> String {
    let head = ["", outcome.beside.unwrap_or("paper"), "ours", "limit", ""].map(String::from);
    let lines: Vec<[String; 5]> = std::iter::once(head)
        .chain(outcome.rows.iter().map(|row| {
            let mark = if row.reached { "reached" } else { "MISSED" };
            [row.what.clone(), row.paper.clone(), row.ours.clone(), row.limit.clone(), mark.into()]
        }))
        .collect();
    let wide = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths = [wide(0), wide(1), wide(2), wide(3)];
    let mut text = format!("{} ({})\n", item.title, item.id);
    for line in &lines {
        let mut shown = String::from("  ");
        for (cell, width) in line.iter().zip(widths) {
            let _ = write!(shown, "{cell:width$}  ");
        }
        shown.push_str(&line[4]);
        let _ = writeln!(text, "{}", shown.trim_end());
    }
    for note in &outcome.notes {
        let _ = writeln!(text, "  note: {note}");
    }
    let missed = outcome.rows.iter().filter(|row| !row.reached).count();
    let verdict = match (&outcome.qualitative, missed) {
        (None, 0) => "reached".to_string(),
        (Some(why), 0) => format!("qualitative, reached: {why}"),
        (_, n) => format!("MISSED in {n} of {} lines", outcome.rows.len()),
    };
    let _ = writeln!(text, "  verdict: {verdict}");
    text
}

/// A number in at most five significant digits.
fn short(v: f64) -> String {
    if v == 0.0 {
        return "0".into();
    }
    let size = v.abs().log10().floor();
    if !(-3.0..5.0).contains(&size) {
        let long = format!("{v:.4e}");
        let (digits, power) = long.split_once('e').unwrap_or((&long, "0"));
        return format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'));
    }
    let decimals = (4 - size as i32).max(0) as usize;
    let long = format!("{v:.decimals$}");
    if long.contains('.') { long.trim_end_matches('0').trim_end_matches('.').into() } else { long }
}
