// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hammer and modal resonator, both bilinear, joined by the K method.
//!
//! # What
//! A mass strikes a bank of oscillators; all see the same force, the hammer pushed back, the bank forward.
//!
//! # Law
//! - `[hammer.1]` `q' = A q + b (f' + f)` per oscillator, `A = 1/D [[D - 2k_o, 4 Fs m], [-4 k_o Fs, 8 Fs^2 m - D]]`,
//!   `b = 1/D [1, 2 Fs]`, `D = 4 Fs^2 m + 2 Fs m g + k_o`
//! - `[hammer.2]` hammer: the same with k_o = g = 0 and the force reversed
//! - `[hammer.3]` `K = -(1/D_h + sum 1/D_o) [1, 2 Fs]`
//! - `[hammer.4]` as printed: `K = -(1/D_h + 1/sum D_o) [1, 2 Fs]`, which is wrong from two oscillators on
//!
//! # Symbols
//! m modal mass (kg), g = 2/t_e damping (1/s), k_o = m w^2 (N/m), Fs rate (Hz), compression x = x_h - sum x_o.
//!
//! # Step
//! Second order; the bilinear map lowers every frequency to `Fs/pi atan(w/(2 Fs))`: 18 kHz sounds as 12.75 kHz.
//!
//! # Sources
//! Avanzini 2001 (5.10) to (5.12) with the signs of Avanzini et al. 2003 (f >= 0 repulsive).

use super::Law;
use super::k_method::{K, Solved};
use crate::math::Real;
use crate::units::rad_s;

/// One oscillator of the bank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// Frequency, Hz.
    pub freq_hz: Real,
    /// Time to 1/e, s.
    pub decay_s: Real,
    /// Modal mass, kg.
    pub mass_kg: Real,
}

/// Which K joins hammer and bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// `[hammer.3]`
    Right,
    /// `[hammer.4]`
    AsPrinted,
}

/// A second-order section: `[hammer.1]`, `[hammer.2]`.
#[derive(Clone, Copy, Debug)]
struct Section {
    a: [[Real; 2]; 2],
    over_d: Real,
    q: [Real; 2],
}

impl Section {
    fn new(mode: Mode, rate_hz: Real) -> Self {
        let (w, m, fs) = (rad_s(mode.freq_hz), mode.mass_kg, rate_hz);
        let (k_o, g) = (m * w * w, 2.0 / mode.decay_s);
        let d = 4.0 * fs * fs * m + 2.0 * fs * m * g + k_o;
        let a = [[1.0 - 2.0 * k_o / d, 4.0 * fs * m / d], [-4.0 * k_o * fs / d, 8.0 * fs * fs * m / d - 1.0]];
        Self { a, over_d: 1.0 / d, q: [0.0; 2] }
    }

    fn advance(&mut self, rate_hz: Real, force_n: Real) {
        let [x, v] = self.q;
        self.q = [self.a[0][0] * x + self.a[0][1] * v, self.a[1][0] * x + self.a[1][1] * v];
        self.add(rate_hz, force_n);
    }

    fn add(&mut self, rate_hz: Real, force_n: Real) {
        self.q[0] += self.over_d * force_n;
        self.q[1] += 2.0 * rate_hz * self.over_d * force_n;
    }
}

/// Hammer and bank at one sample.
#[derive(Clone, Debug)]
pub struct Hammer {
    law: Law,
    rate_hz: Real,
    hammer_kg: Real,
    modes: Vec<Mode>,
    hammer: Section,
    bank: Vec<Section>,
    k: K,
    /// Contact force, N.
    pub f_n: Real,
}

impl Hammer {
    /// Hammer at the surface of a bank at rest.
    pub fn new(law: Law, hammer_kg: Real, velocity_m_s: Real, modes: &[Mode], rate_hz: Real, join: Join) -> Self {
        let free = Mode { freq_hz: 0.0, decay_s: Real::INFINITY, mass_kg: hammer_kg };
        let mut hammer = Section::new(free, rate_hz);
        hammer.q = [0.0, velocity_m_s];
        let bank: Vec<Section> = modes.iter().map(|m| Section::new(*m, rate_hz)).collect();
        let over_bank = match join {
            Join::Right => bank.iter().map(|s| s.over_d).sum(),
            Join::AsPrinted => 1.0 / bank.iter().map(|s| 1.0 / s.over_d).sum::<Real>(),
        };
        let x = -(hammer.over_d + over_bank);
        let k = K { x, v: 2.0 * rate_hz * x };
        Self { law, rate_hz, hammer_kg, modes: modes.to_vec(), hammer, bank, k, f_n: 0.0 }
    }

    /// The joining K.
    pub fn k(&self) -> K {
        self.k
    }

    /// Puts the hammer somewhere, m; 0 is the surface at rest.
    pub fn place_hammer(&mut self, position_m: Real) {
        self.hammer.q[0] = position_m;
    }

    /// Sets one oscillator in motion: displacement in m, velocity in m/s.
    pub fn set_mode(&mut self, index: usize, displacement_m: Real, velocity_m_s: Real) {
        self.bank[index].q = [displacement_m, velocity_m_s];
    }

    /// Displacement and velocity of one oscillator.
    pub fn mode(&self, index: usize) -> [Real; 2] {
        self.bank[index].q
    }

    /// Position and velocity of the hammer.
    pub fn hammer(&self) -> [Real; 2] {
        self.hammer.q
    }

    /// Position and velocity of the struck point.
    pub fn resonator(&self) -> [Real; 2] {
        self.bank.iter().fold([0.0; 2], |[x, v], s| [x + s.q[0], v + s.q[1]])
    }

    /// Compression and its rate.
    pub fn contact(&self) -> [Real; 2] {
        let ([x, v], [x_o, v_o]) = (self.hammer.q, self.resonator());
        [x - x_o, v - v_o]
    }

    /// How far the state is from obeying the law, N: zero for the right K.
    pub fn violation_n(&self) -> Real {
        let [x, v] = self.contact();
        (self.law.force_n(x, v) - self.f_n).abs()
    }

    /// Energy of hammer, bank and contact spring, J.
    pub fn energy_j(&self) -> Real {
        let mut sum = 0.5 * self.hammer_kg * self.hammer.q[1] * self.hammer.q[1];
        for (mode, section) in self.modes.iter().zip(&self.bank) {
            let w = rad_s(mode.freq_hz);
            sum += 0.5 * mode.mass_kg * (section.q[1] * section.q[1] + w * w * section.q[0] * section.q[0]);
        }
        sum + self.law.potential_j(self.contact()[0])
    }

    /// One sample.
    pub fn step(&mut self) -> Solved {
        self.hammer.advance(self.rate_hz, -self.f_n);
        for section in &mut self.bank {
            section.advance(self.rate_hz, self.f_n);
        }
        let [x, v] = self.contact();
        let solved = self.k.newton(&self.law, x, v, self.f_n);
        self.f_n = solved.f_n;
        self.hammer.add(self.rate_hz, -self.f_n);
        for section in &mut self.bank {
            section.add(self.rate_hz, self.f_n);
        }
        solved
    }
}
