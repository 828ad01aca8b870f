// SPDX-License-Identifier: MIT OR Apache-2.0
//! This very program, timed and weighed from outside.

use crate::error::HostError;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tocco_lab::bench::{Section, Table, TemporaryFolder, struck_bar};

/// What the table says of it.
pub const SECTION: Section = Section { name: "render", measure: table };

/// Length of the scene and of the long render, s.
const SHORT_S: u32 = 60;
const LONG_S: u32 = 3600;

/// Wall-clock time of rendering [`SHORT_S`] seconds into a WAV, from start of the program to its end, s.
fn render_s(dir: &Path) -> Result<f64, String> {
    let start = Instant::now();
    let mut child = render(dir, SHORT_S)?;
    while running(&mut child)? {
        std::thread::sleep(Duration::from_micros(100));
    }
    Ok(start.elapsed().as_secs_f64())
}

/// Most memory resident while an hour of audio is rendered, MB (proc(5): `VmHWM`).
fn hour_mb(dir: &Path) -> Result<f64, String> {
    let mut child = render(dir, LONG_S)?;
    let status = format!("/proc/{}/status", child.id());
    let mut most_kib = 0.0f64;
    while running(&mut child)? {
        // The file loses its memory lines between exit and wait.
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
        most_kib = most_kib.max(kib.unwrap_or(0.0));
        std::thread::sleep(Duration::from_millis(2));
    }
    if most_kib == 0.0 { Err("no VmHWM in /proc".into()) } else { Ok(most_kib * 1024.0 / 1e6) }
}

fn render(dir: &Path, seconds: u32) -> Result<std::process::Child, String> {
    let (scene, wav) = (dir.join("strike.toml"), dir.join("strike.wav"));
    std::fs::write(&scene, struck_bar(f64::from(SHORT_S), 10.0)).map_err(|e| format!("{}: {e}", scene.display()))?;
    let program = std::env::current_exe().map_err(|e| format!("this program: {e}"))?;
    let mut command = Command::new(&program);
    command.arg("render").arg(&scene).arg("-o").arg(&wav).args(["--duration", &seconds.to_string()]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map_err(|e| format!("{}: {e}", program.display()))
}

/// False once the program has ended well.
fn running(child: &mut std::process::Child) -> Result<bool, String> {
    match child.try_wait() {
        Ok(None) => Ok(true),
        Ok(Some(status)) if status.success() => Ok(false),
        Ok(Some(status)) => Err(format!("tocco render: {status}")),
        Err(e) => Err(format!("tocco render: {e}")),
    }
}

/// `tocco render` from scene text to WAV.
fn table(table: &mut Table, folder: &TemporaryFolder) -> crate::error::Result<()> {
    table.heading("the program, a strike on three modes", ["", "", "ours", "goal"])?;
    let mut least_s = f64::INFINITY;
    for _ in 0..10 {
        least_s = least_s.min(render_s(folder.path()).map_err(HostError::Machine)?);
    }
    let speed = f64::from(SHORT_S) / least_s;
    let columns = [String::new(), String::new(), format!("x{speed:.0}"), ">= x1000".into()];
    table.figure("a minute rendered to a file, times real time", columns, speed >= 1000.0)?;
    let mb = hour_mb(folder.path()).map_err(HostError::Machine)?;
    let columns = [String::new(), String::new(), format!("{mb:.1}"), "< 100".into()];
    table.figure("an hour, MB resident at most", columns, mb < 100.0)
}
