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

/// What touches, and what has been noted of it. Nothing is noted before it is asked for.
pub(crate) struct Touches {
    /// Somebody wants to know.
    pub wanted: bool,
    /// Per contact: it has a force, and the impulse since it began, N s.
    closed: Vec<(bool, Real)>,
    noted: Box<[Touch]>,
    total: u64,
    taken: u64,
}

impl Touches {
    pub fn new(contacts: usize) -> Self {
        let noted = if contacts > 0 { vec![Touch::default(); KEPT] } else { Vec::new() };
        Self { wanted: false, closed: vec![(false, 0.0); contacts], noted: noted.into(), total: 0, taken: 0 }
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
