// SPDX-License-Identifier: MIT OR Apache-2.0
//! The crack lines of a scene's ice, as a drawing (SVG) and as data (JSON).

use crate::atomic_file;
use crate::error::{Error, Result, bad};
use crate::library;
use crate::render::{AUTO_MOST_S, Plan};
use std::fmt::Write as _;
use std::path::PathBuf;
use tocco::process::ice::cracks::{Cracks, Line};
use tocco::rng::Rng;
use tocco::scene::def::{IceDef, Length, ProcessForm};
use tocco::scene::error::nearest;
use tocco::{Engine, Queue};

/// A scene without a length of its own ends after so many seconds in which nothing cracks.
const STILL_S: f64 = 2.0;

/// What to draw.
#[derive(Clone, Debug)]
pub struct Task {
    /// The scene.
    pub plan: Plan,
    /// File to write: `.svg` or `.json`.
    pub output: PathBuf,
    /// Which sheet of ice, where there are several.
    pub of: Option<String>,
}

/// Renders, grows the cracks and writes them; a line for the reader comes back.
pub fn run(task: &Task) -> Result<String> {
    let end = task.output.extension().map(|end| end.to_ascii_lowercase());
    let write = match end {
        Some(end) if end == "svg" => svg,
        Some(end) if end == "json" => json,
        _ => return bad(format!("-o {}: name a file that ends in .svg or .json", task.output.display())),
    };
    let (name, cracks) = of_scene(&task.plan, task.of.as_deref())?;
    if cracks.lines().is_empty() {
        let origin = &task.plan.scene.origin;
        return bad(format!("{origin}: '{name}' has not cracked; press it harder, or for longer with --duration"));
    }
    atomic_file::write(&task.output, write(&cracks).as_bytes())?;
    let [lines, holes] = [cracks.lines().len(), cracks.holes().len()];
    let (length_m, output) = (cracks.length_m(), crate::console::file(&task.output));
    Ok(format!("{output}: '{name}', {length_m:.2} m of cracks in {lines} lines, {holes} holes"))
}

/// The sheet of ice that is meant.
fn sheet(plan: &Plan, of: Option<&str>) -> Result<(String, IceDef)> {
    let whole = plan.scene.def.whole().map_err(|e| library::wrong(&plan.scene, &e))?;
    let sheets: Vec<(&str, &IceDef)> = whole
        .processes
        .iter()
        .filter_map(|process| match &process.form {
            ProcessForm::Ice(ice) => Some((process.name.as_str(), ice)),
            _ => None,
        })
        .collect();
    let (origin, names) = (&plan.scene.origin, sheets.iter().map(|(name, _)| *name));
    let (name, ice) = match (of, &sheets[..]) {
        (_, []) => return bad(format!("{origin}: there is no ice; add a [process.NAME] with type = \"ice\"")),
        (Some(of), all) => match all.iter().find(|(name, _)| *name == of) {
            Some(found) => *found,
            None => return bad(format!("--of {of}: no ice is called so{}", nearest(of, names))),
        },
        (None, [one]) => *one,
        (None, _) => {
            let all = names.collect::<Vec<_>>().join(", ");
            return bad(format!("{origin}: several sheets of ice; say which with --of: {all}"));
        }
    };
    Ok((name.to_owned(), ice.clone()))
}

/// Renders a scene and grows the cracks of a sheet of its ice from what happens; which one, and its cracks.
pub fn of_scene(plan: &Plan, of: Option<&str>) -> Result<(String, Cracks)> {
    let (name, ice) = sheet(plan, of)?;
    let scene = plan.build()?;
    let wrong = |e| library::wrong(&plan.scene, &e);
    let number = scene.directory().process(&name).map_err(wrong)?;
    let own = format!("{name}/break_j");
    let set = plan.sets.iter().rev().find(|(path, _)| *path == own).map(|(_, value)| *value);
    let rng = Rng::new(plan.scene.def.seed, &format!("cracks {name}"));
    let mut cracks = Cracks::new(ice.thickness_m, rng).breaking_at(set.unwrap_or(ice.params.break_j));
    let seconds = match plan.length {
        Length::Auto => AUTO_MOST_S,
        Length::Seconds(s) if s > 0.0 => s,
        Length::Seconds(s) => {
            return Err(Error::BadInput(format!("a duration of {s} s; give seconds above 0, or auto")));
        }
    };
    let still_s = if plan.length == Length::Auto { STILL_S } else { f64::INFINITY };
    let last_cue_s = scene.last_cue() as f64 / plan.rate_hz;
    let (block, mut engine) = (((0.01 * plan.rate_hz) as usize).max(1), Engine::new(scene));
    let mut out = vec![0.0; block * engine.scene().channels()];
    let (mut now_s, mut last_s) = (0.0, last_cue_s);
    while now_s < seconds && now_s < last_s + still_s {
        engine.render(&[], &mut Queue::new(), &mut out);
        now_s += block as f64 / plan.rate_hz;
        while let Some(event) = engine.take_happening() {
            if event.process == number && event.at_s < seconds {
                cracks.fracture(event.spot_m, event.size);
                last_s = now_s;
            }
        }
    }
    Ok((name, cracks))
}

/// A drawing, 1 m to 400 units, with a margin of 5 cm.
pub fn svg(cracks: &Cracks) -> String {
    let edges = || cracks.holes().iter().flat_map(|hole| &hole.edge);
    let points = || cracks.lines().iter().flat_map(|line| &line.points).chain(edges());
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
    let place = |at: &[f64; 2]| format!("{:.1},{:.1}", 400.0 * (at[0] - left), 400.0 * (high - at[1]));
    let list = |points: &[[f64; 2]]| points.iter().map(place).collect::<Vec<_>>().join(" ");
    for line in cracks.lines().iter().filter(|line| line.points.len() > 1) {
        let _ = writeln!(text, "<polyline fill=\"none\" stroke=\"#1d3a4a\" points=\"{}\"/>", list(&line.points));
    }
    for hole in cracks.holes() {
        let _ = writeln!(text, "<polygon fill=\"#16323f\" stroke=\"#1d3a4a\" points=\"{}\"/>", list(&hole.edge));
    }
    text + "</svg>\n"
}

/// The lines in metres, each with the one from which it branched, and the edges of holes.
pub fn json(cracks: &Cracks) -> String {
    let list = |points: &[[f64; 2]]| {
        let each: Vec<String> = points.iter().map(|at| format!("[{:?},{:?}]", at[0], at[1])).collect();
        format!("[{}]", each.join(","))
    };
    let line = |line: &Line| {
        let from = line.from.map_or_else(|| "null".into(), |(from, _)| from.to_string());
        format!("{{\"from\":{from},\"points\":{}}}", list(&line.points))
    };
    let lines: Vec<String> = cracks.lines().iter().map(line).collect();
    let holes: Vec<String> = cracks.holes().iter().map(|hole| list(&hole.edge)).collect();
    let (length_m, lines, holes) = (cracks.length_m(), lines.join(","), holes.join(","));
    format!("{{\"length_m\":{length_m:?},\"lines\":[{lines}],\"holes\":[{holes}]}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tocco::Document;

    const LAKE: &str = "duration_s = 1.2\n[signal.foot]\ntype = 'points'\npoints = [[0.0, 0.0], [0.1, 1.1], [0.4, 0.0]]\n\
                        [process.lake]\ntype = 'ice'\ndriven_by = 'foot'\nweight_n = 750.0\nBREAK\n\
                        [process.pond]\ntype = 'puddle'\ndriven_by = 'foot'\n[[tap]]\nof = 'lake'\nquantity = 'sound'";

    fn plan(text: &str) -> Plan {
        let none = |file: &str| Err(format!("no {file}"));
        Plan::new(Document::read("lake", "lake", text.to_owned(), none).unwrap())
    }

    #[test]
    fn the_cracks_of_a_scene_are_the_same_lines_as_a_drawing_and_as_data() {
        let whole = plan(&LAKE.replace("BREAK", ""));
        let (name, cracks) = of_scene(&whole, None).unwrap();
        assert!(name == "lake" && cracks.holes().is_empty());
        let (drawing, data) = (svg(&cracks), json(&cracks));
        let lines = cracks.lines().iter().filter(|line| line.points.len() > 1).count();
        assert!(lines >= 3 && drawing.matches("<polyline").count() == lines && !drawing.contains("<polygon"));
        let read: serde_json::Value = serde_json::from_str(&data).unwrap();
        assert_eq!(read["lines"].as_array().unwrap().len(), cracks.lines().len());
        let points: usize = cracks.lines().iter().map(|line| line.points.len() - 1).sum();
        assert!((read["length_m"].as_f64().unwrap() - 0.012 * points as f64).abs() < 1e-6);
        assert_eq!(json(&of_scene(&whole, Some("lake")).unwrap().1), data, "a seed repeats");
    }

    #[test]
    fn a_sheet_that_breaks_has_a_hole_where_it_was_pressed_and_the_same_cracks_up_to_then() {
        let (_, cracks) =
            of_scene(&plan(&LAKE.replace("BREAK", "break_j = 0.02\nx_m = 2.0\ny_m = 1.0")), None).unwrap();
        assert_eq!(cracks.holes().len(), 1);
        let far = |at: &[f64; 2]| (at[0] - 2.0).hypot(at[1] - 1.0);
        assert!(cracks.holes()[0].edge.iter().all(|at| (0.1..0.2).contains(&far(at))));
        assert_eq!(svg(&cracks).matches("<polygon").count(), 1);
        let read: serde_json::Value = serde_json::from_str(&json(&cracks)).unwrap();
        assert_eq!(read["holes"][0].as_array().unwrap().len(), 14);
    }

    #[test]
    fn what_cannot_be_drawn_is_refused_in_one_line() {
        let dir = tempfile::tempdir().unwrap();
        let task = |text: &str, name: &str, of: Option<&str>| Task {
            plan: plan(text),
            output: dir.path().join(name),
            of: of.map(Into::into),
        };
        let lake = LAKE.replace("BREAK", "");
        let two = lake.replace("'puddle'", "'ice'");
        for (task, said) in [
            (task(&lake, "a.png", None), ".svg or .json"),
            (task(&lake, "a.svg", Some("pond")), "--of pond: no ice is called so"),
            (task(&two, "a.svg", None), "say which with --of: lake, pond"),
            (
                task(&lake.replace("'ice'", "'puddle'").replace("weight_n = 750.0", ""), "a.svg", None),
                "there is no ice",
            ),
            (task(&lake.replace("750.0", "50.0"), "a.svg", None), "'lake' has not cracked"),
        ] {
            let error = run(&task).unwrap_err().to_string();
            assert!(error.contains(said) && !error.contains('\n') && !task.output.exists(), "{error}");
        }
        assert!(run(&task(&lake, "a.svg", None)).unwrap().contains("m of cracks in"));
    }
}
