// SPDX-License-Identifier: MIT OR Apache-2.0
//! The modes of a bank and the order in which they are stepped.

use super::{Modal, ModalParams, ModeRow, Tuning};
use crate::math::{PI, Real};
use crate::resonator::kernel::{LANES, PAIR, Row, State};
use crate::units::{decay_rate, rad_s};

/// Angle per sample between which the two-pole form keeps 14 digits of frequency and rounding noise below 1e-13 a step.
const TWO_POLE_ANGLE: (Real, Real) = (0.01, PI - 0.01);
/// Decay per sample beyond which a mode is over before the two-pole form pays.
const TWO_POLE_DECAY: Real = 1.0;
/// Shape values below this are none: no port can move the mode or hear it.
pub(super) const NO_SHAPE: Real = 1e-30;

/// How a mode is tuned.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pole {
    /// Undamped frequency, rad/s.
    pub omega: Real,
    /// Decay rate of the amplitude, 1/s.
    pub sigma: Real,
}

impl Pole {
    pub(super) fn of(&(freq_hz, decay_s, _): &ModeRow) -> Self {
        Self {
            omega: fault!(FREQUENCY, rad_s(freq_hz), times 1.01),
            sigma: fault!(DECAY, decay_rate(decay_s), times 2.0),
        }
    }

    /// Frequency at which it rings, rad/s; zero if it only creeps.
    #[inline]
    pub(super) fn ringing(self) -> Real {
        ((self.omega - self.sigma) * (self.omega + self.sigma)).max(0.0).sqrt()
    }

    /// True if the two-pole form is accurate for samples of h.
    pub(super) fn fits_two_pole(self, h: Real) -> bool {
        let (low, high) = TWO_POLE_ANGLE;
        let angle = self.ringing() * h;
        angle >= low && angle <= high && self.sigma * h <= TWO_POLE_DECAY
    }
}

/// One mode in SI units, as kernels see it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mode {
    /// Before the scales of the parameters: as declared, or as the morph has it.
    pub declared: Pole,
    /// As it is now.
    pub now: Pole,
    /// As it was when its present course began.
    pub departed: Pole,
    /// kg; 0: no mode, a place that fills a chunk.
    pub mass: Real,
    /// Place in the order of frequencies, in (0, 1]: how strongly a displaced strike changes the mode's weight.
    pub rank: Real,
    /// Largest shape value of any port, at least [`NO_SHAPE`].
    pub largest_shape: Real,
    /// A motion of the body as a whole: no parameter tunes its suspension.
    pub rigid: bool,
}

impl Mode {
    /// True if a port can move it or hear it.
    pub(super) fn is_heard(&self) -> bool {
        self.mass > 0.0 && self.largest_shape > NO_SHAPE
    }

    /// What it holds when it is tuned and moves so, J.
    #[inline]
    pub(super) fn energy(&self, tuned: Pole, State { q, p }: State) -> Real {
        let wq = tuned.omega * q;
        0.5 * self.mass * (p * p + wq * wq)
    }

    /// Where the parameters want it.
    #[inline]
    pub(super) fn aim(&self, params: &ModalParams) -> Pole {
        let Pole { omega, sigma } = self.declared;
        if self.rigid {
            return self.declared;
        }
        let freq_scale = fault!(FREQ_SCALE, params.freq_scale, params.freq_scale.sqrt());
        Pole { omega: omega * freq_scale, sigma: sigma / params.decay_scale }
    }
}

/// Which mode stands in which slot: those that fit the two-pole form first (padded to whole pairs of chunks), then the
/// others (padded to whole chunks).
pub(super) struct Layout {
    /// None: padding.
    slots: Vec<Option<usize>>,
    pub two_pole_chunks: usize,
}

impl Layout {
    /// Of so many modes. `[control]`
    pub(super) fn new(modes: usize, fits_two_pole: impl Fn(usize) -> bool) -> Self {
        let mut slots: Vec<Option<usize>> = (0..modes).filter(|&i| fits_two_pole(i)).map(Some).collect();
        slots.resize(slots.len().next_multiple_of(PAIR * LANES), None);
        let two_pole_chunks = slots.len() / LANES;
        slots.extend((0..modes).filter(|&i| !fits_two_pole(i)).map(Some));
        slots.resize(slots.len().next_multiple_of(LANES), None);
        Self { slots, two_pole_chunks }
    }

    /// Of a tuning and, if it morphs, another: modes that fit the two-pole form at both ends run in it. `[control]`
    pub(super) fn of(params: &ModalParams, from: &Tuning, to: Option<&Tuning>, sample_s: Real) -> Self {
        let fits = |&(freq_hz, decay_s, _): &ModeRow| {
            let (omega, sigma) = (rad_s(freq_hz * params.freq_scale), decay_rate(decay_s * params.decay_scale));
            Pole { omega, sigma }.fits_two_pole(sample_s)
        };
        let both = |i: usize| fits(&from.modes[i]) && to.is_none_or(|to| fits(&to.modes[i]));
        Self::new(from.modes.len(), |i| i >= from.rigid && both(i))
    }

    pub(super) fn chunks(&self) -> usize {
        self.slots.len() / LANES
    }

    /// Something for every slot, `padding` where no mode stands. `[control]`
    pub(super) fn each<T: Clone>(&self, padding: T, of: impl Fn(usize) -> T) -> Vec<T> {
        self.slots.iter().map(|slot| slot.map_or_else(|| padding.clone(), &of)).collect()
    }

    /// Values given by mode as a row by slot. `[control]`
    pub(super) fn row(&self, values: &[Real]) -> Row {
        Row::from_fn(self.chunks(), |slot| {
            self.slots[slot].map_or(0.0, |i| {
                fault!(SHAPE_SIGN, fault!(PORTS_SHIFTED, values[i], values[(i + 1) % values.len()]), values[i].abs())
            })
        })
    }
}

/// What vibrates.
#[derive(Clone)]
pub(super) struct Bank {
    /// By slot, see [`Layout`].
    pub modes: Vec<Mode>,
    /// Slot of every mode, in the order given.
    pub slots: Vec<usize>,
    /// Chunks of modes that were made for the two-pole form, and whether all of them fit it at the present tuning.
    pub two_pole_chunks: usize,
    pub two_pole_fits: bool,
    /// Chunks up to the last mode that sounds: no other is looked at.
    pub in_use: usize,
    /// Slots of the motions as a whole.
    pub rigid: Vec<usize>,
    /// Modes that a port would hear, but which lie beyond Nyquist at the present tuning.
    pub omitted: usize,
    /// All modes from this slot on lie beyond Nyquist, whatever the parameters.
    silent_from: usize,
    /// How many of those a port would hear.
    silent_heard: usize,
}

impl Bank {
    /// The modes of a table in the given order, of which the first few are motions as a whole; not tuned yet. `[control]`
    pub(super) fn new(modes: &[ModeRow], ports: &[Vec<Real>], rigid: usize, layout: &Layout) -> Self {
        let rank = ranks(&modes[rigid..]);
        let mode = |i: usize| Mode {
            declared: Pole::of(&modes[i]),
            mass: fault!(MODE_MASS, modes[i].2, times 2.0),
            rank: i.checked_sub(rigid).map_or(0.0, |i| rank[i]),
            rigid: i < rigid,
            largest_shape: ports.iter().fold(NO_SHAPE, |m: Real, port| m.max(port[i].abs())),
            ..Mode::default()
        };
        let mut slots = vec![0; modes.len()];
        for (slot, mode) in layout.slots.iter().enumerate().filter_map(|(slot, mode)| Some((slot, (*mode)?))) {
            slots[mode] = slot;
        }
        let two_pole_chunks = layout.two_pole_chunks;
        let (modes, rigid) = (layout.each(Mode::default(), mode), slots[..rigid].to_vec());
        let in_use = modes.len() / LANES;
        Self {
            modes,
            slots,
            two_pole_chunks,
            two_pole_fits: true,
            in_use,
            rigid,
            omitted: 0,
            silent_from: in_use * LANES,
            silent_heard: 0,
        }
    }

    /// Chunks of modes in two-pole form while free.
    pub(super) fn free_chunks(&self) -> usize {
        if self.two_pole_fits { self.two_poles_in_use() } else { 0 }
    }

    /// Chunks in use of modes that were made for the two-pole form.
    pub(super) fn two_poles_in_use(&self) -> usize {
        self.two_pole_chunks.min(self.in_use)
    }

    /// From now on all modes from a slot on lie beyond Nyquist, and stay there. The slots from the former such place on have done so.
    pub(super) fn silence_from(&mut self, slot: usize, silent: Pole) {
        if slot != self.silent_from {
            let before = core::mem::replace(&mut self.silent_from, slot);
            let newly = self.modes[slot..before.max(slot)].iter_mut().filter(|mode| mode.mass > 0.0);
            newly.for_each(|mode| mode.declared = silent);
            self.silent_heard = self.modes[slot..].iter().filter(|mode| mode.is_heard()).count();
        }
    }

    /// Modes that may sound, if the parameters have them below Nyquist.
    pub(super) fn audible(&self) -> &[Mode] {
        &self.modes[..self.silent_from]
    }

    /// Modes that a port would hear among those that never sound.
    pub(super) fn silent_heard(&self) -> usize {
        self.silent_heard
    }

    /// Slots in use.
    pub(super) fn slots_in_use(&self) -> usize {
        self.in_use * LANES
    }
}

/// Place of every mode in the order of frequencies, in (0, 1].
fn ranks(modes: &[ModeRow]) -> Vec<Real> {
    let by_freq = crate::order::ascending(modes.len(), &|i| modes[i].0);
    let mut rank = vec![0.0; modes.len()];
    for (place, &index) in by_freq.iter().enumerate() {
        rank[index] = (place + 1) as Real / modes.len() as Real;
    }
    rank
}

impl Modal {
    /// Where the parameters want a mode.
    pub(super) fn aim(&self, mode: &Mode) -> Pole {
        mode.aim(&self.params)
    }

    /// Chunks up to the last mode that sounds where the parameters want it, in whole pairs among the two-pole ones.
    pub(super) fn reach(&self) -> usize {
        let chunks = self.bank.audible().iter().rposition(|mode| self.sounds(mode)).map_or(0, |last| last / LANES + 1);
        if chunks < self.bank.two_pole_chunks { chunks.next_multiple_of(PAIR) } else { chunks }
    }

    /// True if the mode fits below Nyquist where the parameters want it.
    pub(super) fn sounds(&self, mode: &Mode) -> bool {
        mode.mass > 0.0 && self.aim(mode).omega * self.sample_s < PI
    }
}
