// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conversions between what scenes say and what kernels see. Each exists once, here.

use crate::math::{Real, TAU, ln, log10, pow};

/// Undamped frequency in Hz to angular frequency in rad/s.
#[inline]
pub fn rad_s(freq_hz: Real) -> Real {
    TAU * freq_hz
}

/// `decay_s`, the time to 1/e of the amplitude (t_e of the papers), to the amplitude decay rate sigma in 1/s.
/// An infinite decay time is lossless. The papers' damping coefficient is g = 2 sigma = 2/t_e.
#[inline]
pub fn decay_rate(decay_s: Real) -> Real {
    1.0 / decay_s
}

/// Time to fall by 60 dB, in s, from the time to 1/e.
#[inline]
pub fn t60_s(decay_s: Real) -> Real {
    decay_s * ln(1000.0)
}

/// Amplitude ratio to decibels.
#[inline]
pub fn db(gain: Real) -> Real {
    20.0 * log10(gain)
}

/// Decibels to amplitude ratio.
#[inline]
pub fn gain(db: Real) -> Real {
    pow(10.0, db / 20.0)
}
