// SPDX-License-Identifier: MIT OR Apache-2.0
//! The plug-in in a host: its sound against the engine's, bit for bit, for blocks of any size; knobs, states, presets, bad input.

#[path = "../../same_notes.rs"]
mod same_notes;

use clack_extensions::audio_ports::{AudioPortInfoBuffer, PluginAudioPorts};
use clack_extensions::params::{ParamInfoBuffer, PluginParams};
use clack_extensions::preset_discovery::prelude::*;
use clack_extensions::state::PluginState;
use clack_host::events::event_types::{
    NoteChokeEvent, NoteExpressionEvent, NoteExpressionType, NoteOffEvent, NoteOnEvent, ParamValueEvent,
};
use clack_host::prelude::*;
use same_notes::{NOTES, typed};
use std::ffi::{CStr, CString};
use std::path::PathBuf;
use tocco::{Command, Engine, Queue, Scene, Timed};
use tocco_lab::library;
use tocco_live::midi::voices;
use tocco_live::notes::{Note, NoteEvent, Which};
use tocco_live::{Instrument, Setup};

const RATE: f64 = 48_000.0;

struct Shared;

impl SharedHandler<'_> for Shared {
    fn request_restart(&self) {}
    fn request_process(&self) {}
    fn request_callback(&self) {}
}

struct Host;

impl HostHandlers for Host {
    type Shared<'a> = Shared;
    type MainThread<'a> = ();
    type AudioProcessor<'a> = ();
}

fn library() -> PathBuf {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let found = [deps.clone(), deps.parent().unwrap().into()].map(|folder| folder.join("libtocco_clap.so"));
    found.into_iter().find(|file| file.is_file()).expect("the library beside the tests")
}

fn plugin() -> PluginInstance<Host> {
    // SAFETY: the library is ours.
    let entry = unsafe { PluginEntry::load(library()) }.unwrap();
    let info = HostInfo::new("test", "Tocco", "https://localhost", "1").unwrap();
    PluginInstance::<Host>::new(|_| Shared, |_| (), &entry, c"org.tocco.tocco", &info).unwrap()
}

fn preset(plugin: &mut PluginInstance<Host>, name: &str) -> bool {
    let handle = plugin.plugin_handle();
    let load: PluginPresetLoad = handle.get_extension().unwrap();
    load.load_from_location(&handle, Location::Plugin, Some(&CString::new(name).unwrap())).is_ok()
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

/// An event with its sample.
enum Doing {
    On(u16, f64),
    Off(u16),
    Choke(u16),
    Express(u16, NoteExpressionType, f64),
    Turn(u32, f64),
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
    let mut sound = [vec![0.0; frames], vec![0.0; frames]];
    let mut ports = AudioPorts::with_capacity(2, 1);
    let (mut from, mut sizes) = (0, blocks.iter().cycle());
    while from < frames {
        let count = (*sizes.next().unwrap()).min(frames - from);
        let mut buffer = EventBuffer::new();
        for (at, doing) in events.iter().filter(|(at, _)| (from..from + count).contains(at)) {
            let time = (at - from) as u32;
            let pckn = |key: u16| Pckn::new(0u16, 0u16, key, u32::from(key));
            match doing {
                Doing::On(key, velocity) => buffer.push(&NoteOnEvent::new(time, pckn(*key), *velocity)),
                Doing::Off(key) => buffer.push(&NoteOffEvent::new(time, pckn(*key), 0.0)),
                Doing::Choke(key) => buffer.push(&NoteChokeEvent::new(time, pckn(*key))),
                Doing::Express(key, kind, x) => buffer.push(&NoteExpressionEvent::new(time, pckn(*key), *kind, *x)),
                Doing::Turn(id, x) => {
                    buffer.push(&ParamValueEvent::new(time, ClapId::new(*id), Pckn::match_all(), *x));
                }
            }
        }
        let [left, right] = &mut sound;
        let mut halves = [&mut left[from..from + count], &mut right[from..from + count]];
        let mut out = ports.with_output_buffers([AudioPortBuffer {
            latency: 0,
            channels: AudioPortBufferType::f32_output_only(halves.iter_mut().map(|half| &mut **half)),
        }]);
        let (input, mut ended) = (InputAudioBuffers::empty(), EventBuffer::new());
        processor.process(&input, &mut out, &buffer.as_input(), &mut ended.as_output(), None, None).unwrap();
        from += count;
    }
    sound
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
fn words_of_knobs_mean_what_they_say() {
    for name in ["bar", "violin", "floor-gravel"] {
        let mut plugin = plugin();
        assert!(preset(&mut plugin, name));
        let handle = plugin.plugin_handle();
        let params: PluginParams = handle.get_extension().unwrap();
        let mut buffer = ParamInfoBuffer::new();
        assert!(params.count(&handle) > 0);
        for index in 0..params.count(&handle) {
            let info = params.get_info(&handle, index, &mut buffer).unwrap();
            assert_eq!(info.id.get(), tocco_live::instrument::id_of(std::str::from_utf8(info.name).unwrap()));
            for step in 0..=10 {
                let value = f64::from(step) / 10.0;
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
                assert!((meant - value).abs() < 1e-5, "{text:?} for {value}");
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
}

#[test]
fn another_preset_takes_over_while_the_one_before_fades_without_a_gap() {
    let mut plugin = plugin();
    let config = PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: 512 };
    let mut processor = plugin.activate(|_, _| (), config).unwrap().start_processing().unwrap();
    let before = blockwise(&mut processor, 4800, &[512], &[]);
    assert!(preset(&mut plugin, "felt"));
    let after = blockwise(&mut processor, 9600, &[512], &[]);
    // Another number of channels waits for the host to stop; what sounds goes on.
    assert!(preset(&mut plugin, "violin"));
    let still = blockwise(&mut processor, 9600, &[512], &[]);
    plugin.deactivate(processor.stop_processing());
    let bar = program("bar", 9600);
    same("before", &before, &bar.each_ref().map(|channel| channel[..4800].to_vec()));
    let felt = program("felt", 19_200);
    // In the first 10 ms both are heard: their sum, the one before ever softer.
    for (at, sample) in after[0].iter().take(480).enumerate() {
        let gain = (480 - at) as f32 / 480.0;
        assert_eq!(sample.to_bits(), (felt[0][at] + gain * bar[0][4800 + at]).to_bits(), "{at}");
    }
    assert!(bar[0][4800..5280].iter().any(|x| x.abs() > 1e-4));
    let rest = |all: &[Vec<f32>; 2], from: usize, to: usize| all.each_ref().map(|channel| channel[from..to].to_vec());
    same("after", &rest(&after, 480, 9600), &rest(&felt, 480, 9600));
    same("still", &still, &rest(&felt, 9600, 19_200));
    same("then", &rendered(&mut plugin, 24_000, &[100], &[]), &program("violin", 24_000));
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
        }
    }
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
