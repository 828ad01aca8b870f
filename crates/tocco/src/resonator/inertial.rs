// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bodies without vibration: point mass, rigid wall, guided body.
//!
//! **What.** A mass falls, flies and is stopped by contacts; a wall yields to nothing; a guided body moves as told.
//!
//! **Law.** `[mass.1]  s = v dt + F dt^2/(2 m) + g dt^2/2`   `[mass.2]  v' = v + (F/m + g) dt`
//!          `[guided.1]  s = v dt`, whatever the force.
//!
//! **Symbols.** m `mass_kg` kg; g `gravity_m_s2` m/s^2, along the positive axis; v m/s; F N, held during the step.
//!
//! **Step.** Exact for a held force. Compliance dt^2/(2 m) for the mass, 0 for wall and guided body. Gravity and the
//! guiding hand are booked as work (physics.md H8).
//!
//! **Sources.** Avanzini et al. 2003 section 8.3.1 (hammer, rigid wall as special cases); physics.md D.1, D.2.

use super::{Motion, Reading, Resonator};
use crate::math::Real;
use crate::param::{Params, Spec, Tunable};

crate::params! {
    /// Parameters of a point mass.
    pub struct MassParams {
        mass_kg: "kg", 1e-9 => 1e9, default 0.01, Log, Control, glide 0.02, "Mass.";
        gravity_m_s2: "m/s^2", -1e4 => 1e4, default 0.0, Linear, Control, glide 0.02, "Acceleration along the positive axis: 9.81 presses the first partner of a contact onto the second.";
        vary_01: "1", 0.0 => 1.0, default 0.0, Linear, Control, glide 0.0, "How much one stroke of it differs from the next: speed, angle, place and hardness are drawn anew.";
    }
}

crate::params! {
    /// Parameters of a guided body.
    pub struct GuidedParams {
        velocity_m_s: "m/s", -1e3 => 1e3, default 0.0, Linear, Sample, glide 0.008, "Prescribed velocity: a hand, a bow, a conveyor.";
    }
}

/// A point mass.
#[derive(Clone)]
pub struct Mass {
    params: MassParams,
    position: Real,
    velocity: Real,
    sample_s: Real,
    dt: Real,
    pushed: Real,
    work: Real,
    /// Samples flown since position and velocity were written: a free mass is where its parabola is, at no cost.
    flown: u64,
    start: Real,
}

impl Mass {
    /// A mass at a place with a velocity; `sample_s` is the sample interval. `[control]`
    pub fn new(params: MassParams, position_m: Real, velocity_m_s: Real, sample_s: Real) -> Self {
        let (position, velocity) = (position_m, velocity_m_s);
        let heavy = fault!(MASS_TWICE, params, MassParams { mass_kg: 2.0 * params.mass_kg, ..params });
        let own = fault!(GRAVITY, heavy, MassParams { gravity_m_s2: 0.97 * heavy.gravity_m_s2, ..heavy });
        Self {
            params: own,
            position,
            velocity,
            sample_s,
            dt: sample_s,
            pushed: 0.0,
            work: 0.0,
            flown: 0,
            start: position_m,
        }
    }

    /// Position and velocity after the samples flown, and `more`.
    fn flight(&self, more: u64) -> (Real, Real) {
        let (t, g) = ((self.flown + more) as Real * self.sample_s, self.params.gravity_m_s2);
        if t == 0.0 {
            return (self.position, self.velocity);
        }
        (self.position + (self.velocity * t + 0.5 * g * t * t), self.velocity + g * t)
    }

    /// Writes down where the flight has come to.
    fn land(&mut self) {
        let (position, velocity) = self.flight(0);
        self.work += self.params.mass_kg * self.params.gravity_m_s2 * (position - self.position);
        (self.position, self.velocity, self.flown) = (position, velocity, 0);
    }

    /// Puts the mass somewhere with a velocity. `[audio]`
    pub fn place(&mut self, position_m: Real, velocity_m_s: Real) {
        self.position = position_m;
        self.velocity = velocity_m_s;
    }

    /// Moves and sets the velocity in one go, for schemes that know the outcome of a whole step. `[audio]`
    pub fn carry(&mut self, stroke_m: Real, velocity_m_s: Real) {
        self.position += stroke_m;
        self.velocity = velocity_m_s;
        self.work += self.params.mass_kg * self.params.gravity_m_s2 * stroke_m;
        self.pushed = 0.0;
    }

    /// Acceleration by gravity and by what has been pushed, m/s^2. `[audio]`
    pub fn acceleration(&self) -> Real {
        self.params.gravity_m_s2 + self.pushed / self.params.mass_kg
    }

    /// How much its strokes differ.
    pub(crate) fn vary_01(&self) -> Real {
        self.params.vary_01
    }

    /// kg
    pub fn mass_kg(&self) -> Real {
        self.params.mass_kg
    }

    #[inline]
    fn advance(&mut self, dt: Real) {
        let acceleration = self.acceleration();
        let stroke = dt * self.velocity + 0.5 * dt * dt * acceleration; // [mass.1]
        self.position += stroke;
        self.velocity += dt * acceleration; // [mass.2]
        self.work += fault!(LEDGER_GRAVITY, self.params.mass_kg * self.params.gravity_m_s2 * stroke, 0.0);
        self.pushed = 0.0;
    }
}

impl Tunable for Mass {
    fn specs(&self) -> &'static [Spec] {
        MassParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.land();
        self.params.put(index, value);
    }
}

impl Resonator for Mass {
    fn ports(&self) -> usize {
        1
    }
    fn attend(&mut self) {
        self.land();
    }
    fn divide(&mut self, level: usize) {
        self.dt = self.sample_s / (1u32 << level) as Real;
    }
    fn free_stroke(&mut self, _port: usize) -> Real {
        self.dt * self.velocity + 0.5 * self.dt * self.dt * self.acceleration()
    }
    fn compliance(&self, _to: usize, _from: usize) -> Real {
        fault!(MASS_COMPLIANCE, 0.5, 0.25) * self.dt * self.dt / self.params.mass_kg
    }
    fn push(&mut self, _port: usize, force_n: Real) {
        self.pushed += force_n;
    }
    fn unpush(&mut self) {
        self.pushed = 0.0;
    }
    fn commit(&mut self) {
        self.advance(self.dt);
    }
    fn ring(&mut self, ticks: usize, readings: &mut [Reading]) {
        for reading in readings.iter_mut() {
            for (tick, value) in reading.values[..ticks].iter_mut().enumerate() {
                let (position, velocity) = self.flight(tick as u64 + 1);
                *value = if reading.motion == Motion::Position { position } else { velocity };
            }
        }
        self.flown += ticks as u64;
    }
    fn rests(&self) -> bool {
        self.velocity == 0.0 && self.params.gravity_m_s2 == 0.0
    }
    fn drifts(&self) -> bool {
        self.params.gravity_m_s2 == 0.0 && self.pushed == 0.0
    }
    fn position(&self, _port: usize) -> Real {
        self.flight(0).0
    }
    fn velocity(&self, _port: usize) -> Real {
        self.flight(0).1
    }
    fn energy(&self) -> Real {
        let velocity = self.flight(0).1;
        0.5 * self.params.mass_kg * velocity * velocity
    }
    fn work(&self) -> Real {
        let fallen = self.flight(0).0 - self.position;
        self.work + self.params.mass_kg * self.params.gravity_m_s2 * fallen
    }
    fn gravity(&self) -> Real {
        self.params.gravity_m_s2
    }
    fn inverse_mass(&self, _port: usize) -> Real {
        1.0 / self.params.mass_kg
    }
    fn flexibility(&self, _port: usize) -> Real {
        Real::INFINITY
    }
    fn range(&self, _port: usize, seconds: Real) -> (Real, Real) {
        let (position, velocity) = self.flight(0);
        let reach = fault!(SLEEP_REACH, seconds * velocity.abs(), times 0.2)
            + 0.5 * seconds * seconds * self.acceleration().abs();
        (position - reach, position + reach)
    }
    fn hit(&mut self, _port: usize, impulse_n_s: Real) -> bool {
        self.velocity += impulse_n_s / self.params.mass_kg;
        true
    }
    fn settle(&mut self) -> bool {
        self.position.is_finite() && self.velocity.is_finite()
    }
    fn reset(&mut self) {
        self.flown = 0;
        self.position = self.start;
        self.velocity = 0.0;
        self.pushed = 0.0;
    }
    fn as_mass(&mut self) -> Option<&mut Mass> {
        Some(self)
    }
}

/// A rigid wall (no parameter) or a guided body (one: its velocity). Neither yields: compliance zero, no energy.
#[derive(Clone)]
pub struct Guided {
    params: GuidedParams,
    wall: bool,
    position: Real,
    start: Real,
    sample_s: Real,
    dt: Real,
    pushed: Real,
    work: Real,
}

impl Guided {
    /// A body that moves as told. `[control]`
    pub fn new(params: GuidedParams, position_m: Real, sample_s: Real) -> Self {
        Self {
            params,
            wall: false,
            position: position_m,
            start: position_m,
            sample_s,
            dt: sample_s,
            pushed: 0.0,
            work: 0.0,
        }
    }

    /// A wall. `[control]`
    pub fn wall(position_m: Real, sample_s: Real) -> Self {
        let still = GuidedParams { velocity_m_s: 0.0 };
        Self { wall: true, ..Self::new(still, position_m, sample_s) }
    }
}

impl Tunable for Guided {
    fn specs(&self) -> &'static [Spec] {
        if self.wall { &[] } else { GuidedParams::SPECS }
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.put(index, value);
    }
}

impl Resonator for Guided {
    fn ports(&self) -> usize {
        1
    }
    fn divide(&mut self, level: usize) {
        self.dt = self.sample_s / (1u32 << level) as Real;
    }
    fn free_stroke(&mut self, _port: usize) -> Real {
        self.dt * self.params.velocity_m_s // [guided.1]
    }
    fn compliance(&self, _to: usize, _from: usize) -> Real {
        0.0
    }
    fn push(&mut self, _port: usize, force_n: Real) {
        self.pushed += force_n;
    }
    fn unpush(&mut self) {
        self.pushed = 0.0;
    }
    fn commit(&mut self) {
        let stroke = self.dt * self.params.velocity_m_s;
        self.position += stroke;
        self.work -= self.pushed * stroke; // the hand resists what the contact pushes
        self.pushed = 0.0;
    }
    fn ring(&mut self, ticks: usize, readings: &mut [Reading]) {
        for tick in 0..ticks {
            self.position += self.sample_s * self.params.velocity_m_s;
            for reading in readings.iter_mut() {
                reading.values[tick] = match reading.motion {
                    Motion::Position => self.position,
                    Motion::Velocity => self.params.velocity_m_s,
                };
            }
        }
    }
    fn rests(&self) -> bool {
        self.params.velocity_m_s == 0.0
    }
    fn position(&self, _port: usize) -> Real {
        self.position
    }
    fn velocity(&self, _port: usize) -> Real {
        self.params.velocity_m_s
    }
    fn energy(&self) -> Real {
        0.0
    }
    fn work(&self) -> Real {
        self.work
    }
    fn inverse_mass(&self, _port: usize) -> Real {
        0.0
    }
    fn flexibility(&self, _port: usize) -> Real {
        0.0
    }
    fn range(&self, _port: usize, seconds: Real) -> (Real, Real) {
        let reach = seconds * self.params.velocity_m_s.abs();
        (self.position - reach, self.position + reach)
    }
    fn hit(&mut self, _port: usize, _impulse_n_s: Real) -> bool {
        false
    }
    fn settle(&mut self) -> bool {
        self.position.is_finite()
    }
    fn reset(&mut self) {
        self.position = self.start;
        self.pushed = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thrown_mass_follows_the_parabola_at_any_step() {
        for level in [0, 3, 6] {
            let params = MassParams { mass_kg: 0.2, gravity_m_s2: -9.81, vary_01: 0.0 };
            let mut mass = Mass::new(params, 1.0, 3.0, 1e-3);
            mass.divide(level);
            for _ in 0..(100 << level) {
                mass.commit();
            }
            let t: Real = 0.1;
            // 6400 steps, each rounding once at 2e-16: below 1e-11.
            assert!((mass.position(0) - (1.0 + 3.0 * t - 0.5 * 9.81 * t * t)).abs() < 1e-11);
            assert!((mass.velocity(0) - (3.0 - 9.81 * t)).abs() < 1e-11);
            assert!((mass.energy() - mass.work() - 0.5 * 0.2 * 9.0).abs() < 1e-11, "gravity is booked as work");
        }
    }

    #[test]
    fn the_hand_pays_for_what_it_pushes() {
        let mut hand = Guided::new(GuidedParams { velocity_m_s: 2.0 }, 0.0, 1e-3);
        hand.push(0, -5.0);
        hand.commit();
        assert!((hand.work() - 5.0 * 2e-3).abs() < 1e-15);
    }
}
