// SPDX-License-Identifier: MIT OR Apache-2.0
//! From records to what happens: impacts, and motions that last.
//!
//! **What.** A physics engine that steps at 60 Hz holds up a thing at rest by an impulse in every step, lets it bounce by another,
//! and says no more. An impact is a step before which the surfaces close faster than rest could make them; what follows within
//! [`Thresholds::merge_s`] belongs to it. What stays is sliding, scraping, rolling or resting, by speeds with hysteresis.
//!
//! **Law.** `[stream.1]` threshold of an impact: `max(impact_m_s, 1.5 a dt)`, a the outside acceleration: at rest the closing speed before
//! a step is at most `a dt`. Half of it must be passed downwards, or the pair part, before the next.
//! `[stream.2]` time within the step: gap over closing speed, at most the step.
//! `[stream.3]` speed at that time `v + a t`; the engine lets the whole step's outside forces act before the blow, so its impulse
//! is that of `v + a dt`, and is given back by the ratio of the two.

use crate::record::Record;
use std::collections::BTreeMap;

/// When something counts as what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Slowest impact, m/s.
    pub impact_m_s: f64,
    /// What comes within this time of an impact's beginning belongs to it, s.
    pub merge_s: f64,
    /// Sliding begins above the first and ends below the second, m/s.
    pub slide_m_s: [f64; 2],
    /// Rolling likewise.
    pub roll_m_s: [f64; 2],
    /// A motion must have been seen for so long before it is said, s.
    pub settle_s: f64,
    /// A pair that has not touched for so long has parted, s.
    pub apart_s: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            impact_m_s: 0.1,
            merge_s: 0.004,
            slide_m_s: [0.05, 0.02],
            roll_m_s: [0.05, 0.02],
            settle_s: 0.03,
            apart_s: 0.05,
        }
    }
}

/// A motion that lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Motion {
    /// Neither slides nor rolls.
    Rest,
    /// One surface runs off on the other.
    Roll,
    /// A face slides.
    Slide,
    /// A corner, an edge or a point slides.
    Scrape,
}

/// What happens to a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    /// They collide.
    Impact {
        /// Closing speed at the touch, m/s.
        speed_m_s: f64,
        /// Mass that the impact feels, kg.
        mass_kg: f64,
        /// Impulse, N s.
        impulse_n_s: f64,
    },
    /// They go on touching in this way: said when it begins and in every step after.
    Goes {
        /// How.
        motion: Motion,
        /// It was not so in the step before.
        begins: bool,
        /// Normal force, N.
        force_n: f64,
        /// Speed of the motion, m/s: sliding, or rolling.
        speed_m_s: f64,
        /// Mass that is felt along the normal, kg.
        mass_kg: f64,
        /// For how long this holds, s: the step.
        lasts_s: f64,
    },
    /// They touch no more.
    Parts,
}

/// Something that happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When, s, on the caller's clock.
    pub at_s: f64,
    /// To whom, the smaller number first.
    pub pair: [u64; 2],
    /// Of which materials.
    pub materials: [u16; 2],
    /// Where, m.
    pub point_m: [f64; 3],
    /// What.
    pub what: What,
}

/// A step that cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// The time is no number.
    NotATime,
    /// The step is no time, or not after nothing.
    NotAStep,
    /// Time has fallen behind that of the step before.
    Fell,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Fault::NotATime => "the time of the step is not a number",
            Fault::NotAStep => "the step must last longer than nothing and less than a second",
            Fault::Fell => "the step begins before the one before it; begin anew after a jump in time",
        })
    }
}

impl std::error::Error for Fault {}

/// What was passed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records with a number that is none, without mass, or of a thing with itself.
    pub ignored: u64,
    /// Impacts so far.
    pub impacts: u64,
}

/// An impact that may go on.
#[derive(Clone, Copy, Debug)]
struct Pending {
    event: Event,
    since_s: f64,
}

/// What is known of a pair.
#[derive(Clone, Copy, Debug)]
struct Pair {
    record: Record,
    seen_s: f64,
    /// The next fast approach is an impact.
    armed: bool,
    pending: Option<Pending>,
    /// What has been said.
    motion: Option<Motion>,
    /// What seems to be, and since when.
    seems: Motion,
    since_s: f64,
}

/// Knows which pairs touch and how.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    thresholds: Thresholds,
    pairs: BTreeMap<[u64; 2], Pair>,
    now: BTreeMap<[u64; 2], Record>,
    time_s: Option<f64>,
    counts: Counts,
}

impl Stream {
    /// Nothing touches.
    pub fn new(thresholds: Thresholds) -> Self {
        Self { thresholds, ..Self::default() }
    }

    /// What was passed over so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Pairs that touch at present.
    pub fn touching(&self) -> usize {
        self.pairs.len()
    }

    /// A thing is no more: so are its contacts, and nothing is said of them.
    pub fn forget(&mut self, thing: u64) {
        self.pairs.retain(|pair, _| !pair.contains(&thing));
    }

    /// Takes the records of one step and adds what happened in it to `out`, sorted by time. A record that makes no sense is passed
    /// over and counted; a step that makes none is refused, and nothing is changed.
    pub fn step(&mut self, begin_s: f64, step_s: f64, records: &[Record], out: &mut Vec<Event>) -> Result<(), Fault> {
        if !begin_s.is_finite() {
            return Err(Fault::NotATime);
        }
        if !(step_s > 0.0 && step_s < 1.0) {
            return Err(Fault::NotAStep);
        }
        if self.time_s.is_some_and(|before| begin_s < before) {
            return Err(Fault::Fell);
        }
        // The next may begin where this one ends, but for rounding.
        self.time_s = Some(begin_s + 0.5 * step_s);
        let (first, end_s) = (out.len(), begin_s + step_s);
        self.now.clear();
        for record in records {
            if !record.is_sane() {
                self.counts.ignored += 1;
            } else if record.impulse_n_s > 0.0 {
                let record = record.sorted();
                self.now.entry(record.pair).and_modify(|all| *all = all.with(record)).or_insert(record);
            }
        }
        for record in self.now.values() {
            let pair = self.pairs.entry(record.pair).or_insert(Pair {
                record: *record,
                seen_s: begin_s,
                armed: true,
                pending: None,
                motion: None,
                seems: Motion::Rest,
                since_s: begin_s,
            });
            pair.touch(record, begin_s, step_s, &self.thresholds, out);
        }
        let Thresholds { merge_s, apart_s, .. } = self.thresholds;
        let now = &self.now;
        self.pairs.retain(|key, pair| {
            let touches = now.contains_key(key);
            if let Some(pending) = pair.pending
                && (!touches || end_s - pending.since_s >= merge_s)
            {
                out.push(pending.event);
                pair.pending = None;
            }
            pair.armed |= !touches;
            let gone = !touches && begin_s - pair.seen_s >= apart_s;
            if gone && pair.motion.is_some() {
                out.push(event(begin_s, &pair.record, What::Parts));
            }
            !gone
        });
        let impacts = out[first..].iter().filter(|event| matches!(event.what, What::Impact { .. })).count();
        self.counts.impacts += impacts as u64;
        out[first..].sort_by(|a, b| a.at_s.total_cmp(&b.at_s));
        Ok(())
    }
}

fn event(at_s: f64, record: &Record, what: What) -> Event {
    Event { at_s, pair: record.pair, materials: record.materials, point_m: record.point_m, what }
}

impl Pair {
    fn touch(&mut self, record: &Record, begin_s: f64, step_s: f64, thresholds: &Thresholds, out: &mut Vec<Event>) {
        let pull = record.closing_m_s2.max(0.0);
        let least = thresholds.impact_m_s.max(1.5 * pull * step_s); // [stream.1]
        let closing = record.closing_m_s;
        (self.record, self.seen_s) = (*record, begin_s + step_s);
        if closing > least && self.armed && self.pending.is_none() {
            let later_s = (record.gap_m / closing).clamp(0.0, step_s); // [stream.2]
            let speed_m_s = closing + pull * later_s; // [stream.3]
            let what = What::Impact { speed_m_s, mass_kg: record.mass_kg, impulse_n_s: 0.0 };
            let event = event(begin_s + later_s, record, what);
            self.pending = Some(Pending { event, since_s: begin_s });
            self.armed = false;
        } else if closing < 0.5 * least {
            self.armed = true;
        }
        if let Some(Pending { event: Event { what: What::Impact { speed_m_s, impulse_n_s, .. }, .. }, since_s }) =
            &mut self.pending
        {
            let first = *since_s == begin_s;
            let part = if first { *speed_m_s / (closing + pull * step_s) } else { 1.0 };
            *impulse_n_s += part * record.impulse_n_s; // [stream.3]
        }
        let [on, off] = thresholds.slide_m_s;
        let slides = record.slip_m_s > if self.seems >= Motion::Slide { off } else { on };
        let [on, off] = thresholds.roll_m_s;
        let rolls = record.roll_m_s > if self.seems == Motion::Roll { off } else { on };
        let seems = match (slides, rolls) {
            (true, _) if record.places > 2 => Motion::Slide,
            (true, _) => Motion::Scrape,
            (false, true) => Motion::Roll,
            (false, false) => Motion::Rest,
        };
        if seems != self.seems {
            (self.seems, self.since_s) = (seems, begin_s);
        }
        let settled = begin_s + step_s - self.since_s >= thresholds.settle_s;
        let motion = if settled { Some(seems) } else { self.motion };
        let begins = motion != self.motion;
        self.motion = motion;
        if let Some(motion) = motion {
            let speed_m_s = match motion {
                Motion::Rest => 0.0,
                Motion::Roll => record.roll_m_s,
                Motion::Slide | Motion::Scrape => record.slip_m_s,
            };
            let force_n = record.impulse_n_s / step_s;
            let what = What::Goes { motion, begins, force_n, speed_m_s, mass_kg: record.mass_kg, lasts_s: step_s };
            // Rest makes no sound: it is said once.
            if motion != Motion::Rest || begins {
                out.push(event(begin_s, record, what));
            }
        }
    }
}
