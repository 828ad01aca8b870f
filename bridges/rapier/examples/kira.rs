// SPDX-License-Identifier: MIT OR Apache-2.0
//! Three balls fall and bounce, and are heard through kira's mixer; a WAV file of it.
//!
//!     cargo run --manifest-path bridges/rapier/Cargo.toml --example kira -- kira.wav
//!
//! In a game `kira::DefaultBackend` stands in the place of `Card`, and asks for blocks by itself.

mod mixer;
#[path = "../../wav.rs"]
mod wav;

use kira::{AudioManager, AudioManagerSettings};
use mixer::{BLOCK, Card, RATE_HZ, ROOM, Sounding, play, stage};
use rtrb::RingBuffer;

fn main() -> std::io::Result<()> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "kira.wav".into());
    let (mut stage, engine) = stage();
    let settings = AudioManagerSettings::<Card> { internal_buffer_size: BLOCK, ..AudioManagerSettings::default() };
    let mut manager = AudioManager::<Card>::new(settings).map_err(|()| std::io::Error::other("no sound card"))?;
    let (mut tell, told) = RingBuffer::new(ROOM);
    manager.play(Sounding::new(engine, told)).map_err(|_| std::io::Error::other("the mixer is full"))?;
    let mut sound = Vec::new();
    // What finds no room is not heard.
    let tell = |at, command| drop(tell.push((at, command)));
    play(&mut stage, 120, tell, || sound.extend(manager.backend_mut().block().into_iter().step_by(2)));
    println!("{:?}", stage.played());
    wav::write(&file, RATE_HZ, &sound)
}
