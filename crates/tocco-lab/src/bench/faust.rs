// SPDX-License-Identifier: MIT OR Apache-2.0
//! Faust's `modalModel` (`f32`, blocks of 64) through g++ with everything allowed; the faster of Faust's scalar and
//! vector code.

use super::bank::{Mode, RATE_HZ};
use super::peers::{Measure, output};
use std::path::Path;
use std::process::Command;

/// Writes and compiles the program; each measurement is one run of it.
pub fn prepare(modes: &[Mode], dir: &Path) -> Result<Measure, String> {
    let list = |value: fn(&Mode) -> f64| modes.iter().map(|m| format!("{:.6}", value(m))).collect::<Vec<_>>().join(",");
    let name = dir.join(format!("modal{}", modes.len()));
    let write = |extension: &str, text: &str| {
        let file = name.with_extension(extension);
        std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display())).map(|()| file)
    };
    let dsp = write(
        "dsp",
        &format!(
            "import(\"stdfaust.lib\");\nprocess = 1-1' : pm.modalModel({}, ({}), ({}), ({}));\n",
            modes.len(),
            list(|m| m.freq_hz),
            list(Mode::t60_s),
            list(|m| m.gain)
        ),
    )?;
    let main = write("cpp", MAIN)?;
    let mut programs = Vec::new();
    for (form, flags) in [("scalar", &[][..]), ("vector", &["-vec", "-vs", "64"])] {
        let (header, program) = (dir.join("bank.h"), name.with_extension(form));
        output(Command::new("faust").args(flags).args(["-lang", "cpp"]).arg(&dsp).arg("-o").arg(&header))?;
        let mut compiler = Command::new("g++");
        compiler.args(["-O3", "-march=native", "-ffast-math", &format!("-DRATE={RATE_HZ}"), "-I"]);
        output(compiler.arg(dir).arg(&main).arg("-o").arg(&program))?;
        programs.push(program);
    }
    Ok(Box::new(move || {
        let mut best = f64::INFINITY;
        for program in &programs {
            let text = output(&mut Command::new(program))?;
            best = best.min(text.trim().parse::<f64>().map_err(|e| format!("{}: {e}", program.display()))?);
        }
        Ok(best)
    }))
}

/// Prints the least CPU time of a block in ns per sample.
const MAIN: &str = r#"
#include <cstdio>
#include <ctime>
struct dsp { virtual ~dsp() {} };
struct Meta { void declare(const char*, const char*) {} };
struct UI { void openVerticalBox(const char*) {} void closeBox() {} };
#include "bank.h"
static double now_ns() { timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return 1e9 * t.tv_sec + t.tv_nsec; }
int main() {
    static mydsp bank;
    bank.init(int(RATE));
    float block[64], *outputs[1] = { block };
    volatile float heard = 0;
    double best = 1e30;
    for (int repeat = 0; repeat < 100; repeat++) {
        double start = now_ns();
        for (int i = 0; i < 64; i++) { bank.compute(64, nullptr, outputs); heard = heard + block[0]; }
        double spent = (now_ns() - start) / (64 * 64);
        if (spent < best) best = spent;
    }
    printf("%.4f\n", best);
}
"#;
