// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ctrl-C and termination: unfinished files are removed, and who plays may end by himself first.

use std::sync::atomic::{AtomicBool, Ordering};
use tocco_lab::atomic_file;

/// Someone will end by himself when interrupted; someone has been asked to.
static AWAITED: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);

/// From here on the first Ctrl-C only sets [`interrupted`]; the second ends the program.
pub fn end_by_myself() {
    AWAITED.store(true, Ordering::Relaxed);
}

/// True after a Ctrl-C that was awaited by [`end_by_myself`].
pub fn interrupted() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Ctrl-C and termination remove unfinished files, then end the program with 130 as shells expect.
pub fn clean_up_when_interrupted() {
    // Without a handler the program still runs; only a hidden .part file could stay behind.
    let _ = ctrlc::set_handler(|| {
        if AWAITED.load(Ordering::Relaxed) && !ASKED.swap(true, Ordering::Relaxed) {
            return;
        }
        atomic_file::remove_unfinished();
        std::process::exit(130);
    });
}
