// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a modal body can do while it sounds besides sounding: take over from another, and shed what is hardly heard.

use super::{Form, Modal};
use crate::math::Real;
use crate::resonator::kernel::{LANES, PAIR, State};

impl Modal {
    /// Takes over the motion of another body: the first mode that of the first, and so on, each with its kinetic and its
    /// elastic energy. Modes without a counterpart stay at rest. `[audio]`
    pub(super) fn take_over(&mut self, old: &Modal) -> bool {
        self.enter_attended();
        let mut before = (0..old.bank.slots_in_use()).filter(|&i| old.sounds(&old.bank.modes[i]));
        for i in 0..self.bank.slots_in_use() {
            let mode = self.bank.modes[i];
            if !self.sounds(&mode) {
                continue;
            }
            let Some(j) = before.next() else { break };
            let (State { q, p }, counterpart) = (old.motion(j), &old.bank.modes[j]);
            let heavier = fault!(HANDOVER_LOSES, (counterpart.mass / mode.mass).sqrt(), times 0.5);
            let (now, then) = (self.tuning(i).omega, old.tuning(j).omega);
            // A rigid motion holds no elastic energy: it begins at its place of rest.
            let stretch = if now > 0.0 { then / now } else { 0.0 };
            self.state.set(i, State { q: q * heavier * stretch, p: p * heavier });
        }
        self.forget();
        true
    }

    /// Silences pairs of chunks of free modes that together hold less than this, J; returns how many modes. `[audio]`
    pub(super) fn silence(&mut self, below_j: Real) -> usize {
        let Form::Free { silent: false, .. } = self.form else { return 0 };
        let mut silenced = 0;
        for pair in 0..self.bank.free_chunks() / PAIR {
            if self.free.shed[pair] {
                continue;
            }
            let slots = pair * PAIR * LANES..(pair + 1) * PAIR * LANES;
            let mut energy = 0.0;
            for i in slots.clone() {
                energy += self.mode_energy(i);
            }
            if energy < below_j {
                slots.clone().for_each(|i| self.state.set(i, State::default()));
                self.free.shed[pair] = true;
                silenced += slots.filter(|&i| self.bank.modes[i].mass > 0.0).count();
            }
        }
        silenced
    }
}
