// SPDX-License-Identifier: MIT OR Apache-2.0
//! A string that is retuned while it sounds: by the sample.
//!
//! **What.** From control tick to control tick the far end of the line, the sections of the chain and the impedance move in a
//! straight line, so that no wave meets an end that has jumped.
//!
//! **Law.** The line is K = k + a cells long, 0 <= a < 1:
//! - `[bend.1]  arriving = (1 - a) w_(k-1) + a w_k`, energy of the line `Z h (w_0^2 + ... + w_(k-1)^2 + a w_k^2)`: by convexity
//!   of the square `arriving^2 <= (1 - a) w_(k-1)^2 + a w_k^2`, which is what the line gives up in that sample
//! - `[bend.2]  w *= sqrt(E/E')` where a change of K, Z or chain would make E' of E and more. All cells have one factor in common until
//!   the retune is over, and the sum of their squares is kept up cell by cell, so that a sample costs the same for any K
//! - `[bend.3]  bridge += (middle - bridge)/500`, at most 1/2000 cell a sample, at most a tenth behind: ports that followed the far end at once would
//!   hear the string pass by
//!
//! **Symbols.** w m/s: waves in the cells; Z kg/s; h s: the sample; E J.
//!
//! **Step.** Thirty-two samples from what is to what the parameters say, four times as many where the pitch moves; there K is whole
//! again. A string that stays so is put in order two samples later: the factor goes into the cells, what would stay as a tilt for ever
//! is removed, positions are read anew; at every eighth retune it is, whatever follows. Between two
//! cells the line is a little dull (cos of half the angle per sample at worst), for less than a turn. A design with another
//! number of sections is taken at once, and what that steps is heard over 5 ms, as before.
//!
//! **Sources.** ours; H9.

use super::fit::{Design, Loss};
use super::{StringParams, TAPS, Waveguide, period, wanted};
use crate::math::Real;
use crate::resonator::{CONTROL_TICKS, Resonator};

/// How fast the bridge follows the middle of the line: the part of the way it goes in a sample, the most it goes, cells, how
/// far it may be behind, a part of the middle, and what no longer counts, cells.
const NEARER: Real = 1.0 / 500.0;
const FASTEST: Real = 1.0 / 2_000.0;
const MOST: Real = 0.1;
const THERE: Real = 1e-6;
/// Retunes in a row after which a string is put in order all the same.
const TIDY: u32 = 8;

/// A string at one moment of a retune.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// K of [bend.1], cells.
    pub reach: Real,
    /// Period, samples, and Z, kg/s.
    pub period: Real,
    pub impedance: Real,
    pub design: Design,
}

impl Moment {
    pub fn new(params: &StringParams, design: Design, sample_s: Real) -> Self {
        let (reach, impedance) = (design.delay as Real, params.impedance_kg_s);
        Self { reach, period: period(params, sample_s), impedance, design }
    }

    /// Is part `t` of the way between two others, of as many sections.
    fn go(&mut self, was: &Self, to: &Self, t: Real) {
        let line = |a: Real, b: Real| a + (b - a) * t;
        let (from, goal, design) = (&was.design, &to.design, &mut self.design);
        // Delays go in a straight line (1/r, d/c^2), as the line itself does: so their sum does.
        design.real = 1.0 / line(1.0 / from.real, 1.0 / goal.real);
        for i in 0..goal.count {
            let (a, b) = (from.pairs[i], goal.pairs[i]);
            let c = line(a.0, b.0);
            design.pairs[i] = (c, line(a.1 / (a.0 * a.0), b.1 / (b.0 * b.0)) * c * c);
        }
        design.loss = Loss {
            corner: line(from.loss.corner, goal.loss.corner),
            shelf: line(from.loss.shelf, goal.loss.shelf),
            pole: line(from.loss.pole, goal.loss.pole),
        };
        self.reach = line(was.reach, to.reach);
        self.period = line(was.period, to.period);
        self.impedance = line(was.impedance, to.impedance);
    }
}

impl Waveguide {
    /// Follows the parameters from the coming sample on, in so many control intervals, or what is left of those before, if that is
    /// more. `[audio]`
    pub(super) fn retune(&mut self, intervals: u32) {
        self.design.follow(wanted(&self.params, self.sample_s));
        self.design.delay = self.design.delay.min(self.mask - TAPS);
        self.squared = self.squares_of_cells();
        let loud = self.struck || self.squares_kept() > 0.0;
        if loud && self.design.count == self.now.design.count {
            self.again += 1;
            if self.again > TIDY && self.left == 0 {
                self.tidy();
            }
            self.left = self.left.max(intervals * CONTROL_TICKS as u32);
            (self.was, self.span, self.untidy) = (self.now, self.left, 0);
            self.goal = Moment::new(&self.params, self.design, self.sample_s);
            self.bend();
            return;
        }
        self.ports.iter_mut().for_each(|port| port.eased += port.incoming);
        self.snap();
        self.ports.iter_mut().for_each(|port| port.eased -= port.incoming);
    }

    /// Is where the parameters have it, at once. `[audio]`
    pub(super) fn snap(&mut self) {
        self.left = 0;
        self.squared = self.squares_of_cells();
        self.goal = Moment::new(&self.params, self.design, self.sample_s);
        self.change_to(1.0);
        self.middle = self.centre();
        self.tidy();
    }

    /// Puts a string in order that has been retuned.
    fn tidy(&mut self) {
        (self.untidy, self.again) = (0, 0);
        self.remove_tilt();
        self.squared = self.squares_of_cells();
        self.energy_at_release_j = self.energy();
        self.read_anew();
    }

    /// Takes away what no loss ever would, and the factor of the cells into them.
    fn remove_tilt(&mut self) {
        // A retuned loop may hold a tilt that no loss ever takes: [chain.4].
        let gain = core::mem::replace(&mut self.gain, 1.0);
        let [one, other] = self.runs(self.cells);
        let cells = one.iter().chain(other).fold(0.0, |sum, w| sum + w);
        let tilt = (gain * cells + self.chain.at_rest()) / self.now.design.rest_period();
        if tilt != 0.0 || gain != 1.0 {
            for j in 0..self.cells {
                let at = self.cell(j);
                self.line[at] = gain * self.line[at] - tilt;
            }
            self.chain.lower(tilt);
        }
    }

    /// Finds the ports again; a step in what they say is heard later.
    fn read_anew(&mut self) {
        self.place_ports();
        self.ports.iter_mut().for_each(|port| port.lagging += port.position);
        self.find_positions();
        self.ports.iter_mut().for_each(|port| port.lagging -= port.position);
    }

    /// Puts the ports where they belong, at every second sample, and at once where the line has become too short for them.
    fn follow_ports(&mut self) {
        let whole = if self.part < 1.0 { self.cells - 1 } else { self.cells };
        let late = self.head % 2 == 1 && self.placed.is_some_and(|(cells, ..)| cells <= whole);
        if late { self.read_ports() } else { self.place_ports() }
    }

    /// Where the bridge belongs, in cells.
    pub(super) fn centre(&self) -> Real {
        0.5 * (self.now.reach - 1.0)
    }

    /// Retunes for the coming sample. `[audio]`
    pub(super) fn bend(&mut self) {
        let apart = self.centre() - self.middle;
        let most = MOST * self.centre();
        self.middle += (apart * NEARER).clamp(-FASTEST, FASTEST); // [bend.3]
        self.middle = self.middle.clamp(self.centre() - most, self.centre() + most);
        if self.left == 0 {
            if self.untidy > 0 {
                self.untidy -= 1;
                if self.untidy == 0 {
                    self.tidy();
                    return;
                }
            }
            if apart.abs() < THERE && self.untidy == 0 {
                self.middle = self.centre();
                self.read_anew();
            } else {
                self.follow_ports();
            }
            return;
        }
        self.left -= 1;
        if self.left == 0 {
            self.change_to(1.0);
            self.place_ports();
            self.untidy = 2;
            return;
        }
        let t = 1.0 - Real::from(self.left) / Real::from(self.span);
        // A far end that has a way to go starts and stops without a corner.
        let done = if self.goal.reach == self.was.reach { t } else { t * t * t * (10.0 + t * (6.0 * t - 15.0)) };
        self.change_to(done);
        self.follow_ports();
    }

    /// Changes everything that has energy, which does not rise, to what it is after a part `done` of the way. [bend.2]
    fn change_to(&mut self, done: Real) {
        let before = self.now.impedance * self.squares_kept();
        if done < 1.0 {
            self.now.go(&self.was, &self.goal, done);
        } else {
            self.now = self.goal;
        }
        let whole = self.now.reach as usize;
        let (part, was) = (self.now.reach - whole as Real, self.cells);
        (self.cells, self.part) = if part > 0.0 { (whole + 1, part) } else { (whole, 1.0) };
        let square = |j: usize| self.line[self.cell(j)] * self.line[self.cell(j)];
        let (more, less): (Real, Real) =
            ((was..self.cells).map(|j| square(j - 1)).sum(), (self.cells..was).map(|j| square(j - 1)).sum());
        self.squared = (self.squared + more - less).max(0.0);
        self.chain.adopt(&self.now.design);
        let after = self.now.impedance * self.squares_kept();
        if after > before {
            let by = (before / after).sqrt();
            self.gain *= by;
            self.chain.scale(by);
        }
    }

    /// The first cells, in order, from where they lie.
    fn runs(&self, cells: usize) -> [&[Real]; 2] {
        let end = self.head + cells;
        let wrapped = end.saturating_sub(self.line.len());
        [&self.line[self.head..end - wrapped], &self.line[..wrapped]]
    }

    /// Sum of the squares of all cells but the last, without their common factor.
    fn squares_of_cells(&self) -> Real {
        let mut sum = [0.0; 8];
        for run in self.runs(self.cells - 1) {
            let (chunks, rest) = run.as_chunks::<8>();
            chunks.iter().for_each(|chunk| sum.iter_mut().zip(chunk).for_each(|(sum, w)| *sum += w * w));
            sum.iter_mut().zip(rest).for_each(|(sum, w)| *sum += w * w);
        }
        sum.iter().sum()
    }

    /// Sum of the squares of all waves, by that which is kept up.
    fn squares_kept(&self) -> Real {
        let last = self.line[self.cell(self.cells - 1)];
        self.gain * self.gain * (self.squared + self.part * last * last) + self.chain.stored()
    }

    /// Sum of the squares of all waves, the last cell in part: [bend.1].
    pub(super) fn squares(&self) -> Real {
        let last = self.line[self.cell(self.cells - 1)];
        self.gain * self.gain * (self.squares_of_cells() + self.part * last * last) + self.chain.stored()
    }
}
