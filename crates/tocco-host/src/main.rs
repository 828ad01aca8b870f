//! The `tocco` program.
fn main() {}
