// SPDX-License-Identifier: MIT OR Apache-2.0
//! Other people's modal banks, each rendering the bank of `bank.rs`.

use super::bank::Mode;
use super::{csound, faust, supercollider};
use std::path::Path;
use std::process::{Command, Stdio};

/// One measurement, ns per sample of the whole bank.
pub type Measure = Box<dyn FnMut() -> Result<f64, String>>;

/// A program to stand beside.
pub struct Peer {
    /// What the table calls it.
    pub name: &'static str,
    programs: &'static [&'static str],
    packages: &'static str,
    /// Writes and compiles what the peer needs for a bank, in a directory of its own.
    pub prepare: fn(&[Mode], &Path) -> Result<Measure, String>,
}

/// Everybody the benchmark knows.
pub const PEERS: [Peer; 3] = [
    Peer { name: "Csound mode", programs: &["csound"], packages: "csound", prepare: csound::prepare },
    Peer {
        name: "SuperCollider Klank",
        programs: &["scsynth"],
        packages: "supercollider-server",
        prepare: supercollider::prepare,
    },
    Peer { name: "Faust modalModel", programs: &["faust", "g++"], packages: "faust g++", prepare: faust::prepare },
];

impl Peer {
    /// The Debian packages to install, if a program is not on the path.
    pub fn missing(&self) -> Option<&'static str> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found = |program: &&str| std::env::split_paths(&path).any(|dir| dir.join(program).is_file());
        if self.programs.iter().all(found) { None } else { Some(self.packages) }
    }
}

/// Runs a program to its end and gives what it printed.
pub fn output(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let done = command.stdin(Stdio::null()).output().map_err(|e| format!("{program}: {e}"))?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    Err(format!("{program}: {}: {}", done.status, said.lines().last().unwrap_or("no word")))
}

/// User CPU time of a program, s.
pub fn child_cpu_s(command: &mut Command) -> Result<f64, String> {
    let before = children_cpu_s()?;
    output(command)?;
    Ok(children_cpu_s()? - before)
}

/// User CPU time of all children so far, s; proc(5): field 16 of `stat`, in hundredths of a second.
fn children_cpu_s() -> Result<f64, String> {
    let stat = std::fs::read_to_string("/proc/self/stat").map_err(|e| format!("/proc/self/stat: {e}"))?;
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().nth(13).and_then(|field| field.parse::<f64>().ok());
    ticks.map(|ticks| ticks / 100.0).ok_or_else(|| "/proc/self/stat: no CPU time of children".into())
}
