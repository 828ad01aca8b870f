// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rosin: friction that falls because the film melts.
//!
//! **What.** Sliding heats the rosin between bow and string; hot rosin is soft. The force follows the temperature, not
//! the speed, so that force against velocity is a loop.
//!
//! **Law.** `[thermal.1]  mu_ss(v) = mu_d + (mu_s - mu_d) (0.4 e^(-10 v/vs) + 0.45 e^(-v/vs)) / 0.85`: steady sliding. With
//! mu_s = 1.2, mu_d = 0.35, vs = 0.1 m/s it is Smith and Woodhouse's fit of steady sliding.
//! `[thermal.2]  C dT/dt = mu(T) |v| - (G + kappa |v|) T`, T above ambient per newton of normal force: the true contact
//! grows with the load, and so do the film's capacity and its losses. `[thermal.3]  |f| <= mu(T) F_N`, equality in
//! sliding, plus viscosity. mu(T) is what makes steady sliding come out as [thermal.1]: the pairs (T_ss(v), mu_ss(v)),
//! T_ss = mu_ss v/(G + kappa v). Where T_ss falls with speed (kappa above about 13 G for vs = 0.1 m/s) no function can
//! do that; there the hottest so far is kept, and fast sliding is up to a fifth too strong.
//!
//! **Symbols.** C `heat_capacity_j_k`, G `conduction_w_k`, kappa `advection_w_s_m_k`: constants fitted for behaviour, for 1
//! N; not measured. mu_s `mu_static`, mu_d `mu_dynamic`, vs `stribeck_m_s`.
//!
//! **Step.** The force is explicit in T (stick or slide against mu F_N, closed). Then T relaxes exactly towards the
//! balance at this speed with mu of the *new* T: `[thermal.4]  T1 = T0 E + (1-E) mu(T1) |v|/(G + kappa |v|)`,
//! E = e^(-(G + kappa |v|) dt/C). Implicit, because a film that heats within a sample would otherwise flutter between
//! hard and soft; T1 is unique since mu falls. f v >= 0 always: passive.
//!
//! **Sources.** Avanzini et al. 2002 (13) and figure 6, after Smith and Woodhouse, J. Mech. Phys. Solids 48, 1633 (2000), of which the
//! abstract was read; the fit as a survey quotes it from Woodhouse and Galluzzo, Tribology Letters 73, 128 (2025), (1);
//! physics.md F (the heat balance is its surrogate).

use super::FrictionParams;
use crate::math::{Real, exp, pow};
use crate::param::LawSpec;

/// Rosin that softens.
pub(super) const THERMAL: LawSpec = LawSpec {
    own: &["heat_capacity_j_k", "conduction_w_k", "advection_w_s_m_k"],
    ..LawSpec::new("thermal", "friction of rosin")
};

/// Points of mu(T): within 1e-3 of the curve.
const POINTS: usize = 128;
/// Speeds of the table, in vs.
const SLOWEST: Real = 1e-4;
const FASTEST: Real = 1e3;

/// The film between bow and string.
#[derive(Clone, Debug)]
pub(super) struct Rosin {
    /// T (K per newton) and mu, T rising.
    table: [(Real, Real); POINTS],
    capacity: Real,
    conduction: Real,
    advection: Real,
    temperature: Real,
    mu: Real,
}

/// [thermal.1]
fn steady(p: &FrictionParams, v: Real) -> Real {
    let x = v / p.stribeck_m_s;
    let fall = (0.4 * exp(-fault!(ROSIN_CURVE, 10.0, 3.0) * x) + 0.45 * exp(-x)) / 0.85;
    p.mu_dynamic + (p.mu_static - p.mu_dynamic).max(0.0) * fall
}

impl Rosin {
    pub fn new(p: &FrictionParams) -> Self {
        let mut rosin = Self {
            table: [(0.0, 0.0); POINTS],
            capacity: 1.0,
            conduction: 1.0,
            advection: 0.0,
            temperature: 0.0,
            mu: p.mu_static,
        };
        rosin.tune(p);
        rosin
    }

    /// Rebuilds mu(T). `[audio]`
    pub fn tune(&mut self, p: &FrictionParams) {
        self.capacity = fault!(ROSIN_HEAT, p.heat_capacity_j_k, times 10.0);
        self.conduction = p.conduction_w_k;
        self.advection = p.advection_w_s_m_k;
        self.table[0] = (0.0, p.mu_static.max(p.mu_dynamic));
        let ratio = pow(FASTEST / SLOWEST, 1.0 / (POINTS - 2) as Real);
        let mut v = SLOWEST * p.stribeck_m_s;
        for i in 1..POINTS {
            let mu = steady(p, v);
            let balance = mu * v / (self.conduction + self.advection * v);
            // Strictly rising, so that every temperature has one mu.
            let hottest = self.table[i - 1].0;
            self.table[i] = (balance.max(hottest * (1.0 + 1e-9) + 1e-30), mu);
            v *= ratio;
        }
        self.balance(self.temperature, 0.0);
    }

    pub fn mu(&self) -> Real {
        self.mu
    }

    pub fn reset(&mut self) {
        self.temperature = 0.0;
        self.mu = self.table[0].1;
    }

    /// T and mu after a step at a velocity: [thermal.2] by [thermal.4]
    pub fn commit(&mut self, v: Real, dt: Real) {
        let w = v.abs();
        let loss = self.conduction + self.advection * w;
        let stays = exp(-loss * dt / self.capacity);
        self.balance(self.temperature * stays, (1.0 - stays) * w / loss);
    }

    /// Solves T - gain mu(T) = base on the table's segments; the left side rises.
    fn balance(&mut self, base: Real, gain: Real) {
        let above = self.table.partition_point(|(t, mu)| t - gain * mu <= base);
        if above >= POINTS || above == 0 {
            self.mu = self.table[if above == 0 { 0 } else { POINTS - 1 }].1;
            self.temperature = base + gain * self.mu;
            return;
        }
        let ((t0, mu0), (t1, mu1)) = (self.table[above - 1], self.table[above]);
        let part = (base - t0 + gain * mu0) / (t1 - t0 - gain * (mu1 - mu0));
        self.mu = mu0 + part * (mu1 - mu0);
        self.temperature = t0 + part * (t1 - t0);
    }
}
