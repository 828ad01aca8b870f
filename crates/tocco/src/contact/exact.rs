// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mass against wall or mass with the rebound of the closed form at any step.
//!
//! **What.** An option for balls on rigid ground: `exact_wall = true`.
//!
//! **Law.** `[exact.1]` With u = ln(1 + mu v)/mu the law is Hamiltonian: x' = (e^(mu u) - 1)/mu, m u' = -V'(x). Discrete
//! gradient: `s/h = (e^(mu u0) expm1(d)/d - 1)/mu`, `m d/(mu h) = -(V(x+s) - V(x))/s`, d = mu (u1 - u0).
//!
//! **Step.** One scalar equation for d, bracketed, by false position. Gravity and forces act as half kicks before and
//! after (Strang), so free flight is exact too. Not provably passive with vibrating partners, hence not for them.
//!
//! **Sources.** physics.md D.6, H11.

use super::world::World;
use super::{Contact, Site};
use crate::interactor::Stroke;
use crate::math::{Real, exp, expm1, ln_1p};
use crate::resonator::Resonator;

impl World {
    /// One sample of such a pair whose law has the loss mu, s/m. [exact.1] `[audio]`
    pub(super) fn step_exact(&mut self, index: usize, mu: Real) {
        let Contact { a, b, compression: x, .. } = self.contacts[index];
        let h = self.sample_s;
        let mut side = |site: Site| {
            let force = self.forces[site.body][site.port];
            let pushed = self.pushed[site.body] && force != 0.0;
            match self.bodies[site.body].as_mass() {
                Some(mass) => {
                    if pushed {
                        mass.push(0, force);
                    }
                    (1.0 / mass.mass_kg(), mass.acceleration(), mass.velocity(0), if pushed { force } else { 0.0 })
                }
                None => (0.0, 0.0, self.bodies[site.body].velocity(0), 0.0),
            }
        };
        let (inv_a, acc_a, mut v_a, f_a) = side(a);
        let (inv_b, acc_b, mut v_b, f_b) = side(b);
        v_a += 0.5 * h * acc_a;
        v_b += 0.5 * h * acc_b;
        let v = v_a - v_b;
        let (mass, centre) = (1.0 / (inv_a + inv_b), (v_a * inv_b + v_b * inv_a) / (inv_a + inv_b));
        let contact = &mut self.contacts[index];
        (contact.force, contact.iterations) = (0.0, 0);
        let (mut stroke, mut after) = (h * v, v);
        if (x > 0.0 || x + stroke > 0.0) && 1.0 + mu * v > 0.0 {
            let elastic = |s: Real| {
                // The law without loss: its mean force over the stroke. Loss enters through u alone.
                let f = contact.law.force(Stroke { from: x, by: s, dt: h });
                let speed = fault!(EXACT_SCHEME, 1.0 + mu * s / h, 1.0);
                if speed > 0.0 { f.n / speed } else { 0.0 }
            };
            let moved = |d: Real| {
                let mean = if d.abs() < 1e-8 { 1.0 + 0.5 * d } else { expm1(d) / d };
                if mu > 0.0 { h * ((1.0 + mu * v) * mean - 1.0) / mu } else { h * (v + 0.5 * d) }
            };
            // Without loss, d stands for the change of v itself (mu -> 0).
            let unit = if mu > 0.0 { mu } else { 1.0 };
            let miss = |d: Real| mass * d / (unit * h) + elastic(moved(d));
            // The force cannot be adhesive: d <= 0. At d = low the mass leaves faster than any rebound.
            let mut high = 0.0;
            let mut low = if mu > 0.0 { -ln_1p(mu * v.abs().max(1e-300)) - 1.0 } else { -2.0 * v.abs() - 1e-300 };
            let mut widen = 0;
            while miss(low) > 0.0 && widen < 60 {
                low *= 2.0;
                widen += 1;
            }
            // Illinois variant of the false position: bracketed, no derivative, superlinear.
            let (mut f_low, mut f_high) = (miss(low), miss(high));
            let (mut d, mut last, mut side) = (high, low, 0);
            let mut count = 2 + widen;
            let small = 1e-15 * (f_low.abs() + f_high.abs());
            while f_high > 0.0 && count < 100 && (d - last).abs() > 2e-16 * d.abs() {
                last = d;
                d = (low * f_high - high * f_low) / (f_high - f_low);
                let f = miss(d);
                count += 1;
                if f.abs() <= small {
                    break;
                } else if f < 0.0 {
                    (low, f_low) = (d, f);
                    f_high *= if side < 0 { 0.5 } else { 1.0 };
                    side = -1;
                } else {
                    (high, f_high) = (d, f);
                    f_low *= if side > 0 { 0.5 } else { 1.0 };
                    side = 1;
                }
            }
            stroke = moved(d);
            after = if mu > 0.0 { v * exp(d) + expm1(d) / mu } else { v + d };
            self.health.solves += 1;
            self.health.iterations += u64::from(count);
            self.health.unconverged += u64::from(count >= 100);
            contact.iterations = count;
            contact.force = mass * (v - after) / h;
        }
        contact.compression += stroke;
        contact.stroke = stroke;
        for (site, inverse, sign, acceleration, force) in [(a, inv_a, 1.0, acc_a, f_a), (b, inv_b, -1.0, acc_b, f_b)] {
            if let Some(body) = self.bodies[site.body].as_mass() {
                let part = sign * inverse * mass;
                let by = h * centre + part * stroke;
                body.carry(by, centre + part * after + 0.5 * h * acceleration);
                self.work += force * by;
            }
        }
    }
}
