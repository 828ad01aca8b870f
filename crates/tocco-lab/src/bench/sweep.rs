// SPDX-License-Identifier: MIT OR Apache-2.0
//! A thousand short strikes as files, on one core and on all.

use crate::error::Result;
use crate::library;

use crate::parallel;
use crate::render::{Manner, Plan};
use crate::sets::{self, design::Design};
use crate::sweep::{self, Axis};
use std::path::Path;
use std::time::Instant;

/// Length of one strike, and how many, s.
pub const EACH_S: f64 = 0.5;
const COUNT: usize = 1000;
/// The least of so many counts: what runs beside it on the machine only adds.
const TURNS: usize = 6;

const DESIGN: &str = r#"
scene = "strike.toml"
[[factor]]
name = "stiffness"
log = [1e7, 1e10, 40]
path = "hit/stiffness"
[[factor]]
name = "pitch_hz"
log = [200.0, 2000.0, 25]
[set]
"body.bar.modes[0].freq_hz" = "pitch_hz"
[level]
lufs = -30.0
"#;

/// Seconds of sound in one sweep.
pub fn sound_s() -> f64 {
    EACH_S * COUNT as f64
}

/// The forms a sweep can have.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// `--over` on the command line.
    Over,
    /// A design: loudness matched, a sidecar per sound.
    Design,
}

/// Least seconds of a sweep on one thread and on all cores, taken in turns.
pub fn times_s(form: Form, dir: &Path) -> Result<(f64, f64)> {
    let (mut one_s, mut all_s) = (f64::INFINITY, f64::INFINITY);
    // What is made here stays until the whole bench is over: ext4 passes over the places of files removed within the last
    // minutes one by one, which costs a sweep after many removals more than all its sounds.
    for turn in 0..TURNS {
        one_s = one_s.min(time_s(form, dir, &format!("{form:?}-one-{turn}"), 1)?);
        all_s = all_s.min(time_s(form, dir, &format!("{form:?}-all-{turn}"), parallel::cores())?);
    }
    Ok((one_s, all_s))
}

/// Seconds of one sweep into a new folder.
pub fn time_s(form: Form, dir: &Path, name: &str, threads: usize) -> Result<f64> {
    let out = dir.join(name);
    let strike = super::struck_bar(EACH_S, 0.2);
    crate::atomic_file::write(&dir.join("strike.toml"), strike.as_bytes())?;
    let start = Instant::now();
    match form {
        Form::Over => {
            let plan = Plan::new(library::from_text("strike", "strike", strike, None)?);
            let axes = [Axis::parse(&format!("hit/stiffness=log(1e7,1e10,{COUNT})"))?];
            sweep::run(&plan, &axes, &Manner::default(), &out, threads)?;
        }
        Form::Design => {
            let design = Design::from_text("strike", "strike", DESIGN, Some(dir))?;
            sets::run(&design, &out, threads)?;
        }
    }
    Ok(start.elapsed().as_secs_f64())
}
