// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hunt-Crossley's spring, and its special cases without loss (power) and with exponent 1 (linear).
//!
//! **What.** An elastic force that grows as a power of the compression, with a loss proportional to the speed of
//! compression. Never adhesive.
//!
//! **Law.** x compression, v = x', `[x]` = max(x, 0):
//! - `[impact.1]  f = k [x]^a (1 + mu v)`, clipped at 0 (Avanzini et al. 2003 (8.11); C11: with a moving partner v < -1/mu does occur)
//! - `[impact.2]  f = k [x]^a + c [x]^b v`, clipped at 0, with a viscous exponent b of its own (H16: extended Hertz) and
//!   c in its own unit; older scenes write c as mu k, where mu is no longer in s/m
//! - `[impact.7]  x_v = ((b+1) m v/c)^(1/(b+1))`: where that loss alone would stop the mass, after about x_v/v; the contact is as
//!   short as this where it is shorter than the elastic one
//!
//! **Symbols.** As in the parent file.
//!
//! **Step.** In stroke form (physics.md D.3): with X_a the mean of `[x]^a` over the stroke s,
//! `[impact.4]  F(s) = max(0, k X_a + mu k X_b s/dt)`. Since k X_a s = V(x+s) - V(x) exactly, the energy that
//! bodies and contact exchange balances to rounding and what is missing is the loss, mu k X_b s^2/dt >= 0: passive for
//! every step, stiffness and rate. F is nondecreasing and convex in s (a >= 1), so the contact equation has one root.
//!
//! **Sources.** Hunt and Crossley 1975 and Marhefka and Orin 1999 as in Avanzini et al. 2003 section 8.3.1 and Avanzini 2001 (5.4); De Sena et al. 2009 section
//! 2.1.1; physics.md D.3, H2, H16.

use super::power::{Power, hertz_mean};
use super::{ImpactLaw, ImpactParams};
use crate::interactor::{Force, Interactor, NormalLaw, Solution, Stroke, newton, newton_closed};
use crate::math::{Real, pow};
use crate::param::{LawSpec, Params, Spec, Tunable};
use crate::resonator::kernel::Path;

/// The spring with loss.
pub(super) const HUNT_CROSSLEY: LawSpec = LawSpec::new("hunt-crossley", "hunt-crossley");

/// The spring without loss.
pub(super) const POWER: LawSpec = LawSpec {
    lacks: &["viscous_exponent"],
    fixes: &[("dissipation_s_m", 0.0)],
    why: "has no viscous loss; choose law = \"hunt-crossley\"",
    ..LawSpec::new("power", "power")
};

/// The spring with exponent 1.
pub(super) const LINEAR: LawSpec = LawSpec {
    fixes: &[("exponent", 1.0)],
    why: "has exponent 1; leave it out or choose another law",
    ..LawSpec::new("linear", "linear")
};

/// A power spring with a viscous loss.
#[derive(Clone)]
pub(crate) struct Spring {
    pub(super) params: ImpactParams,
    law: ImpactLaw,
    viscous_exponent: Option<Real>,
    pub(super) elastic: Power,
    /// `None`: the elastic power.
    viscous: Option<Power>,
    /// c, or mu k, N s/m^(b+1)
    loss: Real,
    /// Compression at the start of the step and its elastic power: the one expensive part of a general exponent.
    start: (Real, Real),
    /// Which build of the most frequent solve it runs.
    path: Path,
}

impl Spring {
    /// The law says whether there is a loss and whether the exponent is free. `[control]`
    pub fn new(law: ImpactLaw, params: ImpactParams, viscous_exponent: Option<Real>) -> Self {
        let mut spring = Self {
            params,
            law,
            viscous_exponent,
            elastic: Power::Whole(1),
            viscous: None,
            loss: 0.0,
            start: (0.0, 0.0),
            path: Path::all().pop().unwrap_or(Path::Baseline),
        };
        spring.refresh();
        spring
    }

    /// [`Interactor::step`] where it is called.
    #[inline(always)]
    pub fn step_here(&mut self, from: Real, s0: Real, compliance: Real, dt: Real, guess: Real) -> Solution {
        if from <= 0.0 || self.elastic != Power::Hertz || self.viscous.is_some() {
            return self.step(from, s0, compliance, dt, guess, &mut || {});
        }
        resolve_hertz(self, from, s0, compliance, dt, guess)
    }

    fn refresh(&mut self) {
        let p = &mut self.params;
        if self.law == ImpactLaw::Linear {
            p.exponent = 1.0;
        }
        self.elastic = Power::new(fault!(EXPONENT, p.exponent, p.exponent + 0.1));
        let own = fault!(VISCOUS_EXPONENT, self.viscous_exponent, self.viscous_exponent.map(|b| b + 0.2));
        self.viscous = own.filter(|b| *b != p.exponent).map(Power::new);
        let viscous = matches!(self.law, ImpactLaw::HuntCrossley | ImpactLaw::Linear);
        self.loss = match (viscous, self.viscous_exponent) {
            (true, Some(_)) if p.viscous_loss > 0.0 => p.viscous_loss,
            (true, _) => fault!(LOSS_HALVED, p.dissipation_s_m * p.stiffness, times 0.5),
            (false, _) => 0.0,
        };
    }

    /// An upper bound of the solution that may be closer than the free stroke.
    fn ceiling(&self, from: Real, s0: Real, compliance: Real) -> Real {
        // Without losses the elastic work cannot exceed what the approach brings (physics.md D.4, "better start").
        let a1 = self.elastic.exponent() + 1.0;
        let k = self.params.stiffness;
        if s0 <= 0.0 {
            s0
        } else if from <= 0.0 {
            let reach = pow(a1 * s0 * (from + s0) / (compliance * k), 1.0 / a1);
            s0.min(reach - from)
        } else {
            let stored = self.elastic.of(from) * from + a1 / k * s0 * s0 / (4.0 * compliance);
            s0.min(pow(stored, 1.0 / a1) - from)
        }
    }
}

impl Tunable for Spring {
    fn specs(&self) -> &'static [Spec] {
        if self.viscous_exponent.is_some() { ImpactParams::SPECS } else { ImpactParams::WITHOUT_VISCOUS_LOSS }
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.put(index, value);
        self.start = (0.0, 0.0);
        self.refresh();
    }
}

#[inline(always)]
fn solve(law: &Spring, from: Real, s0: Real, compliance: Real, dt: Real, guess: Real) -> Solution {
    if from <= 0.0 || law.elastic != Power::Hertz || law.viscous.is_some() {
        let general = |by| law.force(Stroke { from, by, dt });
        return newton(general, || law.ceiling(from, s0, compliance), from, s0, compliance, guess);
    }
    match law.path {
        // SAFETY: these paths are only made by `Path::all` after the CPU said what it has; AVX-512F comes with AVX2.
        #[cfg(target_arch = "x86_64")]
        Path::Avx2 | Path::Avx512 => unsafe { resolve_hertz_avx2(law, from, s0, compliance, dt, guess) },
        _ => resolve_hertz(law, from, s0, compliance, dt, guess),
    }
}

/// The most frequent solve of all, without the cases that cannot occur in it.
#[inline(always)]
fn resolve_hertz(law: &Spring, from: Real, s0: Real, compliance: Real, dt: Real, guess: Real) -> Solution {
    let rate = fault!(LOSS_GIVES, law.loss / dt, -law.loss / dt);
    let (k, u) = (law.params.stiffness, from.sqrt());
    newton_closed(
        #[inline(always)]
        |by: Real| {
            let y = from + by;
            if y <= 0.0 {
                return law.force(Stroke { from, by, dt });
            }
            let (mean, slope, end) = hertz_mean(from, y, u);
            let n = k * mean + rate * mean * by;
            let per_m = k * slope + rate * end;
            if fault!(ADHESION, n > 0.0, n != 0.0) { Force { n, per_m } } else { Force::NONE }
        },
        || law.ceiling(from, s0, compliance),
        from,
        s0,
        compliance,
        guess,
    )
}

/// The same arithmetic in instructions that name where they write: fewer of them.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn resolve_hertz_avx2(law: &Spring, from: Real, s0: Real, compliance: Real, dt: Real, guess: Real) -> Solution {
    resolve_hertz(law, from, s0, compliance, dt, guess)
}

impl Interactor for Spring {
    fn prepare(&mut self, from: Real, _dt: Real) {
        self.start = (from, self.elastic.of(from));
    }

    #[inline(never)]
    fn force(&self, stroke: Stroke) -> Force {
        let Stroke { from, by, dt } = stroke;
        let k = self.params.stiffness;
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
            let rate = fault!(LOSS_GIVES, self.loss / dt, -self.loss / dt);
            n += rate * mean_b * by;
            per_m += rate * end_b;
        }
        if fault!(ADHESION, n > 0.0, n != 0.0) { Force { n, per_m } } else { Force::NONE }
    }

    fn resolve(&mut self, from: Real, s0: Real, compliance: Real, dt: Real, guess: Real) -> Solution {
        solve(self, from, s0, compliance, dt, guess)
    }

    fn step(
        &mut self,
        from: Real,
        s0: Real,
        compliance: Real,
        dt: Real,
        guess: Real,
        _beside: &mut dyn FnMut(),
    ) -> Solution {
        if self.elastic != Power::Hertz {
            self.prepare(from, dt);
        }
        solve(self, from, s0, compliance, dt, guess)
    }

    fn energy(&self, from: Real) -> Real {
        let (a, x) = (self.elastic.exponent(), from.max(0.0));
        self.params.stiffness * self.elastic.of(x) * x / (a + 1.0)
    }
}

/// Times x_v/v that the stop by a viscous loss takes to be over.
const STOPS: Real = 3.0;

/// Speed at which a contact lasts as long as is asked, if `ratio` is how much longer it lasts at 1 m/s.
fn speed_of(ratio: Real, exponent: Real) -> Real {
    if exponent == 1.0 {
        return if ratio >= 1.0 { Real::INFINITY } else { 0.0 };
    }
    pow(ratio, (exponent + 1.0) / (exponent - 1.0))
}

impl NormalLaw for Spring {
    fn speed_limit(&self, mass: Real, duration_s: Real) -> Real {
        // tau ~ 2.9 (m (a+1)/(2k))^(1/(a+1)) v^((1-a)/(a+1)), solved for v (physics.md D.5).
        let a = self.elastic.exponent();
        let slow = 2.9 * pow(mass * (a + 1.0) / (2.0 * self.params.stiffness), 1.0 / (a + 1.0));
        let elastic = speed_of(slow / duration_s, a);
        match self.viscous {
            Some(viscous) if self.loss > 0.0 => {
                let b = viscous.exponent();
                let stop = STOPS * pow((b + 1.0) * mass / self.loss, 1.0 / (b + 1.0)); // [impact.7]
                let braked = match b {
                    0.0 if stop >= duration_s => Real::INFINITY,
                    0.0 => 0.0,
                    _ => pow(stop / duration_s, (b + 1.0) / b),
                };
                elastic.min(braked)
            }
            _ => elastic,
        }
    }

    fn loss_s_m(&self) -> Option<Real> {
        self.viscous_exponent.is_none().then(|| self.loss / self.params.stiffness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_build_of_the_most_frequent_solve_gives_the_same_bits() {
        // A mass that falls onto a spring and is held there by its weight.
        let (dt, mass) = (1.0 / 48_000.0, 0.01);
        let play = |path: Path| {
            let params = ImpactParams { stiffness: 1e7, dissipation_s_m: 1.0, ..ImpactParams::default() };
            let mut law = Spring::new(ImpactLaw::HuntCrossley, params, None);
            law.path = path;
            let (mut x, mut u, mut last, mut before, mut bits) = (-1e-6, 0.3, 0.0, 0.0, Vec::new());
            for _ in 0..20_000 {
                let s0 = dt * u + 0.5 * dt * dt * 9.81;
                let found = law.step(x, s0, 0.5 * dt * dt / mass, dt, 2.0 * last - before, &mut || {});
                bits.extend([found.stroke, found.force].map(Real::to_bits));
                x += found.stroke;
                u += dt * (9.81 - found.force / mass);
                (before, last) = (last, found.stroke);
            }
            bits
        };
        let scalar = play(Path::Scalar);
        assert!(Path::all().into_iter().all(|path| play(path) == scalar));
        let pressed = scalar.chunks(2).filter(|step| Real::from_bits(step[1]) > 0.0).count();
        assert!(pressed > 500 && pressed < 20_000, "{pressed}");
    }
}
