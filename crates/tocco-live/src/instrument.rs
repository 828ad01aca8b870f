// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scene as an instrument: its definition with voices, its parameters under numbers that never change, its state.
//!
//! What a plug-in, a patch or a library needs to know of a scene before it sounds. Playing is by [`Instrument::open`]: the
//! two halves, and [`Notes`] for the thread of the sound.

use crate::error::{Error, Result};
use crate::midi::{Map, voices};
use crate::notes::Notes;
use crate::{Desk, Player, Setup};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tocco::param::Spec;
use tocco::scene::Fetch;
use tocco::{Address, Directory, Document, Scene};

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A `[[control]]` of the scene, 0 to 1: what players should see first.
    Control,
    /// A parameter or force of a body, contact, signal, process or output.
    Own,
    /// Another name of what others set: `hardness_01` stands for `stiffness`.
    Alias,
}

/// A parameter that may move while it sounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// A number that follows from the path alone: the same in every scene, host and version.
    pub id: u32,
    /// Path, or the name of a control.
    pub path: String,
    /// Unit, range, knob law, glide, one sentence.
    pub spec: Spec,
    /// Value before the first tick.
    pub declared: f64,
    /// What it is.
    pub role: Role,
    /// Notes tune or damp it: a host should not show it as a knob.
    pub by_notes: bool,
    /// For [`Command`](tocco::Command)s.
    pub address: Address,
    /// Slots that it sets: two parameters with one in common are names of one thing, and the later value stays.
    pub slots: Vec<usize>,
}

/// A scene that can be played in a host.
pub struct Instrument {
    scene: Document,
    rate_hz: f64,
    channels: usize,
    directory: Directory,
    parameters: Vec<Parameter>,
    /// Ids, sorted, with the place among the parameters.
    by_id: Vec<(u32, usize)>,
    map: Map,
}

impl Instrument {
    /// From text; `fetch` brings recordings and the scenes that are parts, or says in one line why it cannot. `[control]`
    pub fn read(name: &str, origin: &str, text: String, rate_hz: Option<f64>, fetch: impl Fetch) -> Result<Self> {
        let scene = Document::read_with(name, origin, text, fetch);
        let scene = scene.map_err(|error| Error::BadInput(error.with_origin(origin, None)))?;
        Self::new(scene, rate_hz)
    }

    /// With as many voices as its `[midi]` says, at a rate, or the scene's own. `[control]`
    pub fn new(scene: Document, rate_hz: Option<f64>) -> Result<Self> {
        let scene = voices::voiced(scene)?;
        let rate_hz = rate_hz.unwrap_or(scene.def.rate_hz);
        let built = Scene::build(&scene.def, rate_hz).map_err(|error| Error::BadInput(scene.message(&error)))?;
        let (directory, channels) = (built.directory().clone(), built.channels());
        let map = Map::of(&scene.def);
        let parameters = parameters(&directory, &map.paths());
        let mut by_id: Vec<(u32, usize)> = parameters.iter().enumerate().map(|(at, p)| (p.id, at)).collect();
        by_id.sort_unstable();
        Ok(Self { scene, rate_hz, channels, directory, parameters, by_id, map })
    }

    /// The scene with its voices, as text and as data.
    pub fn scene(&self) -> &Document {
        &self.scene
    }

    /// Its names.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Samples a second.
    pub fn rate_hz(&self) -> f64 {
        self.rate_hz
    }

    /// Channels of the sound.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Notes that sound at once.
    pub fn voices(&self) -> usize {
        self.map.places()
    }

    /// What keys, pedals and knobs mean.
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// Everything that may move: the scene's controls first, then parameters and forces, then their other names.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// A parameter by its number, without allocation. `[audio]`
    pub fn parameter(&self, id: u32) -> Option<&Parameter> {
        let at = self.by_id.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.parameters.get(self.by_id[at].1)
    }

    /// A parameter by its path or name; an unknown one is answered with the nearest. `[control]`
    pub fn find(&self, path: &str) -> Result<&Parameter> {
        let address = self.directory.address(path)?;
        let found = self.parameters.iter().find(|parameter| parameter.address == address);
        found.ok_or_else(|| Error::BadInput(format!("no parameter '{path}'")))
    }

    /// The halves that play it, at its rate, and its notes. `[control]`
    pub fn open(&self, setup: Setup) -> Result<(Desk, Player, Notes)> {
        let setup = Setup { rate_hz: Some(self.rate_hz), ..setup };
        let (desk, player) = crate::open(self.scene.clone(), setup)?;
        let notes = Notes::new(&self.scene.def, player.engine().scene(), &self.map);
        Ok((desk, player, notes))
    }
}

/// The number of a path: FNV-1a of its bytes, 32 bit.
pub fn id_of(path: &str) -> u32 {
    path.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn parameters(directory: &Directory, by_notes: &[&str]) -> Vec<Parameter> {
    let controls = directory.controls().into_iter().map(|control| control.name);
    let names = controls.chain(directory.paths().into_iter().map(|(path, ..)| path));
    let mut taken = BTreeSet::new();
    let parameter = |path: String| {
        let address = directory.address(&path).ok()?;
        let (spec, declared) = (directory.spec(address)?, directory.reading(address, |slot| directory.declared(slot))?);
        let role = match address {
            Address::Slot(_) => Role::Own,
            Address::Control(_) if path.contains('/') => Role::Alias,
            Address::Control(_) => Role::Control,
        };
        // Two paths of one scene with one number are less likely than 1 in 500 for the largest; the later one moves on.
        let mut id = id_of(&path);
        while !taken.insert(id) {
            id = id.wrapping_add(1);
        }
        let slots = directory.moves(address, declared).map(|(slot, _)| slot).collect();
        let by_notes = by_notes.contains(&path.as_str());
        Some(Parameter { id, path, spec, declared, role, by_notes, address, slots })
    };
    names.filter_map(parameter).collect()
}

/// What is needed to go on elsewhere: a scene, and what was set in it since it began.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The scene, with its recordings.
    pub scene: Document,
    /// Paths and values; setting them in any order gives the same.
    pub values: Vec<(String, f64)>,
}

impl State {
    /// As text, one JSON object.
    pub fn to_text(&self) -> String {
        json!({ "state": 1, "scene": self.scene.to_json(), "values": self.values }).to_string()
    }

    /// Reads it back; `origin` is how messages call it. `[control]`
    pub fn from_text(text: &str, origin: &str) -> Result<Self> {
        let wrong = |what: &str| Error::BadInput(format!("{origin}: {what}"));
        let all: Value = serde_json::from_str(text).map_err(|error| wrong(&format!("not a state: {error}")))?;
        if all.get("state").and_then(Value::as_u64) != Some(1) {
            return Err(wrong("not a state that this version can read"));
        }
        let scene = all.get("scene").ok_or_else(|| wrong("no scene"))?;
        let scene = Document::from_json(scene, origin).map_err(|what| wrong(&what))?;
        let pair = |pair: &Value| Some((pair.get(0)?.as_str()?.to_owned(), pair.get(1)?.as_f64()?));
        let values = all.get("values").and_then(Value::as_array).and_then(|all| all.iter().map(pair).collect());
        Ok(Self { scene, values: values.ok_or_else(|| wrong("its values are broken"))? })
    }

    /// The halves that go on from it; what it sets comes before what `setup` sets. `[control]`
    pub fn open(self, setup: Setup) -> Result<(Desk, Player)> {
        let Self { scene, mut values } = self;
        values.extend(setup.sets);
        crate::open(scene, Setup { sets: values, ..setup })
    }
}
