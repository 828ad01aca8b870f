// SPDX-License-Identifier: MIT OR Apache-2.0
//! What bodies are made of.

use crate::math::{PI, Real, pow};

/// A homogeneous elastic material with losses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Density, kg/m^3.
    pub density_kg_m3: Real,
    /// Young's modulus, Pa.
    pub young_pa: Real,
    /// Poisson's ratio.
    pub poisson: Real,
    /// Loss factor (1/Q) at 1 kHz.
    pub loss_factor: Real,
    /// Exponent of the loss factor over frequency.
    pub loss_exponent: Real,
}

impl Material {
    /// A material by its name.
    pub fn named(id: &str) -> Option<&'static Entry> {
        ENTRIES.iter().find(|entry| entry.id == id)
    }

    /// Quality factor at a frequency.
    pub fn q(&self, freq_hz: Real) -> Real {
        1.0 / (self.loss_factor * pow(freq_hz / 1000.0, self.loss_exponent))
    }

    /// Time to 1/e of the amplitude, s.
    pub fn decay_s(&self, freq_hz: Real) -> Real {
        self.q(freq_hz) / (PI * freq_hz)
    }
}

/// A row of the table of materials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Name in scene files.
    pub id: &'static str,
    /// Its properties.
    pub material: Material,
}

/// The materials by name.
pub const ENTRIES: &[Entry] = &[
    Entry {
        id: "steel",
        material: Material {
            density_kg_m3: 7850.0,
            young_pa: 2.05e11,
            poisson: 0.29,
            loss_factor: 5e-4,
            loss_exponent: 0.0,
        },
    },
    Entry {
        id: "skin",
        material: Material {
            density_kg_m3: 1380.0,
            young_pa: 3.5e9,
            poisson: 0.38,
            loss_factor: 1e-2,
            loss_exponent: 0.0,
        },
    },
];
