// SPDX-License-Identifier: MIT OR Apache-2.0
//! The same kind of scene in code, without text: a bowed string and a struck bar, checked as a file would be, and then
//! written out as the file that says the same.

use tocco::scene::def::{FrictionDef, GuidedDef, ImpactDef, MassDef, ModalDef, StringDef};
use tocco::{Engine, Queue, Scene, SceneDef, SceneError};

fn main() -> Result<(), SceneError> {
    let def = SceneDef::new()
        // A bow is a body that moves as told, here at 0.2 m/s; friction holds the string to it with 1 N.
        .body("bow", GuidedDef::new(0.2))
        .body("string", StringDef::new(196.0).port("bow", 0.1).port("bridge", 0.02))
        .contact("rub", ["bow", "string.bow"], FrictionDef::new(1.0).mu(0.8, 0.3))
        // A bar of two modes, struck by a hammer that would touch a wall for half a millisecond.
        .body("hammer", MassDef::new(0.01))
        .body("bar", ModalDef::new().mode(440.0, 0.8, 0.05).mode(1_213.0, 0.3, 0.05))
        .contact("hit", ["hammer", "bar"], ImpactDef::contact_time(0.5e-3))
        .strike(0.25, "hammer", 1.0)
        // What is heard: velocities, by a factor from m/s to full scale.
        .tap("string.bridge", 0.5)
        .tap("bar", 0.5);

    let mut engine = Engine::new(Scene::build(&def, 44_100.0)?);
    let mut second = vec![0.0_f32; 44_100];
    engine.render(&[], &mut Queue::new(), &mut second);
    println!("# peak {:.3}", second.iter().fold(0.0_f32, |most, x| most.max(x.abs())));
    print!("{}", def.to_toml());

    // Values are checked wherever they come from: the message names the place.
    let wrong = SceneDef::new().body("hammer", MassDef::new(f64::NAN));
    if let Err(error) = Scene::build(&wrong, 44_100.0) {
        println!("# {error}");
    }
    Ok(())
}
