// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sheet of small pictures of signed fields, such as mode shapes: red moves one way, blue the other, white not at all.

use crate::map::picture::diverging;
use crate::plot::{FINE, INK, paint, text};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Cells along the side of a tile; one is a pixel of the finished picture.
pub const CELLS: usize = 84;
const GAP: i32 = 14;
const CAPTION: i32 = 18;
const MARGIN: i32 = 24;
const HEADING: i32 = 64;
const NAMES: i32 = 210;

/// One small picture.
#[derive(Clone, Debug)]
pub struct Tile {
    /// Under the picture.
    pub caption: String,
    /// `CELLS` rows of `CELLS` values from -1 to 1, the top row first; `None`: outside.
    pub cells: Vec<Option<f64>>,
}

/// Rows of tiles, each with two lines of words.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Above everything.
    pub title: String,
    /// What a row shows, in two lines, and its tiles.
    pub rows: Vec<([String; 2], Vec<Tile>)>,
}

impl Sheet {
    /// The bytes of a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        let (wide, high) = (CELLS as i32 + GAP, CELLS as i32 + CAPTION + GAP);
        let most = self.rows.iter().map(|row| row.1.len()).max().unwrap_or(0) as i32;
        let size = (2 * MARGIN + NAMES + most * wide, HEADING + MARGIN + self.rows.len() as i32 * high);
        let fine = (size.0 as u32 * FINE, size.1 as u32 * FINE);
        paint(&self.title, fine, |canvas| {
            canvas.fill(&WHITE).map_err(text)?;
            let write = |words: &str, at: (i32, i32), size: u32, across: HPos| {
                let style = TextStyle::from(("sans-serif", size * FINE).into_font());
                let style = style.color(&INK).pos(Pos::new(across, VPos::Top));
                canvas.draw_text(words, &style, (at.0 * FINE as i32, at.1 * FINE as i32)).map_err(text)
            };
            write(&self.title, (MARGIN, 20), 24, HPos::Left)?;
            for (row, (names, tiles)) in self.rows.iter().enumerate() {
                let top = HEADING + row as i32 * high;
                write(&names[0], (MARGIN, top + 22), 17, HPos::Left)?;
                write(&names[1], (MARGIN, top + 46), 13, HPos::Left)?;
                for (column, tile) in tiles.iter().enumerate() {
                    let left = MARGIN + NAMES + column as i32 * wide;
                    for (i, value) in tile.cells.iter().enumerate() {
                        let Some(value) = value else { continue };
                        let at = ((left + (i % CELLS) as i32) * FINE as i32, (top + (i / CELLS) as i32) * FINE as i32);
                        let to = (at.0 + FINE as i32, at.1 + FINE as i32);
                        canvas.draw(&Rectangle::new([at, to], diverging(*value).filled())).map_err(text)?;
                    }
                    write(&tile.caption, (left + CELLS as i32 / 2, top + CELLS as i32 + 5), 12, HPos::Center)?;
                }
            }
            Ok(())
        })
    }
}
