// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spread: one impact over a surface and over time.
//!
//! **What.** A sole, a hand, a falling sheet: it meets a body in many places, one after another, with one momentum in all.
//!
//! **Law.** Where the signal R passes the threshold, at t0 [process.5]:
//! - `[spread.1]  t_i = t0 + spread u_i`, u_i uniform on 0 to 1 and sorted: `hits` meetings within `spread_s`.
//! - `[spread.2]  J_i = P R g_i/sum g`, g_i exponential: uneven shares of one momentum P R.
//! - `[spread.3]  port floor(n u_i)`: they run along the list of places, as a foot rolls from heel to toe.
//!
//! **Symbols.** P `momentum_n_s`; each meeting lasts about `contact_time_s` [process.4].
//!
//! **Step.** All meetings are drawn when the blow comes, into room made beforehand; the sum of their impulses is P R to
//! rounding.
//!
//! **Sources.** De Sena et al. 2009 section 2.1.4 (impact distributed in space and time).

use super::{Event, Events, Hitter, Lane, PULSES, Process, Span, Trigger};
use crate::math::{Real, ln};
use crate::param::{Params, Spec, Tunable};
use crate::reserve::Reserve;
use crate::rng::Rng;
use crate::signal::{Cell, GRID_S};

crate::params! {
    /// Parameters of a spread impact.
    pub struct SpreadParams {
        momentum_n_s: "N s", 0.0 => 1e5, default 1.0, Log, Control, glide 0.02, "Momentum of the whole impact where the signal is 1.";
        spread_s: "s", 0.0 => 10.0, default 0.03, Linear, Control, glide 0.02, "Time within which all places are met.";
        hits: "1", 1.0 => 256.0, default 24.0, Log, Control, glide 0.0, "How many meetings it is.";
        contact_time_s: "s", 0.0 => 0.1, default 1e-3, Linear, Control, glide 0.02, "About how long each meeting lasts.";
        threshold: "1", 1e-9 => 1e9, default 0.5, Log, Control, glide 0.0, "It comes where the signal rises above this.";
    }
}

const MOST_HITS: usize = 256;
/// Most hits that wait, of blows that follow each other quickly.
const MOST_WAITING: usize = 4 * MOST_HITS;

/// One impact in many places.
#[derive(Clone)]
pub struct Spread {
    params: SpreadParams,
    ports: Hitter,
    rate_hz: Real,
    trigger: Trigger,
    rng: Rng,
    events: Events,
    /// Meetings to come, in order: the next is `next`.
    coming: Reserve<Event>,
    next: usize,
}

impl Spread {
    /// On ports of these inverse masses, 1/kg. `[control]`
    pub fn new(params: SpreadParams, ports: &[Real], rate_hz: Real, rng: Rng) -> Self {
        Self {
            params,
            ports: Hitter::new(ports, params.contact_time_s, rate_hz),
            rate_hz,
            trigger: Trigger::default(),
            rng,
            events: Events::default(),
            coming: Reserve::of(MOST_WAITING),
            next: 0,
        }
    }

    fn strike(&mut self, at_s: Real, strength: Real) {
        // What is left of the blow before still comes; where there is no room for all, this one has fewer hits, not less momentum.
        self.coming.drain(..self.next);
        self.next = 0;
        if self.coming.len() == MOST_WAITING
            && let (Some(one), Some(other)) = (self.coming.pop(), self.coming.last_mut())
        {
            other.size += one.size;
        }
        let (before, mut sum) = (self.coming.len(), 0.0);
        let hits = (self.params.hits as usize).clamp(1, MOST_HITS.min(MOST_WAITING - before));
        for _ in 0..hits {
            let (when, share) = (self.rng.unit(), -ln(1.0 - self.rng.unit()));
            sum += share;
            let place = (when * self.ports.count() as Real) as usize; // [spread.3]
            self.coming.push(Event { at_s: at_s + self.params.spread_s * when, size: share, place }); // [spread.1]
        }
        let momentum = fault!(SPREAD_MOMENTUM, self.params.momentum_n_s * strength, times 1.1);
        self.coming[before..].iter_mut().for_each(|event| event.size *= momentum / sum); // [spread.2]
        self.coming.sort_unstable_by(|a, b| a.at_s.total_cmp(&b.at_s));
    }
}

impl Tunable for Spread {
    fn specs(&self) -> &'static [Spec] {
        SpreadParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.put(index, value);
        self.ports.set(self.params.contact_time_s, self.rate_hz);
    }
}

impl Process for Spread {
    fn enter(&mut self, cell: Cell) -> u64 {
        self.events.begin(cell);
        self.ports.settle();
        if let Some(at_s) = self.trigger.passes(cell, self.params.threshold) {
            self.strike(at_s, cell.to);
        }
        let end = cell.from_s() + GRID_S;
        while let Some(event) = self.coming.get(self.next).filter(|event| event.at_s < end) {
            // Where more come at once than there is room for, the rest waits for the next cell: no momentum is lost.
            if !self.events.push(Event { at_s: event.at_s.max(cell.from_s()), ..*event }) {
                break;
            }
            self.next += 1;
        }
        0
    }

    fn events(&self) -> &[Event] {
        self.events.all()
    }

    fn render(&mut self, span: Span, forces: &mut [Lane], _sound: &mut Lane) {
        self.ports.render(span, &mut self.events, |event, _| event.size, forces);
    }

    fn is_awake(&self) -> bool {
        self.events.wait() || self.next < self.coming.len() || self.ports.is_awake()
    }

    fn heard_until_s(&self) -> Real {
        let coming = self.coming[self.next..].last().map_or(Real::NEG_INFINITY, |event| event.at_s);
        self.events.last_s().max(coming) + PULSES * self.params.contact_time_s
    }

    fn reset(&mut self) {
        self.events.clear();
        self.coming.clear();
        self.next = 0;
        self.ports.reset();
    }
}
