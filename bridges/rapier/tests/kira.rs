// SPDX-License-Identifier: MIT OR Apache-2.0
//! The same world through kira, a game's mixer: the bits that the engine makes are the bits that leave the mixer.

#[path = "../examples/mixer/mod.rs"]
mod mixer;

use kira::{AudioManager, AudioManagerSettings};
use mixer::{BLOCK, Card, Sounding, play, stage};
use std::sync::mpsc::{Receiver, Sender, channel};
use tocco::Queue;

#[test]
fn what_leaves_the_mixer_is_what_the_engine_makes_bit_for_bit() {
    let (mut first, mut engine) = stage();
    let (told, tells): (Sender<_>, Receiver<_>) = channel();
    let (mut queue, mut direct) = (Queue::new(), Vec::new());
    play(
        &mut first,
        30,
        |at, command| told.send((at, command)).unwrap(),
        || {
            tells.try_iter().for_each(|(at, command)| queue.push(at, command));
            let mut block = [0.0; BLOCK];
            engine.render(&[], &mut queue, &mut block);
            direct.extend(block);
        },
    );
    assert!(direct.iter().any(|x| x.abs() > 1e-4) && first.played().impacts >= 6, "{:?}", first.played());

    let (mut second, engine) = stage();
    let settings = AudioManagerSettings::<Card> { internal_buffer_size: BLOCK, ..AudioManagerSettings::default() };
    let mut manager = AudioManager::<Card>::new(settings).unwrap();
    let (told, tells) = channel();
    manager.play(Sounding::new(engine, tells)).unwrap();
    let mut mixed = Vec::new();
    play(
        &mut second,
        30,
        |at, command| told.send((at, command)).unwrap(),
        || mixed.extend(manager.backend_mut().block()),
    );
    // A mono sound in the middle of a stereo mixer: each side is the sound.
    let [left, right]: [Vec<f32>; 2] =
        std::array::from_fn(|side| mixed.iter().skip(side).step_by(2).copied().collect());
    assert_eq!(left.len(), direct.len());
    assert!(left == direct && right == direct);
}
