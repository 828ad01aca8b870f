// SPDX-License-Identifier: MIT OR Apache-2.0
//! A block of a bank that nothing touches.

use super::{Form, Modal};
use crate::math::Real;
use crate::resonator::kernel::{self, Chunk, LANES, Line, PAIR, State, Sums};
use crate::resonator::{CONTROL_TICKS, Motion, Reading};

/// Adds one value per mode, times its shape where a port is heard, to a lane sum.
fn add_heard(sum: &mut Chunk, heard: &[Line], values: &[Line]) {
    for (phi, value) in heard.iter().zip(values) {
        for (lane, sum) in sum.iter_mut().enumerate() {
            *sum += phi.0[lane] * value.0[lane];
        }
    }
}

impl Modal {
    /// So many samples in free form; `late`: the block begins between an even and an odd one. `[audio]`
    pub(super) fn ring_free(&mut self, late: bool, ticks: usize, readings: &mut [Reading]) {
        for r in readings.iter_mut() {
            r.sums.0[..ticks].fill(Line::ZERO);
        }
        match &mut *readings {
            [] => self.ring_listened(late, ticks, None),
            [r] if self.listened(r) => self.ring_listened(late, ticks, Some(&mut r.sums)),
            many => self.ring_read(late, ticks, many),
        }
        if self.others_move() {
            (0..ticks).for_each(|tick| self.step_others(tick, readings));
        }
        for r in readings.iter_mut() {
            r.values[..ticks].iter_mut().zip(&r.sums.0).for_each(|(value, sum)| *value = kernel::join(&sum.0));
        }
        self.form = Form::Free { late: late ^ (ticks % 2 == 1), silent: false };
    }

    /// True for the velocity to whose port the free form is scaled.
    fn listened(&self, r: &Reading) -> bool {
        r.motion == Motion::Velocity && r.port == self.listener.port
    }

    /// Rings the two-pole modes and adds up their velocities at the port listened to.
    fn ring_listened(&mut self, late: bool, ticks: usize, sums: Option<&mut Sums>) {
        let sums = sums.unwrap_or(&mut self.free.unread);
        let mut from = 0;
        for run in self.free.shed[..self.bank.free_chunks() / PAIR].chunk_by(|a, b| a == b) {
            let to = from + run.len() * PAIR;
            if !run[0] {
                let (state, recursion) = (self.state.part_mut(from, to), self.free.recursion.part(from, to));
                kernel::ring(self.path, state, recursion, late, ticks, sums);
            }
            from = to;
        }
    }

    /// Rings the two-pole modes, pair of chunks by pair, and adds up whatever is read.
    fn ring_read(&mut self, late: bool, ticks: usize, readings: &mut [Reading]) {
        let mut history = [[[0.0; LANES]; PAIR]; CONTROL_TICKS + 1];
        for from in (0..self.bank.free_chunks()).step_by(PAIR).filter(|from| !self.free.shed[from / PAIR]) {
            let to = from + PAIR;
            let (state, recursion) = (self.state.part_mut(from, to), self.free.recursion.part(from, to));
            kernel::history(self.path, state, recursion, late, ticks, &mut history);
            for r in readings.iter_mut() {
                let (now, ahead) = self.weights(r.port, r.motion, from);
                kernel::gather(self.path, &history, now.as_ref(), ahead.as_ref(), ticks, &mut r.sums);
            }
        }
    }

    /// Weights of a pair of chunks in what is read of a port: of the scaled velocities after a sample and after the next; none
    /// for the velocities that are scaled to be read as they are.
    fn weights(&self, port: usize, motion: Motion, from: usize) -> (Option<[Chunk; PAIR]>, Option<[Chunk; PAIR]>) {
        if motion == Motion::Velocity && port == self.listener.port {
            return (None, None);
        }
        // Plain loops over whole chunks: bodies that sleep are asked where they are at every control tick.
        let (heard, scale) = (self.ports[port].heard.part(from, from + PAIR), self.free.scale.part(from, from + PAIR));
        let mut weight = [[0.0; LANES]; PAIR];
        for ((weight, heard), scale) in weight.iter_mut().zip(heard).zip(scale) {
            (0..LANES).for_each(|l| weight[l] = heard.0[l] / scale.0[l]);
        }
        if motion == Motion::Velocity {
            return (Some(weight), None);
        }
        // q = (p[n+1] - (1 + pp) p[n]) / pq, from [modal.1] without force.
        let steps = self.steps.whole().part(from, from + PAIR);
        let (mut now, mut ahead) = (weight, weight);
        for g in 0..PAIR {
            for l in 0..LANES {
                let pq = steps.pq[g].0[l];
                let back = if pq == 0.0 { 0.0 } else { weight[g][l] / pq };
                (now[g][l], ahead[g][l]) = (-back * (1.0 + steps.pp[g].0[l]), back);
            }
        }
        (Some(now), Some(ahead))
    }

    /// How a port moves now, in free form: to the bit what a block that ends here reads of it last.
    pub(super) fn free_reading(&self, port: usize, motion: Motion, late: bool) -> Real {
        let (mut sum, free, all) = ([0.0; LANES], self.bank.free_chunks(), self.bank.in_use);
        for from in (0..free).step_by(PAIR) {
            let (now, ahead) = self.weights(port, motion, from);
            let State { q: y1, p: y0 } = self.state.part(from, from + PAIR);
            let mut read = [[0.0; LANES]; PAIR];
            for g in 0..PAIR {
                read[g] = if late { y1[g].0 } else { y0[g].0 };
                if let Some(now) = &now {
                    (0..LANES).for_each(|l| read[g][l] *= now[g][l]);
                }
                if let Some(ahead) = &ahead {
                    let mut next = y1[g].0;
                    if late {
                        let recursion = self.free.recursion.part(from, from + PAIR);
                        for (l, next) in next.iter_mut().enumerate() {
                            *next = recursion.trace[g].0[l] * y1[g].0[l] - recursion.det[g].0[l] * y0[g].0[l]; // [modal.4]
                        }
                    }
                    (0..LANES).for_each(|l| read[g][l] += ahead[g][l] * next[l]);
                }
            }
            (0..LANES).for_each(|l| sum[l] += read[0][l] + read[1][l]);
        }
        let State { q, p } = self.state.part(free, all);
        let values = if motion == Motion::Velocity { p } else { q };
        add_heard(&mut sum, self.ports[port].heard.part(free, all), values);
        kernel::join(&sum)
    }

    /// True if any mode moves that is not in two-pole form.
    fn others_move(&self) -> bool {
        let State { q, p } = self.state.part(self.bank.free_chunks(), self.bank.in_use);
        q.iter().chain(p).any(|line| line.0.iter().any(|x| *x != 0.0))
    }

    /// One free sample of the modes that are not in two-pole form, added to what is read.
    fn step_others(&mut self, tick: usize, readings: &mut [Reading]) {
        let (from, to) = (self.bank.free_chunks(), self.bank.in_use);
        let heard = self.ports[self.listener.port].heard.part(from, to);
        let (state, step) = (self.state.part_mut(from, to), self.steps.whole().part(from, to));
        kernel::step(self.path, state, step, heard, 0.0, heard, heard); // [modal.1]
        let State { q, p } = self.state.part(from, to);
        for r in readings.iter_mut() {
            let values = if r.motion == Motion::Velocity { p } else { q };
            let sum = &mut r.sums.0[tick];
            add_heard(&mut sum.0, self.ports[r.port].heard.part(from, to), values);
            if !r.whole {
                for &i in &self.bank.rigid {
                    sum.0[i % LANES] -= self.ports[r.port].heard.at(i) * values[i / LANES - from].0[i % LANES];
                }
            }
        }
    }
}
