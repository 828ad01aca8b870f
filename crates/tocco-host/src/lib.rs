// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything of Tocco that touches a machine: files, terminals, threads, pictures. The program `tocco` is a thin
//! `main` over this library.

pub mod analyse;
pub mod answers;
pub mod bench;
pub mod check;
pub mod cli;
pub mod crew;
pub mod describe;
pub mod error;
pub mod fresh;
pub mod gallery;
pub mod library;
pub mod live;
pub mod map;
pub mod measure;
pub mod midi;
pub mod osc;
pub mod plot;
pub mod render;
pub mod reproduce;
pub mod say;
pub mod sets;
pub mod spectrogram;
pub mod starter;
pub mod studio;
pub mod sweep;
pub mod tiles;
pub mod tui;
pub mod wav;
