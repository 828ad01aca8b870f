// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frequencies of free solids by ways that have nothing to do with grids: Ritz's for boxes (Demarest, J. Acoust. Soc. Am. 49, 768
//! (1971): products of Legendre polynomials), Lamb's for spheres (1882; Eringen, Suhubi, *Elastodynamics* II, 8.14).

use std::f64::consts::TAU;
use tocco::resonator::eigen;
use tocco::resonator::material::Material;

/// Integrals over -1 to 1 of normal Legendre polynomials: `[l][m]` of p_l' p_m' and of p_l' p_m.
fn legendre(count: usize) -> [Vec<Vec<f64>>; 2] {
    // p_l' is a sum of lower ones: P_l' = sum over k = l-1, l-3, ... of (2k+1) P_k.
    let norm = |l: usize| ((2 * l + 1) as f64 / 2.0).sqrt();
    let slope = |l: usize, k: usize| -> f64 {
        if k < l && (l - k) % 2 == 1 { norm(l) * (2 * k + 1) as f64 / norm(k) } else { 0.0 }
    };
    let both = |l, m| (0..count).map(|k| slope(l, k) * slope(m, k)).sum();
    let table = |of: &dyn Fn(usize, usize) -> f64| (0..count).map(|l| (0..count).map(|m| of(l, m)).collect()).collect();
    [table(&both), table(&slope)]
}

/// The lowest frequencies of a free box with these sides, m, that bend it; `counts`: polynomials along each side.
pub fn of_box(sides: [f64; 3], counts: [usize; 3], material: &Material, wanted: usize) -> Vec<f64> {
    let nu = material.poisson;
    let lambda = material.young_pa * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
    let mu = material.young_pa / (2.0 * (1.0 + nu));
    let tables: Vec<[Vec<Vec<f64>>; 2]> = counts.iter().map(|&count| legendre(count)).collect();
    let mut all = Vec::new();
    for parity in 0..8usize {
        let mut functions: Vec<(usize, [usize; 3])> = Vec::new();
        for i in 0..3 {
            for index in 0..counts.iter().product() {
                let at = [index % counts[0], index / counts[0] % counts[1], index / (counts[0] * counts[1])];
                if (0..3).all(|axis| (at[axis] + usize::from(axis == i)) % 2 == parity >> axis & 1) {
                    functions.push((i, at));
                }
            }
        }
        let n = functions.len();
        // Product of the derivative of f along p and that of g along q.
        let product = |f: &[usize; 3], g: &[usize; 3], p: usize, q: usize| -> f64 {
            let along = |axis: usize| {
                let [both, slope] = &tables[axis];
                let scale = 2.0 / sides[axis];
                match (p == axis, q == axis) {
                    (true, true) => scale * scale * both[f[axis]][g[axis]],
                    (true, false) => scale * slope[f[axis]][g[axis]],
                    (false, true) => scale * slope[g[axis]][f[axis]],
                    (false, false) => f64::from(u8::from(f[axis] == g[axis])),
                }
            };
            along(0) * along(1) * along(2)
        };
        let mut matrix = vec![0.0; n * n];
        for (a, (i, f)) in functions.iter().enumerate() {
            for (b, (j, g)) in functions.iter().enumerate() {
                let mut sum = lambda * product(f, g, *i, *j) + mu * product(f, g, *j, *i);
                if i == j {
                    sum += mu * (0..3).map(|r| product(f, g, r, r)).sum::<f64>();
                }
                matrix[a * n + b] = sum / material.density_kg_m3;
            }
        }
        all.extend(eigen::symmetric(matrix, n, &mut []));
    }
    all.sort_by(f64::total_cmp);
    all.iter().skip(6).take(wanted).map(|square| square.sqrt() / TAU).collect()
}

/// Spherical Bessel function by its series.
fn bessel(l: usize, x: f64) -> f64 {
    let mut term = (0..l).map(|k| x / (2 * k + 3) as f64).product::<f64>();
    let mut sum = term;
    for k in 1..80 {
        term *= -x * x / 2.0 / (k * (2 * l + 2 * k + 1)) as f64;
        sum += term;
    }
    sum
}

/// The lowest frequencies of a free sphere, each as often as it comes (2 l + 1).
pub fn of_sphere(radius: f64, material: &Material, wanted: usize) -> Vec<f64> {
    let nu = material.poisson;
    let shear = (material.young_pa / (2.0 * (1.0 + nu)) / material.density_kg_m3).sqrt();
    let ratio = ((1.0 - 2.0 * nu) / (2.0 * (1.0 - nu))).sqrt();
    let mut all: Vec<f64> = Vec::new();
    for l in 0..14usize {
        let order = l as f64;
        let torsion = |x: f64| (order - 1.0) * bessel(l, x) - x * bessel(l + 1, x);
        let breathing = |x: f64| {
            let y = ratio * x;
            4.0 * y * bessel(1, y) - x * x * bessel(0, y)
        };
        let spheroidal = |x: f64| {
            let y = ratio * x;
            let a11 = (order * (order - 1.0) - x * x / 2.0) * bessel(l, y) + 2.0 * y * bessel(l + 1, y);
            let a12 = order * (order + 1.0) * torsion(x);
            let a21 = (order - 1.0) * bessel(l, y) - y * bessel(l + 1, y);
            let a22 = (order * order - 1.0 - x * x / 2.0) * bessel(l, x) + x * bessel(l + 1, x);
            a11 * a22 - a12 * a21
        };
        let laws: Vec<&dyn Fn(f64) -> f64> = if l == 0 { vec![&breathing] } else { vec![&torsion, &spheroidal] };
        for law in laws {
            let step = 0.005;
            for k in 100..2000 {
                let (mut low, mut high) = (k as f64 * step, (k + 1) as f64 * step);
                if law(low) * law(high) >= 0.0 {
                    continue;
                }
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    if law(low) * law(middle) <= 0.0 { high = middle } else { low = middle }
                }
                all.extend(std::iter::repeat_n(low * shear / (TAU * radius), 2 * l + 1));
            }
        }
    }
    all.sort_by(f64::total_cmp);
    all.truncate(wanted);
    all
}
