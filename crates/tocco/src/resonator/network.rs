// SPDX-License-Identifier: MIT OR Apache-2.0
//! Networks: masses joined by springs and dampers, to each other and to points that do not move.
//!
//! **What.** The oldest picture of a vibrating object. Every mass is a port. The network is turned into modes once, when
//! the scene is built; what sounds is a bank of modes, so that it costs no more than any other body and no step of it is
//! approximate.
//!
//! **Law.** x are the displacements of the masses, F the forces on them.
//! - `[network.1]  M x'' + C x' + K x = F`; a link of stiffness k and damping c between a and b pulls with
//!   `k (x_a - x_b) + c (x_a' - x_b')`, a fixed point has x = 0
//! - `[network.2]  x = Phi q`, `Phi^T M Phi = 1`, `Phi^T K Phi = diag(omega^2)`: `M^(-1/2) K M^(-1/2) = V diag(omega^2) V^T`,
//!   `Phi = M^(-1/2) V`
//! - `[network.3]  D = Phi^T C Phi`. If D is diagonal every mode stands alone, `sigma = D_jj/2`, and the network is a
//!   `Modal`; if not, dampers carry motion from mode to mode and the network is a [`dense::Dense`]
//! - `[network.4]` a part that no spring holds has one rigid mode, x the same for all its masses: omega is exactly 0
//! - `[network.5]  phi_i += e phi_j`, `phi_j -= e phi_i`, `e = K_ij/(K_ii - K_jj)`, `K = Phi^T K Phi` as a sum over the springs: the
//!   error that is left is of the order of e^2; then `omega_i^2 = K_ii`, a sum of positive terms
//!
//! **Symbols.** M `mass_kg` kg; k `stiffness_n_m` N/m; c `damping_n_s_m` N s/m; columns of Phi are mode shapes, 1/sqrt(kg).
//!
//! **Step.** The modes come from [`eigen`], one connected part at a time, right to a rounding of the fastest. [network.5] then
//! reads off the springs what they still couple and turns it away, so that slow modes beside fast ones have all their
//! digits, too. Modes of equal frequency are free to turn among themselves and are turned so that D is diagonal among them.
//!
//! **Sources.** Avanzini et al. 2003 section 8.2.1 (networks, decoupling by diagonalisation); Golub and Van Loan, *Matrix Computations*, 8.5.

pub mod dense;

use super::eigen;
use super::modal::ModalParams;
use crate::math::{Real, TAU};
use crate::param::Spec;

/// Most masses of a network.
pub const MAX_MASSES: usize = 256;
/// Most masses of a network whose dampers join its modes.
pub const MAX_JOINED: usize = 64;
/// Highest damping rate of joined modes, 1/s: thirty times critical at 24 kHz. Beyond it the step's digits go.
pub const STRONGEST: Real = 1e7;
/// Eigenvalues closer than this, as a part of the largest, are one.
const EQUAL: Real = 1e-12;
/// Largest turn that is one of rounding: modes closer than that asks for are left as they are.
const SMALL_TURN: Real = 1e-3;
/// Largest coupling by dampers that is rounding, as a part of the damping of the two modes and of the strongest.
const ROUNDING: (Real, Real) = (1e-10, 1e-14);

/// Live parameters of a network: those of a modal body but for the struck place, which here is a mass and has no size.
pub const PARAMS: &[Spec] = ModalParams::SPECS.split_at(2).0;

/// A spring and a damper side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// Indices of two masses; `None` is a fixed point.
    pub between: [Option<usize>; 2],
    /// N/m
    pub stiffness_n_m: Real,
    /// N s/m
    pub damping_n_s_m: Real,
}

/// A network in modes.
#[derive(Clone, Debug)]
pub struct Network {
    /// Undamped frequencies, rad/s, ascending.
    pub omega: Vec<Real>,
    /// Per mass, the value of every mode: rows of Phi, 1/sqrt(kg).
    pub mode_shapes: Vec<Vec<Real>>,
    /// D of [network.3], modes x modes, 1/s.
    pub damping: Vec<Real>,
}

impl Network {
    /// Diagonalises a network. Masses are positive, links name masses that exist. `[control]`
    pub fn new(masses: &[Real], links: &[Link]) -> Self {
        let count = masses.len();
        let mut modes: Vec<(Real, Vec<Real>)> = Vec::with_capacity(count);
        for (part, held) in parts(count, links) {
            modes.extend(diagonalise(masses, links, &part, held));
        }
        crate::order::sort(&mut modes, |a, b| a.0.total_cmp(&b.0));
        let mut network = Self { omega: Vec::new(), mode_shapes: Vec::new(), damping: Vec::new() };
        network.damping = damping(&modes, links);
        network.separate(&mut modes, links);
        network.omega = modes.iter().map(|(square, _)| square.sqrt()).collect();
        network.mode_shapes = (0..count).map(|mass| modes.iter().map(|(_, phi)| phi[mass]).collect()).collect();
        network
    }

    /// Undamped frequency of a mode, Hz.
    pub fn freq_hz(&self, mode: usize) -> Real {
        self.omega[mode] / TAU
    }

    /// Time to 1/e of a mode that stands alone, s.
    pub fn decay_s(&self, mode: usize) -> Real {
        2.0 / self.damping[mode * self.omega.len() + mode]
    }

    /// True if no damper carries motion from one mode to another: [network.3].
    pub fn stands_alone(&self) -> bool {
        let n = self.omega.len();
        let diagonal = |i: usize| self.damping[i * n + i];
        let most = (0..n).fold(0.0, |m: Real, i| m.max(diagonal(i)));
        let small = |i: usize, j: usize| ROUNDING.0 * (diagonal(i) * diagonal(j)).sqrt() + ROUNDING.1 * most;
        (0..n).all(|i| (0..i).all(|j| self.damping[i * n + j].abs() <= small(i, j)))
    }

    /// Largest damping rate of any motion, 1/s. `[control]`
    pub fn strongest(&self) -> Real {
        let n = self.omega.len();
        let (rates, _) = eigen::vectors(&self.damping, n);
        rates.into_iter().fold(0.0, Real::max)
    }

    /// Turns modes of equal frequency among themselves until D is diagonal among them.
    fn separate(&mut self, modes: &mut [(Real, Vec<Real>)], links: &[Link]) {
        let n = modes.len();
        let equal = EQUAL * modes.last().map_or(0.0, |(square, _)| *square);
        let mut from = 0;
        let mut turned = false;
        while from < n {
            // Rigid modes, of zero exactly, keep to themselves.
            let limit = if modes[from].0 == 0.0 { 0.0 } else { modes[from].0 + equal };
            let to = from + modes[from..].iter().take_while(|(square, _)| *square <= limit).count().max(1);
            let block: Vec<Real> = (from..to)
                .flat_map(|i| (from..to).map(move |j| (i, j)))
                .map(|(i, j)| self.damping[i * n + j])
                .collect();
            let size = to - from;
            if size > 1 && (0..size).any(|i| (0..i).any(|j| block[i * size + j] != 0.0)) {
                let (_, turn) = eigen::vectors(&block, size);
                let old: Vec<(Real, Vec<Real>)> = modes[from..to].to_vec();
                for (k, (square, phi)) in modes[from..to].iter_mut().enumerate() {
                    let weight = |i: usize| turn[k][i];
                    *square = old.iter().enumerate().map(|(i, (s, _))| weight(i) * weight(i) * s).sum();
                    for (mass, value) in phi.iter_mut().enumerate() {
                        *value = old.iter().enumerate().map(|(i, (_, phi))| weight(i) * phi[mass]).sum();
                    }
                }
                turned = true;
            }
            from = to;
        }
        if turned {
            self.damping = damping(modes, links);
        }
    }
}

/// The parts that springs hold together, each with its masses in order, and whether a spring holds it to a fixed point.
fn parts(count: usize, links: &[Link]) -> Vec<(Vec<usize>, bool)> {
    let mut part: Vec<usize> = (0..count).collect();
    let springs = || links.iter().filter(|link| link.stiffness_n_m > 0.0);
    // The lowest name wins; at most `count` rounds.
    loop {
        let mut moved = false;
        for link in springs() {
            if let [Some(a), Some(b)] = link.between {
                let low = part[a].min(part[b]);
                moved |= part[a] != low || part[b] != low;
                (part[a], part[b]) = (low, low);
            }
        }
        if !moved {
            break;
        }
    }
    let grounded = |head: usize| {
        springs().any(|link| match link.between {
            [Some(mass), None] | [None, Some(mass)] => part[mass] == head,
            _ => false,
        })
    };
    let heads = (0..count).filter(|&mass| part[mass] == mass);
    heads.map(|head| ((0..count).filter(|&mass| part[mass] == head).collect(), grounded(head))).collect()
}

/// Modes of one part: omega^2 and the column of Phi over all masses.
fn diagonalise(masses: &[Real], links: &[Link], part: &[usize], held: bool) -> Vec<(Real, Vec<Real>)> {
    let n = part.len();
    let mut matrix = vec![0.0; n * n];
    let at = |mass: Option<usize>| mass.and_then(|mass| part.binary_search(&mass).ok());
    for link in links.iter().filter(|link| link.stiffness_n_m > 0.0) {
        let ends = link.between.map(at);
        let k = link.stiffness_n_m; // [network.1]
        for end in ends.into_iter().flatten() {
            matrix[end * n + end] += k / masses[part[end]]; // [network.2]
        }
        if let [Some(a), Some(b)] = ends {
            let coupling = fault!(NETWORK_COUPLING, k, times 0.9) / (masses[part[a]] * masses[part[b]]).sqrt();
            matrix[a * n + b] -= coupling;
            matrix[b * n + a] -= coupling;
        }
    }
    let (squares, vectors) = eigen::vectors(&matrix, n);
    let mut modes: Vec<(Real, Vec<Real>)> = Vec::with_capacity(n);
    for (square, vector) in squares.into_iter().zip(vectors) {
        let mut phi = vec![0.0; masses.len()];
        for (&mass, value) in part.iter().zip(&vector) {
            phi[mass] = value / masses[mass].sqrt();
        }
        modes.push((square.max(0.0), phi));
    }
    sharpen(&mut modes, links);
    if !held {
        let total: Real = part.iter().map(|&mass| masses[mass]).sum();
        let rigid = 1.0 / total.sqrt();
        modes[0].0 = 0.0; // [network.4]
        part.iter().for_each(|&mass| modes[0].1[mass] = rigid);
        for (_, phi) in &mut modes[1..] {
            let along = rigid * part.iter().map(|&mass| masses[mass] * phi[mass]).sum::<Real>();
            part.iter().for_each(|&mass| phi[mass] -= along * rigid);
        }
    }
    modes
}

/// Turns away what the springs still couple, and reads the frequencies off them: [network.5].
fn sharpen(modes: &mut [(Real, Vec<Real>)], links: &[Link]) {
    let n = modes.len();
    let coupling = by_links(modes, links, |link| link.stiffness_n_m);
    let old = modes.to_vec();
    for i in 0..n {
        for j in (0..n).filter(|&j| j != i) {
            let (apart, joint) = (coupling[i * n + i] - coupling[j * n + j], coupling[i * n + j]);
            if joint.abs() < SMALL_TURN * apart.abs() {
                let turn = joint / apart;
                modes[i].1.iter_mut().zip(&old[j].1).for_each(|(phi, other)| *phi += turn * other);
            }
        }
    }
    let coupling = by_links(modes, links, |link| link.stiffness_n_m);
    modes.iter_mut().enumerate().for_each(|(i, mode)| mode.0 = coupling[i * n + i]);
}

/// D of [network.3].
fn damping(modes: &[(Real, Vec<Real>)], links: &[Link]) -> Vec<Real> {
    by_links(modes, links, |link| fault!(NETWORK_DAMPING, link.damping_n_s_m, times 1.1))
}

/// What springs or dampers are between modes, link by link: a rigid mode stretches none, to the last bit.
fn by_links(modes: &[(Real, Vec<Real>)], links: &[Link], of: impl Fn(&Link) -> Real) -> Vec<Real> {
    let n = modes.len();
    let mut matrix = vec![0.0; n * n];
    for link in links.iter().filter(|link| of(link) > 0.0) {
        let [a, b] = link.between;
        let end = |phi: &[Real], mass: Option<usize>| mass.map_or(0.0, |mass| phi[mass]);
        let stretch: Vec<Real> = modes.iter().map(|(_, phi)| end(phi, a) - end(phi, b)).collect();
        for i in 0..n {
            for j in 0..n {
                matrix[i * n + j] += of(link) * (stretch[i] * stretch[j]);
            }
        }
    }
    matrix
}
