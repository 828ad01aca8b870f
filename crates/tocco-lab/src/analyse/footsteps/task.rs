// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole of an analysis of steps: files in, a floor and a picture out.

use super::{Floor, Part, RANGE_DB, StepsOptions, band_words, bands, floor};
use crate::analyse::read::Recording;
use crate::analyse::task::Task;
use crate::error::{Error, Result};
use crate::plot::{Figure, Look, Panel, Series};
use crate::{atomic_file, console};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;
use tocco::process::footstep::{Footstep, FootstepBy, FootstepParams, Prototype};
use tocco::process::{Process as _, Span};
use tocco::resonator::CONTROL_TICKS;
use tocco::rng::Rng;
use tocco::scene::def::{FootstepDef, PerStepDef, ProcessDef, SceneDef};
use tocco::signal::Cell;

/// Steps played to hear what a prototype makes of its recordings.
const PLAYED: u64 = 24;

/// Reads the recordings, finds the floor, writes it and says how near it is.
pub fn run(task: &Task, options: &StepsOptions) -> Result<()> {
    let to_stdout = task.output.as_os_str() == "-";
    console::set_stdout_taken(to_stdout);
    task.keep_apart()?;
    let open = |path: &PathBuf| Recording::open(path, task.clipped);
    let recordings = task.recordings.iter().map(open).collect::<Result<Vec<_>>>()?;
    let floor = floor(&recordings, options)?;
    let text = floor.toml(&recordings);
    if to_stdout {
        console::result(&text)?;
    } else {
        atomic_file::write(&task.output, text.as_bytes())?;
    }
    if let Some(picture) = &task.picture {
        let png = floor.figure().png().map_err(Error::Machine)?;
        atomic_file::write(picture, &png)?;
    }
    if task.json {
        return console::result(&format!("{:#}", floor.json(&recordings, &task.output.display().to_string())));
    }
    let name = console::file(&task.output);
    console::remark(&format!("{name}: {}", floor.words(&recordings)));
    if !to_stdout {
        console::remark(&format!("now 'tocco walk {name} -o walk.wav'"));
    }
    Ok(())
}

impl Floor {
    /// The floor as a scene with the inlets `press` and `press_toe`.
    pub fn toml(&self, recordings: &[Recording]) -> String {
        let names: Vec<&str> = recordings.iter().map(|r| r.name.as_str()).collect();
        let mut text = format!(
            "# A floor from {} recorded steps: {}.\n# Walk on it: tocco walk THIS.toml -o walk.wav\ntitle = \"Recorded floor\"\nduration_s = 3.5\n",
            self.steps.len(),
            names.join(", ").replace(['\n', '\r'], " ")
        );
        for (inlet, of) in [("press", "heel"), ("press_toe", "toes")] {
            // Writing to a String cannot fail.
            let _ = write!(
                text,
                "\n# Force under the {of}, body weights.\n[signal.{inlet}]\ntype = \"input\"\nmax = 10.0\nunit = \"BW\"\n"
            );
        }
        // By itself, three steps: whoever uses it as a part presses it instead.
        for (inlet, at_s) in [("press", 0.0), ("press_toe", 0.25)] {
            let points: Vec<String> = [0.1, 1.2, 2.3]
                .iter()
                .flat_map(|begin| {
                    let rise_s = if at_s == 0.0 { 0.012 } else { 0.2 };
                    let begin = begin + at_s;
                    [(0.0, 0.0), (rise_s, 0.6), (0.3, 1.1), (0.35, 0.0)]
                        .map(|(t, f)| format!("[{:.3}, {f:?}]", begin + t))
                })
                .collect();
            let _ = write!(text, "\n[[drive]]\npath = \"{inlet}/value\"\npoints = [{}]\n", points.join(", "));
        }
        for part in &self.parts {
            let toe = part.name == "toe";
            let params = FootstepParams {
                gain: part.gain,
                // The toes come down more softly, and are recorded so.
                force_ref: if toe { TOE_REF } else { FootstepParams::default().force_ref },
                ..FootstepParams::default()
            };
            let form = FootstepDef { params, by: FootstepBy::Event, make: part.make.clone() };
            let driven_by = if toe { "press_toe" } else { "press" };
            let process = ProcessDef {
                name: part.name.into(),
                driven_by: driven_by.into(),
                on: Vec::new(),
                per_step: PerStepDef::default(),
                form: form.into(),
            };
            let whole = SceneDef { processes: vec![process], ..SceneDef::new() }.to_toml();
            let from = whole.find("[process.").unwrap_or(0);
            let _ = write!(
                text,
                "\n{}\n\n[[tap]]\nof = \"{}\"\nquantity = \"sound\"\n",
                whole[from..].trim_end(),
                part.name
            );
        }
        text
    }

    /// What was found, for people.
    pub fn words(&self, recordings: &[Recording]) -> String {
        let mut words = format!("{} steps in {} recordings", self.steps.len(), recordings.len());
        for (index, recording) in recordings.iter().enumerate() {
            let at: Vec<String> =
                self.steps.iter().filter(|s| s.recording == index).map(|s| format!("{:.3}", s.at_s)).collect();
            // Writing to a String cannot fail.
            let _ = write!(words, "\n{}: {} at {} s", recording.name, at.len(), at.join(", "));
        }
        for part in &self.parts {
            let bands: Vec<String> = part.make.bands.iter().map(band_words).collect();
            let again = part.resynthesis_db(self.rate_hz);
            let _ = write!(
                words,
                "\n{}: {} bands, Hz middle/width/gain {}; fit {:.2} dB, played again {again:.2} dB, recordings among themselves {:.1} dB; {:.3} s",
                part.name,
                bands.len(),
                bands.join(" "),
                part.fit_db,
                part.between_db,
                part.make.envelope.len() as f64 * part.make.frame_s
            );
            if part.fit_db > 3.0 {
                words.push_str("; much of it is tones, not noise: 'tocco analyse' without --steps finds those");
            }
        }
        words
    }

    /// What was found, for programs.
    pub fn json(&self, recordings: &[Recording], scene: &str) -> Value {
        let steps = self.steps.iter().map(|step| json!({ "file": recordings[step.recording].name, "at_s": step.at_s }));
        let parts = self.parts.iter().map(|part| {
            let bands =
                part.make.bands.iter().map(
                    |band| json!({ "freq_hz": band.freq_hz, "bandwidth_hz": band.bandwidth_hz, "gain": band.gain }),
                );
            json!({
                "name": part.name, "gain": part.gain, "bands": bands.collect::<Vec<_>>(),
                "seconds": part.make.envelope.len() as f64 * part.make.frame_s, "fit_db": part.fit_db,
                "played_again_db": part.resynthesis_db(self.rate_hz), "among_themselves_db": part.between_db,
            })
        });
        json!({ "scene": scene, "rate_hz": self.rate_hz, "steps": steps.collect::<Vec<_>>(), "parts": parts.collect::<Vec<_>>() })
    }

    /// Spectra and envelopes.
    pub fn figure(&self) -> Figure {
        let mut panels = Vec::new();
        for part in &self.parts {
            let log = |hz: f64| hz.log10();
            let recorded = part.spectrum.iter().map(|(hz, db)| (log(*hz), *db)).collect();
            let fitted = part.spectrum.iter().zip(&part.fitted).map(|((hz, _), db)| (log(*hz), *db)).collect();
            let again = part.played(self.rate_hz);
            let played = part.spectrum.iter().zip(&again).map(|((hz, _), db)| (log(*hz), *db)).collect();
            panels.push(
                Panel::new(format!("{}: thirds of octaves", part.name), "frequency, log10 Hz", "energy, dB")
                    .with(Series::new("recordings, mean", 0, Look::DottedLine, recorded))
                    .with(Series::new("bands", 1, Look::Line, fitted))
                    .with(Series::new("played again", 2, Look::Rings, played)),
            );
            let at = |k: usize| 1e3 * part.make.frame_s * k as f64;
            let Prototype { envelope, deviation, .. } = &part.make;
            let line = |sign: f64| {
                let value = |(k, (e, d)): (usize, (&f64, &f64))| (at(k), (e + sign * d).max(0.0));
                envelope.iter().zip(deviation).enumerate().map(value).collect()
            };
            panels.push(
                Panel::new(format!("{}: envelope", part.name), "time, ms", "1")
                    .with(Series::new("mean", 0, Look::Line, line(0.0)))
                    .with(Series::new("one deviation apart", 7, Look::Thin, line(1.0)))
                    .with(Series::new("", 7, Look::Thin, line(-1.0))),
            );
        }
        Figure { title: format!("A floor from {} steps", self.steps.len()), panels }
    }
}

/// Signal under toes 10 ms after they come down, where the heel's is the default.
const TOE_REF: f64 = 0.06;

impl Part {
    /// Levels of thirds of octaves of the prototype as the engine plays it, dB, brought to the level of the recordings.
    pub fn played(&self, rate_hz: f64) -> Vec<f64> {
        let mut sum = vec![0.0; self.spectrum.len()];
        for seed in 0..PLAYED {
            let step = play(&self.make, seed, rate_hz);
            sum.iter_mut().zip(bands::thirds(&step, rate_hz)).for_each(|(s, x)| *s += x / PLAYED as f64);
        }
        let wanted: f64 = self.spectrum.iter().map(|(_, db)| 10_f64.powf(0.1 * db)).sum();
        let scale = wanted / sum.iter().sum::<f64>().max(1e-300);
        let least_db = self.spectrum.iter().map(|(_, db)| *db).fold(f64::NEG_INFINITY, f64::max) - RANGE_DB;
        sum.iter().map(|x| (10.0 * (scale * x).max(1e-14).log10()).max(least_db)).collect()
    }

    /// How far that is from the recordings, dB root mean square.
    pub fn resynthesis_db(&self, rate_hz: f64) -> f64 {
        let played = self.played(rate_hz);
        let apart: f64 = played.iter().zip(&self.spectrum).map(|(p, (_, r))| (p - r).powi(2)).sum();
        (apart / played.len().max(1) as f64).sqrt()
    }
}

/// One step of a prototype at gain 1, as recorded.
pub fn play(make: &Prototype, seed: u64, rate_hz: f64) -> Vec<f64> {
    let params = FootstepParams { loudness: 0.0, shorten: 0.0, ..FootstepParams::default() };
    let mut step = Footstep::new(params, FootstepBy::Event, make.clone(), rate_hz, |label| Rng::new(seed, label));
    let cells = (make.envelope.len() as f64 * make.frame_s * 1e3) as u64 + 4;
    let (mut all, mut tick) = (Vec::new(), 0);
    for index in 0..cells {
        step.enter(Cell { index, from: if index == 0 { 0.0 } else { 1.0 }, to: 1.0 });
        let end = ((index + 1) as f64 * 1e-3 * rate_hz).ceil() as u64;
        while tick < end {
            let ticks = ((end - tick) as usize).min(CONTROL_TICKS);
            let mut lane = [0.0; CONTROL_TICKS];
            if step.is_awake() {
                step.render(Span { tick, ticks, rate_hz }, &mut [], &mut lane);
            }
            all.extend_from_slice(&lane[..ticks]);
            tick += ticks as u64;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use tocco::process::particles::Resonance;

    fn known() -> Prototype {
        let band = |freq_hz, bandwidth_hz, gain| Resonance { freq_hz, bandwidth_hz, gain };
        let envelope: Vec<f64> =
            (0..100).map(|k| (-0.05 * f64::from(k)).exp() * (f64::from(k) / 5.0).min(1.0)).collect();
        let deviation = envelope.iter().map(|e| 0.2 * e).collect();
        Prototype {
            bands: vec![band(400.0, 100.0, 1.0), band(6000.0, 5000.0, 0.4)],
            envelope,
            deviation,
            frame_s: 0.002,
        }
    }

    /// A walk of so many steps on a known floor, at 1.8 Hz.
    fn walk(steps: u64) -> Recording {
        let rate_hz = 44_100.0;
        let mut rng = Rng::new(1, "floor noise");
        let mut samples: Vec<f64> =
            (0..(rate_hz * (0.6 * steps as f64 + 0.5)) as usize).map(|_| 1e-5 * rng.normal()).collect();
        for n in 0..steps {
            let at = (rate_hz * (0.3 + n as f64 / 1.8)) as usize;
            for (i, x) in play(&known(), 100 + n, rate_hz).iter().enumerate() {
                samples[at + i] += 0.2 * x;
            }
        }
        Recording { name: "walk".into(), rate_hz, samples, lossy: false }
    }

    #[test]
    fn a_known_floor_is_found_again_from_its_steps_and_plays_at_their_level() {
        let recording = walk(16);
        let found = floor(std::slice::from_ref(&recording), &StepsOptions::default()).unwrap();
        assert_eq!(found.steps.len(), 16);
        for (n, step) in found.steps.iter().enumerate() {
            assert!((step.at_s - 0.3 - n as f64 / 1.8).abs() < 0.012, "{n}: {}", step.at_s);
        }
        assert_eq!(found.parts.len(), 1);
        let part = &found.parts[0];
        let near = |f: f64, b: f64| {
            part.make.bands.iter().any(|x| (x.freq_hz / f - 1.0).abs() < 0.1 && (x.bandwidth_hz / b - 1.0).abs() < 0.35)
        };
        assert!(near(400.0, 100.0) && near(6000.0, 5000.0), "{:?}", part.make.bands);
        assert!(part.resynthesis_db(44_100.0) < 1.5, "{}", part.resynthesis_db(44_100.0));
        // The energy of the steps it plays is theirs.
        let recorded = found.steps.iter().map(|s| s.energy.sqrt()).sum::<f64>() / 16.0;
        let played = (0..32).map(|seed| {
            let step = play(&part.make, seed, 44_100.0);
            (step.iter().map(|x| x * x).sum::<f64>() / 44_100.0).sqrt()
        });
        let played = part.gain * played.sum::<f64>() / 32.0;
        assert!((20.0 * (played / recorded).log10()).abs() < 1.0, "{played} {recorded}");
    }

    #[test]
    fn what_is_written_is_a_scene_with_the_same_bands() {
        let recording = walk(5);
        let found = floor(std::slice::from_ref(&recording), &StepsOptions::default()).unwrap();
        let text = found.toml(std::slice::from_ref(&recording));
        let def = SceneDef::from_text(&text).unwrap();
        assert_eq!((def.processes.len(), def.signals.len(), def.taps.len()), (1, 2, 1));
        let tocco::scene::def::ProcessForm::Footstep(step) = &def.processes[0].form else { panic!("{text}") };
        assert_eq!(step.make, found.parts[0].make);
    }

    #[test]
    fn heel_and_toe_are_told_apart_where_most_steps_have_both() {
        let rate_hz = 44_100.0;
        let mut samples = vec![0.0; 5 * 44_100];
        let mut rng = Rng::new(2, "noise");
        samples.iter_mut().for_each(|x| *x = 1e-5 * rng.normal());
        let short = Prototype { envelope: known().envelope[..30].to_vec(), deviation: Vec::new(), ..known() };
        for n in 0..6 {
            for (late, level) in [(0.0, 0.3), (0.15, 0.12)] {
                let at = (rate_hz * (0.3 + 0.7 * f64::from(n) + late)) as usize;
                for (i, x) in play(&short, 10 + n as u64, rate_hz).iter().enumerate() {
                    samples[at + i] += level * x;
                }
            }
        }
        let recording = Recording { name: "two".into(), rate_hz, samples, lossy: false };
        let found = floor(std::slice::from_ref(&recording), &StepsOptions::default()).unwrap();
        let names: Vec<&str> = found.parts.iter().map(|p| p.name).collect();
        assert_eq!((found.steps.len(), names), (6, vec!["heel", "toe"]));
        assert!(found.parts[0].gain > 1.5 * found.parts[1].gain);
    }

    #[test]
    fn a_recording_without_steps_is_refused_in_one_line() {
        let mut rng = Rng::new(3, "hiss");
        let samples: Vec<f64> = (0..88_200).map(|_| 0.1 * rng.normal()).collect();
        let hiss = Recording { name: "hiss.wav".into(), rate_hz: 44_100.0, samples, lossy: false };
        let said = floor(std::slice::from_ref(&hiss), &StepsOptions::default()).unwrap_err().to_string();
        assert!(said.starts_with("hiss.wav: no step found") && !said.contains('\n'), "{said}");
    }
}
