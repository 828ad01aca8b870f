// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a modal body can do while it sounds besides sounding: take over from another, and shed what is hardly heard.

use super::{Form, LANES, Modal, PAIR};
use crate::math::Real;

impl Modal {
    /// Takes over the motion of another body: the first mode that of the first, and so on, each with its kinetic and its
    /// elastic energy. Modes without a counterpart stay at rest. `[audio]`
    pub(super) fn take_over(&mut self, old: &Modal) -> bool {
        self.plain();
        let mut before = (0..old.modes.len()).filter(|&i| old.sounds(&old.modes[i]));
        for i in 0..self.modes.len() {
            let mode = self.modes[i];
            if !self.sounds(&mode) {
                continue;
            }
            let Some(j) = before.next() else { break };
            let (q, p) = old.state(j);
            let heavier = (old.modes[j].mass / mode.mass).sqrt();
            let (now, then) = (mode.now.0, old.modes[j].now.0);
            // A rigid motion holds no elastic energy: it begins at its place of rest.
            let stretch = if now > 0.0 { then / now } else { 0.0 };
            self.state.set(0, i, q * heavier * stretch);
            self.state.set(1, i, p * heavier);
        }
        self.forget();
        true
    }

    /// Silences pairs of chunks of free modes that together hold less than this, J; returns how many modes. `[audio]`
    pub(super) fn silence(&mut self, below_j: Real) -> usize {
        if !matches!(self.form, Form::Free { .. }) || self.quiet {
            return 0;
        }
        let mut silenced = 0;
        for pair in 0..self.rung() / PAIR {
            if self.shed[pair] {
                continue;
            }
            let (from, to) = (pair * PAIR * LANES, (pair + 1) * PAIR * LANES);
            let mut energy = 0.0;
            for i in from..to {
                energy += self.mode_energy(i);
            }
            if energy < below_j {
                for i in from..to {
                    self.state.set(0, i, 0.0);
                    self.state.set(1, i, 0.0);
                }
                self.shed[pair] = true;
                silenced += (from..to).filter(|&i| self.modes[i].mass > 0.0).count();
            }
        }
        silenced
    }
}
