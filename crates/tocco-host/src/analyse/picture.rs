// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spectrograms of a recording and of its body, side by side.
