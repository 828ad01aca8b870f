// SPDX-License-Identifier: MIT OR Apache-2.0
//! The places of a bank: what is heard there and what is touched there.

use super::Modal;
use super::bank::{Mode, Pole};
use crate::math::{Real, cos, sin};
use crate::resonator::Motion;
use crate::resonator::kernel::{Row, State};

/// A place of the body as the signed value of every mode's shape there.
#[derive(Clone)]
pub(super) struct Port {
    /// Where it is heard: as declared, or as the morph has it.
    pub heard: Row,
    /// Where it is touched: the same place, unless the touch was moved or the last strike fell beside it.
    pub touched: Row,
    /// Where the touch was moved to, if it was.
    moved_to: Row,
    moved: bool,
    /// By how much the last strike fell beside the place, as a phase of the highest mode, rad.
    beside_rad: Option<Real>,
    /// It has been touched: its compliances are kept.
    pub asked: bool,
}

impl Port {
    /// Touched where it is heard. `[control]`
    pub(super) fn new(shape: Row) -> Self {
        let (touched, moved_to) = (shape.clone(), shape.clone());
        Self { touched, moved_to, heard: shape, moved: false, beside_rad: None, asked: false }
    }

    /// The place that a strike aims at.
    pub(super) fn target(&self) -> &Row {
        if self.moved { &self.moved_to } else { &self.heard }
    }

    /// True if what is heard is the motion of what is touched.
    pub(super) fn touched_where_heard(&self) -> bool {
        self.beside_rad.is_none() && !self.moved
    }

    /// True if the last strike fell beside the place.
    pub(super) fn beside(&self) -> bool {
        self.beside_rad.is_some()
    }

    /// Lets the next strike fall beside the place, or on it.
    pub(super) fn displace(&mut self, beside_rad: Option<Real>) {
        self.beside_rad = beside_rad;
    }

    /// Moves the touch to where the modes have these shape values, given by mode; `slots` says where each one stands.
    pub(super) fn move_touch(&mut self, slots: &[usize], shape: &[Real]) {
        for (&slot, &value) in slots.iter().zip(shape) {
            self.moved_to.set(slot, value);
        }
        self.moved = true;
    }

    /// Finds what is touched. A mode that varies as cos(k x) gets cos(k x + psi), with psi growing with mode number.
    fn place_touch(&mut self, modes: &[Mode]) {
        for (i, mode) in modes.iter().enumerate() {
            let phi = self.target().at(i);
            let touched = match self.beside_rad {
                Some(angle) if !mode.rigid => {
                    let psi = angle * mode.rank;
                    let quadrature = (mode.largest_shape * mode.largest_shape - phi * phi).max(0.0).sqrt();
                    phi * cos(psi) + quadrature * sin(psi)
                }
                _ => phi,
            };
            self.touched.set(i, touched);
        }
    }
}

impl Modal {
    /// Finds what is touched at every port.
    pub(super) fn place_touches(&mut self) {
        self.ports.iter_mut().for_each(|port| port.place_touch(&self.bank.modes));
    }

    /// A port is touched elsewhere from now on; attended form.
    pub(super) fn touch_changed(&mut self, port: usize) {
        self.ports[port].place_touch(&self.bank.modes);
        self.steps.outdate();
        self.refresh(self.steps.level);
        self.forget();
    }

    /// The same of a touch that moves by the sample: no more is made anew than is asked for.
    pub(super) fn touch_slid(&mut self, port: usize) {
        self.ports[port].place_touch(&self.bank.modes);
        self.steps.forget_port(port, self.ports.len());
        self.coming.forget_strokes();
    }

    /// Position or velocity of a port in the motions of the body as a whole alone.
    pub(super) fn as_a_whole(&self, port: usize, motion: Motion) -> Real {
        let b = if self.retuning.fade.audible() { self.retuning.fade.remaining() } else { 0.0 };
        let of = |State { q, p }| if motion == Motion::Position { q } else { p };
        self.bank.rigid.iter().map(|&i| self.weight(port, i, b) * of(self.motion(i))).sum()
    }

    /// Tuning of every mode that sounds, with its shape where a port is touched.
    pub(in crate::resonator) fn each_sounding(&self, port: usize) -> impl Iterator<Item = (Pole, Real)> {
        let modes = self.bank.modes[..self.bank.slots_in_use()].iter().enumerate();
        modes.filter(|(_, mode)| self.sounds(mode)).map(move |(i, _)| (self.tuning(i), self.ports[port].touched.at(i)))
    }

    /// The real modes with their shape where a port is touched, unless a strike falls beside it.
    pub(super) fn each_shape(&self, port: usize) -> impl Iterator<Item = (usize, &Mode, Real)> {
        let real = self.bank.modes.iter().enumerate().filter(|(_, mode)| mode.mass > 0.0);
        real.map(move |(i, mode)| (i, mode, self.ports[port].target().at(i))).filter(|(_, _, phi)| *phi != 0.0)
    }
}
