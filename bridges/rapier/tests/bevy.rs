// SPDX-License-Identifier: MIT OR Apache-2.0
//! Entities of Bevy's that appear, meet and vanish: what is heard is what the physics makes, bit for bit.

#[path = "../examples/game/mod.rs"]
mod game;

use bevy_app::App;
use bevy_transform::components::Transform;
use game::{Falling, Heard, Sound, without_bevy};

const STEPS: u32 = 90;
const RADIUS_M: f32 = 0.05;

#[test]
fn entities_sound_as_the_things_that_they_are_until_they_are_despawned() {
    let places = [[0.0, 0.3, 0.0], [0.02, 0.5, 0.0], [0.5, 0.2, 0.0]];
    let mut app = App::new();
    app.add_plugins(Falling);
    let spawn = |app: &mut App, [x, y, z]: [f32; 3]| {
        app.world_mut().spawn((Heard { radius_m: RADIUS_M }, Transform::from_xyz(x, y, z))).id()
    };
    let first = spawn(&mut app, places[0]);
    let second = spawn(&mut app, places[1]);
    let mut third = None;
    for step in 0..STEPS {
        if step == 20 {
            third = Some(spawn(&mut app, places[2]));
        }
        if step == 10 {
            app.world_mut().despawn(first);
        }
        app.update();
    }
    let third = third.unwrap();
    let heard = app.world().resource::<Sound>();
    assert!(heard.impacts() >= 4, "{}", heard.impacts());
    let at = |entity| app.world().get::<Transform>(entity).unwrap().translation;
    assert!(at(second).y < 0.2 && at(third).y < 0.2, "they have fallen: {}, {}", at(second), at(third));
    assert!(app.world().get_entity(first).is_err());

    let comes = [(0, first, places[0]), (0, second, places[1]), (20, third, places[2])]
        .map(|(step, entity, place)| (step, entity.to_bits(), place, RADIUS_M));
    let alone = without_bevy(STEPS, &comes, &[(10, first.to_bits())]);
    assert_eq!(alone.len(), heard.samples.len());
    assert!(alone.iter().any(|x| x.abs() > 1e-4));
    assert!(alone == heard.samples);
    let stays = without_bevy(STEPS, &comes, &[]);
    assert!(stays != alone, "one that stays is heard");
}
