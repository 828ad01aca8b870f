// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page's own engine, timed by Node: water in a tank as WebAssembly.

use crate::error::{HostError, Result};
use crate::studio;
use std::process::{Command, Stdio};
use tocco_lab::bench::{Section, Table, TemporaryFolder};

/// What the table says of it.
pub const SECTION: Section = Section { name: "fluid-web", measure: table };

/// Five times two seconds of the falling block of `tocco bench fluid`; each as a part of the time that it is to last.
const SCRIPT: &str = "\
const bytes = require('fs').readFileSync(process.argv[2]);
WebAssembly.instantiate(bytes).then(({ instance: { exports: tocco } }) => {
  const shares = [];
  for (let run = 0; run < 5; run += 1) {
    const water = tocco.tocco_tank(0.6, 1.2, 0.2 / 24, 60, 1);
    if (tocco.tocco_tank_fill(water, 0.2, 0.44, 0.2, 0.4) !== 1152) throw new Error('not 1152 particles');
    const start = performance.now();
    for (let frame = 0; frame < 120; frame += 1) tocco.tocco_tank_frame(water);
    shares.push((performance.now() - start) / 2000);
    tocco.tocco_tank_free(water);
  }
  console.log(shares.join(' '));
});
";

/// Shares of a core, in order; or why there are none.
fn shares(folder: &TemporaryFolder) -> std::result::Result<Vec<f64>, String> {
    let engine = studio::engine().ok_or("this program was built without the page's engine; build it with ./run")?;
    let [module, script] = ["tocco.wasm", "tank.cjs"].map(|name| folder.path().join(name));
    for (path, bytes) in [(&module, engine), (&script, SCRIPT.as_bytes())] {
        std::fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    let node = Command::new("node").arg(&script).arg(&module).stdin(Stdio::null()).output();
    let said = node.map_err(|e| format!("node: {e}"))?;
    let numbers = String::from_utf8_lossy(&said.stdout).split_whitespace().map(str::parse).collect();
    let mut shares: Vec<f64> = std::result::Result::unwrap_or_default(numbers);
    if shares.len() != 5 {
        return Err(format!("node: {}", String::from_utf8_lossy(&said.stderr).lines().next().unwrap_or("no figures")));
    }
    shares.sort_by(f64::total_cmp);
    Ok(shares)
}

fn table(table: &mut Table, folder: &TemporaryFolder) -> Result<()> {
    table.heading("the same water as WebAssembly, part of a core", ["best", "median", "ms a frame", "goal"])?;
    let shares = match shares(folder) {
        Ok(shares) => shares,
        Err(why) if why.starts_with("node: No such file") => return table.line("  not measured: there is no node"),
        Err(why) => return Err(HostError::Machine(why)),
    };
    for (name, share, goal, best) in
        [("2 s of a falling block, best of five", shares[0], 0.4, true), ("and their median", shares[2], 0.65, false)]
    {
        let (percent, ms) = (format!("{:.0} %", 100.0 * share), format!("{:.1}", 1e3 * share / 60.0));
        let [first, second] = if best { [percent, String::new()] } else { [String::new(), percent] };
        table.figure(name, [first, second, ms, format!("< {:.0} %", 100.0 * goal)], share < goal)?;
    }
    Ok(())
}
