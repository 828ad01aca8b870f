// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the example with kira and its test share: a scene as a sound of the mixer, a sound card, and three balls that fall.

use kira::Frame;
use kira::backend::{Backend, Renderer};
use kira::info::Info;
use kira::sound::{Sound, SoundData};
use rapier3d::prelude::*;
use rtrb::Consumer;
use tocco::{Command, Engine, Queue, Scene};
use tocco_contact_stream::{Kind, Pairs, Pools, Stage, Stream, Surface, Thresholds};
use tocco_rapier::{Ear, tag};

pub const RATE_HZ: u32 = 48_000;
pub const BLOCK: usize = 800;
/// Commands on their way to the sound, or waiting for their time.
pub const ROOM: usize = 1 << 12;

/// A sound that a scene makes while it is told what happens. The mixer asks for it on the thread of the sound, where nothing may be
/// allocated or freed: so it hears through a ring, as a channel of the standard library would free there.
pub struct Sounding {
    engine: Engine,
    queue: Queue,
    told: Consumer<(u64, Command)>,
    block: [f32; BLOCK],
}

impl Sounding {
    /// It hears of everything through a ring of [`ROOM`].
    pub fn new(engine: Engine, told: Consumer<(u64, Command)>) -> Self {
        Self { engine, queue: Queue::with_room(ROOM), told, block: [0.0; BLOCK] }
    }
}

impl Sound for Sounding {
    fn process(&mut self, out: &mut [Frame], _: f64, _: &Info) {
        while self.queue.len() < ROOM
            && let Ok((at, command)) = self.told.pop()
        {
            self.queue.push(at, command);
        }
        for out in out.chunks_mut(BLOCK) {
            let block = &mut self.block[..out.len()];
            self.engine.render(&[], &mut self.queue, block);
            out.iter_mut().zip(block).for_each(|(frame, x)| *frame = Frame::from_mono(*x));
        }
    }
    fn finished(&self) -> bool {
        false
    }
}

impl SoundData for Sounding {
    type Error = ();
    type Handle = ();
    fn into_sound(self) -> Result<(Box<dyn Sound>, ()), ()> {
        Ok((Box::new(self), ()))
    }
}

/// A sound card whose samples can be had.
pub struct Card(Option<Renderer>);

impl Card {
    /// The next block, left and right.
    pub fn block(&mut self) -> Vec<f32> {
        let mut block = vec![0.0; 2 * BLOCK];
        if let Some(renderer) = &mut self.0 {
            renderer.on_start_processing();
            renderer.process(&mut block, 2);
        }
        block
    }
}

impl Backend for Card {
    type Settings = ();
    type Error = ();
    fn setup((): (), _: usize) -> Result<(Self, u32), ()> {
        Ok((Self(None), RATE_HZ))
    }
    fn start(&mut self, renderer: Renderer) -> Result<(), ()> {
        self.0 = Some(renderer);
        Ok(())
    }
}

/// Three balls that are heard.
pub fn stage() -> (Stage, Engine) {
    let table = "type = 'modal'\nmodes = [{ freq_hz = 700.0, decay_s = 0.2, mass_kg = 0.1 }, { freq_hz = 1900.0, decay_s = 0.1, mass_kg = 0.1 }]";
    let kinds = [Kind::from_text("ball", 3, table).unwrap()];
    let pools = Pools { impacts: 8, slides: 2, rolls: 2, ..Pools::default() };
    let (mut stage, def) = Stage::new(&kinds, Pairs::new(Surface::default()), pools, f64::from(RATE_HZ)).unwrap();
    let engine = Engine::new(Scene::build(&def, f64::from(RATE_HZ)).unwrap());
    stage.wire(engine.scene().directory()).unwrap();
    (0..3).for_each(|ball| assert!(stage.appear(10 + ball, 0)));
    (stage, engine)
}

/// The balls fall, 60 steps a second; `step` is called after every one.
pub fn play(stage: &mut Stage, steps: u32, mut tell: impl FnMut(u64, Command), mut step: impl FnMut()) {
    let mut world = PhysicsWorld::new();
    let floor = ColliderBuilder::cuboid(5.0, 1.0, 5.0).translation(Vector::new(0.0, -1.0, 0.0));
    world.colliders.insert(floor.restitution(0.6).user_data(tag(0, 0)));
    for i in 0..3u8 {
        let place = Vector::new(Real::from(i), 0.2 + 0.1 * Real::from(i), 0.0);
        let body = world.bodies.insert(RigidBodyBuilder::dynamic().translation(place));
        let ball = ColliderBuilder::ball(0.05).restitution(0.6).user_data(tag(10 + u64::from(i), 0));
        world.colliders.insert_with_parent(ball, body, &mut world.bodies);
    }
    let (mut ear, mut stream, mut events) = (Ear::new(), Stream::new(Thresholds::default()), Vec::new());
    for i in 0..steps {
        let begin_s = f64::from(i) / 60.0;
        ear.before(&world.bodies, &world.colliders);
        world.step();
        let records = ear.after(world.gravity, &world.narrow_phase, &world.bodies, &world.colliders);
        events.clear();
        stream.step(begin_s, 1.0 / 60.0, records, &mut events).unwrap();
        stage.play(begin_s + 1.0 / 60.0, &events, &mut tell);
        step();
    }
}
