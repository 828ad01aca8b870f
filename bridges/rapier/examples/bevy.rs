// SPDX-License-Identifier: MIT OR Apache-2.0
//! A game of Bevy's, without a window: balls are spawned, fall, meet and are despawned, and are heard; a WAV file of it.
//!
//!     cargo run --manifest-path bridges/rapier/Cargo.toml --example bevy -- bevy.wav

mod game;
#[path = "../../wav.rs"]
mod wav;

use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_transform::components::Transform;
use game::{Falling, Heard, RATE_HZ, STEPS_HZ, Sound};

/// A ball every third of a second; the oldest of more than five goes.
fn rain(mut commands: Commands, balls: Query<Entity, With<Heard>>, mut updates: Local<u32>) {
    if updates.is_multiple_of(STEPS_HZ / 3) {
        let x = 0.12 * (*updates / 20 % 4) as f32;
        commands.spawn((Heard { radius_m: 0.05 }, Transform::from_xyz(x, 0.5, 0.0)));
        if let Some(oldest) = balls.iter().min().filter(|_| balls.iter().count() > 5) {
            commands.entity(oldest).despawn();
        }
    }
    *updates += 1;
}

fn main() -> std::io::Result<()> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "bevy.wav".into());
    let mut app = App::new();
    app.add_plugins(Falling).add_systems(Update, rain);
    for _ in 0..4 * STEPS_HZ {
        app.update();
    }
    let sound = app.world().resource::<Sound>();
    println!("{} impacts", sound.impacts());
    wav::write(&file, RATE_HZ, &sound.samples)
}
