// SPDX-License-Identifier: MIT OR Apache-2.0
//! 200 things at 60 steps a second: what hearing them takes of a core. Prints it, and leaves with 1 if it is 20 % or more, or if
//! hardly anything was played for it.
//!
//! The things bounce on a table and slide when they rest, each by its own parabola, and meet one another at random; all of the
//! stream, the stage and the engine counts, the parabolas do not.

mod on_core;

use on_core::{TABLE, on_core};
use tocco::rng::Rng;
use tocco::{Engine, Queue, Scene};
use tocco_contact_stream::{Kind, Pairs, Pools, Record, Stage, Stream, Surface, Thresholds};

const RATE_HZ: f64 = 48_000.0;
const STEP_S: f64 = 1.0 / 60.0;
const STEPS: u64 = 300;
const THINGS: u64 = 200;
const G: f64 = 9.81;
const MOST: f64 = 0.2;
/// Of some 3700 blows that are heard of; silence would cost nothing. A busy machine leaves out more than half.
const LEAST_BLOWS: u64 = 500;
/// Pairs of things that meet in every step.
const MEETINGS: usize = 3;

const TIN: &str = "type = 'modal'
modes = [{ freq_hz = 1900.0, decay_s = 0.15, mass_kg = 0.05 }, { freq_hz = 3100.0, decay_s = 0.12, mass_kg = 0.05 },
    { freq_hz = 4700.0, decay_s = 0.08, mass_kg = 0.05 }, { freq_hz = 6100.0, decay_s = 0.07, mass_kg = 0.05 },
    { freq_hz = 8800.0, decay_s = 0.05, mass_kg = 0.05 }, { freq_hz = 11300.0, decay_s = 0.03, mass_kg = 0.05 }]";
struct Thing {
    height_m: f64,
    speed_m_s: f64,
    slip_m_s: f64,
    mass_kg: f64,
}

impl Thing {
    /// One step as a physics engine takes it; a record if it touches the table.
    fn step(&mut self, thing: u64) -> Option<Record> {
        let closing_m_s = -self.speed_m_s;
        self.speed_m_s -= G * STEP_S;
        if self.height_m + self.speed_m_s * STEP_S > 0.0 {
            self.height_m += self.speed_m_s * STEP_S;
            return None;
        }
        let gap_m = self.height_m;
        let bounce = if closing_m_s > 0.3 { 0.55 } else { 0.0 };
        let impulse_n_s = -self.mass_kg * (1.0 + bounce) * self.speed_m_s;
        (self.height_m, self.speed_m_s) = (0.0, -bounce * self.speed_m_s);
        self.slip_m_s *= 0.97;
        let (slip_m_s, mass_kg, closing_m_s2) = (self.slip_m_s, self.mass_kg, G);
        Some(Record { impulse_n_s, closing_m_s, closing_m_s2, slip_m_s, gap_m, mass_kg, ..Record::between(0, thing) })
    }
}

/// Two things collide, and lose half of their speed towards each other.
fn meeting(rng: &mut Rng, things: &[Thing]) -> Record {
    let one = (rng.unit() * things.len() as f64) as usize % things.len();
    let other = (one + 1 + (rng.unit() * (things.len() - 1) as f64) as usize) % things.len();
    let (a, b) = (things[one].mass_kg, things[other].mass_kg);
    let (mass_kg, closing_m_s) = (a * b / (a + b), rng.between_log(0.3, 3.0));
    let (impulse_n_s, parting_m_s) = (1.5 * mass_kg * closing_m_s, 0.5 * closing_m_s);
    Record { impulse_n_s, closing_m_s, parting_m_s, mass_kg, ..Record::between(1 + one as u64, 1 + other as u64) }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let kinds = [Kind::from_text("tin", THINGS as usize, TIN)?, Kind::from_text("table", 1, TABLE)?];
    let (mut stage, def) = Stage::new(&kinds, Pairs::new(Surface::default()), Pools::default(), RATE_HZ)?;
    let mut engine = Engine::new(Scene::build(&def, RATE_HZ)?);
    stage.wire(engine.scene().directory())?;
    stage.appear(0, 1);
    let mut rng = Rng::new(1, "load");
    let mut new = |thing: u64| Thing {
        height_m: rng.between(0.2, 3.0),
        speed_m_s: 0.0,
        slip_m_s: rng.between(0.0, 1.5) * (thing % 3) as f64,
        mass_kg: rng.between_log(0.05, 1.0),
    };
    let mut things: Vec<Thing> = (1..=THINGS).map(&mut new).collect();
    (1..=THINGS).for_each(|thing| assert!(stage.appear(thing, 0)));
    let (mut stream, mut queue) = (Stream::new(Thresholds::default()), Queue::new());
    let mut meets = Rng::new(1, "meetings");
    let (mut sound, mut all, mut worst) = ([0.0; 800], 0.0, 0.0f64);
    for step in 0..STEPS {
        // Three a second vanish and appear above.
        if step % 20 == 19 {
            let thing = 1 + (step / 20 * 7) % THINGS;
            stage.vanish(thing);
            stream.forget(thing);
            things[thing as usize - 1] = new(thing);
            stage.appear(thing, 0);
        }
        let mut records: Vec<Record> =
            (1..).zip(&mut things).filter_map(|(number, thing)| thing.step(number)).collect();
        records.extend((0..MEETINGS).map(|_| meeting(&mut meets, &things)));
        let (began, begin_s) = (on_core(), step as f64 * STEP_S);
        let mut events = Vec::new();
        stream.step(begin_s, STEP_S, &records, &mut events)?;
        stage.play(begin_s + STEP_S, &events, |at, command| queue.push(at, command));
        engine.render(&[], &mut queue, &mut sound);
        let spent_s = on_core() - began;
        stage.measured(spent_s, STEP_S);
        all += spent_s;
        worst = worst.max(spent_s);
    }
    let (used, played, health) = (all / (STEPS as f64 * STEP_S), stage.played(), engine.health());
    println!(
        "{THINGS} things at 60 Hz for {:.0} s: {:.1} % of a core, the worst step {:.0} %",
        STEPS as f64 * STEP_S,
        100.0 * used,
        100.0 * worst / STEP_S
    );
    println!(
        "{} impacts heard of; {} blows played, {} left out; {} refused, {} unconverged",
        stream.counts().impacts,
        played.impacts,
        played.left_out,
        health.refused,
        health.unconverged
    );
    let reached = used < MOST && played.impacts >= LEAST_BLOWS && health.refused == 0;
    println!(
        "{}: under {:.0} % of a core, at least {LEAST_BLOWS} blows",
        if reached { "reached" } else { "MISSED" },
        100.0 * MOST
    );
    std::process::exit(i32::from(!reached))
}
