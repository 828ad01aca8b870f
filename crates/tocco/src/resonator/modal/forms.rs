// SPDX-License-Identifier: MIT OR Apache-2.0
//! The forms in which a bank keeps its state, and the way from each to each.

use super::Modal;
use super::bank::Pole;
use crate::math::Real;
use crate::resonator::Resonator;
use crate::resonator::kernel::{self, Held, LANES, Line, PAIR, Path, Row, State, Step, Sums, TwoPoles};

/// Weight of an unheard mode in the scaled forms: 1000 dB below anything.
const UNHEARD: Real = 1e-50;

/// How the state is written at present.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Form {
    /// Displacement and velocity of every mode, moved step by step: [modal.1].
    Attended {
        /// Steps in a row of a whole sample with the force at the watched port only.
        at_one_port: u32,
    },
    /// Two-pole modes as velocities of an even and the following odd sample, moved by the block: [modal.4].
    Free {
        /// The odd one is now.
        late: bool,
        /// Nothing moves.
        silent: bool,
    },
    /// Two-pole modes in the coordinates of one port under lasting contact, moved step by step: [modal.6].
    Held { port: usize },
}

impl Form {
    /// The attended form as it is entered.
    pub(super) const ATTENDED: Self = Form::Attended { at_one_port: 0 };
}

/// What the free form needs besides the state.
#[derive(Clone)]
pub(super) struct FreeForm {
    pub recursion: TwoPoles,
    /// Shape of the port listened to, never zero: the scaled velocities add up to what is heard.
    pub scale: Row,
    /// Largest excursion of every port since the form was entered, m.
    pub excursion_m: Vec<Real>,
    /// Pairs of chunks silenced to save time.
    pub shed: Vec<bool>,
    /// Takes the sums of a block that nobody reads.
    pub unread: Box<Sums>,
}

impl FreeForm {
    /// At rest. `[control]`
    pub(super) fn new(chunks: usize, two_pole_chunks: usize, ports: usize) -> Self {
        Self {
            recursion: TwoPoles::zeros(chunks),
            scale: Row::zeros(chunks),
            excursion_m: vec![0.0; ports],
            shed: vec![false; two_pole_chunks / PAIR],
            unread: Box::new(Sums::ZERO),
        }
    }
}

/// What the held form needs besides the state.
#[derive(Clone)]
pub(super) struct HeldForm {
    modes: Vec<Held>,
    /// Chunks of them up to the last mode that sounds.
    in_use: usize,
    /// Shape of the held port, never zero.
    scale: Row,
    /// There are modes beside them, which are stepped as attended ones.
    pub others: bool,
    /// What is heard is the motion of the held port.
    pub is_heard: bool,
    /// The force under which they are to be stepped, N.
    pub last_force: Real,
    /// They have been stepped under it already: the sums of their strokes and velocities.
    begun: Option<(Real, Real)>,
    /// What each newton adds to the next stroke and to the next velocity of the held port, m/N and m/(N s).
    pub by_force: (Real, Real),
    /// How far the held port yields in a step, m/N, and where it is, if it is heard where it is touched, m: every step adds
    /// its stroke.
    pub yields: Real,
    pub position: Option<Real>,
    /// Where every port is heard, over that scale.
    pub heard: Vec<Row>,
}

impl HeldForm {
    /// Of no port yet. `[control]`
    pub(super) fn new(chunks: usize, two_pole_chunks: usize, ports: usize) -> Self {
        let heard = vec![Row::zeros(chunks); ports];
        let (modes, scale) = (vec![Held::ZERO; two_pole_chunks], Row::zeros(two_pole_chunks));
        let (others, is_heard, last_force, by_force) = (false, false, 0.0, (0.0, 0.0));
        let (yields, position) = (0.0, None);
        Self { modes, in_use: 0, others, is_heard, scale, last_force, begun: None, by_force, yields, position, heard }
    }

    /// The modes that sound.
    #[inline]
    pub fn modes(&self) -> &[Held] {
        &self.modes[..self.in_use]
    }

    /// Steps them under the last force, beside something else.
    #[inline(never)]
    pub fn begin(&mut self, path: Path) {
        self.begun = Some(self.step(path));
    }

    /// Steps them under the last force: what the coming one adds to, their strokes and velocities. [modal.6]
    #[inline(always)]
    fn step(&mut self, path: Path) -> (Real, Real) {
        kernel::held(path, &mut self.modes[..self.in_use], self.last_force)
    }

    /// What that came to, of modes that may have been stepped already.
    #[inline(always)]
    pub fn stepped(&mut self, path: Path) -> (Real, Real) {
        match self.begun.take() {
            Some(sums) => sums,
            None => self.step(path),
        }
    }

    #[inline]
    pub fn modes_mut(&mut self) -> &mut [Held] {
        &mut self.modes[..self.in_use]
    }
}

/// A mode without weight at the port gets next to nothing instead of nothing, so that its motion is not lost.
fn never_zero(phi: Real) -> Real {
    if phi.abs() < UNHEARD { UNHEARD } else { phi }
}

impl Modal {
    /// Displacement and velocity of a mode in the order given.
    pub(in crate::resonator) fn state_of(&self, mode: usize) -> State {
        self.motion(self.bank.slots[mode])
    }

    /// Displacement and velocity of a mode in any form.
    pub(super) fn motion(&self, i: usize) -> State {
        let (written, steps) = (&self.state, self.steps.whole());
        match self.form {
            Form::Free { late, .. } if i < self.bank.free_chunks() * LANES => {
                let pq = steps.pq(i);
                if pq == 0.0 {
                    return State::default();
                }
                let scale = self.free.scale.at(i);
                let (y1, y0) = (written.q(i) / scale, written.p(i) / scale);
                let next = || self.free.recursion.trace(i) * y1 - self.free.recursion.det(i) * y0; // [modal.4]
                let (now, next) = if late { (y1, next()) } else { (y0, y1) };
                // q from [modal.1] without force.
                State { q: (next - (1.0 + steps.pp(i)) * now) / pq, p: now }
            }
            Form::Held { .. } if i < self.bank.two_pole_chunks * LANES => {
                let qq = steps.qq(i);
                if qq == 0.0 {
                    return State::default();
                }
                let scale = self.held.scale.at(i);
                let (Held { t, u, g, k, .. }, l) = (&self.held.modes[i / LANES], i % LANES);
                let force = self.held.last_force;
                let (d, p) = ((t.0[l] + g.0[l] * force) / scale, (u.0[l] + k.0[l] * force) / scale);
                State { q: (d - steps.qp(i) * p) / qq, p }
            }
            _ => written.at(i),
        }
    }

    /// Energy of a mode in any form, J.
    pub(super) fn mode_energy(&self, i: usize) -> Real {
        self.bank.modes[i].energy(self.tuning(i), self.motion(i))
    }

    /// True if no mode moves; attended form.
    pub(super) fn at_rest(&self) -> bool {
        (0..self.bank.slots_in_use()).all(|i| self.state.at(i) == State::default())
    }

    /// Enters the attended form from any other.
    pub(super) fn enter_attended(&mut self) {
        let chunks = match self.form {
            Form::Attended { .. } => return,
            Form::Free { .. } => self.bank.free_chunks(),
            Form::Held { .. } => self.bank.two_poles_in_use(),
        };
        for i in 0..chunks * LANES {
            self.state.set(i, self.motion(i));
        }
        self.form = Form::ATTENDED;
        self.forget();
    }

    /// Enters the held form of a port from the attended one.
    pub(super) fn enter_held(&mut self, port: usize) {
        self.refresh(0);
        self.held.in_use = 0;
        for i in 0..self.bank.two_poles_in_use() * LANES {
            let Step { qq, qp, pq, pp, bq, bp } = self.steps.whole().at(i);
            let phi = self.ports[port].touched.at(i);
            let scale = never_zero(phi);
            let (held, l) = (&mut self.held.modes[i / LANES], i % LANES);
            let mut step = [0.0; 6];
            if qq != 0.0 {
                let c = pq / qq; // [modal.5]
                let (a, b, e) = (1.0 + qq + qp * c, qp * (pp - qp * c), 1.0 + pp - qp * c);
                step = [a, b, c, e, scale * phi * (qq * bq + qp * bp), scale * phi * bp];
                self.held.in_use = i / LANES + 1;
            }
            [held.a.0[l], held.b.0[l], held.c.0[l], held.e.0[l], held.g.0[l], held.k.0[l]] = step;
            self.held.scale.set(i, scale);
            let State { q, p } = self.state.at(i);
            let kept = fault!(HELD_FORM, scale, times 0.9);
            (held.t.0[l], held.u.0[l]) = (kept * (qq * q + qp * p), kept * p);
        }
        let sum = |line: fn(&Held) -> &Line| {
            let mut sum = [0.0; LANES];
            self.held.modes().iter().for_each(|modes| (0..LANES).for_each(|l| sum[l] += line(modes).0[l]));
            kernel::join(&sum)
        };
        (self.held.by_force, self.held.last_force) = ((sum(|modes| &modes.g), sum(|modes| &modes.k)), 0.0);
        for (port, heard) in self.ports.iter().zip(&mut self.held.heard) {
            for i in 0..self.bank.slots_in_use() {
                let scale = if i < self.bank.two_poles_in_use() * LANES { self.held.scale.at(i) } else { 1.0 };
                heard.set(i, port.heard.at(i) / scale);
            }
        }
        let whole = self.ports[port].touched_where_heard();
        self.held.position = whole.then(|| self.faded_sum(port, 0.0, |i| self.state.q(i)));
        self.held.yields = self.compliance_of(port, port);
        self.held.others = self.bank.in_use > self.bank.two_poles_in_use();
        self.held.is_heard = port == self.listener.port && whole;
        self.form = Form::Held { port };
    }

    /// Enters the free form from any other.
    pub(super) fn enter_free(&mut self) {
        self.enter_attended();
        self.polish();
        self.divide(0);
        for port in 0..self.ports.len() {
            self.free.excursion_m[port] = self.excursion(port);
        }
        for i in 0..self.bank.free_chunks() * LANES {
            let (State { q, p }, scale) = (self.state.at(i), self.free.scale.at(i));
            let Step { pq, pp, .. } = self.steps.whole().at(i);
            self.state.set(i, State { q: scale * (p + (pq * q + pp * p)), p: scale * p });
        }
        self.free.shed.fill(false);
        self.form = Form::Free { late: false, silent: false };
    }

    /// Scale of the free form, after the port listened to or its shape changed; not in that form.
    pub(super) fn rescale(&mut self) {
        for i in 0..self.bank.modes.len() {
            self.free.scale.set(i, never_zero(self.ports[self.listener.port].heard.at(i)));
        }
    }

    /// Largest excursion of a port from now on if nothing touches the body, m. Amplitudes only decay.
    pub(super) fn excursion(&self, port: usize) -> Real {
        let mut sum = 0.0;
        for (i, mode) in self.bank.modes[..self.bank.slots_in_use()].iter().enumerate() {
            let (State { q, p }, phi) = (self.motion(i), self.ports[port].target().at(i));
            if mode.mass == 0.0 || phi == 0.0 || (q == 0.0 && p == 0.0) {
                continue;
            }
            let Pole { omega, sigma } = self.tuning(i);
            let amplitude = if omega == 0.0 {
                Real::INFINITY
            } else if omega > sigma {
                let u2 = (p + sigma * q) * (p + sigma * q) / ((omega - sigma) * (omega + sigma));
                (q * q + u2).sqrt()
            } else {
                q.abs() + p.abs() / sigma
            };
            // A mode that is being tuned down swings the wider, at the same energy.
            let aim = self.aim(mode).omega;
            let wider = if aim < omega { omega / aim } else { 1.0 };
            sum += phi.abs() * amplitude * wider;
        }
        sum
    }

    /// Sum of one value per mode times the shape where a port is heard.
    pub(super) fn heard_sum(&self, port: usize, values: &[Line]) -> Real {
        kernel::dot(self.path, values, self.ports[port].heard.part(0, self.bank.in_use))
    }

    /// Sum over the modes with the weights heard at a port, `b` of a fade left.
    pub(super) fn faded_sum(&self, port: usize, b: Real, of: impl Fn(usize) -> Real) -> Real {
        let mut sum = [0.0; LANES];
        for i in 0..self.bank.slots_in_use() {
            sum[i % LANES] += self.weight(port, i, b) * of(i);
        }
        kernel::join(&sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resonator::modal::ModalParams;
    use crate::resonator::modal::tests::{RATE_HZ, body, decay};
    use crate::resonator::{Motion, Reading};
    use crate::units::{decay_rate, rad_s};

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
}
