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
//! of another: there may be several roots, or none. Each contact alone answers the forces of the others by its scalar solve,
//! which knows stick and slip and takes the root nearest to its last motion. `[coupled.4]  y = Y(s0 - (L - D) y, N(y))`, D
//! the diagonal of L: Newton's method on these answers, whose slopes are F'/(1 + L_cc F') along the stroke and, by a small
//! difference, dF/dN/(1 + L_cc F') along the normal force. Where a turn of it does not halve the miss, contacts answer one
//! after the other for a turn (several that stick in one place would else chase each other). At most `TURNS` turns.
//!
//! `[coupled.5]` Where the turns do not settle (about one solve in a thousand of random systems; a fallback, counted) the
//! normal forces are those of the last step and what falls with the speed is held at its value there, for this one step. Then
//! no force falls with its stroke, the problem is [coupled.1] with its one root, and it is found as above by descent of
//! [coupled.2]. Friction loses energy at any normal force and any height of its curve, so this is as passive as the law
//! itself, and late by at most one step. Should even that not converge (never seen; counted as unconverged), what is held
//! lets go for the step and the rest is solved: a force that does not belong to its stroke might do any work.
//!
//! **Sources.** Rath 2004 (several inputs and outputs per box); physics.md D.8.

use super::Contact;
use crate::interactor::{Force, ROUNDING, Stroke};
use crate::math::Real;
use crate::reserve::Reserve;

/// Most contacts in one island. A full matrix of this size is solved in about a millisecond: beyond it, sound stops.
pub const MAX_CONTACTS: usize = 256;

const NEWTON_STEPS: u32 = 60;
const CUTS: u32 = 60;
/// Cuts by the secant, before those by halves.
const PATIENCE: u32 = 10;
const SWEEPS: u32 = 2000;
const TOLERANCE: Real = 1e-14;
/// Turns of [coupled.4] after which the falling laws are held.
const TURNS: u32 = 24;
/// Times the least size of a turn at which errors are measured.
const RUNAWAY: Real = 16.0;
/// Part by which a contact that sticks counts as yielding: several that stick in one place share their force in any way.
const STUCK: Real = 1e-6;
/// Part of a normal force by which the force of what it presses is differentiated.
const NUDGE: Real = 1e-6;
/// Relative change of the strokes at which a sweep over falling laws is done.
const SWEPT: Real = 1e-13;

/// Room for one solve, made ahead of time.
#[derive(Clone)]
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
    active: Reserve<usize>,
    right: Vec<Real>,
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
            right: zeros(),
            active: Reserve::of(contacts),
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
        size = Real::max(size, w.s0[c].abs() + contact.extent(matrix[c * n + c], alone.force));
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
            // Where the slope leaps, halving finds the leap.
            let secant =
                if cut < PATIENCE { low - at_low * (high - low) / (at_high - at_low) } else { 0.5 * (low + high) };
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
        w.right[i] = w.moved[w.active[i]];
    }
    eliminate(m, &mut w.lu, &mut w.right);
    for i in 0..m {
        w.direction[w.active[i]] = w.right[i];
    }
    for c in 0..n {
        let push: Real = matrix[c * n..(c + 1) * n].iter().zip(&w.direction[..n]).map(|(l, f)| l * f).sum();
        w.moved[c] = -push;
    }
}

/// Solves the system of `m` rows in place, the largest pivot first, by whose inverses it is replaced; the answer takes the place of
/// the right side.
fn eliminate(m: usize, lu: &mut [Real], right: &mut [Real]) {
    for pivot in 0..m {
        let best = (pivot..m).fold(pivot, |b, i| if lu[i * m + pivot].abs() > lu[b * m + pivot].abs() { i } else { b });
        if best != pivot {
            for j in 0..m {
                lu.swap(best * m + j, pivot * m + j);
            }
            right.swap(best, pivot);
        }
        let (above, below) = lu[..m * m].split_at_mut((pivot + 1) * m);
        let row = &mut above[pivot * m..];
        row[pivot] = 1.0 / row[pivot];
        let (solved, left) = right[pivot..m].split_at_mut(1);
        for (other, right) in below.chunks_exact_mut(m).zip(left) {
            let factor = other[pivot] * row[pivot];
            for (x, y) in other[pivot + 1..].iter_mut().zip(&row[pivot + 1..]) {
                *x -= factor * y;
            }
            *right -= factor * solved[0];
        }
    }
    for i in (0..m).rev() {
        let row = &lu[i * m..(i + 1) * m];
        let known: Real = row[i + 1..].iter().zip(&right[i + 1..m]).map(|(x, y)| x * y).sum();
        right[i] = (right[i] - known) * row[i];
    }
}

/// Contacts among which are laws whose force may pull or fall with the stroke, or that take their normal force from
/// another contact of the island: [coupled.3] to [coupled.5]. `[audio]`
pub(super) fn sweep(
    contacts: &mut [Contact],
    members: &[usize],
    matrix: &[Real],
    dt: Real,
    w: &mut Scratch,
) -> Outcome {
    let n = members.len();
    let mut iterations = 0;
    for c in 0..n {
        let contact = &contacts[members[c]];
        (w.strokes[c], w.forces[c]) = (contact.guess(), contact.last_force);
    }
    let (mut last, mut most, mut in_turn) = (Real::INFINITY, Real::INFINITY, false);
    for _ in 0..TURNS {
        let (miss, size) = answer(contacts, members, matrix, dt, in_turn, w, &mut iterations);
        // Relative to what the forces do, because they may cancel; but not to what they do when they run away.
        most = most.min(RUNAWAY * size);
        let moved = miss / size.min(most);
        if moved <= SWEPT || (moved <= ROUNDING && moved > 0.5 * last) {
            w.forces[..n].copy_from_slice(&w.law[..n]);
            return Outcome { iterations, fell_back: false, converged: true };
        }
        let (swept, settles) = (in_turn, moved < 0.5 * last);
        (last, in_turn) = (moved, !swept && !settles);
        if !swept && settles {
            iterations += n as u32;
            correct(contacts, members, matrix, dt, w);
        }
    }
    for &index in members {
        if let Some(press) = contacts[index].law.presser() {
            let force = contacts[press].last_force;
            contacts[index].law.press(force, dt);
        }
        contacts[index].law.hold();
    }
    let held = solve(contacts, members, matrix, dt, w);
    iterations += held.iterations;
    if !held.converged {
        for &index in members {
            contacts[index].law.press(0.0, dt);
        }
        iterations += solve(contacts, members, matrix, dt, w).iterations;
    }
    Outcome { iterations, fell_back: true, converged: held.converged }
}

/// What every contact alone answers to the forces of the others, into `law`; the largest change of a
/// stroke, m, and the size of what the forces do, m. `in_turn`: the answer of one counts for those after it.
fn answer(
    contacts: &mut [Contact],
    members: &[usize],
    matrix: &[Real],
    dt: Real,
    in_turn: bool,
    w: &mut Scratch,
    iterations: &mut u32,
) -> (Real, Real) {
    let n = members.len();
    let (mut moved, mut size): (Real, Real) = (0.0, Real::MIN_POSITIVE);
    for c in 0..n {
        if let Some(press) = contacts[members[c]].law.presser() {
            let force = place(members, press).map_or(contacts[press].last_force, |at| w.forces[at]);
            contacts[members[c]].law.press(force, dt);
        }
        let contact = &mut contacts[members[c]];
        let row = &matrix[c * n..(c + 1) * n];
        let by = |(yields, forces): (&[Real], &[Real])| -> Real { yields.iter().zip(forces).map(|(l, f)| l * f).sum() };
        let others = by((&row[..c], &w.forces[..c])) + by((&row[c + 1..], &w.forces[c + 1..n]));
        let alone = contact.resolve(w.s0[c] - others, row[c], dt, w.strokes[c]);
        size = size.max(w.s0[c].abs() + others.abs() + contact.extent(row[c], alone.force));
        moved = moved.max((alone.stroke - w.strokes[c]).abs());
        moved = moved.max(row[c] * (alone.force - w.forces[c]).abs());
        if !alone.converged {
            moved = Real::INFINITY;
        }
        (w.strokes[c], w.law[c]) = (alone.stroke, alone.force);
        if in_turn {
            w.forces[c] = alone.force;
        }
        *iterations += alone.iterations;
    }
    (moved, size)
}

/// Where a contact stands in the list.
fn place(members: &[usize], index: usize) -> Option<usize> {
    members.iter().position(|&m| m == index)
}

/// Newton's step on [coupled.4] from what [`answer`] found.
fn correct(contacts: &mut [Contact], members: &[usize], matrix: &[Real], dt: Real, w: &mut Scratch) {
    let n = members.len();
    for c in 0..n {
        let (contact, row) = (&mut contacts[members[c]], &matrix[c * n..(c + 1) * n]);
        let stroke = Stroke { from: contact.compression, by: w.strokes[c], dt };
        let Force { n: here, per_m } = contact.law.force(stroke);
        let stuck = per_m == Real::INFINITY;
        let per_m = per_m.min(1.0 / (STUCK * row[c] + 1e-300));
        let stiff = 1.0 + row[c] * per_m;
        let slope = per_m / stiff;
        for (d, yields) in row.iter().enumerate() {
            w.lu[c * n + d] = if c == d { 1.0 } else { slope * yields };
        }
        let press = contact.law.presser().and_then(|press| place(members, press));
        if let Some(at) = press
            && w.forces[at] > 0.0
            && !stuck
        {
            contact.law.press(w.forces[at] * (1.0 + NUDGE), dt);
            w.lu[c * n + at] -= (contact.law.force(stroke).n - here) / (w.forces[at] * NUDGE * stiff);
        }
        w.right[c] = w.law[c] - w.forces[c];
    }
    eliminate(n, &mut w.lu, &mut w.right);
    for c in 0..n {
        let force = w.forces[c] + w.right[c];
        w.forces[c] = if force.is_finite() { force } else { w.law[c] };
    }
    for c in 0..n {
        let push: Real = matrix[c * n..(c + 1) * n].iter().zip(&w.forces[..n]).map(|(l, f)| l * f).sum();
        w.strokes[c] = w.s0[c] - push;
    }
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
