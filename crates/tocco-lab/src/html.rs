// SPDX-License-Identifier: MIT OR Apache-2.0
//! Text inside pages.

/// Text in which no character is taken for markup.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
