// SPDX-License-Identifier: MIT OR Apache-2.0
//! A limiter for true peaks, between the engine and the ear.
//!
//! Peaks between the samples are found by the interpolator of ITU-R BS.1770-4, annex 2 (four phases of twelve taps). The
//! gain that the loudest channel of an output needs is held over a look-ahead ([`LOOK_S`]), let go slowly, smoothed over the
//! look-ahead and applied to all channels of that output alike. All channels are delayed by so much, also those of
//! outputs that are not limited, so that outputs stay together. Gains are integers, so their running mean returns to
//! exactly 1: below the ceiling the delayed samples pass bit for bit.

use tocco::scene::Output;

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
/// Look-ahead, s.
pub const LOOK_S: f64 = 0.0015;
/// The same where a millisecond counts, as under the feet of somebody who walks, s: peaks are held as surely, and turned down more abruptly.
pub const QUICK_LOOK_S: f64 = 0.0005;
/// Release, dB/s.
const RELEASE_DB_S: f64 = 50.0;

/// Highest level let through, dBTP: leaves room for what a converter's own filter does.
pub const CEILING_DBTP: f64 = -1.0;

/// No limiter: channels of outputs that have none are only delayed.
const FREE: usize = usize::MAX;

/// The limiters of all outputs, over one stream of interleaved frames.
#[derive(Clone, Debug)]
pub struct Limiter {
    channels: usize,
    ceiling: f64,
    look: usize,
    /// Last samples of each channel, newest first.
    recent: Vec<[f64; TAPS]>,
    /// Frames on their way, as a ring.
    delay: Vec<f32>,
    at: usize,
    /// Group of each channel: channels of one output, which turn down together.
    group: Vec<usize>,
    groups: usize,
    /// The same and, behind them, that of the channels which no output has: what a scene before left there rings out.
    used: usize,
    /// Frames until all that was under way at the last regrouping is out.
    leaving: usize,
    /// Groups that each channel had when what is under way came in, a row for each channel.
    former: Vec<bool>,
    /// Groups whose gain is still needed, former ones too.
    running: usize,
    envelopes: Vec<Envelope>,
    /// Gain of each group in this frame, and the least in the last block.
    gains: Vec<f64>,
    least: Vec<f64>,
}

/// The gain of one group over time.
#[derive(Clone, Debug)]
struct Envelope {
    /// Least gain needed within the look-ahead: rising gains with the frame they were asked for.
    least: Vec<(u64, u32)>,
    first: usize,
    count: usize,
    frame: u64,
    released: u32,
    /// Growth of the gain per frame once a peak has passed.
    grow: f64,
    /// The last gains and their sum.
    gains: Vec<u32>,
    gain_at: usize,
    sum: u64,
}

impl Limiter {
    /// One limiter for all of the interleaved channels. `[control]`
    pub fn new(channels: usize, rate_hz: f64, ceiling_dbtp: f64) -> Self {
        Self::looking(channels, rate_hz, ceiling_dbtp, LOOK_S)
    }

    /// The same with another look-ahead, s. `[control]`
    pub fn looking(channels: usize, rate_hz: f64, ceiling_dbtp: f64, look_s: f64) -> Self {
        let look = ((look_s * rate_hz) as usize).max(8);
        Self {
            channels,
            ceiling: tocco::units::gain(ceiling_dbtp),
            look,
            recent: vec![[0.0; TAPS]; channels],
            delay: vec![0.0; channels * (look + BACK - 1)],
            at: 0,
            group: vec![0; channels],
            groups: 1,
            used: 1,
            leaving: 0,
            former: vec![false; channels * channels],
            running: 1,
            envelopes: vec![Envelope::new(look, rate_hz); channels],
            gains: vec![1.0; channels],
            least: vec![1.0; channels],
        }
    }

    /// The same with a limiter for each output, or none; outputs in the order of the scene. `[control]`
    pub fn of_outputs(channels: usize, rate_hz: f64, ceiling_dbtp: f64, outputs: &[Output]) -> Self {
        Self::new(channels, rate_hz, ceiling_dbtp).among(outputs)
    }

    /// With a limiter for each of these outputs, or none. `[control]`
    pub fn among(mut self, outputs: &[Output]) -> Self {
        self.assign(outputs);
        self.running = self.used;
        self
    }

    /// From here on the outputs are these. What is under way stays below the ceiling: until it is out, a channel has the
    /// least gain of its new group and of those that it belonged to. `[audio]`
    pub fn regroup(&mut self, outputs: &[Output]) {
        if self.leaving == 0 {
            self.former.fill(false);
        }
        for (channel, group) in self.group.iter().enumerate().filter(|(_, group)| **group != FREE) {
            self.former[channel * self.channels + group] = true;
        }
        self.leaving = self.latency();
        self.assign(outputs);
        self.running = self.running.max(self.used);
    }

    fn assign(&mut self, outputs: &[Output]) {
        self.groups = outputs.len().min(self.channels);
        // An output has a channel at least, so if one is left over, a group is, too.
        self.used = (self.groups + 1).min(self.channels);
        self.group.fill(self.used - 1);
        for (index, output) in outputs.iter().enumerate().take(self.channels) {
            for channel in &output.channels {
                if let Some(group) = self.group.get_mut(*channel) {
                    *group = if output.limiter { index } else { FREE };
                }
            }
        }
    }

    /// Frames between what goes in and what comes out.
    pub fn latency(&self) -> usize {
        self.look + BACK - 1
    }

    /// Least gain of each output in the last block.
    pub fn reductions(&self) -> &[f64] {
        &self.least[..self.groups]
    }

    /// Limits interleaved frames in place; returns the least gain of all. `[audio]`
    pub fn limit(&mut self, frames: &mut [f32]) -> f64 {
        self.least.fill(1.0);
        self.run(frames);
        self.reductions().iter().fold(1.0, |least, gain| least.min(*gain))
    }

    /// The same, with other outputs from frame `at` on. `[audio]`
    pub fn limit_and_regroup(&mut self, frames: &mut [f32], at: usize, outputs: &[Output]) {
        let (before, after) = frames.split_at_mut((at * self.channels).min(frames.len()));
        self.least.fill(1.0);
        self.run(before);
        self.regroup(outputs);
        self.run(after);
    }

    fn run(&mut self, frames: &mut [f32]) {
        for frame in frames.chunks_exact_mut(self.channels) {
            self.gains.fill(0.0); // first the peaks, then the gains that they need
            // Peaks are found so late that the first ones still belong to what came in before.
            let shared = self.leaving + BACK > self.latency();
            for (channel, (recent, sample)) in self.recent.iter_mut().zip(&*frame).enumerate() {
                recent.copy_within(..TAPS - 1, 1);
                recent[0] = f64::from(*sample);
                let group = self.group[channel];
                if group == FREE && !shared {
                    continue;
                }
                let peak = peak(recent);
                if group != FREE {
                    self.gains[group] = self.gains[group].max(peak);
                }
                if shared {
                    let former = &self.former[channel * self.channels..][..self.running];
                    for (gain, _) in self.gains.iter_mut().zip(former).filter(|(_, had)| **had) {
                        *gain = gain.max(peak);
                    }
                }
            }
            for group in 0..self.running {
                let peak = self.gains[group];
                let needed = if peak > self.ceiling { (self.ceiling / peak * f64::from(ONE)) as u32 } else { ONE };
                self.gains[group] = self.envelopes[group].gain(needed);
                self.least[group] = self.least[group].min(self.gains[group]);
            }
            for (channel, sample) in frame.iter_mut().enumerate() {
                core::mem::swap(sample, &mut self.delay[self.at]);
                self.at = if self.at + 1 == self.delay.len() { 0 } else { self.at + 1 };
                let group = self.group[channel];
                let mut gain = if group == FREE { 1.0 } else { self.gains[group] };
                if self.leaving > 0 {
                    let former = &self.former[channel * self.channels..][..self.running];
                    let held = self.gains.iter().zip(former).filter(|(_, had)| **had);
                    gain = held.fold(gain, |least, (gain, _)| least.min(*gain));
                }
                if gain != 1.0 {
                    *sample = (f64::from(*sample) * gain) as f32;
                }
            }
            if self.leaving > 0 {
                self.leaving -= 1;
                if self.leaving == 0 {
                    self.running = self.used;
                }
            }
        }
    }
}

/// Largest magnitude around the sample [`BACK`] frames back.
fn peak(recent: &[f64; TAPS]) -> f64 {
    let mut peak = recent[BACK].abs();
    for phase in &PHASES {
        let (mut forth, mut back) = (0.0, 0.0);
        for (i, tap) in phase.iter().enumerate() {
            forth += tap * recent[i];
            back += tap * recent[TAPS - 1 - i];
        }
        peak = peak.max(f64::abs(forth)).max(f64::abs(back));
    }
    peak
}

impl Envelope {
    fn new(look: usize, rate_hz: f64) -> Self {
        Self {
            least: vec![(0, ONE); look + 2],
            first: 0,
            count: 0,
            frame: 0,
            released: ONE,
            grow: tocco::units::gain(RELEASE_DB_S / rate_hz),
            gains: vec![ONE; look],
            gain_at: 0,
            sum: u64::from(ONE) * look as u64,
        }
    }

    /// Held over the look-ahead, released slowly, smoothed.
    fn gain(&mut self, needed: u32) -> f64 {
        let (room, look) = (self.least.len(), self.gains.len());
        while self.count > 0 && self.least[(self.first + self.count - 1) % room].1 >= needed {
            self.count -= 1;
        }
        self.least[(self.first + self.count) % room] = (self.frame, needed);
        self.count += 1;
        while self.least[self.first].0 + (look as u64) < self.frame {
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
        self.gain_at = if self.gain_at + 1 == look { 0 } else { self.gain_at + 1 };
        self.sum as f64 / (f64::from(ONE) * look as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use realfft::RealFftPlanner;
    use tocco::rng::Rng;

    const RATE_HZ: f64 = 48_000.0;

    /// Largest magnitude of the band-limited signal, by sixteen-fold interpolation over the whole (by its spectrum).
    fn true_peak(signal: &[f32]) -> f64 {
        let n = signal.len();
        let mut planner = RealFftPlanner::<f64>::new();
        let (forth, back) = (planner.plan_fft_forward(n), planner.plan_fft_inverse(16 * n));
        let (mut time, mut narrow, mut wide) = (forth.make_input_vec(), forth.make_output_vec(), back.make_input_vec());
        time.iter_mut().zip(signal).for_each(|(t, s)| *t = f64::from(*s));
        forth.process(&mut time, &mut narrow).unwrap();
        // The bin at half the rate belongs half to either side.
        wide[..n / 2].copy_from_slice(&narrow[..n / 2]);
        let mut fine = back.make_output_vec();
        back.process(&mut wide, &mut fine).unwrap();
        fine.iter().fold(0.0, |most: f64, x| most.max(x.abs())) / n as f64
    }

    fn output(name: &str, channels: &[usize], limiter: bool) -> Output {
        Output { name: name.into(), channels: channels.to_vec(), limiter, written: true }
    }

    fn limited(signal: &[f32], channels: usize) -> (Vec<f32>, Limiter) {
        limited_by(Limiter::new(channels, RATE_HZ, CEILING_DBTP), signal)
    }

    fn limited_by(mut limiter: Limiter, signal: &[f32]) -> (Vec<f32>, Limiter) {
        let channels = limiter.channels;
        let mut out = signal.to_vec();
        for block in out.chunks_mut(64 * channels) {
            limiter.limit(block);
        }
        (out, limiter)
    }

    #[test]
    fn what_rings_out_on_a_channel_that_the_next_scene_has_not_stays_below_the_ceiling() {
        let (both, one) = ([output("main", &[0, 1], true)], [output("main", &[0], true)]);
        let mut limiter = Limiter::of_outputs(2, RATE_HZ, CEILING_DBTP, &both);
        let mut frames: Vec<f32> = (0..2_000).map(|i| if i % 2 == 1 { 1e5 * (i as f32).sin() } else { 0.0 }).collect();
        limiter.limit_and_regroup(&mut frames, 300, &one);
        assert!(frames.iter().all(|x| x.abs() <= 1.0));
        assert!(frames[1_500..].iter().any(|x| x.abs() > 0.5));
    }

    #[test]
    fn below_the_ceiling_every_bit_passes_delayed() {
        let mut rng = Rng::new(1, "quiet");
        let quiet: Vec<f32> = (0..9_600).map(|_| rng.between(-0.3, 0.3) as f32).collect();
        let (out, limiter) = limited(&quiet, 2);
        let delay = 2 * limiter.latency();
        assert!(out[..delay].iter().all(|x| *x == 0.0));
        assert!(out[delay..].iter().zip(&quiet).all(|(a, b)| a.to_bits() == b.to_bits()));
        assert!(limiter.latency() as f64 / RATE_HZ < 0.002);
    }

    #[test]
    fn after_a_peak_every_bit_passes_again() {
        let mut signal = vec![0.25_f32; 96_000];
        signal[1_000] = 4.0;
        let (out, limiter) = limited(&signal, 1);
        assert!(out.iter().all(|x| x.abs() <= 0.892), "nothing passes the ceiling");
        assert!(out[1_000 + limiter.latency()] < 0.892 && out[80_000..].iter().all(|x| *x == 0.25));
    }

    #[test]
    fn peaks_between_the_samples_are_caught() {
        for look_s in [LOOK_S, QUICK_LOOK_S] {
            peaks_are_caught_by(look_s);
        }
    }

    fn peaks_are_caught_by(look_s: f64) {
        // A sine at a quarter of the rate, 45 degrees off: its samples are 3 dB below its peaks.
        let (mut worst_in, mut worst_out) = (0.0_f64, 0.0_f64);
        let mut rng = Rng::new(2, "loud");
        for case in 0..24 {
            let freq_hz = if case == 0 { 12_000.0 } else { rng.between_log(50.0, 14_000.0) };
            let level = if case == 0 { 1.4 } else { rng.between_log(0.5, 30.0) };
            let (attack, decay) = (2_000.0, rng.between_log(300.0, 8_000.0));
            let signal: Vec<f32> = (0..16_384)
                .map(|i| {
                    let t = f64::from(i);
                    let phase = std::f64::consts::TAU * freq_hz * t / RATE_HZ + std::f64::consts::FRAC_PI_4;
                    let swell = if t < attack { 0.0 } else { (-(t - attack) / decay).exp() };
                    (level * swell * phase.sin()) as f32
                })
                .collect();
            let (out, _) = limited_by(Limiter::looking(1, RATE_HZ, CEILING_DBTP, look_s), &signal);
            let samples = out.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
            assert!(f64::from(samples) <= tocco::units::gain(CEILING_DBTP) * 1.000_001, "{freq_hz} Hz: {samples}");
            (worst_in, worst_out) = (worst_in.max(true_peak(&signal)), worst_out.max(true_peak(&out)));
        }
        // The annex allows its interpolator 0.55 dB below the truth at 0.45 of the rate; sudden onsets add a little.
        assert!(
            worst_in > 10.0 && 20.0 * worst_out.log10() < CEILING_DBTP + 0.6,
            "{look_s} s: {:.2} dBTP",
            20.0 * worst_out.log10()
        );
    }

    #[test]
    fn a_louder_channel_turns_the_other_down_alike() {
        let signal: Vec<f32> = (0..9_600).flat_map(|i| [2.0 * (f64::from(i) * 0.05).sin() as f32, 0.1]).collect();
        let (out, limiter) = limited(&signal, 2);
        let late = 2 * limiter.latency() + 2_000;
        for (frame, before) in out[late..].chunks(2).zip(signal[2_000..].chunks(2)) {
            let gain = frame[1] / 0.1;
            assert!(gain < 0.5 && (frame[0] - gain * before[0]).abs() < 1e-6);
        }
    }

    #[test]
    fn what_is_enormous_or_no_number_does_not_break_it() {
        let (out, _) = limited(&[0.0, 1e30, -1e30, f32::MAX, 0.5, 0.0], 1);
        assert!(out.iter().all(|x| x.is_finite()));
    }

    #[test]
    fn an_output_is_not_turned_down_by_another_and_stays_together_with_it() {
        let outputs = [output("main", &[0, 1], true), output("haptic", &[3], true), output("dry", &[2], false)];
        let mut limiter = Limiter::of_outputs(4, RATE_HZ, CEILING_DBTP, &outputs);
        let loud = |i: u32| 3.0 * (f64::from(i) * 0.05).sin() as f32;
        let signal: Vec<f32> = (0..9_600).flat_map(|i| [loud(i), 0.1, loud(i), 0.25]).collect();
        let mut out = signal.clone();
        limiter.limit(&mut out);
        let late = limiter.latency();
        for (frame, before) in out.chunks(4).skip(2_000 + late).zip(signal.chunks(4).skip(2_000)) {
            assert!(frame[0].abs() < 0.892 && frame[1] < 0.05, "main is turned down, both channels alike");
            assert!(frame[2] == before[2] && frame[3] == 0.25, "the others are not, and are as late");
        }
        assert!(limiter.reductions()[0] < 0.5 && limiter.reductions()[1..] == [1.0, 1.0]);
    }

    #[test]
    fn what_is_under_way_stays_below_the_ceiling_when_its_channels_come_to_other_outputs() {
        let ways = [
            vec![output("main", &[0], true), output("haptic", &[1], true), output("third", &[2], true)],
            vec![output("haptic", &[1, 2], true), output("main", &[0], true)],
            vec![output("dry", &[0, 1, 2], false)],
            vec![output("all", &[0, 1, 2], true)],
        ];
        let ceiling = (tocco::units::gain(CEILING_DBTP) * 1.000_001) as f32;
        let mut rng = Rng::new(3, "regroup");
        for case in 0..400 {
            let (from, to) = (&ways[case % 4], &ways[case / 4 % 4]);
            if !from[0].limiter {
                continue; // what comes in free goes out free
            }
            // A blow on one channel shortly before the exchange, and silence from then on.
            let (at, struck) = (300 + case % 100, case % 3);
            let blow = at - 1 - case / 3 % 100;
            let mut frames = vec![0.0_f32; 3 * 600];
            for i in blow..at {
                frames[3 * i + struck] = rng.between(-8.0, 8.0) as f32;
            }
            let mut limiter = Limiter::of_outputs(3, RATE_HZ, CEILING_DBTP, from);
            // Now and then another scene is gone before it was heard.
            let passing = at - case % 2 * 20;
            let (before, after) = frames.split_at_mut(3 * passing);
            limiter.limit(before);
            if passing < at {
                limiter.regroup(&ways[case / 16 % 4]);
            }
            limiter.limit_and_regroup(after, at - passing, to);
            let over = frames.iter().position(|x| x.abs() > ceiling);
            let spared = passing < at && !ways[case / 16 % 4][0].limiter;
            assert!(over.is_none() || spared, "case {case}: {:?} at {over:?}", over.map(|i| frames[i]));
        }
    }

    #[test]
    fn what_comes_in_after_the_outputs_have_changed_is_limited_by_the_new_ones_alone() {
        let (pair, apart) = ([output("main", &[0, 1], true)], [output("main", &[0], true), output("dry", &[1], false)]);
        let mut limiter = Limiter::of_outputs(2, RATE_HZ, CEILING_DBTP, &pair);
        let mut frames: Vec<f32> = (0..9_600).flat_map(|i| [4.0 * (f64::from(i) * 0.05).sin() as f32, 2.0]).collect();
        let late = limiter.latency();
        limiter.limit_and_regroup(&mut frames, 4_800, &apart);
        let ceiling = (tocco::units::gain(CEILING_DBTP) * 1.000_001) as f32;
        assert!(frames.chunks(2).all(|frame| frame[0].abs() <= ceiling));
        assert!(frames.chunks(2).take(4_800 + late).all(|frame| frame[1].abs() <= ceiling), "until the last of before");
        assert!(frames.chunks(2).skip(4_800 + late).all(|frame| frame[1] == 2.0), "and free from the first of after");
    }
}
