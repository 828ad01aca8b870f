// SPDX-License-Identifier: MIT OR Apache-2.0
//! The law of a contact with its role: along the normal, along the surface, or anything else.
//!
//! What every law does is reached through [`Interactor`]; what the solver asks beyond that is answered here, by class, so
//! that no law has to answer for another class.

use crate::interactor::{GeneralLaw, Interactor, NormalLaw, TangentialLaw};
use crate::math::Real;
use core::any::Any;
use core::ops::{Deref, DerefMut};

/// A force law and its role in the contact.
#[derive(Clone)]
pub enum Law {
    /// Along the normal, pushing only: impact.
    Normal(Box<dyn NormalLaw>),
    /// Along the surface: friction.
    Tangential {
        /// The law.
        law: Box<dyn TangentialLaw>,
        /// Where its normal force comes from.
        pressed_by: PressedBy,
    },
    /// Neither: it may pull, fall with the stroke, act across a gap.
    General(Box<dyn GeneralLaw>),
}

/// What presses the surfaces of a tangential contact together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PressedBy {
    /// A parameter of the law.
    Parameter,
    /// The force of another contact of the world, by its index.
    Contact(usize),
}

impl Law {
    /// The law, of which it is known that it is of this type.
    ///
    /// # Safety
    /// It is: [`Law::is`] has said so of this law.
    #[inline(always)]
    pub(super) unsafe fn trusted<T: Interactor>(&mut self) -> &mut T {
        debug_assert!(self.is::<T>());
        let law: *mut T = match self {
            Law::Normal(law) => (&raw mut **law).cast(),
            Law::Tangential { law, .. } => (&raw mut **law).cast(),
            Law::General(law) => (&raw mut **law).cast(),
        };
        // SAFETY: as the caller says; it lives as long as this.
        unsafe { &mut *law }
    }

    /// True if it is of this type.
    pub(super) fn is<T: Interactor>(&self) -> bool {
        let law: &dyn Any = match self {
            Law::Normal(law) => &**law,
            Law::Tangential { law, .. } => &**law,
            Law::General(law) => &**law,
        };
        law.is::<T>()
    }

    /// True for a law along the surface.
    pub fn is_tangential(&self) -> bool {
        matches!(self, Law::Tangential { .. })
    }

    /// True if contacts of this class, however many, have one solution: what only pushes and never falls.
    pub(super) fn is_convex(&self) -> bool {
        matches!(self, Law::Normal(_))
    }

    /// True if its surfaces slid past each other in the last step.
    pub(crate) fn slides(&self) -> bool {
        matches!(self, Law::Tangential { law, .. } if law.slides())
    }

    /// The contact that presses this one.
    #[inline]
    pub fn presser(&self) -> Option<usize> {
        match self {
            Law::Tangential { pressed_by: PressedBy::Contact(index), .. } => Some(*index),
            _ => None,
        }
    }

    /// True if there may be a force in a step that starts at this compression and would close by `s0` without it.
    #[inline]
    pub(super) fn engages(&self, from: Real, s0: Real) -> bool {
        match self {
            Law::Normal(_) => from > 0.0 || from + s0 > 0.0,
            Law::Tangential { law, .. } => law.normal_n() > 0.0,
            Law::General(law) => law.engages(from, s0),
        }
    }

    /// Gap up to which the law may act, m; infinite: its contact may not sleep; minus infinite: it acts nowhere.
    pub(super) fn reach_m(&self) -> Real {
        match self {
            Law::Normal(law) if law.is_rested() => 0.0,
            Law::Tangential { law, .. } if law.normal_n() == 0.0 => Real::NEG_INFINITY,
            Law::Normal(_) | Law::Tangential { .. } => Real::INFINITY,
            Law::General(law) => law.reach_m(),
        }
    }

    /// Approach speed up to which contacts of this effective mass last `duration_s`, m/s. Friction alone asks for one
    /// step (H3).
    pub(super) fn speed_limit(&self, mass: Real, duration_s: Real) -> Real {
        match self {
            Law::Normal(law) => law.speed_limit(mass, duration_s),
            Law::Tangential { .. } => Real::INFINITY,
            Law::General(law) => law.speed_limit(mass, duration_s),
        }
    }

    /// True if the law is good at steps of this length.
    pub(super) fn suits(&self, step_s: Real, lasts: bool) -> bool {
        if let Law::Normal(law) = self { law.suits(step_s, lasts) } else { true }
    }

    /// mu of a law that the exact scheme can solve, s/m.
    pub(super) fn loss_s_m(&self) -> Option<Real> {
        if let Law::Normal(law) = self { law.loss_s_m() } else { None }
    }

    /// No law's force falls with the stroke until the next `commit`.
    pub(super) fn hold(&mut self) {
        match self {
            Law::Normal(_) => {}
            Law::Tangential { law, .. } => law.hold(),
            Law::General(law) => law.let_go(),
        }
    }

    /// What presses a tangential law in this step, N.
    pub(super) fn press(&mut self, force_n: Real, dt: Real) {
        if let Law::Tangential { law, .. } = self {
            law.set_normal(force_n);
            law.prepare(0.0, dt);
        }
    }

    /// Exchanges two laws of one class; what presses them stays.
    pub(super) fn exchange(&mut self, other: &mut Law) {
        core::mem::swap(self, other);
        if let (Law::Tangential { pressed_by: a, .. }, Law::Tangential { pressed_by: b, .. }) = (self, other) {
            core::mem::swap(a, b);
        }
    }
}

impl Deref for Law {
    type Target = dyn Interactor;

    #[inline]
    fn deref(&self) -> &(dyn Interactor + 'static) {
        match self {
            Law::Normal(law) => &**law,
            Law::Tangential { law, .. } => &**law,
            Law::General(law) => &**law,
        }
    }
}

impl DerefMut for Law {
    #[inline]
    fn deref_mut(&mut self) -> &mut (dyn Interactor + 'static) {
        match self {
            Law::Normal(law) => &mut **law,
            Law::Tangential { law, .. } => &mut **law,
            Law::General(law) => &mut **law,
        }
    }
}
