// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws the figure of docs/models/mesh.md: the lowest modes of the shipped baked bodies. `TOCCO_BLESS=1 cargo test -p tocco-lab
//! --test figure_mesh` writes the picture.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::PathBuf;
use tocco::scene::def::BakedMesh;
use tocco_lab::library::SHIPPED_BODIES;
use tocco_lab::tiles::{CELLS, Sheet, Tile};
use tocco_testing::pictures::assert_shipped;

const MODES: usize = 8;

type Axes = [[f64; 3]; 3];

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A body from the direction of the third axis, the second upwards, bent by a mode; the colour is the motion outwards.
fn tile(mesh: &BakedMesh, mode: usize, view: &Axes) -> Tile {
    let mode = &mesh.modes[mode];
    let size = mesh.vertices_m.iter().flat_map(|v| (0..3).map(|a| (v[a] - mesh.centre_m[a]).abs())).fold(0.0, f64::max);
    let most = mode.shape.iter().map(|u| dot(*u, *u).sqrt()).fold(0.0, f64::max);
    let outwards: Vec<f64> = mode.shape.iter().zip(&mesh.normals).map(|(u, n)| dot(*u, *n)).collect();
    let strongest = outwards.iter().map(|x| x.abs()).fold(0.0, f64::max);
    let place = |vertex: usize| -> [f64; 3] {
        let at: [f64; 3] = std::array::from_fn(|axis| {
            0.88 * (mesh.vertices_m[vertex][axis] - mesh.centre_m[axis]) / size + 0.12 * mode.shape[vertex][axis] / most
        });
        view.map(|axis| dot(axis, at))
    };
    let mut cells = vec![None; CELLS * CELLS];
    let mut depth = vec![f64::NEG_INFINITY; CELLS * CELLS];
    for triangle in &mesh.triangles {
        let vertices = triangle.map(usize::from);
        let [a, b, c] = vertices.map(place);
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if area == 0.0 {
            continue;
        }
        for (index, cell) in cells.iter_mut().enumerate() {
            let middle = |i: usize| 2.0 * (i as f64 + 0.5) / CELLS as f64 - 1.0;
            let (x, y) = (middle(index % CELLS), -middle(index / CELLS));
            let u = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / area;
            let v = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area;
            let w = 1.0 - u - v;
            let z = w * a[2] + u * b[2] + v * c[2];
            if u >= 0.0 && v >= 0.0 && w >= 0.0 && z > depth[index] {
                depth[index] = z;
                let [p, q, r] = vertices.map(|vertex| outwards[vertex] / strongest);
                *cell = Some(w * p + u * q + v * r);
            }
        }
    }
    Tile { caption: format!("{:.0} Hz", mode.freq_hz), cells }
}

#[test]
fn mesh_two_shipped_solids_show_eight_modes_each() {
    let mut sheet = Sheet { title: "The lowest modes of two solids, from their surfaces".into(), rows: Vec::new() };
    let slanted = [[0.8, 0.6, 0.0], [-0.36, 0.48, 0.8], [0.48, -0.64, 0.6]];
    let above = [[0.8, 0.6, 0.0], [-0.54, 0.72, 0.436], [0.2616, -0.3488, 0.9]];
    for (name, words, view) in [("bell", "5 mm of bronze", slanted), ("spanner", "steel", above)] {
        let file = format!("bodies/{name}.toml");
        let (_, text) = SHIPPED_BODIES.iter().find(|(known, _)| **known == file).unwrap();
        let mesh = BakedMesh::from_text(text).unwrap();
        // One of each pair.
        let mut shown: Vec<usize> = Vec::new();
        for mode in 0..mesh.modes.len() {
            let apart = |&last: &usize| mesh.modes[mode].freq_hz > 1.03 * mesh.modes[last].freq_hz;
            if shown.len() < MODES && shown.last().is_none_or(apart) {
                shown.push(mode);
            }
        }
        assert_eq!(shown.len(), MODES, "{name}");
        let tiles: Vec<Tile> = shown.iter().map(|&mode| tile(&mesh, mode, &view)).collect();
        for tile in &tiles {
            let seen = tile.cells.iter().flatten().count();
            assert!(seen > CELLS * CELLS / 40, "{name}: {seen}");
            assert!(tile.cells.iter().flatten().any(|x| x.abs() > 0.3), "{name}");
        }
        sheet.rows.push(([name.into(), words.into()], tiles));
    }
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/models/mesh.png");
    assert_shipped(&sheet.png().unwrap(), &docs);
}
