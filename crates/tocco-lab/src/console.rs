// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one place that prints, and the progress bar.

use crate::error::{Error, Result};
use indicatif::{ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
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
    let text = lines(text);
    print(&if text.ends_with('\n') { text } else { text + "\n" })
}

fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|cause| match cause.kind() {
        std::io::ErrorKind::BrokenPipe => Error::Unheard,
        _ => Error::Machine(format!("cannot print: {cause}")),
    })
}

/// Remarks that wait for a slow reader, at most; more are left out.
const MOST_WAITING: usize = 256;

/// The thread that prints remarks, where nobody may wait for a reader.
static BESIDE: OnceLock<SyncSender<Line>> = OnceLock::new();
static LEFT_OUT: AtomicU64 = AtomicU64::new(0);

enum Line {
    Remark(String),
    /// Everything before has been printed.
    Settled(SyncSender<()>),
}

/// From here on remarks are printed by a thread of their own: a pipe that nobody reads holds up nobody. `[control]`
pub fn print_beside() {
    let (send, lines) = sync_channel(MOST_WAITING);
    let print = move || {
        for line in lines {
            match line {
                Line::Remark(text) => print_remark(&text),
                Line::Settled(tell) => drop(tell.try_send(())),
            }
            let left_out = LEFT_OUT.swap(0, Ordering::Relaxed);
            if left_out > 0 {
                print_remark(&format!("{left_out} lines were left out, as nobody read them in time"));
            }
        }
    };
    if std::thread::Builder::new().name("remarks".into()).spawn(print).is_ok() {
        let _ = BESIDE.set(send);
    }
}

/// Waits until the remarks so far are printed, at most so long.
pub fn settle(patience: Duration) {
    let (tell, told) = sync_channel(1);
    if let Some(lines) = BESIDE.get()
        && lines.try_send(Line::Settled(tell)).is_ok()
    {
        let _ = told.recv_timeout(patience);
    }
}

/// Prints a remark that `--quiet` silences.
pub fn remark(text: &str) {
    if QUIET.load(Ordering::Relaxed) {
        return;
    }
    match BESIDE.get() {
        Some(lines) => {
            let left_out = u64::from(lines.try_send(Line::Remark(text.to_owned())).is_err());
            LEFT_OUT.fetch_add(left_out, Ordering::Relaxed);
        }
        None => print_remark(text),
    }
}

fn print_remark(text: &str) {
    let text = lines(text);
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
        let ours = painted("tocco:", RED, is_coloured(&std::io::stderr()));
        let _ = writeln!(std::io::stderr(), "{ours} {}", one_line(&error.to_string()));
    }
}

/// Codes of terminals for what went wrong and what went well.
const RED: &str = "1;31";
const GREEN: &str = "32";

/// True if there is somebody to see colours, and nobody who wants none (`NO_COLOR`, see no-color.org).
fn is_coloured(to: &impl IsTerminal) -> bool {
    let set = |name: &str| std::env::var_os(name).unwrap_or_default();
    to.is_terminal() && set("NO_COLOR").is_empty() && set("TERM") != "dumb"
}

fn painted(word: &str, code: &str, coloured: bool) -> String {
    if coloured { format!("\u{1b}[{code}m{word}\u{1b}[0m") } else { word.to_owned() }
}

/// Prints a line that was asked for, and at its end a verdict, in colour on a terminal.
pub fn verdict(text: &str, word: &str, good: bool) -> Result<()> {
    let word = painted(word, if good { GREEN } else { RED }, is_coloured(&std::io::stdout()));
    print(&format!("{}  {word}\n", lines(text)))
}

/// A character that is not seen, or that changes how others are: control characters, marks of direction, line ends of other
/// kinds, joiners.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Line breaks become blanks, and what is hidden is shown as what it is.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().map(shown).collect::<Vec<String>>().join(" ")
}

/// The name of a file, in a line.
pub fn file(path: &std::path::Path) -> String {
    one_line(&path.display().to_string())
}

/// Lines as they are, and what is hidden in them shown as what it is.
fn lines(text: &str) -> String {
    if !text.contains(|c: char| is_hidden(c) && c != '\n' && c != '\t') {
        return text.to_owned();
    }
    text.split_inclusive(['\n', '\t'])
        .map(|part| {
            let (words, end) =
                part.strip_suffix(['\n', '\t']).map_or((part, ""), |words| (words, &part[words.len()..]));
            shown(words) + end
        })
        .collect()
}

fn shown(text: &str) -> String {
    let one = |c: char| if is_hidden(c) { c.escape_unicode().to_string() } else { c.to_string() };
    text.chars().map(one).collect()
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
        assert_eq!(one_line("a\nb\r\n\tc \u{1b}[31md"), "a b c \\u{1b}[31md");
        assert_eq!(one_line("a\0b\u{202e}c\u{feff}"), "a\\u{0}b\\u{202e}c\\u{feff}");
        assert_eq!(lines("a\tb\nc\u{9b}31m\n"), "a\tb\nc\\u{9b}31m\n");
        assert_eq!(lines("häuser: ü, 音, é\n"), "häuser: ü, 音, é\n");
    }
}
