// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stulov's felt, which remembers how it was squeezed.
//!
//! **What.** A power spring whose force relaxes: felt that was just pressed is softer than felt at rest.
//!
//! **Law.** `[impact.3]  f = k xi^a - k eps w`, `tau w' = xi^a - w`, xi = max(x, (eps w)^(1/a)): felt (Avanzini et al. 2003 (8.9), (8.10)
//! with C9: the factor k, delta - h_r). xi is the place of the felt's own surface: where the partner withdraws faster than
//! the felt recovers, the force is zero and the felt relaxes by itself. (The paper lets the memory follow the partner
//! through the air; the clipped law is then active, and a second touch would meet felt that is not there.)
//!
//! **Symbols.** As in the parent file.
//!
//! **Step.** Half a relaxation of w before the stroke and half after (H4), and F s = U(x+s) - U(x) with the stored energy
//! `[impact.5]  U = k G(xi) + k eps (G*(w) - w xi)`, G(x) = x^(a+1)/(a+1), G* its convex conjugate: by Fenchel and
//! Young never negative; xi minimises it, and relaxing w towards xi^a lowers it, so every part of the step is passive.
//! With eps = 0 it is the spring of hunt_crossley.rs without loss.
//!
//! Steps longer than a quarter of tau do not see the memory move. There it follows the felt's surface at once, but for
//! the lag that its rate leaves, w = g - tau g' (g = xi^a):
//! `[impact.6]  f = k (1 - eps) g + k eps tau g'`, in stroke form with `g' = (g(x+s) - g(x))/dt`, U = k (1 - eps) G(xi); where the
//! partner withdraws faster, `g' = -(1-eps)/(eps tau) g` brings the surface back alone. Both parts are passive, and so is a
//! change from either form to the other, which lets w be g. What is left out is of the order of (tau/duration)^2; steps
//! between tau/4 and 3/2 tau, where neither form is good, are not asked for ([`NormalLaw::suits`]). A touch of felt that keeps less than a
//! tenth of its stiffness leaves little to the rebound, a thirtieth of the speed for a piano's: there an error of the speed counts thirty
//! times. While it comes and goes the steps are finer than tau/16, or longer than 2/5 tau, as by the rule of [contact.4] [impact.6] then leaves
//! out little.
//!
//! **Sources.** Stulov 1995 as in Avanzini et al. 2003 (8.9); physics.md D.3, H4.

use super::hunt_crossley::{POWER, Spring};
use super::{ImpactLaw, ImpactParams};
use crate::interactor::{Force, Interactor, NormalLaw, Solution, Stroke, newton};
use crate::math::{Real, exp, ln, pow};
use crate::param::{LawSpec, Spec, Tunable};

/// Felt.
pub(super) const STULOV: LawSpec =
    LawSpec { word: "stulov", title: "stulov felt", own: &["hysteresis_01", "relaxation_s"], ..POWER };

/// A spring that relaxes.
#[derive(Clone)]
pub(super) struct Felt {
    spring: Spring,
    /// k eps
    relaxing: Real,
    /// w, m^a
    felt: Real,
    /// (eps w)^(1/a), m: where the felt's surface stands when nothing holds it down.
    surface: Real,
    /// The memory follows at once: [impact.6].
    prompt: bool,
}

/// Steps up to this share of tau see the memory move.
const SLOW: Real = 0.25;
/// Steps from so many tau on, in a contact of the usual length, need not.
const PROMPT: Real = 1.5;
/// The same two of a brief touch of felt that relaxes by more than this share.
const DEAD: Real = 0.9;
const SLOW_DEAD: Real = 0.0625;
const PROMPT_DEAD: Real = 0.4;

impl Felt {
    /// Felt at rest. `[control]`
    pub fn new(params: ImpactParams, viscous_exponent: Option<Real>) -> Self {
        let spring = Spring::new(ImpactLaw::Stulov, params, viscous_exponent);
        let mut felt = Self { spring, relaxing: 0.0, felt: 0.0, surface: 0.0, prompt: false };
        felt.refresh();
        felt
    }

    fn refresh(&mut self) {
        let relaxing = self.spring.params.hysteresis_01 * self.spring.params.stiffness;
        self.relaxing = fault!(FELT_TERM, relaxing, times 0.3);
    }

    /// The felt's memory over a time with the partner held at x. [impact.3]
    fn relax(&mut self, x: Real, dt: Real) {
        let p = &self.spring.params;
        let (eps, target) = (p.hysteresis_01, self.spring.elastic.of(x));
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
            self.felt = target + (self.felt - target) * exp(-held / fault!(FELT_RELAXES, p.relaxation_s, times 3.0));
        }
        self.surface = pow(p.hysteresis_01 * self.felt, 1.0 / self.spring.elastic.exponent());
    }

    /// Chooses the form for steps of this length; the memory becomes what both forms mean by it, at no more energy.
    fn choose(&mut self, from: Real, dt: Real) {
        let prompt = dt > SLOW * self.spring.params.relaxation_s;
        if self.prompt && !prompt {
            self.felt = self.spring.elastic.of(from);
            self.surface = pow(self.spring.params.hysteresis_01 * self.felt, 1.0 / self.spring.elastic.exponent());
        }
        self.prompt = prompt;
    }

    /// The surface after a time on its own from where its power is g. [impact.6]
    fn recovered(&self, power: Real, dt: Real) -> Real {
        let p = &self.spring.params;
        let left = power * exp(-(1.0 - p.hysteresis_01) / (p.hysteresis_01 * p.relaxation_s) * dt);
        pow(left, 1.0 / self.spring.elastic.exponent())
    }

    /// Force over a stroke of felt that follows at once. [impact.6]
    fn prompt_force(&self, x: Real, s: Real, dt: Real) -> Force {
        let (y, p, elastic) = (x + s, &self.spring.params, self.spring.elastic);
        let (k, a) = ((1.0 - p.hysteresis_01) * p.stiffness, elastic.exponent());
        let lag = self.relaxing * p.relaxation_s / dt;
        let steep = |power: Real, at: Real| if at > 0.0 { a * power / at } else { 0.0 };
        let (n, per_m) = if x < self.surface {
            if y <= self.surface {
                return Force::NONE;
            }
            let (mean, _, end) = elastic.mean(self.surface, y - self.surface, None);
            let held = k * mean * ((y - self.surface) / s);
            (held + lag * (end - elastic.of(self.surface)), (k * end - held) / s + lag * steep(end, y))
        } else if s == 0.0 {
            let power = elastic.of(x);
            (k * power, (0.5 * k + lag) * steep(power, x))
        } else {
            let before = elastic.of(x);
            let (mean, slope, end) = elastic.mean(x, s, Some(before));
            (k * mean + lag * (end - before), k * slope + lag * steep(end, y))
        };
        if n > 0.0 { Force { n, per_m: per_m.max(0.0) } } else { Force::NONE }
    }

    fn force_over(&self, x: Real, s: Real, dt: Real) -> Force {
        if self.prompt { self.prompt_force(x, s, dt) } else { self.felt_force(x, s) }
    }

    /// Where the surface of felt that follows at once stands after a step.
    fn follow(&mut self, Stroke { from, by, dt }: Stroke, force_n: Real) {
        let end = (from + by).max(0.0);
        self.surface = if force_n > 0.0 {
            end
        } else {
            end.max(self.recovered(self.spring.elastic.of(from.max(self.surface)), dt))
        };
    }

    /// Force of the felt over a stroke: the mean over the part of it that holds the surface down.
    fn felt_force(&self, x: Real, s: Real) -> Force {
        let (y, k, a) = (x + s, self.spring.params.stiffness, self.spring.elastic.exponent());
        if x <= self.surface && y <= self.surface {
            return Force::NONE;
        }
        let back = self.relaxing * self.felt;
        let (n, per_m) = if s == 0.0 {
            let power = self.spring.elastic.of(x);
            (k * power - back, 0.5 * k * a * power / x)
        } else if x >= self.surface && y >= self.surface {
            let (mean, slope, _) = self.spring.elastic.mean(x, s, None);
            (k * mean - back, k * slope)
        } else {
            let (low, high) = (x.max(self.surface), y.max(self.surface));
            let (mean, _, end) = self.spring.elastic.mean(low, high - low, None);
            let n = (k * mean - back) * ((high - low) / s);
            (n, if y > self.surface { (k * end - back - n) / s } else { -n / s })
        };
        Force { n: n.max(0.0), per_m: per_m.max(0.0) }
    }
}

impl Tunable for Felt {
    fn specs(&self) -> &'static [Spec] {
        ImpactParams::WITHOUT_VISCOUS_LOSS
    }
    fn get(&self, index: usize) -> Real {
        self.spring.get(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.spring.set(index, value);
        self.refresh();
    }
}

impl Interactor for Felt {
    fn prepare(&mut self, from: Real, dt: Real) {
        if self.relaxing > 0.0 {
            self.choose(from, dt);
            if !self.prompt {
                self.relax(from, 0.5 * dt);
            }
        } else {
            self.spring.prepare(from, dt);
        }
    }

    fn force(&self, stroke: Stroke) -> Force {
        if self.relaxing > 0.0 { self.force_over(stroke.from, stroke.by, stroke.dt) } else { self.spring.force(stroke) }
    }

    fn resolve(&mut self, from: Real, s0: Real, compliance: Real, dt: Real, guess: Real) -> Solution {
        if self.relaxing > 0.0 {
            newton(|by| self.force_over(from, by, dt), || s0, from, s0, compliance, guess)
        } else {
            self.spring.resolve(from, s0, compliance, dt, guess)
        }
    }

    fn commit(&mut self, stroke: Stroke, force_n: Real) {
        if self.relaxing > 0.0 && self.prompt {
            self.follow(stroke, force_n);
        } else if self.relaxing > 0.0 {
            self.relax(stroke.from + stroke.by, 0.5 * stroke.dt);
        }
    }

    fn energy(&self, from: Real) -> Real {
        let (elastic, a) = (self.spring.elastic, self.spring.elastic.exponent());
        let xi = from.max(self.surface);
        let stored = self.spring.params.stiffness * elastic.of(xi) * xi.max(0.0) / (a + 1.0);
        if self.relaxing == 0.0 {
            return stored;
        }
        if self.prompt {
            return stored * (1.0 - self.spring.params.hysteresis_01);
        }
        let conjugate = a / (a + 1.0) * pow(self.felt, (a + 1.0) / a);
        stored + self.relaxing * (conjugate - self.felt * xi) // [impact.5]
    }

    fn reset(&mut self) {
        self.surface = 0.0;
        self.felt = 0.0;
    }
}

impl NormalLaw for Felt {
    fn is_rested(&self) -> bool {
        self.surface < 1e-12
    }

    fn speed_limit(&self, mass: Real, duration_s: Real) -> Real {
        self.spring.speed_limit(mass, duration_s)
    }

    fn suits(&self, step_s: Real, lasts: bool) -> bool {
        // Neither form is good in between: [impact.6].
        let p = &self.spring.params;
        let dead = !lasts && p.hysteresis_01 > DEAD;
        let (slow, prompt) = if dead { (SLOW_DEAD, PROMPT_DEAD) } else { (SLOW, PROMPT) };
        self.relaxing == 0.0 || step_s <= slow * p.relaxation_s || step_s >= prompt * p.relaxation_s
    }
}
