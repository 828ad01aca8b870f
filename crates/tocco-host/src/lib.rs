// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything of Tocco that touches a machine: files, terminals, threads, pictures. The program `tocco` is a thin
//! `main` over this library.

pub mod plot;
pub mod reproduce;
