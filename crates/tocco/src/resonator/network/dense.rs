// SPDX-License-Identifier: MIT OR Apache-2.0
//! Modes joined by dampers: the exact step of a network that does not fall apart into single modes.
//!
//! **What.** One damper on one mass carries motion from mode to mode; no real change of coordinates undoes that. The modes
//! are then stepped together, by the exponential of the whole system.
//!
//! **Law.** z = (q, p), p = q', A = (0, 1; -diag(omega^2), -D), f = Phi^T F held during the step.
//! - `[dense.1]  z += E z + G (0, f)`, `G = integral of exp(A s) over the step`, `E = A G = exp(A h) - 1`
//! - `[dense.2]  G(2 t) = 2 G(t) + E(t) G(t)`, from a short t where `G = t (1 + A t/2 (1 + A t/3 (1 + ...)))`
//! - `[dense.3]  free stroke = phi . (E z)_q`, compliance `L_ij = phi_i . G_qp phi_j`, symmetric, and at least 0 for i = j:
//!   a unit force held from rest has done the work `L_ii`, which is what the network stores and its dampers have taken
//! - `[dense.4]  energy = (p.p + sum omega^2 q^2)/2`, and no free motion takes a port further than `sqrt(2 E flexibility)`
//!
//! - `[dense.5]  table = (1 - b) table + b table_before`, b falling from 1 to 0 over one control interval after an edit, all in
//!   the coordinates (omega q, p), in which the energy of both bodies is the same sum of squares. What a step may do at most,
//!   `energy after <= energy before + F stroke`, is convex in the tables: between two passive steps every one is passive.
//!
//! **Symbols.** omega rad/s, D 1/s, Phi 1/sqrt(kg), as in network.rs; q in m sqrt(kg); h s.
//!
//! **Step.** Exact for held forces. All sub-step levels come out of one run of doublings. Writing the step as a change keeps
//! the digits of slow modes. Cost grows with the square of the masses, and that of a live edit, which makes every table anew,
//! with the cube: 64 masses run at about twice real time, edits of more than a dozen are for offline rendering.
//! A live edit that would damp more than [`STRONGEST`] damps that much; a mode tuned past Nyquist is silenced.
//!
//! **Sources.** Van Loan 1978 (integrals of the matrix exponential); Moler and Van Loan 2003 (scaling and squaring); H9.

use super::{Network, PARAMS, STRONGEST};
use crate::math::{PI, Real};
use crate::param::{Params, Spec, Tunable};
use crate::resonator::modal::ModalParams;
use crate::resonator::{CONTROL_TICKS, LEVELS, Motion, Reading, Resonator};

/// Terms of the series of [dense.2], and the largest |A| t it starts from: the next term is below 1e-17.
const TERMS: usize = 12;
const SHORT: Real = 0.25;
/// Amplitudes (m, m/s) below this are set to zero at control ticks: far below hearing, far above denormals (1e-308).
const FLUSH: Real = 1e-200;

/// Parts of a sample in which the interval after an edit is counted, the finest sub-step, and parts of the whole interval.
const PARTS: u32 = 1 << (LEVELS - 1);
const FULL: u32 = PARTS * CONTROL_TICKS as u32;

/// One step length. Columns of a matrix lie in one piece.
#[derive(Clone)]
struct Level {
    /// E, 2n x 2n.
    change: Vec<Real>,
    /// G for forces on modes, 2n x n.
    push: Vec<Real>,
    /// Per port, its stroke per unit of the state: ports x 2n.
    stroke: Vec<Real>,
    /// ports x ports
    compliance: Vec<Real>,
}

/// A network whose dampers join its modes.
#[derive(Clone)]
pub struct Dense {
    params: ModalParams,
    sample_s: Real,
    omega: Vec<Real>,
    /// D, n x n, and the largest damping rate.
    damping: Vec<Real>,
    strongest: Real,
    /// Per port, its value in every mode.
    shape: Vec<Vec<Real>>,
    /// q of every mode, then p.
    state: Vec<Real>,
    levels: Vec<Level>,
    level: usize,
    /// Tables before the last edit, in the coordinates of the present ones; what the present sample uses while both count.
    before: Vec<Level>,
    mixed: Level,
    /// Parts left of the interval after an edit, and the present frequencies over those before it.
    left: u32,
    rise: Real,
    pushed: Vec<Real>,
    /// Modes below Nyquist at the present tuning.
    sounds: Vec<bool>,
    free: bool,
    quiet: bool,
    /// Energy at the release, J.
    energy_at_release_j: Real,
    /// Room for the making of tables (2n x 2n twice, n x n) and for a step (2n, n).
    gamma: Vec<Real>,
    room: Vec<Real>,
    tuned: Vec<Real>,
    next: Vec<Real>,
    force: Vec<Real>,
}

impl Dense {
    /// The modes `kept` of a network, at rest. `[control]`
    pub fn new(params: ModalParams, network: &Network, kept: &[usize], sample_s: Real) -> Self {
        let places = network.mode_shapes.iter().map(|row| kept.iter().map(|&i| row[i]).collect());
        Self::heard(params, network, kept, places.collect(), sample_s)
    }

    /// The same with ports given by one value per mode kept, the masses first. `[control]`
    pub fn heard(
        params: ModalParams,
        network: &Network,
        kept: &[usize],
        shape: Vec<Vec<Real>>,
        sample_s: Real,
    ) -> Self {
        let (n, all, ports) = (kept.len(), network.omega.len(), shape.len());
        let square = 4 * n * n;
        let level = |_| Level {
            change: vec![0.0; square],
            push: vec![0.0; 2 * n * n],
            stroke: vec![0.0; 2 * n * ports],
            compliance: vec![0.0; ports * ports],
        };
        let mut body = Self {
            params,
            sample_s,
            omega: kept.iter().map(|&i| network.omega[i]).collect(),
            damping: kept.iter().flat_map(|&j| kept.iter().map(move |&i| network.damping[j * all + i])).collect(),
            strongest: network.strongest(),
            shape,
            state: vec![0.0; 2 * n],
            levels: (0..LEVELS).map(level).collect(),
            level: 0,
            before: (0..LEVELS).map(level).collect(),
            mixed: level(0),
            left: 0,
            rise: 1.0,
            pushed: vec![0.0; ports],
            sounds: vec![true; n],
            free: false,
            quiet: false,
            energy_at_release_j: 0.0,
            gamma: vec![0.0; square],
            room: vec![0.0; square],
            tuned: vec![0.0; n * n],
            next: vec![0.0; 2 * n],
            force: vec![0.0; n],
        };
        body.retune();
        body
    }

    fn modes(&self) -> usize {
        self.omega.len()
    }

    /// Factor on D at the present tuning.
    fn damps(&self) -> Real {
        let most = if self.strongest > 0.0 { STRONGEST / self.strongest } else { 1.0 };
        (1.0 / self.params.decay_scale).min(most.max(1.0))
    }

    /// Makes every table; bounded, no allocation. `[audio]`
    fn retune(&mut self) {
        let n = self.modes();
        let (scale, damps, h) = (self.params.freq_scale, self.damps(), self.sample_s);
        let mut fastest = self.strongest * damps;
        for i in 0..n {
            self.sounds[i] = self.omega[i] * scale * h < PI;
            if self.sounds[i] {
                fastest = fastest.max(self.strongest * damps + self.omega[i] * scale);
            } else {
                (self.state[i], self.state[n + i]) = (0.0, 0.0);
            }
        }
        for (at, value) in self.tuned.iter_mut().enumerate() {
            *value = if self.sounds[at / n] && self.sounds[at % n] { self.damping[at] * damps } else { 0.0 };
        }
        let finest = h / (1u32 << (LEVELS - 1)) as Real;
        let (mut t, mut extra) = (finest, 0);
        while fastest * t > SHORT {
            t *= 0.5;
            extra += 1;
        }
        self.series(t);
        for _ in 0..extra {
            self.double();
        }
        for level in (0..LEVELS).rev() {
            self.fill(level);
            if level > 0 {
                self.double();
            }
        }
        self.quiet = false;
    }

    /// room = A gamma.
    fn apply(&mut self) {
        let n = self.modes();
        for (from, to) in self.gamma.chunks_exact(2 * n).zip(self.room.chunks_exact_mut(2 * n)) {
            let ((q, p), (dq, dp)) = (from.split_at(n), to.split_at_mut(n));
            for i in 0..n {
                let omega = self.omega[i] * self.params.freq_scale;
                let moves = self.sounds[i];
                dq[i] = if moves { p[i] } else { 0.0 };
                dp[i] = if moves { -omega * omega * q[i] } else { 0.0 };
            }
            for (column, &speed) in self.tuned.chunks_exact(n).zip(p) {
                for (rate, d) in dp.iter_mut().zip(column) {
                    *rate -= d * speed;
                }
            }
        }
    }

    /// gamma = G(t) by its series.
    fn series(&mut self, t: Real) {
        let n = self.modes();
        let unit = |gamma: &mut [Real], sounds: &[bool]| {
            (0..2 * n).filter(|i| sounds[i % n]).for_each(|i| gamma[i * 2 * n + i] += 1.0);
        };
        self.gamma.fill(0.0);
        unit(&mut self.gamma, &self.sounds);
        for term in (2..=TERMS + 1).rev() {
            self.apply();
            let part = t / term as Real;
            self.gamma.iter_mut().zip(&self.room).for_each(|(g, x)| *g = part * x); // [dense.2]
            unit(&mut self.gamma, &self.sounds);
        }
        self.gamma.iter_mut().for_each(|g| *g *= t);
    }

    /// gamma = G(2 t) from G(t).
    fn double(&mut self) {
        let m = 2 * self.modes();
        self.apply();
        for column in self.gamma.chunks_exact_mut(m) {
            self.next.copy_from_slice(column);
            column.iter_mut().for_each(|g| *g *= 2.0);
            for (change, &weight) in self.room.chunks_exact(m).zip(&self.next) {
                add(column, change, weight);
            }
        }
    }

    /// Writes the tables of a level whose G is at hand.
    fn fill(&mut self, level: usize) {
        let n = self.modes();
        self.apply();
        let Level { change, push, stroke, compliance } = &mut self.levels[level];
        change.copy_from_slice(&self.room);
        push.copy_from_slice(&self.gamma[2 * n * n..]);
        let ports = self.shape.len();
        for (port, phi) in self.shape.iter().enumerate() {
            for (to, column) in stroke[port * 2 * n..(port + 1) * 2 * n].iter_mut().zip(change.chunks_exact(2 * n)) {
                *to = dot(phi, &column[..n]); // [dense.3]
            }
        }
        for (from, phi) in self.shape.iter().enumerate() {
            self.next.fill(0.0);
            for (column, &weight) in push.chunks_exact(2 * n).zip(phi) {
                add(&mut self.next, column, weight);
            }
            for to in from..ports {
                let yields = dot(&self.shape[to], &self.next[..n]);
                compliance[to * ports + from] = yields;
                compliance[from * ports + to] = yields;
            }
        }
    }

    /// The tables of the coming step.
    fn table(&self) -> &Level {
        if self.left > PARTS { &self.mixed } else { &self.levels[self.level] }
    }

    /// Part of the tables before the last edit in the present sample.
    fn share(&self) -> Real {
        Real::from(self.left.div_ceil(PARTS).saturating_sub(1)) / CONTROL_TICKS as Real
    }

    /// What the frequency of a mode has been multiplied by.
    fn rise(&self, i: usize) -> Real {
        if self.omega[i % self.modes()] > 0.0 { self.rise } else { 1.0 }
    }

    /// Writes the tables before the last edit in the coordinates of the present ones: omega q stays what it was.
    fn carry(&mut self) {
        let n = self.modes();
        for level in 0..LEVELS {
            for j in 0..2 * n {
                for i in 0..2 * n {
                    let by = if j < n { self.rise(j) } else { 1.0 } / if i < n { self.rise(i) } else { 1.0 };
                    self.before[level].change[j * 2 * n + i] *= by;
                }
            }
            for at in (0..2 * n * n).filter(|at| at % (2 * n) < n) {
                self.before[level].push[at] /= self.rise(at % (2 * n));
            }
            for at in (0..self.before[level].stroke.len()).filter(|at| at % (2 * n) < n) {
                self.before[level].stroke[at] *= self.rise(at % (2 * n));
            }
        }
    }

    /// Makes the tables of the coming sample. `[audio]`
    fn mix(&mut self) {
        let b = self.share();
        if b == 0.0 {
            return;
        }
        let (now, then, to) = (&self.levels[self.level], &self.before[self.level], &mut self.mixed);
        let blend = |to: &mut [Real], now: &[Real], then: &[Real]| {
            to.iter_mut().zip(now).zip(then).for_each(|((to, now), then)| *to = now + (then - now) * b); // [dense.5]
        };
        blend(&mut to.change, &now.change, &then.change);
        blend(&mut to.push, &now.push, &then.push);
        blend(&mut to.stroke, &now.stroke, &then.stroke);
        blend(&mut to.compliance, &now.compliance, &then.compliance);
    }

    fn advance(&mut self) {
        let n = self.modes();
        let Level { change, push, .. } = if self.left > PARTS { &self.mixed } else { &self.levels[self.level] };
        self.next.fill(0.0);
        for (column, &z) in change.chunks_exact(2 * n).zip(&self.state) {
            add(&mut self.next, column, z); // [dense.1]
        }
        if self.pushed.iter().any(|f| *f != 0.0) {
            self.force.fill(0.0);
            for (phi, f) in self.shape.iter().zip(&mut self.pushed).filter(|(_, f)| **f != 0.0) {
                add(&mut self.force, phi, *f);
                *f = 0.0;
            }
            for (column, &f) in push.chunks_exact(2 * n).zip(&self.force) {
                add(&mut self.next, column, f);
            }
        }
        self.state.iter_mut().zip(&self.next).for_each(|(z, by)| *z += by);
        if self.left > 0 {
            self.left = self.left.saturating_sub(PARTS >> self.level);
            if self.left.is_multiple_of(PARTS) {
                self.mix();
            }
        }
    }

    fn read(&self, port: usize, motion: Motion) -> Real {
        let (n, b) = (self.modes(), Real::from(self.left) / Real::from(FULL));
        match motion {
            Motion::Velocity => dot(&self.shape[port], &self.state[n..]),
            Motion::Position if b == 0.0 => dot(&self.shape[port], &self.state[..n]),
            Motion::Position => {
                (0..n).fold(0.0, |sum, i| sum + self.shape[port][i] * self.state[i] * (1.0 + (self.rise(i) - 1.0) * b))
            }
        }
    }
}

fn add(to: &mut [Real], column: &[Real], weight: Real) {
    if weight != 0.0 {
        to.iter_mut().zip(column).for_each(|(to, x)| *to += weight * x);
    }
}

fn dot(a: &[Real], b: &[Real]) -> Real {
    a.iter().zip(b).fold(0.0, |sum, (x, y)| sum + x * y)
}

impl Tunable for Dense {
    fn specs(&self) -> &'static [Spec] {
        PARAMS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        if self.params.value(index) == value {
            return;
        }
        let (before, sounded) = (self.params.freq_scale, self.omitted());
        core::mem::swap(&mut self.before, &mut self.levels);
        self.params.put(index, value);
        let after = self.params.freq_scale;
        if after != before {
            // A retune must not hand out energy (H9), nor step the velocity: [morph.3].
            for (q, omega) in self.state.iter_mut().zip(&self.omega) {
                if *omega > 0.0 {
                    *q *= before / after;
                }
            }
        }
        self.retune();
        self.energy_at_release_j = self.energy();
        // What falls silent or comes back does so at once, and what is at rest has no course to keep.
        let smooth = self.omitted() == sounded && self.energy_at_release_j > 0.0;
        (self.left, self.rise) = (if smooth { FULL } else { 0 }, after / before);
        if smooth {
            self.carry();
            self.mix();
        }
    }
}

impl Resonator for Dense {
    fn ports(&self) -> usize {
        self.shape.len()
    }

    fn attend(&mut self) {
        (self.free, self.quiet) = (false, false);
    }

    fn release(&mut self) {
        self.divide(0);
        self.energy_at_release_j = self.energy();
        self.free = true;
    }

    fn divide(&mut self, level: usize) {
        if level != self.level {
            self.level = level;
            self.mix();
        }
    }

    fn free_stroke(&mut self, port: usize) -> Real {
        let (m, ports) = (self.state.len(), self.pushed.len());
        let Level { stroke, compliance, .. } = self.table();
        dot(&stroke[port * m..(port + 1) * m], &self.state)
            + dot(&compliance[port * ports..(port + 1) * ports], &self.pushed)
    }

    fn compliance(&self, to: usize, from: usize) -> Real {
        self.table().compliance[to * self.pushed.len() + from]
    }

    fn push(&mut self, port: usize, force_n: Real) {
        self.pushed[port] += force_n;
    }

    fn unpush(&mut self) {
        self.pushed.fill(0.0);
    }

    fn commit(&mut self) {
        self.advance();
    }

    fn ring(&mut self, ticks: usize, readings: &mut [Reading]) {
        if self.quiet {
            readings.iter_mut().for_each(|r| r.values[..ticks].fill(0.0));
            return;
        }
        for tick in 0..ticks {
            self.advance();
            for reading in readings.iter_mut() {
                reading.values[tick] = self.read(reading.port, reading.motion);
            }
        }
    }

    fn position(&self, port: usize) -> Real {
        self.read(port, Motion::Position)
    }

    fn velocity(&self, port: usize) -> Real {
        self.read(port, Motion::Velocity)
    }

    fn energy(&self) -> Real {
        let (q, p) = self.state.split_at(self.modes());
        let mut sum = 0.0;
        for ((q, p), omega) in q.iter().zip(p).zip(&self.omega) {
            let wq = omega * self.params.freq_scale * q;
            sum += 0.5 * (p * p + wq * wq); // [dense.4]
        }
        sum
    }

    fn inverse_mass(&self, port: usize) -> Real {
        dot(&self.shape[port], &self.shape[port])
    }

    fn flexibility(&self, port: usize) -> Real {
        let scale = self.params.freq_scale;
        let yields = |(phi, omega): (&Real, &Real)| phi * phi / (omega * scale * (omega * scale));
        self.shape[port].iter().zip(&self.omega).filter(|(phi, _)| **phi != 0.0).map(yields).sum()
    }

    fn range(&self, port: usize, seconds: Real) -> (Real, Real) {
        let energy = if self.free { self.energy_at_release_j } else { self.energy() };
        if energy == 0.0 {
            let here = self.position(port);
            return (here, here);
        }
        let flexibility = self.flexibility(port);
        if flexibility.is_finite() {
            let far = (2.0 * energy * flexibility).sqrt() * if self.left > 0 { self.rise.max(1.0) } else { 1.0 };
            return (-far, far);
        }
        // What floats is bounded by its speed.
        let (here, far) = (self.position(port), seconds * (2.0 * energy * self.inverse_mass(port)).sqrt());
        (here - far, here + far)
    }

    fn hit(&mut self, port: usize, impulse_n_s: Real) -> bool {
        let n = self.modes();
        for i in (0..n).filter(|&i| self.sounds[i]) {
            self.state[n + i] += self.shape[port][i] * impulse_n_s;
        }
        self.quiet = false;
        true
    }

    fn settle(&mut self) -> bool {
        let (mut finite, mut alive) = (true, false);
        for z in &mut self.state {
            finite &= z.is_finite();
            if z.abs() < FLUSH {
                *z = 0.0;
            }
            alive |= *z != 0.0;
        }
        self.quiet = !alive && self.free;
        finite
    }

    fn reset(&mut self) {
        self.state.fill(0.0);
        self.pushed.fill(0.0);
        (self.energy_at_release_j, self.quiet, self.left) = (0.0, false, 0);
    }

    fn omitted(&self) -> usize {
        self.sounds.iter().filter(|sounds| !**sounds).count()
    }
}
