// SPDX-License-Identifier: MIT OR Apache-2.0
//! Answers as pictures: proportions over two factors, one panel per answer; and ranges as bars.

use super::{Asked, Range, Row};
use crate::map::Axis;
use crate::map::picture::{fill, fine, frame, ticks, write};
use crate::plot::{FINE, paint, text, tick};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};
use tocco::param::{Scale, position};

type Canvas<'a> = DrawingArea<BitMapBackend<'a>, Shift>;
type Anchor = (HPos, VPos);

const CENTRE: Anchor = (HPos::Center, VPos::Center);
const LEFT: Anchor = (HPos::Left, VPos::Center);
const RIGHT: Anchor = (HPos::Right, VPos::Center);
/// Sizes in pixels of the finished pictures.
const PANEL: (i32, i32) = (252, 440);
const GAP: i32 = 30;
const EDGE: (i32, i32) = (118, 128);
const BELOW: i32 = 150;
/// Room for the levels beside a panel, where they are short.
const BESIDE: i32 = 72;
/// Lines of labels are so far apart, and their letters at most so wide in the mean.
const LINE: i32 = 18;
const LETTER: i32 = 9;
const NOBODY: RGBColor = RGBColor(238, 238, 238);
/// Colours of answers, for bars (Okabe and Ito).
const TINTS: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115), RGBColor(204, 121, 167)];

/// White at 0, dark blue at 1.
fn shade(share: f64) -> RGBColor {
    let mix = |from: f64, to: f64| (from + (to - from) * share.clamp(0.0, 1.0)).round() as u8;
    RGBColor(mix(252.0, 8.0), mix(252.0, 48.0), mix(252.0, 107.0))
}

/// A level as it fits beside an axis: a number to three digits, a word as it is.
fn short(level: &str) -> String {
    let Some(x) = level.parse::<f64>().ok().filter(|x| x.is_finite() && *x != 0.0) else { return level.to_owned() };
    if !(1e-3..1e6).contains(&x.abs()) {
        return format!("{x:.2e}").replace(".00e", "e");
    }
    let decimals = (2 - x.abs().log10().floor() as i32).max(0);
    let text = format!("{x:.*}", decimals as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A factor as an axis is called: its unit, which names end in, apart.
fn label(name: &str) -> String {
    const UNITS: [(&str, &str); 12] = [
        ("_m_s2", "m/s2"),
        ("_m_s", "m/s"),
        ("_n_m", "N/m"),
        ("_n_s", "N s"),
        ("_hz", "Hz"),
        ("_db", "dB"),
        ("_kg", "kg"),
        ("_pa", "Pa"),
        ("_01", "0 to 1"),
        ("_n", "N"),
        ("_m", "m"),
        ("_s", "s"),
    ];
    let known = UNITS.iter().find_map(|(end, unit)| Some((name.strip_suffix(end)?, unit)));
    let (words, unit) = known.filter(|(words, _)| !words.is_empty()).map_or((name, None), |(w, unit)| (w, Some(unit)));
    let words = words.replace(['_', '/'], " ");
    unit.map_or_else(|| words.clone(), |unit| format!("{words} ({unit})"))
}

/// So many listeners, one of them not as several.
pub fn counted(listeners: usize) -> String {
    if listeners == 1 { "1 listener".into() } else { format!("{listeners} listeners") }
}

/// Share of an answer over the first two factors; others are pooled.
fn pooled(rows: &[Row], answer: usize, at: (usize, usize)) -> Option<f64> {
    let here = rows.iter().filter(|row| (row.at[0], row.at.get(1).copied().unwrap_or(0)) == at);
    let (chosen, total) = here.fold((0, 0), |(c, t), row| (c + row.chosen[answer], t + row.total()));
    (total > 0).then(|| chosen as f64 / total as f64)
}

/// One panel per answer: first factor across, second up, the share as a shade. Cells where more than half chose it carry a
/// dot.
pub fn proportions(asked: &Asked, rows: &[Row], listeners: usize) -> Result<Vec<u8>, String> {
    let count = asked.answers.len() as i32;
    let heading = format!("{}: {}", asked.title, counted(listeners));
    let words = "Share of the answers that named each; a dot where it is more than half";
    let below = LINE * placed(&asked.levels[0]).iter().map(|(_, line, _)| *line).max().unwrap_or(0);
    let edge = EDGE.0 - BESIDE + beside(asked);
    let wide = room_for(edge + count * (PANEL.0 + GAP) + 20, &heading, words);
    let size = (wide, EDGE.1 + PANEL.1 + BELOW + below);
    paint(&heading, (size.0 as u32 * FINE, size.1 as u32 * FINE), |canvas| {
        canvas.fill(&WHITE).map_err(text)?;
        write(canvas, &heading, (28, 36), 24, LEFT, false)?;
        write(canvas, words, (28, 68), 17, LEFT, false)?;
        for (answer, word) in asked.answers.iter().enumerate() {
            let left = edge + answer as i32 * (PANEL.0 + GAP);
            panel(canvas, asked, rows, answer, left)?;
            write(canvas, word, (left + PANEL.0 / 2, EDGE.1 - 20), 20, CENTRE, false)?;
        }
        let (left, top) = (edge, EDGE.1 + PANEL.1 + 100 + below);
        for k in 0..260 {
            fill(canvas, fine((left + k, top)), fine((left + k + 1, top + 16)), shade(f64::from(k) / 259.0))?;
        }
        frame(canvas, (left, top), (left + 260, top + 16))?;
        for (part, words) in [(0, "0"), (1, "1/2"), (2, "1")] {
            write(canvas, words, (left + 130 * part, top + 28), 15, CENTRE, false)?;
        }
        fill(canvas, fine((left + 310, top)), fine((left + 326, top + 16)), NOBODY)?;
        frame(canvas, (left + 310, top), (left + 326, top + 16))?;
        write(canvas, "nobody answered", (left + 336, top + 8), 16, LEFT, false)
    })
}

fn panel(canvas: &Canvas<'_>, asked: &Asked, rows: &[Row], answer: usize, left: i32) -> Result<(), String> {
    let one = vec![String::new()];
    let (across, up) = (&asked.levels[0], asked.levels.get(1).unwrap_or(&one));
    let (columns, lines) = (across.len() as i32, up.len() as i32);
    let (x0, y0) = fine((left, EDGE.1));
    let (wide, high) = fine(PANEL);
    for i in 0..columns {
        for j in 0..lines {
            let share = pooled(rows, answer, (i as usize, j as usize));
            let k = lines - 1 - j;
            let from = (x0 + i * wide / columns, y0 + k * high / lines);
            let to = (x0 + (i + 1) * wide / columns, y0 + (k + 1) * high / lines);
            fill(canvas, from, to, share.map_or(NOBODY, shade))?;
            if share.is_some_and(|share| share > 0.5) {
                let radius = ((to.0 - from.0).min(to.1 - from.1) / 7).max(2);
                let middle = ((from.0 + to.0) / 2, (from.1 + to.1) / 2);
                canvas.draw(&Circle::new(middle, radius, RGBColor(255, 190, 60).filled())).map_err(text)?;
            }
        }
    }
    let bottom = EDGE.1 + PANEL.1;
    frame(canvas, (left, EDGE.1), (left + PANEL.0, bottom))?;
    let labels = placed(across);
    for (at, line, words) in &labels {
        write(canvas, words, (left + at, bottom + 16 + LINE * line), 15, CENTRE, false)?;
    }
    let below = LINE * labels.iter().map(|(_, line, _)| *line).max().unwrap_or(0);
    write(canvas, &label(&asked.factors[0].0), (left + PANEL.0 / 2, bottom + 46 + below), 17, CENTRE, false)?;
    if answer == 0 {
        for j in (0..lines).step_by(every(lines, PANEL.1, 20)) {
            let at = bottom - (2 * j + 1) * PANEL.1 / (2 * lines);
            write(canvas, &short(&up[j as usize]), (left - 8, at), 15, RIGHT, false)?;
        }
        if let Some((name, _)) = asked.factors.get(1) {
            write(canvas, &label(name), (left - 8 - beside(asked), EDGE.1 + PANEL.1 / 2), 17, CENTRE, true)?;
        }
    }
    Ok(())
}

/// Levels below a panel: where the middle of each stands from the panel's left, on which line, and its words. Numbers thin out until each has
/// room, as the others are between them; words are all there, on as many lines as they need.
fn placed(levels: &[String]) -> Vec<(i32, i32, String)> {
    let (n, need) = (levels.len() as i32, longest(levels));
    let middle = |i: i32| (2 * i + 1) * PANEL.0 / (2 * n);
    let step = every(n, PANEL.0, need) as i32;
    if step == 1 || levels.iter().all(|level| level.parse::<f64>().is_ok()) {
        let shown = (0..n).step_by(step as usize);
        return shown.map(|i| (middle(i), 0, short(&levels[i as usize]))).collect();
    }
    let most = ((PANEL.0 + GAP - 10) / LETTER) as usize;
    // Those at the ends stay beside their own panel, which brings them nearer to the others.
    let half = need.min(PANEL.0 + GAP) / 2;
    let inside = |at: i32| at.clamp(half - GAP / 2, PANEL.0 + GAP / 2 - half);
    let lines = (step..n).find(|lines| (*lines..n).all(|i| inside(middle(i)) - inside(middle(i - lines)) >= need));
    let clipped = |words: String| match words.char_indices().nth(most) {
        Some((end, _)) => format!("{}\u{2026}", words[..end].trim_end()),
        None => words,
    };
    (0..n).map(|i| (inside(middle(i)), i % lines.unwrap_or(n), clipped(short(&levels[i as usize])))).collect()
}

/// Room that the second factor's levels take beside the first panel.
fn beside(asked: &Asked) -> i32 {
    BESIDE.max(asked.levels.get(1).map_or(0, |up| longest(up)))
}

/// How wide a picture is that has room for its heading and the words below it.
fn room_for(least: i32, heading: &str, words: &str) -> i32 {
    let needs = |text: &str, size: i32| 2 * 28 + 11 * size * text.chars().count() as i32 / 20;
    least.max(needs(heading, 24)).max(needs(words, 17))
}

/// Room that the longest of some labels needs across, pixels, with what keeps it from the next.
fn longest(levels: &[String]) -> i32 {
    10 + LETTER * levels.iter().map(|level| short(level).chars().count()).max().unwrap_or(0) as i32
}

/// Labels thin out until each has room: every how many of `n` is written.
fn every(n: i32, room: i32, need: i32) -> usize {
    (1..n.max(1)).find(|step| room * step / n >= need).unwrap_or(n.max(1)) as usize
}

/// A panel of bars per quantity.
pub fn ranges(asked: &Asked, ranges: &[Range]) -> Result<Vec<u8>, String> {
    let quantities = asked.quantities();
    let (wide, row) = (430, 54);
    let high = row * ranges.len() as i32;
    // The answers stand beside their bars.
    let edge = ranges.iter().map(|range| 12 + 11 * range.answer.chars().count() as i32).fold(118, i32::max);
    let heading = format!("{}: where more than half chose", asked.title);
    let words = "Lowest and highest value at which more than half of the listeners chose the answer";
    let size = (room_for(12 + edge + quantities.len().max(1) as i32 * (wide + 60), &heading, words), 128 + high + 90);
    paint(&heading, (size.0 as u32 * FINE, size.1 as u32 * FINE), |canvas| {
        canvas.fill(&WHITE).map_err(text)?;
        write(canvas, &heading, (28, 36), 24, LEFT, false)?;
        write(canvas, words, (28, 68), 17, LEFT, false)?;
        for (place, (name, _, _)) in quantities.iter().enumerate() {
            let left = edge + place as i32 * (wide + 60);
            let spans: Vec<Option<(f64, f64)>> = ranges.iter().map(|range| range.spans[place]).collect();
            bars(canvas, name, &spans, (left, 112, wide, row))?;
        }
        for (line, range) in ranges.iter().enumerate() {
            write(canvas, &range.answer, (edge - 12, 112 + line as i32 * row + row / 2), 18, RIGHT, false)?;
        }
        Ok(())
    })
}

fn bars(
    canvas: &Canvas<'_>,
    name: &str,
    spans: &[Option<(f64, f64)>],
    (left, top, wide, row): (i32, i32, i32, i32),
) -> Result<(), String> {
    let ends = || spans.iter().flatten();
    let (low, high) =
        (ends().fold(f64::INFINITY, |m, s| m.min(s.0)), ends().fold(f64::NEG_INFINITY, |m, s| m.max(s.1)));
    let bottom = top + row * spans.len() as i32;
    frame(canvas, (left, top), (left + wide, bottom))?;
    write(canvas, &label(name), (left + wide / 2, bottom + 52), 17, CENTRE, false)?;
    if low > high {
        return write(canvas, "nowhere", (left + wide / 2, (top + bottom) / 2), 17, CENTRE, false);
    }
    let log = low > 0.0 && high > 8.0 * low;
    let (low, high) = if log {
        (low / 1.5, high * 1.5)
    } else {
        let margin = if high > low { 0.15 * (high - low) } else { 0.5 + 0.1 * high.abs() };
        (low - margin, high + margin)
    };
    let axis = Axis { path: name.to_owned(), low, high, count: 1, log };
    let scale = if log { Scale::Log } else { Scale::Linear };
    let at = |value: f64| left + (position(scale, low, high, value) * f64::from(wide)).round() as i32;
    for value in ticks(&axis) {
        let x = at(value);
        let line = [fine((x, top)), fine((x, bottom))];
        canvas.draw(&PathElement::new(line, RGBColor(228, 228, 228).stroke_width(FINE))).map_err(text)?;
        write(canvas, &tick(value), (x, bottom + 16), 15, CENTRE, false)?;
    }
    frame(canvas, (left, top), (left + wide, bottom))?;
    for (line, span) in spans.iter().enumerate() {
        let Some((from, to)) = *span else { continue };
        let y = top + line as i32 * row + row / 2;
        // A single value is still to be seen.
        let (x0, x1) = (at(from), at(to).max(at(from) + 3));
        fill(canvas, fine((x0, y - 4)), fine((x1, y + 14)), TINTS[line % TINTS.len()])?;
        let words = if from == to { tick(from) } else { format!("{} to {}", tick(from), tick(to)) };
        let x = ((x0 + x1) / 2).clamp(left + 70, left + wide - 70);
        write(canvas, &words, (x, y - 14), 14, CENTRE, false)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{GAP, LETTER, PANEL, counted, label, placed, room_for, short};

    #[test]
    fn axes_are_called_by_quantity_and_unit_and_levels_keep_three_digits() {
        let labels = ["pitch_hz", "q", "hit/contact_time_s", "speed_m_s", "hardness_01", "material", "_hz"].map(label);
        assert_eq!(
            labels,
            ["pitch (Hz)", "q", "hit contact time (s)", "speed (m/s)", "hardness (0 to 1)", "material", " hz"]
        );
        let levels = ["1000", "811.88", "7.17", "0.05", "0.000125", "0", "2e9", "wood", "-0.5"].map(short);
        assert_eq!(levels, ["1000", "812", "7.17", "0.05", "1.25e-4", "0", "2e9", "wood", "-0.5"]);
        assert_eq!((counted(1), counted(22)), ("1 listener".into(), "22 listeners".into()));
    }

    #[test]
    fn every_word_below_a_panel_is_there_beside_no_other_and_numbers_thin_out() {
        let placed = |levels: &[&str]| {
            let levels: Vec<String> = levels.iter().map(ToString::to_string).collect();
            placed(&levels)
        };
        let long = "a word that is longer than its whole panel is wide";
        for levels in [
            &["polycarbonate", "rosewood", "glass", "steel", "rubber"][..],
            &["wood", "glass", "steel", "felt", "cork"],
            &["balsa wood, thin", "mild steel, thick", "polycarbonate"],
            &[long; 3],
            &[long, "b", "c", "d"],
        ] {
            let labels = placed(levels);
            assert_eq!(labels.len(), levels.len());
            for (i, (at, line, words)) in labels.iter().enumerate() {
                assert!(
                    levels[i].starts_with(words.trim_end_matches('\u{2026}')) && words.chars().count() > 0,
                    "{words}"
                );
                let half = LETTER * words.chars().count() as i32 / 2;
                assert!(at - half >= -GAP / 2 && at + half <= PANEL.0 + GAP / 2, "{levels:?}: {words} at {at}");
                for (other, _, beside) in labels[..i].iter().filter(|(_, other, _)| other == line) {
                    let both = LETTER * (words.chars().count() + beside.chars().count()) as i32 / 2;
                    assert!(at - other > both, "{levels:?}: {beside} at {other}, {words} at {at}");
                }
            }
        }
        let steps =
            |levels: &[&str]| placed(levels).into_iter().map(|(_, line, words)| (line, words)).collect::<Vec<_>>();
        assert_eq!(steps(&["1", "10", "100", "1000", "8"]).len(), 5);
        let thinned = steps(&["1.25e-4", "2.25e-4", "3.25e-4", "4.25e-4", "5.25e-4"]);
        assert!(thinned.len() == 3 && thinned.iter().all(|(line, _)| *line == 0), "{thinned:?}");
    }

    #[test]
    fn a_picture_is_as_wide_as_what_stands_above_it() {
        assert_eq!(room_for(1000, "short", "words"), 1000);
        let words = "Lowest and highest value at which more than half of the listeners chose the answer";
        assert!(room_for(620, "short", words) > 28 + 9 * words.len() as i32);
    }
}
