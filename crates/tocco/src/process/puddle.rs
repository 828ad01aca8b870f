// SPDX-License-Identifier: MIT OR Apache-2.0
//! Puddle: a foot, a hand or a wheel that presses water aside.
//!
//! **What.** What presses makes slaps at once, bubbles a little later, drops that fall back later still, and a rush of water under it all.
//! It hears a load, 1 for a whole foot, and makes as much as the load moves: a step makes a step's worth, a shuffle little.
//!
//! **Law.** c the crush rate of the load [process.1], lambda rates by [process.2]:
//! - `[puddle.1]  lambda = slaps c`: landings of 4 to 18 mm, k = 11 m/s, `0.06 u^2`, each up to `spread` late.
//! - `[puddle.2]  lambda = bubbles c`: 0.7 to 5 mm, b = 1.7 [water.2], `0.25 (r/3 mm)^0.8 u^1.5`, `30 ms + Gamma(2, 75 ms)` late; only where
//!   the water is deeper than 2 r.
//! - `[puddle.3]  lambda = drops c`: landings of 1 to 3 mm, 0.25 to 0.7 s late.
//! - `[puddle.4]  e <- e + (1 - e^(-T/tau)) (tau c - e)`, tau = 0.11 s: the rush, a bed of 450 Hz to 2.2 kHz (0.35) and 2 to 6.5 kHz (0.2);
//!   its level is `rush`, which may be 0.
//!
//! **Step.** Once a cell everything is drawn. A shallow puddle has softer slaps: `min(1, depth/5 mm)`.
//!
//! **Sources.** Ours, set by recorded steps in puddles; De Sena et al. 2009 section 4.3 for the parts.

use super::bed::Bed;
use super::bubble::{BubbleLaw, Tone};
use super::patter::{Hit, MOST_HITS, radius_of};
use super::water::{Birth, Sound, Water};
use super::{Arrivals, Crush, Event, Lane, Process, Span};
use crate::math::{Real, exp, ln, pow};
use crate::param::{Params, Spec, Tunable};
use crate::rng::Rng;
use crate::signal::{Cell, GRID_S};

crate::params! {
    /// Parameters of a puddle.
    pub struct PuddleParams {
        slaps: "1", 0.0 => 1e4, default 60.0, Log, Control, glide 0.02, "Slaps per unit of load.";
        bubbles: "1", 0.0 => 1e4, default 260.0, Log, Control, glide 0.02, "Bubbles per unit of load.";
        drops: "1", 0.0 => 1e4, default 55.0, Log, Control, glide 0.02, "Drops that fall back, per unit of load.";
        rush: "1", 0.0 => 10.0, default 1.0, Linear, Control, glide 0.02, "Level of the rush of water, a bed; 0: none.";
        depth_m: "m", 0.0 => 10.0, default 0.02, Linear, Control, glide 0.02, "Depth of the water; 0: there is none.";
        load: "1", 0.0 => 1e6, default 1.0, Linear, Control, glide 0.02, "Crushing per rise of the load.";
        unload: "1", 0.0 => 1e6, default 0.3, Linear, Control, glide 0.02, "Crushing per fall of the load: water is drawn along.";
        level: "1/s", 0.0 => 1e6, default 0.0, Linear, Control, glide 0.02, "Crushing per second while the load is 1.";
        spread_s: "s", 0.0 => 10.0, default 0.05, Linear, Control, glide 0.02, "How much later slaps may come.";
        freq_scale: "1", 0.05 => 20.0, default 1.0, Log, Control, glide 0.05, "Factor on the pitches of bubbles.";
        gain: "Pa", 0.0 => 1e6, default 0.5, Log, Control, glide 0.02, "Level at 1 m.";
    }
}

/// Time in which the rush dies away, s.
const RUSH_S: Real = 0.11;

/// Water that is pressed aside.
#[derive(Clone)]
pub struct Puddle {
    params: PuddleParams,
    water: Water,
    bed: Bed,
    arrivals: [Arrivals; 3],
    rng: Rng,
    rush: Real,
}

impl Puddle {
    /// A puddle with its random streams. `[control]`
    pub fn new(params: PuddleParams, rate_hz: Real, rng: impl Fn(&str) -> Rng) -> Self {
        Self {
            params,
            water: Water::new(128, MOST_HITS, rate_hz),
            bed: Bed::new(&[[450.0, 2200.0, 0.35], [2000.0, 6500.0, 0.2]], rate_hz, rng("bed")),
            arrivals: ["slaps", "bubbles", "drops"].map(|of| Arrivals::new(rng(of))),
            rng: rng("sizes"),
            rush: 0.0,
        }
    }
}

impl Tunable for Puddle {
    fn specs(&self) -> &'static [Spec] {
        PuddleParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.put(index, value);
    }
}

impl Process for Puddle {
    fn enter(&mut self, cell: Cell) -> u64 {
        self.water.begin(cell);
        let p = self.params;
        let wet = (p.depth_m / 5e-3).min(1.0);
        let crush = if wet > 0.0 { Crush { load: p.load, unload: p.unload, level: p.level }.rate(cell) } else { 0.0 };
        let (mut beyond, mut full) = (0, 0);
        let Self { water, rng, arrivals: [slaps, bubbles, drops], .. } = self;
        let mut add = |at_s: Real, sound: Sound| full += u64::from(!water.add(Birth { at_s, sound }));
        beyond += slaps.draw(cell, p.slaps * crush, |at_s| {
            let (radius, u, late) = (rng.between(4e-3, 18e-3), rng.unit(), rng.unit()); // [puddle.1]
            let hit = Hit::landing(radius, 0.06 * u * u * wet * p.gain * 4.0, 11.0, 2e-3, rng);
            add(at_s + p.spread_s * late, Sound::Hit(hit));
            true
        });
        beyond += bubbles.draw(cell, p.bubbles * crush, |at_s| {
            let radius = radius_of(1.7, [7e-4, 5e-3], rng.unit()); // [puddle.2]
            let (u, late) = (rng.unit(), 0.03 - 0.075 * ln((1.0 - rng.unit()) * (1.0 - rng.unit())));
            if p.depth_m > 2.0 * radius {
                let amplitude = 0.25 * pow(radius / 3e-3, 0.8) * pow(u, 1.5) * p.gain;
                let rise = if u > 0.6 { 0.1 } else { 0.0 };
                let tone = Tone::bubble(BubbleLaw::default(), radius / p.freq_scale, amplitude, rise, 0.35);
                add(at_s + late, Sound::Tone(tone));
            }
            true
        });
        beyond += drops.draw(cell, p.drops * crush, |at_s| {
            let (radius, u, late) = (rng.between(1e-3, 3e-3), rng.unit(), rng.between(0.25, 0.7)); // [puddle.3]
            let hit = Hit::landing(radius, 0.08 * u * p.gain, 13.0, 1.2e-3, rng);
            add(at_s + late, Sound::Hit(hit));
            true
        });
        self.rush += (1.0 - exp(-GRID_S / RUSH_S)) * (RUSH_S * crush - self.rush); // [puddle.4]
        // Fifty decibels below a step nobody hears it any more.
        self.rush = if self.rush < 3e-3 { 0.0 } else { self.rush };
        self.bed.enter(cell, [p.rush * wet * p.gain * self.rush.min(4.0); 2], 1200.0);
        self.water.settle();
        beyond + full
    }

    fn events(&self) -> &[Event] {
        self.water.events()
    }

    fn render(&mut self, span: Span, _forces: &mut [Lane], sound: &mut Lane) {
        self.water.render(span, sound);
        self.bed.render(span, sound);
    }

    fn rests(&self, value: Real) -> bool {
        let presses = self.params.level > 0.0 && value > 0.0;
        !presses && self.rush == 0.0 && !self.is_awake()
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
        self.rush = 0.0;
    }
}
