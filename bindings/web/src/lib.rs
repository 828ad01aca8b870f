// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tocco for WebAssembly: pages, audio worklets, workers, Node. Its C ABI is that of the C library ([`tocco_c`]), and what only
//! pages need.
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
//! at an address from [`tocco_alloc`]. After any call the module's memory may have grown: make typed-array views anew.

pub mod cracks;
pub mod keys;
pub mod maths;
pub mod phone;
pub mod tank;

pub use tocco_c::*;

/// Answers with the values of function `index` of [`maths`], `maths::COUNT` doubles; none past the last.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_maths(index: u32) {
    answer_numbers(maths::values(index as usize));
}

#[cfg(test)]
mod tests;
