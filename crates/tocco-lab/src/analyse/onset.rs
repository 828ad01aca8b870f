// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a strike begins, where it is in full motion, and where it has sunk into the noise.

use crate::error::{Result, bad};

/// Length of the windows whose energy is watched, s.
const WINDOW_S: f64 = 0.001;
/// The hammer is off the object at the latest so long after the onset, s.
pub const ATTACK_S: f64 = 0.010;
/// A later strike in the same file: at least so long after the last, s, and so much energy above what went before.
const APART_S: f64 = 0.08;
const RISE: f64 = 4.0;
/// A later strike that was not asked for: its power over what went before (a crash beats by up to 2.1, fifty modes by 2.5), and
/// over the loudest.
const AGAIN: f64 = 3.0;
const HEARD: f64 = 0.01;
/// How far before the loud part the onset is sought, s: low modes that cancel at first are loud after 50 ms.
const RISES_S: f64 = 0.1;
/// How far before the loud part its noise is sought, s.
const BEFORE_S: f64 = 0.25;
/// Power of a moving sample over the noise's.
const MOVES: f64 = 16.0;
/// Samples at rest that a moving one makes up for at most: a low mode rests where it turns, but a click is not yet the strike.
const RESTS: f64 = 9.0;
/// Below this, of the greatest height, nothing moves, however quiet the noise (-54 dB); nor is what is above this noise, the
/// end of a recording that was cut short.
const HEIGHTS: (f64, f64) = (0.002, 0.06);
/// What still rings of the strike before may have this root mean square, of the greatest height (its peaks -30 dB).
const RINGS: f64 = 0.0075;
/// Least length of a strike, s.
const SHORTEST_S: f64 = 0.03;
/// Longest part analysed, s.
const LONGEST_S: f64 = 6.0;
/// Least fall of a strike's power from the first tenth to the last of what sounds: what falls less decays too slowly to be told
/// from a steady sound (20 s to 1/e, heard for 5 s, falls by 1.57).
const FALL: f64 = 1.5;
/// What sounds: power over the loudest window's (-40 dB).
const SOUNDS: f64 = 1e-4;

/// Part of a recording, in samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First motion.
    pub onset: usize,
    /// From here on modes are what is heard; before it was analysed: where the energy has reached its height.
    pub start: usize,
    /// Nothing but noise from here on.
    pub end: usize,
}

/// Mean power in windows of `size`, one per `hop`.
pub(crate) fn envelope(samples: &[f64], size: usize, hop: usize) -> Vec<f64> {
    (0..samples.len().saturating_sub(size) / hop + 1)
        .map(|i| {
            let window = &samples[(i * hop).min(samples.len())..(i * hop + size).min(samples.len())];
            window.iter().map(|x| x * x).sum::<f64>() / size as f64
        })
        .collect()
}

/// What [`strikes`] found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The strikes asked for, in order of time.
    pub spans: Vec<Span>,
    /// Strikes heard beside them.
    pub others: usize,
    /// Power of the noise.
    pub floor: f64,
}

/// Windows with a motion that what went before does not explain: within 5 ms three times the power of the 80 ms before. Beats
/// never exceed what they were, and a hammer that chatters is within those 80 ms.
pub(crate) fn restrikes(power: &[f64], (near, apart): (usize, usize), least: f64) -> Vec<usize> {
    let mean = |i: usize| power[i..(i + near).min(power.len())].iter().sum::<f64>() / near as f64;
    let means: Vec<f64> = (0..power.len()).map(mean).collect();
    let mut heads: Vec<usize> = Vec::new();
    for i in near..power.len() {
        let before = means[i.saturating_sub(apart + near)..i - near].iter().copied().fold(0.0, f64::max);
        if means[i] > least && means[i] > AGAIN * before && heads.last().is_none_or(|h| i - h > apart) {
            heads.push(i);
        }
    }
    heads
}

/// Finds `count` strikes (the clearest), in order of time; of one, the first loud one up to the next.
pub fn strikes(samples: &[f64], rate_hz: f64, count: usize, called: &str) -> Result<Found> {
    let size = ((WINDOW_S * rate_hz) as usize).max(8);
    let hop = size / 4;
    let power = envelope(samples, size, hop);
    let floor = {
        let mut sorted: Vec<f64> = power.iter().copied().filter(|p| *p > 0.0).collect();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 20).copied().unwrap_or(0.0)
    };
    let peak = power.iter().copied().fold(0.0, f64::max);
    let mut heads = Vec::new();
    let (near, apart) = (5 * 4, (APART_S * rate_hz) as usize / hop);
    let (mut others, mut next) = (0, None);
    if count <= 1 {
        heads.extend(power.iter().position(|p| *p > 0.25 * peak));
        let head = heads.first().copied().unwrap_or(0);
        let again = restrikes(&power, (near, apart), (HEARD * peak).max(10.0 * floor));
        let apart_from_it = |h: &&usize| h.abs_diff(head) > apart;
        others = again.iter().filter(apart_from_it).count();
        next = again.iter().filter(apart_from_it).find(|h| **h > head).copied();
    } else {
        let around = |i: usize| {
            let sum = |range: std::ops::Range<usize>| power[range].iter().sum::<f64>();
            sum(i..(i + near).min(power.len()))
                / (sum(i.saturating_sub(2 * near)..i.saturating_sub(near / 2)) * 0.67 + 1e-4 * peak + floor)
        };
        let mut rises: Vec<(usize, f64)> =
            (0..power.len()).map(|i| (i, around(i))).filter(|(_, r)| *r > RISE).collect();
        rises.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        for (i, _) in rises {
            if heads.len() < count && heads.iter().all(|h: &usize| h.abs_diff(i) > apart) {
                heads.push(i);
            }
        }
        heads.sort_unstable();
        if heads.len() < count {
            return bad(format!(
                "{called}: {} strikes found, not {count}; give --strikes {}",
                heads.len(),
                heads.len().max(1)
            ));
        }
        // From the rise to the first window that is loud.
        for h in &mut heads {
            let most = power[*h..(*h + near).min(power.len())].iter().copied().fold(0.0, f64::max);
            *h += power[*h..].iter().position(|p| *p > 0.25 * most).unwrap_or(0);
        }
    }
    let mut spans = Vec::new();
    for (n, head) in heads.iter().enumerate() {
        let next = heads.get(n + 1).copied().or(next);
        let limit = next.map_or(samples.len(), |next| next * hop - size.min(next * hop));
        let last = n.checked_sub(1).map(|last| heads[last] * hop);
        spans.push(span(samples, rate_hz, (last, *head * hop, limit), (size, floor), called)?);
    }
    // Where a strike falls into what still rings loudly its beginning is lost.
    if let Some(late) = spans.windows(2).position(|pair: &[Span]| pair[1].onset < pair[0].end) {
        return bad(format!(
            "{called}: strike {} falls while strike {} still rings too loudly to tell where; give one strike a file",
            late + 2,
            late + 1
        ));
    }
    Ok(Found { spans, others, floor })
}

/// Power of the noise before a strike, or of what still rings there: that of the quietest 5 ms. `None` if there is no such time.
fn noise_before(before: &[f64], rate_hz: f64) -> Option<f64> {
    let (size, far) = ((0.005 * rate_hz) as usize, (BEFORE_S * rate_hz) as usize);
    let near = &before[before.len().saturating_sub(far)..];
    (near.len() >= size).then(|| envelope(near, size, size / 4).into_iter().fold(f64::INFINITY, f64::min))
}

/// Where the motion begins that is loud at `head`: of all places the one from which on most moves and least rests (a cumulated
/// sum; Page 1954). `from` is the earliest, `last` the latest.
fn first_motion(
    samples: &[f64],
    (from, head, last): (usize, usize, usize),
    rate_hz: f64,
    (noise, top): (f64, f64),
) -> usize {
    // The quietest of many windows has half the power of all.
    let noise = (2.0 * noise).clamp((HEIGHTS.0 * top).powi(2), (HEIGHTS.1 * top).powi(2)).max(1e-300);
    let from = from.max(head.saturating_sub((RISES_S * rate_hz) as usize));
    let (mut sum, mut most, mut onset) = (0.0, 0.0, last);
    for at in (from..last).rev() {
        sum += (samples[at] * samples[at] / noise).min((1.0 + RESTS) * MOVES) - MOVES;
        if sum > most {
            (most, onset) = (sum, at);
        }
    }
    onset
}

fn span(
    samples: &[f64],
    rate_hz: f64,
    (last, head, limit): (Option<usize>, usize, usize),
    (size, floor): (usize, f64),
    called: &str,
) -> Result<Span> {
    let attack = (ATTACK_S * rate_hz) as usize;
    let energy = |at: usize| samples[at..(at + size).min(limit)].iter().map(|x| x * x).sum::<f64>();
    let top = samples[head..(head + attack).min(limit)].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let from = last.unwrap_or(0);
    let noise = noise_before(&samples[from..head], rate_hz).unwrap_or(floor);
    // The ring of the last strike is in the way of this one, unless it is as quiet as noise.
    let noise = if last.is_some() { noise.min(floor.max((RINGS * top).powi(2))) } else { noise };
    let onset = first_motion(samples, (from, head, (head + size).min(limit)), rate_hz, (noise, top));
    let places = onset..(onset + attack).min(limit.saturating_sub(size).max(onset + 1));
    let most = places.clone().map(energy).fold(0.0, f64::max);
    let start = places.into_iter().find(|&at| energy(at) >= 0.8 * most).unwrap_or(onset);
    let long = ((0.01 * rate_hz) as usize).max(16);
    let slow = envelope(&samples[start..limit], long, long);
    let last = slow.iter().rposition(|p| *p > 2.0 * floor && *p > 1e-10 * most / size as f64).unwrap_or(0);
    let end = (start + (last + 1) * long).min(limit).min(start + (LONGEST_S * rate_hz) as usize);
    if ((limit - start) as f64) < SHORTEST_S * rate_hz {
        return bad(format!(
            "{called}: only {:.0} ms after the strike; give at least 30",
            1e3 * (limit - start) as f64 / rate_hz
        ));
    }
    let loudest = slow.iter().copied().fold(0.0, f64::max);
    let sounding = slow.iter().rposition(|p| *p > SOUNDS * loudest).unwrap_or(0);
    let stops = (start + (sounding + 1) * long).min(limit);
    // From where it is loud: what rises slowly is soft at its onset.
    let loud = start.max(head).min(stops - 1);
    let tenth = ((stops - loud) / 10).max(1);
    let mean = |part: &[f64]| part.iter().map(|x| x * x).sum::<f64>() / part.len().max(1) as f64;
    let falls = mean(&samples[loud..loud + tenth]) > FALL * mean(&samples[stops - tenth..stops]);
    if falls {
        return Ok(Span { onset, start, end: end.max(start + (SHORTEST_S * rate_hz) as usize).min(limit) });
    }
    let cause =
        if stops + long < limit { "it is as loud until it stops" } else { "its end is as loud as its beginning" };
    if limit < samples.len() {
        let after_s = (limit - start) as f64 / rate_hz;
        return bad(format!(
            "{called}: the next strike comes {after_s:.2} s after the one at {:.2} s, which has not decayed by then; give \
             a recording with more time between strikes",
            start as f64 / rate_hz
        ));
    }
    bad(format!("{called}: no decay ({cause}); give one strike that rings out, not a steady sound"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tocco::rng::Rng;

    fn strike_at(times: &[usize], length: usize) -> Vec<f64> {
        let mut rng = Rng::new(3, "noise");
        (0..length)
            .map(|n| {
                let ring = |t: &usize| {
                    let s = n as f64 - *t as f64;
                    if s < 0.0 { 0.0 } else { 0.5 * (-s / 4800.0).exp() * (0.1 * s).cos() }
                };
                times.iter().map(ring).sum::<f64>() + 1e-4 * rng.normal()
            })
            .collect()
    }

    #[test]
    fn the_onset_is_found_to_a_tenth_of_a_millisecond() {
        for at in [0, 1, 777, 12_345] {
            let found = strikes(&strike_at(&[at], 60_000), 48_000.0, 1, "x").unwrap().spans;
            assert!(found[0].onset.abs_diff(at) <= 4, "{at}: {found:?}");
            assert!(found[0].start.abs_diff(at) <= 48, "{at}: {found:?}");
        }
    }

    #[test]
    fn three_strikes_in_one_file_are_found_in_order() {
        let times = [500, 20_000, 41_000];
        let found = strikes(&strike_at(&times, 90_000), 48_000.0, 3, "x").unwrap().spans;
        for (span, at) in found.iter().zip(times) {
            assert!(span.onset.abs_diff(at) <= 12, "{at}: {found:?}");
        }
        assert!(strikes(&strike_at(&times, 90_000), 48_000.0, 5, "x").is_err());
    }

    #[test]
    fn strikes_into_what_still_rings_loudly_are_refused_rather_than_misplaced() {
        let why = strikes(&strike_at(&[500, 9_000, 18_000], 60_000), 48_000.0, 3, "x").unwrap_err().to_string();
        assert!(why.contains("strike 2 falls while strike 1 still rings"), "{why}");
    }

    #[test]
    fn a_second_strike_is_noticed_and_beats_and_chatter_are_not() {
        let found = strikes(&strike_at(&[500, 30_000], 90_000), 48_000.0, 1, "x").unwrap();
        assert_eq!((found.spans.len(), found.others), (1, 1));
        assert!(found.spans[0].onset.abs_diff(500) <= 12 && found.spans[0].end <= 30_000, "{found:?}");
        assert_eq!(strikes(&strike_at(&[500, 1000], 90_000), 48_000.0, 1, "x").unwrap().others, 0);
        for beat_hz in [3.0, 12.0, 40.0] {
            let beats: Vec<f64> = (0..96_000)
                .map(|n| {
                    let t = f64::from(n) / 48_000.0;
                    let tone = |hz: f64| (std::f64::consts::TAU * hz * t).cos();
                    0.3 * (-t / 0.4).exp() * (tone(700.0) + tone(700.0 + beat_hz))
                })
                .collect();
            assert_eq!(strikes(&beats, 48_000.0, 1, "x").unwrap().others, 0, "{beat_hz}");
        }
    }
}
