// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ctrl-C and termination: unfinished files are removed, recordings are kept, and who plays may end by himself first.

use crate::live::reel;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tocco_lab::atomic_file;

/// Someone will end by himself when interrupted; someone has been asked to.
static AWAITED: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);
/// Who was asked has ended.
static OVER: AtomicBool = AtomicBool::new(false);

/// Who was asked to end by himself has so long, whatever a device, a lock or a reader does; then he is ended.
const PATIENCE: Duration = Duration::from_millis(1_400);
/// Recordings are completed within this time, or stay unfinished, for `tocco recover`.
const DISKS: Duration = Duration::from_millis(300);
/// Exit code of a program that was ended because something was stuck.
const STUCK: u8 = 3;

/// From here on the first Ctrl-C only sets [`interrupted`]; the second ends the program.
pub fn end_by_myself() {
    AWAITED.store(true, Ordering::Relaxed);
}

/// True after a Ctrl-C that was awaited by [`end_by_myself`].
pub fn interrupted() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Who was asked to end has done so, everything is kept and the last line is printed.
pub fn over() {
    OVER.store(true, Ordering::Relaxed);
}

/// Asks who plays to end, as the first Ctrl-C does; true if nobody had. The program ends soon after, by itself or not.
pub fn ask() -> bool {
    if ASKED.swap(true, Ordering::Relaxed) {
        return false;
    }
    let late = || {
        std::thread::sleep(PATIENCE);
        if OVER.load(Ordering::Relaxed) {
            return;
        }
        leave(STUCK, "ended, as something does not answer; what was recorded is kept");
    };
    // Without a thread the second Ctrl-C must do.
    let _ = std::thread::Builder::new().name("ending".into()).spawn(late);
    true
}

/// Ends the program at once, without a word to anybody who may be stuck; recordings are kept.
pub fn leave(code: u8, why: &'static str) -> ! {
    reel::keep_all(DISKS);
    atomic_file::remove_unfinished();
    // Nobody may read what is said here; then it is not said.
    let said = std::thread::Builder::new().spawn(move || {
        if ratatui::crossterm::terminal::is_raw_mode_enabled().unwrap_or(false) {
            ratatui::restore();
        }
        if !why.is_empty() {
            use std::io::Write;
            let _ = writeln!(std::io::stderr(), "tocco: {why}");
        }
    });
    if let Ok(said) = said {
        wait_for(&said, Duration::from_millis(50));
    }
    // Not `exit`: what libraries of sound do at the end of a program may wait for a server that is stuck.
    #[cfg(unix)]
    // SAFETY: it takes any number and does not come back.
    unsafe {
        libc::_exit(i32::from(code))
    }
    #[cfg(not(unix))]
    std::process::exit(i32::from(code))
}

/// Waits for a thread, at most so long; false: it goes on alone.
pub fn wait_for<T>(thread: &std::thread::JoinHandle<T>, patience: Duration) -> bool {
    let until = std::time::Instant::now() + patience;
    while !thread.is_finished() {
        if std::time::Instant::now() >= until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    true
}

/// Ctrl-C and termination remove unfinished files, then end the program with 130 as shells expect. Recordings are kept.
pub fn clean_up_when_interrupted() {
    // Without a handler the program still runs; only a hidden .part file could stay behind.
    let _ = ctrlc::set_handler(|| {
        if AWAITED.load(Ordering::Relaxed) && ask() {
            return;
        }
        leave(130, "");
    });
}
