// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two formats of phones.
//!
//! **AHAP** (Apple): a continuous event lasts 30 s at most, so a longer one is a chain of them. Its intensity is multiplied by curves of
//! `HapticIntensityControl`, and `HapticSharpnessControl` is added to its sharpness, which is therefore 0. A curve has 16 points at most:
//! the next begins with the last point of the one before. Times of points are counted from the curve's own time. Intensity is the root of
//! the amplitude; where a transient stands the continuous part steps back by 20 %.
//!
//! **.haptic** (Lofelt, version 1.0.0): one continuous signal with breakpoints of amplitude, some of them with an emphasis, and of frequency.
//! Times rise strictly; an emphasis is never below the amplitude that it stands on.

use super::reduce::{Felt, Point, Transient, at, thin};
use crate::render::VERSION;
use serde_json::{Value, json};

/// Longest continuous event of AHAP, s.
pub const LONGEST_S: f64 = 30.0;
/// What is left over and shorter than this is no event of its own, s: one of the steps in which times are written would round to 0.
const SHORTEST_S: f64 = 1e-3;
/// Most points of a curve of AHAP.
pub const MOST_POINTS: usize = 16;
/// Tolerances of the envelope and of the pitch.
const AMPLITUDE: f64 = 0.02;
const FREQUENCY: f64 = 0.05;
/// What is left of the continuous part beside a transient, and for how long, s.
const DUCKED: f64 = 0.8;
const DUCKED_S: f64 = 0.015;
/// A breakpoint that near to a transient is the transient's own, s.
const SAME_S: f64 = 0.001;

/// To a tenth of a millisecond, or to four digits.
fn round(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}

/// The text of an AHAP file, and how many points it has.
pub fn ahap(felt: &Felt, title: &str) -> (String, usize) {
    let beside = |time: f64| felt.transients.iter().any(|blow| (0.0..DUCKED_S).contains(&(time - blow.time_s)));
    let intensity = |(time, value): &Point| {
        let factor = if beside(*time) { DUCKED } else { 1.0 };
        (*time, factor * value.clamp(0.0, 1.0).sqrt())
    };
    let intensity = thin(&felt.amplitude.iter().map(intensity).collect::<Vec<_>>(), AMPLITUDE);
    let sharpness = thin(&felt.frequency, FREQUENCY);
    let parameter = |id: &str, value: f64| json!({ "ParameterID": id, "ParameterValue": round(value.clamp(0.0, 1.0)) });
    let mut pattern = Vec::new();
    let mut from = 0.0;
    while from < felt.seconds {
        let length = (felt.seconds - from).min(LONGEST_S);
        // A sample or two more than 30 s are no event of their own.
        if from > 0.0 && round(length) < SHORTEST_S {
            break;
        }
        pattern.push(json!({ "Event": {
            "Time": round(from),
            "EventType": "HapticContinuous",
            "EventDuration": round(length),
            "EventParameters": [parameter("HapticIntensity", 1.0), parameter("HapticSharpness", 0.0)],
        }}));
        from += LONGEST_S;
    }
    for Transient { time_s, amplitude, frequency } in &felt.transients {
        pattern.push(json!({ "Event": {
            "Time": round(*time_s),
            "EventType": "HapticTransient",
            "EventParameters": [
                parameter("HapticIntensity", amplitude.clamp(0.0, 1.0).sqrt()),
                parameter("HapticSharpness", *frequency),
            ],
        }}));
    }
    pattern.extend(curves("HapticIntensityControl", &intensity));
    pattern.extend(curves("HapticSharpnessControl", &sharpness));
    let metadata = json!({ "Project": "Tocco", "Description": format!("{title}; {VERSION}") });
    let whole = json!({ "Version": 1.0, "Metadata": metadata, "Pattern": pattern });
    (pretty(&whole), intensity.len() + sharpness.len())
}

/// Curves of at most 16 points, each from the last point of the one before.
fn curves(id: &str, points: &[Point]) -> Vec<Value> {
    let (mut all, mut from) = (Vec::new(), 0);
    while from + 1 < points.len() || (from == 0 && points.len() == 1) {
        let part = &points[from..(from + MOST_POINTS).min(points.len())];
        let start = round(part[0].0);
        let point = |(time, value): &Point| json!({ "Time": round((round(*time) - start).max(0.0)), "ParameterValue": round(value.clamp(0.0, 1.0)) });
        all.push(json!({ "ParameterCurve": {
            "ParameterID": id,
            "Time": start,
            "ParameterCurveControlPoints": part.iter().map(point).collect::<Vec<_>>(),
        }}));
        from += MOST_POINTS - 1;
    }
    all
}

/// The text of a .haptic file, and how many points it has.
pub fn haptic(felt: &Felt, title: &str) -> (String, usize) {
    let thinned = thin(&felt.amplitude, AMPLITUDE);
    let mut points: Vec<(f64, f64, Option<&Transient>)> = thinned.iter().map(|(t, v)| (*t, *v, None)).collect();
    for blow in felt.transients.iter().filter(|blow| blow.time_s <= felt.seconds) {
        let place = points.partition_point(|point| point.0 < blow.time_s);
        let near = |k: &usize| points.get(*k).is_some_and(|point| (point.0 - blow.time_s).abs() < SAME_S);
        match [place.wrapping_sub(1), place].into_iter().find(|k| near(k)) {
            Some(k) => points[k].2 = Some(blow),
            None => points.insert(place, (blow.time_s, at(&thinned, blow.time_s), Some(blow))),
        }
    }
    let amplitude: Vec<Value> = points
        .iter()
        .map(|(time, value, blow)| {
            let value = round(value.clamp(0.0, 1.0));
            match blow {
                Some(blow) => json!({ "time": round(*time), "amplitude": value, "emphasis": {
                    "amplitude": round(blow.amplitude.clamp(0.0, 1.0)).max(value),
                    "frequency": round(blow.frequency.clamp(0.0, 1.0)),
                }}),
                None => json!({ "time": round(*time), "amplitude": value }),
            }
        })
        .collect();
    let thinned = thin(&felt.frequency, FREQUENCY);
    let frequency: Vec<Value> =
        thinned.iter().map(|(t, v)| json!({ "time": round(*t), "frequency": round(v.clamp(0.0, 1.0)) })).collect();
    let count = amplitude.len() + frequency.len();
    let whole = json!({
        "version": { "major": 1, "minor": 0, "patch": 0 },
        "metadata": { "editor": VERSION, "source": title, "project": "Tocco", "tags": [], "description": "contact force" },
        "signals": { "continuous": { "envelopes": { "amplitude": amplitude, "frequency": frequency } } },
    });
    (pretty(&whole), count)
}

fn pretty(value: &Value) -> String {
    // A tree of strings and finite numbers is always text.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}
