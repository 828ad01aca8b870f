// SPDX-License-Identifier: MIT OR Apache-2.0
//! The plug-in in a host: its sound against the engine's, bit for bit, for blocks of any size; knobs, states, presets, bad input.

#[path = "../../hosting.rs"]
mod hosting;
mod knobs;
mod notes;
mod presets;
#[path = "../../../same_notes.rs"]
mod same_notes;
mod window;

use clack_host::prelude::*;
use hosting::{Doing, Host, plugin_by, plugin_in, plugin_of, preset};
use std::path::PathBuf;
use tocco::{Engine, Queue, Scene};
use tocco_lab::library;
use tocco_live::midi::voices;
use tocco_testing::allocations::{Counting, assert_awake, count};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const RATE: f64 = 48_000.0;

fn library() -> PathBuf {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let found = [deps.clone(), deps.parent().unwrap().into()].map(|folder| folder.join("libtocco_clap.so"));
    found.into_iter().find(|file| file.is_file()).expect("the library beside the tests")
}

fn plugin() -> PluginInstance<Host> {
    plugin_of(&library()).unwrap()
}

/// Renders in blocks of these sizes, over and over; both channels of the first port.
fn rendered(
    plugin: &mut PluginInstance<Host>,
    frames: usize,
    blocks: &[usize],
    events: &[(usize, Doing)],
) -> [Vec<f32>; 2] {
    let config = PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: 512 };
    let mut processor = plugin.activate(|_, _| (), config).unwrap().start_processing().unwrap();
    let sound = blockwise(&mut processor, frames, blocks, events);
    plugin.deactivate(processor.stop_processing());
    sound
}

fn blockwise(
    processor: &mut StartedPluginAudioProcessor<Host>,
    frames: usize,
    blocks: &[usize],
    events: &[(usize, Doing)],
) -> [Vec<f32>; 2] {
    hosting::blockwise(processor, frames, blocks, events).unwrap()
}

/// What the program plays with a keyboard that nobody touches, both channels; a mono scene on both.
fn program(name: &str, frames: usize) -> [Vec<f32>; 2] {
    let scene = voices::voiced(library::load(name).unwrap()).unwrap();
    let scene = Scene::build(&scene.def, RATE).unwrap();
    let channels = scene.channels();
    let mut out = vec![0.0; frames * channels];
    Engine::new(scene).render(&[], &mut Queue::new(), &mut out);
    [0, channels - 1].map(|channel| out.iter().skip(channel).step_by(channels).copied().collect())
}

#[track_caller]
fn same(what: &str, heard: &[Vec<f32>; 2], wanted: &[Vec<f32>; 2]) {
    for (heard, wanted) in heard.iter().zip(wanted) {
        let differs = heard.iter().zip(wanted).position(|(a, b)| a.to_bits() != b.to_bits());
        assert!(differs.is_none() && wanted.iter().any(|x| *x != 0.0), "{what} differs at {differs:?}");
    }
}
