// SPDX-License-Identifier: MIT OR Apache-2.0
//! Splash: a body thrown into water, in three parts.
//!
//! **What.** The slap of the impact with its crown, the cavity that closes behind the body with its foam, and the droplets that were thrown
//! up and come down. Where the water is shallow there is no cavity, and the body goes on to the bottom.
//!
//! **Law.** m mass, H height of fall, v_0 speed of the throw; u uniform, n normal:
//! - `[splash.1]  R = (3 m/(4 pi rho_b))^(1/3)`, or `sqrt(A/pi)` where the body's area is given, `v = sqrt(v_0^2 + 2 g H)`, `We` by [drip.1]
//!   with the diameter 2 R; everything with the factor `gain (v/3.13 m/s) (R/2.29 cm)`, held to 1/50 ... 50.
//! - `[splash.2]` impact: a landing of radius R, k = 16 m/s, 0.55, decay `4 ms sqrt(R/1 cm)`; crown: `6 + 20 min(1, We/5000)` landings of
//!   0.1 to 0.4 R, 0.12 u, |n| 20 ms late.
//! - `[splash.3]` cavity, where the depth is above R: after `t_b` of [drip.3] with the diameter 2 R a bubble of `min(0.3 R, 0.4 depth)`, 0.36,
//!   xi 0.12, four companions within 50 ms; foam: Poisson(63 (R/2 cm)^0.7) bubbles, each after Exp(0.22 s sqrt(R/2 cm)).
//! - `[splash.4]` droplets: `Poisson(40 min(1, We/4000) sqrt(R/2 cm) + 6)`, thrown up with `u_z = v (0.1 + 0.75 u^1.6)`, landing after
//!   `2 u_z/g`, radius 0.6 mm to 0.15 R + 0.7 mm by [water.2] with b = 2; seven of ten close a bubble of 0.8 of it, at most 4 mm.
//! - `[splash.5]  (1 - e^(-t/4 ms)) (0.9 e^(-t/(50 ms sqrt(R/2 cm))) + 0.45 e^(-t/(0.42 v/g)))`: the spray, a bed from 6/R Hz to 2.6 kHz
//!   and, at a quarter, to 7 kHz; its level is `spray`, which may be 0.
//! - `[splash.6]  v_b^2 = w^2 + (v^2 - w^2) e^(-2 a depth)`, `a = rho C A/(2 m)`, `w^2 = g (1 - rho/rho_b)/a`, `J = m v_b` at the bottom, after
//!   the integral of 1/v down to there: drag, weight and buoyancy; the hit is on the places `on`, and booked. What is lighter than water may
//!   never reach it. A ball as heavy as water: `v_b = v e^(-3 C depth/(8 R))`, after `8 R/(3 C v) (e^(3 C depth/(8 R)) - 1)`.
//!
//! **Symbols.** rho density of water, rho_b `density_kg_m3`; A `area_m2`, else that of the ball; C `drag`; t_b for large bodies is 1.8 sqrt(R/g).
//!
//! **Step.** A splash comes where the signal passes the threshold, or as triggered; all of it is drawn then.
//!
//! **Sources.** De Sena et al. 2009 sections 4.3.1 to 4.3.3; the numbers are ours, set by recorded splashes.

use super::bed::Bed;
use super::bubble::{BubbleLaw, SMALLEST_M, Tone};
use super::drip::{TENSION_N_M, closes_after, poisson};
use super::flight::GRAVITY_M_S2;
use super::patter::{DELAY, Hit, MOST_HITS, radius_of, value};
use super::rain::WATER_KG_M3;
use super::water::{Birth, Sound, Water};
use super::{Event, Events, Hitter, Lane, PULSES, Process, Span, Trigger, Triggered};
use crate::math::{PI, Real, exp, ln, pow};
use crate::param::{Params, Scale, Spec, Tunable};
use crate::rng::Rng;
use crate::signal::{Cell, GRID_S};

crate::params! {
    /// Parameters of splashes.
    pub struct SplashParams {
        mass_kg: "kg", 1e-6 => 1e3, default 0.05, Log, Control, glide 0.0, "Mass of what falls in.";
        height_m: "m", 0.0 => 100.0, default 0.5, Linear, Control, glide 0.0, "How far it falls.";
        speed_m_s: "m/s", 0.0 => 100.0, default 0.0, Linear, Control, glide 0.0, "Speed with which it is thrown from there, besides its fall.";
        depth_m: "m", 0.0 => 1e3, default 0.3, Linear, Control, glide 0.0, "Depth of the water.";
        threshold: "1", 1e-9 => 1e9, default 0.5, Log, Control, glide 0.0, "A splash comes where the signal rises above this.";
        cavity: "1", 0.0 => 4.0, default 1.0, Linear, Control, glide 0.02, "Level of the cavity that closes behind it.";
        foam: "1", 0.0 => 4.0, default 0.7, Linear, Control, glide 0.02, "Level of the foam.";
        droplets: "1", 0.0 => 4.0, default 1.0, Linear, Control, glide 0.02, "Level of the droplets that come down.";
        spray: "1", 0.0 => 10.0, default 0.8, Linear, Control, glide 0.02, "Level of the spray, a bed; 0: none.";
        drag: "1", 0.0 => 10.0, default 0.5, Linear, Control, glide 0.0, "Drag coefficient on the way to the bottom: 0.5 for what is round, 1.2 for what is flat.";
        contact_time_s: "s", 0.0 => 0.1, default 1e-3, Linear, Control, glide 0.02, "At the bottom: about how long it is hit.";
        freq_scale: "1", 0.05 => 20.0, default 1.0, Log, Control, glide 0.05, "Factor on the pitches of bubbles.";
        gain: "Pa", 0.0 => 1e6, default 0.5, Log, Control, glide 0.02, "Level at 1 m, of 50 g from half a metre.";
        area_m2: "m^2", 0.0 => 100.0, default 0.0, Linear, Control, glide 0.0, "Area with which it meets the water, of what is flat; 0: that of a ball of its mass and density.";
        density_kg_m3: "kg/m^3", 10.0 => 3e4, default 998.0, Log, Control, glide 0.0, "Its density: what is heavier than water sinks, what is lighter may never reach the bottom.";
    }
}

/// What a trigger of splashes says.
pub const SPLASH_TRIGGER: &[Spec] = &[
    value("mass_kg", "kg", [1e-6, 1e3], 0.05, Scale::Log, "Mass of what falls in."),
    value("height_m", "m", [0.0, 100.0], 0.5, Scale::Linear, "How far it falls."),
    value("depth_m", "m", [0.0, 1e3], 0.3, Scale::Linear, "Depth of the water."),
    DELAY,
    value(
        "speed_m_s",
        "m/s",
        [0.0, 100.0],
        0.0,
        Scale::Linear,
        "Speed with which it is thrown from there, besides its fall.",
    ),
];

/// Most sprays at once.
const MOST_SPRAYS: usize = 8;

/// A body that falls into water, in numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thrown {
    /// kg
    pub mass_kg: Real,
    /// m/s
    pub speed_m_s: Real,
    /// m
    pub radius_m: Real,
    /// m
    pub depth_m: Real,
    /// kg/m^3
    pub density_kg_m3: Real,
    /// Mass of a ball of water of its radius over its own.
    pub displaced: Real,
}

impl Thrown {
    /// A mass, kg, that falls from a height, m, into a depth, m. `[control]`
    pub fn new(mass_kg: Real, height_m: Real, depth_m: Real) -> Self {
        Self::at_speed(mass_kg, height_m, 0.0, depth_m)
    }

    /// The same, thrown from there with a speed, m/s. [splash.1]
    pub fn at_speed(mass_kg: Real, height_m: Real, speed_m_s: Real, depth_m: Real) -> Self {
        let radius_m = fault!(SPLASH_SIZE, pow(3.0 * mass_kg / (4.0 * PI * WATER_KG_M3), 1.0 / 3.0), times 1.1);
        let speed_m_s = (speed_m_s * speed_m_s + 2.0 * GRAVITY_M_S2 * height_m).sqrt();
        Self { mass_kg, speed_m_s, radius_m, depth_m, density_kg_m3: WATER_KG_M3, displaced: 1.0 }
    }

    /// As a body of a density, kg/m^3, that meets the water with an area, m^2; 0: a ball. [splash.1]
    pub fn of(self, area_m2: Real, density_kg_m3: Real) -> Self {
        if area_m2 == 0.0 && density_kg_m3 == WATER_KG_M3 {
            return self;
        }
        let ball_m = self.radius_m * pow(WATER_KG_M3 / density_kg_m3, 1.0 / 3.0);
        let radius_m = if area_m2 > 0.0 { fault!(SPLASH_FLAT, (area_m2 / PI).sqrt(), ball_m) } else { ball_m };
        let displaced = 4.0 / 3.0 * PI * WATER_KG_M3 * radius_m * radius_m * radius_m / self.mass_kg;
        Self { radius_m, density_kg_m3, displaced, ..self }
    }

    /// Weber number.
    pub fn weber(&self) -> Real {
        WATER_KG_M3 * self.speed_m_s * self.speed_m_s * 2.0 * self.radius_m / TENSION_N_M
    }

    /// When the cavity closes, s. [splash.3]
    pub fn closes_after(&self) -> Real {
        closes_after(2.0 * self.radius_m)
    }

    /// Radius of the bubble that it leaves, m.
    pub fn cavity_m(&self) -> Real {
        fault!(SPLASH_CAVITY, 0.3 * self.radius_m, times 1.1).min(0.4 * self.depth_m)
    }

    /// Mean time for which droplets fly, s: of 2 u_z/g.
    pub fn mean_flight_s(&self) -> Real {
        2.0 * self.speed_m_s * (0.1 + 0.75 / 2.6) / GRAVITY_M_S2
    }

    /// Impulse at the bottom, N s, and when, s. [splash.6]
    pub fn bottom(&self, drag: Real) -> (Real, Real) {
        let a = fault!(SPLASH_DRAG, 3.0, 1.5) * drag / (8.0 * self.radius_m) * self.displaced;
        let speed = self.speed_m_s.max(1e-6);
        let pull = GRAVITY_M_S2 * (1.0 - WATER_KG_M3 / self.density_kg_m3);
        if pull != 0.0 {
            // Square of the speed at a depth: the way to the terminal one, with drag or without.
            let square = |x: Real| match a > 1e-9 {
                true => pull / a + (speed * speed - pull / a) * exp(-2.0 * a * x),
                false => speed * speed + 2.0 * pull * x,
            };
            const STEPS: usize = 64;
            let step = self.depth_m / STEPS as Real;
            let slow = |i: usize| 1.0 / square((i as Real + 0.5) * step).max(0.0).sqrt();
            let end = square(self.depth_m);
            let never = end <= 0.0;
            let after_s = if never { Real::INFINITY } else { step * (0..STEPS).map(slow).sum::<Real>() };
            return (self.mass_kg * end.max(0.0).sqrt(), after_s);
        }
        let after_s = if a * self.depth_m > 1e-9 {
            (exp((a * self.depth_m).min(50.0)) - 1.0) / (a * speed)
        } else {
            self.depth_m / speed
        };
        (self.mass_kg * speed * exp(-a * self.depth_m), after_s)
    }

    fn level(&self) -> Real {
        (self.speed_m_s / 3.132 * (self.radius_m / 0.022_87)).clamp(0.02, 50.0)
    }

    /// Everything that is heard of it, from a time on. `[audio]`
    pub fn fall(&self, at_s: Real, p: &SplashParams, rng: &mut Rng, mut each: impl FnMut(Birth)) {
        let (radius, speed, gain) = (self.radius_m, self.speed_m_s, p.gain * self.level());
        let decay_s = |radius: Real| 4e-3 * (radius / 0.01).sqrt() / (radius / 3e-3).sqrt();
        let (weber, big) = (self.weber(), (radius / 0.02).sqrt());
        let hit = Hit::landing(radius, 0.55 * gain, 16.0, decay_s(radius), rng); // [splash.2]
        each(Birth { at_s, sound: Sound::Hit(hit) });
        for _ in 0..(6.0 + 20.0 * (weber / 5000.0).min(1.0)) as usize {
            let (size, loud, late) = (rng.between(0.1, 0.4), rng.unit(), rng.normal().abs());
            let hit = Hit::landing(radius * size, 0.12 * loud * gain, 16.0, 1.2e-3, rng);
            each(Birth { at_s: at_s + 0.02 * late, sound: Sound::Hit(hit) });
        }
        let bubble = |radius: Real, amplitude: Real, rise: Real| {
            let heard = radius / p.freq_scale >= SMALLEST_M && amplitude > 0.0;
            let tone = || Tone::bubble(BubbleLaw::default(), radius / p.freq_scale, amplitude, rise, 0.35);
            heard.then(|| Sound::Tone(tone()))
        };
        let mut say = |at_s: Real, sound: Option<Sound>| {
            if let Some(sound) = sound {
                each(Birth { at_s, sound });
            }
        };
        let cavity = self.cavity_m();
        if self.depth_m > radius {
            let closes_s = at_s + self.closes_after(); // [splash.3]
            say(closes_s, bubble(cavity, 0.36 * gain * p.cavity, 0.12));
            for _ in 0..4 {
                let (part, late, loud) = (rng.between(0.3, 0.9), rng.unit(), rng.unit());
                say(closes_s + 0.05 * late, bubble(part * cavity, 0.18 * loud * gain * p.cavity, 0.12));
            }
            let largest = (0.4 * cavity).max(2e-3).min(0.4 * self.depth_m);
            for _ in 0..poisson(rng, 63.0 * pow(radius / 0.02, 0.7)) {
                let late = -0.22 * big * ln(1.0 - rng.unit());
                let size = radius_of(1.6, [5e-4_f64.min(largest), largest], rng.unit());
                let loud = 0.35 * pow(size / 4e-3, 0.7) * pow(rng.unit(), 1.5) * exp(-late / 0.5);
                let rise = if rng.unit() < 0.4 { 0.1 } else { 0.0 };
                say(closes_s + late, bubble(size, loud * gain * p.foam, rise));
            }
        }
        for _ in 0..poisson(rng, 40.0 * (weber / 4000.0).min(1.0) * big + 6.0) {
            let up = 0.1 + 0.75 * pow(rng.unit(), 1.6); // [splash.4]
            let lands_s = at_s + 2.0 * up * speed / GRAVITY_M_S2;
            let size = radius_of(2.0, [6e-4, 0.15 * radius + 7e-4], rng.unit());
            let loud = 0.1 * up * pow(size / 3e-3, 0.6) * gain * p.droplets;
            if rng.unit() < 0.7 {
                say(lands_s + closes_after(2.0 * size), bubble((0.8 * size).min(4e-3), 2.0 * loud, 0.1));
            }
            let hit = Hit::landing(size, loud, 13.0, 1.2e-3, rng);
            say(lands_s, Some(Sound::Hit(hit)));
        }
    }
}

/// A spray that is heard. [splash.5]
#[derive(Clone, Copy, Debug)]
struct Spray {
    at_s: Real,
    thrown: Thrown,
    level: Real,
}

impl Spray {
    fn at(&self, t: Real) -> Real {
        let t = t - self.at_s;
        if t <= 0.0 {
            return 0.0;
        }
        let slap = 0.9 * exp(-t / (0.05 * (self.thrown.radius_m / 0.02).sqrt()));
        let thrown = 0.45 * exp(-t / (0.42 * self.thrown.speed_m_s / GRAVITY_M_S2).max(0.01));
        self.level * (1.0 - exp(-t / 4e-3)) * (slap + thrown)
    }
}

/// Bodies that fall into water.
#[derive(Clone)]
pub struct Splash {
    params: SplashParams,
    water: Water,
    bed: Bed,
    sprays: [Option<Spray>; MOST_SPRAYS],
    trigger: Trigger,
    rng: Rng,
    ports: Hitter,
    rate_hz: Real,
    events: Events,
    /// Hits at the bottom to come: when and how hard.
    bottoms: [Option<(Real, Real)>; MOST_SPRAYS],
    /// What found no room when it was triggered, counted with the next cell.
    left_out: u64,
}

impl Splash {
    /// Splashes with their random streams, over a bottom of these inverse masses, 1/kg, if it has one. `[control]`
    pub fn new(params: SplashParams, ports: &[Real], rate_hz: Real, rng: impl Fn(&str) -> Rng) -> Self {
        Self {
            params,
            water: Water::new(128, MOST_HITS, rate_hz),
            bed: Bed::new(&[[260.0, 2600.0, 1.0], [2500.0, 7000.0, 0.25]], rate_hz, rng("bed")),
            sprays: [None; MOST_SPRAYS],
            trigger: Trigger::default(),
            rng: rng("drops"),
            ports: Hitter::new(ports, params.contact_time_s, rate_hz),
            rate_hz,
            events: Events::default(),
            bottoms: [None; MOST_SPRAYS],
            left_out: 0,
        }
    }

    /// What is heard besides its births.
    fn begin(&mut self, at_s: Real, thrown: Thrown) {
        let level = self.params.spray * self.params.gain * thrown.level() * 0.12;
        let spray = Spray { at_s, thrown, level };
        let oldest = |slot: &Option<Spray>| slot.map_or(-1.0, |spray| spray.at_s);
        if let Some(slot) = self.sprays.iter_mut().min_by(|a, b| oldest(a).total_cmp(&oldest(b))) {
            *slot = Some(spray);
        }
        self.bed.retune(0, (6.0 / thrown.radius_m).clamp(40.0, 1500.0), 2600.0);
        let (impulse, after_s) = thrown.bottom(self.params.drag);
        if self.ports.count() > 0 && after_s < 60.0 {
            match self.bottoms.iter_mut().find(|slot| slot.is_none()) {
                Some(slot) => *slot = Some((at_s + after_s, impulse)),
                None => self.left_out += 1,
            }
        }
    }
}

impl Tunable for Splash {
    fn specs(&self) -> &'static [Spec] {
        SplashParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.put(index, value);
        self.ports.set(self.params.contact_time_s, self.rate_hz);
    }
}

impl Process for Splash {
    fn enter(&mut self, cell: Cell) -> u64 {
        self.water.begin(cell);
        self.events.begin(cell);
        self.ports.settle();
        let (p, mut full) = (self.params, 0);
        if let Some(at_s) = self.trigger.passes(cell, p.threshold) {
            let thrown = Thrown::at_speed(p.mass_kg, p.height_m, p.speed_m_s, p.depth_m).of(p.area_m2, p.density_kg_m3);
            let Self { water, rng, .. } = self;
            thrown.fall(at_s, &p, rng, |birth| full += u64::from(!water.add(birth)));
            self.begin(at_s, thrown);
        }
        let end_s = (cell.index + 1) as Real * GRID_S;
        for slot in &mut self.bottoms {
            if let Some((at_s, impulse)) = slot.filter(|(at_s, _)| *at_s < end_s) {
                let event =
                    Event { at_s: at_s.max(cell.from_s()), size: impulse / self.ports.count() as Real, place: 0 };
                for place in 0..self.ports.count() {
                    full += u64::from(!self.events.insert(Event { place, ..event }));
                }
                *slot = None;
            }
        }
        let level: Real = self.sprays.iter().flatten().map(|spray| spray.at(end_s)).sum();
        for slot in &mut self.sprays {
            slot.take_if(|spray| end_s > spray.at_s + 0.02 && spray.at(end_s) < 1e-6);
        }
        self.bed.enter(cell, [level; 2], 1200.0);
        self.water.settle();
        full + core::mem::take(&mut self.left_out)
    }

    fn events(&self) -> &[Event] {
        self.water.events()
    }

    fn trigger(&mut self, at_s: Real, values: &[Real]) -> Triggered {
        let &[mass_kg, height_m, depth_m, delay_s, speed_m_s, ..] = values else { return Triggered::Refused };
        let (p, mut answer) = (self.params, None);
        let thrown = Thrown::at_speed(mass_kg, height_m, speed_m_s, depth_m).of(p.area_m2, p.density_kg_m3);
        let Self { water, rng, left_out, .. } = self;
        thrown.fall(at_s + delay_s, &p, rng, |birth| {
            let done = water.trigger(birth);
            *left_out += u64::from(done == Triggered::Refused);
            answer.get_or_insert(done);
        });
        self.begin(at_s + delay_s, thrown);
        answer.unwrap_or(Triggered::Refused)
    }

    fn render(&mut self, span: Span, forces: &mut [Lane], sound: &mut Lane) {
        self.water.render(span, sound);
        self.bed.render(span, sound);
        if self.ports.count() > 0 {
            self.ports.render(span, &mut self.events, |event, _| event.size, forces);
        }
    }

    fn is_awake(&self) -> bool {
        let waits = self.bottoms.iter().any(Option::is_some) || self.sprays.iter().any(Option::is_some);
        waits || self.events.wait() || self.ports.is_awake() || self.water.is_awake() || self.bed.is_awake()
    }

    fn heard_until_s(&self) -> Real {
        let coming = self.bottoms.iter().flatten().map(|(at_s, _)| *at_s).fold(self.events.last_s(), Real::max);
        let hits = coming + PULSES * self.params.contact_time_s;
        hits.max(self.water.heard_until_s()).max(self.bed.heard_until_s())
    }

    fn reset(&mut self) {
        self.water.reset();
        self.bed.reset();
        self.events.clear();
        self.ports.reset();
        (self.sprays, self.bottoms) = ([None; MOST_SPRAYS], [None; MOST_SPRAYS]);
    }
}
