// SPDX-License-Identifier: MIT OR Apache-2.0
//! The envelope follower: a sound becomes a control signal.
//!
//! **What.** De Sena et al. 2009 drives its floors by the envelope of a contact microphone. Rises fast, falls slowly, is 0 below the noise
//! floor and 1 at the level that counts as most.
//!
//! **Law.** h the sample interval, x the sound, e its envelope:
//! - `[follow.1]  e <- (1 - b)|x| + b e`, `b = exp(-h/tau)` with tau `rise_s` where |x| > e, `fall_s` elsewhere. The
//!   printed (5.1) has both terms with the same factor and diverges; its .85 and .9975 are 0.1395 ms and 9.059 ms at
//!   44.1 kHz, which are the defaults here, so that the envelope is the same at every rate.
//! - `[follow.2]  s = 0 for e < floor, min(e/most, 1) else`.
//! - `[follow.3]  most` = the 98th percentile of the envelope where it is above 5 % of its maximum, `floor = most - 34 dB`:
//!   calibration by a recording.
//!
//! **Step.** By the sample, whatever the rate; the grid of signals reads it. Of a recording it is computed once, at the
//! recording's own rate, so that it is the same table at every rate of rendering.
//!
//! **Sources.** De Sena et al. 2009 section 5.1 (5.1), 3.4.3; the printed form mended.

use super::GRID_S;
use crate::math::{Real, exp, pow};

/// Time constants of (5.1) as printed for 44.1 kHz, s.
pub const RISE_S: Real = 0.1395e-3;
/// As [`RISE_S`].
pub const FALL_S: Real = 9.059e-3;
/// How far below the most the noise floor lies when nobody says, dB.
const FLOOR_DB: Real = -34.0;

/// The levels between which an envelope counts, full scale 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Levels {
    /// Below this it is 0.
    pub floor: Real,
    /// At this it is 1.
    pub most: Real,
}

/// An envelope of sound.
#[derive(Clone, Debug)]
pub struct Follower {
    /// b of a rise and of a fall.
    keep: [Real; 2],
    levels: Levels,
    envelope: Real,
}

impl Follower {
    /// A follower of sound at this rate, Hz. `[control]`
    pub fn new(rise_s: Real, fall_s: Real, levels: Levels, rate_hz: Real) -> Self {
        let keep = |tau: Real| if tau > 0.0 { exp(-1.0 / (rate_hz * tau)) } else { 0.0 };
        Self { keep: [keep(rise_s), keep(fault!(FOLLOW_FALL, fall_s, times 1.5))], levels, envelope: 0.0 }
    }

    /// One sample; what is not a number is silence. `[audio]`
    pub fn hear(&mut self, sample: Real) {
        let size = if sample.is_finite() { sample.abs() } else { 0.0 };
        let b = self.keep[usize::from(size <= self.envelope)];
        self.envelope = fault!(FOLLOW_LEVEL, 1.0 - b, times 0.9) * size + b * self.envelope; // [follow.1]
        if self.envelope < 1e-30 {
            self.envelope = 0.0;
        }
    }

    /// The envelope in full scale.
    pub fn envelope(&self) -> Real {
        self.envelope
    }

    /// The envelope between its levels, 0 to 1. [follow.2]
    pub fn value(&self) -> Real {
        if self.envelope < self.levels.floor { 0.0 } else { (self.envelope / self.levels.most).min(1.0) }
    }

    /// Back to silence. `[audio]`
    pub fn reset(&mut self) {
        self.envelope = 0.0;
    }
}

/// The levels of a recording. [follow.3] `[control]`
pub fn calibrate(rise_s: Real, fall_s: Real, data: &[f32], rate_hz: Real) -> Levels {
    let mut follower = Follower::new(rise_s, fall_s, Levels { floor: 0.0, most: 1.0 }, rate_hz);
    let mut all: Vec<Real> = Vec::with_capacity(data.len());
    for sample in data {
        follower.hear(Real::from(*sample));
        all.push(follower.envelope());
    }
    let loudest = all.iter().copied().fold(0.0, Real::max);
    all.retain(|e| *e > 0.05 * loudest);
    all.sort_by(Real::total_cmp);
    let most = all.get((0.98 * all.len() as Real) as usize).or(all.last()).copied().unwrap_or(1.0);
    Levels { floor: most * pow(10.0, FLOOR_DB / 20.0), most }
}

/// The envelope of a recording on the grid of signals, from a time on, s. `[control]`
pub fn table(mut follower: Follower, data: &[f32], rate_hz: Real, at_s: Real) -> Vec<Real> {
    let end = ((at_s + data.len() as Real / rate_hz) / GRID_S).ceil() as usize + 1;
    let mut heard = 0;
    let value = |k: usize| {
        let due = ((k as Real * GRID_S - at_s) * rate_hz).max(0.0) as usize;
        while heard < due {
            follower.hear(data.get(heard).map_or(0.0, |x| Real::from(*x)));
            heard += 1;
        }
        follower.value()
    };
    (0..end).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Levels = Levels { floor: 0.0, most: 1.0 };

    #[test]
    fn silence_decays_to_nothing_where_the_printed_form_diverges() {
        let mut follower = Follower::new(RISE_S, FALL_S, PLAIN, 44_100.0);
        (0..1000).for_each(|_| follower.hear(1.0));
        assert!((follower.envelope() - 1.0).abs() < 1e-12);
        (0..44_100).for_each(|_| follower.hear(0.0));
        assert_eq!(follower.envelope(), 0.0);
        // As printed, with one factor on both terms, a steady sound grows without end or dies: b (|x| + e).
        let printed = (0..44_100).fold(0.0_f64, |e, _| 0.9975 * (1.0 + e));
        assert!(printed > 300.0);
    }

    #[test]
    fn the_time_constants_are_those_of_the_page_at_every_rate() {
        for rate_hz in [8_000.0, 44_100.0, 48_000.0, 96_000.0, 192_000.0] {
            let mut follower = Follower::new(RISE_S, FALL_S, PLAIN, rate_hz);
            follower.envelope = 1.0;
            let fall = (FALL_S * rate_hz) as usize;
            (0..fall).for_each(|_| follower.hear(0.0));
            let wanted = (-(fall as f64) / (rate_hz * FALL_S)).exp();
            assert!((follower.envelope() / wanted - 1.0).abs() < 1e-9, "{rate_hz}");
        }
        let printed = Follower::new(RISE_S, FALL_S, PLAIN, 44_100.0);
        assert!((printed.keep[0] - 0.85).abs() < 1e-4 && (printed.keep[1] - 0.9975).abs() < 1e-6, "{:?}", printed.keep);
        let other = Follower::new(RISE_S, FALL_S, PLAIN, 96_000.0);
        assert!(
            (other.keep[0] - 0.928_048).abs() < 1e-4 && (other.keep[1] - 0.998_851).abs() < 1e-6,
            "{:?}",
            other.keep
        );
    }

    #[test]
    fn what_is_not_a_number_is_silence_and_levels_hold_the_value_between_nothing_and_one() {
        let mut follower = Follower::new(0.0, 0.01, Levels { floor: 0.1, most: 0.5 }, 1000.0);
        follower.hear(Real::NAN);
        assert_eq!(follower.value(), 0.0);
        for (level, value) in [(0.09, 0.0), (0.2, 0.4), (0.5, 1.0), (3.0, 1.0)] {
            follower.reset();
            follower.hear(level);
            assert!((follower.value() - value).abs() < 1e-12, "{level}");
        }
    }

    #[test]
    fn a_recording_is_calibrated_by_its_own_loudest_parts_and_read_on_the_grid() {
        let mut data = vec![0.001_f32; 44_100];
        data[10_000..20_000].fill(0.4);
        let levels = calibrate(RISE_S, FALL_S, &data, 44_100.0);
        assert!((levels.most - 0.4).abs() < 1e-6 && (levels.floor / levels.most - 0.01995).abs() < 1e-4, "{levels:?}");
        let values = table(Follower::new(RISE_S, FALL_S, levels, 44_100.0), &data, 44_100.0, 0.5);
        assert_eq!(values[700], 0.0, "before 0.5 + 0.2268 s");
        assert!((values[760] - 1.0).abs() < 1e-6 && values.len() == 1501, "{}", values.len());
    }
}
