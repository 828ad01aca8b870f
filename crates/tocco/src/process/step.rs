// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is drawn anew for every step.
//!
//! **What.** No two steps meet the same stones. A process may have parameters that are drawn for each step, and steps in which it is not heard.
//! While a step sounds nothing changes.
//!
//! **Law.** R the signal, in cells of 1 ms:
//! - `[step.1]` a step begins where R passes 0.02 upwards after 60 ms below 0.01; it has ended where R has been below 0.01 since.
//! - `[step.2]` 400 ms after the end every factor is drawn uniformly from its range, once, as soon as the process is not heard any more
//!   [process.7]. Where the next step comes sooner, as in running, they are drawn as R begins to rise, if the process is not heard then, and kept
//!   if it is.
//! - `[step.3]  value = base factor`, base what scene and players say.
//!
//! **Sources.** De Sena et al. 2009 section 3.4.2 (what is randomised per step); the times are ours.

use super::Process;
use crate::math::Real;
use crate::rng::Rng;
use crate::signal::Cell;

const BEGINS: Real = 0.02;
const ENDS: Real = 0.01;
const APART: u32 = 60;
const REST: u32 = 400;

/// Factors that are drawn for every step, with what they act on.
#[derive(Clone, Debug)]
pub struct PerStep {
    /// Number of the parameter, its range of factors, the factor now, and what it acts on.
    factors: Vec<(usize, [Real; 2], Real, Real)>,
    /// In so many of the steps it is heard, 0 to 1.
    probability: Real,
    heard: bool,
    rng: Rng,
    /// Cells since the last step ended, and whether something has been drawn since.
    quiet: u32,
    fresh: bool,
}

impl PerStep {
    /// Of the parameters with these numbers, each with a range of factors. The first step is drawn at once. `[control]`
    pub fn new(factors: &[(usize, [Real; 2])], probability: Real, rng: Rng, process: &mut dyn Process) -> Self {
        let factors = factors.iter().map(|(param, range)| (*param, *range, 1.0, process.get(*param))).collect();
        let mut step = Self { factors, probability, heard: true, rng, quiet: REST, fresh: true };
        step.draw(process);
        step
    }

    fn draw(&mut self, process: &mut dyn Process) {
        self.heard = self.rng.unit() < self.probability || self.probability >= 1.0;
        for (param, [low, high], factor, base) in &mut self.factors {
            *factor = self.rng.between(*low, *high); // [step.2]
            put(process, *param, *base * *factor);
        }
        self.fresh = true;
    }

    /// What a player or the scene says of a parameter. [step.3] `[audio]`
    pub fn set(&mut self, process: &mut dyn Process, param: usize, value: Real) {
        let mut value = value;
        for (own, _, factor, base) in self.factors.iter_mut().filter(|(own, ..)| *own == param) {
            *base = value;
            value *= *factor;
            debug_assert_eq!(*own, param);
        }
        put(process, param, value);
    }

    /// True if a cell in which the signal stands at this value would change nothing, and what the process hears of it then.
    pub fn rests(&self, value: Real) -> (bool, Real) {
        let stands = value > BEGINS && self.quiet == 0;
        let gone = value < ENDS && self.quiet >= REST && self.fresh;
        (stands || gone, if self.heard { value } else { 0.0 })
    }

    /// Hears a cell, draws if it is time, and says what the process hears. `[audio]`
    pub fn enter(&mut self, cell: Cell, process: &mut dyn Process) -> Cell {
        let due = self.quiet >= REST || (self.quiet >= APART && cell.to > cell.from);
        if fault!(STEP_DRAWS, due, false) && !self.fresh && process.heard_until_s() <= cell.from_s() {
            self.draw(process);
        }
        if cell.to > BEGINS {
            self.fresh &= self.quiet < APART; // [step.1]
            self.quiet = 0;
        } else if self.quiet > 0 || cell.to < ENDS {
            self.quiet = self.quiet.saturating_add(1);
        }
        if self.heard { cell } else { Cell { from: 0.0, to: 0.0, ..cell } }
    }
}

fn put(process: &mut dyn Process, param: usize, value: Real) {
    if let Some(spec) = process.specs().get(param) {
        process.set(param, value.clamp(spec.min, spec.max));
    }
}
