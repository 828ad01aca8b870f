// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scene from text: a mass strikes a steel bar, one second is rendered, and peak and energy are printed.

use tocco::{Engine, Queue, Scene, SceneDef, SceneError};

const BAR: &str = r#"
    body.hammer = { type = "mass", mass_kg = 0.01 }
    contact.hit = { type = "impact", between = ["hammer", "bar.tip"], stiffness = 1e8 }
    event = [{ at_s = 0.0, strike = "hammer", velocity_m_s = 1.0 }]
    tap = [{ of = "bar.tip", gain = 0.5 }]

    [body.bar]
    type = "shape"
    shape = "bar"
    material = "steel"
    length_m = 0.3
    width_m = 0.03
    thickness_m = 0.005
    port = { tip = 0.98 }
"#;

fn main() -> Result<(), SceneError> {
    let def = SceneDef::from_text(BAR)?; // what the text says
    let mut engine = Engine::new(Scene::build(&def, 48_000.0)?); // checked, wired for one sample rate, ready to sound
    let mut commands = Queue::new(); // what is done to it while it sounds: nothing but the strike that the text names
    for tenth in 1..=10 {
        let mut out = vec![0.0_f32; 4_800];
        let health = engine.render(&[], &mut commands, &mut out);
        let peak = out.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        let (energy, work) = (engine.energy(), engine.work());
        println!("{:.1} s: peak {peak:.4}, energy {energy:.3e} J of {work:.3e} J brought in", f64::from(tenth) * 0.1);
        assert!(energy <= work && health.unconverged == 0, "no contact makes energy");
    }
    Ok(())
}
