// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scene that renders into arrays.

use crate::refuse;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tocco::scene::Probe;
use tocco::{Command, Directory, Document, Engine, Gesture, Queue};
use tocco_lab::library;

/// Frames rendered between two looks at what the interpreter wants (Ctrl-C).
const STRETCH: usize = 1 << 16;
/// No array is longer than this, frames.
const MOST_FRAMES: f64 = 1e9;

/// Sound, and signals by the sample.
type Probed<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<f64>>);

struct Running {
    engine: Engine,
    queue: Queue,
    /// Value last set of each parameter; a control's goes to what it moves, so there is one truth, whatever its name.
    values: Vec<Option<f64>>,
}

/// A scene that renders into arrays; `tocco.Scene` is made of it.
#[pyclass(frozen, subclass, module = "tocco._native")]
pub struct Scene {
    document: Document,
    directory: Directory,
    rate_hz: f64,
    channels: usize,
    /// None once it is closed.
    running: Mutex<Option<Running>>,
}

/// So many rows of zeros, or an error where there is no memory for them.
fn zeros<T: Clone + Default>(rows: usize, columns: usize) -> PyResult<Vec<T>> {
    let (mut all, count) = (Vec::new(), rows.saturating_mul(columns));
    all.try_reserve_exact(count)
        .map_err(|_| refuse(format!("no memory for {rows} by {columns} numbers; render in parts")))?;
    all.resize(count, T::default());
    Ok(all)
}

impl Scene {
    fn lock(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What runs; the interpreter is let go before the lock is waited for.
    fn with<T: Send>(&self, py: Python<'_>, run: impl FnOnce(&mut Running) -> Result<T, String> + Send) -> PyResult<T> {
        let result = py.detach(|| match &mut *self.lock() {
            Some(running) => run(running),
            None => Err("this scene is closed".into()),
        });
        result.map_err(refuse)
    }

    fn perform(&self, py: Python<'_>, gesture: &Gesture, at_s: Option<f64>) -> PyResult<f64> {
        if matches!(gesture, Gesture::Load(_) | Gesture::Edit(_)) {
            return Err(refuse("another scene is another tocco.Scene"));
        }
        let resolved = gesture.resolve(&self.directory).map_err(|error| refuse(error.what))?;
        let value = resolved.value().unwrap_or(0.0);
        let at = self.tick_of(at_s)?;
        let set = match resolved.command {
            Command::Set(address, _) | Command::Jump(address, _) | Command::Glide { address, .. } => Some(address),
            _ => None,
        };
        self.with(py, move |running| {
            if matches!(resolved.command, Command::Hush) {
                running.queue.forget_after(at.max(running.engine.tick()), |_| {});
            }
            running.queue.push(at, resolved.command);
            for (slot, value) in set.into_iter().flat_map(|address| self.directory.moves(address, value)) {
                running.values[slot] = Some(value);
            }
            Ok(value)
        })
    }

    /// Tick of a time since the start; none: now.
    fn tick_of(&self, at_s: Option<f64>) -> PyResult<u64> {
        match at_s {
            None => Ok(0),
            Some(at_s) if at_s.is_finite() && at_s >= 0.0 => Ok((at_s * self.rate_hz).round() as u64),
            Some(at_s) => Err(refuse(format!("at_s = {at_s}: give seconds from the start, 0 or more"))),
        }
    }

    fn frames(&self, seconds: f64) -> PyResult<usize> {
        let frames = (seconds * self.rate_hz).round();
        if !(seconds > 0.0 && frames <= MOST_FRAMES) {
            return Err(refuse(format!("a duration of {seconds} s; give seconds above 0")));
        }
        Ok(frames.max(1.0) as usize)
    }

    /// Sound that comes in during so many frames as channels.
    fn planes(&self, inputs: Option<PyReadonlyArrayDyn<'_, f32>>, rendered: usize) -> PyResult<Vec<Vec<f32>>> {
        let Some(inputs) = inputs else { return Ok(Vec::new()) };
        let (array, wanted) = (inputs.as_array(), self.directory.inputs());
        if wanted == 0 {
            return Err(refuse("this scene hears nothing; give it a [[drive]] with input = 0"));
        }
        let channels = match *inputs.shape() {
            [_] => 1,
            [_, channels] => channels,
            ref shape => {
                return Err(refuse(format!(
                    "inputs have {} dimensions; give frames, or frames by channels",
                    shape.len()
                )));
            }
        };
        if channels > wanted {
            return Err(refuse(format!("inputs have {channels} channels, and this scene hears {wanted}")));
        }
        let frames = inputs.shape()[0];
        if frames > rendered {
            return Err(refuse(format!(
                "inputs have {frames} frames, and {rendered} are rendered; give those that are heard"
            )));
        }
        let mut planes = vec![Vec::with_capacity(frames); channels];
        // An array in logical order: the channel changes fastest.
        array.iter().enumerate().for_each(|(at, sample)| planes[at % channels.max(1)].push(*sample));
        if planes.iter().flatten().any(|sample| !sample.is_finite()) {
            return Err(refuse("inputs hold what is not a number"));
        }
        Ok(planes)
    }

    /// Renders a stretch at a time, so that Ctrl-C is heard.
    fn run(
        &self,
        py: Python<'_>,
        frames: usize,
        planes: &[Vec<f32>],
        probes: &[Probe],
    ) -> PyResult<(Vec<f32>, Vec<f64>)> {
        let (mut rows, mut out) = (zeros(frames, probes.len())?, zeros(frames, self.channels)?);
        let mut from = 0;
        while from < frames {
            let count = (frames - from).min(STRETCH);
            let sound = &mut out[from * self.channels..(from + count) * self.channels];
            let signals = &mut rows[from * probes.len()..(from + count) * probes.len()];
            self.with(py, |Running { engine, queue, .. }| {
                let part = |plane: &'_ Vec<f32>| from.min(plane.len())..(from + count).min(plane.len());
                let inputs: Vec<&[f32]> = planes.iter().map(|plane| &plane[part(plane)]).collect();
                if probes.is_empty() {
                    engine.render(&inputs, queue, sound);
                } else {
                    engine.watch(probes);
                    engine.render_probed(&inputs, queue, sound, signals);
                }
                Ok(())
            })?;
            from += count;
            py.check_signals()?;
        }
        Ok((out, rows))
    }

    fn array<'py>(&self, py: Python<'py>, sound: Vec<f32>, frames: usize) -> PyResult<Bound<'py, PyArray2<f32>>> {
        sound.into_pyarray(py).reshape([frames, self.channels])
    }
}

#[pymethods]
impl Scene {
    #[new]
    #[pyo3(signature = (source, rate_hz = None, *, folder = None, sets = None))]
    fn new(
        py: Python<'_>,
        source: &str,
        rate_hz: Option<f64>,
        folder: Option<&str>,
        sets: Option<BTreeMap<String, f64>>,
    ) -> PyResult<Self> {
        let made = py.detach(|| {
            let wrong = |error: tocco_lab::error::Error| error.to_string();
            // A text has lines; a name or a path has none.
            let document = match source.contains('\n') {
                true => {
                    library::from_text("scene", "scene", source.to_owned(), folder.map(Path::new)).map_err(wrong)?
                }
                false if source == "-" => return Err("name a scene file, or a scene that comes with tocco".into()),
                false => library::load(source).map_err(wrong)?,
            };
            let rate_hz = rate_hz.unwrap_or(document.def.rate_hz);
            let mut scene = tocco::Scene::build(&document.def, rate_hz).map_err(|error| document.message(&error))?;
            for (path, value) in sets.iter().flatten() {
                tocco_lab::render::set(&mut scene, path, *value).map_err(wrong)?;
            }
            let (directory, channels) = (scene.directory().clone(), scene.channels());
            let values = vec![None; directory.parameters()];
            let running = Running { engine: Engine::new(scene), queue: Queue::new(), values };
            Ok(Self { document, directory, rate_hz, channels, running: Mutex::new(Some(running)) })
        });
        made.map_err(|what: String| refuse(what))
    }

    /// Samples a second.
    #[getter]
    fn rate_hz(&self) -> f64 {
        self.rate_hz
    }

    /// Channels of the sound.
    #[getter]
    fn channels(&self) -> usize {
        self.channels
    }

    /// Channels of sound that the scene listens to.
    #[getter]
    fn inputs(&self) -> usize {
        self.directory.inputs()
    }

    /// Short name.
    #[getter]
    fn name(&self) -> &str {
        &self.document.name
    }

    /// The source text.
    #[getter]
    fn text(&self) -> &str {
        &self.document.text
    }

    /// Samples rendered so far.
    #[getter]
    fn tick(&self, py: Python<'_>) -> PyResult<u64> {
        self.with(py, |running| Ok(running.engine.tick()))
    }

    /// Sets a path or control; it glides as declared, or in `glide_s`. Returns the value, clamped to its range.
    #[pyo3(signature = (path, value, at_s = None, glide_s = None))]
    fn set(&self, py: Python<'_>, path: String, value: f64, at_s: Option<f64>, glide_s: Option<f64>) -> PyResult<f64> {
        let gesture = match glide_s {
            None => Gesture::Set { path, value },
            Some(glide_s) => Gesture::Glide { path, value, glide_s },
        };
        self.perform(py, &gesture, at_s)
    }

    /// Sets a path or control without a glide.
    #[pyo3(signature = (path, value, at_s = None))]
    fn jump(&self, py: Python<'_>, path: String, value: f64, at_s: Option<f64>) -> PyResult<f64> {
        self.perform(py, &Gesture::Jump { path, value }, at_s)
    }

    /// Sets a mass in motion from zero gap, m/s.
    #[pyo3(signature = (body, velocity_m_s, at_s = None))]
    fn strike(&self, py: Python<'_>, body: String, velocity_m_s: f64, at_s: Option<f64>) -> PyResult<f64> {
        self.perform(py, &Gesture::Strike { body, velocity_m_s }, at_s)
    }

    /// An ideal impulse at a body or body.port, N s.
    #[pyo3(signature = (site, impulse_n_s, at_s = None))]
    fn hit(&self, py: Python<'_>, site: String, impulse_n_s: f64, at_s: Option<f64>) -> PyResult<f64> {
        self.perform(py, &Gesture::Hit { site, impulse_n_s }, at_s)
    }

    /// A gesture in the form of takes, as JSON.
    #[pyo3(signature = (line, at_s = None))]
    fn gesture_json(&self, py: Python<'_>, line: &str, at_s: Option<f64>) -> PyResult<f64> {
        let value = serde_json::from_str(line).map_err(|error| refuse(format!("not a gesture: {error}")))?;
        self.perform(py, &Gesture::from_json(&value, "scene").map_err(refuse)?, at_s)
    }

    /// Everything to rest; what waits is forgotten.
    fn hush(&self, py: Python<'_>) -> PyResult<()> {
        self.perform(py, &Gesture::Hush, None).map(|_| ())
    }

    /// Value last set at a path or control, by whichever of its names, else as declared.
    fn value(&self, py: Python<'_>, path: &str) -> PyResult<f64> {
        let address = self.directory.address(path).map_err(|error| refuse(error.what))?;
        self.with(py, |running| {
            let value_of = |slot: usize| running.values[slot].unwrap_or_else(|| self.directory.declared(slot));
            Ok(self.directory.reading(address, value_of).unwrap_or(f64::NAN))
        })
    }

    /// The next so many seconds: float32, frames by channels. The array owns what the engine wrote.
    #[pyo3(signature = (seconds, inputs = None))]
    fn render<'py>(
        &self,
        py: Python<'py>,
        seconds: f64,
        inputs: Option<PyReadonlyArrayDyn<'py, f32>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let frames = self.frames(seconds)?;
        let planes = self.planes(inputs, frames)?;
        let (sound, _) = self.run(py, frames, &planes, &[])?;
        self.array(py, sound, frames)
    }

    /// The same with signals by the sample: float64, frames by signals.
    #[pyo3(signature = (seconds, probes, inputs = None))]
    fn render_probed<'py>(
        &self,
        py: Python<'py>,
        seconds: f64,
        probes: Vec<String>,
        inputs: Option<PyReadonlyArrayDyn<'py, f32>>,
    ) -> PyResult<Probed<'py>> {
        let frames = self.frames(seconds)?;
        let planes = self.planes(inputs, frames)?;
        let found = probes.iter().map(|name| self.directory.probe(name));
        let found = found.collect::<Result<Vec<Probe>, _>>().map_err(|error| refuse(error.what))?;
        let (sound, rows) = self.run(py, frames, &planes, &found)?;
        Ok((self.array(py, sound, frames)?, rows.into_pyarray(py).reshape([frames, found.len()])?))
    }

    /// Energy of all bodies and laws, and work of outsiders so far, J.
    fn ledger(&self, py: Python<'_>) -> PyResult<(f64, f64)> {
        self.with(py, |running| Ok((running.engine.energy(), running.engine.work())))
    }

    /// Unconverged solves, refused and clamped values, and bodies put to rest because they were no longer numbers.
    fn health(&self, py: Python<'_>) -> PyResult<BTreeMap<&'static str, u64>> {
        self.with(py, |running| {
            let health = running.engine.health();
            let all = [("solves", health.solves), ("unconverged", health.unconverged), ("refused", health.refused)];
            Ok(all.into_iter().chain([("clamped", health.clamped), ("reset", health.reset)]).collect())
        })
    }

    /// Names of the signals that can be probed.
    fn signals(&self) -> Vec<String> {
        self.directory.signals()
    }

    /// Modes of every body that has some: frequency Hz, decay to 1/e s, mass kg, a row for each.
    fn modes<'py>(&self, py: Python<'py>) -> PyResult<BTreeMap<String, Bound<'py, PyArray2<f64>>>> {
        let modes = self.with(py, |running| Ok(running.engine.scene().modes()))?;
        let rows = |modes: Vec<tocco::scene::def::ModeDef>| {
            let count = modes.len();
            let flat: Vec<f64> =
                modes.into_iter().flat_map(|mode| [mode.freq_hz, mode.decay_s, mode.mass_kg]).collect();
            flat.into_pyarray(py).reshape([count, 3])
        };
        modes.into_iter().map(|(body, modes)| Ok((body, rows(modes)?))).collect()
    }

    /// Shape value of every mode of a shape at a place, given as fractions; `site` is one of its ports.
    fn shape_at<'py>(&self, py: Python<'py>, site: &str, place: Vec<f64>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        if place.iter().any(|fraction| !fraction.is_finite()) {
            return Err(refuse(format!("{site}: not a number")));
        }
        let values = self.directory.site(site).and_then(|site| self.directory.values_at(site, &place));
        Ok(values.map_err(|error| refuse(error.what))?.into_pyarray(py))
    }

    /// The scene in words, as JSON.
    fn describe_json(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |running| Ok(tocco_live::describe::scene(&self.document.def, running.engine.scene()).to_string()))
    }

    /// Frees it; using it afterwards is an error.
    fn close(&self, py: Python<'_>) {
        drop(py.detach(|| self.lock().take()));
    }

    fn __repr__(&self) -> String {
        format!("<tocco.Scene {} at {} Hz, {} channels>", self.document.name, self.rate_hz, self.channels)
    }
}
