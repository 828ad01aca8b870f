// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a closed surface and a material to modes: a grid as fine as the walls ask for, its matrices, the lowest modes, and what
//! they do at the surface.

use super::element::{self, Maker, SUB, SUBS};
use super::factor::{Factor, NONE, SELF, Sparse, offset};
use super::modes::{Masses, lowest};
use super::surface::{Bulk, Mended, Surface, Vector, cross, minus};
use super::voxels::{Filled, Grid, pieces};
use crate::error::{Error, Result, bad};
use tocco::resonator::material::Material;

/// Unknowns when nothing else is asked for.
pub const USUAL_UNKNOWNS: usize = 30_000;
/// Unknowns for the sake of walls that are better than they must be.
const GENEROUS_UNKNOWNS: usize = 60_000;
/// More are refused: a minute's work and a gigabyte begin there.
pub const MOST_UNKNOWNS: usize = 150_000;
/// Cells of the box around a body, at most.
const MOST_CELLS: usize = 1_500_000;
/// Cells across the thinnest wall, at least, and where they can be afforded.
const LEAST_ACROSS: f64 = 2.0;
const GOOD_ACROSS: f64 = 3.0;
/// Surfaces of more triangles are reduced to the grain of the grid.
pub const MOST_EXACT: usize = 200_000;
/// Fewer cells in a shear wave than this move a mode by more than a per cent.
pub const LEAST_CELLS_A_WAVE: f64 = 6.0;
/// Places at which walls are measured.
const SAMPLES: usize = 300;
/// Volume by triangles and by cells may differ by this part, or the triangles overlap.
const AGREE: f64 = 0.03;

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Modes, the lowest.
    pub modes: usize,
    /// Cells along the longest side; `None`: as fine as [`USUAL_UNKNOWNS`] allow and the walls ask for.
    pub cells: Option<usize>,
    /// Vertices kept for ports and pictures, at most.
    pub vertices: usize,
    /// Threads.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { modes: 60, cells: None, vertices: 400, threads: crate::parallel::cores() }
    }
}

/// A solved body.
pub struct Solved {
    /// Volume, centre and axes.
    pub bulk: Bulk,
    /// Its mass, kg.
    pub mass_kg: f64,
    /// Hz, rising; without the motions as a whole.
    pub freqs_hz: Vec<f64>,
    /// Vertices and triangles that were kept.
    pub surface: Surface,
    /// Outward normals at its vertices.
    pub normals: Vec<Vector>,
    /// How every mode moves every vertex: the mean square over the body is 1.
    pub shapes: Vec<Vec<Vector>>,
    /// What was done.
    pub report: Report,
}

/// What was done, for people.
#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    /// What was mended of the surface.
    pub mended: Mended,
    /// Triangles before and after it was reduced to the grain of the grid.
    pub triangles: [usize; 2],
    /// Unknowns of the grid.
    pub unknowns: usize,
    /// Longest edge of a cell, m.
    pub cell_m: f64,
    /// The thinnest walls, m.
    pub wall_m: f64,
    /// Small parts that touch nothing and were left out.
    pub strays: usize,
    /// Numbers in the factored matrix.
    pub entries: usize,
}

/// The modes of what a surface encloses, m; `progress` is told the share that is done.
pub fn solve(raw: Surface, material: &Material, options: &Options, progress: &(dyn Fn(f64) + Sync)) -> Result<Solved> {
    let (surface, mended) = raw.mended();
    let diagonal = surface.diagonal();
    let bulk = surface.bulk().filter(|bulk| bulk.volume > 1e-9 * diagonal.powi(3));
    let Some(mut bulk) = bulk else {
        return bad("it encloses no volume: a sheet, a line or inside out; wants the surface of a solid");
    };
    let wall_m = surface.thickness(SAMPLES);
    if !(wall_m > 0.0 && wall_m.is_finite()) {
        return bad("it encloses no volume that a ray could cross; wants the surface of a solid");
    }
    progress(0.05);
    let frame = surface.frame(&bulk);
    let turned = surface.turned(&frame);
    let grid = grid(&turned, bulk.volume, wall_m, options)?;
    let cell_m = grid.size.iter().copied().fold(0.0, f64::max);
    let mut report = Report { mended, triangles: [surface.triangles.len(); 2], cell_m, wall_m, ..Report::default() };
    let mut reduced = None;
    if turned.triangles.len() > MOST_EXACT {
        let coarse = turned.clustered(cell_m / SUB as f64, false);
        report.triangles[1] = coarse.triangles.len();
        reduced = Some(coarse);
    }
    let mut filled = grid.fill(reduced.as_ref().unwrap_or(&turned), mended.parity);
    report.strays = one_piece(&grid, &mut filled)?;
    progress(0.1);
    if let Some(own) = filled_bulk(&grid, &filled, &frame)
        && (mended.parity || (own.volume / bulk.volume - 1.0).abs() > AGREE)
    {
        bulk = own;
    }
    let built = Built::new(&grid, &filled, material);
    report.unknowns = 3 * built.matrix.places.len();
    if report.unknowns > MOST_UNKNOWNS {
        return bad(too_many(wall_m, report.unknowns));
    }
    progress(0.15);
    let sound_m_s = material.rod_speed_m_s();
    let slender = (wall_m / diagonal).min(0.3);
    let shift = (sound_m_s / diagonal * slender).powi(2);
    let mut shifted = Sparse {
        places: built.matrix.places.clone(),
        neighbours: built.matrix.neighbours.clone(),
        blocks: built.matrix.blocks.clone(),
    };
    for (blocks, masses) in shifted.blocks.iter_mut().zip(&built.masses) {
        for (block, mass) in blocks.iter_mut().zip(masses) {
            (0..3).for_each(|p| block[4 * p] += shift * mass);
        }
    }
    let factor = Factor::new(&shifted, options.threads, &|share| progress(0.15 + 0.35 * share));
    drop(shifted);
    let Some(factor) = factor else {
        return Err(Error::Machine("the grid's matrix could not be factored; try another --cells".into()));
    };
    report.entries = factor.entries();
    let rigid = built.rigid(&grid);
    let found = lowest(&built.matrix, &built.masses, &factor, shift, &rigid, options.modes, &|share| {
        progress(0.5 + 0.5 * share);
    });
    if found.squares.is_empty() || found.squares.iter().any(|square| !(*square > 0.0 && square.is_finite())) {
        return Err(Error::Machine("its modes could not be found; try another --cells".into()));
    }
    let kept = surface.sampled(options.vertices);
    let normals = kept.normals();
    let places: Vec<([u32; 8], [f64; 8])> =
        kept.turned(&frame).vertices.iter().map(|v| built.place(&grid, *v)).collect();
    // x^T M x = 1, so that the mean of x^2 is 1/M: scaled to 1.
    let scale = built.masses_sum().sqrt();
    let shape = |x: &Vec<f64>| -> Vec<Vector> {
        let at = |(nodes, weights): &([u32; 8], [f64; 8])| {
            let mut u = [0.0; 3];
            for (node, weight) in nodes.iter().zip(weights).filter(|(node, _)| **node != NONE) {
                (0..3).for_each(|p| u[p] += scale * weight * x[3 * *node as usize + p]);
            }
            std::array::from_fn(|axis| (0..3).map(|k| frame[k][axis] * u[k]).sum())
        };
        places.iter().map(at).collect()
    };
    progress(1.0);
    Ok(Solved {
        mass_kg: material.density_kg_m3 * bulk.volume,
        bulk,
        freqs_hz: found.squares.iter().map(|square| square.sqrt() / std::f64::consts::TAU).collect(),
        shapes: found.vectors.iter().map(shape).collect(),
        surface: kept,
        normals,
        report,
    })
}

fn too_many(wall_m: f64, unknowns: usize) -> String {
    format!(
        "its walls are about {:.3} mm thick, and {LEAST_ACROSS} cells across them make {unknowns} unknowns, more than \
         {MOST_UNKNOWNS}; thicken the walls, or use a shape of thin-walled theory (bowl, cylinder, plate)",
        1e3 * wall_m
    )
}

/// A grid that the walls can carry, within what can be solved.
fn grid(surface: &Surface, volume: f64, wall_m: f64, options: &Options) -> Result<Grid> {
    let (low, high) = surface.bounds();
    let longest = (0..3).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max);
    let area = surface.area();
    let unknowns = |size: f64| 3.0 * (volume / size.powi(3) + 0.5 * area / size.powi(2));
    let size_for = |most: f64| {
        let (mut fine, mut coarse) = (1e-4 * longest, longest);
        for _ in 0..60 {
            let middle = (fine * coarse).sqrt();
            if unknowns(middle) > most { fine = middle } else { coarse = middle }
        }
        coarse
    };
    let size = match options.cells {
        Some(cells) => longest / cells.max(1) as f64,
        None => {
            let good = size_for(USUAL_UNKNOWNS as f64).min(wall_m / GOOD_ACROSS);
            good.max(size_for(GENEROUS_UNKNOWNS as f64)).min(wall_m / LEAST_ACROSS)
        }
    };
    // A grid that fits the box may be a little coarser than was asked for.
    if wall_m / size < LEAST_ACROSS - 0.25 {
        return bad(format!(
            "its walls are about {:.3} mm thick and a cell is {:.3} mm: less than {LEAST_ACROSS} cells across; ask for at \
             least --cells {}",
            1e3 * wall_m,
            1e3 * size,
            (LEAST_ACROSS * longest / wall_m - 1e-6).ceil()
        ));
    }
    let grid = Grid::around(low, high, size);
    let expected = unknowns(size);
    if expected > 1.5 * MOST_UNKNOWNS as f64 || grid.cells() > MOST_CELLS {
        return bad(too_many(wall_m, expected as usize));
    }
    Ok(grid)
}

/// Leaves out crumbs that touch nothing; how many. Several large parts are refused.
fn one_piece(grid: &Grid, filled: &mut Vec<Filled>) -> Result<usize> {
    let mut all = pieces(grid, filled);
    if all.is_empty() {
        return bad("nothing of it is inside; wants the surface of a solid");
    }
    let largest = all.remove(0);
    let crumbs: usize = all.iter().map(Vec::len).sum();
    if crumbs * 50 > largest.len() {
        return bad(format!("it is {} bodies that do not touch; bake each alone", all.len() + 1));
    }
    let strays = all.len();
    if strays > 0 {
        let mut keep = vec![false; filled.len()];
        largest.iter().for_each(|&cell| keep[cell] = true);
        let mut at = 0;
        filled.retain(|_| {
            at += 1;
            keep[at - 1]
        });
    }
    Ok(strays)
}

/// Volume and how it lies, by sub-cells.
fn filled_bulk(grid: &Grid, filled: &[Filled], frame: &[Vector; 3]) -> Option<Bulk> {
    let step: Vector = std::array::from_fn(|axis| grid.size[axis] / SUB as f64);
    let part = step[0] * step[1] * step[2];
    let (mut volume, mut first, mut second) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
    for cell in filled {
        for sub in 0..SUBS {
            let share = part * cell.subs.get(sub).map_or(1.0, |share| f64::from(*share));
            let places = [sub % SUB, sub / SUB % SUB, sub / (SUB * SUB)];
            let r: Vector = std::array::from_fn(|axis| {
                grid.origin[axis] + ((cell.at[axis] * SUB + places[axis]) as f64 + 0.5) * step[axis]
            });
            // Back into the frame of the file.
            let r: Vector = std::array::from_fn(|axis| (0..3).map(|k| frame[k][axis] * r[k]).sum());
            volume += share;
            for i in 0..3 {
                first[i] += share * r[i];
                (0..3).for_each(|j| {
                    second[i][j] += share * (r[i] * r[j] + if i == j { step[i] * step[i] / 12.0 } else { 0.0 })
                });
            }
        }
    }
    Bulk::of(volume, first, second, [0.0; 3])
}

/// The matrices of a filled grid.
struct Built {
    matrix: Sparse,
    masses: Masses,
    /// Node of every corner of the grid.
    nodes: Vec<u32>,
    /// Cells that hold something.
    full: Vec<bool>,
}

fn corner_index(grid: &Grid, at: [usize; 3]) -> usize {
    at[0] + (grid.count[0] + 1) * (at[1] + (grid.count[1] + 1) * at[2])
}

fn cell_index(grid: &Grid, at: [usize; 3]) -> usize {
    at[0] + grid.count[0] * (at[1] + grid.count[1] * at[2])
}

impl Built {
    fn new(grid: &Grid, filled: &[Filled], material: &Material) -> Self {
        let corners: usize = grid.count.iter().map(|n| n + 1).product();
        let (mut nodes, mut full) = (vec![NONE; corners], vec![false; grid.cells()]);
        for cell in filled {
            full[cell_index(grid, cell.at)] = true;
            for node in 0..8 {
                let c = element::corner(node);
                nodes[corner_index(grid, std::array::from_fn(|axis| cell.at[axis] + c[axis]))] = 0;
            }
        }
        let mut places = Vec::new();
        for (index, node) in nodes.iter_mut().enumerate().filter(|(_, node)| **node != NONE) {
            *node = places.len() as u32;
            let (nx, ny) = (grid.count[0] + 1, grid.count[1] + 1);
            places.push([(index % nx) as u32, (index / nx % ny) as u32, (index / (nx * ny)) as u32]);
        }
        let neighbour = |place: &[u32; 3], at: usize| {
            let mut to = [0; 3];
            for (axis, step) in offset(at).into_iter().enumerate() {
                let there = place[axis] as i32 + step;
                if there < 0 || there as usize > grid.count[axis] {
                    return NONE;
                }
                to[axis] = there as usize;
            }
            nodes[corner_index(grid, to)]
        };
        let neighbours = places.iter().map(|place| std::array::from_fn(|at| neighbour(place, at))).collect();
        let (mut blocks, mut masses) = (vec![[[0.0; 9]; 14]; places.len()], vec![[0.0; 14]; places.len()]);
        let maker = Maker::new(grid.size, material.young_pa, material.poisson, material.density_kg_m3);
        for cell in filled {
            let own = (!cell.subs.is_empty()).then(|| maker.cut(&cell.subs));
            let own = own.as_ref().unwrap_or(maker.full());
            for a in 0..8 {
                let ca = element::corner(a);
                let i = nodes[corner_index(grid, std::array::from_fn(|axis| cell.at[axis] + ca[axis]))] as usize;
                for b in 0..8 {
                    let cb = element::corner(b);
                    let at: usize = (0..3).map(|axis| (1 + cb[axis] - ca[axis]) * 3usize.pow(axis as u32)).sum();
                    if at < SELF {
                        continue;
                    }
                    masses[i][at - SELF] += own.mass[8 * a + b];
                    for (p, q) in (0..3).flat_map(|p| (0..3).map(move |q| (p, q))) {
                        blocks[i][at - SELF][3 * p + q] += own.stiffness[(3 * a + p) * element::DOFS + 3 * b + q];
                    }
                }
            }
        }
        Self { matrix: Sparse { places, neighbours, blocks }, masses, nodes, full }
    }

    /// Mass of all of it, kg.
    fn masses_sum(&self) -> f64 {
        self.masses.iter().map(|row| row[0] + 2.0 * row[1..].iter().sum::<f64>()).sum()
    }

    /// Three shifts and three turns about the middle of the grid.
    fn rigid(&self, grid: &Grid) -> [Vec<f64>; 6] {
        let middle: Vector = std::array::from_fn(|axis| 0.5 * grid.count[axis] as f64 * grid.size[axis]);
        let longest = middle.iter().copied().fold(0.0, f64::max);
        let unit = |axis: usize| -> Vector { std::array::from_fn(|k| f64::from(u8::from(k == axis))) };
        std::array::from_fn(|k| {
            let motion = |place: &[u32; 3]| -> Vector {
                if k < 3 {
                    return unit(k);
                }
                let r = minus(std::array::from_fn(|axis| f64::from(place[axis]) * grid.size[axis]), middle);
                cross(unit(k - 3), r).map(|x| x / longest)
            };
            self.matrix.places.iter().flat_map(motion).collect()
        })
    }

    /// The nodes around a place, and how much each counts there.
    fn place(&self, grid: &Grid, at: Vector) -> ([u32; 8], [f64; 8]) {
        let inside: [f64; 3] = std::array::from_fn(|axis| (at[axis] - grid.origin[axis]) / grid.size[axis]);
        let home: [i64; 3] =
            std::array::from_fn(|axis| (inside[axis].floor() as i64).clamp(0, grid.count[axis] as i64 - 1));
        let mut best: Option<(f64, [usize; 3])> = None;
        for reach in 0..=grid.count.iter().copied().max().unwrap_or(0) as i64 {
            let span = || -reach..=reach;
            for (x, y, z) in span().flat_map(|x| span().flat_map(move |y| span().map(move |z| (x, y, z)))) {
                if x.abs().max(y.abs()).max(z.abs()) != reach {
                    continue;
                }
                let cell = [home[0] + x, home[1] + y, home[2] + z];
                if (0..3).any(|axis| cell[axis] < 0 || cell[axis] >= grid.count[axis] as i64) {
                    continue;
                }
                let cell = cell.map(|x| x as usize);
                if self.full[cell_index(grid, cell)] {
                    let far = (0..3).map(|axis| (inside[axis] - cell[axis] as f64 - 0.5).powi(2)).sum::<f64>();
                    if best.is_none_or(|(least, _)| far < least) {
                        best = Some((far, cell));
                    }
                }
            }
            if best.is_some() {
                break;
            }
        }
        let Some((_, cell)) = best else { return ([NONE; 8], [0.0; 8]) };
        let local = std::array::from_fn(|axis| (2.0 * (inside[axis] - cell[axis] as f64) - 1.0).clamp(-1.5, 1.5));
        let node = |node: usize| {
            let c = element::corner(node);
            self.nodes[corner_index(grid, std::array::from_fn(|axis| cell[axis] + c[axis]))]
        };
        (std::array::from_fn(node), element::weights(local))
    }
}
