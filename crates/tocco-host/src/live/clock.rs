// SPDX-License-Identifier: MIT OR Apache-2.0
//! The clock of this machine, as the two halves take it: nanoseconds since the first question.

use super::{Desk, When};
use std::sync::LazyLock;
use std::time::{Instant, SystemTime};

/// One moment by both clocks of the machine.
static EPOCH: LazyLock<(Instant, SystemTime)> = LazyLock::new(|| (Instant::now(), SystemTime::now()));

/// Nanoseconds since the epoch.
pub fn now_ns() -> u64 {
    EPOCH.0.elapsed().as_nanos() as u64
}

/// The same for a time of day, such as a time tag's.
pub fn ns_of(time: SystemTime) -> f64 {
    match time.duration_since(EPOCH.1) {
        Ok(after) => after.as_nanos() as f64,
        Err(before) => -(before.duration().as_nanos() as f64),
    }
}

/// A time of day as a desk takes it.
pub fn at(time: SystemTime) -> When {
    When::At(ns_of(time))
}

/// Tick of a time of day, by the device's clock as heard so far; `None` before the first block.
pub fn tick_of(desk: &Desk, time: SystemTime) -> Option<u64> {
    desk.tick_at(ns_of(time))
}
