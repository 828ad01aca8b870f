// SPDX-License-Identifier: MIT OR Apache-2.0
//! The surface of a solid: corners joined, holes closed, turned right side out; its volume, mass and inertia, how thick its walls
//! are, and a coarser copy of it.

use std::collections::{BTreeMap, HashMap};

/// A point or an arrow, m.
pub type Vector = [f64; 3];

/// Triangles that share corners, counter-clockwise as seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// m
    pub vertices: Vec<Vector>,
    /// Three vertices each.
    pub triangles: Vec<[u32; 3]>,
}

/// More of a part than this turned against the rest, and the rest is no majority.
const MINORITY: f64 = 0.25;

/// What was mended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mended {
    /// Holes that were closed, and the edges around them.
    pub holes: usize,
    /// Edges around the holes.
    pub edges: usize,
    /// Triangles that were turned to agree with their neighbours.
    pub turned: usize,
    /// Triangles without area that were left out.
    pub empty: usize,
    /// Which side is out is not known of all its triangles: what is inside is told by parity.
    pub parity: bool,
}

/// Volume, and how it lies, at density 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bulk {
    /// m^3
    pub volume: f64,
    /// Centre of gravity, m.
    pub centre: Vector,
    /// Inertia about the centre: the axes, each a unit vector, and the radius of gyration about each, m.
    pub axes: [Vector; 3],
    /// m
    pub gyration: [f64; 3],
}

pub(super) fn minus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| a[i] - b[i])
}

pub(super) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn norm(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

impl Surface {
    /// Corners of the box around it.
    pub fn bounds(&self) -> (Vector, Vector) {
        let fold = |start: f64, pick: fn(f64, f64) -> f64| {
            std::array::from_fn(|axis| self.vertices.iter().map(|v| v[axis]).fold(start, pick))
        };
        (fold(f64::INFINITY, f64::min), fold(f64::NEG_INFINITY, f64::max))
    }

    /// Length of the diagonal of that box, m.
    pub fn diagonal(&self) -> f64 {
        let (low, high) = self.bounds();
        norm(minus(high, low))
    }

    fn corners(&self, triangle: &[u32; 3]) -> [Vector; 3] {
        triangle.map(|vertex| self.vertices[vertex as usize])
    }

    /// Twice the area of a triangle along its outward normal.
    fn area2(&self, triangle: &[u32; 3]) -> Vector {
        let [a, b, c] = self.corners(triangle);
        cross(minus(b, a), minus(c, a))
    }

    /// m^2
    pub fn area(&self) -> f64 {
        self.triangles.iter().map(|triangle| 0.5 * norm(self.area2(triangle))).sum()
    }

    /// Corners at one place become one; triangles without area, and vertices of none, are left out.
    fn welded(self) -> (Self, usize) {
        let (low, _) = self.bounds();
        let grain = (1e-7 * self.diagonal()).max(f64::MIN_POSITIVE);
        let (mut known, mut vertices) = (HashMap::new(), Vec::new());
        let place: Vec<u32> = self
            .vertices
            .iter()
            .map(|v| {
                let key: [i64; 3] = std::array::from_fn(|axis| ((v[axis] - low[axis]) / grain).round() as i64);
                *known.entry(key).or_insert_with(|| {
                    vertices.push(*v);
                    vertices.len() as u32 - 1
                })
            })
            .collect();
        let mut surface = Self { vertices, triangles: Vec::new() };
        let all = self.triangles.len();
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|vertex| place[vertex as usize]);
            if a != b && b != c && c != a {
                surface.triangles.push([a, b, c]);
            }
        }
        let empty = all - surface.triangles.len();
        surface.drop_strays();
        (surface, empty)
    }

    /// Leaves out vertices that no triangle uses.
    fn drop_strays(&mut self) {
        let mut place = vec![u32::MAX; self.vertices.len()];
        let mut vertices = Vec::new();
        for vertex in self.triangles.iter_mut().flatten() {
            let place = &mut place[*vertex as usize];
            if *place == u32::MAX {
                *place = vertices.len() as u32;
                vertices.push(self.vertices[*vertex as usize]);
            }
            *vertex = *place;
        }
        self.vertices = vertices;
    }

    /// The same, closed and right side out.
    pub fn mended(self) -> (Self, Mended) {
        let (mut surface, empty) = self.welded();
        let (turned, parity) = surface.agree();
        let (holes, edges) = surface.close();
        let all: Vec<usize> = (0..surface.triangles.len()).collect();
        if !parity && surface.six_volumes(&all) < 0.0 {
            surface.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        (surface, Mended { holes, edges, turned, empty, parity })
    }

    /// Six times what some of its triangles enclose, m^3.
    fn six_volumes(&self, part: &[usize]) -> f64 {
        let corners = || part.iter().flat_map(|&t| self.corners(&self.triangles[t]));
        let (low, high) = corners().fold(([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]), |(low, high), v| {
            (std::array::from_fn(|k| low[k].min(v[k])), std::array::from_fn(|k| high[k].max(v[k])))
        });
        // A part with holes has no volume; about its own middle it has nearly one.
        let middle: Vector = std::array::from_fn(|axis| 0.5 * (low[axis] + high[axis]));
        let six = |t: &usize| {
            let [a, b, c] = self.corners(&self.triangles[*t]).map(|v| minus(v, middle));
            dot(a, cross(b, c))
        };
        part.iter().map(six).sum()
    }

    /// Turns triangles until neighbours agree, as most of their part lie, or outwards where there is no such majority; the number
    /// turned, and whether it is still not known which side is out: a strip with one side, or such a part beside others, which may be a cavity.
    fn agree(&mut self) -> (usize, bool) {
        let mut uses: HashMap<(u32, u32), Vec<(u32, bool)>> = HashMap::new();
        for (t, triangle) in self.triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
                uses.entry((a.min(b), a.max(b))).or_default().push((t as u32, a < b));
            }
        }
        if !uses.values().any(|uses| uses.len() == 2 && uses[0].1 == uses[1].1) {
            return (0, false);
        }
        let mut flip: Vec<Option<bool>> = vec![None; self.triangles.len()];
        let (mut turned, mut parts, mut unclear, mut one_sided) = (0, 0, false, false);
        for start in 0..self.triangles.len() {
            if flip[start].is_some() {
                continue;
            }
            flip[start] = Some(false);
            let (mut part, mut next) = (Vec::new(), vec![start]);
            while let Some(t) = next.pop() {
                part.push(t);
                for k in 0..3 {
                    let (a, b) = (self.triangles[t][k], self.triangles[t][(k + 1) % 3]);
                    let Some([one, two]) = uses.get(&(a.min(b), a.max(b))).map(Vec::as_slice) else { continue };
                    let (own, other) = if one.0 as usize == t { (one, two) } else { (two, one) };
                    let wanted = flip[t].map(|flip| flip ^ (own.1 == other.1));
                    if flip[other.0 as usize].is_none() {
                        flip[other.0 as usize] = wanted;
                        next.push(other.0 as usize);
                    }
                    one_sided |= flip[other.0 as usize] != wanted;
                }
            }
            parts += 1;
            let area = |of: bool| -> f64 {
                part.iter().filter(|&&t| flip[t] == Some(of)).map(|&t| norm(self.area2(&self.triangles[t]))).sum()
            };
            let (stay, turn) = (area(false), area(true));
            let fewer = stay < turn;
            for &t in part.iter().filter(|&&t| flip[t] == Some(!fewer)) {
                self.triangles[t].swap(1, 2);
                turned += 1;
            }
            if stay.min(turn) > MINORITY * (stay + turn) {
                unclear = true;
                if self.six_volumes(&part) < 0.0 {
                    part.iter().for_each(|&t| self.triangles[t].swap(1, 2));
                }
            }
        }
        (turned, one_sided || (unclear && parts > 1))
    }

    /// Closes every hole by triangles around its middle; how many, and their edges.
    fn close(&mut self) -> (usize, usize) {
        let mut balance: BTreeMap<(u32, u32), i32> = BTreeMap::new();
        for triangle in &self.triangles {
            for k in 0..3 {
                let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
                *balance.entry((a.min(b), a.max(b))).or_default() += if a < b { 1 } else { -1 };
            }
        }
        // What runs once too often is run backwards by what closes it.
        let mut open: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut edges = 0;
        for ((a, b), balance) in balance {
            let (from, to) = if balance > 0 { (b, a) } else { (a, b) };
            for _ in 0..balance.abs() {
                open.entry(from).or_default().push(to);
                edges += 1;
            }
        }
        let mut holes = 0;
        while let Some((&start, _)) = open.first_key_value() {
            let (mut ring, mut here) = (Vec::new(), start);
            while let Some(ends) = open.get_mut(&here) {
                let to = ends.pop();
                if ends.is_empty() {
                    open.remove(&here);
                }
                let Some(to) = to else { break };
                ring.push(here);
                // A ring that touches itself is two.
                if let Some(at) = ring.iter().position(|&vertex| vertex == to) {
                    self.fan(&ring[at..]);
                    holes += 1;
                    ring.truncate(at);
                }
                here = to;
            }
        }
        (holes, edges)
    }

    fn fan(&mut self, ring: &[u32]) {
        if let [a, b, c] = *ring {
            self.triangles.push([a, b, c]);
            return;
        }
        let sum = ring.iter().map(|&vertex| self.vertices[vertex as usize]);
        let sum = sum.fold([0.0; 3], |sum, v| std::array::from_fn(|axis| sum[axis] + v[axis]));
        let middle = self.vertices.len() as u32;
        self.vertices.push(sum.map(|x| x / ring.len() as f64));
        for (k, &vertex) in ring.iter().enumerate() {
            self.triangles.push([vertex, ring[(k + 1) % ring.len()], middle]);
        }
    }

    /// Its volume, and how it lies, exactly: the sum over pyramids from its middle.
    pub fn bulk(&self) -> Option<Bulk> {
        let (low, high) = self.bounds();
        let middle: Vector = std::array::from_fn(|axis| 0.5 * (low[axis] + high[axis]));
        let (mut volume, mut first, mut second) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
        for triangle in &self.triangles {
            let corners = self.corners(triangle).map(|v| minus(v, middle));
            let [a, b, c] = corners;
            let part = dot(a, cross(b, c)) / 6.0;
            volume += part;
            let sum: Vector = std::array::from_fn(|i| a[i] + b[i] + c[i]);
            for i in 0..3 {
                first[i] += part * sum[i] / 4.0;
                for j in 0..3 {
                    let squares: f64 = corners.iter().map(|v| v[i] * v[j]).sum();
                    second[i][j] += part * (squares + sum[i] * sum[j]) / 20.0;
                }
            }
        }
        Bulk::of(volume, first, second, middle)
    }

    /// The same turned into a frame of three unit vectors.
    pub fn turned(&self, frame: &[Vector; 3]) -> Self {
        let vertices = self.vertices.iter().map(|v| frame.map(|axis| dot(axis, *v))).collect();
        Self { vertices, triangles: self.triangles.clone() }
    }

    /// The frame in which most of the surface lies along the axes of a grid: the given one unless another is clearly better.
    pub fn frame(&self, bulk: &Bulk) -> [Vector; 3] {
        let given = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let areas: Vec<(f64, Vector)> = self
            .triangles
            .iter()
            .map(|triangle| self.area2(triangle))
            .filter(|n| norm(*n) > 0.0)
            .map(|n| (norm(n), n.map(|x| x / norm(n))))
            .collect();
        let score = |frame: &[Vector; 3]| -> f64 {
            let aligned = |n: &Vector| frame.iter().any(|axis| dot(*axis, *n).abs() > 0.9999);
            areas.iter().filter(|(_, n)| aligned(n)).map(|(area, _)| area).sum()
        };
        // By the directions in which most of the surface looks, and by its axes of inertia.
        let mut looks: HashMap<[i32; 3], (f64, Vector)> = HashMap::new();
        for (area, n) in &areas {
            let sign = if (n[0] + 1e-3 * n[1] + 1e-6 * n[2]) < 0.0 { -1.0 } else { 1.0 };
            let n = n.map(|x| sign * x);
            let entry = looks.entry(n.map(|x| (x * 50.0).round() as i32)).or_insert((0.0, n));
            entry.0 += area;
        }
        let mut looks: Vec<(f64, Vector)> = looks.into_values().collect();
        looks.sort_by(|a, b| {
            b.0.total_cmp(&a.0).then_with(|| b.1.partial_cmp(&a.1).unwrap_or(std::cmp::Ordering::Equal))
        });
        let mut frames = vec![given, bulk.axes];
        if let Some((_, first)) = looks.first() {
            let beside = looks.iter().find(|(_, n)| dot(*n, *first).abs() < 1e-3).map(|(_, n)| *n);
            let beside = beside.unwrap_or_else(|| {
                let least = (0..3).min_by(|&a, &b| first[a].abs().total_cmp(&first[b].abs())).unwrap_or(0);
                given[least]
            });
            let third = cross(*first, beside);
            let third = third.map(|x| x / norm(third));
            frames.push([*first, cross(third, *first), third]);
        }
        let mut best = given;
        for frame in frames {
            if score(&frame) > 1.02 * score(&best) + 1e-9 * self.area() {
                best = frame;
            }
        }
        best
    }

    /// How thick it is under a tenth of its surface, m: rays go inwards from many places.
    pub fn thickness(&self, samples: usize) -> f64 {
        let total: f64 = self.area();
        let each = total / samples as f64;
        let (mut told, mut left) = (Vec::new(), 0.5 * each);
        for triangle in &self.triangles {
            let normal = self.area2(triangle);
            let area = 0.5 * norm(normal);
            let corners = self.corners(triangle);
            let mut k = 0;
            left -= area;
            while left < 0.0 && k < samples {
                left += each;
                // Places spread over the triangle by the golden ratio and its square root's part.
                let (mut u, mut v) =
                    ((k as f64 * 0.618_033_988 + 0.31).fract(), (k as f64 * 0.754_877_666 + 0.37).fract());
                if u + v > 1.0 {
                    (u, v) = (1.0 - u, 1.0 - v);
                }
                let at: Vector = std::array::from_fn(|axis| {
                    corners[0][axis] * (1.0 - u - v) + corners[1][axis] * u + corners[2][axis] * v
                });
                let inward = normal.map(|x| -x / (2.0 * area));
                told.push(self.through(at, inward));
                k += 1;
            }
        }
        told.retain(|t| t.is_finite());
        told.sort_by(f64::total_cmp);
        told.get(told.len() / 10).copied().unwrap_or(0.0)
    }

    /// Way along a ray to where it leaves the body, m.
    fn through(&self, from: Vector, along: Vector) -> f64 {
        let mut least = f64::INFINITY;
        for triangle in &self.triangles {
            let [a, b, c] = self.corners(triangle);
            let (e1, e2) = (minus(b, a), minus(c, a));
            let h = cross(along, e2);
            let det = dot(e1, h);
            // Only where it goes out: the ray and the normal point alike.
            if det >= 0.0 {
                continue;
            }
            let s = minus(from, a);
            let u = dot(s, h) / det;
            let q = cross(s, e1);
            let v = dot(along, q) / det;
            if u < 0.0 || v < 0.0 || u + v > 1.0 {
                continue;
            }
            let t = dot(e2, q) / det;
            if t > 1e-6 * norm(e1) && t < least {
                least = t;
            }
        }
        least
    }

    /// The same with no edge longer than this, m; sides that triangles share are halved in both.
    pub fn refined(mut self, longest: f64) -> Self {
        for _ in 0..40 {
            let mut halves: HashMap<(u32, u32), u32> = HashMap::new();
            let mut triangles = Vec::with_capacity(self.triangles.len());
            for triangle in &self.triangles {
                let middle = |k: usize, vertices: &mut Vec<Vector>, halves: &mut HashMap<(u32, u32), u32>| {
                    let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
                    let [p, q] = [vertices[a as usize], vertices[b as usize]];
                    (norm(minus(p, q)) > longest).then(|| {
                        *halves.entry((a.min(b), a.max(b))).or_insert_with(|| {
                            vertices.push(std::array::from_fn(|axis| 0.5 * (p[axis] + q[axis])));
                            vertices.len() as u32 - 1
                        })
                    })
                };
                let m: [Option<u32>; 3] = std::array::from_fn(|k| middle(k, &mut self.vertices, &mut halves));
                let [a, b, c] = *triangle;
                match m {
                    [None, None, None] => triangles.push([a, b, c]),
                    [Some(p), Some(q), Some(r)] => triangles.extend([[a, p, r], [p, b, q], [r, q, c], [p, q, r]]),
                    _ => {
                        // Begin at a side that is halved and whose next one, if another is, is halved too.
                        let start = (0..3).find(|&k| m[k].is_some() && m[(k + 2) % 3].is_none()).unwrap_or(0);
                        let [a, b, c] = [triangle[start], triangle[(start + 1) % 3], triangle[(start + 2) % 3]];
                        match (m[start], m[(start + 1) % 3]) {
                            (Some(p), Some(q)) => triangles.extend([[a, p, c], [p, b, q], [p, q, c]]),
                            (Some(p), None) => triangles.extend([[a, p, c], [p, b, c]]),
                            _ => triangles.push([a, b, c]),
                        }
                    }
                }
            }
            self.triangles = triangles;
            if halves.is_empty() {
                break;
            }
        }
        self
    }

    /// Outward normals at its vertices, by the areas around them.
    pub fn normals(&self) -> Vec<Vector> {
        let mut normals = vec![[0.0; 3]; self.vertices.len()];
        for triangle in &self.triangles {
            let n = self.area2(triangle);
            for &vertex in triangle {
                normals[vertex as usize].iter_mut().zip(n).for_each(|(sum, n)| *sum += n);
            }
        }
        normals.iter().map(|n| if norm(*n) > 0.0 { n.map(|x| x / norm(*n)) } else { [0.0, 0.0, 1.0] }).collect()
    }

    /// Vertices of one cell of a grid, that look the same way if `apart`, become the one nearest their middle. The image of a
    /// closed surface is closed: each line still comes out as often as it goes in.
    pub fn clustered(&self, cell: f64, apart: bool) -> Self {
        let (low, _) = self.bounds();
        let normals = if apart { self.normals() } else { Vec::new() };
        let key = |vertex: usize| -> [i64; 4] {
            let v = self.vertices[vertex];
            let side = normals.get(vertex).map_or(0, |n| {
                let axis = (0..3).max_by(|&a, &b| n[a].abs().total_cmp(&n[b].abs())).unwrap_or(0);
                2 * axis as i64 + i64::from(n[axis] > 0.0)
            });
            let [x, y, z] = std::array::from_fn(|axis| ((v[axis] - low[axis]) / cell).floor() as i64);
            [x, y, z, side]
        };
        let mut groups: BTreeMap<[i64; 4], Vec<u32>> = BTreeMap::new();
        for vertex in 0..self.vertices.len() {
            groups.entry(key(vertex)).or_default().push(vertex as u32);
        }
        let mut place = vec![0u32; self.vertices.len()];
        let mut vertices = Vec::with_capacity(groups.len());
        for members in groups.values() {
            let at = |&vertex: &u32| self.vertices[vertex as usize];
            let sum = members.iter().map(at).fold([0.0; 3], |sum, v| std::array::from_fn(|axis| sum[axis] + v[axis]));
            let middle = sum.map(|x| x / members.len() as f64);
            let far = |vertex: &u32| norm(minus(at(vertex), middle));
            let nearest = members.iter().min_by(|a, b| far(a).total_cmp(&far(b)));
            members.iter().for_each(|&vertex| place[vertex as usize] = vertices.len() as u32);
            vertices.push(nearest.map_or(middle, at));
        }
        let mut coarse = Self { vertices, triangles: Vec::new() };
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|vertex| place[vertex as usize]);
            if a != b && b != c && c != a {
                coarse.triangles.push([a, b, c]);
            }
        }
        coarse
    }

    /// At most so many vertices, evenly over the surface, for ports and pictures; sides of a wall stay apart.
    pub fn sampled(&self, most: usize) -> Self {
        let even = (self.area() / (0.9 * most as f64)).sqrt();
        // Few corners: edges are halved first, so that there is a vertex wherever one may want to strike.
        let fine = if self.vertices.len() < 50 * most { self.clone().refined(0.7 * even) } else { self.clone() };
        let mut cell = 0.6 * even;
        let mut coarse = fine.clone();
        while coarse.vertices.len() > most {
            coarse = fine.clustered(cell, true);
            cell *= 1.1;
        }
        coarse.triangles.sort_unstable();
        coarse.triangles.dedup_by_key(|triangle| {
            let mut key = *triangle;
            key.sort_unstable();
            key
        });
        coarse.drop_strays();
        coarse
    }
}

impl Bulk {
    /// From the integrals of 1, r and r r^T, taken about `middle`.
    pub fn of(volume: f64, first: Vector, second: [[f64; 3]; 3], middle: Vector) -> Option<Self> {
        if !(volume.is_finite() && volume > 0.0) {
            return None;
        }
        let centre = first.map(|x| x / volume);
        let moment = |i: usize, j: usize| second[i][j] - volume * centre[i] * centre[j];
        let trace = moment(0, 0) + moment(1, 1) + moment(2, 2);
        let inertia: Vec<f64> = (0..9)
            .map(|at| {
                let (i, j) = (at / 3, at % 3);
                if i == j { trace - moment(i, i) } else { -0.5 * (moment(i, j) + moment(j, i)) }
            })
            .collect();
        // Rounding alone turns no axis: a body that lies along the axes keeps them.
        let off = [1, 2, 5].iter().map(|&at| inertia[at].abs()).fold(0.0, f64::max);
        let (values, axes) = match off < 1e-9 * trace {
            true => (vec![inertia[0], inertia[4], inertia[8]], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
            false => {
                let (values, vectors) = tocco::resonator::eigen::vectors(&inertia, 3);
                let [a, b]: [Vector; 2] = std::array::from_fn(|k| std::array::from_fn(|i| vectors[k][i]));
                // Right-handed: a mirror would turn a surface inside out.
                (values, [a, b, cross(a, b)])
            }
        };
        let gyration = std::array::from_fn(|k| (values[k] / volume).max(0.0).sqrt());
        let centre = std::array::from_fn(|axis| middle[axis] + centre[axis]);
        gyration.iter().all(|k: &f64| *k > 0.0 && k.is_finite()).then_some(Self { volume, centre, axes, gyration })
    }
}
