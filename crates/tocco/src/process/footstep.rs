// SPDX-License-Identifier: MIT OR Apache-2.0
//! Footstep: noise in a few bands under an envelope that was taken from recordings.
//!
//! **What.** A step on snow, leaves, metal or boards as it was recorded: `tocco analyse --steps` finds bands and envelope. A step
//! begins where the signal rises above a threshold; how steeply it rises tells how hard the foot comes down, so a hard step is
//! shorter and louder.
//!
//! **Law.** T = 1 ms, h the sample interval, R the signal, t_0 where it passes the threshold, w `window_s`:
//! - `[footstep.1]  y = gain L e(t) sum_k g_k BP_k n_k`, BP of [particles.8], n_k white, each its own, variance fs/44100: the
//!   same power density at every rate.
//! - `[footstep.2]  e(t) = W max(0, I(t T_D) + spread alpha(t) sigma(t T_D))`, linear between the frames of the table.
//! - `[footstep.3]  alpha <- a alpha + sqrt(1 - a^2) xi`, `a = exp(-2 pi 25 Hz T)`, held to -1 ... 1 where it is used: a slow way. Drawn
//!   by the sample, as printed, it would be more noise on noise.
//! - `[footstep.4]  W = sqrt(T_D)`: the energy of a step does not depend on T_D.
//! - `[footstep.5]  F = max(R so far, R + max(0, R') (t_0 + w - t))` at the ends t of cells up to t_0 + w: the sound begins at once,
//!   and the last of them, at most 1 ms before the window ends, is final.
//!   Where somebody tells the force that the step will reach (`expect`), F = F_ref expect/1.18 instead, up to 5 ms after the window.
//! - `[footstep.6]  T_D = clip((F/F_ref)^shorten, 1/2, 2)`, `L = (F/F_ref)^loudness`
//! - `[footstep.7]  x_1, x_2 normal; y_1 = b x_1 - a_1 b x_2 + e_1, y_2 = b x_2 + e_2`: a band that begins as if it had always
//!   sounded; `<e_1^2> = b (1 - b - a_1^2 b)`, `<e_2^2> = b (1 - b)`, `<e_1 e_2> = -a_1 b (1/2 - b)`.
//! - `[footstep.8]  e(t) = R(t)`: by envelope, the signal itself.
//!
//! **Symbols.** I `envelope`, sigma `deviation`, one value every `frame_s`; g `gain` of a band.
//!
//! **Step.** [footstep.3], [footstep.5], [footstep.6] once a cell, the rest by the sample. Up to four steps of one foot sound at once.
//! Its sound is what one would hear, Pa at 1 m.
//!
//! **Sources.** De Sena et al. 2009 chapter 5, (5.1) to (5.4), Table 5.1, whose bandwidths are Hz, not Q; errata: alpha is slow, W = sqrt(T_D)
//! takes the loudness of a hard step away, so L stands beside it; ours: the force from the attack, the stationary start.

use super::particles::{BandPass, Resonance};
use super::{Event, Events, Lane, Process, Span, Trigger, going_until_s, near_normal};
use crate::math::{Real, TAU, exp, pow};
use crate::param::{Params, Spec, Tunable};
use crate::rng::Rng;
use crate::signal::{Cell, GRID_S};
use std::sync::Arc;

crate::params! {
    /// Parameters of a footstep.
    pub struct FootstepParams {
        gain: "Pa", 0.0 => 1e6, default 1.0, Linear, Control, glide 0.02, "Level of its sound, Pa at 1 m of envelope 1 in a band as wide as hearing.";
        threshold: "1", 1e-9 => 1e9, default 0.02, Log, Control, glide 0.0, "By event: a step begins where the signal rises above this.";
        force_ref: "1", 1e-6 => 1e9, default 0.5, Log, Control, glide 0.02, "Signal within the window at which a step is as recorded.";
        window_s: "s", 1e-3 => 0.1, default 0.01, Log, Control, glide 0.0, "How long after its beginning the force of a step is final.";
        loudness: "1", 0.0 => 4.0, default 0.75, Linear, Control, glide 0.02, "How much louder a harder step is: level goes with force to this power.";
        shorten: "1", 0.0 => 2.0, default 0.5, Linear, Control, glide 0.02, "How much shorter a harder step is: its length goes with force to minus this power, held between a half and twice.";
        spread: "1", 0.0 => 4.0, default 1.0, Linear, Control, glide 0.02, "How far steps differ: factor on the deviation of the envelope.";
        freq_scale: "1", 0.05 => 20.0, default 1.0, Log, Control, glide 0.05, "Factor on all bands.";
        expect: "BW", 0.0 => 10.0, default 0.0, Linear, Control, glide 0.0, "Force that the next step is told to reach, as by the sensors of a shoe; 0: told by its own attack.";
    }
}

/// Rate at which noise has variance 1, Hz.
const REFERENCE_HZ: Real = 44_100.0;
/// The first peak of a step at 1.4 m/s, BW: what `expect` is as recorded.
const EXPECTED_BW: Real = 1.18;
/// Cut-off of the way of alpha, Hz.
const SLOW_HZ: Real = 25.0;
/// Steps of one foot that sound at once.
const VOICES: usize = 4;
/// Most bands.
pub const MOST_BANDS: usize = 8;
/// Most frames of an envelope.
pub const MOST_FRAMES: usize = 1024;

/// How a signal makes steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FootstepBy {
    /// One where it rises above the threshold.
    Event,
    /// It is the envelope itself.
    Envelope,
}

crate::words!(FootstepBy { Event = "event", Envelope = "envelope" });

/// What a step sounds like.
#[derive(Clone, Debug, PartialEq)]
pub struct Prototype {
    /// Bands of noise.
    pub bands: Vec<Resonance>,
    /// Mean envelope, one value a frame.
    pub envelope: Vec<Real>,
    /// Its standard deviation; as long, or empty.
    pub deviation: Vec<Real>,
    /// Distance of two frames, s.
    pub frame_s: Real,
}

/// The value between two frames, 0 after the last. [footstep.2]
pub fn between_frames(frames: &[Real], place: Real) -> Real {
    let whole = place as usize;
    let value = |index: usize| frames.get(index).copied().unwrap_or(0.0);
    value(whole) + (value(whole + 1) - value(whole)) * (place - whole as Real)
}

/// One step that sounds.
#[derive(Clone, Copy, Debug, Default)]
struct Voice {
    active: bool,
    /// When it began, s, the largest signal since, and the force that it foretells.
    began_s: Real,
    most: Real,
    known: Real,
    /// The force that it was told to reach, BW; 0: nobody did.
    told: Real,
    /// Where in the envelope it is, in frames.
    place: Real,
    /// T_D of this cell, and level at its two ends.
    hurry: Real,
    level: [Real; 2],
    /// Way of alpha at both ends of the cell.
    alpha: [Real; 2],
}

/// Steps by noise and envelope.
#[derive(Clone)]
pub struct Footstep {
    params: FootstepParams,
    by: FootstepBy,
    make: Arc<Prototype>,
    filters: Vec<BandPass>,
    gains: Vec<Real>,
    noises: Vec<Rng>,
    rate_hz: Real,
    trigger: Trigger,
    begin: Rng,
    slow: Rng,
    events: Events,
    cell: Cell,
    voices: [Voice; VOICES],
    /// Bands sound.
    running: bool,
    /// Until when its steps last, or the signal as an envelope goes on, s.
    until_s: Real,
}

impl Footstep {
    /// Steps of a prototype, with their random streams. `[control]`
    pub fn new(
        params: FootstepParams,
        by: FootstepBy,
        make: Prototype,
        rate_hz: Real,
        rng: impl Fn(&str) -> Rng,
    ) -> Self {
        let count = make.bands.len();
        let mut footstep = Self {
            params,
            by,
            filters: vec![BandPass::default(); count],
            gains: vec![0.0; count],
            noises: (0..count).map(|k| rng(&format!("noise {k}"))).collect(),
            make: Arc::new(make),
            rate_hz,
            trigger: Trigger::default(),
            begin: rng("begin"),
            slow: rng("slow"),
            events: Events::default(),
            cell: Cell::default(),
            voices: [Voice::default(); VOICES],
            running: false,
            until_s: Real::NEG_INFINITY,
        };
        footstep.tune();
        footstep
    }

    fn tune(&mut self) {
        let scale = self.params.freq_scale;
        for ((filter, gain), own) in self.filters.iter_mut().zip(&mut self.gains).zip(&self.make.bands) {
            let freq_hz = own.freq_hz * scale;
            filter.tune(freq_hz, own.bandwidth_hz * scale, self.rate_hz);
            // Past Nyquist there is nothing to hear.
            *gain = if freq_hz < 0.5 * self.rate_hz { own.gain } else { 0.0 };
        }
    }

    /// Level that the latest step has at the end of the cell.
    pub fn level(&self) -> Real {
        let latest = self.voices.iter().filter(|voice| voice.active).max_by(|a, b| a.began_s.total_cmp(&b.began_s));
        latest.map_or(0.0, |voice| voice.level[1])
    }

    /// T_D and level of a force. [footstep.6], [footstep.4]
    fn strength(&self, force: Real) -> (Real, Real) {
        let ratio = (force / self.params.force_ref).clamp(1e-4, 1e4);
        let hurry = pow(ratio, self.params.shorten).clamp(0.5, 2.0);
        (hurry, fault!(FOOTSTEP_ENERGY, hurry.sqrt(), hurry * hurry) * pow(ratio, self.params.loudness))
    }

    /// The force of a step as far as it is known at the end of a cell. [footstep.5]
    fn force(&self, voice: &mut Voice, cell: Cell) -> Real {
        let end_s = cell.from_s() + GRID_S;
        let left = voice.began_s + self.params.window_s - end_s;
        // A cell that ends where the window does may miss it by rounding. After it the force is final, whoever tells another.
        if left > -1e-6 * GRID_S {
            let rises = fault!(FOOTSTEP_WAITS, cell.slope().max(0.0), 0.0);
            voice.most = voice.most.max(cell.to);
            voice.known = voice.most.max(cell.to + rises * left.max(0.0));
            if self.params.expect > 0.0 {
                voice.told = self.params.expect;
            }
        }
        if voice.told > 0.0 {
            return self.params.force_ref * voice.told / EXPECTED_BW;
        }
        voice.known
    }

    fn keep() -> Real {
        exp(-TAU * SLOW_HZ * GRID_S)
    }

    fn way(&mut self, from: Real) -> Real {
        let a = Self::keep();
        a * from + (1.0 - a * a).sqrt() * self.slow.normal() // [footstep.3]
    }

    /// A step begins. The quietest of four makes room.
    fn start(&mut self, at_s: Real, cell: Cell) {
        let oldest = (0..VOICES).min_by(|a, b| {
            let key = |i: usize| (self.voices[i].active, -self.voices[i].place);
            key(*a).partial_cmp(&key(*b)).unwrap_or(core::cmp::Ordering::Equal)
        });
        let mut voice = Voice { active: true, began_s: at_s, ..Voice::default() };
        let force = self.force(&mut voice, cell);
        let (hurry, level) = self.strength(force);
        (voice.hurry, voice.level) = (hurry, [level; 2]);
        self.until_s = self.until_s.max(self.lasts_until_s(&voice));
        let first = self.slow.normal();
        voice.alpha = [first, self.way(first)];
        if let Some(index) = oldest {
            self.voices[index] = voice;
        }
    }

    /// Bands begin as if they had always sounded. [footstep.7]
    fn wake(&mut self) {
        if self.running {
            return;
        }
        self.running = true;
        let level = (self.rate_hz / REFERENCE_HZ).sqrt();
        for filter in &mut self.filters {
            let normals = core::array::from_fn(|_| level * self.begin.normal());
            filter.begin(normals);
        }
    }

    /// When a step has run through its envelope, s, as fast as it goes now.
    fn lasts_until_s(&self, voice: &Voice) -> Real {
        voice.began_s + self.make.envelope.len() as Real * self.make.frame_s / voice.hurry.max(0.5)
    }

    fn is_over(&self, voice: &Voice) -> bool {
        voice.place >= self.make.envelope.len() as Real
    }
}

impl Tunable for Footstep {
    fn specs(&self) -> &'static [Spec] {
        FootstepParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.put(index, value);
        self.tune();
    }
}

impl Process for Footstep {
    fn enter(&mut self, cell: Cell) -> u64 {
        self.events.begin(cell);
        let before = core::mem::replace(&mut self.cell, cell);
        for index in 0..VOICES {
            let mut voice = self.voices[index];
            if !voice.active {
                continue;
            }
            voice.active = !self.is_over(&voice);
            let force = self.force(&mut voice, cell);
            let (hurry, level) = self.strength(force);
            voice.level = [voice.level[1], level];
            voice.hurry = hurry;
            self.until_s = self.until_s.max(self.lasts_until_s(&voice));
            voice.alpha = [voice.alpha[1], self.way(voice.alpha[1])];
            self.voices[index] = voice;
        }
        match self.by {
            FootstepBy::Event => {
                if cell.index == 0 && cell.from > self.params.threshold {
                    self.trigger.spend(); // who stands there from the start does not come down
                }
                if let Some(at_s) = self.trigger.passes(cell, self.params.threshold) {
                    self.start(at_s, cell);
                    self.events.push(Event { at_s, size: cell.to, place: 0 });
                }
                self.running &= self.voices.iter().any(|voice| voice.active);
            }
            FootstepBy::Envelope => {
                self.running &= before.to != 0.0 || cell.from != 0.0 || cell.to != 0.0;
                if cell.from != 0.0 || cell.to != 0.0 {
                    self.until_s = going_until_s(cell);
                }
            }
        }
        let sounds = match self.by {
            FootstepBy::Event => self.voices.iter().any(|voice| voice.active),
            FootstepBy::Envelope => cell.from != 0.0 || cell.to != 0.0,
        };
        if sounds {
            self.wake();
        }
        0
    }

    fn events(&self) -> &[Event] {
        self.events.all()
    }

    fn render(&mut self, span: Span, _forces: &mut [Lane], sound: &mut Lane) {
        while self.events.due(span).is_some() {}
        if !self.running {
            return;
        }
        let level = (span.rate_hz / REFERENCE_HZ).sqrt();
        let frames = 1.0 / (self.make.frame_s * span.rate_hz);
        let from_s = self.cell.from_s();
        for (i, out) in sound[..span.ticks].iter_mut().enumerate() {
            let time_s = (span.tick + i as u64) as Real / span.rate_hz;
            let part = ((time_s - from_s) / GRID_S).clamp(0.0, 1.0);
            let size = match self.by {
                FootstepBy::Envelope => self.cell.at(time_s).max(0.0), // [footstep.8]
                FootstepBy::Event => {
                    let mut sum = 0.0;
                    for voice in self.voices.iter_mut().filter(|voice| voice.active && time_s >= voice.began_s) {
                        let between = |ends: [Real; 2]| ends[0] + (ends[1] - ends[0]) * part;
                        let alpha = between(voice.alpha).clamp(-1.0, 1.0);
                        let mean = between_frames(&self.make.envelope, voice.place);
                        let sigma = between_frames(&self.make.deviation, voice.place);
                        // [footstep.2]
                        sum += between(voice.level) * (mean + self.params.spread * alpha * sigma).max(0.0);
                        voice.place += voice.hurry * frames;
                    }
                    sum
                }
            };
            let mut noise = 0.0;
            for ((filter, gain), rng) in self.filters.iter_mut().zip(&self.gains).zip(&mut self.noises) {
                noise += gain * filter.step(level * near_normal(rng)); // [footstep.1]
            }
            *out += self.params.gain * size * noise;
        }
    }

    fn rests(&self, value: Real) -> bool {
        let nothing = match self.by {
            FootstepBy::Event => self.trigger.rests(value, self.params.threshold),
            FootstepBy::Envelope => value == 0.0,
        };
        nothing && !self.is_awake() && self.voices.iter().all(|voice| !voice.active)
    }

    fn is_awake(&self) -> bool {
        self.running || self.events.wait()
    }

    fn heard_until_s(&self) -> Real {
        self.until_s
    }

    fn reset(&mut self) {
        self.events.clear();
        (self.voices, self.cell, self.running) = ([Voice::default(); VOICES], Cell::default(), false);
        self.until_s = Real::NEG_INFINITY;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resonator::CONTROL_TICKS;

    fn prototype() -> Prototype {
        let envelope: Vec<Real> = (0..60).map(|n| exp(-0.1 * Real::from(n)) * Real::from(n.min(4)) / 4.0).collect();
        let deviation = envelope.iter().map(|e| 0.3 * e).collect();
        let band = |freq_hz, bandwidth_hz, gain| Resonance { freq_hz, bandwidth_hz, gain };
        Prototype { bands: vec![band(400.0, 50.0, 1.0), band(660.0, 700.0, 0.4)], envelope, deviation, frame_s: 0.005 }
    }

    /// The sound of a signal at this rate.
    fn played(params: FootstepParams, seed: u64, rate_hz: Real, signal: impl Fn(u64) -> Real, cells: u64) -> Vec<Real> {
        let mut step = Footstep::new(params, FootstepBy::Event, prototype(), rate_hz, |label| Rng::new(seed, label));
        let mut all = Vec::new();
        let (mut tick, mut index) = (0_u64, 0);
        while index < cells {
            step.enter(Cell { index, from: signal(index), to: signal(index + 1) });
            index += 1;
            let end = (index as Real * 1e-3 * rate_hz).ceil() as u64;
            while tick < end {
                let ticks = ((end - tick) as usize).min(CONTROL_TICKS);
                let mut lane = [0.0; CONTROL_TICKS];
                if step.is_awake() {
                    step.render(Span { tick, ticks, rate_hz }, &mut [], &mut lane);
                }
                all.extend_from_slice(&lane[..ticks]);
                tick += ticks as u64;
            }
        }
        all
    }

    fn pressed(rate: Real) -> impl Fn(u64) -> Real {
        move |k| (rate * 1e-3 * (k as Real - 20.0)).clamp(0.0, 3.0)
    }

    #[test]
    fn a_shortened_envelope_keeps_its_energy_exactly() {
        let make = prototype();
        let energy = |hurry: Real| -> Real {
            let step = 1e-4;
            let value = |n: u32| hurry.sqrt() * between_frames(&make.envelope, Real::from(n) * step * hurry);
            (0..1_500_000).map(|n| value(n) * value(n) * step).sum()
        };
        let one = energy(1.0);
        for hurry in [0.5, 1.1, 1.5, 2.0, 3.0, 5.0] {
            assert!((energy(hurry) / one - 1.0).abs() < 1e-4, "{hurry}: {}", energy(hurry) / one);
        }
    }

    #[test]
    fn the_energy_of_a_step_is_that_of_its_closed_form_at_every_rate() {
        // Without spread and as recorded: gain^2 sum I^2 dt times the variance of the bands.
        let params = FootstepParams { spread: 0.0, loudness: 0.0, shorten: 0.0, ..FootstepParams::default() };
        for rate_hz in [22_050.0, 48_000.0, 96_000.0] {
            let runs = 240;
            let energy: Real = (0..runs)
                .map(|seed| played(params, seed, rate_hz, pressed(30.0), 360).iter().map(|y| y * y).sum::<Real>())
                .sum::<Real>()
                / (rate_hz * runs as Real);
            let make = prototype();
            let variance: Real = make
                .bands
                .iter()
                .map(|band| {
                    let mut filter = BandPass::default();
                    filter.tune(band.freq_hz, band.bandwidth_hz, rate_hz);
                    band.gain * band.gain * filter.variance_gain() * rate_hz / REFERENCE_HZ
                })
                .sum();
            let squares: Real =
                (0..300_000).map(|n| between_frames(&make.envelope, Real::from(n) * 2e-4).powi(2) * 1e-6).sum();
            let wanted = variance * squares;
            // Some 15 independent samples of the narrow band in each: 5 % is four standard errors.
            assert!((energy / wanted - 1.0).abs() < 0.05, "{rate_hz}: {energy} {wanted}");
        }
    }

    #[test]
    fn a_band_begins_as_if_it_had_always_sounded() {
        let mut filter = BandPass::default();
        filter.tune(220.0, 17.0, 48_000.0);
        let mut rng = Rng::new(5, "begin");
        let runs = 40_000;
        let (mut first, mut later) = (0.0, 0.0);
        for _ in 0..runs {
            filter.begin(core::array::from_fn(|_| rng.normal()));
            let y: Vec<Real> = (0..20).map(|_| filter.step(rng.normal())).collect();
            first += y[0] * y[0] / Real::from(runs);
            later += y[19] * y[19] / Real::from(runs);
        }
        // The standard error of a variance from so many is 0.7 %.
        let wanted = filter.variance_gain();
        assert!((first / wanted - 1.0).abs() < 0.03 && (later / wanted - 1.0).abs() < 0.03, "{first} {later} {wanted}");
    }

    #[test]
    fn a_steeper_attack_is_a_louder_and_shorter_step_and_the_force_is_final_after_the_window() {
        let force_of = |rate: Real| {
            let params = FootstepParams::default();
            let mut step = Footstep::new(params, FootstepBy::Event, prototype(), 48_000.0, |label| Rng::new(1, label));
            let signal = pressed(rate);
            let mut levels = Vec::new();
            for index in 0..60 {
                step.enter(Cell { index, from: signal(index), to: signal(index + 1) });
                levels.push((step.voices[0].level[1], step.voices[0].hurry));
            }
            levels
        };
        let (soft, hard) = (force_of(10.0), force_of(80.0));
        assert!(hard[40].0 > 3.0 * soft[40].0 && hard[40].1 > soft[40].1, "{:?} {:?}", soft[40], hard[40]);
        // What rises within the window: F = 0.12 and 0.82, so T_D = 0.5 (held) and 1.28; level sqrt(T_D) F^0.75.
        let ratio = (1.28_f64 / 0.5).sqrt() * (0.82_f64 / 0.12).powf(0.75);
        assert!((hard[40].0 / soft[40].0 / ratio - 1.0).abs() < 0.15, "{} {ratio}", hard[40].0 / soft[40].0);
        // A straight rise is foreseen from its first millisecond; contact is within cell 20 (80 BW/s) or 22, and the last cell that
        // ends within 10 ms of it is final.
        for levels in [soft, hard] {
            let final_level = levels[59].0;
            assert!(levels[31..].iter().all(|(level, _)| *level == final_level));
            assert!((levels[22].0 / final_level - 1.0).abs() < 0.2, "{} {final_level}", levels[22].0);
        }
    }

    #[test]
    fn the_force_of_a_step_is_final_ten_milliseconds_after_contact_wherever_in_a_cell_that_is() {
        // A rise that never is straight: each cell foretells another force, so the last change is seen.
        for part in 0..20 {
            let contact_ms = 20.0 + 0.05 * Real::from(part);
            let signal = |k: u64| {
                let after = (k as Real - contact_ms).max(0.0);
                0.02 * after + 0.004 * after * after
            };
            let mut step =
                Footstep::new(FootstepParams::default(), FootstepBy::Event, prototype(), 48_000.0, |l| Rng::new(1, l));
            let mut last_ms = 0.0;
            let mut level = 0.0;
            for index in 0..60 {
                step.enter(Cell { index, from: signal(index), to: signal(index + 1) });
                if step.level() != level {
                    (level, last_ms) = (step.level(), index as Real + 1.0);
                }
            }
            let began_ms = 1e3 * step.voices[0].began_s;
            let after_ms = last_ms - began_ms;
            assert!(
                after_ms <= 10.0 + 1e-6 && after_ms > 9.0 - 1e-6,
                "contact at {began_ms}: final after {after_ms} ms"
            );
            // Foretold over less than a millisecond, from one cell: within 5 % of the force where the window ends.
            let end = began_ms + 10.0 - contact_ms;
            let force = 0.02 * end + 0.004 * end * end;
            assert!((step.voices[0].known / force - 1.0).abs() < 0.05, "{} {force}", step.voices[0].known);
        }
    }

    #[test]
    fn by_envelope_the_signal_is_the_envelope_and_silence_costs_nothing() {
        let params = FootstepParams::default();
        let mut step = Footstep::new(params, FootstepBy::Envelope, prototype(), 48_000.0, |label| Rng::new(4, label));
        let mut power = [0.0; 2];
        for index in 0..4000 {
            let level = if (1000..3000).contains(&index) { 0.5 } else { 1.0 };
            let level = if index < 3500 { level } else { 0.0 };
            step.enter(Cell { index, from: level, to: level });
            let mut lane = [0.0; CONTROL_TICKS];
            if step.is_awake() {
                step.render(Span { tick: 48 * index, ticks: 32, rate_hz: 48_000.0 }, &mut [], &mut lane);
            }
            match index {
                0..1000 => power[0] += lane.iter().map(|y| y * y).sum::<Real>() / 1000.0,
                1000..3000 => power[1] += lane.iter().map(|y| y * y).sum::<Real>() / 2000.0,
                3500.. => assert!(index < 3502 || !step.is_awake()),
                _ => {}
            }
        }
        // A quarter of the power; a second of a band of 50 Hz is known to 15 %.
        assert!((power[0] / power[1] / 4.0 - 1.0).abs() < 0.4, "{power:?}");
    }

    #[test]
    fn a_step_that_is_told_its_force_has_it_and_no_later_word_counts() {
        let mut step = Footstep::new(FootstepParams::default(), FootstepBy::Event, prototype(), 48_000.0, |label| {
            Rng::new(4, label)
        });
        let expect = FootstepParams::SPECS.iter().position(|spec| spec.id == "expect").unwrap();
        let signal = pressed(40.0);
        let mut levels = Vec::new();
        for index in 0..80 {
            let told = match index {
                24..29 => 0.9,
                29..31 => 1.5,
                31.. => 0.7, // contact is within cell 20: the window is over
                _ => 0.0,
            };
            step.set(expect, told);
            step.enter(Cell { index, from: signal(index), to: signal(index + 1) });
            levels.push(step.level());
        }
        let wanted = |force: Real| step.strength(0.5 * force / EXPECTED_BW).1;
        assert!((levels[28] - wanted(0.9)).abs() < 1e-12 && (levels[79] - wanted(1.5)).abs() < 1e-12, "{levels:?}");
    }

    #[test]
    fn two_steps_of_one_walk_differ_and_the_same_seed_gives_the_same_bits() {
        let twice = |k: u64| {
            if k < 500 { pressed(40.0)(k % 500) * Real::from(u8::from(k < 200)) } else { pressed(40.0)(k - 500) }
        };
        let params = FootstepParams::default();
        let all = played(params, 9, 48_000.0, twice, 1000);
        assert_eq!(all, played(params, 9, 48_000.0, twice, 1000));
        let (one, two) = (&all[..24_000], &all[24_000..48_000]);
        let energy = |x: &[Real]| x.iter().map(|y| y * y).sum::<Real>();
        let apart: Real = one.iter().zip(two).map(|(a, b)| (a - b) * (a - b)).sum();
        assert!(energy(one) > 0.0 && energy(two) > 0.0 && apart > energy(one), "{apart}");
    }
}
