// SPDX-License-Identifier: MIT OR Apache-2.0
//! What travels between the halves.

use super::governor::Grade;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tocco::engine::{Command, Health};
use tocco::scene::{Probe, Scene};

/// Channels with a meter of their own.
pub const METERS: usize = 8;
/// Signals that can be streamed back at once.
pub const PROBES: usize = 16;

/// Orders that wait at most, in the ring and for their tick.
pub(super) const ORDERS: usize = 8192;
/// Reports that wait at most: one for every order, and some.
pub(super) const REPORTS: usize = 2 * ORDERS;
/// Meter readings that wait at most; more are merged.
pub(super) const READINGS: usize = 256;

/// To the audio half.
pub(super) struct Order {
    pub serial: u64,
    /// Tick; 0 or any tick that has passed: the next block boundary.
    pub at: u64,
    pub what: What,
}

pub(super) enum What {
    Do(Command),
    Watch(Box<Watch>),
    Weigh(Box<Scales>),
    Stop,
}

/// Groups of bodies whose energy is laid out for the control half, about every so many samples.
pub(super) struct Scales {
    /// Bodies with the group that each belongs to.
    pub bodies: Vec<(usize, usize)>,
    /// Room for the energy of every body, and of every group.
    pub energies: Vec<f64>,
    pub sums: Vec<f64>,
    /// What was last found, as the bits of a number, per group.
    pub laid_out: Arc<[AtomicU64]>,
    pub every: u32,
}

/// Signals to send back, every so many samples; 0: never.
pub(super) struct Watch {
    pub probes: [Option<Probe>; PROBES],
    pub every: u32,
}

/// Back to the control half.
pub(super) enum Report {
    /// The order took effect at this tick.
    Done { serial: u64, at: u64 },
    /// The order was for a scene, or a time, that is no more.
    Dropped { serial: u64 },
    /// The audio half changed what it spends.
    Shed { at: u64, grade: Grade },
    /// To be freed.
    Retired(#[expect(dead_code, reason = "it is there to be dropped")] Box<Scene>),
    /// To be freed.
    Unwatched(#[expect(dead_code, reason = "it is there to be dropped")] Box<Watch>),
    /// To be freed.
    Unweighed(#[expect(dead_code, reason = "it is there to be dropped")] Box<Scales>),
    /// Values of a place, to be freed.
    Worn(#[expect(dead_code, reason = "they are there to be dropped")] Box<[f64]>),
    /// Watched signals at the end of a block.
    Probes { at: u64, values: [f64; PROBES] },
    /// No more sound after this tick; hash of all there was.
    Stopped { at: u64, hash: u64 },
}

/// How it sounds and how hard that is: since the last reading.
#[derive(Clone, Copy, Debug)]
pub struct Status {
    /// Samples played so far.
    pub tick: u64,
    /// When the last block began, ns since the halves were made.
    pub began_ns: u64,
    /// Tick at which it began.
    pub began: u64,
    /// Largest magnitude per channel, after the limiter; full scale is 1.
    pub peak: [f32; METERS],
    /// Sum of squares per channel, and frames, for the mean level.
    pub squares: [f64; METERS],
    /// Frames in this reading.
    pub frames: u64,
    /// Least gain of the limiter, 1: it did nothing.
    pub limited: f64,
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
            limited: 1.0,
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
        both.limited = both.limited.min(self.limited);
        both.load = both.load.max(self.load);
        both.spent_ns += self.spent_ns;
        both.budget_ns += self.budget_ns;
        both.late_blocks += self.late_blocks;
        both.lost_frames += self.lost_frames;
        both
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
