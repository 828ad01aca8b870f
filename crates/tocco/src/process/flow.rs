// SPDX-License-Identifier: MIT OR Apache-2.0
//! Flow: bubbles by the hundred, as a brook, a river, a drink or a kettle makes them.
//!
//! **What.** A population: how often bubbles close, how large they are, how many rise; one by one or in bursts. Or single ones, as
//! somebody triggers them.
//!
//! **Law.** R the signal, at least 0:
//! - `[flow.1]  lambda = rate R`: bubbles, or bursts, by [process.2]; radii by [water.2], at most 0.4 of the depth of the water.
//! - `[flow.2]  a = gain (r/2 mm)^alpha u^gamma e^(gust n(t))`, u uniform: how deep it lies, 1 near the surface; n a slow noise of
//!   variance 1 and about 3 Hz.
//! - `[flow.3]  xi = rise (0.5 + U)` where u > rise_above, else 0: only those near the surface rise in pitch.
//! - `[flow.4]  1 + Poisson(burst)` bubbles, each `0.45 gap + Exp(gap)` after the one before.
//! - `[flow.5]  L = bed sqrt(lambda E[a^2/(4 d)])`: the bed's level is said over the root mean square of the bubbles, by Campbell's
//!   theorem.
//! - `[flow.6]  F = force p`: on bodies, what presses; the work is booked.
//!
//! **Symbols.** alpha `amplitude_exponent`, gamma `depth_exponent`; d by [bubble.3].
//!
//! **Step.** Once a cell bubbles are drawn; see `water.rs`.
//!
//! **Sources.** De Sena et al. 2009 section 4.2; van den Doel (2005) for populations; the numbers of the scenes are ours.

use super::bed::Bed;
use super::bubble::{BubbleLaw, LARGEST_M, MOST_VOICES, SMALLEST_M, Tone, damping};
use super::patter::{DELAY, mean_over_sizes, radius_of, value};
use super::water::{Birth, Sound, Water};
use super::{Arrivals, Event, Lane, Process, Span, Triggered};
use crate::math::{Real, exp, ln, pow};
use crate::param::{Params, Scale, Spec, Tunable};
use crate::resonator::CONTROL_TICKS;
use crate::rng::Rng;
use crate::signal::{Cell, GRID_S};

crate::params! {
    /// Parameters of bubbles.
    pub struct FlowParams {
        rate_hz: "1/s", 0.0 => 2e4, default 300.0, Log, Control, glide 0.02, "Bubbles, or bursts of them, in a second where the signal is 1.";
        smallest_m: "m", 1.5e-4 => 0.15, default 1e-3, Log, Control, glide 0.02, "Radius of the smallest.";
        largest_m: "m", 1.5e-4 => 0.15, default 6e-3, Log, Control, glide 0.02, "Radius of the largest.";
        size_exponent: "1", 0.0 => 6.0, default 2.0, Linear, Control, glide 0.02, "How much rarer large ones are: their density falls with radius to this power.";
        amplitude_exponent: "1", 0.0 => 4.0, default 1.0, Linear, Control, glide 0.02, "How much louder large ones are: amplitude grows with radius to this power.";
        depth_exponent: "1", 0.0 => 10.0, default 2.0, Linear, Control, glide 0.02, "How much softer those are that lie deep.";
        rise: "1", 0.0 => 3.0, default 0.1, Linear, Control, glide 0.02, "How far the pitch rises while a bubble dies away to 1/e, as a part of it.";
        rise_above_01: "1", 0.0 => 1.0, default 0.7, Linear, Control, glide 0.02, "Part of all bubbles that lie too deep to rise.";
        attack: "1", 0.0 => 20.0, default 0.35, Linear, Control, glide 0.02, "Time constant of its beginning, in periods.";
        gust: "1", 0.0 => 2.0, default 0.2, Linear, Control, glide 0.02, "How much the level wanders, slowly: standard deviation of its logarithm.";
        burst: "1", 0.0 => 100.0, default 0.0, Linear, Control, glide 0.02, "Bubbles that follow one, on average.";
        burst_gap_s: "s", 1e-4 => 10.0, default 0.022, Log, Control, glide 0.02, "Time between those, on average, besides a gap of nearly half of it.";
        depth_m: "m", 0.0 => 1e3, default 1.0, Linear, Control, glide 0.02, "Depth of the water: no bubble is larger than 0.4 of it; 0: there are none.";
        freq_scale: "1", 0.05 => 20.0, default 1.0, Log, Control, glide 0.05, "Factor on all pitches: radii are divided by it.";
        bed: "1", 0.0 => 100.0, default 0.0, Linear, Control, glide 0.02, "Level of the bed of bubbles too many to tell apart, over that of the others; 0: none.";
        bed_low_hz: "Hz", 1.0 => 2e4, default 700.0, Log, Control, glide 0.02, "Lower end of the bed.";
        bed_high_hz: "Hz", 1.0 => 1.92e5, default 6000.0, Log, Control, glide 0.02, "Upper end of the bed.";
        bed_grains_hz: "1/s", 0.0 => 2e4, default 1200.0, Log, Control, glide 0.02, "Grains of the bed in a second; 0: it is smooth.";
        gain: "Pa", 0.0 => 1e6, default 0.05, Log, Control, glide 0.02, "Level: amplitude at 1 m of a bubble of radius 2 mm at the surface.";
        force_n_pa: "N/Pa", 0.0 => 1e6, default 0.01, Log, Control, glide 0.02, "With bodies to push: force for 1 Pa of its sound.";
    }
}

/// What a trigger of bubbles says.
pub const FLOW_TRIGGER: &[Spec] = &[
    value("radius_m", "m", [SMALLEST_M, LARGEST_M], 3e-3, Scale::Log, "Radius of the bubble."),
    value("amplitude_pa", "Pa", [0.0, 1e6], 0.05, Scale::Log, "Amplitude at 1 m."),
    value("rise", "1", [0.0, 3.0], 0.1, Scale::Linear, "How far its pitch rises while it dies away to 1/e."),
    value("attack", "1", [0.0, 20.0], 0.35, Scale::Linear, "Time constant of its beginning, in periods."),
    DELAY,
];

/// Time constant of gusts, s: half their power lies below 3 Hz.
const GUST_S: Real = 0.053;

/// Cells from one look at the mean energy to the next, while parameters move.
const CELLS: u64 = 4;

/// A population of bubbles.
#[derive(Clone)]
pub struct Flow {
    params: FlowParams,
    law: BubbleLaw,
    ports: usize,
    water: Water,
    bed: Bed,
    arrivals: Arrivals,
    rng: Rng,
    gusts: Rng,
    gust: Real,
    /// Mean energy of one bubble, Pa^2 s, and whether a parameter has moved since.
    energy: Real,
    stale: bool,
}

impl Flow {
    /// Bubbles with their random streams; `ports` is how many places they push. `[control]`
    pub fn new(
        params: FlowParams,
        law: BubbleLaw,
        voices: usize,
        ports: usize,
        rate_hz: Real,
        rng: impl Fn(&str) -> Rng,
    ) -> Self {
        Self {
            params,
            law,
            ports,
            water: Water::new(voices.min(MOST_VOICES), 1, rate_hz),
            bed: Bed::new(&[[params.bed_low_hz, params.bed_high_hz, 1.0]], rate_hz, rng("bed")),
            arrivals: Arrivals::new(rng("times")),
            rng: rng("sizes"),
            gusts: rng("gusts"),
            gust: 0.0,
            energy: 0.0,
            stale: true,
        }
    }

    /// Voices that sound.
    pub fn alive(&self) -> usize {
        self.water.tones().alive()
    }

    fn range(&self) -> [Real; 2] {
        let p = &self.params;
        let largest = (p.largest_m / p.freq_scale).min(0.4 * p.depth_m).clamp(SMALLEST_M, LARGEST_M);
        [(p.smallest_m / p.freq_scale).clamp(SMALLEST_M, largest), largest]
    }

    fn amplitude(&self, radius: Real) -> Real {
        self.params.gain * pow(radius * self.params.freq_scale / 2e-3, self.params.amplitude_exponent)
    }

    /// [flow.5], at most once in so many cells: a bed's level is no faster than that.
    fn mean_energy(&mut self, cell: Cell) -> Real {
        let due = self.energy == 0.0 || cell.index.is_multiple_of(CELLS);
        if !(self.stale && due) {
            return self.energy;
        }
        let own = |radius: Real| {
            let amplitude = self.amplitude(radius);
            0.25 * amplitude * amplitude / damping(self.law.freq_hz(radius))
        };
        let energy = mean_over_sizes(self.params.size_exponent, self.range(), own);
        let deep = 1.0 / (2.0 * self.params.depth_exponent + 1.0);
        (self.energy, self.stale) = (energy * deep * (1.0 + self.params.burst), false);
        self.energy
    }

    fn close(&mut self, at_s: Real, range: [Real; 2], loud: Real) -> bool {
        let p = self.params;
        let radius = radius_of(p.size_exponent, range, self.rng.unit());
        let u = self.rng.unit();
        let rise = p.rise * (0.5 + self.rng.unit());
        let rise = if u > p.rise_above_01 { rise } else { 0.0 }; // [flow.3]
        let amplitude = loud * self.amplitude(radius) * pow(u, p.depth_exponent); // [flow.2]
        let tone = Tone::bubble(self.law, radius, amplitude, rise, p.attack);
        self.water.add(Birth { at_s, sound: Sound::Tone(tone) })
    }
}

impl Tunable for Flow {
    fn specs(&self) -> &'static [Spec] {
        FlowParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.put(index, value);
        self.stale = true;
    }
}

impl Process for Flow {
    fn enter(&mut self, cell: Cell) -> u64 {
        self.water.begin(cell);
        let p = self.params;
        let keep = exp(-GRID_S / GUST_S);
        let rate = p.rate_hz * 0.5 * (cell.from + cell.to).max(0.0);
        let rate = if p.depth_m * 0.4 >= SMALLEST_M { rate } else { 0.0 }; // [flow.1]
        let loud = if rate > 0.0 && p.gust > 0.0 {
            self.gust = keep * self.gust + (1.0 - keep * keep).sqrt() * self.gusts.normal();
            exp(p.gust * self.gust)
        } else {
            1.0
        };
        let range = self.range();
        let mut arrivals = self.arrivals.clone();
        let mut full = 0;
        let beyond = arrivals.draw(cell, rate, |at_s| {
            full += u64::from(!self.close(at_s, range, loud));
            let (mut at_s, mut left) = (at_s, if p.burst > 0.0 { p.burst } else { 0.0 });
            while left > 0.0 {
                left += ln(1.0 - self.rng.unit()); // a Poisson number of bubbles, by its gaps
                if left > 0.0 {
                    at_s += p.burst_gap_s * (0.45 - ln(1.0 - self.rng.unit())); // [flow.4]
                    full += u64::from(!self.close(at_s, range, loud));
                }
            }
            true
        });
        self.arrivals = arrivals;
        let level = if p.bed > 0.0 && rate > 0.0 {
            fault!(BED_LEVEL, p.bed, times 1.2) * loud * (rate * self.mean_energy(cell)).sqrt()
        } else {
            0.0
        };
        self.bed.retune(0, p.bed_low_hz, p.bed_high_hz);
        self.bed.enter(cell, [level, 0.0], p.bed_grains_hz);
        self.water.settle();
        beyond + full
    }

    fn events(&self) -> &[Event] {
        self.water.events()
    }

    fn trigger(&mut self, at_s: Real, values: &[Real]) -> Triggered {
        let &[radius, amplitude, rise, attack, delay_s, ..] = values else { return Triggered::Refused };
        let tone = Tone::bubble(self.law, radius / self.params.freq_scale, amplitude, rise, attack);
        self.water.trigger(Birth { at_s: at_s + delay_s, sound: Sound::Tone(tone) })
    }

    fn render(&mut self, span: Span, forces: &mut [Lane], sound: &mut Lane) {
        if self.ports == 0 {
            self.water.render(span, sound);
            return self.bed.render(span, sound);
        }
        let mut own = [0.0; CONTROL_TICKS];
        self.water.render(span, &mut own);
        self.bed.render(span, &mut own);
        let share = self.params.force_n_pa / self.ports as Real; // [flow.6]
        for lane in forces {
            lane[..span.ticks].iter_mut().zip(&own).for_each(|(force, sound)| *force = share * sound);
        }
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
