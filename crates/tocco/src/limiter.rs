// SPDX-License-Identifier: MIT OR Apache-2.0
//! A limiter for true peaks, between the engine and the ear.
//!
//! Peaks between the samples are found by the interpolator of ITU-R BS.1770-4, annex 2 (four phases of twelve taps). The
//! gain that the loudest channel needs is held over a look-ahead of 1.5 ms, let go slowly, smoothed over the look-ahead
//! and applied to all channels alike, which are delayed by so much. Gains are integers, so their running mean returns
//! to exactly 1: below the ceiling the delayed samples pass bit for bit.

/// Interpolator of BS.1770-4, annex 2: phases 0 and 1; 2 and 3 are these read backwards.
const PHASES: [[f64; TAPS]; 2] = [
    [
        0.001_708_984_375,
        0.010_986_328_125,
        -0.019_653_320_312_5,
        0.033_203_125,
        -0.059_448_242_187_5,
        0.137_329_101_562_5,
        0.972_167_968_75,
        -0.102_294_921_875,
        0.047_607_421_875,
        -0.026_611_328_125,
        0.014_892_578_125,
        -0.008_300_781_25,
    ],
    [
        -0.029_174_804_687_5,
        0.029_296_875,
        -0.051_757_812_5,
        0.089_111_328_125,
        -0.166_503_906_25,
        0.465_087_890_625,
        0.779_785_156_25,
        -0.200_317_382_812_5,
        0.101_562_5,
        -0.058_227_539_062_5,
        0.033_081_054_687_5,
        -0.018_920_898_437_5,
    ],
];
const TAPS: usize = 12;
/// Samples between which the interpolator looks lie this far back.
const BACK: usize = 6;
/// Gain 1.
const ONE: u32 = 1 << 30;
const LOOK_S: f64 = 0.0015;
/// Release, dB/s.
const RELEASE_DB_S: f64 = 50.0;

/// Highest level let through, dBTP: leaves room for what a converter's own filter does.
pub const CEILING_DBTP: f64 = -1.0;

/// The limiter.
#[derive(Clone, Debug)]
pub struct Limiter {
    channels: usize,
    ceiling: f64,
    look: usize,
    /// Last samples of each channel, newest first, twice over.
    recent: Vec<[f64; TAPS]>,
    /// Frames on their way, as a ring.
    delay: Vec<f32>,
    at: usize,
    /// Least gain needed within the look-ahead: rising gains with the frame they were asked for.
    least: Vec<(u64, u32)>,
    first: usize,
    count: usize,
    frame: u64,
    released: u32,
    grow: f64,
    /// The last `look` gains and their sum.
    gains: Vec<u32>,
    gain_at: usize,
    sum: u64,
}

impl Limiter {
    /// A limiter for interleaved channels. `[control]`
    pub fn new(channels: usize, rate_hz: f64, ceiling_dbtp: f64) -> Self {
        let look = ((LOOK_S * rate_hz) as usize).max(8);
        Self {
            channels,
            ceiling: crate::units::gain(ceiling_dbtp),
            look,
            recent: vec![[0.0; TAPS]; channels],
            delay: vec![0.0; channels * (look + BACK - 1)],
            at: 0,
            least: vec![(0, ONE); look + 2],
            first: 0,
            count: 0,
            frame: 0,
            released: ONE,
            grow: crate::units::gain(RELEASE_DB_S / rate_hz),
            gains: vec![ONE; look],
            gain_at: 0,
            sum: u64::from(ONE) * look as u64,
        }
    }

    /// Frames between what goes in and what comes out.
    pub fn latency(&self) -> usize {
        self.look + BACK - 1
    }

    /// Limits interleaved frames in place; returns the least gain. `[audio]`
    pub fn limit(&mut self, frames: &mut [f32]) -> f64 {
        let mut least = 1.0_f64;
        for frame in frames.chunks_exact_mut(self.channels) {
            let peak = self.peak(frame);
            let needed = if peak > self.ceiling { (self.ceiling / peak * f64::from(ONE)) as u32 } else { ONE };
            let gain = self.gain(needed);
            for sample in frame {
                core::mem::swap(sample, &mut self.delay[self.at]);
                self.at = if self.at + 1 == self.delay.len() { 0 } else { self.at + 1 };
                if gain != 1.0 {
                    *sample = (f64::from(*sample) * gain) as f32;
                }
            }
            least = least.min(gain);
        }
        least
    }

    /// Largest magnitude around the samples [`BACK`] frames back.
    fn peak(&mut self, frame: &[f32]) -> f64 {
        let mut peak = 0.0_f64;
        for (recent, sample) in self.recent.iter_mut().zip(frame) {
            recent.copy_within(..TAPS - 1, 1);
            recent[0] = f64::from(*sample);
            peak = peak.max(recent[BACK].abs());
            for phase in &PHASES {
                let (mut forth, mut back) = (0.0, 0.0);
                for (i, tap) in phase.iter().enumerate() {
                    forth += tap * recent[i];
                    back += tap * recent[TAPS - 1 - i];
                }
                peak = peak.max(f64::abs(forth)).max(f64::abs(back));
            }
        }
        peak
    }

    /// Held, released, smoothed.
    fn gain(&mut self, needed: u32) -> f64 {
        let room = self.least.len();
        while self.count > 0 && self.least[(self.first + self.count - 1) % room].1 >= needed {
            self.count -= 1;
        }
        self.least[(self.first + self.count) % room] = (self.frame, needed);
        self.count += 1;
        while self.least[self.first].0 + (self.look as u64) < self.frame {
            self.first = (self.first + 1) % room;
            self.count -= 1;
        }
        self.frame += 1;
        let held = self.least[self.first].1;
        let grown = (f64::from(self.released) * self.grow).min(f64::from(ONE)) as u32;
        self.released = held.min(grown.max(self.released.saturating_add(1)));
        self.sum += u64::from(self.released);
        self.sum -= u64::from(self.gains[self.gain_at]);
        self.gains[self.gain_at] = self.released;
        self.gain_at = if self.gain_at + 1 == self.look { 0 } else { self.gain_at + 1 };
        self.sum as f64 / (f64::from(ONE) * self.look as f64)
    }
}
