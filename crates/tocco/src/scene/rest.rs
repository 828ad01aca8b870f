// SPDX-License-Identifier: MIT OR Apache-2.0
//! When nothing of a scene moves: stretches are silence then, control ticks are only counted, and neither costs anything.
//!
//! A scene rests while all its bodies do, or fly off unheard, its contacts sleep, its signals stand and its processes have nothing to do. Everything
//! that could end that is a command, or a cell of the grid in which a signal moves or a process acts: cells are entered at rest, too. What is left out
//! would have changed no state, so that no bit tells whether a scene rested.

use super::grid::Grid;
use super::moves::Moves;
use super::runtime::Runtime;
use super::tap::{Tap, TapFrom};
use crate::contact::world::World;
use crate::output::Space;

/// Control ticks at which nothing moved after which a scene rests: what the last command or cell began is over.
const CALM: u8 = 3;

impl Runtime {
    /// True while nothing moves. `[audio]`
    pub fn rests(&self) -> bool {
        self.calm >= CALM
    }

    /// Something may move from here on. `[audio]`
    pub fn rouse(&mut self) {
        self.calm = 0;
    }

    /// At a control tick, when it is over: looks whether anything moves; `moving` are the slots that something moves. `[audio]`
    pub fn find_rest<'a>(&mut self, moving: impl Iterator<Item = &'a usize>) {
        self.calm = if self.is_calm(moving) { (self.calm + 1).min(CALM) } else { 0 };
    }

    fn is_calm<'a>(&self, mut moving: impl Iterator<Item = &'a usize>) -> bool {
        let Self { world, grid, slots, drives, taps, spaces, watches, touches, readings, moves, .. } = self;
        let stands = |slot: &usize| {
            let drive = slots[*slot].drive.filter(|_| !slots[*slot].streams());
            drive.is_some_and(|drive| drives[drive].stands(&grid.signals))
        };
        grid.is_calm()
            && watches.is_empty()
            && !touches.wanted
            && world.is_calm(|body| readings[body].is_empty())
            && moving.all(stands)
            && taps.iter().all(|tap| is_silent(tap, world, grid, moves))
            && spaces.iter().flatten().all(Space::rests)
    }

    /// A stretch of so many samples in which nothing moves. `[audio]`
    pub fn rest(&mut self, ticks: usize) {
        for body in 0..self.world.bodies.len() {
            if !self.world.is_quiet(body) {
                self.world.ring(body, ticks, &mut []);
            }
        }
        self.spaces.iter_mut().flatten().for_each(|space| space.rest(ticks));
    }
}

/// True if nothing comes from a tap, and nothing is left in it. `[audio]`
pub(super) fn is_silent(tap: &Tap, world: &World, grid: &Grid, moves: &Moves) -> bool {
    match tap.from {
        TapFrom::Body { body, .. } => moves.silent[body] && tap.rests(),
        TapFrom::Contact { contact, .. } => !world.contacts[contact].awake && tap.rests(),
        TapFrom::Process(process) | TapFrom::Push(process) => {
            let over = !grid.processes[process].written && tap.fade_left == 0;
            over && tap.pair.as_ref().is_none_or(|pair| pair.rests())
        }
    }
}
