// SPDX-License-Identifier: MIT OR Apache-2.0
//! Particles: many small things that collide inside or under something (PhISEM, in seconds).
//!
//! **What.** A maraca, gravel, leaves, coins in a purse. Shaking or crushing feeds an energy that dies away; collisions come at
//! random, the more the more there is; each is a grain of noise through resonances, or a hit on a body.
//!
//! **Law.** R the signal, c its crush rate [process.1], T = 1 ms:
//! - `[particles.1]  E <- a E + (1 - a) tau c/crush`, `a = exp(-T/tau)`, at most 4; crush 0.05 s is a scale only. Exact for a
//!   crush rate that is held; c may rise slowly before (`rise_s`, one pole).
//! - `[particles.2]  tau = system_decay max(0.05, 1 + force_to_decay (R - 0.5))`
//! - `[particles.3]  lambda = N collisions E^rate_exponent` where E > energy_min, else 0: events by [process.2].
//! - `[particles.4]  A = E^energy_exponent 10^(spread xi/20)/sqrt(N)`, xi normal.
//! - `[particles.5]  S <- r S + sum A`, `r = exp(-h/tau_S)`, `tau_S = sound_decay max(0.1, 1 + force_to_sound (R - 0.5))`
//! - `[particles.6]  x = S w`, w white with variance fs/44100: the same power density at every rate.
//! - `[particles.7]  y = gain sum_r g_r sqrt(1000/B_r) BP_r x`
//! - `[particles.8]  BP = b (1 - z^-2)/(1 + a1/z + a2/z^2)`, `t = tan(pi B/fs)`, `b = t/(1 + t)`, `a1 = -2 cos(2 pi f/fs)/(1 + t)`,
//!   `a2 = (1 - t)/(1 + t)`: peak gain 1 at f, 3 dB down over B exactly; white noise keeps exactly b of its variance.
//! - `[particles.10]  y -> L y`: two poles by Butterworth at `lowpass_hz` [crossover.1], where it is asked for: the ground, not the grain.
//! - `[particles.9]  J = impulse A sqrt(N)`: on bodies, the hit of a collision, at a port drawn for each.
//!
//! **Symbols.** N `objects`; fs the rate, h = 1/fs; f `freq_hz`, B `bandwidth_hz`, g `gain` of a resonance.
//!
//! **Step.** [particles.1] to [particles.4] once a cell, the rest by the sample. Its own sound is what one would hear, Pa at 1 m.
//! Cook's model has its constants per sample (twice the rate makes another gravel) and rate_exponent 0.
//!
//! **Sources.** Cook (1997) as used in De Sena et al. 2009 sections 3.3, 3.4; errata: constants per second; crushing, not load, makes
//! sound where the signal is a force.

use super::{Arrivals, Crush, Event, Events, Hitter, Lane, PULSES, Process, Span, UNHEARD, near_normal};
use crate::math::{PI, Real, TAU, cos, exp, pow, tan};
use crate::output::crossover::TwoPole;
use crate::param::{Params, Spec, Tunable};
use crate::resonator::CONTROL_TICKS;
use crate::rng::Rng;
use crate::signal::{Cell, GRID_S};

crate::params! {
    /// Parameters of particles.
    pub struct ParticlesParams {
        objects: "1", 1.0 => 1e5, default 32.0, Log, Control, glide 0.02, "How many there are: more collide more often and each is softer.";
        collisions_hz: "1/s", 0.0 => 1e4, default 12.0, Linear, Control, glide 0.02, "Collisions of one object in a second at energy 1.";
        system_decay_s: "s", 1e-3 => 100.0, default 0.05, Log, Control, glide 0.02, "Time in which the energy of all falls to 1/e.";
        sound_decay_s: "s", 1e-5 => 10.0, default 0.002, Log, Control, glide 0.02, "Time in which the sound of a collision falls to 1/e.";
        load: "1", 0.0 => 1e6, default 1.0, Linear, Control, glide 0.02, "Crushing per rise of the signal.";
        unload: "1", 0.0 => 1e6, default 0.0, Linear, Control, glide 0.02, "Crushing per fall of the signal.";
        level: "1/s", 0.0 => 1e6, default 0.0, Linear, Control, glide 0.02, "Crushing per second while the signal is 1: for envelopes and shaking.";
        rise_s: "s", 0.0 => 10.0, default 0.0, Linear, Control, glide 0.02, "Time constant with which crushing begins: sand and mud give way slowly.";
        energy_min: "1", 0.0 => 4.0, default 0.001, Linear, Control, glide 0.02, "Energy below which nothing collides.";
        rate_exponent: "1", 0.0 => 4.0, default 0.0, Linear, Control, glide 0.02, "How much more often they collide the more energy there is: rate goes with energy to this power.";
        energy_exponent: "1", 0.0 => 4.0, default 1.0, Linear, Control, glide 0.02, "How much louder they collide: amplitude goes with energy to this power.";
        spread_db: "dB", 0.0 => 40.0, default 0.0, Linear, Control, glide 0.02, "Standard deviation of the level of collisions.";
        force_to_decay: "1", -10.0 => 10.0, default 0.0, Linear, Control, glide 0.02, "How much longer the energy lasts under load: per unit of the signal above 0.5.";
        force_to_sound: "1", -10.0 => 10.0, default 0.0, Linear, Control, glide 0.02, "How much longer a collision sounds under load: per unit of the signal above 0.5.";
        freq_scale: "1", 0.05 => 20.0, default 1.0, Log, Control, glide 0.05, "Factor on all resonances.";
        jitter_01: "1", 0.0 => 1.0, default 0.0, Linear, Control, glide 0.02, "Resonances move with every collision, by up to this part either way.";
        lowpass_hz: "Hz", 20.0 => 192000.0, default 192000.0, Log, Control, glide 0.02, "Above this its own sound falls by 12 dB per octave: what the ground swallows; above 0.45 of the rate: nothing.";
        gain: "Pa", 0.0 => 1e6, default 1.0, Linear, Control, glide 0.02, "Level of its own sound: Pa at 1 m of a collision of amplitude 1 in a band of 1 kHz.";
        impulse_n_s: "N s", 0.0 => 1e3, default 1e-4, Log, Control, glide 0.02, "With bodies to hit: impulse of a collision at energy 1.";
        contact_time_s: "s", 0.0 => 0.1, default 0.0, Linear, Control, glide 0.02, "With bodies to hit: about how long a hit lasts; 0: one sample.";
    }
}

/// Scale of the crush rate, s.
pub const CRUSH_S: Real = 0.05;
/// Most energy.
const ENERGY_MAX: Real = 4.0;
/// Rate at which noise has variance 1, Hz.
const REFERENCE_HZ: Real = 44_100.0;
/// Width at which a resonance has gain 1, Hz.
const REFERENCE_BAND_HZ: Real = 1000.0;
/// Most resonances.
pub const MOST_RESONANCES: usize = 6;

/// One resonance of the sound of a collision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resonance {
    /// Hz
    pub freq_hz: Real,
    /// Distance of the points 3 dB down, Hz.
    pub bandwidth_hz: Real,
    /// Factor.
    pub gain: Real,
}

/// A band-pass. [particles.8]
#[derive(Clone, Copy, Debug, Default)]
pub struct BandPass {
    b: Real,
    a: [Real; 2],
    x: [Real; 2],
    y: [Real; 2],
}

impl BandPass {
    /// Another place, Hz, below half the rate. `[audio]`
    pub fn tune(&mut self, freq_hz: Real, bandwidth_hz: Real, rate_hz: Real) {
        let t = fault!(BAND_WIDTH, tan(PI * (bandwidth_hz / rate_hz).min(0.49)), times 1.2);
        let scale = 1.0 / (1.0 + t);
        self.b = t * scale;
        self.a = [-2.0 * cos(TAU * (freq_hz / rate_hz).min(0.499)) * scale, (1.0 - t) * scale];
    }

    /// The part of white noise's variance that passes.
    pub fn variance_gain(&self) -> Real {
        self.b
    }

    /// As if white noise had always come in: a state drawn from four normal numbers of the noise's own size. [footstep.7]
    /// `[audio]`
    pub fn begin(&mut self, normals: [Real; 4]) {
        let (b, a1) = (self.b, self.a[0]);
        let [x1, x2, n1, n2] = normals;
        // The parts of y that the last two inputs do not tell: their variances and covariance.
        let (second, both) = (b * (1.0 - b), -a1 * b * (0.5 - b));
        let first = (b * (1.0 - b - a1 * a1 * b)).max(0.0);
        let e2 = second.sqrt() * n1;
        let shared = if second > 0.0 { both / second.sqrt() } else { 0.0 };
        let e1 = shared * n1 + (first - shared * shared).max(0.0).sqrt() * n2;
        self.x = [x1, x2];
        self.y = [b * x1 - a1 * b * x2 + e1, b * x2 + e2];
    }

    /// One sample. `[audio]`
    #[inline]
    pub fn step(&mut self, x: Real) -> Real {
        let y = self.b * (x - self.x[1]) - self.a[0] * self.y[0] - self.a[1] * self.y[1];
        (self.x, self.y) = ([x, self.x[0]], [y, self.y[0]]);
        y
    }
}

/// Things that collide.
#[derive(Clone)]
pub struct Particles {
    params: ParticlesParams,
    resonances: Vec<Resonance>,
    filters: Vec<BandPass>,
    gains: Vec<Real>,
    rate_hz: Real,
    arrivals: Arrivals,
    sizes: Rng,
    noise: Rng,
    jitter: Rng,
    events: Events,
    /// Crush rate after its rise, and energy.
    crush: Real,
    energy: Real,
    /// Amplitude of the noise, what an event leaves for the next sample, and its factor per sample.
    sound: Real,
    carry: Real,
    keep: Real,
    /// What that is in seconds.
    decay_s: Real,
    ports: Hitter,
    /// What the ground swallows, and its state.
    low: Option<TwoPole>,
    passed: [Real; 2],
}

impl Particles {
    /// Particles with their random streams, which sound through resonances or hit ports of these
    /// inverse masses, 1/kg. `[control]`
    pub fn new(
        params: ParticlesParams,
        resonances: &[Resonance],
        ports: &[Real],
        rate_hz: Real,
        rng: impl Fn(&str) -> Rng,
    ) -> Self {
        let mut particles = Self {
            params,
            resonances: resonances.to_vec(),
            filters: vec![BandPass::default(); resonances.len()],
            gains: vec![0.0; resonances.len()],
            rate_hz,
            arrivals: Arrivals::new(rng("times")),
            sizes: rng("sizes"),
            noise: rng("noise"),
            jitter: rng("jitter"),
            events: Events::default(),
            crush: 0.0,
            energy: 0.0,
            sound: 0.0,
            carry: 0.0,
            keep: 0.0,
            decay_s: 0.0,
            ports: Hitter::new(ports, params.contact_time_s, rate_hz),
            low: None,
            passed: [0.0; 2],
        };
        particles.tune(1.0);
        particles.tune_ground();
        particles.set_decay(0.5);
        particles
    }

    /// Energy of everything now.
    pub fn energy(&self) -> Real {
        self.energy
    }

    fn tune(&mut self, factor: Real) {
        for ((filter, gain), own) in self.filters.iter_mut().zip(&mut self.gains).zip(&self.resonances) {
            let freq_hz = own.freq_hz * self.params.freq_scale * factor;
            filter.tune(freq_hz, own.bandwidth_hz * self.params.freq_scale, self.rate_hz);
            // Past Nyquist there is nothing to hear.
            let heard = if freq_hz < 0.5 * self.rate_hz { own.gain } else { 0.0 };
            *gain = self.params.gain * heard * (REFERENCE_BAND_HZ / own.bandwidth_hz).sqrt(); // [particles.7]
        }
    }

    fn tune_ground(&mut self) {
        let heard = self.params.lowpass_hz < 0.45 * self.rate_hz;
        self.low = heard.then(|| TwoPole::new(self.params.lowpass_hz, false, self.rate_hz)); // [particles.10]
    }

    fn set_decay(&mut self, signal: Real) {
        let tau = self.params.sound_decay_s * (1.0 + self.params.force_to_sound * (signal - 0.5)).max(0.1);
        self.keep = exp(-1.0 / (self.rate_hz * fault!(GRAIN_DECAY, tau, times 2.0))); // [particles.5]
        self.decay_s = tau;
    }
}

impl Tunable for Particles {
    fn specs(&self) -> &'static [Spec] {
        ParticlesParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.put(index, value);
        self.tune(1.0);
        self.tune_ground();
        self.ports.set(self.params.contact_time_s, self.rate_hz);
    }
}

impl Process for Particles {
    fn enter(&mut self, cell: Cell) -> u64 {
        let p = &self.params;
        let held = 0.5 * (cell.from + cell.to);
        let asked = Crush { load: p.load, unload: p.unload, level: p.level }.rate(cell);
        if asked == 0.0 && self.energy == 0.0 && self.crush < 1e-12 {
            // Nothing moves, and nothing will: what crushing is left would be cut off below.
            self.crush = 0.0;
            self.events.begin(cell);
            if self.is_awake() {
                self.settle();
            }
            return 0;
        }
        let keep = if p.rise_s > 0.0 { exp(-GRID_S / p.rise_s) } else { 0.0 };
        self.crush += (1.0 - keep) * (asked - self.crush);
        let tau = p.system_decay_s * (1.0 + p.force_to_decay * (held - 0.5)).max(0.05); // [particles.2]
        let a = exp(-GRID_S / fault!(PARTICLES_DECAY, tau, times 2.0));
        self.energy = (a * self.energy + (1.0 - a) * tau * self.crush / CRUSH_S).min(ENERGY_MAX); // [particles.1]
        if self.energy < 1e-12 {
            self.energy = 0.0;
        }
        self.events.begin(cell);
        self.settle();
        let p = &self.params;
        if self.energy <= p.energy_min {
            return 0;
        }
        let rate = fault!(PARTICLES_RATE, p.objects, times 0.8) * p.collisions_hz * pow(self.energy, p.rate_exponent); // [particles.3]
        let size = pow(self.energy, p.energy_exponent) / p.objects.sqrt();
        let (spread_db, ports) = (p.spread_db, self.ports.count());
        let Self { arrivals, sizes, events, .. } = self;
        let beyond = arrivals.draw(cell, rate, |at_s| {
            let spread = pow(10.0, spread_db * sizes.normal() / 20.0); // [particles.4]
            let place = (sizes.unit() * ports as Real) as usize;
            events.push(Event { at_s, size: size * spread, place })
        });
        self.set_decay(cell.from.max(cell.to));
        beyond
    }

    fn events(&self) -> &[Event] {
        self.events.all()
    }

    fn render(&mut self, span: Span, forces: &mut [Lane], sound: &mut Lane) {
        if self.ports.count() > 0 {
            let scale = self.params.impulse_n_s * self.params.objects.sqrt(); // [particles.9]
            return self.ports.render(span, &mut self.events, |event, _| scale * event.size, forces);
        }
        let mut grains = [0.0; CONTROL_TICKS + 1];
        grains[0] = core::mem::take(&mut self.carry);
        let mut retuned = 0;
        while let Some((event, at, fraction)) = self.events.due(span) {
            if self.params.jitter_01 > 0.0 {
                self.run(span, &grains[retuned..at], &mut sound[retuned..at]);
                retuned = at;
                let factor = 1.0 + self.params.jitter_01 * self.jitter.between(-1.0, 1.0);
                self.tune(factor.max(0.05));
            }
            grains[at] += event.size * (1.0 - fraction); // [process.3]
            grains[at + 1] += event.size * fraction;
        }
        self.run(span, &grains[retuned..span.ticks], &mut sound[retuned..span.ticks]);
        self.carry = grains[span.ticks];
    }

    fn rests(&self, value: Real) -> bool {
        self.energy == 0.0 && self.crush == 0.0 && self.params.level * value.max(0.0) == 0.0 && !self.is_awake()
    }

    fn is_awake(&self) -> bool {
        self.events.wait() || self.sound != 0.0 || self.carry != 0.0 || self.ports.is_awake()
    }

    fn heard_until_s(&self) -> Real {
        let narrowest = self.resonances.iter().map(|own| own.bandwidth_hz).fold(Real::INFINITY, Real::min);
        let rings_s = match self.ports.count() {
            0 => UNHEARD * (self.decay_s + 1.0 / (PI * narrowest * self.params.freq_scale)),
            _ => PULSES * self.params.contact_time_s,
        };
        self.events.last_s() + rings_s
    }

    fn reset(&mut self) {
        self.events.clear();
        (self.energy, self.crush) = (0.0, 0.0);
        self.ports.reset();
        self.reset_sound();
    }
}

impl Particles {
    /// Falls asleep if there is nothing left to hear.
    fn settle(&mut self) {
        let quiet = |filter: &BandPass| filter.y.iter().all(|y| y.abs() < 1e-12);
        if self.sound < 1e-12 && self.carry == 0.0 && self.filters.iter().all(quiet) {
            self.reset_sound();
        }
        self.ports.settle();
    }

    fn reset_sound(&mut self) {
        (self.sound, self.carry, self.passed) = (0.0, 0.0, [0.0; 2]);
        self.filters.iter_mut().for_each(|filter| (filter.x, filter.y) = ([0.0; 2], [0.0; 2]));
    }

    /// Grains become sound. [particles.5], [particles.6], [particles.7]
    fn run(&mut self, span: Span, grains: &[Real], sound: &mut [Real]) {
        let level = (span.rate_hz / REFERENCE_HZ).sqrt();
        for (grain, out) in grains.iter().zip(sound) {
            self.sound = self.keep * self.sound + grain;
            let x = self.sound * level * near_normal(&mut self.noise);
            let mut y = 0.0;
            for (filter, gain) in self.filters.iter_mut().zip(&self.gains) {
                y += gain * filter.step(x);
            }
            *out += match &self.low {
                Some(low) => low.step(y, &mut self.passed),
                None => y,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_noise_keeps_exactly_b_of_its_variance_through_a_band_pass() {
        for (freq_hz, bandwidth_hz, rate_hz) in
            [(6000.0, 4000.0, 48_000.0), (300.0, 20.0, 44_100.0), (3000.0, 1000.0, 96_000.0)]
        {
            let mut filter = BandPass::default();
            filter.tune(freq_hz, bandwidth_hz, rate_hz);
            // The energy of the impulse response is the part of the variance that passes.
            let energy: Real = (0..400_000).map(|n| filter.step(if n == 0 { 1.0 } else { 0.0 })).map(|y| y * y).sum();
            assert!((energy / filter.variance_gain() - 1.0).abs() < 1e-9, "{freq_hz}: {energy}");
        }
    }

    #[test]
    fn what_the_ground_swallows_is_three_decibels_down_at_its_edge() {
        let params = ParticlesParams { lowpass_hz: 3000.0, ..ParticlesParams::default() };
        let particles = Particles::new(params, &[], &[], 48_000.0, |label| Rng::new(1, label));
        let low = particles.low.unwrap();
        let level = |freq_hz: Real| {
            let (mut state, mut most) = ([0.0; 2], 0.0);
            for n in 0..48_000 {
                let y = low.step(crate::math::sin(TAU * freq_hz * Real::from(n) / 48_000.0), &mut state);
                most = if n > 24_000 { Real::max(most, y.abs()) } else { 0.0 };
            }
            20.0 * crate::math::log10(most)
        };
        assert!((level(3000.0) + 3.01).abs() < 0.05, "{}", level(3000.0));
        assert!(level(100.0).abs() < 0.01 && (level(12_000.0) + 26.5).abs() < 3.0, "{}", level(12_000.0));
        let open = Particles::new(ParticlesParams::default(), &[], &[], 48_000.0, |label| Rng::new(1, label));
        assert!(open.low.is_none());
    }

    #[test]
    fn a_grain_carries_the_energy_of_its_closed_form() {
        for (freq_hz, bandwidth_hz, tau, wanted) in [(6000.0, 4000.0, 1e-3, 1.174e-4), (3000.0, 1000.0, 2e-3, 6.765e-5)]
        {
            let rate_hz = 48_000.0;
            let params = ParticlesParams { sound_decay_s: tau, objects: 1.0, ..ParticlesParams::default() };
            let gain = (bandwidth_hz / REFERENCE_BAND_HZ).sqrt(); // undoes the factor of the page
            let own = [Resonance { freq_hz, bandwidth_hz, gain }];
            let mut particles = Particles::new(params, &own, &[], rate_hz, |label| Rng::new(11, label));
            let mut sum = 0.0;
            let runs = 3000;
            for _ in 0..runs {
                particles.reset();
                particles.carry = 1.0;
                for k in 0..40 {
                    let mut lane = [0.0; CONTROL_TICKS];
                    particles.render(Span { tick: 32 * k, ticks: 32, rate_hz }, &mut [], &mut lane);
                    sum += lane.iter().map(|y| y * y).sum::<Real>() / (rate_hz * Real::from(runs));
                }
            }
            let (r, b) = (particles.keep, particles.filters[0].variance_gain());
            let closed = (rate_hz / REFERENCE_HZ) * b / ((1.0 - r * r) * rate_hz);
            assert!(
                (sum / closed - 1.0).abs() < 0.03 && (closed / wanted - 1.0).abs() < 1e-3,
                "{sum} {closed} {wanted}"
            );
        }
    }

    #[test]
    fn a_grain_between_two_samples_has_its_middle_where_it_falls() {
        // The envelope that one event leaves, taken as the sum of what was put in: its first moment is that of the event and of its decay.
        let rate_hz = 48_000.0;
        let own = [Resonance { freq_hz: 3000.0, bandwidth_hz: 1000.0, gain: 1.0 }];
        for fraction in [0.0, 0.25, 0.6, 0.999] {
            for at in [5.0, 31.0] {
                let mut particles =
                    Particles::new(ParticlesParams::default(), &own, &[], rate_hz, |label| Rng::new(1, label));
                particles.events.push(Event { at_s: (at + fraction) / rate_hz, size: 1.0, place: 0 });
                let (mut sum, mut moment, mut before) = (0.0, 0.0, 0.0);
                for tick in 0..64 {
                    particles.render(Span { tick, ticks: 1, rate_hz }, &mut [], &mut [0.0; CONTROL_TICKS]);
                    let put_in = particles.sound - particles.keep * before;
                    (sum, moment, before) = (sum + put_in, moment + tick as Real * put_in, particles.sound);
                }
                assert!((sum - 1.0).abs() < 1e-9, "{sum}");
                assert!((moment / sum - (at + fraction)).abs() < 1e-6, "{} not {at} and {fraction}", moment / sum);
            }
        }
    }

    #[test]
    fn with_jitter_every_event_has_a_pitch_of_its_own_within_it_and_without_all_have_the_same() {
        let (rate_hz, freq_hz) = (48_000.0, 2000.0);
        let pitches = |jitter_01: Real| {
            let params = ParticlesParams { jitter_01, sound_decay_s: 1e-3, ..ParticlesParams::default() };
            let own = [Resonance { freq_hz, bandwidth_hz: 20.0, gain: 1.0 }];
            let mut particles = Particles::new(params, &own, &[], rate_hz, |label| Rng::new(1, label));
            let mut found = Vec::new();
            // One event every 100 ms, when the one before has died away.
            for number in 0..12_u64 {
                particles.events.clear();
                particles.events.push(Event { at_s: 0.1 * number as Real, size: 1.0, place: 0 });
                let mut sound = Vec::new();
                for k in 0..150 {
                    let mut lane = [0.0; CONTROL_TICKS];
                    particles.render(Span { tick: 4800 * number + 32 * k, ticks: 32, rate_hz }, &mut [], &mut lane);
                    sound.extend(lane);
                }
                // The frequency of what rings on, by its turns through 0 upwards.
                let turns: Vec<usize> = (500..3000).filter(|&i| sound[i - 1] < 0.0 && sound[i] >= 0.0).collect();
                let (first, last) = (turns[0], turns[turns.len() - 1]);
                found.push((turns.len() - 1) as Real * rate_hz / (last - first) as Real);
            }
            found
        };
        // Bounds: a half of a sample at each end of some 100 turns is 0.04 %; 12 draws of a uniform number are nowhere near each other.
        let alike = pitches(0.0);
        assert!(alike.iter().all(|f| (f / freq_hz - 1.0).abs() < 0.01), "{alike:?}");
        let differing = pitches(0.2);
        assert!(differing.iter().all(|f| (f / freq_hz - 1.0).abs() < 0.21), "{differing:?}");
        let (low, high) = differing.iter().fold((1e9, 0.0), |(l, h), f| (Real::min(l, *f), Real::max(h, *f)));
        assert!(high / low > 1.2, "{differing:?}");
        assert!(differing.windows(2).all(|pair| (pair[0] / pair[1] - 1.0).abs() > 1e-4), "{differing:?}");
    }

    #[test]
    fn a_steady_crush_rate_holds_the_energy_of_its_closed_form() {
        let params = ParticlesParams { level: 2.0, load: 0.0, system_decay_s: 0.02, ..ParticlesParams::default() };
        let mut particles = Particles::new(params, &[], &[], 48_000.0, |label| Rng::new(1, label));
        for index in 0..1000 {
            particles.enter(Cell { index, from: 0.5, to: 0.5 });
        }
        assert!((particles.energy() - 2.0 * 0.5 * 0.02 / CRUSH_S).abs() < 1e-12, "{}", particles.energy());
    }
}
