// SPDX-License-Identifier: MIT OR Apache-2.0
//! What both measurements share: a table, and a clock that only runs while this thread does.

/// What things fall on.
pub const TABLE: &str = "type = 'modal'
modes = [{ freq_hz = 140.0, decay_s = 0.05, mass_kg = 3.0 }, { freq_hz = 390.0, decay_s = 0.03, mass_kg = 2.0 }]";

/// Seconds that this thread has been on a core; what waits for others does not count.
pub fn on_core() -> f64 {
    let said = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = said.split(' ').next().and_then(|first| first.parse::<f64>().ok());
    nanoseconds.map_or_else(|| std::process::exit(2), |ns| 1e-9 * ns)
}
