// SPDX-License-Identifier: MIT OR Apache-2.0
//! Studies with Tocco that need no device: scenes to files and pictures, recordings to bodies, sets of stimuli and the
//! answers to them, maps of regimes, the papers' tables and figures, speed.
//!
//! | to | use |
//! |---|---|
//! | load a scene, by file or by the name it ships under | [`library`] |
//! | render it to a WAV file, with probes | [`render`], [`wav`] |
//! | measure and draw what came out | [`measure`], [`spectrogram`], [`plot`], [`tiles`] |
//! | make a body from recordings of strikes | [`analyse`] |
//! | make a body from the surface of a solid | [`mesh`] |
//! | hold a sound against others, or against what recordings have | [`compare`] |
//! | make many sounds: over a grid, or by a design, and judge listeners' answers | [`sweep`], [`sets`], [`answers`] |
//! | draw the crack lines of a scene with ice, with its holes | [`cracks`] |
//! | see where on two parameters a contact sings, slips or is silent | [`map`] |
//! | make somebody walk on a floor, by gait, force plate or recording | [`walk`] |
//! | repeat the papers' tables and figures | [`reproduce`] |
//! | time the engine, beside other programs | [`mod@bench`] |
//!
//! Nothing here opens a sound card, a port or a socket. Files appear whole or not at all ([`atomic_file`]); the same
//! input gives the same bytes on any number of threads ([`parallel`]).

pub mod analyse;
pub mod answers;
pub mod atomic_file;
pub mod bench;
pub mod compare;
pub mod console;
pub mod cracks;
pub mod error;
pub mod fluid;
pub mod haptic;
pub mod html;
pub mod library;
pub mod map;
pub mod measure;
pub mod mesh;
pub mod parallel;
pub mod plot;
pub mod range;
pub mod recording;
pub mod render;
pub mod reproduce;
pub mod sets;
pub mod spectrogram;
pub mod sweep;
pub mod take;
pub mod tiles;
pub mod walk;
pub mod wav;
