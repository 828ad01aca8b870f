// SPDX-License-Identifier: MIT OR Apache-2.0
//! One rubbing gesture through a scene and the engine: what the friction items call "ours".

use super::blow::RATE_HZ;
use tocco::Queue;
use tocco::engine::Engine;
use tocco::scene::def::{DriveDef, Source};
use tocco::scene::{Scene, SceneDef};

/// Signals of a run, one value per sample, in the order asked.
pub struct Run {
    pub columns: Vec<Vec<f64>>,
    /// Largest rise of energy minus work in a step, as a part of the largest energy about.
    pub growth: f64,
    /// Law evaluations per step.
    pub iterations: f64,
}

/// Plays a scene at the papers' rate and watches it.
pub fn play(text: &str, duration_s: f64, signals: &[&str]) -> Result<Run, String> {
    play_driven(text, duration_s, signals, None)
}

/// The same with one more drive, a value for every sample.
pub fn play_driven(
    text: &str,
    duration_s: f64,
    signals: &[&str],
    drive: Option<(&str, Vec<f64>)>,
) -> Result<Run, String> {
    let mut def = SceneDef::from_text(text).map_err(|cause| cause.to_string())?;
    if let Some((path, values)) = drive {
        let points = values.iter().enumerate().map(|(n, v)| [n as f64 / RATE_HZ, *v]).collect();
        def.drives.push(DriveDef { times: None, path: path.into(), source: Source::Points(points) });
    }
    let scene = Scene::build(&def, RATE_HZ).map_err(|cause| cause.to_string())?;
    let watched = [signals, &["energy", "work"]].concat();
    let probes = watched
        .iter()
        .map(|s| scene.directory().probe(s))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|cause| cause.to_string())?;
    let frames = (duration_s * RATE_HZ).round() as usize;
    let mut out = vec![0.0; frames * scene.channels()];
    let mut rows = vec![0.0; frames * watched.len()];
    let mut engine = Engine::new(scene);
    engine.watch(&probes);
    let health = engine.render_probed(&[], &mut Queue::new(), &mut out, &mut rows);
    if health.unconverged > 0 {
        return Err(format!("{} contact steps did not converge", health.unconverged));
    }
    let mut columns: Vec<Vec<f64>> =
        (0..watched.len()).map(|i| rows.iter().skip(i).step_by(watched.len()).copied().collect()).collect();
    let (work, energy) = (columns.pop().unwrap_or_default(), columns.pop().unwrap_or_default());
    let scale = energy.iter().chain(&work).fold(0.0, |most: f64, e| most.max(e.abs()));
    let ledger: Vec<f64> = energy.iter().zip(&work).map(|(e, w)| e - w).collect();
    let growth = ledger.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::NEG_INFINITY, f64::max) / scale;
    Ok(Run { columns, growth, iterations: health.iterations as f64 / health.solves.max(1) as f64 })
}

/// Contact of two bodies "bow" and `to` under a law, as it stands in a scene; the parameters are lines `key = value`.
pub fn contact(to: &str, law: &str, params: &[(&str, f64)]) -> String {
    let mut text = format!("[contact.rub]\ntype = \"friction\"\nbetween = [\"bow\", \"{to}\"]\nlaw = \"{law}\"\n");
    for (key, value) in params {
        text.push_str(&format!("{key} = {value:?}\n"));
    }
    text
}

/// First lines of a scene.
pub fn head(title: &str, duration_s: f64) -> String {
    format!("version = 1\ntitle = \"{title}\"\nduration_s = {duration_s:?}\nrate_hz = {RATE_HZ:?}\n\n")
}

/// Samples at which a slip begins: faster than `fast`, after having been slower than `slow`.
pub fn slips(velocity: &[f64], fast: f64, slow: f64) -> Vec<usize> {
    let (mut found, mut armed) = (Vec::new(), false);
    for (n, &v) in velocity.iter().enumerate() {
        if armed && v > fast {
            found.push(n);
            armed = false;
        } else if v < slow {
            armed = true;
        }
    }
    found
}

/// Pairs for a chart, each value in its unit.
pub fn pairs(x: &[f64], x_unit: f64, y: &[f64], y_unit: f64) -> Vec<(f64, f64)> {
    x.iter().zip(y).map(|(a, b)| (a / x_unit, b / y_unit)).collect()
}
