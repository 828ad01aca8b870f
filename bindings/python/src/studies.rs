// SPDX-License-Identifier: MIT OR Apache-2.0
//! Studies without devices: what the program's `scenes`, `analyse` and `sweep` do.

use crate::refuse;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;
use tocco::resonator::material::MATERIALS;
use tocco_lab::analyse::read::Recording;
use tocco_lab::analyse::{Options, analyse};
use tocco_lab::error::Error;
use tocco_lab::render::{Manner, Plan};
use tocco_lab::sweep::Axis;
use tocco_lab::{library, parallel, sets};

/// Names of the scenes that come with tocco.
#[pyfunction]
pub fn scenes() -> Vec<&'static str> {
    library::SHIPPED.iter().map(|(name, _)| *name).collect()
}

/// Names of the designs that come with tocco.
#[pyfunction]
pub fn designs() -> Vec<&'static str> {
    sets::DESIGNS.iter().map(|(name, _)| *name).collect()
}

/// The table of materials, as JSON.
#[pyfunction]
pub fn materials_json() -> String {
    let row = |entry: &tocco::resonator::material::Entry| {
        let material = &entry.material;
        let row = json!({
            "class": entry.class, "doc": entry.doc, "density_kg_m3": material.density_kg_m3, "young_pa": material.young_pa,
            "poisson": material.poisson, "loss_factor": material.loss_factor, "loss_exponent": material.loss_exponent,
            "source": entry.source,
        });
        (entry.id.to_owned(), row)
    };
    Value::Object(MATERIALS.iter().map(row).collect()).to_string()
}

/// A body from strikes of one object: its modes, the strikes, and a scene with it, as JSON.
#[pyfunction]
#[pyo3(signature = (recordings, rate_hz, name, mass_kg, modes, min_hz, max_hz, range_db, strikes))]
#[expect(clippy::too_many_arguments, reason = "the words of the program, given by name in Python")]
pub fn analyse_json(
    py: Python<'_>,
    recordings: Vec<PyReadonlyArray1<'_, f64>>,
    rate_hz: f64,
    name: &str,
    mass_kg: f64,
    modes: usize,
    min_hz: f64,
    max_hz: f64,
    range_db: f64,
    strikes: usize,
) -> PyResult<String> {
    if !(rate_hz.is_finite() && rate_hz > 0.0) {
        return Err(refuse(format!("rate_hz = {rate_hz}: give samples a second, above 0")));
    }
    if !(1e-6..=1e6).contains(&mass_kg) {
        return Err(refuse(format!("mass_kg = {mass_kg}: give 1e-6 to 1e6")));
    }
    let recording = |(at, array): (usize, &PyReadonlyArray1<'_, f64>)| {
        let samples: Vec<f64> = array.as_array().iter().copied().collect();
        match samples.iter().all(|sample| sample.is_finite()) {
            true => Ok(Recording { name: format!("recording {}", at + 1), rate_hz, samples, lossy: false }),
            false => Err(refuse(format!("recording {} holds what is not a number", at + 1))),
        }
    };
    let recordings = recordings.iter().enumerate().map(recording).collect::<PyResult<Vec<_>>>()?;
    let options = Options { modes, min_hz, max_hz, range_db, strikes };
    let found = py.detach(|| {
        let found = analyse(&recordings, &options)?;
        let rows: Vec<Value> = found
            .modes
            .iter()
            .map(|m| json!({ "freq_hz": m.freq_hz, "decay_s": m.decay_s, "weights": m.weights }))
            .collect();
        let scene = found.toml(name, mass_kg);
        let residuals: Vec<f64> = found.strikes.iter().map(|strike| strike.residual_db).collect();
        Ok(json!({ "modes": rows, "filling": found.filling, "residual_db": residuals, "scene": scene }).to_string())
    });
    found.map_err(|error: Error| refuse(error))
}

/// Sounds of a design, or of a scene over a grid, as files with their manifest; (files, found from before).
#[pyfunction]
#[pyo3(signature = (design, folder, over, seconds, jobs))]
pub fn sweep(
    py: Python<'_>,
    design: &str,
    folder: PathBuf,
    over: Vec<String>,
    seconds: Option<f64>,
    jobs: Option<usize>,
) -> PyResult<(usize, usize)> {
    let done = py.detach(|| {
        let threads = jobs.filter(|jobs| *jobs > 0).unwrap_or_else(parallel::cores);
        if let Some(found) = sets::load(design)? {
            if !over.is_empty() || seconds.is_some() {
                return Err(Error::BadInput(
                    "a design says everything about its sounds; leave out over and seconds".into(),
                ));
            }
            return sets::run(&found, &folder, threads);
        }
        if over.is_empty() {
            library::load(design)?;
            return Err(Error::BadInput("nothing to sweep over: give over={path: values}, or a design".into()));
        }
        let axes = over.iter().map(|text| Axis::parse(text)).collect::<Result<Vec<_>, _>>()?;
        let mut plan = Plan::new(library::load(design)?);
        if let Some(seconds) = seconds {
            plan.length = tocco::scene::def::Length::Seconds(seconds);
        }
        tocco_lab::sweep::run(&plan, &axes, &Manner::default(), &folder, threads)
    });
    done.map(|summary| (summary.files, summary.found)).map_err(refuse)
}
