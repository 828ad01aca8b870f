// SPDX-License-Identifier: MIT OR Apache-2.0
//! Velocity Verlet for a mass on a wall.
//!
//! # What
//! The force at the new place, with the velocity of the half step, finishes the velocity.
//!
//! # Law
//! - `[verlet.1]` `x' = x + h v + h^2/2 a`, `v~ = v + h/2 a`, `f' = f(x', v~)`, `v' = v~ + h/2 a'`
//!
//! # Symbols
//! h `dt_s`, a = g - f/m acceleration at this sample, a' at the next.
//!
//! # Step
//! Explicit, second order for forces of place; first order in the damper, which sees a half-step velocity.
//!
//! # Sources
//! De Sena et al. 2009 (2.20) with the sign of f reversed.

use super::{State, Wall};

/// `[verlet.1]`
pub fn step(wall: &Wall, state: State) -> State {
    let (h, a) = (wall.dt_s, wall.acceleration(state.f_n));
    let x_m = state.x_m + h * state.v_m_s + 0.5 * h * h * a;
    let half = state.v_m_s + 0.5 * h * a;
    let f_n = wall.law.force_n(x_m, half);
    State { x_m, v_m_s: half + 0.5 * h * wall.acceleration(f_n), f_n }
}
