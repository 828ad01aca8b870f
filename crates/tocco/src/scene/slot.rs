// SPDX-License-Identifier: MIT OR Apache-2.0
//! Live values: what each moves, and how it glides to where it is sent.

use crate::contact::Site;
use crate::math::Real;
use crate::param::{Rate, Scale, Spec};
use crate::resonator::CONTROL_TICKS;

/// The one parameter that every port of a body that yields has: `body.port/force_n`.
pub const FORCE: Spec = Spec {
    id: "force_n",
    unit: "N",
    min: -1e6,
    max: 1e6,
    default: 0.0,
    scale: Scale::Linear,
    rate: Rate::Sample,
    glide_s: 0.008,
    doc: "External force at this place.",
};

/// What a slot moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A parameter of a body.
    Body { body: usize, param: usize },
    /// A parameter of a contact's law.
    Contact { contact: usize, param: usize },
    /// A parameter of the surface that a contact travels over.
    Surface { contact: usize, param: usize },
    /// The external force at a port.
    Force(Site),
}

/// One live value with its glide.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub target: Target,
    pub spec: Spec,
    pub value: Real,
    pub goal: Real,
    /// Slope and curvature of a glide, per step and per step twice.
    pub slope: Real,
    pub curvature: Real,
    /// Samples or control ticks left to the goal.
    pub left: u32,
    /// The drive that moves it, until a command takes over.
    pub drive: Option<usize>,
    /// As the scene says: value at the start, and whether something drives it.
    pub declared: (Real, bool),
    /// Values of the present block, for sample-rate slots.
    pub lane: [Real; CONTROL_TICKS],
}

impl Slot {
    /// A value at rest. `[control]`
    pub fn new(target: Target, spec: Spec, value: Real) -> Self {
        Self {
            target,
            spec,
            value,
            goal: value,
            slope: 0.0,
            curvature: 0.0,
            left: 0,
            drive: None,
            declared: (value, false),
            lane: [0.0; CONTROL_TICKS],
        }
    }

    /// True while a glide or a drive moves it.
    pub fn is_moving(&self) -> bool {
        self.left > 0 || self.drive.is_some()
    }

    /// Stands still at a value. `[audio]`
    pub fn rest_at(&mut self, value: Real) {
        (self.value, self.goal, self.left) = (value, value, 0);
    }

    /// Sends the value to a goal, to be reached in so many samples. `[audio]`
    pub fn glide_to(&mut self, goal: Real, samples: Real) {
        let steps = if self.spec.rate == Rate::Sample { samples } else { samples / CONTROL_TICKS as Real };
        (self.goal, self.left) = (goal, (steps as u32).max(1));
    }

    /// One step towards the goal, along the polynomial of fifth order that begins with the present value, slope and
    /// curvature and ends level: however often the goal is moved, neither of them jumps. `[audio]`
    pub fn glide(&mut self) -> Real {
        if self.left <= 1 {
            let end = if self.left == 1 { self.goal } else { self.value };
            (self.slope, self.curvature, self.left) = (0.0, 0.0, 0);
            return end;
        }
        let n = Real::from(self.left);
        let (way, run, turn) = (self.goal - self.value, self.slope * n, 0.5 * self.curvature * n * n);
        // value + run t + turn t^2 + a t^3 + b t^4 + c t^5, with value way, slope 0 and curvature 0 at t = 1.
        let a = 10.0 * way - 6.0 * run - 3.0 * turn;
        let b = -15.0 * way + 8.0 * run + 3.0 * turn;
        let c = 6.0 * way - 3.0 * run - turn;
        let t = 1.0 / n;
        self.left -= 1;
        let value = self.value + t * (run + t * (turn + t * (a + t * (b + t * c))));
        self.slope = t * (run + t * (2.0 * turn + t * (3.0 * a + t * (4.0 * b + t * 5.0 * c))));
        self.curvature = t * t * (2.0 * turn + t * (6.0 * a + t * (12.0 * b + t * 20.0 * c)));
        value.clamp(self.spec.min, self.spec.max)
    }
}
