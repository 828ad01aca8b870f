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

use super::kernel::{self, Chunk, Held, LANES, Line, PAIR, Path, Row, State, Sums, Table, TwoStep};
use super::{CONTROL_TICKS, LEVELS, Motion, Reading, Resonator};
use crate::math::{PI, Real, cos, exp, expm1, integrate_smooth, sin, sinc, sinh, sinhc};
use crate::param::{Key, KeyType, Kind, Spec, Tunable};
use crate::rng::Rng;
use crate::units::{decay_rate, rad_s};
use core::any::Any;

crate::params! {
    /// Parameters of a modal body.
    pub struct ModalParams {
        freq_scale: "1", 0.125 => 8.0, default 1.0, Log, Control, glide 0.02, "Factor on every mode's frequency: smaller objects sound higher.";
        decay_scale: "1", 1e-3 => 1e3, default 1.0, Log, Control, glide 0.02, "Factor on every mode's decay time.";
        jitter_01: "1", 0.0 => 1.0, default 0.0, Linear, Control, glide 0.0, "Random change of the struck place at every strike; grows with mode number.";
    }
}

/// The modal body in scene files.
pub const MODAL: Kind = Kind {
    family: "body",
    id: "modal",
    doc: "A vibrating object as a bank of modes with named places.",
    params: ModalParams::SPECS,
    keys: &[
        Key {
            id: "modes",
            takes: KeyType::Form("array of { freq_hz, decay_s, mass_kg }"),
            required: true,
            doc: "One table per mode: undamped frequency in Hz (0: rigid motion), time to 1/e in s (left out: lossless), modal mass in kg.",
        },
        Key {
            id: "port",
            takes: KeyType::Form("table of name = [one mode-shape value per mode]"),
            required: false,
            doc: "Signed mode-shape values at named places; default one port \"0\" of all ones.",
        },
    ],
};

/// Angle per sample between which the two-pole form keeps 14 digits of frequency and rounding noise below 1e-13 a step.
const TWO_POLE_ANGLE: (Real, Real) = (0.01, PI - 0.01);
/// Decay per sample beyond which a mode is over before the two-pole form pays.
const TWO_POLE_DECAY: Real = 1.0;
/// Steps of contact at one port after which the held form pays for its making.
const LASTING: u32 = 64;
/// Weight of an unheard mode in the two-pole form: 1000 dB below anything.
const UNHEARD: Real = 1e-50;
/// Amplitudes (m, m/s) below this are set to zero at control ticks: far below hearing, far above denormals (1e-308).
const FLUSH: Real = 1e-200;

/// Impulse answer S(h) and its integral over the step, per unit mass: [modal.2].
///
/// Each branch is free of cancellation in its domain; together they cover every omega, sigma >= 0.
pub fn step_response(omega: Real, sigma: Real, h: Real) -> (Real, Real) {
    let d = (omega - sigma) * (omega + sigma);
    let root = d.abs().sqrt();
    let impulse = |t: Real| t * exp(-sigma * t) * if d >= 0.0 { sinc(root * t) } else { sinhc(root * t) };
    if d < 0.0 && root * h > 0.5 {
        let fast = sigma + root;
        let slow = omega * omega / fast;
        let phi = |x: Real| if x == 0.0 { 1.0 } else { -expm1(-x) / x };
        let s = (exp(-slow * h) - exp(-fast * h)) / (2.0 * root);
        return (s, h * (phi(slow * h) - phi(fast * h)) / (2.0 * root));
    }
    let s = impulse(h);
    let integral = if omega * h > 0.1 {
        let (loss, angle) = (-expm1(-sigma * h), root * h);
        let (c, gone) = if d >= 0.0 {
            (cos(angle), 2.0 * sin(0.5 * angle) * sin(0.5 * angle))
        } else {
            let half = sinh(0.5 * angle);
            (1.0 + 2.0 * half * half, -2.0 * half * half)
        };
        (gone + loss * c - sigma * s) / (omega * omega)
    } else {
        integrate_smooth(0.0, h, impulse)
    };
    (s, integral)
}

/// One mode in SI units, as kernels see it.
#[derive(Clone, Copy, Debug, Default)]
struct Mode {
    omega: Real,
    sigma: Real,
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
    sample_s: Real,
    path: Path,
    /// Two-pole modes first (padded to whole pairs of chunks), then the others (padded to whole chunks).
    modes: Vec<Mode>,
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
    /// Ports whose touched place differs from the declared one.
    displaced: Vec<bool>,
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
}

impl Modal {
    /// A bank of `(freq_hz, decay_s, mass_kg)` modes with ports given by one shape value per mode. `touched` asks for
    /// the sub-step tables ahead of time. `[control]`
    pub fn new(
        params: ModalParams,
        modes: &[(Real, Real, Real)],
        ports: &[Vec<Real>],
        sample_s: Real,
        touched: bool,
    ) -> Self {
        let steady = |&(freq_hz, decay_s, _): &(Real, Real, Real)| {
            two_pole(rad_s(freq_hz * params.freq_scale), decay_rate(decay_s * params.decay_scale), sample_s)
        };
        let mut by_freq: Vec<usize> = (0..modes.len()).collect();
        by_freq.sort_by(|&a, &b| modes[a].0.total_cmp(&modes[b].0));
        let mut rank = vec![0.0; modes.len()];
        for (place, &index) in by_freq.iter().enumerate() {
            rank[index] = (place + 1) as Real / modes.len() as Real;
        }
        let mut order: Vec<Option<usize>> = (0..modes.len()).filter(|&i| steady(&modes[i])).map(Some).collect();
        order.resize(order.len().next_multiple_of(PAIR * LANES), None);
        let two_pole = order.len() / LANES;
        order.extend((0..modes.len()).filter(|&i| !steady(&modes[i])).map(Some));
        order.resize(order.len().next_multiple_of(LANES), None);

        let cells = order.len() / LANES;
        let row = |port: &Vec<Real>| Row::from_fn(cells, |_, i| order[i].map_or(0.0, |i| port[i]));
        let shape: Vec<Row> = ports.iter().map(row).collect();
        let mode = |slot: &Option<usize>| match *slot {
            None => Mode::default(),
            Some(i) => Mode {
                omega: rad_s(modes[i].0),
                sigma: decay_rate(modes[i].1),
                mass: modes[i].2,
                rank: rank[i],
                crest: ports.iter().fold(1e-30, |m: Real, port| m.max(port[i].abs())),
            },
        };
        let level =
            |_| Level { table: Table::zeros(cells), compliance: vec![0.0; ports.len() * ports.len()], fresh: false };
        let mut body = Self {
            params,
            sample_s,
            path: *Path::all().last().unwrap_or(&Path::Baseline),
            modes: order.iter().map(mode).collect(),
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
            displaced: vec![false; ports.len()],
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
        };
        body.listen(0);
        body.retuned();
        let needed = if touched { LEVELS } else { 1 };
        (0..needed).rev().for_each(|level| body.refresh(level));
        body
    }

    fn omega(&self, mode: &Mode) -> Real {
        mode.omega * self.params.freq_scale
    }

    fn sigma(&self, mode: &Mode) -> Real {
        mode.sigma / self.params.decay_scale
    }

    /// True if the retuned mode still fits below Nyquist.
    fn sounds(&self, mode: &Mode) -> bool {
        mode.mass > 0.0 && self.omega(mode) * self.sample_s < PI
    }

    /// Recomputes what depends on the tuning but not on the step; plain form.
    fn retuned(&mut self) {
        self.steady = true;
        self.omitted = 0;
        for i in 0..self.modes.len() {
            let mode = self.modes[i];
            let (omega, sigma) = (self.omega(&mode), self.sigma(&mode));
            if mode.mass > 0.0 && !self.sounds(&mode) {
                self.omitted += 1;
                self.state.set(0, i, 0.0);
                self.state.set(1, i, 0.0);
            } else if i < self.two_pole * LANES && mode.mass > 0.0 {
                self.steady &= two_pole(omega, sigma, self.sample_s);
            }
        }
        self.levels.iter_mut().for_each(|level| level.fresh = false);
        self.forget();
    }

    fn forget(&mut self) {
        self.stroke.iter_mut().for_each(|s| *s = None);
        self.heard = None;
        self.quiet = false;
    }

    /// Makes the coefficients of a level; bounded, no allocation. `[audio]`
    fn refresh(&mut self, level: usize) {
        if self.levels[level].fresh {
            return;
        }
        let h = self.sample_s / (1u32 << level) as Real;
        for i in 0..self.modes.len() {
            let mode = self.modes[i];
            let (omega, sigma) = (self.omega(&mode), self.sigma(&mode));
            let (mut row, mut two) = ([0.0; 6], [0.0; 4]);
            if self.sounds(&mode) {
                let (s, integral) = step_response(omega, sigma, h); // [modal.2]
                let qq = -omega * omega * integral;
                let pp = qq - 2.0 * sigma * s;
                row = [qq, s, -omega * omega * s, pp, integral / mode.mass, s / mode.mass];
                let (trace, det) = (2.0 + (qq + pp), exp(-2.0 * sigma * h)); // [modal.4]
                two = [trace, det, trace * trace - det, trace * det];
            }
            for (column, value) in row.into_iter().enumerate() {
                self.levels[level].table.set(column, i, value);
            }
            if level == 0 {
                for (column, value) in two.into_iter().enumerate() {
                    self.two_step.set(column, i, value);
                }
            }
        }
        let ports = self.touch.len();
        let Level { table, compliance, fresh } = &mut self.levels[level];
        for to in 0..ports {
            for from in 0..=to {
                let mut sum = [0.0; LANES];
                for i in 0..self.modes.len() {
                    sum[i % LANES] += self.touch[to].get(0, i) * self.touch[from].get(0, i) * table.get(4, i); // [modal.3]
                }
                let label = kernel::join(&sum);
                compliance[to * ports + from] = label;
                compliance[from * ports + to] = label;
            }
        }
        *fresh = true;
    }

    /// Displacement and velocity of a mode in any form.
    fn state(&self, i: usize) -> (Real, Real) {
        let (first, second) = (self.state.get(0, i), self.state.get(1, i));
        let t = |column| self.levels[0].table.get(column, i);
        match self.form {
            Form::Free { late } if i < self.rung() * LANES => {
                if t(2) == 0.0 {
                    return (0.0, 0.0);
                }
                let scale = self.scale.get(0, i);
                let (y1, y0) = (first / scale, second / scale);
                let two = |column| self.two_step.get(column, i);
                let (now, next) = if late { (y1, two(0) * y1 - two(1) * y0) } else { (y0, y1) };
                // q from [modal.1] without force.
                ((next - (1.0 + t(3)) * now) / t(2), now)
            }
            Form::Held { .. } if i < self.two_pole * LANES => {
                if t(0) == 0.0 {
                    return (0.0, 0.0);
                }
                let scale = self.held_scale.get(0, i);
                let (d, p) = (first / scale, second / scale);
                ((d - t(1) * p) / t(0), p)
            }
            _ => (first, second),
        }
    }

    /// Chunks of modes in two-pole form while free.
    fn rung(&self) -> usize {
        if self.steady { self.two_pole } else { 0 }
    }

    /// Back to (q, p).
    fn plain(&mut self) {
        let cells = match self.form {
            Form::Plain => return,
            Form::Free { .. } => self.rung(),
            Form::Held { .. } => self.two_pole,
        };
        for i in 0..cells * LANES {
            let (q, p) = self.state(i);
            self.state.set(0, i, q);
            self.state.set(1, i, p);
        }
        self.form = Form::Plain;
        self.lasting = 0;
        self.forget();
    }

    /// Enters the held form of a port.
    fn hold(&mut self, port: usize) {
        self.refresh(0);
        for i in 0..self.two_pole * LANES {
            let [qq, qp, pq, pp, bq, bp] = [0, 1, 2, 3, 4, 5].map(|column| self.levels[0].table.get(column, i));
            let phi = self.touch[port].get(0, i);
            let scale = if phi.abs() < UNHEARD { UNHEARD } else { phi };
            let (q, p) = (self.state.get(0, i), self.state.get(1, i));
            let mut row = [0.0; 6];
            if qq != 0.0 {
                let c = pq / qq; // [modal.5]
                let (a, b, e) = (1.0 + qq + qp * c, qp * (pp - qp * c), 1.0 + pp - qp * c);
                row = [a, b, c, e, scale * phi * (qq * bq + qp * bp), scale * phi * bp];
            }
            for (column, value) in row.into_iter().enumerate() {
                self.held.set(column, i, value);
            }
            self.held_scale.set(0, i, scale);
            self.state.set(0, i, scale * (qq * q + qp * p));
            self.state.set(1, i, scale * p);
        }
        self.form = Form::Held { port };
    }

    /// Largest excursion of a port from now on if nothing touches the body, m. Amplitudes only decay.
    fn excursion(&self, port: usize) -> Real {
        let mut sum = 0.0;
        for (i, mode) in self.modes.iter().enumerate() {
            let ((q, p), phi) = (self.state(i), self.shape[port].get(0, i));
            if mode.mass == 0.0 || phi == 0.0 || (q == 0.0 && p == 0.0) {
                continue;
            }
            let (omega, sigma) = (self.omega(mode), self.sigma(mode));
            let amplitude = if omega == 0.0 {
                Real::INFINITY
            } else if omega > sigma {
                let u2 = (p + sigma * q) * (p + sigma * q) / ((omega - sigma) * (omega + sigma));
                (q * q + u2).sqrt()
            } else {
                q.abs() + p.abs() / sigma
            };
            sum += phi.abs() * amplitude;
        }
        sum
    }

    /// Sum of a row of the plain state times the shape of a port.
    fn dot(&self, row: usize, port: usize) -> Real {
        let cells = self.state.len();
        kernel::dot(self.path, self.state.part(0, cells)[row], self.shape[port].part(0, cells)[0])
    }

    fn sum(&self, port: usize, of: impl Fn(usize) -> Real) -> Real {
        let mut sum = [0.0; LANES];
        for i in 0..self.modes.len() {
            sum[i % LANES] += self.shape[port].get(0, i) * of(i);
        }
        kernel::join(&sum)
    }
}

fn two_pole(omega: Real, sigma: Real, h: Real) -> bool {
    let (low, high) = TWO_POLE_ANGLE;
    let angle = ((omega - sigma) * (omega + sigma)).max(0.0).sqrt() * h;
    angle >= low && angle <= high && sigma * h <= TWO_POLE_DECAY
}

impl Tunable for Modal {
    fn specs(&self) -> &'static [Spec] {
        ModalParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.read(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        if self.params.read(index) == value {
            return;
        }
        let was_free = matches!(self.form, Form::Free { .. });
        self.plain();
        let before = self.params.freq_scale;
        self.params.write(index, value);
        let after = self.params.freq_scale;
        if after > before {
            // A retune must not hand out energy (H9): the state shrinks by the root of the ratio.
            for i in 0..self.modes.len() {
                let (q, p) = self.state(i);
                let (wq0, wq1) = (self.modes[i].omega * before * q, self.modes[i].omega * after * q);
                if wq1 != 0.0 {
                    let shrink = ((p * p + wq0 * wq0) / (p * p + wq1 * wq1)).sqrt();
                    self.state.set(0, i, q * shrink);
                    self.state.set(1, i, p * shrink);
                }
            }
        }
        if before != after || index == 1 {
            self.retuned();
            self.refresh(self.level);
        }
        if was_free {
            self.release();
        }
    }
}

impl Resonator for Modal {
    fn ports(&self) -> usize {
        self.shape.len()
    }

    fn attend(&mut self) {
        if matches!(self.form, Form::Free { .. }) {
            self.plain();
        }
    }

    fn release(&mut self) {
        if matches!(self.form, Form::Free { .. }) {
            return;
        }
        self.plain();
        self.divide(0);
        for port in 0..self.bound.len() {
            self.bound[port] = self.excursion(port);
        }
        for i in 0..self.rung() * LANES {
            let ((q, p), scale) = (self.state(i), self.scale.get(0, i));
            let [pq, pp] = [2, 3].map(|column| self.levels[0].table.get(column, i));
            self.state.set(0, i, scale * (p + (pq * q + pp * p)));
            self.state.set(1, i, scale * p);
        }
        self.form = Form::Free { late: false };
        self.shed.fill(false);
    }

    fn divide(&mut self, level: usize) {
        self.refresh(level);
        if level != self.level {
            self.plain();
            self.level = level;
            self.lasting = 0;
            self.stroke.iter_mut().for_each(|s| *s = None);
        }
    }

    fn free_stroke(&mut self, port: usize) -> Real {
        let base = match self.stroke[port] {
            Some(stroke) => stroke,
            None => {
                self.plain();
                self.watch = port;
                self.lasting = 0;
                let cells = self.state.len();
                let [qq, qp, ..] = self.levels[self.level].table.part(0, cells);
                let [touch] = self.touch[port].part(0, cells);
                let stroke = kernel::stroke(self.path, self.state.part(0, cells), [qq, qp], touch);
                self.stroke[port] = Some(stroke);
                stroke
            }
        };
        let row = &self.levels[self.level].compliance[port * self.pushed.len()..];
        self.pushed.iter().zip(row).fold(base, |s, (f, label)| if *f == 0.0 { s } else { s + label * f })
    }

    fn compliance(&self, to: usize, from: usize) -> Real {
        self.levels[self.level].compliance[to * self.pushed.len() + from]
    }

    fn push(&mut self, port: usize, force_n: Real) {
        self.pushed[port] += force_n;
    }

    fn unpush(&mut self) {
        self.pushed.fill(0.0);
    }

    fn commit(&mut self) {
        let others = self.pushed.iter().enumerate().any(|(port, f)| *f != 0.0 && port != self.watch);
        if let (Form::Held { port }, false) = (self.form, others) {
            let (force, fast, all) = (self.pushed[port], self.two_pole, self.state.len());
            let table = self.held.part(0, fast);
            let (mut stroke, mut heard) = kernel::held(self.path, self.state.part_mut(0, fast), table, force);
            if all > fast {
                let ([touch], table) = (self.touch[port].part(fast, all), self.levels[0].table.part(fast, all));
                let state = self.state.part_mut(fast, all);
                let more = kernel::step(self.path, state, table, touch, force, touch, touch);
                stroke += more.0;
                heard += more.1;
            }
            let own = port == self.listen && !self.displaced[port];
            self.stroke[port] = Some(stroke);
            self.heard = own.then_some(heard);
            self.pushed[port] = 0.0;
            return;
        }
        self.plain();
        let cells = self.state.len();
        let (shape, force) = if others {
            self.gathered.fill(0.0);
            for (touch, &f) in self.touch.iter().zip(&self.pushed).filter(|(_, f)| **f != 0.0) {
                for i in 0..self.modes.len() {
                    self.gathered.set(0, i, self.gathered.get(0, i) + touch.get(0, i) * f);
                }
            }
            (&self.gathered, 1.0)
        } else {
            (&self.touch[self.watch], self.pushed[self.watch])
        };
        let [[shape], [watch], [tap]] =
            [shape, &self.touch[self.watch], &self.shape[self.listen]].map(|row| row.part(0, cells));
        let table = self.levels[self.level].table.part(0, cells);
        let (stroke, heard) = kernel::step(self.path, self.state.part_mut(0, cells), table, shape, force, watch, tap);
        self.stroke.iter_mut().for_each(|s| *s = None);
        self.stroke[self.watch] = Some(stroke);
        self.heard = Some(heard);
        self.pushed.fill(0.0);
        self.lasting = if others || self.level > 0 || !self.steady { 0 } else { self.lasting + 1 };
        if self.lasting > LASTING {
            self.hold(self.watch);
        }
    }

    fn ring(&mut self, ticks: usize, readings: &mut [Reading]) {
        if self.quiet {
            readings.iter_mut().for_each(|r| r.values[..ticks].fill(0.0));
            return;
        }
        let Form::Free { late } = self.form else {
            debug_assert!(false, "ring is for the free form");
            return;
        };
        let (rung, all) = (self.rung(), self.state.len());
        let table = &self.levels[0].table;
        for r in readings.iter_mut() {
            r.sums.0[..ticks].fill(Line::ZERO);
        }
        let favourite = |r: &Reading| r.motion == Motion::Velocity && r.port == self.listen;
        let plain = match &*readings {
            [] => true,
            [r] => favourite(r),
            _ => false,
        };
        match &mut *readings {
            one if plain => {
                let sums = one.first_mut().map_or(&mut *self.sums, |r| &mut r.sums);
                let mut from = 0;
                for run in self.shed[..rung / PAIR].chunk_by(|a, b| a == b) {
                    let to = from + run.len() * PAIR;
                    if !run[0] {
                        let (fast, two) = (self.state.part_mut(from, to), self.two_step.part(from, to));
                        kernel::ring(self.path, fast, two, late, ticks, sums);
                    }
                    from = to;
                }
            }
            many => {
                let mut history = [[[0.0; LANES]; PAIR]; CONTROL_TICKS + 1];
                for from in (0..rung).step_by(PAIR).filter(|from| !self.shed[from / PAIR]) {
                    let (state, two) = (self.state.part_mut(from, from + PAIR), self.two_step.part(from, from + PAIR));
                    kernel::history(self.path, state, two, late, ticks, &mut history);
                    let each = |f: &dyn Fn(usize) -> Real| -> [Chunk; PAIR] {
                        core::array::from_fn(|g| core::array::from_fn(|l| f((from + g) * LANES + l)))
                    };
                    for r in many.iter_mut() {
                        let weight = |i: usize| self.shape[r.port].get(0, i) / self.scale.get(0, i);
                        if favourite(r) {
                            kernel::gather(self.path, &history, None, None, ticks, &mut r.sums);
                        } else if r.motion == Motion::Velocity {
                            kernel::gather(self.path, &history, Some(&each(&weight)), None, ticks, &mut r.sums);
                        } else {
                            // q = (p[n+1] - (1 + pp) p[n]) / pq, from [modal.1] without force.
                            let back = |i: usize| {
                                let pq = table.get(2, i);
                                if pq == 0.0 { 0.0 } else { weight(i) / pq }
                            };
                            let (ahead, now) = (each(&back), each(&|i| -back(i) * (1.0 + table.get(3, i))));
                            kernel::gather(self.path, &history, Some(&now), Some(&ahead), ticks, &mut r.sums);
                        }
                    }
                }
            }
        }
        for tick in 0..ticks {
            for i in rung * LANES..all * LANES {
                let [qq, qp, pq, pp] = [0, 1, 2, 3].map(|row| table.get(row, i));
                let (q, p) = (self.state.get(0, i), self.state.get(1, i));
                self.state.set(0, i, q + (qq * q + qp * p));
                self.state.set(1, i, p + (pq * q + pp * p));
            }
            for r in readings.iter_mut() {
                let row = usize::from(r.motion == Motion::Velocity);
                for i in rung * LANES..all * LANES {
                    r.sums.0[tick].0[i % LANES] += self.shape[r.port].get(0, i) * self.state.get(row, i);
                }
                r.values[tick] = r.sums.join(tick);
            }
        }
        self.form = Form::Free { late: late ^ (ticks % 2 == 1) };
    }

    fn position(&self, port: usize) -> Real {
        match self.form {
            Form::Plain => self.dot(0, port),
            _ => self.sum(port, |i| self.state(i).0),
        }
    }

    fn velocity(&self, port: usize) -> Real {
        match (self.heard, self.form) {
            (Some(heard), _) if port == self.listen => heard,
            (_, Form::Plain) => self.dot(1, port),
            _ => self.sum(port, |i| self.state(i).1),
        }
    }

    fn energy(&self) -> Real {
        let mut sum = [0.0; LANES];
        for (i, mode) in self.modes.iter().enumerate() {
            let (q, p) = self.state(i);
            let wq = self.omega(mode) * q;
            sum[i % LANES] += 0.5 * mode.mass * (p * p + wq * wq);
        }
        kernel::join(&sum)
    }

    fn inverse_mass(&self, port: usize) -> Real {
        self.each_shape(port).map(|(mode, phi)| phi * phi / mode.mass).sum()
    }

    fn flexibility(&self, port: usize) -> Real {
        let yields = |(mode, phi): (&Mode, Real)| phi * phi / (mode.mass * self.omega(mode) * self.omega(mode));
        self.each_shape(port).map(yields).sum()
    }

    fn range(&self, port: usize, _seconds: Real) -> (Real, Real) {
        let bound = if matches!(self.form, Form::Free { .. }) { self.bound[port] } else { self.excursion(port) };
        (-bound, bound)
    }

    fn hit(&mut self, port: usize, impulse_n_s: Real) -> bool {
        self.plain();
        for i in 0..self.modes.len() {
            let mode = self.modes[i];
            if self.sounds(&mode) {
                let p = self.state.get(1, i) + self.shape[port].get(0, i) * impulse_n_s / mode.mass;
                self.state.set(1, i, p);
            }
        }
        self.forget();
        true
    }

    /// One small displacement of the touched place: a mode that varies as cos(k x) gets cos(k x + psi) with psi
    /// growing with mode number, so that the high modes change most (000 section 8.2.2).
    fn restrike(&mut self, port: usize, rng: &mut Rng) {
        if self.params.jitter_01 == 0.0 && !self.displaced[port] {
            return;
        }
        self.plain();
        self.displaced[port] = self.params.jitter_01 > 0.0;
        let displaced = rng.between(-1.0, 1.0) * self.params.jitter_01 * 0.5 * PI;
        for (i, mode) in self.modes.iter().enumerate() {
            let (psi, phi) = (displaced * mode.rank, self.shape[port].get(0, i));
            let quadrature = (mode.crest * mode.crest - phi * phi).max(0.0).sqrt();
            self.touch[port].set(0, i, phi * cos(psi) + quadrature * sin(psi));
        }
        self.levels.iter_mut().for_each(|level| level.fresh = false);
        self.refresh(self.level);
        self.forget();
    }

    fn settle(&mut self) -> bool {
        let [q, p] = self.state.part_mut(0, self.modes.len() / LANES).map(|row| kernel::flush(self.path, row, FLUSH));
        let (alive, finite) = (q.0 || p.0, q.1 && p.1);
        self.quiet = !alive && matches!(self.form, Form::Free { .. });
        finite
    }

    fn reset(&mut self) {
        self.plain();
        self.state.fill(0.0);
        self.pushed.fill(0.0);
        self.bound.fill(0.0);
        self.forget();
    }

    fn omitted(&self) -> usize {
        self.omitted
    }

    fn inherit(&mut self, old: &dyn Resonator) -> bool {
        (old as &dyn Any).downcast_ref().is_some_and(|old| self.take_over(old))
    }

    fn shed(&mut self, below_j: Real) -> usize {
        self.silence(below_j)
    }

    fn listen(&mut self, port: usize) {
        let was_free = matches!(self.form, Form::Free { .. });
        self.plain();
        self.listen = port;
        self.heard = None;
        // A mode that is not heard there is scaled by next to nothing instead of nothing, so that it is not lost.
        for i in 0..self.modes.len() {
            let phi = self.shape[port].get(0, i);
            self.scale.set(0, i, if phi.abs() < UNHEARD { UNHEARD } else { phi });
        }
        if was_free {
            self.release();
        }
    }
}

impl Modal {
    /// The real modes with their shape at a port.
    fn each_shape(&self, port: usize) -> impl Iterator<Item = (&Mode, Real)> {
        let real = self.modes.iter().enumerate().filter(|(_, mode)| mode.mass > 0.0);
        real.map(move |(i, mode)| (mode, self.shape[port].get(0, i))).filter(|(_, phi)| *phi != 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE_HZ: Real = 48_000.0;

    fn body(modes: &[(Real, Real, Real)]) -> Modal {
        Modal::new(ModalParams::default(), modes, &[vec![1.0; modes.len()]], 1.0 / RATE_HZ, true)
    }

    /// Displacement and velocity of a free damped oscillator at time t, unit mass, in closed form by complex roots.
    fn decay(omega: Real, sigma: Real, q: Real, p: Real, t: Real) -> (Real, Real) {
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
    fn a_mode_rings_at_its_frequency_and_decay_to_one_part_in_a_billion_in_both_forms() {
        for freq_hz in [0.5, 20.0, 75.0, 77.0, 440.0, 5_000.0, 18_000.0, 23_990.0] {
            for decay_s in [0.05, 0.5, Real::INFINITY] {
                let (omega, sigma) = (rad_s(freq_hz), decay_rate(decay_s));
                for free in [true, false] {
                    let mut body = body(&[(freq_hz, decay_s, 1.0)]);
                    body.hit(0, 1.0);
                    let n = 9_600usize;
                    if free {
                        body.release();
                        (0..n / 32).for_each(|_| body.ring(32, &mut []));
                        body.attend();
                    } else {
                        (0..n).for_each(|_| body.commit());
                    }
                    let t = n as Real / RATE_HZ;
                    let (q, p) = decay(omega, sigma, 0.0, 1.0, t);
                    let envelope = (-sigma * t).exp();
                    // A relative error e in frequency moves the phase by e omega t, in decay the envelope by e sigma t.
                    let allowed = 1e-9 * (omega + sigma) * t * envelope;
                    assert!((body.velocity(0) - p).abs() < allowed, "{freq_hz} Hz {decay_s} s {free}: p");
                    assert!((body.position(0) - q).abs() * omega < allowed, "{freq_hz} Hz {decay_s} s {free}: q");
                }
            }
        }
    }

    #[test]
    fn critical_overdamped_and_zero_frequency_modes_follow_their_closed_forms() {
        let t = 480.0 / RATE_HZ;
        for (freq_hz, decay_s) in [(100.0, 1.0 / rad_s(100.0)), (10.0, 1e-3), (1e-3, 1e-2), (0.0, 1e-2), (200.0, 1e-6)]
        {
            let (omega, sigma) = (rad_s(freq_hz), decay_rate(decay_s));
            let mut body = body(&[(freq_hz, decay_s, 1.0)]);
            body.hit(0, 1.0);
            (0..480).for_each(|_| body.commit());
            let (q, p) = if (omega / sigma - 1.0).abs() < 1e-9 {
                (t * (-sigma * t).exp(), (1.0 - sigma * t) * (-sigma * t).exp())
            } else {
                decay(omega, sigma, 0.0, 1.0, t)
            };
            let scale = 1e-11 * (1.0 / sigma).min(t);
            assert!((body.position(0) - q).abs() < scale, "{freq_hz} Hz {decay_s} s: {} {q}", body.position(0));
            assert!((body.velocity(0) - p).abs() < 1e-11, "{freq_hz} Hz {decay_s} s: {} {p}", body.velocity(0));
        }
        let mut free = body(&[(0.0, Real::INFINITY, 2.0)]);
        free.push(0, 3.0);
        free.commit();
        let h = 1.0 / RATE_HZ;
        assert!((free.position(0) / (3.0 * h * h / 4.0) - 1.0).abs() < 1e-14, "a zero-frequency mode is a free mass");
    }

    #[test]
    fn the_step_response_is_continuous_across_its_branches() {
        let h = 1.0 / 44_100.0;
        let reference = |omega: Real, sigma: Real| {
            // Independent: classical Runge-Kutta on (q, p) under a unit force, 20000 steps.
            let (mut q, mut p, dt) = (0.0, 0.0, h / 20_000.0);
            let f = |q: Real, p: Real| (p, 1.0 - 2.0 * sigma * p - omega * omega * q);
            for _ in 0..20_000 {
                let a = f(q, p);
                let b = f(q + 0.5 * dt * a.0, p + 0.5 * dt * a.1);
                let c = f(q + 0.5 * dt * b.0, p + 0.5 * dt * b.1);
                let d = f(q + dt * c.0, p + dt * c.1);
                q += dt / 6.0 * (a.0 + 2.0 * b.0 + 2.0 * c.0 + d.0);
                p += dt / 6.0 * (a.1 + 2.0 * b.1 + 2.0 * c.1 + d.1);
            }
            (p, q)
        };
        for wh in [0.0, 1e-6, 1e-3, 0.099, 0.101, 0.5, 1.0, 3.1] {
            for sh in [0.0, 1e-6, 1e-3, 0.1, 0.499, 0.501, 1.0, 3.1, 30.0] {
                let (s, integral) = step_response(wh / h, sh / h, h);
                let (s1, integral1) = reference(wh / h, sh / h);
                let small = if sh > 5.0 { 1e-9 } else { 2e-12 };
                assert!((s / s1 - 1.0).abs() < small || (s - s1).abs() < 1e-13 * h, "S({wh}, {sh}): {s} {s1}");
                assert!((integral / integral1 - 1.0).abs() < small, "integral({wh}, {sh}): {integral} {integral1}");
            }
        }
    }

    #[test]
    fn the_label_is_the_stroke_per_newton_and_is_never_negative() {
        let modes = [(220.0, 0.5, 0.05), (1_000.0, 0.1, 0.02), (17_000.0, 0.01, 0.03)];
        let ports = [vec![1.0, -0.5, 0.3], vec![0.2, 0.9, -1.0]];
        for level in [0, 4] {
            let mut body = Modal::new(ModalParams::default(), &modes, &ports, 1.0 / RATE_HZ, true);
            body.divide(level);
            let before = body.position(0);
            body.push(1, 2.5);
            let predicted = body.free_stroke(0);
            body.commit();
            assert!((predicted - 2.5 * body.compliance(0, 1)).abs() < 1e-22);
            assert!((body.position(0) - before - predicted).abs() < 1e-20);
            assert!(body.compliance(0, 0) > 0.0 && body.compliance(1, 1) > 0.0);
            assert_eq!(body.compliance(0, 1), body.compliance(1, 0));
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

    #[test]
    fn position_and_velocity_read_in_a_free_block_are_those_of_the_stepped_body() {
        let modes = [(30.0, 0.5, 0.05), (220.0, 0.5, 0.05), (1_000.0, 0.1, 0.02)];
        let ports = [vec![1.0, -0.5, 0.3], vec![0.2, 0.9, -1.0]];
        let make = || {
            let mut body = Modal::new(ModalParams::default(), &modes, &ports, 1.0 / RATE_HZ, true);
            body.hit(0, 0.1);
            body
        };
        let (mut free, mut stepped) = (make(), make());
        free.release();
        let mut readings = [Reading::new(1, Motion::Position), Reading::new(0, Motion::Velocity)];
        free.ring(20, &mut readings);
        for tick in 0..20 {
            stepped.commit();
            assert!((readings[0].values[tick] - stepped.position(1)).abs() < 1e-14);
            assert!((readings[1].values[tick] - stepped.velocity(0)).abs() < 1e-12);
        }
    }

    #[test]
    fn jitter_changes_the_high_modes_more_than_the_low_ones() {
        let modes: Vec<_> = (1..=16).map(|i| (100.0 * f64::from(i), 0.3, 0.01)).collect();
        let params = ModalParams { jitter_01: 0.5, ..ModalParams::default() };
        let mut body = Modal::new(params, &modes, &[vec![0.5; 16]], 1.0 / RATE_HZ, true);
        let mut rng = Rng::new(1, "bar");
        let (mut low, mut high) = (0.0, 0.0);
        for _ in 0..200 {
            body.restrike(0, &mut rng);
            low += (body.touch[0].get(0, 0) - 0.5).abs();
            high += (body.touch[0].get(0, 15) - 0.5).abs();
        }
        assert!(high > 5.0 * low, "{low} {high}");
        assert!(body.compliance(0, 0) > 0.0);
    }
}
