// SPDX-License-Identifier: MIT OR Apache-2.0
//! The `tocco` program.

fn main() -> std::process::ExitCode {
    tocco_host::cli::main(std::env::args_os()).into()
}
