// SPDX-License-Identifier: MIT OR Apache-2.0
//! What lies between the things and the ears: the way through the air, and the room around it.
//!
//! **What.** An output may stand at a distance and in a room, and have a floor of noise. What its taps bring is summed as always; then the direct sound is weakened
//! by its way, and the room's answer is added. An output that asks for none of them is left alone, bit for bit.
//!
//! **Law.**
//! - `[output.1]  y = (1 - w) d + w R(x)`: direct sound and the room's answer
//! - `[output.2]  |d| = |x| 10^(-a(f) (r - 1 m)/20)/r` beyond 1 m, `|x|/r` nearer: what spreads falls as 1/r, and air takes its share
//!
//! **Symbols.** w `wet_01`; r `distance_m` m, of the direct sound only: a diffuse field is the same everywhere; a loss of air dB/m; R the
//! [`room`]. Levels are those at 1 m.
//!
//! **Step.** The loss of air is a chain of four shelves with its values at 1, 2, 4, 8 and 16 kHz, as far as they
//! can follow: from one octave to the next it falls by 8 dB at most, which at 100 m it would exceed above 8 kHz, at 300 m above 4 kHz. Live values reach the sound within one control
//! tick, without a corner in it. Energy: d brings out no more than came in where r is at least 1 m, R never does, nor do both together.
//!
//! **Sources.** [`air`], [`room`], [`shelves`], [`floor`], [`crossover`] for an output that is given only a band of what is heard, [`pair`] for
//! one that is heard by two ears.

pub mod air;
pub mod crossover;
pub mod floor;
pub mod pair;
pub mod room;
pub mod shelves;

use crate::math::{Real, ln};
use crate::param::{Spec, Tunable};
use crate::resonator::CONTROL_TICKS;
use air::Air;
use crossover::{Band, Crossover};
use floor::{Floor, FloorMake};
use room::{Block, Room, RoomMake, sound};
use shelves::{Bands, Chain, Layout, Section, THROUGH};

crate::params! {
    /// Live parameters of an output in a room.
    pub struct RoomParams {
        wet_01: "1", 0.0 => 1.0, default 0.2, Linear, Control, glide 0.05, "Share of the room's answer: 0 none, 1 without direct sound.";
    }
}
crate::params! {
    /// Live parameters of an output at a distance.
    pub struct WayParams {
        distance_m: "m", 0.1 => 1000.0, default 1.0, Log, Control, glide 0.1, "Way of the direct sound through the air: 1/r of its level at 1 m, and the air's losses.";
    }
}

/// Parameters of a space, in this order: the room's, then the way's.
const SPECS: &[Spec] = &[RoomParams::SPECS[0], WayParams::SPECS[0]];
const WET: usize = 0;

/// Centre of the first band in which the loss of air is set, Hz, and how many there are.
const AIR_FIRST_HZ: Real = 1000.0;
const AIR_BANDS: usize = 5;
/// Most that a band loses beyond the one below it, dB: shelves are no steeper.
const STEEPEST_DB: Real = 8.0;

/// What stands between the taps of an output and its channels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpaceMake {
    /// The room, if it stands in one.
    pub room: Option<(RoomMake, RoomParams)>,
    /// How far away it is, if it is said.
    pub way: Option<WayParams>,
    /// The air.
    pub air: Air,
    /// What of it is given to its channels.
    pub band: Band,
    /// Noise that is always there.
    pub floor: Option<FloorMake>,
}

/// A factor that comes to its goal within a control tick.
#[derive(Clone, Copy, Debug)]
struct Ramp {
    now: Real,
    goal: Real,
    left: usize,
}

impl Ramp {
    fn at(value: Real) -> Self {
        Self { now: value, goal: value, left: 0 }
    }
    fn to(&mut self, goal: Real) {
        (self.goal, self.left) = (goal, CONTROL_TICKS);
    }
    #[inline(always)]
    fn next(&mut self) -> Real {
        if self.left > 0 {
            self.now += (self.goal - self.now) / self.left as Real;
            self.left -= 1;
        }
        self.now
    }
}

/// Values of a filter below this are set to 0.
const FLUSH: Real = 1e-100;
/// Change of a gain's logarithm up to which filters go on from those before: a third of a decibel.
const NEAR: Real = 0.04;

/// The air on the way: a chain of shelves for each channel.
#[derive(Clone, Debug)]
struct Way {
    layout: Layout,
    loss_db_m: Bands,
    chain: Chain,
    /// Logarithms of the gains that it was made for.
    wanted: Bands,
    sections: [Section; AIR_BANDS - 1],
    states: Vec<[[Real; 2]; AIR_BANDS - 1]>,
    /// How much of it is heard; less than 1 where it comes in while something sounds.
    share: Ramp,
}

impl Way {
    fn new(air: Air, channels: usize, rate_hz: Real) -> Self {
        let layout = Layout::octaves(AIR_FIRST_HZ, AIR_BANDS, rate_hz);
        Self {
            layout,
            loss_db_m: core::array::from_fn(|band| air.loss_db_m(AIR_FIRST_HZ * Real::from(1 << band))),
            chain: Chain::default(),
            wanted: Bands::default(),
            sections: [THROUGH; AIR_BANDS - 1],
            states: vec![[[0.0; 2]; AIR_BANDS - 1]; channels],
            share: Ramp::at(1.0),
        }
    }

    /// Filters for a way through the air, m beyond the first; `on` if another way has been heard.
    fn tune(&mut self, way_m: Real, on: bool) {
        let mut below_db = 0.0;
        let log = |loss_db_m: Real| {
            below_db = (fault!(AIR_WAY, way_m, times 0.5) * loss_db_m).min(below_db + STEEPEST_DB); // [output.2]
            -below_db * ln(10.0) / 20.0
        };
        let wanted = self.loss_db_m.map(log);
        let near = wanted.iter().zip(&self.wanted).all(|(to, from)| (to - from).abs() < NEAR);
        self.chain = if on && near { self.layout.follow(&self.chain, &wanted) } else { self.layout.chain(&wanted) };
        self.wanted = wanted;
        for (k, section) in self.sections[..self.layout.bands - 1].iter_mut().enumerate() {
            *section = self.layout.section(&self.chain, k);
        }
    }

    /// Passes `ticks` samples of each channel through.
    fn pass(&mut self, ticks: usize, lanes: &mut [Block]) {
        let shares: Block = core::array::from_fn(|i| if i < ticks { self.share.next() } else { 0.0 });
        for (lane, states) in lanes.iter_mut().zip(&mut self.states) {
            // All sections for one sample, then the next: no section waits for itself alone.
            let (mut kept, sections) = (*states, self.sections);
            for (x, share) in lane[..ticks].iter_mut().zip(&shares) {
                let mut passed = *x * self.chain.gain;
                for ([b0, b1, b2, a1, a2], [s1, s2]) in sections.iter().zip(&mut kept) {
                    let y = b0 * passed + *s1;
                    *s1 = (b1 * passed + *s2) - a1 * y;
                    *s2 = b2 * passed - a2 * y;
                    passed = y;
                }
                *x += share * (passed - *x);
            }
            // Far below hearing, far above denormals.
            *states = kept.map(|pair| pair.map(|s| if s.abs() < FLUSH { 0.0 } else { s }));
        }
    }
}

/// An output's space while it sounds.
#[derive(Clone)]
pub struct Space {
    values: [Real; SPECS.len()],
    present: [bool; SPECS.len()],
    /// Channels of the device.
    channels: Vec<usize>,
    room: Option<Room>,
    way: Option<Way>,
    crossover: Option<Crossover>,
    floor: Option<Floor>,
    direct: Ramp,
    wet: Ramp,
    /// How much of the floor is heard.
    floored: Ramp,
    /// True once something has been heard since the start.
    heard: bool,
    dry: Vec<Block>,
    answer: Vec<Block>,
}

impl Space {
    /// A silent space over these channels of the device. The only allocation. `[control]`
    pub fn new(make: &SpaceMake, channels: &[usize], rate_hz: Real) -> Self {
        let count = channels.len();
        let room = make.room.map(|(room, _)| Room::new(&room, count, rate_hz));
        let wet = make.room.map_or(0.0, |(_, params)| params.wet_01);
        let distance_m = make.way.map_or(1.0, |params| params.distance_m);
        let mut space = Self {
            values: [wet, distance_m],
            present: [make.room.is_some(), make.way.is_some()],
            channels: channels.to_vec(),
            room,
            way: make.way.map(|_| Way::new(make.air, count, rate_hz)),
            crossover: (!make.band.is_open()).then(|| Crossover::new(make.band, count, rate_hz)),
            floor: make.floor.map(|floor| Floor::new(&floor, count, rate_hz)),
            direct: Ramp::at(0.0),
            wet: Ramp::at(0.0),
            floored: Ramp::at(1.0),
            heard: false,
            dry: vec![[0.0; CONTROL_TICKS]; count],
            answer: vec![[0.0; CONTROL_TICKS]; count],
        };
        space.retune();
        space
    }

    /// True if it has parameter `index`: what is not asked for cannot be moved.
    pub fn has(&self, index: usize) -> bool {
        self.present[index]
    }

    /// Channels of the device.
    pub fn channels(&self) -> &[usize] {
        &self.channels
    }

    /// Factor on the direct sound, losses of air aside.
    pub fn direct_gain(&self) -> Real {
        (1.0 - self.values[WET]) / fault!(DISTANCE, self.values[1], self.values[1].sqrt())
    }

    fn retune(&mut self) {
        let (direct, wet) = (self.direct_gain(), self.values[WET]);
        if let Some(way) = &mut self.way {
            way.tune((self.values[1] - 1.0).max(0.0), self.heard);
        }
        if self.heard {
            self.direct.to(direct);
            self.wet.to(wet);
        } else {
            (self.direct, self.wet) = (Ramp::at(direct), Ramp::at(wet));
        }
    }

    /// Comes in while something sounds: the air's filters, which know nothing of the past, are faded in. `[audio]`
    pub fn enter(&mut self) {
        self.heard = true;
        if let Some(way) = &mut self.way {
            way.share = Ramp { now: 0.0, goal: 1.0, left: 16 * CONTROL_TICKS };
        }
        self.floored = Ramp { now: 0.0, goal: 1.0, left: 16 * CONTROL_TICKS };
    }

    /// Falls silent over so many samples. `[audio]`
    pub fn leave(&mut self, samples: usize) {
        for ramp in [&mut self.direct, &mut self.wet, &mut self.floored] {
            (ramp.goal, ramp.left) = (0.0, samples);
        }
    }

    /// Silence. `[audio]`
    pub fn hush(&mut self) {
        self.heard = false;
        self.retune();
        self.room.iter_mut().for_each(Room::hush);
        self.way.iter_mut().for_each(|way| way.states.fill([[0.0; 2]; AIR_BANDS - 1]));
        self.crossover.iter_mut().for_each(Crossover::hush);
    }

    /// True if it answers silence with silence. `[audio]`
    pub fn rests(&self) -> bool {
        let still = self.direct.left == 0 && self.wet.left == 0 && self.way.is_none() && self.crossover.is_none();
        still && self.floor.is_none() && self.room.as_ref().is_some_and(Room::is_asleep)
    }

    /// `ticks` frames of silence pass while it rests. `[audio]`
    pub fn rest(&mut self, ticks: usize) {
        self.room.iter_mut().for_each(|room| room.rest(ticks));
    }

    /// Passes `ticks` frames of a mix of so many channels through. `[audio]`
    pub fn pass(&mut self, ticks: usize, width: usize, mix: &mut [Real]) {
        for (lane, channel) in self.dry.iter_mut().zip(&self.channels) {
            for (i, x) in lane[..ticks].iter_mut().enumerate() {
                *x = sound(mix[i * width + channel]);
                self.heard |= *x != 0.0;
            }
        }
        if let Some(room) = &mut self.room {
            room.answer(ticks, &self.dry, &mut self.answer);
        }
        if let Some(way) = &mut self.way {
            way.pass(ticks, &mut self.dry);
        }
        for i in 0..ticks {
            let (direct, wet) = (self.direct.next(), self.wet.next());
            for (dry, answer) in self.dry.iter_mut().zip(&self.answer) {
                // [output.1]; without a room its answer stays silence.
                dry[i] = direct * dry[i] + wet * answer[i];
            }
        }
        for (lane, (place, channel)) in self.dry.iter_mut().zip(self.channels.iter().enumerate()) {
            if let Some(crossover) = &mut self.crossover {
                crossover.pass(place, ticks, lane);
            }
            lane[..ticks].iter().enumerate().for_each(|(i, x)| mix[i * width + channel] = *x);
        }
        if let Some(floor) = &mut self.floor {
            for i in 0..ticks {
                let share = self.floored.next();
                for (place, channel) in self.channels.iter().enumerate() {
                    mix[i * width + channel] += share * floor.next(place);
                }
            }
        }
    }
}

impl Tunable for Space {
    fn specs(&self) -> &'static [Spec] {
        SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.values[index]
    }
    fn set(&mut self, index: usize, value: Real) {
        self.values[index] = value;
        self.retune();
    }
}
