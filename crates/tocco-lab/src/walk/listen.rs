// SPDX-License-Identifier: MIT OR Apache-2.0
//! A recording of somebody who walks as the envelope under four regions.
//!
//! The envelope is that of `tocco::signal::follow`, between the recording's own noise floor and its most. Steps are found, feet take turns,
//! and within a step the envelope passes from heel to toe as the force of a walking step does.

use super::{Feet, REGIONS};
use crate::analyse::read::Recording;
use crate::error::{Result, bad};
use tocco::gait::curve::WalkCurve;
use tocco::signal::steps::{StepListener, StepOptions, StepRule, step_levels, steps_of};

/// A step is taken to last at least so long, s.
const SHORTEST_S: f64 = 0.3;

/// The envelope of a recording under the feet.
pub fn feet(recording: &Recording, pair: bool) -> Result<Feet> {
    let data: Vec<f32> = recording.samples.iter().map(|x| *x as f32).collect();
    let (rate_hz, levels) = (recording.rate_hz, step_levels(&data, recording.rate_hz));
    let rule = if pair { StepRule::Pair } else { StepOptions::default().rule };
    let options = StepOptions { rule, ..StepOptions::default() };
    let steps = steps_of(&data, rate_hz, levels, options);
    if steps.is_empty() || recording.is_steady() {
        return bad(format!("{}: no step found; nothing in it rises out of what went before", recording.name));
    }
    let mut listener = StepListener::new(levels, options, rate_hz);
    let mut values = Vec::new();
    for (n, sample) in data.iter().enumerate() {
        if n as f64 >= values.len() as f64 * 1e-3 * rate_hz {
            values.push(listener.value());
        }
        listener.hear(f64::from(*sample));
    }
    let curve = WalkCurve::at_speed(1.3);
    let mut feet = Feet { envelope: true, ..Feet::default() };
    feet.regions.iter_mut().for_each(|region| region.resize(values.len(), 0.0));
    debug_assert_eq!(REGIONS.len(), feet.regions.len());
    for (n, [start, end]) in steps.iter().enumerate() {
        let from = (1e3 * start) as usize;
        let to = steps.get(n + 1).map_or(values.len(), |next| (1e3 * next[0]) as usize).min(values.len());
        let length = (end - start).max(SHORTEST_S);
        for (k, value) in values.iter().enumerate().take(to).skip(from) {
            let heel = curve.heel_share((1e-3 * k as f64 - start) / length);
            feet.regions[2 * (n % 2)][k] = heel * value;
            feet.regions[2 * (n % 2) + 1][k] = (1.0 - heel) * value;
        }
        feet.steps.push(*start);
    }
    Ok(feet)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tocco::rng::Rng;

    #[test]
    fn feet_take_turns_and_heel_and_toe_share_the_envelope() {
        let rate_hz = 44_100.0;
        let mut rng = Rng::new(1, "walk");
        let starts = [0.2, 0.76, 1.31, 1.87];
        let samples = (0..110_000)
            .map(|n| {
                let t = f64::from(n) / rate_hz;
                let level: f64 = starts.iter().filter(|s| t >= **s).map(|s| (-(t - s) / 0.06).exp()).sum();
                0.3 * level * rng.normal()
            })
            .collect();
        let recording = Recording { name: "walk".into(), rate_hz, samples, lossy: false };
        let feet = feet(&recording, false).unwrap();
        assert_eq!(feet.steps.len(), 4);
        let sum =
            |region: usize, from: f64| -> f64 { feet.regions[region][(1e3 * from) as usize..][..200].iter().sum() };
        for (n, from) in starts.iter().enumerate() {
            let (own, other) = (2 * (n % 2), 2 - 2 * (n % 2));
            assert!(sum(own, *from) > 5.0 && sum(own + 1, *from) > 0.0, "{n}");
            assert!(sum(other, from + 0.01) + sum(other + 1, from + 0.01) == 0.0, "{n}");
        }
    }
}
