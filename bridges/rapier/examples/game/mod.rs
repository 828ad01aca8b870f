// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the example with Bevy and its test share: a plug-in by which entities that fall are heard.
//!
//! An entity with `Heard` and a `Transform` is a thing of the physics and of the stage from its first update on, until it is despawned.
//! Its number as a thing is its entity's. A game that has its own Rapier (as `bevy_rapier3d` does) keeps that, and of this plug-in only `sound`.

use bevy_app::{App, Plugin, Update};
use bevy_ecs::prelude::*;
use bevy_transform::components::Transform;
use rapier3d::prelude::*;
use std::collections::BTreeMap;
use tocco::{Engine, Queue, Scene};
use tocco_contact_stream::{Event, Kind, Pairs, Pools, Stage, Stream, Surface, Thresholds};
use tocco_rapier::{Ear, tag};

pub const RATE_HZ: u32 = 48_000;
pub const STEPS_HZ: u32 = 60;
/// The floor, which is no entity.
const FLOOR: u64 = u64::MAX;

/// A ball that is heard when it meets something.
#[derive(Component, Clone, Copy)]
pub struct Heard {
    pub radius_m: f32,
}

/// The physics that the game goes by.
#[derive(Resource)]
pub struct Physics {
    world: PhysicsWorld,
    bodies: BTreeMap<u64, RigidBodyHandle>,
}

/// What is heard of it.
#[derive(Resource)]
pub struct Sound {
    ear: Ear,
    stream: Stream,
    events: Vec<Event>,
    stage: Stage,
    engine: Engine,
    queue: Queue,
    steps: u32,
    /// What it has come to so far. A game hands blocks to its mixer instead.
    pub samples: Vec<f32>,
}

impl Sound {
    fn new() -> Self {
        let table = "type = 'modal'\nmodes = [{ freq_hz = 700.0, decay_s = 0.2, mass_kg = 0.1 }, { freq_hz = 1900.0, decay_s = 0.1, mass_kg = 0.1 }]";
        let kinds = [Kind::from_text("ball", 8, table).unwrap()];
        let pools = Pools { impacts: 8, slides: 2, rolls: 2, ..Pools::default() };
        let rate_hz = f64::from(RATE_HZ);
        let (mut stage, def) = Stage::new(&kinds, Pairs::new(Surface::default()), pools, rate_hz).unwrap();
        let engine = Engine::new(Scene::build(&def, rate_hz).unwrap());
        stage.wire(engine.scene().directory()).unwrap();
        let (stream, events) = (Stream::new(Thresholds::default()), Vec::new());
        Self { ear: Ear::new(), stream, events, stage, engine, queue: Queue::new(), steps: 0, samples: Vec::new() }
    }
    /// How many impacts it has played.
    pub fn impacts(&self) -> u64 {
        self.stage.played().impacts
    }
    /// One step of the physics, and the sound that it makes.
    fn step(&mut self, world: &mut PhysicsWorld) {
        let step_s = 1.0 / f64::from(STEPS_HZ);
        let begin_s = f64::from(self.steps) * step_s;
        self.steps += 1;
        self.ear.before(&world.bodies, &world.colliders);
        world.step();
        let records = self.ear.after(world.gravity, &world.narrow_phase, &world.bodies, &world.colliders);
        self.events.clear();
        self.stream.step(begin_s, step_s, records, &mut self.events).unwrap();
        self.stage.play(begin_s + step_s, &self.events, |at, command| self.queue.push(at, command));
        let mut block = [0.0; (RATE_HZ / STEPS_HZ) as usize];
        self.engine.render(&[], &mut self.queue, &mut block);
        self.samples.extend(block);
    }
}

impl Physics {
    fn new() -> Self {
        let mut world = PhysicsWorld::new();
        let floor = ColliderBuilder::cuboid(5.0, 1.0, 5.0).translation(Vector::new(0.0, -1.0, 0.0));
        world.colliders.insert(floor.restitution(0.6).user_data(tag(FLOOR, 0)));
        Self { world, bodies: BTreeMap::new() }
    }
    fn appear(&mut self, thing: u64, place: [f32; 3], radius_m: f32) {
        let body = RigidBodyBuilder::dynamic().translation(Vector::from(place));
        let ball = ColliderBuilder::ball(radius_m).restitution(0.6).user_data(tag(thing, 0));
        let body = self.world.bodies.insert(body);
        self.world.colliders.insert_with_parent(ball, body, &mut self.world.bodies);
        self.bodies.insert(thing, body);
    }
    fn vanish(&mut self, thing: u64) {
        if let Some(body) = self.bodies.remove(&thing) {
            self.world.remove_body(body);
        }
    }
}

/// Entities that fall are heard.
pub struct Falling;

impl Plugin for Falling {
    fn build(&self, app: &mut App) {
        app.insert_resource(Physics::new()).insert_resource(Sound::new()).add_systems(Update, (come, go, sound, stand).chain());
    }
}

/// What is new in the game is new to physics and sound.
fn come(new: Query<(Entity, &Heard, &Transform), Added<Heard>>, mut physics: ResMut<Physics>, mut sound: ResMut<Sound>) {
    for (entity, heard, at) in &new {
        physics.appear(entity.to_bits(), at.translation.to_array(), heard.radius_m);
        sound.stage.appear(entity.to_bits(), 0);
    }
}

/// What has left the game rings out.
fn go(mut gone: RemovedComponents<Heard>, mut physics: ResMut<Physics>, mut sound: ResMut<Sound>) {
    for entity in gone.read() {
        physics.vanish(entity.to_bits());
        sound.stage.vanish(entity.to_bits());
        sound.stream.forget(entity.to_bits());
    }
}

fn sound(mut physics: ResMut<Physics>, mut sound: ResMut<Sound>) {
    sound.step(&mut physics.world);
}

/// Everything stands where the physics says.
fn stand(mut things: Query<(Entity, &mut Transform), With<Heard>>, physics: Res<Physics>) {
    for (entity, mut at) in &mut things {
        if let Some(body) = physics.bodies.get(&entity.to_bits()).and_then(|body| physics.world.bodies.get(*body)) {
            at.translation = body.translation().to_array().into();
        }
    }
}

/// The same without Bevy: things that appear and vanish before the steps that are named.
#[allow(dead_code, reason = "the test's, not the example's")]
pub fn without_bevy(steps: u32, comes: &[(u32, u64, [f32; 3], f32)], goes: &[(u32, u64)]) -> Vec<f32> {
    let (mut physics, mut sound) = (Physics::new(), Sound::new());
    for step in 0..steps {
        for (_, thing, place, radius_m) in comes.iter().filter(|(at, ..)| *at == step) {
            physics.appear(*thing, *place, *radius_m);
            sound.stage.appear(*thing, 0);
        }
        for (_, thing) in goes.iter().filter(|(at, _)| *at == step) {
            physics.vanish(*thing);
            sound.stage.vanish(*thing);
            sound.stream.forget(*thing);
        }
        sound.step(&mut physics.world);
    }
    sound.samples
}
