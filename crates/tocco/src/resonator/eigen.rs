// SPDX-License-Identifier: MIT OR Apache-2.0
//! Eigenvalues of a symmetric matrix, and what its eigenvectors make of given rows.
//!
//! **What.** For A = V diag V^T, the eigenvalues and R V for a few rows R: the value of every mode's shape at a few places,
//! without ever forming V, for two thirds of the work of a full solve and less. With R = 1 it is V itself. The same bits everywhere: it
//! needs nothing but the four operations and the square root.
//!
//! **Law.** Householder reflections make A tridiagonal, implicit QL steps with Wilkinson's shift make that diagonal; every
//! reflection and rotation is applied to the rows as well: `[eigen.1]  R <- R (1 - beta v v^T)`, `A <- A - v w^T - w v^T`.
//!
//! **Sources.** Wilkinson, Reinsch, *Linear algebra* (1971), II/2, II/4; Golub, Van Loan, *Matrix computations*, 8.3.

use crate::math::Real;

/// Most QL steps for one eigenvalue; three are usual.
const MOST_STEPS: usize = 60;

/// Eigenvalues in ascending order; `rows` become rows times eigenvectors, in the same order. `a`: n rows of n.
pub fn symmetric(mut a: Vec<Real>, n: usize, rows: &mut [Vec<Real>]) -> Vec<Real> {
    let (mut d, mut e) = (vec![0.0; n], vec![0.0; n]);
    let (mut v, mut w) = (vec![0.0; n], vec![0.0; n]);
    for k in 0..n {
        d[k] = a[k * n + k];
        if k + 1 >= n {
            break;
        }
        let first = k + 1;
        let mut square = 0.0;
        for j in first..n {
            v[j] = a[k * n + j];
            square += v[j] * v[j];
        }
        let norm = square.sqrt();
        if norm == 0.0 || first + 1 == n {
            e[k] = v[first];
            continue;
        }
        let alpha = if v[first] > 0.0 { -norm } else { norm };
        let beta = 1.0 / (square - alpha * v[first]);
        v[first] -= alpha;
        e[k] = alpha;
        w[first..n].iter_mut().for_each(|x| *x = 0.0);
        for j in first..n {
            let (weight, row) = (beta * v[j], &a[j * n + first..j * n + n]);
            w[first..n].iter_mut().zip(row).for_each(|(w, x)| *w += weight * x);
        }
        let along: Real = (first..n).map(|j| w[j] * v[j]).sum();
        let half = 0.5 * beta * along;
        for j in first..n {
            w[j] -= half * v[j];
        }
        for i in first..n {
            let (vi, wi) = (v[i], w[i]);
            let row = &mut a[i * n + first..i * n + n];
            for ((x, vj), wj) in row.iter_mut().zip(&v[first..n]).zip(&w[first..n]) {
                *x -= vi * wj + wi * vj; // [eigen.1]
            }
        }
        for row in rows.iter_mut() {
            let along: Real = beta * (first..n).map(|j| row[j] * v[j]).sum::<Real>();
            for j in first..n {
                row[j] -= along * v[j]; // [eigen.1]
            }
        }
    }
    diagonal(&mut d, &mut e, rows);
    let order = crate::order::ascending(n, &|i| d[i]);
    for row in rows.iter_mut() {
        *row = order.iter().map(|&i| row[i]).collect();
    }
    order.iter().map(|&i| d[i]).collect()
}

/// Eigenvalues, ascending, and their unit vectors of a symmetric `n` x `n` matrix. `[control]`
pub fn vectors(matrix: &[Real], n: usize) -> (Vec<Real>, Vec<Vec<Real>>) {
    let unit = |i: usize| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect();
    let mut rows: Vec<Vec<Real>> = (0..n).map(unit).collect();
    let values = symmetric(matrix.to_vec(), n, &mut rows);
    (values, (0..n).map(|k| rows.iter().map(|row| row[k]).collect()).collect())
}

/// QL on a tridiagonal matrix with diagonal `d` and `e[i]` between i and i+1.
fn diagonal(d: &mut [Real], e: &mut [Real], rows: &mut [Vec<Real>]) {
    let n = d.len();
    for low in 0..n {
        for _ in 0..MOST_STEPS {
            let small = |i: usize| e[i].abs() <= Real::EPSILON * (d[i].abs() + d[i + 1].abs());
            let high = (low..n - 1).find(|&i| small(i)).unwrap_or(n - 1);
            if high == low {
                break;
            }
            let mut g = (d[low + 1] - d[low]) / (2.0 * e[low]);
            let root = (g * g + 1.0).sqrt();
            g = d[high] - d[low] + e[low] / (g + if g >= 0.0 { root } else { -root });
            let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
            let mut early = false;
            for i in (low..high).rev() {
                let (f, b) = (s * e[i], c * e[i]);
                let r = (f * f + g * g).sqrt();
                e[i + 1] = r;
                if r == 0.0 {
                    d[i + 1] -= p;
                    e[high] = 0.0;
                    early = true;
                    break;
                }
                (s, c) = (f / r, g / r);
                g = d[i + 1] - p;
                let t = (d[i] - g) * s + 2.0 * c * b;
                p = s * t;
                d[i + 1] = g + p;
                g = c * t - b;
                for row in rows.iter_mut() {
                    let (x, y) = (row[i], row[i + 1]);
                    (row[i], row[i + 1]) = (c * x - s * y, s * x + c * y);
                }
            }
            if !early {
                d[low] -= p;
                e[low] = g;
                e[high] = 0.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{PI, sin};
    use crate::rng::Rng;

    #[test]
    fn a_matrix_made_of_known_eigenvalues_gives_them_back_with_its_vectors() {
        let mut rng = Rng::new(1, "eigen");
        for n in [1, 2, 3, 10, 40] {
            let a: Vec<Real> = (0..n * n).map(|_| rng.between(-1.0, 1.0)).collect();
            let a: Vec<Real> = (0..n * n).map(|i| a[i] + a[(i % n) * n + i / n]).collect();
            let (values, vectors) = vectors(&a, n);
            assert!(values.is_sorted());
            // A v = lambda v, row by row.
            for k in 0..n {
                for i in 0..n {
                    let av: Real = (0..n).map(|j| a[i * n + j] * vectors[k][j]).sum();
                    assert!((av - values[k] * vectors[k][i]).abs() < 1e-12, "{n}");
                }
                let norm: Real = (0..n).map(|i| vectors[k][i] * vectors[k][i]).sum();
                assert!((norm - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_chain_of_forty_has_the_eigenvalues_of_its_closed_form_to_fourteen_digits() {
        let n = 40;
        let entry = |i: usize, j: usize| {
            if i == j {
                2.0
            } else if i.abs_diff(j) == 1 {
                -1.0
            } else {
                0.0
            }
        };
        let matrix: Vec<Real> = (0..n * n).map(|at| entry(at / n, at % n)).collect();
        let (values, _) = vectors(&matrix, n);
        for (k, value) in values.iter().enumerate() {
            let half = sin((k + 1) as Real * PI / (2 * (n + 1)) as Real);
            assert!((value / (4.0 * half * half) - 1.0).abs() < 1e-13, "{k}: {value}");
        }
    }

    #[test]
    fn vectors_are_orthonormal_and_rebuild_the_matrix() {
        let mut rng = Rng::new(2, "eigen");
        for n in [1, 2, 7, 30] {
            let mut matrix = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..=i {
                    let x = rng.between(-1.0, 1.0);
                    (matrix[i * n + j], matrix[j * n + i]) = (x, x);
                }
            }
            let (values, columns) = vectors(&matrix, n);
            for i in 0..n {
                for j in 0..n {
                    let dot: Real = columns[i].iter().zip(&columns[j]).map(|(x, y)| x * y).sum();
                    assert!((dot - Real::from(u8::from(i == j))).abs() < 1e-13, "{i} {j}: {dot}");
                    let back: Real = (0..n).map(|k| values[k] * columns[k][i] * columns[k][j]).sum();
                    assert!((back - matrix[i * n + j]).abs() < 1e-13 * n as Real, "{i} {j}: {back}");
                }
            }
        }
    }
}
