// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whatever legal value is set live, the sound goes on.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tocco::{Command, Engine, Queue, Scene};
use tocco_lab::library;

/// Sound that is rendered after each change, s.
const SECONDS: f64 = 0.3;
/// What nobody waits for, on however slow a machine: many times as long as the sound lasts.
const MOST: Duration = Duration::from_secs(5);

#[test]
fn no_legal_value_of_any_parameter_stops_the_sound() {
    let mut seen = HashSet::new();
    let mut cases = Vec::new();
    let scenes = library::shipped().unwrap();
    for (index, scene) in scenes.iter().enumerate() {
        let built = Scene::build(&scene.def, scene.def.rate_hz).unwrap();
        for (path, spec, value) in built.directory().paths() {
            // The same parameter elsewhere is the same code, but a signal's does what its hearers do.
            let hears = scene.def.signals.iter().any(|signal| path.starts_with(&format!("{}/", signal.name)));
            if seen.insert((spec.id, spec.doc, value == 0.0, hears.then_some(index))) {
                cases.extend([spec.from_01(0.0), spec.from_01(1.0)].map(|extreme| (index, path.clone(), extreme)));
            }
        }
    }
    let (next, slow) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some((index, path, extreme)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let scene = &scenes[*index];
                    let built = Scene::build(&scene.def, scene.def.rate_hz).unwrap();
                    let address = built.directory().address(path).unwrap();
                    let (mut engine, mut queue) = (Engine::new(built), Queue::new());
                    let mut out = vec![0.0; 64 * engine.scene().channels()];
                    queue.push(0, Command::Set(address, *extreme));
                    let start = Instant::now();
                    for _ in 0..(SECONDS * scene.def.rate_hz / 64.0) as usize {
                        engine.render(&[], &mut queue, &mut out);
                        if start.elapsed() > MOST || out.iter().any(|x| !x.is_finite()) {
                            slow.lock().unwrap().push(format!(
                                "{} {path} = {extreme}: {:?}",
                                scene.name,
                                start.elapsed()
                            ));
                            break;
                        }
                    }
                }
            });
        }
    });
    let slow = slow.into_inner().unwrap();
    assert!(slow.is_empty(), "of {} cases:\n{}", cases.len(), slow.join("\n"));
}
