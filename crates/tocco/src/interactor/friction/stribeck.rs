// SPDX-License-Identifier: MIT OR Apache-2.0
//! Friction without bristles: it sticks, or it slides with a force that depends on the speed alone.
//!
//! **What.** The classic bow: the force is whatever it takes to stick, up to stiction; beyond, the Stribeck curve.
//!
//! **Law.** `[stribeck.1]  v = 0 and |f| <= fs`, or `f = sgn(v) (g(v) + sigma2 |v|^n)`, plus the texture's force.
//!
//! **Symbols.** As in the parent file; w = |v|; phi(w) = w + Lam (g + sigma2 w^n) - |v0|, v0 the free velocity less what
//! the texture takes.
//!
//! **Step.** `[stribeck.2]` Sticking goes on while |v0| <= Lam fs. Otherwise the largest root of phi: beyond vs/sqrt(2) phi
//! is convex, so Newton's method from |v0| - Lam fc, right of every root, falls onto it or passes it by; if it passes
//! by, the only root left is on the slow side, where it exists if and only if |v0| > Lam fs. No root: it sticks. Every
//! outcome loses energy, f v >= 0.
//!
//! **Sources.** Avanzini et al. 2003 (8.15); physics.md E.7, H5; the hysteresis rule is that of Friedlander 1953 and McIntyre and
//! Woodhouse, not read; Woodhouse, Euphonics, sections 9.2 and 9.6.2, read, has it: where three roots compete, a loop
//! decides.

use super::bristle::Bristle;
use super::{Solved, side};
use crate::math::Real;
use crate::param::LawSpec;

const MAX_EVALUATIONS: u32 = 50;
const TOLERANCE: Real = 1e-15;

/// The steady curve alone.
pub(super) const STATIC: LawSpec = LawSpec::new("static", "static friction");

/// Force and its slope while sliding on the Stribeck curve. [stribeck.1]
pub(super) fn sliding(law: &Bristle, v: Real) -> (Real, Real) {
    let (g, g_slope) = law.curve.at(v.abs());
    let (drag, drag_slope) = law.viscous.at(v.abs());
    if v == 0.0 { (law.noise, Real::INFINITY) } else { (side(v) * (g + drag) + law.noise, g_slope + drag_slope) }
}

/// Force and its slope while sliding against a constant resistance.
pub(super) fn dragging(law: &Bristle, resistance_n: Real, v: Real) -> (Real, Real) {
    let (drag, slope) = law.viscous.at(v.abs());
    if v == 0.0 { (law.noise, Real::INFINITY) } else { (side(v) * (resistance_n + drag) + law.noise, slope) }
}

/// Force and its slope where the steady force is held and below the speed `yields` grows with the speed.
pub(super) fn yielding(law: &Bristle, yields: Real, v: Real) -> (Real, Real) {
    let (drag, drag_slope) = law.viscous.at(v.abs());
    let (part, slope) = if v.abs() < yields { (v.abs() / yields, 1.0 / yields) } else { (1.0, 0.0) };
    (side(v) * (law.curve.coulomb * part + drag) + law.noise, law.curve.coulomb * slope + drag_slope)
}

/// Stick or slide on the Stribeck curve. [stribeck.2]
pub(super) fn resolve(law: &Bristle, v0: Real, lam: Real, stuck: bool) -> Solved {
    let free = v0 - lam * law.noise;
    let (way, speed) = (side(free), free.abs());
    if lam == 0.0 {
        return Solved { v: v0, force: sliding(law, v0).0, evaluations: 1, converged: true };
    }
    let holds = speed <= lam * fault!(STATIC_HOLDS, law.curve.stiction(), times 0.6);
    let stick = |evaluations| Solved { v: 0.0, force: v0 / lam, evaluations, converged: true };
    if holds && stuck {
        return stick(0);
    }
    let phi = |w: Real| {
        let (g, g_slope) = law.curve.at(w);
        let (drag, drag_slope) = law.viscous.at(w);
        let (force, rise) = (g + drag, g_slope + drag_slope);
        (w + lam * force - speed, 1.0 + lam * rise, force, rise)
    };
    // Force by the tangent: right to rounding however much or little the bodies yield.
    let slide = |w: Real, step: Real, force: Real, rise: Real, evaluations, converged| {
        let force = way * (force + rise * step) + law.noise;
        Solved { v: way * (w + step), force, evaluations, converged }
    };
    let inflection = (0.5 / law.curve.rate).sqrt();
    let mut w = speed - lam * law.curve.coulomb;
    let mut evaluations = 0;
    let mut above = w;
    while w > inflection && evaluations < MAX_EVALUATIONS {
        let (excess, slope, force, rise) = phi(w);
        evaluations += 1;
        above = w;
        if slope <= 0.0 {
            break;
        }
        let step = -excess / slope;
        // From the right, on a convex side, the steps are negative until rounding is reached.
        if step >= -TOLERANCE * speed {
            return slide(w, step, force, rise, evaluations, true);
        }
        w += step;
    }
    if holds {
        return stick(evaluations);
    }
    // phi < 0 at rest: one root below `above`.
    let (mut low, mut high) = (0.0, above.max(0.0));
    w = w.max(low).min(high);
    let mut last = high - low;
    loop {
        let (excess, slope, force, rise) = phi(w);
        evaluations += 1;
        if excess > 0.0 {
            high = w;
        } else {
            low = w;
        }
        let step = -excess / slope;
        let done = step.abs() <= TOLERANCE * speed || high - low <= TOLERANCE * speed;
        if done || evaluations >= MAX_EVALUATIONS {
            return slide(w, step.max(low - w).min(high - w), force, rise, evaluations, done);
        }
        let newton = slope > 0.0 && w + step > low && w + step < high && step.abs() < 0.5 * last;
        last = if newton { step.abs() } else { high - low };
        w = if newton { w + step } else { 0.5 * (low + high) };
    }
}

/// Stick or slide against a constant resistance, with viscosity. [thermal.3]
pub(super) fn drag(law: &Bristle, resistance_n: Real, v0: Real, lam: Real) -> Solved {
    if lam == 0.0 {
        return Solved { v: v0, force: dragging(law, resistance_n, v0).0, evaluations: 1, converged: true };
    }
    let free = v0 - lam * law.noise;
    let (way, left) = (side(free), free.abs() - lam * resistance_n);
    if left <= 0.0 {
        return Solved { v: 0.0, force: v0 / lam, evaluations: 0, converged: true };
    }
    // w + Lam sigma2 w^n = left: convex and rising, Newton falls onto the root from the right; linear for n = 1.
    let mut w = left;
    let mut evaluations = 0;
    let mut converged = law.viscous.sigma2 == 0.0;
    while !converged && evaluations < MAX_EVALUATIONS {
        let (drag, slope) = law.viscous.at(w);
        evaluations += 1;
        let step = (left - w - lam * drag) / (1.0 + lam * slope);
        w += step;
        converged = law.viscous.exponent == 1.0 || step.abs() <= TOLERANCE * left;
    }
    let force = way * (resistance_n + law.viscous.at(w).0) + law.noise;
    Solved { v: way * w, force, evaluations: evaluations.max(1), converged }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interactor::friction::{Curve, Viscous};
    use crate::rng::Rng;

    #[test]
    fn sliding_takes_the_largest_root_and_sticks_only_where_there_is_none() {
        let mut rng = Rng::new(1, "stribeck");
        for _ in 0..3000 {
            let coulomb = rng.between_log(0.01, 10.0);
            let (stribeck, lam, v0) = (rng.between_log(1e-3, 1.0), rng.between_log(1e-4, 10.0), rng.between(-3.0, 3.0));
            let mut law = Bristle::default();
            law.curve = Curve { coulomb, drop: coulomb * rng.between(0.0, 3.0), rate: 1.0 / (stribeck * stribeck) };
            law.viscous = Viscous { sigma2: rng.unit(), exponent: if rng.unit() < 0.5 { 1.0 } else { 1.6 } };
            let found = resolve(&law, v0, lam, false);
            assert!(found.converged && found.force * found.v >= 0.0);
            let phi = |w: Real| w - v0.abs() + lam * (law.curve.at(w).0 + law.viscous.at(w).0);
            // phi is positive from the root found to the free velocity.
            for i in 1..=400 {
                let w = found.v.abs() + (v0.abs() - found.v.abs()) * f64::from(i) / 400.0;
                assert!(phi(w) >= -1e-12, "{found:?} {w}");
            }
            if found.v == 0.0 {
                assert!(found.force.abs() <= law.curve.stiction() * (1.0 + 1e-14));
            } else {
                assert!(phi(found.v.abs()).abs() < 1e-12 * v0.abs().max(1.0), "{found:?}");
            }
            let held = resolve(&law, v0, lam, true);
            assert_eq!(held.v == 0.0, v0.abs() <= lam * law.curve.stiction());
        }
    }
}
