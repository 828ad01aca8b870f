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
//! - `[morph.4]  heard = sum (phi + (phi_before - phi) b) p - jump b`, b falling from 1 to 0 over one control interval; of
//!   positions likewise
//!
//! **Symbols.** omega rad/s, sigma 1/s, m kg, phi: mode-shape values; q m, p m/s: state of a mode; primes: after the change.
//!
//! **Step.** Only phi/sqrt(m) matters to force and motion, and the sign of a whole mode is free, so [morph.2] gives the
//! target the masses of the body and the signs that agree best at the ports. An end with fewer modes gets silent ones
//! (phi = 0) with the decays of the other end, their frequencies continuing the ratio of the last true pair. Touched shapes
//! change at control ticks, tunings by the sample ([course.1]), always between two steps, so every step is that of one fixed
//! body and gains nothing; what is heard moves by the sample. A mode that is or becomes a rigid motion cannot keep potential energy: going down
//! it keeps q, coming up from zero it starts at q = 0. A contact keeps its own compression throughout.
//!
//! **Sources.** ours; physics.md H9, of which [morph.3] is the form that does not step the velocity.

use super::{Form, Modal, Mode};
use crate::math::{PI, Real, exp, ln};
use crate::resonator::CONTROL_TICKS;
use crate::resonator::kernel::Row;
use crate::units::{decay_rate, rad_s};

/// A mode in a table: frequency, Hz, time to 1/e, s (infinite: lossless), mass, kg.
pub type ModeRow = (Real, Real, Real);

/// What a bank is, at one end of a morph: its modes, and one row of mode-shape values per port.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    /// The modes.
    pub modes: Vec<ModeRow>,
    /// `ports[port][mode]`
    pub ports: Vec<Vec<Real>>,
}

/// Parts of a sample in which a fade is counted: the finest sub-step.
pub(super) const PARTS: u32 = 64;
/// Parts from control tick to control tick.
const FULL: u32 = PARTS * CONTROL_TICKS as u32;
/// Slower than this, rad/s, a mode is a rigid motion to [morph.3]: its displacement would be kilometres.
pub(super) const RIGID: Real = 1e-3;

/// Orders both ends by frequency and makes them equally long: [morph.2] and the step above. The first end keeps its
/// masses, the second gets them. `[control]`
pub(super) fn pair(from: &Tuning, to: &Tuning) -> [Tuning; 2] {
    let sorted = |end: &Tuning| {
        let mut order: Vec<usize> = (0..end.modes.len()).collect();
        order.sort_by(|&a, &b| end.modes[a].0.total_cmp(&end.modes[b].0));
        Tuning {
            modes: order.iter().map(|&i| end.modes[i]).collect(),
            ports: end.ports.iter().map(|port| order.iter().map(|&i| port[i]).collect()).collect(),
        }
    };
    let (mut from, mut to) = (sorted(from), sorted(to));
    extend(&mut from, &to);
    extend(&mut to, &from);
    for k in 0..from.modes.len() {
        let agree: Real = from.ports.iter().zip(&to.ports).map(|(a, b)| a[k] * b[k]).sum();
        let scale = (from.modes[k].2 / to.modes[k].2).sqrt() * if agree < 0.0 { -1.0 } else { 1.0 }; // [morph.2]
        to.modes[k].2 = from.modes[k].2;
        to.ports.iter_mut().for_each(|port| port[k] *= scale);
    }
    [from, to]
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
pub(super) struct Morph {
    /// omega and sigma of both ends.
    tuning: Vec<[(Real, Real); 2]>,
    /// Shapes of both ends per port.
    shape: [Vec<Row>; 2],
}

impl Morph {
    /// From two ends as [`pair`] makes them; `order` gives the mode of each slot. `[control]`
    pub(super) fn new(ends: [&Tuning; 2], order: &[Option<usize>], cells: usize) -> Self {
        let tuned = |end: &Tuning, i: usize| (rad_s(end.modes[i].0), decay_rate(end.modes[i].1));
        let rows = |end: &Tuning| {
            let row = |port: &Vec<Real>| Row::from_fn(cells, |_, i| order[i].map_or(0.0, |i| port[i]));
            end.ports.iter().map(row).collect()
        };
        Self {
            tuning: order.iter().map(|slot| ends.map(|end| slot.map_or((0.0, 0.0), |i| tuned(end, i)))).collect(),
            shape: ends.map(rows),
        }
    }

    /// Largest inverse mass of a port at either end: whether it can ever be moved.
    pub(super) fn inverse_mass(&self, port: usize, modes: &[Mode]) -> Real {
        let at = |end: &Vec<Row>| -> Real {
            let real = modes.iter().enumerate().filter(|(_, mode)| mode.mass > 0.0);
            real.map(|(i, mode)| end[port].get(0, i) * end[port].get(0, i) / mode.mass).sum()
        };
        at(&self.shape[0]).max(at(&self.shape[1]))
    }
}

/// From one value to the other: by equal ratios, by equal steps if one of them is zero. [morph.1]
pub fn between(from: Real, to: Real, t: Real) -> Real {
    if t == 0.0 || from == to {
        from
    } else if t == 1.0 {
        to
    } else if from > 0.0 && to > 0.0 {
        from * exp(t * ln(to / from))
    } else {
        from + (to - from) * t
    }
}

/// The control interval after a change, in which tuning and what is heard go over to the new.
pub(super) struct Fade {
    /// What is left of it, in parts of a sample.
    left: u32,
    /// What is heard differs from what the body does: shapes moved, modes fell silent or began anew.
    loud: bool,
    /// Shapes before the change, per port; none in a bank without a target.
    from: Vec<Row>,
    /// Jump of each port's position and velocity at the change.
    jump: Vec<(Real, Real)>,
}

impl Fade {
    pub(super) fn new(ports: usize, from: Vec<Row>) -> Self {
        Self { left: 0, loud: false, from, jump: vec![(0.0, 0.0); ports] }
    }

    /// True while what is heard differs from what the body does.
    pub(super) fn loud(&self) -> bool {
        self.loud && self.left > 0
    }

    /// True while anything moves by the sample.
    pub(super) fn on(&self) -> bool {
        self.left > 0
    }

    /// What is left, in parts of a sample.
    pub(super) fn left(&self) -> u32 {
        self.left
    }

    /// b of [morph.4].
    pub(super) fn after(&self) -> Real {
        Real::from(self.left) / Real::from(FULL)
    }

    /// `samples` steps of the sample divided by `2^level` have been taken; true if another sample of the interval begins.
    pub(super) fn pass(&mut self, samples: u32, level: usize) -> bool {
        self.left = self.left.saturating_sub(samples * (PARTS >> level));
        self.left > 0 && self.left.is_multiple_of(PARTS)
    }

    pub(super) fn end(&mut self) {
        self.left = 0;
    }

    pub(super) fn jump(&self, port: usize) -> (Real, Real) {
        self.jump[port]
    }
}

impl Modal {
    /// Weight with which a mode is heard at a port, `b` of the fade left. [morph.4]
    pub(super) fn weight(&self, port: usize, i: usize, b: Real) -> Real {
        let now = self.shape[port].get(0, i);
        match self.fade.from.get(port) {
            Some(from) if b > 0.0 => now + (from.get(0, i) - now) * b,
            _ => now,
        }
    }

    /// Changes the parameters that tune the bank; any form, left in plain form unless the body is at rest. Keeps the energy
    /// of every mode or less, and lets tuning and what is heard go over to the new. `[audio]`
    pub(super) fn retune(&mut self, index: usize, value: Real) {
        let was_free = matches!(self.form, Form::Free { .. });
        self.plain();
        let (fading, b) = (self.fade.loud(), if self.fade.loud() { self.fade.after() } else { 0.0 });
        for port in 0..self.shape.len() {
            self.fade.jump[port] = (self.heard_position(port), self.heard_velocity(port));
            for i in 0..if self.fade.from.is_empty() { 0 } else { self.modes.len() } {
                let weight = self.weight(port, i, b);
                self.fade.from[port].set(0, i, weight);
            }
        }
        let (was, silent) = (self.params, self.omitted);
        self.params.write(index, value);
        let morphs = was.morph_01 != self.params.morph_01;
        let mut fresh = false;
        for i in 0..self.modes.len() {
            if morphs {
                self.blend(i);
            }
            // What was beyond Nyquist comes back at once; what was a rigid motion begins at its place of rest.
            let (aim, now) = (self.aim(&self.modes[i]), self.modes[i].now);
            if now.0 * self.sample_s >= PI {
                self.modes[i].now = aim;
            } else if now.0 == 0.0 && aim.0 > 0.0 && self.state.get(0, i) != 0.0 {
                self.state.set(0, i, 0.0);
                fresh = true;
            }
        }
        if morphs {
            (0..self.shape.len()).for_each(|port| self.place(port));
            self.rescale();
        }
        self.retuned();
        if (0..self.modes.len()).all(|i| self.state.get(0, i) == 0.0 && self.state.get(1, i) == 0.0) && !fading {
            self.arrive();
            self.refresh(self.level);
            if was_free {
                self.let_go();
            }
            return;
        }
        self.fade.left = FULL;
        self.fade.loud = fading || fresh || morphs || self.omitted > silent;
        for port in 0..self.shape.len() {
            let (position, velocity) = self.fade.jump[port];
            // Without a change of weights everything goes on as it was: no rounding may say otherwise.
            let step = |row: usize, before: Real| self.sum(port, 1.0, |i| self.state.get(row, i)) - before;
            self.fade.jump[port] = if self.fade.loud { (step(0, position), step(1, velocity)) } else { (0.0, 0.0) };
        }
        self.depart();
    }

    /// Tuning and shapes of one mode at the present `morph_01`.
    pub(super) fn blend(&mut self, i: usize) {
        let Some(morph) = &self.morph else { return };
        let (t, mode) = (self.params.morph_01, &mut self.modes[i]);
        let [(omega0, sigma0), (omega1, sigma1)] = morph.tuning[i];
        (mode.omega, mode.sigma) = (between(omega0, omega1, t), between(sigma0, sigma1, t)); // [morph.1]
        mode.crest = 1e-30;
        for port in 0..self.shape.len() {
            let [from, to] = [0, 1].map(|end: usize| morph.shape[end][port].get(0, i));
            let phi = if t == 1.0 { to } else { from + (to - from) * t }; // [morph.2]
            self.shape[port].set(0, i, phi);
            mode.crest = mode.crest.max(phi.abs());
        }
    }
}
