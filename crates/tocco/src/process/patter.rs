// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patter: the short noise of water that meets something.
//!
//! **What.** A drop on a leaf, a splash's first instant, a piece of ice that gives way: noise that dies away in a millisecond or ten, in
//! two broad bands whose place says how large the thing is.
//!
//! **Law.** t since it began, n a normal number drawn once:
//! - `[patter.1]  f_1 = clip(k/R, 350, 7000) e^(0.15 n)`, `B_1 = 0.45 f_1`; `f_2 = 2.7 f_1`, `B_2 = 0.9 f_1`, gain 0.6: what is large
//!   sounds low.
//! - `[patter.2]  tau = decay sqrt(R/3 mm)`, the second band 0.7 of it.
//! - `[patter.3]  z <- z r e^(i w) + sqrt(1 - r^2) e^(-t/tau) x`, `r = e^(-pi B/fs)`, x white of variance 1; out `g Im z`: a band whose
//!   level does not depend on the rate.
//! - `[patter.4]  w = 2 pi f (1 + v t)/fs`, v = -6 1/s and -9 1/s: both bands sink a little.
//!
//! **Symbols.** R radius of what lands, k a speed, 13 m/s for drops, 16 m/s for a large splash, 9 to 12 m/s for rain and feet.
//!
//! **Step.** By the sample; each voice has its own noise, seeded when it begins. It ends at the first cell after eight decays.
//!
//! **Sources.** De Sena et al. 2009 section 4.3.2 asks for one or two filters hit by an impulse: that is a ping (erratum); the noise is ours, its
//! constants were set by the flatness of recorded splashes.

use super::bed::Bed;
use super::water::{Birth, Sound, Water};
use super::{Arrivals, Event, Lane, Process, Span, Triggered};
use crate::math::{PI, Real, TAU, cos, exp, pow, sin};
use crate::param::{Params, Rate, Scale, Spec, Tunable};
use crate::rng::Rng;
use crate::signal::Cell;

/// Most hits that sound at once.
pub const MOST_HITS: usize = 64;

/// One band of a hit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Formant {
    /// Hz
    pub freq_hz: Real,
    /// Hz
    pub bandwidth_hz: Real,
    /// Factor.
    pub gain: Real,
    /// Time to 1/e, s.
    pub decay_s: Real,
    /// Relative rate of change of its frequency, 1/s.
    pub glide: Real,
}

/// A short noise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hit {
    /// Pa at 1 m
    pub amplitude: Real,
    /// Its bands.
    pub formants: [Formant; 2],
    /// Of its noise.
    pub seed: u64,
}

impl Hit {
    /// Something of a radius, m, lands; `speed` is k, m/s, `decay_s` that of a radius of 3 mm. [patter.1] [patter.2]
    pub fn landing(radius_m: Real, amplitude: Real, speed: Real, decay_s: Real, rng: &mut Rng) -> Self {
        let freq_hz = (speed / radius_m).clamp(350.0, 7000.0) * exp(0.15 * rng.normal());
        let decay_s = fault!(PATTER_DECAY, decay_s, times 8.0) * (radius_m / 3e-3).sqrt();
        let first = Formant { freq_hz, bandwidth_hz: 0.45 * freq_hz, gain: 1.0, decay_s, glide: -6.0 };
        let second = Formant {
            freq_hz: fault!(PATTER_BANDS, 2.7, 1.5) * freq_hz,
            bandwidth_hz: 0.9 * freq_hz,
            gain: 0.6,
            decay_s: 0.7 * decay_s,
            glide: -9.0,
        };
        Self { amplitude, formants: [first, second], seed: rng.bits() }
    }
}

/// One band as it sounds. [patter.3]
#[derive(Clone, Copy, Debug, Default)]
struct Band {
    z: [Real; 2],
    c: [Real; 2],
    q: [Real; 2],
    push: Real,
    keep: Real,
}

impl Band {
    /// False for one that was never tuned.
    fn is_there(&self) -> bool {
        self.keep != 0.0
    }

    #[inline(always)]
    fn step(&mut self, x: Real) -> Real {
        let ([a, b], [c, s], [u, v]) = (self.z, self.c, self.q);
        self.z = [a * c - b * s + self.push * x, a * s + b * c];
        self.c = [c * u - s * v, c * v + s * u];
        self.push *= self.keep;
        self.z[1]
    }
}

#[derive(Clone, Copy, Debug)]
struct Voice {
    bands: [Band; 2],
    noise: u64,
    amplitude: Real,
    decay_s: Real,
    born_s: Real,
    ends_s: Real,
}

/// Hits that sound.
#[derive(Clone, Debug)]
pub struct Hits {
    voices: Vec<Option<Voice>>,
    /// A bit for each that sounds.
    busy: u64,
    rate_hz: Real,
}

/// The numbers of the bits that are set, lowest first.
fn bits(mut of: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let lowest = (of != 0).then(|| of.trailing_zeros() as usize)?;
        of &= of - 1;
        Some(lowest)
    })
}

impl Hits {
    /// Silent voices, at most [`MOST_HITS`]. `[control]`
    pub fn new(voices: usize, rate_hz: Real) -> Self {
        Self { voices: vec![None; voices.clamp(1, MOST_HITS)], busy: 0, rate_hz }
    }

    /// True while one sounds.
    pub fn is_awake(&self) -> bool {
        self.busy != 0
    }

    /// A new cell: what has died away ends. `[audio]`
    pub fn begin(&mut self, cell: Cell) {
        for index in bits(self.busy) {
            if self.voices[index].take_if(|voice| cell.from_s() >= voice.ends_s).is_some() {
                self.busy &= !(1 << index);
            }
        }
    }

    /// Begins a hit at a time, s, whose first sample comes `late_s` after it; the quietest gives way where all are taken. `[audio]`
    pub fn start(&mut self, hit: &Hit, at_s: Real, late_s: Real) {
        let (h, t1) = (1.0 / self.rate_hz, late_s);
        let (mut bands, mut ends_s, mut longest) = ([Band::default(); 2], at_s, 0.0);
        for (band, formant) in bands.iter_mut().zip(&hit.formants) {
            if formant.freq_hz <= 0.0 || formant.freq_hz > 0.45 * self.rate_hz || formant.decay_s <= 0.0 {
                continue;
            }
            let r = exp(-PI * formant.bandwidth_hz * h);
            let w = TAU * formant.freq_hz * h; // [patter.4]
            let turn = w * formant.glide * h;
            *band = Band {
                z: [0.0; 2],
                c: [r * cos(w), r * sin(w)],
                q: [cos(turn), sin(turn)],
                push: hit.amplitude * formant.gain * (1.0 - r * r).sqrt() * exp(-t1 / formant.decay_s),
                keep: exp(-h / formant.decay_s),
            };
            ends_s = ends_s.max(at_s + 8.0 * formant.decay_s + 2.5 / formant.bandwidth_hz);
            longest = formant.decay_s.max(longest);
        }
        if longest == 0.0 || hit.amplitude == 0.0 {
            return;
        }
        let level = |voice: &Voice| voice.amplitude.abs() * exp(-(at_s - voice.born_s).max(0.0) / voice.decay_s);
        let free = self.busy.trailing_ones() as usize;
        let mut place = (free < self.voices.len()).then_some(free);
        if place.is_none() {
            let mut least = hit.amplitude.abs();
            for (index, voice) in self.voices.iter().enumerate() {
                let own = voice.as_ref().map_or(-1.0, level);
                if own < least {
                    (place, least) = (Some(index), own);
                }
            }
        }
        if let Some(index) = place {
            self.busy |= 1 << index;
            let voice =
                Voice { bands, noise: hit.seed, amplitude: hit.amplitude, decay_s: longest, born_s: at_s, ends_s };
            self.voices[index] = Some(voice);
        }
    }

    /// Adds samples `from..to` of a stretch. `[audio]`
    pub fn run(&mut self, sound: &mut Lane, from: usize, to: usize) {
        for index in bits(self.busy) {
            let Some(Voice { bands: [first, second], noise, .. }) = &mut self.voices[index] else { continue };
            let sound = &mut sound[from..to];
            match (first.is_there(), second.is_there()) {
                (true, true) => sound.iter_mut().for_each(|out| {
                    let x = white(noise);
                    *out += first.step(x);
                    *out += second.step(x);
                }),
                (true, false) => sound.iter_mut().for_each(|out| *out += first.step(white(noise))),
                (false, _) => sound.iter_mut().for_each(|out| *out += second.step(white(noise))),
            }
        }
    }

    /// Silence. `[audio]`
    pub fn reset(&mut self) {
        self.voices.fill(None);
        self.busy = 0;
    }
}

/// White noise of variance 1 from a counter: the sum of four uniform numbers of 16 bits.
#[inline]
fn white(state: &mut u64) -> Real {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    let sum = (z & 0xffff) + ((z >> 16) & 0xffff) + ((z >> 32) & 0xffff) + (z >> 48);
    (sum as Real - 131_070.0) * 2.642_899_792_130_301_4e-5
}

crate::params! {
    /// Parameters of patter.
    pub struct PatterParams {
        rate_hz: "1/s", 0.0 => 2e4, default 100.0, Log, Control, glide 0.02, "Landings in a second where the signal is 1.";
        smallest_m: "m", 1e-4 => 1.0, default 1e-3, Log, Control, glide 0.02, "Radius of the smallest thing that lands.";
        largest_m: "m", 1e-4 => 1.0, default 3e-3, Log, Control, glide 0.02, "Radius of the largest.";
        size_exponent: "1", 0.0 => 6.0, default 2.0, Linear, Control, glide 0.02, "How much rarer large ones are: their density falls with radius to this power.";
        amplitude_exponent: "1", 0.0 => 4.0, default 1.5, Linear, Control, glide 0.02, "How much louder large ones are: amplitude grows with radius to this power.";
        speed_m_s: "m/s", 0.1 => 1e3, default 13.0, Log, Control, glide 0.02, "Pitch of the noise times radius: 13 for drops, 16 for large splashes, 9 to 12 for rain and feet.";
        decay_s: "s", 1e-5 => 1.0, default 1.2e-3, Log, Control, glide 0.02, "Time to 1/e of a landing of radius 3 mm; it grows with the root of the radius.";
        spread_db: "dB", 0.0 => 40.0, default 4.0, Linear, Control, glide 0.02, "Standard deviation of levels.";
        bed: "1", 0.0 => 100.0, default 0.0, Linear, Control, glide 0.02, "Level of the bed of landings too many to tell apart, over that of the others; 0: none.";
        bed_low_hz: "Hz", 1.0 => 2e4, default 1200.0, Log, Control, glide 0.02, "Lower end of the bed.";
        bed_high_hz: "Hz", 1.0 => 1.92e5, default 8000.0, Log, Control, glide 0.02, "Upper end of the bed.";
        gain: "Pa", 0.0 => 1e6, default 0.05, Log, Control, glide 0.02, "Level: amplitude at 1 m of a landing of radius 2 mm.";
    }
}

/// What a trigger of patter says.
pub const PATTER_TRIGGER: &[Spec] = &[
    value("radius_m", "m", [1e-4, 1.0], 2e-3, Scale::Log, "Radius of what lands."),
    value("amplitude_pa", "Pa", [0.0, 1e6], 0.05, Scale::Log, "Amplitude at 1 m."),
    value("speed_m_s", "m/s", [0.1, 1e3], 13.0, Scale::Log, "Pitch of the noise times radius."),
    value("decay_s", "s", [1e-5, 1.0], 1.2e-3, Scale::Log, "Time to 1/e at radius 3 mm."),
    DELAY,
];

/// How much later than its tick a trigger sounds.
pub const DELAY: Spec = value("delay_s", "s", [0.0, 60.0], 0.0, Scale::Linear, "How much later it happens.");

/// A value of a trigger.
pub const fn value(
    id: &'static str,
    unit: &'static str,
    range: [Real; 2],
    default: Real,
    scale: Scale,
    doc: &'static str,
) -> Spec {
    let [min, max] = range;
    Spec { id, unit, min, max, default, scale, rate: Rate::Control, glide_s: 0.0, doc }
}

/// Landings.
#[derive(Clone)]
pub struct Patter {
    params: PatterParams,
    water: Water,
    bed: Bed,
    arrivals: Arrivals,
    rng: Rng,
}

impl Patter {
    /// Patter with its random streams. `[control]`
    pub fn new(params: PatterParams, rate_hz: Real, rng: impl Fn(&str) -> Rng) -> Self {
        Self {
            params,
            water: Water::new(8, MOST_HITS, rate_hz),
            bed: Bed::new(&[[params.bed_low_hz, params.bed_high_hz, 1.0]], rate_hz, rng("bed")),
            arrivals: Arrivals::new(rng("times")),
            rng: rng("sizes"),
        }
    }

    /// Mean energy of one landing, Pa^2 s: noise of variance 1/2 in two bands, e^(-2 t/tau).
    fn energy(&self) -> Real {
        let p = &self.params;
        let own = |radius: Real| {
            let amplitude = p.gain * pow(radius / 2e-3, p.amplitude_exponent);
            let decay_s = p.decay_s * (radius / 3e-3).sqrt();
            0.25 * amplitude * amplitude * decay_s * (1.0 + 0.36 * 0.7)
        };
        let spread = p.spread_db / 8.685_889_638;
        exp(2.0 * spread * spread) * mean_over_sizes(p.size_exponent, [p.smallest_m, p.largest_m], own)
    }
}

/// The radius of a uniform number u, for a density that falls with the radius to the power `beta`. [water.2]
pub fn radius_of(beta: Real, [small, large]: [Real; 2], u: Real) -> Real {
    let large = large.max(small);
    let b = 1.0 - beta;
    if b.abs() < 1e-6 {
        return small * pow(large / small, u);
    }
    let (low, high) = (pow(small, b), pow(large, b));
    pow(low + u * (high - low), 1.0 / b).clamp(small, large)
}

/// The mean of something over the radii of a population.
pub fn mean_over_sizes(beta: Real, range: [Real; 2], of: impl Fn(Real) -> Real) -> Real {
    const POINTS: usize = 48;
    (0..POINTS).map(|i| of(radius_of(beta, range, (i as Real + 0.5) / POINTS as Real))).sum::<Real>() / POINTS as Real
}

impl Tunable for Patter {
    fn specs(&self) -> &'static [Spec] {
        PatterParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.put(index, value);
        self.bed.retune(0, self.params.bed_low_hz, self.params.bed_high_hz);
    }
}

impl Process for Patter {
    fn enter(&mut self, cell: Cell) -> u64 {
        self.water.begin(cell);
        let p = self.params;
        let rate = p.rate_hz * 0.5 * (cell.from + cell.to).max(0.0);
        let Self { arrivals, rng, water, .. } = self;
        let beyond = arrivals.draw(cell, rate, |at_s| {
            let radius = radius_of(p.size_exponent, [p.smallest_m, p.largest_m], rng.unit());
            let level = p.gain * pow(10.0, p.spread_db * rng.normal() / 20.0);
            let amplitude = level * pow(radius / 2e-3, p.amplitude_exponent);
            let hit = Hit::landing(radius, amplitude, p.speed_m_s, p.decay_s, rng);
            water.add(Birth { at_s, sound: Sound::Hit(hit) })
        });
        let level = if p.bed > 0.0 && rate > 0.0 { p.bed * (rate * self.energy()).sqrt() } else { 0.0 };
        self.bed.enter(cell, [level, 0.0], 1200.0);
        self.water.settle();
        beyond
    }

    fn events(&self) -> &[Event] {
        self.water.events()
    }

    fn trigger(&mut self, at_s: Real, values: &[Real]) -> Triggered {
        let &[radius, amplitude, speed, decay_s, delay_s, ..] = values else { return Triggered::Refused };
        let hit = Hit::landing(radius, amplitude, speed, decay_s, &mut self.rng);
        self.water.trigger(Birth { at_s: at_s + delay_s, sound: Sound::Hit(hit) })
    }

    fn render(&mut self, span: Span, _forces: &mut [Lane], sound: &mut Lane) {
        self.water.render(span, sound);
        self.bed.render(span, sound);
    }

    fn is_awake(&self) -> bool {
        self.water.is_awake() || self.bed.is_awake()
    }

    fn heard_until_s(&self) -> Real {
        self.water.heard_until_s().max(self.bed.heard_until_s())
    }

    fn reset(&mut self) {
        self.water.reset();
        self.bed.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bands_of_a_landing_lie_where_its_size_puts_them() {
        // k/R within 350 to 7000 Hz, times e^(0.15 n); the second 2.7 times as high, twice as wide.
        let mut rng = Rng::new(8, "bands");
        for (radius, middle) in [(8e-3, 1625.0), (1e-3, 7000.0), (0.1, 350.0)] {
            let (mut sum, runs) = (0.0, 2000);
            for _ in 0..runs {
                let [first, second] = Hit::landing(radius, 0.5, 13.0, 4e-3, &mut rng).formants;
                sum += crate::math::ln(first.freq_hz / middle) / Real::from(runs);
                assert!((second.freq_hz / first.freq_hz - 2.7).abs() < 1e-12);
                assert!((second.bandwidth_hz / first.bandwidth_hz - 2.0).abs() < 1e-12);
            }
            assert!(sum.abs() < 0.015, "{radius} m: {sum}");
        }
    }

    #[test]
    fn a_landing_is_as_loud_as_its_closed_form_at_every_rate() {
        for rate_hz in [32_000.0, 48_000.0, 96_000.0] {
            let (mut sum, runs) = (0.0, 400);
            let mut rng = Rng::new(8, "landings");
            for _ in 0..runs {
                let hit = Hit::landing(8e-3, 0.5, 13.0, 4e-3, &mut rng);
                let mut hits = Hits::new(4, rate_hz);
                hits.start(&hit, 0.0, 0.3 / rate_hz);
                for _ in 0..(0.08 * rate_hz) as usize / 32 {
                    let mut lane = [0.0; 32];
                    hits.run(&mut lane, 0, 32);
                    sum += lane.iter().map(|x| x * x).sum::<Real>() / rate_hz;
                }
            }
            // Noise of variance 1/2 in each band under e^(-2 t/tau): a^2 (tau + 0.36 0.7 tau)/4, tau = 4 ms sqrt(8/3).
            let tau = 4e-3 * (8.0_f64 / 3.0).sqrt();
            let wanted = 0.25 * 0.25 * tau * (1.0 + 0.36 * 0.7);
            let mean = sum / Real::from(runs);
            assert!((mean / wanted - 1.0).abs() < 0.08, "{rate_hz} Hz: {mean} {wanted}");
        }
    }
}
