// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rain: drops that fall on water, on the ground, or on any body.
//!
//! **What.** Rain in air is impacts. On water a third of the drops also close a bubble. On a body each drop is a real hit: its momentum is
//! handed over, and the work is in the ledger.
//!
//! **Law.** R the signal, at least 0; u uniform, n normal:
//! - `[rain.1]  lambda = rate R` by [process.2]; `D = smallest - spread ln(1 - u)`, at most 6 mm: diameters.
//! - `[rain.2]  v = 9.65 - 10.3 e^(-600 D)` m/s: the speed at which a drop of diameter D falls through air.
//! - `[rain.3]  x = sqrt(near^2 + u (far^2 - near^2))`: distances of drops that fall evenly around; heard with `1/x`.
//! - `[rain.4]  a = gain (D/2 mm)^1.5/x`, a landing by [patter.1] of radius max(0.6 D, 1.8 mm), k = 9 m/s; on water with the probability
//!   `bubble_01` a bubble of radius `0.35 D e^(0.3 n)` follows by [drip.3].
//! - `[rain.5]  J = rho pi/6 D^3 v`: on bodies, at a port drawn for each.
//!
//! **Step.** Once a cell drops are drawn; see `water.rs` and `process.rs`.
//!
//! **Sources.** [rain.2]: Atlas et al. (1973) after Gunn and Kinzer. The rest is ours, set by recordings of rain.

use super::bed::Bed;
use super::bubble::{BubbleLaw, Tone};
use super::drip::closes_after;
use super::patter::{DELAY, Hit, MOST_HITS, value};
use super::water::{Birth, Sound, Water};
use super::{Arrivals, Event, Events, Hitter, Lane, PULSES, Process, Span, Triggered};
use crate::math::{PI, Real, exp, ln, pow};
use crate::param::{Params, Scale, Spec, Tunable};
use crate::rng::Rng;
use crate::signal::Cell;

/// Density of water, kg/m^3.
pub const WATER_KG_M3: Real = 998.0;

/// What rain falls on, if not on bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RainOn {
    /// Water: landings and bubbles.
    #[default]
    Water,
    /// The ground: landings.
    Ground,
}

crate::words!(RainOn { Water = "water", Ground = "ground" });

crate::params! {
    /// Parameters of rain.
    pub struct RainParams {
        rate_hz: "1/s", 0.0 => 2e4, default 150.0, Log, Control, glide 0.02, "Drops in a second where the signal is 1.";
        smallest_m: "m", 1e-4 => 6e-3, default 8e-4, Log, Control, glide 0.02, "Diameter of the smallest drop.";
        spread_m: "m", 0.0 => 3e-3, default 8e-4, Linear, Control, glide 0.02, "By how much drops are larger, on average.";
        near_m: "m", 0.1 => 1e3, default 1.0, Log, Control, glide 0.02, "Distance of the nearest drops.";
        far_m: "m", 0.1 => 1e3, default 12.0, Log, Control, glide 0.02, "Distance of the farthest.";
        bubble_01: "1", 0.0 => 1.0, default 0.35, Linear, Control, glide 0.02, "On water: part of the drops that close a bubble.";
        bed: "1", 0.0 => 100.0, default 0.0, Linear, Control, glide 0.02, "Level of the bed of drops too far away to tell apart, over that of the others; 0: none.";
        bed_low_hz: "Hz", 1.0 => 2e4, default 1200.0, Log, Control, glide 0.02, "Lower end of the bed.";
        bed_high_hz: "Hz", 1.0 => 1.92e5, default 8000.0, Log, Control, glide 0.02, "Upper end of the bed.";
        contact_time_s: "s", 0.0 => 0.1, default 3e-4, Linear, Control, glide 0.02, "On bodies: about how long a drop takes to land.";
        gain: "Pa", 0.0 => 1e6, default 0.1, Log, Control, glide 0.02, "Level: amplitude of a drop of 2 mm at 1 m.";
    }
}

/// What a trigger of rain says.
pub const RAIN_TRIGGER: &[Spec] = &[
    value("diameter_m", "m", [1e-4, 6e-3], 2e-3, Scale::Log, "Diameter of the drop."),
    value("distance_m", "m", [0.1, 1e3], 1.0, Scale::Log, "How far away it falls."),
    DELAY,
];

/// Speed of a drop of this diameter, m, in air, m/s. [rain.2]
pub fn falls_at(diameter_m: Real) -> Real {
    (9.65 - 10.3 * exp(-600.0 * diameter_m)).max(0.1)
}

/// Momentum of a drop of a diameter, m, that falls freely, N s. [rain.5]
pub fn momentum_of(diameter_m: Real) -> Real {
    let mass = fault!(RAIN_MOMENTUM, WATER_KG_M3, times 0.5) * PI / 6.0 * diameter_m * diameter_m * diameter_m;
    mass * falls_at(diameter_m)
}

/// Drops that fall.
#[derive(Clone)]
pub struct Rain {
    params: RainParams,
    on: RainOn,
    ports: Hitter,
    rate_hz: Real,
    events: Events,
    water: Water,
    bed: Bed,
    arrivals: Arrivals,
    rng: Rng,
}

impl Rain {
    /// Rain with its random streams, on ports of these inverse masses, 1/kg, or by itself. `[control]`
    pub fn new(params: RainParams, on: RainOn, ports: &[Real], rate_hz: Real, rng: impl Fn(&str) -> Rng) -> Self {
        Self {
            params,
            on,
            ports: Hitter::new(ports, params.contact_time_s, rate_hz),
            rate_hz,
            events: Events::default(),
            water: Water::new(128, MOST_HITS, rate_hz),
            bed: Bed::new(&[[params.bed_low_hz, params.bed_high_hz, 1.0]], rate_hz, rng("bed")),
            arrivals: Arrivals::new(rng("times")),
            rng: rng("drops"),
        }
    }

    /// One drop; false if there is no room.
    fn fall(&mut self, at_s: Real, diameter: Real, distance: Real) -> bool {
        if self.ports.count() > 0 {
            let impulse = momentum_of(diameter);
            let place = (self.rng.unit() * self.ports.count() as Real) as usize;
            return self.events.insert(Event { at_s, size: impulse, place });
        }
        let amplitude = self.params.gain * pow(diameter / 2e-3, 1.5) / distance; // [rain.4]
        let hit = Hit::landing((0.6 * diameter).max(1.8e-3), amplitude, 9.0, 1.2e-3, &mut self.rng);
        let mut room = self.water.add(Birth { at_s, sound: Sound::Hit(hit) });
        let (u, n) = (self.rng.unit(), self.rng.normal());
        if self.on == RainOn::Water && u < self.params.bubble_01 {
            let radius = 0.35 * diameter * exp(0.3 * n);
            let tone = Tone::bubble(BubbleLaw::default(), radius, 0.7 * amplitude, 0.1, 0.35);
            room &= self.water.add(Birth { at_s: at_s + closes_after(diameter), sound: Sound::Tone(tone) });
        }
        room
    }

    /// Mean energy of a drop, Pa^2 s.
    fn energy(&self) -> Real {
        let p = &self.params;
        const POINTS: usize = 32;
        let size = |i: usize| {
            let u = (i as Real + 0.5) / POINTS as Real;
            let diameter = (p.smallest_m - p.spread_m * ln(1.0 - u)).min(6e-3);
            let decay_s = 1.2e-3 * ((0.6 * diameter).max(1.8e-3) / 3e-3).sqrt();
            pow(diameter / 2e-3, 3.0) * 0.25 * decay_s * (1.0 + 0.36 * 0.7)
        };
        let mean = (0..POINTS).map(size).sum::<Real>() / POINTS as Real;
        let (near, far) = (p.near_m * p.near_m, (p.far_m * p.far_m).max(1.0001 * p.near_m * p.near_m));
        p.gain * p.gain * mean * ln(far / near) / (far - near)
    }
}

impl Tunable for Rain {
    fn specs(&self) -> &'static [Spec] {
        RainParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.put(index, value);
        self.ports.set(self.params.contact_time_s, self.rate_hz);
        self.bed.retune(0, self.params.bed_low_hz, self.params.bed_high_hz);
    }
}

impl Process for Rain {
    fn enter(&mut self, cell: Cell) -> u64 {
        self.events.begin(cell);
        self.ports.settle();
        self.water.begin(cell);
        let p = self.params;
        let rate = p.rate_hz * 0.5 * (cell.from + cell.to).max(0.0);
        let (mut arrivals, mut full) = (self.arrivals.clone(), 0);
        let beyond = arrivals.draw(cell, rate, |at_s| {
            let diameter = (p.smallest_m - p.spread_m * ln(1.0 - self.rng.unit())).min(6e-3); // [rain.1]
            let (near, far) = (p.near_m * p.near_m, p.far_m.max(p.near_m) * p.far_m.max(p.near_m));
            let distance = (near + self.rng.unit() * (far - near)).sqrt(); // [rain.3]
            full += u64::from(!self.fall(at_s, diameter, distance));
            true
        });
        self.arrivals = arrivals;
        if self.ports.count() == 0 {
            let level = if p.bed > 0.0 && rate > 0.0 { p.bed * (rate * self.energy()).sqrt() } else { 0.0 };
            self.bed.enter(cell, [level, 0.0], 1200.0);
        }
        self.water.settle();
        beyond + full
    }

    fn events(&self) -> &[Event] {
        if self.ports.count() > 0 { self.events.all() } else { self.water.events() }
    }

    fn trigger(&mut self, at_s: Real, values: &[Real]) -> Triggered {
        let &[diameter, distance, delay_s, ..] = values else { return Triggered::Refused };
        if self.ports.count() > 0 {
            let impulse = momentum_of(diameter);
            let place = (self.rng.unit() * self.ports.count() as Real) as usize;
            let event = Event { at_s: at_s + delay_s, size: impulse, place };
            // A hit must fall into the present cell.
            return if delay_s == 0.0 && self.events.insert(event) {
                Triggered::Now(event)
            } else {
                Triggered::Refused
            };
        }
        let amplitude = self.params.gain * pow(diameter / 2e-3, 1.5) / distance;
        let hit = Hit::landing((0.6 * diameter).max(1.8e-3), amplitude, 9.0, 1.2e-3, &mut self.rng);
        self.water.trigger(Birth { at_s: at_s + delay_s, sound: Sound::Hit(hit) })
    }

    fn render(&mut self, span: Span, forces: &mut [Lane], sound: &mut Lane) {
        if self.ports.count() > 0 {
            return self.ports.render(span, &mut self.events, |event, _| event.size, forces);
        }
        self.water.render(span, sound);
        self.bed.render(span, sound);
    }

    fn is_awake(&self) -> bool {
        self.events.wait() || self.ports.is_awake() || self.water.is_awake() || self.bed.is_awake()
    }

    fn heard_until_s(&self) -> Real {
        let hits = self.events.last_s() + PULSES * self.params.contact_time_s;
        hits.max(self.water.heard_until_s()).max(self.bed.heard_until_s())
    }

    fn reset(&mut self) {
        self.events.clear();
        self.ports.reset();
        self.water.reset();
        self.bed.reset();
    }
}
