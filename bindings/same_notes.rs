// SPDX-License-Identifier: MIT OR Apache-2.0
//! Notes that every front end plays in its tests, and what they are.

use tocco_lab::library;
use tocco_live::notes::{Note, NoteEvent, Which};
use tocco_live::{Instrument, Setup};

const RATE: f64 = 48_000.0;

/// A chord, a key let go, a repeated note: ticks and MIDI bytes, as in bindings/one_hash.mjs.
pub const NOTES: [(u64, [u8; 3]); 5] = [
    (11, [0x90, 60, 96]),
    (4801, [0x90, 64, 50]),
    (9600, [0x90, 67, 120]),
    (20_003, [0x80, 60, 0]),
    (30_000, [0x90, 64, 20]),
];

/// What these notes are where they are typed, as in the C library, in one block.
pub fn typed(name: &str, frames: usize) -> (usize, Vec<f32>) {
    let instrument = Instrument::new(library::load(name).unwrap(), Some(RATE)).unwrap();
    let setup = Setup { limiter: false, watch_load: false, ..Setup::default() };
    let (_desk, mut player, mut notes) = instrument.open(setup).unwrap();
    for (tick, [status, key, velocity]) in NOTES {
        let note = Note { id: i32::from(key), channel: 0, key };
        let which = Which { key: Some(key), ..Which::default() };
        let event = match status {
            0x90 => NoteEvent::On { note, velocity_01: f64::from(velocity) / 127.0, tuning: 0.0 },
            _ => NoteEvent::Off(which),
        };
        notes.play(event, tick, &mut player);
    }
    let mut out = vec![0.0; frames * player.channels()];
    player.play(&[], &mut out);
    (player.channels(), out)
}
