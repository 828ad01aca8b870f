// SPDX-License-Identifier: MIT OR Apache-2.0
//! Presets and states: what takes over from what, which ports there are then, and what a host is told.

use super::*;
use clack_extensions::audio_ports::{AudioPortInfoBuffer, PluginAudioPorts};
use clack_extensions::latency::PluginLatency;
use clack_extensions::params::PluginParams;
use clack_extensions::preset_discovery::prelude::*;
use clack_extensions::state::PluginState;
use clack_extensions::tail::{PluginTail, TailLength};
use clack_extensions::voice_info::PluginVoiceInfo;
use std::ffi::{CStr, CString};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

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
fn a_preset_with_the_knobs_and_ports_that_the_host_knows_asks_for_no_restart_and_held_notes_fade_into_it() {
    let mut plugin = plugin();
    let config = PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: 512 };
    let mut processor = plugin.activate(|_, _| (), config).unwrap().start_processing().unwrap();
    let held = [(100, Doing::On(60, 0.8)), (2000, Doing::On(67, 0.6))];
    blockwise(&mut processor, 4800, &[512], &held);
    // The scene that plays, from its beginning, once more.
    assert!(preset(&mut plugin, "bar"));
    let after = blockwise(&mut processor, 48_000, &[512], &[]);
    assert_eq!(plugin.access_shared_handler(|shared| shared.restarts.load(Relaxed)), 0);
    plugin.deactivate(processor.stop_processing());
    let rings = rendered(&mut self::plugin(), 9600, &[512], &held);
    let bar = program("bar", 48_000);
    for (at, sample) in after[0].iter().enumerate() {
        let gain = 480_usize.saturating_sub(at) as f32 / 480.0;
        let old = if at < 480 { gain * rings[0][4800 + at] } else { 0.0 };
        assert_eq!(*sample, bar[0][at] + old, "{at}");
    }
    assert!(rings[0][4800..5280].iter().any(|x| x.abs() > 1e-3));
}

#[test]
fn more_presets_than_wait_in_line_of_a_host_that_does_not_process_wait_for_it_to_start_again() {
    let mut plugin = plugin();
    let config = PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: 512 };
    let processor = plugin.activate(|_, _| (), config).unwrap().start_processing().unwrap();
    let asked = |plugin: &PluginInstance<Host>| plugin.access_shared_handler(|shared| shared.restarts.load(Relaxed));
    for count in 1..=12 {
        assert!(preset(&mut plugin, if count == 12 { "violin" } else { "felt" }), "{count}");
        assert_eq!(asked(&plugin) > 0, count > 8, "{count}");
    }
    plugin.deactivate(processor.stop_processing());
    same("the last", &rendered(&mut plugin, 4800, &[512], &[]), &program("violin", 4800));
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
    assert!(!preset(&mut plugin, "barr") && !preset(&mut plugin, "-") && preset(&mut plugin, "felt"));
    {
        let handle = plugin.plugin_handle();
        let load: PluginPresetLoad = handle.get_extension().unwrap();
        let path = CString::new(file.to_str().unwrap()).unwrap();
        assert!(load.load_from_location(&handle, Location::File { path: &path }, None).is_err());
    }
    let said = plugin.access_shared_handler(|shared| shared.said.lock().unwrap().clone());
    for words in [
        "not loaded: name a scene file, or a scene that comes with Tocco",
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
