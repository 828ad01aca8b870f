// SPDX-License-Identifier: MIT OR Apache-2.0
//! Classical Runge-Kutta for a mass on a wall.
//!
//! # What
//! Four looks at the force per step.
//!
//! # Law
//! - `[rk4.1]` `x' = x + (l1 + 2 l2 + 2 l3 + l4)/6`, `v' = v + (k1 + 2 k2 + 2 k3 + k4)/6`, `l = h v`, `k = h a` at the
//!   start, twice at the middle, at the end
//!
//! # Symbols
//! h `dt_s`, a = g - f/m.
//!
//! # Step
//! Explicit, fourth order inside the contact; the force's kink at x = 0 costs accuracy at both ends.
//!
//! # Sources
//! De Sena et al. 2009 (2.22) with the sign of f reversed.

use super::{State, Wall};
use crate::math::Real;

/// `[rk4.1]`
pub fn step(wall: &Wall, state: State) -> State {
    let h = wall.dt_s;
    let look = |x: Real, v: Real| (h * v, h * wall.acceleration(wall.law.force_n(x, v)));
    let (x, v) = (state.x_m, state.v_m_s);
    let (l1, k1) = look(x, v);
    let (l2, k2) = look(x + 0.5 * l1, v + 0.5 * k1);
    let (l3, k3) = look(x + 0.5 * l2, v + 0.5 * k2);
    let (l4, k4) = look(x + l3, v + k3);
    let (x_m, v_m_s) = (x + (l1 + 2.0 * l2 + 2.0 * l3 + l4) / 6.0, v + (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0);
    State { x_m, v_m_s, f_n: wall.law.force_n(x_m, v_m_s) }
}
