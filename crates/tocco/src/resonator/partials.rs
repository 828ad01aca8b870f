// SPDX-License-Identifier: MIT OR Apache-2.0
//! Strings: a stiff, lossy string as the sum of its partials.
//!
//! **What.** Every partial below half the rate is a mode of a bank; a place is what its sine says there. Nothing is fitted:
//! each partial has its frequency, its decay and its nodes to rounding. `type = "string"` is this body where the string, as
//! the scene writes it, has at most [`AFFORDABLE`] partials below half the rate, and the loop of
//! [`waveguide`], whose cost does not grow with them, where it has more.
//!
//! **Law.** [string.3] and [string.4] for frequency f_n and decay rate sigma_n, and with x the place:
//! - `[partials.1]  phi_n = sin(n pi x)`, `m = Z/(4 f)`, `f = f0/sqrt(1 + B)`: each mode moves half the mass Z/(2 f) of the
//!   string; `omega_n^2 = (2 pi f_n)^2 + sigma_n^2`, so that the partial rings at f_n
//! - `[partials.2]  g = 1/sqrt(m)`: a bank of modes of 1 kg is pushed by g F and moves by x/g. Whatever g does from
//!   sample to sample, its energy is what the string's is, so that neither a change of Z nor one of f0 hands out any
//!
//! **Symbols.** Z `impedance_kg_s` kg/s; f0 `freq_hz` Hz; B `inharmonicity`; n: number of the partial.
//!
//! **Step.** That of [`modal`](super::modal), exact for a held force. Retuning goes by the sample ([course.1]), that of the pitch in
//! steps of four over four control intervals, and so does g.
//! Partials that a retune carries past half the rate fall silent, others come back at rest; there is room for
//! [`MOST`]. What is missing of a place's compliance is that of the partials beyond: next to nothing but for contacts
//! within a few samples' travel of an end.
//!
//! **Sources.** Fletcher, Rossing, *The Physics of Musical Instruments*, sections 2.18 and 2.19.

use super::modal::{Modal, ModalParams, Pole, Tuning};
use super::ramp::Ramp;
use super::shape::radiation::board;
use super::waveguide::{self, Aim, LOWEST_HZ, StringParams, Wanted, wanted};
use super::{CONTROL_TICKS, LEVELS, Motion, Reading, Resonator};
use crate::math::{PI, Real, TAU, cos, sin};
use crate::param::{Params, Spec, Tunable};
use crate::reserve::Reserve;
use crate::rng::Rng;
use core::any::Any;

/// Most partials below half the rate, as the scene writes the string, of a string made of them.
pub const AFFORDABLE: usize = 512;
/// Most partials that it has when it is tuned lower.
pub const MOST: usize = 1024;
/// Partials sound below this angle per sample, rad: half the rate but for what the modal bank's fast forms leave out.
const TOP: Real = PI - 0.0101;

/// The board that a string rests on, and how far away it is heard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Board {
    /// Radius of a disc of its size, m.
    pub size_m: Real,
    /// m
    pub distance_m: Real,
}

impl Board {
    /// Pa per newton on its bridge at a frequency, Hz.
    fn heard(&self, freq_hz: Real) -> Real {
        board(self.size_m, freq_hz, self.distance_m)
    }
}

/// A string as a bank of modes of 1 kg.
#[derive(Clone)]
pub struct Partials {
    params: StringParams,
    sample_s: Real,
    bank: Modal,
    /// Where each place is aimed at.
    aims: Vec<Aim>,
    /// g of [partials.2], on its way.
    gain: Ramp,
    /// The sample is in so many steps, of which so many are taken.
    steps: u32,
    step: u32,
    /// Room for the shape of a place, and for the tuning of every partial.
    shape: Vec<Real>,
    poles: Reserve<Pole>,
}

/// Tuning of every partial, up to the first that lies too high: [partials.1].
fn poles(wanted: Wanted, sample_s: Real) -> impl Iterator<Item = Pole> {
    let decays = wanted.decays();
    (1..).map_while(move |n| {
        let ratio = wanted.ratio(n as Real);
        let (angle, decay) = (wanted.angle_at(ratio), decays.at(ratio));
        let undamped = (angle * angle + decay * decay).sqrt();
        (undamped < TOP).then(|| Pole { omega: undamped / sample_s, sigma: decay / sample_s })
    })
}

/// Sine of every partial at a place: [partials.1].
fn sines(place: Real, shape: &mut [Real]) {
    let at = fault!(STRING_NODES, place, times 1.02);
    let (s, c) = (sin(PI * at), cos(PI * at));
    let (mut sine, mut cosine) = (0.0, 1.0);
    for value in shape {
        (sine, cosine) = (sine * c + cosine * s, cosine * c - sine * s);
        *value = sine;
    }
}

impl Partials {
    /// A string at rest with ports at fractions of its length, each in (0, 1). `touched` asks for the sub-step tables ahead
    /// of time. `[control]`
    pub fn new(params: StringParams, places: &[Real], sample_s: Real, touched: bool) -> Self {
        Self::heard(params, places, &[], sample_s, touched)
    }

    /// The same with ports behind these for what is heard through boards. `[control]`
    pub fn heard(params: StringParams, places: &[Real], ears: &[Board], sample_s: Real, touched: bool) -> Self {
        let room = ((0.5 / (LOWEST_HZ * sample_s)) as usize).min(MOST);
        let shapes = places.iter().map(|&place| {
            let mut shape = vec![0.0; room];
            sines(place, &mut shape);
            shape
        });
        let silent = 1.0 / sample_s;
        let heard = ears.iter().map(|ear| {
            let force = |omega: Real| -params.impedance_kg_s / omega * ear.heard(omega / TAU); // per m/s^2 [radiation.8]
            let mut row: Vec<Real> =
                poles(wanted(&params, sample_s), sample_s).take(room).map(|pole| force(pole.omega)).collect();
            let known = row.len();
            row.extend((known..room).map(|n| force(TAU * params.freq_hz * (n + 1) as Real)));
            row
        });
        let ports = shapes.chain(heard).collect();
        let tuning = Tuning { modes: vec![(silent, 1.0, 1.0); room], ports, ears: ears.len(), ..Tuning::default() };
        let mut string = Self {
            params,
            sample_s,
            bank: Modal::in_one_run(ModalParams::default(), &tuning, sample_s),
            aims: places.iter().copied().map(Aim::at).collect(),
            gain: Ramp::still(1.0),
            steps: 1,
            step: 0,
            shape: vec![0.0; room],
            poles: Reserve::of(room),
        };
        string.retune(1);
        (0..if touched { LEVELS } else { 1 }).rev().for_each(|level| string.bank.divide(level));
        string
    }

    /// Partials below half the rate of a string, and no more than `most`. `[control]`
    pub fn count(params: &StringParams, sample_s: Real, most: usize) -> usize {
        poles(wanted(params, sample_s), sample_s).take(most).count()
    }

    /// Follows the parameters from the coming sample on, in so many control intervals or more.
    fn retune(&mut self, intervals: u32) {
        let (wanted, most) = (wanted(&self.params, self.sample_s), self.poles.capacity().min(self.shape.len()));
        self.poles.clear();
        self.poles.extend(poles(wanted, self.sample_s).take(most));
        let samples = self.bank.retune_each(&self.poles, intervals);
        self.reweigh(samples);
    }

    /// The gain follows the mass of the string, in so many samples.
    fn reweigh(&mut self, samples: u32) {
        let StringParams { impedance_kg_s, inharmonicity, .. } = self.params;
        let freq_hz = 1.0 / (wanted(&self.params, self.sample_s).period * self.sample_s);
        let goal = (fault!(STRING_MASS, 4.0, 2.0) * freq_hz / (impedance_kg_s * (1.0 + inharmonicity).sqrt())).sqrt(); // [partials.1]
        self.gain.aim(goal, samples);
        if self.bank.is_still() {
            self.gain.arrive();
        }
    }

    /// A place is aimed at elsewhere, where the sines are in `shape` then. False if that is not on the string.
    fn aim(&mut self, port: usize, shape: &[Real]) -> bool {
        let (Some(aim), &[place]) = (self.aims.get_mut(port), shape) else { return false };
        if !(place > 0.0 && place < 1.0) {
            return false;
        }
        *aim = Aim::at(place);
        sines(place, &mut self.shape);
        true
    }

    /// A step has been taken.
    fn pass(&mut self) {
        self.step += 1;
        if self.step == self.steps {
            self.step = 0;
            self.gain.pass();
        }
    }

    /// Sum over the partials that sound, at a port, of phi^2 by what a partial gives.
    fn over_partials(&self, port: usize, of: impl Fn(Pole) -> Real) -> Real {
        let sum: Real = self.bank.each_sounding(port).map(|(pole, phi)| phi * phi * of(pole)).sum();
        self.gain.now * self.gain.now * sum
    }
}

impl Tunable for Partials {
    fn specs(&self) -> &'static [Spec] {
        StringParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        let before = self.params;
        if before.value(index) == value {
            return;
        }
        self.params.put(index, value);
        if before.impedance_kg_s == self.params.impedance_kg_s {
            self.retune(waveguide::intervals(index));
        } else {
            self.reweigh(CONTROL_TICKS as u32);
        }
    }
}

impl Resonator for Partials {
    fn pace(&self, param: usize) -> u64 {
        waveguide::pace(param)
    }
    fn moving(&mut self) -> bool {
        self.bank.moving() || !self.gain.stands()
    }
    fn ports(&self) -> usize {
        self.bank.ports()
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
    #[inline(always)]
    fn free_stroke(&mut self, port: usize) -> Real {
        self.gain.now * self.bank.free_stroke(port)
    }
    fn compliance(&self, to: usize, from: usize) -> Real {
        self.gain.now * self.gain.now * self.bank.compliance(to, from)
    }
    fn push(&mut self, port: usize, force_n: Real) {
        self.bank.push(port, self.gain.now * force_n); // [partials.2]
    }
    fn unpush(&mut self) {
        self.bank.unpush();
    }
    fn commit(&mut self) {
        self.bank.commit();
        self.pass();
    }
    #[inline(always)]
    fn step_under(&mut self, port: usize, force_n: Real) {
        self.bank.step_under(port, self.gain.now * force_n);
        self.pass();
    }
    #[inline(always)]
    fn begins(&self, port: usize) -> bool {
        self.bank.begins(port)
    }
    #[inline(always)]
    fn begin(&mut self, port: usize) {
        self.bank.begin(port);
    }
    fn ring(&mut self, ticks: usize, readings: &mut [Reading]) {
        self.bank.ring(ticks, readings);
        for tick in 0..ticks {
            self.gain.pass();
            readings.iter_mut().for_each(|r| r.values[tick] *= self.gain.now);
        }
    }
    fn position(&self, port: usize) -> Real {
        self.gain.now * self.bank.position(port)
    }
    fn velocity(&self, port: usize) -> Real {
        self.gain.now * self.bank.velocity(port)
    }
    fn touched(&self, port: usize, motion: Motion) -> Real {
        self.gain.now * self.bank.touched(port, motion)
    }
    fn energy(&self) -> Real {
        self.bank.energy()
    }
    /// Of the partials that sound; what has no place in the tuning is silent.
    fn mode_motions(&self, out: &mut [[Real; 3]]) -> usize {
        let count = self.poles.len();
        let room = out.len().min(count);
        self.bank.mode_motions(&mut out[..room]);
        for [q, p, _] in &mut out[..room] {
            (*q, *p) = (self.gain.now * *q, self.gain.now * *p); // [partials.2]
        }
        count
    }
    fn mode_shape(&self, port: usize, out: &mut [Real]) {
        self.bank.mode_shape(port, out);
    }
    fn inverse_mass(&self, port: usize) -> Real {
        self.over_partials(port, |_| 1.0)
    }
    fn flexibility(&self, port: usize) -> Real {
        self.over_partials(port, |pole| 1.0 / (pole.omega * pole.omega))
    }
    fn range(&self, port: usize, seconds: Real) -> (Real, Real) {
        let (low, high) = self.bank.range(port, seconds);
        let gain = self.gain.most();
        (gain * low, gain * high)
    }
    fn hit(&mut self, port: usize, impulse_n_s: Real) -> bool {
        self.bank.hit(port, self.gain.now * impulse_n_s)
    }
    /// The place moves as on any string: [string.7].
    fn restrike(&mut self, port: usize, more_01: Real, rng: &mut Rng) {
        if let Some(place) = self.aims.get_mut(port).and_then(|aim| aim.next(more_01, rng)) {
            sines(place, &mut self.shape);
            self.bank.touch_at(port, &self.shape);
        }
    }
    /// The shape is one number: the fraction of the length from the bridge.
    fn touch_at(&mut self, port: usize, shape: &[Real]) -> bool {
        self.aim(port, shape) && self.bank.touch_at(port, &self.shape)
    }
    fn slide_to(&mut self, port: usize, shape: &[Real]) -> bool {
        self.aim(port, shape) && self.bank.slide_to(port, &self.shape)
    }
    fn settle(&mut self) -> bool {
        self.bank.settle()
    }
    fn reset(&mut self) {
        self.bank.reset();
        self.step = 0;
        self.reweigh(1);
    }
    fn omitted(&self) -> usize {
        usize::from(self.params.freq_hz * self.sample_s > super::waveguide::HIGHEST)
    }
    /// Partial by partial, each with its energy.
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
