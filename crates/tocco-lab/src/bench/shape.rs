// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bodies by geometry: how soon they are built, as scenes large enough to hold 200 modes below half the rate, and what it costs to hear
//! what they radiate and what lies above their list.

use super::bank::{Plain, modes};
use super::{Table, TemporaryFolder, alternate};
use crate::error::{Error, Result};
use std::time::Instant;
use tocco::resonator::shape::evaluate;
use tocco::scene::def::BodyForm;
use tocco::scene::{Scene, SceneDef};
use tocco::{Engine, Queue};

/// Text to scene, then what a large plate costs that rings.
pub fn shapes(table: &mut Table, _: &TemporaryFolder) -> Result<()> {
    table.heading("200 modes from a shape, ms from text to scene", ["modes", "ours", "", "goal"])?;
    for (name, text) in bodies() {
        let (mut least_ms, mut count) = (f64::INFINITY, 0);
        for _ in 0..5 {
            let (ms, modes) = build_ms(&text).map_err(Error::Machine)?;
            (least_ms, count) = (least_ms.min(ms), modes);
        }
        let columns = [count.to_string(), format!("{least_ms:.2}"), String::new(), "< 20".into()];
        table.figure(name, columns, least_ms < 20.0)?;
    }
    table.heading("a plate of 500 modes heard, ns per sample", ["velocity", "radiated", "ratio", "goal"])?;
    let (moving_ns, radiated_ns) = beside(heard("velocity", "")?, heard("radiated", "")?);
    let ratio = radiated_ns / moving_ns;
    let columns = [format!("{moving_ns:.0}"), format!("{radiated_ns:.0}"), format!("x{ratio:.2}"), "<= x1.10".into()];
    table.figure("what it radiates", columns, ratio <= 1.1)?;
    table.heading("what lies above its list, mode updates per sample", ["", "ours", "ns", "goal"])?;
    let mut plain = Plain::new(&modes(512));
    let (plain_ns, _) = alternate(&mut |out| plain.render(out), &mut |_| ());
    let (without_ns, with_ns) = beside(heard("radiated", "")?, heard("radiated", "tail = true\n")?);
    let updates = (with_ns - without_ns) / (plain_ns / 512.0);
    let columns = [String::new(), format!("{updates:.0}"), format!("{:.1}", with_ns - without_ns), "<= 30".into()];
    table.figure("a tail", columns, updates <= 30.0)
}

/// Two engines in turn, ns per sample.
fn beside(mut one: Engine, mut other: Engine) -> (f64, f64) {
    let render = |engine: &mut Engine, out: &mut [f32]| {
        engine.render(&[], &mut Queue::new(), out);
    };
    alternate(&mut |out| render(&mut one, out), &mut |out| render(&mut other, out))
}

/// Name and scene of a struck body of every family that has 200 modes.
fn bodies() -> Vec<(&'static str, String)> {
    let keys = [
        ("string", "length_m = 20\ndiameter_m = 1e-4\nfreq_hz = 20\nstiffness = \"ideal\""),
        ("bar", "length_m = 80\nwidth_m = 0.1\nthickness_m = 0.001"),
        ("rectangular-membrane", "length_m = 2\nwidth_m = 1.6\nthickness_m = 2e-4\nfreq_hz = 50"),
        ("circular-membrane", "radius_m = 1\nthickness_m = 2e-4\nfreq_hz = 50"),
        ("rectangular-plate, free", "length_m = 1.1\nwidth_m = 0.9\nthickness_m = 2e-3"),
        ("rectangular-plate, supported", "edges = \"supported\"\nlength_m = 1.1\nwidth_m = 0.9\nthickness_m = 2e-3"),
        ("circular-plate, free", "radius_m = 1\nthickness_m = 2e-3"),
        ("circular-plate, clamped", "edge = \"clamped\"\nradius_m = 1\nthickness_m = 2e-3"),
        ("bowl", "radius_m = 20\nheight_m = 20\nthickness_m = 1e-3"),
        ("box", "length_m = 4\nwidth_m = 3.1\nheight_m = 2.3"),
        ("rounded-box", "size_m = 3\nroundness_01 = 0.4"),
        ("sphere", "radius_m = 2"),
        ("tube", "length_m = 30\nradius_m = 0.05"),
    ];
    let air = ["box", "rounded-box", "sphere", "tube"];
    let scene = |(name, keys): (&'static str, &str)| {
        let id = name.split(',').next().unwrap_or(name);
        let stuff = if air.contains(&id) { "" } else { "material = \"steel\"\n" };
        let text = format!(
            "[body.x]\ntype = \"shape\"\nshape = \"{id}\"\n{keys}\n{stuff}modes = 200\n[body.hammer]\ntype = \"mass\"\n\
             [contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"x\"]\n[[tap]]\nof = \"x\"\n"
        );
        (name, text)
    };
    keys.into_iter().map(scene).collect()
}

/// A large plate that rings for ever, heard by one quantity.
fn heard(quantity: &str, keys: &str) -> Result<Engine> {
    let text = format!(
        "[body.x]\ntype = \"shape\"\nshape = \"rectangular-plate\"\nedges = \"supported\"\nlength_m = 2\nwidth_m = 1.6\nthickness_m = 1e-3\n\
         material = {{ density_kg_m3 = 7800.0, young_pa = 2e11, loss_factor = 1e-7 }}\nmodes = 500\n{keys}[[event]]\nat_s = 0\nhit = \"x\"\n\
         impulse_n_s = 0.1\n[[tap]]\nof = \"x\"\nquantity = \"{quantity}\"\n"
    );
    let built = SceneDef::from_text(&text).and_then(|def| Scene::build(&def, 48_000.0));
    built.map(Engine::new).map_err(|cause| Error::Machine(format!("benchmark scene: {cause}")))
}

/// Time from text to a scene that can sound, ms, and the number of modes.
fn build_ms(text: &str) -> std::result::Result<(f64, usize), String> {
    let begun = Instant::now();
    let def = SceneDef::from_text(text).map_err(|cause| cause.to_string())?;
    let scene = Scene::build(&def, 48_000.0).map_err(|cause| cause.to_string())?;
    let ms = 1e3 * begun.elapsed().as_secs_f64();
    std::hint::black_box(&scene);
    let modes = def.bodies.iter().find_map(|body| match &body.form {
        BodyForm::Shape(shape) => evaluate(&shape.geometry, &shape.ports, 24_000.0).ok(),
        _ => None,
    });
    Ok((ms, modes.map_or(0, |solved| solved.modes.len())))
}
