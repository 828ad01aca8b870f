// SPDX-License-Identifier: MIT OR Apache-2.0
//! What of a scene runs on the grid of 1 ms: its signals, its processes, and what has just happened.
//!
//! At the last sample that is not after k ms the engine enters cell k: every signal moves on, then every process draws
//! what happens in the cell. Within it the processes only write samples. A scene without signals has no grid and never stops
//! for one.

use super::directory::Probe;
use crate::contact::Site;
use crate::contact::world::World;
use crate::gait::walker::{LANES, REGIONS, Walker};
use crate::math::Real;
use crate::process::step::PerStep;
use crate::process::{Event, Lane, Process, Span, Triggered};
use crate::reserve::Reserve;
use crate::resonator::CONTROL_TICKS;
use crate::signal::{Cell, Signal, Source};

/// A signal, and what it reads if it does.
#[derive(Clone)]
pub(crate) struct Heard {
    pub signal: Signal,
    pub reads: Option<Probe>,
}

/// A process, the signal that it hears and what it does.
#[derive(Clone)]
pub(crate) struct Acting {
    pub process: Box<dyn Process>,
    /// What of it is drawn anew for every step.
    pub per_step: Option<PerStep>,
    /// Number of its signal.
    pub hears: usize,
    /// Other signals that it hears, each with a factor.
    pub also: Vec<(usize, Real)>,
    /// Where it hits: numbers of [`Grid::pushes`].
    pub ports: Vec<usize>,
    /// Its force at each of them; of one that is felt and hits no body, what is felt.
    pub forces: Vec<Lane>,
    /// What it has really given to bodies, J, where that is bounded; what it is about to give in this sample; and per port its force in
    /// the sample before, N, where the port was, m, and what it was about to give there, J.
    pub spent_j: Real,
    promised_j: Real,
    before: Vec<(Real, Real, Real)>,
    pub sound: Lane,
    /// The lanes hold something.
    pub written: bool,
    /// Events since the start.
    pub events: u64,
    /// Cells entered since it was last awake in one.
    idle: u32,
    /// It hits more than one body.
    several: bool,
    /// Masses that it lets fall.
    bodies: Vec<Falling>,
}

/// A mass that a process lets fall.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Falling {
    pub body: usize,
    pub mass_kg: Real,
    /// Sign of the axis along which it falls.
    pub down: Real,
}

/// A body that a process hits stays ready for the next hit for so many cells: hits do not regroup islands one by one.
const READY: u32 = 30;

/// A place that processes hit.
#[derive(Clone)]
pub(crate) struct Push {
    pub site: Site,
    /// Slot of the external force there.
    pub slot: usize,
    /// What all of them do there, N, but for those that have only so much to give.
    pub lane: Lane,
    /// Those: number of the process, and which of its ports it is.
    pub bounded: Reserve<(usize, usize)>,
    pub active: bool,
}

impl Push {
    /// A place and the slot of its external force. `[control]`
    pub fn new(site: Site, slot: usize) -> Self {
        Self { site, slot, lane: [0.0; CONTROL_TICKS], bounded: Reserve::default(), active: false }
    }

    /// A stretch is over: where processes did nothing, only what the slot says is left, N. `[audio]`
    pub fn settle(&mut self, own: Real, world: &mut World) {
        if self.lane.iter().all(|force| *force == 0.0) {
            world.set_force(self.site, own);
            self.active = false;
        }
    }
}

/// Something that a process has done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Happening {
    /// Number of the process.
    pub process: usize,
    /// When, since the scene began, s.
    pub at_s: Real,
    /// How strong, in the unit of the process.
    pub size: Real,
    /// Where, m, for a process that knows places; else 0.
    pub spot_m: [Real; 2],
}

/// Writes one down.
fn note(happened: &mut [Happening], total: &mut u64, process: usize, event: &Event, spot_m: [Real; 2]) {
    if let Some(cell) = happened.get_mut((*total % KEPT as u64) as usize) {
        *cell = Happening { process, at_s: event.at_s, size: event.size, spot_m };
        *total += 1;
    }
}

/// How long a place in samples lies after the last whole one, s.
fn past_sample_s(place: Real, rate_hz: Real) -> Real {
    (place - place.floor()) / rate_hz
}

/// Happenings that are kept for whoever asks; older ones give way.
const KEPT: usize = 1024;

/// The signals and processes of a scene. All methods `[audio]` unless they say otherwise.
#[derive(Clone)]
pub(crate) struct Grid {
    pub signals: Vec<Heard>,
    /// Signals in an order in which each comes after the one that it reads.
    pub order: Vec<usize>,
    /// Who walks.
    pub walkers: Vec<Walker>,
    /// The signal that each of them hears.
    pub ears: Vec<Option<usize>>,
    pub processes: Vec<Acting>,
    pub pushes: Vec<Push>,
    /// The next cell.
    pub next: u64,
    /// In the present one no signal moves and no process does anything.
    pub stands: bool,
    /// Nor will any in those to come, until something else happens.
    stays: bool,
    /// Signals that follow sound that comes in.
    follows: Vec<usize>,
    /// Masses that land in the present cell: when, s, which, and how fast along its axis, m/s; and how many of them have.
    lands: Reserve<(Real, usize, Real)>,
    landed: usize,
    happened: Vec<Happening>,
    /// Happenings since the start, and those that somebody has taken.
    total: u64,
    taken: u64,
}

impl Grid {
    /// Signals and processes that have not begun. `[control]`
    pub fn new(signals: Vec<Heard>, order: Vec<usize>, mut processes: Vec<Acting>, mut pushes: Vec<Push>) -> Self {
        for acting in &mut processes {
            let mut bodies = acting.ports.iter().map(|port| pushes[*port].site.body);
            let first = bodies.next();
            acting.several = bodies.any(|body| Some(body) != first);
        }
        for (number, push) in pushes.iter_mut().enumerate() {
            // A process may name a place more than once.
            let named = processes.iter().flat_map(|acting| &acting.ports).filter(|port| **port == number);
            push.bounded = Reserve::of(named.count());
        }
        let happened = vec![Happening::default(); if processes.is_empty() { 0 } else { KEPT }];
        let lands = Reserve::of(processes.iter().map(|acting| acting.bodies.len()).sum());
        let follows = |heard: &Heard| matches!(heard.signal.source(), Source::Follow { .. });
        let stands = signals.is_empty();
        Self {
            follows: (0..signals.len()).filter(|index| follows(&signals[*index])).collect(),
            signals,
            order,
            walkers: Vec::new(),
            ears: Vec::new(),
            processes,
            pushes,
            next: 0,
            stands,
            stays: false,
            lands,
            landed: 0,
            happened,
            total: 0,
            taken: 0,
        }
    }

    /// Sample at which the next mass lands, since the scene began.
    pub fn next_landing(&self, rate_hz: Real) -> Option<u64> {
        self.lands.get(self.landed).map(|(at_s, ..)| (at_s * rate_hz) as u64)
    }

    /// The next mass that lands, how fast along its axis, m/s, and how long after its sample, s.
    pub fn take_landing(&mut self, rate_hz: Real) -> Option<(usize, Real, Real)> {
        let (at_s, body, velocity) = *self.lands.get(self.landed)?;
        self.landed += 1;
        Some((body, velocity, past_sample_s(at_s * rate_hz, rate_hz)))
    }

    /// How long after its sample the present cell begins, s.
    pub fn begins_later_s(&self, rate_hz: Real) -> Real {
        past_sample_s(self.next.saturating_sub(1) as Real * rate_hz / 1000.0, rate_hz)
    }

    /// Sample at which the next cell is entered, since the scene began; `None` for a scene without signals.
    pub fn next_tick(&self, rate_hz: Real) -> Option<u64> {
        (!self.signals.is_empty()).then(|| (self.next as Real * rate_hz / 1000.0) as u64)
    }

    /// Enters the next cell; `read` reads the scene, and `rests` says that nothing has happened to it since the last. Returns how many
    /// events were asked for beyond what is allowed.
    pub fn enter(&mut self, rests: bool, read: impl Fn(&Self, Probe) -> Real) -> u64 {
        let index = self.next;
        if rests && self.stays && self.walkers.iter().all(Walker::stays) {
            self.next += 1;
            return 0;
        }
        (self.next, self.stands) = (self.next + 1, true);
        for (walker, ear) in self.walkers.iter_mut().zip(&self.ears) {
            if let Some(signal) = ear {
                walker.listen(self.signals[*signal].signal.cell().to);
            }
            walker.enter(index);
        }
        for at in 0..self.order.len() {
            let signal = self.order[at];
            let reading = self.signals[signal].reads.map_or(0.0, |probe| read(self, probe));
            let other = match self.signals[signal].signal.source() {
                Source::Signal(other) => self.signals[*other].signal.cell(),
                Source::Walk { walk, lane } => {
                    let walker = &self.walkers[*walk];
                    let [from, to] = match lane.checked_sub(LANES.len()) {
                        None => walker.lane(*lane),
                        Some(on) => walker.on_ground(on / REGIONS, on % REGIONS),
                    };
                    Cell { index, from, to }
                }
                _ => Default::default(),
            };
            let signal = &mut self.signals[signal].signal;
            signal.advance(index, reading, other);
            self.stands &= signal.cell().stands();
        }
        let mut beyond = 0;
        self.lands.drain(..self.landed);
        self.landed = 0;
        for (number, acting) in self.processes.iter_mut().enumerate() {
            let mut cell = self.signals[acting.hears].signal.cell();
            if acting.rests(cell) {
                continue;
            }
            self.stands = false;
            if let Some(per_step) = &mut acting.per_step {
                cell = per_step.enter(cell, &mut *acting.process);
            }
            for (heard, (signal, gain)) in acting.also.iter().enumerate() {
                let Cell { index, from, to } = self.signals[*signal].signal.cell();
                acting.process.hear(heard, Cell { index, from: gain * from, to: gain * to });
            }
            beyond += acting.process.enter(cell);
            for landing in acting.process.landings() {
                let Falling { body, down, .. } = acting.bodies[landing.body];
                if self.lands.len() < self.lands.capacity() {
                    self.lands.push((landing.at_s, body, down * landing.speed_m_s));
                }
            }
            for event in acting.process.events() {
                note(&mut self.happened, &mut self.total, number, event, acting.process.spot(event.place));
                acting.events += 1;
            }
            acting.idle = if acting.process.is_awake() { 0 } else { acting.idle.saturating_add(1) };
        }
        self.lands.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        self.stays = self.stands && self.signals.iter().all(|heard| heard.signal.stays(index + 1));
        beyond
    }

    /// One thing happens in a process; false if it cannot.
    pub fn trigger(&mut self, process: usize, at_s: Real, values: &[Real]) -> bool {
        let Some(acting) = self.processes.get_mut(process) else { return false };
        let answer = acting.process.trigger(at_s, values);
        if let Triggered::Now(event) = answer {
            note(&mut self.happened, &mut self.total, process, &event, acting.process.spot(event.place));
            acting.events += 1;
        }
        if answer != Triggered::Refused {
            acting.idle = 0;
        }
        answer != Triggered::Refused
    }

    /// The next thing that happened and has not been taken.
    pub fn take_happening(&mut self) -> Option<Happening> {
        self.taken = self.taken.max(self.total.saturating_sub(KEPT as u64));
        (self.taken < self.total).then(|| {
            self.taken += 1;
            self.happened[((self.taken - 1) % KEPT as u64) as usize]
        })
    }

    /// Sound that comes in, by the sample.
    pub fn hear(&mut self, ticks: usize, sample: impl Fn(usize, usize) -> Real) {
        for &index in &self.follows {
            for i in 0..ticks {
                self.signals[index].signal.hear(|channel| sample(channel, i));
            }
        }
    }

    /// Runs the processes over a stretch, and gathers what they do at each place.
    pub fn run(&mut self, span: Span) {
        // Who was silent in the last stretch, too, has left nothing to take away.
        if self.processes.iter().all(|acting| acting.idle != 0 && !acting.written) {
            return;
        }
        for acting in &mut self.processes {
            // Who was asleep as the cell began, and has not been triggered since, still is.
            let awake = acting.idle == 0 && acting.process.is_awake();
            if awake || acting.written {
                acting.forces.iter_mut().for_each(|lane| lane.fill(0.0));
                acting.sound.fill(0.0);
            }
            acting.written = awake;
            if awake {
                acting.process.render(span, &mut acting.forces, &mut acting.sound);
            }
        }
        for push in &mut self.pushes {
            push.bounded.clear();
            if push.active {
                push.lane.fill(0.0);
            }
        }
        for (number, acting) in self.processes.iter().enumerate().filter(|(_, acting)| acting.written) {
            let bounded = acting.process.may_give_j().is_finite();
            for (which, (port, lane)) in acting.ports.iter().zip(&acting.forces).enumerate() {
                let push = &mut self.pushes[*port];
                push.active = true;
                if bounded {
                    push.bounded.push((number, which));
                    continue;
                }
                push.lane[..span.ticks].iter_mut().zip(lane).for_each(|(sum, own)| *sum += own);
            }
        }
    }

    /// True if nothing moves in the present cell, and nothing is left of what did. `[audio]`
    pub fn is_calm(&self) -> bool {
        self.stands
            && self.follows.is_empty()
            && self.lands.is_empty()
            && self.processes.iter().all(|acting| !acting.written && acting.idle >= READY)
            && self.pushes.iter().all(|push| !push.active)
    }

    /// True while what one process may give is shared by several bodies. Islands go through a stretch one after the other: whoever came
    /// first would be given all that others need later in it, and the host's block size would be heard. [process.6]
    pub fn shares_a_bound(&self) -> bool {
        let shares = |acting: &Acting| acting.several && acting.idle == 0 && acting.process.may_give_j().is_finite();
        self.processes.iter().any(shares)
    }

    /// True if a process pushes the body, now or soon.
    pub fn pushes_body(&self, body: usize) -> bool {
        let own = |acting: &&Acting| acting.ports.iter().any(|port| self.pushes[*port].site.body == body);
        self.processes.iter().filter(|acting| acting.idle < READY).any(|acting| own(&acting))
    }

    /// Silence; inlets go back to rest.
    pub fn hush(&mut self) {
        self.walkers.iter_mut().for_each(Walker::hush);
        self.signals.iter_mut().for_each(|heard| heard.signal.hush());
        self.processes.iter_mut().for_each(|acting| acting.process.reset());
        self.lands.clear();
        self.landed = 0;
    }
}

impl Acting {
    /// True if it has been silent for a while and the cell, in which its signal stands, changes nothing of it.
    fn rests(&self, cell: Cell) -> bool {
        if self.idle < READY || !cell.stands() {
            return false;
        }
        let (rests, value) = self.per_step.as_ref().map_or((true, cell.to), |per_step| per_step.rests(cell.to));
        rests && self.process.rests(value)
    }

    /// Sets a parameter that is within its range. `[audio]`
    pub fn set(&mut self, param: usize, value: Real) {
        match &mut self.per_step {
            Some(per_step) => per_step.set(&mut *self.process, param, value),
            None => self.process.set(param, value),
        }
    }

    /// A process that hears signals, hits at places and lets masses fall. `[control]`
    pub fn new(
        process: Box<dyn Process>,
        per_step: Option<PerStep>,
        hears: usize,
        also: Vec<(usize, Real)>,
        ports: Vec<usize>,
        bodies: Vec<Falling>,
    ) -> Self {
        let forces = vec![[0.0; CONTROL_TICKS]; ports.len()];
        let sound = [0.0; CONTROL_TICKS];
        let before = vec![(0.0, 0.0, 0.0); ports.len()];
        let (written, events, idle) = (false, 0, READY);
        let (spent_j, promised_j) = (0.0, 0.0);
        Self {
            process,
            per_step,
            hears,
            also,
            ports,
            forces,
            spent_j,
            promised_j,
            before,
            sound,
            written,
            events,
            idle,
            several: false,
            bodies,
        }
    }

    /// It is told whether it is felt by itself. `[audio]`
    pub fn feel(&mut self) {
        self.process.feel(self.ports.is_empty() && !self.forces.is_empty());
    }

    /// Its force on all its places together, or what is felt of it, N. `[audio]`
    pub fn force(&self) -> Lane {
        core::array::from_fn(|i| self.forces.iter().map(|lane| lane[i]).sum())
    }

    /// Goes on where another of the same make is: its state, its book, and what it did to its ports. `[audio]`
    pub fn go_on_as(&mut self, other: &mut Self) {
        core::mem::swap(&mut self.process, &mut other.process);
        core::mem::swap(&mut self.per_step, &mut other.per_step);
        core::mem::swap(&mut self.before, &mut other.before);
        self.feel();
        (self.events, self.idle) = (other.events, other.idle);
        (self.spent_j, self.promised_j) = (other.spent_j, other.promised_j);
    }

    /// Holds its force on a port, N, to what it may still give, for a sample of `sample_s` seconds; `at` is where the port is, m, how fast
    /// it is, m/s, and its inverse mass, 1/kg. What its other ports are about to give in this sample is not there any more.
    /// [process.6] `[audio]`
    pub fn hold(&mut self, port: usize, force: Real, sample_s: Real, at: (Real, Real, Real)) -> Real {
        let (position, velocity, inverse) = at;
        let (last, was, promised) = self.before[port];
        self.spent_j += last * (position - was);
        self.promised_j -= promised;
        let left = (self.process.may_give_j() - self.spent_j - self.promised_j).max(0.0);
        let (free, yields) = (sample_s * velocity, 0.5 * sample_s * sample_s * inverse);
        let held = if force > 0.0 && force * (free + yields * force) > left {
            let most = ((free * free + 4.0 * yields * left).sqrt() - free) / (2.0 * yields);
            most.clamp(0.0, force)
        } else {
            force
        };
        let promised = (held * (free + yields * held)).max(0.0);
        self.promised_j += promised;
        self.before[port] = (held, position, promised);
        held
    }

    /// What it gave so far, J: on bodies what it really did, where that is bounded, else what its events say.
    pub fn given_j(&self) -> Real {
        let bounded = !self.ports.is_empty() && self.process.may_give_j().is_finite();
        if bounded { self.spent_j } else { self.process.book().given_j }
    }

    /// True while it has given, or is about to give, something to a port in a bounded way.
    pub fn holds(&self, port: usize, force: Real) -> bool {
        (force != 0.0 || self.before[port].0 != 0.0) && self.process.may_give_j().is_finite()
    }
}
