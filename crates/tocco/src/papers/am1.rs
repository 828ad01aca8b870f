// SPDX-License-Identifier: MIT OR Apache-2.0
//! 1-step Adams-Moulton for a mass on a wall: the trapezoidal rule, alias bilinear transform.
//!
//! # What
//! The mean of the forces at both ends of the step moves the mass; the later one is found by the K method.
//!
//! # Law
//! - `[am1.1]` `x' = x + h v + h^2/2 g - h^2/(4m) (f' + f)`, `v' = v + h g - h/(2m) (f' + f)`
//! - `[am1.2]` `K = -(h^2/(4m), h/(2m))`
//!
//! # Symbols
//! h `dt_s`, m `mass_kg`, g `gravity_m_s2`, primes the next sample.
//!
//! # Step
//! Second order, implicit. A-stable for linear springs, which says nothing here: energy grows on hard contacts.
//!
//! # Sources
//! De Sena et al. 2009 (2.19) with the sign of f reversed.

use super::k_method::{K, Solved, Table};
use super::{State, Wall};

/// `[am1.2]`
pub fn k(wall: &Wall) -> K {
    let h = wall.dt_s;
    K { x: -h * h / (4.0 * wall.mass_kg), v: -h / (2.0 * wall.mass_kg) }
}

/// One step by Newton, with its report.
pub fn step(wall: &Wall, state: State) -> (State, Solved) {
    let free = free_step(wall, state);
    let solved = k(wall).newton(&wall.law, free.x_m, free.v_m_s, state.f_n);
    (with_force(wall, free, solved.f_n), solved)
}

/// One step by table.
pub fn step_by_table(wall: &Wall, table: &Table, state: State) -> State {
    let free = free_step(wall, state);
    with_force(wall, free, table.force_n(free.x_m, free.v_m_s))
}

/// `[am1.1]` with f' = 0.
fn free_step(wall: &Wall, state: State) -> State {
    let (h, k) = (wall.dt_s, k(wall));
    State {
        x_m: state.x_m + h * state.v_m_s + 0.5 * h * h * wall.gravity_m_s2 + k.x * state.f_n,
        v_m_s: state.v_m_s + h * wall.gravity_m_s2 + k.v * state.f_n,
        f_n: 0.0,
    }
}

fn with_force(wall: &Wall, free: State, f_n: crate::math::Real) -> State {
    let k = k(wall);
    State { x_m: free.x_m + k.x * f_n, v_m_s: free.v_m_s + k.v * f_n, f_n }
}
