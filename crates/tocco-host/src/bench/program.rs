// SPDX-License-Identifier: MIT OR Apache-2.0
//! This very program, timed and weighed from outside.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A hammer strikes a bar of three modes, the lowest of which rings for `decay_s`.
pub fn strike(duration_s: f64, decay_s: f64) -> String {
    let mode = |hz: f64, share: f64| format!("{{ freq_hz = {hz:?}, decay_s = {:?}, mass_kg = 0.05 }}", share * decay_s);
    let modes = [mode(500.0, 1.0), mode(1300.0, 0.75), mode(1700.0, 0.5)].join(", ");
    format!(
        r#"
version = 1
duration_s = {duration_s:?}
[body.hammer]
type = "mass"
mass_kg = 0.01
[body.bar]
type = "modal"
modes = [{modes}]
[contact.hit]
type = "impact"
between = ["hammer", "bar"]
stiffness = 1e9
dissipation_s_m = 0.5
exponent = 1.5
[[event]]
at_s = 0.0
strike = "hammer"
velocity_m_s = 1.0
[[tap]]
of = "bar"
quantity = "velocity"
"#
    )
}

/// Length of the scene and of the long render, s.
pub const SHORT_S: u32 = 60;
const LONG_S: u32 = 3600;

/// Wall-clock time of rendering [`SHORT_S`] seconds into a WAV, from start of the program to its end, s.
pub fn render_s(dir: &Path) -> Result<f64, String> {
    let start = Instant::now();
    let mut child = render(dir, SHORT_S)?;
    while running(&mut child)? {
        std::thread::sleep(Duration::from_micros(100));
    }
    Ok(start.elapsed().as_secs_f64())
}

/// Most memory resident while an hour of audio is rendered, MB (proc(5): `VmHWM`).
pub fn hour_mb(dir: &Path) -> Result<f64, String> {
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
    std::fs::write(&scene, strike(f64::from(SHORT_S), 10.0)).map_err(|e| format!("{}: {e}", scene.display()))?;
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
