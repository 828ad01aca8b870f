// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything of Tocco that touches a machine: files, terminals, threads, pictures. The program `tocco` is a thin
//! `main` over this library.

pub mod error;
pub mod fresh;
pub mod measure;
pub mod say;
pub mod spectrogram;
pub mod wav;
