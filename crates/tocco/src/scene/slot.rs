// SPDX-License-Identifier: MIT OR Apache-2.0
//! Live values: what each moves, how it glides to where it is sent, and the controls that move one or several of them.
//!
//! A scene's `[[control]]` runs from 0 to 1. A parameter may also stand for another one in other units (a hammer's
//! hardness or contact time for its stiffness): that is a control with a declaration of its own.

use crate::contact::Site;
use crate::math::{self, Real};
use crate::param::{self, Rate, Scale, Spec};
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
    /// A parameter of a signal, or the value of an inlet.
    Signal { signal: usize, param: usize },
    /// A parameter of a process.
    Process { process: usize, param: usize },
    /// A parameter of a walker, or one of its inlets.
    Walk { walk: usize, param: usize },
    /// A parameter of an output's space.
    Output { output: usize, param: usize },
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
    /// What it moves has yet to be told its value.
    pub waits: bool,
    /// Values of a stream and how many of them are past; they stay here until another stream comes, or the scene goes.
    pub stream: Option<Box<[Real]>>,
    pub streamed: usize,
    /// The drive that moves it, until a command takes over.
    pub drive: Option<usize>,
    /// As the scene says: value at the start, and whether something drives it.
    pub declared: (Real, bool),
    /// Values of the present block, for sample-rate slots.
    pub lane: [Real; CONTROL_TICKS],
    /// All of them are the same.
    pub stands: bool,
}

impl Slot {
    /// True if friction that nothing presses may be pressed by it: of all parameters of a law only this one.
    pub fn may_press(&self) -> bool {
        self.spec.id == "normal_force_n"
    }

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
            waits: false,
            stream: None,
            streamed: 0,
            drive: None,
            declared: (value, false),
            lane: [0.0; CONTROL_TICKS],
            stands: false,
        }
    }

    /// True while a glide or a drive moves it.
    pub fn is_moving(&self) -> bool {
        self.left > 0 || self.drive.is_some() || self.streams()
    }

    /// True while a stream has values left.
    pub fn streams(&self) -> bool {
        self.stream.as_ref().is_some_and(|values| self.streamed < values.len())
    }

    /// The next value of a stream, if it has one left. `[audio]`
    pub fn next_of_stream(&mut self) -> Option<Real> {
        let value = *self.stream.as_ref()?.get(self.streamed)?;
        self.streamed += 1;
        let held = value.clamp(self.spec.min, self.spec.max);
        self.rest_at(if held.is_nan() { self.value } else { held });
        Some(self.value)
    }

    /// What is left of a stream is not played. `[audio]`
    pub fn end_stream(&mut self) {
        self.streamed = usize::MAX;
    }

    /// Stands still at a value. `[audio]`
    pub fn rest_at(&mut self, value: Real) {
        (self.value, self.goal, self.left) = (value, value, 0);
    }

    /// Sends the value to a goal, to be reached in so many samples. `[audio]`
    pub fn glide_to(&mut self, goal: Real, samples: Real) {
        let steps = if self.spec.rate == Rate::Sample { samples } else { samples / CONTROL_TICKS as Real };
        (self.goal, self.left) = (goal, (fault!(GLIDE_TIME, steps, times 1.5) as u32).max(1));
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
        let a = fault!(GLIDE_CURVE, 10.0, 9.0) * way - 6.0 * run - 3.0 * turn;
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

/// What a `[[control]]` declares.
pub(crate) const POSITION: Spec = Spec {
    id: "control",
    unit: "1",
    min: 0.0,
    max: 1.0,
    default: 0.0,
    scale: Scale::Linear,
    rate: Rate::Control,
    glide_s: 0.0,
    doc: "A named control.",
};

/// A knob and what it moves.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    pub name: String,
    /// What it moves, at least one thing.
    pub moves: Vec<Mapping>,
    /// What it declares if it is a parameter that stands for another one, not a control of the scene's.
    pub stands_for: Option<Spec>,
}

impl Control {
    pub fn spec(&self) -> Spec {
        self.stands_for.unwrap_or(POSITION)
    }
}

/// How a knob moves one slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mapping {
    pub slot: usize,
    pub range: [Real; 2],
    pub scale: Scale,
    /// Values of the knob at both ends if they are not 0 and 1; equal ratios between.
    pub knob_ends: Option<[Real; 2]>,
}

impl Mapping {
    /// The slot's value where the knob stands at `knob`.
    pub fn value(&self, knob: Real) -> Real {
        let position = self.knob_ends.map_or(knob, |[from, to]| math::ln(knob / from) / math::ln(to / from));
        param::scaled(self.scale, self.range[0], self.range[1], position)
    }

    /// Where the knob stands for a value of the slot; a time also where it lies outside what can be set.
    pub fn knob(&self, value: Real) -> Real {
        match self.knob_ends {
            None => param::position(self.scale, self.range[0], self.range[1], value).clamp(0.0, 1.0),
            Some([from, to]) => {
                let position = math::ln(value / self.range[0]) / math::ln(self.range[1] / self.range[0]);
                from * math::exp(position * math::ln(to / from))
            }
        }
    }
}
