// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ABI as its callers see it, natively.

use super::cracks::{tocco_cracks, tocco_cracks_fracture, tocco_cracks_free, tocco_cracks_grown};
use super::keys::{tocco_keys, tocco_keys_feed, tocco_keys_free, tocco_keys_have_table, tocco_keys_weigh};
use super::names::{tocco_describe, tocco_moves, tocco_names, tocco_names_free, tocco_readings, tocco_shape_at};
use super::phone::{tocco_phone, tocco_phone_feel, tocco_phone_free, tocco_phone_step, tocco_phone_tone};
use super::session::*;
use super::*;
use serde_json::Value;
use std::ptr::{null, null_mut};
use tocco_live::take::{Replay, Take};

const BAR: &str = "[body.hammer]\ntype = 'mass'\nmass_kg = 0.01\nposition_m = -1.0\n\
    [body.bar]\ntype = 'modal'\nmodes = [{ freq_hz = 440.0, decay_s = 1.0, mass_kg = 0.05 }]\n\
    [contact.hit]\ntype = 'impact'\nbetween = ['hammer', 'bar']\n[[tap]]\nof = 'bar'\n";

const SHAPE: &str = "[body.hammer]\ntype = 'mass'\nmass_kg = 0.01\nposition_m = -1.0\n\
    [body.bar]\ntype = 'shape'\nshape = 'bar'\nlength_m = 0.3\nwidth_m = 0.03\nthickness_m = 0.005\n\
    material = 'steel'\nport = { place = 0.2, ear = 0.02 }\n\
    [contact.hit]\ntype = 'impact'\nbetween = ['hammer', 'bar.place']\n\
    [[drive]]\npath = 'bar.ear/force_n'\ninput = 0\n[[tap]]\nof = 'bar.ear'\n";

fn load(text: &str) -> *mut Session {
    // SAFETY: the text is alive during the call.
    let session = unsafe { tocco_load(text.as_ptr().cast(), text.len(), 48_000.0) };
    assert!(!session.is_null(), "{}", last_error());
    session
}

fn last_error() -> String {
    // SAFETY: a zero byte ends it.
    unsafe { std::ffi::CStr::from_ptr(tocco_error()) }.to_str().unwrap().to_owned()
}

fn text() -> String {
    // SAFETY: a zero byte ends it.
    unsafe { std::ffi::CStr::from_ptr(tocco_text()) }.to_str().unwrap().to_owned()
}

fn numbers() -> Vec<f64> {
    // SAFETY: so many numbers are there.
    unsafe { values(tocco_numbers(), tocco_numbers_len()) }.to_vec()
}

fn gesture(session: *mut Session, line: &str, at: f64) -> u32 {
    // SAFETY: tests hand over sessions that are alive; the line outlives the call.
    unsafe { tocco_gesture(session, line.as_ptr().cast(), line.len(), at) }
}

fn render(session: *mut Session, frames: usize) -> Vec<f32> {
    // SAFETY: alive; a render gives so many frames.
    unsafe {
        let at = tocco_render(session, frames);
        values(at, frames * tocco_channels(session) as usize).to_vec()
    }
}

fn heard(session: *mut Session, limits: u32, frames: usize, channels: usize) -> Vec<Vec<f32>> {
    // SAFETY: alive; what is heard has so many channels of as many frames as were rendered last.
    let all = unsafe { values(tocco_heard(session, 1.0, limits, channels), channels * frames) };
    all.chunks(frames).map(<[f32]>::to_vec).collect()
}

/// Blocks of 7 with one gesture at tick 100; where sound begins.
fn first_sound(line: &str) -> Option<usize> {
    let session = load(BAR);
    assert_eq!(gesture(session, line, 100.0), 1, "{}", last_error());
    let heard: Vec<f32> = (0..30).flat_map(|_| render(session, 7)).collect();
    // SAFETY: alive, and not used again.
    unsafe {
        assert_eq!((tocco_channels(session), tocco_rate_hz(session), tocco_tick(session)), (1, 48_000.0, 210.0));
        tocco_free(session);
    }
    heard.iter().position(|x| *x != 0.0)
}

#[test]
fn gestures_sound_at_their_tick_whatever_the_block() {
    assert_eq!(first_sound(r#"{"hit":"bar","impulse_n_s":0.01}"#), Some(100));
    assert_eq!(first_sound(r#"{"strike":"hammer","velocity_m_s":1}"#), Some(100));
    assert_eq!(first_sound(r#"{"set":"bar/force_n","value":1}"#), Some(100));
    assert_eq!(first_sound(r#"{"set":"bar/freq_scale","value":2}"#), None);
}

#[test]
fn what_cannot_be_done_is_answered_with_one_line() {
    let misspelt = "[body.bar]\ntype = 'modle'\n";
    let recording = format!("{BAR}[[drive]]\npath = 'bar/force_n'\nwav = 'x.wav'\n");
    // SAFETY: texts outlive the calls.
    unsafe {
        assert!(tocco_load(misspelt.as_ptr().cast(), misspelt.len(), 0.0).is_null());
        assert!(last_error().contains("modal") && !last_error().contains('\n'), "{}", last_error());
        assert!(tocco_names(misspelt.as_ptr().cast(), misspelt.len(), 0.0).is_null());
        assert!(last_error().starts_with("line 2"), "{}", last_error());
        assert!(tocco_load(recording.as_ptr().cast(), recording.len(), 0.0).is_null());
        assert!(last_error().contains("x.wav: no recordings can be had here"), "{}", last_error());
        assert!(tocco_load(null(), 0, 0.0).is_null(), "nothing is heard");
    }
    let session = load(BAR);
    assert_eq!(gesture(session, r#"{"set":"bra/freq_scale","value":1}"#, 0.0), 0);
    assert!(last_error().contains("bar"), "{}", last_error());
    assert_eq!(gesture(session, r#"{"dance":"bar"}"#, 0.0), 0);
    assert!(last_error().contains("one of set, jump, stream, strike"), "{}", last_error());
    // SAFETY: the session is alive until it is freed, texts outlive the calls.
    unsafe {
        assert_eq!(tocco_gesture(session, [0xff_u8].as_ptr().cast(), 1, 0.0), 0);
        assert!(last_error().contains("UTF-8"), "{}", last_error());
        assert_eq!(tocco_gesture(session, null(), 0, 0.0), 0);
        assert_eq!(tocco_take(session), 0, "none is recorded");
        render(session, 8);
        assert_eq!(tocco_record(session), 0, "a take begins at the beginning");
        tocco_free(session);
        tocco_free(null_mut());
        tocco_names_free(null_mut());
        tocco_keys_free(null_mut());
        tocco_dealloc(tocco_alloc(5), 5);
        tocco_dealloc(tocco_alloc(0), 0);
    }
}

#[test]
fn a_quantity_has_one_value_under_all_its_names_whoever_moves_it() {
    let scene = SHAPE.replace("[contact.hit]", "[contact.hit]\nhardness_01 = 0.5")
        + "[[control]]\nname = 'feel'\npath = 'hit/hardness_01'\nrange = [0.0, 1.0]\n\
           [[drive]]\npath = 'bar/decay_scale'\npoints = [[0.0, 1.0], [0.01, 3.0]]\n\
           [[event]]\nat_s = 0.005\nset = 'hammer/mass_kg'\nvalue = 0.5\n";
    let session = load(&scene);
    // SAFETY: session and names are alive until freed, texts and numbers outlive the calls.
    unsafe {
        let names = tocco_names(scene.as_ptr().cast(), scene.len(), 48_000.0);
        tocco_describe(names);
        let info: Value = serde_json::from_str(&text()).unwrap();
        let reading = |path: &str, settings: &[f64]| {
            assert_eq!(tocco_readings(names, settings.as_ptr(), settings.len()), 1, "{}", last_error());
            let order = info["paths"].as_array().unwrap().iter().map(|one| &one["path"]);
            let all = order.chain(info["controls"].as_array().unwrap().iter().map(|one| &one["name"]));
            numbers()[all.into_iter().position(|name| name == path).unwrap()]
        };
        let settings = |session| {
            tocco_settings(session);
            numbers()
        };
        let first = settings(session);
        assert_eq!(first.len() as u64, info["parameters"].as_u64().unwrap());
        assert!((reading("feel", &first) - 0.5).abs() < 1e-9);
        // A hand on the control moves one parameter, and every name of it says so.
        assert_eq!(gesture(session, r#"{"set":"feel","value":0.8}"#, 0.0), 1);
        assert_eq!(tocco_moves(names, c"feel".as_ptr(), 4, 0.8), 1, "{}", last_error());
        let moved = numbers();
        render(session, 960);
        let now = settings(session);
        assert_eq!((moved.len(), now[moved[0] as usize]), (2, moved[1]));
        assert!((reading("hit/hardness_01", &now) - 0.8).abs() < 1e-9);
        assert!((reading("hit/contact_time_s", &now) / (0.01 * 0.005_f64.powf(0.8)) - 1.0).abs() < 1e-9);
        // So do the scene's drive and its event.
        assert!((reading("bar/decay_scale", &now) - 3.0).abs() < 1e-9);
        assert_eq!(reading("hammer/mass_kg", &now), 0.5);
        assert_eq!(tocco_readings(names, now.as_ptr(), 1), 0, "settings of another scene");
        assert_eq!(tocco_moves(names, c"feal".as_ptr(), 4, 0.8), 0);
        assert!(last_error().contains("feel"), "{}", last_error());
        tocco_names_free(names);
        tocco_free(session);
    }
}

#[test]
fn a_take_with_a_solved_touch_an_edit_and_sound_that_came_in_replays_bit_for_bit() {
    let touch = r#"{"touch":"bar.place","place":[0.35]}"#;
    let edited = SHAPE.replace("'bar.ear'\n", "'bar.ear'\ngain = 0.5\n");
    let session = load(SHAPE);
    let mut kept = Vec::new();
    // SAFETY: session and names are alive until freed, texts and numbers outlive the calls.
    unsafe {
        assert_eq!((tocco_record(session), tocco_inputs(session)), (1, 1));
        let names = tocco_names(SHAPE.as_ptr().cast(), SHAPE.len(), 48_000.0);
        assert_eq!(tocco_shape_at(names, touch.as_ptr().cast(), touch.len()), 1, "{}", last_error());
        let shape = numbers();
        tocco_names_free(names);
        for block in 0..30 {
            if block == 5 {
                let done = tocco_touch(session, touch.as_ptr().cast(), touch.len(), shape.as_ptr(), shape.len(), 0.0);
                assert_eq!(done, 1, "{}", last_error());
                assert_eq!(gesture(session, r#"{"strike":"hammer","velocity_m_s":1.5}"#, 700.0), 1);
            }
            if block == 20 {
                let done = tocco_replace(session, edited.as_ptr().cast(), edited.len(), 1);
                assert_eq!(done, 1, "{}", last_error());
            }
            let input = tocco_input(session, 128);
            *input.add(block) = 0.25;
            kept.extend(render(session, 128));
        }
        assert_eq!(tocco_take(session), 1, "{}", last_error());
        assert!(render(session, 128).iter().any(|x| *x != 0.0), "the sound goes on");
        tocco_free(session);
    }
    let take = Take::from_text(&text(), "take").unwrap();
    assert_eq!((take.header.ceiling_dbtp, take.entries.len(), take.ticks), (None, 3, 30 * 128));
    let mut replay = Replay::new(&take).unwrap();
    let mut again = vec![0.0; kept.len()];
    replay.render(&mut again);
    assert!(replay.is_faithful() && again == kept && kept.iter().any(|x| x.abs() > 1e-3));
}

#[test]
fn mono_is_heard_on_both_sides_unless_the_scene_says_where_and_each_output_has_its_meters() {
    let session = load(BAR);
    assert_eq!(gesture(session, r#"{"hit":"bar","impulse_n_s":0.01}"#, 0.0), 1);
    let plain = render(session, 64);
    assert_eq!(heard(session, 0, 64, 3), [plain.clone(), plain.clone(), vec![0.0; 64]]);
    // SAFETY: alive, and not used again.
    unsafe { tocco_free(session) };
    let loud = BAR.replace("of = 'bar'\n", "of = 'bar'\nto = 'haptic'\ngain = 1e4\n[[tap]]\nof = 'bar'\n");
    let session =
        load(&format!("{loud}[output.main]\nchannels = [1]\n[output.haptic]\nchannels = [2]\nlimiter = false\n"));
    assert_eq!(gesture(session, r#"{"hit":"bar","impulse_n_s":0.01}"#, 0.0), 1);
    render(session, 64);
    let two = heard(session, 0, 64, 2);
    assert_eq!(two, [vec![0.0; 64], plain], "of three channels a device of two plays the first two");
    for _ in 0..20 {
        render(session, 64);
        heard(session, 1, 64, 3);
    }
    // SAFETY: alive, and not used again.
    unsafe {
        tocco_meters(session);
        let meters = numbers();
        assert!(meters[1] == 1.0 && meters[3] == 1.0, "main is soft, haptic has no limiter: {meters:?}");
        assert!(meters[2] > 1e3 * meters[0] && meters[0] > 0.0, "{meters:?}");
        tocco_meters(session);
        assert_eq!(numbers(), [0.0, 1.0, 0.0, 1.0], "since the last call");
        tocco_free(session);
    }
}

#[test]
fn the_page_learns_what_is_in_a_scene_and_signals_come_sample_by_sample() {
    // SAFETY: things are alive until freed, texts outlive the calls.
    unsafe {
        let names = tocco_names(SHAPE.as_ptr().cast(), SHAPE.len(), 44_100.0);
        tocco_describe(names);
        let words: Value = serde_json::from_str(&text()).unwrap();
        assert_eq!((words["inputs"].as_u64(), words["rate_hz"].as_f64()), (Some(1), Some(44_100.0)));
        assert_eq!(words["outputs"][0]["name"], "main");
        assert!(words["signals"].as_array().unwrap().iter().any(|signal| signal == "hit.force"));
        let strike = r#"{"strike":"hammer","velocity_m_s":1}"#;
        assert_eq!(tocco_shape_at(names, strike.as_ptr().cast(), strike.len()), 0);
        tocco_names_free(names);
        let session = load(BAR);
        let signals = "hit.force\nbar.velocity";
        assert_eq!(tocco_watch(session, signals.as_ptr().cast(), signals.len()), 1, "{}", last_error());
        assert_eq!(gesture(session, r#"{"strike":"hammer","velocity_m_s":1}"#, 0.0), 1);
        render(session, 32);
        let rows = values(tocco_probes(session), 64);
        assert!(rows.iter().step_by(2).any(|force| *force > 0.1) && rows.iter().skip(1).step_by(2).any(|v| *v != 0.0));
        tocco_energies(session);
        let energies = numbers();
        assert!(energies.len() == 3 && energies[1] > 0.0);
        tocco_modes(session, 1);
        assert_eq!(numbers().len(), 1);
        tocco_health(session);
        assert_eq!(numbers(), [0.0; 4]);
        assert_eq!(tocco_watch(session, "hit.fource".as_ptr().cast(), 10), 0);
        tocco_free(session);
        let keys = tocco_keys(BAR.as_ptr().cast(), BAR.len());
        assert_eq!(tocco_keys_have_table(keys), 0);
        tocco_keys_weigh(keys, null(), 0);
        tocco_keys_feed(keys, [0x90, 60, 127].as_ptr(), 3, 0.0);
        assert!(text().contains("\"strike\":\"hammer\""), "{}", text());
        tocco_keys_free(keys);
    }
}

#[test]
fn what_an_inlet_does_and_what_happens_is_told_with_its_time() {
    let scene = "[signal.squeeze]\ntype = 'input'\nunit = 'N'\nmax = 3.0\n[[drive]]\npath = 'squeeze/value'\n\
                 points = [[0.0, 0.0], [0.01, 0.0], [0.02, 1.5]]\n[process.paper]\ntype = 'crumple'\ndriven_by = 'squeeze'\n\
                 modes = [{ freq_hz = 900.0, decay_s = 0.002, mass_kg = 0.002 }]\n[[tap]]\nof = 'paper'\nquantity = 'sound'\n";
    // SAFETY: what is handed over is alive during the calls, and freed once.
    unsafe {
        let names = tocco_names(scene.as_ptr().cast(), scene.len(), 48_000.0);
        tocco_describe(names);
        let words: Value = serde_json::from_str(&text()).unwrap();
        let inlet = serde_json::json!({ "name": "squeeze", "path": "squeeze/value", "unit": "N", "min": 0.0, "max": 3.0, "rest": 0.0 });
        assert_eq!(words["inlets"][0], inlet);
        assert_eq!(
            words["processes"][0],
            serde_json::json!({ "name": "paper", "type": "crumple", "driven_by": "squeeze", "hears": "squeeze" })
        );
        tocco_names_free(names);
        let session = load(scene);
        (0..15).for_each(|_| drop(render(session, 128)));
        tocco_trace(session);
        let trace = numbers();
        let rows: Vec<(f64, f64)> = trace.chunks(2).map(|row| (row[0], row[1])).collect();
        assert_eq!(rows.len(), 15);
        // What is heard as it comes is late: by a control tick, by the grid, and by the cell that has begun; under 3 ms.
        for (tick, value) in &rows {
            let driven = (150.0 * (tick / 48_000.0 - 0.01)).clamp(0.0, 1.5);
            assert!((value - driven).abs() < 0.45 && *value <= driven + 1e-9, "{tick}: {value} instead of {driven}");
        }
        tocco_happened(session);
        let happened = numbers();
        assert!(happened.len() > 100 && happened.len().is_multiple_of(5));
        for event in happened.chunks(5) {
            assert!((480.0..1968.0).contains(&event[0]) && event[1] == 0.0 && event[2] > 0.0, "{event:?}");
        }
        tocco_trace(session);
        assert_eq!(numbers().len(), 0, "told once");
        tocco_happened(session);
        assert_eq!(numbers().len(), 0, "told once");
        // A squeeze by hand takes over, in a scene that began later than the session.
        assert_eq!(tocco_replace(session, scene.as_ptr().cast(), scene.len(), 0), 1, "{}", last_error());
        assert_eq!(
            gesture(session, r#"{"set":"squeeze/value","value":3.0,"glide_s":0.005}"#, 2_100.0),
            1,
            "{}",
            last_error()
        );
        (0..10).for_each(|_| drop(render(session, 128)));
        tocco_trace(session);
        assert_eq!(numbers().last().copied(), Some(3.0));
        tocco_happened(session);
        let first = numbers()[0];
        assert!((2_100.0..2_300.0).contains(&first), "{first}: by the session's clock");
        tocco_free(session);
    }
}

#[test]
fn a_walk_is_described_with_its_grounds_and_traced_with_what_its_feet_do() {
    let scene = "[walk.anna]\nspeed_m_s = 1.3\nstart_m = [1.0, 0.0]\nsole = 'boot'\n[walk.anna.ground.path]\nx_m = [0.0, 4.0]\n\
                 [part.heel]\nscene = 'floor-gravel'\nsignal.press = 'anna.path.heel_left'\n";
    // SAFETY: what is handed over is alive during the calls, and freed once.
    unsafe {
        let names = tocco_names(scene.as_ptr().cast(), scene.len(), 48_000.0);
        assert!(!names.is_null(), "{}", last_error());
        tocco_describe(names);
        let words: Value = serde_json::from_str(&text()).unwrap();
        tocco_names_free(names);
        let walk = &words["walks"][0];
        assert_eq!((&walk["name"], &walk["sole"], &walk["mass_kg"]), (&"anna".into(), &"boot".into(), &70.0.into()));
        assert_eq!(walk["grounds"][0]["x_m"], serde_json::json!([0.0, 4.0]));
        assert_eq!(walk["grounds"][0]["y_m"], serde_json::json!([null, null]), "endless");
        // What a part holds is listed, too, and heard by way of its inlet.
        assert_eq!(words["processes"].as_array().unwrap().len(), 3);
        assert_eq!(words["processes"][0]["hears"], "anna.path.heel_left");
        let traced: Vec<&str> = words["traced"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        let column = |name: &str| 1 + traced.iter().position(|own| *own == name).unwrap();
        assert_eq!(traced.len(), 10);
        let session = load(scene);
        (0..1500).for_each(|_| drop(render(session, 128)));
        tocco_trace(session);
        let trace = numbers();
        let rows: Vec<&[f64]> = trace.chunks(1 + traced.len()).collect();
        // Somebody who walks carries its weight on average, and gets on.
        let weight = |row: &&[f64]| (1..=4).map(|lane| row[lane]).sum::<f64>();
        let mean = rows.iter().map(weight).sum::<f64>() / rows.len() as f64;
        assert!((0.85..1.1).contains(&mean), "{mean} body weights");
        let (first, last) = (rows[0][column("anna.x_left.value")], rows.last().unwrap()[column("anna.x_left.value")]);
        assert!((first - 1.0).abs() < 0.2 && last > 1.5, "from {first} to {last} m");
        tocco_free(session);
    }
}

#[test]
fn cracks_grow_by_as_much_as_the_energy_buys_and_what_is_no_ice_is_said() {
    let scene = "[signal.foot]\ntype = 'points'\npoints = [[0.0, 0.0]]\n[process.lake]\ntype = 'ice'\ndriven_by = 'foot'\nthickness_m = 0.05\n\
                 [[tap]]\nof = 'lake'\nquantity = 'sound'\n";
    let both = |name: &str| format!("{scene}{name}");
    // SAFETY: what is handed over is alive during the calls, and freed once.
    unsafe {
        let wrong = both("foot");
        assert!(tocco_cracks(wrong.as_ptr().cast(), scene.len(), 4).is_null());
        assert!(last_error().contains("'foot' is no ice"), "{}", last_error());
        let right = both("lake");
        let sheet = tocco_cracks(right.as_ptr().cast(), scene.len(), 4);
        assert!(!sheet.is_null(), "{}", last_error());
        let grown = || {
            tocco_cracks_grown(sheet);
            numbers()
        };
        assert!(grown().is_empty(), "whole");
        tocco_cracks_fracture(sheet, 0.3, -0.2, 0.45);
        let pieces = grown();
        // 0.45 J at 3 J/m^2 through 5 cm are 3 m, in steps of 12 mm.
        let length: f64 = pieces.chunks(4).map(|p| ((p[2] - p[0]).powi(2) + (p[3] - p[1]).powi(2)).sqrt()).sum();
        assert!((length - 3.0).abs() < 0.0121, "{length} m");
        assert!(pieces.chunks(4).any(|p| p[0] == 0.3 && p[1] == -0.2), "from where it was pressed");
        assert!(grown().is_empty(), "told once");
        tocco_cracks_free(sheet);
    }
}

#[test]
fn a_phone_tells_steps_and_their_forces() {
    // SAFETY: the phone is alive during the calls, and freed once.
    unsafe {
        let phone = tocco_phone();
        let mut steps = 0;
        for n in 0..300 {
            let t = f64::from(n) / 60.0;
            let since = t % 0.5;
            let knock = if since < 0.1 { 5.0 * (31.4 * since).sin() } else { 0.0 };
            tocco_phone_feel(phone, t, 0.0, 9.81 + knock, 0.0);
            for one in numbers().chunks(4).filter(|one| one[0] == 0.0) {
                assert_eq!(one[2] as usize, steps % 2, "feet take turns");
                assert!((0.7..=1.8).contains(&one[3]));
                steps += 1;
            }
        }
        assert!((9..=10).contains(&steps), "{steps} steps");
        tocco_phone_tone(phone);
        assert!((numbers()[0] - 880.0).abs() < 60.0);
        tocco_phone_free(phone);
    }
    tocco_phone_step(1.0);
    assert_eq!(numbers().len() % 4, 0);
}
