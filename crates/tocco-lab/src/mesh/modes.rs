// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lowest modes of a free body by shift and invert: block Lanczos, with its motions as a whole left out from the start.
//!
//! **Law.** `[mesh.6]  (K + s M)^-1 M x = x/(omega^2 + s)`, x at right angles (in M) to the six motions as a whole. Krylov vectors are
//! kept at right angles to each other and to those six by two sweeps; the small matrix is solved by `tocco::resonator::eigen`.
//!
//! **Sources.** Grimes, Lewis, Simon, SIAM J. Matrix Anal. Appl. 15, 228 (1994).

use super::factor::{BLOCK, Factor, NONE, Row, SELF, Sparse};
use tocco::resonator::eigen;
use tocco::rng::Rng;

/// A mode counts as found when its residual is this part of it.
const CLOSE: f64 = 1e-6;
/// Most vectors for each mode that is wanted.
const MOST_PER_MODE: usize = 6;

/// Masses between neighbours, alike for x, y and z: with itself and the 13 after it.
pub type Masses = Vec<[f64; 14]>;

/// What was found.
pub struct Found {
    /// omega^2, 1/s^2, rising.
    pub squares: Vec<f64>,
    /// The motion of every unknown, per mode; `x^T M x = 1`.
    pub vectors: Vec<Vec<f64>>,
}

/// M times a block.
fn times(matrix: &Sparse, masses: &Masses, x: &[Row], out: &mut Vec<Row>) {
    out.clear();
    out.resize(x.len(), [0.0; BLOCK]);
    for (i, (neighbours, row)) in matrix.neighbours.iter().zip(masses).enumerate() {
        for (at, &m) in row.iter().enumerate() {
            let other = neighbours[SELF + at];
            if other == NONE || m == 0.0 {
                continue;
            }
            let j = other as usize;
            for p in 0..3 {
                let (from, to) = (x[3 * j + p], &mut out[3 * i + p]);
                to.iter_mut().zip(&from).for_each(|(to, x)| *to += m * x);
                if at > 0 {
                    let (from, to) = (x[3 * i + p], &mut out[3 * j + p]);
                    to.iter_mut().zip(&from).for_each(|(to, x)| *to += m * x);
                }
            }
        }
    }
}

/// `a^T b`, entry (i, j) at `[i][j]`.
fn products(a: &[Row], b: &[Row]) -> [Row; BLOCK] {
    let mut all = [[0.0; BLOCK]; BLOCK];
    for (a, b) in a.iter().zip(b) {
        for (all, a) in all.iter_mut().zip(a) {
            all.iter_mut().zip(b).for_each(|(all, b)| *all += a * b);
        }
    }
    all
}

/// `y -= v h`
fn subtract(y: &mut [Row], v: &[Row], h: &[Row; BLOCK]) {
    for (y, v) in y.iter_mut().zip(v) {
        for (v, h) in v.iter().zip(h) {
            y.iter_mut().zip(h).for_each(|(y, h)| *y -= v * h);
        }
    }
}

/// Makes the columns of a block M-orthonormal; the coefficients come back: `old = new r`. A column that depends on those before
/// becomes zero.
fn orthonormal(y: &mut [Row], my: &mut [Row]) -> [Row; BLOCK] {
    let mut r = [[0.0; BLOCK]; BLOCK];
    for _ in 0..2 {
        // By Cholesky of the products, twice: the second time repairs what rounding left.
        let gram = products(y, my);
        let mut l = [[0.0; BLOCK]; BLOCK];
        for j in 0..BLOCK {
            let pivot = gram[j][j] - (0..j).map(|k| l[j][k] * l[j][k]).sum::<f64>();
            if pivot <= 1e-24 * gram[j][j] || pivot <= 0.0 {
                continue;
            }
            l[j][j] = pivot.sqrt();
            for i in j + 1..BLOCK {
                l[i][j] = (gram[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>()) / l[j][j];
            }
        }
        for block in [&mut *y, &mut *my] {
            for row in block.iter_mut() {
                for j in 0..BLOCK {
                    let off: f64 = (0..j).map(|k| l[j][k] * row[k]).sum();
                    row[j] = if l[j][j] > 0.0 { (row[j] - off) / l[j][j] } else { 0.0 };
                }
            }
        }
        let before = r;
        let first = before.iter().flatten().all(|x| *x == 0.0);
        for i in 0..BLOCK {
            for j in 0..BLOCK {
                // l^T after what was there.
                r[i][j] = if first { l[j][i] } else { (0..BLOCK).map(|k| l[k][i] * before[k][j]).sum() };
            }
        }
    }
    r
}

/// The lowest `wanted` modes; `rigid`: the six motions as a whole, in any form. `progress` is told the share that is done, about.
pub fn lowest(
    matrix: &Sparse,
    masses: &Masses,
    factor: &Factor,
    shift: f64,
    rigid: &[Vec<f64>; 6],
    wanted: usize,
    progress: &dyn Fn(f64),
) -> Found {
    let n = 3 * matrix.places.len();
    let wanted = wanted.min(n.saturating_sub(6 + BLOCK));
    let most = (MOST_PER_MODE * wanted + 12 * BLOCK).min(n.saturating_sub(6)) / BLOCK * BLOCK;
    let mut whole: Vec<Row> = (0..n).map(|i| std::array::from_fn(|k| rigid[k % 6][i])).collect();
    let mut whole_m = Vec::new();
    times(matrix, masses, &whole, &mut whole_m);
    orthonormal(&mut whole, &mut whole_m);
    let mut rng = Rng::new(1, "mesh");
    let mut y: Vec<Row> = (0..n).map(|_| std::array::from_fn(|_| rng.between(-1.0, 1.0))).collect();
    let mut my = Vec::new();
    for _ in 0..2 {
        let h = products(&whole_m, &y);
        subtract(&mut y, &whole, &h);
    }
    times(matrix, masses, &y, &mut my);
    orthonormal(&mut y, &mut my);
    let (mut basis, mut basis_m): (Vec<Vec<Row>>, Vec<Vec<Row>>) = (vec![y], vec![my]);
    let mut columns: Vec<Vec<[Row; BLOCK]>> = Vec::new();
    loop {
        let k = basis.len() - 1;
        let mut y = basis_m[k].clone();
        factor.solve(&mut y);
        let mut column = vec![[[0.0; BLOCK]; BLOCK]; k + 1];
        for _ in 0..2 {
            let h = products(&whole_m, &y);
            subtract(&mut y, &whole, &h);
            for j in (0..=k).rev() {
                let h = products(&basis_m[j], &y);
                subtract(&mut y, &basis[j], &h);
                column[j].iter_mut().flatten().zip(h.iter().flatten()).for_each(|(sum, h)| *sum += h);
            }
        }
        let mut my = Vec::new();
        times(matrix, masses, &y, &mut my);
        let next = orthonormal(&mut y, &mut my);
        columns.push(column);
        let size = columns.len() * BLOCK;
        let enough = size >= most || size >= wanted + wanted / 2 && columns.len().is_multiple_of(4);
        if enough || size + BLOCK > n.saturating_sub(6) {
            let mut small = vec![0.0; size * size];
            for (c, column) in columns.iter().enumerate() {
                for (r, block) in column.iter().enumerate() {
                    for (i, j) in (0..BLOCK).flat_map(|i| (0..BLOCK).map(move |j| (i, j))) {
                        // Both halves should agree: their mean.
                        let (a, b) = (r * BLOCK + i, c * BLOCK + j);
                        let part = if r == c { 0.5 } else { 1.0 };
                        small[a * size + b] += part * block[i][j];
                        small[b * size + a] += part * block[i][j];
                    }
                }
            }
            let (values, vectors) = eigen::vectors(&small, size);
            let best: Vec<usize> = (0..size).rev().take(wanted).filter(|&e| values[e] > 0.0).collect();
            let residual = |e: usize| -> f64 {
                let last = &vectors[e][size - BLOCK..];
                next.iter().map(|row| row.iter().zip(last).map(|(r, s)| r * s).sum::<f64>().powi(2)).sum::<f64>().sqrt()
            };
            let found = best.iter().filter(|&&e| residual(e) < CLOSE * values[e]).count();
            progress((found as f64 / wanted.max(1) as f64).min(1.0));
            if found == best.len() || size + BLOCK > most {
                let squares = best.iter().map(|&e| 1.0 / values[e] - shift).collect();
                let vector = |&e: &usize| -> Vec<f64> {
                    let mut x = vec![0.0; n];
                    for (block, s) in basis.iter().zip(vectors[e].chunks_exact(BLOCK)) {
                        for (x, row) in x.iter_mut().zip(block) {
                            *x += row.iter().zip(s).map(|(row, s)| row * s).sum::<f64>();
                        }
                    }
                    x
                };
                return Found { squares, vectors: best.iter().map(vector).collect() };
            }
        }
        basis.push(y);
        basis_m.push(my);
    }
}
