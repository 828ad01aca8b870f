// SPDX-License-Identifier: MIT OR Apache-2.0
//! A copy of a running engine goes on as the engine itself does, in every scene, and makes sound without asking for memory.

use tocco::engine::Queue;
use tocco::{Command, Engine, Scene};
use tocco_lab::{library, parallel};
use tocco_testing::allocations::{Counting, assert_awake, count, watched};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_copy_goes_on_with_the_same_bits_in_every_scene_and_allocates_nothing() {
    let heard = parallel::run(library::SHIPPED.len(), parallel::cores(), |at| {
        assert_awake();
        let (name, _) = library::SHIPPED[at];
        let scene = library::load(name).unwrap();
        let mut engine = Engine::new(Scene::build(&scene.def, 16_000.0).unwrap());
        let frames = engine.scene().channels() * 6_400;
        let hall = |engine: &mut Engine| {
            let mut out = vec![0.0; frames];
            out.chunks_mut(777 * engine.scene().channels()).for_each(|block| {
                engine.render(&[], &mut Queue::new(), block);
            });
            out
        };
        hall(&mut engine);
        let snapshot = engine.clone();
        let (straight, mut copy) = (hall(&mut engine), snapshot.clone());
        let mut again = vec![0.0; frames];
        let (mut queue, before) = (Queue::new(), count());
        watched(|| {
            copy.render(&[], &mut queue, &mut again);
        });
        assert_eq!(count() - before, 0, "{name}: a copy allocates");
        assert!(straight == again, "{name}: a copy goes another way");
        assert_eq!(engine.energy() - engine.work(), copy.energy() - copy.work(), "{name}: the ledger, too");
        // What was changed in the copy leaves the first alone.
        let mut other = snapshot.clone();
        let mut queue = Queue::new();
        queue.push(0, Command::Hush);
        other.render(&[], &mut queue, &mut vec![0.0; frames]);
        assert!(hall(&mut snapshot.clone()) == straight, "{name}: two copies have something in common");
        Ok(straight.iter().any(|x| *x != 0.0))
    });
    let heard = heard.unwrap().into_iter().filter(|heard| *heard).count();
    assert!(heard > 60, "{heard} scenes were heard");
}
