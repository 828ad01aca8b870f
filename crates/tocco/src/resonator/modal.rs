// SPDX-License-Identifier: MIT OR Apache-2.0
//! Modal bank: a vibrating object as a sum of damped oscillators.
//!
//! **What.** Every mode is a mass on a spring with a dashpot; a port is a place, given by the signed value of each
//! mode's shape there. The same value weights the force that goes in and the motion that comes out (C19), so the
//! drive-point label is a sum of squares and a contact can never be active by wiring.
//!
//! **Law.** `m (q'' + 2 sigma q' + omega^2 q) = phi F`, position of a port `x = sum phi q`. With p = q' and
//! S(t) the velocity answer to a unit impulse over m, for one step h under a held force:
//! - `[modal.1]  q += qq q + qp p + bq phi F`,  `p += pq q + pp p + bp phi F`
//! - `[modal.2]  qp = S(h)`, `pq = -omega^2 S`, `m bq = integral of S over the step`, `m bp = S`,
//!   `qq = -omega^2 m bq`, `pp = qq - 2 sigma S`
//! - `[modal.3]  free stroke = sum phi (qq q + qp p)`, compliance `L_ij = sum phi_i phi_j bq`
//! - `[modal.4]  any signal of a free mode obeys y[n+1] = T y[n] - D y[n-1]`, `T = 2 + qq + pp`, `D = exp(-2 sigma h)`,
//!   hence also `y[n+2] = (T^2 - D) y[n] - T D y[n-1]`: two samples from one pair
//! - `[modal.5]  d' = a d + b p + g F`, `p' = c d + e p + k F`: the same step in the coordinates of one held port, its
//!   part d of the coming stroke and its velocity p; `c = pq/qq`, `a = 1 + qq + qp c`, `b = qp (pp - qp c)`,
//!   `e = 1 + pp - qp c`, `g = phi^2 (qq bq + qp bp)`, `k = phi^2 bp`
//!
//! **Symbols.** omega = 2 pi `freq_hz` rad/s (undamped); sigma = 1/`decay_s` 1/s; m `mass_kg` kg; phi: `port` values.
//!
//! **Step.** Exact for a held force, at any frequency below Nyquist and any damping, zero frequency included. Writing
//! the step as a *change* keeps the digits of slow modes (relative error of frequency and decay about 1e-15), and the
//! stroke is then the very number that is added to q. Free modes run in the two-pole form of their velocity where that
//! is accurate: its frequency error is about 1e-16/theta^2 and its rounding noise 1/sin(theta), hence the gate on theta.
//! So does the held form, which a body takes under lasting contact at one port: half the arithmetic of [modal.1], the
//! sums need no weights.
//!
//! **Sources.** 000 (8.1)-(8.7), section 8.2.2; 003 (5.6); physics.md D.1, H10. We depart from the papers' bilinear
//! transform, which puts an 18 kHz mode at 12.8 kHz.

mod carry;
mod coefficients;
mod course;
mod forms;
pub mod morph;
mod motion;

pub use coefficients::step_response;
pub use morph::ModeRow;

use super::kernel::{Held, LANES, PAIR, Path, Row, State, Sums, Table, TwoStep};
use super::{LEVELS, Resonator};
use crate::math::Real;
use crate::param::{Spec, Tunable};
use crate::units::{decay_rate, rad_s};
use coefficients::two_pole;
use course::{Course, Turns};
pub use morph::Tuning;
use morph::{Fade, Morph};

crate::params! {
    /// Parameters of a modal body.
    pub struct ModalParams {
        freq_scale: "1", 0.125 => 8.0, default 1.0, Log, Control, glide 0.05, "Factor on every mode's frequency; decay times stay.";
        decay_scale: "1", 1e-3 => 1e3, default 1.0, Log, Control, glide 0.02, "Factor on every mode's decay time.";
        jitter_01: "1", 0.0 => 1.0, default 0.0, Linear, Control, glide 0.0, "Random change of the struck place at every strike; grows with mode number.";
        morph_01: "1", 0.0 => 1.0, default 0.0, Linear, Control, glide 0.1, "Way to the body of the table `morph`: 0 is this one, 1 that one.";
    }
}

/// One mode in SI units, as kernels see it.
#[derive(Clone, Copy, Debug, Default)]
struct Mode {
    /// rad/s and 1/s, before the scales of the parameters.
    omega: Real,
    sigma: Real,
    /// The two as they are now, and as they were when they began to move.
    now: (Real, Real),
    was: (Real, Real),
    mass: Real,
    /// Place in the order of frequencies, in (0, 1]: how strongly a displaced touch changes the mode's weight.
    rank: Real,
    /// Largest shape value of any port, at least 1e-30.
    crest: Real,
}

struct Level {
    table: Table,
    /// ports x ports
    compliance: Vec<Real>,
    fresh: bool,
}

/// How the state is written at present.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// (q, p) of every mode.
    Plain,
    /// Two-pole modes as velocities of an even and the following odd sample; true: the odd one is now.
    Free { late: bool },
    /// Two-pole modes in the coordinates of one port, [modal.5].
    Held { port: usize },
}

/// A vibrating object.
pub struct Modal {
    params: ModalParams,
    /// The parameters it declares: all, or the first few.
    declared: &'static [Spec],
    sample_s: Real,
    path: Path,
    /// Two-pole modes first (padded to whole pairs of chunks), then the others (padded to whole chunks).
    modes: Vec<Mode>,
    /// Where each mode stands in that order.
    slots: Vec<usize>,
    /// Chunks of two-pole modes.
    two_pole: usize,
    two_step: TwoStep,
    held: Held,
    /// Scale of the free and of the held form: shape of the port listened to or held, never zero.
    scale: Row,
    held_scale: Row,
    form: Form,
    /// Steps in a row with the force at one port only, at the full sample.
    lasting: u32,
    state: State,
    levels: Vec<Level>,
    level: usize,
    /// Mode-shape values per port: as declared (what is heard) and as last struck (what is touched).
    shape: Vec<Row>,
    touch: Vec<Row>,
    /// Ports whose touched place differs from the declared one, and by which angle of the highest mode.
    displaced: Vec<Option<Real>>,
    /// Ports whose touch has been moved to another place, and the values there.
    moved: Vec<bool>,
    elsewhere: Vec<Row>,
    pushed: Vec<Real>,
    gathered: Row,
    stroke: Vec<Option<Real>>,
    watch: usize,
    listen: usize,
    heard: Option<Real>,
    /// Two-pole form usable at the present tuning.
    steady: bool,
    /// Largest excursion of each port while free, m.
    bound: Vec<Real>,
    omitted: usize,
    quiet: bool,
    /// Pairs of chunks whose free modes have been silenced to save time.
    shed: Vec<bool>,
    sums: Box<Sums>,
    morph: Option<Box<Morph>>,
    fade: Fade,
    /// How each mode is retuned by the sample, for which level that holds, and in how many samples.
    courses: Vec<Course>,
    turns: Turns,
    course_level: Option<usize>,
    course_samples: u32,
    /// Nothing touches the body: it is not asked for its compliances.
    loose: bool,
}

impl Modal {
    /// A bank of `(freq_hz, decay_s, mass_kg)` modes with ports given by one shape value per mode. `touched` asks for
    /// the sub-step tables ahead of time. `[control]`
    pub fn new(params: ModalParams, modes: &[ModeRow], ports: &[Vec<Real>], sample_s: Real, touched: bool) -> Self {
        Self::build(params, modes, ports, None, sample_s, touched)
    }

    /// A bank that `morph_01` moves between two tunings with the same ports: see [`morph`]. `[control]`
    pub fn morphing(params: ModalParams, from: &Tuning, to: &Tuning, sample_s: Real, touched: bool) -> Self {
        let [from, to] = morph::pair(from, to);
        Self::build(params, &from.modes, &from.ports, Some(&to), sample_s, touched)
    }

    fn build(
        params: ModalParams,
        modes: &[ModeRow],
        ports: &[Vec<Real>],
        target: Option<&Tuning>,
        sample_s: Real,
        touched: bool,
    ) -> Self {
        let fits = |&(freq_hz, decay_s, _): &ModeRow| {
            two_pole(rad_s(freq_hz * params.freq_scale), decay_rate(decay_s * params.decay_scale), sample_s)
        };
        let steady = |i: usize| fits(&modes[i]) && target.is_none_or(|to| fits(&to.modes[i]));
        let mut by_freq: Vec<usize> = (0..modes.len()).collect();
        by_freq.sort_by(|&a, &b| modes[a].0.total_cmp(&modes[b].0));
        let mut rank = vec![0.0; modes.len()];
        for (place, &index) in by_freq.iter().enumerate() {
            rank[index] = (place + 1) as Real / modes.len() as Real;
        }
        let mut order: Vec<Option<usize>> = (0..modes.len()).filter(|&i| steady(i)).map(Some).collect();
        order.resize(order.len().next_multiple_of(PAIR * LANES), None);
        let two_pole = order.len() / LANES;
        order.extend((0..modes.len()).filter(|&i| !steady(i)).map(Some));
        order.resize(order.len().next_multiple_of(LANES), None);

        let cells = order.len() / LANES;
        let mut slots = vec![0; modes.len()];
        for (slot, mode) in order.iter().enumerate().filter_map(|(slot, mode)| Some((slot, (*mode)?))) {
            slots[mode] = slot;
        }
        let row = |port: &Vec<Real>| Row::from_fn(cells, |_, i| order[i].map_or(0.0, |i| port[i]));
        let shape: Vec<Row> = ports.iter().map(row).collect();
        let mode = |slot: &Option<usize>| match *slot {
            None => Mode::default(),
            Some(i) => Mode {
                omega: rad_s(modes[i].0),
                sigma: decay_rate(modes[i].1),
                mass: modes[i].2,
                rank: rank[i],
                now: (0.0, 0.0),
                was: (0.0, 0.0),
                crest: ports.iter().fold(1e-30, |m: Real, port| m.max(port[i].abs())),
            },
        };
        let level =
            |_| Level { table: Table::zeros(cells), compliance: vec![0.0; ports.len() * ports.len()], fresh: false };
        let morph = target.map(|to| {
            let from = Tuning { modes: modes.to_vec(), ports: ports.to_vec() };
            Box::new(Morph::new([&from, to], &order, cells))
        });
        let before = if morph.is_some() { shape.clone() } else { Vec::new() };
        let mut body = Self {
            params,
            declared: ModalParams::SPECS,
            sample_s,
            path: *Path::all().last().unwrap_or(&Path::Baseline),
            modes: order.iter().map(mode).collect(),
            slots,
            two_pole,
            two_step: TwoStep::zeros(cells),
            held: Held::zeros(two_pole),
            scale: Row::zeros(cells),
            held_scale: Row::zeros(two_pole),
            form: Form::Plain,
            lasting: 0,
            state: State::zeros(cells),
            levels: (0..LEVELS).map(level).collect(),
            level: 0,
            touch: shape.clone(),
            displaced: vec![None; ports.len()],
            moved: vec![false; ports.len()],
            elsewhere: shape.clone(),
            shape,
            pushed: vec![0.0; ports.len()],
            gathered: Row::zeros(cells),
            stroke: vec![None; ports.len()],
            watch: 0,
            listen: 0,
            heard: None,
            steady: true,
            bound: vec![0.0; ports.len()],
            omitted: 0,
            quiet: false,
            shed: vec![false; two_pole / PAIR],
            sums: Box::new(Sums::ZERO),
            morph,
            fade: Fade::new(ports.len(), before),
            courses: vec![Course::Still; order.len()],
            turns: Turns::new(cells),
            course_level: None,
            course_samples: 1,
            loose: false,
        };
        (0..body.modes.len()).for_each(|i| body.blend(i));
        (0..ports.len()).for_each(|port| body.place(port));
        body.arrive();
        body.listen(0);
        let needed = if touched { LEVELS } else { 1 };
        (0..needed).rev().for_each(|level| body.refresh(level));
        body
    }

    /// The same bank with the first few parameters only, for bodies to which the others mean nothing. `[control]`
    pub fn declaring(self, declared: &'static [Spec]) -> Self {
        Self { declared, ..self }
    }
}

impl Tunable for Modal {
    fn specs(&self) -> &'static [Spec] {
        self.declared
    }
    fn get(&self, index: usize) -> Real {
        self.params.read(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        if self.params.read(index) == value {
            return;
        }
        let tunes = match index {
            0 | 1 => true,
            3 => self.morph.is_some(),
            _ => false,
        };
        if !tunes {
            self.params.write(index, value);
            return;
        }
        self.retune(index, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    pub const RATE_HZ: Real = 48_000.0;

    pub fn body(modes: &[(Real, Real, Real)]) -> Modal {
        Modal::new(ModalParams::default(), modes, &[vec![1.0; modes.len()]], 1.0 / RATE_HZ, true)
    }

    /// Displacement and velocity of a free damped oscillator at time t, unit mass, in closed form by complex roots.
    pub fn decay(omega: Real, sigma: Real, q: Real, p: Real, t: Real) -> (Real, Real) {
        let d = omega * omega - sigma * sigma;
        if d > 0.0 {
            let w = d.sqrt();
            let (u, e) = ((p + sigma * q) / w, (-sigma * t).exp());
            let x = e * (q * (w * t).cos() + u * (w * t).sin());
            (x, -sigma * x + e * w * (u * (w * t).cos() - q * (w * t).sin()))
        } else {
            let (r2, r1) = (-sigma - (-d).sqrt(), -omega * omega / (sigma + (-d).sqrt()));
            let a = (p - r2 * q) / (r1 - r2);
            let b = q - a;
            (a * (r1 * t).exp() + b * (r2 * t).exp(), a * r1 * (r1 * t).exp() + b * r2 * (r2 * t).exp())
        }
    }

    #[test]
    fn retuning_a_sounding_body_never_raises_its_energy() {
        let mut rng = Rng::new(1, "retune");
        let modes: Vec<_> = (1..40).map(|i| (100.0 * f64::from(i), 0.3, 0.01)).collect();
        let mut body = body(&modes);
        body.hit(0, 0.01);
        body.release();
        for _ in 0..500 {
            body.ring(32, &mut []);
            let before = body.energy();
            let index = usize::from(rng.unit() < 0.5);
            body.set(index, rng.between_log(0.2, 5.0));
            assert!(body.energy() <= before * (1.0 + 1e-12), "{} {before}", body.energy());
        }
    }
}
