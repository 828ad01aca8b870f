// SPDX-License-Identifier: MIT OR Apache-2.0
//! The same world through kira, a game's mixer: the bits that the engine makes are the bits that leave the mixer.

use kira::backend::{Backend, Renderer};
use kira::info::Info;
use kira::sound::{Sound, SoundData};
use kira::{AudioManager, AudioManagerSettings, Frame};
use rapier3d::prelude::*;
use std::sync::mpsc::{Receiver, Sender, channel};
use tocco::{Command, Engine, Queue, Scene};
use tocco_contact_stream::{Kind, Pairs, Pools, Stage, Stream, Surface, Thresholds};
use tocco_rapier::{Ear, tag};

const RATE_HZ: u32 = 48_000;
const BLOCK: usize = 800;

/// A sound that a scene makes while it is told what happens.
struct Sounding {
    engine: Engine,
    queue: Queue,
    told: Receiver<(u64, Command)>,
    block: Vec<f32>,
}

impl Sound for Sounding {
    fn process(&mut self, out: &mut [Frame], _: f64, _: &Info) {
        self.told.try_iter().for_each(|(at, command)| self.queue.push(at, command));
        self.block.resize(out.len(), 0.0);
        self.engine.render(&[], &mut self.queue, &mut self.block);
        out.iter_mut().zip(&self.block).for_each(|(frame, x)| *frame = Frame::from_mono(*x));
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
struct Card(Option<Renderer>);

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

fn stage() -> (Stage, Engine) {
    let table = "type = 'modal'\nmodes = [{ freq_hz = 700.0, decay_s = 0.2, mass_kg = 0.1 }, { freq_hz = 1900.0, decay_s = 0.1, mass_kg = 0.1 }]";
    let kinds = [Kind::from_text("ball", 3, table).unwrap()];
    let pools = Pools { impacts: 8, slides: 2, rolls: 2, ..Pools::default() };
    let (mut stage, def) = Stage::new(&kinds, Pairs::new(Surface::default()), pools, f64::from(RATE_HZ)).unwrap();
    let engine = Engine::new(Scene::build(&def, f64::from(RATE_HZ)).unwrap());
    stage.wire(engine.scene().directory()).unwrap();
    (0..3).for_each(|ball| assert!(stage.appear(10 + ball, 0)));
    (stage, engine)
}

/// Half a second of three balls that fall; `step` is called after every step of the game.
fn play(stage: &mut Stage, mut tell: impl FnMut(u64, Command), mut step: impl FnMut()) {
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
    for i in 0..30u32 {
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

#[test]
fn what_leaves_the_mixer_is_what_the_engine_makes_bit_for_bit() {
    let (mut first, mut engine) = stage();
    let (told, tells): (Sender<_>, Receiver<_>) = channel();
    let (mut queue, mut direct) = (Queue::new(), Vec::new());
    play(
        &mut first,
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
    manager.play(Sounding { engine, queue: Queue::new(), told: tells, block: Vec::new() }).unwrap();
    let mut mixed = Vec::new();
    play(
        &mut second,
        |at, command| told.send((at, command)).unwrap(),
        || {
            let renderer = manager.backend_mut().0.as_mut().unwrap();
            let mut block = vec![0.0; 2 * BLOCK];
            renderer.on_start_processing();
            renderer.process(&mut block, 2);
            mixed.extend(block);
        },
    );
    // A mono sound in the middle of a stereo mixer: each side is the sound.
    let [left, right]: [Vec<f32>; 2] =
        std::array::from_fn(|side| mixed.iter().skip(side).step_by(2).copied().collect());
    assert_eq!(left.len(), direct.len());
    assert!(left == direct && right == direct);
}
