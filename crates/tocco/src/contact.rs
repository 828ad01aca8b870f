// SPDX-License-Identifier: MIT OR Apache-2.0
//! Contacts: predict, solve, push, commit.
//!
//! **What.** A contact joins two sites by a force law. It keeps its own compression and adds the strokes to it, because
//! the difference of two absolute positions loses the digits that the energy balance needs (H1).
//!
//! **Law.** `[contact.2]  x = position(a) - position(b)`; a force f pushes `a` by -f and `b` by +f.
//! `[contact.3]  sub-steps M = next power of two of N h/tau`, at most 64, tau the estimated contact time (D.5, H3).
//! `[contact.4]  N = 128 max(1, 22.7 us/h)` steps for a contact that comes and goes, so that its error, about 0.01 % of the
//! rebound at 44.1 kHz, falls with the rate; 32 for one that has been closed for N samples. One that is open needs none: eight
//! samples after the last touch the island is back at one step a sample. Twice as many where several contacts of an island came
//! within N samples: what one collision leaves is where the next begins, and its error grows with every one. So it is whatever a step
//! of the bodies costs: a contact that lasts, which is what costs, has the fewer.
//!
//! **Sources.** Rath 2004; physics.md D.2, D.4, D.5, H1, H3.

mod carry;
pub mod coupled;
mod exact;
mod join;
pub(crate) mod lasting;
mod law;
mod sleep;
mod step;
pub mod travel;
pub mod world;

pub use law::{Law, PressedBy};

use crate::interactor::{Solution, Stroke};
use crate::math::Real;
use crate::resonator::LEVELS;
use crate::rng::Rng;
use crate::texture::Surface;
use travel::Travel;

/// A contact whose free stroke is below this part of its compression is at rest and asks for no sub-steps.
const REST: Real = 1e-6;

/// Steps for a contact that lasts.
const STEPS_LASTING: Real = 32.0;
/// Samples for which a contact that lasts keeps its number.
const KEPT: u64 = 32;
/// Samples without a touch after which a contact is no longer sub-stepped. A touch that comes is seen before its
/// step; one that flickers, as strong viscous losses make it at the release, is not let go of.
const APART: u64 = 8;

/// Steps for a contact that comes and goes, at 44.1 kHz. [contact.4]
const STEPS_BRIEF: Real = 128.0;

fn steps_brief(sample_s: Real) -> Real {
    STEPS_BRIEF * (1.0 / (44_100.0 * sample_s)).max(1.0)
}

/// By which rule sub-steps are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepRule {
    /// [contact.4]
    #[default]
    Present,
    /// 32 steps for any contact at any rate, kept for 32 samples: what sounded in takes of format 1.
    First,
}

/// A place on a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Index of the body.
    pub body: usize,
    /// Index of the port.
    pub port: usize,
}

/// Two sites and the law between them.
#[derive(Clone)]
pub struct Contact {
    /// First partner: -f.
    pub a: Site,
    /// Second partner: +f.
    pub b: Site,
    /// Force law, with its role.
    pub law: Law,
    /// m; negative is a gap. Only kept while awake.
    pub compression: Real,
    /// Mean force over the last sample, N.
    pub force: Real,
    /// Force of the last step, N.
    last_force: Real,
    /// Law evaluations in the last sample.
    pub iterations: u32,
    /// Stroke of the last step and the one before, m.
    pub(crate) stroke: Real,
    before: Real,
    /// Sub-steps fixed by the scene, as a power of two.
    fixed: Option<usize>,
    /// Exact scheme for a mass against a wall or a mass.
    pub(crate) exact: bool,
    /// Someone watches the compression: never sleep.
    pub(crate) watched: bool,
    pub(crate) awake: bool,
    /// Its two sites are set live, by [`World::join`](world::World::join); it joins them at present.
    pub(crate) spare: bool,
    pub(crate) joined: bool,
    /// Approach speed up to which 2^index sub-steps suffice, m/s, and the same where it lasts.
    limits: [Real; LEVELS - 1],
    limits_lasting: [Real; LEVELS - 1],
    /// Samples after which it lasts, and when it closed.
    brief: u64,
    closed_at: Option<u64>,
    /// How its sub-steps are counted.
    rule: StepRule,
    /// The limits hold for the present law and masses; they are made when they are asked for.
    estimated: bool,
    level: usize,
    level_until: u64,
    last_touch: Option<u64>,
    /// The last sample in which it touched and did not last.
    came: Option<u64>,
    /// Height of the surface under the contact, m, and the way slid so far, m.
    height: Real,
    travelled: Real,
    /// Surface of the contact.
    pub(crate) texture: Option<Roughness>,
    /// The way along which it takes a port.
    pub(crate) travel: Option<Box<Travel>>,
    rng: Rng,
    /// By how much the coming stroke falls beside its place, and the stiffness as it was set, if that of a stroke differs.
    beside_01: Real,
    as_set: Option<Real>,
}

/// A surface read along a travel.
#[derive(Clone)]
pub(crate) struct Roughness {
    /// Heights of unit variance.
    pub surface: Surface,
    /// rms height, m, of an impact contact; 0 for friction, whose law scales the surface itself.
    pub height_m: Real,
    /// Body whose position is the travel; `None`: the contact's own sliding.
    pub travel: Option<usize>,
    /// Way of a guided body so far, m.
    pub way: Real,
    /// Where that body was when the contact fell asleep, m.
    pub left_at: Real,
}

impl Contact {
    /// Where the law keeps its stiffness.
    fn stiffness(&self) -> Option<usize> {
        self.law.specs().iter().position(|spec| spec.id == "stiffness")
    }

    /// A contact between two sites; `substeps` a power of two or `None` for automatic. `exact` chooses the scheme of the
    /// closed form for a mass against a wall or a mass; laws that have none are solved as usual. `[control]`
    pub fn new(a: Site, b: Site, law: Law, substeps: Option<u32>, exact: bool, rng: Rng) -> Self {
        Self {
            a,
            b,
            law,
            compression: 0.0,
            force: 0.0,
            last_force: 0.0,
            iterations: 0,
            stroke: 0.0,
            before: 0.0,
            fixed: substeps.map(|m| m.trailing_zeros() as usize),
            exact,
            watched: false,
            awake: true,
            spare: false,
            joined: true,
            limits: [Real::INFINITY; LEVELS - 1],
            limits_lasting: [Real::INFINITY; LEVELS - 1],
            brief: 0,
            closed_at: None,
            rule: StepRule::Present,
            estimated: false,
            level: 0,
            level_until: 0,
            last_touch: None,
            came: None,
            height: 0.0,
            travelled: 0.0,
            texture: None,
            travel: None,
            rng,
            beside_01: 0.0,
            as_set: None,
        }
    }

    /// A contact that joins nothing until [`World::join`](world::World::join) names its two sites. `[control]`
    pub fn spare(mut self) -> Self {
        (self.spare, self.joined, self.awake) = (true, false, false);
        self
    }

    /// Height of the surface under the contact, m.
    pub(crate) fn height(&self) -> Real {
        self.height
    }

    /// Sub-steps in use.
    pub fn substeps(&self) -> u32 {
        1 << self.level
    }

    /// Recomputes the speeds at which sub-steps are needed, after a change of law or mass. `[audio]`
    fn estimate(&mut self, inverse_mass: Real, sample_s: Real, rule: StepRule) {
        self.rule = rule;
        let brief = fault!(SUBSTEP_RULE, steps_brief(sample_s), times 0.125);
        self.brief = brief as u64;
        for level in 0..LEVELS - 1 {
            let step_s = sample_s / (1u32 << level) as Real;
            let limit = |steps: Real, lasts: bool| match inverse_mass {
                m if m <= 0.0 => Real::INFINITY,
                _ if !self.law.suits(step_s, lasts) => -1.0,
                m => self.law.speed_limit(1.0 / m, steps * step_s), // [contact.3]
            };
            (self.limits[level], self.limits_lasting[level]) =
                (limit(brief, false), limit(fault!(SUBSTEP_RULE, STEPS_LASTING, times 0.125), true));
        }
    }

    /// Where the solve of the next step begins: the strokes so far, continued.
    #[inline]
    fn guess(&self) -> Real {
        2.0 * self.stroke - self.before
    }

    /// The stroke and force of this contact if all others are as they are: the free stroke `s0`, the compliance of both
    /// bodies here, and where to begin.
    #[inline]
    fn resolve(&mut self, s0: Real, compliance: Real, dt: Real, guess: Real) -> Solution {
        self.law.resolve(self.compression, s0, compliance, dt, guess)
    }

    /// Length against which an error of the stroke is small, besides the free stroke, m: the compression, or along a
    /// surface, where that means nothing, what the law's force and the texture's part of it move.
    fn extent(&self, compliance: Real, force: Real) -> Real {
        match &self.law {
            Law::Tangential { law, .. } => compliance * (force.abs() + law.outside_force().abs()),
            Law::Normal(_) | Law::General(_) => self.compression.abs(),
        }
    }

    /// The step is taken.
    fn advance(&mut self, stroke: Stroke, force: Real) {
        self.law.commit(stroke, force);
        self.follow(stroke.by, force);
    }

    /// The law has taken its step: so does the contact.
    #[inline]
    fn follow(&mut self, stroke: Real, force: Real) {
        self.compression += stroke;
        self.travelled += stroke;
        (self.before, self.stroke, self.last_force) = (self.stroke, stroke, force);
    }

    /// Starts afresh at a compression.
    fn restart(&mut self, compression: Real) {
        if !self.travelled.is_finite() {
            self.travelled = 0.0;
        }
        (self.compression, self.stroke, self.before, self.last_force) = (compression, 0.0, 0.0, 0.0);
        self.closed_at = None;
    }

    /// True where [`Contact::want_level`] of a contact that lasts, and does so in whole samples, would say so again: what it would
    /// note is noted.
    #[inline(always)]
    fn goes_on_whole(&mut self, s0: Real, dt: Real, tick: u64) -> bool {
        if self.level != 0 || self.rule != StepRule::Present {
            return false;
        }
        if let Some(level) = self.fixed {
            return level == 0;
        }
        let lasts = self.closed_at.is_some_and(|closed| tick.saturating_sub(closed) >= self.brief);
        let slow = s0.abs() <= self.limits_lasting[0] * dt || s0.abs() <= REST * self.compression;
        if lasts && slow {
            self.level_until = tick + KEPT;
        }
        lasts && slow
    }

    /// The level this contact wants for the coming sample; up at once, down when it lasts or some time after it (H3).
    #[inline(never)]
    fn want_level(&mut self, touching: bool, s0: Real, dt: Real, tick: u64) -> usize {
        if let Some(level) = self.fixed {
            self.level = level;
            return level;
        }
        if self.rule == StepRule::First {
            return self.want_level_at_first(touching, s0, dt, tick);
        }
        if !touching {
            self.closed_at = None;
            let apart = self.last_touch.is_none_or(|last| tick >= last + APART);
            self.level = if apart { 0 } else { self.level };
            return self.level;
        }
        let lasts = tick.saturating_sub(*self.closed_at.get_or_insert(tick)) >= self.brief;
        if lasts {
            self.level_until = self.level_until.min(tick + KEPT);
        } else {
            self.came = Some(tick);
        }
        let limits = if lasts { &self.limits_lasting } else { &self.limits };
        let ask = if s0.abs() <= REST * self.compression {
            0
        } else {
            let speed = s0.abs() / dt;
            limits.iter().position(|limit| speed <= *limit).unwrap_or(LEVELS - 1)
        };
        if ask >= self.level || tick >= self.level_until {
            self.level = ask;
            self.level_until = tick + if lasts { KEPT } else { self.brief };
        }
        self.level
    }

    /// True if it came, or came and went, so lately that it is one of a series of collisions.
    fn came_lately(&self, tick: u64) -> bool {
        self.came.is_some_and(|came| tick <= came + self.brief)
    }

    /// The same by [`StepRule::First`]: up at once, down after 32 samples.
    #[cold]
    fn want_level_at_first(&mut self, touching: bool, s0: Real, dt: Real, tick: u64) -> usize {
        let ask = if !touching || s0.abs() <= REST * self.compression {
            0
        } else {
            let speed = s0.abs() / dt;
            self.limits_lasting.iter().position(|limit| speed <= *limit).unwrap_or(LEVELS - 1)
        };
        if ask >= self.level || tick >= self.level_until {
            self.level = ask;
            self.level_until = tick + KEPT;
        }
        self.level
    }
}
