// SPDX-License-Identifier: MIT OR Apache-2.0
//! Eigenvalues and eigenvectors of a symmetric matrix.
//!
//! **What.** Cyclic Jacobi rotations: each turns two coordinates so that their coupling vanishes, until none is left.
//! Slow beside the methods for large matrices, but short, exact to the last digits for small eigenvalues too, and the same
//! bits everywhere: it needs nothing but the four operations and the square root.
//!
//! **Law.** `[jacobi.1]  a_pq -> 0` under a turn by the angle whose tangent is the smaller root of `t^2 + 2 theta t - 1 = 0`,
//! `theta = (a_qq - a_pp)/(2 a_pq)`.
//!
//! **Sources.** Jacobi 1846; Golub and Van Loan, *Matrix Computations*, 8.5.

use crate::math::Real;

/// Sweeps after which it stops in any case; six to twelve are needed.
const SWEEPS: usize = 60;
/// A coupling below this part of the geometric mean of its diagonal is rounding, and below that of the largest entry too.
const NOTHING: (Real, Real) = (1e-17, 1e-18);

/// Eigenvalues, ascending, and their unit vectors of a symmetric `n` x `n` matrix. `[control]`
pub fn eigen(matrix: &[Real], n: usize) -> (Vec<Real>, Vec<Vec<Real>>) {
    let mut a = matrix.to_vec();
    // Rows are the vectors.
    let mut v = vec![0.0; n * n];
    (0..n).for_each(|i| v[i * n + i] = 1.0);
    let largest = a.iter().fold(0.0, |m: Real, x| m.max(x.abs()));
    for _ in 0..SWEEPS {
        let mut turned = false;
        for p in 0..n {
            for q in p + 1..n {
                let (app, aqq, apq) = (a[p * n + p], a[q * n + q], a[p * n + q]);
                if apq.abs() <= NOTHING.0 * (app.abs() * aqq.abs()).sqrt() || apq.abs() <= NOTHING.1 * largest {
                    continue;
                }
                turned = true;
                let theta = (aqq - app) / (2.0 * apq);
                let t = 1.0 / (theta.abs() + (theta * theta + 1.0).sqrt());
                let t = if theta < 0.0 { -t } else { t }; // [jacobi.1]
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..n {
                    if k != p && k != q {
                        let (x, y) = (a[p * n + k], a[q * n + k]);
                        let (x, y) = (c * x - s * y, s * x + c * y);
                        (a[p * n + k], a[k * n + p]) = (x, x);
                        (a[q * n + k], a[k * n + q]) = (y, y);
                    }
                    let (x, y) = (v[p * n + k], v[q * n + k]);
                    (v[p * n + k], v[q * n + k]) = (c * x - s * y, s * x + c * y);
                }
                a[p * n + p] = app - t * apq;
                a[q * n + q] = aqq + t * apq;
                (a[p * n + q], a[q * n + p]) = (0.0, 0.0);
            }
        }
        if !turned {
            break;
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| a[i * n + i].total_cmp(&a[j * n + j]));
    (order.iter().map(|&i| a[i * n + i]).collect(), order.iter().map(|&i| v[i * n..(i + 1) * n].to_vec()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{PI, sin};
    use crate::rng::Rng;

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
        let (values, _) = eigen(&matrix, n);
        for (k, value) in values.iter().enumerate() {
            let half = sin((k + 1) as Real * PI / (2 * (n + 1)) as Real);
            assert!((value / (4.0 * half * half) - 1.0).abs() < 1e-13, "{k}: {value}");
        }
    }

    #[test]
    fn vectors_are_orthonormal_and_rebuild_the_matrix() {
        let mut rng = Rng::new(1, "jacobi");
        for n in [1, 2, 7, 30] {
            let mut matrix = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..=i {
                    let x = rng.between(-1.0, 1.0);
                    (matrix[i * n + j], matrix[j * n + i]) = (x, x);
                }
            }
            let (values, vectors) = eigen(&matrix, n);
            for i in 0..n {
                for j in 0..n {
                    let dot: Real = vectors[i].iter().zip(&vectors[j]).map(|(x, y)| x * y).sum();
                    assert!((dot - Real::from(u8::from(i == j))).abs() < 1e-13, "{i} {j}: {dot}");
                    let back: Real = (0..n).map(|k| values[k] * vectors[k][i] * vectors[k][j]).sum();
                    assert!((back - matrix[i * n + j]).abs() < 1e-13 * n as Real, "{i} {j}: {back}");
                }
            }
        }
    }
}
