// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stiffness and mass of one cell of the grid: a brick of eight nodes, full or cut by the surface.
//!
//! **What.** Eight trilinear shape functions, and three bubbles that only this cell has (incompatible modes), without which a
//! brick that bends is far too stiff. A cell that the surface cuts is the sum of what is filled of its 4 x 4 x 4 sub-cells.
//!
//! **Law.** With f the eleven functions, G the integral of their gradients' products over what is filled, V its volume:
//! - `[mesh.1]  K_(ip,jq) = lambda G_ij^pq + mu G_ij^qp + mu delta_pq sum_r G_ij^rr`
//! - `[mesh.2]  grad b <- grad b - mean of grad b over what is filled`: a constant strain does no work on a bubble
//! - `[mesh.3]  K <- K_uu - K_ub K_bb^-1 K_bu`: the bubbles are eliminated
//! - `[mesh.4]  M = 1/2 consistent + 1/2 lumped` of a full cell, whose errors of dispersion have opposite signs; consistent of a cut one
//!
//! **Sources.** Wilson, Taylor, Doherty, Ghaboussi, *Incompatible displacement models* (1973); Taylor, Beresford, Wilson, Int. J.
//! Numer. Meth. Eng. 10, 1211 (1976), for [mesh.2] of elements of any form; Parvizian, Düster, Rank, Comput. Mech. 41, 121 (2007),
//! for cells that are cut.

/// Sub-cells along an edge of a cell.
pub const SUB: usize = 4;
/// Sub-cells of a cell.
pub const SUBS: usize = SUB * SUB * SUB;
/// Degrees of freedom of a cell.
pub const DOFS: usize = 24;
/// Nodal functions, and those with the bubbles.
const NODES: usize = 8;
const ALL: usize = 11;
const BUBBLES: usize = 9;

/// Stiffness (24 x 24, node by node and x, y, z within) and mass (8 x 8, alike for x, y and z).
#[derive(Clone)]
pub struct Cell {
    /// N/m
    pub stiffness: Vec<f64>,
    /// kg
    pub mass: [f64; 64],
}

/// What is integrated over a part of a cell.
#[derive(Clone)]
struct Integrals {
    /// `[(i * 11 + j) * 9 + 3 p + q]`
    products: Vec<f64>,
    /// `[3 i + p]`
    gradients: [f64; 3 * ALL],
    /// `[8 i + j]`
    masses: [f64; 64],
    volume: f64,
}

impl Integrals {
    fn none() -> Self {
        Self { products: vec![0.0; ALL * ALL * 9], gradients: [0.0; 3 * ALL], masses: [0.0; 64], volume: 0.0 }
    }

    fn add(&mut self, part: &Self, weight: f64) {
        self.products.iter_mut().zip(&part.products).for_each(|(sum, x)| *sum += weight * x);
        self.gradients.iter_mut().zip(&part.gradients).for_each(|(sum, x)| *sum += weight * x);
        self.masses.iter_mut().zip(&part.masses).for_each(|(sum, x)| *sum += weight * x);
        self.volume += weight * part.volume;
    }
}

/// Makes cells of one size and material.
pub struct Maker {
    subs: Vec<Integrals>,
    lambda: f64,
    mu: f64,
    density: f64,
    full: Cell,
}

impl Maker {
    /// For cells of `size` m of a material with Young's modulus in Pa, Poisson's ratio and density in kg/m^3.
    pub fn new(size: [f64; 3], young: f64, poisson: f64, density: f64) -> Self {
        let subs: Vec<Integrals> = (0..SUBS).map(|sub| integrate(size, sub)).collect();
        let lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        let mu = young / (2.0 * (1.0 + poisson));
        let full = Cell { stiffness: Vec::new(), mass: [0.0; 64] };
        let mut maker = Self { subs, lambda, mu, density, full };
        let mut full = maker.sum(&[1.0; SUBS]);
        for i in 0..NODES {
            let row: f64 = full.mass[8 * i..8 * i + 8].iter().sum();
            full.mass[8 * i..8 * i + 8].iter_mut().for_each(|x| *x *= 0.5);
            full.mass[9 * i] += 0.5 * row; // [mesh.4]
        }
        maker.full = full;
        maker
    }

    /// A cell that is filled.
    pub fn full(&self) -> &Cell {
        &self.full
    }

    /// A cell of whose sub-cells so much is filled, 0 to 1 each.
    pub fn cut(&self, filled: &[f32]) -> Cell {
        self.sum(filled)
    }

    fn sum(&self, filled: &[f32]) -> Cell {
        let mut all = Integrals::none();
        for (part, weight) in self.subs.iter().zip(filled).filter(|(_, weight)| **weight > 0.0) {
            all.add(part, f64::from(*weight));
        }
        // [mesh.2]; products with nodal functions lose g_u mean, those of two bubbles V mean mean.
        let mean = all.gradients.map(|x| x / all.volume);
        for i in 0..ALL {
            for j in 0..ALL {
                if i < NODES && j < NODES {
                    continue;
                }
                for (p, q) in (0..3).flat_map(|p| (0..3).map(move |q| (p, q))) {
                    let [gi, gj] = [all.gradients[3 * i + p], all.gradients[3 * j + q]];
                    let off = if i < NODES { gi * mean[3 * j + q] } else { mean[3 * i + p] * gj };
                    all.products[(i * ALL + j) * 9 + 3 * p + q] -= off;
                }
            }
        }
        let entry = |i: usize, p: usize, j: usize, q: usize| {
            let g = &all.products[(i * ALL + j) * 9..(i * ALL + j) * 9 + 9];
            let shear = if p == q { self.mu * (g[0] + g[4] + g[8]) } else { 0.0 };
            self.lambda * g[3 * p + q] + self.mu * g[3 * q + p] + shear // [mesh.1]
        };
        let mut stiffness = vec![0.0; DOFS * DOFS];
        for (a, b) in (0..DOFS).flat_map(|a| (0..DOFS).map(move |b| (a, b))) {
            stiffness[a * DOFS + b] = entry(a / 3, a % 3, b / 3, b % 3);
        }
        // [mesh.3]: K_bb = L L^T, X = L^-1 K_bu, K_uu - X^T X.
        let mut bb = [0.0; BUBBLES * BUBBLES];
        let mut bu = [0.0; BUBBLES * DOFS];
        for a in 0..BUBBLES {
            for b in 0..BUBBLES {
                bb[a * BUBBLES + b] = entry(NODES + a / 3, a % 3, NODES + b / 3, b % 3);
            }
            for b in 0..DOFS {
                bu[a * DOFS + b] = entry(NODES + a / 3, a % 3, b / 3, b % 3);
            }
        }
        let largest = (0..BUBBLES).map(|a| bb[a * (BUBBLES + 1)]).fold(0.0, f64::max);
        for a in 0..BUBBLES {
            let mut pivot = bb[a * (BUBBLES + 1)];
            for k in 0..a {
                pivot -= bb[a * BUBBLES + k] * bb[a * BUBBLES + k];
            }
            if pivot <= 1e-9 * largest {
                // What is filled is too small for this bubble to differ from those before.
                bb[a * (BUBBLES + 1)] = 0.0;
                (a + 1..BUBBLES).for_each(|b| bb[b * BUBBLES + a] = 0.0);
                bu[a * DOFS..(a + 1) * DOFS].iter_mut().for_each(|x| *x = 0.0);
                continue;
            }
            let root = pivot.sqrt();
            bb[a * (BUBBLES + 1)] = root;
            for b in a + 1..BUBBLES {
                let dot: f64 = (0..a).map(|k| bb[a * BUBBLES + k] * bb[b * BUBBLES + k]).sum();
                bb[b * BUBBLES + a] = (bb[b * BUBBLES + a] - dot) / root;
            }
            for c in 0..DOFS {
                let dot: f64 = (0..a).map(|k| bb[a * BUBBLES + k] * bu[k * DOFS + c]).sum();
                bu[a * DOFS + c] = (bu[a * DOFS + c] - dot) / root;
            }
            for (b, c) in (0..DOFS).flat_map(|b| (0..DOFS).map(move |c| (b, c))) {
                stiffness[b * DOFS + c] -= bu[a * DOFS + b] * bu[a * DOFS + c];
            }
        }
        Cell { stiffness, mass: all.masses.map(|x| self.density * x) }
    }
}

/// Corner of a cell on which a node lies, 0 or 1 along each axis.
pub fn corner(node: usize) -> [usize; 3] {
    [node & 1, (node >> 1) & 1, node >> 2]
}

/// Values of the nodal functions at a place of the cell, -1 to 1 along each axis.
pub fn weights(at: [f64; 3]) -> [f64; NODES] {
    std::array::from_fn(|node| {
        let c = corner(node);
        (0..3).map(|axis| 0.5 * (1.0 + (2.0 * c[axis] as f64 - 1.0) * at[axis])).product()
    })
}

/// Over one sub-cell, by two points of Gauss along each axis: exact, as no factor has a higher power than three.
fn integrate(size: [f64; 3], sub: usize) -> Integrals {
    let mut all = Integrals::none();
    let place = [sub % SUB, (sub / SUB) % SUB, sub / (SUB * SUB)];
    let half = 1.0 / SUB as f64;
    let weight = size[0] * size[1] * size[2] / (SUBS * 8) as f64;
    for point in 0..8 {
        let c = corner(point);
        let at: [f64; 3] = std::array::from_fn(|axis| {
            let gauss = (2.0 * c[axis] as f64 - 1.0) / 3f64.sqrt();
            -1.0 + half * (2.0 * place[axis] as f64 + 1.0 + gauss)
        });
        let values = weights(at);
        let mut gradients = [0.0; 3 * ALL];
        for node in 0..NODES {
            let c = corner(node);
            for p in 0..3 {
                let slope = |axis: usize| {
                    let sign = 2.0 * c[axis] as f64 - 1.0;
                    if axis == p { 0.5 * sign * 2.0 / size[p] } else { 0.5 * (1.0 + sign * at[axis]) }
                };
                gradients[3 * node + p] = slope(0) * slope(1) * slope(2);
            }
        }
        for p in 0..3 {
            gradients[3 * (NODES + p) + p] = -2.0 * at[p] * 2.0 / size[p];
        }
        for i in 0..ALL {
            all.gradients[3 * i..3 * i + 3].iter_mut().zip(&gradients[3 * i..]).for_each(|(sum, g)| *sum += weight * g);
            for j in 0..ALL {
                let products = &mut all.products[(i * ALL + j) * 9..(i * ALL + j) * 9 + 9];
                for (p, q) in (0..3).flat_map(|p| (0..3).map(move |q| (p, q))) {
                    products[3 * p + q] += weight * gradients[3 * i + p] * gradients[3 * j + q];
                }
            }
        }
        for (i, j) in (0..NODES).flat_map(|i| (0..NODES).map(move |j| (i, j))) {
            all.masses[8 * i + j] += weight * values[i] * values[j];
        }
        all.volume += weight;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Energy of a motion of the nodes, J.
    fn energy(cell: &Cell, size: [f64; 3], motion: impl Fn([f64; 3]) -> [f64; 3]) -> f64 {
        let u: Vec<f64> = (0..NODES)
            .flat_map(|node| {
                let c = corner(node);
                motion(std::array::from_fn(|axis| size[axis] * c[axis] as f64))
            })
            .collect();
        let row = |a: usize| u.iter().enumerate().map(|(b, x)| cell.stiffness[a * DOFS + b] * x).sum::<f64>();
        0.5 * (0..DOFS).map(|a| u[a] * row(a)).sum::<f64>()
    }

    #[test]
    fn a_stretched_cell_full_or_cut_holds_the_energy_of_the_theory_and_a_turned_one_none() {
        let (size, young, poisson) = ([0.01, 0.012, 0.009], 2e11, 0.3);
        let maker = Maker::new(size, young, poisson, 7800.0);
        let mut filled = [1.0f32; SUBS];
        (0..SUBS).for_each(|sub| filled[sub] = [1.0, 0.0, 0.4, 0.9, 0.0][(7 * sub) % 5]);
        let share = filled.iter().map(|part| f64::from(*part)).sum::<f64>() / SUBS as f64;
        for (cell, share) in [(maker.full().clone(), 1.0), (maker.cut(&filled), share)] {
            let volume = share * size[0] * size[1] * size[2];
            // Uniaxial stress: the sides draw in by Poisson's ratio.
            let strain = 1e-3;
            let stretched = energy(&cell, size, |[x, y, z]| [strain * x, -poisson * strain * y, -poisson * strain * z]);
            let wanted = 0.5 * young * strain * strain * volume;
            assert!((stretched / wanted - 1.0).abs() < 1e-9, "{stretched} {wanted}");
            let turned = energy(&cell, size, |[x, y, z]| [-1e-3 * y + 2e-3 * z, 1e-3 * x, -2e-3 * x]);
            assert!(turned.abs() < 1e-9 * wanted, "{turned}");
            let mass: f64 = cell.mass.iter().sum();
            assert!((mass / (7800.0 * volume) - 1.0).abs() < 1e-6, "{mass}");
        }
    }

    #[test]
    fn a_bent_cell_is_as_soft_as_a_beam_and_not_as_stiff_as_its_corners() {
        let (size, young) = ([0.01; 3], 1e9);
        let maker = Maker::new(size, young, 0.0, 1.0);
        // Pure bending: the ends turn by +-a, fibres at height z stretch by 2 a z / h.
        let a = 1e-3;
        let bent = energy(maker.full(), size, |[x, _, z]| [2.0 * a * (x / 0.01 - 0.5) * (z - 0.005), 0.0, 0.0]);
        let wanted = 0.5 * young * (0.01f64.powi(4) / 12.0) * (2.0 * a / 0.01).powi(2) * 0.01;
        assert!((bent / wanted - 1.0).abs() < 1e-9, "{bent} {wanted}");
    }
}
