// SPDX-License-Identifier: MIT OR Apache-2.0
//! Knobs: heard when they are turned, however many turns; their words both ways.

use super::*;
use clack_extensions::params::{ParamInfoBuffer, PluginParams};
use std::ffi::CString;
use std::sync::atomic::Ordering::Relaxed;
use tocco_live::Instrument;

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
    // Places that nobody chose, besides those that are even.
    let mut rng = tocco::rng::Rng::new(17, "places");
    for (name, _) in library::SHIPPED {
        assert!(preset(&mut plugin, name));
        let handle = plugin.plugin_handle();
        let params: PluginParams = handle.get_extension().unwrap();
        let mut buffer = ParamInfoBuffer::new();
        assert!(params.count(&handle) > 0, "{name}");
        for index in 0..params.count(&handle) {
            let info = params.get_info(&handle, index, &mut buffer).unwrap();
            assert_eq!(info.id.get(), tocco_live::instrument::id_of(std::str::from_utf8(info.name).unwrap()));
            for step in 0..=40 {
                let value = if step <= 20 { f64::from(step) / 20.0 } else { rng.unit() };
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
