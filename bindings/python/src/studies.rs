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
use tocco_lab::sets::Left;
use tocco_lab::sets::design::Design;
use tocco_lab::sweep::{Axis, Sweep};
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

/// Many sounds: of a design, or of a scene over a grid.
enum Job {
    Design(Box<Design>),
    Grid(Box<Plan>, Vec<Axis>),
}

impl Job {
    fn of(design: &str, over: &[String], seconds: Option<f64>) -> Result<Self, Error> {
        if let Some(found) = sets::load(design)? {
            if !over.is_empty() || seconds.is_some() {
                return Err(Error::BadInput(
                    "a design says everything about its sounds; leave out over and seconds".into(),
                ));
            }
            return Ok(Self::Design(Box::new(found)));
        }
        let mut plan = Plan::new(library::load(design)?);
        if over.is_empty() {
            return Err(Error::BadInput("nothing to sweep over: give over={path: values}, or a design".into()));
        }
        if let Some(seconds) = seconds {
            plan.length = tocco::scene::def::Length::Seconds(seconds);
        }
        let axes = over.iter().map(|text| Axis::parse(text)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self::Grid(Box::new(plan), axes))
    }
}

fn threads(jobs: Option<usize>) -> usize {
    jobs.filter(|jobs| *jobs > 0).unwrap_or_else(parallel::cores)
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
    let done = py.detach(|| match Job::of(design, &over, seconds)? {
        Job::Design(design) => sets::run(&design, &folder, threads(jobs)),
        Job::Grid(plan, axes) => tocco_lab::sweep::run(&plan, &axes, &Manner::default(), &folder, threads(jobs)),
    });
    done.map(|summary| (summary.files, summary.found)).map_err(refuse)
}

/// What is not in the folder yet: (sounds in all, numbers of those missing, by how many dB all are lowered if that is known).
#[pyfunction]
pub fn sweep_left(
    py: Python<'_>,
    design: &str,
    folder: PathBuf,
    over: Vec<String>,
    seconds: Option<f64>,
) -> PyResult<(usize, Vec<usize>, Option<f64>)> {
    let done = py.detach(|| match Job::of(design, &over, seconds)? {
        Job::Design(design) => sets::left(&design, &folder, parallel::cores())
            .map(|Left { total, sounds, lowered_db }| (total, sounds, lowered_db)),
        Job::Grid(plan, axes) => {
            let manner = Manner::default();
            let sweep = Sweep::new(&plan, &axes, &manner)?;
            Ok((sweep.total(), sweep.left(&folder)?, None))
        }
    });
    done.map_err(|error: Error| refuse(error))
}

/// Makes some of the sounds in a folder of their own, with a journal and without a manifest.
#[pyfunction]
pub fn sweep_share(
    py: Python<'_>,
    design: &str,
    folder: PathBuf,
    over: Vec<String>,
    seconds: Option<f64>,
    only: Vec<usize>,
    lowered_db: Option<f64>,
) -> PyResult<()> {
    let done = py.detach(|| match Job::of(design, &over, seconds)? {
        Job::Design(design) => sets::share(&design, &folder, &only, lowered_db),
        Job::Grid(plan, axes) => {
            let manner = Manner::default();
            Sweep::new(&plan, &axes, &manner)?.share(&folder, &only, 1).map(|_| ())
        }
    });
    done.map_err(|error: Error| refuse(error))
}

/// Sounds of a design in shards with the truth about them; (sounds, shards, shards found from before).
#[pyfunction]
pub fn dataset(
    py: Python<'_>,
    design: &str,
    folder: PathBuf,
    shard: usize,
    truth: Vec<String>,
    jobs: Option<usize>,
) -> PyResult<(usize, usize, usize)> {
    let done = py.detach(|| {
        let Some(found) = sets::load(design)? else {
            return Err(Error::BadInput(format!(
                "'{design}' is no design; docs/stimulus-sets.md says how to write one"
            )));
        };
        sets::dataset::run(&found, &folder, &sets::dataset::Manner { shard, truth, threads: threads(jobs) })
    });
    done.map(|made| (made.sounds, made.shards, made.found)).map_err(refuse)
}
