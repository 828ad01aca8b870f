// SPDX-License-Identifier: MIT OR Apache-2.0
//! What two materials are like when they touch.

use std::collections::BTreeMap;

/// How two materials touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// How hard the blow is: 0 soft felt (10 ms at 1 m/s), 0.5 hard rubber (0.7 ms), 1 steel (0.05 ms).
    pub hardness_01: f64,
    /// mu of Hunt and Crossley, s/m: larger means a deader rebound.
    pub dissipation_s_m: f64,
    /// Coefficient of stiction.
    pub mu_static: f64,
    /// Coefficient of sliding.
    pub mu_dynamic: f64,
    /// rms force of the texture, as a part of the normal force.
    pub roughness: f64,
    /// How loud it is beside other pairs: what the K loudest are chosen by, besides energy.
    pub weight: f64,
}

impl Default for Surface {
    fn default() -> Self {
        Self { hardness_01: 0.6, dissipation_s_m: 0.3, mu_static: 0.5, mu_dynamic: 0.3, roughness: 0.3, weight: 1.0 }
    }
}

impl Surface {
    /// Every number is one and in its range.
    pub fn is_sane(&self) -> bool {
        let Self { hardness_01, dissipation_s_m, mu_static, mu_dynamic, roughness, weight } = *self;
        (0.0..=1.0).contains(&hardness_01)
            && [dissipation_s_m, mu_dynamic, roughness, weight].iter().all(|x| (0.0..=100.0).contains(x))
            && (mu_dynamic..=100.0).contains(&mu_static)
    }
}

/// A table of surfaces by pair of materials, whose order does not matter.
#[derive(Clone, Debug)]
pub struct Pairs {
    otherwise: Surface,
    table: BTreeMap<[u16; 2], Surface>,
}

impl Pairs {
    /// A table in which every pair is like this.
    pub fn new(otherwise: Surface) -> Self {
        Self { otherwise, table: BTreeMap::new() }
    }

    /// Two materials touch so from now on. False, with nothing done, if a number is none or out of range.
    pub fn set(&mut self, one: u16, other: u16, surface: Surface) -> bool {
        let sane = surface.is_sane();
        if sane {
            self.table.insert([one.min(other), one.max(other)], surface);
        }
        sane
    }

    /// How two materials touch.
    pub fn of(&self, materials: [u16; 2]) -> Surface {
        let [one, other] = materials;
        self.table.get(&[one.min(other), one.max(other)]).copied().unwrap_or(self.otherwise)
    }
}
