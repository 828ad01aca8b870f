// SPDX-License-Identifier: MIT OR Apache-2.0
//! From MIDI bytes to sound, without a device.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tocco::rng::Rng;
use tocco::{Document, Gesture};
use tocco_host::library;
use tocco_host::live::device::{Device, Null};
use tocco_host::live::take_file::TakeFile;
use tocco_host::live::{self, Desk, Player, Setup, When};
use tocco_host::midi::{self, Ear, Learn, Translator};
use tocco_host::render::Manner;
use tocco_host::wav::Encoding;

const VOICES: &str = r#"
    body.hammer = { type = "mass", mass_kg = 0.01 }
    body.bar = { type = "modal", modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }] }
    contact.hit = { type = "impact", between = ["hammer", "bar"], stiffness = 1e8 }
    tap = [{ of = "bar" }]
    control = [{ name = "hard", path = "hit/stiffness", range = [1e6, 1e10], scale = "log" }, { name = "long", path = "bar/decay_scale", range = [0.1, 10.0], scale = "log" }]
    [midi]
    notes = "pitch"
    strike = "hammer"
    velocity_m_s = [0.25, 4.0]
    retune = "bar"
    reference = 69
    voices = 3
    pressure = "long"
    slide = "hard"
    cc = { "1" = "hard" }
"#;

const SEVERAL: &str = r#"
    body.a = { type = "mass", mass_kg = 0.01 }
    body.b = { type = "mass", mass_kg = 0.01 }
    body.bar = { type = "modal", modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }], port = { left = [1.0], right = [-0.5] } }
    contact.x = { type = "impact", between = ["a", "bar.left"] }
    contact.y = { type = "impact", between = ["b", "bar.right"] }
    tap = [{ of = "bar.left" }]
    [midi]
"#;

fn loaded(text: &str) -> Document {
    library::from_text("test", "test", text.to_owned(), None).unwrap()
}

fn translator(text: &str) -> Translator {
    midi::prepare(loaded(text)).unwrap().1
}

fn at(translator: &mut Translator, now_s: f64, bytes: &[u8]) -> Vec<Gesture> {
    let mut gestures = Vec::new();
    translator.feed(bytes, now_s, &mut gestures);
    gestures
}

fn feed(translator: &mut Translator, bytes: &[u8]) -> Vec<Gesture> {
    at(translator, 0.0, bytes)
}

/// The value that goes to a path, and whether it glides.
fn moved(gestures: &[Gesture], path: &str) -> Option<(f64, bool)> {
    gestures.iter().rev().find_map(|gesture| match gesture {
        Gesture::Set { path: to, value } if to == path => Some((*value, true)),
        Gesture::Jump { path: to, value } if to == path => Some((*value, false)),
        _ => None,
    })
}

fn struck(gestures: &[Gesture]) -> Vec<(&str, f64)> {
    gestures
        .iter()
        .filter_map(|gesture| match gesture {
            Gesture::Strike { body: mass, velocity_m_s: v } => Some((mass.as_str(), *v)),
            Gesture::Hit { site, impulse_n_s: j } => Some((site.as_str(), *j)),
            _ => None,
        })
        .collect()
}

fn near(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-9
}

#[test]
fn a_note_tunes_a_voice_at_once_and_then_strikes_it_with_its_velocity() {
    let mut t = translator(VOICES);
    let gestures = feed(&mut t, &[0x90, 81, 127]);
    assert_eq!(
        gestures,
        [
            Gesture::Jump { path: "bar/freq_scale".into(), value: 2.0 },
            Gesture::Strike { body: "hammer".into(), velocity_m_s: 4.0 },
        ]
    );
    // Velocity 1 is the softest, 64 the middle of equal ratios.
    assert!(near(struck(&feed(&mut t, &[0x90, 60, 1]))[0].1, 0.25));
    assert!(near(struck(&feed(&mut t, &[0x90, 62, 64]))[0].1, 1.0));
}

#[test]
fn chords_take_a_voice_each_a_repeated_note_its_own_and_the_quietest_is_stolen() {
    let mut t = translator(VOICES);
    assert_eq!(struck(&at(&mut t, 0.0, &[0x90, 60, 127]))[0].0, "hammer");
    assert_eq!(struck(&at(&mut t, 0.0, &[0x90, 64, 20]))[0].0, "hammer~2");
    assert_eq!(struck(&at(&mut t, 0.0, &[0x90, 67, 100]))[0].0, "hammer~3");
    // Nothing is measured yet: the softest blow goes first. The same note again, on the same bar.
    assert_eq!(struck(&at(&mut t, 0.01, &[0x90, 72, 60]))[0].0, "hammer~2");
    assert_eq!(struck(&at(&mut t, 0.1, &[0x90, 67, 100]))[0].0, "hammer~3");
    // Then what is measured counts, however hard the blow was; what was just played is spared.
    t.set_energies([1e-6, 2e-6, 1e-9].into_iter());
    assert_eq!(struck(&at(&mut t, 0.12, &[0x90, 50, 10]))[0].0, "hammer");
    assert_eq!(struck(&at(&mut t, 0.12, &[0x90, 51, 10]))[0].0, "hammer~2");
}

/// A keyboard at a desk, with its player.
fn seat(text: &str) -> (Desk, Player, Ear) {
    let (scene, translator) = midi::prepare(loaded(text)).unwrap();
    let setup = Setup { watch_load: false, limiter: false, ..Setup::default() };
    let (mut desk, player) = live::open(scene, setup).unwrap();
    let ear = Ear::new(&mut desk, Arc::new(Mutex::new(translator)));
    (desk, player, ear)
}

/// So many seconds in blocks of 64.
fn sound(desk: &mut Desk, player: &mut Player, seconds: f64) -> Vec<f32> {
    let mut out = vec![0.0; (seconds * 48_000.0) as usize / 64 * 64];
    for block in out.chunks_mut(64) {
        player.play(&[], block);
        desk.poll().unwrap();
    }
    out
}

/// Level of the end of a sound over that of an earlier part, both 50 ms long.
fn fall(sound: &[f32]) -> f64 {
    let square = |part: &[f32]| part.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>();
    (square(&sound[sound.len() - 2_400..]) / square(&sound[..2_400])).sqrt()
}

#[test]
fn the_voice_that_is_stolen_is_the_one_with_the_least_energy_not_the_one_that_was_played_most_softly() {
    let (mut desk, mut player, mut ear) = seat(VOICES);
    for (index, message) in [[0x90, 60, 127], [0x90, 64, 60], [0x90, 67, 60]].iter().enumerate() {
        ear.hear(&mut desk, 0, message, 0.1 * index as f64);
        sound(&mut desk, &mut player, 0.1);
    }
    // Someone lays a hand on the first bar, which was struck hardest by far.
    desk.set("bar/decay_scale", 1e-3).unwrap();
    sound(&mut desk, &mut player, 0.1);
    ear.hear(&mut desk, 0, &[0x90, 72, 60], 0.4);
    let energies: Vec<f64> = desk.energies().collect();
    assert!(energies[0] < 1e-6 * energies[1] && energies[1] > 0.0 && energies[2] > 0.0, "{energies:?}");
    sound(&mut desk, &mut player, 0.01);
    assert_eq!(desk.value("bar/freq_scale"), Some((3.0_f64 / 12.0).exp2()), "the first voice has the new note");
}

#[test]
fn a_key_that_goes_up_damps_its_voice_in_the_time_the_scene_says_unless_the_pedal_holds_it() {
    let damped = VOICES.replace("voices = 3", "voices = 3\nrelease_s = 0.04").replace("    pressure = \"long\"\n", "");
    let start = damped.find(", { name = \"long\"").unwrap();
    let end = start + damped[start..].find("}]").unwrap();
    let damped = format!("{}{}", &damped[..start], &damped[end + 1..]);
    let off = [0x80, 60, 0];
    // 1/e in 0.5 s as written, in 0.04 s when let go; over 0.15 s, of which 0.02 s are a glide.
    let ends = |text: &str, messages: &[&[u8]]| {
        let (mut desk, mut player, mut ear) = seat(text);
        ear.hear(&mut desk, 0, &[0x90, 60, 100], 0.0);
        sound(&mut desk, &mut player, 0.1);
        messages.iter().for_each(|message| ear.hear(&mut desk, 0, message, 0.1));
        fall(&sound(&mut desk, &mut player, 0.2))
    };
    let ring = (-0.15_f64 / 0.5).exp();
    let close = |a: f64, b: f64| (a / b - 1.0).abs() < 0.05;
    assert!(close(ends(&damped, &[]), ring));
    assert!(close(ends(VOICES, &[&off]), ring), "without a release time it rings on");
    let released = ends(&damped, &[&off]);
    assert!((0.02..0.06).contains(&released), "{released}, and e^(-0.15/0.04) is 0.024");
    assert!(close(ends(&damped, &[&[0xb0, 64, 127], &off]), ring), "the pedal holds it");
    assert!(close(ends(&damped, &[&[0xb0, 64, 127], &off, &[0xb0, 64, 0]]), released), "and lets it go");
    assert!(close(ends(&damped, &[&[0xb0, 123, 0]]), released), "all notes off lets go");
    // A new note finds the damper up.
    let (mut desk, mut player, mut ear) = seat(&damped);
    for message in [[0x90, 60, 100], [0x80, 60, 0], [0x90, 60, 100]] {
        ear.hear(&mut desk, 0, &message, 0.0);
        sound(&mut desk, &mut player, 0.1);
    }
    assert!(close(fall(&sound(&mut desk, &mut player, 0.2)), ring));
}

#[test]
fn a_body_that_several_keys_ring_is_damped_when_the_last_of_them_goes_up_and_a_string_by_its_quality() {
    let text = format!("{SEVERAL}notes = \"ports\"\nhit = \"bar\"\nrelease_s = 0.05");
    let mut t = translator(&text);
    feed(&mut t, &[0x90, 60, 100, 61, 100]);
    assert!(feed(&mut t, &[0x80, 60, 0]).is_empty());
    assert!(near(moved(&feed(&mut t, &[0x80, 61, 0]), "bar/decay_scale").unwrap().0, 0.1));
    assert_eq!(moved(&feed(&mut t, &[0x90, 60, 100]), "bar/decay_scale"), Some((1.0, false)));
    // The pedal of an MPE zone's master holds all its members.
    let string = "body.wire = { type = \"string\", freq_hz = 220.0, q = 2000.0, port = { a = 0.3 } }\n\
        tap = [{ of = \"wire.a\" }]\n[midi]\nnotes = \"pitch\"\nhit = \"wire.a\"\nretune = \"wire\"\nreference = 57\n\
        release_s = 0.1\nmpe = true\n";
    let mut t = translator(string);
    feed(&mut t, &[0x91, 69, 100, 0xb0, 64, 127]);
    assert!(feed(&mut t, &[0x81, 69, 0]).is_empty());
    let (q, glides) = moved(&feed(&mut t, &[0xb0, 64, 0]), "wire/q").unwrap();
    assert!(near(q, std::f64::consts::PI * 440.0 * 0.1) && glides);
    // A control that moves what a release damps is an error that names it.
    let both = VOICES.replace("voices = 3", "voices = 3\nrelease_s = 0.1");
    let said = tocco::scene::Scene::build(&loaded(&both).def, 48_000.0).err().unwrap().to_string();
    assert!(said.contains("midi.release_s") && said.contains("'long'"), "{said}");
}

#[test]
fn a_scene_that_comes_while_a_keyboard_plays_gets_its_voices_too_and_may_be_played_again() {
    let (mut desk, mut player, mut ear) = seat(&format!("{SEVERAL}notes = \"ports\"\nhit = \"bar\""));
    desk.load(loaded(VOICES)).unwrap();
    sound(&mut desk, &mut player, 0.01);
    ear.hear(&mut desk, 0, &[0x90, 69, 100, 81, 100, 57, 100], 0.0);
    assert_eq!(desk.value("bar~3/freq_scale"), Some(0.5));
    assert_eq!(desk.counts().refused, 0);
    let again = desk.scene().clone();
    desk.load(again).unwrap();
    sound(&mut desk, &mut player, 0.01);
    ear.hear(&mut desk, 0, &[0x90, 69, 100, 81, 100], 1.0);
    assert_eq!(desk.value("bar~2/freq_scale"), Some(2.0));
}

#[test]
fn a_rhythm_that_is_heard_of_in_bunches_is_played_as_it_was_stamped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("take.jsonl");
    let (scene, translator) = midi::prepare(loaded(VOICES)).unwrap();
    let setup = Setup { watch_load: false, ..Setup::default() };
    let (mut desk, player) = live::open(scene, setup).unwrap();
    let take = TakeFile::record(&mut desk, &path).unwrap();
    let mut ear = Ear::new(&mut desk, Arc::new(Mutex::new(translator)));
    let null = Null::start(player, 512).map_err(|(_, e)| e).unwrap();
    let began = Instant::now();
    // The device's clock settles first.
    while began.elapsed() < Duration::from_millis(1_500) {
        std::thread::sleep(Duration::from_millis(2));
        desk.poll().unwrap();
    }
    // A note every 20 ms; it is heard of up to 7 ms later than it was stamped.
    let first_us = began.elapsed().as_micros() as u64 + 20_000;
    for index in 0..60_u64 {
        let stamp_us = first_us + 20_000 * index;
        let heard = Duration::from_micros(stamp_us + 7_000 * ((index * 5) % 8) / 7);
        while began.elapsed() < heard {
            std::thread::sleep(Duration::from_micros(200));
            desk.poll().unwrap();
        }
        ear.hear(&mut desk, stamp_us, &[0x90, 69, 100], began.elapsed().as_secs_f64());
    }
    std::thread::sleep(Duration::from_millis(100));
    desk.stop().unwrap();
    std::thread::sleep(Duration::from_millis(100));
    assert!(Box::new(null).stop().is_some());
    take.finish(&mut desk).unwrap();
    let take = tocco_host::take::read(&path).unwrap();
    let strikes: Vec<u64> =
        take.entries.iter().filter(|e| matches!(e.gesture, Gesture::Strike { .. })).map(|e| e.at).collect();
    let mut apart: Vec<f64> = strikes.windows(2).skip(20).map(|pair| (pair[1] - pair[0]) as f64 - 960.0).collect();
    apart.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    // Block boundaries would put every one of them 64 samples off or more. On a machine that is busy with other things some
    // come too late to be placed, and the device's clock stutters.
    assert!(apart[apart.len() / 4].abs() < 24.0, "{apart:?}");
}

#[test]
fn running_status_and_bytes_in_pieces_with_clocks_between_mean_the_same() {
    let whole = feed(&mut translator(VOICES), &[0x90, 60, 100, 0x90, 64, 100]);
    let running = feed(&mut translator(VOICES), &[0x90, 60, 100, 64, 100]);
    assert_eq!(whole, running);
    let mut t = translator(VOICES);
    let mut pieces = Vec::new();
    for byte in [0x90, 0xf8, 60, 0xfe, 100, 0xf8, 64, 100] {
        pieces.extend(feed(&mut t, &[byte]));
    }
    assert_eq!(whole, pieces);
    // A system exclusive ends running status, and what is in it is not for us.
    assert!(feed(&mut t, &[0xf0, 0x7e, 0x90 & 0x7f, 60, 0xf7, 60, 100]).is_empty());
}

#[test]
fn velocity_zero_lets_go_like_a_note_off_and_neither_is_heard() {
    for off in [[0x90, 60, 0], [0x80, 60, 64]] {
        let mut t = translator(&VOICES.replace("voices = 3", "voices = 3\nmpe = true"));
        feed(&mut t, &[0x91, 60, 100]);
        assert!(feed(&mut t, &[off[0] + 1, off[1], off[2]]).is_empty());
        // Nobody holds a note on this channel: its bend is for the next one.
        assert!(feed(&mut t, &[0xe1, 0, 0x60]).is_empty());
    }
}

#[test]
fn a_bend_glides_by_its_range_which_registered_parameter_0_sets() {
    let mut t = translator(VOICES);
    feed(&mut t, &[0x90, 69, 100]);
    let (ratio, glides) = moved(&feed(&mut t, &[0xe0, 0x7f, 0x7f]), "bar/freq_scale").unwrap();
    assert!(near(ratio, (2.0_f64 / 12.0).exp2()) && glides);
    // Twelve semitones; the bend that is held is heard at once.
    let wide = feed(&mut t, &[0xb0, 101, 0, 100, 0, 6, 12]);
    assert!(near(moved(&wide, "bar/freq_scale").unwrap().0, 2.0));
    assert!(near(moved(&feed(&mut t, &[0xe0, 0, 0]), "bar/freq_scale").unwrap().0, 0.5));
    // Fifty cents more, then null: data bytes mean nothing any more.
    feed(&mut t, &[0xb0, 38, 50]);
    let gestures = feed(&mut t, &[0xe0, 0x7f, 0x7f]);
    assert!(near(moved(&gestures, "bar/freq_scale").unwrap().0, (12.5_f64 / 12.0).exp2()));
    assert!(feed(&mut t, &[0xb0, 101, 127, 100, 127, 6, 1]).is_empty());
    // Another channel's bend is not ours.
    assert!(feed(&mut t, &[0xe3, 0, 0]).is_empty());
}

#[test]
fn in_an_mpe_zone_every_note_has_its_own_bend_pressure_and_slide_and_the_master_bends_all() {
    let mut t = translator(VOICES);
    // Lower zone with three members: channels 2 to 4.
    feed(&mut t, &[0xb0, 101, 0, 100, 6, 6, 3]);
    feed(&mut t, &[0x91, 69, 100, 0x92, 69, 100]);
    let gestures = feed(&mut t, &[0xe2, 0x7f, 0x7f]);
    assert_eq!(gestures.len(), 1);
    // 48 semitones leave the range of a body; the desk clamps and counts that.
    assert!(near(moved(&gestures, "bar~2/freq_scale").unwrap().0, 16.0));
    let gestures = feed(&mut t, &[0xd1, 127]);
    assert!(gestures.len() == 1 && near(moved(&gestures, "bar/decay_scale").unwrap().0, 10.0));
    let gestures = feed(&mut t, &[0xb2, 74, 0]);
    assert!(gestures.len() == 1 && near(moved(&gestures, "hit~2/stiffness").unwrap().0, 1e6));
    let gestures = feed(&mut t, &[0xe0, 0x7f, 0x7f]);
    assert!(near(moved(&gestures, "bar/freq_scale").unwrap().0, (2.0_f64 / 12.0).exp2()));
    assert!(near(moved(&gestures, "bar~2/freq_scale").unwrap().0, (50.0_f64 / 12.0).exp2()));
    // Channel 5 is outside: an ordinary channel.
    assert_eq!(feed(&mut t, &[0xd4, 127]), [Gesture::Set { path: "long".into(), value: 1.0 }]);
    // What a channel says before its note holds for the note.
    feed(&mut t, &[0xd3, 0]);
    let gestures = feed(&mut t, &[0x93, 60, 100]);
    assert!(near(moved(&gestures, "bar~3/decay_scale").unwrap().0, 0.1));
}

#[test]
fn two_zones_share_the_channels_and_the_last_one_told_has_its_way() {
    let mut t = translator(VOICES);
    feed(&mut t, &[0xb0, 101, 0, 100, 6, 6, 10, 0xbf, 101, 0, 100, 6, 6, 7]);
    // Upper: members 9 to 15 (indices 8 to 14); lower keeps 2 to 8 (indices 1 to 7).
    feed(&mut t, &[0x97, 69, 100, 0x98, 69, 100]);
    let lower = feed(&mut t, &[0xe0, 0x7f, 0x7f]);
    assert!(lower.len() == 1 && moved(&lower, "bar/freq_scale").is_some(), "{lower:?}");
    let upper = feed(&mut t, &[0xef, 0x7f, 0x7f]);
    assert!(upper.len() == 1 && moved(&upper, "bar~2/freq_scale").is_some(), "{upper:?}");
}

#[test]
fn aftertouch_of_one_key_moves_its_voice_alone_and_that_of_the_channel_all() {
    let mut t = translator(VOICES);
    feed(&mut t, &[0x90, 60, 100, 64, 100]);
    let gestures = feed(&mut t, &[0xa0, 64, 127]);
    assert!(gestures.len() == 1 && near(moved(&gestures, "bar~2/decay_scale").unwrap().0, 10.0), "{gestures:?}");
    assert_eq!(feed(&mut t, &[0xd0, 0]), [Gesture::Set { path: "long".into(), value: 0.0 }]);
    assert_eq!(feed(&mut t, &[0xb0, 1, 127]), [Gesture::Set { path: "hard".into(), value: 1.0 }]);
}

#[test]
fn all_notes_off_lets_go_and_all_sound_off_brings_everything_to_rest() {
    let mut t = translator(&VOICES.replace("voices = 3", "voices = 3\nmpe = true"));
    feed(&mut t, &[0x91, 60, 100]);
    assert_eq!(feed(&mut t, &[0xe1, 0, 0x60]).len(), 1);
    assert!(feed(&mut t, &[0xb1, 123, 0]).is_empty());
    assert!(feed(&mut t, &[0xe1, 0, 0x40]).is_empty());
    assert_eq!(feed(&mut t, &[0xb1, 120, 0]), [Gesture::Hush]);
    assert_eq!(struck(&feed(&mut t, &[0x92, 61, 100]))[0].0, "hammer", "every voice is free again");
}

#[test]
fn notes_pick_bodies_or_ports_from_the_lowest_on_and_others_are_passed_over() {
    let mut t = translator(&format!("{SEVERAL}notes = \"bodies\"\nlow = 36\nstrike = [\"a\", \"b\"]"));
    assert_eq!(struck(&feed(&mut t, &[0x99, 36, 127, 37, 127])), [("a", 4.0), ("b", 4.0)]);
    assert!(feed(&mut t, &[0x99, 35, 127, 38, 127, 127, 127]).is_empty());
    let mut t = translator(&format!("{SEVERAL}notes = \"ports\"\nhit = \"bar\"\nimpulse_n_s = [0.01, 0.02]"));
    assert_eq!(struck(&feed(&mut t, &[0x90, 60, 1, 61, 127])), [("bar.left", 0.01), ("bar.right", 0.02)]);
    // Without a table the masses are struck from middle C on.
    let mut t = translator(SEVERAL.trim_end().trim_end_matches("[midi]"));
    assert_eq!(struck(&feed(&mut t, &[0x90, 61, 127])), [("b", 4.0)]);
}

#[test]
fn a_knob_that_is_learnt_moves_the_chosen_control_and_the_line_to_keep_it_is_told() {
    let mut t = translator(VOICES);
    t.learn(Some(Learn { path: "long".into(), range: None, mass: None }));
    assert!(!feed(&mut t, &[0x90, 60, 100]).is_empty() && t.is_learning(), "a note still plays");
    feed(&mut t, &[0xb0, 101, 0]);
    assert!(t.is_learning(), "a registered parameter is no knob");
    let gestures = feed(&mut t, &[0xb0, 21, 127]);
    let told = t.remark().unwrap();
    let [Gesture::Set { path, value }] = &gestures[..] else { panic!("{gestures:?}") };
    assert!(told.ends_with(r#"[midi] cc = { "21" = "long" }"#) && path == "long" && *value == 1.0, "{told}");
    assert!(!t.is_learning());
    assert_eq!(feed(&mut t, &[0xb0, 21, 0]), [Gesture::Set { path: "long".into(), value: 0.0 }]);
    // A path has its own range; a key strikes the chosen mass.
    let range = Some(([1.0, 100.0], tocco::param::Scale::Log));
    t.learn(Some(Learn { path: "hit/stiffness".into(), range, mass: Some("hammer~2".into()) }));
    let gestures = feed(&mut t, &[0x90, 5, 127]);
    assert_eq!(struck(&gestures), [("hammer~2", 4.0)]);
    t.learn(Some(Learn { path: "hit/stiffness".into(), range, mass: None }));
    assert!(near(moved(&feed(&mut t, &[0xb0, 22, 127]), "hit/stiffness").unwrap().0, 100.0));
}

#[test]
fn a_hundred_thousand_random_messages_never_panic_and_every_order_is_one_the_desk_understands() {
    let (scene, mut t) = midi::prepare(loaded(VOICES)).unwrap();
    let setup = Setup { watch_load: false, ..Setup::default() };
    let (mut desk, mut player) = live::open(scene, setup).unwrap();
    let mut rng = Rng::new(7, "midi");
    let (mut gestures, mut block, mut given) = (Vec::new(), vec![0.0; 64], 0_u64);
    for message in 0..100_000 {
        let bits = rng.bits();
        let mut bytes = bits.to_le_bytes();
        // Half of them are well formed, so that deep states are reached; of the others anything may come.
        if message % 2 == 0 {
            bytes[0] = 0x80 | (bytes[0] & 0x7f);
            bytes[1..].iter_mut().for_each(|byte| *byte &= 0x7f);
        }
        if message % 997 == 0 {
            t.learn(Some(Learn { path: "hard".into(), range: None, mass: None }));
        }
        t.feed(&bytes[..1 + (bits >> 60) as usize % 8], f64::from(message) * 1e-3, &mut gestures);
        for gesture in &gestures {
            let (Gesture::Set { value, .. }
            | Gesture::Jump { value, .. }
            | Gesture::Strike { velocity_m_s: value, .. }
            | Gesture::Hit { impulse_n_s: value, .. }) = gesture
            else {
                continue;
            };
            assert!(value.is_finite(), "{gesture:?}");
        }
        given += gestures.len() as u64;
        if message % 50 == 0 {
            midi::perform(&mut desk, &mut gestures, When::Now);
            player.play(&[], &mut block);
            desk.poll().unwrap();
            assert!(block.iter().all(|x| x.is_finite()));
        }
        gestures.clear();
    }
    assert!(given > 20_000, "{given}");
    assert_eq!(desk.counts().refused, 0);
}

#[test]
fn a_note_sounds_at_its_pitch_from_the_start_and_the_take_gives_the_same_samples_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("take.jsonl");
    let (scene, mut t) = midi::prepare(loaded(VOICES)).unwrap();
    let setup = Setup { watch_load: false, limiter: false, ..Setup::default() };
    let (mut desk, mut player) = live::open(scene, setup).unwrap();
    let take = TakeFile::record(&mut desk, &path).unwrap();
    let (mut gestures, mut sound) = (Vec::new(), Vec::new());
    let mut block = vec![0.0_f32; 256];
    for index in 0..40 {
        if index == 4 {
            t.feed(&[0x90, 76, 80], 0.0, &mut gestures);
            midi::perform(&mut desk, &mut gestures, When::Now);
        }
        if index == 39 {
            desk.stop().unwrap();
        }
        player.play(&[], &mut block);
        desk.poll().unwrap();
        sound.extend_from_slice(&block);
    }
    take.finish(&mut desk).unwrap();
    // Zero crossings upwards over the free ring, from 5 ms after the strike: a fifth above 440 Hz.
    let ring = &sound[1024 + 240..1024 + 240 + 4800];
    let ups: Vec<usize> = (1..ring.len()).filter(|&i| ring[i - 1] < 0.0 && ring[i] >= 0.0).collect();
    let period = (ups[ups.len() - 1] - ups[0]) as f64 / (ups.len() - 1) as f64;
    let wanted = 440.0 * (7.0_f64 / 12.0).exp2();
    assert!((48_000.0 / period / wanted - 1.0).abs() < 3e-3, "{} Hz, wanted {wanted}", 48_000.0 / period);
    let first = (ups[1] - ups[0]) as f64;
    assert!((first - period).abs() <= 1.5, "no glide: first period {first}, mean {period}");
    let take = tocco_host::take::read(&path).unwrap();
    let manner = Manner { encoding: Encoding::Float32, gain_db: 0.0, normalise_dbfs: None, probe: None };
    let report = tocco_host::take::to_wav(&take, &folder.path().join("again.wav"), &manner);
    assert!(report.is_ok(), "{:?}", report.err());
}

#[test]
fn mistakes_in_the_table_are_answered_with_line_and_nearest_name() {
    for (change, wanted) in [
        (("strike = \"hammer\"", "strike = \"hamer\""), "midi.strike: no body 'hamer'; did you mean 'hammer'?"),
        (("strike = \"hammer\"", "strike = \"bar\""), "'bar' is not a mass"),
        (("retune = \"bar\"", "retune = \"hammer\""), "has no pitch"),
        (("retune = \"bar\"", "retun = \"bar\""), "did you mean 'retune'?"),
        (("slide = \"hard\"", "slide = \"hart\""), "midi.slide: no control 'hart'; did you mean 'hard'?"),
        (("\"1\" = \"hard\"", "\"1\" = \"lang\""), "midi.cc.1: no control 'lang'; did you mean 'long'?"),
        (("\"1\" = \"hard\"", "\"120\" = \"hard\""), "wants 0 to 119"),
        (("voices = 3", "voices = 0"), "out of range"),
        (("notes = \"pitch\"", "notes = \"pitsch\""), "did you mean 'pitch'?"),
        (("notes = \"pitch\"", "notes = \"bodies\""), "belongs to notes = \"pitch\""),
        (("velocity_m_s = [0.25, 4.0]", "velocity_m_s = [0.0, 4.0]"), "out of range"),
        (("velocity_m_s = [0.25, 4.0]", "impulse_n_s = [0.1, 4.0]"), "belongs to hit"),
        (("velocity_m_s = [0.25, 4.0]", "low = 70\nhigh = 60"), "no note would play"),
    ] {
        let text = VOICES.replace(change.0, change.1);
        assert_ne!(text, VOICES, "{change:?}");
        let said = match library::from_text("test", "test.toml", text, None) {
            Ok(scene) => match tocco::scene::Scene::build(&scene.def, 48_000.0) {
                Ok(_) => panic!("{change:?} is taken"),
                Err(error) => library::wrong(&scene, &error).to_string(),
            },
            Err(error) => error.to_string(),
        };
        assert!(said.contains(wanted) && said.starts_with("test.toml:"), "{said}");
        let line: usize = said.split(':').nth(1).unwrap().parse().unwrap_or(0);
        assert!(line > 7, "{said}");
    }
    let def = loaded(VOICES).def;
    assert_eq!(tocco::SceneDef::from_text(&def.to_toml()).unwrap().midi, def.midi);
}
