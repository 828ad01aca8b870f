// SPDX-License-Identifier: MIT OR Apache-2.0
//! A microphone that hears the loudspeaker: whether it does, how loud and how much later, and a gate that takes it out again.
//!
//! The audio half has the [`Gate`]: it lets through what is louder than the loudspeaker would be, and passes on what was played and
//! heard, eight samples as one. The control half has the [`Listener`]: it compares the two over 0.7 s, with delays up to 0.34 s, some
//! delays at a time, says what it finds, and tells the gate.

use rtrb::{Consumer, Producer, RingBuffer};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Rate at which both sides are compared, Hz.
const COMPARED_HZ: f64 = 6_000.0;
/// How much is compared, and how much later it may come, in values of that rate.
const COMPARED: usize = 4096;
const LATEST: usize = 2048;
/// What is played and heard between two comparisons.
const WINDOW: usize = COMPARED + LATEST;
/// Delays that are tried in one turn of the control half.
const EACH_TURN: usize = 256;
/// Quieter than this nothing is compared.
const QUIET: f32 = 1e-4;
/// Likeness from which on it is the loudspeaker, and by how much it must stand above that of all other delays: steps that merely
/// sound alike do not.
const ALIKE: f32 = 0.25;
const STANDS_OUT: f32 = 5.0;
/// Delays are not told apart in a whistle: this alike and this loud is one.
const WHISTLE: [f32; 2] = [0.95, 0.3];
/// Windows without the loudspeaker, though it played, after which it is forgotten.
const FORGETS: u32 = 6;
/// Frames over which the gate decides, and as many of their peaks as it remembers: more than a second at any rate up to 48 kHz.
const QUANTUM: usize = 128;
const PEAKS: usize = 512;
/// Around the delay the loudspeaker may still be heard, s: before it, and after, where a room adds to it.
const AROUND_S: [f64; 2] = [0.03, 0.12];
/// How much louder than the share that was found it may be.
const LOUDER: f32 = 3.0;

/// What the control half has found: share of what was played that comes back, and its delay, s, as bits.
#[derive(Default)]
struct Told {
    part: AtomicU32,
    lag_s: AtomicU32,
}

/// A gate and what listens for it, at a rate, for blocks of at most so many frames. `[control]`
pub(crate) fn gate(rate_hz: f64, channels: usize, frames: usize) -> (Gate, Listener) {
    let (to_listener, values) = RingBuffer::new(4 * WINDOW);
    let told: Arc<Told> = Arc::default();
    let together = (rate_hz / COMPARED_HZ).round().max(1.0) as usize;
    let gate = Gate {
        rate_hz,
        told: told.clone(),
        to_listener,
        together,
        sum: ([0.0; 2], 0),
        peaks: [0.0; PEAKS],
        quanta: 0,
        gain: 1.0,
        level: 0.0,
        room: vec![0.0; channels * frames],
        frames,
    };
    let step_s = together as f64 / rate_hz;
    (
        gate,
        Listener { values, told, step_s, played: Vec::new(), heard: Vec::new(), search: None, known: None, without: 0 },
    )
}

/// The audio half. All methods `[audio]`.
pub(crate) struct Gate {
    rate_hz: f64,
    told: Arc<Told>,
    to_listener: Producer<[f32; 2]>,
    /// Samples that are taken together, their sums so far and their number.
    together: usize,
    sum: ([f32; 2], usize),
    /// Peaks of what was played, quantum by quantum, and how many there have been.
    peaks: [f32; PEAKS],
    quanta: usize,
    gain: f32,
    level: f32,
    room: Vec<f32>,
    frames: usize,
}

impl Gate {
    /// How loud the loudspeaker may be in the microphone, `ahead` quanta after the last that was played.
    fn expected(&self, ahead: usize) -> f32 {
        let part = f32::from_bits(self.told.part.load(Ordering::Relaxed));
        if part == 0.0 {
            return 0.0;
        }
        let lag_s = f64::from(f32::from_bits(self.told.lag_s.load(Ordering::Relaxed)));
        let each_s = QUANTUM as f64 / self.rate_hz;
        let from = ((lag_s - AROUND_S[0]).max(0.0) / each_s) as usize;
        let to = (((lag_s + AROUND_S[1]) / each_s) as usize + 1).min(PEAKS);
        let peak = |k: usize| self.peaks[(self.quanta - k) % PEAKS];
        let most = (from.saturating_sub(ahead)..to.saturating_sub(ahead)).filter(|k| *k < self.quanta);
        LOUDER * part * most.map(peak).fold(0.0, f32::max)
    }

    /// What is left of a block that was heard when the loudspeaker is taken out.
    pub fn pass<'a>(&'a mut self, inputs: &[&[f32]], frames: usize) -> impl Iterator<Item = &'a [f32]> + use<'a> {
        let count = inputs.len().min(self.room.len() / self.frames.max(1));
        let frames = frames.min(self.frames);
        for (lane, input) in self.room.chunks_mut(self.frames.max(1)).zip(inputs) {
            for (i, x) in lane[..frames].iter_mut().enumerate() {
                *x = input.get(i).copied().filter(|x| x.is_finite()).unwrap_or(0.0);
            }
        }
        for (ahead, from) in (0..frames).step_by(QUANTUM).enumerate() {
            let to = (from + QUANTUM).min(frames);
            let lanes = || self.room.chunks(self.frames).take(count).flat_map(|lane| &lane[from..to]);
            let peak = lanes().fold(0.0_f32, |most, x| most.max(x.abs()));
            let falls = (-((to - from) as f64) / (0.01 * self.rate_hz)).exp() as f32;
            self.level = peak.max(self.level * falls);
            let expected = self.expected(ahead);
            let goal = if expected == 0.0 || self.level > expected { 1.0 } else { 0.0 };
            if self.gain != 1.0 || goal != 1.0 {
                let step = (goal - self.gain) / (to - from) as f32;
                for lane in self.room.chunks_mut(self.frames).take(count) {
                    for (i, x) in lane[from..to].iter_mut().enumerate() {
                        *x *= self.gain + step * (i + 1) as f32;
                    }
                }
            }
            self.gain = goal;
        }
        self.room.chunks(self.frames.max(1)).take(count).map(move |lane| &lane[..frames])
    }

    /// A block as it was played, interleaved, and as it was heard before the gate.
    pub fn note(&mut self, out: &[f32], channels: usize, inputs: &[&[f32]]) {
        let frames = out.len() / channels.max(1);
        for from in (0..frames).step_by(QUANTUM) {
            let to = (from + QUANTUM).min(frames);
            let peak = out[from * channels..to * channels].iter().fold(0.0_f32, |most, x| most.max(x.abs()));
            self.quanta += 1;
            self.peaks[self.quanta % PEAKS] = peak;
        }
        for (i, frame) in out.chunks_exact(channels.max(1)).enumerate() {
            let heard = inputs.iter().filter_map(|input| input.get(i)).filter(|x| x.is_finite()).sum::<f32>();
            let ([played_sum, heard_sum], count) = &mut self.sum;
            *played_sum += frame.iter().sum::<f32>();
            *heard_sum += heard;
            *count += 1;
            if *count == self.together {
                // Where nobody listens in time, it is lost: there is more to come.
                let _ = self.to_listener.push([*played_sum, *heard_sum].map(|sum| sum / self.together as f32));
                self.sum = ([0.0; 2], 0);
            }
        }
    }
}

/// A comparison that is under way.
struct Search {
    played: Vec<f32>,
    heard: Vec<f32>,
    rms: [f32; 2],
    loud: f32,
    likeness: Vec<f32>,
}

/// What a comparison found.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Found {
    is: bool,
    steps: usize,
    part: f32,
}

/// The control half.
pub(crate) struct Listener {
    values: Consumer<[f32; 2]>,
    told: Arc<Told>,
    /// Time between two values, s.
    step_s: f64,
    played: Vec<f32>,
    heard: Vec<f32>,
    search: Option<Search>,
    /// Share and delay, s, of the loudspeaker, if it is heard.
    known: Option<(f32, f64)>,
    without: u32,
}

fn rms(x: &[f32]) -> f32 {
    (x.iter().map(|x| x * x).sum::<f32>() / x.len() as f32).sqrt()
}

/// Differences from value to value: hum and rumble are alike everywhere.
fn edges(x: &[f32]) -> Vec<f32> {
    std::iter::once(0.0).chain(x.windows(2).map(|pair| pair[1] - pair[0])).collect()
}

impl Search {
    /// Begins to compare a window of each; nothing where one of them is silent.
    fn new(played: &[f32], heard: &[f32]) -> Option<Self> {
        let levels = [rms(played), rms(heard)];
        if levels[0] < QUIET || levels[1] < QUIET {
            return None;
        }
        let (played, heard) = (edges(played), edges(heard)[LATEST..].to_vec());
        let loud = heard.iter().map(|x| x * x).sum::<f32>().sqrt();
        Some(Self { played, heard, rms: levels, loud, likeness: Vec::with_capacity(LATEST) })
    }

    /// Tries some more delays; what was found when all of them have been.
    fn go_on(&mut self) -> Option<Found> {
        for lag in self.likeness.len()..(self.likeness.len() + EACH_TURN).min(LATEST) {
            let before = &self.played[LATEST - lag..WINDOW - lag];
            let (mut product, mut energy) = ([0.0_f32; 8], [0.0_f32; 8]);
            for (x, y) in before.chunks_exact(8).zip(self.heard.chunks_exact(8)) {
                for l in 0..8 {
                    product[l] += x[l] * y[l];
                    energy[l] += x[l] * x[l];
                }
            }
            let [product, energy] = [product, energy].map(|lanes| lanes.iter().sum::<f32>());
            self.likeness.push(product.abs() / (self.loud * energy.sqrt() + 1e-12));
        }
        if self.likeness.len() < LATEST {
            return None;
        }
        let steps = (0..LATEST).max_by(|a, b| self.likeness[*a].total_cmp(&self.likeness[*b])).unwrap_or(0);
        let best = self.likeness[steps].min(1.0);
        self.likeness.sort_unstable_by(f32::total_cmp);
        let middle = self.likeness[LATEST / 2];
        let whistle = best > WHISTLE[0] && self.rms[1] > WHISTLE[1];
        let is = (best > ALIKE && best > STANDS_OUT * middle) || whistle;
        Some(Found { is, steps, part: best * self.rms[1] / self.rms[0] })
    }
}

impl Listener {
    /// Goes on comparing for a little; a line where something has changed. `[control]`
    pub fn turn(&mut self) -> Option<String> {
        while self.played.len() < WINDOW
            && let Ok([played, heard]) = self.values.pop()
        {
            self.played.push(played);
            self.heard.push(heard);
        }
        if self.search.is_none() && self.played.len() == WINDOW {
            self.search = Search::new(&self.played, &self.heard);
            self.played.clear();
            self.heard.clear();
        }
        let found = self.search.as_mut()?.go_on()?;
        self.search = None;
        self.learn(found)
    }

    fn learn(&mut self, found: Found) -> Option<String> {
        let before = self.known;
        if found.is {
            let lag_s = found.steps as f64 * self.step_s;
            self.known = Some((found.part.max(0.7 * before.map_or(0.0, |known| known.0)), lag_s));
            self.without = 0;
        } else if before.is_some() {
            self.without += 1;
            if self.without >= FORGETS {
                self.known = None;
            }
        }
        let (part, lag_s) = self.known.unwrap_or((0.0, 0.0));
        self.told.lag_s.store((lag_s as f32).to_bits(), Ordering::Relaxed);
        self.told.part.store(part.to_bits(), Ordering::Relaxed);
        match (before, self.known) {
            (None, Some((_, lag_s))) => Some(format!(
                "the microphone hears the loudspeaker, {:.0} ms later: that is gated out; headphones, or a lower level, would be better",
                1e3 * lag_s
            )),
            (Some(_), None) => Some("the microphone no longer hears the loudspeaker".into()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tocco::rng::Rng;

    /// Steps: noise in bursts, a tenth of a second every half.
    fn steps(seed: u64, from: usize) -> Vec<f32> {
        let mut rng = Rng::new(seed, "steps");
        (0..WINDOW).map(|i| rng.normal() as f32 * if (i + from) % 3000 < 600 { 0.25 } else { 0.0025 }).collect()
    }

    fn compare(played: &[f32], heard: &[f32]) -> Option<Found> {
        let mut search = Search::new(played, heard)?;
        (0..LATEST).find_map(|_| search.go_on())
    }

    #[test]
    fn the_loudspeaker_is_told_from_steps_that_sound_alike_from_hum_and_from_a_louder_walker() {
        let (mut missed, mut wrong) = (0, 0);
        for seed in 1..=20 {
            let (played, own) = (steps(seed, 0), steps(seed + 100, 1400));
            // It comes back 500 values later at a third, under the walker's own steps.
            let back: Vec<f32> =
                (0..WINDOW).map(|i| 0.4 * own[i] + if i >= 500 { 0.33 * played[i - 500] } else { 0.0 }).collect();
            let found = compare(&played, &back).unwrap();
            missed += u32::from(!found.is || found.steps != 500);
            // The same rhythm at the same time, but another sound: what a floor makes of a step that is heard.
            wrong += u32::from(compare(&played, &steps(seed + 200, 0)).is_some_and(|found| found.is));
            let hum: Vec<f32> = (0..WINDOW).map(|i| 0.1 * (0.052 * i as f32).sin()).collect();
            wrong += u32::from(compare(&played, &hum).is_some_and(|found| found.is));
        }
        assert!(missed <= 1 && wrong == 0, "{missed} of 20 missed, {wrong} of 40 taken for it");
        assert_eq!(compare(&[0.0; WINDOW], &steps(1, 0)), None, "nothing is played");
    }

    #[test]
    fn the_gate_closes_on_what_is_played_and_opens_for_what_is_louder() {
        let (mut gate, _listener) = gate(48_000.0, 1, 256);
        gate.told.part.store(0.3_f32.to_bits(), Ordering::Relaxed);
        gate.told.lag_s.store(0.02_f32.to_bits(), Ordering::Relaxed);
        let mut hear = |played: f32, heard: f32| {
            let input = [heard; 256];
            let last = gate.pass(&[&input], 256).next().unwrap()[255];
            gate.note(&[played; 512], 2, &[&input]);
            last
        };
        (0..40).for_each(|_| _ = hear(0.5, 0.0));
        (0..10).for_each(|_| _ = hear(0.5, 0.15));
        assert_eq!(hear(0.5, 0.15), 0.0, "the loudspeaker itself");
        assert!((hear(0.5, 0.9) - 0.9).abs() < 1e-6, "a step beside it");
        (0..60).for_each(|_| _ = hear(0.0, 0.0));
        assert!((hear(0.0, 0.15) - 0.15).abs() < 1e-6, "while nothing is played");
        assert!(hear(f32::NAN, f32::NAN).is_finite());
    }
}
