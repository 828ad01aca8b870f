// SPDX-License-Identifier: MIT OR Apache-2.0
//! Heun's method for a mass on a wall, as printed and as in textbooks.
//!
//! # What
//! A forward-Euler guess, then the mean of both forces.
//!
//! # Law
//! - `[heun.1]` `v~ = v + h a`, `x' = x + h/2 (v + v~)`, `f' = f(x', v~)`, `v' = v + h/2 (a + a')`
//! - `[heun.2]` as printed the next step's f is f(x', v~); textbooks take f(x', v')
//!
//! # Symbols
//! h `dt_s`, a = g - f/m acceleration at this sample, a' at the next.
//!
//! # Step
//! Explicit, second order in textbooks. Table 2.1 is reproduced only by the printed carry-over.
//!
//! # Sources
//! De Sena et al. 2009 (2.21) with the sign of f reversed.

use super::{State, Wall};

/// `[heun.1]` with the predictor's force carried over.
pub fn step_as_printed(wall: &Wall, state: State) -> State {
    let (h, a) = (wall.dt_s, wall.acceleration(state.f_n));
    let guess = state.v_m_s + h * a;
    let x_m = state.x_m + 0.5 * h * (state.v_m_s + guess);
    let f_n = wall.law.force_n(x_m, guess);
    State { x_m, v_m_s: state.v_m_s + 0.5 * h * (a + wall.acceleration(f_n)), f_n }
}

/// `[heun.1]` with the force at the corrected state (`[heun.2]`).
pub fn step_textbook(wall: &Wall, state: State) -> State {
    let next = step_as_printed(wall, state);
    State { f_n: wall.law.force_n(next.x_m, next.v_m_s), ..next }
}
