// SPDX-License-Identifier: MIT OR Apache-2.0
//! Processes: what crackles, crunches, rustles and bursts.
//!
//! **What.** Many small things that nobody would wire one by one. A process hears one signal, draws events from it, and
//! either hits ports of bodies, which is work and booked as such, or sounds by itself, in Pa at 1 m, outside the ledger.
//!
//! **Law.** On the grid of signals, T = 1 ms, cell k from k T to (k + 1) T:
//! - `[process.1]  c = load max(0, R') + unload max(0, -R') + level R`: the crush rate that a signal R makes.
//! - `[process.2]  L = integral lambda dt`, an event wherever L passes theta, theta <- theta - ln(1 - U): a Poisson
//!   process of rate lambda, held within a cell; the time within the cell by proportion. It depends on the signal, the seed
//!   and the label, not on the sample rate: event times are the same numbers at every rate.
//! - `[process.3]  A (1 - f) at sample j, A f at sample j + 1`: an event between two samples, f its fraction.
//! - `[process.4]  F <- a F + (1 - a) J/h, twice; a = exp(-h/(0.172 T_c))`: an impulse J as a force that lasts about T_c:
//!   3 dB down where a half sine of that length is. Its sum is J whatever the rate.
//!
//! - `[process.6]  F (h v + h^2 w F/2) <= left`: the force of a process that has only so much to give, at a port of speed v and inverse
//!   mass w; what it really gave, F times the way of the port, is taken off what is left.
//! - `[process.5]  t = (k + (theta - R_k)/(R_{k+1} - R_k)) T`: when a signal passes the threshold theta of a blow.
//! - `[process.7]  t = t_last + 6.9 tau`: until when a process is heard, to 60 dB, by the time of its last event and its time constants. It depends
//!   on the signal alone, as event times do; when its samples fall asleep depends on the rate, and nothing is drawn by that.
//!
//! **Step.** Once a cell the engine calls [`Process::enter`], which draws; for every stretch of samples [`Process::render`],
//! which writes forces and sound. A process that is not awake costs nothing by the sample; it falls asleep only where a cell
//! is entered, so that how a host cuts its blocks cannot be heard. Rates are held to [`MOST_HZ`],
//! and events to [`MOST_IN_CELL`] in a cell; what is left out is counted.
//!
//! **Sources.** De Sena et al. 2009 sections 3.2, 3.3; ours: seconds instead of samples, the causal draw.

pub mod bed;
pub mod breaking;
pub mod bubble;
pub mod burst;
pub mod crumple;
pub mod drip;
pub mod flight;
pub mod flow;
pub mod footstep;
pub mod fragment;
pub mod ice;
pub mod particles;
pub mod patter;
pub mod pieces;
pub mod puddle;
pub mod rain;
pub mod scatter;
pub mod splash;
pub mod spread;
pub mod step;
pub mod tread;
pub mod water;

use crate::math::{Real, exp, ln};
use crate::param::Tunable;
use crate::resonator::CONTROL_TICKS;
use crate::rng::Rng;
use crate::signal::{Cell, GRID_S};

/// Most events a second that a process may ask for.
pub const MOST_HZ: Real = 2e4;
/// Most events in one cell of 1 ms: six standard deviations above the mean at [`MOST_HZ`].
pub const MOST_IN_CELL: usize = 48;
/// The longest sample interval, s.
const LONGEST_SAMPLE_S: Real = 1.25e-4;
/// Room for those of a cell and what is left of the one before.
const ROOM: usize = 2 * MOST_IN_CELL;
/// Where a force of [process.4] is over, N.
const OVER_N: Real = 1e-15;
/// What has died away by e to this is not heard any more: 60 dB. [process.7]
const UNHEARD: Real = 6.907_755;
/// Pulses of [process.4] are over after so many of their lengths.
const PULSES: Real = 2.0;

/// Something that happens at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Event {
    /// Since the scene began, s.
    pub at_s: Real,
    /// How strong: an amplitude, an energy in J or an impulse in N s, as the process says.
    pub size: Real,
    /// Which of its fragments or ports it concerns.
    pub place: usize,
}

/// A mass that lands where it touches something, from a fall that nobody heard.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Landing {
    /// Since the scene began, s.
    pub at_s: Real,
    /// Which of the masses of the process.
    pub body: usize,
    /// How fast it falls, m/s, at least 0.
    pub speed_m_s: Real,
}

/// The events of one cell, in order.
#[derive(Clone, Debug)]
pub struct Events {
    list: [Event; ROOM],
    count: usize,
    /// Events before this one belong to the cell before: they fall on its last sample's way to this one's first.
    fresh: usize,
    /// Events before this one have been rendered.
    done: usize,
    /// When the last one comes, s.
    last_s: Real,
}

impl Default for Events {
    fn default() -> Self {
        Self { list: [Event::default(); ROOM], count: 0, fresh: 0, done: 0, last_s: Real::NEG_INFINITY }
    }
}

impl Events {
    /// All of this cell.
    pub fn all(&self) -> &[Event] {
        &self.list[self.fresh..self.count]
    }

    /// A new cell: what falls into the last sample before it and has not been rendered stays. `[audio]`
    pub fn begin(&mut self, cell: Cell) {
        let late = |event: &Event| event.at_s < cell.from_s() - LONGEST_SAMPLE_S;
        self.done += self.list[self.done..self.count].partition_point(late);
        self.list.copy_within(self.done..self.count, 0);
        self.fresh = self.count - self.done;
        (self.count, self.done) = (self.fresh, 0);
    }

    /// Forgets everything. `[audio]`
    pub fn clear(&mut self) {
        (self.count, self.fresh, self.done, self.last_s) = (0, 0, 0, Real::NEG_INFINITY);
    }

    /// When the last of all so far comes, since the scene began, s; minus infinity before the first.
    pub fn last_s(&self) -> Real {
        self.last_s
    }

    /// True while something has not been rendered.
    pub fn wait(&self) -> bool {
        self.done < self.count
    }

    /// True while there is room for one more in this cell.
    pub fn has_room(&self) -> bool {
        self.count < ROOM && self.count - self.fresh < MOST_IN_CELL
    }

    /// One more, not before the last; false if there is no room. `[audio]`
    pub fn push(&mut self, event: Event) -> bool {
        let room = self.has_room();
        if room {
            self.list[self.count] = event;
            self.count += 1;
            self.last_s = self.last_s.max(event.at_s);
        }
        room
    }

    /// As [`Events::push`], at its place in the order. `[audio]`
    pub fn insert(&mut self, event: Event) -> bool {
        let room = self.push(event);
        if room {
            let before = &self.list[self.fresh..self.count - 1];
            let at = self.fresh + before.partition_point(|other| other.at_s <= event.at_s);
            self.list[at..self.count].rotate_right(1);
        }
        room
    }

    /// The next event whose sample lies before the end of a stretch, with its sample counted from the stretch's first
    /// and the fraction of a sample by which it comes later. `[audio]`
    pub fn due(&mut self, span: Span) -> Option<(Event, usize, Real)> {
        let event = *self.list[..self.count].get(self.done)?;
        let place = (event.at_s * span.rate_hz - span.tick as Real).max(0.0);
        let whole = place as usize;
        (whole < span.ticks).then(|| {
            self.done += 1;
            (event, whole, place - whole as Real)
        })
    }
}

/// A stretch of samples.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// First sample, since the scene began.
    pub tick: u64,
    /// How many, at most [`CONTROL_TICKS`].
    pub ticks: usize,
    /// Hz
    pub rate_hz: Real,
}

/// Samples of one stretch.
pub type Lane = [Real; CONTROL_TICKS];

crate::reserve::copied!(Process, DuplicateProcess, "A process");

/// A stochastic process. All methods `[audio]`: no allocation, no panic.
pub trait Process: Tunable + Send + Sync + DuplicateProcess {
    /// Draws what happens in a cell of its signal; returns how much was asked for beyond what is allowed.
    fn enter(&mut self, cell: Cell) -> u64;
    /// A cell of one of the other signals that it hears, in the order that its kind says, before [`Process::enter`].
    fn hear(&mut self, _number: usize, _cell: Cell) {}
    /// What happens in the present cell.
    fn events(&self) -> &[Event];
    /// Masses of the scene that land in the present cell, in order.
    fn landings(&self) -> &[Landing] {
        &[]
    }
    /// Adds what it does in a stretch that lies within the cell: forces at its ports, N, and its own sound, Pa at 1 m.
    fn render(&mut self, span: Span, forces: &mut [Lane], sound: &mut Lane);
    /// One thing happens at a time since the scene began, which is not before the samples rendered so far; `values` are what its
    /// kind declares.
    fn trigger(&mut self, _at_s: Real, _values: &[Real]) -> Triggered {
        Triggered::Refused
    }
    /// Where the place of an event is, m, if it knows.
    fn spot(&self, _place: usize) -> [Real; 2] {
        [0.0; 2]
    }
    /// The speed at which the mass that it moves is to be struck as the present cell begins, m/s; said once.
    fn strike(&mut self) -> Option<Real> {
        None
    }
    /// Whether somebody feels it: one that hits no body then writes what is felt as its one force, N.
    fn feel(&mut self, _wanted: bool) {}
    /// False while it would write nothing but zeros.
    fn is_awake(&self) -> bool;
    /// Until when what has happened so far is heard, since the scene began, s: the same at every rate. [process.7]
    fn heard_until_s(&self) -> Real;
    /// True if a cell in which its signal stands at this value would change nothing: then it need not be told of it.
    fn rests(&self, _value: Real) -> bool {
        false
    }
    /// Back to rest; the random streams go on.
    fn reset(&mut self);
    /// What its events were given so far and what there was to give, where it keeps count.
    fn book(&self) -> Book {
        Book::default()
    }
    /// Work that it may have done on bodies since the start, J. Hits that come together add up as motion does, to more than the sum of
    /// their energies: where this is finite, forces are held so that it is never passed. [process.6]
    fn may_give_j(&self) -> Real {
        Real::INFINITY
    }
}

/// What became of a trigger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Triggered {
    /// It takes none, or has no room.
    Refused,
    /// It happens in the present cell.
    Now(Event),
    /// It happens in a later cell, and is among that one's events.
    Later,
}

/// Energies of a process that keeps count, J: never more given than there was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Book {
    /// Given to fragments and bodies by its events.
    pub given_j: Real,
    /// Brought in: by a blow, by gravity, by the work of its signal.
    pub had_j: Real,
}

/// How hard a signal crushes. [process.1]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crush {
    /// Per rise of the signal.
    pub load: Real,
    /// Per fall.
    pub unload: Real,
    /// Per second at value 1.
    pub level: Real,
}

impl Crush {
    /// The crush rate in a cell, 1/s in the unit of the signal.
    pub fn rate(&self, cell: Cell) -> Real {
        let slope = cell.slope();
        let held = 0.5 * (cell.from + cell.to).max(0.0);
        self.load * slope.max(0.0) + self.unload * (-slope).max(0.0) + self.level * held
    }
}

/// Draws the times of a Poisson process whose rate changes from cell to cell. [process.2]
#[derive(Clone, Debug)]
pub struct Arrivals {
    rng: Rng,
    /// What is left of the integral until the next event.
    left: Real,
}

impl Arrivals {
    /// With its own random stream. `[control]`
    pub fn new(mut rng: Rng) -> Self {
        let left = -ln(1.0 - rng.unit());
        Self { rng, left }
    }

    /// Calls `each` with the time of every event in the cell at this rate, 1/s, until it says that there is no more room.
    /// Returns how many events were left out, because the rate was too high or the room too small. `[audio]`
    pub fn draw(&mut self, cell: Cell, rate_hz: Real, mut each: impl FnMut(Real) -> bool) -> u64 {
        let rate = if rate_hz > 0.0 { rate_hz.min(MOST_HZ) } else { 0.0 };
        let mut beyond = ((rate_hz - rate) * GRID_S).clamp(0.0, 1e15).ceil() as u64;
        let mut ahead = rate * GRID_S;
        let mut spent = 0.0;
        while self.left < ahead {
            ahead -= self.left;
            spent += self.left;
            let at_s = cell.from_s() + spent / rate;
            self.left = fault!(ARRIVALS, -ln(1.0 - self.rng.unit()), 2.0 * self.rng.unit());
            if !each(at_s) {
                beyond += 1;
                break;
            }
        }
        self.left = (self.left - ahead).max(0.0);
        beyond
    }
}

/// Impulses become a force. [process.4]
#[derive(Clone, Debug)]
pub struct Pulse {
    keep: Real,
    force: [Real; 2],
    /// The second half of an impulse that fell on the last sample of a stretch.
    carry: Real,
}

impl Pulse {
    /// Pulses of about this length, s; 0: one sample. `[control]`
    pub fn new(contact_s: Real, rate_hz: Real) -> Self {
        let mut pulse = Self { keep: 0.0, force: [0.0; 2], carry: 0.0 };
        pulse.set(contact_s, rate_hz);
        pulse
    }

    /// Another length. `[audio]`
    pub fn set(&mut self, contact_s: Real, rate_hz: Real) {
        let tau = 0.172 * contact_s * rate_hz;
        self.keep = if tau > 0.0 { exp(-1.0 / tau) } else { 0.0 };
    }

    /// True while it pushes.
    pub fn is_awake(&self) -> bool {
        self.carry != 0.0 || self.force != [0.0; 2]
    }

    /// Adds an impulse, N s, at sample `at` of a lane of impulses, a fraction of a sample later. [process.3]
    pub fn add(&mut self, lane: &mut [Real], at: usize, fraction: Real, impulse: Real) {
        let part = fault!(HIT_ON_THE_SAMPLE, fraction, 0.0);
        lane[at] += impulse * (1.0 - part);
        match lane.get_mut(at + 1) {
            Some(next) => *next += fault!(PULSE_MOMENTUM, impulse * part, 0.0),
            None => self.carry += impulse * part,
        }
    }

    /// Takes what the stretch before left over into a lane of impulses.
    pub fn begin(&mut self, lane: &mut [Real]) {
        if let Some(first) = lane.first_mut() {
            *first += core::mem::take(&mut self.carry);
        }
    }

    /// The force of an impulse on this sample, N. [process.4]
    #[inline]
    pub fn force(&mut self, impulse: Real, rate_hz: Real) -> Real {
        let [first, second] = &mut self.force;
        *first += (1.0 - self.keep) * (impulse * rate_hz - *first);
        *second += (1.0 - self.keep) * (*first - *second);
        *second
    }

    /// Ends what is too small to matter.
    pub fn settle(&mut self) {
        if self.force.iter().all(|force| force.abs() < OVER_N) {
            self.force = [0.0; 2];
        }
    }

    /// Back to rest.
    pub fn reset(&mut self) {
        (self.force, self.carry) = ([0.0; 2], 0.0);
    }
}

/// The places that a process hits: their inverse masses, 1/kg, and the forces there.
#[derive(Clone, Debug)]
pub struct Hitter(Vec<(Real, Pulse)>);

impl Hitter {
    /// Places of these inverse masses, hit for about so long, s. `[control]`
    pub fn new(inverse_masses: &[Real], contact_s: Real, rate_hz: Real) -> Self {
        Self(inverse_masses.iter().map(|inverse| (*inverse, Pulse::new(contact_s, rate_hz))).collect())
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Another contact time. `[audio]`
    pub fn set(&mut self, contact_s: Real, rate_hz: Real) {
        self.0.iter_mut().for_each(|(_, pulse)| pulse.set(contact_s, rate_hz));
    }

    /// Turns the events of a stretch into forces; `impulse` says how hard, N s, given the inverse mass of the place. `[audio]`
    pub fn render(
        &mut self,
        span: Span,
        events: &mut Events,
        impulse: impl Fn(&Event, Real) -> Real,
        forces: &mut [Lane],
    ) {
        for ((_, pulse), lane) in self.0.iter_mut().zip(forces.iter_mut()) {
            pulse.begin(&mut lane[..span.ticks]);
        }
        while let Some((event, at, fraction)) = events.due(span) {
            if let (Some((inverse, pulse)), Some(lane)) = (self.0.get_mut(event.place), forces.get_mut(event.place)) {
                pulse.add(&mut lane[..span.ticks], at, fraction, impulse(&event, *inverse));
            }
        }
        for ((_, pulse), lane) in self.0.iter_mut().zip(forces) {
            lane[..span.ticks].iter_mut().for_each(|cell| *cell = pulse.force(*cell, span.rate_hz));
        }
    }

    /// True while it pushes.
    pub fn is_awake(&self) -> bool {
        self.0.iter().any(|(_, pulse)| pulse.is_awake())
    }

    /// Ends what is too small to matter.
    pub fn settle(&mut self) {
        self.0.iter_mut().for_each(|(_, pulse)| pulse.settle());
    }

    /// Back to rest.
    pub fn reset(&mut self) {
        self.0.iter_mut().for_each(|(_, pulse)| pulse.reset());
    }
}

/// Where the cell after the present one ends, s: until then something is heard that its signal keeps going.
fn going_until_s(cell: Cell) -> Real {
    (cell.index + 2) as Real * GRID_S
}

/// The impulse that gives something at rest this energy, N s, if it is short.
pub fn impulse_of(energy_j: Real, inverse_mass: Real) -> Real {
    if inverse_mass > 0.0 { (fault!(HIT_ENERGY, 2.0, 1.0) * energy_j / inverse_mass).sqrt() } else { 0.0 }
}

/// A threshold that a signal passes upwards; it is ready again once the signal has been below half of it. [process.5]
#[derive(Clone, Debug)]
pub struct Trigger {
    ready: bool,
}

impl Default for Trigger {
    fn default() -> Self {
        Self { ready: true }
    }
}

impl Trigger {
    /// As if it had passed: it waits until the signal has been low. `[audio]`
    pub fn spend(&mut self) {
        self.ready = false;
    }

    /// True if a signal that stands at a value neither passes nor makes it ready.
    pub fn rests(&self, value: Real, threshold: Real) -> bool {
        if self.ready { value <= threshold } else { value >= 0.5 * threshold }
    }

    /// When the signal passes the threshold in this cell, s, if it does. `[audio]`
    pub fn passes(&mut self, cell: Cell, threshold: Real) -> Option<Real> {
        self.ready |= cell.from < 0.5 * threshold;
        if !self.ready || cell.to <= threshold {
            return None;
        }
        self.ready = false;
        let part = (threshold - cell.from) / (cell.to - cell.from);
        Some(cell.from_s() + GRID_S * if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 })
    }
}

/// Nearly normal white noise, fast: the sum of four uniform numbers of 16 bits, variance 1 exactly, kurtosis -0.3.
#[inline]
pub fn near_normal(rng: &mut Rng) -> Real {
    let bits = rng.bits();
    let sum = (bits & 0xffff) + ((bits >> 16) & 0xffff) + ((bits >> 32) & 0xffff) + (bits >> 48);
    // Each has mean 65535/2 and variance (65536^2 - 1)/12.
    (sum as Real - 131_070.0) * 2.642_899_792_130_301_4e-5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_between_two_samples_has_its_middle_where_it_falls_and_all_of_its_momentum() {
        for (at, fraction) in [(0, 0.0), (3, 0.25), (17, 0.5), (30, 0.999), (31, 0.7)] {
            let (mut pulse, mut lanes) = (Pulse::new(0.0, 48_000.0), [[0.0; CONTROL_TICKS]; 2]);
            pulse.add(&mut lanes[0], at, fraction, 0.3);
            pulse.begin(&mut lanes[1]);
            let all = lanes.as_flattened();
            let sum: Real = all.iter().sum();
            let middle = all.iter().enumerate().map(|(i, x)| i as Real * x).sum::<Real>() / sum;
            assert!((sum - 0.3).abs() < 1e-15, "{sum} N s");
            assert!((middle - (at as Real + fraction)).abs() < 1e-12, "{middle}, not {at} and {fraction}");
        }
    }
}
