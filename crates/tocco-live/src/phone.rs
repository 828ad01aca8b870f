// SPDX-License-Identifier: MIT OR Apache-2.0
//! A phone that is carried while one walks: its accelerations become steps, scrapes and a tone.
//!
//! **What.** In a pocket or at a heel an accelerometer shows every step as a knock, whatever way round the phone lies: only the size of the
//! acceleration counts, and the way down, which is where it points on average. Such a phone is a trigger, too late to close the loop between foot
//! and ear: see [`DELAY_S`].
//!
//! **Law.** T = 1/60 s, a the acceleration with gravity, m = |a|, e what steps have reached lately:
//! - `[phone.1]  g <- g + (1 - exp(-T/0.5 s)) (m - g)`, `y <- y + (1 - exp(-2 pi 8 Hz T)) (m - g - y)`
//! - `[phone.2]  step: y > max(0.8 m/s^2, 0.35 e)`, once y has been below `0.1 e` and 0.3 s after the last.
//! - `[phone.3]  e <- 0.7 e + 0.3 peak` when y falls below that; between steps e dies with 4 s.
//! - `[phone.4]  F = 0.8 + 0.05 (peak - 1)` body weights, within 0.7 and 1.8: how hard the next step is taken to be.
//! - `[phone.5]  h = a - g - down (a - g, down)`, between 4 and 20 Hz; a scrape while its rms over 0.15 s has been above 1.5 m/s^2 for 0.15 s and
//!   no step has begun; it ends below 0.7 of that. Its speed is the length of the integral of h, which forgets with 0.15 s.
//! - `[phone.6]  amplitude = |x|/(10 m/s^2)`, `frequency = 440 Hz 2^(y/(9.81 m/s^2))` of smoothed x and y: the accelerations heard directly.
//!
//! **Step.** Readings come with their times; between them a line is drawn, and the law runs 60 times a second on it. No clock.
//!
//! **Sources.** De Sena et al. 2009 chapter 6 for [phone.5] (thresholds) and [phone.6] (pure tones driven by x and y); the numbers are ours. In the demonstration
//! recording of PyPI gaitpy 1.6.1 (168 s at the waist, 50 readings a second, nothing of it is here) all 102 contacts that gaitpy finds were found, and 110
//! steps in all within a second of one. Scrapes were tried on no recording.

use tocco::gait::curve::{WalkCurve, walk_timing};
use tocco::math::{TAU, exp, pow};

/// How much later than the foot [phone.2] is, s: what smoothing takes, 1/(2 pi 8 Hz), and one reading.
pub const DELAY_S: f64 = 0.04;
/// The law's own step, s.
const GRID_S: f64 = 1.0 / 60.0;
/// Readings further apart than this do not belong together, s.
const GAP_S: f64 = 0.25;
/// Least time between two steps, s, and least knock of a step, m/s^2.
const LEAST_S: f64 = 0.3;
const LEAST_M_S2: f64 = 0.8;
/// A scrape: rms of the acceleration, m/s^2, how long, s, and the part of it where it ends.
const SCRAPE_M_S2: f64 = 1.5;
const SCRAPE_S: f64 = 0.15;
const SCRAPE_END: f64 = 0.7;
/// Values in the window of [phone.5].
const WINDOW: usize = 9;
/// The speed at which a step's curve is taken, m/s.
const SPEED_M_S: f64 = 1.3;
/// Where a step's curve is told, in stances: closely where it knocks.
const TOLD: [f64; 24] = [
    0.0, 0.008, 0.016, 0.024, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.66, 0.7, 0.75, 0.8,
    0.85, 0.9, 0.95, 1.0,
];

/// What was felt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Felt {
    /// A foot (0 left, 1 right, in turn) came down: when, s, and how hard, body weights.
    Step(f64, usize, f64),
    /// It scrapes: when, s, and how fast, m/s; 0 where it ends.
    Scrape(f64, f64),
}

/// One value that follows another with a time constant.
fn near(from: f64, to: f64, constant_s: f64) -> f64 {
    from + (1.0 - exp(-GRID_S / constant_s)) * (to - from)
}

fn around(hz: f64) -> f64 {
    1.0 / (TAU * hz)
}

fn length(a: [f64; 3]) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// A phone and what it has felt.
#[derive(Clone, Debug)]
pub struct Phone {
    /// The last reading, and when the law runs next, s.
    last: Option<(f64, [f64; 3])>,
    due_s: f64,
    /// g and y of [phone.1]; the mean acceleration, which points up.
    mean: f64,
    knock: f64,
    up: [f64; 3],
    /// Of [phone.2] and [phone.3].
    reached: f64,
    peak: Option<f64>,
    stepped_s: f64,
    foot: usize,
    force_bw: f64,
    /// Of [phone.5].
    low: [f64; 3],
    slow: [f64; 3],
    speed: [f64; 3],
    window: [f64; WINDOW],
    place: usize,
    over_s: f64,
    scrapes: bool,
    /// Of [phone.6].
    smooth: [f64; 3],
}

impl Default for Phone {
    fn default() -> Self {
        Self {
            last: None,
            due_s: 0.0,
            mean: 0.0,
            knock: 0.0,
            up: [0.0; 3],
            reached: 0.0,
            peak: None,
            stepped_s: f64::NEG_INFINITY,
            foot: 0,
            force_bw: 1.0,
            low: [0.0; 3],
            slow: [0.0; 3],
            speed: [0.0; 3],
            window: [0.0; WINDOW],
            place: 0,
            over_s: 0.0,
            scrapes: false,
            smooth: [0.0; 3],
        }
    }
}

impl Phone {
    /// A reading: its time, s, and the acceleration with gravity, m/s^2. What is no number, and what is not later than the last, is left out; after a
    /// gap everything begins anew.
    pub fn feel(&mut self, at_s: f64, a: [f64; 3]) -> Vec<Felt> {
        let mut felt = Vec::new();
        if !at_s.is_finite() || a.iter().any(|x| !x.is_finite()) {
            return felt;
        }
        match self.last {
            Some((before, _)) if at_s <= before => return felt,
            Some((before, from)) if at_s - before <= GAP_S => {
                while self.due_s <= at_s {
                    let part = (self.due_s - before) / (at_s - before);
                    let value = std::array::from_fn(|i| from[i] + part * (a[i] - from[i]));
                    self.step(self.due_s, value, &mut felt);
                    self.due_s += GRID_S;
                }
            }
            _ => {
                if self.scrapes {
                    felt.push(Felt::Scrape(at_s, 0.0));
                }
                let (foot, force_bw, reached, stepped_s) = (self.foot, self.force_bw, self.reached, self.stepped_s);
                *self = Self { foot, force_bw, reached, stepped_s, due_s: at_s, ..Self::default() };
                (self.mean, self.up, self.low, self.slow, self.smooth) = (length(a), a, [0.0; 3], [0.0; 3], a);
            }
        }
        self.last = Some((at_s, a));
        felt
    }

    fn step(&mut self, t: f64, a: [f64; 3], felt: &mut Vec<Felt>) {
        let m = length(a);
        self.mean = near(self.mean, m, 0.5); // [phone.1]
        self.knock = near(self.knock, m - self.mean, around(8.0));
        self.reached *= exp(-GRID_S / 4.0);
        self.smooth = std::array::from_fn(|i| near(self.smooth[i], a[i], around(8.0)));
        match self.peak {
            Some(peak) if self.knock < 0.1 * self.reached => {
                self.reached = 0.7 * self.reached + 0.3 * peak; // [phone.3]
                self.force_bw = (0.8 + 0.05 * (peak - 1.0)).clamp(0.7, 1.8); // [phone.4]
                self.peak = None;
            }
            Some(peak) => self.peak = Some(peak.max(self.knock)),
            None if self.knock > LEAST_M_S2.max(0.35 * self.reached) && t - self.stepped_s > LEAST_S => {
                (self.peak, self.stepped_s, self.over_s) = (Some(self.knock), t, 0.0); // [phone.2]
                felt.push(Felt::Step(t, self.foot, self.force_bw));
                self.foot = 1 - self.foot;
            }
            None => {}
        }
        self.scrape(t, a, felt);
    }

    fn scrape(&mut self, t: f64, a: [f64; 3], felt: &mut Vec<Felt>) {
        self.up = std::array::from_fn(|i| near(self.up[i], a[i], 0.5));
        let (size, off) = (length(self.up).max(1e-9), std::array::from_fn::<f64, 3, _>(|i| a[i] - self.up[i]));
        let along: f64 = off.iter().zip(self.up).map(|(x, up)| x * up / size).sum();
        let flat: [f64; 3] = std::array::from_fn(|i| off[i] - along * self.up[i] / size);
        self.low = std::array::from_fn(|i| near(self.low[i], flat[i], around(20.0))); // [phone.5]
        self.slow = std::array::from_fn(|i| near(self.slow[i], self.low[i], around(4.0)));
        let band: [f64; 3] = std::array::from_fn(|i| self.low[i] - self.slow[i]);
        self.speed = std::array::from_fn(|i| near(self.speed[i], 0.0, 0.15) + GRID_S * band[i]);
        self.window[self.place] = band.iter().map(|x| x * x).sum();
        self.place = (self.place + 1) % WINDOW;
        let rms = (self.window.iter().sum::<f64>() / WINDOW as f64).sqrt();
        self.over_s = if rms > SCRAPE_M_S2 { self.over_s + GRID_S } else { 0.0 };
        if self.scrapes && rms < SCRAPE_END * SCRAPE_M_S2 {
            self.scrapes = false;
            felt.push(Felt::Scrape(t, 0.0));
        } else if self.scrapes || self.over_s > SCRAPE_S {
            self.scrapes = true;
            felt.push(Felt::Scrape(t, length(self.speed)));
        }
    }

    /// The tone of the last readings: its frequency, Hz, and its amplitude, 0 to 1. [phone.6]
    pub fn tone(&self) -> [f64; 2] {
        let [x, y, _] = self.smooth;
        [440.0 * pow(2.0, (y / 9.81).clamp(-3.0, 3.0)), (x.abs() / 10.0).min(1.0)]
    }
}

/// What a foot presses in a step of so many body weights, as glides: after how many seconds each begins, how long it takes, and what heel and toe
/// then press, body weights. The largest force of the first half of the curve is the step's.
pub fn step(force_bw: f64) -> Vec<[f64; 4]> {
    let curve = WalkCurve::at_speed(SPEED_M_S);
    let (hz, duty) = walk_timing(SPEED_M_S);
    let (stance_s, factor) = (2.0 * duty / hz, force_bw / curve.forces[0]);
    let told = TOLD.windows(2).map(|pair| {
        let (from, to) = (pair[0], pair[1]);
        let (force, heel) = (factor * curve.force(to), curve.heel_share(to));
        [stance_s * from, stance_s * (to - from), heel * force, (1.0 - heel) * force]
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tocco::rng::Rng;

    /// A phone that knocks at these times: half a sine of 0.1 s and so many m/s^2 along a direction, and a little noise.
    fn carried(knocks: &[f64], strength: f64, up: [f64; 3], rate_hz: f64, seconds: f64) -> Vec<(f64, [f64; 3])> {
        let mut rng = Rng::new(5, "phone");
        (0..(seconds * rate_hz) as usize)
            .map(|n| {
                let t = n as f64 / rate_hz;
                let knock = |at: &f64| if t >= *at && t < at + 0.1 { (31.4 * (t - at)).sin() } else { 0.0 };
                let size = 9.81 + strength * knocks.iter().map(knock).sum::<f64>();
                (t, up.map(|x| x * size + 0.05 * rng.normal()))
            })
            .collect()
    }

    fn steps(readings: &[(f64, [f64; 3])]) -> Vec<f64> {
        let mut phone = Phone::default();
        let felt = readings.iter().flat_map(|(t, a)| phone.feel(*t, *a));
        felt.filter_map(|felt| if let Felt::Step(at, ..) = felt { Some(at) } else { None }).collect()
    }

    fn walk() -> Vec<f64> {
        (0..30).map(|k| 1.0 + 0.55 * f64::from(k) + 0.02 * f64::from(k % 3)).collect()
    }

    #[test]
    fn every_step_is_found_once_and_as_late_as_is_said_whatever_way_round_and_however_often_the_phone_tells() {
        let knocks = walk();
        for up in [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [-0.6, 0.0, 0.8], [0.48, -0.6, 0.64]] {
            for rate_hz in [50.0, 60.0, 100.0, 200.0] {
                let found = steps(&carried(&knocks, 4.0, up, rate_hz, 20.0));
                assert_eq!(found.len(), 30, "{up:?}, {rate_hz}: {found:?}");
                let late: Vec<f64> = found.iter().zip(&knocks).map(|(at, knock)| at - knock).collect();
                assert!(late.iter().all(|late| (0.0..0.1).contains(late)), "{rate_hz}: {late:?}");
                let mean = late.iter().sum::<f64>() / 30.0;
                assert!((0.5 * DELAY_S..1.25 * DELAY_S).contains(&mean), "{rate_hz}: {mean} s");
            }
        }
    }

    #[test]
    fn a_phone_that_lies_still_breaks_off_or_tells_nonsense_takes_no_step() {
        assert!(steps(&carried(&[], 0.0, [0.0, 1.0, 0.0], 60.0, 30.0)).is_empty());
        let mut broken = carried(&walk(), 4.0, [0.0, 1.0, 0.0], 60.0, 20.0);
        broken.iter_mut().for_each(|(_, a)| a[1] = f64::NAN);
        assert!(steps(&broken).is_empty());
        // Readings once a second belong to no walk; time that falls is not walked through twice.
        assert!(steps(&carried(&walk(), 4.0, [0.0, 1.0, 0.0], 1.0, 60.0)).is_empty());
        let mut twice = carried(&walk(), 4.0, [0.0, 1.0, 0.0], 60.0, 20.0);
        twice.extend(twice.clone());
        assert_eq!(steps(&twice).len(), 30);
    }

    #[test]
    fn feet_take_turns_and_a_harder_step_is_told_by_the_next() {
        let mut phone = Phone::default();
        let mut forces = [Vec::new(), Vec::new()];
        for (strength, into) in [3.0, 12.0].into_iter().zip(&mut forces) {
            let mut feet = Vec::new();
            let from = phone.last.map_or(0.0, |(t, _)| t + 0.01);
            for (t, a) in carried(&walk(), strength, [0.0, 1.0, 0.0], 60.0, 20.0) {
                for felt in phone.feel(from + t, a) {
                    if let Felt::Step(_, foot, force) = felt {
                        feet.push(foot);
                        into.push(force);
                    }
                }
            }
            assert!(feet.len() >= 29 && feet.windows(2).all(|pair| pair[0] != pair[1]), "{feet:?}");
        }
        // [phone.4] of a knock of S: y reaches S times what two filters leave of half a sine of 0.1 s.
        let last = |forces: &[f64]| forces.last().copied().unwrap();
        assert!(last(&forces[1]) > last(&forces[0]) + 0.2, "{forces:?}");
        assert!(forces.iter().flatten().all(|force| (0.7..=1.8).contains(force)));
    }

    #[test]
    fn shaking_to_and_fro_scrapes_as_fast_as_it_swings_and_a_walk_without_does_not() {
        // 8 Hz and 6 m/s^2 across: the speed swings by 6/(2 pi 8) = 0.119 m/s, less what the band of 4 to 20 Hz takes.
        let mut phone = Phone::default();
        let shake = |t: f64| if (1.0..2.0).contains(&t) { 6.0 * (50.265 * t).sin() } else { 0.0 };
        let mut scrapes = Vec::new();
        for n in 0..180 {
            let t = f64::from(n) / 60.0;
            for felt in phone.feel(t, [shake(t), 9.81, 0.0]) {
                if let Felt::Scrape(at, speed) = felt {
                    scrapes.push((at, speed));
                }
            }
        }
        let first = scrapes.first().unwrap().0;
        let fastest = scrapes.iter().map(|(_, speed)| *speed).fold(0.0, f64::max);
        assert!((1.15..1.4).contains(&first), "{first}");
        assert!((0.06..0.12).contains(&fastest), "{fastest}");
        let last = scrapes.last().unwrap();
        assert!(last.1 == 0.0 && (2.0..2.3).contains(&last.0), "{last:?}");
        let mut phone = Phone::default();
        let upright = carried(&walk(), 4.0, [0.0, 1.0, 0.0], 60.0, 20.0);
        assert!(upright.iter().flat_map(|(t, a)| phone.feel(*t, *a)).all(|felt| matches!(felt, Felt::Step(..))));
    }

    #[test]
    fn a_step_is_a_stance_long_begins_and_ends_with_nothing_and_carries_what_it_was_told() {
        for force in [0.7, 1.0, 1.8] {
            let told = step(force);
            let end = told.last().unwrap();
            assert!((end[0] + end[1] - 0.654).abs() < 1e-3 && end[2] + end[3] < 1e-9);
            let most = told.iter().filter(|point| point[0] < 0.25).map(|point| point[2] + point[3]).fold(0.0, f64::max);
            assert!((most / force - 1.0).abs() < 0.03, "{most} for {force}");
            // The parts follow each other without a gap.
            assert!(told.windows(2).all(|pair| (pair[0][0] + pair[0][1] - pair[1][0]).abs() < 1e-12));
        }
    }

    #[test]
    fn across_is_how_loud_the_tone_is_and_up_is_how_high() {
        let mut phone = Phone::default();
        for n in 0..120 {
            phone.feel(f64::from(n) / 60.0, [5.0, 9.81, 0.0]);
        }
        let [hz, amplitude] = phone.tone();
        assert!((hz - 880.0).abs() < 1.0 && (amplitude - 0.5).abs() < 1e-3, "{hz} {amplitude}");
    }
}
