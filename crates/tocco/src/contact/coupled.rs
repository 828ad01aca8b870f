// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several contacts that share bodies, solved together.
//!
//! **What.** A force at one contact moves the others in the same step; solving them one after the other would be a
//! delay. The strokes of an island are the root of one small system.
//!
//! **Law.** `[coupled.1]  s = s0 - L F(s)`, `L_cd = sum over shared bodies of +-compliance(port_c, port_d)`, symmetric
//! and positive semidefinite; F is diagonal and monotone, hence one root and the same energy balance as for one contact.
//!
//! **Step.** Newton with backtracking on the residual; the Jacobian I + L F' is never singular. Only contacts that push
//! back enter the elimination. As for one contact the forces come from the last tangent. Should that not converge,
//! nonlinear Gauss-Seidel over the scalar solves (a descent of a convex function); should that not either, it is counted.
//!
//! **Sources.** 004 (several inputs and outputs per box); physics.md D.8.

use super::Contact;
use crate::interactor::Stroke;
use crate::math::Real;

/// Most contacts in one island. A full matrix of this size is solved in about a millisecond: beyond it, sound stops.
pub const MAX_CONTACTS: usize = 256;

const NEWTON_STEPS: u32 = 50;
const HALVINGS: u32 = 12;
const SWEEPS: u32 = 200;
const TOLERANCE: Real = 1e-14;

/// Room for one solve, made ahead of time.
pub(super) struct Scratch {
    pub s0: Vec<Real>,
    pub strokes: Vec<Real>,
    pub forces: Vec<Real>,
    trial: Vec<Real>,
    slope: Vec<Real>,
    residual: Vec<Real>,
    change: Vec<Real>,
    active: Vec<usize>,
    lu: Vec<Real>,
}

impl Scratch {
    pub fn new(contacts: usize) -> Self {
        let zeros = || vec![0.0; contacts];
        Self {
            s0: zeros(),
            strokes: zeros(),
            forces: zeros(),
            trial: zeros(),
            slope: zeros(),
            residual: zeros(),
            change: zeros(),
            active: Vec::with_capacity(contacts),
            lu: vec![0.0; contacts * contacts],
        }
    }
}

/// How a coupled solve went.
pub(super) struct Outcome {
    pub iterations: u32,
    pub fell_back: bool,
    pub converged: bool,
}

/// Fills `scratch.strokes` and `scratch.forces` of the listed contacts; `matrix` is L, row-major. `[audio]`
pub(super) fn solve(contacts: &[Contact], members: &[usize], matrix: &[Real], dt: Real, w: &mut Scratch) -> Outcome {
    let n = members.len();
    let mut iterations = 0;
    let mut size = 0.0;
    for c in 0..n {
        let contact = &contacts[members[c]];
        let alone = contact.law.resolve(contact.compression, w.s0[c], matrix[c * n + c], dt, contact.stroke);
        w.strokes[c] = alone.stroke;
        iterations += alone.iterations;
        size = Real::max(size, w.s0[c].abs() + contact.compression.abs());
    }
    let mut norm = evaluate(contacts, members, matrix, dt, w, false);
    for _ in 0..NEWTON_STEPS {
        iterations += 1;
        newton_step(n, matrix, w);
        let largest = w.change[..n].iter().fold(0.0, |m: Real, x| m.max(x.abs()));
        if largest <= TOLERANCE * size {
            for c in 0..n {
                w.strokes[c] += w.change[c];
                w.forces[c] = (w.forces[c] + w.slope[c] * w.change[c]).max(0.0);
            }
            return Outcome { iterations, fell_back: false, converged: true };
        }
        let mut part = 1.0;
        for halving in 0..=HALVINGS {
            for c in 0..n {
                w.trial[c] = w.strokes[c] + part * w.change[c];
            }
            let tried = evaluate(contacts, members, matrix, dt, w, true);
            if tried <= (1.0 - 2e-4 * part) * norm || halving == HALVINGS {
                norm = tried;
                w.strokes[..n].copy_from_slice(&w.trial[..n]);
                break;
            }
            part *= 0.5;
        }
        if !norm.is_finite() {
            break;
        }
    }
    let converged = gauss_seidel(contacts, members, matrix, dt, size, w, &mut iterations);
    Outcome { iterations, fell_back: true, converged }
}

/// Forces, slopes and residual at the strokes (or at the trial ones); returns the squared norm.
fn evaluate(contacts: &[Contact], members: &[usize], matrix: &[Real], dt: Real, w: &mut Scratch, trial: bool) -> Real {
    let n = members.len();
    let strokes = if trial { &w.trial } else { &w.strokes };
    for c in 0..n {
        let contact = &contacts[members[c]];
        let force = contact.law.force(Stroke { from: contact.compression, by: strokes[c], dt });
        (w.forces[c], w.slope[c]) = (force.n, force.per_m);
    }
    let mut norm = 0.0;
    for c in 0..n {
        let push: Real = matrix[c * n..(c + 1) * n].iter().zip(&w.forces[..n]).map(|(l, f)| l * f).sum();
        w.residual[c] = strokes[c] - w.s0[c] + push; // [coupled.1]
        norm += w.residual[c] * w.residual[c];
    }
    norm
}

/// Solves (I + L F') change = -residual: elimination over contacts with F' > 0, the rest follow.
fn newton_step(n: usize, matrix: &[Real], w: &mut Scratch) {
    w.active.clear();
    w.active.extend((0..n).filter(|&c| w.slope[c] > 0.0));
    let m = w.active.len();
    for (i, &c) in w.active.iter().enumerate() {
        w.change[c] = -w.residual[c];
        for (j, &d) in w.active.iter().enumerate() {
            w.lu[i * m + j] = matrix[c * n + d] * w.slope[d] + if i == j { 1.0 } else { 0.0 };
        }
    }
    for pivot in 0..m {
        let best =
            (pivot..m).fold(pivot, |b, i| if w.lu[i * m + pivot].abs() > w.lu[b * m + pivot].abs() { i } else { b });
        if best != pivot {
            for j in 0..m {
                w.lu.swap(best * m + j, pivot * m + j);
            }
            w.change.swap(w.active[best], w.active[pivot]);
        }
        for i in pivot + 1..m {
            let factor = w.lu[i * m + pivot] / w.lu[pivot * m + pivot];
            if factor != 0.0 {
                for j in pivot..m {
                    w.lu[i * m + j] -= factor * w.lu[pivot * m + j];
                }
                let above = w.change[w.active[pivot]];
                w.change[w.active[i]] -= factor * above;
            }
        }
    }
    for i in (0..m).rev() {
        let known: Real = (i + 1..m).map(|j| w.lu[i * m + j] * w.change[w.active[j]]).sum();
        w.change[w.active[i]] = (w.change[w.active[i]] - known) / w.lu[i * m + i];
    }
    for c in 0..n {
        if w.slope[c] == 0.0 {
            let follow: Real = w.active.iter().map(|&d| matrix[c * n + d] * w.slope[d] * w.change[d]).sum();
            w.change[c] = -w.residual[c] - follow;
        }
    }
}

fn gauss_seidel(
    contacts: &[Contact],
    members: &[usize],
    matrix: &[Real],
    dt: Real,
    size: Real,
    w: &mut Scratch,
    iterations: &mut u32,
) -> bool {
    let n = members.len();
    w.forces[..n].fill(0.0);
    let mut done = false;
    for _ in 0..SWEEPS {
        let mut moved: Real = 0.0;
        for c in 0..n {
            let contact = &contacts[members[c]];
            let row = &matrix[c * n..(c + 1) * n];
            let others: Real = (0..n).filter(|d| *d != c).map(|d| row[d] * w.forces[d]).sum();
            let alone = contact.law.resolve(contact.compression, w.s0[c] - others, row[c], dt, w.strokes[c]);
            moved = moved.max((alone.stroke - w.strokes[c]).abs());
            (w.strokes[c], w.forces[c]) = (alone.stroke, alone.force);
            *iterations += alone.iterations;
        }
        if moved <= 1e-13 * size {
            done = true;
            break;
        }
    }
    for c in 0..n {
        let push: Real = (0..n).map(|d| matrix[c * n + d] * w.forces[d]).sum();
        w.strokes[c] = w.s0[c] - push;
    }
    done
}
