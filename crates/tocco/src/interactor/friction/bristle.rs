// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bristles: Dahl, LuGre and elasto-plastic friction.
//!
//! **What.** The two surfaces hold each other by bristles that stretch, bend over and slip; their mean deflection z is
//! the memory of the contact.
//!
//! **Law.** [friction.2] to [friction.5] of the parent file.
//!
//! **Symbols.** a = dt/2 s; w = |v| m/s; zeta, y: deflection in mid-step and its rate, seen along the motion (so that
//! both signs are the same computation, bit for bit); e = d zs/d w.
//!
//! **Step.** Midpoint rule, `[bristle.1]  zeta = z0 + a y(w, zeta)`, z1 = z0 + 2 a y. Its root is unique because
//! alpha |z| never falls, and closed where alpha is 0 (zeta = z0 + a w up to breakaway) or 1 (`[bristle.2]  y = w (zs -
//! z0)/(zs + a w)`, for z0 >= zs); between, by safeguarded Newton. Stored energy changes by exactly 2 a sigma0 zeta y, so
//! the power lost is that of the continuous law, g alpha r^2 w + sigma1' w^2 (1 - alpha r) + sigma2.. with r = zeta/zs:
//! never negative with [friction.5]. Where the step is longer than the bristle's slide (a w > zs) the midpoint rule
//! rings about the steady deflection; there the end is put on it if that lowers the stored energy.
//!
//! Solver of [friction.6] (E.3): Newton from the last velocity while R rises and |R| halves; otherwise outward from
//! there, doubling, until R changes sign; then Newton in that bracket, halved when it must. The bracket of all roots,
//! `[bristle.3]  |v| <= |v0| + Lam ((sigma0 + sigma1/a) max(|z0|, fs/sigma0) + sigma1 |z0|/a + |sigma3 w|)`, bounds the
//! search. Force and bristles are taken from the tangent of the last Newton step.
//!
//! **Sources.** physics.md E.2 to E.4, C21 to C24, C28; Avanzini et al. 2003 (8.44)-(8.48).

use super::fast::sin_cos_pi;
use super::quick::{Eased, Trend};
use super::{Curve, Solved, Viscous, side};
use crate::math::{PI, Real};
use crate::param::LawSpec;

/// Law evaluations after which a solve stops wherever it is; random systems need 26, any declared values 37.
const MAX_EVALUATIONS: u32 = 50;
/// Evaluations after which plain Newton gives way to the bracket even if it still halves R.
const PATIENCE: u32 = 16;
/// Relative error at which a solve is done.
const TOLERANCE: Real = 1e-14;
/// Relative error of the force of a solve.
const ACCURACY: Real = 1e-12;
/// Relative width of a bracket that counts as a root where rounding hides the sign of R.
const NARROW: Real = 1e-10;

/// Rounds after which the mid-step deflection is as good as rounding allows; three are usual.
const MAX_INNER: u32 = 60;

/// Bristles that stretch without loss up to breakaway.
pub(super) const ELASTO_PLASTIC: LawSpec = LawSpec::new("elasto-plastic", "elasto-plastic friction");
/// Bristles that always creep.
pub(super) const LUGRE: LawSpec = LawSpec::new("lugre", "lugre friction");
/// Bristles whose force does not fall.
pub(super) const DAHL: LawSpec = LawSpec::new("dahl", "dahl friction");

/// What a step does to the bristles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    /// z' in mid-step, m/s.
    pub rate: Real,
    /// Where mid-step would be in the next step at this velocity, m: a start for [bristle.1].
    pub next: Real,
}

/// Regime of an evaluation: the law is smooth within one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Regime {
    /// alpha = 0
    Elastic,
    /// Below steady sliding.
    Mixed,
    /// Beyond it: the bristles shorten, alpha = 1.
    Over,
}

/// The law at one velocity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    v: Real,
    /// N
    pub force: Real,
    /// dF/dv, N s/m
    pub slope: Real,
    /// z' in mid-step, m/s, and its change with v.
    rate: Real,
    rate_slope: Real,
    /// Deflection in mid-step along the motion, m, and its change with that at the start.
    zeta: Real,
    share: Real,
    /// zs and its change with w, m and s; zero where not needed.
    steady: (Real, Real),
    regime: Regime,
    side: Real,
    /// False if [bristle.1] is not solved to rounding yet.
    exact: bool,
}

impl Point {
    /// What the step does, a little further along the tangent.
    fn change(&self, step: Real, half: Real) -> Change {
        let rate = self.rate + self.rate_slope * step;
        Change { rate, next: self.zeta * self.side + half * (self.rate_slope * step + 2.0 * self.share * rate) }
    }

    /// True if the law is smooth between the two.
    fn alike(&self, other: &Point) -> bool {
        self.regime == other.regime && self.side == other.side
    }
}

/// Bristles with their state.
#[derive(Clone, Debug)]
pub(super) struct Bristle {
    pub sigma0: Real,
    pub sigma1: Real,
    pub viscous: Viscous,
    pub curve: Curve,
    /// vs, m/s
    pub stribeck: Real,
    /// z_ba, m
    pub breakaway: Real,
    /// fs/sigma0, m: no bristle holds more.
    pub most: Real,
    /// 1/sigma0, m/N
    pub inverse: Real,
    /// Elasto-plastic; otherwise alpha = 1.
    pub elastic: bool,
    /// sigma3 F_N w of this step, N
    pub noise: Real,
    /// Deflection, m, and what it was at the end of the last step, before any of it broke.
    pub z: Real,
    pub before: Real,
    /// Expected deflection in mid-step, m.
    next: Real,
    /// dt/2, s, and its inverse
    pub half: Real,
    per_half: Real,
    /// 1/vs, s/m
    pub per_stribeck: Real,
    /// Elasto-plastic with linear viscosity: quick.rs may try.
    pub plain: bool,
    /// For the start of quick.rs: how the last steps went.
    pub trend: Trend,
    /// For quick.rs; made anew after a change of sigma or of the step.
    pub eased: Eased,
    /// [friction.5]; only tests switch it off.
    limited: bool,
}

impl Default for Bristle {
    fn default() -> Self {
        Self {
            sigma0: 1.0,
            sigma1: 0.0,
            viscous: Viscous { sigma2: 0.0, exponent: 1.0 },
            curve: Curve::default(),
            stribeck: 0.0,
            breakaway: 0.0,
            elastic: false,
            noise: 0.0,
            z: 0.0,
            before: 0.0,
            next: 0.0,
            half: 1.0,
            per_half: 1.0,
            per_stribeck: 0.0,
            plain: false,
            trend: Trend::default(),
            eased: Eased::default(),
            most: 0.0,
            inverse: 1.0,
            limited: true,
        }
    }
}

impl Bristle {
    #[inline(always)]
    pub fn prepare(&mut self, dt: Real) {
        if self.half != 0.5 * dt {
            self.half = 0.5 * dt;
            self.per_half = 1.0 / self.half;
            self.eased = Eased::default();
        }
        self.z = self.before.max(-self.most).min(self.most);
    }

    /// 1/dt of the step prepared for, Hz
    #[inline(always)]
    pub fn rate_hz(&self) -> Real {
        0.5 * self.per_half
    }

    pub fn energy(&self) -> Real {
        0.5 * self.sigma0 * self.z * self.z
    }

    /// The law at a velocity. `towards` says which side of zero is meant when the velocity is zero; a point nearby saves
    /// rounds between breakaway and sliding.
    #[inline(always)]
    pub fn at(&self, v: Real, towards: Real, near: Option<&Point>) -> Point {
        self.roughly(v, towards, near, MAX_INNER)
    }

    /// The same, after so many rounds of [bristle.1] if they come close.
    #[inline(always)]
    fn roughly(&self, v: Real, towards: Real, near: Option<&Point>, rounds: u32) -> Point {
        let side = if v == 0.0 { side(towards) } else { side(v) };
        let (w, z0, a) = (v * side, self.z * side, self.half);
        let stretched = z0 + a * w;
        let elastic = self.elastic && stretched <= self.breakaway;
        let mut exact = true;
        let (g, g_slope) = if elastic { (0.0, 0.0) } else { self.curve.at(w) };
        let (zs, e) = (g * self.inverse, g_slope * self.inverse);
        let (zeta, y, y_slope, share, regime) = if elastic {
            (stretched, w, 1.0, 1.0, Regime::Elastic)
        } else if !self.elastic || z0 >= zs {
            let d = 1.0 / (zs + a * w);
            let share = (zs - z0) * d;
            let y = w * share; // [bristle.2]
            let y_slope = share + w * (e * stretched - a * (zs - z0)) * d * d;
            (zs * stretched * d, y, y_slope, 0.0, if z0 >= zs { Regime::Over } else { Regime::Mixed })
        } else {
            let near = near.filter(|p| p.side == side);
            let (zeta, y, y_slope, share);
            (zeta, y, y_slope, share, exact) = self.mixed(w, stretched, zs, e, near, rounds);
            (zeta, y, y_slope, share, Regime::Mixed)
        };
        let (viscous, viscous_slope) = self.viscous.at(w);
        let mut force = self.sigma0 * zeta + viscous;
        let mut slope = self.sigma0 * a * y_slope + viscous_slope;
        if regime == Regime::Over && fault!(DAMPING_UNLIMITED, self.limited, false) && self.sigma1 > 0.0 {
            // [friction.5]; zero with y at its border, so the force has no jump there.
            let d = self.sigma1 / (4.0 * g + self.sigma1 * w);
            let damping = 4.0 * g * d;
            force += damping * y;
            slope += damping * y_slope + 4.0 * d * d * (g_slope * w - g) * y;
        } else {
            force += self.sigma1 * y;
            slope += self.sigma1 * y_slope;
        }
        let force = force * side + self.noise; // [friction.3]
        Point {
            v,
            force,
            slope,
            rate: y * side,
            rate_slope: y_slope,
            zeta,
            share,
            steady: (zs, e),
            regime,
            side,
            exact,
        }
    }

    /// Between breakaway and steady sliding: zeta, its rate, and the rate's change with w. [bristle.1], [friction.4]
    #[inline]
    fn mixed(
        &self,
        w: Real,
        stretched: Real,
        zs: Real,
        e: Real,
        near: Option<&Point>,
        most: u32,
    ) -> (Real, Real, Real, Real, bool) {
        let a = self.half;
        let span = 1.0 / (zs - self.breakaway);
        let inverse = 1.0 / zs;
        let pull = a * w * inverse;
        // What Newton's step leaves is at most its square times |h''|/2 of [bristle.1], with alpha'' <= pi^2/2 span^2. It
        // must be small against a w as well, or the rate would lose digits.
        let bend = 3.0 * pull.max(1.0) * (1.0 + zs * span) * span;
        let (mut low, mut high) = (self.breakaway, stretched.min(zs));
        let start = match near {
            Some(p) if p.regime == Regime::Mixed => p.zeta + a * p.rate_slope * (w - p.v.abs()),
            _ => self.next.abs(),
        };
        let mut zeta = start.max(low).min(high);
        let (mut last, mut rounds) = (Real::INFINITY, 0);
        loop {
            let t = (zeta - self.breakaway) * span;
            let (alpha, swell) = adhesion(t);
            let excess = zeta + pull * alpha * zeta - stretched;
            let stiff = 1.0 / (1.0 + pull * (alpha + zeta * swell * span));
            let step = -excess * stiff;
            let size = step.abs();
            rounds += 1;
            let rounding = 4.0 * Real::EPSILON * (zeta + stretched * stiff);
            let exact = size <= rounding || bend * size * size <= 1e-16 * zs;
            if exact || (rounds >= most && size * span < 0.1) || rounds == MAX_INNER {
                zeta += step;
                // Whichever of the two forms loses fewer digits.
                let y = if a * w > zs {
                    (zeta - (stretched - a * w)) * self.per_half
                } else {
                    w - w * inverse * zeta * (alpha + swell * span * step) // [friction.2]
                };
                let y_slope = 1.0 - zeta * inverse * (alpha - w * e * (swell * t * span + alpha * inverse));
                return (zeta, y, y_slope * stiff, stiff, exact || rounds == MAX_INNER);
            }
            if excess > 0.0 {
                high = zeta;
            } else {
                low = zeta;
            }
            let next = zeta + step;
            let newton = next > low && next < high && size < 0.5 * last;
            last = if newton { size } else { Real::INFINITY };
            zeta = if newton { next } else { 0.5 * (low + high) };
        }
    }

    /// The root of [friction.6] nearest to the last velocity, and what it does to the bristles.
    pub fn resolve(&self, v0: Real, lam: Real, last: Real) -> (Solved, Change) {
        let towards = v0 - lam * (self.sigma0 * self.z + self.noise);
        let mut search = Search { law: self, v0, lam, towards, evaluations: 0 };
        if lam == 0.0 {
            let p = search.at(v0, None).0;
            let solved = Solved { v: v0, force: p.force, evaluations: 1, converged: true };
            return (solved, p.change(0.0, self.half));
        }
        // (1) Newton while it evidently works.
        // At most two rounds of [bristle.1] per evaluation: what is left converges together with the velocity. Should it
        // not, once more from the start with exact evaluations.
        let mut from: Option<(Point, Real, Real)> = None;
        let (mut v, mut rounds) = (last, 2);
        loop {
            search.evaluations += 1;
            let q = self.roughly(v, towards, from.as_ref().map(|f| &f.0), rounds);
            let s = v - v0 + lam * q.force;
            let mut before = 0.0;
            if let Some((p, r, step)) = from {
                if s.abs() > 0.5 * r.abs() || search.evaluations > PATIENCE {
                    if !(p.exact && q.exact) {
                        (from, v, rounds) = (None, last, MAX_INNER);
                        continue;
                    }
                    return if (s > 0.0) != (r > 0.0) {
                        search.between((p, r), (q, s))
                    } else {
                        search.outward(q, s, step)
                    };
                }
                before = if q.alike(&p) { step } else { 0.0 };
            }
            let stiff = 1.0 + lam * q.slope;
            if stiff <= 0.0 {
                if !q.exact {
                    (from, v, rounds) = (None, last, MAX_INNER);
                    continue;
                }
                return search.outward(q, s, s.abs());
            }
            let step = -s / stiff;
            if q.exact && search.is_done(&q, step, before) {
                return search.finish(&q, step);
            }
            v += step;
            from = Some((q, s, step.abs()));
        }
    }

    /// All roots lie within plus or minus this. [bristle.3]
    fn bound(&self, v0: Real, lam: Real) -> Real {
        let z0 = self.z.abs();
        let viscous = self.sigma1 * self.per_half;
        let most = (self.sigma0 + viscous) * z0.max(self.most) + viscous * z0;
        // A little more, so that rounding cannot put the root outside.
        (v0.abs() + lam * (most + self.noise.abs())) * (1.0 + 1e-9) + 1e-300
    }

    /// What a velocity does to the bristles.
    pub fn change(&self, v: Real) -> Change {
        self.at(v, v, None).change(0.0, self.half)
    }

    /// Takes the step.
    #[inline(always)]
    pub fn commit(&mut self, v: Real, change: Change) {
        let mut end = self.z + 2.0 * self.half * change.rate;
        let w = v.abs();
        if self.sigma0 * self.half * w > self.curve.coulomb {
            let zs = self.curve.at(w).0 * self.inverse;
            let steady = zs * side(v);
            if self.half * w > zs && (end - steady) * (self.z - steady) < 0.0 && end.abs() > zs {
                end = steady;
            }
        }
        (self.z, self.before) = (end, end);
        self.next = change.next;
        self.expect(v, change);
    }
}

/// alpha and its change with t along the way from breakaway (t = 0) to steady sliding (t = 1). [friction.4]
#[inline]
pub(super) fn adhesion(t: Real) -> (Real, Real) {
    let (s, c) = sin_cos_pi(t.clamp(0.0, 1.0) - 0.5);
    (0.5 + 0.5 * s, 0.5 * PI * c)
}

/// One solve.
struct Search<'a> {
    law: &'a Bristle,
    v0: Real,
    lam: Real,
    towards: Real,
    evaluations: u32,
}

impl Search<'_> {
    /// The law and R at a velocity.
    #[inline(never)]
    fn at(&mut self, v: Real, near: Option<&Point>) -> (Point, Real) {
        self.evaluations += 1;
        let p = self.law.at(v, self.towards, near);
        (p, v - self.v0 + self.lam * p.force)
    }

    /// Size against which an error in velocity is small.
    fn size(&self, p: &Point) -> Real {
        p.v.abs() + self.v0.abs() + self.lam * p.force.abs()
    }

    /// True if the tangent at `p` is as good as the law where the step leads.
    #[inline]
    fn is_done(&self, p: &Point, step: Real, before: Real) -> bool {
        let tolerance = TOLERANCE * self.size(p);
        let length = step.abs();
        if length <= tolerance {
            return true;
        }
        if !self.is_smooth(p, step) {
            return false;
        }
        if p.regime == Regime::Elastic && self.law.viscous.exponent == 1.0 {
            return true;
        }
        // Quadratic convergence predicts the next step from the last two, if the last was not longer than the law is
        // bent. The force may still miss more than the velocity does where the bodies hardly yield: the second bound.
        let bend = match p.regime {
            Regime::Elastic => Real::INFINITY,
            _ if self.law.elastic => (p.steady.0 - self.law.breakaway) * self.law.per_half,
            _ => p.steady.0 * self.law.per_half,
        };
        let known = before.min(0.3 * self.law.stribeck).min(0.3 * bend).powi(2);
        let next = 10.0 * length * length * length;
        next <= tolerance * known && next * (1.0 + self.lam * p.slope) <= ACCURACY * self.lam * p.force.abs() * known
    }

    /// True if the step stays in the regime.
    fn is_smooth(&self, p: &Point, step: Real) -> bool {
        let (w, z0) = ((p.v + step) * p.side, self.law.z * p.side);
        if w < 0.0 {
            return false;
        }
        let stretched = !self.law.elastic || z0 + self.law.half * w > self.law.breakaway;
        let over = z0 >= p.steady.0 + p.steady.1 * step * p.side;
        match p.regime {
            Regime::Elastic => !stretched,
            Regime::Mixed => stretched && !over,
            Regime::Over => over,
        }
    }

    /// The tangent's root.
    fn finish(&self, p: &Point, step: Real) -> (Solved, Change) {
        let force = p.force + p.slope * step;
        let solved = Solved { v: p.v + step, force, evaluations: self.evaluations, converged: true };
        (solved, p.change(step, self.law.half))
    }

    /// (2) Outward to the nearest change of sign.
    #[cold]
    fn outward(&mut self, mut p: Point, mut r: Real, reach: Real) -> (Solved, Change) {
        let bound = self.law.bound(self.v0, self.lam);
        let way = -side(r);
        let mut reach = reach.max(Real::EPSILON * bound);
        loop {
            let v = (p.v + way * reach).max(-bound).min(bound);
            let (q, s) = self.at(v, Some(&p));
            if (s > 0.0) != (r > 0.0) || v.abs() >= bound || self.evaluations >= MAX_EVALUATIONS {
                return self.between((p, r), (q, s));
            }
            (p, r) = (q, s);
            reach *= 2.0;
        }
    }

    /// (3) Newton between two velocities where R has different signs, halving when it does not shrink fast.
    #[cold]
    fn between(&mut self, one: (Point, Real), other: (Point, Real)) -> (Solved, Change) {
        let (mut best, mut far) = if one.1.abs() <= other.1.abs() { (one, other) } else { (other, one) };
        let (mut before, mut last) = (0.0, Real::INFINITY);
        loop {
            let (p, r) = best;
            let width = far.0.v - p.v;
            let stiff = 1.0 + self.lam * p.slope;
            let step = -r / stiff;
            let inside = stiff > 0.0 && step * width >= 0.0 && step.abs() <= width.abs();
            if inside && self.is_done(&p, step, before) {
                return self.finish(&p, step);
            }
            // Where bristles and roughness hold each other, rounding of either hides the sign of R.
            let size = self.size(&p) + self.lam * self.law.noise.abs();
            let narrow = width.abs() <= TOLERANCE * size;
            if narrow || self.evaluations >= MAX_EVALUATIONS {
                let converged = width.abs() <= NARROW * size;
                let force = (self.v0 - p.v) / self.lam;
                let solved = Solved { v: p.v, force, evaluations: self.evaluations, converged };
                return (solved, p.change(0.0, self.law.half));
            }
            let newton = inside && step.abs() < 0.5 * last;
            last = if newton { step.abs() } else { Real::INFINITY };
            let move_by = if newton { step } else { 0.5 * width };
            let next = self.at(p.v + move_by, Some(&p));
            before = if newton && next.0.alike(&p) { step.abs() } else { 0.0 };
            if (next.1 > 0.0) == (r > 0.0) {
                best = next;
            } else {
                far = best;
                best = next;
            }
            if best.1.abs() > far.1.abs() && !newton {
                core::mem::swap(&mut best, &mut far);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    const DT: Real = 1.0 / 44_100.0;

    fn bristle(sigma0: Real, sigma1: Real, coulomb: Real, stiction: Real, stribeck: Real, elastic: bool) -> Bristle {
        let mut b = Bristle {
            sigma0,
            sigma1,
            inverse: 1.0 / sigma0,
            curve: Curve { coulomb, drop: stiction - coulomb, rate: 1.0 / (stribeck * stribeck) },
            stribeck,
            breakaway: 0.7 * coulomb / sigma0,
            most: stiction / sigma0,
            elastic,
            ..Bristle::default()
        };
        b.prepare(DT);
        b
    }

    #[test]
    fn adhesion_is_the_same_for_both_signs() {
        // C22: |z| = 1.5e-5, z_ba = 1.4e-5, zs = 2e-5; the printed formula gives 0.9476 for z < 0.
        assert!((adhesion((1.5e-5 - 1.4e-5) / (2e-5 - 1.4e-5)).0 - 0.0670).abs() < 1e-4);
        assert_eq!(adhesion(-1.0).0, 0.0);
        assert!((adhesion(2.0).0 - 1.0).abs() < 1e-15);
    }

    #[test]
    fn slopes_are_those_of_the_law() {
        let mut rng = Rng::new(1, "slope");
        for i in 0..20_000 {
            let fc = rng.between(0.1, 1.0);
            let mut b = bristle(
                rng.between_log(1e3, 1e6),
                rng.between_log(1e-2, 100.0),
                fc,
                fc * rng.between(1.1, 3.0),
                rng.between_log(1e-2, 1.0),
                i % 2 == 0,
            );
            b.viscous = Viscous { sigma2: rng.unit(), exponent: if i % 3 == 0 { 1.5 } else { 1.0 } };
            b.z = rng.between(-1.0, 1.0) * b.most;
            let v = rng.between(-1.0, 1.0);
            let d = 1e-6 * v.abs();
            let (low, at, high) = (b.at(v - d, v, None), b.at(v, v, None), b.at(v + d, v, None));
            if low.alike(&at) && high.alike(&at) {
                let slope = (high.force - low.force) / (2.0 * d);
                // The difference of two forces loses digits to their size, a share of 1e-16/1e-6.
                let loss = 1e-8 * (at.force.abs() / v.abs() + b.sigma1 + b.sigma0 * b.half);
                assert!((slope - at.slope).abs() < 1e-5 * at.slope.abs() + loss, "{slope} {at:?} {b:?}");
            }
        }
    }

    #[test]
    fn a_loaded_bristle_that_slips_gives_energy_unless_its_damping_is_limited() {
        // physics.md E.4: load to stiction, then slip at 2 m/s.
        for (sigma1, least) in [(0.1, 0.0), (1.0, -1.6), (10.0, -27.0), (100.0, -278.0)] {
            for limited in [false, true] {
                let mut b = bristle(1e4, sigma1, 0.2, 0.5, 0.01, false);
                b.limited = limited;
                b.z = b.most;
                let mut lost: Real = 0.0;
                for _ in 0..50 {
                    let p = b.at(2.0, 2.0, None);
                    lost = lost.min(p.force * p.v - b.sigma0 * p.zeta * p.rate);
                    b.commit(2.0, p.change(0.0, b.half));
                }
                let want = if limited { 0.0 } else { least };
                assert!((lost - want).abs() <= 0.04 * want.abs(), "{sigma1} {limited} {lost}");
            }
        }
    }

    #[test]
    fn a_step_longer_than_the_slide_does_not_ring() {
        for elastic in [false, true] {
            let mut b = bristle(1e8, 0.0, 0.2, 0.5, 0.01, elastic);
            b.z = -b.most;
            for _ in 0..3 {
                b.commit(1.0, b.change(1.0));
            }
            assert!((b.z * b.sigma0 / 0.2 - 1.0).abs() < 1e-12, "{}", b.z * b.sigma0);
        }
    }

    #[test]
    fn of_several_roots_the_nearest_to_the_last_motion_is_taken() {
        // Stiff bristles on a light string: stick and slip both satisfy the step.
        let mut b = bristle(1e6, 0.1, 0.33, 0.88, 0.1, true);
        b.z = 0.7 * b.most;
        let (v0, lam) = (0.6, 1.0);
        let (slow, _) = b.resolve(v0, lam, 0.0);
        let (fast, _) = b.resolve(v0, lam, 0.6);
        assert!(slow.v < 0.01 && fast.v > 0.1, "{slow:?} {fast:?}");
        for s in [slow, fast] {
            assert!((s.v - v0 + lam * b.at(s.v, v0, None).force).abs() < 1e-13, "{s:?}");
        }
    }

    /// The papers' iteration on y = z' (Avanzini et al. 2003 (8.40)), with corrected derivatives; None if it never converges.
    fn plain_newton(b: &Bristle, v0: Real, lam: Real, start: Real) -> Option<u32> {
        let k1 = -lam * (b.sigma0 * b.half + b.sigma1);
        let v_free = v0 - lam * b.sigma0 * b.z;
        let rate = |y: Real| {
            let (v, z) = (v_free + k1 * y, b.z + b.half * y);
            let (g, _) = b.curve.at(v.abs());
            let zs = g / b.sigma0;
            let alpha = if v * z <= 0.0 { 0.0 } else { adhesion((z.abs() - b.breakaway) / (zs - b.breakaway)).0 };
            v - alpha * v.abs() * z / zs - y
        };
        let mut y = start;
        for round in 1..=100 {
            let d = 1e-7 * (y.abs() + 1e-6);
            let slope = (rate(y + d) - rate(y - d)) / (2.0 * d);
            let step = -rate(y) / slope;
            y += step;
            if step.abs() <= 1e-10 * (y.abs() + 1e-3) {
                return Some(round);
            }
            if !y.is_finite() {
                return None;
            }
        }
        None
    }

    #[test]
    fn plain_newton_on_the_bristles_rate_fails_where_this_solver_does_not() {
        // C28. A mass on a spring, bowed; every step is solved both ways from the same start.
        let mut rng = Rng::new(2, "plain");
        let (mut steps, mut beyond, mut never) = (0_u32, 0_u32, 0_u32);
        for _ in 0..300 {
            let fc = rng.between_log(0.02, 2.0);
            let sigma0 = rng.between_log(1e3, 1e6);
            let sigma1 = rng.between_log(1e-2, 10.0);
            let mut b = bristle(sigma0, sigma1, fc, fc * rng.between(1.2, 4.0), rng.between_log(1e-2, 0.3), true);
            let (m, k) = (rng.between_log(1e-3, 0.1), rng.between_log(1e2, 1e6));
            let (bow, lam) = (rng.between_log(0.01, 1.0), 0.5 * DT / m);
            let (mut x, mut u, mut last, mut y) = (0.0, 0.0, bow, 0.0);
            for _ in 0..500 {
                b.prepare(DT);
                let v0 = bow - (u - 0.5 * DT * k * x / m);
                let (found, change) = b.resolve(v0, lam, last);
                assert!(found.converged);
                let plain = plain_newton(&b, v0, lam, y);
                steps += 1;
                beyond += u32::from(plain.is_none_or(|rounds| rounds > 7));
                never += u32::from(plain.is_none());
                let push = (found.force - k * x) / m;
                x += DT * u + 0.5 * DT * DT * push;
                u += DT * push;
                b.commit(found.v, change);
                (last, y) = (found.v, change.rate);
            }
        }
        // Measured on 3e6 other steps: 1.24 % need more than seven, 1.18 % never end.
        assert!(never * 1000 > steps && beyond >= never, "{never} and {beyond} of {steps}");
    }
}
