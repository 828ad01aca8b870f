// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pieces: what crumpling, breaking and scattering hit, with the events that hit them and the book of their energies.
//!
//! **What.** Either fragments of the process's own [fragment.1], which sound, or ports of bodies, which are pushed. One hit is an
//! event whose size is an energy, J.
//!
//! **Law.** `J = sqrt(2 E/w)`: the impulse that gives a port of inverse mass w the energy E; fragments by [fragment.2].

use super::fragment::{FragmentMode, Fragments};
use super::{Book, Event, Events, Hitter, Lane, PULSES, Span, UNHEARD, impulse_of};
use crate::math::Real;
use crate::signal::Cell;

/// Fragments or ports that are hit.
#[derive(Clone)]
pub struct Pieces {
    fragments: Fragments,
    ports: Hitter,
    rate_hz: Real,
    contact_s: Real,
    /// Hits that are to come.
    pub events: Events,
    /// What there was to give, and what was given.
    pub book: Book,
}

impl Pieces {
    /// Ports of these inverse masses, 1/kg; where there are none, fragments of these sizes. `[control]`
    pub fn new(sizes: &[Real], modes: &[FragmentMode], ports: &[Real], rate_hz: Real) -> Self {
        Self {
            fragments: Fragments::new(if ports.is_empty() { sizes } else { &[] }, modes, rate_hz),
            ports: Hitter::new(ports, 0.0, rate_hz),
            rate_hz,
            contact_s: 0.0,
            events: Events::default(),
            book: Book::default(),
        }
    }

    /// Contact time of a fragment of full size or of a port, s, the factor on all frequencies, and the one on the decay of the first
    /// mode. `[audio]`
    pub fn tune(&mut self, contact_s: Real, freq_scale: Real, first_decay_scale: Real) {
        self.fragments.tune(contact_s, freq_scale, first_decay_scale);
        self.ports.set(contact_s, self.rate_hz);
        self.contact_s = contact_s;
    }

    /// How many ports or fragments can be hit.
    pub fn count(&self) -> usize {
        self.ports.count().max(self.fragments.count())
    }

    /// Other sizes of its own fragments, by their numbers; tuned anew by whoever says so. `[audio]`
    pub fn resize(&mut self, size: impl Fn(usize) -> Real) {
        self.fragments.resize(size);
    }

    /// Its own fragments, if it hits these.
    pub fn fragments(&self) -> Option<&Fragments> {
        (self.ports.count() == 0).then_some(&self.fragments)
    }

    /// A cell begins; what has nothing left to say falls asleep. `[audio]`
    pub fn begin(&mut self, cell: Cell, gain: Real) {
        self.events.begin(cell);
        self.fragments.settle(gain);
        self.ports.settle();
    }

    /// A hit, not before the cell; the number of those for which there was no room. `[audio]`
    pub fn hit(&mut self, cell: Cell, at_s: Real, energy_j: Real, place: usize) -> u64 {
        let room = self.events.insert(Event { at_s: at_s.max(cell.from_s()), size: energy_j, place });
        self.book.given_j += if room { energy_j } else { 0.0 };
        u64::from(!room)
    }

    /// Hits, rings and pushes for a stretch; the work on its own fragments since the start is held to `most_j`, J. `[audio]`
    pub fn render(&mut self, span: Span, gain: Real, most_j: Real, forces: &mut [Lane], sound: &mut Lane) {
        let Self { fragments, ports, events, .. } = self;
        match ports.count() {
            0 => fragments.render(span, events, gain, most_j, sound),
            _ => ports.render(span, events, |event, inverse| impulse_of(event.size, inverse), forces),
        }
    }

    /// True while one sounds or a hit waits.
    pub fn is_awake(&self) -> bool {
        self.events.wait() || self.fragments.is_awake() || self.ports.is_awake()
    }

    /// Until when what was hit so far is heard, s. [process.7]
    pub fn heard_until_s(&self) -> Real {
        self.events.last_s() + UNHEARD * self.fragments.longest_s() + PULSES * self.contact_s
    }

    /// Back to rest. `[audio]`
    pub fn reset(&mut self) {
        self.events.clear();
        self.ports.reset();
        self.fragments.reset();
    }
}
