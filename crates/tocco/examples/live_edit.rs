// SPDX-License-Identifier: MIT OR Apache-2.0
//! Playing block by block: gestures by name, a parameter that glides, and a scene that is exchanged while it sounds.
//!
//! Here one thread does both jobs. On two, `tocco-live` has the rings, takes and meters that belong between them.

use tocco::scene::def::{ImpactDef, MassDef, ModalDef};
use tocco::{Command, Engine, Gesture, Queue, Scene, SceneDef, SceneError};

const RATE_HZ: f64 = 48_000.0;
const BLOCK: usize = 480;

/// A hammer and a bar; the edited one has a mode more.
fn scene(with_overtone: bool) -> Result<Scene, SceneError> {
    let bar = ModalDef::new().mode(330.0, 1.0, 0.05);
    let bar = if with_overtone { bar.mode(911.0, 0.4, 0.05) } else { bar };
    let def = SceneDef::new().body("hammer", MassDef::new(0.01).at(-1.0)).body("bar", bar).tap("bar", 0.5);
    Scene::build(&def.contact("hit", ["hammer", "bar"], ImpactDef::hardness(0.5)), RATE_HZ)
}

fn main() -> Result<(), SceneError> {
    let (mut engine, mut queue) = (Engine::new(scene(false)?), Queue::new());
    for block in 0..100 {
        let now = engine.tick();
        // The control side: names become indices, commands get their tick. A command that is done leaves the queue.
        let directory = engine.scene().directory().clone();
        let strike = Gesture::Strike { body: "hammer".into(), velocity_m_s: 1.0 };
        match block {
            0 | 30 | 70 => queue.push(now + 100, strike.resolve(&directory)?.command),
            10 => {
                let set = Gesture::Set { path: "bar/freq_scale".into(), value: 1.5 };
                queue.push(now, set.resolve(&directory)?.command);
            }
            50 => queue.push(now, Command::adopt(scene(true)?)), // what stays keeps sounding
            60 => {
                let wrong = Gesture::Set { path: "bar/freq_scales".into(), value: 1.0 };
                let Err(error) = wrong.resolve::<Scene>(&directory) else { unreachable!("no such path") };
                println!("refused: {error}");
            }
            _ => {}
        }
        // The audio side: no allocation, lock, file or clock in here.
        let mut out = [0.0_f32; BLOCK];
        engine.render(&[], &mut queue, &mut out);
        // The control side again: scenes that have rung out are freed where time does not matter.
        while engine.retired().is_some() {
            println!("block {block}: the scene before the edit is freed");
        }
        if block % 10 == 0 {
            println!("block {block}: peak {:.4}", out.iter().fold(0.0_f32, |most, x| most.max(x.abs())));
        }
    }
    Ok(())
}
