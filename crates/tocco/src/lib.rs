// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tocco: the sound of things touching.
//!
//! A scene is bodies, contacts between them, gestures and what is heard. It is read from text or made in code, which is
//! the same; an [`Engine`] renders it.
//!
//! ```
//! use tocco::scene::def::{ImpactDef, MassDef, ShapedDef};
//! use tocco::{Engine, Scene, SceneDef};
//!
//! let def = SceneDef::new()
//!     .body("hammer", MassDef::new(0.01))
//!     .body("bar", ShapedDef::bar("steel", 0.3, 0.03, 0.005).port("tip", &[0.98]))
//!     .contact("hit", ["hammer", "bar.tip"], ImpactDef::hardness(0.5))
//!     .strike(0.0, "hammer", 1.0)
//!     .tap("bar.tip", 0.5);
//!
//! let mut engine = Engine::new(Scene::build(&def, 48_000.0)?);
//! let mut second = vec![0.0; 48_000];
//! engine.render(&mut [], &mut second);
//! assert!(second.iter().any(|x| x.abs() > 0.01));
//!
//! // Whatever is wrong is refused with its place and the reason, as in a text.
//! let wrong = SceneDef::new().body("hammer", MassDef::new(-1.0));
//! let said = Scene::build(&wrong, 48_000.0).err().map(|error| error.to_string());
//! assert_eq!(said.as_deref(), Some("body.hammer.mass_kg: -1 kg is out of range; wants a number from 1e-9 kg to 1e9 kg"));
//! # Ok::<(), tocco::SceneError>(())
//! ```
//!
//! Bodies and laws of your own: [`OwnBody`](scene::def::OwnBody), [`OwnLaw`](scene::def::OwnLaw) and `examples/own_body.rs`.

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
