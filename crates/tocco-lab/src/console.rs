// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one place that prints, and the progress bar.

use crate::error::{Error, Result};
use indicatif::{ProgressDrawTarget, ProgressStyle};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Work shorter than this shows no bar.
const BAR_AFTER: Duration = Duration::from_millis(400);

static QUIET: AtomicBool = AtomicBool::new(false);
static TO_STDERR: AtomicBool = AtomicBool::new(false);

/// Silences remarks and bars; results and errors still print.
pub fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// True if remarks are silenced.
pub fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Sends remarks to stderr because stdout carries sound.
pub fn set_stdout_taken(taken: bool) {
    TO_STDERR.store(taken, Ordering::Relaxed);
}

/// Prints what was asked for, to stdout. A reader that has gone ends the program quietly.
pub fn result(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| if text.ends_with('\n') { Ok(()) } else { out.write_all(b"\n") })
        .and_then(|()| out.flush())
        .map_err(|cause| match cause.kind() {
            std::io::ErrorKind::BrokenPipe => Error::Unheard,
            _ => Error::Machine(format!("cannot print: {cause}")),
        })
}

/// Prints a remark that `--quiet` silences.
pub fn remark(text: &str) {
    if QUIET.load(Ordering::Relaxed) {
        return;
    }
    // A remark nobody can read is no reason to stop.
    let _ = if TO_STDERR.load(Ordering::Relaxed) {
        writeln!(std::io::stderr(), "{text}")
    } else {
        writeln!(std::io::stdout(), "{text}")
    };
}

/// Prints an error: one line on stderr, whatever is inside.
pub fn error(error: &Error) {
    if *error != Error::Unheard {
        let _ = writeln!(std::io::stderr(), "tocco: {}", one_line(&error.to_string()));
    }
}

/// Control characters and line breaks become blanks.
pub fn one_line(text: &str) -> String {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect())
        .collect();
    words.join(" ")
}

/// A bar on stderr that appears once the work turns out to be long, and only on a terminal.
pub struct ProgressBar {
    bar: indicatif::ProgressBar,
    since: Instant,
    shown: AtomicBool,
}

impl ProgressBar {
    /// `total` units of `unit`; zero shows a count without an end.
    pub fn new(total: u64, unit: &str) -> Self {
        let bar = indicatif::ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let template = format!("{{bar:32}} {{pos}}/{{len}} {unit}  {{elapsed}} gone, {{eta}} left  {{msg}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        Self { bar, since: Instant::now(), shown: AtomicBool::new(false) }
    }

    /// So much is done.
    pub fn at(&self, done: u64) {
        self.bar.set_position(done);
        self.show();
    }

    /// There is more to do than was thought.
    pub fn lengthen(&self, by: u64) {
        self.bar.inc_length(by);
    }

    /// One more is done.
    pub fn step(&self, message: &str) {
        self.bar.set_message(message.to_owned());
        self.bar.inc(1);
        self.show();
    }

    fn show(&self) {
        let late = self.since.elapsed() > BAR_AFTER;
        if late && !QUIET.load(Ordering::Relaxed) && !self.shown.swap(true, Ordering::Relaxed) {
            // Draws on a terminal only.
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        }
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_with_line_breaks_and_escapes_stays_one_printable_line() {
        assert_eq!(one_line("a\nb\r\n\tc \u{1b}[31md"), "a b c \u{fffd}[31md");
    }
}
