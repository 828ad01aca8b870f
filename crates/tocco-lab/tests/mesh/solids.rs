// SPDX-License-Identifier: MIT OR Apache-2.0
//! Surfaces to try things on.

use std::collections::HashMap;
use std::f64::consts::TAU;
use tocco_lab::mesh::surface::Surface;

/// A box from the origin.
pub fn cuboid(sides: [f64; 3]) -> Surface {
    let corner = |k: usize| [k & 1, k >> 1 & 1, k >> 2];
    let vertices = (0..8).map(|k| std::array::from_fn(|axis| sides[axis] * corner(k)[axis] as f64)).collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Surface { vertices, triangles }
}

/// The same turned about three axes.
pub fn turned(mut surface: Surface, angles: [f64; 3]) -> Surface {
    for (axis, angle) in angles.into_iter().enumerate() {
        let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
        for v in &mut surface.vertices {
            (v[b], v[c]) = (angle.cos() * v[b] - angle.sin() * v[c], angle.sin() * v[b] + angle.cos() * v[c]);
        }
    }
    surface
}

/// A sphere about the origin: an icosahedron halved so often.
pub fn sphere(radius: f64, halvings: usize) -> Surface {
    let g = (1.0 + 5f64.sqrt()) / 2.0;
    let mut vertices: Vec<[f64; 3]> = Vec::new();
    for (a, b) in [(-1.0, g), (1.0, g), (-1.0, -g), (1.0, -g)] {
        vertices.push([a, b, 0.0]);
    }
    for (a, b) in [(-1.0, g), (1.0, g), (-1.0, -g), (1.0, -g)] {
        vertices.push([0.0, a, b]);
    }
    for (a, b) in [(g, -1.0), (g, 1.0), (-g, -1.0), (-g, 1.0)] {
        vertices.push([a, 0.0, b]);
    }
    let mut triangles: Vec<[u32; 3]> = [
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ]
    .to_vec();
    for _ in 0..halvings {
        let mut known: HashMap<(u32, u32), u32> = HashMap::new();
        let mut middle = |a: u32, b: u32| {
            *known.entry((a.min(b), a.max(b))).or_insert_with(|| {
                let [p, q] = [vertices[a as usize], vertices[b as usize]];
                vertices.push(std::array::from_fn(|axis| p[axis] + q[axis]));
                vertices.len() as u32 - 1
            })
        };
        triangles = triangles
            .iter()
            .flat_map(|&[a, b, c]| {
                let [p, q, r] = [middle(a, b), middle(b, c), middle(c, a)];
                [[a, p, r], [p, b, q], [r, q, c], [p, q, r]]
            })
            .collect();
        // On the sphere, so that the next halves are there as well.
        for v in &mut vertices {
            let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
            *v = v.map(|x| x / length);
        }
    }
    let length = |v: &[f64; 3]| (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    vertices.iter_mut().for_each(|v| *v = v.map(|x| x * radius / length(v)));
    Surface { vertices, triangles }
}

/// What a closed line of radii and heights, counter-clockwise, sweeps around the third axis.
pub fn swept(profile: &[[f64; 2]], around: usize) -> Surface {
    let count = profile.len();
    let mut surface = Surface::default();
    for k in 0..around {
        let angle = TAU * k as f64 / around as f64;
        surface.vertices.extend(profile.iter().map(|[r, z]| [r * angle.cos(), r * angle.sin(), *z]));
    }
    for k in 0..around {
        let next = (k + 1) % around;
        for i in 0..count {
            let j = (i + 1) % count;
            let [a, b, c, d] = [k * count + i, next * count + i, next * count + j, k * count + j].map(|v| v as u32);
            surface.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    surface
}

/// Both as they lie; where they overlap they are one.
pub fn both(mut one: Surface, other: &Surface) -> Surface {
    let first = one.vertices.len() as u32;
    one.vertices.extend(&other.vertices);
    one.triangles.extend(other.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + first)));
    one
}

/// A small bell as for a counter, its lip at height 0: half its section, outside up and inside down.
pub fn bell() -> Surface {
    let millimetres = [
        [27.0, 0.0],
        [32.0, 0.0],
        [29.5, 6.0],
        [26.5, 14.0],
        [23.8, 26.0],
        [21.5, 37.0],
        [18.5, 44.0],
        [12.0, 48.0],
        [0.0, 49.0],
        [0.0, 43.8],
        [9.8, 42.8],
        [14.2, 39.4],
        [16.4, 34.6],
        [18.7, 24.4],
        [21.4, 12.4],
        [24.4, 5.2],
    ];
    swept(&millimetres.map(|point: [f64; 2]| point.map(|x| 1e-3 * x)), 96)
}

/// A spanner: a ring and a handle that reaches into its wall.
pub fn spanner() -> Surface {
    let ring = swept(&[[0.0085, -0.0045], [0.0145, -0.0045], [0.0145, 0.0045], [0.0085, 0.0045]], 72);
    let small = swept(&[[0.0065, -0.004], [0.0115, -0.004], [0.0115, 0.004], [0.0065, 0.004]], 72);
    let shift = |mut surface: Surface, by: [f64; 3]| {
        surface.vertices.iter_mut().for_each(|v| *v = std::array::from_fn(|axis| v[axis] + by[axis]));
        surface
    };
    let handle = shift(cuboid([0.148, 0.011, 0.005]), [0.011, -0.0055, -0.0025]);
    both(both(ring, &handle), &shift(small, [0.168, 0.0, 0.0]))
}
