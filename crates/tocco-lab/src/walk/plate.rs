// SPDX-License-Identifier: MIT OR Apache-2.0
//! A record of a force plate, or of sensors in shoes, as a table of text.
//!
//! One header line names the columns with their units, as `time_s` or `time [s]`. Forces are either the four regions (`heel_left`,
//! `toe_left`, `heel_right`, `toe_right`), or one column for each foot (`left`, `right`), or one for the plate (`force`, `fz`), on which
//! feet take turns. Where a foot is one column, heel and toe share it as in a walking step. Cells are parted by comma, semicolon
//! or tab; lines that begin with # are not read.

use super::{Feet, REGIONS};
use crate::error::{Result, bad};
use crate::library;
use std::path::Path;
use tocco::gait::curve::{GRAVITY, WalkCurve};
use tocco::scene::error::nearest;

/// Below this a foot is lifted, BW: the noise of plates.
const LIFTED_BW: f64 = 0.02;
/// Above this it stands.
const STANDS_BW: f64 = 0.05;
/// No foot presses more, BW.
const MOST_BW: f64 = 10.0;
/// Shortest contact, s.
const SHORTEST_S: f64 = 0.05;
/// Time between two lines, s.
const LONGEST_STEP_S: f64 = 0.05;
/// Longest record, s.
const LONGEST_S: f64 = 3600.0;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Column {
    /// Time, with the factor to s.
    Time(f64),
    /// A region or foot, by its place among the names, with its unit.
    Force(usize, Unit),
    /// Something else.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit {
    /// With the factor to N.
    Newton(f64),
    BodyWeight,
}

/// Names of columns of force: regions, feet, the plate.
const NAMES: [&str; 8] = ["heel_left", "toe_left", "heel_right", "toe_right", "left", "right", "force", "fz"];

/// Reads the record of a file for somebody of this mass, kg.
pub fn read(path: &Path, mass_kg: f64) -> Result<Feet> {
    parse(&library::read(path)?, &path.display().to_string(), mass_kg)
}

/// As [`read`], from text.
pub fn parse(text: &str, called: &str, mass_kg: f64) -> Result<Feet> {
    let mut lines = text
        .trim_start_matches('\u{feff}')
        .lines()
        .enumerate()
        .map(|(n, line)| (n + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let Some((at, head)) = lines.next() else { return bad(format!("{called}: there is nothing in it")) };
    let mark = [';', '\t', ','].into_iter().find(|mark| head.contains(*mark)).unwrap_or(',');
    let cells =
        |line: &str| -> Vec<String> { line.split(mark).map(|cell| cell.trim().trim_matches('"').to_owned()).collect() };
    let names = cells(head);
    let columns = names.iter().map(|name| column(name, called, at)).collect::<Result<Vec<_>>>()?;
    let forces: Vec<usize> =
        columns.iter().filter_map(|c| if let Column::Force(k, _) = c { Some(*k) } else { None }).collect();
    let kind = layout(&forces, called, at)?;
    if columns.iter().filter(|c| matches!(c, Column::Time(_))).count() != 1 {
        return bad(format!("{called}:{at}: needs one column of time, as time_s or time_ms"));
    }
    let (mut times, mut values): (Vec<f64>, Vec<[f64; NAMES.len()]>) = (Vec::new(), Vec::new());
    for (at, line) in lines {
        let row = cells(line);
        if row.len() != names.len() {
            return bad(format!("{called}:{at}: {} cells and {} columns; a line is not whole", row.len(), names.len()));
        }
        let mut forces = [0.0; NAMES.len()];
        for ((cell, name), column) in row.iter().zip(&names).zip(&columns) {
            if *column == Column::Other {
                continue;
            }
            if cell.is_empty() {
                return bad(format!("{called}:{at}: column {name} is empty; a record without gaps is needed"));
            }
            let number: f64 = match cell.replace(',', ".").parse() {
                Ok(number) if f64::is_finite(number) => number,
                _ => return bad(format!("{called}:{at}: '{}' in column {name} is not a number", clip(cell))),
            };
            match column {
                Column::Time(factor) => {
                    let time = factor * number;
                    if let Some(last) = times.last().filter(|last| time <= **last) {
                        return bad(format!(
                            "{called}:{at}: {time} s after {last} s; time must rise from line to line"
                        ));
                    }
                    if let Some(last) = times.last().filter(|last| time - **last > LONGEST_STEP_S) {
                        let gap = time - last;
                        return bad(format!(
                            "{called}:{at}: a gap of {gap:.3} s after {last} s; a record without gaps, with a line every 50 ms or more often, is needed (is its time in the unit it says?)"
                        ));
                    }
                    times.push(time);
                }
                Column::Force(k, Unit::Newton(factor)) => forces[*k] = factor * number / (mass_kg * GRAVITY),
                Column::Force(k, Unit::BodyWeight) => forces[*k] = number,
                Column::Other => {}
            }
        }
        values.push(forces);
    }
    let [Some(first), Some(last)] = [times.first().copied(), times.last().copied()] else {
        return bad(format!("{called}: there are no lines below the header"));
    };
    if times.len() < 3 || last - first > LONGEST_S {
        return bad(format!("{called}: {} lines over {:.1} s; give 3 lines to an hour", times.len(), last - first));
    }
    weigh(&values, kind, called)?;
    Ok(split(&resampled(&times, &values), kind))
}

/// What the columns of force are, all together.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Layout {
    Regions,
    Feet,
    Plate(usize),
}

fn layout(forces: &[usize], called: &str, at: usize) -> Result<Layout> {
    let mut sorted = forces.to_vec();
    sorted.sort_unstable();
    match sorted.as_slice() {
        [0, 1, 2, 3] => Ok(Layout::Regions),
        [4, 5] => Ok(Layout::Feet),
        [one @ (6 | 7)] => Ok(Layout::Plate(*one)),
        _ => bad(format!(
            "{called}:{at}: columns of force are the four regions ({}), or left and right, or force; with units, as heel_left_N or left_BW",
            REGIONS.join(", ")
        )),
    }
}

/// A name with its unit.
fn column(name: &str, called: &str, at: usize) -> Result<Column> {
    let plain: String = name.to_lowercase().replace(['[', '(', ' ', '-'], "_").replace([']', ')'], "");
    let plain = plain.replace("__", "_");
    let known = |name: &str| NAMES.iter().position(|known| *known == name);
    if ["time", "t"].contains(&plain.as_str()) {
        return bad(format!("{called}:{at}: column {name} has no unit; write time_s or time_ms"));
    }
    if let Some(k) = known(&plain) {
        let known = NAMES[k];
        return bad(format!("{called}:{at}: column {name} has no unit; write {known}_N, {known}_kN or {known}_BW"));
    }
    let Some((stem, unit)) = plain.rsplit_once('_') else { return Ok(Column::Other) };
    if ["time", "t"].contains(&stem) {
        return match unit {
            "s" => Ok(Column::Time(1.0)),
            "ms" => Ok(Column::Time(1e-3)),
            _ => bad(format!("{called}:{at}: column {name}: unit '{unit}' is not known; time is in s or ms")),
        };
    }
    let Some(k) = known(stem) else {
        // A slip of a name that is needed is said; what a laboratory adds (moments, markers) is not read.
        let near = nearest(stem, NAMES);
        let slip = ["n", "kn", "bw"].contains(&unit) && near.contains('\'');
        return if slip {
            bad(format!("{called}:{at}: column {name}: no such region{near}"))
        } else {
            Ok(Column::Other)
        };
    };
    match unit {
        "n" => Ok(Column::Force(k, Unit::Newton(1.0))),
        "kn" => Ok(Column::Force(k, Unit::Newton(1e3))),
        "bw" => Ok(Column::Force(k, Unit::BodyWeight)),
        _ => bad(format!(
            "{called}:{at}: column {name}: unit '{unit}' is not known; forces are in N, kN or BW (body weights)"
        )),
    }
}

fn clip(cell: &str) -> String {
    if cell.chars().count() > 24 {
        format!("{}...", cell.chars().take(24).collect::<String>())
    } else {
        cell.to_owned()
    }
}

/// Refuses forces that no foot makes.
fn weigh(values: &[[f64; NAMES.len()]], kind: Layout, called: &str) -> Result<()> {
    let used: &[usize] = match kind {
        Layout::Regions => &[0, 1, 2, 3],
        Layout::Feet => &[4, 5],
        Layout::Plate(6) => &[6],
        Layout::Plate(_) => &[7],
    };
    let all = || values.iter().flat_map(|row| used.iter().map(|k| row[*k]));
    let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    if most > MOST_BW {
        return bad(format!(
            "{called}: up to {most:.0} body weights; is the unit right (N, kN, BW), and --mass the walker's?"
        ));
    }
    if -least > most.max(STANDS_BW) {
        return bad(format!(
            "{called}: forces are negative (down to {least:.2} body weights); turn their sign: pressing down is positive"
        ));
    }
    if most < STANDS_BW {
        return bad(format!(
            "{called}: no foot ever stands: at most {most:.4} body weights; is the unit right (N, kN, BW), and --mass the walker's?"
        ));
    }
    Ok(())
}

/// Columns on the grid of 1 ms, without what is noise.
fn resampled(times: &[f64], values: &[[f64; NAMES.len()]]) -> Vec<[f64; NAMES.len()]> {
    let count = (1e3 * (times[times.len() - 1] - times[0])) as usize + 1;
    let mut next = 1;
    (0..count)
        .map(|k| {
            let time = times[0] + 1e-3 * k as f64;
            while next + 1 < times.len() && times[next] < time {
                next += 1;
            }
            let part = ((time - times[next - 1]) / (times[next] - times[next - 1])).clamp(0.0, 1.0);
            std::array::from_fn(|c| {
                let force = values[next - 1][c] + (values[next][c] - values[next - 1][c]) * part;
                if force < LIFTED_BW { 0.0 } else { force }
            })
        })
        .collect()
}

/// Stretches in which a foot stands.
fn stances(force: &[f64]) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let mut from = None;
    for (k, force) in force.iter().chain(&[0.0]).enumerate() {
        match from {
            None if *force > 0.0 => from = Some((k, *force)),
            Some((start, most)) if *force == 0.0 => {
                if most > STANDS_BW && (k - start) as f64 * 1e-3 >= SHORTEST_S {
                    all.push((start, k));
                }
                from = None;
            }
            Some((start, most)) => from = Some((start, most.max(*force))),
            None => {}
        }
    }
    all
}

/// The four regions.
fn split(rows: &[[f64; NAMES.len()]], kind: Layout) -> Feet {
    let mut feet = Feet::default();
    feet.regions.iter_mut().for_each(|region| region.resize(rows.len(), 0.0));
    let column = |k: usize| -> Vec<f64> { rows.iter().map(|row| row[k]).collect() };
    let curve = WalkCurve::at_speed(1.3);
    let share = |feet: &mut Feet, foot: usize, force: &[f64], (from, to): (usize, usize)| {
        for (k, value) in force.iter().enumerate().take(to).skip(from) {
            let heel = curve.heel_share((k - from) as f64 / (to - from) as f64);
            feet.regions[2 * foot][k] = heel * value;
            feet.regions[2 * foot + 1][k] = (1.0 - heel) * value;
        }
        feet.steps.push(1e-3 * from as f64);
    };
    match kind {
        Layout::Regions => {
            for k in 0..4 {
                feet.regions[k] = column(k);
            }
            for foot in 0..2 {
                let whole: Vec<f64> =
                    (0..rows.len()).map(|k| feet.regions[2 * foot][k] + feet.regions[2 * foot + 1][k]).collect();
                feet.steps.extend(stances(&whole).iter().map(|(from, _)| 1e-3 * *from as f64));
            }
        }
        Layout::Feet => {
            for foot in 0..2 {
                let force = column(4 + foot);
                for stance in stances(&force) {
                    share(&mut feet, foot, &force, stance);
                }
            }
        }
        Layout::Plate(k) => {
            let force = column(k);
            for (n, stance) in stances(&force).into_iter().enumerate() {
                share(&mut feet, n % 2, &force, stance);
            }
        }
    }
    feet.steps.sort_by(f64::total_cmp);
    feet
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stance(k: i32) -> f64 {
        WalkCurve::at_speed(1.3).force(f64::from(k) / 650.0)
    }

    #[test]
    fn feet_in_newtons_become_regions_in_body_weights_whose_sum_they_are() {
        let mut text = String::from("# laboratory\ntime [s];left (N);right (N);moment_Nm\n");
        for k in 0..1500 {
            let (left, right) =
                (if k < 650 { stance(k) } else { 0.0 }, if (600..1250).contains(&k) { stance(k - 600) } else { 0.0 });
            text += &format!("{};{};{};0\n", f64::from(k) * 1e-3, 700.0 * left, 700.0 * right - 3.0);
        }
        let feet = parse(&text, "plate.csv", 700.0 / GRAVITY).unwrap();
        assert_eq!(feet.steps.len(), 2);
        assert!((feet.steps[1] - 0.6).abs() < 0.003, "{:?}", feet.steps);
        for k in [50, 200, 400] {
            let sum = feet.regions[0][k as usize] + feet.regions[1][k as usize];
            assert!((sum - stance(k)).abs() < 1e-9, "{k}: {sum}");
        }
        assert!(feet.regions[0][100] > 0.5 && feet.regions[1][500] > 0.5);
    }

    #[test]
    fn one_plate_is_walked_by_feet_in_turn_and_regions_are_taken_as_they_are() {
        let mut plate = String::from("time_ms,fz_kN\n");
        let mut regions = String::from("time_s\theel_left_BW\ttoe_left_BW\theel_right_BW\ttoe_right_BW\n");
        for k in 0..2000 {
            let force = if k % 800 < 650 { stance(k % 800) } else { 0.0 };
            plate += &format!("{k},{}\n", 0.7 * force);
            regions += &format!("{}\t{force}\t0\t0\t{}\n", f64::from(k) * 1e-3, 0.5 * force);
        }
        let feet = parse(&plate, "p", 700.0 / GRAVITY).unwrap();
        assert_eq!(feet.steps.len(), 3);
        assert!(feet.regions[0][100] > 0.1 && feet.regions[2][100] == 0.0 && feet.regions[2][900] > 0.1);
        let feet = parse(&regions, "p", 70.0).unwrap();
        assert_eq!((feet.steps.len(), feet.regions[1][300]), (6, 0.0));
        assert!((feet.regions[3][300] - 0.5 * stance(300)).abs() < 1e-9);
    }

    #[test]
    fn a_bad_record_is_answered_in_one_line_that_says_where() {
        let row = |k: i32| format!("{},{}\n", f64::from(k) * 1e-3, 700.0 * stance(k));
        let rows: String = (0..650).map(row).collect();
        let good = format!("time_s,force_N\n{rows}");
        assert!(parse(&good, "p.csv", 71.4).is_ok());
        for (text, said) in [
            (good.replace("0.1,", "abc,"), "p.csv:102: 'abc' in column time_s is not a number"),
            (
                good.replace("time_s,force_N", "time_s,force"),
                "p.csv:1: column force has no unit; write force_N, force_kN or force_BW",
            ),
            (good.replace("time_s,", "time,"), "p.csv:1: column time has no unit; write time_s or time_ms"),
            (good.replace("force_N", "force_lbf"), "p.csv:1: column force_lbf: unit 'lbf' is not known"),
            (good.replace("force_N", "force_BW"), "body weights; is the unit right"),
            (good.replace("force_N", "force_kN"), "body weights; is the unit right"),
            (good.replace("0.3,", "0.2,"), "0.2 s after 0.299 s; time must rise"),
            (good.replace("0.3,", "0.299,"), "0.299 s after 0.299 s; time must rise"),
            (
                format!(
                    "time_s,force_N\n{}{}",
                    (0..300).map(row).collect::<String>(),
                    (400..650).map(row).collect::<String>()
                ),
                "p.csv:302: a gap of 0.101 s after 0.299 s",
            ),
            (good.replace("0.05,", "0.05,,"), "p.csv:52: 3 cells and 2 columns"),
            ("time_s,force_N\n0,\n".into(), "p.csv:2: column force_N is empty"),
            ("time_s,heel_left_N,left_N\n".into(), "columns of force are the four regions"),
            ("time_s,hel_left_N\n0,1\n".into(), "no such region"),
            ("time_s,force_N\n".into(), "no lines below the header"),
            (String::new(), "nothing in it"),
            ("force_N\n1\n".into(), "needs one column of time"),
            ("time_s,force_N\n0,0\n0.01,1\n0.02,1\n".into(), "no foot ever stands"),
            ("time_s,force_N\n0,0\n0.01,-700\n0.02,-700\n".into(), "turn their sign"),
        ] {
            let line = parse(&text, "p.csv", 71.4).unwrap_err().to_string();
            assert!(line.contains(said) && !line.contains('\n'), "wanted '{said}', got '{line}'");
        }
    }
}
