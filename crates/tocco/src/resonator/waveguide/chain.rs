// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lumped end of a string: allpasses that turn energy, a loss that takes it.
//!
//! **Law.** Each allpass stage is a rotation of (what comes in, what is stored), so
//! - `[chain.1]  out^2 + sum of stored'^2 = in^2 + sum of stored^2`, exactly, even while its coefficients move.
//! - `[chain.2]` shelf `y = (1 - b) u + b A u`: `y^2 + b s'^2 <= u^2 + b s^2`, by convexity of the square.
//! - `[chain.3]` lowpass `y = (1 - p) u + p y1`: `y^2 + p/(1-p) y^2 <= u^2 + p/(1-p) y1^2`, by the same:
//!   `y^2 <= (1 - p) u^2 + p y1^2`, divided by 1 - p.
//! - `[chain.4]` the *rest vector*, what every store holds when all waves are 1. For rotations it is its own functional:
//!   its inner product with the state is conserved as long as nothing is lost at zero frequency, and nothing is.
//!
//! **Sources.** The normalised ladder is Gray and Markel's (1975, not read). Read: J. O. Smith, *Physical Audio Signal
//! Processing*, "Normalized Scattering Junctions" (the junction of two normalised waves is a rotation of the plane),
//! and his "Yet Another Three-Multiply Normalized Lattice" (cosine and sine of the angle from two impedances, our k and
//! c up to a sign). The rest is derived here.

use super::fit::{Design, MAX_PAIRS};
use crate::math::Real;

#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    k: Real,
    c: Real,
}

impl Turn {
    /// Rotation with tangent half-angle form: k = (x - y)/(x + y), c = 2 sqrt(x y)/(x + y).
    fn between(x: Real, y: Real) -> Self {
        Self { k: (x - y) / (x + y), c: 2.0 * (x * y).sqrt() / (x + y) }
    }

    /// (passed inwards, reflected outwards): [chain.1].
    #[inline]
    fn apply(self, wave: Real, stored: Real) -> (Real, Real) {
        (self.c * wave - self.k * stored, self.k * wave + self.c * stored)
    }
}

/// Running filters of one string end.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    real: Turn,
    real_state: Real,
    count: usize,
    outer: [Turn; MAX_PAIRS],
    inner: [Turn; MAX_PAIRS],
    outer_state: [Real; MAX_PAIRS],
    inner_state: [Real; MAX_PAIRS],
    shelf: Turn,
    weight: Real,
    shelf_state: Real,
    pole: Real,
    low_state: Real,
    rest: Rest,
}

/// The rest vector [chain.4], without the delay line (whose entries are 1).
#[derive(Clone, Debug, Default)]
struct Rest {
    real: Real,
    outer: [Real; MAX_PAIRS],
    inner: [Real; MAX_PAIRS],
    shelf: Real,
}

impl Chain {
    /// Takes the coefficients of a design. A slow wave stays what it is: the stores follow what they hold at rest,
    /// [chain.4], so that nothing jumps; the caller sees to the energy. `[audio]`
    pub fn adopt(&mut self, design: &Design) {
        let is_first = self.rest.real == 0.0;
        self.real = Turn::between(design.real, 1.0);
        let before = core::mem::replace(&mut self.rest.real, 1.0 / design.real.sqrt());
        if !is_first {
            self.real_state *= self.rest.real / before;
        }
        for i in design.count..self.count {
            (self.outer_state[i], self.inner_state[i]) = (0.0, 0.0);
        }
        self.count = design.count;
        for (i, &(c, d)) in design.pairs[..design.count].iter().enumerate() {
            let [outer, inner] = [self.rest.outer[i], self.rest.inner[i]];
            self.outer[i] = Turn::between(1.0 + c * c, d);
            self.inner[i] = Turn::between(c * c, 1.0);
            self.rest.outer[i] = (d / (1.0 + c * c)).sqrt();
            self.rest.inner[i] = self.rest.outer[i] / c;
            if !is_first && outer > 0.0 {
                self.outer_state[i] *= self.rest.outer[i] / outer;
                self.inner_state[i] *= self.rest.inner[i] / inner;
            }
        }
        self.shelf = Turn::between(design.loss.corner, 1.0);
        let before = core::mem::replace(&mut self.rest.shelf, 1.0 / design.loss.corner.sqrt());
        if !is_first {
            self.shelf_state *= self.rest.shelf / before;
        }
        self.weight = design.loss.shelf;
        self.pole = design.loss.pole;
    }

    /// One wave through the end. `[audio]`
    #[inline]
    pub fn pass(&mut self, wave: Real) -> Real {
        let (stored, mut u) = self.real.apply(wave, self.real_state);
        self.real_state = stored;
        for i in 0..self.count {
            let (through, out) = self.outer[i].apply(u, self.outer_state[i]);
            (self.inner_state[i], self.outer_state[i]) = self.inner[i].apply(through, self.inner_state[i]);
            u = out;
        }
        let (stored, turned) = self.shelf.apply(u, self.shelf_state);
        self.shelf_state = stored;
        u += self.weight * (turned - u); // [chain.2]
        self.low_state = u + self.pole * (self.low_state - u); // [chain.3]
        self.low_state
    }

    /// Sum of squares that stands for the stored energy, (m/s)^2.
    pub fn stored(&self) -> Real {
        let mut sum = self.real_state * self.real_state;
        for i in 0..self.count {
            sum += self.outer_state[i] * self.outer_state[i] + self.inner_state[i] * self.inner_state[i];
        }
        sum += self.weight * self.shelf_state * self.shelf_state;
        sum + self.pole / (1.0 - self.pole) * self.low_state * self.low_state
    }

    /// Inner product with the rest vector [chain.4].
    pub fn at_rest(&self) -> Real {
        let mut sum = self.rest.real * self.real_state;
        for i in 0..self.count {
            sum += self.rest.outer[i] * self.outer_state[i] + self.rest.inner[i] * self.inner_state[i];
        }
        sum += self.weight * self.rest.shelf * self.shelf_state;
        sum + self.pole / (1.0 - self.pole) * self.low_state
    }

    /// Takes a multiple of the rest vector away.
    pub fn lower(&mut self, by: Real) {
        self.real_state -= by * self.rest.real;
        for i in 0..self.count {
            self.outer_state[i] -= by * self.rest.outer[i];
            self.inner_state[i] -= by * self.rest.inner[i];
        }
        self.shelf_state -= by * self.rest.shelf;
        self.low_state -= by;
    }

    /// Multiplies every wave.
    pub fn scale(&mut self, by: Real) {
        let pairs = self.outer_state.iter_mut().chain(&mut self.inner_state);
        let ends = [&mut self.real_state, &mut self.shelf_state, &mut self.low_state];
        pairs.chain(ends).for_each(|x| *x *= by);
    }

    /// Forgets every wave.
    pub fn clear(&mut self) {
        (self.real_state, self.shelf_state, self.low_state) = (0.0, 0.0, 0.0);
        self.outer_state.fill(0.0);
        self.inner_state.fill(0.0);
    }

    /// Largest stored wave, m/s.
    pub fn loudest(&self) -> Real {
        let pairs = self.outer_state.iter().chain(&self.inner_state);
        let ends = [self.real_state, self.shelf_state, self.low_state];
        pairs.chain(&ends).fold(0.0, |m, x| m.max(x.abs()))
    }
}
