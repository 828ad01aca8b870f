// SPDX-License-Identifier: MIT OR Apache-2.0
//! The same world through kira, a game's mixer: the bits that the engine makes are the bits that leave the mixer.

#[path = "../examples/mixer/mod.rs"]
mod mixer;

use kira::info::MockInfoBuilder;
use kira::sound::Sound;
use kira::{AudioManager, AudioManagerSettings, Frame};
use mixer::{BLOCK, Card, RATE_HZ, ROOM, Sounding, play, stage};
use rtrb::RingBuffer;
use tocco::Queue;
use tocco_testing::allocations::{Counting, assert_awake, count, watched};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn what_leaves_the_mixer_is_what_the_engine_makes_bit_for_bit() {
    let (mut first, mut engine) = stage();
    let (mut told, mut tells) = RingBuffer::new(ROOM);
    let (mut queue, mut direct) = (Queue::new(), Vec::new());
    play(
        &mut first,
        30,
        |at, command| assert!(told.push((at, command)).is_ok()),
        || {
            while let Ok((at, command)) = tells.pop() {
                queue.push(at, command);
            }
            let mut block = [0.0; BLOCK];
            engine.render(&[], &mut queue, &mut block);
            direct.extend(block);
        },
    );
    assert!(direct.iter().any(|x| x.abs() > 1e-4) && first.played().impacts >= 6, "{:?}", first.played());

    let (mut second, engine) = stage();
    let settings = AudioManagerSettings::<Card> { internal_buffer_size: BLOCK, ..AudioManagerSettings::default() };
    let mut manager = AudioManager::<Card>::new(settings).unwrap();
    let (mut told, tells) = RingBuffer::new(ROOM);
    manager.play(Sounding::new(engine, tells)).unwrap();
    let mut mixed = Vec::new();
    play(
        &mut second,
        30,
        |at, command| assert!(told.push((at, command)).is_ok()),
        || mixed.extend(manager.backend_mut().block()),
    );
    // A mono sound in the middle of a stereo mixer: each side is the sound.
    let [left, right]: [Vec<f32>; 2] =
        std::array::from_fn(|side| mixed.iter().skip(side).step_by(2).copied().collect());
    assert_eq!(left.len(), direct.len());
    assert!(left == direct && right == direct);
}

#[test]
fn on_the_thread_of_the_sound_nothing_is_allocated_or_freed() {
    assert_awake();
    let (mut stage, engine) = stage();
    let (mut told, tells) = RingBuffer::new(ROOM);
    let (mut sounding, info) = (Sounding::new(engine, tells), MockInfoBuilder::new().build());
    // Blocks of two steps.
    let (mut out, mut sent, mut steps, mut loudest) = (vec![Frame::from_mono(0.0); 2 * BLOCK], 0, 0, 0.0_f32);
    let before = count();
    play(
        &mut stage,
        60,
        |at, command| {
            sent += 1;
            assert!(told.push((at, command)).is_ok());
        },
        || {
            steps += 1;
            if steps % 2 == 0 {
                watched(|| sounding.process(&mut out, 1.0 / f64::from(RATE_HZ), &info));
            }
            loudest = out.iter().fold(loudest, |loudest, frame| loudest.max(frame.left.abs()));
        },
    );
    assert_eq!(count() - before, 0);
    assert!(sent > 40 && loudest > 1e-4, "{sent} commands, {loudest}");
}
