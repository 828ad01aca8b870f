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
//! - `[modal.4]  any signal of a free mode obeys y[n+1] = T y[n] - D y[n-1]`, `T = 2 + qq + pp`, `D = exp(-2 sigma h)`
//!
//! **Symbols.** omega = 2 pi `freq_hz` rad/s (undamped); sigma = 1/`decay_s` 1/s; m `mass_kg` kg; phi: `port` values.
//!
//! **Step.** Exact for a held force, at any frequency below Nyquist and any damping, zero frequency included. Writing
//! the step as a *change* keeps the digits of slow modes (relative error of frequency and decay about 1e-15), and the
//! stroke is then the very number that is added to q. Free modes run in the two-pole form of their velocity where that
//! is accurate: its frequency error is about 1e-16/theta^2 and its rounding noise 1/sin(theta), hence the gate on theta.
//!
//! **Sources.** 000 (8.1)-(8.7), section 8.2.2; 003 (5.6); physics.md D.1, H10. We depart from the papers' bilinear
//! transform, which puts an 18 kHz mode at 12.8 kHz.

use super::kernel::{self, Force, LANES, PAIR, Path, Table, TwoPole};
use super::{CONTROL_TICKS, LEVELS, Motion, Reading, Resonator};
use crate::math::{PI, Real, cos, exp, expm1, integrate_smooth, sin, sinc, sinh, sinhc};
use crate::param::{Key, KeyType, Kind, Spec, Tunable};
use crate::rng::Rng;
use crate::units::{decay_rate, rad_s};

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
/// Amplitudes (m, m/s) below this are set to zero at control ticks: far below hearing, far above denormals (1e-308).
const FLUSH: Real = 1e-150;

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

/// A vibrating object.
pub struct Modal {
    params: ModalParams,
    sample_s: Real,
    path: Path,
    /// Two-pole modes first (padded to `PAIR`), then the others (padded to `LANES`).
    modes: Vec<Mode>,
    two_pole: usize,
    trace: Vec<Real>,
    det: Vec<Real>,
    q: Vec<Real>,
    p: Vec<Real>,
    levels: Vec<Level>,
    level: usize,
    /// Mode-shape values per port: as declared (what is heard) and as last struck (what is touched).
    shape: Vec<Vec<Real>>,
    touch: Vec<Vec<Real>>,
    pushed: Vec<Real>,
    gathered: Vec<Real>,
    stroke: Vec<Option<Real>>,
    watch: usize,
    listen: usize,
    heard: Option<Real>,
    free: bool,
    /// Two-pole form usable at the present tuning.
    steady: bool,
    /// Largest excursion of each port while free, m.
    bound: Vec<Real>,
    omitted: usize,
    quiet: bool,
    sums: Box<kernel::Sums>,
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
        order.resize(order.len().next_multiple_of(PAIR), None);
        let two_pole = order.len();
        order.extend((0..modes.len()).filter(|&i| !steady(&modes[i])).map(Some));
        order.resize(order.len().next_multiple_of(LANES), None);

        let n = order.len();
        let shape: Vec<Vec<Real>> =
            ports.iter().map(|port| order.iter().map(|&i| i.map_or(0.0, |i| port[i])).collect()).collect();
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
        let zeros = || vec![0.0; n];
        let table = || Table { qq: zeros(), qp: zeros(), pq: zeros(), pp: zeros(), bq: zeros(), bp: zeros() };
        let level = |_| Level { table: table(), compliance: vec![0.0; ports.len() * ports.len()], fresh: false };
        let mut body = Self {
            params,
            sample_s,
            path: Path::detect(),
            modes: order.iter().map(mode).collect(),
            two_pole,
            trace: zeros(),
            det: zeros(),
            q: zeros(),
            p: zeros(),
            levels: (0..LEVELS).map(level).collect(),
            level: 0,
            touch: shape.clone(),
            shape,
            pushed: vec![0.0; ports.len()],
            gathered: zeros(),
            stroke: vec![None; ports.len()],
            watch: 0,
            listen: 0,
            heard: None,
            free: false,
            steady: true,
            bound: vec![0.0; ports.len()],
            omitted: 0,
            quiet: false,
            sums: Box::new([[0.0; LANES]; CONTROL_TICKS]),
        };
        body.retuned();
        let needed = if touched { LEVELS } else { 1 };
        (0..needed).rev().for_each(|level| body.refresh(level));
        body
    }

    /// Uses the given kernels instead of the fastest ones; for tests. `[control]`
    #[doc(hidden)]
    pub fn use_scalar_kernels(&mut self, scalar: bool) {
        self.path = if scalar { Path::Scalar } else { Path::Baseline };
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

    /// Recomputes what depends on the tuning but not on the step.
    fn retuned(&mut self) {
        self.steady = true;
        self.omitted = 0;
        for i in 0..self.modes.len() {
            let mode = self.modes[i];
            let (omega, sigma) = (self.omega(&mode), self.sigma(&mode));
            if mode.mass > 0.0 && !self.sounds(&mode) {
                self.omitted += 1;
                (self.q[i], self.p[i]) = (0.0, 0.0);
            } else if i < self.two_pole && mode.mass > 0.0 {
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
            let sounds = self.sounds(&mode);
            let t = &mut self.levels[level].table;
            if !sounds {
                for column in [&mut t.qq, &mut t.qp, &mut t.pq, &mut t.pp, &mut t.bq, &mut t.bp] {
                    column[i] = 0.0;
                }
                continue;
            }
            let (s, integral) = step_response(omega, sigma, h); // [modal.2]
            t.qp[i] = s;
            t.pq[i] = -omega * omega * s;
            t.bq[i] = integral / mode.mass;
            t.bp[i] = s / mode.mass;
            t.qq[i] = -omega * omega * integral;
            t.pp[i] = t.qq[i] - 2.0 * sigma * s;
            if level == 0 {
                self.trace[i] = 2.0 + (t.qq[i] + t.pp[i]); // [modal.4]
                self.det[i] = exp(-2.0 * sigma * h);
            }
        }
        let ports = self.touch.len();
        let Level { table, compliance, fresh } = &mut self.levels[level];
        for to in 0..ports {
            for from in 0..=to {
                let mut sum = [0.0; LANES];
                for i in 0..self.modes.len() {
                    sum[i % LANES] += self.touch[to][i] * self.touch[from][i] * table.bq[i]; // [modal.3]
                }
                let label = kernel::join(&sum);
                compliance[to * ports + from] = label;
                compliance[from * ports + to] = label;
            }
        }
        *fresh = true;
    }

    /// Displacement and velocity of a mode in either form.
    fn state(&self, i: usize) -> (Real, Real) {
        if self.free && i < self.rung() {
            let t = &self.levels[0].table;
            if t.pq[i] == 0.0 {
                return (0.0, 0.0);
            }
            ((self.q[i] - (1.0 + t.pp[i]) * self.p[i]) / t.pq[i], self.p[i])
        } else {
            (self.q[i], self.p[i])
        }
    }

    /// Number of modes in two-pole form while free.
    fn rung(&self) -> usize {
        if self.steady { self.two_pole } else { 0 }
    }

    /// Largest excursion of a port from now on if nothing touches the body, m. Amplitudes only decay.
    fn excursion(&self, port: usize) -> Real {
        let mut sum = 0.0;
        for (i, mode) in self.modes.iter().enumerate() {
            let (q, p) = self.state(i);
            if mode.mass == 0.0 || (q == 0.0 && p == 0.0) {
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
            sum += if self.shape[port][i] == 0.0 { 0.0 } else { self.shape[port][i].abs() * amplitude };
        }
        sum
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
        let was_free = self.free;
        self.attend();
        let before = self.params.freq_scale;
        self.params.write(index, value);
        let after = self.params.freq_scale;
        if after > before {
            // A retune must not hand out energy (H9): the state shrinks by the root of the ratio.
            for i in 0..self.modes.len() {
                let (wq0, wq1) = (self.modes[i].omega * before * self.q[i], self.modes[i].omega * after * self.q[i]);
                let p2 = self.p[i] * self.p[i];
                if wq1 != 0.0 {
                    let shrink = ((p2 + wq0 * wq0) / (p2 + wq1 * wq1)).sqrt();
                    self.q[i] *= shrink;
                    self.p[i] *= shrink;
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
        if self.free {
            for i in 0..self.rung() {
                (self.q[i], self.p[i]) = self.state(i);
            }
            self.free = false;
            self.forget();
        }
    }

    fn release(&mut self) {
        if !self.free {
            self.divide(0);
            for port in 0..self.bound.len() {
                self.bound[port] = self.excursion(port);
            }
            let t = &self.levels[0].table;
            for i in 0..self.rung() {
                self.q[i] = self.p[i] + (t.pq[i] * self.q[i] + t.pp[i] * self.p[i]);
            }
            self.free = true;
        }
    }

    fn divide(&mut self, level: usize) {
        self.refresh(level);
        if level != self.level {
            self.level = level;
            self.stroke.iter_mut().for_each(|s| *s = None);
        }
    }

    fn free_stroke(&mut self, port: usize) -> Real {
        let base = match self.stroke[port] {
            Some(stroke) => stroke,
            None => {
                self.watch = port;
                let t = &self.levels[self.level].table;
                let stroke = kernel::stroke(self.path, &self.q, &self.p, t, &self.touch[port]);
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

    fn commit(&mut self) {
        let mut ports = self.pushed.iter().enumerate().filter(|(_, f)| **f != 0.0).map(|(port, _)| port);
        let (first, second) = (ports.next(), ports.next());
        let force = match (first, second) {
            (Some(port), None) => Force::Port(&self.touch[port], self.pushed[port]),
            (None, _) => Force::Port(&self.touch[self.watch], 0.0),
            _ => {
                self.gathered.fill(0.0);
                for (port, &f) in self.pushed.iter().enumerate() {
                    if f != 0.0 {
                        self.gathered.iter_mut().zip(&self.touch[port]).for_each(|(g, phi)| *g += phi * f);
                    }
                }
                Force::Gathered(&self.gathered)
            }
        };
        let (watch, tap) = (&self.touch[self.watch], &self.shape[self.listen]);
        let table = &self.levels[self.level].table;
        let (stroke, heard) = kernel::step(self.path, &mut self.q, &mut self.p, table, force, watch, tap);
        self.forget();
        self.stroke[self.watch] = Some(stroke);
        self.heard = Some(heard);
        self.pushed.fill(0.0);
    }

    fn ring(&mut self, ticks: usize, readings: &mut [Reading]) {
        if self.quiet {
            readings.iter_mut().for_each(|r| r.values[..ticks].fill(0.0));
            return;
        }
        let rung = self.rung();
        let mut m = TwoPole {
            y0: &mut self.p[..rung],
            y1: &mut self.q[..rung],
            trace: &self.trace[..rung],
            det: &self.det[..rung],
        };
        let t = &self.levels[0].table;
        readings.iter_mut().for_each(|r| r.sums[..ticks].fill([0.0; LANES]));
        match &mut *readings {
            [] => kernel::ring(self.path, &mut m, &self.shape[0][..rung], ticks, &mut self.sums),
            [r] if r.motion == Motion::Velocity => {
                kernel::ring(self.path, &mut m, &self.shape[r.port][..rung], ticks, &mut r.sums);
            }
            many => {
                let mut history = [[0.0; PAIR]; CONTROL_TICKS + 1];
                for pair in 0..rung / PAIR {
                    kernel::history(self.path, &mut m, pair, ticks, &mut history);
                    for r in many.iter_mut() {
                        let shape: [Real; PAIR] = core::array::from_fn(|l| self.shape[r.port][pair * PAIR + l]);
                        if r.motion == Motion::Velocity {
                            kernel::gather(self.path, &history, &shape, None, ticks, &mut r.sums);
                        } else {
                            // q = (p[n+1] - (1 + pp) p[n]) / pq, from [modal.1] without force.
                            let back = |l: usize| t.pq[pair * PAIR + l];
                            let ahead = core::array::from_fn(|l| if back(l) == 0.0 { 0.0 } else { shape[l] / back(l) });
                            let now = core::array::from_fn(|l| -ahead[l] * (1.0 + t.pp[pair * PAIR + l]));
                            kernel::gather(self.path, &history, &now, Some(&ahead), ticks, &mut r.sums);
                        }
                    }
                }
            }
        }
        for tick in 0..ticks {
            for i in rung..self.modes.len() {
                let (q0, p0) = (self.q[i], self.p[i]);
                self.q[i] = q0 + (t.qq[i] * q0 + t.qp[i] * p0);
                self.p[i] = p0 + (t.pq[i] * q0 + t.pp[i] * p0);
            }
            for r in readings.iter_mut() {
                let moved = if r.motion == Motion::Velocity { &self.p } else { &self.q };
                for (i, x) in moved.iter().enumerate().skip(rung) {
                    r.sums[tick][i % LANES] += self.shape[r.port][i] * x;
                }
                r.values[tick] = kernel::join(&r.sums[tick]);
            }
        }
    }

    fn position(&self, port: usize) -> Real {
        if !self.free {
            return kernel::dot(self.path, &self.shape[port], &self.q);
        }
        let mut sum = [0.0; LANES];
        for (i, phi) in self.shape[port].iter().enumerate() {
            sum[i % LANES] += phi * self.state(i).0;
        }
        kernel::join(&sum)
    }

    fn velocity(&self, port: usize) -> Real {
        match self.heard {
            Some(heard) if port == self.listen => heard,
            _ => kernel::dot(self.path, &self.shape[port], &self.p),
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
        let yields = |(m, phi): (&Mode, &Real)| if m.mass > 0.0 { phi * phi / m.mass } else { 0.0 };
        self.modes.iter().zip(&self.shape[port]).map(yields).sum()
    }

    fn flexibility(&self, port: usize) -> Real {
        let yields = |(m, phi): (&Mode, &Real)| {
            let omega = self.omega(m);
            if m.mass > 0.0 && *phi != 0.0 { phi * phi / (m.mass * omega * omega) } else { 0.0 }
        };
        self.modes.iter().zip(&self.shape[port]).map(yields).sum()
    }

    fn range(&self, port: usize, _seconds: Real) -> (Real, Real) {
        let bound = if self.free { self.bound[port] } else { self.excursion(port) };
        (-bound, bound)
    }

    fn hit(&mut self, port: usize, impulse_n_s: Real) -> bool {
        for (i, mode) in self.modes.iter().enumerate() {
            if self.sounds(mode) {
                self.p[i] += self.shape[port][i] * impulse_n_s / mode.mass;
            }
        }
        self.forget();
        true
    }

    /// One small displacement of the touched place: a mode that varies as cos(k x) gets cos(k x + psi) with psi
    /// growing with mode number, so that the high modes change most (000 section 8.2.2).
    fn restrike(&mut self, port: usize, rng: &mut Rng) {
        if self.params.jitter_01 == 0.0 {
            return;
        }
        let displaced = rng.between(-1.0, 1.0) * self.params.jitter_01 * 0.5 * PI;
        for (i, mode) in self.modes.iter().enumerate() {
            let (psi, phi) = (displaced * mode.rank, self.shape[port][i]);
            let quadrature = (mode.crest * mode.crest - phi * phi).max(0.0).sqrt();
            self.touch[port][i] = phi * cos(psi) + quadrature * sin(psi);
        }
        self.levels.iter_mut().for_each(|level| level.fresh = false);
        self.refresh(self.level);
        self.forget();
    }

    fn settle(&mut self) -> bool {
        let mut alive = false;
        for x in self.q.iter_mut().chain(self.p.iter_mut()) {
            if x.abs() < FLUSH {
                *x = 0.0;
            }
            alive |= *x != 0.0;
        }
        self.quiet = !alive && self.free;
        !alive
    }

    fn reset(&mut self) {
        self.q.fill(0.0);
        self.p.fill(0.0);
        self.pushed.fill(0.0);
        self.bound.fill(0.0);
        self.forget();
    }

    fn omitted(&self) -> usize {
        self.omitted
    }

    fn listen(&mut self, port: usize) {
        self.listen = port;
        self.heard = None;
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
            low += (body.touch[0][0] - 0.5).abs();
            high += (body.touch[0][15] - 0.5).abs();
        }
        assert!(high > 5.0 * low, "{low} {high}");
        assert!(body.compliance(0, 0) > 0.0);
    }
}
