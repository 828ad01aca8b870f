// SPDX-License-Identifier: MIT OR Apache-2.0
//! When contacts begin and end, as the engine notes it.

use tocco::scene::Touch;
use tocco::{Engine, Queue, Scene, SceneDef};

const RATE_HZ: f64 = 48_000.0;
const MASS_KG: f64 = 0.01;
const HEIGHT_M: f64 = 0.05;
const GRAVITY: f64 = 9.81;

fn scene() -> Scene {
    let text = format!(
        "[body.ball]\ntype = \"mass\"\nmass_kg = {MASS_KG}\nposition_m = -{HEIGHT_M}\ngravity_m_s2 = {GRAVITY}\n\
         [body.plate]\ntype = \"modal\"\nmodes = [{{ freq_hz = 440.0, decay_s = 0.05, mass_kg = 10.0 }}]\n\
         [contact.drop]\ntype = \"impact\"\nbetween = [\"ball\", \"plate\"]\nstiffness = 1e8\nviscous_loss = 0.0\n[[tap]]\nof = \"plate\"\n"
    );
    Scene::build(&SceneDef::from_text(&text).unwrap(), RATE_HZ).unwrap()
}

fn touches(block: usize, wanted: bool) -> (Vec<Touch>, Vec<f32>) {
    let mut engine = Engine::new(scene());
    engine.watch_touches(wanted);
    let (mut out, mut found) = (vec![0.0; 48_000], Vec::new());
    for part in out.chunks_mut(block) {
        engine.render(&[], &mut Queue::new(), part);
        found.extend(std::iter::from_fn(|| engine.take_touch()));
    }
    (found, out)
}

#[test]
fn a_falling_ball_touches_when_free_fall_says_and_gives_twice_its_momentum() {
    let (found, _) = touches(512, true);
    let fall_s = (2.0 * HEIGHT_M / GRAVITY).sqrt();
    let (first, last) = (found[0], found[1]);
    assert!(first.begins && first.contact == 0 && first.impulse_n_s == 0.0);
    // The sample in which it arrives, give or take the one that rounding may choose.
    assert!((first.at as f64 - fall_s * RATE_HZ).abs() <= 1.0, "{} {}", first.at, fall_s * RATE_HZ);
    assert!(!last.begins && last.at > first.at && last.at < first.at + 480, "{last:?}");
    // A plate a thousand times heavier takes 0.1 % of the speed, at most twice that in its own motion.
    let momentum = 2.0 * MASS_KG * GRAVITY * fall_s;
    assert!((last.impulse_n_s / momentum - 1.0).abs() < 0.01, "{} {momentum}", last.impulse_n_s);
    assert!(found.len() >= 4 && found.chunks_exact(2).all(|pair| pair[0].begins && !pair[1].begins), "{}", found.len());
}

#[test]
fn touches_are_the_same_for_any_block_and_noting_them_changes_no_sample() {
    let (whole, with) = touches(48_000, true);
    for block in [1, 37, 512] {
        assert_eq!(touches(block, true), (whole.clone(), with.clone()), "blocks of {block}");
    }
    let (none, without) = touches(512, false);
    assert!(none.is_empty() && without == with && with.iter().any(|x| *x != 0.0));
}
