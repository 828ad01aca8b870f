// SPDX-License-Identifier: MIT OR Apache-2.0
//! A small room: the first reflections off its walls, then a diffuse tail that dies in each octave band as it is told.
//!
//! **What.** What a listener in a room hears besides the direct sound. The room is a box of the wanted volume whose edges are as
//! 0.618 : 1 : 1.618. First and second reflections come from its mirror images; the rest is a network of eight delay lines that are about as
//! long as sound flies between two walls.
//!
//! **Law.** With V volume, S surface, c speed of sound, m loss of energy in air per metre:
//! - `[room.1]  T = 24 ln 10 V/(c (4 m V - S ln(1 - a)))`: time of decay from absorption (Eyring)
//! - `[room.2]  l = 4 V/S`: mean free path
//! - `[room.3]  z = A G s + B x`, `A` orthogonal: what leaves the lines goes back into them; without the losses G energy stays as it is
//! - `[room.4]  |G_i(f)| = 10^(-3 d_i/T(f))`: every line loses as much a second as the others, so all resonances of a band die alike
//! - `[room.5]  p = sum over images of (1 - a)^(n/2) r_0/r x(t - (r - r_0)/c)`: reflections of order n at most 2
//! - `[room.6]  E_early/E = sum over images of (1 - a)^n/r^2 A_s/(16 pi)`: how much of the reverberation they are; A_s = 24 ln 10 V/(c T)
//! - `[room.7]  sum over passes of |G|^2 w^2 = 1 - E_early/E`: gain w of the tail, from the band that lasts longest
//!
//! **Symbols.** T `t60_s` s, in octave bands from 125 Hz to 8 kHz; V `volume_m3`; a `absorption_01`; d_i delay of a line s; s what comes out
//! of the lines; x what goes in; r way from an image to the listener m, r_0 from the source.
//!
//! **Step.** Lines have prime lengths from one mean free path to three; for long tails they are stretched, so that resonances lie as dense as
//! ears want (0.15 T in all). Each has a chain of six shelves ([shelf.1] to [shelf.3]). What a chain does between the centres of
//! bands is known, and so is the slope that octave filters would read from -5 to -35 dB: the bands are asked for what makes that slope the
//! wanted one. If a chain would then pass a frequency without loss, differences between bands are drawn in until none does. A is
//! Hadamard's matrix. Every channel goes into all lines, each with its own signs, which are orthogonal, and hears lines of its own: tails
//! of two channels have nothing in common. For the reflections the listeners of neighbouring channels stand 0.34 m apart, where a
//! diffuse field has lost its coherence above 500 Hz.
//! An impulse gets out no more energy than it brought in, in any band. Direct sound is not delayed, reflections come by their detour.
//!
//! **Sources.** Jot, Chaigne, AES 90 (1991), preprint 3030 (lines and losses); Allen, Berkley, JASA 65, 943 (1979) (images); Kuttruff, *Room
//! Acoustics*, (5.23), (5.38); Schroeder, JASA 37, 409 (1965), ISO 3382-2 (how decay is read).

use super::air::Air;
use super::shelves::{Bands, Chain, Layout, MOST_BANDS, THROUGH};
use crate::math::{PI, Real, exp, ln, log10, pow};
use crate::resonator::CONTROL_TICKS;
use crate::resonator::kernel::Path;

/// Octave bands: 125 Hz to 8 kHz.
pub const BANDS: usize = MOST_BANDS;
/// Centre of the first, Hz.
pub const FIRST_HZ: Real = 125.0;
/// Delay lines.
pub const LINES: usize = 8;
/// Most channels that can stand in one room.
pub const MOST_CHANNELS: usize = LINES;
/// How much longer a band may be told to ring than its neighbour, or its walls to swallow more.
pub const MOST_RATIO: Real = 2.5;
/// Most that walls may absorb, on average.
pub const MOST_ABSORPTION: Real = 0.8;

/// One value for each line.
type Lanes = [Real; LINES];
/// A stretch of samples.
pub(super) type Block = [Real; CONTROL_TICKS];

/// ln 1000: 60 dB.
const LN_60_DB: Real = 6.907_755_278_982_137;
/// Edges of the box where its volume is 1.
const EDGES: [Real; 3] = [1.618_033_988_749_895, 1.0, 0.618_033_988_749_895];
/// Where source and listener are, as fractions of the edges.
const SOURCE: [Real; 3] = [0.31, 0.37, 0.46];
const LISTENER: [Real; 3] = [0.69, 0.58, 0.53];
/// Distance between listeners of neighbouring channels, m.
const EARS_M: Real = 0.34;
/// The longest line over the shortest.
const SPREAD: Real = 3.0;
/// Seconds of delay in all lines, for each second of decay, and how far they may be stretched for it.
const DENSITY: Real = 0.15;
const MOST_STRETCH: Real = 3.0;
/// Longest line that is stretched, over the shortest decay: a tail is made of many passes.
const LONGEST_LINE: Real = 0.15;
/// Part of the energy that comes out on average: what adds up by chance, or where walls answer in step, must not exceed what came in.
const MARGIN: Real = 0.4;
/// Signs with which lines are heard.
const SIGNS: Lanes = [1.0, 1.0, -1.0, 1.0, 1.0, -1.0, -1.0, -1.0];
/// Frames between two looks for numbers that are too small to be heard, and what is too small.
const LOOK: usize = 256;
const TINY: Real = 1e-200;
/// Below this a room is silent, and every so many frames it is looked at; a multiple of [`LOOK`].
const FAINT: Real = 1e-15;
const SETTLE: usize = 32 * LOOK;
/// More than this is no sound but a fault, which must not stay in the room.
const LARGEST: Real = 1e30;

/// What a room is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoomMake {
    /// m3
    pub volume_m3: Real,
    /// Time of decay by 60 dB in each octave band, s.
    pub t60_s: Bands,
    /// Its air.
    pub air: Air,
}

/// Surface of a box of this volume, m2.
fn surface_m2(volume_m3: Real) -> Real {
    let [a, b, c] = EDGES;
    2.0 * (a * b + b * c + c * a) * pow(volume_m3, 2.0 / 3.0)
}

/// Absorbing area that makes a room die in this time, m2, air included.
fn area_m2(volume_m3: Real, t60_s: Real, air: Air) -> Real {
    8.0 * LN_60_DB * volume_m3 / (air.sound_speed_m_s() * t60_s)
}

/// Times of decay, s, of a room whose walls absorb so much. `[control]`
pub fn decay_by_absorption(volume_m3: Real, absorption_01: &Bands, air: Air) -> Bands {
    core::array::from_fn(|band| {
        let centre_hz = FIRST_HZ * Real::from(1 << band);
        let air_1_m = air.loss_db_m(centre_hz) * LN_60_DB / 30.0;
        let walls = -surface_m2(volume_m3) * ln(1.0 - absorption_01[band]);
        fault!(SABINE, 8.0, 7.0) * LN_60_DB * volume_m3 / (air.sound_speed_m_s() * (walls + 4.0 * air_1_m * volume_m3)) // [room.1]
    })
}

/// The shortest time of decay that walls can bring about, s. `[control]`
pub fn shortest_s(volume_m3: Real, air: Air) -> Real {
    let walls = -surface_m2(volume_m3) * ln(1.0 - MOST_ABSORPTION);
    8.0 * LN_60_DB * volume_m3 / (air.sound_speed_m_s() * walls)
}

/// A reflection on its way to a channel.
#[derive(Clone, Copy, Debug)]
struct Reflection {
    delay: usize,
    gain: Real,
}

/// A room that sounds.
#[derive(Clone)]
pub struct Room {
    layout: Layout,
    chains: [Chain; LINES],
    heard_over_told: Bands,
    /// Coefficients of every section, and its memory.
    sections: [[Lanes; 5]; BANDS - 1],
    states: [[Lanes; 2]; BANDS - 1],
    lines: [Box<[Real]>; LINES],
    places: [usize; LINES],
    /// How each channel goes into the lines and hears them.
    feeds: Vec<Lanes>,
    reads: Vec<Lanes>,
    reflections: Vec<Vec<Reflection>>,
    /// The last samples for the reflections, twice, so that every stretch of them is in one piece.
    past: Box<[Real]>,
    at: usize,
    /// Frames since the start, and since something came in.
    frames: usize,
    calm: usize,
    /// Nothing is left in it.
    asleep: bool,
    path: Path,
}

impl Room {
    /// A silent room for so many channels, at most [`MOST_CHANNELS`]. `[control]`
    pub fn new(make: &RoomMake, channels: usize, rate_hz: Real) -> Self {
        let layout = Layout::octaves(FIRST_HZ, BANDS, rate_hz);
        let RoomMake { volume_m3, t60_s: told_s, air } = *make;
        let t60_s = fault!(ROOM_T60, told_s, told_s.map(|t| 1.15 * t));
        let speed_m_s = air.sound_speed_m_s();
        let free_s = 4.0 * volume_m3 / surface_m2(volume_m3) / speed_m_s; // [room.2]
        let longest_s = t60_s[..layout.bands].iter().fold(0.0, |most: Real, t| most.max(*t));
        let ratios: Lanes = core::array::from_fn(|i| pow(SPREAD, i as Real / (LINES - 1) as Real));
        let all_s = free_s * ratios.iter().sum::<Real>();
        let middle_s = (t60_s[2] * t60_s[3]).sqrt();
        let shortest_s = t60_s[..layout.bands].iter().fold(longest_s, |least, t| least.min(*t));
        let most = LONGEST_LINE * shortest_s / (SPREAD * free_s);
        let stretch = (DENSITY * longest_s / all_s).min(most.min(MOST_STRETCH)).max(1.0);
        let mut shortest = 2;
        let lengths = ratios.map(|ratio| {
            shortest = prime_from(shortest.max((free_s * stretch * ratio * rate_hz) as usize));
            shortest += 1;
            shortest - 1
        });
        let root = (LINES as Real).sqrt();
        let (chains, heard_over_told) = losses(&layout, &t60_s, lengths, rate_hz);
        let mut sections = [THROUGH.map(|value| [value; LINES]); BANDS - 1];
        for (k, section) in sections[..layout.bands - 1].iter_mut().enumerate() {
            for (line, chain) in chains.iter().enumerate() {
                let [b0, b1, b2, a1, a2] = layout.section(chain, k);
                // Written with the memory alone: its next value does not wait for what comes out.
                let mut row = [b0, b1 - a1 * b0, b2 - a2 * b0, a1, a2];
                if k == 0 {
                    // The first also has the gain of the chain, and what the matrix lacks.
                    row[..3].iter_mut().for_each(|value| *value *= chain.gain / root);
                }
                (0..row.len()).for_each(|i| section[i][line] = row[i]);
            }
        }
        let area_m2 = area_m2(volume_m3, middle_s, air);
        let absorption = 1.0 - exp(-area_m2 / surface_m2(volume_m3));
        let (mut reflections, energy) = images(volume_m3, absorption, channels, speed_m_s, rate_hz);
        let share = (energy * area_m2 / (16.0 * PI)).min(0.8); // [room.6]
        let heard: Real = reflections.iter().flatten().map(|one| one.gain * one.gain).sum();
        let scale = (MARGIN * share / heard.max(Real::MIN_POSITIVE)).sqrt();
        reflections.iter_mut().flatten().for_each(|one| one.gain *= scale);
        // [room.7]: energy that is left after a pass, in the band that lasts longest.
        let left = lengths.map(|length| exp(-2.0 * LN_60_DB * length as Real / (rate_hz * longest_s)));
        let left = left.iter().sum::<Real>() / LINES as Real;
        let loudness = (MARGIN * (1.0 - share) * (1.0 - left) / left).sqrt();
        let sign = |row: usize, i: usize| if (row & i).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
        let feeds = (0..channels).map(|c| core::array::from_fn(|i| sign(c, i) / root)).collect();
        let reads = (0..channels).map(|channel| {
            let own = (0..LINES).filter(|i| i % channels == channel).count() as Real;
            let even = (LINES as Real / (own * channels as Real)).sqrt();
            core::array::from_fn(|i| if i % channels == channel { root * even * loudness * SIGNS[i] } else { 0.0 })
        });
        let longest = reflections.iter().flatten().map(|one| one.delay).max().unwrap_or(0);
        Self {
            layout,
            sections,
            states: [[[0.0; LINES]; 2]; BANDS - 1],
            chains,
            heard_over_told,
            lines: lengths.map(|length| vec![0.0; length].into_boxed_slice()),
            places: [0; LINES],
            feeds,
            reads: reads.collect(),
            reflections,
            past: vec![0.0; 2 * (longest + CONTROL_TICKS)].into_boxed_slice(),
            at: 0,
            frames: 0,
            calm: 0,
            asleep: true,
            path: Path::all().pop().unwrap_or(Path::Baseline),
        }
    }

    /// Gain of what goes round once in a line, at a frequency. `[control]`
    pub fn loop_gain(&self, line: usize, freq_hz: Real) -> Real {
        exp(self.layout.log_gain(&self.chains[line], freq_hz))
    }

    /// Time of decay that octave filters will read in each band over the one it was told; 1 in bands beyond Nyquist. `[control]`
    pub fn heard_over_told(&self) -> Bands {
        self.heard_over_told
    }

    /// Delays of the lines, samples.
    pub fn delays(&self) -> [usize; LINES] {
        core::array::from_fn(|i| self.lines[i].len())
    }

    /// Sum of the squares of all that is in the lines.
    pub fn energy(&self) -> Real {
        self.lines.iter().flatten().map(|x| x * x).sum()
    }

    /// Takes the losses away: then it keeps its energy for ever. For tests. `[control]`
    pub fn without_losses(mut self) -> Self {
        self.sections = [THROUGH.map(|value| [value; LINES]); BANDS - 1];
        self.sections[0][0] = [1.0 / (LINES as Real).sqrt(); LINES];
        self
    }

    /// Silence. `[audio]`
    pub fn hush(&mut self) {
        self.lines.iter_mut().for_each(|line| line.fill(0.0));
        self.states = [[[0.0; LINES]; 2]; BANDS - 1];
        self.past.fill(0.0);
        self.asleep = true;
    }

    /// True if nothing is left in it: it answers silence with silence, at no cost.
    pub fn is_asleep(&self) -> bool {
        self.asleep
    }

    /// `ticks` frames of silence pass while it is asleep. Where its lines begin is of no account while they are empty. `[audio]`
    pub fn rest(&mut self, ticks: usize) {
        self.frames += ticks;
        self.calm += ticks;
    }

    /// Falls asleep if all that is left lies 300 dB below full scale. Asked at frames that are told by their number, so that no block
    /// of the host is heard.
    fn settle(&mut self) {
        let faint = |x: &Real| x.abs() < FAINT;
        if self.states.as_flattened().as_flattened().iter().all(faint)
            && self.past.iter().all(faint)
            && self.lines.iter().all(|line| line.iter().all(faint))
        {
            self.hush();
        }
    }

    /// What the room answers to `ticks` samples of each channel. `[audio]`
    pub fn answer(&mut self, ticks: usize, heard: &[Block], answer: &mut [Block]) {
        answer.iter_mut().for_each(|block| block[..ticks].fill(0.0));
        if self.asleep && heard.iter().all(|block| block[..ticks].iter().all(|x| *x == 0.0)) {
            return self.rest(ticks);
        }
        self.asleep = false;
        self.reflect(ticks, heard, answer);
        let mut done = 0;
        while done < ticks {
            let mut run = (ticks - done).min(LOOK - self.frames % LOOK);
            for i in 0..LINES {
                run = run.min(self.lines[i].len() - self.places[i]);
            }
            match self.path {
                // SAFETY: these paths are only made by `Path::all` after the CPU said what it has; AVX-512F comes with AVX2.
                #[cfg(target_arch = "x86_64")]
                Path::Avx2 | Path::Avx512 => unsafe { tail_avx2(self, done, run, heard, answer) },
                _ => tail(self, done, run, heard, answer),
            }
            let came = heard.iter().filter_map(|block| block[done..done + run].iter().rposition(|x| *x != 0.0)).max();
            self.calm = came.map_or(self.calm + run, |at| run - 1 - at);
            done += run;
            self.frames += run;
            if self.frames.is_multiple_of(SETTLE) && self.calm >= SETTLE {
                self.settle();
            }
            if self.frames.is_multiple_of(LOOK) {
                for state in self.states.as_flattened_mut().as_flattened_mut() {
                    *state = audible(*state);
                }
            }
        }
    }

    /// Adds the reflections off walls.
    fn reflect(&mut self, ticks: usize, heard: &[Block], answer: &mut [Block]) {
        let (half, part) = (self.past.len() / 2, 1.0 / (heard.len() as Real).sqrt());
        for i in 0..ticks {
            let mut sum = 0.0;
            heard.iter().for_each(|block| sum += block[i]);
            let place = (self.at + i) % half;
            self.past[place] = part * sum;
            self.past[half + place] = part * sum;
        }
        for (reflections, answer) in self.reflections.iter().zip(answer) {
            for Reflection { delay, gain } in reflections {
                let from = (self.at + half - delay) % half;
                // [room.5]
                for (sum, x) in answer[..ticks].iter_mut().zip(&self.past[from..from + ticks]) {
                    *sum += gain * x;
                }
            }
        }
        self.at = (self.at + ticks) % half;
    }
}

/// What is no sound is silence: a fault of a body must not ring for ever.
#[inline(always)]
pub(super) fn sound(x: Real) -> Real {
    if x.abs() <= LARGEST { x } else { 0.0 }
}

#[inline(always)]
fn audible(x: Real) -> Real {
    if x.abs() < TINY { 0.0 } else { x }
}

/// `run` samples of the tail, in which no line comes to its end.
#[inline(always)]
fn tail(room: &mut Room, from: usize, run: usize, heard: &[Block], answer: &mut [Block]) {
    let mut block = [[0.0; LINES]; CONTROL_TICKS];
    for (i, (line, place)) in room.lines.iter().zip(room.places).enumerate() {
        for (row, x) in block.iter_mut().zip(&line[place..place + run]) {
            row[i] = *x;
        }
    }
    let block = &mut block[..run];
    // [room.4]: one section after the other over the whole run, whose coefficients and memory then stay where they are.
    for ([b0, c1, c2, a1, a2], state) in room.sections.iter().zip(&mut room.states) {
        let [mut s1, mut s2] = *state;
        for x in block.iter_mut() {
            for i in 0..LINES {
                let (old, y) = (s1[i], b0[i] * x[i] + s1[i]);
                s1[i] = (c1[i] * x[i] + s2[i]) - a1[i] * old;
                s2[i] = c2[i] * x[i] - a2[i] * old;
                x[i] = y;
            }
        }
        *state = [s1, s2];
    }
    for (t, row) in block.iter_mut().enumerate() {
        let x = *row;
        let mut z = mixed(x); // [room.3]
        for (channel, (feed, read)) in room.feeds.iter().zip(&room.reads).enumerate() {
            let own: Lanes = core::array::from_fn(|i| read[i] * x[i]);
            answer[channel][from + t] += joined(own);
            let heard = heard[channel][from + t];
            (0..LINES).for_each(|i| z[i] += feed[i] * heard);
        }
        *row = z.map(audible);
    }
    for (i, (line, place)) in room.lines.iter_mut().zip(&mut room.places).enumerate() {
        for (x, row) in line[*place..*place + run].iter_mut().zip(block.iter()) {
            *x = row[i];
        }
        *place += run;
        if *place == line.len() {
            *place = 0;
        }
    }
}

/// The same source with wider vectors, as the kernels of modes have it.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn tail_avx2(room: &mut Room, from: usize, run: usize, heard: &[Block], answer: &mut [Block]) {
    tail(room, from, run, heard, answer);
}

#[inline(always)]
fn joined(x: Lanes) -> Real {
    ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]))
}

/// Hadamard's matrix, which is the root of 8 times an orthogonal one.
#[inline(always)]
fn mixed(x: Lanes) -> Lanes {
    let a: Lanes = core::array::from_fn(|i| if i < 4 { x[i] + x[i + 4] } else { x[i - 4] - x[i] });
    let b: Lanes = core::array::from_fn(|i| if i & 2 == 0 { a[i] + a[i + 2] } else { a[i - 2] - a[i] });
    core::array::from_fn(|i| if i & 1 == 0 { b[i] + b[i + 1] } else { b[i - 1] - b[i] })
}

/// The first prime from `n` on.
fn prime_from(n: usize) -> usize {
    let is_prime = |n: usize| (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
    let mut n = n.max(2);
    while !is_prime(n) {
        n += 1;
    }
    n
}

/// Reflections of first and second order to each channel, and the energy of all of them at one listener, where that of the direct
/// sound at 1 m is 1.
fn images(
    volume_m3: Real,
    absorption: Real,
    channels: usize,
    speed_m_s: Real,
    rate_hz: Real,
) -> (Vec<Vec<Reflection>>, Real) {
    let unit_m = pow(volume_m3, 1.0 / 3.0);
    let edges = EDGES.map(|edge| edge * unit_m);
    let listener = |channel: usize| -> [Real; 3] {
        let side = EARS_M * (channel as Real - 0.5 * (channels as Real - 1.0));
        let mut at: [Real; 3] = core::array::from_fn(|axis| LISTENER[axis] * edges[axis]);
        at[1] = (at[1] + side).clamp(0.1 * edges[1], 0.9 * edges[1]);
        at
    };
    let source: [Real; 3] = core::array::from_fn(|axis| SOURCE[axis] * edges[axis]);
    let way =
        |from: [Real; 3], to: [Real; 3]| (0..3).map(|i| (from[i] - to[i]) * (from[i] - to[i])).sum::<Real>().sqrt();
    let (mut all, mut energy) = (Vec::new(), 0.0);
    for channel in 0..channels {
        let ear = listener(channel);
        let direct_m = way(source, ear);
        let mut own = Vec::new();
        for cell in 0..125_i32 {
            let n = [cell % 5 - 2, cell / 5 % 5 - 2, cell / 25 - 2];
            let order = n.iter().map(|n| n.abs()).sum::<i32>();
            if !(1..=2).contains(&order) {
                continue;
            }
            let image = core::array::from_fn(|axis| {
                let within = if n[axis] % 2 == 0 { source[axis] } else { edges[axis] - source[axis] };
                Real::from(n[axis]) * edges[axis] + within
            });
            let way_m = way(image, ear);
            let kept = pow(1.0 - absorption, 0.5 * Real::from(order));
            let delay = ((way_m - direct_m) / speed_m_s * rate_hz + 0.5) as usize;
            own.push(Reflection { delay: delay.max(1), gain: kept * direct_m / way_m }); // [room.5]
            energy += kept * kept / (way_m * way_m);
        }
        all.push(own);
    }
    (all, energy / channels as Real)
}

/// The chains of the lines that make every band die in its time, as octave filters read it: bands are asked for a little more or less than
/// is wanted, or, where that does not do and it helps, for much. Besides, how much longer than wanted each band is then heard.
fn losses(layout: &Layout, t60_s: &Bands, lengths: [usize; LINES], rate_hz: Real) -> ([Chain; LINES], Bands) {
    let best = mended(layout, t60_s, lengths, rate_hz, MOST_MENDED[0]);
    if worst(&best.1) <= GOOD {
        return best;
    }
    let other = mended(layout, t60_s, lengths, rate_hz, MOST_MENDED[1]);
    if worst(&other.1) < worst(&best.1) { other } else { best }
}

/// How far the band is off that is off most.
fn worst(heard: &Bands) -> Real {
    heard.iter().fold(0.0, |worst: Real, one| worst.max((one - 1.0).abs()))
}

/// Chains that ask bands for at most so many times what is wanted, and how much longer than wanted each is then heard.
fn mended(
    layout: &Layout,
    t60_s: &Bands,
    lengths: [usize; LINES],
    rate_hz: Real,
    most: Real,
) -> ([Chain; LINES], Bands) {
    let mean_s = lengths.iter().sum::<usize>() as Real / (LINES as Real * rate_hz);
    let chain = |rates: &Bands, delay_s: Real| layout.chain(&rates.map(|rate| -LN_60_DB * delay_s * rate));
    let even = t60_s[..layout.bands].iter().map(|t| 1.0 / t).sum::<Real>() / layout.bands as Real;
    let mut rates: Bands = core::array::from_fn(|band| if band < layout.bands { 1.0 / t60_s[band] } else { even });
    let wanted = rates;
    let slowest = wanted.iter().fold(Real::INFINITY, |least, rate| least.min(*rate));
    // How much longer than wanted each band is heard.
    let heard = |rates: &Bands| -> Bands {
        let now = chain(rates, mean_s);
        let read = |freq_hz: Real| (-layout.log_gain(&now, freq_hz) / (LN_60_DB * mean_s)).max(1e-3 * even);
        core::array::from_fn(|band| {
            if band >= layout.bands {
                return 1.0;
            }
            decay_read(FIRST_HZ * Real::from(1 << band), t60_s[band], rate_hz, read) * wanted[band]
        })
    };
    for _ in 0..CALIBRATIONS {
        let heard = heard(&rates);
        for band in 0..layout.bands {
            let better = rates[band] * heard[band].sqrt();
            rates[band] = better.clamp(wanted[band] / most, wanted[band] * most);
        }
        if worst(&heard) < 1e-3 {
            break;
        }
    }
    let mut drawn = rates;
    let mut chains = lengths.map(|length| chain(&drawn, length as Real / rate_hz));
    // Whatever was asked for: no frequency goes round without loss.
    for step in 1..=10 {
        let top_hz = 0.5 * rate_hz;
        let mut grid = (0..=400).map(|i| if i == 0 { 0.0 } else { top_hz * pow(1e-4, 1.0 - Real::from(i) / 400.0) });
        let least = |freq_hz: Real| {
            let rate = |(chain, length): (&Chain, usize)| {
                -layout.log_gain(chain, freq_hz) * rate_hz / (LN_60_DB * length as Real)
            };
            chains.iter().zip(lengths).map(rate).fold(Real::INFINITY, Real::min)
        };
        if grid.all(|freq_hz| least(freq_hz) > LEAST_LOSS * slowest) {
            break;
        }
        drawn = rates.map(|rate| rate + 0.1 * Real::from(step) * (even - rate));
        chains = lengths.map(|length| chain(&drawn, length as Real / rate_hz));
    }
    (chains, heard(&drawn))
}

/// Rounds in which the bands are asked for what makes their decays the wanted ones.
const CALIBRATIONS: usize = 16;
/// How much more or less than wanted they are asked for at most: a little, and much.
const MOST_MENDED: [Real; 2] = [1.4, 2.0];
/// Decays that are off by no more than this are as wanted.
const GOOD: Real = 0.01;
/// Loss of any frequency, over that of the band that lasts longest.
const LEAST_LOSS: Real = 0.1;
/// Points in an octave, and octaves to each side of a band, where its decay is summed up.
const POINTS: i32 = 12;
const SIDE: i32 = 2;

/// Time of decay by 60 dB, s, that is read from -5 to -35 dB through an octave filter, where each frequency loses `rate` times 60 dB a
/// second.
fn decay_read(centre_hz: Real, about_s: Real, rate_hz: Real, rate: impl Fn(Real) -> Real) -> Real {
    const COUNT: usize = (2 * SIDE * POINTS + 1) as usize;
    let mut parts = [(0.0, 0.0); COUNT];
    for (i, part) in parts.iter_mut().enumerate() {
        let octaves = Real::from(i as i32 - SIDE * POINTS) / Real::from(POINTS);
        let freq_hz = centre_hz * pow(2.0, octaves);
        if freq_hz < 0.499 * rate_hz {
            let skirt = |octaves: Real| 1.0 / (1.0 + pow(2.0, 12.0 * octaves));
            let rate = rate(freq_hz);
            *part = (freq_hz * skirt(octaves - 0.5) * skirt(-octaves - 0.5) / rate, 2.0 * LN_60_DB * rate);
        }
    }
    let whole: Real = parts.iter().map(|part| part.0).sum();
    let (mut n, mut sums) = (0.0, [0.0; 4]);
    for step in 0..120 {
        let t = about_s * Real::from(step) / 100.0;
        let left: Real = parts.iter().map(|(weight, rate)| weight * exp(-rate * t)).sum();
        let level_db = 10.0 * log10(left / whole);
        if (-35.0..=-5.0).contains(&level_db) {
            n += 1.0;
            for (sum, term) in sums.iter_mut().zip([t, level_db, t * t, t * level_db]) {
                *sum += term;
            }
        }
    }
    let [t, level, tt, tl] = sums;
    let slope = (n * tl - t * level) / (n * tt - t * t);
    if slope < 0.0 { -60.0 / slope } else { about_s }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_room_falls_asleep_when_it_is_silent_and_answers_then_as_it_did_at_first() {
        let make = RoomMake { volume_m3: 60.0, t60_s: [0.2; BANDS], air: Air::default() };
        let mut room = Room::new(&make, 2, 48_000.0);
        assert!(room.is_asleep());
        // Blocks of 32 and of 19: a clap, silence for 3 s, the same clap.
        let mut played = |ticks: usize| {
            room.hush();
            let (mut first, mut second, mut slept) = (Vec::new(), Vec::new(), 0);
            for (round, list) in [&mut first, &mut second].into_iter().enumerate() {
                for block in 0..150_000 / ticks {
                    let mut heard = [[0.0; CONTROL_TICKS]; 2];
                    if block == 0 {
                        (heard[0][3], heard[1][7]) = (1.0, -0.5);
                    }
                    let mut answer = [[0.0; CONTROL_TICKS]; 2];
                    room.answer(ticks, &heard, &mut answer);
                    slept += usize::from(round == 0 && room.is_asleep());
                    list.extend((0..ticks).map(|i| answer[0][i]));
                }
            }
            (first, second, slept * ticks)
        };
        for ticks in [32, 19] {
            let (first, second, slept) = played(ticks);
            assert!(
                first.iter().any(|x| x.abs() > 1e-3) && (40_000..120_000).contains(&slept),
                "{slept} of 150000 asleep"
            );
            // The same to the last bit while there is something to hear; when it falls asleep is told by the number of the frame.
            assert!(first[..24_000].iter().zip(&second).all(|(a, b)| a == b));
            assert!(first.iter().zip(&second).all(|(a, b)| (a - b).abs() < 1e-13));
            assert_eq!(first[140_000], 0.0);
        }
    }

    #[test]
    fn a_room_answers_with_the_same_bits_whatever_vectors_compute_it() {
        let t60_s = [0.6, 0.5, 0.5, 0.5, 0.45, 0.4, 0.3];
        let play = |path: Path| {
            let mut room = Room::new(&RoomMake { volume_m3: 60.0, t60_s, air: Air::default() }, 2, 48_000.0);
            room.path = path;
            let (mut heard, mut answer, mut all) = ([[0.0; CONTROL_TICKS]; 2], [[0.0; CONTROL_TICKS]; 2], Vec::new());
            (heard[0][0], heard[1][0]) = (1.0, -0.3);
            for _ in 0..600 {
                room.answer(CONTROL_TICKS, &heard, &mut answer);
                (heard[0][0], heard[1][0]) = (0.0, 0.0);
                all.extend(answer);
            }
            all
        };
        let plain = play(Path::Baseline);
        assert!(plain[1199].iter().any(|x| *x != 0.0));
        for path in Path::all() {
            assert!(play(path) == plain, "{path:?}");
        }
    }

    #[test]
    fn the_first_reflection_comes_from_the_nearest_wall_when_its_detour_says() {
        let (all, _) = images(60.0, 0.3, 1, 343.2, 48_000.0);
        assert_eq!(all[0].len(), 6 + 18, "walls, and pairs of them");
        // A box of 6.33 m x 3.91 m x 2.42 m: the floor is 1.11 m below the source and 1.28 m below the listener.
        let unit = 60f64.powf(1.0 / 3.0);
        let (dx, dy) = (0.38 * 1.618_034 * unit, 0.21 * unit);
        let heights = [0.46, 0.53].map(|part| part * 0.618_034 * unit);
        let way = |up: Real| (dx * dx + dy * dy + up * up).sqrt();
        let (direct, floor) = (way(heights[1] - heights[0]), way(heights[1] + heights[0]));
        let first = all[0].iter().min_by_key(|one| one.delay).unwrap();
        let ceiling = way(2.0 * 0.618_034 * unit - heights[0] - heights[1]);
        let nearest = floor.min(ceiling); // [room.5]
        assert!((first.delay as Real - (nearest - direct) / 343.2 * 48_000.0).abs() <= 0.51, "{first:?}");
        assert!((first.gain - 0.7f64.sqrt() * direct / nearest).abs() < 1e-6, "{first:?}");
    }
}
