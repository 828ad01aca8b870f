// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several contacts that share bodies, solved together.
//!
//! **What.** A force at one contact moves the others in the same step; solving them one after the other would be a
//! delay. The strokes of an island are the root of one small system.
//!
//! **Law.** `[coupled.1]  s = s0 - L F(s)`, `L_cd = sum over shared bodies of +-compliance(port_c, port_d)`, symmetric
//! and positive semidefinite; F is diagonal and monotone, hence one root and the same energy balance as for one contact.
//!
//! **Step.** The unknowns are the forces y, with s = s0 - L y, so that bodies and contacts always agree to rounding. The
//! root is the minimum of the convex `[coupled.2]  y'Ly/2 + W(s0 - L y)`, W the primitive of F. Newton's direction
//! solves (I + F' L) d = F - y, never singular; along it the slope of [coupled.2] only rises, so a step that overshoots
//! is cut back to where the slope is small. (Backtracking on the residual, as physics.md D.8 has it, stalls at the kink
//! where a force is clipped.) Only contacts that push back enter the elimination. Should that not converge, nonlinear
//! Gauss-Seidel over the scalar solves, a descent of the same function; should that not either, it is counted.
//!
//! `[coupled.3]` With friction or general laws among them F may fall or pull, and the normal force of one may be the force
//! of another: there may be several roots. Gauss-Seidel over the scalar solves, each taking the root nearest to its last
//! motion; if the forces chase each other or creep, again from the start with relaxation (a fallback, counted). Where that
//! fails too (counted as unconverged), these laws let go for this one step and the rest is solved as above: the only
//! answer that is sure not to add energy, since a force that does not belong to its stroke may do any work. (Halving the
//! step, as physics.md H5 has it, would have to undo the bristles of the half that did converge.)
//!
//! **Sources.** 004 (several inputs and outputs per box); physics.md D.8.

use super::{Contact, Law};
use crate::interactor::{ROUNDING, Stroke};
use crate::math::Real;

/// Most contacts in one island. A full matrix of this size is solved in about a millisecond: beyond it, sound stops.
pub const MAX_CONTACTS: usize = 256;

const NEWTON_STEPS: u32 = 60;
const CUTS: u32 = 30;
const SWEEPS: u32 = 200;
const TOLERANCE: Real = 1e-14;
/// Part of the way that the forces go in a sweep: all of it; then what Aitken's rule says; then little.
const RELAXED: [Real; 3] = [1.0, 1.0, 0.15];
/// Relative change of the strokes at which a sweep over falling laws is done.
const SWEPT: Real = 1e-13;

/// Room for one solve, made ahead of time.
pub(super) struct Scratch {
    pub s0: Vec<Real>,
    pub strokes: Vec<Real>,
    pub forces: Vec<Real>,
    /// The law's forces at the strokes, and their slopes.
    law: Vec<Real>,
    slope: Vec<Real>,
    start: Vec<Real>,
    /// Newton's direction, N, and what it does to the strokes, m.
    direction: Vec<Real>,
    moved: Vec<Real>,
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
            law: zeros(),
            slope: zeros(),
            start: zeros(),
            direction: zeros(),
            moved: zeros(),
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
pub(super) fn solve(
    contacts: &mut [Contact],
    members: &[usize],
    matrix: &[Real],
    dt: Real,
    w: &mut Scratch,
) -> Outcome {
    let n = members.len();
    let mut iterations = 0;
    let mut size = 0.0;
    for c in 0..n {
        let contact = &mut contacts[members[c]];
        let alone = contact.resolve(w.s0[c], matrix[c * n + c], dt, contact.guess());
        w.forces[c] = alone.force;
        iterations += alone.iterations;
        size = Real::max(size, w.s0[c].abs() + contact.compression.abs());
    }
    evaluate(contacts, members, matrix, dt, w);
    let mut last = Real::INFINITY;
    for _ in 0..NEWTON_STEPS {
        iterations += 1;
        newton_direction(n, matrix, w);
        let largest = w.moved[..n].iter().fold(0.0, |m: Real, x| m.max(x.abs()));
        if largest <= TOLERANCE * size || (largest <= ROUNDING * size && largest > 0.5 * last) {
            for c in 0..n {
                let force = w.forces[c] + w.direction[c];
                w.forces[c] = if contacts[members[c]].law.is_convex() { force.max(0.0) } else { force };
                w.strokes[c] += w.moved[c];
            }
            return Outcome { iterations, fell_back: false, converged: true };
        }
        last = largest;
        w.start[..n].copy_from_slice(&w.forces[..n]);
        let begin = slope_along(n, w);
        let (mut low, mut at_low, mut high, mut at_high, mut part) = (0.0, begin, 1.0, 0.0, 1.0);
        for cut in 0..=CUTS {
            for c in 0..n {
                w.forces[c] = w.start[c] + part * w.direction[c];
            }
            evaluate(contacts, members, matrix, dt, w);
            let slope = slope_along(n, w);
            let flat = slope.abs() <= 0.5 * begin.abs();
            if flat || (cut == 0 && slope < 0.0) || cut == CUTS {
                break;
            }
            iterations += 1;
            if slope > 0.0 {
                (high, at_high) = (part, slope);
            } else {
                (low, at_low) = (part, slope);
            }
            let secant = low - at_low * (high - low) / (at_high - at_low);
            part = secant.max(low + 0.1 * (high - low)).min(high - 0.1 * (high - low));
        }
    }
    let converged = gauss_seidel(contacts, members, matrix, dt, size, w, &mut iterations);
    Outcome { iterations, fell_back: true, converged }
}

/// Strokes under the forces, [coupled.1], and what the laws answer to them.
fn evaluate(contacts: &[Contact], members: &[usize], matrix: &[Real], dt: Real, w: &mut Scratch) {
    let n = members.len();
    for c in 0..n {
        let push: Real = matrix[c * n..(c + 1) * n].iter().zip(&w.forces[..n]).map(|(l, f)| l * f).sum();
        w.strokes[c] = w.s0[c] - push;
        let contact = &contacts[members[c]];
        let force = contact.law.force(Stroke { from: contact.compression, by: w.strokes[c], dt });
        (w.law[c], w.slope[c]) = (force.n, force.per_m);
    }
}

/// Slope of [coupled.2] along the direction d: d'L (y - F) = -(moved) (y - F).
fn slope_along(n: usize, w: &Scratch) -> Real {
    (0..n).map(|c| w.moved[c] * (w.law[c] - w.forces[c])).sum()
}

/// Newton's direction: (I + F' L) d = F - y by elimination over the contacts with F' > 0; the others are known at once.
fn newton_direction(n: usize, matrix: &[Real], w: &mut Scratch) {
    w.active.clear();
    w.active.extend((0..n).filter(|&c| w.slope[c] > 0.0));
    let m = w.active.len();
    for c in 0..n {
        w.direction[c] = w.law[c] - w.forces[c];
    }
    for (i, &c) in w.active.iter().enumerate() {
        let row = &matrix[c * n..(c + 1) * n];
        let known: Real = (0..n).filter(|&d| w.slope[d] <= 0.0).map(|d| row[d] * w.direction[d]).sum();
        let unit = 1.0 / (1.0 + w.slope[c] * row[c]);
        w.moved[c] = (w.law[c] - w.forces[c] - w.slope[c] * known) * unit;
        for (j, &d) in w.active.iter().enumerate() {
            w.lu[i * m + j] = (w.slope[c] * row[d] + if i == j { 1.0 } else { 0.0 }) * unit;
        }
    }
    for i in 0..m {
        w.direction[w.active[i]] = w.moved[w.active[i]];
    }
    for pivot in 0..m {
        let best =
            (pivot..m).fold(pivot, |b, i| if w.lu[i * m + pivot].abs() > w.lu[b * m + pivot].abs() { i } else { b });
        if best != pivot {
            for j in 0..m {
                w.lu.swap(best * m + j, pivot * m + j);
            }
            w.direction.swap(w.active[best], w.active[pivot]);
        }
        for i in pivot + 1..m {
            let factor = w.lu[i * m + pivot] / w.lu[pivot * m + pivot];
            if factor != 0.0 {
                for j in pivot..m {
                    w.lu[i * m + j] -= factor * w.lu[pivot * m + j];
                }
                let above = w.direction[w.active[pivot]];
                w.direction[w.active[i]] -= factor * above;
            }
        }
    }
    for i in (0..m).rev() {
        let known: Real = (i + 1..m).map(|j| w.lu[i * m + j] * w.direction[w.active[j]]).sum();
        w.direction[w.active[i]] = (w.direction[w.active[i]] - known) / w.lu[i * m + i];
    }
    for c in 0..n {
        let push: Real = matrix[c * n..(c + 1) * n].iter().zip(&w.direction[..n]).map(|(l, f)| l * f).sum();
        w.moved[c] = -push;
    }
}

/// Contacts among which are laws whose force may pull or fall with the stroke, or that take their normal force from
/// another contact of the island: [coupled.3]. `[audio]`
pub(super) fn sweep(
    contacts: &mut [Contact],
    members: &[usize],
    matrix: &[Real],
    dt: Real,
    w: &mut Scratch,
) -> Outcome {
    let n = members.len();
    let mut iterations = 0;
    for (round, start) in RELAXED.into_iter().enumerate() {
        for c in 0..n {
            let contact = &contacts[members[c]];
            (w.strokes[c], w.forces[c]) = (contact.guess(), contact.last_force);
        }
        let (mut last, mut part) = (Real::INFINITY, start);
        for turn in 0..SWEEPS {
            w.start[..n].copy_from_slice(&w.forces[..n]);
            let moved = sweep_once(contacts, members, matrix, dt, w, &mut iterations);
            // Relative to what the forces do, because they may cancel.
            if moved <= SWEPT || (moved <= ROUNDING && moved > 0.5 * last) {
                return Outcome { iterations, fell_back: round > 0, converged: true };
            }
            last = moved;
            if round > 0 {
                part = relax(n, w, part, round == 1 && turn > 0);
            }
        }
    }
    for &index in members {
        contacts[index].law.let_go();
    }
    let rest = solve(contacts, members, matrix, dt, w);
    Outcome { iterations: iterations + rest.iterations, fell_back: true, converged: false }
}

/// Takes only a part of the way that the forces went in a sweep, or more than all of it: by Aitken's rule, from how the
/// way changed since the sweep before, if `adapt`.
fn relax(n: usize, w: &mut Scratch, mut part: Real, adapt: bool) -> Real {
    let (mut along, mut square) = (0.0, 0.0);
    for c in 0..n {
        let way = w.forces[c] - w.start[c];
        let change = way - w.direction[c];
        along += w.direction[c] * change;
        square += change * change;
        w.direction[c] = way;
    }
    if adapt {
        let next = -part * along / square;
        part = if next > 0.0 && next.is_finite() { next.clamp(0.02, 50.0) } else { 0.5 };
    }
    for c in 0..n {
        w.forces[c] = w.start[c] + part * w.direction[c];
    }
    part
}

/// One scalar solve of every contact, presses before what they press; the largest change of a stroke, relative.
fn sweep_once(
    contacts: &mut [Contact],
    members: &[usize],
    matrix: &[Real],
    dt: Real,
    w: &mut Scratch,
    iterations: &mut u32,
) -> Real {
    let n = members.len();
    let (mut moved, mut size): (Real, Real) = (0.0, Real::MIN_POSITIVE);
    for tangential in [false, true] {
        for c in 0..n {
            if contacts[members[c]].law.is_tangential() != tangential {
                continue;
            }
            if let Some(press) = contacts[members[c]].law.presser() {
                let force = match members.iter().position(|&m| m == press) {
                    Some(at) => w.forces[at],
                    None => contacts[press].last_force,
                };
                if let Law::Tangential { law, .. } = &mut contacts[members[c]].law {
                    law.set_normal(force);
                    law.prepare(0.0, dt);
                }
            }
            let contact = &mut contacts[members[c]];
            let row = &matrix[c * n..(c + 1) * n];
            let others: Real = (0..n).filter(|d| *d != c).map(|d| row[d] * w.forces[d]).sum();
            let alone = contact.resolve(w.s0[c] - others, row[c], dt, w.strokes[c]);
            let solid = if tangential { 0.0 } else { contact.compression.abs() };
            size = size.max(w.s0[c].abs() + others.abs() + solid);
            moved = moved.max((alone.stroke - w.strokes[c]).abs());
            moved = moved.max(row[c] * (alone.force - w.forces[c]).abs());
            (w.strokes[c], w.forces[c]) = (alone.stroke, alone.force);
            *iterations += alone.iterations;
        }
    }
    moved / size
}

/// Scalar solves of every contact, over and over; true if the strokes settle.
fn gauss_seidel(
    contacts: &mut [Contact],
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
            let row = &matrix[c * n..(c + 1) * n];
            let others: Real = (0..n).filter(|d| *d != c).map(|d| row[d] * w.forces[d]).sum();
            let alone = contacts[members[c]].resolve(w.s0[c] - others, row[c], dt, w.strokes[c]);
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
