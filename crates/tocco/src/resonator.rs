// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bodies: whatever moves when it is pushed.
//!
//! **What.** A body is a labelled black box (Rath 2004): for one step of length `dt`, during which the forces at its
//! ports are held, it answers with a *free stroke* (the displacement of a port without further force) and a
//! *compliance* (the label: metres per newton within the step). The stroke is affine in the forces,
//! `[port.1]  s_i = s0_i + sum_j L_ij F_j`, and the work of a port in one step is exactly `F s`.
//!
//! **Two forms.** A body that nothing touches runs *free*: whole blocks at once, in whatever form is cheapest. A body
//! that is touched, pushed or watched closely is *attended*: one step at a time. It changes form only when told to
//! ([`Resonator::attend`], [`Resonator::release`]), which happens at ticks set by physics and commands alone, so the
//! host's block size cannot be heard.
//!
//! **Sources.** Rath 2004 (labelled black boxes); physics.md D.2.

pub mod bending;
pub mod eigen;
pub mod inertial;
pub(crate) mod kernel;
pub mod material;
pub mod modal;
pub mod network;
pub mod partials;
mod ramp;
pub mod shape;
pub mod vessel;
pub mod waveguide;

use crate::math::Real;
use crate::param::Tunable;
use crate::rng::Rng;
use core::any::Any;

/// Samples between control ticks; also the longest free block. Part of the sound: glides move at multiples of it.
pub const CONTROL_TICKS: usize = 32;

/// Sub-step counts are 2^0 .. 2^6.
pub const LEVELS: usize = 7;

/// What a tap reads from a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// m
    Position,
    /// m/s
    Velocity,
}

/// One wanted signal of a body in free form, with room for a block of it.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Which port.
    pub port: usize,
    /// Which quantity.
    pub motion: Motion,
    /// With the motion of the body as a whole.
    pub whole: bool,
    /// Only asked for while the contact there sleeps: an island does not fill it.
    pub(crate) of_sleepers: bool,
    /// Values at the end of each sample of the block.
    pub values: [Real; CONTROL_TICKS],
    sums: kernel::Sums,
    first: Real,
}

impl Reading {
    /// Files the one value of a block of one sample as sample `i` of `ticks`.
    pub(crate) fn file(&mut self, i: usize, ticks: usize) {
        if i == 0 {
            self.first = self.values[0];
        }
        self.values[i] = self.values[0];
        if i + 1 == ticks {
            self.values[0] = self.first;
        }
    }

    /// Notes sample `i` of a body that an island has just stepped.
    #[inline(always)]
    pub(crate) fn note<B: Resonator + ?Sized>(&mut self, body: &B, i: usize) {
        if !self.of_sleepers {
            self.values[i] = self.of(body);
        }
    }

    /// What it reads of a body as it stands.
    #[inline(always)]
    pub(crate) fn of<B: Resonator + ?Sized>(&self, body: &B) -> Real {
        match self.motion {
            motion if !self.whole => body.sounding(self.port, motion),
            Motion::Position => body.position(self.port),
            Motion::Velocity => body.velocity(self.port),
        }
    }

    /// A reading of one port. `[control]`
    pub fn new(port: usize, motion: Motion) -> Self {
        Self {
            port,
            motion,
            whole: true,
            of_sleepers: false,
            values: [0.0; CONTROL_TICKS],
            sums: kernel::Sums::ZERO,
            first: 0.0,
        }
    }
}

crate::reserve::copied!(Resonator, DuplicateBody, "A body");

/// A body whose stroke is affine in the forces held during the step. All methods `[audio]`: no allocation, no panic.
pub trait Resonator: Tunable + Send + Sync + Any + DuplicateBody {
    /// Control ticks from one value of a moving parameter to the next: one, or more where each costs much to follow.
    fn pace(&self, _param: usize) -> u64 {
        1
    }

    /// Number of places where it can be touched.
    fn ports(&self) -> usize;

    /// Enters the attended form: from here on it moves step by step.
    fn attend(&mut self) {}
    /// Enters the free form: from here on it moves by [`Resonator::ring`] until attended again.
    fn release(&mut self) {}
    /// Chooses the step: the sample divided by `2^level`.
    fn divide(&mut self, level: usize);

    /// Displacement of the port in this step under the forces pushed so far, m.
    fn free_stroke(&mut self, port: usize) -> Real;
    /// L of [port.1]: displacement of port `to` per newton at port `from` within the step, m/N; at least 0 on the diagonal.
    fn compliance(&self, to: usize, from: usize) -> Real;
    /// Adds a force held during this step, N.
    fn push(&mut self, port: usize, force_n: Real);
    /// Takes back what was pushed for this step.
    fn unpush(&mut self);
    /// Takes the step with what was pushed.
    fn commit(&mut self);
    /// Takes the step under one more force, N: `push` and `commit` at one go.
    fn step_under(&mut self, port: usize, force_n: Real) {
        self.push(port, force_n);
        self.commit();
    }

    /// True if much of the coming step can be done before its force at this port is known.
    fn begins(&self, _port: usize) -> bool {
        false
    }
    /// Does that; nothing but `step_under` with this port may follow.
    fn begin(&mut self, _port: usize) {}

    /// Moves `ticks` samples (at most [`CONTROL_TICKS`]) in free form and fills the readings.
    fn ring(&mut self, ticks: usize, readings: &mut [Reading]);

    /// Position of a port, m (either form).
    fn position(&self, port: usize) -> Real;
    /// Velocity of a port, m/s (either form).
    fn velocity(&self, port: usize) -> Real;
    /// Position or velocity of a port where it is touched (either form), which may be elsewhere than where it is heard.
    fn touched(&self, port: usize, motion: Motion) -> Real {
        match motion {
            Motion::Position => self.position(port),
            Motion::Velocity => self.velocity(port),
        }
    }
    /// Position or velocity of a port without the motion of the body as a whole (either form): what is heard.
    fn sounding(&self, port: usize, motion: Motion) -> Real {
        match motion {
            Motion::Position => self.position(port),
            Motion::Velocity => self.velocity(port),
        }
    }
    /// True if that leaves out a motion which [`Resonator::position`] has.
    fn moves_as_a_whole(&self) -> bool {
        false
    }
    /// Energy, J (either form).
    fn energy(&self) -> Real;
    /// Energy of every mode, J, in the order given, as far as there is room; the number of modes, 0 for a body that has
    /// no list of them.
    fn mode_energies(&self, _out: &mut [Real]) -> usize {
        0
    }
    /// Displacement, m, and velocity, m/s, of every mode where its shape is 1, and its undamped frequency as tuned now, rad/s, in
    /// the order given, as far as there is room; the number of modes, 0 for a body that has no list of them. A tail has no shape and is left
    /// out.
    fn mode_motions(&self, _out: &mut [[Real; 3]]) -> usize {
        0
    }
    /// Value of every mode's shape at a port, where it is heard, in the order given, as far as there is room.
    fn mode_shape(&self, _port: usize, _out: &mut [Real]) {}
    /// Work that outsiders (gravity, guiding hands) have done through this body since the start, J.
    fn work(&self) -> Real {
        0.0
    }

    /// Acceleration that outsiders give the whole body, m/s^2.
    fn gravity(&self) -> Real {
        0.0
    }
    /// Acceleration per newton at the port at once, 1/kg: the inverse of the mass that a very short contact feels.
    fn inverse_mass(&self, port: usize) -> Real;
    /// Static displacement per newton, m/N; infinite for a body that floats away.
    fn flexibility(&self, port: usize) -> Real;
    /// Lowest and highest position the port can reach within `seconds` if nothing touches the body (either form).
    fn range(&self, port: usize, seconds: Real) -> (Real, Real);

    /// An ideal impulse at a port, N s (attended form). False if this body cannot take one.
    fn hit(&mut self, port: usize, impulse_n_s: Real) -> bool;
    /// A new strike begins at this port: redraw whatever varies from strike to strike, the place by so much more than the body
    /// itself says.
    fn restrike(&mut self, _port: usize, _more_01: Real, _rng: &mut Rng) {}
    /// From now on the port is touched at another place, where the modes have these shape values; it is heard where it
    /// was. False if the body cannot. A contact keeps its compression, so this does no work.
    fn touch_at(&mut self, _port: usize, _shape: &[Real]) -> bool {
        false
    }
    /// The same for a touch that moves by the sample, in the attended form.
    fn slide_to(&mut self, port: usize, shape: &[Real]) -> bool {
        self.touch_at(port, shape)
    }
    /// True while labels change from sample to sample without a new edit. Asked at control ticks.
    fn moving(&mut self) -> bool {
        false
    }
    /// True if its labels are others in every step, as those of a body that bends back are.
    fn relabels(&self) -> bool {
        false
    }
    /// Level of sub-steps that it needs for its own accuracy in the coming sample.
    fn wanted_level(&self) -> usize {
        0
    }
    /// True if nothing of it moves, or will until something touches, tunes or guides it (free form). Asked at control ticks.
    fn rests(&self) -> bool {
        false
    }
    /// True if it flies on in a straight line until something touches or tunes it.
    fn drifts(&self) -> bool {
        false
    }
    /// Is retuned from now on as takes of format 1 were played, if that was another way. `[control]`
    fn retune_as_at_first(&mut self) {}
    /// Flushes values too small to matter (denormals); false if the state is no longer a number.
    fn settle(&mut self) -> bool;
    /// Back to rest: used when a body's energy is no longer a number.
    fn reset(&mut self);
    /// Modes silenced because a live retune carried them past Nyquist.
    fn omitted(&self) -> usize {
        0
    }
    /// Takes over the motion of a body of the same kind that is made otherwise, never with more energy. False: nothing
    /// in common.
    fn inherit(&mut self, _old: &dyn Resonator) -> bool {
        false
    }
    /// Silences groups of free modes that hold less than this, J; returns how many modes that were.
    fn shed(&mut self, _below_j: Real) -> usize {
        0
    }
    /// `(freq_hz, decay_s, mass_kg)` of every mode as tuned now, in the order given; empty for a body that has none. `[control]`
    fn modes(&self) -> Vec<(Real, Real, Real)> {
        Vec::new()
    }
    /// The port whose velocity will be asked for after every step. `[control]`
    fn listen(&mut self, _port: usize) {}
    /// The point mass behind this body, if it is one.
    fn as_mass(&mut self) -> Option<&mut inertial::Mass> {
        None
    }
}
