// SPDX-License-Identifier: MIT OR Apache-2.0
//! Everything of Tocco that touches a machine: sound cards, MIDI ports, OSC, the terminal, the studio page. The program
//! `tocco` is a thin `main` over this library; what needs no device is in [`tocco_lab`], whose modules appear here too.

pub mod check;
pub mod cli;
pub mod describe;
pub mod gallery;
pub mod interrupt;
pub mod live;
pub mod midi;
pub mod osc;
pub mod shoes;
pub mod starter;
pub mod studio;
pub mod tui;

/// What `tocco bench` measures beside the lab's figures: the live half, shoes, and the program as a whole.
pub mod bench {
    pub mod live;
    pub mod program;
    pub mod shoes;
    pub mod web;
}

/// The one error type of the program: the lab's.
pub mod error {
    pub use tocco_lab::error::{Error as HostError, Result, bad, plain};
}

pub use tocco_lab::{
    analyse, answers, atomic_file, console, library, map, measure, parallel, plot, recording, render, reproduce, sets,
    spectrogram, sweep, take, wav,
};
