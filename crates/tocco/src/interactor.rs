// SPDX-License-Identifier: MIT OR Apache-2.0
//! Force laws: what two bodies do to each other where they touch.
//!
//! **What.** A law sees the *stroke* of one step, the compression at its start and the closing displacement during it,
//! and answers with the force held meanwhile, in discrete-gradient form, so that work is exactly force times stroke.
//!
//! **Law.** `[contact.1]  g(s) = s - s0 + L F(s) = 0`, with the free stroke s0 and the compliance L of both bodies.
//!
//! **Step.** F is nondecreasing, so g' >= 1: one root, bracketed by `s0 - L F(s0)` and `s0`. Newton's method from the
//! last stroke, kept inside the bracket by bisection, at most [`MAX_ITERATIONS`] evaluations; it ends one evaluation
//! early where quadratic convergence says that the next step would be rounding. The force is taken from the tangent of the
//! last step, `F + F' ds`, which satisfies the bodies' equation to rounding however stiff the contact is (this replaces
//! the case distinction of physics.md H2).
//!
//! **Sources.** physics.md D.3, D.4; 000 (8.41)-(8.43), C14 to C16.

pub mod friction;
pub mod impact;

use crate::math::Real;
use crate::param::Tunable;

/// Evaluations after which a scalar solve gives up and is counted; 20 have always sufficed (physics.md D.4).
pub const MAX_ITERATIONS: u32 = 60;

/// Relative size of the last Newton step at which a solve is done.
const TOLERANCE: Real = 1e-14;
/// Bound of F'' x/(2 F') for the force laws, up to exponent 5: where Newton's method starts so close that its next step,
/// at most this times the square of the first over x, is rounding, one evaluation is enough.
const BEND: Real = 3.0;
/// Relative size below which steps that no longer shrink are rounding, and the solve is done as well.
pub(crate) const ROUNDING: Real = 1e-12;

/// Compression at the start of the step and closing displacement in it, m; length of the step, s.
#[derive(Clone, Copy, Debug)]
pub struct Stroke {
    /// Compression at the start, m (negative: a gap).
    pub from: Real,
    /// Closing displacement during the step, m.
    pub by: Real,
    /// Length of the step, s.
    pub dt: Real,
}

/// A held force and its change with the stroke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Force {
    /// N
    pub n: Real,
    /// N/m
    pub per_m: Real,
}

impl Force {
    /// No force.
    pub const NONE: Force = Force { n: 0.0, per_m: 0.0 };
}

/// Outcome of a scalar solve.
#[derive(Clone, Copy, Debug)]
pub struct Solution {
    /// m
    pub stroke: Real,
    /// N
    pub force: Real,
    /// Law evaluations.
    pub iterations: u32,
    /// False: the bound was reached.
    pub converged: bool,
}

/// A force law with its own memory. All methods `[audio]`.
pub trait Interactor: Tunable + Send {
    /// Before the solve of a step: whatever memory does on its own.
    fn prepare(&mut self, _from: Real, _dt: Real) {}
    /// Force held during a stroke. Nondecreasing in the stroke and never negative for impact laws.
    fn force(&self, stroke: Stroke) -> Force;
    /// An upper bound of the solution that may be closer than the free stroke.
    fn ceiling(&self, _from: Real, s0: Real, _compliance: Real) -> Real {
        s0
    }
    /// The stroke that satisfies [contact.1]; `guess` is last step's.
    fn resolve(&self, from: Real, s0: Real, compliance: Real, dt: Real, guess: Real) -> Solution {
        let ceiling = || self.ceiling(from, s0, compliance);
        newton(|by| self.force(Stroke { from, by, dt }), ceiling, from, s0, compliance, guess)
    }
    /// After the solve: memory is written once.
    fn commit(&mut self, _stroke: Stroke, _force_n: Real) {}
    /// Stored energy at a compression, J.
    fn energy(&self, from: Real) -> Real;
    /// Approach speed up to which a contact of this effective mass lasts at least `duration_s`, m/s.
    fn speed_limit(&self, mass: Real, duration_s: Real) -> Real;
    /// Loss mu of [impact.1] in force, s/m.
    fn loss_s_m(&self) -> Real {
        0.0
    }
    /// True if nothing of the last touch is remembered: only then may an open contact sleep.
    fn is_rested(&self) -> bool {
        true
    }
    /// Forgets.
    fn reset(&mut self) {}
    /// True if the law may push in a step that starts at this compression and would close by `s0` without it.
    fn engages(&self, from: Real, s0: Real) -> bool {
        from > 0.0 || from + s0 > 0.0
    }
    /// False if the force may fall with the stroke: coupled solves then go over `resolve` instead of `force`.
    fn is_monotone(&self) -> bool {
        true
    }
    /// Normal force for the coming step, N (friction).
    fn set_normal(&mut self, _force_n: Real) {}
    /// Value of the surface for the coming step, of unit variance (friction).
    fn set_roughness(&mut self, _w: Real) {}
    /// Part of the force held in this step that outsiders supply, N: what it does, minus this times the stroke, is work.
    fn outside_force(&self) -> Real {
        0.0
    }
}

/// Newton's method on [contact.1] for a force that does not fall with the stroke; `ceiling` bounds the root from above.
#[inline(always)]
pub(crate) fn newton(
    at: impl Fn(Real) -> Force,
    ceiling: impl Fn() -> Real,
    from: Real,
    s0: Real,
    l: Real,
    guess: Real,
) -> Solution {
    let mut iterations = 0;
    let (mut low, mut high) = (Real::NEG_INFINITY, s0);
    let mut s = guess;
    if from <= 0.0 || l == 0.0 || guess > s0 {
        let touch = at(s0);
        iterations = 1;
        if touch.n == 0.0 || l == 0.0 {
            return Solution { stroke: s0, force: touch.n, iterations, converged: true };
        }
        low = s0 - l * touch.n;
        if from <= 0.0 {
            low = low.max(-from);
        }
        if guess <= low || guess >= high {
            s = ceiling().max(low).min(high);
        }
    }
    let size = s0.abs() + from.abs();
    let mut last = Real::INFINITY;
    while iterations < MAX_ITERATIONS {
        let f = at(s);
        iterations += 1;
        let residual = s - s0 + l * f.n;
        let step = -residual / (1.0 + l * f.per_m);
        if residual > 0.0 {
            high = s;
        } else {
            low = s;
        }
        let next = s + step;
        let inside = next >= low && next <= high;
        // Quadratic convergence: the step after this one would be about step^3/last^2.
        let (now, cube) = (step.abs(), step.abs() / last);
        let done = now <= TOLERANCE * size
            || (inside && from > 0.0 && BEND * now * now <= 0.1 * TOLERANCE * size * (from + next))
            || (inside && last.is_finite() && cube < 0.1 && now * cube * cube <= 0.1 * TOLERANCE * size)
            || (now <= ROUNDING * size && cube > 0.5);
        if done {
            let force = (f.n + f.per_m * step).max(0.0);
            let stroke = if force == 0.0 { s0 } else { next };
            return Solution { stroke, force, iterations, converged: true };
        }
        last = now;
        s = if inside { next } else { 0.5 * (low.max(s0 - l * f.n) + high) };
    }
    Solution { stroke: s, force: ((s0 - s) / l).max(0.0), iterations, converged: false }
}
