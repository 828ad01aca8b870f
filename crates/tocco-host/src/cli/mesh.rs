// SPDX-License-Identifier: MIT OR Apache-2.0
//! What may be typed after `tocco mesh`.

use clap::Args;
use std::path::PathBuf;
use tocco_lab::mesh::Task;
use tocco_lab::mesh::solve::Options;
use tocco_lab::parallel;

/// Shown under the options.
pub(super) const EXAMPLES: &str = "Examples:\n  tocco mesh bracket.stl --material bronze --unit mm -o bracket.toml\n  \
    tocco mesh spoon.obj --material steel --unit cm --modes 100 --cells 200 -o spoon.toml\n\n\
    You get a file that a scene names:\n\n  [body.bracket]\n  type = \"mesh\"\n  file = \"bracket.toml\"\n  \
    [body.bracket.port]\n  tip = [0.1, 0.02, 0.0]     metres, as in the mesh: the nearest vertex\n\n\
    The surface may have holes, which are closed, and parts that overlap, which are one. What it encloses is laid on a grid\n\
    of at least two cells across its thinnest walls (bricks of eight nodes with incompatible modes), and the lowest modes\n\
    of that are found. Those of bars, plates and lumps are within 1 %, those of thin round walls within 2 to 10 % at two\n\
    cells across, 1 to 5 % at three (docs/models/mesh.md).\n\
    Walls too thin for the largest grid are refused. 'tocco describe materials' lists the materials.";

/// The options of the command.
#[derive(Args, Debug)]
pub(super) struct MeshArgs {
    /// Surface of a solid: OBJ, STL or PLY
    #[arg(value_name = "MESH")]
    mesh: PathBuf,
    /// What it is made of
    #[arg(long, value_name = "NAME")]
    material: String,
    /// Unit of the mesh: mm, cm, m, in or um; no format says it
    #[arg(long)]
    unit: Option<String>,
    /// Baked body to write
    #[arg(long, short, value_name = "BODY.toml")]
    output: PathBuf,
    /// Modes, the lowest
    #[arg(long, value_name = "N", default_value_t = Options::default().modes, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=400))]
    modes: usize,
    /// Cells along the longest side; default: as many as the walls ask for, and 30000 unknowns where they ask for less
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(2..=2000))]
    cells: Option<usize>,
    /// Vertices kept, at most: places for ports, and what is drawn
    #[arg(long, value_name = "N", default_value_t = Options::default().vertices, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(20..=10000))]
    vertices: usize,
}

impl MeshArgs {
    /// The task that was typed.
    pub(super) fn task(self) -> Task {
        let Self { mesh, material, unit, output, modes, cells, vertices } = self;
        let options = Options { modes, cells, vertices, threads: parallel::cores() };
        Task { input: mesh, material, unit, output, options }
    }
}
