// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tocco behind a C ABI: what `tocco.h` declares, and what pages, worklets and Node call in the WebAssembly module.
//!
//! [`session`] plays: both halves of `tocco_live` behind one handle; functions of the control half and of the audio half may
//! run at the same time on two threads. [`names`] checks a scene's text, describes it, and solves touched places.
//!
//! Text goes in as UTF-8 with its length in bytes, or with [`TOCCO_NUL`] for text that ends with a zero byte. A function that
//! can fail returns null, 0 or NaN and leaves one line at [`tocco_error`], in the words of the program; one that answers in
//! words or numbers leaves them at [`tocco_text`] or [`tocco_numbers`]. These three belong to the calling thread. Wherever an
//! address comes with a length, the address is not looked at where the length is 0, and may be null. Ticks are doubles because
//! JavaScript's numbers are; a tick in the past means now.
//!
//! Nothing unwinds into the caller: what panics inside is a failed call, and the session it happened in is closed.

pub mod names;
pub mod session;
pub mod shipped;

pub use shipped::read;
use std::alloc::{Layout, alloc_zeroed};
use std::cell::RefCell;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{NonNull, null, null_mut, slice_from_raw_parts_mut};

/// As a length: the text ends with a zero byte.
pub const TOCCO_NUL: usize = !0;

thread_local! {
    /// Both with a zero byte behind, or empty.
    static ERROR: RefCell<String> = const { RefCell::new(String::new()) };
    static TEXT: RefCell<String> = const { RefCell::new(String::new()) };
    static NUMBERS: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

/// Room for `len` bytes, zeroed, where numbers of any kind may stand; null if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_alloc(len: usize) -> *mut u8 {
    match Layout::array::<u64>(len.div_ceil(8)) {
        Ok(layout) if layout.size() == 0 => NonNull::<u64>::dangling().as_ptr().cast(),
        // SAFETY: its size is not 0.
        Ok(layout) => unsafe { alloc_zeroed(layout) },
        Err(_) => null_mut(),
    }
}

/// Gives the room back.
///
/// # Safety
/// `bytes` came from [`tocco_alloc`] with the same `len` and has not been given back, or `len` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_dealloc(bytes: *mut u8, len: usize) {
    if len == 0 {
        return;
    }
    // SAFETY: by contract this is what `tocco_alloc` released, laid out as a boxed slice of as many.
    drop(unsafe { Box::from_raw(slice_from_raw_parts_mut(bytes.cast::<u64>(), len.div_ceil(8))) });
}

/// Version of the library, "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn tocco_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Last error of this thread as UTF-8 with a zero byte behind; valid until the next call that fails.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_error() -> *const c_char {
    ERROR.with_borrow(|text| start(text))
}

/// Length of the last error in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_error_len() -> usize {
    ERROR.with_borrow(|text| text.len().saturating_sub(1))
}

/// Last answer in words of this thread as UTF-8 with a zero byte behind; valid until the next.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_text() -> *const c_char {
    TEXT.with_borrow(|text| start(text))
}

/// Length of the last answer in words in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_text_len() -> usize {
    TEXT.with_borrow(|text| text.len().saturating_sub(1))
}

/// Last answer in numbers of this thread; valid until the next.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_numbers() -> *const f64 {
    NUMBERS.with_borrow(|numbers| numbers.as_ptr())
}

/// How many numbers that answer has.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_numbers_len() -> usize {
    NUMBERS.with_borrow(Vec::len)
}

fn start(text: &str) -> *const c_char {
    if text.is_empty() { c"".as_ptr() } else { text.as_ptr().cast() }
}

/// Leaves an error.
pub fn fail(mut why: String) {
    why.push('\0');
    ERROR.set(why);
}

/// Leaves an answer in words.
pub fn answer(mut text: String) {
    text.push('\0');
    TEXT.set(text);
}

/// Leaves an answer in numbers.
pub fn answer_numbers(numbers: Vec<f64>) {
    NUMBERS.set(numbers);
}

/// Runs what a call does; a panic is an error like any other, and nothing unwinds into the caller.
pub fn guarded<T>(run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let what = panic.downcast_ref::<String>().map(String::as_str);
        let what = what.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
        Err(format!("a fault inside the library: {what}"))
    })
}

/// The value, or another one and the error.
pub fn or_fail<T>(run: impl FnOnce() -> Result<T, String>, otherwise: T) -> T {
    guarded(run).unwrap_or_else(|why| {
        fail(why);
        otherwise
    })
}

/// The new thing for its owner to free, or null and the error.
pub fn hand_out<T>(make: impl FnOnce() -> Result<T, String>) -> *mut T {
    or_fail(|| make().map(|made| Box::into_raw(Box::new(made))), null_mut())
}

/// # Safety
/// `thing` came from [`hand_out`] and has not been freed, or is null.
pub unsafe fn free<T>(thing: *mut T) {
    if !thing.is_null() {
        // SAFETY: by contract this is the box that `hand_out` released.
        let thing = unsafe { Box::from_raw(thing) };
        let dropped = move || {
            drop(thing);
            Ok(())
        };
        or_fail(dropped, ());
    }
}

/// 1, or 0 and the error.
pub fn done(run: impl FnOnce() -> Result<(), String>) -> u32 {
    or_fail(|| run().map(|()| 1), 0)
}

/// # Safety
/// `at` points to `len` values that outlive the use of the result, or `len` is 0.
pub unsafe fn values<'a, T>(at: *const T, len: usize) -> &'a [T] {
    // SAFETY: by contract; where there are no values the address is not looked at.
    if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(at, len) } }
}

/// # Safety
/// As for [`values`]; with [`TOCCO_NUL`] a zero byte ends the text.
pub unsafe fn utf8<'a>(text: *const c_char, len: usize) -> Result<&'a str, String> {
    if len != 0 && text.is_null() {
        return Err("there is no text: the address is null".into());
    }
    let bytes = match len {
        // SAFETY: the caller's promise is ours.
        TOCCO_NUL => unsafe { CStr::from_ptr(text) }.to_bytes(),
        // SAFETY: the caller's promise is ours.
        _ => unsafe { values(text.cast::<u8>(), len) },
    };
    std::str::from_utf8(bytes).map_err(|e| format!("the text is not UTF-8: {e}"))
}

/// Address of a slice, null if it is empty.
pub fn address<T>(values: &[T]) -> *const T {
    if values.is_empty() { null() } else { values.as_ptr() }
}
