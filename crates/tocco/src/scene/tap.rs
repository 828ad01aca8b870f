// SPDX-License-Identifier: MIT OR Apache-2.0
//! Taps: what is heard of bodies and contacts, and on which channels.

use super::def::Quantity;
use crate::contact::Contact;
use crate::contact::travel::Track;
use crate::math::Real;
use crate::output::pair::Pair;
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
    /// The force of a process.
    Push(usize),
}

/// The way of a place that is heard.
#[derive(Clone, Debug)]
pub(crate) struct Carried {
    pub track: Track,
    /// Readings of the body at the knots.
    pub knots: Vec<usize>,
    /// Who carries it: a body, and which of its readings is its position.
    pub by: (usize, usize),
}

impl Carried {
    /// What is heard at sample `i` of a body with these knots. [travel.2]
    fn at(&self, readings: &[Vec<Reading>], body: usize, i: usize) -> Real {
        let way_m = readings[self.by.0][self.by.1].values[i];
        let heard = |(knot, weight): (usize, Real)| weight * readings[body][self.knots[knot]].values[i];
        self.track.around(way_m).into_iter().map(heard).sum()
    }
}

/// One thing heard, on one channel or between two.
#[derive(Clone, Debug)]
pub(crate) struct Tap {
    pub from: TapFrom,
    /// The way of the place, if it travels.
    pub carried: Option<Box<Carried>>,
    /// The ears or microphones that hear it, if it says from where.
    pub pair: Option<Box<Pair>>,
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

    /// True if silence in is silence out. `[audio]`
    pub fn rests(&self) -> bool {
        self.last == 0.0 && self.fade_left == 0 && self.pair.as_ref().is_none_or(|pair| pair.rests())
    }

    /// Notes sample `i` of the contact that it hears. `[audio]`
    pub fn note(&mut self, contact: &Contact, i: usize) {
        let force = matches!(self.from, TapFrom::Contact { quantity: Quantity::Force, .. });
        self.lane[i] = if force { contact.force } else { contact.compression };
    }

    /// Adds `ticks` samples to the mix of so many channels. `[audio]`
    pub fn mix(&mut self, readings: &[Vec<Reading>], rate_hz: Real, channels: usize, ticks: usize, mix: &mut [Real]) {
        if let TapFrom::Body { body, index, differentiate } = self.from {
            match &self.carried {
                None => self.lane[..ticks].copy_from_slice(&readings[body][index].values[..ticks]),
                Some(carried) => {
                    let lane = self.lane[..ticks].iter_mut().enumerate();
                    lane.for_each(|(i, value)| *value = carried.at(readings, body, i));
                }
            }
            if differentiate {
                for value in &mut self.lane[..ticks] {
                    let velocity = *value;
                    *value = (velocity - self.last) * rate_hz;
                    self.last = velocity;
                }
            }
        }
        if let Some(pair) = &mut self.pair {
            pair.hear(&self.lane[..ticks]);
        }
        let (fade, fading) = (fade_ticks(rate_hz), self.fade_left as usize);
        for (side, ((channel, gain), before)) in self.to.into_iter().zip(self.gains_before).enumerate() {
            let lane = self.pair.as_ref().map_or(&self.lane, |pair| &pair.lanes[side]);
            for i in 0..ticks.min(fading) {
                let gain = gain + (before - gain) * Tap::share(fading - i, fade);
                mix[i * channels + channel] += gain * lane[i];
            }
            if gain != 0.0 {
                for i in fading.min(ticks)..ticks {
                    mix[i * channels + channel] += gain * lane[i];
                }
            }
        }
        self.fade_left = self.fade_left.saturating_sub(ticks as u32);
    }
}
