// SPDX-License-Identifier: MIT OR Apache-2.0
//! What happens in a contact: force, compression and energy of one blow, sample by sample, as CSV on standard output.

use tocco::scene::def::{ImpactDef, MassDef, ModalDef};
use tocco::{Engine, Queue, Scene, SceneDef, SceneError};

const RATE_HZ: f64 = 96_000.0;
const SIGNALS: [&str; 4] = ["hit.force", "hit.compression", "hammer.velocity", "energy"];

fn main() -> Result<(), SceneError> {
    let def = SceneDef::new()
        .body("hammer", MassDef::new(0.02))
        .body("bar", ModalDef::new().mode(440.0, 0.8, 0.05).mode(1_213.0, 0.3, 0.05))
        .contact("hit", ["hammer", "bar"], ImpactDef::new(1e7).dissipation(0.5))
        .strike(0.0, "hammer", 2.0)
        .tap("bar", 1.0);
    let mut engine = Engine::new(Scene::build(&def, RATE_HZ)?);

    let directory = engine.scene().directory().clone();
    let probes = SIGNALS.iter().map(|signal| directory.probe(signal)).collect::<Result<Vec<_>, _>>()?;
    engine.watch(&probes);

    // Three milliseconds; a row of signals follows every sample.
    const FRAMES: usize = 288;
    let (mut out, mut rows) = ([0.0; FRAMES], [0.0; FRAMES * SIGNALS.len()]);
    engine.render_probed(&[], &mut Queue::new(), &mut out, &mut rows);

    println!("time_s,{}", SIGNALS.join(","));
    for (tick, row) in rows.chunks_exact(SIGNALS.len()).enumerate() {
        let [force, compression, velocity, energy] = row else { continue };
        println!("{:.7},{force:.4},{compression:e},{velocity:.6},{energy:e}", (tick + 1) as f64 / RATE_HZ);
    }
    Ok(())
}
