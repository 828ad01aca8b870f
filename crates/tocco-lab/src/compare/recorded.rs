// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was measured of real recordings, by kind of sound: numbers only, no recording is part of this program.

use super::Range;

/// A number of a kind of sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Kind of sound.
    pub label: &'static str,
    /// Recordings of it.
    pub files: usize,
    /// A descriptor's id, or `t60_` and the lower edge of an octave in Hz.
    pub id: &'static str,
    /// 10, 50 and 90 %.
    pub parts: [f64; 3],
}

impl Row {
    /// From where to where it goes.
    pub fn range(&self) -> Range {
        let [low, middle, high] = self.parts;
        Range { low, middle, high }
    }
}

/// Scenes and what they are of the kind of: kinds of eight recordings or more.
pub const SCENES: &[(&str, &str)] = &[
    ("marimba", "marimba"),
    ("rosewood-bars", "xylophone"),
    ("timpani", "timpani"),
    ("frame-drum", "frame_drum"),
    ("woodblock", "woodblock"),
    ("woodbar", "woodblock"),
    ("steel-bar", "anvil_metal"),
    ("bar", "anvil_metal"),
    ("plate", "anvil_metal"),
    ("wine-glass-break", "glass_break"),
    ("scrape", "scrape"),
    ("violin", "violin"),
    ("tom", "kit_tom"),
    ("tambourine", "kit_tambourine"),
    ("lithophone", "hit_stone"),
    ("spanner", "hit_metal"),
    ("bowl", "nepalese"),
    ("cowbell-recorded", "kit_cowbell"),
    ("triangle-recorded", "triangle"),
    ("xylophone-recorded", "xylophone"),
    ("marimba-recorded", "marimba"),
    ("anvil-recorded", "anvil_metal"),
    ("hand-drum-recorded", "frame_drum"),
    ("door", "hit_wood"),
    ("door-shut", "door_shut"),
    ("ice-sheet", "ice"),
    ("cymbal", "kit_cymbal"),
    ("djembe", "kit_djembe"),
    ("claves", "kit_claves"),
    ("water-glasses", "hit_glass"),
    ("floor-gravel", "step_gravel"),
    ("floor-gravel-fine", "step_gravel"),
];

/// Kinds of eight recordings or more of which no scene is, and why.
pub const WITHOUT: &[(&str, &str)] =
    &[("kit_hand_percussion", "ten instruments of one kit together: no one sound is of all their kind")];

/// The table: label, number of recordings, what, 10, 50 and 90 %; its head says where they are from.
const TABLE: &str = include_str!("recorded.tsv");

/// Where the recordings of a kind are: a Debian package, and how the paths of its files begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// Kind of sound.
    pub label: &'static str,
    /// Debian package.
    pub package: &'static str,
    /// A folder, and how the names of files in it begin.
    pub begins: &'static str,
}

/// Of each kind that is in packages of Debian, where; those of one kind stand together.
pub fn sources() -> Vec<Source> {
    let source = |line: &'static str| -> Option<Source> {
        let mut cells = line.strip_prefix("#\t")?.split('\t');
        Some(Source { label: cells.next()?, package: cells.next()?, begins: cells.next()? })
    };
    TABLE.lines().filter_map(source).collect()
}

/// Everything that was measured.
pub fn rows() -> Vec<Row> {
    let row = |line: &'static str| -> Option<Row> {
        let mut cells = line.split('\t');
        let (label, files, id) = (cells.next()?, cells.next()?.parse().ok()?, cells.next()?);
        let mut part = || cells.next()?.parse().ok();
        Some(Row { label, files, id, parts: [part()?, part()?, part()?] })
    };
    TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(row).collect()
}

/// Rows as the table holds them.
pub fn written(rows: &[(String, super::Beside)]) -> String {
    use super::describe::{ALL, OCTAVES_HZ};
    let mut text = String::new();
    for (label, beside) in rows {
        let own = ALL.iter().map(|descriptor| descriptor.id.to_owned()).zip(beside.ranges);
        let octaves = OCTAVES_HZ.iter().map(|low_hz| format!("t60_{low_hz}")).zip(beside.octaves);
        for (id, range) in own.chain(octaves).filter_map(|(id, range)| Some((id, range?))) {
            let parts = [range.low, range.middle, range.high].map(super::number_of_table).join("\t");
            text.push_str(&format!("{label}\t{}\t{id}\t{parts}\n", beside.files));
        }
    }
    text
}
