// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tocco: the sound of things touching.
//!
//! Objects are simulated, and what they do is heard: a mass strikes a bar, a bow rubs a string, a coin dances on a
//! plate. A *scene* is bodies, contacts between them, gestures, and what is heard. It is read from text or made in code,
//! which is the same; an [`Engine`] renders it, at any sample rate, without ever making energy.
//!
//! ```
//! use tocco::scene::def::{ImpactDef, MassDef, ShapedDef};
//! use tocco::{Engine, Queue, Scene, SceneDef};
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
//! engine.render(&[], &mut Queue::new(), &mut second);
//! assert!(second.iter().any(|x| x.abs() > 0.01));
//! assert!(engine.energy() <= engine.work(), "there is no more than was brought in");
//!
//! // Whatever is wrong is refused with its place and the reason, as in a text.
//! let wrong = SceneDef::new().body("hammer", MassDef::new(-1.0));
//! let said = Scene::build(&wrong, 48_000.0).err().map(|error| error.to_string());
//! assert_eq!(said.as_deref(), Some("body.hammer.mass_kg: -1 kg is out of range; wants a number from 1e-9 kg to 1e9 kg"));
//! # Ok::<(), tocco::SceneError>(())
//! ```
//!
//! # A tour
//!
//! | to know | read |
//! |---|---|
//! | what a scene can say, kind by kind | [`scene::def`] for the types, [`scene::kinds`] for keys, units and ranges |
//! | how text becomes a scene, with its recordings | [`SceneDef::from_text`], [`Document`] |
//! | how a scene is checked and wired | [`Scene::build`] |
//! | which names it has, and what they stand for | [`Directory`] |
//! | what a player can do, by name | [`Gesture`], with its JSON and OSC forms |
//! | what reaches the engine, by index and tick | [`command`], [`Queue`] |
//! | how samples come out, and what is measured on the way | [`Engine`], [`Health`] |
//! | bodies: masses, modes, shapes, strings, networks | [`resonator`] and the modules in it |
//! | force laws: impact and friction | [`interactor`] |
//! | surfaces that a body slides or rolls over | [`texture`] |
//! | one number over time, and what crackles, crunches and shatters as it says | [`signal`], [`process`] |
//! | rooms, and the air between a sound and its listener | [`output`] |
//! | water in a tank, and what is heard of it; beside the engine, never in it | [`fluid`] |
//! | how contacts that share bodies are solved together | [`contact`] |
//! | how a parameter is declared: unit, range, glide, knob law | [`param`] |
//! | closed forms, and the schemes of the papers, to compare with | [`theory`], [`papers`]; no sample depends on them |
//!
//! Words have one meaning. A *body* moves; a *port* is a place on it, a *site* a body with a port (`bar.tip`). A
//! *contact* joins two sites by a *law*. A *path* names a parameter (`hit/stiffness`), a *control* moves paths by a knob
//! from 0 to 1, a *drive* moves one by itself. A *tap* carries the motion of a site to an *output*, a *probe* reads it.
//!
//! Units are SI and part of a name: `decay_s`, `mass_kg`, `velocity_m_s`; `hardness_01` goes from 0 to 1.
//!
//! # Threads
//!
//! A function whose last words are `[audio]` may be called where sound is made: it neither allocates nor locks, touches
//! no file and no clock, and does not panic. `[control]` marks what may take its time: call it elsewhere. The engine has
//! no thread of its own and no global; `tocco-live` brings the two sides together for programs that play.
//!
//! # Examples and your own parts
//!
//! `examples/` has `strike` (from text to sound), `builder` (a scene in code), `live_edit` (block by block), `probe`
//! (the force of a blow as CSV) and `own_body`: a body and a law that this crate does not know, wired into a scene by
//! [`OwnBody`](scene::def::OwnBody) and [`OwnLaw`](scene::def::OwnLaw).
//!
//! # Features
//!
//! `text` (on by default): scenes and gestures as TOML and JSON. Without it scenes are made in code. `faults`: for trying the tests
//! only, see [`fault`]; it makes engines that are wrong.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr)]

#[macro_use]
pub mod fault;

pub mod command;
pub mod contact;
pub mod engine;
pub mod fluid;
pub mod gait;
pub mod gesture;
pub mod hash;
pub mod interactor;
pub mod math;
pub mod order;
pub mod output;
pub mod papers;
pub mod param;
pub mod process;
pub mod reserve;
pub mod resonator;
pub mod rng;
pub mod scene;
pub mod signal;
pub mod texture;
pub mod theory;
pub mod units;

pub use command::Address;
pub use engine::{Command, Engine, Health, Queue, Timed};
pub use gesture::Gesture;
pub use scene::{Directory, Document, Scene, SceneDef, SceneError};

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/tutorials/rust.md")]
#[doc = include_str!("../../../docs/tutorials/game-developer.md")]
struct Readme;
