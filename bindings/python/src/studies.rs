// SPDX-License-Identifier: MIT OR Apache-2.0
//! Studies without devices: what the program's `scenes`, `analyse` and `sweep` do.

use crate::refuse;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tocco::resonator::material::MATERIALS;
use tocco_lab::analyse::read::Recording;
use tocco_lab::analyse::{Options, analyse};
use tocco_lab::error::Error;
use tocco_lab::parallel::Told;
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

/// How often it is asked whether Ctrl-C was pressed.
const LOOK: Duration = Duration::from_millis(50);

/// Sounds of a design, or of a scene over a grid, as files with their manifest; (files, found from before). The calling thread is
/// the one that `progress` is called on, and an exception there ends the sweep, which can go on later.
#[pyfunction]
#[pyo3(signature = (design, folder, over, seconds, jobs, progress = None))]
pub fn sweep(
    py: Python<'_>,
    design: &str,
    folder: PathBuf,
    over: Vec<String>,
    seconds: Option<f64>,
    jobs: Option<usize>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<(usize, usize)> {
    let made = telling(py, progress, |told| match Job::of(design, &over, seconds)? {
        Job::Design(design) => sets::run_telling(&design, &folder, threads(jobs), told),
        Job::Grid(plan, axes) => {
            Sweep::new(&plan, &axes, &Manner::default())?.telling(told).run(&folder, threads(jobs))
        }
    })?;
    Ok((made.files, made.found))
}

/// Does what takes long in a thread of its own, and calls `progress` on this one; what that raises, or Ctrl-C, ends it.
fn telling<T: Send>(
    py: Python<'_>,
    progress: Option<Bound<'_, PyAny>>,
    run: impl FnOnce(Told<'_>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let (stop, wanted) = (&AtomicBool::new(false), progress.is_some());
    // Whoever has made a sound waits until that is known, so that what is stopped stops there.
    let (tell, told) = sync_channel(0);
    let make = move || {
        run(&|done: usize, total: usize| {
            let heard = !wanted || tell.send((done, total)).is_ok();
            if heard && !stop.load(Ordering::Relaxed) { Ok(()) } else { Err(Error::Machine("stopped".into())) }
        })
    };
    let (made, raised) = std::thread::scope(|scope| {
        let (making, told, mut raised) = (scope.spawn(make), Mutex::new(told), None);
        loop {
            let heard = py.detach(|| told.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK));
            let answer = match (heard, &progress) {
                (Err(RecvTimeoutError::Disconnected), _) => break,
                (Ok(at), Some(progress)) if raised.is_none() => progress.call1(at).map(|_| ()),
                _ => Ok(()),
            };
            if let Err(error) = answer.and_then(|()| py.check_signals()) {
                stop.store(true, Ordering::Relaxed);
                raised = Some(error);
            }
        }
        let broken = || Err(Error::Machine("a thread broke down; please report this scene".into()));
        (py.detach(|| making.join()).unwrap_or_else(|_| broken()), raised)
    });
    match raised {
        Some(error) => Err(error),
        None => made.map_err(refuse),
    }
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

/// Puts what others have made into the folder: sounds first, then what vouches for them. The disk may take its time: what a journal
/// vouches for is known by its content.
#[pyfunction]
pub fn sweep_keep(
    py: Python<'_>,
    folder: PathBuf,
    names: Vec<String>,
    sizes: Vec<usize>,
    content: PyReadonlyArray1<'_, u8>,
) -> PyResult<()> {
    let mut rest = content.as_slice()?;
    let mut files = Vec::with_capacity(names.len());
    for (name, size) in names.iter().zip(sizes) {
        let here = Path::new(name).file_name() == Some(name.as_ref());
        let Some((file, later)) = rest.split_at_checked(size).filter(|_| here) else {
            return Err(refuse("a share of the sweep is broken; do its workers have the same tocco?"));
        };
        files.push((name, file));
        rest = later;
    }
    // Journals are hidden.
    let vouches = |name: &str| name.starts_with('.') || name.ends_with(".json");
    let kept = py.detach(|| {
        let part = folder.join(format!(".tocco-{}-0.part", std::process::id()));
        for (name, _) in files.iter().filter(|(name, _)| name.ends_with(".json")) {
            match fs::remove_file(folder.join(name)) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err((*name, error)),
                _ => {}
            }
        }
        let (later, first): (Vec<_>, Vec<_>) = files.iter().partition(|(name, _)| vouches(name));
        for (name, file) in first.into_iter().chain(later) {
            let path = folder.join(name);
            let done = match name.starts_with('.') {
                true => File::options().append(true).create(true).open(&path).and_then(|mut to| to.write_all(file)),
                false => fs::write(&part, file).and_then(|()| fs::rename(&part, &path)),
            };
            done.map_err(|error| (name, error))?;
        }
        Ok(())
    });
    kept.map_err(|(name, error)| refuse(Error::writing(&folder.join(name), &error)))
}

/// A design, and no scene.
fn design_of(design: &str) -> Result<sets::design::Design, Error> {
    let found = sets::load(design)?;
    found
        .ok_or_else(|| Error::BadInput(format!("'{design}' is no design; docs/stimulus-sets.md says how to write one")))
}

/// Says what is wrong with a data set before any of it is made.
#[pyfunction]
pub fn dataset_check(py: Python<'_>, design: &str, truth: Vec<String>) -> PyResult<()> {
    py.detach(|| sets::dataset::check(&design_of(design)?, &truth)).map_err(|error: Error| refuse(error))
}

/// Sounds of a design in shards with the truth about them; (sounds, shards, shards found from before). `progress` as for [`sweep`].
#[pyfunction]
#[pyo3(signature = (design, folder, shard, truth, jobs, progress = None))]
pub fn dataset(
    py: Python<'_>,
    design: &str,
    folder: PathBuf,
    shard: usize,
    truth: Vec<String>,
    jobs: Option<usize>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<(usize, usize, usize)> {
    let made = telling(py, progress, |told| {
        let found = design_of(design)?;
        let manner = sets::dataset::Manner { shard, truth, threads: threads(jobs) };
        sets::dataset::run_telling(&found, &folder, &manner, told)
    })?;
    Ok((made.sounds, made.shards, made.found))
}
