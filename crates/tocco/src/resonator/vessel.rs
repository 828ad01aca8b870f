// SPDX-License-Identifier: MIT OR Apache-2.0
//! Vessel: a glass, a jug or a bottle, with the air in it and water to fill it.
//!
//! **What.** The air above the water rings, higher and higher as the vessel fills; the wall rings, lower and lower. Both are modes of one
//! body, so whatever pours in pushes the air and is booked as work, and nothing is a filter at the output.
//!
//! **Law.** z level of the water, H height, R radius at the rim, L = H - z:
//! - `[vessel.1]  f_m = (2 m - 1) c/(4 (L + 0.62 R))`, m = 1, 2, 3: air in a cup, open above; c = 343 m/s.
//! - `[vessel.2]  f = c/(2 pi) sqrt(pi R_n^2/(V (l_n + 1.46 R_n)))`: air V in a bottle with a neck of radius R_n and length l_n.
//! - `[vessel.3]  1/Q = (k R)^2/pi + 1.47/(R sqrt(pi f/nu))`, k = 2 pi f/c, nu = 1.5e-5 m^2/s: lost to the room and to the wall; of a bottle with
//!   R_n. Near the rim Q falls to 1: the tone dissolves.
//! - `[vessel.4]  m = rho_a pi R^2 (L + 0.62 R)/2`, of a bottle `rho_a pi R_n^2 (l_n + 1.46 R_n)`: the air that moves at the mouth.
//! - `[vessel.5]  f_n/sqrt(1 + c_w (z/H)^4)`, f_n by [glass.1], `c_w = 0.2 rho_w R/(rho h)`: the wall moves the water beside it; its mass grows by
//!   the same factor.
//! - `[vessel.6]  V = pi integral (R_b + (R - R_b) z/H)^2 dz`: volume and level; what is more than it holds is not in it.
//! - `[vessel.7]  t' = t + 2 pi u b/20`, u and b of [string.7]: the angle at which a strike falls that varies
//! - `[vessel.8]  w = -(n^2 - 1)(a^2 + b^2)/(4 R)`: a wall that bends keeps its circumference, so a pattern of n waves, a and b high at the lip,
//!   takes this from its mean radius there, and its square along the height below. It breathes at twice its pitch, and what breathes is heard
//!   far better than what only bends: the octave of a glass that is rubbed or struck hard
//!
//! **Symbols.** h `thickness_m`, rho density of the wall, R_b radius of the bottom, rho_a = 1.2, rho_w = 998 kg/m^3.
//!
//! **Step.** A bank of modes of 1 kg; a port's force and motion go by `1/sqrt(m)`, which moves by the sample. So neither a change of pitch
//! [morph.3] nor one of mass hands out energy, as in [partials.2]. The air's port is its motion at the mouth: a sound of p Pa inside pushes
//! it with p times the area. An ear is a port behind these that nothing can touch: the mouth by [radiation.6], the wall by [radiation.3] as a bowl
//! of its size, at the dry wall's frequencies; its breath, of the two lowest patterns, likewise with no waves around.
//!
//! **Sources.** [vessel.1], [vessel.2]: textbooks; end correction as in *The Sound of Water* (Bagad et al. 2024). [vessel.3]: radiation per
//! round trip and boundary layer. [vessel.5]: French (1983), from memory.

use super::material::Material;
use super::modal::{Modal, ModalParams, ModeRow, Pole, Tuning};
use super::ramp::Ramp;
use super::shape::radiation::{Ear, breath, by_size, mouth, pressures};
use super::shape::{MaterialDef, Place, PlaceOn, ShapeDef, ShapeMode, evaluate};
use super::waveguide::BESIDE;
use super::{LEVELS, Motion, Reading, Resonator};
use crate::math::{PI, Real, TAU, cos, pow, sin};
use crate::param::{Params, Spec, Tunable};
use crate::rng::Rng;
use core::any::Any;

/// Its ports: the air at the mouth, the rim, the rim an eighth of a turn on, and the side below the rim.
pub const PORTS: [&str; 4] = ["air", "rim", "eighth", "side"];
/// Modes of the air.
const AIRS: usize = 3;
/// Waves around the wall: 2 to 6, each a pair.
const WAVES: usize = 5;
const MODES: usize = AIRS + 2 * WAVES;
/// Patterns of the wall whose breath is heard, the lowest.
const BREATHING: usize = 2;
const SOUND_M_S: Real = 343.0;
const AIR_KG_M3: Real = 1.2;
const WATER_KG_M3: Real = 998.0;
const NU_M2_S: Real = 1.5e-5;
/// First clamped-free shape at 0.6 of the height.
const SIDE: Real = 0.4611;
/// (1.8751)^4 of [glass.1].
const UPRIGHT: Real = 12.362_4;

crate::params! {
    /// Parameters of a vessel.
    pub struct VesselParams {
        water_m3: "m^3", 0.0 => 1e3, default 0.0, Linear, Control, glide 0.02, "Water in it; more than it holds runs over and is not in it.";
        freq_scale: "1", 0.125 => 8.0, default 1.0, Log, Control, glide 0.05, "Factor on every mode's frequency; decay times stay.";
        decay_scale: "1", 1e-3 => 1e3, default 1.0, Log, Control, glide 0.02, "Factor on every mode's decay time.";
    }
}

/// What a vessel looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VesselForm {
    /// Open above: a glass, a cylinder, a jug, a funnel.
    #[default]
    Cup,
    /// A body with a neck.
    Bottle,
}

crate::words!(VesselForm { Cup = "cup", Bottle = "bottle" });

/// What of a vessel an ear hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// The air at its mouth.
    Mouth,
    /// Its wall.
    Wall,
}

/// Geometry of a vessel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Geometry {
    /// Cup or bottle.
    pub form: VesselForm,
    /// Radius at the rim of a cup, of the body of a bottle, m.
    pub radius_m: Real,
    /// Radius of the bottom, m.
    pub bottom_m: Real,
    /// Height, of a bottle without its neck, m.
    pub height_m: Real,
    /// Thickness of the wall, m.
    pub thickness_m: Real,
    /// Radius and length of the neck, m.
    pub neck_m: [Real; 2],
    /// Of the wall.
    pub material: Material,
}

impl Geometry {
    /// What it holds below a level, m^3. [vessel.6]
    pub fn volume_m3(&self, level_m: Real) -> Real {
        let at = self.bottom_m + (self.radius_m - self.bottom_m) * (level_m / self.height_m).clamp(0.0, 1.0);
        let mean = (self.bottom_m * self.bottom_m + self.bottom_m * at + at * at) / 3.0;
        PI * mean * level_m.clamp(0.0, self.height_m)
    }

    /// What it holds, m^3.
    pub fn capacity_m3(&self) -> Real {
        self.volume_m3(self.height_m)
    }

    /// Level of so much water, m.
    pub fn level_m(&self, water_m3: Real) -> Real {
        if water_m3 >= self.capacity_m3() {
            return self.height_m;
        }
        let (bottom, wider) = (self.bottom_m, self.radius_m - self.bottom_m);
        if wider.abs() < 1e-6 * bottom {
            return water_m3 / (PI * bottom * self.radius_m);
        }
        // Of a cone, the radius at the level: its cube grows with the volume.
        let cube = bottom * bottom * bottom + 3.0 * water_m3 * wider / (PI * self.height_m);
        self.height_m * ((pow(cube.max(0.0), 1.0 / 3.0) - bottom) / wider).clamp(0.0, 1.0)
    }

    /// Frequencies, Hz, and quality factors of the air above so much water. [vessel.1] to [vessel.3]
    pub fn air(&self, water_m3: Real) -> [(Real, Real); AIRS] {
        let quality = |freq_hz: Real, radius: Real| {
            let k = TAU * freq_hz / SOUND_M_S * radius;
            1.0 / (k * k / PI + 1.47 / (radius * (PI * freq_hz / NU_M2_S).sqrt()))
        };
        match self.form {
            VesselForm::Cup => {
                let end = fault!(VESSEL_END, 0.62, 0.3) * self.radius_m;
                let length = self.height_m - self.level_m(water_m3) + end;
                core::array::from_fn(|m| {
                    let freq_hz = (2 * m + 1) as Real * SOUND_M_S / (4.0 * length);
                    (freq_hz, quality(freq_hz, self.radius_m).max(0.6))
                })
            }
            VesselForm::Bottle => {
                let [radius, length] = self.neck_m;
                let air = (self.capacity_m3() - water_m3).max(1e-3 * self.capacity_m3()); // [vessel.2]
                let neck = length + fault!(VESSEL_NECK, 1.46, 1.0) * radius;
                let freq_hz = SOUND_M_S / TAU * (PI * radius * radius / (air * neck)).sqrt();
                let pipe_hz = SOUND_M_S / (2.0 * (length + 1.46 * radius));
                // Above it the neck rings as a pipe open at both ends.
                let of = |m: usize| if m == 0 { freq_hz } else { m as Real * pipe_hz };
                core::array::from_fn(|m| (of(m), quality(of(m), radius).max(0.6)))
            }
        }
    }

    /// Mass of the air that moves at the mouth, kg. [vessel.4]
    pub fn air_kg(&self, water_m3: Real) -> Real {
        match self.form {
            VesselForm::Cup => {
                let length = self.height_m - self.level_m(water_m3) + 0.62 * self.radius_m;
                0.5 * AIR_KG_M3 * PI * self.radius_m * self.radius_m * length
            }
            VesselForm::Bottle => {
                AIR_KG_M3 * PI * self.neck_m[0] * self.neck_m[0] * (self.neck_m[1] + 1.46 * self.neck_m[0])
            }
        }
    }

    /// By how much water loads the wall: its mass grows by this factor. [vessel.5]
    pub fn load(&self, water_m3: Real) -> Real {
        let wet = self.level_m(water_m3) / self.height_m;
        let c_w = fault!(VESSEL_LOAD, 0.2, 0.1) * WATER_KG_M3 * self.radius_m
            / (self.material.density_kg_m3 * self.thickness_m);
        1.0 + c_w * wet * wet * wet * wet
    }

    /// Frequency of the dry wall with n waves around, Hz: [glass.1].
    pub fn wall_hz(&self, n: usize) -> Real {
        let (r, square) = (self.radius_m, (n * n) as Real);
        let slender = self.radius_m / self.height_m;
        let unit_hz = self.thickness_m * (self.material.young_pa / (12.0 * self.material.density_kg_m3)).sqrt();
        let bends = (square - 1.0) * (square - 1.0) + UPRIGHT * slender * slender * slender * slender;
        unit_hz / (TAU * r * r) * (bends / (1.0 + 1.0 / square)).sqrt()
    }

    /// Pa at an ear per m/s^2 of every mode where its port has the gain of air or wall.
    fn ear(&self, heard: Heard, distance_m: Real, below_hz: Real) -> Vec<Real> {
        let wide = if self.form == VesselForm::Bottle { self.neck_m[0] } else { self.radius_m };
        let mut row = vec![0.0; MODES];
        if heard == Heard::Mouth {
            row[..AIRS].fill(mouth(PI * wide * wide, distance_m)); // [radiation.6]
            return row;
        }
        let Some(bowl) = ShapeDef::new("bowl", MaterialDef::Own(self.material)) else { return row };
        let bowl = bowl.with("radius_m", self.radius_m).with("height_m", self.height_m);
        let bowl = bowl.with("thickness_m", self.thickness_m).with_modes(200);
        let lip = [PlaceOn { name: String::new(), place: Place::At(vec![1.0, 0.0]) }];
        let solved = evaluate(&bowl, &lip, below_hz).unwrap_or_default();
        let found =
            pressures(&bowl, below_hz, Ear::Around, distance_m).map_or_else(|_| Vec::new(), |found| found.per_mode);
        for wall in 0..2 * WAVES {
            let n = 2 + wall / 2;
            let same = |mode: &ShapeMode| mode.numbers == [n as i32, 0, 0];
            // Both move the lip alike; what is too flat for a bowl is heard by its size.
            let per_lip = match solved.modes.iter().position(same) {
                Some(i) if i < found.len() => found[i] / solved.shapes[0][i],
                _ => by_size(self.radius_m, self.wall_hz(2), self.wall_hz(n), distance_m),
            };
            row[AIRS + wall] = per_lip * core::f64::consts::SQRT_2 / (1.0 + 1.0 / (n * n) as Real).sqrt();
        }
        row
    }

    /// Pa at an ear per m^2/s^2 of the motion of each pattern at the lip. [vessel.8]
    fn breath(&self, distance_m: Real) -> [Real; BREATHING] {
        core::array::from_fn(|pair| {
            let (n, square) = (2 + pair, ((2 + pair) * (2 + pair)) as Real);
            let heard = breath(self.radius_m, self.height_m, 2.0 * self.wall_hz(n), distance_m);
            -fault!(VESSEL_BREATH, heard, 0.0) * (square - 1.0) / (4.0 * self.radius_m)
        })
    }

    fn wall_kg(&self) -> Real {
        let middle = 0.5 * (self.radius_m + self.bottom_m);
        self.material.density_kg_m3 * self.thickness_m * TAU * middle * self.height_m
    }
}

/// Values of all modes' shapes on the wall, at an angle, rad, and where the first upright shape is `high`.
fn at_rim(angle: Real, high: Real) -> Vec<Real> {
    let root = core::f64::consts::SQRT_2;
    let shape = |mode: usize| match mode.checked_sub(AIRS) {
        None => 0.0,
        Some(wall) => {
            let n = (2 + wall / 2) as Real;
            let angle = angle * n;
            let turned = if wall % 2 == 0 { cos(angle) } else { sin(angle) };
            root * turned * high / (1.0 + 1.0 / (n * n)).sqrt() // [glass.2], for modes of 1 kg
        }
    };
    (0..MODES).map(shape).collect()
}

/// The same at a fraction of a turn round the rim. `[control]`
pub(crate) fn values_at(turn: Real) -> Vec<Real> {
    at_rim(TAU * turn, 1.0)
}

/// Wall, air and water.
#[derive(Clone)]
pub struct Vessel {
    params: VesselParams,
    geometry: Geometry,
    bank: Modal,
    /// Shapes where each place is aimed at, and whether the last strike fell beside it.
    aims: [([Real; MODES], bool); PORTS.len()],
    /// Of the air's port and of those of the wall.
    gains: [Ramp; 2],
    /// What each ear hears, and how it hears the wall breathe.
    ears: Vec<(Heard, [Real; BREATHING])>,
    /// Whether any of them does.
    breathes: bool,
    steps: u32,
    step: u32,
}

impl Vessel {
    /// A vessel at rest. `touched` asks for the sub-step tables ahead of time. `[control]`
    pub fn new(
        params: VesselParams,
        geometry: Geometry,
        ears: &[(Heard, Real)],
        sample_s: Real,
        touched: bool,
    ) -> Self {
        let air = (0..MODES).map(|mode| Real::from(u8::from(mode < AIRS))).collect();
        let heard = ears.iter().map(|&(what, distance_m)| geometry.ear(what, distance_m, 0.5 / sample_s));
        let places: [Vec<Real>; PORTS.len()] = [air, at_rim(0.0, 1.0), at_rim(0.25 * PI, 1.0), at_rim(0.0, SIDE)];
        let aims = core::array::from_fn(|port| (core::array::from_fn(|mode| places[port][mode]), false));
        let ports = places.into_iter().chain(heard).collect();
        let modes: Vec<ModeRow> = vec![(0.1 / sample_s, 1.0, 1.0); MODES];
        let bank = Modal::in_one_run(
            ModalParams::default(),
            &Tuning { modes, ports, ears: ears.len(), ..Tuning::default() },
            sample_s,
        );
        let mut vessel = Self {
            params,
            geometry,
            bank,
            aims,
            gains: [Ramp::still(1.0); 2],
            ears: Vec::new(),
            breathes: false,
            steps: 1,
            step: 0,
        };
        vessel.ears = ears
            .iter()
            .map(|&(what, distance_m)| match what {
                Heard::Wall => (what, geometry.breath(distance_m)),
                Heard::Mouth => (what, [0.0; BREATHING]),
            })
            .collect();
        vessel.breathes = ears.iter().any(|ear| ear.0 == Heard::Wall);
        vessel.retune(1);
        (0..if touched { LEVELS } else { 1 }).rev().for_each(|level| vessel.bank.divide(level));
        vessel
    }

    /// Where mode `i` is to be, with the air as it is now and the wall loaded so.
    fn pole(&self, i: usize, air: &[(Real, Real); AIRS], load: Real) -> Pole {
        let p = &self.params;
        let (freq_hz, sigma) = match i.checked_sub(AIRS) {
            None => {
                let (freq_hz, q) = air[i];
                (freq_hz, PI * freq_hz / q)
            }
            Some(wall) => {
                let dry = self.geometry.wall_hz(2 + wall / 2);
                let freq_hz = dry / load.sqrt(); // [vessel.5]
                (freq_hz, 1.0 / self.geometry.material.decay_s(freq_hz))
            }
        };
        Pole { omega: TAU * freq_hz * p.freq_scale, sigma: sigma / p.decay_scale }
    }

    /// Follows the parameters from the coming sample on, in so many control intervals.
    fn retune(&mut self, intervals: u32) {
        let water = self.params.water_m3;
        let (air, load) = (self.geometry.air(water), self.geometry.load(water));
        let poles: [Pole; MODES] = core::array::from_fn(|i| self.pole(i, &air, load));
        let samples = self.bank.retune_each(&poles, intervals);
        let masses = [self.geometry.air_kg(water), self.geometry.wall_kg() * load];
        for (gain, mass) in self.gains.iter_mut().zip(masses) {
            gain.aim(1.0 / mass.sqrt(), samples);
        }
        if self.bank.is_still() {
            self.arrive();
        }
    }

    /// A place of the wall is aimed at elsewhere. False if that is not on it.
    fn aim(&mut self, port: usize, shape: &[Real]) -> bool {
        match (self.aims.get_mut(port), <[Real; MODES]>::try_from(shape)) {
            (Some(aim), Ok(shape)) if port > 0 => *aim = (shape, false),
            _ => return false,
        }
        true
    }

    fn arrive(&mut self) {
        self.gains.iter_mut().for_each(Ramp::arrive);
    }

    #[inline]
    fn gain(&self, port: usize) -> Real {
        self.gains[self.moves(port)].now
    }

    /// 0: what a port says is the air's, 1: the wall's.
    #[inline]
    fn moves(&self, port: usize) -> usize {
        match port.checked_sub(PORTS.len()) {
            Some(ear) => usize::from(self.ears.get(ear).is_some_and(|ear| ear.0 == Heard::Wall)),
            None => usize::from(port > 0),
        }
    }

    /// Rate at which the square of each pattern's height at the lip rises, m^2/s.
    fn squares(&self) -> [Real; BREATHING] {
        let gain = self.gains[1].now;
        core::array::from_fn(|pair| {
            let n = (2 + pair) as Real;
            let lip = 2.0 / (1.0 + 1.0 / (n * n)) * gain * gain; // of [glass.2], squared
            let [a, b] = [0, 1].map(|side| self.bank.state_of(AIRS + 2 * pair + side));
            2.0 * lip * (a.q * a.p + b.q * b.p)
        })
    }

    /// What an ear hears besides, of these rates. [vessel.8]
    fn breath(&self, port: usize, squares: &[Real; BREATHING]) -> Real {
        let Some((_, heard)) = port.checked_sub(PORTS.len()).and_then(|ear| self.ears.get(ear)) else { return 0.0 };
        heard.iter().zip(squares).map(|(heard, rate)| heard * rate).sum()
    }

    fn over_modes(&self, port: usize, of: impl Fn(Pole) -> Real) -> Real {
        let sum: Real = self.bank.each_sounding(port).map(|(pole, phi)| phi * phi * of(pole)).sum();
        self.gain(port) * self.gain(port) * sum
    }
}

impl Tunable for Vessel {
    fn specs(&self) -> &'static [Spec] {
        VesselParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        if self.params.value(index) != value {
            self.params.put(index, value);
            self.retune(intervals(index));
        }
    }
}

/// Control intervals in which a value is followed, and from one to the next: all modes are found anew for the water, which rises slowly.
fn intervals(param: usize) -> u32 {
    if VesselParams::SPECS[param].id == "water_m3" { 4 } else { 1 }
}

impl Resonator for Vessel {
    fn pace(&self, param: usize) -> u64 {
        u64::from(intervals(param))
    }
    fn moving(&mut self) -> bool {
        self.bank.moving() || !self.gains.iter().all(Ramp::stands)
    }
    fn ports(&self) -> usize {
        PORTS.len() + self.ears.len()
    }
    fn attend(&mut self) {
        self.bank.attend();
    }
    fn release(&mut self) {
        (self.steps, self.step) = (1, 0);
        self.bank.release();
    }
    fn divide(&mut self, level: usize) {
        (self.steps, self.step) = (1 << level, 0);
        self.bank.divide(level);
    }
    fn free_stroke(&mut self, port: usize) -> Real {
        self.gain(port) * self.bank.free_stroke(port)
    }
    fn compliance(&self, to: usize, from: usize) -> Real {
        self.gain(to) * self.gain(from) * self.bank.compliance(to, from)
    }
    fn push(&mut self, port: usize, force_n: Real) {
        self.bank.push(port, self.gain(port) * force_n);
    }
    fn unpush(&mut self) {
        self.bank.unpush();
    }
    fn commit(&mut self) {
        self.bank.commit();
        self.step += 1;
        if self.step == self.steps {
            self.step = 0;
            self.gains.iter_mut().for_each(Ramp::pass);
        }
    }
    fn ring(&mut self, ticks: usize, readings: &mut [Reading]) {
        if self.breathes && !self.bank.rests() {
            // A square is no sum over modes: it is taken sample by sample.
            for tick in 0..ticks {
                self.bank.ring(1, readings);
                self.gains.iter_mut().for_each(Ramp::pass);
                let squares = self.squares();
                for r in readings.iter_mut() {
                    r.values[0] *= self.gain(r.port);
                    if r.motion == Motion::Velocity {
                        r.values[0] += self.breath(r.port, &squares);
                    }
                    r.file(tick, ticks);
                }
            }
            return;
        }
        self.bank.ring(ticks, readings);
        for tick in 0..ticks {
            self.gains.iter_mut().for_each(Ramp::pass);
            readings.iter_mut().for_each(|r| r.values[tick] *= self.gain(r.port));
        }
    }
    fn position(&self, port: usize) -> Real {
        self.gain(port) * self.bank.position(port)
    }
    fn velocity(&self, port: usize) -> Real {
        let bends = self.gain(port) * self.bank.velocity(port);
        if self.breathes && port >= PORTS.len() { bends + self.breath(port, &self.squares()) } else { bends }
    }
    fn sounding(&self, port: usize, motion: Motion) -> Real {
        match motion {
            Motion::Position => self.position(port),
            Motion::Velocity => self.velocity(port),
        }
    }
    fn touched(&self, port: usize, motion: Motion) -> Real {
        self.gain(port) * self.bank.touched(port, motion)
    }
    fn energy(&self) -> Real {
        self.bank.energy()
    }
    fn mode_energies(&self, out: &mut [Real]) -> usize {
        self.bank.mode_energies(out)
    }
    /// Air first, then the wall.
    fn mode_motions(&self, out: &mut [[Real; 3]]) -> usize {
        let count = self.bank.mode_motions(out);
        for (mode, [q, p, _]) in out.iter_mut().enumerate().take(count) {
            let gain = self.gain(usize::from(mode >= AIRS));
            (*q, *p) = (gain * *q, gain * *p);
        }
        count
    }
    fn mode_shape(&self, port: usize, out: &mut [Real]) {
        self.bank.mode_shape(port, out);
    }
    fn inverse_mass(&self, port: usize) -> Real {
        self.over_modes(port, |_| 1.0)
    }
    fn flexibility(&self, port: usize) -> Real {
        self.over_modes(port, |pole| 1.0 / (pole.omega * pole.omega))
    }
    fn range(&self, port: usize, seconds: Real) -> (Real, Real) {
        let (low, high) = self.bank.range(port, seconds);
        let gain = self.gains[self.moves(port)].most();
        (gain * low, gain * high)
    }
    fn hit(&mut self, port: usize, impulse_n_s: Real) -> bool {
        self.bank.hit(port, self.gain(port) * impulse_n_s)
    }
    /// The shape is that of all modes; the air is touched at the mouth only, the wall round the rim.
    fn touch_at(&mut self, port: usize, shape: &[Real]) -> bool {
        self.aim(port, shape) && self.bank.touch_at(port, shape)
    }
    fn slide_to(&mut self, port: usize, shape: &[Real]) -> bool {
        self.aim(port, shape) && self.bank.slide_to(port, shape)
    }
    /// On round the rim, each pair of modes turned by as much. [vessel.7]
    fn restrike(&mut self, port: usize, more_01: Real, rng: &mut Rng) {
        let Some((aim, beside)) = self.aims.get_mut(port).filter(|_| port > 0) else { return };
        if more_01 == 0.0 && !*beside {
            return;
        }
        *beside = more_01 > 0.0;
        let turn = fault!(VESSEL_BESIDE, TAU, 0.0) * BESIDE * more_01.min(1.0) * rng.between(-1.0, 1.0);
        let mut shape = *aim;
        for (pair, wall) in shape[AIRS..].chunks_exact_mut(2).enumerate() {
            let (c, s) = (cos((2 + pair) as Real * turn), sin((2 + pair) as Real * turn));
            (wall[0], wall[1]) = (wall[0] * c - wall[1] * s, wall[1] * c + wall[0] * s);
        }
        self.bank.touch_at(port, &shape);
    }
    fn settle(&mut self) -> bool {
        self.bank.settle()
    }
    fn reset(&mut self) {
        self.bank.reset();
        self.step = 0;
        self.retune(1);
        self.arrive();
    }
    fn omitted(&self) -> usize {
        self.bank.omitted()
    }
    fn inherit(&mut self, old: &dyn Resonator) -> bool {
        (old as &dyn Any).downcast_ref::<Self>().is_some_and(|old| self.bank.inherit(&old.bank))
    }
    fn shed(&mut self, below_j: Real) -> usize {
        self.bank.shed(below_j)
    }
    fn listen(&mut self, port: usize) {
        self.bank.listen(port);
    }
}
