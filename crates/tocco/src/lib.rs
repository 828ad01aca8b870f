// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tocco: the sound of things touching.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr)]

pub mod contact;
pub mod engine;
pub mod hash;
pub mod interactor;
pub mod limiter;
pub mod math;
pub mod midi;
pub mod papers;
pub mod param;
pub mod resonator;
pub mod rng;
pub mod scene;
pub mod texture;
pub mod theory;
pub mod units;

pub use engine::{Command, Engine, Health, Timed};
pub use scene::{Scene, SceneDef, SceneError};

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
