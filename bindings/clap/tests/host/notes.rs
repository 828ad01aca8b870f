// SPDX-License-Identifier: MIT OR Apache-2.0
//! Notes, expressions, bytes and sound that comes in, each at its sample; rates.

use super::same_notes::{NOTES, typed};
use super::*;
use clack_extensions::audio_ports::{AudioPortInfoBuffer, PluginAudioPorts};
use clack_extensions::note_ports::{NoteDialects, NotePortInfoBuffer, PluginNotePorts};
use clack_extensions::preset_discovery::prelude::*;
use clack_host::events::event_types::NoteExpressionType;
use std::ffi::CString;
use std::path::Path;
use tocco::{Command, Timed};
use tocco_live::midi::{Map, Translator};
use tocco_live::notes::{Note, NoteEvent, Which};
use tocco_live::{Instrument, Session, Setup, When};

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
fn processing_allocates_nothing_also_while_another_scene_takes_over() {
    assert_awake();
    // The one that is linked to this test: a file would have an allocator of its own.
    // SAFETY: the entry is ours.
    let entry = unsafe { PluginEntry::load_from_raw(&tocco_clap::clap_entry, c"") }.unwrap();
    let mut plugin = plugin_by("test", &entry).unwrap();
    let config = PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: 2048 };
    let mut processor = plugin.activate(|_, _| (), config).unwrap().start_processing().unwrap();
    let mut events = events();
    events.extend((0..40).map(|n| (200 * n, Doing::On(40 + n as u16, 0.7))));
    events
        .extend([[0xb0, 64, 127], [0xe0, 0, 80], [0xd0, 90, 0], [0xb0, 64, 0]].map(|bytes| (6000, Doing::Midi(bytes))));
    events.sort_by_key(|(at, _)| *at);
    let before = count();
    let mut ended = 0;
    for name in ["bar", "felt", "violin", "marimba"] {
        assert!(preset(&mut plugin, name));
        let (sound, over) = hosting::ending(&mut processor, 24_000, &[64, 509, 2048, 1], &events).unwrap();
        assert!(sound[0].iter().any(|x| *x != 0.0), "{name}");
        ended += over.len();
    }
    assert_eq!(count() - before, 0);
    assert!(ended > 20, "{ended} notes have ended");
    plugin.deactivate(processor.stop_processing());
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
    load_file(&mut plugin, name);
    plugin
}

fn load_file(plugin: &mut PluginInstance<Host>, name: &str) {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let handle = plugin.plugin_handle();
    let load: PluginPresetLoad = handle.get_extension().unwrap();
    let path = CString::new(file.to_str().unwrap()).unwrap();
    load.load_from_location(&handle, Location::File { path: &path }, None).unwrap();
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
fn a_scene_that_listens_hears_what_comes_in_at_its_port_also_while_it_fades_out() {
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
    let play = |noise: &[f32]| {
        let mut out = vec![0.0; noise.len()];
        Engine::new(Scene::build(&def, RATE).unwrap()).render(&[noise], &mut Queue::new(), &mut out);
        out
    };
    // The same scene takes over from itself, beginning anew.
    let taken_over = 2064;
    let (mut wanted, fresh) = (play(&noise), play(&noise[taken_over..]));
    for (at, (old, new)) in wanted[taken_over..].iter_mut().zip(&fresh).enumerate() {
        let fading = if at < 480 { (480 - at) as f32 / 480.0 * *old } else { 0.0 };
        *old = new + fading;
    }
    let config = PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: 2048 };
    let mut processor = plugin.activate(|_, _| (), config).unwrap().start_processing().unwrap();
    let mut heard = [vec![0.0; 4800], vec![0.0; 4800]];
    let (mut from_host, mut to_host) = (AudioPorts::with_capacity(1, 1), AudioPorts::with_capacity(2, 1));
    // Some blocks are longer than what is made at once.
    let mut from = 0;
    for size in [1, 1999, 64, 2048, 688] {
        if from == taken_over {
            load_file(&mut plugin, "listens.toml");
        }
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
