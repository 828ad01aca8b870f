// SPDX-License-Identifier: MIT OR Apache-2.0
//! Line and point charts as PNG files, the same on every machine: the font is ours, embedded.

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::element::{Drawable, PointCollection};
use plotters::prelude::*;
use plotters::style::register_font;
use plotters_backend::{DrawingBackend, DrawingErrorKind};
use std::sync::Once;

/// DejaVu Sans, reduced; licence beside it.
const FONT: &[u8] = include_bytes!("../assets/DejaVuSans-subset.ttf");

/// Colours that colour-blind readers tell apart (Okabe and Ito), black first.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 0, 0),
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(130, 130, 130),
];

/// Everything is drawn this much larger and averaged down: the backend draws lines without smoothing.
pub(crate) const FINE: u32 = 2;

/// Size of one panel in drawn pixels.
const PANEL: (u32, u32) = (860 * FINE, 640 * FINE);
const HEADING: u32 = 56 * FINE;
pub(crate) const INK: RGBColor = RGBColor(30, 30, 30);
const GRID: RGBColor = RGBColor(228, 228, 228);

/// A whole picture.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// Heading.
    pub title: String,
    /// Charts side by side.
    pub panels: Vec<Panel>,
}

/// One chart.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// Above the chart.
    pub title: String,
    /// Horizontal label with unit.
    pub x_label: String,
    /// Vertical label with unit.
    pub y_label: String,
    /// Horizontal range; `None`: what the data needs.
    pub x_range: Option<(f64, f64)>,
    /// Vertical range; `None`: what the data needs.
    pub y_range: Option<(f64, f64)>,
    /// Names at 0, 1, 2, ... of the horizontal axis instead of numbers.
    pub categories: Vec<String>,
    /// Where the legend stands.
    pub legend: Corner,
    /// What is drawn, first lowest.
    pub series: Vec<Series>,
    /// Without axes: a picture of a thing.
    pub bare: bool,
}

/// Place of the legend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Corner {
    /// Top right.
    #[default]
    TopRight,
    /// Top left.
    TopLeft,
    /// Bottom right.
    BottomRight,
    /// Bottom left.
    BottomLeft,
    /// Bottom, in the middle.
    Bottom,
    /// Left, half way up.
    Left,
    /// Top, in the middle.
    Top,
}

/// How a series looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Solid line.
    Line,
    /// Solid line, thin.
    Thin,
    /// Dashed line.
    Dashed,
    /// Filled circles.
    Dots,
    /// Open circles.
    Rings,
    /// Crosses.
    Crosses,
    /// A line with a filled circle at every value.
    DottedLine,
    /// A filled polygon, so many hundredths of its colour in white, with a thin outline: for surfaces.
    Patch(u8),
}

/// Values drawn alike.
#[derive(Clone, Debug)]
pub struct Series {
    /// In the legend; empty: not there.
    pub name: String,
    /// Index of the colour.
    pub colour: usize,
    /// How it looks.
    pub look: Look,
    /// Pairs of horizontal and vertical value.
    pub data: Vec<(f64, f64)>,
}

impl Series {
    /// Values drawn alike.
    pub fn new(name: impl Into<String>, colour: usize, look: Look, data: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), colour, look, data }
    }
}

impl Panel {
    /// An empty chart.
    pub fn new(title: impl Into<String>, x_label: impl Into<String>, y_label: impl Into<String>) -> Self {
        Self { title: title.into(), x_label: x_label.into(), y_label: y_label.into(), ..Self::default() }
    }

    /// Adds a series.
    pub fn with(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// What the data needs, with a margin, on the axis that `pick` reads; only points within `window` of the other count.
    fn needed(&self, window: Option<(f64, f64)>, pick: impl Fn(&(f64, f64)) -> (f64, f64)) -> (f64, f64) {
        let values = || {
            let pairs = self.series.iter().flat_map(|s| &s.data).map(&pick);
            let seen = pairs.filter(|(_, other)| window.is_none_or(|(low, high)| *other >= low && *other <= high));
            seen.map(|(value, _)| value).filter(|v| v.is_finite())
        };
        let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        if low > high {
            return (0.0, 1.0);
        }
        let margin = if high > low { 0.05 * (high - low) } else { 0.5 + 0.05 * high.abs() };
        (low - margin, high + margin)
    }
}

impl Figure {
    /// The picture as the bytes of a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        let size = (PANEL.0 * self.panels.len().max(1) as u32, PANEL.1 + HEADING);
        paint(&self.title, size, |root| self.draw(root))
    }

    fn draw(&self, root: &DrawingArea<BitMapBackend<'_>, Shift>) -> Result<(), String> {
        root.fill(&WHITE).map_err(text)?;
        let (heading, body) = root.split_vertically(HEADING);
        let style = ("sans-serif", 27 * FINE).into_font().color(&INK);
        heading.draw(&Text::new(self.title.clone(), (24 * FINE as i32, 18 * FINE as i32), style)).map_err(text)?;
        for (panel, area) in self.panels.iter().zip(body.split_evenly((1, self.panels.len().max(1)))) {
            panel.draw(&area)?;
        }
        Ok(())
    }
}

/// A canvas of `size` drawn pixels as the bytes of a PNG file, [`FINE`] times smaller each way.
pub(crate) fn paint(
    title: &str,
    size: (u32, u32),
    draw: impl FnOnce(&DrawingArea<BitMapBackend<'_>, Shift>) -> Result<(), String>,
) -> Result<Vec<u8>, String> {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // Fails only for a broken font; drawing then says so.
        let _ = register_font("sans-serif", FontStyle::Normal, FONT);
    });
    let mut pixels = vec![255; 3 * size.0 as usize * size.1 as usize];
    {
        let root = BitMapBackend::with_buffer(&mut pixels, size).into_drawing_area();
        draw(&root).map_err(|cause| format!("cannot draw '{title}': {cause}"))?;
        root.present().map_err(|cause| format!("cannot draw '{title}': {cause}"))?;
    }
    let pixels = averaged(&pixels, size.0 as usize);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size.0 / FINE, size.1 / FINE);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(&pixels))
        .map_err(|cause| format!("cannot encode '{title}': {cause}"))?;
    Ok(bytes)
}

impl Panel {
    fn draw(&self, area: &DrawingArea<BitMapBackend<'_>, Shift>) -> Result<(), String> {
        let x = self.x_range.unwrap_or_else(|| self.needed(self.y_range, |p| *p));
        let y = self.y_range.unwrap_or_else(|| self.needed(self.x_range, |p| (p.1, p.0)));
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 22 * FINE).into_font().color(&INK))
            .margin(14 * FINE)
            .margin_right(26 * FINE)
            .x_label_area_size(62 * FINE)
            .y_label_area_size(92 * FINE)
            .build_cartesian_2d(x.0..x.1, y.0..y.1)
            .map_err(text)?;
        let named = |v: &f64| {
            let near = v.round();
            let name = self.categories.get(near.max(0.0) as usize).filter(|_| (v - near).abs() < 1e-6 && near >= 0.0);
            name.cloned().unwrap_or_default()
        };
        let x_text = |v: &f64| if self.categories.is_empty() { tick(*v) } else { named(v) };
        let y_text = |v: &f64| tick(*v);
        if self.bare {
            return self.series.iter().try_for_each(|series| self.draw_series(&mut chart, series, (x, y)));
        }
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID.stroke_width(FINE))
            .axis_style(INK.stroke_width(FINE))
            .set_all_tick_mark_size(5 * FINE)
            .label_style(("sans-serif", 18 * FINE).into_font().color(&INK))
            .axis_desc_style(("sans-serif", 20 * FINE).into_font().color(&INK))
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .x_labels(8.max(self.categories.len() + 2))
            .y_labels(8)
            .x_label_formatter(&x_text)
            .y_label_formatter(&y_text)
            .draw()
            .map_err(text)?;
        for series in &self.series {
            self.draw_series(&mut chart, series, (x, y))?;
        }
        if self.series.iter().any(|s| !s.name.is_empty()) {
            let position = match self.legend {
                Corner::TopRight => SeriesLabelPosition::UpperRight,
                Corner::TopLeft => SeriesLabelPosition::UpperLeft,
                Corner::BottomRight => SeriesLabelPosition::LowerRight,
                Corner::BottomLeft => SeriesLabelPosition::LowerLeft,
                Corner::Bottom => SeriesLabelPosition::LowerMiddle,
                Corner::Left => SeriesLabelPosition::MiddleLeft,
                Corner::Top => SeriesLabelPosition::UpperMiddle,
            };
            chart
                .configure_series_labels()
                .position(position)
                .background_style(WHITE.mix(0.86))
                .border_style(GRID.stroke_width(FINE))
                .margin(14 * FINE)
                .legend_area_size(36 * FINE)
                .label_font(("sans-serif", 18 * FINE).into_font().color(&INK))
                .draw()
                .map_err(text)?;
        }
        Ok(())
    }

    fn draw_series<'a, 'b: 'a>(
        &self,
        chart: &mut ChartContext<'a, BitMapBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>,
        series: &Series,
        (x, y): ((f64, f64), (f64, f64)),
    ) -> Result<(), String> {
        let colour = COLOURS[series.colour % COLOURS.len()];
        if let Look::Patch(share) = series.look {
            let inside = Polygon::new(series.data.clone(), tint(colour, share).filled());
            chart.draw_series(std::iter::once(inside)).map_err(text)?;
            // Edge by edge: a joined outline would grow spikes where two edges nearly coincide.
            let next = series.data.iter().cycle().skip(1);
            let edges = series.data.iter().zip(next).filter(|(a, b)| a != b);
            let style = tint(INK, 45).stroke_width(FINE);
            chart.draw_series(edges.map(|(a, b)| PathElement::new(vec![*a, *b], style))).map_err(text)?;
            return Ok(());
        }
        let line = stroke(series.look, colour);
        let inside = |p: &&(f64, f64)| p.0 >= x.0 && p.0 <= x.1 && p.1 >= y.0 && p.1 <= y.1;
        let points = || series.data.iter().filter(inside).copied();
        let look = series.look;
        if matches!(look, Look::Line | Look::Thin | Look::DottedLine | Look::Dashed) {
            for piece in clipped(&series.data, x, y) {
                if look == Look::Dashed {
                    chart.draw_series(DashedLineSeries::new(piece, 8 * FINE, 6 * FINE, line)).map_err(text)?;
                    continue;
                }
                let place = |p: &(f64, f64)| chart.backend_coord(p);
                let places: Vec<(i32, i32)> = piece.iter().map(place).collect();
                for part in without_spikes(&places) {
                    chart.draw_series(LineSeries::new(piece[part].iter().copied(), line)).map_err(text)?;
                }
            }
        }
        let (small, middling, large) = (4 * FINE as i32, 5 * FINE as i32, 7 * FINE as i32);
        let anno = match look {
            Look::Dots | Look::DottedLine => {
                chart.draw_series(points().map(|p| Circle::new(p, small, colour.filled())))
            }
            Look::Rings => chart.draw_series(points().map(|p| Circle::new(p, large, line))),
            Look::Crosses => chart.draw_series(points().map(|p| Cross::new(p, middling, line))),
            Look::Line | Look::Thin | Look::Dashed | Look::Patch(_) => {
                chart.draw_series(std::iter::empty::<Circle<(f64, f64), i32>>())
            }
        }
        .map_err(text)?;
        if !series.name.is_empty() {
            anno.label(&series.name).legend(move |at| Key { at, look, colour });
        }
        Ok(())
    }
}

/// A series' look in the legend.
struct Key {
    at: (i32, i32),
    look: Look,
    colour: RGBColor,
}

impl<'a> PointCollection<'a, (i32, i32)> for &'a Key {
    type Point = &'a (i32, i32);
    type IntoIter = std::iter::Once<&'a (i32, i32)>;
    fn point_iter(self) -> Self::IntoIter {
        std::iter::once(&self.at)
    }
}

impl<DB: DrawingBackend> Drawable<DB> for Key {
    fn draw<I: Iterator<Item = (i32, i32)>>(
        &self,
        mut at: I,
        backend: &mut DB,
        _: (u32, u32),
    ) -> Result<(), DrawingErrorKind<DB::ErrorType>> {
        let Some((x, y)) = at.next() else { return Ok(()) };
        let style = stroke(self.look, self.colour);
        let n = FINE as i32;
        let mut dash = |from: i32, to: i32| backend.draw_line((x + from * n, y), (x + to * n, y), &style);
        let middle = (x + 14 * n, y);
        match self.look {
            Look::Line | Look::Thin | Look::Patch(_) => dash(0, 28),
            Look::Dashed => dash(0, 11).and_then(|()| dash(17, 28)),
            Look::Dots => backend.draw_circle(middle, 4 * FINE, &self.colour, true),
            Look::Rings => backend.draw_circle(middle, 7 * FINE, &style, false),
            Look::Crosses => backend
                .draw_line((x + 9 * n, y - 5 * n), (x + 19 * n, y + 5 * n), &style)
                .and_then(|()| backend.draw_line((x + 9 * n, y + 5 * n), (x + 19 * n, y - 5 * n), &style)),
            Look::DottedLine => dash(0, 28).and_then(|()| backend.draw_circle(middle, 4 * FINE, &self.colour, true)),
        }
    }
}

/// So many hundredths of a colour, the rest white.
fn tint(colour: RGBColor, share: u8) -> RGBColor {
    let part = |c: u8| 255 - ((255 - u32::from(c)) * u32::from(share.min(100)) / 100) as u8;
    RGBColor(part(colour.0), part(colour.1), part(colour.2))
}

fn stroke(look: Look, colour: RGBColor) -> ShapeStyle {
    colour.stroke_width(if look == Look::Thin { FINE } else { 2 * FINE })
}

/// Where a line through these pixels turns back on itself it is drawn as two: a joined one would grow a spike there, far past the point.
fn without_spikes(places: &[(i32, i32)]) -> Vec<std::ops::Range<usize>> {
    let way = |i: usize| {
        let ((x0, y0), (x1, y1)) = (places[i], places[i + 1]);
        (f64::from(x1 - x0), f64::from(y1 - y0))
    };
    let (mut parts, mut from) = (Vec::new(), 0);
    for at in 1..places.len().saturating_sub(1) {
        let (a, b) = (way(at - 1), way(at));
        if a.0 * b.0 + a.1 * b.1 < -0.9 * a.0.hypot(a.1) * b.0.hypot(b.1) {
            parts.push(from..at + 1);
            from = at;
        }
    }
    parts.push(from..places.len());
    parts
}

/// The parts of a line inside the frame; the backend would bend what leaves it along the edge.
fn clipped(data: &[(f64, f64)], x: (f64, f64), y: (f64, f64)) -> Vec<Vec<(f64, f64)>> {
    let mut pieces: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut joined = false;
    for pair in data.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        // Share of the segment that lies within all four edges.
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        for (step, room) in [(-dx, a.0 - x.0), (dx, x.1 - a.0), (-dy, a.1 - y.0), (dy, y.1 - a.1)] {
            if step == 0.0 {
                if room < 0.0 {
                    to = -1.0;
                }
            } else if step < 0.0 {
                from = from.max(room / step);
            } else {
                to = to.min(room / step);
            }
        }
        if from > to || !(dx + dy).is_finite() {
            joined = false;
            continue;
        }
        let at = |share: f64| (a.0 + share * dx, a.1 + share * dy);
        match pieces.last_mut() {
            Some(piece) if joined && from == 0.0 => piece.push(at(to)),
            _ => pieces.push(vec![at(from), at(to)]),
        }
        joined = to == 1.0;
    }
    pieces
}

/// Means over squares of `FINE` by `FINE` pixels.
fn averaged(pixels: &[u8], width: usize) -> Vec<u8> {
    let (n, row) = (FINE as usize, 3 * width);
    let mut small = Vec::with_capacity(pixels.len() / (n * n));
    for band in pixels.chunks_exact(n * row) {
        for column in (0..width).step_by(n) {
            for channel in 0..3 {
                let square = (0..n).flat_map(|y| (0..n).map(move |x| (y, x)));
                let sum: usize = square.map(|(y, x)| usize::from(band[y * row + 3 * (column + x) + channel])).sum();
                small.push((sum / (n * n)) as u8);
            }
        }
    }
    small
}

pub(crate) fn text(cause: impl std::fmt::Display) -> String {
    cause.to_string()
}

/// A tick's number without noise: at most four significant digits.
pub(crate) fn tick(v: f64) -> String {
    if v.abs() < 1e-12 {
        return "0".into();
    }
    if v.abs() >= 1e5 || v.abs() < 1e-4 {
        return format!("{v:.1e}");
    }
    let decimals = (3 - v.abs().log10().floor() as i32).clamp(0, 6) as usize;
    let long = format!("{v:.decimals$}");
    if long.contains('.') { long.trim_end_matches('0').trim_end_matches('.').into() } else { long }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_leaves_the_frame_is_cut_at_its_edge_and_resumed_where_it_returns() {
        let pieces = clipped(&[(0.5, 0.5), (0.5, 1.5), (0.75, 1.5), (0.75, 0.0)], (0.0, 1.0), (0.0, 1.0));
        assert_eq!(pieces, vec![vec![(0.5, 0.5), (0.5, 1.0)], vec![(0.75, 1.0), (0.75, 0.0)]]);
        assert!(clipped(&[(2.0, 0.0), (3.0, 1.0)], (0.0, 1.0), (0.0, 1.0)).is_empty());
        assert_eq!(clipped(&[(-1.0, 0.5), (2.0, 0.5)], (0.0, 1.0), (0.0, 1.0)).concat(), [(0.0, 0.5), (1.0, 0.5)]);
    }

    #[test]
    fn a_line_that_turns_back_on_itself_is_drawn_in_two_and_one_that_bends_in_one() {
        let parts = |places: &[(i32, i32)]| -> Vec<[usize; 2]> {
            without_spikes(places).into_iter().map(|part| [part.start, part.end]).collect()
        };
        assert_eq!(parts(&[(0, 0), (10, 0), (11, 90), (12, 0), (40, 0)]), [[0, 3], [2, 5]]);
        assert_eq!(parts(&[(0, 0), (10, 0), (10, 10), (10, 10), (0, 10)]), [[0, 5]]);
        assert_eq!(parts(&[(3, 4)]), [[0, 1]]);
    }

    #[test]
    fn ticks_carry_no_noise_digits() {
        let shown = [0.0, 1e-17, 0.30000000000000004, -1200.0, 2.5, 1e6, 2e-5].map(tick);
        assert_eq!(shown, ["0", "0", "0.3", "-1200", "2.5", "1.0e6", "2.0e-5"]);
    }

    #[test]
    fn the_same_figure_gives_the_same_bytes() {
        let panel =
            Panel::new("µ and τ", "x, m", "f, N").with(Series::new("a", 1, Look::Dashed, vec![(0.0, 0.0), (1.0, 2.0)]));
        let figure = Figure { title: "two".into(), panels: vec![panel.clone(), panel] };
        let bytes = figure.png().unwrap();
        assert!(bytes == figure.png().unwrap() && bytes.len() > 5_000);
    }

    #[test]
    fn an_empty_chart_is_drawn_all_the_same() {
        assert!(Figure { title: String::new(), panels: vec![Panel::default()] }.png().is_ok());
    }
}
