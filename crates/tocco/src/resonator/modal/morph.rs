// SPDX-License-Identifier: MIT OR Apache-2.0
//! Morphing: a bank of modes between two shapes, sizes or materials, and every other retuning of a sounding bank.
//!
//! **What.** A bank may carry a second tuning, its *target*. `morph_01` moves it from its own modes and places to those
//! of the target while it sounds.
//!
//! **Law.** With t = `morph_01`, of mode k (in the order of frequencies) of one end and mode k of the other:
//! - `[morph.1]  omega = omega0 (omega1/omega0)^t`, sigma likewise; linear in t where either end is zero
//! - `[morph.2]  phi = (1 - t) phi0 + t s sqrt(m0/m1) phi1`, `s = sign of sum phi0 phi1` over the ports; the mass stays m0
//! - `[morph.3]  p' = p`, `q' = q omega/omega'`: a retuned mode keeps its energy and its velocity
//! - `[morph.4]  heard = sum (phi + (phi_before - phi) b) p - jump b`, b falling from 1 to 0 over the interval of the change; of
//!   positions likewise
//!
//! **Symbols.** omega rad/s, sigma 1/s, m kg, phi: mode-shape values; q m, p m/s: state of a mode; primes: after the change.
//!
//! **Step.** Only phi/sqrt(m) matters to force and motion, and the sign of a whole mode is free, so [morph.2] gives the
//! target the masses of the body and the signs that agree best at the ports. An end with fewer modes gets silent ones
//! (phi = 0) with the decays of the other end, their frequencies continuing the ratio of the last true pair. Motions of a
//! free body as a whole have their counterparts among themselves. Touched shapes
//! change at control ticks, tunings by the sample ([course.1]), always between two steps, so every step is that of one fixed
//! body and gains nothing; what is heard moves by the sample. A mode that is or becomes a rigid motion cannot keep potential energy: going down
//! it keeps q, coming up from zero it starts at q = 0. A contact keeps its own compression throughout.
//!
//! **Sources.** ours; physics.md H9, of which [morph.3] is the form that does not step the velocity.

use super::bank::{Layout, Mode, NO_SHAPE, Pole};
use super::tail::Band;
use super::{Form, Modal, ModalParams};
use crate::math::{PI, Real, TAU, exp, ln};
use crate::resonator::kernel::{LANES, Line, Row, State, join};
use crate::resonator::{CONTROL_TICKS, Motion};

/// A mode in a table: frequency, Hz, time to 1/e, s (infinite: lossless), mass, kg.
pub type ModeRow = (Real, Real, Real);

/// What a bank is, at one end of a morph: its modes, and one row of mode-shape values per port.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tuning {
    /// The modes.
    pub modes: Vec<ModeRow>,
    /// `ports[port][mode]`
    pub ports: Vec<Vec<Real>>,
    /// How many of the first modes are motions of the body as a whole.
    pub rigid: usize,
    /// How many of the last ports are only heard: no place of the body, but what of all of it reaches an ear.
    pub ears: usize,
    /// What the last modes stand for, if they are a [`tail`](super::tail).
    pub tail: Vec<Band>,
}

impl Tuning {
    /// The ports that are places of the body.
    pub(in crate::resonator) fn places(&self) -> &[Vec<Real>] {
        &self.ports[..self.ports.len() - self.ears]
    }
}

/// Parts of a sample in which a fade is counted: the finest sub-step.
const PARTS: u32 = 64;
/// Samples from control tick to control tick.
const INTERVAL: u32 = CONTROL_TICKS as u32;
/// Slower than this, rad/s, a mode is a rigid motion to [morph.3]: its displacement would be kilometres.
pub(super) const RIGID: Real = 1e-3;

/// Orders both ends by frequency and makes them equally long: [morph.2] and the step above. The first end keeps its
/// masses, the second gets them. `[control]`
pub(super) fn pair(from: &Tuning, to: &Tuning) -> [Tuning; 2] {
    let sorted = |end: &Tuning| {
        let order = crate::order::ascending(end.modes.len(), &|i| if i < end.rigid { -1.0 } else { end.modes[i].0 });
        Tuning {
            modes: order.iter().map(|&i| end.modes[i]).collect(),
            ports: end.ports.iter().map(|port| order.iter().map(|&i| port[i]).collect()).collect(),
            rigid: end.rigid,
            ears: end.ears,
            tail: end.tail.clone(),
        }
    };
    let (mut from, mut to) = (sorted(from), sorted(to));
    move_as_wholes(&mut from, &to);
    move_as_wholes(&mut to, &from);
    extend(&mut from, &to);
    extend(&mut to, &from);
    for k in 0..from.modes.len() {
        let agree: Real = from.places().iter().zip(to.places()).map(|(a, b)| a[k] * b[k]).sum();
        let lighter = from.modes[k].2 / to.modes[k].2;
        let scale = fault!(MORPH_MASS, lighter.sqrt(), lighter) * if agree < 0.0 { -1.0 } else { 1.0 }; // [morph.2]
        to.modes[k].2 = from.modes[k].2;
        to.ports.iter_mut().for_each(|port| port[k] *= scale);
    }
    [from, to]
}

/// A motion as a whole that only the other end has is silent at this one: it never becomes a bending mode.
fn move_as_wholes(end: &mut Tuning, other: &Tuning) {
    for k in end.rigid..other.rigid {
        end.modes.insert(k, other.modes[k]);
        end.ports.iter_mut().for_each(|port| port.insert(k, 0.0));
    }
    end.rigid = end.rigid.max(other.rigid);
}

/// Adds silent modes until there are as many as at the other end.
fn extend(end: &mut Tuning, other: &Tuning) {
    let ratio = match (end.modes.last(), other.modes.get(end.modes.len().wrapping_sub(1))) {
        (Some(own), Some(last)) if own.0 > 0.0 && last.0 > 0.0 => (own.0 / last.0).clamp(1e-3, 1e3),
        _ => 1.0,
    };
    for &(freq_hz, decay_s, mass_kg) in other.modes.iter().skip(end.modes.len()) {
        end.modes.push((freq_hz * ratio, decay_s, mass_kg));
    }
    let modes = end.modes.len();
    end.ports.iter_mut().for_each(|port| port.resize(modes, 0.0));
}

/// Both ends, in the order of the bank's slots.
#[derive(Clone)]
pub(super) struct Morph {
    from: End,
    to: End,
    /// Logarithms of the ratios of frequency and decay rate, where there are ratios.
    ratios: Vec<Pole>,
}

/// One end of a morph.
#[derive(Clone)]
struct End {
    poles: Vec<Pole>,
    /// Mode-shape values per port.
    shapes: Vec<Row>,
}

impl End {
    fn new(modes: &[ModeRow], ports: &[Vec<Real>], order: &Layout) -> Self {
        let poles = order.each(Pole::default(), |i| Pole::of(&modes[i]));
        Self { poles, shapes: ports.iter().map(|port| order.row(port)).collect() }
    }

    fn inverse_mass(&self, port: usize, modes: &[Mode]) -> Real {
        let real = modes.iter().enumerate().filter(|(_, mode)| mode.mass > 0.0);
        real.map(|(i, mode)| self.shapes[port].at(i) * self.shapes[port].at(i) / mode.mass).sum()
    }
}

impl Morph {
    /// From the modes and ports of one end and the other end, as [`pair`] makes them. `[control]`
    pub(super) fn new((modes, ports): (&[ModeRow], &[Vec<Real>]), to: &Tuning, order: &Layout) -> Self {
        let (from, to) = (End::new(modes, ports, order), End::new(&to.modes, &to.ports, order));
        let ratio = |(from, to): (&Pole, &Pole)| Pole {
            omega: log_ratio(from.omega, to.omega),
            sigma: log_ratio(from.sigma, to.sigma),
        };
        let ratios = from.poles.iter().zip(&to.poles).map(ratio).collect();
        Self { from, to, ratios }
    }

    /// Largest inverse mass of a port at either end: whether it can ever be moved.
    pub(super) fn inverse_mass(&self, port: usize, modes: &[Mode]) -> Real {
        self.from.inverse_mass(port, modes).max(self.to.inverse_mass(port, modes))
    }
}

/// Logarithm of the ratio of two values, 0 where there is none.
fn log_ratio(from: Real, to: Real) -> Real {
    if from > 0.0 && to > 0.0 { ln(to / from) } else { 0.0 }
}

/// From one value to the other: by equal ratios, by equal steps if one of them is zero. [morph.1]
pub fn between(from: Real, to: Real, t: Real) -> Real {
    along(from, to, log_ratio(from, to), t)
}

/// The same where the logarithm of their ratio is known.
fn along(from: Real, to: Real, log_ratio: Real, t: Real) -> Real {
    if t == 0.0 || from == to {
        from
    } else if t == 1.0 {
        to
    } else if from > 0.0 && to > 0.0 {
        fault!(MORPH_LINEAR, from * exp(t * log_ratio), from + (to - from) * t)
    } else {
        from + (to - from) * t
    }
}

/// The time after a change in which tuning and what is heard go over to the new: a control interval, or several.
#[derive(Clone)]
pub(super) struct Fade {
    /// Its length, in parts of a sample.
    parts: u32,
    /// What is left of it, in parts of a sample.
    parts_left: u32,
    /// What is heard differs from what the body does: shapes moved, modes fell silent or began anew.
    audible: bool,
    /// Shapes heard before the change, per port; none in a bank without a target.
    before: Vec<Row>,
    /// By how much each port would have jumped at the change.
    jumps: Vec<Jump>,
}

/// Difference in position, m, and velocity, m/s.
#[derive(Clone, Copy, Debug, Default)]
struct Jump {
    position: Real,
    velocity: Real,
}

impl Fade {
    /// Over. `[control]`
    pub(super) fn new(ports: usize, before: Vec<Row>) -> Self {
        Self { parts: INTERVAL * PARTS, parts_left: 0, audible: false, before, jumps: vec![Jump::default(); ports] }
    }

    /// True while what is heard differs from what the body does.
    pub(super) fn audible(&self) -> bool {
        self.audible && self.parts_left > 0
    }

    /// True while anything moves by the sample.
    pub(super) fn on(&self) -> bool {
        self.parts_left > 0
    }

    /// Samples left, a begun one included.
    pub(super) fn samples_left(&self) -> u32 {
        self.parts_left.div_ceil(PARTS)
    }

    /// Samples to a turn of the tuning on its way: four where that is longer than a control interval, two of a body that is
    /// `released`, whose tuning is not felt by anything that touches it.
    pub(super) fn stride(&self, released: bool) -> u32 {
        match released {
            _ if self.parts > INTERVAL * PARTS => 4,
            true => 2,
            false => 1,
        }
    }

    /// Shape with which a port was heard before the change; none in a bank without a target.
    pub(super) fn shape_before(&self, port: usize) -> Option<&Row> {
        self.before.get(port)
    }

    /// By how much a port would have jumped at the change, m or m/s.
    pub(super) fn jump(&self, port: usize, motion: Motion) -> Real {
        let Jump { position, velocity } = self.jumps[port];
        if motion == Motion::Position { position } else { velocity }
    }

    /// b of [morph.4].
    pub(super) fn remaining(&self) -> Real {
        Real::from(self.parts_left) / Real::from(self.parts)
    }

    /// `samples` steps of the sample divided by `2^level` have been taken; true if another sample of the interval begins.
    pub(super) fn pass(&mut self, samples: u32, level: usize) -> bool {
        self.parts_left = self.parts_left.saturating_sub(samples * (PARTS >> level));
        self.parts_left > 0 && self.parts_left.is_multiple_of(PARTS)
    }

    /// What is heard is what the body does, at once.
    pub(super) fn end(&mut self) {
        self.parts_left = 0;
    }
}

impl Modal {
    /// Weight with which a mode is heard at a port, `b` of the fade left. [morph.4]
    pub(super) fn weight(&self, port: usize, i: usize, b: Real) -> Real {
        let now = self.ports[port].heard.at(i);
        match self.retuning.fade.before.get(port) {
            Some(before) if b > 0.0 => now + (before.at(i) - now) * b,
            _ => now,
        }
    }

    /// Position as heard while it goes over to that of a changed body. [morph.4]
    pub(super) fn faded_position(&self, port: usize) -> Real {
        let b = self.retuning.fade.remaining();
        let heard = match self.form {
            Form::Attended { .. } => self.faded_rows(port, b, self.state.part(0, self.bank.in_use).q),
            _ => self.faded_sum(port, b, |i| self.motion(i).q),
        };
        heard - self.retuning.fade.jumps[port].position * b
    }

    /// Velocity as heard likewise.
    pub(super) fn faded_velocity(&self, port: usize) -> Real {
        let b = self.retuning.fade.remaining();
        let heard = match self.form {
            Form::Attended { .. } => self.faded_rows(port, b, self.state.part(0, self.bank.in_use).p),
            _ => self.faded_sum(port, b, |i| self.motion(i).p),
        };
        heard - self.retuning.fade.jumps[port].velocity * b
    }

    /// What [`Modal::faded_sum`] is, of a row: the same operations in the same order, chunk by chunk.
    fn faded_rows(&self, port: usize, b: Real, values: &[Line]) -> Real {
        let now = self.ports[port].heard.part(0, values.len());
        let before = self.retuning.fade.before.get(port).filter(|_| b > 0.0);
        let Some(before) = before.map(|before| before.part(0, values.len())) else {
            return self.heard_sum(port, values);
        };
        let mut sum = [0.0; LANES];
        for ((now, before), value) in now.iter().zip(before).zip(values) {
            for (l, sum) in sum.iter_mut().enumerate() {
                *sum += (now.0[l] + (before.0[l] - now.0[l]) * b) * value.0[l];
            }
        }
        join(&sum)
    }

    /// Changes the parameters that tune the bank; any form, left attended unless the body is at rest. Keeps the energy
    /// of every mode or less, and lets tuning and what is heard go over to the new. `[audio]`
    pub(super) fn retune(&mut self, wanted: ModalParams) {
        let morphs = self.params.morph_01 != wanted.morph_01;
        self.change(morphs, INTERVAL, |body| {
            body.params = wanted;
            if morphs {
                (0..body.bank.modes.len()).for_each(|i| body.blend(i));
            }
        });
    }

    /// Tunes the first modes of a bank in one run anew, one by one, and silences all others; otherwise as [`Self::retune`], in so
    /// many control intervals, or what is left of those before, if that is more. Gives the samples. `[audio]`
    pub(in crate::resonator) fn retune_each(&mut self, poles: &[Pole], intervals: u32) -> u32 {
        let silent = Pole { omega: TAU / self.sample_s, sigma: 0.0 };
        let samples = (intervals * INTERVAL).max(self.retuning.fade.samples_left());
        self.change(false, samples, |body| {
            body.bank.silence_from(poles.len(), silent);
            body.bank.modes.iter_mut().zip(poles).for_each(|(mode, pole)| mode.declared = *pole);
        });
        samples
    }

    /// Changes whatever tunes the bank, in so many samples; `morphs`: its shapes, too.
    fn change(&mut self, morphs: bool, samples: u32, change: impl FnOnce(&mut Self)) {
        let was_free = matches!(self.form, Form::Free { .. });
        self.enter_attended();
        self.note_tuning();
        let fading = self.retuning.fade.audible();
        self.remember_heard();
        let omitted = self.bank.omitted;
        change(self);
        self.bank.in_use = self.bank.in_use.max(self.reach());
        let restarted = self.restart_modes();
        if morphs {
            self.place_touches();
            self.rescale();
        }
        self.retuned();
        if self.at_rest() && !fading {
            self.arrive();
            self.refresh(self.steps.level);
            if was_free {
                self.enter_free();
            }
            return;
        }
        self.begin_fade(samples, fading || restarted || morphs || self.bank.omitted > omitted);
        self.depart();
        self.note_tuning(); // for the energy that is asked for next
    }

    /// Before a change: notes what is heard at every port, and with which weights.
    fn remember_heard(&mut self) {
        let b = if self.retuning.fade.audible() { self.retuning.fade.remaining() } else { 0.0 };
        for port in 0..self.ports.len() {
            let heard = if self.retuning.fade.on() {
                Jump { position: self.faded_position(port), velocity: self.faded_velocity(port) }
            } else {
                let State { q, p } = self.state.part(0, self.bank.in_use);
                Jump { position: self.heard_sum(port, q), velocity: self.heard_sum(port, p) }
            };
            self.retuning.fade.jumps[port] = heard;
            let Some(before) = self.retuning.fade.before.get_mut(port) else { continue };
            let now = self.ports[port].heard.part(0, self.bank.in_use);
            for (before, now) in before.part_mut(0, self.bank.in_use).iter_mut().zip(now) {
                for (before, &now) in before.0.iter_mut().zip(&now.0) {
                    *before = if b > 0.0 { now + (*before - now) * b } else { now }; // [morph.4]
                }
            }
        }
    }

    /// What was beyond Nyquist comes back at once; what was a rigid motion begins at its place of rest. True if there was
    /// any of the latter.
    fn restart_modes(&mut self) -> bool {
        let mut restarted = false;
        for i in 0..self.bank.slots_in_use() {
            let (aim, now) = (self.aim(&self.bank.modes[i]), self.bank.modes[i].now);
            let State { q, p } = self.state.at(i);
            if now.omega * self.sample_s >= PI {
                self.bank.modes[i].now = aim;
            } else if now.omega == 0.0 && aim.omega > 0.0 && q != 0.0 {
                self.state.set(i, State { q: 0.0, p });
                restarted = true;
            }
        }
        restarted
    }

    /// After a change: what is heard goes on from what was remembered.
    fn begin_fade(&mut self, samples: u32, audible: bool) {
        let fade = &mut self.retuning.fade;
        (fade.parts, fade.parts_left, fade.audible) = (samples * PARTS, samples * PARTS, audible);
        for port in 0..self.ports.len() {
            let Jump { position, velocity } = self.retuning.fade.jumps[port];
            // Without a change of weights everything goes on as it was: no rounding may say otherwise.
            self.retuning.fade.jumps[port] = if audible {
                let State { q, p } = self.state.part(0, self.bank.in_use);
                Jump {
                    position: self.faded_rows(port, 1.0, q) - position,
                    velocity: self.faded_rows(port, 1.0, p) - velocity,
                }
            } else {
                Jump::default()
            };
        }
    }

    /// Tuning and shapes of one mode at the present `morph_01`.
    pub(super) fn blend(&mut self, i: usize) {
        let Some(morph) = &self.retuning.morph else { return };
        let (t, mode, Morph { from, to, ratios }) = (self.params.morph_01, &mut self.bank.modes[i], &**morph);
        let (pole0, pole1) = (from.poles[i], to.poles[i]);
        mode.declared.omega = along(pole0.omega, pole1.omega, ratios[i].omega, t); // [morph.1]
        mode.declared.sigma = along(pole0.sigma, pole1.sigma, ratios[i].sigma, t);
        mode.largest_shape = NO_SHAPE;
        for (port, (from, to)) in self.ports.iter_mut().zip(from.shapes.iter().zip(&to.shapes)) {
            let (from, to) = (from.at(i), to.at(i));
            let share = fault!(MORPH_SHAPE, t, t * t);
            let phi = if t == 1.0 { to } else { from + (to - from) * share }; // [morph.2]
            port.heard.set(i, phi);
            mode.largest_shape = mode.largest_shape.max(phi.abs());
        }
    }
}
