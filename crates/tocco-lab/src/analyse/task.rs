// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole of an analysis: files in, a scene and a picture out.

use super::body::port;
use super::near::Near;
use super::read::Recording;
use super::{Analysis, MOST_STRIKES, Options, analyse, onset};
use crate::error::{Result, bad};
use crate::library;
use crate::render::Plan;
use crate::{atomic_file, console};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What to make of which recordings.
#[derive(Clone, Debug)]
pub struct Task {
    /// Recordings of strikes of one object: WAV, FLAC, AIFF, MP3 or Ogg Vorbis.
    pub recordings: Vec<PathBuf>,
    /// Scene to write, or `-` for standard output.
    pub output: PathBuf,
    /// Where to draw both spectrograms side by side, if anywhere.
    pub picture: Option<PathBuf>,
    /// Name of the body; else that of the scene file.
    pub name: Option<String>,
    /// What to look for.
    pub options: Options,
    /// Mass of every mode, kg: a recording does not tell it.
    pub mass_kg: f64,
    /// Go on although a recording is clipped.
    pub clipped: bool,
    /// Write over files that are there.
    pub force: bool,
    /// Say what was found as JSON.
    pub json: bool,
}

impl Task {
    /// Scene, picture and recordings need a file each.
    pub(crate) fn keep_apart(&self) -> Result<()> {
        let read: Vec<(&str, &Path)> = self.recordings.iter().map(|path| ("a recording", path.as_path())).collect();
        let scene = Some(&self.output).filter(|path| path.as_os_str() != "-");
        let files = [("-o", scene), ("--picture", self.picture.as_ref())];
        let written: Vec<(&str, &Path)> =
            files.iter().filter_map(|(what, path)| Some((*what, path.as_ref()?.as_path()))).collect();
        atomic_file::keep_apart(&read, &written)?;
        if self.json && scene.is_none() {
            return bad("--json and -o - both want standard output; give -o a file name");
        }
        match written.iter().find(|(_, path)| path.is_file() && !self.force) {
            Some((_, path)) => bad(format!("{} exists already; name another file, or give --force", path.display())),
            None => Ok(()),
        }
    }
}

/// Reads the recordings, finds the body, writes it and says how well it fits.
pub fn run(task: &Task) -> Result<()> {
    let to_stdout = task.output.as_os_str() == "-";
    console::set_stdout_taken(to_stdout);
    task.keep_apart()?;
    if !(1e-6..=1e6).contains(&task.mass_kg) {
        return bad(format!("--mass-kg {}: give 1e-6 to 1e6", task.mass_kg));
    }
    let name = body_name(task.name.as_deref(), &task.output)?;
    let options = task.options;
    options.check()?;
    let recordings =
        task.recordings.iter().map(|path| Recording::open(path, task.clipped)).collect::<Result<Vec<_>>>()?;
    let highest = options.max_hz;
    let recordings: Vec<Recording> = recordings.into_iter().map(|recording| recording.reduced(highest)).collect();
    let analysis = analyse(&recordings, &options)?;
    let near = analysis.strikes.iter().enumerate();
    let near: Vec<Near> =
        near.map(|(j, _)| analysis.near(j, &recordings[j / options.strikes.max(1)])).collect::<Result<_>>()?;
    let words = report(&analysis, &recordings, options.strikes, &near);
    let text = analysis.toml(&name, task.mass_kg);
    // Nothing is written that 'tocco check' would refuse.
    let scene = library::from_text(&name, &task.output.display().to_string(), text.clone(), None)?;
    Plan::new(scene).build()?;
    if to_stdout {
        console::result(&text)?;
    } else {
        atomic_file::write(&task.output, text.as_bytes())?;
    }
    if let Some(picture) = &task.picture {
        analysis.picture(&recordings, picture)?;
    }
    if task.json {
        return console::result(&format!("{:#}", as_json(&analysis, &near, &task.output)));
    }
    console::remark(&format!("{}: {words}", console::file(&task.output)));
    Ok(())
}

/// What was found, for programs.
fn as_json(analysis: &Analysis, near: &[Near], output: &Path) -> Value {
    let modes: Vec<Value> = analysis
        .modes
        .iter()
        .map(|m| json!({ "freq_hz": m.freq_hz, "decay_s": m.decay_s, "weights": m.weights, "turn_rad": m.turn_rad }))
        .collect();
    let strikes = analysis.strikes.iter().zip(near).enumerate().map(|(j, (strike, near))| {
        json!({
            "port": port(j), "file": strike.file, "at_s": strike.span.onset as f64 / analysis.rate_hz,
            "residual_db": strike.residual_db, "others": strike.others, "level_db": near.level_db, "peak_db": near.peak_db,
            "attack_distance_db": near.distance.attack_db, "ring_distance_db": near.distance.ring_db,
        })
    });
    let apart = analysis.strangers().into_iter().map(|(a, b, share)| {
        json!({ "strikes": [port(a), port(b)], "files": [analysis.strikes[a].file, analysis.strikes[b].file], "shared_01": share })
    });
    json!({
        "scene": output.display().to_string(), "rate_hz": analysis.rate_hz, "filling": analysis.filling,
        "modes": modes, "strikes": strikes.collect::<Vec<_>>(), "not_one_object": apart.collect::<Vec<_>>(),
    })
}

/// The name given, or the scene file's, made fit for a scene.
fn body_name(given: Option<&str>, output: &Path) -> Result<String> {
    let fit = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    if let Some(name) = given {
        return match !name.is_empty() && name != "tocco" && name.chars().all(fit) {
            true => Ok(name.to_owned()),
            false => bad(format!("--name '{name}': give letters, digits, - and _")),
        };
    }
    let stem = output.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name: String = stem.chars().map(|c| if fit(c) { c } else { '-' }).collect();
    let usable = name.chars().any(char::is_alphanumeric) && name != "tocco";
    Ok(if usable { name } else { "body".into() })
}

fn report(analysis: &Analysis, recordings: &[Recording], per_file: usize, near: &[Near]) -> String {
    let (first, last) = (&analysis.modes[0], &analysis.modes[analysis.modes.len() - 1]);
    let decays = || analysis.modes.iter().map(|m| m.decay_s);
    let mut words = format!(
        "{} modes, {:.1} to {:.1} Hz, decays {:.4} to {:.3} s",
        analysis.modes.len(),
        first.freq_hz,
        last.freq_hz,
        decays().fold(f64::INFINITY, f64::min),
        decays().fold(0.0, f64::max)
    );
    if analysis.filling > 0 {
        // Writing to a String cannot fail.
        let _ = write!(words, "; {} of them fill in for what is not modal", analysis.filling);
    }
    for (j, strike) in analysis.strikes.iter().enumerate() {
        let recording = &recordings[j / per_file.max(1)];
        let at_s = strike.span.onset as f64 / analysis.rate_hz;
        // Writing to a String cannot fail.
        let _ = write!(
            words,
            "\n{} ({} at {at_s:.3} s): residual {:.1} dB, {}",
            port(j),
            strike.file,
            strike.residual_db,
            near[j]
        );
        let lost_ms = 1e3 * (strike.span.start - strike.span.onset) as f64 / analysis.rate_hz;
        if lost_ms >= 1.0 {
            let _ = write!(words, "; the first {lost_ms:.1} ms are the hammer's and lost");
        }
        if strike.residual_db > -6.0 {
            words.push_str("; much of it is not modal");
        }
        if strike.others > 0 {
            // Writing to a String cannot fail.
            let _ = write!(
                words,
                "\n{}: {} strikes; this one is used, up to {:.3} s: ",
                strike.file,
                strike.others + 1,
                strike.span.end as f64 / analysis.rate_hz,
            );
            let all = strike.others + 1;
            let usable = all <= MOST_STRIKES && onset::strikes(&recording.samples, analysis.rate_hz, all, "").is_ok();
            let _ = match usable {
                true => write!(words, "give --strikes {all} for all, or cut the file"),
                false => write!(words, "cut the file for another"),
            };
        }
    }
    for (a, b, share) in analysis.strangers() {
        let _ = write!(
            words,
            "\n{} ({}) and {} ({}) are hardly one object: their modes share {:.1} % of their sound; analyse each by itself",
            port(a),
            analysis.strikes[a].file,
            port(b),
            analysis.strikes[b].file,
            100.0 * share
        );
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_is_called_after_the_scene_unless_told_otherwise() {
        assert_eq!(body_name(None, Path::new("a/my bell.1.toml")).unwrap(), "my-bell-1");
        assert_eq!(body_name(None, Path::new("-")).unwrap(), "body");
        assert_eq!(body_name(Some("pot"), Path::new("x.toml")).unwrap(), "pot");
        assert!(body_name(Some("a b"), Path::new("x.toml")).is_err());
    }
}
