// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scatter: many objects fall on a surface, bounce, roll and come to rest.
//!
//! **What.** Gravel poured, coins dropped, marbles into a bowl, popcorn, rain of anything. The first that are on their way may be bodies
//! of the scene: masses that land on what they touch and bounce by their own contacts. The next `few` are followed one by one;
//! those beyond are a bed of landings with the same numbers.
//!
//! **Law.** R the signal, at least 0:
//! - `[scatter.1]  lambda = rate R`: objects are let go by [process.2], with masses `m 10^(spread xi/20)`, from heights
//!   `z (1 + vary (2 U - 1))`.
//! - Landings of one object by [flight.1] to [flight.3]; after its last it rolls:
//! - `[scatter.2]  lambda_r = rolls_hz exp(-t/roll_s)`, each with `E = ring m slowest^2/2 exp(-2 t/roll_s) U`: small hits that come
//!   to rest with it, together at most what its last landing has left it.
//! - `[scatter.3]  lambda_b = Q/tau_b`: the bed. An object beyond the few adds its n landings to Q; a landing takes one away,
//!   its speed is `v e^k`, k whole and uniform below n. tau_b is half the time that an object bounces. As many landings,
//!   with the same speeds, in the same time.
//! - `[scatter.5]  lambda_r = Q_r/roll_s`: the last of its landings, k = n - 1, adds the `rolls_hz roll_s` hits of its rolling to Q_r; a
//!   hit takes one away. [scatter.2] with its exp(-t/roll_s) uniform: as many hits, with the same energies, in the same time.
//!
//! - `[scatter.4]  v = sqrt(2 g z)` at `t + sqrt(2 z/g)`: a mass of the scene is put where it touches, with the speed of its fall, as by
//!   a strike; what follows is its contact's. It is free for the next object after `2 v/g e/(1 - e)`, when it rolls as the
//!   others do. For the hand-over to be unheard, `restitution_01` and `ring_01` say of the others what the contact does to it.
//!
//! **Symbols.** v the landing speed of a mean object, n the number of its landings.
//!
//! **Step.** What is heard is a hit of energy E on a port of a body, or on one of its own objects.
//!
//! **Sources.** Avanzini et al. 2003 section 8.5 for bouncing; the rest is ours.

use super::flight::{Flyer, GRAVITY_M_S2, Ground, landings};
use super::fragment::FragmentMode;
use super::pieces::Pieces;
use super::{Arrivals, Book, Event, Landing, Lane, Process, Span};
use crate::math::{Real, exp, expm1, pow};
use crate::param::{Params, Spec, Tunable};
use crate::reserve::Reserve;
use crate::rng::Rng;
use crate::signal::{Cell, GRID_S};

crate::params! {
    /// Parameters of scattering.
    pub struct ScatterParams {
        rate_hz: "1/s", 0.0 => 1e4, default 40.0, Log, Control, glide 0.02, "Objects that are let go in a second where the signal is 1.";
        mass_kg: "kg", 1e-9 => 1e3, default 0.005, Log, Control, glide 0.02, "Mass of an object, the middle of all.";
        spread_db: "dB", 0.0 => 40.0, default 4.0, Linear, Control, glide 0.02, "Standard deviation of the masses.";
        height_m: "m", 0.0 => 100.0, default 0.3, Linear, Control, glide 0.02, "How far they fall.";
        vary_01: "1", 0.0 => 1.0, default 0.3, Linear, Control, glide 0.02, "How much the height varies, as a part of it.";
        restitution_01: "1", 0.0 => 0.95, default 0.5, Linear, Control, glide 0.02, "Speed after a landing over speed before.";
        ring_01: "1", 0.0 => 1.0, default 0.05, Log, Control, glide 0.02, "Part of the energy lost in a landing that rings.";
        slowest_m_s: "m/s", 1e-3 => 10.0, default 0.1, Log, Control, glide 0.02, "Speed below which an object bounces no more and rolls.";
        rolls_hz: "1/s", 0.0 => 1e4, default 40.0, Linear, Control, glide 0.02, "Small hits in a second when it begins to roll.";
        roll_s: "s", 1e-3 => 100.0, default 0.15, Log, Control, glide 0.02, "Time in which rolling dies away to 1/e.";
        contact_time_s: "s", 0.0 => 0.1, default 1e-4, Linear, Control, glide 0.02, "About how long a hit lasts.";
        freq_scale: "1", 0.05 => 20.0, default 1.0, Log, Control, glide 0.05, "Factor on the frequencies of its own objects.";
        bed_01: "1", 0.0 => 1.0, default 1.0, Linear, Control, glide 0.02, "Level of the bed: of the landings of objects beyond the few.";
        gain: "Pa s/m", 0.0 => 1e12, default 1.0, Log, Control, glide 0.02, "Level of its own sound: Pa at 1 m for 1 m/s of its objects.";
    }
}

/// Most objects that are followed one by one.
pub const MOST_FEW: usize = 64;

/// Part of its first speed at which a rolling object lies still.
const STILL: Real = 0.02;

/// An object that rolls: since when, s, its mass, kg, and what it still has to give, J.
#[derive(Clone, Copy, Debug)]
struct Rolling {
    since_s: Real,
    mass: Real,
    left_j: Real,
}

/// A mass of the scene, kg; when it lands, s, and how fast, m/s, if it falls.
#[derive(Clone, Copy, Debug)]
struct Own {
    mass: Real,
    falls: Option<(Real, Real)>,
    /// It bounces, until then.
    until_s: Option<Real>,
    rolling: Option<Rolling>,
}

impl Own {
    fn is_free(&self) -> bool {
        self.falls.is_none() && self.until_s.is_none() && self.rolling.is_none()
    }
}

/// Objects that fall.
#[derive(Clone)]
pub struct Scatter {
    params: ScatterParams,
    masses: Vec<Own>,
    landings: Reserve<Landing>,
    flyers: Vec<Flyer>,
    rolling: Vec<Option<Rolling>>,
    pieces: Pieces,
    drops: Arrivals,
    bed: Arrivals,
    rolls: Arrivals,
    rng: Rng,
    /// Landings that the bed still owes.
    owed: Real,
    bed_rolls: Arrivals,
    /// Hits of rolling that it owes, and what they may have, J.
    owed_rolls: Real,
    rolls_j: Real,
}

/// What scattering is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct ScatterMake {
    /// Objects that are followed one by one.
    pub few: usize,
    /// Sizes of its own objects, in equal ratios between these two.
    pub sizes: [Real; 2],
    /// How many of those.
    pub objects: usize,
    /// Modes of an object of size 1.
    pub modes: Vec<FragmentMode>,
    /// Inverse masses of the ports that are hit instead, 1/kg.
    pub ports: Vec<Real>,
    /// Masses of the scene that fall first, kg.
    pub masses: Vec<Real>,
}

impl Scatter {
    /// Objects with their random streams. `[control]`
    pub fn new(params: ScatterParams, make: &ScatterMake, rate_hz: Real, rng: impl Fn(&str) -> Rng) -> Self {
        let ([small, large], objects) = (make.sizes, make.objects.max(1));
        let at = |i: usize| if objects > 1 { i as Real / (objects - 1) as Real } else { 0.5 };
        let sizes: Vec<Real> = (0..objects).map(|i| small * pow(large / small, at(i))).collect();
        let mut scatter = Self {
            params,
            masses: make
                .masses
                .iter()
                .map(|mass| Own { mass: *mass, falls: None, until_s: None, rolling: None })
                .collect(),
            landings: Reserve::of(make.masses.len()),
            flyers: vec![Flyer::REST; make.few.min(MOST_FEW)],
            rolling: vec![None; make.few.min(MOST_FEW)],
            pieces: Pieces::new(&sizes, &make.modes, &make.ports, rate_hz),
            drops: Arrivals::new(rng("drops")),
            bed: Arrivals::new(rng("bed")),
            rolls: Arrivals::new(rng("rolls")),
            rng: rng("objects"),
            owed: 0.0,
            bed_rolls: Arrivals::new(rng("bed rolls")),
            owed_rolls: 0.0,
            rolls_j: 0.0,
        };
        scatter.tune();
        scatter
    }

    fn tune(&mut self) {
        self.pieces.tune(self.params.contact_time_s, self.params.freq_scale, 1.0);
    }

    fn ground(&self) -> Ground {
        let p = &self.params;
        Ground { restitution: p.restitution_01, ring: p.ring_01, slowest: p.slowest_m_s }
    }

    /// A place for a hit, and the event if there is room.
    fn hit(&mut self, cell: Cell, at_s: Real, energy: Real) -> u64 {
        let place = (self.rng.unit() * self.pieces.count() as Real) as usize;
        self.pieces.hit(cell, at_s, energy, place)
    }

    fn let_go(&mut self, at_s: Real) {
        let p = self.params;
        let mass = p.mass_kg * pow(10.0, p.spread_db * self.rng.normal() / 20.0);
        let height = p.height_m * (1.0 + p.vary_01 * (2.0 * self.rng.unit() - 1.0)); // [scatter.1]
        let flyer = Flyer::thrown(mass, at_s, height, 0.0);
        if let Some(own) = self.masses.iter_mut().find(|own| own.is_free()) {
            own.falls = Some((flyer.lands_s, flyer.speed)); // [scatter.4]
            return;
        }
        match self.flyers.iter_mut().zip(&mut self.rolling).find(|(own, rolls)| !own.flies() && rolls.is_none()) {
            Some((own, _)) => {
                *own = flyer;
                self.pieces.book.had_j += mass * GRAVITY_M_S2 * height;
            }
            None => self.owed += landings(flyer.speed, self.ground()),
        }
    }

    /// The masses of the scene. [scatter.4]
    fn land(&mut self, cell: Cell) -> u64 {
        let (end, p, mut beyond) = (cell.from_s() + GRID_S, self.params, 0);
        self.landings.clear();
        let e = p.restitution_01.min(0.99);
        for body in 0..self.masses.len() {
            let own = &mut self.masses[body];
            if let Some((at_s, speed_m_s)) = own.falls.filter(|(at_s, _)| *at_s < end) {
                self.landings.push(Landing { at_s, body, speed_m_s });
                own.falls = None;
                own.until_s = Some(at_s + 2.0 * speed_m_s / GRAVITY_M_S2 * e / (1.0 - e));
            }
            if let Some(since_s) = own.until_s.filter(|until_s| *until_s < end) {
                own.until_s = None;
                let left_j = 0.5 * own.mass * p.slowest_m_s * p.slowest_m_s;
                own.rolling = (p.rolls_hz > 0.0).then_some(Rolling { since_s, mass: own.mass, left_j });
                self.pieces.book.had_j += left_j;
            }
            if let Some(rolling) = own.rolling {
                let (goes_on, more) = self.roll(cell, rolling);
                self.masses[body].rolling = goes_on;
                beyond += more;
            }
        }
        self.landings.sort_unstable_by(|one, other| one.at_s.total_cmp(&other.at_s));
        beyond
    }

    /// The small hits of an object that rolls; `None` once it lies still. [scatter.2]
    fn roll(&mut self, cell: Cell, rolling: Rolling) -> (Option<Rolling>, u64) {
        let (p, Rolling { since_s, mass, mut left_j }) = (self.params, rolling);
        let left = exp(-(cell.from_s() - since_s).max(0.0) / p.roll_s);
        if left < STILL {
            return (None, 0);
        }
        let (mut rolls, mut beyond) = (self.rolls.clone(), 0);
        rolls.draw(cell, p.rolls_hz * left, |at_s| {
            let speed = p.slowest_m_s * left;
            let energy = (p.ring_01 * 0.5 * mass * speed * speed * self.rng.unit()).min(left_j);
            left_j -= energy;
            beyond += self.hit(cell, at_s, energy);
            true
        });
        self.rolls = rolls;
        (Some(Rolling { left_j, ..rolling }), beyond)
    }

    /// The objects that are followed.
    fn follow(&mut self, cell: Cell) -> u64 {
        let (end, ground, mut beyond) = (cell.from_s() + GRID_S, self.ground(), 0);
        for i in 0..self.flyers.len() {
            while self.flyers[i].lands_s < end {
                let (at_s, mass) = (self.flyers[i].lands_s, self.flyers[i].mass);
                let energy = self.flyers[i].land(ground);
                beyond += self.hit(cell, at_s, energy);
                if !self.flyers[i].flies() && self.params.rolls_hz > 0.0 {
                    let speed = self.flyers[i].speed; // what its last landing has left it
                    self.rolling[i] = Some(Rolling { since_s: at_s, mass, left_j: 0.5 * mass * speed * speed });
                }
            }
        }
        for i in 0..self.rolling.len() {
            let Some(rolling) = self.rolling[i] else { continue };
            let (goes_on, more) = self.roll(cell, rolling);
            self.rolling[i] = goes_on;
            beyond += more;
        }
        beyond
    }

    /// Those beyond. [scatter.3]
    fn lie(&mut self, cell: Cell) -> u64 {
        let beyond = self.roll_on(cell);
        if self.owed <= 0.0 {
            return beyond;
        }
        let (p, ground) = (self.params, self.ground());
        let speed = (2.0 * GRAVITY_M_S2 * p.height_m).sqrt();
        let count = landings(speed, ground);
        let e = ground.restitution.min(0.99);
        let bounces = 2.0 * speed / GRAVITY_M_S2 * e / (1.0 - e);
        let tau = (0.5 * bounces).max(GRID_S);
        let rolls = (1.0 - STILL) * p.rolls_hz * GRID_S / -expm1(-GRID_S / p.roll_s);
        let (mut bed, mut beyond) = (self.bed.clone(), beyond);
        let left_out = bed.draw(cell, self.owed / tau, |at_s| {
            self.owed -= 1.0;
            let bounce = (self.rng.unit() * count).floor();
            let v = speed * pow(e, bounce);
            let mass = p.mass_kg * pow(10.0, p.spread_db * self.rng.normal() / 20.0);
            let had = (1.0 - e * e) * 0.5 * mass * v * v;
            self.pieces.book.had_j += had;
            beyond += self.hit(cell, at_s, p.bed_01 * p.bed_01 * ground.ring * had);
            if bounce + 1.0 >= count && rolls > 0.0 {
                let left_j = 0.5 * mass * e * e * v * v;
                self.pieces.book.had_j += left_j;
                self.rolls_j += left_j;
                self.owed_rolls += fault!(BED_ROLLS, rolls, 0.0); // [scatter.5]
            }
            true
        });
        self.bed = bed;
        // What was beyond the most is left out, not put off.
        self.owed = (self.owed - left_out as Real).max(0.0);
        beyond + left_out
    }
}

impl Scatter {
    /// Of those beyond, the ones that roll. [scatter.5]
    fn roll_on(&mut self, cell: Cell) -> u64 {
        if self.owed_rolls <= 0.0 {
            return 0;
        }
        let (p, mut rolls, mut beyond) = (self.params, self.bed_rolls.clone(), 0);
        let left_out = rolls.draw(cell, self.owed_rolls / p.roll_s, |at_s| {
            self.owed_rolls -= 1.0;
            let mass = p.mass_kg * pow(10.0, p.spread_db * self.rng.normal() / 20.0);
            let speed = p.slowest_m_s * self.rng.between(STILL, 1.0);
            let energy = (p.ring_01 * 0.5 * mass * speed * speed * self.rng.unit()).min(self.rolls_j);
            self.rolls_j -= energy;
            beyond += self.hit(cell, at_s, p.bed_01 * p.bed_01 * energy);
            true
        });
        self.bed_rolls = rolls;
        self.owed_rolls -= left_out as Real;
        if self.owed_rolls <= 0.0 {
            (self.owed_rolls, self.rolls_j) = (0.0, 0.0);
        }
        beyond + left_out
    }
}

impl Tunable for Scatter {
    fn specs(&self) -> &'static [Spec] {
        ScatterParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.put(index, value);
        self.tune();
    }
}

impl Process for Scatter {
    fn enter(&mut self, cell: Cell) -> u64 {
        self.pieces.begin(cell, self.params.gain);
        let rate = self.params.rate_hz * 0.5 * (cell.from + cell.to).max(0.0);
        let mut drops = self.drops.clone();
        let mut beyond = drops.draw(cell, rate, |at_s| {
            self.let_go(at_s);
            true
        });
        self.drops = drops;
        beyond += self.land(cell);
        beyond += self.follow(cell);
        beyond + self.lie(cell)
    }

    fn events(&self) -> &[Event] {
        self.pieces.events.all()
    }

    fn landings(&self) -> &[Landing] {
        &self.landings
    }

    fn render(&mut self, span: Span, forces: &mut [Lane], sound: &mut Lane) {
        self.pieces.render(span, self.params.gain, Real::INFINITY, forces, sound);
    }

    fn is_awake(&self) -> bool {
        self.pieces.is_awake()
    }

    fn heard_until_s(&self) -> Real {
        self.pieces.heard_until_s()
    }

    fn reset(&mut self) {
        self.pieces.reset();
        (self.owed, self.owed_rolls, self.rolls_j) = (0.0, 0.0, 0.0);
        self.flyers.fill(Flyer::REST);
        self.rolling.fill(None);
        self.landings.clear();
        self.masses.iter_mut().for_each(|own| (own.falls, own.until_s, own.rolling) = (None, None, None));
    }

    fn book(&self) -> Book {
        self.pieces.book
    }
}
