// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bodies by geometry, as scenes large enough to hold 200 modes below half the rate.

use std::time::Instant;
use tocco::resonator::shape::evaluate;
use tocco::scene::def::BodyForm;
use tocco::scene::{Scene, SceneDef};

/// Name and scene of a struck body of every family that has 200 modes.
pub fn bodies() -> Vec<(&'static str, String)> {
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
pub fn heard(quantity: &str) -> Result<tocco::Engine, String> {
    let text = format!(
        "[body.x]\ntype = \"shape\"\nshape = \"rectangular-plate\"\nedges = \"supported\"\nlength_m = 2\nwidth_m = 1.6\nthickness_m = 1e-3\n\
         material = {{ density_kg_m3 = 7800.0, young_pa = 2e11, loss_factor = 1e-7 }}\nmodes = 500\n[[event]]\nat_s = 0\nhit = \"x\"\n\
         impulse_n_s = 0.1\n[[tap]]\nof = \"x\"\nquantity = \"{quantity}\"\n"
    );
    let def = SceneDef::from_text(&text).map_err(|cause| cause.to_string())?;
    Ok(tocco::Engine::new(Scene::build(&def, 48_000.0).map_err(|cause| cause.to_string())?))
}

/// Time from text to a scene that can sound, ms, and the number of modes.
pub fn build_ms(text: &str) -> Result<(f64, usize), String> {
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
