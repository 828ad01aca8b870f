// SPDX-License-Identifier: MIT OR Apache-2.0
//! The closed-form corrections: any scheme, its depth clipped and its rebound overwritten.
//!
//! # What
//! When the contact begins, depth and rebound are computed from the incoming speed; the simulation is held to them.
//!
//! # Law
//! - `[correct.1]` `x <= x_max` of (2.4)
//! - `[correct.2]` at release `v := v_out` of (2.7) and (2.8)
//!
//! # Symbols
//! As in `theory`.
//!
//! # Step
//! That of the scheme underneath. Right for a rigid wall by construction and wrong elsewhere: it breaks momentum, since
//! the partner never receives what the velocity is corrected by. The engine has no such thing.
//!
//! # Sources
//! De Sena et al. 2009 section 2.1.3.

use super::{Scheme, State, Wall};
use crate::math::Real;

/// A scheme held to the closed forms.
#[derive(Clone, Copy, Debug)]
pub struct Corrected {
    scheme: Scheme,
    bounds: Option<Bounds>,
}

#[derive(Clone, Copy, Debug)]
struct Bounds {
    depth_m: Real,
    rebound_m_s: Real,
}

impl Corrected {
    /// Before any contact.
    pub fn new(scheme: Scheme) -> Self {
        Self { scheme, bounds: None }
    }

    /// One step.
    pub fn step(&mut self, wall: &Wall, state: State) -> State {
        let mut next = self.scheme.step(wall, state);
        if next.x_m > 0.0 {
            let bounds = *self.bounds.get_or_insert_with(|| {
                let impact = wall.impact(state.v_m_s);
                Bounds { depth_m: impact.max_compression_m(), rebound_m_s: impact.rebound_fit_m_s() }
            });
            next.x_m = next.x_m.min(bounds.depth_m); // [correct.1]
        } else if let Some(bounds) = self.bounds.take() {
            next.v_m_s = bounds.rebound_m_s; // [correct.2]
        }
        next
    }

    /// A whole collision, as [`Scheme::collide`].
    pub fn collide(scheme: Scheme, wall: &Wall, velocity_m_s: Real) -> Vec<State> {
        let mut this = Self::new(scheme);
        let mut states = vec![State::arriving(velocity_m_s)];
        let mut state = states[0];
        for _ in 0..1_000_000 {
            state = this.step(wall, state);
            states.push(state);
            if state.x_m <= 0.0 || !state.v_m_s.is_finite() {
                break;
            }
        }
        states
    }
}
