// SPDX-License-Identifier: MIT OR Apache-2.0
//! The common solve of elasto-plastic bristles: one unknown, third order, from a start that is nearly there.
//!
//! **What.** With linear viscosity the contact equation [friction.6] and the midpoint rule [bristle.1] are straight lines
//! in velocity and rate, so the bristles' law [friction.2] is the only curve left and one unknown remains. The solver of
//! bristle.rs is not needed unless this one says so.
//!
//! **Law.** w, z0 along the motion; y = z', zeta = z0 + a y, q = y/w.
//! - `[quick.1]  w = A - B y`, `A = (v0 - Lam (sigma0 z0 + sigma3 F_N noise))/(1 + Lam sigma2)`,
//!   `B = Lam (sigma0 a + sigma1)/(1 + Lam sigma2)`
//! - `[quick.2]  0 = zs (y - w) + w alpha zeta` below steady sliding; beyond it y(w) of [bristle.2] with the damping of
//!   [friction.5]; y = w, hence w = A/(1 + B), where the bristles only stretch
//! - `[quick.3]  step = d + c`, `d = -H/H'`, `c = -H'' d^2/(2 H')`: Chebyshev's method. What is left is of third order,
//!   about `d (4 (c/d)^2 + (d/L)^2)`, L the length over which the law bends.
//!
//! **Step.** The start is q continued by its differences, which are smooth wherever the motion is: q is a function of
//! deflection and velocity, 1 in stick and about 0 in steady sliding. Only where bodies yield little, B <= 1/4: there R
//! has one root unless its force falls by more than four times what the bristles stiffen. The root continues the last
//! motion in either case. And only where a step slides less than the bristles' length, a w <= zs. A solve that leaves its regime or has not ended after three evaluations starts again in
//! bristle.rs.
//!
//! **Sources.** physics.md E.3; 000 (8.39), (8.40), whose unknown is the same y.

use super::bristle::{Bristle, Change, adhesion};
use super::{FAST, LEAST, Solved, fast, side};
use crate::math::{PI, Real};

/// Largest B.
const YIELDING: Real = 0.25;
/// Evaluations after which bristle.rs takes over.
const MOST: u32 = 3;
/// Error of the rate as a part of the velocity, and of the force as a part of itself, at which a solve is done.
const TOLERANCE: Real = 4e-15;
const ACCURACY: Real = 1e-12;
/// Part of the law's own lengths over which it is bent.
const BENT: Real = 0.4;

/// q of the last steps as backward differences.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trend {
    q: Real,
    by: [Real; 4],
}

impl Default for Trend {
    fn default() -> Self {
        Self { q: 1.0, by: [0.0; 4] }
    }
}

impl Trend {
    pub fn add(&mut self, q: Real) {
        let first = q - self.q;
        let second = first - self.by[0];
        let third = second - self.by[1];
        *self = Self { q, by: [first, second, third, third - self.by[2]] };
    }

    /// q of the coming step: by the cubic if it would have foretold the last one better than the line.
    #[inline]
    fn next(&self) -> Real {
        let line = self.q + self.by[0];
        if self.by[3].abs() < self.by[1].abs() { line + (self.by[1] + self.by[2]) } else { line }
    }
}

/// g, N; zs and its first two derivatives with w, m, s, s^2/m.
#[derive(Clone, Copy)]
struct Steady {
    g: Real,
    zs: Real,
    e: Real,
    bend: Real,
}

/// What a solve needs of the bodies and bristles alone; the same for as long as neither changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Eased {
    /// Lam for which it was made, m/(N s); not a number: for none.
    pub lam: Real,
    /// 1/(1 + Lam sigma2)
    ease: Real,
    /// B of [quick.1]
    b: Real,
    /// Error of the rate that the force may feel, per newton of it.
    yields: Real,
}

impl Default for Eased {
    fn default() -> Self {
        Self { lam: Real::NAN, ease: 1.0, b: 0.0, yields: 0.0 }
    }
}

/// One solve, seen along the motion.
struct Task {
    side: Real,
    z0: Real,
    /// A, m/s
    apart: Real,
    /// Lam/(1 + Lam sigma2), m/(N s)
    lam: Real,
    /// Error of the rate that the force may feel, per newton of it.
    yields: Real,
}

/// A step of Chebyshev's method.
struct Step {
    d: Real,
    c: Real,
}

impl Step {
    #[inline]
    fn new(h: Real, h1: Real, h2: Real) -> Self {
        let per = 1.0 / h1;
        let d = -h * per; // [quick.3]
        Self { d, c: -0.5 * h2 * d * d * per }
    }

    fn by(&self) -> Real {
        self.d + self.c
    }

    /// True if what is left is below `error`; `bent` is 1/L.
    #[inline]
    fn is_last(&self, bent: Real, error: Real) -> bool {
        let (d, c, far) = (self.d.abs(), self.c.abs(), self.d * bent);
        4.0 * c * c <= 0.5 * d * error && far * far * d <= 0.5 * error
    }
}

impl Bristle {
    #[cold]
    fn ease(&mut self, lam: Real) {
        let ease = 1.0 / (1.0 + lam * self.viscous.sigma2);
        let stiff = self.sigma0 * self.half + self.sigma1;
        self.eased = Eased { lam, ease, b: lam * stiff * ease, yields: ACCURACY / stiff };
    }

    #[inline]
    fn steady(&self, w: Real) -> Steady {
        let x = w * w * self.curve.rate;
        let fall = if x > FAST { 0.0 } else { self.curve.drop * fast::exp_neg(x) };
        let g = self.curve.coulomb + fall + LEAST;
        let bend = self.curve.rate * self.inverse * fall;
        Steady { g, zs: g * self.inverse, e: -2.0 * w * bend, bend: (4.0 * x - 2.0) * bend }
    }

    /// The root that continues the last motion, if this is a common case.
    #[inline]
    pub(super) fn quick(&mut self, v0: Real, lam: Real) -> Option<(Solved, Change)> {
        if self.eased.lam != lam {
            self.ease(lam);
        }
        let (a, Eased { ease, b, yields, .. }) = (self.half, self.eased);
        let q = self.trend.next();
        let per_open = 1.0 / (1.0 + b * q);
        if !(self.plain && b <= YIELDING && per_open > 0.0 && per_open < 2.0) {
            return None;
        }
        let apart = (v0 - lam * (self.sigma0 * self.z + self.noise)) * ease;
        let side = side(apart);
        let (apart, z0) = (apart * side, self.z * side);
        let mut w = apart * per_open;
        if z0 + a * w <= self.breakaway {
            w = apart / (1.0 + b);
            if z0 + a * w > self.breakaway {
                return None;
            }
            return Some(self.found(w, w, self.sigma1, side, 1));
        }
        let mut at = self.steady(w);
        if a * w > at.zs {
            return None;
        }
        if z0 >= at.zs {
            return self.shortening(Task { side, z0, apart, lam: lam * ease, yields }, w, at);
        }
        let (mut y, mut rounds) = (q * w, 1);
        loop {
            let Steady { zs, e, bend, .. } = at;
            let span = 1.0 / (zs - self.breakaway);
            let zeta = z0 + a * y;
            let t = (zeta - self.breakaway) * span;
            let (alpha, swell) = adhesion(t);
            // Everything as a function of y: w' = -b, zeta' = a.
            let (zs1, zs2) = (-b * e, b * b * bend);
            let t1 = (a - t * zs1) * span;
            let t2 = -(2.0 * t1 * zs1 + t * zs2) * span;
            let alpha1 = swell * t1;
            let alpha2 = swell * t2 - PI * PI * (alpha - 0.5) * t1 * t1;
            let held = w * zeta;
            let held1 = a * w - b * zeta;
            let slip = y - w;
            let h = zs * slip + held * alpha; // [quick.2]
            let h1 = zs1 * slip + zs * (1.0 + b) + held * alpha1 + held1 * alpha;
            let h2 = zs2 * slip + 2.0 * zs1 * (1.0 + b) + held * alpha2 + 2.0 * held1 * alpha1 - 2.0 * a * b * alpha;
            let step = Step::new(h, h1, h2);
            y += step.by();
            let end = apart - b * y; // [quick.1]
            let bent = (b * self.per_stribeck).max(t1.abs()) * (1.0 / BENT);
            let force = self.sigma0 * zeta + self.sigma1 * y + self.viscous.sigma2 * w;
            if step.is_last(bent, (TOLERANCE * end).min(force.abs() * yields)) {
                let mixed = z0 + a * end > self.breakaway && z0 < zs + e * (end - w);
                if !mixed {
                    return None;
                }
                return Some(self.found(end, y, self.sigma1, side, rounds));
            }
            if rounds == MOST || !(end > 0.0 && step.d.abs() * bent < 1.0) {
                return None;
            }
            w = end;
            at = self.steady(w);
            if z0 >= at.zs {
                return None;
            }
            rounds += 1;
        }
    }

    /// Bristles longer than steady sliding would have them, z0 >= zs.
    #[inline]
    fn shortening(&self, task: Task, mut w: Real, mut at: Steady) -> Option<(Solved, Change)> {
        let Task { side, z0, apart, lam, yields } = task;
        let (a, sigma1) = (self.half, self.sigma1);
        let mut rounds = 1;
        loop {
            let Steady { g, zs, e, bend } = at;
            // y = n/m and the damping k = 4 g sigma1/(4 g + sigma1 w), differentiated as quotients.
            let per = 1.0 / (zs + a * w);
            let per_k = 1.0 / (4.0 * g + sigma1 * w);
            let m1 = e + a;
            let y = w * (zs - z0) * per; // [bristle.2]
            let y1 = (zs - z0 + w * e - y * m1) * per;
            let y2 = (2.0 * e + w * bend - 2.0 * y1 * m1 - y * bend) * per;
            let (g1, g2) = (4.0 * self.sigma0 * e, 4.0 * self.sigma0 * bend);
            let k = 4.0 * g * sigma1 * per_k; // [friction.5]
            let k1 = (g1 * sigma1 - k * (g1 + sigma1)) * per_k;
            let k2 = (g2 * sigma1 - 2.0 * k1 * (g1 + sigma1) - k * g2) * per_k;
            let stiff = self.sigma0 * a + k;
            let h = w - apart + lam * stiff * y;
            let h1 = 1.0 + lam * (stiff * y1 + k1 * y);
            let h2 = lam * (stiff * y2 + 2.0 * k1 * y1 + k2 * y);
            let step = Step::new(h, h1, h2);
            let by = step.by();
            let end = w + by;
            let bent = self.per_stribeck.max(a * per).max(sigma1 * per_k) * (1.0 / BENT);
            let force = self.sigma0 * (z0 + a * y) + k * y + self.viscous.sigma2 * w;
            if h1 > 0.5 && step.is_last(bent, (TOLERANCE * end).min(force.abs() * yields)) {
                let over = z0 >= zs + e * by && end > 0.0;
                let rate = y + by * (y1 + 0.5 * by * y2);
                let damping = k + by * (k1 + 0.5 * by * k2);
                if !over {
                    return None;
                }
                return Some(self.found(end, rate, damping, side, rounds));
            }
            if rounds == MOST || !(end > 0.0 && h1 > 0.5 && step.d.abs() * bent < 1.0) {
                return None;
            }
            w = end;
            at = self.steady(w);
            if z0 < at.zs {
                return None;
            }
            rounds += 1;
        }
    }

    #[inline(always)]
    fn found(&self, w: Real, y: Real, damping: Real, side: Real, evaluations: u32) -> (Solved, Change) {
        let (v, rate) = (w * side, y * side);
        let zeta = self.z + self.half * rate;
        let force = self.sigma0 * zeta + damping * rate + self.viscous.sigma2 * v + self.noise;
        (Solved { v, force, evaluations, converged: true }, Change { rate, next: zeta + 2.0 * self.half * rate })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    const DT: Real = 1.0 / 44_100.0;

    #[test]
    fn the_quick_root_is_the_one_the_bracketing_solver_finds() {
        // A mass on a spring, bowed; every step is solved both ways from the same start.
        let mut rng = Rng::new(1, "quick");
        let (mut steps, mut quick, mut evaluations) = (0_u32, 0_u32, 0_u32);
        for _ in 0..400 {
            let mut b = Bristle::default();
            (b.elastic, b.plain) = (true, true);
            b.sigma0 = rng.between_log(1e3, 1e6);
            b.sigma1 = rng.between_log(1e-2, 10.0);
            b.inverse = 1.0 / b.sigma0;
            b.viscous.sigma2 = rng.unit();
            b.curve.coulomb = rng.between_log(0.02, 2.0);
            b.curve.drop = b.curve.coulomb * rng.between(0.2, 5.0);
            b.stribeck = rng.between_log(1e-2, 0.3);
            b.per_stribeck = 1.0 / b.stribeck;
            b.curve.rate = b.per_stribeck * b.per_stribeck;
            b.breakaway = rng.unit() * b.curve.coulomb * b.inverse;
            b.most = b.curve.stiction() * b.inverse;
            let (m, k) = (rng.between_log(1e-3, 0.1), rng.between_log(1e2, 1e6));
            let (bow, lam) = (rng.between_log(0.01, 1.0), 0.5 * DT / m);
            let (mut x, mut u, mut last) = (0.0, 0.0, bow);
            for _ in 0..500 {
                b.prepare(DT);
                let v0 = bow - (u - 0.5 * DT * k * x / m);
                let (sure, sure_change) = b.resolve(v0, lam, last);
                let (found, change) = b.quick(v0, lam).unwrap_or((sure, sure_change));
                steps += 1;
                quick += u32::from(b.quick(v0, lam).is_some());
                evaluations += found.evaluations;
                let size = v0.abs() + lam * sure.force.abs();
                assert!((found.v - sure.v).abs() <= 1e-13 * size, "{found:?} {sure:?} {b:?}");
                assert!((found.force - sure.force).abs() <= 1e-10 * sure.force.abs() + 1e-15 * size / lam, "{b:?}");
                let push = (found.force - k * x) / m;
                x += DT * u + 0.5 * DT * DT * push;
                u += DT * push;
                b.commit(found.v, change);
                last = found.v;
            }
        }
        assert!(quick * 10 > steps * 7, "{quick} of {steps}");
        assert!(evaluations * 10 < steps * 18, "{evaluations} for {steps}");
    }
}
