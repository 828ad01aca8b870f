// SPDX-License-Identifier: MIT OR Apache-2.0
//! What travels back from the audio half: reports, what is to be freed, meters.

use crate::governor::Grade;
use crate::player::{EnergyGroups, REQUESTS, Settings, WatchList};
use tocco::scene::Output;
use tocco::scene::kinds::MAX_CHANNELS;
use tocco::{Command, Health, Scene};

/// Channels with a meter of their own: all that a scene may have.
pub const METERS: usize = MAX_CHANNELS;
/// Outputs whose limiter is shown: all that have a channel.
pub const OUTPUTS: usize = MAX_CHANNELS;
/// Signals that can be streamed back at once.
pub const PROBES: usize = 16;

/// Reports that wait at most: two for every request that waits, and one for each of as many that are done.
pub(crate) const REPORTS: usize = 3 * REQUESTS;
/// Meter readings that wait at most; more are merged.
pub(crate) const READINGS: usize = 256;

/// What the audio half no longer needs, for the control half to free.
#[expect(dead_code, reason = "it is there to be dropped")]
pub(crate) enum Garbage {
    Scene(Box<Scene>),
    Command(Command),
    Outputs(Box<[Output]>),
    WatchList(Box<WatchList>),
    EnergyGroups(Box<EnergyGroups>),
    Settings(Box<Settings>),
}

/// Back to the control half.
pub(crate) enum Report {
    /// The request took effect at this tick.
    Done { serial: u64, at: u64 },
    /// A command that was pushed on the audio side took effect at this tick.
    Pushed { at: u64, command: Command },
    /// The request was for a scene, or a time, that is no more.
    Dropped { serial: u64 },
    /// The audio half changed what it spends.
    Shed { at: u64, grade: Grade },
    /// To be freed.
    Freed(#[expect(dead_code, reason = "it is there to be dropped")] Garbage),
    /// Watched signals at the end of a block.
    Probes { at: u64, values: [f64; PROBES] },
    /// A take that is cut off after this is good until here.
    Mark(Ending),
    /// The take ends here, the sound does not.
    TakeEnded(Ending),
    /// No more sound.
    Stopped(Ending),
}

/// What there was until an end.
#[derive(Clone, Copy)]
pub(crate) struct Ending {
    /// Samples.
    pub at: u64,
    /// Hash of all sound.
    pub hash: u64,
    /// Frames that came in and are missing for a take.
    pub lost_input: u64,
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
    /// Time that blocks took, ns.
    pub spent_ns: u64,
    /// Time that they last, ns.
    pub budget_ns: u64,
    /// Blocks that took longer than they last: heard as gaps.
    pub late_blocks: u64,
    /// What is spent at present.
    pub grade: Grade,
    /// Totals of the engine.
    pub health: Health,
    /// Frames that could not be kept for the file, because nobody fetched them in time.
    pub lost_frames: u64,
    /// Frames that came in and could not be kept for a take, because nobody fetched those before them in time.
    pub lost_input_frames: u64,
}

/// Samples that are metered side by side: as many as vector units take at once.
const LANES: usize = 8;

impl Status {
    /// Meters a block of interleaved frames. `[audio]`
    pub(crate) fn meter(&mut self, out: &[f32], channels: usize) {
        // Where a whole number of frames fills the lanes, each lane belongs to one channel.
        let whole = if LANES.is_multiple_of(channels) { out.len() / LANES * LANES } else { 0 };
        let (lanes, rest) = out.split_at(whole);
        let (mut peaks, mut squares) = ([0.0_f32; LANES], [0.0_f64; LANES]);
        for samples in lanes.chunks_exact(LANES) {
            for lane in 0..LANES {
                let size = samples[lane].abs();
                peaks[lane] = if size > peaks[lane] { size } else { peaks[lane] };
                squares[lane] += f64::from(size) * f64::from(size);
            }
        }
        for lane in (0..LANES).filter(|_| whole > 0) {
            self.meter_one(lane % channels, peaks[lane], squares[lane]);
        }
        for (at, sample) in rest.iter().enumerate() {
            let size = sample.abs();
            self.meter_one(at % channels, size, f64::from(size) * f64::from(size));
        }
    }

    fn meter_one(&mut self, channel: usize, peak: f32, squares: f64) {
        if channel < METERS {
            self.peak[channel] = self.peak[channel].max(peak);
            self.squares[channel] += squares;
        }
    }
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
            lost_input_frames: 0,
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
        both.lost_input_frames += self.lost_input_frames;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_metered_the_same_for_any_number_of_channels_and_any_length() {
        let wave = |n: usize| ((n * n) % 101) as f32 / 101.0 - 0.5;
        for channels in [1, 2, 3, 4, 6, 8, 9] {
            for frames in [0, 1, 5, 64, 77] {
                let out: Vec<f32> = (0..frames * channels).map(wave).collect();
                let mut status = Status::default();
                status.meter(&out, channels);
                for channel in 0..channels.min(METERS) {
                    let own = || out.iter().skip(channel).step_by(channels);
                    assert_eq!(status.peak[channel], own().fold(0.0, |m: f32, x| m.max(x.abs())));
                    let squares: f64 = own().map(|x| f64::from(*x).powi(2)).sum();
                    assert!((status.squares[channel] - squares).abs() < 1e-9, "{channels} channels, {frames} frames");
                }
            }
        }
    }
}
