// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernels of sustained contact in vectors of two. Left alone they took half as much time again.

use super::explicit::explicit;
use core::arch::wasm32::*;

/// # Safety
/// Two numbers can be read at `from`.
#[inline(always)]
unsafe fn load2(from: *const f64) -> v128 {
    // SAFETY: by contract; these loads need no alignment.
    unsafe { v128_load(from.cast()) }
}

/// # Safety
/// Two numbers can be written at `to`.
#[inline(always)]
unsafe fn store2(to: *mut f64, value: v128) {
    // SAFETY: by contract; these stores need no alignment.
    unsafe { v128_store(to.cast(), value) }
}

explicit!(lanes2, "simd128", v128, 2, load2, store2, f64x2_splat, f64x2_mul, f64x2_add);
