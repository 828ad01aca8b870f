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

/// A number as people write it, every digit.
pub fn plain(number: Real) -> String {
    let size = number.abs();
    if number != 0.0 && number.is_finite() && !(1e-3..1e6).contains(&size) {
        format!("{number:e}")
    } else {
        number.to_string()
    }
}

/// A number for people, with up to four digits that matter.
pub fn short(x: Real) -> String {
    let magnitude = x.abs();
    if magnitude != 0.0 && !(1e-3..1e6).contains(&magnitude) {
        let text = format!("{x:.3e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'));
    }
    let decimals = (3 - log10(magnitude.max(1e-3)).floor() as i32).clamp(0, 6) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_the_digits_that_matter() {
        for (x, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (1e9, "1e9"),
            (0.00012, "1.2e-4"),
            (440.25, "440.2"),
            (-2.5, "-2.5"),
            (0.45, "0.45"),
            (48_000.0, "48000"),
        ] {
            assert_eq!(short(x), text);
        }
    }
}
