// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bubble: the sound of air caught in water, alone or by the hundred.
//!
//! **What.** A bubble that has just closed pulsates at a pitch given by its size, dies away by sound and heat, and rises in pitch as
//! it nears the surface.
//!
//! **Law.** t since it closed:
//! - `[bubble.1]  p = a sin(2 pi f (t + s t^2/2)) e^(-d t)`, in Pa at 1 m; its frequency now is f (1 + s t).
//! - `[bubble.2]  f = 3/r` (van den Doel), `f = 3.26/r` (Minnaert, water and air at the surface).
//! - `[bubble.3]  d = 0.043 f + 0.0014 f^1.5`: radiation and heat. `s = xi d`: at 1/d the pitch has risen by the fraction xi.
//! - `[bubble.4]  (1 - e^(-t/t_a))`, `t_a = attack/f`: a bubble does not begin in an instant.
//! - `[bubble.5]  z <- z c, c <- c q; p = (1 - g) Im z, g <- k g`, with `z_0 = a e^(-d t_1 + i phi(t_1))`,
//!   `c_0 = e^(-d h + i w h (1 + s (t_1 + h/2)))`, `q = e^(i w s h^2)`, `k = e^(-h/t_a)`: [bubble.1] exactly, at any rate, from any
//!   moment between two samples. The second product is taken as `c <- c + c (q - 1)`: what is left of rounding then wanders and does not
//!   drift, which keeps ten digits for as long as a bubble lasts.
//!
//! **Symbols.** r radius, a amplitude, xi rise; h the sample interval, t_1 the time from the start to the first sample, w = 2 pi f.
//!
//! **Step.** Eight voices at a time. A voice ends at the first cell after e^(-7); one whose pitch would pass 0.42 of the rate fades in a
//! cell; where all are taken, the quietest gives way, by a residue that fades in half a millisecond.
//!
//! **Sources.** De Sena et al. 2009 section 4.2 (4.1), table 4.1; van den Doel (2005). Errata: the printed phase sin(2 pi f(t) t) rises twice as fast;
//! sigma is the relative rise rate, 1/s, not a density; 3/r wants r in m and is 6 to 8 % below the theory.

use super::{Lane, Span};
use crate::math::{Real, TAU, cos, exp, ln, sin};
use crate::resonator::CONTROL_TICKS;
use crate::resonator::kernel::Path;
use crate::signal::{Cell, GRID_S};

/// Smallest bubble, m.
pub const SMALLEST_M: Real = 1.5e-4;
/// Largest bubble, m.
pub const LARGEST_M: Real = 0.15;
/// Most voices of a bank.
pub const MOST_VOICES: usize = 256;
/// Voices of a group.
const LANES: usize = 8;
/// Voices side by side where vectors are narrow: two of each.
const HALF: usize = 4;
/// A voice ends where it has died away by e to this.
const ENDS: Real = 7.0;
/// Highest pitch, as a part of the rate.
const HIGHEST: Real = 0.42;
/// Time in which what is left of a stolen voice fades, s.
const RESIDUE_S: Real = 5e-4;

/// How size makes pitch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BubbleLaw {
    /// 3/r, as in the papers.
    #[default]
    VanDenDoel,
    /// 3.26/r, as measured.
    Minnaert,
}

crate::words!(BubbleLaw { VanDenDoel = "van-den-doel", Minnaert = "minnaert" });

impl BubbleLaw {
    /// Pitch of a bubble of a radius in m, Hz. [bubble.2]
    pub fn freq_hz(self, radius_m: Real) -> Real {
        match self {
            BubbleLaw::VanDenDoel => fault!(BUBBLE_PITCH, 3.0 / radius_m, times 1.05),
            BubbleLaw::Minnaert => 3.26 / radius_m,
        }
    }
}

/// Damping of a bubble of this pitch, 1/s. [bubble.3]
pub fn damping(freq_hz: Real) -> Real {
    fault!(BUBBLE_DAMPING, 0.043 * freq_hz + 0.0014 * freq_hz * freq_hz.sqrt(), times 0.5)
}

/// One decaying tone whose pitch may rise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tone {
    /// Pa at 1 m
    pub amplitude: Real,
    /// Hz, where it begins
    pub freq_hz: Real,
    /// 1/s
    pub damping: Real,
    /// Relative rise of the pitch, 1/s.
    pub rise_rate: Real,
    /// Time constant of its beginning, s; 0: at once.
    pub attack_s: Real,
}

impl Tone {
    /// A bubble of this radius, m, amplitude, Pa at 1 m, rise xi and attack in periods.
    pub fn bubble(law: BubbleLaw, radius_m: Real, amplitude: Real, rise: Real, attack: Real) -> Self {
        let freq_hz = law.freq_hz(radius_m.clamp(SMALLEST_M, LARGEST_M));
        let damping = damping(freq_hz);
        Self {
            amplitude,
            freq_hz,
            damping,
            rise_rate: fault!(BUBBLE_RISE, rise * damping, 0.0),
            attack_s: attack / freq_hz,
        }
    }

    /// Its sound at a time since it began, Pa. [bubble.1] [bubble.4]
    pub fn at(&self, t: Real) -> Real {
        if t < 0.0 {
            return 0.0;
        }
        let begun = if self.attack_s > 0.0 { 1.0 - exp(-t / self.attack_s) } else { 1.0 };
        let phase = self.freq_hz * (t + 0.5 * self.rise_rate * t * t);
        begun * self.amplitude * exp(-self.damping * t) * sin(TAU * (phase - phase.floor()))
    }

    /// Its energy without the attack, Pa^2 s.
    pub fn energy(&self) -> Real {
        0.25 * self.amplitude * self.amplitude / self.damping
    }
}

type Chunk = [Real; LANES];

/// Eight voices. [bubble.5]
#[derive(Clone, Debug)]
struct Group {
    z: [Chunk; 2],
    c: [Chunk; 2],
    /// q - 1
    q: [Chunk; 2],
    g: Chunk,
    k: Chunk,
    busy: u8,
}

const SILENT: Group = Group {
    z: [[0.0; LANES]; 2],
    c: [[0.0; LANES]; 2],
    q: [[0.0; LANES]; 2],
    g: [0.0; LANES],
    k: [0.0; LANES],
    busy: 0,
};

/// What is known of a voice besides its state.
#[derive(Clone, Copy, Debug)]
struct Voice {
    tone: Tone,
    born_s: Real,
    ends_s: Real,
    log_amplitude: Real,
}

impl Voice {
    /// Logarithm of its amplitude at a time.
    fn level(&self, at_s: Real) -> Real {
        self.log_amplitude - self.tone.damping * (at_s - self.born_s)
    }
}

const NOBODY: Voice = Voice {
    tone: Tone { amplitude: 0.0, freq_hz: 1.0, damping: 1.0, rise_rate: 0.0, attack_s: 0.0 },
    born_s: 0.0,
    ends_s: 0.0,
    log_amplitude: 0.0,
};

/// Sums of a stretch, lane by lane.
type Sums = [Chunk; CONTROL_TICKS];

/// A bank of tones.
#[derive(Clone, Debug)]
pub struct Tones {
    groups: Vec<Group>,
    voices: Vec<Voice>,
    rate_hz: Real,
    path: Path,
    /// What stolen voices left, and its factor per sample.
    residue: Real,
    keep: Real,
    /// Tones that found no voice since the start: quieter than all that sounded.
    left_out: u64,
}

impl Tones {
    /// Silent voices, at most [`MOST_VOICES`]. `[control]`
    pub fn new(voices: usize, rate_hz: Real) -> Self {
        let voices = voices.clamp(1, MOST_VOICES);
        Self {
            groups: vec![SILENT; voices.div_ceil(LANES)],
            voices: vec![NOBODY; voices],
            rate_hz,
            path: Path::all().pop().unwrap_or(Path::Baseline),
            residue: 0.0,
            keep: exp(-1.0 / (RESIDUE_S * rate_hz)),
            left_out: 0,
        }
    }

    /// Voices that sound.
    pub fn alive(&self) -> usize {
        self.groups.iter().map(|group| group.busy.count_ones() as usize).sum()
    }

    /// Tones that found no voice since the start.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// True while one sounds.
    pub fn is_awake(&self) -> bool {
        self.residue != 0.0 || self.groups.iter().any(|group| group.busy != 0)
    }

    /// A new cell: what has died away ends, what is about to pass the highest pitch fades. `[audio]`
    pub fn begin(&mut self, cell: Cell) {
        let (from_s, to_s) = (cell.from_s(), cell.from_s() + GRID_S);
        if self.residue.abs() < 1e-12 {
            self.residue = 0.0;
        }
        let busy = self.groups.iter_mut().zip(self.voices.chunks_mut(LANES)).filter(|(group, _)| group.busy != 0);
        for (group, voices) in busy {
            for (lane, voice) in voices.iter_mut().enumerate() {
                if group.busy & (1 << lane) == 0 {
                    continue;
                }
                if from_s >= voice.ends_s {
                    group.clear(lane);
                    continue;
                }
                let pitch = voice.tone.freq_hz * (1.0 + voice.tone.rise_rate * (to_s - voice.born_s));
                if pitch > HIGHEST * self.rate_hz && voice.ends_s > to_s {
                    let fade = exp(-ENDS / (GRID_S * self.rate_hz));
                    group.c.iter_mut().for_each(|part| part[lane] *= fade);
                    voice.ends_s = to_s;
                }
            }
        }
    }

    /// Begins a tone at a time, s, whose first sample comes `late_s` after it. `[audio]`
    pub fn start(&mut self, tone: Tone, at_s: Real, late_s: Real) {
        let (rate, tone) = (self.rate_hz, tone);
        let sounds = tone.freq_hz < HIGHEST * rate && tone.damping > 0.0 && tone.amplitude.abs() > 0.0;
        if !sounds {
            return;
        }
        let log_amplitude = ln(tone.amplitude.abs());
        let Some(number) = self.lane_for(at_s, log_amplitude) else {
            self.left_out += 1;
            return;
        };
        let (h, t1) = (1.0 / rate, late_s);
        let (w, d) = (TAU * tone.freq_hz, tone.damping);
        let s = tone.rise_rate;
        let polar = |log: Real, angle: Real| {
            let size = exp(log);
            [size * cos(angle), size * sin(angle)]
        };
        let [zr, zi] = polar(-d * t1, w * (t1 + 0.5 * s * t1 * t1));
        let c = polar(-d * h, w * h * (1.0 + s * (t1 + 0.5 * h)));
        // q - 1, to all its digits.
        let turn = w * s * h * h;
        let half = sin(0.5 * turn);
        let q = [-2.0 * half * half, sin(turn)];
        let (group, lane) = (&mut self.groups[number / LANES], number % LANES);
        if group.busy & (1 << lane) != 0 {
            self.residue += (1.0 - group.g[lane]) * group.z[1][lane];
        }
        (group.z[0][lane], group.z[1][lane]) = (tone.amplitude * zr, tone.amplitude * zi);
        (group.c[0][lane], group.c[1][lane]) = (c[0], c[1]);
        (group.q[0][lane], group.q[1][lane]) = (q[0], q[1]);
        let attack = tone.attack_s > 0.0;
        group.g[lane] = if attack { exp(-t1 / tone.attack_s) } else { 0.0 };
        group.k[lane] = if attack { exp(-h / tone.attack_s) } else { 0.0 };
        group.busy |= 1 << lane;
        self.voices[number] = Voice { tone, born_s: at_s, ends_s: at_s + ENDS / d, log_amplitude };
    }

    /// A free voice, or the quietest if it is quieter than what comes.
    fn lane_for(&self, at_s: Real, log_amplitude: Real) -> Option<usize> {
        // Only the last group may have lanes that are no voices; they come after those that are.
        let free = self.groups.iter().position(|group| group.busy != u8::MAX);
        let lane = free.map(|group| group * LANES + self.groups[group].busy.trailing_ones() as usize);
        if let Some(lane) = lane.filter(|lane| *lane < self.voices.len()) {
            return Some(lane);
        }
        let (mut quietest, mut least) = (None, log_amplitude);
        for (number, voice) in self.voices.iter().enumerate() {
            if voice.level(at_s) < least {
                (quietest, least) = (Some(number), voice.level(at_s));
            }
        }
        quietest
    }

    /// Adds samples `from..to` of a stretch to lane sums. `[audio]`
    pub(super) fn run(&mut self, sums: &mut Sums, residues: &mut Lane, from: usize, to: usize) {
        match self.path {
            // SAFETY: these paths are only made by `Path::all` after the CPU said what it has.
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 => unsafe { advance_avx2(&mut self.groups, &mut sums[from..to]) },
            #[cfg(target_arch = "x86_64")]
            Path::Avx512 => unsafe { advance_avx512(&mut self.groups, &mut sums[from..to]) },
            _ => advance::<HALF>(&mut self.groups, &mut sums[from..to]),
        }
        if self.residue != 0.0 {
            for cell in &mut residues[from..to] {
                *cell += self.residue;
                self.residue *= self.keep;
            }
        }
    }

    /// Adds a stretch in which nothing begins. `[audio]`
    pub fn render(&mut self, span: Span, sound: &mut Lane) {
        let mut sums = [[0.0; LANES]; CONTROL_TICKS];
        self.run(&mut sums, sound, 0, span.ticks);
        join(&sums, &mut sound[..span.ticks]);
    }

    /// Silence. `[audio]`
    pub fn reset(&mut self) {
        self.groups.fill(SILENT);
        self.residue = 0.0;
    }
}

impl Group {
    fn clear(&mut self, lane: usize) {
        for part in self.z.iter_mut().chain(&mut self.c).chain(&mut self.q).chain([&mut self.g, &mut self.k]) {
            part[lane] = 0.0;
        }
        self.busy &= !(1 << lane);
    }
}

/// Zero sums of a stretch.
pub(super) const NOTHING: Sums = [[0.0; LANES]; CONTROL_TICKS];

/// Adds lane sums to samples, always in this order.
pub(super) fn join(sums: &[Chunk], sound: &mut [Real]) {
    for (out, s) in sound.iter_mut().zip(sums) {
        *out += ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
    }
}

/// [bubble.5], so many voices side by side.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "a lane is an index: the same one in every operand")]
fn advance<const N: usize>(groups: &mut [Group], sums: &mut [Chunk]) {
    for group in groups.iter_mut().filter(|group| group.busy != 0) {
        for first in (0..LANES).step_by(N) {
            let part = |chunk: &Chunk| -> [Real; N] { core::array::from_fn(|l| chunk[first + l]) };
            let ([mut zr, mut zi], [mut cr, mut ci]) = (group.z.each_ref().map(part), group.c.each_ref().map(part));
            let ([qr, qi], mut g, k) = (group.q.each_ref().map(part), part(&group.g), part(&group.k));
            for sum in sums.iter_mut() {
                let sum = &mut sum[first..first + N];
                for l in 0..N {
                    sum[l] += (1.0 - g[l]) * zi[l];
                    g[l] *= k[l];
                    let (a, b) = (zr[l], zi[l]);
                    zr[l] = a * cr[l] - b * ci[l];
                    zi[l] = a * ci[l] + b * cr[l];
                    let (a, b) = (cr[l], ci[l]);
                    cr[l] = a + (a * qr[l] - b * qi[l]);
                    ci[l] = b + (a * qi[l] + b * qr[l]);
                }
            }
            for l in 0..N {
                (group.z[0][first + l], group.z[1][first + l]) = (zr[l], zi[l]);
                (group.c[0][first + l], group.c[1][first + l]) = (cr[l], ci[l]);
                group.g[first + l] = g[l];
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn advance_avx2(groups: &mut [Group], sums: &mut [Chunk]) {
    // Two vectors of each: what one waits for, the other computes.
    advance::<LANES>(groups, sums);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn advance_avx512(groups: &mut [Group], sums: &mut [Chunk]) {
    advance::<LANES>(groups, sums);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples of one tone that begins at a time.
    fn play(path: Path, tone: Tone, at_s: Real, rate_hz: Real, count: usize) -> Vec<Real> {
        let mut tones = Tones::new(64, rate_hz);
        tones.path = path;
        let first = (at_s * rate_hz).ceil();
        let mut out = vec![0.0; first as usize];
        tones.start(tone, at_s, (first - at_s * rate_hz) / rate_hz);
        while out.len() < count {
            let mut lane = [0.0; CONTROL_TICKS];
            tones.render(Span { tick: out.len() as u64, ticks: CONTROL_TICKS, rate_hz }, &mut lane);
            out.extend(lane);
        }
        out
    }

    #[test]
    fn a_bubble_is_its_closed_form_at_five_rates_from_any_moment_between_two_samples() {
        for rate_hz in [8_000.0, 44_100.0, 48_000.0, 96_000.0, 192_000.0] {
            for law in [BubbleLaw::VanDenDoel, BubbleLaw::Minnaert] {
                for (radius, rise, attack) in
                    [(2e-3, 0.1, 0.0), (5e-3, 0.2, 0.35), (3e-3, 0.0, 1.2), (15e-3, 0.1, 0.35)]
                {
                    let tone = Tone::bubble(law, radius, 0.7, rise, attack);
                    for at_s in [0.0, 0.000_123_4, 0.001_000_01] {
                        let count = (rate_hz * (at_s + 7.0 / tone.damping)) as usize;
                        let heard = play(Path::Baseline, tone, at_s, rate_hz, count);
                        for (i, x) in heard[..count].iter().enumerate() {
                            let wanted = tone.at(i as Real / rate_hz - at_s);
                            assert!((x - wanted).abs() < 1e-10, "{rate_hz} Hz, {radius} m, sample {i}: {x} {wanted}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_bubble_has_the_same_bits_whatever_vectors_compute_it() {
        let tone = Tone::bubble(BubbleLaw::VanDenDoel, 1e-3, 1.0, 0.3, 0.35);
        let plain = play(Path::Baseline, tone, 1e-4, 48_000.0, 960);
        for path in Path::all() {
            assert!(play(path, tone, 1e-4, 48_000.0, 960) == plain, "{path:?}");
        }
    }

    #[test]
    fn the_table_of_pitches_and_dampings_is_the_one_that_theory_was_compared_with() {
        // r in mm, f = 3/r, d, slope f s at xi = 0.1.
        for (mm, freq_hz, d, slope) in [
            (0.15, 20000.0, 4819.8, 9.640e6),
            (0.5, 6000.0, 908.66, 5.4520e5),
            (1.0, 3000.0, 359.04, 1.07713e5),
            (2.0, 1500.0, 145.83, 21874.9),
            (5.0, 600.0, 46.376, 2782.5),
            (15.0, 200.0, 12.560, 251.2),
        ] {
            let tone = Tone::bubble(BubbleLaw::VanDenDoel, mm * 1e-3, 1.0, 0.1, 0.0);
            let got = [tone.freq_hz, tone.damping, tone.freq_hz * tone.rise_rate];
            for (got, wanted) in got.into_iter().zip([freq_hz, d, slope]) {
                assert!((got / wanted - 1.0).abs() < 2e-4, "{mm} mm: {got} {wanted}");
            }
        }
    }

    #[test]
    fn the_quietest_voice_gives_way_without_a_step_and_a_quieter_tone_is_left_out() {
        let mut tones = Tones::new(8, 48_000.0);
        for i in 0..8 {
            let amplitude = if i == 5 { 0.01 } else { 1.0 };
            tones.start(Tone::bubble(BubbleLaw::VanDenDoel, 10e-3, amplitude, 0.0, 0.0), 0.0, 0.0);
        }
        tones.start(Tone::bubble(BubbleLaw::VanDenDoel, 9e-3, 0.001, 0.0, 0.0), 0.0, 0.0);
        assert_eq!((tones.alive(), tones.left_out()), (8, 1));
        let mut lane = [0.0; CONTROL_TICKS];
        tones.render(Span { tick: 0, ticks: 32, rate_hz: 48_000.0 }, &mut lane);
        let at_s = 32.0 / 48_000.0;
        tones.start(Tone::bubble(BubbleLaw::VanDenDoel, 9e-3, 0.5, 0.0, 0.0), at_s, 0.0);
        assert!((tones.voices[5].tone.amplitude, tones.residue != 0.0) == (0.5, true));
        let residue = 0.01 * Tone::bubble(BubbleLaw::VanDenDoel, 10e-3, 1.0, 0.0, 0.0).at(at_s);
        assert!((tones.residue - residue).abs() < 1e-12);
    }

    #[test]
    fn never_more_voices_sound_than_were_asked_for() {
        for voices in [1, 5, 8, 13] {
            let mut tones = Tones::new(voices, 48_000.0);
            for i in 0..30 {
                tones.start(Tone::bubble(BubbleLaw::VanDenDoel, 10e-3, 1.0 + 0.1 * Real::from(i), 0.0, 0.0), 0.0, 0.0);
            }
            assert_eq!(tones.alive(), voices);
        }
    }

    #[test]
    fn a_bubble_that_rises_past_the_highest_pitch_fades_in_a_millisecond() {
        let tone = Tone::bubble(BubbleLaw::VanDenDoel, 1e-3, 1.0, 3.0, 0.0);
        let mut tones = Tones::new(8, 16_000.0);
        tones.start(tone, 0.0, 0.0);
        let mut all = Vec::new();
        for index in 0..20 {
            tones.begin(Cell { index, from: 0.0, to: 0.0 });
            let mut lane = [0.0; CONTROL_TICKS];
            tones.render(Span { tick: 16 * index, ticks: 16, rate_hz: 16_000.0 }, &mut lane);
            all.extend(lane[..16].to_vec());
        }
        // 3 kHz rises by 3 d = 1077 1/s: 6.72 kHz at 1.15 ms. It would ring for 19 ms.
        assert!(all[10].abs() > 1e-3 && all[48..].iter().all(|x| *x == 0.0) && !tones.is_awake());
    }
}
