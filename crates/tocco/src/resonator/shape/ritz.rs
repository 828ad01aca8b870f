// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rectangular plate with free or clamped edges, by Rayleigh and Ritz.
//!
//! **What.** No closed form exists. The plate is bent into sums of products of Legendre polynomials; the free edge is the
//! natural condition of the energy, so that nothing need be imposed. Clamped, it is bent into products of the shapes of
//! clamped bars.
//!
//! **Law.** The stationary values of bending over kinetic energy,
//! - `[ritz.1]  K = w_xx^2 + w_yy^2 + 2 nu w_xx w_yy + 2 (1 - nu) w_xy^2` over the plate, `omega^2 = D/(rho h) eig K`
//! - `[ritz.2]  p_n' = sum of sqrt((2n+1)(2k+1)) p_k, k = n-1, n-3, ...` for orthonormal polynomials, so K is exact
//! - `[ritz.3]  integral of f'' g = -integral of f' g'`, `integral of f''^2 = beta^4` for the shapes of clamped bars
//!
//! **Step.** Even and odd functions of x and y do not mix: four small problems. Degrees are cut off by an ellipse a little
//! larger than that of the modes wanted. The error of the first twenty modes is below 0.05 %, of the highest kept 1 %,
//! always upwards (Ritz). The slopes of clamped bars are integrated by Gauss's rule, to rounding.
//!
//! **Sources.** Ritz, Annalen der Physik 28 (1909); Leissa, chapter 4. Leissa's own figures for the free square plate,
//! with 36 products of beam functions (so the abstract of his paper, J. Sound Vib. 31, 1973; the figures read in
//! code_aster's V2.03.001), lie up to 1 % above these. NAFEMS' benchmark FV12, as two manuals quote it, has our first
//! three within 0.03 %.

use super::bar::{Support, root, value};
use super::{Fault, Given, Point, ShapeMode, Solved};
use crate::math::{PI, Real, TAU, cos, exp, sin};
use crate::resonator::eigen::symmetric;

/// Longest plate in units of its width.
const LONGEST: Real = 10.0;

/// Modes of a plate a by b whose edges are free or clamped, `stiff` = sqrt(D/(rho h)).
pub(super) fn solve(
    given: &Given<'_>,
    a: Real,
    b: Real,
    stiff: Real,
    mass_kg: Real,
    clamped: bool,
) -> Result<Solved, Fault> {
    Ok(solve_curved(given, a, b, stiff, mass_kg, clamped, &[])?.0)
}

/// By place and mode.
pub(super) type Curves = Vec<Vec<[Real; 3]>>;

/// The same, and the curvatures `[xx, yy, xy]` of every mode of a free plate at more places, 1/m^2.
pub(super) fn solve_curved(
    given: &Given<'_>,
    a: Real,
    b: Real,
    stiff: Real,
    mass_kg: Real,
    clamped: bool,
    places: &[Point],
) -> Result<(Solved, Curves), Fault> {
    if a > LONGEST * b || b > LONGEST * a {
        let what = format!("{} m by {} m is a bar rather than a plate; wants sides within a factor of 10", a, b);
        return Err(Fault::new("width_m", what));
    }
    // As many as Weyl's law leaves below the limit, and some: the wave number there is sqrt(omega/stiff).
    let k = (TAU * given.below_hz / stiff).sqrt();
    let weyl = k * k * a * b / (4.0 * PI) + k * (a + b) / PI + 4.0;
    let most = (given.most as Real).min(weyl);
    let half_waves = |side: Real, other: Real| (4.0 / PI * most * side / other).sqrt();
    let degree = |waves: Real| (DEGREES.0 * waves + DEGREES.1) as usize;
    let (nx, ny) = (degree(half_waves(a, b)), degree(half_waves(b, a)));
    let line = if clamped { Line::clamped } else { Line::free };
    let (x, y) = (line(nx), line(ny));
    let nu = given.material.poisson;
    let mut modes: Vec<(Real, [i32; 3], Vec<Real>)> = Vec::new();
    let mut bases: Vec<Vec<(usize, usize)>> = Vec::new();
    for class in 0..4 {
        let (px, py) = (class % 2, class / 2);
        let basis: Vec<(usize, usize)> = (px..=nx)
            .step_by(2)
            .flat_map(|i| (py..=ny).step_by(2).map(move |j| (i, j)))
            .filter(|&(i, j)| clamped || i + j > 1) // the three rigid motions
            .filter(|&(i, j)| {
                let (u, v) = (i as Real / nx as Real, j as Real / ny as Real);
                u * u + v * v <= 1.0 + 1e-9 || (i < 4 && j < 4)
            })
            .collect();
        let n = basis.len();
        bases.push(basis.clone());
        if n == 0 {
            continue;
        }
        let mut matrix = vec![0.0; n * n];
        for (row, &(i, j)) in basis.iter().enumerate() {
            for (column, &(k, l)) in basis.iter().enumerate().take(row + 1) {
                let mut sum = fault!(PLATE_TWIST, 2.0, 1.0) * (1.0 - nu) * x.slope(i, k) * y.slope(j, l);
                sum += nu * (x.curve(i, k) * y.curve(l, j) + x.curve(k, i) * y.curve(j, l));
                if j == l {
                    sum += b * b / (a * a) * x.bend(i, k);
                }
                if i == k {
                    sum += a * a / (b * b) * y.bend(j, l); // [ritz.1]
                }
                matrix[row * n + column] = sum;
                matrix[column * n + row] = sum;
            }
        }
        let at = |point: &[Real; 3]| {
            let (fx, fy) = (x.values(point[0]), y.values(point[1]));
            basis.iter().map(|&(i, j)| 2.0 * fx[i] * fy[j]).collect()
        };
        let mut rows: Vec<Vec<Real>> = given.points.iter().map(at).collect();
        if !places.is_empty() {
            // What each function has of each mode.
            rows.extend((0..n).map(|i| (0..n).map(|j| Real::from(i == j)).collect()));
        }
        let values = symmetric(matrix, n, &mut rows);
        for (rank, value) in values.iter().enumerate() {
            let freq_hz = stiff * value.max(0.0).sqrt() * 4.0 / (a * b * TAU);
            let shape = rows.iter().map(|row| row[rank]).collect();
            modes.push((freq_hz, [px as i32, py as i32, rank as i32], shape));
        }
    }
    crate::order::sort(&mut modes, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    modes.truncate(given.most);
    modes.retain(|mode| mode.0 < given.below_hz);
    let shapes = (0..given.points.len()).map(|port| modes.iter().map(|mode| mode.2[port]).collect()).collect();
    let row =
        |mode: &(Real, [i32; 3], Vec<Real>)| ShapeMode { freq_hz: mode.0, decay_s: 0.0, mass_kg, numbers: mode.1 };
    let curve = |place: &Point| {
        let ([fx, fx1, fx2], [fy, fy1, fy2]) = (curved(nx, place[0], a), curved(ny, place[1], b));
        let of = |(_, numbers, shape): &(Real, [i32; 3], Vec<Real>)| {
            let mut sum = [0.0; 3];
            let basis = &bases[(numbers[0] + 2 * numbers[1]) as usize];
            for (part, &(i, j)) in shape[given.points.len()..].iter().zip(basis) {
                sum[0] += 2.0 * part * fx2[i] * fy[j];
                sum[1] += 2.0 * part * fx[i] * fy2[j];
                sum[2] += 2.0 * part * fx1[i] * fy1[j];
            }
            sum
        };
        modes.iter().map(of).collect()
    };
    let curves = places.iter().map(curve).collect();
    Ok((Solved { modes: modes.iter().map(row).collect(), shapes, rigid: 0 }, curves))
}

/// Orthonormal Legendre polynomials at a fraction of a side, with their first and second derivatives per metre of it.
fn curved(degree: usize, at: Real, side: Real) -> [Vec<Real>; 3] {
    let p = polynomials(degree, 2.0 * at - 1.0);
    let weight = |k: usize| (2.0 * k as Real + 1.0).sqrt();
    let slopes = |of: &[Real]| -> Vec<Real> {
        let mut sums = [0.0; 2];
        let mut slope = |n: usize| {
            let value = 2.0 / side * weight(n) * sums[(n + 1) % 2]; // [ritz.2]
            sums[n % 2] += weight(n) * of[n];
            value
        };
        (0..=degree).map(&mut slope).collect()
    };
    let first = slopes(&p);
    let second = slopes(&first);
    [p, first, second]
}

/// Degree for so many half waves along a side: factor and addend.
const DEGREES: (Real, Real) = (1.4, 6.0);

/// Nodes and weights of Gauss's rule with seven nodes on [-1, 1], one of each pair.
const GAUSS: [(Real, Real); 4] = [
    (0.0, 0.417_959_183_673_469_4),
    (0.405_845_151_377_397_2, 0.381_830_050_505_118_9),
    (0.741_531_185_599_394_4, 0.279_705_391_489_276_7),
    (0.949_107_912_342_758_5, 0.129_484_966_168_869_7),
];

/// Slope of a clamped bar's shape, per length.
fn clamped_slope(b: Real, x: Real) -> Real {
    let (e, sin_b, cos_b) = (exp(-b), sin(b), cos(b));
    let below = 1.0 - e * e - 2.0 * e * sin_b;
    let (sigma, grow) = ((1.0 + e * e - 2.0 * e * cos_b) / below, (cos_b - sin_b - e) / below);
    let bent = grow * exp(-b * (1.0 - x)) - 0.5 * (1.0 + sigma) * exp(-b * x);
    b * (bent + sin(b * x) + sigma * cos(b * x))
}

/// Orthonormal Legendre polynomials up to a degree, at x in [-1, 1].
fn polynomials(degree: usize, x: Real) -> Vec<Real> {
    let mut p = vec![1.0; degree + 1];
    for n in 1..=degree {
        let k = n as Real;
        p[n] = if n == 1 { x } else { ((2.0 * k - 1.0) * x * p[n - 1] - (k - 1.0) * p[n - 2]) / k };
    }
    p.iter().enumerate().map(|(n, p)| p * (n as Real + 0.5).sqrt()).collect()
}

/// Functions along one side, orthonormal over a length of 2, and integrals of products of their derivatives.
struct Line {
    size: usize,
    clamped: bool,
    slope: Vec<Real>,
    curve: Vec<Real>,
    bend: Vec<Real>,
}

impl Line {
    /// The shapes of clamped bars.
    fn clamped(highest: usize) -> Self {
        let size = highest + 1;
        // Two panels of seven nodes for every half wave.
        let panels = 2 * (size + 1);
        let roots: Vec<Real> = (1..=size).map(|k| root(Support::Clamped, k)).collect();
        let mut slope = vec![0.0; size * size];
        for panel in 0..panels {
            for (node, weight) in GAUSS {
                for (place, share) in [(0.5 - 0.5 * node, 1.0), (0.5 + 0.5 * node, if node == 0.0 { 0.0 } else { 1.0 })]
                {
                    let at = (panel as Real + place) / panels as Real;
                    let slopes: Vec<Real> = roots.iter().map(|b| clamped_slope(*b, at)).collect();
                    let weight = 0.25 * share * 0.5 * weight / panels as Real;
                    for i in 0..size {
                        for j in 0..size {
                            slope[i * size + j] += weight * slopes[i] * slopes[j];
                        }
                    }
                }
            }
        }
        let curve = slope.iter().map(|x| -x).collect(); // [ritz.3]
        let mut bend = vec![0.0; size * size];
        for (i, b) in roots.iter().enumerate() {
            bend[i * size + i] = b * b * b * b / 16.0;
        }
        Self { size, clamped: true, slope, curve, bend }
    }

    /// Every function at a fraction of the side.
    fn values(&self, at: Real) -> Vec<Real> {
        if !self.clamped {
            return polynomials(self.size - 1, 2.0 * at - 1.0);
        }
        let half = core::f64::consts::FRAC_1_SQRT_2;
        (1..=self.size).map(|k| half * value(Support::Clamped, root(Support::Clamped, k), at)).collect()
    }

    /// Legendre polynomials.
    fn free(degree: usize) -> Self {
        let size = degree + 1;
        let weight = |k: usize| (2.0 * k as Real + 1.0).sqrt();
        // first[k][n]: how much of p_k is in p_n'; second the same for p_n''.
        let first = |k: usize, n: usize| if k < n && (n - k) % 2 == 1 { weight(k) * weight(n) } else { 0.0 }; // [ritz.2]
        let table = |f: &dyn Fn(usize, usize) -> Real| -> Vec<Real> {
            (0..size * size).map(|i| f(i / size, i % size)).collect()
        };
        let curve = table(&|n, k| (0..size).map(|j| first(k, j) * first(j, n)).sum());
        let slope = table(&|i, j| (0..size).map(|k| first(k, i) * first(k, j)).sum());
        let bend = table(&|i, j| (0..size).map(|k| curve[i * size + k] * curve[j * size + k]).sum());
        Self { size, clamped: false, slope, curve, bend }
    }
    /// Integral of p_i' p_j'.
    fn slope(&self, i: usize, j: usize) -> Real {
        self.slope[i * self.size + j]
    }
    /// Integral of p_i'' p_j.
    fn curve(&self, i: usize, j: usize) -> Real {
        self.curve[i * self.size + j]
    }
    /// Integral of p_i'' p_j''.
    fn bend(&self, i: usize, j: usize) -> Real {
        self.bend[i * self.size + j]
    }
}
