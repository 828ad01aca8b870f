// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that are written beside the playing, each by a thread of its own: whoever plays never waits for a disk.
//!
//! A reel that cannot be written ends alone: what is on the disk is made valid and kept, and the reason is told. Every reel of the
//! program can be ended at once ([`keep_all`]), whoever else is stuck.

use crate::error::{HostError, Result};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use tocco_lab::recording::Recording;

/// What is written is made valid and brought to the disk so often.
const SETTLE: Duration = Duration::from_millis(500);
/// Bytes that wait for a slow disk, at most.
const MOST_WAITING: usize = 256 << 20;
/// A disk may take so long to complete a file when playing has ended in peace.
const PATIENCE: Duration = Duration::from_secs(60);

/// The reels of this program that are not complete.
static ALL: Mutex<Vec<Weak<Inner>>> = Mutex::new(Vec::new());

/// Ends every reel of the program with what has reached it, and waits so long for their disks. What is not complete by then stays
/// as `NAME.unfinished`, for `tocco recover`.
pub fn keep_all(patience: Duration) {
    let all = ALL.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let until = Instant::now() + patience;
    let all: Vec<_> = all.iter().filter_map(Weak::upgrade).collect();
    all.iter().for_each(|reel| reel.close(Close::Cut));
    all.iter().for_each(|reel| drop(reel.wait(until)));
}

/// How a reel ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Close {
    /// It is complete.
    Complete,
    /// It is cut off: what is good of it is kept.
    Cut,
    /// Nobody wants it.
    Discard,
}

struct State {
    waiting: Vec<u8>,
    close: Option<Close>,
    /// Why it ended early, until that has been told.
    news: Option<HostError>,
    /// It ended early: what comes goes nowhere.
    failed: Option<HostError>,
    done: Option<Result<()>>,
}

struct Inner {
    state: Mutex<State>,
    changed: Condvar,
    /// Bytes that may wait.
    most: usize,
}

impl Inner {
    fn new(most: usize) -> Self {
        let state = State { waiting: Vec::new(), close: None, news: None, failed: None, done: None };
        Self { state: Mutex::new(state), changed: Condvar::new(), most }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self, how: Close) {
        let mut state = self.lock();
        state.close = state.close.or(Some(how));
        self.changed.notify_all();
    }

    /// What came of it; `None`: it was not done in time.
    fn wait(&self, until: Instant) -> Option<Result<()>> {
        let mut state = self.lock();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match &state.done {
                Some(done) => return Some(done.clone()),
                None if left.is_zero() => return None,
                None => state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
            }
        }
    }
}

/// A file that is written by a thread of its own. Dropped, it is cut off, and what is good is kept.
pub struct Reel {
    inner: Arc<Inner>,
    path: PathBuf,
}

/// Where a take goes.
#[derive(Clone)]
pub struct ReelWriter(Arc<Inner>);

impl Reel {
    /// Begins to write.
    pub fn start(recording: Recording) -> Result<Self> {
        Self::with_room(recording, MOST_WAITING)
    }

    /// The same with room for so many bytes that wait for the disk.
    pub fn with_room(recording: Recording, most: usize) -> Result<Self> {
        let inner = Arc::new(Inner::new(most));
        let (path, own) = (recording.target().to_path_buf(), inner.clone());
        let thread = std::thread::Builder::new().name("recording".into()).spawn(move || run(&own, recording));
        thread.map_err(|e| HostError::Machine(format!("no thread to record: {e}")))?;
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|reel| reel.strong_count() > 0);
        all.push(Arc::downgrade(&inner));
        Ok(Self { inner, path })
    }

    /// Its name when it is complete.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where bytes go.
    pub fn writer(&self) -> ReelWriter {
        ReelWriter(self.inner.clone())
    }

    /// Samples for a sound.
    pub fn add(&self, samples: &[f32]) {
        if !samples.is_empty() {
            add(&self.inner, &samples.iter().flat_map(|sample| sample.to_le_bytes()).collect::<Vec<u8>>());
        }
    }

    /// Waits while a disk is far behind: for whoever is faster than sound.
    pub fn breathe(&self) {
        let mut state = self.inner.lock();
        while state.waiting.len() > self.inner.most / 4 && state.failed.is_none() && state.close.is_none() {
            state = self.inner.changed.wait_timeout(state, SETTLE).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Why it has ended early; once.
    pub fn news(&self) -> Option<String> {
        self.inner.lock().news.take().map(|error| error.to_string())
    }

    /// It is complete; or the reason why it had ended early.
    pub fn keep(self) -> Result<()> {
        self.ended(Close::Complete)
    }

    /// It is cut off: what is good of it is kept.
    pub fn cut(self) -> Result<()> {
        self.ended(Close::Cut)
    }

    /// Nothing was played.
    pub fn discard(self) {
        let _ = self.ended(Close::Discard);
    }

    fn ended(&self, how: Close) -> Result<()> {
        self.inner.close(how);
        self.inner.wait(Instant::now() + PATIENCE).unwrap_or_else(|| {
            let path = self.path.display();
            Err(HostError::Machine(format!("{path}: the disk does not answer; see 'tocco recover' later")))
        })
    }
}

impl Drop for Reel {
    fn drop(&mut self) {
        self.inner.close(Close::Cut);
    }
}

fn add(inner: &Inner, bytes: &[u8]) {
    let mut state = inner.lock();
    if state.failed.is_some() || state.close.is_some() {
        return;
    }
    if state.waiting.len() + bytes.len() > inner.most {
        let error = HostError::Machine("the disk is too slow".into());
        (state.news, state.failed) = (Some(error.clone()), Some(error));
    } else {
        state.waiting.extend_from_slice(bytes);
    }
    inner.changed.notify_all();
}

impl Write for ReelWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        add(&self.0, bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes what comes until the end.
fn run(inner: &Inner, mut recording: Recording) {
    let (mut next, mut settled) = (Instant::now() + SETTLE, true);
    let (how, failed) = loop {
        let (bytes, close, failed) = {
            let mut state = inner.lock();
            if state.waiting.is_empty() && state.close.is_none() && state.failed.is_none() {
                let left = next.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
                let left = if settled { SETTLE } else { left };
                state = inner.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
            }
            let taken = (std::mem::take(&mut state.waiting), state.close, state.failed.clone());
            inner.changed.notify_all();
            taken
        };
        let mut done = recording.write(&bytes);
        settled &= bytes.is_empty();
        if done.is_ok() && !settled && Instant::now() >= next {
            done = recording.settle();
            (next, settled) = (Instant::now() + SETTLE, true);
        }
        let error = done.err().map(|e| HostError::writing(recording.target(), &e)).or(failed);
        if let Some(error) = error {
            break (Close::Cut, Some(early(&recording, &error)));
        }
        if let Some(close) = close {
            break (close, None);
        }
    };
    let done = match how {
        Close::Complete => recording.keep(),
        Close::Cut => recording.cut(),
        Close::Discard => {
            recording.discard();
            Ok(())
        }
    };
    let mut state = inner.lock();
    if let Some(error) = failed {
        let error = done.as_ref().err().cloned().unwrap_or(error);
        (state.news, state.failed, state.done) = (Some(error.clone()), Some(error.clone()), Some(Err(error)));
    } else {
        state.done = Some(done);
    }
    inner.changed.notify_all();
}

/// An end that nobody asked for, in words.
fn early(recording: &Recording, error: &HostError) -> HostError {
    let until = match recording.seconds() {
        0.0 => "until its last mark".to_owned(),
        seconds => format!("of {seconds:.1} s"),
    };
    HostError::Machine(format!("{error}; the recording {until} is kept, and the sound goes on"))
}
