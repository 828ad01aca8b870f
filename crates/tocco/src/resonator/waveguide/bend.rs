// SPDX-License-Identifier: MIT OR Apache-2.0
//! A string that is retuned while it sounds: by the sample.
//!
//! **What.** From control tick to control tick the far end of the line, the sections of the chain and the impedance move in a
//! straight line, so that no wave meets an end that has jumped.
//!
//! **Law.** The line is K = k + a cells long, 0 <= a < 1:
//! - `[bend.1]  arriving = (1 - a) w_(k-1) + a w_k`, energy of the line `Z h (w_0^2 + ... + w_(k-1)^2 + a w_k^2)`: by convexity
//!   of the square `arriving^2 <= (1 - a) w_(k-1)^2 + a w_k^2`, which is what the line gives up in that sample
//! - `[bend.2]  w *= sqrt(E/E')` where a change of K, Z or chain would make E' of E and more
//! - `[bend.3]  bridge += (middle - bridge)/500`, at most 1/2000 cell a sample, at most a tenth behind: ports that followed the far end at once would
//!   hear the string pass by
//!
//! **Symbols.** w m/s: waves in the cells; Z kg/s; h s: the sample; E J.
//!
//! **Step.** Thirty-two samples from what is to what the parameters say, where K is whole again. Between two
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

    /// Part `t` of the way to another.
    fn towards(&self, to: &Self, t: Real) -> Self {
        let line = |a: Real, b: Real| a + (b - a) * t;
        let (from, mut design) = (&self.design, to.design);
        // Delays go in a straight line (1/r, d/c^2), as the line itself does: so their sum does.
        design.real = 1.0 / line(1.0 / from.real, 1.0 / design.real);
        for (pair, was) in design.pairs[..design.count].iter_mut().zip(&from.pairs) {
            let (c, slow) = (line(was.0, pair.0), |p: &(Real, Real)| p.1 / (p.0 * p.0));
            *pair = (c, line(slow(was), slow(pair)) * c * c);
        }
        design.loss = Loss {
            corner: line(from.loss.corner, design.loss.corner),
            shelf: line(from.loss.shelf, design.loss.shelf),
            pole: line(from.loss.pole, design.loss.pole),
        };
        Self {
            reach: line(self.reach, to.reach),
            period: line(self.period, to.period),
            impedance: line(self.impedance, to.impedance),
            design,
        }
    }
}

impl Waveguide {
    /// Follows the parameters from the coming sample on. `[audio]`
    pub(super) fn retune(&mut self) {
        self.design.follow(wanted(&self.params, self.sample_s));
        self.design.delay = self.design.delay.min(self.mask - TAPS);
        let loud = self.struck || self.squares() > 0.0;
        if loud && self.design.count == self.now.design.count {
            (self.was, self.left) = (self.now, CONTROL_TICKS as u32);
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
        self.become_at(Moment::new(&self.params, self.design, self.sample_s));
        self.middle = self.centre();
        self.arrive();
    }

    /// Takes the string to where the parameters have it.
    fn arrive(&mut self) {
        self.become_at(Moment::new(&self.params, self.design, self.sample_s));
        self.remove_tilt();
        self.energy_at_release_j = self.energy();
        self.read_anew();
    }

    /// Finds the ports again; a step in what they say is heard later.
    fn read_anew(&mut self) {
        self.place_ports();
        self.ports.iter_mut().for_each(|port| port.lagging += port.position);
        self.find_positions();
        self.ports.iter_mut().for_each(|port| port.lagging -= port.position);
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
            if apart.abs() < THERE {
                self.middle = self.centre();
                self.read_anew();
            } else {
                self.place_ports();
            }
            return;
        }
        self.left -= 1;
        if self.left == 0 {
            self.arrive();
            return;
        }
        let goal = Moment::new(&self.params, self.design, self.sample_s);
        let t = 1.0 - Real::from(self.left) / CONTROL_TICKS as Real;
        // A far end that has a way to go starts and stops without a corner.
        let done = if goal.reach == self.was.reach { t } else { t * t * t * (10.0 + t * (6.0 * t - 15.0)) };
        self.become_at(self.was.towards(&goal, done));
        self.place_ports();
    }

    /// Changes everything that has energy, which does not rise. [bend.2]
    fn become_at(&mut self, moment: Moment) {
        let before = self.now.impedance * self.squares();
        self.now = moment;
        let whole = moment.reach as usize;
        let part = moment.reach - whole as Real;
        (self.cells, self.part) = if part > 0.0 { (whole + 1, part) } else { (whole, 1.0) };
        self.chain.adopt(&moment.design);
        let after = self.now.impedance * self.squares();
        if after > before {
            self.scale((before / after).sqrt());
        }
    }

    /// Sum of the squares of all waves, the last cell in part: [bend.1].
    pub(super) fn squares(&self) -> Real {
        let mut sum = self.chain.stored();
        for j in 0..self.cells - 1 {
            let w = self.line[self.cell(j)];
            sum += w * w;
        }
        let last = self.line[self.cell(self.cells - 1)];
        sum + self.part * last * last
    }
}
