// SPDX-License-Identifier: MIT OR Apache-2.0
//! Friction: two things that rub.
//!
//! **What.** A force along the surface, against the relative motion. It sticks, lets go, and falls with speed, which is
//! what makes strings, doors, brakes and glasses sing. Five laws behind one type: three with bristles (bristle.rs), the velocity
//! curve alone (stribeck.rs), and rosin that softens with heat (thermal.rs).
//!
//! **Law.** v = velocity(a) - velocity(b); force +f on b, -f on a:
//! - `[friction.1]  g(v) = fc + (fs - fc) exp(-(v/vs)^2)`, fc = mu_d F_N, fs = mu_s F_N: steady sliding (Avanzini et al. 2003 (8.15))
//! - `[friction.2]  z' = v - alpha |v| z / zs`, zs = g/sigma0: mean deflection of the bristles (Avanzini et al. 2003 (8.16), C23)
//! - `[friction.3]  f = sigma0 z + sigma1' z' + sigma2 |v|^(n-1) v + sigma3 F_N w` (Avanzini et al. 2003 (8.16) with its footnote 3)
//! - `[friction.4]  alpha = 0` if v z <= 0 or |z| <= z_ba; 1 if |z| >= zs; else sin^2(pi/2 (|z|-z_ba)/(zs-z_ba)),
//!   z_ba = c fc/sigma0: elasto-plastic, the same for both signs (Avanzini et al. 2003 (8.18), (8.19), C21, C22). LuGre: alpha = 1.
//!   Dahl: alpha = 1, g = fc (the original has sigma1 = sigma2 = 0 besides).
//! - `[friction.5]  sigma1' = sigma1 / (1 + sigma1 |v| / (4 g))` where |z| > zs and v z > 0, else sigma1: shortening
//!   bristles may not damp more without giving energy (E.4, which limits always; here z' = 0 at the border, so the
//!   force has no jump, and presliding keeps its damping)
//!
//! **Symbols.** F_N `normal_force_n` N; mu_s `mu_static`, mu_d `mu_dynamic`; vs `stribeck_m_s` m/s; sigma0
//! `bristle_stiffness` N/m; sigma1 `bristle_damping` N s/m; sigma2 `viscosity` N (s/m)^n; n `viscous_exponent`; sigma3
//! `roughness`; w surface, unit variance; c `breakaway_01`; z m.
//!
//! **Step.** v is the mean over the step, s/dt. The contact equation in velocities, `[friction.6]  R(v) = v - v0 + Lam
//! f(v) = 0` with Lam = L/dt, may have several roots, because f falls with v: the nearest to the last motion is taken,
//! which is the physical hysteresis. Each law solves it in its own `resolve`; memory is written once, in `commit`. Every
//! law gives f s at least the rise of its stored energy, sigma0 z^2/2: passive at any step. Without normal force there
//! is no force and nothing is remembered. Bristles never hold more than stiction: when the normal force falls, what
//! exceeds fs/sigma0 breaks at once and its energy is lost.
//!
//! **Sources.** Avanzini et al. 2003 section 8.3.2 and appendix; Avanzini et al. 2002; Canudas de Wit et al. 1995 and Dupont et al. 2002 as cited there;
//! physics.md E, F, H5, H6, C21 to C30.

mod bristle;
mod fast;
mod quick;
mod strength;
mod stribeck;
mod thermal;

use super::{Force, Interactor, Solution, Stroke, TangentialLaw};
use crate::math::{Real, pow};
use crate::param::{Params, Spec, Tunable};
use crate::resonator::kernel::Path;
use bristle::Bristle;
pub use strength::{Distribution, Strength};
use thermal::Rosin;

crate::params! {
    /// Parameters of a friction contact.
    pub struct FrictionParams {
        normal_force_n: "N", 0.0 => 1e6, default 1.0, Linear, Sample, glide 0.008, "Force that presses the surfaces together; 0 is silence.";
        mu_static: "1", 0.0 => 100.0, default 0.8, Linear, Sample, glide 0.02, "Coefficient of stiction; at least mu_dynamic.";
        mu_dynamic: "1", 0.0 => 100.0, default 0.3, Linear, Sample, glide 0.02, "Coefficient of fast sliding.";
        stribeck_m_s: "m/s", 1e-6 => 1e3, default 0.1, Log, Sample, glide 0.02, "Speed over which stiction gives way to sliding.";
        bristle_stiffness: "N/m", 1.0 => 1e12, default 1e4, Log, Sample, glide 0.02, "sigma0: stiffness of the surface before it slides.";
        bristle_damping: "N s/m", 0.0 => 1e6, default 0.1, Linear, Sample, glide 0.02, "sigma1: damping of the bristles, limited at speed so that it never gives energy.";
        viscosity: "N (s/m)^viscous_exponent", 0.0 => 1e6, default 0.0, Linear, Sample, glide 0.02, "sigma2: force per speed, as of a lubricant.";
        roughness: "1", 0.0 => 100.0, default 0.0, Linear, Sample, glide 0.02, "sigma3: rms force of the surface's texture as a part of the normal force.";
        breakaway_01: "1", 0.0 => 0.999, default 0.7, Linear, Sample, glide 0.02, "Elasto-plastic: part of the sliding force below which the bristles only stretch.";
        heat_capacity_j_k: "J/K", 1e-12 => 1.0, default 3e-7, Log, Sample, glide 0.02, "Thermal: heat capacity of the rosin film at 1 N (fitted, not measured).";
        conduction_w_k: "W/K", 1e-9 => 1e3, default 3e-3, Log, Sample, glide 0.02, "Thermal: heat that flows off, at 1 N (fitted, not measured).";
        advection_w_s_m_k: "W s/(m K)", 0.0 => 1e3, default 0.1, Linear, Sample, glide 0.02, "Thermal: heat carried off per sliding speed, at 1 N (fitted, not measured).";
    }
}

crate::laws! {
    /// Friction laws.
    pub enum FrictionLaw {
        /// Bristles that stretch without loss up to breakaway.
        ElastoPlastic = bristle::ELASTO_PLASTIC,
        /// Bristles that always creep a little.
        LuGre = bristle::LUGRE,
        /// Bristles without falling force: no stick-slip.
        Dahl = bristle::DAHL,
        /// The steady curve alone.
        Static = stribeck::STATIC,
        /// Rosin that softens as it heats.
        Thermal = thermal::THERMAL,
    }
}

impl FrictionLaw {
    /// The law with its parameters; the exponent of the viscous term is 1 unless given. `[control]`
    pub fn build(self, params: FrictionParams, viscous_exponent: Option<Real>) -> Box<dyn TangentialLaw> {
        Box::new(Friction::new(self, params, viscous_exponent))
    }

    /// The same with a strength that varies along the slip. `[control]`
    pub fn build_varied(
        self,
        params: FrictionParams,
        viscous_exponent: Option<Real>,
        strength: Strength,
    ) -> Box<dyn TangentialLaw> {
        let mut friction = Friction::new(self, params, viscous_exponent);
        friction.strength = Some(Box::new(strength));
        friction.press();
        Box::new(friction)
    }

    /// True if it knows stiction, and so a strength.
    pub fn holds(self) -> bool {
        !matches!(self, FrictionLaw::Dahl | FrictionLaw::Thermal)
    }
}

/// What is wrong with a set of parameters of a law, each within its own range: the id and what it should be. Dahl's law has
/// no stiction, so that its `mu_static` may be anything. `[control]`
pub fn check(law: FrictionLaw, p: &FrictionParams) -> Option<(&'static str, String)> {
    let bad = |id, what| Some((id, what));
    if p.normal_force_n < 0.0 {
        return bad("normal_force_n", format!("{} N is negative; 0 N is silence", p.normal_force_n));
    }
    if law != FrictionLaw::Dahl && p.mu_static < p.mu_dynamic {
        let what = format!("{} is below mu_dynamic = {}; raise it to at least that", p.mu_static, p.mu_dynamic);
        return bad("mu_static", what);
    }
    if p.stribeck_m_s <= 0.0 {
        return bad("stribeck_m_s", format!("{} m/s; it must be positive", p.stribeck_m_s));
    }
    if p.breakaway_01 >= 1.0 {
        return bad("breakaway_01", format!("{}; it must be below 1, at most 0.999", p.breakaway_01));
    }
    None
}

/// Steady sliding force [friction.1], prepared for one normal force.
#[derive(Clone, Copy, Debug, Default)]
struct Curve {
    /// fc, N
    coulomb: Real,
    /// fs - fc, N
    drop: Real,
    /// 1/vs^2, s^2/m^2
    rate: Real,
}

/// N; an impact contact may press with anything, a product of infinity and zero must not come of it.
const MOST_NORMAL: Real = 1e12;
/// (v/vs)^2 beyond which the rest of the exponential, 4e-18, is below rounding.
const FAST: Real = 40.0;
/// Part of vs below which a law without bristles yields where it is held: it may creep so fast for one step.
const YIELDS: Real = 1e-6;
/// N; keeps quotients by g finite where someone sets both coefficients to zero.
const LEAST: Real = 1e-30;

impl Curve {
    /// g and dg/dw at a speed w >= 0, N and N s/m.
    #[inline]
    fn at(&self, w: Real) -> (Real, Real) {
        let x = w * w * self.rate;
        if x > FAST || self.drop == 0.0 {
            return (self.coulomb + LEAST, 0.0);
        }
        let fall = self.drop * fast::exp_neg(x);
        (self.coulomb + fall + LEAST, -2.0 * w * self.rate * fall)
    }
    /// fs, N
    fn stiction(&self) -> Real {
        self.coulomb + self.drop + LEAST
    }
}

/// sigma2 |v|^(n-1) v.
#[derive(Clone, Copy, Debug, Default)]
struct Viscous {
    sigma2: Real,
    exponent: Real,
}

impl Viscous {
    /// Force and slope at a speed w >= 0.
    #[inline]
    fn at(&self, w: Real) -> (Real, Real) {
        if self.exponent == 1.0 {
            (self.sigma2 * w, self.sigma2)
        } else if self.exponent == 2.0 {
            (self.sigma2 * w * w, 2.0 * self.sigma2 * w)
        } else {
            let less = self.sigma2 * pow(w, self.exponent - 1.0);
            (less * w, self.exponent * less)
        }
    }
}

/// Part of the deflection, or of the Stribeck velocity, from which on surfaces slide.
const SLIDES: Real = 0.9;

/// The friction laws as one.
#[derive(Clone)]
pub struct Friction {
    params: FrictionParams,
    law: FrictionLaw,
    /// F_N, N: the parameter, or what an impact contact presses with.
    normal: Real,
    /// w of this step.
    surface: Real,
    bristle: Bristle,
    rosin: Rosin,
    /// Static law: no motion in the last step.
    stuck: bool,
    /// Velocity of the last step, m/s.
    velocity: Real,
    /// Speed below which a law without bristles that is held yields, m/s; 0: not held.
    yields: Real,
    /// Stroke and velocity of the last solve and what it does to the bristles, so that `commit` need not evaluate again; and its
    /// force, where its slope is known.
    solved: Option<(Real, Real, bristle::Change)>,
    answered: Option<Force>,
    /// Strength along the slip, if it varies.
    strength: Option<Box<Strength>>,
    /// Which build of the common solve it runs.
    path: Path,
}

impl Friction {
    /// A law with its parameters; the exponent of the viscous term is 1 unless given. `[control]`
    pub fn new(law: FrictionLaw, params: FrictionParams, viscous_exponent: Option<Real>) -> Self {
        let mut friction = Self {
            params,
            law,
            normal: params.normal_force_n,
            surface: 0.0,
            bristle: Bristle::default(),
            rosin: Rosin::new(&params),
            stuck: false,
            velocity: 0.0,
            yields: 0.0,
            solved: None,
            answered: None,
            strength: None,
            path: Path::all().pop().unwrap_or(Path::Baseline),
        };
        friction.bristle.viscous.exponent = viscous_exponent.unwrap_or(1.0);
        friction.refresh();
        friction
    }

    /// [`Interactor::step`] where it is called. `[audio]`
    #[inline(always)]
    pub(crate) fn step_here(
        &mut self,
        from: Real,
        s0: Real,
        compliance: Real,
        dt: Real,
        guess: Real,
        beside: impl FnMut(),
    ) -> Solution {
        step_quickly(self, s0, compliance, dt, beside)
            .unwrap_or_else(|| self.step_slowly(from, s0, compliance, dt, guess))
    }

    /// Mean deflection of the bristles, m. `[audio]`
    pub fn deflection_m(&self) -> Real {
        self.bristle.z
    }

    /// The general solve.
    #[inline(never)]
    fn search(&mut self, v0: Real, lam: Real, last: Real, dt: Real) -> Solution {
        match self.law {
            FrictionLaw::Static if self.yields > 0.0 => {
                stribeck::drag(&self.bristle, self.bristle.curve.coulomb, v0, lam).over(dt)
            }
            FrictionLaw::Static => stribeck::resolve(&self.bristle, v0, lam, self.stuck).over(dt),
            FrictionLaw::Thermal => stribeck::drag(&self.bristle, self.rosin.mu() * self.normal, v0, lam).over(dt),
            FrictionLaw::ElastoPlastic | FrictionLaw::LuGre | FrictionLaw::Dahl => {
                let (motion, change) = self.bristle.resolve(v0, lam, last);
                let solution = motion.over(dt);
                (self.solved, self.answered) = (Some((solution.stroke, motion.v, change)), None);
                solution
            }
        }
    }

    /// The surfaces have moved past each other by a stroke, of which the bristles took what lies between `z` and now. [strength.3]
    #[inline(never)]
    fn wear(&mut self, stroke: Real, z: Real) {
        if let Some(strength) = &mut self.strength
            && strength.slide((stroke - (self.bristle.z - z)).abs())
        {
            self.press();
        }
    }

    /// A whole step where the common solve does not serve.
    #[inline(never)]
    fn step_slowly(&mut self, from: Real, s0: Real, compliance: Real, dt: Real, guess: Real) -> Solution {
        self.prepare(from, dt);
        let found = self.resolve(from, s0, compliance, dt, guess);
        self.commit(Stroke { from, by: found.stroke, dt }, found.force);
        found
    }

    fn refresh(&mut self) {
        let (p, b) = (&self.params, &mut self.bristle);
        b.sigma0 = fault!(BRISTLE_STIFFNESS, p.bristle_stiffness, times 0.5);
        b.inverse = 1.0 / b.sigma0;
        b.sigma1 = fault!(BRISTLE_DAMPING, p.bristle_damping, times 0.2);
        b.viscous.sigma2 = fault!(VISCOSITY, p.viscosity, times 2.0);
        let stribeck_m_s = fault!(STRIBECK_SPEED, p.stribeck_m_s, times 3.0);
        b.stribeck = stribeck_m_s;
        b.per_stribeck = 1.0 / stribeck_m_s;
        b.curve.rate = 1.0 / (stribeck_m_s * stribeck_m_s);
        b.elastic = fault!(LUGRE_INSTEAD, self.law == FrictionLaw::ElastoPlastic, false);
        b.plain = b.elastic && b.viscous.exponent == 1.0;
        b.eased = quick::Eased::default();
        self.press();
    }

    /// Whatever follows from the normal force.
    fn press(&mut self) {
        let (p, b) = (&self.params, &mut self.bristle);
        b.curve.coulomb = p.mu_dynamic * self.normal;
        // A live change may carry mu_static below mu_dynamic; the curve is then flat.
        b.curve.drop = if fault!(DAHL_FALLS, self.law == FrictionLaw::Dahl, false) {
            0.0
        } else {
            let mu_static = match &self.strength {
                None => p.mu_static,
                Some(strength) => strength.factor() * p.mu_static, // [strength.1]
            };
            fault!(STICTION, (mu_static - p.mu_dynamic).max(0.0) * self.normal, times 0.7)
        };
        b.breakaway = fault!(BREAKAWAY, p.breakaway_01, times 0.5) * b.curve.coulomb * b.inverse;
        b.most = b.curve.stiction() * b.inverse;
        b.noise = p.roughness * self.normal * self.surface;
    }
}

/// A whole step by the common solve, if it serves.
#[inline(always)]
fn step_quickly(law: &mut Friction, s0: Real, compliance: Real, dt: Real, beside: impl FnMut()) -> Option<Solution> {
    let common = law.bristle.plain && law.normal > 0.0 && compliance > 0.0;
    if !common || law.yields != 0.0 {
        return None;
    }
    law.bristle.prepare(dt);
    let rate = law.bristle.rate_hz();
    let (motion, change, _) = law.bristle.quick_alone(s0 * rate, compliance * rate, beside)?;
    let solution = motion.over(dt);
    if !motion.v.is_finite() {
        return None;
    }
    law.velocity = motion.v;
    let z = law.bristle.z;
    law.bristle.commit(motion.v, change);
    if law.strength.is_some() {
        law.wear(solution.stroke, z);
    }
    Some(solution)
}

/// The same arithmetic in instructions that name where they write: a quarter fewer of them.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn step_quickly_avx2(
    law: &mut Friction,
    s0: Real,
    compliance: Real,
    dt: Real,
    beside: &mut dyn FnMut(),
) -> Option<Solution> {
    step_quickly(law, s0, compliance, dt, beside)
}

impl Tunable for Friction {
    fn specs(&self) -> &'static [Spec] {
        FrictionParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.put(index, value);
        if index == 0 {
            return self.set_normal(value);
        }
        self.refresh();
        if self.law == FrictionLaw::Thermal {
            self.rosin.tune(&self.params);
        }
    }
}

impl Interactor for Friction {
    fn prepare(&mut self, _from: Real, dt: Real) {
        (self.solved, self.answered) = (None, None);
        self.bristle.prepare(dt);
    }

    /// For the set-valued laws, static and thermal, this is the force of sliding; at rest only `resolve` knows it.
    fn force(&self, stroke: Stroke) -> Force {
        if self.normal == 0.0 {
            return Force::NONE;
        }
        let v = stroke.by / stroke.dt;
        let (n, slope) = match self.law {
            FrictionLaw::Static | FrictionLaw::Thermal if self.yields > 0.0 => {
                stribeck::yielding(&self.bristle, self.yields, v)
            }
            FrictionLaw::Static => stribeck::sliding(&self.bristle, v),
            FrictionLaw::Thermal => stribeck::dragging(&self.bristle, self.rosin.mu() * self.normal, v),
            FrictionLaw::ElastoPlastic | FrictionLaw::LuGre | FrictionLaw::Dahl => {
                if let (Some((by, ..)), Some(force)) = (self.solved, self.answered)
                    && by == stroke.by
                {
                    return force;
                }
                let point = self.bristle.at(v, v, None);
                (point.force, point.slope)
            }
        };
        Force { n, per_m: slope / stroke.dt }
    }

    fn resolve(&mut self, _from: Real, s0: Real, compliance: Real, dt: Real, guess: Real) -> Solution {
        if self.normal == 0.0 {
            return Solution { stroke: s0, force: 0.0, iterations: 0, converged: true };
        }
        if !s0.is_finite() {
            return Solution { stroke: s0, force: 0.0, iterations: 0, converged: false };
        }
        if self.bristle.plain && compliance > 0.0 {
            let rate = self.bristle.rate_hz();
            if let Some((motion, change, slope)) = self.bristle.try_quick(s0 * rate, compliance * rate, self.path) {
                let solution = motion.over(dt);
                self.solved = Some((solution.stroke, motion.v, change));
                self.answered = Some(Force { n: motion.force, per_m: slope * rate });
                return solution;
            }
        }
        self.search(s0 / dt, compliance / dt, if guess.is_finite() { guess / dt } else { 0.0 }, dt)
    }

    fn step(
        &mut self,
        from: Real,
        s0: Real,
        compliance: Real,
        dt: Real,
        guess: Real,
        beside: &mut dyn FnMut(),
    ) -> Solution {
        let found = match self.path {
            // SAFETY: these paths are only made by `Path::all` after the CPU said what it has; AVX-512F comes with AVX2.
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 | Path::Avx512 => unsafe { step_quickly_avx2(self, s0, compliance, dt, beside) },
            _ => step_quickly(self, s0, compliance, dt, beside),
        };
        found.unwrap_or_else(|| self.step_slowly(from, s0, compliance, dt, guess))
    }

    fn commit(&mut self, stroke: Stroke, _force_n: Real) {
        let (v, yields) = (stroke.by / stroke.dt, core::mem::take(&mut self.yields));
        if self.normal == 0.0 {
            self.reset();
        } else if v.is_finite() {
            self.velocity = v;
            let z = self.bristle.z;
            match self.law {
                FrictionLaw::Static => self.stuck = v.abs() <= yields,
                FrictionLaw::Thermal => self.rosin.commit(v, stroke.dt),
                FrictionLaw::ElastoPlastic | FrictionLaw::LuGre | FrictionLaw::Dahl => match self.solved.take() {
                    Some((by, v, change)) if by == stroke.by => self.bristle.commit(v, change),
                    _ => self.bristle.commit(v, self.bristle.change(v)),
                },
            }
            if self.strength.is_some() {
                self.wear(stroke.by, z);
            }
        }
        if yields > 0.0 {
            // Held: the normal force and the curve are back.
            self.set_normal(if self.normal == 0.0 { self.params.normal_force_n } else { self.normal });
        }
    }

    fn energy(&self, _from: Real) -> Real {
        self.bristle.energy()
    }

    fn reset(&mut self) {
        (self.bristle.z, self.bristle.before) = (0.0, 0.0);
        self.velocity = 0.0;
        self.bristle.trend = quick::Trend::default();
        self.rosin.reset();
        self.stuck = false;
    }
}

impl TangentialLaw for Friction {
    fn set_normal(&mut self, force_n: Real) {
        self.normal = if force_n > 0.0 { force_n.min(MOST_NORMAL) } else { 0.0 };
        self.press();
    }

    fn normal_n(&self) -> Real {
        self.normal
    }

    /// Bristles that give no more than `SLIDES` of what steady sliding would bend them by hold; without bristles it is the speed.
    fn slides(&self) -> bool {
        let (v, b) = (self.velocity, &self.bristle);
        match self.law {
            _ if self.normal == 0.0 => false,
            FrictionLaw::Static => !self.stuck,
            FrictionLaw::Thermal => v.abs() > SLIDES * self.params.stribeck_m_s,
            FrictionLaw::ElastoPlastic | FrictionLaw::LuGre | FrictionLaw::Dahl => {
                b.z * side(v) >= SLIDES * b.curve.at(v.abs()).0 * b.inverse
            }
        }
    }

    fn set_roughness(&mut self, height: Real) {
        self.surface = fault!(ROUGHNESS, height, times 0.5);
        self.bristle.noise = self.params.roughness * self.normal * self.surface;
    }

    fn outside_force(&self) -> Real {
        self.bristle.noise
    }

    fn hold(&mut self) {
        let (b, w) = (&mut self.bristle, self.velocity.abs());
        let g = if self.law == FrictionLaw::Thermal { self.rosin.mu() * self.normal } else { b.curve.at(w).0 };
        (b.curve.coulomb, b.curve.drop) = (g, 0.0);
        b.most = b.curve.stiction() * b.inverse;
        b.prepare(2.0 * b.half);
        (self.solved, self.answered) = (None, None);
        self.yields = YIELDS * self.params.stribeck_m_s;
    }
}

/// Outcome of a solve in velocities.
#[derive(Clone, Copy, Debug)]
struct Solved {
    /// m/s
    v: Real,
    /// N
    force: Real,
    evaluations: u32,
    converged: bool,
}

impl Solved {
    fn over(self, dt: Real) -> Solution {
        Solution { stroke: self.v * dt, force: self.force, iterations: self.evaluations, converged: self.converged }
    }
}

/// +1 or -1; zero counts as positive.
#[inline]
fn side(x: Real) -> Real {
    if x < 0.0 { -1.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_build_of_the_common_solve_gives_the_same_bits() {
        // A mass on a spring under a bow, which sticks and slips.
        let (dt, mass, stiffness, bow) = (1.0 / 48_000.0, 0.003, 3e4, 0.05);
        let play = |path: Path| {
            let mut law = Friction::new(FrictionLaw::ElastoPlastic, FrictionParams::default(), None);
            law.path = path;
            let (mut x, mut u, mut bits) = (0.0, 0.0, Vec::new());
            for _ in 0..20_000 {
                let pull = -stiffness * x / mass;
                let s0 = dt * (bow - u) - 0.5 * dt * dt * pull;
                let found = law.step(0.0, s0, 0.5 * dt * dt / mass, dt, 0.0, &mut || {});
                bits.extend([found.stroke, found.force, law.energy(0.0)].map(Real::to_bits));
                let push = pull + found.force / mass;
                x += dt * u + 0.5 * dt * dt * push;
                u += dt * push;
            }
            bits
        };
        let scalar = play(Path::Scalar);
        assert!(Path::all().into_iter().all(|path| play(path) == scalar));
        let slips = scalar.chunks(3).filter(|step| Real::from_bits(step[0]) > 0.5 * bow * dt).count();
        assert!(slips > 1_000 && slips < 19_000, "{slips}");
    }
}
