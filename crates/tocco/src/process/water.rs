// SPDX-License-Identifier: MIT OR Apache-2.0
//! Water: bubbles and hits that wait for their time, and those that sound.
//!
//! **What.** What every process of water and ice has in common: it says when a bubble closes or something lands, at any moment between
//! two samples, and this makes the sound.
//!
//! **Law.**
//! - `[water.1]  first sample = ceil(t fs)`: a sound begins there as if it had begun at t.
//! - `[water.2]  r = (r_1^(1-b) + u (r_2^(1-b) - r_1^(1-b)))^(1/(1-b))`: radii whose density falls as r^-b between two ends; u uniform.
//!
//! **Step.** What waits is sorted once a cell, in room made beforehand; what finds no room is counted.
//!
//! **Sources.** Ours.

use super::bubble::{NOTHING, Tone, Tones, join};
use super::patter::{Hit, Hits};
use super::{Event, Lane, Span, Triggered, UNHEARD};
use crate::math::Real;
use crate::reserve::Reserve;
use crate::signal::{Cell, GRID_S};

/// Most sounds that wait for their time.
pub const MOST_WAITING: usize = 1024;

/// As many that are new in a cell are put in their places one by one: what waits is long, and in order already.
const FEW: usize = 24;

/// What begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sound {
    /// A decaying tone.
    Tone(Tone),
    /// A short noise.
    Hit(Hit),
}

impl Sound {
    /// Pa at 1 m
    pub fn amplitude(&self) -> Real {
        match self {
            Sound::Tone(tone) => tone.amplitude,
            Sound::Hit(hit) => hit.amplitude,
        }
    }

    /// How long it is heard, s. [process.7]
    pub fn lasts_s(&self) -> Real {
        match self {
            Sound::Tone(tone) if tone.damping > 0.0 => UNHEARD / tone.damping,
            Sound::Tone(_) => 0.0,
            Sound::Hit(hit) => hit.formants.iter().map(|formant| UNHEARD * formant.decay_s).fold(0.0, Real::max),
        }
    }
}

/// Something that will begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Birth {
    /// Since the scene began, s.
    pub at_s: Real,
    /// What.
    pub sound: Sound,
}

/// Sounds that wait, and those that sound.
#[derive(Clone, Debug)]
pub struct Water {
    tones: Tones,
    hits: Hits,
    rate_hz: Real,
    /// Sorted by time; those before `next` have begun.
    waiting: Reserve<Birth>,
    next: usize,
    /// So many were in order as the cell began; whether a later one is not.
    sorted: usize,
    unsorted: bool,
    /// What happens in the present cell.
    events: Reserve<Event>,
    cell: Cell,
    /// Until when all that was said so far is heard, s.
    until_s: Real,
}

impl Water {
    /// Nothing waits, with so many voices for tones and hits. `[control]`
    pub fn new(tones: usize, hits: usize, rate_hz: Real) -> Self {
        Self {
            tones: Tones::new(tones, rate_hz),
            hits: Hits::new(hits, rate_hz),
            rate_hz,
            waiting: Reserve::of(MOST_WAITING),
            next: 0,
            sorted: 0,
            unsorted: false,
            events: Reserve::of(MOST_WAITING),
            cell: Cell::default(),
            until_s: Real::NEG_INFINITY,
        }
    }

    /// The tones.
    pub fn tones(&self) -> &Tones {
        &self.tones
    }

    /// Where the present cell ends, s: the very number at which the next begins.
    fn end_s(&self) -> Real {
        (self.cell.index + 1) as Real * GRID_S
    }

    /// What begins in the present cell.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// A new cell. `[audio]`
    pub fn begin(&mut self, cell: Cell) {
        self.cell = cell;
        self.tones.begin(cell);
        self.hits.begin(cell);
        self.waiting.drain(..self.next);
        self.next = 0;
        self.events.clear();
        self.sorted = self.waiting.len();
    }

    /// One more that waits; false if there is no room. Call [`Water::settle`] before the next sample. `[audio]`
    pub fn add(&mut self, birth: Birth) -> bool {
        let room = self.waiting.len() < MOST_WAITING;
        if room {
            self.unsorted |= self.waiting.last().is_some_and(|last| last.at_s > birth.at_s);
            self.until_s = self.until_s.max(birth.at_s + birth.sound.lasts_s());
            self.waiting.push(birth);
        }
        room
    }

    /// Everything of this cell has been said: it is put in order, and the cell's events are known. `[audio]`
    pub fn settle(&mut self) {
        if core::mem::take(&mut self.unsorted) {
            if self.waiting.len() - self.sorted <= FEW {
                for new in self.sorted..self.waiting.len() {
                    let at_s = self.waiting[new].at_s;
                    let place = self.waiting[..new].partition_point(|birth| birth.at_s <= at_s);
                    self.waiting[place..=new].rotate_right(1);
                }
            } else {
                self.waiting.sort_unstable_by(|a, b| a.at_s.total_cmp(&b.at_s));
            }
        }
        // What came in the cell before and begins with this one's first sample is not told twice.
        let told = self.waiting.partition_point(|birth| birth.at_s < self.cell.from_s());
        let end = self.end_s();
        for birth in self.waiting[told..].iter().take_while(|birth| birth.at_s < end) {
            self.events.push(Event { at_s: birth.at_s, size: birth.sound.amplitude(), place: 0 });
        }
    }

    /// One more from outside, not before the samples that have been rendered. `[audio]`
    pub fn trigger(&mut self, birth: Birth) -> Triggered {
        if self.waiting.len() >= MOST_WAITING {
            return Triggered::Refused;
        }
        let at = self.next + self.waiting[self.next..].partition_point(|other| other.at_s <= birth.at_s);
        self.waiting.insert(at, birth);
        self.until_s = self.until_s.max(birth.at_s + birth.sound.lasts_s());
        if birth.at_s < self.end_s() {
            Triggered::Now(Event { at_s: birth.at_s, size: birth.sound.amplitude(), place: 0 })
        } else {
            Triggered::Later
        }
    }

    /// Adds a stretch. [water.1] `[audio]`
    pub fn render(&mut self, span: Span, sound: &mut Lane) {
        let (mut sums, mut own, mut done) = (NOTHING, [0.0; crate::resonator::CONTROL_TICKS], 0);
        while let Some(&Birth { at_s, sound: begun }) = self.waiting.get(self.next) {
            let place = at_s * self.rate_hz - span.tick as Real;
            let first = place.ceil().max(0.0);
            if first >= span.ticks as Real {
                break;
            }
            self.next += 1;
            let at = first as usize;
            if at > done {
                self.tones.run(&mut sums, &mut own, done, at);
                self.hits.run(&mut own, done, at);
                done = at;
            }
            let late_s = (first - place) / self.rate_hz;
            match &begun {
                Sound::Tone(tone) => self.tones.start(*tone, at_s, late_s),
                Sound::Hit(hit) => self.hits.start(hit, at_s, late_s),
            }
        }
        self.tones.run(&mut sums, &mut own, done, span.ticks);
        self.hits.run(&mut own, done, span.ticks);
        join(&sums[..span.ticks], &mut own[..span.ticks]);
        sound[..span.ticks].iter_mut().zip(&own).for_each(|(out, own)| *out += own);
    }

    /// True while something sounds or waits.
    pub fn is_awake(&self) -> bool {
        self.next < self.waiting.len() || self.tones.is_awake() || self.hits.is_awake()
    }

    /// Until when all that was said so far is heard, s. [process.7]
    pub fn heard_until_s(&self) -> Real {
        self.until_s
    }

    /// Silence; what waited is forgotten. `[audio]`
    pub fn reset(&mut self) {
        self.tones.reset();
        self.hits.reset();
        self.waiting.clear();
        self.events.clear();
        (self.next, self.sorted, self.unsorted) = (0, 0, false);
        self.until_s = Real::NEG_INFINITY;
    }
}
