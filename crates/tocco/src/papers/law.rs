// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Hunt-Crossley law as the papers print it.
//!
//! # What
//! A spring and a damper that both stiffen with compression; below v = -1/mu the sum pulls instead of pushing.
//!
//! # Law
//! - `[law.1]` `f = k x^a (1 + mu v)` for x > 0, else 0; never clipped
//! - `[law.2]` `df/dx = a k x^(a-1) (1 + mu v)`, `df/dv = mu k x^a` for x > 0, else 0
//!
//! # Symbols
//! k `stiffness` (N/m^a), a `exponent`, mu `dissipation_s_m` (s/m), x compression (m), v its rate (m/s).
//!
//! # Step
//! None: a function of state.
//!
//! # Sources
//! De Sena et al. 2009 (2.1), Avanzini et al. 2003 (8.11) and (8.43), which omits that the derivatives vanish outside contact. The engine clips the
//! factor at zero (`interactor::impact`): with a moving partner the pull is reached and glues bodies together.

use super::compressed;
use crate::math::Real;

/// Hunt-Crossley without a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// k, N/m^exponent.
    pub stiffness: Real,
    /// a.
    pub exponent: Real,
    /// mu = lambda/k, s/m.
    pub dissipation_s_m: Real,
}

impl Law {
    /// `[law.1]`, N.
    pub fn force_n(&self, x_m: Real, v_m_s: Real) -> Real {
        self.stiffness * compressed(x_m, self.exponent) * (1.0 + self.dissipation_s_m * v_m_s)
    }

    /// `[law.2]`: by compression, N/m, and by velocity, N s/m.
    pub fn slopes(&self, x_m: Real, v_m_s: Real) -> (Real, Real) {
        let by_x = self.exponent * self.stiffness * compressed(x_m, self.exponent - 1.0);
        let by_v = self.dissipation_s_m * self.stiffness * compressed(x_m, self.exponent);
        (by_x * (1.0 + self.dissipation_s_m * v_m_s), by_v)
    }

    /// Energy in the spring, J.
    pub fn potential_j(&self, x_m: Real) -> Real {
        self.stiffness / (self.exponent + 1.0) * compressed(x_m, self.exponent + 1.0)
    }
}
