// SPDX-License-Identifier: MIT OR Apache-2.0
//! The engine behind a small C ABI, for WebAssembly.

pub mod maths;

use std::cell::RefCell;

thread_local! {
    static MATHS: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

/// Values of function `index` of [`maths`], `maths::COUNT` doubles that stay valid until the next call; null past the end.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_maths(index: u32) -> *const f64 {
    let values = maths::values(index as usize);
    if values.is_empty() {
        return std::ptr::null();
    }
    MATHS.with_borrow_mut(|kept| {
        *kept = values;
        kept.as_ptr()
    })
}
