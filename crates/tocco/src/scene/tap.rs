// SPDX-License-Identifier: MIT OR Apache-2.0
//! Taps: what is heard of bodies and contacts, and on which channels.

use super::def::Quantity;
use crate::contact::Contact;
use crate::math::Real;
use crate::resonator::{CONTROL_TICKS, Reading};

/// Length of a fade between two scenes, s: four periods at 400 Hz; its spectrum is 60 dB down above 2 kHz.
const FADE_S: Real = 0.01;

/// Samples of a fade between two scenes.
pub(crate) fn fade_ticks(rate_hz: Real) -> u32 {
    ((FADE_S * rate_hz) as u32).max(1)
}

/// What a tap hears.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TapFrom {
    /// Reading `index` of a body; true: differentiate.
    Body { body: usize, index: usize, differentiate: bool },
    /// A contact's force or compression.
    Contact { contact: usize, quantity: Quantity },
    /// A process's own sound.
    Process(usize),
}

/// One thing heard, on one channel or between two.
#[derive(Clone, Debug)]
pub(crate) struct Tap {
    pub from: TapFrom,
    /// Channel and gain, one or two.
    pub to: [(usize, Real); 2],
    /// Gains at the start of a fade, and samples until it is over.
    pub gains_before: [Real; 2],
    pub fade_left: u32,
    /// Last value, to differentiate or to hold.
    pub last: Real,
    /// Values of the present block.
    pub lane: [Real; CONTROL_TICKS],
}

impl Tap {
    /// Share of the gains at the start of a fade of `full` samples when `left` of them are left.
    fn share(left: usize, full: u32) -> Real {
        let x = left as Real / Real::from(full);
        x * x * (3.0 - 2.0 * x)
    }

    /// Present gains, in the middle of a fade or not.
    pub fn gains(&self, full: u32) -> [Real; 2] {
        let share = Self::share(self.fade_left as usize, full);
        core::array::from_fn(|i| self.to[i].1 + (self.gains_before[i] - self.to[i].1) * share)
    }

    /// Notes sample `i` of the contact that it hears. `[audio]`
    pub fn note(&mut self, contact: &Contact, i: usize) {
        let force = matches!(self.from, TapFrom::Contact { quantity: Quantity::Force, .. });
        self.lane[i] = if force { contact.force } else { contact.compression };
    }

    /// Adds `ticks` samples to the mix of so many channels. `[audio]`
    pub fn mix(&mut self, readings: &[Vec<Reading>], rate_hz: Real, channels: usize, ticks: usize, mix: &mut [Real]) {
        if let TapFrom::Body { body, index, differentiate } = self.from {
            self.lane[..ticks].copy_from_slice(&readings[body][index].values[..ticks]);
            if differentiate {
                for value in &mut self.lane[..ticks] {
                    let velocity = *value;
                    *value = (velocity - self.last) * rate_hz;
                    self.last = velocity;
                }
            }
        }
        let (fade, fading) = (fade_ticks(rate_hz), self.fade_left as usize);
        for ((channel, gain), before) in self.to.into_iter().zip(self.gains_before) {
            for i in 0..ticks.min(fading) {
                let gain = gain + (before - gain) * Tap::share(fading - i, fade);
                mix[i * channels + channel] += gain * self.lane[i];
            }
            if gain != 0.0 {
                for i in fading.min(ticks)..ticks {
                    mix[i * channels + channel] += gain * self.lane[i];
                }
            }
        }
        self.fade_left = self.fade_left.saturating_sub(ticks as u32);
    }
}
