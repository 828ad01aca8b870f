// SPDX-License-Identifier: MIT OR Apache-2.0
//! A large sparse symmetric matrix of 3 x 3 blocks between neighbours of a grid, factored and solved.
//!
//! **What.** Nested dissection: a plane of nodes parts the rest into two halves that do not touch, and so on. Every part becomes a
//! dense front: its own unknowns are eliminated, what is left of its border is added to the front above (multifrontal Cholesky).
//! Only the four operations and the square root, in one order whatever the number of threads: the same bits everywhere.
//!
//! **Law.** `[mesh.5]  F = [A11 A21^T; A21 A22]`, `A11 = L11 L11^T`, `L21 = A21 L11^-T`, `A22 <- A22 - L21 L21^T`.
//!
//! **Sources.** George, SIAM J. Numer. Anal. 10, 345 (1973); Duff, Reid, ACM Trans. Math. Softw. 9, 302 (1983).

use std::sync::atomic::{AtomicU64, Ordering};

/// Right-hand sides solved at once.
pub const BLOCK: usize = 6;
/// A row of a block of vectors.
pub type Row = [f64; BLOCK];

/// Nodes of a grid, each beside at most 26 others, and the blocks of a symmetric matrix between them.
pub struct Sparse {
    /// Where every node is in the grid.
    pub places: Vec<[u32; 3]>,
    /// Neighbours of every node in the order of [`offset`], itself the fourteenth; [`NONE`]: there is none.
    pub neighbours: Vec<[u32; 27]>,
    /// Blocks with itself and the 13 neighbours after it, row by row.
    pub blocks: Vec<[[f64; 9]; 14]>,
}

/// No node.
pub const NONE: u32 = u32::MAX;
/// The place of a node itself among its neighbours.
pub const SELF: usize = 13;
/// Fewer nodes than this are not parted again.
const LEAF: usize = 36;
/// Columns of a front eliminated at once.
const PANEL: usize = 48;
/// Rows and columns of the innermost product.
const TILE: usize = 4;
/// Fronts with fewer rows are done by one thread.
const SHARED: usize = 500;

/// A part of the grid: what is eliminated in it and what it touches, in the order of elimination.
#[derive(Default)]
struct Part {
    own: Vec<u32>,
    border: Vec<u32>,
    children: Vec<usize>,
}

/// The columns of one front that are finished: `rows` x `own` by columns.
struct Done {
    part: usize,
    columns: Vec<f64>,
}

/// A factored matrix.
pub struct Factor {
    parts: Vec<Part>,
    /// In the order of parts.
    done: Vec<Vec<f64>>,
}

/// The step of a neighbour, -1 to 1 along each axis, by its place among them.
pub fn offset(at: usize) -> [i32; 3] {
    [(at % 3) as i32 - 1, (at / 3 % 3) as i32 - 1, (at / 9) as i32 - 1]
}

impl Factor {
    /// Factors a positive definite matrix; `progress` is told the share that is done. `None`: it is not positive definite.
    pub fn new(matrix: &Sparse, threads: usize, progress: &(dyn Fn(f64) + Sync)) -> Option<Self> {
        let parts = dissected(matrix);
        let rows = |part: &Part| 3.0 * (part.own.len() + part.border.len()) as f64;
        let cost = |part: &Part| (3 * part.own.len()) as f64 * rows(part) * rows(part);
        let all: f64 = parts.iter().map(cost).sum();
        let told = AtomicU64::new(0);
        let tell = |part: &Part| {
            let sum = told.fetch_add(cost(part) as u64, Ordering::Relaxed) as f64 + cost(part);
            progress((sum / all).min(1.0));
        };
        let work = Work { matrix, parts: &parts, tell: &tell };
        let roots = (0..parts.len()).filter(|&p| !parts.iter().any(|part| part.children.contains(&p)));
        let (mut done, mut local) = (Vec::new(), vec![NONE; matrix.places.len()]);
        for root in roots {
            work.eliminate(root, threads, &mut local, &mut done)?;
        }
        done.sort_by_key(|done| done.part);
        Some(Self { done: done.into_iter().map(|done| done.columns).collect(), parts })
    }

    /// Numbers that the factor holds.
    pub fn entries(&self) -> usize {
        self.done.iter().map(Vec::len).sum()
    }

    /// Solves for a block of right-hand sides in place.
    pub fn solve(&self, x: &mut [Row]) {
        let mut local: Vec<Row> = Vec::new();
        for (part, columns) in self.parts.iter().zip(&self.done) {
            let (rows, own) = part.gather(x, &mut local);
            for c in 0..own {
                let column = &columns[c * rows..(c + 1) * rows];
                let value = local[c].map(|value| value / column[c]);
                local[c] = value;
                for (to, l) in local[c + 1..].iter_mut().zip(&column[c + 1..]) {
                    to.iter_mut().zip(&value).for_each(|(to, value)| *to -= l * value);
                }
            }
            part.scatter(&local, x, rows);
        }
        for (part, columns) in self.parts.iter().zip(&self.done).rev() {
            let (rows, own) = part.gather(x, &mut local);
            for c in (0..own).rev() {
                let column = &columns[c * rows..(c + 1) * rows];
                let mut sum = local[c];
                for (from, l) in local[c + 1..].iter().zip(&column[c + 1..]) {
                    sum.iter_mut().zip(from).for_each(|(sum, from)| *sum -= l * from);
                }
                local[c] = sum.map(|sum| sum / column[c]);
            }
            part.scatter(&local, x, own);
        }
    }
}

impl Part {
    fn nodes(&self) -> impl Iterator<Item = usize> + '_ {
        self.own.iter().chain(&self.border).map(|&node| node as usize)
    }

    /// The rows of this part: how many, and how many of them are its own.
    fn gather(&self, x: &[Row], local: &mut Vec<Row>) -> (usize, usize) {
        local.clear();
        self.nodes().for_each(|node| local.extend_from_slice(&x[3 * node..3 * node + 3]));
        (local.len(), 3 * self.own.len())
    }

    fn scatter(&self, local: &[Row], x: &mut [Row], rows: usize) {
        for (node, from) in self.nodes().zip(local[..rows].chunks_exact(3)) {
            x[3 * node..3 * node + 3].copy_from_slice(from);
        }
    }
}

/// The parts in the order of elimination, children before parents.
fn dissected(matrix: &Sparse) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    part(matrix, (0..matrix.places.len() as u32).collect(), &mut parts);
    let mut order = vec![0u32; matrix.places.len()];
    for (at, node) in parts.iter().flat_map(|part| &part.own).enumerate() {
        order[*node as usize] = at as u32;
    }
    let mut seen = vec![usize::MAX; matrix.places.len()];
    for p in 0..parts.len() {
        let last = parts[p].own.last().map_or(0, |&node| order[node as usize]);
        let own = parts[p].own.iter().flat_map(|&node| matrix.neighbours[node as usize]).filter(|&node| node != NONE);
        let theirs = parts[p].children.iter().flat_map(|&child| parts[child].border.iter().copied());
        let mut border: Vec<u32> = Vec::new();
        for node in own.chain(theirs) {
            if order[node as usize] > last && seen[node as usize] != p {
                seen[node as usize] = p;
                border.push(node);
            }
        }
        border.sort_by_key(|&node| order[node as usize]);
        parts[p].border = border;
    }
    parts
}

/// Parts a set of nodes and returns the index of its uppermost part.
fn part(matrix: &Sparse, nodes: Vec<u32>, parts: &mut Vec<Part>) -> usize {
    let place = |node: u32, axis: usize| matrix.places[node as usize][axis];
    let total = nodes.len() as f64;
    let mut best: Option<(f64, usize, u32)> = None;
    if nodes.len() > LEAF {
        for axis in 0..3 {
            let low = nodes.iter().map(|&node| place(node, axis)).min().unwrap_or(0);
            let high = nodes.iter().map(|&node| place(node, axis)).max().unwrap_or(0);
            let mut counts = vec![0usize; (high - low) as usize + 1];
            nodes.iter().for_each(|&node| counts[(place(node, axis) - low) as usize] += 1);
            let mut below = 0;
            for (at, &count) in counts.iter().enumerate() {
                let above = nodes.len() - below - count;
                let smaller = below.min(above) as f64;
                if smaller > 0.0 {
                    // A small plane is worth some want of balance.
                    let cost = count as f64 * (1.0 + (0.4 * total / smaller).powi(2));
                    if best.is_none_or(|(least, ..)| cost < least) {
                        best = Some((cost, axis, low + at as u32));
                    }
                }
                below += count;
            }
        }
    }
    let Some((_, axis, plane)) = best else {
        parts.push(Part { own: nodes, ..Part::default() });
        return parts.len() - 1;
    };
    let side = |wanted: std::cmp::Ordering| -> Vec<u32> {
        nodes.iter().copied().filter(|&node| place(node, axis).cmp(&plane) == wanted).collect()
    };
    let [below, own, above] =
        [side(std::cmp::Ordering::Less), side(std::cmp::Ordering::Equal), side(std::cmp::Ordering::Greater)];
    drop(nodes);
    let children = vec![part(matrix, below, parts), part(matrix, above, parts)];
    parts.push(Part { own, children, ..Part::default() });
    parts.len() - 1
}

struct Work<'a> {
    matrix: &'a Sparse,
    parts: &'a [Part],
    tell: &'a (dyn Fn(&Part) + Sync),
}

impl Work<'_> {
    /// Eliminates a part and all below it; what is left of its border comes back, dense by columns, its lower half.
    fn eliminate(&self, p: usize, threads: usize, local: &mut [u32], done: &mut Vec<Done>) -> Option<Vec<f64>> {
        let part = &self.parts[p];
        let left: Vec<Vec<f64>> = match part.children[..] {
            [a, b] if threads > 1 => {
                let [some, others] = [threads / 2, threads - threads / 2];
                let (first, second) = std::thread::scope(|scope| {
                    let other = scope.spawn(|| {
                        let (mut local, mut done) = (vec![NONE; self.matrix.places.len()], Vec::new());
                        let left = self.eliminate(b, others, &mut local, &mut done);
                        (left, done)
                    });
                    (self.eliminate(a, some, local, done), other.join().ok())
                });
                let (second, more) = second?;
                done.extend(more);
                vec![first?, second?]
            }
            _ => {
                let children = part.children.iter().map(|&child| self.eliminate(child, 1, local, done));
                children.collect::<Option<_>>()?
            }
        };
        for (at, node) in part.nodes().enumerate() {
            local[node] = at as u32;
        }
        let rows = 3 * (part.own.len() + part.border.len());
        let own = 3 * part.own.len();
        let mut front = vec![0.0; rows * rows];
        for (i, &node) in part.own.iter().enumerate() {
            self.place_own(i, node as usize, local, rows, &mut front);
        }
        for (&child, left) in part.children.iter().zip(left) {
            let border = &self.parts[child].border;
            let size = 3 * border.len();
            let to: Vec<usize> = border.iter().map(|&node| 3 * local[node as usize] as usize).collect();
            for c in 0..size {
                let column = (to[c / 3] + c % 3) * rows;
                for r in c..size {
                    front[column + to[r / 3] + r % 3] += left[c * size + r];
                }
            }
        }
        for node in part.nodes() {
            local[node] = NONE;
        }
        if !eliminate_front(&mut front, rows, own, threads) {
            return None;
        }
        let rest = rows - own;
        let mut left = vec![0.0; rest * rest];
        for c in 0..rest {
            let from = (own + c) * rows + own;
            left[c * rest + c..(c + 1) * rest].copy_from_slice(&front[from + c..from + rest]);
        }
        front.truncate(own * rows);
        front.shrink_to_fit();
        done.push(Done { part: p, columns: front });
        (self.tell)(part);
        Some(left)
    }

    /// The matrix's own entries in the columns of a node, below the diagonal.
    fn place_own(&self, i: usize, node: usize, local: &[u32], rows: usize, front: &mut [f64]) {
        for (at, &other) in self.matrix.neighbours[node].iter().enumerate() {
            let Some(j) = (other != NONE).then(|| local[other as usize]).filter(|&j| j != NONE) else { continue };
            let j = j as usize;
            if j < i {
                continue;
            }
            for (p, q) in (0..3).flat_map(|p| (0..3).map(move |q| (p, q))) {
                // Row (other, q), column (node, p).
                let value = match at >= SELF {
                    true => self.matrix.blocks[node][at - SELF][3 * p + q],
                    false => self.matrix.blocks[other as usize][SELF - at][3 * q + p],
                };
                if j > i || q >= p {
                    front[(3 * i + p) * rows + 3 * j + q] = value;
                }
            }
        }
    }
}

/// [mesh.5] on the lower half of a dense front by columns; false if a pivot is not positive.
fn eliminate_front(front: &mut [f64], rows: usize, own: usize, threads: usize) -> bool {
    let mut packed: Vec<[f64; TILE]> = Vec::new();
    for first in (0..own).step_by(PANEL) {
        let width = PANEL.min(own - first);
        for c in first..first + width {
            let pivot = front[c * rows + c];
            if !(pivot > 0.0 && pivot.is_finite()) {
                return false;
            }
            let root = pivot.sqrt();
            let (before, after) = front.split_at_mut((c + 1) * rows);
            let column = &mut before[c * rows..];
            column[c..].iter_mut().for_each(|x| *x /= root);
            for (k, other) in after.chunks_exact_mut(rows).take(first + width - c - 1).enumerate() {
                let at = c + 1 + k;
                let factor = column[at];
                other[at..].iter_mut().zip(&column[at..]).for_each(|(x, l)| *x -= factor * l);
            }
        }
        let start = first + width;
        let (panel, trailing) = front.split_at_mut(start * rows);
        let panel = &panel[first * rows..];
        // Rows in groups of TILE, each over all columns of the panel.
        let groups = (rows - start).div_ceil(TILE);
        packed.clear();
        packed.resize(groups * width, [0.0; TILE]);
        for (k, column) in panel.chunks_exact(rows).enumerate() {
            for (r, value) in column[start..].iter().enumerate() {
                packed[r / TILE * width + k][r % TILE] = *value;
            }
        }
        if threads > 1 && rows - start > SHARED {
            // Equal areas of the lower half.
            let mut rest = trailing;
            std::thread::scope(|scope| {
                let mut from = 0;
                for t in 1..=threads {
                    let share = 1.0 - (1.0 - t as f64 / threads as f64).sqrt();
                    let to = if t == threads { groups } else { (share * groups as f64) as usize };
                    let columns = (TILE * to).min(rows - start) - (TILE * from).min(rows - start);
                    let (mine, others) = rest.split_at_mut(columns * rows);
                    rest = others;
                    let (packed, range) = (&packed, from..to);
                    scope.spawn(move || update(mine, rows, start, packed, width, range));
                    from = to;
                }
            });
        } else {
            update(trailing, rows, start, &packed, width, 0..groups);
        }
    }
    true
}

/// Subtracts the panel times itself from groups of columns; `columns` begins at the first of them.
fn update(
    columns: &mut [f64],
    rows: usize,
    start: usize,
    packed: &[[f64; TILE]],
    width: usize,
    groups: std::ops::Range<usize>,
) {
    let count = rows - start;
    for (at, group) in groups.clone().enumerate() {
        let right = &packed[group * width..(group + 1) * width];
        let columns = &mut columns[at * TILE * rows..];
        let across = TILE.min(count - group * TILE);
        for below in group..count.div_ceil(TILE) {
            let left = &packed[below * width..(below + 1) * width];
            let mut sums = [[0.0; TILE]; TILE];
            for (l, r) in left.iter().zip(right) {
                for (sum, r) in sums.iter_mut().zip(r) {
                    sum.iter_mut().zip(l).for_each(|(sum, l)| *sum += l * r);
                }
            }
            let row = start + below * TILE;
            for (column, sum) in columns.chunks_exact_mut(rows).zip(&sums).take(across) {
                column[row..].iter_mut().zip(sum).for_each(|(x, sum)| *x -= sum);
            }
        }
    }
}
