// SPDX-License-Identifier: MIT OR Apache-2.0
//! A map as a picture: regimes on the left with their legend, pitch on the right.

use super::regime::Regime;
use super::{Axis, Cell, Map};
use crate::plot::{FINE, INK, paint, text, tick};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use tocco::param::Spec;

type Canvas<'a> = DrawingArea<BitMapBackend<'a>, Shift>;

/// Sizes in pixels of the finished picture.
const SIZE: (i32, i32) = (1420, 838);
const PLOT: i32 = 560;
const TOP: i32 = 118;
const LEFT: [i32; 2] = [104, 812];
const LEGEND_TOP: i32 = 752;
/// Widest range of the pitch colours, cents: a semitone either way; what lies beyond is another note.
const MOST_CENTS: f64 = 100.0;
const ANOTHER_NOTE: RGBColor = RGBColor(110, 60, 130);
const NO_NOTE: RGBColor = RGBColor(236, 236, 236);

fn colour(regime: Regime) -> RGBColor {
    match regime {
        Regime::Silence => RGBColor(240, 240, 236),
        Regime::Stick => RGBColor(150, 156, 164),
        Regime::OneSlip => RGBColor(0, 140, 105),
        Regime::SeveralSlips => RGBColor(86, 180, 233),
        Regime::Sliding => RGBColor(150, 215, 170),
        Regime::Raucous => RGBColor(213, 94, 0),
        Regime::Decaying => RGBColor(240, 200, 90),
    }
}

/// Blue below, white at, red above the reference; `at` from -1 to 1.
pub(crate) fn diverging(at: f64) -> RGBColor {
    let at = at.clamp(-1.0, 1.0);
    let (end, part) = if at < 0.0 { ([33.0, 102.0, 172.0], -at) } else { ([178.0, 24.0, 43.0], at) };
    let mix = |i: usize| (250.0 + (end[i] - 250.0) * part).round() as u8;
    RGBColor(mix(0), mix(1), mix(2))
}

/// At most four digits.
pub fn short(value: f64) -> String {
    tick(value)
}

/// A map with its heading.
pub struct Picture<'a> {
    /// The plane.
    pub map: &'a Map,
    /// Heading.
    pub title: &'a str,
}

/// What pitches are compared with, Hz, and the cents at the end of the colours.
fn pitch_scale(cells: &[Cell]) -> Option<(f64, f64)> {
    let sings = |cell: &&Cell| cell.finding.regime == Regime::OneSlip;
    let pitches = |only: bool| -> Vec<f64> {
        let mut all: Vec<f64> = cells.iter().filter(|c| !only || sings(c)).filter_map(|c| c.finding.pitch_hz).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let mut all = pitches(true);
    if all.is_empty() {
        all = pitches(false);
    }
    let middle = *all.get(all.len() / 2)?;
    let off = pitches(false).into_iter().map(|hz| cents(hz, middle).abs()).filter(|off| *off <= MOST_CENTS);
    let most = off.fold(0.0, f64::max);
    let steps = [5.0, 10.0, 20.0, 50.0, MOST_CENTS];
    Some((middle, steps.into_iter().find(|step| *step >= most).unwrap_or(MOST_CENTS)))
}

fn cents(hz: f64, reference_hz: f64) -> f64 {
    1200.0 * tocco::math::ln(hz / reference_hz) / std::f64::consts::LN_2
}

/// Round numbers along an axis.
pub(crate) fn ticks(axis: &Axis) -> Vec<f64> {
    let (low, high) = (axis.low, axis.high);
    if axis.log {
        let wide = high / low > 300.0;
        let (from, to) = (low.log10().floor() as i32, high.log10().ceil() as i32);
        let digits: &[f64] = if wide { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let all = (from..=to).flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)));
        return all.filter(|v| *v >= low * (1.0 - 1e-9) && *v <= high * (1.0 + 1e-9)).collect();
    }
    let rough = (high - low) / 6.0;
    let power = 10f64.powi(rough.log10().floor() as i32);
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|d| d * power >= rough).unwrap_or(10.0) * power;
    let first = (low / step).ceil() as i64;
    (first..).map(|k| k as f64 * step).take_while(|v| *v <= high + 1e-9 * step).take(100).collect()
}

fn label(axis: &Axis, spec: &Spec) -> String {
    if spec.unit == "1" { axis.path.clone() } else { format!("{} [{}]", axis.path, spec.unit) }
}

/// Words at a place.
pub(crate) fn write(
    canvas: &Canvas<'_>,
    words: &str,
    at: (i32, i32),
    size: u32,
    anchor: (HPos, VPos),
    upright: bool,
) -> Result<(), String> {
    let font = ("sans-serif", size * FINE).into_font();
    let font = if upright { font.transform(FontTransform::Rotate270) } else { font };
    let style = TextStyle::from(font).color(&INK).pos(Pos::new(anchor.0, anchor.1));
    canvas.draw_text(words, &style, fine(at)).map_err(text)
}

/// From pixels of the picture to drawn pixels.
pub(crate) fn fine(at: (i32, i32)) -> (i32, i32) {
    (at.0 * FINE as i32, at.1 * FINE as i32)
}

/// A rectangle of colour, in drawn pixels.
pub(crate) fn fill(canvas: &Canvas<'_>, from: (i32, i32), to: (i32, i32), colour: RGBColor) -> Result<(), String> {
    canvas.draw(&Rectangle::new([from, to], colour.filled())).map_err(text)
}

/// The edge of a rectangle, in pixels of the picture.
pub(crate) fn frame(canvas: &Canvas<'_>, from: (i32, i32), to: (i32, i32)) -> Result<(), String> {
    canvas.draw(&Rectangle::new([fine(from), fine(to)], INK.stroke_width(FINE))).map_err(text)
}

/// A square of colour with what it means.
fn key(canvas: &Canvas<'_>, at: (i32, i32), tint: RGBColor, words: &str) -> Result<(), String> {
    let to = (at.0 + 16, at.1 + 16);
    fill(canvas, fine(at), fine(to), tint)?;
    frame(canvas, at, to)?;
    write(canvas, words, (at.0 + 23, at.1 + 8), 16, (HPos::Left, VPos::Center), false)
}

impl Picture<'_> {
    /// The bytes of a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        let size = (SIZE.0 as u32 * FINE, SIZE.1 as u32 * FINE);
        paint(self.title, size, |canvas| self.draw(canvas))
    }

    fn draw(&self, canvas: &Canvas<'_>) -> Result<(), String> {
        canvas.fill(&WHITE).map_err(text)?;
        let (map, left) = (self.map, (HPos::Left, VPos::Center));
        write(canvas, self.title, (28, 36), 27, left, false)?;
        let (end, long) = map.window_s;
        let words = format!(
            "contact '{}', {} x {} cells, {:.2} s up to {:.2} s; {}",
            map.contact, map.x.0.count, map.y.0.count, long, end, map.period
        );
        write(canvas, &words, (28, 70), 18, left, false)?;

        self.panel(canvas, LEFT[0], "What the contact does", &|cell| colour(cell.finding.regime))?;
        self.legend(canvas)?;
        let scale = pitch_scale(&map.cells);
        let tint = |cell: &Cell| match (cell.finding.pitch_hz, scale) {
            (Some(hz), Some((reference, _))) if cents(hz, reference).abs() > MOST_CENTS => ANOTHER_NOTE,
            (Some(hz), Some((reference, most))) => diverging(cents(hz, reference) / most),
            _ => NO_NOTE,
        };
        let heading = scale.map_or("Pitch".into(), |(hz, _)| format!("Pitch, cents from {hz:.2} Hz"));
        self.panel(canvas, LEFT[1], &heading, &tint)?;
        self.pitch_bar(canvas, scale)
    }

    fn panel(
        &self,
        canvas: &Canvas<'_>,
        left: i32,
        heading: &str,
        tint: &dyn Fn(&Cell) -> RGBColor,
    ) -> Result<(), String> {
        let ((x, x_spec), (y, y_spec)) = (&self.map.x, &self.map.y);
        let (columns, rows) = (x.count as i32, y.count as i32);
        let whole = PLOT * FINE as i32;
        let (origin_x, origin_y) = fine((left, TOP));
        let edge = |i: i32, of: i32| i * whole / of;
        for (index, cell) in self.map.cells.iter().enumerate() {
            let (i, j) = (index as i32 % columns, rows - 1 - index as i32 / columns);
            let from = (origin_x + edge(i, columns), origin_y + edge(j, rows));
            let to = (origin_x + edge(i + 1, columns), origin_y + edge(j + 1, rows));
            fill(canvas, from, to, tint(cell))?;
        }
        frame(canvas, (left, TOP), (left + PLOT, TOP + PLOT))?;
        write(canvas, heading, (left + PLOT / 2, TOP - 16), 19, (HPos::Center, VPos::Center), false)?;
        let line = |from, to| canvas.draw(&PathElement::new([fine(from), fine(to)], INK.stroke_width(FINE)));
        let bottom = TOP + PLOT;
        for value in ticks(x) {
            let at = left + (x.place(value) * f64::from(PLOT)).round() as i32;
            line((at, bottom), (at, bottom + 6)).map_err(text)?;
            write(canvas, &tick(value), (at, bottom + 9), 16, (HPos::Center, VPos::Top), false)?;
        }
        for value in ticks(y) {
            let at = bottom - (y.place(value) * f64::from(PLOT)).round() as i32;
            line((left - 6, at), (left, at)).map_err(text)?;
            write(canvas, &tick(value), (left - 10, at), 16, (HPos::Right, VPos::Center), false)?;
        }
        let middle = (HPos::Center, VPos::Center);
        write(canvas, &label(x, x_spec), (left + PLOT / 2, bottom + 42), 18, middle, false)?;
        write(canvas, &label(y, y_spec), (left - 74, TOP + PLOT / 2), 18, middle, true)
    }

    /// Rows of three.
    fn legend(&self, canvas: &Canvas<'_>) -> Result<(), String> {
        for (k, regime) in Regime::ALL.into_iter().enumerate() {
            let at = (LEFT[0] - 60 + 232 * (k as i32 % 3), LEGEND_TOP + 24 * (k as i32 / 3));
            let words = format!("{}, {:.0} %", regime.name(), 100.0 * self.map.share(regime));
            key(canvas, at, colour(regime), &words)?;
        }
        Ok(())
    }

    fn pitch_bar(&self, canvas: &Canvas<'_>, scale: Option<(f64, f64)>) -> Result<(), String> {
        let (left, high, wide) = (LEFT[1], LEGEND_TOP, 320);
        if let Some((_, most)) = scale {
            for k in 0..wide {
                let at = 2.0 * (f64::from(k) + 0.5) / f64::from(wide) - 1.0;
                fill(canvas, fine((left + k, high)), fine((left + k + 1, high + 16)), diverging(at))?;
            }
            frame(canvas, (left, high), (left + wide, high + 16))?;
            for part in [-1.0, 0.0, 1.0] {
                let at = left + (0.5 * (part + 1.0) * f64::from(wide)) as i32;
                let words = if part > 0.0 { format!("+{}", tick(most)) } else { tick(part * most) };
                write(canvas, &words, (at, high + 22), 16, (HPos::Center, VPos::Top), false)?;
            }
        }
        for (k, (words, tint)) in [("another note", ANOTHER_NOTE), ("no note", NO_NOTE)].into_iter().enumerate() {
            let at = (left + wide + 50, high + 24 * k as i32);
            key(canvas, at, tint, words)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_inside_the_axis() {
        let axis = |text: &str| Axis::parse("--x", text).unwrap();
        assert_eq!(ticks(&axis("a=0.1..4,log")).len(), 5);
        assert_eq!(ticks(&axis("a=0..1")), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(ticks(&axis("a=1e3..1e9,log")).len(), 7);
    }
}
