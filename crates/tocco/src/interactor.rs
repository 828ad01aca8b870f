// SPDX-License-Identifier: MIT OR Apache-2.0
//! Force laws.

pub mod impact;
