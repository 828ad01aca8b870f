// SPDX-License-Identifier: MIT OR Apache-2.0
//! Crack lines: what the fractures of a sheet of ice look like from above.
//!
//! **What.** Each fracture buys length of crack; it is spent at the tips of lines that run out from where the ice is pressed, turn with the
//! stress, branch, and end where they meet another.
//!
//! **Law.** W the energy of a fracture, h thickness:
//! - `[cracks.1]  l = W/(G_c h)`, G_c = 3 J/m^2: the length that it buys, in steps of 12 mm; what is left is kept for the next.
//! - `[cracks.2]  s = e^(-r/L) ln(1 + L/(r + 0.05 m))` from each pressed place, 1 around it and 0.45 outwards; L the length over which the
//!   sheet spreads a load. A tip within 2.2 L is chosen in proportion to the stress there.
//! - `[cracks.3]` a tip turns by a quarter towards the normal of the larger principal stress, and 6 degrees n.
//! - `[cracks.4]` it branches with the probability 0.035 a step after six steps, by N(35, 8) degrees to either side; the parent turns back by
//!   0.35 of that.
//! - `[cracks.5]` a place that has taken `break_j` is a hole, about as wide as places are apart.
//!
//! **Step.** All `[control]`: it is fed with what happened, and never runs where sound is made.
//!
//! **Sources.** Ours.

use super::characteristic_m;
use crate::math::{PI, Real, TAU, atan2, cos, exp, ln, sin};
use crate::rng::Rng;
use std::collections::BTreeMap;

/// Energy of a new crack, J/m^2.
pub const TOUGHNESS_J_M2: Real = 3.0;
/// Length of a step, m.
pub const STEP_M: Real = 0.012;
/// Size of the cells in which lines meet, m.
const MEET_M: Real = 9e-3;
/// Most points of all lines: what comes later is not drawn.
const MOST_POINTS: usize = 1 << 17;

/// One crack, as points.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// m
    pub points: Vec<[Real; 2]>,
    /// The line from which it branched, and by which angle, rad.
    pub from: Option<(usize, Real)>,
}

/// Where the ice has opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Hole {
    /// Its middle, m.
    pub at: [Real; 2],
    /// Its edge, m; the last point is joined to the first.
    pub edge: Vec<[Real; 2]>,
}

#[derive(Clone, Copy, Debug)]
struct Tip {
    line: usize,
    angle: Real,
    steps: usize,
}

/// The cracks of a sheet.
#[derive(Clone, Debug)]
pub struct Cracks {
    thickness_m: Real,
    spread_m: Real,
    rng: Rng,
    places: Vec<[Real; 2]>,
    /// What each place has taken, J, and at which energy it opens.
    spent_j: Vec<Real>,
    break_j: Real,
    holes: Vec<Hole>,
    lines: Vec<Line>,
    tips: Vec<Tip>,
    taken: BTreeMap<(i64, i64), usize>,
    bought_m: Real,
    drawn_m: Real,
    points: usize,
}

impl Cracks {
    /// A whole sheet.
    pub fn new(thickness_m: Real, rng: Rng) -> Self {
        Self {
            thickness_m,
            spread_m: characteristic_m(thickness_m),
            rng,
            places: Vec::new(),
            spent_j: Vec::new(),
            break_j: Real::INFINITY,
            holes: Vec::new(),
            lines: Vec::new(),
            tips: Vec::new(),
            taken: BTreeMap::new(),
            bought_m: 0.0,
            drawn_m: 0.0,
            points: 0,
        }
    }

    /// Places open where they have taken so much, J. [cracks.5]
    pub fn breaking_at(mut self, break_j: Real) -> Self {
        self.break_j = break_j;
        self
    }

    /// Where it has opened.
    pub fn holes(&self) -> &[Hole] {
        &self.holes
    }

    /// The lines so far.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Length of all lines, m.
    pub fn length_m(&self) -> Real {
        self.drawn_m
    }

    /// A fracture at a place, m, took this energy, J. [cracks.1]
    pub fn fracture(&mut self, spot: [Real; 2], energy_j: Real) {
        let known = self.places.iter().position(|place| far(*place, spot) < super::SAME_PLACE_M);
        let place = known.unwrap_or_else(|| {
            self.places.push(spot);
            self.spent_j.push(0.0);
            self.open(spot);
            self.places.len() - 1
        });
        let before_j = self.spent_j[place];
        self.spent_j[place] += energy_j;
        if before_j <= self.break_j && self.spent_j[place] > self.break_j {
            self.hole(self.places[place]);
        }
        self.bought_m += fault!(CRACK_LENGTH, energy_j, times 1.1) / (TOUGHNESS_J_M2 * self.thickness_m);
        let mut turns = 0;
        while self.bought_m - self.drawn_m >= STEP_M && self.points < MOST_POINTS {
            turns += 1;
            match self.choose(spot) {
                Some(tip) => self.step(tip),
                // Every tip has met another line: new ones begin.
                None if turns < 10_000 => self.open(spot),
                None => break,
            }
        }
    }

    /// [cracks.5]
    fn hole(&mut self, at: [Real; 2]) {
        let corner = |k: usize| {
            let (angle, r) = (TAU * k as Real / 14.0, super::SAME_PLACE_M * (0.85 + 0.3 * self.rng.unit()));
            [at[0] + r * cos(angle), at[1] + r * sin(angle)]
        };
        let edge = (0..14).map(corner).collect();
        self.holes.push(Hole { at, edge });
    }

    /// Three to five tips from a place.
    fn open(&mut self, spot: [Real; 2]) {
        let count = 3 + (3.0 * self.rng.unit()) as usize;
        let first = TAU * self.rng.unit();
        for i in 0..count {
            let angle = first + TAU * i as Real / count as Real + 14.0_f64.to_radians() * self.rng.normal();
            self.begin(spot, angle, None);
        }
    }

    fn begin(&mut self, at: [Real; 2], angle: Real, from: Option<(usize, Real)>) {
        self.tips.push(Tip { line: self.lines.len(), angle, steps: 0 });
        self.lines.push(Line { points: vec![at], from });
        self.points += 1;
    }

    /// Stress at a point, and the direction in which a crack runs there.
    fn stress(&self, at: [Real; 2]) -> (Real, Real) {
        let (mut sum, mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0, 0.0);
        for place in &self.places {
            let r = far(*place, at);
            let size = exp(-r / self.spread_m) * ln(1.0 + self.spread_m / (r + 0.05)); // [cracks.2]
            let angle = atan2(at[1] - place[1], at[0] - place[0]);
            let (c, s) = (cos(angle), sin(angle));
            // Around the place 1, outwards 0.45.
            xx += size * (s * s + 0.45 * c * c);
            yy += size * (c * c + 0.45 * s * s);
            xy += size * (0.45 - 1.0) * s * c;
            sum += size;
        }
        // The larger principal stress pulls along `across`; a crack runs at right angles to it.
        let across = 0.5 * atan2(2.0 * xy, xx - yy);
        (sum, across + 0.5 * PI)
    }

    /// A tip near a place, in proportion to the stress.
    fn choose(&mut self, spot: [Real; 2]) -> Option<usize> {
        let end = |tip: &Tip| self.lines[tip.line].points.last().copied().unwrap_or([0.0; 2]);
        let near: Vec<(usize, Real)> = (0..self.tips.len())
            .map(|i| (i, end(&self.tips[i])))
            .filter(|(_, at)| far(*at, spot) < 2.2 * self.spread_m)
            .map(|(i, at)| (i, self.stress(at).0))
            .collect();
        let mut left = self.rng.unit() * near.iter().map(|(_, stress)| stress).sum::<Real>();
        for (i, stress) in &near {
            left -= stress;
            if left <= 0.0 {
                return Some(*i);
            }
        }
        near.last().map(|(i, _)| *i)
    }

    fn step(&mut self, index: usize) {
        let Tip { line, mut angle, steps } = self.tips[index];
        let at = self.lines[line].points.last().copied().unwrap_or([0.0; 2]);
        let (_, along) = self.stress(at);
        let mut turn = along - angle;
        turn -= PI * (turn / PI).round(); // a line has no front: the nearer of its two ways
        angle += 0.25 * turn + 6.0_f64.to_radians() * self.rng.normal(); // [cracks.3]
        let next = [at[0] + STEP_M * cos(angle), at[1] + STEP_M * sin(angle)];
        self.lines[line].points.push(next);
        self.points += 1;
        self.drawn_m += STEP_M;
        self.tips[index] = Tip { line, angle, steps: steps + 1 };
        let cell = ((next[0] / MEET_M).floor() as i64, (next[1] / MEET_M).floor() as i64);
        let other = *self.taken.entry(cell).or_insert(line);
        let parent = self.lines[line].from.map(|(parent, _)| parent);
        let young = steps < 6 && self.places.iter().any(|place| far(*place, next) < 0.1);
        let met = other != line && !(steps < 4 && (parent == Some(other) || self.child_of(other, line))) && !young;
        if met {
            self.tips.swap_remove(index);
            return;
        }
        if steps >= 6 && self.rng.unit() < 0.035 {
            let side = if self.rng.unit() < 0.5 { -1.0 } else { 1.0 };
            let away = side * (35.0 + 8.0 * self.rng.normal()).to_radians(); // [cracks.4]
            self.tips[index].angle -= 0.35 * away;
            self.begin(next, angle + away, Some((line, away)));
        }
    }

    fn child_of(&self, line: usize, parent: usize) -> bool {
        self.lines[line].from.is_some_and(|(own, _)| own == parent)
    }
}

fn far(a: [Real; 2], b: [Real; 2]) -> Real {
    ((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1])).sqrt()
}
