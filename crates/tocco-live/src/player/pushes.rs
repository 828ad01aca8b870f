// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was pushed on the audio side, as the control half sees it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tocco::{Address, Command, Directory};

/// Where commands that were pushed on the audio side have left parameters, for a control half that looks when it has the
/// time: however many there were, they take up no more room.
pub(crate) struct Pushes {
    /// The bits of each; NaN: not moved since it was last looked at.
    pub values: Box<[AtomicU64]>,
    /// Something was moved.
    pub any: AtomicBool,
    /// A take is being recorded: it is told of every command, by a report.
    pub recorded: AtomicBool,
}

impl Pushes {
    /// For so many parameters. `[control]`
    pub fn new(parameters: usize) -> Self {
        let values = (0..parameters).map(|_| AtomicU64::new(f64::NAN.to_bits())).collect();
        Self { values, any: AtomicBool::new(false), recorded: AtomicBool::new(false) }
    }

    /// What a command moves.
    pub fn keep(&self, directory: &Directory, command: &Command) {
        let Some((address, value)) = setting(directory, command) else { return };
        for (slot, value) in directory.moves(address, value) {
            if let Some(cell) = self.values.get(slot) {
                cell.store(value.to_bits(), Ordering::Relaxed);
            }
        }
        self.any.store(true, Ordering::Release);
    }

    /// Another scene begins: what was moved in the one before has numbers that mean something else now.
    pub fn forget(&self) {
        if self.any.swap(false, Ordering::Acquire) {
            self.values.iter().for_each(|cell| cell.store(f64::NAN.to_bits(), Ordering::Relaxed));
        }
    }

    /// What was moved since this was last asked. `[control]`
    pub fn take(&self) -> impl Iterator<Item = (usize, f64)> {
        let any = self.any.swap(false, Ordering::Acquire);
        let cells = self.values.iter().enumerate().filter(move |_| any);
        let taken = |cell: &AtomicU64| f64::from_bits(cell.swap(f64::NAN.to_bits(), Ordering::Relaxed));
        cells.map(move |(slot, cell)| (slot, taken(cell))).filter(|(_, value)| !value.is_nan())
    }
}

/// What a command sets, and to which value: the engine holds what it is given within its range.
pub(crate) fn setting(directory: &Directory, command: &Command) -> Option<(Address, f64)> {
    let (Command::Set(address, value) | Command::Jump(address, value) | Command::Glide { address, value, .. }) =
        *command
    else {
        return None;
    };
    Some((address, directory.spec(address).map_or(value, |spec| value.clamp(spec.min, spec.max))))
}
