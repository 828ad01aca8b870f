// SPDX-License-Identifier: MIT OR Apache-2.0
//! Impact: two things that push when they touch.
//!
//! **What.** An elastic force that grows as a power of the compression, with losses: Hunt-Crossley's, proportional to
//! the speed of compression, or Stulov's felt, which remembers how it was squeezed. Never adhesive.
//!
//! **Law.** x compression, v = x', `[x]` = max(x, 0):
//! - `[impact.1]  f = k [x]^a (1 + mu v)`, clipped at 0 (000 (8.11); C11: with a moving partner v < -1/mu does occur)
//! - `[impact.2]  f = k [x]^a + mu k [x]^b v`, clipped at 0, with a viscous exponent b of its own (H16: extended Hertz)
//! - `[impact.3]  f = k xi^a - k eps w`, `tau w' = xi^a - w`, xi = max(x, (eps w)^(1/a)): felt (000 (8.9), (8.10) with
//!   C9: the factor k, delta - h_r). xi is the place of the felt's own surface: where the partner withdraws faster than
//!   the felt recovers, the force is zero and the felt relaxes by itself. (The paper lets the memory follow the partner
//!   through the air; the clipped law is then active, and a second touch would meet felt that is not there.)
//!
//! **Symbols.** k `stiffness` N/m^a; a `exponent`; mu `dissipation_s_m` s/m; b `viscous_exponent`;
//! eps `hysteresis_01`; tau `relaxation_s` s; w felt memory m^a; `V(x) = k [x]^(a+1)/(a+1)` stored energy J.
//!
//! **Step.** In stroke form (physics.md D.3): with X_a the mean of `[x]^a` over the stroke s,
//! `[impact.4]  F(s) = max(0, k X_a + mu k X_b s/dt)`. Since k X_a s = V(x+s) - V(x) exactly, the energy that
//! bodies and contact exchange balances to rounding and what is missing is the loss, mu k X_b s^2/dt >= 0: passive for
//! every step, stiffness and rate. F is nondecreasing and convex in s (a >= 1), so the contact equation has one root.
//! Felt: half a relaxation of w before the stroke and half after (H4), and F s = U(x+s) - U(x) with the stored energy
//! `[impact.5]  U = k G(xi) + k eps (G*(w) - w xi)`, G(x) = x^(a+1)/(a+1), G* its convex conjugate: by Fenchel and
//! Young never negative; xi minimises it, and relaxing w towards xi^a lowers it, so every part of the step is passive.
//!
//! **Sources.** Hunt and Crossley 1975 and Marhefka and Orin 1999 as in 000 section 8.3.1 and 003 (5.4); Stulov 1995 as
//! in 000 (8.9); 002 section 2.1.1; physics.md D.3, H2, H4, H16.

use super::{Force, Interactor, Solution, Stroke, newton};
use crate::math::{Real, exp, expm1, ln, ln_1p, pow};
use crate::param::{Law, Spec, Tunable};

crate::params! {
    /// Parameters of an impact contact.
    pub struct ImpactParams {
        stiffness: "N/m^exponent", 1.0 => 1e25, default 1e8, Log, Sample, glide 0.02, "Contact stiffness k.";
        exponent: "1", 1.0 => 5.0, default 1.5, Linear, Sample, glide 0.02, "Exponent of the compression: 1.5 for two spheres (Hertz), 1.5 to 3.5 for felt.";
        dissipation_s_m: "s/m", 0.0 => 1e3, default 0.0, Linear, Sample, glide 0.02, "mu = lambda/k: larger means a deader rebound.";
        hysteresis_01: "1", 0.0 => 0.999, default 0.0, Linear, Sample, glide 0.02, "Stulov felt: share of the stiffness that relaxes.";
        relaxation_s: "s", 1e-7 => 10.0, default 1e-4, Log, Sample, glide 0.02, "Stulov felt: time of the relaxation.";
    }
}

/// Impact force laws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImpactLaw {
    /// k x^a (1 + mu v), never adhesive.
    #[default]
    HuntCrossley,
    /// k x^a.
    Power,
    /// k x (1 + mu v), mu zero unless given.
    Linear,
    /// Felt with relaxation.
    Stulov,
}

impl ImpactLaw {
    /// True if its force is k x^a (1 + mu v): then the theory of a mass on a wall holds.
    pub const fn is_power_spring(self) -> bool {
        match self {
            Self::HuntCrossley | Self::Power | Self::Linear => true,
            Self::Stulov => false,
        }
    }
}

const LOSSLESS: Law = Law {
    lacks: &["viscous_exponent"],
    fixes: &[("dissipation_s_m", 0.0)],
    why: "has no viscous loss; choose law = \"hunt-crossley\"",
    ..Law::new("power", "power")
};

crate::laws!(ImpactLaw {
    HuntCrossley = Law::new("hunt-crossley", "hunt-crossley"),
    Power = LOSSLESS,
    Linear = Law {
        fixes: &[("exponent", 1.0)],
        why: "has exponent 1; leave it out or choose another law",
        ..Law::new("linear", "linear")
    },
    Stulov = Law { word: "stulov", title: "stulov felt", own: &["hysteresis_01", "relaxation_s"], ..LOSSLESS },
});

/// A power of the compression, with closed forms for the exponents people use: a general `pow` costs ten times more.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Power {
    /// x^1.5, Hertz: by far the most used
    Hertz,
    /// x^n
    Whole(u32),
    /// x^(n/2), n odd
    Half(u32),
    /// x^a
    Any(Real),
}

impl Power {
    fn new(a: Real) -> Self {
        let twice = 2.0 * a;
        if twice == 3.0 {
            Power::Hertz
        } else if (1.0..=10.0).contains(&twice) && twice == twice.trunc() {
            let n = twice as u32;
            if n.is_multiple_of(2) { Power::Whole(n / 2) } else { Power::Half(n) }
        } else {
            Power::Any(a)
        }
    }

    fn exponent(self) -> Real {
        match self {
            Power::Hertz => 1.5,
            Power::Whole(n) => n as Real,
            Power::Half(n) => 0.5 * n as Real,
            Power::Any(a) => a,
        }
    }

    /// [x]^a
    fn of(self, x: Real) -> Real {
        if x <= 0.0 {
            return 0.0;
        }
        match self {
            Power::Hertz => x * x.sqrt(),
            Power::Whole(n) => whole(x, n),
            Power::Half(n) => whole(x.sqrt(), n),
            Power::Any(a) => pow(x, a),
        }
    }

    /// Mean of [x]^a over the stroke from x to y = x + s, its derivative by s, and [y]^a; `start` is [x]^a if known.
    #[inline]
    fn mean(self, x: Real, s: Real, start: Option<Real>) -> (Real, Real, Real) {
        let y = x + s;
        let a = self.exponent();
        if y <= 0.0 && x <= 0.0 {
            return (0.0, 0.0, 0.0);
        }
        if x <= 0.0 {
            let end = self.of(y);
            let mean = end * y / ((a + 1.0) * s);
            return (mean, (end - mean) / s, end);
        }
        if y <= 0.0 {
            let mean = -self.of(x) * x / ((a + 1.0) * s);
            return (mean, -mean / s, 0.0);
        }
        if self == Power::Hertz {
            return hertz_mean(x, y, x.sqrt());
        }
        let r = s / x;
        let (mean, end) = match self {
            Power::Hertz => (0.0, 0.0),
            // Divided difference of a whole power: sum of y^(n-i) x^i, no cancellation.
            Power::Whole(n) => (divided(y, x, n) / (a + 1.0), whole(y, n)),
            Power::Half(n) => {
                let (u, w) = (x.sqrt(), y.sqrt());
                (divided(w, u, n + 1) / ((w + u) * (a + 1.0)), whole(w, n))
            }
            // y^(a+1) = x^(a+1) (1 + grown): one logarithm and one exponential, no cancellation; beyond r = 1e3 the plain
            // difference has none either, and x may be next to nothing.
            Power::Any(a) if r > 1e3 => {
                let end = self.of(y);
                ((end * y - start.unwrap_or_else(|| self.of(x)) * x) / ((a + 1.0) * s), end)
            }
            Power::Any(a) => {
                let grown = expm1((a + 1.0) * ln_1p(r));
                let start = start.unwrap_or_else(|| self.of(x));
                (start * grown / ((a + 1.0) * r), start * (1.0 + grown) / (1.0 + r))
            }
        };
        let slope = if r.abs() > 1e-6 { (end - mean) / s } else { 0.5 * a * end / y };
        (mean, slope, end)
    }
}

/// [`Power::mean`] of x^1.5 for x, y > 0, given u = sqrt x. With w = sqrt y the mean is (w^5 - u^5)/(w^2 - u^2)/2.5, the
/// common factor taken out, and its derivative likewise: no cancellation, and two divisions that need not wait for each
/// other.
#[inline(always)]
fn hertz_mean(x: Real, y: Real, u: Real) -> (Real, Real, Real) {
    let w = y.sqrt();
    let (sum, roots) = (x * (x + y) + y * y + u * w * (x + y), w + u);
    let rise = (2.0 * w * (x + 2.0 * y) + u * (x + 3.0 * y)) * roots - sum;
    (0.4 * sum / roots, 0.2 * rise / (w * roots * roots), y * w)
}

fn whole(x: Real, n: u32) -> Real {
    (0..n).fold(1.0, |power, _| power * x)
}

/// (y^(n+1) - x^(n+1)) / (y - x) as a sum of positive terms.
fn divided(y: Real, x: Real, n: u32) -> Real {
    let (mut sum, mut power) = (1.0, 1.0);
    for _ in 0..n {
        power *= x;
        sum = sum * y + power;
    }
    sum
}

/// The impact laws as one: a power spring with viscous and relaxing losses.
pub struct Impact {
    params: ImpactParams,
    law: ImpactLaw,
    viscous_exponent: Option<Real>,
    elastic: Power,
    /// `None`: the elastic power.
    viscous: Option<Power>,
    /// mu k, N s/m^(b+1)
    loss: Real,
    /// k eps
    relaxing: Real,
    felt: Real,
    /// (eps w)^(1/a), m: where the felt's surface stands when nothing holds it down.
    surface: Real,
    /// Compression at the start of the step and its elastic power: the one expensive part of a general exponent.
    start: (Real, Real),
}

impl Impact {
    /// A law with its parameters. `[control]`
    pub fn new(law: ImpactLaw, params: ImpactParams, viscous_exponent: Option<Real>) -> Self {
        let mut impact = Self {
            params,
            law,
            viscous_exponent,
            elastic: Power::Whole(1),
            viscous: None,
            loss: 0.0,
            relaxing: 0.0,
            felt: 0.0,
            surface: 0.0,
            start: (0.0, 0.0),
        };
        impact.refresh();
        impact
    }

    fn refresh(&mut self) {
        let p = &mut self.params;
        if self.law == ImpactLaw::Linear {
            p.exponent = 1.0;
        }
        self.elastic = Power::new(p.exponent);
        self.viscous = self.viscous_exponent.filter(|b| *b != p.exponent).map(Power::new);
        let viscous = matches!(self.law, ImpactLaw::HuntCrossley | ImpactLaw::Linear);
        self.loss = if viscous { p.dissipation_s_m * p.stiffness } else { 0.0 };
        self.relaxing = if self.law == ImpactLaw::Stulov { p.hysteresis_01 * p.stiffness } else { 0.0 };
    }

    /// The felt's memory over a time with the partner held at x. [impact.3]
    fn relax(&mut self, x: Real, dt: Real) {
        let p = &self.params;
        let (eps, target) = (p.hysteresis_01, self.elastic.of(x));
        let mut held = dt;
        if x < self.surface {
            // Alone until the surface is back at the partner, at eps w = x^a; only then held again.
            let rate = (1.0 - eps) / p.relaxation_s;
            let back = if target > 0.0 { ln(eps * self.felt / target) / rate } else { Real::INFINITY };
            let alone = dt.min(back.max(0.0));
            self.felt *= exp(-rate * alone);
            held = dt - alone;
        }
        if held > 0.0 {
            self.felt = target + (self.felt - target) * exp(-held / p.relaxation_s);
        }
        self.surface = pow(p.hysteresis_01 * self.felt, 1.0 / self.elastic.exponent());
    }

    /// Force of the felt over a stroke: the mean over the part of it that holds the surface down.
    fn felt_force(&self, x: Real, s: Real) -> Force {
        let (y, k, a) = (x + s, self.params.stiffness, self.elastic.exponent());
        if x <= self.surface && y <= self.surface {
            return Force::NONE;
        }
        let back = self.relaxing * self.felt;
        let (n, per_m) = if s == 0.0 {
            let power = self.elastic.of(x);
            (k * power - back, 0.5 * k * a * power / x)
        } else if x >= self.surface && y >= self.surface {
            let (mean, slope, _) = self.elastic.mean(x, s, None);
            (k * mean - back, k * slope)
        } else {
            let (low, high) = (x.max(self.surface), y.max(self.surface));
            let (mean, _, end) = self.elastic.mean(low, high - low, None);
            let n = (k * mean - back) * ((high - low) / s);
            (n, if y > self.surface { (k * end - back - n) / s } else { -n / s })
        };
        Force { n: n.max(0.0), per_m: per_m.max(0.0) }
    }
}

impl Tunable for Impact {
    fn specs(&self) -> &'static [Spec] {
        ImpactParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.read(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.write(index, value);
        self.start = (0.0, 0.0);
        self.refresh();
    }
}

impl Interactor for Impact {
    fn prepare(&mut self, from: Real, dt: Real) {
        if self.relaxing > 0.0 {
            self.relax(from, 0.5 * dt);
        }
        self.start = (from, self.elastic.of(from));
    }

    #[inline]
    fn force(&self, stroke: Stroke) -> Force {
        let Stroke { from, by, dt } = stroke;
        let k = self.params.stiffness;
        if self.relaxing > 0.0 {
            return self.felt_force(from, by);
        }
        if by == 0.0 {
            let power = self.elastic.of(from);
            let slope = if from > 0.0 { 0.5 * k * self.elastic.exponent() * power / from } else { 0.0 };
            let viscous =
                if self.loss > 0.0 { self.loss / dt * self.viscous.unwrap_or(self.elastic).of(from) } else { 0.0 };
            let n = k * power;
            return if n > 0.0 { Force { n, per_m: slope + viscous } } else { Force::NONE };
        }
        let start = if from == self.start.0 { Some(self.start.1) } else { None };
        let (mean, slope, end) = self.elastic.mean(from, by, start);
        let (mut n, mut per_m) = (k * mean, k * slope); // [impact.4]
        if self.loss > 0.0 {
            let (mean_b, end_b) = match self.viscous {
                None => (mean, end), // [impact.1]
                Some(power) => {
                    // [impact.2]
                    let (mean_b, _, end_b) = power.mean(from, by, None);
                    (mean_b, end_b)
                }
            };
            let rate = self.loss / dt;
            n += rate * mean_b * by;
            per_m += rate * end_b;
        }
        if n > 0.0 { Force { n, per_m } } else { Force::NONE }
    }

    fn resolve(&self, from: Real, s0: Real, compliance: Real, dt: Real, guess: Real) -> Solution {
        let general = |by| self.force(Stroke { from, by, dt });
        let ceiling = || self.ceiling(from, s0, compliance);
        if from <= 0.0 || self.elastic != Power::Hertz || self.viscous.is_some() || self.relaxing > 0.0 {
            return newton(general, ceiling, from, s0, compliance, guess);
        }
        // The most frequent solve of all, without the cases that cannot occur in it.
        let (k, rate, u) = (self.params.stiffness, self.loss / dt, from.sqrt());
        let hertz = |by: Real| {
            let y = from + by;
            if y <= 0.0 {
                return general(by);
            }
            let (mean, slope, end) = hertz_mean(from, y, u);
            let n = k * mean + rate * mean * by;
            let per_m = k * slope + rate * end;
            if n > 0.0 { Force { n, per_m } } else { Force::NONE }
        };
        newton(hertz, ceiling, from, s0, compliance, guess)
    }

    fn ceiling(&self, from: Real, s0: Real, compliance: Real) -> Real {
        // Without losses the elastic work cannot exceed what the approach brings (physics.md D.4, "better start").
        let a1 = self.elastic.exponent() + 1.0;
        let k = self.params.stiffness;
        if s0 <= 0.0 || self.relaxing > 0.0 {
            s0
        } else if from <= 0.0 {
            let reach = pow(a1 * s0 * (from + s0) / (compliance * k), 1.0 / a1);
            s0.min(reach - from)
        } else {
            let stored = self.elastic.of(from) * from + a1 / k * s0 * s0 / (4.0 * compliance);
            s0.min(pow(stored, 1.0 / a1) - from)
        }
    }

    fn commit(&mut self, stroke: Stroke, _force_n: Real) {
        if self.relaxing > 0.0 {
            self.relax(stroke.from + stroke.by, 0.5 * stroke.dt);
        }
    }

    fn energy(&self, from: Real) -> Real {
        let a = self.elastic.exponent();
        let xi = from.max(self.surface);
        let stored = self.params.stiffness * self.elastic.of(xi) * xi.max(0.0) / (a + 1.0);
        if self.relaxing == 0.0 {
            return stored;
        }
        let conjugate = a / (a + 1.0) * pow(self.felt, (a + 1.0) / a);
        stored + self.relaxing * (conjugate - self.felt * xi) // [impact.5]
    }

    fn speed_limit(&self, mass: Real, duration_s: Real) -> Real {
        // tau ~ 2.9 (m (a+1)/(2k))^(1/(a+1)) v^((1-a)/(a+1)), solved for v (physics.md D.5).
        let a = self.elastic.exponent();
        let slow = 2.9 * pow(mass * (a + 1.0) / (2.0 * self.params.stiffness), 1.0 / (a + 1.0));
        let ratio = slow / duration_s;
        if a == 1.0 {
            return if ratio >= 1.0 { Real::INFINITY } else { 0.0 };
        }
        pow(ratio, (a + 1.0) / (a - 1.0))
    }

    fn loss_s_m(&self) -> Real {
        self.loss / self.params.stiffness
    }

    fn is_rested(&self) -> bool {
        self.surface < 1e-12
    }

    fn reset(&mut self) {
        self.surface = 0.0;
        self.felt = 0.0;
    }
}
