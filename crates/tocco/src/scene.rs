// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenes: bodies and contacts wired at run time.
//!
//! A [`SceneDef`] is what a file says; [`Scene::build`] checks it, wires it for one sample rate and makes everything
//! the audio side will need, so that rendering allocates nothing. A scene is three things: its [`Directory`] of names,
//! which front ends ask once and may keep; what moves and sounds (`runtime`); and what it hands over when another scene
//! takes its place (`handover`).

mod blame;
mod build;
mod check;
pub mod def;
pub mod directory;
pub mod document;
pub(crate) mod drive;
pub mod error;
pub(crate) mod grid;
pub mod hammer;
mod handover;
pub mod kinds;
mod loops;
mod moves;
mod pitch;
mod remarks;
mod rest;
mod runtime;
#[cfg(feature = "text")]
pub mod schema;
mod slot;
mod tap;
#[cfg(feature = "text")]
pub mod text;
mod touch;
#[cfg(feature = "text")]
pub mod tree;
mod watch;
mod whole;
mod write;

pub use def::SceneDef;
pub use directory::{ControlInfo, Directory, Output, Probe};
pub use document::{Document, Fetch, FetchedScene, Recording};
pub use error::SceneError;
pub use grid::Happening;
pub(crate) use runtime::Runtime;
pub use slot::FORCE;
pub(crate) use slot::Target;
pub use touch::{Grip, Touch};

use crate::command::Address;
use crate::math::Real;
use crate::param::Spec;
use handover::Lineage;

/// A built scene: everything needed to render at one rate.
#[derive(Clone)]
pub struct Scene {
    pub(crate) directory: Directory,
    pub(crate) runtime: Runtime,
    lineage: Lineage,
    title: String,
    duration: def::Length,
    omitted: Vec<String>,
}

impl Scene {
    /// Its names. `[control]`
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Channels of the output, at least 1.
    pub fn channels(&self) -> usize {
        self.runtime.channels
    }

    /// Makes room for at least so many channels; a scene of one, unless it says where that goes, is then heard on the
    /// first two. `[control]`
    pub fn widen(&mut self, channels: usize) {
        let free = self.directory.outputs().iter().all(|output| !output.written);
        if self.runtime.channels == 1 && channels > 1 && free {
            for tap in &mut self.runtime.taps {
                tap.to[1] = (1, tap.to[0].1);
            }
            self.directory.widen_main();
        }
        self.runtime.channels = self.runtime.channels.max(channels);
        if !self.runtime.bus.is_empty() {
            self.runtime.bus.resize(crate::resonator::CONTROL_TICKS * self.runtime.channels, 0.0);
        }
    }

    /// Hz
    pub fn rate_hz(&self) -> Real {
        self.runtime.rate_hz
    }

    /// For people.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// How long the scene wants to last.
    pub fn duration(&self) -> def::Length {
        self.duration
    }

    /// Tick of the last scheduled gesture or breakpoint.
    pub fn last_cue(&self) -> u64 {
        self.runtime.last_cue()
    }

    /// What this rate cannot hold: modes left out, e.g. "bar: mode 7 (18000 Hz)", and strings that play lower.
    pub fn omitted(&self) -> &[String] {
        &self.omitted
    }

    /// Every live path with its declaration and present value.
    pub fn paths(&self) -> Vec<(String, Spec, Real)> {
        self.directory.paths_with(|slot| self.runtime.slots[slot].value)
    }

    /// Every body that has modes, with its modes as tuned now, in the order given. `[control]`
    pub fn modes(&self) -> Vec<(String, Vec<def::ModeDef>)> {
        let mode = |(freq_hz, decay_s, mass_kg)| def::ModeDef { freq_hz, decay_s, mass_kg };
        let of = |body: &dyn crate::resonator::Resonator| body.modes().into_iter().map(mode).collect::<Vec<_>>();
        let bodies = self.directory.body_entries().iter().zip(&self.runtime.world.bodies);
        let all = bodies.map(|(entry, body)| (entry.name.clone(), of(&**body)));
        all.filter(|(_, modes)| !modes.is_empty()).collect()
    }

    /// Values of the modes' shapes at every port of a body, as declared: one list for each. `[control]`
    pub fn port_shapes(&self, body: usize) -> Vec<Vec<Real>> {
        let Some(body) = self.runtime.world.bodies.get(body) else { return Vec::new() };
        let modes = body.mode_motions(&mut []);
        let shape = |port| {
            let mut values = vec![0.0; modes];
            body.mode_shape(port, &mut values);
            values
        };
        (0..body.ports()).map(shape).collect()
    }

    /// Sets a value before the scene sounds, without glide. A drive on the same path overrides it. `[control]`
    pub fn preset(&mut self, address: Address, value: Real) -> Result<(), SceneError> {
        let Some(spec) = self.directory.spec(address) else {
            return Err(SceneError::new("", "this address belongs to another scene"));
        };
        if !spec.admits(value) {
            let (min, max, unit) = (spec.min, spec.max, spec.unit);
            let what = format!("{value} is out of range; {} takes {min:e} to {max:e} {unit}", spec.id);
            return Err(SceneError::new("", what));
        }
        let moves: Vec<(usize, Real)> = self.directory.moves(address, value).collect();
        for (slot, value) in moves {
            self.runtime.write_slot(slot, value);
            self.runtime.slots[slot].rest_at(value);
            self.directory.declare(slot, value);
        }
        Ok(())
    }
}
