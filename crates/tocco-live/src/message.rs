// SPDX-License-Identifier: MIT OR Apache-2.0
//! What travels between the halves.

use crate::governor::Grade;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tocco::scene::kinds::MAX_CHANNELS;
use tocco::scene::{Output, Probe};
use tocco::{Command, Health, Scene};

/// Channels with a meter of their own: all that a scene may have.
pub const METERS: usize = MAX_CHANNELS;
/// Outputs whose limiter is shown.
pub const OUTPUTS: usize = 8;
/// Signals that can be streamed back at once.
pub const PROBES: usize = 16;

/// Requests that wait at most, in the ring and for their tick.
pub(crate) const REQUESTS: usize = 8192;
/// Reports that wait at most: one for every request, and some.
pub(crate) const REPORTS: usize = 2 * REQUESTS;
/// Meter readings that wait at most; more are merged.
pub(crate) const READINGS: usize = 256;

/// To the audio half.
pub(crate) struct Request {
    pub serial: u64,
    /// Tick; 0 or any tick that has passed: the next block boundary.
    pub at: u64,
    pub job: Job,
}

pub(crate) enum Job {
    /// For the engine, at its tick.
    Command(Command),
    /// Another scene, with the outputs that its limiters follow.
    Replace(Command, Box<[Output]>),
    /// Signals to send back from now on.
    Watch(Box<WatchList>),
    /// Energies to show from now on.
    Weigh(Box<EnergyGroups>),
    /// The end of a take, not of the sound.
    EndTake,
    /// The end of the sound.
    Stop,
}

/// Groups of bodies whose energy is shown to the control half, about every so many samples.
pub(crate) struct EnergyGroups {
    /// Bodies with the group that each belongs to.
    pub bodies: Vec<(usize, usize)>,
    /// Room for the energy of every body, and of every group.
    pub energies: Vec<f64>,
    pub sums: Vec<f64>,
    /// What was last found, as the bits of a number, per group.
    pub shown: Arc<[AtomicU64]>,
    pub every: u32,
}

/// Signals to send back, every so many samples; 0: never.
pub(crate) struct WatchList {
    pub probes: [Option<Probe>; PROBES],
    pub every: u32,
}

/// What the audio half no longer needs, for the control half to free.
#[expect(dead_code, reason = "it is there to be dropped")]
pub(crate) enum Garbage {
    Scene(Box<Scene>),
    Command(Command),
    Outputs(Box<[Output]>),
    WatchList(Box<WatchList>),
    EnergyGroups(Box<EnergyGroups>),
}

/// Back to the control half.
pub(crate) enum Report {
    /// The request took effect at this tick.
    Done { serial: u64, at: u64 },
    /// The request was for a scene, or a time, that is no more.
    Dropped { serial: u64 },
    /// The audio half changed what it spends.
    Shed { at: u64, grade: Grade },
    /// To be freed.
    Freed(#[expect(dead_code, reason = "it is there to be dropped")] Garbage),
    /// Watched signals at the end of a block.
    Probes { at: u64, values: [f64; PROBES] },
    /// The take ends before this tick; hash of all sound until then.
    TakeEnded { at: u64, hash: u64 },
    /// No more sound after this tick; hash of all there was.
    Stopped { at: u64, hash: u64 },
}

/// How it sounds and how hard that is: since the last reading.
#[derive(Clone, Copy, Debug)]
pub struct Status {
    /// Samples played so far.
    pub tick: u64,
    /// When the last block began by the clock, ns; 0 without one.
    pub began_ns: u64,
    /// Tick at which it began.
    pub began: u64,
    /// Largest magnitude per channel, after the limiter; full scale is 1.
    pub peak: [f32; METERS],
    /// Sum of squares per channel, and frames, for the mean level.
    pub squares: [f64; METERS],
    /// Frames in this reading.
    pub frames: u64,
    /// Least gain of the limiter of each output, 1: it did nothing.
    pub limited: [f64; OUTPUTS],
    /// Largest part of its time that a block took.
    pub load: f32,
    /// Mean part of the time that blocks took: ns spent and ns there were.
    pub spent_ns: u64,
    /// See `spent_ns`.
    pub budget_ns: u64,
    /// Blocks that took longer than they last: heard as gaps.
    pub late_blocks: u64,
    /// What is spent at present.
    pub grade: Grade,
    /// Totals of the engine.
    pub health: Health,
    /// Frames that could not be kept for the file, because nobody fetched them in time.
    pub lost_frames: u64,
}

impl Default for Status {
    fn default() -> Self {
        Self {
            tick: 0,
            began_ns: 0,
            began: 0,
            peak: [0.0; METERS],
            squares: [0.0; METERS],
            frames: 0,
            limited: [1.0; OUTPUTS],
            load: 0.0,
            spent_ns: 0,
            budget_ns: 0,
            late_blocks: 0,
            grade: Grade::FULL,
            health: Health::default(),
            lost_frames: 0,
        }
    }
}

impl Status {
    /// Both readings as one; `later` is the later.
    pub fn and(&self, later: &Status) -> Status {
        let mut both = *later;
        for channel in 0..METERS {
            both.peak[channel] = both.peak[channel].max(self.peak[channel]);
            both.squares[channel] += self.squares[channel];
        }
        both.frames += self.frames;
        for (later, earlier) in both.limited.iter_mut().zip(self.limited) {
            *later = later.min(earlier);
        }
        both.load = both.load.max(self.load);
        both.spent_ns += self.spent_ns;
        both.budget_ns += self.budget_ns;
        both.late_blocks += self.late_blocks;
        both.lost_frames += self.lost_frames;
        both
    }

    /// Least gain of any output's limiter.
    pub fn least_gain(&self) -> f64 {
        self.limited.iter().fold(1.0, |least, gain| least.min(*gain))
    }

    /// Root mean square of a channel.
    pub fn rms(&self, channel: usize) -> f64 {
        (self.squares[channel] / self.frames.max(1) as f64).sqrt()
    }

    /// Mean part of its time that the audio half took.
    pub fn mean_load(&self) -> f64 {
        self.spent_ns as f64 / self.budget_ns.max(1) as f64
    }
}
