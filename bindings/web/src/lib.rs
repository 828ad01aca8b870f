// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tocco behind a small C ABI, for WebAssembly: pages, audio worklets, workers, Node.
//!
//! [`session`] plays: both halves of `tocco_live` in one instance, on the thread of the sound. A desk on the page that
//! feeds a player in the worklet through their ring would be better, and browsers forbid it: the ring needs memory that two
//! instances share, which a module has only if the standard library was built for threads, and a page only if its server
//! isolates it, which a plain one does not. So gestures go to the worklet as messages, and the desk stands there.
//! What takes long stays on the page all the same: [`names`] checks a scene's text, describes it, and solves touched
//! places from its directory, which the worklet then only copies. [`tank`] computes water in a worker, [`cracks`] the lines that ice breaks along;
//! [`phone`] finds steps in what a phone feels.
//!
//! The ABI is written by hand, because a worklet has no `TextDecoder` and generated glue wants one. Text goes in as UTF-8
//! at an address from [`tocco_alloc`]. A function that can fail returns null or 0 and leaves one line at [`tocco_error`];
//! one that answers in words or numbers leaves them at [`tocco_text`] or [`tocco_numbers`]. Wherever an address comes with
//! a length, the address is not looked at where the length is 0, and may be null. Ticks are doubles because JavaScript's
//! numbers are; a tick in the past means now. After any call the module's memory may have grown: make typed-array views
//! anew.

pub mod cracks;
mod describe;
pub mod keys;
pub mod maths;
pub mod names;
pub mod phone;
pub mod session;
pub mod shipped;
pub mod tank;

use shipped::read;
use std::cell::RefCell;
use std::ptr::{null, null_mut, slice_from_raw_parts_mut};

thread_local! {
    static ERROR: RefCell<String> = const { RefCell::new(String::new()) };
    static TEXT: RefCell<String> = const { RefCell::new(String::new()) };
    static NUMBERS: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

/// Room for `len` bytes, zeroed, where numbers of any kind may stand.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_alloc(len: usize) -> *mut u8 {
    Box::into_raw(vec![0u64; len.div_ceil(8)].into_boxed_slice()).cast()
}

/// Gives the room back.
///
/// # Safety
/// `bytes` came from [`tocco_alloc`] with the same `len` and has not been given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_dealloc(bytes: *mut u8, len: usize) {
    // SAFETY: by contract this is the boxed slice that `tocco_alloc` released.
    drop(unsafe { Box::from_raw(slice_from_raw_parts_mut(bytes.cast::<u64>(), len.div_ceil(8))) });
}

/// Last error as UTF-8; valid until the next call that fails.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_error() -> *const u8 {
    ERROR.with_borrow(|text| text.as_ptr())
}

/// Length of the last error in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_error_len() -> usize {
    ERROR.with_borrow(String::len)
}

/// Last answer in words as UTF-8; valid until the next.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_text() -> *const u8 {
    TEXT.with_borrow(|text| text.as_ptr())
}

/// Length of the last answer in words in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_text_len() -> usize {
    TEXT.with_borrow(String::len)
}

/// Last answer in numbers; valid until the next.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_numbers() -> *const f64 {
    NUMBERS.with_borrow(|numbers| numbers.as_ptr())
}

/// How many numbers that answer has.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_numbers_len() -> usize {
    NUMBERS.with_borrow(Vec::len)
}

/// Answers with the values of function `index` of [`maths`], `maths::COUNT` doubles; none past the last.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_maths(index: u32) {
    NUMBERS.set(maths::values(index as usize));
}

/// The new thing for its owner to free, or null and the error.
fn hand_out<T>(made: Result<T, String>) -> *mut T {
    made.map_or_else(
        |why| {
            ERROR.set(why);
            null_mut()
        },
        |made| Box::into_raw(Box::new(made)),
    )
}

/// # Safety
/// `thing` came from [`hand_out`] and has not been freed, or is null.
unsafe fn free<T>(thing: *mut T) {
    if !thing.is_null() {
        // SAFETY: by contract this is the box that `hand_out` released.
        drop(unsafe { Box::from_raw(thing) });
    }
}

/// 1, or 0 and the error.
fn done(result: Result<(), String>) -> u32 {
    result.map_or_else(
        |why| {
            ERROR.set(why);
            0
        },
        |()| 1,
    )
}

/// # Safety
/// `at` points to `len` values that outlive the use of the result, or `len` is 0.
unsafe fn values<'a, T>(at: *const T, len: usize) -> &'a [T] {
    // SAFETY: by contract; where there are no values the address is not looked at.
    if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(at, len) } }
}

/// # Safety
/// As for [`values`].
unsafe fn utf8<'a>(text: *const u8, len: usize) -> Result<&'a str, String> {
    // SAFETY: the caller's promise is ours.
    std::str::from_utf8(unsafe { values(text, len) }).map_err(|e| format!("the text is not UTF-8: {e}"))
}

/// Address of a slice, null if it is empty.
fn address<T>(values: &[T]) -> *const T {
    if values.is_empty() { null() } else { values.as_ptr() }
}

#[cfg(test)]
mod tests;
