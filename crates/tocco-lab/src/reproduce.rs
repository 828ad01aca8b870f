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
mod fit;
mod footsteps;
mod graphic;
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
    id: &'static str,
    title: &'static str,
    compute: fn() -> Result<Outcome, String>,
}

const ITEMS: &[Item] = &[
    Item {
        id: "table-2.1",
        title: "002 Table 2.1: errors of the papers' schemes on two hard impacts",
        compute: table_2_1::compute,
    },
    Item { id: "fig-2.1", title: "002 Figure 2.1: phase portrait", compute: phase::figure_2_1 },
    Item { id: "fig-2.2", title: "002 Figure 2.2: compression-force characteristics", compute: phase::figure_2_2 },
    Item { id: "fig-2.3", title: "002 Figure 2.3: error of the fitted rebound", compute: fit::compute },
    Item { id: "fig-2.4", title: "002 Figure 2.4: soft impact, all schemes", compute: schemes::figure_2_4 },
    Item { id: "fig-2.5", title: "002 Figure 2.5: hard impact, case 1", compute: schemes::figure_2_5 },
    Item { id: "fig-2.6", title: "002 Figure 2.6: hard impact, case 2", compute: schemes::figure_2_6 },
    Item { id: "fig-2.7", title: "002 Figure 2.7: the closed-form corrections", compute: schemes::figure_2_7 },
    Item { id: "fig-2.8", title: "002 Figure 2.8: errors accumulate in bouncing", compute: bounce::figure_2_8 },
    Item { id: "bouncing", title: "Instants and rebounds of a bouncing mass", compute: bounce::instants },
    Item {
        id: "contact-time",
        title: "Contact time, rebound and depth for 17 parameter sets",
        compute: contact_time::table,
    },
    Item {
        id: "fig-5.1",
        title: "003 Figure 5.1: hammer on a massive surface, phase portrait and force",
        compute: phase::figure_5_1,
    },
    Item { id: "fig-5.2", title: "003 Figure 5.2: a transient attack, three partials", compute: attack::compute },
    Item { id: "fig-5.3", title: "003 Figure 5.3: graphic study of the rebound", compute: graphic::compute },
    Item {
        id: "fig-5.4",
        title: "003 Figure 5.4: rebound and contact time, type I (rigid surface)",
        compute: contact_time::figure_5_4,
    },
    Item { id: "fig-5.5", title: "003 Figure 5.5: contact time, type II (resonator)", compute: type_two::compute },
    Item {
        id: "table-5.2",
        title: "003 Table 5.2: quality and decay that listeners take for a material",
        compute: materials::table_5_2,
    },
    Item {
        id: "fig-5.7",
        title: "003 Figure 5.7: materials on the q/omega, t_e plane",
        compute: materials::figure_5_7,
    },
    Item {
        id: "fig-8.1",
        title: "000 Figure 8.1: modes (1,1) and (1,2) of a circular membrane",
        compute: membrane::compute,
    },
    Item {
        id: "fig-8.3",
        title: "000 Figure 8.3: hammer on a massive surface, phase portrait and force",
        compute: phase::figure_8_3,
    },
    Item { id: "fig-8.5", title: "000 Figure 8.5: the static friction curve", compute: stribeck::compute },
    Item { id: "fig-8.7", title: "000 Figure 8.7: fractal noise, and its slopes", compute: noise::compute },
    Item { id: "fig-8.9", title: "000 Figure 8.9: spectra of a soft and a hard mallet", compute: spectra::compute },
    Item {
        id: "fig-8.10",
        title: "000 Figure 8.10: impact on an oscillating resonator; micro-collisions",
        compute: micro::compute,
    },
    Item {
        id: "table-8.1",
        title: "000 Table 8.1: what each friction parameter does to the sound",
        compute: table_8_1::compute,
    },
    Item { id: "002-collisions", title: "002 3.3: waiting times between collisions", compute: crackle::collisions },
    Item {
        id: "002-crumple",
        title: "002 2.2.3: the power law of crumpling, from events and from sound",
        compute: crackle::crumpling,
    },
    Item {
        id: "002-table-5.1",
        title: "002 Table 5.1: bands of recorded floors, as Hz",
        compute: footsteps::table_5_1,
    },
    Item { id: "002-envelope", title: "002 (5.1) to (5.4): envelopes of steps", compute: footsteps::envelopes },
    Item { id: "002-force", title: "002 3.4, 7: the force under a walking foot", compute: footsteps::force },
    Item {
        id: "002-attack",
        title: "002 5.2, 7: what the first milliseconds of a step tell",
        compute: footsteps::attack,
    },
    Item { id: "001-fig-3", title: "001 Figure 3: the adhesion map", compute: adhesion::compute },
    Item { id: "001-string", title: "001: the cello D string, 147 Hz and Q 500", compute: cello::string },
    Item { id: "001-fig-6", title: "001 Figure 6: bowed cello D, thermal rosin", compute: bow::figure_6 },
    Item { id: "001-fig-7", title: "001 Figure 7: bowed cello D, elasto-plastic", compute: bow::figure_7 },
    Item {
        id: "drift",
        title: "Presliding drift of LuGre, Dahl and elasto-plastic friction",
        compute: presliding::drift,
    },
    Item { id: "stick-slip", title: "Stick-slip of a mass on a spring", compute: presliding::stick_slip },
    Item {
        id: "iterations",
        title: "Evaluations per friction step, beside the papers' plain Newton",
        compute: solver::compute,
    },
];

/// Every item: what to type, and what it is.
pub fn items() -> Vec<(&'static str, &'static str)> {
    ITEMS.iter().map(|item| (item.id, item.title)).collect()
}

/// Runs one item or `all`, writes `<item>.csv`, `<item>.png` and `<item>.toml` into `out_dir`, and says paper and ours
/// side by side with a verdict. Returns whether everything was reached.
pub fn run(item: &str, out_dir: &Path, say: &mut dyn FnMut(&str)) -> Result<bool, String> {
    let chosen: Vec<&Item> = ITEMS.iter().filter(|known| item == "all" || known.id == item).collect();
    if chosen.is_empty() {
        let nearest = tocco::scene::error::nearest(item, ITEMS.iter().map(|known| known.id).chain(["all"]));
        return Err(format!("reproduce: there is no item '{item}'{nearest}"));
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
