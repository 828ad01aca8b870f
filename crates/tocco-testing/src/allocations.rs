// SPDX-License-Identifier: MIT OR Apache-2.0
//! An allocator that counts what a watched thread asks of it, and the bytes that all threads hold. A test installs it:
//! `#[global_allocator] static ALLOCATOR: Counting = Counting;`

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, Ordering};

thread_local! {
    static WATCHED: Cell<bool> = const { Cell::new(false) };
    static COUNT: Cell<usize> = const { Cell::new(0) };
}
static HELD: AtomicIsize = AtomicIsize::new(0);

/// The system's allocator with counters.
pub struct Counting;

fn note(bytes: isize) {
    HELD.fetch_add(bytes, Ordering::Relaxed);
    if WATCHED.get() {
        COUNT.set(COUNT.get() + 1);
    }
}

// SAFETY: every call is handed to the system allocator unchanged; counting touches only integers.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size() as isize);
        // SAFETY: the caller's contract is passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(-(layout.size() as isize));
        // SAFETY: the caller's contract is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Does something under watch.
pub fn watched<T>(what: impl FnOnce() -> T) -> T {
    WATCHED.set(true);
    let done = what();
    WATCHED.set(false);
    done
}

/// Allocations and releases of this thread under watch so far.
pub fn count() -> usize {
    COUNT.get()
}

/// Stops the test unless an allocation under watch is counted: a guard that sleeps would let everything pass.
pub fn assert_awake() {
    let before = count();
    let proof = watched(|| String::from("heap"));
    assert!(count() > before, "the guard sees the allocation of {proof}");
}

/// Bytes that all threads hold now.
pub fn held() -> isize {
    HELD.load(Ordering::Relaxed)
}
