// SPDX-License-Identifier: MIT OR Apache-2.0
//! Flight: something small falls, bounces and comes to rest.
//!
//! **Law.** g gravity, height z above where it lands, v0 its speed upwards:
//! - `[flight.1]  v = sqrt(v0^2 + 2 g z)`, `t = (v0 + v)/g`: speed and time of the first landing.
//! - `[flight.2]  E = m v^2/2`, of which `(1 - e^2) E` is lost and `ring (1 - e^2) E` is heard.
//! - `[flight.3]  v <- e v`, `t <- t + 2 v/g`: until it is slower than `slowest`, where it lies still.
//!
//! What is heard of all landings together is `ring m v^2/2` at most: never more than it had.
//!
//! **Sources.** Avanzini et al. 2003 section 8.5 (dropping and bouncing); textbook.

use crate::math::Real;

/// Standard gravity, m/s^2.
pub const GRAVITY_M_S2: Real = 9.81;

/// How landings go.
#[derive(Clone, Copy, Debug)]
pub struct Ground {
    /// e, 0 to below 1.
    pub restitution: Real,
    /// Part of what is lost that is heard.
    pub ring: Real,
    /// Speed below which nothing bounces, m/s.
    pub slowest: Real,
}

/// Something on its way.
#[derive(Clone, Copy, Debug)]
pub struct Flyer {
    /// kg
    pub mass: Real,
    /// When it lands next, s; infinite where it lies still.
    pub lands_s: Real,
    /// How fast, m/s.
    pub speed: Real,
}

impl Flyer {
    /// Nothing is flying.
    pub const REST: Self = Self { mass: 0.0, lands_s: Real::INFINITY, speed: 0.0 };

    /// Thrown up at a time, s, from a height, m, with a speed upwards, m/s. [flight.1]
    pub fn thrown(mass: Real, at_s: Real, height_m: Real, upwards_m_s: Real) -> Self {
        let speed = (upwards_m_s * upwards_m_s + 2.0 * GRAVITY_M_S2 * height_m).sqrt();
        Self { mass, lands_s: at_s + (upwards_m_s + speed) / GRAVITY_M_S2, speed }
    }

    /// True while it is on its way.
    pub fn flies(&self) -> bool {
        self.lands_s < Real::INFINITY
    }

    /// It lands: the energy that is heard, J, and off again or not.
    pub fn land(&mut self, ground: Ground) -> Real {
        let e2 = ground.restitution * ground.restitution;
        let heard = ground.ring * (1.0 - e2) * 0.5 * self.mass * self.speed * self.speed; // [flight.2]
        self.speed *= fault!(RESTITUTION, ground.restitution, ground.restitution.sqrt()); // [flight.3]
        self.lands_s += 2.0 * self.speed / GRAVITY_M_S2;
        if self.speed < ground.slowest {
            self.lands_s = Real::INFINITY;
        }
        heard
    }
}

/// How often something lands that first lands at this speed.
pub fn landings(speed: Real, ground: Ground) -> Real {
    if speed <= 0.0 || ground.restitution <= 0.0 || speed * ground.restitution < ground.slowest {
        return 1.0;
    }
    1.0 + (crate::math::ln(ground.slowest / speed) / crate::math::ln(ground.restitution)).floor()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bouncing_thing_is_heard_with_at_most_the_energy_it_fell_with_and_lands_as_often_as_counted() {
        let ground = Ground { restitution: 0.7, ring: 1.0, slowest: 0.05 };
        let mut flyer = Flyer::thrown(0.1, 1.0, 0.5, 0.0);
        assert!((flyer.lands_s - 1.0 - (2.0 * 0.5 / GRAVITY_M_S2).sqrt()).abs() < 1e-12);
        let (wanted, had) = (landings(flyer.speed, ground), 0.1 * GRAVITY_M_S2 * 0.5);
        let (mut heard, mut count, mut last) = (0.0, 0.0, 0.0);
        while flyer.flies() {
            assert!(flyer.lands_s > last);
            last = flyer.lands_s;
            heard += flyer.land(ground);
            count += 1.0;
        }
        assert!(heard <= had && heard > 0.99 * had, "{heard} of {had}");
        assert_eq!(count, wanted);
    }
}
