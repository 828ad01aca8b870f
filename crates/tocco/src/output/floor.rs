// SPDX-License-Identifier: MIT OR Apache-2.0
//! A floor: the noise of a place where nothing happens.
//!
//! **What.** No recording is silent between its sounds. An output may say how loud its background is: seeded noise, added to each of its
//! channels after everything else, each with its own. It is said by nobody's default.
//!
//! **Law.** `[floor.1]  y = x + 10^(L/20) n`, n of variance 1 and power 1/f^beta from `first_hz` to half the rate, flat below ([fractal.1] to
//! [fractal.5]).
//!
//! **Symbols.** L `level_db`, rms of each channel against full scale, dB; beta `beta`.
//!
//! **Sources.** ours.

use crate::math::Real;
use crate::rng::Rng;
use crate::texture::fractal::{DEFAULT_POLES_PER_DECADE, FIRST, Fractal};
use crate::units::gain;

/// A floor as it is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloorMake {
    /// rms of each channel against full scale, dB.
    pub level_db: Real,
    /// Exponent of the spectrum, 0 to 2.
    pub beta: Real,
    /// Flat below, Hz.
    pub first_hz: Real,
    /// By which it is drawn.
    pub seed: u64,
}

/// A floor under some channels.
#[derive(Clone, Debug)]
pub(super) struct Floor {
    noises: Vec<Fractal>,
    gain: Real,
}

impl Floor {
    /// Under so many channels. The only allocation. `[control]`
    pub fn new(make: &FloorMake, channels: usize, rate_hz: Real) -> Self {
        let first_hz = make.first_hz.clamp(FIRST.start() * rate_hz, FIRST.end() * rate_hz);
        let noise = |channel: usize| {
            let rng = Rng::new(make.seed, &format!("floor {channel}"));
            Fractal::new(make.beta, DEFAULT_POLES_PER_DECADE, first_hz, rate_hz, rng)
        };
        Self { noises: (0..channels).map(noise).collect(), gain: fault!(FLOOR_LEVEL, gain(make.level_db), times 2.0) }
    }

    /// What is added to a channel in the coming sample. [floor.1] `[audio]`
    #[inline]
    pub fn next(&mut self, channel: usize) -> Real {
        self.gain * self.noises[channel].draw()
    }
}
