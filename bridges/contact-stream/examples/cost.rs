// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each voice costs on this machine, for `Budget`: a blow in microseconds, a voice that lasts as a part of a core.

mod on_core;

use on_core::{TABLE, on_core};
use tocco::{Engine, Queue, Scene};
use tocco_contact_stream::{Budget, Event, Kind, Motion, Pairs, Pools, Stage, Surface, What};

const RATE_HZ: f64 = 48_000.0;
const STEP_S: f64 = 1.0 / 60.0;
const STEPS: u64 = 120;
const THINGS: u64 = 20;

const CUP: &str = "type = 'modal'
modes = [{ freq_hz = 1900.0, decay_s = 0.15, mass_kg = 0.05 }, { freq_hz = 4700.0, decay_s = 0.08, mass_kg = 0.05 },
    { freq_hz = 6100.0, decay_s = 0.07, mass_kg = 0.05 }, { freq_hz = 8800.0, decay_s = 0.05, mass_kg = 0.05 }]";
/// Seconds of a core that the events of every step take, beside silence.
fn spent(events: impl Fn(u64) -> Vec<What>) -> Result<f64, Box<dyn std::error::Error>> {
    let kinds = [Kind::from_text("cup", THINGS as usize, CUP)?, Kind::from_text("table", 1, TABLE)?];
    let budget = Budget { core: 1e3, ..Budget::default() };
    let pools = Pools { impacts: 48, slides: 8, rolls: 8, budget };
    let (mut stage, def) = Stage::new(&kinds, Pairs::new(Surface::default()), pools, RATE_HZ)?;
    let mut engine = Engine::new(Scene::build(&def, RATE_HZ)?);
    stage.wire(engine.scene().directory())?;
    stage.appear(0, 1);
    (1..=THINGS).for_each(|thing| assert!(stage.appear(thing, 0)));
    let (mut queue, mut sound, mut spent_s) = (Queue::new(), [0.0; 800], 0.0);
    for step in 0..STEPS {
        let at_s = step as f64 * STEP_S;
        let event = |(i, what): (usize, What)| {
            let pair = [0, 1 + (step + i as u64) % THINGS];
            let pair = if matches!(what, What::Goes { .. }) { [0, 1 + i as u64] } else { pair };
            Event { at_s: at_s + 1e-3 * (i % 16) as f64, pair, materials: [0; 2], point_m: [0.0; 3], what }
        };
        let all: Vec<Event> = events(step).into_iter().enumerate().map(event).collect();
        stage.play(at_s + STEP_S, &all, |at, command| queue.push(at, command));
        let began = on_core();
        engine.render(&[], &mut queue, &mut sound);
        spent_s += on_core() - began;
    }
    Ok(spent_s)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let lasts_s = STEPS as f64 * STEP_S;
    let silence = spent(|_| Vec::new())?;
    println!("silence: {:.2} % of a core", 100.0 * silence / lasts_s);
    for each in [1, 4] {
        let blow = What::Impact { speed_m_s: 1.5, mass_kg: 0.2, impulse_n_s: 0.4 };
        let blows = spent(|_| vec![blow; each])? - silence;
        // Each is heard of both things.
        let count = 2 * STEPS * each as u64;
        println!(
            "{each} impacts a step: {:.1} us a blow, {:.2} % of a core",
            1e6 * blows / count as f64,
            100.0 * blows / lasts_s
        );
    }
    for (word, motion) in [("slide", Motion::Slide), ("roll", Motion::Roll)] {
        for each in [1, 4] {
            let goes =
                What::Goes { motion, begins: false, force_n: 2.0, speed_m_s: 0.5, mass_kg: 0.2, lasts_s: STEP_S };
            let lasting = spent(|_| vec![goes; each])? - silence;
            println!(
                "{each} that {word}: {:.2} % of a core for each voice",
                100.0 * lasting / lasts_s / (2 * each) as f64
            );
        }
    }
    Ok(())
}
