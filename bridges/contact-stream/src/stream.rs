// SPDX-License-Identifier: MIT OR Apache-2.0
//! From records to what happens: impacts, and motions that last.
//!
//! **What.** A physics engine that steps at 60 Hz holds up a thing at rest by an impulse in every step, lets it bounce by another,
//! and says no more. An impact is a step before which the surfaces close faster than rest could make them; what follows within
//! [`Thresholds::merge_s`] belongs to it. What stays is sliding, scraping, rolling or resting, by speeds with hysteresis.
//!
//! **Law.** v, w are the speeds of closing before and of parting after a step dt, a is the outside acceleration, J the impulse.
//! `[stream.1]` an impact closes faster than `impact_m_s`, and than `1.5 a dt` where nothing is known of its flight: what rests closes by
//! at most `a dt` before a step. Half of that must be passed downwards, or the pair part, before the next.
//! `[stream.2]` time within the step: the gap is closed where `gap = v t + a t^2/2`, at most the step; the speed is `v + a t` then.
//! `[stream.3]` the step's impulse changes `v + a dt` into `w`, that of the impact its own speed u into `e u` with e = w/v. So the mass is
//! `J/(v + a dt + w)`, at least that of one place and at most that of all, and the impact's impulse `J u (1 + e)/(v + a dt + w)`.
//! In the steps that belong to an impact after its first, what holds the weight up is no part of it.
//! `[stream.4]` what has flown freely since its last impact comes back with the speed `e u` that it left with: engines that bounce at
//! the ends of steps lose up to `a dt` at every bounce. It has flown freely if v is `a` times the time since less the w of then,
//! and it meets the surface within `a dt` of that w.
//! `[stream.5]` places of one pair that touch within [`Thresholds::merge_s`] of each other are one impact; others in the same step, as two corners
//! of a box that tips over, are further ones, each with its time, speed and impulse.

use crate::record::Record;
use std::collections::BTreeMap;

/// When something counts as what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Slowest impact, m/s. Unless told otherwise twice what gravity adds in a sixtieth of a second: slower ones are not told from rest by
    /// steps of that length, and the count against finer steps is exact from there on.
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
            impact_m_s: 0.35,
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

/// What an impact sends off. `[stream.4]`
#[derive(Clone, Copy, Debug)]
struct Flight {
    /// When the step of the impact ended, and when it must be over, s.
    since_s: f64,
    until_s: f64,
    parting_m_s: f64,
    /// Parting over closing speed of the impact, and the speed with which it comes back.
    bounce_01: f64,
    returns_m_s: f64,
}

/// Records of a pair that belong together, as one.
#[derive(Clone, Copy, Debug)]
struct Met {
    record: Record,
    /// Masses of all places together, kg.
    sum_kg: f64,
}

impl Met {
    fn of(places: &[Record]) -> Self {
        let record = places[1..].iter().fold(places[0], |all, record| all.with(*record));
        Self { record, sum_kg: places.iter().map(|record| record.mass_kg).sum() }
    }
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
    now: Vec<Record>,
    flights: BTreeMap<[u64; 2], Flight>,
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
        self.flights.retain(|pair, _| !pair.contains(&thing));
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
                self.now.push(record.sorted());
            }
        }
        let touches_s = |record: &Record| meets(record, step_s).0;
        self.now.sort_by(|a, b| a.pair.cmp(&b.pair).then(touches_s(a).total_cmp(&touches_s(b))));
        self.flights.retain(|_, flight| begin_s < flight.until_s);
        let Thresholds { merge_s, apart_s, .. } = self.thresholds;
        for places in self.now.chunk_by(|a, b| a.pair == b.pair) {
            let (name, Met { record, .. }) = (places[0].pair, Met::of(places));
            let pair = self.pairs.entry(name).or_insert(Pair {
                record,
                seen_s: begin_s,
                armed: true,
                pending: None,
                motion: None,
                seems: Motion::Rest,
                since_s: begin_s,
            });
            // Places that touch one after the other in a long step are impacts of their own. [stream.5]
            for group in places.chunk_by(|a, b| touches_s(b) - touches_s(a) < merge_s) {
                if let Some(first) = pair.pending.take_if(|first| first.since_s == begin_s) {
                    out.push(first.event);
                    pair.armed = true;
                }
                let flight = self.flights.remove(&name);
                if let Some(flight) = pair.collide(&Met::of(group), flight, begin_s, step_s, &self.thresholds) {
                    self.flights.insert(name, flight);
                }
            }
            pair.go_on(&record, begin_s, step_s, &self.thresholds, out);
        }
        self.pairs.retain(|_, pair| {
            let touches = pair.seen_s == end_s;
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

/// When within the step the gap is closed, s, and how fast then, m/s. `[stream.2]`
fn meets(record: &Record, step_s: f64) -> (f64, f64) {
    let (closing, gap, pull) = (record.closing_m_s, record.gap_m.max(0.0), record.closing_m_s2.max(0.0));
    let both = closing + (closing * closing + 2.0 * pull * gap).sqrt();
    let later_s = if both > 0.0 { (2.0 * gap / both).min(step_s) } else { step_s };
    (later_s, closing + pull * later_s)
}

impl Flight {
    /// Nothing but the outside force has moved it since, and it comes down where it rose. `[stream.4]`
    fn was_free(&self, closing: f64, meeting: f64, pull: f64, begin_s: f64, step_s: f64) -> bool {
        let gained = pull * step_s;
        let meant = pull * (begin_s - self.since_s) - self.parting_m_s;
        (closing - meant).abs() < 0.25 * gained && (meeting - self.parting_m_s).abs() < 1.25 * gained
    }
}

impl Pair {
    /// An impact begins or goes on; what it sends off.
    fn collide(
        &mut self,
        met: &Met,
        flight: Option<Flight>,
        begin_s: f64,
        step_s: f64,
        thresholds: &Thresholds,
    ) -> Option<Flight> {
        let Record { closing_m_s: closing, parting_m_s, mass_kg, impulse_n_s: all_n_s, .. } = met.record;
        let (pull, parting) = (met.record.closing_m_s2.max(0.0), parting_m_s.max(0.0));
        let gained = pull * step_s;
        let (later_s, meeting) = meets(&met.record, step_s);
        let flown = flight.filter(|flight| flight.was_free(closing, meeting, pull, begin_s, step_s));
        let speed_m_s = flown.map_or(meeting, |flight| flight.returns_m_s);
        let fast = closing > 1.5 * gained || flown.is_some();
        let end_s = begin_s + step_s;
        if self.armed && self.pending.is_none() && fast && speed_m_s > thresholds.impact_m_s {
            let bounce_01 = match flown {
                // One that came to rest as the step had no room for it bounces as it did before.
                Some(flight) if closing < gained => flight.bounce_01,
                _ => (parting / closing).clamp(0.0, 1.0),
            };
            let change = (closing + gained + parting).max(0.1 * speed_m_s);
            let impulse_n_s = all_n_s * speed_m_s * (1.0 + bounce_01) / change; // [stream.3]
            let mass_kg = (all_n_s / change).clamp(mass_kg, met.sum_kg);
            let event = event(begin_s + later_s, &met.record, What::Impact { speed_m_s, mass_kg, impulse_n_s });
            self.pending = Some(Pending { event, since_s: begin_s });
            self.armed = false;
            let returns_m_s = bounce_01 * speed_m_s;
            let until_s = end_s + if pull > 0.0 { 2.0 * returns_m_s / pull } else { 0.0 } + 2.0 * step_s;
            return Some(Flight { since_s: end_s, until_s, parting_m_s: parting, bounce_01, returns_m_s });
        }
        if closing < 0.5 * thresholds.impact_m_s.max(1.5 * gained) {
            self.armed = true;
        }
        let Some(Pending { event: Event { what: What::Impact { impulse_n_s, .. }, .. }, .. }) = &mut self.pending
        else {
            return None;
        };
        *impulse_n_s += (all_n_s - met.sum_kg * gained).max(0.0); // [stream.3]
        flight.map(|flight| Flight { since_s: end_s, parting_m_s: parting, ..flight })
    }

    /// Motions that last.
    fn go_on(&mut self, record: &Record, begin_s: f64, step_s: f64, thresholds: &Thresholds, out: &mut Vec<Event>) {
        (self.record, self.seen_s) = (*record, begin_s + step_s);
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
