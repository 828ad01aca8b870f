// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is written about a sound: a row of the table and a JSON file with every physical quantity.

use super::design::{Design, shown};
use super::loudness::{BLOCK_S, Measure};
use super::{Found, Gains, Stimulus, peak_dbfs};
use crate::render::VERSION;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use tocco::param::Spec;
use tocco::scene::Scene;
use tocco::scene::def::{Length, ModeDef};
use tocco::scene::tree::Patch;
use tocco::units::db;

/// Columns of the table that every design has, after those of its own.
pub const COLUMNS: &str = "repetition\tseed\tduration_s\tlufs\tdb_spl\tpeak_dbfs\ttrue_peak_dbtp\tgain_db\tlowered_db\tunconverged\trefused\treset\tkey\n";

/// The first row of `manifest.tsv`.
pub fn heading(design: &Design) -> String {
    let mut text = String::from("file\torder\t");
    let names = design.factors.iter().map(|factor| &factor.name).chain(design.derived.iter().map(|(name, _)| name));
    for name in names.chain(design.moves.iter().map(|m| &m.path)) {
        let _ = write!(text, "{name}\t");
    }
    text + COLUMNS
}

/// Level at the ear, dB SPL.
fn db_spl(design: &Design, lufs: f64) -> Option<f64> {
    design.calibration.map(|c| c.db_spl + lufs - c.lufs)
}

/// One row of `manifest.tsv`.
pub fn row(design: &Design, stimulus: &Stimulus, (found, gains, place): (&Found, Gains, usize), key: &str) -> String {
    let mut text = format!("{}\t{place}\t", stimulus.file);
    for (factor, &level) in design.factors.iter().zip(&stimulus.condition.levels) {
        let _ = write!(text, "{}\t", shown(&factor.levels[level]));
    }
    for value in &stimulus.condition.derived {
        let _ = write!(text, "{value:?}\t");
    }
    for (_, value) in &stimulus.condition.moves {
        let _ = write!(text, "{}\t", shown(value));
    }
    let lufs = found.loudness.lufs(gains.db);
    let _ = writeln!(
        text,
        "{}\t{}\t{:?}\t{lufs:.3}\t{}\t{:.3}\t{:.3}\t{:.3}\t{:.3}\t{}\t{}\t{}\t{key}",
        stimulus.repetition,
        stimulus.plan.scene.def.seed,
        found.frames as f64 / stimulus.plan.rate_hz,
        db_spl(design, lufs).map_or(String::new(), |level| format!("{level:.3}")),
        peak_dbfs(found, &gains),
        db(found.loudness.true_peak) + gains.db,
        gains.db,
        gains.lowered_db,
        found.health.unconverged,
        found.health.refused,
        found.health.reset,
    );
    text
}

fn value(patch: &Patch) -> Value {
    match patch {
        Patch::Number(x) => json!(x),
        Patch::Text(word) => json!(word),
    }
}

/// What a sound was made of, as the sidecar says it.
pub struct Physics {
    pub channels: usize,
    parameters: Map<String, Value>,
    modes: Map<String, Value>,
    left_out: Vec<String>,
}

impl Physics {
    /// Of a scene before its first tick.
    pub fn of(scene: &Scene) -> Self {
        let one = |(path, spec, now): (_, Spec, f64)| (path, json!({ "value": now, "unit": spec.unit }));
        Self {
            channels: scene.channels(),
            parameters: scene.paths().into_iter().map(one).collect(),
            modes: scene.modes().into_iter().map(|(body, modes)| (body, modes_json(&modes))).collect(),
            left_out: scene.omitted().to_vec(),
        }
    }
}

/// The whole sidecar.
pub fn json(
    design: &Design,
    stimulus: &Stimulus,
    physics: &Physics,
    (found, gains, place): (&Found, Gains, usize),
    key: &str,
    content: &str,
) -> String {
    let plan = &stimulus.plan;
    let levels = design.factors.iter().zip(&stimulus.condition.levels);
    let factors: Map<String, Value> = levels.map(|(f, &l)| (f.name.clone(), value(&f.levels[l]))).collect();
    let derived = design.derived.iter().zip(&stimulus.condition.derived);
    let derived: Map<String, Value> = derived.map(|((name, _), x)| (name.clone(), json!(x))).collect();
    let set: Map<String, Value> = stimulus.condition.moves.iter().map(|(p, v)| (p.clone(), value(v))).collect();
    let lufs = found.loudness.lufs(gains.db);
    let seconds = found.frames as f64 / plan.rate_hz;
    let measure = if design.level.measure == Measure::Integrated { "integrated" } else { "momentary, largest" };
    let health = found.health;
    let all = json!({
        "file": stimulus.file,
        "key": key,
        "content": content,
        "program": VERSION,
        "design": design.title,
        "scene": design.scene.name,
        "factors": factors,
        "derived": derived,
        "repetition": stimulus.repetition,
        "order": place,
        "set": set,
        "parameters": physics.parameters,
        "modes": physics.modes,
        "seed": plan.scene.def.seed,
        "rate_hz": plan.rate_hz,
        "channels": physics.channels,
        "bits": design.encoding.bytes() * 8,
        "frames": found.frames,
        "duration_s": seconds,
        "ended": match plan.length {
            Length::Seconds(_) => "as the design says",
            Length::Auto if found.cut => "still sounding at the longest automatic length",
            Length::Auto => "90 dB below its peak",
        },
        "level": {
            "lufs": finite(lufs),
            "measure": format!("ITU-R BS.1770, {measure}"),
            "measured_over_s": seconds.max(BLOCK_S),
            "db_spl": db_spl(design, lufs).and_then(finite),
            "peak_dbfs": finite(peak_dbfs(found, &gains)),
            "true_peak_dbtp": finite(db(found.loudness.true_peak) + gains.db),
            "gain_db": gains.db,
            "lowered_db": gains.lowered_db,
        },
        "health": {
            "unconverged": health.unconverged, "refused": health.refused, "reset": health.reset, "omitted": health.omitted,
        },
        "left_out": physics.left_out,
        "scene_text": scene_text(stimulus, physics),
    });
    let mut text = serde_json::to_string_pretty(&all).unwrap_or_default();
    text.push('\n');
    text
}

/// The scene that makes the sound by itself, but for its live values and its gain.
fn scene_text(stimulus: &Stimulus, physics: &Physics) -> String {
    let plan = &stimulus.plan;
    let mut def = plan.scene.def.clone();
    def.duration = plan.length;
    // A mode that this rate leaves out would be refused in a scene of that rate.
    if physics.left_out.is_empty() {
        def.rate_hz = plan.rate_hz;
    }
    def.to_toml()
}

/// JSON has no infinities: silence is null.
fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

fn modes_json(modes: &[ModeDef]) -> Value {
    let one = |&ModeDef { freq_hz, decay_s, mass_kg }: &ModeDef| {
        let (omega, sigma) = (tocco::units::rad_s(freq_hz), 1.0 / decay_s);
        let heard = omega * omega - sigma * sigma;
        json!({
            "freq_hz": freq_hz,
            "damped_freq_hz": (heard > 0.0).then(|| heard.sqrt() / std::f64::consts::TAU),
            "decay_s": finite(decay_s),
            "q": finite(0.5 * omega * decay_s),
            "mass_kg": mass_kg,
        })
    };
    modes.iter().map(one).collect()
}

/// The key in a sidecar and what it says its sound holds, if there are any.
pub fn key_of(path: &Path) -> Option<(String, String)> {
    let text = fs::read_to_string(path).ok()?;
    let json: Value = serde_json::from_str(&text).ok()?;
    Some((json["key"].as_str()?.to_owned(), json["content"].as_str()?.to_owned()))
}
