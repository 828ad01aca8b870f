// SPDX-License-Identifier: MIT OR Apache-2.0
//! Force laws: what two bodies do to each other where they touch.
//!
//! **What.** A law sees the *stroke* of one step, the compression at its start and the closing displacement during it,
//! and answers with the force held meanwhile, in discrete-gradient form, so that work is exactly force times stroke.
//!
//! **Law.** `[contact.1]  g(s) = s - s0 + L F(s) = 0`, with the free stroke s0 and the compliance L of both bodies.
//!
//! **Step.** For laws that only push ([`NormalLaw`]) F is nondecreasing, so g' >= 1: one root, bracketed by `s0 - L F(s0)`
//! and `s0`. [`newton`]: Newton's method from the last stroke, kept inside the bracket by bisection, at most
//! [`MAX_ITERATIONS`] evaluations; it ends one evaluation early where quadratic convergence says that the next step would be
//! rounding. The force is taken from the tangent of the last step, `F + F' ds`, which satisfies the bodies' equation to
//! rounding however stiff the contact is (this replaces the case distinction of physics.md H2). Laws of the other classes
//! may have several roots and solve by themselves.
//!
//! **Sources.** physics.md D.3, D.4; Avanzini et al. 2003 (8.41)-(8.43), C14 to C16.

pub mod friction;
pub mod impact;

use crate::math::Real;
use crate::param::Tunable;
use core::any::Any;

/// Evaluations after which a scalar solve gives up and is counted; 20 have always sufficed (physics.md D.4).
pub const MAX_ITERATIONS: u32 = 60;

/// Evaluations after which a Newton step that is not half of the last gives way to a bisection.
const PATIENCE: u32 = 20;
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

/// A force law with its own memory: what every law does, whatever its class. Each step of a contact is one `prepare`, any
/// number of `force` and `resolve`, one `commit`. A law is of one class besides, [`NormalLaw`], [`TangentialLaw`] or
/// [`GeneralLaw`], which says what the solver may rely on. All methods `[audio]`.
///
/// **Passive.** Over a step, force times stroke must be at least the rise of `energy`, less the work of outsiders that the
/// class declares: then energy minus work never rises, at any step and stiffness.
pub trait Interactor: Any + Tunable + Send + Sync {
    /// Before the solve of a step: whatever memory does on its own.
    fn prepare(&mut self, _from: Real, _dt: Real) {}
    /// Force held during a stroke; positive drives the partners apart.
    fn force(&self, stroke: Stroke) -> Force;
    /// The stroke that satisfies [contact.1], where the free stroke is `s0`; `guess` is where the last strokes lead. Where
    /// there are several, the law chooses; [`newton`] serves where there can be only one. The law may note what `commit`
    /// of this very stroke will need.
    fn resolve(&mut self, from: Real, s0: Real, compliance: Real, dt: Real, guess: Real) -> Solution;
    /// After the solve: memory is written once.
    fn commit(&mut self, _stroke: Stroke, _force_n: Real) {}
    /// A whole step of a contact that is solved alone: `prepare`, `resolve` and `commit` at one go. `beside` does not depend on the
    /// outcome: it may be called once, where the solve waits for numbers and a processor has time.
    fn step(
        &mut self,
        from: Real,
        s0: Real,
        compliance: Real,
        dt: Real,
        guess: Real,
        _beside: &mut dyn FnMut(),
    ) -> Solution {
        self.prepare(from, dt);
        let found = self.resolve(from, s0, compliance, dt, guess);
        self.commit(Stroke { from, by: found.stroke, dt }, found.force);
        found
    }
    /// Stored energy at a compression, J.
    fn energy(&self, from: Real) -> Real;
    /// Forgets all touches.
    fn reset(&mut self) {}
}

crate::reserve::copied!(NormalLaw, DuplicateNormal, "A law");

/// A law along the normal that only pushes: impact. Its force is never negative, never falls with the stroke, and is zero
/// while there is a gap before and after the stroke. Contacts of this class are solved together as one convex problem
/// and sleep while they are open.
pub trait NormalLaw: Interactor + DuplicateNormal {
    /// True if nothing of the last touch is remembered: only then may an open contact sleep.
    fn is_rested(&self) -> bool {
        true
    }
    /// Approach speed up to which a contact of this effective mass lasts at least `duration_s`, m/s: faster ones are
    /// sub-stepped.
    fn speed_limit(&self, mass: Real, duration_s: Real) -> Real;
    /// False for steps of a length at which the law is not good at any speed: longer or shorter ones are taken. `lasts`: the contact
    /// stays closed and does not come and go.
    fn suits(&self, _step_s: Real, _lasts: bool) -> bool {
        true
    }
    /// mu, s/m, if the force is an elastic one times 1 + mu v, so that the rebound has a closed form and the exact scheme
    /// may be used; else `None`.
    fn loss_s_m(&self) -> Option<Real> {
        None
    }
}

crate::reserve::copied!(TangentialLaw, DuplicateTangential, "A law");

/// A law along the surface: friction. Its force may have either sign and fall with the stroke, depends on the stroke but
/// not on the compression, and exists only while something presses. It never sleeps and needs no sub-steps.
pub trait TangentialLaw: Interactor + DuplicateTangential {
    /// Sets the force that presses the surfaces together in the coming steps, N; negative or no number: none.
    fn set_normal(&mut self, force_n: Real);
    /// The force that presses, N. Where it is 0 the law has no force and no memory.
    fn normal_n(&self) -> Real;
    /// True if the surfaces slid past each other in the last step, false if they held each other.
    fn slides(&self) -> bool {
        false
    }
    /// Sets the value of the surface in the coming step; heights of unit variance.
    fn set_roughness(&mut self, _height: Real) {}
    /// Part of the force held in this step that outsiders supply (the roughness), N: minus this times the stroke is work.
    fn outside_force(&self) -> Real {
        0.0
    }
    /// The last resort of a solve that found no forces: until the next `commit` the normal force stays as it is and the
    /// force may not fall with the stroke. What falls with the speed is held at what it was in the last step; nothing may
    /// be gained by it.
    fn hold(&mut self);
}

crate::reserve::copied!(GeneralLaw, DuplicateGeneral, "A law");

/// Any other law: one that may pull, fall with the stroke, act across a gap or have several roots (glue, a plectrum, a
/// reed). The solver relies on `resolve` and on what is said here, nothing else.
pub trait GeneralLaw: Interactor + DuplicateGeneral {
    /// True if the law may have a force in a step that starts at this compression and would close by `s0` without it.
    fn engages(&self, from: Real, s0: Real) -> bool;
    /// Largest gap at which the law may act as it is now, m. The contact sleeps while its partners are certainly further
    /// apart, where the energy of a law that has been reset must be 0; infinite: it never sleeps.
    fn reach_m(&self) -> Real;
    /// Approach speed up to which a contact of this effective mass lasts at least `duration_s`, m/s: faster ones are
    /// sub-stepped.
    fn speed_limit(&self, _mass: Real, _duration_s: Real) -> Real {
        Real::INFINITY
    }
    /// The last resort of a solve that found no forces: until the next `commit` the force may not fall with the stroke.
    /// What falls is given up, with its energy (a bond tears), or held at what it is (a pull across a gap); nothing may be
    /// gained by it.
    fn let_go(&mut self);
}

/// Newton's method on [contact.1] for the force of a [`NormalLaw`] that bends no more than x^5; `ceiling` bounds the root
/// from above, `s0` at most.
#[inline(always)]
pub fn newton(
    at: impl Fn(Real) -> Force,
    ceiling: impl Fn() -> Real,
    from: Real,
    s0: Real,
    l: Real,
    guess: Real,
) -> Solution {
    let mut iterations = 0;
    let (mut low, high) = (Real::NEG_INFINITY, s0);
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
    refine(at, Bracket { s, low, high, last: Real::INFINITY, iterations }, from, s0, l)
}

/// Where a solve stands: the stroke to be tried, what it must lie between, the last step and the evaluations so far.
#[derive(Clone, Copy)]
struct Bracket {
    s: Real,
    low: Real,
    high: Real,
    last: Real,
    iterations: u32,
}

/// [`newton`] where the contact is closed as a rule: it begins with the guess.
#[inline(always)]
fn newton_closed(
    at: impl Fn(Real) -> Force,
    ceiling: impl Fn() -> Real,
    from: Real,
    s0: Real,
    l: Real,
    guess: Real,
) -> Solution {
    if guess > s0 || l == 0.0 || from + guess <= 0.0 {
        return newton(at, ceiling, from, s0, l, guess);
    }
    match try_guess(at(guess), from, s0, l, guess) {
        Ok(solution) => solution,
        Err(bracket) => refine(at, bracket, from, s0, l),
    }
}

/// The first evaluation of [`newton`] where the guess lies below the free stroke and the contact is closed: the solution, as it
/// mostly is at once, or where to go on.
#[inline(always)]
fn try_guess(f: Force, from: Real, s0: Real, l: Real, guess: Real) -> Result<Solution, Bracket> {
    let residual = guess - s0 + l * f.n;
    let step = -residual / (1.0 + l * f.per_m);
    let (next, now) = (guess + step, step.abs());
    let inside = residual > 0.0 || next <= s0;
    let tolerance = TOLERANCE * (s0.abs() + from.abs());
    if now <= tolerance || (inside && BEND * now * now <= 0.1 * tolerance * (from + next)) {
        let force = (f.n + f.per_m * step).max(0.0);
        let stroke = if force == 0.0 { s0 } else { next };
        return Ok(Solution { stroke, force, iterations: 1, converged: true });
    }
    let (low, high) = if residual > 0.0 { (Real::NEG_INFINITY, guess) } else { (guess, s0) };
    let s = if inside { next } else { 0.5 * (low + high.min(s0 - l * f.n)) };
    Err(Bracket { s, low, high, last: now, iterations: 1 })
}

/// Newton's method within a bracket.
#[inline(always)]
fn refine(at: impl Fn(Real) -> Force, start: Bracket, from: Real, s0: Real, l: Real) -> Solution {
    let Bracket { mut s, mut low, mut high, mut last, mut iterations } = start;
    let size = s0.abs() + from.abs();
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
        // A force that bends the other way, as felt's does where it is met again, may throw Newton to and fro.
        let shrinks = iterations < PATIENCE || now < 0.5 * last;
        last = now;
        // The force does not fall, so the stroke that it allows is beyond the root, on the other side.
        s = match s0 - l * f.n {
            _ if inside && shrinks => next,
            allowed if residual > 0.0 => 0.5 * (low.max(allowed) + high),
            allowed => 0.5 * (low + high.min(allowed)),
        };
    }
    Solution { stroke: s, force: ((s0 - s) / l).max(0.0), iterations, converged: false }
}
