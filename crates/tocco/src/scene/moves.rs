// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which moving values each island and each body feels: what moves elsewhere costs it nothing.

use super::grid::Push;
use super::runtime::Runtime;
use super::slot::{Slot, Target};
use super::tap::{Tap, TapFrom};
use super::touch::Touches;
use super::watch::Watch;
use crate::contact::lasting::{Borrower, Kind, Lasting};
use crate::math::Real;
use crate::param::Rate;
use crate::reserve::Reserve;
use crate::resonator::{CONTROL_TICKS, Reading, Resonator};
use core::ops::Range;

/// Room for what is found out stretch by stretch; sized once.
#[derive(Clone, Default)]
pub(crate) struct Moves {
    /// Island, place in the list of moving slots, slot: sorted.
    by_island: Reserve<(usize, usize, usize)>,
    /// The slot that moves a body by the sample.
    guides: Vec<Option<usize>>,
    /// Bodies whose readings stand, and those of them that are silent.
    still: Vec<bool>,
    pub silent: Vec<bool>,
    /// Slots that push or guide each body.
    acting: Vec<Vec<usize>>,
    /// Taps that hear each contact.
    pub taps_of: Vec<Vec<usize>>,
}

/// Pushes on the bodies of one contact that are looked up once for a stretch; where there are more, sample by sample.
const MOST_PUSHES: usize = 4;

/// A stretch of samples of one contact that lasts: what moves in it, and what is noted of it.
struct Stretch<'a> {
    /// Its moves.
    own: &'a [(usize, usize, usize)],
    slots: &'a [Slot],
    /// What processes push its bodies with, and whether the slot there moves by the sample.
    pushes: &'a [Push],
    pushed: [Option<(usize, bool)>; MOST_PUSHES],
    /// Readings of its two bodies.
    first: &'a mut [Reading],
    second: &'a mut [Reading],
    /// Those of the taps that hear it.
    heard: &'a [usize],
    taps: &'a mut [Tap],
    watches: &'a mut [Watch],
    touches: &'a mut Touches,
    /// One sample, s.
    sample_s: Real,
    /// When the lanes begin, and which samples of them these are.
    tick: u64,
    samples: Range<usize>,
}

impl Borrower for Stretch<'_> {
    #[inline(always)]
    fn take<A: Resonator + ?Sized, B: Resonator + ?Sized, L: Kind>(self, mut lasting: Lasting<'_, A, B>) -> usize {
        let Self { own, slots, first, second, heard, taps, watches, touches, sample_s, tick, samples, .. } = self;
        let moves = own.iter().any(|&(_, _, slot)| !slots[slot].stands);
        let noted = !heard.is_empty() || !watches.is_empty() || touches.wanted;
        for i in samples.clone() {
            if moves {
                for &(_, _, slot) in own.iter().filter(|&&(_, _, slot)| !slots[slot].stands) {
                    match slots[slot].target {
                        Target::Force(site) => lasting.set_force(site, slots[slot].lane[i]),
                        Target::Body { body, param } => lasting.set(body, param, slots[slot].lane[i]),
                        _ => {}
                    }
                }
            }
            for (push, by_sample) in self.pushed.iter().flatten() {
                let Push { site, slot, lane, .. } = &self.pushes[*push];
                let own = if *by_sample { slots[*slot].lane[i] } else { slots[*slot].value };
                lasting.set_force(*site, own + lane[i]);
            }
            if !lasting.step::<L>(tick + i as u64) {
                return i;
            }
            let (one, other) = lasting.partners();
            for reading in first.iter_mut() {
                reading.note(one, i);
            }
            for reading in second.iter_mut() {
                reading.note(other, i);
            }
            if noted {
                heard.iter().for_each(|&tap| taps[tap].note(lasting.contact, i));
                if touches.wanted {
                    let force_n = lasting.contact.force;
                    touches.note(lasting.index, tick + i as u64, force_n, sample_s);
                    touches.feel(lasting.index, force_n, lasting.contact.law.slides());
                }
                watches.iter_mut().for_each(|watch| watch.note(lasting.index, lasting.contact, i));
            }
        }
        samples.end
    }
}

impl Runtime {
    /// Makes room, after everything else of the scene is there. `[control]`
    pub fn make_room_for_moves(&mut self) {
        let (bodies, contacts) = (self.world.bodies.len(), self.world.contacts.len());
        let mut acting = vec![Vec::new(); bodies];
        for (index, slot) in self.slots.iter().enumerate() {
            match slot.target {
                Target::Force(site) => acting[site.body].push(index),
                Target::Body { body, .. } if slot.spec.rate == Rate::Sample => acting[body].push(index),
                _ => {}
            }
        }
        let of_partners: usize = (0..bodies).map(|body| acting[body].len() * self.world.contacts_at(body)).sum();
        let by_island = Reserve::of(self.slots.len() + of_partners);
        let mut taps_of = vec![Vec::new(); contacts];
        for (index, tap) in self.taps.iter().enumerate() {
            if let TapFrom::Contact { contact, .. } = tap.from {
                taps_of[contact].push(index);
            }
        }
        let (still, silent) = (vec![false; bodies], vec![false; bodies]);
        self.moves = Moves { by_island, guides: vec![None; bodies], still, silent, acting, taps_of };
    }

    /// Finds for the coming stretch which of the slots that move by the sample each island feels. What no island feels
    /// stands at its last value. `[audio]`
    pub fn sort_moves(&mut self, fast: &[usize], ticks: usize) {
        let mut all = core::mem::take(&mut self.moves.by_island);
        all.clear();
        for (place, &slot) in fast.iter().enumerate() {
            let before = all.len();
            let mut felt = |island: usize| {
                // There is room for each once; two contacts of one island at one hand are one.
                if all.last() != Some(&(island, place, slot)) && all.len() < all.capacity() {
                    all.push((island, place, slot));
                }
            };
            match self.slots[slot].target {
                Target::Force(site) => self.world.islands_at(site.body).for_each(&mut felt),
                Target::Body { body, .. } => {
                    self.moves.guides[body].get_or_insert(slot);
                    self.world.stir(body);
                    self.world.islands_at(body).for_each(&mut felt);
                }
                Target::Contact { contact, .. } | Target::Surface { contact, .. } => {
                    self.world.island_of_contact(contact).into_iter().for_each(&mut felt);
                    if all.len() == before {
                        self.write_lane(slot, ticks - 1);
                    }
                }
                Target::Signal { .. } | Target::Process { .. } | Target::Walk { .. } | Target::Output { .. } => {
                    self.write_lane(slot, ticks - 1);
                }
            }
        }
        all.sort_unstable();
        self.moves.by_island = all;
    }

    /// Steps an island through a stretch; its moves begin at `at` in the sorted list, and where they end is returned; `fast` are
    /// all slots that move by the sample. `[audio]`
    pub fn run_island(&mut self, island: usize, at: usize, tick: u64, ticks: usize, fast: &[usize]) -> usize {
        let own = self.moves.by_island[at..].iter().take_while(|(of, _, _)| *of == island).count();
        let (mut i, all) = (0, at..at + own);
        for place in all.clone() {
            self.write_lane(self.moves.by_island[place].2, 0);
        }
        while i < ticks {
            i = self.run_lasting(island, all.clone(), tick, i..ticks, fast);
            if i == ticks {
                break;
            }
            for place in all.clone() {
                let slot = self.moves.by_island[place].2;
                if i > 0 && !self.slots[slot].stands {
                    self.write_lane(slot, i);
                }
            }
            self.write_pushes(island, i, ticks, fast);
            self.step_island(island, tick + i as u64, i);
            i += 1;
        }
        at + own
    }

    /// Steps an island from one sample of a stretch on for as long as it is one contact that lasts, and returns the first sample
    /// that is not done; `own` are its moves. What [`Runtime::step_island`] does, looked up once. `[audio]`
    fn run_lasting(
        &mut self,
        island: usize,
        own: Range<usize>,
        tick: u64,
        samples: Range<usize>,
        fast: &[usize],
    ) -> usize {
        let Self { world, slots, readings, taps, watches, touches, grid, moves, rate_hz, .. } = self;
        let own = &moves.by_island[own];
        let by_sample = |target: &Target| matches!(target, Target::Force(_) | Target::Body { .. });
        if !own.iter().all(|&(_, _, slot)| slots[slot].stands || by_sample(&slots[slot].target))
            || watches.iter().any(|watch| watch.reads_sleepers(world, island))
        {
            return samples.start;
        }
        let (mut pushed, mut places) = ([None; MOST_PUSHES], 0);
        for (index, push) in grid.pushes.iter().enumerate() {
            if push.active && world.is_in(island, push.site.body) {
                // What may give only so much asks where the body is, sample by sample.
                if places == MOST_PUSHES || !push.bounded.is_empty() {
                    return samples.start;
                }
                pushed[places] = Some((index, fast.contains(&push.slot)));
                places += 1;
            }
        }
        let Some(lasting) = world.lasting(island) else { return samples.start };
        let Ok([first, second]) = readings.get_disjoint_mut(lasting.bodies()) else { return samples.start };
        // What yields to nothing moves on after the islands, by the block.
        let [first_rings, second_rings] = lasting.rigid();
        let first = if first_rings { &mut [] } else { &mut first[..] };
        let second = if second_rings { &mut [] } else { &mut second[..] };
        let heard = &moves.taps_of[lasting.index];
        let sample_s = 1.0 / *rate_hz;
        let Range { start: begin, end } = samples;
        let pushes = &grid.pushes[..];
        let stretch = Stretch {
            own,
            slots,
            pushes,
            pushed,
            first,
            second,
            heard,
            taps,
            watches,
            touches,
            sample_s,
            tick,
            samples,
        };
        let done = lasting.lend(stretch).unwrap_or(begin);
        if done == end {
            for (index, by_sample) in pushed.into_iter().flatten() {
                let push = &mut grid.pushes[index];
                let own = if by_sample { slots[push.slot].lane[end - 1] } else { slots[push.slot].value };
                push.settle(own, world);
            }
        }
        done
    }

    /// Rings every body that no island steps. `[audio]`
    pub fn ring_all(&mut self, ticks: usize, fast: &[usize]) {
        for body in 0..self.world.bodies.len() {
            let quiet = self.world.is_quiet(body);
            if !quiet && !self.world.in_island(body) {
                self.ring(body, ticks, self.moves.guides[body]);
            }
            if quiet != self.moves.still[body] {
                self.moves.still[body] = quiet;
                self.moves.silent[body] = quiet && self.stand(body);
            }
        }
        for &slot in fast {
            if let Target::Body { body, .. } = self.slots[slot].target {
                self.moves.guides[body] = None;
            }
        }
    }

    /// Fills the readings of a body at rest once for all; true if all of them are zero.
    fn stand(&mut self, body: usize) -> bool {
        let node = &self.world.bodies[body];
        self.readings[body].iter_mut().fold(true, |silent, reading| {
            let value = reading.of(&**node);
            reading.values.fill(value);
            silent && value == 0.0
        })
    }

    /// The readings of bodies have changed: those that stand are to be filled anew. `[control]`
    pub fn read_anew(&mut self) {
        self.moves.still.fill(false);
        self.moves.silent.fill(false);
    }

    /// At a control tick: forces that act no more are told to the world, and which contacts are about to move by the
    /// sample. `[audio]`
    pub fn find_acted_on(&mut self, fast: &[usize], time_s: Real) {
        let Self { slots, world, drives, grid, moves, rate_hz, .. } = self;
        for body in 0..world.bodies.len() {
            let acts = |&slot: &usize| {
                let acting = matches!(slots[slot].target, Target::Force(_)) && slots[slot].value != 0.0;
                acting || slots[slot].is_moving()
            };
            if world.is_pushed(body) && !moves.acting[body].iter().any(acts) && !grid.pushes_body(body) {
                world.set_pushed(body, false);
            }
        }
        world.restless.fill(false);
        let until_s = time_s + (CONTROL_TICKS + 1) as Real / *rate_hz;
        for &slot in fast {
            if let Target::Contact { contact, .. } = slots[slot].target {
                let still =
                    slots[slot].drive.is_some_and(|drive| drives[drive].is_still(time_s, until_s, &grid.signals));
                world.reconsider(contact);
                world.restless[contact] |= slots[slot].is_moving() && !still && slots[slot].may_press();
            }
        }
    }

    /// A cell has been entered: a contact that is moved by a signal which begins to change is awake from here on. `[audio]`
    pub fn rouse_moved(&mut self, fast: &[usize]) {
        let Self { slots, world, drives, grid, .. } = self;
        for &slot in fast {
            let (Target::Contact { contact, .. }, Some(drive)) = (slots[slot].target, slots[slot].drive) else {
                continue;
            };
            let changes = drives[drive].hears().is_some_and(|signal| !grid.signals[signal].signal.cell().stands());
            if changes && slots[slot].may_press() && !world.restless[contact] {
                world.restless[contact] = true;
                world.rouse(contact);
            }
        }
    }
}
