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
use tocco_live::Notes;
use tocco_live::midi::{Map, voices};
use tocco_live::notes::{Note, NoteEvent, Which};

/// Frames rendered between two looks at what the interpreter wants (Ctrl-C).
const STRETCH: usize = 1 << 16;
/// The same where notes are played: their energy is looked at as often, to tell when they have rung out.
const NOTES_STRETCH: usize = 1 << 10;
/// No array is longer than this, frames.
const MOST_FRAMES: f64 = 1e9;

/// Sound, and signals by the sample.
type Probed<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<f64>>);

struct Running {
    engine: Engine,
    queue: Queue,
    /// Value last set of each parameter; a control's goes to what it moves, so there is one truth, whatever its name.
    values: Vec<Option<f64>>,
    /// What plays its keyboard, if it was asked for.
    notes: Option<Notes>,
}

impl Running {
    /// Has a command wait for its tick, and remembers what it sets.
    fn push(&mut self, directory: &Directory, at: u64, command: Command) {
        let set = match command {
            Command::Set(address, value) | Command::Jump(address, value) | Command::Glide { address, value, .. } => {
                Some((address, value))
            }
            _ => None,
        };
        for (slot, value) in set.into_iter().flat_map(|(address, value)| directory.moves(address, value)) {
            self.values[slot] = Some(value);
        }
        self.queue.push(at, command);
    }
}

/// A scene that renders into arrays; `tocco.Scene` is made of it.
#[pyclass(frozen, subclass, module = "tocco._native")]
pub struct Scene {
    document: Document,
    directory: Directory,
    rate_hz: f64,
    channels: usize,
    /// Frames rendered at once.
    stretch: usize,
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
        self.with(py, move |running| {
            if matches!(resolved.command, Command::Hush) {
                running.queue.forget_after(at.max(running.engine.tick()), |_| {});
            }
            running.push(&self.directory, at, resolved.command);
            Ok(value)
        })
    }

    /// Does what an event says of notes.
    fn play(&self, py: Python<'_>, event: NoteEvent, at_s: Option<f64>) -> PyResult<()> {
        let at = self.tick_of(at_s)?;
        self.with(py, |running| {
            let mut notes = running.notes.take().ok_or("notes are played by tocco.Scene(..., notes=True)")?;
            let at = at.max(running.engine.tick());
            let known = notes.commands(event, at, |command| running.push(&self.directory, at, command));
            running.notes = Some(notes);
            known.then_some(()).ok_or_else(|| "a note with what is not a number".into())
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
            let count = (frames - from).min(self.stretch);
            let sound = &mut out[from * self.channels..(from + count) * self.channels];
            let signals = &mut rows[from * probes.len()..(from + count) * probes.len()];
            self.with(py, |Running { engine, queue, notes, .. }| {
                let part = |plane: &'_ Vec<f32>| from.min(plane.len())..(from + count).min(plane.len());
                let inputs: Vec<&[f32]> = planes.iter().map(|plane| &plane[part(plane)]).collect();
                if probes.is_empty() {
                    engine.render(&inputs, queue, sound);
                } else {
                    engine.watch(probes);
                    engine.render_probed(&inputs, queue, sound, signals);
                }
                notes.iter_mut().for_each(|notes| notes.follow(engine));
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

/// The note of a number, or all of a key, or all.
fn which(key: Option<i64>, id: Option<i32>) -> PyResult<Which> {
    Ok(Which { id, channel: None, key: key.map(key_of).transpose()? })
}

fn key_of(key: i64) -> PyResult<u8> {
    let number = u8::try_from(key).ok().filter(|key| *key <= 127);
    number.ok_or_else(|| refuse(format!("key {key}; wants 0 to 127")))
}

#[pymethods]
impl Scene {
    #[new]
    #[pyo3(signature = (source, rate_hz = None, *, folder = None, sets = None, notes = false))]
    fn new(
        py: Python<'_>,
        source: &str,
        rate_hz: Option<f64>,
        folder: Option<&str>,
        sets: Option<BTreeMap<String, f64>>,
        notes: bool,
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
            let document = if notes { voices::voiced(document).map_err(|error| error.to_string())? } else { document };
            let rate_hz = rate_hz.unwrap_or(document.def.rate_hz);
            let mut scene = tocco::Scene::build(&document.def, rate_hz).map_err(|error| document.message(&error))?;
            for (path, value) in sets.iter().flatten() {
                tocco_lab::render::set(&mut scene, path, *value).map_err(wrong)?;
            }
            let (directory, channels) = (scene.directory().clone(), scene.channels());
            let values = vec![None; directory.parameters()];
            let stretch = if notes { NOTES_STRETCH } else { STRETCH };
            let notes = notes.then(|| Notes::new(&document.def, &scene, &Map::of(&document.def)));
            let running = Running { engine: Engine::new(scene), queue: Queue::new(), values, notes };
            Ok(Self { document, directory, rate_hz, channels, stretch, running: Mutex::new(Some(running)) })
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

    /// A key goes down: velocity 0 to 1, tuning in semitones; the note has this number, else the key's. In order of time.
    #[pyo3(signature = (key, velocity_01 = 0.8, at_s = None, *, id = None, tuning = 0.0))]
    fn note_on(
        &self,
        py: Python<'_>,
        key: i64,
        velocity_01: f64,
        at_s: Option<f64>,
        id: Option<i32>,
        tuning: f64,
    ) -> PyResult<i32> {
        let key = key_of(key)?;
        let note = Note { id: id.unwrap_or(i32::from(key)), channel: 0, key };
        self.play(py, NoteEvent::On { note, velocity_01, tuning }, at_s)?;
        Ok(note.id)
    }

    /// The key goes up: the note is damped if the scene says in which time. Without key and id all do.
    #[pyo3(signature = (key = None, at_s = None, *, id = None))]
    fn note_off(&self, py: Python<'_>, key: Option<i64>, at_s: Option<f64>, id: Option<i32>) -> PyResult<()> {
        self.play(py, NoteEvent::Off(which(key, id)?), at_s)
    }

    /// It is silenced within milliseconds.
    #[pyo3(signature = (key = None, at_s = None, *, id = None))]
    fn note_choke(&self, py: Python<'_>, key: Option<i64>, at_s: Option<f64>, id: Option<i32>) -> PyResult<()> {
        self.play(py, NoteEvent::Choke(which(key, id)?), at_s)
    }

    /// It glides to so many semitones beside its key.
    #[pyo3(signature = (semitones, key = None, at_s = None, *, id = None))]
    fn note_tune(
        &self,
        py: Python<'_>,
        semitones: f64,
        key: Option<i64>,
        at_s: Option<f64>,
        id: Option<i32>,
    ) -> PyResult<()> {
        self.play(py, NoteEvent::Tune(which(key, id)?, semitones), at_s)
    }

    /// Its pressure, 0 to 1.
    #[pyo3(signature = (pressure_01, key = None, at_s = None, *, id = None))]
    fn note_press(
        &self,
        py: Python<'_>,
        pressure_01: f64,
        key: Option<i64>,
        at_s: Option<f64>,
        id: Option<i32>,
    ) -> PyResult<()> {
        self.play(py, NoteEvent::Press(which(key, id)?, pressure_01), at_s)
    }

    /// Its brightness, 0 to 1.
    #[pyo3(signature = (brightness_01, key = None, at_s = None, *, id = None))]
    fn note_brighten(
        &self,
        py: Python<'_>,
        brightness_01: f64,
        key: Option<i64>,
        at_s: Option<f64>,
        id: Option<i32>,
    ) -> PyResult<()> {
        self.play(py, NoteEvent::Brighten(which(key, id)?, brightness_01), at_s)
    }

    /// Numbers of the notes that have ended since it was last asked: rung out, or their voices were taken.
    fn notes_ended(&self, py: Python<'_>) -> PyResult<Vec<i32>> {
        self.with(py, |running| {
            let ended = |notes: &mut Notes| std::iter::from_fn(|| notes.ended()).map(|note| note.id).collect();
            Ok(running.notes.as_mut().map(ended).unwrap_or_default())
        })
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
