// SPDX-License-Identifier: MIT OR Apache-2.0
//! Twenty things of wood, glass and tin fall onto a wooden floor, 60 steps a second; a WAV file of it.
//!
//!     cargo run --manifest-path bridges/rapier/Cargo.toml --example drop -- drop.wav

#[path = "../../wav.rs"]
mod wav;

use rapier3d::prelude::*;
use std::error::Error;
use tocco::{Engine, Queue, Scene};
use tocco_contact_stream::{Kind, Pairs, Pools, Stage, Stream, Surface, Thresholds};
use tocco_rapier::{Ear, tag};

const RATE_HZ: u32 = 48_000;
const SECONDS: u32 = 4;
const WOOD: u16 = 0;
const GLASS: u16 = 1;
const TIN: u16 = 2;
const FLOOR: u16 = 3;

fn kinds() -> Result<Vec<Kind>, Box<dyn Error>> {
    let shape = |material: &str, sizes: &str| {
        format!(
            "type = 'shape'\nshape = 'bar'\nmaterial = '{material}'\n{sizes}\nport = {{ tip = 0.95, side = 0.8, ear = 0.99 }}"
        )
    };
    let kind = |name: &str, copies: usize, table: String, gain: f64| -> Result<Kind, Box<dyn Error>> {
        Ok(Kind::from_text(name, copies, &table)?.ports(&["tip", "side"], "ear").gain(gain))
    };
    Ok(vec![
        kind("wood", 8, shape("maple", "length_m = 0.2\nwidth_m = 0.05\nthickness_m = 0.02"), 0.15)?,
        kind("glass", 8, shape("glass", "length_m = 0.12\nwidth_m = 0.03\nthickness_m = 0.006"), 0.15)?,
        kind("tin", 8, shape("steel", "length_m = 0.15\nwidth_m = 0.04\nthickness_m = 0.003"), 0.1)?,
        kind("floor", 1, shape("pine", "length_m = 1.5\nwidth_m = 0.3\nthickness_m = 0.03"), 0.3)?,
    ])
}

fn pairs() -> Pairs {
    let mut pairs = Pairs::new(Surface::default());
    let hard = |hardness_01: f64| Surface { hardness_01, ..Surface::default() };
    for (one, other, hardness_01) in [
        (WOOD, FLOOR, 0.5),
        (GLASS, FLOOR, 0.65),
        (TIN, FLOOR, 0.65),
        (GLASS, GLASS, 0.95),
        (TIN, TIN, 0.95),
        (GLASS, TIN, 0.95),
    ] {
        assert!(pairs.set(one, other, hard(hardness_01)));
    }
    pairs
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "drop.wav".into());
    let (mut stage, def) = Stage::new(&kinds()?, pairs(), Pools::default(), f64::from(RATE_HZ))?;
    let mut engine = Engine::new(Scene::build(&def, f64::from(RATE_HZ))?);
    stage.wire(engine.scene().directory())?;
    let mut world = PhysicsWorld::new();
    let slab = ColliderBuilder::cuboid(5.0, 1.0, 5.0).translation(Vector::new(0.0, -1.0, 0.0));
    world.colliders.insert(slab.restitution(0.4).friction(0.5).user_data(tag(0, FLOOR)));
    stage.appear(0, usize::from(FLOOR));
    let (mut ear, mut stream, mut events) = (Ear::new(), Stream::new(Thresholds::default()), Vec::new());
    let (mut queue, mut sound) = (Queue::new(), Vec::new());
    for step in 0..60 * SECONDS {
        // One appears every eighth of a second, until there are twenty.
        if step.is_multiple_of(8) && step < 160 {
            let (thing, material) = (1 + u64::from(step), [WOOD, GLASS, TIN][step as usize / 8 % 3]);
            let place =
                Vector::new(0.4 * (step % 5) as Real - 0.8, 0.6 + 0.05 * (step % 7) as Real, 0.3 * (step % 3) as Real);
            let turning = Vector::new(1.0, 2.0, 3.0) * (step % 4) as Real;
            let body = world.bodies.insert(RigidBodyBuilder::dynamic().translation(place).angvel(turning));
            let collider =
                if material == GLASS { ColliderBuilder::ball(0.03) } else { ColliderBuilder::cuboid(0.08, 0.01, 0.03) };
            let collider = collider.restitution(0.4).friction(0.5).density(1500.0).user_data(tag(thing, material));
            world.colliders.insert_with_parent(collider, body, &mut world.bodies);
            stage.appear(thing, usize::from(material));
        }
        let begin_s = f64::from(step) / 60.0;
        ear.before(&world.bodies, &world.colliders);
        world.step();
        let records = ear.after(world.gravity, &world.narrow_phase, &world.bodies, &world.colliders);
        events.clear();
        stream.step(begin_s, 1.0 / 60.0, records, &mut events)?;
        stage.play(begin_s + 1.0 / 60.0, &events, |at, command| queue.push(at, command));
        let mut block = [0.0; RATE_HZ as usize / 60];
        engine.render(&[], &mut queue, &mut block);
        sound.extend(block);
    }
    println!("{:?}, {:?}", stage.played(), stream.counts());
    wav::write(&file, RATE_HZ, &sound)?;
    Ok(())
}
