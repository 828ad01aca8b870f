// SPDX-License-Identifier: MIT OR Apache-2.0
//! When a message was played, as the driver has stamped it: what comes late in a bunch keeps its distances.
//!
//! The driver's clock counts microseconds from a point of its own. The message that came with the least delay tells how
//! far that point lies from ours; what came with more was played earlier than it was heard of. The bound rises slowly,
//! because two clocks drift apart.

/// Two clocks differ by this part at most.
const DRIFT: f64 = 1e-4;
/// A message that seems older than this was stamped by a clock that has jumped, or by none, s.
const OLDEST_S: f64 = 0.1;

/// The driver's clock as seen from ours.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    /// Least distance so far, ours less the driver's, and when it was found, s.
    least: Option<(f64, f64)>,
}

impl Clock {
    /// Age of a message that is heard of at `now_s` and was stamped so, s.
    pub fn age_s(&mut self, stamp_us: u64, now_s: f64) -> f64 {
        let distance = now_s - 1e-6 * stamp_us as f64;
        let bound = self.least.map_or(distance, |(least, at_s)| least + DRIFT * (now_s - at_s).max(0.0));
        if distance <= bound || distance > bound + OLDEST_S {
            self.least = Some((distance, now_s));
            return 0.0;
        }
        distance - bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_that_come_in_bunches_are_as_far_apart_as_they_were_played() {
        let mut clock = Clock::default();
        // Played every 10 ms, heard of 0.2 to 8 ms later, by a clock that runs 50 ppm fast and began at another time.
        for index in 0..2_000_u64 {
            let played_s = 5.0 + 0.01 * index as f64;
            let delay_s = 2e-4 + 7.8e-3 * ((index * 7919) % 101) as f64 / 100.0;
            let stamp_us = (1e6 * (played_s * (1.0 + 5e-5) + 1_000.0)) as u64;
            let now_s = played_s + delay_s;
            let error_s = now_s - clock.age_s(stamp_us, now_s) - (played_s + 2e-4);
            assert!(index < 101 || error_s.abs() < 2e-4, "{index}: {error_s} s");
        }
    }

    #[test]
    fn a_clock_that_stands_still_or_jumps_makes_no_message_older_than_it_may_be() {
        let mut clock = Clock::default();
        for index in 0..100 {
            let now_s = 0.03 * f64::from(index);
            let age_s = clock.age_s(0, now_s);
            assert!((0.0..=OLDEST_S).contains(&age_s), "{age_s}");
        }
        assert_eq!(clock.age_s(10_000_000, 3.0), 0.0);
    }
}
