// SPDX-License-Identifier: MIT OR Apache-2.0
//! An allocator that counts what a watched thread asks of it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    pub static WATCHED: Cell<bool> = const { Cell::new(false) };
    pub static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

fn note() {
    if WATCHED.with(Cell::get) {
        COUNT.with(|c| c.set(c.get() + 1));
    }
}

// SAFETY: every call is handed to the system allocator unchanged; counting touches only thread-local integers.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note();
        // SAFETY: the caller's contract is passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note();
        // SAFETY: the caller's contract is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;
