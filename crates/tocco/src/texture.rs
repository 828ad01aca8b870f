// SPDX-License-Identifier: MIT OR Apache-2.0
//! Surfaces: what a contact meets as it travels.
//!
//! **What.** A height profile along a line, read at the place where the contact is. It sounds because the contact
//! moves: silent at rest, twice as fast is an octave higher, and coming back over a place meets the same heights.
//!
//! **Law.** `[texture.1]  y(u) = cubic(y_i-1, y_i, y_i+1, y_i+2; u/grain - i)`, `i = floor(u/grain)`: heights every
//! `grain`, Catmull-Rom between. At speed v a wavelength l sounds at v/l, so a spectrum k^-beta in space is
//! `[texture.2]  S_v(f) = S(f/v)/v`, the same slope in time, up to v/(2 grain).
//!
//! **Symbols.** u travel m; grain `grain_m` m, the finest detail the contact feels (about the size of the place that
//! touches); beta `beta`; longest wavelength `longest_m` m; height in units of its standard deviation, the caller
//! scales.
//!
//! **Step.** Heights are drawn when the contact first comes near them and kept, the last [`MEMORY`] of them (41 mm at
//! the default grain): within that stretch every return reads the same bits. Beyond, in either direction, new heights
//! are drawn that continue the nearest [`SEAM`] ones. A read draws at most [`MAX_DRAWS`] heights; a contact that is
//! faster, 31 m/s at the default grain and 48 kHz, slips over the rest. Above one grain per sample the finest detail
//! aliases. Heights have variance 1; between them the cubic smooths, on average over the grain to 0.814 at beta 0,
//! 0.965 at 1, 0.9995 at 2.
//!
//! **Sources.** Avanzini et al. 2003 section 8.3.3 (surface as height profile for rolling, sigma3 w for friction); ours: the reading
//! along travel.

pub mod fractal;

use crate::math::Real;
use crate::param::{Params, Spec, Tunable};
use crate::rng::Rng;
use fractal::{FIRST, Fractal};

/// Heights that are remembered, a power of two.
pub const MEMORY: usize = 4096;
/// Heights that a new stretch looks back on when the contact leaves the remembered one on the side it came from. Longer
/// waves than this go on as they were on the other side.
pub const SEAM: usize = 256;
/// Most heights drawn in one read: bounds the cost of a sample.
pub const MAX_DRAWS: i64 = 64;
/// Legal length of the longest wave, in grains.
pub const LONGEST_GRAINS: core::ops::RangeInclusive<Real> = (1.0 / *FIRST.end())..=(1.0 / *FIRST.start());

/// Longest travel that is told apart, in grains: beyond, a grain has no digits left.
const FARTHEST: Real = 1e15;

crate::params! {
    /// Live parameters of a texture.
    pub struct TextureParams {
        beta: "1", 0.0 => 2.0, default 1.5, Linear, Control, glide 0.02, "Exponent of the surface's spectrum 1/f^beta: 0 sand, 1 pink, 2 worn smooth; new heights follow it.";
    }
}

/// Distance between heights when the scene says nothing, m.
pub const DEFAULT_GRAIN_M: Real = 1e-5;
/// Longest wavelength when the scene says nothing, m.
pub const DEFAULT_LONGEST_M: Real = 0.01;

/// A surface that a contact travels over.
pub trait Texture: Tunable + Send {
    /// Height where the contact is, in standard deviations; `travel_m` is where it is along the surface, either way
    /// from the start. `[audio]`
    fn height(&mut self, travel_m: Real) -> Real;
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    Low,
    High,
}

/// A fractal surface, drawn as the contact travels.
#[derive(Clone, Debug)]
pub struct Surface {
    params: TextureParams,
    noise: Fractal,
    grain_m: Real,
    /// Height of grain i at i modulo the memory, for `low <= i < high`.
    heights: Box<[Real]>,
    low: i64,
    high: i64,
    /// The end that the noise stands at.
    end: Side,
    /// Grains slipped over by a contact that was too fast.
    slipped: i64,
    last: Real,
}

impl Surface {
    /// A surface with its own random stream; the longest wave is held to [`LONGEST_GRAINS`]. The only allocation.
    /// `[control]`
    pub fn new(params: TextureParams, grain_m: Real, longest_m: Real, poles_per_decade: u32, rng: Rng) -> Self {
        Self {
            params,
            noise: Fractal::new(params.beta, poles_per_decade, 1.0 / longest_m, 1.0 / grain_m, rng),
            grain_m,
            heights: vec![0.0; MEMORY].into_boxed_slice(),
            low: 0,
            high: 0,
            end: Side::High,
            slipped: 0,
            last: 0.0,
        }
    }

    /// The noise behind the heights, in cycles per grain.
    pub fn noise(&self) -> &Fractal {
        &self.noise
    }

    fn slot(i: i64) -> usize {
        i.rem_euclid(MEMORY as i64) as usize
    }

    /// Grain `i` and the three around it are known afterwards; returns where `i` is if the contact slipped.
    fn reach(&mut self, mut i: i64) -> i64 {
        if self.low == self.high {
            (self.low, self.high) = (i - 1, i - 1);
        }
        if i + 3 > self.high {
            let slip = (i + 3 - self.high - MAX_DRAWS).max(0);
            self.slipped += slip;
            i -= slip;
            self.stand(Side::High);
            while self.high < i + 3 {
                self.heights[Self::slot(self.high)] = self.noise.draw();
                self.high += 1;
            }
            self.low = self.low.max(self.high - MEMORY as i64);
        } else if i - 1 < self.low {
            let slip = (self.low - (i - 1) - MAX_DRAWS).max(0);
            self.slipped -= slip;
            i += slip;
            self.stand(Side::Low);
            while self.low > i - 1 {
                self.low -= 1;
                self.heights[Self::slot(self.low)] = self.noise.draw();
            }
            self.high = self.high.min(self.low + MEMORY as i64);
        }
        i
    }

    /// Brings the noise to an end of the known stretch. Read backwards it has the same law, so it need only follow the
    /// heights that lie before that end.
    fn stand(&mut self, end: Side) {
        if self.end == end {
            return;
        }
        self.end = end;
        for n in (0..(self.high - self.low).min(SEAM as i64)).rev() {
            let i = if end == Side::High { self.high - 1 - n } else { self.low + n };
            self.noise.follow(self.heights[Self::slot(i)]);
        }
    }
}

impl Texture for Surface {
    fn height(&mut self, travel_m: Real) -> Real {
        // The argument is a place, not a time: speed only sets how fast the profile is read. [texture.2]
        let place = travel_m / self.grain_m;
        if !place.is_finite() {
            return self.last;
        }
        let place = place.clamp(-FARTHEST, FARTHEST);
        let whole = place.floor();
        let x = place - whole;
        let i = self.reach(whole as i64 - self.slipped);
        let [before, here, next, after] = [i - 1, i, i + 1, i + 2].map(|n| self.heights[Self::slot(n)]);
        // [texture.1]
        let slope = fault!(TEXTURE_SLOPE, 0.5, 0.3) * (next - before);
        let bend = before - 2.5 * here + 2.0 * next - 0.5 * after;
        let twist = 0.5 * (after - before) + 1.5 * (here - next);
        self.last = here + x * (slope + x * (bend + x * twist));
        self.last
    }
}

impl Tunable for Surface {
    fn specs(&self) -> &'static [Spec] {
        TextureParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.put(index, value);
        self.noise.set_beta(self.params.beta);
    }
}
