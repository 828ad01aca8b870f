// SPDX-License-Identifier: MIT OR Apache-2.0
//! The common solve of elasto-plastic bristles: one unknown, fourth or sixth order, from a start that is nearly there.
//!
//! **What.** With linear viscosity the contact equation [friction.6] and the midpoint rule [bristle.1] are straight lines
//! in velocity and rate, so the bristles' law [friction.2] is the only curve left and one unknown remains. The solver of
//! bristle.rs is not needed unless this one says so.
//!
//! **Law.** w, z0 along the motion; y = z', zeta = z0 + a y, g = y/A.
//! - `[quick.1]  w = A - B y`, `A = (v0 - Lam (sigma0 z0 + sigma3 F_N noise))/(1 + Lam sigma2)`,
//!   `B = Lam (sigma0 a + sigma1)/(1 + Lam sigma2)`
//! - `[quick.2]  0 = zs (y - w) + w alpha zeta` below steady sliding; beyond it y(w) of [bristle.2] with the damping of
//!   [friction.5]; y = w, hence w = A/(1 + B), where the bristles only stretch: if that leaves zeta below breakaway there is no other
//!   root, as y <= w everywhere
//! - `[quick.3]  step = d (1 - p + 2 p^2 - r)`, `d = -h0/h1`, `p = d h2/h1`, `r = d^2 h3/h1`, h_k the coefficients of H as a
//!   power series about the start: its inverse. What is left is `d (-5 p^3 + 5 p r - d^3 h4/h1)`, of which the last is below
//!   `e d (d/L)^3`, L the length over which the law bends and e = 1 + w t', t the way from breakaway to sliding; each is taken
//!   twice. Where the start is so near that r does not matter either, which is bounded by `e (d/L)^2`, h3 is not found at all.
//! - `[quick.4]  step - (1 - 2 p) (h0 + h1 step + ... + h5 step^5)/h1`: where that is too much, two more coefficients and one
//!   step of Newton on them. What is left is `8 p^2 + 3 r` of what was, and `e d (d/L)^5`. It takes less than half the
//!   time of another evaluation, and serves nine in ten.
//!
//! **Step.** The start is g continued by its differences, which are smooth wherever the motion is: g is a function of
//! deflection and velocity, 1/(1 + B) in stick and about 0 in steady sliding. Only where bodies yield little, B <= 1: there R
//! has one root unless its force falls faster than the bristles stiffen. The root continues the last motion in either case.
//! A contact alone is solved to [`ALONE`]: bodies and contact agree to rounding all the same, as [quick.1] is kept, and what
//! the bristles take and lose adds up; only their law is off by so much, and never below no loss, y <= w. Where several are
//! solved together, each to [`TOGETHER`], or their sweep would not settle. And only where a step slides less than the bristles'
//! length, a w <= zs. A solve that leaves its regime or has not ended after three evaluations starts again in bristle.rs.
//!
//! **Sources.** physics.md E.3; Avanzini et al. 2003 (8.39), (8.40), whose unknown is the same y.

use super::bristle::{Bristle, Change};
use super::{FAST, LEAST, Solved, fast, side};
use crate::math::{PI, Real};
use crate::resonator::kernel::Path;

/// Largest B.
const YIELDING: Real = 1.0;
/// Evaluations after which bristle.rs takes over.
const MOST: u32 = 3;
/// Error of the rate as a part of the velocity, and of the force as a part of itself, at which a solve is done: of a contact
/// alone, and of one among several.
const ALONE: (Real, Real) = (1e-9, 1e-7);
const TOGETHER: (Real, Real) = (4e-15, 1e-12);
/// Part of the law's own lengths over which it is bent.
const BENT: Real = 0.4;

/// Beyond its ends alpha is continued by so much: the root is between them, a start may be a little beside.
const BESIDE: Real = 1e-3;

/// g of the last steps as backward differences.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trend {
    g: Real,
    by: [Real; 4],
}

impl Default for Trend {
    fn default() -> Self {
        Self { g: 1.0, by: [0.0; 4] }
    }
}

impl Trend {
    #[inline(always)]
    fn add(&mut self, g: Real) {
        let first = g - self.g;
        let second = first - self.by[0];
        let third = second - self.by[1];
        *self = Self { g, by: [first, second, third, third - self.by[2]] };
    }

    /// g of the coming step: by the cubic if it would have foretold the last one better than the line.
    #[inline(always)]
    fn next(&self) -> Real {
        let line = self.g + self.by[0];
        if self.by[3].abs() < self.by[1].abs() { line + (self.by[1] + self.by[2]) } else { line }
    }
}

/// Coefficients of a power series: of 1, x, x^2, ...
type Series = [Real; TERMS];

/// Terms of a series; a step takes three, four or all.
const TERMS: usize = 6;

/// 1/k
const OVER: Series = [0.0, 1.0, 1.0 / 2.0, 1.0 / 3.0, 1.0 / 4.0, 1.0 / 5.0];

/// Of a value, the rest yet to be found.
#[inline(always)]
fn first(value: Real) -> Series {
    [value, 0.0, 0.0, 0.0, 0.0, 0.0]
}

/// Sum over 0 < j <= k of `a_(k-j) b_j`.
#[inline(always)]
fn product(a: &Series, b: &Series, k: usize) -> Real {
    let (mut sum, mut j) = (a[k - 1] * b[1], 2);
    while j <= k {
        sum += a[k - j] * b[j];
        j += 1;
    }
    sum
}

/// The value at a place: all terms, or the first four.
#[inline(always)]
fn value(&[a, b, c, d, e, f]: &Series, all: bool, x: Real) -> Real {
    let rest = if all { d + x * (e + x * f) } else { d };
    a + x * (b + x * (c + x * rest))
}

/// How a series rises there: of all terms, or the first four.
#[inline(always)]
fn slope(&[_, b, c, d, e, f]: &Series, all: bool, x: Real) -> Real {
    let rest = if all { 3.0 * d + x * (4.0 * e + x * (5.0 * f)) } else { 3.0 * d };
    b + x * (2.0 * c + x * rest)
}

/// The steady curve at a velocity: zs, m, and what of that falls with the speed, m.
#[derive(Clone, Copy)]
struct Steady {
    zs: Real,
    fall: Real,
}

/// What a solve needs of the bodies and bristles alone; the same for as long as neither changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Eased {
    /// Lam for which it was made, m/(N s); not a number: for none.
    pub lam: Real,
    /// 1/(1 + Lam sigma2)
    ease: Real,
    /// B of [quick.1], and 1/(1 + B)
    b: Real,
    stick: Real,
    /// Change of the rate that the force feels as a newton.
    yields: Real,
}

impl Default for Eased {
    fn default() -> Self {
        Self { lam: Real::NAN, ease: 1.0, b: 0.0, stick: 1.0, yields: 0.0 }
    }
}

/// A solve, what it does to the bristles, and dF/dv there, N s/m.
type Found = (Solved, Change, Real);

/// One solve, seen along the motion.
struct Task {
    side: Real,
    z0: Real,
    /// A, m/s
    apart: Real,
    /// Lam/(1 + Lam sigma2), m/(N s)
    lam: Real,
    /// Error of the rate as a part of the velocity, and per newton of the force, at which it is done.
    tolerance: Real,
    yields: Real,
}

/// H about the start, whose root is sought.
trait Curved {
    /// Finds the coefficient of x^k; those below are known.
    fn find(&mut self, k: usize);
    fn h(&self) -> &Series;
    /// Finds those that every step takes.
    #[inline(always)]
    fn find_first(&mut self) {
        self.find(1);
        self.find(2);
    }
}

/// A step towards the root.
struct Step {
    d: Real,
    by: Real,
    /// It took all terms.
    all: bool,
    /// What is left is small enough.
    last: bool,
}

impl Step {
    /// Of H with its first three coefficients; `bent` is 1/L, `steep` how much its higher ones may exceed that, `error` what may
    /// be left.
    #[inline(always)]
    fn new(curved: &mut impl Curved, bent: Real, steep: Real, error: Real) -> Self {
        let [h0, h1, h2, ..] = *curved.h();
        let per = 1.0 / h1;
        let d = -h0 * per;
        let share = d * per;
        let (p, far) = (h2 * share, (d * bent).abs());
        if d.abs() * (10.0 * p.abs() * p * p + steep * (far * far)) <= 0.5 * error {
            return Self { d, by: d + d * (2.0 * p * p - p), all: false, last: true };
        }
        curved.find(3);
        let r = curved.h()[3] * (d * share);
        let by = d + d * ((2.0 * p * p - r) - p); // [quick.3]
        let square = p * p + r.abs();
        let left = 10.0 * p.abs() * square + steep * (far * far * far);
        if d.abs() * left <= 0.5 * error {
            return Self { d, by, all: false, last: true };
        }
        curved.find(4);
        curved.find(5);
        let by = by - value(curved.h(), true, by) * (per * (1.0 - 2.0 * p)); // [quick.4]
        let left = 16.0 * square * left + steep * (far * far * (far * far * far));
        Self { d, by, all: true, last: d.abs() * left <= 0.5 * error }
    }
}

/// Below steady sliding: everything as a function of y, with w' = -b and zeta' = a.
struct Mixed {
    w: Real,
    a: Real,
    b: Real,
    /// 2 b/vs^2
    rate: Real,
    zs: Real,
    /// 1/(zs - z_ba)
    span: Real,
    /// y - w, and what y adds to it.
    slip: Real,
    open: Real,
    /// w zeta, which has no term of x^3.
    held: [Real; 3],
    alpha: Real,
    /// What of zs falls with the speed; the way from breakaway to sliding, and k times that as a half turn; half the sine and
    /// cosine of it: alpha by [friction.4] is such a sine, and one half.
    fall: Series,
    t: Series,
    turn: Series,
    sin: Series,
    cos: Series,
    h: Series,
}

impl Mixed {
    /// dy/dw along the law at the root: -H_w/H_y of [quick.2] as a function of both.
    #[inline(always)]
    fn rising(&self, step: &Step, w: Real, y: Real, zeta: Real, law: &Bristle) -> Real {
        let at = |series: &Series| value(series, step.all, step.by);
        let fall = at(&self.fall);
        let (zs, alpha) = (self.zs + (fall - self.fall[0]), 0.5 + at(&self.sin));
        let span = 1.0 / (zs - law.breakaway);
        let swell = w * zeta * PI * at(&self.cos) * span; // w zeta dalpha/dzeta
        let falls = -2.0 * law.curve.rate * w * fall; // dzs/dw
        let by_w = falls * (y - w) - zs + alpha * zeta - swell * falls * (zeta - law.breakaway) * span;
        -by_w / (zs + self.a * (w * alpha + swell))
    }
}

impl Curved for Mixed {
    #[inline(always)]
    fn find(&mut self, k: usize) {
        let slower = if k > 1 { self.b * self.fall[k - 2] } else { 0.0 };
        self.fall[k] = (self.rate * OVER[k]) * (self.w * self.fall[k - 1] - slower);
        let more = if k == 1 { self.a } else { 0.0 };
        self.t[k] = (more - product(&self.t, &self.fall, k)) * self.span;
        self.turn[k] = PI * k as Real * self.t[k];
        self.sin[k] = OVER[k] * product(&self.cos, &self.turn, k);
        self.cos[k] = -OVER[k] * product(&self.sin, &self.turn, k);
        let (steady, alpha) = if k == 1 { (self.zs, self.alpha) } else { (self.fall[k - 1], self.sin[k - 1]) };
        let mut held = self.held[0] * self.sin[k] + self.held[1] * alpha;
        if k > 1 {
            held += self.held[2] * if k == 2 { self.alpha } else { self.sin[k - 2] };
        }
        self.h[k] = (self.fall[k] * self.slip + steady * self.open) + held;
    }

    #[inline(always)]
    fn h(&self) -> &Series {
        &self.h
    }
}

/// Beyond steady sliding: everything as a function of w. y = n/m by [bristle.2], the damping k by [friction.5].
struct Over {
    w: Real,
    /// 2/vs^2
    rate: Real,
    /// 1/m, and 1/(4 g + sigma1 w)
    per: Real,
    per_k: Real,
    a: Real,
    sigma0: Real,
    sigma1: Real,
    lam: Real,
    /// zs - z0
    short: Real,
    fall: Series,
    /// Of m, and of 4 g + sigma1 w; not the coefficients of 1.
    m: Series,
    g: Series,
    y: Series,
    k: Series,
    h: Series,
}

impl Curved for Over {
    #[inline(always)]
    fn find(&mut self, k: usize) {
        let slower = if k > 1 { self.fall[k - 2] } else { 0.0 };
        let fall = -(self.rate * OVER[k]) * (self.w * self.fall[k - 1] + slower);
        self.fall[k] = fall;
        let (first, once) = if k == 1 { (self.short, 1.0) } else { (self.fall[k - 1], 0.0) };
        self.m[k] = fall + once * self.a;
        self.y[k] = (first + self.w * fall - product(&self.y, &self.m, k)) * self.per;
        let g = 4.0 * self.sigma0 * fall;
        self.g[k] = g + once * self.sigma1;
        self.k[k] = (g * self.sigma1 - product(&self.k, &self.g, k)) * self.per_k;
        let damped = self.k[0] * self.y[k] + product(&self.y, &self.k, k);
        self.h[k] = once + self.lam * (self.sigma0 * self.a * self.y[k] + damped);
    }

    #[inline(always)]
    fn h(&self) -> &Series {
        &self.h
    }
}

/// The same arithmetic in instructions that name where they write: a quarter fewer of them.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn try_quick_avx2(law: &mut Bristle, v0: Real, lam: Real) -> Option<Found> {
    law.quick(v0, lam, TOGETHER, || {})
}

impl Bristle {
    #[cold]
    fn ease(&mut self, lam: Real) {
        let ease = 1.0 / (1.0 + lam * self.viscous.sigma2);
        let stiff = self.sigma0 * self.half + self.sigma1;
        let b = lam * stiff * ease;
        self.eased = Eased { lam, ease, b, stick: 1.0 / (1.0 + b), yields: 1.0 / stiff };
    }

    #[inline(always)]
    fn steady(&self, w: Real) -> Steady {
        let x = w * w * self.curve.rate;
        let fall = if x > FAST { 0.0 } else { (self.curve.drop * self.inverse) * fast::exp_neg(x) };
        Steady { zs: (self.curve.coulomb + LEAST) * self.inverse + fall, fall }
    }

    /// Notes what a step did, for the start of the next.
    #[inline(always)]
    pub(super) fn expect(&mut self, v: Real, change: Change) {
        let Eased { b, stick, .. } = self.eased;
        self.trend.add(if change.rate == v { stick } else { change.rate / (v + b * change.rate) });
    }

    /// [`Bristle::quick`] of one contact among several, by the build for this processor.
    #[inline]
    pub(super) fn try_quick(&mut self, v0: Real, lam: Real, path: Path) -> Option<Found> {
        match path {
            // SAFETY: these paths are only made by `Path::all` after the CPU said what it has; AVX-512F comes with AVX2.
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 | Path::Avx512 => unsafe { try_quick_avx2(self, v0, lam) },
            _ => self.quick_together(v0, lam),
        }
    }

    #[cfg_attr(not(target_arch = "x86_64"), inline(never))]
    fn quick_together(&mut self, v0: Real, lam: Real) -> Option<Found> {
        if cfg!(target_arch = "wasm32") {
            self.quick_once(v0, lam, TOGETHER, &mut || {})
        } else {
            self.quick(v0, lam, TOGETHER, || {})
        }
    }

    /// The same for a contact alone. `beside` is called where it would wait for the exponential.
    #[inline(always)]
    pub(super) fn quick_alone(&mut self, v0: Real, lam: Real, beside: impl FnMut()) -> Option<Found> {
        if cfg!(target_arch = "wasm32") {
            let mut beside = beside;
            self.quick_once(v0, lam, ALONE, &mut beside)
        } else {
            self.quick(v0, lam, ALONE, beside)
        }
    }

    /// One for all, where the engine must be small.
    #[inline(never)]
    fn quick_once(&mut self, v0: Real, lam: Real, tolerances: (Real, Real), beside: &mut dyn FnMut()) -> Option<Found> {
        self.quick(v0, lam, tolerances, beside)
    }

    /// The root that continues the last motion, if this is a common case.
    #[inline(always)]
    fn quick(
        &mut self,
        v0: Real,
        lam: Real,
        (tolerance, accuracy): (Real, Real),
        mut beside: impl FnMut(),
    ) -> Option<Found> {
        if self.eased.lam != lam {
            self.ease(lam);
        }
        let (a, Eased { ease, b, stick, yields, .. }) = (self.half, self.eased);
        let yields = yields * accuracy;
        let g = self.trend.next();
        let open = 1.0 - b * g;
        if !(self.plain && b <= YIELDING) {
            return None;
        }
        let apart = v0 * ease - (lam * ease) * self.held();
        let side = side(apart);
        let (apart, z0) = (apart.abs(), self.z * side);
        let stuck = apart * stick;
        if z0 + a * stuck <= self.breakaway {
            return Some(self.found(stuck, stuck, self.sigma1, side, 1, self.stretching()));
        }
        if !(open > 0.0 && open < 2.0) {
            return None;
        }
        let mut w = apart * open;
        let mut at = self.steady(w);
        beside();
        if a * w > at.zs {
            return None;
        }
        if z0 >= at.zs {
            return self.shortening(Task { side, z0, apart, lam: lam * ease, tolerance, yields }, w, at);
        }
        let (mut y, mut rounds) = (g * apart, 1);
        loop {
            let Steady { zs, fall, .. } = at;
            let span = 1.0 / (zs - self.breakaway);
            let zeta = z0 + a * y;
            let t = (zeta - self.breakaway) * span;
            let near = t.clamp(-BESIDE, 1.0 + BESIDE);
            let (sin, cos) = fast::sin_cos_pi(near - 0.5);
            let (slip, held, alpha) = (y - w, [w * zeta, a * w - b * zeta, -a * b], 0.5 + 0.5 * sin);
            let mut mixed = Mixed {
                w,
                a,
                b,
                rate: 2.0 * self.curve.rate * b,
                zs,
                span,
                slip,
                open: 1.0 + b,
                held,
                alpha,
                fall: first(fall),
                t: first(t),
                turn: first(0.0),
                sin: first(0.5 * sin),
                cos: first(0.5 * cos),
                h: first(zs * slip + held[0] * alpha), // [quick.2]
            };
            mixed.find_first();
            let bent = (b * self.per_stribeck).max(mixed.t[1].abs()) * (1.0 / BENT);
            let force = self.sigma0 * zeta + self.sigma1 * y + self.viscous.sigma2 * w;
            let steep = 1.0 + w * mixed.t[1].abs();
            let step = Step::new(&mut mixed, bent, steep, (tolerance * w).min(force.abs() * yields));
            y += step.by;
            let end = apart - b * y; // [quick.1]
            if step.last && near == t {
                if !(z0 + a * y >= self.breakaway && z0 < zs + mixed.fall[1] * step.by) {
                    return None;
                }
                // Next to breakaway y may be too much by what was left: it is w there.
                if y > end {
                    return Some(self.found(stuck, stuck, self.sigma1, side, rounds, self.stretching()));
                }
                let rising = mixed.rising(&step, end, y, z0 + a * y, self);
                let slope = (self.sigma0 * a + self.sigma1) * rising + self.viscous.sigma2;
                return Some(self.found(end, y, self.sigma1, side, rounds, slope));
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
    #[inline(always)]
    fn shortening(&self, task: Task, mut w: Real, mut at: Steady) -> Option<Found> {
        let Task { side, z0, apart, lam, tolerance, yields } = task;
        let (a, sigma1) = (self.half, self.sigma1);
        let mut rounds = 1;
        loop {
            let Steady { zs, fall } = at;
            let g = self.sigma0 * zs;
            let per = 1.0 / (zs + a * w);
            let per_k = 1.0 / (4.0 * g + sigma1 * w);
            let (y, k) = (w * (zs - z0) * per, 4.0 * g * sigma1 * per_k); // [bristle.2], [friction.5]
            let mut over = Over {
                w,
                rate: 2.0 * self.curve.rate,
                per,
                per_k,
                a,
                sigma0: self.sigma0,
                sigma1,
                lam,
                short: zs - z0,
                fall: first(fall),
                m: first(0.0),
                g: first(0.0),
                y: first(y),
                k: first(k),
                h: first(w - apart + lam * (self.sigma0 * a + k) * y),
            };
            over.find_first();
            let bent = self.per_stribeck.max(a * per).max(sigma1 * per_k) * (1.0 / BENT);
            let force = self.sigma0 * (z0 + a * y) + k * y + self.viscous.sigma2 * w;
            let step = Step::new(&mut over, bent, 1.0, (tolerance * w).min(force.abs() * yields));
            let end = w + step.by;
            let rises = over.h[1] > 0.5;
            if rises && step.last {
                if !(z0 >= zs + over.fall[1] * step.by && end > 0.0) {
                    return None;
                }
                let rate = value(&over.y, step.all, step.by);
                let damping = value(&over.k, step.all, step.by);
                // What was left is the law's: the velocity is that at which bodies and contact agree.
                let end = apart - lam * (self.sigma0 * a + damping) * rate;
                let [rising, more] = [&over.y, &over.k].map(|series| slope(series, step.all, step.by));
                let slope = (self.sigma0 * a + damping) * rising + more * rate + self.viscous.sigma2;
                return Some(self.found(end, rate, damping, side, rounds, slope));
            }
            if rounds == MOST || !(end > 0.0 && rises && step.d.abs() * bent < 1.0) {
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

    /// What bristles hold at the start of the step, with the surface's part, N.
    #[inline(always)]
    fn held(&self) -> Real {
        self.sigma0 * self.z + self.noise
    }

    /// dF/dw where bristles only stretch, N s/m.
    fn stretching(&self) -> Real {
        self.sigma0 * self.half + self.sigma1 + self.viscous.sigma2
    }

    #[inline(always)]
    fn found(&self, w: Real, y: Real, damping: Real, side: Real, evaluations: u32, slope: Real) -> Found {
        let (v, rate) = (w * side, y * side);
        let zeta = self.z + self.half * rate;
        let force = self.held() + ((self.sigma0 * self.half + damping) * rate + self.viscous.sigma2 * v);
        let solved = Solved { v, force, evaluations, converged: true };
        (solved, Change { rate, next: zeta + 2.0 * self.half * rate }, slope)
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
            let (m, k) = (rng.between_log(2e-4, 0.1), rng.between_log(1e2, 1e6));
            let (bow, lam) = (rng.between_log(0.01, 1.0), 0.5 * DT / m);
            let (mut x, mut u, mut last) = (0.0, 0.0, bow);
            for _ in 0..500 {
                b.prepare(DT);
                let v0 = bow - (u - 0.5 * DT * k * x / m);
                let (sure, sure_change) = b.resolve(v0, lam, last);
                let (found, change, _) = b.try_quick(v0, lam, Path::Baseline).unwrap_or((sure, sure_change, 0.0));
                steps += 1;
                quick += u32::from(b.try_quick(v0, lam, Path::Baseline).is_some());
                evaluations += found.evaluations;
                let size = v0.abs() + lam * sure.force.abs();
                if let Some((together, _, rises)) = b.try_quick(v0, lam, Path::Baseline) {
                    let slope = b.at(together.v, together.v, None).slope;
                    assert!(
                        (rises - slope).abs() <= 1e-6 * (slope.abs() + b.sigma1),
                        "{together:?} {rises} {slope} {b:?}"
                    );
                }
                if let Some((alone, change, _)) = b.quick_alone(v0, lam, || {}) {
                    assert!((alone.v - sure.v).abs() <= 2.0 * ALONE.0 * size, "{alone:?} {sure:?} {b:?}");
                    let close = 2.0 * ALONE.1 * sure.force.abs() + 1e-15 * size / lam;
                    assert!((alone.force - sure.force).abs() <= close, "{alone:?} {sure:?} {b:?}");
                    // What the bodies feel and what the contact does are one, and nothing is gained.
                    assert!((alone.v - (v0 - lam * alone.force)).abs() <= 1e-14 * size, "{alone:?} {b:?}");
                    let stored = b.sigma0 * (b.z + b.half * change.rate) * change.rate;
                    assert!(alone.force * alone.v >= stored - 1e-15 * size * sure.force.abs(), "{alone:?} {b:?}");
                }
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
