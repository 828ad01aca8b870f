// SPDX-License-Identifier: MIT OR Apache-2.0
//! When contacts begin and end, by the sample: for whoever draws, counts or shakes what touches.

use crate::math::Real;

/// Touches that are kept for whoever asks; older ones give way.
const KEPT: usize = 1024;

/// A contact has begun or ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touch {
    /// Tick of the sample in which it did.
    pub at: u64,
    /// Number of the contact.
    pub contact: usize,
    /// True: from this sample on there is a force. False: from this sample on there is none.
    pub begins: bool,
    /// Sum of force times sample over the contact that ends, N s; 0 where it begins.
    pub impulse_n_s: Real,
}

/// How a contact was held since somebody last asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Grip {
    /// Force of largest magnitude, N.
    pub force_n: Real,
    /// Of the samples with a force, the part in which the surfaces slid; 0 for what only pushes.
    pub slid_01: Real,
}

/// What touches, and what has been noted of it. Nothing is noted before it is asked for.
#[derive(Clone)]
pub(crate) struct Touches {
    /// Somebody wants to know.
    pub wanted: bool,
    /// Per contact: it has a force, and the impulse since it began, N s.
    closed: Vec<(bool, Real)>,
    /// Per contact: the largest force, N, samples with a force and samples that slid, since they were last asked for.
    grips: Vec<(Real, u32, u32)>,
    noted: Box<[Touch]>,
    total: u64,
    taken: u64,
}

impl Touches {
    pub fn new(contacts: usize) -> Self {
        let noted = if contacts > 0 { vec![Touch::default(); KEPT] } else { Vec::new() };
        Self {
            wanted: false,
            closed: vec![(false, 0.0); contacts],
            grips: vec![(0.0, 0, 0); contacts],
            noted: noted.into(),
            total: 0,
            taken: 0,
        }
    }

    /// How a contact was held since this was last asked. `[audio]`
    pub fn grip(&mut self, contact: usize) -> Option<Grip> {
        let (force_n, held, slid) = core::mem::take(self.grips.get_mut(contact)?);
        Some(Grip { force_n, slid_01: Real::from(slid) / Real::from(held.max(1)) })
    }

    /// A contact had a mean force over a sample, N, and its surfaces slid or not. `[audio]`
    pub fn feel(&mut self, contact: usize, force_n: Real, slid: bool) {
        let Some((most, held, slides)) = self.grips.get_mut(contact) else { return };
        if force_n.abs() > most.abs() {
            *most = force_n;
        }
        if force_n != 0.0 {
            *held = held.saturating_add(1);
            *slides = slides.saturating_add(u32::from(slid));
        }
    }

    /// Mean force of a contact over the sample at this tick, N. `[audio]`
    pub fn note(&mut self, contact: usize, at: u64, force_n: Real, sample_s: Real) {
        let Some((closed, impulse_n_s)) = self.closed.get_mut(contact) else { return };
        let begins = force_n != 0.0;
        if begins != *closed {
            let ended = if begins { 0.0 } else { *impulse_n_s };
            let place = (self.total % KEPT as u64) as usize;
            self.noted[place] = Touch { at, contact, begins, impulse_n_s: ended };
            self.total += 1;
            (*closed, *impulse_n_s) = (begins, 0.0);
        }
        *impulse_n_s += force_n * sample_s;
    }

    /// The next that nobody has taken yet. `[audio]`
    pub fn take(&mut self) -> Option<Touch> {
        self.taken = self.taken.max(self.total.saturating_sub(KEPT as u64));
        (self.taken < self.total).then(|| {
            self.taken += 1;
            self.noted[((self.taken - 1) % KEPT as u64) as usize]
        })
    }
}
