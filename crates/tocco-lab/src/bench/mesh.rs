// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long the modes of a solid take.

use super::{Table, TemporaryFolder};
use crate::error::{Error, Result};
use crate::mesh::solve::{Options, solve};
use crate::mesh::surface::Surface;
use std::time::Instant;
use tocco::resonator::material::Material;

/// Cells along the cube: 24^3 nodes.
const CELLS: usize = 23;
/// The goal on two cores, s.
const GOAL_S: f64 = 60.0;

/// A steel cube: of all bodies with so many unknowns the one whose matrix is the fullest.
pub(super) fn solids(table: &mut Table, _: &TemporaryFolder) -> Result<()> {
    table.heading("modes of a solid, two threads", ["unknowns", "modes", "s", "goal"])?;
    let corner = |k: usize| std::array::from_fn(|axis| if k >> axis & 1 == 1 { 0.1 } else { 0.0 });
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let cube = Surface { vertices: (0..8).map(corner).collect(), triangles };
    let options = Options { modes: 60, cells: Some(CELLS), threads: 2, ..Options::default() };
    let material = Material::named("steel").ok_or_else(|| Error::Machine("no steel".into()))?;
    let started = Instant::now();
    let solved = solve(cube, &material.material, &options, &|_| ())?;
    let seconds = started.elapsed().as_secs_f64();
    let columns = [
        solved.report.unknowns.to_string(),
        solved.freqs_hz.len().to_string(),
        format!("{seconds:.1}"),
        format!("<= {GOAL_S} s"),
    ];
    table.figure("a cube of 23 cells across", columns, seconds <= GOAL_S)
}
