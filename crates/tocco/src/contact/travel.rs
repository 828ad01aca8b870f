// SPDX-License-Identifier: MIT OR Apache-2.0
//! Places that travel: a finger round a rim, a bow that drifts to the bridge, an ear that is carried along a plate.
//!
//! **What.** A place moves along a line of *knots*, places of the body whose mode shapes are known. A rubbing contact that travels
//! takes its port along: what it drives, and how far it yields, changes from sample to sample. A tap that travels hears the places
//! in turn.
//!
//! **Law.** With n + 1 knots over a way of length l and u the way gone:
//! - `[travel.1]  s = n u/l`, held to 0..n where it stops at the end, folded where it comes back, taken modulo n where it begins again
//! - `[travel.2]  phi(s) = sum w_k(s - i) phi_(i-1+k)`, k = 0..3, i = floor(s): Catmull-Rom between knots; beyond the ends the line goes
//!   straight on, round a closed line it goes on at the other end
//!
//! **Symbols.** l `length_m` m; u the way slid by the contact itself, or the way of a guided body, m; phi mode-shape values.
//!
//! **Step.** The place stands during a step and moves between two. A step is then that of one fixed body, with strokes, compliances and
//! forces by the same phi, and gains nothing; between steps neither the modes nor the bristles nor a compression change, so moving a
//! place is no work and needs no entry in the ledger ([world.1]). With ten knots to a wave [travel.2] is within 0.6 % of its amplitude,
//! with six within 4 %.
//!
//! **Sources.** ours; the reading along a way is that of [texture.1].

use super::Site;
use super::world::World;
use crate::math::Real;
use crate::resonator::CONTROL_TICKS;

/// What comes after the end of the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AtEnd {
    /// The same way back.
    #[default]
    Back,
    /// The same way again, from its beginning: round a rim.
    Again,
    /// Nothing: it stays there.
    Stop,
}

crate::words!(AtEnd { Back = "back", Again = "again", Stop = "stop" });

/// A way over knots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Track {
    length_m: Real,
    /// From knot to knot.
    legs: usize,
    at_end: AtEnd,
    /// The last knot is where the first is, and the way goes round.
    closed: bool,
}

impl Track {
    /// A way of this length over at least two knots; `meets`: its last knot is where its first is. `[control]`
    pub fn new(length_m: Real, knots: usize, at_end: AtEnd, meets: bool) -> Self {
        Self { length_m, legs: knots.max(2) - 1, at_end, closed: meets && at_end == AtEnd::Again }
    }

    /// Legs passed on the line after a way, 0 to their number. [travel.1]
    fn along(&self, way_m: Real) -> Real {
        let n = self.legs as Real;
        let s = n * (way_m / self.length_m);
        match self.at_end {
            _ if !s.is_finite() => 0.0,
            AtEnd::Stop => s.clamp(0.0, n),
            AtEnd::Again => s.rem_euclid(n),
            AtEnd::Back => {
                let twice = s.rem_euclid(2.0 * n);
                twice.min(2.0 * n - twice)
            }
        }
    }

    /// The knots around the place after a way, each with its weight. [travel.2] `[audio]`
    pub fn around(&self, way_m: Real) -> [(usize, Real); 4] {
        let s = self.along(way_m);
        let i = (s as usize).min(self.legs - 1);
        let t = s - i as Real;
        let mut a = t * (t * (1.0 - 0.5 * t) - 0.5);
        let mut b = 1.0 + t * t * (1.5 * t - 2.5);
        let mut c = t * (0.5 + t * (2.0 - 1.5 * t));
        let mut d = 0.5 * t * t * (t - 1.0);
        let (mut before, mut after) = (i.wrapping_sub(1), i + 2);
        if i == 0 {
            before = if self.closed { self.legs - 1 } else { 0 };
            if !self.closed {
                (a, b, c) = (0.0, b + 2.0 * a, c - a);
            }
        }
        if after > self.legs {
            after = if self.closed { 1 } else { self.legs };
            if !self.closed {
                (b, c, d) = (b - d, c + 2.0 * d, 0.0);
            }
        }
        [(before, a), (i, b), (i + 1, c), (after, d)]
    }
}

/// The way of a contact, which takes a port along.
#[derive(Clone)]
pub(crate) struct Travel {
    /// The port that it takes along.
    pub site: Site,
    pub track: Track,
    /// Mode-shape values of every knot, as [`Resonator::touch_at`](crate::resonator::Resonator::touch_at) takes them.
    pub knots: Vec<Vec<Real>>,
    /// Guided body whose way it is; `None`: the way that the contact slides.
    pub by: Option<usize>,
    /// Way of that body so far, m.
    pub way: Real,
    /// Where it was put last, and the values there.
    placed: Option<Real>,
    shape: Vec<Real>,
}

impl Travel {
    /// At its beginning. `[control]`
    pub fn new(site: Site, track: Track, knots: Vec<Vec<Real>>, by: Option<usize>) -> Self {
        let shape = knots.first().cloned().unwrap_or_default();
        Self { site, track, knots, by, way: 0.0, placed: None, shape }
    }

    /// Finds the values of the place after a way; false if it is there already.
    fn place(&mut self, way_m: Real) -> bool {
        if self.placed == Some(way_m) {
            return false;
        }
        self.placed = Some(way_m);
        let [(a, wa), (b, wb), (c, wc), (d, wd)] = self.track.around(fault!(TRAVEL_WAY, way_m, times 1.1));
        let [a, b, c, d] = [a, b, c, d].map(|knot| &self.knots[knot]);
        for ((((value, a), b), c), d) in self.shape.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *value = (wa * a + wb * b) + (wc * c + wd * d);
        }
        true
    }
}

impl World {
    /// Puts the port of a contact that travels where the contact is now. Nothing changes hands by it.
    pub(super) fn move_along(&mut self, island: usize, index: usize, tick: u64) {
        let contact = &mut self.contacts[index];
        let Some(travel) = &mut contact.travel else { return };
        let way = match travel.by {
            None => contact.travelled,
            // As in `read_surface`: a hand moves on after the islands, by the block.
            Some(body) => {
                travel.way += self.sample_s * self.bodies[body].velocity(0);
                travel.way
            }
        };
        if !travel.place(way) {
            return;
        }
        let Site { body, port } = travel.site;
        self.bodies[body].slide_to(port, &travel.shape);
        self.islands[island].fresh = false;
        if tick.is_multiple_of(CONTROL_TICKS as u64) {
            for &other in &self.touching[body] {
                self.contacts[other].estimated = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(track: &Track, knots: &[Real], way_m: Real) -> Real {
        track.around(way_m).iter().map(|(knot, weight)| weight * knots[*knot]).sum()
    }

    #[test]
    fn a_place_is_on_its_knots_straight_between_straight_ones_and_smooth_round_a_rim() {
        let straight: Vec<Real> = (0..=5).map(Real::from).collect();
        for at_end in [AtEnd::Back, AtEnd::Again, AtEnd::Stop] {
            let track = Track::new(2.0, 6, at_end, false);
            for i in 0..1000 {
                let way = 0.001 * Real::from(i) * 2.0;
                assert!((read(&track, &straight, way) - 2.5 * way).abs() < 1e-12, "{at_end:?} {way}");
            }
        }
        for (knots, most) in [(10, 0.006), (6, 0.04)] {
            let wave: Vec<Real> =
                (0..=knots).map(|k| (core::f64::consts::TAU * Real::from(k) / Real::from(knots)).cos()).collect();
            let track = Track::new(1.0, knots as usize + 1, AtEnd::Again, true);
            let off = |i: i32| {
                let way = 1e-3 * Real::from(i);
                (read(&track, &wave, way) - (core::f64::consts::TAU * way).cos()).abs()
            };
            let worst = (-2000..2000).map(off).fold(0.0, Real::max);
            println!("{knots} knots to a wave: {worst:.4}");
            assert!(worst < most && worst > 0.1 * most, "{knots}: {worst}");
        }
    }

    #[test]
    fn at_the_end_it_comes_back_begins_again_or_stops_and_what_is_no_number_is_the_beginning() {
        let knots = [0.0, 1.0, 2.0];
        let at = |at_end, way| read(&Track::new(1.0, 3, at_end, false), &knots, way);
        for (way, back, again, stop) in
            [(1.25, 1.5, 0.5, 2.0), (-0.25, 0.5, 1.5, 0.0), (2.25, 0.5, 0.5, 2.0), (1e9, 0.0, 0.0, 2.0)]
        {
            assert_eq!([AtEnd::Back, AtEnd::Again, AtEnd::Stop].map(|end| at(end, way)), [back, again, stop], "{way}");
        }
        for way in [Real::NAN, Real::INFINITY, Real::NEG_INFINITY, 1e308, -1e308] {
            assert!((0.0..=2.0).contains(&at(AtEnd::Back, way)), "{way}");
        }
    }
}
