// SPDX-License-Identifier: MIT OR Apache-2.0
//! The K method: a force that depends on a state that depends on that force, in the same sample.
//!
//! # What
//! Implicit schemes give `(x, v) = (x~, v~) + K f` with f unknown; this finds it.
//!
//! # Law
//! - `[k_method.1]` `f = force(x~ + K_x f, v~ + K_v f)`
//! - `[k_method.2]` Newton on `g(h) = force(x~ + K_x h, v~ + K_v h) - h`, `g' = df/dx K_x + df/dv K_v - 1`
//! - `[k_method.3]` or a table of `h(x~, v~)` filled beforehand
//!
//! # Symbols
//! x~, v~ state computed with f = 0 (m, m/s); `K_x` (m/N), `K_v` (m/s/N), both negative.
//!
//! # Step
//! Newton starts from the last sample's force and stops at a relative change of 1e-13 or an absolute one of 1e-13 N.
//! Nothing safeguards it: `g` is not monotone where 1 + mu v < 0, and it can cycle for ever (`converged` says so).
//!
//! # Sources
//! Avanzini et al. 2003 (8.32), (8.33), (8.41), (8.42) and its listing, corrected: the loop runs while the error is *larger* than the
//! tolerance, the error is defined before the first test, and the first iterate is the start value.

use super::Law;
use crate::math::Real;

/// How the force reaches the state within the sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct K {
    /// Compression per force, m/N.
    pub x: Real,
    /// Velocity per force, m/s/N.
    pub v: Real,
}

/// What Newton found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// Force, N.
    pub f_n: Real,
    /// Evaluations of g.
    pub iterations: u32,
    /// Whether the tolerance was met.
    pub converged: bool,
}

/// Iterations after which the listing is declared lost.
pub const MOST: u32 = 100;

impl K {
    /// Residual of `[k_method.1]`, N.
    pub fn residual_n(&self, law: &Law, x_m: Real, v_m_s: Real, f_n: Real) -> Real {
        law.force_n(x_m + self.x * f_n, v_m_s + self.v * f_n) - f_n
    }

    /// `[k_method.2]`
    pub fn newton(&self, law: &Law, x_m: Real, v_m_s: Real, start_n: Real) -> Solved {
        const TOLERANCE: Real = 1e-13;
        let mut f_n = start_n;
        let mut error = Real::INFINITY;
        let mut iterations = 0;
        while error > TOLERANCE * f_n.abs().max(1.0) && iterations < MOST {
            let (by_x, by_v) = law.slopes(x_m + self.x * f_n, v_m_s + self.v * f_n);
            let slope = by_x * self.x + by_v * self.v - 1.0;
            let next_n = f_n - self.residual_n(law, x_m, v_m_s, f_n) / slope;
            error = (next_n - f_n).abs();
            f_n = next_n;
            iterations += 1;
        }
        Solved { f_n, iterations, converged: error <= TOLERANCE * f_n.abs().max(1.0) }
    }
}

/// `[k_method.3]`: h on a grid of x~ and v~, bilinear between, for one law and one K.
#[derive(Clone, Debug)]
pub struct Table {
    x_step_m: Real,
    v_step_m_s: Real,
    v_most_m_s: Real,
    columns: usize,
    forces_n: Vec<Real>,
}

impl Table {
    /// Covers 0 to `x_most_m` and -`v_most_m_s` to `v_most_m_s` with so many points each; outside, the edge holds.
    pub fn new(law: &Law, k: K, x_most_m: Real, v_most_m_s: Real, rows: usize, columns: usize) -> Self {
        let x_step_m = x_most_m / (rows - 1) as Real;
        let v_step_m_s = 2.0 * v_most_m_s / (columns - 1) as Real;
        let mut forces_n = vec![0.0; rows * columns];
        for column in 0..columns {
            let v = -v_most_m_s + column as Real * v_step_m_s;
            for row in 1..rows {
                // Neighbours start one another, so that Newton stays on the branch that begins at zero force.
                let start = forces_n[(row - 1) * columns + column];
                forces_n[row * columns + column] = k.newton(law, row as Real * x_step_m, v, start).f_n;
            }
        }
        Self { x_step_m, v_step_m_s, v_most_m_s, columns, forces_n }
    }

    /// The force for a computed state, N.
    pub fn force_n(&self, x_m: Real, v_m_s: Real) -> Real {
        if x_m <= 0.0 {
            return 0.0;
        }
        let rows = self.forces_n.len() / self.columns;
        let place = |at: Real, points: usize| {
            let at = at.clamp(0.0, (points - 1) as Real);
            let cell = (at as usize).min(points - 2);
            (cell, at - cell as Real)
        };
        let (row, down) = place(x_m / self.x_step_m, rows);
        let (column, along) = place((v_m_s + self.v_most_m_s) / self.v_step_m_s, self.columns);
        let at = |r: usize, c: usize| self.forces_n[r * self.columns + c];
        let upper = at(row, column) + along * (at(row, column + 1) - at(row, column));
        let lower = at(row + 1, column) + along * (at(row + 1, column + 1) - at(row + 1, column));
        upper + down * (lower - upper)
    }
}
