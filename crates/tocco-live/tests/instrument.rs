// SPDX-License-Identifier: MIT OR Apache-2.0
//! An instrument in a host: numbers that stay, notes and commands from the thread of the sound, states.

use tocco::{Command, Document, Gesture, Timed};
use tocco_live::instrument::{Role, id_of};
use tocco_live::midi::{Map, Translator};
use tocco_live::notes::{Note, NoteEvent, Which};
use tocco_live::take::{Replay, SharedWriter, Take};
use tocco_live::{Instrument, Session, Setup, State, When};
use tocco_testing::allocations::{Counting, assert_awake, count, watched};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const BAR: &str = "body.hammer = { type = 'mass', mass_kg = 0.01, position_m = -1.0 }\n\
    body.bar = { type = 'modal', modes = [{ freq_hz = 440.0, decay_s = 0.2, mass_kg = 0.05 }, { freq_hz = 1213.0, decay_s = 0.1, mass_kg = 0.05 }] }\n\
    contact.hit = { type = 'impact', between = ['hammer', 'bar'], stiffness = 1e8 }\n\
    tap = [{ of = 'bar', gain = 0.3 }]\n\
    control = [{ name = 'hard', path = 'hit/stiffness', range = [1e6, 1e9], scale = 'log' },\n\
      { name = 'heavy', path = 'hammer/mass_kg', range = [0.005, 0.05], scale = 'log' }]\n\
    [midi]\nnotes = 'pitch'\nstrike = 'hammer'\nretune = 'bar'\nvoices = 3\nrelease_s = 0.02\nslide = 'hard'\npressure = 'heavy'\n";

fn document() -> Document {
    Document::read("bar", "here", BAR.into(), |_| Err("none".into())).unwrap()
}

fn instrument() -> Instrument {
    Instrument::new(document(), None).unwrap()
}

fn plain() -> Setup {
    Setup { limiter: false, ..Setup::default() }
}

const ANY: Which = Which { id: None, channel: None, key: None };

fn on(id: i32, key: u8, velocity_01: f64) -> NoteEvent {
    NoteEvent::On { note: Note { id, channel: 0, key }, velocity_01, tuning: 0.0 }
}

/// What is played, with notes and commands at their samples, in blocks of this many frames.
fn played(events: &[(u64, NoteEvent)], block: usize, planar: bool) -> Vec<f32> {
    played_on(&instrument(), events, block, planar)
}

fn played_on(instrument: &Instrument, events: &[(u64, NoteEvent)], block: usize, planar: bool) -> Vec<f32> {
    let (_desk, mut player, mut notes) = instrument.open(plain()).unwrap();
    let mut all = vec![0.0; 24_000];
    let mut waiting = events.iter().peekable();
    for (at, out) in all.chunks_mut(block).enumerate() {
        let end = (at * block + out.len()) as u64;
        while let Some((tick, event)) = waiting.next_if(|(tick, _)| *tick < end) {
            assert!(notes.play(*event, *tick, &mut player));
        }
        if planar {
            player.play_planar(&[], &mut [out])
        } else {
            player.play(&[], out)
        }
        notes.follow(player.engine());
    }
    all
}

fn tune() -> Vec<(u64, NoteEvent)> {
    let which = Which { id: Some(2), ..ANY };
    vec![
        (101, on(1, 60, 100.0 / 127.0)),
        (3_333, on(2, 64, 0.5)),
        (5_001, NoteEvent::Tune(which, 0.37)),
        (6_007, NoteEvent::Brighten(which, 0.9)),
        (6_100, NoteEvent::Press(which, 0.8)),
        (7_777, NoteEvent::Off(Which { key: Some(60), ..ANY })),
        (8_000, on(3, 67, 0.3)),
        (8_001, on(4, 71, 0.9)),
        (12_345, NoteEvent::Choke(Which { id: Some(4), ..ANY })),
        (13_000, on(5, 71, 0.8)),
    ]
}

#[test]
fn notes_fall_on_their_samples_for_any_block_and_planar_is_the_same() {
    let whole = played(&tune(), 24_000, false);
    assert_eq!(whole.iter().position(|x| *x != 0.0), Some(101));
    for block in [1, 32, 509, 4_800] {
        assert!(played(&tune(), block, false) == whole, "blocks of {block}");
    }
    assert!(played(&tune(), 509, true) == whole && played(&tune(), 24_000, true) == whole);
}

#[test]
fn a_key_let_go_after_its_note_rang_out_frees_its_voice_for_any_block() {
    let text = BAR.replace("decay_s = 0.2", "decay_s = 0.005").replace("decay_s = 0.1,", "decay_s = 0.005,");
    let instrument =
        Instrument::new(Document::read("dry", "here", text, |_| Err("none".into())).unwrap(), None).unwrap();
    let key = |key: u8| Which { key: Some(key), ..ANY };
    // It has rung out after 0.06 s and is let go after 0.2 s; then as many as there are voices and one more, each let go.
    let mut events = vec![(0, on(1, 60, 0.9)), (9_600, NoteEvent::Off(key(60)))];
    for count in 0..=instrument.voices() as u8 {
        let at = 10_000 + 150 * u64::from(count);
        events.extend([(at, on(2 + i32::from(count), 62 + count, 0.9)), (at + 100, NoteEvent::Off(key(62 + count)))]);
    }
    let whole = played_on(&instrument, &events, 24_000, false);
    for block in [1, 509] {
        assert!(played_on(&instrument, &events, block, false) == whole, "blocks of {block}");
    }
    // It ends once, and sounds no more though its key is down; the voice is the first to be let go, so the third note takes it.
    let (_desk, mut player, mut notes) = instrument.open(plain()).unwrap();
    let (mut out, mut ended) = (vec![0.0; 480], Vec::new());
    for (at, event) in &events {
        while player.engine().tick() < *at {
            player.play(&[], &mut out);
            notes.follow(player.engine());
            ended.extend(std::iter::from_fn(|| notes.ended()).map(|note| note.id));
        }
        if *at == 9_600 {
            assert_eq!((ended.as_slice(), notes.sounding().count()), (&[1][..], 0));
        }
        assert!(notes.play(*event, *at, &mut player));
    }
    ended.extend(std::iter::from_fn(|| notes.ended()).map(|note| note.id));
    assert_eq!(ended, [1, 2], "three voices for four notes after it");
}

#[test]
fn planes_hold_the_channels_of_interleaved_frames_each_its_own() {
    let two = "tap = [{ of = 'bar', gain = 0.3 }, { of = 'bar', gain = 0.1, to = 'shaker' }]\n\
        output.main = { channels = [0] }\noutput.shaker = { channels = [1] }";
    let text = BAR.replace("tap = [{ of = 'bar', gain = 0.3 }]", two);
    let open = || {
        let scene = Document::read("two", "here", text.clone(), |_| Err("none".into())).unwrap();
        let (desk, mut player, mut notes) = Instrument::new(scene, None).unwrap().open(plain()).unwrap();
        assert!(player.channels() == 2 && notes.play(on(1, 60, 0.8), 101, &mut player));
        (desk, player)
    };
    let mut frames = vec![0.0; 2 * 9_600];
    open().1.play(&[], &mut frames);
    let channel = |at: usize| frames.iter().skip(at).step_by(2).copied().collect::<Vec<f32>>();
    assert!(channel(0) != channel(1) && channel(1).iter().any(|x| *x != 0.0));
    // A call of more frames than are made at once, too.
    for block in [509, 9_600] {
        let ((_desk, mut player), mut planes) = (open(), [(); 3].map(|()| vec![1.0; 9_600]));
        for from in (0..9_600).step_by(block) {
            let to = (from + block).min(9_600);
            player.play_planar(&[], &mut planes.each_mut().map(|plane| &mut plane[from..to]));
        }
        assert!(planes == [channel(0), channel(1), vec![0.0; 9_600]], "blocks of {block}");
    }
}

#[test]
fn typed_notes_sound_as_the_same_notes_in_midi_bytes() {
    let bytes: [(u64, [u8; 3]); 3] = [(100, [0x90, 60, 90]), (3_000, [0x90, 67, 31]), (9_000, [0x80, 60, 0])];
    let scene = instrument().scene().clone();
    let mut session = Session::open(scene.clone(), plain()).unwrap();
    let mut translator = Translator::new(Map::of(&scene.def));
    for (count, (tick, bytes)) in bytes.into_iter().enumerate() {
        let mut gestures = Vec::new();
        translator.set_energies((0..3).map(|voice| if voice < count { 1.0 } else { 0.0 }));
        translator.feed(&bytes, tick as f64 / 48_000.0, &mut gestures);
        assert!(!gestures.is_empty());
        for gesture in &gestures {
            session.desk.perform(gesture, When::Tick(tick)).unwrap();
        }
    }
    let mut by_bytes = vec![0.0; 24_000];
    session.play(&[], &mut by_bytes).unwrap();
    let which = Which { key: Some(60), ..ANY };
    let events = [(100, on(7, 60, 90.0 / 127.0)), (3_000, on(8, 67, 31.0 / 127.0)), (9_000, NoteEvent::Off(which))];
    assert!(played(&events, 512, false) == by_bytes);
}

const KEYBOARD: &str = "body.hammer = { type = 'mass', mass_kg = 0.01, position_m = -1.0 }\n\
    body.bar = { type = 'modal', modes = [{ freq_hz = 440.0, decay_s = 0.2, mass_kg = 0.05 }] }\n\
    contact.hit = { type = 'impact', between = ['hammer', 'bar'], stiffness = 1e8 }\n\
    tap = [{ of = 'bar', gain = 0.3 }]\n\
    control = [{ name = 'hard', path = 'hit/stiffness', range = [1e6, 1e9], scale = 'log' },\n\
      { name = 'size', path = 'hammer/mass_kg', range = [0.005, 0.05], scale = 'log' },\n\
      { name = 'loss', path = 'hit/dissipation_s_m', range = [0.01, 1.0], scale = 'log' }]\n\
    [midi]\nnotes = 'pitch'\nstrike = 'hammer'\nretune = 'bar'\nvoices = 8\nslide = 'hard'\npressure = 'size'\ncc = { '1' = 'loss' }\n";

/// Messages that a keyboard may send, drawn at random: eight keys at most, none struck again once it was let go.
fn messages(rng: &mut tocco::rng::Rng) -> Vec<(u64, [u8; 3])> {
    let mut below = |n: u64| (rng.unit() * n as f64) as u64;
    let mut all = Vec::new();
    let mut at = 0;
    let keys: Vec<(u8, u8)> = (0..8).map(|key| (below(16) as u8, 48 + 5 * key + below(5) as u8)).collect();
    let mut gone = [false; 8];
    for _ in 0..60 {
        at += 1 + below(120);
        let any = below(8) as usize;
        let (channel, value) = (below(16) as u8, below(128) as u8);
        let (own, key) = keys[any];
        match below(12) {
            0..=3 if !gone[any] => all.push((at, [0x90 | own, key, value.max(1)])),
            4 => {
                gone[any] = true;
                all.push((at, [0x80 | own, key, 0]));
            }
            5 => all.push((at, [0xe0 | if value < 64 { own } else { channel }, below(128) as u8, value])),
            6 => all.push((at, [0xd0 | own, value, 0])),
            7 => all.push((at, [0xa0 | own, key, value])),
            8 => all.push((at, [0xb0 | own, 74, value])),
            9 => {
                let number = [1, 64, 64, 121, 123][below(5) as usize];
                keys.iter().zip(&mut gone).for_each(|((on, _), gone)| *gone |= number == 123 && *on == channel);
                all.push((at, [0xb0 | channel, number, value]));
            }
            10 => {
                let master = if value < 64 { 0 } else { 15 };
                all.extend([
                    (at, [0xb0 | master, 101, 0]),
                    (at, [0xb0 | master, 100, 6]),
                    (at, [0xb0 | master, 6, value % 16]),
                ]);
            }
            11 => {
                all.extend([(at, [0xb0 | own, 101, 0]), (at, [0xb0 | own, 100, 0]), (at, [0xb0 | own, 6, value % 49])])
            }
            _ => {}
        }
    }
    all
}

/// What bytes sound like by the names of the program's keyboard, and as typed notes on the audio side.
fn both_ways(instrument: &Instrument, messages: &[(u64, [u8; 3])]) -> [Vec<f32>; 2] {
    let mut session = Session::open(instrument.scene().clone(), plain()).unwrap();
    let mut translator = Translator::new(Map::of(&instrument.scene().def));
    let (_desk, mut player, mut notes) = instrument.open(plain()).unwrap();
    let mut struck: Vec<(u8, u8)> = Vec::new();
    for (tick, bytes) in messages {
        // The keyboard takes the quietest voice: one that was never played.
        translator.set_energies((0..8).map(|voice| if voice < struck.len() { 1.0 } else { 0.0 }));
        if bytes[0] >> 4 == 9 && !struck.contains(&(bytes[0] & 15, bytes[1])) {
            struck.push((bytes[0] & 15, bytes[1]));
        }
        let mut gestures = Vec::new();
        // Pressure has one byte of data.
        let length = if bytes[0] >> 4 == 0xd { 2 } else { 3 };
        translator.feed(&bytes[..length], *tick as f64 / 48_000.0, &mut gestures);
        for gesture in &gestures {
            session.desk.perform(gesture, When::Tick(*tick)).unwrap();
        }
        assert!(notes.midi(*bytes, *tick, &mut player));
    }
    let mut both = [vec![0.0; 8_000], vec![0.0; 8_000]];
    session.play(&[], &mut both[0]).unwrap();
    player.play(&[], &mut both[1]);
    both
}

#[test]
fn midi_messages_on_the_audio_side_do_what_the_keyboard_of_the_program_does() {
    let mut rng = tocco::rng::Rng::new(17, "keyboard");
    let mut heard = 0;
    for case in 0..60 {
        let text = format!("{KEYBOARD}{}{}", ["", "release_s = 0.02\n"][case % 2], ["", "mpe = true\n"][case / 2 % 2]);
        let scene = Document::read("keys", "here", text, |_| Err("none".into())).unwrap();
        let instrument = Instrument::new(scene, None).unwrap();
        let mut messages = messages(&mut rng);
        let differs = |messages: &[(u64, [u8; 3])]| {
            let [by_names, typed] = both_ways(&instrument, messages);
            by_names != typed
        };
        if differs(&messages) {
            let mut at = 0;
            while at < messages.len() {
                let gone = messages.remove(at);
                if !differs(&messages) {
                    messages.insert(at, gone);
                    at += 1;
                }
            }
            panic!("case {case}: {messages:x?}");
        }
        heard += usize::from(both_ways(&instrument, &messages)[1].iter().any(|x| *x != 0.0));
    }
    assert!(heard > 50, "{heard} of 60 sound");
}

#[test]
fn pressure_brightness_and_tuning_of_one_note_move_what_its_voice_has_of_them_and_nothing_else() {
    let scene = Document::read("keys", "here", KEYBOARD.into(), |_| Err("none".into())).unwrap();
    let instrument = Instrument::new(scene, None).unwrap();
    let directory = instrument.directory();
    let second = Which { id: Some(2), ..ANY };
    let ratio = tocco::math::pow(2.0, (64.0 - instrument.map().reference + 0.37) / 12.0);
    let log = |min: f64, max: f64, x: f64| tocco::param::scaled(tocco::param::Scale::Log, min, max, x);
    let all = [
        (NoteEvent::Press(second, 0.8), "hammer~2/mass_kg", log(0.005, 0.05, 0.8)),
        (NoteEvent::Brighten(second, 0.1), "hit~2/stiffness", log(1e6, 1e9, 0.1)),
        (NoteEvent::Tune(second, 0.37), "bar~2/freq_scale", ratio),
    ];
    // Two notes are held, one of them changes, and both are struck once more.
    let sound = |event: Option<NoteEvent>, set: Option<(&str, f64)>| {
        let (_desk, mut player, mut notes) = instrument.open(plain()).unwrap();
        assert!(notes.play(on(1, 60, 0.7), 100, &mut player) && notes.play(on(2, 64, 0.7), 200, &mut player));
        if let Some(event) = event {
            assert!(notes.play(event, 5_000, &mut player));
        }
        let set = set.map(|(path, value)| (5_000, Command::Set(directory.address(path).unwrap(), value)));
        let again = ["hammer", "hammer~2"].map(|name| directory.body(name).unwrap());
        let again = again.map(|body| (7_000, Command::Strike { body, velocity_m_s: 1.0 }));
        for (at, command) in set.into_iter().chain(again) {
            assert!(player.push(Timed { at, command }).is_ok());
        }
        let mut out = vec![0.0; 12_000];
        player.play(&[], &mut out);
        out
    };
    let untouched = sound(None, None);
    for (event, path, value) in all {
        let (heard, wanted) = (sound(Some(event), None), sound(None, Some((path, value))));
        assert!(heard == wanted && heard != untouched, "{event:?}");
        for nothing in [Which { id: Some(3), ..ANY }, Which { key: Some(61), ..second }] {
            let other = match event {
                NoteEvent::Press(_, x) => NoteEvent::Press(nothing, x),
                NoteEvent::Brighten(_, x) => NoteEvent::Brighten(nothing, x),
                _ => NoteEvent::Tune(nothing, 0.37),
            };
            assert!(sound(Some(other), None) == untouched, "{other:?}");
        }
    }
}

#[test]
fn notes_that_are_no_numbers_are_refused_and_change_nothing() {
    let (_desk, mut player, mut notes) = instrument().open(plain()).unwrap();
    let note = Note { id: 1, channel: 0, key: 60 };
    for x in [f64::NAN, f64::INFINITY] {
        for event in [
            NoteEvent::On { note, velocity_01: x, tuning: 0.0 },
            NoteEvent::On { note, velocity_01: 1.0, tuning: x },
            NoteEvent::Tune(ANY, x),
            NoteEvent::Press(ANY, x),
            NoteEvent::Brighten(ANY, x),
        ] {
            assert!(!notes.play(event, 0, &mut player), "{event:?}");
        }
    }
    assert_eq!(notes.sounding().count(), 0);
}

#[test]
fn commands_that_nobody_hears_of_never_end_and_a_take_is_told_of_each_or_they_are_refused() {
    let mut session = Session::open(document(), plain()).unwrap();
    let stiffness = session.desk.directory().address("hit/stiffness").unwrap();
    let turn = |n: u64| 1e6 + n as f64;
    let mut out = vec![0.0; 512];
    // 100 000 in all, and 10 000 s of blocks that nobody asks about would be as many marks: the ring holds 24 576.
    for n in 0..100_000 {
        assert!(session.player.push(Timed { at: 0, command: Command::Set(stiffness, turn(n)) }).is_ok(), "{n}");
        if n % 1000 == 999 {
            session.player.play(&[], &mut out);
        }
    }
    session.desk.poll().unwrap();
    assert_eq!(session.desk.value("hit/stiffness"), Some(turn(99_999)));
    assert_eq!(session.desk.moved(), [("hit/stiffness".to_owned(), turn(99_999))]);

    let (mut session, shared) = (Session::open(document(), plain()).unwrap(), SharedWriter::new(Vec::new()));
    session.desk.record(Box::new(shared.clone()), "a test").unwrap();
    let mut taken = 0;
    while session.player.push(Timed { at: 0, command: Command::Set(stiffness, turn(taken)) }).is_ok() {
        taken += 1;
        if taken % 1000 == 0 {
            session.player.play(&[], &mut out);
        }
    }
    assert!((10_000..25_000).contains(&taken), "{taken}");
    session.player.play(&[], &mut out);
    session.desk.poll().unwrap();
    assert_eq!(session.desk.value("hit/stiffness"), Some(turn(taken - 1)));
    session.desk.end_take().unwrap();
    session.player.play(&[], &mut []);
    session.desk.finish().unwrap();
    let text = String::from_utf8(shared.fetch().unwrap()).unwrap();
    assert_eq!(text.lines().filter(|line| line.contains("\"hit/stiffness\"")).count() as u64, taken);
}

#[test]
fn a_key_that_holds_an_inlet_presses_it_while_it_is_down_typed_or_in_bytes() {
    let text = "signal.squeeze = { type = 'input', default = 0.0, max = 2.0 }\n\
        process.paper = { type = 'crumple', driven_by = 'squeeze', events = 500.0, modes = [{ freq_hz = 2000.0, decay_s = 0.01, mass_kg = 0.01 }] }\n\
        tap = [{ of = 'paper', quantity = 'sound' }]\n\
        control = [{ name = 'press', path = 'squeeze/value', range = [0.0, 2.0] }]\n\
        [midi]\nnotes = 'bodies'\nhold = ['press']\n";
    let read = || Document::read("paper", "here", text.into(), |_| Err("none".into())).unwrap();
    let key = Map::of(&read().def).notes[0];
    let mut session = Session::open(read(), plain()).unwrap();
    let mut translator = Translator::new(Map::of(&read().def));
    for (tick, bytes) in [(100, [0x90, key, 90]), (9_000, [0x80, key, 0])] {
        let mut gestures = Vec::new();
        translator.feed(&bytes, tick as f64 / 48_000.0, &mut gestures);
        for gesture in &gestures {
            session.desk.perform(gesture, When::Tick(tick)).unwrap();
        }
    }
    let mut by_bytes = vec![0.0; 24_000];
    session.play(&[], &mut by_bytes).unwrap();
    let (_desk, mut player, mut notes) = Instrument::new(read(), None).unwrap().open(plain()).unwrap();
    assert!(notes.play(on(1, key, 90.0 / 127.0), 100, &mut player));
    assert!(notes.play(on(2, key, 90.0 / 127.0), 100, &mut player), "pressed twice, held once");
    assert!(notes.play(NoteEvent::Off(ANY), 9_000, &mut player));
    let mut typed = vec![0.0; 24_000];
    player.play(&[], &mut typed);
    assert!(typed == by_bytes && typed.iter().any(|x| *x != 0.0));
}

#[test]
fn a_note_ends_when_it_has_rung_out_and_a_choked_one_at_once() {
    let (_desk, mut player, mut notes) = instrument().open(plain()).unwrap();
    let mut out = vec![0.0; 480];
    assert!(notes.play(on(1, 60, 0.8), 0, &mut player) && notes.play(on(2, 72, 0.8), 0, &mut player));
    assert!(notes.play(NoteEvent::Choke(Which { id: Some(2), ..ANY }), 4_800, &mut player));
    let mut ended = Vec::new();
    for block in 0..500_u64 {
        player.play(&[], &mut out);
        notes.follow(player.engine());
        ended.extend(std::iter::from_fn(|| notes.ended()).map(|note| (note.id, block * 10)));
    }
    // 90 dB are 10.4 times 1/e: 2 s at 0.2 s; the choked one has 5 ms and a glide.
    assert_eq!(ended.len(), 2, "{ended:?}");
    assert!(ended[0].0 == 2 && ended[0].1 < 300, "{ended:?}");
    assert!(ended[1].0 == 1 && (1_500..2_500).contains(&ended[1].1), "{ended:?}");
    assert!(player.is_quiet() && notes.sounding().count() == 0);
    assert!(notes.play(on(3, 60, 0.8), 0, &mut player) && !player.is_quiet());
}

/// Energy of a body at the end of so many frames after the last of these, in bars that ring for 2 s.
fn energies_after(
    play: impl FnOnce(&mut tocco_live::Player, &mut tocco_live::Notes),
    frames: usize,
    text: &str,
) -> Vec<f64> {
    let scene = Document::read("bar", "here", text.into(), |_| Err("none".into())).unwrap();
    let (_desk, mut player, mut notes) = Instrument::new(scene, None).unwrap().open(plain()).unwrap();
    play(&mut player, &mut notes);
    player.play(&[], &mut vec![0.0; frames]);
    let directory = player.engine().scene().directory();
    let mut all = vec![0.0; 8];
    let bars: Vec<usize> = ["bar", "bar~2", "bar~3"].iter().map(|name| directory.body(name).unwrap()).collect();
    player.engine().energies(&mut all);
    bars.into_iter().map(|bar| all[bar]).collect()
}

#[test]
fn a_note_after_a_choke_and_all_sound_off_rings_as_long_as_any() {
    let text = BAR.replace("release_s = 0.02\n", "");
    let after = |silenced: bool| {
        let play = |player: &mut tocco_live::Player, notes: &mut tocco_live::Notes| {
            for (at, key) in [(0, 60), (10, 62), (20, 64)] {
                assert!(notes.play(on(i32::from(key), key, 0.8), at, player));
            }
            if silenced {
                assert!(notes.play(NoteEvent::Choke(ANY), 2_400, player));
                assert!(notes.midi([0xb0, 120, 0], 4_800, player));
            }
            for key in [60, 62, 64] {
                assert!(notes.play(on(i32::from(key), key, 0.8), 24_000, player));
            }
        };
        energies_after(play, 28_800, &text)
    };
    let (untouched, silenced) = (after(false), after(true));
    // 0.1 s after the blow: half of what a mode of 0.2 s has, which is e to the 40th less at 5 ms.
    for (silenced, untouched) in silenced.iter().zip(&untouched) {
        assert!(*silenced > 0.1 * untouched, "{silenced:e} J of {untouched:e}");
    }
}

#[test]
fn what_shapes_a_key_means_the_note_that_is_held_and_not_what_still_rings_of_it() {
    let key = Which { key: Some(60), ..ANY };
    let all = [NoteEvent::Tune(key, 3.0), NoteEvent::Press(key, 0.9), NoteEvent::Brighten(key, 0.9)];
    let own = |event: &NoteEvent, id: i32| {
        let which = Which { id: Some(id), ..ANY };
        match *event {
            NoteEvent::Press(_, x) => NoteEvent::Press(which, x),
            NoteEvent::Brighten(_, x) => NoteEvent::Brighten(which, x),
            _ => NoteEvent::Tune(which, 3.0),
        }
    };
    let sounds = |held: bool, event: NoteEvent| {
        let (_desk, mut player, mut notes) = instrument().open(plain()).unwrap();
        let mut events = vec![(100, on(1, 60, 0.8)), (2_000, NoteEvent::Off(key))];
        // Pressure and brightness are heard at the next blow.
        if held {
            events.push((2_500, on(2, 60, 0.8)));
        }
        events.push((3_000, event));
        for (at, event) in events {
            assert!(notes.play(event, at, &mut player));
        }
        let directory = player.engine().scene().directory();
        let hammers = ["hammer", "hammer~2"].map(|name| directory.body(name).unwrap());
        for body in hammers {
            let command = Command::Strike { body, velocity_m_s: 1.0 };
            assert!(player.push(Timed { at: 4_000, command }).is_ok());
        }
        let mut out = vec![0.0; 9_600];
        player.play(&[], &mut out);
        out
    };
    for event in &all {
        let (of_key, of_first, of_second) =
            (sounds(true, *event), sounds(true, own(event, 1)), sounds(true, own(event, 2)));
        assert!(of_key == of_second && of_key != of_first, "{event:?} while it is held");
        // Nothing is held: what rings is meant, as it was by its number.
        assert!(sounds(false, *event) == sounds(false, own(event, 1)), "{event:?} while it rings");
        assert!(sounds(false, *event) != sounds(false, own(event, 7)), "{event:?} while it rings");
    }
}

#[test]
fn numbers_follow_from_paths_alone_and_other_names_of_one_thing_are_known() {
    let instrument = instrument();
    // FNV-1a as its authors publish it: "a" and "foobar".
    assert_eq!((id_of("a"), id_of("foobar")), (0xe40c_292c, 0xbf9c_f968));
    let all = instrument.parameters();
    let mut ids: Vec<u32> = all.iter().map(|p| p.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all.len());
    assert!(all[0].role == Role::Control && all[0].path == "hard");
    let stiffness = instrument.find("hit/stiffness").unwrap();
    let hardness = instrument.find("hit/hardness_01").unwrap();
    assert_eq!((stiffness.role, hardness.role), (Role::Own, Role::Alias));
    assert_eq!(stiffness.slots, hardness.slots);
    assert_eq!(all[0].slots.len(), 3, "one for each voice");
    assert!(instrument.find("bar/freq_scale").unwrap().by_notes && !stiffness.by_notes);
    assert_eq!(instrument.parameter(stiffness.id), Some(stiffness));
    assert!(instrument.find("hit/stifness").unwrap_err().to_string().contains("did you mean 'hit/stiffness'?"));
    assert_eq!(instrument.voices(), 3);
}

#[test]
fn what_is_pushed_on_the_audio_side_is_in_takes_values_and_states() {
    let (mut session, shared) = (Session::open(document(), plain()).unwrap(), SharedWriter::new(Vec::new()));
    session.desk.record(Box::new(shared.clone()), "a test").unwrap();
    let directory = session.desk.directory().clone();
    let hammer = directory.body("hammer").unwrap();
    let push = |session: &mut Session, at: u64, command: Command| {
        session.player.push(Timed { at, command }).map_err(|_| "no room").unwrap();
    };
    push(&mut session, 300, Command::Strike { body: hammer, velocity_m_s: 1.0 });
    push(&mut session, 200, Command::Jump(directory.address("hit/stiffness").unwrap(), 1e7));
    push(&mut session, 900, Command::Set(directory.address("hard").unwrap(), 0.25));
    let scene = Box::new(tocco::Scene::build(&document().def, 48_000.0).unwrap());
    let replace = Command::Replace { scene: Some(scene), adopt: false };
    assert!(session.player.push(Timed { at: 0, command: replace }).is_err(), "what holds memory goes by the desk");
    let mut out = vec![0.0; 4_800];
    for block in out.chunks_mut(480) {
        session.play(&[], block).unwrap();
    }
    assert_eq!(out.iter().position(|x| *x != 0.0), Some(300));
    assert!((session.desk.value("hard").unwrap() - 0.25).abs() < 1e-12);
    session.desk.end_take().unwrap();
    session.player.play(&[], &mut []);
    session.desk.finish().unwrap();
    let take = Take::from_text(&String::from_utf8(shared.fetch().unwrap()).unwrap(), "here").unwrap();
    let mut again = vec![0.0; 4_800];
    let mut replay = Replay::new(&take).unwrap();
    assert_eq!(replay.render(&mut again), 4_800);
    assert!(replay.is_faithful() && again == out);

    let state = session.desk.state();
    let read = State::from_text(&state.to_text(), "here").unwrap();
    assert_eq!(read, state);
    let (desk, _) = read.open(plain()).unwrap();
    assert_eq!(desk.value("hit/stiffness"), session.desk.value("hit/stiffness"));
    assert!(State::from_text("{}", "here").is_err() && State::from_text("[", "here").is_err());
}

#[test]
fn touches_come_through_the_player_and_a_gesture_wakes_what_is_quiet() {
    let mut session = Session::open(document(), plain()).unwrap();
    session.player.watch_touches(true);
    let mut out = vec![0.0; 48_000];
    session.play(&[], &mut out).unwrap();
    assert!(session.player.is_quiet() && session.player.take_touch().is_none());
    session.desk.perform(&Gesture::Strike { body: "hammer".into(), velocity_m_s: 1.0 }, When::Tick(50_000)).unwrap();
    assert!(!session.player.is_quiet());
    session.play(&[], &mut out).unwrap();
    let touch = session.player.take_touch().unwrap();
    assert_eq!((touch.at, touch.begins, touch.contact), (50_000, true, 0));
}

#[test]
fn notes_commands_and_planes_allocate_nothing() {
    assert_awake();
    let instrument = instrument();
    let (mut desk, mut player, mut notes) = instrument.open(plain()).unwrap();
    let stiffness = instrument.find("hit/stiffness").unwrap().id;
    let (mut left, mut right) = (vec![0.0; 5_000], vec![0.0; 5_000]);
    player.watch_touches(true);
    let before = count();
    for (tick, event) in tune() {
        watched(|| {
            let address = instrument.parameter(stiffness).unwrap().address;
            assert!(player.push(Timed { at: tick, command: Command::Set(address, 1e7) }).is_ok());
            assert!(notes.play(event, tick, &mut player));
            player.play_planar(&[], &mut [&mut left[..], &mut right[..]]);
            notes.follow(player.engine());
            while notes.ended().is_some() || player.take_touch().is_some() {}
        });
        desk.poll().unwrap();
    }
    assert_eq!(count() - before, 0);
}

#[test]
fn without_meters_the_sound_is_the_same_and_no_take_is_recorded() {
    let play = |meters: bool| {
        let mut session = Session::open(document(), Setup { meters, ..plain() }).unwrap();
        let strike = Gesture::Strike { body: "hammer".into(), velocity_m_s: 1.0 };
        session.desk.perform(&strike, When::Tick(100)).unwrap();
        let mut out = vec![0.0; 24_000];
        out.chunks_mut(64).for_each(|block| session.play(&[], block).unwrap());
        (out, session.desk.status())
    };
    let ((heard, seen), (alike, unseen)) = (play(true), play(false));
    assert!(heard == alike && seen.peak[0] > 0.01 && unseen.peak[0] == 0.0);
    assert!(unseen.tick > 24_000 - 4_096 - 64, "it tells how far it is: {}", unseen.tick);
    let mut session = Session::open(document(), Setup { meters: false, ..plain() }).unwrap();
    let error = session.desk.record(Box::new(Vec::new()), "test").unwrap_err().to_string();
    assert!(error.contains("meters"), "{error}");
}

#[test]
fn notes_that_were_kept_with_a_snapshot_go_on_from_it_in_the_same_voices() {
    let (desk, player, mut notes) = instrument().open(plain()).unwrap();
    let mut session = Session { desk, player };
    let mut out = vec![0.0; 9_000];
    assert!(notes.play(on(1, 60, 0.7), 100, &mut session.player));
    session.play(&[], &mut out).unwrap();
    let (snapshot, kept) = (session.snapshot().unwrap(), notes.clone());
    let mut go_on = |session: &mut Session, notes: &mut tocco_live::Notes| {
        for (at, event) in [(9_100, on(2, 64, 0.5)), (9_900, NoteEvent::Off(Which { id: Some(1), ..ANY }))] {
            assert!(notes.play(event, at, &mut session.player));
        }
        assert!(notes.play(on(3, 67, 0.9), 11_000, &mut session.player));
        session.play(&[], &mut out).unwrap();
        notes.follow(session.player.engine());
        let ended: Vec<i32> = std::iter::from_fn(|| notes.ended()).map(|note| note.id).collect();
        (out.clone(), ended, notes.sounding().collect::<Vec<_>>())
    };
    let first = go_on(&mut session, &mut notes);
    // Notes that have gone on would let these fall on other voices, though nobody holds the first any more.
    session.restore(&snapshot).unwrap();
    assert!(go_on(&mut session, &mut kept.clone()) == first);
    session.restore(&snapshot).unwrap();
    assert!(go_on(&mut session, &mut notes).0 != first.0);
    // A copy has room for what ends.
    let mut copy = kept.clone();
    for key in 50..56 {
        assert!(copy.play(on(i32::from(key), key, 0.5), 0, &mut session.player));
    }
    assert_eq!(std::iter::from_fn(|| copy.ended()).count(), 3, "of three voices");
}

/// Brings one recording, if it has it.
struct Noise(bool);

impl tocco::scene::Fetch for Noise {
    fn recording(&mut self, file: &str) -> Result<tocco::scene::Recording, String> {
        let noise = tocco::scene::Recording { rate_hz: 44_100.0, data: vec![0.5, -0.5].into() };
        Some(noise).filter(|_| self.0 && file == "noise.wav").ok_or_else(|| format!("{file}: there is none"))
    }
}

#[test]
fn an_instrument_is_read_from_text_with_what_it_fetches_and_errors_say_where() {
    let text = "body.bar = { type = 'modal', modes = [{ freq_hz = 440.0, decay_s = 0.2, mass_kg = 0.05 }] }\n\
        drive = [{ path = 'bar/force_n', wav = 'noise.wav' }]\ntap = [{ of = 'bar' }]\n";
    let instrument = Instrument::read("noise", "here", text.into(), Some(44_100.0), Noise(true)).unwrap();
    assert_eq!((instrument.rate_hz(), instrument.channels()), (44_100.0, 1));
    let (_desk, mut player, _) = instrument.open(plain()).unwrap();
    let mut out = vec![0.0; 64];
    player.play(&[], &mut out);
    assert!(out.iter().any(|x| *x != 0.0));
    let error =
        |text: &str| Instrument::read("noise", "here", text.into(), None, Noise(false)).err().unwrap().to_string();
    assert!(error(text).contains("there is none"), "{}", error(text));
    let wrong = error(&text.replace("decay_s", "decai_s"));
    assert!(wrong.starts_with("here") && wrong.contains("decay_s"), "{wrong}");
}

#[test]
fn a_session_goes_back_to_a_snapshot_as_often_as_wanted_and_what_follows_is_the_same() {
    let mut session = Session::open(document(), Setup::default()).unwrap();
    let (strike, set) = (
        Gesture::Strike { body: "hammer".into(), velocity_m_s: 1.0 },
        Gesture::Set { path: "hit/stiffness".into(), value: 1e7 },
    );
    session.desk.perform(&strike, When::Tick(20_000)).unwrap();
    session.desk.perform(&set, When::Tick(30_000)).unwrap();
    let play = |session: &mut Session| {
        let mut out = vec![0.0; 24_000];
        session.play(&[], &mut out).unwrap();
        out
    };
    play(&mut session);
    let snapshot = session.snapshot().unwrap();
    session.desk.jump("bar/freq_scale", 1.5).unwrap();
    let changed = play(&mut session);
    let value = |session: &Session| session.desk.value("bar/freq_scale").unwrap();
    assert_eq!(value(&session), 1.5);
    let mut sounds = Vec::new();
    for _ in 0..2 {
        session.restore(&snapshot).unwrap();
        assert_eq!((value(&session), snapshot.tick()), (1.0, 24_000));
        sounds.push(play(&mut session));
        assert_eq!(session.desk.value("hit/stiffness").unwrap(), 1e7);
    }
    assert!(sounds[0] == sounds[1] && sounds[0] != changed && sounds[0].iter().any(|x| *x != 0.0));
    session.desk.load(document()).unwrap();
    play(&mut session);
    let error = session.restore(&snapshot).unwrap_err().to_string();
    assert!(error.contains("of another scene"), "{error}");
    let mut session = Session::open(document(), Setup::default()).unwrap();
    let snapshot = session.snapshot().unwrap();
    session.desk.record(Box::new(Vec::new()), "test").unwrap();
    let error = session.restore(&snapshot).unwrap_err().to_string();
    assert!(error.contains("a take is being recorded"), "{error}");
}
