// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pairs of neighbours by a grid, and the sums over them: always in the same order, so always the same bits.
//!
//! Each pair stands once, with the particle that comes first in the order of cells; what is elementwise runs over plain lists, which a
//! compiler may turn into vectors without changing a bit.

use super::kernel::Kernel;
use crate::math::Real;

/// Pairs of particles within reach.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    reach: Real,
    /// Particles in the order of cells, and where each cell starts.
    order: Vec<u32>,
    start: Vec<u32>,
    cell: Vec<u32>,
    /// Their places in that order.
    sorted: [Vec<Real>; 2],
    /// For each rank in that order where its partners start, and the partners.
    first: Vec<u32>,
    other: Vec<u32>,
    /// All places, as they were weighed last.
    at: Vec<[Real; 2]>,
    /// Of each pair: what lies between or, once weighed, the gradient; weight, slope, square of the distance or of the gradient.
    between: Vec<[Real; 2]>,
    weight: Vec<Real>,
    slope: Vec<Real>,
    square: Vec<Real>,
}

impl Pairs {
    pub fn new(reach: Real) -> Self {
        Self {
            reach,
            order: Vec::new(),
            start: Vec::new(),
            cell: Vec::new(),
            sorted: Default::default(),
            first: Vec::new(),
            other: Vec::new(),
            at: Vec::new(),
            between: Vec::new(),
            weight: Vec::new(),
            slope: Vec::new(),
            square: Vec::new(),
        }
    }

    /// Finds them for places within a box of this size.
    pub fn find(&mut self, place: &[Vec<Real>; 2], size: [Real; 2]) {
        let count = place[0].len();
        let [columns, rows] = size.map(|s| ((s / self.reach) as usize).max(1));
        let per = [columns as Real / size[0], rows as Real / size[1]];
        let cells = columns * rows;
        self.cell.clear();
        self.start.clear();
        self.start.resize(cells + 1, 0);
        for (x, y) in place[0].iter().zip(&place[1]) {
            let column = ((x * per[0]) as usize).min(columns - 1);
            let row = ((y * per[1]) as usize).min(rows - 1);
            let cell = row * columns + column;
            self.cell.push(cell as u32);
            self.start[cell + 1] += 1;
        }
        for cell in 0..cells {
            self.start[cell + 1] += self.start[cell];
        }
        self.order.clear();
        self.order.resize(count, 0);
        for axis in &mut self.sorted {
            axis.clear();
            axis.resize(count, 0.0);
        }
        // Filled from behind: then each cell keeps the order of the particles, and `start` ends where it should.
        for k in (0..count).rev() {
            let slot = &mut self.start[self.cell[k] as usize + 1];
            *slot -= 1;
            let at = *slot as usize;
            self.order[at] = k as u32;
            self.sorted[0][at] = place[0][k];
            self.sorted[1][at] = place[1][k];
        }
        // `start[c + 1]` is now the first of cell c; its end is that of the next.
        let bounds = |cell: usize| {
            let end = if cell + 2 <= cells { self.start[cell + 2] } else { count as u32 };
            (self.start[cell + 1] as usize, end as usize)
        };
        self.first.clear();
        let (mut found, square) = (0, self.reach * self.reach);
        for row in 0..rows {
            for column in 0..columns {
                let (from, to) = bounds(row * columns + column);
                if from == to {
                    continue;
                }
                // The rest of this cell and the next of the row lie side by side; so do up to three of the row above.
                let (_, beside) = bounds(row * columns + (column + 1).min(columns - 1));
                let above = if row + 1 < rows {
                    let left = (row + 1) * columns + column.saturating_sub(1);
                    let right = (row + 1) * columns + (column + 1).min(columns - 1);
                    (bounds(left).0, bounds(right).1)
                } else {
                    (0, 0)
                };
                for at in from..to {
                    self.first.push(found as u32);
                    let (x, y) = (self.sorted[0][at], self.sorted[1][at]);
                    for (low, high) in [(at + 1, beside), above] {
                        self.other.resize(self.other.len().max(found + high - low), 0);
                        let near = self.sorted[0][low..high].iter().zip(&self.sorted[1][low..high]);
                        // Every one is written, and stays if it is near: no branch, which half of them would take by surprise.
                        for ((x_k, y_k), other) in near.zip(&self.order[low..high]) {
                            let (dx, dy) = (x - x_k, y - y_k);
                            self.other[found] = *other;
                            found += usize::from(dx * dx + dy * dy < square);
                        }
                    }
                }
            }
        }
        self.first.push(found as u32);
        self.other.truncate(found);
        self.between.resize(self.other.len(), [0.0; 2]);
        for list in [&mut self.weight, &mut self.slope, &mut self.square] {
            list.resize(self.other.len(), 0.0);
        }
    }

    /// Each particle with its partners, as pair numbers.
    fn runs(&self) -> impl Iterator<Item = (usize, core::ops::Range<usize>)> + '_ {
        let range = |ends: &[u32]| ends[0] as usize..ends[1] as usize;
        self.order.iter().zip(self.first.windows(2)).map(move |(one, ends)| (*one as usize, range(ends)))
    }

    /// Every pair once, with what lies between them, m: from the second to the first.
    pub fn each(&self, place: &[Vec<Real>; 2], mut seen: impl FnMut(usize, usize, [Real; 2])) {
        for (one, range) in self.runs() {
            for other in &self.other[range] {
                let other = *other as usize;
                seen(one, other, [place[0][one] - place[0][other], place[1][one] - place[1][other]]);
            }
        }
    }

    /// Weights and gradients of all pairs where they stand, and of each particle the sums: weight with its own, squares of gradients,
    /// gradient x and y.
    pub fn weigh(&mut self, place: &[Vec<Real>; 2], kernel: &Kernel, sums: &mut [[Real; 4]]) {
        self.at.clear();
        self.at.extend(place[0].iter().zip(&place[1]).map(|(x, y)| [*x, *y]));
        for (one, ends) in self.order.iter().zip(self.first.windows(2)) {
            let range = ends[0] as usize..ends[1] as usize;
            let [x, y] = self.at[*one as usize];
            let lists = self.between[range.clone()].iter_mut().zip(&mut self.square[range.clone()]);
            for (other, (between, square)) in self.other[range].iter().zip(lists) {
                let there = self.at[*other as usize];
                let [dx, dy] = [x - there[0], y - there[1]];
                *between = [dx, dy];
                *square = dx * dx + dy * dy;
            }
        }
        for ((weight, slope), square) in self.weight.iter_mut().zip(&mut self.slope).zip(&mut self.square) {
            (*weight, *slope) = kernel.at(*square);
            *square *= *slope * *slope;
        }
        sums.fill([kernel.own, 0.0, 0.0, 0.0]);
        for (one, ends) in self.order.iter().zip(self.first.windows(2)) {
            let range = ends[0] as usize..ends[1] as usize;
            let mut own = [0.0; 4];
            let lists = self.between[range.clone()].iter_mut().zip(&self.slope[range.clone()]);
            let lists = lists.zip(&self.weight[range.clone()]).zip(&self.square[range.clone()]);
            for (other, (((between, slope), weight), square)) in self.other[range].iter().zip(lists) {
                let [gx, gy] = [between[0] * slope, between[1] * slope];
                *between = [gx, gy];
                let theirs = &mut sums[*other as usize];
                *theirs = [theirs[0] + weight, theirs[1] + square, theirs[2] - gx, theirs[3] - gy];
                own = [own[0] + weight, own[1] + square, own[2] + gx, own[3] + gy];
            }
            let sum = &mut sums[*one as usize];
            *sum = [sum[0] + own[0], sum[1] + own[1], sum[2] + own[2], sum[3] + own[3]];
        }
    }

    /// Sums of `(l + l_j) grad W` with the gradients of the last [`weigh`](Self::weigh).
    pub fn push(&self, lambda: &[Real], moved: &mut [[Real; 2]]) {
        moved.fill([0.0; 2]);
        for (one, range) in self.runs() {
            let mut own = [0.0; 2];
            let mine = lambda[one];
            for (other, between) in self.other[range.clone()].iter().zip(&self.between[range]) {
                let other = *other as usize;
                let both = mine + lambda[other];
                let [x, y] = [both * between[0], both * between[1]];
                own = [own[0] + x, own[1] + y];
                let theirs = &mut moved[other];
                *theirs = [theirs[0] - x, theirs[1] - y];
            }
            let sum = &mut moved[one];
            *sum = [sum[0] + own[0], sum[1] + own[1]];
        }
    }

    /// Sums of `W (v_j - v)` with the weights of the last [`weigh`](Self::weigh).
    pub fn smear(&self, speed: &[Vec<Real>; 2], moved: &mut [[Real; 2]]) {
        moved.fill([0.0; 2]);
        for (one, range) in self.runs() {
            let mut own = [0.0; 2];
            let (u, v) = (speed[0][one], speed[1][one]);
            for (other, weight) in self.other[range.clone()].iter().zip(&self.weight[range]) {
                let other = *other as usize;
                let [x, y] = [weight * (speed[0][other] - u), weight * (speed[1][other] - v)];
                own = [own[0] + x, own[1] + y];
                let theirs = &mut moved[other];
                *theirs = [theirs[0] - x, theirs[1] - y];
            }
            moved[one][0] += own[0];
            moved[one][1] += own[1];
        }
    }
}
