// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals: one number over time that drives and processes hear.
//!
//! **What.** A pressure, a squeeze, the force under a foot. A signal lives on its own grid of 1 ms in absolute seconds, not
//! on samples or control ticks, so what hears it does the same at every sample rate.
//!
//! **Law.** T = 1 ms, s_k the signal at the time k T since the scene began.
//! - `[signal.1]  s(t) = s_k + (s_{k+1} - s_k) (t/T - k)` within cell k. A signal that knows its future (points, noise, a
//!   recording) is read at both ends; one that is heard as it comes (a probe, an inlet, sound that comes in) is read at k
//!   and crosses the cell from its last reading to this one: late by 1 ms, never jumping.
//! - `[signal.2]  x -> roll -> gain x + offset -> curve -> smooth -> rate -> fill, spill, drain -> gate`: the operators, in this order,
//!   where a scene asks for them.
//! - `[signal.3]  y <- y + (1 - exp(-T/tau)) (x - y)`: smooth, tau `smooth_s`.
//! - `[signal.4]  y = (x_k - x_{k-1})/T`: rate of change.
//! - `[signal.5]  y = 1 from x > above on, 0 from x < below on`: a threshold with hysteresis.
//! - `[signal.6]  y = e (v^2/r) cos(x/r)`: a way of x metres rolled by something of radius r whose heavy side lies e r off
//!   its middle; v is the rate of x. In m/s^2: times its mass it is the force on what it rolls over.
//!
//! - `[signal.7]  V <- clip(V + T x, 0, most)`: what has been filled in by an inflow x per second (`fill`: y = V), and what of it
//!   runs over (`spill`: y = max(0, V + T x - most)/T).
//! - `[signal.8]  V <- clip(V + T (x - q(V)), 0, most)`, `q = a sqrt(2 g h(V))`: with an outlet of area a below, h being the level of V in a
//!   vessel (Torricelli); what leaves it (`drain`: y = q) is no more than there is.
//!
//! - `[signal.9]  curve(x) = curve(x - n every)`: a curve that repeats, from its last point straight to its first; of the way of a wheel, by the turn.
//!
//! **Step.** `[control]` makes it, `[audio]` moves it once a cell. Whatever is not a number is 0.
//!
//! **Sources.** De Sena et al. 2009 sections 3.2, 3.3 (one control signal drives everything); ours: the grid, the operators.

pub mod follow;
pub mod noise;
pub mod steps;

use crate::math::{Real, cos, exp};
use follow::Follower;
use noise::Noise;
use std::sync::Arc;

/// Distance of two points of the grid, s.
pub const GRID_S: Real = 1e-3;

/// Largest value of a signal, either way.
const LARGEST: Real = 1e18;

crate::params! {
    /// Parameters that every signal has.
    pub struct SignalParams {
        gain: "1", -1e12 => 1e12, default 1.0, Linear, Control, glide 0.02, "Factor on the signal, after radius_m and before everything else.";
        offset: "1", -1e12 => 1e12, default 0.0, Linear, Control, glide 0.02, "Added after the gain.";
        smooth_s: "s", 0.0 => 100.0, default 0.0, Linear, Control, glide 0.0, "Time constant of a one-pole smoother; 0: none.";
    }
}

/// Number of the parameter that is the value of an inlet.
pub const INLET: usize = SignalParams::SPECS.len();

/// What a signal is made of.
#[derive(Clone, Debug)]
pub enum Source {
    /// Breakpoints `[t in s, value]`, linear between, held outside or repeated every so many seconds.
    Points {
        /// Times increasing.
        points: Vec<[Real; 2]>,
        /// Length of a repeat, s.
        loop_s: Option<Real>,
    },
    /// Seeded noise.
    Noise(Box<Noise>),
    /// Values on the grid from 0 on; 0 after the last: the envelope of a recording.
    Table(Arc<[Real]>),
    /// The envelope of sound that comes in on a channel.
    Follow {
        /// Channel of the input.
        channel: usize,
        /// The envelope.
        follower: Follower,
    },
    /// A reading of the scene, taken by whoever moves the signal.
    Reading,
    /// Another signal, by its number.
    Signal(usize),
    /// What a walker says: its number, and which of its signals.
    Walk {
        /// Number of the walker.
        walk: usize,
        /// Number of the signal among the walker's.
        lane: usize,
    },
    /// What a player, or the scene around this one, says.
    Inlet {
        /// Its value now.
        value: Real,
        /// Its value when nobody has said anything.
        rest: Real,
    },
}

/// Operators on a signal that are part of its make.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Operators {
    /// Radius, m, and eccentricity of something that rolls the way that the signal is.
    pub roll: Option<[Real; 2]>,
    /// Breakpoints `[x, y]`, x increasing, held outside; empty: none.
    pub curve: Vec<[Real; 2]>,
    /// The curve repeats after so much of x, more than it is long.
    pub every: Option<Real>,
    /// The rate of change instead of the value.
    pub rate: bool,
    /// What has been filled in, at most so much.
    pub fill: Option<Real>,
    /// What runs over, per second, where there is room for so much.
    pub spill: Option<Real>,
    /// What runs out below, per second, where there is room for so much.
    pub drain: Option<Real>,
    /// What runs out below, `[what is in it, what leaves it per second]`, the first increasing; empty: nothing does.
    pub outlet: Vec<[Real; 2]>,
    /// `[above, below]`: 1 from above on, 0 from below on.
    pub gate: Option<[Real; 2]>,
}

impl Operators {
    /// How much there is room for, where something is filled in.
    fn most(&self) -> Option<Real> {
        self.fill.or(self.spill).or(self.drain)
    }
}

/// What a smoothed signal still lacks, in any unit, when it has arrived.
const SETTLED: Real = 1e-30;

/// Cells after which noise that nobody hears waits to be heard. [noise.3]
const WAITS: u16 = 4000;

/// One cell of the grid: its number, and the signal at both ends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cell {
    /// It begins at `index` ms.
    pub index: u64,
    /// Value at its beginning.
    pub from: Real,
    /// Value at its end.
    pub to: Real,
}

impl Cell {
    /// When it begins, s.
    pub fn from_s(&self) -> Real {
        self.index as Real * GRID_S
    }
    /// True if nothing changes in it.
    pub fn stands(&self) -> bool {
        self.from == self.to
    }
    /// Rate of change in it, 1/s.
    pub fn slope(&self) -> Real {
        (self.to - self.from) / GRID_S
    }
    /// Value at a time since the scene began, s. [signal.1]
    pub fn at(&self, time_s: Real) -> Real {
        self.from + (self.to - self.from) * (time_s / GRID_S - self.index as Real).clamp(0.0, 1.0)
    }
}

/// One number over time.
#[derive(Clone, Debug)]
pub struct Signal {
    source: Source,
    params: SignalParams,
    operators: Operators,
    cell: Cell,
    /// It has been moved since it was made.
    begun: bool,
    /// Everything is hushed: it is 0.
    hushed: bool,
    way: Real,
    smoothed: Real,
    last: Real,
    /// Filled in so far.
    filled: Real,
    open: bool,
    /// The last value changed nothing in it, and no parameter since: the same value says the same again.
    settled: bool,
    /// Cells for which nobody has heard the noise that it is.
    unheard: u16,
}

impl Signal {
    /// Two signals that were exchanged for each other keep what they read: its number may be another in the scene of each. `[audio]`
    pub(crate) fn exchange_sources(&mut self, other: &mut Signal) {
        let by_number = |source: &Source| matches!(source, Source::Signal(_) | Source::Walk { .. });
        if by_number(&self.source) && by_number(&other.source) {
            core::mem::swap(&mut self.source, &mut other.source);
        }
    }

    /// A signal that has not begun. `[control]`
    pub fn new(source: Source, params: SignalParams, operators: Operators) -> Self {
        Self {
            source,
            params,
            operators,
            cell: Cell::default(),
            begun: false,
            hushed: false,
            way: 0.0,
            smoothed: 0.0,
            last: 0.0,
            filled: 0.0,
            open: false,
            settled: false,
            unheard: 0,
        }
    }

    /// What it is made of.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// True once it has been moved.
    pub(crate) fn has_begun(&self) -> bool {
        self.begun
    }

    /// The cell that is now.
    pub fn cell(&self) -> Cell {
        self.cell
    }

    /// Parameter `index`; the one after [`SignalParams`] is the value of an inlet.
    pub fn get(&self, index: usize) -> Real {
        match (index, &self.source) {
            (0, _) => self.params.gain,
            (1, _) => self.params.offset,
            (2, _) => self.params.smooth_s,
            (_, Source::Inlet { value, .. }) => *value,
            _ => 0.0,
        }
    }

    /// Sets a parameter that is within its range. `[audio]`
    pub fn set(&mut self, index: usize, to: Real) {
        let own = match (index, &mut self.source) {
            (0, _) => &mut self.params.gain,
            (1, _) => &mut self.params.offset,
            (2, _) => &mut self.params.smooth_s,
            (_, Source::Inlet { value, .. }) => value,
            _ => return,
        };
        self.settled &= own.to_bits() == to.to_bits();
        *own = to;
    }

    /// Enters cell `index`. `reading` is what a [`Source::Reading`] reads now, `other` the cell of a [`Source::Signal`]
    /// or of a [`Source::Walk`].
    /// `[audio]`
    pub fn advance(&mut self, index: u64, reading: Real, other: Cell) {
        let (now, next) = match &mut self.source {
            Source::Points { points, loop_s } => {
                let value = |k: u64| breakpoints(points, wrapped(k as Real * GRID_S, *loop_s));
                (value(index), value(index + 1))
            }
            Source::Noise(noise) => {
                let unheard = self.begun && self.params.gain == 0.0 && self.operators.roll.is_none();
                self.unheard = if unheard { (self.unheard + 1).min(WAITS) } else { 0 };
                let now = if self.begun { 0.0 } else { noise.draw(index) };
                // Of noise that nobody hears only the stream goes on, and in the end not even that. [noise.3]
                let next = if self.unheard < WAITS { noise.draw(index + 1) } else { 0.0 };
                (now, if unheard { 0.0 } else { next })
            }
            Source::Table(values) => {
                let value = |k: u64| values.get(k as usize).copied().unwrap_or(0.0);
                (value(index), value(index + 1))
            }
            Source::Follow { follower, .. } => (follower.value(), follower.value()),
            Source::Reading => (reading, reading),
            Source::Signal(_) | Source::Walk { .. } => (other.from, other.to),
            Source::Inlet { value, .. } => (*value, *value),
        };
        if self.settled && self.begun && next.to_bits() == self.way.to_bits() {
            self.cell = Cell { index, from: self.cell.to, to: self.cell.to };
            return;
        }
        if !self.begun {
            self.begun = true;
            self.way = sane(now);
            let curved = self.curved(sane(now), 0.0);
            (self.smoothed, self.last) = (curved, curved);
            self.filled = 0.0;
            let nothing = self.operators.rate || self.operators.most().is_some();
            self.cell.to = self.gated(if nothing { 0.0 } else { curved });
        }
        self.cell = match self.hushed {
            true => Cell { index, from: 0.0, to: 0.0 },
            false => {
                let state = |own: &Self| ([own.way, own.smoothed, own.last, own.filled].map(Real::to_bits), own.open);
                let (before, from) = (state(self), self.cell.to);
                let to = self.shaped(next);
                self.settled = before == state(self) && self.way.to_bits() == next.to_bits() && from == to;
                Cell { index, from, to }
            }
        };
    }

    /// True if it stands until it, or what it hears, is moved; `index` is the coming cell. `[audio]`
    pub(crate) fn stays(&self, index: u64) -> bool {
        let of_itself = match &self.source {
            Source::Points { points, loop_s } => {
                loop_s.is_none() && points.last().is_none_or(|point| point[0] < index as Real * GRID_S)
            }
            Source::Noise(_) => self.unheard == WAITS,
            Source::Table(values) => index as usize >= values.len(),
            Source::Signal(_) | Source::Walk { .. } | Source::Inlet { .. } => true,
            Source::Follow { .. } | Source::Reading => false,
        };
        of_itself && self.settled && self.cell.stands()
    }

    /// Its first value, before it has begun. `[control]`
    pub fn first(&self) -> Real {
        let mut twin = self.clone();
        twin.advance(0, 0.0, Cell::default());
        twin.cell.from
    }

    /// Value at a time since the scene began, s. `[audio]`
    pub fn at(&self, time_s: Real) -> Real {
        self.cell.at(time_s)
    }

    /// Silence: what is generated reads 0 from now on, an inlet goes back to rest. `[audio]`
    pub fn hush(&mut self) {
        // Nothing is crushed by the way there: it begins anew.
        (self.begun, self.open, self.settled) = (false, false, false);
        match &mut self.source {
            Source::Inlet { value, rest } => *value = *rest,
            Source::Follow { follower, .. } => follower.reset(),
            Source::Reading | Source::Signal(_) | Source::Walk { .. } => {}
            Source::Points { .. } | Source::Noise(_) | Source::Table(_) => self.hushed = true,
        }
    }

    /// A sample of sound that comes in. `[audio]`
    pub fn hear(&mut self, sample: impl Fn(usize) -> Real) {
        if let Source::Follow { channel, follower } = &mut self.source {
            follower.hear(sample(*channel));
        }
    }

    /// When it last changes by itself, s; 0 for one that depends on others or never ends.
    pub fn ends_s(&self) -> Real {
        match &self.source {
            Source::Points { points, loop_s: None } => points.last().map_or(0.0, |point| point[0]),
            Source::Table(values) => values.len() as Real * GRID_S,
            _ => 0.0,
        }
    }

    fn curved(&self, x: Real, speed: Real) -> Real {
        let x = match self.operators.roll {
            Some([radius, eccentricity]) => eccentricity * speed * speed / radius * cos(x / radius), // [signal.6]
            None => x,
        };
        let x = sane(self.params.gain * x + self.params.offset);
        match (self.operators.curve.as_slice(), self.operators.every) {
            ([], _) => x,
            (curve, None) => breakpoints(curve, x),
            (curve, Some(every)) => repeating(curve, fault!(SIGNAL_EVERY, every, times 1.05), x),
        }
    }

    fn shaped(&mut self, raw: Real) -> Real {
        let x = sane(raw); // [signal.2]
        let speed = (x - core::mem::replace(&mut self.way, x)) / GRID_S;
        let x = self.curved(x, speed);
        let keep = if self.params.smooth_s > 0.0 { exp(-GRID_S / self.params.smooth_s) } else { 0.0 };
        self.smoothed += (1.0 - fault!(SIGNAL_SMOOTH, keep, keep * keep)) * (x - self.smoothed); // [signal.3]
        if (x - self.smoothed).abs() < SETTLED {
            self.smoothed = x; // else it would go on for as long as numbers can be smaller
        }
        let x = sane(self.smoothed);
        let rate = (x - core::mem::replace(&mut self.last, x)) / GRID_S; // [signal.4]
        let x = if self.operators.rate { sane(rate) } else { x };
        let x = self.filling(x);
        self.gated(x)
    }

    fn filling(&mut self, x: Real) -> Real {
        let Some(most) = self.operators.most() else { return x };
        let out = match self.operators.outlet.as_slice() {
            [] => 0.0,
            // No more than there is. [signal.8]
            outlet => {
                breakpoints(outlet, fault!(SIGNAL_OUTLET, self.filled, most)).min((self.filled / GRID_S + x).max(0.0))
            }
        };
        let wanted = sane(self.filled + GRID_S * (x - out)); // [signal.7]
        self.filled = wanted.clamp(0.0, most);
        match (self.operators.fill, self.operators.spill) {
            (Some(_), _) => self.filled,
            (None, Some(_)) => (wanted - most).max(0.0) / GRID_S,
            (None, None) => out,
        }
    }

    fn gated(&mut self, x: Real) -> Real {
        let Some([above, below]) = self.operators.gate else { return x };
        self.open = if self.open { x >= below } else { x > above }; // [signal.5]
        if self.open { 1.0 } else { 0.0 }
    }
}

fn sane(x: Real) -> Real {
    if x.is_finite() { x.clamp(-LARGEST, LARGEST) } else { 0.0 }
}

fn wrapped(t: Real, loop_s: Option<Real>) -> Real {
    loop_s.map_or(t, |length| t - (t / length).floor() * length)
}

/// Linear between breakpoints that repeat, and from the last to the first; `every` is more than they are long. [signal.9]
fn repeating(points: &[[Real; 2]], every: Real, x: Real) -> Real {
    let (Some(&[first, to]), Some(&[last, from])) = (points.first(), points.last()) else { return 0.0 };
    let x = first + (x - first).rem_euclid(every);
    if x < last { breakpoints(points, x) } else { from + (to - from) * ((x - last) / (first + every - last)) }
}

/// Linear between breakpoints, held outside; 0 without any.
pub fn breakpoints(points: &[[Real; 2]], x: Real) -> Real {
    let after = points.partition_point(|point| point[0] <= x);
    match (after.checked_sub(1).and_then(|before| points.get(before)), points.get(after)) {
        (Some(&[x0, y0]), Some(&[x1, y1])) => y0 + (y1 - y0) * ((x - x0) / (x1 - x0)),
        (Some(&[_, y]), None) | (None, Some(&[_, y])) => y,
        (None, None) => 0.0,
    }
}
