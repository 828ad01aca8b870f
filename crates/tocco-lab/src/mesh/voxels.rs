// SPDX-License-Identifier: MIT OR Apache-2.0
//! A closed surface on a grid: how much of every sub-cell of every cell is inside.
//!
//! **What.** Lines along each axis through the middles of the sub-cells are cut by the triangles. A line is inside where the
//! surface winds around it: crossings count +1 or -1, so solids that overlap are one. Each line tells how much of its sub-cells is
//! filled along it; where a line ends partly through a sub-cell its share counts, elsewhere the majority of the three lines.

use super::element::{SUB, SUBS};
use super::surface::Surface;

/// Less of a cell than this is left out: it would only spoil the numbers.
const SLIVER: f32 = 0.01;
/// Full, in the shares that lines tell.
const FULL: u8 = 200;
/// A line that does not come out as it went in tells nothing.
const UNKNOWN: u8 = 255;

/// A grid of cells around a body.
pub struct Grid {
    /// Where it begins, m.
    pub origin: [f64; 3],
    /// Size of a cell, m.
    pub size: [f64; 3],
    /// Cells along each axis.
    pub count: [usize; 3],
}

/// A cell that holds something.
pub struct Filled {
    /// Its place in the grid.
    pub at: [usize; 3],
    /// How much of each sub-cell, 0 to 1; empty: all of it.
    pub subs: Vec<f32>,
}

impl Grid {
    /// Cells of about `size` that fit the box exactly.
    pub fn around(low: [f64; 3], high: [f64; 3], size: f64) -> Self {
        let count: [usize; 3] = std::array::from_fn(|a| (((high[a] - low[a]) / size).round() as usize).max(1));
        Self { origin: low, size: std::array::from_fn(|a| (high[a] - low[a]) / count[a] as f64), count }
    }

    /// Cells in the whole box.
    pub fn cells(&self) -> usize {
        self.count.iter().product()
    }

    /// What of the grid a surface fills; by parity of crossings if its triangles do not agree which side is out.
    pub fn fill(&self, surface: &Surface, parity: bool) -> Vec<Filled> {
        let told: [Vec<u8>; 3] = std::array::from_fn(|axis| self.lines(surface, axis, parity));
        let subs = self.count.map(|n| n * SUB);
        let mut filled = Vec::new();
        for cell in 0..self.cells() {
            let at =
                [cell % self.count[0], cell / self.count[0] % self.count[1], cell / (self.count[0] * self.count[1])];
            let mut shares = vec![0f32; SUBS];
            for (sub, share) in shares.iter_mut().enumerate() {
                let [x, y, z] =
                    [at[0] * SUB + sub % SUB, at[1] * SUB + sub / SUB % SUB, at[2] * SUB + sub / (SUB * SUB)];
                // Line by line along its own axis.
                let places =
                    [(y + subs[1] * z) * subs[0] + x, (z + subs[2] * x) * subs[1] + y, (x + subs[0] * y) * subs[2] + z];
                *share = judged(std::array::from_fn(|axis| told[axis][places[axis]]));
            }
            let sum: f32 = shares.iter().sum();
            if sum >= SLIVER * SUBS as f32 {
                let full = shares.iter().all(|share| *share == 1.0);
                filled.push(Filled { at, subs: if full { Vec::new() } else { shares } });
            }
        }
        filled
    }

    /// Shares of the sub-cells along every line of one axis.
    fn lines(&self, surface: &Surface, axis: usize, parity: bool) -> Vec<u8> {
        let [a, b, c] = [axis, (axis + 1) % 3, (axis + 2) % 3];
        let subs = self.count.map(|n| n * SUB);
        let step: [f64; 3] = std::array::from_fn(|axis| self.size[axis] / SUB as f64);
        let mut crossings: Vec<Vec<(f64, i32)>> = vec![Vec::new(); subs[b] * subs[c]];
        let flat = |vertex: u32| {
            let v = surface.vertices[vertex as usize];
            [v[b], v[c]]
        };
        // Left of an edge, the same answer from both its sides: [a point on it is left of exactly one direction].
        let side = |from: u32, to: u32, p: [f64; 2]| -> f64 {
            let (low, high, sign) = if from < to { (from, to, 1.0) } else { (to, from, -1.0) };
            let (u, v) = (flat(low), flat(high));
            let area = (v[0] - u[0]) * (p[1] - u[1]) - (v[1] - u[1]) * (p[0] - u[0]);
            sign * if area == 0.0 { f64::MIN_POSITIVE } else { area }
        };
        for triangle in &surface.triangles {
            let corners = triangle.map(flat);
            let along = triangle.map(|vertex| surface.vertices[vertex as usize][a]);
            let range = |which: usize, axis: usize| {
                let (low, high) = (corners.iter(), corners.iter());
                let low = low.map(|v| v[which]).fold(f64::INFINITY, f64::min) - self.origin[axis];
                let high = high.map(|v| v[which]).fold(f64::NEG_INFINITY, f64::max) - self.origin[axis];
                let first = (low / step[axis] - 0.5).ceil().max(0.0) as usize;
                let last = (high / step[axis] - 0.5).floor();
                first..if last < 0.0 { 0 } else { (last as usize + 1).min(subs[axis]) }
            };
            for k in range(1, c) {
                for j in range(0, b) {
                    let p = [self.origin[b] + (j as f64 + 0.5) * step[b], self.origin[c] + (k as f64 + 0.5) * step[c]];
                    let [t0, t1, t2] = *triangle;
                    let sides = [side(t1, t2, p), side(t2, t0, p), side(t0, t1, p)];
                    let left = sides.iter().all(|s| *s > 0.0);
                    if left || sides.iter().all(|s| *s < 0.0) {
                        let sum: f64 = sides.iter().sum();
                        let x = (0..3).map(|i| sides[i] * along[i]).sum::<f64>() / sum;
                        crossings[j + subs[b] * k].push((x, if left { 1 } else { -1 }));
                    }
                }
            }
        }
        let mut told = vec![0u8; subs[a] * subs[b] * subs[c]];
        for (line, mut hits) in crossings.into_iter().enumerate() {
            let told = &mut told[line * subs[a]..(line + 1) * subs[a]];
            hits.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
            let whole = if parity { hits.len() % 2 } else { hits.iter().map(|hit| hit.1).sum::<i32>() as usize };
            if whole != 0 {
                told.fill(UNKNOWN);
                continue;
            }
            let mut shares = vec![0f64; subs[a]];
            let mut wound = 0;
            for pair in hits.windows(2) {
                // Outward triangles face against the line where it goes in: seen along it they run right about.
                wound += if parity { 1 } else { -pair[0].1 };
                if if parity { wound % 2 == 1 } else { wound > 0 } {
                    let [from, to] = [pair[0].0, pair[1].0].map(|x| (x - self.origin[a]) / step[a]);
                    let first = from.floor().max(0.0) as usize;
                    for (at, share) in shares.iter_mut().enumerate().skip(first).take_while(|(at, _)| (*at as f64) < to)
                    {
                        *share += to.min(at as f64 + 1.0) - from.max(at as f64);
                    }
                }
            }
            for (told, share) in told.iter_mut().zip(shares) {
                *told = (share * f64::from(FULL)).round().clamp(0.0, f64::from(FULL)) as u8;
            }
        }
        told
    }
}

/// What three lines say of a sub-cell.
fn judged(told: [u8; 3]) -> f32 {
    let known = || told.iter().filter(|share| **share != UNKNOWN);
    let partly = || known().filter(|share| (1..FULL).contains(*share));
    let (sum, count) = partly().fold((0f32, 0f32), |(sum, count), share| (sum + f32::from(*share), count + 1.0));
    if count > 0.0 {
        return sum / (count * f32::from(FULL));
    }
    let full = known().filter(|share| **share == FULL).count();
    if 2 * full > known().count() { 1.0 } else { 0.0 }
}

/// Parts that share no face with each other: for each, the indices of its cells, the largest first.
pub fn pieces(grid: &Grid, filled: &[Filled]) -> Vec<Vec<usize>> {
    let index = |at: [usize; 3]| at[0] + grid.count[0] * (at[1] + grid.count[1] * at[2]);
    let mut map = vec![usize::MAX; grid.cells()];
    filled.iter().enumerate().for_each(|(i, cell)| map[index(cell.at)] = i);
    let mut seen = vec![false; filled.len()];
    let mut pieces = Vec::new();
    for start in 0..filled.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let (mut piece, mut next) = (Vec::new(), vec![start]);
        while let Some(i) = next.pop() {
            piece.push(i);
            for (axis, up) in (0..3).flat_map(|axis| [(axis, true), (axis, false)]) {
                let mut at = filled[i].at;
                match up {
                    true if at[axis] + 1 < grid.count[axis] => at[axis] += 1,
                    false if at[axis] > 0 => at[axis] -= 1,
                    _ => continue,
                }
                let other = map[index(at)];
                if other != usize::MAX && !std::mem::replace(&mut seen[other], true) {
                    next.push(other);
                }
            }
        }
        pieces.push(piece);
    }
    pieces.sort_by_key(|piece| std::cmp::Reverse(piece.len()));
    pieces
}
