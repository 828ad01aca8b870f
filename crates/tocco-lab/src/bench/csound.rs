// SPDX-License-Identifier: MIT OR Apache-2.0
//! Csound's `mode` opcode, one per mode, added by `sum` with equal weights (a weight would cost it a multiplication);
//! no sound device or file (`-n`), blocks of 64, doubles.

use super::bank::{Mode, RATE_HZ};
use super::peers::{Measure, child_cpu_s};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Mode-seconds per run, for about a second of work.
const WORK: f64 = 7680.0;

/// Writes the orchestra; each measurement is a run of it net of a run of an empty one.
pub fn prepare(modes: &[Mode], dir: &Path) -> Result<Measure, String> {
    let seconds = WORK / modes.len() as f64;
    let full = write(modes, seconds, &dir.join(format!("{}.csd", modes.len())))?;
    let empty = write(&[], seconds, &dir.join("empty.csd"))?;
    let perform = |file: &Path| child_cpu_s(Command::new("csound").arg(file));
    Ok(Box::new(move || Ok((perform(&full)? - perform(&empty)?) * 1e9 / (seconds * RATE_HZ))))
}

fn write(modes: &[Mode], seconds: f64, file: &Path) -> Result<PathBuf, String> {
    let opcodes: String =
        modes.iter().enumerate().map(|(i, m)| format!("a{i} mode aex, {:.3}, {:.3}\n", m.freq_hz, m.q())).collect();
    let inputs: String = (0..modes.len()).map(|i| format!(", a{i}")).collect();
    let text = format!(
        "<CsoundSynthesizer>\n<CsOptions>\n-n -d -m0\n</CsOptions>\n<CsInstruments>\n\
         sr = {RATE_HZ}\nksmps = 64\nnchnls = 1\n0dbfs = 1\ninstr 1\naex mpulse 0.001, 0\n{opcodes}\
         aout sum aex{inputs}\nout aout\nendin\n</CsInstruments>\n<CsScore>\ni1 0 {seconds}\n</CsScore>\n</CsoundSynthesizer>\n"
    );
    std::fs::write(file, text).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(file.to_path_buf())
}
