// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finding steps in sound: where a foot comes down, where its sound ends.
//!
//! **What.** A microphone under or beside a walker. Floors that crunch still ring when the next foot falls, so that a threshold
//! alone misses it; what stands out of the last tenth of a second does not.
//!
//! **Law.** T = 1 ms, x the sound, h its sample interval, g the envelope of [follow.2] of y:
//! - `[steps.1]  y <- a (y + x - x_before)`, `a = exp(-2 pi 500 Hz h)`: rumble and thuds of a room are left out.
//! - `[steps.2]  start: g > on and g > ratio s, at least least_s after the last`, s the slow follower.
//! - `[steps.3]  s <- s + (1 - exp(-T/slow)) (g - s)`
//! - `[steps.4]  end: g < off for quiet_s`; it counts from where g fell below.
//! - `[steps.5]  start: g > on, after an end`: the pair of thresholds as printed, for comparison.
//! - `[steps.6]  release: release_s after an end`: then what is random may be drawn anew.
//!
//! **Symbols.** on 0.12, off 0.04, ratio 2, slow 0.12 s, least 0.3 s, quiet 0.06 s, release 0.4 s.
//!
//! **Step.** [`StepFinder`] takes one value of an envelope per millisecond; [`StepListener`] makes them from sound. Both are plain
//! state, for files and for live sound alike.
//!
//! **Sources.** De Sena et al. 2009 sections 3.4.3, 5.1, 5.2; ours: the slow follower, the high pass, the numbers.

use super::GRID_S;
use super::follow::{FALL_S, Follower, Levels, RISE_S, calibrate};
use crate::math::{Real, TAU, exp};

/// Below this a sound is not listened to, Hz.
const LOWEST_HZ: Real = 500.0;

/// When a step begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepRule {
    /// The envelope rises above `on` and above so many times its own slow mean. [steps.2]
    Rising {
        /// How many times.
        ratio: Real,
    },
    /// The envelope rises above `on` after the last step has ended: the printed pair. [steps.5]
    Pair,
}

/// Thresholds and times by which steps are found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepOptions {
    /// When a step begins.
    pub rule: StepRule,
    /// Envelope above which a step may begin, most is 1.
    pub on: Real,
    /// Envelope below which it ends.
    pub off: Real,
    /// For so long, s.
    pub quiet_s: Real,
    /// Least distance of two steps, s.
    pub least_s: Real,
    /// Time constant of the slow follower, s.
    pub slow_s: Real,
    /// From the end of a step to its release, s.
    pub release_s: Real,
}

impl Default for StepOptions {
    fn default() -> Self {
        let rule = StepRule::Rising { ratio: 2.0 };
        Self { rule, on: 0.12, off: 0.04, quiet_s: 0.06, least_s: 0.3, slow_s: 0.12, release_s: 0.4 }
    }
}

/// What was found, and since when it holds, s from the first sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepMark {
    /// A foot comes down.
    Start(Real),
    /// Its sound has ended.
    End(Real),
    /// All that is random may be drawn anew.
    Release(Real),
}

/// Finds steps in an envelope on the grid of 1 ms.
#[derive(Clone, Debug)]
pub struct StepFinder {
    options: StepOptions,
    keep: Real,
    slow: Real,
    cell: u64,
    /// Cells of the last start, of the first quiet value, and of the last end.
    started: Option<u64>,
    quiet: Option<u64>,
    ended: Option<u64>,
    sounding: bool,
}

impl StepFinder {
    /// Finds nothing yet. `[control]`
    pub fn new(options: StepOptions) -> Self {
        let keep = if options.slow_s > 0.0 { exp(-GRID_S / options.slow_s) } else { 0.0 };
        Self { options, keep, slow: 0.0, cell: 0, started: None, quiet: None, ended: None, sounding: false }
    }

    /// The next millisecond of the envelope, 0 to 1. `[audio]`
    pub fn hear(&mut self, value: Real) -> Option<StepMark> {
        let value = if value.is_finite() { value } else { 0.0 };
        let cell = self.cell;
        self.cell += 1;
        let since = |from: u64| (cell - from) as Real * GRID_S + 0.5 * GRID_S;
        let slow = self.slow;
        self.slow += (1.0 - self.keep) * (value - self.slow); // [steps.3]
        let o = &self.options;
        let stands_out = match o.rule {
            StepRule::Rising { ratio } => {
                value > ratio * slow && self.started.is_none_or(|from| since(from) > o.least_s) // [steps.2]
            }
            StepRule::Pair => !self.sounding, // [steps.5]
        };
        if value > o.on && stands_out {
            (self.started, self.quiet, self.ended, self.sounding) = (Some(cell), None, None, true);
            return Some(StepMark::Start(cell as Real * GRID_S));
        }
        if self.sounding {
            self.quiet = (value < o.off).then(|| self.quiet.unwrap_or(cell)); // [steps.4]
            if let Some(from) = self.quiet.filter(|from| since(*from) > o.quiet_s) {
                (self.sounding, self.ended, self.quiet) = (false, Some(from), None);
                return Some(StepMark::End(from as Real * GRID_S));
            }
        }
        let from = self.ended.filter(|from| since(*from) > o.release_s)?; // [steps.6]
        self.ended = None;
        Some(StepMark::Release((from as Real) * GRID_S + o.release_s))
    }

    /// True from a start to its end.
    pub fn is_sounding(&self) -> bool {
        self.sounding
    }

    /// Forgets everything but the time. `[audio]`
    pub fn reset(&mut self) {
        (self.slow, self.started, self.quiet, self.ended, self.sounding) = (0.0, None, None, None, false);
    }
}

/// Finds steps in sound.
#[derive(Clone, Debug)]
pub struct StepListener {
    high: HighPass,
    follower: Follower,
    finder: StepFinder,
    rate_hz: Real,
    heard: u64,
    cell: u64,
}

impl StepListener {
    /// A listener at this rate, Hz, between levels of [`step_levels`]. `[control]`
    pub fn new(levels: Levels, options: StepOptions, rate_hz: Real) -> Self {
        let follower = Follower::new(RISE_S, FALL_S, levels, rate_hz);
        Self { high: HighPass::new(rate_hz), follower, finder: StepFinder::new(options), rate_hz, heard: 0, cell: 0 }
    }

    /// One sample. `[audio]`
    pub fn hear(&mut self, sample: Real) -> Option<StepMark> {
        let due = self.heard as Real >= self.cell as Real * GRID_S * self.rate_hz;
        self.follower.hear(self.high.step(if sample.is_finite() { sample } else { 0.0 }));
        self.heard += 1;
        if !due {
            return None;
        }
        self.cell += 1;
        self.finder.hear(self.follower.value())
    }

    /// The envelope between its levels, 0 to 1.
    pub fn value(&self) -> Real {
        self.follower.value()
    }
}

/// [steps.1]
#[derive(Clone, Debug)]
struct HighPass {
    keep: Real,
    x: Real,
    y: Real,
}

impl HighPass {
    fn new(rate_hz: Real) -> Self {
        Self { keep: exp(-TAU * LOWEST_HZ / rate_hz), x: 0.0, y: 0.0 }
    }

    fn step(&mut self, x: Real) -> Real {
        self.y = self.keep * (self.y + x - self.x);
        self.x = x;
        self.y
    }
}

/// The noise floor and the most of a calibration walk, as [`StepListener`] hears it. [follow.3] `[control]`
pub fn step_levels(data: &[f32], rate_hz: Real) -> Levels {
    let mut high = HighPass::new(rate_hz);
    let heard: Vec<f32> = data.iter().map(|x| high.step(Real::from(*x)) as f32).collect();
    calibrate(RISE_S, FALL_S, &heard, rate_hz)
}

/// Starts and ends of the steps of a recording, s; a step that has not ended where the recording does ends there. `[control]`
pub fn steps_of(data: &[f32], rate_hz: Real, levels: Levels, options: StepOptions) -> Vec<[Real; 2]> {
    let mut listener = StepListener::new(levels, options, rate_hz);
    let mut steps: Vec<[Real; 2]> = Vec::new();
    let mut open = false;
    for sample in data {
        match listener.hear(Real::from(*sample)) {
            Some(StepMark::Start(at)) => {
                if let Some(last) = steps.last_mut().filter(|_| open) {
                    last[1] = at;
                }
                steps.push([at, data.len() as Real / rate_hz]);
                open = true;
            }
            Some(StepMark::End(at)) => {
                if let Some(last) = steps.last_mut() {
                    last[1] = at;
                }
                open = false;
            }
            _ => {}
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// Noise that begins at these times and dies with a time constant.
    fn walk(starts: &[Real], decay_s: Real, rate_hz: Real, seconds: Real) -> Vec<f32> {
        let mut rng = Rng::new(3, "walk");
        (0..(seconds * rate_hz) as usize)
            .map(|n| {
                let t = n as Real / rate_hz;
                let level: Real = starts.iter().filter(|from| t >= **from).map(|from| exp(-(t - from) / decay_s)).sum();
                (0.3 * level * rng.normal() + 1e-4 * rng.normal()) as f32
            })
            .collect()
    }

    const STARTS: [Real; 6] = [0.2, 0.76, 1.31, 1.87, 2.42, 2.98];

    fn starts(data: &[f32], rate_hz: Real, options: StepOptions) -> Vec<Real> {
        steps_of(data, rate_hz, step_levels(data, rate_hz), options).iter().map(|step| step[0]).collect()
    }

    #[test]
    fn steps_that_ring_into_each_other_are_found_where_the_printed_pair_misses_them() {
        let data = walk(&STARTS, 0.18, 44_100.0, 4.0);
        let found = starts(&data, 44_100.0, StepOptions::default());
        assert_eq!(found.len(), 6, "{found:?}");
        for (found, wanted) in found.iter().zip(STARTS) {
            assert!((found - wanted).abs() < 0.01, "{found} {wanted}");
        }
        let pair = StepOptions { rule: StepRule::Pair, ..StepOptions::default() };
        let by_pair = starts(&data, 44_100.0, pair);
        assert!(by_pair.len() < 4, "{by_pair:?}");
        // Where a step has died away before the next, both agree.
        let dry = walk(&STARTS, 0.03, 44_100.0, 4.0);
        assert_eq!(starts(&dry, 44_100.0, pair).len(), 6);
        assert_eq!(starts(&dry, 44_100.0, StepOptions::default()).len(), 6);
    }

    #[test]
    fn steps_are_found_at_the_same_times_at_every_rate() {
        for rate_hz in [8_000.0, 22_050.0, 44_100.0, 48_000.0, 96_000.0] {
            let found = starts(&walk(&STARTS, 0.05, rate_hz, 4.0), rate_hz, StepOptions::default());
            assert_eq!(found.len(), 6, "{rate_hz}: {found:?}");
            assert!(found.iter().zip(STARTS).all(|(f, w)| (f - w).abs() < 0.005), "{rate_hz}: {found:?}");
        }
    }

    #[test]
    fn a_step_ends_where_it_fell_silent_and_is_released_four_tenths_of_a_second_later() {
        let mut finder = StepFinder::new(StepOptions::default());
        let value = |k: usize| if (100..250).contains(&k) { 0.5 } else { 0.0 };
        let marks: Vec<StepMark> = (0..1000).filter_map(|k| finder.hear(value(k))).collect();
        let at: Vec<(u8, i32)> = marks
            .iter()
            .map(|mark| match mark {
                StepMark::Start(at) => (0, (1e3 * at).round() as i32),
                StepMark::End(at) => (1, (1e3 * at).round() as i32),
                StepMark::Release(at) => (2, (1e3 * at).round() as i32),
            })
            .collect();
        assert_eq!(at, [(0, 100), (1, 250), (2, 650)]);
    }

    #[test]
    fn a_step_that_begins_before_the_release_of_the_last_keeps_what_was_drawn() {
        let mut finder = StepFinder::new(StepOptions::default());
        let value = |k: usize| if (100..250).contains(&k) || (500..650).contains(&k) { 0.5 } else { 0.0 };
        let released = (0..2000).filter(|k| matches!(finder.hear(value(*k)), Some(StepMark::Release(_)))).count();
        assert_eq!(released, 1);
    }

    #[test]
    fn silence_noise_and_what_is_not_a_number_hold_no_steps() {
        let levels = Levels { floor: 0.01, most: 0.5 };
        let quiet = vec![0.0_f32; 44_100];
        assert!(steps_of(&quiet, 44_100.0, levels, StepOptions::default()).is_empty());
        let broken = vec![f32::NAN; 44_100];
        assert!(steps_of(&broken, 44_100.0, levels, StepOptions::default()).is_empty());
        // A hum of 50 Hz is not listened to.
        let hum: Vec<f32> = (0..44_100).map(|n| (0.3 * (0.007_123_8 * f64::from(n)).sin()) as f32).collect();
        assert!(steps_of(&hum, 44_100.0, levels, StepOptions::default()).is_empty());
    }
}
