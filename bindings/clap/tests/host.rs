// SPDX-License-Identifier: MIT OR Apache-2.0
//! The plug-in in a host: its sound against the engine's, bit for bit, for blocks of any size; knobs, states, presets, bad input.

#[path = "../hosting.rs"]
mod hosting;
#[path = "../../same_notes.rs"]
mod same_notes;

use clack_extensions::audio_ports::{AudioPortInfoBuffer, PluginAudioPorts};
use clack_extensions::gui::{GuiApiType, GuiConfiguration, PluginGui};
use clack_extensions::latency::PluginLatency;
use clack_extensions::note_ports::{NoteDialects, NotePortInfoBuffer, PluginNotePorts};
use clack_extensions::params::{ParamInfoBuffer, PluginParams};
use clack_extensions::preset_discovery::prelude::*;
use clack_extensions::state::PluginState;
use clack_extensions::tail::{PluginTail, TailLength};
use clack_extensions::voice_info::PluginVoiceInfo;
use clack_host::events::event_types::NoteExpressionType;
use clack_host::prelude::*;
use hosting::{Doing, Host, plugin_in, plugin_of, preset};
use same_notes::{NOTES, typed};
use std::ffi::{CStr, CString};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use tocco::{Command, Engine, Queue, Scene, Timed};
use tocco_lab::library;
use tocco_live::midi::{Map, Translator, voices};
use tocco_live::notes::{Note, NoteEvent, Which};
use tocco_live::{Instrument, Session, Setup, When};
use tocco_testing::skip;

const RATE: f64 = 48_000.0;

fn library() -> PathBuf {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let found = [deps.clone(), deps.parent().unwrap().into()].map(|folder| folder.join("libtocco_clap.so"));
    found.into_iter().find(|file| file.is_file()).expect("the library beside the tests")
}

fn plugin() -> PluginInstance<Host> {
    plugin_of(&library()).unwrap()
}

/// What a host hears of presets.
#[derive(Default)]
struct Listed(Vec<String>);

impl MetadataReceiverImpl for Listed {
    fn on_error(&mut self, _: i32, message: Option<&CStr>) {
        panic!("{message:?}");
    }
    fn begin_preset(&mut self, _: Option<&CStr>, key: Option<&CStr>) -> Result<(), HostError> {
        self.0.push(key.unwrap().to_str().unwrap().to_owned());
        Ok(())
    }
    fn add_plugin_id(&mut self, id: UniversalPluginId) {
        assert_eq!(id.id, c"org.tocco.tocco");
    }
    fn set_soundpack_id(&mut self, _: &CStr) {}
    fn set_flags(&mut self, _: Flags) {}
    fn add_creator(&mut self, _: &CStr) {}
    fn set_description(&mut self, _: &CStr) {}
    fn set_timestamps(&mut self, _: Option<Timestamp>, _: Option<Timestamp>) {}
    fn add_feature(&mut self, _: &CStr) {}
    fn add_extra_info(&mut self, _: &CStr, _: &CStr) {}
}

struct Places(usize);

impl IndexerImpl for Places {
    fn declare_filetype(&mut self, _: FileType) -> Result<(), HostError> {
        Ok(())
    }
    fn declare_location(&mut self, info: LocationInfo) -> Result<(), HostError> {
        assert_eq!(info.location, Location::Plugin);
        self.0 += 1;
        Ok(())
    }
    fn declare_soundpack(&mut self, _: Soundpack) -> Result<(), HostError> {
        Ok(())
    }
}

#[test]
fn every_shipped_scene_is_a_preset_that_loads() {
    // SAFETY: the library is ours.
    let entry = unsafe { PluginEntry::load(library()) }.unwrap();
    let info = HostInfo::new("test", "Tocco", "https://localhost", "1").unwrap();
    let mut provider = Provider::instantiate(Places(0), &entry, c"org.tocco.scenes", &info).unwrap();
    let mut listed = Listed::default();
    provider.get_metadata(Location::Plugin, &mut listed);
    let shipped: Vec<&str> = library::SHIPPED.iter().map(|(name, _)| *name).collect();
    assert_eq!(listed.0, shipped);
    let mut plugin = plugin();
    for name in &listed.0 {
        assert!(preset(&mut plugin, name), "{name}");
        let handle = plugin.plugin_handle();
        let ports: PluginAudioPorts = handle.get_extension().unwrap();
        let mut buffer = AudioPortInfoBuffer::new();
        let first = ports.get(&handle, 0, false, &mut buffer).unwrap();
        let outputs = Scene::build(&library::load(name).unwrap().def, RATE).unwrap();
        let outputs = outputs.directory().outputs();
        let named: Vec<&[u8]> = outputs.iter().map(|output| output.name.as_bytes()).collect();
        assert!(named.contains(&first.name) && first.channel_count >= 1, "{name}");
    }
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

#[test]
fn shipped_scenes_sound_as_in_the_program_to_the_last_bit() {
    for name in ["bar", "violin", "marimba"] {
        let mut plugin = plugin();
        assert!(preset(&mut plugin, name));
        same(name, &rendered(&mut plugin, 24_000, &[512], &[]), &program(name, 24_000));
    }
}

#[test]
fn the_same_notes_give_the_same_bits_as_in_the_library() {
    for name in ["bar", "violin", "marimba"] {
        let (channels, out) = typed(name, 48_000);
        let wanted = [0, channels - 1].map(|channel| out.iter().skip(channel).step_by(channels).copied().collect());
        let events = NOTES.map(|(tick, [status, key, velocity])| match status {
            0x90 => (tick as usize, Doing::On(u16::from(key), f64::from(velocity) / 127.0)),
            _ => (tick as usize, Doing::Off(u16::from(key))),
        });
        let mut plugin = plugin();
        assert!(preset(&mut plugin, name));
        same(name, &rendered(&mut plugin, 48_000, &[512], &events), &wanted);
    }
}

fn events() -> Vec<(usize, Doing)> {
    let stiffness = tocco_live::instrument::id_of("hit/stiffness");
    vec![
        (1003, Doing::On(60, 100.0 / 127.0)),
        (2501, Doing::On(67, 0.4321)),
        (4000, Doing::Express(67, NoteExpressionType::Tuning, 1.5)),
        (4001, Doing::Express(60, NoteExpressionType::Brightness, 0.9)),
        (5000, Doing::Turn(stiffness, 0.25)),
        (5000, Doing::On(72, 1.0)),
        (7777, Doing::Off(60)),
        (9000, Doing::Choke(67)),
    ]
}

#[test]
fn notes_expressions_and_knobs_fall_on_their_samples_for_blocks_of_any_size() {
    let instrument = Instrument::new(library::load("bar").unwrap(), Some(RATE)).unwrap();
    let setup = Setup { limiter: false, watch_load: false, ..Setup::default() };
    let (_desk, mut player, mut notes) = instrument.open(setup).unwrap();
    let on = |key: u8, velocity_01: f64| NoteEvent::On {
        note: Note { id: i32::from(key), channel: 0, key },
        velocity_01,
        tuning: 0.0,
    };
    let which = |key: u8| Which { id: Some(i32::from(key)), channel: Some(0), key: Some(key) };
    let knobs = tocco_clap::knobs::knobs(&instrument);
    let knob = knobs.iter().find(|knob| knob.path == "hit/stiffness").unwrap();
    assert_eq!(knob.addresses.len(), instrument.voices(), "every voice has its copy");
    notes.play(on(60, 100.0 / 127.0), 1003, &mut player);
    notes.play(on(67, 0.4321), 2501, &mut player);
    notes.play(NoteEvent::Tune(which(67), 1.5), 4000, &mut player);
    notes.play(NoteEvent::Brighten(which(60), 0.9), 4001, &mut player);
    for address in &knob.addresses {
        assert!(player.push(Timed { at: 5000, command: Command::Set(*address, knob.value(0.25)) }).is_ok());
    }
    notes.play(on(72, 1.0), 5000, &mut player);
    notes.play(NoteEvent::Off(which(60)), 7777, &mut player);
    notes.play(NoteEvent::Choke(which(67)), 9000, &mut player);
    let mut wanted = vec![0.0; 12_000];
    player.play(&[], &mut wanted);
    let wanted = [wanted.clone(), wanted];
    for blocks in [&[1][..], &[32], &[512], &[1, 4096, 17, 700, 64, 3]] {
        let mut plugin = plugin();
        same(&format!("{blocks:?}"), &rendered(&mut plugin, 12_000, blocks, &events()), &wanted);
    }
}

#[test]
fn an_inlet_of_a_scene_is_a_knob_whose_turn_is_heard_within_two_milliseconds() {
    let instrument = Instrument::new(library::load("crisps").unwrap(), Some(RATE)).unwrap();
    let knobs = tocco_clap::knobs::knobs(&instrument);
    let inlet = knobs.iter().find(|knob| ["press", "squeeze/value"].contains(&&*knob.path)).unwrap();
    let id = tocco_live::instrument::id_of(&inlet.path);
    let events = [(0, Doing::Turn(id, 0.0)), (12_000, Doing::Turn(id, 1.0))];
    let mut plugin = plugin();
    assert!(preset(&mut plugin, "crisps"));
    let [left, _] = rendered(&mut plugin, 24_000, &[64], &events);
    let first = left.iter().position(|x| *x != 0.0).unwrap();
    // 2 ms and a block; its smoothing of 10 ms is the scene's own.
    assert!((12_000..12_000 + 96 + 64).contains(&first), "{first}");
    assert!(left[12_000..].iter().any(|x| x.abs() > 1e-3));
}

#[test]
fn forty_thousand_turns_of_a_knob_that_nobody_looks_at_silence_nothing_and_the_last_one_is_told() {
    let id = tocco_live::instrument::id_of("hit/stiffness");
    let turn = |n: usize| 0.25 + 0.5 * (n % 1000) as f64 / 1000.0;
    let turns: Vec<(usize, Doing)> = (0..40_000).map(|n| (n, Doing::Turn(id, turn(n)))).collect();
    let mut plugin = plugin();
    let config = PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: 512 };
    let mut processor = plugin.activate(|_, _| (), config).unwrap().start_processing().unwrap();
    // The first block holds what the scene plays by itself; then it rests.
    for block in turns.chunks(500) {
        let from = block[0].0;
        let block: Vec<_> = block.iter().map(|(at, doing)| (at - from, doing.clone())).collect();
        blockwise(&mut processor, 500, &[500], &block);
    }
    let [before, _] = blockwise(&mut processor, 9600, &[500], &[]);
    let [after, _] = blockwise(&mut processor, 9600, &[500], &[(100, Doing::On(72, 1.0))]);
    let asked = plugin.access_shared_handler(|shared| shared.callbacks.load(Relaxed));
    let loudest = |sound: &[f32]| sound.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    assert!(
        loudest(&after) > 10.0 * loudest(&before[4800..]),
        "{} after {}",
        loudest(&after),
        loudest(&before[4800..])
    );
    let handle = plugin.plugin_handle();
    let params: PluginParams = handle.get_extension().unwrap();
    let value = params.get_value(&handle, ClapId::new(id)).unwrap();
    assert!((value - turn(39_999)).abs() < 1e-12, "{value}");
    // About four times a second, 59 200 samples.
    assert!((4..=5).contains(&asked), "{asked}");
    plugin.deactivate(processor.stop_processing());
}

#[test]
fn words_of_knobs_mean_what_they_say_in_every_preset() {
    let mut plugin = plugin();
    for (name, _) in library::SHIPPED {
        assert!(preset(&mut plugin, name));
        let handle = plugin.plugin_handle();
        let params: PluginParams = handle.get_extension().unwrap();
        let mut buffer = ParamInfoBuffer::new();
        assert!(params.count(&handle) > 0, "{name}");
        for index in 0..params.count(&handle) {
            let info = params.get_info(&handle, index, &mut buffer).unwrap();
            assert_eq!(info.id.get(), tocco_live::instrument::id_of(std::str::from_utf8(info.name).unwrap()));
            for step in 0..=20 {
                let value = f64::from(step) / 20.0;
                let said = |value: f64| {
                    let mut room = [0; 256];
                    let text = params.value_to_text(&handle, info.id, value, &mut room).unwrap();
                    CString::new(text.to_vec()).unwrap()
                };
                let read = |text: &CString| {
                    let value = params.text_to_value(&handle, info.id, text);
                    value.unwrap_or_else(|| panic!("{:?}: {text:?}", String::from_utf8_lossy(info.name)))
                };
                let text = said(value);
                let meant = read(&text);
                assert_eq!((said(meant), read(&said(meant))), (text.clone(), meant), "{:?}", info.name);
                assert_eq!(meant as f32, value as f32, "{text:?}");
            }
            assert_eq!(params.text_to_value(&handle, info.id, c"much"), None);
            assert_eq!(params.text_to_value(&handle, info.id, c"NaN"), None);
        }
    }
}

#[test]
fn a_state_goes_on_elsewhere_and_bad_ones_change_nothing() {
    let mut plugin = plugin();
    assert!(preset(&mut plugin, "felt"));
    let id = tocco_live::instrument::id_of("hardness");
    rendered(&mut plugin, 4800, &[64], &[(100, Doing::Turn(id, 0.25))]);
    let mut state = Vec::new();
    {
        let handle = plugin.plugin_handle();
        let (states, params): (PluginState, PluginParams) =
            (handle.get_extension().unwrap(), handle.get_extension().unwrap());
        states.save(&handle, &mut state).unwrap();
        for bad in [&b"{"[..], b"{\"state\": 9}", b"\xff\xff"] {
            let mut bad = bad;
            assert!(states.load(&handle, &mut bad).is_err());
        }
        let value = params.get_value(&handle, ClapId::new(id)).unwrap();
        assert!((value - 0.25).abs() < 1e-12, "{value}");
    }
    let said = plugin.access_shared_handler(|shared| shared.said.lock().unwrap().clone());
    for words in ["state: not a state: EOF", "state: not a state that this version can read", "valid UTF-8"] {
        assert!(said.iter().any(|line| line.contains(words)), "{words}: {said:?}");
    }
    assert!(!preset(&mut plugin, "barr") && !preset(&mut plugin, ""));
    let mut other = self::plugin();
    let handle = other.plugin_handle();
    let (states, params): (PluginState, PluginParams) =
        (handle.get_extension().unwrap(), handle.get_extension().unwrap());
    states.load(&handle, &mut &state[..]).unwrap();
    let value = params.get_value(&handle, ClapId::new(id)).unwrap();
    assert!((value - 0.25).abs() < 1e-12, "{value}");
    let mut again = Vec::new();
    states.save(&handle, &mut again).unwrap();
    assert_eq!(state, again);
    // Nor is it forgotten when it plays.
    rendered(&mut other, 4800, &[64], &[]);
    let handle = other.plugin_handle();
    let mut played = Vec::new();
    states.save(&handle, &mut played).unwrap();
    assert_eq!(state, played);
}

/// The state of a plug-in.
fn saved(plugin: &mut PluginInstance<Host>) -> Vec<u8> {
    let handle = plugin.plugin_handle();
    let states: PluginState = handle.get_extension().unwrap();
    let mut state = Vec::new();
    states.save(&handle, &mut state).unwrap();
    state
}

fn load(plugin: &mut PluginInstance<Host>, mut state: &[u8]) {
    let handle = plugin.plugin_handle();
    let states: PluginState = handle.get_extension().unwrap();
    states.load(&handle, &mut state).unwrap();
}

#[test]
fn a_state_still_on_its_way_when_the_host_stops_is_what_sounds_after_it_starts_again() {
    let id = tocco_live::instrument::id_of("hardness");
    let mut other = plugin();
    rendered(&mut other, 4800, &[64], &[(100, Doing::Turn(id, 0.25))]);
    let state = saved(&mut other);
    let mut fresh = plugin();
    load(&mut fresh, &state);
    let wanted = rendered(&mut fresh, 9600, &[512], &[]);
    let mut plugin = plugin();
    let config = PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: 512 };
    let mut processor = plugin.activate(|_, _| (), config).unwrap().start_processing().unwrap();
    blockwise(&mut processor, 4800, &[512], &[]);
    // The same scene with another value: its knobs are as many as before.
    load(&mut plugin, &state);
    plugin.deactivate(processor.stop_processing());
    assert_eq!(saved(&mut plugin), state);
    same("the state", &rendered(&mut plugin, 9600, &[512], &[]), &wanted);
    assert!(wanted != program("bar", 9600), "the state sounds like the scene");
}

const TWO_OUTPUTS: &str = "body.hammer = { type = 'mass', mass_kg = 0.01, velocity_m_s = 1.0 }\n\
    body.bar = { type = 'modal', modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }] }\n\
    contact.hit = { type = 'impact', between = ['hammer', 'bar'], stiffness = 1e8 }\n\
    tap = [{ of = 'bar', gain = 0.3 }, { of = 'bar', gain = 0.1, to = 'shaker' }]\n\
    output.main = { channels = [0] }\noutput.shaker = { channels = [1] }\n";

#[test]
fn another_preset_takes_over_while_the_one_before_fades_without_a_gap() {
    let mut plugin = plugin();
    let config = PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: 512 };
    let mut processor = plugin.activate(|_, _| (), config).unwrap().start_processing().unwrap();
    let before = blockwise(&mut processor, 4800, &[512], &[]);
    assert!(preset(&mut plugin, "felt"));
    let after = blockwise(&mut processor, 9600, &[512], &[]);
    // One on two channels takes over as well: ports of this shape are there.
    assert!(preset(&mut plugin, "violin"));
    let bowed = blockwise(&mut processor, 24_000, &[512], &[]);
    // Other ports wait for the host to stop, and it is asked to; what sounds goes on.
    let asked = |plugin: &PluginInstance<Host>| plugin.access_shared_handler(|shared| shared.restarts.load(Relaxed));
    let before_that = asked(&plugin);
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("two-outputs.toml");
    std::fs::write(&file, TWO_OUTPUTS).unwrap();
    {
        let handle = plugin.plugin_handle();
        let load: PluginPresetLoad = handle.get_extension().unwrap();
        let path = CString::new(file.to_str().unwrap()).unwrap();
        load.load_from_location(&handle, Location::File { path: &path }, None).unwrap();
    }
    assert!(asked(&plugin) > before_that);
    let still = blockwise(&mut processor, 9600, &[512], &[]);
    plugin.deactivate(processor.stop_processing());
    let bar = program("bar", 9600);
    same("before", &before, &bar.each_ref().map(|channel| channel[..4800].to_vec()));
    let (felt, violin) = (program("felt", 19_200), program("violin", 33_600));
    // In the first 10 ms both are heard: their sum, the one before ever softer.
    for (at, sample) in after[0].iter().take(480).enumerate() {
        let gain = (480 - at) as f32 / 480.0;
        assert_eq!(sample.to_bits(), (felt[0][at] + gain * bar[0][4800 + at]).to_bits(), "{at}");
        for (side, bowed) in bowed.iter().enumerate() {
            let sum = violin[side][at] + gain * felt[side][9600 + at];
            assert_eq!(bowed[at].to_bits(), sum.to_bits(), "channel {side}, {at}");
        }
    }
    assert!(bar[0][4800..5280].iter().any(|x| x.abs() > 1e-4) && felt[1][9600..10_080].iter().any(|x| *x != 0.0));
    let rest = |all: &[Vec<f32>; 2], from: usize, to: usize| all.each_ref().map(|channel| channel[from..to].to_vec());
    same("after", &rest(&after, 480, 9600), &rest(&felt, 480, 9600));
    same("bowed", &rest(&bowed, 480, 24_000), &rest(&violin, 480, 24_000));
    same("still", &still, &rest(&violin, 24_000, 33_600));
    let heard = rendered(&mut plugin, 4800, &[100], &[]);
    assert!(heard[0].iter().any(|x| *x != 0.0), "the scene that waited");
    let handle = plugin.plugin_handle();
    let ports: PluginAudioPorts = handle.get_extension().unwrap();
    assert_eq!(ports.count(&handle, false), 2);
}

#[test]
fn a_host_that_restarts_as_soon_as_it_is_asked_to_hears_the_scene_before_fade_out_first() {
    let mut plugin = plugin();
    let config = PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: 512 };
    let mut processor = plugin.activate(|_, _| (), config).unwrap().start_processing().unwrap();
    blockwise(&mut processor, 4800, &[512], &[]);
    assert!(preset(&mut plugin, "felt"));
    let asked = |plugin: &PluginInstance<Host>| plugin.access_shared_handler(|shared| shared.restarts.load(Relaxed));
    let mut sound = Vec::new();
    while asked(&plugin) == 0 && sound.len() < 9600 {
        sound.extend_from_slice(&blockwise(&mut processor, 64, &[64], &[])[0]);
    }
    plugin.deactivate(processor.stop_processing());
    // As soon as the 10 ms are over: its knobs are others, and the host does not know them yet.
    assert_eq!((asked(&plugin), sound.len()), (1, 576));
    let (bar, felt) = (program("bar", 5376), program("felt", 5376));
    for (at, sample) in sound.iter().enumerate() {
        let gain = 480_usize.saturating_sub(at) as f32 / 480.0;
        assert_eq!(*sample, felt[0][at] + gain * bar[0][4800 + at], "{at}");
    }
    assert!(bar[0][4800..5280].iter().any(|x| x.abs() > 1e-4));
    // And it goes on where it was, unasked.
    let after = rendered(&mut plugin, 4800, &[64], &[]);
    same("after", &after, &felt.each_ref().map(|channel| channel[576..].to_vec()));
    assert_eq!(asked(&plugin), 1);
}

#[test]
fn a_host_is_told_of_other_ports_and_knobs_when_it_has_stopped_and_not_before() {
    let mut plugin = plugin();
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("other-ports.toml");
    std::fs::write(&file, TWO_OUTPUTS).unwrap();
    let load_file = |plugin: &mut PluginInstance<Host>| {
        let handle = plugin.plugin_handle();
        let load: PluginPresetLoad = handle.get_extension().unwrap();
        let path = CString::new(file.to_str().unwrap()).unwrap();
        load.load_from_location(&handle, Location::File { path: &path }, None).unwrap();
    };
    // Lists that only a host that has stopped may renew.
    let lists = |plugin: &PluginInstance<Host>| {
        let mut said = plugin.access_shared_handler(|shared| std::mem::take(&mut *shared.said.lock().unwrap()));
        said.retain(|line| line.starts_with("ports") || line.starts_with("knobs all"));
        said.iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect::<Vec<String>>()
    };
    let config = PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: 512 };
    let mut processor = plugin.activate(|_, _| (), config).unwrap().start_processing().unwrap();
    blockwise(&mut processor, 4800, &[512], &[]);
    load_file(&mut plugin);
    // Another before the host has stopped, with the ports that it has: it waits as well, and the first one still sounds.
    assert!(preset(&mut plugin, "felt"));
    let still = blockwise(&mut processor, 4800, &[512], &[]);
    let bar = program("bar", 9600);
    same("still", &still, &bar.each_ref().map(|channel| channel[4800..].to_vec()));
    load_file(&mut plugin);
    assert_eq!(lists(&plugin), Vec::<String>::new(), "while it runs");
    plugin.deactivate(processor.stop_processing());
    assert_eq!(lists(&plugin), ["ports", "knobs"], "when it has stopped");
    // While it stands still, at once.
    assert!(preset(&mut plugin, "felt"));
    assert_eq!(lists(&plugin), ["ports", "knobs"]);
    same("felt", &rendered(&mut plugin, 4800, &[512], &[]), &program("felt", 4800));
}

#[test]
fn each_output_of_a_scene_is_a_port_of_its_name_with_the_engine_s_channels() {
    let text = TWO_OUTPUTS.replace("main = { channels = [0]", "main = { channels = [1]");
    let text = text.replace("shaker = { channels = [1]", "shaker = { channels = [0]");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("named-outputs.toml");
    std::fs::write(&file, &text).unwrap();
    let mut plugin = plugin();
    {
        let handle = plugin.plugin_handle();
        let load: PluginPresetLoad = handle.get_extension().unwrap();
        let path = CString::new(file.to_str().unwrap()).unwrap();
        load.load_from_location(&handle, Location::File { path: &path }, None).unwrap();
    }
    let def = tocco::SceneDef::from_text(&text).unwrap();
    let scene = Scene::build(&def, RATE).unwrap();
    let wide = scene.channels();
    let outputs = scene.directory().outputs().to_vec();
    let mut frames = vec![0.0; 4800 * wide];
    Engine::new(scene).render(&[], &mut Queue::new(), &mut frames);
    let handle = plugin.plugin_handle();
    let ports: PluginAudioPorts = handle.get_extension().unwrap();
    let named = |index: u32| {
        let mut buffer = AudioPortInfoBuffer::new();
        let port = ports.get(&handle, index, false, &mut buffer).unwrap();
        (String::from_utf8_lossy(port.name).into_owned(), port.channel_count as usize)
    };
    let named: Vec<(String, usize)> = (0..ports.count(&handle, false)).map(named).collect();
    assert_eq!(named.len(), 2, "{named:?}");
    let config = PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: 512 };
    let mut processor = plugin.activate(|_, _| (), config).unwrap().start_processing().unwrap();
    let mut heard: Vec<Vec<Vec<f32>>> = named.iter().map(|(_, channels)| vec![vec![0.0; 4800]; *channels]).collect();
    let mut buses = AudioPorts::with_capacity(4, 2);
    for from in (0..4800).step_by(480) {
        let mut parts: Vec<Vec<&mut [f32]>> = heard
            .iter_mut()
            .map(|port| port.iter_mut().map(|channel| &mut channel[from..from + 480]).collect())
            .collect();
        let mut out = buses.with_output_buffers(parts.iter_mut().map(|port| AudioPortBuffer {
            latency: 0,
            channels: AudioPortBufferType::f32_output_only(port.iter_mut().map(|channel| &mut **channel)),
        }));
        let (nothing, mut ended) = (EventBuffer::new(), EventBuffer::new());
        let input = InputAudioBuffers::empty();
        processor.process(&input, &mut out, &nothing.as_input(), &mut ended.as_output(), None, None).unwrap();
    }
    plugin.deactivate(processor.stop_processing());
    for ((name, _), port) in named.iter().zip(&heard) {
        let output = outputs.iter().find(|output| output.name == *name).unwrap();
        assert_eq!(port.len(), output.channels.len(), "{name}");
        for (channel, heard) in output.channels.iter().zip(port) {
            let wanted = frames.iter().skip(*channel).step_by(wide).copied();
            assert!(wanted.clone().any(|x| x != 0.0) && wanted.eq(heard.iter().copied()), "{name}, channel {channel}");
        }
    }
    assert!(heard[0][0] != heard[1][0], "each has its own gain");
}

#[test]
fn a_host_that_resets_hears_silence_and_after_a_new_start_the_scene_from_its_beginning() {
    let mut plugin = plugin();
    let config = PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: 512 };
    let mut processor = plugin.activate(|_, _| (), config).unwrap().start_processing().unwrap();
    assert!(blockwise(&mut processor, 4800, &[512], &[])[0].iter().any(|x| *x != 0.0));
    let mut processor = processor.stop_processing();
    processor.reset();
    let mut processor = processor.start_processing().unwrap();
    assert!(blockwise(&mut processor, 4800, &[512], &[])[0].iter().all(|x| *x == 0.0));
    plugin.deactivate(processor.stop_processing());
    same("anew", &rendered(&mut plugin, 9600, &[512], &[]), &program("bar", 9600));
}

#[test]
fn rates_from_8_to_384_khz_run_and_others_are_refused() {
    for rate in [8_000.0, 44_100.0, 384_000.0, 768_000.0, 100.0, 0.0, f64::NAN, 48_000.0] {
        let mut plugin = plugin();
        let config = PluginAudioConfiguration { sample_rate: rate, min_frames_count: 1, max_frames_count: 64 };
        let active = plugin.activate(|_, _| (), config);
        assert_eq!(active.is_ok(), (8_000.0..=384_000.0).contains(&rate), "{rate}");
        if let Ok(processor) = active {
            let mut processor = processor.start_processing().unwrap();
            blockwise(&mut processor, 6400, &[64], &[(0, Doing::On(60, 1.0)), (1, Doing::Turn(7, 0.5))]);
            plugin.deactivate(processor.stop_processing());
        } else {
            let said = plugin.access_shared_handler(|shared| shared.said.lock().unwrap().join("\n"));
            let words = format!("{rate} Hz is out of range; wants 8000 to 384000 Hz");
            assert!(said.contains(&words), "{words}: {said}");
        }
    }
}

/// A plug-in with a scene from a file.
fn with_scene(name: &str, text: &str) -> PluginInstance<Host> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, text).unwrap();
    let mut plugin = plugin();
    {
        let handle = plugin.plugin_handle();
        let load: PluginPresetLoad = handle.get_extension().unwrap();
        let path = CString::new(file.to_str().unwrap()).unwrap();
        load.load_from_location(&handle, Location::File { path: &path }, None).unwrap();
    }
    plugin
}

#[test]
fn pressure_of_a_note_moves_what_the_scene_s_midi_table_says_from_its_sample_on() {
    let text = "body.hammer = { type = 'mass', mass_kg = 0.01, position_m = -1.0 }\n\
        body.bar = { type = 'modal', modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }] }\n\
        contact.hit = { type = 'impact', between = ['hammer', 'bar'], stiffness = 1e8 }\n\
        tap = [{ of = 'bar', gain = 0.3 }]\n\
        control = [{ name = 'heavy', path = 'hammer/mass_kg', range = [0.005, 0.05], scale = 'log' }]\n\
        [midi]\nnotes = 'pitch'\nstrike = 'hammer'\nretune = 'bar'\nvoices = 2\npressure = 'heavy'\n";
    let scene = tocco::Document::read("pressure", "here", text.into(), |_| Err("none".into())).unwrap();
    let setup = Setup { limiter: false, watch_load: false, ..Setup::default() };
    let (_desk, mut player, mut notes) = Instrument::new(scene, Some(RATE)).unwrap().open(setup).unwrap();
    let on = NoteEvent::On { note: Note { id: 69, channel: 0, key: 69 }, velocity_01: 0.8, tuning: 0.0 };
    let which = Which { id: Some(69), channel: Some(0), key: Some(69) };
    for (event, at) in [(on, 100), (NoteEvent::Press(which, 0.9), 2001), (on, 4800)] {
        assert!(notes.play(event, at, &mut player));
    }
    let mut wanted = vec![0.0; 9600];
    player.play(&[], &mut wanted);
    let press = Doing::Express(69, NoteExpressionType::Pressure, 0.9);
    let pressed = [(100, Doing::On(69, 0.8)), (2001, press), (4800, Doing::On(69, 0.8))];
    let untouched = [pressed[0].clone(), pressed[2].clone()];
    let [left, _] = rendered(&mut with_scene("untouched.toml", text), 9600, &[512], &untouched);
    assert!(left[..4800] == wanted[..4800] && left[4800..] != wanted[4800..], "a heavier hammer sounds alike");
    let heard = rendered(&mut with_scene("pressure.toml", text), 9600, &[512], &pressed);
    same("pressed", &heard, &[wanted.clone(), wanted]);
}

#[test]
fn a_scene_that_listens_hears_what_comes_in_at_its_port() {
    let text = "body.bar = { type = 'modal', modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }] }\n\
        drive = [{ path = 'bar/force_n', input = 0, gain = 2.0 }]\ntap = [{ of = 'bar', gain = 0.3 }]\n";
    let mut plugin = with_scene("listens.toml", text);
    {
        let handle = plugin.plugin_handle();
        let ports: PluginAudioPorts = handle.get_extension().unwrap();
        let mut buffer = AudioPortInfoBuffer::new();
        assert_eq!((ports.count(&handle, true), ports.count(&handle, false)), (1, 1));
        let port = ports.get(&handle, 0, true, &mut buffer).unwrap();
        assert_eq!((port.name, port.channel_count), (&b"in"[..], 1));
    }
    let mut rng = tocco::rng::Rng::new(1, "port");
    let mut noise: Vec<f32> = (0..4800).map(|_| rng.between(-0.5, 0.5) as f32).collect();
    let def = tocco::SceneDef::from_text(text).unwrap();
    let mut wanted = vec![0.0; 4800];
    Engine::new(Scene::build(&def, RATE).unwrap()).render(&[&noise], &mut Queue::new(), &mut wanted);
    let config = PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: 2048 };
    let mut processor = plugin.activate(|_, _| (), config).unwrap().start_processing().unwrap();
    let mut heard = [vec![0.0; 4800], vec![0.0; 4800]];
    let (mut from_host, mut to_host) = (AudioPorts::with_capacity(1, 1), AudioPorts::with_capacity(2, 1));
    // Some blocks are longer than what is made at once.
    let mut from = 0;
    for size in [1, 1999, 64, 2048, 688] {
        let part = from..from + size;
        let input = from_host.with_input_buffers([AudioPortBuffer {
            latency: 0,
            channels: AudioPortBufferType::f32_input_only([InputChannel::variable(&mut noise[part.clone()])]),
        }]);
        let mut sides = heard.each_mut().map(|side| &mut side[part.clone()]);
        let mut out = to_host.with_output_buffers([AudioPortBuffer {
            latency: 0,
            channels: AudioPortBufferType::f32_output_only(sides.iter_mut().map(|side| &mut **side)),
        }]);
        let (nothing, mut ended) = (EventBuffer::new(), EventBuffer::new());
        processor.process(&input, &mut out, &nothing.as_input(), &mut ended.as_output(), None, None).unwrap();
        from += size;
    }
    plugin.deactivate(processor.stop_processing());
    same("listening", &heard, &[wanted.clone(), wanted]);
}

#[test]
fn numbers_that_are_none_and_keys_that_play_nothing_change_nothing() {
    let nothing = [
        (100, Doing::On(60, f64::NAN)),
        (101, Doing::On(0, 1.0)),
        (102, Doing::Turn(1, 0.5)),
        (103, Doing::Turn(tocco_live::instrument::id_of("hardness"), f64::NAN)),
        (104, Doing::Express(60, NoteExpressionType::Tuning, f64::NAN)),
        (105, Doing::Off(99)),
    ];
    let mut plugin = plugin();
    same("nothing", &rendered(&mut plugin, 9600, &[64], &nothing), &program("bar", 9600));
}

#[test]
fn a_host_is_told_of_latency_tail_and_voices_and_why_a_preset_does_not_load() {
    let mut plugin = plugin();
    {
        let handle = plugin.plugin_handle();
        let (latency, voices): (PluginLatency, PluginVoiceInfo) =
            (handle.get_extension().unwrap(), handle.get_extension().unwrap());
        assert_eq!((latency.get(&handle), voices.get(&handle).unwrap().voice_count), (0, 8));
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("broken.toml");
    std::fs::write(&file, TWO_OUTPUTS.replace("mass_kg = 0.01", "mas_kg = 0.01")).unwrap();
    assert!(!preset(&mut plugin, "barr") && preset(&mut plugin, "felt"));
    {
        let handle = plugin.plugin_handle();
        let load: PluginPresetLoad = handle.get_extension().unwrap();
        let path = CString::new(file.to_str().unwrap()).unwrap();
        assert!(load.load_from_location(&handle, Location::File { path: &path }, None).is_err());
    }
    let said = plugin.access_shared_handler(|shared| shared.said.lock().unwrap().clone());
    for words in [
        "not loaded: no file and no shipped scene 'barr'; did you mean 'bar'?",
        "loaded: felt",
        "did you mean 'mass_kg'?",
    ] {
        assert!(said.iter().any(|line| line.contains(words)), "{words}: {said:?}");
    }
    let config = PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: 64 };
    let mut processor = plugin.activate(|_, _| (), config).unwrap();
    let handle = processor.plugin_handle();
    let tail: PluginTail = handle.get_extension().unwrap();
    assert_eq!(tail.get(&handle), TailLength::Infinite);
    plugin.deactivate(processor);
}

#[test]
fn the_end_of_a_note_is_told_when_it_has_rung_out_and_of_a_choked_one_soon() {
    let mut plugin = plugin();
    let config = PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: 512 };
    let mut processor = plugin.activate(|_, _| (), config).unwrap().start_processing().unwrap();
    let doing = [(1000, Doing::On(60, 0.8)), (1000, Doing::On(72, 0.8)), (9600, Doing::Choke(72))];
    let (_, ended) = hosting::ending(&mut processor, 20 * 48_000, &[512], &doing).unwrap();
    plugin.deactivate(processor.stop_processing());
    let keys: Vec<u16> = ended.iter().map(|(_, key)| *key).collect();
    assert_eq!(keys, [72, 60], "{ended:?}");
    assert!((9600..24_000).contains(&ended[0].0) && ended[1].0 > 48_000, "{ended:?}");
}

#[test]
fn notes_of_a_scene_that_another_takes_over_from_are_told_to_have_ended_each_once() {
    let mut plugin = plugin();
    let config = PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: 512 };
    let mut processor = plugin.activate(|_, _| (), config).unwrap().start_processing().unwrap();
    let doing = [(1000, Doing::On(60, 0.8)), (1001, Doing::On(72, 0.8)), (1002, Doing::Off(72))];
    let (_, ended) = hosting::ending(&mut processor, 4800, &[512], &doing).unwrap();
    assert!(ended.is_empty(), "{ended:?}");
    assert!(preset(&mut plugin, "marimba"));
    let again = [(0, Doing::On(60, 0.8))];
    let (_, mut ended) = hosting::ending(&mut processor, 4800, &[512], &again).unwrap();
    plugin.deactivate(processor.stop_processing());
    ended.sort_unstable();
    // Before anything that the new scene is told: a note of the same key there is another.
    assert_eq!(ended, [(0, 60), (0, 72)]);
}

/// An MPE keyboard: a zone of five, each note with its bend, pressure and slide; then a plain channel with pedal and wheel.
fn keyboard() -> Vec<(u64, [u8; 3])> {
    vec![
        (0, [0xb0, 101, 0]),
        (0, [0xb0, 100, 6]),
        (0, [0xb0, 6, 5]),
        (100, [0xb1, 74, 90]),
        (101, [0xe1, 0, 66]),
        (103, [0x91, 60, 100]),
        (1500, [0xb2, 74, 10]),
        (1501, [0x92, 64, 77]),
        (2003, [0xe1, 5, 70]),
        (2500, [0xd1, 99, 0]),
        (3001, [0xe0, 0, 80]),
        (3333, [0xb2, 74, 101]),
        (4001, [0x81, 60, 0]),
        (4100, [0xe1, 0, 10]),
        (5000, [0xb7, 64, 127]),
        (5001, [0x97, 67, 50]),
        (5500, [0xe7, 0, 96]),
        (6001, [0x87, 67, 0]),
        (7000, [0x98, 72, 120]),
        (7500, [0xb7, 64, 0]),
        (8000, [0xb8, 1, 33]),
        (8500, [0xa8, 72, 60]),
        (9000, [0xb8, 123, 0]),
    ]
}

/// What the program's own MIDI input makes of these bytes.
fn by_the_program(name: &str, frames: usize, bytes: &[(u64, [u8; 3])]) -> [Vec<f32>; 2] {
    let scene = voices::voiced(library::load(name).unwrap()).unwrap();
    let setup = Setup { limiter: false, watch_load: false, ..Setup::default() };
    let mut translator = Translator::new(Map::of(&scene.def));
    let mut session = Session::open(scene, Setup { rate_hz: Some(RATE), ..setup }).unwrap();
    let mut played = 0;
    for (tick, bytes) in bytes {
        // The program measures which voice is quietest: one that was never played.
        translator.set_energies((0..8).map(|voice| if voice < played { 1.0 } else { 0.0 }));
        played += usize::from(bytes[0] >> 4 == 9);
        let mut gestures = Vec::new();
        // Pressure has one byte of data.
        let length = if bytes[0] >> 4 == 0xd { 2 } else { 3 };
        translator.feed(&bytes[..length], *tick as f64 / RATE, &mut gestures);
        for gesture in &gestures {
            session.desk.perform(gesture, When::Tick(*tick)).unwrap();
        }
    }
    let channels = session.player.channels();
    let mut out = vec![0.0; frames * channels];
    session.play(&[], &mut out).unwrap();
    [0, channels - 1].map(|channel| out.iter().skip(channel).step_by(channels).copied().collect())
}

#[test]
fn midi_and_mpe_bytes_sound_as_in_the_program_to_the_sample() {
    let mut handed = plugin();
    let handle = handed.plugin_handle();
    let ports: PluginNotePorts = handle.get_extension().unwrap();
    let mut buffer = NotePortInfoBuffer::new();
    let all = NoteDialects::CLAP | NoteDialects::MIDI | NoteDialects::MIDI_MPE;
    assert_eq!(ports.get(&handle, 0, true, &mut buffer).unwrap().supported_dialects, all);
    for name in ["bar", "violin"] {
        let wanted = by_the_program(name, 12_000, &keyboard());
        let untouched = by_the_program(name, 12_000, &[]);
        assert!(wanted != untouched, "{name} hears nothing of it");
        let events: Vec<(usize, Doing)> =
            keyboard().into_iter().map(|(at, bytes)| (at as usize, Doing::Midi(bytes))).collect();
        for blocks in [&[512][..], &[1, 4096, 17, 700, 64, 3]] {
            let mut plugin = plugin();
            assert!(preset(&mut plugin, name));
            same(&format!("{name} {blocks:?}"), &rendered(&mut plugin, 12_000, blocks, &events), &wanted);
        }
    }
}

/// A folder with the plug-in, and beside it a program of these words.
fn beside(name: &str, program: Option<&str>) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("Tocco.clap");
    let _ = std::fs::remove_file(folder.join("tocco"));
    std::fs::copy(library(), &file).unwrap();
    if let Some(program) = program {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::write(folder.join("tocco"), format!("#!/bin/sh\n{program}\n")).unwrap();
        std::fs::set_permissions(folder.join("tocco"), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    file
}

/// Shows the window of a plug-in; what the host's log says of it.
fn shown(plugin: &mut PluginInstance<Host>) -> (bool, String) {
    let handle = plugin.plugin_handle();
    let gui: PluginGui = handle.get_extension().unwrap();
    let floating = gui.get_preferred_api(&handle).unwrap();
    assert!(floating.is_floating && gui.is_api_supported(&handle, floating));
    let embedded = GuiConfiguration { api_type: GuiApiType::X11, is_floating: false };
    assert!(!gui.is_api_supported(&handle, embedded) && gui.create(&handle, embedded).is_err());
    gui.create(&handle, floating).unwrap();
    let shown = gui.show(&handle).is_ok();
    (shown, plugin.access_shared_handler(|shared| shared.said.lock().unwrap().join("\n")))
}

#[cfg(unix)]
#[test]
fn its_window_is_the_program_s_studio_with_its_scene_until_it_is_destroyed() {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let program = deps.parent().unwrap().join("tocco");
    if !program.is_file() {
        return skip("the studio as a plug-in's window", "the program (cargo build -p tocco-host)");
    }
    let mut plugin =
        plugin_of(&beside("window", Some(&format!("exec '{}' \"$@\" --no-open", program.display())))).unwrap();
    assert!(preset(&mut plugin, "felt"));
    let (is_shown, said) = shown(&mut plugin);
    if said.contains("without the page's engine") {
        return skip("the studio as a plug-in's window", "the page's engine (TOCCO_WASM_FILE)");
    }
    assert!(is_shown, "{said}");
    let address = said.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    write!(stream, "GET /scenes.json HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let text = library::load("felt").unwrap().text;
    let first = format!("\"first\":{}", serde_json::to_string(&text).unwrap());
    assert!(answer.contains(&first), "{}", &answer[..answer.len().min(500)]);
    {
        let handle = plugin.plugin_handle();
        let gui: PluginGui = handle.get_extension().unwrap();
        gui.show(&handle).unwrap();
        gui.destroy(&handle);
    }
    assert!(TcpStream::connect(&address).is_err(), "the studio is still there");
}

#[cfg(unix)]
#[test]
fn where_no_window_floats_a_knob_opens_and_closes_the_studio() {
    const STUDIO: u32 = 128;
    let link = "echo 'studio at http://127.0.0.1:9/x'; exec sleep 100";
    for (name, program, opens) in
        [("vst3", link, true), ("vst3-none", "echo 'error: no such thing' >&2; exit 2", false)]
    {
        let file = beside(name, Some(program));
        let mut plugin = plugin_in("CLAP-As-VST3-Wrapper", &file).unwrap();
        let knob = |plugin: &mut PluginInstance<Host>| {
            let handle = plugin.plugin_handle();
            let params: PluginParams = handle.get_extension().unwrap();
            assert_eq!(params.count(&handle), STUDIO + 1);
            let mut buffer = ParamInfoBuffer::new();
            let info = params.get_info(&handle, STUDIO, &mut buffer).unwrap();
            assert_eq!((info.id.get(), info.name), (STUDIO, &b"studio"[..]));
            params.get_value(&handle, info.id).unwrap()
        };
        let said = |plugin: &PluginInstance<Host>| {
            plugin.access_shared_handler(|shared| shared.said.lock().unwrap().join("\n"))
        };
        let untouched = rendered(&mut plugin, 4800, &[64], &[]);
        assert_eq!(knob(&mut plugin), 0.0);
        let mut other = plugin_in("CLAP-As-VST3-Wrapper", &file).unwrap();
        let turned = rendered(&mut other, 4800, &[64], &[(100, Doing::Turn(STUDIO, 1.0))]);
        same("nothing is heard of it", &turned, &untouched);
        assert!(other.access_shared_handler(|shared| shared.callbacks.load(Relaxed)) > 0);
        other.call_on_main_thread_callback();
        assert_eq!(knob(&mut other), f64::from(u8::from(opens)), "{}", said(&other));
        assert!(
            said(&other).contains(if opens { "http://127.0.0.1:9/x" } else { "no such thing" }),
            "{}",
            said(&other)
        );
        rendered(&mut other, 4800, &[64], &[(100, Doing::Turn(STUDIO, 0.0))]);
        other.call_on_main_thread_callback();
        assert_eq!(knob(&mut other), 0.0);
    }
}

#[cfg(unix)]
#[test]
fn a_window_without_a_program_is_a_line_in_the_host_s_log() {
    let mut broken = plugin_of(&beside("no-window", Some("echo 'error: no such thing' >&2; exit 2"))).unwrap();
    let (is_shown, said) = shown(&mut broken);
    assert!(!is_shown && said.contains("no such thing"), "{said}");
    let folders = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&folders).any(|folder| folder.join("tocco").is_file()) {
        return skip("a window without a program", "a path without tocco");
    }
    let mut alone = plugin_of(&beside("no-program", None)).unwrap();
    let (is_shown, said) = shown(&mut alone);
    assert!(!is_shown && said.contains("no program tocco") && said.contains("TOCCO_PROGRAM"), "{said}");
    same("still", &rendered(&mut alone, 9600, &[64], &[]), &program("bar", 9600));
}
