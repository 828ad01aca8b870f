// SPDX-License-Identifier: MIT OR Apache-2.0
//! The crack lines of a scene's ice, as a drawing (SVG) and as data (JSON).

use std::fmt::Write as _;
use tocco::process::ice::cracks::Cracks;
use tocco::rng::Rng;
use tocco::scene::def::ProcessForm;
use tocco::{Engine, Queue, Scene, SceneDef};

/// Renders a scene for so many seconds and grows the cracks of one of its sheets of ice from what happens in it.
pub fn of_scene(def: &SceneDef, process: &str, seconds: f64) -> Result<Cracks, String> {
    let scene = Scene::build(def, def.rate_hz).map_err(|cause| cause.to_string())?;
    let number = scene.directory().process(process).map_err(|cause| cause.to_string())?;
    let form = def.processes.iter().find(|own| own.name == process).map(|own| &own.form);
    let Some(ProcessForm::Ice(ice)) = form else { return Err(format!("'{process}' is no ice")) };
    let mut cracks = Cracks::new(ice.thickness_m, Rng::new(def.seed, &format!("cracks {process}")));
    let (block, mut engine) = ((0.01 * def.rate_hz) as usize, Engine::new(scene));
    let mut out = vec![0.0; block * engine.scene().channels()];
    for _ in 0..(100.0 * seconds) as usize {
        engine.render(&[], &mut Queue::new(), &mut out);
        while let Some(event) = engine.take_happening() {
            if event.process == number {
                cracks.fracture(event.spot_m, event.size);
            }
        }
    }
    Ok(cracks)
}

/// A drawing, 1 m to 400 units, with a margin of 5 cm.
pub fn svg(cracks: &Cracks) -> String {
    let points = || cracks.lines().iter().flat_map(|line| &line.points);
    let ends = |axis: usize| {
        let values = || points().map(move |at| at[axis]);
        let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        if low <= high { [low - 0.05, high + 0.05] } else { [0.0, 1.0] }
    };
    let ([left, right], [low, high]) = (ends(0), ends(1));
    let (width, height) = (400.0 * (right - left), 400.0 * (high - low));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.1} {height:.1}\">\n<rect width=\"100%\" height=\"100%\" fill=\"#dfeaf2\"/>\n"
    );
    for line in cracks.lines().iter().filter(|line| line.points.len() > 1) {
        let list: Vec<String> = line
            .points
            .iter()
            .map(|at| format!("{:.1},{:.1}", 400.0 * (at[0] - left), 400.0 * (high - at[1])))
            .collect();
        let _ = writeln!(text, "<polyline fill=\"none\" stroke=\"#1d3a4a\" points=\"{}\"/>", list.join(" "));
    }
    text + "</svg>\n"
}

/// The lines in metres, each with the one from which it branched.
pub fn json(cracks: &Cracks) -> String {
    let line = |line: &tocco::process::ice::cracks::Line| {
        let points: Vec<String> = line.points.iter().map(|at| format!("[{:?},{:?}]", at[0], at[1])).collect();
        let from = line.from.map_or_else(|| "null".into(), |(from, _)| from.to_string());
        format!("{{\"from\":{from},\"points\":[{}]}}", points.join(","))
    };
    let lines: Vec<String> = cracks.lines().iter().map(line).collect();
    format!("{{\"length_m\":{:?},\"lines\":[{}]}}\n", cracks.length_m(), lines.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cracks_of_a_scene_are_the_same_lines_as_a_drawing_and_as_data() {
        let text = "[signal.foot]\ntype = 'points'\npoints = [[0.0, 0.0], [0.1, 1.1], [0.4, 0.0]]\n[process.lake]\ntype = 'ice'\ndriven_by = 'foot'\n\
                    weight_n = 750.0\n[process.pond]\ntype = 'puddle'\ndriven_by = 'foot'\n[[tap]]\nof = 'lake'\nquantity = 'sound'";
        let def = SceneDef::from_text(text).unwrap();
        let cracks = of_scene(&def, "lake", 1.2).unwrap();
        let (drawing, data) = (svg(&cracks), json(&cracks));
        let lines = cracks.lines().iter().filter(|line| line.points.len() > 1).count();
        assert!(lines >= 3 && drawing.matches("<polyline").count() == lines);
        let read: serde_json::Value = serde_json::from_str(&data).unwrap();
        assert_eq!(read["lines"].as_array().unwrap().len(), cracks.lines().len());
        let points: usize = cracks.lines().iter().map(|line| line.points.len() - 1).sum();
        assert!((read["length_m"].as_f64().unwrap() - 0.012 * points as f64).abs() < 1e-6);
        assert_eq!(json(&of_scene(&def, "lake", 1.2).unwrap()), data, "a seed repeats");
        assert!(of_scene(&def, "pond", 0.1).unwrap_err().contains("is no ice"));
    }
}
