// SPDX-License-Identifier: MIT OR Apache-2.0
//! A factor on its way to another, by equal steps a sample.

use crate::math::Real;

/// A factor that follows its goal.
#[derive(Clone, Copy, Debug)]
pub struct Ramp {
    /// What it is.
    pub now: Real,
    goal: Real,
    /// Samples left until it is there.
    left: u32,
}

impl Ramp {
    /// One that stays where it is.
    pub const fn still(now: Real) -> Self {
        Self { now, goal: now, left: 0 }
    }

    /// On the way to a goal from the coming sample on, in so many samples. `[audio]`
    pub fn aim(&mut self, goal: Real, samples: u32) {
        (self.goal, self.left) = (goal, samples);
    }

    /// At its goal at once. `[audio]`
    pub fn arrive(&mut self) {
        *self = Self::still(self.goal);
    }

    /// The next sample begins. `[audio]`
    #[inline]
    pub fn pass(&mut self) {
        if self.left > 0 {
            self.now += (self.goal - self.now) / Real::from(self.left);
            self.left -= 1;
        }
    }

    /// True once it is there.
    pub fn stands(&self) -> bool {
        self.left == 0
    }

    /// The larger of what it is and what it will be.
    pub fn most(&self) -> Real {
        self.now.max(self.goal)
    }
}
