// SPDX-License-Identifier: MIT OR Apache-2.0
//! Drip: a drop that falls into water.
//!
//! **What.** The tick of the drop that lands, the plink of the bubble that its crater closes, smaller ones, and often the drop that a jet
//! throws up and that lands once more: each a sound of its own, none a recording.
//!
//! **Law.** D diameter, H height of fall; n normal, u uniform:
//! - `[drip.1]  v = sqrt(2 g H)`, `We = rho v^2 D/sigma`, `Fr = v^2/(g D)`.
//! - `[drip.2]  41.3 Fr^0.179 <= We <= 48.3 Fr^0.247`: there every drop closes a bubble, elsewhere three of four; none if the water is not
//!   deeper than D.
//! - `[drip.3]  t_b = min(0.75 sqrt(rho D^3/sigma), 1.8 sqrt(D/(2 g))) (1 + 0.06 n)`: when it closes.
//! - `[drip.4]  r = size D e^(0.12 n)`, at most 0.4 of the depth; amplitude `gain`, xi 0.1 to 0.2; Poisson(2) companions of 0.25 to 0.85 r
//!   within 20 ms.
//! - `[drip.5]` a landing [patter.1] of radius D/2, k = 13 m/s, amplitude `0.1 v gain`, v in m/s; in 60 of 100 a second one of 0.2 D after
//!   60 to 140 ms, with its own bubble of 0.25 to 0.55 r.
//!
//! **Symbols.** rho, sigma: density and surface tension of water, 998 kg/m^3 and 0.0728 N/m; g gravity.
//!
//! **Step.** `rate` drips a second, as regular as `irregular_01` says. Everything of a drip is drawn when it lands.
//!
//! **Sources.** [drip.2]: Oguz and Prosperetti (1990), Pumphrey and Elmore (1990), from memory; Phillips et al. (2018) for the tap.
//! De Sena et al. 2009 section 4.3. Laboratory bubbles are smaller (`size` 0.1 to 0.3); 0.55 is where recorded taps have their strongest partial.

use super::bed::Bed;
use super::bubble::{BubbleLaw, SMALLEST_M, Tone};
use super::flight::GRAVITY_M_S2;
use super::patter::{DELAY, Hit, value};
use super::rain::WATER_KG_M3;
use super::water::{Birth, Sound, Water};
use super::{Event, Lane, Process, Span, Triggered};
use crate::math::{Real, exp, ln, pow};
use crate::param::{Params, Scale, Spec, Tunable};
use crate::rng::Rng;
use crate::signal::{Cell, GRID_S};

/// Most drops of a cell of 1 ms.
const MOST_AT_ONCE: usize = 64;
/// Surface tension of water, N/m.
pub const TENSION_N_M: Real = 0.0728;
/// How long what sprays is heard, s.
const SPRAY_S: Real = 0.09;

crate::params! {
    /// Parameters of drips.
    pub struct DripParams {
        rate_hz: "1/s", 0.0 => 200.0, default 1.0, Log, Control, glide 0.02, "Drips in a second where the signal is 1; 0: only as triggered.";
        irregular_01: "1", 0.0 => 1.0, default 0.1, Linear, Control, glide 0.02, "How irregularly they come: 0 as a clock, 1 by chance.";
        diameter_m: "m", 5e-4 => 0.02, default 4e-3, Log, Control, glide 0.02, "Diameter of a drop.";
        height_m: "m", 0.0 => 100.0, default 0.1, Linear, Control, glide 0.02, "How far it falls.";
        depth_m: "m", 0.0 => 1e3, default 0.1, Linear, Control, glide 0.02, "Depth of the water.";
        bubble_size: "1", 0.01 => 2.0, default 0.55, Log, Control, glide 0.02, "Radius of the bubble over the diameter of the drop.";
        vary_01: "1", 0.0 => 1.0, default 0.1, Linear, Control, glide 0.02, "How much drops vary in size, as a part of it.";
        spray: "1", 0.0 => 10.0, default 0.02, Linear, Control, glide 0.02, "Level of the spray, a bed, over that of the bubble; 0: none.";
        freq_scale: "1", 0.05 => 20.0, default 1.0, Log, Control, glide 0.05, "Factor on the pitches of bubbles.";
        gain: "Pa", 0.0 => 1e6, default 0.2, Log, Control, glide 0.02, "Level: amplitude of the bubble at 1 m.";
    }
}

/// What a trigger of drips says.
pub const DRIP_TRIGGER: &[Spec] = &[
    value("diameter_m", "m", [5e-4, 0.02], 4e-3, Scale::Log, "Diameter of the drop."),
    value("height_m", "m", [0.0, 100.0], 0.1, Scale::Linear, "How far it falls."),
    value("depth_m", "m", [0.0, 1e3], 0.1, Scale::Linear, "Depth of the water."),
    DELAY,
];

/// True where every drop closes a bubble. [drip.1] [drip.2]
pub fn surely_closes(diameter_m: Real, height_m: Real) -> bool {
    let square = 2.0 * GRAVITY_M_S2 * height_m;
    let weber = WATER_KG_M3 * square * diameter_m / TENSION_N_M;
    let froude = square / (GRAVITY_M_S2 * diameter_m);
    (41.3 * pow(froude, 0.179)..=48.3 * pow(froude, 0.247)).contains(&weber)
}

/// When the bubble of a drop closes, s, without its chance. [drip.3]
pub fn closes_after(diameter_m: Real) -> Real {
    let by_tension = 0.75 * (WATER_KG_M3 * diameter_m * diameter_m * diameter_m / TENSION_N_M).sqrt();
    by_tension.min(fault!(DRIP_CLOSES, 1.8, 1.4) * (0.5 * diameter_m / GRAVITY_M_S2).sqrt())
}

/// A number of a Poisson law of this mean, at most 512. `[audio]`
pub fn poisson(rng: &mut Rng, mean: Real) -> usize {
    let (mut left, mut count) = (mean.clamp(0.0, 400.0), 0);
    while count < 512 {
        left += ln(1.0 - rng.unit());
        if left <= 0.0 {
            break;
        }
        count += 1;
    }
    count
}

/// A drop that falls into water.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drop {
    /// m
    pub diameter_m: Real,
    /// m
    pub height_m: Real,
    /// m
    pub depth_m: Real,
}

impl Drop {
    /// Everything that is heard of it, from a time on; `size` of its bubble over its diameter. `[audio]`
    pub fn fall(
        &self,
        at_s: Real,
        size: Real,
        gain: Real,
        freq_scale: Real,
        rng: &mut Rng,
        mut each: impl FnMut(Birth),
    ) {
        let Self { diameter_m, height_m, depth_m } = *self;
        let speed = (2.0 * GRAVITY_M_S2 * height_m).sqrt();
        let hit = Hit::landing(0.5 * diameter_m, 0.1 * speed * gain, 13.0, 1.2e-3, rng); // [drip.5]
        each(Birth { at_s, sound: Sound::Hit(hit) });
        // Everything is drawn whatever becomes of it, so that one drop's chance is not another's.
        let (chance, wait, spread) = (rng.unit(), rng.normal(), rng.normal());
        let rise = 0.1 + 0.1 * rng.unit();
        let companions = poisson(rng, 2.0);
        let shallow = fault!(DRIP_SHALLOW, depth_m <= diameter_m, false);
        if shallow || !(surely_closes(diameter_m, height_m) || chance < 0.75) {
            return;
        }
        let closes_s = at_s + closes_after(diameter_m) * (1.0 + 0.06 * wait).max(0.5);
        let radius = (size * diameter_m * exp(0.12 * spread)).min(fault!(DRIP_DEPTH, 0.4 * depth_m, 1.0)); // [drip.4]
        let mut say = |at_s: Real, radius: Real, amplitude: Real| {
            if radius / freq_scale >= SMALLEST_M {
                let tone = Tone::bubble(BubbleLaw::default(), radius / freq_scale, amplitude, rise, 0.35);
                each(Birth { at_s, sound: Sound::Tone(tone) });
            }
        };
        say(closes_s, radius, gain);
        for _ in 0..companions {
            let (part, late, loud) = (rng.between(0.25, 0.85), rng.unit(), rng.unit());
            say(closes_s + 0.02 * late, part * radius, 0.35 * loud * gain);
        }
        if rng.unit() < 0.6 {
            let lands_s = closes_s + rng.between(0.06, 0.14);
            let part = rng.between(0.25, 0.55);
            say(lands_s + closes_after(0.4 * diameter_m), part * radius, 0.25 * gain);
            let hit = Hit::landing(0.2 * diameter_m, 0.04 * speed * gain, 13.0, 1.2e-3, rng);
            each(Birth { at_s: lands_s, sound: Sound::Hit(hit) });
        }
    }
}

/// Drops that drip.
#[derive(Clone)]
pub struct Drip {
    params: DripParams,
    water: Water,
    bed: Bed,
    rng: Rng,
    /// What is left of the integral of the rate until the next drip.
    left: Real,
    /// Level of the spray.
    spray: Real,
    /// What found no room when it was triggered, counted with the next cell.
    left_out: u64,
}

impl Drip {
    /// Drips with their random streams. `[control]`
    pub fn new(params: DripParams, rate_hz: Real, rng: impl Fn(&str) -> Rng) -> Self {
        Self {
            params,
            water: Water::new(64, 32, rate_hz),
            bed: Bed::new(&[[600.0, 5000.0, 1.0]], rate_hz, rng("bed")),
            rng: rng("drops"),
            left: 0.0,
            spray: 0.0,
            left_out: 0,
        }
    }

    fn drop(&mut self, at_s: Real, drop: Drop) -> bool {
        let (p, mut room) = (self.params, true);
        let Self { water, rng, .. } = self;
        drop.fall(at_s, p.bubble_size, p.gain, p.freq_scale, rng, |birth| room &= water.add(birth));
        self.spray += p.spray * p.gain;
        room
    }
}

impl Tunable for Drip {
    fn specs(&self) -> &'static [Spec] {
        DripParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.put(index, value);
    }
}

impl Process for Drip {
    fn enter(&mut self, cell: Cell) -> u64 {
        self.water.begin(cell);
        self.spray = if self.spray < 1e-7 { 0.0 } else { self.spray * exp(-GRID_S / SPRAY_S) };
        let p = self.params;
        let mut ahead = p.rate_hz * 0.5 * (cell.from + cell.to).max(0.0) * GRID_S;
        let (whole, mut full, mut count) = (ahead, 0, 0);
        while whole > 0.0 && self.left < ahead {
            ahead -= self.left;
            count += 1;
            if count > MOST_AT_ONCE {
                // A jet and no drip any more: about so many are left out.
                full += 1 + ahead.min(1e9) as u64;
                (ahead, self.left) = (0.0, 1.0);
                break;
            }
            let at_s = cell.from_s() + GRID_S * (1.0 - ahead / whole);
            let gap = -ln(1.0 - self.rng.unit());
            self.left = 1.0 + p.irregular_01 * (gap - 1.0);
            let diameter_m = p.diameter_m * (1.0 + p.vary_01 * self.rng.between(-1.0, 1.0)).max(0.1);
            let drop = Drop { diameter_m, height_m: p.height_m, depth_m: p.depth_m };
            full += u64::from(!self.drop(at_s, drop));
        }
        self.left = (self.left - ahead).max(0.0);
        self.bed.enter(cell, [self.spray, 0.0], 1200.0);
        self.water.settle();
        full + core::mem::take(&mut self.left_out)
    }

    fn events(&self) -> &[Event] {
        self.water.events()
    }

    fn trigger(&mut self, at_s: Real, values: &[Real]) -> Triggered {
        let &[diameter_m, height_m, depth_m, delay_s, ..] = values else { return Triggered::Refused };
        let (p, drop) = (self.params, Drop { diameter_m, height_m, depth_m });
        let (mut answer, Self { water, rng, left_out, .. }) = (None, &mut *self);
        drop.fall(at_s + delay_s, p.bubble_size, p.gain, p.freq_scale, rng, |birth| {
            let done = water.trigger(birth);
            *left_out += u64::from(done == Triggered::Refused);
            answer.get_or_insert(done);
        });
        self.spray += p.spray * p.gain;
        answer.unwrap_or(Triggered::Refused)
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
        self.spray = 0.0;
    }
}
