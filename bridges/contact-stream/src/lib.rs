// SPDX-License-Identifier: MIT OR Apache-2.0
//! From the contacts of any physics engine to what is heard of them.
//!
//! A game's physics engine reports, step by step, which things touch. This crate knows no such engine: it takes [`Record`]s and says
//! what happens ([`Stream`]): impacts with their time within the step, speed and mass; sliding, scraping, rolling and rest, with
//! hysteresis. A [`Stage`] plays that on a scene of Tocco, whose bodies, hammers and contacts are all built beforehand: the
//! loudest first, within a budget.
//!
//! ```
//! use tocco::{Engine, Queue, Scene};
//! use tocco_contact_stream::{Kind, Pairs, Pools, Record, Stage, Stream, Surface, Thresholds};
//!
//! let crate_of_wood = Kind::from_text("wood", 4, "type = 'modal'
//!     modes = [{ freq_hz = 210.0, decay_s = 0.06, mass_kg = 0.4 }, { freq_hz = 530.0, decay_s = 0.04, mass_kg = 0.3 }]")?;
//! let mut pairs = Pairs::new(Surface::default());
//! pairs.set(0, 0, Surface { hardness_01: 0.6, ..Surface::default() });
//! let (mut stage, def) = Stage::new(&[crate_of_wood], pairs, Pools::default(), 48_000.0)?;
//! let mut engine = Engine::new(Scene::build(&def, 48_000.0)?);
//! stage.wire(engine.scene().directory())?;
//! let (mut queue, mut stream) = (Queue::new(), Stream::new(Thresholds::default()));
//!
//! // A crate (object 7) falls onto something that makes no sound (object 0).
//! stage.appear(7, 0);
//! let fell = Record { closing_m_s: 2.0, impulse_n_s: 3.0, mass_kg: 1.0, gap_m: 0.01, ..Record::between(7, 0) };
//! let mut events = Vec::new();
//! stream.step(0.0, 1.0 / 60.0, &[fell], &mut events)?;
//! stage.play(1.0 / 60.0, &events, |at, command| queue.push(at, command));
//! let mut sound = [0.0_f32; 4800];
//! engine.render(&[], &mut queue, &mut sound);
//! assert!(sound[..239].iter().all(|x| *x == 0.0), "it touches 5 ms into the step");
//! assert!(sound.iter().any(|x| x.abs() > 1e-4));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod pairs;
mod record;
mod stage;
mod stream;

pub use pairs::{Pairs, Surface};
pub use record::Record;
pub use stage::{Budget, Kind, Played, Pools, Stage};
pub use stream::{Counts, Event, Fault, Motion, Stream, Thresholds, What};

#[doc = include_str!("../../../docs/games.md")]
#[cfg(doctest)]
struct Games;
