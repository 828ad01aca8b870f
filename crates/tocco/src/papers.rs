// SPDX-License-Identifier: MIT OR Apache-2.0
//! The papers' own schemes, kept to reproduce their tables and to show what the engine does differently.
//!
//! Nothing here is used by the engine. None of these schemes is passive: each can give a hard contact energy it never
//! had (`tests/papers.rs` measures how much). One file, one method:
//!
//! | file | what | where |
//! |---|---|---|
//! | `law` | Hunt-Crossley as printed, adhesive below v = -1/mu | De Sena et al. 2009 (2.1), Avanzini et al. 2003 (8.11), (8.43) |
//! | `am1` | 1-step Adams-Moulton (bilinear, trapezoidal) with the K method | De Sena et al. 2009 (2.19) |
//! | `k_method` | the delay-free loop by Newton or by a precomputed table | Avanzini et al. 2003 (8.32), (8.33), (8.41), (8.42) |
//! | `verlet`, `heun`, `rk4` | the explicit schemes | De Sena et al. 2009 (2.20), (2.21), (2.22) |
//! | `correct` | depth and rebound forced to their closed forms | De Sena et al. 2009 section 2.1.3 |
//! | `hammer` | hammer and modal resonator, bilinear | Avanzini 2001 (5.10) to (5.12), Avanzini et al. 2003 (8.7) |
//!
//! Signs: `m a = -f + m g` with f >= 0 repulsive; the printed `+f` of (2.19) to (2.22) diverges. Sources:
//! F. Avanzini, M. Rath, D. Rocchesso, L. Ottaviani, *Low-level models: resonators, interactions, surface textures* (2003);
//! A. De Sena et al., *Auditory and haptic augmentation of floor surfaces*, NIW deliverable 4.1 (2009);
//! F. Avanzini, *Computational issues in physically-based sound models*, thesis (2001), chapter 5.

pub mod am1;
pub mod correct;
pub mod hammer;
pub mod heun;
pub mod k_method;
pub mod law;
pub mod rk4;
pub mod verlet;

use crate::math::{Real, pow};
pub use law::Law;

/// A mass in front of a rigid wall, stepped at a fixed rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// The contact law.
    pub law: Law,
    /// Mass, kg.
    pub mass_kg: Real,
    /// Acceleration towards the wall, m/s^2.
    pub gravity_m_s2: Real,
    /// Step, s.
    pub dt_s: Real,
}

/// The mass at one sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// Compression, m; negative is free flight.
    pub x_m: Real,
    /// Velocity into the wall, m/s.
    pub v_m_s: Real,
    /// Contact force carried to the next step, N.
    pub f_n: Real,
}

impl State {
    /// On the surface, flying in.
    pub fn arriving(velocity_m_s: Real) -> Self {
        Self { x_m: 0.0, v_m_s: velocity_m_s, f_n: 0.0 }
    }
}

impl Wall {
    /// Acceleration under a contact force, m/s^2.
    pub fn acceleration(&self, f_n: Real) -> Real {
        self.gravity_m_s2 - f_n / self.mass_kg
    }

    /// Kinetic and elastic energy, J (De Sena et al. 2009 (2.13)); gravity's is left out.
    pub fn energy_j(&self, state: State) -> Real {
        0.5 * self.mass_kg * state.v_m_s * state.v_m_s + self.law.potential_j(state.x_m)
    }

    /// The same collision for the closed forms.
    pub fn impact(&self, velocity_m_s: Real) -> crate::theory::WallImpact {
        crate::theory::WallImpact {
            mass_kg: self.mass_kg,
            stiffness: self.law.stiffness,
            exponent: self.law.exponent,
            dissipation_s_m: self.law.dissipation_s_m,
            velocity_m_s,
        }
    }
}

/// The schemes of De Sena et al. 2009 section 2.1.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// 1-step Adams-Moulton.
    Am1,
    /// Velocity Verlet.
    Verlet,
    /// Heun as printed: the force is carried over from the predictor.
    Heun,
    /// Heun as in textbooks: the force is evaluated again at the corrected velocity.
    HeunTextbook,
    /// Classical fourth-order Runge-Kutta.
    Rk4,
}

impl Scheme {
    /// The four of Table 2.1 in its order.
    pub const PRINTED: [Self; 4] = [Self::Am1, Self::Verlet, Self::Heun, Self::Rk4];

    /// As the table heads it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Am1 => "AM1",
            Self::Verlet => "Verlet",
            Self::Heun => "Heun",
            Self::HeunTextbook => "Heun (textbook)",
            Self::Rk4 => "RK4",
        }
    }

    /// One step.
    pub fn step(self, wall: &Wall, state: State) -> State {
        match self {
            Self::Am1 => am1::step(wall, state).0,
            Self::Verlet => verlet::step(wall, state),
            Self::Heun => heun::step_as_printed(wall, state),
            Self::HeunTextbook => heun::step_textbook(wall, state),
            Self::Rk4 => rk4::step(wall, state),
        }
    }

    /// A whole collision, from the sample of touch to the first sample with x <= 0 (both included).
    pub fn collide(self, wall: &Wall, velocity_m_s: Real) -> Vec<State> {
        let mut states = vec![State::arriving(velocity_m_s)];
        let mut state = states[0];
        // A thousandfold of any contact the papers show; a diverging scheme stops here instead of never.
        for _ in 0..1_000_000 {
            state = self.step(wall, state);
            states.push(state);
            if state.x_m <= 0.0 || !state.v_m_s.is_finite() {
                break;
            }
        }
        states
    }
}

/// The errors that Table 2.1 prints, in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// Largest sampled compression against (2.4); the table prints it only when positive, else "n.e.".
    pub depth: Real,
    /// Rebound against the fit (2.7) with (2.8), which is the table's reference.
    pub rebound: Real,
    /// Final energy against that of the fit.
    pub energy: Real,
    /// Rebound against the exact root of (2.6).
    pub rebound_exact: Real,
    /// Final energy against that of the exact root.
    pub energy_exact: Real,
    /// Largest sampled compression, m.
    pub depth_m: Real,
    /// Velocity at the first sample with x <= 0, m/s.
    pub final_m_s: Real,
    /// Index of that sample.
    pub samples: usize,
}

/// Compares a whole collision with the closed forms.
pub fn errors(wall: &Wall, states: &[State]) -> Errors {
    let impact = wall.impact(states[0].v_m_s);
    let final_m_s = states[states.len() - 1].v_m_s;
    let depth_m = states.iter().map(|s| s.x_m).fold(0.0, Real::max);
    let (fit, exact) = (final_m_s / impact.rebound_fit_m_s(), final_m_s / impact.rebound_m_s());
    Errors {
        depth: 100.0 * (depth_m / impact.max_compression_m() - 1.0),
        rebound: 100.0 * (fit - 1.0),
        energy: 100.0 * (fit * fit - 1.0),
        rebound_exact: 100.0 * (exact - 1.0),
        energy_exact: 100.0 * (exact * exact - 1.0),
        depth_m,
        final_m_s,
        samples: states.len() - 1,
    }
}

/// Case 1 of De Sena et al. 2009 (Table 2.1 (a), Figure 2.5): 0.01 kg at 0.3 m/s, contact of 8 samples at 44.1 kHz.
pub fn case_1() -> (Wall, Real) {
    (wall_at_44100(Law { stiffness: 1e7, exponent: 1.1, dissipation_s_m: 0.1 }), 0.3)
}

/// Case 2 of De Sena et al. 2009 (Table 2.1 (b), Figure 2.6): 0.01 kg at 1 m/s, contact of 6 samples at 44.1 kHz.
pub fn case_2() -> (Wall, Real) {
    (wall_at_44100(Law { stiffness: 1e9, exponent: 1.5, dissipation_s_m: 0.5 }), 1.0)
}

/// The soft case of De Sena et al. 2009 (Figure 2.4): 0.01 kg at 0.3 m/s, contact of 159 samples at 44.1 kHz.
pub fn soft_case() -> (Wall, Real) {
    (wall_at_44100(Law { stiffness: 1e6, exponent: 1.6, dissipation_s_m: 0.5 }), 0.3)
}

fn wall_at_44100(law: Law) -> Wall {
    Wall { law, mass_kg: 0.01, gravity_m_s2: 0.0, dt_s: 1.0 / 44_100.0 }
}

/// `x^p` for compressions: zero outside contact.
fn compressed(x_m: Real, p: Real) -> Real {
    if x_m > 0.0 { pow(x_m, p) } else { 0.0 }
}
