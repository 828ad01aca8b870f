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
    /// Of each pair: what lies between, weight, gradient.
    between: [Vec<Real>; 2],
    weight: Vec<Real>,
    factor: Vec<Real>,
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
            between: Default::default(),
            weight: Vec::new(),
            factor: Vec::new(),
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
        self.other.clear();
        let square = self.reach * self.reach;
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
                    self.first.push(self.other.len() as u32);
                    let (x, y) = (self.sorted[0][at], self.sorted[1][at]);
                    for (low, high) in [(at + 1, beside), above] {
                        for k in low..high {
                            let (dx, dy) = (x - self.sorted[0][k], y - self.sorted[1][k]);
                            if dx * dx + dy * dy < square {
                                self.other.push(self.order[k]);
                            }
                        }
                    }
                }
            }
        }
        self.first.push(self.other.len() as u32);
        for list in self.between.iter_mut().chain([&mut self.weight, &mut self.factor]) {
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

    /// Weights and gradients of all pairs where they stand, and of each particle the sums: weight with its own, gradient x and y, squares
    /// of gradients.
    pub fn weigh(&mut self, place: &[Vec<Real>; 2], kernel: &Kernel, sums: &mut [[Real; 4]]) {
        let [xs, ys] = [&place[0][..], &place[1][..]];
        let [dxs, dys] = &mut self.between;
        for (one, ends) in self.order.iter().zip(self.first.windows(2)) {
            let range = ends[0] as usize..ends[1] as usize;
            let (x, y) = (xs[*one as usize], ys[*one as usize]);
            let lists = dxs[range.clone()].iter_mut().zip(&mut dys[range.clone()]);
            for (other, (dx, dy)) in self.other[range].iter().zip(lists) {
                *dx = x - xs[*other as usize];
                *dy = y - ys[*other as usize];
            }
        }
        for (((dx, dy), weight), factor) in dxs.iter_mut().zip(dys).zip(&mut self.weight).zip(&mut self.factor) {
            let square = *dx * *dx + *dy * *dy;
            let (w, slope) = kernel.at(square);
            *weight = w;
            *factor = slope * slope * square;
            *dx *= slope;
            *dy *= slope;
        }
        sums.fill([kernel.own, 0.0, 0.0, 0.0]);
        for (one, ends) in self.order.iter().zip(self.first.windows(2)) {
            let range = ends[0] as usize..ends[1] as usize;
            let mut own = [0.0; 4];
            let lists = self.between[0][range.clone()].iter().zip(&self.between[1][range.clone()]);
            let lists = lists.zip(&self.weight[range.clone()]).zip(&self.factor[range.clone()]);
            for (other, (((gx, gy), weight), squares)) in self.other[range].iter().zip(lists) {
                let theirs = &mut sums[*other as usize];
                theirs[0] += weight;
                theirs[1] -= gx;
                theirs[2] -= gy;
                theirs[3] += squares;
                own[0] += weight;
                own[1] += gx;
                own[2] += gy;
                own[3] += squares;
            }
            let sum = &mut sums[*one as usize];
            for (sum, own) in sum.iter_mut().zip(own) {
                *sum += own;
            }
        }
    }

    /// Sums of `(l + l_j) grad W` with the gradients of the last [`weigh`](Self::weigh).
    pub fn push(&self, lambda: &[Real], moved: &mut [[Real; 2]]) {
        moved.fill([0.0; 2]);
        for (one, range) in self.runs() {
            let mut own = [0.0; 2];
            let mine = lambda[one];
            for k in range {
                let other = self.other[k] as usize;
                let both = mine + lambda[other];
                let (x, y) = (both * self.between[0][k], both * self.between[1][k]);
                own[0] += x;
                own[1] += y;
                moved[other][0] -= x;
                moved[other][1] -= y;
            }
            moved[one][0] += own[0];
            moved[one][1] += own[1];
        }
    }

    /// Sums of `W (v_j - v)` with the weights of the last [`weigh`](Self::weigh).
    pub fn smear(&self, speed: &[Vec<Real>; 2], moved: &mut [[Real; 2]]) {
        moved.fill([0.0; 2]);
        for (one, range) in self.runs() {
            let mut own = [0.0; 2];
            let (u, v) = (speed[0][one], speed[1][one]);
            for k in range {
                let other = self.other[k] as usize;
                let weight = self.weight[k];
                let (x, y) = (weight * (speed[0][other] - u), weight * (speed[1][other] - v));
                own[0] += x;
                own[1] += y;
                moved[other][0] -= x;
                moved[other][1] -= y;
            }
            moved[one][0] += own[0];
            moved[one][1] += own[1];
        }
    }
}
