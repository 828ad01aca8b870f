// SPDX-License-Identifier: MIT OR Apache-2.0
//! What happens to a scene at a tick, in indices: names have been resolved, and applying a command allocates nothing.
//!
//! A front end says what it wants by name, as a [`Gesture`](crate::gesture::Gesture); the scene's directory turns that
//! into a [`Command`]. Commands wait in a [`Queue`], which a render drains: each takes effect once.

use crate::contact::Site;
use crate::math::Real;
use std::collections::VecDeque;

/// A resolved path: where a value goes. Valid for the scene whose directory gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// A parameter or external force, by its place in the directory.
    Slot(usize),
    /// A macro control (`0..1`), or a parameter that stands for another one.
    Control(usize),
}

/// Most values of a [`Command::Trigger`].
pub const MOST_VALUES: usize = 8;

/// Something to do. `S` is what [`Command::Replace`] carries: a scene for the engine, nothing for a scene's own events.
#[derive(Clone, Debug)]
pub enum Command<S> {
    /// A new value for a parameter, force or control; glides as declared.
    Set(Address, Real),
    /// The same with a glide of its own length.
    Glide {
        /// What is set.
        address: Address,
        /// Where it goes.
        value: Real,
        /// How long that takes, s; a parameter of control rate moves at control ticks, so it takes whole intervals.
        glide_s: Real,
    },
    /// The same without a glide, at once: for what is about to be struck.
    Jump(Address, Real),
    /// A value for every sample from here on, of a force or another parameter that moves by the sample; after the last
    /// it stays there. Another command for it ends the stream.
    Stream {
        /// What is moved.
        address: Address,
        /// Its values. The engine takes them, and leaves those of the stream before, which are to be freed.
        values: Option<Box<[Real]>>,
    },
    /// Sets a mass in motion from zero gap.
    Strike {
        /// Index of the mass.
        body: usize,
        /// m/s
        velocity_m_s: Real,
    },
    /// An ideal impulse.
    Hit {
        /// The body and port that get it.
        site: Site,
        /// N s
        impulse_n_s: Real,
    },
    /// A port of a shape is touched at another place from here on; the scene's directory knows the values.
    Touch {
        /// Which port.
        site: Site,
        /// Shape value of every mode there.
        values: Box<[Real]>,
    },
    /// A spare contact joins two sites from here on, or none.
    Join {
        /// Number of the contact.
        contact: usize,
        /// Its two sites, the first of `between` first; `None`: it lets go.
        between: Option<[Site; 2]>,
    },
    /// One thing happens in a process.
    Trigger {
        /// Number of the process.
        process: usize,
        /// What, in the order and the ranges that its kind declares; the rest is 0.
        values: [Real; MOST_VALUES],
    },
    /// Sheds load, or takes it up again.
    Quality {
        /// Most sub-steps, 1 to 64, rounded down to a power of two.
        max_substeps: u32,
        /// Untouched modes are silenced, sixteen at a time, where their energy is so far below that of everything;
        /// -300 dB or less: none.
        drop_below_db: Real,
    },
    /// Everything comes to rest, drives end, external forces and hands stop, scheduled gestures are forgotten.
    Hush,
    /// Another scene from here on, of the same rate and channel count, with at most 4096 parameters or as many as the
    /// engine's first. The old one rings out unheld and comes back by `Engine::retired`; the command keeps a scene only
    /// if that one was refused, or had to make room. Signals must be watched anew.
    Replace {
        /// The new scene; `None` once it has been taken.
        scene: Option<Box<S>>,
        /// True for an edit: time goes on, and what stays keeps sounding. False: the scene begins.
        adopt: bool,
    },
}

impl<S> Command<S> {
    /// All sub-steps, all modes.
    pub const FULL: Self = Command::Quality { max_substeps: 64, drop_below_db: -300.0 };

    /// Another scene, from its beginning. `[control]`
    pub fn replace(scene: S) -> Self {
        Command::Replace { scene: Some(Box::new(scene)), adopt: false }
    }

    /// An edited scene, in which what stays keeps sounding. `[control]`
    pub fn adopt(scene: S) -> Self {
        Command::Replace { scene: Some(Box::new(scene)), adopt: true }
    }

    /// True if dropping it frees memory: that is left to the control side.
    fn holds_memory(&self) -> bool {
        matches!(
            self,
            Command::Touch { .. } | Command::Replace { scene: Some(_), .. } | Command::Stream { values: Some(_), .. }
        )
    }
}

/// A command with its tick.
#[derive(Clone, Debug)]
pub struct Timed<S> {
    /// Sample index since the engine began; a tick that has passed means at once.
    pub at: u64,
    /// What happens there.
    pub command: Command<S>,
}

/// A command that waits, with the number by which its sender knows it.
#[derive(Clone, Debug)]
pub struct Pending<S> {
    /// Tick and command.
    pub timed: Timed<S>,
    /// The sender's own; 0 if it does not ask.
    pub serial: u64,
}

/// Commands that wait for their tick, sorted; those of one tick stay in the order in which they came. A render takes out
/// what it applies, so handing the same queue to every block applies each command once. What a command leaves to be
/// freed (shape values, a scene that was refused) stays in the queue until [`Queue::spent`] fetches it.
#[derive(Debug)]
pub struct Queue<S> {
    pending: VecDeque<Pending<S>>,
    spent: Vec<Command<S>>,
    room: usize,
}

impl<S: Clone> Clone for Queue<S> {
    /// With as much room.
    fn clone(&self) -> Self {
        let mut copy = Self::with_room(self.room);
        copy.pending.extend(self.pending.iter().cloned());
        copy.spent.extend(self.spent.iter().cloned());
        copy
    }
}

impl<S> Default for Queue<S> {
    fn default() -> Self {
        Self { pending: VecDeque::new(), spent: Vec::new(), room: 0 }
    }
}

impl<S> Queue<S> {
    /// An empty queue that grows as it must. `[control]`
    pub fn new() -> Self {
        Self::default()
    }

    /// A queue with room for so many commands, for [`Queue::try_push`]. `[control]`
    pub fn with_room(room: usize) -> Self {
        Self { pending: VecDeque::with_capacity(room), spent: Vec::with_capacity(room), room }
    }

    /// Adds a command, making room if there is none. Frees what was spent before. `[control]`
    pub fn push(&mut self, at: u64, command: Command<S>) {
        self.spent.clear();
        self.room = self.room.max(self.pending.len() + 1);
        self.pending.reserve(1);
        self.spent.reserve(self.room);
        self.insert(at, command, 0);
    }

    /// Adds a command with its sender's number, or hands it back if there is no room. `[audio]`
    pub fn try_push(&mut self, at: u64, command: Command<S>, serial: u64) -> Result<(), Command<S>> {
        if self.pending.len() + self.spent.len() >= self.room {
            return Err(command);
        }
        self.insert(at, command, serial);
        Ok(())
    }

    fn insert(&mut self, at: u64, command: Command<S>, serial: u64) {
        let place = self.pending.partition_point(|other| other.timed.at <= at);
        self.pending.insert(place, Pending { timed: Timed { at, command }, serial });
    }

    /// Commands that wait.
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// True if nothing waits.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// What waits, by tick. `[audio]`
    pub fn iter(&self) -> impl Iterator<Item = &Pending<S>> {
        self.pending.iter()
    }

    /// Tick of the next command. `[audio]`
    pub fn next_at(&self) -> Option<u64> {
        self.pending.front().map(|first| first.timed.at)
    }

    /// Applies the next command if it is due at `tick`; false if none is. What is left of it in memory is kept. `[audio]`
    pub(crate) fn apply_next(&mut self, tick: u64, apply: impl FnOnce(&mut Command<S>)) -> bool {
        if self.next_at().is_none_or(|at| at > tick) {
            return false;
        }
        if let Some(Pending { timed: Timed { mut command, .. }, .. }) = self.pending.pop_front() {
            apply(&mut command);
            self.keep(command);
        }
        true
    }

    /// Takes out what waits for a tick after this one, and tells the serial of each. `[audio]`
    pub fn forget_after(&mut self, tick: u64, mut forgotten: impl FnMut(u64)) {
        while self.pending.back().is_some_and(|last| last.timed.at > tick) {
            if let Some(last) = self.pending.pop_back() {
                forgotten(last.serial);
                self.keep(last.timed.command);
            }
        }
    }

    /// There is room for it: the queue holds no more commands, waiting and spent, than `spent` was made for.
    fn keep(&mut self, command: Command<S>) {
        if command.holds_memory() {
            self.spent.push(command);
        }
    }

    /// A command that has been done, or forgotten, and holds memory to be freed where time does not matter. `[audio]`
    pub fn spent(&mut self) -> Option<Command<S>> {
        self.spent.pop()
    }
}

impl<S> FromIterator<Timed<S>> for Queue<S> {
    fn from_iter<I: IntoIterator<Item = Timed<S>>>(commands: I) -> Self {
        let mut queue = Self::new();
        commands.into_iter().for_each(|Timed { at, command }| queue.push(at, command));
        queue
    }
}

impl<S> From<Vec<Timed<S>>> for Queue<S> {
    fn from(commands: Vec<Timed<S>>) -> Self {
        commands.into_iter().collect()
    }
}

impl<S, const N: usize> From<[Timed<S>; N]> for Queue<S> {
    fn from(commands: [Timed<S>; N]) -> Self {
        commands.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(impulse_n_s: Real) -> Command<()> {
        Command::Hit { site: Site { body: 0, port: 0 }, impulse_n_s }
    }

    fn impulses(queue: &mut Queue<()>, tick: u64) -> Vec<Real> {
        let mut all = Vec::new();
        while queue.apply_next(tick, |command| {
            if let Command::Hit { impulse_n_s, .. } = command {
                all.push(*impulse_n_s);
            }
        }) {}
        all
    }

    #[test]
    fn commands_come_by_tick_and_those_of_one_tick_in_the_order_in_which_they_were_given() {
        let mut queue = Queue::new();
        for (at, value) in [(5, 1.0), (3, 2.0), (5, 3.0), (0, 4.0), (3, 5.0)] {
            queue.push(at, hit(value));
        }
        assert_eq!(impulses(&mut queue, 3), [4.0, 2.0, 5.0]);
        assert_eq!(impulses(&mut queue, 3), [0.0; 0], "what is done is done");
        assert_eq!(impulses(&mut queue, 9), [1.0, 3.0]);
    }

    #[test]
    fn a_full_queue_hands_the_command_back_and_what_was_spent_counts_until_it_is_fetched() {
        let mut queue = Queue::with_room(2);
        let touch = || Command::<()>::Touch { site: Site { body: 0, port: 0 }, values: [1.0].into() };
        assert!(queue.try_push(0, touch(), 1).is_ok() && queue.try_push(1, touch(), 2).is_ok());
        assert!(queue.try_push(2, hit(1.0), 3).is_err());
        while queue.apply_next(5, |_| {}) {}
        assert!(queue.is_empty() && queue.try_push(2, hit(1.0), 3).is_err());
        assert!(queue.spent().is_some() && queue.try_push(2, hit(1.0), 3).is_ok());
    }

    #[test]
    fn what_is_forgotten_is_named_and_kept_for_those_who_free() {
        let mut queue = Queue::with_room(4);
        for (at, serial) in [(1, 11), (2, 12), (3, 13)] {
            let values = [0.0].into();
            queue.try_push(at, Command::<()>::Touch { site: Site { body: 0, port: 0 }, values }, serial).unwrap();
        }
        let mut gone = Vec::new();
        queue.forget_after(1, |serial| gone.push(serial));
        assert_eq!((gone, queue.len()), (vec![13, 12], 1));
        assert!(queue.spent().is_some() && queue.spent().is_some() && queue.spent().is_none());
    }
}
