// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tread: a sole comes down on something solid, stays on it, and is lifted.
//!
//! **What.** The signal is the force under a part of a foot. Where it rises, a mass, the sole, is struck against what it touches; then it is
//! pressed on. What happens between the two is the scene's own contact: nothing here knows of it.
//!
//! **Law.** R the signal, t0 where it passes the threshold upwards:
//! - `[tread.1]  v = strike (clip(R'/rise, 0.2, 2))^(1/2)`: the speed of the blow goes with the root of the rate of loading, as the energy of what
//!   stops goes with its force.
//! - `[tread.2]  F = weight R exp(-(t - t0)/hold)`: the press. Who stands does not hold the floor for ever: after some `hold_s` what can ring has
//!   rung, and a force that changes no more is not computed.
//! - `[tread.3]  v = strike max R` over 4 ms from t0, and `F = weight R`: by envelope, as that of a microphone; both begin where the 4 ms end.
//!
//! **Symbols.** strike `strike_m_s`; rise `rise_hz`, 1/s in units of the signal; weight `weight_n`; hold `hold_s`.
//!
//! **Step.** The mass is struck at the beginning of the cell in which the threshold is passed (by envelope, the fourth after it), from no distance, so that two treads are alike
//! wherever it was; its energy is work, and so is that of the press.
//!
//! **Sources.** De Sena et al. 2009 section 3.2.1 (the force of the foot as impact force of a hammer; 3.4.3, tried with an envelope); [tread.1] and
//! the 4 ms are choices, no data.

use super::{Event, Events, Lane, Process, Span, Trigger, going_until_s};
use crate::math::{Real, exp};
use crate::param::{Params, Spec, Tunable};
use crate::signal::{Cell, GRID_S};

crate::params! {
    /// Parameters of a tread.
    pub struct TreadParams {
        weight_n: "N", 0.0 => 1e6, default 686.7, Linear, Control, glide 0.02, "Force of the press where the signal is 1.";
        strike_m_s: "m/s", 0.0 => 100.0, default 0.5, Linear, Control, glide 0.02, "Speed of the blow where the signal rises by rise_hz; by envelope: where it is 1.";
        rise_hz: "1/s", 1e-3 => 1e6, default 20.0, Log, Control, glide 0.02, "Rate of loading that makes a blow of strike_m_s.";
        hold_s: "s", 1e-3 => 1e3, default 0.06, Log, Control, glide 0.02, "Time in which the press falls to 1/e.";
        threshold: "1", 1e-9 => 1e9, default 0.02, Log, Control, glide 0.0, "The blow comes where the signal rises above this.";
    }
}

/// Part of the weight below which nothing is pressed.
const LEAST: Real = 1e-3;
/// Cells in which the peak of an envelope is looked for. [tread.3]
const PEAK_CELLS: u64 = 4;

/// How a signal strikes and presses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreadBy {
    /// It is the force under a foot: the faster it rises, the harder the blow.
    Force,
    /// It is the envelope of a sound: the blow goes with its first peak, and the press is the envelope.
    Envelope,
}

crate::words!(TreadBy { Force = "force", Envelope = "envelope" });

/// A sole that comes down.
#[derive(Clone)]
pub struct Tread {
    params: TreadParams,
    by: TreadBy,
    trigger: Trigger,
    events: Events,
    cell: Cell,
    strike: Option<Real>,
    /// By envelope: the cells for which its peak is still looked for, and the peak so far.
    rising: Option<(u64, Real)>,
    /// What is left of the press, its factor per cell, and whether it only begins in this one.
    held: Real,
    keep: Real,
    begins: bool,
    /// It has heard its signal.
    begun: bool,
}

impl Tread {
    /// A sole in the air. `[control]`
    pub fn new(params: TreadParams, by: TreadBy) -> Self {
        let mut tread = Self {
            params,
            by,
            trigger: Trigger::default(),
            events: Events::default(),
            cell: Cell::default(),
            strike: None,
            rising: None,
            held: 0.0,
            keep: 0.0,
            begins: false,
            begun: false,
        };
        tread.tune();
        tread
    }

    fn tune(&mut self) {
        self.keep = if self.by == TreadBy::Envelope { 1.0 } else { exp(-GRID_S / self.params.hold_s) };
    }

    /// The peak so far; once it is known, the blow. [tread.3]
    fn follow(&mut self, cell: Cell) {
        let Some((left, peak)) = self.rising.take() else { return };
        let peak = peak.max(cell.from);
        if left > 0 {
            self.rising = Some((left - 1, peak.max(cell.to)));
            return;
        }
        let speed = self.params.strike_m_s * peak;
        // The press begins beside the blow, not at one stroke.
        (self.strike, self.held, self.begins) = (Some(speed), 1.0, true);
        self.events.push(Event { at_s: cell.from_s(), size: speed, place: 0 });
    }
}

impl Tunable for Tread {
    fn specs(&self) -> &'static [Spec] {
        TreadParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.put(index, value);
        self.tune();
    }
}

impl Process for Tread {
    fn enter(&mut self, cell: Cell) -> u64 {
        let p = self.params;
        self.events.begin(cell);
        self.cell = cell;
        (self.held, self.begins) = (self.held * self.keep, false);
        if cell.to < 0.5 * p.threshold || self.held < LEAST {
            self.held = 0.0;
        }
        self.follow(cell);
        let passed = self.trigger.passes(cell, p.threshold);
        // Who stands there from the first is not coming down.
        if let Some(at_s) = passed.filter(|_| core::mem::replace(&mut self.begun, true) || cell.from < p.threshold) {
            match self.by {
                TreadBy::Force => {
                    let speed = p.strike_m_s * (cell.slope() / p.rise_hz).clamp(0.2, 2.0).sqrt(); // [tread.1]
                    (self.strike, self.held) = (Some(speed), 1.0);
                    self.events.push(Event { at_s, size: speed, place: 0 });
                }
                TreadBy::Envelope => self.rising = Some((PEAK_CELLS - 1, cell.to)),
            }
        }
        self.begun = true;
        0
    }

    fn events(&self) -> &[Event] {
        self.events.all()
    }

    fn strike(&mut self) -> Option<Real> {
        self.strike.take()
    }

    fn render(&mut self, span: Span, forces: &mut [Lane], _sound: &mut Lane) {
        while self.events.due(span).is_some() {}
        let Some(lane) = forces.first_mut().filter(|_| self.held > 0.0) else { return };
        for (i, force) in lane[..span.ticks].iter_mut().enumerate() {
            let time_s = (span.tick + i as u64) as Real / span.rate_hz;
            let part = time_s / GRID_S - self.cell.index as Real;
            let part = part.clamp(0.0, 1.0);
            let fading = if self.begins { part } else { 1.0 + (self.keep - 1.0) * part };
            *force = self.params.weight_n * self.held * fading * self.cell.at(time_s).max(0.0); // [tread.2], [tread.3]
        }
    }

    fn rests(&self, value: Real) -> bool {
        self.begun
            && self.strike.is_none()
            && self.rising.is_none()
            && !self.is_awake()
            && self.trigger.rests(value, self.params.threshold)
    }

    fn is_awake(&self) -> bool {
        self.held > 0.0 || self.events.wait()
    }

    fn heard_until_s(&self) -> Real {
        if self.held > 0.0 { going_until_s(self.cell) } else { self.events.last_s() }
    }

    fn reset(&mut self) {
        self.events.clear();
        (self.strike, self.rising, self.held, self.begun) = (None, None, 0.0, false);
    }
}
