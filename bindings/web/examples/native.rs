// SPDX-License-Identifier: MIT OR Apache-2.0
//! The native side of the bit-identity test.
//!
//! `native maths` writes `NAME COUNT` and a line feed, then the raw little-endian doubles, for each function in turn.

use std::io::Write;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for (index, (name, _)) in tocco_web::maths::FUNCTIONS.iter().enumerate() {
        let values = tocco_web::maths::values(index);
        writeln!(out, "{name} {}", values.len())?;
        for value in values {
            out.write_all(&value.to_le_bytes())?;
        }
    }
    Ok(())
}
