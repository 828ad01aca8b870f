//! The `tocco` program.
mod bench;
fn main() { println!("{:?}", bench::run(&[])); }
