// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco mesh`: the modes of any solid from its surface, baked into a file that `type = "mesh"` names.
//!
//! | to | in |
//! |---|---|
//! | read OBJ, STL and PLY | [`read`] |
//! | close and measure a surface | [`surface`] |
//! | fill a grid with it | [`voxels`] |
//! | make the matrices of its cells | [`element`] |
//! | factor them, and find the lowest modes | [`factor`], [`modes`] |
//! | do all of it | [`mod@solve`] |
//! | write what was found | [`bake`] |
//!
//! The engine solves nothing: the same file gives the same sound everywhere. Only the four operations and the square root are used
//! here, in one order for any number of threads, so that the same mesh gives the same file, too.

pub mod bake;
pub mod element;
pub mod factor;
pub mod modes;
pub mod read;
pub mod solve;
pub mod surface;
pub mod voxels;

use crate::console::ProgressBar;
use crate::error::{Result, bad};
use crate::{atomic_file, console};
use solve::{LEAST_CELLS_A_WAVE, Options, Solved, solve};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;
use surface::Surface;
use tocco::resonator::material::{Material, of_class};
use tocco::scene::error::nearest;

/// Units of length that a mesh may be in: word and metres.
pub const UNITS: [(&str, f64); 5] = [("mm", 1e-3), ("cm", 1e-2), ("m", 1.0), ("in", 0.0254), ("um", 1e-6)];

/// What was asked for.
#[derive(Clone, Debug)]
pub struct Task {
    /// OBJ, STL or PLY.
    pub input: PathBuf,
    /// A material of the table.
    pub material: String,
    /// Unit of the mesh; no format says it.
    pub unit: Option<String>,
    /// Where the baked body is written.
    pub output: PathBuf,
    /// How it is solved.
    pub options: Options,
}

/// Reads, solves and writes; what was done comes back in words.
pub fn run(task: &Task) -> Result<String> {
    let Some(entry) = Material::named(&task.material) else {
        let kin = of_class(&task.material);
        let known = tocco::resonator::material::MATERIALS.iter().map(|entry| entry.id);
        let near = if kin.is_empty() { nearest(&task.material, known) } else { format!("; choose {}", kin.join(", ")) };
        return bad(format!("--material {}: no such material{near}", task.material));
    };
    atomic_file::keep_apart(&[("the mesh", &task.input)], &[("--output", &task.output)])?;
    let named = console::file(&task.input);
    let raw = read::read(&task.input)?;
    let surface = in_metres(raw, task.unit.as_deref(), &named)?;
    let (low, high) = surface.bounds();
    let started = Instant::now();
    let bar = Mutex::new((ProgressBar::new(100, "%"), 0));
    let progress = |share: f64| {
        let now = (100.0 * share) as u64;
        if let Ok(mut bar) = bar.lock()
            && now > bar.1
        {
            bar.1 = now;
            bar.0.at(now);
        }
    };
    let solved = solve(surface, &entry.material, &task.options, &progress).map_err(|error| {
        if let crate::error::Error::BadInput(what) = error {
            crate::error::Error::BadInput(format!("{named}: {what}"))
        } else {
            error
        }
    })?;
    drop(bar);
    let source = task.input.file_name().unwrap_or_default().to_string_lossy();
    let text = bake::text(&solved, &console::one_line(&source), entry.id, &entry.material);
    atomic_file::write(&task.output, text.as_bytes())?;
    let size = std::array::from_fn(|axis| 1e3 * (high[axis] - low[axis]));
    let words = words(&solved, &named, size, &entry.material, started.elapsed().as_secs_f64());
    let (output, kb) = (console::file(&task.output), text.len() / 1000);
    Ok(format!("{words}\n{output}: {} vertices, {kb} kB; name it by type = \"mesh\"", solved.surface.vertices.len()))
}

/// A mesh in metres; its unit is asked for where nobody says it.
fn in_metres(mut surface: Surface, unit: Option<&str>, named: &str) -> Result<Surface> {
    let words: Vec<&str> = UNITS.iter().map(|(word, _)| *word).collect();
    let (low, high) = surface.bounds();
    let size: Vec<String> = (0..3).map(|axis| format!("{:.4}", high[axis] - low[axis])).collect();
    let Some(unit) = unit else {
        let (size, words) = (size.join(" x "), words.join(", "));
        return bad(format!("{named}: it is {size} of an unknown unit; say which by --unit {words}"));
    };
    let Some((_, metres)) = UNITS.iter().find(|(word, _)| *word == unit) else {
        return bad(format!("--unit {unit}: wants one of {}", words.join(", ")));
    };
    surface.vertices.iter_mut().flatten().for_each(|x| *x *= metres);
    let longest = (0..3).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max) * metres;
    if !(1e-4..=100.0).contains(&longest) {
        return bad(format!("{named}: {longest:e} m long in {unit}; wants 0.1 mm to 100 m: is --unit right?"));
    }
    Ok(surface)
}

/// What was done, a line for each of surface, grid and modes.
fn words(solved: &Solved, named: &str, size_mm: [f64; 3], material: &Material, seconds: f64) -> String {
    let report = &solved.report;
    let [x, y, z] = size_mm;
    let mut text = format!("{named}: {} triangles, {x:.1} x {y:.1} x {z:.1} mm", report.triangles[0]);
    let mended = &report.mended;
    if mended.holes > 0 {
        text += &format!("; closed {} holes ({} edges)", mended.holes, mended.edges);
    }
    if mended.turned > 0 {
        text += &format!("; turned {} triangles that disagreed with their neighbours", mended.turned);
    }
    if report.triangles[1] != report.triangles[0] {
        text += &format!("; reduced to {} triangles, the grain of the grid", report.triangles[1]);
    }
    if report.strays > 0 {
        text += &format!("; left out {} crumbs that touch nothing", report.strays);
    }
    let (wall, cell) = (1e3 * report.wall_m, 1e3 * report.cell_m);
    text += &format!(
        "\n{:.4} kg; walls from {wall:.2} mm, cells of {cell:.2} mm, {:.1} across them, {} unknowns",
        solved.mass_kg,
        wall / cell,
        report.unknowns
    );
    let (first, last) = (solved.freqs_hz.first().unwrap_or(&0.0), solved.freqs_hz.last().unwrap_or(&0.0));
    text += &format!("\n{} modes from {first:.1} to {last:.1} Hz in {seconds:.1} s", solved.freqs_hz.len());
    let shear_m_s = (material.young_pa / (2.0 * (1.0 + material.poisson) * material.density_kg_m3)).sqrt();
    let highest = shear_m_s / (LEAST_CELLS_A_WAVE * report.cell_m);
    if *last > highest {
        text += &format!("; above about {highest:.0} Hz the cells are coarse: more --cells would move those modes");
    }
    text
}
