// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tocco: the sound of things touching.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr)]

pub mod command;
pub mod contact;
pub mod engine;
pub mod gesture;
pub mod hash;
pub mod interactor;
pub mod math;
pub mod papers;
pub mod param;
pub mod resonator;
pub mod rng;
pub mod scene;
pub mod texture;
pub mod theory;
pub mod units;

pub use command::Address;
pub use engine::{Command, Engine, Health, Queue, Timed};
pub use gesture::Gesture;
pub use scene::{Directory, Document, Scene, SceneDef, SceneError};

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
